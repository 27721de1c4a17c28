// The manual: every class, method and option of the package, with its types. The classes are in the
// files beside this one; each entry ('copse', 'copse/points', …) exports some or all of them.
//
// Rules for all classes:
//
// - Create an object with options, fill it, then query it. Ids are slots: indices into the object's
//   arrays.
// - Arrays that a call returns are views of linear memory. The ids of a single query are valid until
//   the next single query of the same object that returns ids: `within`, `range`, `cone`, `frustum`,
//   `at`, `neighbors` and `raycastAll` write them to the same place. The comments of all other calls
//   say until when their results are valid. To keep ids, copy them: `ids.slice()`, or
//   `mine.set(ids)` into an array of your own. When linear memory grows, all views of it are
//   detached: get arrays again in each frame.
// - Memory grows only if a call needs more than there is: constructors, `reserve`, `save` and
//   `restore`, batches (all…, …Many, `pairs`, `update`), `build(other)`, `frustum`, and polygons and
//   goals by the thousand.
// - Distances are computed and compared in float32. Limits are inclusive: `within` finds an item
//   whose distance is exactly the radius. The same calls give the same results, bit for bit, on
//   every machine.
// - A wrong argument throws a `RangeError` or `TypeError` that names it. All other failures throw a
//   {@link CopseError}. A call that throws has changed nothing.
// - Calls make no garbage: an object keeps the views and objects that it returns, and returns them
//   again. Only a result of more than 1,024 numbers may create an object, the view of the array. The
//   comments of calls that return a copy say so.

// ---- Loading ----

/**
 * The type of a global class, such as `URL`; `never` if the compiler's libraries do not declare it.
 */
type Global<Name extends string> = typeof globalThis extends {
  [name in Name]: { prototype: infer Instance }
}
  ? Instance
  : never

/**
 * The type of a class of `WebAssembly`; `Otherwise` if the compiler's libraries do not declare it.
 */
type Wasm<Name extends string, Otherwise> = typeof globalThis extends {
  WebAssembly: { [name in Name]: { prototype: infer Instance } }
}
  ? Instance
  : Otherwise

// The types of typed arrays over an `ArrayBuffer`. Newer compilers distinguish them from typed
// arrays over a `SharedArrayBuffer`, older ones do not. These definitions work with both.
export type Bytes = ReturnType<Uint8Array['slice']>
export type Uint32s = ReturnType<Uint32Array['slice']>
export type Int32s = ReturnType<Int32Array['slice']>
export type Float32s = ReturnType<Float32Array['slice']>

/**
 * A core (a .wasm file of this package): its URL, its bytes, a `Response` with the bytes, or a
 * compiled module.
 */
export type WasmSource =
  | string
  | ArrayBuffer
  | ArrayBufferView
  | Global<'URL'>
  | Global<'Response'>
  | Promise<Global<'Response'>>
  | Wasm<'Module', never>

export interface InitOptions {
  /** The core to use. Default: the core of the entry that you import, such as 'copse/points'. */
  wasm?: WasmSource
  /**
   * The initial size of linear memory, in bytes, at most 2 GiB. If the size is large enough, memory
   * never grows, so views are never detached. The system provides a page of memory when it is first
   * used, so unused pages cost little. Default: 16 MiB.
   */
  memory?: number
  /**
   * 'allow': memory grows when a call needs more. 'error': memory never grows; a call that needs
   * more throws `OUT_OF_MEMORY`, and its message says how many bytes it needs. Default: 'allow'.
   */
  growth?: 'allow' | 'error'
  /**
   * Called in a microtask after memory has grown: all views that you got before are detached.
   * Default: none.
   */
  onGrow?: () => void
}

/**
 * A loaded copy of the library, with its own memory and objects. Made by {@link init} and
 * {@link create}.
 */
export interface Instance {
  /** Linear memory. When it grows, all views of it are detached. */
  readonly memory: Wasm<'Memory', { readonly buffer: ArrayBuffer }>
}

/**
 * Loads the core and makes the default instance: objects that are created without the option
 * `instance` belong to it. Await this once before anything else. Later calls return the same
 * promise.
 */
export function init(options?: InitOptions): Promise<Instance>

/**
 * Makes another instance, to pass as the option `instance` of new objects. Instances are isolated:
 * if one of them traps, the others still work.
 */
export function create(options?: InitOptions): Promise<Instance>

// ---- Errors ----

/** The error codes of calls that fail because of the current state of an object or of memory. */
export type StateCode = 'FULL' | 'OUT_OF_MEMORY' | 'NOT_FINITE' | 'NOT_BUILT' | 'STALE_SLOT'
export type ErrorCode = StateCode | 'DISPOSED' | 'NOT_READY' | 'BAD_SNAPSHOT' | 'DEAD'

/**
 * The error for all failures except wrong arguments, which throw a `RangeError` or `TypeError`.
 *
 * - `FULL`: more items than the capacity
 * - `OUT_OF_MEMORY`: linear memory can't grow
 * - `NOT_FINITE`: a coordinate is NaN, infinite or beyond ±1e18; `index` is the first slot that has
 *   such a coordinate
 * - `NOT_BUILT`: a query of points or of a flow field before the first `build()`
 * - `STALE_SLOT`: the slot is not in use
 * - `DISPOSED`: the object was disposed
 * - `NOT_READY`: `init()` has not finished, or the core does not contain the class
 * - `BAD_SNAPSHOT`: the bytes are not an intact snapshot of an object of this class with the same
 *   options
 * - `DEAD`: an earlier call trapped in WebAssembly; create a new instance
 */
export class CopseError extends Error {
  constructor(code: ErrorCode, message: string)
  name: string
  code: ErrorCode
  /** The first slot that caused a `NOT_FINITE`; -1 for other codes. */
  index: number
}

// ---- Options of constructors ----

export interface CapacityOptions {
  /**
   * The maximum number of items: agents, sensors or boxes; of an ObstacleTree, of vertices. 1 to
   * 2 ** 28. Default: 1,000.
   */
  capacity?: number
}

export interface InstanceOptions {
  /** The instance that owns the object. Default: the instance of `init()`. */
  instance?: Instance
}

// ---- Shapes: two numbers per point in the plane, three in space ----

/** The number of dimensions: 2 in the plane, 3 in space. */
export type Dimensions = 2 | 3
export type Point<D extends Dimensions> = D extends 3
  ? [x: number, y: number, z: number]
  : [x: number, y: number]
/** A box, by two opposite corners. */
export type Box<D extends Dimensions> = D extends 3
  ? [minX: number, minY: number, minZ: number, maxX: number, maxY: number, maxZ: number]
  : [minX: number, minY: number, maxX: number, maxY: number]
/** A direction: a vector of any length but 0. */
export type Direction<D extends Dimensions> = D extends 3
  ? [dirX: number, dirY: number, dirZ: number]
  : [dirX: number, dirY: number]
/** A segment, by its two ends. */
export type Segment<D extends Dimensions> = D extends 3
  ? [x0: number, y0: number, z0: number, x1: number, y1: number, z1: number]
  : [x0: number, y0: number, x1: number, y1: number]

// ---- Options of queries ----

export interface MaskOptions {
  /** 32 bits: finds only items whose `groups` share a bit with this mask. Default: all bits. */
  mask?: number
}

/** Options that select which items a query finds. */
export interface SelectOptions extends MaskOptions {
  /**
   * The slot of an item to leave out, such as the agent whose neighbors you look for. To leave out
   * n items, ask for n more: `neighbors(x, y, n + 1)`. Default: none.
   */
  exclude?: number
}

export interface DistanceOptions {
  /**
   * True: the object's property `distances2` then holds the squared distance of each id that the
   * query returns. Default: false.
   */
  distances2?: boolean
}

export interface QueryOptions extends SelectOptions, DistanceOptions {
  /**
   * The order of the ids. 'none': the order in which the search finds them. 'id': ascending.
   * 'distance': nearest first, ties by lower id. Default: 'none'.
   */
  sort?: 'none' | 'id' | 'distance'
}

/** Options of queries that do not measure distances. */
export interface RangeOptions extends SelectOptions {
  /** As in `QueryOptions`, without the order 'distance'. Default: 'none'. */
  sort?: 'none' | 'id'
}

export interface MaxDistanceOptions {
  /** Ignores items farther away than this. Default: Infinity. */
  maxDistance?: number
}
export type NearestOptions = SelectOptions & MaxDistanceOptions

export interface PairsOptions extends MaskOptions {
  /**
   * Finds the agents within this distance of each other. Default: none; finds the agents whose
   * circles or spheres touch or overlap, by their `radii`.
   */
  distance?: number
}

export interface BoxRayOptions extends SelectOptions {
  /**
   * Makes the ray thick, ≥ 0: set `inflate` to the radius of a bullet to cast the bullet's path.
   * Every agent's radius grows by this, and every box grows by this on all sides, with rounded
   * corners. Default: 0.
   */
  inflate?: number
}

