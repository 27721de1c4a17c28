/* Tests of rays against boxes. */
#ifndef COPSE_RAY_H
#define COPSE_RAY_H

#include "../base/geom.h"
#include "points.h"

/* A ray prepared for tests against boxes. Each vector has the lanes x, y and, in 3D, z. */
typedef struct ray4 {
  float4 from, inverse, reach;
} ray4;

/* Prepares a ray. `inverse` is 1 divided by the ray's movement along each axis. On an axis along
 * which the ray hardly moves, `inverse` is a large finite number instead. On this axis, ray4_times
 * then returns a part that covers the whole ray or none of it. */
ALWAYS_INLINE ray4 ray4_of(const scan_ray *ray, const int dim) {
  float from[4] = {0}, inverse[4] = {0};
  EACH_AXIS (axis, dim) {
    const float way = (float)ray->way[axis];
    from[axis] = ray->from[axis];
    inverse[axis] = way < -1e-30f || way > 1e-30f ? 1 / way : 1e30f;
  }
  return (ray4){float4_load(from), float4_load(inverse), float4_all(ray->reach)};
}

/* Returns, for each axis, the part of the ray (two fractions) that is between the sides of a box
 * enlarged by ray->reach. In spite of rounding, it contains the part for every smaller box inside
 * the box. So no agent in the box can be hit outside of this part. */
ALWAYS_INLINE box4 ray4_times(const ray4 *ray, box4 box) {
  float4 lo = float4_sub(float4_sub(box.lo, ray->from), ray->reach);
  float4 hi = float4_add(float4_sub(box.hi, ray->from), ray->reach);
  lo = float4_mul(lo, ray->inverse);
  hi = float4_mul(hi, ray->inverse);
  return (box4){float4_min(lo, hi), float4_max(lo, hi)};
}

/* Tests two boxes, each enlarged by ray->reach on each side: does the ray enter them, at the
 * fraction `until` or before? Returns bit 0 for `first` and bit 1 for `second`. Writes the
 * fractions at which the ray enters `first` and `second` to times[0] and times[1]. `times` must
 * have room for four floats. */
ALWAYS_INLINE uint32_t ray4_reaches(const ray4 *ray, box4 first, box4 second, float until,
                                    float *times, const int dim) {
  const box4 a = ray4_times(ray, first), b = ray4_times(ray, second);
  /* The lanes are a.x, b.x, a.y, b.y. */
  float4 enter = float4_zip_low(a.lo, b.lo), leave = float4_zip_low(a.hi, b.hi);
  enter = float4_max(enter, float4_swap_halves(enter));
  leave = float4_min(leave, float4_swap_halves(leave));
  if (dim == 3) {
    enter = float4_max(enter, float4_zip_high(a.lo, b.lo));
    leave = float4_min(leave, float4_zip_high(a.hi, b.hi));
  }
  enter = float4_max(enter, float4_all(0));
  float4_store(times, enter);
  return word4_bits(float4_le(enter, float4_min(leave, float4_all(until)))) & 3;
}

#endif
