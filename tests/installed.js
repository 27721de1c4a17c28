// The package as users get it: packed, and installed in an empty folder.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../', import.meta.url))

/** @param {string} command @param {string[]} args @param {string} cwd */
export const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

/** Packs and installs; `remove()` cleans up. */
export function install() {
  const folder = mkdtempSync(join(tmpdir(), 'copse-package-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const [{ filename, files, size }] = JSON.parse(
      run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root),
    )
    const tarball = join(folder, filename)
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    run('npm', ['install', '--no-audit', '--no-fund', '--offline', tarball], folder)
    return { folder, tarball, files, size, remove }
  } catch (error) {
    remove()
    throw error
  }
}
