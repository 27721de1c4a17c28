/* The state of the flow field: cells and lines to draw, statistics, validation, snapshots. */

#include "flowfield.h"

#include "../base/query.h"
#include "../base/snapshot.h"

#include <string.h>

/* ---- Shapes to draw, statistics ----------------------------------------------------------- */

bool copse_flowfield_is_built(const copse_flowfield *field) { return field->isBuilt; }

bool copse_flowfield_is_current(const copse_flowfield *field) {
  return field->isBuilt && flow_is_current(field, &field->maps[field->shown]);
}

const float *copse_flowfield_distances(const copse_flowfield *field) {
  return field->maps[field->shown].distances;
}

size_t copse_flowfield_cells(const copse_flowfield *field, size_t skipped, float *out,
                             size_t capacity) {
  drawing rows = {out, skipped, capacity, 7, 0};
  const flow_map *map = &field->maps[field->shown];
  const float half = field->def.cell / 2;
  for (uint32_t cell = 0; field->isBuilt && cell < flow_cell_count(field); cell++) {
    float *shape = drawing_next(&rows), center[2];
    if (!shape) continue;
    flow_center_of(field, cell, center);
    for (int axis = 0; axis < 2; axis++) {
      shape[axis] = center[axis] - half;
      shape[2 + axis] = center[axis] + half;
    }
    shape[4] = map->distances[cell];
    shape[5] = map->aims[cell] == NO_ANCHOR ? -1 : (float)map->aims[cell];
    shape[6] = map->cells[cell] & CELL_BLOCKED ? 1 : 0;
  }
  return rows.floats;
}

size_t copse_flowfield_lines(const copse_flowfield *field, size_t skipped, float *out,
                             size_t capacity) {
  drawing rows = {out, skipped, capacity, 5, 0};
  const flow_map *map = &field->maps[field->shown];
  for (uint32_t i = 0; field->isBuilt && i < map->anchorCount; i++) {
    const flow_anchor *anchor = &map->anchors[i];
    if (!(anchor->distance < INFINITY)) continue;
    float *line = drawing_next(&rows);
    if (!line) continue;
    const flow_anchor *next = anchor->parent == NO_ANCHOR ? anchor : &map->anchors[anchor->parent];
    memcpy(line, anchor->point, sizeof anchor->point);
    memcpy(line + 2, next->point, sizeof next->point);
    line[4] = anchor->distance;
  }
  return rows.floats;
}

copse_flowfield_statistics copse_flowfield_stats(const copse_flowfield *field) {
  copse_flowfield_statistics stats = {.cells = flow_cell_count(field),
                                      .restarts = field->restarts,
                                      .isUnderWay = field->stage != FLOW_IDLE,
                                      .bytes = (size_t)(sizeof *field + field->memoryBytes)};
  if (!field->isBuilt) return stats;
  const flow_map *map = &field->maps[field->shown];
  stats.blocked = map->blocked;
  stats.anchors = map->anchorCount;
  stats.moved = map->moved;
  stats.floods = map->floods;
  stats.visits = map->visits;
  stats.sights = map->sights;
  stats.work = map->work;
  for (uint32_t cell = 0; cell < stats.cells; cell++)
    stats.reached += map->distances[cell] < INFINITY;
  return stats;
}

/* ---- Validation --------------------------------------------------------------------------- */

static bool distance_ok(float distance) { return distance >= 0; }

/* True if the chain of parents of every anchor ends, that is, never runs in a circle. */
static bool parents_valid(const copse_flowfield *field, const flow_map *map) {
  uint32_t *marks = field->tested; /* free between a build's steps; must be zeros again afterward */
  bool isValid = true;
  memset(marks, 0, field->def.capacity * sizeof *marks);
  for (uint32_t i = 0; i < map->anchorCount && isValid; i++) {
    uint32_t anchor = i;
    while (anchor != NO_ANCHOR && !marks[anchor]) {
      marks[anchor] = i + 1;
      anchor = map->anchors[anchor].parent;
    }
    isValid = anchor == NO_ANCHOR || marks[anchor] != i + 1;
  }
  memset(marks, 0, field->def.capacity * sizeof *marks);
  return isValid;
}

static bool anchors_valid(const copse_flowfield *field, const flow_map *map) {
  if (map->anchorCount > field->def.capacity || map->turns > map->anchorCount) return false;
  for (uint32_t i = 0; i < map->anchorCount; i++) {
    const flow_anchor *anchor = &map->anchors[i];
    if (!query_point_ok(anchor->point, 2) || !distance_ok(anchor->distance) ||
        anchor->isWaiting > 1)
      return false;
    if (anchor->parent == NO_ANCHOR) continue;
    if (anchor->parent >= map->anchorCount ||
        !(map->anchors[anchor->parent].distance <= anchor->distance))
      return false;
  }
  return parents_valid(field, map);
}

