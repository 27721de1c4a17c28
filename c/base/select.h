/* Selection: the value that has a rank among floats, in linear time. */
#ifndef COPSE_SELECT_H
#define COPSE_SELECT_H

#include "simd.h"

typedef enum selection {
  SELECT_QUICK,   /* expected linear; where that fails, by the medians of medians */
  SELECT_MEDIANS, /* linear for any input */
} selection;

/* Floats that may be read and written past the end of what is selected from. */
enum { SELECT_PADDING = 4 };

/* The value of rank k, from 0, among n > k floats without NaN and -0. `room` is for n floats and
 * the padding. */
float select_rank(const float *values, uint32_t n, uint32_t k, float *room, selection method);

#endif
