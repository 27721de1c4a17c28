// The manual: every class, method and option of the package, with its types. The classes are written in
// the files beside this one; each entry exports its part of them.
//
// What holds for all of them:
//
// - Create an object with options, fill it, ask. Ids are slots: indices of the object's arrays.
// - Arrays that a call returns are views of linear memory, valid until the next query on the same object,
//   unless a call says otherwise. Views are detached when that memory grows: take them anew in each frame.
// - Distances are compared in float32, borders included. The same calls give the same bits everywhere.
// - A wrong argument throws a `RangeError` or a `TypeError` that names it; everything else that can go wrong
//   is a {@link CopseError}. Where a call throws, nothing has changed.
// - Nothing makes garbage but calls that say that they return a copy, and the small views that queries
//   return; the calls named `…Into` make none.

// ---- Loading ----

/** A class of the page or of Node, where the compiler knows it. */
type Global<Name extends string> = typeof globalThis extends {
  [name in Name]: { prototype: infer Instance }
}
  ? Instance
  : never

/** A class of `WebAssembly` where the compiler knows it, else another type. */
type Wasm<Name extends string, Otherwise> = typeof globalThis extends {
  WebAssembly: { [name in Name]: { prototype: infer Instance } }
}
  ? Instance
  : Otherwise

// Typed arrays over an `ArrayBuffer`, where the compiler tells them from others.
export type Bytes = ReturnType<Uint8Array['slice']>
export type Uint32s = ReturnType<Uint32Array['slice']>
export type Int32s = ReturnType<Int32Array['slice']>
export type Float32s = ReturnType<Float32Array['slice']>

/** The core: its URL, its bytes, a response with them, or the compiled module. */
export type WasmSource =
  | string
  | ArrayBuffer
  | ArrayBufferView
  | Global<'URL'>
  | Global<'Response'>
  | Promise<Global<'Response'>>
  | Wasm<'Module', never>

export interface InitOptions {
  /** The core to use. Default: the one that the entry brings. */
  wasm?: WasmSource
  /**
   * Bytes of linear memory at the start, so that it need not grow later; at most 2 GiB. Pages that nothing has
   * touched cost nothing. Default: 16 MiB.
   */
  memory?: number
  /** 'error': memory never grows; what needs more throws `OUT_OF_MEMORY` with the number. Default: 'allow'. */
  growth?: 'allow' | 'error'
  /**
   * Runs soon after memory has grown, as a promise would, when views taken before are detached. Default: none.
   */
  onGrow?: () => void
}

/** One copy of the library, with its own memory and its own objects. Made by {@link init} and {@link create}. */
export interface Instance {
  /** Linear memory. It may grow, which detaches all views of it. */
  readonly memory: Wasm<'Memory', { readonly buffer: ArrayBuffer }>
}

/**
 * Loads the core and makes the default instance, which objects belong to unless they are given another.
 * Call it once before anything else; later calls return the same instance.
 */
export function init(options?: InitOptions): Promise<Instance>

/** Makes an instance of its own: a fault in one harms no other. Pass it as the option `instance`. */
export function create(options?: InitOptions): Promise<Instance>

// ---- Errors ----

/** Codes of the core's own failures. */
export type StateCode = 'FULL' | 'OUT_OF_MEMORY' | 'NOT_FINITE' | 'NOT_BUILT' | 'STALE_SLOT'
export type ErrorCode = StateCode | 'DISPOSED' | 'NOT_READY' | 'BAD_SNAPSHOT' | 'DEAD'

/**
 * What went wrong inside the library. A wrong argument is a `RangeError` or `TypeError` instead.
 *
 * - `FULL`: more items than the capacity
 * - `OUT_OF_MEMORY`: linear memory can't grow
 * - `NOT_FINITE`: a position is NaN, infinite or beyond 1e18; `index` is the first such slot
 * - `NOT_BUILT`: a query of points before their first `build()`
 * - `STALE_SLOT`: the slot is not in use
 * - `DISPOSED`: the object was disposed
 * - `NOT_READY`: `init()` has not finished, or the core has no such class
 * - `BAD_SNAPSHOT`: the bytes are no snapshot of such an object
 * - `DEAD`: an earlier call trapped; the instance can't be used any more
 */
export class CopseError extends Error {
  constructor(code: ErrorCode, message: string)
  name: string
  code: ErrorCode
  /** The slot that a `NOT_FINITE` is about; else -1. */
  index: number
}

// ---- Shapes: two numbers a point in the plane, three in space ----

/** 2: the plane; 3: space. */
export type Dimensions = 2 | 3
export type Point<D extends Dimensions> = D extends 3
  ? [x: number, y: number, z: number]
  : [x: number, y: number]
/** Two corners. */
export type Box<D extends Dimensions> = D extends 3
  ? [minX: number, minY: number, minZ: number, maxX: number, maxY: number, maxZ: number]
  : [minX: number, minY: number, maxX: number, maxY: number]
/** Of any length but 0. */
export type Direction<D extends Dimensions> = D extends 3
  ? [dirX: number, dirY: number, dirZ: number]
  : [dirX: number, dirY: number]
