/* Plays drawn levels with a flow field, and checks what copse.h promises with a plain list of
 * walls: every path that a query returns is swept against all walls and closed cells. */
#ifndef FLOWFIELD_H
#define FLOWFIELD_H

#include "../../c/base/snapshot.h"
#include "../../c/paths/flowfield.h"
#include "walls.h"

enum {
  FLOW_SIDE = 24,
  FLOW_CELLS = (FLOW_SIDE + 1) * (FLOW_SIDE + 1),
  FLOW_GOAL_ROOM = 4,
  FLOW_BYTES = 1 << 20
};

typedef struct flow_level {
  copse_flowfield_def def;
  float radius;
  copse_obstacle *walls;
  wall_list list; /* the same walls */
  copse_flowfield_goal goals[FLOW_GOAL_ROOM];
  uint32_t goalCount;
  uint8_t closed[FLOW_CELLS];
  uint32_t columns, rows;
  ledger book;
} flow_level;

/* ---- The oracle ---- */

static inline double flow_wall_gap(const wall_list *list, const float *from, const float *to) {
  double least2 = INFINITY, nearest[2];
  for (uint32_t id = 0; id < WALLS; id++) {
    const wall_edge *edge = &list->edges[id];
    if (!edge->isThere) continue;
    if (edge_met(edge, from, to)) return 0;
    const double x0 = (double)from[0], y0 = (double)from[1], x1 = (double)to[0], y1 = (double)to[1];
    const bool isPoint = x0 == x1 && y0 == y1;
    for (int end = 0; end < 2; end++) {
      const float *own = end ? to : from;
      const double x = end ? edge->x1 : edge->x0, y = end ? edge->y1 : edge->y0;
      least2 = fmin(least2, segment_distance2(edge->x0, edge->y0, edge->x1, edge->y1,
                                              (double)own[0], (double)own[1], nearest));
      if (!isPoint) least2 = fmin(least2, segment_distance2(x0, y0, x1, y1, x, y, nearest));
    }
  }
  return sqrt(least2);
}

/* Returns a corner of a cell, in cells. */
static inline double flow_in_cells(const flow_level *level, int axis, float coordinate) {
  return ((double)coordinate - (double)level->def.bounds[axis]) / (double)level->def.cell;
}

/* Returns by how much rounding may move a point, in cells. */
static inline double flow_rounding(const flow_level *level) {
  double far = 0;
  for (int i = 0; i < 4; i++) far = fmax(far, fabs((double)level->def.bounds[i]));
  return 1e-5 + far / (double)level->def.cell * 0x1p-22;
}

/* True if a segment enters a cell by more than rounding. */
static inline bool flow_enters(const flow_level *level, uint32_t column, uint32_t row,
                               const float *from, const float *to) {
  const double rounding = flow_rounding(level);
  double begin = 0, end = 1;
  for (int axis = 0; axis < 2; axis++) {
    const double lo = (axis ? row : column) + rounding, hi = lo + 1 - 2 * rounding;
    const double a = flow_in_cells(level, axis, from[axis]),
                 b = flow_in_cells(level, axis, to[axis]);
    if (a == b) {
      if (a < lo || a > hi) return false;
      continue;
    }
    const double first = (lo - a) / (b - a), last = (hi - a) / (b - a);
    begin = fmax(begin, fmin(first, last));
    end = fmin(end, fmax(first, last));
  }
  return begin < end;
}

/* True if a segment meets no closed cell; but it may begin in one. */
static inline bool flow_open(const flow_level *level, const float *from, const float *to) {
  for (uint32_t cell = 0; cell < level->columns * level->rows; cell++)
    if (level->closed[cell] &&
        flow_enters(level, cell % level->columns, cell / level->columns, from, to))
      return false;
  return true;
}

static inline bool flow_in_closed(const flow_level *level, const float *point) {
  const double rounding = flow_rounding(level);
  for (uint32_t cell = 0; cell < level->columns * level->rows; cell++)
    if (level->closed[cell]) {
      bool isIn = true;
      for (int axis = 0; axis < 2; axis++) {
        const double place = flow_in_cells(level, axis, point[axis]);
        const double lo = axis ? cell / level->columns : cell % level->columns;
        isIn &= place >= lo - rounding && place <= lo + 1 + rounding;
      }
      if (isIn) return true;
    }
  return false;
}

