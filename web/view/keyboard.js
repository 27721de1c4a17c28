// The keys of the page: one table, for what they do and for the list of them that the page shows. An entry:
//
//   keys     what a KeyboardEvent calls them
//   name     as it is shown
//   does     what for, in a few words
//   press    called with the key; without it, the key counts as long as it is held
//   repeats  optional: again and again while it is held

/** Listens, and shows the table in a <dl>. Returns the keys that are held. */
export function createKeyboard(table, list) {
  const held = new Set()
  const entries = new Map(table.flatMap((entry) => entry.keys.map((key) => [key, entry])))

  addEventListener('keydown', (event) => {
    const entry = entries.get(event.key)
    if (!entry || event.ctrlKey || event.metaKey || event.altKey) return
    if (document.querySelector('dialog[open]')) return
    if (event.target.closest('input, select')) return
    if ([' ', 'Enter'].includes(event.key) && event.target.closest('button, a')) return
    event.preventDefault()
    if (!entry.press) held.add(event.key)
    else if (!event.repeat || entry.repeats) entry.press(event.key)
  })
  addEventListener('keyup', (event) => held.delete(event.key))
  addEventListener('blur', () => held.clear())

  for (const { name, does } of table) {
    const key = document.createElement('dt')
    key.append(Object.assign(document.createElement('kbd'), { textContent: name }))
    list.append(key, Object.assign(document.createElement('dd'), { textContent: does }))
  }
  return held
}
