/* Finds the value that would have rank k if the values were sorted.
 *
 * The fast method is to sample, after R. W. Floyd and R. L. Rivest, "Expected time bounds for
 * selection" (1975): two values of a sample enclose the result, and only the values between them
 * are kept. This is repeated until few are left. An attempt fails if the result is not between
 * these two values, or if too many other values are. After several failures, the slower algorithm
 * "median of medians" is used, which takes linear time for any input: M. Blum, R. W. Floyd, V.
 * Pratt, R. L. Rivest, R. E. Tarjan, "Time bounds for selection" (1973). The result is always
 * exact: an unlucky order of the values can only make attempts fail. */

#include "select.h"

#include <math.h>
#include <string.h>

/* ---- Selection by counting, for few values ------------------------------------------------ */

enum { FEW = 32, SAMPLE = 256 };

/* Finds the two values that would be at the indices `ranks` if the values were sorted. There must
 * be at most SAMPLE values, padded with infinity up to a multiple of 16. Takes O(n * n): counts for
 * each value how many are less. The value of rank k is the greatest one with at most k less. */
static void few_ranks(const float *values, uint32_t n, const uint32_t ranks[2], float results[2]) {
  const word4 limits[2] = {word4_all(ranks[0]), word4_all(ranks[1])};
  const float4 none = float4_all(-INFINITY);
  float4 best[2] = {none, none};
  for (uint32_t i = 0; i < n; i += 16) {
    float4 values4[4];
    word4 less[4];
    UNROLL for (uint32_t four = 0; four < 4; four++) {
      values4[four] = float4_load(values + i + (size_t)4 * four);
      less[four] = word4_all(0);
    }
    for (uint32_t j = 0; j < n; j++) {
      const float4 other = float4_all(values[j]);
      UNROLL for (int four = 0; four < 4; four++) less[four] =
          word4_sub(less[four], float4_lt(other, values4[four]));
    }
    UNROLL for (int which = 0; which < 2; which++) UNROLL for (int four = 0; four < 4; four++) {
      const word4 tooHigh = word4_greater(less[four], limits[which]);
      const word4 candidates =
          word4_select(tooHigh, float4_as_words(none), float4_as_words(values4[four]));
      best[which] = float4_max(best[which], word4_as_floats(candidates));
    }
  }
  UNROLL for (int which = 0; which < 2; which++) results[which] =
      float4_first(float4_greatest(best[which]));
}

/* ---- Selection by median of medians ------------------------------------------------------ */

ALWAYS_INLINE void order_two(float *a, float *b) {
  const float lesser = *b < *a ? *b : *a, greater = *b < *a ? *a : *b;
  WORKED(1);
  *a = lesser;
  *b = greater;
}

static float median_of_five(float *five) {
  order_two(five, five + 1);
  order_two(five + 3, five + 4);
  order_two(five, five + 3);     /* five[0] is now <= three others */
  order_two(five + 1, five + 4); /* five[4] is now >= three others: the median is among the rest */
  order_two(five + 1, five + 2);
  order_two(five + 2, five + 3);
  order_two(five + 1, five + 2);
  return five[2];
}

/* Returns the value of rank k, counted from 0. Reorders `values`. The recursion depth is log5(n):
 * at most 12 for up to COPSE_MAX_CAPACITY values. */
static float medians_rank(float *values, uint32_t n, uint32_t k) { /* NOLINT(misc-no-recursion) */
  while (n > 5) {
    const uint32_t groups = n / 5;
    for (uint32_t i = 0; i < groups; i++) {
      const float median = median_of_five(values + (size_t)5 * i);
      values[5 * i + 2] = values[i];
      values[i] = median;
    }
    const float pivot = medians_rank(values, groups, groups / 2);
    uint32_t less = 0, rest = n, i = 0;
    /* The values are in four parts: less than the pivot, equal to it, not compared yet, greater. */
    while (i < rest) {
      const float x = values[i];
      if (x < pivot) {
        values[i++] = values[less];
        values[less++] = x;
      } else if (x > pivot) {
        values[i] = values[--rest];
        values[rest] = x;
      } else
        i++;
    }
    if (k >= less && k < rest) return pivot;
    if (k >= rest) {
      values += rest;
      n -= rest;
      k -= rest;
    } else
      n = less;
  }
  for (uint32_t i = 1; i < n; i++)
    for (uint32_t j = i; j > 0; j--) order_two(values + j - 1, values + j);
  return values[k];
}

/* ---- Selection by sampling ---------------------------------------------------------------- */

