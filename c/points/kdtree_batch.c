/* Batch queries of the k-d tree. A group of a few dozen points near each other is processed
 * together: the points around the group are copied to one array (gathered) once. */

#include "batch.h"
#include "kdtree.h"

#include <string.h>

/* In the arrays of `nearby`, the entries from BEHIND on are reserved for visitors, which are points
 * of the caller, see take(). NEAR_ROOM is the room that remains for points of the tree. */
enum { VISITORS = 64, BEHIND = NEAR_LIMIT - VISITORS, NEAR_ROOM = BEHIND - NEAR_PADDING };

/* ---- Groups of points that are processed together ----------------------------------------- */

/* Points that are near each other: begin … end - 1 in the order of the tree. */
typedef struct kdtree_group {
  uint32_t begin, end;
  float4 lo, hi; /* the bounds, in the lanes x, y, z */
} kdtree_group;

/* Divides the points of a tree into groups, one after the other: halves ranges of points until they
 * are small enough. Visits the groups that begin in a range of points. */
typedef struct group_walk {
  const task_range *places;
  uint32_t waiting;
  kdtree_range stack[KDTREE_LEVELS + 1]; /* one per level waits; the last level adds two */
} group_walk;

static group_walk groups_start(const struct kdtree *tree, const task_range *places) {
  return (group_walk){places, tree->points.present > 0, {{0, tree->points.present, 0}}};
}

static bool groups_next(group_walk *groups, const struct kdtree *tree, kdtree_group *next) {
  const int dim = (int)tree->points.dimensions;
  while (groups->waiting) {
    const kdtree_range range = groups->stack[--groups->waiting];
    const bool isGroup = range.end - range.begin <= 2 * KDTREE_RUN;
    if (task_range_misses(groups->places, range.begin, isGroup ? range.begin : range.end - 1))
      continue;
    if (!isGroup) {
      const uint32_t middle = kdtree_middle(range.begin, range.end);
      groups->stack[groups->waiting++] = (kdtree_range){middle, range.end, 0};
      groups->stack[groups->waiting++] = (kdtree_range){range.begin, middle, 0};
    } else {
      float box[6];
      points_bounds(&tree->points, range.begin, range.end, box);
      *next = (kdtree_group){range.begin, range.end, point4(box, dim), point4(box + dim, dim)};
      return true;
    }
  }
  return false;
}

/* Starts a walk over all points of the tree that may be within reach of a group of points. */
static void walk_around(kdtree_walk *walk, const struct kdtree *tree, const kdtree_group *group,
                        float reach2, uint32_t mask) {
  const float4 reach = float4_all(reach_of(reach2));
  kdtree_walk_start(walk, tree, float4_sub(group->lo, reach), float4_add(group->hi, reach), mask);
}

static bool walk_next(kdtree_walk *walk, const struct kdtree *tree, kdtree_range *run) {
  return kdtree_walk_next(walk, tree, run, (int)tree->points.dimensions);
}

/* Returns which of the coordinates x[0] … x[3] along an axis are between walk->lo and walk->hi, as
 * a mask. */
ALWAYS_INLINE word4 within_walk(const kdtree_walk *walk, const float *x, int axis) {
  const float4 four = float4_load(x);
  return word4_and(float4_le(float4_all(walk->lo[axis]), four),
                   float4_le(four, float4_all(walk->hi[axis])));
}

/* Appends to `near` those of the points begin … end - 1 that are in the box walk->lo … walk->hi.
 * There must be room for all of them. If end <= begin, does nothing. */
