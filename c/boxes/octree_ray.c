/* Rays through the quadtree and the octree. */

#include "../base/query.h"
#include "octree.h"

#include <math.h>

/* A segment in double, so that differences of floats, and products of two such differences, are
 * exact unless the magnitudes of the floats differ widely. `way` is `to - from`. */
typedef struct segment {
  double from[3], to[3], way[3];
} segment;

/* Where a segment enters a box: the fraction along the segment, and the axis perpendicular to the
 * side that the segment crosses. The axis is 3 if the segment starts inside. */
typedef struct entry {
  double fraction;
  uint32_t axis;
} entry;

/* Returns where a segment enters a box. The segment must intersect the box, so `way` is not 0 along
 * an axis on which the segment starts outside the box. Rounding is monotone: the fraction for a box
 * is never less than the fraction for a larger box around it. */
ALWAYS_INLINE entry entry_of(const segment *ray, const float *lo, const float *hi, const int dim) {
  entry first = {0, 3};
  for (int axis = 0; axis < dim; axis++) {
    const double from = ray->from[axis], way = ray->way[axis];
    if (from >= (double)lo[axis] && from <= (double)hi[axis]) continue;
    const double side = from < (double)lo[axis] ? (double)lo[axis] : (double)hi[axis];
    const double fraction = (side - from) / way;
    if (fraction > first.fraction) first = (entry){fraction, (uint32_t)axis};
  }
  return first;
}

/* True if the line of a segment intersects a box in the plane of the axes u and v: the box's
 * corners are not all on one side of the line. If the box has infinite coordinates, the test may
 * compute NaN, which counts as an intersection. */
ALWAYS_INLINE bool passes(const segment *ray, const float *lo, const float *hi, int u, int v) {
  const double a = ray->way[u] * ((double)lo[v] - ray->from[v]);
  const double b = ray->way[u] * ((double)hi[v] - ray->from[v]);
  const double c = ray->way[v] * ((double)lo[u] - ray->from[u]);
  const double d = ray->way[v] * ((double)hi[u] - ray->from[u]);
  const double leastV = a < b ? a : b, mostV = a < b ? b : a;
  const double leastU = c < d ? c : d, mostU = c < d ? d : c;
  return !(leastV > mostU) && !(mostV < leastU);
}

/* True if a segment intersects a closed box. A separating axis test. */
ALWAYS_INLINE bool meets(const segment *ray, const float *lo, const float *hi, const int dim) {
  WORKED(1);
  for (int axis = 0; axis < dim; axis++) {
    const double from = ray->from[axis], to = ray->to[axis];
    if ((from < to ? to : from) < (double)lo[axis] || (from < to ? from : to) > (double)hi[axis])
      return false;
  }
  if (!passes(ray, lo, hi, 0, 1)) return false;
  return dim == 2 || (passes(ray, lo, hi, 1, 2) && passes(ray, lo, hi, 2, 0));
}

/* Returns the fraction of an entry, rounded to float and at most 1. */
static float fraction_of(entry first) { return first.fraction < 1 ? (float)first.fraction : 1; }

/* Makes an item the hit if the segment enters it earlier than the hit so far, or equally early and
 * the item's id is lower. */
ALWAYS_INLINE void offer(const segment *ray, const octree_block *block, uint32_t lane,
                         copse_box_hit *hit, const int dim) {
  float lo[3] = {0}, hi[3] = {0};
  EACH_AXIS (axis, dim) {
    lo[axis] = block->sides[axis][lane];
    hi[axis] = block->sides[dim + axis][lane];
  }
  if (!meets(ray, lo, hi, dim)) return;
  const entry first = entry_of(ray, lo, hi, dim);
  const float fraction = fraction_of(first);
  const uint32_t id = block->ids[lane];
  if (fraction > hit->fraction || (fraction == hit->fraction && id >= hit->id)) return;
  *hit = (copse_box_hit){id, fraction, {0, 0, 0}};
  if (first.axis < 3) hit->normal[first.axis] = ray->way[first.axis] < 0 ? 1 : -1;
}

