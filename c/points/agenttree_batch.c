/* Batch queries of the agent tree. The tree is processed unit by unit: a unit is a node with some
 * hundred agents, which are near each other.
 *
 * All agents within reach of a unit are gathered, that is, copied to one array. The reach is the
 * radius of the query, or the expected distance of the k-th neighbor. The gathered agents are
 * sorted into cells at least as wide as the reach. Then each agent of the unit scans its own cell
 * and the adjacent ones, without branches. If there is no room for the gathered agents, the unit is
 * divided into smaller ones. If even a leaf has no room, each of its agents makes a query of its
 * own, which finds the same agents. The results of each agent are a row. Rows are written unit by
 * unit, and within a unit cell by cell. */

#include "../base/geom.h"
#include "agenttree.h"
#include "batch.h"

#include <string.h>

/* ---- Gathering --------------------------------------------------------------------------- */

/* A walk over the leaves that are within reach of a box and may have agents that match the mask, in
 * tree order. */
typedef struct leaf_walk {
  const float *box;
  float reach2;
  uint32_t mask;
  uint32_t skip;       /* the node to skip, with its subtree; or COPSE_NONE */
  uint32_t startPlace; /* skips nodes whose agents all come before this index in tree order */
  uint32_t waiting;
  /* One entry more than the depth, because a child is stored before it is known to be in reach. */
  uint32_t stack[COPSE_MAX_DEPTH + 1];
} leaf_walk;

ALWAYS_INLINE void leaf_walk_start(leaf_walk *walk, const struct agenttree *tree, uint32_t index,
                                   float reach2, uint32_t mask, uint32_t skip, uint32_t startPlace,
                                   const int dim) {
  walk->box = agenttree_box(tree, index, dim);
  walk->reach2 = reach2;
  walk->mask = mask;
  walk->skip = skip;
  walk->startPlace = startPlace;
  walk->stack[0] = 0;
  walk->waiting = points_have(&tree->points, mask);
}

/* Returns the next leaf, or COPSE_NONE at the end. Stores both children on the stack and then keeps
 * those in reach: a branch for each child would often be predicted wrongly. */
ALWAYS_INLINE uint32_t leaf_walk_next(leaf_walk *walk, const struct agenttree *tree,
                                      const int dim) {
  const box4 box = box4_load(walk->box, dim);
  const float4 reach2 = float4_all(walk->reach2);
  const bool anyone = walk->mask == COPSE_ALL_GROUPS && walk->startPlace == 0;
  uint32_t waiting = walk->waiting, index = COPSE_NONE;
  while (waiting) {
    index = walk->stack[--waiting]; /* NOLINT: entries below `waiting` are initialized */
    WORKED(1);
    const uint32_t left = index + 1, right = tree->nodes[index].right;
    if (index == walk->skip) {
      index = COPSE_NONE;
      continue;
    }
    if (!right) break;
    index = COPSE_NONE;
    float4 gaps2 = box4_gaps2_of_two(box, box4_load(agenttree_box(tree, left, dim), dim),
                                     box4_load(agenttree_box(tree, right, dim), dim), dim);
    uint32_t near = word4_bits(float4_le(gaps2, reach2));
    if (!anyone) {
      const agenttree_node *first = &tree->nodes[left], *second = &tree->nodes[right];
      if (first->end <= walk->startPlace || !(first->anyGroups & walk->mask)) near &= ~1u;
      /* The right child needs no test of startPlace: it ends where its parent ends, which is after
       * startPlace. */
      if (!(second->anyGroups & walk->mask)) near &= ~2u;
    }
    walk->stack[waiting] = right;
    waiting += near >> 1 & 1;
    walk->stack[waiting] = left;
    waiting += near & 1;
  }
  walk->waiting = waiting;
  return index;
}

/* Appends those of the agents begin … end - 1 of a leaf that are within reach of the walk's box to
 * `near`. There must be room for all of them. With GATHER_PLACES, stores the indices of the agents
 * in tree order instead of their ids. */
