// The side of the page: numbers, controls, table, curve. On small screens a sheet, closed in the beginning,
// where only the first numbers show.

import GUI from 'lil-gui'
import { createCurve } from './curve.js'
import { formatNumber } from './format.js'

const VERDICTS = { '✓': 'right', '✗': 'wrong' } // classes of cells

const inText = (value) => (typeof value === 'number' ? formatNumber(value) : value)
const byId = (id) => document.getElementById(id)

function element(tag, text) {
  const made = document.createElement(tag)
  if (text !== undefined) made.textContent = text
  return made
}

export function createPanel() {
  const panel = byId('panel')
  const toggle = byId('toggle')
  const small = matchMedia('(max-width: 719px)')
  let gui = null
  let shape = '' // of the table that is in the page
  let curve = null

  function open(yes) {
    document.body.classList.toggle('panel-open', yes)
    toggle.setAttribute('aria-expanded', yes)
  }
  small.addEventListener('change', () => open(!small.matches))
  open(!small.matches)

  return {
    /** As far as there is room. */
    open: (yes) => open(yes && !small.matches),
    toggle: (yes = !document.body.classList.contains('panel-open')) => open(yes),

    /** Makes the controls of a scene; changed(field) is called when one was set. Returns the gui. */
    start(scene, changed) {
      byId('description').textContent = scene.description
      byId('help').textContent = scene.help
      gui = new GUI({ container: byId('controls'), title: 'Controls' })
      scene.controls(gui, scene.params)
      gui.onChange(({ property }) => changed(property))
      return gui
    },
    stop() {
      gui?.destroy()
      gui = null
      byId('numbers').replaceChildren()
      byId('table').replaceChildren()
      shape = ''
      curve?.dispose()
      curve = null
      byId('curve').replaceChildren()
    },
    refresh() {
      for (const controller of gui.controllersRecursive()) controller.updateDisplay()
    },

    /** Shows what a scene's report() gave; reuses the elements while its shape stays the same. */
    show({ numbers, table, curve: shown }) {
      const list = byId('numbers')
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
        dt.textContent = label
        dd.textContent = inText(value)
      })
      if (table) showTable(table)
      if (shown) {
        curve ??= createCurve(byId('curve'), shown)
        curve.show()
      }
    },
    redraw: () => curve?.redraw(),
    panel,
  }

  function showTable({ caption, head, rows, current, note }) {
    const place = byId('table')
    if (shape !== `${rows.length} × ${head.length}`) {
      shape = `${rows.length} × ${head.length}`
      const table = element('table')
      table.append(element('caption', caption))
      const headRow = table.createTHead().insertRow()
      for (const text of head) {
        const cell = element('th', text)
        cell.scope = 'col'
        headRow.append(cell)
      }
      const body = table.createTBody()
      for (const row of rows) {
        const made = body.insertRow()
        row.forEach((_, i) => {
          const cell = element(i === 0 ? 'th' : 'td')
          if (i === 0) cell.scope = 'row'
          made.append(cell)
        })
      }
      place.replaceChildren(table, element('p'))
    }
    const [shownTable, shownNote] = place.children
    const [body] = shownTable.tBodies
    shownNote.textContent = note
    rows.forEach((row, r) => {
      body.rows[r].classList.toggle('current', r === current)
      row.forEach((value, i) => {
        const cell = body.rows[r].cells[i]
        const text = inText(value)
        cell.textContent = text
        cell.className = VERDICTS[text] ?? ''
      })
    })
  }
}
