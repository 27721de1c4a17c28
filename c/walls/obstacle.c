/* The obstacle tree: memory, and adding, removing and moving polygons. */

#include "obstacle.h"

#include "../base/query.h"

#include <string.h>

enum { MOST_PIECES = 2 * COPSE_MAX_CAPACITY };

/* ---- Creating, growing and destroying ---------------------------------------------------- */

copse_obstacle_def copse_obstacle_default(void) {
  return (copse_obstacle_def){.capacity = 1000, .leafSize = 32};
}

/* Sets the option `pieces` to its default if the option is 0. False if the definition is
 * invalid. */
static bool complete(copse_obstacle_def *def) {
  if (!def->pieces) def->pieces = 2 * def->capacity;
  return def->capacity >= 1 && def->capacity <= COPSE_MAX_CAPACITY &&
         def->pieces >= def->capacity && def->pieces <= MOST_PIECES && def->leafSize >= 1;
}

/* Returns how many nodes the tree has room for. This is always enough: only nodes with more than
 * leafSize pieces of edges are divided, and each child gets at least a quarter of them. So leaves
 * can't be arbitrarily small. */
static uint64_t node_capacity(const copse_obstacle_def *def) {
  const uint64_t pieces = def->pieces, smallestLeaf = def->leafSize / 4 + 1;
  return 2 * (pieces / smallestLeaf) + 1;
}

/* Carves the tree's arrays out of the block `memory`. If `memory` is NULL, sets them to NULL
 * instead. Returns the size of the block in bytes. */
static uint64_t carve(copse_obstacle *tree, void *memory) {
  arena layout = arena_over(memory);
  const uint64_t capacity = tree->def.capacity;
  /* Padding: a load of four floats may read 3 floats past the end of an array. */
  const uint64_t pieces = (uint64_t)tree->def.pieces + 3;
  tree->vertices = arena_carve(&layout, capacity, 2 * sizeof(float));
  tree->slots.generations = arena_carve(&layout, capacity, sizeof(uint32_t));
  tree->slots.free = arena_carve(&layout, slots_words((uint32_t)capacity), sizeof(uint32_t));
  tree->next = arena_carve(&layout, capacity, sizeof(uint32_t));
  tree->polygons = arena_carve(&layout, capacity, sizeof(uint32_t));
  tree->solid = arena_carve(&layout, capacity, sizeof(uint32_t));
  tree->edges = arena_carve(&layout, capacity, sizeof *tree->edges);
  tree->kinds = arena_carve(&layout, capacity, sizeof(uint32_t));
  tree->lines = arena_carve(&layout, capacity, sizeof *tree->lines);
  tree->corners = arena_carve(&layout, capacity, sizeof *tree->corners);
  tree->nodes = arena_carve(&layout, node_capacity(&tree->def), sizeof *tree->nodes);
  tree->boxes = arena_carve(&layout, node_capacity(&tree->def), sizeof *tree->boxes);
  tree->pieces = arena_carve(&layout, tree->def.pieces, sizeof *tree->pieces);
  for (int end = 0; end < 4; end++)
    tree->pieceEnds[end] = arena_carve(&layout, pieces, sizeof(float));
  for (int i = 0; i < 2; i++) {
    for (int end = 0; end < 4; end++)
      tree->work[i].ends[end] = arena_carve(&layout, pieces, sizeof(float));
    tree->work[i].pieces = arena_carve(&layout, pieces, sizeof *tree->pieces);
  }
  return arena_block_bytes(layout.used);
}

/* Allocates the tree's arrays, filled with zeros. */
static copse_status take_memory(copse_obstacle *tree) {
  tree->memoryBytes = carve(tree, NULL);
  tree->memory = memory_take(&tree->def.allocator, tree->memoryBytes);
  if (!tree->memory) return COPSE_OUT_OF_MEMORY;
  memset(tree->memory, 0, (size_t)tree->memoryBytes);
  carve(tree, tree->memory);
  return COPSE_OK;
}

size_t copse_obstacle_bytes(const copse_obstacle_def *def) {
  copse_obstacle measured = {.def = *def};
  if (!complete(&measured.def)) return 0;
  const uint64_t bytes = sizeof measured + carve(&measured, NULL);
  return size_of(bytes);
}

void obstacle_empty(copse_obstacle *tree) {
  tree->nodeCount = 1;
  tree->nodes[0] = (obstacle_node){{0, 0}, 0, 0, 0, 0};
  tree->pieceCount = tree->edgeCount = tree->dropped = 0;
  tree->tolerance = 0;
  tree->hasBoundaries = false;
  for (int i = 0; i < 4; i++) tree->bounds[i] = tree->boxes[0][i] = 0;
  for (int axis = 0; axis < 2; axis++) tree->center[axis] = 0;
}

