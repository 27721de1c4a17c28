/* What the files of sensors share. */
#ifndef COPSE_SENSORS_H
#define COPSE_SENSORS_H

#include "points.h"

/* Sets of rows, a row for each sensor: the agents that left the sensor, entered it, or are inside.
 */
enum { LEFT, ENTERED, INSIDE, SETS };

/* `seen` has one entry more than the longest possible row, and is read 8 entries at a time. */
enum { SEEN_PADDING = 8 };

struct copse_sensors {
  copse_sensors_def def;
  void *block; /* holds all arrays */
  uint64_t blockBytes;

  /* The sensors, by slot. */
  struct slots slots;
  uint32_t *kinds;
  float (*places)[6];
  /* The slot of the agent that the sensor surrounds, and its generation in the last update. */
  uint32_t *agents, *agentGenerations;
  float *radii, *exitRadii;
  uint32_t *masks;
  /* For each sensor, the agents inside at the last update: where their ids begin in
   * sets[INSIDE].ids, and how many there are. */
  uint32_t *begins, *counts;

  /* The output. sets[INSIDE].ids has two halves: one keeps the rows of the last update, the other
   * gets the rows of the next. The caller can write to it, so ids are checked before they are used
   * as indices. */
  copse_rows sets[SETS];
  uint32_t half;     /* the last update's rows in sets[INSIDE].ids begin here: 0 or def.results */
  float *distances2; /* scratch: the squared distances of what one search finds */
  /* Scratch for one sensor at a time, then cleared: seen[i] is 1 if the search found agent i of the
   * sensor's remembered row again. */
  uint8_t *seen;

  /* Arrays by the slot of the agent. */
  uint32_t *generations; /* the generation of the slot in the last update */
  /* Scratch: marks[id] - marked is the index of an agent's id in the remembered row of the sensor
   * that is being updated: see sensors_update.c. */
  uint32_t *marks;
  /* A mark below this is out of date. At least def.results, because copse_sensors_validate writes
   * smaller numbers to `marks`. */
  uint32_t marked;
};

/* Returns the ids of the agents that were inside a sensor at the last update. */
ALWAYS_INLINE uint32_t *remembered(const copse_sensors *sensors, uint32_t slot) {
  return sensors->sets[INSIDE].ids + sensors->begins[slot];
}

/* Writes the corners of a box whose sides are each moved outward. */
ALWAYS_INLINE void box_grow(const float *box, float by, int dim, float *lo, float *hi) {
  for (int axis = 0; axis < dim; axis++) {
    lo[axis] = box[axis] - by;
    hi[axis] = box[dim + axis] + by;
  }
}

/* True if a sensor's `radius` and `exitRadius` are valid. For a box, growing by either must also
 * give a valid box: if lo is INFINITY and the box grows by INFINITY, lo becomes NaN. */
bool sensors_reach_ok(uint32_t kind, const float *place, float radius, float exitRadius, int dim);
/* Makes all rows of the output empty. */
void sensors_clear_rows(copse_sensors *sensors);

#endif
