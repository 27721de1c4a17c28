/* Sensors: which agents entered a zone, and which left it.
 *
 * A sensor remembers the ids of the agents inside it: its remembered row. One array for all sensors
 * holds the generation that each agent's slot had in the last update, which shows if a slot was
 * reused since. An update handles one sensor after the other: it finds the agents near the sensor,
 * and compares them with the remembered row while both are in the cache. It writes the new row, the
 * agents inside now, to a second array. The two arrays are swapped after the last sensor, so
 * nothing is lost if an update runs out of room.
 *
 * The comparison takes linear time, by a sparse set (P. Briggs and L. Torczon, "An efficient
 * representation for sparse sets", 1993): marks[id] is the index of an id in the remembered row. It
 * is valid only if the row holds the id at this index, so marks need not be cleared between rows.
 * Only the ids of agents that entered or left are sorted. */

#include "../base/geom.h"
#include "../base/heap.h"
#include "../base/query.h"
#include "points.h"

#include <string.h>

enum { LEFT, ENTERED, INSIDE, SETS };

/* Bits that mark ids in a remembered row; no id has these bits itself. SEEN: the search found the
 * agent again. GONE: the agent's slot was freed or reused since the last update. */
static const uint32_t SEEN = UINT32_C(1) << 31, GONE = UINT32_C(1) << 30;

struct copse_sensors {
  copse_sensors_def def;
  void *block; /* holds all arrays */
  uint64_t blockBytes;

  /* Arrays by the slot of the sensor. */
  struct slots slots;
  uint32_t *kinds;
  float (*places)[6];
  uint32_t *agents, *agentGenerations; /* slot to surround, and its generation in the last update */
  float *radii, *leaves;
  uint32_t *masks;
  uint32_t *begins, *counts; /* the remembered row: its start in sets[INSIDE].ids, and its size */

  /* The output. sets[INSIDE].ids also stores the remembered rows. The caller can write to it, so
   * ids are checked before they are used as indices. */
  copse_rows sets[SETS];
  uint32_t half;     /* the start of the remembered half of sets[INSIDE].ids: 0 or def.results */
  float *distances2; /* scratch: the squared distances of what one search finds */

  /* Arrays by the slot of the agent. */
  uint32_t *generations; /* the generation of the slot in the last update */
  uint32_t
      *marks; /* scratch: by agent, its index in the list of agents that were inside a sensor */
};

/* ---- Creating, growing and destroying ---------------------------------------------------- */

copse_sensors_def copse_sensors_default(void) {
  return (copse_sensors_def){.dimensions = 2, .capacity = 1000, .agents = 1000};
}

static bool def_ok(const copse_sensors_def *def) {
  return (def->dimensions == 2 || def->dimensions == 3) && def->capacity >= 1 &&
         def->capacity <= COPSE_MAX_CAPACITY && def->agents <= COPSE_MAX_CAPACITY &&
         def->results <= INT32_MAX;
}

static uint64_t carve(copse_sensors *sensors, void *memory) {
  arena layout = arena_over(memory);
  const uint64_t capacity = sensors->def.capacity, results = sensors->def.results;
  sensors->slots.generations = arena_carve(&layout, capacity, 4);
  sensors->slots.free = arena_carve(&layout, slots_words(sensors->def.capacity), 4);
  sensors->kinds = arena_carve(&layout, capacity, 4);
  sensors->places = arena_carve(&layout, capacity, sizeof *sensors->places);
  sensors->agents = arena_carve(&layout, capacity, 4);
  sensors->agentGenerations = arena_carve(&layout, capacity, 4);
  sensors->radii = arena_carve(&layout, capacity, 4);
  sensors->leaves = arena_carve(&layout, capacity, 4);
  sensors->masks = arena_carve(&layout, capacity, 4);
  sensors->begins = arena_carve(&layout, capacity, 4);
  sensors->counts = arena_carve(&layout, capacity, 4);
  sensors->generations = arena_carve(&layout, sensors->def.agents, 4);
  sensors->marks = arena_carve(&layout, sensors->def.agents, 4);
  for (int set = 0; set < SETS; set++) {
    copse_rows *rows = &sensors->sets[set];
    rows->offsets = arena_carve(&layout, capacity, 4);
    rows->counts = arena_carve(&layout, capacity, 4);
    rows->capacity = sensors->def.results;
    rows->ids = arena_carve(&layout, set == INSIDE ? 2 * results : results, 4);
    rows->total = 0;
  }
  sensors->distances2 = arena_carve(&layout, results, 4);
  return arena_block_bytes(layout.used);
}