copse_status copse_obstacle_create(const copse_obstacle_def *def, copse_obstacle **tree) {
  *tree = NULL;
  copse_obstacle_def completed = *def;
  if (!complete(&completed)) return COPSE_INVALID_ARGUMENT;
  copse_obstacle *created = memory_take(&def->allocator, sizeof *created);
  if (!created) return COPSE_OUT_OF_MEMORY;
  *created = (copse_obstacle){.def = completed};
  if (take_memory(created) != COPSE_OK) {
    memory_give(&def->allocator, created, sizeof *created);
    return COPSE_OUT_OF_MEMORY;
  }
  created->slots.capacity = def->capacity;
  slots_recount(&created->slots);
  obstacle_empty(created);
  *tree = created;
  return COPSE_OK;
}

void copse_obstacle_destroy(copse_obstacle *tree) {
  if (!tree) return;
  const copse_allocator allocator = tree->def.allocator;
  memory_give(&allocator, tree->memory, tree->memoryBytes);
  memory_give(&allocator, tree, sizeof *tree);
}

/* Returns the options that the tree has after copse_obstacle_reserve: the maximum number of pieces
 * of edges grows in proportion to the capacity. */
static copse_obstacle_def reserved(const copse_obstacle *tree, uint32_t capacity) {
  copse_obstacle_def larger = tree->def;
  if (capacity <= larger.capacity) return larger;
  const uint64_t pieces = (uint64_t)larger.pieces * capacity / larger.capacity;
  larger.capacity = capacity;
  larger.pieces = pieces < MOST_PIECES ? (uint32_t)pieces : MOST_PIECES;
  return larger;
}

copse_status copse_obstacle_reserve(copse_obstacle *tree, uint32_t capacity) {
  if (capacity > COPSE_MAX_CAPACITY) return COPSE_INVALID_ARGUMENT;
  const uint32_t old = tree->def.capacity;
  if (capacity <= old) return COPSE_OK;
  copse_obstacle larger = *tree;
  larger.def = reserved(tree, capacity);
  const copse_status status = take_memory(&larger);
  if (status != COPSE_OK) return status;
  memcpy(larger.vertices, tree->vertices, (size_t)old * 2 * sizeof *tree->vertices);
  memcpy(larger.next, tree->next, old * sizeof *tree->next);
  memcpy(larger.polygons, tree->polygons, old * sizeof *tree->polygons);
  memcpy(larger.solid, tree->solid, old * sizeof *tree->solid);
  memcpy(larger.edges, tree->edges, old * sizeof *tree->edges);
  memcpy(larger.kinds, tree->kinds, old * sizeof *tree->kinds);
  memcpy(larger.lines, tree->lines, old * sizeof *tree->lines);
  memcpy(larger.corners, tree->corners, old * sizeof *tree->corners);
  memcpy(larger.nodes, tree->nodes, tree->nodeCount * sizeof *tree->nodes);
  memcpy(larger.boxes, tree->boxes, tree->nodeCount * sizeof *tree->boxes);
  memcpy(larger.pieces, tree->pieces, tree->pieceCount * sizeof *tree->pieces);
  for (int end = 0; end < 4; end++)
    memcpy(larger.pieceEnds[end], tree->pieceEnds[end], tree->pieceCount * sizeof(float));
  slots grown = tree->slots;
  slots_grow(&grown, larger.slots.generations, larger.slots.free, capacity);
  larger.slots = grown;
  memory_give(&tree->def.allocator, tree->memory, tree->memoryBytes);
  *tree = larger;
  return COPSE_OK;
}

uint32_t copse_obstacle_capacity(const copse_obstacle *tree) { return tree->def.capacity; }
uint32_t copse_obstacle_count(const copse_obstacle *tree) { return tree->polygonCount; }
uint32_t copse_obstacle_used(const copse_obstacle *tree) { return tree->slots.used; }
uint32_t copse_obstacle_slots(const copse_obstacle *tree) { return tree->slots.ever; }
float *copse_obstacle_vertices(copse_obstacle *tree) { return tree->vertices; }
const uint32_t *copse_obstacle_next(const copse_obstacle *tree) { return tree->next; }
const uint32_t *copse_obstacle_polygons(const copse_obstacle *tree) { return tree->polygons; }
const uint32_t *copse_obstacle_generations(const copse_obstacle *tree) {
  return tree->slots.generations;
}
bool copse_obstacle_has(const copse_obstacle *tree, uint32_t slot) {
  return slots_in_use(&tree->slots, slot) && tree->polygons[slot] == slot;
}
bool copse_obstacle_changed(const copse_obstacle *tree) { return tree->changed; }

/* ---- Polygons ----------------------------------------------------------------------------- */

static bool points_ok(const float *points, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (!query_point_ok(points + (size_t)2 * i, 2)) return false;
  return true;
}

/* Writes the coordinates of a vertex. Adding 0 turns -0 into 0, so that equal coordinates have
 * equal bits. */
static void put(copse_obstacle *tree, uint32_t vertex, const float *point) {
  for (int axis = 0; axis < 2; axis++)
    tree->vertices[(size_t)2 * vertex + (size_t)axis] = point[axis] + 0.0f;
}

