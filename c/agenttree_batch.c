/* Batch queries of the agent tree: some hundred agents near each other are answered as a whole.
 *
 * What is around such a unit is gathered once and sorted into cells as wide as the query reaches;
 * then each agent scans its cell and those next to it, without branches. Where there is no room for
 * what is around, smaller units are tried, and last the agents are answered one by one. Either way
 * finds the same; the order of rows, and of the ids in a row, is that of units and cells. */

#include "agenttree.h"

#include "geom.h"
#include "query.h"

#include <math.h>
#include <string.h>

/* ---- What a batch asks ------------------------------------------------------------------- */

typedef struct batch {
  const copse_agenttree *tree;
  copse_query query;
  const uint32_t *masks; /* by slot; NULL when no agent's mask filters anything */
  bool plain;            /* no mask of any kind filters anything */
} batch;

static bool batch_init(batch *asked, const copse_agenttree *tree, const copse_query *query,
                       const uint32_t *masks) {
  *asked = (batch){tree, query_or_default(query), NULL, false};
  uint32_t common = COPSE_ALL_GROUPS;
  if (masks)
    for (uint32_t i = 0; i < tree->builtCount; i++) common &= masks[i];
  if (common != COPSE_ALL_GROUPS) asked->masks = masks;
  asked->plain = !asked->masks && asked->query.mask == COPSE_ALL_GROUPS;
  return asked->query.sort == COPSE_SORT_NONE;
}

/* How many rows a batch has: slots that are in use or were when the tree was built. */
static uint32_t row_count(const copse_agenttree *tree) {
  return tree->count > tree->builtCount ? tree->count : tree->builtCount;
}

/* Whom an agent looks for. */
static uint32_t mask_of(const batch *asked, uint32_t slot) {
  return asked->masks ? asked->masks[slot] & asked->query.mask : asked->query.mask;
}

/* Whom any agent of a node looks for. */
static uint32_t mask_of_run(const batch *asked, const node *run) {
  if (!asked->masks) return asked->query.mask;
  uint32_t mask = 0;
  for (uint32_t i = run->begin; i < run->end; i++)
    mask |= mask_of(asked, asked->tree->points.ids[i]);
  return mask;
}

/* ---- Gathering --------------------------------------------------------------------------- */

/* The leaves within reach of a node's box, one after the other in tree order. */
typedef struct reach {
  const float *box;
  float reach2;
  uint32_t mask;
  uint32_t skip; /* leave out this node */
  uint32_t from; /* leave out nodes that end before this place in tree order */
  uint32_t waiting;
  uint32_t stack[COPSE_MAX_DEPTH + 1]; /* one more: what is pushed first and then not kept */
} reach;

ALWAYS_INLINE void reach_start(reach *all, const copse_agenttree *tree, uint32_t index,
                               float reach2, uint32_t mask, uint32_t skip, uint32_t from,
                               const int dim) {
  all->box = agenttree_box(tree, index, dim);
  all->reach2 = reach2;
  all->mask = mask;
  all->skip = skip;
  all->from = from;
  all->stack[0] = 0;
  all->waiting = agenttree_has_any(tree, mask);
}

/* COPSE_NONE: no more. Without branches on what is near, which no processor could predict. */
ALWAYS_INLINE uint32_t reach_next(reach *all, const copse_agenttree *tree, const int dim) {
  const box4 box = box4_load(all->box, dim);
  const float4 reach2 = float4_all(all->reach2);
  const bool anyone = all->mask == COPSE_ALL_GROUPS && all->from == 0;
  uint32_t waiting = all->waiting, index = COPSE_NONE;
  while (waiting) {
    index = all->stack[--waiting]; /* NOLINT: below `waiting`, all was pushed */
    const uint32_t left = index + 1, right = tree->nodes[index].right;
    if (index == all->skip) {
      index = COPSE_NONE;
      continue;
    }
    if (!right) break;
    index = COPSE_NONE;
    float4 gaps2 = box4_gaps2_of_two(box, box4_load(agenttree_box(tree, left, dim), dim),
                                     box4_load(agenttree_box(tree, right, dim), dim), dim);
    uint32_t near = word4_bits(float4_le(gaps2, reach2));
    if (!anyone) {
      const node *first = &tree->nodes[left], *second = &tree->nodes[right];
      if (first->end <= all->from || !(first->anyGroups & all->mask)) near &= ~1u;
      if (second->end <= all->from || !(second->anyGroups & all->mask)) near &= ~2u;
    }
    all->stack[waiting] = right;
    waiting += near >> 1 & 1;
    all->stack[waiting] = left;
    waiting += near & 1;
  }
  all->waiting = waiting;
  return index;
}

enum { NEAR_LIMIT = 2048, NEAR_PADDING = 8 };

/* Agents near each other, with room for a scan past the end. */
typedef struct nearby {
  float axes[3][NEAR_LIMIT + NEAR_PADDING];
  uint32_t ids[NEAR_LIMIT + NEAR_PADDING];
  union {
    uint32_t groups[NEAR_LIMIT + NEAR_PADDING]; /* where agents have masks */
    float radii[NEAR_LIMIT + NEAR_PADDING];     /* where pairs touch by radius */
  };
  uint32_t size;
} nearby;

/* GATHER_IDS alone is for plain batches and filters nothing. */
typedef enum gather_what { GATHER_IDS, GATHER_IDS_AND_GROUPS, GATHER_PLACES } gather_what;

/* Appends the agents begin … end of a leaf that are within reach; there must be room. For places
 * in tree order, these stand in for the ids. */
