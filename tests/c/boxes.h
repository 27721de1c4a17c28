/* The oracle of the quadtree and the octree: a plain list of boxes. The tree must agree with it
 * after every change. */
#ifndef BOXES_H
#define BOXES_H

#include "../../c/copse.h"
#include "bytes.h"
#include "ledger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES = 96, BOX_PAIRS = BOXES * (BOXES - 1) };

typedef struct box_list {
  uint32_t dimensions;
  float boxes[BOXES][6]; /* lo x, y, (z,) hi x, y, (z) */
  bool used[BOXES];
  const uint32_t *groups; /* the tree's own array: changes count at once */
} box_list;

typedef struct box_question {
  float center[3], to[3], lo[3], hi[3];
  float radius;
  uint32_t k;
  copse_query query;
} box_question;

static inline bool box_wanted(const box_list *list, uint32_t id, const copse_query *query) {
  return list->used[id] && (list->groups[id] & query->mask) && id != query->exclude;
}

static inline bool boxes_meet(const box_list *list, const float *box, const float *lo,
                              const float *hi) {
  for (uint32_t axis = 0; axis < list->dimensions; axis++)
    if (box[axis] > hi[axis] || box[list->dimensions + axis] < lo[axis]) return false;
  return true;
}

static inline float box_distance2(const box_list *list, const float *box, const float *x) {
  float squares[3] = {0};
  for (uint32_t axis = 0; axis < list->dimensions; axis++) {
    const float below = box[axis] - x[axis], above = x[axis] - box[list->dimensions + axis];
    const float outside = below > 0 ? below : above > 0 ? above : 0;
    squares[axis] = outside * outside;
  }
  const float sum = squares[0] + squares[1];
  return list->dimensions == 3 ? sum + squares[2] : sum;
}

/* True if a ray meets a box, by the definition in copse.h. */
static inline bool ray_meets(const box_list *list, const float *box, const float *from,
                             const float *to, float *fraction, float normal[3]) {
  const uint32_t dim = list->dimensions;
  double way[3], sides[2][3];
  for (uint32_t axis = 0; axis < dim; axis++) {
    if (fmaxf(from[axis], to[axis]) < box[axis] || fminf(from[axis], to[axis]) > box[dim + axis])
      return false;
    way[axis] = (double)to[axis] - (double)from[axis];
    sides[0][axis] = (double)box[axis] - (double)from[axis];
    sides[1][axis] = (double)box[dim + axis] - (double)from[axis];
  }
  for (uint32_t u = 0; u < (dim == 3 ? 3 : 1); u++) {
    const uint32_t v = (u + 1) % dim;
    bool left = false, right = false; /* some corner is not to the right; not to the left */
    for (uint32_t corner = 0; corner < 4; corner++) {
      const double a = way[u] * sides[corner & 1][v], b = way[v] * sides[corner >> 1][u];
      left |= a >= b;
      right |= a <= b;
    }
    if (!left || !right) return false;
  }
  double latest = 0;
  memset(normal, 0, 3 * sizeof *normal);
  for (uint32_t axis = 0; axis < dim; axis++) {
    const double side = sides[0][axis] > 0   ? sides[0][axis]
                        : sides[1][axis] < 0 ? sides[1][axis]
                                             : 0;
    if (side == 0 || side / way[axis] <= latest) continue;
    latest = side / way[axis];
    memset(normal, 0, 3 * sizeof *normal);
    normal[axis] = way[axis] > 0 ? -1 : 1;
  }
  *fraction = latest < 1 ? (float)latest : 1;
  return true;
}

