/* What can be seen from a point: the walls around it, cut where nearer ones hide them.
 *
 * A row is what is seen of some edges: sectors in the order of their directions, from the positive
 * x axis once around. Each has the edge that is seen in it, from its own direction to that of the
 * next. An edge is added to the last row: it takes, of every sector that it lies in, what it hides.
 * A row that has become long waits on a stack until there is another about as long; the two are
 * merged in one pass, in which the nearer edge of each direction remains. So V edges take
 * O(V log V), whether they cross or not. (Lower envelopes by divide and conquer: M. J. Atallah,
 * "Some dynamic computational geometry problems", 1985.)
 *
 * Edges come by the tree, the near side of a line first; what lies beyond a line that no sector
 * reaches is not looked at. The order makes it fast and is not needed to make it right. */

#include "../base/query.h"
#include "obstacle.h"

#include <string.h>

/* BOX_SIDES are the edges from COPSE_NONE down; NOTHING is seen in the directions of no edge. */
enum { BOX_SIDES = 4, LONG_ROW = 256, MOST_ROWS = 40 };
#define NOTHING (COPSE_NONE - BOX_SIDES)

/* An edge as the point sees it. */
typedef struct chord {
  vec a, b;     /* its ends within the box, counter-clockwise around the point */
  vec way;      /* of the whole edge */
  double cross; /* of the point's way to it and its own: how far its line is, times its length; 0:
                 * seen end-on, or not at all */
} chord;

/* A sector of a row. */
typedef struct cursor {
  uint32_t place, end; /* where it is, and where its row ends; 0: nowhere */
  uint32_t edge;
  bool isLast, isKnown; /* isKnown: `sees` is filled in */
  vec start, stop;      /* the directions of it and of the next sector; of the last the axis */
  chord sees;
} cursor;

/* A sector while at work: x, y of a corner is its direction, from the point. */
typedef struct sight {
  const copse_obstacle *tree;
  vec from;
  vec lo, hi;             /* the box, relative to the point */
  chord sides[BOX_SIDES]; /* of it; COPSE_NONE - i is the edge i */
  copse_corner *sectors;
  uint32_t capacity;
  uint32_t room;                  /* what may be written to ends there */
  uint32_t begins[MOST_ROWS + 1]; /* of the rows, and where the last one ends */
  uint32_t rows;
  cursor last; /* of the first row the sector that was looked at last */
  bool full;
} sight;

static const vec AXIS = {1, 0};

/* ---- Edges as the point sees them ---- */

/* A number as the sum of two, of which `low` is what rounding took from `high`. */
typedef struct twofold {
  double high, low;
} twofold;

/* After D. E. Knuth and T. J. Dekker (1971). */
static twofold difference(double x, double y) {
  const double high = x - y, ofY = x - high, ofX = high + ofY;
  return (twofold){high, (x - ofX) + (ofY - y)};
}

static twofold product(double x, double y) {
  const double SPLIT = 0x8000001p0, bigX = x * SPLIT, bigY = y * SPLIT, high = x * y;
  const double x1 = bigX - (bigX - x), x2 = x - x1, y1 = bigY - (bigY - y), y2 = y - y1;
  return (twofold){high, ((x1 * y1 - high) + x1 * y2 + x2 * y1) + x2 * y2};
}

static twofold product_of(twofold x, twofold y) {
  twofold both = product(x.high, y.high);
  both.low += x.high * y.low + x.low * y.high;
  return both;
}

/* The cross product of p … a and p … b, to the last digits of a double whatever cancels. */
SMALL_CODE OUT_OF_LINE double cross_exactly(vec p, vec a, vec b) {
  const twofold one = product_of(difference(a.x, p.x), difference(b.y, p.y));
  const twofold other = product_of(difference(a.y, p.y), difference(b.x, p.x));
  const twofold whole = difference(one.high, other.high);
  return whole.high + (whole.low + (one.low - other.low));
}

static double within(double lo, double hi, double x) { return x < lo ? lo : x > hi ? hi : x; }
static double between(double a, double b, double x) {
  return a < b ? within(a, b, x) : within(b, a, x);
}

