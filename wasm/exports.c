/* The flat ABI that JavaScript calls: handles and offsets, no pointer from outside.
 *
 * A function answers with an int32: a result of 0 or more, -1 for nobody, or an error far below
 * (FAILED). Memory safety does not rest on JavaScript: handles are checked here, and arguments by
 * the C API. */

#include "../c/snapshot.h"
#include "index.h"

#include <math.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name), visibility("default")))

#define FAILED(status) (INT32_MIN + (int32_t)(status))

static const copse_allocator MALLOC = {0};

/* ---- Objects: a handle is a slot and the low bits of its generation -------------------------- */

typedef struct object {
  index index;
  copse_results results; /* room for a single query that finds every item */

  /* Batches: what goes in, and room for what comes out. Pages that nobody touches cost nothing. */
  uint32_t *masks;
  float *pairRadii, *points; /* and segments */
  copse_rows rows;
  copse_neighbor_rows neighbors;
  uint32_t k; /* the most neighbors a row */

  /* Rays: the radii that the game writes, as the last build found them, and the greatest. */
  float *radii, *builtRadii, greatest;
  uint32_t *hitIds;
  float *hitFractions;

  copse_corner *corners; /* room for what can be seen among walls */
#if WITH_CROWDS
  copse_crowd_view *look;   /* at an agent */
  copse_crowd_agent *added; /* what add takes */
#endif

  void *block; /* holds all of these arrays */
  uint64_t blockBytes;
} object;

static slots allSlots;
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
  const uint64_t itemBytes = sizeof(object) + 2 * sizeof(uint32_t); /* with its bits of slots */
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

#if WITH_WALLS
/* The corners that copse.h asks for so many walls. */
static uint64_t corner_capacity(uint64_t walls) { return 4 * walls + 20; }
#endif

/* Points the arrays into a block, or measures that block: those that its family has. */
static uint64_t carve(object *at, uint64_t capacity, void *block) {
  arena all = arena_over(block);
  const uint64_t found = IS_OF_CROWDS(at->index) ? 0 : capacity;
  at->results.capacity = (uint32_t)capacity;
  at->results.ids = arena_carve(&all, found, 4);
  at->results.distances2 = arena_carve(&all, found, 4);
#if WITH_CROWDS
  if (IS_OF_CROWDS(at->index)) {
    at->look = arena_carve(&all, 1, sizeof *at->look);
    at->added = arena_carve(&all, 1, sizeof *at->added);
  }
#endif
#if WITH_WALLS
  if (IS_OF_WALLS(at->index)) {
    at->points = arena_carve(&all, capacity * 4, 4);
    at->corners = arena_carve(&all, corner_capacity(capacity), sizeof *at->corners);
  }
#endif
#if WITH_AGENTS
  const uint64_t agents = IS_OF_AGENTS(at->index) ? capacity : 0; /* boxes are asked one by one */
  const uint64_t neighbors = agents * at->k;
  at->masks = arena_carve(&all, agents, 4);
  at->pairRadii = arena_carve(&all, agents, 4);
  if (IS_OF_AGENTS(at->index))
    at->points = arena_carve(&all, agents * 2 * index_dimensions(at->index), 4);
  at->rows.offsets = arena_carve(&all, agents, 4);
  at->rows.counts = arena_carve(&all, agents, 4);
  at->neighbors.counts = arena_carve(&all, agents, 4);
  at->neighbors.ids = arena_carve(&all, neighbors, 4);
  at->neighbors.distances2 = arena_carve(&all, neighbors, 4);
  at->radii = arena_carve(&all, agents, 4);
  at->builtRadii = arena_carve(&all, agents, 4);
#endif
  at->rows.ids = arena_carve(&all, at->rows.capacity, 4);
  at->hitIds = arena_carve(&all, found, 4);
  at->hitFractions = arena_carve(&all, found, 4);
  return arena_block_bytes(all.used);
}

/* The object with its arrays in a block for this capacity; masks and radii are those of `at`. */
static copse_status take_block(const object *at, uint32_t capacity, uint32_t resultCapacity,
                               object *larger) {
  *larger = *at;
  larger->rows.capacity = resultCapacity;
  larger->blockBytes = carve(larger, capacity, NULL);
  larger->block = memory_take(&MALLOC, larger->blockBytes);
  if (!larger->block) return COPSE_OUT_OF_MEMORY;
  carve(larger, capacity, larger->block);
  if (!IS_OF_AGENTS(at->index)) return COPSE_OK;
  const uint32_t old = at->block ? at->results.capacity : 0;
  for (uint32_t slot = 0; slot < capacity; slot++) {
    const bool isKept = slot < old;
    larger->masks[slot] = isKept ? at->masks[slot] : COPSE_ALL_GROUPS;
    larger->radii[slot] = isKept ? at->radii[slot] : 0;
    larger->builtRadii[slot] = isKept ? at->builtRadii[slot] : 0;
  }
  return COPSE_OK;
}

/* A handle for a new index with its arrays; destroys the index when there is no room for them. */
static int32_t adopt(index made, uint32_t capacity, uint32_t resultCapacity, uint32_t k) {
  const object bare = {.index = made, .k = k};
  object whole = {0};
  copse_status status = COPSE_OK;
  if (allSlots.used == allSlots.capacity) status = grow_table();
  if (status == COPSE_OK) status = take_block(&bare, capacity, resultCapacity, &whole);
  if (status != COPSE_OK) {
    index_destroy(made);
    return FAILED(status);
  }
  uint32_t slot = slots_take(&allSlots);
  objects[slot] = whole;
  return handle_of(slot);
}

#if WITH_AGENTS
/* Not EXPORT: a core is linked with the creators of its kinds, see CLASS_CORES in the Makefile. */
int32_t agenttree_create(uint32_t dimensions, uint32_t capacity, uint32_t leafSize, uint32_t axis,
                         uint32_t split, uint32_t layout, uint32_t onNonFinite,
                         uint32_t resultCapacity, uint32_t k) {
  copse_agenttree_def def = copse_agenttree_default();
  def.dimensions = dimensions;
  def.capacity = capacity;
  if (leafSize) def.leafSize = leafSize; /* 0: the default */
  def.axis = (copse_axis)axis;
  def.split = (copse_split)split;
  def.layout = (copse_layout)layout;
  def.onNonFinite = (copse_on_non_finite)onNonFinite;
  index made = {0};
  copse_status status = copse_agenttree_create(&def, &made.agenttree);
  return status == COPSE_OK ? adopt(made, capacity, resultCapacity, k) : FAILED(status);
}

