/* Queries of the obstacle tree. */

#include "../base/query.h"
#include "../base/scan.h"
#include "obstacle.h"

/* True if a query for a point p may find an edge a … b. With COPSE_SIDE_VISIBLE, the edge must face
 * p or be two-sided. */
ALWAYS_INLINE bool is_counted(const copse_obstacle *tree, uint32_t edge, copse_side side, vec a,
                              vec b, vec p) {
  return side == COPSE_SIDE_BOTH || (tree->kinds[edge] & EDGE_TWO_SIDED) || side_of(a, b, p) < 0;
}

ALWAYS_INLINE bool is_side(copse_side side) {
  return side == COPSE_SIDE_BOTH || side == COPSE_SIDE_VISIBLE;
}

/* ---- Four edges at a time: a test in float, which may only err by keeping an edge ---- */

/* The ends of the edges that four pieces belong to. A piece is a part of an edge that the tree has
 * split; the ends are those of the whole edge. */
typedef struct edges4 {
  float4 x0, y0, x1, y1;
} edges4;

ALWAYS_INLINE edges4 edges4_at(const copse_obstacle *tree, uint32_t piece) {
  return (edges4){float4_load(tree->pieceEnds[0] + piece), float4_load(tree->pieceEnds[1] + piece),
                  float4_load(tree->pieceEnds[2] + piece), float4_load(tree->pieceEnds[3] + piece)};
}

/* The pieces of a leaf that are still to be visited: all of next … end - 1, and some of the four
 * pieces before `next`. Bit i of `bits` is set if the piece next - 4 + i is still to be visited. */
typedef struct leaf_rest {
  uint32_t next, end, bits;
} leaf_rest;

/* Returns the state before a visit to a leaf: all of its pieces are still to be visited. */
static leaf_rest rest_of(const obstacle_node *leaf) {
  return (leaf_rest){leaf->begin, leaf->end, 0};
}

/* Returns `bits` without the bits of pieces from `end` on. Bits 0 … 3 belong to four pieces, of
 * which `four` is the first. */
ALWAYS_INLINE uint32_t rest_within(uint32_t bits, uint32_t four, uint32_t end) {
  return end - four < 4 ? bits & ((1u << (end - four)) - 1) : bits;
}

/* Returns the first piece whose bit is set, and clears the bit. At least one bit must be set. */
static uint32_t rest_take(leaf_rest *rest) {
  const uint32_t piece = rest->next - 4 + bits_lowest(rest->bits);
  rest->bits &= rest->bits - 1;
  return piece;
}

/* ---- Around a point ----------------------------------------------------------------------- */

/* A node that is still to be visited, and a lower bound of the distance to its edges (in
 * obstacle_search_next: of the squared distance). */
typedef struct waiting_node {
  uint32_t node;
  float distance;
} waiting_node;

/* A walk over the edges within a distance of a point, nearer leaves first. It returns all of these
 * edges, and possibly some that are farther away: the caller must test each edge. */
typedef struct circuit {
  waiting_node stack[OBSTACLE_STACK];
  uint32_t waiting, visits;
  leaf_rest rest;
  float point[2], x, y; /* the point in the caller's coordinates, and as x, y relative to the tree's
                         * center */
  float slack, reach;   /* how far beyond a node's line to look: `slack` allows for tolerance and
                         * rounding, `reach` is `slack` plus the distance within which edges are
                         * found */
  float most2;          /* the square of the distance within which edges are found, rounded up */
} circuit;

/* Returns a squared distance, rounded up by more than the error of computing it, so that pruning
 * with it loses no edge. */
static float roomy2(float distance2) { return distance2 * 1.000001f + 1e-36f; }

/* Sets the distance within which a walk finds edges. Later calls may only decrease it. */
static void circuit_narrow(circuit *walk, float distance, float distance2) {
  walk->reach = walk->slack + distance * 1.000001f;
  walk->most2 = roomy2(distance2);
}

