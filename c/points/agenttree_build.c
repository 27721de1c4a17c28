/* Building the agent tree. */

#include "agenttree.h"

#include "../base/geom.h"
#include "../base/select.h"

#include <string.h>

enum {
  MIDPOINT_DEPTH = 64, /* nodes at this depth or deeper are split at the median */
  MEDIAN_DEPTH = 29,   /* number of levels to halve COPSE_MAX_CAPACITY agents down to 1 */
  NODE_WORK = 6,       /* there is memory for NODE_WORK / leafSize nodes per agent */
};
_Static_assert(MIDPOINT_DEPTH + MEDIAN_DEPTH < COPSE_MAX_DEPTH, "stacks hold a path and more");

/* Returns the maximum number of nodes of a subtree with n agents if every split is at the
 * median. */
static uint64_t median_nodes(uint64_t n, uint64_t leafSize) {
  uint64_t leaves = 1;
  for (; leafSize * leaves < n; leaves *= 2) WORKED(1);
  uint64_t onePerLeaf = n > 0 ? 2 * n - 1 : 1;
  return 2 * leaves - 1 < onePerLeaf ? 2 * leaves - 1 : onePerLeaf;
}

/* Returns the maximum number of nodes of a tree of n agents. Depends only on n, not on the
 * capacity, so that the tree's shape does not depend on the capacity either. */
uint64_t agenttree_node_budget(uint64_t n, uint64_t leafSize) {
  uint64_t least = median_nodes(n, leafSize), roomy = NODE_WORK * n / leafSize;
  uint64_t onePerLeaf = n > 0 ? 2 * n - 1 : 1;
  if (roomy < least) return least;
  return roomy < onePerLeaf ? roomy : onePerLeaf;
}

/* ---- Build ------------------------------------------------------------------------------- */

/* Makes ordered.ids a permutation of the slots 0 … source->count - 1. Present agents, which have a
 * group and valid coordinates, come first. Apart from that, keeps most of the last build's
 * order. */
static void renew_order(struct agenttree *tree, const points_source *source,
                        const points_survey *survey) {
  uint32_t *ids = tree->points.ordered.ids;
  uint32_t kept = tree->points.builtCount;
  if (kept > source->count) {
    kept = 0;
    for (uint32_t i = 0; i < tree->points.builtCount; i++)
      if (ids[i] < source->count) ids[kept++] = ids[i];
  }
  for (; kept < source->count; kept++) ids[kept] = kept;
  if (survey->present == source->count) return;

  uint32_t front = 0, back = source->count;
  const uint32_t dim = tree->points.dimensions;
  while (front < back) {
    uint32_t id = ids[front];
    WORKED(1);
    if (source_group(source, id) && source_accepts(source, id, dim)) {
      front++;
    } else {
      ids[front] = ids[--back];
      ids[back] = id;
    }
  }
}

/* Bounds while they are computed: per axis four lanes, each with bounds of some of the agents. */
typedef struct extent {
  float4 lo[3], hi[3];
} extent;

ALWAYS_INLINE extent extent_none(void) {
  const float4 most = float4_all(COPSE_MAX_COORDINATE), least = float4_all(-COPSE_MAX_COORDINATE);
  return (extent){{most, most, most}, {least, least, least}};
}

ALWAYS_INLINE void extent_add4(extent *bounds, float *const *axes, uint32_t i, const int dim) {
  EACH_AXIS (axis, dim) {
    float4 x = float4_load(axes[axis] + i);
    bounds->lo[axis] = float4_min(bounds->lo[axis], x);
    bounds->hi[axis] = float4_max(bounds->hi[axis], x);
  }
}

ALWAYS_INLINE void extent_add(extent *bounds, float *const *axes, uint32_t i, const int dim) {
  EACH_AXIS (axis, dim) {
    float4 x = float4_all(axes[axis][i]);
    bounds->lo[axis] = float4_min(bounds->lo[axis], x);
    bounds->hi[axis] = float4_max(bounds->hi[axis], x);
  }
}

ALWAYS_INLINE void extent_store(const extent *bounds, float *box, const int dim) {
  EACH_AXIS (axis, dim) {
    float lo[4], hi[4];
    float4_store(lo, float4_min(bounds->lo[axis], float4_swap_halves(bounds->lo[axis])));
    float4_store(hi, float4_max(bounds->hi[axis], float4_swap_halves(bounds->hi[axis])));
    box[axis] = lo[0] < lo[1] ? lo[0] : lo[1];
    box[dim + axis] = hi[0] > hi[1] ? hi[0] : hi[1];
  }
}

ALWAYS_INLINE void swap_points(const scan_points *points, uint32_t a, uint32_t b, const int dim) {
  EACH_AXIS (axis, dim) {
    float coordinate = points->axes[axis][a];
    points->axes[axis][a] = points->axes[axis][b];
    points->axes[axis][b] = coordinate;
  }
  uint32_t id = points->ids[a];
  points->ids[a] = points->ids[b];
  points->ids[b] = id;
}

