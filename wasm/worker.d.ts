// The manual of 'copse/worker': a world (the simulation of a game) that runs in a worker, while the
// page draws it and sends it inputs.

type TypedArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array

/** Arrays by name, such as `positions`. */
export type Arrays = Record<string, TypedArray>

/** Connects page and worker: a `Worker` or `MessagePort` of a browser or `node:worker_threads`. */
export interface Port {
  postMessage(message: any, transfer?: any): void
}

/** A simulation that runs in fixed steps. */
export interface World<Input = any> {
  /** The length of a step, in seconds. */
  timeStep: number
  /**
   * Runs one step. `inputs` are the inputs that arrived since the step before, in the order in
   * which the page sent them. The step must depend on nothing else, no clock and no `Math.random`:
   * then the same inputs at the same ticks give the same world.
   */
  step(inputs: Input[]): void
  /**
   * Returns the arrays that the page gets. They are copied, so they may be views of linear memory.
   * Called after steps, and once before the first.
   */
  arrays(): Arrays
}

/**
 * In the worker: runs a world for the page that calls {@link connectWorld}. Call it once, directly
 * when the script of the worker starts: messages of the page that arrive earlier are lost.
 *
 * The world runs by the clock. If it can't keep up, it catches up at most four steps (more at a
 * speed above 1); time beyond that is dropped, see {@link WorldConnection.dropped}. Whatever
 * `setup`, `step` and `arrays` throw ends the world, and reaches the page.
 *
 * `setup` makes the world, from the option `options` of the page. It may be asynchronous, for
 * example to await `init()`. `port` leads to the page. Default: to the page that started this
 * worker.
 */
export function runWorld<Options = any, Input = any>(
  setup: (options: Options) => World<Input> | Promise<World<Input>>,
  port?: Port,
): void

export interface ConnectOptions {
  /** Passed to the `setup` of the world: any value that can be cloned. Default: undefined. */
  options?: any
  /** The names of arrays of floats that `frame()` interpolates. Default: none. */
  interpolate?: readonly string[]
  /** The number of values per interpolated item: 2 for points in the plane. Default: 2. */
  dimensions?: number
  /**
   * An item that moves farther than this in a step has jumped, such as an agent that starts again
   * elsewhere, or a new agent in the slot of another. `frame()` then shows the item at its new
   * place, not on the way there. In world units, such as `2 * maxSpeed * timeStep`. Default:
   * Infinity, since only the world knows how far its items can go.
   */
  jump?: number
  /** The initial {@link WorldConnection.speed}. Default: 1. */
  speed?: number
  /**
   * Called once, if the worker does not start, or if the world throws. The world has then ended.
   * Default: the error is thrown outside of any call, so it reaches the console.
   */
  onError?: (error: Error) => void
}

/** The last two frames that arrived, and the place of the display between them. */
export interface Between<Shown extends Arrays = Arrays> {
  /** The arrays of the older frame. The same as `newer` while there is one frame only. */
  older: Shown
  /** The arrays of the newer frame. */
  newer: Shown
  /** Where the display is between the two frames: 0 at `older`, 1 at `newer`. */
  part: number
  /** The option `jump` times the steps between the frames. Items that moved farther have jumped. */
  jump: number
}

/** The page's side of a world. */
export interface WorldConnection<Input = any, Shown extends Arrays = Arrays> {
  /**
   * Sends an input, any value that can be cloned. It takes effect in the next step. Returns a
   * promise of that step's tick, for a replay. The promise is rejected if the world ends before.
   */
  send(input: Input): Promise<number>
  /**
   * Returns the arrays to draw at the time `now`, in milliseconds: the time that
   * `requestAnimationFrame` passes to its callback. Default: the current time. Arrays of the option
   * `interpolate` are between the last two frames that arrived, others are those of the newer
   * frame. If the frames are more than four steps apart (at a speed above 1, four times the speed),
   * or if `now` is Infinity, all arrays are those of the newer frame. Returns null before the first
   * frame. The arrays are valid until the caller returns to the event loop: copy what you keep.
   */
  frame(now?: number): Shown | null
  /**
   * Returns what `frame(now)` interpolates, for a vertex shader that interpolates. The page then
   * does no work per item, and uploads each frame's arrays once: a frame's arrays are the same
   * objects in every call. Returns null before the first frame.
   */
  between(now?: number): Between<Shown> | null
  /** The number of steps up to the newest frame. The first step has tick 1. */
  readonly tick: number
  /** The time that the newest step took in the worker, in milliseconds. */
  readonly stepTime: number
  /** Simulated time that was dropped because the world could not keep up, in seconds. */
  readonly dropped: number
  /**
   * Simulated seconds per second. 0 stops the clock: steps then run only by `advance`. If the page
   * is hidden, the world goes on, unless you set 0.
   */
  speed: number
  /**
   * Runs steps immediately, without the clock: to step a paused world, for lockstep, or for a
   * replay. Returns a promise of the last step's tick: `frame(Infinity)` then returns its arrays.
   */
  advance(steps: number): Promise<number>
  /** Ends the world: terminates the worker, or closes the port. Waiting promises are rejected. */
  dispose(): void
}

/** On the page: starts the world of a worker that calls {@link runWorld}. */
export function connectWorld<Input = any, Shown extends Arrays = Arrays>(
  port: Port,
  options?: ConnectOptions,
): WorldConnection<Input, Shown>