export interface RadiusOptions {
  /** The radius that all agents have for the ray. Default: each agent's own, from `radii`. */
  radius?: number
}
export type RayOptions = BoxRayOptions & RadiusOptions

/**
 * As `BoxRayOptions`. `mask`, `exclude` and `inflate` may also be arrays, with a value for each
 * segment: with the slots of the shooters in `exclude`, no bullet hits the agent that shot it.
 */
export interface ManyBoxRayOptions {
  /** 32 bits: finds only items whose `groups` share a bit with this mask. Default: all bits. */
  mask?: number | Uint32Array
  /** The slot of an item to leave out. Default: none. */
  exclude?: number | Uint32Array
  /** The radius of the rays, ≥ 0: makes them thick, see `BoxRayOptions`. Default: 0. */
  inflate?: number | Float32Array
}
export type ManyRayOptions = ManyBoxRayOptions & RadiusOptions

// ---- Results: a method always returns the same object, and each call overwrites it ----

/** The first item that a ray hits. The next `raycast` of the same object overwrites it. */
export interface Hit {
  id: number
  /** How far along the segment the hit is: 0 at its start, 1 at its end. */
  fraction: number
  /** The point where the ray hits the item. */
  x: number
  y: number
}
export interface Hit3D extends Hit {
  z: number
}

/** All agents that a ray hits, sorted by fraction, ties by lower id. */
export interface AllHits {
  ids: Uint32s
  /** For each hit, how far along the segment it is: 0 at the start, 1 at the end. */
  fractions: Float32s
}

/** The first item that each of many rays hits: `ids[i]` and `fractions[i]` belong to segment i. */
export interface Hits {
  /** By segment, the id of the item that it hits first; -1 if it hits nothing. */
  ids: Int32s
  /**
   * By segment, how far along the segment its first hit is: 0 at the start, 1 at the end or if
   * there is no hit.
   */
  fractions: Float32s
}

/**
 * The results of a batch: one row of ids per slot, point or box. Row i is `ids[offsets[i]]` to
 * `ids[offsets[i] + counts[i] - 1]`.
 */
export interface Rows {
  offsets: Uint32s
  counts: Uint32s
  ids: Uint32s
  /** The number of ids in all rows. */
  total: number
}

/**
 * The results of a batch for k nearest neighbors: one row of at most k ids per slot or point,
 * nearest first, ties by lower id. Row i begins at `ids[i * k]` and holds `counts[i]` ids.
 */
export interface NeighborRows {
  counts: Uint32s
  ids: Uint32s
  /** The squared distance of each neighbor, at the same index as its id. */
  distances2: Float32s
}

/** The result of `pairs`. Pair i is the ids `ids[2 * i]` and `ids[2 * i + 1]`, the lower one first. */
export interface Pairs {
  ids: Uint32s
  /** The number of pairs. */
  count: number
}

// ---- Members of all objects ----

/**
 * The method that the statement `using` calls. An empty type if the compiler's libraries have no
 * `Symbol.dispose`.
 */
type Disposed = {
  [
    key in SymbolConstructor extends { readonly dispose: infer Key } ? Key & symbol : never
  ]: () => void
}

declare abstract class CoreObject {
  /** The maximum number of items. */
  get capacity(): number
  /**
   * Grows to at least this capacity, up to 2 ** 28. Keeps everything but the results of queries.
   * Get all arrays of the object again afterward: the old ones are invalid.
   */
  reserve(capacity: number): void

  /**
   * Returns a copy of the object's state, a snapshot. Linear memory also keeps a buffer as large as
   * the snapshot, which later calls reuse.
   */
  save(): Bytes
  /** Writes a snapshot to the start of `bytes`. Returns its size in bytes. */
  saveInto(bytes: Uint8Array): number
  /**
   * Restores the state of a snapshot. All later calls then return the same results, bit for bit, as
   * after `save`. Exception: if a quadtree or octree had used up its memory for cells when it was
   * saved (`stats().unsplit` > 0), the results may be in another order. Crowds: the options
   * `maxNeighbors` and `exact` must equal those of the saved crowd. All other objects: all options
   * but `capacity`, `layout`, `builder`, `pieces` and `instance` must equal those of the saved
   * object. Reserves the capacity that the snapshot needs. Untrusted bytes are safe: if `restore`
   * throws `BAD_SNAPSHOT`, nothing has changed, and forged bytes take no more memory than a real
   * snapshot of their length.
   */
  restore(bytes: Uint8Array): void
  /**
   * Frees the object's memory. A second `dispose` does nothing; any other use of the object throws
   * `DISPOSED`.
   */
  dispose(): void
}
interface CoreObject extends Disposed {}

/** The base class of all classes except FlowField. Their objects hold items, each in a slot. */
declare abstract class Slots extends CoreObject {
  /** The number of items. */
  get count(): number
  /** The exclusive end of a loop over all slots: 1 + the highest slot that was ever in use. */
  get slots(): number
  /**
   * The generation of each slot: a counter that grows by 1 when the slot is taken, and by 1 when
   * the slot is freed. So it is odd while the slot is in use. If a slot's generation differs from
   * the one that you stored, the slot was freed or reused since. Read-only.
   */
  get generations(): Uint32s
  /** True if the slot is in use. */
  has(slot: number): boolean
  /** Removes an item, and frees its slot. `STALE_SLOT`: the slot is not in use. */
  remove(slot: number): void
  /** Removes all items. */
  clear(): void
}

/** The queries that all classes for points and for boxes have. */
interface Queries<D extends Dimensions> {
  /**
   * Returns the ids of the items within a radius of a center: points, or boxes that meet the circle
   * or sphere. A radius of 0 finds the items exactly at the center; Infinity finds all items.
   */
  within(...query: [...center: Point<D>, radius: number, options?: QueryOptions]): Uint32s
  /** Returns the number of items within a radius. Faster than `within`. */
  countWithin(...query: [...center: Point<D>, radius: number, options?: SelectOptions]): number
  /** True if any item is within a radius. The search stops at the first one. */
  anyWithin(...query: [...center: Point<D>, radius: number, options?: SelectOptions]): boolean
  /**
   * Returns the ids of the items in a box, border included: points inside, or boxes that meet it.
   * On each axis, min and max may be in either order, and both may be infinite.
   */
  range(...query: [...box: Box<D>, options?: RangeOptions]): Uint32s
  /** Returns the number of items that `range` finds. */
  countRange(...query: [...box: Box<D>, options?: SelectOptions]): number
  /**
   * Returns the id of the item nearest to a point, ties by lower id; -1 if there is none. The
   * distance to a box is 0 if the point is inside.
   */
  nearest(...query: [...point: Point<D>, options?: NearestOptions]): number
  /** Returns the ids of the k items nearest to a point, nearest first, ties by lower id. */
  neighbors(
    ...query: [...point: Point<D>, k: number, options?: NearestOptions & DistanceOptions]
  ): Uint32s
  /**
   * The squared distances of the ids that the last query returned. Throws a `TypeError` if that
   * query did not have the option `distances2: true`. As valid as the ids.
   */
  get distances2(): Float32s

  // Batches: many queries in one call. Row i of the results belongs to point or box i, and holds
  // the ids that a single query for this point or box finds, in the same order. The buffers for
  // results grow on demand and are kept: so memory grows only if a batch finds more than any batch
  // before.

  /**
   * Returns the items within a radius of each point. `points`: x, y, (z,) x, y, …. The rows are
   * valid until the next `withinMany`, `rangeMany`, `pairs` or `allWithin`.
   */
  withinMany(points: Float32Array, radius: number, options?: SelectOptions): Rows
  /**
   * Returns the items in each box, as `range` does. `boxes`: minX, minY, (minZ,) maxX, maxY,
   * (maxZ,) minX, …. The rows are valid until the next `withinMany`, `rangeMany`, `pairs` or
   * `allWithin`.
   */
  rangeMany(boxes: Float32Array, options?: SelectOptions): Rows
  /**
   * Returns the k items nearest to each point, and their distances. `points`: x, y, (z,) x, y, ….
   * The rows are valid until the next `neighborsMany` or `allNeighbors`.
   */
  neighborsMany(points: Float32Array, k: number, options?: NearestOptions): NeighborRows

  // Debugging

  /**
   * Returns a copy of the cells of the tree or grid, to draw them. For each cell, parents before
   * children: its box (minX, minY, (minZ,) maxX, maxY, (maxZ)), its depth and its number of items.
   */
  cells(): Float32s
}

/** The queries that only the 3D classes for points and for boxes have. */
interface Queries3D {
  /**
   * Returns the ids of the items inside all planes, such as what a camera sees: points inside, or
   * boxes that are not wholly outside any plane (near an edge of the frustum, such a box may be
   * just outside). `planes`: x, y, z, w of each plane, as in three.js; the point (px, py, pz) is
   * inside if `px * x + py * y + pz * z + w >= 0`. At least one plane. `AgentTree3D` and `Octree`
   * skip what is far outside; `Grid3D` and `KdTree3D` test every agent.
   */
  frustum(planes: Float32Array, options?: RangeOptions): Uint32s
}