/** From the first point to the second. */
export type Segment<D extends Dimensions> = D extends 3
  ? [x0: number, y0: number, z0: number, x1: number, y1: number, z1: number]
  : [x0: number, y0: number, x1: number, y1: number]

// ---- Options of queries ----

/** What a query skips. */
export interface SelectOptions {
  /** 32 bits: finds items whose `groups` have a bit in common with it. Default: all bits. */
  mask?: number
  /** A slot to skip: the agent that asks. Default: none. */
  exclude?: number
}

export interface QueryOptions extends SelectOptions {
  /** The order of ids: as the tree has them, ascending, or nearest first, ties by lower id. Default: 'none'. */
  sort?: 'none' | 'id' | 'distance'
}

/** A box has no center to sort by distance from. */
export interface RangeOptions extends SelectOptions {
  /** The order of ids: as the tree has them, or ascending. Default: 'none'. */
  sort?: 'none' | 'id'
}

export interface IntoOptions {
  /** Receives the squared distances; at least as long as `out`. */
  distances2?: Float32Array
}

export interface NearestOptions extends SelectOptions {
  /** Skips items that are farther away. Inclusive. Default: Infinity. */
  maxDistance?: number
}

export interface BatchOptions {
  /** 32 bits: finds agents whose `groups` have a bit in common with it. Default: all bits. */
  mask?: number
}

export interface AllNeighborsOptions {
  /** How many neighbors each row holds at most. */
  k: number
  /** Skips agents that are farther away. Inclusive. Default: Infinity. */
  maxDistance?: number
  /** 32 bits: finds agents whose `groups` have a bit in common with it. Default: all bits. */
  mask?: number
}

export interface RayOptions extends SelectOptions {
  /** The radius of every agent. Default: each has its own, in `radii`. */
  radius?: number
}

// ---- Results: always the same object, of each query and object ----

/** What a ray hits first. */
export interface Hit {
  id: number
  /** How far along the segment: 0 at its start, 1 at its end. */
  fraction: number
  /** Where it is hit. */
  x: number
  y: number
}
export interface Hit3D extends Hit {
  z: number
}

/** What many rays hit first: index i is for segment i. */
export interface Hits {
  /** -1: the segment hits nothing. */
  ids: Int32s
  /** How far along the segment; 1 if it hits nothing. */
  fractions: Float32s
}

/** Rows of ids, one for each slot or point: row i is `ids[offsets[i]]` … `ids[offsets[i] + counts[i] - 1]`. */
export interface Rows {
  offsets: Uint32s
  counts: Uint32s
  ids: Uint32s
  /** The number of ids of all rows. */
  total: number
}

/**
 * Rows of at most k ids, nearest first, ties by lower id: row i begins at `i * k`, for the k that was
 * asked for, and holds `counts[i]` ids.
 */
export interface NeighborRows {
  counts: Uint32s
  ids: Uint32s
  /** Squared distances. */
  distances2: Float32s
}

// ---- What all objects have ----

/** What `using` calls, where the compiler knows it. */
type Disposed = {
  [
    key in SymbolConstructor extends { readonly dispose: infer Key } ? Key & symbol : never
  ]: () => void
}

declare abstract class CoreObject {
  /** The maximum number of items. */
  get capacity(): number
  /** Grows to at least this capacity. Keeps everything but the results of queries. Detaches views. */
  reserve(capacity: number): void

  /** How many items there are now. */
  get count(): number
  /** The bound of a loop over the arrays: slots that were ever in use lie below it. */
  get slots(): number
  /** By slot: odd while it is in use, and one more whenever it is taken and freed. Only to be read. */
  get generations(): Uint32s
  /** True if a slot is in use. */
  has(slot: number): boolean
  /** Removes an item; its slot is free. `STALE_SLOT`: the slot is not in use. */
  remove(slot: number): void
  /** Removes all items. */
  clear(): void

  /** Returns a snapshot: a copy. Needs memory of its size inside the library, which is kept for the next one. */
  save(): Bytes
  /** Writes a snapshot into bytes of yours, and returns its size. */
  saveInto(bytes: Uint8Array): number
  /**
   * Takes the state of a snapshot: everything goes on as it would have, bit for bit. The options of the saved
   * object must be the same, but for the capacity and the layout. Bytes from anywhere are safe:
   * `BAD_SNAPSHOT` and `FULL` change nothing.
   */
  restore(bytes: Uint8Array): void
  /** Frees the memory. A second call does nothing; any other use throws `DISPOSED`. */
  dispose(): void
}
interface CoreObject extends Disposed {}

