/* The quadtree and the octree: memory, nodes and blocks, adding, removing and moving items. */

#include "octree.h"

#include "../base/query.h"

#include <math.h>
#include <string.h>

/* ---- Creating, growing and destroying ---------------------------------------------------- */

copse_octree_def copse_octree_default(void) {
  return (copse_octree_def){.dimensions = 2,
                            .capacity = 1000,
                            .bounds = {0, 0, 1000, 1000},
                            .leafSize = 24,
                            .maxDepth = 8,
                            .looseness = 1};
}

static bool definition_ok(const copse_octree_def *def) {
  if ((def->dimensions != 2 && def->dimensions != 3) || def->capacity < 1 ||
      def->capacity > COPSE_MAX_CAPACITY || def->maxDepth > OCTREE_DEPTH ||
      !(def->looseness >= 1) || !(def->looseness <= COPSE_OCTREE_MAX_LOOSENESS))
    return false;
  for (uint32_t axis = 0; axis < def->dimensions; axis++) {
    const float lo = def->bounds[axis], hi = def->bounds[def->dimensions + axis];
    if (!is_coordinate(lo) || !is_coordinate(hi) || !(lo < hi)) return false;
  }
  return true;
}

/* Returns the number of nodes of a tree that is split down to the maximum depth, or `most` if
 * `most` is less. */
static uint64_t nodes_of_full_tree(const copse_octree_def *def, uint64_t most) {
  uint64_t levelNodes = 1, nodes = 1;
  for (uint32_t depth = 0; depth < def->maxDepth && nodes < most; depth++) {
    levelNodes <<= def->dimensions;
    nodes += levelNodes;
  }
  return nodes < most ? nodes : most;
}

/* Returns how many nodes the tree has room for: the root, and the children of 2 * S + 64 split
 * nodes, where S is capacity / (leafSize + 1); fewer if maxDepth allows fewer. A split node has
 * more than leafSize items below it, so each level has at most S split nodes. If items are spread
 * evenly, only the deepest level has about S, each level above at most a fourth of the next: at
 * most 4 / 3 * S in all. The rest is for items that are spread unevenly. */
static uint32_t node_capacity(const copse_octree_def *def) {
  const uint64_t split = 2 * (uint64_t)def->capacity / ((uint64_t)def->leafSize + 1) + 64;
  const uint64_t most = 1 + (split << def->dimensions);
  return (uint32_t)nodes_of_full_tree(def, most < 1u << 31 ? most : 1u << 31);
}

/* Returns how many blocks of items the tree has room for. This is always enough: at most capacity /
 * BLOCK_ITEMS blocks are full, and each node has at most one block that is not full. */
static uint32_t block_capacity(const copse_octree *tree) {
  const uint64_t capacity = tree->def.capacity;
  const uint64_t most = capacity / BLOCK_ITEMS + tree->nodeCapacity;
  return (uint32_t)(most < capacity ? most : capacity) + 2;
}

/* Carves the tree's arrays out of the block `memory`. If `memory` is NULL, sets them to NULL
 * instead. Returns the size of the block in bytes. */
static uint64_t carve(copse_octree *tree, void *memory) {
  arena layout = arena_over(memory);
  const uint64_t capacity = tree->def.capacity, dim = tree->def.dimensions;
  tree->nodeCapacity = node_capacity(&tree->def);
  tree->blockCapacity = block_capacity(tree);
  tree->boxes = arena_carve(&layout, capacity * 2 * dim + BOX_PADDING, sizeof(float));
  tree->groups = arena_carve(&layout, capacity, sizeof(uint32_t));
  tree->slots.generations = arena_carve(&layout, capacity, sizeof(uint32_t));
  tree->slots.free = arena_carve(&layout, slots_words((uint32_t)capacity), sizeof(uint32_t));
  tree->places = arena_carve(&layout, capacity, sizeof(uint32_t));
  for (int i = 0; i < 2; i++) tree->order[i] = arena_carve(&layout, capacity, sizeof(uint32_t));
  tree->margins = arena_carve(&layout, OCTREE_DEPTH + 1, sizeof *tree->margins);
  tree->nodes = arena_carve(&layout, tree->nodeCapacity, sizeof *tree->nodes);
  tree->blocks = arena_carve(&layout, tree->blockCapacity, octree_block_bytes((int)dim));
  return arena_block_bytes(layout.used);
}

