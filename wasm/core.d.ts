// The types of imported cores (.wasm files). build.js replaces each import by an object that holds
// the deflated file as base64 text.
declare module '*?deflated' {
  const core: { base64: string }
  export default core
}
/** The text of a script, minified. */
declare module '*?text' {
  const text: string
  export default text
}
