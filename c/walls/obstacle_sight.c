/* What can be seen from a point: the walls around it, cut where nearer ones hide them.
 *
 * The border of what is seen is kept as a row of sectors, in order of their directions. Each has
 * the edge that is seen in it, from its own direction to that of the next. An edge that is added
 * takes, of every sector that it lies in, what it hides. Edges come by the tree, the near side of a
 * line first; what lies beyond a line that no sector reaches is not looked at. The order makes it
 * fast and is not needed to make it right. */

#include "../base/query.h"
#include "obstacle.h"

#include <string.h>

/* A sector while at work: x, y of a corner is its direction, from the point. */
typedef struct sight {
  const copse_obstacle *tree;
  vec from;
  vec box[4]; /* corners, relative: the edge COPSE_NONE - i goes from i to the next */
  copse_corner *sectors;
  uint32_t count, capacity;
  bool full;
} sight;

enum { BOX_SIDES = 4 };

/* The ends of what is seen in a sector, relative, counter-clockwise. */
static void ends_of(const sight *seen, uint32_t edge, vec *a, vec *b) {
  if (edge > COPSE_NONE - BOX_SIDES) {
    const uint32_t side = COPSE_NONE - edge;
    *a = seen->box[side];
    *b = seen->box[(side + 1) % BOX_SIDES];
    return;
  }
  const obstacle_edge *ends = &seen->tree->edges[edge];
  *a = vec_to(seen->from, vec_of(ends->from));
  *b = vec_to(seen->from, vec_of(ends->to));
  if (vec_cross(*a, *b) < 0) {
    const vec swapped = *a;
    *a = *b;
    *b = swapped;
  }
}

/* Whether direction u comes before v, counter-clockwise from the positive x axis. */
static bool is_before(vec u, vec v) {
  const bool lowU = u.y < 0 || (u.y == 0 && u.x < 0), lowV = v.y < 0 || (v.y == 0 && v.x < 0);
  return lowU != lowV ? lowV : vec_cross(u, v) > 0;
}

static vec direction_of(const copse_corner *sector) { return (vec){sector->x, sector->y}; }

/* How far along a direction an edge is, in its lengths. */
static double distance_along(vec direction, vec a, vec b) {
  const vec way = vec_to(a, b);
  const double across = vec_cross(direction, way);
  return across > 0 ? vec_cross(a, way) / across : INFINITY;
}

/* Where a direction meets an edge. It is on the edge even where the point is all but on its line.
 */
static vec point_along(const sight *seen, vec direction, uint32_t edge) {
  vec a, b;
  ends_of(seen, edge, &a, &b);
  const double ofA = vec_cross(direction, a), ofB = vec_cross(direction, b);
  if (!(ofA < 0)) return a;
  if (!(ofB > 0)) return b;
  const double at = ofA / (ofA - ofB);
  return (vec){a.x + (b.x - a.x) * at, a.y + (b.y - a.y) * at};
}

/* Where the lines of two edges cross. */
static vec crossing_of(vec a, vec b, vec c, vec d) {
  const double ofA = side_of(c, d, a), ofB = side_of(c, d, b);
  const double at = ofA / (ofA - ofB);
  return (vec){a.x + (b.x - a.x) * at, a.y + (b.y - a.y) * at};
}

/* Appends a sector to those that were made, from `made` on; one of the same edge as that before it
 * only makes it longer. */
static void append(sight *seen, uint32_t *made, uint32_t first, vec direction, uint32_t edge,
                   uint32_t before) {
  if (*made > first ? seen->sectors[*made - 1].edge == edge : before == edge) return;
  if (*made >= seen->capacity) {
    seen->full = true;
    return;
  }
  seen->sectors[(*made)++] = (copse_corner){direction.x, direction.y, edge, 0};
}

/* Puts the sectors behind the row in place of those from `begin` to `end`. */
static void replace(sight *seen, uint32_t begin, uint32_t end, uint32_t made) {
  copse_corner *all = seen->sectors;
  const uint32_t fresh = made - seen->count, after = seen->count - end;
  /* The row is begin | old | after | fresh, and turned into begin | fresh | after. */
  if (fresh <= end - begin) {
    memcpy(all + begin, all + seen->count, fresh * sizeof *all);
    memmove(all + begin + fresh, all + end, after * sizeof *all);
  } else if (made + after <= seen->capacity) {
    memmove(all + made, all + end, after * sizeof *all);
    memmove(all + begin, all + seen->count, fresh * sizeof *all);
    memmove(all + begin + fresh, all + made, after * sizeof *all);
  } else
    seen->full = true;
  seen->count = begin + fresh + after;
}

