/* The grid: memory, building, cells to draw, statistics, validation and the table of functions;
 * grid.h describes the grid. */

#include "grid.h"

#include "../base/geom.h"

#include <math.h>
#include <string.h>

/* The table has at most ENTRY_WORK entries per agent, plus ENTRIES_LEAST. */
enum { ENTRY_WORK = 4, ENTRIES_LEAST = 64 };

/* ---- Memory ------------------------------------------------------------------------------ */

uint64_t grid_entry_budget(uint64_t n) { return ENTRY_WORK * n + ENTRIES_LEAST; }

static void carve(void *index, arena *block) {
  struct grid *grid = index;
  grid->entryOf = arena_carve(block, (uint64_t)grid->points.capacity + 3, sizeof(uint32_t));
  /* Three more than there are entries: one for the slots without a present agent (see find_bounds),
   * and two because count_in counts the slots of entry e in starts[e + 2]. */
  grid->starts = arena_carve(block, grid_entry_budget(grid->points.capacity) + 3, sizeof(uint32_t));
}

static void keep(void *larger, const void *index) {
  const struct grid *target = larger, *grid = index;
  memcpy(target->starts, grid->starts, ((size_t)grid->entries + 1) * sizeof(uint32_t));
}

void grid_options(const void *index, uint32_t words[POINTS_OPTIONS]) {
  const struct grid *grid = index;
  memcpy(words, &grid->cellSize, sizeof grid->cellSize);
}

/* ---- Build ------------------------------------------------------------------------------- */

/* Loads x and y of four slots from interleaved positions; all four slots must exist. */
ALWAYS_INLINE void load4_interleaved(const float *positions, uint32_t slot, float4 *x) {
  const float4 first = float4_load(positions + 2 * (size_t)slot);
  const float4 second = float4_load(positions + 2 * (size_t)slot + 4);
  x[0] = float4_evens(first, second);
  x[1] = float4_odds(first, second);
}

static bool is_interleaved_2d(const points_source *source) {
  return source->positions.stride == 2 &&
         source->positions.axes[1] == source->positions.axes[0] + 1;
}

/* Loads the coordinates of four slots, as fast as their layout allows. */
ALWAYS_INLINE void load_slots(const points_source *source, uint32_t slot, float4 *x,
                              const bool interleaved, const int dim) {
  if (dim == 2 && interleaved && source->count - slot >= 4)
    load4_interleaved(source->positions.axes[0], slot, x);
  else
    EACH_AXIS (axis, dim) x[axis] = grid_load4(source, slot, axis);
}

/* Writes the bounds of all present agents: those with groups other than 0, and with coordinates
 * that are neither NaN nor too large. There must be at least one. */
static void find_bounds(const struct grid *grid, const points_source *source,
                        const points_survey *survey, float *lo, float *hi) {
  const float4 high = float4_all(INFINITY), low = float4_all(-INFINITY);
  const uint32_t dim = grid->points.dimensions;
  float4 least[3] = {high, high, high}, most[3] = {low, low, low};
  const bool allPresent = survey->present == source->count;
  uint32_t slot = 0;
  if (allPresent && dim == 2 && is_interleaved_2d(source))
    for (; source->count - slot >= 4; slot += 4) {
      float4 x[2];
      load4_interleaved(source->positions.axes[0], slot, x);
      EACH_AXIS (axis, 2) {
        least[axis] = float4_min(least[axis], x[axis]);
        most[axis] = float4_max(most[axis], x[axis]);
      }
    }
  for (uint32_t axis = 0; axis < dim; axis++) {
    const uint32_t step = allPresent ? 4 : 1;
    for (uint32_t i = slot; i < source->count; i += step) {
      if (!allPresent && !source_has(source, i, dim)) continue;
      const float4 x = allPresent ? grid_load4(source, i, (int)axis)
                                  : float4_all(source_coordinate(source, i, (int)axis));
      least[axis] = float4_min(least[axis], x);
      most[axis] = float4_max(most[axis], x);
    }
    lo[axis] = float4_first(float4_least(least[axis]));
    hi[axis] = float4_first(float4_greatest(most[axis]));
  }
}

static uint32_t power_of_two_below(uint64_t n) {
  uint32_t power = 1;
  for (; power <= n / 2; power *= 2) WORKED(1);
  return power;
}

