/* What holds for every index of points, and what only agent trees have. */

#include "../inputs.h"
#include "unit.h"

#include "../../../c/base/select.h"
#include "../../../c/points/agenttree.h"

static copse_points *make(copse_agenttree_def def) {
  copse_points *index;
  CHECK(create_points(&def, tested, &index) == COPSE_OK);
  return index;
}

/* Returns a built 2D index of n points. */
static copse_points *built(const float *points, uint32_t n, uint32_t leafSize) {
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = n ? n : 1;
  def.leafSize = leafSize;
  copse_points *index = make(def);
  copse_points_set_slots(index, n);
  memcpy(copse_points_positions(index).axes[0], points, n * 2 * sizeof *points);
  CHECK(copse_points_build(index, NULL) == COPSE_OK);
  CHECK(copse_points_validate(index));
  return index;
}

static bool is_a(const copse_points *index, snapshot_kind kind) {
  return index->type->kind == kind;
}

static uint32_t within_count(copse_points *index, float x, float y, float radius) {
  uint32_t total = COPSE_NONE;
  copse_points_count_within(index, (float[]){x, y, 0}, radius, NULL, &total, NULL);
  return total;
}

/* ---- Definitions and memory ---- */

static void check_refused(const copse_agenttree_def *bad, kind like) {
  copse_points *index = (copse_points *)&index;
  CHECK(create_points(bad, like, &index) == COPSE_INVALID_ARGUMENT);
  CHECK(!index && bytes_of_points(bad, like) == 0);
}

static void test_invalid_definitions_are_refused(void) {
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

static void test_invalid_definitions_of_an_agent_tree_are_refused(void) {
  copse_agenttree_def bad[3];
  for (int i = 0; i < 3; i++) bad[i] = copse_agenttree_default();
  bad[0].leafSize = 0;
  bad[1].axis = (copse_axis)9;
  bad[2].split = (copse_split)9;
  for (int i = 0; i < 3; i++) check_refused(&bad[i], (kind){.noun = AGENTTREE});
}

static void test_invalid_cell_sizes_are_refused(void) {
  const float bad[] = {0, -0.0f, -1, -1e-45f, NAN, INFINITY, -INFINITY};
  const copse_agenttree_def def = copse_agenttree_default();
  for (int i = 0; i < 7; i++) check_refused(&def, (kind){.noun = GRID, .cellSize = bad[i]});
}

static void test_unknown_builders_are_refused(void) {
  const copse_agenttree_def def = copse_agenttree_default();
  check_refused(&def, (kind){.noun = KDTREE, .builder = (copse_builder)3});
}

static void test_bytes_predicts_the_memory_of_a_new_index(void) {
  for (uint32_t leafSize = 1; leafSize < 40; leafSize += 7) {
    ledger book = {-1, 0};
    copse_agenttree_def def = copse_agenttree_default();
    def.leafSize = leafSize;
    def.allocator = ledger_allocator(&book);
    copse_points *index = make(def);
    CHECK(book.bytesHeld == bytes_of_points(&def, tested));
    CHECK(book.bytesHeld == copse_points_stats(index).bytes);
    copse_points_destroy(index);
    CHECK(book.bytesHeld == 0);
  }
}

static void test_an_index_takes_at_most_64_bytes_per_agent(void) {
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
  copse_points *index = make(def);
  float *positions = copse_points_positions(index).axes[0];
  for (int i = 0; i < 2 * N; i++) positions[i] = (float)(i * 37 % 101);
  static uint32_t offsets[N], counts[N], ids[N * N];
  static float distances2[N * K];
  static uint32_t words[8 * N];
  static const float SEGMENTS[] = {1, 2, 90, 80, 50, 9, 50, 99};
  const copse_query query = copse_query_default();
  const float *from = SEGMENTS, *to = SEGMENTS + 2;
  book.callsLeft = 0; /* the next allocation fails, and is counted */
  for (uint32_t frame = 0; frame < repeats(FRAMES); frame++) {
    positions[frame % (2 * N)] += (float)(frame % 7) - 3;
    copse_points_set_slots(index, N - frame % 5);
    CHECK(copse_points_build(index, NULL) == COPSE_OK);
    copse_rows rows = {offsets, counts, ids, N * N, 0, false};
    CHECK(copse_points_all_within(index, 8, NULL, NULL, &rows) == COPSE_OK);
    copse_neighbor_rows nearest = {counts, ids, distances2};
    CHECK(copse_points_all_neighbors(index, K, NULL, NULL, &nearest) == COPSE_OK);
    copse_results pairs = {ids, NULL, N * N, 0, 0};
    CHECK(copse_points_pairs(index, 2, NULL, NULL, &pairs) == COPSE_OK);
    CHECK(within_count(index, 50, 50, 200) > 0);
    CHECK(copse_points_within_many(index, SEGMENTS, 4, 9, NULL, &rows) == COPSE_OK);
    CHECK(copse_points_neighbors_many(index, SEGMENTS, 4, K, NULL, &nearest) == COPSE_OK);
    CHECK(copse_points_raycast_many(index, SEGMENTS, 2, 1, NULL, &query, NULL, ids, distances2) ==
          COPSE_OK);
    copse_results results = {ids, distances2, N, 0, 0};
    copse_hit hit;
    uint32_t one;
    bool any;
    CHECK(copse_points_within(index, from, 20, &query, &results) == COPSE_OK);
    CHECK(copse_points_range(index, from, to, &query, &results) == COPSE_OK);
    CHECK(copse_points_neighbors(index, from, K, &query, &results) == COPSE_OK);
    CHECK(copse_points_cone(index, from, to, 0.5f, 60, &query, &results) == COPSE_OK);
    CHECK(copse_points_nearest(index, from, &query, &one, NULL, NULL) == COPSE_OK);
    CHECK(copse_points_count_within(index, from, 20, &query, &one, NULL) == COPSE_OK);
    CHECK(copse_points_any_within(index, from, 20, &query, &any, NULL) == COPSE_OK);
    CHECK(copse_points_raycast(index, from, to, 1, NULL, &query, &hit, NULL) == COPSE_OK);
    CHECK(copse_points_order(index, &one) && one == copse_points_count(index));
    size_t total;
    CHECK(copse_points_save(index, words, sizeof words, &total, NULL) == COPSE_OK);
    if (frame % 16 == 0) CHECK(copse_points_restore(index, words, total, NULL) == COPSE_OK);
  }
  CHECK(book.callsLeft == 0);
  copse_points_destroy(index);
}

static void test_reserve_keeps_buffers_and_the_last_build(void) {
  for (int layout = 0; layout < 2; layout++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = 50;
    def.dimensions = 3;
    def.leafSize = 3;
    def.layout = (copse_layout)layout;
    copse_points *index = make(def);
    copse_points_set_slots(index, 50);
    copse_positions positions = copse_points_positions(index);
    for (uint32_t id = 0; id < 50; id++)
      for (int axis = 0; axis < 3; axis++)
        positions.axes[axis][id * positions.stride] = (float)(id * (uint32_t)(axis + 1));
    copse_points_groups(index)[7] = 6;
    copse_points_build(index, NULL);
    CHECK(copse_points_reserve(index, 20) == COPSE_OK && copse_points_capacity(index) == 50);
    CHECK(copse_points_reserve(index, 500) == COPSE_OK && copse_points_capacity(index) == 500);
    positions = copse_points_positions(index);
    for (uint32_t id = 0; id < 50; id++)
      for (int axis = 0; axis < 3; axis++)
        CHECK(positions.axes[axis][id * positions.stride] == (float)(id * (uint32_t)(axis + 1)));
    CHECK(copse_points_groups(index)[7] == 6 && copse_points_groups(index)[499] == 0);
    CHECK(within_count(index, 0, 0, INFINITY) == 50 && copse_points_validate(index));
    CHECK(copse_points_count(index) == 50 && copse_points_slots(index) == 50);
    CHECK(copse_points_generations(index)[49] == 1 && copse_points_generations(index)[50] == 0);
    CHECK(copse_points_set_slots(index, 500) == COPSE_OK);
    CHECK(copse_points_groups(index)[7] == 6 && copse_points_groups(index)[499] == 1);
    CHECK(copse_points_build(index, NULL) == COPSE_OK && copse_points_validate(index));
    copse_points_destroy(index);
  }
}

/* Arrays by slot that have exactly the documented length: sanitizers catch reads past their end. */
static void test_arrays_by_slot_are_as_long_as_the_last_build(void) {
  enum { N = 6 };
  static const float points[2 * N] = {0, 0, 1, 0, 2, 0, 3, 0, 9, 0, 9, 9};
  copse_points *index = make(copse_agenttree_default());
  CHECK(copse_points_built(index) == 0);
  copse_points_destroy(index);
  index = built(points, N, 2);
  CHECK(copse_points_reserve(index, 2 * N) == COPSE_OK && copse_points_built(index) == N);
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
    CHECK(copse_points_set_slots(index, number[step]) == COPSE_OK &&
          copse_points_built(index) == N);
    if (step == 2) {
      CHECK(copse_points_save(index, words, sizeof words, &size, NULL) == COPSE_OK);
      CHECK(copse_points_build(index, NULL) == COPSE_OK && copse_points_built(index) == 0);
      CHECK(copse_points_restore(index, words, size, NULL) == COPSE_OK &&
            copse_points_built(index) == N);
    }
    copse_results pairs = {ids, NULL, 4 * N, 0, 0};
    CHECK(copse_points_pairs(index, 0, radii, NULL, &pairs) == COPSE_OK && pairs.total == 6);
    copse_rows rows = {offsets, counts, ids, 4 * N, 0, false};
    CHECK(copse_points_all_within(index, 1, NULL, masks, &rows) == COPSE_OK && rows.total == 4);
    CHECK(counts[0] == 1 && counts[1] == 0 && counts[2] == 2 && counts[4] == 0);
    copse_hit hit;
    CHECK(copse_points_raycast(index, (float[]){9, 20}, (float[]){9, 2}, 0.5f, radii, NULL, &hit,
                               NULL) == COPSE_OK &&
          hit.id == 5);
  }
  free(radii);
  free(masks);
  copse_points_destroy(index);
}

static void test_more_slots_than_the_capacity_are_refused(void) {
  copse_points *index = make(copse_agenttree_default());
  CHECK(copse_points_set_slots(index, 1000) == COPSE_OK);
  CHECK(copse_points_set_slots(index, 1001) == COPSE_FULL);
  CHECK(copse_points_count(index) == 1000);
  static float xs[1001], ys[1001];
  copse_const_positions positions = {{xs, ys, NULL}, 1};
  CHECK(copse_points_build_from(index, &positions, NULL, NULL, 1001, NULL) == COPSE_FULL);
  positions.axes[1] = NULL;
  CHECK(copse_points_build_from(index, &positions, NULL, NULL, 2, NULL) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_points_count(index) == 1000);
  copse_points_destroy(index);
  copse_points_destroy(NULL);
}

static void test_the_order_holds_the_agents_of_the_last_build(void) {
  const float points[] = {3, 0, 1, 0, 2, 0};
  copse_points *index = built(points, 3, 1);
  uint32_t count;
  const uint32_t *order = copse_points_order(index, &count);
  CHECK(count == 3 && order[0] + order[1] + order[2] == 3 && order[0] != order[1]);
  copse_points_groups(index)[order[0]] = 0;
  copse_points_order(index, &count);
  CHECK(count == 3); /* until the next build */
  CHECK(copse_points_build(index, NULL) == COPSE_OK);
  copse_points_order(index, &count);
  CHECK(count == 2);
  copse_points_destroy(index);
}

/* ---- Build ---- */

/* Checks that every query returns `expected`, with empty results. */
static void check_queries(const copse_points *index, copse_status expected) {
  static const float PLACES[4] = {0, 0, 1, 1};
  const float *from = PLACES, *to = PLACES + 2;
  uint32_t id = 5, count = 5, ids[8], counts[8], offsets[8];
  float distances2[8];
  bool any = true;
  copse_hit hit = {5, 0};
  copse_results results = {ids, distances2, 8, 5, 5};
  copse_rows rows = {offsets, counts, ids, 8, 5, false};
  copse_neighbor_rows nearest = {counts, ids, distances2};
  CHECK(copse_points_within(index, from, 9, NULL, &results) == expected && !results.total);
  CHECK(copse_points_range(index, from, to, NULL, &results) == expected && !results.total);
  CHECK(copse_points_cone(index, from, to, 1, 9, NULL, &results) == expected && !results.total);
  if (copse_points_dimensions(index) == 3)
    CHECK(copse_points_frustum(index, from, 1, NULL, &results) == expected && !results.total);
  CHECK(copse_points_neighbors(index, from, 2, NULL, &results) == expected && !results.total);
  CHECK(copse_points_nearest(index, from, NULL, &id, NULL, NULL) == expected && id == COPSE_NONE);
  CHECK(copse_points_count_within(index, from, 9, NULL, &count, NULL) == expected && !count);
  CHECK(copse_points_count_range(index, from, to, NULL, &count, NULL) == expected && !count);
  CHECK(copse_points_any_within(index, from, 9, NULL, &any, NULL) == expected && !any);
  CHECK(copse_points_raycast(index, from, to, 9, NULL, NULL, &hit, NULL) == expected);
  CHECK(hit.id == COPSE_NONE && hit.fraction == 1);
  CHECK(copse_points_all_within(index, 9, NULL, NULL, &rows) == expected);
  CHECK(copse_points_within_many(index, from, 2, 9, NULL, &rows) == expected);
  CHECK(copse_points_range_many(index, (float[4]){0}, 1, NULL, &rows) == expected);
  CHECK(copse_points_all_neighbors(index, 2, NULL, NULL, &nearest) == expected);
  CHECK(copse_points_neighbors_many(index, from, 2, 2, NULL, &nearest) == expected);
  CHECK(copse_points_pairs(index, 9, NULL, NULL, &results) == expected && !results.total);
  CHECK(copse_points_raycast_many(index, from, 1, 9, NULL, NULL, NULL, ids, distances2) ==
        expected);
}

