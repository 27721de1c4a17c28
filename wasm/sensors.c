/* The functions of Sensors that JavaScript calls. */

#include "points.h"

#include "../c/base/snapshot.h"

#include <string.h>

typedef struct sensors {
  object object;
  copse_sensors *core;
  int32_t index; /* the handle of the index of points */
  struct {       /* JavaScript reads these numbers as one array */
    /* `results`: the maximum number of agents that an update finds. The others: how many agents
     * left, entered and are inside, over all sensors. */
    uint32_t results, left, entered, inside;
  } sizes;
} sensors;
_Static_assert(sizeof(sensors) <= OBJECT_BYTES, "see any_object");

#define SENSORS_VIEWS(VIEW)                                                                        \
  VIEW(radii, f, arrays.radii)                                                                     \
  VIEW(exitRadii, f, arrays.exitRadii)                                                             \
  VIEW(masks, u, arrays.masks)                                                                     \
  VIEW(kinds, u, arrays.kinds)                                                                     \
  VIEW(agents, i, arrays.agents)                                                                   \
  VIEW(generations, u, arrays.generations)                                                         \
  VIEW(leftOffsets, u, arrays.left.offsets)                                                        \
  VIEW(leftCounts, u, arrays.left.counts)                                                          \
  VIEW(leftIds, u, arrays.left.ids)                                                                \
  VIEW(enteredOffsets, u, arrays.entered.offsets)                                                  \
  VIEW(enteredCounts, u, arrays.entered.counts)                                                    \
  VIEW(enteredIds, u, arrays.entered.ids)                                                          \
  VIEW(insideOffsets, u, arrays.inside.offsets)                                                    \
  VIEW(insideCounts, u, arrays.inside.counts)                                                      \
  VIEW(insideIds, u, arrays.inside.ids)                                                            \
  VIEW(sizes, u, &self->sizes)

static uintptr_t sensors_view(object *base, uint32_t which) {
  sensors *self = (sensors *)base;
  const copse_sensors_arrays arrays = copse_sensors_get(self->core);
  const uintptr_t places[] = {SENSORS_VIEWS(VIEW_PLACE)};
  return which < sizeof places / sizeof *places ? places[which] : 0;
}

#define SENSORS_FIGURES(FIGURE)                                                                    \
  FIGURE(sensors, stats.sensors)                                                                   \
  FIGURE(inside, stats.inside)                                                                     \
  FIGURE(bytes, stats.bytes + (size_t)object_bytes(base))

static void sensors_figures(object *base, double *numbers) {
  const copse_sensors_statistics stats = copse_sensors_stats(((const sensors *)base)->core);
  const double figures[] = {SENSORS_FIGURES(FIGURE_VALUE)};
  memcpy(numbers, figures, sizeof figures);
}

static void sensors_carve(object *base, arena *block) {
  (void)base;
  (void)block;
}
static void sensors_fill(object *larger, const object *old) {
  (void)larger;
  (void)old;
}

static copse_sensors *sensors_core(const object *base) { return ((const sensors *)base)->core; }

static void sensors_destroy(object *base) { copse_sensors_destroy(sensors_core(base)); }
static copse_status sensors_reserve(object *base, uint32_t capacity) {
  return copse_sensors_reserve(sensors_core(base), capacity, 0, 0);
}

/* Raises the limits `results` and `agents` to at least the given numbers. */
static copse_status take_results(sensors *self, uint32_t results, uint32_t agents) {
  const copse_sensors_def limits = copse_sensors_limits(self->core);
  if (results <= limits.results && agents <= limits.agents) return COPSE_OK;
  const copse_status status = copse_sensors_reserve(self->core, 0, results, agents);
  /* More than there can be is more than there is memory for. */
  if (status != COPSE_OK) return COPSE_OUT_OF_MEMORY;
  self->sizes.results = copse_sensors_limits(self->core).results;
  self->object.moves++;
  return COPSE_OK;
}

static copse_status sensors_save(object *base, void *bytes, size_t capacity, size_t *total) {
  return copse_sensors_save(sensors_core(base), bytes, capacity, total);
}

static copse_status sensors_restore(object *base, const void *bytes, size_t size,
                                    uint32_t *needed) {
  sensors *self = (sensors *)base;
  copse_sensors_def limits;
  copse_status status = copse_sensors_restore(self->core, bytes, size, &limits);
  if (status != COPSE_FULL) return status;
  *needed = limits.capacity;
  if (limits.capacity > base->capacity) return COPSE_FULL;
  status = take_results(self, limits.results, limits.agents);
  return status == COPSE_OK ? copse_sensors_restore(self->core, bytes, size, &limits) : status;
}

static bool sensors_validate(object *base) { return copse_sensors_validate(sensors_core(base)); }