/* True if a ray comes within query.inflate > 0 of a box, by the definition in copse.h. */
static inline bool ray_comes_near(const box_list *list, const float *box, const float *from,
                                  const float *to, double radius, float *fraction,
                                  float normal[3]) {
  const uint32_t dim = list->dimensions;
  double way[3] = {0}, sides[2][3] = {{0}}, cuts[8] = {0};
  uint32_t count = 1;
  for (uint32_t axis = 0; axis < dim; axis++) {
    way[axis] = (double)to[axis] - (double)from[axis];
    for (uint32_t end = 0; end < 2; end++) {
      sides[end][axis] = (double)box[end * dim + axis] - (double)from[axis];
      const double cut = way[axis] != 0 ? sides[end][axis] / way[axis] : 0;
      if (cut > 0 && cut < 1) cuts[count++] = cut;
    }
  }
  cuts[count] = 1;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t j = i + 1; j < count; j++)
      if (cuts[j] < cuts[i]) {
        const double swapped = cuts[i];
        cuts[i] = cuts[j];
        cuts[j] = swapped;
      }
  for (uint32_t part = 0; part < count; part++) {
    double m[3] = {0}, d[3] = {0}, side[3] = {0};
    if (part > 0 && cuts[part] == cuts[part - 1]) continue;
    const double begin = cuts[part];
    uint32_t next = part + 1;
    while (next < count && cuts[next] == begin) next++;
    for (uint32_t axis = 0; axis < dim; axis++) {
      const double lo = sides[0][axis], hi = sides[1][axis], w = way[axis];
      /* The part begins below lo; it does if it moves down from lo. The same for hi. */
      const bool isBelow = w > 0 ? begin < lo / w : w < 0 ? begin >= lo / w : lo >= 0;
      const bool isAbove = w > 0 ? begin >= hi / w : w < 0 ? begin < hi / w : hi <= 0;
      if (w != 0 && (w > 0 ? lo : hi) / w == begin) {
        memset(side, 0, sizeof side);
        side[axis] = w > 0 ? -1 : 1;
      }
      if (!isBelow && !isAbove) continue;
      m[axis] = isBelow ? lo : hi;
      d[axis] = w;
    }
    const double mm = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
    const double dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const double md = m[0] * d[0] + m[1] * d[1] + m[2] * d[2];
    const double c[3] = {m[1] * d[2] - m[2] * d[1], m[2] * d[0] - m[0] * d[2],
                         m[0] * d[1] - m[1] * d[0]};
    const double u = dd * (radius * radius) - (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    double hit = begin;
    if (dd == 0 && mm > radius * radius) continue;
    if (dd > 0) {
      if (u < 0 || (md - sqrt(u)) / dd > cuts[next] || (md + sqrt(u)) / dd < begin) continue;
      hit = fmax((md - sqrt(u)) / dd, begin);
    }
    *fraction = (float)hit;
    for (uint32_t axis = 0; axis < 3; axis++) {
      const double *a = d, across[3] = {a[1] * c[2] - a[2] * c[1], a[2] * c[0] - a[0] * c[2],
                                        a[0] * c[1] - a[1] * c[0]};
      normal[axis] = hit == 0 ? 0
                     : dd > 0 ? (float)(0 - (sqrt(u) * d[axis] + across[axis]) / dd / radius)
                     : mm > 0 ? (float)(0 - m[axis] / radius)
                              : (float)side[axis];
    }
    return true;
  }
  return false;
}

/* True if a ray hits a box. */
static inline bool ray_hits(const box_list *list, const float *box, const float *from,
                            const float *to, const copse_query *query, copse_box_hit *hit) {
  if (query->inflate > 0)
    return ray_comes_near(list, box, from, to, (double)query->inflate, &hit->fraction, hit->normal);
  return ray_meets(list, box, from, to, &hit->fraction, hit->normal);
}

static inline bool same_ids(const uint32_t *ids, uint32_t total, const uint32_t *expected,
                            uint32_t count) {
  return total == count && (!count || memcmp(ids, expected, count * sizeof *ids) == 0);
}

/* Compares every query with a loop over the list. Returns the name of the first that differs, or
 * NULL. */
