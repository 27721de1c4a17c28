/* Makes indexes of every kind, and compares every query of one with brute force over the same
 * agents. */
#ifndef COMPARE_H
#define COMPARE_H

#include "brute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* mulberry32: the same numbers as web/random.js. */
static inline uint32_t random_word(uint32_t *state) {
  uint32_t t = *state += 0x6d2b79f5u;
  t = (t ^ t >> 15) * (t | 1);
  t ^= t + (t ^ t >> 7) * (t | 61);
  return t ^ t >> 14;
}

/* ---- Indexes of any kind ---- */

/* What an index is made of besides what all definitions share. */
typedef struct kind {
  enum { AGENTTREE, GRID, KDTREE } noun;
  float cellSize;
  copse_builder builder;
} kind;

/* The grid or k-d tree that differs from an agent tree only in its kind. */
static inline copse_grid_def grid_like(const copse_agenttree_def *def, kind like) {
  copse_grid_def grid = copse_grid_default();
  grid.dimensions = def->dimensions;
  grid.capacity = def->capacity;
  grid.cellSize = like.cellSize;
  grid.layout = def->layout;
  grid.onNonFinite = def->onNonFinite;
  grid.allocator = def->allocator;
  return grid;
}
static inline copse_kdtree_def kdtree_like(const copse_agenttree_def *def, kind like) {
  copse_kdtree_def tree = copse_kdtree_default();
  tree.dimensions = def->dimensions;
  tree.capacity = def->capacity;
  tree.builder = like.builder;
  tree.layout = def->layout;
  tree.onNonFinite = def->onNonFinite;
  tree.allocator = def->allocator;
  return tree;
}

static inline copse_status create_points(const copse_agenttree_def *def, kind like,
                                         copse_points **made) {
  const copse_grid_def grid = grid_like(def, like);
  const copse_kdtree_def tree = kdtree_like(def, like);
  return like.noun == GRID     ? copse_grid_create(&grid, made)
         : like.noun == KDTREE ? copse_kdtree_create(&tree, made)
                               : copse_agenttree_create(def, made);
}
static inline size_t bytes_of_points(const copse_agenttree_def *def, kind like) {
  const copse_grid_def grid = grid_like(def, like);
  const copse_kdtree_def tree = kdtree_like(def, like);
  return like.noun == GRID     ? copse_grid_bytes(&grid)
         : like.noun == KDTREE ? copse_kdtree_bytes(&tree)
                               : copse_agenttree_bytes(def);
}

/* ---- Comparing ---- */

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
static inline const char *compare_queries(copse_points *at, const brute_points *brute,
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
        copse_points_within(at, ask->center, ask->radius, &byDistance, &ours),
        brute_within(brute, ask->center, ask->radius, &byDistance, &truth))
  AGREE("range by id", false, copse_points_range(at, ask->lo, ask->hi, &byId, &ours),
        brute_range(brute, ask->lo, ask->hi, &byId, &truth))
  AGREE("cone by distance", true,
        copse_points_cone(at, ask->center, ask->direction, ask->halfAngle, ask->radius, &byDistance,
                          &ours),
        brute_cone(brute, ask->center, ask->direction, ask->halfAngle, ask->radius, &byDistance,
                   &truth))
  AGREE("neighbors", true, copse_points_neighbors(at, ask->center, ask->k, &ask->query, &ours),
        brute_neighbors(brute, ask->center, ask->k, &ask->query, &truth))
  AGREE("within by id", true, copse_points_within(at, ask->center, ask->radius, &byId, &ours),
        brute_within(brute, ask->center, ask->radius, &byId, &truth))
#undef AGREE

  uint32_t count = 0, nearest = COPSE_NONE;
  if (brute_range(brute, ask->lo, ask->hi, &byId, &truth) == COPSE_OK) {
    copse_points_count_range(at, ask->lo, ask->hi, &byId, &count, NULL);
    if (!wrong && count != truth.total) wrong = "count range";
  }
  bool any = false;
  if (brute_within(brute, ask->center, ask->radius, &byId, &truth) == COPSE_OK) {
    copse_points_count_within(at, ask->center, ask->radius, &ask->query, &count, NULL);
    if (!wrong && count != truth.total) wrong = "count";
    copse_points_any_within(at, ask->center, ask->radius, &ask->query, &any, NULL);
    if (!wrong && any != (truth.total > 0)) wrong = "any";
    copse_points_nearest(at, ask->center, &ask->query, &nearest, NULL, NULL);
    brute_neighbors(brute, ask->center, 1, &ask->query, &truth);
    if (!wrong && nearest != (truth.total ? truth.ids[0] : COPSE_NONE)) wrong = "nearest";
  }
  free(ids);
  free(distances2);
  return wrong;
}

