/* The functions of Quadtree and Octree that JavaScript calls. In 2D they ignore z. */

#include "boxes.h"

#include <string.h>

#define BOXES_VIEWS(VIEW)                                                                          \
  VIEW(groups, u, copse_octree_groups(self->core))                                                 \
  VIEW(ids, u, self->results.ids)                                                                  \
  VIEW(distances2, f, self->results.distances2)                                                    \
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
  VIEW(boxes, f, copse_octree_boxes(self->core))                                                   \
  VIEW(generations, u, copse_octree_generations(self->core))                                       \
  VIEW(hit, f, &self->hit.fraction) /* fraction, then the normal */                                \
  VIEW(perDepth, u, self->perDepth) /* updated by stats() */

static uintptr_t boxes_view(object *base, uint32_t which) {
  boxes *self = (boxes *)base;
  const uintptr_t places[] = {BOXES_VIEWS(VIEW_PLACE)};
  return which < sizeof places / sizeof *places ? places[which] : 0;
}

#define BOXES_FIGURES(FIGURE)                                                                      \
  FIGURE(items, stats.items)                                                                       \
  FIGURE(changes, stats.changes)                                                                   \
  FIGURE(nodes, stats.nodes)                                                                       \
  FIGURE(leaves, stats.leaves)                                                                     \
  FIGURE(depth, stats.depth)                                                                       \
  FIGURE(bytes, stats.bytes + (size_t)object_bytes(base))                                          \
  FIGURE(visits, self->results.visits)                                                             \
  FIGURE(straddlers, stats.straddlers)                                                             \
  FIGURE(outside, stats.outside)                                                                   \
  FIGURE(unsplit, stats.unsplit)

static void boxes_figures(object *base, double *numbers) {
  boxes *self = (boxes *)base;
  const copse_octree_statistics stats = copse_octree_stats(self->core);
  const double figures[] = {BOXES_FIGURES(FIGURE_VALUE)};
  memcpy(numbers, figures, sizeof figures);
  memcpy(self->perDepth, stats.perDepth, sizeof self->perDepth);
}

static void boxes_carve(object *base, arena *block) {
  boxes *self = (boxes *)base;
  self->results.capacity = base->capacity;
  self->results.ids = arena_carve(block, base->capacity, 4);
  self->results.distances2 = arena_carve(block, base->capacity, 4);
}

static void boxes_fill(object *larger, const object *old) {
  (void)larger;
  (void)old;
}

static copse_octree *boxes_core(const object *base) { return ((const boxes *)base)->core; }

static void boxes_destroy(object *base) { copse_octree_destroy(boxes_core(base)); }
static copse_status boxes_reserve(object *base, uint32_t capacity) {
  return copse_octree_reserve(boxes_core(base), capacity);
}
static copse_status boxes_save(object *base, void *bytes, size_t capacity, size_t *total) {
  return copse_octree_save(boxes_core(base), bytes, capacity, total);
}
static copse_status boxes_restore(object *base, const void *bytes, size_t size, uint32_t *needed) {
  return copse_octree_restore(boxes_core(base), bytes, size, needed);
}
static size_t boxes_cells(object *base, size_t skipped, float *out, size_t capacity) {
  return copse_octree_cells(boxes_core(base), skipped, out, capacity);
}
static bool boxes_validate(object *base) { return copse_octree_validate(boxes_core(base)); }

static const family BOXES = {
    .bytes = sizeof(boxes),
    .views = BOXES_VIEWS(VIEW_TEXT),
    .figures = BOXES_FIGURES(FIGURE_TEXT),
    .view = boxes_view,
    .read_figures = boxes_figures,
    .carve = boxes_carve,
    .fill = boxes_fill,
    .destroy = boxes_destroy,
    .reserve = boxes_reserve,
    .save = boxes_save,
    .restore = boxes_restore,
    .cells = boxes_cells,
    .validate = boxes_validate,
};

/* Creates a quadtree or octree. The default is used for a capacity of 0, a negative leafSize or
 * maxDepth, and a looseness of 0 or less. */