/* ---- Drawing levels ---- */

/* Returns a coordinate in or just outside of the bounds, mostly a multiple of a quarter cell. */
static inline float flow_coordinate(input *in, const flow_level *level, int axis) {
  const float lo = level->def.bounds[axis], size = level->def.bounds[2 + axis] - lo;
  const uint8_t kind = next_byte(in), byte = next_byte(in);
  if (kind % 32 == 0) return lo + size * ((float)byte - 128) / 16;
  const float cells = ((float)byte / 255 * 1.1f - 0.05f) * size / level->def.cell;
  const float exact = kind % 4 ? cells : floorf(cells * 4) / 4;
  return lo + exact * level->def.cell;
}

static inline void flow_point(input *in, const flow_level *level, float *point) {
  for (int axis = 0; axis < 2; axis++) point[axis] = flow_coordinate(in, level, axis);
}

/* Writes the corners of a wall: a thin one, a box, a rotated box, or any polygon. Returns how many.
 */
static inline uint32_t flow_wall(input *in, const flow_level *level, float *points) {
  const uint8_t kind = next_byte(in) % 8;
  flow_point(in, level, points);
  if (kind < 2) {
    flow_point(in, level, points + 2);
    if (kind == 1) points[2] = points[0];
    return 2;
  }
  if (kind < 6) {
    const float along[2] = {((float)next_byte(in) - 128) / 32 * level->def.cell,
                            kind < 4 ? 0 : ((float)next_byte(in) - 128) / 32 * level->def.cell};
    const float wide = ((float)next_byte(in) + 1) / 128;
    const float across[2] = {-along[1] * wide, along[0] * wide};
    for (int axis = 0; axis < 2; axis++) {
      points[2 + axis] = points[axis] + along[axis];
      points[4 + axis] = points[axis] + along[axis] + across[axis];
      points[6 + axis] = points[axis] + across[axis];
    }
    return 4;
  }
  const uint32_t count = 3 + next_byte(in) % 4;
  for (uint32_t i = 1; i < count; i++) flow_point(in, level, points + 2 * (size_t)i);
  if (next_byte(in) % 4 == 0) memcpy(points + 2, points, 2 * sizeof *points);
  return count;
}

static inline void flow_add_wall(input *in, flow_level *level) {
  float points[2 * 8];
  uint32_t slot;
  const uint32_t count = flow_wall(in, level, points);
  const uint8_t kind = next_byte(in) % 16;
  const copse_solid solid = kind == 0   ? COPSE_SOLID_NOWHERE
                            : kind == 1 ? COPSE_SOLID_OUTSIDE
                            : kind < 6  ? COPSE_SOLID_INSIDE
                                        : COPSE_SOLID_WINDING;
  if (copse_obstacle_add(level->walls, points, count, solid, &slot) == COPSE_OK)
    list_add(&level->list, points, count, solid);
}

static inline void flow_draw_goals(input *in, flow_level *level) {
  level->goalCount = next_byte(in) % (FLOW_GOAL_ROOM + 1);
  for (uint32_t i = 0; i < level->goalCount; i++) {
    copse_flowfield_goal *goal = &level->goals[i];
    const uint8_t kind = next_byte(in);
    flow_point(in, level, goal->lo);
    memcpy(goal->hi, goal->lo, sizeof goal->hi);
    if (kind % 4 == 0)
      for (int axis = 0; axis < 2; axis++)
        goal->hi[axis] = goal->lo[axis] + level->def.cell * (float)(next_byte(in) % 32) / 8;
    goal->cost = kind % 8 < 6 ? 0 : level->def.cell * (float)(kind / 8);
  }
}