ALWAYS_INLINE void gather_run(nearby *near, const copse_agenttree *tree, const node *leaf,
                              uint32_t begin, uint32_t end, const reach *all,
                              const gather_what what, const int dim) {
  const scan_points *points = &tree->points;
  const bool testGroups = all->mask != COPSE_ALL_GROUPS && !(leaf->allGroups & all->mask);
  const bool sameGroups = leaf->anyGroups == leaf->allGroups;
  const float4 reach2 = float4_all(all->reach2);
  float4 lo[3], hi[3];
  const float *axes[3];
  const uint32_t *ids = points->ids;
  EACH_AXIS (axis, dim) {
    lo[axis] = float4_all(all->box[axis]);
    hi[axis] = float4_all(all->box[dim + axis]);
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
    if (what != GATHER_IDS && testGroups) {
      word4 common = word4_and(word4_load(points->groups + i), word4_all(all->mask));
      hit = word4_without(hit, word4_equal(common, word4_all(0)));
    }
    uint32_t bits = word4_bits(hit) & scan_in_run(i, end);
    EACH_AXIS (axis, dim) float4_store_packed(near->axes[axis] + size, x[axis], bits);
    word4 names = what == GATHER_PLACES ? word4_count_from(i) : word4_load(ids + i);
    word4_store_packed(near->ids + size, names, bits);
    if (what == GATHER_IDS_AND_GROUPS) {
      word4 groups = sameGroups ? word4_all(leaf->anyGroups) : word4_load(points->groups + i);
      word4_store_packed(near->groups + size, groups, bits);
    }
    size += bits_count(bits);
  }
  near->size = size;
}

/* Ends a gathering: a scan reads past the end, where NaN is within no distance. */
ALWAYS_INLINE void gather_end(nearby *near, const int dim) {
  EACH_AXIS (axis, dim) {
    float4_store(near->axes[axis] + near->size, float4_all(NAN));
    float4_store(near->axes[axis] + near->size + 4, float4_all(NAN));
  }
}

ALWAYS_INLINE bool gather_in(nearby *near, const batch *asked, uint32_t unit, float reach2,
                             const int dim) {
  const copse_agenttree *tree = asked->tree;
  const node *own = &tree->nodes[unit];
  const uint32_t mask = mask_of_run(asked, own);
  reach all;
  reach_start(&all, tree, unit, reach2, COPSE_ALL_GROUPS, unit, 0, dim);
  near->size = 0;
  for (uint32_t index = unit; index != COPSE_NONE; index = reach_next(&all, tree, dim)) {
    const node *run = &tree->nodes[index];
    if (near->size + (run->end - run->begin) > NEAR_LIMIT) return false;
    if (asked->plain)
      gather_run(near, tree, run, run->begin, run->end, &all, GATHER_IDS, dim);
    else
      gather_run(near, tree, run, run->begin, run->end, &all, GATHER_IDS_AND_GROUPS, dim);
    all.mask = mask; /* the unit's own agents ask, also those that nobody looks for */
  }
  return true;
}

OUT_OF_LINE bool gather_2d(nearby *near, const batch *asked, uint32_t unit, float reach2) {
  return gather_in(near, asked, unit, reach2, 2);
}
OUT_OF_LINE bool gather_3d(nearby *near, const batch *asked, uint32_t unit, float reach2) {
  return gather_in(near, asked, unit, reach2, 3);
}

/* Gathers a node's own agents and then, in tree order, all others within reach of its box whom any
 * of its own looks for. False when there is no room. */
static bool gather(nearby *near, const batch *asked, uint32_t unit, float reach2) {
  return asked->tree->def.dimensions == 3 ? gather_3d(near, asked, unit, reach2)
                                          : gather_2d(near, asked, unit, reach2);
}

/* ---- Cells -------------------------------------------------------------------------------- */

enum { CELL_LIMIT = 2048 };

/* What is around a unit, sorted into cells at least as wide as the reach: so that all within reach
 * of an agent is in its cell and those next to it. In each cell the unit's own agents come first.
 * The outermost cells hold none of them. */
typedef struct cells {
  nearby sorted;
  uint32_t starts[CELL_LIMIT + 1]; /* of each cell, row by row, and the end */
  uint32_t own[CELL_LIMIT];        /* how many of a cell's agents are the unit's */
  uint32_t counts[3];              /* columns, rows, layers */
} cells;

static uint32_t cells_count(const cells *all) {
  return all->counts[0] * all->counts[1] * all->counts[2];
}

/* Adding it to a float below 2^22 leaves the float, rounded, in the low bits. */
#define ROUNDER      8388608.0f
#define ROUNDED_BITS 0x3fffffu

/* The cell along an axis of what is x widths from the start of the box, as cells_sort_in finds it:
 * with the same addition, since ties are rounded to even. */
ALWAYS_INLINE uint32_t cell_at(float x) {
  float shifted = x + (ROUNDER + 1);
  uint32_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  return bits & ROUNDED_BITS;
}

/* Chooses the width of cells and counts them; answers with 1 / width, or 0: one cell for all. */
ALWAYS_INLINE float cells_lay_out(cells *all, const float *box, uint32_t agents, float reach2,
                                  const int dim) {
  float side = 0;
  EACH_AXIS (axis, dim)
    if (box[dim + axis] - box[axis] > side) side = box[dim + axis] - box[axis];
  /* A little wider than the reach, for what rounding adds; squares of less than 1e-18 round away.
   */
  float width = sqrtf(reach2) * 1.002f;
  if (!(width > side / 64)) width = side / 64;
  if (!(width > 1e-18f)) width = 1e-18f;
  const float most = agents < 64 ? 128 : agents > CELL_LIMIT / 2 ? CELL_LIMIT : 2 * (float)agents;
  for (;; width *= 1.25f) {
    const float scale = width < 1e30f ? 1 / width : 0;
    float total = 1;
    all->counts[2] = 1;
    EACH_AXIS (axis, dim) {
      all->counts[axis] = cell_at((box[dim + axis] - box[axis]) * scale) + 2;
      total *= (float)all->counts[axis];
    }
    if (total <= most || scale == 0) return scale;
  }
}

