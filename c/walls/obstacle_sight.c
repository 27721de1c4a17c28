/* The visibility polygon of a point: the walls around it, cut where nearer ones hide them.
 *
 * A row says what is visible from the point if only some of the edges exist: a list of sectors, in
 * counter-clockwise order, from the positive x axis once around the point. A sector extends from
 * its own direction to that of the next sector, and shows one edge or none. New edges are inserted
 * into the last row, where they replace the edges that they hide. When the last row is long, a new
 * row is started. Once that row is more than half as long as the one before it, the two are merged,
 * in one pass that keeps the nearer edge in each direction. So V edges take O(V log V) time,
 * whether they cross or not. (Lower envelopes by divide and conquer: M. J. Atallah, "Some dynamic
 * computational geometry problems", 1985.)
 *
 * Each inner node of the tree divides the plane by a line. The edges on the point's side of the
 * line are added first. The other side is skipped if no sector's edge reaches beyond the line. The
 * order matters only for speed. */

#include "../base/query.h"
#include "obstacle.h"

#include <string.h>

/* The visibility polygon is clipped to a box, whose four sides have the edge ids COPSE_NONE - 3 …
 * COPSE_NONE. A sector (a range of directions) without a visible edge has the edge id NOTHING. A
 * row (a list of sectors) longer than LONG_ROW takes no more edges: a new row starts. MOST_ROWS
 * rows are enough, because start_row keeps each row at least twice as long as the next. */
enum { BOX_SIDES = 4, LONG_ROW = 256, MOST_ROWS = 40 };
#define NOTHING (COPSE_NONE - BOX_SIDES)

/* An edge as seen from the query's point. */
typedef struct edge_view {
  vec a, b;     /* ends of the part of the edge that is in the box, counter-clockwise around the
                 * point */
  vec way;      /* vector of the whole edge, in the direction from a to b */
  double cross; /* the distance of the edge's line from the point, times the edge's length; 0: not
                 * in the box, or seen end-on */
} edge_view;

/* A sector (a range of directions) of a row, and the edge that is visible in it. Or a part of an
 * edge that is still to be inserted into a row. */
typedef struct cursor {
  uint32_t place, end; /* the sector's index, and the index after its row's last sector; `end` is 0
                        * if this is no sector */
  uint32_t edge;
  bool isLast, hasView; /* isLast: the sector is the last of a row, which lists sectors once around
                         * the point. hasView: `view` is set */
  vec start, stop;      /* the directions between which the edge is visible; the last sector of a
                         * row stops at the positive x axis. A part of an edge has no `start` */
  edge_view view;
} cursor;

/* The state of a query. Sectors are stored in the array that receives the polygon's corners: x, y
 * is the direction in which a sector starts, seen from the query's point. */
typedef struct sight_query {
  const copse_obstacle *tree;
  vec from;
  vec lo, hi;                 /* the box, relative to the point */
  edge_view sides[BOX_SIDES]; /* the sides of the box; side i has the edge id COPSE_NONE - i */
  copse_corner *sectors;      /* all sectors (ranges of directions that show one edge), row after
                               * row */
  uint32_t capacity;
  uint32_t room;                  /* the index at which writing must stop: `capacity`, but less in a
                                   * merge */
  uint32_t begins[MOST_ROWS + 1]; /* the start of each row, and the end of the last one */
  uint32_t rows;
  cursor last; /* where the last call of `hides` stopped, and the next call begins: a sector (a
                * range of directions) of the first row */
  bool full;   /* the corners' capacity is exhausted */
} sight_query;

static const vec AXIS = {1, 0};

/* ---- Edges as seen from the point ---- */

/* A number as the sum high + low, where low is the rounding error of high. */
typedef struct twofold {
  double high, low;
} twofold;

/* `difference` and `product` return the exact result, as the sum of two doubles. After D. E. Knuth
 * and T. J. Dekker (1971). */
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

/* Returns the cross product of the vectors from p to a and from p to b. Computes with twice the
 * digits of a double, because almost all of them may cancel. */
