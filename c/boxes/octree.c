#include "octree.h"

#include "../base/query.h"

#include <math.h>
#include <string.h>

/* ---- Life -------------------------------------------------------------------------------- */

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

/* All nodes of a tree of so many levels below the root, if that is less than `most`. */
static uint64_t nodes_of_full_tree(const copse_octree_def *def, uint64_t most) {
  uint64_t level = 1, all = 1;
  for (uint32_t depth = 0; depth < def->maxDepth && all < most; depth++) {
    level <<= def->dimensions;
    all += level;
  }
  return all < most ? all : most;
}

/* On each level fewer than capacity / leafSize nodes are split. Items that are spread split those
 * of about one level and, above it, a third as many; so twice one level has room for much
 * unevenness. */
static uint32_t node_capacity(const copse_octree_def *def) {
  const uint64_t split = 2 * (uint64_t)def->capacity / ((uint64_t)def->leafSize + 1) + 64;
  const uint64_t most = 1 + (split << def->dimensions);
  return (uint32_t)nodes_of_full_tree(def, most < 1u << 31 ? most : 1u << 31);
}

/* Every node may have a block that is not full, and another while it is split. */
static uint32_t block_capacity(const copse_octree *tree) {
  const uint64_t capacity = tree->def.capacity;
  const uint64_t most = capacity / BLOCK_ITEMS + tree->nodeCapacity;
  return (uint32_t)(most < capacity ? most : capacity) + 2;
}

/* Points the arrays into a block, or measures it. */
static uint64_t carve(copse_octree *tree, void *memory) {
  arena all = arena_over(memory);
  const uint64_t capacity = tree->def.capacity, dim = tree->def.dimensions;
  tree->nodeCapacity = node_capacity(&tree->def);
  tree->blockCapacity = block_capacity(tree);
  tree->boxes = arena_carve(&all, capacity * 2 * dim + BOX_PADDING, sizeof(float));
  tree->groups = arena_carve(&all, capacity, sizeof(uint32_t));
  tree->slots.generations = arena_carve(&all, capacity, sizeof(uint32_t));
  tree->slots.free = arena_carve(&all, slots_words((uint32_t)capacity), sizeof(uint32_t));
  tree->places = arena_carve(&all, capacity, sizeof(uint32_t));
  for (int i = 0; i < 2; i++) tree->order[i] = arena_carve(&all, capacity, sizeof(uint32_t));
  tree->margins = arena_carve(&all, OCTREE_DEPTH + 1, sizeof *tree->margins);
  tree->nodes = arena_carve(&all, tree->nodeCapacity, sizeof *tree->nodes);
  tree->blocks = arena_carve(&all, tree->blockCapacity, octree_block_bytes((int)dim));
  return arena_block_bytes(all.used);
}

/* Takes zeroed memory for all arrays. */
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
  copse_octree *made = memory_take(&def->allocator, sizeof *made);
  if (!made) return COPSE_OUT_OF_MEMORY;
  *made = (copse_octree){.def = *def};
  for (int i = 0; i < 6; i++) made->def.bounds[i] += 0.0f; /* -0 becomes 0 */
  if (take_memory(made) != COPSE_OK) {
    memory_give(&def->allocator, made, sizeof *made);
    return COPSE_OUT_OF_MEMORY;
  }
  made->slots.capacity = def->capacity;
  slots_recount(&made->slots);
  octree_empty(made);
  *tree = made;
  return COPSE_OK;
}

void copse_octree_destroy(copse_octree *tree) {
  if (!tree) return;
  const copse_allocator allocator = tree->def.allocator;
  memory_give(&allocator, tree->memory, tree->memoryBytes);
  memory_give(&allocator, tree, sizeof *tree);
}

