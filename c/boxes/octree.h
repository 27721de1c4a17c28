/* The quadtree and the octree: one implementation. A node has 2^dimensions children or none.
 *
 * A node divides space at its center. An item descends to the child whose cell contains the middle
 * of its box, if this cell, enlarged by a margin, contains the whole box. Otherwise the item stays
 * in the node. Cells at the border of the world extend to infinity, so that items outside of the
 * world are found like any others. A node whose depth is less than the maximum is split if and only
 * if its subtree holds more than leafSize items, unless there is no room for more nodes. As long as
 * there is room, the cells depend only on the current items, not on how they were added or moved.
 *
 * A node's items lie in blocks of eight, and queries test four of them at a time. All blocks of a
 * node but the first are full, and the tree stores the place of each item, so that removing or
 * moving an item needs no search.
 *
 * After R. A. Finkel, J. L. Bentley, "Quad trees" (1974), and for the margins T. Ulrich, "Loose
 * octrees" (2000). */
#ifndef COPSE_OCTREE_H
#define COPSE_OCTREE_H

#include "../base/geom.h"

typedef struct octree_node {
  float lo[3];       /* low corner of the cell; -INFINITY at the border of the world */
  uint32_t children; /* index of the first of 2^dimensions siblings; 0: a leaf */
  float hi[3];
  uint32_t total; /* number of items in the node's subtree, including those in the node itself */
  float center[3];
  uint32_t own;    /* number of items that the node itself holds */
  uint32_t block;  /* first block of the items in the node itself; COPSE_NONE: no items */
  uint32_t parent; /* COPSE_NONE for the root */
  uint32_t depth;
  uint32_t unused; /* pads the node to a cache line */
} octree_node;

enum { BLOCK_ITEMS = 8 };

/* The boxes and ids of up to eight items: an item has the same index, its lane, in all arrays. In
 * lanes without an item, sides[0] is NaN, which no test accepts. */
typedef struct octree_block {
  uint32_t ids[BLOCK_ITEMS];
  uint32_t next;  /* the next block of the node, or of the free list */
  uint32_t owner; /* the node that holds these items */
  uint32_t unused[2];
  float sides[6][BLOCK_ITEMS]; /* lo x, y, (z,) hi x, y, (z); a 2D block has only four of the six
                                * arrays */
} octree_block;

enum { OCTREE_DEPTH = COPSE_OCTREE_MAX_DEPTH, OCTREE_STACK = 7 * OCTREE_DEPTH + 1 };

struct copse_octree {
  copse_octree_def def;
  void *memory; /* the block that holds all arrays */
  uint64_t memoryBytes;

  /* Arrays with an entry per slot of an item. */
  slots slots;
  float *boxes; /* the caller may write new boxes here, see copse_octree_move_all */
  uint32_t *groups;
  uint32_t *places; /* where each item is stored: block * BLOCK_ITEMS + lane */

  octree_node *nodes; /* the root, then groups of 2^dimensions siblings */
  uint32_t nodeCapacity;
  uint32_t nodesEver;    /* nodes from this index on are unused, and not in the free list */
  uint32_t freeSiblings; /* free list of groups of siblings, linked by `parent` of the first node of
                          * each group; 0: empty */
  uint32_t nodesUsed;

  char *blocks; /* the octree_blocks; their size depends on the dimensions: use octree_block_at */
  uint32_t blockCapacity;
  uint32_t blocksEver; /* blocks from this index on are unused, and not in the free list */
  uint32_t freeBlock;  /* first block of the free list; COPSE_NONE: empty */
  uint32_t blocksUsed;

  float (*margins)[4]; /* by depth of a node: how far its cell is enlarged on each side along x, y,
                        * z */
  uint32_t *order[2];  /* scratch memory: an entry per slot */
  uint64_t changes;
};

/* ---- Boxes of items, and cells ---- */

ALWAYS_INLINE uint32_t octree_children(const int dim) { return 1u << dim; }

/* Returns on which side of a node's center an item is, one bit per axis: set if the middle of the
 * item's box is at the center or on its high side. Compares the distances of the center from both
 * sides of the box, because the middle, (lo + hi) / 2, may be rounded. */
ALWAYS_INLINE uint32_t octree_side(const octree_node *node, box4 item, const int dim) {
  const float4 center = float4_load(node->center);
  const float4 below = float4_sub(center, item.lo), above = float4_sub(item.hi, center);
  return word4_bits(float4_le(below, above)) & (octree_children(dim) - 1);
}

/* Returns a node's cell, enlarged by its margin. */
ALWAYS_INLINE box4 octree_cell(const copse_octree *tree, const octree_node *node) {
  const float4 margin = float4_load(tree->margins[node->depth]);
  return (box4){float4_sub(float4_load(node->lo), margin),
                float4_add(float4_load(node->hi), margin)};
}

/* True if a node's cell with its margin contains an item. */
ALWAYS_INLINE bool octree_fits(const copse_octree *tree, const octree_node *node, box4 item,
                               const int dim) {
  const box4 cell = octree_cell(tree, node);
  const word4 inside = word4_and(float4_le(cell.lo, item.lo), float4_le(item.hi, cell.hi));
  return (~word4_bits(inside) & (octree_children(dim) - 1)) == 0;
}

