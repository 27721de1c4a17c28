// The manual: every class, method and option of the package, with its types. The classes are in the files
// beside this one; each entry exports some or all of them.
//
// Rules for all classes:
//
// - Create an object with options, fill it, then query it. Ids are slots: indices into the object's arrays.
// - Arrays that a call returns are views of linear memory, valid until the next query on the same object,
//   unless the call says otherwise. When that memory grows, views are detached: get them again in each frame.
// - Distances are compared in float32, borders included. The same calls give the same bits everywhere.
// - A wrong argument throws a `RangeError` or `TypeError` that names it. Everything else that can go wrong throws
//   a {@link CopseError}. A call that throws has changed nothing.
// - Queries return small new views. `…Into` calls and batches make no garbage. Calls that return a copy say so.

// ---- Loading ----

/** A class of the browser or Node; `never` if the compiler does not know it. */
type Global<Name extends string> = typeof globalThis extends {
  [name in Name]: { prototype: infer Instance }
}
  ? Instance
  : never

/** A class of `WebAssembly`; another type if the compiler does not know it. */
type Wasm<Name extends string, Otherwise> = typeof globalThis extends {
  WebAssembly: { [name in Name]: { prototype: infer Instance } }
}
  ? Instance
  : Otherwise

// Typed arrays over an `ArrayBuffer`: newer compilers distinguish them from those over shared memory.
export type Bytes = ReturnType<Uint8Array['slice']>
export type Uint32s = ReturnType<Uint32Array['slice']>
export type Int32s = ReturnType<Int32Array['slice']>
export type Float32s = ReturnType<Float32Array['slice']>

/** A core: its URL, its bytes, a response with them, or a compiled module. */
export type WasmSource =
  | string
  | ArrayBuffer
  | ArrayBufferView
  | Global<'URL'>
  | Global<'Response'>
  | Promise<Global<'Response'>>
  | Wasm<'Module', never>

export interface InitOptions {
  /** The core to use. Default: the core of the entry. */
  wasm?: WasmSource
  /**
   * The initial size of linear memory, in bytes, at most 2 GiB. With enough, it never has to grow. Untouched pages
   * cost nothing. Default: 16 MiB.
   */
  memory?: number
  /**
   * 'error': memory never grows; a call that needs more throws `OUT_OF_MEMORY`, with the number of bytes.
   * Default: 'allow'.
   */
  growth?: 'allow' | 'error'
  /** Called in a microtask after memory has grown, which detached all earlier views. Default: none. */
  onGrow?: () => void
}

/** A copy of the library with its own memory and objects. Made by {@link init} and {@link create}. */
export interface Instance {
  /** Linear memory. When it grows, all views of it are detached. */
  readonly memory: Wasm<'Memory', { readonly buffer: ArrayBuffer }>
}

/**
 * Loads the core and makes the default instance, for all objects without the option `instance`. Await it once before
 * anything else. Later calls return the same promise.
 */
export function init(options?: InitOptions): Promise<Instance>

/**
 * Makes another instance, for the option `instance` of objects. Instances are isolated: a fault in one does not
 * affect the others.
 */
export function create(options?: InitOptions): Promise<Instance>

// ---- Errors ----

/** Error codes that the core returns. */
export type StateCode = 'FULL' | 'OUT_OF_MEMORY' | 'NOT_FINITE' | 'NOT_BUILT' | 'STALE_SLOT'
export type ErrorCode = StateCode | 'DISPOSED' | 'NOT_READY' | 'BAD_SNAPSHOT' | 'DEAD'

/**
 * The error of everything but wrong arguments, which throw a `RangeError` or `TypeError`.
 *
 * - `FULL`: more items than the capacity
 * - `OUT_OF_MEMORY`: linear memory can't grow
 * - `NOT_FINITE`: a coordinate is NaN, infinite or beyond ±1e18; `index` is the first such slot
 * - `NOT_BUILT`: a query of points before their first `build()`
 * - `STALE_SLOT`: the slot is not in use
 * - `DISPOSED`: the object was disposed
 * - `NOT_READY`: `init()` has not finished, or the core lacks the class
 * - `BAD_SNAPSHOT`: the bytes are not a snapshot of this kind of object
 * - `DEAD`: an earlier call trapped; create a new instance
 */
export class CopseError extends Error {
  constructor(code: ErrorCode, message: string)
  name: string
  code: ErrorCode
  /** The first bad slot of a `NOT_FINITE`; -1 for other codes. */
  index: number
}

// ---- Shapes: two numbers per point in the plane, three in space ----

/** 2: the plane. 3: space. */
export type Dimensions = 2 | 3
export type Point<D extends Dimensions> = D extends 3
  ? [x: number, y: number, z: number]
  : [x: number, y: number]
/** Two opposite corners. */
export type Box<D extends Dimensions> = D extends 3
  ? [minX: number, minY: number, minZ: number, maxX: number, maxY: number, maxZ: number]
  : [minX: number, minY: number, maxX: number, maxY: number]
/** A vector of any length but 0. */
export type Direction<D extends Dimensions> = D extends 3
  ? [dirX: number, dirY: number, dirZ: number]
  : [dirX: number, dirY: number]
/** Two points. */
export type Segment<D extends Dimensions> = D extends 3
  ? [x0: number, y0: number, z0: number, x1: number, y1: number, z1: number]
  : [x0: number, y0: number, x1: number, y1: number]

// ---- Options of queries ----

/** Which items a query finds. */
export interface SelectOptions {
  /** 32 bits: finds only items whose `groups` share a bit with it. Default: all bits. */
  mask?: number
  /** The slot of an item to skip, such as the agent that asks. Default: none. */
  exclude?: number
}

