/* The crowd: agents that avoid each other and walls.
 *
 * What an agent is lies in fields, arrays by slot, which the caller may write. A step copies what
 * neighbors see of each other into bodies, finds the nearest neighbors of all with an agent tree,
 * and then treats each agent alone: constraints, the best velocity. Nothing moves before all have
 * chosen, so the order does not matter. */
#ifndef COPSE_CROWD_H
#define COPSE_CROWD_H

#include "obstacle.h"
#include "orca.h"

/* Vectors first. */
typedef enum crowd_field {
  FIELD_POSITION,
  FIELD_VELOCITY,
  FIELD_PREFERRED_VELOCITY,
  FIELD_GOAL,
  FIELD_VECTORS,
  FIELD_PREFERRED_SPEED = FIELD_VECTORS,
  FIELD_RADIUS,
  FIELD_MAX_SPEED,
  FIELD_NEIGHBOR_DISTANCE,
  FIELD_MAX_NEIGHBORS, /* whole numbers */
  FIELD_TIME_HORIZON,
  FIELD_TIME_HORIZON_OBSTACLES,
  FIELDS
} crowd_field;

struct copse_crowd {
  copse_crowd_def def;
  void *memory; /* holds all arrays */
  uint64_t memoryBytes;
  slots slots;
  float *fields[FIELDS];
  copse_agenttree *tree;

  /* Of a step under way. */
  uint32_t *present; /* groups for the tree: 1 for slots in use, else 0 */
  orca_body *bodies;
  float *newVelocities;
  copse_neighbor_rows rows; /* of def.maxNeighbors at most */

  double time;
  uint64_t steps;
  uint32_t infeasible, overlaps; /* in the last step */
  uint64_t neighbors;
};

/* How many words of four bytes a slot has in a field. */
ALWAYS_INLINE uint32_t crowd_words(const copse_crowd *crowd, int field) {
  return field < FIELD_VECTORS ? crowd->def.dimensions : 1;
}
ALWAYS_INLINE float *crowd_vector(const copse_crowd *crowd, crowd_field field, uint32_t slot) {
  return crowd->fields[field] + (size_t)slot * crowd->def.dimensions;
}

/* Slots up to the last in use. */
uint32_t crowd_end(const copse_crowd *crowd);
/* Whether an agent's position and velocities are finite. */
bool crowd_is_finite(const copse_crowd *crowd, uint32_t slot);

#endif
