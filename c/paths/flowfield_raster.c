/* Prepares a build of the flow field: marks the cells that walls block, and places the anchors
 * (goals, and turning points at corners). */

#include "flowfield.h"

#include "../base/query.h"
#include "../base/snapshot.h"

#include <string.h>

/* ---- Geometry ----------------------------------------------------------------------------- */

float flow_center(const copse_flowfield *field, int axis, uint32_t index) {
  return (float)((double)field->def.bounds[axis] + ((double)index + 0.5) * (double)field->def.cell);
}

void flow_center_of(const copse_flowfield *field, uint32_t cell, float *center) {
  center[0] = flow_center(field, 0, cell % field->columns);
  center[1] = flow_center(field, 1, cell / field->columns);
}

double flow_place(const copse_flowfield *field, int axis, double coordinate) {
  return (coordinate - (double)field->def.bounds[axis]) / (double)field->def.cell - 0.5;
}

int32_t flow_floor(double place, int32_t lo, int32_t hi) {
  if (!(place > (double)lo)) return lo;
  return place < (double)hi ? (int32_t)floor(place) : hi;
}

uint32_t flow_cell_at(const copse_flowfield *field, const float *point) {
  uint32_t places[2];
  for (int axis = 0; axis < 2; axis++) {
    const uint32_t cells = axis ? field->rows : field->columns;
    places[axis] = (uint32_t)flow_floor(flow_place(field, axis, (double)point[axis]) + 0.5, 0,
                                        (int32_t)cells - 1);
  }
  return places[1] * field->columns + places[0];
}

bool flow_covers(const copse_flowfield *field, const float *point) {
  for (int axis = 0; axis < 2; axis++) {
    const double place = flow_place(field, axis, (double)point[axis]) + 0.5;
    if (!(place >= 0 && place < (double)(axis ? field->rows : field->columns))) return false;
  }
  return true;
}

float flow_length(const float *from, const float *to) {
  const float x = to[0] - from[0], y = to[1] - from[1];
  return sqrtf(x * x + y * y);
}

/* ---- Walls -------------------------------------------------------------------------------- */

uint32_t flow_hash_walls(const copse_obstacle *walls) {
  uint32_t hash = 0;
  if (!walls) return hash;
  for (uint32_t id = 0; id < walls->def.capacity; id++) {
    if (!walls->kinds[id]) continue;
    uint32_t words[4];
    memcpy(words, &walls->edges[id], sizeof words);
    hash = hash_word(hash, walls->kinds[id]);
    for (int i = 0; i < 4; i++) hash = hash_word(hash, words[i]);
  }
  return walls->hasBoundaries ? ~hash : hash;
}

/* ---- Blocked cells ------------------------------------------------------------------------ */

/* The rows, first … last, that one call of flow_raster_rows marks. */
typedef struct band {
  const copse_flowfield *field;
  flow_map *map;
  int32_t first, last;
  double reach;
} band;

/* A range of columns or rows, both ends included; empty if begin > end. */
typedef struct extent {
  int32_t begin, end;
} extent;

/* Returns the columns (axis 0) or the rows of a band (axis 1) whose centers lie in lo … hi.
 * Includes up to one more at each end, so that rounding loses none. */
static extent extent_of(const band *rows, int axis, double lo, double hi) {
  const int32_t first = axis ? rows->first : 0;
  const int32_t last = axis ? rows->last : (int32_t)rows->field->columns - 1;
  return (extent){flow_floor(flow_place(rows->field, axis, lo) - 1, first - 1, last) + 1,
                  flow_floor(flow_place(rows->field, axis, hi) + 1, first - 1, last)};
}

static double lesser(double a, double b) { return a < b ? a : b; }
static double greater(double a, double b) { return a > b ? a : b; }

static vec center_at(const band *rows, int32_t column, int32_t row) {
  return (vec){(double)flow_center(rows->field, 0, (uint32_t)column),
               (double)flow_center(rows->field, 1, (uint32_t)row)};
}

static size_t cell_index(const band *rows, int32_t column, int32_t row) {
  return (size_t)(uint32_t)row * rows->field->columns + (uint32_t)column;
}

