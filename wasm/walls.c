/* The functions of ObstacleTree that JavaScript calls. */

#include "objects.h"

#include <math.h>
#include <string.h>

typedef struct walls {
  object object;
  copse_obstacle *core;
  copse_results results; /* of the last single query; its arrays hold `capacity` items */
  copse_corner *corners; /* of the last visibility polygon */
  union {                /* the result of the last walls_nearest or walls_raycast */
    copse_obstacle_point nearest;
    copse_obstacle_hit hit;
  } last;
} walls;
_Static_assert(sizeof(walls) <= OBJECT_BYTES, "see any_object");

#define WALLS_VIEWS(VIEW)                                                                          \
  VIEW(ids, u, self->results.ids)                                                                  \
  VIEW(distances2, f, self->results.distances2)                                                    \
  VIEW(given, f, base->rooms[ROOM_GIVEN])                                                          \
  VIEW(hitIds, i, base->rooms[ROOM_HITS])                                                          \
  VIEW(hitFractions, f, room_second(base, ROOM_HITS))                                              \
  VIEW(generations, u, copse_obstacle_generations(self->core))                                     \
  VIEW(vertices, f, copse_obstacle_vertices(self->core))                                           \
  VIEW(next, u, copse_obstacle_next(self->core))                                                   \
  VIEW(polygons, u, copse_obstacle_polygons(self->core))                                           \
  VIEW(nearest, f, &self->last.nearest.distance2) /* distance2, then the point */                  \
  VIEW(hit, f, &self->last.hit.fraction)          /* fraction, then the point, the normal */       \
  VIEW(corners, f, self->corners)

static uintptr_t walls_view(object *base, uint32_t which) {
  walls *self = (walls *)base;
  const uintptr_t places[] = {WALLS_VIEWS(VIEW_PLACE)};
  return which < sizeof places / sizeof *places ? places[which] : 0;
}

#define WALLS_FIGURES(FIGURE)                                                                      \
  FIGURE(edges, stats.edges)                                                                       \
  FIGURE(dropped, stats.dropped)                                                                   \
  FIGURE(nodes, stats.nodes)                                                                       \
  FIGURE(leaves, stats.leaves)                                                                     \
  FIGURE(depth, stats.depth)                                                                       \
  FIGURE(bytes, stats.bytes + (size_t)object_bytes(base))                                          \
  FIGURE(visits, ((const walls *)base)->results.visits)                                            \
  FIGURE(pieces, stats.pieces)                                                                     \
  FIGURE(unsplit, stats.unsplit)                                                                   \
  FIGURE(polygons, stats.polygons)

static void walls_figures(object *base, double *numbers) {
  const copse_obstacle_statistics stats = copse_obstacle_stats(((const walls *)base)->core);
  const double figures[] = {WALLS_FIGURES(FIGURE_VALUE)};
  memcpy(numbers, figures, sizeof figures);
}

/* Returns the capacity in corners that copse.h recommends for a visibility polygon among this many
 * vertices. */
static uint64_t corner_capacity(uint64_t vertices) { return 4 * vertices + 20; }

static void walls_carve(object *base, arena *block) {
  walls *self = (walls *)base;
  const uint64_t capacity = base->capacity;
  self->results.capacity = base->capacity;
  self->results.ids = arena_carve(block, capacity, 4);
  self->results.distances2 = arena_carve(block, capacity, 4);
  self->corners = arena_carve(block, corner_capacity(capacity), sizeof *self->corners);
}

static void walls_fill(object *larger, const object *old) {
  (void)larger;
  (void)old;
}

static copse_obstacle *walls_core(const object *base) { return ((const walls *)base)->core; }

static copse_status build_if_changed(copse_obstacle *tree) {
  return copse_obstacle_changed(tree) ? copse_obstacle_build(tree, &firstBad) : COPSE_OK;
}

