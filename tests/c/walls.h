/* The oracle of the obstacle tree: a plain list of walls. The tree must agree with it after every
 * build. It is written from the text of copse.h, with arithmetic of its own. */
#ifndef WALLS_H
#define WALLS_H

#include "../../c/walls/obstacle.h"
#include "bytes.h"
#include "ledger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WALLS = 96, WALL_CORNERS = 40 * WALLS, WALL_FLOATS = 6 * 8 * WALLS };

typedef struct wall_edge {
  bool isThere, twoSided, ofArea; /* ofArea: of a polygon that can be solid */
  double x0, y0, x1, y1;
} wall_edge;

typedef struct wall_list {
  uint32_t capacity;
  float vertices[WALLS][2];
  uint32_t next[WALLS], polygons[WALLS], generations[WALLS];
  bool twoSided[WALLS], changed;
  int solid[WALLS]; /* by polygon: 1 inside, -1 outside; 0: nowhere, or added without area */

  /* The last build. */
  wall_edge edges[WALLS];
  bool hasBoundaries;
  uint32_t edgeCount, dropped;
} wall_list;

typedef struct wall_question {
  float from[2], to[2];
  float radius;
  copse_side side;
} wall_question;

#define MUST_HOLD(condition, what)                                                                 \
  do {                                                                                             \
    if (!(condition)) return what;                                                                 \
  } while (0)

/* ---- Polygons ---- */

static inline bool wall_point_ok(const float *point) {
  return fabsf(point[0]) <= COPSE_MAX_COORDINATE && fabsf(point[1]) <= COPSE_MAX_COORDINATE;
}

static inline bool vertex_used(const wall_list *list, uint32_t id) {
  return id < list->capacity && (list->generations[id] & 1);
}

static inline bool polygon_used(const wall_list *list, uint32_t slot) {
  return vertex_used(list, slot) && list->polygons[slot] == slot;
}

static inline uint32_t vertices_used(const wall_list *list) {
  uint32_t used = 0;
  for (uint32_t id = 0; id < list->capacity; id++) used += vertex_used(list, id);
  return used;
}

static inline uint32_t polygon_size(const wall_list *list, uint32_t slot) {
  uint32_t size = 1;
  for (uint32_t id = list->next[slot]; id != slot; id = list->next[id]) size++;
  return size;
}

static inline double triangle_area(const float *o, const float *a, const float *b) {
  return ((double)a[0] - (double)o[0]) * ((double)b[1] - (double)o[1]) -
         ((double)a[1] - (double)o[1]) * ((double)b[0] - (double)o[0]);
}

/* Returns twice the area, as a sum over triangles with the first vertex. */
static inline double loop_area(const wall_list *list, uint32_t slot) {
  double area = 0;
  uint32_t id = slot;
  do {
    area += triangle_area(list->vertices[slot], list->vertices[id], list->vertices[list->next[id]]);
    id = list->next[id];
  } while (id != slot);
  return area;
}

static inline double area_of(const float *points, uint32_t count) {
  double area = 0;
  for (uint32_t i = 0; i < count; i++)
    area += triangle_area(points, points + 2 * i, points + 2 * ((i + 1) % count));
  return area;
}

/* Returns which way round the edges go: the way chosen when the polygon was added if it had an area
 * then and has one now, else the way of its vertices. */
static inline int loop_winding(const wall_list *list, uint32_t slot) {
  const double area = loop_area(list, slot);
  const int drawn = (area > 0) - (area < 0);
  return drawn && list->solid[slot] ? list->solid[slot] : drawn;
}

static inline uint32_t list_add(wall_list *list, const float *points, uint32_t count,
                                copse_solid solid) {
  const bool twoSided = solid == COPSE_SOLID_NOWHERE;
  uint32_t ids[WALLS], found = 0;
  for (uint32_t id = 0; found < count; id++)
    if (!vertex_used(list, id)) ids[found++] = id;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t id = ids[i];
    memcpy(list->vertices[id], points + (size_t)2 * i, sizeof list->vertices[id]);
    list->next[id] = ids[(i + 1) % count];
    list->polygons[id] = ids[0];
    list->twoSided[id] = twoSided;
    list->generations[id]++;
  }
  list->solid[ids[0]] = 0;
  if (!twoSided) list->solid[ids[0]] = loop_winding(list, ids[0]);
  if (solid == COPSE_SOLID_INSIDE) list->solid[ids[0]] = 1;
  if (solid == COPSE_SOLID_OUTSIDE) list->solid[ids[0]] = -1;
  list->changed = true;
  return ids[0];
}

static inline void list_remove(wall_list *list, uint32_t slot) {
  for (uint32_t id = 0; id < list->capacity; id++)
    if (vertex_used(list, id) && list->polygons[id] == slot) list->generations[id]++;
  list->changed = true;
}

/* Returns the first vertex in use that is not finite; COPSE_NONE if there is none. */
static inline uint32_t first_bad_vertex(const wall_list *list) {
  for (uint32_t id = 0; id < list->capacity; id++)
    if (vertex_used(list, id) && !wall_point_ok(list->vertices[id])) return id;
  return COPSE_NONE;
}

static inline void list_build(wall_list *list) {
  list->changed = list->hasBoundaries = false;
  list->edgeCount = list->dropped = 0;
  for (uint32_t id = 0; id < WALLS; id++) {
    list->edges[id].isThere = false;
    if (!vertex_used(list, id)) continue;
    const uint32_t slot = list->polygons[id];
    const bool isReversed = loop_winding(list, slot) * loop_area(list, slot) < 0;
    const float *a = list->vertices[isReversed ? list->next[id] : id];
    const float *b = list->vertices[isReversed ? id : list->next[id]];
    const bool hasLength = a[0] != b[0] || a[1] != b[1];
    const bool isThin = list->next[list->next[id]] == id;
    list->edges[id] = (wall_edge){hasLength,    list->twoSided[id], !isThin && !list->twoSided[id],
                                  (double)a[0], (double)a[1],       (double)b[0],
                                  (double)b[1]};
    list->edgeCount += hasLength;
    list->dropped += !hasLength;
    list->hasBoundaries |= !list->twoSided[id] && loop_winding(list, slot) < 0;
  }
}

/* ---- Single edges, by the definitions in copse.h ---- */

static inline double side_from(double ax, double ay, double bx, double by, double x, double y) {
  return (bx - ax) * (y - ay) - (by - ay) * (x - ax);
}

static inline double side_from_edge(const wall_edge *edge, const float *p) {
  return side_from(edge->x0, edge->y0, edge->x1, edge->y1, (double)p[0], (double)p[1]);
}