EXPORT("octree_create")
int32_t octree_create(uint32_t dimensions, uint32_t capacity, int32_t leafSize, int32_t maxDepth,
                      float looseness, float minX, float minY, float minZ, float maxX, float maxY,
                      float maxZ) {
  copse_octree_def def = copse_octree_default();
  def.allocator = objectMemory;
  const float bounds[6] = {minX, minY, minZ, maxX, maxY, maxZ};
  def.dimensions = dimensions;
  if (capacity) def.capacity = capacity;
  if (leafSize >= 0) def.leafSize = (uint32_t)leafSize;
  if (maxDepth >= 0) def.maxDepth = (uint32_t)maxDepth;
  if (looseness > 0) def.looseness = looseness;
  for (uint32_t i = 0; i < 2 * dimensions && i < 6; i++)
    def.bounds[i] = bounds[i < dimensions ? i : 3 + i - dimensions];
  boxes prototype = {.object = {.family = &BOXES, .capacity = def.capacity}};
  return object_create(&prototype.object, copse_octree_create(&def, &prototype.core));
}

boxes *boxes_of(int32_t handle) { return (boxes *)object_of(handle, &BOXES); }

/* ---- Add, move and remove items ---- */

EXPORT("boxes_count") int32_t boxes_count(int32_t handle) {
  const boxes *self = boxes_of(handle);
  return self ? (int32_t)copse_octree_count(self->core) : FAILED(COPSE_STALE_SLOT);
}

EXPORT("boxes_slots") int32_t boxes_slots(int32_t handle) {
  const boxes *self = boxes_of(handle);
  return self ? (int32_t)copse_octree_slots(self->core) : FAILED(COPSE_STALE_SLOT);
}

typedef struct box {
  float sides[6];
} box;

static box box_of(const boxes *self, float minX, float minY, float minZ, float maxX, float maxY,
                  float maxZ) {
  return copse_octree_dimensions(self->core) == 3 ? (box){{minX, minY, minZ, maxX, maxY, maxZ}}
                                                  : (box){{minX, minY, maxX, maxY, 0, 0}};
}

/* Returns the slot of the new item. */
EXPORT("boxes_add")
int32_t boxes_add(int32_t handle, float minX, float minY, float minZ, float maxX, float maxY,
                  float maxZ) {
  boxes *self = boxes_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const box item = box_of(self, minX, minY, minZ, maxX, maxY, maxZ);
  uint32_t slot;
  const copse_status status = copse_octree_add(self->core, item.sides, &slot);
  return result_or_failed(slot, status);
}

EXPORT("boxes_add_at")
int32_t boxes_add_at(int32_t handle, uint32_t slot, float minX, float minY, float minZ, float maxX,
                     float maxY, float maxZ) {
  boxes *self = boxes_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const box item = box_of(self, minX, minY, minZ, maxX, maxY, maxZ);
  return zero_or_failed(copse_octree_add_at(self->core, slot, item.sides));
}

EXPORT("boxes_move")
int32_t boxes_move(int32_t handle, uint32_t slot, float minX, float minY, float minZ, float maxX,
                   float maxY, float maxZ) {
  boxes *self = boxes_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const box item = box_of(self, minX, minY, minZ, maxX, maxY, maxZ);
  return zero_or_failed(copse_octree_move(self->core, slot, item.sides));
}

EXPORT("boxes_remove") int32_t boxes_remove(int32_t handle, uint32_t slot) {
  boxes *self = boxes_of(handle);
  return zero_or_failed(self ? copse_octree_remove(self->core, slot) : COPSE_STALE_SLOT);
}

EXPORT("boxes_clear") int32_t boxes_clear(int32_t handle) {
  boxes *self = boxes_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  copse_octree_clear(self->core);
  return 0;
}

EXPORT("boxes_move_all") int32_t boxes_move_all(int32_t handle) {
  boxes *self = boxes_of(handle);
  return zero_or_failed(self ? copse_octree_move_all(self->core, &firstBad) : COPSE_STALE_SLOT);
}

