// Many discs or darts on a stage, drawn by WebGL 2 from arrays as they are: nothing is done for each of
// them in JavaScript. They are points, whose shape is cut out of their squares; without graphics
// hardware instances of a mesh took almost six times as long.
//
// They have a canvas of their own above the stage's, and above that is another one: while `above` is a
// context and not null, what is drawn there covers them.

import { drawsInSoftware } from './software.js'

const MOST_COLORS = 64
const MAX_RATIO = 2 // finer pixels only cost
const DART_REACH = 1.1 // from its middle, in its size: ends are farther than the tip

const VERTEX = `#version 300 es
layout(location = 0) in vec2 position;
layout(location = 1) in uint kind;
layout(location = 2) in float opacity;
layout(location = 3) in vec2 heading;
uniform vec2 scale; // to clip space
uniform vec2 offset;
uniform float size;
uniform int turns; // colors of each kind: around the circle, by heading
uniform vec4 colors[${MOST_COLORS}];
flat out vec4 color;
flat out vec2 ahead;

void main() {
  int turn = 0;
  if (turns > 1) {
    float angle = atan(heading.y, heading.x) / radians(360.0);
    turn = (int(round(angle * float(turns))) + turns) % turns;
  }
  int index = int(kind) * turns + turn;
  color = index < ${MOST_COLORS} ? colors[index] * opacity : vec4(0);
  ahead = heading / max(length(heading), 1e-20);
  gl_Position = color.a > 0.0 ? vec4(scale * position + offset, 0, 1) : vec4(0, 0, 2, 1);
  gl_PointSize = size;
}`

const FRAGMENT = `#version 300 es
precision highp float;
uniform float size;
uniform float radius;
uniform bool isDart;
flat in vec4 color;
flat in vec2 ahead;
out vec4 pixel;

const vec2 SIDE = normalize(vec2(0.6, 1.9)); // of a dart: from the tip to an end
const vec2 BACK = normalize(vec2(0.6, 0.4)); // and from there to the middle

void main() {
  vec2 at = (gl_PointCoord - 0.5) * size;
  float inside = radius - length(at);
  if (isDart) {
    vec2 part = vec2(dot(at, ahead), abs(ahead.x * at.y - ahead.y * at.x));
    float side = dot(vec2(radius, 0) - part, SIDE);
    float back = dot(part + vec2(0.5 * radius, 0), BACK);
    inside = min(side, back);
  }
  pixel = color * clamp(inside + 0.5, 0.0, 1.0);
}`

/** null where there is no WebGL 2. */
export function createSprites(stage) {
  const canvas = document.createElement('canvas')
  const gl = canvas.getContext('webgl2', { antialias: false, depth: false })
  if (!gl) return null
  const cover = document.createElement('canvas')
  const context = cover.getContext('2d')
  let painter = createPainter(gl) // null: the browser took the context away
  let used = false

  canvas.addEventListener('webglcontextlost', (event) => {
    event.preventDefault() // so that it comes back
    painter = null
  })
  canvas.addEventListener('webglcontextrestored', () => (painter = createPainter(gl)))
  fit()
  for (const one of [canvas, cover]) {
    one.style.pointerEvents = 'none'
    one.hidden = true
    stage.canvas.parentNode.append(one)
  }

  function fit() {
    const part = Math.min(MAX_RATIO / stage.ratio, 1)
    resize(canvas, Math.round(stage.canvas.width * part), Math.round(stage.canvas.height * part))
    resize(cover, stage.canvas.width, stage.canvas.height)
  }

  return {
    /** Without graphics hardware it takes longer than a canvas takes for squares and darts. */
    isSlow: drawsInSoftware(gl),

    get above() {
      return used ? context : null
    },

    /** Before every frame. */
    clear() {
      fit()
      canvas.hidden = cover.hidden = !used
      if (!used) return
      used = false
      painter?.clear()
      context.setTransform(stage.ratio, 0, 0, stage.ratio, 0, 0)
      context.clearRect(0, 0, stage.width, stage.height)
    },

    /**
     * Draws what is told, by the transform and opacity of the stage's context:
     *
     *   positions    x, y, …
     *   count        of them; or of ids, if there are any
     *   ids          which to draw
     *   radius       of a disc; of a dart, from the middle to its tip
     *   colors       of CSS; falsy ones are not drawn
     *   kinds        whose color each has, by place in colors; without them all have the first
     *   opacities    from 0 to 1
     *   headings     x, y, … of darts; without them these are discs
     *   turns        so many colors, one after the other, are those of one kind, by heading
     *
     * false: it can't.
     */
    draw(things) {
      if (!painter || things.colors.length > MOST_COLORS) return false
      const { a, e, f } = stage.context.getTransform()
      const opacity = stage.context.globalAlpha
      const part = canvas.width / stage.canvas.width
      const radius = part * a * things.radius
      if (radius > painter.mostRadius) return false
      if (!used) {
        used = true
        canvas.hidden = cover.hidden = false
        painter.clear()
      }
      painter.draw(things, { radius, scale: part * a, x: part * e, y: part * f, opacity })
      return true
    },

    dispose() {
      canvas.remove()
      cover.remove()
      gl.getExtension('WEBGL_lose_context')?.loseContext()
    },
  }
}

