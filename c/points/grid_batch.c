/* Batch queries of the grid. Up to four agents near each other are processed together: the agents
 * of all columns around them (see grid.h) are copied to one array (gathered) once. */

#include "../base/region.h"
#include "batch.h"
#include "grid.h"

#include <string.h>

/* ---- Groups of agents that are processed together ----------------------------------------- */

/* One agent, or four that are near each other: begin … begin + size - 1 in the order of the
 * grid. */
typedef struct grid_group {
  uint32_t begin, size;
  float4 lo, hi; /* the bounds, in the lanes x, y, z */
} grid_group;

/* Returns a vector with the lanes x, y, z. `axes` holds one vector per axis, whose lanes are all
 * equal. In 2D, lane z is arbitrary, which does no harm: grid_numbers limits layers to 0. */
ALWAYS_INLINE float4 lanes_of(const float4 *axes, const int dim) {
  float4 xy = float4_zip_low(axes[0], axes[1]);
  if (dim == 2) return xy;
  const word4 isZ = word4_greater(word4_count_from(0), word4_all(1));
  return word4_as_floats(word4_select(isZ, float4_as_words(axes[2]), float4_as_words(xy)));
}

/* Makes a group of the four agents from index `begin` on, in the order of the grid. Returns false
 * if they are too far from each other for a group. */
ALWAYS_INLINE bool bounds_of_four(const struct grid *grid, uint32_t begin, grid_group *group,
                                  const int dim) {
  float4 lo[3] = {float4_all(0), float4_all(0), float4_all(0)}, hi[3] = {lo[0], lo[1], lo[2]};
  uint32_t near = 15;
  EACH_AXIS (axis, 3) {
    if (axis == 2 && dim == 2) continue;
    const float4 x = float4_load(grid->points.ordered.axes[axis] + begin);
    lo[axis] = float4_least(x);
    hi[axis] = float4_greatest(x);
    /* The agents may be a cell apart; along x two, where adjacent cells are one run of memory. */
    const float4 most = float4_all(axis ? grid->cellSize : 2 * grid->cellSize);
    near &= word4_bits(float4_le(float4_sub(hi[axis], lo[axis]), most));
  }
  *group = (grid_group){begin, 4, lanes_of(lo, dim), lanes_of(hi, dim)};
  return near;
}

/* Writes the group that begins at index `begin` in the order of the grid: four agents if they are
 * near each other and in the same range of a batch (see BATCH_RANGE), else one. */
ALWAYS_INLINE void group_at(const struct grid *grid, uint32_t begin, grid_group *group,
                            const int dim) {
  if (grid->points.present - begin >= 4 && begin % BATCH_RANGE <= BATCH_RANGE - 4 &&
      bounds_of_four(grid, begin, group, dim))
    return;
  float4 x[3] = {float4_all(0), float4_all(0), float4_all(0)};
  EACH_AXIS (axis, 3)
    if (axis < dim) x[axis] = float4_all(grid->points.ordered.axes[axis][begin]);
  const float4 point = lanes_of(x, dim);
  *group = (grid_group){begin, 1, point, point};
}

/* Does the same as group_at with smaller code, for callers that need not be fast. */
SMALL_CODE OUT_OF_LINE void group_at_any(const struct grid *grid, uint32_t begin,
                                         grid_group *group) {
  group_at(grid, begin, group, (int)grid->points.dimensions);
}

/* Writes the window (box of columns) that contains everything within reach of a group of agents.
 * Returns false if two of these columns share an entry of the grid's table. */
ALWAYS_INLINE bool group_window(const struct grid *grid, const grid_group *group, float reach2,
                                grid_window *window, const int dim) {
  const float4 reach = float4_all(reach_of(reach2));
  return grid_window_of(grid, float4_sub(group->lo, reach), float4_add(group->hi, reach), window,
                        dim);
}

/* For a world that wraps around. True if the agents of the group that begins at index `place` are
 * farther than the reach from all edges of the world. Tests four agents, even if the group has only
 * one. */
