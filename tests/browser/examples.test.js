// The built examples, used like a visitor does. Writes a screenshot of each to build/screenshots/.

import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { smallTargets, violations } from './axe.js'
import { startServer, stopServers } from './gameserver.js'
import { LONG, PHONE, changed, frames, openDemo, picture, still, until } from './demo.js'
import { eventually } from './waiting.js'

const examples = suite('examples')
/** @type {Awaited<ReturnType<typeof openDemo>>} */
let site

examples.before(async () => {
  mkdirSync('build/screenshots', { recursive: true })
  site = await openDemo()
})
examples.after.each(() => site.leavePages())
examples.after(async () => {
  await stopServers()
  await site.close()
})

/** @typedef {import('playwright-core').Page} Page */

/**
 * Opens an example. Checks that its stage changes, and shows some of COLORS.
 * @param {string} name
 * @param {string[]} colors
 */
async function visit(name, colors, query = '') {
  const { page, errors } = await site.page(`examples/${name}/${query}`, {
    viewport: { width: 750, height: 400 }, // small, since software draws it
  })
  await until(page, () => window.example?.frame > 0)
  await frames(page, 3)
  let first = ''
  let left = colors
  await eventually(
    async () => {
      await frames(page) // data of a server may arrive after the first ones
      first = await picture(page)
      left = await missing(page, first, colors)
      return left.length === 0
    },
    () => `${left} in the picture`,
  )
  await changed(page, first)
  await page.screenshot({ path: `build/screenshots/example-${name}.png` })
  return { page, errors }
}

/** The colors of the examples. */
const COLORS = {
  ...{ agent: '#7d8c84', hit: '#e2571e', query: '#1f9a6a', wall: '#86745c' },
  ...{ red: '#d4492a', blue: '#3f84d6', sky: '#16201c' },
}

/** Returns the names of colors that have fewer than 20 pixels in a picture. @param {Page} page */
const missing = (page, picture, colors) =>
  page.evaluate(
    async ([url, colors]) => {
      const image = await createImageBitmap(await (await fetch(url)).blob())
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, image.width, image.height)
      return colors.filter(([, color]) => {
        const parts = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16))
        let seen = 0
        for (let pixel = 0; pixel < data.length; pixel += 4)
          if (parts.every((part, i) => Math.abs(part - data[pixel + i]) <= 2)) seen++
        return seen < 20
      })
    },
    [`data:image/png;base64,${picture}`, colors.map((name) => [name, COLORS[name]])],
  )

examples('the overview links to all examples, and each shows its source files', async () => {
  const { page, errors } = await site.page('examples/')
  const links = page.locator('#examples .title')
  await links.first().waitFor()
  const hrefs = await links.evaluateAll((links) => links.map(({ href }) => href))
  // An example without a page of the site, such as zones, has a server of its own.
  const folders = readdirSync('web/examples').filter((name) =>
    existsSync(`web/examples/${name}/index.html`),
  )
  assert.equal(hrefs.map((href) => href.split('/').at(-2)).sort(), folders.sort())
  await accessible(page, 'overview')
  for (const href of hrefs) {
    await page.goto(`${href}#source`)
    await until(page, () =>
      /from 'copse|from '\.\/(simulation|connection)/.test(document.body.innerText),
    )
    assert.is(await page.locator('nav a[aria-current]').count(), 1)
    await accessible(page, href)
  }
  assert.is(await page.locator('details').count(), 5, 'also the files of the server')
  await page.locator('summary:text-is("server.js")').click()
  await until(page, () => document.body.innerText.includes('new WebSocketServer'))
  await page.locator('h1 a').click()
  await page.waitForURL(/examples\/$/)
  await page.locator('.actions a:text-is("Demo")').click()
  await until(page, () => window.copseDemo?.ready)
  assert.equal(
    errors.filter((error) => !error.includes('WebSocket')),
    [],
  )
})

/** Checks a page in both schemes, and then on a phone: targets, header and width. @param {Page} page */
async function accessible(page, name) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme })
    assert.equal(await violations(page), [], `${name}, ${colorScheme}`)
  }
  const { width, height } = page.viewportSize()
  await page.setViewportSize(PHONE.viewport)
  assert.equal(await smallTargets(page), [], name)
  const header = await page.locator('header').boundingBox()
  assert.ok(header.height < 110, `${name}: two rows at most`)
  const current = page.locator('header [aria-current]')
  if (await current.count()) assert.ok((await current.boundingBox()).x >= 0, `${name} is in view`)
  assert.is(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.viewport.width)
  await page.setViewportSize({ width, height })
}