int32_t grid_create(uint32_t dimensions, uint32_t capacity, float cellSize, uint32_t layout,
                    uint32_t onNonFinite, uint32_t resultCapacity, uint32_t k) {
  copse_grid_def def = copse_grid_default();
  def.dimensions = dimensions;
  def.capacity = capacity;
  def.cellSize = cellSize;
  def.layout = (copse_layout)layout;
  def.onNonFinite = (copse_on_non_finite)onNonFinite;
  index made = {0};
  copse_status status = copse_grid_create(&def, &made.grid);
  return status == COPSE_OK ? adopt(made, capacity, resultCapacity, k) : FAILED(status);
}

int32_t kdtree_create(uint32_t dimensions, uint32_t capacity, uint32_t builder, uint32_t layout,
                      uint32_t onNonFinite, uint32_t resultCapacity, uint32_t k) {
  copse_kdtree_def def = copse_kdtree_default();
  def.dimensions = dimensions;
  def.capacity = capacity;
  def.builder = (copse_builder)builder;
  def.layout = (copse_layout)layout;
  def.onNonFinite = (copse_on_non_finite)onNonFinite;
  index made = {0};
  copse_status status = copse_kdtree_create(&def, &made.kdtree);
  return status == COPSE_OK ? adopt(made, capacity, resultCapacity, k) : FAILED(status);
}
#endif

#if WITH_BOXES
int32_t octree_create(uint32_t dimensions, uint32_t capacity, int32_t leafSize, int32_t maxDepth,
                      float looseness, uint32_t resultCapacity, float minX, float minY, float minZ,
                      float maxX, float maxY, float maxZ) {
  copse_octree_def def = copse_octree_default();
  const float bounds[6] = {minX, minY, minZ, maxX, maxY, maxZ};
  def.dimensions = dimensions;
  def.capacity = capacity;
  if (leafSize >= 0) def.leafSize = (uint32_t)leafSize; /* negative: the default */
  if (maxDepth >= 0) def.maxDepth = (uint32_t)maxDepth;
  if (looseness > 0) def.looseness = looseness;
  for (uint32_t i = 0; i < 2 * dimensions && i < 6; i++)
    def.bounds[i] = bounds[i < dimensions ? i : 3 + i - dimensions];
  index made = {0};
  copse_status status = copse_octree_create(&def, &made.octree);
  return status == COPSE_OK ? adopt(made, capacity, resultCapacity, 0) : FAILED(status);
}
#endif

#if WITH_WALLS
int32_t obstacle_create(uint32_t capacity, uint32_t pieces, uint32_t leafSize) {
  copse_obstacle_def def = copse_obstacle_default();
  def.capacity = capacity;
  def.pieces = pieces;
  if (leafSize) def.leafSize = leafSize; /* 0: the default */
  index made = {0};
  copse_status status = copse_obstacle_create(&def, &made.obstacle);
  return status == COPSE_OK ? adopt(made, capacity, 0, 0) : FAILED(status);
}
#endif

#if WITH_CROWDS
int32_t crowd_create(uint32_t dimensions, uint32_t capacity, uint32_t maxNeighbors,
                     uint32_t exact) {
  copse_crowd_def def = copse_crowd_default();
  def.dimensions = dimensions;
  def.capacity = capacity;
  def.maxNeighbors = maxNeighbors;
  def.exact = exact;
  index made = {0};
  copse_status status = copse_crowd_create(&def, &made.crowd);
  return status == COPSE_OK ? adopt(made, capacity, 0, 0) : FAILED(status);
}
#endif

EXPORT("destroy") int32_t destroy(int32_t handle) {
  object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  index_destroy(at->index);
  memory_give(&MALLOC, at->block, at->blockBytes);
  slots_free(&allSlots, (uint32_t)(at - objects));
  return 0;
}

EXPORT("reserve") int32_t reserve(int32_t handle, uint32_t capacity, uint32_t resultCapacity) {
  object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
#ifdef COPSE_TEST_TRAP
  if (capacity == COPSE_TEST_TRAP) __builtin_trap();
#endif
  if (capacity <= at->results.capacity) return 0;
  object larger;
  copse_status status = take_block(at, capacity, resultCapacity, &larger);
  if (status != COPSE_OK) return FAILED(status);
  status = index_reserve(at->index, capacity);
  object *unused = status == COPSE_OK ? at : &larger;
  memory_give(&MALLOC, unused->block, unused->blockBytes);
  if (status != COPSE_OK) return FAILED(status);
  *at = larger;
  return 0;
}

/* ---- Where things lie: byte offsets for JavaScript's views; 0 for what is not there ---------- */

typedef enum view {
  VIEW_X,
  VIEW_Y,
  VIEW_Z,
  VIEW_GROUPS,
  VIEW_IDS,
  VIEW_DISTANCES2,
  VIEW_MASKS,
  VIEW_PAIR_RADII,
  VIEW_POINTS,
  VIEW_ROW_OFFSETS,
  VIEW_ROW_COUNTS,
  VIEW_ROW_IDS,
  VIEW_NEIGHBOR_COUNTS,
  VIEW_NEIGHBOR_IDS,
  VIEW_NEIGHBOR_DISTANCES2,
  VIEW_RADII,
  VIEW_HIT_IDS,
  VIEW_HIT_FRACTIONS,
  VIEW_BOXES,
  VIEW_GENERATIONS,
  VIEW_BOX_HIT, /* fraction and normal */
  VIEW_VERTICES,
  VIEW_NEXT,
  VIEW_POLYGONS,
  VIEW_WALL_FOUND, /* squared distance and point, or fraction, point and normal */
  VIEW_CORNERS,
  VIEW_ORDER,
} view;

