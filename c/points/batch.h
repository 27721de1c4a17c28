/* Code that all batch queries share. A batch query writes a row of results for each agent or for
 * each of the caller's points, or finds pairs of agents. Each spatial structure (agent tree, grid,
 * k-d tree) has its own code to gather agents that are close together: to copy them into one array.
 * The code here scans that array and writes the results. */
#ifndef COPSE_BATCH_H
#define COPSE_BATCH_H

#include "../base/query.h"
#include "points.h"

/* ---- The parameters of a batch ---- */

struct batch_query {
  const copse_points *points;
  copse_query query;
  /* The mask of each agent, by slot; NULL if every mask has all bits. */
  const uint32_t *masks;
  /* True if no agent is filtered out: all masks have all bits and, if rows are for the caller's
   * points, no id is excluded. */
  bool plain;
  bool ofPoints; /* rows are for the caller's points, not for agents */
};

ALWAYS_INLINE uint32_t batch_mask_of(const batch_query *batch, uint32_t slot) {
  return batch->masks ? batch->masks[slot] & batch->query.mask : batch->query.mask;
}
/* Returns the union of the masks of a run of agents: the agents begin … end - 1 in the order of the
 * structure. */
uint32_t batch_mask_of_run(const batch_query *batch, uint32_t begin, uint32_t end);

/* ---- Gathered agents ---- */

/* NEAR_LIMIT is the maximum number of agents that are gathered (copied to one array) at a time. The
 * arrays have more entries, because the agent tree keeps several copies of each agent. */
enum { NEAR_LIMIT = 2048, NEAR_PADDING = 12, NEAR_ENTRIES = 7 * NEAR_LIMIT / 2 + NEAR_PADDING };

/* What to gather for each agent besides its position. Only a batch that filters agents needs
 * groups. GATHER_PLACES gathers the agent's place, its index in the order of the structure, instead
 * of its id. */
typedef enum gather_fields { GATHER_IDS, GATHER_IDS_AND_GROUPS, GATHER_PLACES } gather_fields;

/* Gathered agents: copies of agents that are close together. Reads and writes may go a few entries
 * past the end. */
typedef struct nearby {
  float axes[3][NEAR_ENTRIES];
  uint32_t ids[NEAR_ENTRIES];
  union {
    uint32_t groups[NEAR_ENTRIES]; /* used if the batch filters agents */
    float radii[NEAR_ENTRIES];     /* used to find pairs of agents with radii */
  };
  uint32_t size;
} nearby;

/* A run of gathered agents: begin … end - 1. Scans read four entries at a time, up to three past
 * the end. The entries past the end must be too far away to be found, or have an x of NaN. */
typedef struct near_run {
  uint32_t begin, end;
} near_run;

/* Sets x of the four entries from `end` on to NaN, so that a scan that reads past the end of a run
 * finds nothing there. */
ALWAYS_INLINE void nearby_end(nearby *near, uint32_t end) {
  float4_store(near->axes[0] + end, float4_all(NAN));
  float4_past_end(near->axes[1] + end);
  float4_past_end(near->axes[2] + end);
  float4_past_end(near->radii + end);
}

/* In the functions below, `dim` need not be a constant: some callers prefer small code to speed. */

/* Writes the position of a gathered agent; in 2D z is 0. */
ALWAYS_INLINE void nearby_center(const nearby *near, uint32_t i, float *center, const int dim) {
  center[0] = near->axes[0][i];
  center[1] = near->axes[1][i];
  center[2] = dim == 3 ? near->axes[2][i] : 0;
}

/* The agent, or the caller's point, that a row of results is for. */
typedef struct batch_asker {
  scan_center center;
  word4 skipped; /* the id to leave out of the row: that of the agent itself, or query.exclude */
  word4 mask;
} batch_asker;

ALWAYS_INLINE batch_asker asker_of(const batch_query *batch, const float *center, uint32_t slot,
                                   const int dim) {
  return (batch_asker){scan_center_at(center, dim),
                       word4_all(batch->ofPoints ? batch->query.exclude : slot),
                       word4_all(batch_mask_of(batch, slot))};
}

ALWAYS_INLINE batch_asker gathered_asker(const batch_query *batch, const nearby *near, uint32_t i,
                                         const int dim) {
  float center[3];
  nearby_center(near, i, center, dim);
  return asker_of(batch, center, near->ids[i], dim);
}