static inline const char *compare_boxes(const copse_octree *tree, const box_list *list,
                                        const box_question *question) {
  const uint32_t dim = list->dimensions;
  uint32_t ids[BOXES], expected[BOXES], count = 0, total, visits, places = 0;
  float distances2[BOXES], expected2[BOXES];
  copse_results results = {ids, distances2, BOXES, 0, 0};
  copse_query sorted = question->query;
  sorted.sort = COPSE_SORT_ID;
  for (uint32_t id = 0; id < BOXES; id++) {
    expected2[id] = list->used[id] ? box_distance2(list, list->boxes[id], question->center) : 0;
    places += list->used[id];
    if (list->used[id] != copse_octree_has(tree, id)) return "has";
  }
  if (copse_octree_count(tree) != places) return "count";

  bool ok = true, ordered = true;
  for (uint32_t axis = 0; axis < dim; axis++) {
    ok &= fabsf(question->center[axis]) <= COPSE_MAX_COORDINATE;
    ordered &= question->lo[axis] <= question->hi[axis];
  }
  copse_status status = copse_octree_range(tree, question->lo, question->hi, &sorted, &results);
  if ((status == COPSE_OK) != ordered) return "range: status";
  for (uint32_t id = 0; id < BOXES; id++)
    if (box_wanted(list, id, &question->query) &&
        boxes_meet(list, list->boxes[id], question->lo, question->hi))
      expected[count++] = id;
  if (ordered && !same_ids(ids, results.total, expected, count)) return "range";
  status =
      copse_octree_count_range(tree, question->lo, question->hi, &question->query, &total, &visits);
  if ((status == COPSE_OK) != ordered) return "count range: status";
  if (status == COPSE_OK && total != count) return "count range";

  float planes[4 * 4];
  memcpy(planes,
         (float[16]){0, -1, 0, question->hi[1], 1, 0, 0, -question->lo[0], question->to[0],
                     question->to[1], question->to[2], -question->center[2], question->lo[0],
                     question->hi[1], question->to[2], question->radius},
         sizeof planes);
  const uint32_t planeCount = question->k % 5;
  bool isFinite = true;
  for (uint32_t i = 0; i < 4 * planeCount; i++)
    isFinite &= fabsf(planes[i]) <= COPSE_MAX_COORDINATE;
  status = copse_octree_frustum(tree, planes, planeCount, &sorted, &results);
  if ((status == COPSE_OK) != (dim == 3 && planeCount && isFinite)) return "frustum: status";
  count = 0;
  for (uint32_t id = 0; status == COPSE_OK && id < BOXES; id++) {
    bool isInside = box_wanted(list, id, &question->query);
    for (uint32_t i = 0; i < planeCount; i++) {
      const float *plane = planes + (size_t)i * 4, *box = list->boxes[id];
      float best = -INFINITY; /* of the eight corners */
      for (int corner = 0; corner < 8; corner++)
        best = fmaxf(best, box[corner & 1 ? 3 : 0] * plane[0] + box[corner & 2 ? 4 : 1] * plane[1] +
                               box[corner & 4 ? 5 : 2] * plane[2] + plane[3]);
      isInside &= best >= 0;
    }
    if (isInside) expected[count++] = id;
  }
  if (status == COPSE_OK && !same_ids(ids, results.total, expected, count)) return "frustum";

  const float radius2 = question->radius * question->radius;
  status = copse_octree_within(tree, question->center, question->radius, &sorted, &results);
  if ((status == COPSE_OK) != (ok && question->radius >= 0)) return "within: status";
  if (status == COPSE_OK) {
    bool any;
    count = 0;
    for (uint32_t id = 0; id < BOXES; id++)
      if (box_wanted(list, id, &question->query) && expected2[id] <= radius2)
        expected[count++] = id;
    if (!same_ids(ids, results.total, expected, count)) return "within";
    for (uint32_t i = 0; i < count; i++)
      if (distances2[i] != expected2[ids[i]]) return "within: distances";
    copse_octree_count_within(tree, question->center, question->radius, &question->query, &total,
                              &visits);
    if (total != count) return "count within";
    copse_octree_any_within(tree, question->center, question->radius, &question->query, &any,
                            &visits);
    if (any != (count > 0)) return "any within";
  }

  status = copse_octree_neighbors(tree, question->center, question->k, &question->query, &results);
  if ((status == COPSE_OK) != (ok && question->query.maxDistance >= 0)) return "neighbors: status";
  if (status == COPSE_OK) {
    const float max2 = question->query.maxDistance * question->query.maxDistance;
    bool taken[BOXES] = {0};
    for (count = 0; count < question->k; count++) {
      uint32_t best = COPSE_NONE;
      for (uint32_t id = 0; id < BOXES; id++)
        if (!taken[id] && box_wanted(list, id, &question->query) && expected2[id] <= max2 &&
            (best == COPSE_NONE || expected2[id] < expected2[best]))
          best = id;
      if (best == COPSE_NONE) break;
      taken[best] = true;
      expected[count] = best;
    }
    if (!same_ids(ids, results.total, expected, count)) return "neighbors";
    for (uint32_t i = 0; i < count; i++)
      if (distances2[i] != expected2[ids[i]]) return "neighbors: distances";
    uint32_t nearest;
    float nearest2;
    copse_octree_nearest(tree, question->center, &question->query, &nearest, &nearest2, &visits);
    if (question->k && nearest != (count ? expected[0] : COPSE_NONE)) return "nearest";
    if (question->k && nearest2 != (count ? expected2[expected[0]] : INFINITY))
      return "nearest: distance";
  }

  copse_box_hit hit;
  status =
      copse_octree_raycast(tree, question->center, question->to, &question->query, &hit, &visits);
  bool ends = ok && question->query.inflate >= 0;
  for (uint32_t axis = 0; axis < dim; axis++)
    ends &= fabsf(question->to[axis]) <= COPSE_MAX_COORDINATE;
  if ((status == COPSE_OK) != ends) return "raycast: status";
  if (ends) {
    copse_box_hit first = {COPSE_NONE, 1, {0}};
    for (uint32_t id = 0; id < BOXES; id++) {
      copse_box_hit next = {.id = id};
      if (box_wanted(list, id, &question->query) &&
          ray_hits(list, list->boxes[id], question->center, question->to, &question->query,
                   &next) &&
          (first.id == COPSE_NONE || next.fraction < first.fraction))
        first = next;
    }
    if (hit.id != first.id || hit.fraction != first.fraction) return "raycast";
    for (int axis = 0; axis < 3; axis++)
      if (hit.normal[axis] != first.normal[axis]) return "raycast: normal";
  }

  static uint32_t pairs[BOX_PAIRS];
  bool met[BOXES][BOXES] = {{0}};
  copse_query unsorted = question->query;
  unsorted.sort = COPSE_SORT_NONE;
  results = (copse_results){pairs, NULL, BOX_PAIRS, 0, 0};
  if (copse_octree_pairs(tree, &unsorted, &results) != COPSE_OK) return "pairs: status";
  for (uint32_t i = 0; i < results.total; i += 2) {
    if (pairs[i] >= pairs[i + 1] || met[pairs[i]][pairs[i + 1]])
      return "pairs: order, or a pair twice";
    met[pairs[i]][pairs[i + 1]] = true;
  }
  for (uint32_t a = 0; a < BOXES; a++)
    for (uint32_t b = a + 1; b < BOXES; b++) {
      const bool both = list->used[a] && list->used[b] && (list->groups[a] & unsorted.mask) &&
                        (list->groups[b] & unsorted.mask);
      const float *box = list->boxes[b];
      if (met[a][b] != (both && boxes_meet(list, list->boxes[a], box, box + dim))) return "pairs";
    }
  return NULL;
}

