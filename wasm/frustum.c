/* Frustum queries. Only the cores with all classes contain this code. */

#include "boxes.h"
#include "points.h"

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

/* Finds all items but those wholly outside one of the `count` planes in the buffer ROOM_GIVEN. */
EXPORT("boxes_frustum")
int32_t boxes_frustum(int32_t handle, uint32_t count, uint32_t mask, uint32_t exclude,
                      uint32_t sort) {
  boxes *self = boxes_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  if (!is_given(&self->object, UINT64_C(4) * count)) return FAILED(COPSE_INVALID_ARGUMENT);
  const copse_query query = query_of(mask, exclude, sort);
  const copse_status status = copse_octree_frustum(self->core, self->object.rooms[ROOM_GIVEN],
                                                   count, &query, &self->results);
  return result_or_failed(self->results.total, status);
}
