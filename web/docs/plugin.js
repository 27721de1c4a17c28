// A TypeDoc plugin, for what its options can't do. Pages are named after their first heading. Class names in pages
// link to the reference. Pages get what users of assistive technology need. Links to the rest of the site (`site:…` in the options) become relative, so that the site
// works in any folder of any server. The same sources always give the same bytes.

import { basename } from 'node:path'
import { Converter, PageKind, ParameterReflection, ReflectionFlag, ReflectionKind } from 'typedoc'

/** @param {import('typedoc').Application} app */
export function load(app) {
  /** @type {Map<string, string>} */
  const urls = new Map() // of classes by name, relative to the root of the documentation

  app.converter.on('createDocument', (_, document) => {
    document.name = basename(document.name) // names its file too
  })

  // Replaces the rest parameter of queries, `...query: [...center: Point<D>, radius: number]`, by its elements as
  // separate parameters, in 2D or 3D.
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const signature of project.getReflectionsByKind(ReflectionKind.CallSignature)) {
      const [rest] = signature.parameters ?? []
      const elements = rest?.flags.isRest && rest.type?.type === 'tuple' ? rest.type.elements : []
      // In generic classes the elements include an unexpanded Point<D>: keep the tuple.
      if (!elements.length || elements.some(({ type }) => type !== 'namedTupleMember')) continue
      signature.parameters = elements.map(({ name, element, isOptional }) => {
        const argument = new ParameterReflection(name, ReflectionKind.Parameter, signature)
        argument.type = element
        argument.setFlag(ReflectionFlag.Optional, isOptional)
        project.registerReflection(argument, undefined, undefined)
        return argument
      })
      project.removeReflection(rest)
    }
  })

  app.renderer.on('beginRender', ({ project, pages }) => {
    for (const document of project.documents ?? [])
      document.name = /^# (.*)/.exec(document.content[0].text)?.[1] ?? document.name
    for (const { url, model } of pages)
      if (model.kind === ReflectionKind.Class) urls.set(model.name, url)
  })

  app.renderer.on('endPage', (page) => {
    const up = '../'.repeat(page.url.split('/').length - 1)
    let html = page.contents
    if (page.pageKind === PageKind.Document || page.pageKind === PageKind.Index)
      html = html?.replaceAll(/<a .*?<\/a>|<code>(\w+)<\/code>/gs, (text, name) =>
        urls.has(name) ? `<a href="${up}${urls.get(name)}">${text}</a>` : text,
      )
    if (page.pageKind === PageKind.Index) html = html?.replace(/<picture>.*?<\/picture>/s, linkDemo)
    page.contents = html && accessible(html).replaceAll('href="site:', `href="${up}../`)
  })

  // The highlighter gives up on a line after half a second, which a busy machine may need for the first line. So the
  // clock stands still while pages are rendered.
  const { now } = Date
  app.renderer.on('beginRender', () => void (Date.now = () => 0))
  app.renderer.on('endRender', () => void (Date.now = now))
}

const linkDemo = (/** @type {string} */ picture) =>
  `<a href="site:">${picture}</a></p>
<p><strong><a href="site:">Open the demo</a></strong> · <a href="site:examples/">Examples with game engines</a>`

/**
 * Adds to a page what the theme leaves out: a main landmark, names of navigations, levels of headings without gaps
 * (their looks stay), and tables that scroll by keyboard. Removes permalinks within buttons.
 * @param {string} html
 */
function accessible(html) {
  /** @type {number[]} */
  const open = [] // the headings around a place, by their numbers
  return (
    html
      .replace('<div class="col-content">', '<main class="col-content">')
      .replace(/<\/div>(?=\s*<div class="col-sidebar">)/, '</main>')
      // Base classes have no page: the page lists all inherited members.
      .replace(/<section class="tsd-panel tsd-hierarchy".*?<\/section>/s, '')
      .replace('<nav id="tsd-sidebar-links"', '$& aria-label="Site"')
      .replace('<nav class="tsd-navigation">', '<nav class="tsd-navigation" aria-label="Pages">')
      .replace(
        '<div class="page-menu">',
        '<div class="page-menu" role="navigation" aria-label="On this page">',
      )
      .replaceAll('<table>', '<table tabindex="0">')
      .replaceAll(/<summary.*?<\/summary>/gs, (summary) =>
        summary.replace(/<a [^>]*tsd-anchor-icon.*?<\/a>/s, ''),
      )
      .replaceAll(/<h([1-6])(?=[ >])/g, (tag, number) => {
        while (open.at(-1) >= number) open.pop()
        open.push(Number(number))
        return open.length === Number(number) ? tag : `${tag} aria-level="${open.length}"`
      })
  )
}
