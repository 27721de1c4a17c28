// What the options of TypeDoc can't say: pages are called what their first heading says, and the
// links to the demo are relative, so that the site works in any folder of any server.

import { JSX } from 'typedoc'

const LINKS = { Demo: '../', Examples: '../examples/' }

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.renderer.on('beginRender', ({ project }) => {
    for (const document of project.documents ?? [])
      document.name = /^# (.*)/.exec(document.content[0].text)?.[1] ?? document.name
  })

  app.renderer.hooks.on('body.begin', (context) =>
    JSX.createElement(
      'nav',
      { class: 'demo-links' },
      Object.entries(LINKS).map(([text, url]) =>
        JSX.createElement('a', { href: context.relativeURL('') + url }, text),
      ),
    ),
  )
}
