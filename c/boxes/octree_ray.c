/* Rays through the quadtree and the octree. */

#include "../base/query.h"
#include "octree.h"

#include <math.h>

/* A segment in double, so that differences of floats, and products of two such differences, are
 * exact unless the magnitudes of the floats differ widely. In 2D, z is 0. */
typedef struct segment {
  int dim;
  double from[3], way[3]; /* `way` is the vector from the start to the end */
  double radius;          /* boxes grow by this, with rounded corners; 0: plain boxes */
  /* 0 if the radius is 0, else slightly more than the radius, because of rounding. A segment can
   * hit an item only if it intersects the item's box enlarged by `reach` on each side. */
  double reach;
  float lo[3], hi[3]; /* the bounds of the segment, enlarged by `reach` on each side */
} segment;

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
  /* Adding the slack has the same effect as enlarging the box by `reach` on each side. */
  const double slack = ray->reach * (fabs(ray->way[u]) + fabs(ray->way[v]));
  return !(leastV > mostU + slack) && !(mostV < leastU - slack);
}

static float rounded(double fraction) { return fraction < 1 ? (float)fraction : 1; }

/* True if a segment intersects or touches a box enlarged by `reach` on each side. A separating axis
 * test. */
ALWAYS_INLINE bool meets(const segment *ray, const float *lo, const float *hi) {
  for (int axis = 0; axis < ray->dim; axis++)
    if (ray->hi[axis] < lo[axis] || ray->lo[axis] > hi[axis]) return false;
  for (int u = 0; u < 2 * ray->dim - 3; u++)
    if (!passes(ray, lo, hi, u, u < 2 ? u + 1 : 0)) return false;
  return true;
}

/* Writes where a segment enters a box enlarged by `reach` on each side: the fraction and the normal
 * of *hit. False if the segment misses the box. A box inside this one never gets a smaller
 * fraction, even after rounding: so `cast` can skip nodes by the fractions of their cells. For
 * boxes, this code is the exact rule of copse_octree_raycast; enter_rounded is, if `inflate` is
 * greater than 0. */
static bool enter_box(const segment *ray, const float *lo, const float *hi, copse_box_hit *hit) {
  double latest = 0;
  if (!meets(ray, lo, hi)) return false;
  hit->normal[0] = hit->normal[1] = hit->normal[2] = 0;
  for (int axis = 0; axis < ray->dim; axis++) {
    const double from = ray->from[axis], way = ray->way[axis];
    const double low = (double)lo[axis] - ray->reach, high = (double)hi[axis] + ray->reach;
    if (from >= low && from <= high) continue;
    const double fraction = ((from < low ? low : high) - from) / way; /* `way` is not 0 */
    if (fraction <= latest) continue;
    latest = fraction;
    hit->normal[0] = hit->normal[1] = hit->normal[2] = 0;
    hit->normal[axis] = way < 0 ? 1 : -1;
  }
  hit->fraction = rounded(latest);
  return true;
}

/* Writes where a segment comes within `radius` of a box: the fraction of *hit and, if the segment
 * starts farther away, the normal. False if the segment never comes that near.
 *
 * The planes of the box's sides cut the segment into parts. Within a part, the segment is outside
 * of the same sides of the box. On the axes of these sides, m is the vector from the segment's
 * start to the side, and d the vector from its start to its end; on the other axes, both are 0. So
 * at the fraction f of the segment, its distance from the box is the length of f * d - m. It is at
 * most `radius` from the fraction (m.d - root) / d.d to (m.d + root) / d.d, where u.v is the dot
 * product of vectors u and v. */