ALWAYS_INLINE void gather_run_in(nearby *near, const struct agenttree *tree,
                                 const agenttree_node *leaf, uint32_t begin, uint32_t end,
                                 const leaf_walk *walk, const gather_fields fields, const int dim) {
  const scan_points *points = &tree->points.ordered;
  const bool testGroups = walk->mask != COPSE_ALL_GROUPS && !(leaf->allGroups & walk->mask);
  const bool sameGroups = leaf->anyGroups == leaf->allGroups;
  const float4 reach2 = float4_all(walk->reach2);
  float4 lo[3], hi[3];
  const float *axes[3];
  const uint32_t *ids = points->ids;
  EACH_AXIS (axis, dim) {
    lo[axis] = float4_all(walk->box[axis]);
    hi[axis] = float4_all(walk->box[dim + axis]);
    axes[axis] = points->axes[axis];
  }
  uint32_t size = near->size;
  for (uint32_t i = begin; i < end; i += 4) {
    float4 x[3], d[3];
    EACH_AXIS (axis, dim) {
      x[axis] = float4_load(axes[axis] + i);
      float4 below = float4_sub(lo[axis], x[axis]);
      float4 above = float4_sub(x[axis], hi[axis]);
      d[axis] = float4_max(float4_max(below, above), float4_all(0));
    }
    word4 hit = float4_le(scan_sum_of_squares4(d, dim), reach2);
    if (fields != GATHER_IDS && testGroups) {
      word4 common = word4_and(word4_load(points->groups + i), word4_all(walk->mask));
      hit = word4_without(hit, word4_equal(common, word4_all(0)));
    }
    uint32_t bits = word4_bits(hit) & scan_in_run(i, end);
    EACH_AXIS (axis, dim) float4_store_packed(near->axes[axis] + size, x[axis], bits);
    word4 names = fields == GATHER_PLACES ? word4_count_from(i) : word4_load(ids + i);
    word4_store_packed(near->ids + size, names, bits);
    if (fields == GATHER_IDS_AND_GROUPS) {
      word4 groups = sameGroups ? word4_all(leaf->anyGroups) : word4_load(points->groups + i);
      word4_store_packed(near->groups + size, groups, bits);
    }
    size += bits_count(bits);
  }
  near->size = size;
}

/* gather_run_in out of line: for pairs, and for batches with masks, which need not be as fast. */
DEFINE_PAIR_VOID(void, gather_run,
                 (nearby *const near, const struct agenttree *tree, const agenttree_node *leaf,
                  uint32_t begin, uint32_t end, const leaf_walk *walk, gather_fields fields),
                 near, tree, leaf, begin, end, walk, fields)
static void gather_other(nearby *near, const struct agenttree *tree, const agenttree_node *leaf,
                         uint32_t begin, uint32_t end, const leaf_walk *walk,
                         gather_fields fields) {
  CALL_PAIR(tree->points.dimensions, gather_run, near, tree, leaf, begin, end, walk, fields);
}

ALWAYS_INLINE bool gather_in(nearby *near, const struct agenttree *tree, const batch_query *batch,
                             uint32_t unit, float reach2, const int dim) {
  const agenttree_node *own = &tree->nodes[unit];
  const uint32_t mask = batch_mask_of_run(batch, own->begin, own->end);
  leaf_walk walk;
  leaf_walk_start(&walk, tree, unit, reach2, COPSE_ALL_GROUPS, unit, 0, dim);
  near->size = 0;
  for (uint32_t index = unit; index != COPSE_NONE; index = leaf_walk_next(&walk, tree, dim)) {
    const agenttree_node *run = &tree->nodes[index];
    if (near->size + (run->end - run->begin) > NEAR_LIMIT) return false;
    if (batch->plain)
      gather_run_in(near, tree, run, run->begin, run->end, &walk, GATHER_IDS, dim);
    else
      gather_other(near, tree, run, run->begin, run->end, &walk, GATHER_IDS_AND_GROUPS);
    walk.mask = mask; /* only for the other agents: those of the unit are all gathered */
  }
  return true;
}

DEFINE_PAIR(bool, gather,
            (nearby *const near, const struct agenttree *tree, const batch_query *batch,
             uint32_t unit, float reach2),
            near, tree, batch, unit, reach2)

/* Gathers all agents of a unit and then, in tree order, the other agents within reach of its box
 * that match the mask of at least one agent of the unit. Returns false if there is no room for
 * them. */
static bool gather(nearby *near, const struct agenttree *tree, const batch_query *batch,
                   uint32_t unit, float reach2) {
  return CALL_PAIR(tree->points.dimensions, gather, near, tree, batch, unit, reach2);
}

/* ---- Cells of the agents around a unit ---------------------------------------------------- */

enum { CELL_LIMIT = 2048 };

/* The agents of a unit and those around it, sorted into cells at least as wide as the reach. So all
 * agents within reach of an agent are in its cell or an adjacent one. In each cell, agents of the
 * unit come first. The outermost cells have no agents of the unit, so every cell that has some is
 * surrounded by other cells. */
