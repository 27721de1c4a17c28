/* The k-d tree: memory, cells to draw, statistics, validation and the table of functions. kdtree.h
 * describes the tree. */

#include "kdtree.h"

#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------ */

static void carve(void *index, arena *block) {
  struct kdtree *tree = index;
  const uint64_t capacity = tree->points.capacity;
  if (tree->builder != COPSE_BUILDER_PRESORT) return;
  tree->room.keys = arena_carve(block, 2 * capacity, sizeof(uint64_t));
  for (uint32_t axis = 0; axis < tree->points.dimensions; axis++)
    tree->room.orders[axis] = arena_carve(block, capacity, sizeof(uint32_t));
}

/* ---- Cells to draw, statistics, validation ----------------------------------------------- */

static void cells(const void *index, drawing *drawn) {
  const struct kdtree *tree = index;
  typedef struct kdtree_cell {
    kdtree_range range;
    uint32_t depth;
    float box[6];
  } kdtree_cell;
  const size_t dim = tree->points.dimensions;
  kdtree_cell stack[KDTREE_LEVELS];
  uint32_t waiting = 0;
  if (tree->points.present) {
    stack[waiting] = (kdtree_cell){{0, tree->points.present, 0}, 0, {0}};
    memcpy(stack[waiting++].box, tree->bounds, sizeof tree->bounds);
  }
  while (waiting) {
    const kdtree_cell cell = stack[--waiting];
    const kdtree_range *range = &cell.range;
    const uint32_t middle = kdtree_middle(range->begin, range->end), axis = range->axis;
    const float x = tree->points.ordered.axes[axis][middle];
    float *row = drawing_next(drawn);
    if (row) {
      memcpy(row, cell.box, 2 * dim * sizeof *row);
      row[axis] = row[dim + axis] = x;
      row[2 * dim] = (float)cell.depth;
      row[2 * dim + 1] = (float)(range->end - range->begin);
    }
    const uint32_t next = kdtree_next_axis(axis, (int)dim);
    if (middle + 1 < range->end) {
      stack[waiting] = cell;
      stack[waiting].range = (kdtree_range){middle + 1, range->end, next};
      stack[waiting].depth++;
      stack[waiting++].box[axis] = x;
    }
    if (range->begin < middle) {
      stack[waiting] = cell;
      stack[waiting].range = (kdtree_range){range->begin, middle, next};
      stack[waiting].depth++;
      stack[waiting++].box[dim + axis] = x;
    }
  }
}

static void stats(const void *index, copse_points_statistics *stats) {
  const struct kdtree *tree = index;
  /* On each level, a range has either `size` points or one point fewer. `larger` is the number of
   * ranges of the first kind, `smaller` that of the second. */
  uint32_t size = tree->points.present, larger = 1, smaller = 0;
  stats->nodes = size;
  for (uint32_t depth = 0; size > 0; depth++, size /= 2) {
    stats->depth = depth;
    if (size == 1) stats->leaves += larger;
    if (size == 2) stats->leaves += smaller;
    /* The node of a range is its middle point, and the other points are its two sides. If the size
     * is odd, both sides are equal; if it is even, the left side is larger by one point. */
    const uint32_t before = larger;
    larger = size % 2 ? 2 * larger + smaller : larger;
    smaller = size % 2 ? smaller : before + 2 * smaller;
  }
}

static bool validate(const void *index) {
  const struct kdtree *tree = index;
  const scan_points *ordered = &tree->points.ordered;
  const int dim = (int)tree->points.dimensions;
  if (!tree->points.present) return true;
  float tight[6];
  points_bounds(&tree->points, 0, tree->points.present, tight);
  if (memcmp(tight, tree->bounds, 2 * (size_t)dim * sizeof *tight) != 0) return false;
  kdtree_range stack[KDTREE_LEVELS] = {{0, tree->points.present, 0}};
  for (uint32_t waiting = 1; waiting;) {
    const kdtree_range range = stack[--waiting];
    if (range.end == range.begin) continue;
    const uint32_t middle = kdtree_middle(range.begin, range.end);
    for (uint32_t i = range.begin; i < range.end; i++) {
      const uint32_t first = i < middle ? i : middle, second = i < middle ? middle : i;
      if (i != middle && !kdtree_before(ordered, first, second, range.axis, dim)) return false;
    }
    const uint32_t next = kdtree_next_axis(range.axis, dim);
    stack[waiting++] = (kdtree_range){middle + 1, range.end, next};
    stack[waiting++] = (kdtree_range){range.begin, middle, next};
  }
  return true;
}

/* ---- Creation ---------------------------------------------------------------------------- */

static const points_type KDTREE = {
    .kind = SNAPSHOT_KDTREE,
    .bytes = sizeof(struct kdtree),
    .carve = carve,
    .build = kdtree_build,
    .collect = kdtree_collect,
    .nearest = kdtree_nearest,
    .neighbors = kdtree_neighbors,
    .reach2 = kdtree_reach2,
    .count = kdtree_count,
    .cast = kdtree_cast,
    .allWithin = kdtree_all_within,
    .allNeighbors = kdtree_all_neighbors,
    .pairs = kdtree_pairs,
    .nearestMany = kdtree_neighbors_many,
    .cells = cells,
    .stats = stats,
    .validate = validate,
};
_Static_assert(sizeof(struct kdtree) <= POINTS_BYTES, "see any_points");

/* Returns a tree with the given options. Its arrays have no memory yet. */
static struct kdtree bare(const copse_kdtree_def *def) {
  return (struct kdtree){.points = POINTS_OF(def, &KDTREE), .builder = def->builder};
}

static bool is_ok(const struct kdtree *tree) {
  return points_ok(&tree->points) && (tree->builder == COPSE_BUILDER_QUICKSELECT ||
                                      tree->builder == COPSE_BUILDER_MEDIAN_OF_MEDIANS ||
                                      tree->builder == COPSE_BUILDER_PRESORT);
}

copse_kdtree_def copse_kdtree_default(void) {
  return (copse_kdtree_def){.dimensions = 2, .capacity = 1000};
}

size_t copse_kdtree_bytes(const copse_kdtree_def *def) {
  const struct kdtree tree = bare(def);
  return is_ok(&tree) ? points_bytes(&tree.points) : 0;
}

copse_status copse_kdtree_create(const copse_kdtree_def *def, copse_points **points) {
  const struct kdtree tree = bare(def);
  *points = NULL;
  return is_ok(&tree) ? points_create(&tree.points, points) : COPSE_INVALID_ARGUMENT;
}
