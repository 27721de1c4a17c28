/* The functions of AgentTree, Grid and KdTree that JavaScript calls. In 2D they ignore z. */

#include "points.h"
#include "threads.h"

#include "../c/points/grid.h"

#include <math.h>
#include <string.h>

static uintptr_t order_of(const points *self) {
  uint32_t count;
  return (uintptr_t)copse_points_order(self->core, &count);
}

#define POINTS_VIEWS(VIEW)                                                                         \
  VIEW(xs, f, positions.axes[0])                                                                   \
  VIEW(ys, f, positions.axes[1])                                                                   \
  VIEW(zs, f, positions.axes[2])                                                                   \
  VIEW(groups, u, copse_points_groups(self->core))                                                 \
  VIEW(ids, u, self->results.ids)                                                                  \
  VIEW(distances2, f, self->distances2)                                                            \
  VIEW(masks, u, self->masks)                                                                      \
  VIEW(generations, u, copse_points_generations(self->core))                                       \
  VIEW(given, f, base->rooms[ROOM_GIVEN])                                                          \
  VIEW(givenWords, u, base->rooms[ROOM_GIVEN])                                                     \
  VIEW(rowOffsets, u, base->rooms[ROOM_ROWS])                                                      \
  VIEW(rowCounts, u, room_second(base, ROOM_ROWS))                                                 \
  VIEW(rowIds, u, base->rooms[ROOM_IDS])                                                           \
  VIEW(neighborCounts, u, base->rooms[ROOM_NEIGHBOR_COUNTS])                                       \
  VIEW(neighborIds, u, base->rooms[ROOM_NEIGHBORS])                                                \
  VIEW(neighborDistances2, f, room_second(base, ROOM_NEIGHBORS))                                   \
  VIEW(hitIds, i, base->rooms[ROOM_HITS])                                                          \
  VIEW(hitFractions, f, room_second(base, ROOM_HITS))                                              \
  VIEW(radii, f, self->radii)                                                                      \
  VIEW(fraction, f, &self->fraction)                                                               \
  VIEW(order, u, order_of(self))

static uintptr_t points_view(object *base, uint32_t which) {
  points *self = (points *)base;
  const copse_positions positions = copse_points_positions(self->core);
  const uintptr_t places[] = {POINTS_VIEWS(VIEW_PLACE)};
  return which < sizeof places / sizeof *places ? places[which] : 0;
}

#define POINTS_FIGURES(FIGURE)                                                                     \
  FIGURE(agents, stats.agents)                                                                     \
  FIGURE(skipped, stats.skipped)                                                                   \
  FIGURE(nodes, stats.nodes)                                                                       \
  FIGURE(leaves, stats.leaves)                                                                     \
  FIGURE(depth, stats.depth)                                                                       \
  FIGURE(bytes, stats.bytes + (size_t)object_bytes(base))                                          \
  FIGURE(visits, ((const points *)base)->results.visits)

static void points_figures(object *base, double *numbers) {
  const copse_points_statistics stats = copse_points_stats(((points *)base)->core);
  const double figures[] = {POINTS_FIGURES(FIGURE_VALUE)};
  memcpy(numbers, figures, sizeof figures);
}

static void points_carve(object *base, arena *block) {
  points *self = (points *)base;
  self->results.capacity = base->capacity;
  self->results.ids = arena_carve(block, base->capacity, 4);
  self->distances2 = arena_carve(block, base->capacity, 4);
  self->builtRadii = arena_carve(block, base->capacity, 4);
  self->masks = arena_carve(block, base->capacity, 4);
  self->radii = arena_carve(block, base->capacity, 4);
}

static void points_fill(object *larger, const object *old) {
  points *self = (points *)larger;
  const points *source = (const points *)old;
  const uint32_t count = source ? old->capacity : 0;
  for (uint32_t slot = 0; slot < larger->capacity; slot++) {
    const bool isCopied = slot < count;
    self->builtRadii[slot] = isCopied ? source->builtRadii[slot] : 0;
    self->masks[slot] = isCopied ? source->masks[slot] : COPSE_ALL_GROUPS;
    self->radii[slot] = isCopied ? source->radii[slot] : 0;
  }
}