/** What points and boxes answer. */
interface Queries<D extends Dimensions> {
  /**
   * Returns the ids within a radius: of points, or of boxes that meet the circle or sphere. A radius of 0 finds
   * what is exactly there; Infinity finds everything.
   */
  within(...query: [...center: Point<D>, radius: number, options?: QueryOptions]): Uint32s
  /** As `within`, into `out`: as many as fit, the first of the order asked for. Returns the total. */
  withinInto(
    ...query: [
      ...center: Point<D>,
      radius: number,
      out: Uint32Array,
      options?: QueryOptions & IntoOptions,
    ]
  ): number
  /** Returns the number of items within a radius. Cheaper than `within`. */
  countWithin(...query: [...center: Point<D>, radius: number, options?: SelectOptions]): number
  /** True if any item is within a radius. Stops at the first. */
  anyWithin(...query: [...center: Point<D>, radius: number, options?: SelectOptions]): boolean
  /**
   * Returns the ids in a closed box, given by two corners, in any order, which may be infinite: of points inside, or
   * of boxes that meet it.
   */
  range(...query: [...box: Box<D>, options?: RangeOptions]): Uint32s
  /** As `range`, into `out`, as far as it goes. Returns the total. */
  rangeInto(...query: [...box: Box<D>, out: Uint32Array, options?: RangeOptions]): number
  /** Returns the number of items in a box: of those that `range` finds. */
  countRange(...query: [...box: Box<D>, options?: SelectOptions]): number
  /**
   * Returns the nearest id, ties by lower id; -1 if there is none. The distance to a box around the point is 0.
   */
  nearest(...query: [...point: Point<D>, options?: NearestOptions]): number
  /** Returns the k nearest ids, nearest first, ties by lower id. */
  neighbors(...query: [...point: Point<D>, k: number, options?: NearestOptions]): Uint32s
  /** As `neighbors`, into `out`, as far as it goes. Returns the total, at most k. */
  neighborsInto(
    ...query: [
      ...point: Point<D>,
      k: number,
      out: Uint32Array,
      options?: NearestOptions & IntoOptions,
    ]
  ): number
  /**
   * Returns the cells, to draw: of each, in preorder, its box (minX, minY, (minZ,) maxX, maxY, (maxZ)), its
   * depth, and how many items it holds. A copy.
   */
  cells(): Float32s
  /** True if the index is sound inside: for tests. O(N log N). */
  validate(): boolean
}

// ---- Points ----

/** What every index of points is created with. */
export interface IndexOptions {
  /** The maximum number of agents. Default: 1,000. */
  capacity?: number
  /** Whether there are `positions` (x0, y0, x1, y1, …) or `xs`, `ys`, `zs`. Default: 'interleaved'. */
  layout?: 'interleaved' | 'separate'
  /**
   * What `build()` does about positions that are NaN, infinite or beyond 1e18: throw, or leave those agents
   * out of every result. Default: 'error'.
   */
  onNonFinite?: 'error' | 'skip'
  /** The instance that it belongs to. Default: the one that `init()` made. */
  instance?: Instance
}

/** Room to reserve for batches, which else take it when they need it. */
export interface RoomOptions {
  /** The number of ids in all rows of a batch, or in its pairs. Default: 0. */
  results?: number
  /** The number of neighbors of each agent. Default: 0. */
  k?: number
}

export interface Stats {
  /** Agents in the last build. */
  agents: number
  /** Agents that it left out, because their positions are not finite. */
  skipped: number
  /** Of a grid: entries of its table. */
  nodes: number
  /** Of a grid: entries that hold agents. */
  leaves: number
  /** The depth of the deepest leaf; that of the root is 0. */
  depth: number
  /** Memory of the whole object. */
  bytes: number
  /** Nodes that the last query of this object visited. */
  visits: number
}

declare abstract class Points<D extends Dimensions> extends CoreObject {
  /**
   * The bound of a loop over the arrays: the slots of all agents are below it. Setting it to n makes the slots
   * 0 … n - 1 agents, and frees all others. New agents have group 1, at the position that their slot holds.
   */
  get slots(): number
  set slots(slots: number)
  /** Adds an agent, of group 1. Returns its slot: the lowest that is free. `FULL`: there is no room. */
  add(...position: Point<D>): number
  /** Writes the position of an agent. `STALE_SLOT`: the slot is not in use. */
  move(...agent: [slot: number, ...position: Point<D>]): void
  /** Grows to at least this capacity, and takes room for batches. Keeps everything but results. Detaches views. */
  reserve(capacity: number, options?: RoomOptions): void

  // Buffers, for the whole capacity. Queries answer for the last build.

  /**
   * Where the agents are, to write to: x0, y0, (z0,) x1, y1, …. Take it anew after anything was created or
   * reserved.
   */
  get positions(): Float32s
  /** With `layout: 'separate'`, the x of each agent. */
  get xs(): Float32s
  /** With `layout: 'separate'`, the y of each agent. */
  get ys(): Float32s
  /** With `layout: 'separate'`, the z of each agent. In the plane undefined. */
  get zs(): D extends 3 ? Float32s : undefined
  /**
   * 32 bits an agent. An agent in no group is absent from every result from the next build on. Free slots have
   * no group.
   */
  get groups(): Uint32s
  /**
   * What each agent looks for in `allWithin` and `allNeighbors`: 32 bits of groups an agent. Default: all. They
   * are read when these are called.
   */
  get masks(): Uint32s
  /**
   * The radius of each agent for `raycast`, `raycastMany` and `pairs`. Default: 0. Queries see changes from the next
   * `build()` on, which throws a `RangeError` where one is NaN or negative.
   */
  get radii(): Float32s
  /**
   * Builds the index from the buffers, in O(N log N), without allocation. Before the first build queries
   * throw `NOT_BUILT`. On `NOT_FINITE` the last build stays.
   */
  build(): void