examples('an example uses nothing outside its folder', () => {
  const LINK =
    /(?:\b(?:from|import) |import\(|new URL\(|\b(?:href|src)=|url\(|@import )['"]?([^'"\s)>]+)/g
  let count = 0
  for (const folder of readdirSync('web/examples', { withFileTypes: true })) {
    if (!folder.isDirectory()) continue
    const root = join('web/examples', folder.name)
    for (const entry of readdirSync(root, { withFileTypes: true })) {
      const file = entry.name
      if (!entry.isFile()) continue
      const text = readFileSync(join(root, file), 'utf8')
      for (const [, target] of text.matchAll(LINK)) {
        if (!/^[./]/.test(target)) continue // a package, or a name
        assert.ok(normalize(join(root, target)).startsWith(join(root, '/')), `${file}: ${target}`)
        count++
      }
    }
  }
  assert.ok(count >= 7, 'each page loads a script of its own')
})

examples('for visitors who prefer less motion, an example stands still until Play', async () => {
  for (const name of ['pixi', 'three', 'phaser']) {
    const { page, errors } = await site.page(`examples/${name}/`, {
      viewport: { width: 750, height: 400 },
      reducedMotion: 'reduce',
    })
    await until(page, () => window.example?.frame > 1)
    const before = await still(page)
    assert.ok((await missing(page, before, ['hit'])).length < 2)
    await page.getByRole('button', { name: 'Play' }).click()
    await changed(page, before)
    await page.getByRole('button', { name: 'Pause' }).click()
    await still(page)
    assert.equal(errors, [])
  }
})

examples('three.js draws what its camera sees, at its place, and no two drones touch', async () => {
  const { page, errors } = await visit('three', ['sky'])
  const measured = await page.evaluate(() => {
    const { crowd, rocks, droneMesh, rockMesh, found, planes } = window.example
    const { positions, slots } = crowd
    let misplaced = 0
    for (let i = 0; i < found.drones; i++)
      for (let axis = 0; axis < 3; axis++)
        if (
          droneMesh.instanceMatrix.array[16 * i + 12 + axis] !==
          positions[3 * found.seenDrones[i] + axis]
        )
          misplaced++
    for (let i = 0; i < found.rocks; i++)
      for (let axis = 0; axis < 3; axis++) {
        const offset = 6 * found.seenRocks[i] + axis
        const center = (rocks.boxes[offset] + rocks.boxes[offset + 3]) / 2
        const shown = rockMesh.instanceMatrix.array[16 * i + 12 + axis]
        if (Math.abs(shown - center) > 1e-3) misplaced++
      }

    let nearest = Infinity
    for (let i = 0; i < slots; i++)
      for (let j = 0; j < i; j++) {
        const [dx, dy, dz] = [0, 1, 2].map(
          (axis) => positions[3 * i + axis] - positions[3 * j + axis],
        )
        nearest = Math.min(nearest, Math.hypot(dx, dy, dz) / (crowd.radii[i] + crowd.radii[j]))
      }

    // Returns how far an object reaches into the frustum; negative: it is outside. `reach` returns how far
    // it reaches from its center along the normal of the plane at an offset.
    const depthOf = (center, reach) => {
      const depths = [0, 4, 8, 12, 16, 20].map((plane) => {
        const [x, y, z, w] = planes.subarray(plane, plane + 4)
        return x * center[0] + y * center[1] + z * center[2] + w + reach(plane)
      })
      return Math.min(...depths)
    }
    const isWrong = (depth, isSeen) => Math.abs(depth) > 1e-2 && depth > 0 !== isSeen
    const seenDrones = new Set(found.seenDrones.subarray(0, found.drones))
    const seenRocks = new Set(found.seenRocks.subarray(0, found.rocks))
    let wrong = 0
    for (let id = 0; id < slots; id++) {
      const depth = depthOf(positions.subarray(3 * id, 3 * id + 3), () => crowd.radii[id])
      if (isWrong(depth, seenDrones.has(id))) wrong++
    }
    for (let id = 0; id < rocks.slots; id++) {
      const box = rocks.boxes.subarray(6 * id, 6 * id + 6)
      const center = [0, 1, 2].map((axis) => (box[axis] + box[3 + axis]) / 2)
      const half = center.map((x, axis) => x - box[axis])
      const reach = (plane) =>
        half.reduce((sum, x, axis) => sum + x * Math.abs(planes[plane + axis]), 0)
      if (isWrong(depthOf(center, reach), seenRocks.has(id))) wrong++
    }
    return {
      ...{ misplaced, nearest, wrong, tested: found.tested, count: rocks.count },
      ...{ drones: found.drones, rocks: found.rocks, steps: crowd.stats().steps },
      drawn: [droneMesh.count, rockMesh.count],
      bytes: positions.buffer.byteLength,
    }
  })
  const { drones, rocks, drawn, tested } = measured
  assert.ok(measured.steps > 0)
  assert.ok(measured.bytes > 2 ** 24, 'demo.js grows memory')
  assert.is(measured.misplaced, 0)
  assert.is(measured.wrong, 0)
  assert.equal(drawn, [drones, rocks])
  assert.ok(drones > 0 && rocks > 0 && rocks < measured.count / 4, `${drones}, ${rocks}`)
  assert.ok(Math.abs(tested - drones - rocks) <= 2, `${tested} by three.js`) // rounding
  assert.ok(measured.nearest > 0.999, String(measured.nearest))
  await frames(page, 30)
  const text = /^Drawn: [\d,]+ of 21,000 objects. Found by copse in [\d.]+ ms/
  assert.match(await page.locator('#gain').textContent(), text)
  assert.equal(errors, [])
})

examples('PixiJS lights exactly the agents in the circle', async () => {
  const { page, errors } = await visit('pixi', ['agent', 'hit'])
  const box = await page.locator('#stage').boundingBox()
  for (const part of [0.2, 0.5, 0.8]) {
    await page.mouse.move(box.x + part * box.width, box.y + part * box.height)
    await frames(page, 3)
    const { x, found, differing, isNearest } = await page.evaluate(() => {
      const { agents, lit, nearest, x, y, radius } = window.example
      const { positions, slots } = agents
      const distances = Array.from({ length: slots }, (_, id) =>
        Math.hypot(positions[2 * id] - x, positions[2 * id + 1] - y),
      )
      const found = new Set(lit)
      const isClear = (distance) => Math.abs(distance - radius) > 1e-3 // far from rounding errors
      const differing = distances.filter(
        (distance, id) => isClear(distance) && distance < radius !== found.has(id),
      )
      const isNearest = distances[nearest] <= Math.min(...distances) + 1e-3
      return { x, found: found.size, differing, isNearest }
    })
    assert.ok(Math.abs(x - part * box.width) < 1)
    assert.ok(found > 0)
    assert.equal(differing, [])
    assert.ok(isNearest)
  }
  const { x } = await page.evaluate(() => window.example)
  const pointer = page.getByRole('application', { name: 'Pointer' })
  for (let i = 0; i < 3; i++) await pointer.press('ArrowLeft')
  await frames(page)
  assert.ok((await page.evaluate(() => window.example.x)) < x, 'keys move the circle')
  assert.equal(errors, [])
})

examples('in Phaser, agents that see the player approach, and none is in a wall', async () => {
  const { page, errors } = await visit('phaser', ['agent', 'hit', 'query', 'wall'])
  const look = () =>
    page.evaluate(() => {
      const { crowd, walls, player, seeing } = window.example
      const { positions, radii } = crowd
      const positionOf = (slot) => [positions[2 * slot], positions[2 * slot + 1]]
      const slots = Array.from({ length: crowd.slots }, (_, slot) => slot)
      const others = slots.filter((slot) => slot !== player)
      const [x, y] = positionOf(player)
      const seers = others.filter((slot) => walls.visible(...positionOf(slot), x, y))
      const distances = others.map((slot) =>
        Math.hypot(positionOf(slot)[0] - x, positionOf(slot)[1] - y),
      )
      const inWalls = slots.filter(
        (slot) =>
          walls.contains(...positionOf(slot)) ||
          walls.nearestPoint(...positionOf(slot)).distance < 0.9 * radii[slot],
      )
      const mean = distances.reduce((sum, distance) => sum + distance, 0) / distances.length
      return { x, mean, inWalls, seers, seeing: [...seeing].sort((a, b) => a - b) }
    })
  const first = await look()
  assert.ok(first.seers.length > 0 && first.seers.length < 250)
  assert.equal(first.seeing, first.seers)
  assert.equal(first.inWalls, [])
  await until(
    page,
    (time) => window.example.crowd.stats().time > time,
    (await page.evaluate(() => window.example.crowd.stats().time)) + 0.4,
    { burst: 5 },
  )
  const second = await look()
  assert.is(second.x, first.x, 'the player stands still')
  assert.ok(second.mean < first.mean, `${second.mean} < ${first.mean}`)

  await page.keyboard.down('ArrowRight')
  await until(
    page,
    ({ x }) => {
      const { crowd, player } = window.example
      return crowd.positions[2 * player] > x + 20
    },
    second,
    { burst: 5 },
  )
  await page.keyboard.up('ArrowRight')
  const box = await page.locator('#stage canvas').boundingBox()
  await page.mouse.move(box.x + 5, box.y + box.height / 2)
  await page.mouse.down()
  await until(
    page,
    ({ x }) => {
      const { crowd, player } = window.example
      return crowd.positions[2 * player] < x - 20
    },
    second,
    { burst: 5 },
  )
  await page.mouse.up()
  assert.equal((await look()).inWalls, [])
  assert.equal(errors, [])
})

examples('the components of bitECS are arrays of the tree, also after it has grown', async () => {
  const { page, errors } = await visit('bitecs', ['agent', 'hit'])
  const look = () =>
    page.evaluate(() => {
      const { tree, Position, Health } = window.example
      const { x, y } = Position
      const isShared = x === tree.xs && y === tree.ys && Health.group === tree.groups
      const isOne = x.buffer === y.buffer && x.buffer === Health.group.buffer
      // A query finds a position that a system writes.
      const id = x.findIndex((coordinate) => coordinate > 0)
      const before = x[id]
      x[id] = 1e6
      tree.build()
      const found = tree.nearest(1e6, y[id])
      x[id] = before
      const { agents } = tree.stats()
      const { capacity, slots } = tree
      return { isShared: isShared && isOne, found: found === id, agents, capacity, slots }
    })
  const first = await look()
  assert.ok(first.isShared && first.found)
  assert.is(first.agents, first.slots - 1, 'ids of bitECS begin with 1')

  const box = await page.locator('#stage').boundingBox()
  for (let click = 1; click <= 6; click++)
    await page.mouse.click(box.x + (box.width * click) / 7, box.y + box.height / 2)
  await frames(page, 3)
  const grown = await look()
  assert.ok(grown.isShared && grown.found)
  assert.is(grown.agents, first.agents + 6 * 500, 'dead agents were replaced')
  assert.ok(first.capacity < grown.slots && grown.slots <= grown.capacity)
  assert.is(grown.agents, grown.slots - 1)

  const { ill, wrong } = await page.evaluate(() => {
    const { tree, Health, Illness } = window.example
    const ids = Array.from({ length: tree.slots }, (_, id) => id)
    const ill = ids.filter((id) => Health.group[id] === 2)
    return { ill: ill.length, wrong: ill.filter((id) => !(Illness.left[id] > 0)) }
  })
  assert.ok(ill > 0)
  assert.equal(wrong, [])

  const pointer = page.getByRole('application', { name: 'Pointer' })
  for (const key of ['ArrowRight', 'ArrowUp', 'Enter']) await pointer.press(key)
  await frames(page)
  assert.is((await look()).agents, grown.agents + 500, 'added by keys')
  assert.equal(errors, [])
})

examples('a world in a worker follows the pointer, as it does in the page', async () => {
  const { page, errors } = await visit('worker', ['wall', 'agent', 'hit'])
  const box = await page.locator('#stage canvas').boundingBox()
  const goals = []
  for (const part of [0.4, 0.6]) {
    if (part === 0.6) await page.locator('#in-worker').click()
    await until(page, () => window.example.world.tick > 0, null, { ms: 16 })
    await page.mouse.click(box.x + part * box.width, box.y + box.height / 2)
    const tick = await page.evaluate(() => window.example.world.tick)
    await until(page, (tick) => window.example.world.tick > tick + 10, tick)
    const { goal, positions } = await page.evaluate(() => {
      const { arrays, goal } = window.example
      return { goal, positions: [...arrays.positions] }
    })
    assert.is(positions.length, 20_000)
    assert.ok(positions.every((coordinate) => coordinate > 0 && coordinate < 200))
    assert.ok(Math.abs(goal[1] - 100) < 1, 'at the pointer')
    goals.push(goal[0])
    await frames(page, 90) // measured after some frames
  }
  assert.ok(goals[0] < goals[1])
  await page.locator('#stage canvas').press('ArrowLeft')
  assert.is((await page.evaluate(() => window.example.goal))[0], goals[1] - 4)
  const text = await page.locator('#gain').textContent()
  assert.match(text, /worker: [\d.]+ ms\nworld in the page: [\d.]+ ms\nA step takes [\d.]+ ms/)

  // The goal stays where it is: then both worlds are equal at each tick.
  const isPast = (tick) =>
    window.example.world.tick > tick && !document.querySelector('#in-worker:disabled')
  for (const ticks of [20, 200]) {
    await page.locator('#in-worker').click()
    await until(page, (ticks) => window.example.world.tick < ticks, 20)
    await until(page, isPast, ticks)
  }
  const compared = () => document.querySelector('#gain').textContent.includes('Hashes of both')
  await until(page, compared)
  assert.match(await page.locator('#gain').textContent(), 'ticks: equal ✓')
  assert.equal(errors, [])
})

examples('heroes follow their own paths, minions to a base, and none is in a wall', async () => {
  const { page, errors } = await visit('heroes', ['agent', 'hit', 'blue', 'wall'])
  const seconds = async (count) => {
    const start = await page.evaluate(() => window.example.crowd.stats().time)
    const isLater = (time) => window.example.crowd.stats().time > time
    await until(page, isLater, start + count, { ms: LONG, burst: 10 })
  }
  await seconds(10)
  const look = () =>
    page.evaluate(() => {
      const { crowd, walls, paths, bases } = window.example
      const { positions, goals, radii } = crowd
      const slots = Array.from({ length: crowd.slots }, (_, slot) => slot)
      const at = (array, slot) => [...array.subarray(2 * slot, 2 * slot + 2)]
      const centers = bases.map(([x0, y0, x1, y1]) => [(x0 + x1) / 2, (y0 + y1) / 2].join())
      return {
        inWalls: slots.filter((slot) => {
          const place = at(positions, slot)
          const { distance } = walls.nearestPoint(...place)
          return walls.contains(...place) || distance < 0.9 * radii[slot]
        }),
        lost: slots.slice(paths.length).filter((slot) => !centers.includes(at(goals, slot).join())),
        targets: new Set(slots.slice(paths.length).map((slot) => at(goals, slot).join())).size,
        blocked: paths.filter((path, slot) =>
          [at(positions, slot), ...path].some(
            (corner, i, corners) => i > 0 && !walls.visible(...corners[i - 1], ...corner),
          ),
        ),
        goals: paths.map((path) => path.at(-1).join()),
        heroes: paths.map((_, slot) => at(positions, slot)),
      }
    })
  const first = await look()
  assert.equal([first.inWalls, first.lost, first.blocked], [[], [], []])
  assert.is(first.targets, 2, 'some minions go to each base')
  assert.ok(await page.evaluate(() => window.example.arrived > 100))

  // Picks another hero, and sends it to places: the second is hidden from the first, the third is in a wall.
  const box = await page.locator('#stage').boundingBox()
  const click = async ([x, y]) => {
    const { left, top, scale } = await page.evaluate(() => window.example.view)
    await page.mouse.click(box.x + left + x * scale, box.y + top + y * scale)
    await frames(page)
  }
  // The hero that is farthest from the others.
  const gaps = first.heroes.map(([x, y], slot) =>
    Math.min(
      ...first.heroes
        .filter((_, other) => other !== slot)
        .map(([otherX, otherY]) => Math.hypot(otherX - x, otherY - y)),
    ),
  )
  const hero = gaps.indexOf(Math.max(...gaps.slice(1)))
  await click(first.heroes[hero])
  assert.is(await page.evaluate(() => window.example.picked), hero)
  for (const [place, reach] of [
    [[48, 48], 0.5],
    [[28, 48], 0.5],
    [[36, 34], 4],
  ]) {
    const isFree = ([x, y]) => {
      const { crowd, paths } = window.example // a click near a hero picks it
      const [xs, ys] = [0, 1].map((axis) =>
        paths.map((_, slot) => crowd.positions[2 * slot + axis]),
      )
      return paths.every((_, slot) => Math.hypot(xs[slot] - x, ys[slot] - y) > 4)
    }
    await until(page, isFree, place)
    await click(place)
    const goal = (await look()).goals[hero].split(',').map(Number)
    assert.ok(Math.hypot(goal[0] - place[0], goal[1] - place[1]) < reach, String(goal))
    await seconds(20)
    const { heroes, inWalls } = await look()
    const [x, y] = heroes[hero]
    assert.ok(Math.hypot(goal[0] - x, goal[1] - y) < 2, `${x}, ${y}: it waits at ${goal}`)
    assert.equal(inWalls, [])
  }
  assert.match(
    await page.locator('#gain').textContent(),
    /^The field was built once, in [\d.]+ ms\./,
  )
  assert.equal(errors, [])
})

examples('the players of a game server stay equal to it, late ones too', async () => {
  const server = await startServer()
  const query = `?port=${server.port}`
  const { page, errors } = await site.page(`examples/server/${query}`)
  await until(page, () => window.example?.clients.every((client) => client?.team >= 0))
  const players = (page) =>
    page.evaluate(() =>
      window.example.clients.map(({ team, isEqual, simulation }) => {
        return { team, isEqual, tick: simulation.tick }
      }),
    )
  const begin = await players(page)
  assert.equal(begin.map(({ team }) => team).sort(), [0, 1])

  for (const [side, canvas] of (await page.locator('figure canvas').all()).entries()) {
    const { width, height } = await canvas.boundingBox()
    await canvas.click({ position: { x: width * (0.7 - 0.4 * side), y: height / 3 } })
  }
  await until(page, () =>
    window.example.clients.every(({ simulation: { crowd } }) =>
      [0, 1].every((slot) => crowd.goals[2 * slot] > 0),
    ),
  )
  const late = await visit('server', ['red', 'blue', 'wall'], query)
  const isChecked = ([ticks, checks]) =>
    window.example.clients.every(
      (client) => client.simulation.tick >= ticks && client.checks >= checks,
    )
  await until(page, isChecked, [begin[0].tick + 100, 3], { ms: 0 })
  await until(late.page, isChecked, [0, 2], { ms: 0 })
  for (const { isEqual } of [...(await players(page)), ...(await players(late.page))])
    assert.ok(isEqual)
  await frames(page)
  const caption = page.locator('figcaption').first()
  assert.match(await caption.textContent(), /tick \d+\nhash [0-9a-f]+\n= the server’s/)
  const simulated = page.locator('#simulated')
  assert.not.ok(await simulated.isVisible())
  assert.equal([...errors, ...late.errors], [])

  assert.is(await server.stop(), 0)
  await until(page, () => document.getElementById('simulated').checkVisibility())
  assert.match(await simulated.textContent(), /node web\/examples\/server\/server\.js/)
  await startServer(server.port)
  await until(page, () => !document.getElementById('simulated').checkVisibility())
})

examples('without a server, the page of the game server is the host itself', async () => {
  const { page } = await visit('server', ['red', 'blue', 'wall'], '?port=9') // no server is there
  const isChecked = () => window.example.clients.every((client) => client?.checks >= 2)
  await until(page, isChecked, null, { ms: 0 })
  const [first, second] = await page.evaluate(() =>
    window.example.clients.map(({ team, isEqual, simulation: { crowd } }) => {
      return { team, isEqual, goals: [...crowd.goals.subarray(0, 4)] }
    }),
  )
  assert.equal([first.team, second.team], [0, 1])
  assert.ok(first.isEqual && second.isEqual)
  assert.equal(first.goals, second.goals, 'both have the orders of both')
  await frames(page)
  const caption = page.locator('figcaption').first()
  assert.match(await caption.textContent(), /tick \d+\nhash [0-9a-f]+\n= the host’s/)
})

examples.run()