ALWAYS_INLINE void cells_sort_in(cells *all, const nearby *near, uint32_t ownSize, const float *box,
                                 float reach2, const bool plain, const int dim) {
  const float scale = cells_lay_out(all, box, ownSize, reach2, dim);
  const uint32_t size = near->size, total = cells_count(all);
  uint32_t cell[NEAR_LIMIT + NEAR_PADDING], next[CELL_LIMIT];
  for (uint32_t i = 0; i < size; i += 4) {
    float4 index = float4_all(0);
    UNROLL for (int axis = dim - 1; axis >= 0; axis--) {
      float4 t = float4_sub(float4_load(near->axes[axis] + i), float4_all(box[axis]));
      t = float4_max(float4_mul(t, float4_all(scale)), float4_all(-1));
      t = float4_min(t, float4_all((float)all->counts[axis] - 2));
      t = float4_sub(float4_add(t, float4_all(ROUNDER + 1)), float4_all(ROUNDER));
      index = float4_add(float4_mul(index, float4_all((float)all->counts[axis])), t);
    }
    index = float4_add(index, float4_all(ROUNDER));
    word4_store(cell + i, word4_and(float4_as_words(index), word4_all(ROUNDED_BITS)));
  }

  memset(all->own, 0, total * sizeof *all->own);
  memset(next, 0, total * sizeof *next);
  for (uint32_t i = 0; i < ownSize; i++) all->own[cell[i]]++; /* NOLINT: all were stored above */
  for (uint32_t i = ownSize; i < size; i++) next[cell[i]]++;
  uint32_t start = 0;
  for (uint32_t i = 0; i < total; i++) {
    all->starts[i] = start;
    start += all->own[i] + next[i];
    next[i] = all->starts[i];
  }
  all->starts[total] = start;
  for (uint32_t i = 0; i < size; i++) {
    const uint32_t to = next[cell[i]]++;
    EACH_AXIS (axis, dim) all->sorted.axes[axis][to] = near->axes[axis][i];
    all->sorted.ids[to] = near->ids[i];
    if (!plain) all->sorted.groups[to] = near->groups[i];
  }
}

OUT_OF_LINE void cells_sort_2d(cells *all, const nearby *near, uint32_t ownSize, const float *box,
                               float reach2, bool plain) {
  cells_sort_in(all, near, ownSize, box, reach2, plain, 2);
}
OUT_OF_LINE void cells_sort_3d(cells *all, const nearby *near, uint32_t ownSize, const float *box,
                               float reach2, bool plain) {
  cells_sort_in(all, near, ownSize, box, reach2, plain, 3);
}

/* Copies a cell and those next to it; answers with where the cell's own agents begin. */
ALWAYS_INLINE uint32_t cells_around_in(const cells *all, uint32_t cell, nearby *near,
                                       const bool plain, const int dim) {
  const uint32_t columns = all->counts[0], layer = columns * all->counts[1];
  uint32_t size = 0, self = 0;
  for (uint32_t z = 0; z < (dim == 3 ? 3 : 1); z++) {
    for (uint32_t y = 0; y < 3; y++) {
      const uint32_t middle =
          cell + (y * columns + (dim == 3 ? z * layer : 0)) - columns - (dim == 3 ? layer : 0);
      const uint32_t begin = all->starts[middle - 1], end = all->starts[middle + 2];
      if (middle == cell) self = size + (all->starts[middle] - begin);
      for (uint32_t i = begin, to = size; i < end; i += 4, to += 4) {
        EACH_AXIS (axis, dim)
          float4_store(near->axes[axis] + to, float4_load(all->sorted.axes[axis] + i));
        word4_store(near->ids + to, word4_load(all->sorted.ids + i));
        if (!plain) word4_store(near->groups + to, word4_load(all->sorted.groups + i));
      }
      size += end - begin;
    }
  }
  near->size = size;
  gather_end(near, dim);
  return self;
}

OUT_OF_LINE uint32_t cells_around_2d(const cells *all, uint32_t cell, nearby *near, bool plain) {
  return cells_around_in(all, cell, near, plain, 2);
}
OUT_OF_LINE uint32_t cells_around_3d(const cells *all, uint32_t cell, nearby *near, bool plain) {
  return cells_around_in(all, cell, near, plain, 3);
}
ALWAYS_INLINE uint32_t cells_around(const cells *all, uint32_t cell, nearby *near, bool plain,
                                    const int dim) {
  return dim == 3 ? cells_around_3d(all, cell, near, plain)
                  : cells_around_2d(all, cell, near, plain);
}

/* Who asks. */
typedef struct asker {
  scan_center center;
  word4 slot;
  word4 mask;
} asker;

ALWAYS_INLINE asker asker_of(const batch *asked, const float *center, uint32_t slot,
                             const int dim) {
  return (asker){scan_center_at(center, dim), word4_all(slot), word4_all(mask_of(asked, slot))};
}

/* Where the agent at a place of the tree is. */
ALWAYS_INLINE void place_center(const batch *asked, uint32_t place, float *center, const int dim) {
  const scan_points *points = &asked->tree->points;
  EACH_AXIS (axis, dim) center[axis] = points->axes[axis][place];
}

/* Where a gathered agent is. */
ALWAYS_INLINE void nearby_center(const nearby *near, uint32_t i, float *center, const int dim) {
  EACH_AXIS (axis, dim) center[axis] = near->axes[axis][i];
}