static copse_points *points_core(const object *base) { return ((const points *)base)->core; }

static void points_destroy(object *base) { copse_points_destroy(points_core(base)); }
static copse_status points_reserve(object *base, uint32_t capacity) {
  return copse_points_reserve(points_core(base), capacity);
}

/* Returns the arrays that a snapshot must hold besides the index: the masks if any differs from the
 * default, and the radii if any differs from 0. */
static points_extras extras_of(const points *self) {
  points_extras extras = {0};
  for (uint32_t slot = 0; slot < self->core->agents.ever; slot++) {
    if (self->masks[slot] != COPSE_ALL_GROUPS) extras.masks = self->masks;
    if (self->radii[slot] != 0 || self->builtRadii[slot] != 0) {
      extras.radii = self->radii;
      extras.builtRadii = self->builtRadii;
    }
  }
  return extras;
}

static copse_status points_save(object *base, void *bytes, size_t capacity, size_t *total) {
  const points_extras extras = extras_of((const points *)base);
  return points_save_extras(points_core(base), &extras, bytes, capacity, total, &firstBad);
}

/* True if the radius of each agent is at least 0. Else writes the lowest slot with another radius
 * to firstBad. */
static bool radii_ok(const float *radii, const uint32_t *generations, uint32_t slots) {
  bool ok = true;
  for (uint32_t slot = 0; slot < slots; slot++) ok = ok && radii[slot] >= 0;
  for (firstBad = 0; !ok && firstBad < slots; firstBad++)
    if ((generations[firstBad] & 1) && !(radii[firstBad] >= 0)) return false;
  return true;
}

/* Copies `radii` to builtRadii, which queries use. Copies 0 for a radius that is NaN or negative,
 * and for a slot that is not in the last build. NULL: all radii are 0. */
static void use_radii(points *self, const float *radii) {
  const uint32_t built = radii ? copse_points_built(self->core) : 0;
  float *builtRadii = self->builtRadii, most = 0;
  for (uint32_t slot = 0; slot < built; slot++) {
    const float radius = radii[slot] > 0 ? radii[slot] : 0;
    builtRadii[slot] = radius;
    most = radius > most ? radius : most;
  }
  memset(builtRadii + built, 0, (self->object.capacity - built) * sizeof *builtRadii);
  self->maxRadius = most;
}

static copse_status points_restore(object *base, const void *bytes, size_t size, uint32_t *needed) {
  points *self = (points *)base;
  const copse_status status = copse_points_restore(self->core, bytes, size, needed);
  if (status != COPSE_OK) return status;
  uint32_t count;
  const points_extras saved = points_saved_extras(bytes, size, &count);
  for (uint32_t slot = 0; slot < count; slot++) {
    self->masks[slot] = saved.masks ? saved.masks[slot] : COPSE_ALL_GROUPS;
    self->radii[slot] = saved.radii ? saved.radii[slot] : 0;
  }
  use_radii(self, saved.builtRadii);
  return COPSE_OK;
}
static size_t points_cells(object *base, size_t skipped, float *out, size_t capacity) {
  return copse_points_cells(points_core(base), skipped, out, capacity);
}
static bool points_validate(object *base) { return copse_points_validate(points_core(base)); }

static agents points_agents(object *base) {
  const points *self = (points *)base;
  const copse_positions own = copse_points_positions(self->core);
  points_hide_free(self->core);
  return (agents){.dimensions = self->dimensions,
                  .slots = copse_points_slots(self->core),
                  .positions = {{own.axes[0], own.axes[1], own.axes[2]}, own.stride},
                  .groups = copse_points_groups(self->core),
                  .generations = copse_points_generations(self->core),
                  .masks = self->masks,
                  .radii = self->radii};
}

static const family POINTS = {
    .bytes = sizeof(points),
    .views = POINTS_VIEWS(VIEW_TEXT),
    .figures = POINTS_FIGURES(FIGURE_TEXT),
    .view = points_view,
    .read_figures = points_figures,
    .carve = points_carve,
    .fill = points_fill,
    .destroy = points_destroy,
    .reserve = points_reserve,
    .save = points_save,
    .restore = points_restore,
    .cells = points_cells,
    .agents = points_agents,
    .validate = points_validate,
};

