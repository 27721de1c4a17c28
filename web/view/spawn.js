// Start positions and drift of the agents of a scene. A distribution keeps its shape although all agents
// move: each swings about its home (pull > 0) or roams (pull = 0).

// Each function fills flat x, y arrays of homes and of speeds in pixels per second, and returns the pull in
// 1 / second².
const spreads = {
  uniform(homes, speeds, width, height, random) {
    for (let i = 0; i < homes.length; i += 2) {
      homes[i] = width * random()
      homes[i + 1] = height * random()
      speeds[i] = 60 * (random() - 0.5)
      speeds[i + 1] = 60 * (random() - 0.5)
    }
    return 0
  },

  // A few large clusters and many small ones, each dense at its core: uneven at every scale.
  clusters(homes, speeds, width, height, random) {
    const around = () => (random() + random() + random()) / 1.5 - 1
    const clusters = Array.from({ length: 9 }, () => ({
      x: width * (0.12 + 0.76 * random()),
      y: height * (0.12 + 0.76 * random()),
      radius: Math.min(width, height) * (0.06 + 0.3 * random() * random()),
    }))
    for (let i = 0; i < homes.length; i += 2) {
      const { x, y, radius } = clusters[Math.floor(clusters.length * random() * random())]
      const reach = radius * random()
      homes[i] = x + reach * around()
      homes[i + 1] = y + reach * around()
      speeds[i] = 0.3 * reach * (random() - 0.5)
      speeds[i + 1] = 0.3 * reach * (random() - 0.5)
    }
    return 0.5
  },

  // Two armies that meet: each is denser toward the front, where they overlap.
  battle(homes, speeds, width, height, random) {
    for (let i = 0; i < homes.length; i += 2) {
      const side = random() < 0.5 ? -1 : 1
      const u = random()
      homes[i] = width * (0.5 + side * (0.46 * u * Math.sqrt(u) - 0.05))
      homes[i + 1] = height * (0.04 + 0.92 * random())
      speeds[i] = -side * 0.06 * width * random()
      speeds[i + 1] = 40 * (random() - 0.5)
    }
    return 0.5
  },

  // A curve that is denser toward one end, where it is flat: x grows with u², y with u⁸.
  line(homes, speeds, width, height, random) {
    for (let i = 0; i < homes.length; i += 2) {
      const u = random()
      const u2 = u * u
      const u8 = u2 * u2 * u2 * u2
      const speed = 0.03 * (random() - 0.5) // along the curve
      homes[i] = width * (0.08 + 0.84 * u2)
      homes[i + 1] = height * (0.85 - 0.7 * u8)
      speeds[i] = 0.84 * width * 2 * u2 * speed
      speeds[i + 1] = -0.7 * height * 8 * u8 * speed
    }
    return 0.5
  },

  'one point'(homes, speeds, width, height) {
    for (let i = 0; i < homes.length; i += 2) {
      homes[i] = width / 2
      homes[i + 1] = height / 2
      speeds[i] = 0.1 * width
      speeds[i + 1] = 0.04 * height
    }
    return 0.5
  },
}

export const SPREADS = Object.keys(spreads)

/** Returns agents of a spread: their positions, and functions that move and rescale them. */
export function spawn(spread, count, width, height, random) {
  const homes = new Float32Array(2 * count)
  const speeds = new Float32Array(2 * count)
  const pull = spreads[spread](homes, speeds, width, height, random)
  const positions = homes.slice()

  return {
    positions,
    /** Puts an agent, and its home, at a place. */
    place(i, x, y) {
      positions[2 * i] = homes[2 * i] = x
      positions[2 * i + 1] = homes[2 * i + 1] = y
    },
    move(dt) {
      const size = [width, height]
      for (let i = 0; i < positions.length; i++) {
        speeds[i] += (homes[i] - positions[i]) * pull * dt
        positions[i] += speeds[i] * dt
        const max = size[i & 1]
        if (positions[i] < 0) speeds[i] = Math.abs(speeds[i])
        else if (positions[i] > max) speeds[i] = -Math.abs(speeds[i])
      }
    },
    resize(x, y) {
      width *= x
      height *= y
      stretch(positions, x, y)
      stretch(homes, x, y)
    },
  }
}

/** Scales flat x, y, … with a stage that is x times as wide and y times as high. */
export function stretch(points, x, y) {
  for (let i = 0; i < points.length; i++) points[i] *= i & 1 ? y : x
}
