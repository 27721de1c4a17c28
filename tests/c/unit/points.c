/* What holds for every index of points. */

#include "../inputs.h"
#include "unit.h"

#include "../../../c/base/select.h"
#include "../../../c/points/agenttree.h"

static copse_points *make(copse_agenttree_def def) {
  copse_points *made;
  CHECK(create_points(&def, tested, &made) == COPSE_OK);
  return made;
}

/* A 2D index over n given points, built. */
static copse_points *built(const float *points, uint32_t n, uint32_t leafSize) {
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = n ? n : 1;
  def.leafSize = leafSize;
  copse_points *at = make(def);
  copse_points_set_slots(at, n);
  memcpy(copse_points_positions(at).axes[0], points, n * 2 * sizeof *points);
  CHECK(copse_points_build(at, NULL) == COPSE_OK);
  CHECK(copse_points_validate(at));
  return at;
}

static bool is_a(const copse_points *at, snapshot_kind kind) { return at->type->kind == kind; }

static uint32_t within_count(copse_points *at, float x, float y, float radius) {
  uint32_t total = COPSE_NONE;
  copse_points_count_within(at, (float[]){x, y, 0}, radius, NULL, &total, NULL);
  return total;
}

/* ---- Definitions and memory ---- */

static void check_refused(const copse_agenttree_def *bad, kind like) {
  copse_points *made = (copse_points *)&made;
  CHECK(create_points(bad, like, &made) == COPSE_INVALID_ARGUMENT);
  CHECK(!made && bytes_of_points(bad, like) == 0);
}

static void test_bad_definitions_are_refused(void) {
  copse_agenttree_def bad[6];
  for (int i = 0; i < 6; i++) bad[i] = copse_agenttree_default();
  bad[0].dimensions = 1;
  bad[1].dimensions = 4;
  bad[2].capacity = 0;
  bad[3].capacity = COPSE_MAX_CAPACITY + 1;
  bad[4].layout = (copse_layout)9;
  bad[5].onNonFinite = (copse_on_non_finite)9;
  for (int i = 0; i < 6; i++) check_refused(&bad[i], tested);
}

static void test_bad_definitions_of_a_tree_are_refused(void) {
  copse_agenttree_def bad[3];
  for (int i = 0; i < 3; i++) bad[i] = copse_agenttree_default();
  bad[0].leafSize = 0;
  bad[1].axis = (copse_axis)9;
  bad[2].split = (copse_split)9;
  for (int i = 0; i < 3; i++) check_refused(&bad[i], (kind){.noun = AGENTTREE});
}

static void test_bad_cell_sizes_are_refused(void) {
  const float bad[] = {0, -0.0f, -1, -1e-45f, NAN, INFINITY, -INFINITY};
  const copse_agenttree_def def = copse_agenttree_default();
  for (int i = 0; i < 7; i++) check_refused(&def, (kind){.noun = GRID, .cellSize = bad[i]});
}

static void test_unknown_builders_are_refused(void) {
  const copse_agenttree_def def = copse_agenttree_default();
  check_refused(&def, (kind){.noun = KDTREE, .builder = (copse_builder)3});
}

static void test_bytes_says_what_creation_takes(void) {
  for (uint32_t leafSize = 1; leafSize < 40; leafSize += 7) {
    ledger book = {-1, 0};
    copse_agenttree_def def = copse_agenttree_default();
    def.leafSize = leafSize;
    def.allocator = ledger_allocator(&book);
    copse_points *at = make(def);
    CHECK(book.bytesHeld == bytes_of_points(&def, tested));
    CHECK(book.bytesHeld == copse_points_stats(at).bytes);
    copse_points_destroy(at);
    CHECK(book.bytesHeld == 0);
  }
}

static void test_at_most_64_bytes_an_agent(void) {
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = 100000;
  CHECK(bytes_of_points(&def, tested) <= 64 * (size_t)def.capacity);
}

static void test_no_frame_allocates(void) {
  enum { N = 200, FRAMES = 10000, K = 4 };
  ledger book = {-1, 0};
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = N;
  def.allocator = ledger_allocator(&book);
  copse_points *at = make(def);
  float *positions = copse_points_positions(at).axes[0];
  for (int i = 0; i < 2 * N; i++) positions[i] = (float)(i * 37 % 101);
  static uint32_t offsets[N], counts[N], ids[N * N];
  static float distances2[N * K];
  static uint32_t words[8 * N];
  static const float SEGMENTS[] = {1, 2, 90, 80, 50, 9, 50, 99};
  const copse_query query = copse_query_default();
  const float *from = SEGMENTS, *to = SEGMENTS + 2;
  book.callsLeft = 0; /* the next would be counted */
  for (uint32_t frame = 0; frame < repeats(FRAMES); frame++) {
    positions[frame % (2 * N)] += (float)(frame % 7) - 3;
    copse_points_set_slots(at, N - frame % 5);
    CHECK(copse_points_build(at, NULL) == COPSE_OK);
    copse_rows rows = {offsets, counts, ids, N * N, 0, false};
    CHECK(copse_points_all_within(at, 8, NULL, NULL, &rows) == COPSE_OK);
    copse_neighbor_rows nearest = {counts, ids, distances2};
    CHECK(copse_points_all_neighbors(at, K, NULL, NULL, &nearest) == COPSE_OK);
    copse_results pairs = {ids, NULL, N * N, 0, 0};
    CHECK(copse_points_pairs(at, 2, NULL, NULL, &pairs) == COPSE_OK);
    CHECK(within_count(at, 50, 50, 200) > 0);
    CHECK(copse_points_within_many(at, SEGMENTS, 4, 9, NULL, &rows) == COPSE_OK);
    CHECK(copse_points_nearest_many(at, SEGMENTS, 4, K, NULL, &nearest) == COPSE_OK);
    CHECK(copse_points_raycast_many(at, SEGMENTS, 2, 1, NULL, &query, ids, distances2) == COPSE_OK);
    copse_results found = {ids, distances2, N, 0, 0};
    copse_hit hit;
    uint32_t one;
    bool any;
    CHECK(copse_points_within(at, from, 20, &query, &found) == COPSE_OK);
    CHECK(copse_points_range(at, from, to, &query, &found) == COPSE_OK);
    CHECK(copse_points_neighbors(at, from, K, &query, &found) == COPSE_OK);
    CHECK(copse_points_cone(at, from, to, 0.5f, 60, &query, &found) == COPSE_OK);
    CHECK(copse_points_nearest(at, from, &query, &one, NULL, NULL) == COPSE_OK);
    CHECK(copse_points_count_within(at, from, 20, &query, &one, NULL) == COPSE_OK);
    CHECK(copse_points_any_within(at, from, 20, &query, &any, NULL) == COPSE_OK);
    CHECK(copse_points_raycast(at, from, to, 1, NULL, &query, &hit, NULL) == COPSE_OK);
    CHECK(copse_points_order(at, &one) && one == copse_points_count(at));
    size_t total;
    CHECK(copse_points_save(at, words, sizeof words, &total, NULL) == COPSE_OK);
    if (frame % 16 == 0) CHECK(copse_points_restore(at, words, total) == COPSE_OK);
  }
  CHECK(book.callsLeft == 0);
  copse_points_destroy(at);
}

static void test_reserve_keeps_buffers_and_the_last_build(void) {
  for (int layout = 0; layout < 2; layout++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = 50;
    def.dimensions = 3;
    def.leafSize = 3;
    def.layout = (copse_layout)layout;
    copse_points *at = make(def);
    copse_points_set_slots(at, 50);
    copse_positions positions = copse_points_positions(at);
    for (uint32_t id = 0; id < 50; id++)
      for (int axis = 0; axis < 3; axis++)
        positions.axes[axis][id * positions.stride] = (float)(id * (uint32_t)(axis + 1));
    copse_points_groups(at)[7] = 6;
    copse_points_build(at, NULL);
    CHECK(copse_points_reserve(at, 20) == COPSE_OK && copse_points_capacity(at) == 50);
    CHECK(copse_points_reserve(at, 500) == COPSE_OK && copse_points_capacity(at) == 500);
    positions = copse_points_positions(at);
    for (uint32_t id = 0; id < 50; id++)
      for (int axis = 0; axis < 3; axis++)
        CHECK(positions.axes[axis][id * positions.stride] == (float)(id * (uint32_t)(axis + 1)));
    CHECK(copse_points_groups(at)[7] == 6 && copse_points_groups(at)[499] == 0);
    CHECK(within_count(at, 0, 0, INFINITY) == 50 && copse_points_validate(at));
    CHECK(copse_points_count(at) == 50 && copse_points_slots(at) == 50);
    CHECK(copse_points_generations(at)[49] == 1 && copse_points_generations(at)[50] == 0);
    CHECK(copse_points_set_slots(at, 500) == COPSE_OK);
    CHECK(copse_points_groups(at)[7] == 6 && copse_points_groups(at)[499] == 1);
    CHECK(copse_points_build(at, NULL) == COPSE_OK && copse_points_validate(at));
    copse_points_destroy(at);
  }
}

/* Arrays by slot of exactly so many entries: what is read beyond them is seen by sanitizers. */
static void test_arrays_by_slot_are_those_of_the_last_build(void) {
  enum { N = 6 };
  static const float points[2 * N] = {0, 0, 1, 0, 2, 0, 3, 0, 9, 0, 9, 9};
  copse_points *at = make(copse_agenttree_default());
  CHECK(copse_points_built(at) == 0);
  copse_points_destroy(at);
  at = built(points, N, 2);
  CHECK(copse_points_reserve(at, 2 * N) == COPSE_OK && copse_points_built(at) == N);
  float *radii = malloc(N * sizeof *radii);
  uint32_t *masks = malloc(N * sizeof *masks), ids[4 * N], offsets[2 * N], counts[2 * N];
  for (uint32_t slot = 0; slot < N; slot++) {
    radii[slot] = 0.5f;
    masks[slot] = slot == 1 ? 0 : COPSE_ALL_GROUPS;
  }
  size_t size;
  uint32_t words[64];
  for (uint32_t step = 0; step < 4; step++) {
    const uint32_t number[] = {N, 2, 0, 2 * N};
    CHECK(copse_points_set_slots(at, number[step]) == COPSE_OK && copse_points_built(at) == N);
    if (step == 2) {
      CHECK(copse_points_save(at, words, sizeof words, &size, NULL) == COPSE_OK);
      CHECK(copse_points_build(at, NULL) == COPSE_OK && copse_points_built(at) == 0);
      CHECK(copse_points_restore(at, words, size) == COPSE_OK && copse_points_built(at) == N);
    }
    copse_results pairs = {ids, NULL, 4 * N, 0, 0};
    CHECK(copse_points_pairs(at, 0, radii, NULL, &pairs) == COPSE_OK && pairs.total == 6);
    copse_rows rows = {offsets, counts, ids, 4 * N, 0, false};
    CHECK(copse_points_all_within(at, 1, NULL, masks, &rows) == COPSE_OK && rows.total == 4);
    CHECK(counts[0] == 1 && counts[1] == 0 && counts[2] == 2 && counts[4] == 0);
    copse_hit hit;
    CHECK(copse_points_raycast(at, (float[]){9, 20}, (float[]){9, 2}, 0.5f, radii, NULL, &hit,
                               NULL) == COPSE_OK &&
          hit.id == 5);
  }
  free(radii);
  free(masks);
  copse_points_destroy(at);
}

static void test_a_count_above_the_capacity_is_full(void) {
  copse_points *at = make(copse_agenttree_default());
  CHECK(copse_points_set_slots(at, 1000) == COPSE_OK);
  CHECK(copse_points_set_slots(at, 1001) == COPSE_FULL);
  CHECK(copse_points_count(at) == 1000);
  float xs[2] = {0}, ys[2] = {0};
  copse_const_positions positions = {{xs, ys, NULL}, 1};
  CHECK(copse_points_build_from(at, &positions, NULL, 1001, NULL) == COPSE_FULL);
  positions.axes[1] = NULL;
  CHECK(copse_points_build_from(at, &positions, NULL, 2, NULL) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_points_count(at) == 1000);
  copse_points_destroy(at);
  copse_points_destroy(NULL);
}

static void test_the_order_has_the_agents_of_the_last_build(void) {
  const float points[] = {3, 0, 1, 0, 2, 0};
  copse_points *at = built(points, 3, 1);
  uint32_t count;
  const uint32_t *order = copse_points_order(at, &count);
  CHECK(count == 3 && order[0] + order[1] + order[2] == 3 && order[0] != order[1]);
  copse_points_groups(at)[order[0]] = 0;
  copse_points_order(at, &count);
  CHECK(count == 3); /* until the next build */
  CHECK(copse_points_build(at, NULL) == COPSE_OK);
  copse_points_order(at, &count);
  CHECK(count == 2);
  copse_points_destroy(at);
}

/* ---- Build ---- */