/* Returns the squared distance to a segment, and writes the nearest point on it. */
static inline double segment_distance2(double ax, double ay, double bx, double by, double x,
                                       double y, double *nearest) {
  const double dx = bx - ax, dy = by - ay;
  const double t = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy);
  nearest[0] = t >= 1 ? bx : t > 0 ? ax + dx * t : ax;
  nearest[1] = t >= 1 ? by : t > 0 ? ay + dy * t : ay;
  const double gapX = x - nearest[0], gapY = y - nearest[1];
  return gapX * gapX + gapY * gapY;
}

static inline float edge_distance2(const wall_edge *edge, const float *p, double *nearest) {
  return (float)segment_distance2(edge->x0, edge->y0, edge->x1, edge->y1, (double)p[0],
                                  (double)p[1], nearest);
}

static inline bool asked_side(const wall_edge *edge, const float *p, copse_side side) {
  return edge->isThere &&
         (side == COPSE_SIDE_BOTH || edge->twoSided || side_from_edge(edge, p) < 0);
}

static inline bool bounds_meet(double a, double b, double c, double d) {
  return fmax(a, b) >= fmin(c, d) && fmax(c, d) >= fmin(a, b);
}

static inline bool edge_met(const wall_edge *edge, const float *from, const float *to) {
  const float *low = from, *high = to;
  if (from[0] > to[0] || (from[0] == to[0] && from[1] > to[1])) {
    low = to;
    high = from;
  }
  const double px = (double)low[0], py = (double)low[1];
  const double qx = (double)high[0], qy = (double)high[1];
  if (!bounds_meet(px, qx, edge->x0, edge->x1) || !bounds_meet(py, qy, edge->y0, edge->y1))
    return false;
  const double a = side_from(px, py, qx, qy, edge->x0, edge->y0);
  const double b = side_from(px, py, qx, qy, edge->x1, edge->y1);
  const double p = side_from_edge(edge, low), q = side_from_edge(edge, high);
  return !((a > 0 && b > 0) || (a < 0 && b < 0) || (p > 0 && q > 0) || (p < 0 && q < 0));
}

static inline double ray_fraction(const wall_edge *edge, const float *from, const float *to) {
  const double a = side_from_edge(edge, from), b = side_from_edge(edge, to);
  const double dx = (double)to[0] - (double)from[0], dy = (double)to[1] - (double)from[1];
  const bool isWide = fabs(dx) >= fabs(dy);
  if (dx == 0 && dy == 0) return 0;
  const double toBegin =
      isWide ? (edge->x0 - (double)from[0]) / dx : (edge->y0 - (double)from[1]) / dy;
  const double toEnd =
      isWide ? (edge->x1 - (double)from[0]) / dx : (edge->y1 - (double)from[1]) / dy;
  double fraction = fmin(toBegin, toEnd);
  if (a != 0 || b != 0) fraction = fmax(fraction, fmin(a / (a - b), fmax(toBegin, toEnd)));
  return fmin(fmax(fraction, 0), 1);
}

/* ---- Queries ---- */

static inline bool list_visible(const wall_list *list, const float *from, const float *to,
                                float radius) {
  for (uint32_t id = 0; id < WALLS; id++) {
    const wall_edge *edge = &list->edges[id];
    if (!edge->isThere) continue;
    if (edge_met(edge, from, to)) return false;
    if (radius == 0) continue;
    const bool swapped = from[0] > to[0] || (from[0] == to[0] && from[1] > to[1]);
    const float *p = swapped ? to : from, *q = swapped ? from : to;
    const double px = (double)p[0], py = (double)p[1], qx = (double)q[0], qy = (double)q[1];
    double nearest[2];
    float least = fminf(edge_distance2(edge, p, nearest), edge_distance2(edge, q, nearest));
    least = fminf(least, (float)segment_distance2(px, py, qx, qy, edge->x0, edge->y0, nearest));
    least = fminf(least, (float)segment_distance2(px, py, qx, qy, edge->x1, edge->y1, nearest));
    if (least <= radius * radius) return false;
  }
  return true;
}

static inline copse_obstacle_hit list_raycast(const wall_list *list, const float *from,
                                              const float *to, copse_side side) {
  copse_obstacle_hit hit = {COPSE_NONE, 1, {to[0], to[1]}, {0, 0}};
  for (uint32_t id = 0; id < WALLS; id++) {
    const wall_edge *edge = &list->edges[id];
    if (!asked_side(edge, from, side) || !edge_met(edge, from, to)) continue;
    const double fraction = ray_fraction(edge, from, to);
    if (hit.edge != COPSE_NONE && (float)fraction >= hit.fraction) continue;
    const double dx = edge->x1 - edge->x0, dy = edge->y1 - edge->y0;
    const double length = sqrt(dx * dx + dy * dy);
    const bool fromLeft = side_from_edge(edge, from) > 0;
    hit.edge = id;
    hit.fraction = (float)fraction;
    for (int axis = 0; axis < 2; axis++)
      hit.point[axis] =
          (float)((double)from[axis] + ((double)to[axis] - (double)from[axis]) * fraction);
    hit.normal[0] = (float)((fromLeft ? -dy : dy) / length);
    hit.normal[1] = (float)((fromLeft ? dx : -dx) / length);
  }
  return hit;
}

static inline bool list_contains(const wall_list *list, const float *point) {
  const double x = (double)point[0], y = (double)point[1];
  int winding = list->hasBoundaries;
  for (uint32_t id = 0; id < WALLS; id++) {
    const wall_edge *edge = &list->edges[id];
    if (!edge->isThere || !edge->ofArea) continue;
    const double side = side_from_edge(edge, point);
    if (side == 0 && bounds_meet(edge->x0, edge->x1, x, x) && bounds_meet(edge->y0, edge->y1, y, y))
      return true;
    if (edge->y0 <= y && edge->y1 > y && side > 0) winding++;
    if (edge->y0 > y && edge->y1 <= y && side < 0) winding--;
  }
  return winding > 0;
}

static inline bool on_a_wall(const wall_list *list, const float *point) {
  return !list_visible(list, point, point, 0);
}

/* ---- The visibility polygon ---- */

/* Returns how often a polygon goes around a point. */
static inline int turns_around(const copse_corner *corners, uint32_t n, double x, double y) {
  int turns = 0;
  for (uint32_t i = 0; i < n; i++) {
    const copse_corner *a = &corners[i], *b = &corners[(i + 1) % n];
    const double side = side_from(a->x, a->y, b->x, b->y, x, y);
    turns += a->y <= y && b->y > y && side > 0;
    turns -= a->y > y && b->y <= y && side < 0;
  }
  return turns;
}

static inline double border_distance(const copse_corner *corners, uint32_t n, double x, double y) {
  double least = INFINITY, nearest[2];
  for (uint32_t i = 0; i < n; i++) {
    const copse_corner *a = &corners[i], *b = &corners[(i + 1) % n];
    least = fmin(least, segment_distance2(a->x, a->y, b->x, b->y, x, y, nearest));
  }
  return sqrt(least);
}