OUT_OF_LINE bool is_inner(const struct grid *grid, uint32_t place, float reach2) {
  const float4 reach = float4_all(reach_of(reach2));
  uint32_t inner = 15;
  for (uint32_t axis = 0; axis < grid->points.dimensions; axis++) {
    const float4 x = float4_load(grid->points.ordered.axes[axis] + place);
    const float4 least = float4_add(float4_all(grid->inner[0][axis]), reach);
    const float4 most = float4_sub(float4_all(grid->inner[1][axis]), reach);
    inner &= word4_bits(word4_and(float4_le(least, x), float4_le(x, most)));
  }
  return !(~inner & scan_in_run(place, grid->points.present));
}

ALWAYS_INLINE void copy_four(nearby *near, const copse_points *points, uint32_t target,
                             uint32_t place, const gather_fields fields, const int dim) {
  EACH_AXIS (axis, 3)
    if (axis < dim)
      float4_store(near->axes[axis] + target, float4_load(points->ordered.axes[axis] + place));
  word4 names =
      fields == GATHER_PLACES ? word4_count_from(place) : word4_load(points->ordered.ids + place);
  word4_store(near->ids + target, names);
  if (fields == GATHER_IDS_AND_GROUPS) {
    const bool uniform = points->anyGroups == points->allGroups;
    word4_store(near->groups + target, uniform ? word4_all(points->anyGroups)
                                               : word4_load(points->ordered.groups + place));
  }
}

/* Appends the agents begin … end - 1 to `near`, which must have room for them. If there are fewer
 * than `usual` agents, copies `usual` entries nevertheless: that needs no branch, which processors
 * could predict wrongly. Surplus copies are overwritten later. */
ALWAYS_INLINE void copy_run(nearby *near, const copse_points *points, uint32_t begin, uint32_t end,
                            const uint32_t usual, const gather_fields fields, const int dim) {
  const uint32_t target = near->size;
  UNROLL for (uint32_t i = 0; i < usual; i += 4)
      copy_four(near, points, target + i, begin + i, fields, dim);
  for (uint32_t i = usual; i < end - begin; i += 4)
    copy_four(near, points, target + i, begin + i, fields, dim);
  near->size = target + (end - begin);
}

/* Does the same as copy_run, out of line: for pairs, and for batches with masks, which need not be
 * as fast. */
SMALL_CODE OUT_OF_LINE void copy_run_slow(nearby *near, const copse_points *points, uint32_t begin,
                                          uint32_t end, gather_fields fields) {
  copy_run(near, points, begin, end, 0, fields, (int)points->dimensions);
}

/* Appends the agents begin … end - 1 to `near`, see copy_run. Returns false if there is no room for
 * them. */
ALWAYS_INLINE bool append_run(nearby *near, const copse_points *points, uint32_t begin,
                              uint32_t end, const uint32_t usual, const gather_fields fields,
                              const int dim) {
  if (end - begin > NEAR_LIMIT - near->size) return false;
  if (fields == GATHER_IDS)
    copy_run(near, points, begin, end, usual, fields, dim);
  else
    copy_run_slow(near, points, begin, end, fields);
  return true;
}

/* How many agents of a run append_others copies without a branch: WHOLE_COPY if the run has no
 * agents of the group. If it has, PART_COPY from before the group, and PART_COPY from behind it. */
enum { WHOLE_COPY = 12, PART_COPY = 8 };
_Static_assert((int)WHOLE_COPY <= SCAN_PADDING && (int)WHOLE_COPY <= NEAR_PADDING,
               "copies go past the end");

/* Appends the agents from `begin` to `end` - 1 to `near`, except for those from `place` to
 * `past` - 1: these are the group, which was copied before. Returns false if there is no room for
 * them. */
ALWAYS_INLINE bool append_others(nearby *near, const copse_points *points, uint32_t begin,
                                 uint32_t end, uint32_t place, uint32_t past,
                                 const gather_fields fields, const int dim) {
  if (end <= place || begin >= past)
    return append_run(near, points, begin, end, WHOLE_COPY, fields, dim);
  if (begin < place && !append_run(near, points, begin, place, PART_COPY, fields, dim))
    return false;
  return past >= end || append_run(near, points, past, end, PART_COPY, fields, dim);
}

