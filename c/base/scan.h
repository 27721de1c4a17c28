/* Scans of points. A scan tests four points at a time with SIMD, moves the hits to the front of the
 * vector (left-packing), and writes them. It reads a run: the consecutive points begin … end - 1 of
 * the arrays.
 *
 * Coordinates, ids and groups are separate arrays. A scan may read up to 3 entries past the end of
 * its run. */
#ifndef COPSE_SCAN_H
#define COPSE_SCAN_H

#include "heap.h"
#include "simd.h"

#include <math.h>

/* Arrays of points have this many more entries than their capacity. Scans and copies handle several
 * points at a time and may go past the end, so they need no extra loop for the last few points. */
enum { SCAN_PADDING = 12 };

typedef struct scan_points {
  float *axes[3];
  uint32_t *ids;
  uint32_t *groups;
} scan_points;

typedef struct scan_filter {
  uint32_t mask;
  uint32_t exclude;
  bool testGroups; /* false if the groups of all points of the run are known to match the mask */
} scan_filter;

/* Returns a bit for each of the entries i … i + 3, set if the entry is before `end`. */
ALWAYS_INLINE uint32_t scan_in_run(uint32_t i, uint32_t end) {
  uint32_t left = end - i;
  return 15u >> (4 - (left < 4 ? left : 4));
}

/* Returns a bit for each of the points i … i + 3, set if `hit` is set for the point, it is before
 * `end`, and it passes the filter. */
ALWAYS_INLINE uint32_t scan_filter4(const scan_points *points, uint32_t i, uint32_t end,
                                    const scan_filter *filter, word4 hit) {
  hit = word4_without(hit, word4_equal(word4_load(points->ids + i), word4_all(filter->exclude)));
  hit = word4_and(hit, word4_greater(word4_all(end), word4_count_from(i)));
  if (filter->testGroups) {
    word4 common = word4_and(word4_load(points->groups + i), word4_all(filter->mask));
    hit = word4_without(hit, word4_equal(common, word4_all(0)));
  }
  return word4_bits(hit);
}

ALWAYS_INLINE float4 scan_sum_of_squares4(const float4 *d, const int dim) {
  float4 sum = float4_add(float4_mul(d[0], d[0]), float4_mul(d[1], d[1]));
  return dim == 3 ? float4_add(sum, float4_mul(d[2], d[2])) : sum;
}

/* The center of a query in SIMD registers: each coordinate fills all lanes of a vector. If the
 * center stayed in memory, the compiler would read it again after each store of results, because it
 * must assume that the store can change any memory. */
typedef struct scan_center {
  float4 axes[3];
} scan_center;

ALWAYS_INLINE scan_center scan_center_at(const float *center, const int dim) {
  return (scan_center){{float4_all(center[0]), float4_all(center[1]),
                        dim == 3 ? float4_all(center[2]) : float4_all(0)}};
}

ALWAYS_INLINE float4 scan_distance2(const scan_points *points, uint32_t i,
                                    const scan_center *center, const int dim) {
  float4 d[3];
  EACH_AXIS (axis, dim)
    d[axis] = float4_sub(float4_load(points->axes[axis] + i), center->axes[axis]);
  return scan_sum_of_squares4(d, dim);
}

/* Does the rest of scan_append if fewer than four more results fit: writes the lanes whose bit is
 * set, one by one, while they fit. */
SMALL_CODE OUT_OF_LINE void scan_append_last(const copse_results *results, uint32_t total,
                                             word4 ids, float4 distances2, uint32_t bits) {
  uint32_t lanes[4];
  float lanes2[4];
  word4_store_packed(lanes, ids, bits);
  float4_store_packed(lanes2, distances2, bits);
  for (uint32_t i = 0; i < bits_count(bits) && total + i < results->capacity; i++) {
    results->ids[total + i] = lanes[i];
    if (results->distances2) results->distances2[total + i] = lanes2[i];
  }
}

/* Appends the lanes whose bit is set to the results: counts all of them, writes as many as fit. */
ALWAYS_INLINE void scan_append(copse_results *results, word4 ids, float4 distances2,
                               uint32_t bits) {
  const uint32_t total = results->total;
  results->total = total + bits_count(bits);
  if ((uint64_t)total + 4 <= results->capacity) {
    word4_store_packed(results->ids + total, ids, bits);
    if (results->distances2) float4_store_packed(results->distances2 + total, distances2, bits);
  } else
    scan_append_last(results, total, ids, distances2, bits);
}