// ---- Points ----

/** Options of every index of points. */
export interface IndexOptions extends CapacityOptions, InstanceOptions {
  /**
   * How positions are stored. 'interleaved': in one array, `positions` (x0, y0, x1, y1, …).
   * 'separate': in one array per axis, `xs`, `ys` and `zs`. Default: 'interleaved'.
   */
  layout?: 'interleaved' | 'separate'
  /**
   * What `build()` does with positions that are NaN, infinite or beyond ±1e18. 'error': throws
   * `NOT_FINITE`. 'skip': leaves these agents out of every result. Default: 'error'.
   */
  onNonFinite?: 'error' | 'skip'
}

/**
 * The sizes of the buffers for the results of batches, to allocate the buffers in advance. Without
 * these options, the buffers grow when a batch needs more room.
 */
export interface RoomOptions {
  /** How many ids to make room for: the total of a batch, with two ids per pair. Default: 0. */
  results?: number
  /** How many neighbors per agent to make room for: the `k` of `allNeighbors`. Default: 0. */
  k?: number
}

export interface Stats {
  /** The number of agents in the last build. */
  agents: number
  /** The number of agents left out of the last build because their positions are not finite. */
  skipped: number
  /** For a tree: the number of nodes. For a grid: the number of entries in its table of cells. */
  nodes: number
  /** For a tree: the number of leaves. For a grid: the number of table entries with agents. */
  leaves: number
  /** The depth of the deepest leaf. The root has depth 0. */
  depth: number
  /** The linear memory that the object has allocated, in bytes. */
  bytes: number
  /**
   * The number of nodes that the last query of this object visited. For a grid, the number of runs
   * of adjacent cells.
   */
  visits: number
}

declare abstract class Points<D extends Dimensions> extends Slots {
  /**
   * The exclusive end of a loop over all slots: every agent has a lower slot. Setting `slots` to n
   * makes slots 0 to n - 1 agents, and frees all others. New agents have `groups` 1; their
   * positions are what the arrays of positions hold at their slots.
   */
  get slots(): number
  set slots(slots: number)
  /**
   * Adds an agent, with `groups` 1. Returns its slot, the lowest free one. `FULL`: no slot is free.
   */
  add(...position: Point<D>): number
  /** Writes the position of an agent. `STALE_SLOT`: the slot is not in use. */
  move(...agent: [slot: number, ...position: Point<D>]): void
  /**
   * Grows to at least this capacity, up to 2 ** 28, and allocates buffers for batches. Keeps
   * everything but the results of queries. Get all arrays of the object again afterward: the old
   * ones are invalid.
   */
  reserve(capacity: number, options?: RoomOptions): void

  // Arrays with one entry per slot, for the whole capacity. What the game writes to such an array
  // takes effect in queries with the next `build()`, unless the array's comment says otherwise.

  /**
   * The positions of the agents, which the game writes: x0, y0, (z0,) x1, y1, …. Get the array
   * again after you create any object or call any `reserve`: linear memory may have grown, which
   * detaches the array.
   */
  get positions(): Float32s
  /** The x of each agent, with `layout: 'separate'`. */
  get xs(): Float32s
  /** The y of each agent, with `layout: 'separate'`. */
  get ys(): Float32s
  /** The z of each agent, with `layout: 'separate'`. Undefined in the plane. */
  get zs(): D extends 3 ? Float32s : undefined
  /**
   * The groups of each agent: 32 bits, one per group. From the next build on, an agent whose groups
   * are 0 is absent from every result. The groups of free slots are 0.
   */
  get groups(): Uint32s
  /**
   * The mask of each agent, 32 bits: in `allWithin` and `allNeighbors`, the agent finds only agents
   * whose groups share a bit with its mask. Default: all bits. Changes take effect at once.
   */
  get masks(): Uint32s
  /**
   * The radius of each agent, for rays and `pairs`. Default: 0. Changes take effect with the next
   * `build()`, which throws a `RangeError` if a radius is NaN or negative.
   */
  get radii(): Float32s
  /**
   * Builds the index from the positions, `groups` and `radii` in its arrays, in O(N log N). Before
   * the first build, queries throw `NOT_BUILT`. If `build()` throws `NOT_FINITE`, queries still use
   * the previous build.
   *
   * `build(other)` first copies the agents of a crowd or of another index into this index, slot by
   * slot: positions, `groups` (0 for a crowd's disabled agents), `radii`, `masks` and `generations`.
   * All other slots become free. It reserves capacity if the other object has more slots; otherwise
   * it allocates no memory. If it fails, nothing has changed. The other object must have the same
   * dimensions, and belong to the same `Instance`.
   */
  build(other?: D extends 2 ? Crowd | Points<2> : Crowd3D | Points<3>): void

  /**
   * Returns the ids of the agents in a cone, such as a field of view: within the radius of the
   * apex, and at most `halfAngle` off the direction. `halfAngle` is 0 to Math.PI radians.
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
  /**
   * Returns the first agent that a segment hits, ties by lower id; null if there is none. Agents
   * are circles or spheres, of the option `radius` or of their own `radii`. If the segment starts
   * inside an agent, it hits that agent at fraction 0.
   */
  raycast(
    ...query: [...segment: Segment<D>, options?: RayOptions]
  ): (D extends 3 ? Hit3D : Hit) | null
  /**
   * Returns every agent that a segment hits, first hit first, ties by lower id: a piercing shot.
   * What counts as a hit is the same as in `raycast`. Always returns the same object; its arrays
   * are as valid as the ids of `within`.
   */
  raycastAll(...query: [...segment: Segment<D>, options?: RayOptions]): AllHits

  // Batches: many queries in one call. The buffers for the results grow on demand, and are kept.

  /**
   * Returns each agent's neighbors within a radius. Row i belongs to the agent of slot i, and
   * leaves out that agent. The rows of agents that are near each other are stored near each other.
   * All rows are valid until the next `allWithin`, `withinMany`, `rangeMany` or `pairs`.
   */
  allWithin(radius: number, options?: MaskOptions): Rows
  /**
   * Returns the k nearest neighbors of each agent, and their distances. Row i belongs to the agent
   * of slot i, and leaves out that agent. The rows are valid until the next `allNeighbors` or
   * `neighborsMany`.
   */
  allNeighbors(k: number, options?: MaskOptions & MaxDistanceOptions): NeighborRows
  /**
   * Returns the first agent that each segment hits. `segments`: x0, y0, (z0,) x1, y1, (z1,) x0, ….
   * The result is valid until the next `raycastMany`.
   */
  raycastMany(segments: Float32Array, options?: ManyRayOptions): Hits
  /**
   * Returns the pairs of agents within a distance of each other, inclusive, or that touch. Each pair
   * is found once. Both agents must match the option `mask`. The result is valid until the next
   * `pairs`, `allWithin`, `withinMany` or `rangeMany`.
   */
  pairs(options?: PairsOptions): Pairs

  /**
   * Returns a copy of the slots of the agents in the last build, in an order in which agents that
   * are near each other in space are mostly near each other in the array. A game that renumbers its
   * agents in this order from time to time has fewer cache misses.
   */
  order(): Uint32s

  // Debugging

  /** Returns statistics of the last build and the last query. Always returns the same object. */
  stats(): Stats
}
interface Points<D extends Dimensions> extends Queries<D> {}

export interface TreeOptions {
  /**
   * The maximum number of agents in a leaf, at least 1. More share a leaf only if they are at the
   * same position. If `leafSize` is the capacity, the tree is a single leaf: brute force. Default:
   * 64, measured to be the fastest.
   */
  leafSize?: number
  /**
   * The axis along which a node is split. 'longest': the axis of the longest side of the node's
   * bounds. 'cycle': x, y, (z,) x, … by depth, as in textbooks; with `split: 'midpoint'` the tree
   * is then unbalanced. Default: 'longest'.
   */
  axis?: 'longest' | 'cycle'
  /**
   * Where a node is split. 'midpoint': at the middle of the node's bounds, the fastest to build.
   * 'median': at the median agent, so that the tree is exactly balanced. Default: 'midpoint'.
   */
  split?: 'midpoint' | 'median'
}
export type AgentTreeOptions = IndexOptions & TreeOptions

