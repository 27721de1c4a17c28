/* Building the agent tree. */

#include "agenttree.h"

#include "../base/geom.h"

#include <string.h>

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
  while (leafSize * leaves < n) leaves *= 2;
  uint64_t onePerLeaf = n > 0 ? 2 * n - 1 : 1;
  return 2 * leaves - 1 < onePerLeaf ? 2 * leaves - 1 : onePerLeaf;
}

/* Returns how many nodes a subtree of n agents may have: about `work` / leafSize per agent. */
static uint64_t node_budget(uint64_t n, uint64_t leafSize, uint64_t work) {
  uint64_t least = median_nodes(n, leafSize), roomy = work * n / leafSize;
  uint64_t onePerLeaf = n > 0 ? 2 * n - 1 : 1;
  if (roomy < least) return least;
  return roomy < onePerLeaf ? roomy : onePerLeaf;
}

/* Does not depend on the capacity of the index: a build that runs short of nodes splits
 * differently, and equal agents must give equal trees, whatever the capacity. */
uint64_t agenttree_node_budget(uint64_t n, uint64_t leafSize) {
  return node_budget(n, leafSize, NODE_WORK);
}

/* ---- Build ------------------------------------------------------------------------------- */

/* Agents are ordered along an axis by this key: by coordinate, and then by id. A split divides them
 * at a key. */
typedef struct split_key {
  float coordinate;
  uint32_t id; /* agents at `coordinate` are below the key if their id is less than this; 0: none */
} split_key;

/* The last part of partition, for up to three agents: copies those below the key to index `middle`
 * on, the others to index `others` of the spare arrays on. Returns where the others will begin. */
static uint32_t partition_last(const struct agenttree *tree, uint32_t begin, uint32_t end, int axis,
                               split_key key, uint32_t middle, uint32_t others) {
  const scan_points *points = &tree->points.ordered;
  for (uint32_t i = begin; i < end; i++) {
    const float x = points->axes[axis][i];
    const bool isBelow = x < key.coordinate || (x <= key.coordinate && points->ids[i] < key.id);
    const scan_points *to = isBelow ? points : &tree->spare;
    const uint32_t target = isBelow ? middle++ : others++;
    WORKED(1);
    for (uint32_t j = 0; j < tree->points.dimensions; j++) to->axes[j][target] = points->axes[j][i];
    to->ids[target] = points->ids[i];
  }
  return middle;
}

/* Reorders the agents begin … end - 1: first those below the key, then the others, both in the same
 * order as before. Returns where the others begin. Moves four agents at a time, without branches:
 * those below the key to the front, the others to spare arrays and, at the end, back. Touches
 * nothing outside of the run, because another thread may work there. */
ALWAYS_INLINE uint32_t partition_in(const struct agenttree *tree, uint32_t begin, uint32_t end,
                                    int axis, split_key key, const int dim) {
  const scan_points points = tree->points.ordered, spare = tree->spare;
  const float *x = points.axes[axis];
  const float4 coordinate = float4_all(key.coordinate);
  const word4 id = word4_all(key.id);
  uint32_t middle = begin, others = begin, i = begin;
  for (; end - i >= 4; i += 4) {
    const float4 along = float4_load(x + i);
    const word4 ids = word4_load(points.ids + i);
    word4 isBelow = float4_lt(along, coordinate);
    if (key.id)
      isBelow = word4_or(isBelow, word4_and(float4_le(along, coordinate), word4_greater(id, ids)));
    const uint32_t below = word4_bits(isBelow), above = below ^ 15;
    EACH_AXIS (j, dim) {
      const float4 four = float4_load(points.axes[j] + i);
      float4_store_packed(points.axes[j] + middle, four, below);
      float4_store_packed(spare.axes[j] + others, four, above);
    }
    word4_store_packed(points.ids + middle, ids, below);
    word4_store_packed(spare.ids + others, ids, above);
    middle += bits_count(below);
    others = begin + (i + 4 - middle);
  }
  middle = partition_last(tree, i, end, axis, key, middle, others);
  EACH_AXIS (j, dim)
    memcpy(points.axes[j] + middle, spare.axes[j] + begin, (end - middle) * sizeof(float));
  memcpy(points.ids + middle, spare.ids + begin, (end - middle) * sizeof(uint32_t));
  return middle;
}