function resize(canvas, width, height) {
  if (canvas.width !== width) canvas.width = width
  if (canvas.height !== height) canvas.height = height
}

/** What the context holds: gone with it. */
function createPainter(gl) {
  const program = gl.createProgram()
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ]) {
    const shader = gl.createShader(type)
    gl.shaderSource(shader, source)
    gl.compileShader(shader)
    gl.attachShader(program, shader)
  }
  gl.linkProgram(program)
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null
  gl.useProgram(program)
  gl.enable(gl.BLEND)
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA)

  const place = Object.fromEntries(
    ['scale', 'offset', 'size', 'radius', 'isDart', 'turns', 'colors'].map((name) => [
      name,
      gl.getUniformLocation(program, name),
    ]),
  )
  const buffers = [0, 1, 2, 3].map(() => gl.createBuffer()) // by location of the attribute
  const palette = new Float32Array(4 * MOST_COLORS)
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer())
  gl.vertexAttribI4ui(1, 0, 0, 0, 0)
  gl.vertexAttrib1f(2, 1) // opacity, where there is no array

  function send(location, array, width, count) {
    if (!array) return gl.disableVertexAttribArray(location)
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[location])
    gl.bufferData(gl.ARRAY_BUFFER, array, gl.STREAM_DRAW, 0, width * count)
    if (location === 1) gl.vertexAttribIPointer(location, width, gl.UNSIGNED_BYTE, 0, 0)
    else gl.vertexAttribPointer(location, width, gl.FLOAT, false, 0, 0)
    gl.enableVertexAttribArray(location)
  }

  return {
    mostRadius: gl.getParameter(gl.ALIASED_POINT_SIZE_RANGE)[1] / 2 - 2,

    clear() {
      gl.clear(gl.COLOR_BUFFER_BIT)
    },

    // In pixels of the canvas: the radius, and positions times `scale` and moved by x, y.
    draw(things, { radius, scale, x, y, opacity }) {
      const { positions, count, ids, colors, kinds, opacities, headings, turns = 1 } = things
      const { width, height } = gl.canvas
      const sent = ids ? positions.length / 2 : count
      send(0, positions, 2, sent)
      send(1, kinds, 1, sent)
      send(2, opacities, 1, sent)
      send(3, headings, 2, sent)
      palette.fill(0)
      colors.forEach((color, n) => {
        if (!color) return
        const [red, green, blue, alpha] = parse(color)
        palette.set(
          [red * alpha, green * alpha, blue * alpha, alpha].map((c) => opacity * c),
          4 * n,
        )
      })
      gl.viewport(0, 0, width, height)
      gl.uniform2f(place.scale, (2 * scale) / width, (-2 * scale) / height)
      gl.uniform2f(place.offset, (2 * x) / width - 1, 1 - (2 * y) / height)
      gl.uniform1f(place.size, 2 * (headings ? DART_REACH * radius : radius) + 2)
      gl.uniform1f(place.radius, radius)
      gl.uniform1i(place.isDart, headings ? 1 : 0)
      gl.uniform1i(place.turns, turns)
      gl.uniform4fv(place.colors, palette)
      if (!ids) return gl.drawArrays(gl.POINTS, 0, count)
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, ids, gl.STREAM_DRAW, 0, count)
      gl.drawElements(gl.POINTS, count, gl.UNSIGNED_INT, 0)
    },
  }
}

const parsed = new Map()
let pen = null

/** Red, green, blue and opacity of a color of CSS, as a canvas shows it. */
function parse(color) {
  let parts = parsed.get(color)
  if (parts) return parts
  pen ??= new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
  pen.clearRect(0, 0, 1, 1)
  pen.fillStyle = color
  pen.fillRect(0, 0, 1, 1)
  parts = Array.from(pen.getImageData(0, 0, 1, 1).data, (part) => part / 255)
  parsed.set(color, parts)
  return parts
}
