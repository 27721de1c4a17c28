/* The state of the quadtree and the octree: cells to draw, statistics, validation, snapshots. */

#include "../base/snapshot.h"
#include "octree.h"

#include <math.h>
#include <string.h>

/* ---- Nodes in preorder -------------------------------------------------------------------- */

typedef struct preorder {
  uint32_t stack[OCTREE_STACK], waiting;
} preorder;

static void preorder_start(preorder *walk) {
  walk->stack[0] = 0;
  walk->waiting = 1;
}

/* Returns the next node, or NULL after the last. */
static const octree_node *preorder_next(preorder *walk, const copse_octree *tree) {
  if (!walk->waiting) return NULL;
  const octree_node *node = &tree->nodes[walk->stack[--walk->waiting]];
  if (node->children)
    for (uint32_t i = 1u << tree->def.dimensions; i-- > 0;)
      walk->stack[walk->waiting++] = node->children + i;
  return node;
}

size_t copse_octree_cells(const copse_octree *tree, size_t skipped, float *out, size_t capacity) {
  const size_t dim = tree->def.dimensions;
  drawing rows = {out, skipped, capacity, 2 * dim + 2, 0};
  preorder walk;
  preorder_start(&walk);
  for (const octree_node *node; (node = preorder_next(&walk, tree));) {
    float *cell = drawing_next(&rows);
    if (!cell) continue;
    for (size_t axis = 0; axis < dim; axis++) {
      const float lo = node->lo[axis], hi = node->hi[axis];
      cell[axis] = lo > -INFINITY ? lo : tree->def.bounds[axis];
      cell[dim + axis] = hi < INFINITY ? hi : tree->def.bounds[dim + axis];
    }
    cell[2 * dim] = (float)node->depth;
    cell[2 * dim + 1] = (float)node->total;
  }
  return rows.floats;
}

/* True if a box is not wholly inside the world's bounds. */
static bool is_outside(const copse_octree *tree, const float *box) {
  const uint32_t dim = tree->def.dimensions;
  bool outside = false;
  for (uint32_t axis = 0; axis < dim; axis++)
    outside |= box[axis] < tree->def.bounds[axis] || box[dim + axis] > tree->def.bounds[dim + axis];
  return outside;
}

static void box_of(const copse_octree *tree, uint32_t slot, float *box) {
  OCTREE_INLINE(octree_box, tree, slot, box);
}

copse_octree_statistics copse_octree_stats(const copse_octree *tree) {
  copse_octree_statistics stats = {.items = tree->slots.used,
                                   .nodes = tree->nodesUsed,
                                   .changes = tree->changes,
                                   .bytes = (size_t)(sizeof *tree + tree->memoryBytes)};
  preorder walk;
  preorder_start(&walk);
  for (const octree_node *node; (node = preorder_next(&walk, tree));) {
    if (node->depth > stats.depth) stats.depth = node->depth;
    stats.perDepth[node->depth] += node->own;
    if (node->children)
      stats.straddlers += node->own;
    else {
      stats.leaves++;
      stats.unsplit += octree_should_split(tree, node);
    }
  }
  for (uint32_t slot = 0; slot < tree->def.capacity; slot++) {
    float box[6];
    if (!slots_in_use(&tree->slots, slot)) continue;
    box_of(tree, slot, box);
    stats.outside += is_outside(tree, box);
  }
  return stats;
}

/* ---- Validation --------------------------------------------------------------------------- */

/* Checks the items that a node itself holds. True if each of their blocks names the node as its
 * owner, tree->places has the place of each item, and each item's box belongs in this node. */
ALWAYS_INLINE bool items_valid(const copse_octree *tree, const octree_node *node, const int dim) {
  uint32_t seen = 0;
  const octree_block *block;
  for (uint32_t blockIndex = node->block; blockIndex != COPSE_NONE; blockIndex = block->next) {
    block = octree_block_at(tree, blockIndex, dim);
    const uint32_t size = octree_block_size(node, blockIndex);
    if (&tree->nodes[block->owner] != node || seen >= node->own) return false;
    for (uint32_t lane = 0; lane < BLOCK_ITEMS; lane++) {
      if (lane >= size) {
        if (!isnan(block->sides[0][lane])) return false;
        continue;
      }
      const uint32_t slot = block->ids[lane];
      if (!slots_in_use(&tree->slots, slot) ||
          tree->places[slot] != blockIndex * BLOCK_ITEMS + lane)
        return false;
      float box[6 + BOX_PADDING] = {0};
      octree_box(tree, slot, box, dim);
      const box4 item = box4_load(box, dim);
      if (!octree_comes_to(tree, node, item, dim) ||
          (node->children && octree_child_for(tree, node, item, dim)))
        return false;
    }
    seen += size;
  }
  return seen == node->own;
}