#if WITH_AGENTS
static uintptr_t order_of(const object *at) {
  uint32_t count;
  return IS_OF_AGENTS(at->index) ? (uintptr_t)index_order(at->index, &count) : 0;
}
#endif

#if WITH_CROWDS
/* Crowds have none of these: theirs are those of copse_crowd_arrays, in that order, and after them
 * the counts of what was looked at, its neighbors, walls and constraints, and the agent that is
 * added. */
static uintptr_t view_of_crowd(const object *at, uint32_t which) {
  const copse_crowd_arrays arrays = copse_crowd_get(at->index.crowd);
  uintptr_t views[sizeof arrays / sizeof(uintptr_t) + 5];
  const uint32_t count = sizeof views / sizeof *views;
  memcpy(views, &arrays, sizeof arrays);
  views[count - 5] = (uintptr_t)at->look;
  views[count - 4] = (uintptr_t)at->look->neighbors;
  views[count - 3] = (uintptr_t)at->look->walls;
  views[count - 2] = (uintptr_t)at->look->constraints;
  views[count - 1] = (uintptr_t)at->added;
  return which < count ? views[which] : 0;
}
#endif

#if WITH_BOXES
static copse_box_hit boxHit; /* of the last ray */
#endif

#if WITH_WALLS
/* By the last nearest or raycast: either begins with the edge. */
static union {
  copse_wall nearest;
  copse_wall_hit hit;
} wallFound;
#endif

#if WITH_BOXES || WITH_WALLS
static uintptr_t generations_of(const object *at) {
#if WITH_BOXES
  if (IS_OF_BOXES(at->index)) return (uintptr_t)copse_octree_generations(at->index.octree);
#endif
#if WITH_WALLS
  if (IS_OF_WALLS(at->index)) return (uintptr_t)copse_obstacle_generations(at->index.obstacle);
#endif
  return 0;
}
#endif

EXPORT("view_of") uintptr_t view_of(int32_t handle, uint32_t which) {
  object *at = object_of(handle);
  if (!at) return 0;
#if WITH_CROWDS
  if (IS_OF_CROWDS(at->index)) return view_of_crowd(at, which);
#endif
  switch ((view)which) {
#if WITH_AGENTS
  case VIEW_X:
  case VIEW_Y:
  case VIEW_Z:
    return IS_OF_AGENTS(at->index) ? (uintptr_t)index_positions(at->index).axes[which] : 0;
  case VIEW_ORDER:
    return order_of(at);
#endif
#if WITH_ITEMS
  case VIEW_GROUPS:
    return IS_OF_WALLS(at->index) ? 0 : (uintptr_t)index_groups(at->index);
#endif
#if WITH_BOXES
  case VIEW_BOXES:
    return IS_OF_BOXES(at->index) ? (uintptr_t)copse_octree_boxes(at->index.octree) : 0;
  case VIEW_BOX_HIT:
    return (uintptr_t)&boxHit.fraction;
#endif
#if WITH_WALLS
  case VIEW_VERTICES:
    return IS_OF_WALLS(at->index) ? (uintptr_t)copse_obstacle_vertices(at->index.obstacle) : 0;
  case VIEW_NEXT:
    return IS_OF_WALLS(at->index) ? (uintptr_t)copse_obstacle_next(at->index.obstacle) : 0;
  case VIEW_POLYGONS:
    return IS_OF_WALLS(at->index) ? (uintptr_t)copse_obstacle_polygons(at->index.obstacle) : 0;
  case VIEW_WALL_FOUND:
    return (uintptr_t)&wallFound.nearest.distance2;
  case VIEW_CORNERS:
    return (uintptr_t)at->corners;
#endif
#if WITH_BOXES || WITH_WALLS
  case VIEW_GENERATIONS:
    return generations_of(at);
#endif
  case VIEW_IDS:
    return (uintptr_t)at->results.ids;
  case VIEW_DISTANCES2:
    return (uintptr_t)at->results.distances2;
  case VIEW_MASKS:
    return (uintptr_t)at->masks;
  case VIEW_PAIR_RADII:
    return (uintptr_t)at->pairRadii;
  case VIEW_POINTS:
    return (uintptr_t)at->points;
  case VIEW_ROW_OFFSETS:
    return (uintptr_t)at->rows.offsets;
  case VIEW_ROW_COUNTS:
    return (uintptr_t)at->rows.counts;
  case VIEW_ROW_IDS:
    return (uintptr_t)at->rows.ids;
  case VIEW_NEIGHBOR_COUNTS:
    return (uintptr_t)at->neighbors.counts;
  case VIEW_NEIGHBOR_IDS:
    return (uintptr_t)at->neighbors.ids;
  case VIEW_NEIGHBOR_DISTANCES2:
    return (uintptr_t)at->neighbors.distances2;
  case VIEW_RADII:
    return (uintptr_t)at->radii;
  case VIEW_HIT_IDS:
    return (uintptr_t)at->hitIds;
  case VIEW_HIT_FRACTIONS:
    return (uintptr_t)at->hitFractions;
  default:
    return 0;
  }
}

/* ---- Staging: bytes on their way in or out -------------------------------------------------- */

/* What is small, and what goes through in pieces. */
static uint32_t piece[8192];

/* A larger buffer, for snapshots and long polygons; it grows and is never given back. */
static struct {
  void *bytes;
  uint32_t size;
} staging = {piece, sizeof piece};

/* Returns room for so many bytes, or NULL if there is no memory. Call it only for what will not be
 * refused: it may grow the memory. */
static void *staged(uint32_t size) {
  if (size > staging.size) {
    void *larger = memory_take(&MALLOC, size);
    if (!larger) return NULL;
    if (staging.bytes != piece) memory_give(&MALLOC, staging.bytes, staging.size);
    staging.bytes = larger;
    staging.size = size;
  }
  return staging.bytes;
}

EXPORT("stage") uintptr_t stage(uint32_t size) { return (uintptr_t)staged(size); }

/* Returns how many bytes can be staged without more memory. */
EXPORT("staging_room") uint32_t staging_room(void) { return staging.size; }

/* The floats of cells and lines that go through at once: a multiple of the 5 of a line and of the 6
 * or 8 of a cell. */
