// Random arguments: what a call expects, by the names of its parameters, and what no call expects.

import { NOT_NUMBERS } from './bad-arguments.js'
import { optionsOf } from './query-options.js'

/** Thrown by hostile getters. */
export const GETTER_ERROR = new Error('thrown by an argument')

const NUMBERS = [
  ...[0, -0, 1, -1, 2, 3, 7, 24, 63, 0.5, 1.5, -2.25, 5e-324, 1e-45, 1e-30, 1e18, -1e18, 1.1e18],
  ...[1e19, 1e39, -1e39, Number.MAX_VALUE, Number.MAX_SAFE_INTEGER, Infinity, -Infinity, NaN],
  ...[2 ** 28, 2 ** 28 + 1, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 5],
]
const WORDS = ['', 'length', 'id', 'none', 'visible', 'constructor', '__proto__', '0', '5']
const TYPED = [
  ...[Uint8Array, Int8Array, Uint8ClampedArray, Uint16Array, Int32Array, Uint32Array],
  ...[Float32Array, Float64Array, BigInt64Array],
]

function detached(Type) {
  const array = new Type(4)
  structuredClone(array.buffer, { transfer: [array.buffer] })
  return array
}

/** Returns a proxy whose properties, including length, have another value on every read. */
const changing = (pick, inner) =>
  new Proxy(inner, { get: (target, key) => (typeof key === 'symbol' ? target[key] : pick()) })

/**
 * Returns functions that draw arguments.
 * @param {() => number} random
 * @param {() => object} other any object of the library
 * @param {() => void} meddle changes objects while arguments are read
 */
