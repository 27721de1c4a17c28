// Crowds that follow flow fields.

import { checkInteger, checkOptions, CopseError, place, refuse } from './errors.js'
import { handleOf } from './references.js'

/** The maximum number of flow fields that lead a crowd: COPSE_CROWD_FIELDS in c/copse.h. */
const MAX_FIELDS = 32

/**
 * Returns a subclass of crowds that can follow flow fields.
 * @template {new (...args: any[]) => import('./object.js').Slots} Class
 * @param {Class} Class
 */
export const withFollow = (Class) =>
  class extends Class {
    /**
     * The flow fields that lead agents, each with the groups that it leads.
     * @type {{ field: import('./flowfield.js').FlowField, mask: number }[]}
     */
    _guides = []

    follow(field, options = {}) {
      this._begin('follow')
      checkOptions(this, options, ['mask'])
      const { mask = 2 ** 32 - 1 } = options
      checkInteger(this, 'mask', mask, -(2 ** 31), 2 ** 32 - 1)
      if (field?._name !== 'FlowField') refuse(this, 'field', field, 'a FlowField', false)
      // With a mask of 0, the crowd stops following the field, even one that was disposed.
      if (mask !== 0 || field._handle >= 0) handleOf(this, 'field', field)
      const guides = this._guides
      const guide = guides.find((guide) => guide.field === field)
      if (mask === 0) this._guides = guides.filter((other) => other !== guide)
      else if (guide) guide.mask = mask
      else if (guides.length < MAX_FIELDS) guides.push({ field, mask })
      else throw new CopseError('FULL', `${place(this)}: at most ${MAX_FIELDS} fields`)
    }

    /**
     * Calls the core's `step` of crowds or, if flow fields lead the crowd, the `step` of flow
     * fields.
     */
    _step(walls, dt) {
      const guides = this._guides
      for (let i = 0; i < guides.length; i++) {
        const { field, mask } = guides[i]
        field._wasm.lead(i, handleOf(this, 'field', field), mask)
        field._prepareWalls()
      }
      const stepping = guides.length > 0 ? guides[0].field : this
      return stepping._enter().step(this._handle, walls, dt, guides.length)
    }
  }
