/* The flat ABI that JavaScript calls: handles and offsets, no pointer from outside.
 *
 * A function answers with an int32: a result of 0 or more, -1 for nobody, or an error far below
 * (FAILED). Memory safety does not rest on JavaScript: handles are checked here, and arguments by
 * the C API. */

#include "../c/core.h"

#include <string.h>

#define EXPORT(name) __attribute__((export_name(name), visibility("default")))

#define FAILED(status) (INT32_MIN + (int32_t)(status))

static const copse_allocator MALLOC = {0};

/* ---- Objects: a handle is a slot and the low bits of its generation -------------------------- */

typedef struct object {
  copse_agenttree *tree;
  copse_results results; /* room for a single query that finds every item */
} object;

static slots allSlots = {.firstFree = COPSE_NONE};
static object *objects;

enum { SLOT_BITS = 20, GENERATION_MASK = 0x7ff };

static int32_t handle_of(uint32_t slot) {
  return (int32_t)((allSlots.generations[slot] & GENERATION_MASK) << SLOT_BITS | slot);
}

static object *object_of(int32_t handle) {
  uint32_t slot = (uint32_t)handle & ((1u << SLOT_BITS) - 1);
  return slots_in_use(&allSlots, slot) && handle_of(slot) == handle ? &objects[slot] : NULL;
}

static copse_status grow_table(void) {
  const uint64_t old = allSlots.capacity, capacity = old ? 2 * old : 16;
  const uint64_t itemBytes = sizeof(object) + 2 * sizeof(uint32_t);
  if (capacity > 1u << SLOT_BITS) return COPSE_FULL;
  object *larger = memory_take(&MALLOC, capacity * itemBytes);
  if (!larger) return COPSE_OUT_OF_MEMORY;
  if (old) memcpy(larger, objects, (size_t)old * sizeof(object));
  uint32_t *generations = (uint32_t *)(void *)(larger + capacity);
  slots_grow(&allSlots, generations, generations + capacity, (uint32_t)capacity);
  memory_give(&MALLOC, objects, old * itemBytes);
  objects = larger;
  return COPSE_OK;
}

/* Ids and squared distances in one block; on failure the old ones stay. */
static copse_status take_results(copse_results *results, uint32_t capacity) {
  uint32_t *ids = memory_take(&MALLOC, (uint64_t)capacity * 8);
  if (!ids) return COPSE_OUT_OF_MEMORY;
  memory_give(&MALLOC, results->ids, (uint64_t)results->capacity * 8);
  results->ids = ids;
  results->distances2 = (float *)(void *)(ids + capacity);
  results->capacity = capacity;
  return COPSE_OK;
}

EXPORT("agenttree_create")
int32_t agenttree_create(uint32_t dimensions, uint32_t capacity, uint32_t leafSize, uint32_t axis,
                         uint32_t split, uint32_t layout, uint32_t onNonFinite) {
  if (allSlots.firstFree == COPSE_NONE && allSlots.used == allSlots.capacity) {
    copse_status status = grow_table();
    if (status != COPSE_OK) return FAILED(status);
  }
  copse_agenttree_def def = copse_agenttree_default();
  def.dimensions = dimensions;
  def.capacity = capacity;
  if (leafSize) def.leafSize = leafSize; /* 0: the default */
  def.axis = (copse_axis)axis;
  def.split = (copse_split)split;
  def.layout = (copse_layout)layout;
  def.onNonFinite = (copse_on_non_finite)onNonFinite;
  object made = {0};
  copse_status status = copse_agenttree_create(&def, &made.tree);
  if (status == COPSE_OK) status = take_results(&made.results, capacity);
  if (status != COPSE_OK) {
    copse_agenttree_destroy(made.tree);
    return FAILED(status);
  }
  uint32_t slot = slots_take(&allSlots);
  objects[slot] = made;
  return handle_of(slot);
}

EXPORT("destroy") int32_t destroy(int32_t handle) {
  object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_agenttree_destroy(at->tree);
  memory_give(&MALLOC, at->results.ids, (uint64_t)at->results.capacity * 8);
  slots_free(&allSlots, (uint32_t)(at - objects));
  return 0;
}

