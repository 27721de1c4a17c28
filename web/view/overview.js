// A dialog that lists all scenes by group, as links.

export function createOverview(dialog, scenes) {
  const links = new Map()
  for (const [group, members] of Map.groupBy(scenes, ({ group }) => group)) {
    const section = document.createElement('section')
    const heading = document.createElement('h3')
    heading.textContent = group
    const list = document.createElement('ul')
    for (const { name, title, summary } of members) {
      const link = document.createElement('a')
      link.href = `#scene=${name}`
      const strong = document.createElement('strong')
      strong.textContent = title
      link.append(strong, ` ${summary}`)
      links.set(name, link)
      const item = document.createElement('li')
      item.append(link)
      list.append(item)
    }
    section.append(heading, list)
    dialog.append(section)
  }
  dialog.addEventListener('click', ({ target }) => {
    if (target.closest('a')) dialog.close()
  })

  return {
    /** Opens the dialog, with the focus on the current scene. */
    open(current) {
      for (const [name, link] of links) {
        if (name === current) link.setAttribute('aria-current', 'page')
        else link.removeAttribute('aria-current')
      }
      dialog.showModal()
      links.get(current)?.focus()
    },
  }
}
