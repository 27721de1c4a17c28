/* The struct behind each index of points that JavaScript creates. */
#ifndef COPSE_WASM_POINTS_H
#define COPSE_WASM_POINTS_H

#include "objects.h"

#include "../c/points/points.h"

typedef struct points {
  object object;
  copse_points *core;
  uint32_t dimensions;
  bool isExternal;       /* true: the agents are those of another object, the source */
  int32_t source;        /* the handle of the source; -1: none, the index has its own agents */
  copse_results results; /* of the last single query; its arrays hold `capacity` items */
  float *distances2;     /* the array for results.distances2 if a query needs it */
  float fraction;        /* where on its ray the last raycast hit: 0 at the start, 1 at the end */

  uint32_t *masks; /* by slot: the mask of the agent's queries in a batch */
  /* By slot. The game writes `radii`. Queries use `builtRadii`, a copy made after each build, and
   * `maxRadius`, the largest of that copy. If external, `masks` and `radii` are NULL. */
  float *radii, *builtRadii, maxRadius;
} points;
_Static_assert(sizeof(points) <= OBJECT_BYTES, "see any_object");

/* Returns the AgentTree, Grid or KdTree of a handle; NULL if the handle is stale. */
points *points_of(int32_t handle);

/* Copies `radii` to builtRadii, which queries use. Copies 0 for a radius that is NaN or negative,
 * and for a slot that is not in the last build. NULL: all radii are 0. */
void points_use_radii(points *self, const float *radii);

/* Returns the AgentTree, Grid or KdTree of a handle, and writes the agents of its source to *own.
 * Returns NULL if the index or its source was destroyed, or if it has no source. */
points *sourced_of(int32_t handle, agents *own);

double points_all_within(int32_t handle, float radius, uint32_t mask);
int32_t points_all_neighbors(int32_t handle, uint32_t k, float maxDistance, uint32_t mask);

#endif
