/* The agent tree: its memory, the caller's buffers, debug and snapshots. Building and querying
 * have files of their own; agenttree.h says what the tree is. */

#include "agenttree.h"

#include "geom.h"

#include <string.h>

enum { DEFAULT_LEAF_SIZE = 64 };

/* ---- Memory ------------------------------------------------------------------------------ */

static void carve(void *index, arena *block) {
  copse_agenttree *tree = index;
  const uint64_t nodes = agenttree_node_budget(tree->agents.capacity, tree->leafSize);
  tree->nodes = arena_carve(block, nodes, sizeof(node));
  tree->bounds =
      arena_carve(block, nodes * 2 * tree->agents.dimensions + BOX_PADDING, sizeof(float));
}

static void keep(void *larger, const void *index) {
  const copse_agenttree *to = larger, *from = index;
  memcpy(to->nodes, from->nodes, from->nodeCount * sizeof(node));
  memcpy(to->bounds, from->bounds,
         (size_t)2 * from->agents.dimensions * from->nodeCount * sizeof(float));
}

static void options(const void *index, uint32_t words[INDEX_OPTIONS]) {
  const copse_agenttree *tree = index;
  words[0] = tree->leafSize;
  words[1] = (uint32_t)tree->axis;
  words[2] = (uint32_t)tree->split;
}

static const index_type AGENTTREE = {
    .kind = SNAPSHOT_AGENTTREE,
    .bytes = sizeof(copse_agenttree),
    .carve = carve,
    .keep = keep,
    .build = agenttree_build,
    .options = options,
    .collect = agenttree_collect,
    .nearest = agenttree_nearest,
    .neighbors = agenttree_neighbors,
    .reach2 = agenttree_reach2,
};
_Static_assert(sizeof(copse_agenttree) <= INDEX_BYTES, "see any_index");

/* A tree that has no memory yet. */
static copse_agenttree bare(const copse_agenttree_def *def) {
  return (copse_agenttree){.agents = {.type = &AGENTTREE,
                                      .dimensions = def->dimensions,
                                      .capacity = def->capacity,
                                      .layout = def->layout,
                                      .onNonFinite = def->onNonFinite,
                                      .allocator = def->allocator},
                           .leafSize = def->leafSize,
                           .axis = def->axis,
                           .split = def->split};
}

static bool is_ok(const copse_agenttree *tree) {
  return agents_ok(&tree->agents) && tree->leafSize >= 1 &&
         (tree->axis == COPSE_AXIS_LONGEST || tree->axis == COPSE_AXIS_CYCLE) &&
         (tree->split == COPSE_SPLIT_MIDPOINT || tree->split == COPSE_SPLIT_MEDIAN);
}

copse_agenttree_def copse_agenttree_default(void) {
  return (copse_agenttree_def){.dimensions = 2, .capacity = 1000, .leafSize = DEFAULT_LEAF_SIZE};
}

size_t copse_agenttree_bytes(const copse_agenttree_def *def) {
  const copse_agenttree asked = bare(def);
  return is_ok(&asked) ? agents_bytes(&asked.agents) : 0;
}

copse_status copse_agenttree_create(const copse_agenttree_def *def, copse_agenttree **tree) {
  const copse_agenttree asked = bare(def);
  copse_status status = COPSE_INVALID_ARGUMENT;
  *tree = is_ok(&asked) ? agents_create(&asked.agents, &status) : NULL;
  return status;
}

void copse_agenttree_destroy(copse_agenttree *tree) { agents_destroy((agents *)tree); }

copse_status copse_agenttree_reserve(copse_agenttree *tree, uint32_t capacity) {
  return agents_reserve(&tree->agents, capacity);
}

/* ---- The caller's side ------------------------------------------------------------------- */

