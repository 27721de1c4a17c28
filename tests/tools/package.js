// Checks the package as users get it: packs it, lints the tarball and its types, installs it in an
// empty folder, and runs a program there.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { install, root, run } from '../consumers/install.js'

const USE = `
import { init, AgentTree } from 'copse'
import { init as initExternal, AgentTree as External } from 'copse/external'
import { init as initPoints, AgentTree3D, Grid3D, KdTree } from 'copse/points'
import { init as initBoxes, Octree, Quadtree } from 'copse/boxes'
import { init as initWalls, ObstacleTree } from 'copse/walls'
import { init as initCrowd, Crowd, FlowField, ObstacleTree as CrowdWalls } from 'copse/crowd'
import { init as initThreads, Grid as Threaded } from 'copse/threads'

await init()
await initExternal()
await initPoints()
await initBoxes()
await initWalls()
await initCrowd()
const { threads } = await initThreads({ threads: 2 })
if (threads.count !== 2) throw new Error(threads.reason)
for (const [tree, position] of [
  [new AgentTree(), [1, 0]],
  [new AgentTree3D(), [1, 0, 0]],
  [new External(), [1, 0]],
  [new Grid3D({ cellSize: 1 }), [1, 0, 0]],
  [new Threaded({ cellSize: 1 }), [1, 0]],
  [new KdTree({ capacity: 2 }), [1, 0]],
]) {
  tree.slots = 2
  tree.positions.set([0, 0, 0, 0, 0, 0].slice(0, position.length).concat(position))
  tree.build()
  if (tree.nearest(...position) !== 1 || tree.within(...position, 1).length !== 2) throw new Error('wrong result')
}
for (const [tree, position] of [
  [new Quadtree({ bounds: [0, 0, 9, 9] }), [1, 0]],
  [new Octree({ bounds: [0, 0, 0, 9, 9, 9] }), [1, 0, 0]],
]) {
  tree.add(...position.map(() => 0))
  tree.add(...position)
  if (tree.nearest(...position) !== 1 || tree.at(...position).length !== 1) throw new Error('wrong result')
}
const walls = new ObstacleTree()
walls.addSegment(1, -1, 1, 1)
if (walls.visible(0, 0, 2, 0) || walls.nearest(0, 0) !== 0) throw new Error('wrong result')
const crowd = new Crowd()
crowd.add({ position: [0, 0], goal: [1, 0] })
crowd.obstacles = new CrowdWalls()
for (let i = 0; i < 99; i++) crowd.step(1 / 60)
if (crowd.positions[0] !== 1) throw new Error('wrong result')
const field = new FlowField({ bounds: [0, 0, 9, 9], cell: 1 })
field.obstacles = new CrowdWalls()
field.setGoals([5, 5])
field.build()
if (field.distance(5, 1) !== 4) throw new Error('wrong result')
console.log('ok')
`

const { folder, tarball, files, size, remove } = install()
try {
  const unexpected = files
    .map(({ path }) => path)
    .filter(
      (path) =>
        !/^((dist|c|wasm)\/|(README|CHANGELOG)\.md$|LICENSE$|Makefile$|package\.json$)/.test(path),
    )
  if (unexpected.length) throw new Error(`the tarball holds ${unexpected}`)

  run('npx', ['publint', '--strict', tarball], root)
  // The .wasm files have no types to check.
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const cores = Object.keys(exports).filter((name) => name.endsWith('.wasm'))
  const untyped = ['--exclude-entrypoints', ...cores.map((name) => name.replace('./', ''))]
  run('npx', ['attw', tarball, '--profile', 'esm-only', ...untyped], root)

  writeFileSync(join(folder, 'use.js'), USE)
  if (run('node', ['use.js'], folder).trim() !== 'ok')
    throw new Error('the installed package fails')
  console.log(`installed and run: ${files.length} files, ${(size / 1000).toFixed(1)} kB packed`)
} catch (error) {
  if (error.stdout) console.error(error.stdout)
  console.error(error.message)
  process.exitCode = 1
} finally {
  remove()
}
