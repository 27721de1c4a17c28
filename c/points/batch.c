/* Batch queries of points: checks of arguments, writing rows of results, and code that all
 * structures share.
 *
 * Terms (see batch.h). A structure *gathers* agents that are close together: it copies them into
 * one array, a `nearby`. A *run* is a range of this array. An *asker* is an agent, or one of the
 * caller's points, that gets a row of results. */

#include "batch.h"

#include <string.h>

/* ---- The parameters of a batch ----------------------------------------------------------- */

/* Initializes the query of a batch. Returns false if the query asks for sorted results, which
 * batches do not have. */
SMALL_CODE static bool start(batch_query *batch, const copse_points *points,
                             const copse_query *query, const uint32_t *masks) {
  *batch = (batch_query){.points = points, .query = query_or_default(query)};
  uint32_t common = COPSE_ALL_GROUPS;
  if (masks)
    for (uint32_t i = 0; i < points->builtCount; i++) common &= masks[i];
  if (common != COPSE_ALL_GROUPS) batch->masks = masks;
  batch->plain = !batch->masks && batch->query.mask == COPSE_ALL_GROUPS;
  return batch->query.sort == COPSE_SORT_NONE;
}

/* Returns the number of rows in a batch of all agents: the number of slots now or at the last
 * build, whichever is greater. */
static uint32_t row_count(const copse_points *points) {
  return points->slots > points->builtCount ? points->slots : points->builtCount;
}

SMALL_CODE uint32_t batch_mask_of_run(const batch_query *batch, uint32_t begin, uint32_t end) {
  if (!batch->masks) return batch->query.mask;
  uint32_t mask = 0;
  for (uint32_t i = begin; i < end; i++)
    mask |= batch_mask_of(batch, batch->points->ordered.ids[i]);
  return mask;
}

/* Returns the query that fills one row of the results: the row of an agent, or of one of the
 * caller's points. An agent's query uses the agent's mask and excludes the agent. */
static copse_query query_of(const batch_query *batch, uint32_t slot) {
  copse_query query = batch->query;
  if (!batch->ofPoints) query.exclude = slot;
  query.mask = batch_mask_of(batch, slot);
  return query;
}

/* The runs to scan for each row of results. */
typedef struct run_list {
  const near_run *runs; /* the runs for the next row */
  uint32_t count;       /* how many runs to scan for each row */
  uint32_t step; /* how far to advance `runs` after each row; 0 if all rows scan the same runs */
} run_list;

static run_list run_list_of(const near_run *runs, const near_run *whole, uint32_t dimensions) {
  const uint32_t count = dimensions == 3 ? 3 : 1;
  return runs ? (run_list){runs, count, count} : (run_list){whole, 1, 0};
}

/* Filters the gathered agents i … i + 3. `inside` says which of them are within the distance.
 * Returns a bit for each, set if it is inside and belongs in the asker's row. The asker itself is
 * left out, and so are agents that the query excludes and agents whose groups do not match the
 * asker's mask. In a plain batch all groups match. */
ALWAYS_INLINE uint32_t wanted(word4 inside, const nearby *near, uint32_t i, word4 ids,
                              const batch_asker *asker, const bool plain) {
  inside = word4_without(inside, word4_equal(ids, asker->skipped));
  if (plain) return word4_bits(inside);
  word4 common = word4_and(word4_load(near->groups + i), asker->mask);
  return word4_bits(word4_without(inside, word4_equal(common, word4_all(0))));
}

/* ---- Rows of all agents within a radius -------------------------------------------------- */

/* Initializes a writer for `count` rows. If only some of them will be written (`written` <
 * `count`), empties all rows first. `waiting` keeps the offsets and counts of up to ROWS_WAITING
 * rows, until rows_flush. */
SMALL_CODE static void rows_start(row_writer *writer, waiting_row *waiting, const copse_rows *rows,
                                  uint32_t count, uint32_t written) {
  if (count > written) {
    memset(rows->offsets, 0, count * sizeof(uint32_t));
    memset(rows->counts, 0, count * sizeof(uint32_t));
  }
  /* If the capacity is 0, rows->ids may be NULL, and adding to NULL is undefined. Nothing is
   * written then, so any other pointer will do. */
  uint32_t *const ids = rows->capacity ? rows->ids : rows->offsets;
  *writer = (row_writer){rows->offsets,  rows->counts,         ids,
                         rows->capacity, .most = ROWS_WAITING, .rows = waiting};
}