ALWAYS_INLINE void scan_within(const scan_points *points, uint32_t begin, uint32_t end,
                               const float *center, float radius2, const scan_filter *filter,
                               copse_results *results, const int dim) {
  const scan_center center4 = scan_center_at(center, dim);
  const scan_points run = *points; /* a local copy, which can stay in registers */
  const scan_filter localFilter = *filter;
  for (uint32_t i = begin; i < end; i += 4) {
    float4 distances2 = scan_distance2(&run, i, &center4, dim);
    word4 hit = float4_le(distances2, float4_all(radius2));
    uint32_t bits = scan_filter4(&run, i, end, &localFilter, hit);
    scan_append(results, word4_load(run.ids + i), distances2, bits);
  }
}

ALWAYS_INLINE uint32_t scan_count(const scan_points *points, uint32_t begin, uint32_t end,
                                  const float *center, float radius2, const scan_filter *filter,
                                  const int dim) {
  const scan_center center4 = scan_center_at(center, dim);
  uint32_t total = 0;
  for (uint32_t i = begin; i < end; i += 4) {
    word4 hit = float4_le(scan_distance2(points, i, &center4, dim), float4_all(radius2));
    total += bits_count(scan_filter4(points, i, end, filter, hit));
  }
  return total;
}

/* Returns a mask of which of the points i … i + 3 are in a box. */
ALWAYS_INLINE word4 scan_in_box4(const scan_points *points, uint32_t i, const float *lo,
                                 const float *hi, const int dim) {
  word4 hit = word4_all(UINT32_MAX);
  EACH_AXIS (axis, dim) {
    float4 x = float4_load(points->axes[axis] + i);
    hit = word4_and(hit, float4_le(float4_all(lo[axis]), x));
    hit = word4_and(hit, float4_le(x, float4_all(hi[axis])));
  }
  return hit;
}

typedef struct scan_cone {
  float center[3];
  float unit[3]; /* the direction of the cone, of length 1 */
  float cosine;  /* the cosine of the half angle; below -1 if the cone contains every direction */
  float radius2;
} scan_cone;

/* Returns a mask of which of the points i … i + 3 are in a cone. Writes their squared distances
 * from the apex of the cone. */
ALWAYS_INLINE word4 scan_in_cone4(const scan_points *points, uint32_t i, const scan_cone *cone,
                                  float4 *distances2, const int dim) {
  float4 d[3], along[3];
  EACH_AXIS (axis, dim) {
    d[axis] = float4_sub(float4_load(points->axes[axis] + i), float4_all(cone->center[axis]));
    along[axis] = float4_mul(d[axis], float4_all(cone->unit[axis]));
  }
  *distances2 = scan_sum_of_squares4(d, dim);
  float4 dot = float4_add(along[0], along[1]);
  if (dim == 3) dot = float4_add(dot, along[2]);
  float4 least = float4_mul(float4_all(cone->cosine), float4_sqrt(*distances2));
  return word4_and(float4_le(*distances2, float4_all(cone->radius2)), float4_le(least, dot));
}

/* Returns a mask of which of four boxes are not wholly outside any plane. `sides` are six arrays:
 * the low x, y, z of all boxes, then their high x, y, z. For points, pass each array twice. Tests
 * the corner of each box that is farthest inside, as box_in_planes does. */
ALWAYS_INLINE word4 scan_in_planes4(const float *const *sides, uint32_t i, const float *planes,
                                    uint32_t count) {
  word4 hit = word4_all(UINT32_MAX);
  for (const float *plane = planes; plane < planes + 4 * (size_t)count; plane += 4) {
    float4 steps[3];
    UNROLL for (int axis = 0; axis < 3; axis++) {
      const float *side = plane[axis] > 0 ? sides[3 + axis] : sides[axis];
      steps[axis] = float4_mul(float4_load(side + i), float4_all(plane[axis]));
    }
    const float4 sum =
        float4_add(float4_add(float4_add(steps[0], steps[1]), steps[2]), float4_all(plane[3]));
    hit = word4_and(hit, float4_le(float4_all(0), sum));
    if (!word4_bits(hit)) break;
  }
  return hit;
}

/* Replaces *nearest if a point of a run is nearer, or equally near with a lower id. Each of the
 * four lanes finds its own nearest point without branches; the four are compared at the end. If ids
 * ascend in the run (idsAscend), the first of equally near points has the lowest id, which saves a
 * comparison of ids. */
