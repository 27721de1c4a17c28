// The rows of the benchmark: which works are measured on what data, and which libraries take part.

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createCrowd } from './crowds.js'
import { createPaths } from './paths.js'
import { createWalls } from './walls.js'
import { createAgents, createBoxes, createViews } from './workloads.js'

const FRAMES = ['frame', 'neighbors8', 'neighbors10', 'build', 'move']
const RAYS = ['raycast', 'raycastAll', 'raycastMany', 'raycastThick']
const SINGLES = ['within', 'range', 'nearest', 'nearest8', ...RAYS]
const SENSORS = ['withinMany', 'sensors']
const STILL = ['buildStill', 'nearest', 'nearest8', 'nearestMany', 'nearestMany8']
const WALLS = [
  ...['buildWalls', 'visibleFar', 'visibleNear', 'wallsWithin', 'nearestWall', 'raycastWalls'],
  ...['insideWalls', 'visibilityPolygon', 'visibilityView', 'keepVisible'],
]
const PATHS = [
  [2, 'town', 1, ['oneGoal', 'buildWays']],
  [2, 'town', 100, ['oneGoal', 'ownGoals']],
  [2, 'town', 10_000, ['oneGoal', 'ownGoals', 'directions']],
  [2, 'hedges', 100, ['oneGoal', 'buildWays']],
  [2, 'labyrinth', 100, ['oneGoal', 'buildWays']],
]
const CROWD = ['crowdStep', 'crowdNeighbors']
const BOXES = [
  ...[
    'boxFrame',
    'insertBoxes',
    'areas',
    'circles',
    'nearestBoxes',
    'boxRays',
    'moveBoxes',
    'pairs',
  ],
]

/**
 * The two forms of the benchmark. `budget`: milliseconds for each library and work. `slow`, `still`, `boxes`, `crowd`,
 * `paths`: for libraries of each pace, the maximum number of agents, points that stay, boxes, agents of a crowd, agents
 * with paths; `still.queries`: the number of queries. `plan`: rows of dimensions, spread, number of agents and works.
 * For walls the number is of edges: 4,000 are 1,000 squares. Recast's crowd takes over a kilobyte per agent.
 */
export const forms = {
  quick: {
    budget: 160,
    slow: { 'brute force': 600, objects: 10_000, arrays: 100_000 },
    still: { objects: 100_000, 'objects, slowly': 100_000, queries: 25_000 },
    boxes: { 'brute force': 1500 },
    crowd: { recast: 10_000 },
    paths: { 'a field each': 100 },
    plan: [
      [2, 'uniform', 1, ['nearest']],
      [2, 'uniform', 600, ['frame']],
      [2, 'uniform', 10_000, [...FRAMES, ...SINGLES, ...SENSORS]],
      [2, 'clusters', 10_000, ['frame']],
      [2, 'line', 10_000, ['frame']],
      [2, 'battle', 10_000, ['frame']],
      [2, 'uniform', 100_000, ['frame', 'frameCopied', 'frameWrapped', 'neighbors8']],
      [2, 'clusters', 100_000, ['frame']],
      [2, 'battle', 100_000, ['frame']],
      [2, 'uniform', 1_000_000, ['frame']],
      [2, 'renumbered', 1_000_000, ['frame']],
      [3, 'uniform', 10_000, ['frame', 'within', 'nearest']],
      [3, 'uniform', 100_000, ['frame']],
      [2, 'still', 10_000, STILL],
      [2, 'still', 100_000, STILL],
      [2, 'still', 1_000_000, ['buildStill']],
      [3, 'still', 10_000, ['buildStill']],
      [3, 'still', 100_000, STILL],
      [2, 'boxes', 1500, BOXES],
      [2, 'boxes', 10_000, ['moveBoxes', 'pairs']],
      [3, 'view', 10_000, ['frustum']],
      [3, 'view', 100_000, ['frustum']],
      [2, 'squares', 100, WALLS],
      [2, 'squares', 1000, WALLS],
      [2, 'squares', 4000, ['moveWall']],
      [2, 'squares', 10_000, WALLS],
      [2, 'maze', 10_000, WALLS],
      [2, 'polygons', 10_000, WALLS],
      [2, 'fence', 8000, ['visibilityPolygon']],
      [2, 'fence', 64_000, ['visibilityPolygon']],
      ...PATHS,
      [2, 'crush', 1000, CROWD],
      [2, 'crush', 10_000, CROWD],
      [2, 'blocks', 1000, CROWD],
      [2, 'blocks', 10_000, CROWD],
      [2, 'ring', 1000, CROWD],
      [2, 'ring', 10_000, CROWD],
      [2, 'ring', 100_000, CROWD],
      [2, 'disc200', 10_000, ['crowdStep']],
      [2, 'disc20000', 10_000, ['crowdStep']],
      [3, 'crush', 10_000, CROWD],
    ],
  },
  full: {
    budget: 500,
    slow: { 'brute force': 10_000, objects: 100_000, arrays: 1_000_000 },
    still: { objects: 1_000_000, 'objects, slowly': 100_000, queries: 100_000 },
    boxes: { 'brute force': 10_000 },
    crowd: { recast: 10_000 },
    paths: { 'a field each': 100 },
    plan: [
      [2, 'uniform', 1, ['nearest']],
      ...[2, 3].flatMap((dimensions) => [
        [dimensions, 'uniform', 600, [...FRAMES, ...SINGLES]],
        [dimensions, 'uniform', 10_000, [...FRAMES, ...SINGLES, ...SENSORS]],
        [dimensions, 'uniform', 100_000, [...FRAMES, 'frameCopied', 'frameWrapped', ...SINGLES]],
        [dimensions, 'uniform', 1_000_000, ['frame', 'neighbors8', 'build', 'move']],
        ...['clusters', 'line', 'battle'].flatMap((spread) => [
          [dimensions, spread, 600, ['frame']],
          [dimensions, spread, 10_000, [...FRAMES, ...SINGLES]],
          [dimensions, spread, 100_000, ['frame', 'neighbors8', 'move', 'within', 'nearest']],
          [dimensions, spread, 1_000_000, ['frame']],
        ]),
        [dimensions, 'renumbered', 100_000, ['frame']],
        [dimensions, 'renumbered', 1_000_000, ['frame']],
        ...[10_000, 100_000, 1_000_000].map((n) => [dimensions, 'still', n, STILL]),
      ]),
      [2, 'boxes', 1500, BOXES],
      [2, 'boxes', 10_000, BOXES],
      [2, 'boxes', 100_000, ['moveBoxes', 'pairs']],
      [3, 'view', 10_000, ['frustum']],
      [3, 'view', 100_000, ['frustum']],
      ...['squares', 'maze', 'polygons'].flatMap((spread) => [
        [2, spread, 100, WALLS],
        [2, spread, 1000, WALLS],
        [2, spread, 4000, ['moveWall']],
        [2, spread, 10_000, WALLS],
      ]),
      [2, 'fence', 8000, ['visibilityPolygon']],
      [2, 'fence', 64_000, ['visibilityPolygon']],
      ...PATHS,
      ...['crush', 'blocks', 'ring'].flatMap((spread) => [
        [2, spread, 1000, CROWD],
        [2, spread, 10_000, CROWD],
        [2, spread, 100_000, CROWD],
      ]),
      [2, 'disc200', 10_000, ['crowdStep']],
      [2, 'disc20000', 10_000, ['crowdStep']],
      [3, 'crush', 1000, CROWD],
      [3, 'crush', 10_000, CROWD],
      [3, 'crush', 100_000, CROWD],
    ],
  },
}