DEFINE_PAIR(uint32_t, partition,
            (const struct agenttree *tree, uint32_t begin, uint32_t end, int axis, split_key key),
            tree, begin, end, axis, key)

/* Returns how many agents of the run begin … end - 1 have a coordinate less than `limit`. Reads
 * nothing outside of the run, like partition. */
static uint32_t count_below(const struct agenttree *tree, uint32_t begin, uint32_t end, int axis,
                            float limit) {
  const float *x = tree->points.ordered.axes[axis];
  word4 total = word4_all(0);
  uint32_t i = begin, count = 0;
  for (; end - i >= 4; i += 4)
    total = word4_sub(total, float4_lt(float4_load(x + i), float4_all(limit)));
  for (; i < end; i++) count += x[i] < limit;
  return count + word4_sum(total);
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

/* A run of agents for which a node is still to be made. */
typedef struct pending {
  uint32_t begin, end, depth;
  uint32_t parent; /* if this becomes a right child: its parent; else COPSE_NONE */
  float box[2 * 3];
} pending;

/* Keeps the number of nodes within `budget`, for which there is memory. `committed` counts the
 * nodes made so far, and those still needed if all further splits are at medians. */
typedef struct node_count {
  uint64_t committed, budget;
  uint32_t next; /* the index of the next node */
  bool isScarce; /* true if a split was changed to a median split to stay within the budget */
} node_count;

/* Adds a node for a run of agents. It stays a leaf until it is split. Returns its index. */
static uint32_t add_node(struct agenttree *tree, const pending *run, node_count *count, int dim) {
  const uint32_t index = count->next++;
  float *box = tree->bounds + (size_t)index * 2 * (size_t)dim;
  if (run->parent != COPSE_NONE) tree->nodes[run->parent].right = index;
  tree->nodes[index] = (agenttree_node){run->begin, run->end, 0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 2 * dim; i++) box[i] = run->box[i];
  return index;
}

/* Returns the axis along which to split a run, or -1 if it becomes a leaf. */
static int axis_of(const struct agenttree *tree, const pending *run, int dim) {
  if (run->end - run->begin <= tree->leafSize) return -1;
  return choose_axis(run->box, run->depth, tree->axis, dim);
}

/* Splits a run along an axis: reorders it so that the agents of the left child come first. Splits
 * at the midpoint of the bounds, or at the median if the options or the depth demand it, or if the
 * midpoint could need more nodes than the budget. Writes the runs of both children; `count` may be
 * NULL if nodes are never scarce. */
static void split_run(const struct agenttree *tree, const pending *run, int axis, node_count *count,
                      pending *left, pending *right, int dim) {
  const uint32_t begin = run->begin, end = run->end;
  const uint64_t leafSize = tree->leafSize;
  split_key key = {midpoint(run->box[axis], run->box[dim + axis]), 0};
  bool atMedian = tree->split == COPSE_SPLIT_MEDIAN || run->depth >= MIDPOINT_DEPTH;
  /* Nodes were reserved for the whole subtree of this run. Keeps the one that was just made, and
   * releases the others: below, nodes are reserved for both sides. */
  if (count) count->committed -= median_nodes(end - begin, leafSize) - 1;
  /* Counts the agents below the midpoint only if nodes are scarce: both sides of a split together
   * never need more than 2 * median_nodes(all agents of the node). */
  if (count && !atMedian &&
      2 * median_nodes(end - begin, leafSize) > count->budget - count->committed) {
    const uint32_t below = count_below(tree, begin, end, axis, key.coordinate);
    atMedian = median_nodes(below, leafSize) + median_nodes(end - begin - below, leafSize) >
               count->budget - count->committed;
    count->isScarce |= atMedian;
  }
  if (atMedian) key = median_key(tree, begin, end, axis, run->box, dim);
  const uint32_t middle = CALL_PAIR(dim, partition, tree, begin, end, axis, key);
  const uint32_t depth = run->depth + 1; /* `run` may be overwritten now */
  *right = (pending){middle, end, depth, COPSE_NONE, {0}};
  *left = (pending){begin, middle, depth, COPSE_NONE, {0}};
  points_bounds(&tree->points, begin, middle, left->box);
  points_bounds(&tree->points, middle, end, right->box);
  if (!count) return;
  count->committed += median_nodes(middle - begin, leafSize) + median_nodes(end - middle, leafSize);
}

static void set_split(const struct agenttree *tree, uint32_t index, int axis, const pending *left,
                      const pending *right, int dim) {
  tree->nodes[index].axis = (uint32_t)axis;
  tree->nodes[index].leftMost = left->box[dim + axis];
  tree->nodes[index].rightLeast = right->box[axis];
}

/* Makes the nodes of a run's subtree, in preorder. */
static void build_nodes(struct agenttree *tree, const pending *root, node_count *count) {
  const int dim = (int)tree->points.dimensions;
  pending stack[COPSE_MAX_DEPTH] = {*root};
  for (uint32_t waiting = 1; waiting;) {
    const pending *const run = &stack[--waiting];
    WORKED(1);
    const uint32_t index = add_node(tree, run, count, dim);
    const int axis = axis_of(tree, run, dim);
    if (axis < 0) {
      count->committed -= median_nodes(run->end - run->begin, tree->leafSize) - 1;
      continue;
    }
    pending *right = &stack[waiting++], *left = &stack[waiting++];
    split_run(tree, run, axis, count, left, right, dim);
    set_split(tree, index, axis, left, right, dim);
    right->parent = index;
  }
}

/* Sets the group bits of a leaf from those of its agents. */
static void gather_leaf(const struct agenttree *tree, agenttree_node *leaf) {
  leaf->anyGroups = 0;
  leaf->allGroups = COPSE_ALL_GROUPS;
  for (uint32_t agent = leaf->begin; agent < leaf->end; agent++) {
    leaf->anyGroups |= tree->points.ordered.groups[agent];
    leaf->allGroups &= tree->points.ordered.groups[agent];
  }
}

/* Sets the group bits of every node, children before parents, because parents combine the bits of
 * their children. If `leavesDone`, those of leaves are set already. */
static void gather_groups(const struct agenttree *tree, const points_survey *survey,
                          bool leavesDone) {
  const bool uniform = survey->anyGroups == survey->allGroups;
  for (uint32_t i = tree->nodeCount; i-- > 0;) {
    agenttree_node *node = &tree->nodes[i];
    if (uniform) {
      node->anyGroups = survey->anyGroups;
      node->allGroups = survey->allGroups;
    } else if (node->right) {
      node->anyGroups = node[1].anyGroups | tree->nodes[node->right].anyGroups;
      node->allGroups = node[1].allGroups & tree->nodes[node->right].allGroups;
    } else if (!leavesDone)
      gather_leaf(tree, node);
  }
}

static void build_tree(struct agenttree *tree, const points_source *source,
                       const points_survey *survey) {
  const uint32_t present = tree->points.present;
  points_order_slots(&tree->points, source);
  points_fetch(&tree->points, source, 0, present);
  tree->nodeCount = 0;
  if (present) {
    node_count count = {median_nodes(present, tree->leafSize),
                        agenttree_node_budget(present, tree->leafSize), 0, false};
    pending root = {0, present, 0, COPSE_NONE, {0}};
    points_bounds(&tree->points, 0, present, root.box);
    build_nodes(tree, &root, &count);
    tree->nodeCount = count.next;
  }
  points_fetch_groups(&tree->points, source, 0, present);
  gather_groups(tree, survey, false);
}

/* ---- Building in tasks -------------------------------------------------------------------- *
 *
 * First, the top of the tree is divided level by level, all runs of a level at the same time. Each
 * run that is left then becomes a part: a task makes its nodes, in memory of its own. In the end,
 * the parts are moved together, in preorder.
 *
 * The result is the same tree as without tasks, but for one case: if nodes are scarce, whether a
 * split is at the midpoint depends on all splits before it. The tree is then built again without
 * tasks. */

#ifdef COPSE_ONE_THREAD
static bool build_in_tasks(struct agenttree *tree, const points_source *source,
                           const points_survey *survey) {
  (void)tree, (void)source, (void)survey;
  return false;
}
#else

/* A run of at most LEAST_PART agents is never divided in the top of the tree. */
enum { LEAST_PART = 512 };

/* A run in the top of the tree: one that is divided, or a part. */
typedef struct top_run {
  pending run;
  int axis;         /* the axis along which the run is divided; -1: it is a part */
  uint32_t left;    /* if divided: the index of its left child; the right child follows */
  uint32_t first;   /* of a part: the index of its first node */
  node_count count; /* of a part */
} top_run;

typedef struct build_job {
  struct agenttree *tree;
  const points_source *source;
  uint32_t fetched;     /* how many agents a task fetches */
  uint32_t size, level; /* how many runs there are; the first run of the current level */
  top_run runs[AGENTTREE_TOP];
  uint32_t preorder[AGENTTREE_TOP]; /* all runs, in the order of the tree */
} build_job;

/* Fetches a range of agents, and stores their bounds in the run of the same index. */
static void fetch_task(void *argument, uint32_t index) {
  build_job *job = argument;
  const copse_points *points = &job->tree->points;
  const task_range range = task_range_of(index, job->fetched, points->present);
  if (points->present == job->source->count)
    for (uint32_t i = range.begin; i < range.end; i++) points->ordered.ids[i] = i;
  points_fetch(points, job->source, range.begin, range.end);
  points_bounds(points, range.begin, range.end, job->runs[index].run.box);
}

/* Fetches all agents. Makes them the first run. */
static void fetch_in_tasks(build_job *job) {
  const copse_points *points = &job->tree->points;
  const uint32_t dim = points->dimensions, present = points->present;
  const uint32_t least = (present - 1) / AGENTTREE_TOP + 1;
  float *const box = job->runs[0].run.box;
  if (present < job->source->count) points_order_slots(points, job->source);
  job->fetched = task_range_size(&points->tasks, present, least);
  const uint32_t ranges = task_ranges(job->fetched, present);
  tasks_run(&points->tasks, fetch_task, job, ranges);
  for (uint32_t i = 1; i < ranges; i++)
    for (uint32_t axis = 0; axis < dim; axis++) {
      const float *const other = job->runs[i].run.box;
      if (other[axis] < box[axis]) box[axis] = other[axis];
      if (other[dim + axis] > box[dim + axis]) box[dim + axis] = other[dim + axis];
    }
  pending *const root = &job->runs[0].run;
  root->begin = root->depth = 0;
  root->end = present;
  root->parent = COPSE_NONE;
  job->size = 1;
}

static void divide_task(void *argument, uint32_t index) {
  build_job *job = argument;
  const top_run *top = &job->runs[job->level + index];
  if (top->axis < 0) return;
  top_run *children = &job->runs[top->left];
  split_run(job->tree, &top->run, top->axis, NULL, &children[0].run, &children[1].run,
            (int)job->tree->points.dimensions);
}

static void part_task(void *argument, uint32_t index) {
  build_job *job = argument;
  top_run *top = &job->runs[job->preorder[index]];
  if (top->axis < 0) build_nodes(job->tree, &top->run, &top->count);
}

static void groups_task(void *argument, uint32_t index) {
  const build_job *job = argument;
  const top_run *top = &job->runs[index];
  if (top->axis >= 0) return;
  points_fetch_groups(&job->tree->points, job->source, top->run.begin, top->run.end);
  for (uint32_t i = top->first; i < top->count.next; i++)
    if (!job->tree->nodes[i].right) gather_leaf(job->tree, &job->tree->nodes[i]);
}

/* Decides for each run of the current level whether to divide it, and makes room for its children
 * in job->runs. Returns the number of runs in the level; 0 if none is divided. */
static uint32_t plan_level(build_job *job) {
  const struct agenttree *tree = job->tree;
  const uint32_t end = job->size;
  const uint32_t most = task_range_size(&tree->points.tasks, tree->points.present, LEAST_PART);
  for (uint32_t i = job->level; i < end; i++) {
    top_run *top = &job->runs[i];
    const uint32_t size = top->run.end - top->run.begin;
    const bool isPart = size <= most || job->size + 2 > AGENTTREE_TOP;
    top->axis = isPart ? -1 : axis_of(tree, &top->run, (int)tree->points.dimensions);
    if (top->axis < 0) continue;
    top->left = job->size;
    job->size += 2;
  }
  return job->size > end ? end - job->level : 0;
}

/* Divides the top of the tree. */
static void divide_top(build_job *job) {
  const struct agenttree *tree = job->tree;
  job->level = 0;
  for (uint32_t runs; (runs = plan_level(job)) > 0; job->level += runs)
    tasks_run(&tree->points.tasks, divide_task, job, runs);
}

/* Sorts the runs in preorder, and gives each part room for its nodes: behind the room for the top,
 * and for the parts before it.
 *
 * The budgets of all parts and the nodes of the top are together within the budget of the whole
 * tree, since the top has at most one run per leafSize agents. So if no part runs short of nodes, a
 * build without tasks would not do so either, and would make the same splits. */
static void place_parts(build_job *job) {
  uint32_t stack[AGENTTREE_TOP] = {0}, waiting = 1, first = AGENTTREE_TOP;
  for (uint32_t i = 0; i < job->size; i++) {
    const uint32_t index = stack[--waiting];
    top_run *top = &job->runs[index];
    job->preorder[i] = index;
    if (top->axis >= 0) {
      stack[waiting++] = top->left + 1;
      stack[waiting++] = top->left;
      continue;
    }
    const uint64_t size = top->run.end - top->run.begin, leafSize = job->tree->leafSize;
    const uint64_t budget = node_budget(size, leafSize, NODE_WORK - 1);
    top->first = first;
    top->count = (node_count){median_nodes(size, leafSize), budget, first, false};
    first += (uint32_t)top->count.budget;
  }
}

/* True if some part had too few unused nodes left to split at a midpoint. */
static bool is_scarce(const build_job *job) {
  for (uint32_t i = 0; i < job->size; i++)
    if (job->runs[i].axis < 0 && job->runs[i].count.isScarce) return true;
  return false;
}

/* Moves the nodes of a part to the end of the tree's nodes. */
static void append_part(struct agenttree *tree, top_run *top) {
  const uint32_t size = top->count.next - top->first, shift = top->first - tree->nodeCount;
  const size_t sides = 2 * (size_t)tree->points.dimensions;
  for (uint32_t i = tree->nodeCount; i < tree->nodeCount + size; i++) {
    tree->nodes[i] = tree->nodes[i + shift];
    if (tree->nodes[i].right) tree->nodes[i].right -= shift;
  }
  memmove(tree->bounds + tree->nodeCount * sides, tree->bounds + top->first * sides,
          size * sides * sizeof(float));
  if (top->run.parent != COPSE_NONE) tree->nodes[top->run.parent].right = tree->nodeCount;
  top->first = tree->nodeCount;
  tree->nodeCount = top->count.next = top->first + size;
}

/* Joins the top and the parts. */
static void join_parts(build_job *job) {
  struct agenttree *tree = job->tree;
  const int dim = (int)tree->points.dimensions;
  tree->nodeCount = 0;
  for (uint32_t i = 0; i < job->size; i++) {
    top_run *top = &job->runs[job->preorder[i]];
    if (top->axis < 0) {
      append_part(tree, top);
      continue;
    }
    node_count count = {.next = tree->nodeCount};
    const uint32_t index = add_node(tree, &top->run, &count, dim);
    pending *left = &job->runs[top->left].run, *right = &job->runs[top->left + 1].run;
    set_split(tree, index, top->axis, left, right, dim);
    right->parent = index;
    tree->nodeCount = count.next;
  }
}

/* Returns false if the tree must be built without tasks. */
static bool build_in_tasks(struct agenttree *tree, const points_source *source,
                           const points_survey *survey) {
  const copse_tasks *tasks = &tree->points.tasks;
  build_job job;
  job.tree = tree;
  job.source = source;
  fetch_in_tasks(&job);
  divide_top(&job);
  if (job.size > tree->points.present / tree->leafSize) return false; /* see place_parts */
  place_parts(&job);
  tasks_run(tasks, part_task, &job, job.size);
  if (is_scarce(&job)) return false;
  join_parts(&job);
  const bool uniform = survey->anyGroups == survey->allGroups;
  if (!uniform) tasks_run(tasks, groups_task, &job, job.size);
  gather_groups(tree, survey, true);
  return true;
}
#endif

void agenttree_build(void *index, const points_source *source, const points_survey *survey) {
  struct agenttree *tree = index;
  points_take(&tree->points, source, survey);
  if (!tasks_divide(&tree->points.tasks, survey->present, AGENTTREE_DIVIDED) ||
      !build_in_tasks(tree, source, survey))
    build_tree(tree, source, survey);
}