static inline void flow_draw_closed(input *in, flow_level *level) {
  const uint8_t kind = next_byte(in) % 8;
  for (uint32_t cell = 0; cell < level->columns * level->rows && kind < 3; cell++)
    level->closed[cell] = kind == 0   ? next_byte(in) % 8 == 0
                          : kind == 1 ? next_byte(in) % 3 == 0
                                      : 0;
  if (kind == 2 && next_byte(in) % 8 == 0) memset(level->closed, 1, sizeof level->closed);
  if (kind == 3) { /* a long bar */
    const uint32_t row = next_byte(in) % level->rows, begin = next_byte(in) % level->columns;
    memset(level->closed + (size_t)row * level->columns + begin, 255, (level->columns - begin) / 2);
  }
}

/* Draws a level. Returns false if it cannot be created. */
static inline bool flow_draw(input *in, flow_level *level) {
  static const float CELLS[] = {1, 0.5f, 0.75f, 0.1f}, CORNERS[] = {0, -7.5f, 1000, -3};
  memset(level, 0, sizeof *level);
  level->book = (ledger){-1, 0};
  level->def = copse_flowfield_default();
  level->def.allocator = ledger_allocator(&level->book);
  level->def.cell = CELLS[next_byte(in) % 4];
  level->columns = 1 + next_byte(in) % FLOW_SIDE;
  level->rows = next_byte(in) % 16 ? level->columns : 1u + next_byte(in) % FLOW_SIDE;
  const uint8_t corner = next_byte(in);
  for (int axis = 0; axis < 2; axis++) {
    const float lo = CORNERS[(axis ? corner / 4 : corner) % 4];
    level->def.bounds[axis] = lo;
    level->def.bounds[2 + axis] =
        lo +
        ((float)(axis ? level->rows : level->columns) - (corner & 64 ? 0.5f : 0)) * level->def.cell;
  }
  const uint8_t radius = next_byte(in);
  level->radius = level->def.cell * (0.5f + (radius % 4 ? (float)radius / 256 : 0));
  level->def.radius = level->radius;
  level->def.capacity = 1 + next_byte(in) * 2u;
  copse_flowfield *field; /* far from 0, rounding of the bounds may add a column or a row */
  if (copse_flowfield_create(&level->def, &field) != COPSE_OK) return false;
  level->columns = copse_flowfield_columns(field);
  level->rows = copse_flowfield_rows(field);
  copse_flowfield_destroy(field);
  copse_obstacle_def walls = copse_obstacle_default();
  walls.capacity = WALLS;
  walls.leafSize = 1 + next_byte(in) % 8;
  walls.allocator = level->def.allocator;
  if (copse_obstacle_create(&walls, &level->walls) != COPSE_OK) return false;
  level->list.capacity = WALLS;
  for (uint32_t count = next_byte(in) % 14; count; count--) flow_add_wall(in, level);
  if (copse_obstacle_build(level->walls, NULL) != COPSE_OK) return false;
  list_build(&level->list);
  flow_draw_closed(in, level);
  flow_draw_goals(in, level);
  return true;
}

static inline copse_flowfield *flow_create(flow_level *level) {
  copse_flowfield *field;
  if (copse_flowfield_create(&level->def, &field) != COPSE_OK) return NULL;
  copse_flowfield_set_obstacles(field, level->walls);
  memcpy(copse_flowfield_closed(field), level->closed, (size_t)level->columns * level->rows);
  copse_flowfield_set_goals(field, level->goals, level->goalCount);
  return field;
}

/* ---- Checks ---- */

/* Checks which cells are blocked, with the list. At the radius itself, rounding may decide. */
static inline const char *flow_check_cells(const copse_flowfield *field, const flow_level *level) {
  static float cells[7 * FLOW_CELLS];
  const uint32_t count = level->columns * level->rows;
  MUST_HOLD(copse_flowfield_cells(field, 0, cells, 7 * FLOW_CELLS) == 7 * (size_t)count, "cells");
  for (uint32_t cell = 0; cell < count; cell++) {
    const float *own = cells + (size_t)7 * cell;
    const float center[2] = {(own[0] + own[2]) / 2, (own[1] + own[3]) / 2};
    const double gap = flow_wall_gap(&level->list, center, center), radius = (double)level->radius;
    const double far = fabs((double)center[0]) + fabs((double)center[1]);
    const double slack = 1e-3 * (double)level->def.cell + 1e-6 * far;
    const bool isSolid = list_contains(&level->list, center);
    if (gap < radius - slack || level->closed[cell] || (isSolid && gap > slack))
      MUST_HOLD(own[6] == 1, "cells: not blocked");
    else if (gap > radius + slack)
      MUST_HOLD(own[6] == 0, "cells: blocked");
    MUST_HOLD(own[6] == 0 || own[4] == INFINITY, "cells: a blocked one is reached");
    MUST_HOLD((own[4] == INFINITY) == (own[5] == -1), "cells: anchor");
    MUST_HOLD(own[4] == copse_flowfield_distances(field)[cell], "cells: distance");
  }
  return NULL;
}

