/* The agent tree: a bucketed k-d tree that is rebuilt after all agents moved.
 *
 * The agents lie in *tree order* in separate arrays; every node owns a run begin … end of them and
 * the tight bounds of that run. Nodes are in preorder: a left child follows its parent, and the
 * parent stores where its right child is. Every split depends only on the set of (coordinate, id),
 * and each leaf is sorted by id. So tree order depends only on the agents, although a build starts
 * from the order of the last build, which is nearly right.
 *
 * After J. L. Bentley, "Multidimensional binary search trees used for associative searching"
 * (1975), with buckets as in J. H. Friedman, J. L. Bentley, R. A. Finkel, "An algorithm for finding
 * best matches in logarithmic expected time" (1977). */
#ifndef COPSE_AGENTTREE_H
#define COPSE_AGENTTREE_H

#include "points.h"

typedef struct agenttree_node {
  uint32_t begin, end;
  uint32_t right;     /* index of the right child; 0: a leaf */
  uint32_t anyGroups; /* bits that some agent of the run has */
  uint32_t allGroups; /* bits that all agents of the run have */
  /* Inner nodes only: the axis that they are split on, and on this axis the end of the left child's
   * bounds and the start of the right child's. */
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
};

ALWAYS_INLINE const float *agenttree_box(const struct agenttree *tree, uint32_t index,
                                         const int dim) {
  return tree->bounds + (size_t)index * 2 * (size_t)dim;
}

/* Returns the filter that a query needs for the agents of a node. */
ALWAYS_INLINE scan_filter agenttree_filter(const agenttree_node *node, const copse_query *query) {
  bool testGroups = query->mask != COPSE_ALL_GROUPS && !(node->allGroups & query->mask);
  return (scan_filter){query->mask, query->exclude, testGroups};
}

/* The squared distances of a point from the children of a node along the axis they were split on:
 * lower bounds for the distances of their agents. Much faster than the distances from their
 * boxes. */
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

/* A table of the functions that a crowd calls, so that its program does not link the others. */
extern const points_type AGENTTREE_OF_CROWD;
size_t agenttree_bytes(const copse_agenttree_def *def, const points_type *type);
copse_status agenttree_make(const copse_agenttree_def *def, const points_type *type,
                            copse_points **points);

/* The functions of points_type. */
void agenttree_build(void *tree, const points_source *source, const points_survey *survey);
uint32_t agenttree_collect(const void *tree, const region *where, shape kind,
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
                          row_writer *writer);
void agenttree_all_neighbors(const void *tree, neighbor_search *search);
void agenttree_pairs(const void *tree, const batch_query *batch, pair_search *search);

/* Returns the maximum number of nodes of a tree of n agents. */
uint64_t agenttree_node_budget(uint64_t n, uint64_t leafSize);

#endif
