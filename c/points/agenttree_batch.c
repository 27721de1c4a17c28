/* Batch queries of the agent tree. The tree is processed unit by unit: a unit is a node with a few
 * hundred agents, which are near each other.
 *
 * All agents within reach of a unit are gathered, that is, copied to one array. The reach is the
 * radius of the query, or the expected distance of the k-th neighbor. Then the gathered agents are
 * sorted so that all agents within reach of an agent are in one short run, in 3D in three runs. The
 * agents of the unit scan these runs without branches. If there is no room for the gathered agents,
 * the unit is divided into smaller ones. If even a leaf has no room, each of its agents makes a
 * query of its own, which finds the same agents. The results of each agent are a row. Rows are
 * written in tree order. */

#include "../base/geom.h"
#include "agenttree.h"
#include "batch.h"

#include <string.h>

/* The agents near a node are first copied to the last part of the arrays of `nearby`. Then they are
 * sorted by bands into the first part: a band holds the agents of three strips of space. */
enum {
  GATHER_LIMIT = 1536,
  BAND_LIMIT = 256,
  BAND_PADDING = 4,  /* entries after each band, for scans that read past its end */
  CELL_LIMIT = 4096, /* the maximum number of cells in all bands together, see band_table */
  GATHERED = 3 * GATHER_LIMIT + BAND_LIMIT * BAND_PADDING /* the index in `nearby` of the first
                                                           * gathered agent */
};
_Static_assert(GATHERED + GATHER_LIMIT + NEAR_PADDING <= NEAR_ENTRIES, "too many for nearby");

/* ---- Gathering: copying the agents near a node to one array ------------------------------ */

/* A walk over the leaves that are within reach of a box and may have agents that match the mask, in
 * tree order. */