ALWAYS_INLINE float4 nearby_distance2(const nearby *near, uint32_t i, const asker *who,
                                      const int dim) {
  float4 d[3];
  EACH_AXIS (axis, dim)
    d[axis] = float4_sub(float4_load(near->axes[axis] + i), who->center.axes[axis]);
  return scan_sum_of_squares4(d, dim);
}

/* What an agent asks, as a query of its own. */
static copse_query query_of(const batch *asked, uint32_t slot) {
  copse_query query = asked->query;
  query.exclude = slot;
  query.mask = mask_of(asked, slot);
  return query;
}

/* Takes a gathered agent out of everybody's sight; answers with what brings it back. */
ALWAYS_INLINE float nearby_hide(nearby *near, uint32_t i) {
  float x = near->axes[0][i];
  near->axes[0][i] = NAN;
  return x;
}

/* Of four gathered agents that are near, those that the asker looks for. In a plain batch all of
 * them: the asker itself is hidden meanwhile. */
ALWAYS_INLINE word4 nearby_wanted(word4 hit, const nearby *near, uint32_t i, const asker *who,
                                  const bool plain) {
  if (plain) return hit;
  word4 common = word4_and(word4_load(near->groups + i), who->mask);
  hit = word4_without(hit, word4_equal(common, word4_all(0)));
  return word4_without(hit, word4_equal(word4_load(near->ids + i), who->slot));
}

/* ---- Units -------------------------------------------------------------------------------- */

typedef struct scratch {
  nearby near;
  cells around;
} scratch;

/* Gathers what is within reach of a node and sorts it into cells; false when there is no room. */
static bool surround(scratch *work, const batch *asked, uint32_t unit, float reach2) {
  const copse_agenttree *tree = asked->tree;
  const node *at = &tree->nodes[unit];
  if (!gather(&work->near, asked, unit, reach2)) return false;
  if (tree->def.dimensions == 3)
    cells_sort_3d(&work->around, &work->near, at->end - at->begin, agenttree_box(tree, unit, 3),
                  reach2, asked->plain);
  else
    cells_sort_2d(&work->around, &work->near, at->end - at->begin, agenttree_box(tree, unit, 2),
                  reach2, asked->plain);
  return true;
}

/* Nodes whose agents are answered together, one after the other in tree order. */
typedef struct units {
  const copse_agenttree *tree;
  uint32_t limit; /* of their agents */
  uint32_t waiting;
  uint32_t stack[COPSE_MAX_DEPTH];
} units;

enum { UNIT_LIMIT = 768 };

static units units_start(const copse_agenttree *tree) {
  return (units){tree, UNIT_LIMIT, tree->nodeCount > 0, {0}};
}

static void units_push(units *all, uint32_t index) {
  all->stack[all->waiting++] = all->tree->nodes[index].right;
  all->stack[all->waiting++] = index + 1;
}

static uint32_t units_next(units *all) {
  while (all->waiting) {
    uint32_t index = all->stack[--all->waiting];
    const node *at = &all->tree->nodes[index];
    if (!at->right || at->end - at->begin <= all->limit) {
      all->limit = all->limit < UNIT_LIMIT / 2 ? all->limit * 2 : UNIT_LIMIT;
      return index;
    }
    units_push(all, index);
  }
  return COPSE_NONE;
}

/* Instead of a unit that is surrounded by too many, smaller ones. */
static void units_split(units *all, uint32_t index) {
  const node *at = &all->tree->nodes[index];
  all->limit = (at->end - at->begin) / 2;
  units_push(all, index);
}

/* ---- All within -------------------------------------------------------------------------- */

/* Writes the gathered ids within a radius to a row with room for NEAR_PADDING more; answers with
 * their number. */
ALWAYS_INLINE uint32_t row_of(const nearby *near, const asker *who, float radius2, uint32_t *row,
                              const bool plain, const int dim) {
  const uint32_t size = near->size;
  const float4 limit2 = float4_all(radius2);
  uint32_t total = 0;
  for (uint32_t i = 0; i < size; i += 8) { /* two blocks a turn: fewer branches */
    word4 hit = float4_le(nearby_distance2(near, i, who, dim), limit2);
    word4 next = float4_le(nearby_distance2(near, i + 4, who, dim), limit2);
    uint32_t bits = word4_bits(nearby_wanted(hit, near, i, who, plain));
    uint32_t nextBits = word4_bits(nearby_wanted(next, near, i + 4, who, plain));
    word4_store_packed(row + total, word4_load(near->ids + i), bits);
    total += bits_count(bits);
    word4_store_packed(row + total, word4_load(near->ids + i + 4), nextBits);
    total += bits_count(nextBits);
  }
  return total;
}

/* The rows under way. */
typedef struct row_writer {
  uint32_t *offsets, *counts, *ids;
  uint32_t room;  /* for ids still; none once a row did not fit */
  uint32_t used;  /* ids written */
  uint64_t total; /* ids found */
  bool truncated;
} row_writer;

ALWAYS_INLINE void row_end(row_writer *to, uint32_t row, uint32_t count) {
  to->offsets[row] = to->used;
  to->total += count;
  if (count <= to->room) {
    to->counts[row] = count;
    to->used += count;
    to->room -= count;
  } else {
    to->counts[row] = 0;
    to->truncated = true;
    to->room = 0;
  }
}

/* Rows of which `written` will be written; all are empty until then, where that is not all. */
static row_writer rows_start(const copse_rows *rows, uint32_t count, uint32_t written) {
  if (count > written) {
    memset(rows->offsets, 0, count * sizeof(uint32_t));
    memset(rows->counts, 0, count * sizeof(uint32_t));
  }
  return (row_writer){rows->offsets, rows->counts, rows->ids, rows->capacity, 0, 0, false};
}

