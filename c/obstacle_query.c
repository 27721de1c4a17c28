/* Queries of the obstacle tree. */

#include "obstacle.h"
#include "query.h"

/* Whether an edge matters to who asks from p. */
ALWAYS_INLINE bool is_seen(const copse_obstacle *tree, uint32_t edge, copse_side side, vec a, vec b,
                           vec p) {
  return side == COPSE_SIDE_BOTH || (tree->kinds[edge] & EDGE_TWO_SIDED) || side_of(a, b, p) < 0;
}

ALWAYS_INLINE bool is_side(copse_side side) {
  return side == COPSE_SIDE_BOTH || side == COPSE_SIDE_VISIBLE;
}

/* ---- Around a point ----------------------------------------------------------------------- */

/* A point as the tree sees it. */
typedef struct place {
  float x, y, slack;
} place;

static place place_of(const copse_obstacle *tree, const float *point) {
  const float x = point[0] - tree->center[0], y = point[1] - tree->center[1];
  return (place){x, y, obstacle_slack(tree, x, y)};
}

/* Nodes that wait, and how far their side of a line is. */
typedef struct waiting_node {
  uint32_t node;
  float distance;
} waiting_node;

/* Goes on to a node's children: the one that p is in next, the other, if it is within `reach`,
 * later. Answers with the next. */
ALWAYS_INLINE uint32_t descend(const copse_obstacle *tree, uint32_t at, place p, float reach,
                               waiting_node *stack, uint32_t *waiting) {
  const obstacle_node *node = &tree->nodes[at];
  const float side = node_side(node, p.x, p.y), far = (side < 0 ? -side : side) - p.slack;
  if (far <= reach) stack[(*waiting)++] = (waiting_node){side < 0 ? node->left : at + 1, far};
  return side < 0 ? at + 1 : node->left;
}

