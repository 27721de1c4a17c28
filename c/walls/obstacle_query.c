/* Queries of the obstacle tree. */

#include "../base/query.h"
#include "../base/scan.h"
#include "obstacle.h"

/* Whether an edge matters to who asks from p. */
ALWAYS_INLINE bool is_seen(const copse_obstacle *tree, uint32_t edge, copse_side side, vec a, vec b,
                           vec p) {
  return side == COPSE_SIDE_BOTH || (tree->kinds[edge] & EDGE_TWO_SIDED) || side_of(a, b, p) < 0;
}

ALWAYS_INLINE bool is_side(copse_side side) {
  return side == COPSE_SIDE_BOTH || side == COPSE_SIDE_VISIBLE;
}

/* ---- Four edges at a time: which of them may matter, one bit each; in floats, with room for all
 * that they round ---- */

/* Those of four pieces. */
typedef struct edges4 {
  float4 x0, y0, x1, y1;
} edges4;

ALWAYS_INLINE edges4 edges4_at(const copse_obstacle *tree, uint32_t piece) {
  WORKED(1);
  return (edges4){float4_load(tree->pieceEnds[0] + piece), float4_load(tree->pieceEnds[1] + piece),
                  float4_load(tree->pieceEnds[2] + piece), float4_load(tree->pieceEnds[3] + piece)};
}

/* The pieces of a leaf that are still to be looked at: those of `bits`, from `four` on, and those
 * from four + 4 on. */
typedef struct rest {
  uint32_t four, end, bits;
} rest;

/* All of a leaf's. */
static rest rest_of(const obstacle_node *leaf) { return (rest){leaf->begin - 4, leaf->end, 0}; }

/* The bits of four, without those that lie behind the end. */
ALWAYS_INLINE uint32_t rest_within(uint32_t bits, uint32_t four, uint32_t end) {
  return end - four < 4 ? bits & ((1u << (end - four)) - 1) : bits;
}

static uint32_t rest_take(rest *all) {
  const uint32_t piece = all->four + (uint32_t)__builtin_ctz(all->bits);
  all->bits &= all->bits - 1;
  return piece;
}

/* ---- Around a point ----------------------------------------------------------------------- */

/* A node that waits, and how far its side of a line is. */
typedef struct waiting_node {
  uint32_t node;
  float distance;
} waiting_node;

/* Goes through the edges around a point, nearer leaves first; what is farther than `distance` may
 * be left out. */
typedef struct circuit {
  waiting_node stack[OBSTACLE_STACK];
  uint32_t waiting, visits;
  rest here;
  float point[2], x, y; /* as asked, and as the tree sees it */
  float slack, reach;   /* beyond a line */
  float most2;
} circuit;

/* A squared distance, and what rounding may add to it. */
static float roomy2(float distance2) { return distance2 * 1.000001f + 1e-36f; }

static void circuit_narrow(circuit *all, float distance, float distance2) {
  all->reach = all->slack + distance * 1.000001f;
  all->most2 = roomy2(distance2);
}

static void circuit_start(circuit *all, const copse_obstacle *tree, const float *point,
                          float distance) {
  all->stack[0] = (waiting_node){0, 0};
  all->waiting = 1;
  all->visits = 0;
  all->here = (rest){0, 0, 0};
  for (int axis = 0; axis < 2; axis++) all->point[axis] = point[axis];
  all->x = point[0] - tree->center[0];
  all->y = point[1] - tree->center[1];
  all->slack = obstacle_slack(tree, all->x, all->y);
  circuit_narrow(all, distance, distance * distance);
}

/* Whose bounds are not too far from a point. */
ALWAYS_INLINE uint32_t edges4_around(const copse_obstacle *tree, uint32_t piece, const float *point,
                                     float most2) {
  const edges4 edges = edges4_at(tree, piece);
  const float4 x = float4_all(point[0]), y = float4_all(point[1]), zero = float4_all(0);
  const float4 left = float4_sub(float4_min(edges.x0, edges.x1), x);
  const float4 right = float4_sub(x, float4_max(edges.x0, edges.x1));
  const float4 below = float4_sub(float4_min(edges.y0, edges.y1), y);
  const float4 above = float4_sub(y, float4_max(edges.y0, edges.y1));
  const float4 dx = float4_max(zero, float4_max(left, right));
  const float4 dy = float4_max(zero, float4_max(below, above));
  const float4 distance2 = float4_add(float4_mul(dx, dx), float4_mul(dy, dy));
  return word4_bits(float4_le(distance2, float4_all(most2)));
}