/* Gathers a group of agents (one or four, see grid_group), from index `place` in the order of the
 * grid on, and then all other agents in the columns within reach of the group. Returns the size of
 * the group; 0 if `near` has no room for all of these, or if two columns share a table entry. */
ALWAYS_INLINE uint32_t gather_in(nearby *near, const struct grid *grid, uint32_t place,
                                 float reach2, const gather_fields fields, const int dim) {
  const copse_points *points = &grid->points;
  const uint32_t *starts = grid->starts;
  grid_group group;
  grid_window window;
  if (fields == GATHER_IDS)
    group_at(grid, place, &group, dim);
  else
    group_at_any(grid, place, &group);
  if (!group_window(grid, &group, reach2, &window, dim)) return 0;
  const uint32_t past = place + group.size, count = window.hi[0] - window.lo[0] + 1;
  near->size = 0;
  if (fields == GATHER_IDS) /* copies four, even for a group of one: the surplus is overwritten */
    copy_four(near, points, 0, place, fields, dim);
  else
    copy_run_slow(near, points, place, past, fields);
  near->size = group.size;
  for (uint32_t z = window.lo[2]; z <= window.hi[2]; z++) {
    for (uint32_t y = window.lo[1]; y <= window.hi[1]; y++) {
      uint32_t first = grid_entry(grid, window.lo[0], y, z), left = count;
      do { /* a second time if the row wraps around the end of the table */
        const uint32_t here = grid->entries - first < left ? grid->entries - first : left;
        WORKED(1);
        if (!append_others(near, points, starts[first], starts[first + here], place, past, fields,
                           dim))
          return 0;
        first = 0;
        left -= here;
      } while (left);
    }
  }
  nearby_end(near, near->size);
  return group.size;
}

DEFINE_PAIR(uint32_t, gather,
            (nearby *const near, const struct grid *grid, uint32_t place, float reach2), near, grid,
            place, reach2, GATHER_IDS)
SMALL_CODE OUT_OF_LINE uint32_t gather_groups(nearby *near, const struct grid *grid, uint32_t place,
                                              float reach2) {
  return gather_in(near, grid, place, reach2, GATHER_IDS_AND_GROUPS, (int)grid->points.dimensions);
}
static uint32_t gather(nearby *near, const struct grid *grid, const batch_query *batch,
                       uint32_t place, float reach2) {
  if (!batch->plain) return gather_groups(near, grid, place, reach2);
  return CALL_PAIR(grid->points.dimensions, gather, near, grid, place, reach2);
}

/* ---- Neighbors within a radius, of all agents --------------------------------------------- */

/* Returns a bit for each of the gathered agents i … i + 3, set if its squared distance from the
 * asker, the agent that a row is for, is at most limit2. */
ALWAYS_INLINE uint32_t lanes_within(const nearby *near, uint32_t i, const batch_asker *asker,
                                    float4 limit2, const int dim) {
  return word4_bits(float4_le(nearby_distance2(near, i, asker, dim), limit2));
}

/* Writes the rows (ids of neighbors) of the first `own` gathered agents, one or four. Needs a plain
 * batch, in which no mask filters anything. Two rows are written at a time, so that the gathered
 * agents are read once for both. The second row is built in another array, and then copied behind
 * the first. At least GROUP_COPY ids are copied, even if the row is shorter: this avoids a branch.
 * An agent must not find itself: its own bit is cleared in the test of the first four agents. */