uint32_t copse_agenttree_capacity(const copse_agenttree *tree) { return tree->agents.capacity; }
uint32_t copse_agenttree_dimensions(const copse_agenttree *tree) { return tree->agents.dimensions; }
uint32_t copse_agenttree_count(const copse_agenttree *tree) { return tree->agents.count; }
uint32_t copse_agenttree_built(const copse_agenttree *tree) { return tree->agents.builtCount; }
copse_status copse_agenttree_set_count(copse_agenttree *tree, uint32_t count) {
  return agents_set_count(&tree->agents, count);
}
copse_positions copse_agenttree_positions(copse_agenttree *tree) {
  return agents_positions(&tree->agents);
}
uint32_t *copse_agenttree_groups(copse_agenttree *tree) { return tree->agents.groups; }

/* ---- Debug ------------------------------------------------------------------------------- */

/* Walks the nodes in preorder and knows their depths. */
typedef struct depth_walk {
  uint32_t rightDepths[COPSE_MAX_DEPTH]; /* of right children still to come */
  uint32_t waiting;
  uint32_t depth; /* of the current node */
} depth_walk;

static void depth_walk_on(depth_walk *walk, const node *current) {
  if (current->right)
    walk->rightDepths[walk->waiting++] = ++walk->depth;
  else if (walk->waiting)
    walk->depth = walk->rightDepths[--walk->waiting];
}

size_t copse_agenttree_cells(const copse_agenttree *tree, size_t skipped, float *out,
                             size_t capacity) {
  const size_t sides = 2 * (size_t)tree->agents.dimensions;
  drawing drawn = {out, skipped, capacity, sides + 2, 0};
  depth_walk walk = {.depth = 0};
  for (size_t i = 0; i < tree->nodeCount; i++) {
    const node *at = &tree->nodes[i];
    float *cell = drawing_next(&drawn);
    if (cell) {
      memcpy(cell, tree->bounds + i * sides, sides * sizeof(float));
      cell[sides] = (float)walk.depth;
      cell[sides + 1] = (float)(at->end - at->begin);
    }
    depth_walk_on(&walk, at);
  }
  return drawn.floats;
}

copse_agenttree_statistics copse_agenttree_stats(const copse_agenttree *tree) {
  copse_agenttree_statistics stats = {.agents = tree->agents.present,
                                      .skipped = tree->agents.skipped,
                                      .nodes = tree->nodeCount,
                                      .bytes = sizeof *tree + (size_t)tree->agents.blockBytes};
  depth_walk walk = {.depth = 0};
  for (uint32_t i = 0; i < tree->nodeCount; i++) {
    if (walk.depth > stats.depth) stats.depth = walk.depth;
    stats.leaves += !tree->nodes[i].right;
    depth_walk_on(&walk, &tree->nodes[i]);
  }
  return stats;
}

const uint32_t *copse_agenttree_order(const copse_agenttree *tree, uint32_t *count) {
  return agents_order(&tree->agents, count);
}

/* What must hold for one node, given that it is reached in preorder. */
static bool node_ok(const copse_agenttree *tree, uint32_t index) {
  const int dim = (int)tree->agents.dimensions;
  const node *at = &tree->nodes[index];
  const float *box = tree->bounds + (size_t)index * 2 * (size_t)dim;
  if (at->begin >= at->end || at->end > tree->agents.present) return false;
  float tight[6];
  agents_bounds(&tree->agents, at->begin, at->end, tight);
  if (memcmp(tight, box, 2 * (size_t)dim * sizeof(float)) != 0) return false;
  if (!at->right) {
    bool coincident = memcmp(box, box + dim, (size_t)dim * sizeof(float)) == 0;
    return ids_ascend(tree->agents.points.ids, at->begin, at->end) &&
           (at->end - at->begin <= tree->leafSize || coincident);
  }
  if (at->right <= index + 1 || at->right >= tree->nodeCount) return false;
  const node *left = at + 1, *right = &tree->nodes[at->right];
  const uint32_t axis = at->axis;
  if (axis >= (uint32_t)dim ||
      at->leftMost != agenttree_box(tree, index + 1, dim)[(uint32_t)dim + axis] ||
      at->rightLeast != agenttree_box(tree, at->right, dim)[axis])
    return false;
  return left->begin == at->begin && left->end == right->begin && right->end == at->end &&
         at->anyGroups == (left->anyGroups | right->anyGroups) &&
         at->allGroups == (left->allGroups & right->allGroups);
}

