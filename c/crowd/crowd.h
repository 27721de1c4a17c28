/* The crowd: agents that avoid each other and walls.
 *
 * The attributes of agents are fields: arrays by slot, most of which the caller may write. A step
 * copies the attributes that an agent's neighbors read into a body (orca_body), and uses an agent
 * tree to find the nearest neighbors of every agent. Then, for each agent, the step sets up
 * constraints, chooses the best velocity and moves the agent. Agents read each other's positions
 * and velocities only from the bodies, which stay as they were before the step. So the order of
 * agents does not matter. */
#ifndef COPSE_CROWD_H
#define COPSE_CROWD_H

#include "../base/tasks.h"
#include "../walls/obstacle.h"
#include "orca.h"

/* The fields of an agent, in this order: vectors, floats, integers. In each of these parts, fields
 * that the caller may write come before those that only the library uses. */
typedef enum crowd_field {
  FIELD_POSITION,
  FIELD_VELOCITY,
  FIELD_PREFERRED_VELOCITY,
  FIELD_GOAL,
  FIELD_HOME,  /* where a settled agent has arrived and goes back to: see crowd_goals.c */
  FIELD_STOOD, /* where the last step left the agent, if it is idle: if it is elsewhere now, the
                * game has put it there */
  FIELD_VECTORS,
  FIELD_PREFERRED_SPEED = FIELD_VECTORS,
  FIELD_ARRIVAL_RADIUS,
  FIELD_RADIUS,
  FIELD_MAX_SPEED,
  FIELD_NEIGHBOR_DISTANCE,
  FIELD_TIME_HORIZON,
  FIELD_TIME_HORIZON_OBSTACLES,
  FIELD_MAX_ACCELERATION,
  FIELD_PRIORITY,
  FIELD_NEAREST, /* the least distance to the goal since the agent set out; if the agent has
                  * arrived, its distance when it arrived */
  FIELD_WAITED,  /* seconds without progress toward the goal. If the agent has arrived: seconds
                  * since it was pushed away or the path to its goal became free */
  FIELD_SLOWED,  /* seconds of creeping along behind an agent that stands: see sidestep */
  FIELD_FLOATS,
  FIELD_MAX_NEIGHBORS = FIELD_FLOATS,
  FIELD_GROUPS,
  FIELD_MASK,
  FIELD_ENABLED,
  FIELD_LOCKED,
  FIELD_STATE,
  FIELDS
} crowd_field;

/* Bits of FIELD_STATE: CROWD_ARRIVED, CROWD_SETTLED (the agent has arrived at its home, even if it
 * was pushed away since), CROWD_STUCK, CROWD_IDLE (the agent has a home, but no goal),
 * CROWD_BLOCKED (a neighbor is in its way, and it has looked which side is free) and CROWD_LEFT (it
 * is the left one), CROWD_INSIDE (the agent is inside a solid area) and CROWD_NEW (not yet tested
 * for being inside one). If a flow field leads the agent, the bits from CROWD_AIM_SHIFT on hold 1 +
 * the anchor that it heads for (see flowfield.h), else 0. Bits of orca_body.state: CROWD_ARRIVED,
 * CROWD_SETTLED, CROWD_STUCK, CROWD_MOVES (the agent is enabled and not locked), CROWD_UNEQUAL (the
 * agent's shares of the avoidance can differ from one half: its priority is not 0, its mask
 * excludes a group, it is locked, or settled) and CROWD_LED (a flow field leads the agent in this
 * step). */
enum {
  CROWD_ARRIVED = 1,
  CROWD_STUCK = 2,
  CROWD_INSIDE = 4,
  CROWD_NEW = 8,
  CROWD_MOVES = 16,
  CROWD_UNEQUAL = 32,
  CROWD_LED = 64,
  CROWD_SETTLED = 128,
  CROWD_IDLE = 256,
  CROWD_BLOCKED = 512,
  CROWD_LEFT = 1024,
  CROWD_AIM_SHIFT = 16
};

/* A list of slots: of the agents that arrived, or that got stuck. */
typedef struct crowd_events {
  uint32_t *slots, count;
} crowd_events;

/* What a step finds out about some of its agents: all of them or, if the step is divided into
 * tasks, a range of slots. */
typedef struct crowd_outcome {
  crowd_events arrived, stuck;   /* the agents that arrived or got stuck, by ascending slot */
  uint32_t infeasible, overlaps; /* how many agents had no permitted velocity, and how many touched
                                  * a neighbor */
  uint64_t neighbors;
} crowd_outcome;

