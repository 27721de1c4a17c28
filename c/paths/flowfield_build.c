/* Building the flow field, at once or in steps. */

#include "flowfield.h"

#include <string.h>

enum { ROWS_PER_STEP = 16, EDGES_PER_STEP = 64 };

/* Costs in units of work. In one unit, a flood visits about one cell, a simpler loop
 * CELLS_PER_WORK. */
enum { WORK_PER_CALL = 100, WORK_PER_SIGHT = 10, WORK_PER_EDGE = 20, CELLS_PER_WORK = 4 };

static void clear_scratch(copse_flowfield *field) {
  const size_t cells = flow_cell_count(field), anchors = field->def.capacity;
  memset(field->stamps, 0, cells * sizeof *field->stamps);
  memset(field->firsts, 0xff, cells * sizeof *field->firsts);
  memset(field->tested, 0, anchors * sizeof *field->tested);
  memset(field->places, 0xff, anchors * sizeof *field->places);
  field->waiting = field->flood = 0;
}

void flow_resume(copse_flowfield *field) {
  flow_map *map = &field->maps[!field->shown];
  if (field->stage == FLOW_IDLE) return;
  if (field->needed > map->anchorCount) { /* some anchors found no room: drops the build */
    field->stage = FLOW_IDLE;
    return;
  }
  clear_scratch(field);
  for (uint32_t turn = 0; turn < map->turns; turn++) flow_link(field, map, turn);
  for (uint32_t anchor = 0; anchor < map->anchorCount; anchor++)
    if (map->anchors[anchor].isWaiting) flow_wait(field, map, anchor);
}

void flow_match_walls(const copse_flowfield *field, flow_map *map) {
  map->isMatched = flow_hash_walls(field->walls) == map->wallsHash;
  map->wallsBuilds = field->walls ? field->walls->builds : 0;
}

float flow_reach(const copse_flowfield *field, float radius) {
  float far = 0;
  for (int i = 0; i < 4; i++) {
    const float size = fabsf(field->def.bounds[i]);
    if (size > far) far = size;
  }
  return radius + (radius * 0x1p-16f + (far + field->def.cell) * 0x1p-22f);
}

/* Begins a build with the current radius, goals, closed cells and walls. */
static void start(copse_flowfield *field) {
  flow_map *map = &field->maps[!field->shown];
  const uint32_t cells = flow_cell_count(field);
  map->anchorCount = map->turns = map->moved = map->hasClosed = map->floods = map->blocked = 0;
  map->visits = map->sights = map->work = 0;
  map->radius = field->radius;
  map->reach = flow_reach(field, field->radius);
  map->goalCount = field->goalCount;
  memcpy(map->goals, field->goals, field->goalCount * sizeof *map->goals);
  for (uint32_t cell = 0; cell < cells; cell++) {
    const bool isClosed = field->closed[cell];
    map->cells[cell] = isClosed ? CELL_CLOSED | CELL_BLOCKED : 0;
    map->distances[cell] = INFINITY;
    map->hasClosed |= isClosed;
  }
  memset(map->aims, 0xff, cells * sizeof *map->aims);
  map->wallsHash = flow_hash_walls(field->walls);
  map->wallsBuilds = field->walls ? field->walls->builds : 0;
  map->isMatched = true;
  clear_scratch(field);
  field->stage = FLOW_RASTER;
  field->cursor = field->needed = field->gained = 0;
}

static void go_on(copse_flowfield *field, flow_stage stage) {
  field->stage = stage;
  field->cursor = 0;
}

/* Marks the blocked cells of some rows. Returns the work that this cost, as every step_… function
 * does. */
static uint64_t step_raster(copse_flowfield *field, flow_map *map) {
  const uint32_t first = field->cursor, left = field->rows - first;
  const uint32_t rows = left < ROWS_PER_STEP ? left : ROWS_PER_STEP;
  flow_raster_rows(field, map, first, first + rows);
  field->cursor += rows;
  if (field->cursor == field->rows) go_on(field, FLOW_TURNS);
  return rows * field->columns / CELLS_PER_WORK + (field->walls ? field->walls->edgeCount : 0);
}

static uint64_t step_turns(copse_flowfield *field, flow_map *map) {
  const uint32_t edges = field->walls ? field->walls->def.capacity : 0;
  for (int i = 0; i < EDGES_PER_STEP && field->cursor < edges; i++, field->cursor++)
    field->needed = flow_turns_of_edge(field, map, field->cursor, field->needed);
  if (field->cursor >= edges) go_on(field, FLOW_CORNERS);
  return (uint64_t)EDGES_PER_STEP * WORK_PER_EDGE;
}