void rows_flush(row_writer *writer) {
  for (uint32_t i = 0; i < writer->waiting; i++) {
    WORKED(1);
    const waiting_row *row = &writer->rows[i];
    writer->offsets[row->slot] = row->begin;
    writer->counts[row->slot] = row->size;
  }
  writer->waiting = 0;
}

SMALL_CODE static void rows_end(row_writer *writer, copse_rows *rows) {
  rows_flush(writer);
  const uint64_t total = writer->used + writer->missed;
  rows->total = total > UINT32_MAX ? UINT32_MAX : (uint32_t)total;
  rows->truncated = writer->truncated;
}

/* Appends agents of a run to a row: those that are within the distance and belong in the row. The
 * row has `total` ids so far. Returns its new length. */
ALWAYS_INLINE uint32_t append_run(const nearby *near, near_run run, const batch_asker *asker,
                                  float4 limit2, uint32_t *row, uint32_t total, const bool plain,
                                  const int dim) {
  for (uint32_t i = run.begin; i < run.end; i += 4) {
    const word4 ids = word4_load(near->ids + i);
    const word4 inside = float4_le(nearby_distance2(near, i, asker, dim), limit2);
    const uint32_t bits = wanted(inside, near, i, ids, asker, plain);
    word4_store_packed(row + total, ids, bits);
    total += bits_count(bits);
  }
  return total;
}

/* Writes the rows of gathered agents, see batch_rows. If `roomy` is true, there is room for all ids
 * of the runs, and rows are written in place. If not, each row is written to another array first.
 */
ALWAYS_INLINE void rows_of_in(const batch_query *batch, const nearby *near, uint32_t self,
                              uint32_t own, run_list list, float radius2, const bool roomy,
                              row_writer *writer, const bool plain, const int dim) {
  const float4 limit2 = float4_all(radius2);
  uint32_t elsewhere[NEAR_LIMIT + NEAR_PADDING];
  rows_expect(writer, own);
  for (const uint32_t end = self + own; self < end; self++, list.runs += list.step) {
    const batch_asker asker = gathered_asker(batch, near, self, dim);
    uint32_t *const row = roomy ? writer->ids + writer->used : elsewhere;
    uint32_t count = 0;
    for (uint32_t run = 0; run < list.count; run++)
      count = append_run(near, list.runs[run], &asker, limit2, row, count, plain, dim);
    if (roomy) {
      row_fits(writer, near->ids[self], count);
    } else {
      if (count && count <= rows_room(writer))
        memcpy(writer->ids + writer->used, row, count * sizeof *row);
      row_end(writer, near->ids[self], count);
    }
  }
}

DEFINE_PAIR_VOID(void, rows_of,
                 (const batch_query *batch, const nearby *near, uint32_t self, uint32_t own,
                  run_list list, float radius2, bool roomy, row_writer *writer),
                 batch, near, self, own, list, radius2, roomy, writer, true)
SMALL_CODE OUT_OF_LINE void rows_of_masked(const batch_query *batch, const nearby *near,
                                           uint32_t self, uint32_t own, run_list list,
                                           float radius2, bool roomy, row_writer *writer) {
  rows_of_in(batch, near, self, own, list, radius2, roomy, writer, false,
             (int)batch->points->dimensions);
}

void batch_rows(const batch_query *batch, const nearby *near, uint32_t self, uint32_t own,
                const near_run *runs, float radius2, row_writer *writer) {
  const uint32_t dim = batch->points->dimensions;
  const near_run whole = {0, near->size};
  const run_list list = run_list_of(runs, &whole, dim);
  uint32_t most = 0;
  for (uint32_t row = 0; row < own; row++)
    for (uint32_t run = 0; run < list.count; run++) {
      const near_run *next = &list.runs[row * list.step + run];
      most += next->end - next->begin + 3; /* a store writes up to three ids too many */
    }
  rows_need(writer, most);
  const bool roomy = rows_room(writer) >= most;
  if (!batch->plain)
    rows_of_masked(batch, near, self, own, list, radius2, roomy, writer);
  else
    CALL_PAIR(dim, rows_of, batch, near, self, own, list, radius2, roomy, writer);
}

