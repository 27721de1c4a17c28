/* Querying the agent tree. */

#include "agenttree.h"

#include "../base/geom.h"
#include "../base/region.h"

#include <math.h>
#include <string.h>

/* ---- Queries ----------------------------------------------------------------------------- */

/* Returns which children of a node can hold a result: bit 0 for the left, bit 1 for the right. The
 * test for circles is branch-free, because processors would often mispredict branches here. */
ALWAYS_INLINE uint32_t children_to_enter(const struct agenttree *tree, uint32_t index,
                                         const region *where, const copse_query *query,
                                         const shape kind, const int dim) {
  const agenttree_node *node = &tree->nodes[index];
  uint32_t enterLeft, enterRight;
  if (kind == SHAPE_CIRCLE) {
    const float x = where->circle.center[node->axis];
    enterLeft = x - node->leftMost <= where->circle.reach;
    enterRight = node->rightLeast - x <= where->circle.reach;
  } else {
    enterLeft = region_meets(where, agenttree_box(tree, index + 1, dim), kind, dim);
    enterRight = region_meets(where, agenttree_box(tree, node->right, dim), kind, dim);
  }
  if (query->mask != COPSE_ALL_GROUPS) {
    if (!(tree->nodes[index + 1].anyGroups & query->mask)) enterLeft = 0;
    if (!(tree->nodes[node->right].anyGroups & query->mask)) enterRight = 0;
  }
  return enterLeft | enterRight << 1;
}

/* Does the same as region_scan, but faster, for a leaf and a circle in the usual case: no groups to
 * test, and room in the results for the whole leaf. In all other cases does nothing and returns
 * false. */
ALWAYS_INLINE bool collect_plain(const scan_points *ordered, const agenttree_node *leaf,
                                 const region *circle, const scan_filter *filter,
                                 copse_results *results, const int dim) {
  const uint32_t end = leaf->end;
  if (filter->testGroups || (uint64_t)results->total + (end - leaf->begin) + 4 > results->capacity)
    return false;
  const scan_points points = *ordered; /* a local copy, which can stay in registers */
  const scan_center center = scan_center_at(circle->circle.center, dim);
  const float4 radius2 = float4_all(circle->circle.radius2);
  const word4 excluded = word4_all(filter->exclude);
  uint32_t total = results->total;
  float *const found2 = results->distances2;
  for (uint32_t i = leaf->begin; i < end; i += 4) {
    const word4 ids = word4_load(points.ids + i);
    const float4 distances2 = scan_distance2(&points, i, &center, dim);
    const word4 hit = float4_le(distances2, radius2);
    const uint32_t bits = word4_bits(word4_without(hit, word4_equal(ids, excluded)));
    const uint32_t inRun = bits & scan_in_run(i, end);
    word4_store_packed(results->ids + total, ids, inRun);
    if (found2) float4_store_packed(found2 + total, distances2, inRun);
    total += bits_count(inRun);
  }
  results->total = total;
  return true;
}

/* Appends the agents in a region to the results, in tree order. Returns the number of nodes
 * visited. */
ALWAYS_INLINE uint32_t collect_in(const struct agenttree *tree, const region *where,
                                  const shape kind, const copse_query *query,
                                  copse_results *results, const int dim) {
  copse_results local = *results; /* a local copy, which can stay in registers */
  uint32_t stack[COPSE_MAX_DEPTH + 1], waiting = 0, visits = 0;
  if (points_have(&tree->points, query->mask) && region_meets(where, tree->bounds, kind, dim))
    stack[waiting++] = 0;
  while (waiting) {
    uint32_t index = stack[--waiting];
    WORKED(1);
    const agenttree_node *node = &tree->nodes[index];
    visits++;
    if (node->right) {
      uint32_t enter = children_to_enter(tree, index, where, query, kind, dim);
      stack[waiting] = node->right;
      waiting += enter >> 1;
      stack[waiting] = index + 1;
      waiting += enter & 1;
    } else {
      scan_filter filter = agenttree_filter(node, query);
      if (kind != SHAPE_CIRCLE)
        points_scan(&tree->points, node->begin, node->end, where, kind, &filter, &local);
      else if (!collect_plain(&tree->points.ordered, node, where, &filter, &local, dim))
        region_scan(&tree->points.ordered, node->begin, node->end, where, &filter, &local, kind,
                    dim);
    }
  }
  results->total = local.total;
  return visits;
}

