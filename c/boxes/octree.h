/* The quadtree and the octree: one implementation, with 2^dimensions children.
 *
 * A node divides space at its center. An item goes down to the child on whose side of the center
 * its own middle lies, as long as the child's cell, enlarged by its margin, holds all of it; else
 * it stays. Cells at the border of the world reach to infinity, so that items outside are found
 * like any others. A node is split if and only if it may be and holds, with all below it, more than
 * leafSize items: so the cells are a function of the items alone, whatever their history.
 *
 * A node's items lie in blocks of eight, of which queries test four at a time. All blocks of a node
 * but the first are full, and each item knows its place, so that it is removed or moved without a
 * search.
 *
 * After R. A. Finkel, J. L. Bentley, "Quad trees" (1974), and for the margins T. Ulrich, "Loose
 * octrees" (2000). */
#ifndef COPSE_OCTREE_H
#define COPSE_OCTREE_H

#include "../base/geom.h"

typedef struct octree_node {
  float lo[3];       /* of its cell; the world's border is infinitely far */
  uint32_t children; /* the first of them, which lie in a row; 0: it is not split */
  float hi[3];
  uint32_t total; /* items in it and below */
  float center[3];
  uint32_t own;    /* items that it holds itself */
  uint32_t block;  /* the first, COPSE_NONE: it holds none */
  uint32_t parent; /* COPSE_NONE: it is the root */
  uint32_t depth;
  uint32_t unused; /* a cache line in all */
} octree_node;

enum { BLOCK_ITEMS = 8 };

/* Lanes without an item have sides[0] NaN, which no test accepts. */
typedef struct octree_block {
  uint32_t ids[BLOCK_ITEMS];
  uint32_t next;  /* of the same node, or of the free ones */
  uint32_t owner; /* its node */
  uint32_t unused[2];
  float sides[6][BLOCK_ITEMS]; /* lo x, y, (z,) hi x, y, (z): in 2D the last two are not there */
} octree_block;

enum { OCTREE_DEPTH = COPSE_OCTREE_MAX_DEPTH, OCTREE_STACK = 7 * OCTREE_DEPTH + 1 };

struct copse_octree {
  copse_octree_def def;
  void *memory; /* holds all arrays */
  uint64_t memoryBytes;

  /* By slot. */
  slots slots;
  float *boxes; /* the caller's side */
  uint32_t *groups;
  uint32_t *places; /* block * BLOCK_ITEMS + lane */

  octree_node *nodes; /* the root, then siblings in a row */
  uint32_t nodeCapacity;
  uint32_t nodesEver;    /* nodes handed out so far: those behind are fresh */
  uint32_t freeSiblings; /* the first of some siblings; a list by their `parent`; 0: none */
  uint32_t nodesUsed;

  char *blocks; /* see octree_block_at */
  uint32_t blockCapacity;
  uint32_t blocksEver;
  uint32_t freeBlock; /* COPSE_NONE: none */
  uint32_t blocksUsed;

  float (*margins)[4]; /* by depth; the lanes x, y, z */
  uint32_t *order[2];  /* room for all items: of a build, and of the check of a snapshot */
  uint64_t changes;
};

/* ---- Boxes of items, and cells ---- */

ALWAYS_INLINE uint32_t octree_children(const int dim) { return 1u << dim; }

/* On which side of a center an item is, one bit an axis: high if its middle lies there or on it. A
 * comparison of differences, since a sum may be rounded. */
ALWAYS_INLINE uint32_t octree_side(const octree_node *node, box4 item, const int dim) {
  const float4 center = float4_load(node->center);
  const float4 below = float4_sub(center, item.lo), above = float4_sub(item.hi, center);
  return word4_bits(float4_le(below, above)) & (octree_children(dim) - 1);
}

/* A cell with its margin. */
ALWAYS_INLINE box4 octree_cell(const copse_octree *tree, const octree_node *node) {
  const float4 margin = float4_load(tree->margins[node->depth]);
  return (box4){float4_sub(float4_load(node->lo), margin),
                float4_add(float4_load(node->hi), margin)};
}

