/* The grid in a world that wraps around (a torus): moving positions into the world, and queries
 * whose window reaches the world's edges.
 *
 * Such a query subtracts its center from the positions of agents, by the shorter way around the
 * world. Then it searches around 0 instead, with the same scans as in other grids. */

#include "grid.h"

#include "../base/geom.h"

#include <math.h>
#include <string.h>

/* ---- Creation and build -------------------------------------------------------------------- */

bool wrapped_ok(const float *wrap, uint32_t dim) {
  for (uint32_t axis = 0; axis < dim; axis++) {
    const float least = wrap[axis], most = wrap[dim + axis];
    if (!is_coordinate(least) || !is_coordinate(most) || !(most - least > 0)) return false;
  }
  return true;
}

void wrapped_init(struct grid *grid, const float *wrap) {
  const uint32_t dim = grid->points.dimensions;
  grid->points.type = &WRAPPED_GRID;
  for (uint32_t axis = 0; axis < dim; axis++) {
    const float least = wrap[axis] + 0.0f, most = wrap[dim + axis]; /* adding 0 turns -0 into 0 */
    grid->least[axis] = least;
    grid->size[axis] = most - least;
    /* More than the sum of ten rounding errors. Each is less than 1e-7 of a number that is at most
     * four times the greatest absolute coordinate in the world. */
    grid->slack[axis] = 4e-6f * fmaxf(fabsf(least), fabsf(most));
    grid->inner[0][axis] = least + grid->slack[axis];
    grid->inner[1][axis] = most - grid->slack[axis];
  }
  for (uint32_t axis = dim; axis < 4; axis++) {
    grid->inner[0][axis] = -INFINITY;
    grid->inner[1][axis] = INFINITY;
  }
}

/* Writes the options that a snapshot must agree with. The world's corner and size are six numbers,
 * more than there is room for: writes two hashes of them instead. */
void wrapped_options(const void *index, uint32_t words[POINTS_OPTIONS]) {
  const struct grid *grid = index;
  grid_options(grid, words);
  for (uint32_t i = 0; i < 6; i++) {
    const float side = i < 3 ? grid->least[i] : grid->size[i - 3];
    uint32_t word;
    memcpy(&word, &side, sizeof word);
    words[1] = hash_word(words[1], word);
    words[2] = hash_word(words[2] + 1, word);
  }
}

/* Returns a coordinate moved into the world along an axis; a coordinate in the world stays the
 * same. If rounding puts the result outside of the world, returns the world's lower edge instead.
 * Both here and in move_all, the test of the upper edge is `x - least < size`: `x < least + size`
 * would round differently. */
static float moved_into(const struct grid *grid, float x, int axis) {
  const float least = grid->least[axis], size = grid->size[axis];
  const float moved = x - floorf((x - least) / size) * size;
  return moved >= least && moved - least < size ? moved : least;
}

/* Lays out the table: divides the world into equal cells that are at least grid->cellSize wide, or
 * one cell if the world is smaller. Divides each cell into up to GRID_COLUMNS columns. If the table
 * has no room for so many, tries fewer columns per cell, then wider cells. */
static void divide_world(struct grid *grid) {
  enum { MOST_CELLS = (GRID_LAST + 1) / GRID_COLUMNS }; /* along an axis */
  const uint64_t budget = grid_entry_budget(grid->points.present);
  uint32_t counts[3] = {1, 1, 1};
  double total;
  float widened = grid->cellSize;
  for (grid->columns = GRID_COLUMNS;;) {
    total = 1;
    for (uint32_t axis = 0; axis < grid->points.dimensions; axis++) {
      const float fit = grid->size[axis] / widened;
      const uint32_t cells = fit >= 1 ? fit < MOST_CELLS ? (uint32_t)fit : MOST_CELLS : 1;
      counts[axis] = axis ? cells : cells * grid->columns;
      total *= counts[axis];
      grid->scale[axis] = (float)counts[axis] / grid->size[axis];
      grid->origin[axis] = grid->least[axis] + 0.5f / grid->scale[axis];
      grid->last[axis] = (float)(counts[axis] - 1);
    }
    if (total <= (double)budget / (grid->columns > 1 ? 2 : 1)) break;
    if (grid->columns > 1)
      grid->columns /= 2;
    else
      widened *= 2;
  }
  grid_share_nothing(grid, total, counts);
}

