/* Crowds: what JavaScript adds and steps. */

#include "objects.h"

#include <string.h>

typedef struct crowd {
  object object;
  copse_crowd *core;
  copse_crowd_view *inspected; /* at an agent */
  copse_crowd_agent *added;    /* what add takes: the defaults, until something is written */
} crowd;
_Static_assert(sizeof(crowd) <= OBJECT_BYTES, "see any_object");

#define CROWD_VIEWS(VIEW)                                                                          \
  VIEW(positions, f, arrays.positions)                                                             \
  VIEW(velocities, f, arrays.velocities)                                                           \
  VIEW(preferredVelocities, f, arrays.preferredVelocities)                                         \
  VIEW(goals, f, arrays.goals)                                                                     \
  VIEW(preferredSpeeds, f, arrays.preferredSpeeds)                                                 \
  VIEW(radii, f, arrays.radii)                                                                     \
  VIEW(maxSpeeds, f, arrays.maxSpeeds)                                                             \
  VIEW(neighborDistances, f, arrays.neighborDistances)                                             \
  VIEW(maxNeighborCounts, u, arrays.maxNeighbors)                                                  \
  VIEW(timeHorizons, f, arrays.timeHorizons)                                                       \
  VIEW(timeHorizonsObstacles, f, arrays.timeHorizonsObstacles)                                     \
  VIEW(maxAccelerations, f, arrays.maxAccelerations)                                               \
  VIEW(priorities, f, arrays.priorities)                                                           \
  VIEW(groups, u, arrays.groups)                                                                   \
  VIEW(masks, u, arrays.masks)                                                                     \
  VIEW(enabled, u, arrays.enabled)                                                                 \
  VIEW(locked, u, arrays.locked)                                                                   \
  VIEW(generations, u, arrays.generations)                                                         \
  VIEW(arrived, u, arrays.arrived)                                                                 \
  VIEW(stuck, u, arrays.stuck)                                                                     \
  VIEW(inspectedCounts, u, &it->inspected->neighborCount) /* of all that follow */                 \
  VIEW(inspectedNeighbors, u, it->inspected->neighbors)                                            \
  VIEW(inspectedWalls, u, it->inspected->walls)                                                    \
  VIEW(inspectedConstraints, f, it->inspected->constraints)                                        \
  VIEW(added, u, it->added)

static uintptr_t crowd_view(object *base, uint32_t which) {
  crowd *it = (crowd *)base;
  const copse_crowd_arrays arrays = copse_crowd_get(it->core);
  const uintptr_t places[] = {CROWD_VIEWS(VIEW_PLACE)};
  return which < sizeof places / sizeof *places ? places[which] : 0;
}

#define CROWD_FIGURES(FIGURE)                                                                      \
  FIGURE(agents, stats.agents)                                                                     \
  FIGURE(infeasible, stats.infeasible)                                                             \
  FIGURE(overlaps, stats.overlaps)                                                                 \
  FIGURE(neighbors, stats.neighbors)                                                               \
  FIGURE(steps, stats.steps)                                                                       \
  FIGURE(bytes, stats.bytes + (size_t)object_bytes(base))                                          \
  FIGURE(time, stats.time)

static void crowd_figures(object *base, double *numbers) {
  const copse_crowd_statistics stats = copse_crowd_stats(((const crowd *)base)->core);
  const double figures[] = {CROWD_FIGURES(FIGURE_VALUE)};
  memcpy(numbers, figures, sizeof figures);
}

/* ---- An agent that is added: vectors of 3 floats, v, then floats, f, and words, u, b for true or
 * false; in the order of copse_crowd_agent ---- */