/* True if a point is hidden only by walls that are seen end-on or are tiny: their shadows have no
 * width. */
static inline bool in_a_thin_shadow(const wall_list *list, const float *from, const float *to) {
  const double x = (double)from[0], y = (double)from[1];
  for (uint32_t id = 0; id < WALLS; id++) {
    const wall_edge *edge = &list->edges[id];
    if (!edge->isThere || !edge_met(edge, from, to)) continue;
    const double ax = edge->x0 - x, ay = edge->y0 - y, bx = edge->x1 - x, by = edge->y1 - y;
    if (fabs(ax * by - ay * bx) > 1e-9 * hypot(ax, ay) * hypot(bx, by)) return false;
  }
  return true;
}

static inline const char *compare_sight(input *in, const copse_obstacle *tree,
                                        const wall_list *list, const wall_question *question) {
  static copse_corner corners[WALL_CORNERS + 1];
  const uint32_t capacity = WALL_CORNERS;
  float bounds[4], lo[2], hi[2];
  bool ok = wall_point_ok(question->from);
  copse_obstacle_bounds(tree, bounds);
  double size = 0;
  for (int axis = 0; axis < 2; axis++) {
    const float margin = (bounds[2 + axis] - bounds[axis]) / 8;
    lo[axis] = fminf(bounds[axis], question->from[axis]) - margin;
    hi[axis] = fmaxf(bounds[2 + axis], question->from[axis]) + margin;
    if (next_byte(in) % 4 == 0) { /* a smaller box: walls reach out of it */
      lo[axis] = question->from[axis] - 2 * margin;
      hi[axis] = question->from[axis] + 3 * margin;
    }
    ok &= lo[axis] < question->from[axis] && question->from[axis] < hi[axis];
    size = fmax(size, (double)hi[axis] - (double)lo[axis]);
  }
  ok &= wall_point_ok(lo) && wall_point_ok(hi);
  uint32_t total = 77, again, visits;
  memset(corners, 0xee, sizeof corners);
  const copse_status status =
      copse_obstacle_visibility(tree, question->from, lo, hi, corners, capacity, &total, &visits);
  MUST_HOLD(status == (ok ? COPSE_OK : COPSE_INVALID_ARGUMENT), "visibility: status");
  if (!ok) return total == 0 ? NULL : "visibility: total after an error";
  MUST_HOLD((total == 0) == on_a_wall(list, question->from), "visibility: on a wall");
  if (total == 0) return NULL;
  MUST_HOLD(total >= 3 && total <= capacity, "visibility: total");
  MUST_HOLD(corners[capacity].edge == 0xeeeeeeee, "visibility: written past the end");
  for (uint32_t i = 0; i < total; i++) {
    const copse_corner *corner = &corners[i], *next = &corners[(i + 1) % total];
    MUST_HOLD(isfinite(corner->x) && isfinite(corner->y), "visibility: a corner is not finite");
    MUST_HOLD(corner->x != next->x || corner->y != next->y, "visibility: a repeated corner");
    if (corner->edge == COPSE_NONE) continue;
    MUST_HOLD(corner->edge < WALLS && list->edges[corner->edge].isThere, "visibility: edge");
    const wall_edge *edge = &list->edges[corner->edge];
    double at[2];
    for (int end = 0; end < 2; end++) {
      const copse_corner *on = end ? next : corner;
      const double far2 =
          segment_distance2(edge->x0, edge->y0, edge->x1, edge->y1, on->x, on->y, at);
      MUST_HOLD(sqrt(far2) <= 1e-6 * size, "visibility: a corner off its edge");
    }
  }
  /* From a point almost on a wall, rounding moves distant corners too far to compare. */
  double nearest2 = INFINITY, at[2];
  for (uint32_t id = 0; id < WALLS; id++)
    if (list->edges[id].isThere)
      nearest2 = fmin(nearest2, (double)edge_distance2(&list->edges[id], question->from, at));
  for (int i = 0; i < 8 && sqrt(nearest2) >= 1e-9 * size; i++) {
    float t[2];
    for (int axis = 0; axis < 2; axis++) {
      t[axis] = lo[axis] + (hi[axis] - lo[axis]) * ((float)next_bytes(in, 3) / 16777216);
      if (i == 7) t[axis] = question->to[axis];
    }
    if (!(lo[0] < t[0] && t[0] < hi[0] && lo[1] < t[1] && t[1] < hi[1])) continue;
    const int turns = turns_around(corners, total, (double)t[0], (double)t[1]);
    const bool seen = list_visible(list, question->from, t, 0);
    if (turns == seen || (turns == 1 && in_a_thin_shadow(list, question->from, t))) continue;
    MUST_HOLD(border_distance(corners, total, (double)t[0], (double)t[1]) <= 1e-6 * size,
              "visibility: a point is wrongly seen or hidden");
  }
  /* With less room the result is the same, or COPSE_FULL. */
  const uint32_t room = next_byte(in) % (2 * total) + 1;
  copse_corner *few = malloc(room * sizeof *few);
  const copse_status less =
      copse_obstacle_visibility(tree, question->from, lo, hi, few, room, &again, NULL);
  const bool same =
      less == COPSE_OK && again == total && !memcmp(few, corners, total * sizeof *few);
  free(few);
  MUST_HOLD(same || less == COPSE_FULL, "visibility: little room");
  MUST_HOLD(less == COPSE_OK ? room >= total : again == 0, "visibility: total in little room");
  return NULL;
}

/* ---- Comparing queries ---- */

static inline bool same_hit(const copse_obstacle_hit *a, const copse_obstacle_hit *b) {
  return a->edge == b->edge && a->fraction == b->fraction && a->point[0] == b->point[0] &&
         a->point[1] == b->point[1] && a->normal[0] == b->normal[0] && a->normal[1] == b->normal[1];
}

