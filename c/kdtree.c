/* The k-d tree: its memory, the caller's buffers, debug and snapshots. Building and querying have
 * files of their own; kdtree.h says what the tree is. */

#include "kdtree.h"

#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------ */

static void carve(void *index, arena *block) {
  copse_kdtree *tree = index;
  const uint64_t capacity = tree->agents.capacity;
  if (tree->builder != COPSE_BUILDER_PRESORT) return;
  tree->room.keys = arena_carve(block, 2 * capacity, sizeof(uint64_t));
  for (uint32_t axis = 0; axis < tree->agents.dimensions; axis++)
    tree->room.orders[axis] = arena_carve(block, capacity, sizeof(uint32_t));
}

/* The order of the points is all there is. */
static void keep(void *larger, const void *index) {
  (void)larger;
  (void)index;
}
static void options(const void *index, uint32_t words[INDEX_OPTIONS]) {
  (void)index;
  (void)words;
}

static const index_type KDTREE = {
    .kind = SNAPSHOT_KDTREE,
    .bytes = sizeof(copse_kdtree),
    .carve = carve,
    .keep = keep,
    .build = kdtree_build,
    .options = options,
    .collect = kdtree_collect,
    .nearest = kdtree_nearest,
    .neighbors = kdtree_neighbors,
    .reach2 = kdtree_reach2,
};
_Static_assert(sizeof(copse_kdtree) <= INDEX_BYTES, "see any_index");

/* A tree that has no memory yet. */
static copse_kdtree bare(const copse_kdtree_def *def) {
  return (copse_kdtree){.agents = {.type = &KDTREE,
                                   .dimensions = def->dimensions,
                                   .capacity = def->capacity,
                                   .layout = def->layout,
                                   .onNonFinite = def->onNonFinite,
                                   .allocator = def->allocator},
                        .builder = def->builder};
}

static bool is_ok(const copse_kdtree *tree) {
  return agents_ok(&tree->agents) && (tree->builder == COPSE_BUILDER_QUICKSELECT ||
                                      tree->builder == COPSE_BUILDER_MEDIAN_OF_MEDIANS ||
                                      tree->builder == COPSE_BUILDER_PRESORT);
}

copse_kdtree_def copse_kdtree_default(void) {
  return (copse_kdtree_def){.dimensions = 2, .capacity = 1000};
}

size_t copse_kdtree_bytes(const copse_kdtree_def *def) {
  const copse_kdtree asked = bare(def);
  return is_ok(&asked) ? agents_bytes(&asked.agents) : 0;
}

copse_status copse_kdtree_create(const copse_kdtree_def *def, copse_kdtree **tree) {
  const copse_kdtree asked = bare(def);
  copse_status status = COPSE_INVALID_ARGUMENT;
  *tree = is_ok(&asked) ? agents_create(&asked.agents, &status) : NULL;
  return status;
}

void copse_kdtree_destroy(copse_kdtree *tree) { agents_destroy((agents *)tree); }

copse_status copse_kdtree_reserve(copse_kdtree *tree, uint32_t capacity) {
  return agents_reserve(&tree->agents, capacity);
}

/* ---- The caller's side ------------------------------------------------------------------- */

uint32_t copse_kdtree_capacity(const copse_kdtree *tree) { return tree->agents.capacity; }
uint32_t copse_kdtree_dimensions(const copse_kdtree *tree) { return tree->agents.dimensions; }
uint32_t copse_kdtree_count(const copse_kdtree *tree) { return tree->agents.count; }
uint32_t copse_kdtree_built(const copse_kdtree *tree) { return tree->agents.builtCount; }
copse_status copse_kdtree_set_count(copse_kdtree *tree, uint32_t count) {
  return agents_set_count(&tree->agents, count);
}
copse_positions copse_kdtree_positions(copse_kdtree *tree) {
  return agents_positions(&tree->agents);
}
uint32_t *copse_kdtree_groups(copse_kdtree *tree) { return tree->agents.groups; }

/* ---- Debug ------------------------------------------------------------------------------- */

const uint32_t *copse_kdtree_order(const copse_kdtree *tree, uint32_t *count) {
  return agents_order(&tree->agents, count);
}

size_t copse_kdtree_cells(const copse_kdtree *tree, size_t skipped, float *out, size_t capacity) {
  typedef struct cell {
    kdtree_range range;
    uint32_t depth;
    float box[6];
  } cell;
  const size_t dim = tree->agents.dimensions;
  drawing drawn = {out, skipped, capacity, 2 * dim + 2, 0};
  cell stack[KDTREE_LEVELS];
  uint32_t waiting = 0;
  if (tree->agents.present) {
    stack[waiting] = (cell){{0, tree->agents.present, 0}, 0, {0}};
    memcpy(stack[waiting++].box, tree->bounds, sizeof tree->bounds);
  }
  while (waiting) {
    const cell at = stack[--waiting];
    const kdtree_range *range = &at.range;
    const uint32_t middle = kdtree_middle(range->begin, range->end), axis = range->axis;
    const float x = tree->agents.points.axes[axis][middle];
    float *row = drawing_next(&drawn);
    if (row) {
      memcpy(row, at.box, 2 * dim * sizeof *row);
      row[axis] = row[dim + axis] = x;
      row[2 * dim] = (float)at.depth;
      row[2 * dim + 1] = (float)(range->end - range->begin);
    }
    const uint32_t next = kdtree_next_axis(axis, (int)dim);
    if (middle + 1 < range->end) {
      stack[waiting] = at;
      stack[waiting].range = (kdtree_range){middle + 1, range->end, next};
      stack[waiting].depth++;
      stack[waiting++].box[axis] = x;
    }
    if (range->begin < middle) {
      stack[waiting] = at;
      stack[waiting].range = (kdtree_range){range->begin, middle, next};
      stack[waiting].depth++;
      stack[waiting++].box[dim + axis] = x;
    }
  }
  return drawn.floats;
}

