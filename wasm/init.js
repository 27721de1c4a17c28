// Loading the WebAssembly core: no glue but these lines. Nothing happens before init() or create().

import { callOf, CopseError, checkInteger, checkOptions, checkWord, refuse } from './errors.js'

const PAGE_BYTES = 65536
const START_BYTES = 2 ** 24 // pages that nothing has touched cost nothing
const LEAST_BYTES = 2 ** 20 // the core's own data, see the Makefile
const MAX_MEMORY = 2 ** 31
const GROWTHS = ['allow', 'error']

/** Marks instances, whichever entry made them. */
const BRAND = Symbol.for('copse.Instance')

/** One copy of the library: its own memory and its own objects. */
export class Instance {
  /** What the core exports: the functions of wasm/*.c. @type {any} */ #exports = {}
  #inside = false
  /** By family. @type {Record<string, any>} */ #functions = {}
  /** By address. @type {Record<number, string[]>} */ #names = {}
  /** @type {WebAssembly.Memory} */ memory
  /** What it was made by. */
  _entry = ''

  get [BRAND]() {
    return true
  }

  /** Runs before anything else is called. `onGrow` runs soon after memory has grown, outside of any call. */
  async load(entry, module, bytes, mayGrow, onGrow) {
    this._entry = entry
    const initial = Math.ceil(Math.max(bytes, LEAST_BYTES) / PAGE_BYTES)
    const maximum = mayGrow ? MAX_MEMORY / PAGE_BYTES : initial
    try {
      this.memory = new WebAssembly.Memory({ initial, maximum })
    } catch {
      throw new CopseError('OUT_OF_MEMORY', `init: no memory of ${bytes} bytes`)
    }
    const { exports } = await WebAssembly.instantiate(/** @type {WebAssembly.Module} */ (module), {
      env: {
        memory: this.memory,
        emscripten_notify_memory_growth: () => void (onGrow && queueMicrotask(() => onGrow())),
      },
    })
    if (!('status_names' in exports))
      refuse(callOf('init'), 'wasm', module, 'a core of copse', true)
    this.#exports = exports
    this.#exports._initialize?.()
    return this
  }

  /**
   * The functions, to call one. `leave()` must follow; when the call traps it does not, and from
   * then on the instance is dead.
   */
  enter() {
    if (this.#inside) throw new CopseError('DEAD', 'an earlier call trapped: create a new instance')
    this.#inside = true
    return this.#exports
  }

  /** The functions of a family, `points_within` as `within`, and those of all objects. */
  functions(family) {
    const known = this.#functions[family]
    if (known) return known
    /** @type {any} */ const own = {}
    /** @type {any} */ const others = {}
    for (const [name, call] of Object.entries(this.#exports)) {
      const [prefix, ...rest] = name.split('_')
      if (prefix === family) own[rest.join('_')] = call
      // A method of another family, on an object that has none such: no handle of it is valid.
      else others[rest.join('_')] = this.#exports.stale
    }
    return (this.#functions[family] = { ...others, ...this.#exports, ...own })
  }

  /** The text at an address of the core. */
  text(address) {
    const bytes = new Uint8Array(this.memory.buffer, address)
    return String.fromCharCode(...bytes.subarray(0, bytes.indexOf(0)))
  }

  /** The names in a text at an address, always the same array. */
  names(address) {
    return (this.#names[address] ??= this.text(address).trim().split(' '))
  }

  /** True if the core can create this. */
  has(noun) {
    return `${noun}_create` in this.#exports
  }

  leave() {
    this.#inside = false
  }
}

/** @type {Instance | null} */
let defaultInstance = null
/** What these classes were imported from, for messages: each entry has a copy of this module. */
let entryName = ''

/** Returns the instance that a class was given, or the default one; its core must have the class. */
export function instanceOr(owner, noun, given) {
  if (given !== undefined && !given?.[BRAND])
    refuse(callOf(owner), 'instance', given, 'made by create()', false)
  const instance = given ?? defaultInstance
  if (!instance) throw new CopseError('NOT_READY', `${owner}: await init() of '${entryName}' first`)
  if (!instance.has(noun)) {
    const text = `${owner}: this core has no such class: core.wasm and core-${noun}.wasm have it`
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
    refuse(callOf('init'), 'wasm', given, expected, false)
  }
  return WebAssembly.compile(/** @type {BufferSource} */ (bytes))
}

/** Returns the two functions of an entry, over the core that it brings. */
export function entry(name, bring) {
  entryName = name
  /** @type {Promise<WebAssembly.Module> | null} */ let compiled = null
  /** @type {Promise<Instance> | null} */ let ready = null

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
      compiled ??= Promise.resolve(bring()).then(compile)
      compiled.catch(() => (compiled = null))
      module = await compiled
    } else module = await compile(wasm)
    return new Instance().load(name, module, memory, growth === 'allow', onGrow)
  }

  function init(options = {}) {
    if (!ready) {
      ready = load('init', options).then((instance) => (defaultInstance = instance))
      ready.catch(() => (ready = null))
    }
    return ready
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
