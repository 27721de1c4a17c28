/* Updates of sensors: which agents entered a zone, and which left it.
 *
 * A sensor remembers the ids of the agents inside it: its remembered row. One array for all sensors
 * holds the generation that each agent's slot had in the last update, which shows if a slot was
 * reused since. An update handles one sensor after the other: it finds the agents near the sensor,
 * and compares them with the remembered row while both are in the cache. It writes the new row, the
 * agents inside now, to a second array. The two arrays are swapped after the last sensor, so
 * nothing is lost if an update runs out of room.
 *
 * The comparison takes linear time. First, marks[id] is set to marked + i for each id of the
 * remembered row, where i is its index. Then an agent was inside before if its mark minus `marked`
 * is less than the row's size. After each row, `marked` grows by the row's size. So older marks are
 * less than `marked` and out of date, and need not be cleared. Only the ids of agents that entered
 * or left are sorted. */

#include "sensors.h"

#include "../base/geom.h"
#include "../base/heap.h"
#include "../base/query.h"

#include <string.h>

/* True if `radius` and `exitRadius` of every sensor are valid. Every update checks this, because
 * the caller can write to `radii` and `exitRadii`. */
SMALL_CODE static bool reaches_ok(const copse_sensors *sensors) {
  for (uint32_t slot = 0; slot < sensors->slots.ever; slot++)
    if (slots_in_use(&sensors->slots, slot) &&
        !sensors_reach_ok(sensors->kinds[slot], sensors->places[slot], sensors->radii[slot],
                          sensors->exitRadii[slot], (int)sensors->def.dimensions))
      return false;
  return true;
}

/* Writes the center of a sensor that is a circle. False if the sensor surrounds an agent that does
 * not exist, is hidden, or has no valid position. */
static bool center_of(const copse_sensors *sensors, uint32_t slot, const copse_points *points,
                      float *center) {
  const uint32_t agent = sensors->agents[slot], dim = sensors->def.dimensions;
  if (sensors->kinds[slot] == COPSE_SENSOR_CIRCLE) {
    copy_point(center, sensors->places[slot], dim);
    return true;
  }
  if (!slots_in_use(&points->agents, agent) || !points->groups[agent]) return false;
  const copse_positions positions = copse_points_positions((copse_points *)points);
  for (uint32_t axis = 0; axis < dim; axis++)
    center[axis] = positions.axes[axis][(size_t)agent * positions.stride];
  return query_point_ok(center, (int)dim);
}

/* An update. The new rows written so far are ids[begin] … ids[end - 1]. */
typedef struct update {
  copse_sensors *sensors;
  const copse_points *points;
  uint32_t ever;  /* the number of agent slots that were ever used, but at most def.agents */
  bool isChanged; /* true if any slot of an agent was taken or freed since the last update */
  uint32_t *ids, begin, end;
  uint64_t needed; /* the number of agents found, summed over all searches */
  bool isFull;     /* true if a search found more than there is room for */
} update;

/* Returns the room left for a search, after the `found` agents that an earlier search for the same
 * sensor wrote. */
static copse_results room_for(update *run, uint32_t found) {
  return (copse_results){.ids = run->ids + run->end + found,
                         .distances2 = run->sensors->distances2 + found,
                         .capacity = run->begin + run->sensors->def.results - run->end - found};
}

/* Adds the number of agents that a search found to run->needed. Returns this number, or 0 if this
 * or an earlier search ran out of room. */
static uint32_t found_of(update *run, const copse_results *results) {
  run->needed += results->total;
  if (results->total > results->capacity) run->isFull = true;
  return run->isFull ? 0 : results->total;
}

/* Finds the agents of a sensor that is a box. The first search grows the box by `radius`: agents in
 * it may enter, and get the distance 0. If `exitRadius` is larger, a second search grows the box by
 * `exitRadius`: agents in it may stay inside, but not enter, and get the distance NaN. Returns the
 * number of ids: agents that both searches find count twice. */
SMALL_CODE static uint32_t search_box(update *run, uint32_t slot, const copse_query *query) {
  const copse_sensors *sensors = run->sensors;
  const float *box = sensors->places[slot], exitRadius = sensors->exitRadii[slot];
  const int dim = (int)sensors->def.dimensions;
  uint32_t found = 0;
  float lo[3] = {0}, hi[3] = {0};
  for (int outer = 0; outer <= (exitRadius > sensors->radii[slot]); outer++) {
    copse_results results = room_for(run, found);
    box_grow(box, outer ? exitRadius : sensors->radii[slot], dim, lo, hi);
    copse_points_range(run->points, lo, hi, query, &results);
    const uint32_t added = found_of(run, &results);
    for (uint32_t i = 0; i < added; i++) results.distances2[i] = outer ? NAN : 0;
    found += added;
  }
  return found;
}