SMALL_CODE void batch_row_alone(const batch_query *batch, const float *center, uint32_t slot,
                                float radius, row_writer *writer) {
  const copse_query query = query_of(batch, slot);
  rows_need(writer, batch->points->present);
  copse_results results = {.ids = writer->ids + writer->used, .capacity = rows_room(writer)};
  copse_points_within(batch->points, center, radius, &query, &results);
  row_end(writer, slot, results.total);
}

static bool coordinates_ok(const batch_query *batch, const float *points, uint32_t n) {
  for (size_t i = 0; i < (size_t)n * batch->points->dimensions; i++)
    if (!is_coordinate(points[i])) return false;
  return true;
}

SMALL_CODE copse_status copse_points_all_within(const copse_points *points, float radius,
                                                const copse_query *query, const uint32_t *masks,
                                                copse_rows *rows) {
  batch_query batch;
  waiting_row waiting[ROWS_WAITING];
  row_writer writer;
  if (!start(&batch, points, query, masks) || !query_radius_ok(radius))
    return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  rows_start(&writer, waiting, rows, row_count(points), points->present);
  if (tasks_divide(&points->tasks, points->present, WITHIN_DIVIDED))
    batch_within_in_tasks(&batch, radius, &writer);
  else
    points->type->allWithin(points, &batch, radius, NULL, &writer);
  rows_end(&writer, rows);
  return COPSE_OK;
}

/* ---- Rows of the k nearest agents -------------------------------------------------------- */

/* select_near, below, first collects a row's candidates within a guessed squared distance, guess2.
 * The guess is the squared distance from an earlier row's agent to its k-th neighbor, times
 * GUESS_MARGIN. Measured: with 1.3, a second try is rarely needed, and few candidates are
 * superfluous. */
static const float GUESS_MARGIN = 1.3f;

/* If the candidates are too few or too many, select_near tries another distance. After this many
 * tries, it collects all agents within the greatest distance that it may search (limit2), and uses
 * a heap if there are too many of them. */
enum { SELECT_TRIES = 4 };

SMALL_CODE static expectation expectation_start(uint32_t k, uint32_t dimensions) {
  /* Agents differ in how far away their k-th neighbor is, so `expect` takes the mean of the squared
   * distances, and multiplies it by a margin. If positions are random (a Poisson process), this
   * reaches the k-th neighbor of about 99% of the agents. In 3D, squared distances vary 2/3 as much
   * as in 2D. */
  const float spread = 2.33f / sqrtf((float)k) + 1.4f / (float)k;
  return (expectation){.margin = 1 + (dimensions == 3 ? spread * 2 / 3 : spread)};
}

void expect(expectation *expected) {
  if (expected->full)
    expected->reach2 = (float)(expected->sum2 / expected->full) * expected->margin;
  else if (expected->reach2 > 0)
    expected->reach2 *= 4; /* no row had k ids: the next search looks twice as far */
  else
    expected->reach2 = INFINITY;
  expected->sum2 = 0;
  expected->full = 0;
}

/* Collects the possible neighbors of an asker: gathered agents in the runs of `list` that are
 * within the squared distance limit2 and pass the query's filters. Writes them to `candidates`,
 * which needs room for NEAR_LIMIT + NEAR_PADDING entries. Returns their number. */
ALWAYS_INLINE uint32_t collect_in(const nearby *near, const run_list *list,
                                  const batch_asker *asker, float limit2, pairs candidates,
                                  const bool plain, const int dim) {
  const float4 limit = float4_all(limit2);
  uint32_t total = 0;
  for (uint32_t run = 0; run < list->count; run++)
    for (uint32_t i = list->runs[run].begin, end = list->runs[run].end; i < end; i += 4) {
      float4 distances2 = nearby_distance2(near, i, asker, dim);
      const word4 ids = word4_load(near->ids + i);
      uint32_t bits = wanted(float4_le(distances2, limit), near, i, ids, asker, plain);
      float4_store_packed(candidates.distances2 + total, distances2, bits);
      word4_store_packed(candidates.ids + total, ids, bits);
      total += bits_count(bits);
    }
  return total;
}

DEFINE_PAIR(uint32_t, collect,
            (const nearby *near, const run_list *list, const batch_asker *asker, float limit2,
             pairs candidates),
            near, list, asker, limit2, candidates, true)