uint32_t agenttree_collect_circle(const void *index, const region *where, shape kind,
                                  const copse_query *query, copse_results *results) {
  const struct agenttree *tree = index;
  (void)kind;
  return WITH_DIM(tree->points.dimensions, collect_in, tree, where, SHAPE_CIRCLE, query, results);
}

SMALL_CODE OUT_OF_LINE uint32_t collect_other(const struct agenttree *tree, const region *where,
                                              shape kind, const copse_query *query,
                                              copse_results *results) {
  const shape other = kind == SHAPE_BOX ? SHAPE_BOX : SHAPE_CONE;
  return WITH_DIM(tree->points.dimensions, collect_in, tree, where, other, query, results);
}

uint32_t agenttree_collect(const void *tree, const region *where, shape kind,
                           const copse_query *query, copse_results *results) {
  return kind == SHAPE_CIRCLE ? agenttree_collect_circle(tree, where, kind, query, results)
                              : collect_other(tree, where, kind, query, results);
}

/* Returns the number of agents of a node that pass the mask and `exclude` of the query, or
 * COPSE_NONE if each agent must be tested. */
static uint32_t admitted(const struct agenttree *tree, const agenttree_node *node,
                         const copse_query *query) {
  if (agenttree_filter(node, query).testGroups) return COPSE_NONE;
  uint32_t total = node->end - node->begin;
  if (query->exclude != COPSE_NONE)
    for (uint32_t i = node->begin; i < node->end; i++)
      total -= tree->points.ordered.ids[i] == query->exclude;
  return total;
}

ALWAYS_INLINE uint32_t count_in(const struct agenttree *tree, const region *where,
                                const copse_query *query, uint32_t *visits, bool stopAtFirst,
                                const int dim) {
  const float *center = where->circle.center, radius2 = where->circle.radius2;
  uint32_t stack[COPSE_MAX_DEPTH + 1], waiting = 0, total = 0;
  if (points_have(&tree->points, query->mask)) stack[waiting++] = 0;
  while (waiting && !(stopAtFirst && total)) {
    uint32_t index = stack[--waiting], whole = COPSE_NONE;
    const agenttree_node *node = &tree->nodes[index];
    ++*visits;
    if (box_reach2(agenttree_box(tree, index, dim), center, dim) <= radius2)
      whole = admitted(tree, node, query);
    if (whole != COPSE_NONE) {
      total += whole;
    } else if (node->right) {
      uint32_t enter = children_to_enter(tree, index, where, query, SHAPE_CIRCLE, dim);
      stack[waiting] = node->right;
      waiting += enter >> 1;
      stack[waiting] = index + 1;
      waiting += enter & 1;
    } else {
      scan_filter filter = agenttree_filter(node, query);
      total += points_scan_count(&tree->points, node->begin, node->end, where, &filter);
    }
  }
  return total;
}

SMALL_CODE uint32_t agenttree_count(const void *tree, const region *circle,
                                    const copse_query *query, bool stopAtFirst, uint32_t *visits) {
  return WITH_DIM(((const struct agenttree *)tree)->points.dimensions, count_in, tree, circle,
                  query, visits, stopAtFirst);
}

/* Finds the k nearest agents: visits the nearer child first, and offers agents to the heap. Also
 * visits a box exactly at the distance of the k-th agent so far: it can contain an agent that is
 * equally near and has a lower id, which wins the tie. */