/* The next leaf; NULL: no more. */
ALWAYS_INLINE const obstacle_node *circuit_leaf(circuit *all, const copse_obstacle *tree) {
  while (all->waiting) {
    const waiting_node next = all->stack[--all->waiting];
    if (next.distance > all->reach) continue;
    uint32_t at = next.node;
    for (all->visits++; tree->nodes[at].left; all->visits++) {
      const obstacle_node *node = &tree->nodes[at];
      const uint32_t right = at + 1;
      const float side = node_side(node, all->x, all->y), far = side < 0 ? -side : side;
      if (far <= all->reach)
        all->stack[all->waiting++] = (waiting_node){side < 0 ? node->left : right, far};
      at = side < 0 ? right : node->left;
    }
    return &tree->nodes[at];
  }
  return NULL;
}

/* The next piece whose edge may matter; COPSE_NONE: no more. */
OUT_OF_LINE uint32_t circuit_next(circuit *all, const copse_obstacle *tree) {
  rest *here = &all->here;
  while (!here->bits) {
    uint32_t four = here->four + 4, bits = 0;
    for (; !bits && four < here->end; four += 4)
      bits = rest_within(edges4_around(tree, four, all->point, all->most2), four, here->end);
    here->four = four - 4;
    here->bits = bits;
    if (bits) break;
    const obstacle_node *leaf = circuit_leaf(all, tree);
    if (!leaf) return COPSE_NONE;
    *here = rest_of(leaf);
  }
  return rest_take(here);
}

copse_status copse_obstacle_within(const copse_obstacle *tree, const float *center, float radius,
                                   copse_side side, copse_results *results) {
  copse_query sorted = copse_query_default();
  sorted.sort = COPSE_SORT_DISTANCE;
  if (!query_results_ok(&sorted, results, true) || !query_point_ok(center, 2) ||
      !query_radius_ok(radius) || !is_side(side))
    return COPSE_INVALID_ARGUMENT;
  const vec p = vec_of(center);
  const float radius2 = radius * radius;
  circuit all;
  circuit_start(&all, tree, center, radius);
  for (uint32_t i; (i = circuit_next(&all, tree)) != COPSE_NONE;) {
    const obstacle_piece *piece = &tree->pieces[i];
    const vec a = piece_from(tree, i), b = piece_to(tree, i);
    const foot found = foot_on(a, b, p);
    const float distance2 = (float)found.distance2;
    if (!(distance2 <= radius2) || !piece_reports(piece, found.at) ||
        !is_seen(tree, piece->edge, side, a, b, p))
      continue;
    if (results->total < results->capacity) {
      results->ids[results->total] = piece->edge;
      results->distances2[results->total] = distance2;
    }
    results->total++;
  }
  results->visits += all.visits;
  query_sort(&sorted, results);
  return COPSE_OK;
}

copse_status copse_obstacle_nearest(const copse_obstacle *tree, const float *center,
                                    float maxDistance, copse_side side, copse_wall *wall,
                                    uint32_t *visits) {
  *wall = (copse_wall){COPSE_NONE, 0, {0, 0}};
  if (!query_point_ok(center, 2) || !query_radius_ok(maxDistance) || !is_side(side))
    return COPSE_INVALID_ARGUMENT;
  const vec p = vec_of(center);
  float best2 = maxDistance * maxDistance;
  circuit all;
  circuit_start(&all, tree, center, maxDistance);
  for (uint32_t i; (i = circuit_next(&all, tree)) != COPSE_NONE;) {
    const uint32_t id = tree->pieces[i].edge;
    const vec a = piece_from(tree, i), b = piece_to(tree, i);
    const foot found = foot_on(a, b, p);
    const float distance2 = (float)found.distance2;
    if (!(distance2 < best2 || (distance2 == best2 && id < wall->edge)) ||
        !is_seen(tree, id, side, a, b, p))
      continue;
    *wall = (copse_wall){id, distance2, {(float)found.x, (float)found.y}};
    best2 = distance2;
    circuit_narrow(&all, sqrtf(distance2), distance2);
  }
  if (visits) *visits = all.visits;
  return COPSE_OK;
}