/* Blocks the cells whose centers are within reach of the edge a … b. */
static void mark_edge(const band *rows, vec a, vec b) {
  const double reach = rows->reach;
  const vec way = vec_to(a, b);
  const extent up = extent_of(rows, 1, lesser(a.y, b.y) - reach, greater(a.y, b.y) + reach);
  for (int32_t row = up.begin; row <= up.end; row++) {
    const double y = center_at(rows, 0, row).y;
    /* The part of the edge that may be within reach of the row's centers, as fractions of the
     * edge. */
    double begin = 0, end = 1;
    if (way.y != 0) {
      const double low = (y - reach - a.y) / way.y, high = (y + reach - a.y) / way.y;
      begin = lesser(greater(lesser(low, high), 0), 1);
      end = greater(lesser(greater(low, high), 1), 0);
    }
    const double x0 = a.x + way.x * begin, x1 = a.x + way.x * end;
    const extent along = extent_of(rows, 0, lesser(x0, x1) - reach, greater(x0, x1) + reach);
    for (int32_t column = along.begin; column <= along.end; column++) {
      uint8_t *cell = &rows->map->cells[cell_index(rows, column, row)];
      if (!(*cell & CELL_BLOCKED) &&
          foot_on(a, b, center_at(rows, column, row)).distance2 <= reach * reach)
        *cell |= CELL_BLOCKED;
    }
  }
}

/* Returns how far a coordinate is outside of lo … lo + size; 0 inside. */
static double gap_to(double x, double lo, double size) {
  return greater(0, greater(lo - x, x - lo - size));
}

/* Marks the squares (each between the centers of four cells) that are within reach of a vertex. */
static void mark_vertex(const band *rows, vec vertex) {
  const double reach = rows->reach, size = (double)rows->field->def.cell;
  const extent up = extent_of(rows, 1, vertex.y - reach - size, vertex.y + reach);
  const extent along = extent_of(rows, 0, vertex.x - reach - size, vertex.x + reach);
  for (int32_t row = up.begin; row <= up.end; row++)
    for (int32_t column = along.begin; column <= along.end; column++) {
      const vec low = center_at(rows, column, row);
      const vec gap = {gap_to(vertex.x, low.x, size), gap_to(vertex.y, low.y, size)};
      if (vec_dot(gap, gap) <= reach * reach)
        rows->map->cells[cell_index(rows, column, row)] |= CELL_NEAR_VERTEX;
    }
}

/* Adds an edge to the winding numbers of cells, which say what is solid. In each row that the edge
 * crosses, the numbers change by 1 or -1 right of the edge. This change is stored in field->stamps,
 * for the first cell whose center is right of the edge; block_solid sums up the changes. A center
 * that rounding puts on the wrong side of the edge is so near to the edge that its cell is blocked
 * anyway. */
static void wind_edge(const band *rows, vec a, vec b) {
  const copse_flowfield *field = rows->field;
  const extent up = extent_of(rows, 1, lesser(a.y, b.y), greater(a.y, b.y));
  for (int32_t row = up.begin; row <= up.end; row++) {
    const double y = center_at(rows, 0, row).y;
    if ((a.y <= y) == (b.y <= y)) continue;
    const double x = a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y));
    const int32_t column = flow_floor(flow_place(field, 0, x), -1, (int32_t)field->columns - 1) + 1;
    if (column < (int32_t)field->columns) /* going right, an upward edge ends a solid area */
      field->stamps[cell_index(rows, column, row)] += a.y <= y ? UINT32_MAX : 1;
  }
}

/* Blocks the cells in solid areas, where the winding number is positive: the sum, along the row, of
 * the changes that wind_edge stored in field->stamps. Clears the stamps, and counts the blocked
 * cells. */
static void block_solid(const band *rows) {
  const copse_flowfield *field = rows->field;
  const bool hasBoundaries = field->walls && field->walls->hasBoundaries;
  for (int32_t row = rows->first; row <= rows->last; row++) {
    const size_t begin = (size_t)(uint32_t)row * field->columns;
    uint32_t winding = hasBoundaries;
    for (size_t cell = begin; cell < begin + field->columns; cell++) {
      winding += field->stamps[cell];
      field->stamps[cell] = 0;
      if ((int32_t)winding > 0) rows->map->cells[cell] |= CELL_BLOCKED;
      rows->map->blocked += rows->map->cells[cell] & CELL_BLOCKED;
    }
  }
}

/* Marks the blocked squares of a row. A square is between the centers of four cells: two of this
 * row, two of the row above. The blocked cells of both rows must be marked already. */