static copse_status take_block(copse_sensors *sensors) {
  sensors->blockBytes = carve(sensors, NULL);
  sensors->block = memory_take(&sensors->def.allocator, sensors->blockBytes);
  if (!sensors->block) return COPSE_OUT_OF_MEMORY;
  memset(sensors->block, 0, (size_t)sensors->blockBytes);
  carve(sensors, sensors->block);
  sensors->slots.capacity = sensors->def.capacity;
  slots_recount(&sensors->slots);
  return COPSE_OK;
}

size_t copse_sensors_bytes(const copse_sensors_def *def) {
  copse_sensors measured = {.def = *def};
  if (!def_ok(def)) return 0;
  return size_of(sizeof measured + carve(&measured, NULL));
}

copse_status copse_sensors_create(const copse_sensors_def *def, copse_sensors **sensors) {
  *sensors = NULL;
  if (!def_ok(def)) return COPSE_INVALID_ARGUMENT;
  copse_sensors *created = memory_take(&def->allocator, sizeof *created);
  if (!created) return COPSE_OUT_OF_MEMORY;
  *created = (copse_sensors){.def = *def};
  const copse_status status = take_block(created);
  if (status == COPSE_OK)
    *sensors = created;
  else
    memory_give(&def->allocator, created, sizeof *created);
  return status;
}

void copse_sensors_destroy(copse_sensors *sensors) {
  if (!sensors) return;
  const copse_allocator allocator = sensors->def.allocator;
  memory_give(&allocator, sensors->block, sensors->blockBytes);
  memory_give(&allocator, sensors, sizeof *sensors);
}