SMALL_CODE OUT_OF_LINE double cross_exactly(vec p, vec a, vec b) {
  const twofold one = product_of(difference(a.x, p.x), difference(b.y, p.y));
  const twofold other = product_of(difference(a.y, p.y), difference(b.x, p.x));
  const twofold whole = difference(one.high, other.high);
  return whole.high + (whole.low + (one.low - other.low));
}

/* Returns x clamped to lo … hi. */
static double within(double lo, double hi, double x) { return x < lo ? lo : x > hi ? hi : x; }
/* Returns x clamped to a … b, in either order. */
static double between(double a, double b, double x) {
  return a < b ? within(a, b, x) : within(b, a, x);
}

/* True if two points are beyond the same side of the query's box. */
static bool are_beside(const sight_query *sight, vec a, vec b) {
  return (a.x < sight->lo.x && b.x < sight->lo.x) || (a.x > sight->hi.x && b.x > sight->hi.x) ||
         (a.y < sight->lo.y && b.y < sight->lo.y) || (a.y > sight->hi.y && b.y > sight->hi.y);
}

static bool is_in_box(const sight_query *sight, vec point) {
  return within(sight->lo.x, sight->hi.x, point.x) == point.x &&
         within(sight->lo.y, sight->hi.y, point.y) == point.y;
}

/* If `end` is outside the query's box, moves it along the edge's line to the border of the box. */
static void clip_end(const sight_query *sight, const edge_view *view, vec *end) {
  const double x = within(sight->lo.x, sight->hi.x, end->x);
  if (x != end->x) *end = (vec){x, (x * view->way.y - view->cross) / view->way.x};
  const double y = within(sight->lo.y, sight->hi.y, end->y);
  if (y != end->y) *end = (vec){(y * view->way.x + view->cross) / view->way.y, y};
}

/* Clips an edge to the query's box. An edge that misses the box becomes invisible. */
SMALL_CODE OUT_OF_LINE void clip(const sight_query *sight, edge_view *view) {
  clip_end(sight, view, &view->a);
  clip_end(sight, view, &view->b);
  if (!(vec_cross(view->a, view->b) > 0)) view->cross = 0;
}

/* Writes the view of an edge from the query's point: the part of it that is in the query's box, as
 * if no other edge hid it. If the box holds no part of the edge, view->cross is 0, and the rest may
 * be unset. */
static void view_edge(const sight_query *sight, uint32_t edge, edge_view *view) {
  if (edge > NOTHING) {
    *view = sight->sides[COPSE_NONE - edge];
    return;
  }
  view->cross = 0;
  if (edge == NOTHING) return;
  const obstacle_edge *ends = &sight->tree->edges[edge];
  const vec from = vec_of(ends->from), to = vec_of(ends->to);
  const vec a = vec_to(sight->from, from), b = vec_to(sight->from, to);
  if (are_beside(sight, a, b)) return;
  const double one = a.x * b.y, other = a.y * b.x;
  double cross = one - other;
  /* The cross product of a long wall close to the point is a small difference of huge products:
   * plain doubles would lose most of its digits. */
  if (!(fabs(cross) >= 1e-3 * (fabs(one) + fabs(other))))
    cross = cross_exactly(sight->from, from, to);
  *view = cross < 0 ? (edge_view){b, a, vec_to(to, from), -cross}
                    : (edge_view){a, b, vec_to(from, to), cross};
  if (!is_in_box(sight, a) || !is_in_box(sight, b)) clip(sight, view);
}

/* The distance from the query's point to an edge in some direction: the quotient `above / below`.
 * The length of the direction's vector is the unit: if the vector leads to an end of the edge, the
 * distance is exactly 1. If the direction misses the edge, the distance to the end that is nearer
 * to the direction counts. An invisible edge is infinitely far away. */
typedef struct quotient {
  double above, below;
} quotient;

ALWAYS_INLINE quotient distance_along(const edge_view *view, vec direction) {
  if (view->cross == 0) return (quotient){1, 0};
  const double ofA = vec_cross(direction, view->a), ofB = vec_cross(direction, view->b);
  if (ofA < 0 && ofB > 0) return (quotient){view->cross, vec_cross(direction, view->way)};
  return (quotient){vec_dot(ofA < 0 ? view->b : view->a, direction), vec_dot(direction, direction)};
}