ALWAYS_INLINE bool octree_fits(const copse_octree *tree, const octree_node *node, box4 item,
                               const int dim) {
  const box4 cell = octree_cell(tree, node);
  const word4 inside = word4_and(float4_le(cell.lo, item.lo), float4_le(item.hi, cell.hi));
  return (~word4_bits(inside) & (octree_children(dim) - 1)) == 0;
}

/* The child that an item of a split node goes down to; 0: it stays. */
ALWAYS_INLINE uint32_t octree_child_for(const copse_octree *tree, const octree_node *node,
                                        box4 item, const int dim) {
  const uint32_t child = node->children + octree_side(node, item, dim);
  return octree_fits(tree, &tree->nodes[child], item, dim) ? child : 0;
}

/* Whether an item, on its way from the root, comes to a node: it fits, and its middle is on this
 * side of every border of the cell. What fits a cell fits those around it, since no step of the
 * rounding changes an order. */
ALWAYS_INLINE bool octree_comes_to(const copse_octree *tree, const octree_node *node, box4 item,
                                   const int dim) {
  const float4 lo = float4_load(node->lo), hi = float4_load(node->hi);
  const word4 above = float4_le(float4_sub(lo, item.lo), float4_sub(item.hi, lo));
  const word4 below = float4_lt(float4_sub(item.hi, hi), float4_sub(hi, item.lo));
  return (~word4_bits(word4_and(above, below)) & (octree_children(dim) - 1)) == 0 &&
         octree_fits(tree, node, item, dim);
}

ALWAYS_INLINE size_t octree_block_bytes(const int dim) {
  return offsetof(octree_block, sides) + 2 * (size_t)dim * BLOCK_ITEMS * sizeof(float);
}
ALWAYS_INLINE octree_block *octree_block_at(const copse_octree *tree, uint32_t block,
                                            const int dim) {
  return (octree_block *)(void *)(tree->blocks + block * octree_block_bytes(dim));
}
/* The block in which an item lies. */
ALWAYS_INLINE octree_block *octree_block_of(const copse_octree *tree, uint32_t slot,
                                            const int dim) {
  return octree_block_at(tree, tree->places[slot] / BLOCK_ITEMS, dim);
}

/* The box of an item as the tree has it, as 2 * dimensions floats. */
ALWAYS_INLINE void octree_box(const copse_octree *tree, uint32_t slot, float *box, const int dim) {
  const octree_block *block = octree_block_of(tree, slot, dim);
  const uint32_t lane = tree->places[slot] % BLOCK_ITEMS;
  UNROLL for (int side = 0; side < 2 * dim; side++) box[side] = block->sides[side][lane];
}

/* How many of a block's lanes hold items. */
ALWAYS_INLINE uint32_t octree_block_size(const octree_node *node, uint32_t block) {
  return block == node->block ? (node->own - 1) % BLOCK_ITEMS + 1 : BLOCK_ITEMS;
}

/* Whether a query looks for an item. Groups are read where the caller writes them: what he writes
 * counts at once. */
ALWAYS_INLINE bool octree_wants(const copse_octree *tree, const copse_query *query, uint32_t id) {
  return (tree->groups[id] & query->mask) && id != query->exclude;
}

/* Whether a node holds too much for a leaf. */
ALWAYS_INLINE bool octree_should_split(const copse_octree *tree, const octree_node *node) {
  return !node->children && node->total > tree->def.leafSize && node->depth < tree->def.maxDepth;
}

/* ---- Changes that several files make ---- */

/* Whether a box is one: finite, and no side negative. */
bool octree_box_ok(const float *box, uint32_t dimensions, copse_status *status);
/* Appends an item to those of a node; its total is the caller's to count. */
void octree_link(copse_octree *tree, uint32_t node, uint32_t slot, const float *box);
/* Makes a node's children; false: the pool has no more. */
bool octree_split(copse_octree *tree, uint32_t node);
/* The tree of no items. */
void octree_empty(copse_octree *tree);
/* Builds anew from the first `count` slots of order[0], whose boxes are the caller's. */
void octree_rebuild(copse_octree *tree, uint32_t count);

#endif