/* The sector that a direction is in: the last that is not after it. */
static uint32_t find(const sight *seen, vec direction) {
  uint32_t lo = 0, hi = seen->count;
  while (hi - lo > 1) {
    const uint32_t middle = lo + (hi - lo) / 2;
    if (is_before(direction, direction_of(&seen->sectors[middle])))
      hi = middle;
    else
      lo = middle;
  }
  return lo;
}

/* Adds what an edge a … b hides between the directions `from` and `to`, which don't pass the
 * positive x axis; to.x == to.y == 0: up to that axis. */
static void hide(sight *seen, uint32_t edge, vec a, vec b, vec from, vec to) {
  const bool toAxis = to.x == 0 && to.y == 0;
  const uint32_t begin = find(seen, from);
  uint32_t made = seen->count, at = begin;
  const uint32_t before = begin ? seen->sectors[begin - 1].edge : COPSE_NONE - BOX_SIDES;
  bool hides = false;
  for (; at < seen->count; at++) {
    const copse_corner sector = seen->sectors[at];
    vec start = direction_of(&sector), c, d;
    const bool isLast = at + 1 == seen->count;
    vec stop = isLast ? (vec){1, 0} : direction_of(&seen->sectors[at + 1]);
    if (!toAxis && !is_before(start, to)) break;
    if (is_before(start, from)) {
      append(seen, &made, seen->count, start, sector.edge, before);
      start = from;
    }
    const bool endsHere = !toAxis && (isLast || is_before(to, stop));
    if (endsHere) stop = to;
    ends_of(seen, sector.edge, &c, &d);
    const double nearerAtStart = distance_along(start, c, d) - distance_along(start, a, b);
    const double nearerAtStop = distance_along(stop, c, d) - distance_along(stop, a, b);
    const bool startsNearer = nearerAtStart > 0 || (nearerAtStart == 0 && nearerAtStop > 0);
    const bool stopsNearer = nearerAtStop > 0 || (nearerAtStop == 0 && nearerAtStart > 0);
    hides |= startsNearer || stopsNearer;
    const vec crossing = startsNearer == stopsNearer ? start : crossing_of(a, b, c, d);
    const bool isSlit = !is_before(start, crossing); /* what lies before it, if they cross */
    append(seen, &made, seen->count, start,
           (isSlit ? stopsNearer : startsNearer) ? edge : sector.edge, before);
    if (!isSlit && ((isLast && !endsHere) || is_before(crossing, stop)))
      append(seen, &made, seen->count, crossing, stopsNearer ? edge : sector.edge, before);
    if (endsHere) append(seen, &made, seen->count, to, sector.edge, before);
  }
  if (!hides || seen->full) return;
  const uint32_t lastEdge = made > seen->count ? seen->sectors[made - 1].edge : before;
  if (at < seen->count && seen->sectors[at].edge == lastEdge) at++; /* one sector with it */
  replace(seen, begin, at, made);
}

/* Adds an edge, unless it is seen end-on. */
static void add(sight *seen, uint32_t edge) {
  vec a, b;
  ends_of(seen, edge, &a, &b);
  if (!(vec_cross(a, b) > 0)) return;
  /* Whether it passes the positive x axis, where the row begins. */
  const bool lowA = a.y < 0 || (a.y == 0 && a.x < 0), lowB = b.y < 0 || (b.y == 0 && b.x < 0);
  if (lowA && !lowB) {
    hide(seen, edge, a, b, a, (vec){0, 0});
    if (b.y != 0) hide(seen, edge, a, b, (vec){1, 0}, b);
  } else
    hide(seen, edge, a, b, a, b);
}

/* Whether anything that is seen reaches beyond a line, seen from the side where the point is. */
static bool reaches_over(const sight *seen, const obstacle_node *node, float side, float slack) {
  const copse_obstacle *tree = seen->tree;
  const double x = seen->from.x - (double)tree->center[0];
  const double y = seen->from.y - (double)tree->center[1];
  const vec normal = vec_of(node->normal);
  const double own = normal.x * x + normal.y * y - (double)node->offset;
  const double sign = side < 0 ? -1 : 1;
  for (uint32_t i = 0; i < seen->count; i++) {
    const copse_corner *sector = &seen->sectors[i];
    const copse_corner *next = &seen->sectors[i + 1 < seen->count ? i + 1 : 0];
    const vec begin = point_along(seen, direction_of(sector), sector->edge);
    const vec end = point_along(seen, direction_of(next), sector->edge);
    if ((own + vec_dot(normal, begin)) * sign < (double)slack ||
        (own + vec_dot(normal, end)) * sign < (double)slack)
      return true;
  }
  return false;
}