static void rows_end(const row_writer *to, copse_rows *rows) {
  rows->total = to->total > UINT32_MAX ? UINT32_MAX : (uint32_t)to->total;
  rows->truncated = to->truncated;
}

/* A row by a query of its own. */
static void row_by_query(row_writer *to, const copse_agenttree *tree, uint32_t row,
                         const float *center, float radius, const copse_query *query) {
  copse_results results = {.ids = to->ids + to->used, .capacity = to->room};
  copse_agenttree_within(tree, center, radius, query, &results);
  row_end(to, row, results.total);
}

/* The rows of a unit's agents from what was gathered around it. Says where they lie at the end:
 * slots next to each other in space are far apart in memory, and so the processor waits for many
 * of them at once. */
ALWAYS_INLINE void rows_of(const batch *asked, const cells *around, float radius2, nearby *near,
                           row_writer *writer, const bool plain, const int dim) {
  row_writer to = *writer; /* in registers: see scan_center */
  uint32_t askers[NEAR_LIMIT], offsets[NEAR_LIMIT], counts[NEAR_LIMIT], rows = 0;
  to.offsets = offsets;
  to.counts = counts;
  const uint32_t total = cells_count(around);
  for (uint32_t cell = 0; cell < total; cell++) {
    const uint32_t own = around->own[cell];
    if (!own) continue;
    uint32_t self = cells_around(around, cell, near, plain, dim);
    for (const uint32_t end = self + own; self < end; self++) {
      float center[3];
      nearby_center(near, self, center, dim);
      const asker who = asker_of(asked, center, near->ids[self], dim);
      uint32_t elsewhere[NEAR_LIMIT + NEAR_PADDING];
      bool roomy = to.room >= near->size + NEAR_PADDING;
      float x = plain ? nearby_hide(near, self) : 0;
      uint32_t count =
          row_of(near, &who, radius2, roomy ? to.ids + to.used : elsewhere, plain, dim);
      if (plain) near->axes[0][self] = x;
      if (!roomy && count && count <= to.room)
        memcpy(to.ids + to.used, elsewhere, count * sizeof(uint32_t));
      askers[rows] = near->ids[self];
      row_end(&to, rows++, count);
    }
  }
  to.offsets = writer->offsets;
  to.counts = writer->counts;
  for (uint32_t i = 0; i < rows; i++) {
    to.offsets[askers[i]] = offsets[i];
    to.counts[askers[i]] = counts[i];
  }
  *writer = to;
}

ALWAYS_INLINE bool unit_within(const batch *asked, uint32_t unit, float radius, scratch *work,
                               row_writer *to, const int dim) {
  const copse_agenttree *tree = asked->tree;
  const node *at = &tree->nodes[unit];
  const float radius2 = radius * radius;
  if (surround(work, asked, unit, radius2)) {
    if (asked->plain)
      rows_of(asked, &work->around, radius2, &work->near, to, true, dim);
    else
      rows_of(asked, &work->around, radius2, &work->near, to, false, dim);
    return true;
  }
  if (at->right) return false;
  for (uint32_t place = at->begin; place < at->end; place++) {
    float center[3];
    place_center(asked, place, center, dim);
    const copse_query query = query_of(asked, tree->points.ids[place]);
    row_by_query(to, tree, query.exclude, center, radius, &query);
  }
  return true;
}

OUT_OF_LINE bool unit_within_2d(const batch *asked, uint32_t unit, float radius, scratch *work,
                                row_writer *to) {
  return unit_within(asked, unit, radius, work, to, 2);
}
OUT_OF_LINE bool unit_within_3d(const batch *asked, uint32_t unit, float radius, scratch *work,
                                row_writer *to) {
  return unit_within(asked, unit, radius, work, to, 3);
}

copse_status copse_agenttree_all_within(const copse_agenttree *tree, float radius,
                                        const copse_query *query, const uint32_t *masks,
                                        copse_rows *rows) {
  batch asked;
  if (!batch_init(&asked, tree, query, masks) || !query_radius_ok(radius))
    return COPSE_INVALID_ARGUMENT;
  scratch work;
  row_writer to = rows_start(rows, row_count(tree), tree->agentCount);
  units all = units_start(tree);
  for (uint32_t unit; (unit = units_next(&all)) != COPSE_NONE;) {
    bool done = tree->def.dimensions == 3 ? unit_within_3d(&asked, unit, radius, &work, &to)
                                          : unit_within_2d(&asked, unit, radius, &work, &to);
    if (!done) units_split(&all, unit);
  }
  rows_end(&to, rows);
  return COPSE_OK;
}

copse_status copse_agenttree_within_many(const copse_agenttree *tree, const float *points,
                                         uint32_t n, float radius, const copse_query *query,
                                         copse_rows *rows) {
  batch asked;
  if (!batch_init(&asked, tree, query, NULL) || !query_radius_ok(radius))
    return COPSE_INVALID_ARGUMENT;
  const size_t dim = tree->def.dimensions;
  for (uint32_t i = 0; i < n; i++)
    if (!query_point_ok(points + i * dim, (int)dim)) return COPSE_INVALID_ARGUMENT;
  row_writer to = rows_start(rows, n, n);
  for (uint32_t i = 0; i < n; i++)
    row_by_query(&to, tree, i, points + i * dim, radius, &asked.query);
  rows_end(&to, rows);
  return COPSE_OK;
}

/* ---- All neighbors ----------------------------------------------------------------------- */

/* Measured: wide enough that a second try is rare, and narrow enough that it costs little. */
static const float GUESS_MARGIN = 1.4f;

/* What the last agents teach about the next. */
typedef struct expectation {
  float reach2;  /* how far to gather */
  float guess2;  /* about the squared distance of the k-th neighbor */
  float margin;  /* reach2 over the mean of that */
  double sum2;   /* of the unit under way */
  uint32_t full; /* its rows of k */
} expectation;