static void circuit_start(circuit *walk, const copse_obstacle *tree, const float *point,
                          float distance) {
  walk->stack[0] = (waiting_node){0, 0};
  walk->waiting = 1;
  walk->visits = 0;
  walk->rest = (leaf_rest){0, 0, 0};
  for (int axis = 0; axis < 2; axis++) walk->point[axis] = point[axis];
  walk->x = point[0] - tree->center[0];
  walk->y = point[1] - tree->center[1];
  walk->slack = obstacle_slack(tree, walk->x, walk->y);
  circuit_narrow(walk, distance, distance * distance);
}

/* Tests the edges of the pieces `piece` … `piece` + 3. Returns a bit for each, set if the squared
 * distance of the edge's bounds from a point is at most most2. */
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

/* Returns the next leaf of a walk, or NULL after the last. */
ALWAYS_INLINE const obstacle_node *circuit_leaf(circuit *walk, const copse_obstacle *tree) {
  while (walk->waiting) {
    const waiting_node next = walk->stack[--walk->waiting];
    if (next.distance > walk->reach) continue;
    uint32_t nodeIndex = next.node;
    for (walk->visits++; tree->nodes[nodeIndex].left; walk->visits++) {
      const obstacle_node *node = &tree->nodes[nodeIndex];
      const uint32_t right = nodeIndex + 1;
      const float side = node_side(node, walk->x, walk->y), far = side < 0 ? -side : side;
      if (far <= walk->reach)
        walk->stack[walk->waiting++] = (waiting_node){side < 0 ? node->left : right, far};
      nodeIndex = side < 0 ? right : node->left;
    }
    return &tree->nodes[nodeIndex];
  }
  return NULL;
}

/* Returns the next piece whose edge may be within the distance that circuit_narrow set, or
 * COPSE_NONE after the last. */
OUT_OF_LINE uint32_t circuit_next(circuit *walk, const copse_obstacle *tree) {
  leaf_rest *rest = &walk->rest;
  while (!rest->bits) {
    uint32_t next = rest->next, bits = 0;
    for (; !bits && next < rest->end; next += 4)
      bits = rest_within(edges4_around(tree, next, walk->point, walk->most2), next, rest->end);
    rest->next = next;
    rest->bits = bits;
    if (bits) break;
    const obstacle_node *leaf = circuit_leaf(walk, tree);
    if (!leaf) return COPSE_NONE;
    *rest = rest_of(leaf);
  }
  return rest_take(rest);
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
  circuit walk;
  circuit_start(&walk, tree, center, radius);
  for (uint32_t i; (i = circuit_next(&walk, tree)) != COPSE_NONE;) {
    const obstacle_piece *piece = &tree->pieces[i];
    const vec a = piece_from(tree, i), b = piece_to(tree, i);
    const foot closest = foot_on(a, b, p);
    const float distance2 = (float)closest.distance2;
    if (!(distance2 <= radius2) || !piece_reports(piece, closest.fraction) ||
        !is_counted(tree, piece->edge, side, a, b, p))
      continue;
    if (results->total < results->capacity) {
      results->ids[results->total] = piece->edge;
      results->distances2[results->total] = distance2;
    }
    results->total++;
  }
  results->visits += walk.visits;
  query_sort(&sorted, results);
  return COPSE_OK;
}

copse_status copse_obstacle_nearest(const copse_obstacle *tree, const float *center,
                                    float maxDistance, copse_side side, copse_obstacle_point *wall,
                                    uint32_t *visits) {
  *wall = (copse_obstacle_point){COPSE_NONE, 0, {0, 0}};
  if (!query_point_ok(center, 2) || !query_radius_ok(maxDistance) || !is_side(side))
    return COPSE_INVALID_ARGUMENT;
  const vec p = vec_of(center);
  float best2 = maxDistance * maxDistance;
  circuit walk;
  circuit_start(&walk, tree, center, maxDistance);
  for (uint32_t i; (i = circuit_next(&walk, tree)) != COPSE_NONE;) {
    const uint32_t id = tree->pieces[i].edge;
    const vec a = piece_from(tree, i), b = piece_to(tree, i);
    const foot closest = foot_on(a, b, p);
    const float distance2 = (float)closest.distance2;
    if (!(distance2 < best2 || (distance2 == best2 && id < wall->edge)) ||
        !is_counted(tree, id, side, a, b, p))
      continue;
    *wall = (copse_obstacle_point){id, distance2, {(float)closest.x, (float)closest.y}};
    best2 = distance2;
    circuit_narrow(&walk, sqrtf(distance2), distance2);
  }
  if (visits) *visits = walk.visits;
  return COPSE_OK;
}