static inline const char *compare_around(const copse_obstacle *tree, const wall_list *list,
                                         const wall_question *question, uint32_t room) {
  uint32_t ids[WALLS], expected[WALLS], count = 0, visits;
  float distances2[WALLS], expected2[WALLS];
  double nearest[WALLS][2];
  const bool ok = wall_point_ok(question->from) && question->radius >= 0;
  copse_results results = {ids, distances2, WALLS, 0, 0};
  copse_status status =
      copse_obstacle_within(tree, question->from, question->radius, question->side, &results);
  MUST_HOLD(status == (ok ? COPSE_OK : COPSE_INVALID_ARGUMENT), "within: status");
  copse_obstacle_point wall;
  status = copse_obstacle_nearest(tree, question->from, question->radius, question->side, &wall,
                                  &visits);
  MUST_HOLD(status == (ok ? COPSE_OK : COPSE_INVALID_ARGUMENT), "nearest: status");
  if (!ok) return wall.edge == COPSE_NONE ? NULL : "nearest: after an error";

  const float radius2 = question->radius * question->radius;
  for (uint32_t id = 0; id < WALLS; id++) {
    if (!asked_side(&list->edges[id], question->from, question->side)) continue;
    expected2[id] = edge_distance2(&list->edges[id], question->from, nearest[id]);
    if (!(expected2[id] <= radius2)) continue;
    uint32_t place = count++;
    for (; place > 0 && expected2[id] < expected2[expected[place - 1]]; place--)
      expected[place] = expected[place - 1];
    expected[place] = id;
  }
  MUST_HOLD(results.total == count, "within: total");
  for (uint32_t i = 0; i < count; i++) {
    MUST_HOLD(ids[i] == expected[i], "within");
    MUST_HOLD(distances2[i] == expected2[ids[i]], "within: distances");
  }
  copse_obstacle_point first = {COPSE_NONE, 0, {0, 0}};
  if (count)
    first =
        (copse_obstacle_point){expected[0],
                               expected2[expected[0]],
                               {(float)nearest[expected[0]][0], (float)nearest[expected[0]][1]}};
  MUST_HOLD(wall.edge == first.edge, "nearest");
  MUST_HOLD(wall.distance2 == first.distance2, "nearest: distance");
  MUST_HOLD(wall.point[0] == first.point[0] && wall.point[1] == first.point[1], "nearest: point");

  /* With less room: a part of the results, sorted, and the total. */
  room = count ? room % count : 0;
  uint32_t guarded = ids[room] = 0xdeadbeef;
  copse_results few = {ids, distances2, room, 0, 0};
  copse_obstacle_within(tree, question->from, question->radius, question->side, &few);
  MUST_HOLD(few.total == count && ids[room] == guarded, "within: little room");
  for (uint32_t i = 0; i < room; i++) {
    MUST_HOLD(ids[i] < WALLS && distances2[i] == expected2[ids[i]], "within: truncated");
    MUST_HOLD(i == 0 || distances2[i - 1] < distances2[i] ||
                  (distances2[i - 1] == distances2[i] && ids[i - 1] < ids[i]),
              "within: truncated order");
  }
  return NULL;
}

/* True if all points are right of the vertical line at *x: a cover for obstacle_search. */
static inline bool is_right_of(const void *x, const float *points, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (!(points[2 * (size_t)i] > *(const float *)x)) return false;
  return true;
}

/* Compares a search in portions, which skips covered edges from the second portion on, with a
 * query. */
static inline const char *compare_search(const copse_obstacle *tree, const wall_question *question,
                                         uint32_t portion) {
  uint32_t ids[WALLS], found[WALLS + 8], count = 0, total = 0;
  float distances2[WALLS], found2[WALLS + 8];
  copse_results results = {ids, distances2, WALLS, 0, 0};
  if (copse_obstacle_within(tree, question->from, question->radius, COPSE_SIDE_VISIBLE, &results))
    return NULL;
  obstacle_search search = {question->from, question->radius, is_right_of, &question->to[0], -1,
                            COPSE_NONE};
  do {
    count = obstacle_search_next(tree, &search, found + total, found2 + total, portion);
    total += count;
    MUST_HOLD(count <= portion && total <= results.total, "search: number");
  } while (count == portion);
  uint32_t place = 0;
  for (uint32_t i = 0; i < results.total; i++) {
    if (i >= portion && is_right_of(&question->to[0], (const float *)&tree->edges[ids[i]], 2))
      continue;
    MUST_HOLD(place < total && found[place] == ids[i] && found2[place] == distances2[i], "search");
    place++;
  }
  MUST_HOLD(place == total, "search: total");
  return NULL;
}

static inline const char *compare_along(const copse_obstacle *tree, const wall_list *list,
                                        const wall_question *question) {
  const bool ends = wall_point_ok(question->from) && wall_point_ok(question->to);
  bool visible, back;
  uint32_t visits;
  copse_status status = copse_obstacle_visible(tree, question->from, question->to, question->radius,
                                               &visible, &visits);
  const bool ok = ends && question->radius >= 0;
  MUST_HOLD(status == (ok ? COPSE_OK : COPSE_INVALID_ARGUMENT), "visible: status");
  copse_obstacle_visible(tree, question->to, question->from, question->radius, &back, NULL);
  MUST_HOLD(visible == back, "visible: differs from end to start");
  MUST_HOLD(visible == (ok && list_visible(list, question->from, question->to, question->radius)),
            "visible");

  copse_obstacle_hit hit;
  status =
      copse_obstacle_raycast(tree, question->from, question->to, question->side, &hit, &visits);
  MUST_HOLD(status == (ends ? COPSE_OK : COPSE_INVALID_ARGUMENT), "raycast: status");
  if (!ends) return hit.edge == COPSE_NONE ? NULL : "raycast: after an error";
  const copse_obstacle_hit first = list_raycast(list, question->from, question->to, question->side);
  MUST_HOLD(hit.edge == first.edge, "raycast");
  MUST_HOLD(hit.fraction == first.fraction, "raycast: fraction");
  MUST_HOLD(same_hit(&hit, &first), "raycast: point or normal");
  MUST_HOLD(!signbit(hit.normal[0] == 0 ? hit.normal[0] : 1) &&
                !signbit(hit.normal[1] == 0 ? hit.normal[1] : 1),
            "raycast: a normal has a -0");

  copse_obstacle_visible(tree, question->from, question->to, 0, &visible, NULL);
  copse_obstacle_raycast(tree, question->from, question->to, COPSE_SIDE_BOTH, &hit, NULL);
  MUST_HOLD(visible == (hit.edge == COPSE_NONE), "visible and raycast disagree");

  const float *p = question->from, *q = question->to;
  const float segments[8] = {p[0], p[1], q[0], q[1], q[0], q[1], p[0], p[1]};
  uint32_t edges[3] = {0, 0, 77};
  float fractions[2];
  copse_obstacle_hit other = list_raycast(list, q, p, question->side);
  status = copse_obstacle_raycast_many(tree, segments, 2, question->side, edges, fractions);
  MUST_HOLD(status == COPSE_OK && edges[2] == 77, "many rays: status");
  MUST_HOLD(edges[0] == first.edge && edges[1] == other.edge, "many rays");
  MUST_HOLD(fractions[0] == first.fraction && fractions[1] == other.fraction,
            "many rays: fractions");
  return NULL;
}

