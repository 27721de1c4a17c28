// The gallery of all scenes: cards with pictures, by group. It is part of the first screen, and a dialog in a
// scene. `make pictures` takes the pictures.

const pictures = import.meta.glob('../pictures/*.webp', {
  eager: true,
  query: '?url&no-inline',
  import: 'default',
})
const pictureOf = (name) => pictures[`../pictures/${name}.webp`]

function create(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

function cardOf({ name, title, summary }) {
  const picture = create(
    'picture',
    {},
    create('source', {
      media: '(prefers-color-scheme: dark)',
      srcset: pictureOf(`${name}-dark`) ?? '',
    }),
    create('img', {
      ...{ alt: '', width: 480, height: 300, loading: 'lazy' },
      src: pictureOf(name) ?? '',
    }),
  )
  const heading = create('strong', { textContent: title })
  return create('a', { href: `#scene=${name}` }, picture, heading, ` ${summary}`)
}

export function createOverview(dialog, section, scenes) {
  const links = new Map(scenes.map((scene) => [scene.name, cardOf(scene)]))
  const gallery = create('div', { className: 'gallery' })
  for (const [group, members] of Map.groupBy(scenes, ({ group }) => group)) {
    const list = create('ul', {}, ...members.map(({ name }) => create('li', {}, links.get(name))))
    gallery.append(create('section', {}, create('h3', { textContent: group }), list))
  }
  dialog.append(gallery)
  dialog.addEventListener('click', ({ target }) => {
    if (target.closest('a')) dialog.close()
  })

  return {
    /** Puts the gallery on the first screen, or back into the dialog. */
    place(isLanding) {
      if (isLanding) dialog.close()
      ;(isLanding ? section : dialog).append(gallery)
    },

    /** Shows the gallery, with the focus on the current scene or, if there is none, on the first one. */
    open(current) {
      for (const [name, link] of links) {
        if (name === current) link.setAttribute('aria-current', 'page')
        else link.removeAttribute('aria-current')
      }
      if (gallery.parentElement === dialog) dialog.showModal()
      else section.scrollIntoView({ block: 'start' })
      const link = links.get(current) ?? links.values().next().value
      link.focus({ preventScroll: gallery.parentElement === section })
    },
  }
}