/* Compares the distances of two edges along a direction. Returns 1 if `one` is farther away than
 * `other`, -1 if it is nearer, 0 if neither. */
ALWAYS_INLINE int farther(const edge_view *one, const edge_view *other, vec direction) {
  const quotient a = distance_along(one, direction), b = distance_along(other, direction);
  const double ofOne = a.above * b.below, ofOther = b.above * a.below;
  return (ofOne > ofOther) - (ofOne < ofOther);
}

/* Returns the point at which a ray from the query's point, in a given direction, meets an edge. If
 * the ray misses the edge, returns the end of the edge that is nearer to the ray's direction. */
OUT_OF_LINE vec point_along(const edge_view *view, vec direction) {
  if (!(vec_cross(direction, view->a) < 0)) return view->a;
  if (!(vec_cross(direction, view->b) > 0)) return view->b;
  const double scale = view->cross / vec_cross(direction, view->way);
  return (vec){between(view->a.x, view->b.x, direction.x * scale),
               between(view->a.y, view->b.y, direction.y * scale)};
}

/* Returns the point where the lines of two edges cross, relative to the query's point. */
static vec crossing_of(const edge_view *one, const edge_view *other) {
  const vec u = one->way, v = other->way;
  const double scale = 1 / vec_cross(u, v);
  return (vec){(other->cross * u.x - one->cross * v.x) * scale,
               (other->cross * u.y - one->cross * v.y) * scale};
}

/* ---- Rows ---- */

/* True if direction u comes before v, counter-clockwise from the positive x axis. */
static bool is_before(vec u, vec v) {
  WORKED(1);
  const bool lowU = u.y < 0 || (u.y == 0 && u.x < 0), lowV = v.y < 0 || (v.y == 0 && v.x < 0);
  return lowU != lowV ? lowV : vec_cross(u, v) > 0;
}

static vec direction_of(const copse_corner *sector) { return (vec){sector->x, sector->y}; }

/* Returns the end (exclusive) of the last row in `sectors`. */
static uint32_t end_of(const sight_query *sight) { return sight->begins[sight->rows]; }

/* Appends a sector to the row of sectors that starts at index `first`. If the row's last sector has
 * the same edge, extends that sector instead. */
OUT_OF_LINE void append(sight_query *sight, uint32_t first, uint32_t *end, vec direction,
                        uint32_t edge) {
  if (*end > first && sight->sectors[*end - 1].edge == edge) return;
  if (*end >= sight->room)
    sight->full = true;
  else
    sight->sectors[(*end)++] = (copse_corner){direction.x, direction.y, edge, 0};
}

/* Which of two edges, `one` and `other`, is nearer where a sector starts, and which where it stops.
 * True: `other` is nearer. */
typedef struct contest {
  bool startsWithOther, stopsWithOther;
} contest;

/* Compares two edges in the directions in which a sector starts and stops. If they are equally near
 * in one direction, the other direction decides. */
ALWAYS_INLINE contest compare(const edge_view *one, const edge_view *other, vec start, vec stop) {
  const int atStart = farther(one, other, start), atStop = farther(one, other, stop);
  return (contest){atStart > 0 || (atStart == 0 && atStop > 0),
                   atStop > 0 || (atStop == 0 && atStart > 0)};
}

/* Moves a cursor along its row, a list of sectors (ranges of directions), to the sector at the
 * index `place`. */
OUT_OF_LINE void go_to(const sight_query *sight, cursor *sector, uint32_t place) {
  const copse_corner *corner = &sight->sectors[place];
  sector->place = place;
  sector->edge = corner->edge;
  sector->isLast = place + 1 == sector->end;
  sector->start = direction_of(corner);
  sector->stop = sector->isLast ? AXIS : direction_of(corner + 1);
  sector->hasView = false;
}

/* Returns the view of the wall's edge that a sector shows: what can be seen of it from the query's
 * point, if nothing hides it. Computes the view when it is first needed. */
static const edge_view *view_of(const sight_query *sight, cursor *sector) {
  if (!sector->hasView) view_edge(sight, sector->edge, &sector->view);
  sector->hasView = true;
  return &sector->view;
}