/* Compares every batch with loops over the list: of the question, and of all items. Rows must have
 * the order of single queries. Returns the name of the first that differs, or NULL. The question
 * must be valid. */
static inline const char *compare_box_batches(const copse_octree *tree, const box_list *list,
                                              const box_question *question) {
  enum { MOST = BOXES + 1, ROOM = MOST * BOXES, MOST_K = 20 };
  static float boxes[6 * MOST], fractions[MOST], near2[MOST * MOST_K];
  static uint32_t offsets[MOST], counts[MOST], ids[ROOM], nearIds[MOST * MOST_K], hits[MOST];
  const uint32_t dim = list->dimensions, k = question->k;
  uint32_t n = 1, single[BOXES];
  float single2[BOXES];
  memcpy(boxes, question->lo, dim * sizeof(float));
  memcpy(boxes + dim, question->hi, dim * sizeof(float));
  for (uint32_t id = 0; id < BOXES; id++)
    if (list->used[id]) memcpy(boxes + 2 * dim * n++, list->boxes[id], 2 * dim * sizeof(float));
  /* With all the room that is needed, and with some of it. */
  for (int form = 0; form < 4; form++) {
    const uint32_t capacity = form & 1 ? ROOM : 40 * k;
    copse_rows rows = {offsets, counts, capacity ? ids : NULL, capacity, 7, true};
    const bool isRange = form & 2;
    const copse_status status =
        isRange
            ? copse_octree_range_many(tree, boxes, n, &question->query, &rows)
            : copse_octree_within_many(tree, boxes, n, question->radius, &question->query, &rows);
    if (status != COPSE_OK) return "rows: status";
    uint64_t total = 0, written = 0;
    for (uint32_t i = 0; i < n; i++) {
      const float *box = boxes + 2 * dim * i;
      copse_results results = {single, single2, BOXES, 0, 0};
      if (isRange)
        copse_octree_range(tree, box, box + dim, &question->query, &results);
      else
        copse_octree_within(tree, boxes + dim * i, question->radius, &question->query, &results);
      const bool isFull = counts[i] == results.total;
      if (isFull && counts[i] && memcmp(ids + offsets[i], single, counts[i] * sizeof *ids) != 0)
        return "rows: ids";
      if (!isFull && (counts[i] || !rows.truncated)) return "rows: counts";
      uint32_t found = 0;
      for (uint32_t id = 0; id < BOXES; id++)
        found += box_wanted(list, id, &question->query) &&
                 (isRange ? boxes_meet(list, list->boxes[id], box, box + dim)
                          : box_distance2(list, list->boxes[id], boxes + dim * i) <=
                                question->radius * question->radius);
      if (results.total != found) return "rows: found";
      total += found;
      written += counts[i];
    }
    if (rows.total != total || rows.truncated != (total > written) || written > capacity)
      return "rows: total";
    if (rows.truncated && capacity >= total) return "rows: truncated";
  }

  copse_neighbor_rows near = {counts, nearIds, near2};
  if (copse_octree_neighbors_many(tree, boxes, n, k, &question->query, &near) != COPSE_OK)
    return "nearest many: status";
  for (uint32_t i = 0; i < n; i++) {
    copse_results results = {single, single2, BOXES, 0, 0};
    copse_octree_neighbors(tree, boxes + dim * i, k, &question->query, &results);
    if (!same_ids(nearIds + (size_t)k * i, counts[i], single, results.total)) return "nearest many";
    if (counts[i] && memcmp(near2 + (size_t)k * i, single2, counts[i] * sizeof *near2) != 0)
      return "nearest many: distances";
  }

  static uint32_t masks[MOST], excludes[MOST];
  static float inflates[MOST];
  for (uint32_t i = 0; i < n; i++) {
    masks[i] = (i % 4) * (k + i);
    excludes[i] = i % 3 ? i % BOXES : COPSE_NONE;
    inflates[i] = i % 5 ? question->radius / (float)(1 + i % 7) : 0;
  }
  for (int lists = 0; lists < 8; lists++) {
    const copse_segment_filters filters = {lists & 1 ? masks : NULL, lists & 2 ? excludes : NULL,
                                           lists & 4 ? inflates : NULL};
    if (copse_octree_raycast_many(tree, boxes, n, &question->query, lists ? &filters : NULL, hits,
                                  fractions) != COPSE_OK)
      return "raycast many: status";
    for (uint32_t i = 0; i < n; i++) {
      copse_box_hit hit;
      copse_query query = question->query;
      const float *from = boxes + 2 * dim * i;
      if (lists & 1) query.mask &= masks[i];
      if (lists & 2) query.exclude = excludes[i];
      if (lists & 4) query.inflate = inflates[i];
      copse_octree_raycast(tree, from, from + dim, &query, &hit, NULL);
      if (hits[i] != hit.id || fractions[i] != hit.fraction) return "raycast many";
    }
  }
  return NULL;
}