static void test_queries_need_a_build(void) {
  copse_points *index = make(copse_agenttree_default()), *other = make(copse_agenttree_default());
  uint32_t words[64];
  size_t size;
  CHECK(copse_points_set_slots(index, 8) == COPSE_OK && !copse_points_is_built(index));
  check_queries(index, COPSE_NOT_BUILT);
  CHECK(copse_points_validate(index) && copse_points_cells(index, 0, NULL, 0) == 0);
  CHECK(copse_points_save(index, words, sizeof words, &size, NULL) == COPSE_OK);
  CHECK(copse_points_build(other, NULL) == COPSE_OK && copse_points_is_built(other));
  check_queries(other, COPSE_OK); /* an empty build counts */
  CHECK(copse_points_reserve(other, 2000) == COPSE_OK);
  check_queries(other, COPSE_OK);
  CHECK(copse_points_restore(other, words, size, NULL) == COPSE_OK &&
        copse_points_count(other) == 8);
  check_queries(other, COPSE_NOT_BUILT);
  CHECK(copse_points_validate(other));
  copse_points_destroy(index);
  copse_points_destroy(other);
}

/* ---- Slots ---- */

static void test_agents_can_be_added_moved_and_removed(void) {
  enum { N = 70 };
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = N;
  for (int layout = 0; layout < 2; layout++) {
    def.layout = (copse_layout)layout;
    copse_points *index = make(def);
    const uint32_t *generations = copse_points_generations(index);
    uint32_t *groups = copse_points_groups(index), slot;
    for (uint32_t i = 0; i < N; i++) {
      CHECK(copse_points_add(index, (float[]){(float)i, 1}, &slot) == COPSE_OK && slot == i);
      CHECK(groups[i] == 1 && generations[i] == 1 && copse_points_has(index, i));
      CHECK(copse_points_slots(index) == i + 1 && copse_points_count(index) == i + 1);
    }
    CHECK(copse_points_add(index, (float[]){0, 0}, &slot) == COPSE_FULL && slot == COPSE_NONE);
    CHECK(copse_points_build(index, NULL) == COPSE_OK && within_count(index, 0, 1, 1) == 2);
    groups[41] = 6;
    CHECK(copse_points_remove(index, 41) == COPSE_OK && copse_points_remove(index, 7) == COPSE_OK);
    CHECK(copse_points_remove(index, 7) == COPSE_STALE_SLOT && !copse_points_has(index, 7));
    CHECK(copse_points_remove(index, N) == COPSE_STALE_SLOT && !copse_points_has(index, N));
    CHECK(copse_points_move(index, 7, (float[]){0, 0}) == COPSE_STALE_SLOT);
    CHECK(groups[7] == 0 && groups[41] == 0 && generations[7] == 2 && generations[41] == 2);
    CHECK(copse_points_count(index) == N - 2 && copse_points_slots(index) == N);
    CHECK(within_count(index, 7, 1, 0) == 1); /* until the next build */
    groups[7] = 1;                            /* build clears the groups of a free slot */
    CHECK(copse_points_build(index, NULL) == COPSE_OK && groups[7] == 0);
    CHECK(within_count(index, 7, 1, 0) == 0 && within_count(index, 0, 0, INFINITY) == N - 2);
    CHECK(copse_points_add(index, (float[]){NAN, 0}, &slot) == COPSE_NOT_FINITE &&
          slot == COPSE_NONE);
    CHECK(copse_points_add(index, (float[]){-5, 9}, &slot) == COPSE_OK && slot == 7);
    CHECK(copse_points_move(index, 8, (float[]){0, -INFINITY}) == COPSE_NOT_FINITE);
    CHECK(copse_points_move(index, 8, (float[]){-6, 9}) == COPSE_OK);
    CHECK(copse_points_build(index, NULL) == COPSE_OK && within_count(index, -5, 9, 1) == 2);
    CHECK(generations[7] == 3 && groups[7] == 1 &&
          copse_points_add(index, (float[]){1, 1}, &slot) == COPSE_OK && slot == 41 &&
          groups[41] == 1);
    copse_points_destroy(index);
  }
}

static void test_set_slots_adds_and_frees_agents(void) {
  copse_points *index = make(copse_agenttree_default());
  const uint32_t *generations = copse_points_generations(index);
  uint32_t *groups = copse_points_groups(index), slot;
  CHECK(copse_points_set_slots(index, 6) == COPSE_OK && copse_points_remove(index, 2) == COPSE_OK);
  groups[3] = 4;
  CHECK(copse_points_set_slots(index, 6) == COPSE_OK && generations[2] == 3 && groups[2] == 1);
  CHECK(generations[3] == 1 && groups[3] == 4 && copse_points_count(index) == 6);
  for (slot = 0; slot < 5; slot++) CHECK(copse_points_remove(index, slot) == COPSE_OK);
  CHECK(copse_points_slots(index) == 6 && copse_points_count(index) == 1);
  CHECK(copse_points_set_slots(index, 1) == COPSE_OK && copse_points_count(index) == 1);
  CHECK(copse_points_has(index, 0) && !copse_points_has(index, 5) && generations[5] == 2 &&
        !groups[5]);
  CHECK(copse_points_slots(index) == 1 && copse_points_set_slots(index, 0) == COPSE_OK);
  CHECK(copse_points_count(index) == 0 && generations[0] == 4 &&
        copse_points_set_slots(index, 7) == 0);
  CHECK(generations[0] == 5 && generations[5] == 3 && generations[6] == 1);
  copse_points_destroy(index);
}

static void test_snapshots_hold_free_slots_and_generations(void) {
  copse_points *index = make(copse_agenttree_default()), *other = make(copse_agenttree_default());
  uint32_t words[128], slot;
  size_t size;
  CHECK(copse_points_set_slots(index, 9) == COPSE_OK &&
        copse_points_set_slots(index, 5) == COPSE_OK);
  CHECK(copse_points_remove(index, 3) == COPSE_OK && copse_points_build(index, NULL) == COPSE_OK);
  CHECK(copse_points_save(index, words, sizeof words, &size, NULL) == COPSE_OK);
  CHECK(copse_points_set_slots(other, 20) == COPSE_OK);
  CHECK(copse_points_restore(other, words, size, NULL) == COPSE_OK &&
        copse_points_slots(other) == 5);
  CHECK(copse_points_count(other) == 4 && !copse_points_has(other, 3));
  CHECK(!memcmp(copse_points_generations(index), copse_points_generations(other), 1000 * 4));
  CHECK(copse_points_add(other, (float[]){0, 0}, &slot) == COPSE_OK && slot == 3);
  CHECK(copse_points_add(other, (float[]){0, 0}, &slot) == COPSE_OK && slot == 5);
  CHECK(copse_points_generations(other)[3] == 3 && copse_points_generations(other)[5] == 3);
  copse_points_destroy(index);
  copse_points_destroy(other);
}

static void test_indexes_of_no_agent_and_of_one_work(void) {
  const float point[2] = {3, 4};
  copse_points *none = built(point, 0, 4), *one = built(point, 1, 4);
  CHECK(within_count(none, 0, 0, INFINITY) == 0 && copse_points_stats(none).leaves == 0);
  CHECK(within_count(one, 0, 0, 5) == 1 && copse_points_stats(one).leaves == 1);
  CHECK(within_count(one, 0, 0, 4.999f) == 0 && copse_points_stats(one).depth == 0);
  uint32_t id, offset, number;
  float distance2;
  for (uint32_t n = 0; n < 2; n++) {
    copse_points *index = n ? one : none;
    copse_results out = {&id, &distance2, 1, 0, 0};
    CHECK(copse_points_nearest(index, point, NULL, &id, NULL, NULL) == COPSE_OK &&
          id == (n ? 0 : COPSE_NONE));
    CHECK(copse_points_neighbors(index, point, 9, NULL, &out) == COPSE_OK && out.total == n);
    CHECK(copse_points_range(index, point, point, NULL, &out) == COPSE_OK && out.total == n);
    CHECK(copse_points_pairs(index, INFINITY, NULL, NULL, &out) == COPSE_OK && out.total == 0);
    copse_rows rows = {&offset, &number, &id, 1, 0, false};
    CHECK(copse_points_all_within(index, INFINITY, NULL, NULL, &rows) == COPSE_OK &&
          rows.total == 0);
  }
  copse_points_destroy(none);
  copse_points_destroy(one);
}

static void test_coincident_agents_make_one_leaf(void) {
  enum { N = 10000 };
  static float points[2 * N];
  for (int i = 0; i < 2 * N; i++) points[i] = 7;
  copse_points *index = built(points, N, 1);
  CHECK(is_a(index, SNAPSHOT_KDTREE) || copse_points_stats(index).leaves == 1);
  CHECK(within_count(index, 7, 7, 0) == N);
  copse_points_destroy(index);
}

static void test_exponential_spacing_makes_no_deep_tree(void) {
  enum { N = 10000 };
  static float points[2 * N];
  for (int i = 0; i < N; i++) {
    points[2 * i] = ldexpf(1 + (float)(i % 64) / 64, i % 240 - 190);
    points[2 * i + 1] = ldexpf(1 + (float)(i % 37) / 37, i % 167 - 120);
  }
  copse_points *index = built(points, N, 1);
  CHECK(copse_points_stats(index).depth < COPSE_MAX_DEPTH);
  CHECK(within_count(index, 0, 0, INFINITY) == N);
  copse_points_destroy(index);
}

/* The middle of two adjacent floats rounds to one of them. The sum of two of the largest is beyond
 * the accepted coordinates. */
static void test_adjacent_floats_are_distinguished(void) {
  const float begins[] = {1, -1, COPSE_MAX_COORDINATE, -COPSE_MAX_COORDINATE};
  for (int i = 0; i < 4; i++) {
    float points[64], x = begins[i];
    for (int place = 0; place < 32; place++, x = nextafterf(x, 0))
      points[2 * place] = points[2 * place + 1] = x;
    copse_points *index = built(points, 32, 1);
    CHECK(!is_a(index, SNAPSHOT_AGENTTREE) || copse_points_stats(index).leaves == 32);
    for (int each = 0; each < 32; each++)
      CHECK(within_count(index, points[2 * each], points[2 * each + 1], 0) == 1);
    copse_points_destroy(index);
    for (int odd = 0; odd < 2; odd++) { /* the middle of two rounds to the even one */
      float two[2 * 16];
      for (int each = 0; each < 32; each++) two[each] = points[2 * (odd + each / 2 % 2)];
      index = built(two, 16, 4); /* the pool has room for nodes without agents */
      CHECK(!is_a(index, SNAPSHOT_AGENTTREE) ||
            (copse_points_stats(index).leaves == 2 && copse_points_stats(index).depth == 1));
      CHECK(within_count(index, two[0], two[1], 0) == 8);
      copse_points_destroy(index);
    }
  }
}

static void test_huge_and_tiny_coordinates_work(void) {
  const float huge = COPSE_MAX_COORDINATE, tiny = 1e-45f;
  const float points[] = {huge, huge, -huge, -huge, tiny, -tiny, 0, 0, -0.0f, 0};
  copse_points *index = built(points, 5, 1);
  CHECK(within_count(index, 0, 0, 0) == 3); /* the squared difference underflows to 0 */
  CHECK(within_count(index, 0, 0, INFINITY) == 5);
  CHECK(within_count(index, huge, huge, 1e18f) == 1);
  copse_points_destroy(index);
}

/* Agents coincide if their squared distance is 0, and only then: denormals are not flushed. */
static void test_denormals_are_not_flushed_to_zero(void) {
  const float least = 1e-45f, small = 1e-20f;
  const float points[] = {0, 0, least, 0, -least, least, small, 0};
  uint32_t id;
  copse_points *index = built(points, 4, 1);
  CHECK(within_count(index, 0, 0, 0) == 3 && within_count(index, least, least, 0) == 3);
  CHECK(within_count(index, 0, 0, 0.9f * small) == 3 && within_count(index, 0, 0, small) == 4);
  for (uint32_t i = 0; i < 4; i++) {
    copse_results out = {&id, NULL, 1, 0, 0};
    CHECK(copse_points_range(index, points + 2 * i, points + 2 * i, NULL, &out) == COPSE_OK);
    CHECK(out.total == 1 && id == i);
  }
  copse_points_destroy(index);
}

static void test_minus_zero_equals_zero(void) {
  const float signs[] = {-0.0f, 0, 0, -0.0f, -0.0f, -0.0f, 0, 0, 1, -0.0f}, plain[10] = {[8] = 1};
  copse_points *index = built(signs, 5, 1), *same = built(plain, 5, 1);
  uint32_t ids[2][5];
  float distances2[2][5];
  for (int sign = 0; sign < 2; sign++) {
    const float center[2] = {sign ? -0.0f : 0, sign ? 0 : -0.0f};
    copse_results a = {ids[0], distances2[0], 5, 0, 0}, b = {ids[1], distances2[1], 5, 0, 0};
    CHECK(copse_points_within(index, center, 0, NULL, &a) == COPSE_OK && a.total == 4);
    CHECK(copse_points_within(same, center, 0, NULL, &b) == COPSE_OK && same_results(&a, &b, true));
    CHECK(copse_points_range(index, center, center, NULL, &a) == COPSE_OK && a.total == 4);
    CHECK(copse_points_neighbors(index, center, 5, NULL, &a) == COPSE_OK && a.total == 5);
    for (uint32_t i = 0; i < 5; i++) CHECK(ids[0][i] == i);
  }
  copse_points_destroy(index);
  copse_points_destroy(same);
}

static void test_a_position_that_is_not_finite_is_named_and_the_last_build_stays(void) {
  const float beyond = nextafterf(COPSE_MAX_COORDINATE, INFINITY);
  const float bad[] = {NAN, INFINITY, -INFINITY, 2e18f, -2e18f, beyond, -beyond};
  for (int i = 0; i < 7; i++) {
    float points[] = {0, 0, 1, 1, 2, 2, 9, 9};
    copse_points *index = built(points, 4, 1);
    copse_positions positions = copse_points_positions(index);
    positions.axes[0][0] = 50;
    positions.axes[1][2 * positions.stride] = positions.axes[0][3 * positions.stride] = bad[i];
    uint32_t firstBad = 0;
    CHECK(copse_points_build(index, &firstBad) == COPSE_NOT_FINITE && firstBad == 2);
    CHECK(within_count(index, 0, 0, 0) == 1 && within_count(index, 0, 0, INFINITY) == 4);
    size_t total;
    firstBad = 0;
    CHECK(copse_points_save(index, NULL, 0, &total, &firstBad) == COPSE_NOT_FINITE);
    CHECK(firstBad == 2);
    copse_points_groups(index)[2] = copse_points_groups(index)[3] =
        0; /* agents without a group are ignored */
    CHECK(copse_points_build(index, &firstBad) == COPSE_OK && firstBad == COPSE_NONE);
    CHECK(within_count(index, 0, 0, INFINITY) == 2);
    copse_points_destroy(index);
  }
}