/* Allocates the tree's arrays, filled with zeros. Then sets the groups of all slots to 1, and
 * computes the margins by which cells are enlarged at each depth. */
static copse_status take_memory(copse_octree *tree) {
  tree->memoryBytes = carve(tree, NULL);
  tree->memory = memory_take(&tree->def.allocator, tree->memoryBytes);
  if (!tree->memory) return COPSE_OUT_OF_MEMORY;
  memset(tree->memory, 0, (size_t)tree->memoryBytes);
  carve(tree, tree->memory);
  for (uint32_t slot = 0; slot < tree->def.capacity; slot++) tree->groups[slot] = 1;
  for (uint32_t depth = 0; depth <= OCTREE_DEPTH; depth++)
    for (uint32_t axis = 0; axis < tree->def.dimensions; axis++) {
      const float *bounds = tree->def.bounds;
      const double side = (double)bounds[tree->def.dimensions + axis] - (double)bounds[axis];
      const double looser = (double)tree->def.looseness - 1;
      tree->margins[depth][axis] = (float)(looser * side / (double)(2u << depth));
    }
  return COPSE_OK;
}

size_t copse_octree_bytes(const copse_octree_def *def) {
  copse_octree measured = {.def = *def};
  if (!definition_ok(def)) return 0;
  const uint64_t bytes = sizeof measured + carve(&measured, NULL);
  return size_of(bytes);
}

copse_status copse_octree_create(const copse_octree_def *def, copse_octree **tree) {
  *tree = NULL;
  if (!definition_ok(def)) return COPSE_INVALID_ARGUMENT;
  copse_octree *created = memory_take(&def->allocator, sizeof *created);
  if (!created) return COPSE_OUT_OF_MEMORY;
  *created = (copse_octree){.def = *def};
  for (int i = 0; i < 6; i++) created->def.bounds[i] += 0.0f; /* -0 becomes 0 */
  if (take_memory(created) != COPSE_OK) {
    memory_give(&def->allocator, created, sizeof *created);
    return COPSE_OUT_OF_MEMORY;
  }
  created->slots.capacity = def->capacity;
  slots_recount(&created->slots);
  octree_empty(created);
  *tree = created;
  return COPSE_OK;
}

void copse_octree_destroy(copse_octree *tree) {
  if (!tree) return;
  const copse_allocator allocator = tree->def.allocator;
  memory_give(&allocator, tree->memory, tree->memoryBytes);
  memory_give(&allocator, tree, sizeof *tree);
}

copse_status copse_octree_reserve(copse_octree *tree, uint32_t capacity) {
  if (capacity > COPSE_MAX_CAPACITY) return COPSE_INVALID_ARGUMENT;
  const uint32_t old = tree->def.capacity;
  if (capacity <= old) return COPSE_OK;
  copse_octree larger = *tree;
  larger.def.capacity = capacity;
  const copse_status status = take_memory(&larger);
  if (status != COPSE_OK) return status;
  const size_t dim = tree->def.dimensions;
  memcpy(larger.boxes, tree->boxes, (size_t)old * 2 * dim * sizeof *tree->boxes);
  memcpy(larger.groups, tree->groups, old * sizeof *tree->groups);
  memcpy(larger.places, tree->places, old * sizeof *tree->places);
  memcpy(larger.nodes, tree->nodes, tree->nodesEver * sizeof *tree->nodes);
  memcpy(larger.blocks, tree->blocks, tree->blocksEver * octree_block_bytes((int)dim));
  slots grown = tree->slots;
  slots_grow(&grown, larger.slots.generations, larger.slots.free, capacity);
  larger.slots = grown;
  memory_give(&tree->def.allocator, tree->memory, tree->memoryBytes);
  *tree = larger;
  return COPSE_OK;
}

