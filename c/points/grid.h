/* The uniform grid: a counting sort of agents into square (in 3D cubic) cells of one size.
 *
 * Each cell is divided along x into up to 16 columns: with narrow columns, a query reads fewer
 * agents that are too far left or right. A table with an entry per column says where the agents of
 * each column begin. Column i along x, in row j and layer k of cells, has the entry
 * (i + j * strides[1] + k * strides[2]) & entryMask. Agents are stored in the order of their
 * entries, and by id in an entry. Adjacent columns of a row have adjacent entries, so that a query
 * reads one run of agents per row.
 *
 * The table has a few entries per agent, which limits the number of columns of a cell. If there is
 * no room even for one column per cell, distant cells share an entry: `entryMask` takes the sum
 * modulo the size of the table, and the distance test tells their agents apart.
 *
 * If the world wraps around, the cells divide it exactly, and entries are never shared: cells are
 * widened instead. Positions are moved into the world. A query whose window ends inside the world
 * cannot see across the world's edges, so it works as in any other grid. All other queries are in
 * grid_wrap.c. */
#ifndef COPSE_GRID_H
#define COPSE_GRID_H

#include "points.h"

struct grid {
  copse_points points;
  float cellSize;
  bool wraps;        /* the world wraps around: it is a torus */
  bool hasMoved;     /* the last build moved an agent into the world */
  float least[4];    /* the world's lower corner; in 2D z is 0, and so in the next two */
  float size[4];     /* the size of the world along each axis */
  float slack[3];    /* more than all rounding errors of a difference across the world's edge */
  float inner[2][4]; /* a window inside these bounds does not reach the world's edges */
  uint32_t *entryOf; /* the table entry of each slot; used only while building */

  /* The table of the last build. */
  uint32_t *starts; /* where the agents of each entry begin; then the end of the last entry */
  uint32_t entries;
  uint32_t entryMask; /* entries - 1 if entries are shared, else all ones */
  uint32_t columns;   /* the number of columns of each cell */
  uint32_t strides[3];
  /* One value per axis. The fourth value is 0, and in 2D the third too. */
  float origin[4]; /* the center of the first column, row and layer */
  float scale[4];  /* columns, rows and layers per world unit */
  float last[4];   /* the numbers of the last column, row and layer */
};

/* The highest number that a column, row or layer can have. Points farther away get this number. */
enum { GRID_LAST = (1 << 22) - 1 };

/* Returns the numbers of the column, row and layer that contain a point, or of the nearest ones if
 * the point is outside the grid. A greater coordinate never gets a smaller number, in spite of
 * rounding. So a point between two others has a number between theirs. */
ALWAYS_INLINE word4 grid_numbers(const struct grid *grid, float4 point) {
  float4 t = float4_mul(float4_sub(point, float4_load(grid->origin)), float4_load(grid->scale));
  /* Infinity times 0 is NaN: float4_max turns NaN into 0. */
  return float4_round(float4_min(float4_max(float4_all(0), t), float4_load(grid->last)));
}

/* A box of columns: the first and the last number along each axis, both inclusive. */
typedef struct grid_window {
  uint32_t lo[4], hi[4];
} grid_window;

/* True if the box lo … hi does not reach the edges of a world that wraps around: then no agent in
 * the box is nearer to its center across an edge, nor is an agent outside. */
bool grid_is_inner(const struct grid *grid, float4 lo, float4 hi);

/* Writes the window that contains the box lo … hi. Returns false if some of its columns share
 * entries with each other, because agents would then be found twice: the caller must scan all
 * agents instead. In a world that wraps around, returns false if the box reaches its edges. */
ALWAYS_INLINE bool grid_window_of(const struct grid *grid, float4 lo, float4 hi,
                                  grid_window *window, const int dim) {
  word4_store(window->lo, grid_numbers(grid, lo));
  word4_store(window->hi, grid_numbers(grid, hi));
  if (grid->entryMask == UINT32_MAX) return !grid->wraps || grid_is_inner(grid, lo, hi);
  uint64_t sizes[3];
  EACH_AXIS (axis, 3) sizes[axis] = window->hi[axis] - window->lo[axis] + 1;
  if (sizes[0] > grid->strides[1]) return false;
  if (dim == 2) return sizes[1] * grid->strides[1] <= grid->entries;
  return sizes[1] * grid->strides[1] <= grid->strides[2] &&
         sizes[2] * grid->strides[2] <= grid->entries;
}

/* Returns the table entry of column x in row y and layer z. If entries are shared, the sum may
 * overflow 32 bits, which does no harm: it is taken modulo the number of entries, a power of
 * two. */