static void walls_destroy(object *base) { copse_obstacle_destroy(walls_core(base)); }
static copse_status walls_reserve(object *base, uint32_t capacity) {
  return copse_obstacle_reserve(walls_core(base), capacity);
}
static copse_status walls_prepare(object *base) { return build_if_changed(walls_core(base)); }
static copse_status walls_save(object *base, void *bytes, size_t capacity, size_t *total) {
  return copse_obstacle_save(walls_core(base), bytes, capacity, total, &firstBad);
}
static copse_status walls_restore(object *base, const void *bytes, size_t size, uint32_t *needed) {
  return copse_obstacle_restore(walls_core(base), bytes, size, needed);
}
static size_t walls_cells(object *base, size_t skipped, float *out, size_t capacity) {
  return copse_obstacle_cells(walls_core(base), skipped, out, capacity);
}
static bool walls_validate(object *base) { return copse_obstacle_validate(walls_core(base)); }

static const family WALLS = {
    .bytes = sizeof(walls),
    .views = WALLS_VIEWS(VIEW_TEXT),
    .figures = WALLS_FIGURES(FIGURE_TEXT),
    .view = walls_view,
    .read_figures = walls_figures,
    .carve = walls_carve,
    .fill = walls_fill,
    .destroy = walls_destroy,
    .reserve = walls_reserve,
    .prepare = walls_prepare,
    .save = walls_save,
    .restore = walls_restore,
    .cells = walls_cells,
    .validate = walls_validate,
};

/* Creates an obstacle tree. An option of 0 means its default. */
EXPORT("obstacle_create")
int32_t obstacle_create(uint32_t capacity, uint32_t pieces, uint32_t leafSize) {
  copse_obstacle_def def = copse_obstacle_default();
  def.allocator = objectMemory;
  if (capacity) def.capacity = capacity;
  def.pieces = pieces;
  if (leafSize) def.leafSize = leafSize;
  walls prototype = {.object = {.family = &WALLS, .capacity = def.capacity}};
  return object_create(&prototype.object, copse_obstacle_create(&def, &prototype.core));
}

static walls *walls_of(int32_t handle) { return (walls *)object_of(handle, &WALLS); }

/* Returns the object of a handle. First builds its tree if polygons changed since the last build.
 * Returns NULL if the handle is stale or the build fails: *status says why. */
static walls *built_walls_of(int32_t handle, copse_status *status) {
  walls *self = walls_of(handle);
  *status = self ? build_if_changed(self->core) : COPSE_STALE_SLOT;
  return *status == COPSE_OK ? self : NULL;
}

copse_status obstacles_of(int32_t handle, const copse_obstacle **tree) {
  copse_status status = COPSE_OK;
  const walls *self = handle < 0 ? NULL : built_walls_of(handle, &status);
  *tree = self ? self->core : NULL;
  return status;
}

/* ---- Polygons ---- */

EXPORT("walls_count") int32_t walls_count(int32_t handle) {
  const walls *self = walls_of(handle);
  return self ? (int32_t)copse_obstacle_count(self->core) : FAILED(COPSE_STALE_SLOT);
}

/* Returns the number of vertices in use. */
EXPORT("walls_used") int32_t walls_used(int32_t handle) {
  const walls *self = walls_of(handle);
  return self ? (int32_t)copse_obstacle_used(self->core) : FAILED(COPSE_STALE_SLOT);
}

EXPORT("walls_slots") int32_t walls_slots(int32_t handle) {
  const walls *self = walls_of(handle);
  return self ? (int32_t)copse_obstacle_slots(self->core) : FAILED(COPSE_STALE_SLOT);
}

/* Returns the number of vertices of a polygon. */
EXPORT("walls_size_of") int32_t walls_size_of(int32_t handle, uint32_t slot) {
  const walls *self = walls_of(handle);
  const uint32_t size = self ? copse_obstacle_size(self->core, slot) : 0;
  return size ? (int32_t)size : FAILED(COPSE_STALE_SLOT);
}

/* Returns the error code for a call that has a stale handle (then `self` is NULL), or more vertices
 * than the staging buffer holds. */
