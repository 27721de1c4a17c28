#include "query.h"

#include "geom.h"
#include "heap.h"
#include "scan.h"

#include <math.h>

copse_query copse_query_default(void) {
  return (copse_query){COPSE_ALL_GROUPS, COPSE_NONE, INFINITY, COPSE_SORT_NONE, 0};
}

bool query_box_ok(const float *lo, const float *hi, int dim) {
  for (int axis = 0; axis < dim; axis++)
    if (!(lo[axis] <= hi[axis])) return false;
  return true;
}

bool query_planes_ok(const float *planes, uint32_t count) {
  bool ok = count > 0;
  for (size_t i = 0; ok && i < 4 * (size_t)count; i++) ok = is_coordinate(planes[i]);
  return ok;
}

bool query_direction(const float *direction, int dim, float *unit) {
  /* A double, because the square of a float can overflow or underflow a float. */
  double length2 = 0;
  for (int axis = 0; axis < dim; axis++)
    length2 += (double)direction[axis] * (double)direction[axis];
  if (!(length2 > 0 && length2 < INFINITY)) return false;
  double length = sqrt(length2);
  for (int axis = 0; axis < dim; axis++) unit[axis] = (float)((double)direction[axis] / length);
  return true;
}

bool query_half_angle(float halfAngle, float *cosine) {
  /* pi / 2 as the sum of two doubles, so that subtracting an angle near pi / 2 is precise. */
  const double rightHi = 1.5707963267948966, rightLo = 6.123233995736766e-17;
  const float piRounded = 3.14159274f;
  if (!(halfAngle >= 0 && halfAngle <= piRounded)) return false;
  /* cos(halfAngle) is sin(pi / 2 - halfAngle). The Taylor series of the sine below is accurate to
   * double precision for arguments from -pi / 2 to pi / 2. */
  const double x = (rightHi - (double)halfAngle) + rightLo, x2 = x * x;
  double sine = 0, term = x;
  for (int degree = 1; degree < 24; degree += 2) {
    sine += term;
    term *= -x2 / ((degree + 1) * (degree + 2));
  }
  *cosine = halfAngle == piRounded ? -2 : (float)sine;
  return true;
}

/* Writes `value` to a max-heap, at entry `place` or below: first moves greater children up. */
ALWAYS_INLINE void sink(pairs heap, uint32_t size, uint32_t place, pair value,
                        const pair_order order) {
  for (uint32_t child; (child = 2 * place + 1) < size; place = child) {
    if (child + 1 < size && pair_less(pairs_get(heap, child), pairs_get(heap, child + 1), order))
      child++;
    if (!pair_less(value, pairs_get(heap, child), order)) break;
    pairs_set(heap, place, pairs_get(heap, child));
  }
  pairs_set(heap, place, value);
}

/* Adds a pair to a max-heap, which has `size` entries and room for one more. */
ALWAYS_INLINE void push(pairs heap, uint32_t size, pair value) {
  uint32_t place = size;
  for (uint32_t parent; place > 0; place = parent) {
    parent = (place - 1) / 2;
    if (!pair_less(pairs_get(heap, parent), value, BY_DISTANCE)) break;
    pairs_set(heap, place, pairs_get(heap, parent));
  }
  pairs_set(heap, place, value);
}

void heap_sort(pairs heap, uint32_t size, pair_order order) {
  while (size > 1) {
    size--;
    pair last = pairs_get(heap, size);
    pairs_set(heap, size, pairs_get(heap, 0));
    sink(heap, size, 0, last, order);
  }
}

void pairs_sort(pairs list, uint32_t size, pair_order order) {
  enum { INSERTION_LIMIT = 24 };
  uint32_t sorted = size ? 1 : 0;
  while (sorted < size && !pair_less(pairs_get(list, sorted), pairs_get(list, sorted - 1), order))
    sorted++;
  if (sorted == size) return;
  if (size > INSERTION_LIMIT) {
    for (uint32_t place = size / 2; place-- > 0;)
      sink(list, size, place, pairs_get(list, place), order);
    heap_sort(list, size, order);
    return;
  }
  for (; sorted < size; sorted++) {
    pair value = pairs_get(list, sorted);
    uint32_t place = sorted;
    for (; place > 0 && pair_less(value, pairs_get(list, place - 1), order); place--)
      pairs_set(list, place, pairs_get(list, place - 1));
    pairs_set(list, place, value);
  }
}

/* Sorts by counting: the rank of a pair (a squared distance and an id) is the number of pairs with
 * a smaller distance, and so its index in sorted order. Ranks are counted for eight pairs at a
 * time. Pairs with equal distances have the same rank; if there are any, pairs_sort sorts all pairs
 * instead. */