OUT_OF_LINE void append_run(nearby *near, const copse_points *points, const kdtree_walk *walk,
                            uint32_t begin, uint32_t end, gather_fields fields) {
  const bool spatial = points->dimensions == 3, uniform = points->anyGroups == points->allGroups;
  float *const *axes = points->ordered.axes;
  uint32_t size = near->size;
  for (uint32_t i = begin; i < end; i += 4) {
    word4 hit = word4_and(within_walk(walk, axes[0] + i, 0), within_walk(walk, axes[1] + i, 1));
    if (spatial) hit = word4_and(hit, within_walk(walk, axes[2] + i, 2));
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

/* Gathers a group and then all other points that may be within the squared distance reach2 of it.
 * Returns reach2. If there is no room for all of them, gathers only the group and returns -1. */
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
  nearby_end(near, near->size);
  return reach2;
}

/* ---- Neighbors within a radius, of all points --------------------------------------------- */

void kdtree_all_within(const void *index, const batch_query *batch, float radius,
                       const task_range *places, row_writer *writer) {
  const struct kdtree *tree = index;
  nearby near;
  kdtree_group group;
  for (group_walk groups = groups_start(tree, places); groups_next(&groups, tree, &group);) {
    if (gather(&near, tree, batch, &group, radius * radius) >= 0) {
      batch_rows(batch, &near, 0, group.end - group.begin, NULL, radius * radius, writer);
      continue;
    }
    for (uint32_t place = group.begin; place < group.end; place++) {
      float center[3];
      points_center(&tree->points, place, center);
      batch_row_alone(batch, center, tree->points.ordered.ids[place], radius, writer);
    }
  }
}

/* ---- The k nearest neighbors, of all points ----------------------------------------------- */

void kdtree_all_neighbors(const void *index, neighbor_search *search, const task_range *places) {
  const struct kdtree *tree = index;
  expectation *expected = &search->expected;
  nearby near;
  kdtree_group group;
  for (group_walk groups = groups_start(tree, places); groups_next(&groups, tree, &group);
       expect(expected)) {
    const float wanted2 = expected->reach2 < search->max2 ? expected->reach2 : search->max2;
    const float reach2 = gather(&near, tree, &search->batch, &group, wanted2);
    batch_nearest(search, &near, 0, group.end - group.begin, NULL, reach2);
  }
}

/* ---- The k nearest, for many points of the caller ----------------------------------------- */

/* A linked list of some of the caller's points, by index: the point after point i is links[i]. All
 * lists share the array `links`. To save memory, this is the array for the results' counts:
 * links[i] is read for the last time before the number of neighbors of point i is written there. */
typedef struct point_list {
  uint32_t first, size;
} point_list;

ALWAYS_INLINE void list_push(uint32_t *links, point_list *list, uint32_t point) {
  links[point] = list->first;
  list->first = point;
  list->size++;
}

/* Removes the first point of a list that is not empty, and returns it. */
ALWAYS_INLINE uint32_t list_pop(const uint32_t *links, point_list *list) {
  const uint32_t point = list->first;
  list->first = links[point];
  list->size--;
  return point;
}

/* The points of the caller (visitors) that lie in the part of space of one range of the tree. This
 * part is bounded by the lines (in 3D planes) on which nodes above the range divide the tree. */
typedef struct range_visitors {
  kdtree_range range;
  point_list list;
} range_visitors;

/* How kdtree_neighbors_many divides a tree into ranges. Visitors of a range are the caller's points
 * that lie there.
 * - FEW: a range is divided if it has more than FEW points of the tree and more than FEW visitors.
 *   The fastest value, measured with 100,000 points.
 * - PARTS: a range is divided into up to PARTS parts at a time.
 * - CLOSE: if a range has at most CLOSE points of the tree per visitor, its visitors are processed
 *   together; otherwise a single query is made for each. Measured on uniform and clustered points:
 *   limits of 8 and a little more save time, a limit of 16 costs time.
 * - MOST_WAITING: the capacity of the stack of ranges. */
enum { FEW = 40, PARTS = 64, CLOSE = 11, MOST_WAITING = 6 * PARTS };

/* Distributes the caller's points among small ranges of the tree. The stack holds ranges, each with
 * a list of the caller's points that lie there. A range that is still large is divided when it is
 * taken from the stack. */
typedef struct point_division {
  const struct kdtree *tree;
  const float *points;
  uint32_t *links;
  uint32_t waiting;
  range_visitors stack[MOST_WAITING];
} point_division;

static void division_start(point_division *division, const struct kdtree *tree, const float *points,
                           uint32_t *links, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) links[i] = i + 1;
  division->tree = tree;
  division->points = points;
  division->links = links;
  division->waiting = 1;
  division->stack[0] = (range_visitors){{0, tree->points.present, 0}, {0, n}};
}

/* Distributes the points of the list `whole` among the parts of a range. The search for the part
 * that contains a point has no branches on coordinates: processors would often mispredict them. */
ALWAYS_INLINE void distribute(const point_division *division, point_list whole, uint32_t parts,
                              const float *lines, range_visitors *targets) {
  const uint32_t dim = division->tree->points.dimensions;
  while (whole.size) {
    const uint32_t i = list_pop(division->links, &whole);
    const float *point = division->points + (size_t)i * dim;
    uint32_t node = 1;
    while (node < parts) {
      node = 2 * node + (point[0] >= lines[node]);
      node = 2 * node + (point[1] >= lines[node]);
      if (dim == 3) node = 2 * node + (point[2] >= lines[node]);
    }
    list_push(division->links, &targets[node - parts].list, i);
  }
}

