/* The state of the obstacle tree: cells and lines to draw, statistics, validation, snapshots. */

#include "../base/snapshot.h"
#include "obstacle.h"

#include <string.h>

/* ---- Nodes in preorder -------------------------------------------------------------------- */

/* A walk through all nodes: path[0] … path[depth] are the nodes from the root to the current
 * node. */
typedef struct preorder {
  struct {
    uint32_t node, depth;
    bool isLeft; /* true if the node is a left child */
  } stack[OBSTACLE_STACK], path[OBSTACLE_STACK];
  uint32_t waiting, depth;
} preorder;

static void preorder_start(preorder *walk) {
  walk->stack[0].node = walk->stack[0].depth = 0;
  walk->stack[0].isLeft = false;
  walk->waiting = 1;
}

/* Returns the next node, or NULL after the last. */
static const obstacle_node *preorder_next(preorder *walk, const copse_obstacle *tree) {
  if (!walk->waiting) return NULL;
  walk->waiting--;
  const uint32_t nodeIndex = walk->stack[walk->waiting].node;
  walk->depth = walk->stack[walk->waiting].depth;
  walk->path[walk->depth] = walk->stack[walk->waiting];
  const obstacle_node *node = &tree->nodes[nodeIndex];
  if (node->left)
    for (int isLeft = 1; isLeft >= 0; isLeft--) {
      walk->stack[walk->waiting].node = isLeft ? node->left : nodeIndex + 1;
      walk->stack[walk->waiting].depth = walk->depth + 1;
      walk->stack[walk->waiting++].isLeft = isLeft;
    }
  return node;
}

/* Returns the start of a piece if `end` is 0, its end if `end` is 1. */
static vec piece_end(const copse_obstacle *tree, const obstacle_piece *piece, int end) {
  const obstacle_edge *edge = &tree->edges[piece->edge];
  const vec from = vec_of(edge->from), way = vec_to(from, vec_of(edge->to));
  const double fraction = (double)(end ? piece->to : piece->from);
  return (vec){from.x + way.x * fraction, from.y + way.y * fraction};
}

void copse_obstacle_bounds(const copse_obstacle *tree, float *bounds) {
  memcpy(bounds, tree->bounds, sizeof tree->bounds);
}

size_t copse_obstacle_cells(const copse_obstacle *tree, size_t skipped, float *out,
                            size_t capacity) {
  drawing rows = {out, skipped, capacity, 6, 0};
  preorder walk;
  preorder_start(&walk);
  for (const obstacle_node *node; (node = preorder_next(&walk, tree));) {
    if (node->left || node->begin == node->end) continue;
    float *cell = drawing_next(&rows);
    if (!cell) continue;
    vec lo = {INFINITY, INFINITY}, hi = {-INFINITY, -INFINITY};
    for (uint32_t i = node->begin; i < node->end; i++)
      for (int end = 0; end < 2; end++) {
        const vec point = piece_end(tree, &tree->pieces[i], end);
        lo = (vec){point.x < lo.x ? point.x : lo.x, point.y < lo.y ? point.y : lo.y};
        hi = (vec){point.x > hi.x ? point.x : hi.x, point.y > hi.y ? point.y : hi.y};
      }
    cell[0] = (float)lo.x;
    cell[1] = (float)lo.y;
    cell[2] = (float)hi.x;
    cell[3] = (float)hi.y;
    cell[4] = (float)walk.depth;
    cell[5] = (float)(node->end - node->begin);
  }
  return rows.floats;
}

/* Cuts the interval *lo … *hi to the numbers x for which value + step * x is not negative. */
static void cut(double value, double step, double *lo, double *hi) {
  if (step > 0 && -value / step > *lo) *lo = -value / step;
  if (step < 0 && -value / step < *hi) *hi = -value / step;
}