/* The axes may be anywhere, with any stride. */
static void test_build_from_takes_any_layout(void) {
  enum { N = 9 };
  for (uint32_t dim = 2; dim <= 3; dim++) {
    float floats[5 * N] = {0}, *const x = floats;
    const copse_positions layouts[] = {
        {{x, x + 1, x + 2}, dim},         /* interleaved */
        {{x, x + N, x + 2 * N}, 1},       /* separate */
        {{x + 4, x, x + 2}, 5},           /* in structs */
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
      copse_points *index = make(def);
      CHECK(copse_points_build_from(index, &given, NULL, NULL, N, NULL) == COPSE_OK &&
            copse_points_validate(index));
      const brute_points brute = {given, NULL, N, dim, NULL};
      const point_question question = {.center = {3, 3, 3},
                                       .direction = {1},
                                       .radius = 2,
                                       .halfAngle = 1,
                                       .k = 4,
                                       .hi = {4, 4, 4},
                                       .query = copse_query_default()};
      CHECK(compare_queries(index, &brute, &question) == NULL);

      /* The first position that is not finite is named, and the last build stays. */
      float *bad = &written.axes[dim - 1][5 * written.stride], good = *bad;
      uint32_t firstBad = 0;
      *bad = NAN;
      CHECK(copse_points_build_from(index, &given, NULL, NULL, N, &firstBad) == COPSE_NOT_FINITE);
      CHECK(firstBad == 5 && copse_points_count(index) == N);
      CHECK(copse_points_build_from(index, &given, NULL, NULL, N, NULL) == COPSE_NOT_FINITE);
      *bad = good;
      CHECK(compare_queries(index, &brute, &question) == NULL);
      copse_points_destroy(index);
    }
  }
}

/* An index without buffers of its own has no slots, less memory, and the same queries. */
static void test_build_from_copies_agents(void) {
  enum { N = 200 };
  static float floats[3 * N];
  static uint32_t groups[N], generations[N];
  uint32_t seed = 3, slot;
  for (uint32_t dim = 2; dim <= 3; dim++)
    for (int layout = 0; layout < 2; layout++) {
      copse_agenttree_def def = copse_agenttree_default();
      def.dimensions = dim;
      def.capacity = N + 1;
      def.leafSize = 4;
      def.layout = (copse_layout)layout;
      copse_points *index = make(def);
      const copse_const_positions given = interleaved(floats, dim);
      const point_question question = {.center = {8, 8, 8},
                                       .direction = {1},
                                       .radius = 5,
                                       .halfAngle = 1,
                                       .k = 9,
                                       .hi = {9, 9, 9},
                                       .query = copse_query_default()};
      for (uint32_t count = N; count > N / 4; count /= 2) {
        uint32_t used = 0, lowest = count;
        for (uint32_t i = 0; i < dim * N; i++) floats[i] = (float)(random_word(&seed) % 16);
        for (uint32_t i = N; i-- > 0;) {
          generations[i] = random_word(&seed) % 8;
          groups[i] = generations[i] & 1 ? random_word(&seed) % 4 : 0;
          if (i >= count) continue;
          used += generations[i] & 1;
          if (!(generations[i] & 1)) lowest = i;
        }
        /* A build that fails changes nothing. */
        const uint32_t bad = count - 1;
        const float last = floats[dim * bad], slots = (float)copse_points_slots(index);
        floats[dim * bad] = INFINITY;
        generations[bad] = groups[bad] = 1;
        CHECK(copse_points_build_from(index, &given, groups, generations, count, &slot) ==
              COPSE_NOT_FINITE);
        CHECK(slot == bad && (float)copse_points_slots(index) == slots);
        floats[dim * bad] = last;
        generations[bad] = 2;
        groups[bad] = 0;
        used = 0;
        for (uint32_t i = 0; i < count; i++) used += generations[i] & 1;
        if (lowest == count) lowest = bad;

        CHECK(copse_points_build_from(index, &given, groups, generations, count, NULL) == COPSE_OK);
        CHECK(copse_points_slots(index) == count && copse_points_count(index) == used);
        CHECK(!memcmp(copse_points_groups(index), groups, count * sizeof *groups));
        CHECK(!memcmp(copse_points_generations(index), generations, count * sizeof *generations));
        for (uint32_t i = count; i < N; i++) CHECK(!copse_points_has(index, i));
        const brute_points brute = {given, groups, count, dim, NULL};
        CHECK(copse_points_validate(index) && !compare_queries(index, &brute, &question));
        /* From now on the agents are the index's own. */
        CHECK(copse_points_build(index, NULL) == COPSE_OK);
        CHECK(copse_points_validate(index) && !compare_queries(index, &brute, &question));
        CHECK(copse_points_add(index, floats, &slot) == COPSE_OK && slot == lowest);
        CHECK(copse_points_generations(index)[slot] == generations[slot] + 1);
        CHECK(copse_points_remove(index, slot) == COPSE_OK);
      }
      copse_points_destroy(index);
    }
}

static void test_build_from_can_skip_agents(void) {
  float points[] = {0, 0, NAN, 0, 2, 2};
  copse_agenttree_def def = copse_agenttree_default();
  def.onNonFinite = COPSE_NON_FINITE_SKIP;
  copse_points *index = make(def);
  const copse_const_positions given = interleaved(points, 2), nowhere = {{NULL, NULL, NULL}, 2};
  CHECK(copse_points_build_from(index, &given, NULL, NULL, 3, NULL) == COPSE_OK &&
        copse_points_validate(index));
  CHECK(copse_points_stats(index).skipped == 1 && within_count(index, 0, 0, INFINITY) == 2);
  CHECK(copse_points_build_from(index, &nowhere, NULL, NULL, 0, NULL) == COPSE_OK &&
        copse_points_count(index) == 0);
  CHECK(within_count(index, 0, 0, INFINITY) == 0);
  copse_points_destroy(index);
}

static void test_skipped_agents_are_counted_and_never_found(void) {
  copse_agenttree_def def = copse_agenttree_default();
  def.onNonFinite = COPSE_NON_FINITE_SKIP;
  copse_points *index = make(def);
  copse_points_set_slots(index, 100);
  copse_positions positions = copse_points_positions(index);
  for (uint32_t id = 0; id < 100; id += 3) positions.axes[id % 2][id * positions.stride] = NAN;
  CHECK(copse_points_build(index, NULL) == COPSE_OK && copse_points_validate(index));
  CHECK(copse_points_stats(index).skipped == 34 && copse_points_stats(index).agents == 66);
  CHECK(within_count(index, 0, 0, INFINITY) == 66);
  uint32_t offsets[100], counts[100], ids[100 * 100];
  float distances2[100 * 2];
  copse_rows rows = {offsets, counts, ids, 100 * 100, 0, false};
  CHECK(copse_points_all_within(index, INFINITY, NULL, NULL, &rows) == COPSE_OK &&
        rows.total == 66 * 65);
  for (uint32_t id = 0; id < 100; id++) CHECK(counts[id] == (id % 3 ? 65 : 0));
  copse_neighbor_rows near = {counts, ids, distances2};
  CHECK(copse_points_all_neighbors(index, 2, NULL, NULL, &near) == COPSE_OK);
  for (uint32_t id = 0; id < 100; id++) CHECK(counts[id] == (id % 3 ? 2 : 0));
  copse_results out = {ids, NULL, 100 * 100, 0, 0};
  const float lo[2] = {-INFINITY, -INFINITY}, hi[2] = {INFINITY, INFINITY};
  CHECK(copse_points_pairs(index, INFINITY, NULL, NULL, &out) == COPSE_OK && out.total == 66 * 65);
  CHECK(copse_points_range(index, lo, hi, NULL, &out) == COPSE_OK && out.total == 66);
  uint32_t count;
  const uint32_t *order = copse_points_order(index, &count);
  CHECK(count == 66);
  for (uint32_t i = 0; i < 66; i++) CHECK(order[i] % 3 && ids[i] % 3);
  const copse_const_positions given = readable(positions);
  CHECK(copse_points_build_from(index, &given, NULL, NULL, 50, NULL) ==
        COPSE_OK); /* all in group 1 */
  CHECK(copse_points_stats(index).skipped == 17 && within_count(index, 0, 0, INFINITY) == 33);
  CHECK(copse_points_validate(index));
  copse_points_destroy(index);
}

static void test_median_splits_are_balanced(void) {
  enum { N = 4096 };
  static float points[2 * N];
  uint32_t seed = 5;
  for (int i = 0; i < 2 * N; i++) { /* uneven: products of two */
    float u = (float)(random_word(&seed) >> 8), v = (float)(random_word(&seed) >> 8);
    points[i] = u * v;
  }
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = N;
  def.leafSize = 1;
  def.split = COPSE_SPLIT_MEDIAN;
  for (int axis = 0; axis < 2; axis++) {
    def.axis = (copse_axis)axis;
    copse_points *index = make(def);
    const copse_const_positions given = {{points, points + 1, NULL}, 2};
    CHECK(copse_points_build_from(index, &given, NULL, NULL, N, NULL) == COPSE_OK);
    CHECK(copse_points_validate(index) && copse_points_stats(index).depth == 12);
    copse_points_destroy(index);
  }
}

/* For every input, the depth stays within its bound, and the work within a few times that of
 * uniform points. (A naive tree needs N comparisons per agent.) */
static void check_builds(const copse_agenttree_def *def, double most) {
  enum { N = 10000 };
  static float points[3 * N];
  for (int onAllAxes = 0; onAllAxes < 2; onAllAxes++) {
    uint64_t uniform = 0;
    for (int i = 0; i < INPUTS; i++) {
      const int input = (INPUT_UNIFORM + i) % INPUTS;
      fill_input(points, input, N, def->dimensions, onAllAxes);
      copse_points *index = make(*def);
      const copse_const_positions given = interleaved(points, def->dimensions);
      copse_work = 0;
      CHECK(copse_points_build_from(index, &given, NULL, NULL, N, NULL) == COPSE_OK &&
            copse_points_validate(index));
      if (input == INPUT_UNIFORM) uniform = copse_work;
      CHECK((double)copse_work <= most * (double)uniform);
      /* At most 64 levels of midpoint splits, then medians. */
      CHECK(copse_points_stats(index).depth <= 64 + 14 &&
            copse_points_stats(index).nodes <= 4 * N + 64);
      uint32_t total;
      copse_points_count_within(index, points, INFINITY, NULL, &total, NULL);
      CHECK(total == N);
      copse_points_destroy(index);
    }
  }
}

static void test_no_input_makes_a_build_deep_or_long(void) {
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = 10000;
  def.leafSize = 1;
  for (def.dimensions = 2; def.dimensions <= 3; def.dimensions++)
    for (int variant = 0; variant < (tested.noun == AGENTTREE ? 4 : 1); variant++) {
      def.axis = (copse_axis)(variant % 2);
      def.split = (copse_split)(variant / 2);
      const bool byHalves = tested.noun == AGENTTREE && def.split == COPSE_SPLIT_MIDPOINT;
      check_builds(&def, byHalves ? 8 : 3);
    }
}

/* Midpoint splits that cut off one agent at a time would need more nodes than the pool has. */
static void test_the_node_pool_suffices_for_lopsided_inputs(void) {
  enum { N = 4000 };
  static float points[2 * N];
  for (uint32_t leafSize = 2; leafSize <= 64; leafSize *= 2) {
    for (int i = 0; i < N; i++) {
      points[2 * i] = ldexpf(1, i % 100 - 60) * (float)(1 + i / 120);
      points[2 * i + 1] = 0;
    }
    copse_points *index = built(points, N, leafSize);
    CHECK(within_count(index, 0, 0, INFINITY) == N);
    copse_points_destroy(index);
  }
}

/* Agents at -128, -64, -32, … are cut off one by one while there are nodes; the rest is halved.
 * There must be nodes left to separate the 30 near agents right of 0 from the 10 far ones. */
static void test_halving_some_agents_leaves_nodes_for_the_others(void) {
  enum { LADDER = 60, NEAR = 30, FAR = 10, N = LADDER + NEAR + FAR };
  float points[2 * N] = {0};
  for (int i = 0; i < LADDER; i++) points[2 * i] = -ldexpf(128, -i);
  for (int i = 0; i < NEAR; i++) points[2 * (LADDER + i)] = (float)i / NEAR;
  for (int i = 0; i < FAR; i++) points[2 * (LADDER + NEAR + i)] = 128 - (float)i / FAR;
  copse_points *index = built(points, N, 8);
  float cells[2 * N * 6];
  const size_t floats = copse_points_cells(index, 0, cells, sizeof cells / sizeof *cells);
  bool isHalved = false, isDivided = false;
  for (size_t i = 0; i < floats; i += 6) {
    const float right = cells[i + 2], size = cells[i + 5];
    isHalved |=
        right < points[2 * LADDER - 2] && size > 1; /* cutting off one by one leaves no such cell */
    isDivided |= right >= 0 && right <= 1 && size == NEAR;
  }
  CHECK(isHalved && isDivided);
  copse_points_destroy(index);
}

static void test_cells_and_stats_agree(void) {
  enum { N = 200 };
  float points[2 * N];
  uint32_t seed = 1;
  for (int i = 0; i < 2 * N; i++) points[i] = (float)(random_word(&seed) % 1000);
  copse_points *index = built(points, N, 8);
  const copse_points_statistics stats = copse_points_stats(index);
  static float cells[2 * N * 6];
  size_t floats = copse_points_cells(index, 0, cells, sizeof cells / sizeof *cells);
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
  CHECK(copse_points_cells(index, 0, one, 11) == floats && one[6] == 42 && one[5] == N);
  for (size_t skipped = 0; skipped <= floats; skipped += 6) {
    memset(one, 0, 6 * sizeof *one);
    CHECK(copse_points_cells(index, skipped, one, 6) == floats && one[6] == 42);
    if (skipped < floats) CHECK(memcmp(one, cells + skipped, 6 * sizeof *one) == 0);
  }
  copse_points_destroy(index);
}

/* True if validate detects a changed word. Restores the word. */
static bool is_seen(copse_points *index, void *word, uint32_t value) {
  uint32_t before;
  memcpy(&before, word, sizeof before);
  memcpy(word, &value, sizeof value);
  const bool isValid = copse_points_validate(index);
  memcpy(word, &before, sizeof before);
  return !isValid && copse_points_validate(index);
}

