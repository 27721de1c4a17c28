/* Batch queries of the k-d tree: the few points of a run are answered together, from one copy of
 * what is around them. */

#include "batch.h"
#include "kdtree.h"

#include <string.h>

/* How many can be gathered, so that behind them there is room for others. */
enum { VISITORS = 64, BEHIND = NEAR_LIMIT - VISITORS, NEAR_ROOM = BEHIND - NEAR_PADDING };

/* ---- Groups ------------------------------------------------------------------------------- */

/* Some points that follow each other in the order of the tree, none of them far from the others. */
typedef struct kdtree_group {
  uint32_t begin, end;
  float4 lo, hi; /* its bounds, in the lanes x, y, z */
} kdtree_group;

/* The tree is halved until what is left is as small as what a query scans: each is a group. */
typedef struct group_walk {
  uint32_t waiting;
  kdtree_range stack[KDTREE_LEVELS];
} group_walk;

static group_walk groups_start(const struct kdtree *tree) {
  return (group_walk){tree->points.present > 0, {{0, tree->points.present, 0}}};
}

static bool groups_next(group_walk *groups, const struct kdtree *tree, kdtree_group *next) {
  const int dim = (int)tree->points.dimensions;
  if (!groups->waiting) return false;
  kdtree_range range = groups->stack[--groups->waiting];
  while (range.end - range.begin > 2 * KDTREE_RUN) {
    const uint32_t middle = kdtree_middle(range.begin, range.end);
    groups->stack[groups->waiting++] = (kdtree_range){middle, range.end, 0};
    range.end = middle;
  }
  float box[6];
  points_bounds(&tree->points, range.begin, range.end, box);
  *next = (kdtree_group){range.begin, range.end, point4(box, dim), point4(box + dim, dim)};
  return true;
}

/* Begins a walk over all within reach of a group. */
static void walk_around(kdtree_walk *walk, const struct kdtree *tree, const kdtree_group *group,
                        float reach2, uint32_t mask) {
  const float4 reach = float4_all(reach_of(reach2));
  kdtree_walk_start(walk, tree, float4_sub(group->lo, reach), float4_add(group->hi, reach), mask);
}

static bool walk_next(kdtree_walk *walk, const struct kdtree *tree, kdtree_range *run) {
  return kdtree_walk_next(walk, tree, run, (int)tree->points.dimensions);
}

/* Which of four coordinates a walk may meet. */
ALWAYS_INLINE word4 on_the_way(const kdtree_walk *walk, const float *x, int axis) {
  const float4 four = float4_load(x);
  return word4_and(float4_le(float4_all(walk->lo[axis]), four),
                   float4_le(four, float4_all(walk->hi[axis])));
}

/* Appends those of a run that are in the box of a walk; there must be room for all. */
OUT_OF_LINE void append_run(nearby *near, const copse_points *points, const kdtree_walk *walk,
                            uint32_t begin, uint32_t end, gather_fields fields) {
  const bool spatial = points->dimensions == 3, uniform = points->anyGroups == points->allGroups;
  float *const *axes = points->ordered.axes;
  uint32_t size = near->size;
  for (uint32_t i = begin; i < end; i += 4) {
    word4 hit = word4_and(on_the_way(walk, axes[0] + i, 0), on_the_way(walk, axes[1] + i, 1));
    if (spatial) hit = word4_and(hit, on_the_way(walk, axes[2] + i, 2));
    const uint32_t bits = word4_bits(hit) & scan_in_run(i, end);
    float4_store_packed(near->axes[0] + size, float4_load(axes[0] + i), bits);
    float4_store_packed(near->axes[1] + size, float4_load(axes[1] + i), bits);
    if (spatial) float4_store_packed(near->axes[2] + size, float4_load(axes[2] + i), bits);
    const word4 ids =
        fields == GATHER_PLACES ? word4_count_from(i) : word4_load(points->ordered.ids + i);
    word4_store_packed(near->ids + size, ids, bits);
    if (fields == GATHER_IDS_AND_GROUPS)
      word4_store_packed(
          near->groups + size,
          uniform ? word4_all(points->anyGroups) : word4_load(points->ordered.groups + i), bits);
    size += bits_count(bits);
  }
  near->size = size;
}

/* Gathers a group and then all others that may be within reach; answers with that. -1: there is no
 * room, and the group is all that is gathered. */