export interface QueryOptions extends SelectOptions {
  /**
   * The order of ids. 'none': the order of the tree. 'id': ascending. 'distance': nearest first, ties by lower id.
   * Default: 'none'.
   */
  sort?: 'none' | 'id' | 'distance'
}

/** As `QueryOptions`, but a box has no center for distances. */
export interface RangeOptions extends SelectOptions {
  /** The order of ids. 'none': the order of the tree. 'id': ascending. Default: 'none'. */
  sort?: 'none' | 'id'
}

export interface IntoOptions {
  /** Receives the squared distances. At least as long as `out`. Default: none. */
  distances2?: Float32Array
}

export interface NearestOptions extends SelectOptions {
  /** Ignores items that are farther away. Inclusive. Default: Infinity. */
  maxDistance?: number
}

export interface BatchOptions {
  /** 32 bits: finds only agents whose `groups` share a bit with it. Default: all bits. */
  mask?: number
}

export interface AllNeighborsOptions {
  /** The maximum number of neighbors per row. */
  k: number
  /** Ignores agents that are farther away. Inclusive. Default: Infinity. */
  maxDistance?: number
  /** 32 bits: finds only agents whose `groups` share a bit with it. Default: all bits. */
  mask?: number
}

export interface RayOptions extends SelectOptions {
  /** The radius of all agents. Default: each agent's own, from `radii`. */
  radius?: number
}

// ---- Results: each call of a method returns the same object ----

/** The first item that a ray hits. */
export interface Hit {
  id: number
  /** How far along the segment the hit is: 0 at its start, 1 at its end. */
  fraction: number
  /** The point of the hit. */
  x: number
  y: number
}
export interface Hit3D extends Hit {
  z: number
}

/** The first item that each of many rays hits. Index i belongs to segment i. */
export interface Hits {
  /** -1 if the segment hits nothing. */
  ids: Int32s
  /** How far along the segment the hit is; 1 if it hits nothing. */
  fractions: Float32s
}

/** Rows of ids, one per slot or point: row i is `ids[offsets[i]]` to `ids[offsets[i] + counts[i] - 1]`. */
export interface Rows {
  offsets: Uint32s
  counts: Uint32s
  ids: Uint32s
  /** The number of ids in all rows. */
  total: number
}

/**
 * Rows of at most k ids, one per slot or point, nearest first, ties by lower id. Row i begins at `i * k` and holds
 * `counts[i]` ids.
 */
export interface NeighborRows {
  counts: Uint32s
  ids: Uint32s
  /** Squared distances. */
  distances2: Float32s
}

// ---- Members of all objects ----

/** The method that `using` calls, if the compiler knows its name. */
type Disposed = {
  [
    key in SymbolConstructor extends { readonly dispose: infer Key } ? Key & symbol : never
  ]: () => void
}

declare abstract class CoreObject {
  /** The maximum number of items. */
  get capacity(): number
  /**
   * Grows to at least this capacity, up to 2 ** 28. Keeps everything but the results of queries. Views taken before
   * are void.
   */
  reserve(capacity: number): void

  /** The number of items. */
  get count(): number
  /** The bound of a loop over the arrays: all slots that were ever in use are below it. */
  get slots(): number
  /**
   * The generation of each slot: odd while the slot is in use, and incremented whenever it is taken or freed.
   * Read-only.
   */
  get generations(): Uint32s
  /** True if the slot is in use. */
  has(slot: number): boolean
  /** Removes an item, and frees its slot. `STALE_SLOT`: the slot is not in use. */
  remove(slot: number): void
  /** Removes all items. */
  clear(): void

  /** Returns a snapshot, a copy. The library keeps a buffer of its size for the next one. */
  save(): Bytes
  /** Writes a snapshot to the start of `bytes`. Returns its size in bytes. */
  saveInto(bytes: Uint8Array): number
  /**
   * Restores the state of a snapshot. Everything then goes on bit for bit as it did after `save`. All options but
   * capacity and layout must equal those of the saved object. Untrusted bytes are safe: on `BAD_SNAPSHOT` and `FULL`
   * nothing has changed.
   */
  restore(bytes: Uint8Array): void
  /** Frees the object's memory. Another call does nothing; any other use throws `DISPOSED`. */
  dispose(): void
}
interface CoreObject extends Disposed {}

/** Queries that points and boxes share. */
interface Queries<D extends Dimensions> {
  /**
   * Returns the ids within a radius: of points, or of boxes that meet the circle or sphere. A radius of 0 finds what
   * is exactly at the center; Infinity finds everything.
   */
  within(...query: [...center: Point<D>, radius: number, options?: QueryOptions]): Uint32s
  /** As `within`, but writes the ids to `out`, the first in the order of `sort` if not all fit. Returns the total. */
  withinInto(
    ...query: [
      ...center: Point<D>,
      radius: number,
      out: Uint32Array,
      options?: QueryOptions & IntoOptions,
    ]
  ): number
  /** Returns the number of items within a radius. Faster than `within`. */
  countWithin(...query: [...center: Point<D>, radius: number, options?: SelectOptions]): number
  /** True if any item is within a radius. Stops at the first one. */
  anyWithin(...query: [...center: Point<D>, radius: number, options?: SelectOptions]): boolean
  /**
   * Returns the ids in a closed box: of points inside, or of boxes that meet it. Its corners may be in any order, and
   * infinite.
   */
  range(...query: [...box: Box<D>, options?: RangeOptions]): Uint32s
  /** As `range`, but writes the ids that fit to `out`. Returns the total. */
  rangeInto(...query: [...box: Box<D>, out: Uint32Array, options?: RangeOptions]): number
  /** Returns the number of items that `range` finds. */
  countRange(...query: [...box: Box<D>, options?: SelectOptions]): number
  /** Returns the nearest id, ties by lower id; -1 if there is none. The distance to a box around the point is 0. */
  nearest(...query: [...point: Point<D>, options?: NearestOptions]): number
  /** Returns the k nearest ids, nearest first, ties by lower id. */
  neighbors(...query: [...point: Point<D>, k: number, options?: NearestOptions]): Uint32s
  /** As `neighbors`, but writes the ids that fit to `out`. Returns the total, at most k. */
  neighborsInto(
    ...query: [
      ...point: Point<D>,
      k: number,
      out: Uint32Array,
      options?: NearestOptions & IntoOptions,
    ]
  ): number
  /**
   * Returns the cells, to draw: for each cell, in preorder, its box (minX, minY, (minZ,) maxX, maxY, (maxZ)), its
   * depth and its number of items. A copy.
   */
  cells(): Float32s
  /** True if the inner structure is valid, for tests. O(N log N). */
  validate(): boolean
}

