/* Batches for all agents, divided into tasks for ranges of agents (see BATCH_RANGE).
 *
 * Rows of the k nearest have a fixed length, so each task knows where its rows belong. Rows of all
 * agents within a radius follow one another in the results: where a row belongs depends on the
 * lengths of all rows before it. So a thread first writes the rows of a range to a store of its
 * own. The ranges then take turns, in order: when its turn comes, a range reserves room behind the
 * range before it, passes the turn on, and only then copies its rows. Until then, the thread goes
 * on with other ranges; it waits for a turn only if its store is full. */

#include "batch.h"

#ifndef COPSE_ONE_THREAD

#include <stdatomic.h>
#include <string.h>

/* Where rows are copied to, and whose turn it is. */
typedef struct row_turns {
  _Alignas(64) _Atomic uint32_t next; /* the range whose turn it is: all threads watch it */
  row_writer *results;                /* used only by the range whose turn it is */
} row_turns;

/* A range whose rows are in a store. Its rows end at index rowsEnd, its ids at idsEnd; they begin
 * where those of the range stored before it end. */
typedef struct stored_range {
  uint32_t index, rowsEnd, idsEnd;
} stored_range;

/* A thread's store: rows that it has finished, but not copied to the results. The thread's writer
 * writes into these arrays. */
enum { STORED_IDS = 1 << 17, STORED_ROWS = 1 << 12, STORED_RANGES = 16 };
struct row_store {
  row_turns *turns;
  uint32_t index; /* the range whose rows are being written */
  bool isDirect;  /* true: it is this range's turn, and its rows are written to the results */
  uint32_t firstRow, firstId; /* the first row and id that are not copied yet */
  uint32_t rangeCount;        /* how many ranges are finished */
  stored_range ranges[STORED_RANGES];
  waiting_row rows[STORED_ROWS];
  uint32_t ids[STORED_IDS + NEAR_PADDING];
};

/* ---- Copying rows to the results, in turn ---- */

static void wait_for_turn(const row_turns *turns, uint32_t index) {
  for (uint32_t tries = 0; atomic_load_explicit(&turns->next, memory_order_acquire) != index;)
    task_pause(++tries);
}

static void pass_turn(row_turns *turns, uint32_t index) {
  atomic_store_explicit(&turns->next, index + 1, memory_order_release);
}

/* Copies the rows before rowsEnd to the results, one by one. Needed if they may not fit. */
SMALL_CODE static void copy_one_by_one(const row_store *store, uint32_t rowsEnd) {
  row_writer *results = store->turns->results;
  for (uint32_t i = store->firstRow; i < rowsEnd; i++) {
    const waiting_row *row = &store->rows[i];
    if (row->size && row->size <= rows_room(results))
      memcpy(results->ids + results->used, store->ids + row->begin, row->size * sizeof(uint32_t));
    row_end(results, row->slot, row->size);
  }
  rows_flush(results);
}

/* Copies the rows before range->rowsEnd to the results. It must be the range's turn. If `passes`,
 * passes the turn on, as early as possible. */
static void copy_rows(row_store *store, const stored_range *range, bool passes) {
  row_turns *turns = store->turns;
  row_writer *results = turns->results;
  const uint32_t firstId = store->firstId, size = range->idsEnd - firstId, base = results->used;
  if (size <= rows_room(results)) {
    uint32_t *const offsets = results->offsets, *const counts = results->counts;
    uint32_t *const ids = results->ids;
    results->used += size;
    if (passes) pass_turn(turns, range->index);
    for (uint32_t i = store->firstRow; i < range->rowsEnd; i++) {
      const waiting_row *row = &store->rows[i];
      offsets[row->slot] = base + (row->begin - firstId);
      counts[row->slot] = row->size;
    }
    if (size) memcpy(ids + base, store->ids + firstId, size * sizeof *ids);
  } else {
    copy_one_by_one(store, range->rowsEnd);
    if (passes) pass_turn(turns, range->index);
  }
  store->firstRow = range->rowsEnd;
  store->firstId = range->idsEnd;
}

/* Copies the finished ranges whose turn has come. If `waits` is true, waits for the turn of each,
 * and copies all of them. */
static void copy_finished(row_store *store, bool waits) {
  uint32_t done = 0;
  for (; done < store->rangeCount; done++) {
    const stored_range *range = &store->ranges[done];
    if (waits)
      wait_for_turn(store->turns, range->index);
    else if (atomic_load_explicit(&store->turns->next, memory_order_acquire) != range->index)
      break;
    copy_rows(store, range, true);
  }
  store->rangeCount -= done;
  for (uint32_t i = 0; i < store->rangeCount; i++) store->ranges[i] = store->ranges[i + done];
}

/* ---- Writing rows to a store ---- */

/* Lets a writer write to its store, from the beginning. */
static void write_to_store(row_writer *writer) {
  row_store *store = writer->store;
  store->isDirect = false;
  store->firstRow = store->firstId = 0;
  writer->ids = store->ids;
  writer->capacity = STORED_IDS;
  writer->used = writer->waiting = 0;
  writer->missed = 0;
  writer->truncated = false;
}

