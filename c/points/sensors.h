/* What the files of sensors share. */
#ifndef COPSE_SENSORS_H
#define COPSE_SENSORS_H

#include "points.h"

enum { LEFT, ENTERED, INSIDE, SETS };

/* `seen` has one more entry than a remembered row, and is read 8 entries at a time. */
enum { SEEN_PADDING = 8 };

struct copse_sensors {
  copse_sensors_def def;
  void *block; /* holds all arrays */
  uint64_t blockBytes;

  /* Arrays by the slot of the sensor. */
  struct slots slots;
  uint32_t *kinds;
  float (*places)[6];
  uint32_t *agents, *agentGenerations; /* slot to surround, and its generation in the last update */
  float *radii, *leaves;
  uint32_t *masks;
  uint32_t *begins, *counts; /* the remembered row: its start in sets[INSIDE].ids, and its size */

  /* The output. sets[INSIDE].ids also stores the remembered rows. The caller can write to it, so
   * ids are checked before they are used as indices. */
  copse_rows sets[SETS];
  uint32_t half;     /* the start of the remembered half of sets[INSIDE].ids: 0 or def.results */
  float *distances2; /* scratch: the squared distances of what one search finds */
  /* Scratch: by index in a remembered row, 1 if the search found the agent again. All 0 between
   * comparisons. */
  uint8_t *seen;

  /* Arrays by the slot of the agent. */
  uint32_t *generations; /* the generation of the slot in the last update */
  uint32_t *marks;       /* scratch: by agent, `marked` plus its index in a remembered row */
  uint32_t marked; /* at least def.results, so that marks of 0 … def.results - 1 are invalid */
};

/* Returns the remembered row of a sensor. */
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

/* True if a sensor's `radius` and `leave` are valid. For a box, growing by either must also give a
 * valid box: if lo is INFINITY and the box grows by INFINITY, lo becomes NaN. */
bool sensors_reach_ok(uint32_t kind, const float *place, float radius, float leave, int dim);
/* Makes all rows of the output empty. */
void sensors_clear_rows(copse_sensors *sensors);

#endif