enum { DRAWN = 8160 };

#if WITH_ITEMS || WITH_WALLS
/* Returns how many of all floats were staged behind those that were skipped. */
static int32_t drawn(size_t floats, uint32_t skipped) {
  const size_t left = floats > skipped ? floats - skipped : 0;
  return (int32_t)(left < DRAWN ? left : DRAWN);
}
#endif

EXPORT("count_of") int32_t count_of(int32_t handle) {
  object *at = object_of(handle);
  return at ? (int32_t)index_count(at->index) : FAILED(COPSE_STALE_HANDLE);
}

static uint32_t firstBad;

/* The slot that the last build or snapshot refused. */
EXPORT("first_bad") uint32_t first_bad(void) { return firstBad; }

#if WITH_AGENTS || WITH_WALLS
/* The answer to a number that there is no room for, or to a handle of no such object. */
static int32_t refused(const object *at) {
  return FAILED(at ? COPSE_INVALID_ARGUMENT : COPSE_STALE_HANDLE);
}
#endif

static int32_t total_or_failure(const object *at, copse_status status) {
  return status == COPSE_OK ? (int32_t)at->results.total : FAILED(status);
}

/* ---- Queries: 2D indexes ignore z ----------------------------------------------------------- */

#if WITH_ITEMS
static object *items_of(int32_t handle) {
  object *at = object_of(handle);
  return at && (IS_OF_BOXES(at->index) || IS_OF_AGENTS(at->index)) ? at : NULL;
}

static copse_query query_of(uint32_t mask, uint32_t exclude, uint32_t sort) {
  copse_query query = copse_query_default();
  query.mask = mask;
  query.exclude = exclude;
  query.sort = (copse_sort)sort;
  return query;
}

EXPORT("within")
int32_t within(int32_t handle, float x, float y, float z, float radius, uint32_t mask,
               uint32_t exclude, uint32_t sort) {
  object *at = items_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, exclude, sort);
  return total_or_failure(
      at, index_within(at->index, (float[]){x, y, z}, radius, &query, &at->results));
}

EXPORT("range")
int32_t range(int32_t handle, float minX, float minY, float minZ, float maxX, float maxY,
              float maxZ, uint32_t mask, uint32_t exclude, uint32_t sort) {
  object *at = items_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, exclude, sort);
  return total_or_failure(at, index_range(at->index, (float[]){minX, minY, minZ},
                                          (float[]){maxX, maxY, maxZ}, &query, &at->results));
}

EXPORT("neighbors")
int32_t neighbors(int32_t handle, float x, float y, float z, uint32_t k, float maxDistance,
                  uint32_t mask, uint32_t exclude) {
  object *at = items_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  query.maxDistance = maxDistance;
  return total_or_failure(at,
                          index_neighbors(at->index, (float[]){x, y, z}, k, &query, &at->results));
}

EXPORT("nearest")
int32_t nearest(int32_t handle, float x, float y, float z, float maxDistance, uint32_t mask,
                uint32_t exclude) {
  object *at = items_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  query.maxDistance = maxDistance;
  uint32_t id;
  copse_status status =
      index_nearest(at->index, (float[]){x, y, z}, &query, &id, &at->results.visits);
  return status == COPSE_OK ? (int32_t)id : FAILED(status);
}

EXPORT("count_within")
int32_t count_within(int32_t handle, float x, float y, float z, float radius, uint32_t mask,
                     uint32_t exclude) {
  object *at = items_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  return total_or_failure(at, index_count_within(at->index, (float[]){x, y, z}, radius, &query,
                                                 &at->results.total, &at->results.visits));
}

EXPORT("any_within")
int32_t any_within(int32_t handle, float x, float y, float z, float radius, uint32_t mask,
                   uint32_t exclude) {
  object *at = items_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  bool any;
  copse_status status =
      index_any_within(at->index, (float[]){x, y, z}, radius, &query, &any, &at->results.visits);
  return status == COPSE_OK ? any : FAILED(status);
}

/* The answer of a batch: a number of ids, which may exceed an int32. */
static double total_or_failed(double total, copse_status status) {
  return status == COPSE_OK ? total : FAILED(status);
}
#endif

/* ---- Agents ------------------------------------------------------------------------------- */

#if WITH_AGENTS
static object *agents_of(int32_t handle) {
  object *at = object_of(handle);
  return at && IS_OF_AGENTS(at->index) ? at : NULL;
}

EXPORT("set_count") int32_t set_count(int32_t handle, uint32_t count) {
  object *at = agents_of(handle);
  copse_status status = at ? index_set_count(at->index, count) : COPSE_STALE_HANDLE;
  return status == COPSE_OK ? 0 : FAILED(status);
}

EXPORT("build") int32_t build(int32_t handle) {
  object *at = agents_of(handle);
  copse_status status = at ? index_build(at->index, &firstBad) : COPSE_STALE_HANDLE;
  return status == COPSE_OK ? 0 : FAILED(status);
}

EXPORT("cone")
int32_t cone(int32_t handle, float x, float y, float z, float dirX, float dirY, float dirZ,
             float halfAngle, float radius, uint32_t mask, uint32_t exclude, uint32_t sort) {
  object *at = agents_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, exclude, sort);
  return total_or_failure(at, index_cone(at->index, (float[]){x, y, z}, (float[]){dirX, dirY, dirZ},
                                         halfAngle, radius, &query, &at->results));
}

/* ---- Batches ------------------------------------------------------------------------------ */

EXPORT("all_within") double all_within(int32_t handle, float radius, uint32_t mask) {
  object *at = agents_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, COPSE_NONE, COPSE_SORT_NONE);
  copse_status status = index_all_within(at->index, radius, &query, at->masks, &at->rows);
  return total_or_failed(at->rows.total, status);
}

EXPORT("within_many")
double within_many(int32_t handle, uint32_t n, float radius, uint32_t mask, uint32_t exclude) {
  object *at = agents_of(handle);
  if (!at || n > at->results.capacity) return refused(at);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  copse_status status = index_within_many(at->index, at->points, n, radius, &query, &at->rows);
  return total_or_failed(at->rows.total, status);
}

