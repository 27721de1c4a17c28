/* Creates indexes of every kind, and compares each query of an index with brute force over the same
 * agents. */
#ifndef COMPARE_H
#define COMPARE_H

#include "brute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the next random word, by mulberry32: the same numbers as web/random.js. */
static inline uint32_t random_word(uint32_t *state) {
  uint32_t t = *state += 0x6d2b79f5u;
  t = (t ^ t >> 15) * (t | 1);
  t ^= t + (t ^ t >> 7) * (t | 61);
  return t ^ t >> 14;
}

/* ---- Indexes of any kind ---- */

/* The structure of an index, and the options that only this structure has. */
typedef struct kind {
  enum { AGENTTREE, GRID, KDTREE } noun;
  float cellSize;
  copse_builder builder;
  const float *wrap;
} kind;

/* Returns the definition of a grid or k-d tree with the options of an agent tree's definition. */
static inline copse_grid_def grid_like(const copse_agenttree_def *def, kind like) {
  copse_grid_def grid = copse_grid_default();
  grid.dimensions = def->dimensions;
  grid.capacity = def->capacity;
  grid.cellSize = like.cellSize;
  grid.layout = def->layout;
  grid.onNonFinite = def->onNonFinite;
  grid.wrap = like.wrap;
  grid.allocator = def->allocator;
  grid.tasks = def->tasks;
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
  tree.tasks = def->tasks;
  return tree;
}

static inline copse_status create_points(const copse_agenttree_def *def, kind like,
                                         copse_points **index) {
  const copse_grid_def grid = grid_like(def, like);
  const copse_kdtree_def tree = kdtree_like(def, like);
  return like.noun == GRID     ? copse_grid_create(&grid, index)
         : like.noun == KDTREE ? copse_kdtree_create(&tree, index)
                               : copse_agenttree_create(def, index);
}
static inline size_t bytes_of_points(const copse_agenttree_def *def, kind like) {
  const copse_grid_def grid = grid_like(def, like);
  const copse_kdtree_def tree = kdtree_like(def, like);
  return like.noun == GRID     ? copse_grid_bytes(&grid)
         : like.noun == KDTREE ? copse_kdtree_bytes(&tree)
                               : copse_agenttree_bytes(def);
}

/* ---- Comparing ---- */

typedef struct point_question {
  float center[3], direction[3], lo[3], hi[3];
  float radius, halfAngle;
  uint32_t k;
  copse_query query;
} point_question;

static inline bool same_results(const copse_results *a, const copse_results *b, bool distances) {
  if (a->total != b->total) return false;
  uint32_t written = a->total < a->capacity ? a->total : a->capacity;
  if (!written) return true;
  return memcmp(a->ids, b->ids, written * sizeof *a->ids) == 0 &&
         (!distances || memcmp(a->distances2, b->distances2, written * sizeof(float)) == 0);
}

enum { MOST_PLANES = 4 };

/* Writes 0 … MOST_PLANES planes: through the center across the direction, two sides of the box, and
 * one of any kind. Returns their number. */
static inline uint32_t planes_of(const float *center, const float *direction, const float *lo,
                                 const float *hi, uint32_t k, float *planes) {
  const float *d = direction, *c = center;
  const float all[4 * MOST_PLANES] = {
      d[0],  d[1],  d[2],  -(d[0] * c[0] + d[1] * c[1] + d[2] * c[2]), /* */
      0,     1,     0,     -lo[1],                                     /* */
      -1,    0,     -0.0f, hi[0],                                      /* */
      lo[0], hi[1], lo[2], c[0]};
  memcpy(planes, all, sizeof all);
  return k % (MOST_PLANES + 1);
}