/* Compares keep_visible, with the vertices as agents. */
static inline const char *compare_kept(const copse_obstacle *tree, const wall_list *list,
                                       const wall_question *question) {
  uint32_t ids[WALLS + 2], kept[WALLS + 2], count = 0;
  static float places[WALLS][2];
  memcpy(places, list->vertices, sizeof places);
  memcpy(places[5], question->to, sizeof places[5]);
  const copse_const_positions positions = {{&places[0][0], &places[0][1], NULL}, 2};
  for (uint32_t i = 0; i < WALLS; i++) ids[i] = (i * 5) % WALLS;
  ids[WALLS] = ids[WALLS + 1] = 5;
  for (uint32_t i = 0; i < WALLS + 2; i++)
    if (wall_point_ok(question->from) && wall_point_ok(places[ids[i]]) &&
        list_visible(list, question->from, places[ids[i]], 0))
      kept[count++] = ids[i];
  MUST_HOLD(copse_obstacle_keep_visible(tree, question->from, &positions, ids, WALLS + 2, ids) ==
                count,
            "keep visible: count");
  MUST_HOLD(!count || !memcmp(ids, kept, count * sizeof *ids), "keep visible");
  return NULL;
}

/* Compares every query with the list. Returns the name of one that differs, or NULL. */
static inline const char *compare_walls(input *in, const copse_obstacle *tree,
                                        const wall_list *list, const wall_question *question) {
  const uint8_t room = next_byte(in);
  const char *wrong = compare_around(tree, list, question, room);
  if (!wrong) wrong = compare_search(tree, question, 1 + room % 8);
  if (!wrong) wrong = compare_along(tree, list, question);
  if (!wrong && next_byte(in) % 4 == 0) wrong = compare_kept(tree, list, question);
  if (!wrong) wrong = compare_sight(in, tree, list, question);
  if (wrong) return wrong;
  const bool ok = wall_point_ok(question->from);
  bool inside;
  uint32_t visits;
  const copse_status status = copse_obstacle_contains(tree, question->from, &inside, &visits);
  MUST_HOLD(status == (ok ? COPSE_OK : COPSE_INVALID_ARGUMENT), "contains: status");
  MUST_HOLD(inside == (ok && list_contains(list, question->from)), "contains");
  return NULL;
}

/* Compares vertices, loops and statistics with the list. */
static inline const char *compare_loops(copse_obstacle *tree, const wall_list *list) {
  uint32_t polygons = 0;
  MUST_HOLD(copse_obstacle_used(tree) == vertices_used(list), "count");
  MUST_HOLD(copse_obstacle_capacity(tree) == list->capacity, "capacity");
  MUST_HOLD(copse_obstacle_changed(tree) == list->changed, "changed");
  for (uint32_t id = 0; id < list->capacity; id++) {
    MUST_HOLD(copse_obstacle_generations(tree)[id] == list->generations[id], "generations");
    MUST_HOLD(copse_obstacle_has(tree, id) == polygon_used(list, id), "has");
    polygons += polygon_used(list, id);
    const int winding = polygon_used(list, id) ? loop_winding(list, id) : 0;
    MUST_HOLD(copse_obstacle_winding(tree, id) == winding, "winding");
    if (!vertex_used(list, id)) continue;
    MUST_HOLD(copse_obstacle_next(tree)[id] == list->next[id], "next");
    MUST_HOLD(copse_obstacle_polygons(tree)[id] == list->polygons[id], "polygons");
    const float *vertex = copse_obstacle_vertices(tree) + (size_t)2 * id;
    MUST_HOLD(!memcmp(vertex, list->vertices[id], sizeof list->vertices[id]) ||
                  (vertex[0] == list->vertices[id][0] && vertex[1] == list->vertices[id][1]),
              "vertices");
  }
  const copse_obstacle_statistics stats = copse_obstacle_stats(tree);
  MUST_HOLD(stats.polygons == polygons, "statistics: polygons");
  MUST_HOLD(stats.edges == list->edgeCount && stats.dropped == list->dropped, "statistics: edges");
  MUST_HOLD(stats.pieces >= stats.edges && stats.nodes == 2 * stats.leaves - 1, "nodes");
  MUST_HOLD(!copse_obstacle_has(tree, list->capacity), "no slot at the capacity");
  return NULL;
}

/* True if two trees with the same room for pieces have the same cells, lines and statistics. */
static inline bool built_alike(const copse_obstacle *tree, const copse_obstacle *other) {
  static float drawn[2][WALL_FLOATS];
  const size_t cells = copse_obstacle_cells(tree, 0, drawn[0], WALL_FLOATS);
  if (copse_obstacle_cells(other, 0, drawn[1], WALL_FLOATS) != cells) return false;
  if (memcmp(drawn[0], drawn[1], (cells < WALL_FLOATS ? cells : WALL_FLOATS) * sizeof(float)))
    return false;
  const size_t lines = copse_obstacle_lines(tree, 0, drawn[0], WALL_FLOATS);
  if (copse_obstacle_lines(other, 0, drawn[1], WALL_FLOATS) != lines) return false;
  if (memcmp(drawn[0], drawn[1], (lines < WALL_FLOATS ? lines : WALL_FLOATS) * sizeof(float)))
    return false;
  const copse_obstacle_statistics a = copse_obstacle_stats(tree), b = copse_obstacle_stats(other);
  return a.edges == b.edges && a.dropped == b.dropped && a.pieces == b.pieces &&
         a.nodes == b.nodes && a.leaves == b.leaves && a.unsplit == b.unsplit && a.depth == b.depth;
}

/* Checks cells and lines, and that only whole shapes are written. */
static inline const char *compare_drawn(input *in, const copse_obstacle *tree) {
  static float drawn[WALL_FLOATS];
  const copse_obstacle_statistics stats = copse_obstacle_stats(tree);
  for (int kind = 0; kind < 2; kind++) {
    const size_t width = kind ? 5 : 6;
    const size_t total = kind ? copse_obstacle_lines(tree, 0, drawn, WALL_FLOATS)
                              : copse_obstacle_cells(tree, 0, drawn, WALL_FLOATS);
    if (kind) MUST_HOLD(total == 5 * (size_t)(stats.nodes - stats.leaves), "lines");
    MUST_HOLD(total % width == 0 && total <= 6 * (size_t)stats.leaves, "cells");
    size_t pieces = 0;
    for (size_t i = 0; i < total && total <= WALL_FLOATS; i++)
      MUST_HOLD(isfinite(drawn[i]), "drawn");
    for (size_t i = 5; !kind && i < total && total <= WALL_FLOATS; i += 6) {
      MUST_HOLD(drawn[i - 5] <= drawn[i - 3] && drawn[i - 4] <= drawn[i - 2], "bounds of a cell");
      pieces += (size_t)drawn[i];
    }
    if (!kind && total <= WALL_FLOATS) MUST_HOLD(pieces == stats.pieces, "pieces of cells");
    const size_t room = next_byte(in) % (total + 2);
    float *few = malloc((room + 1) * sizeof *few);
    for (size_t i = 0; i <= room; i++) few[i] = -77;
    const size_t skipped = next_byte(in) % (total / width + 1) * width, left = total - skipped;
    const size_t again = kind ? copse_obstacle_lines(tree, skipped, few, room)
                              : copse_obstacle_cells(tree, skipped, few, room);
    const size_t whole = (room < left ? room : left) / width * width;
    bool same = again == total &&
                (total > WALL_FLOATS || !memcmp(few, drawn + skipped, whole * sizeof *few));
    for (size_t i = whole; i <= room; i++) same &= few[i] == -77;
    free(few);
    MUST_HOLD(same, "whole cells and lines while there is room");
  }
  return NULL;
}