static float gather(nearby *near, const struct kdtree *tree, const batch_query *batch,
                    const kdtree_group *group, float reach2) {
  const copse_points *points = &tree->points;
  const gather_fields fields = batch->plain ? GATHER_IDS : GATHER_IDS_AND_GROUPS;
  kdtree_walk walk;
  kdtree_range run;
  near->size = 0;
  walk_around(&walk, tree, group, reach2, COPSE_ALL_GROUPS);
  append_run(near, points, &walk, group->begin, group->end, fields);
  while (reach2 >= 0 && walk_next(&walk, tree, &run)) {
    const uint32_t past = run.begin > group->end ? run.begin : group->end;
    const uint32_t before = run.end < group->begin ? run.end : group->begin;
    if (run.end - run.begin > NEAR_ROOM - near->size) {
      near->size = group->end - group->begin;
      reach2 = -1;
    } else {
      append_run(near, points, &walk, run.begin, before, fields);
      append_run(near, points, &walk, past, run.end, fields);
    }
  }
  nearby_end(near);
  return reach2;
}

/* ---- All within --------------------------------------------------------------------------- */

void kdtree_all_within(const void *index, const batch_query *batch, float radius,
                       row_writer *writer) {
  const struct kdtree *tree = index;
  nearby near;
  kdtree_group group;
  for (group_walk groups = groups_start(tree); groups_next(&groups, tree, &group);) {
    if (gather(&near, tree, batch, &group, radius * radius) >= 0) {
      batch_rows(batch, &near, 0, group.end - group.begin, radius * radius, writer);
      continue;
    }
    for (uint32_t place = group.begin; place < group.end; place++) {
      float center[3];
      points_center(&tree->points, place, center);
      batch_row_alone(batch, center, tree->points.ordered.ids[place], radius, writer);
    }
  }
}

/* ---- All neighbors ------------------------------------------------------------------------ */

void kdtree_all_neighbors(const void *index, neighbor_search *search) {
  const struct kdtree *tree = index;
  expectation *expected = &search->expected;
  nearby near;
  kdtree_group group;
  for (group_walk groups = groups_start(tree); groups_next(&groups, tree, &group);
       expect(expected)) {
    const float wanted2 = expected->reach2 < search->max2 ? expected->reach2 : search->max2;
    const float reach2 = gather(&near, tree, &search->batch, &group, wanted2);
    batch_nearest(search, &near, 0, group.end - group.begin, reach2);
  }
}

/* ---- The nearest of many points ----------------------------------------------------------- */

/* Points of the caller that the lines of the tree lead to the same range: so many, linked through
 * the counts of their rows, which are written last. */
typedef struct visitors {
  kdtree_range range;
  uint32_t first, size;
} visitors;

/* The ranges are divided, by up to PARTS at once, until no more than FEW visit each: at 100,000
 * points that gave the fastest groups. They are answered together where there are no more than
 * CLOSE points of the tree for each: measured, uniform and clustered, that gains from 8 on and
 * loses at 16. */
enum { FEW = 40, PARTS = 64, CLOSE = 11, MOST_WAITING = 6 * PARTS };

typedef struct asking {
  const struct kdtree *tree;
  const float *points;
  uint32_t *next; /* of each point */
  uint32_t waiting;
  visitors stack[MOST_WAITING];
} asking;

static void asking_start(asking *all, const struct kdtree *tree, const float *points,
                         uint32_t *next, uint32_t n) {
  all->tree = tree;
  all->points = points;
  all->next = next;
  all->waiting = 1;
  all->stack[0] = (visitors){{0, tree->points.present, 0}, 0, n};
}

/* Hands those that visit a range on to its parts. Which way a point goes is no branch, so that the
 * processor need not guess it. */
ALWAYS_INLINE void hand_on(const asking *all, const visitors *whole, uint32_t parts,
                           const float *lines, visitors *to) {
  const uint32_t dim = all->tree->points.dimensions;
  for (uint32_t left = whole->size, i = whole->first; left; left--) {
    const float *point = all->points + (size_t)i * dim;
    const uint32_t next = all->next[i];
    uint32_t node = 1;
    while (node < parts) {
      node = 2 * node + (point[0] >= lines[node]);
      node = 2 * node + (point[1] >= lines[node]);
      if (dim == 3) node = 2 * node + (point[2] >= lines[node]);
    }
    visitors *some = &to[node - parts];
    all->next[i] = some->first;
    some->first = i;
    some->size++;
    i = next;
  }
}

/* Divides those that wait on top of the stack, by as many levels of the tree as bring it back to
 * the first axis. */