/* Finds the first hit. Visits nearer children first. Returns the number of nodes visited. */
ALWAYS_INLINE uint32_t cast_in(const copse_octree *tree, const segment *ray,
                               const copse_query *query, copse_box_hit *hit, const int dim) {
  uint32_t stack[OCTREE_STACK] = {0}, waiting = tree->nodes[0].total > 0, visits = 0, backward = 0;
  for (int axis = 0; axis < dim; axis++) backward |= (uint32_t)(ray->way[axis] < 0) << axis;
  while (waiting) {
    const octree_node *node = &tree->nodes[stack[--waiting]];
    WORKED(1);
    float lo[4], hi[4];
    const box4 cell = octree_cell(tree, node);
    float4_store(lo, cell.lo);
    float4_store(hi, cell.hi);
    if (!meets(ray, lo, hi, dim) || fraction_of(entry_of(ray, lo, hi, dim)) > hit->fraction)
      continue;
    visits++;
    for (uint32_t blockIndex = node->block; blockIndex != COPSE_NONE;) {
      const octree_block *block = octree_block_at(tree, blockIndex, dim);
      const uint32_t size = octree_block_size(node, blockIndex);
      for (uint32_t lane = 0; lane < size; lane++)
        if (octree_wants(tree, query, block->ids[lane])) offer(ray, block, lane, hit, dim);
      blockIndex = block->next;
    }
    if (!node->children) continue;
    /* The child that the segment enters first ends up on top of the stack. */
    for (uint32_t i = 1u << dim; i-- > 0;) {
      const uint32_t child = node->children + (i ^ backward);
      if (tree->nodes[child].total) stack[waiting++] = child;
    }
  }
  return visits;
}

static const copse_box_hit NO_HIT = {COPSE_NONE, 1, {0, 0, 0}};

OCTREE_FUNCTION(uint32_t, cast,
                (const copse_octree *tree, const segment *ray, const copse_query *query,
                 copse_box_hit *hit),
                (tree, ray, query, hit), cast_in(tree, ray, query, hit, dim))

static uint32_t cast_one(const copse_octree *tree, const float *from, const float *to,
                         const copse_query *query, copse_box_hit *hit) {
  segment ray = {{0}, {0}, {0}};
  for (uint32_t axis = 0; axis < tree->def.dimensions; axis++) {
    ray.from[axis] = (double)from[axis];
    ray.to[axis] = (double)to[axis];
    ray.way[axis] = ray.to[axis] - ray.from[axis];
  }
  *hit = NO_HIT;
  return cast(tree, &ray, query, hit);
}

copse_status copse_octree_raycast(const copse_octree *tree, const float *from, const float *to,
                                  const copse_query *query, copse_box_hit *hit, uint32_t *visits) {
  const copse_query settings = query_or_default(query);
  const int dim = (int)tree->def.dimensions;
  *hit = NO_HIT;
  if (!query_point_ok(from, dim) || !query_point_ok(to, dim)) return COPSE_INVALID_ARGUMENT;
  const uint32_t visited = cast_one(tree, from, to, &settings, hit);
  if (visits) *visits = visited;
  return COPSE_OK;
}

copse_status copse_octree_raycast_many(const copse_octree *tree, const float *segments, uint32_t n,
                                       const copse_query *query, uint32_t *ids, float *fractions) {
  const copse_query settings = query_or_default(query);
  const size_t dim = tree->def.dimensions;
  for (size_t end = 0; end < 2 * (size_t)n; end++)
    if (!query_point_ok(segments + end * dim, (int)dim)) return COPSE_INVALID_ARGUMENT;
  for (size_t i = 0; i < n; i++) {
    const float *from = segments + 2 * dim * i;
    copse_box_hit hit;
    cast_one(tree, from, from + dim, &settings, &hit);
    ids[i] = hit.id;
    fractions[i] = hit.fraction;
  }
  return COPSE_OK;
}