/* Collects the gathered within a distance of the asker, whom it looks for; answers with their
 * number. There is room for all that can be gathered. */
ALWAYS_INLINE uint32_t collect_up_to(const nearby *near, const asker *who, float limit2,
                                     pairs found, const bool plain, const int dim) {
  const uint32_t size = near->size;
  const float4 limit = float4_all(limit2);
  uint32_t total = 0;
  for (uint32_t i = 0; i < size; i += 4) {
    float4 distances2 = nearby_distance2(near, i, who, dim);
    uint32_t bits = word4_bits(nearby_wanted(float4_le(distances2, limit), near, i, who, plain));
    float4_store_packed(found.distances2 + total, distances2, bits);
    word4_store_packed(found.ids + total, word4_load(near->ids + i), bits);
    total += bits_count(bits);
  }
  return total;
}

/* The k nearest by a heap: for what ranking is not made for. */
OUT_OF_LINE uint32_t heap_into(pairs found, uint32_t size, uint32_t k, pairs row) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < size; i++) {
    pair candidate = pairs_get(found, i);
    if (kept < k)
      heap_push(row, kept++, candidate, BY_DISTANCE);
    else if (pair_less(candidate, pairs_get(row, 0), BY_DISTANCE))
      heap_sink(row, k, 0, candidate, BY_DISTANCE);
  }
  heap_sort(row, kept, BY_DISTANCE);
  return kept;
}

/* Writes the k nearest of the gathered, or all within limit2 when there are fewer; answers with
 * their number. guess2 is where a few more than k are expected, and is brought up to date. */
ALWAYS_INLINE uint32_t select_into(const nearby *near, const asker *who, uint32_t k, float limit2,
                                   float *guess2, pairs row, const bool plain, const int dim) {
  float distances2[NEAR_LIMIT + NEAR_PADDING];
  uint32_t ids[NEAR_LIMIT + NEAR_PADDING];
  const pairs found = {distances2, ids};
  float threshold2 = *guess2 < limit2 && k <= SELECT_K ? *guess2 : limit2;
  for (int attempt = 1;; attempt++) {
    uint32_t size = collect_up_to(near, who, threshold2, found, plain, dim);
    const bool all = threshold2 == limit2;
    if (size <= SELECT_LIMIT && k <= SELECT_K && (size >= k || all)) {
      agenttree_rank(distances2, ids, size, k, row.distances2, row.ids);
      if (size >= k) *guess2 = row.distances2[k - 1] * GUESS_MARGIN;
      return size < k ? size : k;
    }
    if (all && (k > SELECT_K || attempt >= SELECT_TRIES)) return heap_into(found, size, k, row);
    /* The number grows about as the squared distance does. */
    const float wanted = (float)(k + SELECT_LIMIT) / 2;
    threshold2 *= wanted / (size ? (float)size : 0.5f);
    if (!(threshold2 > 0 && threshold2 < limit2) || attempt >= SELECT_TRIES) threshold2 = limit2;
  }
}

/* A row by a query of its own, for an agent. */
static void neighbors_by_query(const batch *asked, const float *center, uint32_t slot, uint32_t k,
                               copse_neighbor_rows *rows, uint32_t row) {
  const copse_query query = query_of(asked, slot);
  const size_t begin = (size_t)row * k;
  copse_results results = {
      .ids = rows->ids + begin, .distances2 = rows->distances2 + begin, .capacity = k};
  copse_agenttree_neighbors(asked->tree, center, k, &query, &results);
  rows->counts[row] = results.total;
}

ALWAYS_INLINE uint32_t select_of(const batch *asked, nearby *near, uint32_t self, uint32_t k,
                                 float limit2, float *guess2, pairs row, const int dim) {
  float center[3];
  nearby_center(near, self, center, dim);
  const asker who = asker_of(asked, center, near->ids[self], dim);
  if (!asked->plain) return select_into(near, &who, k, limit2, guess2, row, false, dim);
  float x = nearby_hide(near, self);
  uint32_t count = select_into(near, &who, k, limit2, guess2, row, true, dim);
  near->axes[0][self] = x;
  return count;
}

static void learn(expectation *expected, const copse_neighbor_rows *rows, uint32_t row,
                  uint32_t k) {
  if (rows->counts[row] < k) return;
  expected->sum2 += rows->distances2[(size_t)row * k + k - 1];
  expected->full++;
}

/* What the unit's rows say about the next unit. */
static void expect(expectation *expected) {
  if (expected->full)
    expected->reach2 = (float)(expected->sum2 / expected->full) * expected->margin;
  else
    expected->reach2 *= 4;
  expected->sum2 = 0;
  expected->full = 0;
}

OUT_OF_LINE uint32_t select_2d(const batch *asked, nearby *near, uint32_t self, uint32_t k,
                               float limit2, float *guess2, pairs row) {
  return select_of(asked, near, self, k, limit2, guess2, row, 2);
}
OUT_OF_LINE uint32_t select_3d(const batch *asked, nearby *near, uint32_t self, uint32_t k,
                               float limit2, float *guess2, pairs row) {
  return select_of(asked, near, self, k, limit2, guess2, row, 3);
}

/* Rows on their way to where they belong. They go there many at once, as in rows_of. */
enum { QUEUE_ROWS = 64 };
typedef struct row_queue {
  uint32_t size;
  uint32_t slots[QUEUE_ROWS], counts[QUEUE_ROWS], ids[QUEUE_ROWS * SELECT_K];
  float distances2[QUEUE_ROWS * SELECT_K];
} row_queue;