static bool cells_valid(const copse_flowfield *field, const flow_map *map) {
  for (uint32_t cell = 0; cell < flow_cell_count(field); cell++) {
    const float distance = map->distances[cell];
    const uint32_t aim = map->aims[cell];
    if ((map->cells[cell] & ~CELL_BITS) || !distance_ok(distance)) return false;
    if (distance == INFINITY) {
      if (aim != NO_ANCHOR) return false;
    } else if (aim >= map->anchorCount || (map->cells[cell] & CELL_BLOCKED) ||
               !(map->anchors[aim].distance <= distance))
      return false;
  }
  return true;
}

static bool map_valid(const copse_flowfield *field, const flow_map *map) {
  return map->radius >= field->def.cell / 2 && map->radius <= COPSE_MAX_COORDINATE &&
         map->goalCount <= field->def.goals && flow_goals_ok(map->goals, map->goalCount) &&
         anchors_valid(field, map) && cells_valid(field, map);
}

/* True if a cell's bit CELL_BLOCKED is right. If the nearest wall is almost exactly `reach` away,
 * the bit may be set or not. */
static bool is_blocked_rightly(const copse_flowfield *field, const flow_map *map, uint32_t cell) {
  const bool isBlocked = map->cells[cell] & CELL_BLOCKED;
  if (!field->walls || (map->cells[cell] & CELL_CLOSED))
    return isBlocked == (bool)(map->cells[cell] & CELL_CLOSED);
  copse_obstacle_point wall;
  bool isInside;
  float center[2];
  flow_center_of(field, cell, center);
  copse_obstacle_contains(field->walls, center, &isInside, NULL);
  copse_obstacle_nearest(field->walls, center, map->reach * 1.00001f, COPSE_SIDE_BOTH, &wall, NULL);
  if (wall.edge == COPSE_NONE) return isBlocked == isInside;
  return isBlocked || sqrtf(wall.distance2) >= map->reach * 0.99999f;
}

/* True if the blocked cells and lines of sight of a map are right for the field's walls. Call it
 * only for a map that was made from these walls. */
static bool map_exact(const copse_flowfield *field, const flow_map *map) {
  for (uint32_t cell = 0; cell < flow_cell_count(field); cell++) {
    float center[2];
    if (!is_blocked_rightly(field, map, cell)) return false;
    if (!(map->distances[cell] < INFINITY)) continue;
    flow_center_of(field, cell, center);
    if (!flow_sees(field, map, center, map->anchors[map->aims[cell]].point, map->radius))
      return false;
  }
  for (uint32_t i = 0; i < map->anchorCount; i++) {
    const flow_anchor *anchor = &map->anchors[i];
    if (anchor->parent != NO_ANCHOR &&
        !flow_sees(field, map, anchor->point, map->anchors[anchor->parent].point, map->radius))
      return false;
  }
  return true;
}

bool copse_flowfield_validate(const copse_flowfield *field) {
  const flow_map *shown = &field->maps[field->shown], *next = &field->maps[!field->shown];
  if (field->goalCount > field->def.goals || !flow_goals_ok(field->goals, field->goalCount))
    return false;
  if (field->stage != FLOW_IDLE && !map_valid(field, next)) return false;
  if (!field->isBuilt) return true;
  return map_valid(field, shown) && (!flow_is_current(field, shown) || map_exact(field, shown));
}

/* ---- Snapshots ---------------------------------------------------------------------------- */

/* The head of a snapshot. It is followed by the goals and the closed cells for the next build, then
 * by the map that queries see, then by the map of the build under way. A map that does not exist is
 * left out. A map is a flow_record, then five arrays: goals, anchors, and the distances, the aims
 * and the bits CELL_* of the cells. Each array begins at a multiple of 4 bytes. */
typedef struct flow_snapshot {
  snapshot_header header;
  float bounds[4], cell, radius;
  uint32_t goalCount, isBuilt;
  uint32_t stage, cursor, needed, gained, restarts;
  /* Two maps: the one that queries see, and the one that is being built. Counts are 0 if the map
   * does not exist. */
  uint32_t anchorCounts[2], goalCounts[2];
} flow_snapshot;
_Static_assert(sizeof(flow_snapshot) <= SNAPSHOT_HEAD, "the head of a snapshot");

typedef struct flow_record {
  uint64_t visits, sights, work;
  float radius;
  uint32_t turns, moved, hasClosed, wallsHash, blocked, floods, unused;
} flow_record;

static uint64_t padded(uint64_t bytes) { return (bytes + 3) / 4 * 4; }