/* ---- Creation ---- */

static points prototype_of(uint32_t dimensions, uint32_t capacity) {
  return (points){.object = {.family = &POINTS, .capacity = capacity}, .dimensions = dimensions};
}

/* Creates an agent tree. Here and in the creators below, a capacity or leafSize of 0 means the
 * default. */
EXPORT("agenttree_create")
int32_t agenttree_create(uint32_t dimensions, uint32_t capacity, uint32_t leafSize, uint32_t axis,
                         uint32_t split, uint32_t layout, uint32_t onNonFinite) {
  copse_agenttree_def def = copse_agenttree_default();
  def.allocator = objectMemory;
  USE_POOL(&def);
  def.dimensions = dimensions;
  if (capacity) def.capacity = capacity;
  if (leafSize) def.leafSize = leafSize;
  def.axis = (copse_axis)axis;
  def.split = (copse_split)split;
  def.layout = (copse_layout)layout;
  def.onNonFinite = (copse_on_non_finite)onNonFinite;
  points prototype = prototype_of(dimensions, def.capacity);
  return object_create(&prototype.object, copse_agenttree_create(&def, &prototype.core));
}

/* With `wraps`, the world wraps around. */
EXPORT("grid_create")
int32_t grid_create(uint32_t dimensions, uint32_t capacity, float cellSize, uint32_t wraps,
                    float minX, float minY, float minZ, float maxX, float maxY, float maxZ,
                    uint32_t layout, uint32_t onNonFinite) {
  const float plane[] = {minX, minY, maxX, maxY}, space[] = {minX, minY, minZ, maxX, maxY, maxZ};
  copse_grid_def def = copse_grid_default();
  def.allocator = objectMemory;
  USE_POOL(&def);
  def.dimensions = dimensions;
  if (capacity) def.capacity = capacity;
  def.cellSize = cellSize;
  if (wraps) def.wrap = dimensions == 3 ? space : plane;
  def.layout = (copse_layout)layout;
  def.onNonFinite = (copse_on_non_finite)onNonFinite;
  points prototype = prototype_of(dimensions, def.capacity);
  return object_create(&prototype.object, copse_grid_create(&def, &prototype.core));
}

EXPORT("kdtree_create")
int32_t kdtree_create(uint32_t dimensions, uint32_t capacity, uint32_t builder, uint32_t layout,
                      uint32_t onNonFinite) {
  copse_kdtree_def def = copse_kdtree_default();
  def.allocator = objectMemory;
  USE_POOL(&def);
  def.dimensions = dimensions;
  if (capacity) def.capacity = capacity;
  def.builder = (copse_builder)builder;
  def.layout = (copse_layout)layout;
  def.onNonFinite = (copse_on_non_finite)onNonFinite;
  points prototype = prototype_of(dimensions, def.capacity);
  return object_create(&prototype.object, copse_kdtree_create(&def, &prototype.core));
}

points *points_of(int32_t handle) { return (points *)object_of(handle, &POINTS); }

const copse_points *index_of(int32_t handle) {
  const points *self = points_of(handle);
  return self ? self->core : NULL;
}

/* ---- Agents and builds ---- */

EXPORT("points_count") int32_t points_count(int32_t handle) {
  const points *self = points_of(handle);
  return self ? (int32_t)copse_points_count(self->core) : FAILED(COPSE_STALE_SLOT);
}

EXPORT("points_slots") int32_t points_slots(int32_t handle) {
  const points *self = points_of(handle);
  return self ? (int32_t)copse_points_slots(self->core) : FAILED(COPSE_STALE_SLOT);
}

/* Returns the number of slots in the last build. */
EXPORT("points_built") int32_t points_built(int32_t handle) {
  const points *self = points_of(handle);
  return self ? (int32_t)copse_points_built(self->core) : FAILED(COPSE_STALE_SLOT);
}