/* ---- The edges around a point, a few at a time ---- */

/* How far a point is outside of each side of a node's box; negative: inside. */
ALWAYS_INLINE float4 beyond_box(const copse_obstacle *tree, uint32_t at, const float *point) {
  const float outward[] = {point[0], point[1], -point[0], -point[1]};
  return float4_sub(float4_load(tree->boxes[at]), float4_load(outward));
}

/* From a point to a node's box, squared. */
ALWAYS_INLINE float to_box2(const copse_obstacle *tree, uint32_t at, const float *point) {
  float gaps[4];
  float4_store(gaps, float4_max(beyond_box(tree, at, point), float4_all(0)));
  return (gaps[0] * gaps[0] + gaps[2] * gaps[2]) + (gaps[1] * gaps[1] + gaps[3] * gaps[3]);
}

/* True if a box holds nothing that a search still looks for: it is nearer, or covered. */
static bool is_done(const copse_obstacle *tree, uint32_t at, const obstacle_search *search) {
  const float *box = tree->boxes[at];
  const float corners[] = {box[0], box[1], -box[2], box[1], -box[2], -box[3], box[0], -box[3]};
  float gaps[4];
  float4_store(gaps, beyond_box(tree, at, search->center));
  const float x = gaps[0] < gaps[2] ? gaps[0] : gaps[2], y = gaps[1] < gaps[3] ? gaps[1] : gaps[3];
  return roomy2(x * x + y * y) < search->last2 || search->covers(search->context, corners, 4);
}

/* Offers the edges of a leaf. */
static void search_leaf(const copse_obstacle *tree, const obstacle_node *leaf,
                        const obstacle_search *search, scan_nearest *nearest) {
  const vec p = vec_of(search->center);
  for (uint32_t four = leaf->begin; four < leaf->end; four += 4) {
    const float most2 = roomy2(nearest->limit2);
    rest here = {four, leaf->end, edges4_around(tree, four, search->center, most2)};
    here.bits = rest_within(here.bits, four, leaf->end);
    while (here.bits) {
      const uint32_t i = rest_take(&here), edge = tree->pieces[i].edge;
      const vec a = piece_from(tree, i), b = piece_to(tree, i);
      const foot found = foot_on(a, b, p);
      const float distance2 = (float)found.distance2;
      if (distance2 > nearest->limit2 || distance2 < search->last2 ||
          (distance2 == search->last2 && edge <= search->last) ||
          !piece_reports(&tree->pieces[i], found.at) ||
          !is_seen(tree, edge, COPSE_SIDE_VISIBLE, a, b, p) ||
          (search->last2 >= 0 &&
           search->covers(search->context, (const float *)&tree->edges[edge], 2)))
        continue;
      scan_offer(nearest, distance2, edge);
    }
  }
}

uint32_t obstacle_search_next(const copse_obstacle *tree, obstacle_search *search, uint32_t *edges,
                              float *distances2, uint32_t capacity) {
  scan_nearest nearest = {{distances2, edges}, capacity, 0, search->radius * search->radius};
  waiting_node stack[OBSTACLE_STACK];
  uint32_t waiting = 1;
  stack[0] = (waiting_node){0, to_box2(tree, 0, search->center)};
  while (waiting) {
    const waiting_node next = stack[--waiting];
    const obstacle_node *node = &tree->nodes[next.node];
    if (next.distance > roomy2(nearest.limit2)) continue;
    if (search->last2 >= 0 && is_done(tree, next.node, search)) continue;
    if (!node->left) {
      search_leaf(tree, node, search, &nearest);
      continue;
    }
    const waiting_node right = {next.node + 1, to_box2(tree, next.node + 1, search->center)};
    const waiting_node left = {node->left, to_box2(tree, node->left, search->center)};
    const bool isLeft = left.distance < right.distance;
    const waiting_node near = isLeft ? left : right, far = isLeft ? right : left;
    const float most2 = roomy2(nearest.limit2);
    if (far.distance <= most2) stack[waiting++] = far;
    if (near.distance <= most2) stack[waiting++] = near;
  }
  pairs_sort(nearest.heap, nearest.size, BY_DISTANCE);
  if (nearest.size) {
    search->last2 = distances2[nearest.size - 1];
    search->last = edges[nearest.size - 1];
  }
  return nearest.size;
}