/* True if two points are both beyond the same side of the box. */
static bool are_beside(const sight *seen, vec a, vec b) {
  return (a.x < seen->lo.x && b.x < seen->lo.x) || (a.x > seen->hi.x && b.x > seen->hi.x) ||
         (a.y < seen->lo.y && b.y < seen->lo.y) || (a.y > seen->hi.y && b.y > seen->hi.y);
}

static bool is_in_box(const sight *seen, vec point) {
  return within(seen->lo.x, seen->hi.x, point.x) == point.x &&
         within(seen->lo.y, seen->hi.y, point.y) == point.y;
}

/* Takes an end of an edge back along its line to the box. */
static void clip_end(const sight *seen, const chord *edge, vec *end) {
  const double x = within(seen->lo.x, seen->hi.x, end->x);
  if (x != end->x) *end = (vec){x, (x * edge->way.y - edge->cross) / edge->way.x};
  const double y = within(seen->lo.y, seen->hi.y, end->y);
  if (y != end->y) *end = (vec){(y * edge->way.x + edge->cross) / edge->way.y, y};
}

/* Takes an edge into the box. One that misses it becomes a point there. */
SMALL_CODE OUT_OF_LINE void clip(const sight *seen, chord *edge) {
  clip_end(seen, edge, &edge->a);
  clip_end(seen, edge, &edge->b);
  if (!(vec_cross(edge->a, edge->b) > 0)) edge->cross = 0;
}

static void see(const sight *seen, uint32_t edge, chord *sees) {
  if (edge > NOTHING) {
    *sees = seen->sides[COPSE_NONE - edge];
    return;
  }
  sees->cross = 0;
  if (edge == NOTHING) return;
  const obstacle_edge *ends = &seen->tree->edges[edge];
  const vec from = vec_of(ends->from), to = vec_of(ends->to);
  const vec a = vec_to(seen->from, from), b = vec_to(seen->from, to);
  if (are_beside(seen, a, b)) return;
  const double one = a.x * b.y, other = a.y * b.x;
  double cross = one - other;
  /* A long wall that passes near by is near by the difference of two huge products. */
  if (!(fabs(cross) >= 1e-3 * (fabs(one) + fabs(other))))
    cross = cross_exactly(seen->from, from, to);
  *sees =
      cross < 0 ? (chord){b, a, vec_to(to, from), -cross} : (chord){a, b, vec_to(from, to), cross};
  if (!is_in_box(seen, a) || !is_in_box(seen, b)) clip(seen, sees);
}

/* How far along a direction an edge is, in lengths of that vector: a quotient, of an end's own
 * direction exactly 1. Beyond its ends an edge is as far as they are; nothing is infinitely far. */
typedef struct quotient {
  double above, below;
} quotient;

ALWAYS_INLINE quotient distance_along(const chord *edge, vec direction) {
  if (edge->cross == 0) return (quotient){1, 0};
  const double ofA = vec_cross(direction, edge->a), ofB = vec_cross(direction, edge->b);
  if (ofA < 0 && ofB > 0) return (quotient){edge->cross, vec_cross(direction, edge->way)};
  return (quotient){vec_dot(ofA < 0 ? edge->b : edge->a, direction), vec_dot(direction, direction)};
}

/* 1 if an edge is farther along a direction than another, -1 if it is nearer. */
ALWAYS_INLINE int farther(const chord *one, const chord *other, vec direction) {
  const quotient a = distance_along(one, direction), b = distance_along(other, direction);
  const double ofOne = a.above * b.below, ofOther = b.above * a.below;
  return (ofOne > ofOther) - (ofOne < ofOther);
}

/* Where a direction meets an edge, relative to the point. */
OUT_OF_LINE vec point_along(const chord *edge, vec direction) {
  if (!(vec_cross(direction, edge->a) < 0)) return edge->a;
  if (!(vec_cross(direction, edge->b) > 0)) return edge->b;
  const double far = edge->cross / vec_cross(direction, edge->way);
  return (vec){between(edge->a.x, edge->b.x, direction.x * far),
               between(edge->a.y, edge->b.y, direction.y * far)};
}