// ---- Points ----

/** Options of every index of points. */
export interface IndexOptions {
  /** The maximum number of agents, 1 to 2 ** 28. Default: 1,000. */
  capacity?: number
  /** 'interleaved': `positions` (x0, y0, x1, y1, …). 'separate': `xs`, `ys`, `zs`. Default: 'interleaved'. */
  layout?: 'interleaved' | 'separate'
  /**
   * What `build()` does with positions that are NaN, infinite or beyond ±1e18. 'error': throws `NOT_FINITE`.
   * 'skip': leaves these agents out of every result. Default: 'error'.
   */
  onNonFinite?: 'error' | 'skip'
  /** The instance that owns the object. Default: the instance of `init()`. */
  instance?: Instance
}

/** Room for batches to take in advance. Without it, batches take room when they need it. */
export interface RoomOptions {
  /** The number of ids in all rows or pairs of a batch. Default: 0. */
  results?: number
  /** The number of neighbors per agent. Default: 0. */
  k?: number
}

export interface Stats {
  /** Agents in the last build. */
  agents: number
  /** Agents left out of the last build because their positions are not finite. */
  skipped: number
  /** Nodes of the tree; entries of a grid's table. */
  nodes: number
  /** Leaves of the tree; entries of a grid's table that hold agents. */
  leaves: number
  /** The depth of the deepest leaf. The root has depth 0. */
  depth: number
  /** Memory of the whole object. */
  bytes: number
  /** Nodes that the last query of this object visited. */
  visits: number
}

declare abstract class Points<D extends Dimensions> extends CoreObject {
  /**
   * The bound of a loop over the arrays: the slots of all agents are below it. Setting it to n makes slots 0 to n - 1
   * agents, and frees all others. New agents have group 1, and the positions that their slots hold.
   */
  get slots(): number
  set slots(slots: number)
  /** Adds an agent, with group 1. Returns its slot, the lowest free one. `FULL`: no slot is free. */
  add(...position: Point<D>): number
  /** Writes the position of an agent. `STALE_SLOT`: the slot is not in use. */
  move(...agent: [slot: number, ...position: Point<D>]): void
  /**
   * Grows to at least this capacity, up to 2 ** 28, and takes room for batches. Keeps everything but the results of
   * queries. Views taken before are void.
   */
  reserve(capacity: number, options?: RoomOptions): void

  // Arrays by slot, for the whole capacity. Queries use the state of the last build.

  /**
   * The positions of the agents, to write: x0, y0, (z0,) x1, y1, …. Get it again after an object was created or
   * reserved.
   */
  get positions(): Float32s
  /** The x of each agent, with `layout: 'separate'`. */
  get xs(): Float32s
  /** The y of each agent, with `layout: 'separate'`. */
  get ys(): Float32s
  /** The z of each agent, with `layout: 'separate'`. Undefined in the plane. */
  get zs(): D extends 3 ? Float32s : undefined
  /**
   * The groups of each agent, 32 bits. From the next build on, an agent without a group is absent from every result.
   * Free slots have no group.
   */
  get groups(): Uint32s
  /**
   * The groups that each agent looks for in `allWithin` and `allNeighbors`, 32 bits. Default: all bits. Changes take
   * effect at once.
   */
  get masks(): Uint32s
  /**
   * The radius of each agent, for `raycast`, `raycastMany` and `pairs`. Default: 0. Changes take effect with the next
   * `build()`, which throws a `RangeError` if a radius is NaN or negative.
   */
  get radii(): Float32s
  /**
   * Builds the index from the arrays, in O(N log N), without allocation. Before the first build, queries throw
   * `NOT_BUILT`. After `NOT_FINITE` the last build stays.
   */
  build(): void

  /**
   * Returns the ids in a field of view: within the radius, and at most `halfAngle` off the direction. `halfAngle` is
   * 0 to Math.PI radians.
   */
  cone(
    ...query: [
      ...apex: Point<D>,
      ...direction: Direction<D>,
      halfAngle: number,
      radius: number,
      options?: QueryOptions,
    ]
  ): Uint32s
  /** As `cone`, but writes the ids that fit to `out`. Returns the total. */
  coneInto(
    ...query: [
      ...apex: Point<D>,
      ...direction: Direction<D>,
      halfAngle: number,
      radius: number,
      out: Uint32Array,
      options?: QueryOptions & IntoOptions,
    ]
  ): number
  /**
   * Returns the first agent that a segment hits, ties by lower id; null if there is none. Agents are circles or
   * spheres, with the option `radius` or their own `radii`. If the segment begins inside an agent, the fraction is 0.
   */
  raycast(
    ...query: [...segment: Segment<D>, options?: RayOptions]
  ): (D extends 3 ? Hit3D : Hit) | null

