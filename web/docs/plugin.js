// What the options of TypeDoc can't say. Pages are called what their first heading says, and names of
// classes in them lead to the reference. Links to the rest of the site, `site:…` in the options, are
// relative, so that it works in any folder of any server. And the same pages are always the same bytes.

import { basename } from 'node:path'
import { PageKind, ReflectionKind } from 'typedoc'

/** @param {import('typedoc').Application} app */
export function load(app) {
  /** @type {Map<string, string>} */
  const urls = new Map() // of classes, from the root of the documentation on

  app.converter.on('createDocument', (_, document) => {
    document.name = basename(document.name) // and of its file
  })

  app.renderer.on('beginRender', ({ project, pages }) => {
    for (const document of project.documents ?? [])
      document.name = /^# (.*)/.exec(document.content[0].text)?.[1] ?? document.name
    for (const { url, model } of pages)
      if (model.kind === ReflectionKind.Class) urls.set(model.name, url)
  })

  app.renderer.on('endPage', (page) => {
    const up = '../'.repeat(page.url.split('/').length - 1)
    let html = page.contents?.replaceAll('href="site:', `href="${up}../`)
    if (page.pageKind === PageKind.Document || page.pageKind === PageKind.Index)
      html = html?.replaceAll(/<a .*?<\/a>|<code>(\w+)<\/code>/gs, (text, name) =>
        urls.has(name) ? `<a href="${up}${urls.get(name)}">${text}</a>` : text,
      )
    page.contents = html
  })

  // Highlighting gives up on a line after half a second, which a busy machine may need at first: it may not
  // see the time pass.
  const { now } = Date
  app.renderer.on('beginRender', () => void (Date.now = () => 0))
  app.renderer.on('endRender', () => void (Date.now = now))
}