/* Copies the rows of the range that were written so far, and lets the writer write the range's
 * other rows directly to the results. First waits until all ranges before it have
 * reserved their room. */
SMALL_CODE static void write_to_results(row_writer *writer) {
  row_store *store = writer->store;
  const row_writer *results = store->turns->results;
  copy_finished(store, true);
  wait_for_turn(store->turns, store->index);
  copy_rows(store, &(stored_range){store->index, writer->waiting, writer->used}, false);
  store->isDirect = true;
  writer->ids = results->ids;
  writer->capacity = results->capacity;
  writer->used = results->used;
  writer->waiting = 0;
  writer->missed = results->missed;
  writer->truncated = results->truncated;
}

void rows_need_in_tasks(row_writer *writer, uint64_t count) {
  const bool fits =
      writer->used + count <= STORED_IDS && writer->waiting + ROWS_WAITING <= STORED_ROWS;
  if (!writer->store->isDirect && !fits) write_to_results(writer);
}

static void range_begin(row_writer *writer, uint32_t index) {
  row_store *store = writer->store;
  const bool isFull = store->rangeCount == STORED_RANGES || writer->used > STORED_IDS / 2 ||
                      writer->waiting > STORED_ROWS / 2;
  copy_finished(store, isFull);
  store->index = index;
  if (!store->rangeCount) write_to_store(writer);
}

static void range_end(row_writer *writer) {
  row_store *store = writer->store;
  if (store->isDirect) {
    row_writer *results = store->turns->results;
    rows_flush(writer);
    results->used = writer->used;
    results->missed = writer->missed;
    results->truncated = writer->truncated;
    pass_turn(store->turns, store->index);
    return;
  }
  store->ranges[store->rangeCount++] = (stored_range){store->index, writer->waiting, writer->used};
}

/* ---- Tasks: each is a thread's share of the ranges ---- */

typedef struct within_job {
  row_turns turns;
  _Alignas(64) _Atomic uint32_t next; /* the first range that no thread works on */
  const batch_query *batch;
  float radius;
} within_job;

static void within_task(void *argument, uint32_t index) {
  within_job *job = argument;
  const copse_points *points = job->batch->points;
  const row_writer *results = job->turns.results;
  row_store store;
  row_writer writer;
  (void)index; /* which ranges a thread works on does not matter */
  store.turns = &job->turns;
  store.rangeCount = 0;
  writer.offsets = results->offsets;
  writer.counts = results->counts;
  writer.rows = store.rows;
  writer.most = STORED_ROWS;
  writer.store = &store;
  write_to_store(&writer);
  for (;;) {
    const uint32_t range = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
    if (range >= task_ranges(BATCH_RANGE, points->present)) break;
    range_begin(&writer, range);
    const task_range places = task_range_of(range, BATCH_RANGE, points->present);
    points->type->allWithin(points, job->batch, job->radius, &places, &writer);
    range_end(&writer);
  }
  copy_finished(&store, true);
}

void batch_within_in_tasks(const batch_query *batch, float radius, row_writer *results) {
  within_job job = {.batch = batch, .radius = radius, .turns = {.results = results}};
  tasks_run(&batch->points->tasks, within_task, &job, batch->points->tasks.threads);
}

typedef struct neighbors_job {
  const neighbor_search *search;
  search_function *searchRange;
  uint32_t size;             /* agents per range */
  float reach2[TASK_RANGES]; /* for each range: how far its agents' neighbors may be, squared */
} neighbors_job;

static void neighbors_task(void *argument, uint32_t index) {
  const neighbors_job *job = argument;
  const copse_points *points = job->search->batch.points;
  neighbor_search search = *job->search;
  search.expected.reach2 = job->reach2[index];
  const task_range places = task_range_of(index, job->size, points->present);
  job->searchRange(points, &search, &places);
  batch_flush(&search);
}

void batch_neighbors_in_tasks(const neighbor_search *search, search_function *searchRange) {
  /* Before the tasks run, single queries find the neighbors of a few agents of each range. Their
   * distances predict how far the neighbors of the other agents are. A task writes these rows
   * again. */
  enum { FIRST = 4 };
  const copse_points *points = search->batch.points;
  neighbors_job job = {.search = search, .searchRange = searchRange};
  job.size = task_range_size(&points->tasks, points->present, BATCH_RANGE);
  const uint32_t ranges = task_ranges(job.size, points->present);
  neighbor_search first = *search;
  for (uint32_t i = 0; i < ranges; i++) {
    const task_range places = task_range_of(i, job.size, points->present);
    for (uint32_t place = places.begin; place < places.end && place < places.begin + FIRST;
         place++) {
      float center[3];
      points_center(points, place, center);
      batch_nearest_alone(&first, center, points->ordered.ids[place]);
    }
    expect(&first.expected);
    job.reach2[i] = first.expected.reach2;
  }
  tasks_run(&points->tasks, neighbors_task, &job, ranges);
}

#endif