EXPORT("all_neighbors")
int32_t all_neighbors(int32_t handle, uint32_t k, float maxDistance, uint32_t mask) {
  object *at = agents_of(handle);
  if (!at || k > at->k) return refused(at);
  copse_query query = query_of(mask, COPSE_NONE, COPSE_SORT_NONE);
  query.maxDistance = maxDistance;
  copse_status status = index_all_neighbors(at->index, k, &query, at->masks, &at->neighbors);
  return status == COPSE_OK ? 0 : FAILED(status);
}

EXPORT("nearest_many")
int32_t nearest_many(int32_t handle, uint32_t n, uint32_t k, float maxDistance, uint32_t mask,
                     uint32_t exclude) {
  object *at = agents_of(handle);
  if (!at || n > at->results.capacity || k > at->k) return refused(at);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  query.maxDistance = maxDistance;
  copse_status status = index_nearest_many(at->index, at->points, n, k, &query, &at->neighbors);
  return status == COPSE_OK ? 0 : FAILED(status);
}

EXPORT("pairs") double pairs(int32_t handle, float distance, uint32_t byRadii, uint32_t mask) {
  object *at = agents_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, COPSE_NONE, COPSE_SORT_NONE);
  copse_results results = {.ids = at->rows.ids, .capacity = at->rows.capacity};
  copse_status status =
      index_pairs(at->index, distance, byRadii ? at->pairRadii : NULL, &query, &results);
  return total_or_failed(results.total, status);
}

/* How many slots the last build had. */
EXPORT("built_of") int32_t built_of(int32_t handle) {
  object *at = agents_of(handle);
  return at ? (int32_t)index_built(at->index) : FAILED(COPSE_STALE_HANDLE);
}

/* Returns how many slots are at VIEW_ORDER, in tree order. */
EXPORT("order") int32_t order(int32_t handle) {
  object *at = agents_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  uint32_t count;
  index_order(at->index, &count);
  return (int32_t)count;
}

/* ---- Rays ---------------------------------------------------------------------------------- */

/* Takes the radii of the slots of the last build: from now on they count. */
EXPORT("take_radii") int32_t take_radii(int32_t handle) {
  object *at = agents_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  const uint32_t built = index_built(at->index);
  at->greatest = 0;
  for (uint32_t slot = 0; slot < built; slot++) {
    const float radius = at->radii[slot];
    at->builtRadii[slot] = radius;
    if (radius > at->greatest) at->greatest = radius;
  }
  return 0;
}

/* Answers with the id; the fraction lies at distances2. A negative radius: each agent has its own.
 */
EXPORT("raycast")
int32_t raycast(int32_t handle, float x0, float y0, float z0, float x1, float y1, float z1,
                float radius, uint32_t mask, uint32_t exclude) {
  object *at = agents_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  const bool own = radius < 0;
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  copse_hit hit;
  copse_status status = index_raycast(at->index, (float[]){x0, y0, z0}, (float[]){x1, y1, z1},
                                      own ? at->greatest : radius, own ? at->builtRadii : NULL,
                                      &query, &hit, &at->results.visits);
  at->results.distances2[0] = hit.fraction;
  return status == COPSE_OK ? (int32_t)hit.id : FAILED(status);
}

EXPORT("raycast_many")
int32_t raycast_many(int32_t handle, uint32_t n, float radius, uint32_t mask, uint32_t exclude) {
  object *at = agents_of(handle);
  if (!at || n > at->results.capacity) return refused(at);
  const bool own = radius < 0;
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  copse_status status =
      index_raycast_many(at->index, at->points, n, own ? at->greatest : radius,
                         own ? at->builtRadii : NULL, &query, at->hitIds, at->hitFractions);
  return status == COPSE_OK ? 0 : FAILED(status);
}
#endif

/* ---- Boxes, walls, and crowds: what goes ------------------------------------------------------
 */

#if WITH_BOXES || WITH_WALLS || WITH_CROWDS
static object *changed_of(int32_t handle) {
  object *at = object_of(handle);
  return at && !IS_OF_AGENTS(at->index) ? at : NULL;
}

EXPORT("remove") int32_t remove_item(int32_t handle, uint32_t slot) {
  object *at = changed_of(handle);
  copse_status status = at ? index_remove(at->index, slot) : COPSE_STALE_HANDLE;
  return status == COPSE_OK ? 0 : FAILED(status);
}

EXPORT("clear") int32_t clear(int32_t handle) {
  object *at = changed_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  index_clear(at->index);
  return 0;
}
#endif

/* ---- Boxes: in 2D, z is ignored ------------------------------------------------------------- */

#if WITH_BOXES
static object *boxes_of(int32_t handle) {
  object *at = object_of(handle);
  return at && IS_OF_BOXES(at->index) ? at : NULL;
}

typedef struct box {
  float sides[6];
} box;

static box box_of(const object *at, float minX, float minY, float minZ, float maxX, float maxY,
                  float maxZ) {
  return index_dimensions(at->index) == 3 ? (box){{minX, minY, minZ, maxX, maxY, maxZ}}
                                          : (box){{minX, minY, maxX, maxY, 0, 0}};
}

/* Answers with the slot. */
EXPORT("insert")
int32_t insert(int32_t handle, float minX, float minY, float minZ, float maxX, float maxY,
               float maxZ) {
  object *at = boxes_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  const box item = box_of(at, minX, minY, minZ, maxX, maxY, maxZ);
  uint32_t slot;
  copse_status status = copse_octree_insert(at->index.octree, item.sides, &slot);
  return status == COPSE_OK ? (int32_t)slot : FAILED(status);
}

EXPORT("insert_at")
int32_t insert_at(int32_t handle, uint32_t slot, float minX, float minY, float minZ, float maxX,
                  float maxY, float maxZ) {
  object *at = boxes_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  const box item = box_of(at, minX, minY, minZ, maxX, maxY, maxZ);
  copse_status status = copse_octree_insert_at(at->index.octree, slot, item.sides);
  return status == COPSE_OK ? 0 : FAILED(status);
}