/**
 * A tree of many points that all move: write `positions`, `build()` every frame, then query. If in
 * doubt, use this one.
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
export interface AgentTree3D extends Queries3D {}

export interface CellOptions {
  /** The width of a cell, > 0, in world units. Fastest: about the radius that most queries have. */
  cellSize: number
  /**
   * A world that wraps around: the sides minX, minY, (minZ,) maxX, maxY, (maxZ), in world units. An
   * agent that leaves the world on one side enters it on the other. Positions may lie anywhere: a
   * build moves them into the world, in its own copy. Distances are measured the shorter way around
   * the world; each agent is found at most once, for any radius. Cells divide the world exactly, so
   * they may be wider than `cellSize`. They are also wider if there would otherwise be more than
   * about four cells per agent. `range`, `countRange`, `cone`, `raycast`, their other forms,
   * `frustum`, and sensors that are boxes throw a `TypeError`. Default: the world does not wrap.
   */
  wrap?: readonly number[]
}
export type GridOptions = IndexOptions & CellOptions

/**
 * A uniform grid of many points that all move: write `positions`, `build()` every frame, then
 * query.
 *
 * The fastest index for evenly spread points if all queries have about the same radius, with cells
 * as wide as that radius. `AgentTree` is faster where points crowd together, and for radii that
 * differ much from the cell size.
 */
export class Grid extends Points<2> {
  constructor(options: GridOptions)
}
/** As `Grid`, in three dimensions. */
export class Grid3D extends Points<3> {
  constructor(options: GridOptions)
}
export interface Grid3D extends Queries3D {}

export interface BuilderOptions {
  /**
   * How `build()` finds medians; the resulting tree is always the same. 'quickselect': by sampling,
   * usually the fastest. 'median-of-medians': in linear time even for the worst set of points.
   * 'presort': by sorting the points once per axis, which takes more memory. Default:
   * 'quickselect'.
   */
  builder?: 'quickselect' | 'median-of-medians' | 'presort'
}
export type KdTreeOptions = IndexOptions & BuilderOptions

/**
 * A balanced tree of points that seldom move: spawn points, resources, waypoints. Write
 * `positions`, `build()` after changes, then query.
 *
 * The k-d tree of Bentley (1975), with one point per node and no pointers. It takes the least
 * memory of all indexes of points, and its depth is at most log2 N for any points. `cells()`
 * returns its splitting lines (in space, planes) as boxes of width 0 along the split axis.
 */
export class KdTree extends Points<2> {
  constructor(options?: KdTreeOptions)
}
/** As `KdTree`, in three dimensions. */
export class KdTree3D extends Points<3> {
  constructor(options?: KdTreeOptions)
}
export interface KdTree3D extends Queries3D {}

// ---- Sensors ----

export interface SensorsOptions<D extends Dimensions> extends CapacityOptions {
  /**
   * The index whose agents the sensors find: an AgentTree, Grid or KdTree, in 2D or 3D. By
   * `build(crowd)` they can be the agents of a crowd.
   */
  index: Points<D>
}

/** The size of the buffers for the results of updates, to allocate the buffers in advance. */
export interface SensorsRoomOptions {
  /**
   * The number of agents that all sensors together find in one update. The buffers grow when an
   * update finds more. Default: 0.
   */
  results?: number
}

export interface SensorReach extends MaskOptions {
  /**
   * An agent enters when it is at most this far from the sensor's `position` or `agent`, or inside
   * the sensor's `box`, enlarged by this distance on each side. At least 0, may be Infinity.
   * Default for a box: 0. Required for other sensors.
   */
  radius?: number
  /**
   * An agent inside the sensor leaves when its distance, measured as for `radius`, is greater than
   * this. At least `radius`. Default: `radius`.
   */
  exitRadius?: number
}

/** Where a sensor is: exactly one of the options `position`, `box` and `agent`. */
export type SensorPlace =
  | {
      /** The center of a circle or sphere: [x, y] or, in space, [x, y, z]. */
      position: ArrayLike<number>
      radius: number
      box?: undefined
      agent?: undefined
    }
  | {
      /**
       * Two opposite corners: [x, y, x, y] or, in space, [x, y, z, x, y, z]. Coordinates may be
       * infinite.
       */
      box: ArrayLike<number>
      position?: undefined
      agent?: undefined
    }
  | {
      /**
       * The slot of an agent to surround: the sensor moves with the agent, and never finds it. The
       * slot may be free: the sensor then finds nothing.
       */
      agent: number
      radius: number
      position?: undefined
      box?: undefined
    }
export type SensorOptions = SensorReach & SensorPlace

/** What changed in an update. Row i belongs to sensor i. */
export interface SensorChanges {
  /**
   * For each sensor, the ids of the agents that left it, in ascending order. Handle these before
   * `entered`.
   */
  left: Rows
  /** For each sensor, the ids of the agents that entered it, in ascending order. */
  entered: Rows
  /** All agents that are inside each sensor now, in no particular order. */
  inside: Rows
}

export interface SensorsStats {
  /** The number of sensors. */
  sensors: number
  /** The number of agents inside, each counted once for every sensor that it is inside of. */
  inside: number
  /** The linear memory that the object has allocated, in bytes. */
  bytes: number
}

/**
 * Sensors tell which agents of an index entered a zone, and which left it: trigger zones, guards
 * that notice agents, areas of interest. A sensor is a circle or sphere, a box, or a circle or
 * sphere around an agent. After each `build()` of the index, call `update()`.
 *
 * An agent enters within a sensor's `radius`, and leaves beyond its `exitRadius`: with a larger `exitRadius`,
 * an agent that walks along the border does not enter and leave again and again. An agent leaves,
 * too, when it is removed, when its `groups` become 0, and when it no longer matches the mask. If
 * another agent has taken its slot since the last update, the slot's id is in `left` and, if the
 * new agent is within the radius, in `entered`.
 *
 * A sensor around an agent finds no agents while the `groups` of the agent that it surrounds are 0.
 * If that agent is removed, the sensor forgets which agents are inside, without reporting that they
 * left. It then surrounds the next agent that takes the slot: so one sensor per slot of a pool can
 * stay for the whole game.
 *
 * Once the index is disposed, `update` and `restore` throw `DISPOSED`. Snapshots hold
 * the sensors and which agents are inside them, but not the index: save and restore the index too.
 */
export class Sensors<D extends Dimensions = 2> extends Slots {
  constructor(options: SensorsOptions<D>)
  get index(): Points<D>
  /**
   * Grows to at least this capacity, up to 2 ** 28, and allocates room for results. Keeps
   * everything but the rows of the last update. Get all arrays of the object again afterward: the
   * old ones are invalid.
   */
  reserve(capacity: number, options?: SensorsRoomOptions): void

  // Arrays with one entry per sensor, for the whole capacity. Changes take effect with the next
  // `update()`, which may move the arrays in memory: get them again after each update.

  get radii(): Float32s
  /** The option `exitRadius` of each sensor: agents inside leave beyond this distance. */
  get exitRadii(): Float32s
  get masks(): Uint32s
  /** The slot of the agent that each sensor surrounds; -1 if it surrounds none. Read-only. */
  get agents(): Int32s

  /**
   * Adds a sensor. Returns its slot, the lowest free one. All agents within the sensor's radius
   * enter with the next update. `FULL`: no slot is free.
   */
  add(sensor: SensorOptions): number
  /**
   * Moves a sensor to another position or, if it is a box, to other corners. The sensor still
   * remembers which agents are inside, so the next update reports only the changes. Throws if the
   * sensor is attached to an agent, with which it moves. `STALE_SLOT`: the slot is not in use.
   */
  move(slot: number, ...place: Point<D> | Box<D>): void
  /**
   * Makes a sensor forget which agents are inside: the next update reports none of them as having
   * left, and reports all agents within the radius as having entered. `STALE_SLOT`: the slot is not
   * in use.
   */
  reset(slot: number): void

  /**
   * Searches the last build of the index for each sensor. Returns the agents that left and entered
   * each sensor since the last update, and those that are inside. Always returns the same object,
   * which is valid until the next update. The center of a sensor around an agent is the agent's
   * current entry in `positions`, even if it changed after the build. Costs as much as the
   * searches, plus time linear in the number of agents inside, plus the time to sort those that
   * left and entered. Memory grows only if the sensors find more agents than in any update before,
   * or if the index has grown. A radius that is NaN or negative, or larger than the sensor's
   * `exitRadius`, throws a `RangeError`.
   */
  update(): SensorChanges
  /** Returns statistics. Always returns the same object. */
  stats(): SensorsStats
}

// ---- Boxes ----

export interface OctreeOptions extends CapacityOptions, InstanceOptions {
  /**
   * The box of the world: [minX, minY, (minZ,) maxX, maxY, (maxZ)]. Items outside of it are found
   * too.
   */
  bounds: readonly number[]
  /**
   * A cell with more items than this is divided. 0: cells are always divided, down to `maxDepth`.
   * Default: 24.
   */
  leafSize?: number
  /**
   * The maximum depth of cells, 0 to 24. 0: the tree is one cell with a list of all items. Default:
   * 8.
   */
  maxDepth?: number
  /**
   * A cell takes items as if it were this many times larger, 1 to 16. Above 1, a small item on the
   * line between two cells fits into one of them; with 1 it stays in the larger cell that was
   * divided, which makes queries slower. Default: 1.
   */
  looseness?: number
}