/* True if the cells equal those of a new tree with the same items, or if either lacked nodes. */
static inline bool cells_as_new(const copse_octree *tree, const copse_octree_def *def,
                                const box_list *list) {
  enum { ROOM = 8 * (1 << 14) };
  static float cells[ROOM], others[ROOM];
  copse_octree *fresh;
  if (copse_octree_create(def, &fresh) != COPSE_OK) return false;
  for (uint32_t id = BOXES; id-- > 0;) /* in another order */
    if (list->used[id]) copse_octree_add_at(fresh, id, list->boxes[id]);
  const bool lacking = copse_octree_stats(tree).unsplit || copse_octree_stats(fresh).unsplit;
  const size_t total = copse_octree_cells(tree, 0, cells, ROOM);
  const size_t other = copse_octree_cells(fresh, 0, others, ROOM);
  copse_octree_destroy(fresh);
  return lacking || (total == other &&
                     memcmp(cells, others, (total < ROOM ? total : ROOM) * sizeof *cells) == 0);
}

/* ---- Sequences ---- */

#define MUST(condition, what)                                                                      \
  do {                                                                                             \
    if (!(condition)) return what;                                                                 \
  } while (0)

static inline void next_box(input *in, uint32_t dim, float *box) {
  const bool point = next_byte(in) % 4 == 0;
  for (uint32_t axis = 0; axis < dim; axis++) {
    const float a = next_side(in);
    const float b = point               ? a
                    : next_byte(in) % 2 ? a + (float)(next_byte(in) % 16) / 8
                                        : next_side(in);
    box[axis] = a < b ? a : b;
    box[dim + axis] = a < b ? b : a;
  }
}

