// Draws many discs or darts with WebGL 2, straight from arrays: JavaScript does no work per item. Items are
// GL points; the fragment shader cuts their shape out of a square. (Without graphics hardware, instances of
// a mesh took almost six times as long.)
//
// Sprites have their own canvas above the stage's, and a cover canvas above that. `above` is the context of
// the cover in frames that use sprites, otherwise null: whatever is drawn there covers the sprites.

import { drawsInSoftware } from './software.js'

const MAX_COLORS = 64
const MAX_RATIO = 2 // finer pixels only cost
const DART_REACH = 1.1 // of a dart's size: its back corners are farther from the center than the tip

const VERTEX = `#version 300 es
layout(location = 0) in vec2 position;
layout(location = 1) in uint kind;
layout(location = 2) in float opacity;
layout(location = 3) in vec2 heading;
layout(location = 4) in vec2 before;
uniform float part; // how far from there to the position: 0 to 1
uniform float jump; // items that moved farther than this are at their position
uniform vec2 scale; // to clip space
uniform vec2 offset;
uniform float size;
uniform int turns; // colors per kind, by heading
uniform vec4 colors[${MAX_COLORS}];
flat out vec4 color;
flat out vec2 ahead;

void main() {
  int turn = 0;
  if (turns > 1) {
    float angle = atan(heading.y, heading.x) / radians(360.0);
    turn = (int(round(angle * float(turns))) + turns) % turns;
  }
  int index = int(kind) * turns + turn;
  color = index < ${MAX_COLORS} ? colors[index] * opacity : vec4(0);
  ahead = heading / max(length(heading), 1e-20);
  vec2 move = position - before;
  bool isNear = part < 1.0 && dot(move, move) <= jump * jump; // false for NaN
  vec2 place = isNear ? before + part * move : position;
  gl_Position = color.a > 0.0 ? vec4(scale * place + offset, 0, 1) : vec4(0, 0, 2, 1);
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

const vec2 SIDE = normalize(vec2(0.6, 1.9)); // normal of the edge from a dart's tip to a back corner
const vec2 BACK = normalize(vec2(0.6, 0.4)); // and of the edge from there to the center

void main() {
  vec2 place = (gl_PointCoord - 0.5) * size;
  float inside = radius - length(place);
  if (isDart) {
    vec2 part = vec2(dot(place, ahead), abs(ahead.x * place.y - ahead.y * place.x));
    float side = dot(vec2(radius, 0) - part, SIDE);
    float back = dot(part + vec2(0.5 * radius, 0), BACK);
    inside = min(side, back);
  }
  pixel = color * clamp(inside + 0.5, 0.0, 1.0);
}`

