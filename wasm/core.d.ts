// The types of imported cores (.wasm files): build.js replaces each import by such an object.
declare module '*?deflated' {
  const core: { base64: string }
  export default core
}
declare module '*?base64' {
  const core: { base64: string }
  export default core
}