  /**
   * Returns the ids in a field of view: within the radius, and at most `halfAngle` radians, 0 to Math.PI, off
   * the direction.
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
  /** As `cone`, into `out`, as far as it goes. Returns the total. */
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
   * spheres of `radius`, or each of its own in `radii`. If the segment begins inside one, its fraction is 0.
   */
  raycast(
    ...query: [...segment: Segment<D>, options?: RayOptions]
  ): (D extends 3 ? Hit3D : Hit) | null

  // Batches: many queries in one call. Their room grows on demand and is kept: a batch that finds no more than one
  // before does not grow memory.

  /**
   * Finds every agent's neighbors within a radius: row i is for slot i, without i itself. Agents near each other
   * have rows near each other. Shares its room with `withinMany` and `pairs`.
   */
  allWithin(radius: number, options?: BatchOptions): Rows
  /** Finds the agents within a radius of each point: x, y, (z,) x, y, …. */
  withinMany(points: Float32Array, radius: number, options?: SelectOptions): Rows
  /**
   * Finds the k nearest of every agent: row i is for slot i, without i itself. The rows are kept until
   * `allNeighbors` or `nearestMany` is called again: a cache of distances.
   */
  allNeighbors(options: AllNeighborsOptions): NeighborRows
  /** Finds the k nearest agents of each point: x, y, (z,) x, y, …. */
  nearestMany(
    points: Float32Array,
    options: AllNeighborsOptions & { exclude?: number },
  ): NeighborRows
  /** Finds what each segment hits first: x0, y0, (z0,) x1, y1, (z1,) x0, …. */
  raycastMany(segments: Float32Array, options?: RayOptions): Hits
  /**
   * Returns the pairs of agents whose circles, or spheres, touch, by their `radii`: each once, a, b, a, b, … with
   * a < b. Both must match the mask. Valid until the next batch.
   */
  pairs(options?: BatchOptions): Uint32s
  /** Returns the pairs of agents within a distance of each other, as above. Inclusive. */
  pairs(distance: number, options?: BatchOptions): Uint32s
  /** As `pairs`, into `out`, as far as it goes. Returns the number of pairs. */
  pairsInto(out: Uint32Array, options?: BatchOptions): number
  /** As `pairs` within a distance, into `out`, as far as it goes. Returns the number of pairs. */
  pairsInto(distance: number, out: Uint32Array, options?: BatchOptions): number

  /**
   * Returns the slots in the order of the tree. Agents that are near each other are near each other in it: a
   * game that renumbers its agents so, now and then, misses the cache less. A copy.
   */
  order(): Uint32s
  /** Returns figures of the last build and the last query: always the same object. */
  stats(): Stats
}
interface Points<D extends Dimensions> extends Queries<D> {}

export interface TreeOptions {
  /**
   * The maximum number of agents in a leaf. Default: measured to be the fastest. As large as the capacity, it
   * makes one leaf: brute force.
   */
  leafSize?: number
  /**
   * Which side of its bounds a node splits: the longest, or x, y, (z,) x, … by depth, the textbook form, which
   * gets out of balance with midpoints. Default: 'longest'.
   */
  axis?: 'longest' | 'cycle'
  /**
   * Where it splits: in the middle, which is the fastest to build, or at the median agent, for exact balance.
   * Default: 'midpoint'.
   */
  split?: 'midpoint' | 'median'
}
export type AgentTreeOptions = IndexOptions & TreeOptions

/**
 * A tree of many points that all move: write `positions`, `build()` every frame, query.
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
  /** The width of a cell. Best as large as the usual radius. */
  cellSize: number
}
export type GridOptions = IndexOptions & CellOptions

/**
 * A uniform grid of many points that all move: write `positions`, `build()` every frame, query.
 *
 * The fastest for one radius over evenly spread points, with cells as wide as that radius. The agent tree is
 * better for crowds, and for radii far from the width of a cell.
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
   * How medians are found; the tree is the same. By sampling, which is the fastest; in linear time whatever the
   * points are; or by sorting once for each axis, which takes more memory. Default: 'quickselect'.
   */
  builder?: 'quickselect' | 'median-of-medians' | 'presort'
}
export type KdTreeOptions = IndexOptions & BuilderOptions

/**
 * A balanced tree of points that seldom move: spawn points, resources, way points. Write `positions`,
 * `build()` when they changed, query.
 *
 * The k-d tree of Bentley (1975), with one point a node and no links: it takes the least memory, and no set of
 * points makes it deep. Its `cells()` are the dividing lines: boxes without width on their axis.
 */
