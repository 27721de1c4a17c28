/* Rays through the grid. The segment from the ray's start to its end is divided into pieces of
 * equal length. Piece by piece, the agents in all cells within `reach` of the piece are tested,
 * until a piece contains the first hit. `reach` is slightly more than the agents' radius. */

#include "grid.h"

#include "ray.h"

#include <math.h>

/* A part of the segment. `begin` and `end` are fractions of the segment. */
typedef struct part {
  double begin, end;
} part;

/* Returns the part of the segment that is inside the bounds of all agents, widened by a cell and
 * by `reach`, which is slightly more than the agents' radius: no agent can be hit outside of this
 * part. */
ALWAYS_INLINE part part_in_bounds(const struct grid *grid, const scan_ray *ray, const int dim) {
  part inside = {0, 1};
  EACH_AXIS (axis, dim) {
    const double cell = 1 / (double)grid->scale[axis], wider = cell + (double)ray->reach;
    const double start = (double)ray->from[axis], origin = (double)grid->origin[axis];
    const double lo = origin - wider;
    const double hi = grid->last[axis] < GRID_LAST
                          ? origin + (double)grid->last[axis] * cell + wider
                          /* Column, row or layer GRID_LAST has no outer bound. */
                          : INFINITY;
    if (ray->way[axis] != 0) {
      const double a = (lo - start) / ray->way[axis], b = (hi - start) / ray->way[axis];
      const double first = a < b ? a : b, second = a < b ? b : a;
      if (first > inside.begin) inside.begin = first;
      if (second < inside.end) inside.end = second;
    } else if (start < lo || start > hi)
      inside.end = -1;
  }
  return inside;
}

/* Writes the window (a box of columns) that contains all cells within reach of a piece of the
 * segment. Like grid_window_of, returns false if columns of the window share table entries with
 * each other. */
ALWAYS_INLINE bool window_of_piece(const struct grid *grid, const scan_ray *ray, part piece,
                                   grid_window *window, const int dim) {
  float lo[3], hi[3];
  EACH_AXIS (axis, dim) {
    const double a = (double)ray->from[axis] + ray->way[axis] * piece.begin;
    const double b = (double)ray->from[axis] + ray->way[axis] * piece.end;
    /* The second term is for rounding. */
    const double wider = (double)ray->reach + 1e-12 * (fabs(a) + fabs(b));
    lo[axis] = (float)((a < b ? a : b) - wider);
    hi[axis] = (float)((a < b ? b : a) + wider);
  }
  return grid_window_of(grid, point4(lo, dim), point4(hi, dim), window, dim);
}

/* Casts a ray: if it hits an agent earlier than *hit, replaces *hit. Returns the number of runs of
 * agents (grid_run) that it visited. */
ALWAYS_INLINE uint32_t cast(const struct grid *grid, const scan_ray *ray, const copse_query *query,
                            copse_hit *hit, const int dim) {
  /* The ray is divided into pieces of about PIECE_CELLS cells. A piece costs about as much as
   * testing PIECE_WORK agents: if it costs less to test all agents than all pieces, tests all
   * agents. */
  enum { PIECE_CELLS = 2, PIECE_WORK = 8 };
  const copse_points *points = &grid->points;
  if (!points_have(points, query->mask)) return 0;
  const scan_filter filter = points_filter(points, query);
  const part inside = part_in_bounds(grid, ray, dim);
  if (!(inside.begin <= inside.end)) return 0;
  const double length = (inside.end - inside.begin) * sqrt(ray->way2);
  const double wanted = ceil(length * (double)grid->scale[1] / PIECE_CELLS);
  const uint32_t pieces = !(wanted > 1) ? 1 : wanted < points->present ? (uint32_t)wanted : 0;
  uint32_t visits = 0;
  scan_hits *all = ray->all;
  bool whole = pieces > 0 && pieces < 1 + points->present / PIECE_WORK;
  for (uint32_t i = 0; whole && i < pieces; i++) {
    const double step = (inside.end - inside.begin) / pieces;
    const part piece = {inside.begin + i * step, inside.begin + (i + 1) * step};
    grid_window window;
    whole = window_of_piece(grid, ray, piece, &window, dim);
    if (!whole) break; /* cells around this piece share table entries: test all agents, below */
    /* The cells around two pieces overlap, so an agent may be tested twice. Its hit counts only in
     * the piece that contains the point of the hit. */
    if (all) {
      all->begin = i == 0 ? 0 : (float)piece.begin;
      all->end = i + 1 == pieces ? INFINITY : (float)piece.end;
    }
    for (uint32_t z = window.lo[2]; z <= window.hi[2]; z++) {
      for (uint32_t y = window.lo[1]; y <= window.hi[1]; y++) {
        grid_run runs[2];
        uint32_t waiting =
            grid_runs(grid, window.lo[0], y, z, window.hi[0] - window.lo[0] + 1, runs);
        while (waiting > 0) {
          const grid_run *run = &runs[--waiting];
          points_scan_ray(points, run->begin, run->end, ray, &filter, hit);
          visits++;
        }
      }
    }
    if (hit->id != COPSE_NONE && (double)hit->fraction <= piece.end) return visits;
  }
  if (whole) return visits;
  if (all) *all = (scan_hits){{all->nearest.heap, all->nearest.k, 0, INFINITY}, 0, 0, INFINITY};
  points_scan_ray(points, 0, points->present, ray, &filter, hit);
  return visits + 1;
}

uint32_t grid_cast(const void *index, const scan_ray *ray, const copse_query *query,
                   copse_hit *hit) {
  const struct grid *grid = index;
  return WITH_DIM(grid->points.dimensions, cast, grid, ray, query, hit);
}