size_t copse_obstacle_lines(const copse_obstacle *tree, size_t skipped, float *out,
                            size_t capacity) {
  drawing rows = {out, skipped, capacity, 5, 0};
  preorder walk;
  preorder_start(&walk);
  for (const obstacle_node *node; (node = preorder_next(&walk, tree));) {
    if (!node->left) continue;
    float *line = drawing_next(&rows);
    if (!line) continue;
    const vec center = vec_of(tree->center), normal = vec_of(node->normal);
    const vec direction = {normal.y, -normal.x};
    const vec from = {normal.x * (double)node->offset, normal.y * (double)node->offset};
    double lo = -INFINITY, hi = INFINITY;
    cut(from.x + center.x - (double)tree->bounds[0], direction.x, &lo, &hi);
    cut(from.y + center.y - (double)tree->bounds[1], direction.y, &lo, &hi);
    cut((double)tree->bounds[2] - from.x - center.x, -direction.x, &lo, &hi);
    cut((double)tree->bounds[3] - from.y - center.y, -direction.y, &lo, &hi);
    for (uint32_t depth = 0; depth < walk.depth; depth++) {
      const obstacle_node *above = &tree->nodes[walk.path[depth].node];
      const double sign = walk.path[depth + 1].isLeft ? 1 : -1;
      const vec across = vec_of(above->normal);
      cut(sign * (vec_dot(across, from) - (double)above->offset), sign * vec_dot(across, direction),
          &lo, &hi);
    }
    if (!(lo <= hi)) lo = hi;
    line[0] = (float)(center.x + from.x + direction.x * lo);
    line[1] = (float)(center.y + from.y + direction.y * lo);
    line[2] = (float)(center.x + from.x + direction.x * hi);
    line[3] = (float)(center.y + from.y + direction.y * hi);
    line[4] = (float)walk.depth;
  }
  return rows.floats;
}

copse_obstacle_statistics copse_obstacle_stats(const copse_obstacle *tree) {
  copse_obstacle_statistics stats = {.edges = tree->edgeCount,
                                     .dropped = tree->dropped,
                                     .pieces = tree->pieceCount,
                                     .nodes = tree->nodeCount,
                                     .polygons = tree->polygonCount,
                                     .bytes = (size_t)(sizeof *tree + tree->memoryBytes)};
  preorder walk;
  preorder_start(&walk);
  for (const obstacle_node *node; (node = preorder_next(&walk, tree));) {
    if (walk.depth > stats.depth) stats.depth = walk.depth;
    if (node->left) continue;
    stats.leaves++;
    stats.unsplit += node->end - node->begin > tree->def.leafSize;
  }
  return stats;
}

/* ---- Validation --------------------------------------------------------------------------- */

/* True if every vertex in use is in exactly one closed loop. */
static bool loops_valid(const uint32_t *generations, const uint32_t *next, const uint32_t *polygons,
                        uint32_t capacity) {
  uint32_t inUse = 0, walked = 0;
  for (uint32_t id = 0; id < capacity; id++) {
    if (!(generations[id] & 1)) continue;
    inUse++;
    if (next[id] >= capacity || polygons[id] >= capacity) return false;
  }
  for (uint32_t id = 0; id < capacity; id++) {
    if (!(generations[id] & 1) || polygons[id] != id) continue;
    uint32_t vertex = id, length = 0;
    do {
      if (!(generations[vertex] & 1) || polygons[vertex] != id || length++ > inUse) return false;
      vertex = next[vertex];
    } while (vertex != id);
    if (length < 2) return false;
    walked += length;
  }
  return walked == inUse;
}

/* True if a piece is valid, and on the expected side of the dividing line of each node on the path
 * from the root. */
