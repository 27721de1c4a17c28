/* Selection: finds the value of a given rank among unsorted floats, such as the median, in linear
 * time. */
#ifndef COPSE_SELECT_H
#define COPSE_SELECT_H

#include "simd.h"

typedef enum selection {
  SELECT_QUICK,   /* by sampling: linear time on average; falls back to median of medians */
  SELECT_MEDIANS, /* median of medians: linear time for any input */
} selection;

/* select_rank may read this many floats past the end of its input, and write as many past the n
 * floats of `room`. */
enum { SELECT_PADDING = 4 };

/* Returns the value of rank k, counted from 0, of n > k floats, which must not be NaN or -0. `room`
 * is scratch memory: n + SELECT_PADDING floats. */
float select_rank(const float *values, uint32_t n, uint32_t k, float *room, selection method);

#endif