/* A summary of agents, collected before a step. */
typedef struct crowd_overview {
  uint32_t end;           /* one past the last slot in use */
  uint32_t present;       /* the number of slots whose crowd->present is not 0 */
  uint32_t bad;           /* the first agent for which crowd_is_finite is false, or COPSE_NONE */
  uint32_t maxNeighbors;  /* the greatest crowd_neighbor_limit of any agent */
  float neighborDistance; /* the greatest neighborDistance of any agent that avoids neighbors */
  float leastDistance;    /* the least of these; INFINITY if there are none */
  float radius;           /* of an agent that is present; -1 if none is */
  bool hasSizes;          /* true if an agent that is present has another radius */
  bool hasMasks;          /* true if any active agent's mask is not COPSE_ALL_GROUPS */
  bool isUnequal;         /* true if any agent is CROWD_UNEQUAL */
} crowd_overview;

/* If a crowd has at least CROWD_DIVIDED slots and a runner (copse_tasks), each loop of a step over
 * all agents is divided into tasks for CROWD_RANGE slots each. */
enum { CROWD_RANGE = 256, CROWD_DIVIDED = 1024 };

/* What the tasks of one range of slots leave for the calling thread. */
typedef struct crowd_part {
  crowd_overview overview;
  crowd_outcome outcome;
  float farthest; /* see farthest_move in crowd_neighbors.c */
  bool isFull;    /* true if the list of an agent is full */
} crowd_part;

/* A flow field that leads the agents of some groups. Not owned. */
typedef struct crowd_guide {
  const copse_flowfield *field;
  uint32_t mask;
} crowd_guide;

struct copse_crowd {
  copse_crowd_def def;
  void *memory; /* holds all arrays */
  uint64_t memoryBytes;
  slots slots;
  float *fields[FIELDS];
  copse_points *tree;
  crowd_outcome outcome; /* of the last step */

  crowd_guide guides[COPSE_CROWD_FIELDS]; /* the flow fields that lead agents */
  uint32_t guideCount;
  /* The function that each step calls to let the flow fields in `guides` lead their agents; NULL if
   * there are none. A pointer, so that a program without flow fields does not link the function. */
  void (*lead)(copse_crowd *crowd, uint32_t end, float timeStep);

  /* Scratch memory of a step. `present` is also used to build an index of points from the crowd's
   * agents. */
  uint32_t *present; /* by slot: the agent's groups; 0 if it is disabled or the slot is free */
  orca_body *bodies;
  float *ledVelocities; /* by slot: if a flow field leads the agent, its preferred velocity */
  float *distances;     /* by slot: if a flow field leads the agent, the length of its path */
  bool isEqual;         /* true if all agents share avoidance evenly: none is CROWD_UNEQUAL */
  crowd_part *parts;    /* one per range of slots; NULL if steps are never divided into tasks */

  /* The neighbors that the last search found (see crowd_neighbors.c). Kept between steps, but not
   * saved in snapshots. */
  copse_neighbor_rows lists; /* a list for each slot, with room for `stride` neighbors */
  uint32_t stride;
  uint32_t *counts;   /* by slot: how many neighbors at the start of its list the agent avoids */
  float listDistance; /* each list in `lists` holds all agents that were within this distance of its
                       * agent when the list was made. 0: the next step must search again */
  float *radii;   /* the radii of the agents in tree order (for searches by gap: crowd_gaps.c) */
  float *widest;  /* by node of the tree: the largest of its agents' radii (the same) */
  uint32_t pause; /* how many of the next searches look no farther than needed: they cost less,
                   * but later steps can't reuse their lists (see crowd_neighbors.c) */

  double time;
  uint64_t steps;
};

/* A step in progress, passed to its tasks. */
typedef struct crowd_job {
  copse_crowd *crowd;
  const copse_obstacle *walls; /* or NULL; in 3D always NULL */
  float timeStep;
  uint32_t end; /* one past the last slot in use */
} crowd_job;

/* Returns how many 32-bit words a slot takes in the array crowd->fields[field]. */
ALWAYS_INLINE uint32_t crowd_words(const copse_crowd *crowd, int field) {
  return field < FIELD_VECTORS ? crowd->def.dimensions : 1;
}
ALWAYS_INLINE float *crowd_vector(const copse_crowd *crowd, crowd_field field, uint32_t slot) {
  return crowd->fields[field] + (size_t)slot * crowd->def.dimensions;
}
ALWAYS_INLINE uint32_t *crowd_whole(const copse_crowd *crowd, crowd_field field) {
  return (uint32_t *)crowd->fields[field];
}
/* Returns an agent's number in the array crowd->fields[field], clamped to 0 … COPSE_MAX_COORDINATE;
 * NaN becomes 0. */
ALWAYS_INLINE float crowd_number(const copse_crowd *crowd, crowd_field field, uint32_t slot) {
  const float x = crowd->fields[field][slot];
  return x > 0 ? (x < COPSE_MAX_COORDINATE ? x : COPSE_MAX_COORDINATE) : 0;
}