static bool piece_valid(const copse_obstacle *tree, const preorder *walk,
                        const obstacle_piece *piece) {
  if (piece->edge >= tree->def.capacity || !tree->kinds[piece->edge] ||
      !(0 <= piece->from && piece->from < piece->to && piece->to <= 1))
    return false;
  for (int end = 0; end < 2; end++) {
    const vec point = vec_to(vec_of(tree->center), piece_end(tree, piece, end));
    for (uint32_t depth = 0; depth < walk->depth; depth++) {
      const obstacle_node *above = &tree->nodes[walk->path[depth].node];
      const double side = vec_dot(vec_of(above->normal), point) - (double)above->offset;
      const double reach = 2 * (double)tree->tolerance;
      if (walk->path[depth + 1].isLeft ? side < -reach : side > reach) return false;
    }
  }
  return true;
}

/* True if all pieces belong to edges of the tree, and the pieces of each edge cover it from 0 to 1,
 * without overlap. */
static bool pieces_valid(const copse_obstacle *tree) {
  float *reached = tree->work[0].ends[0]; /* by edge: the fraction up to which pieces cover the edge
                                           * so far */
  uint32_t taken = 0, before, edges = 0;
  memset(reached, 0, tree->def.capacity * sizeof *reached);
  do {
    before = taken;
    for (uint32_t i = 0; i < tree->pieceCount; i++) {
      const obstacle_piece *piece = &tree->pieces[i];
      if (piece->from != reached[piece->edge]) continue;
      reached[piece->edge] = piece->to;
      taken++;
    }
  } while (taken != before);
  for (uint32_t id = 0; id < tree->def.capacity; id++) {
    if (tree->kinds[id] && reached[id] != 1) return false;
    edges += tree->kinds[id] != 0;
  }
  return taken == tree->pieceCount && edges == tree->edgeCount;
}

bool copse_obstacle_validate(const copse_obstacle *tree) {
  if (!loops_valid(tree->slots.generations, tree->next, tree->polygons, tree->def.capacity) ||
      tree->pieceCount > tree->def.pieces)
    return false;
  uint32_t pieces = 0, nodes = 0;
  preorder walk;
  preorder_start(&walk);
  for (const obstacle_node *node; (node = preorder_next(&walk, tree)); nodes++) {
    if (node != &tree->nodes[nodes] || walk.depth > COPSE_MAX_DEPTH || node->begin != pieces ||
        (node->left && node->end != tree->nodes[node->left].end) ||
        (!node->left && (node->end < node->begin || node->end > tree->pieceCount)))
      return false;
    if (node->left) continue;
    for (; pieces < node->end; pieces++)
      if (!piece_valid(tree, &walk, &tree->pieces[pieces])) return false;
  }
  return nodes == tree->nodeCount && pieces == tree->pieceCount && pieces_valid(tree);
}

/* ---- Snapshots ---------------------------------------------------------------------------- */

/* The head of a snapshot. It is followed by six words per slot: generation, next vertex, polygon,
 * solid side (at the first vertex of a polygon, else 0), x, y. */
typedef struct obstacle_snapshot {
  snapshot_header header;
  uint32_t leafSize;
  uint32_t slots; /* 1 + the highest slot that was ever in use; 0: none was */
} obstacle_snapshot;
_Static_assert(sizeof(obstacle_snapshot) <= SNAPSHOT_HEAD, "the head of a snapshot");

enum { SNAPSHOT_WORDS = 6 };

static obstacle_snapshot snapshot_head(const copse_obstacle *tree) {
  obstacle_snapshot head = {.leafSize = tree->def.leafSize, .slots = tree->slots.ever};
  return head;
}

static uint64_t snapshot_bytes(const obstacle_snapshot *head) {
  return sizeof *head + (uint64_t)4 * SNAPSHOT_WORDS * head->slots;
}

static bool solid_ok(int32_t solid, bool isPolygon) {
  return isPolygon ? SOLID_OUTSIDE <= solid && solid <= SOLID_NOWHERE : !solid;
}

static bool vertex_ok(const float *vertices, uint32_t id) {
  return is_coordinate(vertices[(size_t)2 * id]) && is_coordinate(vertices[(size_t)2 * id + 1]);
}