static void mark_squares(const copse_flowfield *field, flow_map *map, uint32_t row) {
  const size_t columns = field->columns;
  uint8_t *cells = map->cells + row * columns;
  const bool isLast = row + 1 == field->rows;
  for (size_t i = 0; i < columns; i++) {
    const uint8_t around =
        isLast || i + 1 == columns
            ? CELL_BLOCKED
            : cells[i] | cells[i + 1] | cells[i + columns] | cells[i + columns + 1];
    if ((around & CELL_BLOCKED) || (cells[i] & CELL_NEAR_VERTEX)) cells[i] |= CELL_SQUARE_BLOCKED;
  }
}

void flow_raster_rows(copse_flowfield *field, flow_map *map, uint32_t first, uint32_t end) {
  const copse_obstacle *walls = field->walls;
  const band rows = {field, map, (int32_t)first, (int32_t)end - 1, (double)map->reach};
  /* An edge farther than `far` from the centers of rows first … end - 1 marks no cell in them. */
  const double far = rows.reach + 2 * (double)field->def.cell;
  const double low = (double)flow_center(field, 1, first) - far;
  const double high = (double)flow_center(field, 1, end - 1) + far;
  for (uint32_t id = 0; walls && id < walls->def.capacity; id++) {
    if (!walls->kinds[id]) continue;
    const vec a = vec_of(walls->edges[id].from), b = vec_of(walls->edges[id].to);
    if ((a.y < low && b.y < low) || (a.y > high && b.y > high)) continue;
    mark_edge(&rows, a, b);
    mark_vertex(&rows, a);
    if (walls->kinds[id] & EDGE_OF_AREA) wind_edge(&rows, a, b);
  }
  block_solid(&rows);
  for (uint32_t row = first ? first - 1 : 0; row + 1 < end || (row < end && end == field->rows);
       row++)
    mark_squares(field, map, row);
}

/* ---- Turning points ----------------------------------------------------------------------- */

void flow_link(copse_flowfield *field, flow_map *map, uint32_t anchor) {
  const uint32_t cell = flow_cell_at(field, map->anchors[anchor].point);
  const uint32_t column = cell % field->columns, row = cell / field->columns;
  field->nexts[anchor] = field->firsts[cell];
  field->firsts[cell] = (uint16_t)anchor;
  for (uint32_t y = row ? row - 1 : 0; y <= row + 1 && y < field->rows; y++)
    for (uint32_t x = column ? column - 1 : 0; x <= column + 1 && x < field->columns; x++)
      map->cells[(size_t)y * field->columns + x] |= CELL_TURNS;
}

/* True if a point of the field is farther than map->reach from all walls, and neither in a solid
 * area nor in a closed cell. */
static bool is_free(const copse_flowfield *field, const flow_map *map, const float *point) {
  const uint32_t cell = flow_cell_at(field, point);
  if (map->cells[cell] & CELL_CLOSED) return false;
  if (!field->walls) return true;
  copse_obstacle_point wall;
  copse_obstacle_nearest(field->walls, point, map->reach, COPSE_SIDE_BOTH, &wall, NULL);
  if (wall.edge != COPSE_NONE) return false;
  /* If the cell is not blocked, its center is free. Then the point is free too, because no wall is
   * between the two: such a wall would be within a quarter of the cell's diagonal of the center or
   * of the point. But both are farther than map->reach from all walls, and map->reach is at least
   * half a cell. */
  if (!(map->cells[cell] & CELL_BLOCKED)) return true;
  bool isInside;
  copse_obstacle_contains(field->walls, point, &isInside, NULL);
  return !isInside;
}

/* Adds an anchor (a goal or a turning point) at `point`, if the point is in the field and free (see
 * is_free). Returns the new number of anchors. If there is no room, counts the anchor without
 * storing it. */
static uint32_t add_anchor(const copse_flowfield *field, flow_map *map, const float *point,
                           uint32_t count) {
  if (!flow_covers(field, point) || !is_free(field, map, point)) return count;
  if (count < field->def.capacity)
    map->anchors[map->anchorCount++] =
        (flow_anchor){{point[0] + 0.0f, point[1] + 0.0f}, INFINITY, NO_ANCHOR, 0};
  return count + 1;
}

static uint32_t add_turn(copse_flowfield *field, flow_map *map, const float *point,
                         uint32_t count) {
  const uint32_t before = map->anchorCount;
  count = add_anchor(field, map, point, count);
  if (map->anchorCount > before) {
    flow_link(field, map, before);
    map->turns++;
  }
  return count;
}

