// The types of imported cores (.wasm files). build.js replaces each import by an object that holds
// the file as base64 text, deflated first if the import ends with `?deflated`.
declare module '*?deflated' {
  const core: { base64: string }
  export default core
}
/** The text of a script, minified. */
declare module '*?text' {
  const text: string
  export default text
}
declare module '*?base64' {
  const core: { base64: string }
  export default core
}