/* Returns the child that an item of a split node goes down to, or 0 if the item stays in the node.
 */
ALWAYS_INLINE uint32_t octree_child_for(const copse_octree *tree, const octree_node *node,
                                        box4 item, const int dim) {
  const uint32_t child = node->children + octree_side(node, item, dim);
  return octree_fits(tree, &tree->nodes[child], item, dim) ? child : 0;
}

/* True if an item belongs in a node or in its subtree: the node's cell contains the middle of the
 * item's box, and the cell with its margin contains the whole box. The nodes above need no test:
 * their cells with margins contain this one, even after rounding. */
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
ALWAYS_INLINE octree_block *octree_block_at(const copse_octree *tree, uint32_t blockIndex,
                                            const int dim) {
  return (octree_block *)(void *)(tree->blocks + blockIndex * octree_block_bytes(dim));
}
ALWAYS_INLINE octree_block *octree_block_of(const copse_octree *tree, uint32_t slot,
                                            const int dim) {
  return octree_block_at(tree, tree->places[slot] / BLOCK_ITEMS, dim);
}

/* Writes the box that the tree stores for an item: 2 * dim floats. */
ALWAYS_INLINE void octree_box(const copse_octree *tree, uint32_t slot, float *box, const int dim) {
  const octree_block *block = octree_block_of(tree, slot, dim);
  const uint32_t lane = tree->places[slot] % BLOCK_ITEMS;
  UNROLL for (int side = 0; side < 2 * dim; side++) box[side] = block->sides[side][lane];
}

/* Returns how many items a node's block holds. All blocks hold eight, but the node's first block
 * may hold fewer. */
ALWAYS_INLINE uint32_t octree_block_size(const octree_node *node, uint32_t blockIndex) {
  return blockIndex == node->block ? (node->own - 1) % BLOCK_ITEMS + 1 : BLOCK_ITEMS;
}

/* True if an item passes a query's mask and is not excluded. Reads the array of groups that the
 * caller writes, so that a changed group takes effect at once. */
ALWAYS_INLINE bool octree_wants(const copse_octree *tree, const copse_query *query, uint32_t id) {
  return (tree->groups[id] & query->mask) && id != query->exclude;
}

ALWAYS_INLINE bool octree_should_split(const copse_octree *tree, const octree_node *node) {
  return !node->children && node->total > tree->def.leafSize && node->depth < tree->def.maxDepth;
}

/* ---- One function body for two and three dimensions ---- */

/* Calls an inlined function with the tree's number of dimensions as a constant last argument. */
#define OCTREE_INLINE(function, tree, ...)                                                         \
  ((tree)->def.dimensions == 3 ? function(tree, __VA_ARGS__, 3) : function(tree, __VA_ARGS__, 2))

/* Defines a function `name` that evaluates the expression `call`, in which `dim`, the number of
 * dimensions, is a constant. The function is compiled twice, out of line: for 2 and for 3
 * dimensions. Its first parameter must be `tree`. `arguments` are the names of all parameters, in
 * parentheses. */
#define OCTREE_FUNCTION(type, name, parameters, arguments, call)                                   \
  OCTREE_DEFINE(type, return, name, parameters, arguments, call)
/* Like OCTREE_FUNCTION, for a function that returns nothing. */
#define OCTREE_PROCEDURE(name, parameters, arguments, call)                                        \
  OCTREE_DEFINE(void, , name, parameters, arguments, call)

#define OCTREE_DEFINE(type, result, name, parameters, arguments, call)                             \
  OUT_OF_LINE type name##_2d parameters {                                                          \
    enum { dim = 2 };                                                                              \
    result call;                                                                                   \
  }                                                                                                \
  OUT_OF_LINE type name##_3d parameters {                                                          \
    enum { dim = 3 };                                                                              \
    result call;                                                                                   \
  }                                                                                                \
  ALWAYS_INLINE type name parameters {                                                             \
    result tree->def.dimensions == 3 ? name##_3d arguments : name##_2d arguments;                  \
  }

/* ---- Shared by the files of this folder ---- */

/* Returns which of the eight items of a block intersect a box, a bit each. */
uint32_t octree_block_near(const octree_block *block, const float *lo, const float *hi, int dim);
/* True if a box has finite coordinates and lo <= hi on every axis. Otherwise sets *status. */
bool octree_box_ok(const float *box, uint32_t dimensions, copse_status *status);
/* Adds an item to those that a node itself holds. Does not change the node's total. */
void octree_link(copse_octree *tree, uint32_t nodeIndex, uint32_t slot, const float *box);
/* Splits a node: gives it empty children. The items stay in the node. False if there is no room for
 * more nodes. */
bool octree_split(copse_octree *tree, uint32_t nodeIndex);
/* Makes the tree one empty leaf. */
void octree_empty(copse_octree *tree);
/* Builds the tree from the first `count` slots in order[0] and their boxes in `boxes`. */
void octree_rebuild(copse_octree *tree, uint32_t count);

#endif