typedef struct cell_table {
  nearby sorted;
  /* Where the agents of each cell begin in `sorted`; then the end of the last cell. */
  uint32_t starts[CELL_LIMIT + 1];
  uint32_t own[CELL_LIMIT]; /* how many agents of each cell belong to the unit */
  uint32_t counts[3];       /* the numbers of columns, rows and layers of cells */
} cell_table;

static uint32_t cells_count(const cell_table *cells) {
  return cells->counts[0] * cells->counts[1] * cells->counts[2];
}

/* Returns the index of a cell along an axis, for a point that is x cell widths from the start of
 * the box. Adds the same constant as cells_sort_in, because otherwise points on the border of two
 * cells could be rounded differently. */
ALWAYS_INLINE uint32_t cell_at(float x) {
  float shifted = x + (ROUNDER + 1);
  uint32_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  return bits & ROUNDED_BITS;
}

/* Chooses the width of the cells, and writes how many there are along each axis. Returns 1 / width,
 * or 0 if the cells are so wide that one holds all agents. */
ALWAYS_INLINE float cells_lay_out(cell_table *cells, const float *box, uint32_t size, float reach2,
                                  const int dim) {
  float side = 0;
  EACH_AXIS (axis, dim)
    if (box[dim + axis] - box[axis] > side) side = box[dim + axis] - box[axis];
  /* The cells are slightly wider than the reach, because of rounding, and not narrower than 1e-18
   * (below), because squares of much smaller distances underflow. */
  float width = sqrtf(reach2) * 1.002f;
  if (!(width > side / 64)) width = side / 64;
  if (!(width > 1e-18f)) width = 1e-18f;
  const float most = size < 64 ? 128 : size > CELL_LIMIT / 2 ? CELL_LIMIT : 2 * (float)size;
  for (;; width *= 1.25f) {
    const float scale = width < 1e30f ? 1 / width : 0;
    WORKED(1);
    float total = 1;
    cells->counts[2] = 1;
    EACH_AXIS (axis, dim) {
      cells->counts[axis] = cell_at((box[dim + axis] - box[axis]) * scale) + 2;
      total *= (float)cells->counts[axis];
    }
    /* The loop ends: with very wide cells there are three per axis, and these always fit. */
    if (total <= most) return scale;
  }
}

ALWAYS_INLINE void cells_sort_in(cell_table *cells, const nearby *near, uint32_t ownSize,
                                 const float *box, float reach2, const bool plain, const int dim) {
  const float scale = cells_lay_out(cells, box, ownSize, reach2, dim);
  const uint32_t size = near->size, total = cells_count(cells);
  uint32_t cell[NEAR_LIMIT + NEAR_PADDING], next[CELL_LIMIT];
  for (uint32_t i = 0; i < size; i += 4) {
    float4 index = float4_all(0);
    UNROLL for (int axis = dim - 1; axis >= 0; axis--) {
      float4 t = float4_sub(float4_load(near->axes[axis] + i), float4_all(box[axis]));
      t = float4_max(float4_mul(t, float4_all(scale)), float4_all(-1));
      t = float4_min(t, float4_all((float)cells->counts[axis] - 2));
      t = float4_sub(float4_add(t, float4_all(ROUNDER + 1)), float4_all(ROUNDER));
      index = float4_add(float4_mul(index, float4_all((float)cells->counts[axis])), t);
    }
    word4_store(cell + i, float4_round(index));
  }

  memset(cells->own, 0, total * sizeof *cells->own);
  memset(next, 0, total * sizeof *next);
  for (uint32_t i = 0; i < ownSize; i++) cells->own[cell[i]]++; /* NOLINT: cell[i] is initialized */
  for (uint32_t i = ownSize; i < size; i++) next[cell[i]]++;
  uint32_t start = 0;
  for (uint32_t i = 0; i < total; i++) {
    WORKED(1);
    cells->starts[i] = start;
    start += cells->own[i] + next[i];
    next[i] = cells->starts[i];
  }
  cells->starts[total] = start;
  for (uint32_t i = 0; i < size; i++) {
    const uint32_t place = next[cell[i]]++;
    WORKED(1);
    EACH_AXIS (axis, dim) cells->sorted.axes[axis][place] = near->axes[axis][i];
    cells->sorted.ids[place] = near->ids[i];
    if (!plain) cells->sorted.groups[place] = near->groups[i];
  }
}

DEFINE_PAIR_VOID(void, cells_sort,
                 (cell_table *const cells, const nearby *near, uint32_t ownSize, const float *box,
                  float reach2, bool plain),
                 cells, near, ownSize, box, reach2, plain)

