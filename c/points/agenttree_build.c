/* Building the agent tree. */

#include "agenttree.h"

#include "../base/geom.h"

enum {
  MIDPOINT_DEPTH = 64, /* nodes at this depth or deeper are split at the median */
  MEDIAN_DEPTH = 29,   /* the number of levels that halve COPSE_MAX_CAPACITY agents down to 1 */
  /* There is memory for NODE_WORK / leafSize nodes per agent. Median splits need fewer than 4 /
   * leafSize; the rest is for uneven midpoint splits. */
  NODE_WORK = 6,
};
_Static_assert(MIDPOINT_DEPTH + MEDIAN_DEPTH < COPSE_MAX_DEPTH, "stacks hold a path and more");

/* Returns how many nodes to reserve for a subtree of n agents if every split is at the median. The
 * reserve of a node covers the node itself and the reserves of its two halves. So median splits
 * never need more nodes than are reserved. */
static uint64_t median_nodes(uint64_t n, uint64_t leafSize) {
  uint64_t leaves = 1;
  for (; leafSize * leaves < n; leaves *= 2) WORKED(1);
  uint64_t onePerLeaf = n > 0 ? 2 * n - 1 : 1;
  return 2 * leaves - 1 < onePerLeaf ? 2 * leaves - 1 : onePerLeaf;
}

/* Does not depend on the capacity of the index: a build that runs short of nodes splits
 * differently, and equal agents must give equal trees, whatever the capacity. */
uint64_t agenttree_node_budget(uint64_t n, uint64_t leafSize) {
  uint64_t least = median_nodes(n, leafSize), roomy = NODE_WORK * n / leafSize;
  uint64_t onePerLeaf = n > 0 ? 2 * n - 1 : 1;
  if (roomy < least) return least;
  return roomy < onePerLeaf ? roomy : onePerLeaf;
}

/* ---- Build ------------------------------------------------------------------------------- */

/* Agents are ordered along an axis by this key: by coordinate, and then by id. A split divides them
 * at a key. */
typedef struct split_key {
  float coordinate;
  uint32_t id; /* agents at `coordinate` with a lower id are below the key; 0: none of them are */
} split_key;

/* Reorders the agents begin … end - 1: first those below the key, then the others, both in the same
 * order as before. Returns where the others begin. Moves four agents at a time, without branches:
 * those below the key to the front, the others to spare arrays and, at the end, back. */
ALWAYS_INLINE uint32_t partition_in(const struct agenttree *tree, uint32_t begin, uint32_t end,
                                    int axis, split_key key, const int dim) {
  const scan_points points = tree->points.ordered, spare = tree->spare;
  const float *x = points.axes[axis];
  const float4 coordinate = float4_all(key.coordinate);
  const word4 id = word4_all(key.id);
  /* The stores below write four lanes each, and so overwrite entries behind the run, which belong
   * to other runs or to absent slots. Saves these entries, to restore them at the end. */
  float4 behind[3];
  const word4 idsBehind = word4_load(points.ids + end);
  EACH_AXIS (i, dim) behind[i] = float4_load(points.axes[i] + end);
  uint32_t middle = begin, others = 0;
  for (uint32_t i = begin; i < end; i += 4) {
    const float4 along = float4_load(x + i);
    const word4 ids = word4_load(points.ids + i);
    word4 isBelow = float4_lt(along, coordinate);
    if (key.id)
      isBelow = word4_or(isBelow, word4_and(float4_le(along, coordinate), word4_greater(id, ids)));
    const uint32_t inRun = scan_in_run(i, end);
    const uint32_t below = word4_bits(isBelow) & inRun, above = below ^ inRun;
    EACH_AXIS (j, dim) {
      const float4 four = float4_load(points.axes[j] + i);
      float4_store_packed(points.axes[j] + middle, four, below);
      float4_store_packed(spare.axes[j] + others, four, above);
    }
    word4_store_packed(points.ids + middle, ids, below);
    word4_store_packed(spare.ids + others, ids, above);
    middle += bits_count(below);
    others = i + 4 - middle; /* may be too large after the last turn, which does no harm */
  }
  for (uint32_t i = middle; i < end; i += 4) {
    EACH_AXIS (j, dim) float4_store(points.axes[j] + i, float4_load(spare.axes[j] + (i - middle)));
    word4_store(points.ids + i, word4_load(spare.ids + (i - middle)));
  }
  EACH_AXIS (i, dim) float4_store(points.axes[i] + end, behind[i]);
  word4_store(points.ids + end, idsBehind);
  return middle;
}

DEFINE_PAIR(uint32_t, partition,
            (const struct agenttree *tree, uint32_t begin, uint32_t end, int axis, split_key key),
            tree, begin, end, axis, key)

