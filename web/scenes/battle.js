// Two armies in an endless fight. Every frame, each unit queries the tree twice, without garbage: for its
// nearest enemy (by group mask), and for the units that it touches. The units are agents of a crowd, and the tree
// reads them there. Dead units are disabled, so after the next build no query finds them. They come back in
// squads from their own side of the field.

import { AgentTree, Crowd } from 'copse'
import { smoothTime } from '../view/clock.js'
import { scaleSetting } from '../view/controls.js'
import { ABSENT, drawKinds, drawShades, fillDisc, isSmall, strokeCircle } from '../view/draw.js'
import { formatTime } from '../view/format.js'
import { stretch } from '../view/spawn.js'
import { theme } from '../view/theme.js'

const MAX_SOLDIERS = 10_000 // per army
const SIZES = [10, 200] // radius of a strike, pixels
const RED = 1
const BLUE = 2
const GROUPS = [RED, BLUE] // army 0 comes from the left (or the top), army 1 from the other side

// Lengths in radii of a unit, so that a battle looks the same at every size; times in seconds.
const SPEED = 9
const HASTE = 1.4 // maximum speed, as a multiple of the preferred one
const SWORD = 2.7 // reach of a sword
const BOW = 26 // and of a bow
const ARROW_SPEED = 70
const BULLET_SPEED = 300
const BULLET_STEP = 1 / 8 // seconds: bullets move in few, long steps, many units long
const BULLET_RADIUS = 0.25
const RANK = 3.2 // spacing in a formation
const GAP = 16 // radii between the middle and an army at the start, at most
const CORPSE_LIFE = 7
const FLASH_LIFE = 0.25
const BLAST_LIFE = 0.6
const HOLE = 0.42 // radius of the hole in an archer
const MAX_CORPSES = 3_000
const MAX_ARROWS = 4_000
const MAX_BULLETS = 4_000

