/* Batch queries of the k-d tree: the few points of a run are answered together, from one copy of
 * what is around them. */

#include "batch.h"
#include "kdtree.h"

#include <string.h>

/* ---- Groups ------------------------------------------------------------------------------- */

/* Some points that follow each other in the order of the tree, none of them far from the others. */
typedef struct group {
  uint32_t begin, end;
  float4 lo, hi; /* its bounds, in the lanes x, y, z */
} group;

/* The tree is halved until what is left is as small as what a query scans: each is a group. */
typedef struct groups {
  uint32_t waiting;
  kdtree_range stack[KDTREE_LEVELS];
} groups;

static groups groups_start(const copse_kdtree *tree) {
  return (groups){tree->agents.present > 0, {{0, tree->agents.present, 0}}};
}

static bool groups_next(groups *all, const copse_kdtree *tree, group *next) {
  const int dim = (int)tree->agents.dimensions;
  if (!all->waiting) return false;
  kdtree_range range = all->stack[--all->waiting];
  while (range.end - range.begin > 2 * KDTREE_RUN) {
    const uint32_t middle = kdtree_middle(range.begin, range.end);
    all->stack[all->waiting++] = (kdtree_range){middle, range.end, 0};
    range.end = middle;
  }
  float box[6];
  agents_bounds(&tree->agents, range.begin, range.end, box);
  *next = (group){range.begin, range.end, point4(box, dim), point4(box + dim, dim)};
  return true;
}

/* Begins a walk over all within reach of a group. */
static void walk_around(kdtree_walk *walk, const copse_kdtree *tree, const group *some,
                        float reach2, uint32_t mask) {
  const float4 reach = float4_all(reach_of(reach2));
  kdtree_walk_start(walk, tree, float4_sub(some->lo, reach), float4_add(some->hi, reach), mask);
}

/* Appends a run, for which there must be room. */
ALWAYS_INLINE void append_run_in(nearby *near, const agents *all, uint32_t begin, uint32_t end,
                                 gather_what what, const int dim) {
  const bool uniform = all->anyGroups == all->allGroups;
  for (uint32_t i = begin, to = near->size; i < end; i += 4, to += 4) {
    EACH_AXIS (axis, dim)
      float4_store(near->axes[axis] + to, float4_load(all->points.axes[axis] + i));
    word4_store(near->ids + to,
                what == GATHER_PLACES ? word4_count_from(i) : word4_load(all->points.ids + i));
    if (what == GATHER_IDS_AND_GROUPS)
      word4_store(near->groups + to,
                  uniform ? word4_all(all->anyGroups) : word4_load(all->points.groups + i));
  }
  near->size += end - begin;
}

static void append_run(nearby *near, const agents *all, uint32_t begin, uint32_t end,
                       gather_what what) {
  if (all->dimensions == 3)
    append_run_in(near, all, begin, end, what, 3);
  else
    append_run_in(near, all, begin, end, what, 2);
}

/* Gathers a group and then all others that may be within reach; false: there is no room. */
ALWAYS_INLINE bool gather_in(nearby *near, const copse_kdtree *tree, const batch *asked,
                             const group *some, float reach2, const int dim) {
  const agents *all = &tree->agents;
  const gather_what what = asked->plain ? GATHER_IDS : GATHER_IDS_AND_GROUPS;
  kdtree_walk walk;
  kdtree_range run;
  near->size = 0;
  append_run(near, all, some->begin, some->end, what);
  walk_around(&walk, tree, some, reach2, COPSE_ALL_GROUPS);
  while (kdtree_walk_next(&walk, tree, &run, dim)) {
    if (run.end - run.begin > NEAR_LIMIT - near->size) return false;
    const uint32_t past = run.begin > some->end ? run.begin : some->end;
    const uint32_t before = run.end < some->begin ? run.end : some->begin;
    if (run.begin < before) append_run(near, all, run.begin, before, what);
    if (past < run.end) append_run(near, all, past, run.end, what);
  }
  nearby_end(near);
  return true;
}

SMALL_CODE OUT_OF_LINE bool gather(nearby *near, const copse_kdtree *tree, const batch *asked,
                                   const group *some, float reach2) {
  return tree->agents.dimensions == 3 ? gather_in(near, tree, asked, some, reach2, 3)
                                      : gather_in(near, tree, asked, some, reach2, 2);
}

/* ---- All within --------------------------------------------------------------------------- */

