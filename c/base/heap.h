/* Pairs of a squared distance and an id, in two parallel arrays, and functions that sort pairs.
 * A search keeps the k smallest pairs that it finds in a max-heap; heap_sort then sorts this heap.
 *
 * Pairs are ordered by distance and then id, or by id alone. No two pairs are equal, because ids
 * differ. So the pairs that a heap keeps, and their order, depend only on the pairs that a search
 * finds, not on the order in which it finds them. */
#ifndef COPSE_HEAP_H
#define COPSE_HEAP_H

#include "core.h"

typedef enum pair_order { BY_DISTANCE, BY_ID } pair_order;

typedef struct pair {
  float distance2;
  uint32_t id;
} pair;

ALWAYS_INLINE bool pair_less(pair a, pair b, const pair_order order) {
  WORKED(1);
  if (order == BY_ID) return a.id < b.id;
  return a.distance2 < b.distance2 || (a.distance2 == b.distance2 && a.id < b.id);
}

/* A list of squared distances and ids: distances2[i] belongs to ids[i]. distances2 may be NULL if
 * only the ids are sorted (BY_ID). */
typedef struct pairs {
  float *distances2;
  uint32_t *ids;
} pairs;

ALWAYS_INLINE pair pairs_get(pairs list, uint32_t i) {
  return (pair){list.distances2 ? list.distances2[i] : 0, list.ids[i]};
}
ALWAYS_INLINE void pairs_set(pairs list, uint32_t i, pair entry) {
  if (list.distances2) list.distances2[i] = entry.distance2;
  list.ids[i] = entry.id;
}

/* Sorts a max-heap in place, in ascending order. */
void heap_sort(pairs heap, uint32_t size, pair_order order);

/* Sorts pairs in place: O(n) if they are sorted already, at worst O(n log n). */
void pairs_sort(pairs list, uint32_t size, pair_order order);

/* pairs_rank is the fastest way to sort up to RANK_LIMIT pairs if at most RANK_K of them are
 * needed. Its input arrays need room for RANK_PADDING more pairs. */
enum { RANK_LIMIT = 28, RANK_K = 24, RANK_PADDING = 8 };

/* Copies the k pairs with the smallest distances (or all, if there are fewer) to rowDistances2 and
 * rowIds, nearest first, ties by lower id. `size` is at most RANK_LIMIT. May reorder the input, and
 * overwrites the RANK_PADDING distances after it. */
void pairs_rank(float *distances2, uint32_t *ids, uint32_t size, uint32_t k, float *rowDistances2,
                uint32_t *rowIds);

#endif