SMALL_CODE OUT_OF_LINE uint32_t collect_masked(const nearby *near, const run_list *list,
                                               const batch_asker *asker, float limit2,
                                               pairs candidates, int dim) {
  return collect_in(near, list, asker, limit2, candidates, false, dim);
}
static uint32_t collect(const batch_query *batch, const nearby *near, const run_list *list,
                        const batch_asker *asker, float limit2, pairs candidates) {
  const int dim = (int)batch->points->dimensions;
  if (!batch->plain) return collect_masked(near, list, asker, limit2, candidates, dim);
  return CALL_PAIR(dim, collect, near, list, asker, limit2, candidates);
}

/* Finds the k agents nearest to the asker in the runs of `list`, not farther than the squared
 * distance limit2. Writes them to `row`, and returns its length. For speed, first looks only within
 * the squared distance *guess2, where slightly more than k agents are expected. If *guess2 is 0,
 * there is no guess yet. Updates *guess2 for the next row. */
static uint32_t select_near(const batch_query *batch, const nearby *near, const run_list *list,
                            const batch_asker *asker, uint32_t k, float limit2, float *guess2,
                            pairs row) {
  float distances2[NEAR_LIMIT + NEAR_PADDING];
  uint32_t ids[NEAR_LIMIT + NEAR_PADDING];
  const pairs candidates = {distances2, ids};
  float threshold2 = *guess2 > 0 && *guess2 < limit2 && k <= RANK_K ? *guess2 : limit2;
  for (int attempt = 1;; attempt++) {
    uint32_t size = collect(batch, near, list, asker, threshold2, candidates);
    const bool complete = threshold2 == limit2;
    /* With k or more candidates, the result is final: all other agents are farther away. */
    if (size <= RANK_LIMIT && k <= RANK_K && (size >= k || complete)) {
      pairs_rank(distances2, ids, size, k, row.distances2, row.ids);
      if (size >= k) *guess2 = row.distances2[k - 1] * GUESS_MARGIN;
      return size < k ? size : k;
    }
    if (complete && (k > RANK_K || attempt >= SELECT_TRIES))
      return scan_nearest_of(candidates, size, k, row);
    /* The number of candidates is roughly proportional to threshold2, a squared distance. So
     * threshold2 is scaled to get about `aim` candidates in the next try. (An infinite threshold2,
     * which is rare, stays infinite.) */
    const float aim = (float)(k + RANK_LIMIT) / 2;
    threshold2 *= aim / (size ? (float)size : 0.5f);
    if (!(threshold2 > 0 && threshold2 < limit2) || attempt >= SELECT_TRIES) threshold2 = limit2;
  }
}

SMALL_CODE void batch_flush(neighbor_search *search) {
  row_queue *queue = &search->queue;
  const copse_neighbor_rows *rows = search->rows;
  for (uint32_t row = 0; row < queue->size; row++) {
    const size_t queued = (size_t)row * search->k, target = (size_t)queue->slots[row] * search->k;
    const uint32_t count = queue->counts[row];
    rows->counts[queue->slots[row]] = count;
    /* From the end, so that one index serves both loops. (In WebAssembly, memcpy is slow for so few
     * bytes.) */
    uint32_t i = count;
    while (i % 4) {
      i--;
      rows->ids[target + i] = queue->ids[queued + i];
      if (search->wantsDistances) rows->distances2[target + i] = queue->distances2[queued + i];
    }
    while (i) {
      i -= 4;
      word4_store(rows->ids + target + i, word4_load(queue->ids + queued + i));
      if (search->wantsDistances)
        float4_store(rows->distances2 + target + i, float4_load(queue->distances2 + queued + i));
    }
  }
  queue->size = 0;
}

/* Writes the k nearest agents to a row, by a single query. The query first searches within the
 * squared distance reach2, or within its own estimate (points_reach2) if that is greater. If it
 * finds too few agents, it searches farther. Returns the length of the row. */
SMALL_CODE static uint32_t nearest_of_query(const batch_query *batch, const float *center,
                                            const copse_query *query, uint32_t k, float reach2,
                                            pairs row) {
  copse_results results = {.ids = row.ids, .distances2 = row.distances2, .capacity = k};
  points_find_neighbors(batch->points, center, k, query, reach2, &results);
  return results.total;
}

SMALL_CODE static uint32_t nearest_alone(const batch_query *batch, const float *center,
                                         uint32_t slot, uint32_t k, float reach2, pairs row) {
  const copse_query query = query_of(batch, slot);
  return nearest_of_query(batch, center, &query, k, reach2, row);
}

