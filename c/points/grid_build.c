/* Building the grid. */

#include "grid.h"

#include "../base/geom.h"

#include <math.h>
#include <string.h>

/* ---- The layout of the table -------------------------------------------------------------- */

/* Loads x and y of four slots from interleaved positions; all four slots must exist. */
ALWAYS_INLINE void load4_interleaved(const float *positions, uint32_t slot, float4 *x) {
  const float4 first = float4_load(positions + 2 * (size_t)slot);
  const float4 second = float4_load(positions + 2 * (size_t)slot + 4);
  x[0] = float4_evens(first, second);
  x[1] = float4_odds(first, second);
}

static bool is_interleaved_2d(const points_source *source) {
  return source->positions.stride == 2 &&
         source->positions.axes[1] == source->positions.axes[0] + 1;
}

/* Loads the coordinates of four slots, as fast as their layout allows. */
ALWAYS_INLINE void load_slots(const points_source *source, uint32_t slot, float4 *x,
                              const bool interleaved, const int dim) {
  if (dim == 2 && interleaved && source->count - slot >= 4)
    load4_interleaved(source->positions.axes[0], slot, x);
  else
    EACH_AXIS (axis, dim) x[axis] = grid_load4(source, slot, axis);
}

/* Writes the bounds of all present agents: those with groups other than 0, and with coordinates
 * that are neither NaN nor too large. There must be at least one. */
static void find_bounds(const struct grid *grid, const points_source *source,
                        const points_survey *survey, float *lo, float *hi) {
  const float4 high = float4_all(INFINITY), low = float4_all(-INFINITY);
  const uint32_t dim = grid->points.dimensions;
  float4 least[3] = {high, high, high}, most[3] = {low, low, low};
  const bool allPresent = survey->present == source->count;
  uint32_t slot = 0;
  if (allPresent && dim == 2 && is_interleaved_2d(source))
    for (; source->count - slot >= 4; slot += 4) {
      float4 x[2];
      load4_interleaved(source->positions.axes[0], slot, x);
      EACH_AXIS (axis, 2) {
        least[axis] = float4_min(least[axis], x[axis]);
        most[axis] = float4_max(most[axis], x[axis]);
      }
    }
  for (uint32_t axis = 0; axis < dim; axis++) {
    const uint32_t step = allPresent ? 4 : 1;
    for (uint32_t i = slot; i < source->count; i += step) {
      if (!allPresent && !source_has(source, i, dim)) continue;
      const float4 x = allPresent ? grid_load4(source, i, (int)axis)
                                  : float4_all(source_coordinate(source, i, (int)axis));
      least[axis] = float4_min(least[axis], x);
      most[axis] = float4_max(most[axis], x);
    }
    lo[axis] = float4_first(float4_least(least[axis]));
    hi[axis] = float4_first(float4_greatest(most[axis]));
  }
}

static uint32_t power_of_two_below(uint64_t n) {
  uint32_t power = 1;
  while (power <= n / 2) power *= 2;
  return power;
}

void grid_share_nothing(struct grid *grid, double total, const uint32_t *counts) {
  grid->entries = (uint32_t)total;
  grid->entryMask = UINT32_MAX;
  grid->strides[0] = 1;
  grid->strides[1] = counts[0];
  grid->strides[2] = counts[0] * counts[1];
}

/* Lays out the table for agents with the bounds lo … hi. Divides each cell into as many columns as
 * the table has room for, up to GRID_COLUMNS per cell. If there is no room even for one entry per
 * cell, cells share entries. */
static void lay_out(struct grid *grid, const float *lo, const float *hi) {
  const int dim = (int)grid->points.dimensions;
  const uint64_t budget = grid_entry_budget(grid->points.present);
  uint32_t counts[4];
  double total; /* the number of columns: up to 2^66, too large for an integer */
  for (grid->columns = GRID_COLUMNS;; grid->columns /= 2) {
    for (int axis = 0; axis < dim; axis++) {
      const float scale = (axis ? 1 : (float)grid->columns) / grid->cellSize;
      grid->origin[axis] = lo[axis];
      grid->scale[axis] = scale < 1e30f ? scale : 1e30f;
      grid->last[axis] = GRID_LAST;
    }
    word4_store(counts, word4_add(grid_numbers(grid, float4_load(hi)), word4_all(1)));
    total = (double)counts[0] * counts[1] * counts[2];
    /* Each cell is divided into columns, which need an entry of the table each. If that is more
     * than half of the budget, tries fewer columns: in measurements, more columns gained
     * nothing. */
    if (total <= (double)budget / 2 || grid->columns == 1) break;
  }
  for (int axis = 0; axis < dim; axis++) grid->last[axis] = (float)(counts[axis] - 1);
  if (total <= (double)budget) {
    grid_share_nothing(grid, total, counts);
    return;
  }
  /* Cells share entries. The strides are odd, so that agents on a line along any axis are spread
   * over the whole table. */
  grid->entries = power_of_two_below(budget);
  grid->entryMask = grid->entries - 1;
  grid->strides[0] = 1;
  uint32_t side = 1;
  while (dim == 2 ? side <= grid->entries / side / 4 : side <= grid->entries / side / side / 8)
    side *= 2;
  const uint32_t columns = counts[0] < side ? counts[0] : side;
  const uint32_t rows = counts[1] < side ? counts[1] : side;
  grid->strides[1] = columns | 1;
  grid->strides[2] = grid->strides[1] * (rows | 1);
}