/* ---- Scenes ---- */

/* How coordinates of walls are drawn: small numbers, scaled and shifted (on a lattice or anywhere),
 * raw floats, a mix of these, or powers of two. */
typedef struct wall_world {
  float scale, shift;
  enum { LATTICE, EVEN, RAW, MIXED, POWERS } kind;
} wall_world;

static inline wall_world next_world(input *in) {
  static const float SCALES[] = {1,     0.25f,     1.0f / 3, 100,    1,      1e17f,
                                 1e-4f, 0x1p-149f, 1e-25f,   3e-23f, 1e-38f, 1};
  static const float SHIFTS[] = {0, 0, 0, -4, 1e6f, 1};
  wall_world world = {.kind = LATTICE};
  const uint8_t kind = next_byte(in) % 16;
  world.kind = kind < 7 ? LATTICE : kind < 12 ? EVEN : kind < 13 ? POWERS : kind < 15 ? MIXED : RAW;
  world.scale = SCALES[next_byte(in) % (sizeof SCALES / sizeof *SCALES)];
  world.shift = SHIFTS[next_byte(in) % (sizeof SHIFTS / sizeof *SHIFTS)];
  if (world.scale > 1e3f) world.shift = 0;
  return world;
}

static inline float next_unit(input *in) { return (float)next_bytes(in, 3) / 16777216; }

/* Returns a number from 0 to 8, for in_world to transform. */
static inline float next_local(input *in, const wall_world *world) {
  const bool isEven = world->kind == EVEN || (world->kind == MIXED && next_byte(in) % 2);
  if (isEven) return next_unit(in) * 8;
  return (float)(next_byte(in) % 9);
}

static inline float in_world(const wall_world *world, float local) {
  if (world->kind == POWERS) return ldexpf(local < 4 ? -1 : 1, (int)(local * 25) - 140);
  return local * world->scale + world->shift;
}

static inline void next_corner(input *in, const wall_world *world, float *point) {
  for (int axis = 0; axis < 2; axis++)
    point[axis] = world->kind == RAW || (world->kind == MIXED && next_byte(in) % 32 == 0)
                      ? next_float(in)
                      : in_world(world, next_local(in, world));
}

/* Draws a polygon. Returns its number of vertices, at most `most`. */
static inline uint32_t next_polygon(input *in, const wall_world *world, const wall_list *list,
                                    uint32_t most, float *points) {
  const uint8_t shape = next_byte(in) % 10, byte = next_byte(in);
  uint32_t count = byte % 8 < 4 ? 2 + byte / 8 % 3 : 2 + byte / 8 % 16;
  float center[2], local[2];
  if (count > most) count = most;
  if (count < 2) return 0;
  for (int axis = 0; axis < 2; axis++) center[axis] = next_local(in, world);
  switch (shape) {
  case 0: /* a thin wall */
    count = 2;
    break;
  case 1: /* a wall of a maze */
    count = 2;
    for (int axis = 0; axis < 2; axis++) {
      const float length = (byte >> 7) == axis ? (float)(byte % 4) : 0;
      points[axis] = in_world(world, floorf(center[axis]));
      points[2 + axis] = in_world(world, floorf(center[axis]) + length);
    }
    return count;
  case 2: /* convex, either way round: corners on a circle, from rational numbers */
  case 3: {
    const float size = next_unit(in) * 4;
    count = 3 + byte % 30;
    if (count > most) count = most;
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t at = shape == 2 ? i : count - 1 - i;
      const float turn = 8 * (float)at / (float)count - 4, t = turn < 0 ? turn + 2 : turn - 2;
      const float x = (1 - t * t) / (1 + t * t), y = 2 * t / (1 + t * t);
      points[2 * i] = in_world(world, center[0] + (turn < 0 ? -x : x) * size);
      points[2 * i + 1] = in_world(world, center[1] + (turn < 0 ? -y : y) * size);
    }
    return count;
  }
  case 4: /* back and forth on a line */
    for (int axis = 0; axis < 2; axis++) local[axis] = next_local(in, world) - 4;
    for (uint32_t i = 0; i < count; i++) {
      const float at = (float)(next_byte(in) % 17) / 8 - 1;
      for (int axis = 0; axis < 2; axis++)
        points[2 * i + (uint32_t)axis] = in_world(world, center[axis] + local[axis] * at);
    }
    return count;
  case 5: /* long segments that all cross */
    for (uint32_t i = 0; i < count; i++)
      for (int axis = 0; axis < 2; axis++) {
        const float off = next_local(in, world) - 4;
        points[2 * i + (uint32_t)axis] = in_world(world, i % 2 ? 4 - off : 4 + off);
      }
    return count;
  case 6: { /* a copy of another polygon, as it is or reversed */
    const uint32_t slot = list->polygons[byte % WALLS];
    if (!polygon_used(list, slot)) break;
    const uint32_t size = polygon_size(list, slot);
    uint32_t id = slot;
    count = size < most ? size : most;
    for (uint32_t i = 0; i < count; i++, id = list->next[id]) {
      const uint32_t at = byte & 128 ? count - 1 - i : i;
      memcpy(points + (size_t)2 * at, list->vertices[id], 2 * sizeof *points);
    }
    return count;
  }
  case 7: /* one point, repeated */
    next_corner(in, world, points);
    for (uint32_t i = 1; i < count; i++) memcpy(points + (size_t)2 * i, points, 2 * sizeof *points);
    return count;
  default:
    break;
  }
  for (uint32_t i = 0; i < count; i++)
    if (i && byte % 8 == 7 && next_byte(in) % 4 == 0)
      memcpy(points + (size_t)2 * i, points + (size_t)2 * (i - 1), 2 * sizeof *points);
    else
      next_corner(in, world, points + (size_t)2 * i);
  if (byte % 8 == 6) memcpy(points + 2, points, 2 * sizeof *points);
  return count;
}

