// Prepares a clone for publishing: sets `repository`, `homepage` and `bugs` in package.json, and makes the links of
// the pages in the tarball absolute, because the registry shows these pages without the other files. Run by the
// release workflow, in the folder to publish. The forge sets the environment: GITHUB_SERVER_URL, GITHUB_REPOSITORY,
// GITHUB_REF_NAME (the tag); and HOMEPAGE, which may be empty. Changes nothing if something is not ready.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const PAGES = ['README.md', 'CHANGELOG.md']
/** A link of Markdown or HTML, apart from those within its page: what precedes the target, and the target. */
const LINK = /(!?\[[^\]]*\]\(|(?:src|srcset|href)=")(?!#)([^)"\s]+)/g

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_REF_NAME, HOMEPAGE } = process.env
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const texts = new Map(PAGES.map((page) => [page, readFileSync(page, 'utf8')]))

/** @param {unknown} holds @param {string} message */
function check(holds, message) {
  if (holds) return
  console.error(message)
  process.exit(1)
}

check(GITHUB_SERVER_URL && GITHUB_REPOSITORY, 'no GITHUB_SERVER_URL and GITHUB_REPOSITORY')
const { version } = manifest
check(GITHUB_REF_NAME === `v${version}`, `the tag ${GITHUB_REF_NAME} is not v${version}`)
const isDated = texts.get('CHANGELOG.md')?.includes(`## ${version} (2`)
check(isDated, `CHANGELOG.md has no date for ${version}`)
check(!texts.get('README.md')?.includes('not on npm yet'), 'README.md says: not on npm yet')

const repository = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`

/** Returns the address of a file of this version. @param {string} before @param {string} target */
function absolute(before, target) {
  if (URL.canParse(target)) return target
  check(existsSync(target.split('#')[0]), `no file for the link to ${target}`)
  const isPicture = before.startsWith('!') || before.startsWith('src')
  return `${repository}/${isPicture ? 'raw' : 'blob'}/${GITHUB_REF_NAME}/${target}`
}

for (const [page, text] of texts)
  texts.set(
    page,
    text.replace(LINK, (_, before, target) => before + absolute(before, target)),
  )

manifest.repository = { type: 'git', url: `git+${repository}.git` }
manifest.homepage = HOMEPAGE || `${repository}#readme`
manifest.bugs = { url: `${repository}/issues` }
writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`)
for (const [page, text] of texts) writeFileSync(page, text)