export function argumentsOf(random, other, meddle) {
  const integer = (count) => Math.floor(random() * count)
  const pick = (list) => list[integer(list.length)]
  const number = () => pick(NUMBERS)
  const place = () => integer(17) - 8
  const floats = (length) => Float32Array.from({ length }, place)
  const option = (value) => (random() < 0.3 ? value() : undefined)

  function options() {
    const optional = {
      mask: option(() => pick([-1, 0, 1, 2 ** 32 - 1])),
      exclude: option(() => integer(30) - 1),
      maxDistance: option(() => integer(20)),
      sort: option(() => pick(['none', 'id', 'distance'])),
      distances2: option(() => new Float32Array(40)),
      radius: option(() => integer(4)),
      side: option(() => pick(['both', 'visible'])),
      solid: option(() => pick(['inside', 'outside', 'winding', 'nowhere'])),
      bounds: option(() => [-50, -50, 50, 50]),
      results: option(() => integer(200)),
      goals: option(() => integer(80)),
    }
    return { ...optional, k: integer(11) }
  }

  /** Draws the options that a method takes; seldom others. */
  function optionsFor({ name }, method) {
    const known = optionsOf(name, method)
    const allOptions = options()
    if (!known || random() < 0.05) return allOptions
    return Object.fromEntries(
      Object.entries(allOptions).filter(([option]) => known.includes(option)),
    )
  }

  const sensor = (dimensions) => ({
    ...pick([
      { position: Array.from({ length: dimensions }, number) },
      { box: Array.from({ length: 2 * dimensions }, number) },
      { agent: integer(9) },
    ]),
    radius: integer(9),
    leave: 8 + integer(9),
  })
  const agent = (dimensions) => ({
    position: floats(dimensions),
    velocity: option(() => floats(dimensions)),
    goal: option(() => floats(dimensions)),
    maxNeighbors: option(() => integer(8)),
    radius: option(random),
    locked: option(() => random() < 0.2),
  })

  /** Returns the object, seldom with a getter that meddles. */
  function meddling(object) {
    const key = pick(['mask', 'exclude', 'distances2', 'radius', 'k', 'locked', 'solid', 'results'])
    const get = () => (meddle(), pick([undefined, 1]))
    return random() < 0.05 ? Object.defineProperty(object, key, { get }) : object
  }

  /** By name of the parameter. All others are coordinates. */
  const byName = {
    radius: () => integer(12),
    halfAngle: () => random() * 3,
    k: () => integer(12),
    slot: () => integer(pick([2, 8, 20])),
    count: () => integer(24),
    capacity: () => 1 + integer(64),
    distance: () => (random() < 0.5 ? integer(4) : meddling({ mask: pick([-1, 1, undefined]) })),
    slots: () => integer(24),
    dirX: () => 1 + integer(3),
    maxX: () => 4 + integer(9),
    maxY: () => 4 + integer(9),
    maxZ: () => 4 + integer(9),
    minX: () => integer(9) - 5,
    minY: () => integer(9) - 5,
    minZ: () => integer(9) - 5,
    obstacles: other,
    // One of the few objects that are flow fields.
    field: () => Array.from({ length: 30 }, other).find(({ _name }) => _name === 'FlowField'),
    timeStep: () => 1 / 16,
    ids: () => Uint32Array.from({ length: integer(5) }, () => integer(8)),
    positions: () => floats(16),
    work: () => 1 + integer(2000),
  }

  /** Draws a mostly right argument for a parameter of a method. */
  function expected(name, target, method) {
    const { dimensions, saved } = target
    if (name === 'out') {
      const isFloats = method === 'visibilityPolygonInto' || target.name === 'FlowField'
      const Type = random() < 0.9 !== isFloats ? Uint32Array : Float32Array
      return new Type(pick([0, 3, 40]))
    }
    if (name === 'points' || name === 'segments' || name === 'boxes')
      return floats(dimensions * pick([0, 2, 3, 3, 4, 6, 12, 200]))
    if (name === 'costs') return option(() => floats(pick([2, 3])).map(Math.abs))
    if (name === 'planes') return floats(4 * pick([0, 1, 2, 6, 6, 9]))
    if (name === 'bytes')
      return random() < 0.5 ? saved.slice() : new Uint8Array(pick([0, 64, 8192]))
    if (name === 'agent') return meddling(agent(dimensions))
    if (name === 'sensor') return meddling(sensor(dimensions))
    if (target.name === 'Sensors' && name === 'options') return meddling({ results: integer(99) })
    if (name === 'options') return meddling(optionsFor(target, method))
    return byName[name]?.() ?? place()
  }

  /** Values of any type, right for no parameter in particular. */
  const ANY = [
    number,
    number,
    () => pick(NOT_NUMBERS),
    () => pick([undefined, null, true, '', [], {}, Math.max, Symbol.iterator, 2n ** 70n]),
    () => pick(WORDS),
    other,
    () => Object.create(Object.getPrototypeOf(other())),
    () => new (pick(TYPED))(pick([0, 1, 4, 9, 40])),
    () => new (pick([Uint8Array, Uint32Array, Float32Array]))(new SharedArrayBuffer(64)),
    () => detached(pick([Uint8Array, Uint32Array, Float32Array])),
    () => Array.from({ length: integer(9) }, any),
    () => ({ length: number() }),
    () => ({ ...options(), [pick(Object.keys(options()))]: any() }),
    () => ({ ...agent(2 + integer(2)), [pick(['position', 'radius', 'goal'])]: any() }),
  ]
  /** Values that throw, change or meddle when they are read. */
  const TROUBLE = [
    () => new Proxy(other(), {}),
    () => Proxy.revocable({}, {}).proxy,
    () => changing(any, pick([[], {}, () => {}])),
    () => changing(number, [1, 2, 3, 4]),
    () => ({ valueOf: () => pick([1, NaN, 5n]), toString: () => pick(WORDS) }),
    () => ({
      get [pick(['length', 'mask', 'k', 'position', 'radius', 'sort', 'constructor'])]() {
        throw GETTER_ERROR
      },
    }),
    () => meddling(pick([options(), agent(2), agent(3)])),
    () =>
      Object.defineProperty(new (pick(TYPED))(16), 'length', {
        get: () =>
          pick([
            number(),
            {
              valueOf: () => {
                throw GETTER_ERROR
              },
            },
            '8',
          ]),
      }),
  ]
  const any = () => (random() < 0.8 ? pick(ANY) : pick(TROUBLE))()

  return { any, expected, integer, number, pick, options }
}
