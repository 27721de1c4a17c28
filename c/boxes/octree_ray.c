/* Rays through the quadtree and the octree. */

#include "../base/query.h"
#include "octree.h"

#include <math.h>

/* A segment, in double: differences of floats, and products of two of them, are then exact unless
 * magnitudes differ widely. */
typedef struct segment {
  double from[3], to[3], way[3];
} segment;

/* Where a segment comes into a box: the fraction of its way, and the axis (3: it begins inside). */
typedef struct entry {
  double fraction;
  uint32_t axis;
} entry;

/* Of a box that the segment meets, so that there is a way to where it begins outside. No box inside
 * another is come to earlier, since each step of this is monotone. */
ALWAYS_INLINE entry entry_of(const segment *ray, const float *lo, const float *hi, const int dim) {
  entry found = {0, 3};
  for (int axis = 0; axis < dim; axis++) {
    const double from = ray->from[axis], way = ray->way[axis];
    if (from >= (double)lo[axis] && from <= (double)hi[axis]) continue;
    const double side = from < (double)lo[axis] ? (double)lo[axis] : (double)hi[axis];
    const double fraction = (side - from) / way;
    if (fraction > found.fraction) found = (entry){fraction, (uint32_t)axis};
  }
  return found;
}

/* Whether the line of the segment passes a box, seen along the axis that is neither u nor v: not
 * all of its corners are on the same side. Infinite sides may give NaN, and then it does. */
ALWAYS_INLINE bool passes(const segment *ray, const float *lo, const float *hi, int u, int v) {
  const double a = ray->way[u] * ((double)lo[v] - ray->from[v]);
  const double b = ray->way[u] * ((double)hi[v] - ray->from[v]);
  const double c = ray->way[v] * ((double)lo[u] - ray->from[u]);
  const double d = ray->way[v] * ((double)hi[u] - ray->from[u]);
  const double leastV = a < b ? a : b, mostV = a < b ? b : a;
  const double leastU = c < d ? c : d, mostU = c < d ? d : c;
  return !(leastV > mostU) && !(mostV < leastU);
}

/* Whether a segment meets a closed box: their bounds meet, and so do their shadows. */
ALWAYS_INLINE bool meets(const segment *ray, const float *lo, const float *hi, const int dim) {
  for (int axis = 0; axis < dim; axis++) {
    const double from = ray->from[axis], to = ray->to[axis];
    if ((from < to ? to : from) < (double)lo[axis] || (from < to ? from : to) > (double)hi[axis])
      return false;
  }
  if (!passes(ray, lo, hi, 0, 1)) return false;
  return dim == 2 || (passes(ray, lo, hi, 1, 2) && passes(ray, lo, hi, 2, 0));
}

/* As a result has it. */
static float fraction_of(entry found) { return found.fraction < 1 ? (float)found.fraction : 1; }

ALWAYS_INLINE void offer(const segment *ray, const octree_block *block, uint32_t lane,
                         copse_box_hit *hit, const int dim) {
  float lo[3] = {0}, hi[3] = {0};
  EACH_AXIS (axis, dim) {
    lo[axis] = block->sides[axis][lane];
    hi[axis] = block->sides[dim + axis][lane];
  }
  if (!meets(ray, lo, hi, dim)) return;
  const entry found = entry_of(ray, lo, hi, dim);
  const float fraction = fraction_of(found);
  const uint32_t id = block->ids[lane];
  if (fraction > hit->fraction || (fraction == hit->fraction && id >= hit->id)) return;
  *hit = (copse_box_hit){id, fraction, {0, 0, 0}};
  if (found.axis < 3) hit->normal[found.axis] = ray->way[found.axis] < 0 ? 1 : -1;
}

ALWAYS_INLINE uint32_t cast(const copse_octree *tree, const segment *ray, const copse_query *query,
                            copse_box_hit *hit, const int dim) {
  uint32_t stack[OCTREE_STACK] = {0}, waiting = tree->nodes[0].total > 0, visits = 0, backward = 0;
  for (int axis = 0; axis < dim; axis++) backward |= (uint32_t)(ray->way[axis] < 0) << axis;
  while (waiting) {
    const octree_node *node = &tree->nodes[stack[--waiting]];
    float lo[4], hi[4];
    const box4 cell = octree_cell(tree, node);
    float4_store(lo, cell.lo);
    float4_store(hi, cell.hi);
    if (!meets(ray, lo, hi, dim) || fraction_of(entry_of(ray, lo, hi, dim)) > hit->fraction)
      continue;
    visits++;
    for (uint32_t at = node->block; at != COPSE_NONE;) {
      const octree_block *block = octree_block_at(tree, at, dim);
      const uint32_t size = octree_block_size(node, at);
      for (uint32_t lane = 0; lane < size; lane++)
        if (octree_wants(tree, query, block->ids[lane])) offer(ray, block, lane, hit, dim);
      at = block->next;
    }
    if (!node->children) continue;
    /* The first on its way on top. */
    for (uint32_t i = 1u << dim; i-- > 0;) {
      const uint32_t child = node->children + (i ^ backward);
      if (tree->nodes[child].total) stack[waiting++] = child;
    }
  }
  return visits;
}

OUT_OF_LINE uint32_t cast_2d(const copse_octree *tree, const segment *ray, const copse_query *query,
                             copse_box_hit *hit) {
  return cast(tree, ray, query, hit, 2);
}
OUT_OF_LINE uint32_t cast_3d(const copse_octree *tree, const segment *ray, const copse_query *query,
                             copse_box_hit *hit) {
  return cast(tree, ray, query, hit, 3);
}

copse_status copse_octree_raycast(const copse_octree *tree, const float *from, const float *to,
                                  const copse_query *query, copse_box_hit *hit, uint32_t *visits) {
  const copse_query asked = query_or_default(query);
  const int dim = (int)tree->def.dimensions;
  *hit = (copse_box_hit){COPSE_NONE, 1, {0, 0, 0}};
  if (!query_point_ok(from, dim) || !query_point_ok(to, dim)) return COPSE_INVALID_ARGUMENT;
  segment ray = {{0}, {0}, {0}};
  for (int axis = 0; axis < dim; axis++) {
    ray.from[axis] = (double)from[axis];
    ray.to[axis] = (double)to[axis];
    ray.way[axis] = ray.to[axis] - ray.from[axis];
  }
  const uint32_t visited =
      dim == 3 ? cast_3d(tree, &ray, &asked, hit) : cast_2d(tree, &ray, &asked, hit);
  if (visits) *visits = visited;
  return COPSE_OK;
}