/** The first box that a ray hits, and where the ray enters it. */
export interface BoxHit extends Hit {
  /**
   * The normal of the side that the ray hits: one coordinate is 1 or -1. All are 0 if the ray
   * starts inside.
   */
  normalX: number
  normalY: number
}
export interface BoxHit3D extends BoxHit {
  z: number
  normalZ: number
}

export interface OctreeStats {
  items: number
  /** The number of all cells. */
  nodes: number
  /** The number of cells that are not divided. */
  leaves: number
  /** The depth of the deepest cell. The root has depth 0. */
  depth: number
  /**
   * By depth, the number of items that the cells of that depth hold, without those in their
   * children.
   */
  perDepth: number[]
  /** The number of items that stay in a divided cell because no child of the cell can hold them. */
  straddlers: number
  /** The number of items that are not wholly inside `bounds`. */
  outside: number
  /** The number of cells that were not divided because all memory for cells was in use. */
  unsplit: number
  /**
   * A measure of the work since the last `stats()`: the number of times that an item was put into
   * or taken out of a cell, plus the number of cells divided or merged.
   */
  changes: number
  /** The linear memory that the object has allocated, in bytes. */
  bytes: number
  /** The number of cells that the last query of this object visited. */
  visits: number
}

declare abstract class Boxes<D extends Dimensions> extends Slots {
  /**
   * The box of each slot, for the whole capacity: minX, minY, (minZ,) maxX, maxY, (maxZ). A point is
   * a box whose upper sides are equal to its lower ones. `add` and `move` write to this array. The
   * game may too: its changes take effect with the next `moveAll()`.
   */
  get boxes(): Float32s
  /**
   * The groups of each item: 32 bits, one per group. Default: 1. A value that you write stays, even
   * when `remove` frees the slot and `add` takes it again. An item whose groups are 0 is absent
   * from every result. Changes take effect at once.
   */
  get groups(): Uint32s

  /** Adds a point. Returns its slot, the lowest free one. `FULL`: no slot is free. */
  add(...point: Point<D>): number
  /** Adds a box. Returns its slot, the lowest free one. `FULL`: no slot is free. */
  add(...box: Box<D>): number
  /**
   * Adds a point at a slot of your choice, which must be free. Keeps the value that you wrote to
   * `groups` for this slot.
   */
  addAt(...item: [slot: number, ...point: Point<D>]): void
  /**
   * Adds a box at a slot of your choice, which must be free. Keeps the value that you wrote to
   * `groups` for this slot.
   */
  addAt(...item: [slot: number, ...box: Box<D>]): void
  /**
   * Moves an item to a point. An item that was a box becomes a point. O(1) if the item stays in its
   * cell. `STALE_SLOT`: the slot is not in use.
   */
  move(...item: [slot: number, ...point: Point<D>]): void
  /**
   * Moves or resizes an item. O(1) if the item stays in its cell. `STALE_SLOT`: the slot is not in
   * use.
   */
  move(...item: [slot: number, ...box: Box<D>]): void
  /**
   * Moves every item to its box in the array `boxes`: one by one or, if many left their cells, by
   * building the tree again. Throws, and changes nothing, if a box is not finite or has min > max.
   */
  moveAll(): void
  /**
   * Replaces all items by those of slots 0 to count - 1, whose boxes the game has written to the
   * array `boxes`. Much faster than adding the items one by one. Throws, and changes nothing, if a
   * box is not finite or has min > max.
   */
  load(count: number): void

  /** Returns the ids of the items that contain a point, borders included. */
  at(...query: [...point: Point<D>, options?: RangeOptions]): Uint32s
  /**
   * Returns the first box or point that a segment hits, ties by lower id; null if there is none.
   * With the option `inflate`, the segment is the path of a bullet of this radius, and the hit's x
   * and y are the bullet's center when it touches the box.
   */
  raycast(
    ...query: [...segment: Segment<D>, options?: BoxRayOptions]
  ): (D extends 3 ? BoxHit3D : BoxHit) | null
  /**
   * Returns the first box or point that each segment hits. `segments`: x0, y0, (z0,) x1, y1, (z1,)
   * x0, …. The result is valid until the next `raycastMany`.
   */
  raycastMany(segments: Float32Array, options?: ManyBoxRayOptions): Hits
  /**
   * Returns the pairs of items that touch or overlap. Each pair is found once. Both items must match
   * the option `mask`. The result is valid until the next `pairs`, `withinMany` or `rangeMany`.
   */
  pairs(options?: MaskOptions): Pairs

  // Debugging

  /** Returns statistics of the tree and the last query. Always returns the same object. */
  stats(): OctreeStats
}
interface Boxes<D extends Dimensions> extends Queries<D> {}

/**
 * Boxes and points that are added, removed and moved one at a time: colliders, zones, pickups.
 * `add` returns a slot, which is the id of the item. Queries see every change at once: there is no
 * build.
 *
 * The quadtree of Finkel and Bentley (1974), optionally loose. `add`, `remove` and `move` divide
 * and merge cells as necessary.
 */
export class Quadtree extends Boxes<2> {
  constructor(options: OctreeOptions)
}
/** As `Quadtree`, in three dimensions. */
export class Octree extends Boxes<3> {
  constructor(options: OctreeOptions)
}
export interface Octree extends Queries3D {}

// ---- Walls ----

export interface ObstacleOptions extends CapacityOptions, InstanceOptions {
  /**
   * The maximum number of pieces, at least the capacity: the tree cuts edges into pieces where they
   * cross the tree's dividing lines. If the maximum is reached, queries are slower, but still
   * exact. Default: twice the capacity.
   */
  pieces?: number
  /**
   * A cell with more pieces of edges than this is divided. At least 1. Default: 32, measured to be
   * the fastest.
   */
  leafSize?: number
}

export interface PolygonOptions {
  /**
   * Which side of the polygon is solid. 'inside': the inside, in either winding order. 'outside':
   * the outside, for the border of a level. 'winding': the inside if the vertices are
   * counter-clockwise (y up), the outside if they are clockwise. 'nowhere': no side; edges are
   * visible from both sides. 'inside' and 'outside' need a polygon with an area. Default: 'inside'.
   */
  solid?: 'inside' | 'outside' | 'winding' | 'nowhere'
}

export interface SideOptions {
  /**
   * Which edges the query finds. 'both': all. 'visible': only edges that are not solid on the side
   * toward the query's point. This includes all thin walls (segments), which have no solid side.
   * Default: 'both'.
   */
  side?: 'both' | 'visible'
}

/**
 * The box that a visibility polygon is clipped to: the intersection of `bounds` and the square that
 * `maxDistance` defines. If neither option is given, the box is a little larger than the bounds of
 * all walls and the point.
 */
export interface VisibilityOptions {
  /**
   * Clips the polygon to a square around the point, whose sides are this far from the point.
   * Default: Infinity, no square.
   */
  maxDistance?: number
  /**
   * Clips the polygon to a box: minX, minY, maxX, maxY. The point must be inside the box, not on
   * its border. Default: no box.
   */
  bounds?: ArrayLike<number>
}

/** The point on a wall that is nearest to the point of the query. */
export interface NearestPoint {
  /** The id of the edge that the point is on. */
  id: number
  x: number
  y: number
  distance: number
}

/** The first edge of a wall that a ray meets. */
export interface ObstacleHit extends Hit {
  /** The unit normal of the edge, toward the start of the ray. */
  normalX: number
  normalY: number
}

export interface ObstacleStats {
  /** The number of edges in the tree. */
  edges: number
  /** The number of edges left out of the tree because they have no length. */
  dropped: number
  /** The number of pieces that the tree cuts edges into: at least one per edge. */
  pieces: number
  /** The number of nodes: dividing lines and cells. */
  nodes: number
  /** The number of cells, the leaves of the tree. */
  leaves: number
  /**
   * The number of cells with more than `leafSize` pieces: no line divides such a cell well, or the
   * limit of the option `pieces` was reached.
   */
  unsplit: number
  /** The depth of the deepest cell. The root has depth 0. */
  depth: number
  polygons: number
  /** The linear memory that the object has allocated, in bytes. */
  bytes: number
  /** The number of nodes that the last query of this object visited. */
  visits: number
}

/**
 * The walls of a level, in the plane. Finds walls near a point, walls that a ray hits, and what is
 * visible. Walls are the edges of polygons. The id of an edge is that of the first of its two
 * vertices. The slot of a polygon is the id of its first vertex.
 *
 * A polygon is solid inside, outside or nowhere: an option of `addPolygon`, which does not change
 * when the polygon moves. An edge is visible from a side that is not solid. Segments are thin
 * walls, visible from both sides. Polygons may touch, overlap and cross.
 *
 * A binary space partition after Fuchs, Kedem and Naylor (1980). The first query after polygons
 * were added, removed or moved builds the tree. Queries are exact, no matter how the tree divides
 * the plane.
 */
