// What the build makes of the core where an entry imports it.
declare module '*?deflated' {
  const core: { base64: string }
  export default core
}
declare module '*?base64' {
  const core: { base64: string }
  export default core
}
