/* The agent tree: a bucketed k-d tree that is rebuilt after all agents moved.
 *
 * The agents lie in *tree order* in separate arrays; every node owns a run begin … end of them and
 * the tight bounds of that run. Nodes are in preorder: a left child follows its parent, and the
 * parent stores where its right child is. Every split depends only on the set of (coordinate, id)
 * and each leaf is sorted by id, so tree order is a function of the state, although a build starts
 * from the last one's order because that is nearly right.
 *
 * After J. L. Bentley, "Multidimensional binary search trees used for associative searching"
 * (1975), with buckets as in J. H. Friedman, J. L. Bentley, R. A. Finkel, "An algorithm for finding
 * best matches in logarithmic expected time" (1977). */
#ifndef COPSE_AGENTTREE_H
#define COPSE_AGENTTREE_H

#include "scan.h"

typedef struct node {
  uint32_t begin, end;
  uint32_t right;     /* index of the right child; 0: a leaf */
  uint32_t anyGroups; /* bits that some agent of the run has */
  uint32_t allGroups; /* bits that all agents of the run have */
  /* Of an inner node: where its children end towards each other on the axis they were split on. */
  uint32_t axis;
  float leftMost, rightLeast;
} node;

struct copse_agenttree {
  copse_agenttree_def def;
  void *block; /* holds every array below */
  uint64_t blockBytes;

  /* The caller's side: slots 0 … count - 1. */
  float *positions;
  uint32_t *groups;
  uint32_t count;

  /* The last build. points.ids is a permutation of 0 … builtCount - 1: first the agents of the
   * tree in tree order, then the slots that are absent. */
  scan_points points;
  uint32_t agentCount;
  uint32_t builtCount;
  uint32_t skipped;
  node *nodes;
  float *bounds; /* 2 * dimensions a node */
  uint32_t nodeCount;
};

/* Where a build reads from: the tree's buffers, the caller's arrays, or a snapshot. */
typedef struct source {
  copse_positions positions;
  uint32_t *groups; /* NULL: all 1; a build only reads */
  uint32_t count;
} source;

typedef struct survey {
  uint32_t present;              /* slots with a group and an accepted position */
  uint32_t bad;                  /* slots with a group and a position that is not accepted */
  uint32_t firstBad;             /* COPSE_NONE: none */
  uint32_t anyGroups, allGroups; /* of the present */
} survey;

ALWAYS_INLINE float source_coordinate(const source *from, uint32_t slot, int axis) {
  return from->positions.axes[axis][(size_t)slot * from->positions.stride];
}
ALWAYS_INLINE uint32_t source_group(const source *from, uint32_t slot) {
  return from->groups ? from->groups[slot] : 1;
}

static inline bool ids_ascend(const uint32_t *ids, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin + 1; i < end; i++)
    if (ids[i] < ids[i - 1]) return false;
  return true;
}

ALWAYS_INLINE const float *agenttree_box(const copse_agenttree *tree, uint32_t index,
                                         const int dim) {
  return tree->bounds + (size_t)index * 2 * (size_t)dim;
}

/* How far, squared, a point is from the children of a node along the axis they were split on: never
 * more than from any agent in them. Much faster than the distances from their boxes. */
typedef struct child_gaps {
  float left2, right2;
} child_gaps;

ALWAYS_INLINE child_gaps child_gaps_at(const node *at, const float *point) {
  const float x = point[at->axis];
  float left = x - at->leftMost, right = at->rightLeast - x;
  left = left > 0 ? left : 0;
  right = right > 0 ? right : 0;
  return (child_gaps){left * left, right * right};
}

/* Whether any agent matches a mask. Every search must begin with this: where all agents are in the
 * same groups, points.groups is not filled, and only nodes that match may be scanned. */
static inline bool agenttree_has_any(const copse_agenttree *tree, uint32_t mask) {
  return tree->nodeCount && (tree->nodes[0].anyGroups & mask);
}

/* The k nearest are selected among at most this many, which rank counting sorts fastest. */
enum { SELECT_LIMIT = 28, SELECT_K = 24, SELECT_TRIES = 4 };

/* Puts at most SELECT_LIMIT pairs, with SCAN_PADDING room behind them, into order; the first k go
 * to the row. */
void agenttree_rank(float *distances2, uint32_t *ids, uint32_t size, uint32_t k,
                    float *rowDistances2, uint32_t *rowIds);

source agenttree_buffers(const copse_agenttree *tree);
survey agenttree_survey(const source *from, uint32_t dimensions);
/* Builds from a source whose survey found nothing that forbids it. */
void agenttree_build(copse_agenttree *tree, const source *from, const survey *found);
/* The tight bounds of the agents begin … end, which are not none. */
void agenttree_bounds(const copse_agenttree *tree, uint32_t begin, uint32_t end, float *box);
/* How many nodes a build of n agents may make. */
uint64_t agenttree_node_budget(uint64_t n, uint64_t leafSize);

#endif
