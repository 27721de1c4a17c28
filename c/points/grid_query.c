/* Querying the grid. */

#include "grid.h"

#include "../base/geom.h"
#include "../base/region.h"

#include <string.h>

/* ---- Walking over the agents in a box of columns ------------------------------------------ */

typedef struct grid_walk {
  grid_window window;
  /* The runs of the current row of the window (a box of columns, see grid.h). A run is a range of
   * agents in the order of the grid. If grid_window_of fails, there is one run of all agents. */
  grid_run runs[2];
  uint32_t waiting; /* the number of `runs` still to visit */
  uint32_t y, z;    /* the row to visit next, and its layer */
} grid_walk;

/* Starts a walk over runs that contain all agents in the box lo … hi. */
ALWAYS_INLINE void walk_start(grid_walk *walk, const struct grid *grid, float4 lo, float4 hi,
                              uint32_t mask, const int dim) {
  walk->waiting = 0;
  walk->window = (grid_window){{0}, {0}};
  walk->y = walk->z = 1; /* past the last row: the walk is over */
  if (!points_have(&grid->points, mask)) return;
  if (grid_window_of(grid, lo, hi, &walk->window, dim)) {
    walk->y = walk->window.lo[1];
    walk->z = walk->window.lo[2];
  } else {
    walk->window = (grid_window){{0}, {0}};
    walk->runs[walk->waiting++] = (grid_run){0, grid->points.present};
  }
}

/* Writes the next run. Returns false at the end. */
ALWAYS_INLINE bool walk_next(grid_walk *walk, const struct grid *grid, grid_run *run) {
  if (!walk->waiting) {
    if (walk->y > walk->window.hi[1]) {
      walk->y = walk->window.lo[1];
      walk->z++;
    }
    if (walk->z > walk->window.hi[2]) return false;
    walk->waiting = grid_runs(grid, walk->window.lo[0], walk->y++, walk->z,
                              walk->window.hi[0] - walk->window.lo[0] + 1, walk->runs);
  }
  *run = walk->runs[--walk->waiting];
  return true;
}

/* ---- Regions ------------------------------------------------------------------------------ */

ALWAYS_INLINE uint32_t collect_in(const struct grid *grid, const region *where, const shape kind,
                                  const copse_query *query, copse_results *results, const int dim) {
  copse_results local = *results; /* a local copy, which can stay in registers */
  const scan_filter filter = points_filter(&grid->points, query);
  uint32_t visits = 0;
  float4 lo, hi;
  region_bounds(where, &lo, &hi, kind, dim);
  grid_walk walk;
  grid_run run;
  walk_start(&walk, grid, lo, hi, query->mask, dim);
  while (walk_next(&walk, grid, &run)) {
    visits++;
    if (kind == SHAPE_CIRCLE)
      region_scan(&grid->points.ordered, run.begin, run.end, where, &filter, &local, kind, dim);
    else
      points_scan(&grid->points, run.begin, run.end, where, kind, &filter, &local);
  }
  results->total = local.total;
  return visits;
}

ALWAYS_INLINE uint32_t collect_circle(const struct grid *grid, const region *where,
                                      const copse_query *query, copse_results *results) {
  return WITH_DIM(grid->points.dimensions, collect_in, grid, where, SHAPE_CIRCLE, query, results);
}

SMALL_CODE OUT_OF_LINE uint32_t collect_other(const struct grid *grid, const region *where,
                                              shape kind, const copse_query *query,
                                              copse_results *results) {
  const shape other = kind == SHAPE_BOX ? SHAPE_BOX : SHAPE_CONE;
  return collect_in(grid, where, other, query, results, (int)grid->points.dimensions);
}

uint32_t grid_collect(const void *grid, const region *where, shape kind, const copse_query *query,
                      copse_results *results) {
  return kind == SHAPE_CIRCLE ? collect_circle(grid, where, query, results)
                              : collect_other(grid, where, kind, query, results);
}

/* ---- Counting ----------------------------------------------------------------------------- */

SMALL_CODE uint32_t grid_count(const void *index, const region *circle, const copse_query *query,
                               bool stopAtFirst, uint32_t *visits) {
  const struct grid *grid = index;
  const int dim = (int)grid->points.dimensions;
  const scan_filter filter = points_filter(&grid->points, query);
  uint32_t total = 0;
  float4 lo, hi;
  region_bounds(circle, &lo, &hi, SHAPE_CIRCLE, dim);
  grid_walk walk;
  grid_run run;
  walk_start(&walk, grid, lo, hi, query->mask, dim);
  while (!(stopAtFirst && total) && walk_next(&walk, grid, &run)) {
    ++*visits;
    total += points_scan_count(&grid->points, run.begin, run.end, circle, &filter);
  }
  return total;
}

