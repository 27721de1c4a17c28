// What the build makes of the core where an entry imports it.
declare module '*?deflated' {
  const base64: string
  /** Bytes of the core itself. */
  export const size: number
  export default base64
}
declare module '*?base64' {
  const base64: string
  export default base64
}