/* Returns 1 if any agent has a radius that is not 0. */
EXPORT("points_has_radii") int32_t points_has_radii(int32_t handle) {
  const points *self = points_of(handle);
  return self ? extras_of(self).radii != NULL : FAILED(COPSE_STALE_SLOT);
}

EXPORT("points_set_slots") int32_t points_set_slots(int32_t handle, uint32_t slots) {
  points *self = points_of(handle);
  return zero_or_failed(self ? copse_points_set_slots(self->core, slots) : COPSE_STALE_SLOT);
}

/* Returns the slot of the new agent. */
EXPORT("points_add") int32_t points_add(int32_t handle, float x, float y, float z) {
  points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  uint32_t slot;
  const copse_status status = copse_points_add(self->core, (float[]){x, y, z}, &slot);
  return result_or_failed(slot, status);
}

EXPORT("points_move")
int32_t points_move(int32_t handle, uint32_t slot, float x, float y, float z) {
  points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  return zero_or_failed(copse_points_move(self->core, slot, (float[]){x, y, z}));
}

EXPORT("points_remove") int32_t points_remove(int32_t handle, uint32_t slot) {
  points *self = points_of(handle);
  return zero_or_failed(self ? copse_points_remove(self->core, slot) : COPSE_STALE_SLOT);
}

EXPORT("points_clear") int32_t points_clear(int32_t handle) { return points_set_slots(handle, 0); }

/* Builds an index. `usesRadii` is 0 if the game never asked for the array of radii: all are 0.
 * After INVALID_ARGUMENT, firstBad is the slot of a bad radius. */
EXPORT("points_build") int32_t points_build(int32_t handle, uint32_t usesRadii) {
  points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  if (usesRadii &&
      !radii_ok(self->radii, copse_points_generations(self->core), copse_points_slots(self->core)))
    return FAILED(COPSE_INVALID_ARGUMENT);
  const copse_status status = copse_points_build(self->core, &firstBad);
  if (status == COPSE_OK && usesRadii) use_radii(self, self->radii);
  return zero_or_failed(status);
}

/* Copies the agents of another object, a crowd or an index, and builds the index. Enlarges it if
 * the other object has more slots. Returns the number of slots. */
EXPORT("points_build_from") int32_t points_build_from(int32_t handle, int32_t other) {
  points *self = points_of(handle);
  object *owner = object_of(other, NULL);
  if (!self || !owner) return FAILED(COPSE_STALE_SLOT);
  if (!owner->family->agents || owner == &self->object) return FAILED(COPSE_INVALID_ARGUMENT);
  const agents from = owner->family->agents(owner);
  if (from.dimensions != self->dimensions || !radii_ok(from.radii, from.generations, from.slots))
    return FAILED(COPSE_INVALID_ARGUMENT);
  copse_status status;
  while ((status = copse_points_build_from(self->core, &from.positions, from.groups,
                                           from.generations, from.slots, &firstBad)) ==
         COPSE_FULL) {
    const int32_t reserved = reserve(handle, owner->capacity);
    if (reserved < 0) return reserved;
    self = points_of(handle);
  }
  if (status != COPSE_OK) return FAILED(status);
  memcpy(self->masks, from.masks, from.slots * sizeof *self->masks);
  memcpy(self->radii, from.radii, from.slots * sizeof *self->radii);
  use_radii(self, self->radii);
  return (int32_t)copse_points_slots(self->core);
}

/* Returns the length of the view `order`. */
EXPORT("points_order") int32_t points_order(int32_t handle) {
  const points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  uint32_t count;
  copse_points_order(self->core, &count);
  return (int32_t)count;
}

/* ---- Single queries: each returns the number of results, or an id ---- */

/* Returns the struct that a query writes its results to. The struct has an array for distances only
 * if they are needed: a query without distances is faster. */
static copse_results *results_of(points *self, uint32_t sort) {
  const bool isWanted = sort & WITH_DISTANCES || sort == COPSE_SORT_DISTANCE;
  self->results.distances2 = isWanted ? self->distances2 : NULL;
  return &self->results;
}

