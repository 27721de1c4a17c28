/* The agent tree: memory, cells to draw, statistics, validation and the table of functions.
 * agenttree.h describes the tree. */

#include "agenttree.h"

#include "../base/geom.h"

#include <string.h>

enum { DEFAULT_LEAF_SIZE = 64 };

/* ---- Memory ------------------------------------------------------------------------------ */

static void carve(void *index, arena *block) {
  struct agenttree *tree = index;
  uint64_t nodes = agenttree_node_budget(tree->points.capacity, tree->leafSize);
  if (tasks_divide(&tree->points.tasks, tree->points.capacity, AGENTTREE_DIVIDED))
    nodes += UINT64_C(2) * AGENTTREE_TOP;
  for (uint32_t axis = 0; axis < tree->points.dimensions; axis++)
    tree->spare.axes[axis] =
        arena_carve(block, (uint64_t)tree->points.capacity + SCAN_PADDING, sizeof(float));
  tree->spare.ids = tree->points.ordered.groups;
  tree->nodes = arena_carve(block, nodes, sizeof(agenttree_node));
  tree->bounds =
      arena_carve(block, nodes * 2 * tree->points.dimensions + BOX_PADDING, sizeof(float));
}

static void keep(void *larger, const void *index) {
  const struct agenttree *target = larger, *tree = index;
  memcpy(target->nodes, tree->nodes, tree->nodeCount * sizeof(agenttree_node));
  memcpy(target->bounds, tree->bounds,
         (size_t)2 * tree->points.dimensions * tree->nodeCount * sizeof(float));
}

static void options(const void *index, uint32_t words[POINTS_OPTIONS]) {
  const struct agenttree *tree = index;
  words[0] = tree->leafSize;
  words[1] = (uint32_t)tree->axis;
  words[2] = (uint32_t)tree->split;
}

/* ---- Cells to draw, statistics, validation ----------------------------------------------- */

/* A walk over the nodes in preorder. Keeps track of the depth of the current node, because nodes do
 * not store their depth. */
typedef struct depth_walk {
  /* A stack of the depths of right children that are not reached yet. */
  uint32_t rightDepths[COPSE_MAX_DEPTH];
  uint32_t waiting;
  uint32_t depth;
} depth_walk;

static void depth_walk_on(depth_walk *walk, const agenttree_node *current) {
  if (current->right)
    walk->rightDepths[walk->waiting++] = ++walk->depth;
  else if (walk->waiting)
    walk->depth = walk->rightDepths[--walk->waiting];
}

static void cells(const void *index, drawing *drawn) {
  const struct agenttree *tree = index;
  const size_t sides = 2 * (size_t)tree->points.dimensions;
  depth_walk walk = {.depth = 0};
  for (size_t i = 0; i < tree->nodeCount; i++) {
    const agenttree_node *node = &tree->nodes[i];
    float *cell = drawing_next(drawn);
    if (cell) {
      memcpy(cell, tree->bounds + i * sides, sides * sizeof(float));
      cell[sides] = (float)walk.depth;
      cell[sides + 1] = (float)(node->end - node->begin);
    }
    depth_walk_on(&walk, node);
  }
}

static void stats(const void *index, copse_points_statistics *stats) {
  const struct agenttree *tree = index;
  depth_walk walk = {.depth = 0};
  stats->nodes = tree->nodeCount;
  for (uint32_t i = 0; i < tree->nodeCount; i++) {
    if (walk.depth > stats->depth) stats->depth = walk.depth;
    stats->leaves += !tree->nodes[i].right;
    depth_walk_on(&walk, &tree->nodes[i]);
  }
}

/* True if a node has the bounds of its agents, and if its groups and its split agree with those of
 * its children. */
static bool node_ok(const struct agenttree *tree, uint32_t index) {
  const int dim = (int)tree->points.dimensions;
  const agenttree_node *node = &tree->nodes[index];
  const float *box = tree->bounds + (size_t)index * 2 * (size_t)dim;
  if (node->begin >= node->end || node->end > tree->points.present) return false;
  float tight[6];
  points_bounds(&tree->points, node->begin, node->end, tight);
  if (memcmp(tight, box, 2 * (size_t)dim * sizeof(float)) != 0) return false;
  if (!node->right) {
    bool coincident = memcmp(box, box + dim, (size_t)dim * sizeof(float)) == 0;
    return ids_ascend(tree->points.ordered.ids, node->begin, node->end) &&
           (node->end - node->begin <= tree->leafSize || coincident);
  }
  if (node->right <= index + 1 || node->right >= tree->nodeCount) return false;
  const agenttree_node *left = node + 1, *right = &tree->nodes[node->right];
  const uint32_t axis = node->axis;
  if (axis >= (uint32_t)dim ||
      node->leftMost != agenttree_box(tree, index + 1, dim)[(uint32_t)dim + axis] ||
      node->rightLeast != agenttree_box(tree, node->right, dim)[axis])
    return false;
  return left->begin == node->begin && left->end == right->begin && right->end == node->end &&
         node->anyGroups == (left->anyGroups | right->anyGroups) &&
         node->allGroups == (left->allGroups & right->allGroups);
}