static inline bool box_ok(const float *box, uint32_t dim) {
  bool ok = true;
  for (uint32_t axis = 0; axis < dim; axis++)
    ok &= fabsf(box[axis]) <= COPSE_MAX_COORDINATE && box[axis] <= box[dim + axis] &&
          fabsf(box[dim + axis]) <= COPSE_MAX_COORDINATE;
  return ok;
}

static inline const char *ask_boxes(input *in, const copse_octree *tree, const box_list *list) {
  box_question question = {.query = copse_query_default()};
  next_place(in, question.center);
  next_place(in, question.to);
  next_place(in, question.lo);
  next_place(in, question.hi);
  question.radius = next_side(in);
  question.k = next_byte(in) % 20;
  if (next_byte(in) % 2) question.query.mask = next_byte(in) % 8;
  if (next_byte(in) % 2) question.query.exclude = next_byte(in) % BOXES;
  if (next_byte(in) % 2) question.query.maxDistance = next_side(in);
  if (question.query.mask % 3 == 0) question.query.inflate = question.radius / 2;
  const char *wrong = compare_boxes(tree, list, &question);
  bool isValid = question.radius >= 0 && question.query.maxDistance >= 0;
  for (uint32_t axis = 0; axis < list->dimensions; axis++)
    isValid &= question.lo[axis] >= -COPSE_MAX_COORDINATE &&
               question.lo[axis] <= question.hi[axis] && question.hi[axis] <= COPSE_MAX_COORDINATE;
  return wrong || !isValid ? wrong : compare_box_batches(tree, list, &question);
}