export class ObstacleTree extends Slots {
  constructor(options?: ObstacleOptions)

  /** The number of polygons, segments included. */
  get count(): number
  /**
   * The x and y of each vertex, for the whole capacity. `addPolygon`, `addSegment` and `move` write
   * to this array, and the next query sees their changes. The game may write to it too: queries see
   * that after the next `build()`.
   */
  get vertices(): Float32s
  /**
   * By vertex, the next vertex of its polygon: the other end of the edge that starts at the vertex.
   * Read-only.
   */
  get next(): Uint32s
  /** By vertex, the slot of its polygon. Read-only. */
  get polygons(): Uint32s
  /** True if a polygon has this slot. */
  has(slot: number): boolean
  /**
   * Returns the direction in which a polygon's edges run: 1 counter-clockwise (y up), -1 clockwise,
   * 0 if the polygon has no area. Edges run with the solid side on their left, even if the vertices
   * were given in the opposite order. So 1 means that the inside is solid, -1 the outside. If the
   * polygon is solid nowhere, its edges run in the order of the vertices. `STALE_SLOT`: no polygon
   * has this slot.
   */
  winding(slot: number): number

  /**
   * Adds a closed polygon: x0, y0, x1, y1, …. Returns the polygon's slot, which is also the id of
   * its first vertex and of its first edge. Vertices get the lowest free ids in ascending order:
   * consecutive ones, unless removed polygons left gaps. A polygon of two vertices has no area: use
   * `addSegment`. `FULL`: more vertices than the capacity has room for.
   */
  addPolygon(points: ArrayLike<number>, options?: PolygonOptions): number
  /**
   * Adds a thin wall: a polygon of two vertices, with an edge for each side. Returns its slot,
   * which is the id of the edge from (x0, y0) to (x1, y1). The second edge runs back.
   */
  addSegment(...segment: Segment<2>): number
  /**
   * Moves a polygon, such as a door or a platform. `points`: the new position of each of its
   * vertices, x0, y0, x1, y1, …. The polygon's solid side stays the same, even if the winding order
   * changes. `STALE_SLOT`: no polygon has this slot.
   */
  move(slot: number, points: ArrayLike<number>): void
  /**
   * Builds the tree from `vertices`, usually in O(N log N). You need to call `build` only after the
   * game wrote to that array: after all other changes, the next query builds the tree. A build does
   * not change which side of a polygon is solid. If `build` throws `NOT_FINITE`, the previous tree
   * stays.
   */
  build(): void

  /** Returns the ids of the edges within a radius, nearest first, ties by lower id. */
  within(
    ...query: [...center: Point<2>, radius: number, options?: SideOptions & DistanceOptions]
  ): Uint32s
  /** As `distances2` of the other classes: of the last `within`. */
  get distances2(): Float32s
  /**
   * Returns the id of the nearest edge, ties by lower id; -1 if there is none. Ignores edges
   * farther away than the option `maxDistance` (default: Infinity).
   */
  nearest(...query: [...point: Point<2>, options?: SideOptions & MaxDistanceOptions]): number
  /** Returns the nearest point on the nearest edge; null if there is none. */
  nearestPoint(
    ...query: [...point: Point<2>, options?: SideOptions & MaxDistanceOptions]
  ): NearestPoint | null
  /**
   * True if no wall is between two points: no edge meets the segment or comes within the option
   * `inflate` of it (default: 0). Both directions give the same result. Nothing is visible from a
   * point on a wall, and from inside a polygon nothing outside: keep a tower that shoots over its own
   * walls in a tree of its own.
   */
  visible(...query: [...segment: Segment<2>, options?: { inflate?: number }]): boolean
  /** Returns the first edge that a segment meets, ties by lower id; null if there is none. */
  raycast(...query: [...segment: Segment<2>, options?: SideOptions]): ObstacleHit | null
  /**
   * Returns the first edge that each segment meets. `segments`: x0, y0, x1, y1, x0, …. The result is
   * valid until the next `raycastMany`.
   */
  raycastMany(segments: Float32Array, options?: SideOptions): Hits
  /**
   * True if a point is inside something solid, or on its border. If polygons overlap, a sum
   * decides: each polygon around the point adds 1 if it is solid inside, and -1 if it is solid
   * outside. If the tree has any polygon that is solid outside, 1 is added. The point is inside
   * something solid if the sum is positive. Thin walls and polygons that are solid nowhere do not
   * count.
   */
  contains(...point: Point<2>): boolean
  /**
   * Returns the area that is visible from a point, for light, fog of war or a guard's sight. The
   * result is a polygon: x, y, x, y, … of its corners, counter-clockwise (y up). Empty if the point
   * is on a wall. Valid until the next `visibilityPolygon`.
   */
  visibilityPolygon(...query: [...point: Point<2>, options?: VisibilityOptions]): Float32s
  /**
   * Returns those of `ids` whose agents are visible from a point, in the same order. The ids can
   * be, for example, the result of a query of an `AgentTree`. `positions`: x0, y0, x1, y1, …, by
   * id. An agent whose position is not finite is not visible. The result is valid until the next
   * call of `keepVisible`.
   */
  keepVisible(
    ...query: [...point: Point<2>, ids: ArrayLike<number>, positions: ArrayLike<number>]
  ): Uint32s
  // Debugging

  /**
   * Returns a copy of the cells that hold pieces of edges, to draw them. For each cell, in preorder
   * with right children first: the bounds of its pieces (minX, minY, maxX, maxY), its depth and its
   * number of pieces.
   */
  cells(): Float32s
  /**
   * Returns a copy of the tree's dividing lines, to draw them. For each line, parents before
   * children: its ends (x0, y0, x1, y1), cut at the border of the area that it divides, and its
   * depth.
   */
  lines(): Float32s
  /** Returns statistics of the tree and the last query. Always returns the same object. */
  stats(): ObstacleStats
}

// ---- Crowds ----

/**
 * The attributes of an agent that are not vectors. As options of a crowd, they are the defaults for
 * its agents.
 */
export interface AgentNumbers {
  /**
   * The speed at which the agent heads for its goal, in world units per second. `maxSpeed` limits it.
   * Default: 1.
   */
  preferredSpeed?: number
  /**
   * The agent has arrived, and stops, as soon as it is this near to its goal. So it is not held up by
   * others at the goal, and passes a row of waypoints without a stop. Default: 0, at the goal.
   */
  arrivalRadius?: number
  /** The radius of the agent's circle or sphere, in world units. Default: 0.5. */
  radius?: number
  /** The maximum speed, in world units per second. Default: 2. */
  maxSpeed?: number
  /**
   * The agent ignores neighbors whose centers are farther away than this plus the difference of the
   * two radii. May be Infinity. Default: 10.
   */
  neighborDistance?: number
  /**
   * The maximum number of neighbors that the agent avoids, 0 to 64: those with the smallest gaps,
   * the distance of the centers less both radii. With `exact`, those with the nearest centers. As an
   * option of a crowd, this is also the upper limit for all agents of the crowd. Default: 10.
   */
  maxNeighbors?: number
  /**
   * How many seconds ahead the velocity must stay free of collisions with neighbors, > 0.
   * Default: 2.
   */
  timeHorizon?: number
  /**
   * How many seconds ahead the velocity must stay free of collisions with walls, > 0. Default: 2.
   */
  obstacleTimeHorizon?: number
  /**
   * The maximum change of the velocity per second. May be Infinity. If all time steps are equally
   * long, the agent brakes early enough not to hit walls. Default: Infinity.
   */
  maxAcceleration?: number
  /**
   * An agent yields less to agents of a lower priority. Its share of the avoidance is
   * `other.priority / (own.priority + other.priority)`, where `other` is the agent that it avoids;
   * one half if both priorities are 0. Default: 0.
   */
  priority?: number
  /**
   * The agent's groups: 32 bits, one per group. An agent whose groups are 0 avoids no other agent,
   * and is not avoided. Default: 1.
   */
  groups?: number
  /**
   * The agent avoids other agents whose `groups` share a bit with this mask. If such an agent does
   * not avoid this one in turn, this agent does all of the avoiding. Default: all bits.
   */
  mask?: number
  /** False: the agent does not move, and no agent avoids it. Default: true. */
  enabled?: boolean
  /**
   * True: only the game moves the agent, by writing its position; other agents avoid it. The game
   * should write its velocity too, so that the other agents can look ahead. Default: false.
   */
  locked?: boolean
}

export interface CrowdOwnOptions extends CapacityOptions, InstanceOptions {
  /**
   * True: agents follow the published algorithm only. False: in addition, they turn aside to pass
   * others, slow down for their goals, stand still there, make way for others when they stand, and
   * come out of walls. Default: false.
   */
  exact?: boolean
}
export type CrowdOptions = AgentNumbers & CrowdOwnOptions