/* Agents are ordered along an axis by this key: by coordinate, and then by id. A split divides them
 * at a key. */
typedef struct split_key {
  float coordinate;
  uint32_t id;
} split_key;

ALWAYS_INLINE bool before(const float *x, const uint32_t *ids, uint32_t i, split_key key) {
  WORKED(1);
  return x[i] < key.coordinate || (x[i] == key.coordinate && ids[i] < key.id);
}

/* Reorders the agents begin … end - 1: first those below the key, then the others. Returns where
 * the others begin. Writes the tight bounds of both parts to `boxes`. If agents moved little since
 * the last build, most of them are in the correct part already, and are skipped four at a time. */
ALWAYS_INLINE uint32_t partition_in(const scan_points *ordered, uint32_t begin, uint32_t end,
                                    int axis, split_key key, float *boxes, const int dim) {
  const scan_points points = *ordered; /* a local copy, which can stay in registers */
  const float *x = points.axes[axis];
  const float4 split = float4_all(key.coordinate);
  extent left = extent_none(), right = left;
  for (;;) {
    for (; end - begin >= 4 && word4_bits(float4_lt(float4_load(x + begin), split)) == 15;
         begin += 4)
      extent_add4(&left, points.axes, begin, dim);
    for (; begin < end && before(x, points.ids, begin, key); begin++)
      extent_add(&left, points.axes, begin, dim);
    for (; end - begin >= 4 && word4_bits(float4_lt(split, float4_load(x + end - 4))) == 15;
         end -= 4)
      extent_add4(&right, points.axes, end - 4, dim);
    for (; begin < end && !before(x, points.ids, end - 1, key); end--)
      extent_add(&right, points.axes, end - 1, dim);
    if (begin == end) break;
    swap_points(&points, begin, end - 1, dim);
  }
  extent_store(&left, boxes, dim);
  extent_store(&right, boxes + (size_t)(2 * dim), dim);
  return begin;
}

DEFINE_PAIR(uint32_t, partition,
            (const scan_points *points, uint32_t begin, uint32_t end, int axis, split_key key,
             float *boxes),
            points, begin, end, axis, key, boxes)
/* Calls partition_in for `dim` dimensions. `boxes` has room for two boxes. */
static uint32_t partition(const scan_points *points, uint32_t begin, uint32_t end, int axis,
                          split_key key, float *boxes, int dim) {
  return CALL_PAIR(dim, partition, points, begin, end, axis, key, boxes);
}

static split_key key_at(const scan_points *points, uint32_t i, int axis) {
  return (split_key){points->axes[axis][i], points->ids[i]};
}
static bool key_less(split_key a, split_key b) {
  WORKED(1);
  return a.coordinate < b.coordinate || (a.coordinate == b.coordinate && a.id < b.id);
}

/* Returns a key above the least key of the agents begin … end - 1, and not above the greatest, so
 * that a partition by it leaves no part empty. The key is in the middle of all representable keys
 * between the two, so that repeated partitions soon end. */
static split_key middle_key(const scan_points *points, uint32_t begin, uint32_t end, int axis) {
  split_key least = key_at(points, begin, axis), greatest = least;
  for (uint32_t i = begin + 1; i < end; i++) {
    split_key key = key_at(points, i, axis);
    if (key_less(key, least)) least = key;
    if (key_less(greatest, key)) greatest = key;
  }
  uint32_t lo = ordered_bits(least.coordinate), hi = ordered_bits(greatest.coordinate);
  if (lo != hi) return (split_key){from_ordered_bits(hi - (hi - lo) / 2), 0};
  return (split_key){least.coordinate, greatest.id - (greatest.id - least.id) / 2};
}

/* Orders the agents begin … end - 1 so that the half with the smaller keys (coordinate, id) comes
 * first. Returns where the other half begins. Quickselect with the median of three as the pivot;
 * after too many rounds the pivot is middle_key, which takes at most 64 rounds more. */
OUT_OF_LINE uint32_t split_at_median(scan_points *points, uint32_t begin, uint32_t end, int axis,
                                     int dim) {
  enum { QUICK_ROUNDS = 24 };
  float unused[12];
  const uint32_t middle = begin + (end - begin) / 2;
  for (int round = 0; end - begin > 1; round++) {
    split_key pivot;
    if (round < QUICK_ROUNDS && end - begin >= 3) {
      split_key a = key_at(points, begin, axis);
      split_key b = key_at(points, begin + (end - begin) / 2, axis);
      split_key c = key_at(points, end - 1, axis);
      if (key_less(b, a)) pivot = a, a = b, b = pivot;
      pivot = key_less(c, a) ? a : key_less(c, b) ? c : b;
    } else
      pivot = middle_key(points, begin, end, axis);
    uint32_t rest = partition(points, begin, end, axis, pivot, unused, dim);
    if (rest == middle) break;
    if (rest < middle)
      begin = rest;
    else
      end = rest;
  }
  return middle;
}