const LISTS = ['still', 'box', 'view', 'wall', 'path', 'crowd'].map((noun) => `${noun}peers.js`)

/**
 * Imports the lists of libraries of a checkout, each behind the interface that works use: those of another commit
 * drive copse as it was there.
 * @param {string} [root] its folder. Default: this project
 */
export async function loadPeers(root = '.') {
  const paths = ['web/peers/peers.js', ...LISTS.map((file) => `tests/bench/${file}`)]
  const urls = paths.map((path) => pathToFileURL(resolve(root, path)).href)
  return Object.assign({}, ...(await Promise.all(urls.map((url) => import(url)))))
}

/**
 * Returns, by spread: the libraries that take part, their limits, and the function that creates the data.
 * @param {any} form one of `forms`
 * @param {any} peers from `loadPeers`
 */
export function settingsOf(form, peers) {
  const { crowdPeers, pathPeers, wallPeers } = peers
  const load = peers.loadRecast
  const walls = { family: 'walls', all: wallPeers, limits: {}, create: createWalls }
  /** Without the libraries that need walls all around. */
  const fence = { ...walls, all: wallPeers.filter(({ only }) => !only) }
  const crowd = { family: 'crowd', all: crowdPeers, limits: form.crowd, create: createCrowd, load }
  const paths = { family: 'paths', all: pathPeers, limits: form.paths, create: createPaths, load }
  /** Without Recast, whose floor is built from rectangles only. */
  const disc = { ...crowd, all: crowdPeers.filter(({ pace }) => pace !== 'recast') }
  const moving = { family: 'moving', all: peers.peers, limits: form.slow, create: createAgents }
  const still = {
    family: 'still',
    all: peers.stillPeers,
    limits: form.still,
    create: (spread, n, dimensions) => createAgents(spread, n, dimensions, form.still.queries),
  }
  return {
    ...{ uniform: moving, clusters: moving, line: moving, battle: moving, renumbered: moving },
    still,
    boxes: { family: 'boxes', all: peers.boxPeers, limits: form.boxes, create: createBoxes },
    view: { family: 'view', all: peers.viewPeers, limits: {}, create: createViews },
    ...{ squares: walls, maze: walls, polygons: walls, fence },
    ...{ town: paths, hedges: paths, labyrinth: paths },
    ...{ crush: crowd, blocks: crowd, ring: crowd, disc200: disc, disc20000: disc },
  }
}

/**
 * Returns the works of a row of a plan that match all words: a work, a spread, a family, a number of agents, `2D` or
 * `3D`.
 * @param {any} settings
 */
export const chosenOf = ([dimensions, spread, n, names], settings, words) =>
  names.filter((name) =>
    words.every((word) =>
      [name, spread, settings[spread].family, `${n}`, `${dimensions}D`].includes(word),
    ),
  )
