/* Indexes whose agents are those of another object, the source: a crowd or another index. They have
 * no buffers for agents. */

#include "points.h"

#include <string.h>

static bool agents_of(int32_t handle, agents *found) {
  object *source = object_of(handle, NULL);
  return source && source->family->agents && source->family->agents(source, found);
}

points *sourced_of(int32_t handle, agents *own) {
  points *self = points_of(handle);
  return self && agents_of(self->source, own) ? self : NULL;
}

/* Sets the source of an external index: the object whose agents the index finds. */
EXPORT("points_set_source") int32_t points_set_source(int32_t handle, int32_t source) {
  points *self = points_of(handle);
  agents own;
  if (!self || !agents_of(source, &own)) return FAILED(COPSE_STALE_SLOT);
  if (!self->isExternal || own.dimensions != self->dimensions)
    return FAILED(COPSE_INVALID_ARGUMENT);
  self->source = source;
  return 0;
}

/* The functions below replace their namesakes in points.c for an index with a source. */

EXPORT("points_source_build") int32_t points_source_build(int32_t handle) {
  agents own;
  const points *self = sourced_of(handle, &own);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  return zero_or_failed(copse_points_build_from(self->core, &own.core.positions, own.core.groups,
                                                own.core.slots, &firstBad));
}

EXPORT("points_source_take_radii") int32_t points_source_take_radii(int32_t handle) {
  agents own;
  points *self = sourced_of(handle, &own);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  points_use_radii(self, own.radii);
  return 0;
}

/* Prepares the index `self` for a batch over the agents of its source, `own`. Lends it the masks of
 * these agents: the caller must set self->masks to NULL afterward. Makes room for a row per slot of
 * the source. The batch writes only rows of slots that existed in the last build; the caller
 * empties the others. Fails if `self` is NULL or was never built, or if there is no memory. */
static copse_status lend(points *self, const agents *own, room which) {
  if (!self) return COPSE_STALE_SLOT;
  if (!copse_points_is_built(self->core)) return COPSE_NOT_BUILT;
  if (!room_take(&self->object, which, own->core.slots)) return COPSE_OUT_OF_MEMORY;
  self->masks = (uint32_t *)own->masks; /* only read */
  return COPSE_OK;
}

static void empty_rows(const points *self, uint32_t *rows, uint32_t slots) {
  const uint32_t built = copse_points_built(self->core);
  if (slots > built) memset(rows + built, 0, (slots - built) * sizeof *rows);
}

EXPORT("points_source_all_within")
double points_source_all_within(int32_t handle, float radius, uint32_t mask) {
  agents own;
  points *self = sourced_of(handle, &own);
  const copse_status status = lend(self, &own, ROOM_ROWS);
  if (status != COPSE_OK) return FAILED(status);
  const double total = points_all_within(handle, radius, mask);
  self->masks = NULL;
  empty_rows(self, room_words(&self->object, ROOM_ROWS), own.core.slots);
  empty_rows(self, room_second(&self->object, ROOM_ROWS), own.core.slots);
  return total;
}

EXPORT("points_source_all_neighbors")
int32_t points_source_all_neighbors(int32_t handle, uint32_t k, float maxDistance, uint32_t mask) {
  agents own;
  points *self = sourced_of(handle, &own);
  const copse_status status = lend(self, &own, ROOM_NEIGHBOR_COUNTS);
  if (status != COPSE_OK) return FAILED(status);
  const int32_t result = points_all_neighbors(handle, k, maxDistance, mask);
  self->masks = NULL;
  empty_rows(self, room_words(&self->object, ROOM_NEIGHBOR_COUNTS), own.core.slots);
  return result;
}