size_t copse_octree_reserve_bytes(const copse_octree *tree, uint32_t capacity) {
  copse_octree_def larger = tree->def;
  if (capacity > larger.capacity) larger.capacity = capacity;
  return copse_octree_bytes(&larger);
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
float *copse_octree_boxes(copse_octree *tree) { return tree->boxes; }
uint32_t *copse_octree_groups(copse_octree *tree) { return tree->groups; }
const uint32_t *copse_octree_generations(const copse_octree *tree) {
  return tree->slots.generations;
}
bool copse_octree_has(const copse_octree *tree, uint32_t slot) {
  return slots_in_use(&tree->slots, slot);
}

/* ---- Blocks: an item is linked to a node, or unlinked ------------------------------------- */

static octree_block *block_at(const copse_octree *tree, uint32_t block) {
  return octree_block_at(tree, block, (int)tree->def.dimensions);
}

static uint32_t take_block(copse_octree *tree) {
  tree->blocksUsed++;
  const uint32_t block = tree->freeBlock;
  if (block == COPSE_NONE) return tree->blocksEver++;
  tree->freeBlock = block_at(tree, block)->next;
  return block;
}

static void free_block(copse_octree *tree, uint32_t block) {
  block_at(tree, block)->next = tree->freeBlock;
  tree->freeBlock = block;
  tree->blocksUsed--;
}

static void put(octree_block *block, uint32_t lane, const float *box, uint32_t dim) {
  for (uint32_t side = 0; side < 2 * dim; side++) block->sides[side][lane] = box[side];
}

void octree_link(copse_octree *tree, uint32_t node, uint32_t slot, const float *box) {
  octree_node *to = &tree->nodes[node];
  const uint32_t lane = to->own++ % BLOCK_ITEMS;
  if (lane == 0) {
    const uint32_t made = take_block(tree);
    octree_block *block = block_at(tree, made);
    for (uint32_t i = 1; i < BLOCK_ITEMS; i++) block->sides[0][i] = NAN;
    block->next = to->block;
    block->owner = node;
    to->block = made;
  }
  octree_block *block = block_at(tree, to->block);
  put(block, lane, box, tree->def.dimensions);
  block->ids[lane] = slot;
  tree->places[slot] = to->block * BLOCK_ITEMS + lane;
}

/* The node's last item takes the place of the one that goes. */
static void unlink_item(copse_octree *tree, uint32_t slot) {
  const uint32_t place = tree->places[slot];
  octree_block *block = block_at(tree, place / BLOCK_ITEMS);
  octree_node *from = &tree->nodes[block->owner];
  octree_block *head = block_at(tree, from->block);
  const uint32_t lane = place % BLOCK_ITEMS, last = --from->own % BLOCK_ITEMS;
  for (uint32_t side = 0; side < 2 * tree->def.dimensions; side++)
    block->sides[side][lane] = head->sides[side][last];
  block->ids[lane] = head->ids[last];
  tree->places[block->ids[lane]] = place;
  head->sides[0][last] = NAN;
  if (last == 0) {
    const uint32_t empty = from->block;
    from->block = head->next;
    free_block(tree, empty);
  }
}

/* ---- Nodes: split and merged -------------------------------------------------------------- */

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

/* The first of 2^dimensions nodes; 0: the pool has no more. */
static uint32_t take_siblings(copse_octree *tree) {
  const uint32_t number = 1u << tree->def.dimensions;
  uint32_t first = tree->freeSiblings;
  if (first)
    tree->freeSiblings = tree->nodes[first].parent;
  else if (number <= tree->nodeCapacity - tree->nodesEver) {
    first = tree->nodesEver;
    tree->nodesEver += number;
  } else
    return 0;
  tree->nodesUsed += number;
  return first;
}

static void free_siblings(copse_octree *tree, uint32_t first) {
  tree->nodes[first].parent = tree->freeSiblings;
  tree->freeSiblings = first;
  tree->nodesUsed -= 1u << tree->def.dimensions;
}

bool octree_split(copse_octree *tree, uint32_t node) {
  const uint32_t first = take_siblings(tree), dim = tree->def.dimensions;
  if (!first) return false;
  octree_node *parent = &tree->nodes[node];
  for (uint32_t i = 0; i < 1u << dim; i++) {
    octree_node child = {.block = COPSE_NONE, .parent = node, .depth = parent->depth + 1};
    for (uint32_t axis = 0; axis < dim; axis++) {
      const bool high = i >> axis & 1;
      const float center = parent->center[axis];
      child.lo[axis] = high ? center : parent->lo[axis];
      child.hi[axis] = high ? parent->hi[axis] : center;
      /* Half of each: no sum overflows, and what is between two floats stays there. */
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

/* Takes all items from a node, and calls for each `again` with `to` and the item. */
ALWAYS_INLINE void take_items(copse_octree *tree, uint32_t node,
                              void (*again)(copse_octree *, uint32_t, uint32_t, const float *),
                              uint32_t to, const int dim) {
  octree_node *from = &tree->nodes[node];
  uint32_t block = from->block, size = from->own ? octree_block_size(from, block) : 0;
  from->block = COPSE_NONE;
  from->own = 0;
  float box[6 + BOX_PADDING] = {0}; /* what lies behind it is read too */
  for (; block != COPSE_NONE; size = BLOCK_ITEMS) {
    octree_block items;
    memcpy(&items, octree_block_at(tree, block, dim), octree_block_bytes(dim));
    free_block(tree, block);
    for (uint32_t lane = 0; lane < size; lane++) {
      for (int side = 0; side < 2 * dim; side++) box[side] = items.sides[side][lane];
      again(tree, to, items.ids[lane], box);
    }
    block = items.next;
  }
}

/* An item of a node that was just split goes to a child, or stays. */
ALWAYS_INLINE void sift(copse_octree *tree, uint32_t node, uint32_t slot, const float *box,
                        const int dim) {
  const uint32_t child = octree_child_for(tree, &tree->nodes[node], box4_load(box, dim), dim);
  if (child) {
    tree->nodes[child].total++;
    tree->changes++;
  }
  octree_link(tree, child ? child : node, slot, box);
}
static void sift_2d(copse_octree *tree, uint32_t node, uint32_t slot, const float *box) {
  sift(tree, node, slot, box, 2);
}
static void sift_3d(copse_octree *tree, uint32_t node, uint32_t slot, const float *box) {
  sift(tree, node, slot, box, 3);
}

/* Splits a node that holds too many, and those below it likewise. */
static void split_all(copse_octree *tree, uint32_t node) {
  uint32_t stack[OCTREE_STACK], waiting = 1;
  stack[0] = node;
  while (waiting) {
    node = stack[--waiting];
    if (!octree_should_split(tree, &tree->nodes[node]) || !octree_split(tree, node)) continue;
    if (tree->def.dimensions == 3)
      take_items(tree, node, sift_3d, node, 3);
    else
      take_items(tree, node, sift_2d, node, 2);
    for (uint32_t i = 1u << tree->def.dimensions; i-- > 0;)
      if (tree->nodes[tree->nodes[node].children + i].total)
        stack[waiting++] = tree->nodes[node].children + i;
  }
}

static void link_again(copse_octree *tree, uint32_t node, uint32_t slot, const float *box) {
  octree_link(tree, node, slot, box);
  tree->changes++;
}

/* A node that holds few enough, with all below it, takes it all. */
static void merge(copse_octree *tree, uint32_t node) {
  uint32_t stack[OCTREE_STACK], waiting = 1;
  stack[0] = node;
  while (waiting) {
    const uint32_t at = stack[--waiting], children = tree->nodes[at].children;
    if (at != node) {
      if (tree->def.dimensions == 3)
        take_items(tree, at, link_again, node, 3);
      else
        take_items(tree, at, link_again, node, 2);
    }
    if (!children) continue;
    for (uint32_t i = 1u << tree->def.dimensions; i-- > 0;) stack[waiting++] = children + i;
    tree->nodes[at].children = 0;
    free_siblings(tree, children);
    tree->changes++;
  }
}

/* ---- Items come, go and move -------------------------------------------------------------- */

/* From a node, which counts it already, down to where an item belongs. */
ALWAYS_INLINE void sink(copse_octree *tree, uint32_t node, uint32_t slot, const float *box,
                        const int dim) {
  const box4 item = box4_load(box, dim);
  for (uint32_t child; tree->nodes[node].children; node = child) {
    child = octree_child_for(tree, &tree->nodes[node], item, dim);
    if (!child) break;
    tree->nodes[child].total++;
  }
  octree_link(tree, node, slot, box);
  tree->changes++;
  if (octree_should_split(tree, &tree->nodes[node])) split_all(tree, node);
}

/* Unlinks an item, counts it out up to a node (which goes on counting it), and merges what then
 * holds few enough. */
static void lift(copse_octree *tree, uint32_t slot, uint32_t below) {
  uint32_t node = block_at(tree, tree->places[slot] / BLOCK_ITEMS)->owner, few = COPSE_NONE;
  unlink_item(tree, slot);
  for (; node != below; node = tree->nodes[node].parent) {
    octree_node *at = &tree->nodes[node];
    at->total--;
    if (at->children && at->total <= tree->def.leafSize) few = node;
  }
  if (few != COPSE_NONE) merge(tree, few);
  tree->changes++;
}

ALWAYS_INLINE void move_item(copse_octree *tree, uint32_t slot, const float *box, const int dim) {
  const box4 item = box4_load(box, dim);
  octree_block *block = octree_block_of(tree, slot, dim);
  const uint32_t old = block->owner;
  uint32_t node = old;
  while (!octree_comes_to(tree, &tree->nodes[node], item, dim)) node = tree->nodes[node].parent;
  const octree_node *at = &tree->nodes[node];
  if (node == old && !(at->children && octree_child_for(tree, at, item, dim))) {
    put(block, tree->places[slot] % BLOCK_ITEMS, box, (uint32_t)dim);
    return;
  }
  lift(tree, slot, node);
  sink(tree, node, slot, box, dim);
}

OUT_OF_LINE void move_2d(copse_octree *tree, uint32_t slot, const float *box) {
  move_item(tree, slot, box, 2);
}
OUT_OF_LINE void move_3d(copse_octree *tree, uint32_t slot, const float *box) {
  move_item(tree, slot, box, 3);
}
static void sink_from_root(copse_octree *tree, uint32_t slot, const float *box) {
  tree->nodes[0].total++;
  if (tree->def.dimensions == 3)
    sink(tree, 0, slot, box, 3);
  else
    sink(tree, 0, slot, box, 2);
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

/* Where the boxes are the caller's side, they follow. Adding 0 turns -0 into 0. */
static float *take_box(copse_octree *tree, uint32_t slot, const float *box) {
  const uint32_t sides = 2 * tree->def.dimensions;
  float *own = tree->boxes + (size_t)slot * sides;
  for (uint32_t i = 0; i < sides; i++) own[i] = box[i] + 0.0f;
  return own;
}

copse_status copse_octree_insert(copse_octree *tree, const float *box, uint32_t *slot) {
  copse_status status = COPSE_FULL;
  *slot = COPSE_NONE;
  if (!octree_box_ok(box, tree->def.dimensions, &status)) return status;
  *slot = slots_take(&tree->slots);
  if (*slot == COPSE_NONE) return COPSE_FULL;
  sink_from_root(tree, *slot, take_box(tree, *slot, box));
  return COPSE_OK;
}

copse_status copse_octree_insert_at(copse_octree *tree, uint32_t slot, const float *box) {
  copse_status status;
  if (!octree_box_ok(box, tree->def.dimensions, &status)) return status;
  if (slot >= tree->def.capacity) return COPSE_FULL;
  if (slots_in_use(&tree->slots, slot)) return COPSE_INVALID_ARGUMENT;
  slots_take_at(&tree->slots, slot);
  sink_from_root(tree, slot, take_box(tree, slot, box));
  return COPSE_OK;
}

copse_status copse_octree_remove(copse_octree *tree, uint32_t slot) {
  if (slots_free(&tree->slots, slot) != COPSE_OK) return COPSE_STALE_HANDLE;
  lift(tree, slot, COPSE_NONE);
  return COPSE_OK;
}

copse_status copse_octree_move(copse_octree *tree, uint32_t slot, const float *box) {
  copse_status status;
  if (!slots_in_use(&tree->slots, slot)) return COPSE_STALE_HANDLE;
  if (!octree_box_ok(box, tree->def.dimensions, &status)) return status;
  const float *own = take_box(tree, slot, box);
  if (tree->def.dimensions == 3)
    move_3d(tree, slot, own);
  else
    move_2d(tree, slot, own);
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

/* ---- Everything moved --------------------------------------------------------------------- */

/* Checks where the boxes of the slots in use, or of the first `count`, are, and lists these slots.
 * Answers with how many left their cells. */
ALWAYS_INLINE copse_status look(copse_octree *tree, uint32_t count, bool all, uint32_t *left,
                                uint32_t *firstBad, const int dim) {
  copse_status status = COPSE_OK;
  for (uint32_t slot = 0, found = 0; found < count; slot++) {
    const bool used = slots_in_use(&tree->slots, slot);
    if (!used && !all) continue;
    float *box = tree->boxes + (size_t)slot * 2 * (uint32_t)dim;
    if (!octree_box_ok(box, (uint32_t)dim, &status)) {
      if (firstBad) *firstBad = slot;
      return status;
    }
    UNROLL for (int side = 0; side < 2 * dim; side++) box[side] += 0.0f; /* -0 becomes 0 */
    tree->order[0][found++] = slot;
    if (all) continue;
    const uint32_t node = octree_block_of(tree, slot, dim)->owner;
    *left += !octree_comes_to(tree, &tree->nodes[node], box4_load(box, dim), dim);
  }
  return COPSE_OK;
}

OUT_OF_LINE copse_status look_2d(copse_octree *tree, uint32_t count, bool all, uint32_t *left,
                                 uint32_t *firstBad) {
  return look(tree, count, all, left, firstBad, 2);
}
OUT_OF_LINE copse_status look_3d(copse_octree *tree, uint32_t count, bool all, uint32_t *left,
                                 uint32_t *firstBad) {
  return look(tree, count, all, left, firstBad, 3);
}
static copse_status look_at(copse_octree *tree, uint32_t count, bool all, uint32_t *left,
                            uint32_t *firstBad) {
  return tree->def.dimensions == 3 ? look_3d(tree, count, all, left, firstBad)
                                   : look_2d(tree, count, all, left, firstBad);
}

static void build_anew(copse_octree *tree, uint32_t count) {
  octree_rebuild(tree, count);
  tree->changes += count;
}

copse_status copse_octree_load(copse_octree *tree, uint32_t count, uint32_t *firstBad) {
  uint32_t none = 0;
  if (count > tree->def.capacity) return COPSE_FULL;
  const copse_status status = look_at(tree, count, true, &none, firstBad);
  if (status != COPSE_OK) return status;
  copse_octree_clear(tree);
  for (uint32_t slot = 0; slot < count; slot++) slots_take_at(&tree->slots, slot);
  build_anew(tree, count);
  return COPSE_OK;
}

/* So many of the items in all that building anew takes less time than moving those that left their
 * cells: measured with 1,500, 10,000 and 100,000 boxes. */
enum { ONE_LEFT_OF = 6 };

copse_status copse_octree_move_all(copse_octree *tree, uint32_t *firstBad) {
  const uint32_t count = tree->slots.used, dim = tree->def.dimensions;
  uint32_t left = 0;
  const copse_status status = look_at(tree, count, false, &left, firstBad);
  if (status != COPSE_OK) return status;
  if (left > count / ONE_LEFT_OF) {
    build_anew(tree, count);
    return COPSE_OK;
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t slot = tree->order[0][i];
    const float *box = tree->boxes + (size_t)slot * 2 * dim;
    if (dim == 3)
      move_3d(tree, slot, box);
    else
      move_2d(tree, slot, box);
  }
  return COPSE_OK;
}