EXPORT("points_within")
int32_t points_within(int32_t handle, float x, float y, float z, float radius, uint32_t mask,
                      uint32_t exclude, uint32_t sort) {
  points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const copse_query query = query_of(mask, exclude, sort);
  const copse_status status =
      copse_points_within(self->core, (float[]){x, y, z}, radius, &query, results_of(self, sort));
  return result_or_failed(self->results.total, status);
}

EXPORT("points_range")
int32_t points_range(int32_t handle, float minX, float minY, float minZ, float maxX, float maxY,
                     float maxZ, uint32_t mask, uint32_t exclude, uint32_t sort) {
  points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const copse_query query = query_of(mask, exclude, sort);
  const copse_status status =
      copse_points_range(self->core, (float[]){minX, minY, minZ}, (float[]){maxX, maxY, maxZ},
                         &query, results_of(self, sort));
  return result_or_failed(self->results.total, status);
}

EXPORT("points_cone")
int32_t points_cone(int32_t handle, float x, float y, float z, float dirX, float dirY, float dirZ,
                    float halfAngle, float radius, uint32_t mask, uint32_t exclude, uint32_t sort) {
  points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const copse_query query = query_of(mask, exclude, sort);
  const copse_status status =
      copse_points_cone(self->core, (float[]){x, y, z}, (float[]){dirX, dirY, dirZ}, halfAngle,
                        radius, &query, results_of(self, sort));
  return result_or_failed(self->results.total, status);
}

EXPORT("points_neighbors")
int32_t points_neighbors(int32_t handle, float x, float y, float z, uint32_t k, float maxDistance,
                         uint32_t mask, uint32_t exclude) {
  points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  query.maxDistance = maxDistance;
  const copse_status status = copse_points_neighbors(self->core, (float[]){x, y, z}, k, &query,
                                                     results_of(self, WITH_DISTANCES));
  return result_or_failed(self->results.total, status);
}

EXPORT("points_nearest")
int32_t points_nearest(int32_t handle, float x, float y, float z, float maxDistance, uint32_t mask,
                       uint32_t exclude) {
  points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  query.maxDistance = maxDistance;
  uint32_t id;
  const copse_status status = copse_points_nearest(self->core, (float[]){x, y, z}, &query, &id,
                                                   NULL, &self->results.visits);
  return result_or_failed(id, status);
}

EXPORT("points_count_within")
int32_t points_count_within(int32_t handle, float x, float y, float z, float radius, uint32_t mask,
                            uint32_t exclude) {
  points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  uint32_t total;
  const copse_status status = copse_points_count_within(self->core, (float[]){x, y, z}, radius,
                                                        &query, &total, &self->results.visits);
  return result_or_failed(total, status);
}

EXPORT("points_count_range")
int32_t points_count_range(int32_t handle, float minX, float minY, float minZ, float maxX,
                           float maxY, float maxZ, uint32_t mask, uint32_t exclude) {
  points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  uint32_t total;
  const copse_status status =
      copse_points_count_range(self->core, (float[]){minX, minY, minZ}, (float[]){maxX, maxY, maxZ},
                               &query, &total, &self->results.visits);
  return result_or_failed(total, status);
}

EXPORT("points_any_within")
int32_t points_any_within(int32_t handle, float x, float y, float z, float radius, uint32_t mask,
                          uint32_t exclude) {
  points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  bool any;
  const copse_status status = copse_points_any_within(self->core, (float[]){x, y, z}, radius,
                                                      &query, &any, &self->results.visits);
  return result_or_failed(any, status);
}

/* ---- Batches ---- *
 *
 * JavaScript allocates the buffer for the arguments, ROOM_GIVEN. A batch allocates the buffers for
 * its results after all checks, so that memory does not grow for a batch with wrong arguments. */

/* Begins a batch, see batch_begin. On failure, sets *status and returns NULL. */
static points *batch_of(int32_t handle, room which, uint32_t rows, given given,
                        copse_status *status) {
  points *self = points_of(handle);
  *status = !self ? COPSE_STALE_SLOT
            : !copse_points_is_built(self->core)
                ? COPSE_NOT_BUILT
                : batch_begin(&self->object, which, rows, given, self->dimensions);
  return *status == COPSE_OK ? self : NULL;
}