/* Draws a place: anywhere, on a vertex, on an edge or beside one. */
static inline void next_wall_place(input *in, const wall_world *world, const wall_list *list,
                                   float *point) {
  const uint8_t choice = next_byte(in) % 8;
  const uint32_t id = next_byte(in) % WALLS;
  const wall_edge *edge = &list->edges[id];
  next_corner(in, world, point);
  if (choice < 3 || !edge->isThere) return;
  const double along = choice == 3 ? 0 : choice == 4 ? 0.5 : (double)(next_byte(in) % 9) / 8;
  point[0] = (float)(edge->x0 + (edge->x1 - edge->x0) * along);
  point[1] = (float)(edge->y0 + (edge->y1 - edge->y0) * along);
  if (choice == 7) point[next_byte(in) % 2] += world->scale * (float)(next_byte(in) % 5 - 2) / 64;
}

static inline float next_wall_radius(input *in, const wall_world *world, const wall_list *list,
                                     const float *center) {
  const uint8_t choice = next_byte(in) % 8;
  const wall_edge *edge = &list->edges[next_byte(in) % WALLS];
  double nearest[2];
  switch (choice) {
  case 0:
  case 1:
    return 0;
  case 2:
    return next_byte(in) % 2 ? INFINITY : 1e20f;
  case 3: /* exactly the distance of an edge */
  case 4:
    if (edge->isThere) return sqrtf(edge_distance2(edge, center, nearest));
    return world->scale;
  case 5:
    return next_float(in);
  default:
    return next_unit(in) * world->scale * 4;
  }
}

static inline wall_question next_wall_question(input *in, const wall_world *world,
                                               const wall_list *list) {
  wall_question question;
  next_wall_place(in, world, list, question.from);
  next_wall_place(in, world, list, question.to);
  const uint8_t choice = next_byte(in);
  if (choice % 8 == 0)
    question.to[choice / 8 % 2] = question.from[choice / 8 % 2]; /* along an axis */
  if (choice % 16 == 1) memcpy(question.to, question.from, sizeof question.to);
  question.radius = next_wall_radius(in, world, list, question.from);
  question.side = choice & 128 ? COPSE_SIDE_VISIBLE : COPSE_SIDE_BOTH;
  return question;
}

/* ---- Sequences ---- */

/* Saves the tree, checks that a damaged snapshot is refused, and restores the snapshot in this tree
 * and in another one with a different history. */
static inline const char *walls_saved(input *in, const copse_obstacle_def *def,
                                      copse_obstacle *tree, wall_list *list) {
  static uint32_t words[16 + 6 * WALLS], again[16 + 6 * WALLS];
  size_t total, other;
  uint32_t bad = COPSE_NONE, slot;
  const copse_status status = copse_obstacle_save(tree, words, sizeof words, &total, &bad);
  MUST_HOLD(bad == first_bad_vertex(list), "save: first bad vertex");
  MUST_HOLD(status == (bad == COPSE_NONE ? COPSE_OK : COPSE_NOT_FINITE), "save: status");
  if (status != COPSE_OK) return NULL;
  uint8_t *damaged = (uint8_t *)words + next_byte(in) * 16u % total;
  const uint8_t bit = (uint8_t)(1 << next_byte(in) % 8);
  *damaged ^= bit;
  MUST_HOLD(copse_obstacle_restore(tree, words, total, NULL) == COPSE_BAD_SNAPSHOT,
            "a damaged snapshot is refused");
  *damaged ^= bit;
  copse_obstacle *copy;
  if (copse_obstacle_create(def, &copy) != COPSE_OK) return "create";
  if (next_byte(in) % 2)
    copse_obstacle_add(copy, (float[]){1, 2, 3, 4}, 2, COPSE_SOLID_NOWHERE, &slot);
  bool ok = copse_obstacle_restore(copy, words, total, NULL) == COPSE_OK &&
            copse_obstacle_validate(copy) && !copse_obstacle_changed(copy) &&
            copse_obstacle_save(copy, again, sizeof again, &other, NULL) == COPSE_OK &&
            other == total && !memcmp(words, again, total);
  /* A polygon that was added and removed leaves no trace. */
  copse_obstacle_build(tree, NULL);
  list_build(list);
  ok &= built_alike(tree, copy);
  if (copse_obstacle_add(copy, (float[]){1, 2, 3, 4, 0, 5}, 3, COPSE_SOLID_WINDING, &slot) ==
      COPSE_OK) {
    ok &= copse_obstacle_build(copy, NULL) == COPSE_OK && copse_obstacle_validate(copy);
    ok &= copse_obstacle_remove(copy, slot) == COPSE_OK;
    ok &= copse_obstacle_build(copy, NULL) == COPSE_OK && built_alike(tree, copy);
  }
  copse_obstacle_destroy(copy);
  MUST_HOLD(ok, "the tree depends on its history");
  if (next_byte(in) % 2) copse_obstacle_clear(tree);
  MUST_HOLD(copse_obstacle_restore(tree, words, total, NULL) == COPSE_OK, "restore");
  return NULL;
}

/* Makes calls that must be refused. */
static inline const char *walls_refused(input *in, copse_obstacle *tree, const wall_list *list) {
  static const float BAD[] = {NAN, INFINITY, -INFINITY, 1.1e18f};
  const uint32_t room = list->capacity - vertices_used(list);
  float points[2 * (WALLS + 1)] = {0};
  uint32_t slot = 5, polygon = 0;
  MUST_HOLD(copse_obstacle_add(tree, points, next_byte(in) % 2, COPSE_SOLID_WINDING, &slot) ==
                    COPSE_INVALID_ARGUMENT &&
                slot == COPSE_NONE,
            "add: too few");
  slot = 5;
  if (room > 0)
    MUST_HOLD(copse_obstacle_add(tree, points, room + 1, COPSE_SOLID_WINDING, &slot) ==
                      COPSE_FULL &&
                  slot == COPSE_NONE,
              "add: too many");
  const uint8_t place = next_byte(in) % 4;
  points[place] = BAD[next_byte(in) % 4];
  slot = 5;
  const copse_status status = copse_obstacle_add(tree, points, 2, COPSE_SOLID_NOWHERE, &slot);
  MUST_HOLD(status == (room < 2 ? COPSE_FULL : COPSE_NOT_FINITE) && slot == COPSE_NONE,
            "add: not finite");
  while (polygon < list->capacity && !polygon_used(list, polygon)) polygon++;
  if (polygon == list->capacity) return NULL;
  const uint32_t size = polygon_size(list, polygon);
  MUST_HOLD(copse_obstacle_move(tree, polygon, points, size) == COPSE_NOT_FINITE,
            "move: not finite");
  MUST_HOLD(copse_obstacle_move(tree, polygon, points, size + 1) == COPSE_INVALID_ARGUMENT &&
                copse_obstacle_move(tree, polygon, points, size - 1) == COPSE_INVALID_ARGUMENT,
            "move: another number of vertices");
  return NULL;
}

