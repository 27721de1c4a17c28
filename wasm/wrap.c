/* Worlds that wrap around. Only the cores with all classes contain this code. */

#include "points.h"

#include "../c/points/grid.h"

/* Makes a grid's world wrap around (see copse_grid_def). The grid must not have been built yet. */
EXPORT("points_set_wrap")
int32_t points_set_wrap(int32_t handle, float minX, float minY, float minZ, float maxX, float maxY,
                        float maxZ) {
  points *self = points_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const float plane[] = {minX, minY, maxX, maxY}, space[] = {minX, minY, minZ, maxX, maxY, maxZ};
  return zero_or_failed(grid_set_wrap(self->core, self->dimensions == 3 ? space : plane));
}