/* ---- Along a segment ---------------------------------------------------------------------- */

/* A segment, as asked and as the tree sees it. */
typedef struct way {
  vec from, to;       /* as asked */
  vec first, second;  /* in order */
  float begin[2];     /* as asked */
  float along[2];     /* from there to the end */
  float lo[2], hi[2]; /* the bounds of all that matters */
  float width;        /* how far from its line that may be, times its length */
  float x[2], y[2];   /* relative to the center */
  float reach;        /* from a line, within which both its sides matter */
} way;

static way way_of(const copse_obstacle *tree, const float *from, const float *to, float radius) {
  const float LEAST = 1e-36f;
  const float *floats[2] = {from, to};
  const vec ends[2] = {vec_of(from), vec_of(to)};
  const bool ordered = in_order(ends[0], ends[1]);
  way made = {.from = ends[0], .to = ends[1], .first = ends[!ordered], .second = ends[ordered]};
  float slack = 0;
  for (int end = 0; end < 2; end++) {
    made.x[end] = floats[end][0] - tree->center[0];
    made.y[end] = floats[end][1] - tree->center[1];
    slack += obstacle_slack(tree, made.x[end], made.y[end]);
  }
  made.reach = slack + radius * 1.000001f;
  for (int axis = 0; axis < 2; axis++) {
    const bool isUp = from[axis] < to[axis]; /* an index, not a branch: it is anyone's guess */
    const float lo = floats[!isUp][axis], hi = floats[isUp][axis];
    made.begin[axis] = from[axis];
    made.along[axis] = to[axis] - from[axis];
    made.lo[axis] = lo - made.reach - fabsf(lo) * 0x1p-22f;
    made.hi[axis] = hi + made.reach + fabsf(hi) * 0x1p-22f;
  }
  made.width = made.reach * (fabsf(made.along[0]) + fabsf(made.along[1])) + LEAST;
  return made;
}

/* How far left, and how far right, of a way four points surely are, times its length. */
typedef struct aside4 {
  float4 left, right;
} aside4;

ALWAYS_INLINE aside4 aside4_of(const way *along, float4 x, float4 y) {
  const float4 zero = float4_all(0);
  x = float4_sub(x, float4_all(along->begin[0]));
  y = float4_sub(y, float4_all(along->begin[1]));
  const float4 rise = float4_mul(float4_all(along->along[0]), y);
  const float4 fall = float4_mul(float4_all(along->along[1]), x);
  const float4 side = float4_sub(rise, fall);
  const float4 size = float4_add(float4_max(rise, float4_sub(zero, rise)),
                                 float4_max(fall, float4_sub(zero, fall)));
  const float4 doubt = float4_add(float4_mul(size, float4_all(0x1p-20f)), float4_all(along->width));
  return (aside4){float4_sub(side, doubt), float4_sub(float4_sub(zero, side), doubt)};
}

/* Which are neither beyond the bounds of a way nor to one side of it. */
ALWAYS_INLINE uint32_t edges4_along(const copse_obstacle *tree, uint32_t piece, const way *along) {
  const edges4 edges = edges4_at(tree, piece);
  const aside4 a = aside4_of(along, edges.x0, edges.y0), b = aside4_of(along, edges.x1, edges.y1);
  const float4 zero = float4_all(0);
  word4 out = float4_lt(zero, float4_min(a.left, b.left));
  out = word4_or(out, float4_lt(zero, float4_min(a.right, b.right)));
  out = word4_or(out, float4_lt(float4_max(edges.x0, edges.x1), float4_all(along->lo[0])));
  out = word4_or(out, float4_lt(float4_max(edges.y0, edges.y1), float4_all(along->lo[1])));
  out = word4_or(out, float4_lt(float4_all(along->hi[0]), float4_min(edges.x0, edges.x1)));
  out = word4_or(out, float4_lt(float4_all(along->hi[1]), float4_min(edges.y0, edges.y1)));
  return 15 & ~word4_bits(out);
}

