/* The grid: memory, cells to draw, statistics, validation and the table of functions; grid.h
 * describes the grid. */

#include "grid.h"

#include <math.h>
#include <string.h>

/* The table has at most ENTRY_WORK entries per agent, plus ENTRIES_LEAST. */
enum { ENTRY_WORK = 4, ENTRIES_LEAST = 64 };

/* ---- Memory ------------------------------------------------------------------------------ */

uint64_t grid_entry_budget(uint64_t n) { return ENTRY_WORK * n + ENTRIES_LEAST; }

static void carve(void *index, arena *block) {
  struct grid *grid = index;
  grid->entryOf = arena_carve(block, (uint64_t)grid->points.capacity + 3, sizeof(uint32_t));
  /* Two more than there are entries: one for the slots without a present agent, and one because
   * entry e ends at starts[e + 1]. */
  grid->starts = arena_carve(block, grid_entry_budget(grid->points.capacity) + 2, sizeof(uint32_t));
}

static void keep(void *larger, const void *index) {
  const struct grid *target = larger, *grid = index;
  memcpy(target->starts, grid->starts, ((size_t)grid->entries + 1) * sizeof(uint32_t));
}

void grid_options(const void *index, uint32_t words[POINTS_OPTIONS]) {
  const struct grid *grid = index;
  memcpy(words, &grid->cellSize, sizeof grid->cellSize);
}

/* ---- Cells to draw, statistics, validation ----------------------------------------------- */

/* Writes the indices of an agent's column, row and layer. `place` is the agent's index in the order
 * of the grid. */
static void numbers_at(const struct grid *grid, uint32_t place, uint32_t *numbers) {
  float point[4] = {0};
  for (uint32_t axis = 0; axis < grid->points.dimensions; axis++)
    point[axis] = grid->points.ordered.axes[axis][place];
  word4_store(numbers, grid_numbers(grid, float4_load(point)));
}

/* Writes the indices of an agent's cell along x, y and z. `place` is the agent's index in the order
 * of the grid. */
static void cell_of(const struct grid *grid, uint32_t place, uint32_t *cell) {
  numbers_at(grid, place, cell);
  cell[0] /= grid->columns;
}

static void cells(const void *index, drawing *drawn) {
  const struct grid *grid = index;
  const size_t dim = grid->points.dimensions;
  uint32_t cell[4], next[4];
  for (uint32_t place = 0; place < grid->points.present;) {
    uint32_t end = place + 1;
    cell_of(grid, place, cell);
    for (; end < grid->points.present; end++) {
      cell_of(grid, end, next);
      if (memcmp(next, cell, sizeof cell) != 0) break;
    }
    float *box = drawing_next(drawn);
    if (box) {
      for (size_t axis = 0; axis < dim; axis++) {
        const float across = axis ? 1 : (float)grid->columns;
        box[axis] = grid->origin[axis] + ((float)cell[axis] * across - 0.5f) / grid->scale[axis];
        box[dim + axis] = box[axis] + across / grid->scale[axis];
      }
      box[2 * dim] = 0;
      box[2 * dim + 1] = (float)(end - place);
    }
    place = end;
  }
}

static void stats(const void *index, copse_points_statistics *stats) {
  const struct grid *grid = index;
  stats->nodes = grid->entries;
  stats->isShared = grid->entryMask != UINT32_MAX;
  for (uint32_t i = 0; i < grid->entries; i++)
    stats->leaves += grid->starts[i] < grid->starts[i + 1];
}

static bool validate(const void *index) {
  const struct grid *grid = index;
  const copse_points *points = &grid->points;
  if (grid->entries > grid_entry_budget(points->present)) return false;
  if (!grid->entries) return points->present == 0; /* never built */
  if (grid->starts[0] != 0 || grid->starts[grid->entries] != points->present) return false;
  for (uint32_t entry = 0; entry < grid->entries; entry++) {
    const uint32_t begin = grid->starts[entry], end = grid->starts[entry + 1];
    if (begin > end || end > points->present || !ids_ascend(points->ordered.ids, begin, end))
      return false;
    for (uint32_t place = begin; place < end; place++) {
      uint32_t numbers[4];
      numbers_at(grid, place, numbers);
      if (grid_entry(grid, numbers[0], numbers[1], numbers[2]) != entry) return false;
    }
  }
  return true;
}

/* ---- Creation ---------------------------------------------------------------------------- */

/* The functions that all grids have in common, whether or not their world wraps around. */
#define GRID_TYPE                                                                                  \
  .kind = SNAPSHOT_GRID, .bytes = sizeof(struct grid), .carve = carve, .keep = keep,               \
  .nearest = grid_nearest, .cells = cells, .stats = stats, .validate = validate
static const points_type GRID = {GRID_TYPE,
                                 .build = grid_build,
                                 .options = grid_options,
                                 .collect = grid_collect,
                                 .neighbors = grid_neighbors,
                                 .count = grid_count,
                                 .cast = grid_cast,
                                 .allWithin = grid_all_within,
                                 .allNeighbors = grid_all_neighbors,
                                 .pairs = grid_pairs};
const points_type WRAPPED_GRID = {GRID_TYPE,
                                  .build = wrapped_build,
                                  .options = wrapped_options,
                                  .collect = wrapped_collect,
                                  .neighbors = wrapped_neighbors,
                                  .count = wrapped_count,
                                  .allWithin = wrapped_all_within,
                                  .allNeighbors = wrapped_all_neighbors,
                                  .pairs = wrapped_pairs};
_Static_assert(sizeof(struct grid) <= POINTS_BYTES, "see any_points");

copse_grid_def copse_grid_default(void) {
  return (copse_grid_def){.dimensions = 2, .capacity = 1000, .cellSize = 1};
}

static bool is_ok(const copse_grid_def *def) {
  const copse_points points = POINTS_OF(def, &GRID);
  return points_ok(&points) && def->cellSize > 0 && def->cellSize < INFINITY &&
         (!def->wrap || wrapped_ok(def->wrap, def->dimensions));
}

/* Returns a grid with the given options, which are ok. Its arrays have no memory yet. */
static struct grid bare(const copse_grid_def *def) {
  struct grid grid = {
      .points = POINTS_OF(def, &GRID), .cellSize = def->cellSize, .entryMask = UINT32_MAX};
  if (def->wrap) wrapped_init(&grid, def->wrap);
  return grid;
}

size_t copse_grid_bytes(const copse_grid_def *def) {
  if (!is_ok(def)) return 0;
  const struct grid grid = bare(def);
  return points_bytes(&grid.points);
}

copse_status copse_grid_create(const copse_grid_def *def, copse_points **points) {
  *points = NULL;
  if (!is_ok(def)) return COPSE_INVALID_ARGUMENT;
  const struct grid grid = bare(def);
  return points_create(&grid.points, points);
}