static inline const char *walls_changed(input *in, copse_obstacle_def *def, copse_obstacle *tree,
                                        const wall_world *world, wall_list *list) {
  const uint8_t what = next_byte(in) % 16;
  const uint32_t picked = next_byte(in) % (WALLS + 2);
  float points[2 * WALLS] = {0}; /* gcc for aarch64 does not see that all are written */
  uint32_t slot = 77;
  if (what < 7) {
    const uint32_t room = list->capacity - vertices_used(list);
    const uint32_t count = next_polygon(in, world, list, room, points);
    if (count == 0) return NULL;
    bool ok = true;
    for (uint32_t i = 0; i < count; i++) ok &= wall_point_ok(points + (size_t)2 * i);
    const uint8_t choice = next_byte(in) % 8;
    const copse_solid solid = choice == 0  ? COPSE_SOLID_NOWHERE
                              : choice < 5 ? COPSE_SOLID_WINDING
                              : choice < 7 ? COPSE_SOLID_INSIDE
                                           : COPSE_SOLID_OUTSIDE;
    const copse_status status = copse_obstacle_add(tree, points, count, solid, &slot);
    if (ok && choice > 4 && area_of(points, count) == 0) {
      MUST_HOLD(status == COPSE_INVALID_ARGUMENT && slot == COPSE_NONE, "add: without area");
      return NULL;
    }
    MUST_HOLD(status == (ok ? COPSE_OK : COPSE_NOT_FINITE), "add: status");
    MUST_HOLD(slot == (ok ? list_add(list, points, count, solid) : COPSE_NONE), "add: slot");
  } else if (what < 9) {
    const bool isThere = polygon_used(list, picked);
    MUST_HOLD(copse_obstacle_remove(tree, picked) == (isThere ? COPSE_OK : COPSE_STALE_SLOT),
              "remove: status");
    if (isThere) list_remove(list, picked);
  } else if (what < 11) {
    const bool isThere = polygon_used(list, picked);
    const uint32_t count = isThere ? polygon_size(list, picked) : 2;
    bool ok = true;
    for (uint32_t i = 0; i < count; i++) {
      next_corner(in, world, points + (size_t)2 * i);
      ok &= wall_point_ok(points + (size_t)2 * i);
    }
    const copse_status status = copse_obstacle_move(tree, picked, points, count);
    MUST_HOLD(status == (!isThere ? COPSE_STALE_SLOT
                         : ok     ? COPSE_OK
                                  : COPSE_NOT_FINITE),
              "move: status");
    if (status == COPSE_OK) {
      uint32_t id = picked;
      for (uint32_t i = 0; i < count; i++, id = list->next[id])
        memcpy(list->vertices[id], points + (size_t)2 * i, sizeof list->vertices[id]);
      list->changed = true;
    }
  } else if (what == 11) { /* written to the array of vertices */
    if (picked >= list->capacity) return NULL;
    next_corner(in, world, points);
    memcpy(list->vertices[picked], points, 2 * sizeof *points);
    memcpy(copse_obstacle_vertices(tree) + (size_t)2 * picked, points, 2 * sizeof *points);
  } else if (what == 12)
    return walls_saved(in, def, tree, list);
  else if (what == 13)
    return walls_refused(in, tree, list);
  else if (what == 14 && picked < 4) {
    copse_obstacle_clear(tree);
    for (uint32_t id = 0; id < WALLS; id++) list->generations[id] += list->generations[id] & 1;
    list->changed = true;
  } else if (what == 15 && picked < 8) {
    ledger *book = def->allocator.context;
    const uint32_t capacity = picked < 4 ? WALLS : list->capacity / 2;
    const bool isShort = picked == 3 && capacity > list->capacity;
    book->callsLeft = isShort ? 0 : -1;
    MUST_HOLD(copse_obstacle_reserve(tree, capacity) == (isShort ? COPSE_OUT_OF_MEMORY : COPSE_OK),
              "reserve");
    book->callsLeft = -1;
    if (capacity > list->capacity && !isShort) {
      def->pieces = (uint32_t)((uint64_t)def->pieces * capacity / def->capacity);
      def->capacity = list->capacity = capacity;
    }
  }
  return NULL;
}

/* Plays the bytes as a sequence of changes and queries. Returns what is wrong, or NULL. */
static inline const char *play_in_walls(copse_obstacle_def def, copse_obstacle *tree, input in) {
  static wall_list list;
  list = (wall_list){.capacity = def.capacity};
  const wall_world world = next_world(&in);
  while (in.left) {
    const uint8_t steps = next_byte(&in) % 8 + 1;
    const char *wrong;
    for (uint8_t i = 0; i < steps; i++)
      if ((wrong = walls_changed(&in, &def, tree, &world, &list))) return wrong;
    if (next_byte(&in) % 8) { /* else the queries are of the last build */
      uint32_t bad = COPSE_NONE;
      const uint32_t first = first_bad_vertex(&list);
      const copse_status status = copse_obstacle_build(tree, &bad);
      MUST_HOLD(bad == first, "build: first bad vertex");
      MUST_HOLD(status == (first == COPSE_NONE ? COPSE_OK : COPSE_NOT_FINITE), "build: status");
      if (status == COPSE_OK) list_build(&list);
    }
    MUST_HOLD(copse_obstacle_validate(tree), "validate");
    if ((wrong = compare_loops(tree, &list))) return wrong;
    if ((wrong = compare_drawn(&in, tree))) return wrong;
    for (int i = 0; i < 3; i++) {
      const wall_question question = next_wall_question(&in, &world, &list);
      if ((wrong = compare_walls(&in, tree, &list, &question))) return wrong;
    }
  }
  return NULL;
}

/* Plays the bytes on a new tree; the first two are its options. Returns what is wrong, or NULL. */
static inline const char *play_walls(const uint8_t *bytes, size_t size) {
  input in = {bytes, size};
  copse_obstacle_def def = copse_obstacle_default();
  const uint8_t options = next_byte(&in), more = next_byte(&in);
  def.capacity = options & 1 ? 24 : WALLS;
  def.pieces = options & 6 ? 4 * def.capacity : def.capacity + def.capacity * (options >> 4) / 16;
  def.leafSize = more % 4 ? 1 + more / 4 % 6 : 1 + more / 4;
  ledger book = {-1, 0};
  def.allocator = ledger_allocator(&book);
  copse_obstacle *tree;
  if (copse_obstacle_create(&def, &tree) != COPSE_OK) return "create";
  const bool isMeasured = book.bytesHeld == copse_obstacle_bytes(&def);
  const char *wrong = isMeasured ? play_in_walls(def, tree, in) : "bytes";
  static uint32_t words[2048]; /* then restores the same bytes as an untrusted snapshot */
  memcpy(words, bytes, size < sizeof words ? size : sizeof words);
  copse_obstacle_restore(tree, words, size < sizeof words ? size / 4 * 4 : sizeof words, NULL);
  copse_obstacle_destroy(tree);
  return !wrong && book.bytesHeld ? "memory is not given back" : wrong;
}

#endif