static int32_t walls_refused(const walls *self) {
  return FAILED(self ? COPSE_INVALID_ARGUMENT : COPSE_STALE_SLOT);
}

/* Adds a polygon: the first `count` vertices in the staging buffer, x and y each. Returns its
 * slot. */
EXPORT("walls_add") int32_t walls_add(int32_t handle, uint32_t count, uint32_t solid) {
  walls *self = walls_of(handle);
  if (!self || count > staged.size / 8) return walls_refused(self);
  uint32_t slot;
  const copse_status status =
      copse_obstacle_add(self->core, staged.bytes, count, (copse_solid)solid, &slot);
  return result_or_failed(slot, status);
}

/* Moves the vertices of a polygon to the first `count` points in the staging buffer. */
EXPORT("walls_move") int32_t walls_move(int32_t handle, uint32_t slot, uint32_t count) {
  walls *self = walls_of(handle);
  if (!self || count > staged.size / 8) return walls_refused(self);
  return zero_or_failed(copse_obstacle_move(self->core, slot, staged.bytes, count));
}

EXPORT("walls_remove") int32_t walls_remove(int32_t handle, uint32_t slot) {
  walls *self = walls_of(handle);
  return zero_or_failed(self ? copse_obstacle_remove(self->core, slot) : COPSE_STALE_SLOT);
}

EXPORT("walls_clear") int32_t walls_clear(int32_t handle) {
  walls *self = walls_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  copse_obstacle_clear(self->core);
  return 0;
}

EXPORT("walls_winding") int32_t walls_winding(int32_t handle, uint32_t slot) {
  const walls *self = walls_of(handle);
  if (!self || !copse_obstacle_has(self->core, slot)) return FAILED(COPSE_STALE_SLOT);
  return copse_obstacle_winding(self->core, slot);
}

EXPORT("walls_build") int32_t walls_build(int32_t handle) {
  walls *self = walls_of(handle);
  return zero_or_failed(self ? copse_obstacle_build(self->core, &firstBad) : COPSE_STALE_SLOT);
}

EXPORT("walls_build_changed") int32_t walls_build_changed(int32_t handle) {
  copse_status status;
  built_walls_of(handle, &status);
  return zero_or_failed(status);
}

/* ---- Queries: each returns a number of edges, the id of an edge, or 0 or 1 for false or true;
 * walls_raycast_many returns 0 ---- */

EXPORT("walls_within")
int32_t walls_within(int32_t handle, float x, float y, float radius, uint32_t side) {
  copse_status status;
  walls *self = built_walls_of(handle, &status);
  if (!self) return FAILED(status);
  status =
      copse_obstacle_within(self->core, (float[]){x, y}, radius, (copse_side)side, &self->results);
  return result_or_failed(self->results.total, status);
}

EXPORT("walls_nearest")
int32_t walls_nearest(int32_t handle, float x, float y, float maxDistance, uint32_t side) {
  copse_status status;
  walls *self = built_walls_of(handle, &status);
  if (!self) return FAILED(status);
  status = copse_obstacle_nearest(self->core, (float[]){x, y}, maxDistance, (copse_side)side,
                                  &self->last.nearest, &self->results.visits);
  return result_or_failed(self->last.nearest.edge, status);
}

EXPORT("walls_visible")
int32_t walls_visible(int32_t handle, float x0, float y0, float x1, float y1, float radius) {
  copse_status status;
  walls *self = built_walls_of(handle, &status);
  if (!self) return FAILED(status);
  bool isVisible;
  status = copse_obstacle_visible(self->core, (float[]){x0, y0}, (float[]){x1, y1}, radius,
                                  &isVisible, &self->results.visits);
  return result_or_failed(isVisible, status);
}

EXPORT("walls_raycast")
int32_t walls_raycast(int32_t handle, float x0, float y0, float x1, float y1, uint32_t side) {
  copse_status status;
  walls *self = built_walls_of(handle, &status);
  if (!self) return FAILED(status);
  status = copse_obstacle_raycast(self->core, (float[]){x0, y0}, (float[]){x1, y1},
                                  (copse_side)side, &self->last.hit, &self->results.visits);
  return result_or_failed(self->last.hit.edge, status);
}