/* Where the lines of two edges cross, relative to the point. */
static vec crossing_of(const chord *one, const chord *other) {
  const vec u = one->way, v = other->way;
  const double scale = 1 / vec_cross(u, v);
  return (vec){(other->cross * u.x - one->cross * v.x) * scale,
               (other->cross * u.y - one->cross * v.y) * scale};
}

/* ---- Rows ---- */

/* True if direction u comes before v, counter-clockwise from the positive x axis. */
static bool is_before(vec u, vec v) {
  const bool lowU = u.y < 0 || (u.y == 0 && u.x < 0), lowV = v.y < 0 || (v.y == 0 && v.x < 0);
  return lowU != lowV ? lowV : vec_cross(u, v) > 0;
}

static vec direction_of(const copse_corner *sector) { return (vec){sector->x, sector->y}; }

/* Where the last row ends. */
static uint32_t end_of(const sight *seen) { return seen->begins[seen->rows]; }

/* Appends a sector to the row that is being made from `first` on: the last sector goes on if it has
 * the same edge. */
OUT_OF_LINE void append(sight *seen, uint32_t first, uint32_t *end, vec direction, uint32_t edge) {
  if (*end > first && seen->sectors[*end - 1].edge == edge) return;
  if (*end >= seen->room)
    seen->full = true;
  else
    seen->sectors[(*end)++] = (copse_corner){direction.x, direction.y, edge, 0};
}

/* Which of two edges is nearer where a sector of both starts and stops. */
typedef struct contest {
  bool startsWithOther, stopsWithOther;
} contest;

ALWAYS_INLINE contest compare(const chord *one, const chord *other, vec start, vec stop) {
  const int atStart = farther(one, other, start), atStop = farther(one, other, stop);
  return (contest){atStart > 0 || (atStart == 0 && atStop > 0),
                   atStop > 0 || (atStop == 0 && atStart > 0)};
}

OUT_OF_LINE void go_to(const sight *seen, cursor *at, uint32_t place) {
  const copse_corner *sector = &seen->sectors[place];
  at->place = place;
  at->edge = sector->edge;
  at->isLast = place + 1 == at->end;
  at->start = direction_of(sector);
  at->stop = at->isLast ? AXIS : direction_of(sector + 1);
  at->isKnown = false;
}

static const chord *chord_of(const sight *seen, cursor *at) {
  if (!at->isKnown) see(seen, at->edge, &at->sees);
  at->isKnown = true;
  return &at->sees;
}

/* Of two sectors that overlap, of two rows: which stops first. */
typedef enum first_stop { BOTH_STOP, ONE_STOPS, OTHER_STOPS } first_stop;

static first_stop first_of(const cursor *one, const cursor *other) {
  if (other->isLast) return one->isLast ? BOTH_STOP : ONE_STOPS;
  if (one->isLast || is_before(other->stop, one->stop)) return OTHER_STOPS;
  return is_before(one->stop, other->stop) ? ONE_STOPS : BOTH_STOP;
}

/* Appends what is seen of two sectors from `start` to where the first of them stops. */
OUT_OF_LINE void append_nearer(sight *seen, uint32_t first, uint32_t *end, cursor *one,
                               cursor *other, vec start, first_stop stops_first) {
  if (one->edge == NOTHING || other->edge == NOTHING) {
    append(seen, first, end, start, one->edge == NOTHING ? other->edge : one->edge);
    return;
  }
  const bool isLast = one->isLast && other->isLast;
  const vec stop = stops_first == OTHER_STOPS ? other->stop : one->stop;
  const contest nearer = compare(chord_of(seen, one), chord_of(seen, other), start, stop);
  const uint32_t starts = nearer.startsWithOther ? other->edge : one->edge;
  const uint32_t stops = nearer.stopsWithOther ? other->edge : one->edge;
  if (starts == stops)
    append(seen, first, end, start, starts);
  else {
    /* A crossing right in the direction of an end counts all the same: it may be far from that. */
    const vec crossing = crossing_of(&one->sees, &other->sees);
    const bool isAfter = is_before(start, crossing);
    const bool isBetween = !is_before(crossing, start) && (isLast || !is_before(stop, crossing));
    if (isAfter) append(seen, first, end, start, starts);
    if (isBetween || !isAfter) append(seen, first, end, isBetween ? crossing : start, stops);
  }
}

