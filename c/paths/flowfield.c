/* The flow field: memory and settings. */

#include "flowfield.h"

#include "../base/query.h"

#include <string.h>

/* ---- Creating, growing and destroying ---------------------------------------------------- */

copse_flowfield_def copse_flowfield_default(void) {
  return (copse_flowfield_def){
      .bounds = {0, 0, 100, 100}, .cell = 1, .radius = 0.5f, .capacity = 4096, .goals = 64};
}

/* Returns the number of cells that cover the bounds along an axis; 0 if the bounds are empty or
 * take too many cells. Ignores an excess of at most 1e-4 cells, which may be a rounding error. */
static uint32_t cells_along(const copse_flowfield_def *def, int axis) {
  const double size = (double)def->bounds[2 + axis] - (double)def->bounds[axis];
  const double cells = ceil(size / (double)def->cell - 1e-4);
  if (!(size > 0) || !(cells <= COPSE_FLOWFIELD_MAX_SIDE)) return 0;
  return cells > 1 ? (uint32_t)cells : 1;
}

/* True if the bounds and the cell size are in range, and floats within the bounds are precise to a
 * small part of a cell. */
static bool is_precise(const copse_flowfield_def *def) {
  for (int i = 0; i < 4; i++)
    if (!is_coordinate(def->bounds[i]) || !(fabsf(def->bounds[i]) <= def->cell * 0x1p16f))
      return false;
  return def->cell > 1e-18f && def->cell <= COPSE_MAX_COORDINATE;
}

static bool radius_ok(const copse_flowfield_def *def, float radius) {
  return radius >= def->cell / 2 && radius <= COPSE_MAX_COORDINATE;
}

static bool definition_ok(const copse_flowfield_def *def) {
  return is_precise(def) && cells_along(def, 0) && cells_along(def, 1) &&
         radius_ok(def, def->radius) && def->capacity >= 1 &&
         def->capacity <= COPSE_FLOWFIELD_MAX_CAPACITY && def->goals >= 1 &&
         def->goals <= COPSE_FLOWFIELD_MAX_CAPACITY;
}

/* Carves the field's arrays out of the block `memory`. If `memory` is NULL, sets them to NULL
 * instead. Returns the size of the block in bytes. */
static uint64_t carve(copse_flowfield *field, void *memory) {
  arena layout = arena_over(memory);
  const uint64_t anchors = field->def.capacity, goals = field->def.goals;
  const uint64_t cells = (uint64_t)field->columns * field->rows;
  const uint64_t side = field->columns > field->rows ? field->columns : field->rows;
  for (int i = 0; i < 2; i++) {
    flow_map *map = &field->maps[i];
    map->distances = arena_carve(&layout, cells, sizeof *map->distances);
    map->aims = arena_carve(&layout, cells, sizeof *map->aims);
    map->cells = arena_carve(&layout, cells, sizeof *map->cells);
    map->anchors = arena_carve(&layout, anchors, sizeof *map->anchors);
    map->goals = arena_carve(&layout, goals, sizeof *map->goals);
    /* There are gaps between the spans of cells on a side of a ring: so at most every other cell
     * begins a span. */
    for (int set = 0; set < RING_SIDES; set++)
      field->spans[i][set] = arena_carve(&layout, side / 2 + 2, sizeof(flow_span));
  }
  field->goals = arena_carve(&layout, goals, sizeof *field->goals);
  field->closed = arena_carve(&layout, cells, sizeof *field->closed);
  field->stamps = arena_carve(&layout, cells, sizeof *field->stamps);
  field->firsts = arena_carve(&layout, cells, sizeof *field->firsts);
  field->tested = arena_carve(&layout, anchors, sizeof *field->tested);
  field->heap = arena_carve(&layout, anchors, sizeof *field->heap);
  field->places = arena_carve(&layout, anchors, sizeof *field->places);
  field->nexts = arena_carve(&layout, anchors, sizeof *field->nexts);
  return arena_block_bytes(layout.used);
}

/* Allocates the field's arrays, filled with zeros. */
static copse_status take_memory(copse_flowfield *field) {
  field->memoryBytes = carve(field, NULL);
  field->memory = memory_take(&field->def.allocator, field->memoryBytes);
  if (!field->memory) return COPSE_OUT_OF_MEMORY;
  memset(field->memory, 0, (size_t)field->memoryBytes);
  carve(field, field->memory);
  return COPSE_OK;
}

/* Returns an empty field whose arrays are not allocated yet. */
static copse_flowfield field_of(const copse_flowfield_def *def) {
  return (copse_flowfield){.def = *def,
                           .columns = cells_along(def, 0),
                           .rows = cells_along(def, 1),
                           .radius = def->radius};
}