/* Saves the tree, restores it, and checks that a snapshot with one wrong bit is refused. */
static inline const char *save_and_restore(input *in, copse_octree *tree, box_list *list) {
  static uint32_t words[4096];
  size_t total;
  MUST(copse_octree_save(tree, words, sizeof words, &total) == COPSE_OK, "save");
  uint8_t *damaged = (uint8_t *)words + next_byte(in) * 16u % total;
  const uint8_t bit = (uint8_t)(1 << next_byte(in) % 8);
  *damaged ^= bit;
  MUST(copse_octree_restore(tree, words, total, NULL) == COPSE_BAD_SNAPSHOT,
       "a damaged snapshot is refused");
  *damaged ^= bit;
  if (next_byte(in) % 2) copse_octree_clear(tree);
  MUST(copse_octree_restore(tree, words, total, NULL) == COPSE_OK, "restore of a save");
  static uint32_t again[4096];
  size_t other;
  MUST(copse_octree_save(tree, again, sizeof again, &other) == COPSE_OK, "save again");
  MUST(copse_octree_stats(tree).unsplit || (other == total && !memcmp(words, again, total)),
       "a restored tree saves other bytes");
  list->groups = copse_octree_groups(tree);
  return NULL;
}

/* Plays the bytes as a sequence of changes. After each the tree must be valid, agree with the list,
 * and have the cells of a new tree. The allocator's context must be a ledger. Returns what is
 * wrong, or NULL. */
static inline const char *play(const copse_octree_def *options, copse_octree *tree, input in) {
  copse_octree_def def = *options;
  ledger *book = def.allocator.context;
  static box_list list;
  list = (box_list){.dimensions = def.dimensions, .groups = copse_octree_groups(tree)};
  while (in.left) {
    const uint8_t action = next_byte(&in) % 16;
    uint32_t slot = next_byte(&in) % BOXES, given;
    float box[6] = {0};
    copse_status status;
    if (action < 6) { /* add, or add at a slot */
      next_box(&in, def.dimensions, box);
      const bool free = slot < def.capacity && !list.used[slot];
      status =
          action < 4 ? copse_octree_add(tree, box, &given) : copse_octree_add_at(tree, slot, box);
      if (action < 4) {
        uint32_t lowest = 0;
        while (lowest < def.capacity && list.used[lowest]) lowest++;
        MUST(given == (status == COPSE_OK ? lowest : COPSE_NONE), "the lowest free slot");
        slot = lowest;
      }
      MUST((status == COPSE_OK) ==
               (box_ok(box, def.dimensions) && (action < 4 ? slot < def.capacity : free)),
           "add: status");
      if (status == COPSE_OK) {
        list.used[slot] = true;
        memcpy(list.boxes[slot], box, sizeof box);
      }
    } else if (action < 8) {
      status = copse_octree_remove(tree, slot);
      MUST((status == COPSE_OK) == list.used[slot], "remove: status");
      list.used[slot] = false;
    } else if (action < 11) {
      next_box(&in, def.dimensions, box);
      status = copse_octree_move(tree, slot, box);
      MUST((status == COPSE_OK) == (list.used[slot] && box_ok(box, def.dimensions)),
           "move: status");
      if (status == COPSE_OK) memcpy(list.boxes[slot], box, sizeof box);
    } else if (action < 13) { /* move_all: every box, or one in four */
      float *boxes = copse_octree_boxes(tree), sides = 2 * (float)def.dimensions;
      const uint32_t width = (uint32_t)sides;
      bool ok = true;
      for (uint32_t id = 0; id < def.capacity; id++) {
        if (!list.used[id]) continue;
        if (action == 12 || id % 4 == 0) next_box(&in, def.dimensions, boxes + id * width);
        ok &= box_ok(boxes + id * width, def.dimensions);
      }
      MUST((copse_octree_move_all(tree, &given) == COPSE_OK) == ok, "move all: status");
      for (uint32_t id = 0; id < def.capacity; id++) {
        if (!list.used[id]) continue;
        if (ok)
          memcpy(list.boxes[id], boxes + id * width, width * sizeof(float));
        else
          memcpy(boxes + id * width, list.boxes[id], width * sizeof(float));
      }
    } else if (action == 13) {
      if (slot < def.capacity) copse_octree_groups(tree)[slot] = next_byte(&in) % 8;
    } else if (action == 14) {
      const char *wrong = save_and_restore(&in, tree, &list);
      MUST(!wrong, wrong);
    } else if (slot < 4) { /* load a part of the capacity */
      const uint32_t count = slot * def.capacity / 4, width = 2 * def.dimensions;
      float *boxes = copse_octree_boxes(tree);
      bool ok = true;
      for (uint32_t id = 0; id < count; id++) {
        next_box(&in, def.dimensions, boxes + id * width);
        ok &= box_ok(boxes + id * width, def.dimensions);
      }
      MUST((copse_octree_load(tree, count, &given) == COPSE_OK) == ok, "load: status");
      MUST(copse_octree_load(tree, def.capacity + 1, NULL) == COPSE_FULL, "load: too many");
      for (uint32_t id = 0; id < BOXES; id++) {
        if (ok) list.used[id] = id < count;
        if (!list.used[id]) continue;
        if (ok)
          memcpy(list.boxes[id], boxes + id * width, width * sizeof(float));
        else
          memcpy(boxes + id * width, list.boxes[id], width * sizeof(float));
      }
    } else if (slot < 8) {
      copse_octree_clear(tree);
      memset(list.used, 0, sizeof list.used);
    } else if (slot < 16 && def.capacity < BOXES) {
      book->callsLeft = slot % 2 ? 0 : -1;
      status = copse_octree_reserve(tree, BOXES);
      MUST(status == (slot % 2 ? COPSE_OUT_OF_MEMORY : COPSE_OK), "reserve");
      book->callsLeft = -1;
      if (status == COPSE_OK) def.capacity = BOXES;
      list.groups = copse_octree_groups(tree);
    }
    MUST(copse_octree_validate(tree), "validate");
    MUST(cells_as_new(tree, &def, &list), "the cells differ from a new tree's");
    const char *wrong = ask_boxes(&in, tree, &list);
    MUST(!wrong, wrong);
  }
  for (uint32_t slot = 0; slot < def.capacity; slot++) copse_octree_remove(tree, slot);
  const copse_octree_statistics stats = copse_octree_stats(tree);
  MUST(copse_octree_validate(tree) && stats.nodes == 1 && !stats.items, "all removed");

  return NULL;
}