/* Merges the last two rows. Of edges as near, that of the first remains. */
SMALL_CODE OUT_OF_LINE void merge(sight *seen) {
  const uint32_t first = seen->begins[seen->rows - 2], size = end_of(seen) - first;
  const uint32_t begin = seen->capacity - size;
  const uint32_t middle = begin + (seen->begins[seen->rows - 1] - first);
  /* What is read goes to the end, and what is made follows it up: of edges that do not cross there
   * are no more sectors than were read. */
  memmove(seen->sectors + begin, seen->sectors + first, size * sizeof *seen->sectors);
  cursor one = {.end = middle}, other = {.end = seen->capacity};
  uint32_t end = first;
  vec start = AXIS;
  go_to(seen, &one, begin);
  go_to(seen, &other, middle);
  for (;;) {
    seen->room = (one.isLast ? other.place : one.place) + 1;
    const first_stop stops = first_of(&one, &other);
    append_nearer(seen, first, &end, &one, &other, start, stops);
    if (one.isLast && other.isLast) break;
    start = stops == OTHER_STOPS ? other.stop : one.stop;
    if (stops != OTHER_STOPS) go_to(seen, &one, one.place + 1);
    if (stops != ONE_STOPS) go_to(seen, &other, other.place + 1);
  }
  seen->room = seen->capacity;
  seen->begins[--seen->rows] = end;
  seen->last.end = 0;
}

static void merge_all(sight *seen) {
  while (seen->rows > 1 && !seen->full) merge(seen);
}

/* Starts a row of nothing, and merges those before it that are no longer twice as long as the next.
 */
SMALL_CODE OUT_OF_LINE void start_row(sight *seen) {
  while (seen->rows > 1 && !seen->full &&
         seen->begins[seen->rows - 1] - seen->begins[seen->rows - 2] <
             2 * (end_of(seen) - seen->begins[seen->rows - 1]))
    merge(seen);
  const uint32_t first = end_of(seen);
  uint32_t end = first;
  append(seen, first, &end, AXIS, NOTHING);
  seen->begins[++seen->rows] = end;
}

/* Puts the sectors behind the last row in place of those from `begin` to `end`. */
SMALL_CODE OUT_OF_LINE void replace(sight *seen, uint32_t begin, uint32_t end, uint32_t made) {
  copse_corner *sectors = seen->sectors;
  const uint32_t rowEnd = end_of(seen), fresh = made - rowEnd, after = rowEnd - end;
  /* The row is begin | old | after | fresh, and turned into begin | fresh | after. */
  if (fresh <= end - begin) {
    memcpy(sectors + begin, sectors + rowEnd, fresh * sizeof *sectors);
    memmove(sectors + begin + fresh, sectors + end, after * sizeof *sectors);
  } else if (made + after <= seen->capacity) {
    memmove(sectors + made, sectors + end, after * sizeof *sectors);
    memmove(sectors + begin, sectors + rowEnd, fresh * sizeof *sectors);
    memmove(sectors + begin + fresh, sectors + made, after * sizeof *sectors);
  } else
    seen->full = true;
  seen->begins[seen->rows] = begin + fresh + after;
  seen->last.end = 0;
}

/* The sector of a row that a direction is in: the last that is not after it. */
static uint32_t find(const sight *seen, uint32_t row, vec direction) {
  uint32_t lo = seen->begins[row], hi = seen->begins[row + 1];
  while (hi - lo > 1) {
    const uint32_t middle = lo + (hi - lo) / 2;
    if (is_before(direction, direction_of(&seen->sectors[middle])))
      hi = middle;
    else
      lo = middle;
  }
  return lo;
}