/* ---- Sorting the agents into the table ---------------------------------------------------- *
 *
 * A counting sort. While it runs, starts[e + 1] is first the number of agents of the table entry e,
 * then the index of its first agent, and then that of the agent to store next. So in the end entry
 * e begins at starts[e]. Slots without a present agent get an entry of their own, the last. */

/* Writes the table entry of each of the slots begin … end - 1 to entryOf. May also write up to
 * three entries more. */
ALWAYS_INLINE void find_entries_in(struct grid *grid, const points_source *source,
                                   const points_survey *survey, uint32_t begin, uint32_t end,
                                   const int dim) {
  const bool allPresent = survey->present == source->count, interleaved = is_interleaved_2d(source);
  const word4 entryMask = word4_all(grid->entryMask);
  float4 origin[3], scale[3], last[3];
  word4 stride[3];
  uint32_t *const entryOf = grid->entryOf;
  EACH_AXIS (axis, dim) {
    origin[axis] = float4_all(grid->origin[axis]);
    scale[axis] = float4_all(grid->scale[axis]);
    last[axis] = float4_all(grid->last[axis]);
    stride[axis] = word4_all(grid->strides[axis]);
  }
  for (uint32_t slot = begin; slot < end; slot += 4) {
    float4 x[3];
    word4 entry = word4_all(0);
    load_slots(source, slot, x, interleaved, dim);
    EACH_AXIS (axis, dim) {
      float4 t = float4_mul(float4_sub(x[axis], origin[axis]), scale[axis]);
      t = float4_min(float4_max(t, float4_all(0)), last[axis]);
      entry = word4_add(entry, word4_mul(float4_round(t), stride[axis]));
    }
    word4_store(entryOf + slot, word4_and(entry, entryMask));
  }
  if (allPresent) return;
  for (uint32_t slot = begin; slot < end; slot++)
    if (!source_has(source, slot, (uint32_t)dim)) entryOf[slot] = grid->entries;
}

/* Finds the entries of the slots begin … end - 1, and counts the slots of each. */
ALWAYS_INLINE void count_in(struct grid *grid, const points_source *source,
                            const points_survey *survey, uint32_t begin, uint32_t end,
                            const int dim) {
  uint32_t *const counts = grid->starts + 1;
  find_entries_in(grid, source, survey, begin, end, dim);
  for (uint32_t slot = begin; slot < end; slot++) {
    WORKED(1);
    counts[grid->entryOf[slot]]++;
  }
}

/* Turns the counts of the entries begin … end - 1 into the indices of their first agents. `sum` is
 * that of the first entry. */
OUT_OF_LINE void sum_counts(uint32_t *starts, uint32_t begin, uint32_t end, uint32_t sum) {
  for (uint32_t entry = begin; entry < end; entry++) {
    const uint32_t count = starts[entry + 1];
    starts[entry + 1] = sum;
    sum += count;
  }
}

/* Stores the agent of a slot. `x` points to its coordinates. `points` is a copy of the grid's
 * struct of points: no store can change it, so its members can stay in registers. */
ALWAYS_INLINE void place_slot(const scan_points *points, const uint32_t *entryOf, uint32_t *next,
                              uint32_t slot, const float *const *x, const points_source *source,
                              bool withGroups, const int dim) {
  const uint32_t place = next[entryOf[slot]]++;
  WORKED(1);
  EACH_AXIS (axis, dim) points->axes[axis][place] = *x[axis] + 0.0f; /* -0 becomes 0 */
  points->ids[place] = slot;
  if (withGroups) points->groups[place] = source_group(source, slot);
}