/* Returns the number of rows of a batch over all agents: one for each slot up to the last that
 * holds an agent now or held one in the last build. */
static uint32_t agent_rows(int32_t handle) {
  const points *self = points_of(handle);
  if (!self) return 0;
  const uint32_t slots = copse_points_slots(self->core), built = copse_points_built(self->core);
  return slots > built ? slots : built;
}

EXPORT("points_all_within") double points_all_within(int32_t handle, float radius, uint32_t mask) {
  copse_status status;
  points *self = batch_of(handle, ROOM_ROWS, agent_rows(handle), GIVEN_NOTHING, &status);
  if (!self) return FAILED(status);
  const copse_query query = query_of(mask, COPSE_NONE, COPSE_SORT_NONE);
  copse_rows rows;
  do {
    rows = rows_room(&self->object);
    status = copse_points_all_within(self->core, radius, &query, self->masks, &rows);
  } while (room_for_all(&self->object, rows.total, &status));
  return total_or_failed(rows.total, status);
}

/* Finds the agents within *radius of each of the n points in ROOM_GIVEN or, if `radius` is NULL,
 * the agents in each of the n boxes there. Writes a row of ids for each. Returns the total number
 * of ids. */
static double rows_of_given(int32_t handle, uint32_t n, const float *radius, uint32_t mask,
                            uint32_t exclude) {
  copse_status status;
  points *self = batch_of(handle, ROOM_ROWS, n, radius ? GIVEN_POINT : GIVEN_BOX, &status);
  if (!self) return FAILED(status);
  const copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  const float *items = self->object.rooms[ROOM_GIVEN];
  copse_rows rows;
  do {
    rows = rows_room(&self->object);
    status = radius ? copse_points_within_many(self->core, items, n, *radius, &query, &rows)
                    : copse_points_range_many(self->core, items, n, &query, &rows);
  } while (room_for_all(&self->object, rows.total, &status));
  return total_or_failed(rows.total, status);
}

EXPORT("points_within_many")
double points_within_many(int32_t handle, uint32_t n, float radius, uint32_t mask,
                          uint32_t exclude) {
  return rows_of_given(handle, n, &radius, mask, exclude);
}

EXPORT("points_range_many")
double points_range_many(int32_t handle, uint32_t n, uint32_t mask, uint32_t exclude) {
  return rows_of_given(handle, n, NULL, mask, exclude);
}

/* Begins a batch (see batch_of) whose rows have k neighbors each, and sets *out to the buffers for
 * these rows. */
static points *neighbor_batch_of(int32_t handle, uint32_t rows, given given, uint32_t k,
                                 copse_neighbor_rows *out, copse_status *status) {
  points *self = batch_of(handle, ROOM_NEIGHBOR_COUNTS, rows, given, status);
  if (self && neighbors_room(&self->object, rows, k, out)) return self;
  if (self) *status = COPSE_OUT_OF_MEMORY;
  return NULL;
}

EXPORT("points_all_neighbors")
int32_t points_all_neighbors(int32_t handle, uint32_t k, float maxDistance, uint32_t mask) {
  copse_status status;
  copse_neighbor_rows rows;
  points *self = neighbor_batch_of(handle, agent_rows(handle), GIVEN_NOTHING, k, &rows, &status);
  if (!self) return FAILED(status);
  copse_query query = query_of(mask, COPSE_NONE, COPSE_SORT_NONE);
  query.maxDistance = maxDistance;
  return zero_or_failed(copse_points_all_neighbors(self->core, k, &query, self->masks, &rows));
}

EXPORT("points_neighbors_many")
int32_t points_neighbors_many(int32_t handle, uint32_t n, uint32_t k, float maxDistance,
                              uint32_t mask, uint32_t exclude) {
  copse_status status;
  copse_neighbor_rows rows;
  points *self = neighbor_batch_of(handle, n, GIVEN_POINT, k, &rows, &status);
  if (!self) return FAILED(status);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  query.maxDistance = maxDistance;
  return zero_or_failed(
      copse_points_neighbors_many(self->core, self->object.rooms[ROOM_GIVEN], n, k, &query, &rows));
}