size_t copse_flowfield_bytes(const copse_flowfield_def *def) {
  if (!definition_ok(def)) return 0;
  copse_flowfield measured = field_of(def);
  const uint64_t bytes = sizeof measured + carve(&measured, NULL);
  return size_of(bytes);
}

copse_status copse_flowfield_create(const copse_flowfield_def *def, copse_flowfield **field) {
  *field = NULL;
  if (!definition_ok(def)) return COPSE_INVALID_ARGUMENT;
  copse_flowfield *created = memory_take(&def->allocator, sizeof *created);
  if (!created) return COPSE_OUT_OF_MEMORY;
  *created = field_of(def);
  if (take_memory(created) != COPSE_OK) {
    memory_give(&def->allocator, created, sizeof *created);
    return COPSE_OUT_OF_MEMORY;
  }
  *field = created;
  return COPSE_OK;
}

void copse_flowfield_destroy(copse_flowfield *field) {
  if (!field) return;
  const copse_allocator allocator = field->def.allocator;
  memory_give(&allocator, field->memory, field->memoryBytes);
  memory_give(&allocator, field, sizeof *field);
}

/* Returns the field's options, with `capacity` and `goals` raised to at least the given numbers. */
static copse_flowfield_def reserved(const copse_flowfield *field, uint32_t capacity,
                                    uint32_t goals) {
  copse_flowfield_def larger = field->def;
  if (capacity > larger.capacity) larger.capacity = capacity;
  if (goals > larger.goals) larger.goals = goals;
  return larger;
}

copse_status copse_flowfield_reserve(copse_flowfield *field, uint32_t capacity, uint32_t goals) {
  copse_flowfield larger = *field;
  larger.def = reserved(field, capacity, goals);
  if (!definition_ok(&larger.def)) return COPSE_INVALID_ARGUMENT;
  if (larger.def.capacity == field->def.capacity && larger.def.goals == field->def.goals)
    return COPSE_OK;
  if (take_memory(&larger) != COPSE_OK) return COPSE_OUT_OF_MEMORY;
  const size_t cells = flow_cell_count(field);
  for (int i = 0; i < 2; i++) {
    const flow_map *from = &field->maps[i];
    flow_map *to = &larger.maps[i];
    memcpy(to->distances, from->distances, cells * sizeof *to->distances);
    memcpy(to->aims, from->aims, cells * sizeof *to->aims);
    memcpy(to->cells, from->cells, cells);
    memcpy(to->anchors, from->anchors, from->anchorCount * sizeof *to->anchors);
    memcpy(to->goals, from->goals, from->goalCount * sizeof *to->goals);
  }
  memcpy(larger.goals, field->goals, field->goalCount * sizeof *larger.goals);
  memcpy(larger.closed, field->closed, cells);
  memory_give(&field->def.allocator, field->memory, field->memoryBytes);
  *field = larger;
  flow_resume(field);
  return COPSE_OK;
}

uint32_t copse_flowfield_capacity(const copse_flowfield *field) { return field->def.capacity; }
uint32_t copse_flowfield_goal_capacity(const copse_flowfield *field) { return field->def.goals; }
uint32_t copse_flowfield_columns(const copse_flowfield *field) { return field->columns; }
uint32_t copse_flowfield_rows(const copse_flowfield *field) { return field->rows; }

/* ---- Settings ----------------------------------------------------------------------------- */

void copse_flowfield_set_obstacles(copse_flowfield *field, const copse_obstacle *walls) {
  field->walls = walls;
  for (int i = 0; i < 2; i++) flow_match_walls(field, &field->maps[i]);
}

copse_status copse_flowfield_set_radius(copse_flowfield *field, float radius) {
  if (!radius_ok(&field->def, radius)) return COPSE_INVALID_ARGUMENT;
  field->radius = radius;
  return COPSE_OK;
}

float copse_flowfield_radius(const copse_flowfield *field) { return field->radius; }

uint8_t *copse_flowfield_closed(copse_flowfield *field) { return field->closed; }

bool flow_goals_ok(const copse_flowfield_goal *goals, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const copse_flowfield_goal *goal = &goals[i];
    if (!query_box_ok(goal->lo, goal->hi, 2) || !query_point_ok(goal->lo, 2) ||
        !query_point_ok(goal->hi, 2) || !(goal->cost >= 0 && goal->cost <= COPSE_MAX_COORDINATE))
      return false;
  }
  return true;
}

copse_status copse_flowfield_set_goals(copse_flowfield *field, const copse_flowfield_goal *goals,
                                       uint32_t count) {
  if (count > field->def.goals) return COPSE_FULL;
  if (!flow_goals_ok(goals, count)) return COPSE_INVALID_ARGUMENT;
  if (count) memcpy(field->goals, goals, count * sizeof *goals);
  field->goalCount = count;
  return COPSE_OK;
}

uint32_t copse_flowfield_goal_count(const copse_flowfield *field) { return field->goalCount; }