/* Finds the k agents nearest to an asker, and writes them to `row`. The asker is entry i of `near`.
 * Searches the whole index, not only the gathered agents. Needed if fewer than k agents are within
 * the squared distance reach2. The search starts with a squared distance of at least 2 * reach2,
 * and looks farther if it finds too few. */
SMALL_CODE OUT_OF_LINE uint32_t nearest_beyond(const batch_query *batch, const nearby *near,
                                               uint32_t i, uint32_t k, float reach2, pairs row) {
  float center[3];
  nearby_center(near, i, center, (int)batch->points->dimensions);
  return nearest_alone(batch, center, near->ids[i], k, 2 * reach2, row);
}

static pairs row_at(const copse_neighbor_rows *rows, uint32_t i, uint32_t k) {
  const size_t begin = (size_t)i * k;
  return (pairs){rows->distances2 + begin, rows->ids + begin};
}

static void learn(expectation *expected, pairs row, uint32_t count, uint32_t k) {
  if (count < k) return;
  expected->sum2 += row.distances2[k - 1];
  expected->full++;
}

SMALL_CODE void batch_nearest(neighbor_search *search, const nearby *near, uint32_t self,
                              uint32_t own, const near_run *runs, float reach2) {
  const batch_query *batch = &search->batch;
  const uint32_t k = search->k;
  row_queue *queue = &search->queue;
  const bool queued = k <= RANK_K;
  const int dim = (int)batch->points->dimensions;
  const near_run whole = {0, near->size};
  run_list list = run_list_of(runs, &whole, batch->points->dimensions);
  for (const uint32_t end = self + own; self < end; self++, list.runs += list.step) {
    const uint32_t slot = near->ids[self];
    const batch_asker asker = gathered_asker(batch, near, self, dim);
    const copse_neighbor_rows waiting = {queue->counts, queue->ids, queue->distances2};
    const pairs row = queued ? row_at(&waiting, queue->size, k) : row_at(search->rows, slot, k);
    float *guess2 = &search->expected.guess2;
    uint32_t count = select_near(batch, near, &list, &asker, k, reach2, guess2, row);
    if (count < k && reach2 < search->max2)
      count = nearest_beyond(batch, near, self, k, reach2, row);
    learn(&search->expected, row, count, k);
    if (!queued) {
      search->rows->counts[slot] = count;
      continue;
    }
    queue->slots[queue->size] = slot;
    queue->counts[queue->size++] = count;
    if (queue->size == QUEUE_ROWS) batch_flush(search);
  }
}

/* Takes eight of the caller's points, one per lane. For each, finds the nearest gathered agent,
 * ties by lower id. The points are entries self … self + 7 of `near`, after the gathered agents. */
ALWAYS_INLINE void nearest_of_eight_in(const nearby *near, uint32_t self, pairs candidates,
                                       const int dim) {
  float4 best2[2] = {float4_all(INFINITY), float4_all(INFINITY)};
  word4 bestIds[2] = {word4_all(COPSE_NONE), word4_all(COPSE_NONE)};
  for (uint32_t i = 0; i < near->size; i++) {
    float center[3];
    nearby_center(near, i, center, dim);
    const batch_asker asker = {.center = scan_center_at(center, dim)};
    const word4 id = word4_all(near->ids[i]);
    UNROLL for (uint32_t four = 0; four < 2; four++) {
      const float4 distance2 = nearby_distance2(near, self + 4 * four, &asker, dim);
      const word4 sooner =
          word4_and(float4_le(distance2, best2[four]), word4_greater(bestIds[four], id));
      bestIds[four] =
          word4_select(word4_or(float4_lt(distance2, best2[four]), sooner), id, bestIds[four]);
      best2[four] = float4_min(best2[four], distance2);
    }
  }
  UNROLL for (size_t four = 0; four < 2; four++) {
    float4_store(candidates.distances2 + 4 * four, best2[four]);
    word4_store(candidates.ids + 4 * four, bestIds[four]);
  }
}

DEFINE_PAIR_VOID(void, nearest_of_eight, (const nearby *near, uint32_t self, pairs candidates),
                 near, self, candidates)