  // Batches: many queries in one call. Their room grows on demand and is kept: memory grows only for a batch that
  // finds more than any batch before.

  /**
   * Returns each agent's neighbors within a radius. Row i belongs to slot i, and leaves out i itself. Agents near
   * each other have rows near each other. Valid until the next `allWithin`, `withinMany` or `pairs`.
   */
  allWithin(radius: number, options?: BatchOptions): Rows
  /** Returns the agents within a radius of each point. `points`: x, y, (z,) x, y, …. */
  withinMany(points: Float32Array, radius: number, options?: SelectOptions): Rows
  /**
   * Returns the k nearest neighbors of each agent. Row i belongs to slot i, and leaves out i itself. Valid until the
   * next `allNeighbors` or `nearestMany`: the rows can serve as a cache of distances.
   */
  allNeighbors(options: AllNeighborsOptions): NeighborRows
  /** Returns the k nearest agents of each point. `points`: x, y, (z,) x, y, …. */
  nearestMany(
    points: Float32Array,
    options: AllNeighborsOptions & { exclude?: number },
  ): NeighborRows
  /** Returns the first agent that each segment hits. `segments`: x0, y0, (z0,) x1, y1, (z1,) x0, …. */
  raycastMany(segments: Float32Array, options?: RayOptions): Hits
  /**
   * Returns the pairs of agents whose circles or spheres touch, by their `radii`. Each pair comes once: a, b, a, b, …
   * with a < b. Both agents must match the mask. Valid until the next `pairs`, `allWithin` or `withinMany`.
   */
  pairs(options?: BatchOptions): Uint32s
  /** Returns the pairs of agents within a distance of each other, inclusive, in the same form. */
  pairs(distance: number, options?: BatchOptions): Uint32s
  /** As `pairs`, but writes the whole pairs that fit to `out`. Returns the number of all pairs. */
  pairsInto(out: Uint32Array, options?: BatchOptions): number
  /** As `pairs` within a distance, but writes the whole pairs that fit to `out`. Returns the number of all pairs. */
  pairsInto(distance: number, out: Uint32Array, options?: BatchOptions): number

  /**
   * Returns a copy of the slots of the last build in the order of the tree. Agents that are close in space are mostly
   * close in this order: a game that renumbers its agents by it now and then has fewer cache misses.
   */
  order(): Uint32s
  /** Returns figures of the last build and the last query. Always the same object. */
  stats(): Stats
}
interface Points<D extends Dimensions> extends Queries<D> {}

export interface TreeOptions {
  /**
   * The maximum number of agents in a leaf, unless agents coincide. At least 1; the capacity makes a single leaf:
   * brute force. Default: 64, measured to be the fastest.
   */
  leafSize?: number
  /**
   * The axis along which a node is split. 'longest': that of the longest side of its bounds. 'cycle': x, y, (z,) x,
   * … by depth, the textbook form, which is unbalanced with midpoints. Default: 'longest'.
   */
  axis?: 'longest' | 'cycle'
  /**
   * Where a node is split. 'midpoint': in the middle, the fastest to build. 'median': at the median agent, for exact
   * balance. Default: 'midpoint'.
   */
  split?: 'midpoint' | 'median'
}
export type AgentTreeOptions = IndexOptions & TreeOptions

/**
 * A tree of many points that all move: write `positions`, `build()` every frame, then query. If in doubt, use this
 * one.
 *
 * A bucketed k-d tree after Bentley (1975) and Friedman, Bentley, Finkel (1977).
 */
export class AgentTree extends Points<2> {
  constructor(options?: AgentTreeOptions)
}
/** As `AgentTree`, in three dimensions. */
export class AgentTree3D extends Points<3> {
  constructor(options?: AgentTreeOptions)
}

export interface CellOptions {
  /** The width of a cell, > 0, in world units. Best: the usual radius of queries. */
  cellSize: number
}
export type GridOptions = IndexOptions & CellOptions

/**
 * A uniform grid of many points that all move: write `positions`, `build()` every frame, then query.
 *
 * The fastest index for one radius over evenly spread points, with cells as wide as that radius. `AgentTree` is
 * faster where points crowd together, and for radii that differ much from the cell size.
 */
export class Grid extends Points<2> {
  constructor(options: GridOptions)
}
/** As `Grid`, in three dimensions. */
export class Grid3D extends Points<3> {
  constructor(options: GridOptions)
}

export interface BuilderOptions {
  /**
   * How medians are found; the tree is always the same. 'quickselect': by sampling, the fastest.
   * 'median-of-medians': in linear time, whatever the points are. 'presort': by sorting once per axis, which takes
   * more memory. Default: 'quickselect'.
   */
  builder?: 'quickselect' | 'median-of-medians' | 'presort'
}
export type KdTreeOptions = IndexOptions & BuilderOptions

/**
 * A balanced tree of points that seldom move: spawn points, resources, way points. Write `positions`, `build()`
 * after changes, then query.
 *
 * The k-d tree of Bentley (1975), with one point per node and no links. It takes the least memory, and no set of
 * points makes it deep. Its `cells()` are the dividing lines: boxes without width on their axis.
 */
export class KdTree extends Points<2> {
  constructor(options?: KdTreeOptions)
  /**
   * Returns a tree restored from the bytes of `save()`, which may be untrusted. Default capacity: as much as the
   * snapshot needs. `BAD_SNAPSHOT`: the bytes are not a snapshot of this class.
   */
  static from(bytes: Uint8Array, options?: KdTreeOptions): KdTree
}
/** As `KdTree`, in three dimensions. */
export class KdTree3D extends Points<3> {
  constructor(options?: KdTreeOptions)
  /** As `KdTree.from`, in three dimensions. */
  static from(bytes: Uint8Array, options?: KdTreeOptions): KdTree3D
}

