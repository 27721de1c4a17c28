/* Building the k-d tree by selection: moves the median of a range to its middle, and then does the
 * same with both sides. */

#include "../base/select.h"
#include "kdtree.h"

#include <string.h>

/* ---- Partitioning around a pivot ---------------------------------------------------------- */

/* Four points in SIMD registers. */
typedef struct four {
  float4 axes[3];
  word4 ids;
} four;

ALWAYS_INLINE four four_load(const scan_points *points, uint32_t i, const int dim) {
  four some;
  EACH_AXIS (axis, dim) some.axes[axis] = float4_load(points->axes[axis] + i);
  some.ids = word4_load(points->ids + i);
  return some;
}

/* The part of a range that partitioning has not finished: left … right - 1. Some entries at both of
 * its ends are free, because their points are in registers. */
typedef struct open_gap {
  uint32_t left, right;
} open_gap;

/* Stores four points at the ends of `gap`, the part of the range that is not finished: at its left
 * end those whose bit in `bits` is 1, at its right end the others. Narrows `gap` by four entries.
 * Each store writes all four points. Those that belong at the other end are written inside the gap,
 * where they are overwritten later. */
ALWAYS_INLINE void four_store(const scan_points *points, const four *some, uint32_t bits,
                              open_gap *gap, const int dim) {
  EACH_AXIS (axis, dim) {
    const float4 sorted = float4_pack(some->axes[axis], bits);
    float4_store(points->axes[axis] + gap->left, sorted);
    float4_store(points->axes[axis] + gap->right - 4, sorted);
  }
  const word4 sorted = word4_pack(some->ids, bits);
  word4_store(points->ids + gap->left, sorted);
  word4_store(points->ids + gap->right - 4, sorted);
  gap->left += bits_count(bits);
  gap->right -= 4 - bits_count(bits);
}

enum { DIVISIBLE = 8 };

/* Partitions the points begin … end - 1: moves those below a pivot to the front. Returns where the
 * others begin. There must be at least DIVISIBLE points.
 *
 * Works in place, four points at a time. The first and the last four are kept in registers, so
 * there are four free entries at each end to write to. The next four are always read from the end
 * that has fewer free entries: so each end has room for four before they are written. */
ALWAYS_INLINE uint32_t divide_in(const scan_points *ordered, uint32_t begin, uint32_t end,
                                 uint32_t axis, float pivot, const int dim) {
  const scan_points points = *ordered; /* a local copy, which can stay in registers */
  const float *keys = points.axes[axis];
  const float4 pivot4 = float4_all(pivot);
  const four first = four_load(&points, begin, dim), last = four_load(&points, end - 4, dim);
  const uint32_t firstBits = word4_bits(float4_lt(float4_load(keys + begin), pivot4));
  const uint32_t lastBits = word4_bits(float4_lt(float4_load(keys + end - 4), pivot4));
  open_gap gap = {begin, end};
  for (begin += 4, end -= 4; end - begin >= 4;) {
    const bool fromLeft = begin - gap.left <= gap.right - end;
    const uint32_t at = fromLeft ? begin : end - 4;
    const four some = four_load(&points, at, dim);
    const uint32_t bits = word4_bits(float4_lt(float4_load(keys + at), pivot4));
    begin += fromLeft ? 4 : 0;
    end -= fromLeft ? 0 : 4;
    four_store(&points, &some, bits, &gap, dim);
  }
  const uint32_t left = end - begin; /* the number of points not read yet: fewer than four */
  const four some = four_load(&points, begin, dim);
  uint32_t bits = word4_bits(float4_lt(float4_load(keys + begin), pivot4));
  four_store(&points, &first, firstBits, &gap, dim);
  float lanes[3][4];
  uint32_t ids[4];
  EACH_AXIS (i, dim) float4_store(lanes[i], some.axes[i]);
  word4_store(ids, some.ids);
  for (uint32_t lane = 0; lane < left; lane++, bits >>= 1) {
    const uint32_t target = bits & 1 ? gap.left++ : --gap.right;
    EACH_AXIS (i, dim) points.axes[i][target] = lanes[i][lane];
    points.ids[target] = ids[lane];
  }
  /* Only four entries are left in the gap: four_store writes the last four points there, twice. */
  four_store(&points, &last, lastBits, &gap, dim);
  return gap.left;
}

