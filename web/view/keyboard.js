// The keys of the page: one table, for what they do, the list of them, and buttons. An entry:
//
//   keys     what a KeyboardEvent calls them
//   does     what for, in a few words
//   press    called with the key; without it, the key counts as long as it is held
//   repeats  optional: again and again while it is held
//   name     optional: as it is shown
//   at       optional: id of the button, or link, that does the same

// Where keys do something else already.
const OWNERS = [
  [/./, 'input, select'],
  [/^ $/, 'button, pre'],
  [/^Enter$/, 'button, a'],
  [/^(Arrow|Page)/, 'pre'],
]

/** Listens, and shows the table in a <dl>. Returns the keys that are held. */
export function createKeyboard(table, list) {
  const held = new Set()
  const entries = new Map(table.flatMap((entry) => entry.keys.map((key) => [key, entry])))

  addEventListener('keydown', (event) => {
    const entry = entries.get(event.key)
    if (!entry || event.ctrlKey || event.metaKey || event.altKey) return
    if (document.querySelector('dialog[open]')) return
    if (OWNERS.some(([key, owners]) => key.test(event.key) && event.target.closest(owners))) return
    event.preventDefault()
    if (!entry.press) held.add(event.key)
    else if (!event.repeat || entry.repeats) entry.press(event.key)
  })
  addEventListener('keyup', (event) => held.delete(event.key))
  addEventListener('blur', () => held.clear())

  for (const { keys, does, press, name = nameOf(keys[0]), at } of table) {
    const key = document.createElement('dt')
    key.append(Object.assign(document.createElement('kbd'), { textContent: name }))
    list.append(key, Object.assign(document.createElement('dd'), { textContent: does }))
    if (!at) continue
    const element = document.getElementById(at)
    element.title = `${does} (${name})`
    if (element.localName === 'button') element.addEventListener('click', () => press())
  }
  return held
}

const nameOf = (key) => (key.length === 1 ? key.toUpperCase() : key)