/* Which of two overlapping sectors, `one` and `other`, ends first, counter-clockwise. */
typedef enum first_stop { BOTH_STOP, ONE_STOPS, OTHER_STOPS } first_stop;

static first_stop first_of(const cursor *one, const cursor *other) {
  if (other->isLast) return one->isLast ? BOTH_STOP : ONE_STOPS;
  if (one->isLast || is_before(other->stop, one->stop)) return OTHER_STOPS;
  return is_before(one->stop, other->stop) ? ONE_STOPS : BOTH_STOP;
}

/* Appends what is visible where the sectors `one` and `other` overlap: from `start` to the end of
 * the sector that ends first. Appends one sector, which shows the nearer edge, or, if the edges
 * cross in between, two sectors, one for each edge. */
OUT_OF_LINE void append_nearer(sight_query *sight, uint32_t first, uint32_t *end, cursor *one,
                               cursor *other, vec start, first_stop stops) {
  if (one->edge == NOTHING || other->edge == NOTHING) {
    append(sight, first, end, start, one->edge == NOTHING ? other->edge : one->edge);
    return;
  }
  const bool isLast = one->isLast && other->isLast;
  const vec stop = stops == OTHER_STOPS ? other->stop : one->stop;
  const contest nearer = compare(view_of(sight, one), view_of(sight, other), start, stop);
  const uint32_t startEdge = nearer.startsWithOther ? other->edge : one->edge;
  const uint32_t stopEdge = nearer.stopsWithOther ? other->edge : one->edge;
  if (startEdge == stopEdge)
    append(sight, first, end, start, startEdge);
  else {
    /* If the edges cross exactly in the direction of `start` or `stop`, isBetween is true as well.
     * The new sector starts with `crossing`, the vector to the crossing, because `start` or `stop`
     * may lead to a nearer or farther point. */
    const vec crossing = crossing_of(&one->view, &other->view);
    const bool isAfter = is_before(start, crossing);
    const bool isBetween = !is_before(crossing, start) && (isLast || !is_before(stop, crossing));
    if (isAfter) append(sight, first, end, start, startEdge);
    if (isBetween || !isAfter) append(sight, first, end, isBetween ? crossing : start, stopEdge);
  }
}

/* Merges the last two rows of sectors (ranges of directions that show one edge). In each direction,
 * keeps the nearer edge, or that of the earlier row if both are equally near. */
SMALL_CODE OUT_OF_LINE void merge(sight_query *sight) {
  const uint32_t first = sight->begins[sight->rows - 2], size = end_of(sight) - first;
  const uint32_t begin = sight->capacity - size;
  const uint32_t middle = begin + (sight->begins[sight->rows - 1] - first);
  /* Moves the two rows to the end of the array, and writes the result from `first` on. If edges do
   * not cross, no more sectors are written than were read. If edges cross, there may be more:
   * `room`, where writing must stop, then protects the sectors that were not read yet. */
  memmove(sight->sectors + begin, sight->sectors + first, size * sizeof *sight->sectors);
  cursor one = {.end = middle}, other = {.end = sight->capacity};
  uint32_t end = first;
  vec start = AXIS;
  go_to(sight, &one, begin);
  go_to(sight, &other, middle);
  for (;;) {
    sight->room = (one.isLast ? other.place : one.place) + 1;
    const first_stop stops = first_of(&one, &other);
    append_nearer(sight, first, &end, &one, &other, start, stops);
    if (one.isLast && other.isLast) break;
    start = stops == OTHER_STOPS ? other.stop : one.stop;
    if (stops != OTHER_STOPS) go_to(sight, &one, one.place + 1);
    if (stops != ONE_STOPS) go_to(sight, &other, other.place + 1);
  }
  sight->room = sight->capacity;
  sight->begins[--sight->rows] = end;
  sight->last.end = 0;
}

static void merge_all(sight_query *sight) {
  while (sight->rows > 1 && !sight->full) merge(sight);
}

/* Starts a new row of sectors, in which nothing is visible. Before that, merges the last two rows,
 * again and again, until the last row is at most half as long as the one before it. */
