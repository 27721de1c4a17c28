// The package as the release workflow publishes it, from example variables of a forge.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { pack, root, run } from './install.js'

const release = suite('release')
const { version, files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const FORGE = {
  GITHUB_SERVER_URL: 'https://forge.example',
  GITHUB_REPOSITORY: 'owner/name',
  GITHUB_REF_NAME: `v${version}`,
  HOMEPAGE: '',
}
const REPOSITORY = 'https://forge.example/owner/name'
/** A link of Markdown or HTML: its target. */
const LINK = /(?:\]\(|(?:src|srcset|href)=")([^)"\s]+)/g
/** @type {string} */
let folder

const read = (/** @type {string} */ name) => readFileSync(join(folder, name), 'utf8')

/** Changes a file. @param {string} name @param {RegExp} pattern @param {string} text */
const edit = (name, pattern, text) =>
  writeFileSync(join(folder, name), read(name).replace(pattern, text))

/** Runs the script. @param {Record<string, string>} [variables] */
const prepare = (variables = {}) =>
  spawnSync('node', [join(root, 'tests/tools/release.js')], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...FORGE, ...variables },
  })

release.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'copse-release-'))
  const linked = ['package.json', 'LICENSE', 'README.md', 'CONTRIBUTING.md', 'SECURITY.md']
  for (const name of [...linked, ...files, 'web/docs', 'tests/bench/results'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  for (const name of readdirSync(join(root, 'web')).filter((name) => name.endsWith('.png')))
    cpSync(join(root, 'web', name), join(folder, 'web', name))
  // What the checklist asks for.
  edit('CHANGELOG.md', /\(unreleased\)/, '(2030-01-31)')
  edit('README.md', /not on npm yet/, 'on npm')
})
release.after.each(() => rmSync(folder, { recursive: true, force: true }))

release('the tarball has the addresses of the forge, and only absolute links', () => {
  assert.is(prepare().stderr, '')
  const { tarball } = pack(folder, folder)
  run('tar', ['xf', tarball], folder)
  const { repository, homepage, bugs } = JSON.parse(read('package/package.json'))
  assert.equal(repository, { type: 'git', url: `git+${REPOSITORY}.git` })
  assert.equal(bugs, { url: `${REPOSITORY}/issues` })
  assert.is(homepage, `${REPOSITORY}#readme`)

  const pages = readdirSync(join(folder, 'package')).filter((name) => name.endsWith('.md'))
  assert.equal(pages.sort(), ['CHANGELOG.md', 'README.md'])
  const targets = pages.flatMap((name) => [...read(`package/${name}`).matchAll(LINK)])
  const outside = targets.map(([, target]) => target).filter((target) => !target.startsWith('#'))
  assert.ok(outside.length > 20)
  for (const target of outside) {
    assert.ok(URL.canParse(target), target)
    const place = target.startsWith(REPOSITORY) && target.slice(REPOSITORY.length)
    if (!place) continue
    const [, form, tag, path] = /^\/(\w+)\/([^/]+)\/([^#]+)/.exec(place) ?? []
    assert.is(form, /\.(png|svg)$/.test(path) ? 'raw' : 'blob', target)
    assert.is(tag, `v${version}`)
    assert.ok(read(path), target)
  }
})

release('the tarball holds the sources that the source maps name', () => {
  const packed = new Set(pack(folder, folder).files.map(({ path }) => path))
  const maps = [...packed].filter((path) => path.endsWith('.js.map'))
  assert.ok(maps.length > 5)
  for (const map of maps)
    for (const source of JSON.parse(read(map)).sources)
      assert.ok(packed.has(join('dist', source)), `${map}: ${source}`)
})

release('the homepage is the one that the forge knows', () => {
  const HOMEPAGE = 'https://site.example/copse/'
  assert.is(prepare({ HOMEPAGE }).status, 0)
  assert.is(JSON.parse(read('package.json')).homepage, HOMEPAGE)
})

release('what is not ready is refused, and nothing is changed', () => {
  const refuses = (/** @type {string} */ message, variables = {}) => {
    const before = read('package.json') + read('README.md')
    const { status, stderr } = prepare(variables)
    assert.is(status, 1)
    assert.match(stderr, message)
    assert.is(read('package.json') + read('README.md'), before)
  }
  refuses('not v', { GITHUB_REF_NAME: 'v9.9.9' })
  refuses('no GITHUB_SERVER_URL', { GITHUB_REPOSITORY: '' })
  edit('README.md', /$/, '\n[lost](nowhere.md)')
  refuses('nowhere.md')
  edit('README.md', /nowhere\.md/, 'LICENSE) is not on npm yet(')
  refuses('not on npm yet')
  edit('CHANGELOG.md', /\(2030-01-31\)/, '(unreleased)')
  refuses('no date')
})

release.run()