/* A node and the part of the way that may be in it. */
typedef struct stretch {
  uint32_t node;
  float begin, end;
} stretch;

/* Goes through the edges along a way, leaf by leaf in order of their stretches' begins. */
typedef struct tour {
  stretch stack[OBSTACLE_STACK];
  uint32_t waiting, visits;
  stretch last;                  /* that the leaf was sought in */
  uint32_t path[OBSTACLE_STACK]; /* the nodes passed on the way to it */
  uint32_t steps;
  rest here;
  way along;
} tour;

static void tour_start(tour *all, const copse_obstacle *tree, const float *from, const float *to,
                       float radius) {
  all->stack[0] = (stretch){0, 0, 1};
  all->waiting = 1;
  all->visits = all->steps = 0;
  all->here = (rest){0, 0, 0};
  all->along = way_of(tree, from, to, radius);
}

static float way_at(const float *ends, float at) { return ends[0] + (ends[1] - ends[0]) * at; }

/* Has the other sides of the nodes wait that were passed, as far as the way goes there. To go down
 * first and to see about that only now is faster: often a wall in the first leaf ends it all. */
static void tour_turn(tour *all, const copse_obstacle *tree) {
  const way *along = &all->along;
  const float reach = along->reach, begin = all->last.begin;
  const float x = way_at(along->x, begin), y = way_at(along->y, begin);
  float end = all->last.end;
  for (uint32_t i = 0; i < all->steps; i++) {
    const uint32_t at = all->path[i];
    const obstacle_node *node = &tree->nodes[at];
    float here = node_side(node, x, y), there = node_side(node, along->x[1], along->y[1]);
    const bool isRight = here < 0;
    if (isRight) {
      here = -here;
      there = -there;
    }
    if (here > reach && there > reach) continue;
    const float scale = (1 - begin) / (here - there);
    const float first = here > reach ? begin + (here - reach) * scale : begin;
    if (first > end) continue;
    all->stack[all->waiting++] = (stretch){isRight ? node->left : at + 1, first, end};
    if (there < -reach) {
      const float last = begin + (here + reach) * scale;
      if (last < end) end = last;
    }
  }
  all->steps = 0;
}

/* The next leaf, of those whose stretches begin up to `until`; NULL: no more. */
ALWAYS_INLINE const obstacle_node *tour_leaf(tour *all, const copse_obstacle *tree, float until) {
  if (all->steps) tour_turn(all, tree);
  while (all->waiting) {
    const stretch part = all->stack[--all->waiting];
    if (part.begin > until) continue;
    const float x = way_at(all->along.x, part.begin), y = way_at(all->along.y, part.begin);
    uint32_t at = part.node, steps = 0;
    for (uint32_t left; (left = tree->nodes[at].left);) {
      const uint32_t right = at + 1, isRight = node_side(&tree->nodes[at], x, y) < 0;
      all->path[steps++] = at;
      at = left ^ ((left ^ right) & -isRight); /* not a branch: it is anyone's guess */
    }
    all->last = part;
    all->steps = steps;
    all->visits += steps + 1;
    return &tree->nodes[at];
  }
  return NULL;
}

/* The next piece whose edge may matter, in the leaves whose stretches begin up to `until`;
 * COPSE_NONE: no more. */
OUT_OF_LINE uint32_t tour_next(tour *all, const copse_obstacle *tree, float until) {
  rest *here = &all->here;
  while (!here->bits) {
    uint32_t four = here->four + 4, bits = 0;
    for (; !bits && four < here->end; four += 4)
      bits = rest_within(edges4_along(tree, four, &all->along), four, here->end);
    here->four = four - 4;
    here->bits = bits;
    if (bits) break;
    const obstacle_node *leaf = tour_leaf(all, tree, until);
    if (!leaf) return COPSE_NONE;
    *here = rest_of(leaf);
  }
  return rest_take(here);
}