static vec unit_of(vec v) {
  const double length = sqrt(vec_dot(v, v));
  return (vec){v.x / length, v.y / length};
}
/* Returns the direction midway between two unit vectors less than half a turn apart. */
static vec middle_of(vec u, vec v) { return unit_of((vec){u.x + v.x, u.y + v.y}); }

/* Writes the directions from a wall's corner to its turning points, given the directions of the
 * edges before and after the corner. Returns their number: one if the edges turn by up to 45
 * degrees, two if by up to 90, else four. *widest is the cosine of half the angle between adjacent
 * directions. If turning points are radius / *widest away from the corner, the path from one to the
 * next keeps the radius from it. */
static uint32_t turn_directions(vec before, vec after, vec *directions, double *widest) {
  const double cross = vec_cross(before, after), dot = vec_dot(before, after);
  const double sign = cross < 0 ? -1 : 1; /* outer side: on the right if the edges turn left */
  const vec first = {sign * before.y, -sign * before.x}, last = {sign * after.y, -sign * after.x};
  const vec middle =
      dot >= 0 ? middle_of(first, last) : unit_of((vec){before.x - after.x, before.y - after.y});
  const vec quarters[2] = {middle_of(first, middle), middle_of(middle, last)};
  uint32_t count = 0;
  const double rounding = 1e-4; /* the right angles of rotated boxes are rarely exact */
  if (dot > 0 && 2 * dot * dot >= 1 - rounding) /* cos(45 degrees) is 1 / sqrt(2) */
    directions[count++] = middle;
  else if (dot >= -rounding)
    for (int i = 0; i < 2; i++) directions[count++] = quarters[i];
  else
    for (int i = 0; i < 2; i++) {
      directions[count++] = middle_of(i ? middle : first, quarters[i]);
      directions[count++] = middle_of(quarters[i], i ? last : middle);
    }
  *widest = vec_dot(first, directions[0]);
  return count;
}

uint32_t flow_turns_of_edge(copse_flowfield *field, flow_map *map, uint32_t edge, uint32_t count) {
  const copse_obstacle *walls = field->walls;
  if (!walls || edge >= walls->def.capacity || !walls->kinds[edge]) return count;
  const obstacle_edge *own = &walls->edges[edge],
                      *other = &walls->edges[walls->corners[edge].before];
  const vec before = unit_of(vec_to(vec_of(other->from), vec_of(other->to)));
  const vec after = unit_of(vec_to(vec_of(own->from), vec_of(own->to)));
  const double cross = vec_cross(before, after);
  /* Paths turn on the outer side of a corner. If the edges turn right, that side is solid: no path
   * turns there. */
  if (cross < 0 && !(walls->kinds[edge] & EDGE_TWO_SIDED)) return count;
  if (cross == 0 && vec_dot(before, after) > 0) return count;
  vec directions[4];
  double widest;
  const uint32_t turns = turn_directions(before, after, directions, &widest);
  /* A little farther from the corner than the radius: rounding may move a turning point nearer. */
  const double away = (2 * (double)map->reach - (double)map->radius) * 1.0001 / widest;
  for (uint32_t i = 0; i < turns; i++) {
    const float point[2] = {(float)((double)own->from[0] + directions[i].x * away),
                            (float)((double)own->from[1] + directions[i].y * away)};
    count = add_turn(field, map, point, count);
  }
  return count;
}

/* Where exactly one of the four cells at a common corner is closed, adds a turning point just off
 * the corner, in the cell opposite to the closed one. */
uint32_t flow_turns_of_row(copse_flowfield *field, flow_map *map, uint32_t row, uint32_t count) {
  if (!map->hasClosed || row + 1 >= field->rows) return count;
  const float off = field->def.cell / 64;
  for (uint32_t column = 0; column + 1 < field->columns; column++) {
    const uint8_t *cells = map->cells + (size_t)row * field->columns + column;
    const bool closed[4] = {cells[0] & CELL_CLOSED, cells[1] & CELL_CLOSED,
                            cells[field->columns] & CELL_CLOSED,
                            cells[field->columns + 1] & CELL_CLOSED};
    if (closed[0] + closed[1] + closed[2] + closed[3] != 1) continue;
    const float half = field->def.cell / 2;
    const float point[2] = {
        flow_center(field, 0, column) + half + (closed[0] || closed[2] ? off : -off),
        flow_center(field, 1, row) + half + (closed[0] || closed[1] ? off : -off)};
    count = add_turn(field, map, point, count);
  }
  return count;
}