DEFINE_PAIR(uint32_t, divide,
            (const scan_points *points, uint32_t begin, uint32_t end, uint32_t axis, float pivot),
            points, begin, end, axis, pivot)

/* ---- Moving the median point of a range to the middle of the range -------------------------- */

ALWAYS_INLINE void swap_points(const scan_points *points, uint32_t a, uint32_t b, const int dim) {
  EACH_AXIS (axis, dim) {
    const float coordinate = points->axes[axis][a];
    points->axes[axis][a] = points->axes[axis][b];
    points->axes[axis][b] = coordinate;
  }
  const uint32_t id = points->ids[a];
  points->ids[a] = points->ids[b];
  points->ids[b] = id;
}

/* Sorts a few points in the order of kdtree_before. */
ALWAYS_INLINE void sort_few_in(const scan_points *points, uint32_t begin, uint32_t end,
                               uint32_t axis, const int dim) {
  for (uint32_t i = begin + 1; i < end; i++)
    for (uint32_t place = i; place > begin; place--) {
      if (!kdtree_before(points, place, place - 1, axis, dim)) break;
      swap_points(points, place, place - 1, dim);
    }
}

DEFINE_PAIR_VOID(void, sort_few,
                 (const scan_points *points, uint32_t begin, uint32_t end, uint32_t axis), points,
                 begin, end, axis)
ALWAYS_INLINE void sort_few(const scan_points *points, uint32_t begin, uint32_t end, uint32_t axis,
                            const int dim) {
  CALL_PAIR(dim, sort_few, points, begin, end, axis);
}

/* Returns how many of the points begin … end - 1 have the coordinate x. `keys` are their
 * coordinates. Writes the index of the first such point. */
static uint32_t count_at(const float *keys, uint32_t begin, uint32_t end, float x,
                         uint32_t *first) {
  uint32_t count = 0;
  *first = end;
  for (uint32_t i = begin; i < end; i += 4) {
    const float4 x4 = float4_load(keys + i), sought = float4_all(x);
    uint32_t bits = word4_bits(word4_and(float4_le(x4, sought), float4_le(sought, x4)));
    bits &= scan_in_run(i, end);
    if (!bits) continue;
    if (!count)
      for (*first = i; !(bits >> (*first - i) & 1);) ++*first;
    count += bits_count(bits);
  }
  return count;
}

/* Partitions the points begin … end - 1: moves those that have the coordinate x on `axis` to the
 * front. Returns where the others begin. */
ALWAYS_INLINE uint32_t gather_at(const scan_points *points, uint32_t begin, uint32_t end,
                                 uint32_t axis, float x, const int dim) {
  for (uint32_t i = begin; i < end; i++) {
    WORKED(1);
    if (points->axes[axis][i] == x) swap_points(points, i, begin++, dim);
  }
  return begin;
}

/* Sorts coincident points by id. */
static void sort_by_id(const scan_points *points, uint32_t begin, uint32_t end) {
  if (ids_ascend(points->ids, begin, end)) return;
  pairs_sort((pairs){NULL, points->ids + begin}, end - begin, BY_ID);
}

/* The points of a range that need no more sorting: its node, and points that coincide with it,
 * sorted by id. Any range of coincident points in this order is a valid tree. */
typedef struct settled {
  uint32_t begin, end;
} settled;

/* Finds the point that is the node of a range, and moves it to the middle of the range: points that
 * come before it (see kdtree_before) to the left, the others to the right. Points that have the
 * same coordinate as the node are divided on the next axis. Returns the points that need no more
 * sorting: the node and, if there are many, all points at its position, because sorting these again
 * on each level would take far longer. */
