// Starts a scene of the built demo in an iframe of this page.

import { eventually } from './waiting.js'

const FRAMES = 30

const hasWebGL2 = document.createElement('canvas').getContext('webgl2') !== null

/**
 * Throws unless the scene starts and draws frames without an error. Without WebGL 2, the message that it is
 * missing is accepted.
 * @param {string} hash
 */
export async function startScene(hash) {
  const frame = document.createElement('iframe')
  frame.style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%; border: 0'
  frame.src = `demo/#${hash}`
  document.body.append(frame)
  try {
    await waitForFrames(frame, hash.slice('scene='.length))
  } finally {
    frame.remove()
  }
}

/** @param {HTMLIFrameElement} frame @param {string} name */
async function waitForFrames(frame, name) {
  const errors = []
  let isLoaded = false
  let first
  await eventually(() => {
    const view = /** @type {any} */ (frame.contentWindow)
    if (view.location.href === 'about:blank') return false
    if (!isLoaded) {
      isLoaded = true
      view.addEventListener('error', ({ message }) => errors.push(message))
      view.addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)))
    }
    const { ready, scene, frame: number, errors: reported = [] } = view.copseDemo ?? {}
    if (reported.length || errors.length) {
      const message = view.document.getElementById('message').textContent
      if (!hasWebGL2 && reported.length === 1 && message.includes('it needs WebGL 2')) return true
      throw new Error([message, ...errors, ...reported].filter(Boolean).join('\n'))
    }
    if (!ready || scene !== name) return false
    first ??= number
    return number >= first + FRAMES
  }, `${FRAMES} frames of ${name}`)
}
