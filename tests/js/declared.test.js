// The classes have exactly the members that copse.d.ts declares, with as many arguments, and every function
// and method is documented. The compiler checks return types: wasm/declared.ts.

import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as copse from 'copse'

const declared = suite('declared')
const file = fileURLToPath(new URL('../../wasm/copse.d.ts', import.meta.url))
const program = ts.createProgram([file], { target: ts.ScriptTarget.ES2022, strict: true })
const checker = program.getTypeChecker()
const source = program.getSourceFile(file)

/** The exports that exist at run time: no interfaces, no `export type { Points }`. */
const exported = checker
  .getExportsOfModule(checker.getSymbolAtLocation(source))
  .filter(
    ({ declarations: [node] }) => ts.isClassDeclaration(node) || ts.isFunctionDeclaration(node),
  )
const classes = exported.filter(({ declarations: [node] }) => ts.isClassDeclaration(node))

const isPublic = (name) => typeof name === 'string' && !/^(_.*|constructor)$/.test(name)
const textOf = (symbol) => ts.displayPartsToString(symbol.getDocumentationComment(checker))

/** Returns the names of an object's members, own and inherited, up to but not including `end`. */
function namesOf(object, end) {
  const names = new Set()
  for (let owner = object; owner !== end; owner = Object.getPrototypeOf(owner))
    for (const name of Object.getOwnPropertyNames(owner).filter(isPublic)) names.add(name)
  return [...names].sort()
}

const publicOf = (type) => checker.getPropertiesOfType(type).filter(({ name }) => isPublic(name))

declared('exports are those of the entry, and documented', () => {
  assert.equal(exported.map(({ name }) => name).sort(), Object.keys(copse).sort())
  for (const symbol of exported) assert.ok(textOf(symbol), symbol.name)
})

for (const symbol of classes) {
  const { name } = symbol
  const Class = copse[name]
  const members = publicOf(checker.getDeclaredTypeOfSymbol(symbol))
  if (name === 'CopseError') continue

  declared(`members of ${name} are those of the class`, () => {
    const names = members.map((member) => member.name).sort()
    assert.equal(names, namesOf(Class.prototype, Object.prototype))
    const statics = publicOf(checker.getTypeOfSymbol(symbol)).map((member) => member.name)
    const builtIn = ['length', 'name', 'prototype']
    assert.equal(
      statics.filter((name) => !builtIn.includes(name)),
      namesOf(Class, Function.prototype).filter((name) => !builtIn.includes(name)),
    )
  })

  declared(`methods of ${name} take as many arguments, and are documented`, () => {
    const methods = members.filter(
      ({ declarations: [node] }) => ts.isMethodDeclaration(node) || ts.isMethodSignature(node),
    )
    assert.ok(methods.length > 8)
    for (const method of methods) {
      assert.ok(textOf(method), method.name)
      // A method may have overloads.
      const signatures = checker.getTypeOfSymbol(method).getCallSignatures()
      const { MethodSignature } = ts.SyntaxKind
      const forms = signatures.map((signature) => {
        const { parameters } = checker.signatureToSignatureDeclaration(signature, MethodSignature)
        return {
          required: parameters.filter((parameter) => !parameter.questionToken).length,
          // As many as there are in 3D, if the number depends on the dimensions.
          most: parameters.at(-1)?.dotDotDotToken ? Infinity : parameters.length,
        }
      })
      const fewest = Math.min(...forms.map(({ required }) => required))
      const most = Math.max(...forms.map((form) => form.most))
      const { length } = Class.prototype[method.name]
      assert.ok(fewest <= length && length <= most, `${method.name}: ${length}`)
    }
  })
}

declared.run()