ALWAYS_INLINE settled place_node(const struct kdtree *tree, const kdtree_range *range,
                                 const selection method, const int dim) {
  const scan_points *points = &tree->points.ordered;
  const uint32_t middle = kdtree_middle(range->begin, range->end);
  const settled alone = {middle, middle + 1};
  uint32_t begin = range->begin, end = range->end, axis = range->axis;
  for (int key = 0; key < dim; key++, axis = kdtree_next_axis(axis, dim)) {
    if (end - begin < DIVISIBLE) {
      sort_few(points, begin, end, axis, dim);
      return alone;
    }
    const float *keys = points->axes[axis];
    /* Scratch memory: groups are not written before the end of the build. */
    float *room = (float *)(void *)points->groups;
    const float x = select_rank(keys + begin, end - begin, middle - begin, room, method);
    const uint32_t others = CALL_PAIR(dim, divide, points, begin, end, axis, x);
    uint32_t first;
    if (count_at(keys, others, end, x, &first) == 1) {
      swap_points(points, first, middle, dim);
      return alone;
    }
    end = gather_at(points, others, end, axis, x, dim);
    begin = others;
  }
  sort_by_id(points, begin, end);
  return (settled){begin, end};
}

/* A range of up to this many points is sorted by insertion: first the whole range on its axis, then
 * each side of its node on the next axis. */
enum { SORTED = 7 };

ALWAYS_INLINE void sort_levels(const scan_points *points, const kdtree_range *range,
                               const int dim) {
  const uint32_t begin = range->begin, end = range->end, axis = range->axis;
  sort_few(points, begin, end, axis, dim);
  if (end - begin <= 3) return; /* at most one point on each side */
  const uint32_t middle = kdtree_middle(begin, end), next = kdtree_next_axis(axis, dim);
  sort_few(points, begin, middle, next, dim);
  sort_few(points, middle + 1, end, next, dim);
}

ALWAYS_INLINE void select_in(const struct kdtree *tree, const selection method, const int dim) {
  kdtree_range stack[KDTREE_LEVELS];
  uint32_t waiting = 0;
  if (tree->points.present) stack[waiting++] = (kdtree_range){0, tree->points.present, 0};
  while (waiting) {
    const kdtree_range range = stack[--waiting];
    WORKED(1);
    if (range.end - range.begin <= SORTED) {
      sort_levels(&tree->points.ordered, &range, dim);
      continue;
    }
    const settled done = place_node(tree, &range, method, dim);
    const uint32_t middle = kdtree_middle(range.begin, range.end);
    const uint32_t next = kdtree_next_axis(range.axis, dim);
    if (done.end < range.end) stack[waiting++] = (kdtree_range){middle + 1, range.end, next};
    if (done.begin > range.begin) stack[waiting++] = (kdtree_range){range.begin, middle, next};
  }
}

DEFINE_PAIR_VOID(void, select, (const struct kdtree *tree, selection method), tree, method)

/* ---- Build -------------------------------------------------------------------------------- */

void kdtree_build(void *index, const points_source *source, const points_survey *survey) {
  struct kdtree *tree = index;
  copse_points *points = &tree->points;
  points_take(points, source, survey);
  points_order_slots(points, source);
  points_fetch(points, source, 0, points->present);
  if (points->present) points_bounds(points, 0, points->present, tree->bounds);
  if (tree->builder == COPSE_BUILDER_PRESORT) {
    kdtree_presort(tree);
    memcpy(points->ordered.ids, tree->room.orders[0], points->present * sizeof(uint32_t));
    points_fetch(points, source, 0, points->present);
  } else {
    const selection method =
        tree->builder == COPSE_BUILDER_QUICKSELECT ? SELECT_QUICK : SELECT_MEDIANS;
    CALL_PAIR(points->dimensions, select, tree, method);
  }
  points_fetch_groups(points, source, 0, points->present);
}
