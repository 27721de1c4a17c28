/* Selection: finds the value of a given rank among unsorted floats, such as the median, in linear
 * time. */
#ifndef COPSE_SELECT_H
#define COPSE_SELECT_H

#include "simd.h"

typedef enum selection {
  SELECT_QUICK,   /* by sampling: linear time on average; falls back to median of medians */
  SELECT_MEDIANS, /* median of medians: linear time for any input */
} selection;

/* How many floats past the end select_rank may read or write. */
enum { SELECT_PADDING = 4 };

/* Returns the value of rank k, counted from 0, of n > k floats. They must not be NaN, nor -0: it
 * equals 0, so the result could be either. `values` is readable up to n + SELECT_PADDING floats.
 * `room` is scratch memory for as many. */
float select_rank(const float *values, uint32_t n, uint32_t k, float *room, selection method);

#endif