ALWAYS_INLINE void scan_nearest_one(const scan_points *points, uint32_t begin, uint32_t end,
                                    const float *center, const scan_filter *filter, pair *nearest,
                                    const bool idsAscend, const int dim) {
  const scan_center center4 = scan_center_at(center, dim);
  const scan_points run = *points;
  const word4 exclude = word4_all(filter->exclude), last = word4_all(end - 1);
  float4 best2 = float4_all(INFINITY);
  word4 bestIds = word4_all(COPSE_NONE), places = word4_count_from(begin);
  for (uint32_t i = begin; i < end; i += 4, places = word4_sub(places, word4_all(UINT32_MAX - 3))) {
    float4 distances2 = scan_distance2(&run, i, &center4, dim);
    word4 ids = word4_load(run.ids + i);
    word4 wrong = word4_equal(ids, exclude);
    wrong = word4_or(wrong, word4_greater(places, last));
    if (filter->testGroups) {
      word4 common = word4_and(word4_load(run.groups + i), word4_all(filter->mask));
      wrong = word4_or(wrong, word4_equal(common, word4_all(0)));
    }
    /* Points that fail the filter or lie past the end get a distance with all bits set: NaN, which
     * is never nearer. */
    distances2 = word4_as_floats(word4_or(float4_as_words(distances2), wrong));
    word4 better = float4_lt(distances2, best2);
    if (!idsAscend) {
      const word4 asNear = float4_le(distances2, best2);
      better = word4_or(better, word4_and(asNear, word4_greater(bestIds, ids)));
    }
    bestIds = word4_select(better, ids, bestIds);
    best2 = float4_min(best2, distances2);
  }
  if (!word4_bits(float4_le(best2, float4_all(nearest->distance2)))) return;
  float lanes2[4];
  uint32_t ids[4];
  float4_store(lanes2, best2);
  word4_store(ids, bestIds);
  for (int lane = 0; lane < 4; lane++) {
    pair candidate = {lanes2[lane], ids[lane]};
    if (pair_less(candidate, *nearest, BY_DISTANCE)) *nearest = candidate;
  }
}

/* The k nearest points so far: a max-heap of `size` entries, each a squared distance and an id.
 * `limit2` is the greatest squared distance at which another point can still be among the k
 * nearest. */
typedef struct scan_nearest {
  pairs heap;
  uint32_t k;
  uint32_t size;
  float limit2;
} scan_nearest;

/* Adds a candidate if it is among the k nearest so far. */
void scan_offer(scan_nearest *nearest, float distance2, uint32_t id);
/* Uses a heap to write the k nearest of `size` candidates to a row. For more candidates, or a
 * larger k, than pairs_rank takes. Returns the length of the row. */
uint32_t scan_nearest_of(pairs candidates, uint32_t size, uint32_t k, pairs row);

ALWAYS_INLINE void scan_neighbors(const scan_points *points, uint32_t begin, uint32_t end,
                                  const float *center, const scan_filter *filter,
                                  scan_nearest *nearest, const int dim) {
  const scan_center center4 = scan_center_at(center, dim);
  for (uint32_t i = begin; i < end; i += 4) {
    float4 distances2 = scan_distance2(points, i, &center4, dim);
    word4 hit = float4_le(distances2, float4_all(nearest->limit2));
    uint32_t bits = scan_filter4(points, i, end, filter, hit);
    if (!bits) continue;
    float lanes[4];
    float4_store(lanes, distances2);
    for (uint32_t lane = 0; lane < 4; lane++) {
      if (!(bits >> lane & 1)) continue;
      scan_offer(nearest, lanes[lane], points->ids[i + lane]);
    }
  }
}

/* ---- Rays ---- */

/* The hits of a ray: `nearest` holds the first nearest.k of them, with fractions in place of
 * squared distances, and `total` is the number of all. Only hits with begin <= fraction < end
 * count: the grid casts a ray in pieces, and an agent that is tested for two pieces must count
 * once. */
typedef struct scan_hits {
  scan_nearest nearest;
  uint32_t total;
  float begin, end;
} scan_hits;

/* A ray: the segment between the points `from` and `to`, with values that scans need. In 2D, z is
 * 0. */
typedef struct scan_ray {
  float from[3], to[3];
  double way[3], way2; /* the vector from `from` to `to`, and its squared length */
  float radius;        /* the radius of all agents; if there are `radii`, their upper limit */
  const float *radii;  /* each agent's own radius, by id; NULL if all have the same */
  float inflate;       /* added to every radius */
  scan_hits *all;      /* where to collect all hits; NULL if only the first is wanted */
  /* A fast test in float skips agents whose center is farther than `reach` from the segment, or
   * from its part before the first hit so far. Rounding makes the distance wrong by up to 1e-6 *
   * (length + radius), and the end of the segment by as much. So `reach` is the radius plus twice
   * the sum of both errors, and a little more for underflow. */
  float unit[3], length, reach;
} scan_ray;

/* Returns a ray. `from` and `to` have three coordinates, in 2D with z = 0. */
static inline scan_ray scan_ray_from(const float *from, const float *to, float radius,
                                     const float *radii, float inflate, scan_hits *all) {
  const float widest = radius + inflate;
  scan_ray ray = {.radius = radius, .radii = radii, .inflate = inflate, .all = all};
  for (int axis = 0; axis < 3; axis++) {
    ray.from[axis] = from[axis];
    ray.to[axis] = to[axis];
    ray.way[axis] = (double)to[axis] - (double)from[axis];
    ray.way2 += ray.way[axis] * ray.way[axis];
  }
  const double length = sqrt(ray.way2);
  for (int axis = 0; axis < 3; axis++)
    ray.unit[axis] = length > 0 ? (float)(ray.way[axis] / length) : 0;
  ray.length = (float)length;
  ray.reach = widest + 4e-6f * (widest + ray.length) + 1e-18f;
  return ray;
}