/** Creates the sprites of a stage. Returns null without WebGL 2. */
export function createSprites(stage) {
  const canvas = document.createElement('canvas')
  const gl = canvas.getContext('webgl2', { antialias: false, depth: false })
  if (!gl) return null
  const cover = document.createElement('canvas')
  const context = cover.getContext('2d')
  let painter = createPainter(gl) // null while the context is lost
  let used = false
  let isClear = false

  canvas.addEventListener('webglcontextlost', (event) => {
    event.preventDefault() // allows the browser to restore it
    painter = null
  })
  canvas.addEventListener('webglcontextrestored', () => (painter = createPainter(gl)))
  fit()
  for (const element of [canvas, cover]) {
    element.style.pointerEvents = 'none'
    element.hidden = true
    stage.canvas.parentNode.append(element)
  }

  function fit() {
    const part = Math.min(MAX_RATIO / stage.ratio, 1)
    resize(canvas, Math.round(stage.canvas.width * part), Math.round(stage.canvas.height * part))
    resize(cover, stage.canvas.width, stage.canvas.height)
  }

  return {
    /** True without graphics hardware: then a canvas draws squares and darts faster. */
    isSlow: drawsInSoftware(gl),

    get above() {
      return used ? context : null
    },

    /** Called before every frame. */
    clear() {
      fit()
      canvas.hidden = cover.hidden = !used
      isClear = used
      if (!used) return
      used = false
      painter?.clear()
      context.setTransform(stage.ratio, 0, 0, stage.ratio, 0, 0)
      context.clearRect(0, 0, stage.width, stage.height)
    },

    /** Makes the cover the stage's context already before items are drawn: the canvas below is not touched. */
    use() {
      if (used) return
      used = true
      canvas.hidden = cover.hidden = false
      if (!isClear) painter?.clear()
      isClear = false
    },

    /**
     * Draws items, with the transform and opacity of the stage's context:
     *
     *   positions    x, y, …
     *   count        number of items
     *   ids          optional: the items to draw; `count` is then the number of ids
     *   radius       of a disc; of a dart, from the center to the tip
     *   colors       CSS colors; kinds with a falsy color are not drawn
     *   kinds        optional: index in `colors`, by item. Default: 0
     *   opacities    optional: 0 to 1, by item. Default: 1
     *   headings     optional: x, y, …; draws darts instead of discs
     *   turns        colors per kind, one for each range of headings. Default: 1
     *   before       optional: { positions, part, jump }: as many earlier ones. Items are drawn at that part
     *                of the way from there, unless they are farther apart than `jump`. Positions and kinds
     *                then never change: they are uploaded once, for as long as they are drawn
     *
     * Returns false if it cannot draw them.
     */
    draw(items) {
      if (!painter || items.colors.length > MAX_COLORS) return false
      const { a, e, f } = stage.context.getTransform()
      const opacity = stage.context.globalAlpha
      const part = canvas.width / stage.canvas.width
      const radius = part * a * items.radius
      if (radius > painter.maxRadius) return false
      this.use()
      painter.draw(items, { radius, scale: part * a, x: part * e, y: part * f, opacity })
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

/** Creates the GL objects of a context. They are lost with it. */
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
    ['scale', 'offset', 'size', 'radius', 'isDart', 'turns', 'colors', 'part', 'jump'].map(
      (name) => [name, gl.getUniformLocation(program, name)],
    ),
  )
  const buffers = [0, 1, 2, 3, 4].map(() => gl.createBuffer()) // by attribute location
  const held = [] // by attribute location: the array in its buffer, if it never changes
  const palette = new Float32Array(4 * MAX_COLORS)
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer())
  gl.vertexAttribI4ui(1, 0, 0, 0, 0)
  gl.vertexAttrib1f(2, 1) // opacity without an array

  function send(location, array, width, count, isFixed) {
    if (!array) return gl.disableVertexAttribArray(location)
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[location])
    if (!isFixed || held[location] !== array)
      gl.bufferData(gl.ARRAY_BUFFER, array, gl.STREAM_DRAW, 0, width * count)
    held[location] = isFixed ? array : null
    if (location === 1) gl.vertexAttribIPointer(location, width, gl.UNSIGNED_BYTE, 0, 0)
    else gl.vertexAttribPointer(location, width, gl.FLOAT, false, 0, 0)
    gl.enableVertexAttribArray(location)
  }

  function swap(a, b) {
    for (const list of [buffers, held]) [list[a], list[b]] = [list[b], list[a]]
  }

  return {
    maxRadius: gl.getParameter(gl.ALIASED_POINT_SIZE_RANGE)[1] / 2 - 2,

    clear() {
      gl.clear(gl.COLOR_BUFFER_BIT)
    },

    // Draws at scale * position + (x, y), in pixels of the canvas, like the radius.
    draw(items, { radius, scale, x, y, opacity }) {
      const { positions, count, ids, colors, kinds, opacities, headings, turns = 1, before } = items
      const { width, height } = gl.canvas
      const sent = ids ? positions.length / 2 : count
      if (before && held[0] === before.positions) swap(0, 4)
      send(0, positions, 2, sent, before)
      send(4, before?.positions, 2, sent, before)
      send(1, kinds, 1, sent, before)
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
      gl.uniform1f(place.part, before?.part ?? 1)
      gl.uniform1f(place.jump, before?.jump ?? 0)
      gl.uniform4fv(place.colors, palette)
      if (!ids) return gl.drawArrays(gl.POINTS, 0, count)
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, ids, gl.STREAM_DRAW, 0, count)
      gl.drawElements(gl.POINTS, count, gl.UNSIGNED_INT, 0)
    },
  }
}

const parsed = new Map()
let pen = null

/** Returns red, green, blue and opacity of a CSS color, each 0 to 1. */
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