export class KdTree extends Points<2> {
  constructor(options?: KdTreeOptions)
  /**
   * Returns a tree made from the bytes of `save()`, which may come from anywhere. Its capacity is what they need,
   * unless the options give one. `BAD_SNAPSHOT`: they are not of a tree of this class.
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
  /** The world: [minX, minY, (minZ,) maxX, maxY, (maxZ)]. Items outside are kept, and found too. */
  bounds: readonly number[]
  /** The maximum number of items. Default: 1,000. */
  capacity?: number
  /** The maximum number of items in a cell that is not divided. 0: all sink to `maxDepth`. Default: 24. */
  leafSize?: number
  /** How often cells are divided, 0 (one list) to 24. Default: 8. */
  maxDepth?: number
  /**
   * How many times as large as itself a cell is for what it takes, 1 to 16. Small items on a line between cells
   * then need not stay in the large cell around them. Default: 1.
   */
  looseness?: number
  /** The instance that it belongs to. Default: the one that `init()` made. */
  instance?: Instance
}

/** Where a ray enters a box first. */
export interface BoxHit extends Hit {
  /** Of the side that it hits: 1 or -1. All 0 if the ray begins inside. */
  normalX: number
  normalY: number
}
export interface BoxHit3D extends BoxHit {
  z: number
  normalZ: number
}

export interface OctreeStats {
  items: number
  /** Cells, divided ones too. */
  nodes: number
  /** Cells that are not divided. */
  leaves: number
  /** The depth of the deepest cell; that of the root is 0. */
  depth: number
  /** How many items the cells of each depth hold themselves. */
  perDepth: number[]
  /** Items in cells that are divided: on a line between smaller ones. */
  straddlers: number
  /** Items that are not wholly in the world. */
  outside: number
  /** Cells that should be divided, but there was no room for more. */
  unsplit: number
  /** Items that changed their cell, and cells divided or merged, since the last call of `stats()`. */
  changes: number
  /** Memory of the whole object. */
  bytes: number
  /** Cells that the last query of this object visited. */
  visits: number
}

declare abstract class Boxes<D extends Dimensions> extends CoreObject {
  /**
   * The box of each slot of the capacity: minX, minY, (minZ,) maxX, maxY, (maxZ). `add` and `move` write
   * here; what the game writes counts from `moveAll()` on.
   */
  get boxes(): Float32s
  /** 32 bits a slot. Default: 1. An item in no group is absent from every result. Writes count at once. */
  get groups(): Uint32s

  /** Adds a point. Returns its slot: the lowest that is free. `FULL`: there are as many as the capacity. */
  add(...point: Point<D>): number
  /** Adds a box. Returns its slot: the lowest that is free. `FULL`: there are as many as the capacity. */
  add(...box: Box<D>): number
  /** Adds a point in a free slot of your choice. */
  addAt(...item: [slot: number, ...point: Point<D>]): void
  /** Adds a box in a free slot of your choice. */
  addAt(...item: [slot: number, ...box: Box<D>]): void
  /** Moves an item, which is a point from now on. Within its cell nothing but its box changes. */
  move(...item: [slot: number, ...point: Point<D>]): void
  /** Moves or resizes an item. Within its cell nothing but its box changes. */
  move(...item: [slot: number, ...box: Box<D>]): void
  /**
   * Moves every item to where `boxes` says, one by one or, where many left their cells, into a tree that is built
   * anew. If a box is not finite or has min > max, nothing changes.
   */
  moveAll(): void
  /**
   * Replaces everything: the items are those in the slots 0 … count - 1, where `boxes` says. Much faster than
   * to add one by one. If a box is not finite or has min > max, nothing changes.
   */
  load(count: number): void

  /** Returns the ids of all boxes around a point, borders included. */
  at(...query: [...point: Point<D>, options?: RangeOptions]): Uint32s
  /** As `at`, into `out`, as far as it goes. Returns the total. */
  atInto(...query: [...point: Point<D>, out: Uint32Array, options?: RangeOptions]): number
  /** Returns the first box or point that a segment hits, ties by lower id; null if there is none. */
  raycast(
    ...query: [...segment: Segment<D>, options?: SelectOptions]
  ): (D extends 3 ? BoxHit3D : BoxHit) | null
  /**
   * Returns the pairs of items that meet, each once: a, b, a, b, … with a < b. Valid until the next call.
   */
  pairs(options?: BatchOptions): Uint32s
  /** As `pairs`, into `out`, as far as it goes. Returns the number of pairs. */
  pairsInto(out: Uint32Array, options?: BatchOptions): number

  /** Returns figures of the tree and of the last query: always the same object. */
  stats(): OctreeStats
}
interface Boxes<D extends Dimensions> extends Queries<D> {}

/**
 * Boxes and points that come, go and move, one at a time: colliders, zones, pickups. `add` returns a slot, the
 * id of what was added; queries always answer for the present, exactly.
 *
 * The quadtree of Finkel and Bentley (1974), loose on demand. It needs no build and no clean-up: cells are
 * divided and merged as items come, go and move.
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
  /** The maximum number of vertices. Default: 1,000. */
  capacity?: number
  /**
   * Room for edges and what they are cut into, at least the capacity. Where it runs short, queries are slower, and
   * as exact. Default: twice the capacity.
   */
  pieces?: number
  /** The maximum number of pieces in a cell that is not divided. Default: measured to be the fastest. */
  leafSize?: number
  /** The instance that it belongs to. Default: the one that `init()` made. */
  instance?: Instance
}