static uint32_t blocks_of(const octree_node *node) {
  return (node->own + BLOCK_ITEMS - 1) / BLOCK_ITEMS;
}

bool copse_octree_validate(const copse_octree *tree) {
  const uint32_t dim = tree->def.dimensions, siblings = 1u << dim;
  uint32_t nodes = 0, items = 0, blocks = 0, freeNodes = 0, freeBlocks = 0, generations = 0;
  preorder walk;
  preorder_start(&walk);
  for (const octree_node *node; (node = preorder_next(&walk, tree)); nodes++) {
    items += node->own;
    blocks += blocks_of(node);
    uint32_t total = node->own;
    for (uint32_t i = 0; node->children && i < siblings; i++) {
      const octree_node *child = &tree->nodes[node->children + i];
      if (child->parent != (uint32_t)(node - tree->nodes) || child->depth != node->depth + 1)
        return false;
      total += child->total;
    }
    const bool hasMany = node->total > tree->def.leafSize;
    if (total != node->total ||
        (node->children && (!hasMany || node->depth >= tree->def.maxDepth)) ||
        !OCTREE_INLINE(items_valid, tree, node))
      return false;
  }
  for (uint32_t i = tree->freeSiblings; i; i = tree->nodes[i].parent) freeNodes += siblings;
  for (uint32_t i = tree->freeBlock; i != COPSE_NONE;) {
    i = octree_block_at(tree, i, (int)dim)->next;
    freeBlocks++;
  }
  for (uint32_t slot = 0; slot < tree->def.capacity; slot++)
    generations += tree->slots.generations[slot] & 1;
  return items == tree->slots.used && generations == items && nodes == tree->nodesUsed &&
         nodes + freeNodes == tree->nodesEver && tree->nodesEver <= tree->nodeCapacity &&
         blocks == tree->blocksUsed && blocks + freeBlocks == tree->blocksEver &&
         tree->blocksEver <= tree->blockCapacity;
}

/* ---- Snapshots ---------------------------------------------------------------------------- */

/* The head of a snapshot. It is followed by the generations and the groups of all slots, then by
 * the slots of the items, then by their boxes in the same order. The items are sorted by node, in
 * preorder. Within a node, they are in the order in which its blocks (octree_block) store them, the
 * oldest block first. So a tree that is built from these slots and boxes stores the items of each
 * node in the same order as the saved tree, unless the saved tree had no room for more nodes. */
typedef struct octree_snapshot {
  snapshot_header header;
  uint32_t dimensions, leafSize, maxDepth;
  uint32_t looseness, bounds[6]; /* the bits of floats */
  uint32_t slots;                /* 1 + the highest slot that was ever in use; 0: none was */
  uint32_t count;
} octree_snapshot;
_Static_assert(sizeof(octree_snapshot) <= SNAPSHOT_HEAD, "the head of a snapshot");

static octree_snapshot snapshot_head(const copse_octree *tree) {
  const copse_octree_def *def = &tree->def;
  octree_snapshot head = {.dimensions = def->dimensions,
                          .leafSize = def->leafSize,
                          .maxDepth = def->maxDepth,
                          .count = tree->slots.used};
  memcpy(&head.looseness, &def->looseness, sizeof def->looseness);
  memcpy(head.bounds, def->bounds, (size_t)2 * def->dimensions * sizeof *def->bounds);
  head.slots = tree->slots.ever;
  return head;
}

static uint64_t snapshot_bytes(const octree_snapshot *head) {
  return sizeof *head + 8 * (uint64_t)head->slots +
         4 * (uint64_t)head->count * (1 + 2 * head->dimensions);
}