/* Returns the highest slot in use plus 1; 0 if no slot is in use. */
uint32_t crowd_end(const copse_crowd *crowd);
/* Updates crowd->present, the groups of each agent by slot, and returns this array. */
const uint32_t *crowd_find_present(copse_crowd *crowd);
/* True if a slot is in use and its agent is enabled. */
ALWAYS_INLINE bool crowd_is_active(const copse_crowd *crowd, uint32_t slot) {
  return slots_in_use(&crowd->slots, slot) && crowd_whole(crowd, FIELD_ENABLED)[slot];
}
ALWAYS_INLINE uint32_t crowd_neighbor_limit(const copse_crowd *crowd, uint32_t slot) {
  const uint32_t wanted = crowd_whole(crowd, FIELD_MAX_NEIGHBORS)[slot];
  return wanted < crowd->def.maxNeighbors ? wanted : crowd->def.maxNeighbors;
}

/* Some tests of walls are made for an agent in every CHECK_INTERVAL-th step only: in this one, if
 * true. */
enum { CHECK_INTERVAL = 32 };
ALWAYS_INLINE bool crowd_is_checked(const copse_crowd *crowd, uint32_t slot) {
  return (slot + crowd->steps) % CHECK_INTERVAL == 0;
}

/* True if neighbors are ranked by gap: in a crowd whose agents differ in radius. The published
 * algorithm ranks them by the distance of their centers. */
ALWAYS_INLINE bool crowd_ranks_by_gap(const copse_crowd *crowd, const crowd_overview *overview) {
  return !crowd->def.exact && overview->hasSizes;
}
/* Returns the gap between two agents, which is negative if they overlap. */
ALWAYS_INLINE float crowd_gap_of(float distance2, float radius, float other) {
  return sqrtf(distance2) - (radius + other);
}
/* True if a neighbor is near enough to be avoided: of two agents that differ in radius, the larger
 * one begins that much nearer. */
ALWAYS_INLINE bool crowd_is_in_range(float distance2, float neighborDistance, float radius,
                                     float other) {
  const float most = neighborDistance + fabsf(radius - other);
  return distance2 <= most * most;
}
/* Prepares searches by gap: reads the radii of all agents in the tree. */
void crowd_read_radii(copse_crowd *crowd);
/* Searches by gap for a range of agents in tree order. */
void crowd_list_gaps(copse_crowd *crowd, task_range places);

/* True if an agent is locked or settled: it is not on its way, but for the way back. */
ALWAYS_INLINE bool crowd_stands(const copse_crowd *crowd, uint32_t slot) {
  const uint32_t state = crowd->bodies[slot].state;
  return !(state & CROWD_MOVES) || state & CROWD_SETTLED;
}

/* Finds the neighbors that each agent avoids. Their ids come first in the agent's row of
 * crowd->lists; crowd->counts[slot] is their number. */
void crowd_find_neighbors(copse_crowd *crowd, const crowd_overview *overview);

/* True if no component of an agent's position, velocity and preferred velocity is NaN or beyond
 * COPSE_MAX_COORDINATE. */
ALWAYS_INLINE bool crowd_is_finite(const copse_crowd *crowd, uint32_t slot) {
  bool ok = true;
  for (int field = FIELD_POSITION; field <= FIELD_PREFERRED_VELOCITY; field++) {
    const float *vector = crowd_vector(crowd, (crowd_field)field, slot);
    ok = ok && is_coordinate(vector[0]) && is_coordinate(vector[1]);
    if (crowd->def.dimensions == 3) ok = ok && is_coordinate(vector[2]);
  }
  return ok;
}

/* Writes the preferred velocity of an agent, and updates its progress toward its goal. If
 * the agent arrives or gets stuck, adds it to `outcome`. */
void crowd_prefer(const crowd_job *job, crowd_outcome *outcome, uint32_t slot, float *preferred);

/* True if two agents have the same goal: their goals are at most the sum of their radii apart. */
bool crowd_have_one_goal(const copse_crowd *crowd, uint32_t a, uint32_t b);

/* Appends the half-planes of the edges (walls) near an agent, nearest first, to `lines`, which must
 * be empty. If there is no room for all half-planes, lowers agent->maxSpeed, so that the agent
 * can't reach the remaining edges in one step. Returns the nearest edge if the agent overlaps it,
 * beyond a tolerance; else COPSE_NONE. */
uint32_t crowd_add_walls(orca2 *lines, const copse_obstacle *walls, orca_agent *agent);
/* Writes the edges (walls) that an agent could reach within its time horizon, nearest first, at
 * most COPSE_CROWD_OBSTACLES. Returns their number. */
uint32_t crowd_near_walls(const copse_obstacle *walls, const orca_agent *agent, uint32_t *edges);
/* Sets the preferred velocity of an agent that is inside a solid area: toward the nearest edge, at
 * maximum speed. */
void crowd_leave_solid(const copse_obstacle *walls, const orca_agent *agent, float *preferred);
/* Changes the preferred velocity of an agent that overlaps a wall, so that it leads away from the
 * wall. */
void crowd_leave_wall(const copse_obstacle *walls, const orca_agent *agent, uint32_t edge,
                      float *preferred);

#endif