/* Finds the agents of one sensor. Returns their number. */
static uint32_t search(update *run, uint32_t slot) {
  const copse_sensors *sensors = run->sensors;
  const uint32_t kind = sensors->kinds[slot];
  copse_query query = copse_query_default();
  query.mask = sensors->masks[slot];
  if (kind == COPSE_SENSOR_BOX) return search_box(run, slot, &query);
  float center[3] = {0};
  if (!center_of(sensors, slot, run->points, center)) return 0;
  if (kind == COPSE_SENSOR_AGENT) query.exclude = sensors->agents[slot];
  copse_results results = room_for(run, 0);
  /* If `exitRadius` equals `radius`, all agents found may enter. Then no distances are needed, and
   * the search is faster without them. */
  if (sensors->exitRadii[slot] == sensors->radii[slot]) results.distances2 = NULL;
  copse_points_within(run->points, center, sensors->exitRadii[slot], &query, &results);
  return found_of(run, &results);
}

/* Ends the row of a sensor. The row's `count` ids must already be in rows->ids, after the earlier
 * rows. Sorts the ids, and sets the row's offset and count. */
static void end_row(copse_rows *rows, uint32_t slot, uint32_t count) {
  uint32_t *row = rows->ids + rows->total;
  rows->offsets[slot] = rows->total;
  rows->counts[slot] = count;
  rows->total += count;
  if (count > 1) pairs_sort((pairs){NULL, row}, count, BY_ID);
}

/* If `marked` could overflow in an update, clears all marks and sets `marked` to its least value.
 * An update adds at most def.results to `marked`. */
SMALL_CODE static void forget_marks(copse_sensors *sensors) {
  const uint32_t results = sensors->def.results;
  if (sensors->marked >= results && sensors->marked <= UINT32_MAX - 2 * results) return;
  memset(sensors->marks, 0, sensors->def.agents * sizeof *sensors->marks);
  sensors->marked = results;
}

/* Marks the agents that were inside a sensor at the last update. Leaves out agents whose slot was
 * freed or reused since then, so that `compare` counts them as agents that left. */
OUT_OF_LINE void mark(const update *run, uint32_t slot) {
  const copse_sensors *sensors = run->sensors;
  const uint32_t count = sensors->counts[slot], ever = run->ever, marked = sensors->marked;
  const uint32_t *before = sensors->generations, *now = run->points->agents.generations;
  const uint32_t *old = remembered(sensors, slot);
  uint32_t *marks = sensors->marks;
  const bool isChanged = run->isChanged;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t id = old[i];
    if (id < ever && !(isChanged && before[id] != now[id])) marks[id] = marked + i;
  }
}

/* Writes the sensor's row of the set LEFT: the remembered ids that were not found again. Clears
 * `seen`. */
static void end_left(copse_sensors *sensors, uint32_t slot) {
  copse_rows *left = &sensors->sets[LEFT];
  const uint32_t *old = remembered(sensors, slot), count = sensors->counts[slot];
  uint32_t *row = left->ids + left->total, size = 0;
  uint8_t *seen = sensors->seen;
  for (uint32_t begin = 0; begin <= count; begin += 8) {
    uint64_t all;
    memcpy(&all, seen + begin, 8);
    if (all != UINT64_C(0x0101010101010101))
      for (uint32_t i = begin; i < begin + 8 && i < count; i++)
        if (!seen[i]) row[size++] = old[i];
    memset(seen + begin, 0, 8);
  }
  end_row(left, slot, size);
}

/* Drops the ids of agents that were removed since the index was built. Returns how many remain. */
SMALL_CODE static uint32_t drop_removed(const update *run, uint32_t *ids, uint32_t count) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++)
    if (ids[i] < run->ever && slots_in_use(&run->points->agents, ids[i])) ids[kept++] = ids[i];
  return kept;
}

/* Compares the `found` agents of a sensor with its remembered row. Writes the sensor's rows of all
 * three sets: the agents that entered, that left, and that are inside now. */