/* Makes every query. Returns COPSE_OK if all return `expected`, with results that are empty. */
static void check_queries(const copse_points *at, copse_status expected) {
  static const float PLACES[4] = {0, 0, 1, 1};
  const float *from = PLACES, *to = PLACES + 2;
  uint32_t id = 5, count = 5, ids[8], counts[8], offsets[8];
  float distances2[8];
  bool any = true;
  copse_hit hit = {5, 0};
  copse_results found = {ids, distances2, 8, 5, 5};
  copse_rows rows = {offsets, counts, ids, 8, 5, false};
  copse_neighbor_rows nearest = {counts, ids, distances2};
  CHECK(copse_points_within(at, from, 9, NULL, &found) == expected && !found.total);
  CHECK(copse_points_range(at, from, to, NULL, &found) == expected && !found.total);
  CHECK(copse_points_cone(at, from, to, 1, 9, NULL, &found) == expected && !found.total);
  CHECK(copse_points_neighbors(at, from, 2, NULL, &found) == expected && !found.total);
  CHECK(copse_points_nearest(at, from, NULL, &id, NULL, NULL) == expected && id == COPSE_NONE);
  CHECK(copse_points_count_within(at, from, 9, NULL, &count, NULL) == expected && !count);
  CHECK(copse_points_count_range(at, from, to, NULL, &count, NULL) == expected && !count);
  CHECK(copse_points_any_within(at, from, 9, NULL, &any, NULL) == expected && !any);
  CHECK(copse_points_raycast(at, from, to, 9, NULL, NULL, &hit, NULL) == expected);
  CHECK(hit.id == COPSE_NONE && hit.fraction == 1);
  CHECK(copse_points_all_within(at, 9, NULL, NULL, &rows) == expected);
  CHECK(copse_points_within_many(at, from, 2, 9, NULL, &rows) == expected);
  CHECK(copse_points_all_neighbors(at, 2, NULL, NULL, &nearest) == expected);
  CHECK(copse_points_nearest_many(at, from, 2, 2, NULL, &nearest) == expected);
  CHECK(copse_points_pairs(at, 9, NULL, NULL, &found) == expected && !found.total);
  CHECK(copse_points_raycast_many(at, from, 1, 9, NULL, NULL, ids, distances2) == expected);
}

static void test_queries_need_a_build(void) {
  copse_points *at = make(copse_agenttree_default()), *other = make(copse_agenttree_default());
  uint32_t words[64];
  size_t size;
  CHECK(copse_points_set_slots(at, 8) == COPSE_OK && !copse_points_is_built(at));
  check_queries(at, COPSE_NOT_BUILT);
  CHECK(copse_points_validate(at) && copse_points_cells(at, 0, NULL, 0) == 0);
  CHECK(copse_points_save(at, words, sizeof words, &size, NULL) == COPSE_OK);
  CHECK(copse_points_build(other, NULL) == COPSE_OK && copse_points_is_built(other));
  check_queries(other, COPSE_OK); /* a build of nothing is one */
  CHECK(copse_points_reserve(other, 2000) == COPSE_OK);
  check_queries(other, COPSE_OK);
  CHECK(copse_points_restore(other, words, size) == COPSE_OK && copse_points_count(other) == 8);
  check_queries(other, COPSE_NOT_BUILT);
  CHECK(copse_points_validate(other));
  copse_points_destroy(at);
  copse_points_destroy(other);
}

/* ---- Slots ---- */

static void test_agents_come_move_and_go(void) {
  enum { N = 70 };
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = N;
  for (int layout = 0; layout < 2; layout++) {
    def.layout = (copse_layout)layout;
    copse_points *at = make(def);
    const uint32_t *generations = copse_points_generations(at);
    uint32_t *groups = copse_points_groups(at), slot;
    for (uint32_t i = 0; i < N; i++) {
      CHECK(copse_points_add(at, (float[]){(float)i, 1}, &slot) == COPSE_OK && slot == i);
      CHECK(groups[i] == 1 && generations[i] == 1 && copse_points_has(at, i));
      CHECK(copse_points_slots(at) == i + 1 && copse_points_count(at) == i + 1);
    }
    CHECK(copse_points_add(at, (float[]){0, 0}, &slot) == COPSE_FULL && slot == COPSE_NONE);
    CHECK(copse_points_build(at, NULL) == COPSE_OK && within_count(at, 0, 1, 1) == 2);
    groups[41] = 6;
    CHECK(copse_points_remove(at, 41) == COPSE_OK && copse_points_remove(at, 7) == COPSE_OK);
    CHECK(copse_points_remove(at, 7) == COPSE_STALE_SLOT && !copse_points_has(at, 7));
    CHECK(copse_points_remove(at, N) == COPSE_STALE_SLOT && !copse_points_has(at, N));
    CHECK(copse_points_move(at, 7, (float[]){0, 0}) == COPSE_STALE_SLOT);
    CHECK(groups[7] == 0 && groups[41] == 0 && generations[7] == 2 && generations[41] == 2);
    CHECK(copse_points_count(at) == N - 2 && copse_points_slots(at) == N);
    CHECK(within_count(at, 7, 1, 0) == 1); /* until the next build */
    groups[7] = 1;                         /* a free slot stays without */
    CHECK(copse_points_build(at, NULL) == COPSE_OK && groups[7] == 0);
    CHECK(within_count(at, 7, 1, 0) == 0 && within_count(at, 0, 0, INFINITY) == N - 2);
    CHECK(copse_points_add(at, (float[]){NAN, 0}, &slot) == COPSE_NOT_FINITE && slot == COPSE_NONE);
    CHECK(copse_points_add(at, (float[]){-5, 9}, &slot) == COPSE_OK && slot == 7);
    CHECK(copse_points_move(at, 8, (float[]){0, -INFINITY}) == COPSE_NOT_FINITE);
    CHECK(copse_points_move(at, 8, (float[]){-6, 9}) == COPSE_OK);
    CHECK(copse_points_build(at, NULL) == COPSE_OK && within_count(at, -5, 9, 1) == 2);
    CHECK(generations[7] == 3 && groups[7] == 1 &&
          copse_points_add(at, (float[]){1, 1}, &slot) == COPSE_OK && slot == 41 &&
          groups[41] == 1);
    copse_points_destroy(at);
  }
}

static void test_slots_in_bulk(void) {
  copse_points *at = make(copse_agenttree_default());
  const uint32_t *generations = copse_points_generations(at);
  uint32_t *groups = copse_points_groups(at), slot;
  CHECK(copse_points_set_slots(at, 6) == COPSE_OK && copse_points_remove(at, 2) == COPSE_OK);
  groups[3] = 4;
  CHECK(copse_points_set_slots(at, 6) == COPSE_OK && generations[2] == 3 && groups[2] == 1);
  CHECK(generations[3] == 1 && groups[3] == 4 && copse_points_count(at) == 6);
  for (slot = 0; slot < 5; slot++) CHECK(copse_points_remove(at, slot) == COPSE_OK);
  CHECK(copse_points_slots(at) == 6 && copse_points_count(at) == 1);
  CHECK(copse_points_set_slots(at, 1) == COPSE_OK && copse_points_count(at) == 1);
  CHECK(copse_points_has(at, 0) && !copse_points_has(at, 5) && generations[5] == 2 && !groups[5]);
  CHECK(copse_points_slots(at) == 1 && copse_points_set_slots(at, 0) == COPSE_OK);
  CHECK(copse_points_count(at) == 0 && generations[0] == 4 && copse_points_set_slots(at, 7) == 0);
  CHECK(generations[0] == 5 && generations[5] == 3 && generations[6] == 1);
  copse_points_destroy(at);
}

static void test_snapshots_hold_free_slots_and_generations(void) {
  copse_points *at = make(copse_agenttree_default()), *other = make(copse_agenttree_default());
  uint32_t words[128], slot;
  size_t size;
  CHECK(copse_points_set_slots(at, 9) == COPSE_OK && copse_points_set_slots(at, 5) == COPSE_OK);
  CHECK(copse_points_remove(at, 3) == COPSE_OK && copse_points_build(at, NULL) == COPSE_OK);
  CHECK(copse_points_save(at, words, sizeof words, &size, NULL) == COPSE_OK);
  CHECK(copse_points_set_slots(other, 20) == COPSE_OK);
  CHECK(copse_points_restore(other, words, size) == COPSE_OK && copse_points_slots(other) == 5);
  CHECK(copse_points_count(other) == 4 && !copse_points_has(other, 3));
  CHECK(!memcmp(copse_points_generations(at), copse_points_generations(other), 1000 * 4));
  CHECK(copse_points_add(other, (float[]){0, 0}, &slot) == COPSE_OK && slot == 3);
  CHECK(copse_points_add(other, (float[]){0, 0}, &slot) == COPSE_OK && slot == 5);
  CHECK(copse_points_generations(other)[3] == 3 && copse_points_generations(other)[5] == 3);
  copse_points_destroy(at);
  copse_points_destroy(other);
}

static void test_no_agents_and_one_agent(void) {
  const float point[2] = {3, 4};
  copse_points *none = built(point, 0, 4), *one = built(point, 1, 4);
  CHECK(within_count(none, 0, 0, INFINITY) == 0 && copse_points_stats(none).leaves == 0);
  CHECK(within_count(one, 0, 0, 5) == 1 && copse_points_stats(one).leaves == 1);
  CHECK(within_count(one, 0, 0, 4.999f) == 0 && copse_points_stats(one).depth == 0);
  uint32_t id, offset, number;
  float distance2;
  for (uint32_t n = 0; n < 2; n++) {
    copse_points *at = n ? one : none;
    copse_results out = {&id, &distance2, 1, 0, 0};
    CHECK(copse_points_nearest(at, point, NULL, &id, NULL, NULL) == COPSE_OK &&
          id == (n ? 0 : COPSE_NONE));
    CHECK(copse_points_neighbors(at, point, 9, NULL, &out) == COPSE_OK && out.total == n);
    CHECK(copse_points_range(at, point, point, NULL, &out) == COPSE_OK && out.total == n);
    CHECK(copse_points_pairs(at, INFINITY, NULL, NULL, &out) == COPSE_OK && out.total == 0);
    copse_rows rows = {&offset, &number, &id, 1, 0, false};
    CHECK(copse_points_all_within(at, INFINITY, NULL, NULL, &rows) == COPSE_OK && rows.total == 0);
  }
  copse_points_destroy(none);
  copse_points_destroy(one);
}

static void test_coincident_agents_make_one_leaf(void) {
  enum { N = 10000 };
  static float points[2 * N];
  for (int i = 0; i < 2 * N; i++) points[i] = 7;
  copse_points *at = built(points, N, 1);
  CHECK(is_a(at, SNAPSHOT_KDTREE) || copse_points_stats(at).leaves == 1);
  CHECK(within_count(at, 7, 7, 0) == N);
  copse_points_destroy(at);
}

static void test_exponential_spacing_keeps_the_depth_bounded(void) {
  enum { N = 10000 };
  static float points[2 * N];
  for (int i = 0; i < N; i++) {
    points[2 * i] = ldexpf(1 + (float)(i % 64) / 64, i % 240 - 190);
    points[2 * i + 1] = ldexpf(1 + (float)(i % 37) / 37, i % 167 - 120);
  }
  copse_points *at = built(points, N, 1);
  CHECK(copse_points_stats(at).depth < COPSE_MAX_DEPTH);
  CHECK(within_count(at, 0, 0, INFINITY) == N);
  copse_points_destroy(at);
}

/* A middle of two of them is one of them; the sum of the largest is not an accepted coordinate. */
static void test_adjacent_floats_are_told_apart(void) {
  const float begins[] = {1, -1, COPSE_MAX_COORDINATE, -COPSE_MAX_COORDINATE};
  for (int i = 0; i < 4; i++) {
    float points[64], x = begins[i];
    for (int at = 0; at < 32; at++, x = nextafterf(x, 0)) points[2 * at] = points[2 * at + 1] = x;
    copse_points *at = built(points, 32, 1);
    CHECK(!is_a(at, SNAPSHOT_AGENTTREE) || copse_points_stats(at).leaves == 32);
    for (int each = 0; each < 32; each++)
      CHECK(within_count(at, points[2 * each], points[2 * each + 1], 0) == 1);
    copse_points_destroy(at);
    for (int odd = 0; odd < 2; odd++) { /* between two the middle is the even one */
      float two[2 * 16];
      for (int each = 0; each < 32; each++) two[each] = points[2 * (odd + each / 2 % 2)];
      at = built(two, 16, 4); /* so that there is room for nodes without agents */
      CHECK(!is_a(at, SNAPSHOT_AGENTTREE) ||
            (copse_points_stats(at).leaves == 2 && copse_points_stats(at).depth == 1));
      CHECK(within_count(at, two[0], two[1], 0) == 8);
      copse_points_destroy(at);
    }
  }
}

static void test_huge_and_tiny_coordinates(void) {
  const float huge = COPSE_MAX_COORDINATE, tiny = 1e-45f;
  const float points[] = {huge, huge, -huge, -huge, tiny, -tiny, 0, 0, -0.0f, 0};
  copse_points *at = built(points, 5, 1);
  CHECK(within_count(at, 0, 0, 0) == 3); /* the difference squared underflows to 0 */
  CHECK(within_count(at, 0, 0, INFINITY) == 5);
  CHECK(within_count(at, huge, huge, 1e18f) == 1);
  copse_points_destroy(at);
}

/* Coincident where the square of their distance is 0, and nowhere else: nothing is flushed. */
static void test_denormals_are_kept(void) {
  const float least = 1e-45f, small = 1e-20f;
  const float points[] = {0, 0, least, 0, -least, least, small, 0};
  uint32_t id;
  copse_points *at = built(points, 4, 1);
  CHECK(within_count(at, 0, 0, 0) == 3 && within_count(at, least, least, 0) == 3);
  CHECK(within_count(at, 0, 0, 0.9f * small) == 3 && within_count(at, 0, 0, small) == 4);
  for (uint32_t i = 0; i < 4; i++) {
    copse_results out = {&id, NULL, 1, 0, 0};
    CHECK(copse_points_range(at, points + 2 * i, points + 2 * i, NULL, &out) == COPSE_OK);
    CHECK(out.total == 1 && id == i);
  }
  copse_points_destroy(at);
}

