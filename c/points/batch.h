/* What the batch queries of all indexes share: what is asked, agents gathered near each other, and
 * rows under way. Each index gathers in its own way. */
#ifndef COPSE_BATCH_H
#define COPSE_BATCH_H

#include "../base/query.h"
#include "points.h"

/* ---- What a batch asks ---- */

struct batch_query {
  const copse_points *points;
  copse_query query;
  const uint32_t *masks; /* by slot; NULL when no agent's mask filters anything */
  bool plain;            /* no mask of any kind filters anything */
  bool ofPoints;         /* rows are of points of the caller, which no agent is */
};

/* Whom an agent looks for. */
ALWAYS_INLINE uint32_t batch_mask_of(const batch_query *batch, uint32_t slot) {
  return batch->masks ? batch->masks[slot] & batch->query.mask : batch->query.mask;
}
/* Whom any of the agents begin … end of the index looks for. */
uint32_t batch_mask_of_run(const batch_query *batch, uint32_t begin, uint32_t end);

/* ---- Agents near each other ---- */

enum { NEAR_LIMIT = 2048, NEAR_PADDING = 12 };

/* What is gathered of an agent, besides where it is: groups only where the batch is not plain. For
 * places in the order of the index, these stand in for the ids. */
typedef enum gather_fields { GATHER_IDS, GATHER_IDS_AND_GROUPS, GATHER_PLACES } gather_fields;

/* Gathered agents, with room for a scan or copy past the end. */
typedef struct nearby {
  float axes[3][NEAR_LIMIT + NEAR_PADDING];
  uint32_t ids[NEAR_LIMIT + NEAR_PADDING];
  union {
    uint32_t groups[NEAR_LIMIT + NEAR_PADDING]; /* where agents have masks */
    float radii[NEAR_LIMIT + NEAR_PADDING];     /* where pairs touch by radius */
  };
  uint32_t size;
} nearby;

/* Ends a gathering: a scan reads past the end, where NaN is within no distance. */
ALWAYS_INLINE void nearby_end(nearby *near) {
  float4_store(near->axes[0] + near->size, float4_all(NAN));
  float4_store(near->axes[0] + near->size + 4, float4_all(NAN));
  for (uint32_t i = near->size; i < near->size + 8; i += 4) {
    float4_past_end(near->axes[1] + i);
    float4_past_end(near->axes[2] + i);
    float4_past_end(near->radii + i);
  }
}

/* From here on `dim` need not be constant, where small code matters more. */

/* Where a gathered agent is; in 2D z is 0. */
ALWAYS_INLINE void nearby_center(const nearby *near, uint32_t i, float *center, const int dim) {
  center[0] = near->axes[0][i];
  center[1] = near->axes[1][i];
  center[2] = dim == 3 ? near->axes[2][i] : 0;
}

