/* The agent tree: its memory, the caller's buffers, debug and snapshots. Building and querying
 * have files of their own; agenttree.h says what the tree is. */

#include "agenttree.h"

#include "geom.h"
#include "snapshot.h"

#include <string.h>

enum { DEFAULT_LEAF_SIZE = 64 };

/* ---- Memory ------------------------------------------------------------------------------ */

/* Points the tree's arrays into a block, or measures that block. */
static uint64_t carve(copse_agenttree *tree, void *block) {
  arena all = arena_over(block);
  const uint64_t capacity = tree->def.capacity, dim = tree->def.dimensions;
  const uint64_t padded = capacity + SCAN_PADDING;
  tree->positions = arena_carve(&all, capacity * dim, sizeof(float));
  tree->groups = arena_carve(&all, capacity, sizeof(uint32_t));
  for (uint64_t axis = 0; axis < dim; axis++)
    tree->points.axes[axis] = arena_carve(&all, padded, sizeof(float));
  tree->points.ids = arena_carve(&all, padded, sizeof(uint32_t));
  tree->points.groups = arena_carve(&all, padded, sizeof(uint32_t));
  uint64_t nodes = agenttree_node_budget(capacity, tree->def.leafSize);
  tree->nodes = arena_carve(&all, nodes, sizeof(node));
  tree->bounds = arena_carve(&all, nodes * 2 * dim + BOX_PADDING, sizeof(float));
  return arena_block_bytes(all.used);
}

/* Takes a zeroed block for the arrays; on failure the tree is as it was. */
static copse_status take_block(copse_agenttree *tree) {
  copse_agenttree measured = *tree;
  uint64_t bytes = carve(&measured, NULL);
  void *block = memory_take(&tree->def.allocator, bytes);
  if (!block) return COPSE_OUT_OF_MEMORY;
  memset(block, 0, (size_t)bytes);
  tree->block = block;
  tree->blockBytes = bytes;
  carve(tree, block);
  for (uint32_t slot = 0; slot < tree->def.capacity; slot++) tree->groups[slot] = 1;
  return COPSE_OK;
}

static bool def_ok(const copse_agenttree_def *def) {
  return (def->dimensions == 2 || def->dimensions == 3) && def->capacity >= 1 &&
         def->capacity <= COPSE_MAX_CAPACITY && def->leafSize >= 1 &&
         (def->axis == COPSE_AXIS_LONGEST || def->axis == COPSE_AXIS_CYCLE) &&
         (def->split == COPSE_SPLIT_MIDPOINT || def->split == COPSE_SPLIT_MEDIAN) &&
         (def->layout == COPSE_LAYOUT_INTERLEAVED || def->layout == COPSE_LAYOUT_SEPARATE) &&
         (def->onNonFinite == COPSE_NON_FINITE_ERROR || def->onNonFinite == COPSE_NON_FINITE_SKIP);
}

copse_agenttree_def copse_agenttree_default(void) {
  return (copse_agenttree_def){.dimensions = 2, .capacity = 1000, .leafSize = DEFAULT_LEAF_SIZE};
}