export interface PolygonOptions {
  /**
   * What is solid: the inside, whichever way the vertices go; the outside, as of a level's border; by the winding,
   * the inside if they go counter-clockwise (y up), else the outside; or nowhere: edges are seen from both sides.
   * Inside and outside need an area. Default: 'inside'.
   */
  solid?: 'inside' | 'outside' | 'winding' | 'nowhere'
}

export interface SideOptions {
  /**
   * Which edges count: all, or those that are seen from where the query asks, their free side being there, or
   * both sides free. Default: 'both'.
   */
  side?: 'both' | 'visible'
}

/** The box around what is seen: `bounds`, cut to the square of `maxDistance`. */
export interface VisibilityOptions {
  /** How far to each side of the point. Default: a bit beyond all walls and the point. */
  maxDistance?: number
  /** minX, minY, maxX, maxY, with the point strictly inside. Default: a bit beyond all walls and the point. */
  bounds?: ArrayLike<number>
}

/** The point of a wall that is nearest. */
export interface NearestPoint {
  /** Of the edge that it is on. */
  id: number
  x: number
  y: number
  distance: number
}

/** The edge that a ray meets first. */
export interface WallHit extends Hit {
  /** Of the edge, of length 1, towards the start of the ray. */
  normalX: number
  normalY: number
}

export interface ObstacleStats {
  /** Edges in the tree. */
  edges: number
  /** Edges that were left out of it, because they have no length. */
  dropped: number
  /** What edges are cut into: at least one piece each. */
  pieces: number
  /** Lines and cells. */
  nodes: number
  /** Cells. */
  leaves: number
  /** Cells with more than `leafSize` pieces: no line divides them well, or there is no room for more pieces. */
  unsplit: number
  /** The depth of the deepest cell; that of the root is 0. */
  depth: number
  polygons: number
  /** Memory of the whole object. */
  bytes: number
  /** Nodes that the last query of this object visited. */
  visits: number
}

/**
 * Walls of a level, in the plane: what is near, what is in the way, what can be seen. Walls are the edges of
 * polygons. The id of an edge is that of the first of its two vertices; the slot of a polygon is the id of its
 * first vertex.
 *
 * A polygon is solid inside, outside or nowhere: an option of `addPolygon`, which holds wherever the polygon is
 * moved. Edges are seen from their free side, those of segments, which are thin walls, from both. Polygons may touch, overlap and cross.
 *
 * A binary space partition after Fuchs, Kedem and Naylor (1980). What was added, removed or moved counts from
 * the next query on, which builds the tree; queries are exact, whatever the tree.
 */
export class ObstacleTree extends CoreObject {
  constructor(options?: ObstacleOptions)

  /** How many polygons there are, segments too. */
  get count(): number
  /**
   * The x and y of each vertex of the capacity. `addPolygon`, `addSegment` and `move` write here; what the game
   * writes counts from the next `build()` on.
   */
  get vertices(): Float32s
  /** By vertex, the next: the other end of its edge. Only to be read. */
  get next(): Uint32s
  /** By vertex, the slot of its polygon. Only to be read. */
  get polygons(): Uint32s
  /** True if a slot is that of a polygon. */
  has(slot: number): boolean
  /**
   * Returns which way round a polygon's edges go: 1 counter-clockwise (y up), solid inside; -1 clockwise, a
   * boundary; 0: it has no area. `STALE_SLOT`: the slot is not that of a polygon.
   */
  winding(slot: number): number

  /**
   * Adds a closed polygon, x0, y0, x1, y1, …, and returns its slot: the id of its first vertex and edge. Without
   * removals before, those of the others follow. Two vertices have no area: use
   * `addSegment`. `FULL`: there is no room for
   * so many.
   */
  addPolygon(points: ArrayLike<number>, options?: PolygonOptions): number
  /**
   * Adds a thin wall: a polygon of two vertices, with an edge for either side. Returns its slot: the id of its
   * first edge; the second goes back.
   */
  addSegment(...segment: Segment<2>): number
  /**
   * Moves the vertices of a polygon, as many as it has: a door, a platform. What is solid stays, inside or
   * outside, whichever way round they go now. `STALE_SLOT`: the slot is not that of a polygon.
   */
  move(slot: number, points: ArrayLike<number>): void
  /**
   * Builds the tree from `vertices` as they are now: O(N log N) for most N. Only needed where the game wrote
   * there; after other changes the next query does it, unless it should be done before. What is solid of a
   * polygon stays. On `NOT_FINITE` the last build stays.
   */
  build(): void