static void test_minus_zero_equals_zero(void) {
  const float signs[] = {-0.0f, 0, 0, -0.0f, -0.0f, -0.0f, 0, 0, 1, -0.0f}, plain[10] = {[8] = 1};
  copse_points *at = built(signs, 5, 1), *same = built(plain, 5, 1);
  uint32_t ids[2][5];
  float distances2[2][5];
  for (int sign = 0; sign < 2; sign++) {
    const float center[2] = {sign ? -0.0f : 0, sign ? 0 : -0.0f};
    copse_results a = {ids[0], distances2[0], 5, 0, 0}, b = {ids[1], distances2[1], 5, 0, 0};
    CHECK(copse_points_within(at, center, 0, NULL, &a) == COPSE_OK && a.total == 4);
    CHECK(copse_points_within(same, center, 0, NULL, &b) == COPSE_OK && same_results(&a, &b, true));
    CHECK(copse_points_range(at, center, center, NULL, &a) == COPSE_OK && a.total == 4);
    CHECK(copse_points_neighbors(at, center, 5, NULL, &a) == COPSE_OK && a.total == 5);
    for (uint32_t i = 0; i < 5; i++) CHECK(ids[0][i] == i);
  }
  copse_points_destroy(at);
  copse_points_destroy(same);
}

static void test_a_position_that_is_not_finite_is_named_and_the_last_build_stays(void) {
  const float beyond = nextafterf(COPSE_MAX_COORDINATE, INFINITY);
  const float bad[] = {NAN, INFINITY, -INFINITY, 2e18f, -2e18f, beyond, -beyond};
  for (int i = 0; i < 7; i++) {
    float points[] = {0, 0, 1, 1, 2, 2, 9, 9};
    copse_points *at = built(points, 4, 1);
    copse_positions positions = copse_points_positions(at);
    positions.axes[0][0] = 50;
    positions.axes[1][2 * positions.stride] = positions.axes[0][3 * positions.stride] = bad[i];
    uint32_t firstBad = 0;
    CHECK(copse_points_build(at, &firstBad) == COPSE_NOT_FINITE && firstBad == 2);
    CHECK(within_count(at, 0, 0, 0) == 1 && within_count(at, 0, 0, INFINITY) == 4);
    size_t total;
    firstBad = 0;
    CHECK(copse_points_save(at, NULL, 0, &total, &firstBad) == COPSE_NOT_FINITE);
    CHECK(firstBad == 2);
    copse_points_groups(at)[2] = copse_points_groups(at)[3] =
        0; /* what has no group is not looked at */
    CHECK(copse_points_build(at, &firstBad) == COPSE_OK && firstBad == COPSE_NONE);
    CHECK(within_count(at, 0, 0, INFINITY) == 2);
    copse_points_destroy(at);
  }
}

/* Coordinates may lie anywhere, as far apart as they like. */
static void test_build_from_takes_any_layout(void) {
  enum { N = 9 };
  for (uint32_t dim = 2; dim <= 3; dim++) {
    float floats[5 * N] = {0}, *const x = floats;
    const copse_positions layouts[] = {
        {{x, x + 1, x + 2}, dim},         /* interleaved */
        {{x, x + N, x + 2 * N}, 1},       /* separate */
        {{x + 4, x, x + 2}, 5},           /* of structs */
        {{x + 1, x, x + (dim - 1)}, dim}, /* y, x, … */
    };
    for (int layout = 0; layout < 4; layout++) {
      const copse_positions written = layouts[layout];
      const copse_const_positions given = readable(written);
      for (uint32_t id = 0; id < N; id++)
        for (uint32_t axis = dim; axis-- > 0;)
          written.axes[axis][id * written.stride] = (float)((id * 4 + axis * 3) % 7);
      copse_agenttree_def def = copse_agenttree_default();
      def.dimensions = dim;
      copse_points *at = make(def);
      CHECK(copse_points_build_from(at, &given, NULL, N, NULL) == COPSE_OK &&
            copse_points_validate(at));
      const brute_points brute = {given, NULL, N, dim};
      const asked ask = {.center = {3, 3, 3},
                         .direction = {1},
                         .radius = 2,
                         .halfAngle = 1,
                         .k = 4,
                         .hi = {4, 4, 4},
                         .query = copse_query_default()};
      CHECK(compare_queries(at, &brute, &ask) == NULL);

      /* What is not finite is named, and the last build stays. */
      float *bad = &written.axes[dim - 1][5 * written.stride], good = *bad;
      uint32_t firstBad = 0;
      *bad = NAN;
      CHECK(copse_points_build_from(at, &given, NULL, N, &firstBad) == COPSE_NOT_FINITE);
      CHECK(firstBad == 5 && copse_points_count(at) == N);
      CHECK(copse_points_build_from(at, &given, NULL, N, NULL) == COPSE_NOT_FINITE);
      *bad = good;
      CHECK(compare_queries(at, &brute, &ask) == NULL);
      copse_points_destroy(at);
    }
  }
}

static void test_build_from_skips_without_groups(void) {
  float points[] = {0, 0, NAN, 0, 2, 2};
  copse_agenttree_def def = copse_agenttree_default();
  def.onNonFinite = COPSE_NON_FINITE_SKIP;
  copse_points *at = make(def);
  const copse_const_positions given = interleaved(points, 2), nowhere = {{NULL, NULL, NULL}, 2};
  CHECK(copse_points_build_from(at, &given, NULL, 3, NULL) == COPSE_OK &&
        copse_points_validate(at));
  CHECK(copse_points_stats(at).skipped == 1 && within_count(at, 0, 0, INFINITY) == 2);
  CHECK(copse_points_build_from(at, &nowhere, NULL, 0, NULL) == COPSE_OK &&
        copse_points_count(at) == 0);
  CHECK(within_count(at, 0, 0, INFINITY) == 0);
  copse_points_destroy(at);
}

static void test_skip_leaves_out_and_counts_what_is_not_finite(void) {
  copse_agenttree_def def = copse_agenttree_default();
  def.onNonFinite = COPSE_NON_FINITE_SKIP;
  copse_points *at = make(def);
  copse_points_set_slots(at, 100);
  copse_positions positions = copse_points_positions(at);
  for (uint32_t id = 0; id < 100; id += 3) positions.axes[id % 2][id * positions.stride] = NAN;
  CHECK(copse_points_build(at, NULL) == COPSE_OK && copse_points_validate(at));
  CHECK(copse_points_stats(at).skipped == 34 && copse_points_stats(at).agents == 66);
  CHECK(within_count(at, 0, 0, INFINITY) == 66);
  uint32_t offsets[100], counts[100], ids[100 * 100];
  float distances2[100 * 2];
  copse_rows rows = {offsets, counts, ids, 100 * 100, 0, false};
  CHECK(copse_points_all_within(at, INFINITY, NULL, NULL, &rows) == COPSE_OK &&
        rows.total == 66 * 65);
  for (uint32_t id = 0; id < 100; id++) CHECK(counts[id] == (id % 3 ? 65 : 0));
  copse_neighbor_rows near = {counts, ids, distances2};
  CHECK(copse_points_all_neighbors(at, 2, NULL, NULL, &near) == COPSE_OK);
  for (uint32_t id = 0; id < 100; id++) CHECK(counts[id] == (id % 3 ? 2 : 0));
  copse_results out = {ids, NULL, 100 * 100, 0, 0};
  const float lo[2] = {-INFINITY, -INFINITY}, hi[2] = {INFINITY, INFINITY};
  CHECK(copse_points_pairs(at, INFINITY, NULL, NULL, &out) == COPSE_OK && out.total == 66 * 65);
  CHECK(copse_points_range(at, lo, hi, NULL, &out) == COPSE_OK && out.total == 66);
  uint32_t count;
  const uint32_t *order = copse_points_order(at, &count);
  CHECK(count == 66);
  for (uint32_t i = 0; i < 66; i++) CHECK(order[i] % 3 && ids[i] % 3);
  const copse_const_positions given = readable(positions);
  CHECK(copse_points_build_from(at, &given, NULL, 50, NULL) == COPSE_OK); /* all of group 1 */
  CHECK(copse_points_stats(at).skipped == 17 && within_count(at, 0, 0, INFINITY) == 33);
  CHECK(copse_points_validate(at));
  copse_points_destroy(at);
}

static void test_median_splits_are_balanced(void) {
  enum { N = 4096 };
  static float points[2 * N];
  uint32_t seed = 5;
  for (int i = 0; i < 2 * N; i++) { /* uneven: the product of two */
    float u = (float)(random_word(&seed) >> 8), v = (float)(random_word(&seed) >> 8);
    points[i] = u * v;
  }
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = N;
  def.leafSize = 1;
  def.split = COPSE_SPLIT_MEDIAN;
  for (int axis = 0; axis < 2; axis++) {
    def.axis = (copse_axis)axis;
    copse_points *at = make(def);
    const copse_const_positions given = {{points, points + 1, NULL}, 2};
    CHECK(copse_points_build_from(at, &given, NULL, N, NULL) == COPSE_OK);
    CHECK(copse_points_validate(at) && copse_points_stats(at).depth == 12);
    copse_points_destroy(at);
  }
}

/* Of any set the tree is as deep as it may be, and takes a few times the comparisons of a uniform
 * one: a naive tree takes N for each agent. */
static void check_builds(const copse_agenttree_def *def, double most) {
  enum { N = 10000 };
  static float points[3 * N];
  for (int onAllAxes = 0; onAllAxes < 2; onAllAxes++) {
    uint64_t uniform = 0;
    for (int i = 0; i < INPUTS; i++) {
      const int input = (INPUT_UNIFORM + i) % INPUTS;
      fill_input(points, input, N, def->dimensions, onAllAxes);
      copse_points *at = make(*def);
      const copse_const_positions given = interleaved(points, def->dimensions);
      copse_work = 0;
      CHECK(copse_points_build_from(at, &given, NULL, N, NULL) == COPSE_OK &&
            copse_points_validate(at));
      if (input == INPUT_UNIFORM) uniform = copse_work;
      CHECK((double)copse_work <= most * (double)uniform);
      /* 64 levels of halves at most, then medians. */
      CHECK(copse_points_stats(at).depth <= 64 + 14 && copse_points_stats(at).nodes <= 4 * N + 64);
      uint32_t total;
      copse_points_count_within(at, points, INFINITY, NULL, &total, NULL);
      CHECK(total == N);
      copse_points_destroy(at);
    }
  }
}

static void test_no_set_makes_a_build_deep_or_long(void) {
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = 10000;
  def.leafSize = 1;
  for (def.dimensions = 2; def.dimensions <= 3; def.dimensions++)
    for (int variant = 0; variant < (tested.noun == AGENTTREE ? 4 : 1); variant++) {
      def.axis = (copse_axis)(variant % 2);
      def.split = (copse_split)(variant / 2);
      const bool byHalves = tested.noun == AGENTTREE && def.split == COPSE_SPLIT_MIDPOINT;
      check_builds(&def, byHalves ? 8 : 2);
    }
}

/* Midpoints that peel off one agent at a time would need more nodes than the pool has. */
static void test_the_node_pool_suffices_for_lopsided_sets(void) {
  enum { N = 4000 };
  static float points[2 * N];
  for (uint32_t leafSize = 2; leafSize <= 64; leafSize *= 2) {
    for (int i = 0; i < N; i++) {
      points[2 * i] = ldexpf(1, i % 100 - 60) * (float)(1 + i / 120);
      points[2 * i + 1] = 0;
    }
    copse_points *at = built(points, N, leafSize);
    CHECK(within_count(at, 0, 0, INFINITY) == N);
    copse_points_destroy(at);
  }
}

/* Left of 0 agents at -128, -64, -32 …: peeled off one by one as long as there are nodes, then
 * halved. The others still split between 30 that are near and 10 that are far. */
static void test_halving_some_leaves_nodes_for_the_others(void) {
  enum { LADDER = 60, NEAR = 30, FAR = 10, N = LADDER + NEAR + FAR };
  float points[2 * N] = {0};
  for (int i = 0; i < LADDER; i++) points[2 * i] = -ldexpf(128, -i);
  for (int i = 0; i < NEAR; i++) points[2 * (LADDER + i)] = (float)i / NEAR;
  for (int i = 0; i < FAR; i++) points[2 * (LADDER + NEAR + i)] = 128 - (float)i / FAR;
  copse_points *at = built(points, N, 8);
  float cells[2 * N * 6];
  const size_t floats = copse_points_cells(at, 0, cells, sizeof cells / sizeof *cells);
  bool isHalved = false, isDivided = false;
  for (size_t i = 0; i < floats; i += 6) {
    const float right = cells[i + 2], size = cells[i + 5];
    isHalved |= right < points[2 * LADDER - 2] && size > 1; /* peeling leaves no such range */
    isDivided |= right >= 0 && right <= 1 && size == NEAR;
  }
  CHECK(isHalved && isDivided);
  copse_points_destroy(at);
}

static void test_cells_and_stats_agree(void) {
  enum { N = 200 };
  float points[2 * N];
  uint32_t seed = 1;
  for (int i = 0; i < 2 * N; i++) points[i] = (float)(random_word(&seed) % 1000);
  copse_points *at = built(points, N, 8);
  const copse_points_statistics stats = copse_points_stats(at);
  static float cells[2 * N * 6];
  size_t floats = copse_points_cells(at, 0, cells, sizeof cells / sizeof *cells);
  CHECK(floats == stats.nodes * (size_t)6);
  float agents = 0, deepest = 0;
  for (size_t i = 0; i < floats; i += 6) {
    CHECK(cells[i] <= cells[i + 2] && cells[i + 1] <= cells[i + 3]);
    CHECK(i == 0 ? cells[4] == 0 && cells[5] == N : cells[i + 4] >= 1);
    if (cells[i + 4] > deepest) deepest = cells[i + 4];
    if (cells[i + 5] <= 8) agents += cells[i + 5];
  }
  CHECK(agents == N && (uint32_t)deepest == stats.depth);
  CHECK(stats.nodes == 2 * stats.leaves - 1 && stats.agents == N);
  float one[7] = {0};
  one[6] = 42;
  CHECK(copse_points_cells(at, 0, one, 11) == floats && one[6] == 42 && one[5] == N);
  for (size_t skipped = 0; skipped <= floats; skipped += 6) {
    memset(one, 0, 6 * sizeof *one);
    CHECK(copse_points_cells(at, skipped, one, 6) == floats && one[6] == 42);
    if (skipped < floats) CHECK(memcmp(one, cells + skipped, 6 * sizeof *one) == 0);
  }
  copse_points_destroy(at);
}