uint32_t copse_octree_capacity(const copse_octree *tree) { return tree->def.capacity; }
uint32_t copse_octree_dimensions(const copse_octree *tree) { return tree->def.dimensions; }
uint32_t copse_octree_count(const copse_octree *tree) { return tree->slots.used; }
uint32_t copse_octree_slots(const copse_octree *tree) { return tree->slots.ever; }
float *copse_octree_boxes(copse_octree *tree) { return tree->boxes; }
uint32_t *copse_octree_groups(copse_octree *tree) { return tree->groups; }
const uint32_t *copse_octree_generations(const copse_octree *tree) {
  return tree->slots.generations;
}
bool copse_octree_has(const copse_octree *tree, uint32_t slot) {
  return slots_in_use(&tree->slots, slot);
}

/* ---- Blocks: linking an item to a node, and unlinking it ---------------------------------- */

static octree_block *block_at(const copse_octree *tree, uint32_t blockIndex) {
  return octree_block_at(tree, blockIndex, (int)tree->def.dimensions);
}

static uint32_t take_block(copse_octree *tree) {
  tree->blocksUsed++;
  const uint32_t blockIndex = tree->freeBlock;
  if (blockIndex == COPSE_NONE) return tree->blocksEver++;
  tree->freeBlock = block_at(tree, blockIndex)->next;
  return blockIndex;
}

static void free_block(copse_octree *tree, uint32_t blockIndex) {
  block_at(tree, blockIndex)->next = tree->freeBlock;
  tree->freeBlock = blockIndex;
  tree->blocksUsed--;
}

static void put(octree_block *block, uint32_t lane, const float *box, uint32_t dim) {
  for (uint32_t side = 0; side < 2 * dim; side++) block->sides[side][lane] = box[side];
}

void octree_link(copse_octree *tree, uint32_t nodeIndex, uint32_t slot, const float *box) {
  octree_node *node = &tree->nodes[nodeIndex];
  const uint32_t lane = node->own++ % BLOCK_ITEMS;
  if (lane == 0) {
    const uint32_t blockIndex = take_block(tree);
    octree_block *block = block_at(tree, blockIndex);
    for (uint32_t i = 1; i < BLOCK_ITEMS; i++) block->sides[0][i] = NAN;
    block->next = node->block;
    block->owner = nodeIndex;
    node->block = blockIndex;
  }
  octree_block *block = block_at(tree, node->block);
  put(block, lane, box, tree->def.dimensions);
  block->ids[lane] = slot;
  tree->places[slot] = node->block * BLOCK_ITEMS + lane;
}

/* Removes an item from the node that holds it. The last item of the node moves to the place that
 * becomes free. */
static void unlink_item(copse_octree *tree, uint32_t slot) {
  const uint32_t place = tree->places[slot];
  octree_block *block = block_at(tree, place / BLOCK_ITEMS);
  octree_node *node = &tree->nodes[block->owner];
  octree_block *first = block_at(tree, node->block);
  const uint32_t lane = place % BLOCK_ITEMS, last = --node->own % BLOCK_ITEMS;
  for (uint32_t side = 0; side < 2 * tree->def.dimensions; side++)
    block->sides[side][lane] = first->sides[side][last];
  block->ids[lane] = first->ids[last];
  tree->places[block->ids[lane]] = place;
  first->sides[0][last] = NAN;
  if (last == 0) {
    const uint32_t blockIndex = node->block;
    node->block = first->next;
    free_block(tree, blockIndex);
  }
}

/* ---- Nodes: splitting and merging --------------------------------------------------------- */