static void row_queue_empty(row_queue *queue, uint32_t k, copse_neighbor_rows *rows) {
  for (uint32_t row = 0; row < queue->size; row++) {
    const size_t from = (size_t)row * k, to = (size_t)queue->slots[row] * k;
    const uint32_t count = queue->counts[row];
    rows->counts[queue->slots[row]] = count;
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
      word4_store(rows->ids + to + i, word4_load(queue->ids + from + i));
      float4_store(rows->distances2 + to + i, float4_load(queue->distances2 + from + i));
    }
    for (; i < count; i++) {
      rows->ids[to + i] = queue->ids[from + i];
      rows->distances2[to + i] = queue->distances2[from + i];
    }
  }
  queue->size = 0;
}

static void unit_rows(const batch *asked, uint32_t k, float reach2, scratch *work,
                      expectation *expected, copse_neighbor_rows *rows) {
  const cells *around = &work->around;
  nearby *near = &work->near;
  const bool spatial = asked->tree->def.dimensions == 3, queued = k <= SELECT_K;
  const float max2 = asked->query.maxDistance * asked->query.maxDistance;
  const uint32_t total = cells_count(around);
  row_queue queue;
  queue.size = 0;
  copse_neighbor_rows waiting = {queue.counts, queue.ids, queue.distances2};
  copse_neighbor_rows *to = queued ? &waiting : rows;
  for (uint32_t cell = 0; cell < total; cell++) {
    const uint32_t own = around->own[cell];
    if (!own) continue;
    uint32_t self = cells_around(around, cell, near, asked->plain, spatial ? 3 : 2);
    for (const uint32_t end = self + own; self < end; self++) {
      const uint32_t slot = near->ids[self], row = queued ? queue.size : slot;
      const pairs found = {to->distances2 + (size_t)row * k, to->ids + (size_t)row * k};
      to->counts[row] = spatial ? select_3d(asked, near, self, k, reach2, &expected->guess2, found)
                                : select_2d(asked, near, self, k, reach2, &expected->guess2, found);
      if (to->counts[row] < k && reach2 < max2) { /* beyond its reach nothing is known */
        const float center[3] = {near->axes[0][self], near->axes[1][self],
                                 spatial ? near->axes[2][self] : 0};
        neighbors_by_query(asked, center, slot, k, to, row);
      }
      learn(expected, to, row, k);
      if (!queued) continue;
      queue.slots[queue.size++] = slot;
      if (queue.size == QUEUE_ROWS) row_queue_empty(&queue, k, rows);
    }
  }
  row_queue_empty(&queue, k, rows);
}

static bool unit_neighbors(const batch *asked, uint32_t unit, uint32_t k, scratch *work,
                           expectation *expected, copse_neighbor_rows *rows) {
  const copse_agenttree *tree = asked->tree;
  const node *at = &tree->nodes[unit];
  const float max2 = asked->query.maxDistance * asked->query.maxDistance;
  const float reach2 = expected->reach2 < max2 ? expected->reach2 : max2;
  if (reach2 > 0 && surround(work, asked, unit, reach2)) {
    unit_rows(asked, k, reach2, work, expected, rows);
  } else {
    if (at->right) return false;
    for (uint32_t place = at->begin; place < at->end; place++) {
      const uint32_t slot = tree->points.ids[place];
      float center[3] = {0};
      for (uint32_t axis = 0; axis < tree->def.dimensions; axis++)
        center[axis] = tree->points.axes[axis][place];
      neighbors_by_query(asked, center, slot, k, rows, slot);
      learn(expected, rows, slot, k);
    }
  }
  expect(expected);
  return true;
}

copse_status copse_agenttree_all_neighbors(const copse_agenttree *tree, uint32_t k,
                                           const copse_query *query, const uint32_t *masks,
                                           copse_neighbor_rows *rows) {
  batch asked;
  if (!batch_init(&asked, tree, query, masks) || !query_radius_ok(asked.query.maxDistance))
    return COPSE_INVALID_ARGUMENT;
  if (row_count(tree)) memset(rows->counts, 0, row_count(tree) * sizeof(uint32_t));
  if (!k) return COPSE_OK;
  scratch work;
  /* About one agent in a hundred has its k-th neighbor farther than this, where agents are spread
   * at random: what a Poisson process says. */
  const float spread = 2.33f / sqrtf((float)k) + 1.4f / (float)k;
  expectation expected = {0, 0, 1 + (tree->def.dimensions == 3 ? spread * 2 / 3 : spread), 0, 0};
  units all = units_start(tree);
  all.limit = 1; /* the first is small: nothing is known yet */
  for (uint32_t unit; (unit = units_next(&all)) != COPSE_NONE;) {
    if (!unit_neighbors(&asked, unit, k, &work, &expected, rows)) units_split(&all, unit);
  }
  return COPSE_OK;
}

copse_status copse_agenttree_nearest_many(const copse_agenttree *tree, const float *points,
                                          uint32_t n, uint32_t k, const copse_query *query,
                                          copse_neighbor_rows *rows) {
  batch asked;
  if (!batch_init(&asked, tree, query, NULL) || !query_radius_ok(asked.query.maxDistance))
    return COPSE_INVALID_ARGUMENT;
  const size_t dim = tree->def.dimensions;
  for (uint32_t i = 0; i < n; i++)
    if (!query_point_ok(points + i * dim, (int)dim)) return COPSE_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < n; i++) {
    const size_t begin = (size_t)i * k;
    copse_results results = {
        .ids = rows->ids + begin, .distances2 = rows->distances2 + begin, .capacity = k};
    copse_agenttree_neighbors(tree, points + i * dim, k, &asked.query, &results);
    rows->counts[i] = results.total;
  }
  return COPSE_OK;
}

/* ---- Pairs ------------------------------------------------------------------------------- */