/* Copies the positions of all slots of a source to `axes`, moved into the world. Positions that no
 * build accepts stay as they are. Returns true if any was outside. */
static bool move_all(const struct grid *grid, const points_source *source, float *const *axes) {
  bool hasMoved = false;
  for (uint32_t axis = 0; axis < grid->points.dimensions; axis++) {
    const float4 least = float4_all(grid->least[axis]), size = float4_all(grid->size[axis]);
    for (uint32_t slot = 0; slot < source->count; slot += 4) {
      float *to = axes[axis] + slot;
      const float4 x = grid_load4(source, slot, (int)axis);
      float4_store(to, x);
      if (word4_bits(word4_and(float4_le(least, x), float4_lt(float4_sub(x, least), size))) == 15)
        continue;
      hasMoved = true;
      for (int lane = 0; lane < 4; lane++)
        if (is_coordinate(to[lane])) to[lane] = moved_into(grid, to[lane], (int)axis);
    }
  }
  return hasMoved;
}

void wrapped_build(void *index, const points_source *source, const points_survey *survey) {
  struct grid *grid = index;
  float *const *axes = grid->points.ordered.axes; /* scratch memory until grid_fill writes here */
  points_take(&grid->points, source, survey);
  divide_world(grid);
  points_source moved = {{{axes[0], axes[1], axes[2]}, 1}, source->groups, source->count};
  const bool hasMoved = move_all(grid, source, axes);
  grid_fill(grid, source, hasMoved ? &moved : source, survey);
  if (!hasMoved) return;
  moved.count = survey->present;
  move_all(grid, &moved, axes);
}

bool grid_is_inner(const struct grid *grid, float4 lo, float4 hi) {
  return word4_bits(word4_and(float4_le(float4_load(grid->inner[0]), lo),
                              float4_le(hi, float4_load(grid->inner[1])))) == 15;
}

/* ---- Visiting the agents in a window of columns ------------------------------------------- */

/* Finds the columns (along y rows, along z layers) that contain all agents between lo and hi, which
 * may lie outside of the world. Writes the first and the last index to walk->window. */
static void window_along(wrapped_walk *walk, int axis, float lo, float hi) {
  const struct grid *grid = walk->grid;
  const float least = grid->least[axis], size = grid->size[axis];
  const bool below = lo < least, above = hi - least >= size;
  const uint32_t last = (uint32_t)grid->last[axis];
  float ends[2][4] = {{0}};
  uint32_t first[4], end[4];
  ends[0][axis] = below ? lo + size : lo;
  ends[1][axis] = above ? hi - size : hi;
  word4_store(first, grid_numbers(grid, float4_load(ends[0])));
  word4_store(end, grid_numbers(grid, float4_load(ends[1])));
  const bool crosses = below || above;
  const bool whole = !(hi - lo < size) || (crosses && end[axis] >= first[axis]);
  walk->window.lo[axis] = whole ? 0 : first[axis];
  walk->window.hi[axis] = whole ? last : end[axis] + (crosses ? last + 1 : 0);
}

void wrapped_start(wrapped_walk *walk, const struct grid *grid, const float *lo, const float *hi,
                   float reach2) {
  *walk = (wrapped_walk){.grid = grid};
  for (uint32_t axis = 0; axis < grid->points.dimensions; axis++) {
    const float reach = reach_of(reach2) + grid->slack[axis];
    window_along(walk, (int)axis, lo[axis] - reach, hi[axis] + reach);
  }
  walk->y = walk->window.lo[1];
  walk->z = walk->window.lo[2];
}

/* Returns the index of a column, row or layer in the world. An index past the last one goes on at
 * the other side of the world, with 0. */
static uint32_t number_in(const struct grid *grid, uint32_t number, int axis) {
  const uint32_t last = (uint32_t)grid->last[axis];
  return number > last ? number - last - 1 : number;
}

/* Sets walk->run to the next run of agents. A row of columns has one run, or two if it crosses the
 * edge of the world. Returns false at the end. */