static uint64_t step_corners(copse_flowfield *field, flow_map *map) {
  const uint32_t before = field->needed;
  field->needed = flow_turns_of_row(field, map, field->cursor, field->needed);
  if (++field->cursor == field->rows) go_on(field, FLOW_GOALS);
  return field->columns / CELLS_PER_WORK + (field->needed - before) * WORK_PER_EDGE;
}

/* Adds the anchors of the next goal, the points where paths to it end: several for an area. Once
 * the anchors of all goals are added, the next call puts all of them into the heap. */
static uint64_t step_goals(copse_flowfield *field, flow_map *map) {
  if (field->cursor < map->goalCount) {
    const uint32_t before = field->needed;
    field->needed = flow_add_goal(field, map, field->cursor++, field->needed);
    return flow_cell_count(field) / CELLS_PER_WORK + (field->needed - before) * WORK_PER_EDGE;
  }
  for (uint32_t anchor = 0; anchor < map->anchorCount; anchor++)
    if (map->anchors[anchor].distance < INFINITY) flow_wait(field, map, anchor);
  go_on(field, FLOW_SPREAD);
  return map->anchorCount;
}

/* Takes an anchor (a goal or a turning point) from the heap, and gives cells a shorter path through
 * it. If the heap is empty, searches the next row for cells that were missed. The build is complete
 * once a search of all rows finds no such cell. */
static uint64_t step_spread(copse_flowfield *field, flow_map *map) {
  const uint64_t before = map->visits + map->sights * WORK_PER_SIGHT;
  uint64_t more = 0;
  if (field->waiting)
    flow_spread(field, map);
  else {
    more = field->columns / CELLS_PER_WORK;
    if (!flow_mend_row(field, map, field->cursor)) field->needed = field->def.capacity + 1;
    if (!field->waiting) field->cursor++;
    if (field->cursor == field->rows) {
      field->stage = field->gained ? FLOW_SPREAD : FLOW_IDLE;
      field->cursor = field->gained = 0;
    }
  }
  return map->visits + map->sights * WORK_PER_SIGHT - before + more;
}

static uint64_t step(copse_flowfield *field, flow_map *map) {
  switch (field->stage) {
  case FLOW_RASTER:
    return step_raster(field, map);
  case FLOW_TURNS:
    return step_turns(field, map);
  case FLOW_CORNERS:
    return step_corners(field, map);
  case FLOW_GOALS:
    return step_goals(field, map);
  default:
    return step_spread(field, map);
  }
}

/* Continues the build under way until the build is complete or has cost `work` units. Sets *needed
 * to the number of anchors that the build needs. */
static copse_status go(copse_flowfield *field, uint64_t work, uint32_t *needed) {
  flow_map *map = &field->maps[!field->shown];
  for (uint64_t done = 0; done < work && field->stage != FLOW_IDLE;) {
    const uint64_t more = step(field, map) + WORK_PER_CALL;
    done += more;
    map->work += more;
    /* Until all goals have added their anchors, field->needed is too low to be reported. */
    const bool isKnown = field->stage == FLOW_SPREAD ||
                         (field->stage == FLOW_GOALS && field->cursor == map->goalCount);
    if (isKnown && field->needed > field->def.capacity) {
      field->stage = FLOW_IDLE;
      if (needed) *needed = field->needed;
      return COPSE_FULL;
    }
  }
  if (field->stage == FLOW_IDLE) {
    field->shown = !field->shown;
    field->isBuilt = true;
  }
  if (needed) *needed = map->anchorCount;
  return COPSE_OK;
}

copse_status copse_flowfield_build(copse_flowfield *field, uint32_t *needed) {
  start(field);
  return go(field, UINT64_MAX, needed);
}

copse_status copse_flowfield_build_part(copse_flowfield *field, uint32_t work, bool *done,
                                        uint32_t *needed) {
  const bool isUnderWay = field->stage != FLOW_IDLE;
  const bool isCurrent = isUnderWay && flow_is_current(field, &field->maps[!field->shown]);
  field->restarts += isUnderWay && !isCurrent;
  if (!isCurrent) start(field);
  const copse_status status = go(field, work ? work : 1, needed);
  *done = status == COPSE_OK && field->stage == FLOW_IDLE;
  return status;
}