static bool has_map(const flow_snapshot *head, int index) {
  return index ? head->stage != FLOW_IDLE : head->isBuilt != 0;
}

static uint64_t snapshot_bytes(const flow_snapshot *head, uint64_t cells) {
  uint64_t bytes = sizeof *head + head->goalCount * sizeof(copse_flowfield_goal) + padded(cells);
  for (int i = 0; i < 2; i++)
    if (has_map(head, i))
      bytes += sizeof(flow_record) + head->goalCounts[i] * sizeof(copse_flowfield_goal) +
               head->anchorCounts[i] * sizeof(flow_anchor) + 4 * cells + padded(2 * cells) +
               padded(cells);
  return bytes;
}

static flow_snapshot snapshot_head(const copse_flowfield *field) {
  flow_snapshot head = {.cell = field->def.cell,
                        .radius = field->radius,
                        .goalCount = field->goalCount,
                        .isBuilt = field->isBuilt,
                        .stage = field->stage,
                        .restarts = field->restarts};
  memcpy(head.bounds, field->def.bounds, sizeof head.bounds);
  if (field->stage != FLOW_IDLE) {
    head.cursor = field->cursor;
    head.needed = field->needed;
    head.gained = field->gained;
  }
  for (int i = 0; i < 2; i++) {
    const flow_map *map = &field->maps[i ? !field->shown : field->shown];
    if (!has_map(&head, i)) continue;
    head.anchorCounts[i] = map->anchorCount;
    head.goalCounts[i] = map->goalCount;
  }
  return head;
}

/* Writes an array, and zeros up to a multiple of 4 bytes. Returns the place after the zeros. */
static char *write_array(char *out, const void *array, size_t bytes) {
  memset(out + bytes / 4 * 4, 0, (size_t)padded(bytes) - bytes / 4 * 4);
  memcpy(out, array, bytes);
  return out + padded(bytes);
}

static char *write_map(char *out, const flow_map *map, size_t cells) {
  const flow_record record = {
      map->visits,    map->sights,    map->work,    map->radius, map->turns, map->moved,
      map->hasClosed, map->wallsHash, map->blocked, map->floods, 0};
  out = write_array(out, &record, sizeof record);
  out = write_array(out, map->goals, map->goalCount * sizeof *map->goals);
  out = write_array(out, map->anchors, map->anchorCount * sizeof *map->anchors);
  out = write_array(out, map->distances, cells * sizeof *map->distances);
  out = write_array(out, map->aims, cells * sizeof *map->aims);
  return write_array(out, map->cells, cells);
}

copse_status copse_flowfield_save(const copse_flowfield *field, void *bytes, size_t capacity,
                                  size_t *total) {
  const flow_snapshot head = snapshot_head(field);
  const size_t cells = flow_cell_count(field);
  const uint64_t size = snapshot_bytes(&head, cells);
  snapshot_put_head(bytes, capacity, &head, sizeof head);
  *total = size_of(size);
  if (size > capacity) return COPSE_FULL;
  char *out = (char *)bytes + sizeof head;
  out = write_array(out, field->goals, field->goalCount * sizeof *field->goals);
  out = write_array(out, field->closed, cells);
  for (int i = 0; i < 2; i++)
    if (has_map(&head, i))
      out = write_map(out, &field->maps[i ? !field->shown : field->shown], cells);
  snapshot_seal(bytes, size, SNAPSHOT_FLOWFIELD);
  return COPSE_OK;
}

