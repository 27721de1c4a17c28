/* Sets of points, each of which is hard for some way of building an index. */
#ifndef INPUTS_H
#define INPUTS_H

#include "compare.h"

/* The first SELECTION_INPUTS are hard for selection. */
enum { INPUT_UNIFORM = 8, SELECTION_INPUTS = 9, INPUTS = 16 };

/* Returns a coordinate of point i of n. */
static inline float input_at(int input, uint32_t i, uint32_t n, uint32_t *seed) {
  const uint32_t half = n / 2;
  switch (input) {
  case 0: /* sorted */
    return (float)i;
  case 1: /* reversed */
    return (float)(n - i);
  case 2: /* organ pipe */
    return (float)(i < half ? i : n - i);
  case 3: /* all equal */
    return 7;
  case 4: /* bad for the median of three: D. R. Musser, "Introspective sorting" (1997) */
    return (float)(i < half ? (i % 2 ? half + i - 1 : i) : 2 * (i - half) + 1);
  case 5: /* bad for evenly spread samples: of 2^10, 2^13 or 2^16 points, they are the smallest */
    return (float)(i % 32 == 16 || i % 64 == 32 || i % 256 == 128 ? i : n + i);
  case 6: /* few values */
    return (float)(random_word(seed) % 3);
  case 7: /* half of them equal */
    return i % 2 ? 500 : (float)(random_word(seed) % 1000);
  case INPUT_UNIFORM:
    return (float)(random_word(seed) >> 8);
  case 9: /* two clumps, far from each other */
    return (i % 2 ? 1e6f : 0) + (float)(random_word(seed) >> 8) / 16777216;
  case 10: /* near the limits: the width of their bounds is beyond the accepted coordinates */
    return (i % 2 ? 1 : -1) * (COPSE_MAX_COORDINATE - (float)(random_word(seed) % 512) * 1e15f);
  case 11: /* ever closer to 0 */
    return ldexpf(1 + (float)(random_word(seed) >> 8) / 16777216, -(int)(random_word(seed) % 140));
  case 12: /* every magnitude, on both sides of 0 */
    return ldexpf(i % 2 ? 1 : -1, (int)(random_word(seed) % 208) - 149);
  case 13: /* neighboring floats, across a power of two */
    return 1024 + ((float)(random_word(seed) % 16) - 8) / 16384;
  case 14: /* denormal */
    return ((float)(random_word(seed) % 1000) - 500) * 1e-45f;
  default: /* both zeros */
    return i % 2 ? -0.0f : 0.0f;
  }
}

/* Writes an input to the first axis and random numbers to the others or, with `onAllAxes`, one
 * input to every axis. */
static inline void fill_input(float *points, int input, uint32_t n, uint32_t dim, bool onAllAxes) {
  uint32_t seed = 1;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t axis = 0; axis < dim; axis++)
      points[i * dim + axis] =
          axis && !onAllAxes ? (float)(random_word(&seed) % 4096) : input_at(input, i, n, &seed);
}

#endif