/* Returns how many agents of the run begin … end - 1 have a coordinate less than `limit`. */
static uint32_t count_below(const struct agenttree *tree, uint32_t begin, uint32_t end, int axis,
                            float limit) {
  const float *x = tree->points.ordered.axes[axis];
  word4 total = word4_all(0);
  for (uint32_t i = begin; i < end; i += 4) {
    const word4 isInRun = word4_greater(word4_all(end), word4_count_from(i));
    const word4 isBelow = float4_lt(float4_load(x + i), float4_all(limit));
    total = word4_sub(total, word4_and(isBelow, isInRun));
  }
  return word4_sum(total);
}

/* Returns the key that divides the agents of a node into halves. Finds its coordinate by bisection
 * of all floats between the bounds of the node: the greatest one with at most `half` agents below
 * it. Agents with exactly this coordinate are divided by id: ids ascend in a node, so the first of
 * them are below the key.
 *
 * select_rank (see select.h) would be faster. But with midpoint splits, medians are rare, and only
 * programs with a k-d tree link select_rank. */
static split_key median_key(const struct agenttree *tree, uint32_t begin, uint32_t end, int axis,
                            const float *box, int dim) {
  const float *x = tree->points.ordered.axes[axis];
  const uint32_t half = (end - begin) / 2;
  uint32_t least = ordered_bits(box[axis]), most = ordered_bits(box[dim + axis]);
  while (least < most) {
    const uint32_t middle = most - (most - least) / 2;
    WORKED(1);
    if (count_below(tree, begin, end, axis, from_ordered_bits(middle)) > half)
      most = middle - 1;
    else
      least = middle;
  }
  const float coordinate = from_ordered_bits(least);
  /* Skips the first `left` agents with exactly this coordinate. At least one more agent has this
   * coordinate: the loop stops there. */
  uint32_t left = half - count_below(tree, begin, end, axis, coordinate);
  while (left || x[begin] != coordinate) left -= x[begin++] == coordinate;
  return (split_key){coordinate, tree->points.ordered.ids[begin]};
}

/* Returns the axis along which to split a node, or -1 if its bounds are a single point. */
static int choose_axis(const float *box, uint32_t depth, copse_axis rule, int dim) {
  if (rule == COPSE_AXIS_CYCLE) {
    for (int i = 0; i < dim; i++) {
      int axis = (int)((depth + (uint32_t)i) % (uint32_t)dim);
      if (box[axis] < box[dim + axis]) return axis;
    }
    return -1;
  }
  int longest = 0;
  float side = box[dim] - box[0];
  for (int axis = 1; axis < dim; axis++) {
    WORKED(1);
    if (box[dim + axis] - box[axis] > side) {
      side = box[dim + axis] - box[axis];
      longest = axis;
    }
  }
  return side > 0 ? longest : -1;
}

/* Returns the middle between lo and hi, where lo < hi; hi if the middle would be rounded to lo. The
 * result is above lo and at most hi, so at least one agent is below it, and at least one is not. */
ALWAYS_INLINE float midpoint(float lo, float hi) {
  float middle = lo + (hi - lo) / 2;
  return middle > lo ? middle : hi;
}

/* Sets the group bits of every node, children before parents, because parents combine the bits of
 * their children. */
static void gather_groups(struct agenttree *tree, const points_source *source,
                          const points_survey *survey) {
  bool uniform = survey->anyGroups == survey->allGroups;
  points_fetch_groups(&tree->points, source);
  for (uint32_t i = tree->nodeCount; i-- > 0;) {
    agenttree_node *node = &tree->nodes[i];
    node->anyGroups = uniform ? survey->anyGroups : 0;
    node->allGroups = survey->allGroups;
    if (uniform) continue;
    if (node->right) {
      node->anyGroups = node[1].anyGroups | tree->nodes[node->right].anyGroups;
      node->allGroups = node[1].allGroups & tree->nodes[node->right].allGroups;
    } else {
      node->allGroups = COPSE_ALL_GROUPS;
      for (uint32_t agent = node->begin; agent < node->end; agent++) {
        WORKED(1);
        node->anyGroups |= tree->points.ordered.groups[agent];
        node->allGroups &= tree->points.ordered.groups[agent];
      }
    }
  }
}

/* A run of agents for which a node is still to be made. */
typedef struct pending {
  uint32_t begin, end, depth;
  uint32_t parent; /* if this becomes a right child: its parent; else COPSE_NONE */
  float box[2 * 3];
} pending;