/* A word is changed, that is seen, and it is put back. */
static bool is_seen(copse_points *at, void *word, uint32_t value) {
  uint32_t before;
  memcpy(&before, word, sizeof before);
  memcpy(word, &value, sizeof value);
  const bool isValid = copse_points_validate(at);
  memcpy(word, &before, sizeof before);
  return !isValid && copse_points_validate(at);
}

static void test_validate_sees_what_is_counted_wrongly(void) {
  const float points[] = {0, 0, 1, 0, 2, 0, 3, 0};
  copse_points *at = built(points, 4, 1);
  CHECK(is_seen(at, &at->slots, 5));
  CHECK(is_seen(at, &at->builtCount, 5));
  CHECK(is_seen(at, &at->present, 5));
  uint32_t *ids = at->ordered.ids;
  CHECK(is_seen(at, &ids[1], 4));
  CHECK(is_seen(at, &ids[1], ids[2]));
  CHECK(is_seen(at, &ids[1], ids[1] | 1u << 30));
  copse_points_destroy(at);
}

/* Agents at one place are in the order of their ids. Of all sets of ids only 0 … N - 1 is that:
 * those that ascend as well, but repeat an id, are refused because they are no permutation. */
static void test_validate_sees_every_set_of_ids_that_is_no_permutation(void) {
  enum { N = 6 };
  const float points[2 * N] = {0};
  copse_points *at = built(points, N, N);
  uint32_t *ids = at->ordered.ids, wrong = 0;
  for (uint32_t set = 0; set < N * N * N * N * N * N; set++) {
    bool ascends = true;
    for (uint32_t i = 0, rest = set; i < N; i++, rest /= N) {
      ids[i] = rest % N;
      ascends &= ids[i] == i;
    }
    wrong += copse_points_validate(at) != ascends;
    for (uint32_t i = 0, rest = set; i < N; i++, rest /= N) wrong += ids[i] != rest % N;
  }
  CHECK(wrong == 0);
  const uint32_t sums[] = {0, 2, 2, 3, 3, 4, 7, 7}; /* those of 0 … 7, and of their squares */
  copse_points_destroy(at);
  const float more[16] = {0};
  at = built(more, 8, 8);
  memcpy(at->ordered.ids, sums, sizeof sums);
  CHECK(!copse_points_validate(at));
  CHECK(!memcmp(at->ordered.ids, sums, sizeof sums));
  copse_points_destroy(at);
}

static void test_validate_sees_what_is_wrong_in_a_tree(void) {
  const float points[] = {0, 0, 1, 0, 8, 0, 9, 0};
  copse_points *at = built(points, 4, 2);
  struct agenttree *tree = (struct agenttree *)at;
  agenttree_node *root = tree->nodes, *left = root + 1, *right = root + 2;
  CHECK(tree->nodeCount == 3 && left->end == 2);
  CHECK(is_seen(at, &tree->nodeCount, 0));
  left->end = right->begin = 0;
  CHECK(!copse_points_validate(at)); /* nobody on the left */
  left->end = right->begin = 2;
  CHECK(is_seen(at, &tree->nodeCount, 1000));
  CHECK(is_seen(at, &root->begin, 1));
  CHECK(is_seen(at, &root->end, 3));
  CHECK(is_seen(at, &root->right, 1));
  CHECK(is_seen(at, &root->right, 3));
  CHECK(is_seen(at, &root->right, 0)); /* a leaf that is too large */
  CHECK(is_seen(at, &root->axis, 2));
  CHECK(is_seen(at, &root->leftMost, 0));
  CHECK(is_seen(at, &root->rightLeast, 0));
  CHECK(is_seen(at, &root->anyGroups, 3));
  CHECK(is_seen(at, &root->allGroups, 0));
  CHECK(is_seen(at, &left->begin, 1));
  CHECK(is_seen(at, &left->end, 3));
  CHECK(is_seen(at, &right->end, 3));
  CHECK(is_seen(at, &tree->leafSize, 1));
  CHECK(is_seen(at, &tree->bounds[0], 0xbf800000));
  CHECK(is_seen(at, &tree->points.ordered.axes[0][0], 0x3f000000));
  CHECK(is_seen(at, &tree->points.present, 0));

  uint32_t *ids = tree->points.ordered.ids;
  CHECK(ids[0] == 0 && ids[1] == 1);
  ids[0] = 1; /* in a leaf they ascend */
  ids[1] = 0;
  CHECK(!copse_points_validate(at));
  copse_points_destroy(at);

  const float twins[] = {0, 0, 0, 0, 9, 0, 9, 0};
  at = built(twins, 4, 1);
  tree = (struct agenttree *)at;
  CHECK(tree->nodeCount == 3);
  tree->nodes[3] = tree->nodes[2]; /* a leaf more, of agents that one has */
  memcpy(tree->bounds + 12, tree->bounds + 8, 4 * sizeof(float));
  CHECK(is_seen(at, &tree->nodeCount, 4));
  copse_points_destroy(at);
}

/* Agents in a row, of which every node cuts off one: deeper than a search can be. */
static void test_validate_sees_a_tree_that_is_too_deep(void) {
  enum { N = COPSE_MAX_DEPTH + 4 };
  float points[2 * N] = {0};
  for (uint32_t i = 0; i < N; i++) points[2 * i] = (float)i;
  for (uint32_t n = COPSE_MAX_DEPTH - 1; n <= N; n++) {
    copse_points *at = built(points, n, 1);
    struct agenttree *tree = (struct agenttree *)at;
    for (uint32_t i = 0; i < n; i++) {
      const float first = (float)i, last = (float)(n - 1);
      tree->nodes[2 * i] =
          (agenttree_node){i, n, i + 1 < n ? 2 * i + 2 : 0, 1, 1, 0, first, first + 1};
      memcpy(tree->bounds + 8 * i, (float[]){first, 0, last, 0}, 4 * sizeof(float));
      if (i + 1 == n) break;
      tree->nodes[2 * i + 1] = (agenttree_node){i, i + 1, 0, 1, 1, 0, 0, 0};
      memcpy(tree->bounds + 8 * i + 4, (float[]){first, 0, first, 0}, 4 * sizeof(float));
    }
    tree->nodeCount = 2 * n - 1;
    CHECK(copse_points_validate(at) == (n < COPSE_MAX_DEPTH));
    copse_points_destroy(at);
  }
}

/* ---- Queries ---- */

enum {
  WITHIN = 1,
  RANGE = 2,
  CONE = 4,
  NEIGHBORS = 8,
  NEAREST = 16,
  COUNT = 32,
  ANY = 64,
  WITH_RESULTS = WITHIN | RANGE | CONE | NEIGHBORS
};

/* These queries refuse what is asked, by an index and by brute force, and find nothing; all others
 * answer. */
static void check_refusing(copse_points *at, const brute_points *brute, const asked *ask,
                           copse_results out, uint32_t refusing) {
  const float *center = ask->center;
  const copse_query *query = &ask->query;
  uint32_t total = 7, id = 7, visits;
  float distance2;
  bool any = true;
#define CHECK_QUERY(name, call, found)                                                             \
  do {                                                                                             \
    const copse_status status = (call);                                                            \
    CHECK(status == (refusing & (name) ? COPSE_INVALID_ARGUMENT : COPSE_OK));                      \
    CHECK(status == COPSE_OK || !(found));                                                         \
    out.total = 7;                                                                                 \
  } while (0)
  out.total = 7;
  CHECK_QUERY(WITHIN, copse_points_within(at, center, ask->radius, query, &out), out.total);
  CHECK_QUERY(WITHIN, brute_within(brute, center, ask->radius, query, &out), out.total);
  CHECK_QUERY(RANGE, copse_points_range(at, ask->lo, ask->hi, query, &out), out.total);
  CHECK_QUERY(RANGE, brute_range(brute, ask->lo, ask->hi, query, &out), out.total);
  CHECK_QUERY(
      CONE, copse_points_cone(at, center, ask->direction, ask->halfAngle, ask->radius, query, &out),
      out.total);
  CHECK_QUERY(CONE,
              brute_cone(brute, center, ask->direction, ask->halfAngle, ask->radius, query, &out),
              out.total);
  CHECK_QUERY(NEIGHBORS, copse_points_neighbors(at, center, ask->k, query, &out), out.total);
  CHECK_QUERY(NEIGHBORS, brute_neighbors(brute, center, ask->k, query, &out), out.total);
  CHECK_QUERY(NEAREST, copse_points_nearest(at, center, query, &id, &distance2, &visits),
              id != COPSE_NONE);
  CHECK_QUERY(COUNT, copse_points_count_within(at, center, ask->radius, query, &total, &visits),
              total);
  CHECK_QUERY(ANY, copse_points_any_within(at, center, ask->radius, query, &any, &visits), any);
#undef CHECK_QUERY
}

static void test_each_query_refuses_what_it_cannot_use(void) {
  const float points[] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
  for (uint32_t dim = 2; dim <= 3; dim++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.dimensions = dim;
    copse_points *at = make(def);
    const copse_const_positions given = interleaved(points, dim);
    CHECK(copse_points_build_from(at, &given, NULL, 3, NULL) == COPSE_OK);
    const brute_points brute = {given, NULL, 3, dim};
    uint32_t ids[3];
    float distances2[3];
    const copse_results out = {ids, distances2, 3, 0, 0};
    const asked good = {.radius = 1,
                        .direction = {1, 1, 1},
                        .halfAngle = 1,
                        .k = 2,
                        .hi = {1, 1, 1},
                        .query = copse_query_default()};
    check_refusing(at, &brute, &good, out, 0);

    const float places[] = {NAN, INFINITY, -INFINITY, 2e18f, -2e18f};
    for (uint32_t i = 0; i < 5 * dim; i++) {
      asked ask = good;
      ask.center[i % dim] = places[i / dim];
      check_refusing(at, &brute, &ask, out, 127 & ~(uint32_t)RANGE);
    }
    const float lengths[] = {NAN, -1, -1e-45f, -INFINITY};
    for (int i = 0; i < 4; i++) {
      asked ask = good;
      ask.radius = lengths[i];
      check_refusing(at, &brute, &ask, out, WITHIN | CONE | COUNT | ANY);
      ask = good;
      ask.query.maxDistance = lengths[i];
      check_refusing(at, &brute, &ask, out, NEIGHBORS | NEAREST);
      ask = good;
      ask.halfAngle = lengths[i];
      check_refusing(at, &brute, &ask, out, CONE);
    }
    for (uint32_t axis = 0; axis < dim; axis++) {
      asked ask = good;
      ask.lo[axis] = 2;
      check_refusing(at, &brute, &ask, out, RANGE);
      ask.lo[axis] = NAN;
      check_refusing(at, &brute, &ask, out, RANGE);
      ask = good;
      ask.direction[axis] = INFINITY;
      check_refusing(at, &brute, &ask, out, CONE);
      ask.direction[axis] = NAN;
      check_refusing(at, &brute, &ask, out, CONE);
    }
    asked ask = good;
    ask.halfAngle = nextafterf(3.14159274f, 4);
    check_refusing(at, &brute, &ask, out, CONE);
    memset(ask.direction, 0, sizeof ask.direction);
    check_refusing(at, &brute, &ask, out, CONE);

    /* Results: order needs distances, and what is written needs room. */
    ask = good;
    ask.query.sort = COPSE_SORT_DISTANCE;
    check_refusing(at, &brute, &ask, out, RANGE);
    const copse_results idsOnly = {ids, NULL, 3, 0, 0}, nowhere = {NULL, distances2, 3, 0, 0};
    check_refusing(at, &brute, &ask, idsOnly, WITH_RESULTS);
    check_refusing(at, &brute, &good, idsOnly, NEIGHBORS);
    check_refusing(at, &brute, &good, nowhere, WITH_RESULTS);
    const copse_results one = {ids, distances2, 1, 0, 0};
    check_refusing(at, &brute, &good, one, NEIGHBORS);
    copse_points_destroy(at);
  }
}

static void test_what_is_not_asked_for_need_not_be_told(void) {
  const float points[] = {3, 4}, origin[] = {0, 0};
  copse_points *at = built(points, 1, 1);
  uint32_t id = 7, total, visits = 0;
  float distance2 = 7;
  bool any;
  copse_query near = copse_query_default();
  near.maxDistance = 4;
  CHECK(copse_points_nearest(at, origin, NULL, &id, &distance2, &visits) == COPSE_OK);
  CHECK(id == 0 && distance2 == 25 && visits > 0);
  CHECK(copse_points_nearest(at, origin, &near, &id, &distance2, NULL) == COPSE_OK);
  CHECK(id == COPSE_NONE && distance2 == INFINITY);
  CHECK(copse_points_nearest(at, origin, NULL, &id, NULL, NULL) == COPSE_OK && id == 0);
  visits = 0;
  CHECK(copse_points_count_within(at, origin, 5, NULL, &total, &visits) == COPSE_OK);
  CHECK(total == 1 && visits > 0);
  visits = 0;
  CHECK(copse_points_any_within(at, origin, 5, NULL, &any, &visits) == COPSE_OK && any &&
        visits > 0);
  copse_points_destroy(at);
}