  /** Returns the ids of the edges within a radius, nearest first, ties by lower id. */
  within(...query: [...center: Point<2>, radius: number, options?: SideOptions]): Uint32s
  /** As `within`, into `out`, as far as it goes. Returns the total. */
  withinInto(
    ...query: [
      ...center: Point<2>,
      radius: number,
      out: Uint32Array,
      options?: SideOptions & IntoOptions,
    ]
  ): number
  /**
   * Returns the id of the nearest edge, ties by lower id; -1 if there is none. Skips edges farther than
   * `maxDistance`, inclusive.
   */
  nearest(...query: [...point: Point<2>, options?: SideOptions & { maxDistance?: number }]): number
  /** Returns the nearest point on the nearest edge; null if there is none. */
  nearestPoint(
    ...query: [...point: Point<2>, options?: SideOptions & { maxDistance?: number }]
  ): NearestPoint | null
  /**
   * True if the way between two points is free: no edge meets it or, with a radius, comes as near as that. The
   * same there and back. From a point on a wall nothing is visible.
   */
  visible(...query: [...segment: Segment<2>, options?: { radius?: number }]): boolean
  /** Returns the first edge on the way of a segment, ties by lower id; null if nothing is in the way. */
  raycast(...query: [...segment: Segment<2>, options?: SideOptions]): WallHit | null
  /** Finds what each segment meets first: x0, y0, x1, y1, x0, …. */
  raycastMany(segments: Float32Array, options?: SideOptions): Hits
  /**
   * True if a point is in something solid, or on its border: in more solid polygons than boundaries, where
   * outside of all counts as solid if there are boundaries. Thin and two-sided walls are not solid.
   */
  contains(...point: Point<2>): boolean
  /**
   * Returns what can be seen from a point, within a box: for light, fog of war, a guard's sight. The corners of a
   * polygon, counter-clockwise (y up): x, y, x, y, …. From a point on a wall: nothing.
   */
  visibilityPolygon(...query: [...point: Point<2>, options?: VisibilityOptions]): Float32s
  /** As `visibilityPolygon`, into `out`, in whole corners as far as it goes. Returns the number of corners. */
  visibilityPolygonInto(
    ...query: [...point: Point<2>, out: Float32Array, options?: VisibilityOptions]
  ): number
  /**
   * Returns the agents that can be seen from a point, in the order given: of ids that another index found, say.
   * `positions` are x0, y0, x1, y1, … by id; agents whose positions are not finite are not seen. Valid until
   * the next call.
   */
  keepVisible(
    ...query: [...point: Point<2>, ids: ArrayLike<number>, positions: ArrayLike<number>]
  ): Uint32s
  /** As `keepVisible`, into `out`, which may be `ids`, as far as it goes. Returns the total. */
  keepVisibleInto(
    ...query: [
      ...point: Point<2>,
      ids: ArrayLike<number>,
      positions: ArrayLike<number>,
      out: Uint32Array,
    ]
  ): number

  /**
   * Returns the cells, to draw: of each, in preorder, its box (minX, minY, maxX, maxY), its depth, and how many
   * pieces it holds. A copy.
   */
  cells(): Float32s
  /** Returns the lines that divide space, to draw, in preorder, cut to their cells: x0, y0, x1, y1, depth. A copy. */
  lines(): Float32s
  /** True if the tree is sound inside: for tests. O(N log N). */
  validate(): boolean
  /** Returns figures of the tree and of the last query: always the same object. */
  stats(): ObstacleStats
}

// ---- Crowds ----

/** What an agent is. Given to a crowd: what its agents are unless `add` says something else. */
export interface AgentNumbers {
  /** How fast it heads for its goal, in world units a second. Default: 1. */
  preferredSpeed?: number
  /** World units. Default: 0.5. */
  radius?: number
  /** World units a second. Default: 2. */
  maxSpeed?: number
  /** Ignores neighbors that are farther away, from center to center. May be Infinity. Default: 10. */
  neighborDistance?: number
  /**
   * The most neighbors that it avoids, the nearest ones, 0 to 64. That of the crowd is the most for any of its
   * agents. Default: 10.
   */
  maxNeighbors?: number
  /** How many seconds ahead its velocity must stay free of collisions with neighbors. Default: 2. */
  timeHorizon?: number
  /** How many seconds ahead it must stay free of collisions with walls. Default: 2. */
  timeHorizonObstacles?: number
  /** The most that its velocity changes in a second. May be Infinity. Default: Infinity. */
  maxAcceleration?: number
  /**
   * The agent with the higher priority yields less: an agent's share of the avoidance is the other's
   * priority / (own + other's), and one half where both are 0. Default: 0.
   */
  priority?: number
  /** 32 bits. In no group, an agent avoids no other, and no other avoids it. Default: 1. */
  groups?: number
  /** The groups that it avoids. An agent that another does not avoid has to avoid it alone. Default: all. */
  mask?: number
  /** False: it takes part in nothing. Default: true. */
  enabled?: boolean
  /**
   * True: others avoid it, and only the game moves it, by writing its position and, so that others look ahead, its
   * velocity. Default: false.
   */
  locked?: boolean
}

export interface CrowdOwnOptions {
  /** The maximum number of agents. Default: 1,000. */
  capacity?: number
  /** Seconds a step takes. Default: 1/60. */
  timeStep?: number
  /**
   * True: nothing but the published algorithm. No agent turns aside for symmetry, rests at its goal, or comes out
   * of walls by itself. Default: false.
   */
  exact?: boolean
  /** The instance that it belongs to. Default: the one that `init()` made. */
  instance?: Instance
}
export type CrowdOptions = AgentNumbers & CrowdOwnOptions

