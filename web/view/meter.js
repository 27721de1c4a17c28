// Splits the time of a frame into parts: `ms` is the last frame, `mean` about the last second. A browser's
// clock is coarse (0.1 ms unless the page is cross-origin isolated), so the times of one frame are rough and
// only means over many frames are accurate.

export const PARTS = ['move', 'build', 'query', 'draw']

export function createMeter() {
  const ms = { move: 0, build: 0, query: 0, draw: 0 }
  const mean = { ...ms }
  let frames = 0
  let last = 0
  let begun = 0
  return {
    ms,
    mean,
    whole: 0, // ms of the last frame, from start() to end(), with all that belongs to no part
    start() {
      const weight = 1 / Math.min(Math.max(frames++, 1), 40) // a plain mean for the first frames
      for (const part of PARTS) {
        mean[part] += (ms[part] - mean[part]) * weight
        ms[part] = 0
      }
      last = begun = performance.now()
    },
    end() {
      this.whole = performance.now() - begun
    },
    /** Credits the time since the last call to a part, or to none. */
    lap(part) {
      const now = performance.now()
      if (part) ms[part] += now - last
      last = now
    },
  }
}