/* Looks at all edges that may be seen. */
static void look(sight *seen, float x, float y, uint32_t *visits) {
  const copse_obstacle *tree = seen->tree;
  uint32_t stack[OBSTACLE_STACK] = {0}, parents[OBSTACLE_STACK] = {COPSE_NONE};
  const float slack = obstacle_slack(tree, x, y);
  for (uint32_t waiting = 1; waiting && !seen->full;) {
    uint32_t at = stack[--waiting];
    const uint32_t parent = parents[waiting];
    /* The look at all sectors has to be worth it. */
    if (parent != COPSE_NONE && 4 * (tree->nodes[at].end - tree->nodes[at].begin) > seen->count) {
      const obstacle_node *line = &tree->nodes[parent];
      if (!reaches_over(seen, line, node_side(line, x, y), slack)) continue;
    }
    ++*visits;
    for (; tree->nodes[at].left; ++*visits) {
      const obstacle_node *node = &tree->nodes[at];
      const bool isRight = node_side(node, x, y) < 0;
      stack[waiting] = isRight ? node->left : at + 1;
      parents[waiting++] = at;
      at = isRight ? at + 1 : node->left;
    }
    for (uint32_t i = tree->nodes[at].begin; i < tree->nodes[at].end; i++)
      add(seen, tree->pieces[i].edge);
  }
}

/* From sectors to corners: where the edge of each begins and ends. In place, from the last. */
static void finish(sight *seen) {
  copse_corner *all = seen->sectors;
  const uint32_t last = seen->count - 1;
  const bool isWhole = all[0].edge == all[last].edge; /* where the row begins: no edge is all */
  uint32_t made = seen->capacity;
  vec stop = direction_of(&all[0]);
  for (uint32_t i = seen->count; i-- > 0;) {
    const uint32_t edge = all[i].edge;
    const vec start = direction_of(&all[i]);
    const vec begin = point_along(seen, start, edge), end = point_along(seen, stop, edge);
    const uint32_t seenEdge = edge > COPSE_NONE - BOX_SIDES ? COPSE_NONE : edge;
    const vec ends[2] = {end, begin};
    for (int k = 0; k < 2; k++) {
      if (isWhole && i == (k ? 0 : last)) continue;
      const copse_corner corner = {ends[k].x + seen->from.x, ends[k].y + seen->from.y,
                                   k ? seenEdge : COPSE_NONE, 0};
      const copse_corner *after = &all[made];
      /* Where one wall goes on from another there is one corner. */
      if (made < seen->capacity && corner.x == after->x && corner.y == after->y) continue;
      all[--made] = corner;
    }
    stop = start;
  }
  seen->count = seen->capacity - made;
  memmove(all, all + made, seen->count * sizeof *all);
  const copse_corner *end = &all[seen->count - 1];
  if (seen->count > 1 && end->x == all[0].x && end->y == all[0].y) seen->count--;
}

copse_status copse_obstacle_visibility(const copse_obstacle *tree, const float *from,
                                       const float *lo, const float *hi, copse_corner *corners,
                                       uint32_t capacity, uint32_t *total, uint32_t *visits) {
  uint32_t visited = 0;
  bool any;
  *total = 0;
  if (!query_point_ok(from, 2) || !query_point_ok(lo, 2) || !query_point_ok(hi, 2) ||
      !(lo[0] < from[0] && from[0] < hi[0] && lo[1] < from[1] && from[1] < hi[1]))
    return COPSE_INVALID_ARGUMENT;
  sight seen = {.tree = tree, .from = vec_of(from), .sectors = corners, .capacity = capacity};
  const vec low = vec_to(seen.from, vec_of(lo)), high = vec_to(seen.from, vec_of(hi));
  const vec box[BOX_SIDES] = {{high.x, low.y}, {high.x, high.y}, {low.x, high.y}, {low.x, low.y}};
  if (capacity < BOX_SIDES + 1) return COPSE_FULL;
  for (uint32_t side = 0; side < BOX_SIDES; side++) {
    seen.box[side] = box[side];
    corners[side] = (copse_corner){box[side].x, box[side].y, COPSE_NONE - side, 0};
  }
  corners[0] = (copse_corner){1, 0, COPSE_NONE, 0};
  corners[BOX_SIDES] = (copse_corner){box[0].x, box[0].y, COPSE_NONE, 0};
  seen.count = BOX_SIDES + 1;
  copse_obstacle_visible(tree, from, from, 0, &any, &visited); /* not on a wall */
  if (any) look(&seen, from[0] - tree->center[0], from[1] - tree->center[1], &visited);
  if (visits) *visits = visited;
  if (!any) return COPSE_OK;
  if (seen.full || 2 * (uint64_t)seen.count > capacity) return COPSE_FULL;
  finish(&seen);
  *total = seen.count;
  return COPSE_OK;
}