/* Adds what is seen of an edge from a direction to where the edge stops, to the last row. */
SMALL_CODE OUT_OF_LINE void insert(sight *seen, cursor *edge, vec from) {
  const uint32_t begin = find(seen, seen->rows - 1, from), first = end_of(seen);
  uint32_t end = first;
  cursor one = {.end = first};
  go_to(seen, &one, begin);
  if (is_before(one.start, from)) append(seen, first, &end, one.start, one.edge);
  for (vec start = from;; start = one.start) {
    const first_stop stops = first_of(&one, edge);
    append_nearer(seen, first, &end, &one, edge, start, stops);
    if (stops == OTHER_STOPS) append(seen, first, &end, edge->stop, one.edge);
    if (stops != ONE_STOPS) break;
    go_to(seen, &one, one.place + 1);
  }
  if (!seen->full) replace(seen, begin, one.place + 1, end);
}

/* True if the first row hides an edge from a direction to where it stops. Most edges are hidden, by
 * the sector that hid the one before. */
static bool hides(sight *seen, const cursor *edge, vec from) {
  cursor *one = &seen->last;
  if (!one->end || is_before(from, one->start) || !(one->isLast || is_before(from, one->stop))) {
    one->end = seen->begins[1];
    go_to(seen, one, find(seen, 0, from));
  }
  for (vec start = from;; start = one->start) {
    const first_stop stops = first_of(one, edge);
    const vec stop = stops == OTHER_STOPS ? edge->stop : one->stop;
    const contest nearer = compare(chord_of(seen, one), &edge->sees, start, stop);
    if (nearer.startsWithOther || nearer.stopsWithOther) return false;
    if (stops != ONE_STOPS) return true;
    go_to(seen, one, one->place + 1);
  }
}

static void add_part(sight *seen, cursor *edge, vec from) {
  if (hides(seen, edge, from)) return;
  if (end_of(seen) - seen->begins[seen->rows - 1] > LONG_ROW) start_row(seen);
  if (!seen->full) insert(seen, edge, from);
}

/* Adds an edge, in two parts where it goes on across the axis, where rows begin. */
static void add(sight *seen, uint32_t edge) {
  cursor part = {.edge = edge, .isKnown = true};
  see(seen, edge, &part.sees);
  if (part.sees.cross == 0) return;
  const vec a = part.sees.a, b = part.sees.b;
  const bool isAcross = is_before(b, a);
  part.isLast = isAcross;
  part.stop = isAcross ? AXIS : b;
  add_part(seen, &part, a);
  if (!isAcross || !is_before(AXIS, b)) return;
  part.isLast = false;
  part.stop = b;
  add_part(seen, &part, AXIS);
}

/* ---- The way through the tree ---- */

/* True if anything that is seen reaches beyond a line, seen from the side where the point is. */
static bool reaches_over(const sight *seen, const obstacle_node *line, float side, float slack) {
  const copse_obstacle *tree = seen->tree;
  const vec normal = vec_of(line->normal);
  const double own =
      vec_dot(normal, vec_to(vec_of(tree->center), seen->from)) - (double)line->offset;
  const double sign = side < 0 ? -1 : 1;
  cursor sector = {.end = seen->begins[1]};
  for (uint32_t place = 0; place < seen->begins[1]; place++) {
    go_to(seen, &sector, place);
    const vec directions[2] = {direction_of(&seen->sectors[place]), sector.stop};
    for (int end = 0; end < 2; end++) {
      const vec point = point_along(chord_of(seen, &sector), directions[end]);
      const double beyond = own + vec_dot(normal, point);
      if (beyond * sign < (double)slack) return true;
    }
  }
  return false;
}