static bool same_bounds(const float *a, const float *b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

static bool head_ok(const copse_flowfield *field, const flow_snapshot *head, size_t size) {
  for (int i = 0; i < 2; i++)
    if ((!has_map(head, i) && (head->anchorCounts[i] || head->goalCounts[i])) ||
        head->anchorCounts[i] > COPSE_FLOWFIELD_MAX_CAPACITY ||
        head->goalCounts[i] > COPSE_FLOWFIELD_MAX_CAPACITY)
      return false;
  return head->goalCount <= COPSE_FLOWFIELD_MAX_CAPACITY && head->cell == field->def.cell &&
         same_bounds(head->bounds, field->def.bounds) && head->isBuilt <= 1 &&
         head->stage <= FLOW_SPREAD && size == snapshot_bytes(head, flow_cell_count(field));
}

static uint32_t largest_of(uint32_t a, uint32_t b, uint32_t c) {
  const uint32_t larger = a > b ? a : b;
  return larger > c ? larger : c;
}

/* Returns the array at *bytes, and moves *bytes past it. */
static void *read_array(const char **bytes, uint64_t size) {
  const void *array = *bytes;
  *bytes += padded(size);
  return (void *)array; /* the caller only reads it */
}

/* Returns a map whose arrays point into a snapshot. */
static flow_map read_map(const char **bytes, const copse_flowfield *field,
                         const flow_snapshot *head, int index) {
  flow_record record;
  memcpy(&record, read_array(bytes, sizeof record), sizeof record);
  flow_map map = {.anchorCount = head->anchorCounts[index],
                  .goalCount = head->goalCounts[index],
                  .turns = record.turns,
                  .moved = record.moved,
                  .radius = record.radius,
                  .reach = flow_reach(field, record.radius),
                  .hasClosed = record.hasClosed,
                  .wallsHash = record.wallsHash,
                  .blocked = record.blocked,
                  .floods = record.floods,
                  .visits = record.visits,
                  .sights = record.sights,
                  .work = record.work};
  const uint64_t cells = flow_cell_count(field);
  map.goals = read_array(bytes, map.goalCount * sizeof *map.goals);
  map.anchors = read_array(bytes, map.anchorCount * sizeof *map.anchors);
  map.distances = read_array(bytes, cells * sizeof *map.distances);
  map.aims = read_array(bytes, cells * sizeof *map.aims);
  map.cells = read_array(bytes, cells);
  return map;
}

/* Copies map `from` to map `to`, which keeps its own arrays. Then sets to->isMatched: true if the
 * field's walls are those that the map was made from. */
static void take_map(copse_flowfield *field, flow_map *to, const flow_map *from) {
  const flow_map own = *to;
  const size_t cells = flow_cell_count(field);
  *to = *from;
  to->goals = own.goals;
  to->anchors = own.anchors;
  to->distances = own.distances;
  to->aims = own.aims;
  to->cells = own.cells;
  memcpy(to->goals, from->goals, from->goalCount * sizeof *to->goals);
  memcpy(to->anchors, from->anchors, from->anchorCount * sizeof *to->anchors);
  memcpy(to->distances, from->distances, cells * sizeof *to->distances);
  memcpy(to->aims, from->aims, cells * sizeof *to->aims);
  memcpy(to->cells, from->cells, cells);
  flow_match_walls(field, to);
}

/* True if a build can continue from the stage and cursor that a snapshot's head holds. */
static bool stage_ok(const copse_flowfield *field, const flow_snapshot *head) {
  switch ((flow_stage)head->stage) {
  case FLOW_RASTER:
  case FLOW_CORNERS:
  case FLOW_SPREAD:
    return head->cursor < field->rows;
  case FLOW_GOALS:
    return head->cursor <= head->goalCounts[1];
  default:
    return true;
  }
}

copse_status copse_flowfield_restore(copse_flowfield *field, const void *bytes, size_t size,
                                     copse_flowfield_def *needed) {
  flow_snapshot head;
  const copse_status status = snapshot_open(bytes, size, SNAPSHOT_FLOWFIELD, &head, sizeof head);
  if (status != COPSE_OK) return status;
  if (!head_ok(field, &head, size)) return COPSE_BAD_SNAPSHOT;
  copse_flowfield_def most = field->def;
  most.capacity = largest_of(1, head.anchorCounts[0], head.anchorCounts[1]);
  most.goals = largest_of(head.goalCount, head.goalCounts[0], head.goalCounts[1]);
  if (needed) *needed = most;
  if (most.capacity > field->def.capacity || most.goals > field->def.goals) return COPSE_FULL;
  const size_t cells = flow_cell_count(field);
  const char *in = (const char *)bytes + sizeof head;
  const copse_flowfield_goal *goals = read_array(&in, head.goalCount * sizeof *goals);
  const uint8_t *closed = read_array(&in, cells);
  flow_map maps[2];
  if (!(head.radius >= field->def.cell / 2 && head.radius <= COPSE_MAX_COORDINATE) ||
      !flow_goals_ok(goals, head.goalCount) || !stage_ok(field, &head))
    return COPSE_BAD_SNAPSHOT;
  for (int i = 0; i < 2; i++) {
    if (!has_map(&head, i)) continue;
    maps[i] = read_map(&in, field, &head, i);
    if (!map_valid(field, &maps[i])) return COPSE_BAD_SNAPSHOT;
  }
  field->radius = head.radius;
  field->goalCount = head.goalCount;
  memcpy(field->goals, goals, head.goalCount * sizeof *goals);
  memcpy(field->closed, closed, cells);
  field->isBuilt = head.isBuilt;
  field->stage = (flow_stage)head.stage;
  field->cursor = head.cursor;
  field->needed = head.needed;
  field->gained = head.gained;
  field->restarts = head.restarts;
  for (int i = 0; i < 2; i++)
    if (has_map(&head, i))
      take_map(field, &field->maps[i ? !field->shown : field->shown], &maps[i]);
  flow_resume(field);
  return COPSE_OK;
}