ALWAYS_INLINE bool blocks(const way *along, vec a, vec b, float radius, float radius2) {
  if (segments_meet(along->first, along->second, a, b)) return true;
  if (!(radius > 0)) return false;
  return (float)foot_on(a, b, along->from).distance2 <= radius2 ||
         (float)foot_on(a, b, along->to).distance2 <= radius2 ||
         (float)foot_on(along->first, along->second, a).distance2 <= radius2 ||
         (float)foot_on(along->first, along->second, b).distance2 <= radius2;
}

static bool is_visible(const copse_obstacle *tree, const float *from, const float *to, float radius,
                       uint32_t *visits) {
  const float radius2 = radius * radius;
  tour all;
  tour_start(&all, tree, from, to, radius);
  bool visible = true;
  for (uint32_t i; visible && (i = tour_next(&all, tree, INFINITY)) != COPSE_NONE;)
    visible = !blocks(&all.along, piece_from(tree, i), piece_to(tree, i), radius, radius2);
  *visits = all.visits;
  return visible;
}

copse_status copse_obstacle_visible(const copse_obstacle *tree, const float *from, const float *to,
                                    float radius, bool *visible, uint32_t *visits) {
  *visible = false;
  if (!query_point_ok(from, 2) || !query_point_ok(to, 2) || !query_radius_ok(radius))
    return COPSE_INVALID_ARGUMENT;
  uint32_t visited;
  *visible = is_visible(tree, from, to, radius, &visited);
  if (visits) *visits = visited;
  return COPSE_OK;
}

uint32_t copse_obstacle_keep_visible(const copse_obstacle *tree, const float *from,
                                     const copse_const_positions *positions, const uint32_t *ids,
                                     uint32_t count, uint32_t *kept) {
  uint32_t size = 0, visits;
  if (!query_point_ok(from, 2)) return 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t id = ids[i];
    const size_t at = (size_t)id * positions->stride;
    const float to[2] = {positions->axes[0][at], positions->axes[1][at]};
    if (query_point_ok(to, 2) && is_visible(tree, from, to, 0, &visits)) kept[size++] = id;
  }
  return size;
}

/* ---- Rays --------------------------------------------------------------------------------- */

/* The fraction of a way p … q at which it first meets an edge that it meets: not where the edge
 * isn't, though the quotient says so where the two all but lie on a line. */
static double fraction_to(vec p, vec q, vec a, vec b) {
  const vec along = vec_to(p, q);
  const bool alongX = fabs(along.x) >= fabs(along.y);
  const double length = alongX ? along.x : along.y;
  if (length == 0) return 0;
  const double toA = (alongX ? a.x - p.x : a.y - p.y) / length;
  const double toB = (alongX ? b.x - p.x : b.y - p.y) / length;
  const double first = toA < toB ? toA : toB, last = toA < toB ? toB : toA;
  const double ofP = side_of(a, b, p), ofQ = side_of(a, b, q);
  double fraction = ofP == ofQ ? first : ofP / (ofP - ofQ);
  if (fraction > last) fraction = last;
  if (fraction < first) fraction = first;
  return fraction > 0 ? (fraction < 1 ? fraction : 1) : 0;
}