/** The attributes of an agent that are vectors: [x, y] or, in space, [x, y, z]. */
export interface AgentVectors {
  position: ArrayLike<number>
  /** The initial velocity, in world units per second. Default: 0. */
  velocity?: ArrayLike<number>
  /**
   * The velocity that the agent takes if nothing is in its way and it has no goal. If it is 0, the
   * agent is idle: it makes way for others whose priority is at least its own, and goes back to where
   * it became idle or where the game last put it. Default: 0.
   */
  preferredVelocity?: ArrayLike<number>
  /**
   * The point that the agent heads for at `preferredSpeed`, and stops at. Default: null, no goal.
   */
  goal?: ArrayLike<number> | null
}
export type AgentOptions = AgentVectors & AgentNumbers

/** What an agent takes into account in a step: the result of `inspect`. */
export interface CrowdView {
  /** The slots of the neighbors that the agent avoids, nearest first. */
  neighbors: Uint32s
  /** The ids of the edges of obstacles that the agent avoids, nearest first. */
  obstacles: Uint32s
  /**
   * The constraints on the agent's velocity, those of obstacles first. In the plane, a constraint is a
   * line in velocity space: a point (x, y) and a direction (x, y); velocities left of the line
   * (y up) are permitted. In space, a constraint is a plane: a point and a unit normal; velocities
   * on the side that the normal points to are permitted.
   */
  constraints: Float32s
  /** How many of the constraints, from the first on, come from obstacles. */
  obstacleConstraints: number
}

export interface CrowdStats {
  agents: number
  /** The number of agents in the last step for which no velocity satisfied all constraints. */
  infeasible: number
  /** The number of agents that touched or overlapped a neighbor at the start of the last step. */
  overlaps: number
  /** The average number of neighbors that an agent avoided in the last step. */
  neighbors: number
  steps: number
  /** The sum of all time steps, in seconds. */
  time: number
  /** The linear memory that the object has allocated, in bytes. */
  bytes: number
}

declare abstract class AnyCrowd<D extends Dimensions> extends Slots {
  constructor(options?: CrowdOptions)

  // Arrays with one entry per slot, for the whole capacity. The game may write to all but
  // `generations`: changes take effect with the next step. In arrays with one number per slot, a
  // number outside its range counts as the nearest one in range, and NaN as 0. In `goals`, NaN
  // means no goal. A position or velocity that is not finite makes `step` throw.

  /** The position of each agent: x, y, (z). Get the array again in each frame, as all of these. */
  get positions(): Float32s
  /** The velocity of each agent: x, y, (z). */
  get velocities(): Float32s
  /** The velocity that each agent takes if nothing is in its way and it has no goal: x, y, (z). */
  get preferredVelocities(): Float32s
  /** The point that each agent heads for and stops at: x, y, (z). NaN: no goal. */
  get goals(): Float32s
  get preferredSpeeds(): Float32s
  get arrivalRadii(): Float32s
  get radii(): Float32s
  get maxSpeeds(): Float32s
  get neighborDistances(): Float32s
  /** The `maxNeighbors` of each agent. */
  get maxNeighborCounts(): Uint32s
  get timeHorizons(): Float32s
  get obstacleTimeHorizons(): Float32s
  get maxAccelerations(): Float32s
  get priorities(): Float32s
  get groups(): Uint32s
  get masks(): Uint32s
  /** 1 if the agent is enabled, 0 if it does not move and no agent avoids it. */
  get enabled(): Uint32s
  /** 1 if the agent is locked: only the game moves it. Else 0. */
  get locked(): Uint32s

  /** Adds an agent. Returns its slot, the lowest free one. `FULL`: no slot is free. */
  add(agent: AgentOptions): number
  /**
   * Teleports an agent. Its progress toward its goal starts again: it counts as neither arrived nor
   * stuck. `STALE_SLOT`: the slot is not in use.
   */
  move(...agent: [slot: number, ...position: Point<D>]): void

  /**
   * Moves all agents by a time step of `dt` seconds. An agent takes the velocity nearest to its preferred velocity
   * that keeps it clear of neighbors and walls. A step of 0 seconds does nothing. `NOT_FINITE`: the
   * game wrote a position or velocity that is not finite; no agent has moved.
   */
  step(dt: number): void
  /**
   * Returns the slots of the agents that arrived in the last step: at their goals or, if agents
   * with the same goal already stand there, as near to the goal as possible. An agent can arrive
   * again only after it was pushed away, it got another goal, or space nearer to the goal became
   * free.
   * In ascending order. Valid until the next step.
   */
  arrived(): Uint32s
  /**
   * Returns the slots of the agents that got stuck in the last step. An agent gets stuck when it
   * has come no nearer to its goal for 2 seconds: others are in its way, or the field that leads it
   * knows no path (`field.distance` is Infinity), or not for its radius. It can get stuck again only
   * after it came nearer.
   * In ascending order. Valid until the next step.
   */
  stuck(): Uint32s
  /**
   * Returns a hash, an unsigned 32-bit integer, of the simulation's state: agents, time, number of
   * steps, and the options `maxNeighbors` and `exact`. Obstacles are not part of it.
   * Equal states have equal hashes on every machine: compare the hashes of two machines to find out
   * at once if their simulations differ.
   */
  hash(): number

  // Debugging

  /**
   * Returns the neighbors, obstacles and constraints that a step of `dt` seconds would use for an
   * agent now. Always returns the same object. O(N). `STALE_SLOT`: the slot is not in use.
   */
  inspect(slot: number, dt: number): CrowdView
  /** Returns statistics of the crowd and its last step. Always returns the same object. */
  stats(): CrowdStats
}

/** Options of `Crowd.follow`. */
export interface FollowOptions {
  /** The groups of the agents that the field leads: 32 bits. Default: all. */
  mask?: number
}

/**
 * Agents in the plane that each want to move somewhere and must not collide with each other or with
 * walls. Avoidance is local: a crowd finds no path around a wall that lies between an agent and its
 * goal. {@link FlowField} finds paths for many agents. Each agent is a disc with a slot. The
 * properties of agents are in arrays by slot, which the game may read and write between steps.
 *
 * Optimal reciprocal collision avoidance (ORCA) after van den Berg, Guy, Lin and Manocha (2011): an
 * agent relies on its neighbors to do half of the avoiding. Snapshots do not hold the obstacles.
 */
export class Crowd extends AnyCrowd<2> {
  constructor(options?: CrowdOptions)
  /**
   * The walls that agents avoid. Several crowds may share one tree. Its polygons may change between
   * steps: the next step then builds the tree. Default: null, no walls.
   */
  get obstacles(): ObstacleTree | null
  set obstacles(obstacles: ObstacleTree | null)
  /**
   * Makes a flow field lead agents around walls: in each step, the agents prefer the field's
   * direction at their `preferredSpeed`, until they are at the goal. `arrived()` and `stuck()`
   * return these agents too. If there is no path for an agent, or the agent is larger than the
   * field's radius, it stands still and is then stuck. An agent stops where it enters a goal's
   * area. Each step also writes the agents' `goals`: the center of the goal that the field leads
   * the agent to; NaN if there is no path.
   *
   * Up to 32 fields can lead a crowd: an agent follows the first one whose `mask` has a bit of the
   * agent's groups. Calling `follow` again with the same field replaces the mask; with mask 0, the
   * field no longer leads any agent. Snapshots hold what each agent heads for, but not the fields:
   * call `follow` again for a new crowd, before its first step. A crowd that restores a snapshot goes
   * on following its fields. A step takes 0.1 to 0.3 µs more for
   * each agent that is led. `FULL`: 32 fields lead the crowd already. If a field is disposed, steps
   * throw `DISPOSED` until you call `follow(field, { mask: 0 })`.
   */
  follow(field: FlowField, options?: FollowOptions): void
}
/** As `Crowd`, in space: agents are spheres, and there are no walls. */
export class Crowd3D extends AnyCrowd<3> {
  constructor(options?: CrowdOptions)
}

// ---- Paths around walls ----

export interface FlowFieldOptions extends InstanceOptions {
  /** The area that the field covers: [minX, minY, maxX, maxY]. */
  bounds: readonly number[]
  /**
   * The side of a cell, in world units. Passages that are narrower than this, after the radius is
   * taken off on both sides, may be missed. The time of a build and the memory of the field are in
   * proportion to the number of cells. The last column and row may reach beyond the bounds. There
   * can be at most 16,384 cells along each axis, and a cell's side must be at least 1/65,536 of the
   * largest coordinate of the bounds.
   */
  cell: number
  /** The initial value of the property `radius`. Default: half a cell. */
  radius?: number
  /**
   * The maximum number of anchors, 1 to 65,534: goals, and turning points beside the corners of
   * walls. A right angle has 2 turning points, the end of a thin wall has 4. The border of a goal
   * area takes an anchor per cell. Default: 4,096.
   */
  capacity?: number
  /** The maximum number of goals, 1 to 65,534. Default: 64. */
  goals?: number
}