static inline int compare_ids(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Whether a slot is in the last build: somebody could find it. */
static inline bool brute_has(const brute_points *brute, uint32_t slot) {
  bool ok = !brute->groups || brute->groups[slot];
  for (uint32_t axis = 0; axis < brute->dimensions; axis++) {
    float x = brute->positions.axes[axis][slot * brute->positions.stride];
    ok = ok && x >= -COPSE_MAX_COORDINATE && x <= COPSE_MAX_COORDINATE;
  }
  return ok;
}

/* The batch queries with room for everything, against brute force; `masks` by slot, or NULL. The
 * radius and maxDistance must be valid. NULL when all agree. */
static inline const char *compare_batches(copse_points *at, const brute_points *brute,
                                          const asked *ask, const uint32_t *masks,
                                          const float *radii) {
  const uint32_t n = brute->count, k = ask->k, roomy = n * n + 8;
  uint32_t *words = calloc(2 * n + 2 * roomy + n * k + 2 * n + 8, sizeof *words);
  float *floats = calloc(n * k + n + k + 8, sizeof *floats);
  uint32_t *rowIds = words + 2 * n, *truthIds = rowIds + roomy, *nearIds = truthIds + roomy;
  float *truth2 = floats + n * k;
  copse_rows rows = {words, words + n, rowIds, roomy, 0, false};
  copse_query query = ask->query;
  query.exclude = COPSE_NONE;
  const char *wrong = NULL;

  if (copse_points_all_within(at, ask->radius, &query, masks, &rows) != COPSE_OK)
    wrong = "all within refuses";
  uint32_t total = 0, pairCount = 0;
  for (uint32_t slot = 0; slot < n && !wrong; slot++) {
    copse_query own = query;
    own.exclude = slot;
    own.sort = COPSE_SORT_ID;
    if (masks) own.mask &= masks[slot];
    float center[3] = {0};
    for (uint32_t axis = 0; axis < brute->dimensions; axis++)
      center[axis] = brute->positions.axes[axis][slot * brute->positions.stride];
    copse_results truth = {truthIds, NULL, n, 0, 0};
    if (brute_has(brute, slot)) brute_within(brute, center, ask->radius, &own, &truth);
    uint32_t *row = rowIds + rows.offsets[slot];
    qsort(row, rows.counts[slot], sizeof *row, compare_ids);
    copse_results found = {row, NULL, n, rows.counts[slot], 0};
    if (!same_results(&found, &truth, false)) wrong = "all within";
    total += truth.total;
  }
  if (!wrong && (rows.total != total || rows.truncated)) wrong = "total of all within";

  copse_neighbor_rows near = {words, nearIds, floats};
  if (!wrong && copse_points_all_neighbors(at, k, &query, masks, &near) != COPSE_OK)
    wrong = "all neighbors refuses";
  for (uint32_t slot = 0; slot < n && !wrong; slot++) {
    copse_query own = query;
    own.exclude = slot;
    if (masks) own.mask &= masks[slot];
    float center[3] = {0};
    for (uint32_t axis = 0; axis < brute->dimensions; axis++)
      center[axis] = brute->positions.axes[axis][slot * brute->positions.stride];
    copse_results truth = {truthIds, truth2, n + k, 0, 0};
    if (brute_has(brute, slot)) brute_neighbors(brute, center, k, &own, &truth);
    copse_results found = {nearIds + slot * k, floats + slot * k, k, near.counts[slot], 0};
    if (!same_results(&found, &truth, true)) wrong = "all neighbors";
  }

  copse_results pairs = {rowIds, NULL, roomy, 0, 0};
  if (!wrong && copse_points_pairs(at, ask->radius, radii, &query, &pairs) != COPSE_OK)
    wrong = "pairs refuses";
  for (uint32_t a = 0; a < n && !wrong; a++) {
    for (uint32_t b = a + 1; b < n; b++) {
      if (!brute_has(brute, a) || !brute_has(brute, b)) continue;
      if (brute->groups && (!(brute->groups[a] & query.mask) || !(brute->groups[b] & query.mask)))
        continue;
      float d[3] = {0};
      for (uint32_t axis = 0; axis < brute->dimensions; axis++)
        d[axis] = brute->positions.axes[axis][a * brute->positions.stride] -
                  brute->positions.axes[axis][b * brute->positions.stride];
      float reach = radii ? radii[a] + radii[b] : ask->radius;
      if ((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] <= reach * reach)
        truthIds[pairCount++] = a * n + b;
    }
  }
  if (!wrong && pairs.total != 2 * pairCount) wrong = "number of pairs";
  for (uint32_t i = 0; i < pairCount && !wrong; i++)
    rowIds[i] = rowIds[2 * i] * n + rowIds[2 * i + 1];
  if (!wrong && pairCount) {
    qsort(rowIds, pairCount, sizeof *rowIds, compare_ids);
    if (memcmp(rowIds, truthIds, pairCount * sizeof *rowIds) != 0) wrong = "pairs";
  }
  free(words);
  free(floats);
  return wrong;
}

/* The batch queries of points: where the agents are, and ask->center if it is a place. As
 * compare_batches. */
static inline const char *compare_many(copse_points *at, const brute_points *brute,
                                       const asked *ask) {
  const uint32_t dim = brute->dimensions, count = brute->count, k = ask->k, most = count + 1;
  float *points = calloc(dim * most + 2 * k * most + k + count + 1, sizeof *points);
  float *distances2 = points + dim * most, *truth2 = distances2 + k * most;
  uint32_t *words = calloc(2 * most + most * most + k * most + k + count + 1, sizeof *words);
  uint32_t *ids = words + 2 * most, *nearIds = ids + most * most, *truthIds = nearIds + k * most;
  uint32_t n = 0, total = 0;
  bool isPlace = true;
  for (uint32_t axis = 0; axis < dim; axis++) {
    points[axis] = ask->center[axis];
    isPlace = isPlace && fabsf(points[axis]) <= COPSE_MAX_COORDINATE;
  }
  n += isPlace;
  for (uint32_t slot = 0; slot < count; slot++) {
    if (!brute_has(brute, slot)) continue;
    for (uint32_t axis = 0; axis < dim; axis++)
      points[n * dim + axis] = brute->positions.axes[axis][slot * brute->positions.stride];
    n++;
  }
  copse_query byId = ask->query;
  byId.sort = COPSE_SORT_ID;
  copse_rows rows = {words, words + most, ids, most * most, 0, false};
  copse_neighbor_rows near = {NULL, nearIds, distances2};
  const char *wrong = NULL;
  if (copse_points_within_many(at, points, n, ask->radius, &ask->query, &rows) != COPSE_OK)
    wrong = "within many refuses";
  for (uint32_t i = 0; i < n && !wrong; i++) {
    copse_results truth = {truthIds, NULL, count, 0, 0};
    brute_within(brute, points + (size_t)i * dim, ask->radius, &byId, &truth);
    uint32_t *row = ids + rows.offsets[i];
    qsort(row, rows.counts[i], sizeof *row, compare_ids);
    copse_results found = {row, NULL, count, rows.counts[i], 0};
    if (!same_results(&found, &truth, false)) wrong = "within many";
    total += truth.total;
  }
  if (!wrong && (rows.total != total || rows.truncated)) wrong = "total of within many";

  near.counts = words;
  if (!wrong && copse_points_nearest_many(at, points, n, k, &ask->query, &near) != COPSE_OK)
    wrong = "nearest many refuses";
  for (uint32_t i = 0; i < n && !wrong; i++) {
    copse_results truth = {truthIds, truth2, k + count, 0, 0};
    brute_neighbors(brute, points + (size_t)i * dim, k, &ask->query, &truth);
    copse_results found = {nearIds + (size_t)i * k, distances2 + (size_t)i * k, k, near.counts[i],
                           0};
    if (!same_results(&found, &truth, true)) wrong = "nearest many";
  }
  free(points);
  free(words);
  return wrong;
}

/* Rays from ask->center to ask->lo and from each agent to the next, all of one radius, or each of
 * its own, against brute force. The radius must be valid. NULL when all agree. */
static inline const char *compare_rays(copse_points *at, const brute_points *brute,
                                       const asked *ask, const float *radii) {
  const uint32_t dim = brute->dimensions, most = brute->count + 1;
  float *segments = calloc(2 * dim * most + most, sizeof *segments);
  float *fractions = segments + 2 * dim * most;
  uint32_t *ids = calloc(most, sizeof *ids), n = 0;
  const char *wrong = NULL;
  copse_hit ours, truth;
  copse_status status =
      copse_points_raycast(at, ask->center, ask->lo, ask->radius, radii, &ask->query, &ours, NULL);
  if (brute_raycast(brute, ask->center, ask->lo, ask->radius, radii, &ask->query, &truth) != status)
    wrong = "status of a ray";
  if (memcmp(&ours, &truth, sizeof ours) != 0) wrong = "ray";

  for (uint32_t slot = 0; slot + 1 < brute->count; slot++) {
    if (!brute_has(brute, slot) || !brute_has(brute, slot + 1)) continue;
    for (uint32_t i = 0; i < 2 * dim; i++)
      segments[2 * dim * n + i] =
          brute->positions.axes[i % dim][(slot + i / dim) * brute->positions.stride];
    n++;
  }
  if (copse_points_raycast_many(at, segments, n, ask->radius, radii, &ask->query, ids, fractions) !=
      COPSE_OK)
    wrong = "many rays refuse";
  for (uint32_t i = 0; i < n && !wrong; i++) {
    const float *from = segments + 2 * dim * i;
    brute_raycast(brute, from, from + dim, ask->radius, radii, &ask->query, &truth);
    if (ids[i] != truth.id || memcmp(&fractions[i], &truth.fraction, sizeof(float)) != 0)
      wrong = "many rays";
  }
  free(segments);
  free(ids);
  return wrong;
}

#endif