bool copse_agenttree_validate(const copse_agenttree *tree) {
  const uint32_t present = tree->agents.present;
  if (!agents_valid(&tree->agents)) return false;
  if (tree->nodeCount > agenttree_node_budget(present, tree->leafSize)) return false;
  if (!present) return tree->nodeCount == 0;
  if (tree->nodes[0].begin != 0 || tree->nodes[0].end != present) return false;

  depth_walk walk = {.depth = 0};
  uint32_t leafEnd = 0;
  for (uint32_t i = 0; i < tree->nodeCount; i++) {
    const node *at = &tree->nodes[i];
    if (walk.depth >= COPSE_MAX_DEPTH - 1 || !node_ok(tree, i)) return false;
    if (!at->right) {
      if (at->begin != leafEnd) return false; /* leaves tile the agents */
      leafEnd = at->end;
    }
    depth_walk_on(&walk, at);
  }
  return leafEnd == tree->agents.present;
}

/* ---- Queries ----------------------------------------------------------------------------- */

copse_status copse_agenttree_within(const copse_agenttree *tree, const float *center, float radius,
                                    const copse_query *query, copse_results *results) {
  return agents_within(&tree->agents, center, radius, query, results);
}
copse_status copse_agenttree_range(const copse_agenttree *tree, const float *lo, const float *hi,
                                   const copse_query *query, copse_results *results) {
  return agents_range(&tree->agents, lo, hi, query, results);
}
copse_status copse_agenttree_cone(const copse_agenttree *tree, const float *center,
                                  const float *direction, float halfAngle, float radius,
                                  const copse_query *query, copse_results *results) {
  return agents_cone(&tree->agents, center, direction, halfAngle, radius, query, results);
}
copse_status copse_agenttree_count_within(const copse_agenttree *tree, const float *center,
                                          float radius, const copse_query *query, uint32_t *total,
                                          uint32_t *visits) {
  return agents_count_within(&tree->agents, agenttree_count, center, radius, query, total, visits);
}
copse_status copse_agenttree_any_within(const copse_agenttree *tree, const float *center,
                                        float radius, const copse_query *query, bool *any,
                                        uint32_t *visits) {
  return agents_any_within(&tree->agents, agenttree_count, center, radius, query, any, visits);
}
copse_status copse_agenttree_nearest(const copse_agenttree *tree, const float *center,
                                     const copse_query *query, uint32_t *id, float *distance2,
                                     uint32_t *visits) {
  return agents_nearest(&tree->agents, center, query, id, distance2, visits);
}
copse_status copse_agenttree_neighbors(const copse_agenttree *tree, const float *center, uint32_t k,
                                       const copse_query *query, copse_results *results) {
  return agents_neighbors(&tree->agents, center, k, query, results);
}
copse_status copse_agenttree_raycast(const copse_agenttree *tree, const float *from,
                                     const float *to, float radius, const float *radii,
                                     const copse_query *query, copse_hit *hit, uint32_t *visits) {
  return agents_raycast(&tree->agents, agenttree_cast, from, to, radius, radii, query, hit, visits);
}
copse_status copse_agenttree_raycast_many(const copse_agenttree *tree, const float *segments,
                                          uint32_t n, float radius, const float *radii,
                                          const copse_query *query, uint32_t *ids,
                                          float *fractions) {
  return agents_raycast_many(&tree->agents, agenttree_cast, segments, n, radius, radii, query, ids,
                             fractions);
}

/* ---- Snapshot ---------------------------------------------------------------------------- */

copse_status copse_agenttree_save(const copse_agenttree *tree, void *bytes, size_t capacity,
                                  size_t *total, uint32_t *firstBad) {
  return agents_save(&tree->agents, bytes, capacity, total, firstBad);
}

copse_status copse_agenttree_restorable(const copse_agenttree *tree, const void *bytes,
                                        size_t size) {
  return agents_restorable(&tree->agents, bytes, size);
}
copse_status copse_agenttree_restore(copse_agenttree *tree, const void *bytes, size_t size) {
  return agents_restore(&tree->agents, bytes, size);
}
