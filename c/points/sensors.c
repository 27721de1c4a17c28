/* Sensors: creating and growing them, adding and moving single sensors, and snapshots. Updates are
 * in sensors_update.c. */

#include "sensors.h"

#include "../base/query.h"

#include <string.h>

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
  sensors->exitRadii = arena_carve(&layout, capacity, 4);
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
  sensors->seen = arena_carve(&layout, results + SEEN_PADDING, 1);
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

/* Copies the sensors and what they remember to `larger`, whose arrays hold zeros. */
static void keep(copse_sensors *larger, const copse_sensors *sensors) {
  const size_t words = sensors->slots.ever * sizeof(uint32_t);
  memcpy(larger->slots.generations, sensors->slots.generations, words);
  memcpy(larger->kinds, sensors->kinds, words);
  memcpy(larger->places, sensors->places, sensors->slots.ever * sizeof *sensors->places);
  memcpy(larger->agents, sensors->agents, words);
  memcpy(larger->agentGenerations, sensors->agentGenerations, words);
  memcpy(larger->radii, sensors->radii, words);
  memcpy(larger->exitRadii, sensors->exitRadii, words);
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
                                .exitRadii = sensors->exitRadii,
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

static copse_status place_check(uint32_t kind, const float *place, uint32_t agent, int dim) {
  if (kind == COPSE_SENSOR_AGENT)
    return agent < COPSE_MAX_CAPACITY ? COPSE_OK : COPSE_INVALID_ARGUMENT;
  if (kind == COPSE_SENSOR_CIRCLE) return query_point_ok(place, dim) ? COPSE_OK : COPSE_NOT_FINITE;
  const bool ok = kind == COPSE_SENSOR_BOX && query_box_ok(place, place + dim, dim);
  return ok ? COPSE_OK : COPSE_INVALID_ARGUMENT;
}

bool sensors_reach_ok(uint32_t kind, const float *place, float radius, float exitRadius, int dim) {
  float lo[3] = {0}, hi[3] = {0};
  if (!(radius >= 0 && exitRadius >= radius)) return false;
  if (kind != COPSE_SENSOR_BOX) return true;
  box_grow(place, radius, dim, lo, hi);
  if (!query_box_ok(lo, hi, dim)) return false;
  box_grow(place, exitRadius, dim, lo, hi);
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
  if (!sensors_reach_ok(kind, sensor->place, sensor->radius, sensor->exitRadius, dim))
    return COPSE_INVALID_ARGUMENT;
  if (sensors->slots.used == sensors->def.capacity) return COPSE_FULL;
  const uint32_t added = *slot = slots_take(&sensors->slots);
  sensors->kinds[added] = kind;
  sensors->agents[added] = kind == COPSE_SENSOR_AGENT ? sensor->agent : COPSE_NONE;
  sensors->agentGenerations[added] = 0;
  sensors->radii[added] = sensor->radius;
  sensors->exitRadii[added] = sensor->exitRadius;
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

void sensors_clear_rows(copse_sensors *sensors) {
  for (int set = 0; set < SETS; set++) {
    memset(sensors->sets[set].counts, 0, sensors->slots.ever * sizeof(uint32_t));
    sensors->sets[set].total = 0;
  }
}

/* ---- Statistics, validation and snapshots ------------------------------------------------- */

copse_sensors_statistics copse_sensors_stats(const copse_sensors *sensors) {
  copse_sensors_statistics stats = {.sensors = sensors->slots.used,
                                    .bytes = (size_t)(sizeof *sensors + sensors->blockBytes)};
  for (uint32_t slot = 0; slot < sensors->slots.ever; slot++) stats.inside += sensors->counts[slot];
  return stats;
}

/* True if the ids that a sensor remembers are valid: each is the slot of an agent, the slot is in
 * use, and no id occurs twice. Overwrites `marks`. */
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
 * a sensor_snapshot for each of them (zeros if the slot is free), then the ids that they remember,
 * then the generations of agents. */
typedef struct sensors_snapshot {
  snapshot_header header;
  uint32_t dimensions;
  uint32_t ever, results; /* how many slots of sensors are saved, and how many ids they remember */
  uint32_t agents; /* how many generations of agents are saved: 1 + the highest remembered id */
} sensors_snapshot;
_Static_assert(sizeof(sensors_snapshot) <= SNAPSHOT_HEAD, "the head of a snapshot");

/* A sensor in a snapshot. `count` is the number of ids that it remembers. */
typedef struct sensor_snapshot {
  uint32_t kind, agent, agentGeneration, mask, count;
  float radius, exitRadius, place[6];
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

/* True if copse_sensors_restore would accept the array `agents`. The caller can write to this
 * array, but must not. */
static bool agents_ok(const copse_sensors *sensors) {
  for (uint32_t slot = 0; slot < sensors->slots.ever; slot++) {
    const uint32_t agent = sensors->agents[slot];
    const bool follows = sensors->kinds[slot] == COPSE_SENSOR_AGENT;
    if (slots_in_use(&sensors->slots, slot) &&
        (follows ? agent >= COPSE_MAX_CAPACITY : agent != COPSE_NONE))
      return false;
  }
  return true;
}

copse_status copse_sensors_save(const copse_sensors *sensors, void *bytes, size_t capacity,
                                size_t *total) {
  sensors_snapshot head = snapshot_head(sensors);
  const uint64_t size = snapshot_bytes(&head);
  snapshot_put_head(bytes, capacity, &head, sizeof head);
  *total = size_of(size);
  if (!copse_sensors_validate(sensors) || !agents_ok(sensors)) return COPSE_INVALID_ARGUMENT;
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
                                    .exitRadius = sensors->exitRadii[slot]};
    memcpy(saved[slot].place, sensors->places[slot], sizeof saved[slot].place);
    memcpy(ids, remembered(sensors, slot), count * sizeof *ids);
    ids += count;
  }
  memcpy(ids, sensors->generations, head.agents * sizeof *ids);
  snapshot_seal(bytes, size, SNAPSHOT_SENSORS);
  return COPSE_OK;
}

/* True if a saved sensor can be restored. Its `radius` and `exitRadius` may be invalid, as the
 * caller can write any value: the next update checks them. */
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

copse_status copse_sensors_restore(copse_sensors *sensors, const void *bytes, size_t size,
                                   copse_sensors_def *needed) {
  const copse_sensors_def *def = &sensors->def;
  sensors_snapshot head;
  const copse_status status = snapshot_open(bytes, size, SNAPSHOT_SENSORS, &head, sizeof head);
  if (status != COPSE_OK) return status;
  const uint32_t *generations = (const uint32_t *)((const char *)bytes + sizeof head);
  if (head.dimensions != def->dimensions || size != snapshot_bytes(&head))
    return COPSE_BAD_SNAPSHOT;
  copse_sensors_def most = *def;
  most.capacity = head.ever;
  most.results = head.results;
  most.agents = head.agents;
  if (needed) *needed = most;
  if (most.capacity > def->capacity || most.results > def->results || most.agents > def->agents)
    return COPSE_FULL;
  if (!snapshot_ok(sensors, &head, generations)) return COPSE_BAD_SNAPSHOT;
  const sensor_snapshot *saved = (const sensor_snapshot *)(generations + head.ever);
  const uint32_t *ids = (const uint32_t *)(saved + head.ever);
  memset(sensors->slots.generations, 0, sensors->def.capacity * sizeof *generations);
  memcpy(sensors->slots.generations, generations, head.ever * sizeof *generations);
  slots_recount(&sensors->slots);
  sensors_clear_rows(sensors);
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
    sensors->exitRadii[slot] = saved[slot].exitRadius;
    sensors->begins[slot] = begin;
    sensors->counts[slot] = saved[slot].count;
    memcpy(sensors->places[slot], saved[slot].place, sizeof *sensors->places);
    begin += saved[slot].count;
  }
  return COPSE_OK;
}