/* Finds two bounds, which very probably enclose the value of rank k. They are the values of the
 * sample that are `margin` ranks below and above the result's expected rank in the sample. A bound
 * is infinite if the sample has no such rank. `doubt` is the number of failed attempts so far: each
 * failure doubles the margin. */
static void bracket(const float *values, uint32_t n, uint32_t k, uint32_t doubt, float bounds[2]) {
  float sample[SAMPLE];
  /* `margin` is more than two standard deviations of the rank that the wanted value would have in
   * the sample. In a sample of 16 values, the standard deviation is at most 2. When the size
   * doubles, the standard deviation grows 1.41 times, and the margin 1.5 times. */
  uint32_t size = 16, margin = 5;
  while (size < SAMPLE && (uint64_t)size * size < n) {
    size *= 2;
    margin += (margin + 1) / 2;
  }
  margin <<= doubt;
  const uint32_t step = n / size;
  for (uint32_t i = 0; i < size; i++) sample[i] = values[(size_t)i * step + step / 2];
  const uint32_t middle = (uint32_t)((uint64_t)k * size / n);
  const bool bounded[2] = {middle >= margin, middle + margin < size};
  const uint32_t ranks[2] = {bounded[0] ? middle - margin : 0, middle + margin};
  few_ranks(sample, size, ranks, bounds);
  if (!bounded[0]) bounds[0] = -INFINITY;
  if (!bounded[1]) bounds[1] = INFINITY;
}

/* How many values are less than the lower bound, at most the lower bound, at most the upper one. */
typedef struct division {
  uint32_t belowLo, upToLo, upToHi;
} division;

/* Writes the values strictly between two bounds to `out`, which may be `values`, and returns their
 * number. Also counts the values on each side of the bounds. */
static uint32_t keep_between(const float *values, uint32_t n, const float bounds[2], float *out,
                             division *counts) {
  const float4 lo = float4_all(bounds[0]), hi = float4_all(bounds[1]);
  word4 belowLo = word4_all(0), upToLo = belowLo, upToHi = belowLo;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i += 4) {
    float4 x = float4_load(values + i);
    if (n - i < 4) { /* lanes past the end become NaN, which no comparison counts */
      float lanes[4];
      float4_store(lanes, x);
      for (uint32_t lane = n - i; lane < 4; lane++) lanes[lane] = NAN;
      x = float4_load(lanes);
    }
    const word4 low = float4_le(x, lo);
    const uint32_t bits = word4_bits(word4_without(float4_lt(x, hi), low));
    belowLo = word4_sub(belowLo, float4_lt(x, lo));
    upToLo = word4_sub(upToLo, low);
    upToHi = word4_sub(upToHi, float4_le(x, hi));
    float4_store_packed(out + kept, x, bits);
    kept += bits_count(bits);
  }
  *counts = (division){word4_sum(belowLo), word4_sum(upToLo), word4_sum(upToHi)};
  return kept;
}

/* Finds the value of rank k. A sample of the values gives a lower and an upper bound, and only the
 * values between these are kept. False if the value of rank k is outside the bounds, or if too many
 * values are between them. */
static bool sampled_rank(const float *values, uint32_t n, uint32_t k, float *room, uint32_t doubt,
                         float *result) {
  while (n > FEW) {
    float bounds[2];
    division counts;
    bracket(values, n, k, doubt, bounds);
    const uint32_t kept = keep_between(values, n, bounds, room, &counts);
    if (k < counts.belowLo || k >= counts.upToHi) return false;
    /* If the value of rank k equals one of the bounds, it is found: the search ends even if very
     * many values are equal. */
    if (k < counts.upToLo || k >= counts.upToLo + kept) {
      *result = bounds[k >= counts.upToLo];
      return true;
    }
    if (kept > n - n / 8) return false; /* each round must drop an eighth, for linear time */
    values = room;
    n = kept;
    k -= counts.upToLo;
  }
  const uint32_t ranks[2] = {k, k};
  float few[FEW], results[2];
  memcpy(few, values, n * sizeof *few);
  for (uint32_t i = n; i % 16; i++) few[i] = INFINITY;
  few_ranks(few, n, ranks, results);
  *result = results[0];
  return true;
}

float select_rank(const float *values, uint32_t n, uint32_t k, float *room, selection method) {
  enum { ATTEMPTS = 3 };
  float result;
  if (method == SELECT_QUICK)
    for (uint32_t doubt = 0; doubt < ATTEMPTS; doubt++)
      if (sampled_rank(values, n, k, room, doubt, &result)) return result;
  memcpy(room, values, n * sizeof *room);
  return medians_rank(room, n, k);
}