static void test_brute_force_stops_at_its_capacity_and_tells_the_total(void) {
  const float points[] = {0, 0, 1, 0, 2, 0}, origin[] = {0, 0}, far[] = {2, 0};
  const brute_points brute = {interleaved(points, 2), NULL, 3, 2};
  uint32_t ids[3] = {9, 9, 9};
  copse_results out = {ids, NULL, 2, 0, 0};
  CHECK(brute_within(&brute, origin, 2, NULL, &out) == COPSE_OK);
  CHECK(out.total == 3 && ids[0] == 0 && ids[1] == 1 && ids[2] == 9);
  CHECK(brute_range(&brute, origin, far, NULL, &out) == COPSE_OK && out.total == 3);
  CHECK(ids[2] == 9);
}

static void test_cones_as_wide_as_can_be(void) {
  const float pi = 3.14159274f; /* all that is within the radius, also straight behind */
  const float points[] = {-1, 0, -0.999f, 1e-30f, 1, 0, 0, -1, -9, 0}, ahead[] = {1, 0};
  copse_points *at = built(points, 5, 1);
  uint32_t ids[5];
  copse_results out = {ids, NULL, 5, 0, 0};
  const float origin[] = {0, 0};
  CHECK(copse_points_cone(at, origin, ahead, pi, 2, NULL, &out) == COPSE_OK && out.total == 4);
  CHECK(copse_points_cone(at, origin, ahead, 3, 2, NULL, &out) == COPSE_OK);
  CHECK(out.total == 2);
  copse_points_destroy(at);
}

static void test_bad_arguments_are_refused(void) {
  const float points[] = {0, 0, 1, 1};
  copse_points *at = built(points, 2, 1);
  uint32_t ids[4], total;
  float distances2[4], origin[2] = {0, 0}, nan2[2] = {0, NAN}, far2[2] = {2e18f, 0};
  bool any;
  copse_results out = {ids, distances2, 4, 0, 0};
  copse_query query = copse_query_default();
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  CHECK(copse_points_within(at, origin, -1, NULL, &out) == refused);
  CHECK(copse_points_within(at, origin, NAN, NULL, &out) == refused);
  CHECK(copse_points_within(at, nan2, 1, NULL, &out) == refused);
  CHECK(copse_points_within(at, far2, 1, NULL, &out) == refused);
  CHECK(copse_points_count_within(at, origin, -1, NULL, &total, NULL) == refused);
  CHECK(copse_points_any_within(at, nan2, 1, NULL, &any, NULL) == refused && !any);
  CHECK(copse_points_range(at, points + 2, points, NULL, &out) == refused);
  CHECK(copse_points_range(at, nan2, points + 2, NULL, &out) == refused);
  CHECK(copse_points_cone(at, origin, origin, 1, 1, NULL, &out) == refused);
  CHECK(copse_points_cone(at, origin, nan2, 1, 1, NULL, &out) == refused);
  CHECK(copse_points_cone(at, origin, points + 2, 4, 1, NULL, &out) == refused);
  CHECK(copse_points_cone(at, origin, points + 2, -1, 1, NULL, &out) == refused);
  out.distances2 = NULL;
  CHECK(copse_points_neighbors(at, origin, 1, NULL, &out) == refused);
  query.sort = COPSE_SORT_DISTANCE;
  CHECK(copse_points_within(at, origin, 1, &query, &out) == refused);
  CHECK(copse_points_range(at, origin, points + 2, &query, &out) == refused);
  query = copse_query_default();
  query.maxDistance = -1;
  CHECK(copse_points_nearest(at, origin, &query, ids, NULL, NULL) == refused);
  out = (copse_results){ids, distances2, 1, 0, 0};
  CHECK(copse_points_neighbors(at, origin, 2, NULL, &out) == refused);
  out = (copse_results){NULL, NULL, 4, 0, 0};
  CHECK(copse_points_within(at, origin, 1, NULL, &out) == refused);
  copse_points_destroy(at);
}

static void test_a_truncated_result_stops_at_its_capacity_and_tells_the_total(void) {
  enum { N = 37 };
  float points[2 * N] = {0};
  const float ahead[2] = {1, 0};
  copse_points *at = built(points, N, 4);
  for (uint32_t capacity = 0; capacity <= N; capacity++) {
    uint32_t ids[N + 1];
    float distances2[N + 1];
    for (int i = 0; i <= N; i++) ids[i] = 99, distances2[i] = 99;
    copse_results out = {ids, distances2, capacity, 0, 0};
    CHECK(copse_points_within(at, points, 1, NULL, &out) == COPSE_OK && out.total == N);
    CHECK(ids[capacity] == 99 && distances2[capacity] == 99);
    for (uint32_t i = 0; i < capacity; i++) CHECK(ids[i] == i && distances2[i] == 0);
    out.distances2 = NULL;
    for (int query = 0; query < 2; query++) {
      for (int i = 0; i <= N; i++) ids[i] = 99;
      CHECK((query ? copse_points_range(at, points, points, NULL, &out)
                   : copse_points_cone(at, points, ahead, 1, 1, NULL, &out)) == COPSE_OK);
      CHECK(out.total == N && ids[capacity] == 99);
      for (uint32_t i = 0; i < capacity; i++) CHECK(ids[i] == i);
    }
  }
  copse_results nowhere = {NULL, NULL, 0, 0, 0};
  CHECK(copse_points_within(at, points, 1, NULL, &nowhere) == COPSE_OK && nowhere.total == N);
  copse_points_destroy(at);
}

static void test_ties_go_to_the_lower_id(void) {
  const float points[] = {1, 0, -1, 0, 0, 1, 0, -1, 1, 0};
  copse_points *at = built(points, 5, 1);
  uint32_t ids[5];
  float distances2[5], origin[2] = {0, 0};
  copse_results out = {ids, distances2, 5, 0, 0};
  for (uint32_t k = 0; k <= 6; k++) {
    CHECK(copse_points_neighbors(at, origin, k, NULL, &out) == COPSE_OK);
    CHECK(out.total == (k < 5 ? k : 5));
    for (uint32_t i = 0; i < out.total; i++) CHECK(ids[i] == i && distances2[i] == 1);
  }
  copse_query query = copse_query_default();
  query.exclude = 0;
  uint32_t nearest;
  float distance2;
  const copse_status status = copse_points_nearest(at, origin, &query, &nearest, &distance2, NULL);
  CHECK(status == COPSE_OK && nearest == 1 && distance2 == 1);
  query.maxDistance = 0.99f;
  CHECK(copse_points_nearest(at, origin, &query, &nearest, NULL, NULL) == COPSE_OK);
  CHECK(nearest == COPSE_NONE);
  copse_points_destroy(at);
}

static void test_queries_equal_brute_force(void) {
  enum { MOST = 300 };
  uint32_t seed = 2026;
  for (uint32_t round = 0; round < repeats(3000); round++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = MOST;
    def.dimensions = 2 + random_word(&seed) % 2;
    def.leafSize = 1 + random_word(&seed) % 20;
    def.axis = (copse_axis)(random_word(&seed) % 2);
    def.split = (copse_split)(random_word(&seed) % 2);
    def.layout = (copse_layout)(random_word(&seed) % 2);
    copse_points *at = make(def);
    copse_positions positions = copse_points_positions(at);
    /* Few distinct coordinates make many ties and borders. */
    const uint32_t distinct = random_word(&seed) % 2 ? 8 : 1u << 20;
    for (int frame = 0; frame < 3; frame++) {
      const uint32_t n = random_word(&seed) % (round % 10 ? 40 : MOST);
      copse_points_set_slots(at, n);
      for (uint32_t id = 0; id < n; id++) {
        for (uint32_t axis = 0; axis < def.dimensions; axis++)
          positions.axes[axis][id * positions.stride] =
              (float)(random_word(&seed) % distinct) * 8 / (float)distinct - 4;
        copse_points_groups(at)[id] = random_word(&seed) % 5;
      }
      CHECK(copse_points_build(at, NULL) == COPSE_OK && copse_points_validate(at));
      const brute_points brute = {readable(positions), copse_points_groups(at), n, def.dimensions};
      asked ask = {.query = copse_query_default()};
      for (int axis = 0; axis < 3; axis++) {
        ask.center[axis] = (float)(random_word(&seed) % 9) - 4;
        ask.direction[axis] = (float)(random_word(&seed) % 9) - 4;
        ask.lo[axis] = (float)(random_word(&seed) % 9) - 6;
        ask.hi[axis] = ask.lo[axis] + (float)(random_word(&seed) % 6);
      }
      ask.radius = (float)(random_word(&seed) % 16) / 4;
      ask.halfAngle = (float)(random_word(&seed) % 32) / 10;
      ask.k = random_word(&seed) % 12;
      if (random_word(&seed) % 2) ask.query.mask = random_word(&seed) % 8;
      if (random_word(&seed) % 2) ask.query.exclude = random_word(&seed) % MOST;
      if (random_word(&seed) % 2) ask.query.maxDistance = (float)(random_word(&seed) % 12) / 2;
      CHECK(compare_queries(at, &brute, &ask) == NULL);
      uint32_t masks[MOST];
      float radii[MOST];
      for (uint32_t id = 0; id < n; id++) {
        masks[id] = random_word(&seed) % 8;
        radii[id] = (float)(random_word(&seed) % 16) / 8;
      }
      CHECK(compare_batches(at, &brute, &ask, NULL, NULL) == NULL);
      CHECK(compare_batches(at, &brute, &ask, masks, radii) == NULL);
      CHECK(compare_rays(at, &brute, &ask, NULL) == NULL);
      CHECK(compare_rays(at, &brute, &ask, radii) == NULL);
    }
    copse_points_destroy(at);
  }
}

static void test_batches_refuse_bad_arguments(void) {
  const float points[] = {0, 0, 1, 1}, bad[] = {0, NAN}, negative[] = {1, -1};
  copse_points *at = built(points, 2, 1);
  uint32_t offsets[2], counts[2], ids[8];
  float distances2[8];
  copse_rows rows = {offsets, counts, ids, 8, 0, false};
  copse_neighbor_rows near = {counts, ids, distances2};
  copse_results out = {ids, NULL, 8, 0, 0};
  copse_query far = copse_query_default(), sorted = copse_query_default();
  far.maxDistance = NAN;
  sorted.sort = COPSE_SORT_ID;
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  CHECK(copse_points_all_within(at, -1, NULL, NULL, &rows) == refused);
  CHECK(copse_points_all_within(at, 1, &sorted, NULL, &rows) == refused);
  CHECK(copse_points_all_neighbors(at, 1, &far, NULL, &near) == refused);
  CHECK(copse_points_all_neighbors(at, 1, &sorted, NULL, &near) == refused);
  CHECK(copse_points_within_many(at, points, 2, 1, &sorted, &rows) == refused);
  CHECK(copse_points_nearest_many(at, points, 2, 1, &sorted, &near) == refused);
  CHECK(copse_points_pairs(at, 1, NULL, &sorted, &out) == refused);
  CHECK(copse_points_within_many(at, bad, 1, 1, NULL, &rows) == refused);
  CHECK(copse_points_within_many(at, points, 2, NAN, NULL, &rows) == refused);
  CHECK(copse_points_nearest_many(at, bad, 1, 1, NULL, &near) == refused);
  CHECK(copse_points_nearest_many(at, points, 2, 1, &far, &near) == refused);
  CHECK(copse_points_pairs(at, -1, NULL, NULL, &out) == refused);
  CHECK(copse_points_pairs(at, 0, negative, NULL, &out) == refused);
  CHECK(copse_points_pairs(at, 0, bad, NULL, &out) == refused);
  copse_points_destroy(at);
}

/* With any room, whole rows are written while they fit, and the total is told. */
static void test_truncated_rows_are_whole(void) {
  enum { N = 60, ALL = N * (N - 1) };
  float points[2 * N] = {0};
  for (int i = 0; i < N; i++) points[2 * i] = (float)(i / 8);
  copse_points *at = built(points, N, 8);
  static uint32_t ids[ALL + 16], full[ALL + 16];
  uint32_t offsets[N], counts[N], fullOffsets[N], fullCounts[N];
  copse_rows all = {fullOffsets, fullCounts, full, ALL + 16, 0, false};
  CHECK(copse_points_all_within(at, 1, NULL, NULL, &all) == COPSE_OK && !all.truncated);
  for (uint32_t capacity = 0; capacity < all.total + 8; capacity += 7) {
    memset(ids, 0xee, sizeof ids);
    copse_rows rows = {offsets, counts, ids, capacity, 0, false};
    CHECK(copse_points_all_within(at, 1, NULL, NULL, &rows) == COPSE_OK);
    CHECK(rows.total == all.total && rows.truncated == (all.total > capacity));
    CHECK(ids[capacity] == 0xeeeeeeee);
    /* The first that does not fit is where the first row begins that would end too late. */
    uint32_t end = UINT32_MAX;
    for (int i = 0; i < N; i++)
      if (fullOffsets[i] + fullCounts[i] > capacity && fullOffsets[i] < end) end = fullOffsets[i];
    for (int i = 0; i < N; i++) {
      CHECK(counts[i] == (fullOffsets[i] < end ? fullCounts[i] : 0));
      CHECK(memcmp(ids + offsets[i], full + fullOffsets[i], counts[i] * sizeof *ids) == 0);
    }
  }
  for (uint32_t capacity = 0; capacity < 40; capacity++) {
    memset(ids, 0xee, sizeof ids);
    copse_results out = {ids, NULL, capacity, 0, 0};
    CHECK(copse_points_pairs(at, 1, NULL, NULL, &out) == COPSE_OK);
    CHECK(out.total == all.total && ids[capacity & ~1u] == 0xeeeeeeee);
  }
  copse_points_destroy(at);
}