static bool enter_rounded(const segment *ray, const float *lo, const float *hi,
                          copse_box_hit *hit) {
  const double radius2 = ray->radius * ray->radius;
  double end = 0; /* the fraction at which the current part of the segment ends */
  while (end < 1) {
    const double begin = end;
    double m[3], d[3], c[3], m2 = 0, d2 = 0, c2 = 0, along = 0;
    int crossed = 0; /* the axis of the side where the segment enters the box itself */
    end = 1;
    for (int axis = 0; axis < 3; axis++) {
      const double from = ray->from[axis], way = ray->way[axis];
      double side = (double)(way < 0 ? hi : lo)[axis] - from;
      bool isOutside = begin < side / way;
      if (!isOutside) {
        if (begin == side / way) crossed = axis;
        side = (double)(way < 0 ? lo : hi)[axis] - from;
        isOutside = !(begin < side / way);
      }
      if (begin < side / way && side / way < end) end = side / way;
      m[axis] = isOutside ? side : 0;
      d[axis] = isOutside ? way : 0;
      m2 += m[axis] * m[axis];
      d2 += d[axis] * d[axis];
      along += m[axis] * d[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
      const int next = (axis + 1) % 3, last = (axis + 2) % 3;
      c[axis] = m[next] * d[last] - m[last] * d[next];
      c2 += c[axis] * c[axis];
    }
    const double under = d2 * radius2 - c2, root = sqrt(under > 0 ? under : 0);
    const double enter = (along - root) / d2;
    if (d2 > 0 ? under < 0 || enter > end || (along + root) / d2 < begin : m2 > radius2) continue;
    const double fraction = enter > begin ? enter : begin;
    /* With a tiny radius, rounding may hide the hit until the segment is inside the box: then the
     * normal is that of the side that the segment crossed. */
    if (m2 + d2 == 0) m[crossed] = ray->way[crossed] < 0 ? -ray->radius : ray->radius;
    for (int axis = 0; axis < 3; axis++) {
      const int next = (axis + 1) % 3, last = (axis + 2) % 3;
      const double across = d[next] * c[last] - d[last] * c[next];
      /* The vector to the box: m - f * d, where f is `enter`. */
      const double inward = d2 > 0 ? (root * d[axis] + across) / d2 : m[axis];
      hit->normal[axis] = fraction > 0 ? (float)(0 - inward / ray->radius) : 0;
    }
    hit->fraction = rounded(fraction);
    return true;
  }
  return false;
}

/* Makes an item the hit if the segment enters it earlier than the hit so far, or equally early and
 * the item's id is lower. */
static void offer(const segment *ray, const octree_block *block, uint32_t lane,
                  copse_box_hit *hit) {
  float lo[3] = {0}, hi[3] = {0};
  const int dim = ray->dim;
  for (int axis = 0; axis < dim; axis++) {
    lo[axis] = block->sides[axis][lane];
    hi[axis] = block->sides[dim + axis][lane];
  }
  copse_box_hit next;
  next.id = block->ids[lane];
  if (!enter_box(ray, lo, hi, &next)) return;
  if (ray->radius > 0 && !enter_rounded(ray, lo, hi, &next)) return;
  if (next.fraction < hit->fraction || (next.fraction == hit->fraction && next.id < hit->id))
    *hit = next;
}

/* Finds the first item that a segment hits. Visits nearer children first. Returns the number of
 * nodes visited. */
static uint32_t cast(const copse_octree *tree, const segment *ray, const copse_query *query,
                     copse_box_hit *hit) {
  const int dim = ray->dim;
  uint32_t stack[OCTREE_STACK] = {0}, waiting = tree->nodes[0].total > 0, visits = 0, backward = 0;
  for (int axis = 0; axis < dim; axis++) backward |= (uint32_t)(ray->way[axis] < 0) << axis;
  while (waiting) {
    const octree_node *node = &tree->nodes[stack[--waiting]];
    WORKED(1);
    float lo[4], hi[4];
    const box4 cell = octree_cell(tree, node);
    copse_box_hit first;
    float4_store(lo, cell.lo);
    float4_store(hi, cell.hi);
    if (!enter_box(ray, lo, hi, &first) || first.fraction > hit->fraction) continue;
    visits++;
    for (uint32_t blockIndex = node->block; blockIndex != COPSE_NONE;) {
      const octree_block *block = octree_block_at(tree, blockIndex, dim);
      for (uint32_t left = octree_block_near(block, ray->lo, ray->hi, dim); left;
           left &= left - 1) {
        const uint32_t lane = bits_lowest(left);
        if (octree_wants(tree, query, block->ids[lane])) offer(ray, block, lane, hit);
      }
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

/* Prepares a segment. False if an argument is out of its range. */
static bool prepare(const copse_octree *tree, const float *from, const float *to,
                    const copse_query *query, segment *ray) {
  bool ok = query_radius_ok(query->inflate);
  float far = 0; /* the greatest absolute value of the coordinates of both ends */
  *ray = (segment){.dim = (int)tree->def.dimensions, .radius = (double)query->inflate};
  for (int axis = 0; axis < ray->dim; axis++) {
    ok = ok && is_coordinate(from[axis]) && is_coordinate(to[axis]);
    ray->from[axis] = (double)from[axis];
    ray->way[axis] = (double)to[axis] - ray->from[axis] + 0; /* turns -0 into 0 */
    if (fabsf(from[axis]) > far) far = fabsf(from[axis]);
    if (fabsf(to[axis]) > far) far = fabsf(to[axis]);
  }
  if (ray->radius > 0) ray->reach = ray->radius + 2e-5 * (ray->radius + (double)far);
  for (int axis = 0; axis < ray->dim; axis++) {
    const bool isForward = from[axis] < to[axis];
    ray->lo[axis] = (float)((double)(isForward ? from : to)[axis] - ray->reach);
    ray->hi[axis] = (float)((double)(isForward ? to : from)[axis] + ray->reach);
  }
  return ok;
}

copse_status copse_octree_raycast(const copse_octree *tree, const float *from, const float *to,
                                  const copse_query *query, copse_box_hit *hit, uint32_t *visits) {
  const copse_query effective = query_or_default(query);
  segment ray;
  *hit = NO_HIT;
  if (!prepare(tree, from, to, &effective, &ray)) return COPSE_INVALID_ARGUMENT;
  const uint32_t visited = cast(tree, &ray, &effective, hit);
  if (visits) *visits = visited;
  return COPSE_OK;
}

copse_status copse_octree_raycast_many(const copse_octree *tree, const float *segments, uint32_t n,
                                       const copse_query *query,
                                       const copse_segment_filters *filters, uint32_t *ids,
                                       float *fractions) {
  const copse_query effective = query_or_default(query);
  const size_t step = 2 * (size_t)tree->def.dimensions;
  segment ray;
  if (!query_radius_ok(effective.inflate)) return COPSE_INVALID_ARGUMENT;
  for (int casts = 0; casts < 2; casts++) /* the first pass only checks arguments */
    for (uint32_t i = 0; i < n; i++) {
      const float *from = segments + step * i;
      const copse_query one = query_of_segment(&effective, filters, i);
      if (!prepare(tree, from, from + step / 2, &one, &ray)) return COPSE_INVALID_ARGUMENT;
      if (!casts) continue;
      copse_box_hit hit = NO_HIT;
      cast(tree, &ray, &one, &hit);
      ids[i] = hit.id;
      fractions[i] = hit.fraction;
    }
  return COPSE_OK;
}