/* Checks the path from a point, if the walls are those of the build: its segments, its length, its
 * end. */
static inline const char *flow_check_path(const copse_flowfield *field, const flow_level *level,
                                          const float *start) {
  static float corners[2 * 4096];
  copse_path path = {.corners = corners, .capacity = 4096};
  float distance = -1, direction[2], alone;
  MUST_HOLD(copse_flowfield_path(field, start, &path) == COPSE_OK, "path");
  const uint32_t total = path.total;
  MUST_HOLD(copse_flowfield_direction(field, start, direction, &distance) == COPSE_OK, "direction");
  MUST_HOLD(copse_flowfield_distance(field, start, &alone) == COPSE_OK && alone == distance,
            "distance");
  MUST_HOLD((total == 0) == (distance == INFINITY), "path: without a distance");
  MUST_HOLD(path.reached == (total > 0), "path: reached");
  if (!total) return direction[0] == 0 && direction[1] == 0 ? NULL : "a direction without a path";
  MUST_HOLD(total <= 4096, "path: too long");
  const double own = flow_wall_gap(&level->list, start, start), radius = (double)level->radius;
  const bool isClosed = flow_in_closed(level, start);
  double length = 0;
  const float *from = start;
  for (uint32_t i = 0; i < total; i++) {
    const float *to = corners + 2 * (size_t)i;
    const double gap = flow_wall_gap(&level->list, from, to);
    MUST_HOLD(gap > fmin(radius, own * 0.99) || (i == 0 && gap == own), "path: too near to a wall");
    MUST_HOLD((i == 0 && isClosed) || flow_open(level, from, to), "path: through a closed cell");
    length += hypot((double)to[0] - (double)from[0], (double)to[1] - (double)from[1]);
    from = to;
  }
  MUST_HOLD(fabs((double)path.length - length) <= 1e-5 * length, "path: length");
  double cost = INFINITY; /* of the goal at the end; a moved goal ends at the center of a cell */
  for (uint32_t i = 0; i < level->goalCount; i++) {
    const copse_flowfield_goal *goal = &level->goals[i];
    const double rest = (double)distance - length - (double)goal->cost;
    const double slack = 1e-4 * ((double)distance + (double)level->def.cell * 24);
    if (fabs(rest) <= slack) cost = (double)goal->cost;
  }
  MUST_HOLD(cost < INFINITY, "path: its length is not the distance");
  const double x = (double)corners[0] - (double)start[0], y = (double)corners[1] - (double)start[1];
  const double first = hypot(x, y);
  if (first == 0) return direction[0] == 0 && direction[1] == 0 ? NULL : "a direction at the goal";
  MUST_HOLD(fabs((double)direction[0] - x / first) < 1e-5 &&
                fabs((double)direction[1] - y / first) < 1e-5,
            "the direction is not that of the path");
  return NULL;
}

