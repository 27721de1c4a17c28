/* Compares every query of an agent tree with brute force over the same agents. */
#ifndef COMPARE_H
#define COMPARE_H

#include "../../c/copse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* mulberry32: the same numbers as tests/random.js. */
static inline uint32_t random_word(uint32_t *state) {
  uint32_t t = *state += 0x6d2b79f5u;
  t = (t ^ t >> 15) * (t | 1);
  t ^= t + (t ^ t >> 7) * (t | 61);
  return t ^ t >> 14;
}

typedef struct asked {
  float center[3], direction[3], lo[3], hi[3];
  float radius, halfAngle;
  uint32_t k;
  copse_query query;
} asked;

static inline bool same_results(const copse_results *a, const copse_results *b, bool distances) {
  if (a->total != b->total) return false;
  uint32_t written = a->total < a->capacity ? a->total : a->capacity;
  if (!written) return true;
  return memcmp(a->ids, b->ids, written * sizeof *a->ids) == 0 &&
         (!distances || memcmp(a->distances2, b->distances2, written * sizeof(float)) == 0);
}

/* NULL when all agree, else the name of the query that does not. */
static inline const char *compare_queries(const copse_agenttree *tree, const copse_brute *brute,
                                          const asked *ask) {
  uint32_t room = brute->count ? brute->count : 1;
  uint32_t *ids = malloc(2 * room * sizeof *ids);
  float *distances2 = malloc(2 * room * sizeof *distances2);
  copse_results ours = {ids, distances2, room, 0, 0};
  copse_results truth = {ids + room, distances2 + room, room, 0, 0};
  const char *wrong = NULL;
  copse_query byDistance = ask->query, byId = ask->query;
  byDistance.sort = COPSE_SORT_DISTANCE;
  byId.sort = COPSE_SORT_ID;

#define AGREE(name, distances, call, truthCall)                                                    \
  if (!wrong) {                                                                                    \
    copse_status status = (call), trueStatus = (truthCall);                                        \
    if (status != trueStatus || (status == COPSE_OK && !same_results(&ours, &truth, distances)))   \
      wrong = name;                                                                                \
  }
  AGREE("within by distance", true,
        copse_agenttree_within(tree, ask->center, ask->radius, &byDistance, &ours),
        copse_brute_within(brute, ask->center, ask->radius, &byDistance, &truth))
  AGREE("range by id", false, copse_agenttree_range(tree, ask->lo, ask->hi, &byId, &ours),
        copse_brute_range(brute, ask->lo, ask->hi, &byId, &truth))
  AGREE("cone by distance", true,
        copse_agenttree_cone(tree, ask->center, ask->direction, ask->halfAngle, ask->radius,
                             &byDistance, &ours),
        copse_brute_cone(brute, ask->center, ask->direction, ask->halfAngle, ask->radius,
                         &byDistance, &truth))
  AGREE("neighbors", true, copse_agenttree_neighbors(tree, ask->center, ask->k, &ask->query, &ours),
        copse_brute_neighbors(brute, ask->center, ask->k, &ask->query, &truth))
  AGREE("within by id", true, copse_agenttree_within(tree, ask->center, ask->radius, &byId, &ours),
        copse_brute_within(brute, ask->center, ask->radius, &byId, &truth))
#undef AGREE

  /* truth holds `within` now. */
  uint32_t count = 0, nearest = COPSE_NONE;
  bool any = false;
  if (copse_brute_within(brute, ask->center, ask->radius, &byId, &truth) == COPSE_OK) {
    copse_agenttree_count_within(tree, ask->center, ask->radius, &ask->query, &count, NULL);
    if (!wrong && count != truth.total) wrong = "count";
    copse_agenttree_any_within(tree, ask->center, ask->radius, &ask->query, &any, NULL);
    if (!wrong && any != (truth.total > 0)) wrong = "any";
    copse_agenttree_nearest(tree, ask->center, &ask->query, &nearest, NULL, NULL);
    copse_brute_neighbors(brute, ask->center, 1, &ask->query, &truth);
    if (!wrong && nearest != (truth.total ? truth.ids[0] : COPSE_NONE)) wrong = "nearest";
  }
  free(ids);
  free(distances2);
  return wrong;
}

#endif