static bool next_run(wrapped_walk *walk) {
  const struct grid *grid = walk->grid;
  const grid_window *window = &walk->window;
  if (walk->z > window->hi[2]) return false;
  const uint32_t last = (uint32_t)grid->last[0], hi = window->hi[0];
  const uint32_t begin = walk->second ? 0 : window->lo[0];
  const uint32_t end = walk->second ? hi - last : (hi < last ? hi : last) + 1;
  grid_run runs[2];
  grid_runs(grid, begin, number_in(grid, walk->y, 1), number_in(grid, walk->z, 2), end - begin,
            runs);
  walk->run = runs[0];
  walk->second = !walk->second && hi > last;
  if (!walk->second && ++walk->y > window->hi[1]) {
    walk->y = window->lo[1];
    walk->z++;
  }
  return true;
}

bool wrapped_next(wrapped_walk *walk, uint32_t most, grid_run *run) {
  while (walk->run.begin == walk->run.end)
    if (!next_run(walk)) return false;
  *run = walk->run;
  if (run->end - run->begin > most) run->end = run->begin + most;
  walk->run.begin = run->end;
  return true;
}

/* Returns differences of coordinates by the shorter way around the world. `d` has the plain
 * differences. */
static float4 shorter_way(float4 d, float4 size) {
  const float4 half = float4_mul(size, float4_all(0.5f));
  const word4 words = float4_as_words(size);
  d = float4_sub(d, word4_as_floats(word4_and(float4_lt(half, d), words)));
  const word4 below = float4_lt(d, float4_sub(float4_all(0), half));
  return float4_add(d, word4_as_floats(word4_and(below, words)));
}

void wrapped_differences(const struct grid *grid, int axis, const float *x, uint32_t count,
                         float center, float *differences) {
  for (uint32_t i = 0; i < count; i += 4) {
    const float4 d = float4_sub(float4_load(x + i), float4_all(center));
    float4_store(differences + i, shorter_way(d, float4_all(grid->size[axis])));
  }
}

/* ---- Queries ------------------------------------------------------------------------------ */

enum { READ_LIMIT = 512 };
static const float ZERO[3] = {0, 0, 0};

/* A query near the edges of the world. It reads agents portion by portion, and subtracts the
 * query's center from their positions. */
typedef struct wrapped_query {
  wrapped_walk walk;
  const float *center;
  copse_points points; /* a copy of grid->points, but with only the agents read last */
  float axes[3][READ_LIMIT + SCAN_PADDING];
} wrapped_query;

static void query_start(wrapped_query *query, const struct grid *grid, const float *center,
                        float reach2, uint32_t mask) {
  wrapped_start(&query->walk, grid, center, center, reach2);
  query->center = center;
  query->points = grid->points;
  if (!points_have(&grid->points, mask)) query->walk.z = UINT32_MAX; /* the walk is over */
}

/* Reads the next n agents. They become the agents 0 … n - 1 of query->points. Returns n, which is 0
 * at the end. */
static uint32_t query_read(wrapped_query *query) {
  const struct grid *grid = query->walk.grid;
  const scan_points *all = &grid->points.ordered;
  scan_points *read = &query->points.ordered;
  grid_run run;
  if (!wrapped_next(&query->walk, READ_LIMIT, &run)) return 0;
  for (uint32_t axis = 0; axis < grid->points.dimensions; axis++) {
    read->axes[axis] = query->axes[axis];
    wrapped_differences(grid, (int)axis, all->axes[axis] + run.begin, run.end - run.begin,
                        query->center[axis], query->axes[axis]);
  }
  read->ids = all->ids + run.begin;
  read->groups = all->groups + run.begin;
  return run.end - run.begin;
}

/* Moves the center of a circle into the world. True if the circle does not reach the edges. */
static bool circle_is_inner(const struct grid *grid, region *circle) {
  const int dim = (int)grid->points.dimensions;
  float4 lo, hi;
  for (int axis = 0; axis < dim; axis++)
    circle->circle.center[axis] = moved_into(grid, circle->circle.center[axis], axis);
  region_bounds(circle, &lo, &hi, SHAPE_CIRCLE, dim);
  return grid_is_inner(grid, lo, hi);
}