/* Returns the winding of a loop of points: 1 counter-clockwise, -1 clockwise, 0 no area. */
static int32_t turn_of_points(const float *points, uint32_t count) {
  double area = 0;
  for (uint32_t i = 1; i + 1 < count; i++)
    area += side_of(vec_of(points), vec_of(points + (size_t)2 * i),
                    vec_of(points + (size_t)2 * (i + 1)));
  return (area > 0) - (area < 0);
}

/* Returns the winding of a polygon's current vertices: 1 if counter-clockwise, -1 if clockwise, 0
 * if the polygon has no area. */
static int32_t turn_of(const copse_obstacle *tree, uint32_t slot) {
  const vec first = vec_of(tree->vertices + (size_t)2 * slot);
  double area = 0;
  uint32_t vertex = slot;
  do {
    const uint32_t after = tree->next[vertex];
    area += side_of(first, vec_of(tree->vertices + (size_t)2 * vertex),
                    vec_of(tree->vertices + (size_t)2 * after));
    vertex = after;
  } while (vertex != slot);
  return (area > 0) - (area < 0);
}

/* Returns the solid side of a polygon (SOLID_…), given the side that the caller chose and the
 * winding of the vertices. */
static int32_t solid_by(copse_solid solid, int32_t turn) {
  if (solid == COPSE_SOLID_WINDING) return turn;
  if (solid == COPSE_SOLID_NOWHERE) return SOLID_NOWHERE;
  return solid == COPSE_SOLID_INSIDE ? SOLID_INSIDE : SOLID_OUTSIDE;
}

copse_status copse_obstacle_add(copse_obstacle *tree, const float *points, uint32_t count,
                                copse_solid solid, uint32_t *slot) {
  *slot = COPSE_NONE;
  if (count < 2 || (uint32_t)solid > COPSE_SOLID_NOWHERE) return COPSE_INVALID_ARGUMENT;
  if (count > tree->def.capacity - tree->slots.used) return COPSE_FULL;
  if (!points_ok(points, count)) return COPSE_NOT_FINITE;
  const int32_t turn = turn_of_points(points, count);
  if (!turn && (solid == COPSE_SOLID_INSIDE || solid == COPSE_SOLID_OUTSIDE))
    return COPSE_INVALID_ARGUMENT;
  uint32_t previous = COPSE_NONE;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t vertex = slots_take(&tree->slots);
    put(tree, vertex, points + (size_t)2 * i);
    if (i == 0)
      *slot = vertex;
    else
      tree->next[previous] = vertex;
    tree->polygons[vertex] = *slot;
    tree->solid[vertex] = 0;
    previous = vertex;
  }
  tree->next[previous] = *slot;
  tree->solid[*slot] = solid_by(solid, turn);
  tree->polygonCount++;
  tree->changed = true;
  return COPSE_OK;
}

copse_status copse_obstacle_remove(copse_obstacle *tree, uint32_t slot) {
  if (!copse_obstacle_has(tree, slot)) return COPSE_STALE_SLOT;
  uint32_t vertex = slot;
  do {
    slots_free(&tree->slots, vertex);
    vertex = tree->next[vertex];
  } while (vertex != slot);
  tree->polygonCount--;
  tree->changed = true;
  return COPSE_OK;
}

uint32_t copse_obstacle_size(const copse_obstacle *tree, uint32_t slot) {
  if (!copse_obstacle_has(tree, slot)) return 0;
  uint32_t size = 1;
  for (uint32_t vertex = tree->next[slot]; vertex != slot; vertex = tree->next[vertex]) size++;
  return size;
}

copse_status copse_obstacle_move(copse_obstacle *tree, uint32_t slot, const float *points,
                                 uint32_t count) {
  if (!copse_obstacle_has(tree, slot)) return COPSE_STALE_SLOT;
  if (count != copse_obstacle_size(tree, slot)) return COPSE_INVALID_ARGUMENT;
  if (!points_ok(points, count)) return COPSE_NOT_FINITE;
  uint32_t vertex = slot;
  for (uint32_t i = 0; i < count; i++) {
    put(tree, vertex, points + (size_t)2 * i);
    vertex = tree->next[vertex];
  }
  tree->changed = true;
  return COPSE_OK;
}

void copse_obstacle_clear(copse_obstacle *tree) {
  for (uint32_t slot = 0; slot < tree->def.capacity; slot++) slots_free(&tree->slots, slot);
  tree->polygonCount = 0;
  tree->changed = true;
}

int obstacle_winding(const copse_obstacle *tree, uint32_t slot, bool *isReversed) {
  const int32_t solid = tree->solid[slot], turn = turn_of(tree, slot);
  const bool isFixed = turn && (solid == SOLID_INSIDE || solid == SOLID_OUTSIDE);
  *isReversed = isFixed && turn != solid;
  return isFixed ? solid : turn;
}

int copse_obstacle_winding(const copse_obstacle *tree, uint32_t slot) {
  bool isReversed;
  return copse_obstacle_has(tree, slot) ? obstacle_winding(tree, slot, &isReversed) : 0;
}