/* Copies the agents of a cell and of the adjacent cells to `near`. Returns the index in `near`
 * where the agents of the cell itself begin. */
ALWAYS_INLINE uint32_t cells_around_in(const cell_table *cells, uint32_t cell, nearby *near,
                                       const bool plain, const int dim) {
  const uint32_t columns = cells->counts[0], layer = dim == 3 ? columns * cells->counts[1] : 0;
  /* The cell one row and, in 3D, one layer before: it exists, because `cell` is not an outermost
   * one. */
  const uint32_t corner = cell - columns - layer;
  uint32_t size = 0, self = 0;
  for (uint32_t z = 0; z < (dim == 3 ? 3 : 1); z++) {
    for (uint32_t y = 0; y < 3; y++) {
      const uint32_t middle = corner + y * columns + z * layer;
      const uint32_t begin = cells->starts[middle - 1], end = cells->starts[middle + 2];
      if (middle == cell) self = size + (cells->starts[middle] - begin);
      for (uint32_t i = begin, target = size; i < end; i += 4, target += 4) {
        EACH_AXIS (axis, dim)
          float4_store(near->axes[axis] + target, float4_load(cells->sorted.axes[axis] + i));
        word4_store(near->ids + target, word4_load(cells->sorted.ids + i));
        if (!plain) word4_store(near->groups + target, word4_load(cells->sorted.groups + i));
      }
      size += end - begin;
    }
  }
  near->size = size;
  nearby_end(near);
  return self;
}

DEFINE_PAIR(uint32_t, cells_around,
            (const cell_table *cells, uint32_t cell, nearby *near, bool plain), cells, cell, near,
            plain)
static uint32_t cells_around(const cell_table *cells, uint32_t cell, nearby *near, bool plain,
                             uint32_t dimensions) {
  return CALL_PAIR(dimensions, cells_around, cells, cell, near, plain);
}

/* ---- Units: nodes whose agents are processed together ------------------------------------- */

typedef struct scratch {
  nearby near;
  cell_table around;
} scratch;

/* Gathers the agents within reach of a unit and sorts them into cells. Returns false if there is no
 * room for them. */
static bool surround(scratch *work, const struct agenttree *tree, const batch_query *batch,
                     uint32_t unit, float reach2) {
  const agenttree_node *node = &tree->nodes[unit];
  if (!gather(&work->near, tree, batch, unit, reach2)) return false;
  const int dim = (int)tree->points.dimensions;
  CALL_PAIR(dim, cells_sort, &work->around, &work->near, node->end - node->begin,
            agenttree_box(tree, unit, dim), reach2, batch->plain);
  return true;
}

/* A walk over the units of a tree, in tree order. */
typedef struct unit_walk {
  const struct agenttree *tree;
  uint32_t limit; /* the maximum number of agents in a unit */
  uint32_t waiting;
  uint32_t stack[COPSE_MAX_DEPTH];
} unit_walk;

enum { UNIT_LIMIT = 768 };

static unit_walk units_start(const struct agenttree *tree) {
  return (unit_walk){tree, UNIT_LIMIT, tree->nodeCount > 0, {0}};
}

static void units_push(unit_walk *units, uint32_t index) {
  units->stack[units->waiting++] = units->tree->nodes[index].right;
  units->stack[units->waiting++] = index + 1;
}

static uint32_t units_next(unit_walk *units) {
  while (units->waiting) {
    uint32_t index = units->stack[--units->waiting];
    WORKED(1);
    const agenttree_node *node = &units->tree->nodes[index];
    if (!node->right || node->end - node->begin <= units->limit) {
      units->limit = units->limit < UNIT_LIMIT / 2 ? units->limit * 2 : UNIT_LIMIT;
      return index;
    }
    units_push(units, index);
  }
  return COPSE_NONE;
}

/* Divides a unit into smaller ones, because there is no room for all agents around it. */
static void units_split(unit_walk *units, uint32_t index) {
  const agenttree_node *node = &units->tree->nodes[index];
  units->limit = (node->end - node->begin) / 2;
  units_push(units, index);
}

/* ---- Neighbors within a radius, of all agents -------------------------------------------- */