static void test_validate_detects_wrong_counts_and_ids(void) {
  const float points[] = {0, 0, 1, 0, 2, 0, 3, 0};
  copse_points *index = built(points, 4, 1);
  CHECK(is_seen(index, &index->slots, 5));
  CHECK(is_seen(index, &index->builtCount, 5));
  CHECK(is_seen(index, &index->present, 5));
  uint32_t *ids = index->ordered.ids;
  CHECK(is_seen(index, &ids[1], 4));
  CHECK(is_seen(index, &ids[1], ids[2]));
  CHECK(is_seen(index, &ids[1], ids[1] | 1u << 30));
  copse_points_destroy(index);
}

/* Coincident agents must be ordered by id, so of all sequences of ids only 0 … N - 1 is valid.
 * Sequences that ascend but repeat an id are no permutation. */
static void test_validate_detects_ids_that_are_no_permutation(void) {
  enum { N = 6 };
  const float points[2 * N] = {0};
  copse_points *index = built(points, N, N);
  uint32_t *ids = index->ordered.ids, wrong = 0;
  for (uint32_t set = 0; set < N * N * N * N * N * N; set++) {
    bool ascends = true;
    for (uint32_t i = 0, rest = set; i < N; i++, rest /= N) {
      ids[i] = rest % N;
      ascends &= ids[i] == i;
    }
    wrong += copse_points_validate(index) != ascends;
    for (uint32_t i = 0, rest = set; i < N; i++, rest /= N) wrong += ids[i] != rest % N;
  }
  CHECK(wrong == 0);
  const uint32_t sums[] = {0, 2, 2, 3,
                           3, 4, 7, 7}; /* the sums of ids and of squares are those of 0 … 7 */
  copse_points_destroy(index);
  const float more[16] = {0};
  index = built(more, 8, 8);
  memcpy(index->ordered.ids, sums, sizeof sums);
  CHECK(!copse_points_validate(index));
  CHECK(!memcmp(index->ordered.ids, sums, sizeof sums));
  copse_points_destroy(index);
}

static void test_validate_detects_damage_in_an_agent_tree(void) {
  const float points[] = {0, 0, 1, 0, 8, 0, 9, 0};
  copse_points *index = built(points, 4, 2);
  struct agenttree *tree = (struct agenttree *)index;
  agenttree_node *root = tree->nodes, *left = root + 1, *right = root + 2;
  CHECK(tree->nodeCount == 3 && left->end == 2);
  CHECK(is_seen(index, &tree->nodeCount, 0));
  left->end = right->begin = 0;
  CHECK(!copse_points_validate(index)); /* no agent on the left */
  left->end = right->begin = 2;
  CHECK(is_seen(index, &tree->nodeCount, 1000));
  CHECK(is_seen(index, &root->begin, 1));
  CHECK(is_seen(index, &root->end, 3));
  CHECK(is_seen(index, &root->right, 1));
  CHECK(is_seen(index, &root->right, 3));
  CHECK(is_seen(index, &root->right, 0)); /* a leaf that is too large */
  CHECK(is_seen(index, &root->axis, 2));
  CHECK(is_seen(index, &root->leftMost, 0));
  CHECK(is_seen(index, &root->rightLeast, 0));
  CHECK(is_seen(index, &root->anyGroups, 3));
  CHECK(is_seen(index, &root->allGroups, 0));
  CHECK(is_seen(index, &left->begin, 1));
  CHECK(is_seen(index, &left->end, 3));
  CHECK(is_seen(index, &right->end, 3));
  CHECK(is_seen(index, &tree->leafSize, 1));
  CHECK(is_seen(index, &tree->bounds[0], 0xbf800000));
  CHECK(is_seen(index, &tree->points.ordered.axes[0][0], 0x3f000000));
  CHECK(is_seen(index, &tree->points.present, 0));

  uint32_t *ids = tree->points.ordered.ids;
  CHECK(ids[0] == 0 && ids[1] == 1);
  ids[0] = 1; /* ids must ascend within a leaf */
  ids[1] = 0;
  CHECK(!copse_points_validate(index));
  copse_points_destroy(index);

  const float twins[] = {0, 0, 0, 0, 9, 0, 9, 0};
  index = built(twins, 4, 1);
  tree = (struct agenttree *)index;
  CHECK(tree->nodeCount == 3);
  tree->nodes[3] = tree->nodes[2]; /* a superfluous leaf, with agents of another one */
  memcpy(tree->bounds + 12, tree->bounds + 8, 4 * sizeof(float));
  CHECK(is_seen(index, &tree->nodeCount, 4));
  copse_points_destroy(index);
}

/* Agents in a row, where each node cuts off one: deeper than COPSE_MAX_DEPTH. */
static void test_validate_detects_a_tree_that_is_too_deep(void) {
  enum { N = COPSE_MAX_DEPTH + 4 };
  float points[2 * N] = {0};
  for (uint32_t i = 0; i < N; i++) points[2 * i] = (float)i;
  for (uint32_t n = COPSE_MAX_DEPTH - 1; n <= N; n++) {
    copse_points *index = built(points, n, 1);
    struct agenttree *tree = (struct agenttree *)index;
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
    CHECK(copse_points_validate(index) == (n < COPSE_MAX_DEPTH));
    copse_points_destroy(index);
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

/* Checks that the queries in `refusing` refuse their arguments and return nothing, and that all
 * others succeed; for an index and for brute force. */
static void check_refusing(copse_points *index, const brute_points *brute,
                           const point_question *question, copse_results out, uint32_t refusing) {
  const float *center = question->center;
  const copse_query *query = &question->query;
  uint32_t total = 7, id = 7, visits;
  float distance2;
  bool any = true;
#define CHECK_QUERY(name, call, results)                                                           \
  do {                                                                                             \
    const copse_status status = (call);                                                            \
    CHECK(status == (refusing & (name) ? COPSE_INVALID_ARGUMENT : COPSE_OK));                      \
    CHECK(status == COPSE_OK || !(results));                                                       \
    out.total = 7;                                                                                 \
  } while (0)
  out.total = 7;
  CHECK_QUERY(WITHIN, copse_points_within(index, center, question->radius, query, &out), out.total);
  CHECK_QUERY(WITHIN, brute_within(brute, center, question->radius, query, &out), out.total);
  CHECK_QUERY(RANGE, copse_points_range(index, question->lo, question->hi, query, &out), out.total);
  CHECK_QUERY(RANGE, brute_range(brute, question->lo, question->hi, query, &out), out.total);
  CHECK_QUERY(CONE,
              copse_points_cone(index, center, question->direction, question->halfAngle,
                                question->radius, query, &out),
              out.total);
  CHECK_QUERY(CONE,
              brute_cone(brute, center, question->direction, question->halfAngle, question->radius,
                         query, &out),
              out.total);
  CHECK_QUERY(NEIGHBORS, copse_points_neighbors(index, center, question->k, query, &out),
              out.total);
  CHECK_QUERY(NEIGHBORS, brute_neighbors(brute, center, question->k, query, &out), out.total);
  CHECK_QUERY(NEAREST, copse_points_nearest(index, center, query, &id, &distance2, &visits),
              id != COPSE_NONE);
  CHECK_QUERY(COUNT,
              copse_points_count_within(index, center, question->radius, query, &total, &visits),
              total);
  CHECK_QUERY(ANY, copse_points_any_within(index, center, question->radius, query, &any, &visits),
              any);
#undef CHECK_QUERY
}

static void test_each_query_refuses_only_arguments_it_cannot_use(void) {
  const float points[] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
  for (uint32_t dim = 2; dim <= 3; dim++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.dimensions = dim;
    copse_points *index = make(def);
    const copse_const_positions given = interleaved(points, dim);
    CHECK(copse_points_build_from(index, &given, NULL, NULL, 3, NULL) == COPSE_OK);
    const brute_points brute = {given, NULL, 3, dim, NULL};
    uint32_t ids[3];
    float distances2[3];
    const copse_results out = {ids, distances2, 3, 0, 0};
    const point_question good = {.radius = 1,
                                 .direction = {1, 1, 1},
                                 .halfAngle = 1,
                                 .k = 2,
                                 .hi = {1, 1, 1},
                                 .query = copse_query_default()};
    check_refusing(index, &brute, &good, out, 0);

    const float places[] = {NAN, INFINITY, -INFINITY, 2e18f, -2e18f};
    for (uint32_t i = 0; i < 5 * dim; i++) {
      point_question question = good;
      question.center[i % dim] = places[i / dim];
      check_refusing(index, &brute, &question, out, 127 & ~(uint32_t)RANGE);
    }
    const float lengths[] = {NAN, -1, -1e-45f, -INFINITY};
    for (int i = 0; i < 4; i++) {
      point_question question = good;
      question.radius = lengths[i];
      check_refusing(index, &brute, &question, out, WITHIN | CONE | COUNT | ANY);
      question = good;
      question.query.maxDistance = lengths[i];
      check_refusing(index, &brute, &question, out, NEIGHBORS | NEAREST);
      question = good;
      question.halfAngle = lengths[i];
      check_refusing(index, &brute, &question, out, CONE);
    }
    for (uint32_t axis = 0; axis < dim; axis++) {
      point_question question = good;
      question.lo[axis] = 2;
      check_refusing(index, &brute, &question, out, RANGE);
      question.lo[axis] = NAN;
      check_refusing(index, &brute, &question, out, RANGE);
      question = good;
      question.direction[axis] = INFINITY;
      check_refusing(index, &brute, &question, out, CONE);
      question.direction[axis] = NAN;
      check_refusing(index, &brute, &question, out, CONE);
    }
    point_question question = good;
    question.halfAngle = nextafterf(3.14159274f, 4);
    check_refusing(index, &brute, &question, out, CONE);
    memset(question.direction, 0, sizeof question.direction);
    check_refusing(index, &brute, &question, out, CONE);

    /* Sorting by distance needs distances2, and results need room. */
    question = good;
    question.query.sort = COPSE_SORT_DISTANCE;
    check_refusing(index, &brute, &question, out, RANGE);
    const copse_results idsOnly = {ids, NULL, 3, 0, 0}, nowhere = {NULL, distances2, 3, 0, 0};
    check_refusing(index, &brute, &question, idsOnly, WITH_RESULTS);
    check_refusing(index, &brute, &good, idsOnly, NEIGHBORS);
    check_refusing(index, &brute, &good, nowhere, WITH_RESULTS);
    const copse_results one = {ids, distances2, 1, 0, 0};
    check_refusing(index, &brute, &good, one, NEIGHBORS);
    copse_points_destroy(index);
  }
}

static void test_optional_outputs_of_queries_may_be_null(void) {
  const float points[] = {3, 4}, origin[] = {0, 0};
  copse_points *index = built(points, 1, 1);
  uint32_t id = 7, total, visits = 0;
  float distance2 = 7;
  bool any;
  copse_query near = copse_query_default();
  near.maxDistance = 4;
  CHECK(copse_points_nearest(index, origin, NULL, &id, &distance2, &visits) == COPSE_OK);
  CHECK(id == 0 && distance2 == 25 && visits > 0);
  CHECK(copse_points_nearest(index, origin, &near, &id, &distance2, NULL) == COPSE_OK);
  CHECK(id == COPSE_NONE && distance2 == INFINITY);
  CHECK(copse_points_nearest(index, origin, NULL, &id, NULL, NULL) == COPSE_OK && id == 0);
  visits = 0;
  CHECK(copse_points_count_within(index, origin, 5, NULL, &total, &visits) == COPSE_OK);
  CHECK(total == 1 && visits > 0);
  visits = 0;
  CHECK(copse_points_any_within(index, origin, 5, NULL, &any, &visits) == COPSE_OK && any &&
        visits > 0);
  copse_points_destroy(index);
}

static void test_brute_force_stops_at_the_capacity_and_keeps_the_total(void) {
  const float points[] = {0, 0, 1, 0, 2, 0}, origin[] = {0, 0}, far[] = {2, 0};
  const brute_points brute = {interleaved(points, 2), NULL, 3, 2, NULL};
  uint32_t ids[3] = {9, 9, 9};
  copse_results out = {ids, NULL, 2, 0, 0};
  CHECK(brute_within(&brute, origin, 2, NULL, &out) == COPSE_OK);
  CHECK(out.total == 3 && ids[0] == 0 && ids[1] == 1 && ids[2] == 9);
  CHECK(brute_range(&brute, origin, far, NULL, &out) == COPSE_OK && out.total == 3);
  CHECK(ids[2] == 9);
}

static void test_the_widest_cone_finds_all_agents_within_the_radius(void) {
  const float pi = 3.14159274f; /* includes agents straight behind */
  const float points[] = {-1, 0, -0.999f, 1e-30f, 1, 0, 0, -1, -9, 0}, ahead[] = {1, 0};
  copse_points *index = built(points, 5, 1);
  uint32_t ids[5];
  copse_results out = {ids, NULL, 5, 0, 0};
  const float origin[] = {0, 0};
  CHECK(copse_points_cone(index, origin, ahead, pi, 2, NULL, &out) == COPSE_OK && out.total == 4);
  CHECK(copse_points_cone(index, origin, ahead, 3, 2, NULL, &out) == COPSE_OK);
  CHECK(out.total == 2);
  copse_points_destroy(index);
}

static void test_invalid_arguments_are_refused(void) {
  const float points[] = {0, 0, 1, 1};
  copse_points *index = built(points, 2, 1);
  uint32_t ids[4], total;
  float distances2[4], origin[2] = {0, 0}, nan2[2] = {0, NAN}, far2[2] = {2e18f, 0};
  bool any;
  copse_results out = {ids, distances2, 4, 0, 0};
  copse_query query = copse_query_default();
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  CHECK(copse_points_within(index, origin, -1, NULL, &out) == refused);
  CHECK(copse_points_within(index, origin, NAN, NULL, &out) == refused);
  CHECK(copse_points_within(index, nan2, 1, NULL, &out) == refused);
  CHECK(copse_points_within(index, far2, 1, NULL, &out) == refused);
  CHECK(copse_points_count_within(index, origin, -1, NULL, &total, NULL) == refused);
  CHECK(copse_points_any_within(index, nan2, 1, NULL, &any, NULL) == refused && !any);
  CHECK(copse_points_range(index, points + 2, points, NULL, &out) == refused);
  CHECK(copse_points_range(index, nan2, points + 2, NULL, &out) == refused);
  CHECK(copse_points_cone(index, origin, origin, 1, 1, NULL, &out) == refused);
  CHECK(copse_points_cone(index, origin, nan2, 1, 1, NULL, &out) == refused);
  CHECK(copse_points_cone(index, origin, points + 2, 4, 1, NULL, &out) == refused);
  CHECK(copse_points_cone(index, origin, points + 2, -1, 1, NULL, &out) == refused);
  out.distances2 = NULL;
  CHECK(copse_points_neighbors(index, origin, 1, NULL, &out) == refused);
  query.sort = COPSE_SORT_DISTANCE;
  CHECK(copse_points_within(index, origin, 1, &query, &out) == refused);
  CHECK(copse_points_range(index, origin, points + 2, &query, &out) == refused);
  query = copse_query_default();
  query.maxDistance = -1;
  CHECK(copse_points_nearest(index, origin, &query, ids, NULL, NULL) == refused);
  out = (copse_results){ids, distances2, 1, 0, 0};
  CHECK(copse_points_neighbors(index, origin, 2, NULL, &out) == refused);
  out = (copse_results){NULL, NULL, 4, 0, 0};
  CHECK(copse_points_within(index, origin, 1, NULL, &out) == refused);
  copse_points_destroy(index);
}

/* Returns an index of 3D points. */
static copse_points *built3(const float *points, uint32_t n) {
  copse_agenttree_def def = copse_agenttree_default();
  def.dimensions = 3;
  def.capacity = n;
  def.leafSize = 4;
  copse_points *index = make(def);
  copse_points_set_slots(index, n);
  memcpy(copse_points_positions(index).axes[0], points, n * 3 * sizeof *points);
  CHECK(copse_points_build(index, NULL) == COPSE_OK);
  return index;
}

static void test_a_frustum_holds_what_is_inside_all_planes(void) {
  enum { N = 20 };
  float points[3 * N] = {0};
  uint32_t ids[N + 1];
  for (uint32_t i = 0; i < N; i++) points[3 * i] = (float)i;
  copse_points *index = built3(points, N);
  const struct {
    float planes[8];
    uint32_t count, first, total;
  } cases[] = {
      {{1, 0, 0, -7}, 1, 7, 13},                /* an agent on the plane is inside */
      {{-1, 0, 0, 7}, 1, 0, 8},                 /* also seen from the other side */
      {{1, 0, 0, -7, -1, 0, 0, 7}, 2, 7, 1},    /* both planes: only what is on them */
      {{1, 0, 0, -7, -1, 0, 0, 6}, 2, 0, 0},    /* nothing is inside both */
      {{0.5f, 0, 0, -3.75f}, 1, 8, 12},         /* a normal of any length */
      {{0, 1, 0, 0, 0, -1, -0.0f, 0}, 2, 0, N}, /* all agents are on the planes */
      {{0, 0, 0, 0}, 1, 0, N},                  /* no normal: w decides */
      {{0, 0, 0, 1e-45f}, 1, 0, N},             /* */
      {{0, 0, 0, -0.0f}, 1, 0, N},              /* */
      {{0, 0, 0, -1e-45f}, 1, 0, 0},            /* */
      {{1e18f, 1e18f, -1e18f, 1e18f}, 1, 0, N}, /* */
      {{-1e18f, 0, 0, -1e18f}, 1, 0, 0},        /* */
  };
  copse_query byId = copse_query_default();
  byId.sort = COPSE_SORT_ID;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t capacity = 0; capacity <= N; capacity += 5) {
      for (int place = 0; place <= N; place++) ids[place] = 99;
      copse_results out = {ids, NULL, capacity, 0, 0};
      CHECK(copse_points_frustum(index, cases[i].planes, cases[i].count, &byId, &out) == COPSE_OK);
      CHECK(out.total == cases[i].total && ids[capacity] == 99);
      if (capacity < out.total) continue; /* then any of them were written */
      for (uint32_t place = 0; place < out.total; place++)
        CHECK(ids[place] == cases[i].first + place);
    }

  copse_query others = byId;
  others.exclude = 3;
  others.mask = 2;
  for (uint32_t slot = 0; slot < N; slot += 3) copse_points_groups(index)[slot] = 2;
  CHECK(copse_points_build(index, NULL) == COPSE_OK);
  copse_results out = {ids, NULL, N, 0, 0};
  CHECK(copse_points_frustum(index, cases[1].planes, 1, &others, &out) == COPSE_OK);
  CHECK(out.total == 2 && ids[0] == 0 && ids[1] == 6);
  others.mask = 4;
  CHECK(copse_points_frustum(index, cases[1].planes, 1, &others, &out) == COPSE_OK && !out.total);
  CHECK(out.visits == 0);
  copse_points_destroy(index);
}

static void test_invalid_frustums_are_refused(void) {
  const float points[] = {0, 0, 0, 1, 1, 1};
  const float good[8] = {0, 0, 0, 0, 1, 1, 1, 1};
  const float wrong[] = {NAN, INFINITY, -INFINITY, 1.1e18f};
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  copse_points *flat = built(points, 2, 1), *index = built3(points, 2);
  uint32_t ids[4];
  float distances2[4];
  copse_results out = {ids, distances2, 4, 7, 7}, nowhere = {NULL, NULL, 4, 7, 7};
  CHECK(copse_points_frustum(flat, good, 1, NULL, &out) == refused && out.total == 0);
  CHECK(copse_points_frustum(index, good, 0, NULL, &out) == refused);
  CHECK(copse_points_frustum(index, good, 2, NULL, &nowhere) == refused);
  for (uint32_t place = 0; place < 8; place++)
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
      float planes[8];
      memcpy(planes, good, sizeof planes);
      planes[place] = wrong[i];
      CHECK(copse_points_frustum(index, planes, 2, NULL, &out) == refused);
    }
  copse_query byDistance = copse_query_default();
  byDistance.sort = COPSE_SORT_DISTANCE;
  CHECK(copse_points_frustum(index, good, 2, &byDistance, &out) == refused);
  CHECK(copse_points_frustum(index, good, 2, NULL, &out) == COPSE_OK && out.total == 2);
  copse_points_destroy(flat);
  copse_points_destroy(index);
}

