// What the build makes of the core where an entry imports it; size is that of the core itself.
declare module '*?deflated' {
  const core: { base64: string; size: number }
  export default core
}
declare module '*?base64' {
  const core: { base64: string; size: number }
  export default core
}
