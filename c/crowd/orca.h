/* Optimal reciprocal collision avoidance (ORCA). Each neighbor and each wall near an agent is a
 * constraint: in the plane a half-plane of permitted velocities, in space a half-space. The best
 * velocity is the permitted one nearest to the preferred velocity. It is found by incremental
 * linear programming. If no velocity is permitted, the best velocity obeys the walls, and its worst
 * violation of a neighbor's constraint is least.
 *
 * After J. van den Berg, S. J. Guy, M. Lin, D. Manocha, "Reciprocal n-body collision avoidance"
 * (2011). Details such as thresholds follow the authors' libraries RVO2 and RVO2-3D. */
#ifndef COPSE_ORCA_H
#define COPSE_ORCA_H

#include "../base/simd.h"

/* The maximum number of constraints of an agent: from neighbors, from walls, and in total.
 * ORCA_PADDING: how many entries past the end of an array SIMD code may read or write. */
enum {
  ORCA_NEIGHBORS = COPSE_CROWD_MAX_NEIGHBORS,
  ORCA_WALLS = COPSE_CROWD_OBSTACLES,
  ORCA_LIMIT = ORCA_NEIGHBORS + ORCA_WALLS,
  ORCA_PADDING = 4
};

/* Two directions count as parallel if the sine of the angle between them is at most this. Also the
 * tolerance for velocities: relative to the maximum speed, but absolute in orca2_covers. */
#define ORCA_EPSILON 1e-5f

/* The part of an agent that its neighbors read. `position` and `velocity` are next to each other,
 * so that one load of four floats reads both. */
typedef struct orca_body {
  float position[2], velocity[2];
  float radius, z, velocityZ; /* in 2D, z and velocityZ are 0 */
  uint32_t state;             /* bits CROWD_…, see crowd.h */
} orca_body;

/* The agent whose new velocity is to be found. inverseStep is 1 / time step, inverseHorizon is 1 /
 * time horizon. */
typedef struct orca_agent {
  orca_body body;
  uint32_t slot;
  float maxSpeed;
  float inverseHorizon, inverseHorizonOfWalls, inverseStep;
} orca_agent;

/* Writes the direction in which an agent moves away from another one if their positions and
 * velocities give no direction, as when both are equal: a unit vector in the plane. The two agents
 * get opposite directions. */
void orca_parting(uint32_t slot, uint32_t other, float *direction);

/* How an agent avoids each of its neighbors, in arrays with an entry per neighbor. avoiding: the
 * agent's share of the avoidance, if the two are on a collision course. room: if they are not, the
 * agent's share of the change of velocity that would lead to a collision course. inverseHorizon:
 * 1 / the agent's time horizon for this neighbor. */
typedef struct orca_terms {
  float avoiding[ORCA_NEIGHBORS + ORCA_PADDING], room[ORCA_NEIGHBORS + ORCA_PADDING];
  float inverseHorizon[ORCA_NEIGHBORS + ORCA_PADDING];
} orca_terms;

/* The entries of orca_terms for four of an agent's neighbors. orca_terms4_of loads those of the
 * neighbors first … first + 3. If `terms` is NULL, `avoiding` and `room` are a half, and the time
 * horizon is the agent's own. */
typedef struct orca_terms4 {
  float4 avoiding, room, inverseHorizon;
} orca_terms4;

ALWAYS_INLINE orca_terms4 orca_terms4_of(const orca_terms *terms, const orca_agent *agent,
                                         uint32_t first) {
  if (terms)
    return (orca_terms4){float4_load(terms->avoiding + first), float4_load(terms->room + first),
                         float4_load(terms->inverseHorizon + first)};
  return (orca_terms4){float4_all(0.5f), float4_all(0.5f), float4_all(agent->inverseHorizon)};
}

/* ---- In the plane ---- */

/* Half-planes of permitted velocities. Each is the left side of a line, which is given by a point
 * and a unit direction. The half-planes of walls come first: the solver never violates them for the
 * sake of neighbors. */
typedef struct orca2 {
  float x[ORCA_LIMIT + ORCA_PADDING], y[ORCA_LIMIT + ORCA_PADDING];
  float directionX[ORCA_LIMIT + ORCA_PADDING], directionY[ORCA_LIMIT + ORCA_PADDING];
  uint32_t count, walls;
} orca2;

/* A wall with the agent on its right: as the agent sees it, the wall runs from left to right. An
 * end is convex if the free angle around the end is at least 180 degrees. The wall's length is not
 * 0: the tree of walls has no such edges. */