SMALL_CODE OUT_OF_LINE void start_row(sight_query *sight) {
  while (sight->rows > 1 && !sight->full &&
         sight->begins[sight->rows - 1] - sight->begins[sight->rows - 2] <
             2 * (end_of(sight) - sight->begins[sight->rows - 1]))
    merge(sight);
  const uint32_t first = end_of(sight);
  uint32_t end = first;
  append(sight, first, &end, AXIS, NOTHING);
  sight->begins[++sight->rows] = end;
}

/* Replaces the sectors begin … end - 1 of the last row by the new sectors that were written behind
 * the row, up to freshEnd - 1. */
SMALL_CODE OUT_OF_LINE void replace(sight_query *sight, uint32_t begin, uint32_t end,
                                    uint32_t freshEnd) {
  copse_corner *sectors = sight->sectors;
  const uint32_t rowEnd = end_of(sight), fresh = freshEnd - rowEnd, after = rowEnd - end;
  /* The array's parts before | old | after | fresh become before | fresh | after. */
  if (fresh <= end - begin) {
    memcpy(sectors + begin, sectors + rowEnd, fresh * sizeof *sectors);
    memmove(sectors + begin + fresh, sectors + end, after * sizeof *sectors);
  } else if (freshEnd + after <= sight->capacity) {
    memmove(sectors + freshEnd, sectors + end, after * sizeof *sectors);
    memmove(sectors + begin, sectors + rowEnd, fresh * sizeof *sectors);
    memmove(sectors + begin + fresh, sectors + freshEnd, after * sizeof *sectors);
  } else
    sight->full = true;
  sight->begins[sight->rows] = begin + fresh + after;
  sight->last.end = 0;
}

/* Returns the sector of a row that contains a direction: the last one that starts at or before
 * it. */
static uint32_t find(const sight_query *sight, uint32_t row, vec direction) {
  uint32_t lo = sight->begins[row], hi = sight->begins[row + 1];
  while (hi - lo > 1) {
    const uint32_t middle = lo + (hi - lo) / 2;
    if (is_before(direction, direction_of(&sight->sectors[middle])))
      hi = middle;
    else
      lo = middle;
  }
  return lo;
}

/* Inserts a part of an edge, from the direction `partStart` to part->stop, into the last row of
 * sectors (ranges of directions that show one edge). */
SMALL_CODE OUT_OF_LINE void insert(sight_query *sight, cursor *part, vec partStart) {
  const uint32_t begin = find(sight, sight->rows - 1, partStart), first = end_of(sight);
  uint32_t end = first;
  cursor sector = {.end = first};
  go_to(sight, &sector, begin);
  if (is_before(sector.start, partStart)) append(sight, first, &end, sector.start, sector.edge);
  for (vec start = partStart;; start = sector.start) {
    const first_stop stops = first_of(&sector, part);
    append_nearer(sight, first, &end, &sector, part, start, stops);
    if (stops == OTHER_STOPS) append(sight, first, &end, part->stop, sector.edge);
    if (stops != ONE_STOPS) break;
    go_to(sight, &sector, sector.place + 1);
  }
  if (!sight->full) replace(sight, begin, sector.place + 1, end);
}

/* True if a part of an edge, from the direction `partStart` to part->stop, is hidden by the edges
 * that were added first: those in the first row of sectors. First tries the sector (a range of
 * directions) where the last call ended: usually, it hides the part too. */
static bool hides(sight_query *sight, const cursor *part, vec partStart) {
  cursor *sector = &sight->last;
  if (!sector->end || is_before(partStart, sector->start) ||
      !(sector->isLast || is_before(partStart, sector->stop))) {
    sector->end = sight->begins[1];
    go_to(sight, sector, find(sight, 0, partStart));
  }
  for (vec start = partStart;; start = sector->start) {
    const first_stop stops = first_of(sector, part);
    const vec stop = stops == OTHER_STOPS ? part->stop : sector->stop;
    const contest nearer = compare(view_of(sight, sector), &part->view, start, stop);
    if (nearer.startsWithOther || nearer.stopsWithOther) return false;
    if (stops != ONE_STOPS) return true;
    go_to(sight, sector, sector->place + 1);
  }
}

