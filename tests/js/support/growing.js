// Loaded before a program with `node --import`: grows linear memory before each frame of the program,
// which detaches all views. A program that takes its views inside the frame prints the same output.

/** @type {WebAssembly.Memory[]} */
const memories = []

WebAssembly.Memory = class extends WebAssembly.Memory {
  /** @param {WebAssembly.MemoryDescriptor} descriptor */
  constructor(descriptor) {
    super(descriptor)
    memories.push(this)
  }
}

const ENTRIES = ['copse', 'copse/points', 'copse/boxes', 'copse/walls', 'copse/crowd']
ENTRIES.push('copse/external', 'copse/threads')

/** The methods that end a frame's changes. */
const BUILDS = ['build', 'step', 'moveAll', 'load']

/** The methods that return results of many searches: their results may need more memory. */
const BATCHES = ['update', 'allWithin', 'allNeighbors', 'pairs']
BATCHES.push('withinMany', 'rangeMany', 'neighborsMany', 'raycastMany', 'directionMany')

/** In later frames memory does not grow, to save time. */
const GROWING_FRAMES = 50

let frames = 0

/** True if something was built since the last frame began. */
let isBuilt = false

/** Begins the next frame, if this one was built: grows all memories. Called before every getter, build and batch. */
function begin() {
  if (!isBuilt) return
  isBuilt = false
  if (frames++ >= GROWING_FRAMES) return
  for (const memory of memories) memory.grow(1)
}

/** @param {any} owner */
function watch(owner) {
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
    const { get, value } = property
    // The distances are of ids that the frame has found already.
    if (get && name !== 'distances2') property.get = beginningFrame(get)
    else if (BUILDS.includes(name)) property.value = beginningFrame(value, () => (isBuilt = true))
    else if (BATCHES.includes(name)) property.value = beginningFrame(value)
    else continue
    Object.defineProperty(owner, name, property)
  }
}

/** @param {Function} method */
function beginningFrame(method, after = () => {}) {
  return function (/** @type {any[]} */ ...args) {
    begin()
    const result = method.apply(this, args)
    after()
    return result
  }
}

const prototypes = new Set()
for (const entry of ENTRIES)
  for (const { prototype } of Object.values(await import(entry)))
    for (
      let owner = prototype;
      owner && owner !== Error.prototype;
      owner = Object.getPrototypeOf(owner)
    )
      if (owner !== Object.prototype) prototypes.add(owner)
for (const prototype of prototypes) watch(prototype)
