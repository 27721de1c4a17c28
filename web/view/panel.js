// The panel beside the stage: numbers, controls, table and curve. The first numbers are always shown, the others
// under Details. On small screens and upright ones it is a sheet that starts closed: then only the first numbers and
// the line that says what to try show.

import GUI from 'lil-gui'
import { createCurve } from './curve.js'
import { formatNumber } from './format.js'
import { forDevice } from './words.js'

const FIRST = 3 // numbers that are not under Details
const VERDICTS = { '✓': 'right', '✗': 'wrong' } // CSS classes of table cells

/** What a control means, by the name of its param; a scene may have its own `hints`. */
const HINTS = {
  index: 'agent tree and grid are rebuilt every frame; brute force tests every agent',
  axis: 'Axis across which a cell is cut: its longest side, or x and y in turn',
  split: 'Where a cell is cut: in its middle, or at the median of its agents',
  leafSize: 'Cells with at most so many items are not divided',
  maxDepth: 'Cells at this depth are not divided',
  looseness: 'How far cells extend past their lines: 2 doubles their sides',
  neighbors: 'So many nearest neighbors are taken into account at most',
  horizon: 'An agent keeps clear of collisions for so long ahead, in units of time',
  exact: 'Only the rule of the published algorithm, ORCA, without the additions of the crowd',
  margin: 'Agents leave the area of interest only beyond this margin, as a part of its radius',
  clearance: 'Agents keep this distance from walls',
  threads: 'Large work is divided among them; the results are the same bits',
}

const toText = (value) => (typeof value === 'number' ? formatNumber(value) : value)
const byId = (id) => document.getElementById(id)

/** Setting a text costs layout, even if it is the same. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text
}

function element(tag, text) {
  const created = document.createElement(tag)
  if (text !== undefined) created.textContent = text
  return created
}

export function createPanel() {
  const panel = byId('panel')
  const toggle = byId('toggle')
  const lists = byId('numbers').querySelectorAll('dl')
  const sheet = matchMedia('(max-width: 719px), (max-width: 1099px) and (orientation: portrait)')
  let gui = null
  let shape = '' // rows × columns of the table in the page
  let curve = null

  function open(visible) {
    document.body.classList.toggle('panel-open', visible)
    toggle.setAttribute('aria-expanded', visible)
  }
  sheet.addEventListener('change', () => open(!sheet.matches))
  open(!sheet.matches)

  return {
    /** Opens or closes the panel. As a sheet it stays closed. */
    open: (visible) => open(visible && !sheet.matches),
    toggle: (visible = !document.body.classList.contains('panel-open')) => open(visible),

    /** Creates the controls of a scene and returns the gui. Calls changed(field) after each change. */
    start(scene, changed) {
      byId('description').textContent = scene.description
      byId('try').textContent = scene.try ? `Try: ${forDevice(scene.try)}` : ''
      byId('help').textContent = scene.help
      byId('program').hidden = !scene.minimal
      byId('program').href = `?minimal#scene=${scene.name}`
      gui = new GUI({ container: byId('controls'), title: 'Controls' })
      scene.controls(gui, scene.params)
      for (const { property, domElement } of gui.controllersRecursive())
        domElement.title = scene.hints?.[property] ?? HINTS[property] ?? ''
      gui.onChange(({ property }) => changed(property))
      return gui
    },
    stop() {
      gui?.destroy()
      gui = null
      for (const list of lists) list.replaceChildren()
      byId('table').replaceChildren()
      shape = ''
      curve?.dispose()
      curve = null
      byId('curve').replaceChildren()
    },
    refresh() {
      for (const controller of gui.controllersRecursive()) controller.updateDisplay()
    },

    /** Shows the report() of a scene. Reuses the elements while its shape stays the same. */
    show({ numbers, notes = {}, table, curve: curveData }) {
      showNumbers(lists[0], numbers.slice(0, FIRST))
      showNumbers(lists[1], numbers.slice(FIRST))
      for (const [property, text] of Object.entries(notes)) showNote(property, text)
      if (table) showTable(table)
      if (curveData) {
        curve ??= createCurve(byId('curve'), curveData)
        curve.show()
      }
    },
    redraw: () => curve?.redraw(),
    panel,
  }

  function showNumbers(list, numbers) {
    if (list.childElementCount !== numbers.length) {
      list.replaceChildren(
        ...numbers.map(() => {
          const item = element('div')
          item.append(element('dt'), element('dd'))
          return item
        }),
      )
    }
    numbers.forEach(([label, value], i) => {
      const [dt, dd] = list.children[i].children
      write(dt, label)
      write(dd, toText(value))
    })
  }

  // The state is read aloud when it changes. The times change all the time.
  function showNote(property, [state, times]) {
    let note = byId(`note-${property}`)
    if (!note) {
      const { domElement } = gui.controllersRecursive().find((one) => one.property === property)
      note = Object.assign(element('p'), { id: `note-${property}`, className: 'note' })
      note.append(Object.assign(element('span'), { role: 'status' }), ' ', element('span'))
      domElement.after(note)
    }
    const [first, second] = note.children
    write(first, state)
    write(second, times)
  }

  function showTable({ caption, head, rows, current, note }) {
    const container = byId('table')
    if (shape !== `${rows.length} × ${head.length}`) {
      shape = `${rows.length} × ${head.length}`
      const table = element('table')
      table.append(element('caption', caption))
      const headRow = table.createTHead().insertRow()
      for (const text of head) {
        const cell = element(text ? 'th' : 'td', text) // a header without a text heads nothing
        if (text) cell.scope = 'col'
        headRow.append(cell)
      }
      const body = table.createTBody()
      for (const row of rows) {
        const bodyRow = body.insertRow()
        row.forEach((_, i) => {
          const cell = element(i === 0 ? 'th' : 'td')
          if (i === 0) cell.scope = 'row'
          bodyRow.append(cell)
        })
      }
      container.replaceChildren(table, element('p'))
    }
    const [shownTable, shownNote] = container.children
    const [body] = shownTable.tBodies
    write(shownNote, note)
    rows.forEach((row, r) => {
      body.rows[r].classList.toggle('current', r === current)
      row.forEach((value, i) => {
        const cell = body.rows[r].cells[i]
        const text = toText(value)
        write(cell, text)
        const verdict = VERDICTS[text] ?? ''
        if (cell.className !== verdict) cell.className = verdict
      })
    })
  }
}