void grid_share_nothing(struct grid *grid, double total, const uint32_t *counts) {
  grid->entries = (uint32_t)total;
  grid->entryMask = UINT32_MAX;
  grid->strides[0] = 1;
  grid->strides[1] = counts[0];
  grid->strides[2] = counts[0] * counts[1];
}

/* Lays out the table for agents with the bounds lo … hi. Divides each cell into as many columns as
 * the table has room for, up to GRID_COLUMNS per cell. If there is no room even for one entry per
 * cell, cells share entries. */
static void lay_out(struct grid *grid, const float *lo, const float *hi) {
  const int dim = (int)grid->points.dimensions;
  const uint64_t budget = grid_entry_budget(grid->points.present);
  uint32_t counts[4];
  double total; /* the number of columns: up to 2^66, too large for an integer */
  for (grid->columns = GRID_COLUMNS;; grid->columns /= 2) {
    WORKED(1);
    for (int axis = 0; axis < dim; axis++) {
      const float scale = (axis ? 1 : (float)grid->columns) / grid->cellSize;
      grid->origin[axis] = lo[axis];
      grid->scale[axis] = scale < 1e30f ? scale : 1e30f;
      grid->last[axis] = GRID_LAST;
    }
    word4_store(counts, word4_add(grid_numbers(grid, float4_load(hi)), word4_all(1)));
    total = (double)counts[0] * counts[1] * counts[2];
    /* Each cell is divided into columns, which need an entry of the table each. If that is more
     * than half of the budget, tries fewer columns: in measurements, more columns gained
     * nothing. */
    if (total <= (double)budget / 2 || grid->columns == 1) break;
  }
  for (int axis = 0; axis < dim; axis++) grid->last[axis] = (float)(counts[axis] - 1);
  if (total <= (double)budget) {
    grid_share_nothing(grid, total, counts);
    return;
  }
  /* Cells share entries. The strides are odd, so that agents on a line along any axis are spread
   * over the whole table. */
  grid->entries = power_of_two_below(budget);
  grid->entryMask = grid->entries - 1;
  grid->strides[0] = 1;
  uint32_t side = 1;
  for (; dim == 2 ? side <= grid->entries / side / 4 : side <= grid->entries / side / side / 8;
       side *= 2)
    WORKED(1);
  const uint32_t columns = counts[0] < side ? counts[0] : side;
  const uint32_t rows = counts[1] < side ? counts[1] : side;
  grid->strides[1] = columns | 1;
  grid->strides[2] = grid->strides[1] * (rows | 1);
}

/* Writes the table entry of each of the slots begin … end - 1 to entryOf, and counts the slots of
 * entry e in starts[e + 2]. `end` must be a multiple of four or the number of slots. */
ALWAYS_INLINE void count_in(struct grid *grid, const points_source *source,
                            const points_survey *survey, uint32_t begin, uint32_t end,
                            const int dim) {
  const bool allPresent = survey->present == source->count, interleaved = is_interleaved_2d(source);
  const uint32_t dimensions = grid->points.dimensions, entries = grid->entries;
  const word4 entryMask = word4_all(grid->entryMask);
  float4 origin[3], scale[3], last[3];
  word4 stride[3];
  uint32_t *const entryOf = grid->entryOf, *const counts = grid->starts + 2;
  EACH_AXIS (axis, dim) {
    origin[axis] = float4_all(grid->origin[axis]);
    scale[axis] = float4_all(grid->scale[axis]);
    last[axis] = float4_all(grid->last[axis]);
    stride[axis] = word4_all(grid->strides[axis]);
  }
  for (uint32_t slot = begin; slot < end; slot += 4) {
    float4 x[3];
    word4 entry = word4_all(0);
    load_slots(source, slot, x, interleaved, dim);
    EACH_AXIS (axis, dim) {
      float4 t = float4_mul(float4_sub(x[axis], origin[axis]), scale[axis]);
      t = float4_min(float4_max(t, float4_all(0)), last[axis]);
      entry = word4_add(entry, word4_mul(float4_round(t), stride[axis]));
    }
    word4_store(entryOf + slot, word4_and(entry, entryMask));
  }
  for (uint32_t slot = begin; slot < end; slot++) {
    if (!allPresent && !source_has(source, slot, dimensions)) entryOf[slot] = entries;
    WORKED(1);
    counts[entryOf[slot]]++;
  }
}

