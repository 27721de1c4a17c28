/* The functions of Crowd and Crowd3D that JavaScript calls. */

#include "objects.h"
#include "threads.h"

#include "../c/crowd/crowd.h"

#include <string.h>

typedef struct crowd {
  object object;
  copse_crowd *core;
  copse_crowd_view *inspected; /* the result of the last crowd_inspect */
  copse_crowd_agent *added;    /* the agent to add: JavaScript writes it, then calls crowd_add */
} crowd;
_Static_assert(sizeof(crowd) <= OBJECT_BYTES, "see any_object");

#define CROWD_VIEWS(VIEW)                                                                          \
  VIEW(positions, f, arrays.positions)                                                             \
  VIEW(velocities, f, arrays.velocities)                                                           \
  VIEW(preferredVelocities, f, arrays.preferredVelocities)                                         \
  VIEW(goals, f, arrays.goals)                                                                     \
  VIEW(preferredSpeeds, f, arrays.preferredSpeeds)                                                 \
  VIEW(arrivalRadii, f, arrays.arrivalRadii)                                                       \
  VIEW(radii, f, arrays.radii)                                                                     \
  VIEW(maxSpeeds, f, arrays.maxSpeeds)                                                             \
  VIEW(neighborDistances, f, arrays.neighborDistances)                                             \
  VIEW(maxNeighborCounts, u, arrays.maxNeighbors)                                                  \
  VIEW(timeHorizons, f, arrays.timeHorizons)                                                       \
  VIEW(obstacleTimeHorizons, f, arrays.obstacleTimeHorizons)                                       \
  VIEW(maxAccelerations, f, arrays.maxAccelerations)                                               \
  VIEW(priorities, f, arrays.priorities)                                                           \
  VIEW(groups, u, arrays.groups)                                                                   \
  VIEW(masks, u, arrays.masks)                                                                     \
  VIEW(enabled, u, arrays.enabled)                                                                 \
  VIEW(locked, u, arrays.locked)                                                                   \
  VIEW(generations, u, arrays.generations)                                                         \
  VIEW(arrived, u, arrays.arrived)                                                                 \
  VIEW(stuck, u, arrays.stuck)                                                                     \
  VIEW(inspectedCounts, u, &self->inspected->neighborCount) /* 4 counts: see copse_crowd_view */   \
  VIEW(inspectedNeighbors, u, self->inspected->neighbors)                                          \
  VIEW(inspectedObstacles, u, self->inspected->obstacles)                                          \
  VIEW(inspectedConstraints, f, self->inspected->constraints)                                      \
  VIEW(added, u, self->added)