EXPORT("boxes_load") int32_t boxes_load(int32_t handle, uint32_t count) {
  boxes *self = boxes_of(handle);
  return zero_or_failed(self ? copse_octree_load(self->core, count, &firstBad) : COPSE_STALE_SLOT);
}

/* ---- Queries: each returns the number of results, or an id ---- */

EXPORT("boxes_within")
int32_t boxes_within(int32_t handle, float x, float y, float z, float radius, uint32_t mask,
                     uint32_t exclude, uint32_t sort) {
  boxes *self = boxes_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const copse_query query = query_of(mask, exclude, sort);
  const copse_status status =
      copse_octree_within(self->core, (float[]){x, y, z}, radius, &query, &self->results);
  return result_or_failed(self->results.total, status);
}

EXPORT("boxes_range")
int32_t boxes_range(int32_t handle, float minX, float minY, float minZ, float maxX, float maxY,
                    float maxZ, uint32_t mask, uint32_t exclude, uint32_t sort) {
  boxes *self = boxes_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const copse_query query = query_of(mask, exclude, sort);
  const copse_status status = copse_octree_range(
      self->core, (float[]){minX, minY, minZ}, (float[]){maxX, maxY, maxZ}, &query, &self->results);
  return result_or_failed(self->results.total, status);
}

EXPORT("boxes_neighbors")
int32_t boxes_neighbors(int32_t handle, float x, float y, float z, uint32_t k, float maxDistance,
                        uint32_t mask, uint32_t exclude) {
  boxes *self = boxes_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  query.maxDistance = maxDistance;
  const copse_status status =
      copse_octree_neighbors(self->core, (float[]){x, y, z}, k, &query, &self->results);
  return result_or_failed(self->results.total, status);
}

EXPORT("boxes_nearest")
int32_t boxes_nearest(int32_t handle, float x, float y, float z, float maxDistance, uint32_t mask,
                      uint32_t exclude) {
  boxes *self = boxes_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  query.maxDistance = maxDistance;
  uint32_t id;
  const copse_status status = copse_octree_nearest(self->core, (float[]){x, y, z}, &query, &id,
                                                   NULL, &self->results.visits);
  return result_or_failed(id, status);
}

EXPORT("boxes_count_within")
int32_t boxes_count_within(int32_t handle, float x, float y, float z, float radius, uint32_t mask,
                           uint32_t exclude) {
  boxes *self = boxes_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  uint32_t total;
  const copse_status status = copse_octree_count_within(self->core, (float[]){x, y, z}, radius,
                                                        &query, &total, &self->results.visits);
  return result_or_failed(total, status);
}

EXPORT("boxes_count_range")
int32_t boxes_count_range(int32_t handle, float minX, float minY, float minZ, float maxX,
                          float maxY, float maxZ, uint32_t mask, uint32_t exclude) {
  boxes *self = boxes_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  uint32_t total;
  const copse_status status =
      copse_octree_count_range(self->core, (float[]){minX, minY, minZ}, (float[]){maxX, maxY, maxZ},
                               &query, &total, &self->results.visits);
  return result_or_failed(total, status);
}

EXPORT("boxes_any_within")
int32_t boxes_any_within(int32_t handle, float x, float y, float z, float radius, uint32_t mask,
                         uint32_t exclude) {
  boxes *self = boxes_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  bool any;
  const copse_status status = copse_octree_any_within(self->core, (float[]){x, y, z}, radius,
                                                      &query, &any, &self->results.visits);
  return result_or_failed(any, status);
}

EXPORT("boxes_pairs") double boxes_pairs(int32_t handle, uint32_t mask) {
  boxes *self = boxes_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const copse_query query = query_of(mask, COPSE_NONE, COPSE_SORT_NONE);
  copse_results results;
  copse_status status;
  do {
    results = ids_room(&self->object);
    status = copse_octree_pairs(self->core, &query, &results);
  } while (room_for_all(&self->object, results.total, &status));
  return total_or_failed(results.total, status);
}

/* Returns the id of the first item that is hit, or -1. The fraction and the normal are then in the
 * view `hit`. */