void pairs_rank(float *distances2, uint32_t *ids, uint32_t size, uint32_t k, float *rowDistances2,
                uint32_t *rowIds) {
  float sorted2[RANK_LIMIT + 1];
  uint32_t sorted[RANK_LIMIT + 1];
  word4 sum = word4_all(0);
  /* Appends eight infinite distances, because eight are read at a time. `size` distances are less,
   * so the appended ones have the rank `size`. They go to this entry of `sorted2` and `sorted`,
   * which nothing reads. */
  for (uint32_t past = 0; past < 8; past += 4)
    float4_store(distances2 + size + past, float4_all(INFINITY));
  for (uint32_t i = 0; i < size; i += 8) {
    const float4 first = float4_load(distances2 + i), second = float4_load(distances2 + i + 4);
    word4 firstRanks = word4_all(0), secondRanks = firstRanks;
    for (uint32_t j = 0; j < size; j += 4) {
      UNROLL for (uint32_t lane = 0; lane < 4; lane++) {
        const float4 other = float4_all(distances2[j + lane]);
        firstRanks = word4_sub(firstRanks, float4_lt(other, first));
        secondRanks = word4_sub(secondRanks, float4_lt(other, second));
      }
    }
    uint32_t ranks[8];
    word4_store(ranks, firstRanks);
    word4_store(ranks + 4, secondRanks);
    sum = word4_add(sum, word4_add(firstRanks, secondRanks));
    UNROLL for (uint32_t lane = 0; lane < 8; lane++) {
      sorted2[ranks[lane]] = distances2[i + lane];
      sorted[ranks[lane]] = ids[i + lane];
    }
  }
  if (k > size) k = size;
  /* If all distances differ, the ranks are 0 … size - 1, and `size` for each entry of padding.
   * Equal distances all have the rank of the first of them, which lowers the sum of all ranks. */
  const uint32_t padding = -size & 7;
  const bool ties = 2 * word4_sum(sum) != size * (size - 1 + 2 * padding);
  if (ties) pairs_sort((pairs){distances2, ids}, size, BY_DISTANCE);
  const float *ranked2 = ties ? distances2 : sorted2;
  const uint32_t *ranked = ties ? ids : sorted;
  uint32_t i = 0;
  for (; i + 4 <= k; i += 4) { /* faster than memcpy for so few pairs */
    float4_store(rowDistances2 + i, float4_load(ranked2 + i));
    word4_store(rowIds + i, word4_load(ranked + i));
  }
  for (; i < k; i++) {
    rowDistances2[i] = ranked2[i];
    rowIds[i] = ranked[i];
  }
}

void query_sort(const copse_query *query, copse_results *results) {
  uint32_t written = results->total < results->capacity ? results->total : results->capacity;
  if (query->sort != COPSE_SORT_NONE)
    pairs_sort((pairs){results->distances2, results->ids}, written,
               query->sort == COPSE_SORT_ID ? BY_ID : BY_DISTANCE);
}

copse_results query_row_begin(const copse_rows *rows) {
  copse_results row = {0};
  if (!rows->truncated && rows->total < rows->capacity) {
    row.ids = rows->ids + rows->total;
    row.capacity = rows->capacity - rows->total;
  }
  return row;
}

void query_row_end(copse_rows *rows, uint32_t i, uint32_t count) {
  if (count > query_row_begin(rows).capacity) rows->truncated = true;
  rows->offsets[i] = rows->truncated ? 0 : rows->total;
  rows->counts[i] = rows->truncated ? 0 : count;
  rows->total = count > UINT32_MAX - rows->total ? UINT32_MAX : rows->total + count;
}

void scan_offer(scan_nearest *nearest, float distance2, uint32_t id) {
  const pair candidate = {distance2, id};
  if (nearest->size < nearest->k)
    push(nearest->heap, nearest->size++, candidate);
  else if (pair_less(candidate, pairs_get(nearest->heap, 0), BY_DISTANCE))
    sink(nearest->heap, nearest->size, 0, candidate, BY_DISTANCE);
  else
    return;
  if (nearest->size == nearest->k) nearest->limit2 = nearest->heap.distances2[0];
}

SMALL_CODE uint32_t scan_nearest_of(pairs candidates, uint32_t size, uint32_t k, pairs row) {
  scan_nearest nearest = {row, k, 0, INFINITY};
  for (uint32_t i = 0; i < size; i++)
    scan_offer(&nearest, candidates.distances2[i], candidates.ids[i]);
  heap_sort(row, nearest.size, BY_DISTANCE);
  return nearest.size;
}