/* More near a leaf than a gathering can hold. */
static void test_batches_of_crowded_agents(void) {
  enum { N = 3000 };
  static float points[2 * N];
  for (int i = 0; i < N; i++) points[2 * i] = (float)(i % 5);
  copse_points *at = built(points, N, 16);
  static uint32_t offsets[N], counts[N], ids[N * 8];
  static float distances2[N * 8];
  copse_neighbor_rows near = {counts, ids, distances2};
  CHECK(copse_points_all_neighbors(at, 8, NULL, NULL, &near) == COPSE_OK);
  for (uint32_t slot = 0; slot < N; slot++) {
    /* The eight lowest of its own place, without itself. */
    CHECK(counts[slot] == 8 && distances2[slot * 8 + 7] == 0);
    for (uint32_t i = 0; i < 8; i++)
      CHECK(ids[slot * 8 + i] == slot % 5 + 5 * (i + (slot / 5 <= i)));
  }
  copse_rows rows = {offsets, counts, ids, 0, 0, false};
  CHECK(copse_points_all_within(at, 0, NULL, NULL, &rows) == COPSE_OK);
  CHECK(rows.total == N * (N / 5 - 1) && rows.truncated);
  copse_results out = {NULL, NULL, 0, 0, 0};
  CHECK(copse_points_pairs(at, 0, NULL, NULL, &out) == COPSE_OK && out.total == rows.total);
  copse_points_destroy(at);
}

/* All are near all: more than a gathering can hold, whatever it is cut into. */
static void test_batches_where_all_are_near(void) {
  enum { MOST = 2500, ROWS = 3 };
  static const struct { uint32_t n, leafSize; } SIZES[] = {{MOST, 16}, {MOST, MOST}, {1500, 1500}};
  static float points[3 * MOST];
  static uint32_t offsets[MOST], counts[MOST], ids[ROWS * MOST];
  for (uint32_t dim = 2; dim <= 3; dim++) {
    for (int size = 0; size < (tested.noun == AGENTTREE ? 3 : 1); size++) {
      const uint32_t n = SIZES[size].n;
      for (uint32_t i = 0; i < n * dim; i++)
        points[i] = (float)(i % dim ? i / dim / 50 : i / dim % 50);
      copse_agenttree_def def = copse_agenttree_default();
      def.dimensions = dim;
      def.capacity = n;
      def.leafSize = SIZES[size].leafSize;
      copse_points *at = make(def);
      const copse_const_positions given = interleaved(points, dim);
      CHECK(copse_points_build_from(at, &given, NULL, n, NULL) == COPSE_OK);
      copse_rows rows = {offsets, counts, ids, ROWS * n, 0, false};
      CHECK(copse_points_all_within(at, 150, NULL, NULL, &rows) == COPSE_OK);
      CHECK(rows.total == n * (n - 1) && rows.truncated);
      uint32_t written = 0;
      for (uint32_t slot = 0; slot < n; slot++) {
        if (!counts[slot]) continue;
        const uint32_t offset = offsets[slot];
        qsort(ids + offset, counts[slot], sizeof *ids, compare_ids);
        CHECK(counts[slot] == n - 1);
        for (uint32_t i = 0; i < n - 1; i++) CHECK(ids[offset + i] == i + (i >= slot));
        written++;
      }
      CHECK(written == ROWS);
      copse_results pairs = {NULL, NULL, 0, 0, 0};
      CHECK(copse_points_pairs(at, 150, NULL, NULL, &pairs) == COPSE_OK);
      CHECK(pairs.total == n * (n - 1));
      copse_points_destroy(at);
    }
  }
}

/* Where agents are far apart, much is gathered; then there are very many. */
static void test_neighbors_where_the_sparse_become_dense(void) {
  enum { N = 4000, SPARSE = 900, K = 6 };
  static float points[3 * N], distances2[N * K];
  static uint32_t counts[N], ids[N * K];
  uint32_t seed = 15;
  for (uint32_t dim = 2; dim <= 3; dim++) {
    for (uint32_t i = 0; i < N; i++)
      for (uint32_t axis = 0; axis < dim; axis++) {
        const float x = (float)(random_word(&seed) % 4096) / 4096;
        points[i * dim + axis] = i < SPARSE ? 1000 * x : 1001 + x;
      }
    copse_agenttree_def def = copse_agenttree_default();
    def.dimensions = dim;
    def.capacity = N;
    copse_points *at = make(def);
    const copse_const_positions given = interleaved(points, dim);
    CHECK(copse_points_build_from(at, &given, NULL, N, NULL) == COPSE_OK);
    copse_neighbor_rows near = {counts, ids, distances2};
    CHECK(copse_points_all_neighbors(at, K, NULL, NULL, &near) == COPSE_OK);
    for (uint32_t slot = 0; slot < N; slot++) {
      uint32_t single[K];
      float single2[K];
      copse_query others = copse_query_default();
      others.exclude = slot;
      copse_results out = {single, single2, K, 0, 0};
      CHECK(copse_points_neighbors(at, points + slot * dim, K, &others, &out) == COPSE_OK);
      CHECK(counts[slot] == K && memcmp(ids + slot * K, single, sizeof single) == 0);
      CHECK(memcmp(distances2 + slot * K, single2, sizeof single2) == 0);
    }
    copse_points_destroy(at);
  }
}

/* Who came after the build has a row, and nobody in it. */
static void test_rows_of_those_who_came_after_the_build(void) {
  const float points[] = {0, 0, 1, 0, 0, 0};
  copse_points *at = built(points, 3, 1);
  CHECK(copse_points_set_slots(at, 2) == COPSE_OK && copse_points_build(at, NULL) == COPSE_OK);
  CHECK(copse_points_set_slots(at, 3) == COPSE_OK);
  uint32_t offsets[3] = {9, 9, 9}, counts[3] = {9, 9, 9}, ids[6];
  float distances2[6];
  copse_rows rows = {offsets, counts, ids, 6, 0, false};
  CHECK(copse_points_all_within(at, 2, NULL, NULL, &rows) == COPSE_OK && rows.total == 2);
  CHECK(counts[0] == 1 && counts[1] == 1 && counts[2] == 0 && offsets[2] == 0);
  copse_neighbor_rows near = {counts, ids, distances2};
  counts[2] = 9;
  CHECK(copse_points_all_neighbors(at, 2, NULL, NULL, &near) == COPSE_OK);
  CHECK(counts[0] == 1 && counts[1] == 1 && counts[2] == 0 && ids[0] == 1 && ids[2] == 0);
  copse_points_destroy(at);
}

/* The neighbors of all agents, counted one pair at a time. */
static void check_counts(copse_points *at, const float *points, uint32_t n, uint32_t dim,
                         float radius) {
  static uint32_t offsets[768], counts[768], ids[768 * 768];
  copse_rows rows = {offsets, counts, ids, 768 * 768, 0, false};
  CHECK(copse_points_all_within(at, radius, NULL, NULL, &rows) == COPSE_OK);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t expected = 0;
    for (uint32_t j = 0; j < n; j++) {
      float d[3] = {0};
      for (uint32_t axis = 0; axis < dim; axis++)
        d[axis] = points[j * dim + axis] - points[i * dim + axis];
      expected += j != i && (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] <= radius * radius;
    }
    CHECK(counts[i] == expected);
  }
}

/* Boxes that end in the middle of a cell, after a batch that left other cells on the stack. */
static void test_agents_where_cells_are_rounded(void) {
  enum { N = 768 };
  static const float boxes[][3] = {
      {40, 40, 0}, {64, 16.5f, 0}, {16.5f, 64, 0}, {40, 40, 9}, {64, 4, 0.5f}};
  for (int b = 0; b < 5; b++) {
    static float points[3 * N];
    uint32_t state = 7, dim = boxes[b][2] > 0 ? 3 : 2;
    for (uint32_t i = 0; i < N * dim; i++) {
      const float side = boxes[b][i % dim];
      const uint32_t word = random_word(&state) >> 8;
      points[i] = word % 9 == 0 ? side : (float)word / 16777216 * side;
      if (i < dim) points[i] = 0;
    }
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = N;
    def.dimensions = dim;
    copse_points *at = make(def);
    copse_points_set_slots(at, N);
    memcpy(copse_points_positions(at).axes[0], points, N * dim * sizeof(float));
    CHECK(copse_points_build(at, NULL) == COPSE_OK);
    check_counts(at, points, N, dim, 0.9f);
    copse_points_destroy(at);
  }
}

static void test_many_points_equal_single_queries(void) {
  enum { N = 500, M = 100 };
  static float points[2 * N], centers[2 * M], distances2[M * N];
  static uint32_t offsets[M], counts[M], ids[M * N];
  uint32_t seed = 4, single[N];
  float single2[N];
  for (int i = 0; i < 2 * N; i++) points[i] = (float)(random_word(&seed) % 100);
  for (int i = 0; i < 2 * M; i++) centers[i] = (float)(random_word(&seed) % 100);
  copse_points *at = built(points, N, 8);
  copse_rows rows = {offsets, counts, ids, M * N, 0, false};
  CHECK(copse_points_within_many(at, centers, M, 10, NULL, &rows) == COPSE_OK);
  for (int i = 0; i < M; i++) {
    copse_results out = {single, single2, N, 0, 0};
    copse_points_within(at, centers + 2 * i, 10, NULL, &out);
    CHECK(counts[i] == out.total);
    CHECK(memcmp(ids + offsets[i], single, out.total * sizeof *ids) == 0);
  }
  /* Most are equal: more than a k-d tree answers at once. One neighbor is sought in a way of its
   * own. */
  for (int i = 2; i < 160; i++) centers[i] = centers[i % 2];
  const uint32_t ks[] = {0, 1, 7, 8, 29};
  for (int which = 0; which < 5; which++) {
    const uint32_t k = ks[which];
    copse_neighbor_rows near = {counts, ids, distances2};
    CHECK(copse_points_nearest_many(at, centers, M, k, NULL, &near) == COPSE_OK);
    for (uint32_t i = 0; i < M; i++) {
      copse_results out = {single, single2, N, 0, 0};
      copse_points_neighbors(at, centers + 2 * i, k, NULL, &out);
      CHECK(counts[i] == k && memcmp(ids + i * k, single, k * sizeof *ids) == 0);
      CHECK(memcmp(distances2 + i * k, single2, k * sizeof *single2) == 0);
    }
  }
  copse_points_destroy(at);
}

/* With a distance, a mask, somebody excluded; among few, and among many. */
static void test_many_points_with_a_query(void) {
  enum { N = 1000, M = 800, MOST_K = 9 };
  static float points[3 * N], centers[3 * M], distances2[M * MOST_K];
  static uint32_t groups[N], counts[M], ids[M * MOST_K];
  uint32_t seed = 16;
  for (uint32_t dim = 2; dim <= 3; dim++) {
    for (uint32_t n = 40; n <= N; n *= 25) {
      for (uint32_t i = 0; i < n * dim; i++) points[i] = (float)(random_word(&seed) % 64);
      for (uint32_t i = 0; i < M * dim; i++) centers[i] = (float)(random_word(&seed) % 80);
      for (uint32_t i = 0; i < n; i++) groups[i] = 1 + random_word(&seed) % 3;
      copse_agenttree_def def = copse_agenttree_default();
      def.dimensions = dim;
      copse_points *at = make(def);
      const copse_const_positions given = interleaved(points, dim);
      CHECK(copse_points_build_from(at, &given, groups, n, NULL) == COPSE_OK);
      for (int which = 0; which < 6; which++) {
        copse_query query = copse_query_default();
        if (which % 3) query.maxDistance = which % 3 == 1 ? 0 : 3;
        if (which >= 3) query.mask = 2;
        if (which == 5) query.exclude = 7;
        for (uint32_t k = 1; k <= MOST_K; k += 8) {
          copse_neighbor_rows near = {counts, ids, distances2};
          CHECK(copse_points_nearest_many(at, centers, M, k, &query, &near) == COPSE_OK);
          for (uint32_t i = 0; i < M; i++) {
            uint32_t single[MOST_K];
            float single2[MOST_K];
            copse_results out = {single, single2, MOST_K, 0, 0};
            CHECK(copse_points_neighbors(at, centers + i * dim, k, &query, &out) == COPSE_OK);
            CHECK(counts[i] == out.total);
            CHECK(memcmp(ids + i * k, single, out.total * sizeof *ids) == 0);
            CHECK(memcmp(distances2 + i * k, single2, out.total * sizeof *single2) == 0);
          }
        }
      }
      copse_points_destroy(at);
    }
  }
}

static copse_hit hit_of(copse_points *at, float x0, float y0, float x1, float y1, float radius) {
  copse_hit hit;
  CHECK(copse_points_raycast(at, (float[]){x0, y0}, (float[]){x1, y1}, radius, NULL, NULL, &hit,
                             NULL) == COPSE_OK);
  return hit;
}

static bool is_hit(copse_hit hit, uint32_t id, float fraction) {
  return hit.id == id && hit.fraction == fraction;
}

static void test_rays_hit_the_first_and_touch(void) {
  const float points[] = {4, 0, 8, 0, 8, 0, 3, 4, -5, 0};
  copse_points *at = built(points, 5, 1);
  CHECK(is_hit(hit_of(at, 0, 0, 16, 0, 1), 0, 3.0f / 16));
  CHECK(is_hit(hit_of(at, 16, 0, 0, 0, 1), 1, 7.0f / 16)); /* of two, the lower id */
  CHECK(is_hit(hit_of(at, 0, 0, 3, 0, 1), 0, 1));          /* touched by the end */
  CHECK(is_hit(hit_of(at, 0, 0, 2.9999f, 0, 1), COPSE_NONE, 1));
  CHECK(is_hit(hit_of(at, 5, 0, 5.5f, 0, 1), 0, 0));       /* touched by the begin, looking away */
  CHECK(is_hit(hit_of(at, 0, 9, 16, 9, 5), 3, 3.0f / 16)); /* grazed */
  CHECK(is_hit(hit_of(at, 0, 9.0001f, 16, 9.0001f, 5), COPSE_NONE, 1));
  CHECK(is_hit(hit_of(at, 0, 0, 0, 0, 5), 0, 0)); /* a point */
  CHECK(is_hit(hit_of(at, 0, 0, 0, 0, 3.9999f), COPSE_NONE, 1));
  CHECK(is_hit(hit_of(at, 6, 8, 0, 0, 0), 3, 0.5f)); /* exactly on the segment */
  CHECK(is_hit(hit_of(at, -9, 1, -8, 1, INFINITY), 0, 0));
  copse_points_destroy(at);
}