export default {
  name: 'battle',
  title: 'Battle',
  order: 2,
  group: 'Games',
  summary: 'Two armies: each unit finds its nearest enemy every frame',
  description:
    'Every frame, each unit of both armies finds its nearest enemy by group mask, walks there, and strikes or shoots.',
  try: 'Click to strike all units in the circle.',
  help: 'A crowd steers units apart before they touch. Without “avoid each other”, a query finds those that touch, and they push each other apart. With “guns”, archers fire bullets that move eight times a second: rays along their paths hit what they would jump over. Dead units leave their group, and reinforcements keep coming. Tap or Enter strikes, too; with the beam, all that it pierces. Arrow keys move the strike; wheel, pinch, + and - resize it.',
  legend: [
    ['dot', 'teams', 'swordsman'],
    ['ring', 'teams', 'archer'],
    ['line', 'ink', 'arrow'],
    ['cross', 'red', 'fallen'],
  ],
  minimal: ['nearest-enemy-by-group', 'bullets-that-do-not-tunnel', 'object-pool'],

  count: 'soldiers',
  params: {
    soldiers: 300,
    archers: 0.25,
    speed: 1,
    strike: 'circle',
    size: 50,
    guns: false,
    targets: false,
    avoid: true,
  },

  controls(gui, params) {
    gui.add(params, 'soldiers', 10, MAX_SOLDIERS, 10).name('units per army')
    gui.add(params, 'archers', 0, 1, 0.05)
    gui.add(params, 'speed', 0.25, 3, 0.25)
    gui.add(params, 'guns')
    gui.add(params, 'strike', ['circle', 'beam'])
    gui.add(params, 'size', ...SIZES, 1).name('strike size')
    gui.add(params, 'targets').name('show targets')
    gui.add(params, 'avoid').name('avoid each other')
  },

  setup(stage, params) {
    const { random, pointer } = stage
    // copse:
    const crowd = new Crowd({ capacity: 2 * MAX_SOLDIERS, maxNeighbors: 8, timeHorizon: 0.6 })
    const tree = new AgentTree({ capacity: crowd.capacity })

    const floats = () => new Float32Array(2 * MAX_SOLDIERS)

    // Units: the first half is army 0. Positions and groups are arrays of the crowd.
    const health = floats()
    const rest = floats() // seconds until the next strike
    const flash = floats() // 1 when struck, then fades
    const lunge = floats() // 1 when striking, then fades
    const pace = floats() // factor of the speed, around 1, so that squads spread out
    const faceX = floats()
    const faceY = floats()
    const pushX = floats()
    const pushY = floats()
    const isArcher = new Uint8Array(2 * MAX_SOLDIERS)
    const target = new Int32Array(2 * MAX_SOLDIERS)
    const waiting = [new Uint32Array(MAX_SOLDIERS), new Uint32Array(MAX_SOLDIERS)] // dead units
    const waitingCount = [0, 0]
    const fallen = [0, 0]

    const corpses = createRing(MAX_CORPSES, ['x', 'y', 'army', 'age'])
    const arrows = createRing(MAX_ARROWS, ['x', 'y', 'toX', 'toY', 'army', 'flown', 'length'])
    const blasts = createRing(20, ['x', 'y', 'size', 'age', 'beam'])
    const bullets = createRing(MAX_BULLETS, ['x', 'y', 'dirX', 'dirY', 'shooter', 'range'])

    // copse:
    // Options of queries, created once: a frame allocates nothing.
    const enemies = [{ mask: BLUE }, { mask: RED }]

    const landing = [
      { mask: BLUE, maxDistance: 0 },
      { mask: RED, maxDistance: 0 },
    ]
    const others = { exclude: -1 }
    const kinds = new Uint8Array(2 * MAX_SOLDIERS) // by army and weapon, for drawing
    const rays = new Float32Array(4 * MAX_BULLETS)
    const flying = new Uint32Array(MAX_BULLETS) // indices of the bullets in flight
    const shooters = new Uint32Array(MAX_BULLETS)
    const targets = new Uint32Array(MAX_BULLETS) // masks

    let radius = 0 // of a unit
    let along = -1 // axis on which the armies meet: 0 is x, 1 is y
    let queries = 0 // of look()
    let queryTime // ms, smoothed
    let hits = 0
    let due = 0 // seconds since the last step of bullets
    let caught = 0 // hits that a test of the places of bullets would have missed

    const unitCount = () => 2 * params.soldiers
    const armyOf = (i) => (i < params.soldiers ? 0 : 1)

    function measureField() {
      const { width, height } = stage
      // The armies meet along the longer side. If the sides are similar, the axis stays as it is.
      if (width > 1.6 * height || along < 0) along = width >= height ? 0 : 1
      else if (height > 1.6 * width) along = 1
      const room = Math.sqrt((width * height) / (2 * params.soldiers))
      radius = Math.round(8 * Math.min(Math.max(0.16 * room, 1), 7)) / 8
      for (const options of landing) options.maxDistance = 2 * radius
      crowd.radii.fill(radius)
      crowd.maxSpeeds.fill(HASTE * SPEED * radius)
      crowd.neighborDistances.fill(8 * radius)
    }

    // Lets the crowd move the living units, by the preferred velocities that act() wrote.
    // copse:
    function avoid(dt) {
      crowd.step(dt)
      for (let i = 0; i < unitCount(); i++) if (health[i] > 0) keepInside(i, armyOf(i))
    }

    // Lines up both armies in ranks, close enough to meet soon.
    function muster() {
      crowd.clear()
      for (let i = 0; i < unitCount(); i++) crowd.add({ position: [0, 0] })
      measureField()
      corpses.clear()
      arrows.clear()
      bullets.clear()
      waitingCount.fill(0)
      fallen.fill(0)
      const { width, height } = stage
      const breadth = along === 0 ? height : width
      const columns = Math.floor((0.86 * breadth) / (RANK * radius))
      for (let army = 0; army < 2; army++) {
        const first = army * params.soldiers
        for (let i = 0; i < params.soldiers; i++) {
          enlist(first + i)
          const rank = Math.floor(i / columns)
          const inRank = Math.min(columns, params.soldiers - rank * columns)
          const file = (i % columns) - (inRank - 1) / 2
          const length = along === 0 ? width : height
          const gap = Math.min(0.1 * length, GAP * radius)
          const ahead = length / 2 - gap - rank * RANK * radius
          stand(first + i, army, ahead, breadth / 2 + file * RANK * radius)
        }
      }
      tree.build(crowd) // a strike may come before the next frame
    }

    function enlist(i) {
      isArcher[i] = random() < params.archers ? 1 : 0
      health[i] = isArcher[i] ? 2 : 4
      rest[i] = random()
      pace[i] = 0.8 + 0.4 * random()
      flash[i] = lunge[i] = 0
      crowd.groups[i] = GROUPS[armyOf(i)]
      crowd.enabled[i] = 1
    }

    // Puts a unit at a distance from its own side of the field, facing the enemy.
    function stand(i, army, distance, across) {
      const length = along === 0 ? stage.width : stage.height
      const jitter = () => 0.6 * radius * (random() - 0.5)
      crowd.positions[2 * i + along] = (army === 0 ? distance : length - distance) + jitter()
      crowd.positions[2 * i + 1 - along] = across + jitter()
      const forward = army === 0 ? 1 : -1
      faceX[i] = along === 0 ? forward : 0
      faceY[i] = along === 0 ? 0 : forward
    }

    // Brings dead units back as a squad, once there are enough for one.
    function reinforce(army) {
      const squad = Math.max(5, Math.round(0.04 * params.soldiers))
      if (waitingCount[army] < squad) return
      const breadth = along === 0 ? stage.height : stage.width
      const columns = Math.ceil(1.6 * Math.sqrt(squad))
      const half = (columns * RANK * radius) / 2
      const middle = half + Math.max(0, breadth - 2 * half) * random()
      for (let n = 0; n < squad; n++) {
        const i = waiting[army][--waitingCount[army]]
        enlist(i)
        const rank = Math.floor(n / columns)
        const across = middle - half + ((n % columns) + 0.5) * RANK * radius
        stand(i, army, -(rank + 1) * RANK * radius, across)
      }
    }

    // Runs two queries for each unit: the nearest enemy and, without a crowd, the units that it touches.
    function look() {
      const { positions } = crowd
      queries = 0
      for (let i = 0; i < unitCount(); i++) {
        if (health[i] <= 0) continue
        // copse:
        const x = positions[2 * i]
        const y = positions[2 * i + 1]
        target[i] = tree.nearest(x, y, enemies[armyOf(i)])

        queries++
        if (params.avoid) continue
        // copse:
        others.exclude = i
        const touched = tree.within(x, y, 2 * radius, others)

        queries++
        let sumX = 0
        let sumY = 0
        for (let n = 0; n < touched.length; n++) {
          const j = touched[n]
          const dx = x - positions[2 * j]
          const dy = y - positions[2 * j + 1]
          const distance = Math.sqrt(dx * dx + dy * dy)
          if (distance > 0) {
            const overlap = (2 * radius - distance) / distance
            sumX += overlap * dx
            sumY += overlap * dy
          } else {
            sumX += i < j ? -radius : radius
          }
        }
        pushX[i] = 0.35 * sumX // the other unit moves as far
        pushY[i] = 0.35 * sumY
      }
    }

    function act(dt) {
      const { positions } = crowd
      const turn = Math.min(1, 10 * dt)
      for (let i = 0; i < unitCount(); i++) {
        if (health[i] <= 0) continue
        rest[i] -= dt
        flash[i] = Math.max(0, flash[i] - dt / FLASH_LIFE)
        lunge[i] = Math.max(0, lunge[i] - 5 * dt)

        const army = armyOf(i)
        const forward = army === 0 ? 1 : -1
        let dirX = along === 0 ? forward : 0
        let dirY = along === 0 ? 0 : forward
        let walk = SPEED * pace[i] * radius * dt
        const t = target[i]
        if (t >= 0) {
          const dx = positions[2 * t] - positions[2 * i]
          const dy = positions[2 * t + 1] - positions[2 * i + 1]
          const distance = Math.sqrt(dx * dx + dy * dy) || 1
          dirX = dx / distance
          dirY = dy / distance
          if (distance <= (isArcher[i] ? BOW : SWORD) * radius) {
            walk = 0
            if (rest[i] <= 0 && health[t] > 0) strike(i, t, army, distance)
          }
        }
        faceX[i] += (dirX - faceX[i]) * turn
        faceY[i] += (dirY - faceY[i]) * turn
        if (params.avoid) {
          crowd.preferredVelocities[2 * i] = (dirX * walk) / dt
          crowd.preferredVelocities[2 * i + 1] = (dirY * walk) / dt
          continue
        }
        positions[2 * i] += dirX * walk + pushX[i]
        positions[2 * i + 1] += dirY * walk + pushY[i]
        keepInside(i, army)
      }
    }

    // Keeps a unit on the field. Only its own side is open, since reinforcements come from there.
    function keepInside(i, army) {
      const { positions } = crowd
      const length = along === 0 ? stage.width : stage.height
      const breadth = along === 0 ? stage.height : stage.width
      const a = 2 * i + along
      const b = 2 * i + 1 - along
      if (army === 0) positions[a] = Math.min(positions[a], length - radius)
      else positions[a] = Math.max(positions[a], radius)
      positions[b] = Math.min(Math.max(positions[b], radius), breadth - radius)
    }

    function strike(i, t, army, distance) {
      const { positions } = crowd
      lunge[i] = 1
      if (isArcher[i]) {
        rest[i] = 1.6 + 0.8 * random()
        if (params.guns) return fire(i, t, distance)
        const n = arrows.add()
        arrows.x[n] = positions[2 * i]
        arrows.y[n] = positions[2 * i + 1]
        arrows.toX[n] = positions[2 * t]
        arrows.toY[n] = positions[2 * t + 1]
        arrows.army[n] = army
        arrows.flown[n] = 0
        arrows.length[n] = distance
      } else {
        rest[i] = 0.5 + 0.4 * random()
        wound(t, 1)
      }
    }

    // Moves the arrows. An arrow strikes the enemy nearest to where it lands.
    function fly(dt) {
      for (let n = 0; n < arrows.capacity; n++) {
        if (arrows.flown[n] >= arrows.length[n]) continue
        arrows.flown[n] += ARROW_SPEED * radius * dt
        if (arrows.flown[n] < arrows.length[n]) continue
        const struck = tree.nearest(arrows.toX[n], arrows.toY[n], landing[arrows.army[n]])
        if (struck >= 0) wound(struck, 1)
      }
    }

    function fire(i, t, distance) {
      const { positions } = crowd
      const n = bullets.add()
      bullets.x[n] = positions[2 * i]
      bullets.y[n] = positions[2 * i + 1]
      bullets.dirX[n] = (positions[2 * t] - positions[2 * i]) / distance
      bullets.dirY[n] = (positions[2 * t + 1] - positions[2 * i + 1]) / distance
      bullets.shooter[n] = i
      bullets.range[n] = 2 * BOW * radius
    }

    // Moves the bullets. In one step a bullet flies over many units: a ray along its path finds the first enemy.
    function shoot() {
      let count = 0
      for (let n = 0; n < bullets.capacity; n++) {
        if (bullets.range[n] <= 0) continue
        const length = Math.min(BULLET_SPEED * radius * BULLET_STEP, bullets.range[n])
        rays[4 * count] = bullets.x[n]
        rays[4 * count + 1] = bullets.y[n]
        bullets.x[n] = rays[4 * count + 2] = bullets.x[n] + length * bullets.dirX[n]
        bullets.y[n] = rays[4 * count + 3] = bullets.y[n] + length * bullets.dirY[n]
        bullets.range[n] -= length
        shooters[count] = bullets.shooter[n]
        targets[count] = GROUPS[1 - armyOf(bullets.shooter[n])]
        flying[count++] = n
      }
      const struck = tree.raycastMany(rays.subarray(0, 4 * count), {
        exclude: shooters.subarray(0, count),
        mask: targets.subarray(0, count),
        inflate: BULLET_RADIUS * radius,
      })
      for (let i = 0; i < count; i++) {
        const n = flying[i]
        const id = struck.ids[i]
        if (id < 0) continue
        const dx = crowd.positions[2 * id] - bullets.x[n]
        const dy = crowd.positions[2 * id + 1] - bullets.y[n]
        if (Math.sqrt(dx * dx + dy * dy) > (1 + BULLET_RADIUS) * radius) caught++
        bullets.range[n] = 0
        wound(id, 1)
      }
    }

    // Returns the two ends of the beam through the pointer, across the field from army to army.
    function beam() {
      const { width, height } = stage
      return along === 0 ? [0, pointer.y, width, pointer.y] : [pointer.x, 0, pointer.x, height]
    }

    function wound(i, damage) {
      if (health[i] <= 0) return
      health[i] -= damage
      flash[i] = 1
      if (health[i] > 0) return
      flash[i] = 0
      const army = armyOf(i)
      crowd.enabled[i] = 0 // absent from every result
      waiting[army][waitingCount[army]++] = i
      fallen[army]++
      const n = corpses.add()
      corpses.x[n] = crowd.positions[2 * i]
      corpses.y[n] = crowd.positions[2 * i + 1]
      corpses.army[n] = army
      corpses.age[n] = 0
    }

    muster()

    return {
      hits: () => hits,

      frame(realTime, lap) {
        const dt = Math.min(realTime * params.speed, 1 / 20)
        reinforce(0)
        reinforce(1)
        lap('move')

        // copse:
        tree.build(crowd)
        lap('build')
        if (dt > 0) queryTime = smoothTime(queryTime, look)

        lap('query')
        if (dt > 0) act(dt)
        if (dt > 0 && params.avoid) avoid(dt)
        fly(dt)
        for (due += dt; due >= BULLET_STEP; due -= BULLET_STEP) shoot()
        for (let n = 0; n < corpses.capacity; n++) corpses.age[n] += dt
        for (let n = 0; n < blasts.capacity; n++) blasts.age[n] += dt
        lap('move')
      },

      draw() {
        sortUnits()
        drawGround()
        drawCorpses()
        if (params.targets) drawTargets()
        drawUnits()
        drawArrows()
        drawStrike()
      },

      report(times) {
        const standing = (army) => params.soldiers - waitingCount[army]
        return {
          numbers: [
            ['Units', standing(0) + standing(1)],
            ['Queries', queries],
            ['Query time', formatTime(queryTime)],
            ['Red', standing(0)],
            ['Blue', standing(1)],
            ...(params.guns ? [['Hits between places', caught]] : []),
            ['Red fallen', fallen[0]],
            ['Blue fallen', fallen[1]],
            ['Build', formatTime(times.build)],
          ],
        }
      },

      change(field) {
        if (field === 'soldiers' || field === 'archers') muster()
        if (field === 'avoid') crowd.velocities.fill(0)
      },

      resize(x, y) {
        const wasAlong = along
        measureField()
        if (along !== wasAlong) return muster() // turned: the armies meet on the other axis
        stretch(crowd.positions.subarray(0, 2 * unitCount()), x, y)
      },

      scroll: (steps) => scaleSetting(stage, params, 'size', steps, SIZES),

      press() {
        const isBeam = params.strike === 'beam'
        const struck = isBeam
          ? tree.raycastAll(...beam(), { inflate: params.size / 10 }).ids
          : tree.within(pointer.x, pointer.y, params.size)
        for (const i of struck) wound(i, 99)
        const n = blasts.add()
        blasts.beam[n] = isBeam ? 1 : 0
        blasts.x[n] = pointer.x
        blasts.y[n] = pointer.y
        blasts.size[n] = params.size
        blasts.age[n] = 0
      },

      dispose() {
        tree.dispose()
        crowd.dispose()
      },
    }

    function sortUnits() {
      hits = 0
      for (let i = 0; i < unitCount(); i++) {
        if (flash[i] > 0) hits++
        kinds[i] = health[i] > 0 ? 2 * armyOf(i) + isArcher[i] : ABSENT
      }
    }

    // Tints each side of the field in the color of its army.
    function drawGround() {
      const { context, width, height } = stage
      const ground = context.createLinearGradient(
        0,
        0,
        along === 0 ? width : 0,
        along === 0 ? 0 : height,
      )
      ground.addColorStop(0, theme.red)
      ground.addColorStop(0.5, theme.paper)
      ground.addColorStop(1, theme.blue)
      context.fillStyle = ground
      context.globalAlpha = 0.12
      context.fillRect(0, 0, width, height)
      context.globalAlpha = 1
    }

    function drawCorpses() {
      const { context } = stage
      const size = 0.7 * radius
      context.lineWidth = Math.max(1, 0.4 * radius)
      context.lineCap = 'round'
      // Corpses fade in five steps: one path for each step and army.
      for (let step = 0; step < 5; step++) {
        context.globalAlpha = 0.5 * (1 - step / 5)
        for (let army = 0; army < 2; army++) {
          context.strokeStyle = armyColor(army)
          context.beginPath()
          for (let n = 0; n < corpses.capacity; n++) {
            if (corpses.army[n] !== army) continue
            if (Math.floor((5 * corpses.age[n]) / CORPSE_LIFE) !== step) continue
            const x = corpses.x[n]
            const y = corpses.y[n]
            context.moveTo(x - size, y - size)
            context.lineTo(x + size, y + size)
            context.moveTo(x + size, y - size)
            context.lineTo(x - size, y + size)
          }
          context.stroke()
        }
      }
      context.globalAlpha = 1
    }

    function drawTargets() {
      const { context } = stage
      const { positions } = crowd
      context.lineWidth = 1
      context.globalAlpha = 0.3
      for (let army = 0; army < 2; army++) {
        context.strokeStyle = armyColor(army)
        context.beginPath()
        for (let i = army * params.soldiers; i < (army + 1) * params.soldiers; i++) {
          const t = target[i]
          if (health[i] <= 0 || t < 0) continue
          context.moveTo(positions[2 * i], positions[2 * i + 1])
          context.lineTo(positions[2 * t], positions[2 * t + 1])
        }
        context.stroke()
      }
      context.globalAlpha = 1
    }

    function drawUnits() {
      const { positions } = crowd
      const count = unitCount()
      const { red, blue, paper } = theme
      const colors = [red, red, blue, blue]
      const small = isSmall(stage, radius, count)
      if (!small) drawSwords()
      const plain = drawKinds(stage, positions, kinds, count, radius, colors, UNIT)
      if (plain && !small)
        drawKinds(stage, positions, kinds, count, HOLE * radius, ['', paper, '', paper])
      drawShades(stage, positions, flash, count, 0.95 * radius, theme.flash)
    }

    // Draws a short blade ahead of each swordsman, thrust out when it strikes.
    function drawSwords() {
      const { context } = stage
      const { positions } = crowd
      context.lineWidth = Math.max(1, 0.36 * radius)
      for (let army = 0; army < 2; army++) {
        context.strokeStyle = armyColor(army)
        context.beginPath()
        for (let i = 0; i < unitCount(); i++) {
          if (kinds[i] !== 2 * army) continue
          const x = positions[2 * i]
          const y = positions[2 * i + 1]
          const reach = radius * (1.6 + 0.9 * lunge[i])
          context.moveTo(x, y)
          context.lineTo(x + reach * faceX[i], y + reach * faceY[i])
        }
        context.stroke()
      }
    }

    function drawArrows() {
      const { context } = stage
      context.strokeStyle = theme.ink
      context.lineWidth = Math.max(1, 0.25 * radius)
      context.beginPath()
      for (let n = 0; n < arrows.capacity; n++) {
        const length = arrows.length[n]
        if (arrows.flown[n] >= length) continue
        const dirX = (arrows.toX[n] - arrows.x[n]) / length
        const dirY = (arrows.toY[n] - arrows.y[n]) / length
        const tail = Math.max(0, arrows.flown[n] - 2.5 * radius)
        context.moveTo(arrows.x[n] + tail * dirX, arrows.y[n] + tail * dirY)
        context.lineTo(arrows.x[n] + arrows.flown[n] * dirX, arrows.y[n] + arrows.flown[n] * dirY)
      }
      // The path of a bullet in its last step.
      for (let n = 0; n < bullets.capacity; n++) {
        if (bullets.range[n] <= 0) continue
        const length = BULLET_SPEED * radius * BULLET_STEP
        context.moveTo(
          bullets.x[n] - length * bullets.dirX[n],
          bullets.y[n] - length * bullets.dirY[n],
        )
        context.lineTo(bullets.x[n], bullets.y[n])
      }
      context.globalAlpha = 0.75
      context.stroke()
      context.globalAlpha = 1
    }

    // Draws the circle at the pointer, and recent strikes, which fade.
    function drawStrike() {
      const { context } = stage
      if (!pointer.wandering) {
        context.globalAlpha = 0.8
        if (params.strike === 'beam') {
          const [x0, y0, x1, y1] = beam()
          context.strokeStyle = theme.query
          context.lineWidth = 1
          context.beginPath()
          context.moveTo(x0, y0)
          context.lineTo(x1, y1)
          context.stroke()
        } else strokeCircle(context, pointer.x, pointer.y, params.size, theme.query)
      }
      for (let n = 0; n < blasts.capacity; n++) {
        const age = blasts.age[n] / BLAST_LIFE
        if (age >= 1) continue
        context.globalAlpha = 0.5 * (1 - age) * (1 - age)
        if (blasts.beam[n]) {
          context.fillStyle = theme.hit
          const half = (blasts.size[n] / 10) * (1 - age)
          if (along === 0) context.fillRect(0, blasts.y[n] - half, stage.width, 2 * half)
          else context.fillRect(blasts.x[n] - half, 0, 2 * half, stage.height)
        } else
          fillDisc(context, blasts.size[n] * (0.7 + 0.4 * age), theme.hit, blasts.x[n], blasts.y[n])
      }
      context.globalAlpha = 1
    }
  },
}

/** The look of a unit when few are drawn. Archers have a hole in the middle. */
const UNIT = {
  name: 'unit',
  paint(context, radius, color, kind) {
    fillDisc(context, radius, theme.paper)
    fillDisc(context, 0.92 * radius, color)
    if (kind % 2) fillDisc(context, HOLE * radius, theme.paper)
  },
}

const armyColor = (army) => (army === 0 ? theme.red : theme.blue)

// Creates a ring of items with float fields, one array per field. When it is full, a new item replaces the
// oldest.
function createRing(capacity, fields) {
  const ring = { capacity }
  let next = 0
  for (const field of fields) ring[field] = new Float32Array(capacity)
  ring.clear = () => {
    next = 0
    for (const field of fields) ring[field].fill(field === 'age' ? 1e9 : 0)
  }
  ring.add = () => next++ % capacity
  ring.clear()
  return ring
}
