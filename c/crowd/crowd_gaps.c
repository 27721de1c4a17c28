/* The neighbors of all agents, for a step of a crowd whose agents differ in radius.
 *
 * What an agent must avoid first is not whose center is nearest, but whose border is: the gap
 * between two agents is the distance of their centers less both radii. So in such a crowd, an
 * agent's neighbors are those with the smallest gaps. They are found in the tree of centers: each
 * node also knows the radius of its widest agent, and can be skipped if even that would be too far
 * away. So a few large agents slow down only searches near them. */

#include "../base/geom.h"
#include "../base/scan.h"
#include "../points/agenttree.h"
#include "crowd.h"

/* The tests before crowd_gap_of are a little wider than exact, by this fraction of the numbers that
 * are added up, because they round. */
static const float SLACK = 1e-5f;

/* Writes to crowd->widest, for each node, the radius of its widest agent. Children come after their
 * parents. */
static void put_widest(copse_crowd *crowd, const struct agenttree *tree) {
  for (uint32_t index = tree->nodeCount; index-- > 0;) {
    const agenttree_node *node = &tree->nodes[index];
    float widest = 0;
    if (node->right)
      widest = fmaxf(crowd->widest[index + 1], crowd->widest[node->right]);
    else
      for (uint32_t place = node->begin; place < node->end; place++)
        widest = fmaxf(widest, crowd->radii[place]);
    crowd->widest[index] = widest;
  }
}

/* An agent that searches. Its `limit` is the largest gap that can still count, and `nearest` holds
 * gaps in place of squared distances. */
typedef struct gap_search {
  const copse_crowd *crowd;
  const orca_body *own;
  float center[3];
  float distance; /* the agent's neighborDistance */
  scan_nearest nearest;
} gap_search;

/* Returns a distance beyond which no center of an agent of at most this radius can count. Negative:
 * not even one at the same point. */
ALWAYS_INLINE float reach_of_gaps(const gap_search *search, float radius) {
  const float limit = search->nearest.limit2, radii = search->own->radius + radius;
  return limit + radii + SLACK * ((limit < 0 ? -limit : limit) + radii) + 1e-17f;
}

/* Offers the agents of a leaf. */
ALWAYS_INLINE void scan_gaps(gap_search *search, const struct agenttree *tree,
                             const agenttree_node *leaf, const scan_filter *filter, float reach,
                             const int dim) {
  const scan_points *points = &tree->points.ordered;
  const float *radii = search->crowd->radii;
  const scan_center center = scan_center_at(search->center, dim);
  const float4 reach2 = float4_all(reach * reach);
  for (uint32_t i = leaf->begin; i < leaf->end; i += 4) {
    const float4 distances2 = scan_distance2(points, i, &center, dim);
    uint32_t bits = scan_filter4(points, i, leaf->end, filter, float4_le(distances2, reach2));
    if (!bits) continue;
    float lanes[4];
    float4_store(lanes, distances2);
    for (uint32_t lane = 0; lane < 4; lane++) {
      if (!(bits >> lane & 1)) continue;
      const float radius = radii[i + lane];
      if (!crowd_is_in_range(lanes[lane], search->distance, search->own->radius, radius)) continue;
      const float gap = crowd_gap_of(lanes[lane], search->own->radius, radius);
      if (gap <= search->nearest.limit2) scan_offer(&search->nearest, gap, points->ids[i + lane]);
    }
  }
}

ALWAYS_INLINE void search_gaps_in(gap_search *search, const struct agenttree *tree,
                                  const copse_query *query, const int dim) {
  uint32_t stack[COPSE_MAX_DEPTH + 1], waiting = 1;
  stack[0] = 0;
  while (waiting) {
    const uint32_t index = stack[--waiting];
    WORKED(1);
    const agenttree_node *node = &tree->nodes[index];
    const float reach = reach_of_gaps(search, search->crowd->widest[index]);
    if (reach < 0 || !(node->anyGroups & query->mask)) continue;
    if (!(box_gap2(agenttree_box(tree, index, dim), search->center, dim) <= reach * reach))
      continue;
    if (node->right) {
      const child_gaps gaps = child_gaps_at(node, search->center);
      const bool leftFirst = gaps.left2 <= gaps.right2;
      stack[waiting++] = leftFirst ? node->right : index + 1;
      stack[waiting++] = leftFirst ? index + 1 : node->right;
    } else {
      const scan_filter filter = agenttree_filter(node, query);
      scan_gaps(search, tree, node, &filter, reach, dim);
    }
  }
}

DEFINE_PAIR_VOID(void, search_gaps,
                 (gap_search *const search, const struct agenttree *tree, const copse_query *query),
                 search, tree, query)

/* Writes the list of an agent, nearest first. */
static void list_gaps(copse_crowd *crowd, const struct agenttree *tree, uint32_t slot) {
  const uint32_t dim = crowd->def.dimensions;
  const size_t row = (size_t)slot * crowd->stride;
  const orca_body *own = &crowd->bodies[slot];
  const float distance = crowd_number(crowd, FIELD_NEIGHBOR_DISTANCE, slot);
  gap_search search = {.crowd = crowd,
                       .own = own,
                       .center = {own->position[0], own->position[1], dim == 3 ? own->z : 0},
                       .distance = distance,
                       .nearest = {.heap = {crowd->lists.distances2 + row, crowd->lists.ids + row},
                                   .k = crowd_neighbor_limit(crowd, slot),
                                   .limit2 = distance}};
  copse_query query = copse_query_default();
  query.mask = crowd_whole(crowd, FIELD_MASK)[slot];
  query.exclude = slot;
  if (search.nearest.k) CALL_PAIR(dim, search_gaps, &search, tree, &query);
  heap_sort(search.nearest.heap, search.nearest.size, BY_DISTANCE);
  crowd->counts[slot] = search.nearest.size;
}

void crowd_read_radii(copse_crowd *crowd) {
  const struct agenttree *tree = (const struct agenttree *)crowd->tree;
  for (uint32_t place = 0; place < crowd->tree->present; place++)
    crowd->radii[place] = crowd->bodies[crowd->tree->ordered.ids[place]].radius;
  put_widest(crowd, tree);
}

void crowd_list_gaps(copse_crowd *crowd, task_range places) {
  const struct agenttree *tree = (const struct agenttree *)crowd->tree;
  for (uint32_t place = places.begin; place < places.end; place++)
    list_gaps(crowd, tree, crowd->tree->ordered.ids[place]);
}