ALWAYS_INLINE uint32_t search(const struct agenttree *tree, const float *center,
                              const copse_query *query, scan_nearest *nearest, const int dim) {
  struct {
    uint32_t index;
    float gap2;
  } stack[COPSE_MAX_DEPTH];
  uint32_t waiting = 0, visits = 0;
  if (points_have(&tree->points, query->mask)) {
    stack[0].index = 0;
    stack[waiting++].gap2 = box_gap2(tree->bounds, center, dim);
  }
  while (waiting) {
    uint32_t index = stack[--waiting].index;
    WORKED(1);
    if (!(stack[waiting].gap2 <= nearest->limit2)) continue;
    if (!(box_gap2(agenttree_box(tree, index, dim), center, dim) <= nearest->limit2)) continue;
    const agenttree_node *node = &tree->nodes[index];
    visits++;
    if (!(node->anyGroups & query->mask)) continue;
    if (node->right) {
      const child_gaps gaps = child_gaps_at(node, center);
      bool leftFirst = gaps.left2 <= gaps.right2;
      stack[waiting].index = leftFirst ? node->right : index + 1;
      stack[waiting++].gap2 = leftFirst ? gaps.right2 : gaps.left2;
      stack[waiting].index = leftFirst ? index + 1 : node->right;
      stack[waiting++].gap2 = leftFirst ? gaps.left2 : gaps.right2;
    } else {
      scan_filter filter = agenttree_filter(node, query);
      points_scan_neighbors(&tree->points, node->begin, node->end, center, &filter, nearest);
    }
  }
  return visits;
}

SMALL_CODE uint32_t agenttree_neighbors(const void *tree, const float *center,
                                        const copse_query *query, scan_nearest *nearest) {
  return WITH_DIM(((const struct agenttree *)tree)->points.dimensions, search, tree, center, query,
                  nearest);
}

/* Finds the nearest agent, as `search` does for k = 1, but faster, because there is no heap. */
ALWAYS_INLINE uint32_t search_one(const struct agenttree *tree, const float *center,
                                  const copse_query *query, pair *nearest, const int dim) {
  struct {
    uint32_t index;
    float gap2;
  } stack[COPSE_MAX_DEPTH];
  uint32_t waiting = 0, visits = 0, index = 0;
  if (!points_have(&tree->points, query->mask)) return 0;
  for (;;) {
    const agenttree_node *node = &tree->nodes[index];
    visits++;
    if (node->anyGroups & query->mask) {
      if (node->right) {
        const child_gaps gaps = child_gaps_at(node, center);
        bool leftFirst = gaps.left2 <= gaps.right2;
        stack[waiting].index = leftFirst ? node->right : index + 1;
        stack[waiting++].gap2 = leftFirst ? gaps.right2 : gaps.left2;
        index = leftFirst ? index + 1 : node->right;
        if ((leftFirst ? gaps.left2 : gaps.right2) <= nearest->distance2) continue;
      } else {
        scan_filter filter = agenttree_filter(node, query);
        scan_nearest_one(&tree->points.ordered, node->begin, node->end, center, &filter, nearest,
                         true, dim);
      }
    }
    do {
      if (!waiting) return visits;
      index = stack[--waiting].index;
    } while (!(stack[waiting].gap2 <= nearest->distance2) ||
             !(box_gap2(agenttree_box(tree, index, dim), center, dim) <= nearest->distance2));
  }
}

uint32_t agenttree_nearest(const void *tree, const float *center, const copse_query *query,
                           pair *nearest) {
  return WITH_DIM(((const struct agenttree *)tree)->points.dimensions, search_one, tree, center,
                  query, nearest);
}

/* Estimates the squared distance of the k-th neighbor of a point, from the density of the agents in
 * a node: the smallest one that is near the point and has enough agents. */
float agenttree_reach2(const void *handle, const float *center, uint32_t k) {
  const struct agenttree *tree = handle;
  const int dim = (int)tree->points.dimensions;
  uint32_t index = 0;
  for (uint32_t right; (right = tree->nodes[index].right) != 0;) {
    const child_gaps gaps = child_gaps_at(&tree->nodes[index], center);
    uint32_t nearer = gaps.left2 <= gaps.right2 ? index + 1 : right;
    if (tree->nodes[nearer].end - tree->nodes[nearer].begin < 2 * points_aim(k)) break;
    index = nearer;
  }
  const uint32_t size = tree->nodes[index].end - tree->nodes[index].begin;
  return points_reach2(agenttree_box(tree, index, dim), size, center, k, dim);
}