ALWAYS_INLINE uint32_t grid_entry(const struct grid *grid, uint32_t x, uint32_t y, uint32_t z) {
  return (x + y * grid->strides[1] + z * grid->strides[2]) & grid->entryMask;
}

/* A run of agents: begin … end - 1 in the order of the grid. */
typedef struct grid_run {
  uint32_t begin, end;
} grid_run;

/* Writes the runs of agents in the columns x … x + count - 1 of row y in layer z. All these columns
 * must exist. Returns the number of runs: one, or two if the columns wrap around the end of the
 * table. */
ALWAYS_INLINE uint32_t grid_runs(const struct grid *grid, uint32_t x, uint32_t y, uint32_t z,
                                 uint32_t count, grid_run *runs) {
  const uint32_t first = grid_entry(grid, x, y, z);
  WORKED(1);
  runs[0].begin = grid->starts[first];
  if (first + count <= grid->entries) {
    runs[0].end = grid->starts[first + count];
    return 1;
  }
  runs[0].end = grid->starts[grid->entries];
  runs[1].begin = 0;
  runs[1].end = grid->starts[first + count - grid->entries];
  return 2;
}

/* ---- Worlds that wrap around, see grid_wrap.c ---- */

/* Returns a coordinate moved into the world along an axis. A coordinate in the world is returned as
 * it is. */
float grid_wrapped(const struct grid *grid, float x, int axis);

/* A walk over the runs of all agents that may be within reach of a box. */
typedef struct wrapped_walk {
  const struct grid *grid;
  /* A number past the last stands for one at the other side of the world: it is less by the number
   * of columns, rows or layers. */
  grid_window window;
  uint32_t y, z; /* the row to visit next, and its layer */
  bool second;   /* the row's columns at the other side of the world are next */
  grid_run run;  /* the part of a run that was not read yet */
} wrapped_walk;

/* Starts a walk around the box lo … hi, or a point if both are the same. It must be in the
 * world. */
void wrapped_start(wrapped_walk *walk, const struct grid *grid, const float *lo, const float *hi,
                   float reach2);
/* Writes the next run, or the next part of a run, of at most `most` agents. Returns false at the
 * end. */
bool wrapped_next(wrapped_walk *walk, uint32_t most, grid_run *run);

/* Returns differences of coordinates along an axis, by the shorter way, of plain differences. */
ALWAYS_INLINE float4 wrapped_difference(float4 d, float4 size) {
  const float4 half = float4_mul(size, float4_all(0.5f));
  const word4 words = float4_as_words(size);
  d = float4_sub(d, word4_as_floats(word4_and(float4_lt(half, d), words)));
  const word4 below = float4_lt(d, float4_sub(float4_all(0), half));
  return float4_add(d, word4_as_floats(word4_and(below, words)));
}
/* Writes for each axis the differences of the positions of a run of agents from a center, by the
 * shorter way, and up to three entries more. */
void wrapped_differences(const struct grid *grid, grid_run run, const float *center,
                         float *const *differences);
/* Continues grid_neighbors with windows that reach the edges of the world, from a reach on. */
uint32_t wrapped_neighbors(const struct grid *grid, const float *center, const copse_query *query,
                           float reach, scan_nearest *nearest);

/* The functions for points_type that differ. */
uint32_t wrapped_collect(const void *grid, const region *where, shape kind,
                         const copse_query *query, copse_results *results);
uint32_t wrapped_count(const void *grid, const region *circle, const copse_query *query,
                       bool stopAtFirst, uint32_t *visits);
uint32_t wrapped_nearest(const void *grid, const float *center, const copse_query *query,
                         pair *nearest);
uint32_t wrapped_nearest_of(const void *grid, const float *center, const copse_query *query,
                            scan_nearest *nearest);

/* The grid's functions for points_type, where the comments say what each of them does. */
uint32_t grid_collect(const void *grid, const region *where, shape kind, const copse_query *query,
                      copse_results *results);
uint32_t grid_count(const void *grid, const region *circle, const copse_query *query,
                    bool stopAtFirst, uint32_t *visits);
uint32_t grid_nearest(const void *grid, const float *center, const copse_query *query,
                      pair *nearest);
uint32_t grid_neighbors(const void *grid, const float *center, const copse_query *query,
                        scan_nearest *nearest);
uint32_t grid_cast(const void *grid, const scan_ray *ray, const copse_query *query, copse_hit *hit);
void grid_all_within(const void *grid, const batch_query *batch, float radius, row_writer *writer);
void grid_all_neighbors(const void *grid, neighbor_search *search);
void grid_pairs(const void *grid, const batch_query *batch, pair_search *search);

#endif
