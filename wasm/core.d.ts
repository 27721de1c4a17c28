// What build.js turns the import of a core into.
declare module '*?deflated' {
  const core: { base64: string }
  export default core
}
declare module '*?base64' {
  const core: { base64: string }
  export default core
}