/* Finds pairs of agents within a distance of each other. If `distance` is negative, finds pairs
 * whose circles or spheres touch, by the radii of the last build. */
EXPORT("points_pairs") double points_pairs(int32_t handle, float distance, uint32_t mask) {
  points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const copse_query query = query_of(mask, COPSE_NONE, COPSE_SORT_NONE);
  const float *radii = distance < 0 ? self->builtRadii : NULL;
  copse_results results;
  copse_status status;
  do {
    results = ids_room(&self->object);
    status = copse_points_pairs(self->core, distance, radii, &query, &results);
  } while (room_for_all(&self->object, results.total, &status));
  return total_or_failed(results.total, status);
}

/* ---- Rays: `radius` is that of all agents; negative: each agent has its own ---- */

/* If *radius is negative, sets it to the agents' largest radius, and returns their radii. Else
 * returns NULL. */
static const float *own_radii(const points *self, float *radius) {
  if (!(*radius < 0)) return NULL;
  *radius = self->maxRadius;
  return self->builtRadii;
}

/* Returns the id of the first agent that the ray hits, or -1. Writes how far along the ray the hit
 * is, as a fraction, to the view `fraction`. If `wantsAll` is not 0, instead returns the number of
 * agents that the ray hits, and writes their ids to the view `ids` and their fractions to the view
 * `distances2`. */
EXPORT("points_raycast")
int32_t points_raycast(int32_t handle, float x0, float y0, float z0, float x1, float y1, float z1,
                       float radius, float inflate, uint32_t mask, uint32_t exclude,
                       uint32_t wantsAll) {
  points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const float from[] = {x0, y0, z0}, to[] = {x1, y1, z1}, *radii = own_radii(self, &radius);
  const copse_query query = ray_query_of(mask, exclude, inflate);
  copse_hits hits = {self->results.ids, self->distances2, self->results.capacity, 0, 0};
  copse_hit hit;
  const copse_status status =
      wantsAll
          ? copse_points_raycast_all(self->core, from, to, radius, radii, &query, &hits)
          : copse_points_raycast(self->core, from, to, radius, radii, &query, &hit, &hits.visits);
  self->results.visits = hits.visits;
  if (wantsAll) return result_or_failed(hits.total, status);
  self->fraction = hit.fraction;
  return result_or_failed(hit.id, status);
}

/* Casts n segments. `lists` says which filters differ by segment: see filters_given in
 * objects.h. */
EXPORT("points_raycast_many")
int32_t points_raycast_many(int32_t handle, uint32_t n, float inflate, uint32_t mask,
                            uint32_t exclude, uint32_t lists, float radius) {
  copse_status status;
  copse_segment_filters filters;
  points *self = batch_of(handle, ROOM_HITS, n, GIVEN_SEGMENT, &status);
  if (!self) return FAILED(status);
  if (!filters_given(&self->object, n, self->dimensions, lists, &filters))
    return FAILED(COPSE_INVALID_ARGUMENT);
  const float *radii = own_radii(self, &radius);
  const copse_query query = ray_query_of(mask, exclude, inflate);
  return zero_or_failed(copse_points_raycast_many(
      self->core, self->object.rooms[ROOM_GIVEN], n, radius, radii, &query, &filters,
      room_words(&self->object, ROOM_HITS), (float *)room_second(&self->object, ROOM_HITS)));
}

/* Finds the agents inside all of the `count` planes in the object's buffer ROOM_GIVEN. */
EXPORT("points_frustum")
int32_t points_frustum(int32_t handle, uint32_t count, uint32_t mask, uint32_t exclude,
                       uint32_t sort) {
  points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  if (!is_given(&self->object, UINT64_C(4) * count)) return FAILED(COPSE_INVALID_ARGUMENT);
  const copse_query query = query_of(mask, exclude, sort);
  const copse_status status = copse_points_frustum(self->core, self->object.rooms[ROOM_GIVEN],
                                                   count, &query, &self->results);
  return result_or_failed(self->results.total, status);
}
