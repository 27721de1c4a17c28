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
 * no room even for one column per cell, cells that are far apart share an entry: `entryMask` takes
 * the sum modulo the size of the table, and the distance test tells their agents apart.
 *
 * If the world wraps around, the cells divide it exactly, and entries are never shared: cells are
 * widened instead. Positions are moved into the world. Such a grid has a table of functions of its
 * own: see grid_wrap.c. */
#ifndef COPSE_GRID_H
#define COPSE_GRID_H

#include "points.h"

struct grid {
  copse_points points;
  float cellSize;
  uint32_t *entryOf; /* the table entry of each slot; used only while building */

  /* Used only if the world wraps around. In 2D, least[2], size[2] and slack[2] are 0. */
  float least[4];    /* the world's lower corner */
  float size[4];     /* the size of the world along each axis */
  float slack[3];    /* how much wider to search near the world's edges, because of rounding */
  float inner[2][4]; /* a box inside these bounds does not reach the world's edges */

  /* The table of the last build. */
  uint32_t *starts; /* where the agents of each entry begin; then the end of the last entry */
  uint32_t entries;
  uint32_t entryMask; /* entries - 1 if entries are shared, else all ones */
  uint32_t columns;   /* how many columns each cell is divided into along x */
  uint32_t strides[3];
  /* One value per axis. The fourth value is 0, and in 2D the third too. */
  float origin[4]; /* the center of the first column, row and layer */
  float scale[4];  /* columns, rows and layers per world unit */
  float last[4];   /* the indices of the last column, row and layer */
};

/* GRID_LAST is the highest index of a column, row or layer. Points beyond it get this index. Each
 * cell is divided along x into at most GRID_COLUMNS columns. */
enum { GRID_LAST = (1 << 22) - 1, GRID_COLUMNS = 16 };

/* Returns the indices of the column, row and layer that contain a point, or of the nearest ones if
 * the point is outside the grid. A greater coordinate never gets a smaller index, in spite of
 * rounding. So a point between two others has an index between theirs. */
ALWAYS_INLINE word4 grid_numbers(const struct grid *grid, float4 point) {
  float4 t = float4_mul(float4_sub(point, float4_load(grid->origin)), float4_load(grid->scale));
  /* Infinity times 0 is NaN: float4_max turns NaN into 0. */
  return float4_round(float4_min(float4_max(float4_all(0), t), float4_load(grid->last)));
}

/* A box-shaped part of the grid: its first and last column (x), row (y) and layer (z),
 * inclusive. */
typedef struct grid_window {
  uint32_t lo[4], hi[4];
} grid_window;

/* Writes the window that contains the box lo … hi. Returns false if some of its columns share
 * entries with each other, because agents would then be found twice: the caller must scan all
 * agents instead. */
ALWAYS_INLINE bool grid_window_of(const struct grid *grid, float4 lo, float4 hi,
                                  grid_window *window, const int dim) {
  word4_store(window->lo, grid_numbers(grid, lo));
  word4_store(window->hi, grid_numbers(grid, hi));
  if (grid->entryMask == UINT32_MAX) return true;
  uint64_t sizes[3];
  EACH_AXIS (axis, 3) sizes[axis] = window->hi[axis] - window->lo[axis] + 1;
  if (sizes[0] > grid->strides[1]) return false;
  if (dim == 2) return sizes[1] * grid->strides[1] <= grid->entries;
  return sizes[1] * grid->strides[1] <= grid->strides[2] &&
         sizes[2] * grid->strides[2] <= grid->entries;
}

/* Returns the index of the table entry for column x in row y and layer z. If columns share entries,
 * the sum below may overflow 32 bits. That does no harm: `&` takes it modulo the number of entries,
 * a power of two. */
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

/* ---- Building ---- */

/* Returns the maximum number of table entries for n agents. Depends only on n, not on the capacity,
 * so that the order of agents does not depend on the capacity either. */
uint64_t grid_entry_budget(uint64_t n);
/* Returns the coordinates of four slots along an axis. Slots past the last are replaced by the
 * last. */
ALWAYS_INLINE float4 grid_load4(const points_source *source, uint32_t slot, int axis) {
  const float *x = source->positions.axes[axis];
  const size_t stride = source->positions.stride, last = source->count - 1;
  float lanes[4];
  UNROLL for (uint32_t lane = 0; lane < 4; lane++) {
    const size_t index = slot + lane < last ? slot + lane : last;
    lanes[lane] = x[index * stride];
  }
  return float4_load(lanes);
}
/* Sets up the table with an entry of its own for every column. `counts` holds the numbers of
 * columns, rows and layers; `total` is their product. */