/* Compares every single query with brute force. Returns the name of one that differs, or NULL. */
static inline const char *compare_queries(copse_points *index, const brute_points *brute,
                                          const point_question *question) {
  uint32_t room = brute->count ? brute->count : 1;
  uint32_t *ids = malloc(2 * room * sizeof *ids);
  float *distances2 = malloc(2 * room * sizeof *distances2);
  copse_results actual = {ids, distances2, room, 0, 0};
  copse_results expected = {ids + room, distances2 + room, room, 0, 0};
  const char *wrong = NULL;
  copse_query byDistance = question->query, byId = question->query;
  byDistance.sort = COPSE_SORT_DISTANCE;
  byId.sort = COPSE_SORT_ID;

#define AGREE(name, distances, call, expectedCall)                                                 \
  if (!wrong) {                                                                                    \
    copse_status status = (call), expectedStatus = (expectedCall);                                 \
    if (status != expectedStatus ||                                                                \
        (status == COPSE_OK && !same_results(&actual, &expected, distances)))                      \
      wrong = name;                                                                                \
  }
  AGREE("within by distance", true,
        copse_points_within(index, question->center, question->radius, &byDistance, &actual),
        brute_within(brute, question->center, question->radius, &byDistance, &expected))
  AGREE("range by id", false, copse_points_range(index, question->lo, question->hi, &byId, &actual),
        brute_range(brute, question->lo, question->hi, &byId, &expected))
  float planes[4 * MOST_PLANES];
  const uint32_t planeCount = planes_of(question->center, question->direction, question->lo,
                                        question->hi, question->k, planes);
  AGREE("frustum by id", false, copse_points_frustum(index, planes, planeCount, &byId, &actual),
        brute_frustum(brute, planes, planeCount, &byId, &expected))
  AGREE("cone by distance", true,
        copse_points_cone(index, question->center, question->direction, question->halfAngle,
                          question->radius, &byDistance, &actual),
        brute_cone(brute, question->center, question->direction, question->halfAngle,
                   question->radius, &byDistance, &expected))
  AGREE("neighbors", true,
        copse_points_neighbors(index, question->center, question->k, &question->query, &actual),
        brute_neighbors(brute, question->center, question->k, &question->query, &expected))
  AGREE("within by id", true,
        copse_points_within(index, question->center, question->radius, &byId, &actual),
        brute_within(brute, question->center, question->radius, &byId, &expected))
#undef AGREE

  uint32_t count = 0, nearest = COPSE_NONE;
  if (brute_range(brute, question->lo, question->hi, &byId, &expected) == COPSE_OK) {
    copse_points_count_range(index, question->lo, question->hi, &byId, &count, NULL);
    if (!wrong && count != expected.total) wrong = "count range";
  }
  bool any = false;
  if (brute_within(brute, question->center, question->radius, &byId, &expected) == COPSE_OK) {
    copse_points_count_within(index, question->center, question->radius, &question->query, &count,
                              NULL);
    if (!wrong && count != expected.total) wrong = "count";
    copse_points_any_within(index, question->center, question->radius, &question->query, &any,
                            NULL);
    if (!wrong && any != (expected.total > 0)) wrong = "any";
    copse_points_nearest(index, question->center, &question->query, &nearest, NULL, NULL);
    brute_neighbors(brute, question->center, 1, &question->query, &expected);
    if (!wrong && nearest != (expected.total ? expected.ids[0] : COPSE_NONE)) wrong = "nearest";
  }
  free(ids);
  free(distances2);
  return wrong;
}