ALWAYS_INLINE void place_in(struct grid *grid, const points_source *source, bool withGroups,
                            uint32_t begin, uint32_t end, const int dim) {
  /* A local copy, which can stay in registers: stores cannot change it. */
  const scan_points points = grid->points.ordered;
  const uint32_t *const entryOf = grid->entryOf;
  const float *x[3];
  const size_t stride = source->positions.stride;
  uint32_t *const next = grid->starts + 1;
  EACH_AXIS (axis, dim) x[axis] = source->positions.axes[axis] + begin * stride;
  for (uint32_t slot = begin; slot < end; slot++) {
    const uint32_t place = next[entryOf[slot]]++;
    WORKED(1);
    EACH_AXIS (axis, dim) {
      points.axes[axis][place] = *x[axis] + 0.0f; /* adding 0 turns -0 into 0 */
      x[axis] += stride;
    }
    points.ids[place] = slot;
    if (withGroups) points.groups[place] = source_group(source, slot);
  }
}

DEFINE_PAIR_VOID(void, count,
                 (struct grid * grid, const points_source *source, const points_survey *survey,
                  uint32_t begin, uint32_t end),
                 grid, source, survey, begin, end)
DEFINE_PAIR_VOID(void, place,
                 (struct grid * grid, const points_source *source, bool withGroups, uint32_t begin,
                  uint32_t end),
                 grid, source, withGroups, begin, end)

/* Before: starts[e + 2] is the number of agents of the table entry e. After: starts[e + 1] is the
 * index of its first agent. place_in then adds 1 to starts[e + 1] for each agent that it stores, so
 * that in the end entry e begins at starts[e]. */
OUT_OF_LINE void sum_counts(uint32_t *starts, uint32_t entries) {
  uint32_t sum = 0;
  for (uint32_t i = 1; i <= entries + 1; i++) {
    const uint32_t count = starts[i + 1];
    WORKED(1);
    starts[i] = sum;
    sum += count;
  }
}

void grid_fill(struct grid *grid, const points_source *source, const points_source *counted,
               const points_survey *survey) {
  /* Slots per call of the functions `count` and `place`. There are many calls instead of one,
   * because a JavaScript engine optimizes a function only after many calls: see OUT_OF_LINE. */
  enum { AT_ONCE = 1024 };
  const uint32_t dimensions = grid->points.dimensions;
  memset(grid->starts, 0, ((size_t)grid->entries + 3) * sizeof *grid->starts);
  const bool withGroups = survey->anyGroups != survey->allGroups;
  for (uint32_t begin = 0; begin < source->count; begin += AT_ONCE) {
    const uint32_t end = source->count - begin > AT_ONCE ? begin + AT_ONCE : source->count;
    CALL_PAIR(dimensions, count, grid, counted, survey, begin, end);
  }
  sum_counts(grid->starts, grid->entries);
  for (uint32_t begin = 0; begin < source->count; begin += AT_ONCE) {
    const uint32_t end = source->count - begin > AT_ONCE ? begin + AT_ONCE : source->count;
    CALL_PAIR(dimensions, place, grid, source, withGroups, begin, end);
  }
}

static void build(void *index, const points_source *source, const points_survey *survey) {
  struct grid *grid = index;
  float lo[4] = {0}, hi[4] = {0};
  points_take(&grid->points, source, survey);
  if (survey->present) find_bounds(grid, source, survey, lo, hi);
  lay_out(grid, lo, hi);
  grid_fill(grid, source, source, survey);
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
                                 .build = build,
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

/* Returns a grid with the given options. Its arrays have no memory yet. */
static struct grid bare(const copse_grid_def *def) {
  return (struct grid){
      .points = POINTS_OF(def, &GRID), .cellSize = def->cellSize, .entryMask = UINT32_MAX};
}

static bool is_ok(const struct grid *grid) {
  return points_ok(&grid->points) && grid->cellSize > 0 && grid->cellSize < INFINITY;
}

copse_grid_def copse_grid_default(void) {
  return (copse_grid_def){.dimensions = 2, .capacity = 1000, .cellSize = 1};
}

size_t grid_bytes_flat(const copse_grid_def *def) {
  const struct grid grid = bare(def);
  return is_ok(&grid) ? points_bytes(&grid.points) : 0;
}

copse_status grid_create_flat(const copse_grid_def *def, copse_points **points) {
  const struct grid grid = bare(def);
  *points = NULL;
  return is_ok(&grid) ? points_create(&grid.points, points) : COPSE_INVALID_ARGUMENT;
}