void grid_share_nothing(struct grid *grid, double total, const uint32_t *counts);
/* Sorts the agents of `source` into the table, whose layout is set. The cell of each agent is that
 * of its position in `counted`. This is `source` again or, if the world wraps around, a copy with
 * the positions moved into the world. */
void grid_fill(struct grid *grid, const points_source *source, const points_source *counted,
               const points_survey *survey);

/* ---- Worlds that wrap around: see grid_wrap.c ---- */

extern const points_type WRAPPED_GRID;
/* True if copse_grid_def.wrap holds the corners of a world. */
bool wrapped_ok(const float *wrap, uint32_t dim);
/* Makes the world of a new grid wrap around. */
void wrapped_init(struct grid *grid, const float *wrap);

/* True if the box lo … hi does not reach the edges of the world. A query with these bounds can then
 * ignore that the world wraps around. */
bool grid_is_inner(const struct grid *grid, float4 lo, float4 hi);

/* A loop over all runs of agents that can be near a box (a run: agents that are side by side in the
 * order of the grid). */
typedef struct wrapped_walk {
  const struct grid *grid;
  /* The columns, rows and layers to visit. Their indices go on across the edge of the world: with
   * 10 columns, 0 … 9, the index 11 stands for column 1. */
  grid_window window;
  uint32_t y, z; /* the row to visit next, and its layer */
  bool second;   /* true if the part of the row across the world's edge is next */
  grid_run run;  /* the part of a run that was not read yet */
} wrapped_walk;

/* Starts a walk over all agents within reach of the box lo … hi, which must be in the world. If lo
 * equals hi, the box is a point. */
void wrapped_start(wrapped_walk *walk, const struct grid *grid, const float *lo, const float *hi,
                   float reach2);
/* Writes the next run, or the next part of a run, of at most `most` agents. Returns false at the
 * end. */
bool wrapped_next(wrapped_walk *walk, uint32_t most, grid_run *run);
/* Writes the differences of `count` coordinates of an axis from `center`, by the shorter way around
 * the world. May also write up to three entries more. */
void wrapped_differences(const struct grid *grid, int axis, const float *x, uint32_t count,
                         float center, float *differences);

/* The functions for points_type, where the comments say what each of them does. */
void wrapped_build(void *grid, const points_source *source, const points_survey *survey);
void wrapped_options(const void *grid, uint32_t words[POINTS_OPTIONS]);
uint32_t wrapped_collect(const void *grid, const region *where, shape kind,
                         const copse_query *query, copse_results *results);
uint32_t wrapped_neighbors(const void *grid, const float *center, const copse_query *query,
                           scan_nearest *nearest);
uint32_t wrapped_count(const void *grid, const region *circle, const copse_query *query,
                       bool stopAtFirst, uint32_t *visits);
void wrapped_all_within(const void *grid, const batch_query *batch, float radius,
                        const task_range *places, row_writer *writer);
void wrapped_all_neighbors(const void *grid, neighbor_search *search, const task_range *places);
void wrapped_pairs(const void *grid, const batch_query *batch, pair_search *search);

/* ---- The functions of any other grid for points_type ---- */

void grid_build(void *grid, const points_source *source, const points_survey *survey);
void grid_options(const void *grid, uint32_t words[POINTS_OPTIONS]);
uint32_t grid_collect(const void *grid, const region *where, shape kind, const copse_query *query,
                      copse_results *results);
uint32_t grid_count(const void *grid, const region *circle, const copse_query *query,
                    bool stopAtFirst, uint32_t *visits);
uint32_t grid_nearest(const void *grid, const float *center, const copse_query *query,
                      pair *nearest);
uint32_t grid_neighbors(const void *grid, const float *center, const copse_query *query,
                        scan_nearest *nearest);
/* Estimates how far from a point its k-th neighbor is, as if all agents were spread evenly over the
 * grid. Returns at most the size of a cell: where agents are crowded, the estimate would be much
 * too large. */
float grid_reach(const struct grid *grid, uint32_t k);
uint32_t grid_cast(const void *grid, const scan_ray *ray, const copse_query *query, copse_hit *hit);
void grid_all_within(const void *grid, const batch_query *batch, float radius,
                     const task_range *places, row_writer *writer);
void grid_all_neighbors(const void *grid, neighbor_search *search, const task_range *places);
void grid_pairs(const void *grid, const batch_query *batch, pair_search *search);

#endif
