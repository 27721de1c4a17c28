// The keys of the page. One table defines what they do, their list in the help, and the buttons for the
// same actions. An entry:
//
//   keys     values of KeyboardEvent.key
//   does     description, in a few words
//   press    called with the key. Without it, the key is only reported as held
//   repeats  optional: true if press is called repeatedly while the key is held
//   name     optional: name in the help
//   button   optional: id of the button or link that does the same

// Elements that keep a key for themselves: [keys, selector].
const OWNERS = [
  [/./, 'input:not([type=checkbox]), select'],
  [/^ $/, 'button, summary, pre, input'],
  [/^Enter$/, 'button, summary, a'],
  [/^(Arrow|Page)/, 'pre, [role=slider]'],
  [/^( $|Arrow|Page)/, '.landing:not(:has(canvas:focus))'], // the page scrolls
]

/** Listens for keys, and lists the table in a <dl>. Returns the set of held keys. */
export function createKeyboard(table, list) {
  const held = new Set()
  const entries = new Map(table.flatMap((entry) => entry.keys.map((key) => [key, entry])))

  function handle(event) {
    const entry = entries.get(event.key)
    if (!entry || event.ctrlKey || event.metaKey || event.altKey) return
    if (document.querySelector('dialog[open]')) return
    if (OWNERS.some(([key, owners]) => key.test(event.key) && event.target.closest(owners))) return
    event.preventDefault()
    if (!entry.press) held.add(event.key)
    else if (!event.repeat || entry.repeats) entry.press(event.key)
  }
  // Captured: the controls of lil-gui stop the events of keys.
  addEventListener('keydown', handle, { capture: true })
  addEventListener('keyup', (event) => held.delete(event.key), { capture: true })
  addEventListener('blur', () => held.clear())

  for (const { keys, does, press, name = nameOf(keys[0]), button } of table) {
    const key = document.createElement('dt')
    key.append(Object.assign(document.createElement('kbd'), { textContent: name }))
    list.append(key, Object.assign(document.createElement('dd'), { textContent: does }))
    if (!button) continue
    const element = document.getElementById(button)
    element.title = `${does} (${name})`
    if (element.localName === 'button') element.addEventListener('click', () => press())
  }
  return held
}

const nameOf = (key) => (key.length === 1 ? key.toUpperCase() : key)