EXPORT("move")
int32_t move(int32_t handle, uint32_t slot, float minX, float minY, float minZ, float maxX,
             float maxY, float maxZ) {
  object *at = boxes_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  const box item = box_of(at, minX, minY, minZ, maxX, maxY, maxZ);
  copse_status status = copse_octree_move(at->index.octree, slot, item.sides);
  return status == COPSE_OK ? 0 : FAILED(status);
}

EXPORT("move_all") int32_t move_all(int32_t handle) {
  object *at = boxes_of(handle);
  copse_status status =
      at ? copse_octree_move_all(at->index.octree, &firstBad) : COPSE_STALE_HANDLE;
  return status == COPSE_OK ? 0 : FAILED(status);
}

EXPORT("load") int32_t load(int32_t handle, uint32_t count) {
  object *at = boxes_of(handle);
  copse_status status =
      at ? copse_octree_load(at->index.octree, count, &firstBad) : COPSE_STALE_HANDLE;
  return status == COPSE_OK ? 0 : FAILED(status);
}

EXPORT("box_pairs") double box_pairs(int32_t handle, uint32_t mask) {
  object *at = boxes_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, COPSE_NONE, COPSE_SORT_NONE);
  copse_results results = {.ids = at->rows.ids, .capacity = at->rows.capacity};
  copse_status status = copse_octree_pairs(at->index.octree, &query, &results);
  return total_or_failed(results.total, status);
}

/* Answers with the id. */
EXPORT("box_raycast")
int32_t box_raycast(int32_t handle, float x0, float y0, float z0, float x1, float y1, float z1,
                    uint32_t mask, uint32_t exclude) {
  object *at = boxes_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  copse_status status =
      copse_octree_raycast(at->index.octree, (float[]){x0, y0, z0}, (float[]){x1, y1, z1}, &query,
                           &boxHit, &at->results.visits);
  return status == COPSE_OK ? (int32_t)boxHit.id : FAILED(status);
}
#endif

/* ---- Walls --------------------------------------------------------------------------------- */

#if WITH_WALLS
static object *walls_of(int32_t handle) {
  object *at = object_of(handle);
  return at && IS_OF_WALLS(at->index) ? at : NULL;
}

static copse_status build_if_changed(const object *at) {
  copse_obstacle *tree = at->index.obstacle;
  return copse_obstacle_changed(tree) ? copse_obstacle_build(tree, &firstBad) : COPSE_OK;
}

/* Who asks gets walls as they are: NULL where they can't be built. */
static object *built_walls_of(int32_t handle, copse_status *status) {
  object *at = walls_of(handle);
  *status = at ? build_if_changed(at) : COPSE_STALE_HANDLE;
  return *status == COPSE_OK ? at : NULL;
}

/* Returns 0 if a polygon of so many vertices can be added. */
EXPORT("room_for_polygon") int32_t room_for_polygon(int32_t handle, uint32_t count) {
  const object *at = walls_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  const uint32_t room = at->results.capacity - copse_obstacle_count(at->index.obstacle);
  return count <= room ? 0 : FAILED(COPSE_FULL);
}

/* Returns how many vertices a polygon has. */
EXPORT("size_of_polygon") int32_t size_of_polygon(int32_t handle, uint32_t slot) {
  const object *at = walls_of(handle);
  const uint32_t size = at ? copse_obstacle_size(at->index.obstacle, slot) : 0;
  return size ? (int32_t)size : FAILED(COPSE_STALE_HANDLE);
}

/* Adds a polygon of so many staged vertices; answers with its slot. */
EXPORT("add_polygon")
int32_t add_polygon(int32_t handle, uint32_t count, uint32_t twoSided) {
  object *at = walls_of(handle);
  if (!at || count > staging.size / 8) return refused(at);
  uint32_t slot;
  copse_status status =
      copse_obstacle_add(at->index.obstacle, staging.bytes, count, twoSided, &slot);
  return status == COPSE_OK ? (int32_t)slot : FAILED(status);
}

/* Moves a polygon to so many staged vertices. */
EXPORT("move_polygon")
int32_t move_polygon(int32_t handle, uint32_t slot, uint32_t count) {
  object *at = walls_of(handle);
  if (!at || count > staging.size / 8) return refused(at);
  copse_status status = copse_obstacle_move(at->index.obstacle, slot, staging.bytes, count);
  return status == COPSE_OK ? 0 : FAILED(status);
}

EXPORT("winding_of") int32_t winding_of(int32_t handle, uint32_t slot) {
  object *at = walls_of(handle);
  if (!at || !copse_obstacle_has(at->index.obstacle, slot)) return FAILED(COPSE_STALE_HANDLE);
  return copse_obstacle_winding(at->index.obstacle, slot);
}

EXPORT("build_walls") int32_t build_walls(int32_t handle) {
  object *at = walls_of(handle);
  copse_status status =
      at ? copse_obstacle_build(at->index.obstacle, &firstBad) : COPSE_STALE_HANDLE;
  return status == COPSE_OK ? 0 : FAILED(status);
}

EXPORT("build_changed_walls") int32_t build_changed_walls(int32_t handle) {
  copse_status status;
  built_walls_of(handle, &status);
  return status == COPSE_OK ? 0 : FAILED(status);
}

EXPORT("walls_within")
int32_t walls_within(int32_t handle, float x, float y, float radius, uint32_t side) {
  copse_status status;
  object *at = built_walls_of(handle, &status);
  if (!at) return FAILED(status);
  return total_or_failure(at, copse_obstacle_within(at->index.obstacle, (float[]){x, y}, radius,
                                                    (copse_side)side, &at->results));
}

/* Answers with the edge. */
EXPORT("nearest_wall")
int32_t nearest_wall(int32_t handle, float x, float y, float maxDistance, uint32_t side) {
  copse_status status;
  object *at = built_walls_of(handle, &status);
  if (at)
    status = copse_obstacle_nearest(at->index.obstacle, (float[]){x, y}, maxDistance,
                                    (copse_side)side, &wallFound.nearest, &at->results.visits);
  return status == COPSE_OK ? (int32_t)wallFound.nearest.edge : FAILED(status);
}

