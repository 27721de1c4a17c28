// The recipes: the page of the documentation is what ?minimal of the demo reads. readme.test.js runs the programs.

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readRecipes } from '../../web/view/recipes.js'
import { read } from './support/documents.js'

const MAX_LINES = 30
const { text: page } = read('web/docs/recipes.md')
const recipes = readRecipes(page)

const test = suite('recipes')

test('are nine, and none is left out', () => {
  assert.is(recipes.length, 9)
  assert.equal(
    recipes.map(({ title }) => title),
    [...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title),
  )
  assert.is(page.match(/^```js$/gm)?.length, recipes.length, 'one program each')
  assert.is(new Set(recipes.map(({ name }) => name)).size, recipes.length)
})

for (const { name, text, code, output } of recipes)
  test(`${name} is short, complete and explained in one sentence`, () => {
    const lines = code.split('\n').slice(0, -1)
    assert.ok(lines.length <= MAX_LINES, `${lines.length} lines`)
    assert.match(lines[0], /^import \{ init, .* \} from 'copse'$/)
    assert.is(code.match(/\bimport\b/g)?.length, 1, 'needs no other file')
    assert.match(text, /^[A-Z].*;\schange\s.*\.$/s)
    assert.not.match(text, /\.\s/, 'one sentence')
    assert.is(text.split('`').length % 2, 1, 'backticks in pairs')
    assert.not.match(text.replaceAll(/`.*?`/gs, ''), /[[\]<*_]/, 'no other markup')
    assert.match(output, /\S/)
  })

test.run()