ALWAYS_INLINE void place_in(struct grid *grid, const points_source *source, bool withGroups,
                            uint32_t begin, uint32_t end, const int dim) {
  const scan_points points = grid->points.ordered;
  const uint32_t *const entryOf = grid->entryOf;
  const float *x[3];
  const size_t stride = source->positions.stride;
  uint32_t *const next = grid->starts + 1;
  EACH_AXIS (axis, dim) x[axis] = source->positions.axes[axis] + begin * stride;
  for (uint32_t slot = begin; slot < end; slot++) {
    place_slot(&points, entryOf, next, slot, x, source, withGroups, dim);
    EACH_AXIS (axis, dim) x[axis] += stride;
  }
}

DEFINE_PAIR_VOID(void, count,
                 (struct grid * grid, const points_source *source, const points_survey *survey,
                  uint32_t begin, uint32_t end),
                 grid, source, survey, begin, end)
DEFINE_PAIR_VOID(void, place,
                 (struct grid * grid, const points_source *source, bool withGroups, uint32_t begin,
                  uint32_t end),
                 grid, source, withGroups, begin, end)

static void fill_alone(struct grid *grid, const points_source *source, const points_source *counted,
                       const points_survey *survey) {
  /* Slots per call of the functions `count` and `place`. There are many calls instead of one,
   * because a JavaScript engine optimizes a function only after many calls: see OUT_OF_LINE. */
  enum { AT_ONCE = 1024 };
  const uint32_t dimensions = grid->points.dimensions;
  memset(grid->starts, 0, ((size_t)grid->entries + 2) * sizeof *grid->starts);
  const bool withGroups = survey->anyGroups != survey->allGroups;
  for (uint32_t begin = 0; begin < source->count; begin += AT_ONCE) {
    const uint32_t end = source->count - begin > AT_ONCE ? begin + AT_ONCE : source->count;
    CALL_PAIR(dimensions, count, grid, counted, survey, begin, end);
  }
  sum_counts(grid->starts, 0, grid->entries + 1, 0);
  for (uint32_t begin = 0; begin < source->count; begin += AT_ONCE) {
    const uint32_t end = source->count - begin > AT_ONCE ? begin + AT_ONCE : source->count;
    CALL_PAIR(dimensions, place, grid, source, withGroups, begin, end);
  }
}

/* ---- Building in tasks -------------------------------------------------------------------- *
 *
 * The table is divided into sections. A task first sorts a range of slots by section; then each
 * section is sorted by a task of its own. Both keep the order of slots, so the result is the same
 * as without tasks. */

#ifndef COPSE_ONE_THREAD

/* With fewer than GRID_DIVIDED slots, a build is not divided. */
enum { GRID_DIVIDED = 1 << 15, LEAST_SLOTS = 256, MOST_SECTIONS = 32 };

typedef struct build_job {
  struct grid *grid;
  const points_source *source, *counted; /* see grid_fill */
  const points_survey *survey;
  uint32_t size, ranges;                     /* slots per range; how many ranges there are */
  uint32_t shift, sections;                  /* entry e is in section e >> shift */
  uint32_t ends[TASK_RANGES][MOST_SECTIONS]; /* where the slots of each section end in a range */
  uint32_t first[MOST_SECTIONS];             /* the index of each section's first agent */
} build_job;

static task_range range_of_slots(const build_job *job, uint32_t index) {
  return task_range_of(index, job->size, job->source->count);
}

DEFINE_PAIR_VOID(void, find_entries,
                 (struct grid * grid, const points_source *source, const points_survey *survey,
                  uint32_t begin, uint32_t end),
                 grid, source, survey, begin, end)

OUT_OF_LINE void count_listed(uint32_t *counts, const uint32_t *entryOf, const uint32_t *ids,
                              uint32_t size) {
  for (uint32_t i = 0; i < size; i++) counts[entryOf[ids[i]]]++;
}

ALWAYS_INLINE void place_listed_in(struct grid *grid, const points_source *source,
                                   const uint32_t *ids, uint32_t size, const int dim) {
  const scan_points points = grid->points.ordered;
  const uint32_t *const entryOf = grid->entryOf;
  uint32_t *const next = grid->starts + 1;
  for (uint32_t i = 0; i < size; i++) {
    const float *x[3];
    const size_t first = ids[i] * (size_t)source->positions.stride;
    EACH_AXIS (axis, dim) x[axis] = source->positions.axes[axis] + first;
    place_slot(&points, entryOf, next, ids[i], x, source, false, dim);
  }
}
DEFINE_PAIR_VOID(void, place_listed,
                 (struct grid * grid, const points_source *source, const uint32_t *ids,
                  uint32_t size),
                 grid, source, ids, size)