void octree_empty(copse_octree *tree) {
  octree_node root = {.block = COPSE_NONE, .parent = COPSE_NONE};
  for (uint32_t axis = 0; axis < tree->def.dimensions; axis++) {
    const float *bounds = tree->def.bounds;
    root.lo[axis] = -INFINITY;
    root.hi[axis] = INFINITY;
    root.center[axis] = 0.5f * bounds[axis] + 0.5f * bounds[tree->def.dimensions + axis];
  }
  tree->nodes[0] = root;
  tree->nodesEver = tree->nodesUsed = 1;
  tree->freeSiblings = 0;
  tree->blocksEver = tree->blocksUsed = 0;
  tree->freeBlock = COPSE_NONE;
}

/* Takes 2^dimensions unused nodes. Returns the index of the first, or 0 if there is no room for
 * more nodes. */
static uint32_t take_siblings(copse_octree *tree) {
  const uint32_t siblings = 1u << tree->def.dimensions;
  uint32_t first = tree->freeSiblings;
  if (first)
    tree->freeSiblings = tree->nodes[first].parent;
  else if (siblings <= tree->nodeCapacity - tree->nodesEver) {
    first = tree->nodesEver;
    tree->nodesEver += siblings;
  } else
    return 0;
  tree->nodesUsed += siblings;
  return first;
}

static void free_siblings(copse_octree *tree, uint32_t first) {
  tree->nodes[first].parent = tree->freeSiblings;
  tree->freeSiblings = first;
  tree->nodesUsed -= 1u << tree->def.dimensions;
}

bool octree_split(copse_octree *tree, uint32_t nodeIndex) {
  const uint32_t first = take_siblings(tree), dim = tree->def.dimensions;
  if (!first) return false;
  octree_node *parent = &tree->nodes[nodeIndex];
  for (uint32_t i = 0; i < 1u << dim; i++) {
    octree_node child = {.block = COPSE_NONE, .parent = nodeIndex, .depth = parent->depth + 1};
    for (uint32_t axis = 0; axis < dim; axis++) {
      const bool high = i >> axis & 1;
      const float center = parent->center[axis];
      child.lo[axis] = high ? center : parent->lo[axis];
      child.hi[axis] = high ? parent->hi[axis] : center;
      /* The center, 0.5 * lo + 0.5 * hi, is between lo and hi in spite of rounding. */
      const float lo = child.lo[axis] > -INFINITY ? child.lo[axis] : tree->def.bounds[axis];
      const float hi = child.hi[axis] < INFINITY ? child.hi[axis] : tree->def.bounds[dim + axis];
      child.center[axis] = 0.5f * lo + 0.5f * hi;
    }
    tree->nodes[first + i] = child;
  }
  parent->children = first;
  tree->changes++;
  return true;
}

/* Removes all items from a node, and calls relink(tree, targetIndex, slot, box, dim) for each of
 * them. */
ALWAYS_INLINE void take_items(copse_octree *tree, uint32_t nodeIndex,
                              void (*relink)(copse_octree *, uint32_t, uint32_t, const float *,
                                             int),
                              uint32_t targetIndex, const int dim) {
  octree_node *node = &tree->nodes[nodeIndex];
  uint32_t blockIndex = node->block, size = node->own ? octree_block_size(node, blockIndex) : 0;
  node->block = COPSE_NONE;
  node->own = 0;
  float box[6 + BOX_PADDING] = {0};
  for (; blockIndex != COPSE_NONE; size = BLOCK_ITEMS) {
    octree_block block;
    memcpy(&block, octree_block_at(tree, blockIndex, dim), octree_block_bytes(dim));
    free_block(tree, blockIndex);
    for (uint32_t lane = 0; lane < size; lane++) {
      for (int side = 0; side < 2 * dim; side++) box[side] = block.sides[side][lane];
      relink(tree, targetIndex, block.ids[lane], box, dim);
    }
    blockIndex = block.next;
  }
}