EXPORT("reserve") int32_t reserve(int32_t handle, uint32_t capacity) {
  object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  if (capacity <= at->results.capacity) return 0;
  if (capacity > COPSE_MAX_CAPACITY) return FAILED(COPSE_INVALID_ARGUMENT);
  copse_results larger = {0};
  copse_status status = take_results(&larger, capacity);
  if (status != COPSE_OK) return FAILED(status);
  status = copse_agenttree_reserve(at->tree, capacity);
  copse_results *unused = status == COPSE_OK ? &at->results : &larger;
  memory_give(&MALLOC, unused->ids, (uint64_t)unused->capacity * 8);
  if (status != COPSE_OK) return FAILED(status);
  at->results = larger;
  return 0;
}

/* ---- Where things lie: byte offsets for JavaScript's views; 0 for what is not there ---------- */

typedef enum view { VIEW_X, VIEW_Y, VIEW_Z, VIEW_GROUPS, VIEW_IDS, VIEW_DISTANCES2 } view;

EXPORT("view_of") uintptr_t view_of(int32_t handle, uint32_t which) {
  object *at = object_of(handle);
  if (!at) return 0;
  copse_positions positions = copse_agenttree_positions(at->tree);
  switch ((view)which) {
  case VIEW_X:
  case VIEW_Y:
  case VIEW_Z:
    return (uintptr_t)positions.axes[which];
  case VIEW_GROUPS:
    return (uintptr_t)copse_agenttree_groups(at->tree);
  case VIEW_IDS:
    return (uintptr_t)at->results.ids;
  case VIEW_DISTANCES2:
    return (uintptr_t)at->results.distances2;
  }
  return 0;
}

/* A buffer for bytes on their way in or out; it grows and is never given back. */
static struct {
  void *bytes;
  uint32_t size;
} staging;

EXPORT("stage") uintptr_t stage(uint32_t size) {
  if (size > staging.size) {
    void *larger = memory_take(&MALLOC, size);
    if (!larger) return 0;
    memory_give(&MALLOC, staging.bytes, staging.size);
    staging.bytes = larger;
    staging.size = size;
  }
  return (uintptr_t)staging.bytes;
}

/* ---- Build ------------------------------------------------------------------------------- */

EXPORT("count_of") int32_t count_of(int32_t handle) {
  object *at = object_of(handle);
  return at ? (int32_t)copse_agenttree_count(at->tree) : FAILED(COPSE_STALE_HANDLE);
}

EXPORT("set_count") int32_t set_count(int32_t handle, uint32_t count) {
  object *at = object_of(handle);
  copse_status status = at ? copse_agenttree_set_count(at->tree, count) : COPSE_STALE_HANDLE;
  return status == COPSE_OK ? 0 : FAILED(status);
}

static uint32_t firstBad;

/* The slot that the last build refused. */
EXPORT("first_bad") uint32_t first_bad(void) { return firstBad; }

EXPORT("build") int32_t build(int32_t handle) {
  object *at = object_of(handle);
  copse_status status = at ? copse_agenttree_build(at->tree, &firstBad) : COPSE_STALE_HANDLE;
  return status == COPSE_OK ? 0 : FAILED(status);
}

/* ---- Queries: 2D indexes ignore z ----------------------------------------------------------- */

static copse_query query_of(uint32_t mask, uint32_t exclude, uint32_t sort) {
  copse_query query = copse_query_default();
  query.mask = mask;
  query.exclude = exclude;
  query.sort = (copse_sort)sort;
  return query;
}

static int32_t total_or_failure(const object *at, copse_status status) {
  return status == COPSE_OK ? (int32_t)at->results.total : FAILED(status);
}

EXPORT("within")
int32_t within(int32_t handle, float x, float y, float z, float radius, uint32_t mask,
               uint32_t exclude, uint32_t sort) {
  object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, exclude, sort);
  return total_or_failure(
      at, copse_agenttree_within(at->tree, (float[]){x, y, z}, radius, &query, &at->results));
}

EXPORT("range")
int32_t range(int32_t handle, float minX, float minY, float minZ, float maxX, float maxY,
              float maxZ, uint32_t mask, uint32_t exclude, uint32_t sort) {
  object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, exclude, sort);
  return total_or_failure(at,
                          copse_agenttree_range(at->tree, (float[]){minX, minY, minZ},
                                                (float[]){maxX, maxY, maxZ}, &query, &at->results));
}