/* Adds a part of an edge, from the direction `partStart` to part->stop, unless edges that were
 * added earlier hide it. */
static void add_part(sight_query *sight, cursor *part, vec partStart) {
  if (hides(sight, part, partStart)) return;
  if (end_of(sight) - sight->begins[sight->rows - 1] > LONG_ROW) start_row(sight);
  if (!sight->full) insert(sight, part, partStart);
}

/* Adds an edge, in two parts if it crosses the positive x axis: there, rows (lists of directions
 * around the point) begin and end. */
static void add_edge(sight_query *sight, uint32_t edge) {
  cursor part = {.edge = edge, .hasView = true};
  view_edge(sight, edge, &part.view);
  if (part.view.cross == 0) return;
  const vec a = part.view.a, b = part.view.b;
  const bool isAcross = is_before(b, a);
  part.isLast = isAcross;
  part.stop = isAcross ? AXIS : b;
  add_part(sight, &part, a);
  if (!isAcross || !is_before(AXIS, b)) return;
  part.isLast = false;
  part.stop = b;
  add_part(sight, &part, AXIS);
}

/* ---- Walking the tree ---- */

/* True if some edge that is visible so far reaches the far side of a node's line (the side without
 * the query's point), or comes within `slack` of the line. If not, the visible edges hide
 * everything on the far side. */
static bool reaches_over(const sight_query *sight, const obstacle_node *line, float side,
                         float slack) {
  const copse_obstacle *tree = sight->tree;
  const vec normal = vec_of(line->normal);
  const double ownSide =
      vec_dot(normal, vec_to(vec_of(tree->center), sight->from)) - (double)line->offset;
  const double sign = side < 0 ? -1 : 1;
  cursor sector = {.end = sight->begins[1]};
  for (uint32_t place = 0; place < sight->begins[1]; place++) {
    go_to(sight, &sector, place);
    const vec directions[2] = {direction_of(&sight->sectors[place]), sector.stop};
    for (int end = 0; end < 2; end++) {
      const vec point = point_along(view_of(sight, &sector), directions[end]);
      const double pointSide = ownSide + vec_dot(normal, point);
      if (pointSide * sign < (double)slack) return true;
    }
  }
  return false;
}

/* Adds all edges that may be visible. x, y is the point relative to the tree's center. */
static void add_all(sight_query *sight, float x, float y, uint32_t *visits) {
  const copse_obstacle *tree = sight->tree;
  uint32_t stack[OBSTACLE_STACK] = {0}, parents[OBSTACLE_STACK] = {COPSE_NONE};
  const float slack = obstacle_slack(tree, x, y);
  for (uint32_t waiting = 1; waiting && !sight->full;) {
    uint32_t nodeIndex = stack[--waiting];
    const uint32_t parent = parents[waiting];
    /* reaches_over is slow: it visits all edges that are visible so far. So it is called only where
     * it may save visits to many pieces: those below the node. */
    if (parent != COPSE_NONE &&
        4 * (tree->nodes[nodeIndex].end - tree->nodes[nodeIndex].begin) > sight->begins[1]) {
      const obstacle_node *line = &tree->nodes[parent];
      merge_all(sight);
      if (!reaches_over(sight, line, node_side(line, x, y), slack)) continue;
    }
    ++*visits;
    for (; tree->nodes[nodeIndex].left; ++*visits) {
      const obstacle_node *node = &tree->nodes[nodeIndex];
      const bool isRight = node_side(node, x, y) < 0;
      stack[waiting] = isRight ? node->left : nodeIndex + 1;
      parents[waiting++] = nodeIndex;
      nodeIndex = isRight ? nodeIndex + 1 : node->left;
    }
    for (uint32_t i = tree->nodes[nodeIndex].begin; i < tree->nodes[nodeIndex].end && !sight->full;
         i++)
      add_edge(sight, tree->pieces[i].edge);
  }
  merge_all(sight);
}

/* Replaces the sectors (ranges of directions that show one edge) by the polygon's corners: the
 * points where each sector's edge starts and stops. There must be only one row. Works in place,
 * from the last sector to the first. Returns the number of corners. */