// ---- Boxes ----

export interface OctreeOptions {
  /** The world: [minX, minY, (minZ,) maxX, maxY, (maxZ)]. Items outside of it are kept and found too. */
  bounds: readonly number[]
  /** The maximum number of items, 1 to 2 ** 28. Default: 1,000. */
  capacity?: number
  /** The maximum number of items in an undivided cell. 0: cells are divided down to `maxDepth`. Default: 24. */
  leafSize?: number
  /** The maximum depth of cells, 0 (a single list) to 24. Default: 8. */
  maxDepth?: number
  /**
   * A cell takes items as if it were this many times larger, 1 to 16. Above 1, small items on a line between cells
   * need not stay in the large cell around them. Default: 1.
   */
  looseness?: number
  /** The instance that owns the object. Default: the instance of `init()`. */
  instance?: Instance
}

/** The first box that a ray hits, and where it enters. */
export interface BoxHit extends Hit {
  /** The normal of the side that the ray hits: one coordinate is 1 or -1. All are 0 if the ray begins inside. */
  normalX: number
  normalY: number
}
export interface BoxHit3D extends BoxHit {
  z: number
  normalZ: number
}

export interface OctreeStats {
  items: number
  /** All cells. */
  nodes: number
  /** Cells that are not divided. */
  leaves: number
  /** The depth of the deepest cell. The root has depth 0. */
  depth: number
  /** By depth, the number of items that its cells hold themselves. */
  perDepth: number[]
  /** Items in divided cells, because they lie on a line between smaller ones. */
  straddlers: number
  /** Items that are not wholly inside the world. */
  outside: number
  /** Cells that should be divided, but there was no room for more cells. */
  unsplit: number
  /** Items that changed their cell, and cells that were divided or merged, since the last `stats()`. */
  changes: number
  /** Memory of the whole object. */
  bytes: number
  /** Cells that the last query of this object visited. */
  visits: number
}

declare abstract class Boxes<D extends Dimensions> extends CoreObject {
  /**
   * The box of each slot, for the whole capacity: minX, minY, (minZ,) maxX, maxY, (maxZ). `add` and `move` write it.
   * Changes by the game take effect with the next `moveAll()`.
   */
  get boxes(): Float32s
  /**
   * The groups of each slot, 32 bits. Default: 1. An item without a group is absent from every result. Changes take
   * effect at once.
   */
  get groups(): Uint32s

  /** Adds a point. Returns its slot, the lowest free one. `FULL`: no slot is free. */
  add(...point: Point<D>): number
  /** Adds a box. Returns its slot, the lowest free one. `FULL`: no slot is free. */
  add(...box: Box<D>): number
  /** Adds a point at a free slot of your choice. */
  addAt(...item: [slot: number, ...point: Point<D>]): void
  /** Adds a box at a free slot of your choice. */
  addAt(...item: [slot: number, ...box: Box<D>]): void
  /** Moves an item, and makes it a point. O(1) if it stays in its cell. `STALE_SLOT`: the slot is not in use. */
  move(...item: [slot: number, ...point: Point<D>]): void
  /** Moves or resizes an item. O(1) if it stays in its cell. `STALE_SLOT`: the slot is not in use. */
  move(...item: [slot: number, ...box: Box<D>]): void
  /**
   * Moves every item to its box in `boxes`: one by one or, if many left their cells, by building the tree again.
   * Throws, and changes nothing, if a box is not finite or has min > max.
   */
  moveAll(): void
  /**
   * Replaces all items by slots 0 to count - 1, with their boxes in `boxes`. Much faster than adding one by one.
   * Throws, and changes nothing, if a box is not finite or has min > max.
   */
  load(count: number): void

  /** Returns the ids of all boxes around a point, borders included. */
  at(...query: [...point: Point<D>, options?: RangeOptions]): Uint32s
  /** As `at`, but writes the ids that fit to `out`. Returns the total. */
  atInto(...query: [...point: Point<D>, out: Uint32Array, options?: RangeOptions]): number
  /** Returns the first box or point that a segment hits, ties by lower id; null if there is none. */
  raycast(
    ...query: [...segment: Segment<D>, options?: SelectOptions]
  ): (D extends 3 ? BoxHit3D : BoxHit) | null
  /**
   * Returns the pairs of items that meet. Each pair comes once: a, b, a, b, … with a < b. Both items must match the
   * mask. Valid until the next `pairs` or `pairsInto`.
   */
  pairs(options?: BatchOptions): Uint32s
  /** As `pairs`, but writes the whole pairs that fit to `out`. Returns the number of all pairs. */
  pairsInto(out: Uint32Array, options?: BatchOptions): number

  /** Returns figures of the tree and the last query. Always the same object. */
  stats(): OctreeStats
}
interface Boxes<D extends Dimensions> extends Queries<D> {}

/**
 * Boxes and points that come, go and move one at a time: colliders, zones, pickups. `add` returns a slot, which is the
 * id of the item. Queries always find the present state.
 *
 * The quadtree of Finkel and Bentley (1974), optionally loose. It needs no build and no clean-up: cells are divided
 * and merged as items come, go and move.
 */
export class Quadtree extends Boxes<2> {
  constructor(options: OctreeOptions)
}
/** As `Quadtree`, in three dimensions. */
export class Octree extends Boxes<3> {
  constructor(options: OctreeOptions)
}

// ---- Walls ----