EXPORT("cone")
int32_t cone(int32_t handle, float x, float y, float z, float dirX, float dirY, float dirZ,
             float halfAngle, float radius, uint32_t mask, uint32_t exclude, uint32_t sort) {
  object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, exclude, sort);
  return total_or_failure(at, copse_agenttree_cone(at->tree, (float[]){x, y, z},
                                                   (float[]){dirX, dirY, dirZ}, halfAngle, radius,
                                                   &query, &at->results));
}

EXPORT("neighbors")
int32_t neighbors(int32_t handle, float x, float y, float z, uint32_t k, float maxDistance,
                  uint32_t mask, uint32_t exclude) {
  object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  query.maxDistance = maxDistance;
  return total_or_failure(
      at, copse_agenttree_neighbors(at->tree, (float[]){x, y, z}, k, &query, &at->results));
}

EXPORT("nearest")
int32_t nearest(int32_t handle, float x, float y, float z, float maxDistance, uint32_t mask,
                uint32_t exclude) {
  object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  query.maxDistance = maxDistance;
  uint32_t id;
  copse_status status =
      copse_agenttree_nearest(at->tree, (float[]){x, y, z}, &query, &id, NULL, &at->results.visits);
  return status == COPSE_OK ? (int32_t)id : FAILED(status);
}

EXPORT("count_within")
int32_t count_within(int32_t handle, float x, float y, float z, float radius, uint32_t mask,
                     uint32_t exclude) {
  object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  return total_or_failure(at,
                          copse_agenttree_count_within(at->tree, (float[]){x, y, z}, radius, &query,
                                                       &at->results.total, &at->results.visits));
}

EXPORT("any_within")
int32_t any_within(int32_t handle, float x, float y, float z, float radius, uint32_t mask,
                   uint32_t exclude) {
  object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  bool any;
  copse_status status = copse_agenttree_any_within(at->tree, (float[]){x, y, z}, radius, &query,
                                                   &any, &at->results.visits);
  return status == COPSE_OK ? any : FAILED(status);
}

/* ---- Debug and snapshots ------------------------------------------------------------------- */

/* Agents, skipped, nodes, leaves, depth, bytes, visits of the last query: where they lie. */
EXPORT("stats_of") uintptr_t stats_of(int32_t handle) {
  static double numbers[7];
  object *at = object_of(handle);
  if (!at) return 0;
  copse_agenttree_statistics stats = copse_agenttree_stats(at->tree);
  numbers[0] = stats.agents;
  numbers[1] = stats.skipped;
  numbers[2] = stats.nodes;
  numbers[3] = stats.leaves;
  numbers[4] = stats.depth;
  numbers[5] = (double)stats.bytes + sizeof(object) + 8.0 * at->results.capacity;
  numbers[6] = at->results.visits;
  return (uintptr_t)numbers;
}

EXPORT("validate") int32_t validate(int32_t handle) {
  object *at = object_of(handle);
  return at && copse_agenttree_validate(at->tree);
}

/* Stages the cells; answers with the number of floats. */
EXPORT("cells") int32_t cells(int32_t handle) {
  object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  size_t floats = copse_agenttree_cells(at->tree, NULL, 0);
  float *out = (float *)stage((uint32_t)(floats * sizeof(float)));
  if (!out && floats) return FAILED(COPSE_OUT_OF_MEMORY);
  copse_agenttree_cells(at->tree, out, floats);
  return (int32_t)floats;
}

/* Stages a snapshot; answers with its size. */
EXPORT("save") int32_t save(int32_t handle) {
  object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  size_t size;
  copse_status status = copse_agenttree_save(at->tree, NULL, 0, &size);
  if (status != COPSE_FULL) return FAILED(status);
  void *bytes = size <= INT32_MAX ? (void *)stage((uint32_t)size) : NULL;
  if (!bytes) return FAILED(COPSE_OUT_OF_MEMORY);
  status = copse_agenttree_save(at->tree, bytes, size, &size);
  return status == COPSE_OK ? (int32_t)size : FAILED(status);
}

/* Restores from `size` staged bytes. */
EXPORT("restore") int32_t restore(int32_t handle, uint32_t size) {
  object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  if (size > staging.size) return FAILED(COPSE_BAD_SNAPSHOT);
  copse_status status = copse_agenttree_restore(at->tree, staging.bytes, size);
  return status == COPSE_OK ? 0 : FAILED(status);
}