/* Sorts a range of slots by section, into memory that later holds groups. */
static void range_task(void *argument, uint32_t index) {
  build_job *job = argument;
  struct grid *grid = job->grid;
  const task_range range = range_of_slots(job, index);
  const uint32_t *const entryOf = grid->entryOf, shift = job->shift;
  uint32_t *const sorted = grid->points.ordered.groups;
  uint32_t next[MOST_SECTIONS] = {0}, sum = range.begin;
  CALL_PAIR(grid->points.dimensions, find_entries, grid, job->counted, job->survey, range.begin,
            range.end);
  for (uint32_t slot = range.begin; slot < range.end; slot++) next[entryOf[slot] >> shift]++;
  for (uint32_t section = 0; section < job->sections; section++) {
    const uint32_t count = next[section];
    next[section] = sum;
    sum += count;
    job->ends[index][section] = sum;
  }
  for (uint32_t slot = range.begin; slot < range.end; slot++)
    sorted[next[entryOf[slot] >> shift]++] = slot;
}

/* Returns where the slots of a section are, in those sorted by range_task. */
static task_range section_in_range(const build_job *job, uint32_t section, uint32_t range) {
  const uint32_t *const ends = job->ends[range];
  return (task_range){section ? ends[section - 1] : range * job->size, ends[section]};
}

static void section_task(void *argument, uint32_t index) {
  const build_job *job = argument;
  struct grid *grid = job->grid;
  const uint32_t *const sorted = grid->points.ordered.groups, *const entryOf = grid->entryOf;
  const uint32_t begin = index << job->shift, past = begin + (1u << job->shift);
  const uint32_t end = past < grid->entries + 1 ? past : grid->entries + 1;
  uint32_t *const counts = grid->starts + 1;
  memset(counts + begin, 0, (end - begin) * sizeof *counts);
  for (uint32_t range = 0; range < job->ranges; range++) {
    const task_range run = section_in_range(job, index, range);
    count_listed(counts, entryOf, sorted + run.begin, run.end - run.begin);
  }
  sum_counts(grid->starts, begin, end, job->first[index]);
  for (uint32_t range = 0; range < job->ranges; range++) {
    const task_range run = section_in_range(job, index, range);
    CALL_PAIR(grid->points.dimensions, place_listed, grid, job->source, sorted + run.begin,
              run.end - run.begin);
  }
}

static void groups_task(void *argument, uint32_t index) {
  const build_job *job = argument;
  const task_range places = range_of_slots(job, index);
  points_fetch_groups(&job->grid->points, job->source, places.begin, places.end);
}

static void fill_in_tasks(struct grid *grid, const points_source *source,
                          const points_source *counted, const points_survey *survey) {
  const copse_tasks *tasks = &grid->points.tasks;
  build_job job;
  job.grid = grid;
  job.source = source;
  job.counted = counted;
  job.survey = survey;
  job.size = task_range_size(tasks, source->count, LEAST_SLOTS);
  job.ranges = task_ranges(job.size, source->count);
  for (job.shift = 0; grid->entries >> job.shift >= MOST_SECTIONS;) job.shift++;
  job.sections = (grid->entries >> job.shift) + 1;
  tasks_run(tasks, range_task, &job, job.ranges);
  for (uint32_t section = 0, sum = 0; section < job.sections; section++) {
    job.first[section] = sum;
    for (uint32_t range = 0; range < job.ranges; range++) {
      const task_range run = section_in_range(&job, section, range);
      sum += run.end - run.begin;
    }
  }
  grid->starts[0] = 0;
  tasks_run(tasks, section_task, &job, job.sections);
  if (survey->anyGroups != survey->allGroups) tasks_run(tasks, groups_task, &job, job.ranges);
}
#endif

void grid_fill(struct grid *grid, const points_source *source, const points_source *counted,
               const points_survey *survey) {
#ifndef COPSE_ONE_THREAD
  if (tasks_divide(&grid->points.tasks, source->count, GRID_DIVIDED))
    fill_in_tasks(grid, source, counted, survey);
  else
#endif
    fill_alone(grid, source, counted, survey);
}

void grid_build(void *index, const points_source *source, const points_survey *survey) {
  struct grid *grid = index;
  float lo[4] = {0}, hi[4] = {0};
  points_take(&grid->points, source, survey);
  if (survey->present) find_bounds(grid, source, survey, lo, hi);
  lay_out(grid, lo, hi);
  grid_fill(grid, source, source, survey);
}