export interface ObstacleOptions {
  /** The maximum number of vertices, 1 to 2 ** 28. Default: 1,000. */
  capacity?: number
  /**
   * The maximum number of pieces that the tree cuts edges into; at least the capacity. If there are too few, queries
   * are slower, but just as exact. Default: twice the capacity.
   */
  pieces?: number
  /** The maximum number of pieces in an undivided cell, at least 1. Default: 32, measured to be the fastest. */
  leafSize?: number
  /** The instance that owns the object. Default: the instance of `init()`. */
  instance?: Instance
}

export interface PolygonOptions {
  /**
   * Which side of the edges is solid. 'inside': the inside, in either winding order. 'outside': the outside, for the
   * border of a level. 'winding': the inside of counter-clockwise vertices (y up), the outside of clockwise ones.
   * 'nowhere': none; edges are visible from both sides. 'inside' and 'outside' need a polygon with an area.
   * Default: 'inside'.
   */
  solid?: 'inside' | 'outside' | 'winding' | 'nowhere'
}

export interface SideOptions {
  /**
   * Which edges the query finds. 'both': all. 'visible': only edges whose free side faces the query's point; both
   * sides of a thin wall are free. Default: 'both'.
   */
  side?: 'both' | 'visible'
}

/** The box that a visibility polygon is clipped to: the intersection of `bounds` and the square of `maxDistance`. */
export interface VisibilityOptions {
  /** Half the width of a square around the point. Default: a little beyond all walls. */
  maxDistance?: number
  /** minX, minY, maxX, maxY, with the point strictly inside. Default: a little beyond all walls and the point. */
  bounds?: ArrayLike<number>
}

/** The nearest point on a wall. */
export interface NearestPoint {
  /** The id of its edge. */
  id: number
  x: number
  y: number
  distance: number
}

/** The first edge that a ray meets. */
export interface WallHit extends Hit {
  /** The unit normal of the edge, toward the start of the ray. */
  normalX: number
  normalY: number
}

export interface ObstacleStats {
  /** Edges in the tree. */
  edges: number
  /** Edges left out of the tree because they have no length. */
  dropped: number
  /** Pieces that edges are cut into: at least one per edge. */
  pieces: number
  /** Lines and cells. */
  nodes: number
  /** Cells. */
  leaves: number
  /** Cells with more than `leafSize` pieces: no line divides them well, or there is no room for more pieces. */
  unsplit: number
  /** The depth of the deepest cell. The root has depth 0. */
  depth: number
  polygons: number
  /** Memory of the whole object. */
  bytes: number
  /** Nodes that the last query of this object visited. */
  visits: number
}

/**
 * Walls of a level, in the plane: what is near, what is in the way, what is visible. Walls are the edges of polygons.
 * An edge has the id of the first of its two vertices. A polygon has the slot of its first vertex.
 *
 * A polygon is solid inside, outside or nowhere: an option of `addPolygon` that stays when the polygon moves. Edges
 * are visible from their free side. Segments are thin walls, visible from both sides. Polygons may touch, overlap and
 * cross.
 *
 * A binary space partition after Fuchs, Kedem and Naylor (1980). The first query after polygons were added, removed or
 * moved builds the tree. Queries are exact, whatever the tree.
 */
export class ObstacleTree extends CoreObject {
  constructor(options?: ObstacleOptions)

  /** The number of polygons, segments included. */
  get count(): number
  /**
   * The x and y of each vertex, for the whole capacity. `addPolygon`, `addSegment` and `move` write it. Changes by the
   * game take effect with the next `build()`.
   */
  get vertices(): Float32s
  /** By vertex, the next vertex: the other end of its edge. Read-only. */
  get next(): Uint32s
  /** By vertex, the slot of its polygon. Read-only. */
  get polygons(): Uint32s
  /** True if the slot is that of a polygon. */
  has(slot: number): boolean
  /**
   * Returns the direction of a polygon's edges: 1 counter-clockwise (y up), solid inside; -1 clockwise, solid outside;
   * 0 if it has no area. `STALE_SLOT`: no polygon has this slot.
   */
  winding(slot: number): number

  /**
   * Adds a closed polygon: x0, y0, x1, y1, …. Returns its slot, which is the id of its first vertex and edge. The ids
   * of the others follow, unless there were removals. Two vertices have no area: use `addSegment`. `FULL`: more
   * vertices than there is room for.
   */
  addPolygon(points: ArrayLike<number>, options?: PolygonOptions): number
  /**
   * Adds a thin wall: a polygon of two vertices, with an edge for each side. Returns its slot, which is the id of its
   * first edge. The second edge goes back.
   */
  addSegment(...segment: Segment<2>): number
  /**
   * Moves a polygon, such as a door or a platform: one point for each of its vertices. Its solid side stays, even if
   * the winding order changes. `STALE_SLOT`: no polygon has this slot.
   */
  move(slot: number, points: ArrayLike<number>): void
  /**
   * Builds the tree from `vertices`, usually in O(N log N). Needed only after the game wrote to them: after other
   * changes the next query builds. The solid sides of polygons stay. After `NOT_FINITE` the last build stays.
   */
  build(): void

