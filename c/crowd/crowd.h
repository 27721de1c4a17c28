/* The crowd: agents that avoid each other and walls.
 *
 * What an agent is lies in fields, arrays by slot, which the caller may write. A step copies what
 * neighbors see of each other into bodies, finds the nearest neighbors of all with an agent tree,
 * and then treats each agent alone: constraints, the best velocity. Nothing moves before all have
 * chosen, so the order does not matter. */
#ifndef COPSE_CROWD_H
#define COPSE_CROWD_H

#include "../walls/obstacle.h"
#include "orca.h"

/* Vectors first, then numbers, then whole numbers; of each the caller's first. */
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
  FIELD_TIME_HORIZON,
  FIELD_TIME_HORIZON_OBSTACLES,
  FIELD_MAX_ACCELERATION,
  FIELD_PRIORITY,
  FIELD_NEAREST, /* how near to its goal it has come, or stands since it has arrived */
  FIELD_WAITED,  /* for how long it has come no nearer */
  FIELD_FLOATS,
  FIELD_MAX_NEIGHBORS = FIELD_FLOATS,
  FIELD_GROUPS,
  FIELD_MASK,
  FIELD_ENABLED,
  FIELD_LOCKED,
  FIELD_STATE,
  FIELDS
} crowd_field;

/* Bits of FIELD_STATE. Inside: of something solid; new: nobody has looked whether it is. A body has
 * the first, and: it takes part and is not locked; it may yield to others or they to it otherwise
 * than by halves, since it has a priority or mask, is locked, or has arrived. */
enum {
  CROWD_ARRIVED = 1,
  CROWD_STUCK = 2,
  CROWD_INSIDE = 4,
  CROWD_NEW = 8,
  CROWD_MOVES = 16,
  CROWD_UNEQUAL = 32
};

typedef struct copse_crowd_slots {
  uint32_t *slots, count;
} copse_crowd_slots;

struct copse_crowd {
  copse_crowd_def def;
  void *memory; /* holds all arrays */
  uint64_t memoryBytes;
  slots slots;
  float *fields[FIELDS];
  copse_points *tree;
  copse_crowd_slots arrived, stuck; /* in the last step */

  /* Of a step under way. */
  uint32_t *present; /* groups for the tree; 0: takes part in nothing */
  orca_body *bodies;
  float *newVelocities;
  copse_neighbor_rows rows; /* of def.maxNeighbors at most */
  bool isEqual, hasMasks;   /* no body is unequal; someone has a mask */

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
/* A field of whole numbers. */
ALWAYS_INLINE uint32_t *crowd_whole(const copse_crowd *crowd, crowd_field field) {
  return (uint32_t *)crowd->fields[field];
}
/* A number, in range. */
ALWAYS_INLINE float crowd_number(const copse_crowd *crowd, crowd_field field, uint32_t slot) {
  const float x = crowd->fields[field][slot];
  return x > 0 ? (x < COPSE_MAX_COORDINATE ? x : COPSE_MAX_COORDINATE) : 0;
}

/* Slots up to the last in use. */
uint32_t crowd_end(const copse_crowd *crowd);
/* Whether an agent's position and velocities are finite. */
ALWAYS_INLINE bool crowd_is_finite(const copse_crowd *crowd, uint32_t slot) {
  bool ok = true;
  for (int field = FIELD_POSITION; field <= FIELD_PREFERRED_VELOCITY; field++) {
    const float *vector = crowd_vector(crowd, (crowd_field)field, slot);
    ok = ok && is_coordinate(vector[0]) && is_coordinate(vector[1]);
    if (crowd->def.dimensions == 3) ok = ok && is_coordinate(vector[2]);
  }
  return ok;
}

/* Writes the velocity that an agent prefers, whose neighbors these are, and notes how it gets on
 * towards its goal. */
void crowd_prefer(copse_crowd *crowd, uint32_t slot, float timeStep, const uint32_t *ids,
                  uint32_t count, float *preferred);

/* Whether two goals are one, as far as their agents have room. */
bool crowd_have_one_goal(const copse_crowd *crowd, uint32_t a, uint32_t b);

/* Begins with the constraints of the walls near an agent, nearest first. Returns the nearest edge
 * if the agent overlaps it, else COPSE_NONE. Limits maxSpeed where there is no room for all walls.
 */
uint32_t crowd_add_walls(orca2 *lines, const copse_obstacle *walls, orca_agent *agent);
/* Writes the nearest edges within an agent's horizon, with room for COPSE_CROWD_WALLS. Returns how
 * many. */
uint32_t crowd_near_walls(const copse_obstacle *walls, const orca_agent *agent, uint32_t *edges);
/* Whether an agent is inside something solid. That is looked up once in a while. */
bool crowd_is_inside(copse_crowd *crowd, const copse_obstacle *walls, uint32_t slot);
/* Has an agent prefer the shortest way out of that. */
void crowd_leave_solid(const copse_obstacle *walls, const orca_agent *agent, float *preferred);
/* Has an agent that overlaps its nearest wall prefer not to. */
void crowd_leave_wall(const copse_obstacle *walls, const orca_agent *agent, uint32_t edge,
                      float *preferred);

#endif
