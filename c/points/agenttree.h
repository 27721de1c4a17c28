/* The agent tree: a bucketed k-d tree that is rebuilt after all agents moved.
 *
 * The agents are stored in *tree order*, in separate arrays for coordinates, ids and groups. Every
 * node owns a run of agents, begin … end - 1 in tree order, and the tight bounds of that run. Nodes
 * are stored in preorder: a left child directly follows its parent, and the parent stores the index
 * of its right child. In each leaf, ids ascend: a build begins with all agents in the order of
 * their ids, and no split changes the order of the agents on its side. So the tree depends only on
 * the agents, not on earlier builds.
 *
 * After J. L. Bentley, "Multidimensional binary search trees used for associative searching"
 * (1975), with buckets as in J. H. Friedman, J. L. Bentley, R. A. Finkel, "An algorithm for finding
 * best matches in logarithmic expected time" (1977). */
#ifndef COPSE_AGENTTREE_H
#define COPSE_AGENTTREE_H

#include "points.h"

typedef struct agenttree_node {
  uint32_t begin, end;
  uint32_t right;     /* index of the right child; 0 if the node is a leaf */
  uint32_t anyGroups; /* group bits that at least one agent of the node has */
  uint32_t allGroups; /* group bits that all agents of the node have */
  /* Inner nodes only: the axis of the split, and two bounds along this axis. leftMost is the upper
   * bound of the left child, rightLeast the lower bound of the right child. */
  uint32_t axis;
  float leftMost, rightLeast;
} agenttree_node;

struct agenttree {
  copse_points points;
  uint32_t leafSize;
  copse_axis axis;
  copse_split split;
  agenttree_node *nodes;
  float *bounds; /* 2 * dimensions floats per node */
  uint32_t nodeCount;
  /* Scratch memory for the build: as many entries as points.ordered. spare.ids shares the memory of
   * points.ordered.groups, which the build writes last. */
  scan_points spare;
};

ALWAYS_INLINE const float *agenttree_box(const struct agenttree *tree, uint32_t index,
                                         const int dim) {
  return tree->bounds + (size_t)index * 2 * (size_t)dim;
}

/* Returns the filter that a query needs for the agents of a node. The filter does not test groups
 * if all agents of the node are known to match the mask. */
ALWAYS_INLINE scan_filter agenttree_filter(const agenttree_node *node, const copse_query *query) {
  bool testGroups = query->mask != COPSE_ALL_GROUPS && !(node->allGroups & query->mask);
  return (scan_filter){query->mask, query->exclude, testGroups};
}

/* The squared distances from a point to the two children of a node, measured along the axis of the
 * split only. No agent of a child is nearer than the child's distance. These distances are much
 * faster to compute than those to the boxes of the children. */
typedef struct child_gaps {
  float left2, right2;
} child_gaps;

ALWAYS_INLINE child_gaps child_gaps_at(const agenttree_node *node, const float *point) {
  WORKED(1);
  const float x = point[node->axis];
  float left = x - node->leftMost, right = node->rightLeast - x;
  left = left > 0 ? left : 0;
  right = right > 0 ? right : 0;
  return (child_gaps){left * left, right * right};
}

/* The function table of the agent tree that a crowd uses. It has only the functions that a crowd
 * calls, so that a program with nothing but crowds does not link the others. */
extern const points_type AGENTTREE_OF_CROWD;
size_t agenttree_bytes(const copse_agenttree_def *def, const points_type *type);
copse_status agenttree_make(const copse_agenttree_def *def, const points_type *type,
                            copse_points **points);

/* The agent tree's functions for points_type. The comments in points_type say what each does. */
void agenttree_build(void *tree, const points_source *source, const points_survey *survey);
uint32_t agenttree_collect(const void *tree, const region *where, shape kind,
                           const copse_query *query, copse_results *results);
/* Does the same as agenttree_collect, but for circles only. Crowds use it, so that a program with
 * nothing but crowds does not link the other shapes. */
uint32_t agenttree_collect_circle(const void *tree, const region *where, shape kind,
                                  const copse_query *query, copse_results *results);
uint32_t agenttree_count(const void *tree, const region *circle, const copse_query *query,
                         bool stopAtFirst, uint32_t *visits);
uint32_t agenttree_nearest(const void *tree, const float *center, const copse_query *query,
                           pair *nearest);
uint32_t agenttree_neighbors(const void *tree, const float *center, const copse_query *query,
                             scan_nearest *nearest);
float agenttree_reach2(const void *tree, const float *center, uint32_t k);
uint32_t agenttree_cast(const void *tree, const scan_ray *ray, const copse_query *query,
                        copse_hit *hit);
void agenttree_all_within(const void *tree, const batch_query *batch, float radius,
                          const task_range *places, row_writer *writer);
void agenttree_all_neighbors(const void *tree, neighbor_search *search, const task_range *places);
void agenttree_pairs(const void *tree, const batch_query *batch, pair_search *search);

/* A tree of at least AGENTTREE_DIVIDED agents is built in tasks if there is a runner (copse_tasks).
 * The build then needs room for 2 * AGENTTREE_TOP more nodes. */
enum { AGENTTREE_DIVIDED = 4096, AGENTTREE_TOP = 128 };
/* Returns the maximum number of nodes of a tree of n agents. */
uint64_t agenttree_node_budget(uint64_t n, uint64_t leafSize);

#endif