EXPORT("walls_raycast_many")
int32_t walls_raycast_many(int32_t handle, uint32_t n, uint32_t side) {
  copse_status status;
  walls *self = built_walls_of(handle, &status);
  if (!self) return FAILED(status);
  if (!is_given(&self->object, UINT64_C(4) * n)) return FAILED(COPSE_INVALID_ARGUMENT);
  if (!room_take(&self->object, ROOM_HITS, n)) return FAILED(COPSE_OUT_OF_MEMORY);
  return zero_or_failed(copse_obstacle_raycast_many(
      self->core, self->object.rooms[ROOM_GIVEN], n, (copse_side)side,
      room_words(&self->object, ROOM_HITS), (float *)room_second(&self->object, ROOM_HITS)));
}

EXPORT("walls_contains") int32_t walls_contains(int32_t handle, float x, float y) {
  copse_status status;
  walls *self = built_walls_of(handle, &status);
  if (!self) return FAILED(status);
  bool inside;
  status = copse_obstacle_contains(self->core, (float[]){x, y}, &inside, &self->results.visits);
  return result_or_failed(inside, status);
}

/* ---- Visibility ---- */

/* Replaces each infinite side of a box by a finite one a little outside all walls and the point:
 * far enough that the side, rounded to float, does not coincide with the point. */
static void close_box(const copse_obstacle *tree, const float *point, float *lo, float *hi) {
  float bounds[4], size = 0, far = 0;
  copse_obstacle_bounds(tree, bounds);
  const bool any = bounds[0] < bounds[2] || bounds[1] < bounds[3];
  for (int axis = 0; axis < 2; axis++) {
    float *low = &bounds[axis], *high = &bounds[2 + axis];
    if (!any || point[axis] < *low) *low = point[axis];
    if (!any || point[axis] > *high) *high = point[axis];
    size = fmaxf(size, *high - *low);
    far = fmaxf(far, fmaxf(*high, -*low));
  }
  const float margin = fmaxf(size > 0 ? size / 16 + 1e-36f : 1, far * 0x1p-20f);
  for (int axis = 0; axis < 2; axis++) {
    if (lo[axis] == -INFINITY) lo[axis] = fmaxf(bounds[axis] - margin, -1e18f);
    if (hi[axis] == INFINITY) hi[axis] = fminf(bounds[2 + axis] + margin, 1e18f);
  }
}

/* Computes a visibility polygon. Returns its number of corners; their x and y are in the view
 * `corners`. */
EXPORT("walls_visibility")
int32_t walls_visibility(int32_t handle, float x, float y, float minX, float minY, float maxX,
                         float maxY) {
  copse_status status;
  walls *self = built_walls_of(handle, &status);
  if (!self) return FAILED(status);
  const float point[2] = {x, y};
  float lo[2] = {minX, minY}, hi[2] = {maxX, maxY};
  close_box(self->core, point, lo, hi);
  uint32_t total;
  status = copse_obstacle_visibility(self->core, point, lo, hi, self->corners,
                                     (uint32_t)corner_capacity(self->object.capacity), &total,
                                     &self->results.visits);
  if (status != COPSE_OK) return FAILED(status);
  for (uint32_t i = 0; i < total; i++) { /* in place: overwrites corners that were read already */
    const float corner[2] = {(float)self->corners[i].x, (float)self->corners[i].y};
    memcpy((char *)self->corners + i * sizeof corner, corner, sizeof corner);
  }
  return (int32_t)total;
}

/* Writes to the staging buffer the lines to draw, like cells(). */
EXPORT("walls_lines") int32_t walls_lines(int32_t handle, uint32_t skipped) {
  copse_status status;
  walls *self = built_walls_of(handle, &status);
  if (!self) return FAILED(status);
  return (int32_t)copse_obstacle_lines(self->core, skipped, staged.bytes, MAX_DRAWN);
}