copse_status copse_obstacle_save(const copse_obstacle *tree, void *bytes, size_t capacity,
                                 size_t *total, uint32_t *firstBad) {
  obstacle_snapshot head = snapshot_head(tree);
  const uint64_t size = snapshot_bytes(&head);
  snapshot_put_head(bytes, capacity, &head, sizeof head);
  *total = size_of(size);
  for (uint32_t id = 0; id < head.slots; id++)
    if (slots_in_use(&tree->slots, id) && !vertex_ok(tree->vertices, id)) {
      if (firstBad) *firstBad = id;
      return COPSE_NOT_FINITE;
    }
  if (size > capacity) return COPSE_FULL;
  uint32_t *words = (uint32_t *)((char *)bytes + sizeof head);
  for (uint32_t id = 0; id < head.slots; id++, words += SNAPSHOT_WORDS) {
    memset(words, 0, SNAPSHOT_WORDS * sizeof *words);
    words[0] = tree->slots.generations[id];
    if (!slots_in_use(&tree->slots, id)) continue;
    words[1] = tree->next[id];
    words[2] = tree->polygons[id];
    words[3] = (uint32_t)tree->solid[id];
    memcpy(words + 4, tree->vertices + (size_t)2 * id, 2 * sizeof *words);
  }
  snapshot_seal(bytes, size, SNAPSHOT_OBSTACLE);
  return COPSE_OK;
}

copse_status copse_obstacle_restore(copse_obstacle *tree, const void *bytes, size_t size,
                                    uint32_t *needed) {
  obstacle_snapshot head;
  const copse_status status = snapshot_open(bytes, size, SNAPSHOT_OBSTACLE, &head, sizeof head);
  if (status != COPSE_OK) return status;
  if (head.leafSize != tree->def.leafSize || size != snapshot_bytes(&head))
    return COPSE_BAD_SNAPSHOT;
  if (needed) *needed = head.slots;
  if (head.slots > tree->def.capacity) return COPSE_FULL;

  /* First checks the whole snapshot, using scratch arrays of the build, and only then changes the
   * tree: a bad snapshot must leave the tree unchanged. */
  const uint32_t *words = (const uint32_t *)((const char *)bytes + sizeof head);
  uint32_t *generations = (uint32_t *)tree->work[0].ends[0];
  uint32_t *next = (uint32_t *)tree->work[0].ends[1];
  uint32_t *polygons = (uint32_t *)tree->work[0].ends[2];
  uint32_t count = 0;
  for (uint32_t id = 0; id < head.slots; id++, words += SNAPSHOT_WORDS) {
    float vertex[2];
    generations[id] = words[0];
    next[id] = words[1];
    polygons[id] = words[2];
    memcpy(vertex, words + 4, sizeof vertex);
    const bool isPolygon = (words[0] & 1) && polygons[id] == id;
    if (!solid_ok((int32_t)words[3], isPolygon) || !vertex_ok(vertex, 0)) return COPSE_BAD_SNAPSHOT;
    count += isPolygon;
  }
  if (!loops_valid(generations, next, polygons, head.slots)) return COPSE_BAD_SNAPSHOT;
  memset(tree->slots.generations, 0, tree->def.capacity * sizeof *generations);
  memcpy(tree->slots.generations, generations, head.slots * sizeof *generations);
  memcpy(tree->next, next, head.slots * sizeof *next);
  memcpy(tree->polygons, polygons, head.slots * sizeof *polygons);
  words -= (size_t)SNAPSHOT_WORDS * head.slots;
  for (uint32_t id = 0; id < head.slots; id++, words += SNAPSHOT_WORDS) {
    float *vertex = tree->vertices + (size_t)2 * id;
    tree->solid[id] = (int32_t)words[3];
    memcpy(vertex, words + 4, 2 * sizeof *vertex);
    for (int axis = 0; axis < 2; axis++) vertex[axis] += 0.0f; /* -0 becomes 0 */
  }
  slots_recount(&tree->slots);
  tree->polygonCount = count;
  return copse_obstacle_build(tree, NULL);
}