/* Links an item of a node that was just split: to the child that can hold the item or, if no child
 * can, to the node again. */
ALWAYS_INLINE void sift(copse_octree *tree, uint32_t nodeIndex, uint32_t slot, const float *box,
                        const int dim) {
  const uint32_t childIndex =
      octree_child_for(tree, &tree->nodes[nodeIndex], box4_load(box, dim), dim);
  if (childIndex) {
    tree->nodes[childIndex].total++;
    tree->changes++;
  }
  octree_link(tree, childIndex ? childIndex : nodeIndex, slot, box);
}

/* Splits a node and its descendants, until each leaf has at most leafSize items or the maximum
 * depth, or there is no room for more nodes. */
static void split_all(copse_octree *tree, uint32_t nodeIndex) {
  uint32_t stack[OCTREE_STACK], waiting = 1;
  stack[0] = nodeIndex;
  while (waiting) {
    nodeIndex = stack[--waiting];
    if (!octree_should_split(tree, &tree->nodes[nodeIndex]) || !octree_split(tree, nodeIndex))
      continue;
    OCTREE_INLINE(take_items, tree, nodeIndex, sift, nodeIndex);
    for (uint32_t i = 1u << tree->def.dimensions; i-- > 0;)
      if (tree->nodes[tree->nodes[nodeIndex].children + i].total)
        stack[waiting++] = tree->nodes[nodeIndex].children + i;
  }
}

static void link_again(copse_octree *tree, uint32_t nodeIndex, uint32_t slot, const float *box,
                       const int dim) {
  (void)dim;
  octree_link(tree, nodeIndex, slot, box);
  tree->changes++;
}

/* Moves all items of a subtree to its root, and frees the nodes below the root. */
static void merge(copse_octree *tree, uint32_t rootIndex) {
  uint32_t stack[OCTREE_STACK], waiting = 1;
  stack[0] = rootIndex;
  while (waiting) {
    const uint32_t nodeIndex = stack[--waiting], children = tree->nodes[nodeIndex].children;
    if (nodeIndex != rootIndex) OCTREE_INLINE(take_items, tree, nodeIndex, link_again, rootIndex);
    if (!children) continue;
    for (uint32_t i = 1u << tree->def.dimensions; i-- > 0;) stack[waiting++] = children + i;
    tree->nodes[nodeIndex].children = 0;
    free_siblings(tree, children);
    tree->changes++;
  }
}

/* ---- Inserting, removing and moving ------------------------------------------------------- */

/* Links an item to the deepest node that can hold it: the node `nodeIndex` or one below it. Splits
 * the node that holds the item if it now has too many items. The caller must have counted the item
 * in the total of `nodeIndex`. */
ALWAYS_INLINE void sink(copse_octree *tree, uint32_t nodeIndex, uint32_t slot, const float *box,
                        const int dim) {
  const box4 item = box4_load(box, dim);
  for (uint32_t childIndex; tree->nodes[nodeIndex].children; nodeIndex = childIndex) {
    childIndex = octree_child_for(tree, &tree->nodes[nodeIndex], item, dim);
    if (!childIndex) break;
    tree->nodes[childIndex].total++;
  }
  octree_link(tree, nodeIndex, slot, box);
  tree->changes++;
  if (octree_should_split(tree, &tree->nodes[nodeIndex])) split_all(tree, nodeIndex);
}

/* Removes an item from the node that holds it, and from the totals of that node and all nodes
 * above, up to but not including `ancestor`. If some of these nodes no longer need to be split,
 * merges the topmost of them. */