static bool validate(const void *index) {
  const struct agenttree *tree = index;
  const uint32_t present = tree->points.present;
  if (tree->nodeCount > agenttree_node_budget(present, tree->leafSize)) return false;
  if (!present) return tree->nodeCount == 0;
  if (tree->nodes[0].begin != 0 || tree->nodes[0].end != present) return false;

  depth_walk walk = {.depth = 0};
  uint32_t leafEnd = 0;
  for (uint32_t i = 0; i < tree->nodeCount; i++) {
    const agenttree_node *node = &tree->nodes[i];
    if (walk.depth >= COPSE_MAX_DEPTH - 1 || !node_ok(tree, i)) return false;
    if (!node->right) {
      if (node->begin != leafEnd) return false; /* each leaf begins where the last one ended */
      leafEnd = node->end;
    }
    depth_walk_on(&walk, node);
  }
  return leafEnd == tree->points.present;
}

/* ---- Creation ---------------------------------------------------------------------------- */

/* The fields of a table of functions that AGENTTREE and AGENTTREE_OF_CROWD have in common. */
#define AGENTTREE_CORE                                                                             \
  .kind = SNAPSHOT_AGENTTREE, .bytes = sizeof(struct agenttree), .carve = carve, .keep = keep,     \
  .build = agenttree_build, .options = options, .neighbors = agenttree_neighbors,                  \
  .reach2 = agenttree_reach2

static const points_type AGENTTREE = {
    AGENTTREE_CORE,
    .collect = agenttree_collect,
    .nearest = agenttree_nearest,
    .count = agenttree_count,
    .cast = agenttree_cast,
    .allWithin = agenttree_all_within,
    .allNeighbors = agenttree_all_neighbors,
    .pairs = agenttree_pairs,
    .cells = cells,
    .stats = stats,
    .validate = validate,
};
const points_type AGENTTREE_OF_CROWD = {AGENTTREE_CORE, .hasNoAgents = true,
                                        .collect = agenttree_collect_circle};
_Static_assert(sizeof(struct agenttree) <= POINTS_BYTES, "see any_points");

/* Returns a tree with the given options. Its arrays have no memory yet. */
static struct agenttree bare(const copse_agenttree_def *def, const points_type *type) {
  return (struct agenttree){.points = POINTS_OF(def, type),
                            .leafSize = def->leafSize,
                            .axis = def->axis,
                            .split = def->split};
}

static bool is_ok(const struct agenttree *tree) {
  return points_ok(&tree->points) && tree->leafSize >= 1 &&
         (tree->axis == COPSE_AXIS_LONGEST || tree->axis == COPSE_AXIS_CYCLE) &&
         (tree->split == COPSE_SPLIT_MIDPOINT || tree->split == COPSE_SPLIT_MEDIAN);
}

size_t agenttree_bytes(const copse_agenttree_def *def, const points_type *type) {
  const struct agenttree tree = bare(def, type);
  return is_ok(&tree) ? points_bytes(&tree.points) : 0;
}

copse_status agenttree_make(const copse_agenttree_def *def, const points_type *type,
                            copse_points **points) {
  const struct agenttree tree = bare(def, type);
  *points = NULL;
  return is_ok(&tree) ? points_create(&tree.points, points) : COPSE_INVALID_ARGUMENT;
}

copse_agenttree_def copse_agenttree_default(void) {
  return (copse_agenttree_def){.dimensions = 2, .capacity = 1000, .leafSize = DEFAULT_LEAF_SIZE};
}

size_t copse_agenttree_bytes(const copse_agenttree_def *def) {
  return agenttree_bytes(def, &AGENTTREE);
}

copse_status copse_agenttree_create(const copse_agenttree_def *def, copse_points **points) {
  return agenttree_make(def, &AGENTTREE, points);
}