void batch_nearest_one(neighbor_search *search, const nearby *near, uint32_t self, uint32_t own,
                       float reach2) {
  const int dim = (int)search->batch.points->dimensions;
  float distances2[8];
  uint32_t ids[8];
  for (uint32_t i = 0; i < own; i++, self++) {
    if (i % 8 == 0) {
      CALL_PAIR(dim, nearest_of_eight, near, self, (pairs){distances2, ids});
    }
    const uint32_t slot = near->ids[self];
    const pairs row = row_at(search->rows, slot, 1);
    row.ids[0] = ids[i % 8];
    row.distances2[0] = distances2[i % 8];
    uint32_t count = distances2[i % 8] <= reach2;
    if (!count && reach2 < search->max2)
      count = nearest_beyond(&search->batch, near, self, 1, reach2, row);
    search->rows->counts[slot] = count;
    learn(&search->expected, row, count, 1);
  }
}

SMALL_CODE void batch_nearest_alone(neighbor_search *search, const float *center, uint32_t slot) {
  const uint32_t k = search->k;
  const pairs row = row_at(search->rows, slot, k);
  const uint32_t count = nearest_alone(&search->batch, center, slot, k, 0, row);
  search->rows->counts[slot] = count;
  learn(&search->expected, row, count, k);
}

/* Initializes a search for the k nearest neighbors. search->batch must already be set. */
SMALL_CODE static void search_start(neighbor_search *search, uint32_t k, copse_neighbor_rows *rows,
                                    bool wantsDistances) {
  const float maxDistance = search->batch.query.maxDistance;
  search->k = k;
  search->max2 = maxDistance * maxDistance;
  search->expected = expectation_start(k, search->batch.points->dimensions);
  search->queue.size = 0;
  search->rows = rows;
  search->wantsDistances = wantsDistances;
}

SMALL_CODE copse_status batch_all_neighbors(const copse_points *points,
                                            search_function *searchRange, uint32_t k,
                                            const copse_query *query, const uint32_t *masks,
                                            copse_neighbor_rows *rows, bool wantsDistances) {
  neighbor_search search;
  const uint32_t count = row_count(points);
  if (!start(&search.batch, points, query, masks) ||
      !query_radius_ok(search.batch.query.maxDistance))
    return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  if (count) memset(rows->counts, 0, count * sizeof(uint32_t));
  if (!k) return COPSE_OK;
  search_start(&search, k, rows, wantsDistances);
  if (tasks_divide(&points->tasks, points->present, NEIGHBORS_DIVIDED))
    batch_neighbors_in_tasks(&search, searchRange);
  else
    searchRange(points, &search, NULL);
  batch_flush(&search);
  return COPSE_OK;
}

SMALL_CODE copse_status copse_points_all_neighbors(const copse_points *points, uint32_t k,
                                                   const copse_query *query, const uint32_t *masks,
                                                   copse_neighbor_rows *rows) {
  return batch_all_neighbors(points, points->type->allNeighbors, k, query, masks, rows, true);
}

/* Runs a query for each point, for structures without a nearestMany of their own. */
SMALL_CODE static void nearest_of_each(neighbor_search *search, const float *centers, uint32_t n) {
  const batch_query *batch = &search->batch;
  for (uint32_t i = 0; i < n; i++)
    search->rows->counts[i] =
        nearest_of_query(batch, centers + (size_t)i * batch->points->dimensions, &batch->query,
                         search->k, 0, row_at(search->rows, i, search->k));
}

SMALL_CODE copse_status copse_points_neighbors_many(const copse_points *points,
                                                    const float *centers, uint32_t n, uint32_t k,
                                                    const copse_query *query,
                                                    copse_neighbor_rows *rows) {
  neighbor_search search;
  batch_query *batch = &search.batch;
  if (!start(batch, points, query, NULL) || !coordinates_ok(batch, centers, n) ||
      !query_radius_ok(batch->query.maxDistance))
    return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  if (n) memset(rows->counts, 0, n * sizeof *rows->counts);
  if (!k || !n || !points->present) return COPSE_OK;
  search_start(&search, k, rows, true);
  if (!points->type->nearestMany) {
    nearest_of_each(&search, centers, n);
    return COPSE_OK;
  }
  batch->ofPoints = true;
  batch->plain &= batch->query.exclude == COPSE_NONE;
  points->type->nearestMany(points, &search, centers, n);
  batch_flush(&search);
  return COPSE_OK;
}

/* ---- Pairs ------------------------------------------------------------------------------- */