  /** Returns the ids of the edges within a radius, nearest first, ties by lower id. */
  within(...query: [...center: Point<2>, radius: number, options?: SideOptions]): Uint32s
  /** As `within`, but writes the ids that fit to `out`. Returns the total. */
  withinInto(
    ...query: [
      ...center: Point<2>,
      radius: number,
      out: Uint32Array,
      options?: SideOptions & IntoOptions,
    ]
  ): number
  /**
   * Returns the id of the nearest edge, ties by lower id; -1 if there is none. Ignores edges farther away than
   * `maxDistance`. Inclusive. Default: Infinity.
   */
  nearest(...query: [...point: Point<2>, options?: SideOptions & { maxDistance?: number }]): number
  /** Returns the nearest point on the nearest edge; null if there is none. */
  nearestPoint(
    ...query: [...point: Point<2>, options?: SideOptions & { maxDistance?: number }]
  ): NearestPoint | null
  /**
   * True if the way between two points is free: no edge meets the segment or, with a radius, comes as near as that
   * (default: 0). The same in both directions. Nothing is visible from a point on a wall.
   */
  visible(...query: [...segment: Segment<2>, options?: { radius?: number }]): boolean
  /** Returns the first edge that a segment meets, ties by lower id; null if there is none. */
  raycast(...query: [...segment: Segment<2>, options?: SideOptions]): WallHit | null
  /** Returns the first edge that each segment meets. `segments`: x0, y0, x1, y1, x0, …. */
  raycastMany(segments: Float32Array, options?: SideOptions): Hits
  /**
   * True if a point is inside something solid, or on its border. Where polygons overlap, they are
   * added up: around the point, each that is solid inside counts 1, each that is solid outside -1, and 1 is added if
   * the tree has any of the latter. A positive sum is solid. Thin and two-sided walls are not.
   */
  contains(...point: Point<2>): boolean
  /**
   * Returns what is visible from a point, for light, fog of war or a guard's sight: the corners of a polygon,
   * counter-clockwise (y up): x, y, x, y, …. Empty if the point is on a wall.
   */
  visibilityPolygon(...query: [...point: Point<2>, options?: VisibilityOptions]): Float32s
  /** As `visibilityPolygon`, but writes the whole corners that fit to `out`. Returns the number of all corners. */
  visibilityPolygonInto(
    ...query: [...point: Point<2>, out: Float32Array, options?: VisibilityOptions]
  ): number
  /**
   * Returns the ids of the agents that are visible from a point, out of ids that another index found, say, in the
   * same order. `positions`: x0, y0, x1, y1, …, by id. Agents with positions that are not finite are not visible.
   * Valid until the next call of `keepVisible`.
   */
  keepVisible(
    ...query: [...point: Point<2>, ids: ArrayLike<number>, positions: ArrayLike<number>]
  ): Uint32s
  /** As `keepVisible`, but writes the ids that fit to `out`, which may be `ids`. Returns the total. */
  keepVisibleInto(
    ...query: [
      ...point: Point<2>,
      ids: ArrayLike<number>,
      positions: ArrayLike<number>,
      out: Uint32Array,
    ]
  ): number

  /**
   * Returns the cells, to draw: for each cell, in preorder, its box (minX, minY, maxX, maxY), its depth and its number
   * of pieces. A copy.
   */
  cells(): Float32s
  /** Returns the dividing lines, to draw: in preorder, cut to their cells: x0, y0, x1, y1, depth. A copy. */
  lines(): Float32s
  /** True if the inner structure is valid, for tests. O(N log N). */
  validate(): boolean
  /** Returns figures of the tree and the last query. Always the same object. */
  stats(): ObstacleStats
}

// ---- Crowds ----

/** Numbers of an agent. As options of a crowd they are the defaults of its agents. */
export interface AgentNumbers {
  /** The speed at which it heads for its goal, in world units per second. Default: 1. */
  preferredSpeed?: number
  /** World units. Default: 0.5. */
  radius?: number
  /** World units per second. Default: 2. */
  maxSpeed?: number
  /** Ignores neighbors whose centers are farther away. Inclusive. May be Infinity. Default: 10. */
  neighborDistance?: number
  /**
   * The maximum number of neighbors that it avoids, the nearest ones: 0 to 64. The option of the crowd is also the
   * maximum for its agents. Default: 10.
   */
  maxNeighbors?: number
  /** How many seconds ahead the velocity must stay free of collisions with neighbors, > 0. Default: 2. */
  timeHorizon?: number
  /** How many seconds ahead the velocity must stay free of collisions with walls, > 0. Default: 2. */
  timeHorizonObstacles?: number
  /** The maximum change of the velocity per second. May be Infinity. Default: Infinity. */
  maxAcceleration?: number
  /**
   * The agent with the higher priority yields less. An agent's share of the avoidance is
   * `other.priority / (own.priority + other.priority)`, or one half if both are 0. Default: 0.
   */
  priority?: number
  /** 32 bits. An agent without a group avoids no other agent, and is not avoided. Default: 1. */
  groups?: number
  /**
   * The groups of the agents that it avoids. If the other agent does not avoid it in turn, it does all of the
   * avoiding. Default: all bits.
   */
  mask?: number
  /** False: takes no part in anything. Default: true. */
  enabled?: boolean
  /**
   * True: other agents avoid it, and only the game moves it. The game writes its position, and its velocity, so that
   * others look ahead. Default: false.
   */
  locked?: boolean
}

export interface CrowdOwnOptions {
  /** The maximum number of agents, 1 to 2 ** 28. Default: 1,000. */
  capacity?: number
  /** The duration of a step, in seconds, > 0. Default: 1/60. */
  timeStep?: number
  /**
   * True: the published algorithm alone. Agents don't turn aside to break symmetry, rest at their goals, or come out
   * of walls. Default: false.
   */
  exact?: boolean
  /** The instance that owns the object. Default: the instance of `init()`. */
  instance?: Instance
}
export type CrowdOptions = AgentNumbers & CrowdOwnOptions