static void test_truncated_results_stop_at_the_capacity_and_keep_the_total(void) {
  enum { N = 37 };
  float points[2 * N] = {0};
  const float ahead[2] = {1, 0};
  copse_points *index = built(points, N, 4);
  for (uint32_t capacity = 0; capacity <= N; capacity++) {
    uint32_t ids[N + 1];
    float distances2[N + 1];
    for (int i = 0; i <= N; i++) ids[i] = 99, distances2[i] = 99;
    copse_results out = {ids, distances2, capacity, 0, 0};
    CHECK(copse_points_within(index, points, 1, NULL, &out) == COPSE_OK && out.total == N);
    CHECK(ids[capacity] == 99 && distances2[capacity] == 99);
    for (uint32_t i = 0; i < capacity; i++) CHECK(ids[i] == i && distances2[i] == 0);
    out.distances2 = NULL;
    for (int query = 0; query < 2; query++) {
      for (int i = 0; i <= N; i++) ids[i] = 99;
      CHECK((query ? copse_points_range(index, points, points, NULL, &out)
                   : copse_points_cone(index, points, ahead, 1, 1, NULL, &out)) == COPSE_OK);
      CHECK(out.total == N && ids[capacity] == 99);
      for (uint32_t i = 0; i < capacity; i++) CHECK(ids[i] == i);
    }
  }
  copse_results nowhere = {NULL, NULL, 0, 0, 0};
  CHECK(copse_points_within(index, points, 1, NULL, &nowhere) == COPSE_OK && nowhere.total == N);
  copse_points_destroy(index);
}

static void test_ties_go_to_the_lower_id(void) {
  const float points[] = {1, 0, -1, 0, 0, 1, 0, -1, 1, 0};
  copse_points *index = built(points, 5, 1);
  uint32_t ids[5];
  float distances2[5], origin[2] = {0, 0};
  copse_results out = {ids, distances2, 5, 0, 0};
  for (uint32_t k = 0; k <= 6; k++) {
    CHECK(copse_points_neighbors(index, origin, k, NULL, &out) == COPSE_OK);
    CHECK(out.total == (k < 5 ? k : 5));
    for (uint32_t i = 0; i < out.total; i++) CHECK(ids[i] == i && distances2[i] == 1);
  }
  copse_query query = copse_query_default();
  query.exclude = 0;
  uint32_t nearest;
  float distance2;
  const copse_status status =
      copse_points_nearest(index, origin, &query, &nearest, &distance2, NULL);
  CHECK(status == COPSE_OK && nearest == 1 && distance2 == 1);
  query.maxDistance = 0.99f;
  CHECK(copse_points_nearest(index, origin, &query, &nearest, NULL, NULL) == COPSE_OK);
  CHECK(nearest == COPSE_NONE);
  copse_points_destroy(index);
}

static void test_queries_agree_with_brute_force(void) {
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
    copse_points *index = make(def);
    copse_positions positions = copse_points_positions(index);
    /* Few distinct coordinates cause many ties, and agents on borders. */
    const uint32_t distinct = random_word(&seed) % 2 ? 8 : 1u << 20;
    for (int frame = 0; frame < 3; frame++) {
      const uint32_t n = random_word(&seed) % (round % 10 ? 40 : MOST);
      copse_points_set_slots(index, n);
      for (uint32_t id = 0; id < n; id++) {
        for (uint32_t axis = 0; axis < def.dimensions; axis++)
          positions.axes[axis][id * positions.stride] =
              (float)(random_word(&seed) % distinct) * 8 / (float)distinct - 4;
        copse_points_groups(index)[id] = random_word(&seed) % 5;
      }
      CHECK(copse_points_build(index, NULL) == COPSE_OK && copse_points_validate(index));
      const brute_points brute = {readable(positions), copse_points_groups(index), n,
                                  def.dimensions, NULL};
      point_question question = {.query = copse_query_default()};
      for (int axis = 0; axis < 3; axis++) {
        question.center[axis] = (float)(random_word(&seed) % 9) - 4;
        question.direction[axis] = (float)(random_word(&seed) % 9) - 4;
        question.lo[axis] = (float)(random_word(&seed) % 9) - 6;
        question.hi[axis] = question.lo[axis] + (float)(random_word(&seed) % 6);
      }
      question.radius = (float)(random_word(&seed) % 16) / 4;
      question.halfAngle = (float)(random_word(&seed) % 32) / 10;
      question.k = random_word(&seed) % 12;
      if (random_word(&seed) % 2) question.query.mask = random_word(&seed) % 8;
      if (random_word(&seed) % 2) question.query.exclude = random_word(&seed) % MOST;
      if (question.k % 2) question.query.inflate = question.radius * 2;
      if (random_word(&seed) % 2) question.query.maxDistance = (float)(random_word(&seed) % 12) / 2;
      CHECK(compare_queries(index, &brute, &question) == NULL);
      uint32_t masks[MOST];
      float radii[MOST];
      for (uint32_t id = 0; id < n; id++) {
        masks[id] = random_word(&seed) % 8;
        radii[id] = (float)(random_word(&seed) % 16) / 8;
      }
      CHECK(compare_batches(index, &brute, &question, NULL, NULL) == NULL);
      CHECK(compare_batches(index, &brute, &question, masks, radii) == NULL);
      CHECK(compare_rays(index, &brute, &question, NULL) == NULL);
      CHECK(compare_rays(index, &brute, &question, radii) == NULL);
    }
    copse_points_destroy(index);
  }
}

/* Writes a world that wraps around: the bounds of all agents, or the lower half of them. */
static void world_around(const float *points, uint32_t n, uint32_t dim, bool isHalf, float *wrap) {
  for (uint32_t axis = 0; axis < dim; axis++) {
    float lo = points[axis], hi = lo;
    for (uint32_t i = 0; i < n; i++) {
      lo = fminf(lo, points[i * dim + axis]);
      hi = fmaxf(hi, points[i * dim + axis]);
    }
    if (isHalf) hi = lo / 2 + hi / 2;
    wrap[axis] = lo;
    wrap[dim + axis] = hi > lo ? hi : lo + 1;
  }
}

/* Draws a question in the scale of the agents: places are those of agents, and distances those
 * between two of them. Writes radii of agents. */
static point_question question_among(const brute_points *brute, uint32_t *seed, float *radii) {
  const uint32_t n = brute->count, stride = brute->positions.stride;
  const uint32_t alone = random_word(seed) % (brute->dimensions + 2); /* the axis of a direction */
  point_question question = {.query = copse_query_default(), .k = random_word(seed) % 12};
  float places[4][3] = {{0}};
  for (int i = 0; i < 4; i++) {
    const uint32_t id = random_word(seed) % n, other = random_word(seed) % n;
    for (uint32_t axis = 0; axis < brute->dimensions; axis++) {
      const float *x = brute->positions.axes[axis];
      places[i][axis] = id % 4 ? x[id * stride] : x[id * stride] / 2 + x[other * stride] / 2;
    }
  }
  memcpy(question.center, places[0], sizeof question.center);
  for (uint32_t axis = 0; axis < brute->dimensions; axis++) {
    question.lo[axis] = fminf(places[1][axis], places[2][axis]);
    question.hi[axis] = fmaxf(places[1][axis], places[2][axis]);
    if (alone >= brute->dimensions) question.direction[axis] = places[3][axis] - places[0][axis];
  }
  if (alone < brute->dimensions) question.direction[alone] = 1;
  question.radius = sqrtf(brute_distance2(brute, places[0], places[1 + random_word(seed) % 3]));
  if (random_word(seed) % 3 == 0) question.radius = nextafterf(question.radius, 0);
  if (random_word(seed) % 9 == 0) question.radius = INFINITY;
  question.halfAngle = (float)(random_word(seed) % 32) / 10;
  if (random_word(seed) % 2) question.query.mask = random_word(seed) % 8;
  if (random_word(seed) % 2) question.query.exclude = random_word(seed) % n;
  if (random_word(seed) % 2) question.query.maxDistance = question.radius;
  if (random_word(seed) % 2) question.query.inflate = question.radius / 3;
  for (uint32_t id = 0; id < n; id++)
    radii[id] = random_word(seed) % 2 ? question.radius : question.radius / (float)(id + 1);
  return question;
}

