// Addresses of the demo: reading returns what was written, and values that no controller allows are ignored.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accept, applyAddress, readAddress, writeAddress } from '../../web/view/address.js'

const address = suite('address')
const defaults = { soldiers: 300, speed: 1, index: 'tree', avoid: false, time: 0 }
const sceneWith = (params) => ({
  name: 'battle',
  count: 'soldiers',
  passing: ['time'],
  params: { ...defaults, ...params },
  defaults,
})

address('holds the scene, and the parameters that differ from their defaults', () => {
  assert.is(writeAddress(sceneWith({}), false), '#scene=battle')
  assert.is(
    writeAddress(
      sceneWith({ soldiers: 20, index: 'k-d tree & more', avoid: true, time: -3 }),
      true,
    ),
    '#scene=battle&n=20&index=k-d+tree+%26+more&avoid=1&paused=1',
  )
})

address('is parsed into scene, pause and values', () => {
  const { scene, paused, values } = readAddress('#scene=battle&n=20&index=a+b%26&paused=1')
  assert.is(scene, 'battle')
  assert.is(paused, true)
  assert.is(values.get('n'), '20')
  assert.is(values.get('index'), 'a b&')
  for (const empty of ['', '#', '#=&&=', '#%', '#__proto__=1']) {
    assert.is(readAddress(empty).scene, undefined)
    assert.is(readAddress(empty).paused, false)
  }
  assert.is(readAddress('#paused=2').paused, false)
})

address('a number becomes the nearest value of the slider', () => {
  const range = { min: 10, max: 5000, step: 10 }
  assert.is(accept('20', range), 20)
  assert.is(accept('26', range), 30)
  assert.is(accept('-1e9', range), 10)
  assert.is(accept('1e9', range), 5000)
  assert.is(accept('0.3', { min: 0, max: 1, step: 0.05 }), 0.3)
  assert.is(accept('0.97', { min: 0.05, max: 1, step: 0.3 }), 0.95)
  assert.is(accept('1', { min: 0.05, max: 1, step: 0.3 }), 0.95)
  for (const wrong of ['', ' ', 'many', '1,000', 'NaN', 'Infinity', '-Infinity', '1e999', '[5]'])
    assert.is(accept(wrong, range), undefined, wrong)
  assert.is(accept(undefined, range), undefined)

  const steps = [100, 200, 500, 1000]
  assert.is(accept('200', { steps }), 200)
  assert.is(accept('400', { steps }), 500)
  assert.is(accept('0', { steps }), 100)
  assert.is(accept('1e9', { steps }), 1000)
  assert.is(accept('x', { steps }), undefined)
})

address('an option is accepted only if it is in the list, with its type', () => {
  assert.is(accept('grid', { options: ['tree', 'grid'] }), 'grid')
  assert.is(accept('8', { options: [4, 8] }), 8)
  assert.is(accept('0', { options: [false, true] }), false)
  assert.is(accept('1', { options: [false, true] }), true)
  for (const wrong of ['', 'Grid', 'toString', '7']) {
    assert.is(accept(wrong, { options: ['tree', 'grid', 8] }), undefined, wrong)
    assert.is(accept(wrong, { options: [false, true] }), undefined, wrong)
  }
})

address('sets the controllers it names, and resets the others to their defaults', () => {
  const scene = sceneWith({ speed: 3, avoid: true, time: -5 })
  const set = {}
  const controller = (property, range) => ({
    property,
    initialValue: scene.params[property],
    setValue: (value) => (set[property] = value),
    ...range,
  })
  const controllers = [
    controller('soldiers', { steps: [100, 300, 500] }),
    controller('speed', { _min: 0, _max: 4, _step: 1 }),
    controller('index', { _values: ['tree', 'grid'] }),
    controller('avoid'),
    controller('time', { _min: -9, _max: 0, _step: 1 }),
    controller('reset', {}), // a button, no param
  ]
  const apply = (hash) => applyAddress(readAddress(hash), scene, controllers)
  apply('#scene=battle&n=450&index=grid&time=-1&reset=1&name=x&defaults=x')
  assert.equal(set, { soldiers: 2, speed: 1, index: 'grid', avoid: false }) // a step is set by its index
  apply('#scene=battle&soldiers=100&speed=fast&avoid=1&__proto__=1&constructor=1')
  assert.equal(set, { soldiers: 0, speed: 1, index: 'tree', avoid: true })
})

address.run()