copse_kdtree_statistics copse_kdtree_stats(const copse_kdtree *tree) {
  copse_kdtree_statistics stats = {.points = tree->agents.present,
                                   .skipped = tree->agents.skipped,
                                   .bytes = sizeof *tree + (size_t)tree->agents.blockBytes};
  /* The ranges of a level have `size` points or one fewer: so many of each. */
  uint32_t size = tree->agents.present, larger = 1, smaller = 0;
  for (uint32_t depth = 0; size > 0; depth++, size /= 2) {
    stats.depth = depth;
    if (size == 1) stats.leaves += larger;
    if (size == 2) stats.leaves += smaller;
    /* Of an odd size both halves are equal, of an even one the left is larger. */
    const uint32_t before = larger;
    larger = size % 2 ? 2 * larger + smaller : larger;
    smaller = size % 2 ? smaller : before + 2 * smaller;
  }
  return stats;
}

bool copse_kdtree_validate(const copse_kdtree *tree) {
  const scan_points *points = &tree->agents.points;
  const int dim = (int)tree->agents.dimensions;
  if (!agents_valid(&tree->agents)) return false;
  if (!tree->agents.present) return true;
  float tight[6];
  agents_bounds(&tree->agents, 0, tree->agents.present, tight);
  if (memcmp(tight, tree->bounds, 2 * (size_t)dim * sizeof *tight) != 0) return false;
  kdtree_range stack[KDTREE_LEVELS] = {{0, tree->agents.present, 0}};
  for (uint32_t waiting = 1; waiting;) {
    const kdtree_range range = stack[--waiting];
    if (range.end == range.begin) continue;
    const uint32_t middle = kdtree_middle(range.begin, range.end);
    for (uint32_t i = range.begin; i < range.end; i++) {
      const uint32_t first = i < middle ? i : middle, second = i < middle ? middle : i;
      if (i != middle && !kdtree_before(points, first, second, range.axis, dim)) return false;
    }
    const uint32_t next = kdtree_next_axis(range.axis, dim);
    stack[waiting++] = (kdtree_range){middle + 1, range.end, next};
    stack[waiting++] = (kdtree_range){range.begin, middle, next};
  }
  return true;
}

/* ---- Queries ----------------------------------------------------------------------------- */

copse_status copse_kdtree_within(const copse_kdtree *tree, const float *center, float radius,
                                 const copse_query *query, copse_results *results) {
  return agents_within(&tree->agents, center, radius, query, results);
}
copse_status copse_kdtree_range(const copse_kdtree *tree, const float *lo, const float *hi,
                                const copse_query *query, copse_results *results) {
  return agents_range(&tree->agents, lo, hi, query, results);
}
copse_status copse_kdtree_cone(const copse_kdtree *tree, const float *center,
                               const float *direction, float halfAngle, float radius,
                               const copse_query *query, copse_results *results) {
  return agents_cone(&tree->agents, center, direction, halfAngle, radius, query, results);
}
copse_status copse_kdtree_count_within(const copse_kdtree *tree, const float *center, float radius,
                                       const copse_query *query, uint32_t *total,
                                       uint32_t *visits) {
  return agents_count_within(&tree->agents, kdtree_count, center, radius, query, total, visits);
}
copse_status copse_kdtree_any_within(const copse_kdtree *tree, const float *center, float radius,
                                     const copse_query *query, bool *any, uint32_t *visits) {
  return agents_any_within(&tree->agents, kdtree_count, center, radius, query, any, visits);
}
copse_status copse_kdtree_nearest(const copse_kdtree *tree, const float *center,
                                  const copse_query *query, uint32_t *id, float *distance2,
                                  uint32_t *visits) {
  return agents_nearest(&tree->agents, center, query, id, distance2, visits);
}
copse_status copse_kdtree_neighbors(const copse_kdtree *tree, const float *center, uint32_t k,
                                    const copse_query *query, copse_results *results) {
  return agents_neighbors(&tree->agents, center, k, query, results);
}
copse_status copse_kdtree_raycast(const copse_kdtree *tree, const float *from, const float *to,
                                  float radius, const float *radii, const copse_query *query,
                                  copse_hit *hit, uint32_t *visits) {
  return agents_raycast(&tree->agents, kdtree_cast, from, to, radius, radii, query, hit, visits);
}
copse_status copse_kdtree_raycast_many(const copse_kdtree *tree, const float *segments, uint32_t n,
                                       float radius, const float *radii, const copse_query *query,
                                       uint32_t *ids, float *fractions) {
  return agents_raycast_many(&tree->agents, kdtree_cast, segments, n, radius, radii, query, ids,
                             fractions);
}

/* ---- Snapshot ---------------------------------------------------------------------------- */

copse_status copse_kdtree_save(const copse_kdtree *tree, void *bytes, size_t capacity,
                               size_t *total, uint32_t *firstBad) {
  return agents_save(&tree->agents, bytes, capacity, total, firstBad);
}

copse_status copse_kdtree_restorable(const copse_kdtree *tree, const void *bytes, size_t size) {
  return agents_restorable(&tree->agents, bytes, size);
}
copse_status copse_kdtree_restore(copse_kdtree *tree, const void *bytes, size_t size) {
  return agents_restore(&tree->agents, bytes, size);
}
