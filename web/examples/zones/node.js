// Finds a Node that Colyseus runs in.

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const OLDEST = 22
const INSTALLED = 24

/** Returns the path of the running Node or, if that is too old, of one from npm, which it installs beside this file. */
export function modernNode() {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST) return process.execPath
  // The package `node` would install this one by a script, which npm may not run.
  const platform = `${process.platform}-${process.arch}`
  const name = platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`
  const folder = fileURLToPath(new URL('build/node', import.meta.url))
  const binary = `${folder}/node_modules/${name}/bin/node`
  if (existsSync(binary)) return binary
  const options = [
    '--no-save',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel',
    'error',
  ]
  execFileSync('npm', ['install', '--prefix', folder, ...options, `${name}@${INSTALLED}`], {
    stdio: 'inherit',
  })
  return binary
}
