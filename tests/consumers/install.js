// Packs the package, and installs it in an empty folder.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Returns what a command prints. @param {string} command @param {string[]} args @param {string} cwd */
export const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

/**
 * Packs the package into a folder.
 * @param {string} folder
 * @param {string} [source] the folder of the package
 */
export function pack(folder, source = root) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [{ filename, files, size }] = JSON.parse(run('npm', args, source))
  return { tarball: join(folder, filename), files, size }
}

/** Packs and installs the package. `remove()` deletes the folder. */
export function install() {
  const folder = mkdtempSync(join(tmpdir(), 'copse-package-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const packed = pack(folder)
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    run('npm', ['install', '--no-audit', '--no-fund', '--offline', packed.tarball], folder)
    return { folder, ...packed, remove }
  } catch (error) {
    remove()
    throw error
  }
}