/** Vectors are [x, y] or, in space, [x, y, z]. */
export interface AgentVectors {
  position: ArrayLike<number>
  /** Default: 0. */
  velocity?: ArrayLike<number>
  /** The velocity that it would have if it were alone. Default: 0. */
  preferredVelocity?: ArrayLike<number>
  /** Where it heads instead, at `preferredSpeed`, and stops. Default: null: nowhere. */
  goal?: ArrayLike<number> | null
}
export type AgentOptions = AgentVectors & AgentNumbers

/** What an agent takes into account. */
export interface CrowdView {
  /** Slots, nearest first. */
  neighbors: Uint32s
  /** Ids of edges of the obstacles, nearest first. */
  walls: Uint32s
  /**
   * Constraints on its velocity, those of walls first. In the plane x, y, directionX, directionY of each:
   * permitted is what lies left (y up) of the line through that point in that direction. In space a point and a
   * unit normal: permitted is what lies beyond.
   */
  constraints: Float32s
  /** How many of them are of walls. */
  wallConstraints: number
}

export interface CrowdStats {
  agents: number
  /** Agents for which no velocity was permitted in the last step. */
  infeasible: number
  /** Agents that touched or overlapped a neighbor when it began. */
  overlaps: number
  /** How many neighbors an agent avoided in it, on average. */
  neighbors: number
  steps: number
  /** The sum of all time steps. */
  time: number
  /** Memory of the whole object. */
  bytes: number
}

declare abstract class AnyCrowd<D extends Dimensions> extends CoreObject {
  constructor(options?: CrowdOptions)

  get dimensions(): D
  /** The sum of all time steps. */
  get time(): number
  /** Seconds a step takes unless it is given another number. */
  get timeStep(): number
  set timeStep(timeStep: number)

  // Arrays by slot, for the whole capacity. The game may write to all of them but `generations`: it counts from
  // the next step on. For a number out of range the nearest in range counts, for NaN 0.

  /** x, y, (z) of each slot. */
  get positions(): Float32s
  /** x, y, (z) of each slot. */
  get velocities(): Float32s
  /** The velocity that an agent without a goal would have if it were alone: x, y, (z) of each slot. */
  get preferredVelocities(): Float32s
  /** Where agents head, and stop: x, y, (z) of each slot. NaN: nowhere. */
  get goals(): Float32s
  get preferredSpeeds(): Float32s
  get radii(): Float32s
  get maxSpeeds(): Float32s
  get neighborDistances(): Float32s
  /** The `maxNeighbors` of each slot. */
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

  /** Adds an agent, and returns its slot: the lowest that is free. `FULL`: there is no room. */
  add(agent: AgentOptions): number
  /** Puts an agent elsewhere, as if it had always been there. `STALE_SLOT`: the slot is not in use. */
  move(...agent: [slot: number, ...position: Point<D>]): void

  /**
   * Moves all agents: each takes the velocity, of those that keep it clear of neighbors and walls, that is
   * nearest to the one it prefers. A step of 0 seconds does nothing. On an error no agent has moved. `NOT_FINITE`: the game wrote a position or
   * velocity that is not.
   */
  step(timeStep?: number): void
  /**
   * Returns the agents that arrived in the last step: at their goals, or as near as agents of the same goal that
   * arrived before leave room. Each is returned once, until it was pushed away, its goal moved, or a nearer place came
   * free. Slots, ascending, valid until the next step.
   */
  arrived(): Uint32s
  /**
   * Returns the agents that got stuck in the last step: that have come no nearer to their goals for 2 seconds.
   * Each is returned once, until it comes nearer. Slots, ascending, valid until the next step.
   */
  stuck(): Uint32s
  /**
   * Returns what the next step will take into account for an agent, as things are now: always the same object. O(N).
   * `STALE_SLOT`: the slot is not in use.
   */
  inspect(slot: number): CrowdView

  /** Returns figures of the crowd and of its last step: always the same object. */
  stats(): CrowdStats
  /**
   * Returns a hash of everything that decides the future, steps and options included, but not the obstacles and
   * `timeStep`: 32 bits, not negative. Equal states have equal hashes, everywhere: for finding out at once that
   * two machines disagree.
   */
  hash(): number
}

/**
 * Agents in the plane that each want to move somewhere and must not collide, with each other and with walls. They
 * avoid what is near, and find no way around a wall that is in between: give them way points as goals. Each
 * has a slot and is a disc; what it is and wants lies in arrays by slot, which the game may read and write
 * between steps.
 *
 * Optimal reciprocal collision avoidance after van den Berg, Guy, Lin and Manocha (2011): an agent counts on its
 * neighbors to do half of what is needed. Snapshots don't hold the obstacles and `timeStep`; to `restore` one,
 * `maxNeighbors` and `exact` must be those of the saved crowd.
 */
export class Crowd extends AnyCrowd<2> {
  constructor(options?: CrowdOptions)
  /**
   * The walls that agents avoid. Crowds may share them, and they may change between steps, which build what
   * changed. Default: null.
   */
  get obstacles(): ObstacleTree | null
  set obstacles(obstacles: ObstacleTree | null)
}
/** As `Crowd`, in space: agents are spheres, and there are no walls. */
export class Crowd3D extends AnyCrowd<3> {
  constructor(options?: CrowdOptions)
}

export type { Points, Boxes }
