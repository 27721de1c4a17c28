/* The regions of space that queries search: circles (in 3D spheres), boxes, and cones. */
#ifndef COPSE_REGION_H
#define COPSE_REGION_H

#include "query.h"
#include "scan.h"

/* Says which member of the union `region` is in use. */
typedef enum shape { SHAPE_CIRCLE, SHAPE_BOX, SHAPE_CONE } shape;
typedef union region {
  struct {
    float center[3];
    float radius2;
    /* The radius, rounded up: along each axis, agents in the circle are at most this far from the
     * center. */
    float reach;
  } circle;
  struct {
    float lo[3], hi[3];
  } box;
  scan_cone cone;
} region;

ALWAYS_INLINE void copy_point(float *out, const float *point, uint32_t dim) {
  out[0] = point[0];
  out[1] = point[1];
  out[2] = dim == 3 ? point[2] : 0;
}

/* Returns the radius for a squared radius, rounded up: if the computed squared distance of an agent
 * is at most radius2, the agent is at most this far away along each axis. The last term is for
 * distances so small that their squares underflow to 0. */
ALWAYS_INLINE float reach_of(float radius2) { return sqrtf(radius2) * 1.000001f + 1e-18f; }

ALWAYS_INLINE void region_set_circle(region *where, const float *center, float radius2,
                                     uint32_t dim) {
  where->circle.radius2 = radius2;
  where->circle.reach = reach_of(radius2);
  copy_point(where->circle.center, center, dim);
}

/* Makes the region a box. False if lo is greater than hi on an axis, or one of them is NaN. */
static inline bool region_set_box(region *where, const float *lo, const float *hi, uint32_t dim) {
  if (!query_box_ok(lo, hi, (int)dim)) return false;
  copy_point(where->box.lo, lo, dim);
  copy_point(where->box.hi, hi, dim);
  return true;
}

/* Makes the region a cone. False if an argument is out of range. */
static inline bool region_set_cone(region *where, const float *center, const float *direction,
                                   float halfAngle, float radius, uint32_t dim) {
  if (!query_point_ok(center, (int)dim) || !query_radius_ok(radius) ||
      !query_direction(direction, (int)dim, where->cone.unit) ||
      !query_half_angle(halfAngle, &where->cone.cosine))
    return false;
  where->cone.radius2 = radius * radius;
  copy_point(where->cone.center, center, dim);
  return true;
}

/* Writes the corners of a box around the region. Every agent that passes the test of the region is
 * in this box, in spite of rounding. */
ALWAYS_INLINE void region_bounds(const region *where, float4 *lo, float4 *hi, const shape kind,
                                 const int dim) {
  if (kind == SHAPE_BOX) {
    *lo = point4(where->box.lo, dim);
    *hi = point4(where->box.hi, dim);
    return;
  }
  const bool isCircle = kind == SHAPE_CIRCLE;
  const float4 reach = float4_all(isCircle ? where->circle.reach : reach_of(where->cone.radius2));
  const float4 center = point4(isCircle ? where->circle.center : where->cone.center, dim);
  *lo = float4_sub(center, reach);
  *hi = float4_add(center, reach);
}

/* True if a box may contain points of the region. */
ALWAYS_INLINE bool region_meets(const region *where, const float *box, const shape kind,
                                const int dim) {
  if (kind == SHAPE_CIRCLE)
    return box_gap2(box, where->circle.center, dim) <= where->circle.radius2;
  if (kind == SHAPE_BOX) return box_meets(box, where->box.lo, where->box.hi, dim);
  float gap2 = box_gap2(box, where->cone.center, dim);
  if (!(gap2 <= where->cone.radius2)) return false;
  /* The half angle is 90 degrees or more: the test below works only for narrower cones. */
  if (where->cone.cosine <= 0) return true;
  return where->cone.cosine * sqrtf(gap2) <=
         box_dot(box, where->cone.center, where->cone.unit, dim);
}

/* Appends to the results those of the points begin … end - 1 that lie in the region and pass the
 * filter. If the region is a box, their squared distances are 0. */
ALWAYS_INLINE void region_scan(const scan_points *points, uint32_t begin, uint32_t end,
                               const region *where, const scan_filter *filter,
                               copse_results *results, const shape kind, const int dim) {
  if (kind == SHAPE_CIRCLE) {
    scan_within(points, begin, end, where->circle.center, where->circle.radius2, filter, results,
                dim);
    return;
  }
  for (uint32_t i = begin; i < end; i += 4) {
    float4 distances2 = float4_all(0);
    word4 hit = kind == SHAPE_BOX ? scan_in_box4(points, i, where->box.lo, where->box.hi, dim)
                                  : scan_in_cone4(points, i, &where->cone, &distances2, dim);
    uint32_t bits = scan_filter4(points, i, end, filter, hit);
    scan_append(results, word4_load(points->ids + i), distances2, bits);
  }
}

#endif