/* ---- The edges around a point, a few at a time -------------------------------------------- */

/* Returns, for each side of a node's box, how far a point is beyond that side; negative if the
 * point is on the inner side. */
ALWAYS_INLINE float4 beyond_box(const copse_obstacle *tree, uint32_t nodeIndex,
                                const float *point) {
  const float outward[] = {point[0], point[1], -point[0], -point[1]};
  return float4_sub(float4_load(tree->boxes[nodeIndex]), float4_load(outward));
}

/* Returns the squared distance from a point to a node's box. */
ALWAYS_INLINE float to_box2(const copse_obstacle *tree, uint32_t nodeIndex, const float *point) {
  float gaps[4];
  float4_store(gaps, float4_max(beyond_box(tree, nodeIndex, point), float4_all(0)));
  return (gaps[0] * gaps[0] + gaps[2] * gaps[2]) + (gaps[1] * gaps[1] + gaps[3] * gaps[3]);
}

/* True if a search can skip a node: all of the node's edges are nearer than the last edge that was
 * returned, or the search's function `covers` lets the search skip these edges. */
static bool is_done(const copse_obstacle *tree, uint32_t nodeIndex, const obstacle_search *search) {
  const float *box = tree->boxes[nodeIndex];
  const float corners[] = {box[0], box[1], -box[2], box[1], -box[2], -box[3], box[0], -box[3]};
  float gaps[4];
  float4_store(gaps, beyond_box(tree, nodeIndex, search->center));
  const float x = gaps[0] < gaps[2] ? gaps[0] : gaps[2], y = gaps[1] < gaps[3] ? gaps[1] : gaps[3];
  return roomy2(x * x + y * y) < search->last2 || search->covers(search->context, corners, 4);
}

/* Offers the edges of a leaf to `nearest`, which keeps the nearest ones. Skips edges that earlier
 * calls of the search returned. */