ALWAYS_INLINE float4 nearby_distance2(const nearby *near, uint32_t i, const batch_asker *asker,
                                      const int dim) {
  float4 d[3] = {float4_sub(float4_load(near->axes[0] + i), asker->center.axes[0]),
                 float4_sub(float4_load(near->axes[1] + i), asker->center.axes[1]), float4_all(0)};
  if (dim == 3) d[2] = float4_sub(float4_load(near->axes[2] + i), asker->center.axes[2]);
  return scan_sum_of_squares4(d, dim);
}

/* ---- Rows of all agents within a radius ---- */

/* A row whose ids are already written, but not its offset and count. It has `size` ids, from index
 * `begin` on. */
typedef struct waiting_row {
  uint32_t slot, begin, size;
} waiting_row;
enum { ROWS_WAITING = 512 };

typedef struct row_store row_store;

/* Writes rows of ids. The ids of a row are written immediately. Offsets and counts go to places far
 * apart in memory. So they wait, and are written for many rows at a time: then their cache misses
 * overlap. */
struct row_writer {
  uint32_t *offsets, *counts, *ids;
  uint32_t capacity;
  uint32_t used;
  uint64_t missed;        /* the number of ids in rows that did not fit */
  bool truncated;         /* true after a row that did not fit: all later rows are left empty */
  uint32_t waiting, most; /* how many rows wait, and how many can */
  waiting_row *rows;
  row_store *store; /* of a batch that is divided into tasks, see batch_tasks.c; else NULL */
};

/* Returns the number of ids that still fit. */
ALWAYS_INLINE uint32_t rows_room(const row_writer *writer) {
  return writer->truncated ? 0 : writer->capacity - writer->used;
}

/* Writes the offsets and counts of the waiting rows, whose ids are written already. */
void rows_flush(row_writer *writer);
/* Called before at most ROWS_WAITING rows of at most `count` ids in all. In a batch that is divided
 * into tasks, makes sure that a row that does not fit is one for which the results have no room. */
void rows_need_in_tasks(row_writer *writer, uint64_t count);
ALWAYS_INLINE void rows_need(row_writer *writer, uint64_t count) {
#ifdef COPSE_ONE_THREAD
  (void)writer, (void)count;
#else
  if (writer->store) rows_need_in_tasks(writer, count);
#endif
}
/* Makes room for `count` more waiting rows: flushes if there is none. */
ALWAYS_INLINE void rows_expect(row_writer *writer, uint32_t count) {
  if (writer->waiting + count > writer->most) rows_flush(writer);
}

/* Ends a row whose ids fit and are already in place, at writer->ids + writer->used. Call
 * rows_expect first. */
ALWAYS_INLINE void row_fits(row_writer *writer, uint32_t row, uint32_t count) {
  writer->rows[writer->waiting++] = (waiting_row){row, writer->used, count};
  writer->used += count;
}

/* Ends a row of any length. If its ids fit, they must already be in place. If not, the row becomes
 * empty, and its ids count as missed. */
static inline void row_end(row_writer *writer, uint32_t row, uint32_t count) {
  const bool fits = count <= rows_room(writer);
  rows_expect(writer, 1);
  row_fits(writer, row, fits ? count : 0);
  if (fits) return;
  writer->missed += count;
  writer->truncated = true;
}

/* Writes the rows of the gathered agents self … self + own - 1. A row holds the other agents that
 * are within the radius and match the agent's mask. For each row, scans one run of agents, in 3D
 * three: `runs` holds those of the first row, then those of the next, and so on. If `runs` is NULL,
 * scans all gathered agents. */
void batch_rows(const batch_query *batch, const nearby *near, uint32_t self, uint32_t own,
                const near_run *runs, float radius2, row_writer *writer);

/* Makes a query of the whole index for one agent, and writes the agent's row. */
void batch_row_alone(const batch_query *batch, const float *center, uint32_t slot, float radius,
                     row_writer *writer);

/* ---- Rows of the k nearest agents ---- */

/* Predicts how far the next agents are from their k-th neighbors, based on the rows written
 * recently. */
typedef struct expectation {
  /* Each agent's k-th neighbor is expected within this squared distance of the agent. All agents
   * within this squared distance of any agent that searches together with it are copied to one
   * array, perhaps with some others. Only this array is scanned. reach2 is 0 before the first call
   * of `expect`. Until then, each agent makes a query of the whole index instead. */
  float reach2;
  /* A squared distance for the next row: slightly more than k of the gathered agents are expected
   * within it. Used only if it is less than reach2. 0: no guess yet. */
  float guess2;
  float margin; /* `expect` multiplies the mean squared distance of k-th neighbors by this */
  /* The squared distances of k-th neighbors, summed over all full rows (rows of k ids) since the
   * last call of `expect`. */
  double sum2;
  /* The number of full rows (rows of k ids) since the last call of `expect`. */
  uint32_t full;
} expectation;