EXPORT("boxes_raycast")
int32_t boxes_raycast(int32_t handle, float x0, float y0, float z0, float x1, float y1, float z1,
                      float inflate, uint32_t mask, uint32_t exclude) {
  boxes *self = boxes_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  const copse_query query = ray_query_of(mask, exclude, inflate);
  const copse_status status =
      copse_octree_raycast(self->core, (float[]){x0, y0, z0}, (float[]){x1, y1, z1}, &query,
                           &self->hit, &self->results.visits);
  return result_or_failed(self->hit.id, status);
}

/* ---- Batches ---- */

/* Begins a batch, see batch_begin. Sets *status. Returns NULL on failure. */
static boxes *box_batch_of(int32_t handle, room which, uint32_t rows, given given,
                           copse_status *status) {
  boxes *self = boxes_of(handle);
  *status =
      self ? batch_begin(&self->object, which, rows, given, copse_octree_dimensions(self->core))
           : COPSE_STALE_SLOT;
  return *status == COPSE_OK ? self : NULL;
}

/* Finds the items within *radius of each of the n points in ROOM_GIVEN or, if `radius` is NULL, the
 * items in each of the n boxes there. Writes a row of ids for each. Returns the total number of
 * ids. */
static double box_rows_of_given(int32_t handle, uint32_t n, const float *radius, uint32_t mask,
                                uint32_t exclude) {
  copse_status status;
  boxes *self = box_batch_of(handle, ROOM_ROWS, n, radius ? GIVEN_POINT : GIVEN_BOX, &status);
  if (!self) return FAILED(status);
  const copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  const float *items = self->object.rooms[ROOM_GIVEN];
  copse_rows rows;
  do {
    rows = rows_room(&self->object);
    status = radius ? copse_octree_within_many(self->core, items, n, *radius, &query, &rows)
                    : copse_octree_range_many(self->core, items, n, &query, &rows);
  } while (room_for_all(&self->object, rows.total, &status));
  return total_or_failed(rows.total, status);
}

EXPORT("boxes_within_many")
double boxes_within_many(int32_t handle, uint32_t n, float radius, uint32_t mask,
                         uint32_t exclude) {
  return box_rows_of_given(handle, n, &radius, mask, exclude);
}

EXPORT("boxes_range_many")
double boxes_range_many(int32_t handle, uint32_t n, uint32_t mask, uint32_t exclude) {
  return box_rows_of_given(handle, n, NULL, mask, exclude);
}

EXPORT("boxes_neighbors_many")
int32_t boxes_neighbors_many(int32_t handle, uint32_t n, uint32_t k, float maxDistance,
                             uint32_t mask, uint32_t exclude) {
  copse_status status;
  copse_neighbor_rows rows;
  boxes *self = box_batch_of(handle, ROOM_NEIGHBOR_COUNTS, n, GIVEN_POINT, &status);
  if (!self) return FAILED(status);
  if (!neighbors_room(&self->object, n, k, &rows)) return FAILED(COPSE_OUT_OF_MEMORY);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  query.maxDistance = maxDistance;
  return zero_or_failed(
      copse_octree_neighbors_many(self->core, self->object.rooms[ROOM_GIVEN], n, k, &query, &rows));
}

/* Casts n segments. `lists` says which filters, such as masks, differ by segment: see
 * filters_given. */
EXPORT("boxes_raycast_many")
int32_t boxes_raycast_many(int32_t handle, uint32_t n, float inflate, uint32_t mask,
                           uint32_t exclude, uint32_t lists) {
  copse_status status;
  copse_segment_filters filters;
  boxes *self = box_batch_of(handle, ROOM_HITS, n, GIVEN_SEGMENT, &status);
  if (!self) return FAILED(status);
  if (!filters_given(&self->object, n, copse_octree_dimensions(self->core), lists, &filters))
    return FAILED(COPSE_INVALID_ARGUMENT);
  const copse_query query = ray_query_of(mask, exclude, inflate);
  return zero_or_failed(copse_octree_raycast_many(
      self->core, self->object.rooms[ROOM_GIVEN], n, &query, &filters,
      room_words(&self->object, ROOM_HITS), (float *)room_second(&self->object, ROOM_HITS)));
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