static uintptr_t crowd_view(object *base, uint32_t which) {
  crowd *self = (crowd *)base;
  const copse_crowd_arrays arrays = copse_crowd_get(self->core);
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

/* ---- The fields of copse_crowd_agent, in the order of the struct. Each: name, type, number of
 * 32-bit words. Types: v = 3 floats, f = float, u = uint32_t, b = boolean ---- */

#define AGENT_FIELDS(FIELD)                                                                        \
  FIELD(position, v, 3)                                                                            \
  FIELD(velocity, v, 3)                                                                            \
  FIELD(preferredVelocity, v, 3)                                                                   \
  FIELD(goal, v, 3)                                                                                \
  FIELD(preferredSpeed, f, 1)                                                                      \
  FIELD(arrivalRadius, f, 1)                                                                       \
  FIELD(radius, f, 1)                                                                              \
  FIELD(maxSpeed, f, 1)                                                                            \
  FIELD(neighborDistance, f, 1)                                                                    \
  FIELD(maxNeighbors, u, 1)                                                                        \
  FIELD(timeHorizon, f, 1)                                                                         \
  FIELD(obstacleTimeHorizon, f, 1)                                                                 \
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

/* Returns the address of an agent with the default attributes. Works before any crowd exists. */
EXPORT("crowd_agent_defaults") uintptr_t crowd_agent_defaults(void) {
  static copse_crowd_agent defaults;
  defaults = copse_crowd_agent_default();
  return (uintptr_t)&defaults;
}

/* ---- Memory, creation and snapshots ---- */

static void crowd_carve(object *base, arena *block) {
  crowd *self = (crowd *)base;
  self->inspected = arena_carve(block, 1, sizeof *self->inspected);
  self->added = arena_carve(block, 1, sizeof *self->added);
}

static void crowd_fill(object *larger, const object *old) {
  (void)old;
  *((const crowd *)larger)->added = copse_crowd_agent_default();
}

static copse_crowd *crowd_core(const object *base) { return ((const crowd *)base)->core; }

static void crowd_destroy(object *base) { copse_crowd_destroy(crowd_core(base)); }
static copse_status crowd_reserve(object *base, uint32_t capacity) {
  return copse_crowd_reserve(crowd_core(base), capacity);
}
static copse_status crowd_save(object *base, void *bytes, size_t capacity, size_t *total) {
  return copse_crowd_save(crowd_core(base), bytes, capacity, total, &firstBad);
}
static copse_status crowd_restore(object *base, const void *bytes, size_t size, uint32_t *needed) {
  return copse_crowd_restore(crowd_core(base), bytes, size, needed);
}

static agents crowd_agents(object *base) {
  copse_crowd *core = ((crowd *)base)->core;
  const copse_crowd_arrays arrays = copse_crowd_get(core);
  const float *x = arrays.positions;
  const uint32_t dim = copse_crowd_dimensions(core);
  return (agents){.dimensions = dim,
                  .slots = copse_crowd_slots(core),
                  .positions = {{x, x + 1, x + dim - 1}, dim},
                  .groups = crowd_find_present(core),
                  .generations = arrays.generations,
                  .masks = arrays.masks,
                  .radii = arrays.radii};
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
    .reserve = crowd_reserve,
    .save = crowd_save,
    .restore = crowd_restore,
    .agents = crowd_agents,
};

/* Creates a crowd. A capacity of 0 means the default. */
EXPORT("crowd_create")
int32_t crowd_create(uint32_t dimensions, uint32_t capacity, uint32_t maxNeighbors,
                     uint32_t exact) {
  copse_crowd_def def = copse_crowd_default();
  def.allocator = objectMemory;
  USE_POOL(&def);
  def.dimensions = dimensions;
  if (capacity) def.capacity = capacity;
  def.maxNeighbors = maxNeighbors;
  def.exact = exact;
  crowd prototype = {.object = {.family = &CROWD, .capacity = def.capacity}};
  return object_create(&prototype.object, copse_crowd_create(&def, &prototype.core));
}

static crowd *crowd_of(int32_t handle) { return (crowd *)object_of(handle, &CROWD); }
copse_crowd *crowd_core_of(int32_t handle) {
  const crowd *self = crowd_of(handle);
  return self ? self->core : NULL;
}

/* ---- Add, move and remove agents ---- */

EXPORT("crowd_count") int32_t crowd_count(int32_t handle) {
  const crowd *self = crowd_of(handle);
  return self ? (int32_t)copse_crowd_count(self->core) : FAILED(COPSE_STALE_SLOT);
}

EXPORT("crowd_slots") int32_t crowd_slots(int32_t handle) {
  const crowd *self = crowd_of(handle);
  return self ? (int32_t)copse_crowd_slots(self->core) : FAILED(COPSE_STALE_SLOT);
}

/* Adds the agent that the view `added` holds. Returns its slot. */
EXPORT("crowd_add") int32_t crowd_add(int32_t handle) {
  crowd *self = crowd_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  uint32_t slot;
  const copse_status status = copse_crowd_add(self->core, self->added, &slot);
  return result_or_failed(slot, status);
}

EXPORT("crowd_move")
int32_t crowd_move(int32_t handle, uint32_t slot, float x, float y, float z) {
  crowd *self = crowd_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  return zero_or_failed(copse_crowd_move(self->core, slot, (float[]){x, y, z}));
}

EXPORT("crowd_remove") int32_t crowd_remove(int32_t handle, uint32_t slot) {
  crowd *self = crowd_of(handle);
  return zero_or_failed(self ? copse_crowd_remove(self->core, slot) : COPSE_STALE_SLOT);
}

EXPORT("crowd_clear") int32_t crowd_clear(int32_t handle) {
  crowd *self = crowd_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  copse_crowd_clear(self->core);
  return 0;
}

/* ---- Steps ---- */

EXPORT("crowd_step") int32_t crowd_step(int32_t handle, int32_t wallsHandle, float timeStep) {
  crowd *self = crowd_of(handle);
  const copse_obstacle *walls;
  copse_status status = self ? obstacles_of(wallsHandle, &walls) : COPSE_STALE_SLOT;
  if (status == COPSE_OK) status = copse_crowd_step(self->core, walls, timeStep, &firstBad);
  return zero_or_failed(status);
}

/* Returns the number of agents that arrived in the last step; the view `arrived` holds their slots.
 * crowd_stuck and the view `stuck` do the same for agents that got stuck. */
EXPORT("crowd_arrived") int32_t crowd_arrived(int32_t handle) {
  const crowd *self = crowd_of(handle);
  return self ? (int32_t)copse_crowd_arrived(self->core) : FAILED(COPSE_STALE_SLOT);
}

EXPORT("crowd_stuck") int32_t crowd_stuck(int32_t handle) {
  const crowd *self = crowd_of(handle);
  return self ? (int32_t)copse_crowd_stuck(self->core) : FAILED(COPSE_STALE_SLOT);
}

EXPORT("crowd_inspect")
int32_t crowd_inspect(int32_t handle, int32_t wallsHandle, float timeStep, uint32_t slot) {
  crowd *self = crowd_of(handle);
  const copse_obstacle *walls;
  copse_status status = self ? obstacles_of(wallsHandle, &walls) : COPSE_STALE_SLOT;
  if (status == COPSE_OK)
    status = copse_crowd_inspect(self->core, walls, timeStep, slot, self->inspected);
  return zero_or_failed(status);
}

EXPORT("crowd_hash") uint32_t crowd_hash(int32_t handle) {
  const crowd *self = crowd_of(handle);
  return self ? copse_crowd_hash(self->core) : 0;
}
