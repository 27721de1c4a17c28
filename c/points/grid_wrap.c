/* The grid in a world that wraps around (a torus): moving positions into the world, and queries
 * whose window reaches the world's edges.
 *
 * A scan of such a query reads differences by the shorter way, in place of positions, and its
 * center is 0: so it is the same code as in any other grid. */

#include "grid.h"

#include <math.h>

float grid_wrapped(const struct grid *grid, float x, int axis) {
  const float least = grid->least[axis], size = grid->size[axis];
  const float moved = x - floorf((x - least) / size) * size;
  WORKED(1);
  /* The differences are compared, not the positions: so a position in the world is one that the
   * line above does not change. */
  return moved >= least && moved - least < size ? moved : least;
}

bool grid_is_inner(const struct grid *grid, float4 lo, float4 hi) {
  return word4_bits(word4_and(float4_le(float4_load(grid->inner[0]), lo),
                              float4_le(hi, float4_load(grid->inner[1])))) == 15;
}

/* ---- Walking over the runs of a window ---------------------------------------------------- */

/* Writes to walk->window the numbers along an axis of all agents between lo and hi, which may lie
 * outside of the world. */
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

/* Returns the number of a column, row or layer that may lie past the last. */
static uint32_t number_in(const struct grid *grid, uint32_t number, int axis) {
  const uint32_t last = (uint32_t)grid->last[axis];
  return number > last ? number - last - 1 : number;
}

/* Writes the next run, or the next part of a row that reaches the other side of the world. Returns
 * false at the end. */
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

void wrapped_differences(const struct grid *grid, grid_run run, const float *center,
                         float *const *differences) {
  for (uint32_t axis = 0; axis < grid->points.dimensions; axis++) {
    const float *x = grid->points.ordered.axes[axis];
    for (uint32_t i = run.begin; i < run.end; i += 4) {
      const float4 d = float4_sub(float4_load(x + i), float4_all(center[axis]));
      float4_store(differences[axis] + (i - run.begin),
                   wrapped_difference(d, float4_all(grid->size[axis])));
    }
  }
}

/* ---- Queries ------------------------------------------------------------------------------ */

enum { READ_LIMIT = 512 };
static const float ZERO[3] = {0, 0, 0};

/* A walk whose agents are read as if the center of the query were 0. */
typedef struct wrapped_query {
  wrapped_walk walk;
  const float *center;
  copse_points points; /* a copy of the grid's, with the agents that were read */
  float axes[3][READ_LIMIT + SCAN_PADDING];
} wrapped_query;

static void query_start(wrapped_query *query, const struct grid *grid, const float *center,
                        float reach2, uint32_t mask) {
  wrapped_start(&query->walk, grid, center, center, reach2);
  query->center = center;
  query->points = grid->points;
  if (!points_have(&grid->points, mask)) query->walk.z = UINT32_MAX; /* at the end */
}

/* Reads the next agents: they are the agents 0 … n - 1 of query->points. Returns n. */
static uint32_t query_read(wrapped_query *query) {
  const scan_points *all = &query->walk.grid->points.ordered;
  float *const axes[3] = {query->axes[0], query->axes[1], query->axes[2]};
  grid_run run;
  if (!wrapped_next(&query->walk, READ_LIMIT, &run)) return 0;
  wrapped_differences(query->walk.grid, run, query->center, axes);
  query->points.ordered =
      (scan_points){{axes[0], axes[1], axes[2]}, all->ids + run.begin, all->groups + run.begin};
  return run.end - run.begin;
}

/* Moves the center of a circle into the world. True if the circle does not reach the edges. */
static bool circle_is_inner(const struct grid *grid, region *circle) {
  const int dim = (int)grid->points.dimensions;
  float4 lo, hi;
  for (int axis = 0; axis < dim; axis++)
    circle->circle.center[axis] = grid_wrapped(grid, circle->circle.center[axis], axis);
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
  /* Counts all, even with stopAtFirst: any number above 0 will do. */
  copse_results counted = {0}; /* no room for ids */
  *visits = wrapped_collect(index, where, SHAPE_CIRCLE, query, &counted);
  return counted.total;
}

uint32_t wrapped_neighbors(const struct grid *grid, const float *center, const copse_query *query,
                           float reach, scan_nearest *nearest) {
  const scan_filter filter = points_filter(&grid->points, query);
  const float limit2 = nearest->limit2;
  wrapped_query search;
  uint32_t visits = 0;
  if (!(reach > 0)) reach = INFINITY; /* cells so small that their width is 0 */
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

uint32_t wrapped_nearest_of(const void *index, const float *center, const copse_query *query,
                            scan_nearest *nearest) {
  const struct grid *grid = index;
  float moved[3] = {0};
  for (uint32_t axis = 0; axis < grid->points.dimensions; axis++)
    moved[axis] = grid_wrapped(grid, center[axis], (int)axis);
  return grid_neighbors(grid, moved, query, nearest);
}

uint32_t wrapped_nearest(const void *index, const float *center, const copse_query *query,
                         pair *nearest) {
  scan_nearest one = {{&nearest->distance2, &nearest->id}, 1, 0, nearest->distance2};
  return wrapped_nearest_of(index, center, query, &one);
}
