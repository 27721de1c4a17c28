// A pad to move and turn a player in space: keys, and on touch screens buttons over the stage.

const MOVES = [
  { code: 'KeyZ', move: 'turn left', sign: '↺' },
  { code: 'KeyW', move: 'forward', sign: '▲' },
  { code: 'KeyX', move: 'turn right', sign: '↻' },
  { code: 'KeyE', move: 'up', sign: '⤒' },
  { code: 'KeyA', move: 'left', sign: '◀' },
  { code: 'KeyS', move: 'back', sign: '▼' },
  { code: 'KeyD', move: 'right', sign: '▶' },
  { code: 'KeyQ', move: 'down', sign: '⤓' },
]

export function createPad(canvas) {
  const held = new Set()
  const closing = new AbortController()
  const { signal } = closing
  const group = document.createElement('div')
  group.className = 'pad'
  group.setAttribute('role', 'group')
  group.setAttribute('aria-label', 'Move the player')
  for (const { move, sign } of MOVES) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = sign
    button.setAttribute('aria-label', move)
    button.addEventListener('pointerdown', () => held.add(move))
    button.addEventListener('keydown', ({ key }) => {
      if (key === ' ' || key === 'Enter') held.add(move)
    })
    for (const type of ['pointerup', 'pointercancel', 'pointerleave', 'keyup', 'blur'])
      button.addEventListener(type, () => held.delete(move))
    button.addEventListener('contextmenu', (event) => event.preventDefault()) // of a long touch
    group.append(button)
  }
  canvas.after(group)

  const moveOf = ({ code }) => MOVES.find((entry) => entry.code === code)?.move
  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target.closest('input, select') || document.querySelector('dialog[open]')) return
    const move = moveOf(event)
    if (move) held.add(move)
  }
  addEventListener('keydown', press, { signal })
  addEventListener('keyup', (event) => held.delete(moveOf(event)), { signal })
  addEventListener('blur', () => held.clear(), { signal })
  const along = (plus, minus) => Number(held.has(plus)) - Number(held.has(minus))

  return {
    /** True while a key or button is held. */
    get isHeld() {
      return held.size > 0
    },

    /** Returns the held direction, -1, 0 or 1 each: to the right, up, forward, and turning left. */
    direction: () => [
      along('right', 'left'),
      along('up', 'down'),
      along('forward', 'back'),
      along('turn left', 'turn right'),
    ],

    dispose() {
      closing.abort()
      group.remove()
    },
  }
}