/* Moves an agent along its directions: it arrives, keeps its radius, and each path is shorter. */
static inline const char *flow_check_walk(const copse_flowfield *field, const flow_level *level,
                                          const float *start, float radius) {
  const double clear = (double)radius;
  copse_flowfield_aim aim = {.anchor = COPSE_NONE};
  float point[2] = {start[0], start[1]};
  if (flow_wall_gap(&level->list, start, start) <= clear || flow_in_closed(level, start))
    return NULL;
  copse_flowfield_lead(field, point, radius, &aim);
  if (aim.distance == INFINITY) return NULL;
  const float step = level->def.cell / 4;
  const uint32_t most = (uint32_t)(4 * aim.distance / step) + 20;
  for (uint32_t i = 0; i < most; i++) {
    copse_flowfield_lead(field, point, radius, &aim);
    MUST_HOLD(aim.distance < INFINITY, "walk: the path is lost");
    if (aim.direction[0] == 0 && aim.direction[1] == 0) return NULL; /* at the goal */
    const float gap = flow_length(point, aim.point), length = gap < step ? gap : step;
    const bool isLast = aim.anchor != COPSE_NONE &&
                        field->maps[field->shown].anchors[aim.anchor].parent == NO_ANCHOR;
    if (isLast && gap <= step) return NULL;
    const float next[2] = {point[0] + aim.direction[0] * length,
                           point[1] + aim.direction[1] * length};
    MUST_HOLD(flow_wall_gap(&level->list, point, next) >
                  clear * 0.9999 - flow_rounding(level) * (double)level->def.cell,
              "walk: too near to a wall");
    MUST_HOLD(flow_open(level, point, next), "walk: into a closed cell");
    memcpy(point, next, sizeof point);
  }
  return "walk: it does not arrive";
}

/* Returns the bytes of a snapshot. */
static inline size_t flow_save(const copse_flowfield *field, uint32_t *words) {
  size_t bytes;
  return copse_flowfield_save(field, words, FLOW_BYTES, &bytes) == COPSE_OK ? bytes : 0;
}

/* Changes a word of a snapshot, with a right checksum. It is refused, or gives a field that can be
 * used: no query and no update may hang or read out of bounds. */
static inline const char *flow_check_forged(input *in, flow_level *level, uint32_t *words,
                                            size_t bytes) {
  static uint32_t before[FLOW_BYTES / 4], after[FLOW_BYTES / 4];
  copse_flowfield *field = flow_create(level);
  MUST_HOLD(field, "create");
  const size_t size = flow_save(field, before);
  words[next_bytes(in, 3) % (bytes / 4)] ^= 1u << next_byte(in) % 32;
  snapshot_seal(words, bytes, SNAPSHOT_FLOWFIELD);
  if (copse_flowfield_restore(field, words, bytes, NULL) == COPSE_OK) {
    float corners[2], point[2];
    copse_path path = {.corners = corners, .capacity = 1};
    copse_flowfield_aim aim = {.anchor = next_byte(in)};
    bool done = !copse_flowfield_is_built(field);
    for (int i = 0; i < 4 && !done; i++) {
      flow_point(in, level, point);
      copse_flowfield_path(field, point, &path);
      copse_flowfield_lead(field, point, 0.25f, &aim);
    }
    copse_flowfield_validate(field);
    copse_flowfield_build_part(field, 1000, &done, NULL);
    copse_flowfield_build_part(field, UINT32_MAX, &done, NULL);
  } else
    MUST_HOLD(flow_save(field, after) == size && !memcmp(before, after, size),
              "a refused snapshot changed something");
  copse_flowfield_destroy(field);
  return NULL;
}

/* Builds in slices, through snapshots, and compares the snapshot at the end. */
static inline const char *flow_check_update(input *in, const copse_flowfield *built,
                                            flow_level *level) {
  static uint32_t expected[FLOW_BYTES / 4], saved[FLOW_BYTES / 4];
  const size_t size = flow_save(built, expected);
  MUST_HOLD(size, "save");
  copse_flowfield *field = flow_create(level);
  MUST_HOLD(field, "create");
  const uint32_t work = 1 + next_bytes(in, 2) % 5000, jump = 1 + next_byte(in) % 16;
  bool done = false;
  for (uint32_t i = 0; !done; i++) {
    MUST_HOLD(copse_flowfield_build_part(field, work, &done, NULL) == COPSE_OK, "update");
    MUST_HOLD(copse_flowfield_is_built(field) == done, "update: done");
    MUST_HOLD(i > 20 || copse_flowfield_validate(field), "update: validate");
    if (i % jump || done) continue;
    const size_t bytes = flow_save(field, saved);
    copse_flowfield *other = flow_create(level);
    MUST_HOLD(other && copse_flowfield_restore(other, saved, bytes, NULL) == COPSE_OK, "restore");
    static uint32_t again[FLOW_BYTES / 4];
    MUST_HOLD(flow_save(other, again) == bytes && !memcmp(saved, again, bytes), "restore: state");
    copse_flowfield_destroy(field);
    field = other;
    const char *wrong = i ? NULL : flow_check_forged(in, level, saved, bytes);
    if (wrong) return wrong;
  }
  const bool isSame = flow_save(field, saved) == size && !memcmp(saved, expected, size);
  copse_flowfield_destroy(field);
  return isSame ? NULL : "an update differs from a build";
}

