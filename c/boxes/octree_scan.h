/* Inlined parts of the searches for items in a region. Single queries and batches share them. */
#ifndef COPSE_OCTREE_SCAN_H
#define COPSE_OCTREE_SCAN_H

#include "../base/region.h"
#include "octree.h"

/* ---- Children ---- */

/* Returns a bit for each child of a split node, set if the child's cell with its margin intersects
 * the box from `lo` to `hi`. */
ALWAYS_INLINE uint32_t children_near(const copse_octree *tree, const octree_node *node, float4 lo,
                                     float4 hi, const int dim) {
  static const uint8_t lows[3] = {0x55, 0x33, 0x0f}; /* by axis: a mask of the children on the low
                                                      * side */
  const float4 center = float4_load(node->center);
  const float4 margin = float4_load(tree->margins[node->depth + 1]);
  const float4 outerLo = float4_sub(float4_load(node->lo), margin);
  const float4 outerHi = float4_add(float4_load(node->hi), margin);
  const uint32_t low =
      word4_bits(word4_and(float4_le(lo, float4_add(center, margin)), float4_le(outerLo, hi)));
  const uint32_t high =
      word4_bits(word4_and(float4_le(float4_sub(center, margin), hi), float4_le(lo, outerHi)));
  uint32_t near = (1u << octree_children(dim)) - 1;
  EACH_AXIS (axis, dim) {
    const uint32_t side = lows[axis];
    near &= (low >> axis & 1 ? side : 0) | (high >> axis & 1 ? ~side : 0);
  }
  return near;
}

/* Pushes the children that have their bit set in `near` and are not empty; the first child ends up
 * on top. Returns the stack's size. */
ALWAYS_INLINE uint32_t push_children(const copse_octree *tree, const octree_node *node,
                                     uint32_t near, uint32_t *stack, uint32_t waiting,
                                     const int dim) {
  for (uint32_t i = octree_children(dim); i-- > 0;) {
    stack[waiting] = node->children + i;
    waiting += near >> i & 1 && tree->nodes[node->children + i].total;
  }
  return waiting;
}

/* ---- Tests of four items at a time -------------------------------------------------------- */

/* The region of a query in registers: a box, or a circle or sphere whose center is both lo and
 * hi. */
typedef struct probe {
  float4 lo[3], hi[3];
  float4 radius2;
} probe;

ALWAYS_INLINE probe probe_of(const region *where, const shape kind, const int dim) {
  probe target;
  EACH_AXIS (axis, dim) {
    const bool circle = kind == SHAPE_CIRCLE;
    target.lo[axis] = float4_all(circle ? where->circle.center[axis] : where->box.lo[axis]);
    target.hi[axis] = float4_all(circle ? where->circle.center[axis] : where->box.hi[axis]);
  }
  target.radius2 = float4_all(kind == SHAPE_CIRCLE ? where->circle.radius2 : 0);
  return target;
}

/* Returns the squared distances from a point to four boxes of a block; NaN in lanes without a
 * box. */
ALWAYS_INLINE float4 block_distance2(const octree_block *block, uint32_t i, const float4 *center,
                                     const int dim) {
  float4 d[3];
  EACH_AXIS (axis, dim) {
    const float4 below = float4_sub(float4_load(block->sides[axis] + i), center[axis]);
    const float4 above = float4_sub(center[axis], float4_load(block->sides[dim + axis] + i));
    d[axis] = float4_max(float4_max(below, above), float4_all(0));
  }
  return scan_sum_of_squares4(d, dim);
}

/* Returns which of four boxes of a block intersect a region, as a mask. Writes the boxes' squared
 * distances from the center of a circle or sphere; 0 if the region is a box. */
ALWAYS_INLINE word4 block_hits(const octree_block *block, uint32_t i, const probe *target,
                               float4 *distances2, const shape kind, const int dim) {
  if (kind == SHAPE_CIRCLE) {
    *distances2 = block_distance2(block, i, target->lo, dim);
    return float4_le(*distances2, target->radius2);
  }
  *distances2 = float4_all(0);
  word4 hit = word4_all(UINT32_MAX);
  EACH_AXIS (axis, dim) {
    hit = word4_and(hit, float4_le(float4_load(block->sides[axis] + i), target->hi[axis]));
    hit = word4_and(hit, float4_le(target->lo[axis], float4_load(block->sides[dim + axis] + i)));
  }
  return hit;
}

#endif