/* ---- Nearest ------------------------------------------------------------------------------ */

float grid_reach(const struct grid *grid, uint32_t k) {
  const float cell = 1 / grid->scale[1];
  /* In 3D, estimating the distance of the k-th neighbor takes a cube root, which costs more than it
   * gains. */
  if (grid->points.dimensions == 3) return cell;
  const float area = (grid->last[0] + 1) / grid->scale[0] * (grid->last[1] + 1) * cell;
  const float reach = sqrtf(area * (float)(k + 1) / (float)grid->points.present / 3.14159265f);
  return reach > 0 && reach < cell ? reach : cell; /* in a tiny grid, `area` underflows to 0 */
}

/* Updates the k nearest agents so far with those of a run. Returns 1, the number of runs visited.
 * If k is 1, it uses points_scan_nearest, which is faster than a heap of one entry. */
static uint32_t search_run(const struct grid *grid, grid_run run, const float *center,
                           const scan_filter *filter, scan_nearest *nearest) {
  if (nearest->k > 1) {
    points_scan_neighbors(&grid->points, run.begin, run.end, center, filter, nearest);
    return 1;
  }
  pair one = {nearest->limit2, nearest->size ? nearest->heap.ids[0] : COPSE_NONE};
  points_scan_nearest(&grid->points, run.begin, run.end, center, filter, &one);
  if (one.id == COPSE_NONE) return 1;
  pairs_set(nearest->heap, 0, one);
  nearest->limit2 = one.distance2;
  nearest->size = 1;
  return 1;
}

/* A part of a row of cells: the columns begin … end - 1. */
typedef struct columns {
  uint32_t begin, end;
} columns;

/* Writes the columns of row y in layer z of `window` that are not in `seen`, a smaller window
 * inside it. Returns the number of parts: 1 for a row outside of `seen`, else 2, left and right of
 * `seen`. */
ALWAYS_INLINE uint32_t unseen_columns(const grid_window *window, const grid_window *seen,
                                      uint32_t y, uint32_t z, columns parts[2]) {
  const bool again = y >= seen->lo[1] && y <= seen->hi[1] && z >= seen->lo[2] && z <= seen->hi[2];
  parts[0] = (columns){window->lo[0], again ? seen->lo[0] : window->hi[0] + 1};
  parts[1] = (columns){seen->hi[0] + 1, window->hi[0] + 1};
  return again ? 2 : 1;
}

/* Finds the k nearest agents: scans all cells within a reach, and doubles the reach until k agents
 * are within it. Skips the columns of each row that were already scanned with a smaller reach. */
uint32_t grid_neighbors(const void *index, const float *center, const copse_query *query,
                        scan_nearest *nearest) {
  const struct grid *grid = index;
  const int dim = (int)grid->points.dimensions;
  const scan_filter filter = points_filter(&grid->points, query);
  const float4 point = point4(center, dim);
  const float limit2 = nearest->limit2;
  grid_window window, seen = {{1, 1, 1, 1}, {0}}; /* an empty window: lo is greater than hi */
  uint32_t visits = 0;
  if (!points_have(&grid->points, query->mask)) return 0;
  for (float reach = grid_reach(grid, nearest->k);; reach *= 2) {
    const float4 far = float4_all(reach_of(reach * reach));
    if (!grid_window_of(grid, float4_sub(point, far), float4_add(point, far), &window, dim)) {
      nearest->size = 0;
      nearest->limit2 = limit2;
      return visits +
             search_run(grid, (grid_run){0, grid->points.present}, center, &filter, nearest);
    }
    bool whole = true;
    EACH_AXIS (axis, 3) whole &= window.lo[axis] == 0 && (float)window.hi[axis] == grid->last[axis];
    for (uint32_t z = window.lo[2]; z <= window.hi[2]; z++) {
      for (uint32_t y = window.lo[1]; y <= window.hi[1]; y++) {
        columns parts[2];
        const uint32_t count = unseen_columns(&window, &seen, y, z, parts);
        for (uint32_t part = 0; part < count; part++) {
          const columns row = parts[part];
          grid_run runs[2];
          uint32_t waiting = grid_runs(grid, row.begin, y, z, row.end - row.begin, runs);
          while (waiting > 0) visits += search_run(grid, runs[--waiting], center, &filter, nearest);
        }
      }
    }
    /* All agents within `reach` were scanned. If the k-th nearest so far is within it, all others
     * are farther away. */
    if (whole || reach * reach >= nearest->limit2) return visits;
    seen = window;
  }
}

uint32_t grid_nearest(const void *grid, const float *center, const copse_query *query,
                      pair *nearest) {
  const copse_points *points = grid;
  scan_nearest one = {{&nearest->distance2, &nearest->id}, 1, 0, nearest->distance2};
  return points->type->neighbors(grid, center, query, &one);
}