static void test_rays_of_any_size(void) {
  const float huge = COPSE_MAX_COORDINATE, tiny = 1e-45f, far = 16777216;
  const float points[] = {huge, huge, -huge, -huge, 0, 0, far, far};
  copse_points *at = built(points, 4, 1);
  CHECK(is_hit(hit_of(at, -huge, huge, huge, -huge, 0), 2, 0.5f));
  CHECK(is_hit(hit_of(at, -huge, -huge, huge, huge, tiny), 1, 0));
  CHECK(is_hit(hit_of(at, 0, huge, huge, huge, 0), 0, 1));
  CHECK(is_hit(hit_of(at, tiny, tiny, -tiny, -tiny, 0), 2, 0.5f));
  CHECK(is_hit(hit_of(at, 2 * tiny, 0, tiny, 0, tiny), 2, 1));
  CHECK(is_hit(hit_of(at, 2 * tiny, tiny, 2 * tiny, -tiny, tiny), COPSE_NONE, 1));
  /* A small agent at a great distance, and one float beside it. */
  CHECK(is_hit(hit_of(at, -far, -far, far, far, 1e-6f), 2, 0.5f));
  CHECK(is_hit(hit_of(at, 0, 2, far, far + 2, 1), COPSE_NONE, 1));
  CHECK(hit_of(at, 0, 2, far, far + 2, 1.5f).id == 3);
  CHECK(is_hit(hit_of(at, 1, 0, 2, 0, 3e38f), 0, 0));
  copse_points_destroy(at);
}

/* Where a fraction of doubles is rounded to before the begin, or past the end. */
static void test_rays_that_just_touch_with_an_end(void) {
  static const struct {
    float from[3], to[3], radius, fraction;
  } CASES[] = {
      {{-0x1.9p+3f, -0x1.77p+4f, 0x1.2e904p-22f},
       {-0x1.98p+3f, -0x1.73p+4f, 0x1.20000ap-1f},
       0x1.a9p+4f,
       0},
      {{-0x1.ep+3f, -0x1.f8p+3f, 0x1.9d97p-23f},
       {-0x1.92p+3f, -0x1.96p+3f, -0x1.87fffep+1f},
       0x1.5cp+4f,
       0},
      {{0x1.c7cp+5f, 0x1.bfp+5f, 0x1.300006p+1f},
       {0x1.b8p+5f, 0x1.cep+5f, 0x1.597acp-21f},
       0x1.3fp+6f,
       1},
      {{0x1.14p+3f, 0x1.188p+3f, 0x1.ed98p-24f},
       {0x1.d4p+2f, 0x1.38p+3f, 0x1.ed98p-24f},
       0x1.86p+3f,
       1},
  };
  copse_agenttree_def def = copse_agenttree_default();
  def.dimensions = 3;
  copse_points *at = make(def);
  copse_points_set_slots(at, 1);
  CHECK(copse_points_build(at, NULL) == COPSE_OK); /* at 0, 0, 0 */
  const brute_points brute = {readable(copse_points_positions(at)), NULL, 1, 3};
  for (int i = 0; i < 4; i++) {
    const float *from = CASES[i].from, *to = CASES[i].to, radius = CASES[i].radius;
    copse_hit hit;
    CHECK(copse_points_raycast(at, from, to, radius, NULL, NULL, &hit, NULL) == COPSE_OK);
    CHECK(is_hit(hit, 0, CASES[i].fraction));
    CHECK(brute_raycast(&brute, from, to, radius, NULL, NULL, &hit) == COPSE_OK);
    CHECK(is_hit(hit, 0, CASES[i].fraction));
  }
  copse_points_destroy(at);
}

static void test_pairs_refuse_any_radius_below_0(void) {
  const float points[] = {2, 0, 4, 0, 6, 0, 8, 0, 10, 0};
  copse_points *at = built(points, 5, 2);
  uint32_t ids[20];
  copse_results pairs = {ids, NULL, 20, 0, 0};
  for (int bad = 0; bad < 5; bad++) {
    float radii[] = {1, 1, 1, 1, 1};
    CHECK(copse_points_pairs(at, 0, radii, NULL, &pairs) == COPSE_OK && pairs.total == 8);
    radii[bad] = bad % 2 ? NAN : -1;
    CHECK(copse_points_pairs(at, 0, radii, NULL, &pairs) == COPSE_INVALID_ARGUMENT);
    CHECK(pairs.total == 0 && pairs.visits == 0);
  }
  copse_points_destroy(at);
}

static void test_rays_with_radii_and_filters(void) {
  const float points[] = {2, 0, 4, 0, 6, 0, 8, 0, 10, 0}, radii[] = {NAN, -1, 0, 9, 1};
  const float from[] = {0, 0.5f}, to[] = {16, 0.5f}, on[] = {16, 0}, origin[] = {0, 0};
  copse_points *at = built(points, 5, 2);
  copse_query query = copse_query_default();
  copse_hit hit;
  uint32_t visits = 0;
  CHECK(copse_points_raycast(at, from, to, 1, radii, NULL, &hit, &visits) == COPSE_OK);
  CHECK(hit.id == 3 && visits > 0); /* of radius 1, the greatest */
  CHECK(copse_points_raycast(at, from, to, 9, radii, NULL, &hit, NULL) == COPSE_OK);
  CHECK(hit.id == 3 && hit.fraction == 0);
  query.exclude = 3;
  CHECK(copse_points_raycast(at, from, to, 9, radii, &query, &hit, NULL) == COPSE_OK);
  CHECK(hit.id == 4);
  CHECK(copse_points_raycast(at, origin, on, 1, radii, &query, &hit, NULL) == COPSE_OK);
  CHECK(is_hit(hit, 0, 0.125f)); /* NaN counts as 0 */
  query.mask = 2;
  CHECK(copse_points_raycast(at, from, to, 9, radii, &query, &hit, NULL) == COPSE_OK);
  CHECK(is_hit(hit, COPSE_NONE, 1));
  const brute_points brute = {interleaved(points, 2), NULL, 5, 2};
  const asked ask = {.lo = {16, 0}, .radius = 1, .query = copse_query_default()};
  CHECK(compare_rays(at, &brute, &ask, radii) == NULL);
  copse_points_destroy(at);
}

static void test_rays_refuse_bad_arguments(void) {
  const float points[] = {0, 0}, good[] = {1, 1, 2, 2}, bad[] = {1, 1, NAN, 0, 2e18f, 0};
  copse_points *at = built(points, 1, 1);
  copse_points *none = built(points, 0, 1);
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  uint32_t id = 7;
  float fraction = 7;
  copse_hit hit = {7, 7};
  CHECK(copse_points_raycast(at, bad, bad + 2, 1, NULL, NULL, &hit, NULL) == refused);
  CHECK(is_hit(hit, COPSE_NONE, 1));
  CHECK(copse_points_raycast(at, bad + 4, bad, 1, NULL, NULL, &hit, NULL) == refused);
  CHECK(copse_points_raycast(at, good, good, NAN, NULL, NULL, &hit, NULL) == refused);
  CHECK(copse_points_raycast(at, good, good, -1, points, NULL, &hit, NULL) == refused);
  const brute_points brute = {interleaved(points, 2), NULL, 1, 2};
  CHECK(brute_raycast(&brute, bad, good, 1, NULL, NULL, &hit) == COPSE_OK);
  CHECK(brute_raycast(&brute, bad + 2, good, 1, NULL, NULL, &hit) == refused);
  CHECK(is_hit(hit, COPSE_NONE, 1));
  CHECK(brute_raycast(&brute, good, bad + 4, 1, NULL, NULL, &hit) == refused);
  CHECK(brute_raycast(&brute, good, good, NAN, NULL, NULL, &hit) == refused);
  CHECK(copse_points_raycast_many(at, bad, 1, 1, NULL, NULL, &id, &fraction) == refused);
  CHECK(copse_points_raycast_many(at, good, 1, -1, NULL, NULL, &id, &fraction) == refused);
  CHECK(id == 7 && fraction == 7);
  CHECK(copse_points_raycast_many(at, NULL, 0, 1, NULL, NULL, NULL, NULL) == COPSE_OK);
  CHECK(is_hit(hit_of(none, 0, 0, 1, 1, INFINITY), COPSE_NONE, 1));
  copse_points_destroy(at);
  copse_points_destroy(none);
}

/* Rays along rows of equal, of neighboring, and of touching agents, of radii that just reach and
 * just do not. */
static void test_rays_on_the_border(void) {
  enum { N = 64 };
  uint32_t seed = 12;
  for (uint32_t round = 0; round < repeats(2000); round++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = N;
    def.leafSize = 1 + random_word(&seed) % 8;
    def.dimensions = 2 + random_word(&seed) % 2;
    copse_points *at = make(def);
    copse_points_set_slots(at, N);
    copse_positions positions = copse_points_positions(at);
    const float scale = ldexpf(1, (int)(random_word(&seed) % 170) - 130);
    const float offset = random_word(&seed) % 2 ? 0 : scale * (float)(random_word(&seed) % 65536);
    for (uint32_t id = 0; id < N; id++)
      for (uint32_t axis = 0; axis < def.dimensions; axis++)
        positions.axes[axis][id * positions.stride] =
            offset + scale * (float)(random_word(&seed) % 9);
    CHECK(copse_points_build(at, NULL) == COPSE_OK);
    const brute_points brute = {readable(positions), NULL, N, def.dimensions};
    asked ask = {.query = copse_query_default()};
    float way2 = 0, radii[N];
    for (uint32_t axis = 0; axis < def.dimensions; axis++) {
      ask.center[axis] = offset + scale * ((float)(random_word(&seed) % 17) - 4);
      ask.lo[axis] = offset + scale * ((float)(random_word(&seed) % 17) - 4);
      const float d = ask.center[axis] - positions.axes[axis][0];
      way2 += d * d;
    }
    ask.radius = random_word(&seed) % 2 ? sqrtf(way2) : scale * (float)(random_word(&seed) % 4);
    const uint32_t nudge = random_word(&seed) % 3;
    if (nudge) ask.radius = nextafterf(ask.radius, nudge == 1 ? INFINITY : 0);
    for (uint32_t id = 0; id < N; id++)
      radii[id] = random_word(&seed) % 2 ? ask.radius : scale * (float)(random_word(&seed) % 3);
    CHECK(compare_rays(at, &brute, &ask, NULL) == NULL);
    CHECK(compare_rays(at, &brute, &ask, radii) == NULL);
    copse_points_destroy(at);
  }
}

/* Visited by every kind of search in 2D and 3D: more would be slower, though the answers are right.
 * Grids have cells that hold an agent or two, share entries, or hold all. Then all of it for
 * the group of one half, which not every index prunes by. */
static void test_searches_visit_no_more_than_they_must(void) {
  enum { N = 2000, SEARCHES = 200, SIDE = 50 };
  static float points[3 * N];
  static uint32_t groups[N], ids[N];
  static float distances2[N];
  uint64_t visited[2][2] = {{0}}; /* of all groups, and of one; in 2D and 3D */
  for (uint32_t dim = 2; dim <= 3; dim++) {
    uint32_t seed = 21;
    for (uint32_t i = 0; i < N * dim; i++)
      points[i] = (float)(random_word(&seed) >> 8) * SIDE / 16777216;
    for (uint32_t i = 0; i < N; i++) groups[i] = points[i * dim] < (float)SIDE / 2 ? 1 : 2;
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = N;
    def.dimensions = dim;
    copse_points *at = make(def);
    const copse_const_positions given = interleaved(points, dim);
    CHECK(copse_points_build_from(at, &given, groups, N, NULL) == COPSE_OK);
    for (uint32_t search = 0; search < 2 * SEARCHES; search++) {
      uint64_t *sum = &visited[search / SEARCHES][dim - 2];
      float center[3], to[3], hi[3];
      for (uint32_t axis = 0; axis < dim; axis++) {
        center[axis] = (float)(random_word(&seed) >> 8) * SIDE / 16777216;
        to[axis] = (float)(random_word(&seed) >> 8) * SIDE / 16777216;
        hi[axis] = center[axis] + 3;
      }
      copse_query query = copse_query_default();
      if (search >= SEARCHES) query.mask = 1 + search % 2;
      copse_results results = {ids, distances2, N, 0, 0};
      copse_hit hit;
      uint32_t visits[4], total;
      bool any;
      copse_points_count_within(at, center, 3, &query, &total, &visits[0]);
      copse_points_any_within(at, center, 1, &query, &any, &visits[1]);
      copse_points_nearest(at, center, &query, &total, NULL, &visits[2]);
      copse_points_raycast(at, center, to, 0.25f, NULL, &query, &hit, &visits[3]);
      for (int i = 0; i < 4; i++) *sum += visits[i];
      copse_points_within(at, center, 3, &query, &results);
      *sum += results.visits;
      copse_points_range(at, center, hi, &query, &results);
      *sum += results.visits;
      copse_points_cone(at, center, to, 0.5f, 6, &query, &results);
      *sum += results.visits;
      copse_points_neighbors(at, center, 8, &query, &results);
      *sum += results.visits;
    }
    copse_points_destroy(at);
  }
  static const uint64_t MEASURED[][2][2] = {{{14893, 17087}, {12693, 15043}},
                                            {{13131, 16191}, {24893, 26870}},
                                            {{10852, 132604}, {32466, 145236}},
                                            {{60911, 61310}, {105880, 61254}},
                                            {{1600, 1600}, {1600, 1600}}};
  const int which = tested.noun == AGENTTREE ? 0
                    : tested.noun == KDTREE  ? 1
                    : tested.cellSize == 1   ? 2
                    : tested.cellSize < 1    ? 3
                                             : 4;
  for (int masked = 0; masked < 2; masked++)
    for (int i = 0; i < 2; i++) {
      const uint64_t sum = visited[masked][i];
      CHECK(sum == MEASURED[which][masked][i]);
    }
}