static void test_every_query_is_exact_on_every_spread(void) {
  enum { N = 70, QUESTIONS = 3 };
  float points[3 * N], radii[N], wrap[6];
  uint32_t groups[N], masks[N], seed = 31;
  const int worlds = tested.noun == GRID ? 3 : 1; /* does not wrap, or wraps around two worlds */
  for (int spread = 0; spread < 2 * INPUTS * worlds; spread++)
    for (uint32_t dim = 2; dim <= 3; dim++) {
      copse_agenttree_def def = copse_agenttree_default();
      def.dimensions = dim;
      def.capacity = N;
      def.leafSize = 1 + random_word(&seed) % 9;
      def.axis = (copse_axis)(random_word(&seed) % 2);
      def.split = (copse_split)(random_word(&seed) % 2);
      fill_input(points, spread / 2 % INPUTS, N, dim, spread % 2);
      for (uint32_t id = 0; id < N; id++) {
        groups[id] = random_word(&seed) % 5;
        masks[id] = random_word(&seed) % 8;
      }
      if (spread >= 2 * INPUTS) {
        world_around(points, N, dim, spread >= 4 * INPUTS, wrap);
        tested.wrap = wrap;
      }
      copse_points *index = make(def);
      tested.wrap = NULL;
      const copse_const_positions given = interleaved(points, dim);
      const brute_points brute = {given, groups, N, dim, spread < 2 * INPUTS ? NULL : wrap};
      CHECK(copse_points_build_from(index, &given, groups, NULL, N, NULL) == COPSE_OK);
      CHECK(copse_points_validate(index));
      for (int i = 0; i < QUESTIONS; i++) {
        const point_question question = question_among(&brute, &seed, radii);
        const char *wrong = compare_queries(index, &brute, &question);
        if (!wrong) wrong = compare_rays(index, &brute, &question, i % 2 ? radii : NULL);
        if (!wrong) wrong = compare_batches(index, &brute, &question, masks, radii);
        if (!wrong) wrong = compare_many(index, &brute, &question);
        if (wrong) printf("spread %d in %uD: %s\n", spread, dim, wrong);
        CHECK(!wrong);
      }
      copse_points_destroy(index);
    }
}

static void test_batches_refuse_invalid_arguments(void) {
  const float points[] = {0, 0, 1, 1}, bad[] = {0, NAN}, negative[] = {1, -1};
  copse_points *index = built(points, 2, 1);
  uint32_t offsets[2], counts[2], ids[8];
  float distances2[8];
  copse_rows rows = {offsets, counts, ids, 8, 0, false};
  copse_neighbor_rows near = {counts, ids, distances2};
  copse_results out = {ids, NULL, 8, 0, 0};
  copse_query far = copse_query_default(), sorted = copse_query_default();
  far.maxDistance = NAN;
  sorted.sort = COPSE_SORT_ID;
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  CHECK(copse_points_all_within(index, -1, NULL, NULL, &rows) == refused);
  CHECK(copse_points_all_within(index, 1, &sorted, NULL, &rows) == refused);
  CHECK(copse_points_all_neighbors(index, 1, &far, NULL, &near) == refused);
  CHECK(copse_points_all_neighbors(index, 1, &sorted, NULL, &near) == refused);
  CHECK(copse_points_within_many(index, points, 2, 1, &sorted, &rows) == refused);
  CHECK(copse_points_neighbors_many(index, points, 2, 1, &sorted, &near) == refused);
  CHECK(copse_points_pairs(index, 1, NULL, &sorted, &out) == refused);
  CHECK(copse_points_within_many(index, bad, 1, 1, NULL, &rows) == refused);
  CHECK(copse_points_within_many(index, points, 2, NAN, NULL, &rows) == refused);
  const float turned[4] = {0, 1, 2, 0}, without[4] = {0, 0, NAN, 1}, fine[4] = {-INFINITY, 0, 9, 9};
  CHECK(copse_points_range_many(index, turned, 1, NULL, &rows) == refused);
  CHECK(copse_points_range_many(index, without, 1, NULL, &rows) == refused);
  CHECK(copse_points_range_many(index, fine, 1, &sorted, &rows) == refused);
  CHECK(copse_points_range_many(index, fine, 1, NULL, &rows) == COPSE_OK);
  CHECK(copse_points_neighbors_many(index, bad, 1, 1, NULL, &near) == refused);
  CHECK(copse_points_neighbors_many(index, points, 2, 1, &far, &near) == refused);
  CHECK(copse_points_pairs(index, -1, NULL, NULL, &out) == refused);
  CHECK(copse_points_pairs(index, 0, negative, NULL, &out) == refused);
  CHECK(copse_points_pairs(index, 0, bad, NULL, &out) == refused);
  copse_points_destroy(index);
}

/* With any room, whole rows are written while they fit, and the total is right. */
static void test_truncated_rows_are_whole(void) {
  enum { N = 60, ALL = N * (N - 1) };
  float points[2 * N] = {0};
  for (int i = 0; i < N; i++) points[2 * i] = (float)(i / 8);
  copse_points *index = built(points, N, 8);
  static uint32_t ids[ALL + 16], full[ALL + 16];
  uint32_t offsets[N], counts[N], fullOffsets[N], fullCounts[N];
  copse_rows all = {fullOffsets, fullCounts, full, ALL + 16, 0, false};
  CHECK(copse_points_all_within(index, 1, NULL, NULL, &all) == COPSE_OK && !all.truncated);
  for (uint32_t capacity = 0; capacity < all.total + 8; capacity += 7) {
    memset(ids, 0xee, sizeof ids);
    copse_rows rows = {offsets, counts, ids, capacity, 0, false};
    CHECK(copse_points_all_within(index, 1, NULL, NULL, &rows) == COPSE_OK);
    CHECK(rows.total == all.total && rows.truncated == (all.total > capacity));
    CHECK(ids[capacity] == 0xeeeeeeee);
    /* The start of the first row that does not fit. */
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
    CHECK(copse_points_pairs(index, 1, NULL, NULL, &out) == COPSE_OK);
    CHECK(out.total == all.total && ids[capacity & ~1u] == 0xeeeeeeee);
  }
  copse_points_destroy(index);
}

/* More agents near a leaf than one gathering can hold. */
static void test_batches_are_exact_for_crowded_agents(void) {
  enum { N = 3000 };
  static float points[2 * N];
  for (int i = 0; i < N; i++) points[2 * i] = (float)(i % 5);
  copse_points *index = built(points, N, 16);
  static uint32_t offsets[N], counts[N], ids[N * 8];
  static float distances2[N * 8];
  copse_neighbor_rows near = {counts, ids, distances2};
  CHECK(copse_points_all_neighbors(index, 8, NULL, NULL, &near) == COPSE_OK);
  for (uint32_t slot = 0; slot < N; slot++) {
    /* The eight lowest ids at its own place, without itself. */
    CHECK(counts[slot] == 8 && distances2[slot * 8 + 7] == 0);
    for (uint32_t i = 0; i < 8; i++)
      CHECK(ids[slot * 8 + i] == slot % 5 + 5 * (i + (slot / 5 <= i)));
  }
  copse_rows rows = {offsets, counts, ids, 0, 0, false};
  CHECK(copse_points_all_within(index, 0, NULL, NULL, &rows) == COPSE_OK);
  CHECK(rows.total == N * (N / 5 - 1) && rows.truncated);
  copse_results out = {NULL, NULL, 0, 0, 0};
  CHECK(copse_points_pairs(index, 0, NULL, NULL, &out) == COPSE_OK && out.total == rows.total);
  copse_points_destroy(index);
}

/* All agents are near each other: more than one gathering can hold, however it is divided. */
static void test_batches_are_exact_if_all_agents_are_near_each_other(void) {
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
      copse_points *index = make(def);
      const copse_const_positions given = interleaved(points, dim);
      CHECK(copse_points_build_from(index, &given, NULL, NULL, n, NULL) == COPSE_OK);
      copse_rows rows = {offsets, counts, ids, ROWS * n, 0, false};
      CHECK(copse_points_all_within(index, 150, NULL, NULL, &rows) == COPSE_OK);
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
      CHECK(copse_points_pairs(index, 150, NULL, NULL, &pairs) == COPSE_OK);
      CHECK(pairs.total == n * (n - 1));
      copse_points_destroy(index);
    }
  }
}

/* Gatherings reach far where agents are sparse, and then meet a dense crowd. */
static void test_all_neighbors_are_exact_where_density_changes(void) {
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
    copse_points *index = make(def);
    const copse_const_positions given = interleaved(points, dim);
    CHECK(copse_points_build_from(index, &given, NULL, NULL, N, NULL) == COPSE_OK);
    copse_neighbor_rows near = {counts, ids, distances2};
    CHECK(copse_points_all_neighbors(index, K, NULL, NULL, &near) == COPSE_OK);
    for (uint32_t slot = 0; slot < N; slot++) {
      uint32_t single[K];
      float single2[K];
      copse_query others = copse_query_default();
      others.exclude = slot;
      copse_results out = {single, single2, K, 0, 0};
      CHECK(copse_points_neighbors(index, points + slot * dim, K, &others, &out) == COPSE_OK);
      CHECK(counts[slot] == K && memcmp(ids + slot * K, single, sizeof single) == 0);
      CHECK(memcmp(distances2 + slot * K, single2, sizeof single2) == 0);
    }
    copse_points_destroy(index);
  }
}

/* A slot that is not in the last build has an empty row. */
static void test_agents_added_after_the_build_have_empty_rows(void) {
  const float points[] = {0, 0, 1, 0, 0, 0};
  copse_points *index = built(points, 3, 1);
  CHECK(copse_points_set_slots(index, 2) == COPSE_OK &&
        copse_points_build(index, NULL) == COPSE_OK);
  CHECK(copse_points_set_slots(index, 3) == COPSE_OK);
  uint32_t offsets[3] = {9, 9, 9}, counts[3] = {9, 9, 9}, ids[6];
  float distances2[6];
  copse_rows rows = {offsets, counts, ids, 6, 0, false};
  CHECK(copse_points_all_within(index, 2, NULL, NULL, &rows) == COPSE_OK && rows.total == 2);
  CHECK(counts[0] == 1 && counts[1] == 1 && counts[2] == 0 && offsets[2] == 0);
  copse_neighbor_rows near = {counts, ids, distances2};
  counts[2] = 9;
  CHECK(copse_points_all_neighbors(index, 2, NULL, NULL, &near) == COPSE_OK);
  CHECK(counts[0] == 1 && counts[1] == 1 && counts[2] == 0 && ids[0] == 1 && ids[2] == 0);
  copse_points_destroy(index);
}

/* Compares the number of each agent's neighbors with a loop over all pairs. */
static void check_counts(copse_points *index, const float *points, uint32_t n, uint32_t dim,
                         float radius) {
  static uint32_t offsets[768], counts[768], ids[768 * 768];
  copse_rows rows = {offsets, counts, ids, 768 * 768, 0, false};
  CHECK(copse_points_all_within(index, radius, NULL, NULL, &rows) == COPSE_OK);
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

/* Bounds that end in the middle of a cell, after a batch that left other cells on the stack. With
 * the second radius, strips have a height of 1. */
static void test_batches_are_exact_where_cells_are_rounded(void) {
  enum { N = 768 };
  static const float boxes[][3] = {{40, 40, 0},        {64, 16.5f, 0},     {16.5f, 64, 0},
                                   {40, 40, 9},        {64, 4, 0.5f},      {4, 4, 0.5f},
                                   {2.5f, 2.5f, 2.5f}, {3.25f, 4.5f, 6.5f}};
  static const float radii[] = {0.9f, 0.998004f};
  for (int b = 0; b < 16; b++) {
    static float points[3 * N];
    uint32_t state = 7, dim = boxes[b / 2][2] > 0 ? 3 : 2;
    for (uint32_t i = 0; i < N * dim; i++) {
      const float side = boxes[b / 2][i % dim];
      const uint32_t word = random_word(&state) >> 8;
      points[i] = word % 9 == 0 ? side : (float)word / 16777216 * side;
      if (i < dim) points[i] = 0;
    }
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = N;
    def.dimensions = dim;
    copse_points *index = make(def);
    copse_points_set_slots(index, N);
    memcpy(copse_points_positions(index).axes[0], points, N * dim * sizeof(float));
    CHECK(copse_points_build(index, NULL) == COPSE_OK);
    check_counts(index, points, N, dim, radii[b % 2]);
    copse_points_destroy(index);
  }
}

static void test_batches_of_points_agree_with_single_queries(void) {
  enum { N = 500, M = 100 };
  static float points[2 * N], centers[2 * M], distances2[M * N];
  static uint32_t offsets[M], counts[M], ids[M * N];
  uint32_t seed = 4, single[N];
  float single2[N];
  for (int i = 0; i < 2 * N; i++) points[i] = (float)(random_word(&seed) % 100);
  for (int i = 0; i < 2 * M; i++) centers[i] = (float)(random_word(&seed) % 100);
  copse_points *index = built(points, N, 8);
  copse_rows rows = {offsets, counts, ids, M * N, 0, false};
  CHECK(copse_points_within_many(index, centers, M, 10, NULL, &rows) == COPSE_OK);
  for (int i = 0; i < M; i++) {
    copse_results out = {single, single2, N, 0, 0};
    copse_points_within(index, centers + 2 * i, 10, NULL, &out);
    CHECK(counts[i] == out.total);
    CHECK(memcmp(ids + offsets[i], single, out.total * sizeof *ids) == 0);
  }
  /* Most points are equal: more than a k-d tree serves at once. k = 1 has a search of its own. */
  for (int i = 2; i < 160; i++) centers[i] = centers[i % 2];
  const uint32_t ks[] = {0, 1, 7, 8, 29};
  for (int which = 0; which < 5; which++) {
    const uint32_t k = ks[which];
    copse_neighbor_rows near = {counts, ids, distances2};
    CHECK(copse_points_neighbors_many(index, centers, M, k, NULL, &near) == COPSE_OK);
    for (uint32_t i = 0; i < M; i++) {
      copse_results out = {single, single2, N, 0, 0};
      copse_points_neighbors(index, centers + 2 * i, k, NULL, &out);
      CHECK(counts[i] == k && memcmp(ids + i * k, single, k * sizeof *ids) == 0);
      CHECK(memcmp(distances2 + i * k, single2, k * sizeof *single2) == 0);
    }
  }
  copse_points_destroy(index);
}

/* With maxDistance, mask and exclude; among few agents, and among many. */
static void test_batches_of_points_apply_the_query(void) {
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
      copse_points *index = make(def);
      const copse_const_positions given = interleaved(points, dim);
      CHECK(copse_points_build_from(index, &given, groups, NULL, n, NULL) == COPSE_OK);
      for (int which = 0; which < 6; which++) {
        copse_query query = copse_query_default();
        if (which % 3) query.maxDistance = which % 3 == 1 ? 0 : 3;
        if (which >= 3) query.mask = 2;
        if (which == 5) query.exclude = 7;
        for (uint32_t k = 1; k <= MOST_K; k += 8) {
          copse_neighbor_rows near = {counts, ids, distances2};
          CHECK(copse_points_neighbors_many(index, centers, M, k, &query, &near) == COPSE_OK);
          for (uint32_t i = 0; i < M; i++) {
            uint32_t single[MOST_K];
            float single2[MOST_K];
            copse_results out = {single, single2, MOST_K, 0, 0};
            CHECK(copse_points_neighbors(index, centers + i * dim, k, &query, &out) == COPSE_OK);
            CHECK(counts[i] == out.total);
            CHECK(memcmp(ids + i * k, single, out.total * sizeof *ids) == 0);
            CHECK(memcmp(distances2 + i * k, single2, out.total * sizeof *single2) == 0);
          }
        }
      }
      copse_points_destroy(index);
    }
  }
}

