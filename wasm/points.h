/* The struct behind each index of points that JavaScript creates. */
#ifndef COPSE_WASM_POINTS_H
#define COPSE_WASM_POINTS_H

#include "objects.h"

#include "../c/points/points.h"

typedef struct points {
  object object;
  copse_points *core;
  uint32_t dimensions;
  copse_results results; /* of the last single query; its arrays hold `capacity` items */
  float *distances2;     /* the array for results.distances2 if a query needs it */
  float fraction;        /* where on its ray the last raycast hit: 0 at the start, 1 at the end */

  uint32_t *masks; /* by slot: the mask of the agent's queries in a batch */
  /* By slot. The game writes `radii`. Queries use `builtRadii`, a copy made after each build, and
   * `maxRadius`, the largest of that copy. */
  float *radii, *builtRadii, maxRadius;
} points;
_Static_assert(sizeof(points) <= OBJECT_BYTES, "see any_object");

/* Returns the AgentTree, Grid or KdTree of a handle; NULL if the handle is stale. */
points *points_of(int32_t handle);

#endif