copse_status copse_octree_save(const copse_octree *tree, void *bytes, size_t capacity,
                               size_t *total) {
  const octree_snapshot head = snapshot_head(tree);
  const uint64_t size = snapshot_bytes(&head);
  *total = size_of(size);
  snapshot_put_head(bytes, capacity, &head, sizeof head);
  if (size > capacity) return COPSE_FULL;
  uint32_t *generations = (uint32_t *)((char *)bytes + sizeof head);
  uint32_t *groups = generations + head.slots, *order = groups + head.slots;
  memcpy(generations, tree->slots.generations, head.slots * sizeof *generations);
  memcpy(groups, tree->groups, head.slots * sizeof *groups);
  uint32_t begin = 0;
  preorder walk;
  preorder_start(&walk);
  for (const octree_node *node; (node = preorder_next(&walk, tree)); begin += node->own) {
    /* Fills order[begin … end - 1] from its end: a node's newest block is the first in its list. */
    uint32_t end = begin + node->own;
    for (uint32_t blockIndex = node->block; blockIndex != COPSE_NONE;) {
      const octree_block *block = octree_block_at(tree, blockIndex, (int)head.dimensions);
      for (uint32_t lane = octree_block_size(node, blockIndex); lane-- > 0;)
        order[--end] = block->ids[lane];
      blockIndex = block->next;
    }
  }
  float *boxes = (float *)(void *)(order + head.count);
  for (uint32_t i = 0; i < head.count; i++)
    box_of(tree, order[i], boxes + (size_t)i * 2 * head.dimensions);
  snapshot_seal(bytes, size, SNAPSHOT_OCTREE);
  return COPSE_OK;
}

/* True if the items of a snapshot are valid: each slot in use has exactly one box, whose
 * coordinates are finite with lo <= hi. `seen` is scratch memory, one entry per slot. */
static bool items_ok(const octree_snapshot *head, const uint32_t *generations,
                     const uint32_t *order, const float *boxes, uint32_t *seen) {
  uint32_t inUse = 0;
  for (uint32_t slot = 0; slot < head->slots; slot++) {
    inUse += generations[slot] & 1;
    seen[slot] = 0;
  }
  for (uint32_t i = 0; i < head->count; i++) {
    copse_status status;
    if (order[i] >= head->slots || !(generations[order[i]] & 1) || seen[order[i]]++ ||
        !octree_box_ok(boxes + (size_t)i * 2 * head->dimensions, head->dimensions, &status))
      return false;
  }
  return inUse == head->count;
}

copse_status copse_octree_restore(copse_octree *tree, const void *bytes, size_t size,
                                  uint32_t *needed) {
  octree_snapshot head, expected = snapshot_head(tree);
  const copse_status status = snapshot_open(bytes, size, SNAPSHOT_OCTREE, &head, sizeof head);
  if (status != COPSE_OK) return status;
  expected.header = head.header;
  expected.slots = head.slots;
  expected.count = head.count;
  if (memcmp(&head, &expected, sizeof head) != 0 || size != snapshot_bytes(&head))
    return COPSE_BAD_SNAPSHOT;
  if (needed) *needed = head.slots;
  if (head.slots > tree->def.capacity) return COPSE_FULL;
  const uint32_t *generations = (const uint32_t *)((const char *)bytes + sizeof head);
  const uint32_t *groups = generations + head.slots, *order = groups + head.slots;
  const float *boxes = (const float *)(const void *)(order + head.count);
  if (!items_ok(&head, generations, order, boxes, tree->order[0])) return COPSE_BAD_SNAPSHOT;

  const size_t sides = (size_t)2 * head.dimensions;
  memset(tree->slots.generations, 0, tree->def.capacity * sizeof *generations);
  memcpy(tree->slots.generations, generations, head.slots * sizeof *generations);
  slots_recount(&tree->slots);
  for (uint32_t slot = 0; slot < tree->def.capacity; slot++)
    tree->groups[slot] = slot < head.slots ? groups[slot] : 1;
  for (uint32_t i = 0; i < head.count; i++) {
    for (size_t side = 0; side < sides; side++)
      tree->boxes[order[i] * sides + side] = boxes[i * sides + side] + 0.0f;
    tree->order[0][i] = order[i];
  }
  octree_rebuild(tree, head.count);
  tree->changes++;
  return COPSE_OK;
}