SMALL_CODE OUT_OF_LINE uint32_t finish(sight_query *sight, vec lo, vec hi) {
  copse_corner *corners = sight->sectors;
  const uint32_t count = sight->begins[1], last = count - 1;
  /* An edge that crosses the positive x axis, where the row of sectors begins, gets no corner at
   * the axis. */
  const bool crossesAxis = corners[0].edge == corners[last].edge;
  uint32_t begin = sight->capacity;
  vec stop = AXIS;
  for (uint32_t i = count; i-- > 0;) {
    const uint32_t edge = corners[i].edge;
    const vec start = direction_of(&corners[i]);
    edge_view view = {{0, 0}, {0, 0}, {0, 0}, 0};
    view_edge(sight, edge, &view);
    const vec ends[2] = {point_along(&view, stop), point_along(&view, start)};
    for (int isStart = 0; isStart < 2; isStart++) {
      if (crossesAxis && i == (isStart ? 0 : last)) continue;
      const uint32_t wall = isStart && edge < NOTHING ? edge : COPSE_NONE;
      const copse_corner corner = {within(lo.x, hi.x, sight->from.x + ends[isStart].x),
                                   within(lo.y, hi.y, sight->from.y + ends[isStart].y), wall, 0};
      const copse_corner *next = &corners[begin];
      /* A corner that two edges share is written once. */
      if (begin < sight->capacity && corner.x == next->x && corner.y == next->y) continue;
      corners[--begin] = corner;
    }
    stop = start;
  }
  uint32_t total = sight->capacity - begin;
  memmove(corners, corners + begin, total * sizeof *corners);
  if (total > 1 && corners[total - 1].x == corners[0].x && corners[total - 1].y == corners[0].y)
    total--;
  return total;
}

copse_status copse_obstacle_visibility(const copse_obstacle *tree, const float *from,
                                       const float *lo, const float *hi, copse_corner *corners,
                                       uint32_t capacity, uint32_t *total, uint32_t *visits) {
  uint32_t visited = 0;
  bool isFree;
  *total = 0;
  if (!query_point_ok(from, 2) || !query_point_ok(lo, 2) || !query_point_ok(hi, 2) ||
      !(lo[0] < from[0] && from[0] < hi[0] && lo[1] < from[1] && from[1] < hi[1]))
    return COPSE_INVALID_ARGUMENT;
  if (capacity < BOX_SIDES + 1) return COPSE_FULL;
  sight_query sight = {.tree = tree,
                       .from = vec_of(from),
                       .lo = vec_to(vec_of(from), vec_of(lo)),
                       .hi = vec_to(vec_of(from), vec_of(hi)),
                       .sectors = corners,
                       .capacity = capacity,
                       .room = capacity,
                       .begins = {0, BOX_SIDES + 1},
                       .rows = 1};
  const vec box[] = {{sight.hi.x, sight.lo.y}, sight.hi, {sight.lo.x, sight.hi.y}, sight.lo};
  for (uint32_t side = 0; side < BOX_SIDES; side++) {
    const vec a = box[side], b = box[(side + 1) % BOX_SIDES];
    sight.sides[side] = (edge_view){a, b, vec_to(a, b), vec_cross(a, b)};
    corners[side] = (copse_corner){a.x, a.y, COPSE_NONE - side, 0};
  }
  corners[BOX_SIDES] = (copse_corner){box[0].x, box[0].y, COPSE_NONE, 0};
  corners[0] = (copse_corner){AXIS.x, AXIS.y, COPSE_NONE, 0};
  /* Sets isFree to false if the point is on a wall. */
  copse_obstacle_visible(tree, from, from, 0, &isFree, &visited);
  if (isFree) add_all(&sight, from[0] - tree->center[0], from[1] - tree->center[1], &visited);
  if (visits) *visits = visited;
  if (!isFree) return COPSE_OK;
  if (sight.full || 2 * (uint64_t)sight.begins[1] > capacity) return COPSE_FULL;
  *total = finish(&sight, vec_of(lo), vec_of(hi));
  return COPSE_OK;
}