enum { GROUP_COPY = 16 };
ALWAYS_INLINE void group_rows_in(const batch_query *batch, nearby *near, uint32_t own,
                                 float radius2, row_writer *writer, const int dim) {
  const float4 limit2 = float4_all(radius2);
  const uint32_t size = near->size;
  uint32_t elsewhere[NEAR_LIMIT + NEAR_PADDING];
  rows_expect(writer, own);
  for (uint32_t i = 0; i < own; i += 2) {
    const bool two = i + 1 < own; /* false only for a group of one */
    const batch_asker first = gathered_asker(batch, near, i, dim);
    const batch_asker second = gathered_asker(batch, near, two ? i + 1 : i, dim);
    uint32_t *const row = writer->ids + writer->used;
    word4 ids = word4_load(near->ids);
    uint32_t bits = lanes_within(near, 0, &first, limit2, dim) & ~(1u << i);
    uint32_t otherBits = lanes_within(near, 0, &second, limit2, dim) & ~(2u << i);
    word4_store_packed(row, ids, bits);
    word4_store_packed(elsewhere, ids, otherBits);
    uint32_t total = bits_count(bits), other = bits_count(otherBits);
    for (uint32_t j = 4; j < size; j += 4) {
      ids = word4_load(near->ids + j);
      bits = lanes_within(near, j, &first, limit2, dim);
      otherBits = lanes_within(near, j, &second, limit2, dim);
      word4_store_packed(row + total, ids, bits);
      word4_store_packed(elsewhere + other, ids, otherBits);
      total += bits_count(bits);
      other += bits_count(otherBits);
    }
    row_fits(writer, near->ids[i], total);
    if (!two) break;
    UNROLL for (uint32_t j = 0; j < GROUP_COPY; j += 4)
        word4_store(row + total + j, word4_load(elsewhere + j));
    for (uint32_t j = GROUP_COPY; j < other; j += 4)
      word4_store(row + total + j, word4_load(elsewhere + j));
    row_fits(writer, near->ids[i + 1], other);
  }
}

DEFINE_PAIR_VOID(void, group_rows,
                 (const batch_query *batch, nearby *near, uint32_t own, float radius2,
                  row_writer *writer),
                 batch, near, own, radius2, writer)
static void group_rows(const batch_query *batch, nearby *near, uint32_t own, float radius2,
                       row_writer *writer) {
  /* Each row has fewer than near->size ids, because no agent is its own neighbor. group_rows_in may
   * write GROUP_COPY entries past the last row. */
  const uint32_t most = own * near->size + GROUP_COPY;
  rows_need(writer, most);
  if (!batch->plain || rows_room(writer) < most)
    batch_rows(batch, near, 0, own, NULL, radius2, writer);
  else
    CALL_PAIR(batch->points->dimensions, group_rows, batch, near, own, radius2, writer);
}

/* Writes one agent's row, by a query of the whole grid. Returns 1, the number of rows. */
SMALL_CODE static uint32_t row_alone(const struct grid *grid, const batch_query *batch,
                                     uint32_t place, float radius, row_writer *writer) {
  float center[3];
  points_center(&grid->points, place, center);
  batch_row_alone(batch, center, grid->points.ordered.ids[place], radius, writer);
  return 1;
}

/* Writes the rows of the group that begins at index `place`. Returns the number of rows. If the
 * group can't be gathered, writes one row: the next agent then begins a new group. */
ALWAYS_INLINE uint32_t rows_at(const struct grid *grid, const batch_query *batch, uint32_t place,
                               float radius, nearby *near, row_writer *writer) {
  const uint32_t own = gather(near, grid, batch, place, radius * radius);
  if (!own) return row_alone(grid, batch, place, radius, writer);
  group_rows(batch, near, own, radius * radius, writer);
  return own;
}

void grid_all_within(const void *index, const batch_query *batch, float radius,
                     const task_range *places, row_writer *writer) {
  const struct grid *grid = index;
  nearby near;
  const task_range range = task_range_or_all(places, grid->points.present);
  for (uint32_t place = range.begin; place < range.end;)
    place += rows_at(grid, batch, place, radius, &near, writer);
}

/* ---- The k nearest neighbors, of all agents ----------------------------------------------- */

/* Finds the k nearest neighbors of a range of agents. `wraps` is true if the world wraps around. */
ALWAYS_INLINE void all_neighbors(const struct grid *grid, neighbor_search *search,
                                 const task_range *places, const bool wraps) {
  enum { LEARN_FROM = 32 }; /* rows per update of the expected radius: fewer predict it badly */
  nearby near;
  uint32_t learnt = 0;
  const task_range range = task_range_or_all(places, grid->points.present);
  for (uint32_t place = range.begin; place < range.end;) {
    const float expected2 = search->expected.reach2;
    const float reach2 = expected2 < search->max2 ? expected2 : search->max2;
    uint32_t own = 0;
    if (reach2 > 0 && (!wraps || is_inner(grid, place, reach2)))
      own = gather(&near, grid, &search->batch, place, reach2);
    if (own) {
      batch_nearest(search, &near, 0, own, NULL, reach2);
    } else {
      float center[3];
      points_center(&grid->points, place, center);
      batch_nearest_alone(search, center, grid->points.ordered.ids[place]);
      own = 1;
    }
    place += own;
    learnt += own;
    if (learnt < LEARN_FROM) continue;
    expect(&search->expected);
    learnt = 0;
  }
}