static copse_hit hit_of(copse_points *index, float x0, float y0, float x1, float y1, float radius) {
  copse_hit hit;
  CHECK(copse_points_raycast(index, (float[]){x0, y0}, (float[]){x1, y1}, radius, NULL, NULL, &hit,
                             NULL) == COPSE_OK);
  return hit;
}

static bool is_hit(copse_hit hit, uint32_t id, float fraction) {
  return hit.id == id && hit.fraction == fraction;
}

static void test_rays_hit_the_first_agent_and_touching_counts(void) {
  const float points[] = {4, 0, 8, 0, 8, 0, 3, 4, -5, 0};
  copse_points *index = built(points, 5, 1);
  CHECK(is_hit(hit_of(index, 0, 0, 16, 0, 1), 0, 3.0f / 16));
  CHECK(is_hit(hit_of(index, 16, 0, 0, 0, 1), 1, 7.0f / 16)); /* a tie: the lower id */
  CHECK(is_hit(hit_of(index, 0, 0, 3, 0, 1), 0, 1));          /* the end touches */
  CHECK(is_hit(hit_of(index, 0, 0, 2.9999f, 0, 1), COPSE_NONE, 1));
  CHECK(is_hit(hit_of(index, 5, 0, 5.5f, 0, 1), 0, 0));       /* the start touches, looking away */
  CHECK(is_hit(hit_of(index, 0, 9, 16, 9, 5), 3, 3.0f / 16)); /* a graze */
  CHECK(is_hit(hit_of(index, 0, 9.0001f, 16, 9.0001f, 5), COPSE_NONE, 1));
  CHECK(is_hit(hit_of(index, 0, 0, 0, 0, 5), 0, 0)); /* a point */
  CHECK(is_hit(hit_of(index, 0, 0, 0, 0, 3.9999f), COPSE_NONE, 1));
  CHECK(is_hit(hit_of(index, 6, 8, 0, 0, 0), 3, 0.5f)); /* exactly on the segment */
  CHECK(is_hit(hit_of(index, -9, 1, -8, 1, INFINITY), 0, 0));
  copse_points_destroy(index);
}

static void test_rays_of_any_length_are_exact(void) {
  const float huge = COPSE_MAX_COORDINATE, tiny = 1e-45f, far = 16777216;
  const float points[] = {huge, huge, -huge, -huge, 0, 0, far, far};
  copse_points *index = built(points, 4, 1);
  CHECK(is_hit(hit_of(index, -huge, huge, huge, -huge, 0), 2, 0.5f));
  CHECK(is_hit(hit_of(index, -huge, -huge, huge, huge, tiny), 1, 0));
  CHECK(is_hit(hit_of(index, 0, huge, huge, huge, 0), 0, 1));
  CHECK(is_hit(hit_of(index, tiny, tiny, -tiny, -tiny, 0), 2, 0.5f));
  CHECK(is_hit(hit_of(index, 2 * tiny, 0, tiny, 0, tiny), 2, 1));
  CHECK(is_hit(hit_of(index, 2 * tiny, tiny, 2 * tiny, -tiny, tiny), COPSE_NONE, 1));
  /* A small agent far away, and a ray that just misses it. */
  CHECK(is_hit(hit_of(index, -far, -far, far, far, 1e-6f), 2, 0.5f));
  CHECK(is_hit(hit_of(index, 0, 2, far, far + 2, 1), COPSE_NONE, 1));
  CHECK(hit_of(index, 0, 2, far, far + 2, 1.5f).id == 3);
  CHECK(is_hit(hit_of(index, 1, 0, 2, 0, 3e38f), 0, 0));
  copse_points_destroy(index);
}

/* Rounding moves these fractions to before the start, or past the end. */
static void test_fractions_of_rays_are_clamped(void) {
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
  copse_points *index = make(def);
  copse_points_set_slots(index, 1);
  CHECK(copse_points_build(index, NULL) == COPSE_OK); /* at 0, 0, 0 */
  const brute_points brute = {readable(copse_points_positions(index)), NULL, 1, 3, NULL};
  for (int i = 0; i < 4; i++) {
    const float *from = CASES[i].from, *to = CASES[i].to, radius = CASES[i].radius;
    copse_hit hit;
    CHECK(copse_points_raycast(index, from, to, radius, NULL, NULL, &hit, NULL) == COPSE_OK);
    CHECK(is_hit(hit, 0, CASES[i].fraction));
    CHECK(brute_raycast(&brute, from, to, radius, NULL, NULL, &hit) == COPSE_OK);
    CHECK(is_hit(hit, 0, CASES[i].fraction));
  }
  copse_points_destroy(index);
}

static void test_pairs_refuse_invalid_radii(void) {
  const float points[] = {2, 0, 4, 0, 6, 0, 8, 0, 10, 0};
  copse_points *index = built(points, 5, 2);
  uint32_t ids[20];
  copse_results pairs = {ids, NULL, 20, 0, 0};
  for (int bad = 0; bad < 5; bad++) {
    float radii[] = {1, 1, 1, 1, 1};
    CHECK(copse_points_pairs(index, 0, radii, NULL, &pairs) == COPSE_OK && pairs.total == 8);
    radii[bad] = bad % 2 ? NAN : -1;
    CHECK(copse_points_pairs(index, 0, radii, NULL, &pairs) == COPSE_INVALID_ARGUMENT);
    CHECK(pairs.total == 0 && pairs.visits == 0);
  }
  copse_points_destroy(index);
}

static void test_rays_apply_radii_and_the_query(void) {
  const float points[] = {2, 0, 4, 0, 6, 0, 8, 0, 10, 0}, radii[] = {NAN, -1, 0, 9, 1};
  const float from[] = {0, 0.5f}, to[] = {16, 0.5f}, on[] = {16, 0}, origin[] = {0, 0};
  copse_points *index = built(points, 5, 2);
  copse_query query = copse_query_default();
  copse_hit hit;
  uint32_t visits = 0;
  CHECK(copse_points_raycast(index, from, to, 1, radii, NULL, &hit, &visits) == COPSE_OK);
  CHECK(hit.id == 3 && visits > 0); /* its radius counts as 1, the maximum */
  CHECK(copse_points_raycast(index, from, to, 9, radii, NULL, &hit, NULL) == COPSE_OK);
  CHECK(hit.id == 3 && hit.fraction == 0);
  query.exclude = 3;
  CHECK(copse_points_raycast(index, from, to, 9, radii, &query, &hit, NULL) == COPSE_OK);
  CHECK(hit.id == 4);
  CHECK(copse_points_raycast(index, origin, on, 1, radii, &query, &hit, NULL) == COPSE_OK);
  CHECK(is_hit(hit, 0, 0.125f)); /* NaN counts as 0 */
  query.mask = 2;
  CHECK(copse_points_raycast(index, from, to, 9, radii, &query, &hit, NULL) == COPSE_OK);
  CHECK(is_hit(hit, COPSE_NONE, 1));
  const brute_points brute = {interleaved(points, 2), NULL, 5, 2, NULL};
  const point_question question = {.lo = {16, 0}, .radius = 1, .query = copse_query_default()};
  CHECK(compare_rays(index, &brute, &question, radii) == NULL);
  copse_points_destroy(index);
}

/* A beam through a row of agents hits each once, in order, however many cells see it. */
static void test_a_piercing_ray_hits_each_agent_once(void) {
  enum { N = 100 };
  float points[2 * N], fractions[N];
  uint32_t ids[N];
  for (uint32_t i = 0; i < N; i++) {
    points[2 * i] = (float)(N - i);
    points[2 * i + 1] = 0;
  }
  copse_points *index = built(points, N, 4);
  const float from[] = {-1, 0.5f}, to[] = {2 * N, 0.5f};
  copse_hits hits = {ids, fractions, N, 0, 0};
  copse_query query = copse_query_default();
  CHECK(copse_points_raycast_all(index, from, to, 0.25f, NULL, NULL, &hits) == COPSE_OK);
  CHECK(hits.total == 0);
  query.inflate = 0.25f; /* touches all */
  CHECK(copse_points_raycast_all(index, from, to, 0.25f, NULL, &query, &hits) == COPSE_OK);
  CHECK(hits.total == N && hits.visits > 0);
  for (uint32_t i = 0; i < N; i++)
    CHECK(ids[i] == N - 1 - i && (!i || fractions[i - 1] < fractions[i]));
  query.exclude = 50;
  hits.capacity = 3;
  query.inflate = INFINITY; /* contains the start: all at fraction 0, by id */
  CHECK(copse_points_raycast_all(index, from, to, 0, NULL, &query, &hits) == COPSE_OK);
  CHECK(hits.total == N - 1 && ids[0] == 0 && ids[1] == 1 && ids[2] == 2 && fractions[2] == 0);
  hits = (copse_hits){NULL, NULL, 0, 0, 0}; /* only counts */
  CHECK(copse_points_raycast_all(index, from, to, 1, NULL, NULL, &hits) == COPSE_OK);
  CHECK(hits.total == N);
  copse_points_destroy(index);
}

static void test_rays_refuse_invalid_arguments(void) {
  const float points[] = {0, 0}, good[] = {1, 1, 2, 2}, bad[] = {1, 1, NAN, 0, 2e18f, 0};
  copse_points *index = built(points, 1, 1);
  copse_points *none = built(points, 0, 1);
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  uint32_t id = 7;
  float fraction = 7;
  copse_hit hit = {7, 7};
  CHECK(copse_points_raycast(index, bad, bad + 2, 1, NULL, NULL, &hit, NULL) == refused);
  CHECK(is_hit(hit, COPSE_NONE, 1));
  CHECK(copse_points_raycast(index, bad + 4, bad, 1, NULL, NULL, &hit, NULL) == refused);
  CHECK(copse_points_raycast(index, good, good, NAN, NULL, NULL, &hit, NULL) == refused);
  CHECK(copse_points_raycast(index, good, good, -1, points, NULL, &hit, NULL) == refused);
  const brute_points brute = {interleaved(points, 2), NULL, 1, 2, NULL};
  CHECK(brute_raycast(&brute, bad, good, 1, NULL, NULL, &hit) == COPSE_OK);
  CHECK(brute_raycast(&brute, bad + 2, good, 1, NULL, NULL, &hit) == refused);
  CHECK(is_hit(hit, COPSE_NONE, 1));
  CHECK(brute_raycast(&brute, good, bad + 4, 1, NULL, NULL, &hit) == refused);
  CHECK(brute_raycast(&brute, good, good, NAN, NULL, NULL, &hit) == refused);
  CHECK(copse_points_raycast_many(index, bad, 1, 1, NULL, NULL, NULL, &id, &fraction) == refused);
  CHECK(copse_points_raycast_many(index, good, 1, -1, NULL, NULL, NULL, &id, &fraction) == refused);
  copse_query query = copse_query_default();
  copse_hits hits = {&id, &fraction, 1, 7, 7};
  CHECK(copse_points_raycast_all(index, bad, bad + 2, 1, NULL, NULL, &hits) == refused);
  CHECK(hits.total == 0 && hits.visits == 0);
  CHECK(copse_points_raycast_all(index, bad + 4, bad, 1, NULL, NULL, &hits) == refused);
  CHECK(copse_points_raycast_all(index, good, good, -1, NULL, NULL, &hits) == refused);
  const float wrong[] = {-1, NAN, -INFINITY};
  for (int i = 0; i < 3; i++) {
    const copse_segment_filters filters = {.inflates = wrong + i};
    CHECK(copse_points_raycast_many(index, good, 1, 1, NULL, NULL, &filters, &id, &fraction) ==
          refused);
    query.inflate = wrong[i];
    CHECK(copse_points_raycast(index, good, good, 1, NULL, &query, &hit, NULL) == refused);
    CHECK(copse_points_raycast_all(index, good, good, 1, NULL, &query, &hits) == refused);
    CHECK(copse_points_raycast_many(index, good, 0, 1, NULL, &query, NULL, &id, &fraction) ==
          refused);
  }
  CHECK(id == 7 && fraction == 7);
  CHECK(copse_points_raycast_many(index, NULL, 0, 1, NULL, NULL, NULL, NULL, NULL) == COPSE_OK);
  CHECK(is_hit(hit_of(none, 0, 0, 1, 1, INFINITY), COPSE_NONE, 1));
  copse_points_destroy(index);
  copse_points_destroy(none);
}

/* Rays among agents on a lattice that coincide or touch, with radii that just reach and just
 * miss. */