/* Who asks. */
typedef struct batch_asker {
  scan_center center;
  word4 slot;
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

/* ---- Rows of all that are near ---- */

enum { ROWS_WAITING = 512 };

/* The rows under way. Where they lie is told many at once: slots next to each other in space are
 * far apart in memory, and so the processor waits for many of them at once. */
struct row_writer {
  uint32_t *offsets, *counts, *ids;
  uint32_t capacity; /* of ids */
  uint32_t used;     /* ids written */
  uint64_t missed;   /* ids of rows that did not fit */
  bool truncated;    /* once a row did not fit, none does */
  uint32_t waiting, slots[ROWS_WAITING], lie[ROWS_WAITING], hold[ROWS_WAITING];
};

/* Room for ids. */
ALWAYS_INLINE uint32_t rows_room(const row_writer *writer) {
  return writer->truncated ? 0 : writer->capacity - writer->used;
}

/* Tells where the waiting rows lie. */
void rows_tell(row_writer *writer);
/* Makes it possible for `count` more to wait. */
ALWAYS_INLINE void rows_expect(row_writer *writer, uint32_t count) {
  if (writer->waiting + count > ROWS_WAITING) rows_tell(writer);
}

/* Ends a row that was written at ids + used, of as many ids as there is room for; it is expected.
 */
ALWAYS_INLINE void row_fits(row_writer *writer, uint32_t row, uint32_t count) {
  const uint32_t i = writer->waiting++;
  writer->slots[i] = row;
  writer->lie[i] = writer->used;
  writer->hold[i] = count;
  writer->used += count;
}

/* Ends a row of any length. */
static inline void row_end(row_writer *writer, uint32_t row, uint32_t count) {
  const bool fits = count <= rows_room(writer);
  rows_expect(writer, 1);
  row_fits(writer, row, fits ? count : 0);
  if (fits) return;
  writer->missed += count;
  writer->truncated = true;
}

/* Writes the rows of `own` of the gathered, from `self` on: who of the gathered is within the
 * radius, without the asker. */
void batch_rows(const batch_query *batch, nearby *near, uint32_t self, uint32_t own, float radius2,
                row_writer *writer);

/* Writes the row of an agent by a query. */
void batch_row_alone(const batch_query *batch, const float *center, uint32_t slot, float radius,
                     row_writer *writer);

/* ---- Rows of the nearest ---- */

/* What the last agents teach about the next. */
typedef struct expectation {
  float reach2;  /* how far to gather */
  float guess2;  /* about the squared distance of the k-th neighbor */
  float margin;  /* reach2 over the mean of that */
  double sum2;   /* of the rows since the last `expect` */
  uint32_t full; /* how many of these have k */
} expectation;

/* Takes what was learnt for the next rows. */
void expect(expectation *expected);

/* Rows on their way to where they belong, many at once as in row_writer. */
enum { QUEUE_ROWS = 64 };
typedef struct row_queue {
  uint32_t size;
  uint32_t slots[QUEUE_ROWS], counts[QUEUE_ROWS], ids[QUEUE_ROWS * RANK_K];
  float distances2[QUEUE_ROWS * RANK_K];
} row_queue;

/* A search for the k > 0 nearest of all agents, or of the caller's points. */
struct neighbor_search {
  batch_query batch;
  uint32_t k;
  float max2; /* the query's maxDistance, squared */
  expectation expected;
  row_queue queue;
  copse_neighbor_rows *rows;
};

/* Every agent's k nearest, by a structure's function: that of its table, or another. */
copse_status batch_all_neighbors(const copse_points *points,
                                 void (*search_all)(const void *index, neighbor_search *search),
                                 uint32_t k, const copse_query *query, const uint32_t *masks,
                                 copse_neighbor_rows *rows);

/* Writes the rows of `own` of the gathered, from `self` on: their k nearest. Gathered are all
 * within reach2 of them: where that does not hold k, an agent's row is that of a query. */
void batch_nearest(neighbor_search *search, nearby *near, uint32_t self, uint32_t own,
                   float reach2);

/* The same for the nearest alone, in a plain batch of points that are not gathered themselves. */
void batch_nearest_one(neighbor_search *search, const nearby *near, uint32_t self, uint32_t own,
                       float reach2);

/* Writes the row of an agent by a query. */
void batch_nearest_alone(neighbor_search *search, const float *center, uint32_t slot);

/* ---- Pairs ---- */

struct pair_search {
  float distance2;    /* without radii */
  const float *radii; /* by slot, or NULL */
  float maxRadius;
  copse_results *results;
  uint64_t total; /* ids found */
};

/* How far, squared, anyone can be whom an agent of begin … end pairs with. */
float pairing_reach2(const pair_search *search, const batch_query *batch, uint32_t begin,
                     uint32_t end);

/* Pairs the agents begin … end with those gathered, by their places, that come later in the order
 * of the index; then nothing is gathered any more. */
void batch_pairs(const batch_query *batch, uint32_t begin, uint32_t end, nearby *near,
                 pair_search *search);

#endif
