// Loads the WebAssembly core; there is no other glue code. Importing does nothing: init() or create() does.

import { callOf, CopseError, checkInteger, checkOptions, checkWord, refuse } from './errors.js'

const PAGE_BYTES = 65536
const START_BYTES = 2 ** 24 // untouched pages cost nothing
const MIN_BYTES = 2 ** 20 // for the core's own data, see the Makefile
const MAX_MEMORY = 2 ** 31
const GROWTHS = ['allow', 'error']

/** Marks instances: each entry has its own class `Instance`. */
const BRAND = Symbol.for('copse.Instance')

/** One copy of the library: its own memory and its own objects. */
export class Instance {
  /** The core's exports: the functions of wasm/*.c. @type {any} */ #exports = {}
  #isInside = false
  /** By family. @type {Record<string, any>} */ #functions = {}
  /** By address. @type {Record<number, string[]>} */ #names = {}
  /** @type {WebAssembly.Memory} */ memory
  /** The entry that made it. */
  _entry = ''

  get [BRAND]() {
    return true
  }

  /**
   * Instantiates the core: call it first. `onGrow` runs in a microtask after memory has grown, so never inside
   * a call.
   */
  async load(entry, module, bytes, mayGrow, onGrow) {
    this._entry = entry
    const initial = Math.ceil(Math.max(bytes, MIN_BYTES) / PAGE_BYTES)
    const maximum = mayGrow ? MAX_MEMORY / PAGE_BYTES : initial
    try {
      this.memory = new WebAssembly.Memory({ initial, maximum })
    } catch {
      throw new CopseError('OUT_OF_MEMORY', `init: no memory for ${bytes} bytes`)
    }
    const { exports } = await WebAssembly.instantiate(/** @type {WebAssembly.Module} */ (module), {
      env: {
        memory: this.memory,
        emscripten_notify_memory_growth: () => void (onGrow && queueMicrotask(() => onGrow())),
      },
    })
    if (!('status_names' in exports)) refuse(callOf('init'), 'wasm', module, 'a copse core', true)
    this.#exports = exports
    this.#exports._initialize?.()
    return this
  }

  /**
   * Returns the core's functions, to call one. `leave()` must follow. If the call traps it never does, and
   * the instance is dead from then on.
   */
  enter() {
    if (this.#isInside)
      throw new CopseError('DEAD', 'an earlier call trapped: create a new instance')
    this.#isInside = true
    return this.#exports
  }

  /** Returns the functions of a family (`points_within` as `within`) and those of all objects. */
  functions(family) {
    const cached = this.#functions[family]
    if (cached) return cached
    /** @type {any} */ const own = {}
    /** @type {any} */ const foreign = {}
    for (const [name, call] of Object.entries(this.#exports)) {
      const [prefix, ...rest] = name.split('_')
      if (prefix === family) own[rest.join('_')] = call
      // A method borrowed from another class fails with STALE_SLOT.
      else foreign[rest.join('_')] = this.#exports.stale
    }
    return (this.#functions[family] = { ...foreign, ...this.#exports, ...own })
  }

  /** Returns the text at an address of the core. */
  text(address) {
    const bytes = new Uint8Array(this.memory.buffer, address)
    return String.fromCharCode(...bytes.subarray(0, bytes.indexOf(0)))
  }

  /** Returns the names in the text at an address; always the same array. */
  names(address) {
    return (this.#names[address] ??= this.text(address).trim().split(' '))
  }

  /** True if the core has the class of this noun. */
  has(noun) {
    return `${noun}_create` in this.#exports
  }

  leave() {
    this.#isInside = false
  }
}

/** @type {Instance | null} */
let defaultInstance = null
/** The entry that this copy of the module is in, for messages. */
let entryName = ''

/**
 * Returns the instance for a new object: the option `instance`, or else the default instance. Throws if its core
 * lacks the class.
 */
export function instanceOr(owner, noun, option) {
  if (option !== undefined && !option?.[BRAND])
    refuse(callOf(owner), 'instance', option, 'made by create()', false)
  const instance = option ?? defaultInstance
  if (!instance)
    throw new CopseError('NOT_READY', `${owner}: await init() from '${entryName}' first`)
  if (!instance.has(noun)) {
    const text = `${owner}: not in this core: use core.wasm or core-${noun}.wasm`
    throw new CopseError('NOT_READY', text)
  }
  return instance
}

async function read(url) {
  const { href } = new URL(url, globalThis.location?.href)
  if (!href.startsWith('file:')) return fetch(href)
  const { process } = /** @type {any} */ (globalThis) // Node's fetch reads no files
  return process.getBuiltinModule('node:fs').readFileSync(new URL(href))
}

async function compile(source) {
  if (source instanceof WebAssembly.Module) return source
  const response = /** @type {any} */ (
    typeof source === 'string' || source instanceof URL ? await read(source) : await source
  )
  // Not `instanceof Response`: in Node, loading that class takes longer than compiling the core.
  let bytes = response
  if (typeof response?.arrayBuffer === 'function') {
    if (response.ok === false) throw new Error(`init: ${response.url} returned ${response.status}`)
    bytes = await response.arrayBuffer()
  }
  if (!(bytes instanceof ArrayBuffer || ArrayBuffer.isView(bytes))) {
    const expected = 'a URL, bytes, a Response or a WebAssembly.Module'
    refuse(callOf('init'), 'wasm', response, expected, false)
  }
  return WebAssembly.compile(/** @type {BufferSource} */ (bytes))
}

/** Returns `init` and `create` of an entry. `bringCore` returns the core: a source as of the option `wasm`. */
export function entry(name, bringCore) {
  entryName = name
  /** @type {Promise<WebAssembly.Module> | null} */ let compiled = null
  /** @type {Promise<Instance> | null} */ let loaded = null

  function create(options = {}) {
    return load('create', options)
  }

  async function load(owner, options) {
    const call = callOf(owner)
    checkOptions(call, options, ['wasm', 'memory', 'growth', 'onGrow'])
    const { wasm, memory = START_BYTES, growth = 'allow', onGrow } = options
    checkInteger(call, 'memory', memory, 0, MAX_MEMORY)
    checkWord(call, 'growth', growth, GROWTHS)
    if (onGrow !== undefined && typeof onGrow !== 'function')
      refuse(call, 'onGrow', onGrow, 'a function', false)
    if (typeof WebAssembly === 'undefined')
      throw new Error(`${owner}: this engine has no WebAssembly`)
    let module
    if (wasm === undefined) {
      compiled ??= Promise.resolve(bringCore()).then(compile)
      compiled.catch(() => (compiled = null))
      module = await compiled
    } else module = await compile(wasm)
    return new Instance().load(name, module, memory, growth === 'allow', onGrow)
  }

  function init(options = {}) {
    if (!loaded) {
      loaded = load('init', options).then((instance) => (defaultInstance = instance))
      loaded.catch(() => (loaded = null))
    }
    return loaded
  }

  return { init, create }
}

/** Returns the bytes of base64 text. */
export function fromBase64(text) {
  const characters = atob(text)
  const bytes = new Uint8Array(characters.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i)
  return bytes
}