#define AGENT_FIELDS(FIELD)                                                                        \
  FIELD(position, v, 3)                                                                            \
  FIELD(velocity, v, 3)                                                                            \
  FIELD(preferredVelocity, v, 3)                                                                   \
  FIELD(goal, v, 3)                                                                                \
  FIELD(preferredSpeed, f, 1)                                                                      \
  FIELD(radius, f, 1)                                                                              \
  FIELD(maxSpeed, f, 1)                                                                            \
  FIELD(neighborDistance, f, 1)                                                                    \
  FIELD(maxNeighbors, u, 1)                                                                        \
  FIELD(timeHorizon, f, 1)                                                                         \
  FIELD(timeHorizonObstacles, f, 1)                                                                \
  FIELD(maxAcceleration, f, 1)                                                                     \
  FIELD(priority, f, 1)                                                                            \
  FIELD(groups, u, 1) FIELD(mask, u, 1) FIELD(enabled, b, 1) FIELD(locked, b, 1)

#define FIELD_TEXT(name, type, words)  #name ":" #type " "
#define FIELD_PLACE(name, type, words) WORD_##name, LAST_##name = WORD_##name + (words)-1,
#define FIELD_CHECK(name, type, words)                                                             \
  _Static_assert(offsetof(copse_crowd_agent, name) == sizeof(uint32_t) * WORD_##name, #name);
enum { AGENT_FIELDS(FIELD_PLACE) AGENT_WORDS };
AGENT_FIELDS(FIELD_CHECK)
_Static_assert(sizeof(copse_crowd_agent) == sizeof(uint32_t) * AGENT_WORDS, "all fields");

EXPORT("crowd_agent_names") uintptr_t crowd_agent_names(void) {
  return (uintptr_t)AGENT_FIELDS(FIELD_TEXT);
}

/* Returns where the defaults of an agent lie, before there is any crowd. */
EXPORT("crowd_agent_defaults") uintptr_t crowd_agent_defaults(void) {
  static copse_crowd_agent defaults;
  defaults = copse_crowd_agent_default();
  return (uintptr_t)&defaults;
}

/* ---- Life ---- */

static void crowd_carve(object *base, arena *block) {
  crowd *it = (crowd *)base;
  it->inspected = arena_carve(block, 1, sizeof *it->inspected);
  it->added = arena_carve(block, 1, sizeof *it->added);
}

static void crowd_fill(object *larger, const object *old) {
  (void)old;
  *((crowd *)larger)->added = copse_crowd_agent_default();
}

static copse_crowd *crowd_core(const object *base) { return ((const crowd *)base)->core; }

static void crowd_destroy(object *base) { copse_crowd_destroy(crowd_core(base)); }
static size_t crowd_reserve_bytes(const object *base, uint32_t capacity) {
  return copse_crowd_reserve_bytes(crowd_core(base), capacity);
}
static copse_status crowd_reserve(object *base, uint32_t capacity) {
  return copse_crowd_reserve(crowd_core(base), capacity);
}
static copse_status crowd_save(object *base, void *bytes, size_t capacity, size_t *total) {
  return copse_crowd_save(crowd_core(base), bytes, capacity, total, &firstBad);
}
static copse_status crowd_restorable(object *base, const void *bytes, size_t size) {
  return copse_crowd_restorable(crowd_core(base), bytes, size);
}
static copse_status crowd_restore(object *base, const void *bytes, size_t size) {
  return copse_crowd_restore(crowd_core(base), bytes, size);
}

static const family CROWD = {
    .bytes = sizeof(crowd),
    .views = CROWD_VIEWS(VIEW_TEXT),
    .figures = CROWD_FIGURES(FIGURE_TEXT),
    .view = crowd_view,
    .read_figures = crowd_figures,
    .carve = crowd_carve,
    .fill = crowd_fill,
    .destroy = crowd_destroy,
    .reserve_bytes = crowd_reserve_bytes,
    .reserve = crowd_reserve,
    .save = crowd_save,
    .restorable = crowd_restorable,
    .restore = crowd_restore,
};

/* A capacity of 0 stands for the default. */
int32_t crowd_create(uint32_t dimensions, uint32_t capacity, uint32_t maxNeighbors,
                     uint32_t exact) {
  copse_crowd_def def = copse_crowd_default();
  def.dimensions = dimensions;
  if (capacity) def.capacity = capacity;
  def.maxNeighbors = maxNeighbors;
  def.exact = exact;
  const crowd bare = {.object = {.family = &CROWD, .capacity = def.capacity}};
  copse_status status;
  crowd *it = (crowd *)object_take(&bare.object, copse_crowd_bytes(&def), &status);
  return it ? object_adopt(&it->object, copse_crowd_create(&def, &it->core)) : FAILED(status);
}

static crowd *crowd_of(int32_t handle) { return (crowd *)object_of(handle, &CROWD); }

/* ---- Agents that come and go ---- */

EXPORT("crowd_count") int32_t crowd_count(int32_t handle) {
  const crowd *it = crowd_of(handle);
  return it ? (int32_t)copse_crowd_count(it->core) : FAILED(COPSE_STALE_SLOT);
}

EXPORT("crowd_slots") int32_t crowd_slots(int32_t handle) {
  const crowd *it = crowd_of(handle);
  return it ? (int32_t)copse_crowd_slots(it->core) : FAILED(COPSE_STALE_SLOT);
}

/* Adds the agent that was written, and returns its slot. */
EXPORT("crowd_add") int32_t crowd_add(int32_t handle) {
  crowd *it = crowd_of(handle);
  if (!it) return FAILED(COPSE_STALE_SLOT);
  uint32_t slot;
  const copse_status status = copse_crowd_add(it->core, it->added, &slot);
  return result_or_failed(slot, status);
}

EXPORT("crowd_move")
int32_t crowd_move(int32_t handle, uint32_t slot, float x, float y, float z) {
  crowd *it = crowd_of(handle);
  if (!it) return FAILED(COPSE_STALE_SLOT);
  return zero_or_failed(copse_crowd_move(it->core, slot, (float[]){x, y, z}));
}

EXPORT("crowd_remove") int32_t crowd_remove(int32_t handle, uint32_t slot) {
  crowd *it = crowd_of(handle);
  return zero_or_failed(it ? copse_crowd_remove(it->core, slot) : COPSE_STALE_SLOT);
}

EXPORT("crowd_clear") int32_t crowd_clear(int32_t handle) {
  crowd *it = crowd_of(handle);
  if (!it) return FAILED(COPSE_STALE_SLOT);
  copse_crowd_clear(it->core);
  return 0;
}

/* ---- Steps ---- */

EXPORT("crowd_step") int32_t crowd_step(int32_t handle, int32_t wallsHandle, float timeStep) {
  crowd *it = crowd_of(handle);
  const copse_obstacle *walls;
  copse_status status = it ? walls_around(wallsHandle, &walls) : COPSE_STALE_SLOT;
  if (status == COPSE_OK) status = copse_crowd_step(it->core, walls, timeStep, &firstBad);
  return zero_or_failed(status);
}

/* Returns how many arrived, or got stuck, in the last step: their slots are in the view of that
 * name. */
EXPORT("crowd_arrived") int32_t crowd_arrived(int32_t handle) {
  const crowd *it = crowd_of(handle);
  return it ? (int32_t)copse_crowd_arrived(it->core) : FAILED(COPSE_STALE_SLOT);
}

EXPORT("crowd_stuck") int32_t crowd_stuck(int32_t handle) {
  const crowd *it = crowd_of(handle);
  return it ? (int32_t)copse_crowd_stuck(it->core) : FAILED(COPSE_STALE_SLOT);
}

EXPORT("crowd_inspect")
int32_t crowd_inspect(int32_t handle, int32_t wallsHandle, float timeStep, uint32_t slot) {
  crowd *it = crowd_of(handle);
  const copse_obstacle *walls;
  copse_status status = it ? walls_around(wallsHandle, &walls) : COPSE_STALE_SLOT;
  if (status == COPSE_OK)
    status = copse_crowd_inspect(it->core, walls, timeStep, slot, it->inspected);
  return zero_or_failed(status);
}

EXPORT("crowd_hash") uint32_t crowd_hash(int32_t handle) {
  const crowd *it = crowd_of(handle);
  return it ? copse_crowd_hash(it->core) : 0;
}