static const family SENSORS = {
    .bytes = sizeof(sensors),
    .views = SENSORS_VIEWS(VIEW_TEXT),
    .figures = SENSORS_FIGURES(FIGURE_TEXT),
    .view = sensors_view,
    .read_figures = sensors_figures,
    .carve = sensors_carve,
    .fill = sensors_fill,
    .destroy = sensors_destroy,
    .reserve = sensors_reserve,
    .save = sensors_save,
    .restore = sensors_restore,
    .validate = sensors_validate,
};

/* Creates sensors over an index of points. A capacity of 0 means the default. */
EXPORT("sensors_create")
int32_t sensors_create(int32_t index, uint32_t capacity) {
  const copse_points *points = index_of(index);
  if (!points) return FAILED(COPSE_STALE_SLOT);
  copse_sensors_def def = copse_sensors_default();
  def.allocator = objectMemory;
  def.dimensions = copse_points_dimensions(points);
  def.agents = copse_points_capacity(points);
  if (capacity) def.capacity = capacity;
  sensors prototype = {.object = {.family = &SENSORS, .capacity = def.capacity}, .index = index};
  return object_create(&prototype.object, copse_sensors_create(&def, &prototype.core));
}

static sensors *sensors_of(int32_t handle) { return (sensors *)object_of(handle, &SENSORS); }

/* ---- Sensors ---- */

EXPORT("sensors_count") int32_t sensors_count(int32_t handle) {
  const sensors *self = sensors_of(handle);
  return self ? (int32_t)copse_sensors_count(self->core) : FAILED(COPSE_STALE_SLOT);
}

EXPORT("sensors_slots") int32_t sensors_slots(int32_t handle) {
  const sensors *self = sensors_of(handle);
  return self ? (int32_t)copse_sensors_slots(self->core) : FAILED(COPSE_STALE_SLOT);
}

/* Adds a sensor of a kind (copse_sensor_kind). The numbers a … f are its `place`. Returns its
 * slot. */
EXPORT("sensors_add")
int32_t sensors_add(int32_t handle, uint32_t kind, float a, float b, float c, float d, float e,
                    float f, uint32_t agent, float radius, float exitRadius, uint32_t mask) {
  sensors *self = sensors_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const copse_sensor sensor = {
      (copse_sensor_kind)kind, {a, b, c, d, e, f}, agent, radius, exitRadius, mask};
  uint32_t slot;
  const copse_status status = copse_sensors_add(self->core, &sensor, &slot);
  return result_or_failed(slot, status);
}

EXPORT("sensors_move")
int32_t sensors_move(int32_t handle, uint32_t slot, float a, float b, float c, float d, float e,
                     float f) {
  sensors *self = sensors_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  return zero_or_failed(copse_sensors_move(self->core, slot, (float[]){a, b, c, d, e, f}));
}

EXPORT("sensors_remove") int32_t sensors_remove(int32_t handle, uint32_t slot) {
  sensors *self = sensors_of(handle);
  return zero_or_failed(self ? copse_sensors_remove(self->core, slot) : COPSE_STALE_SLOT);
}

EXPORT("sensors_reset") int32_t sensors_reset(int32_t handle, uint32_t slot) {
  sensors *self = sensors_of(handle);
  return zero_or_failed(self ? copse_sensors_reset(self->core, slot) : COPSE_STALE_SLOT);
}

EXPORT("sensors_clear") int32_t sensors_clear(int32_t handle) {
  sensors *self = sensors_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  copse_sensors_clear(self->core);
  return 0;
}

EXPORT("sensors_take_results") int32_t sensors_take_results(int32_t handle, uint32_t results) {
  sensors *self = sensors_of(handle);
  return zero_or_failed(self ? take_results(self, results, 0) : COPSE_STALE_SLOT);
}

/* Updates all sensors. Returns the number of rows of results: one for each slot that was ever in
 * use. */
EXPORT("sensors_update") int32_t sensors_update(int32_t handle) {
  sensors *self = sensors_of(handle);
  const points *index = self ? points_of(self->index) : NULL;
  if (!index) return FAILED(COPSE_STALE_SLOT);
  uint32_t needed;
  copse_status status = copse_sensors_update(self->core, index->core, &needed);
  while (status == COPSE_FULL) {
    const uint32_t room = self->sizes.results, usual = room + room / 2;
    const uint32_t agents = copse_points_capacity(index->core);
    status = COPSE_OUT_OF_MEMORY;
    if (needed > room && usual > needed) status = take_results(self, usual, agents);
    if (status != COPSE_OK) status = take_results(self, needed, agents);
    if (status == COPSE_OK) status = copse_sensors_update(self->core, index->core, &needed);
  }
  const copse_sensors_arrays arrays = copse_sensors_get(self->core);
  self->sizes.left = arrays.left.total;
  self->sizes.entered = arrays.entered.total;
  self->sizes.inside = arrays.inside.total;
  return result_or_failed(copse_sensors_slots(self->core), status);
}
