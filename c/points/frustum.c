/* Frustum queries: the agents inside planes, such as those that a camera sees. In 3D only.
 *
 * Not one of the functions of points_type, so that a program that never makes such a query does not
 * link the code. */

#include "agenttree.h"

#include "../base/geom.h"
#include "../base/query.h"

/* Appends those of the agents begin … end - 1 that are inside all planes to the results. */
static void scan_planes(const scan_points *ordered, uint32_t begin, uint32_t end,
                        const float *planes, uint32_t count, const scan_filter *filter,
                        copse_results *results) {
  float *const *axes = ordered->axes;
  const float *const sides[6] = {axes[0], axes[1], axes[2], axes[0], axes[1], axes[2]};
  for (uint32_t i = begin; i < end; i += 4) {
    const word4 hit = scan_in_planes4(sides, i, planes, count);
    const uint32_t bits = scan_filter4(ordered, i, end, filter, hit);
    scan_append(results, word4_load(ordered->ids + i), float4_all(0), bits);
  }
}

/* Appends the agents of an agent tree that are inside all planes to the results. Returns the number
 * of nodes visited. */
static uint32_t collect(const struct agenttree *tree, const float *planes, uint32_t count,
                        const copse_query *query, copse_results *results) {
  uint32_t stack[COPSE_MAX_DEPTH + 1] = {0}, visits = 0;
  uint32_t waiting = box_in_planes(tree->bounds, planes, count);
  while (waiting) {
    const uint32_t index = stack[--waiting];
    const agenttree_node *node = &tree->nodes[index];
    visits++;
    if (node->right) {
      for (int right = 1; right >= 0; right--) {
        const uint32_t child = right ? node->right : index + 1;
        stack[waiting] = child;
        waiting += tree->nodes[child].anyGroups & query->mask &&
                   box_in_planes(agenttree_box(tree, child, 3), planes, count);
      }
    } else {
      const scan_filter filter = agenttree_filter(node, query);
      scan_planes(&tree->points.ordered, node->begin, node->end, planes, count, &filter, results);
    }
  }
  return visits;
}

copse_status copse_points_frustum(const copse_points *points, const float *planes, uint32_t count,
                                  const copse_query *query, copse_results *results) {
  const copse_query effective = query_or_default(query);
  if (!query_results_ok(&effective, results, false) || points->dimensions != 3 ||
      !points_are_flat(points) || !query_planes_ok(planes, count))
    return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  /* Writes no distances, even if the caller passed an array for them. */
  copse_results ids = *results;
  ids.distances2 = NULL;
  if (!points_have(points, effective.mask)) {
    /* nothing to find */
  } else if (points->type->kind == SNAPSHOT_AGENTTREE) {
    ids.visits = collect((const struct agenttree *)points, planes, count, &effective, &ids);
  } else {
    const scan_filter filter = points_filter(points, &effective);
    scan_planes(&points->ordered, 0, points->present, planes, count, &filter, &ids);
    ids.visits = 1;
  }
  query_sort(&effective, &ids);
  results->total = ids.total;
  results->visits = ids.visits;
  return COPSE_OK;
}