/* Looks at all edges that may be seen. */
static void look(sight *seen, float x, float y, uint32_t *visits) {
  const copse_obstacle *tree = seen->tree;
  uint32_t stack[OBSTACLE_STACK] = {0}, parents[OBSTACLE_STACK] = {COPSE_NONE};
  const float slack = obstacle_slack(tree, x, y);
  for (uint32_t waiting = 1; waiting && !seen->full;) {
    uint32_t place = stack[--waiting];
    const uint32_t parent = parents[waiting];
    /* The look at all sectors has to be worth it. */
    if (parent != COPSE_NONE &&
        4 * (tree->nodes[place].end - tree->nodes[place].begin) > seen->begins[1]) {
      const obstacle_node *line = &tree->nodes[parent];
      merge_all(seen);
      if (!reaches_over(seen, line, node_side(line, x, y), slack)) continue;
    }
    ++*visits;
    for (; tree->nodes[place].left; ++*visits) {
      const obstacle_node *node = &tree->nodes[place];
      const bool isRight = node_side(node, x, y) < 0;
      stack[waiting] = isRight ? node->left : place + 1;
      parents[waiting++] = place;
      place = isRight ? place + 1 : node->left;
    }
    for (uint32_t i = tree->nodes[place].begin; i < tree->nodes[place].end && !seen->full; i++)
      add(seen, tree->pieces[i].edge);
  }
  merge_all(seen);
}

/* Turns the sectors into corners: where the edge of each begins and ends. In place, from the last.
 * Returns their number. */
SMALL_CODE OUT_OF_LINE uint32_t finish(sight *seen, vec lo, vec hi) {
  copse_corner *corners = seen->sectors;
  const uint32_t count = seen->begins[1], last = count - 1;
  const bool isWhole = corners[0].edge == corners[last].edge; /* at the axis: no edge is all */
  uint32_t made = seen->capacity;
  vec stop = AXIS;
  for (uint32_t i = count; i-- > 0;) {
    const uint32_t edge = corners[i].edge;
    const vec start = direction_of(&corners[i]);
    chord sees;
    see(seen, edge, &sees);
    const vec ends[2] = {point_along(&sees, stop), point_along(&sees, start)};
    for (int k = 0; k < 2; k++) {
      if (isWhole && i == (k ? 0 : last)) continue;
      const uint32_t goesOn = k && edge < NOTHING ? edge : COPSE_NONE;
      const copse_corner corner = {within(lo.x, hi.x, seen->from.x + ends[k].x),
                                   within(lo.y, hi.y, seen->from.y + ends[k].y), goesOn, 0};
      const copse_corner *after = &corners[made];
      /* Where one wall goes on from another there is one corner. */
      if (made < seen->capacity && corner.x == after->x && corner.y == after->y) continue;
      corners[--made] = corner;
    }
    stop = start;
  }
  uint32_t total = seen->capacity - made;
  memmove(corners, corners + made, total * sizeof *corners);
  if (total > 1 && corners[total - 1].x == corners[0].x && corners[total - 1].y == corners[0].y)
    total--;
  return total;
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
  if (capacity < BOX_SIDES + 1) return COPSE_FULL;
  sight seen = {.tree = tree,
                .from = vec_of(from),
                .lo = vec_to(vec_of(from), vec_of(lo)),
                .hi = vec_to(vec_of(from), vec_of(hi)),
                .sectors = corners,
                .capacity = capacity,
                .room = capacity,
                .begins = {0, BOX_SIDES + 1},
                .rows = 1};
  const vec box[] = {{seen.hi.x, seen.lo.y}, seen.hi, {seen.lo.x, seen.hi.y}, seen.lo};
  for (uint32_t side = 0; side < BOX_SIDES; side++) {
    const vec a = box[side], b = box[(side + 1) % BOX_SIDES];
    seen.sides[side] = (chord){a, b, vec_to(a, b), vec_cross(a, b)};
    corners[side] = (copse_corner){a.x, a.y, COPSE_NONE - side, 0};
  }
  corners[BOX_SIDES] = (copse_corner){box[0].x, box[0].y, COPSE_NONE, 0};
  corners[0] = (copse_corner){AXIS.x, AXIS.y, COPSE_NONE, 0};
  copse_obstacle_visible(tree, from, from, 0, &any, &visited); /* not on a wall */
  if (any) look(&seen, from[0] - tree->center[0], from[1] - tree->center[1], &visited);
  if (visits) *visits = visited;
  if (!any) return COPSE_OK;
  if (seen.full || 2 * (uint64_t)seen.begins[1] > capacity) return COPSE_FULL;
  *total = finish(&seen, vec_of(lo), vec_of(hi));
  return COPSE_OK;
}
