// What the options of TypeDoc can't say. Pages are called what their first heading says. Links to the rest
// of the site, `site:…` in the options, are relative, so that it works in any folder of any server.

import { basename } from 'node:path'

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.converter.on('createDocument', (_, document) => {
    document.name = basename(document.name) // and of its file
  })
  app.renderer.on('beginRender', ({ project }) => {
    for (const document of project.documents ?? [])
      document.name = /^# (.*)/.exec(document.content[0].text)?.[1] ?? document.name
  })
  app.renderer.on('endPage', (page) => {
    const up = '../'.repeat(page.url.split('/').length)
    page.contents = page.contents?.replaceAll('href="site:', `href="${up}`)
  })
}