EXPORT("visible")
int32_t visible(int32_t handle, float x0, float y0, float x1, float y1, float radius) {
  copse_status status;
  object *at = built_walls_of(handle, &status);
  bool isVisible = false;
  if (at)
    status = copse_obstacle_visible(at->index.obstacle, (float[]){x0, y0}, (float[]){x1, y1},
                                    radius, &isVisible, &at->results.visits);
  return status == COPSE_OK ? isVisible : FAILED(status);
}

/* Answers with the edge. */
EXPORT("raycast_walls")
int32_t raycast_walls(int32_t handle, float x0, float y0, float x1, float y1, uint32_t side) {
  copse_status status;
  object *at = built_walls_of(handle, &status);
  if (at)
    status = copse_obstacle_raycast(at->index.obstacle, (float[]){x0, y0}, (float[]){x1, y1},
                                    (copse_side)side, &wallFound.hit, &at->results.visits);
  return status == COPSE_OK ? (int32_t)wallFound.hit.edge : FAILED(status);
}

EXPORT("raycast_walls_many")
int32_t raycast_walls_many(int32_t handle, uint32_t n, uint32_t side) {
  copse_status status;
  object *at = built_walls_of(handle, &status);
  if (at && n > at->results.capacity) return refused(at);
  if (at)
    status = copse_obstacle_raycast_many(at->index.obstacle, at->points, n, (copse_side)side,
                                         at->hitIds, at->hitFractions);
  return status == COPSE_OK ? 0 : FAILED(status);
}

EXPORT("contains") int32_t contains(int32_t handle, float x, float y) {
  copse_status status;
  object *at = built_walls_of(handle, &status);
  bool inside = false;
  if (at)
    status =
        copse_obstacle_contains(at->index.obstacle, (float[]){x, y}, &inside, &at->results.visits);
  return status == COPSE_OK ? inside : FAILED(status);
}

/* Puts the sides of a box that are infinite a bit beyond all walls and a point: so far that they
 * don't round to it. */
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

/* Answers with the number of corners; they lie at VIEW_CORNERS, x and y of each. */
EXPORT("visibility")
int32_t visibility(int32_t handle, float x, float y, float minX, float minY, float maxX,
                   float maxY) {
  copse_status status;
  object *at = built_walls_of(handle, &status);
  if (!at) return FAILED(status);
  const float point[2] = {x, y};
  float lo[2] = {minX, minY}, hi[2] = {maxX, maxY};
  close_box(at->index.obstacle, point, lo, hi);
  uint32_t total;
  status = copse_obstacle_visibility(at->index.obstacle, point, lo, hi, at->corners,
                                     (uint32_t)corner_capacity(at->results.capacity), &total,
                                     &at->results.visits);
  if (status != COPSE_OK) return FAILED(status);
  for (uint32_t i = 0; i < total; i++) { /* each is smaller than what it comes from */
    const float corner[2] = {(float)at->corners[i].x, (float)at->corners[i].y};
    memcpy((char *)at->corners + i * sizeof corner, corner, sizeof corner);
  }
  return (int32_t)total;
}

/* As cells. */
EXPORT("lines") int32_t lines(int32_t handle, uint32_t skipped) {
  copse_status status;
  object *at = built_walls_of(handle, &status);
  if (!at) return FAILED(status);
  return drawn(copse_obstacle_lines(at->index.obstacle, skipped, staging.bytes, DRAWN), skipped);
}
#endif

/* ---- Crowds -------------------------------------------------------------------------------- */

#if WITH_CROWDS
static object *crowd_of(int32_t handle) {
  object *at = object_of(handle);
  return at && IS_OF_CROWDS(at->index) ? at : NULL;
}

/* The walls that a crowd heeds, as they are; a negative handle: none. */
static copse_status walls_around(int32_t handle, const copse_obstacle **walls) {
  copse_status status = COPSE_OK;
  const object *at = handle < 0 ? NULL : built_walls_of(handle, &status);
  *walls = at ? at->index.obstacle : NULL;
  return status;
}

/* Adds the agent that was written; answers with its slot. */
EXPORT("crowd_add") int32_t crowd_add(int32_t handle) {
  object *at = crowd_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  uint32_t slot;
  copse_status status = copse_crowd_add(at->index.crowd, at->added, &slot);
  return status == COPSE_OK ? (int32_t)slot : FAILED(status);
}

EXPORT("crowd_step") int32_t crowd_step(int32_t handle, int32_t wallsHandle, float timeStep) {
  object *at = crowd_of(handle);
  const copse_obstacle *walls;
  copse_status status = at ? walls_around(wallsHandle, &walls) : COPSE_STALE_HANDLE;
  if (status == COPSE_OK) status = copse_crowd_step(at->index.crowd, walls, timeStep, &firstBad);
  return status == COPSE_OK ? 0 : FAILED(status);
}

/* How many arrived, or got stuck, in the last step: their slots are in the view of that name. */
EXPORT("crowd_arrived") int32_t crowd_arrived(int32_t handle) {
  const object *at = crowd_of(handle);
  return at ? (int32_t)copse_crowd_arrived(at->index.crowd) : FAILED(COPSE_STALE_HANDLE);
}

EXPORT("crowd_stuck") int32_t crowd_stuck(int32_t handle) {
  const object *at = crowd_of(handle);
  return at ? (int32_t)copse_crowd_stuck(at->index.crowd) : FAILED(COPSE_STALE_HANDLE);
}

EXPORT("crowd_look")
int32_t crowd_look(int32_t handle, int32_t wallsHandle, float timeStep, uint32_t slot) {
  object *at = crowd_of(handle);
  const copse_obstacle *walls;
  copse_status status = at ? walls_around(wallsHandle, &walls) : COPSE_STALE_HANDLE;
  if (status == COPSE_OK)
    status = copse_crowd_look(at->index.crowd, walls, timeStep, slot, at->look);
  return status == COPSE_OK ? 0 : FAILED(status);
}

EXPORT("crowd_hash") uint32_t crowd_hash(int32_t handle) {
  const object *at = crowd_of(handle);
  return at ? copse_crowd_hash(at->index.crowd) : 0;
}
#endif

/* ---- Debug and snapshots ------------------------------------------------------------------- */