OUT_OF_LINE void compare(update *run, uint32_t slot, uint32_t found) {
  copse_sensors *sensors = run->sensors;
  copse_rows *entered = &sensors->sets[ENTERED];
  const float radius2 = sensors->radii[slot] * sensors->radii[slot];
  const bool hasMargin = sensors->exitRadii[slot] > sensors->radii[slot];
  /* Local copies of struct members. Otherwise the compiler would load them again after each store
   * below, which might change them. */
  const uint32_t oldCount = sensors->counts[slot], *marks = sensors->marks;
  const uint32_t marked = sensors->marked;
  const float *distances2 = sensors->distances2;
  uint8_t *seen = sensors->seen;
  uint32_t *ids = run->ids + run->end, *row = entered->ids + entered->total;
  uint32_t size = 0, count = hasMargin ? 0 : found;
  mark(run, slot);
  if (!hasMargin)
    for (uint32_t i = 0; i < found; i++) {
      const uint32_t place = marks[ids[i]] - marked;
      WORKED(1);
      if (place < oldCount)
        seen[place] = 1;
      else
        row[size++] = ids[i];
    }
  /* This loop has no branches: agents between `radius` and `exitRadius` would make them
   * unpredictable. seen[index] is 0 for an agent that was inside and is found for the first time:
   * it stays inside. It is 1 for all others, which must be within `radius`: for agents that were
   * not inside (their index is oldCount), and for those that a box finds a second time, with the
   * distance NaN. */
  seen[oldCount] = 1;
  for (uint32_t i = 0; i < found && hasMargin; i++) {
    const uint32_t id = ids[i], place = marks[id] - marked;
    const uint32_t index = place < oldCount ? place : oldCount;
    const uint32_t isNew = seen[index], enters = isNew & (uint32_t)(distances2[i] <= radius2);
    WORKED(1);
    seen[index] = 1;
    row[size] = ids[count] = id;
    size += enters;
    count += enters | (isNew ^ 1);
  }
  sensors->marked += oldCount;
  end_left(sensors, slot);
  const uint32_t stillThere = drop_removed(run, row, size);
  if (stillThere < size) count = drop_removed(run, ids, count);
  end_row(entered, slot, stillThere);
  sensors->sets[INSIDE].offsets[slot] = run->end;
  sensors->sets[INSIDE].counts[slot] = count;
  run->end += count;
}

/* Forgets what a sensor remembers if the slot of the agent that the sensor surrounds was freed or
 * reused since the last update. */
static void follow(copse_sensors *sensors, uint32_t slot, const slots *agents) {
  const uint32_t agent = sensors->agents[slot];
  const uint32_t generation = agent < agents->ever ? agents->generations[agent] : 0;
  if (generation != sensors->agentGenerations[slot]) sensors->counts[slot] = 0;
  sensors->agentGenerations[slot] = generation;
}

/* Ends an update that had enough room: the new rows become the remembered rows. */
SMALL_CODE static void remember(update *run) {
  copse_sensors *sensors = run->sensors;
  copse_rows *inside = &sensors->sets[INSIDE];
  memcpy(sensors->begins, inside->offsets, sensors->slots.ever * sizeof(uint32_t));
  memcpy(sensors->counts, inside->counts, sensors->slots.ever * sizeof(uint32_t));
  memcpy(sensors->generations, run->points->agents.generations, run->ever * sizeof(uint32_t));
  sensors->half = run->begin;
  inside->total = run->end - run->begin;
}

/* True if the index can search for all sensors. If its world wraps around, it has no queries with
 * boxes, so no sensor may be a box. */
SMALL_CODE static bool world_ok(const copse_sensors *sensors, const copse_points *points) {
  if (points_are_flat(points)) return true;
  for (uint32_t slot = 0; slot < sensors->slots.ever; slot++)
    if (slots_in_use(&sensors->slots, slot) && sensors->kinds[slot] == COPSE_SENSOR_BOX)
      return false;
  return true;
}

copse_status copse_sensors_update(copse_sensors *sensors, const copse_points *points,
                                  uint32_t *needed) {
  *needed = 0;
  if (points->dimensions != sensors->def.dimensions || !reaches_ok(sensors) ||
      !world_ok(sensors, points))
    return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  sensors_clear_rows(sensors);
  forget_marks(sensors);
  const uint32_t begin = sensors->half ? 0 : sensors->def.results;
  if (points->builtCount > sensors->def.agents) return COPSE_FULL;
  update run = {.sensors = sensors,
                .points = points,
                .ids = sensors->sets[INSIDE].ids,
                .begin = begin,
                .end = begin};
  const slots *agents = &points->agents;
  run.ever = agents->ever < sensors->def.agents ? agents->ever : sensors->def.agents;
  run.isChanged =
      memcmp(sensors->generations, agents->generations, run.ever * sizeof(uint32_t)) != 0;
  for (uint32_t slot = 0; slot < sensors->slots.ever; slot++) {
    const uint32_t found = slots_in_use(&sensors->slots, slot) ? search(&run, slot) : 0;
    if (sensors->kinds[slot] == COPSE_SENSOR_AGENT) follow(sensors, slot, agents);
    if (!run.isFull) compare(&run, slot, found);
  }
  *needed = run.needed > UINT32_MAX ? UINT32_MAX : (uint32_t)run.needed;
  if (run.isFull)
    sensors_clear_rows(sensors);
  else
    remember(&run);
  return run.isFull ? COPSE_FULL : COPSE_OK;
}