uint32_t wrapped_collect(const void *index, const region *where, shape kind,
                         const copse_query *query, copse_results *results) {
  const struct grid *grid = index;
  region circle = *where;
  if (circle_is_inner(grid, &circle)) return grid_collect(grid, &circle, kind, query, results);
  /* A cone that contains every direction finds what a circle finds. */
  const region cone = {.cone = {.cosine = -2, .radius2 = circle.circle.radius2}};
  const scan_filter filter = points_filter(&grid->points, query);
  wrapped_query search;
  uint32_t visits = 0;
  query_start(&search, grid, circle.circle.center, circle.circle.radius2, query->mask);
  for (uint32_t count; (count = query_read(&search)) > 0; visits++)
    points_scan(&search.points, 0, count, &cone, SHAPE_CONE, &filter, results);
  return visits;
}

uint32_t wrapped_count(const void *index, const region *where, const copse_query *query,
                       bool stopAtFirst, uint32_t *visits) {
  const struct grid *grid = index;
  region circle = *where;
  if (circle_is_inner(grid, &circle)) return grid_count(grid, &circle, query, stopAtFirst, visits);
  /* Counts all agents. With stopAtFirst, any number above 0 will do. */
  copse_results counted = {0}; /* no room for ids */
  *visits = wrapped_collect(index, where, SHAPE_CIRCLE, query, &counted);
  return counted.total;
}

/* Finds the k nearest agents, also across an edge of the world: scans all cells within a reach, and
 * doubles the reach until k agents are within it. If `reach` is 0, starts with an estimate. */
static uint32_t neighbors_across(const struct grid *grid, const float *center,
                                 const copse_query *query, float reach, scan_nearest *nearest) {
  const scan_filter filter = points_filter(&grid->points, query);
  const float limit2 = nearest->limit2;
  wrapped_query search;
  uint32_t visits = 0;
  if (!(reach > 0)) reach = grid_reach(grid, nearest->k);
  if (!(reach > 0)) reach = INFINITY; /* the size of a cell underflowed to 0 */
  for (;; reach *= 2) {
    bool whole = true;
    nearest->size = 0;
    nearest->limit2 = limit2;
    query_start(&search, grid, center, reach * reach, query->mask);
    const grid_window *window = &search.walk.window;
    for (uint32_t axis = 0; axis < grid->points.dimensions; axis++)
      whole &= window->hi[axis] - window->lo[axis] == (uint32_t)grid->last[axis];
    for (uint32_t count; (count = query_read(&search)) > 0; visits++)
      points_scan_neighbors(&search.points, 0, count, ZERO, &filter, nearest);
    /* All agents within `reach` were scanned, see grid_neighbors. */
    if (whole || reach * reach >= nearest->limit2) return visits;
  }
}

uint32_t wrapped_neighbors(const void *index, const float *center, const copse_query *query,
                           scan_nearest *nearest) {
  const struct grid *grid = index;
  const float limit2 = nearest->limit2;
  float moved[3] = {0}, margin = INFINITY, reach = 0;
  uint32_t visits = 0;
  for (uint32_t axis = 0; axis < grid->points.dimensions; axis++) {
    const float x = moved_into(grid, center[axis], (int)axis);
    const float below = x - grid->inner[0][axis], above = grid->inner[1][axis] - x;
    moved[axis] = x;
    if (below < margin) margin = below;
    if (above < margin) margin = above;
  }
  /* Agents that are nearer than the edges of the world are found as in any other grid: no agent is
   * as near across an edge. The margin is a little less than the distance of the nearest edge, for
   * rounding and for squares that underflow to 0. */
  margin = margin * 0.999f - 1e-18f;
  const float margin2 = margin > 0 ? margin * margin : -1;
  if (margin2 >= limit2) return grid_neighbors(grid, moved, query, nearest);
  if (margin * grid->scale[1] > 1) {
    nearest->limit2 = margin2;
    visits = grid_neighbors(grid, moved, query, nearest);
    if (nearest->size == nearest->k) return visits;
    nearest->limit2 = limit2;
    reach = 2 * margin;
  }
  return visits + neighbors_across(grid, moved, query, reach, nearest);
}