typedef struct orca_wall {
  float begin[2], end[2];
  float direction[2];        /* direction from `begin` to `end`; a unit vector, like the next two */
  float before[2], after[2]; /* directions of the wall before this one, and of the wall after it */
  bool isBeginConvex, isEndConvex;
} orca_wall;

/* True if the half-plane of one of the walls added so far keeps an agent from reaching the convex
 * hull of some points. */
bool orca2_covers(const orca2 *lines, const orca_agent *agent, const float *points, uint32_t count);

/* Appends the half-plane of a wall. There must be room: lines->walls < ORCA_WALLS. Walls must be
 * added nearest first, before all neighbors, and only if orca2_covers is false for them: the
 * half-plane of a covered wall would take up room, and restrict the agent without need. */
void orca2_add_wall(orca2 *lines, const orca_agent *agent, const orca_wall *wall);

/* Appends the half-plane of a wall as if the wall were a little nearer and continued straight at
 * both ends. The half-plane then also covers adjacent walls. If the agent overlaps the longer wall,
 * appends nothing and returns false. */
bool orca2_add_long_wall(orca2 *lines, const orca_agent *agent, const orca_wall *wall);

/* Appends the half-planes of `count` neighbors, whose ids are indices of `bodies`. True if any of
 * them touches the agent. */
bool orca2_add_neighbors(orca2 *lines, const orca_agent *agent, const orca_body *bodies,
                         const uint32_t *ids, const orca_terms *terms, uint32_t count);

/* Shifts all constraints by -velocity: they then apply to a new velocity minus `velocity`. */
void orca2_relate(orca2 *lines, const float *velocity);

/* Returns the index of the first constraint, from `first` on, that the velocity (x, y) violates by
 * more than `threshold`; lines->count if there is none. */
ALWAYS_INLINE uint32_t orca2_violated(const orca2 *lines, uint32_t first, float x, float y,
                                      float threshold) {
  for (uint32_t i = first & ~3u; i < lines->count; i += 4) {
    const float4 betweenX = float4_sub(float4_load(lines->x + i), float4_all(x));
    const float4 betweenY = float4_sub(float4_load(lines->y + i), float4_all(y));
    const float4 violation = float4_sub(float4_mul(float4_load(lines->directionX + i), betweenY),
                                        float4_mul(float4_load(lines->directionY + i), betweenX));
    uint32_t bits = word4_bits(float4_lt(float4_all(threshold), violation));
    if (i < first) bits &= 15u << (first - i);
    if (!bits) continue;
    const uint32_t violated = i + bits_lowest(bits);
    return violated < lines->count ? violated : lines->count;
  }
  return lines->count;
}

/* Writes the best velocity up to `maxSpeed`: the permitted one nearest to `preferred`. If none is
 * permitted, it is the one that obeys the walls and whose worst violation of another constraint is
 * least. If none obeys the walls, it is the one nearest to `rest`. `rest` is the velocity of an
 * agent at rest: 0 or, after orca2_relate, minus the agent's present velocity. True if the result
 * violates no constraint. */
bool orca2_solve(const orca2 *lines, const float *preferred, const float *rest, float maxSpeed,
                 float *velocity);

/* ---- In space ---- */

/* Half-spaces of permitted velocities. Each is given by a point of its border plane and the unit
 * normal, which points to permitted velocities. */
typedef struct orca3 {
  float point[3][ORCA_NEIGHBORS + ORCA_PADDING], normal[3][ORCA_NEIGHBORS + ORCA_PADDING];
  uint32_t count;
} orca3;

/* Appends the half-spaces of `count` neighbors, whose ids are indices of `bodies`. True if any of
 * them touches the agent. */
bool orca3_add_neighbors(orca3 *planes, const orca_agent *agent, const orca_body *bodies,
                         const uint32_t *ids, const orca_terms *terms, uint32_t count);

/* Shifts all constraints by -velocity: they then apply to a new velocity minus `velocity`. */
void orca3_relate(orca3 *planes, const float *velocity);

/* Returns the index of the first constraint that a velocity violates; planes->count if there is
 * none. */
uint32_t orca3_violated(const orca3 *planes, const float *velocity);

/* Writes the best velocity up to `maxSpeed`: the permitted one nearest to `preferred` or, if none
 * is permitted, the one whose worst violation is least. True if it violates no constraint. */
bool orca3_solve(const orca3 *planes, const float *preferred, float maxSpeed, float *velocity);

#endif