typedef struct leaf_walk {
  const float *box;
  float reach2;
  uint32_t mask;
  uint32_t skip;       /* the node to skip, with its subtree; or COPSE_NONE */
  uint32_t startPlace; /* skips nodes whose agents all come before this index in tree order */
  uint32_t waiting;
  /* The nodes that wait: at most one per level, plus one in total, because both children of a node
   * are pushed before either is visited. */
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

/* Returns the next leaf, or COPSE_NONE at the end. Writes both children of a node to the stack, but
 * advances its top only by those in reach: a branch for each child would often be predicted
 * wrongly. */
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
      /* The right child need not be compared with startPlace: it ends where its parent ends, and
       * the walk enters only nodes that end after startPlace. */
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

/* Tests the agents begin … end - 1 of a leaf. Appends to `near` those whose squared distance from
 * walk->box is at most walk->reach2, and whose groups match walk->mask. There must be room for all
 * of them. With GATHER_PLACES, stores the indices of the agents in tree order instead of their
 * ids. */
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

/* gather_run_slow does the same as gather_run_in, but is not inlined: for pairs, and for batches
 * with masks, which need not be as fast. */
DEFINE_PAIR_VOID(void, gather_run,
                 (nearby *const near, const struct agenttree *tree, const agenttree_node *leaf,
                  uint32_t begin, uint32_t end, const leaf_walk *walk, gather_fields fields),
                 near, tree, leaf, begin, end, walk, fields)
static void gather_run_slow(nearby *near, const struct agenttree *tree, const agenttree_node *leaf,
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
  near->size = GATHERED;
  /* The first iteration copies all agents of the node `unit`, in order: they are in its box, and
   * walk.mask excludes none until the iteration ends. So agent i of the node is in entry GATHERED +
   * i. */
  for (uint32_t index = unit; index != COPSE_NONE; index = leaf_walk_next(&walk, tree, dim)) {
    const agenttree_node *run = &tree->nodes[index];
    if (near->size + (run->end - run->begin) > GATHERED + GATHER_LIMIT) return false;
    if (batch->plain)
      gather_run_in(near, tree, run, run->begin, run->end, &walk, GATHER_IDS, dim);
    else
      gather_run_slow(near, tree, run, run->begin, run->end, &walk, GATHER_IDS_AND_GROUPS);
    walk.mask = mask;
  }
  return true;
}

DEFINE_PAIR(bool, gather,
            (nearby *const near, const struct agenttree *tree, const batch_query *batch,
             uint32_t unit, float reach2),
            near, tree, batch, unit, reach2)

/* Gathers all agents of the node `unit` and then, in tree order, the other agents within reach of
 * its box that match the mask of at least one agent of the node. Returns false if there is no room
 * for them. */
static bool gather(nearby *near, const struct agenttree *tree, const batch_query *batch,
                   uint32_t unit, float reach2) {
  return CALL_PAIR(tree->points.dimensions, gather, near, tree, batch, unit, reach2);
}

/* ---- Bands: the agents around a node, sorted by strips of space --------------------------- */

/* The height of a strip divided by the width of a cell, see band_table. Must be even: step4 gets
 * REACH_CELLS + 1 as `before`, which must be odd. */
enum { REACH_CELLS = 2 };

/* The agents around a unit (a node of the tree), sorted so that all agents within reach of an agent
 * are next to each other.
 *
 * Space is cut into strips that run along x, one above the other. A strip is at least as high as
 * the reach, and is divided along x into cells. In 3D there are layers of strips, one behind the
 * other along z, each as deep as a strip is high. In 2D there is one layer.
 *
 * Band s + 1 has copies of the agents of three strips: strip s, the one below it, and the one above
 * it. So each agent is in three bands. A band is sorted by cells along x: so all agents within
 * reach of an agent in strip s are in one run of band s + 1, which has the cell of the agent and
 * REACH_CELLS cells on each side. In 3D, the rest are in the same cells of the layers before and
 * behind.
 *
 * The first and the last band of a layer have no strip in their middle, and are never read. Nor are
 * the bands of the outermost strips, which have no agents of the unit. */
typedef struct band_table {
  nearby near;
  /* For each gathered agent, its cell in the first of the three bands that have a copy of it: an
   * index into `ends`. Its cell in the next band is `columns` entries later. */
  uint32_t cells[GATHER_LIMIT + NEAR_PADDING];
  /* Where each cell of each band ends in `near`. Before the agents are sorted: where it begins. */
  uint32_t ends[CELL_LIMIT];
  uint32_t columns; /* the number of cells in a band: a multiple of 4 */
  uint32_t bands;   /* the number of bands in a layer: two more than strips, see above */
  uint32_t layers;
  float scale; /* 1 / the height of the strips into which space is cut */
} band_table;

/* Returns 1 + length * scale, rounded to an integer: the number of different integers that step4
 * can compute for coordinates in a range of this length. */
static uint32_t steps(float length, float scale) {
  const float4 rounded = float4_add(float4_all(length * scale), float4_all(ROUNDER + 1));
  return word4_first(float4_as_words(rounded)) & ROUNDED_BITS;
}

/* A unit is a node whose agents are processed together. A unit of fewer than SMALL_UNIT agents gets
 * fewer cells around it, because every cell takes time. If there are too many cells or bands,
 * strips and cells get larger. But a unit of more than LARGE_UNIT agents is divided into its
 * children instead, unless it is a leaf. */
enum { SMALL_UNIT = 128, LARGE_UNIT = 256 };

/* Chooses the size and the number of strips and cells for a node of `size` agents with the bounds
 * `box`. Returns false if the node must be divided first, see LARGE_UNIT. */
static bool lay_out(band_table *table, const float *box, uint32_t size, float reach2,
                    bool isDivisible, uint32_t dim) {
  float side = 0;
  for (uint32_t axis = 0; axis < dim; axis++)
    if (box[dim + axis] - box[axis] > side) side = box[dim + axis] - box[axis];
  /* A strip is at least 1 / 1024 as high as the longest side of the unit's box, so that counting
   * strips does not overflow. It is at least 1e-18 high, because squares of much smaller distances
   * underflow.
   *
   * A strip is also a little higher than the reach, to make up for rounding. In step4, coordinates
   * are at most about 2048 cells, so float arithmetic moves an agent by less than 0.001 cells. So
   * before step4 rounds to integers, two agents within reach of each other are less than one strip
   * and less than REACH_CELLS cells apart. After that, their strips differ by at most 1, and their
   * cells by at most REACH_CELLS. */
  float height = sqrtf(reach2) * 1.002f;
  if (!(height > side / 1024)) height = side / 1024;
  if (!(height > 1e-18f)) height = 1e-18f;
  const float most = size < SMALL_UNIT ? 1024 + 16 * (float)size : CELL_LIMIT;
  for (;; height *= 1.25f) {
    table->scale = height < 1e30f ? 1 / height : 0; /* 0 if the reach is huge: one cell holds all */
    /* The columns: those of the unit's box, REACH_CELLS more on either side, and an empty first
     * one, because runs_from reads the entry before the first cell of a run. */
    const uint32_t columns =
        steps(box[dim] - box[0], REACH_CELLS * table->scale) + 2 * REACH_CELLS + 1;
    table->columns = (columns + 3) & ~3u;
    /* The strips of the unit's box and two more, below and above it; two more bands than strips. */
    table->bands = steps(box[dim + 1] - box[1], table->scale) + 4;
    table->layers = dim == 3 ? steps(box[5] - box[2], table->scale) + 2 : 1;
    const float bands = (float)table->bands * (float)table->layers;
    /* Each iteration makes strips higher, so fewer are needed. The loop ends: at the latest, a
     * layer has three strips, each 8 cells high, which is within both limits. */
    if (bands <= BAND_LIMIT && (bands + 2) * (float)table->columns <= most) return true;
    if (isDivisible && size > LARGE_UNIT) return false;
  }
}

/* Converts the coordinates x[0] … x[3] to whole steps of the length 1 / scale: lo becomes `before`,
 * lo + 1 / scale becomes before + 1, and so on. Rounds to the nearest integer, halves to the even
 * one. Limits the result to 0 … most. `before` must be odd, like the 1 that `steps` adds before it
 * rounds: then both functions round halves in the same direction. */
ALWAYS_INLINE float4 step4(const float *x, float lo, float scale, float before, float most) {
  float4 t = float4_mul(float4_sub(float4_load(x), float4_all(lo)), float4_all(scale));
  t = float4_min(float4_max(t, float4_all(-before)), float4_all(most - before));
  return float4_sub(float4_add(t, float4_all(ROUNDER + before)), float4_all(ROUNDER));
}

/* Writes the cell of each of the `size` gathered agents to table->cells: the one in the first of
 * the three bands that will have copies of the agent. Counts the agents of each cell in
 * table->ends, but in the last of these bands: start_bands needs the counts there. */
ALWAYS_INLINE void count_cells(band_table *table, const float *box, uint32_t size, const int dim) {
  const nearby *near = &table->near;
  const float columns = (float)table->columns, bands = (float)table->bands;
  for (uint32_t i = 0; i < size; i += 4) {
    const uint32_t place = GATHERED + i;
    float4 cell = step4(near->axes[1] + place, box[1], table->scale, 1, bands - 3);
    if (dim == 3) {
      const float layers = (float)table->layers;
      float4 layer = step4(near->axes[2] + place, box[2], table->scale, 1, layers - 1);
      cell = float4_add(float4_mul(layer, float4_all(bands)), cell);
    }
    cell = float4_mul(cell, float4_all(columns));
    cell = float4_add(cell, step4(near->axes[0] + place, box[0], REACH_CELLS * table->scale,
                                  REACH_CELLS + 1, columns - 1));
    word4_store(table->cells + i, float4_round(cell));
  }
  uint32_t *counts = table->ends + (size_t)2 * table->columns;
  const size_t rows = (size_t)table->bands * table->layers + 2;
  memset(table->ends, 0, rows * table->columns * sizeof *table->ends);
  for (uint32_t i = 0; i < size; i++) counts[table->cells[i]]++; /* NOLINT: initialized */
}

/* Replaces the count of each cell in table->ends by the index at which the cell begins in `near`. A
 * cell gets the agents of three strips. Its size is the sum of its count and the counts of the same
 * cell in the next two bands (see count_cells). Later bands do not need the replaced counts. */
OUT_OF_LINE void start_bands(band_table *table) {
  const uint32_t columns = table->columns, bands = table->bands * table->layers;
  uint32_t *ends = table->ends, start = 0;
  for (uint32_t band = 0; band < bands; band++) {
    word4 begin = word4_all(start);
    for (const uint32_t *past = ends + columns; ends < past; ends += 4) {
      word4 counts = word4_add(word4_load(ends), word4_load(ends + columns));
      counts = word4_add(counts, word4_load(ends + (size_t)2 * columns));
      const word4 sums = word4_sums(counts);
      word4_store(ends, word4_add(begin, word4_sub(sums, counts)));
      begin = word4_add(begin, word4_last(sums));
    }
    start = word4_first(begin);
    nearby_end(&table->near, start);
    start += BAND_PADDING;
  }
}

/* Sorts the gathered agents into bands: copies each agent to its cell in three bands. table->ends
 * has the place of the next copy in each cell, and after the last copy, where each cell ends. */
ALWAYS_INLINE void sort_into_bands_in(band_table *table, const float *box, const bool plain,
                                      const int dim) {
  nearby *near = &table->near;
  const uint32_t size = near->size - GATHERED, columns = table->columns;
  count_cells(table, box, size, dim);
  start_bands(table);
  for (uint32_t i = 0; i < size; i++) {
    const uint32_t id = near->ids[GATHERED + i];
    const uint32_t groups = plain ? 0 : near->groups[GATHERED + i];
    uint32_t *end = table->ends + table->cells[i]; /* NOLINT: initialized */
    float x[3];
    EACH_AXIS (axis, dim) x[axis] = near->axes[axis][GATHERED + i];
    UNROLL for (int band = 0; band < 3; band++, end += columns) {
      const uint32_t place = (*end)++;
      EACH_AXIS (axis, dim) near->axes[axis][place] = x[axis];
      near->ids[place] = id;
      if (!plain) near->groups[place] = groups;
    }
  }
}

DEFINE_PAIR_VOID(void, sort_into_bands, (band_table *const table, const float *box, bool plain),
                 table, box, plain)

/* The maximum number of agents whose rows of results are written at a time. */
enum { ASKERS = 64 };

/* Writes the runs (ranges of gathered agents) that hold all neighbors of the agents begin … end - 1
 * of a node: one run per agent, in 3D three. Handles at most ASKERS agents, and returns how many.
 *
 * A run begins where the cell before it ends: in the same band, because each band begins with an
 * empty cell. Scans may read past the end of a run, but find no neighbor there: those agents are
 * more than REACH_CELLS cells away. */
static uint32_t runs_from(const band_table *table, uint32_t begin, uint32_t end, uint32_t dim,
                          near_run *runs) {
  const uint32_t count = end - begin < ASKERS ? end - begin : ASKERS;
  const uint32_t layer = table->bands * table->columns;
  for (uint32_t i = begin; i < begin + count; i++) {
    const uint32_t *own = table->ends + table->cells[i] + table->columns;
    if (dim == 3) own -= layer;
    for (uint32_t run = 0; run < (dim == 3 ? 3 : 1); run++, own += layer)
      *runs++ = (near_run){own[-REACH_CELLS - 1], own[REACH_CELLS]};
  }
  return count;
}

/* ---- Units: nodes whose agents are processed together ------------------------------------- */

/* Gathers the agents within reach of the node `unit`, and sorts them into bands. Returns false if
 * there is no room for them, so that the node must be divided. */
static bool surround(band_table *table, const struct agenttree *tree, const batch_query *batch,
                     uint32_t unit, float reach2) {
  const agenttree_node *node = &tree->nodes[unit];
  const uint32_t dim = tree->points.dimensions;
  const float *box = agenttree_box(tree, unit, (int)dim);
  if (!lay_out(table, box, node->end - node->begin, reach2, node->right != 0, dim)) return false;
  if (!gather(&table->near, tree, batch, unit, reach2)) return false;
  CALL_PAIR(dim, sort_into_bands, table, box, batch->plain);
  return true;
}

/* A node with more agents is never a unit, unless it is a leaf. */
enum { UNIT_LIMIT = 768 };

/* A walk over the largest nodes that can be units: those that begin in a range of agents. */
typedef struct unit_walk {
  const struct agenttree *tree;
  const task_range *places; /* the range, in tree order; or NULL */
  uint32_t waiting, divided;
  uint32_t stack[COPSE_MAX_DEPTH];
  uint32_t parts[COPSE_MAX_DEPTH]; /* a stack of the parts of units that were divided */
} unit_walk;

static unit_walk units_start(const struct agenttree *tree, const task_range *places) {
  return (unit_walk){.tree = tree, .places = places, .waiting = tree->nodeCount > 0};
}

static uint32_t units_next(unit_walk *units) {
  if (units->divided) return units->parts[--units->divided];
  while (units->waiting) {
    const uint32_t index = units->stack[--units->waiting];
    const agenttree_node *node = &units->tree->nodes[index];
    const bool isUnit = !node->right || node->end - node->begin <= UNIT_LIMIT;
    const uint32_t last = isUnit ? node->begin : node->end - 1;
    if (task_range_misses(units->places, node->begin, last)) continue;
    if (isUnit) return index;
    units->stack[units->waiting++] = node->right;
    units->stack[units->waiting++] = index + 1;
  }
  return COPSE_NONE;
}

/* Makes the walk visit both children of a unit next, because there was no room for all agents
 * around the unit. */
static void units_divide(unit_walk *units, uint32_t unit) {
  units->parts[units->divided++] = units->tree->nodes[unit].right;
  units->parts[units->divided++] = unit + 1;
}

/* ---- Neighbors within a radius, of all agents -------------------------------------------- */

/* Writes the rows of a unit. Returns false if it must be divided, because there is no room for all
 * agents around it. */
static bool unit_within(const struct agenttree *tree, const batch_query *batch, uint32_t unit,
                        float radius, band_table *table, row_writer *writer) {
  const agenttree_node *node = &tree->nodes[unit];
  const float radius2 = radius * radius;
  if (surround(table, tree, batch, unit, radius2)) {
    const uint32_t own = node->end - node->begin;
    near_run runs[3 * ASKERS];
    for (uint32_t i = 0, count; i < own; i += count) {
      count = runs_from(table, i, own, tree->points.dimensions, runs);
      batch_rows(batch, &table->near, GATHERED + i, count, runs, radius2, writer);
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
                          const task_range *places, row_writer *writer) {
  const struct agenttree *tree = index;
  band_table table;
  unit_walk units = units_start(tree, places);
  for (uint32_t unit; (unit = units_next(&units)) != COPSE_NONE;)
    if (!unit_within(tree, batch, unit, radius, &table, writer)) units_divide(&units, unit);
}

/* ---- The k nearest neighbors, of all agents ---------------------------------------------- */

/* Writes the rows of a unit. Returns false if it must be divided. */
static bool unit_neighbors(const struct agenttree *tree, neighbor_search *search, uint32_t unit,
                           band_table *table) {
  const batch_query *batch = &search->batch;
  const agenttree_node *node = &tree->nodes[unit];
  const float expected2 = search->expected.reach2;
  const float reach2 = expected2 < search->max2 ? expected2 : search->max2;
  if (reach2 > 0 && surround(table, tree, batch, unit, reach2)) {
    const uint32_t own = node->end - node->begin;
    near_run runs[3 * ASKERS];
    for (uint32_t i = 0, count; i < own; i += count) {
      count = runs_from(table, i, own, tree->points.dimensions, runs);
      batch_nearest(search, &table->near, GATHERED + i, count, runs, reach2);
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

void agenttree_all_neighbors(const void *index, neighbor_search *search, const task_range *places) {
  const struct agenttree *tree = index;
  band_table table;
  unit_walk units = units_start(tree, places);
  for (uint32_t unit; (unit = units_next(&units)) != COPSE_NONE;)
    if (!unit_neighbors(tree, search, unit, &table)) units_divide(&units, unit);
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
      gather_run_slow(near, tree, run, begin, end, &walk, GATHER_PLACES);
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