#if WITH_BOXES
/* Items, changes, straddlers, and so on; then how many items each depth holds. */
static void tell_boxes(const object *at, double *numbers) {
  const copse_octree_statistics stats = copse_octree_stats(at->index.octree);
  numbers[0] = stats.items;
  numbers[1] = (double)stats.changes;
  numbers[2] = stats.nodes;
  numbers[3] = stats.leaves;
  numbers[4] = stats.depth;
  numbers[5] = (double)stats.bytes;
  numbers[7] = stats.straddlers;
  numbers[8] = stats.outside;
  numbers[9] = stats.unsplit;
  for (int depth = 0; depth <= COPSE_OCTREE_MAX_DEPTH; depth++)
    numbers[10 + depth] = stats.perDepth[depth];
}
#endif

#if WITH_AGENTS
static void tell_agents(const object *at, double *numbers) {
  const index_statistics stats = index_stats(at->index);
  numbers[0] = stats.agents;
  numbers[1] = stats.skipped;
  numbers[2] = stats.nodes;
  numbers[3] = stats.leaves;
  numbers[4] = stats.depth;
  numbers[5] = (double)stats.bytes;
}
#endif

#if WITH_WALLS
static void tell_walls(const object *at, double *numbers) {
  const copse_obstacle_statistics stats = copse_obstacle_stats(at->index.obstacle);
  numbers[0] = stats.edges;
  numbers[1] = stats.dropped;
  numbers[2] = stats.nodes;
  numbers[3] = stats.leaves;
  numbers[4] = stats.depth;
  numbers[5] = (double)stats.bytes;
  numbers[7] = stats.pieces;
  numbers[8] = stats.unsplit;
  numbers[9] = stats.polygons;
}
#endif

#if WITH_CROWDS
static void tell_crowd(const object *at, double *numbers) {
  const copse_crowd_statistics stats = copse_crowd_stats(at->index.crowd);
  numbers[0] = stats.agents;
  numbers[1] = stats.infeasible;
  numbers[2] = stats.overlaps;
  numbers[3] = stats.neighbors;
  numbers[4] = (double)stats.steps;
  numbers[5] = (double)stats.bytes;
  numbers[6] = stats.time;
}
#endif

/* Where the figures lie: as above, and at 6 the visits of the last query where there are queries.
 */
EXPORT("stats_of") uintptr_t stats_of(int32_t handle) {
  static double numbers[11 + COPSE_OCTREE_MAX_DEPTH];
  object *at = object_of(handle);
  if (!at) return 0;
  numbers[6] = at->results.visits;
#if WITH_BOXES
  if (IS_OF_BOXES(at->index)) tell_boxes(at, numbers);
#endif
#if WITH_AGENTS
  if (IS_OF_AGENTS(at->index)) tell_agents(at, numbers);
#endif
#if WITH_WALLS
  if (IS_OF_WALLS(at->index)) tell_walls(at, numbers);
#endif
#if WITH_CROWDS
  if (IS_OF_CROWDS(at->index)) tell_crowd(at, numbers);
#endif
  numbers[5] += sizeof(object) + (double)at->blockBytes;
  return (uintptr_t)numbers;
}

/* Before anything is told of walls that changed, they are built. */
static copse_status prepare(const object *at) {
#if WITH_WALLS
  if (IS_OF_WALLS(at->index)) return build_if_changed(at);
#endif
  (void)at;
  return COPSE_OK;
}

/* A crowd has no cells. */
static object *queried_of(int32_t handle) {
  object *at = object_of(handle);
  return at && !IS_OF_CROWDS(at->index) ? at : NULL;
}

EXPORT("validate") int32_t validate(int32_t handle) {
  object *at = queried_of(handle);
  return at && index_validate(at->index);
}

/* Stages the next cells, and returns the number of their floats; 0: no more. */
EXPORT("cells") int32_t cells(int32_t handle, uint32_t skipped) {
  object *at = queried_of(handle);
  copse_status status = at ? prepare(at) : COPSE_STALE_HANDLE;
  if (status != COPSE_OK) return FAILED(status);
  return drawn(index_cells(at->index, skipped, staging.bytes, DRAWN), skipped);
}

/* Stages a snapshot; answers with its size. */
EXPORT("save") int32_t save(int32_t handle) {
  object *at = object_of(handle);
  copse_status status = at ? prepare(at) : COPSE_STALE_HANDLE;
  if (status != COPSE_OK) return FAILED(status);
  size_t size;
  status = index_save(at->index, NULL, 0, &size, &firstBad);
  if (status != COPSE_FULL) return FAILED(status);
  void *bytes = size <= INT32_MAX ? staged((uint32_t)size) : NULL;
  if (!bytes) return FAILED(COPSE_OUT_OF_MEMORY);
  status = index_save(at->index, bytes, size, &size, NULL);
  return status == COPSE_OK ? (int32_t)size : FAILED(status);
}

/* Checks a snapshot of so many bytes before there is room for it, in pieces, each staged in turn:
 * the first is its head, or more. Returns 0 as long as nothing is wrong. */
EXPORT("restorable")
int32_t restorable(int32_t handle, uint32_t total, uint32_t first, uint32_t size) {
  static uint32_t checksum, expected;
  const object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  if (size > staging.size || total % 4 || first % 4) return FAILED(COPSE_BAD_SNAPSHOT);
  if (first == 0) {
    const copse_status status = index_restorable(at->index, staging.bytes, total);
    if (status != COPSE_OK) return FAILED(status);
    expected = ((const snapshot_header *)staging.bytes)->checksum;
    checksum = 0;
  }
  checksum = snapshot_checksum(checksum, staging.bytes, first / 4, size / 4);
  return first + size < total || checksum == expected ? 0 : FAILED(COPSE_BAD_SNAPSHOT);
}

/* Restores from `size` staged bytes. */
EXPORT("restore") int32_t restore(int32_t handle, uint32_t size) {
  object *at = object_of(handle);
  if (!at) return FAILED(COPSE_STALE_HANDLE);
  if (size > staging.size) return FAILED(COPSE_BAD_SNAPSHOT);
  copse_status status = index_restore(at->index, staging.bytes, size);
  return status == COPSE_OK ? 0 : FAILED(status);
}