copse_status copse_obstacle_within(const copse_obstacle *tree, const float *center, float radius,
                                   copse_side side, copse_results *results) {
  copse_query sorted = copse_query_default();
  sorted.sort = COPSE_SORT_DISTANCE;
  if (!query_results_ok(&sorted, results, true) || !query_point_ok(center, 2) ||
      !query_radius_ok(radius) || !is_side(side))
    return COPSE_INVALID_ARGUMENT;
  const place from = place_of(tree, center);
  const vec p = vec_of(center);
  const float radius2 = radius * radius, reach = radius * 1.000001f;
  waiting_node stack[OBSTACLE_STACK] = {{0, 0}};
  for (uint32_t waiting = 1; waiting;) {
    uint32_t at = stack[--waiting].node;
    results->visits++;
    for (; tree->nodes[at].left; results->visits++)
      at = descend(tree, at, from, reach, stack, &waiting);
    for (uint32_t i = tree->nodes[at].begin; i < tree->nodes[at].end; i++) {
      const obstacle_piece *piece = &tree->pieces[i];
      const obstacle_edge *edge = &tree->pieceEdges[i];
      const vec a = vec_of(edge->from), b = vec_of(edge->to);
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
  }
  query_sort(&sorted, results);
  return COPSE_OK;
}

copse_status copse_obstacle_nearest(const copse_obstacle *tree, const float *center,
                                    float maxDistance, copse_side side, copse_wall *wall,
                                    uint32_t *visits) {
  *wall = (copse_wall){COPSE_NONE, 0, {0, 0}};
  if (!query_point_ok(center, 2) || !query_radius_ok(maxDistance) || !is_side(side))
    return COPSE_INVALID_ARGUMENT;
  const place from = place_of(tree, center);
  const vec p = vec_of(center);
  float best2 = maxDistance * maxDistance, reach = maxDistance * 1.000001f;
  uint32_t visited = 0;
  waiting_node stack[OBSTACLE_STACK] = {{0, -INFINITY}};
  for (uint32_t waiting = 1; waiting;) {
    const waiting_node next = stack[--waiting];
    if (next.distance > reach) continue;
    uint32_t at = next.node;
    visited++;
    for (; tree->nodes[at].left; visited++) at = descend(tree, at, from, reach, stack, &waiting);
    for (uint32_t i = tree->nodes[at].begin; i < tree->nodes[at].end; i++) {
      const uint32_t id = tree->pieces[i].edge;
      const vec a = vec_of(tree->pieceEdges[i].from), b = vec_of(tree->pieceEdges[i].to);
      const foot found = foot_on(a, b, p);
      const float distance2 = (float)found.distance2;
      if (!(distance2 < best2 || (distance2 == best2 && id < wall->edge)) ||
          !is_seen(tree, id, side, a, b, p))
        continue;
      *wall = (copse_wall){id, distance2, {(float)found.x, (float)found.y}};
      best2 = distance2;
      reach = sqrtf(distance2) * 1.000001f;
    }
  }
  if (visits) *visits = visited;
  return COPSE_OK;
}

/* ---- Along a segment ---------------------------------------------------------------------- */

/* A segment, as asked and as the tree sees it. */
typedef struct way {
  vec from, to;       /* as asked */
  vec first, second;  /* in order */
  float lo[2], hi[2]; /* its bounds */
  float x[2], y[2];   /* relative to the center */
  float reach;        /* from a line, within which both its sides matter */
} way;

static way way_of(const copse_obstacle *tree, const float *from, const float *to, float radius) {
  way made = {.from = vec_of(from), .to = vec_of(to)};
  const bool ordered = in_order(made.from, made.to);
  made.first = ordered ? made.from : made.to;
  made.second = ordered ? made.to : made.from;
  for (int axis = 0; axis < 2; axis++) {
    made.lo[axis] = from[axis] < to[axis] ? from[axis] : to[axis];
    made.hi[axis] = from[axis] < to[axis] ? to[axis] : from[axis];
  }
  float slack = 0;
  for (int end = 0; end < 2; end++) {
    const float *point = end ? to : from;
    made.x[end] = point[0] - tree->center[0];
    made.y[end] = point[1] - tree->center[1];
    slack += obstacle_slack(tree, made.x[end], made.y[end]);
  }
  made.reach = slack + radius * 1.000001f;
  return made;
}

/* A node and the part of the way that may be in it. */
typedef struct stretch {
  uint32_t node;
  float begin, end;
} stretch;

/* Of a stretch, what lies on the side where `begin` and `end`, the sides of its ends, are above
 * -reach. */
ALWAYS_INLINE stretch stretch_above(stretch whole, uint32_t node, float begin, float end,
                                    float reach) {
  stretch cut = {node, whole.begin, whole.end};
  const float length = whole.end - whole.begin;
  if (begin < -reach) cut.begin += length * ((begin + reach) / (begin - end));
  if (end < -reach) cut.end -= length * ((end + reach) / (end - begin));
  return cut;
}

/* The leaves along a way, in order of their stretches' begins. */
typedef struct tour {
  stretch stack[OBSTACLE_STACK];
  uint32_t waiting, visits;
} tour;

static void tour_start(tour *all) {
  all->stack[0] = (stretch){0, 0, 1};
  all->waiting = 1;
  all->visits = 0;
}

/* The next leaf; NULL: no more. */
ALWAYS_INLINE const obstacle_node *tour_next(tour *all, const copse_obstacle *tree,
                                             const way *along, float until) {
  while (all->waiting) {
    stretch part = all->stack[--all->waiting];
    if (part.begin > until) continue;
    all->visits++;
    while (tree->nodes[part.node].left) {
      const obstacle_node *node = &tree->nodes[part.node];
      const uint32_t right = part.node + 1;
      const float first = node_side(node, along->x[0], along->y[0]);
      const float second = node_side(node, along->x[1], along->y[1]);
      const float begin = first + (second - first) * part.begin;
      const float end = first + (second - first) * part.end;
      const bool inLeft = begin >= -along->reach || end >= -along->reach;
      const bool inRight = begin <= along->reach || end <= along->reach;
      all->visits++;
      if (inLeft && inRight) {
        const stretch left = stretch_above(part, node->left, begin, end, along->reach);
        const stretch other = stretch_above(part, right, -begin, -end, along->reach);
        const bool leftFirst = begin > end;
        all->stack[all->waiting++] = leftFirst ? other : left;
        part = leftFirst ? left : other;
      } else
        part.node = inRight ? right : node->left;
    }
    return &tree->nodes[part.node];
  }
  return NULL;
}

/* Whether an edge lies beyond the bounds of a way: most do. */
ALWAYS_INLINE bool is_beside(const way *along, const obstacle_edge *edge) {
  const float *from = edge->from, *to = edge->to;
  return (from[0] < along->lo[0] && to[0] < along->lo[0]) ||
         (from[0] > along->hi[0] && to[0] > along->hi[0]) ||
         (from[1] < along->lo[1] && to[1] < along->lo[1]) ||
         (from[1] > along->hi[1] && to[1] > along->hi[1]);
}

ALWAYS_INLINE bool blocks(const way *along, const obstacle_edge *edge, float radius,
                          float radius2) {
  if (!(radius > 0) && is_beside(along, edge)) return false;
  const vec a = vec_of(edge->from), b = vec_of(edge->to);
  if (segments_meet(along->first, along->second, a, b)) return true;
  if (!(radius > 0)) return false;
  return (float)foot_on(a, b, along->from).distance2 <= radius2 ||
         (float)foot_on(a, b, along->to).distance2 <= radius2 ||
         (float)foot_on(along->first, along->second, a).distance2 <= radius2 ||
         (float)foot_on(along->first, along->second, b).distance2 <= radius2;
}

static bool is_visible(const copse_obstacle *tree, const float *from, const float *to, float radius,
                       uint32_t *visits) {
  const way along = way_of(tree, from, to, radius);
  const float radius2 = radius * radius;
  const obstacle_node *leaf;
  tour all;
  tour_start(&all);
  bool visible = true;
  while (visible && (leaf = tour_next(&all, tree, &along, INFINITY)))
    for (uint32_t i = leaf->begin; visible && i < leaf->end; i++)
      visible = !blocks(&along, &tree->pieceEdges[i], radius, radius2);
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
                                     const copse_positions *positions, const uint32_t *ids,
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
  const way along = way_of(tree, from, to, 0);
  const obstacle_node *leaf;
  double reached = 1;
  tour all;
  tour_start(&all);
  *hit = (copse_wall_hit){COPSE_NONE, 1, {to[0], to[1]}, {0, 0}};
  while ((leaf = tour_next(&all, tree, &along, hit->fraction)))
    for (uint32_t i = leaf->begin; i < leaf->end; i++) {
      const uint32_t id = tree->pieces[i].edge;
      if (is_beside(&along, &tree->pieceEdges[i])) continue;
      const vec a = vec_of(tree->pieceEdges[i].from), b = vec_of(tree->pieceEdges[i].to);
      if (!segments_meet(along.first, along.second, a, b) ||
          !is_seen(tree, id, side, a, b, along.from))
        continue;
      const double at = fraction_to(along.from, along.to, a, b);
      const float fraction = (float)at;
      if (fraction > hit->fraction || (fraction == hit->fraction && id >= hit->edge)) continue;
      hit->edge = id;
      hit->fraction = fraction;
      reached = at;
    }
  if (hit->edge == COPSE_NONE) return all.visits;
  const obstacle_edge *edge = &tree->edges[hit->edge];
  const vec a = vec_of(edge->from), b = vec_of(edge->to), along2 = vec_to(along.from, along.to);
  const vec wall = vec_to(a, b);
  const double length = sqrt(vec_dot(wall, wall));
  const double towards = side_of(a, b, along.from) > 0 ? -length : length;
  hit->point[0] = (float)(along.from.x + along2.x * reached);
  hit->point[1] = (float)(along.from.y + along2.y * reached);
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
  const way along = way_of(tree, point, far, 0);
  const vec p = vec_of(point);
  const obstacle_node *leaf;
  int32_t winding = tree->hasBoundaries ? 1 : 0;
  bool onBorder = false;
  tour all;
  tour_start(&all);
  while (!onBorder && (leaf = tour_next(&all, tree, &along, INFINITY)))
    for (uint32_t i = leaf->begin; i < leaf->end; i++) {
      const obstacle_piece *piece = &tree->pieces[i];
      const obstacle_edge *edge = &tree->pieceEdges[i];
      const vec a = vec_of(edge->from), b = vec_of(edge->to);
      if (!(tree->kinds[piece->edge] & EDGE_OF_AREA)) continue;
      onBorder |= edge_contains(a, b, p);
      const bool isUpward = a.y <= p.y;
      if (isUpward == (b.y <= p.y) || !piece_reports(piece, (p.y - a.y) / (b.y - a.y))) continue;
      const bool isRight = isUpward ? side_of(a, b, p) > 0 : side_of(a, b, p) < 0;
      if (isRight == goesRight) winding += isUpward == goesRight ? 1 : -1;
    }
  *inside = onBorder || winding > 0;
  if (visits) *visits = all.visits;
  return COPSE_OK;
}
