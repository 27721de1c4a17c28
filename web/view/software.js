/** True if a WebGL context draws without graphics hardware. */
export function drawsInSoftware(gl) {
  const names = gl.getExtension('WEBGL_debug_renderer_info')
  const name = names ? gl.getParameter(names.UNMASKED_RENDERER_WEBGL) : ''
  return /swiftshader|llvmpipe|software|basic render/i.test(name)
}