SMALL_CODE static bool pairing_start(pair_search *search, const batch_query *batch, float distance,
                                     const float *radii, copse_results *results) {
  *search = (pair_search){distance * distance, radii, 0, results, 0};
  results->total = results->visits = 0;
  for (uint32_t i = 0; radii && i < batch->points->present; i++) {
    const float radius = radii[batch->points->ordered.ids[i]];
    if (!query_radius_ok(radius)) return false;
    if (radius > search->maxRadius) search->maxRadius = radius;
  }
  return radii || query_radius_ok(distance);
}

SMALL_CODE float pairing_reach2(const pair_search *search, const batch_query *batch, uint32_t begin,
                                uint32_t end) {
  if (!search->radii) return search->distance2;
  float radius = 0;
  for (uint32_t place = begin; place < end; place++) {
    const float own = search->radii[batch->points->ordered.ids[place]];
    if (own > radius) radius = own;
  }
  return (radius + search->maxRadius) * (radius + search->maxRadius);
}

static void add_pair(pair_search *search, uint32_t a, uint32_t b) {
  copse_results *results = search->results;
  if (search->total + 2 <= results->capacity) {
    results->ids[search->total] = a < b ? a : b;
    results->ids[search->total + 1] = a < b ? b : a;
  }
  search->total += 2;
}

/* True if an agent matches the mask of the query. `place` is its index in the order of the
 * structure. */
static bool matches(const batch_query *batch, uint32_t place) {
  const copse_points *points = batch->points;
  const bool uniform = points->anyGroups == points->allGroups;
  return ((uniform ? points->anyGroups : points->ordered.groups[place]) & batch->query.mask) != 0;
}

ALWAYS_INLINE void pairs_in(const batch_query *batch, uint32_t begin, uint32_t end, nearby *near,
                            pair_search *search, const bool areDifferences, const int dim) {
  const scan_points *points = &batch->points->ordered;
  nearby_end(near, near->size);
  if (search->radii)
    for (uint32_t i = 0; i < near->size; i++)
      near->radii[i] = search->radii[points->ids[near->ids[i]]];
  for (uint32_t place = begin; place < end; place++) {
    if (!matches(batch, place)) continue;
    const uint32_t slot = points->ids[place];
    float center[3] = {0};
    if (!areDifferences)
      EACH_AXIS (axis, dim) center[axis] = points->axes[axis][place];
    const batch_asker asker = asker_of(batch, center, slot, dim);
    for (uint32_t i = 0; i < near->size; i += 4) {
      float4 limits2 = float4_all(search->distance2);
      if (search->radii) {
        float4 sums = float4_add(float4_load(near->radii + i), float4_all(search->radii[slot]));
        limits2 = float4_mul(sums, sums);
      }
      const word4 places = word4_load(near->ids + i);
      const word4 inside = float4_le(nearby_distance2(near, i, &asker, dim), limits2);
      const uint32_t bits = word4_bits(word4_and(inside, word4_greater(places, word4_all(place))));
      for (uint32_t lane = 0; bits >> lane; lane++)
        if (bits >> lane & 1 && matches(batch, near->ids[i + lane]))
          add_pair(search, slot, points->ids[near->ids[i + lane]]);
    }
  }
  near->size = 0;
}

DEFINE_PAIR_VOID(void, pairs,
                 (const batch_query *batch, uint32_t begin, uint32_t end, nearby *near,
                  pair_search *search),
                 batch, begin, end, near, search, false)
void batch_pairs(const batch_query *batch, uint32_t begin, uint32_t end, nearby *near,
                 pair_search *search) {
  CALL_PAIR(batch->points->dimensions, pairs, batch, begin, end, near, search);
}
SMALL_CODE void batch_pairs_around(const batch_query *batch, uint32_t place, nearby *near,
                                   pair_search *search) {
  pairs_in(batch, place, place + 1, near, search, true, (int)batch->points->dimensions);
}

SMALL_CODE copse_status copse_points_pairs(const copse_points *points, float distance,
                                           const float *radii, const copse_query *query,
                                           copse_results *results) {
  batch_query batch;
  pair_search search;
  if (!start(&batch, points, query, NULL) ||
      !pairing_start(&search, &batch, distance, radii, results))
    return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  points->type->pairs(points, &batch, &search);
  results->total = search.total > UINT32_MAX ? UINT32_MAX : (uint32_t)search.total;
  return COPSE_OK;
}