static void test_rays_that_just_reach_or_just_miss_are_exact(void) {
  enum { N = 64 };
  uint32_t seed = 12;
  for (uint32_t round = 0; round < repeats(2000); round++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = N;
    def.leafSize = 1 + random_word(&seed) % 8;
    def.dimensions = 2 + random_word(&seed) % 2;
    copse_points *index = make(def);
    copse_points_set_slots(index, N);
    copse_positions positions = copse_points_positions(index);
    const float scale = ldexpf(1, (int)(random_word(&seed) % 170) - 130);
    const float offset = random_word(&seed) % 2 ? 0 : scale * (float)(random_word(&seed) % 65536);
    for (uint32_t id = 0; id < N; id++)
      for (uint32_t axis = 0; axis < def.dimensions; axis++)
        positions.axes[axis][id * positions.stride] =
            offset + scale * (float)(random_word(&seed) % 9);
    CHECK(copse_points_build(index, NULL) == COPSE_OK);
    const brute_points brute = {readable(positions), NULL, N, def.dimensions, NULL};
    point_question question = {.query = copse_query_default()};
    float way2 = 0, radii[N];
    for (uint32_t axis = 0; axis < def.dimensions; axis++) {
      question.center[axis] = offset + scale * ((float)(random_word(&seed) % 17) - 4);
      question.lo[axis] = offset + scale * ((float)(random_word(&seed) % 17) - 4);
      const float d = question.center[axis] - positions.axes[axis][0];
      way2 += d * d;
    }
    question.radius =
        random_word(&seed) % 2 ? sqrtf(way2) : scale * (float)(random_word(&seed) % 4);
    const uint32_t nudge = random_word(&seed) % 3;
    if (nudge) question.radius = nextafterf(question.radius, nudge == 1 ? INFINITY : 0);
    for (uint32_t id = 0; id < N; id++)
      radii[id] =
          random_word(&seed) % 2 ? question.radius : scale * (float)(random_word(&seed) % 3);
    CHECK(compare_rays(index, &brute, &question, NULL) == NULL);
    CHECK(compare_rays(index, &brute, &question, radii) == NULL);
    copse_points_destroy(index);
  }
}

/* Every kind of search in 2D and 3D. Results don't depend on it; more visits mean slower queries.
 * The grids have cells that hold an agent or two, share entries, or hold all agents. Then the same
 * for the group of one half of the agents: not every index prunes by group. */
static void test_searches_visit_the_recorded_number_of_nodes(void) {
  enum { N = 2000, SEARCHES = 200, SIDE = 50 };
  static float points[3 * N];
  static uint32_t groups[N], ids[N];
  static float distances2[N];
  uint64_t visited[2][2] = {{0}}; /* by all groups or one, then by dimensions */
  for (uint32_t dim = 2; dim <= 3; dim++) {
    uint32_t seed = 21;
    for (uint32_t i = 0; i < N * dim; i++)
      points[i] = (float)(random_word(&seed) >> 8) * SIDE / 16777216;
    for (uint32_t i = 0; i < N; i++) groups[i] = points[i * dim] < (float)SIDE / 2 ? 1 : 2;
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = N;
    def.dimensions = dim;
    copse_points *index = make(def);
    const copse_const_positions given = interleaved(points, dim);
    CHECK(copse_points_build_from(index, &given, groups, NULL, N, NULL) == COPSE_OK);
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
      copse_points_count_within(index, center, 3, &query, &total, &visits[0]);
      copse_points_any_within(index, center, 1, &query, &any, &visits[1]);
      copse_points_nearest(index, center, &query, &total, NULL, &visits[2]);
      copse_points_raycast(index, center, to, 0.25f, NULL, &query, &hit, &visits[3]);
      for (int i = 0; i < 4; i++) *sum += visits[i];
      copse_points_within(index, center, 3, &query, &results);
      *sum += results.visits;
      copse_points_range(index, center, hi, &query, &results);
      *sum += results.visits;
      copse_points_cone(index, center, to, 0.5f, 6, &query, &results);
      *sum += results.visits;
      copse_points_neighbors(index, center, 8, &query, &results);
      *sum += results.visits;
    }
    copse_points_destroy(index);
  }
  static const uint64_t MEASURED[][2][2] = {{{14954, 17237}, {13399, 16237}},
                                            {{13079, 16119}, {25536, 27209}},
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

/* The order must not depend on earlier builds. */
static void test_the_order_does_not_depend_on_history(void) {
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
      CHECK(copse_points_build_from(veteran, &given, NULL, NULL, n, NULL) == COPSE_OK);
      CHECK(copse_points_build_from(novice, &given, NULL, NULL, n, NULL) == COPSE_OK);
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

static void test_a_restored_index_finds_the_same(void) {
  for (int layout = 0; layout < 2; layout++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = 64;
    def.leafSize = 2;
    copse_points *index = make(def);
    copse_points_set_slots(index, 40);
    uint32_t seed = 9;
    copse_positions positions = copse_points_positions(index);
    for (uint32_t i = 0; i < 40; i++)
      for (int axis = 0; axis < 2; axis++)
        positions.axes[axis][i * positions.stride] = (float)(random_word(&seed) % 100);
    copse_points_groups(index)[5] = 2;
    copse_points_groups(index)[6] = 0;
    copse_points_build(index, NULL);
    positions.axes[0][0] = 1234; /* moved since the build */
    copse_points_groups(index)[7] = 0;
    copse_points_set_slots(index, 30);

    size_t total, again;
    CHECK(copse_points_save(index, NULL, 0, &total, NULL) == COPSE_FULL && total % 4 == 0);
    uint32_t *bytes = malloc(total);
    CHECK(copse_points_save(index, bytes, total - 1, &again, NULL) == COPSE_FULL && again == total);
    CHECK(copse_points_save(index, bytes, total, &again, NULL) == COPSE_OK);

    def.capacity = 50;
    def.layout = (copse_layout)layout;
    copse_points *other = make(def);
    CHECK(copse_points_restore(other, bytes, total, NULL) == COPSE_OK);
    CHECK(copse_points_validate(other) && copse_points_count(other) == 30);
    CHECK(copse_points_positions(other).axes[0][0] == 1234);
    for (int isBuilt = 0; isBuilt < 2; isBuilt++) {
      uint32_t ours[64], theirs[64];
      copse_results a = {ours, NULL, 64, 0, 0}, b = {theirs, NULL, 64, 0, 0};
      copse_points_within(index, (float[]){50, 50}, INFINITY, NULL, &a);
      copse_points_within(other, (float[]){50, 50}, INFINITY, NULL, &b);
      CHECK(a.total == (isBuilt ? 28 : 39) && same_results(&a, &b, false));
      copse_points_build(index, NULL);
      copse_points_build(other, NULL);
    }
    free(bytes);
    copse_points_destroy(index);
    copse_points_destroy(other);
  }
}

static void test_damaged_snapshots_change_nothing(void) {
  const float points[] = {1, 2, 3, 4, 5, 6};
  copse_points *index = built(points, 3, 1);
  uint32_t bytes[128], damaged[128];
  size_t total;
  CHECK(copse_points_save(index, bytes, sizeof bytes, &total, NULL) == COPSE_OK);
  for (size_t bit = 0; bit < total * 8; bit++) {
    memcpy(damaged, bytes, total);
    damaged[bit / 32] ^= 1u << bit % 32;
    CHECK(copse_points_restore(index, damaged, total, NULL) == COPSE_BAD_SNAPSHOT);
  }
  for (size_t size = 0; size < total + 16; size++)
    if (size != total) CHECK(copse_points_restore(index, bytes, size, NULL) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_points_restore(index, (char *)bytes + 1, total - 4, NULL) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_points_validate(index) && within_count(index, 3, 4, 0) == 1);

  copse_points *smaller = built(points, 2, 1);
  CHECK(copse_points_restore(smaller, bytes, total, NULL) == COPSE_FULL);
  const kind same = tested;
  tested = (kind){.noun = AGENTTREE};
  copse_points *other = built(points, 3, 2); /* with another leafSize */
  tested = same;
  CHECK(copse_points_restore(other, bytes, total, NULL) == COPSE_BAD_SNAPSHOT);
  CHECK(within_count(smaller, 3, 4, 0) == 1 && within_count(other, 3, 4, 0) == 1);
  copse_points_destroy(index);
  copse_points_destroy(smaller);
  copse_points_destroy(other);
}

/* The fields of a snapshot must be consistent, and fit the index that restores it. */
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
  enum { STATE = HEAD + 3 }; /* after the generations */
  const float points[] = {1, 2, 3, 4, 5, 6};
  const uint32_t nan = 0x7fc00000, kinds[] = {SNAPSHOT_AGENTTREE, SNAPSHOT_GRID, SNAPSHOT_KDTREE};
  for (int skips = 0; skips < 2; skips++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.onNonFinite = (copse_on_non_finite)skips;
    copse_points *index = make(def);
    const copse_const_positions given = interleaved(points, 2);
    CHECK(copse_points_build_from(index, &given, NULL, NULL, 3, NULL) == COPSE_OK);
    memcpy(copse_points_positions(index).axes[0], points, sizeof points);
    uint32_t bytes[64], forged[64] = {0}; /* some claim more than was saved */
    size_t total;
    CHECK(copse_points_save(index, bytes, sizeof bytes, &total, NULL) == COPSE_OK);
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
        {IS_BUILT, 2, false},    {HEAD, 2, false}, /* a free slot with a group */
        {HEAD + 2, 0, false},    {EVER, 2, false},
        {EXTRAS, 1, false},      {EXTRAS, 4, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      memcpy(forged, bytes, total);
      forged[cases[i].word] = cases[i].value;
      snapshot_seal(forged, total, (snapshot_kind)kinds[tested.noun]);
      const bool taken = skips && cases[i].isTakenBySkipping;
      CHECK(copse_points_restore(index, forged, total, NULL) ==
            (taken ? COPSE_OK : COPSE_BAD_SNAPSHOT));
      CHECK(copse_points_validate(index) && copse_points_count(index) == 3 &&
            within_count(index, 3, 4, 0) == 1);
      if (taken) CHECK(copse_points_restore(index, bytes, total, NULL) == COPSE_OK);
    }
    /* The right size in total: more slots in one state, fewer in the other. */
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
    CHECK(copse_points_restore(small, forged, total, NULL) == COPSE_FULL &&
          copse_points_count(small) == 0);
    forged[SLOTS] = forged[EVER] = 2;
    forged[COUNT_BUILT] = 4;
    memset(forged + HEAD + 2, 0, 3 * sizeof *forged);
    total -= 8;
    snapshot_seal(forged, total, (snapshot_kind)kinds[tested.noun]);
    CHECK(copse_points_restore(small, forged, total, NULL) == COPSE_FULL &&
          copse_points_count(small) == 0);
    CHECK(copse_points_restore(index, forged, total, NULL) == COPSE_OK &&
          copse_points_count(index) == 2);
    copse_points_destroy(small);
    copse_points_destroy(index);
  }
}

const unit_test POINTS_TESTS[] = {
    EVERY(test_invalid_definitions_are_refused),
    TEST(test_invalid_definitions_of_an_agent_tree_are_refused),
    TEST(test_invalid_cell_sizes_are_refused),
    TEST(test_unknown_builders_are_refused),
    EVERY(test_bytes_predicts_the_memory_of_a_new_index),
    EVERY(test_an_index_takes_at_most_64_bytes_per_agent),
    EVERY(test_reserve_keeps_buffers_and_the_last_build),
    EVERY(test_arrays_by_slot_are_as_long_as_the_last_build),
    EVERY(test_more_slots_than_the_capacity_are_refused),
    EVERY(test_the_order_holds_the_agents_of_the_last_build),
    EVERY(test_queries_need_a_build),
    EVERY(test_agents_can_be_added_moved_and_removed),
    EVERY(test_set_slots_adds_and_frees_agents),
    EVERY(test_snapshots_hold_free_slots_and_generations),
    EVERY(test_indexes_of_no_agent_and_of_one_work),
    EVERY(test_coincident_agents_make_one_leaf),
    EVERY(test_exponential_spacing_makes_no_deep_tree),
    EVERY(test_adjacent_floats_are_distinguished),
    EVERY(test_huge_and_tiny_coordinates_work),
    EVERY(test_denormals_are_not_flushed_to_zero),
    EVERY(test_minus_zero_equals_zero),
    EVERY(test_a_position_that_is_not_finite_is_named_and_the_last_build_stays),
    EVERY(test_build_from_takes_any_layout),
    EVERY(test_build_from_copies_agents),
    EVERY(test_build_from_can_skip_agents),
    EVERY(test_skipped_agents_are_counted_and_never_found),
    EVERY(test_no_input_makes_a_build_deep_or_long),
    TEST(test_median_splits_are_balanced),
    TEST(test_the_node_pool_suffices_for_lopsided_inputs),
    TEST(test_halving_some_agents_leaves_nodes_for_the_others),
    TEST(test_cells_and_stats_agree),
    EVERY(test_validate_detects_wrong_counts_and_ids),
    EVERY(test_validate_detects_ids_that_are_no_permutation),
    TEST(test_validate_detects_damage_in_an_agent_tree),
    TEST(test_validate_detects_a_tree_that_is_too_deep),
    EVERY(test_each_query_refuses_only_arguments_it_cannot_use),
    EVERY(test_optional_outputs_of_queries_may_be_null),
    TEST(test_brute_force_stops_at_the_capacity_and_keeps_the_total),
    EVERY(test_the_widest_cone_finds_all_agents_within_the_radius),
    EVERY(test_invalid_arguments_are_refused),
    EVERY(test_a_frustum_holds_what_is_inside_all_planes),
    EVERY(test_invalid_frustums_are_refused),
    EVERY(test_truncated_results_stop_at_the_capacity_and_keep_the_total),
    EVERY(test_ties_go_to_the_lower_id),
    EVERY(test_queries_agree_with_brute_force),
    EVERY(test_every_query_is_exact_on_every_spread),
    EVERY(test_batches_refuse_invalid_arguments),
    EVERY(test_truncated_rows_are_whole),
    EVERY(test_batches_are_exact_for_crowded_agents),
    EVERY(test_batches_are_exact_if_all_agents_are_near_each_other),
    EVERY(test_all_neighbors_are_exact_where_density_changes),
    EVERY(test_agents_added_after_the_build_have_empty_rows),
    EVERY(test_batches_are_exact_where_cells_are_rounded),
    EVERY(test_batches_of_points_agree_with_single_queries),
    EVERY(test_batches_of_points_apply_the_query),
    EVERY(test_rays_hit_the_first_agent_and_touching_counts),
    EVERY(test_rays_of_any_length_are_exact),
    EVERY(test_fractions_of_rays_are_clamped),
    EVERY(test_pairs_refuse_invalid_radii),
    EVERY(test_rays_apply_radii_and_the_query),
    EVERY(test_a_piercing_ray_hits_each_agent_once),
    EVERY(test_rays_refuse_invalid_arguments),
    EVERY(test_rays_that_just_reach_or_just_miss_are_exact),
    EVERY(test_searches_visit_the_recorded_number_of_nodes),
    EVERY(test_the_order_does_not_depend_on_history),
    EVERY(test_no_frame_allocates), /* long */
    EVERY(test_a_restored_index_finds_the_same),
    EVERY(test_damaged_snapshots_change_nothing),
    EVERY(test_forged_snapshots_change_nothing),
    {NULL, NULL, false},
};