static void lift(copse_octree *tree, uint32_t slot, uint32_t ancestor) {
  uint32_t nodeIndex = block_at(tree, tree->places[slot] / BLOCK_ITEMS)->owner,
           mergeable = COPSE_NONE;
  unlink_item(tree, slot);
  for (; nodeIndex != ancestor; nodeIndex = tree->nodes[nodeIndex].parent) {
    octree_node *node = &tree->nodes[nodeIndex];
    node->total--;
    if (node->children && node->total <= tree->def.leafSize) mergeable = nodeIndex;
  }
  if (mergeable != COPSE_NONE) merge(tree, mergeable);
  tree->changes++;
}

ALWAYS_INLINE void move_item_in(copse_octree *tree, uint32_t slot, const float *box,
                                const int dim) {
  const box4 item = box4_load(box, dim);
  octree_block *block = octree_block_of(tree, slot, dim);
  const uint32_t oldIndex = block->owner;
  uint32_t nodeIndex = oldIndex;
  while (!octree_comes_to(tree, &tree->nodes[nodeIndex], item, dim))
    nodeIndex = tree->nodes[nodeIndex].parent;
  const octree_node *node = &tree->nodes[nodeIndex];
  if (nodeIndex == oldIndex && !(node->children && octree_child_for(tree, node, item, dim))) {
    put(block, tree->places[slot] % BLOCK_ITEMS, box, (uint32_t)dim);
    return;
  }
  lift(tree, slot, nodeIndex);
  sink(tree, nodeIndex, slot, box, dim);
}

OCTREE_PROCEDURE(move_item, (copse_octree *const tree, uint32_t slot, const float *box),
                 (tree, slot, box), move_item_in(tree, slot, box, dim))

static void sink_from_root(copse_octree *tree, uint32_t slot, const float *box) {
  tree->nodes[0].total++;
  OCTREE_INLINE(sink, tree, 0, slot, box);
}

bool octree_box_ok(const float *box, uint32_t dimensions, copse_status *status) {
  for (uint32_t axis = 0; axis < dimensions; axis++) {
    const float lo = box[axis], hi = box[dimensions + axis];
    if (!is_coordinate(lo) || !is_coordinate(hi) || lo > hi) {
      *status = is_coordinate(lo) && is_coordinate(hi) ? COPSE_INVALID_ARGUMENT : COPSE_NOT_FINITE;
      return false;
    }
  }
  return true;
}

/* Copies a box to tree->boxes. Adding 0 turns -0 into 0, so that equal boxes have equal bits.
 * Returns the copy. */
static float *take_box(copse_octree *tree, uint32_t slot, const float *box) {
  const uint32_t sides = 2 * tree->def.dimensions;
  float *stored = tree->boxes + (size_t)slot * sides;
  for (uint32_t i = 0; i < sides; i++) stored[i] = box[i] + 0.0f;
  return stored;
}

copse_status copse_octree_add(copse_octree *tree, const float *box, uint32_t *slot) {
  copse_status status = COPSE_FULL;
  *slot = COPSE_NONE;
  if (!octree_box_ok(box, tree->def.dimensions, &status)) return status;
  *slot = slots_take(&tree->slots);
  if (*slot == COPSE_NONE) return COPSE_FULL;
  sink_from_root(tree, *slot, take_box(tree, *slot, box));
  return COPSE_OK;
}

copse_status copse_octree_add_at(copse_octree *tree, uint32_t slot, const float *box) {
  copse_status status;
  if (!octree_box_ok(box, tree->def.dimensions, &status)) return status;
  if (slot >= tree->def.capacity) return COPSE_FULL;
  if (slots_in_use(&tree->slots, slot)) return COPSE_INVALID_ARGUMENT;
  slots_take_at(&tree->slots, slot);
  sink_from_root(tree, slot, take_box(tree, slot, box));
  return COPSE_OK;
}

copse_status copse_octree_remove(copse_octree *tree, uint32_t slot) {
  if (slots_free(&tree->slots, slot) != COPSE_OK) return COPSE_STALE_SLOT;
  lift(tree, slot, COPSE_NONE);
  return COPSE_OK;
}