typedef struct pairing {
  float distance2;    /* without radii */
  const float *radii; /* by slot, or NULL */
  float maxRadius;
  copse_results *results;
  uint64_t total; /* ids found */
} pairing;

static void add_pair(pairing *to, uint32_t a, uint32_t b) {
  copse_results *results = to->results;
  if (to->total + 2 <= results->capacity) {
    results->ids[to->total] = a < b ? a : b;
    results->ids[to->total + 1] = a < b ? b : a;
  }
  to->total += 2;
}

/* Pairs a leaf's agents with those gathered, by their places, that come later in tree order. */
ALWAYS_INLINE void pair_gathered_in(const batch *asked, const node *leaf, nearby *near, pairing *to,
                                    const int dim) {
  const scan_points *points = &asked->tree->points;
  const bool sameGroups = leaf->anyGroups == leaf->allGroups;
  gather_end(near, dim);
  if (to->radii)
    for (uint32_t i = 0; i < near->size; i++) near->radii[i] = to->radii[points->ids[near->ids[i]]];
  for (uint32_t place = leaf->begin; place < leaf->end; place++) {
    uint32_t groups = sameGroups ? leaf->anyGroups : points->groups[place];
    if (!(groups & asked->query.mask)) continue;
    const uint32_t slot = points->ids[place];
    float center[3];
    place_center(asked, place, center, dim);
    const asker who = asker_of(asked, center, slot, dim);
    for (uint32_t i = 0; i < near->size; i += 4) {
      float4 limits2 = float4_all(to->distance2);
      if (to->radii) {
        float4 sums = float4_add(float4_load(near->radii + i), float4_all(to->radii[slot]));
        limits2 = float4_mul(sums, sums);
      }
      word4 hit = float4_le(nearby_distance2(near, i, &who, dim), limits2);
      hit = word4_and(hit, word4_greater(word4_load(near->ids + i), word4_all(place)));
      uint32_t bits = word4_bits(hit);
      for (uint32_t lane = 0; bits >> lane; lane++)
        if (bits >> lane & 1) add_pair(to, slot, points->ids[near->ids[i + lane]]);
    }
  }
  near->size = 0;
}

OUT_OF_LINE void pair_gathered_2d(const batch *asked, const node *leaf, nearby *near, pairing *to) {
  pair_gathered_in(asked, leaf, near, to, 2);
}
OUT_OF_LINE void pair_gathered_3d(const batch *asked, const node *leaf, nearby *near, pairing *to) {
  pair_gathered_in(asked, leaf, near, to, 3);
}
ALWAYS_INLINE void pair_gathered(const batch *asked, const node *leaf, nearby *near, pairing *to,
                                 const int dim) {
  if (dim == 3)
    pair_gathered_3d(asked, leaf, near, to);
  else
    pair_gathered_2d(asked, leaf, near, to);
}

ALWAYS_INLINE void leaf_pairs(const batch *asked, uint32_t leaf, nearby *near, pairing *to,
                              const int dim) {
  const copse_agenttree *tree = asked->tree;
  const node *at = &tree->nodes[leaf];
  float reach2 = to->distance2;
  if (to->radii) {
    float radius = 0;
    for (uint32_t place = at->begin; place < at->end; place++) {
      float other = to->radii[tree->points.ids[place]];
      if (other > radius) radius = other;
    }
    reach2 = (radius + to->maxRadius) * (radius + to->maxRadius);
  }
  reach all;
  reach_start(&all, tree, leaf, reach2, asked->query.mask, COPSE_NONE, at->begin, dim);
  near->size = 0;
  for (uint32_t index; (index = reach_next(&all, tree, dim)) != COPSE_NONE;) {
    const node *run = &tree->nodes[index];
    for (uint32_t begin = run->begin, end; begin < run->end; begin = end) {
      end = run->end - begin > NEAR_LIMIT ? begin + NEAR_LIMIT : run->end;
      if (near->size + (end - begin) > NEAR_LIMIT) pair_gathered(asked, at, near, to, dim);
      gather_run(near, tree, run, begin, end, &all, GATHER_PLACES, dim);
    }
  }
  pair_gathered(asked, at, near, to, dim);
}

OUT_OF_LINE void leaf_pairs_2d(const batch *asked, uint32_t leaf, nearby *near, pairing *to) {
  leaf_pairs(asked, leaf, near, to, 2);
}
OUT_OF_LINE void leaf_pairs_3d(const batch *asked, uint32_t leaf, nearby *near, pairing *to) {
  leaf_pairs(asked, leaf, near, to, 3);
}

copse_status copse_agenttree_pairs(const copse_agenttree *tree, float distance, const float *radii,
                                   const copse_query *query, copse_results *results) {
  batch asked;
  results->total = results->visits = 0;
  if (!batch_init(&asked, tree, query, NULL)) return COPSE_INVALID_ARGUMENT;
  pairing to = {distance * distance, radii, 0, results, 0};
  if (!radii && !query_radius_ok(distance)) return COPSE_INVALID_ARGUMENT;
  for (uint32_t i = 0; radii && i < tree->agentCount; i++) {
    float radius = radii[tree->points.ids[i]];
    if (!query_radius_ok(radius)) return COPSE_INVALID_ARGUMENT;
    if (radius > to.maxRadius) to.maxRadius = radius;
  }
  nearby near;
  for (uint32_t index = 0; index < tree->nodeCount; index++) {
    if (tree->nodes[index].right) continue;
    if (tree->def.dimensions == 3)
      leaf_pairs_3d(&asked, index, &near, &to);
    else
      leaf_pairs_2d(&asked, index, &near, &to);
  }
  results->total = to.total > UINT32_MAX ? UINT32_MAX : (uint32_t)to.total;
  return COPSE_OK;
}
