/* Selection: the float of a given rank, in linear time. */
#ifndef COPSE_SELECT_H
#define COPSE_SELECT_H

#include "simd.h"

typedef enum selection {
  SELECT_QUICK,   /* expected linear time; falls back to medians of medians */
  SELECT_MEDIANS, /* medians of medians: linear time for any input */
} selection;

/* The number of floats that may be read and written past the end of an input. */
enum { SELECT_PADDING = 4 };

/* Returns the value of rank k, counted from 0, among n > k floats without NaN and -0. `room` holds
 * n floats and the padding. */
float select_rank(const float *values, uint32_t n, uint32_t k, float *room, selection method);

#endif