void grid_all_neighbors(const void *grid, neighbor_search *search, const task_range *places) {
  all_neighbors(grid, search, places, false);
}

/* ---- Pairs -------------------------------------------------------------------------------- */

/* Gathers the agents of a run, to find their pairs with the agents of a group. Leaves out agents
 * before the group in the order of the grid, so that each pair is found once. Whenever `near` is
 * full, finds the pairs of the agents in it, and empties it. */
static void pair_with_run(const batch_query *batch, const grid_group *group, grid_run run,
                          nearby *near, pair_search *search) {
  uint32_t begin = run.begin > group->begin ? run.begin : group->begin;
  while (begin < run.end) {
    const uint32_t room = NEAR_LIMIT - near->size, left = run.end - begin;
    const uint32_t end = begin + (left < room ? left : room);
    copy_run_slow(near, batch->points, begin, end, GATHER_PLACES);
    if (near->size == NEAR_LIMIT)
      batch_pairs(batch, group->begin, group->begin + group->size, near, search);
    begin = end;
  }
}

/* Finds all pairs of nearby agents whose first agent, in the order of the grid, is in the group
 * that begins at index `place`. Returns the size of the group. */
SMALL_CODE OUT_OF_LINE uint32_t group_pairs(const struct grid *grid, const batch_query *batch,
                                            uint32_t place, nearby *near, pair_search *search) {
  grid_group group;
  grid_window window;
  group_at_any(grid, place, &group);
  const float reach2 = pairing_reach2(search, batch, place, place + group.size);
  near->size = 0;
  if (group_window(grid, &group, reach2, &window, (int)grid->points.dimensions)) {
    for (uint32_t z = window.lo[2]; z <= window.hi[2]; z++) {
      for (uint32_t y = window.lo[1]; y <= window.hi[1]; y++) {
        grid_run runs[2];
        uint32_t parts = grid_runs(grid, window.lo[0], y, z, window.hi[0] - window.lo[0] + 1, runs);
        while (parts > 0) pair_with_run(batch, &group, runs[--parts], near, search);
      }
    }
  } else
    pair_with_run(batch, &group, (grid_run){0, grid->points.present}, near, search);
  batch_pairs(batch, place, place + group.size, near, search);
  return group.size;
}

SMALL_CODE void grid_pairs(const void *index, const batch_query *batch, pair_search *search) {
  const struct grid *grid = index;
  nearby near;
  for (uint32_t place = 0; place < grid->points.present;)
    place += group_pairs(grid, batch, place, &near, search);
}

/* ---- Worlds that wrap around --------------------------------------------------------------- *
 *
 * Agents that are farther from the world's edges than the search reaches are processed as in any
 * other grid. Near the edges, wrapped_all_neighbors makes a query for each agent.
 * wrapped_all_within and wrapped_pairs process one agent at a time there: they subtract its
 * position from those of all gathered agents, by the shorter way around the world. So this agent is
 * at 0. */

/* Replaces the positions of gathered agents by their differences from a center. Reads the positions
 * from index `begin` on. */
SMALL_CODE static void take_differences(nearby *near, const struct grid *grid, uint32_t begin,
                                        const float *center) {
  for (uint32_t axis = 0; axis < grid->points.dimensions; axis++)
    wrapped_differences(grid, (int)axis, near->axes[axis] + begin, near->size, center[axis],
                        near->axes[axis]);
}

/* Copies to `near` all agents that may be within reach of a group of one or four agents, also
 * across the world's edges. Returns false if there is no room for them. */