static uint32_t cast(const copse_obstacle *tree, const float *from, const float *to,
                     copse_side side, copse_wall_hit *hit) {
  double reached = 1;
  tour all;
  tour_start(&all, tree, from, to, 0);
  const way *along = &all.along;
  *hit = (copse_wall_hit){COPSE_NONE, 1, {to[0], to[1]}, {0, 0}};
  for (uint32_t i; (i = tour_next(&all, tree, hit->fraction)) != COPSE_NONE;) {
    const uint32_t id = tree->pieces[i].edge;
    const vec a = piece_from(tree, i), b = piece_to(tree, i);
    if (!segments_meet(along->first, along->second, a, b) ||
        !is_seen(tree, id, side, a, b, along->from))
      continue;
    const double at = fraction_to(along->from, along->to, a, b);
    const float fraction = (float)at;
    if (fraction > hit->fraction || (fraction == hit->fraction && id >= hit->edge)) continue;
    hit->edge = id;
    hit->fraction = fraction;
    reached = at;
  }
  if (hit->edge == COPSE_NONE) return all.visits;
  const obstacle_edge *edge = &tree->edges[hit->edge];
  const vec a = vec_of(edge->from), b = vec_of(edge->to), along2 = vec_to(along->from, along->to);
  const vec wall = vec_to(a, b);
  const double length = sqrt(vec_dot(wall, wall));
  const double towards = side_of(a, b, along->from) > 0 ? -length : length;
  hit->point[0] = (float)(along->from.x + along2.x * reached);
  hit->point[1] = (float)(along->from.y + along2.y * reached);
  hit->normal[0] = (float)(wall.y / towards) + 0.0f;
  hit->normal[1] = (float)(-wall.x / towards) + 0.0f;
  return all.visits;
}

copse_status copse_obstacle_raycast(const copse_obstacle *tree, const float *from, const float *to,
                                    copse_side side, copse_wall_hit *hit, uint32_t *visits) {
  *hit = (copse_wall_hit){COPSE_NONE, 1, {0, 0}, {0, 0}};
  if (!query_point_ok(from, 2) || !query_point_ok(to, 2) || !is_side(side))
    return COPSE_INVALID_ARGUMENT;
  const uint32_t visited = cast(tree, from, to, side, hit);
  if (visits) *visits = visited;
  return COPSE_OK;
}

copse_status copse_obstacle_raycast_many(const copse_obstacle *tree, const float *segments,
                                         uint32_t n, copse_side side, uint32_t *edges,
                                         float *fractions) {
  if (!is_side(side)) return COPSE_INVALID_ARGUMENT;
  for (size_t end = 0; end < 2 * (size_t)n; end++)
    if (!query_point_ok(segments + 2 * end, 2)) return COPSE_INVALID_ARGUMENT;
  for (size_t i = 0; i < n; i++) {
    copse_wall_hit hit;
    cast(tree, segments + 4 * i, segments + 4 * i + 2, side, &hit);
    edges[i] = hit.edge;
    fractions[i] = hit.fraction;
  }
  return COPSE_OK;
}

/* ---- Inside ------------------------------------------------------------------------------- */

copse_status copse_obstacle_contains(const copse_obstacle *tree, const float *point, bool *inside,
                                     uint32_t *visits) {
  *inside = false;
  if (!query_point_ok(point, 2)) return COPSE_INVALID_ARGUMENT;
  /* Counts the edges that a ray to the nearer border crosses, each by the piece that is crossed. */
  const float *bounds = tree->bounds;
  const bool goesRight = bounds[2] - point[0] <= point[0] - bounds[0];
  const float border = bounds[goesRight ? 2 : 0];
  const float far[2] = {(border > point[0]) == goesRight ? border : point[0], point[1]};
  const vec p = vec_of(point);
  int32_t winding = tree->hasBoundaries ? 1 : 0;
  bool onBorder = false;
  tour all;
  tour_start(&all, tree, point, far, 0);
  for (uint32_t i; !onBorder && (i = tour_next(&all, tree, INFINITY)) != COPSE_NONE;) {
    const obstacle_piece *piece = &tree->pieces[i];
    const vec a = piece_from(tree, i), b = piece_to(tree, i);
    if (!(tree->kinds[piece->edge] & EDGE_OF_AREA)) continue;
    onBorder = edge_contains(a, b, p);
    const bool isUpward = a.y <= p.y;
    if (isUpward == (b.y <= p.y) || !piece_reports(piece, (p.y - a.y) / (b.y - a.y))) continue;
    const bool isRight = isUpward ? side_of(a, b, p) > 0 : side_of(a, b, p) < 0;
    if (isRight == goesRight) winding += isUpward == goesRight ? 1 : -1;
  }
  *inside = onBorder || winding > 0;
  if (visits) *visits = all.visits;
  return COPSE_OK;
}