/* Returns the fraction (0 … 1) of the ray's segment at which the ray first touches an agent, or
 * INFINITY if it misses. This code is the exact rule of copse_points_raycast. Let m be the vector
 * from the segment's start to the agent's center, and d the vector from its start to its end. The
 * nearest point of the ray's line to the center is at the distance |m x d| / |d|: exact enough for
 * small, distant agents, unlike a difference of two large squares. */
ALWAYS_INLINE float scan_ray_hit(const scan_ray *ray, const float *center, float radius) {
  const double radius2 = (double)radius * (double)radius;
  double m[3], start2 = 0, end2 = 0, along = 0, across2 = 0;
  UNROLL for (int axis = 0; axis < 3; axis++) {
    m[axis] = (double)center[axis] - (double)ray->from[axis];
    const double end = (double)center[axis] - (double)ray->to[axis];
    start2 += m[axis] * m[axis];
    end2 += end * end;
    along += m[axis] * ray->way[axis];
  }
  if (start2 <= radius2) return 0;
  UNROLL for (int axis = 0; axis < 3; axis++) {
    const int next = (axis + 1) % 3, last = (axis + 2) % 3;
    const double across = m[next] * ray->way[last] - m[last] * ray->way[next];
    across2 += across * across;
  }
  const double way2 = ray->way2, under = way2 * radius2 - across2;
  if (!(along > 0) || (along < way2 ? under < 0 : end2 > radius2)) return INFINITY;
  const double fraction = (along - (under > 0 ? sqrt(under) : 0)) / way2;
  return fraction > 0 ? fraction < 1 ? (float)fraction : 1 : 0;
}

/* Tests one agent. Replaces *hit if the ray hits the agent earlier, or equally early and the agent
 * has the lower id. If the ray collects all hits, adds the hit to ray->all instead. */
OUT_OF_LINE void scan_ray_offer(const scan_ray *ray, const float *center, uint32_t id,
                                copse_hit *hit) {
  float radius = ray->radius;
  if (ray->radii) {
    const float own = ray->radii[id];
    if (own < radius) radius = own;
    if (!(own > 0)) radius = 0;
  }
  const float fraction = scan_ray_hit(ray, center, radius + ray->inflate);
  if (ray->all) {
    scan_hits *all = ray->all;
    if (!(fraction >= all->begin && fraction < all->end)) return;
    all->total++;
    if (all->nearest.k) scan_offer(&all->nearest, fraction, id);
  } else if (fraction < hit->fraction || (fraction == hit->fraction && id < hit->id))
    *hit = (copse_hit){id, fraction};
}

/* Tests the agents begin … end - 1, and replaces *hit if the ray hits one of them earlier. Agents
 * farther than `reach` from the part of the segment before *hit cannot be hit earlier: they are
 * skipped four at a time. */
ALWAYS_INLINE void scan_raycast(const scan_points *points, uint32_t begin, uint32_t end,
                                const scan_ray *ray, const scan_filter *filter, copse_hit *hit,
                                const int dim) {
  const scan_center from = scan_center_at(ray->from, dim), unit = scan_center_at(ray->unit, dim);
  const float4 reach2 = float4_all(ray->reach * ray->reach);
  for (uint32_t i = begin; i < end; i += 4) {
    float4 m[3], steps[3];
    EACH_AXIS (axis, dim) {
      m[axis] = float4_sub(float4_load(points->axes[axis] + i), from.axes[axis]);
      steps[axis] = float4_mul(m[axis], unit.axes[axis]);
    }
    float4 along = float4_add(steps[0], steps[1]);
    if (dim == 3) along = float4_add(along, steps[2]);
    along = float4_max(along, float4_all(0));
    along = float4_min(along, float4_all(hit->fraction * ray->length));
    EACH_AXIS (axis, dim) m[axis] = float4_sub(m[axis], float4_mul(along, unit.axes[axis]));
    word4 near = float4_le(scan_sum_of_squares4(m, dim), reach2);
    uint32_t bits = scan_filter4(points, i, end, filter, near);
    for (uint32_t place = i; bits; place++, bits >>= 1)
      if (bits & 1) {
        const float center[3] = {points->axes[0][place], points->axes[1][place],
                                 dim == 3 ? points->axes[2][place] : 0};
        scan_ray_offer(ray, center, points->ids[place], hit);
      }
  }
}

#endif