/* Appends a node for a run of agents. It stays a leaf until it is split. Returns its index. */
static uint32_t append_node(struct agenttree *tree, const pending *run, int dim) {
  const uint32_t index = tree->nodeCount++;
  float *box = tree->bounds + (size_t)index * 2 * (size_t)dim;
  if (run->parent != COPSE_NONE) tree->nodes[run->parent].right = index;
  tree->nodes[index] = (agenttree_node){run->begin, run->end, 0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 2 * dim; i++) box[i] = run->box[i];
  return index;
}

/* Keeps the number of nodes within `budget`, for which there is memory. `committed` counts the
 * nodes made so far, and those still needed if all further splits are at medians. */
typedef struct node_count {
  uint64_t committed, budget;
} node_count;

/* Splits a node along an axis: reorders its run so that the agents of the left child come first.
 * Splits at the midpoint of the bounds, or at the median if the options or the depth demand it, or
 * if the midpoint could need more nodes than the budget. Writes the bounds of both children to
 * `boxes`. Returns where the right child begins. */
static uint32_t split_run(struct agenttree *tree, uint32_t index, uint32_t depth, int axis,
                          node_count *count, float *boxes, int dim) {
  const uint32_t begin = tree->nodes[index].begin, end = tree->nodes[index].end;
  const float *box = agenttree_box(tree, index, dim);
  const uint64_t leafSize = tree->leafSize, room = count->budget - count->committed;
  split_key key = {midpoint(box[axis], box[dim + axis]), 0};
  bool atMedian = tree->split == COPSE_SPLIT_MEDIAN || depth >= MIDPOINT_DEPTH;
  /* Counts the agents below the midpoint only if nodes are scarce: both sides of a split together
   * never need more than 2 * median_nodes(all agents of the node). */
  if (!atMedian && 2 * median_nodes(end - begin, leafSize) > room) {
    const uint32_t below = count_below(tree, begin, end, axis, key.coordinate);
    atMedian = median_nodes(below, leafSize) + median_nodes(end - begin - below, leafSize) > room;
  }
  if (atMedian) key = median_key(tree, begin, end, axis, box, dim);
  const uint32_t middle = CALL_PAIR(dim, partition, tree, begin, end, axis, key);
  points_bounds(&tree->points, begin, middle, boxes);
  points_bounds(&tree->points, middle, end, boxes + (size_t)(2 * dim));
  count->committed += median_nodes(middle - begin, leafSize) + median_nodes(end - middle, leafSize);
  return middle;
}

static void build_nodes(struct agenttree *tree) {
  const int dim = (int)tree->points.dimensions;
  const uint32_t present = tree->points.present, leafSize = tree->leafSize;
  node_count count = {median_nodes(present, leafSize), agenttree_node_budget(present, leafSize)};
  pending stack[COPSE_MAX_DEPTH];
  uint32_t waiting = 0;
  tree->nodeCount = 0;
  if (present) {
    stack[waiting] = (pending){0, present, 0, COPSE_NONE, {0}};
    points_bounds(&tree->points, 0, present, stack[waiting++].box);
  }
  while (waiting) {
    const pending *const run = &stack[--waiting];
    WORKED(1);
    const uint32_t begin = run->begin, end = run->end, depth = run->depth, size = end - begin;
    const uint32_t index = append_node(tree, run, dim);
    const float *box = agenttree_box(tree, index, dim);
    const int axis = size > leafSize ? choose_axis(box, depth, tree->axis, dim) : -1;
    /* Nodes were reserved for the whole subtree of this run. Keeps the one that was just made, and
     * releases the others: split_run reserves nodes for both sides. */
    count.committed -= median_nodes(size, leafSize) - 1;
    if (axis < 0) continue;
    float boxes[2 * 2 * 3];
    const uint32_t middle = split_run(tree, index, depth, axis, &count, boxes, dim);
    tree->nodes[index].axis = (uint32_t)axis;
    tree->nodes[index].leftMost = boxes[dim + axis];
    tree->nodes[index].rightLeast = boxes[2 * dim + axis];
    pending *right = &stack[waiting++], *left = &stack[waiting++];
    *right = (pending){middle, end, depth + 1, index, {0}};
    *left = (pending){begin, middle, depth + 1, COPSE_NONE, {0}};
    for (int i = 0; i < 2 * dim; i++) {
      left->box[i] = boxes[i];
      right->box[i] = boxes[2 * dim + i];
    }
  }
}

void agenttree_build(void *index, const points_source *source, const points_survey *survey) {
  struct agenttree *tree = index;
  points_take(&tree->points, source, survey);
  points_order_slots(&tree->points, source);
  WORKED(source->count);
  points_fetch(&tree->points, source, 0, tree->points.present);
  build_nodes(tree);
  gather_groups(tree, source, survey);
}