/* Plays the bytes on a new tree; the first two are its options. Returns what is wrong, or NULL. */
static inline const char *play_boxes(const uint8_t *bytes, size_t size) {
  input in = {bytes, size};
  copse_octree_def def = copse_octree_default();
  const uint8_t options = next_byte(&in), more = next_byte(&in);
  static const float looseness[4] = {1, 1.25f, 2, 16};
  def.dimensions = options & 1 ? 3 : 2;
  def.capacity = options & 2 ? 24 : BOXES;
  def.leafSize = options >> 2 & 15;
  def.looseness = looseness[options >> 6];
  def.maxDepth = more % (COPSE_OCTREE_MAX_DEPTH + 1);
  for (uint32_t axis = 0; axis < def.dimensions; axis++) {
    def.bounds[axis] = more & 128 ? next_float(&in) : -8;
    def.bounds[def.dimensions + axis] = more & 128 ? next_float(&in) : 8;
  }
  ledger book = {-1, 0};
  def.allocator = ledger_allocator(&book);
  copse_octree *tree;
  if (copse_octree_create(&def, &tree) != COPSE_OK) return NULL;
  const bool isMeasured = book.bytesHeld == copse_octree_bytes(&def);
  const char *wrong = isMeasured ? play(&def, tree, in) : "bytes";
  static uint32_t words[2048]; /* then restores the same bytes as an untrusted snapshot */
  memcpy(words, bytes, size < sizeof words ? size : sizeof words);
  copse_octree_restore(tree, words, size < sizeof words ? size / 4 * 4 : sizeof words, NULL);
  copse_octree_destroy(tree);
  return !wrong && book.bytesHeld ? "memory is not given back" : wrong;
}

#endif