/* Predicts the squared distance of k-th neighbors (reach2) from the rows that were written since
 * the last call. */
void expect(expectation *expected);

/* Rows that are finished, but not yet copied to the arrays of the caller. Many rows are copied at a
 * time, so that their cache misses overlap, as in row_writer. */
enum { QUEUE_ROWS = 64 };
typedef struct row_queue {
  uint32_t size;
  uint32_t slots[QUEUE_ROWS], counts[QUEUE_ROWS], ids[QUEUE_ROWS * RANK_K];
  float distances2[QUEUE_ROWS * RANK_K];
} row_queue;

/* A search for the k nearest neighbors, k > 0, of every agent or of each of the caller's points. */
struct neighbor_search {
  batch_query batch;
  uint32_t k;
  float max2; /* the query's maxDistance, squared */
  expectation expected;
  row_queue queue;
  copse_neighbor_rows *rows;
  bool wantsDistances;
};

/* Finds the k nearest neighbors of every agent by calling `searchRange`, a function that each
 * structure has: for an agent tree, agenttree_all_neighbors. If wantsDistances is false, most rows
 * get no distances, which saves time. */
typedef void search_function(const void *index, neighbor_search *search, const task_range *places);
copse_status batch_all_neighbors(const copse_points *points, search_function *searchRange,
                                 uint32_t k, const copse_query *query, const uint32_t *masks,
                                 copse_neighbor_rows *rows, bool wantsDistances);

/* Writes the k nearest neighbors of the gathered entries self … self + own - 1, which are agents or
 * the caller's points. Scans `runs` as batch_rows does: the runs of an entry must hold all agents
 * within the squared distance reach2 of it. If fewer than k neighbors are within reach2, and the
 * search allows a greater distance, a query of the whole index finds them instead. */
void batch_nearest(neighbor_search *search, const nearby *near, uint32_t self, uint32_t own,
                   const near_run *runs, float reach2);

/* Does the same as batch_nearest for k = 1, but faster. Only for the caller's points, and only if
 * no mask filters agents and no id is excluded. Scans all gathered agents. */
void batch_nearest_one(neighbor_search *search, const nearby *near, uint32_t self, uint32_t own,
                       float reach2);

/* Makes a query of the whole index for one agent, and writes the agent's row. */
void batch_nearest_alone(neighbor_search *search, const float *center, uint32_t slot);

/* ---- Batches that are divided into tasks: see batch_tasks.c ---- */

/* If there are enough agents (WITHIN_DIVIDED for all_within, NEIGHBORS_DIVIDED for all_neighbors)
 * and a runner (copse_tasks), a batch for all agents is divided into tasks for ranges of agents.
 * The size of a range is a multiple of BATCH_RANGE. Rows do not depend on the ranges. */
enum { BATCH_RANGE = 512, WITHIN_DIVIDED = 4096, NEIGHBORS_DIVIDED = 2048 };

/* Copies the finished rows in search->queue to the results. */
void batch_flush(neighbor_search *search);

void batch_within_in_tasks(const batch_query *batch, float radius, row_writer *results);
void batch_neighbors_in_tasks(const neighbor_search *search, search_function *searchRange);

/* ---- Pairs ---- */

struct pair_search {
  float distance2;    /* the maximum squared distance of a pair, used if `radii` is NULL */
  const float *radii; /* the radius of each agent, by slot; or NULL */
  float maxRadius;
  copse_results *results;
  uint64_t total; /* ids found, two per pair */
};

/* Returns the greatest squared distance at which one of the agents begin … end - 1 (in the order of
 * the structure) can form a pair with another agent. */
float pairing_reach2(const pair_search *search, const batch_query *batch, uint32_t begin,
                     uint32_t end);

/* Finds the pairs that each of the agents begin … end - 1 forms with gathered agents that come
 * later in the order of the structure, so that each pair is found once. near->ids must hold indices
 * in this order, not ids (see GATHER_PLACES). Empties `near`. */
void batch_pairs(const batch_query *batch, uint32_t begin, uint32_t end, nearby *near,
                 pair_search *search);
/* Does the same as batch_pairs for one agent, the one at index `place`. The gathered positions must
 * be relative to this agent, so that its own position is 0. */
void batch_pairs_around(const batch_query *batch, uint32_t place, nearby *near,
                        pair_search *search);

#endif