/* ---- Goals -------------------------------------------------------------------------------- */

static uint32_t add_goal(const copse_flowfield *field, flow_map *map, const float *point,
                         float cost, uint32_t count) {
  const uint32_t before = map->anchorCount;
  count = add_anchor(field, map, point, count);
  if (map->anchorCount > before) map->anchors[before].distance = cost;
  return count;
}

/* Returns the free cell whose center is nearest to a point, ties by lower index; COPSE_NONE
 * if no cell is free. */
static uint32_t nearest_free_cell(const copse_flowfield *field, const flow_map *map,
                                  const float *point) {
  const double x = flow_place(field, 0, (double)point[0]),
               y = flow_place(field, 1, (double)point[1]);
  uint32_t nearest = COPSE_NONE;
  double least2 = INFINITY;
  for (uint32_t row = 0, cell = 0; row < field->rows; row++) {
    const double up = (double)row - y;
    for (uint32_t column = 0; column < field->columns; column++, cell++) {
      const double along = (double)column - x, distance2 = along * along + up * up;
      if (distance2 >= least2 || (map->cells[cell] & CELL_BLOCKED)) continue;
      least2 = distance2;
      nearest = cell;
    }
  }
  return nearest;
}

/* Adds anchors along the border of a goal's area, at most a cell apart. Sets CELL_GOAL in the
 * area's cells. Returns the new number of anchors. */
static uint32_t add_area(const copse_flowfield *field, flow_map *map,
                         const copse_flowfield_goal *goal, uint32_t count) {
  const float cell = field->def.cell;
  float lo[2], hi[2];
  uint32_t steps[2];
  for (int axis = 0; axis < 2; axis++) {
    const uint32_t cells = axis ? field->rows : field->columns;
    const float least = field->def.bounds[axis];
    const float most = flow_center(field, axis, cells - 1) + cell / 2;
    lo[axis] = goal->lo[axis] > least ? goal->lo[axis] : least;
    hi[axis] = goal->hi[axis] < most ? goal->hi[axis] : most;
    if (lo[axis] > hi[axis]) return count;
    const double along = (double)(hi[axis] - lo[axis]) / (double)cell;
    steps[axis] = 1 + (uint32_t)flow_floor(along - 1e-4, 0, COPSE_FLOWFIELD_MAX_SIDE);
  }
  const uint32_t first = flow_cell_at(field, lo), last = flow_cell_at(field, hi);
  for (uint32_t row = first / field->columns; row <= last / field->columns; row++)
    for (uint32_t column = first % field->columns; column <= last % field->columns; column++)
      map->cells[(size_t)row * field->columns + column] |= CELL_GOAL;
  for (int side = 0; side < 4;
       side++) { /* bottom, right, top, left, each without its last corner */
    const int axis = side % 2;
    for (uint32_t i = 0; i < steps[axis]; i++) {
      const float part = (hi[axis] - lo[axis]) * ((float)i / (float)steps[axis]);
      float point[2] = {side == 1 || side == 2 ? hi[0] : lo[0], side >= 2 ? hi[1] : lo[1]};
      point[axis] += side < 2 ? part : -part;
      count = add_goal(field, map, point, goal->cost, count);
    }
  }
  return count;
}

uint32_t flow_add_goal(copse_flowfield *field, flow_map *map, uint32_t index, uint32_t count) {
  const copse_flowfield_goal *goal = &map->goals[index];
  const bool isPoint = goal->lo[0] == goal->hi[0] && goal->lo[1] == goal->hi[1];
  const uint32_t more = isPoint ? add_goal(field, map, goal->lo, goal->cost, count)
                                : add_area(field, map, goal, count);
  if (more > count) return more;
  map->moved++;
  const float middle[2] = {goal->lo[0] + (goal->hi[0] - goal->lo[0]) / 2,
                           goal->lo[1] + (goal->hi[1] - goal->lo[1]) / 2};
  const uint32_t cell = nearest_free_cell(field, map, middle);
  if (cell == COPSE_NONE) return count;
  float center[2];
  flow_center_of(field, cell, center);
  return add_goal(field, map, center, goal->cost, count);
}
