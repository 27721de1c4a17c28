// The world: a row of square zones from west to east, with pillars. Everything here follows from the number of zones,
// so all processes agree on it without a word.

export const TICKS = 20 // per second
export const SIDE = 160 // width and height of a zone, in world units
export const RADIUS = 0.5 // of agents
export const MAX_SPEED = 6
export const NEIGHBOR_DISTANCE = 5
/** A player gets what is nearer than INTEREST, and keeps it up to INTEREST_LEAVE. */
export const INTEREST = 20
export const INTEREST_LEAVE = 24
/** An agent is handed over when it is this far beyond the border, so that none goes to and fro. */
export const HYSTERESIS = 2
/** How far a zone sees beyond its borders: as far as the largest query from the farthest agent it still owns. */
export const MARGIN = Math.max(INTEREST_LEAVE, NEIGHBOR_DISTANCE) + HYSTERESIS + 2

/** Groups of agents: a walker or a player, where a walker goes, and whether a neighbor owns it. */
export const [WALKER, PLAYER, EAST, WEST, GHOST] = [1, 2, 4, 8, 16]

/** Ids of players start here; all below are of walkers. */
export const FIRST_PLAYER = 2 ** 31

/** Returns the x of a zone's western side. @param {number} zone */
export const westOf = (zone) => zone * SIDE

/** Returns the zone of a place. @param {number} x @param {number} zones the number of zones */
export const zoneAt = (x, zones) => Math.min(Math.max(Math.floor(x / SIDE), 0), zones - 1)

/** Returns the zones that share a border with a zone. @param {number} zone @param {number} zones */
export const neighborsOf = (zone, zones) => [zone - 1, zone + 1].filter((n) => n >= 0 && n < zones)

/** Returns the index of the border between two neighbors. @param {number} a @param {number} b */
export const borderOf = (a, b) => Math.min(a, b)

/** Centers of the pillars, within a zone. */
const PILLARS = [
  [40, 40],
  [40, 120],
  [80, 80],
  [120, 30],
  [120, 130],
]
const PILLAR = 7 // distance of the corners from the center

/** Returns the corners of the pillars of a zone: x, y, … @param {number} zone */
export const pillarsOf = (zone) =>
  PILLARS.map(([x, y]) => [x + westOf(zone), y]).map(([x, y]) => [
    ...[x, y - PILLAR, x + PILLAR, y],
    ...[x, y + PILLAR, x - PILLAR, y],
  ])

/** The part of the world that a zone knows: itself and its margins. @param {number} zone @param {number} zones */
export const reachOf = (zone, zones) => ({
  minX: Math.max(westOf(zone) - MARGIN, 0),
  maxX: Math.min(westOf(zone + 1) + MARGIN, zones * SIDE),
})