/** Options of `reserve` of a flow field. */
export interface FlowFieldRoomOptions {
  /** Grows to at least this maximum number of goals. Default: 0. */
  goals?: number
}

/** The results of `directionMany`, with an entry per point. */
export interface FlowDirections {
  /** The direction of each path: a unit vector x, y; 0, 0 at the goal or if there is no path. */
  directions: Float32s
  /** The length of each path, plus the goal's cost; Infinity if there is no path. */
  distances: Float32s
}

/** A path to a goal. */
export interface Path {
  /**
   * The corners of the path: x, y, x, y, …. The last one is the goal. The start is not a corner,
   * unless it is in a goal area: it is then the only corner. Empty if there is no path.
   */
  corners: Float32s
  /** The length of the path, without the goal's cost; Infinity if there is no path. */
  length: number
  /** True if the path leads to a goal. */
  reached: boolean
}

/** Statistics of the last build, unless a comment says otherwise. */
export interface FlowFieldStats {
  /** The number of cells. */
  cells: number
  /** The number of cells that are closed, or whose center is in a wall or within `radius` of it. */
  blocked: number
  /** The number of cells from whose center there is a path to a goal. */
  reached: number
  /**
   * The number of anchors, the points from which a build searches for paths: turning points beside
   * the corners of walls, goals, and centers of cells at narrow passages.
   */
  anchors: number
  /**
   * The number of goals that were not at a free place: moved to a free cell or, if none is free,
   * ignored.
   */
  moved: number
  /** The number of floods: searches, outward from an anchor, for the cells that see it. */
  floods: number
  /** The number of cells that the build visited. */
  visits: number
  /** The number of lines of sight that were tested. */
  sights: number
  /** What the build cost, in the unit of `buildPart(work)`. */
  work: number
  /**
   * How often, since the field was created, `buildPart` began the build again because the
   * walls had changed.
   */
  restarts: number
  /** True if `buildPart` has begun a build that is not complete. */
  isUnderWay: boolean
  /** The linear memory that the object has allocated, in bytes. */
  bytes: number
}

/**
 * Paths around walls in the plane, for many agents that head for the same goals. From any point, a
 * path leads to the goal with the shortest path. A build is the costly part; each agent's direction
 * is then cheap. For a single agent, a search for one path costs less than a build.
 *
 * The field divides its bounds into square cells. Walls come from an obstacle tree. Paths keep a
 * distance from walls, the field's `radius`. For walls that have not changed since the build:
 *
 * - A path stays farther from all walls than the radius, unless its start is nearer.
 * - A path is found if there is one on which every gap between walls has a width of at least one
 *   cell plus twice the radius. Paths through narrower gaps may be found or missed.
 * - Paths are nearly the shortest: on average less than 0.2% longer, where gaps are at least three
 *   cells wide.
 *
 * If polygons changed, the next call builds the obstacle tree, but not the field. Queries test the
 * start of a path against the new walls: so no agent is sent through a wall that moved. But until
 * the next build of the field, queries may find no path.
 *
 * A build depends only on the walls, closed cells, goals and radius, and the options `bounds` and
 * `cell`. A build that is spread over many `buildPart` calls has the same results, bit for bit.
 * Snapshots hold the last build, the build under way and all settings but the obstacles. To
 * `restore` a snapshot, the options `bounds` and `cell` must equal those of the saved field.
 */
export class FlowField extends CoreObject {
  constructor(options: FlowFieldOptions)

  /** The maximum number of anchors: goals, and turning points beside the corners of walls. */
  get capacity(): number
  /**
   * Raises the maximum numbers of anchors (see `capacity`) and goals to at least these, each up to
   * 65,534. Keeps the last build and the build under way. But if the build under way needed more
   * anchors than there was room for, the next `buildPart` begins a new one. Get all arrays of the
   * object again afterward: the old ones are invalid.
   */
  reserve(capacity: number, options?: FlowFieldRoomOptions): void
  /** The number of cells along x. */
  get columns(): number
  /** The number of cells along y. */
  get rows(): number

  // Settings: changes take effect when the next build begins.

  /**
   * The walls. Several fields and crowds may share one tree. Default: null, no walls. All calls
   * that need the walls of a disposed tree throw `DISPOSED`.
   */
  get obstacles(): ObstacleTree | null
  set obstacles(obstacles: ObstacleTree | null)
  /**
   * The minimum distance between paths and walls, in world units. Choose slightly more than the
   * radius of the largest agent, such as 1.02 times that radius, so that this agent has room to
   * turn. At least half a cell, else a `RangeError`.
   */
  get radius(): number
  set radius(radius: number)
  /**
   * A byte per cell, row by row from low y: paths don't enter cells whose byte is not 0. The game
   * writes to this array. Only an agent's center counts: if all of the agent must stay out, close
   * the cells around as well. An agent in a closed cell may leave the cell. Default: 0.
   */
  get closed(): Bytes
  /**
   * Sets all goals: points x, y, x, y, …. `costs`: a number for each goal, the goal's cost, that is added to the
   * length of paths to it, so that farther goals can be preferred. Default: 0. A goal that is too
   * near to a wall, in something solid, in a closed cell or outside of the bounds is moved to the
   * nearest center of a cell that is free; if no cell is free, the goal is ignored. `FULL`: more
   * goals than the option `goals`.
   */
  setGoals(points: ArrayLike<number>, costs?: ArrayLike<number>): void
  /**
   * Sets all goals: boxes, each by two opposite corners x0, y0, x1, y1. An agent in the box, border
   * included, is at the goal. A box without extent is a point. If no part of the border is free,
   * the goal is a point instead: the free center of a cell that is nearest to the middle of the
   * box. All else is as in `setGoals`.
   */
  setGoalAreas(boxes: ArrayLike<number>, costs?: ArrayLike<number>): void

  /**
   * Builds the field. Drops a build that `buildPart` has begun. Usually takes time in proportion to
   * the number of cells and to the number of walls. `FULL`: the walls and goals need more anchors
   * than the capacity; the previous build stays.
   */
  build(): void
  /**
   * Continues the build under way or, if there is none, begins one. Stops when about `work` cells
   * were visited (1 to 2 ** 32 - 1): `stats().work` says how much a whole build takes. Returns true
   * if the build is complete: from then on, queries use it. Until then, queries use the previous
   * build. If the walls change meanwhile, the build begins again. Throws the same errors as
   * `build`; an error drops the build under way.
   */
  buildPart(work: number): boolean
  /** True after the first build. Until then, all queries throw `NOT_BUILT`. */
  get isBuilt(): boolean
  /** True if the field is built, and its walls are still those of the build. */
  get isCurrent(): boolean

  /**
   * Returns the length of the path from a point to the nearest goal, plus the goal's cost; Infinity
   * if there is no path. In a goal area, the length is the area's cost, unless another goal is
   * nearer.
   *
   * If the point is nearer to a wall than the field's `radius`, the first straight part of the path
   * may come as near to a wall as the point is, or 0.1% nearer. But if `radius` exceeds the point's
   * distance from the wall by more than ten cells, or if the point is in a sharp corner, there may
   * be no path.
   */
  distance(...point: Point<2>): number
  /**
   * Returns the direction in which to leave a point for the nearest goal: a unit vector x, y; 0, 0
   * at the goal or if there is no path. Valid until the next `direction`.
   */
  direction(...point: Point<2>): Float32s
  /**
   * Returns the directions of the paths from many points to the nearest goal, and the lengths of
   * these paths. `points`: x, y, x, y, …. Always returns the same object, with views that are valid
   * until the next `directionMany`.
   */
  directionMany(points: Float32Array): FlowDirections
  /**
   * Returns the path from a point to the nearest goal. If the walls changed since the build, only the
   * path to the first corner is tested: to find out if a new wall blocks the way, build first.
   * Always returns the same object; its corners are valid until
   * the next `path`.
   */
  path(...point: Point<2>): Path
  /**
   * The length of the path from the center of each cell to the nearest goal, row by row from low y;
   * Infinity if there is no path. Valid until the next `build`, `buildPart` or `restore`. Read-only.
   */
  get distances(): Float32s

  // Debugging

  /**
   * Returns a copy of the cells, to draw them. For each cell, row by row: its bounds (minX, minY,
   * maxX, maxY), the length of the path from its center to the nearest goal (Infinity: no path),
   * the index of the first anchor of that path (-1: no path), and 1 if the cell is blocked, else 0.
   * Empty before the first build.
   */
  cells(): Float32s
  /**
   * Returns a copy of the paths between anchors (goals, and points where paths turn), to draw them.
   * For each anchor from which there is a path: a line to the next anchor (x0, y0, x1, y1), and the
   * length of the whole path to the goal. A goal's line ends where it starts.
   */
  lines(): Float32s
  /** Returns statistics. Always returns the same object. */
  stats(): FlowFieldStats
}

export type { Points, Boxes }