/* Divides the range on top of the stack into `parts` ranges, and distributes its list of the
 * caller's points among them. `parts` is a power of 2^dimensions. So the range is halved equally
 * often on each axis, and each part is later divided first on the same axis as the range. */
OUT_OF_LINE void divide(point_division *division, uint32_t parts) {
  const range_visitors whole = division->stack[--division->waiting];
  const copse_points *points = &division->tree->points;
  const int dim = (int)points->dimensions;
  range_visitors *targets = division->stack + division->waiting;
  /* A binary tree of ranges: node i has the children 2 * i and 2 * i + 1. */
  kdtree_range ranges[2 * PARTS];
  float lines[PARTS];
  ranges[1] = whole.range;
  for (uint32_t node = 1; node < parts; node++) {
    const kdtree_range *range = &ranges[node];
    const uint32_t middle = kdtree_middle(range->begin, range->end);
    const uint32_t next = kdtree_next_axis(range->axis, dim);
    lines[node] = points->ordered.axes[range->axis][middle];
    ranges[(size_t)2 * node] = (kdtree_range){range->begin, middle, next};
    ranges[(size_t)2 * node + 1] = (kdtree_range){middle + 1, range->end, next};
  }
  for (uint32_t part = 0; part < parts; part++)
    targets[part] = (range_visitors){ranges[parts + part], {0, 0}};
  distribute(division, whole.list, parts, lines, targets);
  division->waiting += parts;
}

/* Writes the next range that need not be divided, because it is small, or because few of the
 * caller's points lie there. Returns false at the end. */
static bool division_next(point_division *division, range_visitors *next) {
  while (division->waiting) {
    *next = division->stack[division->waiting - 1];
    const uint32_t size = next->list.size, inside = next->range.end - next->range.begin;
    uint32_t parts = 1;
    while (parts < PARTS && parts * FEW < size && parts * FEW < inside)
      parts <<= division->tree->points.dimensions;
    if (parts == 1) {
      division->waiting--;
      return true;
    }
    divide(division, parts);
  }
  return false;
}

/* Removes up to VISITORS of the caller's points from a list, and copies them to the entries of
 * `near` from BEHIND on. Writes their bounds to *bounds, whose begin and end are 0, because these
 * points are not in the tree. Returns the number of points removed. */
static uint32_t take(const point_division *division, point_list *list, nearby *near,
                     kdtree_group *bounds) {
  const uint32_t dim = division->tree->points.dimensions;
  uint32_t size = 0;
  *bounds = (kdtree_group){0, 0, float4_all(INFINITY), float4_all(-INFINITY)};
  for (; size < VISITORS && list->size; size++) {
    WORKED(1);
    const uint32_t row = list_pop(division->links, list);
    const float *point = division->points + (size_t)row * dim;
    const float4 lanes = point4(point, (int)dim);
    bounds->lo = float4_min(bounds->lo, lanes);
    bounds->hi = float4_max(bounds->hi, lanes);
    for (uint32_t axis = 0; axis < dim; axis++) near->axes[axis][BEHIND + size] = point[axis];
    near->ids[BEHIND + size] = row;
  }
  return size;
}

void kdtree_neighbors_many(const void *index, neighbor_search *search, const float *points,
                           uint32_t n) {
  const struct kdtree *tree = index;
  const bool one = search->k == 1 && search->batch.plain;
  nearby near;
  point_division division;
  range_visitors visitors;
  division_start(&division, tree, points, search->rows->counts, n);
  while (division_next(&division, &visitors)) {
    point_list *list = &visitors.list;
    const bool close = visitors.range.end - visitors.range.begin <= CLOSE * list->size;
    while (list->size) {
      kdtree_group bounds;
      const uint32_t size = take(&division, list, &near, &bounds);
      const float expected2 = search->expected.reach2;
      float reach2 = expected2 < search->max2 ? expected2 : search->max2;
      near.size = 0;
      reach2 = close ? gather(&near, tree, &search->batch, &bounds, reach2) : -1;
      if (one)
        batch_nearest_one(search, &near, BEHIND, size, reach2);
      else
        batch_nearest(search, &near, BEHIND, size, NULL, reach2);
      expect(&search->expected);
    }
  }
}

/* ---- Pairs -------------------------------------------------------------------------------- */

/* Finds the pairs of nearby points whose first point is in this group. The first point of a pair is
 * the one that comes earlier in the order of the tree. */
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
  for (group_walk groups = groups_start(tree, NULL); groups_next(&groups, tree, &group);)
    group_pairs(tree, batch, &group, &near, search);
}