static uint32_t larger_of(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Returns the options that the sensors have after copse_sensors_reserve. */
static copse_sensors_def reserved(const copse_sensors *sensors, uint32_t capacity, uint32_t results,
                                  uint32_t agents) {
  copse_sensors_def def = sensors->def;
  def.capacity = larger_of(def.capacity, capacity);
  def.results = larger_of(def.results, results);
  def.agents = larger_of(def.agents, agents);
  return def;
}

size_t copse_sensors_reserve_bytes(const copse_sensors *sensors, uint32_t capacity,
                                   uint32_t results, uint32_t agents) {
  const copse_sensors_def def = reserved(sensors, capacity, results, agents);
  return copse_sensors_bytes(&def);
}

/* Copies the sensors and what they remember to `larger`, whose arrays hold zeros. */
static void keep(copse_sensors *larger, const copse_sensors *sensors) {
  const size_t words = sensors->slots.ever * sizeof(uint32_t);
  memcpy(larger->slots.generations, sensors->slots.generations, words);
  memcpy(larger->kinds, sensors->kinds, words);
  memcpy(larger->places, sensors->places, sensors->slots.ever * sizeof *sensors->places);
  memcpy(larger->agents, sensors->agents, words);
  memcpy(larger->agentGenerations, sensors->agentGenerations, words);
  memcpy(larger->radii, sensors->radii, words);
  memcpy(larger->leaves, sensors->leaves, words);
  memcpy(larger->masks, sensors->masks, words);
  memcpy(larger->counts, sensors->counts, words);
  memcpy(larger->sets[INSIDE].ids, sensors->sets[INSIDE].ids + sensors->half,
         sensors->def.results * sizeof(uint32_t));
  for (uint32_t slot = 0; slot < sensors->slots.ever; slot++)
    larger->begins[slot] = sensors->begins[slot] - sensors->half;
  larger->half = 0;
  memcpy(larger->generations, sensors->generations, sensors->def.agents * sizeof(uint32_t));
  slots_recount(&larger->slots);
}

copse_status copse_sensors_reserve(copse_sensors *sensors, uint32_t capacity, uint32_t results,
                                   uint32_t agents) {
  copse_sensors larger = *sensors;
  larger.def = reserved(sensors, capacity, results, agents);
  if (!def_ok(&larger.def)) return COPSE_INVALID_ARGUMENT;
  if (larger.def.capacity == sensors->def.capacity && larger.def.results == sensors->def.results &&
      larger.def.agents == sensors->def.agents)
    return COPSE_OK;
  const copse_status status = take_block(&larger);
  if (status != COPSE_OK) return status;
  keep(&larger, sensors);
  memory_give(&sensors->def.allocator, sensors->block, sensors->blockBytes);
  *sensors = larger;
  return COPSE_OK;
}

copse_sensors_def copse_sensors_limits(const copse_sensors *sensors) { return sensors->def; }
uint32_t copse_sensors_count(const copse_sensors *sensors) { return sensors->slots.used; }
uint32_t copse_sensors_slots(const copse_sensors *sensors) { return sensors->slots.ever; }
bool copse_sensors_has(const copse_sensors *sensors, uint32_t slot) {
  return slots_in_use(&sensors->slots, slot);
}

copse_sensors_arrays copse_sensors_get(copse_sensors *sensors) {
  return (copse_sensors_arrays){.radii = sensors->radii,
                                .leaves = sensors->leaves,
                                .masks = sensors->masks,
                                .kinds = sensors->kinds,
                                .agents = sensors->agents,
                                .generations = sensors->slots.generations,
                                .left = sensors->sets[LEFT],
                                .entered = sensors->sets[ENTERED],
                                .inside = sensors->sets[INSIDE]};
}

/* ---- Sensors ------------------------------------------------------------------------------ */

copse_sensor copse_sensor_default(void) {
  return (copse_sensor){.agent = COPSE_NONE, .mask = COPSE_ALL_GROUPS};
}

/* Writes the corners of a box whose sides are each moved outward. */
static void box_grow(const float *box, float by, int dim, float *lo, float *hi) {
  for (int axis = 0; axis < dim; axis++) {
    lo[axis] = box[axis] - by;
    hi[axis] = box[dim + axis] + by;
  }
}

static copse_status place_check(uint32_t kind, const float *place, uint32_t agent, int dim) {
  if (kind == COPSE_SENSOR_AGENT)
    return agent < COPSE_MAX_CAPACITY ? COPSE_OK : COPSE_INVALID_ARGUMENT;
  if (kind == COPSE_SENSOR_CIRCLE) return query_point_ok(place, dim) ? COPSE_OK : COPSE_NOT_FINITE;
  const bool ok = kind == COPSE_SENSOR_BOX && query_box_ok(place, place + dim, dim);
  return ok ? COPSE_OK : COPSE_INVALID_ARGUMENT;
}

/* True if a sensor's `radius` and `leave` are valid. For a box, growing by either must also give a
 * valid box: if lo is INFINITY and the box grows by INFINITY, lo becomes NaN. */
static bool reach_ok(uint32_t kind, const float *place, float radius, float leave, int dim) {
  float lo[3] = {0}, hi[3] = {0};
  WORKED(1);
  if (!(radius >= 0 && leave >= radius)) return false;
  if (kind != COPSE_SENSOR_BOX) return true;
  box_grow(place, radius, dim, lo, hi);
  if (!query_box_ok(lo, hi, dim)) return false;
  box_grow(place, leave, dim, lo, hi);
  return query_box_ok(lo, hi, dim);
}

/* Sets the place of a sensor: copies the floats that its kind uses, and sets the rest to 0. */
static void put(copse_sensors *sensors, uint32_t slot, const float *place) {
  const uint32_t kind = sensors->kinds[slot], dim = sensors->def.dimensions;
  const uint32_t floats = kind == COPSE_SENSOR_BOX      ? 2 * dim
                          : kind == COPSE_SENSOR_CIRCLE ? dim
                                                        : 0;
  memset(sensors->places[slot], 0, sizeof *sensors->places);
  memcpy(sensors->places[slot], place, floats * sizeof *place);
}

copse_status copse_sensors_add(copse_sensors *sensors, const copse_sensor *sensor, uint32_t *slot) {
  const int dim = (int)sensors->def.dimensions;
  const uint32_t kind = (uint32_t)sensor->kind;
  *slot = COPSE_NONE;
  const copse_status status = place_check(kind, sensor->place, sensor->agent, dim);
  if (status != COPSE_OK) return status;
  if (!reach_ok(kind, sensor->place, sensor->radius, sensor->leave, dim))
    return COPSE_INVALID_ARGUMENT;
  if (sensors->slots.used == sensors->def.capacity) return COPSE_FULL;
  const uint32_t added = *slot = slots_take(&sensors->slots);
  sensors->kinds[added] = kind;
  sensors->agents[added] = kind == COPSE_SENSOR_AGENT ? sensor->agent : COPSE_NONE;
  sensors->agentGenerations[added] = 0;
  sensors->radii[added] = sensor->radius;
  sensors->leaves[added] = sensor->leave;
  sensors->masks[added] = sensor->mask;
  sensors->counts[added] = 0;
  put(sensors, added, sensor->place);
  return COPSE_OK;
}

copse_status copse_sensors_move(copse_sensors *sensors, uint32_t slot, const float *place) {
  if (!slots_in_use(&sensors->slots, slot)) return COPSE_STALE_SLOT;
  const uint32_t kind = sensors->kinds[slot];
  if (kind == COPSE_SENSOR_AGENT) return COPSE_INVALID_ARGUMENT;
  const copse_status status = place_check(kind, place, 0, (int)sensors->def.dimensions);
  if (status == COPSE_OK) put(sensors, slot, place);
  return status;
}

copse_status copse_sensors_reset(copse_sensors *sensors, uint32_t slot) {
  if (!slots_in_use(&sensors->slots, slot)) return COPSE_STALE_SLOT;
  sensors->counts[slot] = 0;
  return COPSE_OK;
}

copse_status copse_sensors_remove(copse_sensors *sensors, uint32_t slot) {
  const copse_status status = copse_sensors_reset(sensors, slot);
  return status == COPSE_OK ? slots_free(&sensors->slots, slot) : status;
}

void copse_sensors_clear(copse_sensors *sensors) {
  for (uint32_t slot = 0; slot < sensors->slots.ever; slot++) copse_sensors_remove(sensors, slot);
}

/* ---- Updates ------------------------------------------------------------------------------ */

/* Makes all rows of the output empty. */
static void clear_rows(copse_sensors *sensors) {
  for (int set = 0; set < SETS; set++) {
    memset(sensors->sets[set].counts, 0, sensors->slots.ever * sizeof(uint32_t));
    sensors->sets[set].total = 0;
  }
}

/* True if `radius` and `leave` of every sensor are valid. Every update checks this, because the
 * caller can write to `radii` and `leaves`. */
static bool reaches_ok(const copse_sensors *sensors) {
  for (uint32_t slot = 0; slot < sensors->slots.ever; slot++)
    if (slots_in_use(&sensors->slots, slot) &&
        !reach_ok(sensors->kinds[slot], sensors->places[slot], sensors->radii[slot],
                  sensors->leaves[slot], (int)sensors->def.dimensions))
      return false;
  return true;
}

/* Writes the center of a sensor that is a circle. False if the sensor surrounds an agent that does
 * not exist, is hidden, or has no valid position. */
static bool center_of(const copse_sensors *sensors, uint32_t slot,
                      const copse_sensed_agents *agents, float *center) {
  const uint32_t agent = sensors->agents[slot], dim = sensors->def.dimensions;
  if (sensors->kinds[slot] == COPSE_SENSOR_CIRCLE) {
    copy_point(center, sensors->places[slot], dim);
    return true;
  }
  if (agent >= agents->slots || !(agents->generations[agent] & 1) || !agents->groups[agent])
    return false;
  for (uint32_t axis = 0; axis < dim; axis++)
    center[axis] = agents->positions.axes[axis][(size_t)agent * agents->positions.stride];
  return query_point_ok(center, (int)dim);
}

/* An update. The new rows written so far are ids[begin] … ids[end - 1]. */
typedef struct update {
  copse_sensors *sensors;
  const copse_points *points;
  copse_sensed_agents agents;
  uint32_t ever;  /* the number of agent slots that were ever used, but at most def.agents */
  bool isChanged; /* true if any of these slots was taken or freed since the last update */
  uint32_t *ids, begin, end;
  uint64_t needed; /* the number of agents that all searches found */
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

/* Finds the agents of a sensor that is a box: first those within `radius`, which may enter, with
 * distance 0. Then, if `leave` is larger, all within `leave`, with distance NaN: these don't enter,
 * but may stay inside. Returns the number of ids: agents that both searches find count twice. */
static uint32_t search_box(update *run, uint32_t slot, const copse_query *query) {
  const copse_sensors *sensors = run->sensors;
  const float *box = sensors->places[slot], leave = sensors->leaves[slot];
  const int dim = (int)sensors->def.dimensions;
  uint32_t found = 0;
  float lo[3] = {0}, hi[3] = {0};
  for (int outer = 0; outer <= (leave > sensors->radii[slot]); outer++) {
    copse_results results = room_for(run, found);
    box_grow(box, outer ? leave : sensors->radii[slot], dim, lo, hi);
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
  if (!center_of(sensors, slot, &run->agents, center)) return 0;
  if (kind == COPSE_SENSOR_AGENT) query.exclude = sensors->agents[slot];
  copse_results results = room_for(run, 0);
  /* If `leave` equals `radius`, all agents found may enter. Then no distances are needed, and the
   * search is faster without them. */
  if (sensors->leaves[slot] == sensors->radii[slot]) results.distances2 = NULL;
  copse_points_within(run->points, center, sensors->leaves[slot], &query, &results);
  return found_of(run, &results);
}

/* Appends the row of a sensor to a set, and sorts it. The `count` ids of the row are already there,
 * after those of the earlier rows. */
static void end_row(copse_rows *rows, uint32_t slot, uint32_t count) {
  rows->offsets[slot] = rows->total;
  rows->counts[slot] = count;
  if (count > 1) pairs_sort((pairs){NULL, rows->ids + rows->total}, count, BY_ID);
  rows->total += count;
}

/* Returns the remembered row of a sensor. */
static uint32_t *remembered(const copse_sensors *sensors, uint32_t slot) {
  return sensors->sets[INSIDE].ids + sensors->begins[slot];
}

/* Prepares the remembered row of a sensor for look-ups in `marks`. */
static void mark(const update *run, uint32_t slot) {
  const copse_sensors *sensors = run->sensors;
  const uint32_t count = sensors->counts[slot], ever = run->ever;
  const uint32_t *before = sensors->generations, *now = run->agents.generations;
  uint32_t *old = remembered(sensors, slot), *marks = sensors->marks;
  const bool isChanged = run->isChanged;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t id = old[i];
    WORKED(1);
    if (id < ever && !(isChanged && before[id] != now[id]))
      marks[id] = i;
    else
      old[i] = id | GONE;
  }
}

/* Writes the sensor's row of the set LEFT: the remembered ids that were not found again. `seen` is
 * the number of those that were. */
static void end_left(copse_sensors *sensors, uint32_t slot, uint32_t seen) {
  copse_rows *left = &sensors->sets[LEFT];
  const uint32_t *old = remembered(sensors, slot), count = sensors->counts[slot];
  uint32_t *row = left->ids + left->total, size = 0;
  for (uint32_t i = 0; i < count && seen < count; i++) {
    WORKED(1);
    if (!(old[i] & SEEN)) row[size++] = old[i] & ~GONE;
  }
  end_row(left, slot, size);
}

/* Compares the `found` agents of a sensor with its remembered row. Writes the sensor's rows of all
 * three sets: the agents that entered, that left, and that are inside now. */
static void compare(update *run, uint32_t slot, uint32_t found) {
  copse_sensors *sensors = run->sensors;
  copse_rows *entered = &sensors->sets[ENTERED];
  const float radius2 = sensors->radii[slot] * sensors->radii[slot];
  const bool hasMargin = sensors->leaves[slot] > sensors->radii[slot];
  /* Local pointers: for all that the compiler knows, the stores below may change those in structs.
   */
  const uint32_t oldCount = sensors->counts[slot], *marks = sensors->marks;
  const uint32_t *generations = run->agents.generations, ever = run->ever;
  const float *distances2 = sensors->distances2;
  uint32_t *old = remembered(sensors, slot), *ids = run->ids + run->end;
  uint32_t *row = entered->ids + entered->total;
  uint32_t size = 0, seen = 0, count = 0;
  mark(run, slot);
  for (uint32_t i = 0; i < found; i++) {
    const uint32_t id = ids[i], place = marks[id];
    WORKED(1);
    if (place < oldCount && old[place] == id) {
      old[place] = id | SEEN; /* counts once even if both searches of a box find it */
      seen++;
    } else {
      if (hasMargin && !(distances2[i] <= radius2)) continue;
      if (id >= ever || !(generations[id] & 1)) continue;
      row[size++] = id;
    }
    ids[count++] = id;
  }
  end_left(sensors, slot, seen);
  end_row(entered, slot, size);
  sensors->sets[INSIDE].offsets[slot] = run->end;
  sensors->sets[INSIDE].counts[slot] = count;
  run->end += count;
}

/* Forgets what a sensor remembers if the slot of the agent that the sensor surrounds was freed or
 * reused since the last update. */
static void follow(copse_sensors *sensors, uint32_t slot, const copse_sensed_agents *agents) {
  const uint32_t agent = sensors->agents[slot];
  const uint32_t generation = agent < agents->slots ? agents->generations[agent] : 0;
  if (generation != sensors->agentGenerations[slot]) sensors->counts[slot] = 0;
  sensors->agentGenerations[slot] = generation;
}

/* Undoes an update that ran out of room: clears the marks in the remembered rows, and empties the
 * rows of the output. */
static void unmark(copse_sensors *sensors) {
  for (uint32_t slot = 0; slot < sensors->slots.ever; slot++)
    for (uint32_t i = 0; i < sensors->counts[slot]; i++)
      remembered(sensors, slot)[i] &= ~(SEEN | GONE);
  clear_rows(sensors);
}

/* Ends an update that had enough room: the new rows become the remembered rows. */
static void remember(update *run) {
  copse_sensors *sensors = run->sensors;
  copse_rows *inside = &sensors->sets[INSIDE];
  memcpy(sensors->begins, inside->offsets, sensors->slots.ever * sizeof(uint32_t));
  memcpy(sensors->counts, inside->counts, sensors->slots.ever * sizeof(uint32_t));
  memcpy(sensors->generations, run->agents.generations, run->ever * sizeof(uint32_t));
  sensors->half = run->begin;
  inside->total = run->end - run->begin;
}

/* Returns the agents in an index's own buffers. */
static copse_sensed_agents agents_of(const copse_points *points) {
  const copse_positions own = copse_points_positions((copse_points *)points);
  return (copse_sensed_agents){{{own.axes[0], own.axes[1], own.axes[2]}, own.stride},
                               points->groups,
                               points->agents.generations,
                               points->agents.ever};
}

/* True if the world has what the sensors search for: one that wraps around has no boxes. */
static bool world_ok(const copse_sensors *sensors, const copse_points *points) {
  if (points_are_flat(points)) return true;
  for (uint32_t slot = 0; slot < sensors->slots.ever; slot++)
    if (slots_in_use(&sensors->slots, slot) && sensors->kinds[slot] == COPSE_SENSOR_BOX)
      return false;
  return true;
}

copse_status copse_sensors_update(copse_sensors *sensors, const copse_points *points,
                                  const copse_sensed_agents *agents, uint32_t *needed) {
  *needed = 0;
  if (points->dimensions != sensors->def.dimensions || (points->external && !agents) ||
      !reaches_ok(sensors) || !world_ok(sensors, points))
    return COPSE_INVALID_ARGUMENT;
  if (!points->isBuilt) return COPSE_NOT_BUILT;
  clear_rows(sensors);
  const uint32_t begin = sensors->half ? 0 : sensors->def.results;
  if (points->builtCount > sensors->def.agents) return COPSE_FULL;
  update run = {.sensors = sensors,
                .points = points,
                .agents = agents ? *agents : agents_of(points),
                .ids = sensors->sets[INSIDE].ids,
                .begin = begin,
                .end = begin};
  run.ever = run.agents.slots < sensors->def.agents ? run.agents.slots : sensors->def.agents;
  run.isChanged =
      memcmp(sensors->generations, run.agents.generations, run.ever * sizeof(uint32_t)) != 0;
  for (uint32_t slot = 0; slot < sensors->slots.ever; slot++) {
    const uint32_t found = slots_in_use(&sensors->slots, slot) ? search(&run, slot) : 0;
    if (sensors->kinds[slot] == COPSE_SENSOR_AGENT) follow(sensors, slot, &run.agents);
    if (!run.isFull) compare(&run, slot, found);
  }
  *needed = run.needed > UINT32_MAX ? UINT32_MAX : (uint32_t)run.needed;
  if (run.isFull)
    unmark(sensors);
  else
    remember(&run);
  return run.isFull ? COPSE_FULL : COPSE_OK;
}

/* ---- Statistics, validation and snapshots ------------------------------------------------- */

copse_sensors_statistics copse_sensors_stats(const copse_sensors *sensors) {
  copse_sensors_statistics stats = {.sensors = sensors->slots.used,
                                    .bytes = (size_t)(sizeof *sensors + sensors->blockBytes)};
  for (uint32_t slot = 0; slot < sensors->slots.ever; slot++) stats.inside += sensors->counts[slot];
  return stats;
}

/* True if every id of a remembered row is an agent slot that is in use, and no id occurs twice.
 * Overwrites `marks`. */
static bool row_ok(const copse_sensors *sensors, const uint32_t *ids, uint32_t count,
                   const uint32_t *generations, uint32_t agents) {
  for (uint32_t i = 0; i < count; i++) {
    if (ids[i] >= agents || !(generations[ids[i]] & 1)) return false;
    sensors->marks[ids[i]] = i;
  }
  for (uint32_t i = 0; i < count; i++)
    if (sensors->marks[ids[i]] != i) return false;
  return true;
}

bool copse_sensors_validate(const copse_sensors *sensors) {
  const uint32_t last = sensors->half + sensors->def.results;
  uint32_t end = sensors->half;
  for (uint32_t slot = 0; slot < sensors->slots.ever; slot++) {
    const uint32_t begin = sensors->begins[slot], count = sensors->counts[slot];
    if (!count) continue;
    if (!slots_in_use(&sensors->slots, slot) || begin < end || begin > last ||
        count > last - begin ||
        !row_ok(sensors, remembered(sensors, slot), count, sensors->generations,
                sensors->def.agents))
      return false;
    end = begin + count;
  }
  return true;
}

/* The head of a snapshot. After it come the generations of all sensors that were ever in use, then
 * a sensor_snapshot for each of them (zeros if the slot is free), then the ids of all remembered
 * rows, then the generations of agents. */
typedef struct sensors_snapshot {
  snapshot_header header;
  uint32_t dimensions;
  uint32_t ever, results; /* the numbers of slots and of remembered ids */
  uint32_t agents;        /* the number of generations of agents; every remembered id is less */
} sensors_snapshot;
_Static_assert(sizeof(sensors_snapshot) <= COPSE_SNAPSHOT_HEAD, "the head of a snapshot");

typedef struct sensor_snapshot {
  uint32_t kind, agent, agentGeneration, mask, count;
  float radius, leave, place[6];
} sensor_snapshot;

static uint64_t snapshot_bytes(const sensors_snapshot *head) {
  return sizeof *head + head->ever * (uint64_t)(4 + sizeof(sensor_snapshot)) +
         ((uint64_t)head->results + head->agents) * 4;
}

static sensors_snapshot snapshot_head(const copse_sensors *sensors) {
  sensors_snapshot head = {.dimensions = sensors->def.dimensions, .ever = sensors->slots.ever};
  for (uint32_t slot = 0; slot < head.ever; slot++) {
    const uint32_t count = sensors->counts[slot];
    head.results += count;
    for (uint32_t i = 0; i < count; i++)
      head.agents = larger_of(head.agents, remembered(sensors, slot)[i] + 1);
  }
  return head;
}

copse_status copse_sensors_save(const copse_sensors *sensors, void *bytes, size_t capacity,
                                size_t *total) {
  sensors_snapshot head = snapshot_head(sensors);
  const uint64_t size = snapshot_bytes(&head);
  snapshot_put_head(bytes, capacity, &head, sizeof head);
  *total = size_of(size);
  if (!copse_sensors_validate(sensors)) return COPSE_INVALID_ARGUMENT;
  if (size > capacity) return COPSE_FULL;
  uint32_t *generations = (uint32_t *)((char *)bytes + sizeof head);
  sensor_snapshot *saved = (sensor_snapshot *)(generations + head.ever);
  uint32_t *ids = (uint32_t *)(saved + head.ever);
  memcpy(generations, sensors->slots.generations, head.ever * sizeof *generations);
  memset(saved, 0, head.ever * sizeof *saved);
  for (uint32_t slot = 0; slot < head.ever; slot++) {
    if (!slots_in_use(&sensors->slots, slot)) continue;
    const uint32_t count = sensors->counts[slot];
    saved[slot] = (sensor_snapshot){.kind = sensors->kinds[slot],
                                    .agent = sensors->agents[slot],
                                    .agentGeneration = sensors->agentGenerations[slot],
                                    .mask = sensors->masks[slot],
                                    .count = count,
                                    .radius = sensors->radii[slot],
                                    .leave = sensors->leaves[slot]};
    memcpy(saved[slot].place, sensors->places[slot], sizeof saved[slot].place);
    memcpy(ids, remembered(sensors, slot), count * sizeof *ids);
    ids += count;
  }
  memcpy(ids, sensors->generations, head.agents * sizeof *ids);
  snapshot_seal(bytes, size, SNAPSHOT_SENSORS);
  return COPSE_OK;
}

copse_status copse_sensors_restorable(const copse_sensors *sensors, const void *bytes,
                                      size_t size) {
  const copse_sensors_def *def = &sensors->def;
  sensors_snapshot head;
  if (size < sizeof head) return COPSE_BAD_SNAPSHOT;
  memcpy(&head, bytes, sizeof head);
  if (!snapshot_fits(&head.header, size, SNAPSHOT_SENSORS) || head.dimensions != def->dimensions ||
      size != snapshot_bytes(&head))
    return COPSE_BAD_SNAPSHOT;
  const bool fits =
      head.ever <= def->capacity && head.results <= def->results && head.agents <= def->agents;
  return fits ? COPSE_OK : COPSE_FULL;
}

copse_sensors_def copse_sensors_saved(const void *bytes) {
  sensors_snapshot head;
  memcpy(&head, bytes, sizeof head);
  return (copse_sensors_def){.dimensions = head.dimensions,
                             .capacity = head.ever,
                             .results = head.results,
                             .agents = head.agents};
}

/* True if a saved sensor can be restored. Its `radius` and `leave` may be invalid, as the caller
 * can write any value: the next update checks them. */
static bool saved_ok(const copse_sensors *sensors, const sensor_snapshot *saved, bool isInUse) {
  uint32_t words[sizeof *saved / 4], any = 0;
  memcpy(words, saved, sizeof words);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) any |= words[i];
  if (!isInUse) return any == 0;
  const bool follows = saved->kind == COPSE_SENSOR_AGENT;
  return place_check(saved->kind, saved->place, saved->agent, (int)sensors->def.dimensions) ==
             COPSE_OK &&
         (follows || (saved->agent == COPSE_NONE && !saved->agentGeneration));
}

static bool snapshot_ok(const copse_sensors *sensors, const sensors_snapshot *head,
                        const uint32_t *generations) {
  const sensor_snapshot *saved = (const sensor_snapshot *)(generations + head->ever);
  const uint32_t *ids = (const uint32_t *)(saved + head->ever);
  uint32_t begin = 0;
  if (head->ever && !generations[head->ever - 1]) return false;
  for (uint32_t slot = 0; slot < head->ever; slot++) {
    const uint32_t count = saved[slot].count;
    if (!saved_ok(sensors, &saved[slot], generations[slot] & 1) || count > head->results - begin ||
        !row_ok(sensors, ids + begin, count, ids + head->results, head->agents))
      return false;
    begin += count;
  }
  return begin == head->results;
}

copse_status copse_sensors_restore(copse_sensors *sensors, const void *bytes, size_t size) {
  if ((uintptr_t)bytes % 4) return COPSE_INVALID_ARGUMENT;
  const copse_status status = copse_sensors_restorable(sensors, bytes, size);
  if (status != COPSE_OK) return status;
  sensors_snapshot head;
  memcpy(&head, bytes, sizeof head);
  const uint32_t *generations = (const uint32_t *)((const char *)bytes + sizeof head);
  if (!snapshot_is_intact(bytes, size) || !snapshot_ok(sensors, &head, generations))
    return COPSE_BAD_SNAPSHOT;
  const sensor_snapshot *saved = (const sensor_snapshot *)(generations + head.ever);
  const uint32_t *ids = (const uint32_t *)(saved + head.ever);
  memset(sensors->slots.generations, 0, sensors->def.capacity * sizeof *generations);
  memcpy(sensors->slots.generations, generations, head.ever * sizeof *generations);
  slots_recount(&sensors->slots);
  clear_rows(sensors);
  sensors->half = 0;
  memcpy(sensors->sets[INSIDE].ids, ids, head.results * sizeof *ids);
  memcpy(sensors->generations, ids + head.results, head.agents * sizeof *ids);
  uint32_t begin = 0;
  for (uint32_t slot = 0; slot < head.ever; slot++) {
    sensors->kinds[slot] = saved[slot].kind;
    sensors->agents[slot] = saved[slot].agent;
    sensors->agentGenerations[slot] = saved[slot].agentGeneration;
    sensors->masks[slot] = saved[slot].mask;
    sensors->radii[slot] = saved[slot].radius;
    sensors->leaves[slot] = saved[slot].leave;
    sensors->begins[slot] = begin;
    sensors->counts[slot] = saved[slot].count;
    memcpy(sensors->places[slot], saved[slot].place, sizeof *sensors->places);
    begin += saved[slot].count;
  }
  return COPSE_OK;
}