copse_status copse_octree_move(copse_octree *tree, uint32_t slot, const float *box) {
  copse_status status;
  if (!slots_in_use(&tree->slots, slot)) return COPSE_STALE_SLOT;
  if (!octree_box_ok(box, tree->def.dimensions, &status)) return status;
  const float *stored = take_box(tree, slot, box);
  move_item(tree, slot, stored);
  return COPSE_OK;
}

void copse_octree_clear(copse_octree *tree) {
  for (uint32_t slot = 0; slot < tree->def.capacity; slot++)
    if (slots_in_use(&tree->slots, slot)) {
      slots_free(&tree->slots, slot);
      tree->changes++;
    }
  octree_empty(tree);
}

/* ---- Loading or moving all items at once -------------------------------------------------- */

/* Checks the boxes of all slots in use, and lists the slots in order[0]. Adds to *leaving the
 * number of items that no longer belong in the node that holds them.
 *
 * `isLoad` is true in copse_octree_load, which replaces all items. Then checks and lists the slots
 * 0 … count - 1, even free ones, and does not change *leaving. */
ALWAYS_INLINE copse_status check_boxes_in(copse_octree *tree, uint32_t count, bool isLoad,
                                          uint32_t *leaving, uint32_t *firstBad, const int dim) {
  copse_status status = COPSE_OK;
  for (uint32_t slot = 0, listed = 0; listed < count; slot++) {
    const bool isUsed = slots_in_use(&tree->slots, slot);
    if (!isUsed && !isLoad) continue;
    float *box = tree->boxes + (size_t)slot * 2 * (uint32_t)dim;
    if (!octree_box_ok(box, (uint32_t)dim, &status)) {
      if (firstBad) *firstBad = slot;
      return status;
    }
    UNROLL for (int side = 0; side < 2 * dim; side++) box[side] += 0.0f; /* -0 becomes 0 */
    tree->order[0][listed++] = slot;
    if (isLoad) continue;
    const uint32_t nodeIndex = octree_block_of(tree, slot, dim)->owner;
    *leaving += !octree_comes_to(tree, &tree->nodes[nodeIndex], box4_load(box, dim), dim);
  }
  return COPSE_OK;
}

OCTREE_FUNCTION(copse_status, check_boxes,
                (copse_octree *const tree, uint32_t count, bool isLoad, uint32_t *leaving,
                 uint32_t *firstBad),
                (tree, count, isLoad, leaving, firstBad),
                check_boxes_in(tree, count, isLoad, leaving, firstBad, dim))

static void rebuild(copse_octree *tree, uint32_t count) {
  octree_rebuild(tree, count);
  tree->changes += count;
}

copse_status copse_octree_load(copse_octree *tree, uint32_t count, uint32_t *firstBad) {
  uint32_t none = 0;
  if (count > tree->def.capacity) return COPSE_FULL;
  const copse_status status = check_boxes(tree, count, true, &none, firstBad);
  if (status != COPSE_OK) return status;
  copse_octree_clear(tree);
  for (uint32_t slot = 0; slot < count; slot++) slots_take_at(&tree->slots, slot);
  rebuild(tree, count);
  return COPSE_OK;
}

/* If more than one item in six has left its cell, a rebuild is faster than moving items one by one:
 * measured with 1,500, 10,000 and 100,000 boxes. */
enum { REBUILD_ONE_IN = 6 };

copse_status copse_octree_move_all(copse_octree *tree, uint32_t *firstBad) {
  const uint32_t count = tree->slots.used, dim = tree->def.dimensions;
  uint32_t leaving = 0;
  const copse_status status = check_boxes(tree, count, false, &leaving, firstBad);
  if (status != COPSE_OK) return status;
  if (leaving > count / REBUILD_ONE_IN) {
    rebuild(tree, count);
    return COPSE_OK;
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t slot = tree->order[0][i];
    move_item(tree, slot, tree->boxes + (size_t)slot * 2 * dim);
  }
  return COPSE_OK;
}