/* The order must not remember how the index was built before. */
static void test_order_is_a_function_of_the_state(void) {
  enum { N = 500 };
  static float points[2 * N];
  uint32_t seed = 3, kept[N], fresh[N];
  copse_agenttree_def def = copse_agenttree_default();
  for (int combination = 0; combination < 4; combination++) {
    def.axis = (copse_axis)(combination % 2);
    def.split = (copse_split)(combination / 2);
    copse_points *veteran = make(def);
    for (int frame = 0; frame < 20; frame++) {
      const uint32_t n = 1 + random_word(&seed) % N;
      for (uint32_t i = 0; i < 2 * n; i++) points[i] = (float)(random_word(&seed) % 64);
      const copse_const_positions given = {{points, points + 1, NULL}, 2};
      copse_points *novice = make(def);
      CHECK(copse_points_build_from(veteran, &given, NULL, n, NULL) == COPSE_OK);
      CHECK(copse_points_build_from(novice, &given, NULL, n, NULL) == COPSE_OK);
      copse_results a = {kept, NULL, N, 0, 0}, b = {fresh, NULL, N, 0, 0};
      copse_points_within(veteran, points, INFINITY, NULL, &a);
      copse_points_within(novice, points, INFINITY, NULL, &b);
      CHECK(a.total == n && same_results(&a, &b, false));
      copse_points_destroy(novice);
    }
    copse_points_destroy(veteran);
  }
}

/* ---- Snapshots ---- */

static void test_restore_answers_as_what_was_saved(void) {
  for (int layout = 0; layout < 2; layout++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = 64;
    def.leafSize = 2;
    copse_points *at = make(def);
    copse_points_set_slots(at, 40);
    uint32_t seed = 9;
    copse_positions positions = copse_points_positions(at);
    for (uint32_t i = 0; i < 40; i++)
      for (int axis = 0; axis < 2; axis++)
        positions.axes[axis][i * positions.stride] = (float)(random_word(&seed) % 100);
    copse_points_groups(at)[5] = 2;
    copse_points_groups(at)[6] = 0;
    copse_points_build(at, NULL);
    positions.axes[0][0] = 1234; /* moved, but not built yet */
    copse_points_groups(at)[7] = 0;
    copse_points_set_slots(at, 30);

    size_t total, again;
    CHECK(copse_points_save(at, NULL, 0, &total, NULL) == COPSE_FULL && total % 4 == 0);
    uint32_t *bytes = malloc(total);
    CHECK(copse_points_save(at, bytes, total - 1, &again, NULL) == COPSE_FULL && again == total);
    CHECK(copse_points_save(at, bytes, total, &again, NULL) == COPSE_OK);

    def.capacity = 50;
    def.layout = (copse_layout)layout;
    copse_points *other = make(def);
    CHECK(copse_points_restore(other, bytes, total) == COPSE_OK);
    CHECK(copse_points_validate(other) && copse_points_count(other) == 30);
    CHECK(copse_points_positions(other).axes[0][0] == 1234);
    for (int isBuilt = 0; isBuilt < 2; isBuilt++) {
      uint32_t ours[64], theirs[64];
      copse_results a = {ours, NULL, 64, 0, 0}, b = {theirs, NULL, 64, 0, 0};
      copse_points_within(at, (float[]){50, 50}, INFINITY, NULL, &a);
      copse_points_within(other, (float[]){50, 50}, INFINITY, NULL, &b);
      CHECK(a.total == (isBuilt ? 28 : 39) && same_results(&a, &b, false));
      copse_points_build(at, NULL);
      copse_points_build(other, NULL);
    }
    free(bytes);
    copse_points_destroy(at);
    copse_points_destroy(other);
  }
}

static void test_damaged_snapshots_change_nothing(void) {
  const float points[] = {1, 2, 3, 4, 5, 6};
  copse_points *at = built(points, 3, 1);
  uint32_t bytes[128], damaged[128];
  size_t total;
  CHECK(copse_points_save(at, bytes, sizeof bytes, &total, NULL) == COPSE_OK);
  for (size_t bit = 0; bit < total * 8; bit++) {
    memcpy(damaged, bytes, total);
    damaged[bit / 32] ^= 1u << bit % 32;
    CHECK(copse_points_restore(at, damaged, total) == COPSE_BAD_SNAPSHOT);
  }
  for (size_t size = 0; size < total + 16; size++)
    if (size != total) CHECK(copse_points_restore(at, bytes, size) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_points_restore(at, (char *)bytes + 1, total - 4) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_points_validate(at) && within_count(at, 3, 4, 0) == 1);

  copse_points *smaller = built(points, 2, 1);
  CHECK(copse_points_restore(smaller, bytes, total) == COPSE_FULL);
  const kind same = tested;
  tested = (kind){.noun = AGENTTREE};
  copse_points *other = built(points, 3, 2); /* of other leaves */
  tested = same;
  CHECK(copse_points_restore(other, bytes, total) == COPSE_BAD_SNAPSHOT);
  CHECK(within_count(smaller, 3, 4, 0) == 1 && within_count(other, 3, 4, 0) == 1);
  copse_points_destroy(at);
  copse_points_destroy(smaller);
  copse_points_destroy(other);
}

/* What a snapshot says of itself must fit together, and fit the index that takes it. */
static void test_forged_snapshots_change_nothing(void) {
  enum {
    DIMENSIONS = 6,
    ON_NON_FINITE = 10,
    EVER,
    SLOTS,
    IS_BUILT,
    COUNT_BUILT,
    SKIPPED,
    EXTRAS,
    HEAD
  };
  enum { STATE = HEAD + 3 }; /* behind the generations */
  const float points[] = {1, 2, 3, 4, 5, 6};
  const uint32_t nan = 0x7fc00000, kinds[] = {SNAPSHOT_AGENTTREE, SNAPSHOT_GRID, SNAPSHOT_KDTREE};
  for (int skips = 0; skips < 2; skips++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.onNonFinite = (copse_on_non_finite)skips;
    copse_points *at = make(def);
    const copse_const_positions given = interleaved(points, 2);
    CHECK(copse_points_build_from(at, &given, NULL, 3, NULL) == COPSE_OK);
    memcpy(copse_points_positions(at).axes[0], points, sizeof points);
    uint32_t bytes[64], forged[64];
    size_t total;
    CHECK(copse_points_save(at, bytes, sizeof bytes, &total, NULL) == COPSE_OK);
    CHECK(total == 4 * (STATE + 2 * 9) && bytes[SLOTS] == 3 && bytes[COUNT_BUILT] == 3);
    const struct {
      uint32_t word, value;
      bool isTakenBySkipping;
    } cases[] = {
        {DIMENSIONS, 3, false},  {ON_NON_FINITE, !skips, false},
        {SLOTS, 4, false},       {COUNT_BUILT, 2, false},
        {SKIPPED, 4, false},     {SKIPPED, UINT32_MAX, false},
        {SKIPPED, 1, false},     {STATE, nan, true},
        {STATE + 9, nan, false}, {IS_BUILT, 0, false},
        {IS_BUILT, 2, false},    {HEAD, 2, false}, /* a free slot in a group */
        {HEAD + 2, 0, false},    {EVER, 2, false},
        {EXTRAS, 1, false},      {EXTRAS, 4, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      memcpy(forged, bytes, total);
      forged[cases[i].word] = cases[i].value;
      snapshot_seal(forged, total, (snapshot_kind)kinds[tested.noun]);
      const bool taken = skips && cases[i].isTakenBySkipping;
      CHECK(copse_points_restore(at, forged, total) == (taken ? COPSE_OK : COPSE_BAD_SNAPSHOT));
      CHECK(copse_points_validate(at) && copse_points_count(at) == 3 &&
            within_count(at, 3, 4, 0) == 1);
      if (taken) CHECK(copse_points_restore(at, bytes, total) == COPSE_OK);
    }
    /* As many bytes as before: more slots in one state, fewer in the other. */
    copse_agenttree_def smaller = def;
    smaller.capacity = 3;
    copse_points *small = make(smaller);
    memcpy(forged, bytes, total);
    forged[SLOTS] = forged[EVER] = 4;
    forged[COUNT_BUILT] = 2;
    memset(forged + STATE, 0, 2 * 9 * sizeof *forged);
    for (int i = 0; i < 4; i++) forged[HEAD + i] = 1;
    total += 4;
    snapshot_seal(forged, total, (snapshot_kind)kinds[tested.noun]);
    CHECK(copse_points_restore(small, forged, total) == COPSE_FULL &&
          copse_points_count(small) == 0);
    forged[SLOTS] = forged[EVER] = 2;
    forged[COUNT_BUILT] = 4;
    memset(forged + HEAD + 2, 0, 3 * sizeof *forged);
    total -= 8;
    snapshot_seal(forged, total, (snapshot_kind)kinds[tested.noun]);
    CHECK(copse_points_restore(small, forged, total) == COPSE_FULL &&
          copse_points_count(small) == 0);
    CHECK(copse_points_restore(at, forged, total) == COPSE_OK && copse_points_count(at) == 2);
    copse_points_destroy(small);
    copse_points_destroy(at);
  }
}

const unit_test POINTS_TESTS[] = {
    EVERY(test_bad_definitions_are_refused),
    TEST(test_bad_definitions_of_a_tree_are_refused),
    TEST(test_bad_cell_sizes_are_refused),
    TEST(test_unknown_builders_are_refused),
    EVERY(test_bytes_says_what_creation_takes),
    EVERY(test_at_most_64_bytes_an_agent),
    EVERY(test_reserve_keeps_buffers_and_the_last_build),
    EVERY(test_arrays_by_slot_are_those_of_the_last_build),
    EVERY(test_a_count_above_the_capacity_is_full),
    EVERY(test_the_order_has_the_agents_of_the_last_build),
    EVERY(test_queries_need_a_build),
    EVERY(test_agents_come_move_and_go),
    EVERY(test_slots_in_bulk),
    EVERY(test_snapshots_hold_free_slots_and_generations),
    EVERY(test_no_agents_and_one_agent),
    EVERY(test_coincident_agents_make_one_leaf),
    EVERY(test_exponential_spacing_keeps_the_depth_bounded),
    EVERY(test_adjacent_floats_are_told_apart),
    EVERY(test_huge_and_tiny_coordinates),
    EVERY(test_denormals_are_kept),
    EVERY(test_minus_zero_equals_zero),
    EVERY(test_a_position_that_is_not_finite_is_named_and_the_last_build_stays),
    EVERY(test_build_from_takes_any_layout),
    EVERY(test_build_from_skips_without_groups),
    EVERY(test_skip_leaves_out_and_counts_what_is_not_finite),
    EVERY(test_no_set_makes_a_build_deep_or_long),
    TEST(test_median_splits_are_balanced),
    TEST(test_the_node_pool_suffices_for_lopsided_sets),
    TEST(test_halving_some_leaves_nodes_for_the_others),
    TEST(test_cells_and_stats_agree),
    EVERY(test_validate_sees_what_is_counted_wrongly),
    EVERY(test_validate_sees_every_set_of_ids_that_is_no_permutation),
    TEST(test_validate_sees_what_is_wrong_in_a_tree),
    TEST(test_validate_sees_a_tree_that_is_too_deep),
    EVERY(test_each_query_refuses_what_it_cannot_use),
    EVERY(test_what_is_not_asked_for_need_not_be_told),
    TEST(test_brute_force_stops_at_its_capacity_and_tells_the_total),
    EVERY(test_cones_as_wide_as_can_be),
    EVERY(test_bad_arguments_are_refused),
    EVERY(test_a_truncated_result_stops_at_its_capacity_and_tells_the_total),
    EVERY(test_ties_go_to_the_lower_id),
    EVERY(test_queries_equal_brute_force),
    EVERY(test_batches_refuse_bad_arguments),
    EVERY(test_truncated_rows_are_whole),
    EVERY(test_batches_of_crowded_agents),
    EVERY(test_batches_where_all_are_near),
    EVERY(test_neighbors_where_the_sparse_become_dense),
    EVERY(test_rows_of_those_who_came_after_the_build),
    EVERY(test_agents_where_cells_are_rounded),
    EVERY(test_many_points_equal_single_queries),
    EVERY(test_many_points_with_a_query),
    EVERY(test_rays_hit_the_first_and_touch),
    EVERY(test_rays_of_any_size),
    EVERY(test_rays_that_just_touch_with_an_end),
    EVERY(test_pairs_refuse_any_radius_below_0),
    EVERY(test_rays_with_radii_and_filters),
    EVERY(test_rays_refuse_bad_arguments),
    EVERY(test_rays_on_the_border),
    EVERY(test_searches_visit_no_more_than_they_must),
    EVERY(test_order_is_a_function_of_the_state),
    EVERY(test_no_frame_allocates), /* long */
    EVERY(test_restore_answers_as_what_was_saved),
    EVERY(test_damaged_snapshots_change_nothing),
    EVERY(test_forged_snapshots_change_nothing),
    {NULL, NULL, false},
};
