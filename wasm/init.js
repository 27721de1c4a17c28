// Loading the WebAssembly core: no glue but these lines. Nothing happens before init() or create().

import { CopseError, checkInteger, checkOptions, refuse } from './errors.js'

/**
 * Where the core comes from: a URL to fetch, its bytes, a response, or a compiled module.
 * @typedef {string | URL | ArrayBuffer | ArrayBufferView | Response | Promise<Response> |
 *   WebAssembly.Module} WasmSource
 */

/**
 * @typedef {object} InitOptions
 * @property {WasmSource} [wasm] the core, instead of the one that the entry brings
 * @property {number} [memory] bytes of linear memory to reserve at once, so that nothing created
 *   later makes it grow; at most 2 GiB
 */

/**
 * The functions that the core exports: wasm/*.c.
 * @typedef {Record<string, (...numbers: number[]) => number>} Exports
 */

const PAGE_BYTES = 65536
const MAX_MEMORY = 2 ** 31

/** One copy of the library: its own memory and its own objects. Made by `init()` and `create()`. */
export class Instance {
  /** @type {Exports} */ #exports = {}
  #inside = false
  /** By family. @type {Record<string, Exports>} */ #functions = {}
  /** By address. @type {Record<number, string[]>} */ #names = {}
  /** Linear memory. @type {WebAssembly.Memory} */ memory
  /** How often memory has grown: typed arrays taken before are detached. */
  generation = 0

  /**
   * Runs before anything else is called.
   * @internal
   * @param {WebAssembly.Module} module
   * @param {number} bytes
   */
  async load(module, bytes) {
    const { exports } = await WebAssembly.instantiate(module, {
      env: { emscripten_notify_memory_growth: () => void this.generation++ },
    })
    this.memory = /** @type {WebAssembly.Memory} */ (exports.memory)
    this.#exports = /** @type {Exports} */ (/** @type {unknown} */ (exports))
    this.#exports._initialize?.()
    const missing = bytes - this.memory.buffer.byteLength
    try {
      if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE_BYTES))
    } catch {
      throw new CopseError('OUT_OF_MEMORY', `init: no memory of ${bytes} bytes`)
    }
    return this
  }

  /**
   * The functions, to call one. `leave()` must follow; when the call traps it does not, and from
   * then on the instance is dead.
   * @internal
   */
  enter() {
    if (this.#inside) throw new CopseError('DEAD', 'an earlier call trapped: create a new instance')
    this.#inside = true
    return this.#exports
  }

  /**
   * The functions of a family, `points_within` as `within`, and those of all objects.
   * @internal
   * @param {string} family
   * @returns {Exports}
   */
  functions(family) {
    const known = this.#functions[family]
    if (known) return known
    /** @type {Exports} */ const own = {}
    /** @type {Exports} */ const others = {}
    for (const [name, call] of Object.entries(this.#exports)) {
      const [prefix, ...rest] = name.split('_')
      if (prefix === family) own[rest.join('_')] = call
      // A method of another family, on an object that has none such: no handle of it is valid.
      else others[rest.join('_')] = this.#exports.stale
    }
    return (this.#functions[family] = { ...others, ...this.#exports, ...own })
  }

  /**
   * The text at an address of the core.
   * @internal
   * @param {number} address
   */
  text(address) {
    const bytes = new Uint8Array(this.memory.buffer, address)
    return String.fromCharCode(...bytes.subarray(0, bytes.indexOf(0)))
  }

  /**
   * The names in a text at an address, always the same array.
   * @internal
   * @param {number} address
   */
  names(address) {
    return (this.#names[address] ??= this.text(address).trim().split(' '))
  }

  /**
   * Whether the core can create this.
   * @internal
   * @param {string} noun
   */
  has(noun) {
    return `${noun}_create` in this.#exports
  }

  /** @internal */
  leave() {
    this.#inside = false
  }
}

/** @type {Instance | null} */
let defaultInstance = null

/**
 * The instance that a class was given, or the default one; its core must have the class.
 * @param {string} owner
 * @param {string} noun
 * @param {Instance | undefined} given
 */
export function instanceOr(owner, noun, given) {
  if (given !== undefined && !(given instanceof Instance))
    refuse(owner, '', 'instance', given, 'made by create()', false)
  const instance = given ?? defaultInstance
  if (!instance) throw new CopseError('NOT_READY', `${owner}: await init() first`)
  if (!instance.has(noun)) {
    const text = `${owner}: this core has no such class: core.wasm and core-${noun}.wasm have it`
    throw new CopseError('NOT_READY', text)
  }
  return instance
}

/**
 * @param {string | URL} url
 * @returns {Promise<Response | Uint8Array>}
 */
async function read(url) {
  const { href } = new URL(url, globalThis.location?.href)
  if (!href.startsWith('file:')) return fetch(href)
  const { process } = /** @type {any} */ (globalThis) // Node's fetch reads no files
  return process.getBuiltinModule('node:fs').readFileSync(new URL(href))
}

/**
 * @param {WasmSource} source
 * @returns {Promise<WebAssembly.Module>}
 */
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source
  const given = /** @type {any} */ (
    typeof source === 'string' || source instanceof URL ? await read(source) : await source
  )
  // Not `instanceof Response`: Node takes longer to load that class than we to compile.
  let bytes = given
  if (typeof given?.arrayBuffer === 'function') {
    if (given.ok === false) throw new Error(`init: ${given.url} answered ${given.status}`)
    bytes = await given.arrayBuffer()
  }
  if (!(bytes instanceof ArrayBuffer || ArrayBuffer.isView(bytes))) {
    const expected = 'a URL, bytes, a Response or a WebAssembly.Module'
    refuse('init', '', 'wasm', given, expected, false)
  }
  return WebAssembly.compile(/** @type {BufferSource} */ (bytes))
}

/**
 * The two functions of an entry, over the core that it brings.
 * @param {() => WasmSource | Promise<WasmSource>} bring
 */
export function entry(bring) {
  /** @type {Promise<WebAssembly.Module> | null} */ let compiled = null
  /** @type {Promise<Instance> | null} */ let ready = null

  /**
   * An instance of its own, with its own memory: a fault in one harms no other.
   * @param {InitOptions} [options]
   * @returns {Promise<Instance>}
   */
  function create(options = {}) {
    return load('create', options)
  }

  /**
   * @param {string} owner `init` or `create`, for messages
   * @param {InitOptions} options
   */
  async function load(owner, options) {
    checkOptions(owner, '', options)
    const { wasm, memory = 0 } = options
    checkInteger(owner, '', 'memory', memory, 0, MAX_MEMORY)
    if (typeof WebAssembly === 'undefined')
      throw new Error(`${owner}: this engine has no WebAssembly`)
    let module
    if (wasm === undefined) {
      compiled ??= Promise.resolve(bring()).then(compile)
      compiled.catch(() => (compiled = null))
      module = await compiled
    } else module = await compile(wasm)
    return new Instance().load(module, memory)
  }

  /**
   * Loads the core and makes the default instance, once: later calls give the same one.
   * @param {InitOptions} [options]
   * @returns {Promise<Instance>}
   */
  function init(options = {}) {
    if (!ready) {
      ready = load('init', options).then((instance) => (defaultInstance = instance))
      ready.catch(() => (ready = null))
    }
    return ready
  }

  return { init, create }
}

/**
 * The bytes of base64 text.
 * @param {string} text
 */
export function fromBase64(text) {
  const characters = atob(text)
  const bytes = new Uint8Array(characters.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i)
  return bytes
}