OUT_OF_LINE void divide(asking *all, uint32_t parts) {
  const visitors whole = all->stack[--all->waiting];
  const copse_points *tree = &all->tree->points;
  const int dim = (int)tree->dimensions;
  visitors *to = all->stack + all->waiting;
  kdtree_range ranges[2 * PARTS];
  float lines[PARTS];
  ranges[1] = whole.range;
  for (uint32_t node = 1; node < parts; node++) {
    const kdtree_range *range = &ranges[node];
    const uint32_t middle = kdtree_middle(range->begin, range->end);
    const uint32_t next = kdtree_next_axis(range->axis, dim);
    lines[node] = tree->ordered.axes[range->axis][middle];
    ranges[(size_t)2 * node] = (kdtree_range){range->begin, middle, next};
    ranges[(size_t)2 * node + 1] = (kdtree_range){middle + 1, range->end, next};
  }
  for (uint32_t part = 0; part < parts; part++) to[part] = (visitors){ranges[parts + part], 0, 0};
  hand_on(all, &whole, parts, lines, to);
  all->waiting += parts;
}

/* The next few; false: no more. */
static bool asking_next(asking *all, visitors *some) {
  while (all->waiting) {
    *some = all->stack[all->waiting - 1];
    const uint32_t inside = some->range.end - some->range.begin;
    uint32_t parts = 1;
    while (parts < PARTS && parts * FEW < some->size && parts * FEW < inside)
      parts <<= all->tree->points.dimensions;
    if (parts == 1) {
      all->waiting--;
      return true;
    }
    divide(all, parts);
  }
  return false;
}

/* Takes some of those that visit a range behind what can be gathered, as if they were gathered too;
 * their bounds are those of a group that no agent is in. */
static uint32_t take(const asking *all, visitors *some, nearby *near, kdtree_group *bounds) {
  const uint32_t dim = all->tree->points.dimensions;
  uint32_t size = 0;
  *bounds = (kdtree_group){0, 0, float4_all(INFINITY), float4_all(-INFINITY)};
  for (; size < VISITORS && some->size; some->size--, size++) {
    const uint32_t row = some->first;
    const float *point = all->points + (size_t)row * dim;
    const float4 lanes = point4(point, (int)dim);
    bounds->lo = float4_min(bounds->lo, lanes);
    bounds->hi = float4_max(bounds->hi, lanes);
    for (uint32_t axis = 0; axis < dim; axis++) near->axes[axis][BEHIND + size] = point[axis];
    near->ids[BEHIND + size] = row;
    some->first = all->next[row];
  }
  return size;
}

void kdtree_nearest_many(const void *index, neighbor_search *search, const float *points,
                         uint32_t n) {
  const struct kdtree *tree = index;
  const bool one = search->k == 1 && search->batch.plain;
  nearby near;
  asking left;
  visitors some;
  for (uint32_t i = 0; i < n; i++) search->rows->counts[i] = i + 1;
  asking_start(&left, tree, points, search->rows->counts, n);
  while (asking_next(&left, &some)) {
    const bool close = some.range.end - some.range.begin <= CLOSE * some.size;
    while (some.size) {
      kdtree_group bounds;
      const uint32_t size = take(&left, &some, &near, &bounds);
      const float expected2 = search->expected.reach2;
      float reach2 = expected2 < search->max2 ? expected2 : search->max2;
      near.size = 0;
      reach2 = close ? gather(&near, tree, &search->batch, &bounds, reach2) : -1;
      if (one)
        batch_nearest_one(search, &near, BEHIND, size, reach2);
      else
        batch_nearest(search, &near, BEHIND, size, reach2);
      expect(&search->expected);
    }
  }
}

/* ---- Pairs -------------------------------------------------------------------------------- */

/* Pairs a group with those that come later in the order of the tree. */
static void group_pairs(const struct kdtree *tree, const batch_query *batch,
                        const kdtree_group *group, nearby *near, pair_search *search) {
  const float reach2 = pairing_reach2(search, batch, group->begin, group->end);
  kdtree_walk walk;
  kdtree_range run;
  near->size = 0;
  walk_around(&walk, tree, group, reach2, batch->query.mask);
  while (walk_next(&walk, tree, &run)) {
    if (run.end - run.begin > NEAR_ROOM - near->size)
      batch_pairs(batch, group->begin, group->end, near, search);
    const uint32_t begin = run.begin > group->begin ? run.begin : group->begin;
    append_run(near, batch->points, &walk, begin, run.end, GATHER_PLACES);
  }
  batch_pairs(batch, group->begin, group->end, near, search);
}

void kdtree_pairs(const void *index, const batch_query *batch, pair_search *search) {
  const struct kdtree *tree = index;
  nearby near;
  kdtree_group group;
  for (group_walk groups = groups_start(tree); groups_next(&groups, tree, &group);)
    group_pairs(tree, batch, &group, &near, search);
}
