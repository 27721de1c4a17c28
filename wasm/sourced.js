// Indexes of points with the option `source`: their agents are those of a crowd or of another
// index.

import { callOf, CopseError, place, refuse } from './errors.js'
import { mixin } from './object.js'
import { INDEX_OPTIONS as OWN_OPTIONS, PointsOnly } from './points.js'
import { Queries } from './queries.js'

export const INDEX_OPTIONS = [...OWN_OPTIONS, 'source']

/** Returns the error for a method that needs the source, if the source was disposed. */
const disposed = (call) => new CopseError('DISPOSED', `${place(call)}: the source was disposed`)

/**
 * Checks the option `source` of a constructor. Returns the object that has the agents: the source
 * or, if that is an index with a source, the source's source.
 */
function holderOf(call, dimensions, { source, capacity, layout, instance }) {
  // Not `instanceof`: each entry point of the package has its own copies of the classes.
  if (source?._items !== 'agents')
    refuse(call, 'source', source, 'a crowd or an index of points', false)
  const holder = source._holder ?? source
  if (source._handle < 0 || holder._handle < 0) throw disposed(call)
  if (capacity !== undefined || layout !== undefined) {
    const name = layout === undefined ? 'capacity' : 'layout'
    throw new TypeError(`${place(call)}: ${name} is that of the source: leave it out`)
  }
  if (holder._dimensions !== dimensions)
    refuse(call, 'source', source, `of ${dimensions} dimensions`, true)
  if (instance !== undefined && instance !== holder._instance)
    refuse(call, 'source', source, "of the option 'instance'", true)
  return holder
}

/** @abstract */
class SourcedPoints extends PointsOnly {
  constructor(name, dimensions, noun, options, own) {
    if (options.source === undefined) {
      super(name, dimensions, noun, options, own)
      return
    }
    const holder = holderOf(callOf(name), dimensions, options)
    const { _capacity: capacity, _layout: layout, _instance: instance } = holder
    super(name, dimensions, noun, { ...options, capacity, layout, instance }, own, true)
    this._holder = holder
    this._hasRadii = true
    const { source_build, source_take_radii, source_all_within, source_all_neighbors } = this._wasm
    this._wasm = {
      ...this._wasm,
      build: source_build,
      take_radii: source_take_radii,
      all_within: source_all_within,
      all_neighbors: source_all_neighbors,
    }
    this._leave(this._enter().set_source(this._handle, holder._handle))
  }

  /**
   * For methods that read agents. Throws if the source was disposed. Returns the object that has
   * the agents: the source or, if there is none, this index.
   */
  #read(method) {
    this._begin(method)
    if (this._holder._handle < 0) throw disposed(this)
    return this._holder
  }

  /** For methods that change or save agents. Throws if the agents belong to another object. */
  #change(method) {
    this._begin(method)
    const holder = this._holder
    if (holder !== this)
      throw new TypeError(`${place(this)}: the agents are those of the source, ${holder._name}`)
  }

  /** Updates the number of slots to that of the source. */
  #follow() {
    if (this._holder !== this) this._slots = this._holder.slots
  }

  // ---- Arrays and counts: those of the source ----

  _array(name, width) {
    const holder = this.#read(name)
    return holder === this ? super._array(name, width) : holder._array(name, width)
  }

  _isUsed(slot) {
    return this._holder === this ? super._isUsed(slot) : this._holder._isUsed(slot)
  }

  has(slot) {
    this.#read('has')
    return super.has(slot)
  }

  get capacity() {
    return this.#read('capacity')._capacity
  }

  get count() {
    const holder = this.#read('count')
    return holder === this ? super.count : holder.count
  }

  get slots() {
    this.#read('slots')
    this.#follow()
    return super.slots
  }

  set slots(slots) {
    this.#change('slots')
    super.slots = slots
  }

  get positions() {
    const holder = this.#read('positions')
    return holder === this || this._layout === 'separate' ? super.positions : holder.positions
  }

  get xs() {
    const holder = this.#read('xs')
    return holder === this || this._layout !== 'separate' ? super.xs : holder.xs
  }

  get ys() {
    const holder = this.#read('ys')
    return holder === this || this._layout !== 'separate' ? super.ys : holder.ys
  }

  get zs() {
    const holder = this.#read('zs')
    return holder === this || this._layout !== 'separate' ? super.zs : holder.zs
  }

  get radii() {
    const holder = this.#read('radii')
    return holder === this ? super.radii : holder.radii
  }

  // ---- What is refused with a source ----

  add(x, y, z) {
    this.#change('add')
    return super.add.apply(this, /** @type {any} */ (arguments))
  }

  move(slot, x, y, z) {
    this.#change('move')
    super.move.apply(this, /** @type {any} */ (arguments))
  }

  remove(slot) {
    this.#change('remove')
    super.remove(slot)
  }

  clear() {
    this.#change('clear')
    super.clear()
  }

  reserve(capacity, options) {
    this.#change('reserve')
    super.reserve(capacity, options)
  }

  save() {
    this.#change('save')
    return super.save()
  }

  saveInto(bytes) {
    this.#change('saveInto')
    return super.saveInto(bytes)
  }

  restore(bytes) {
    this.#change('restore')
    super.restore(bytes)
  }

  // ---- Build and batches: they see all slots that the source has by now ----

  build() {
    const { _capacity: capacity } = this.#read('build')
    this.#follow()
    if (capacity > this._capacity) super.reserve(capacity)
    super.build()
  }

  allWithin(radius, options) {
    this.#read('allWithin')
    this.#follow()
    return super.allWithin(radius, options)
  }

  allNeighbors(options) {
    this.#read('allNeighbors')
    this.#follow()
    return super.allNeighbors(options)
  }
}

/** The base class of AgentTree, Grid and KdTree. */
export const Points = /* @__PURE__ */ mixin(SourcedPoints, Queries)
