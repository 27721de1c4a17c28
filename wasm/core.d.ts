// The type of an imported core, a .wasm file: build.js replaces the import by this object.
declare module '*?deflated' {
  const core: { base64: string }
  export default core
}
declare module '*?base64' {
  const core: { base64: string }
  export default core
}
