/* Optimal reciprocal collision avoidance: from what is near an agent, the velocities that it may
 * choose, and the best of them. In the plane a constraint is a half-plane of velocities, in space a
 * half-space; the best velocity is the permitted one nearest to the preferred, found by incremental
 * linear programming. Where none is permitted, it is the one whose worst violation is least.
 *
 * After J. van den Berg, S. J. Guy, M. Lin, D. Manocha, "Reciprocal n-body collision avoidance"
 * (2011), with the details, thresholds among them, of their libraries RVO2 and RVO2-3D. */
#ifndef COPSE_ORCA_H
#define COPSE_ORCA_H

#include "../base/simd.h"

/* The most constraints of an agent: of neighbors, and of walls. */
enum {
  ORCA_NEIGHBORS = COPSE_CROWD_MAX_NEIGHBORS,
  ORCA_WALLS = COPSE_CROWD_WALLS,
  ORCA_LIMIT = ORCA_NEIGHBORS + ORCA_WALLS,
  ORCA_PADDING = 4
};

/* Below this, directions count as parallel. */
#define ORCA_EPSILON 1e-5f

/* An agent as its neighbors see it: one load for where it is and how it moves, in the plane. */
typedef struct orca_body {
  float position[2], velocity[2];
  float radius, z, velocityZ;
  uint32_t state; /* the crowd's */
} orca_body;

/* Who asks, and for how long it looks ahead. */
typedef struct orca_agent {
  orca_body body;
  uint32_t slot;
  float maxSpeed;
  float inverseHorizon, inverseHorizonOfWalls, inverseStep;
} orca_agent;

/* Which way an agent leaves another that is exactly where it is and moves as it does: a unit vector
 * in the plane, opposite for the two. */
void orca_parting(uint32_t slot, uint32_t other, float *direction);

/* What an agent has to do for each of its neighbors: its part of avoiding one that it would run
 * into; of the room that is left to one that it would not, the part it may use; and one over for
 * how long it looks ahead. */
typedef struct orca_terms {
  float avoiding[ORCA_NEIGHBORS + ORCA_PADDING], room[ORCA_NEIGHBORS + ORCA_PADDING];
  float inverseHorizon[ORCA_NEIGHBORS + ORCA_PADDING];
} orca_terms;

/* Those of four, from one on; NULL: a half, a half, and the agent's own. */
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

/* Half-planes: what lies left of the line through a point in a direction, which is a unit vector.
 * Those of walls come first: they may not be violated. */
typedef struct orca2 {
  float x[ORCA_LIMIT + ORCA_PADDING], y[ORCA_LIMIT + ORCA_PADDING];
  float directionX[ORCA_LIMIT + ORCA_PADDING], directionY[ORCA_LIMIT + ORCA_PADDING];
  uint32_t count, walls;
} orca2;

/* A wall as an agent on its right sees it: from its left end to its right. Convex: the free side
 * has more than half of the surroundings of that end. */
typedef struct orca_wall {
  float begin[2], end[2];
  float direction[2];        /* from begin to end; unit vectors, all three */
  float before[2], after[2]; /* of the walls that end and begin there */
  bool isBeginConvex, isEndConvex;
} orca_wall;

/* True if one half-plane keeps an agent away from all that lies between some points. */
bool orca2_covers(const orca2 *lines, const orca_agent *agent, const float *points, uint32_t count);

/* Appends the half-plane of a wall. There must be room: lines->walls < ORCA_WALLS. Walls come
 * before neighbors, nearest first, and only those that are not covered. */
void orca2_add_wall(orca2 *lines, const orca_agent *agent, const orca_wall *wall);

/* The same as if the wall went on straight at both ends, and a little nearer: so it covers the
 * walls that continue it, too. False: the agent stands in the way, and nothing is appended. */
bool orca2_add_long_wall(orca2 *lines, const orca_agent *agent, const orca_wall *wall);

/* Appends the half-planes of `count` neighbors, by their ids in `bodies`; answers whether any of
 * them touches the agent. */
bool orca2_add_neighbors(orca2 *lines, const orca_agent *agent, const orca_body *bodies,
                         const uint32_t *ids, const orca_terms *terms, uint32_t count);

/* Makes them constraints on the change of a velocity. */
void orca2_relate(orca2 *lines, const float *velocity);

/* The first constraint, from one on, that a velocity violates; the count: none. */
uint32_t orca2_violated(const orca2 *lines, uint32_t first, const float *velocity);

/* Writes the best velocity; answers whether all constraints hold for it. */
bool orca2_solve(const orca2 *lines, const float *preferred, float maxSpeed, float *velocity);

/* ---- In space ---- */

/* Half-spaces: what lies beyond a point along a unit normal. */
typedef struct orca3 {
  float point[3][ORCA_NEIGHBORS + ORCA_PADDING], normal[3][ORCA_NEIGHBORS + ORCA_PADDING];
  uint32_t count;
} orca3;

/* As in the plane. */
bool orca3_add_neighbors(orca3 *planes, const orca_agent *agent, const orca_body *bodies,
                         const uint32_t *ids, const orca_terms *terms, uint32_t count);
void orca3_relate(orca3 *planes, const float *velocity);
uint32_t orca3_violated(const orca3 *planes, const float *velocity);
bool orca3_solve(const orca3 *planes, const float *preferred, float maxSpeed, float *velocity);

#endif