size_t copse_agenttree_bytes(const copse_agenttree_def *def) {
  if (!def_ok(def)) return 0;
  copse_agenttree measured = {.def = *def};
  uint64_t bytes = sizeof(copse_agenttree) + carve(&measured, NULL);
  return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

copse_status copse_agenttree_create(const copse_agenttree_def *def, copse_agenttree **tree) {
  *tree = NULL;
  if (!def_ok(def)) return COPSE_INVALID_ARGUMENT;
  copse_agenttree *made = memory_take(&def->allocator, sizeof *made);
  if (!made) return COPSE_OUT_OF_MEMORY;
  *made = (copse_agenttree){.def = *def};
  copse_status status = take_block(made);
  if (status != COPSE_OK) {
    memory_give(&def->allocator, made, sizeof *made);
    return status;
  }
  *tree = made;
  return COPSE_OK;
}

void copse_agenttree_destroy(copse_agenttree *tree) {
  if (!tree) return;
  copse_allocator allocator = tree->def.allocator;
  memory_give(&allocator, tree->block, tree->blockBytes);
  memory_give(&allocator, tree, sizeof *tree);
}

copse_status copse_agenttree_reserve(copse_agenttree *tree, uint32_t capacity) {
  if (capacity > COPSE_MAX_CAPACITY) return COPSE_INVALID_ARGUMENT;
  if (capacity <= tree->def.capacity) return COPSE_OK;
  copse_agenttree larger = *tree;
  larger.def.capacity = capacity;
  copse_status status = take_block(&larger);
  if (status != COPSE_OK) return status;

  const size_t dim = tree->def.dimensions, old = tree->def.capacity;
  if (tree->def.layout == COPSE_LAYOUT_SEPARATE) {
    for (size_t axis = 0; axis < dim; axis++)
      memcpy(larger.positions + axis * capacity, tree->positions + axis * old, old * sizeof(float));
  } else
    memcpy(larger.positions, tree->positions, old * dim * sizeof(float));
  memcpy(larger.groups, tree->groups, old * sizeof(uint32_t));
  for (size_t axis = 0; axis < dim; axis++)
    memcpy(larger.points.axes[axis], tree->points.axes[axis], old * sizeof(float));
  memcpy(larger.points.ids, tree->points.ids, old * sizeof(uint32_t));
  memcpy(larger.points.groups, tree->points.groups, old * sizeof(uint32_t));
  memcpy(larger.nodes, tree->nodes, tree->nodeCount * sizeof(node));
  memcpy(larger.bounds, tree->bounds, 2 * dim * tree->nodeCount * sizeof(float));

  memory_give(&tree->def.allocator, tree->block, tree->blockBytes);
  *tree = larger;
  return COPSE_OK;
}

/* ---- The caller's side ------------------------------------------------------------------- */

uint32_t copse_agenttree_capacity(const copse_agenttree *tree) { return tree->def.capacity; }
uint32_t copse_agenttree_dimensions(const copse_agenttree *tree) { return tree->def.dimensions; }
uint32_t copse_agenttree_count(const copse_agenttree *tree) { return tree->count; }

copse_status copse_agenttree_set_count(copse_agenttree *tree, uint32_t count) {
  if (count > tree->def.capacity) return COPSE_FULL;
  tree->count = count;
  return COPSE_OK;
}

static copse_positions positions_of(const copse_agenttree *tree) {
  bool separate = tree->def.layout == COPSE_LAYOUT_SEPARATE;
  size_t step = separate ? tree->def.capacity : 1;
  copse_positions positions = {{0}, separate ? 1 : tree->def.dimensions};
  for (size_t axis = 0; axis < tree->def.dimensions; axis++)
    positions.axes[axis] = tree->positions + axis * step;
  return positions;
}

source agenttree_buffers(const copse_agenttree *tree) {
  return (source){positions_of(tree), tree->groups, tree->count};
}

copse_positions copse_agenttree_positions(copse_agenttree *tree) { return positions_of(tree); }
uint32_t *copse_agenttree_groups(copse_agenttree *tree) { return tree->groups; }

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
  const size_t sides = 2 * (size_t)tree->def.dimensions, width = sides + 2;
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
  copse_agenttree_statistics stats = {.agents = tree->agentCount,
                                      .skipped = tree->skipped,
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
  uint32_t count = tree->agentCount < capacity ? tree->agentCount : capacity;
  if (count) memcpy(order, tree->points.ids, count * sizeof *order);
  return tree->agentCount;
}

/* What must hold for one node, given that it is reached in preorder. */
static bool node_ok(const copse_agenttree *tree, uint32_t index) {
  const int dim = (int)tree->def.dimensions;
  const node *at = &tree->nodes[index];
  const float *box = tree->bounds + (size_t)index * 2 * (size_t)dim;
  if (at->begin >= at->end || at->end > tree->agentCount) return false;
  float tight[6];
  agenttree_bounds(tree, at->begin, at->end, tight);
  if (memcmp(tight, box, 2 * (size_t)dim * sizeof(float)) != 0) return false;
  if (!at->right) {
    bool coincident = memcmp(box, box + dim, (size_t)dim * sizeof(float)) == 0;
    return ids_ascend(tree->points.ids, at->begin, at->end) &&
           (at->end - at->begin <= tree->def.leafSize || coincident);
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
  if (tree->count > tree->def.capacity || tree->builtCount > tree->def.capacity) return false;
  if (tree->agentCount > tree->builtCount) return false;
  if (tree->nodeCount > agenttree_node_budget(tree->agentCount, tree->def.leafSize)) return false;
  if (!tree->agentCount) return tree->nodeCount == 0;
  if (tree->nodes[0].begin != 0 || tree->nodes[0].end != tree->agentCount) return false;

  /* A permutation has the sum of its ids and their squares, modulo 2^64. */
  uint64_t sum = 0, squares = 0;
  for (uint64_t i = 0; i < tree->builtCount; i++) {
    uint64_t id = tree->points.ids[i];
    if (id >= tree->builtCount) return false;
    sum += i - id;
    squares += i * i - id * id;
  }
  if (sum || squares) return false;

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
  return leafEnd == tree->agentCount;
}

/* ---- Snapshot ---------------------------------------------------------------------------- */

/* After this head come two states of the same form: the buffers, then the last build (absent slots
 * with group 0). A state of n slots is n * dimensions coordinates, interleaved, and n groups. */
typedef struct agenttree_snapshot {
  snapshot_header header;
  uint32_t dimensions, leafSize, axis, split, onNonFinite; /* must agree */
  uint32_t count, builtCount, skipped;
} agenttree_snapshot;

static uint64_t state_bytes(const copse_agenttree *tree, uint64_t count) {
  return count * (tree->def.dimensions + 1) * 4;
}

static source state_at(const copse_agenttree *tree, void *bytes, uint32_t count) {
  source state = {.count = count};
  float *coordinates = bytes;
  state.positions.stride = tree->def.dimensions;
  for (uint32_t axis = 0; axis < tree->def.dimensions; axis++)
    state.positions.axes[axis] = coordinates + axis;
  state.groups = (uint32_t *)bytes + (size_t)count * tree->def.dimensions;
  return state;
}

static void copy_state(const copse_agenttree *tree, const source *from, const source *to) {
  for (uint32_t slot = 0; slot < from->count; slot++)
    for (uint32_t axis = 0; axis < tree->def.dimensions; axis++)
      to->positions.axes[axis][(size_t)slot * to->positions.stride] =
          source_coordinate(from, slot, (int)axis);
  memcpy(to->groups, from->groups, from->count * sizeof(uint32_t));
}

static agenttree_snapshot snapshot_head(const copse_agenttree *tree) {
  const copse_agenttree_def *def = &tree->def;
  return (agenttree_snapshot){.dimensions = def->dimensions,
                              .leafSize = def->leafSize,
                              .axis = (uint32_t)def->axis,
                              .split = (uint32_t)def->split,
                              .onNonFinite = (uint32_t)def->onNonFinite,
                              .count = tree->count,
                              .builtCount = tree->builtCount,
                              .skipped = tree->skipped};
}

copse_status copse_agenttree_save(const copse_agenttree *tree, void *bytes, size_t capacity,
                                  size_t *total, uint32_t *firstBad) {
  source buffers = agenttree_buffers(tree);
  const survey found = agenttree_survey(&buffers, tree->def.dimensions);
  *total = 0;
  if (firstBad) *firstBad = found.firstBad;
  if (found.bad && tree->def.onNonFinite == COPSE_NON_FINITE_ERROR) return COPSE_NOT_FINITE;
  agenttree_snapshot head = snapshot_head(tree);
  uint64_t size = sizeof head + state_bytes(tree, head.count) + state_bytes(tree, head.builtCount);
  *total = size > SIZE_MAX ? SIZE_MAX : (size_t)size;
  if (size > capacity) return COPSE_FULL;

  char *at = bytes;
  memcpy(at, &head, sizeof head);
  at += sizeof head;
  source state = state_at(tree, at, head.count);
  copy_state(tree, &buffers, &state);
  at += state_bytes(tree, head.count);
  memset(at, 0, (size_t)state_bytes(tree, head.builtCount));
  state = state_at(tree, at, head.builtCount);
  bool uniform = tree->nodeCount && tree->nodes[0].anyGroups == tree->nodes[0].allGroups;
  for (uint32_t i = 0; i < tree->agentCount; i++) {
    uint32_t slot = tree->points.ids[i];
    for (uint32_t axis = 0; axis < tree->def.dimensions; axis++)
      state.positions.axes[axis][(size_t)slot * state.positions.stride] =
          tree->points.axes[axis][i];
    state.groups[slot] = uniform ? tree->nodes[0].anyGroups : tree->points.groups[i];
  }
  snapshot_seal(bytes, size, SNAPSHOT_AGENTTREE);
  return COPSE_OK;
}

copse_status copse_agenttree_restore(copse_agenttree *tree, const void *bytes, size_t size) {
  if ((uintptr_t)bytes % 4) return COPSE_INVALID_ARGUMENT;
  agenttree_snapshot head, own = snapshot_head(tree);
  if (size < sizeof head || !snapshot_opens(bytes, size, SNAPSHOT_AGENTTREE))
    return COPSE_BAD_SNAPSHOT;
  memcpy(&head, bytes, sizeof head);
  if (head.dimensions != own.dimensions || head.leafSize != own.leafSize || head.axis != own.axis ||
      head.split != own.split || head.onNonFinite != own.onNonFinite ||
      size != sizeof head + state_bytes(tree, head.count) + state_bytes(tree, head.builtCount) ||
      head.skipped > head.builtCount)
    return COPSE_BAD_SNAPSHOT;

  char *at = (char *)bytes + sizeof head; /* only read */
  source buffers = state_at(tree, at, head.count);
  source built = state_at(tree, at + state_bytes(tree, head.count), head.builtCount);
  survey found = agenttree_survey(&built, tree->def.dimensions);
  bool buffersOk = tree->def.onNonFinite == COPSE_NON_FINITE_SKIP ||
                   agenttree_survey(&buffers, tree->def.dimensions).bad == 0;
  if (!buffersOk || found.bad || found.present + head.skipped > head.builtCount)
    return COPSE_BAD_SNAPSHOT;
  if (head.count > tree->def.capacity || head.builtCount > tree->def.capacity) return COPSE_FULL;

  tree->count = head.count;
  source own_buffers = agenttree_buffers(tree);
  copy_state(tree, &buffers, &own_buffers);
  agenttree_build(tree, &built, &found);
  tree->skipped = head.skipped;
  return COPSE_OK;
}
