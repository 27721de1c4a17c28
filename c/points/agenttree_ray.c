/* Rays through the agent tree. The search descends to the child that the ray reaches first, and
 * visits the other child later. It ends when all remaining nodes lie beyond the first hit. */

#include "agenttree.h"

#include "ray.h"

ALWAYS_INLINE uint32_t cast(const struct agenttree *tree, const scan_ray *ray,
                            const copse_query *query, copse_hit *hit, const int dim) {
  struct {
    uint32_t index;
    float time;
  } stack[COPSE_MAX_DEPTH];
  uint32_t waiting = 0, visits = 0, index = 0;
  const ray4 along = ray4_of(ray, dim);
  if (!points_have(&tree->points, query->mask)) return 0;
  for (;;) {
    const agenttree_node *node = &tree->nodes[index];
    uint32_t enter = 0;
    visits++;
    if (node->anyGroups & query->mask) {
      if (node->right) {
        float times[4];
        const uint32_t left = index + 1, right = node->right;
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
        const scan_filter filter = agenttree_filter(node, query);
        points_scan_ray(&tree->points, node->begin, node->end, ray, &filter, hit);
      }
    }
    /* Also visits a node that the ray reaches exactly at the hit: an agent in it can be hit equally
     * early and have a lower id, which wins the tie. */
    while (!enter) {
      if (!waiting) return visits;
      index = stack[--waiting].index;
      enter = stack[waiting].time <= hit->fraction;
    }
  }
}

uint32_t agenttree_cast(const void *index, const scan_ray *ray, const copse_query *query,
                        copse_hit *hit) {
  const struct agenttree *tree = index;
  return WITH_DIM(tree->points.dimensions, cast, tree, ray, query, hit);
}
