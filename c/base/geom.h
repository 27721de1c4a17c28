/* Boxes and distances in 2 or 3 dimensions. Functions take `dim` (2 or 3) as a constant and are
 * inlined, so the compiler turns one source into code for 2D and code for 3D, without a loop at run
 * time.
 *
 * A box is 2 * dim floats: lo x, y, (z,) hi x, y, (z). In spite of rounding, the computed distance
 * to a box is never greater than the computed distance to a point in the box: the two distances are
 * computed by the same steps, and rounding keeps the order of numbers. */
#ifndef COPSE_GEOM_H
#define COPSE_GEOM_H

#include "simd.h"

ALWAYS_INLINE float sum_of_squares(const float *d, const int dim) {
  float sum = d[0] * d[0] + d[1] * d[1];
  return dim == 3 ? sum + d[2] * d[2] : sum;
}

/* Loads a point into the lanes x, y, z; in 2D z is 0. */
ALWAYS_INLINE float4 point4(const float *x, const int dim) {
  float lanes[4] = {x[0], x[1], dim == 3 ? x[2] : 0, 0};
  return float4_load(lanes);
}

/* Returns the squared distance from a point to a box; 0 inside. */
ALWAYS_INLINE float box_gap2(const float *box, const float *point, const int dim) {
  float d[3] = {0};
  WORKED(1);
  EACH_AXIS (axis, dim) {
    float below = box[axis] - point[axis], above = point[axis] - box[dim + axis];
    float outside = below > above ? below : above;
    d[axis] = outside > 0 ? outside : 0;
  }
  return sum_of_squares(d, dim);
}

/* A box in SIMD registers. Lanes 0, 1 and, in 3D, 2 of `lo` and `hi` are x, y and z; the other
 * lanes are undefined. */
typedef struct box4 {
  float4 lo, hi;
} box4;

/* Every array of boxes needs this many more floats at its end, because box4_load reads past the
 * last box. */
enum { BOX_PADDING = 2 };

ALWAYS_INLINE box4 box4_load(const float *box, const int dim) {
  return (box4){float4_load(box), float4_load(box + dim)};
}
ALWAYS_INLINE float4 box4_gaps(box4 a, box4 b) {
  float4 outside = float4_max(float4_sub(b.lo, a.hi), float4_sub(a.lo, b.hi));
  return float4_max(outside, float4_all(0));
}

/* Returns the squared distance from `box` to `first` in lane 0, and to `second` in lane 1. */
ALWAYS_INLINE float4 box4_gaps2_of_two(box4 box, box4 first, box4 second, const int dim) {
  float4 a = box4_gaps(box, first), b = box4_gaps(box, second);
  a = float4_mul(a, a);
  b = float4_mul(b, b);
  float4 sides = float4_zip_low(a, b); /* a.x, b.x, a.y, b.y */
  float4 sum = float4_add(sides, float4_swap_halves(sides));
  return dim == 3 ? float4_add(sum, float4_zip_high(a, b)) : sum;
}

/* Returns the greatest squared distance from a point to any point of a box. */
ALWAYS_INLINE float box_reach2(const float *box, const float *point, const int dim) {
  float d[3] = {0};
  EACH_AXIS (axis, dim) {
    float toLo = point[axis] - box[axis], toHi = box[dim + axis] - point[axis];
    d[axis] = toLo > toHi ? toLo : toHi;
  }
  return sum_of_squares(d, dim);
}

ALWAYS_INLINE bool box_meets(const float *box, const float *lo, const float *hi, const int dim) {
  WORKED(1);
  EACH_AXIS (axis, dim)
    if (box[dim + axis] < lo[axis] || box[axis] > hi[axis]) return false;
  return true;
}

/* Returns the greatest dot product of `direction` and (point - center), over all points of a
 * box. */
ALWAYS_INLINE float box_dot(const float *box, const float *center, const float *direction,
                            const int dim) {
  float along[3] = {0};
  EACH_AXIS (axis, dim) {
    float end = direction[axis] > 0 ? box[dim + axis] : box[axis];
    along[axis] = (end - center[axis]) * direction[axis];
  }
  float dot = along[0] + along[1];
  return dim == 3 ? dot + along[2] : dot;
}

/* Returns the distance of a point from a plane, times the length of the plane's normal: positive on
 * the inner side. The plane is four floats: its normal, then the offset. */
ALWAYS_INLINE float plane_distance(const float *plane, float x, float y, float z) {
  return x * plane[0] + y * plane[1] + z * plane[2] + plane[3];
}

/* False if a 3D box is wholly outside one of the planes. Tests the corner that is farthest inside:
 * rounding is monotone, so if this corner is outside, all points of the box are. Sides of the
 * box may be infinite. */
static inline bool box_in_planes(const float *box, const float *planes, uint32_t count) {
  for (const float *plane = planes; plane < planes + 4 * (size_t)count; plane += 4) {
    float corner[3];
    UNROLL for (int axis = 0; axis < 3; axis++) {
      const float side = plane[axis] > 0 ? box[3 + axis] : box[axis];
      corner[axis] = side < -COPSE_MAX_COORDINATE  ? -COPSE_MAX_COORDINATE
                     : side > COPSE_MAX_COORDINATE ? COPSE_MAX_COORDINATE
                                                   : side;
    }
    if (plane_distance(plane, corner[0], corner[1], corner[2]) < 0) return false;
  }
  return true;
}

/* True if a point may have this coordinate: not NaN, and not beyond COPSE_MAX_COORDINATE. */
ALWAYS_INLINE bool is_coordinate(float x) {
  return x >= -COPSE_MAX_COORDINATE && x <= COPSE_MAX_COORDINATE;
}

#endif