SMALL_CODE static bool gather_across(nearby *near, const struct grid *grid, const grid_group *group,
                                     float reach2, gather_fields fields) {
  wrapped_walk walk;
  grid_run run;
  float lo[4], hi[4];
  float4_store(lo, group->lo);
  float4_store(hi, group->hi);
  wrapped_start(&walk, grid, lo, hi, reach2);
  near->size = 0;
  while (wrapped_next(&walk, UINT32_MAX, &run)) {
    if (run.end - run.begin > NEAR_LIMIT - near->size) return false;
    copy_run_slow(near, &grid->points, run.begin, run.end, fields);
  }
  return true;
}

/* Writes the rows of the group that begins at index `place`. Returns the number of rows; 0 if there
 * is no room for all agents around the group. */
SMALL_CODE OUT_OF_LINE uint32_t rows_across(const struct grid *grid, const batch_query *batch,
                                            uint32_t place, float radius2, nearby *near,
                                            row_writer *writer) {
  enum { COPIES = NEAR_ENTRIES / 2 }; /* where copies of the positions begin */
  const gather_fields fields = batch->plain ? GATHER_IDS : GATHER_IDS_AND_GROUPS;
  grid_group group;
  group_at_any(grid, place, &group);
  if (!gather_across(near, grid, &group, radius2, fields)) return 0;
  for (uint32_t axis = 0; axis < grid->points.dimensions; axis++)
    memcpy(near->axes[axis] + COPIES, near->axes[axis], near->size * sizeof(float));
  for (uint32_t i = place; i < place + group.size; i++) {
    float center[3];
    uint32_t self = 0;
    points_center(&grid->points, i, center);
    /* The loop always finds agent i: its whole group was gathered. */
    while (self + 1 < near->size && near->ids[self] != grid->points.ordered.ids[i]) self++;
    take_differences(near, grid, COPIES, center);
    nearby_end(near, near->size);
    batch_rows(batch, near, self, 1, NULL, radius2, writer);
  }
  return group.size;
}

SMALL_CODE void wrapped_all_within(const void *index, const batch_query *batch, float radius,
                                   const task_range *places, row_writer *writer) {
  const struct grid *grid = index;
  nearby near;
  const task_range range = task_range_or_all(places, grid->points.present);
  for (uint32_t place = range.begin; place < range.end;) {
    const float radius2 = radius * radius;
    const uint32_t own = is_inner(grid, place, radius2)
                             ? rows_at(grid, batch, place, radius, &near, writer)
                             : rows_across(grid, batch, place, radius2, &near, writer);
    place += own ? own : row_alone(grid, batch, place, radius, writer);
  }
}

SMALL_CODE void wrapped_all_neighbors(const void *grid, neighbor_search *search,
                                      const task_range *places) {
  all_neighbors(grid, search, places, true);
}

/* Finds all pairs of the agent at index `place` with nearby agents that come later in the order of
 * the grid. */
SMALL_CODE OUT_OF_LINE void pairs_across(const struct grid *grid, const batch_query *batch,
                                         uint32_t place, nearby *near, pair_search *search) {
  wrapped_walk walk;
  grid_run run;
  float center[3];
  points_center(&grid->points, place, center);
  wrapped_start(&walk, grid, center, center, pairing_reach2(search, batch, place, place + 1));
  while (wrapped_next(&walk, NEAR_LIMIT, &run)) {
    if (run.end <= place) continue;
    if (run.begin < place) run.begin = place;
    near->size = 0;
    copy_run_slow(near, &grid->points, run.begin, run.end, GATHER_PLACES);
    take_differences(near, grid, 0, center);
    batch_pairs_around(batch, place, near, search);
  }
}

SMALL_CODE void wrapped_pairs(const void *index, const batch_query *batch, pair_search *search) {
  const struct grid *grid = index;
  nearby near;
  for (uint32_t place = 0; place < grid->points.present;) {
    const uint32_t left = grid->points.present - place;
    const float reach2 = pairing_reach2(search, batch, place, place + (left < 4 ? left : 4));
    if (is_inner(grid, place, reach2))
      place += group_pairs(grid, batch, place, &near, search);
    else
      pairs_across(grid, batch, place++, &near, search);
  }
}