static inline int compare_ids(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* True if the slot is in the last build: a query can find it. */
static inline bool brute_has(const brute_points *brute, uint32_t slot) {
  bool ok = !brute->groups || brute->groups[slot];
  for (uint32_t axis = 0; axis < brute->dimensions; axis++) {
    float x = brute->positions.axes[axis][slot * brute->positions.stride];
    ok = ok && x >= -COPSE_MAX_COORDINATE && x <= COPSE_MAX_COORDINATE;
  }
  return ok;
}

/* Compares the batch queries over all agents with brute force, with room for all results. `masks`
 * and `radii` are by slot, or NULL. The radius and maxDistance must be valid. Returns the name of
 * one that differs, or NULL. */
static inline const char *compare_batches(copse_points *index, const brute_points *brute,
                                          const point_question *question, const uint32_t *masks,
                                          const float *radii) {
  const uint32_t n = brute->count, k = question->k, roomy = n * n + 8;
  uint32_t *words = calloc(2 * n + 2 * roomy + n * k + 2 * n + 8, sizeof *words);
  float *floats = calloc(n * k + n + k + 8, sizeof *floats);
  uint32_t *rowIds = words + 2 * n, *expectedIds = rowIds + roomy, *nearIds = expectedIds + roomy;
  float *expected2 = floats + n * k;
  copse_rows rows = {words, words + n, rowIds, roomy, 0, false};
  copse_query query = question->query;
  query.exclude = COPSE_NONE;
  const char *wrong = NULL;

  if (copse_points_all_within(index, question->radius, &query, masks, &rows) != COPSE_OK)
    wrong = "all within: refused";
  uint32_t total = 0, pairCount = 0;
  for (uint32_t slot = 0; slot < n && !wrong; slot++) {
    copse_query own = query;
    own.exclude = slot;
    own.sort = COPSE_SORT_ID;
    if (masks) own.mask &= masks[slot];
    float center[3] = {0};
    for (uint32_t axis = 0; axis < brute->dimensions; axis++)
      center[axis] = brute->positions.axes[axis][slot * brute->positions.stride];
    copse_results expected = {expectedIds, NULL, n, 0, 0};
    if (brute_has(brute, slot)) brute_within(brute, center, question->radius, &own, &expected);
    uint32_t *row = rowIds + rows.offsets[slot];
    qsort(row, rows.counts[slot], sizeof *row, compare_ids);
    copse_results results = {row, NULL, n, rows.counts[slot], 0};
    if (!same_results(&results, &expected, false)) wrong = "all within";
    total += expected.total;
  }
  if (!wrong && (rows.total != total || rows.truncated)) wrong = "all within: total";

  copse_neighbor_rows near = {words, nearIds, floats};
  if (!wrong && copse_points_all_neighbors(index, k, &query, masks, &near) != COPSE_OK)
    wrong = "all neighbors: refused";
  for (uint32_t slot = 0; slot < n && !wrong; slot++) {
    copse_query own = query;
    own.exclude = slot;
    if (masks) own.mask &= masks[slot];
    float center[3] = {0};
    for (uint32_t axis = 0; axis < brute->dimensions; axis++)
      center[axis] = brute->positions.axes[axis][slot * brute->positions.stride];
    copse_results expected = {expectedIds, expected2, n + k, 0, 0};
    if (brute_has(brute, slot)) brute_neighbors(brute, center, k, &own, &expected);
    copse_results results = {nearIds + slot * k, floats + slot * k, k, near.counts[slot], 0};
    if (!same_results(&results, &expected, true)) wrong = "all neighbors";
  }

  copse_results pairs = {rowIds, NULL, roomy, 0, 0};
  if (!wrong && copse_points_pairs(index, question->radius, radii, &query, &pairs) != COPSE_OK)
    wrong = "pairs: refused";
  for (uint32_t a = 0; a < n && !wrong; a++) {
    for (uint32_t b = a + 1; b < n; b++) {
      if (!brute_has(brute, a) || !brute_has(brute, b)) continue;
      if (brute->groups && (!(brute->groups[a] & query.mask) || !(brute->groups[b] & query.mask)))
        continue;
      float ends[2][3] = {{0}};
      for (uint32_t axis = 0; axis < brute->dimensions; axis++) {
        ends[0][axis] = brute->positions.axes[axis][a * brute->positions.stride];
        ends[1][axis] = brute->positions.axes[axis][b * brute->positions.stride];
      }
      float reach = radii ? radii[a] + radii[b] : question->radius;
      if (brute_distance2(brute, ends[0], ends[1]) <= reach * reach)
        expectedIds[pairCount++] = a * n + b;
    }
  }
  if (!wrong && pairs.total != 2 * pairCount) wrong = "pairs: total";
  for (uint32_t i = 0; i < pairCount && !wrong; i++)
    rowIds[i] = rowIds[2 * i] * n + rowIds[2 * i + 1];
  if (!wrong && pairCount) {
    qsort(rowIds, pairCount, sizeof *rowIds, compare_ids);
    if (memcmp(rowIds, expectedIds, pairCount * sizeof *rowIds) != 0) wrong = "pairs";
  }
  free(words);
  free(floats);
  return wrong;
}

/* Compares the batch queries over points with brute force: the points are all agents' positions,
 * and question->center if it is finite. The same conditions and result as compare_batches. */
static inline const char *compare_many(copse_points *index, const brute_points *brute,
                                       const point_question *question) {
  const uint32_t dim = brute->dimensions, count = brute->count, k = question->k, most = count + 1;
  float *points = calloc(dim * most + 2 * k * most + k + count + 1, sizeof *points);
  float *distances2 = points + dim * most, *expected2 = distances2 + k * most;
  uint32_t *words = calloc(2 * most + most * most + k * most + k + count + 1, sizeof *words);
  uint32_t *ids = words + 2 * most, *nearIds = ids + most * most, *expectedIds = nearIds + k * most;
  uint32_t n = 0, total = 0;
  bool isPlace = true;
  for (uint32_t axis = 0; axis < dim; axis++) {
    points[axis] = question->center[axis];
    isPlace = isPlace && fabsf(points[axis]) <= COPSE_MAX_COORDINATE;
  }
  n += isPlace;
  for (uint32_t slot = 0; slot < count; slot++) {
    if (!brute_has(brute, slot)) continue;
    for (uint32_t axis = 0; axis < dim; axis++)
      points[n * dim + axis] = brute->positions.axes[axis][slot * brute->positions.stride];
    n++;
  }
  copse_query byId = question->query;
  byId.sort = COPSE_SORT_ID;
  copse_rows rows = {words, words + most, ids, most * most, 0, false};
  copse_neighbor_rows near = {NULL, nearIds, distances2};
  const char *wrong = NULL;
  if (copse_points_within_many(index, points, n, question->radius, &question->query, &rows) !=
      COPSE_OK)
    wrong = "within many: refused";
  for (uint32_t i = 0; i < n && !wrong; i++) {
    copse_results expected = {expectedIds, NULL, count, 0, 0};
    brute_within(brute, points + (size_t)i * dim, question->radius, &byId, &expected);
    uint32_t *row = ids + rows.offsets[i];
    qsort(row, rows.counts[i], sizeof *row, compare_ids);
    copse_results results = {row, NULL, count, rows.counts[i], 0};
    if (!same_results(&results, &expected, false)) wrong = "within many";
    total += expected.total;
  }
  if (!wrong && (rows.total != total || rows.truncated)) wrong = "within many: total";

  /* Boxes: each from an agent to the next. */
  uint32_t boxes = 0;
  float *sides = calloc(2 * dim * most, sizeof *sides);
  total = 0;
  for (; boxes + 1 < n; boxes++)
    for (uint32_t axis = 0; axis < dim; axis++) {
      const float a = points[boxes * dim + axis], b = points[(boxes + 1) * dim + axis];
      sides[2 * dim * boxes + axis] = a < b ? a : b;
      sides[2 * dim * boxes + dim + axis] = a < b ? b : a;
    }
  const copse_status ranged = copse_points_range_many(index, sides, boxes, &question->query, &rows);
  if (!wrong && ranged != (brute->wrap ? COPSE_INVALID_ARGUMENT : COPSE_OK))
    wrong = "range many: status";
  if (brute->wrap) {
    boxes = 0;
    rows.total = 0;
    rows.truncated = false;
  }
  for (uint32_t i = 0; i < boxes && !wrong; i++) {
    const float *box = sides + (size_t)i * 2 * dim;
    copse_results expected = {expectedIds, NULL, count, 0, 0};
    brute_range(brute, box, box + dim, &byId, &expected);
    uint32_t *row = ids + rows.offsets[i];
    qsort(row, rows.counts[i], sizeof *row, compare_ids);
    copse_results results = {row, NULL, count, rows.counts[i], 0};
    if (!same_results(&results, &expected, false)) wrong = "range many";
    total += expected.total;
  }
  if (!wrong && (rows.total != total || rows.truncated)) wrong = "range many: total";
  free(sides);

  near.counts = words;
  if (!wrong &&
      copse_points_neighbors_many(index, points, n, k, &question->query, &near) != COPSE_OK)
    wrong = "nearest many: refused";
  for (uint32_t i = 0; i < n && !wrong; i++) {
    copse_results expected = {expectedIds, expected2, k + count, 0, 0};
    brute_neighbors(brute, points + (size_t)i * dim, k, &question->query, &expected);
    copse_results results = {nearIds + (size_t)i * k, distances2 + (size_t)i * k, k, near.counts[i],
                             0};
    if (!same_results(&results, &expected, true)) wrong = "nearest many";
  }
  free(points);
  free(words);
  return wrong;
}

/* Compares rays with brute force: from question->center to question->lo, and from each agent to the
 * next. All agents have question->radius, or their own from `radii`. The radius must be valid.
 * Returns the name of one that differs, or NULL. */
static inline const char *compare_rays(copse_points *index, const brute_points *brute,
                                       const point_question *question, const float *radii) {
  const uint32_t dim = brute->dimensions, most = brute->count + 1;
  float *segments = calloc((2 * dim + 3) * most, sizeof *segments);
  float *fractions = segments + 2 * dim * most, *inflates = fractions + 2 * most;
  uint32_t *ids = calloc(4 * most, sizeof *ids), *masks = ids + 2 * most, *excludes = masks + most;
  uint32_t n = 0;
  const char *wrong = NULL;
  copse_hit actual, expected;
  copse_status status =
      copse_points_raycast(index, question->center, question->lo, question->radius, radii,
                           &question->query, &actual, NULL);
  if (brute_raycast(brute, question->center, question->lo, question->radius, radii,
                    &question->query, &expected) != status)
    wrong = "ray: status";
  if (memcmp(&actual, &expected, sizeof actual) != 0) wrong = "ray";

  /* All hits; then only as many as there is room for, which must be the first ones. */
  copse_hits every = {ids + most, fractions + most, most, 0, 0};
  brute_raycast_all(brute, question->center, question->lo, question->radius, radii,
                    &question->query, &every);
  for (uint32_t capacity = most; !wrong; capacity = every.total / 2) {
    copse_hits hits = {ids, fractions, capacity, 0, 0};
    const uint32_t written = capacity < every.total ? capacity : every.total;
    if (copse_points_raycast_all(index, question->center, question->lo, question->radius, radii,
                                 &question->query, &hits) != status)
      wrong = "all hits: status";
    if (hits.total != every.total || memcmp(ids, every.ids, written * sizeof *ids) != 0 ||
        memcmp(fractions, every.fractions, written * sizeof *fractions) != 0)
      wrong = "all hits";
    if (capacity < most) break;
  }

  for (uint32_t slot = 0; slot + 1 < brute->count; slot++) {
    if (!brute_has(brute, slot) || !brute_has(brute, slot + 1)) continue;
    for (uint32_t i = 0; i < 2 * dim; i++)
      segments[2 * dim * n + i] =
          brute->positions.axes[i % dim][(slot + i / dim) * brute->positions.stride];
    masks[n] = slot % 5 ? COPSE_ALL_GROUPS : 1 + slot % 3;
    excludes[n] = slot; /* the shooter */
    inflates[n++] = slot % 3 ? question->radius / 4 : 0;
  }
  for (int turn = 0; turn < 2 && !wrong; turn++) {
    const uint32_t lists = turn ? 1 + n % 7 : 0; /* each list may be left out */
    const copse_segment_filters filters = {lists & 1 ? masks : NULL, lists & 2 ? excludes : NULL,
                                           lists & 4 ? inflates : NULL};
    if (copse_points_raycast_many(index, segments, n, question->radius, radii, &question->query,
                                  lists ? &filters : NULL, ids,
                                  fractions) != (brute->wrap ? COPSE_INVALID_ARGUMENT : COPSE_OK))
      wrong = "many rays: status";
    for (uint32_t i = 0; i < n && !wrong && !brute->wrap; i++) {
      const float *from = segments + 2 * dim * i;
      copse_query query = question->query;
      if (lists & 1) query.mask &= masks[i];
      if (lists & 2) query.exclude = excludes[i];
      if (lists & 4) query.inflate = inflates[i];
      brute_raycast(brute, from, from + dim, question->radius, radii, &query, &expected);
      if (ids[i] != expected.id || memcmp(&fractions[i], &expected.fraction, sizeof(float)) != 0)
        wrong = "many rays";
    }
  }
  free(segments);
  free(ids);
  return wrong;
}

#endif
