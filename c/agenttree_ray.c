/* Rays through the agent tree: the nearer child first, until what was hit comes before the rest. */

#include "agenttree.h"

#include "geom.h"
#include "ray.h"

/* A ray as boxes meet it: its axes in the lanes. */
typedef struct ray4 {
  float4 from, inverse, reach;
} ray4;

/* On an axis along which it hardly moves, `inverse` is still finite and so large that whatever is
 * within reach there is so at all times. */
ALWAYS_INLINE ray4 ray4_of(const scan_ray *ray, const int dim) {
  float from[4] = {0}, inverse[4] = {0};
  EACH_AXIS (axis, dim) {
    const float way = (float)ray->way[axis];
    from[axis] = ray->from[axis];
    inverse[axis] = way < -1e-30f || way > 1e-30f ? 1 / way : 1e30f;
  }
  return (ray4){float4_load(from), float4_load(inverse), float4_all(ray->reach)};
}

/* Between which fractions of the way a box is within reach along each axis. Monotone in the box, so
 * that nobody in it is within reach earlier or later: see scan_ray. */
ALWAYS_INLINE box4 ray4_times(const ray4 *ray, box4 box) {
  float4 lo = float4_sub(float4_sub(box.lo, ray->from), ray->reach);
  float4 hi = float4_add(float4_sub(box.hi, ray->from), ray->reach);
  lo = float4_mul(lo, ray->inverse);
  hi = float4_mul(hi, ray->inverse);
  return (box4){float4_min(lo, hi), float4_max(lo, hi)};
}

/* Of two boxes, which the ray reaches before `until`, and when: bits, and times, 0 and 1. */
ALWAYS_INLINE uint32_t ray4_reaches(const ray4 *ray, box4 first, box4 second, float until,
                                    float *times, const int dim) {
  const box4 a = ray4_times(ray, first), b = ray4_times(ray, second);
  float4 from = float4_zip_low(a.lo, b.lo), to = float4_zip_low(a.hi, b.hi); /* x, x, y, y */
  from = float4_max(from, float4_swap_halves(from));
  to = float4_min(to, float4_swap_halves(to));
  if (dim == 3) {
    from = float4_max(from, float4_zip_high(a.lo, b.lo));
    to = float4_min(to, float4_zip_high(a.hi, b.hi));
  }
  from = float4_max(from, float4_all(0));
  float4_store(times, from);
  return word4_bits(float4_le(from, float4_min(to, float4_all(until)))) & 3;
}

/* Answers with the number of nodes visited. */
ALWAYS_INLINE uint32_t cast(const copse_agenttree *tree, const scan_ray *ray,
                            const copse_query *query, copse_hit *hit, const int dim) {
  struct {
    uint32_t index;
    float time;
  } stack[COPSE_MAX_DEPTH];
  uint32_t waiting = 0, visits = 0, index = 0;
  const ray4 along = ray4_of(ray, dim);
  if (!agents_have(&tree->agents, query->mask)) return 0;
  for (;;) {
    const node *at = &tree->nodes[index];
    uint32_t enter = 0;
    visits++;
    if (at->anyGroups & query->mask) {
      if (at->right) {
        float times[4];
        const uint32_t left = index + 1, right = at->right;
        enter = ray4_reaches(&along, box4_load(agenttree_box(tree, left, dim), dim),
                             box4_load(agenttree_box(tree, right, dim), dim), hit->fraction, times,
                             dim);
        const bool rightFirst = enter == 2 || (enter == 3 && times[1] < times[0]);
        if (enter == 3) {
          stack[waiting].index = rightFirst ? left : right;
          stack[waiting++].time = times[!rightFirst];
        }
        index = rightFirst ? right : left;
      } else {
        const scan_filter filter = agenttree_filter(at, query);
        scan_raycast(&tree->agents.points, at->begin, at->end, ray, &filter, hit, dim);
      }
    }
    while (!enter) { /* what is as far as the hit is visited for the sake of ties by id */
      if (!waiting) return visits;
      index = stack[--waiting].index;
      enter = stack[waiting].time <= hit->fraction;
    }
  }
}

static uint32_t cast_into(const void *tree, const scan_ray *ray, const copse_query *query,
                          copse_hit *hit) {
  const copse_agenttree *into = tree;
  return into->agents.dimensions == 3 ? cast(into, ray, query, hit, 3)
                                      : cast(into, ray, query, hit, 2);
}

copse_status copse_agenttree_raycast(const copse_agenttree *tree, const float *from,
                                     const float *to, float radius, const float *radii,
                                     const copse_query *query, copse_hit *hit, uint32_t *visits) {
  const ray_query asked = {&tree->agents, tree, cast_into, radius, radii, query};
  return ray_one(&asked, from, to, hit, visits);
}

copse_status copse_agenttree_raycast_many(const copse_agenttree *tree, const float *segments,
                                          uint32_t n, float radius, const float *radii,
                                          const copse_query *query, uint32_t *ids,
                                          float *fractions) {
  const ray_query asked = {&tree->agents, tree, cast_into, radius, radii, query};
  return ray_many(&asked, segments, n, ids, fractions);
}
