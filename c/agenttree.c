/* The agent tree: its memory, the caller's buffers, debug and snapshots. Building and querying
 * have files of their own; agenttree.h says what the tree is. */

#include "agenttree.h"

#include "geom.h"

#include <string.h>

enum { DEFAULT_LEAF_SIZE = 64 };

/* ---- Memory ------------------------------------------------------------------------------ */

/* Points the tree's arrays into a block, or measures that block. */
static uint64_t carve(copse_agenttree *tree, void *block) {
  arena all = arena_over(block);
  agents_carve(&tree->agents, &all);
  const uint64_t nodes = agenttree_node_budget(tree->agents.capacity, tree->leafSize);
  tree->nodes = arena_carve(&all, nodes, sizeof(node));
  tree->bounds =
      arena_carve(&all, nodes * 2 * tree->agents.dimensions + BOX_PADDING, sizeof(float));
  return arena_block_bytes(all.used);
}

/* Takes a zeroed block for the arrays; on failure the tree is as it was. */
static copse_status take_block(copse_agenttree *tree) {
  copse_agenttree measured = *tree;
  uint64_t bytes = carve(&measured, NULL);
  void *block = memory_take(&tree->allocator, bytes);
  if (!block) return COPSE_OUT_OF_MEMORY;
  memset(block, 0, (size_t)bytes);
  tree->block = block;
  tree->blockBytes = bytes;
  carve(tree, block);
  return COPSE_OK;
}

/* A tree that has no memory yet. */
static copse_agenttree bare(const copse_agenttree_def *def) {
  return (copse_agenttree){.agents = {.dimensions = def->dimensions,
                                      .capacity = def->capacity,
                                      .layout = def->layout,
                                      .onNonFinite = def->onNonFinite},
                           .leafSize = def->leafSize,
                           .axis = def->axis,
                           .split = def->split,
                           .allocator = def->allocator};
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
  copse_agenttree measured = bare(def);
  if (!is_ok(&measured)) return 0;
  uint64_t bytes = sizeof measured + carve(&measured, NULL);
  return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

copse_status copse_agenttree_create(const copse_agenttree_def *def, copse_agenttree **tree) {
  *tree = NULL;
  const copse_agenttree asked = bare(def);
  if (!is_ok(&asked)) return COPSE_INVALID_ARGUMENT;
  copse_agenttree *made = memory_take(&def->allocator, sizeof *made);
  if (!made) return COPSE_OUT_OF_MEMORY;
  *made = asked;
  copse_status status = take_block(made);
  if (status != COPSE_OK) {
    memory_give(&def->allocator, made, sizeof *made);
    return status;
  }
  agents_begin(&made->agents);
  *tree = made;
  return COPSE_OK;
}

void copse_agenttree_destroy(copse_agenttree *tree) {
  if (!tree) return;
  copse_allocator allocator = tree->allocator;
  memory_give(&allocator, tree->block, tree->blockBytes);
  memory_give(&allocator, tree, sizeof *tree);
}

copse_status copse_agenttree_reserve(copse_agenttree *tree, uint32_t capacity) {
  if (capacity > COPSE_MAX_CAPACITY) return COPSE_INVALID_ARGUMENT;
  if (capacity <= tree->agents.capacity) return COPSE_OK;
  copse_agenttree larger = *tree;
  larger.agents.capacity = capacity;
  copse_status status = take_block(&larger);
  if (status != COPSE_OK) return status;
  agents_move(&larger.agents, &tree->agents);
  memcpy(larger.nodes, tree->nodes, tree->nodeCount * sizeof(node));
  memcpy(larger.bounds, tree->bounds,
         (size_t)2 * tree->agents.dimensions * tree->nodeCount * sizeof(float));
  memory_give(&tree->allocator, tree->block, tree->blockBytes);
  *tree = larger;
  return COPSE_OK;
}

/* ---- The caller's side ------------------------------------------------------------------- */

uint32_t copse_agenttree_capacity(const copse_agenttree *tree) { return tree->agents.capacity; }
uint32_t copse_agenttree_dimensions(const copse_agenttree *tree) { return tree->agents.dimensions; }
uint32_t copse_agenttree_count(const copse_agenttree *tree) { return tree->agents.count; }
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

size_t copse_agenttree_cells(const copse_agenttree *tree, float *out, size_t capacity) {
  const size_t sides = 2 * (size_t)tree->agents.dimensions, width = sides + 2;
  depth_walk walk = {.depth = 0};
  for (uint32_t i = 0; i < tree->nodeCount && (i + 1) * width <= capacity; i++) {
    const node *at = &tree->nodes[i];
    memcpy(out + i * width, tree->bounds + i * sides, sides * sizeof(float));
    out[i * width + sides] = (float)walk.depth;
    out[i * width + sides + 1] = (float)(at->end - at->begin);
    depth_walk_on(&walk, at);
  }
  return tree->nodeCount * width;
}

copse_agenttree_statistics copse_agenttree_stats(const copse_agenttree *tree) {
  copse_agenttree_statistics stats = {.agents = tree->agents.present,
                                      .skipped = tree->agents.skipped,
                                      .nodes = tree->nodeCount,
                                      .bytes = sizeof *tree + (size_t)tree->blockBytes};
  depth_walk walk = {.depth = 0};
  for (uint32_t i = 0; i < tree->nodeCount; i++) {
    if (walk.depth > stats.depth) stats.depth = walk.depth;
    stats.leaves += !tree->nodes[i].right;
    depth_walk_on(&walk, &tree->nodes[i]);
  }
  return stats;
}

uint32_t copse_agenttree_order(const copse_agenttree *tree, uint32_t *order, uint32_t capacity) {
  return agents_order(&tree->agents, order, capacity);
}

/* What must hold for one node, given that it is reached in preorder. */
static bool node_ok(const copse_agenttree *tree, uint32_t index) {
  const int dim = (int)tree->agents.dimensions;
  const node *at = &tree->nodes[index];
  const float *box = tree->bounds + (size_t)index * 2 * (size_t)dim;
  if (at->begin >= at->end || at->end > tree->agents.present) return false;
  float tight[6];
  agenttree_bounds(tree, at->begin, at->end, tight);
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

/* ---- Snapshot ---------------------------------------------------------------------------- */

static agents_options options_of(const copse_agenttree *tree) {
  return (agents_options){SNAPSHOT_AGENTTREE,
                          {tree->leafSize, (uint32_t)tree->axis, (uint32_t)tree->split}};
}

copse_status copse_agenttree_save(const copse_agenttree *tree, void *bytes, size_t capacity,
                                  size_t *total, uint32_t *firstBad) {
  const agents_options options = options_of(tree);
  return agents_save(&tree->agents, &options, bytes, capacity, total, firstBad);
}

copse_status copse_agenttree_restore(copse_agenttree *tree, const void *bytes, size_t size) {
  const agents_options options = options_of(tree);
  agents_state state;
  copse_status status = agents_restore(&tree->agents, &options, bytes, size, &state);
  if (status != COPSE_OK) return status;
  agenttree_build(tree, &state.built, &state.found);
  tree->agents.skipped = state.skipped;
  return COPSE_OK;
}
