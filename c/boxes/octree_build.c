/* The tree of many items at once: from above, each node's items are sorted to its children. */

#include "octree.h"

/* Some items in a row of order[0], all of one node. */
typedef struct part {
  uint32_t node, begin, end;
} part;

/* Links what stays in a node, and sorts the others to its children, in their order. Answers with
 * the ends of the children's parts. */
ALWAYS_INLINE void distribute(copse_octree *tree, part whole, uint32_t ends[8], const int dim) {
  const octree_node *node = &tree->nodes[whole.node];
  const uint32_t stays = octree_children(dim);
  uint32_t counts[9] = {0};
  for (uint32_t i = whole.begin; i < whole.end; i++) {
    const uint32_t slot = tree->order[0][i];
    const float *box = tree->boxes + (size_t)slot * 2 * (uint32_t)dim;
    const uint32_t child = octree_child_for(tree, node, box4_load(box, dim), dim);
    const uint32_t to = child ? child - node->children : stays;
    if (!child) octree_link(tree, whole.node, slot, box);
    counts[to]++;
    tree->places[slot] = child ? to : tree->places[slot];
    tree->order[1][i] = child ? slot : COPSE_NONE;
  }
  uint32_t next[8], at = whole.begin;
  for (uint32_t i = 0; i < stays; i++) {
    next[i] = at;
    at += counts[i];
    ends[i] = at;
  }
  for (uint32_t i = whole.begin; i < whole.end; i++) {
    const uint32_t slot = tree->order[1][i];
    if (slot != COPSE_NONE) tree->order[0][next[tree->places[slot]]++] = slot;
  }
}

ALWAYS_INLINE void rebuild_in(copse_octree *tree, uint32_t count, const int dim) {
  part stack[OCTREE_STACK] = {{0, 0, count}};
  octree_empty(tree);
  for (uint32_t waiting = 1; waiting;) {
    const part whole = stack[--waiting];
    octree_node *node = &tree->nodes[whole.node];
    node->total = whole.end - whole.begin;
    if (!octree_should_split(tree, node) || !octree_split(tree, whole.node)) {
      for (uint32_t i = whole.begin; i < whole.end; i++) {
        const uint32_t slot = tree->order[0][i];
        octree_link(tree, whole.node, slot, tree->boxes + (size_t)slot * 2 * (uint32_t)dim);
      }
      continue;
    }
    uint32_t ends[8];
    distribute(tree, whole, ends, dim);
    for (uint32_t i = octree_children(dim); i-- > 0;) {
      const uint32_t begin = i ? ends[i - 1] : whole.begin;
      if (begin < ends[i]) stack[waiting++] = (part){node->children + i, begin, ends[i]};
    }
  }
}

void octree_rebuild(copse_octree *tree, uint32_t count) {
  if (tree->def.dimensions == 3)
    rebuild_in(tree, count, 3);
  else
    rebuild_in(tree, count, 2);
}