static bool unit_within(const struct agenttree *tree, const batch_query *batch, uint32_t unit,
                        float radius, scratch *work, row_writer *writer) {
  const agenttree_node *node = &tree->nodes[unit];
  const float radius2 = radius * radius;
  if (surround(work, tree, batch, unit, radius2)) {
    const uint32_t total = cells_count(&work->around);
    for (uint32_t cell = 0; cell < total; cell++) {
      const uint32_t own = work->around.own[cell];
      WORKED(1);
      if (!own) continue;
      const uint32_t self =
          cells_around(&work->around, cell, &work->near, batch->plain, tree->points.dimensions);
      batch_rows(batch, &work->near, self, own, radius2, writer);
    }
    return true;
  }
  if (node->right) return false;
  for (uint32_t place = node->begin; place < node->end; place++) {
    float center[3];
    points_center(&tree->points, place, center);
    batch_row_alone(batch, center, tree->points.ordered.ids[place], radius, writer);
  }
  return true;
}

void agenttree_all_within(const void *index, const batch_query *batch, float radius,
                          row_writer *writer) {
  const struct agenttree *tree = index;
  scratch work;
  unit_walk units = units_start(tree);
  for (uint32_t unit; (unit = units_next(&units)) != COPSE_NONE;)
    if (!unit_within(tree, batch, unit, radius, &work, writer)) units_split(&units, unit);
}

/* ---- The k nearest neighbors, of all agents ---------------------------------------------- */

static bool unit_neighbors(const struct agenttree *tree, neighbor_search *search, uint32_t unit,
                           scratch *work) {
  const batch_query *batch = &search->batch;
  const agenttree_node *node = &tree->nodes[unit];
  const float expected2 = search->expected.reach2;
  const float reach2 = expected2 < search->max2 ? expected2 : search->max2;
  if (reach2 > 0 && surround(work, tree, batch, unit, reach2)) {
    const uint32_t total = cells_count(&work->around);
    for (uint32_t cell = 0; cell < total; cell++) {
      const uint32_t own = work->around.own[cell];
      WORKED(1);
      if (!own) continue;
      const uint32_t self =
          cells_around(&work->around, cell, &work->near, batch->plain, tree->points.dimensions);
      batch_nearest(search, &work->near, self, own, reach2);
    }
  } else {
    if (node->right) return false;
    for (uint32_t place = node->begin; place < node->end; place++) {
      float center[3];
      points_center(&tree->points, place, center);
      batch_nearest_alone(search, center, tree->points.ordered.ids[place]);
    }
  }
  expect(&search->expected);
  return true;
}

void agenttree_all_neighbors(const void *index, neighbor_search *search) {
  const struct agenttree *tree = index;
  scratch work;
  unit_walk units = units_start(tree);
  /* The first unit is one leaf. Its agents make single queries, because no reach is known yet. */
  units.limit = 1;
  for (uint32_t unit; (unit = units_next(&units)) != COPSE_NONE;)
    if (!unit_neighbors(tree, search, unit, &work)) units_split(&units, unit);
}

/* ---- Pairs ------------------------------------------------------------------------------- */

ALWAYS_INLINE void leaf_pairs_in(const struct agenttree *tree, const batch_query *batch,
                                 uint32_t leaf, nearby *near, pair_search *search, const int dim) {
  const agenttree_node *node = &tree->nodes[leaf];
  const float reach2 = pairing_reach2(search, batch, node->begin, node->end);
  leaf_walk walk;
  leaf_walk_start(&walk, tree, leaf, reach2, batch->query.mask, COPSE_NONE, node->begin, dim);
  near->size = 0;
  for (uint32_t index; (index = leaf_walk_next(&walk, tree, dim)) != COPSE_NONE;) {
    const agenttree_node *run = &tree->nodes[index];
    for (uint32_t begin = run->begin, end; begin < run->end; begin = end) {
      end = run->end - begin > NEAR_LIMIT ? begin + NEAR_LIMIT : run->end;
      if (near->size + (end - begin) > NEAR_LIMIT)
        batch_pairs(batch, node->begin, node->end, near, search);
      gather_other(near, tree, run, begin, end, &walk, GATHER_PLACES);
    }
  }
  batch_pairs(batch, node->begin, node->end, near, search);
}

DEFINE_PAIR_VOID(void, leaf_pairs,
                 (const struct agenttree *tree, const batch_query *batch, uint32_t leaf,
                  nearby *near, pair_search *search),
                 tree, batch, leaf, near, search)

void agenttree_pairs(const void *index, const batch_query *batch, pair_search *search) {
  const struct agenttree *tree = index;
  nearby near;
  for (uint32_t leaf = 0; leaf < tree->nodeCount; leaf++) {
    if (tree->nodes[leaf].right) continue;
    CALL_PAIR(tree->points.dimensions, leaf_pairs, tree, batch, leaf, &near, search);
  }
}
