/* Building the quadtree and the octree top-down: each node's items are sorted by child. */

#include "octree.h"

/* The items that belong in a node or below it: entries begin … end - 1 of the tree's list of slots,
 * order[0]. */
typedef struct item_range {
  uint32_t node, begin, end;
} item_range;

/* Distributes a node's range of items over its children. Items that fit into no child become items
 * of the node itself. The others are sorted by child, in a stable order. Writes the end of each
 * child's range to `ends`; the range of the next child begins there. */
ALWAYS_INLINE void distribute(copse_octree *tree, item_range range, uint32_t ends[8],
                              const int dim) {
  const octree_node *node = &tree->nodes[range.node];
  const uint32_t children = octree_children(dim);
  uint32_t counts[9] = {0};
  for (uint32_t i = range.begin; i < range.end; i++) {
    const uint32_t slot = tree->order[0][i];
    const float *box = tree->boxes + (size_t)slot * 2 * (uint32_t)dim;
    const uint32_t childIndex = octree_child_for(tree, node, box4_load(box, dim), dim);
    const uint32_t child = childIndex ? childIndex - node->children : children;
    if (!childIndex) octree_link(tree, range.node, slot, box);
    counts[child]++;
    tree->places[slot] = childIndex ? child : tree->places[slot];
    tree->order[1][i] = childIndex ? slot : COPSE_NONE;
  }
  uint32_t next[8], end = range.begin;
  for (uint32_t i = 0; i < children; i++) {
    next[i] = end;
    end += counts[i];
    ends[i] = end;
  }
  for (uint32_t i = range.begin; i < range.end; i++) {
    const uint32_t slot = tree->order[1][i];
    if (slot != COPSE_NONE) tree->order[0][next[tree->places[slot]]++] = slot;
  }
}

ALWAYS_INLINE void rebuild_in(copse_octree *tree, uint32_t count, const int dim) {
  item_range stack[OCTREE_STACK] = {{0, 0, count}};
  octree_empty(tree);
  for (uint32_t waiting = 1; waiting;) {
    const item_range range = stack[--waiting];
    octree_node *node = &tree->nodes[range.node];
    node->total = range.end - range.begin;
    if (!octree_should_split(tree, node) || !octree_split(tree, range.node)) {
      for (uint32_t i = range.begin; i < range.end; i++) {
        const uint32_t slot = tree->order[0][i];
        octree_link(tree, range.node, slot, tree->boxes + (size_t)slot * 2 * (uint32_t)dim);
      }
      continue;
    }
    uint32_t ends[8];
    distribute(tree, range, ends, dim);
    for (uint32_t i = octree_children(dim); i-- > 0;) {
      const uint32_t begin = i ? ends[i - 1] : range.begin;
      if (begin < ends[i]) stack[waiting++] = (item_range){node->children + i, begin, ends[i]};
    }
  }
}

void octree_rebuild(copse_octree *tree, uint32_t count) { OCTREE_INLINE(rebuild_in, tree, count); }