static void search_leaf(const copse_obstacle *tree, const obstacle_node *leaf,
                        const obstacle_search *search, scan_nearest *nearest) {
  const vec p = vec_of(search->center);
  for (uint32_t four = leaf->begin; four < leaf->end; four += 4) {
    const float most2 = roomy2(nearest->limit2);
    leaf_rest rest = {four + 4, leaf->end, edges4_around(tree, four, search->center, most2)};
    rest.bits = rest_within(rest.bits, four, leaf->end);
    while (rest.bits) {
      const uint32_t i = rest_take(&rest), edge = tree->pieces[i].edge;
      const vec a = piece_from(tree, i), b = piece_to(tree, i);
      const foot closest = foot_on(a, b, p);
      const float distance2 = (float)closest.distance2;
      if (distance2 > nearest->limit2 || distance2 < search->last2 ||
          (distance2 == search->last2 && edge <= search->last) ||
          !piece_reports(&tree->pieces[i], closest.fraction) ||
          !is_counted(tree, edge, COPSE_SIDE_VISIBLE, a, b, p) ||
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
    WORKED(1);
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

/* The segment of a query, and numbers derived from it that speed up tests of edges within a
 * radius. */
typedef struct wide_segment {
  vec from, to;       /* in the caller's coordinates */
  vec first, second;  /* the two ends in the order that segments_meet needs */
  float begin[2];     /* `from` as floats */
  float delta[2];     /* `to` minus `from` */
  float lo[2], hi[2]; /* the segment's bounds, widened by the radius and by rounding errors */
  float width;        /* edges farther from the segment's line than this are skipped; a distance
                       * times the segment's length, as in left_of4; includes rounding errors */
  float x[2], y[2];   /* the two ends relative to the tree's center */
  float reach;        /* a node divides the plane by a line. If the segment is farther than this
                       * from the line, edges on the other side are too far away to matter */
} wide_segment;

/* Returns the greatest distance, along one axis, between a coordinate and any edge. */
static float farthest(const copse_obstacle *tree, int axis, float coordinate) {
  const float below = coordinate - tree->bounds[axis], above = tree->bounds[2 + axis] - coordinate;
  return below > above ? below : above;
}

static wide_segment segment_of(const copse_obstacle *tree, const float *from, const float *to,
                               float radius) {
  const float LEAST = 1e-36f;
  const float *floats[2] = {from, to};
  const vec ends[2] = {vec_of(from), vec_of(to)};
  const bool ordered = in_order(ends[0], ends[1]);
  wide_segment segment = {
      .from = ends[0], .to = ends[1], .first = ends[!ordered], .second = ends[ordered]};
  float slack = 0;
  for (int end = 0; end < 2; end++) {
    segment.x[end] = floats[end][0] - tree->center[0];
    segment.y[end] = floats[end][1] - tree->center[1];
    slack += obstacle_slack(tree, segment.x[end], segment.y[end]);
  }
  segment.reach = slack + radius * 1.000001f;
  for (int axis = 0; axis < 2; axis++) {
    const bool isUp = from[axis] < to[axis]; /* used as an index: a branch would be unpredictable */
    const float lo = floats[!isUp][axis], hi = floats[isUp][axis];
    segment.begin[axis] = from[axis];
    segment.delta[axis] = to[axis] - from[axis];
    segment.lo[axis] = lo - segment.reach - fabsf(lo) * 0x1p-22f;
    segment.hi[axis] = hi + segment.reach + fabsf(hi) * 0x1p-22f;
  }
  const float length = fabsf(segment.delta[0]) + fabsf(segment.delta[1]);
  const float error = fabsf(segment.delta[0]) * farthest(tree, 1, from[1]) +
                      fabsf(segment.delta[1]) * farthest(tree, 0, from[0]);
  segment.width = segment.reach * length + error * 0x1p-20f + LEAST;
  return segment;
}

/* Returns how far left of a segment's line four points are, times the segment's length. */
ALWAYS_INLINE float4 left_of4(const wide_segment *segment, float4 x, float4 y) {
  x = float4_sub(x, float4_all(segment->begin[0]));
  y = float4_sub(y, float4_all(segment->begin[1]));
  return float4_sub(float4_mul(float4_all(segment->delta[0]), y),
                    float4_mul(float4_all(segment->delta[1]), x));
}

/* Tests the edges of the pieces `piece` … `piece` + 3. Returns a bit for each, set if the edge may
 * be within the query's radius of the segment: if it is neither outside the segment's bounds nor
 * wholly on one side of its line, both widened by the radius. */
ALWAYS_INLINE uint32_t edges4_along(const copse_obstacle *tree, uint32_t piece,
                                    const wide_segment *segment) {
  const edges4 edges = edges4_at(tree, piece);
  const float4 a = left_of4(segment, edges.x0, edges.y0), b = left_of4(segment, edges.x1, edges.y1);
  word4 out = float4_lt(float4_all(segment->width), float4_min(a, b));
  out = word4_or(out, float4_lt(float4_max(a, b), float4_all(-segment->width)));
  out = word4_or(out, float4_lt(float4_max(edges.x0, edges.x1), float4_all(segment->lo[0])));
  out = word4_or(out, float4_lt(float4_max(edges.y0, edges.y1), float4_all(segment->lo[1])));
  out = word4_or(out, float4_lt(float4_all(segment->hi[0]), float4_min(edges.x0, edges.x1)));
  out = word4_or(out, float4_lt(float4_all(segment->hi[1]), float4_min(edges.y0, edges.y1)));
  return 15 & ~word4_bits(out);
}

/* A node, and the part of the segment that may be in the node's cell, as fractions of the
 * segment. */
typedef struct stretch {
  uint32_t node;
  float begin, end;
} stretch;

/* A walk over the edges within a radius of a segment, leaf by leaf, in the order in which the
 * segment enters the leaves. It may also return edges that are farther away: the caller must test
 * each edge. */
typedef struct tour {
  stretch stack[OBSTACLE_STACK];
  uint32_t waiting, visits;
  stretch last;                  /* the entry of `stack` that led to the current leaf */
  uint32_t path[OBSTACLE_STACK]; /* the nodes passed on the way down to the leaf */
  uint32_t steps;                /* the number of nodes in `path`; 0 after tour_push_passed, so that
                                  * it pushes nothing twice */
  leaf_rest rest;
  wide_segment segment;
} tour;

static void tour_start(tour *walk, const copse_obstacle *tree, const float *from, const float *to,
                       float radius) {
  walk->stack[0] = (stretch){0, 0, 1};
  walk->waiting = 1;
  walk->visits = walk->steps = 0;
  walk->rest = (leaf_rest){0, 0, 0};
  walk->segment = segment_of(tree, from, to, radius);
}

/* Returns the coordinate at a fraction of a segment, given the coordinates of its two ends. */
static float coordinate_at(const float *ends, float fraction) {
  return ends[0] + (ends[1] - ends[0]) * fraction;
}

/* For each node in `path`, pushes the child that the walk did not go down to, with the part of the
 * segment that reaches it. Runs after the leaf was visited, not on the way down to it, because a
 * wall in that leaf often ends the walk. */
static void tour_push_passed(tour *walk, const copse_obstacle *tree) {
  const wide_segment *segment = &walk->segment;
  const float reach = segment->reach, begin = walk->last.begin;
  const float x = coordinate_at(segment->x, begin), y = coordinate_at(segment->y, begin);
  float end = walk->last.end;
  for (uint32_t i = 0; i < walk->steps; i++) {
    const uint32_t nodeIndex = walk->path[i];
    const obstacle_node *node = &tree->nodes[nodeIndex];
    float sideOfBegin = node_side(node, x, y),
          sideOfEnd = node_side(node, segment->x[1], segment->y[1]);
    const bool isRight = sideOfBegin < 0;
    if (isRight) {
      sideOfBegin = -sideOfBegin;
      sideOfEnd = -sideOfEnd;
    }
    if (sideOfBegin > reach && sideOfEnd > reach) continue;
    const float scale = (1 - begin) / (sideOfBegin - sideOfEnd);
    const float first = sideOfBegin > reach ? begin + (sideOfBegin - reach) * scale : begin;
    if (first > end) continue;
    walk->stack[walk->waiting++] = (stretch){isRight ? node->left : nodeIndex + 1, first, end};
    if (sideOfEnd < -reach) {
      const float last = begin + (sideOfBegin + reach) * scale;
      if (last < end) end = last;
    }
  }
  walk->steps = 0;
}

/* A node on the way down to the leaf of a point, and the data that the next step down needs. */
typedef struct step {
  uint32_t node, left;
  uint32_t isRight; /* all bits set if the point is right of the node's line, else 0 */
} step;

ALWAYS_INLINE step step_at(const copse_obstacle *tree, uint32_t nodeIndex, float x, float y) {
  const obstacle_node *node = &tree->nodes[nodeIndex];
  return (step){nodeIndex, node->left, node_side(node, x, y) < 0 ? UINT32_MAX : 0};
}

/* Returns the child of a node that is on the point's side of the node's line. Reads both children,
 * so that the loads need not wait until the side is known, and selects one without a branch, which
 * would be unpredictable. */
ALWAYS_INLINE step step_down(const copse_obstacle *tree, step parent, float x, float y) {
  const step left = step_at(tree, parent.left, x, y), right = step_at(tree, parent.node + 1, x, y);
  const uint32_t mask = parent.isRight;
  return (step){left.node ^ ((left.node ^ right.node) & mask),
                left.left ^ ((left.left ^ right.left) & mask),
                left.isRight ^ ((left.isRight ^ right.isRight) & mask)};
}

/* Returns the next leaf that the segment enters at a fraction up to `until`, or NULL after the
 * last. */
ALWAYS_INLINE const obstacle_node *tour_leaf(tour *walk, const copse_obstacle *tree, float until) {
  if (walk->steps) tour_push_passed(walk, tree);
  while (walk->waiting) {
    const stretch next = walk->stack[--walk->waiting];
    if (next.begin > until) continue;
    const float x = coordinate_at(walk->segment.x, next.begin),
                y = coordinate_at(walk->segment.y, next.begin);
    uint32_t steps = 0;
    step here = step_at(tree, next.node, x, y);
    for (; here.left; here = step_down(tree, here, x, y)) walk->path[steps++] = here.node;
    walk->last = next;
    walk->steps = steps;
    walk->visits += steps + 1;
    return &tree->nodes[here.node];
  }
  return NULL;
}

/* Returns the next piece whose edge may be within the tour's radius of the segment, or COPSE_NONE
 * after the last. Skips leaves that are near the segment only beyond the fraction `until`. */
OUT_OF_LINE uint32_t tour_next(tour *walk, const copse_obstacle *tree, float until) {
  leaf_rest *rest = &walk->rest;
  while (!rest->bits) {
    uint32_t next = rest->next, bits = 0;
    for (; !bits && next < rest->end; next += 4)
      bits = rest_within(edges4_along(tree, next, &walk->segment), next, rest->end);
    rest->next = next;
    rest->bits = bits;
    if (bits) break;
    const obstacle_node *leaf = tour_leaf(walk, tree, until);
    if (!leaf) return COPSE_NONE;
    *rest = rest_of(leaf);
  }
  return rest_take(rest);
}

/* True if an edge a … b intersects a segment, or is within a radius of it. */
ALWAYS_INLINE bool blocks(const wide_segment *segment, vec a, vec b, float radius, float radius2) {
  if (segments_meet(segment->first, segment->second, a, b)) return true;
  if (!(radius > 0)) return false;
  return (float)foot_on(a, b, segment->from).distance2 <= radius2 ||
         (float)foot_on(a, b, segment->to).distance2 <= radius2 ||
         (float)foot_on(segment->first, segment->second, a).distance2 <= radius2 ||
         (float)foot_on(segment->first, segment->second, b).distance2 <= radius2;
}

uint32_t obstacle_blocker(const copse_obstacle *tree, const float *from, const float *to,
                          float radius, uint32_t *visits) {
  const float radius2 = radius * radius;
  tour walk;
  tour_start(&walk, tree, from, to, radius);
  uint32_t i;
  while ((i = tour_next(&walk, tree, INFINITY)) != COPSE_NONE)
    if (blocks(&walk.segment, piece_from(tree, i), piece_to(tree, i), radius, radius2)) break;
  *visits = walk.visits;
  return i;
}

bool obstacle_blocks(const copse_obstacle *tree, uint32_t piece, const float *from, const float *to,
                     float radius) {
  const vec ends[2] = {vec_of(from), vec_of(to)};
  const bool ordered = in_order(ends[0], ends[1]);
  const wide_segment segment = {
      .from = ends[0], .to = ends[1], .first = ends[!ordered], .second = ends[ordered]};
  return blocks(&segment, piece_from(tree, piece), piece_to(tree, piece), radius, radius * radius);
}

copse_status copse_obstacle_visible(const copse_obstacle *tree, const float *from, const float *to,
                                    float radius, bool *visible, uint32_t *visits) {
  *visible = false;
  if (!query_point_ok(from, 2) || !query_point_ok(to, 2) || !query_radius_ok(radius))
    return COPSE_INVALID_ARGUMENT;
  uint32_t visited;
  *visible = obstacle_blocker(tree, from, to, radius, &visited) == COPSE_NONE;
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
    const size_t place = (size_t)id * positions->stride;
    const float to[2] = {positions->axes[0][place], positions->axes[1][place]};
    if (query_point_ok(to, 2) && obstacle_blocker(tree, from, to, 0, &visits) == COPSE_NONE)
      kept[size++] = id;
  }
  return size;
}

/* ---- Rays --------------------------------------------------------------------------------- */

/* Returns the fraction of a segment p … q at which it first intersects an edge a … b. Segment and
 * edge must intersect. The fraction is clamped to the range of fractions that the edge spans: if
 * segment and edge are nearly on one line, rounding may put the fraction outside of this range.
 * This code is the exact rule of copse_obstacle_raycast. */
static double fraction_to(vec p, vec q, vec a, vec b) {
  const vec delta = vec_to(p, q);
  const bool isAlongX = fabs(delta.x) >= fabs(delta.y);
  const double length = isAlongX ? delta.x : delta.y;
  if (length == 0) return 0;
  const double toA = (isAlongX ? a.x - p.x : a.y - p.y) / length;
  const double toB = (isAlongX ? b.x - p.x : b.y - p.y) / length;
  const double first = toA < toB ? toA : toB, last = toA < toB ? toB : toA;
  const double ofP = side_of(a, b, p), ofQ = side_of(a, b, q);
  double fraction = ofP == ofQ ? first : ofP / (ofP - ofQ);
  if (fraction > last) fraction = last;
  if (fraction < first) fraction = first;
  return fraction > 0 ? (fraction < 1 ? fraction : 1) : 0;
}

/* Writes the first edge that a segment hits. Returns the number of nodes visited. */
static uint32_t cast(const copse_obstacle *tree, const float *from, const float *to,
                     copse_side side, copse_obstacle_hit *hit) {
  double hitFraction = 1;
  tour walk;
  tour_start(&walk, tree, from, to, 0);
  const wide_segment *segment = &walk.segment;
  *hit = (copse_obstacle_hit){COPSE_NONE, 1, {to[0], to[1]}, {0, 0}};
  for (uint32_t i; (i = tour_next(&walk, tree, hit->fraction)) != COPSE_NONE;) {
    const uint32_t id = tree->pieces[i].edge;
    const vec a = piece_from(tree, i), b = piece_to(tree, i);
    if (!segments_meet(segment->first, segment->second, a, b) ||
        !is_counted(tree, id, side, a, b, segment->from))
      continue;
    const double exact = fraction_to(segment->from, segment->to, a, b);
    const float fraction = (float)exact;
    if (fraction > hit->fraction || (fraction == hit->fraction && id >= hit->edge)) continue;
    hit->edge = id;
    hit->fraction = fraction;
    hitFraction = exact;
  }
  if (hit->edge == COPSE_NONE) return walk.visits;
  const obstacle_edge *edge = &tree->edges[hit->edge];
  const vec a = vec_of(edge->from), b = vec_of(edge->to),
            delta = vec_to(segment->from, segment->to);
  const vec wall = vec_to(a, b);
  const double length = sqrt(vec_dot(wall, wall));
  const double toward = side_of(a, b, segment->from) > 0 ? -length : length;
  hit->point[0] = (float)(segment->from.x + delta.x * hitFraction);
  hit->point[1] = (float)(segment->from.y + delta.y * hitFraction);
  hit->normal[0] = (float)(wall.y / toward) + 0.0f;
  hit->normal[1] = (float)(-wall.x / toward) + 0.0f;
  return walk.visits;
}

copse_status copse_obstacle_raycast(const copse_obstacle *tree, const float *from, const float *to,
                                    copse_side side, copse_obstacle_hit *hit, uint32_t *visits) {
  *hit = (copse_obstacle_hit){COPSE_NONE, 1, {0, 0}, {0, 0}};
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
    copse_obstacle_hit hit;
    cast(tree, segments + 4 * i, segments + 4 * i + 2, side, &hit);
    edges[i] = hit.edge;
    fractions[i] = hit.fraction;
  }
  return COPSE_OK;
}

/* ---- Is a point inside a solid area? ------------------------------------------------------ */

copse_status copse_obstacle_contains(const copse_obstacle *tree, const float *point, bool *inside,
                                     uint32_t *visits) {
  *inside = false;
  if (!query_point_ok(point, 2)) return COPSE_INVALID_ARGUMENT;
  /* Counts the edges that a horizontal ray crosses, from the point to the left or right side of the
   * tree's bounds, whichever is nearer. If an edge has several pieces, only the piece that the ray
   * crosses counts. */
  const float *bounds = tree->bounds;
  const bool goesRight = bounds[2] - point[0] <= point[0] - bounds[0];
  const float border = bounds[goesRight ? 2 : 0];
  const float far[2] = {(border > point[0]) == goesRight ? border : point[0], point[1]};
  const vec p = vec_of(point);
  int32_t winding = tree->hasBoundaries ? 1 : 0;
  bool onBorder = false;
  tour walk;
  tour_start(&walk, tree, point, far, 0);
  for (uint32_t i; !onBorder && (i = tour_next(&walk, tree, INFINITY)) != COPSE_NONE;) {
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
  if (visits) *visits = walk.visits;
  return COPSE_OK;
}