/* Returns the axis to split, or -1 if the box is a point. */
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

/* Returns the middle between lo and hi, where lo < hi. Returns hi if the middle would be rounded to
 * lo: some agents are then always below the result. */
ALWAYS_INLINE float midpoint(float lo, float hi) {
  float middle = lo + (hi - lo) / 2;
  return middle > lo ? middle : hi;
}

enum { RANKED_LEAF = 128 };

/* Writes the rank of each id, which is the number of lesser ids: its index in sorted order. Counts
 * for sixteen ids at a time, without branches. */
static void rank_ids(const uint32_t *ids, uint32_t size, uint32_t *ranks) {
  for (uint32_t i = 0; i < size; i += 16) {
    word4 own[4], less[4];
    UNROLL for (size_t four = 0; four < 4; four++) {
      own[four] = word4_load(ids + i + 4 * four);
      less[four] = word4_all(0);
    }
    for (uint32_t j = 0; j < size; j++) {
      const word4 other = word4_all(ids[j]);
      WORKED(1);
      UNROLL for (size_t four = 0; four < 4; four++) less[four] =
          word4_sub(less[four], word4_greater(own[four], other));
    }
    UNROLL for (size_t four = 0; four < 4; four++) word4_store(ranks + i + 4 * four, less[four]);
  }
}

/* Sorts the agents of a leaf by id. If there are at most RANKED_LEAF, moves their coordinates along
 * with the ids, because reading them from the source again would miss the cache. */
static void sort_leaf(const struct agenttree *tree, const points_source *source, uint32_t begin,
                      uint32_t end) {
  const uint32_t size = end - begin;
  uint32_t *ids = tree->points.ordered.ids + begin;
  if (size > RANKED_LEAF) {
    pairs_sort((pairs){NULL, ids}, size, BY_ID);
    points_fetch(&tree->points, source, begin, end);
    return;
  }
  uint32_t old[RANKED_LEAF + 16], ranks[RANKED_LEAF + 16];
  memcpy(old, ids, size * sizeof *ids);
  rank_ids(old, size, ranks);
  for (uint32_t i = 0; i < size; i++) ids[ranks[i]] = old[i];
  for (uint32_t axis = 0; axis < tree->points.dimensions; axis++) {
    float *x = tree->points.ordered.axes[axis] + begin, moved[RANKED_LEAF];
    memcpy(moved, x, size * sizeof *x);
    for (uint32_t i = 0; i < size; i++) x[ranks[i]] = moved[i];
  }
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
  uint32_t parent; /* the run is this node's right child; COPSE_NONE: a left child or the root */
  float box[2 * 3];
} pending;

/* Appends a node for a run, as a leaf until it is split. Returns its index. */
static uint32_t append_node(struct agenttree *tree, const pending *run, int dim) {
  const uint32_t index = tree->nodeCount++;
  float *box = tree->bounds + (size_t)index * 2 * (size_t)dim;
  if (run->parent != COPSE_NONE) tree->nodes[run->parent].right = index;
  tree->nodes[index] = (agenttree_node){run->begin, run->end, 0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 2 * dim; i++) box[i] = run->box[i];
  return index;
}

/* `committed` is the number of nodes made so far, plus the number that the runs still on the stack
 * need if they are split at medians. It never exceeds `budget`, so that the memory for nodes
 * suffices. */
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
  const uint64_t leafSize = tree->leafSize;
  uint32_t middle = begin;
  uint64_t needed = 0;
  bool atMedian = tree->split == COPSE_SPLIT_MEDIAN || depth >= MIDPOINT_DEPTH;
  if (!atMedian) {
    const float *box = agenttree_box(tree, index, dim);
    const split_key key = {midpoint(box[axis], box[dim + axis]), 0};
    middle = partition(&tree->points.ordered, begin, end, axis, key, boxes, dim);
    needed = median_nodes(middle - begin, leafSize) + median_nodes(end - middle, leafSize);
    atMedian = count->committed + needed > count->budget;
  }
  if (atMedian) {
    middle = split_at_median(&tree->points.ordered, begin, end, axis, dim);
    needed = median_nodes(middle - begin, leafSize) + median_nodes(end - middle, leafSize);
    points_bounds(&tree->points, begin, middle, boxes);
    points_bounds(&tree->points, middle, end, boxes + (size_t)(2 * dim));
  }
  count->committed += needed;
  return middle;
}

static void build_nodes(struct agenttree *tree, const points_source *source) {
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
    count.committed -= median_nodes(size, leafSize) - 1;
    if (axis < 0) {
      if (!ids_ascend(tree->points.ordered.ids, begin, end)) sort_leaf(tree, source, begin, end);
      continue;
    }
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
  renew_order(tree, source, survey);
  points_take(&tree->points, source, survey);
  points_fetch(&tree->points, source, 0, tree->points.present);
  build_nodes(tree, source);
  gather_groups(tree, source, survey);
}