/* Moves walls without building the field again: no agent is sent through them. */
static inline const char *flow_check_moved(input *in, const copse_flowfield *field,
                                           flow_level *level) {
  flow_add_wall(in, level);
  MUST_HOLD(copse_obstacle_build(level->walls, NULL) == COPSE_OK, "build of walls");
  list_build(&level->list);
  MUST_HOLD(!copse_flowfield_is_current(field), "not current");
  for (int i = 0; i < 8; i++) {
    float point[2], corners[2];
    copse_path path = {.corners = corners, .capacity = 1};
    flow_point(in, level, point);
    const double own = flow_wall_gap(&level->list, point, point);
    MUST_HOLD(copse_flowfield_path(field, point, &path) == COPSE_OK, "path");
    if (!path.total) continue;
    const double gap = flow_wall_gap(&level->list, point, corners);
    const bool isThere = corners[0] == point[0] && corners[1] == point[1];
    MUST_HOLD(isThere || gap > fmin((double)level->radius * 0.9999, own * 0.99),
              "moved walls: too near");
  }
  return NULL;
}

/* Builds; if the field is full, reserves what it asks for. */
static inline const char *flow_check_build(copse_flowfield *field) {
  for (;;) {
    uint32_t needed = 0;
    const uint32_t capacity = copse_flowfield_capacity(field);
    const copse_status status = copse_flowfield_build(field, &needed);
    if (status == COPSE_OK) {
      MUST_HOLD(needed == copse_flowfield_stats(field).anchors && needed <= capacity,
                "build: anchors");
      return copse_flowfield_validate(field) ? NULL : "validate";
    }
    MUST_HOLD(status == COPSE_FULL && needed > capacity, "build: full");
    MUST_HOLD(copse_flowfield_reserve(field, needed, 0) == COPSE_OK, "reserve");
  }
}

static inline const char *play_in_flowfield(input *in, copse_flowfield *field, flow_level *level) {
  const char *wrong;
  float point[2], distance;
  flow_point(in, level, point);
  MUST_HOLD(copse_flowfield_distance(field, point, &distance) == COPSE_NOT_BUILT, "not built");
  if ((wrong = flow_check_build(field))) return wrong;
  level->def.capacity = copse_flowfield_capacity(field);
  if ((wrong = flow_check_cells(field, level))) return wrong;
  for (int i = 0; i < 12; i++) {
    flow_point(in, level, point);
    if ((wrong = flow_check_path(field, level, point))) return wrong;
    if (i % 4) continue;
    const float radius = level->radius * (i % 8 ? 1 : 0.98f);
    if ((wrong = flow_check_walk(field, level, point, radius))) return wrong;
  }
  if ((wrong = flow_check_update(in, field, level))) return wrong;
  return flow_check_moved(in, field, level);
}

/* Plays bytes as a level. Returns what is wrong, or NULL. */
static inline const char *play_flowfield(const uint8_t *bytes, size_t size) {
  static flow_level level;
  input in = {bytes, size};
  const char *wrong = NULL;
  if (flow_draw(&in, &level)) {
    const size_t walls = level.book.bytesHeld;
    copse_flowfield *field = flow_create(&level);
    wrong = !field ? "create"
            : level.book.bytesHeld - walls != copse_flowfield_bytes(&level.def)
                ? "bytes"
                : play_in_flowfield(&in, field, &level);
    copse_flowfield_destroy(field);
  }
  copse_obstacle_destroy(level.walls);
  return !wrong && level.book.bytesHeld ? "memory is not given back" : wrong;
}

#endif