/** Vectors of an agent: [x, y] or, in space, [x, y, z]. */
export interface AgentVectors {
  position: ArrayLike<number>
  /** Default: 0. */
  velocity?: ArrayLike<number>
  /** The velocity that an agent without a goal would have if it were alone. Default: 0. */
  preferredVelocity?: ArrayLike<number>
  /** Where the agent goes, at `preferredSpeed`, and stops. Default: null, no goal. */
  goal?: ArrayLike<number> | null
}
export type AgentOptions = AgentVectors & AgentNumbers

/** What an agent takes into account. */
export interface CrowdView {
  /** Slots of neighbors, nearest first. */
  neighbors: Uint32s
  /** Ids of edges of the obstacles, nearest first. */
  walls: Uint32s
  /**
   * Constraints on the velocity, those of walls first. In the plane: x, y, directionX, directionY. Velocities left
   * (y up) of the line through that point in that direction are permitted. In space: a point and a unit normal.
   * Velocities on the normal's side of the plane are permitted.
   */
  constraints: Float32s
  /** The number of constraints of walls. */
  wallConstraints: number
}

export interface CrowdStats {
  agents: number
  /** Agents for which no velocity was permitted in the last step. */
  infeasible: number
  /** Agents that touched or overlapped a neighbor at the start of the last step. */
  overlaps: number
  /** The average number of neighbors that an agent avoided in the last step. */
  neighbors: number
  steps: number
  /** The sum of all time steps, in seconds. */
  time: number
  /** Memory of the whole object. */
  bytes: number
}

declare abstract class AnyCrowd<D extends Dimensions> extends CoreObject {
  constructor(options?: CrowdOptions)

  get dimensions(): D
  /** The sum of all time steps, in seconds. */
  get time(): number
  /** The default duration of a step, in seconds. */
  get timeStep(): number
  set timeStep(timeStep: number)

  // Arrays by slot, for the whole capacity. The game may write to all but `generations`. Changes take effect with the
  // next step. Numbers out of range count as the nearest in range, NaN as 0.

  /** The position of each agent: x, y, (z). */
  get positions(): Float32s
  /** The velocity of each agent: x, y, (z). */
  get velocities(): Float32s
  /** The velocity that an agent without a goal would have if it were alone: x, y, (z). */
  get preferredVelocities(): Float32s
  /** Where each agent goes, and stops: x, y, (z). NaN: no goal. */
  get goals(): Float32s
  get preferredSpeeds(): Float32s
  get radii(): Float32s
  get maxSpeeds(): Float32s
  get neighborDistances(): Float32s
  /** The `maxNeighbors` of each agent. */
  get maxNeighborCounts(): Uint32s
  get timeHorizons(): Float32s
  get timeHorizonsObstacles(): Float32s
  get maxAccelerations(): Float32s
  get priorities(): Float32s
  get groups(): Uint32s
  get masks(): Uint32s
  /** 0 or 1. */
  get enabled(): Uint32s
  /** 0 or 1. */
  get locked(): Uint32s

  /** Adds an agent. Returns its slot, the lowest free one. `FULL`: no slot is free. */
  add(agent: AgentOptions): number
  /**
   * Moves an agent, as if it had always been there: it has not arrived, nor is it stuck. `STALE_SLOT`: the slot is not
   * in use.
   */
  move(...agent: [slot: number, ...position: Point<D>]): void

  /**
   * Moves all agents by a time step. An agent takes the velocity nearest to its preferred velocity that keeps it
   * clear of neighbors and walls. A step of 0 seconds does nothing. `NOT_FINITE`: the game wrote a position
   * or velocity that is not finite; no agent has moved.
   */
  step(timeStep?: number): void
  /**
   * Returns the slots of the agents that arrived in the last step: at their goals, or as near as agents of the same
   * goal that arrived before leave room. An agent arrives again only after it was pushed away, its goal moved, or a
   * nearer place came free. Ascending. Valid until the next step.
   */
  arrived(): Uint32s
  /**
   * Returns the slots of the agents that got stuck in the last step: they have come no nearer to their goals for 2
   * seconds. An agent gets stuck again only after it came nearer. Ascending. Valid until the next step.
   */
  stuck(): Uint32s
  /**
   * Returns what the next step would take into account for an agent, as of now. Always the same object. O(N).
   * `STALE_SLOT`: the slot is not in use.
   */
  inspect(slot: number): CrowdView

  /** Returns figures of the crowd and its last step. Always the same object. */
  stats(): CrowdStats
  /**
   * Returns a hash of everything that decides the future, steps and options included, but not obstacles and
   * `timeStep`: an unsigned 32-bit integer. Equal states have equal hashes on every machine: compare them to find out
   * at once that two machines disagree.
   */
  hash(): number
}

/**
 * Agents in the plane that each want to move somewhere and must not collide with each other or with walls. Avoidance
 * is local: a crowd finds no way around a wall that lies between an agent and its goal, so use way points as goals.
 * Each agent is a disc with a slot. Its properties are in arrays by slot, which the game may read and write between
 * steps.
 *
 * Optimal reciprocal collision avoidance after van den Berg, Guy, Lin and Manocha (2011): an agent counts on its
 * neighbors to do half of what is needed. Snapshots don't hold the obstacles and `timeStep`; to `restore` one,
 * `maxNeighbors` and `exact` must equal those of the saved crowd.
 */
export class Crowd extends AnyCrowd<2> {
  constructor(options?: CrowdOptions)
  /**
   * The walls that agents avoid. Crowds may share them. They may change between steps: the next step builds them.
   * Default: null.
   */
  get obstacles(): ObstacleTree | null
  set obstacles(obstacles: ObstacleTree | null)
}
/** As `Crowd`, in space: agents are spheres, and there are no walls. */
export class Crowd3D extends AnyCrowd<3> {
  constructor(options?: CrowdOptions)
}

export type { Points, Boxes }