copse_status copse_kdtree_all_within(const copse_kdtree *tree, float radius,
                                     const copse_query *query, const uint32_t *masks,
                                     copse_rows *rows) {
  batch asked;
  if (!batch_init(&asked, &tree->agents, query, masks) || !query_radius_ok(radius))
    return COPSE_INVALID_ARGUMENT;
  const agents *all = &tree->agents;
  nearby near;
  row_writer to;
  group some;
  rows_start(&to, rows, batch_row_count(all), all->present);
  for (groups left = groups_start(tree); groups_next(&left, tree, &some);) {
    if (gather(&near, tree, &asked, &some, radius * radius)) {
      batch_rows(&asked, &near, 0, some.end - some.begin, radius * radius, &to);
      continue;
    }
    for (uint32_t place = some.begin; place < some.end; place++) {
      float center[3];
      agents_center(all, place, center);
      batch_row_alone(&asked, center, all->points.ids[place], radius, &to);
    }
  }
  rows_end(&to, rows);
  return COPSE_OK;
}

copse_status copse_kdtree_within_many(const copse_kdtree *tree, const float *points, uint32_t n,
                                      float radius, const copse_query *query, copse_rows *rows) {
  batch asked;
  return batch_init(&asked, &tree->agents, query, NULL)
             ? batch_within_many(&asked, points, n, radius, rows)
             : COPSE_INVALID_ARGUMENT;
}

/* ---- All neighbors ------------------------------------------------------------------------ */

copse_status copse_kdtree_all_neighbors(const copse_kdtree *tree, uint32_t k,
                                        const copse_query *query, const uint32_t *masks,
                                        copse_neighbor_rows *rows) {
  batch asked;
  const agents *all = &tree->agents;
  const uint32_t count = batch_row_count(all);
  if (!batch_init(&asked, &tree->agents, query, masks) || !query_radius_ok(asked.query.maxDistance))
    return COPSE_INVALID_ARGUMENT;
  if (count) memset(rows->counts, 0, count * sizeof(uint32_t));
  if (!k) return COPSE_OK;
  const float max2 = asked.query.maxDistance * asked.query.maxDistance;
  nearby near;
  row_queue queue;
  group some;
  queue.size = 0;
  expectation expected = expectation_start(k, all->dimensions);
  for (groups left = groups_start(tree); groups_next(&left, tree, &some); expect(&expected)) {
    const float reach2 = expected.reach2 < max2 ? expected.reach2 : max2;
    if (reach2 > 0 && gather(&near, tree, &asked, &some, reach2)) {
      batch_nearest(&asked, &near, 0, some.end - some.begin, k, reach2, &expected, &queue, rows);
      continue;
    }
    for (uint32_t place = some.begin; place < some.end; place++) {
      float center[3];
      agents_center(all, place, center);
      batch_nearest_alone(&asked, center, all->points.ids[place], k, &expected, rows);
    }
  }
  row_queue_empty(&queue, k, rows);
  return COPSE_OK;
}

copse_status copse_kdtree_nearest_many(const copse_kdtree *tree, const float *points, uint32_t n,
                                       uint32_t k, const copse_query *query,
                                       copse_neighbor_rows *rows) {
  batch asked;
  return batch_init(&asked, &tree->agents, query, NULL)
             ? batch_nearest_many(&asked, points, n, k, rows)
             : COPSE_INVALID_ARGUMENT;
}

/* ---- Pairs -------------------------------------------------------------------------------- */

/* Pairs a group with those that come later in the order of the tree. */
ALWAYS_INLINE void group_pairs_in(const copse_kdtree *tree, const batch *asked, const group *some,
                                  nearby *near, pairing *to, const int dim) {
  const float reach2 = pairing_reach2(to, asked, some->begin, some->end);
  kdtree_walk walk;
  kdtree_range run;
  near->size = 0;
  walk_around(&walk, tree, some, reach2, asked->query.mask);
  while (kdtree_walk_next(&walk, tree, &run, dim)) {
    if (run.end - run.begin > NEAR_LIMIT - near->size)
      batch_pairs(asked, some->begin, some->end, near, to);
    const uint32_t begin = run.begin > some->begin ? run.begin : some->begin;
    if (begin < run.end) append_run(near, asked->agents, begin, run.end, GATHER_PLACES);
  }
  batch_pairs(asked, some->begin, some->end, near, to);
}

SMALL_CODE OUT_OF_LINE void group_pairs(const copse_kdtree *tree, const batch *asked,
                                        const group *some, nearby *near, pairing *to) {
  if (tree->agents.dimensions == 3)
    group_pairs_in(tree, asked, some, near, to, 3);
  else
    group_pairs_in(tree, asked, some, near, to, 2);
}

copse_status copse_kdtree_pairs(const copse_kdtree *tree, float distance, const float *radii,
                                const copse_query *query, copse_results *results) {
  batch asked;
  pairing to;
  if (!batch_init(&asked, &tree->agents, query, NULL) ||
      !pairing_start(&to, &asked, distance, radii, results))
    return COPSE_INVALID_ARGUMENT;
  nearby near;
  group some;
  for (groups left = groups_start(tree); groups_next(&left, tree, &some);)
    group_pairs(tree, &asked, &some, &near, &to);
  pairing_end(&to);
  return COPSE_OK;
}
