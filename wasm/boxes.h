/* The struct of a quadtree or octree in the interface to JavaScript, for boxes.c and frustum.c. */
#ifndef COPSE_WASM_BOXES_H
#define COPSE_WASM_BOXES_H

#include "objects.h"

typedef struct boxes {
  object object;
  copse_octree *core;
  copse_results results; /* of the last single query; its arrays hold `capacity` items */
  copse_box_hit hit;     /* the result of the last raycast */
  uint32_t perDepth[COPSE_OCTREE_MAX_DEPTH + 1];
} boxes;
_Static_assert(sizeof(boxes) <= OBJECT_BYTES, "see any_object");

/* Returns the tree of a handle; NULL if the handle is stale. */
boxes *boxes_of(int32_t handle);

#endif
