/* Unit tests of the C API, run under sanitizers. Prints `N passed, N failed`. */

#include "compare.h"

#include "../../c/core.h"

#include <stdio.h>

static const char *failure; /* the first check of the current test that did not hold */
static int failureLine;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition) && !failure) {                                                                \
      failure = #condition;                                                                        \
      failureLine = __LINE__;                                                                      \
    }                                                                                              \
  } while (0)

/* ---- Helpers ---- */

static copse_agenttree *make_tree(copse_agenttree_def def) {
  copse_agenttree *tree = NULL;
  CHECK(copse_agenttree_create(&def, &tree) == COPSE_OK);
  return tree;
}

/* A 2D tree over n given points, built. */
static copse_agenttree *tree_of(const float *points, uint32_t n, uint32_t leafSize) {
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = n ? n : 1;
  def.leafSize = leafSize;
  copse_agenttree *tree = make_tree(def);
  copse_agenttree_set_count(tree, n);
  memcpy(copse_agenttree_positions(tree).axes[0], points, n * 2 * sizeof *points);
  CHECK(copse_agenttree_build(tree, NULL) == COPSE_OK);
  CHECK(copse_agenttree_validate(tree));
  return tree;
}

static uint32_t within_count(const copse_agenttree *tree, float x, float y, float radius) {
  uint32_t total = COPSE_NONE;
  copse_agenttree_count_within(tree, (float[]){x, y, 0}, radius, NULL, &total, NULL);
  return total;
}

/* ---- Core ---- */

static void test_every_status_has_a_text(void) {
  for (int status = COPSE_OK; status <= COPSE_BAD_SNAPSHOT; status++) {
    CHECK(strlen(copse_status_text((copse_status)status)) > 0);
    CHECK(strcmp(copse_status_text((copse_status)status), "unknown status") != 0);
  }
  CHECK(strcmp(copse_status_text((copse_status)999), "unknown status") == 0);
}

static void test_slots_are_reused_with_a_new_generation(void) {
  uint32_t generations[3], nextFree[3];
  slots all = SLOTS_EMPTY;
  slots_grow(&all, generations, nextFree, 2);
  CHECK(slots_take(&all) == 0 && slots_take(&all) == 1 && slots_take(&all) == COPSE_NONE);
  uint32_t before = generations[1];
  CHECK(slots_free(&all, 1) == COPSE_OK && !slots_in_use(&all, 1));
  CHECK(slots_free(&all, 1) == COPSE_STALE_HANDLE && slots_free(&all, 7) == COPSE_STALE_HANDLE);
  CHECK(slots_take(&all) == 1 && generations[1] != before);
}

static void test_slots_keep_their_state_when_they_grow(void) {
  uint32_t generations[2], nextFree[2], moreGenerations[4], moreNextFree[4];
  slots all = SLOTS_EMPTY;
  slots_grow(&all, generations, nextFree, 2);
  slots_take(&all);
  slots_take(&all);
  slots_free(&all, 0);
  slots_grow(&all, moreGenerations, moreNextFree, 4);
  CHECK(!slots_in_use(&all, 0) && slots_in_use(&all, 1));
  CHECK(slots_take(&all) == 0 && slots_take(&all) == 2 && slots_take(&all) == 3);
  CHECK(slots_take(&all) == COPSE_NONE);
}

static void test_arena_aligns_every_array(void) {
  char block[256];
  for (int shift = 0; shift < 16; shift++) {
    arena all = arena_over(block + shift);
    for (int i = 0; i < 3; i++) CHECK((uintptr_t)arena_carve(&all, 5, 1) % ARENA_ALIGNMENT == 0);
    CHECK(arena_block_bytes(all.used) >= 48 && all.base + all.used <= block + shift + 64 + 16);
  }
}

/* ---- Definitions and memory ---- */

static void test_bad_definitions_are_refused(void) {
  copse_agenttree_def bad[8];
  for (int i = 0; i < 8; i++) bad[i] = copse_agenttree_default();
  bad[0].dimensions = 1;
  bad[1].dimensions = 4;
  bad[2].capacity = 0;
  bad[3].capacity = COPSE_MAX_CAPACITY + 1;
  bad[4].leafSize = 0;
  bad[5].axis = (copse_axis)9;
  bad[6].split = (copse_split)9;
  bad[7].layout = (copse_layout)9;
  for (int i = 0; i < 8; i++) {
    copse_agenttree *tree = (copse_agenttree *)&bad;
    CHECK(copse_agenttree_create(&bad[i], &tree) == COPSE_INVALID_ARGUMENT);
    CHECK(tree == NULL && copse_agenttree_bytes(&bad[i]) == 0);
  }
}

/* An allocator that fails at a chosen call and knows what is not given back. */
typedef struct ledger {
  int callsLeft; /* until one fails; negative: none does */
  size_t bytesHeld;
} ledger;

static void *ledger_allocate(size_t bytes, void *context) {
  ledger *book = context;
  if (book->callsLeft-- == 0) return NULL;
  book->bytesHeld += bytes;
  return malloc(bytes);
}

static void ledger_release(void *memory, size_t bytes, void *context) {
  ((ledger *)context)->bytesHeld -= bytes;
  free(memory);
}

static void test_bytes_says_what_creation_takes(void) {
  for (uint32_t leafSize = 1; leafSize < 40; leafSize += 7) {
    ledger book = {-1, 0};
    copse_agenttree_def def = copse_agenttree_default();
    def.leafSize = leafSize;
    def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
    copse_agenttree *tree = make_tree(def);
    CHECK(book.bytesHeld == copse_agenttree_bytes(&def));
    CHECK(book.bytesHeld == copse_agenttree_stats(tree).bytes);
    copse_agenttree_destroy(tree);
    CHECK(book.bytesHeld == 0);
  }
}

static void test_a_tree_of_default_leaf_size_takes_at_most_64_bytes_an_agent(void) {
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = 100000;
  CHECK(copse_agenttree_bytes(&def) <= 64 * (size_t)def.capacity);
}

static void test_every_failing_allocation_is_reported_and_leaks_nothing(void) {
  for (int failing = 0; failing < 2; failing++) {
    ledger book = {failing, 0};
    copse_agenttree_def def = copse_agenttree_default();
    def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
    copse_agenttree *tree;
    CHECK(copse_agenttree_create(&def, &tree) == COPSE_OUT_OF_MEMORY);
    CHECK(tree == NULL && book.bytesHeld == 0);
  }
}

static void test_no_frame_allocates(void) {
  enum { N = 200, FRAMES = 10000, K = 4 };
  ledger book = {-1, 0};
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = N;
  def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
  copse_agenttree *tree = make_tree(def);
  float *positions = copse_agenttree_positions(tree).axes[0];
  for (int i = 0; i < 2 * N; i++) positions[i] = (float)(i * 37 % 101);
  static uint32_t offsets[N], counts[N], ids[N * N];
  static float distances2[N * K];
  book.callsLeft = 0; /* the next would be counted */
  for (int frame = 0; frame < FRAMES; frame++) {
    positions[frame % (2 * N)] += (float)(frame % 7) - 3;
    copse_agenttree_set_count(tree, N - (uint32_t)frame % 5);
    CHECK(copse_agenttree_build(tree, NULL) == COPSE_OK);
    copse_rows rows = {offsets, counts, ids, N * N, 0, false};
    CHECK(copse_agenttree_all_within(tree, 8, NULL, NULL, &rows) == COPSE_OK);
    copse_neighbor_rows nearest = {counts, ids, distances2};
    CHECK(copse_agenttree_all_neighbors(tree, K, NULL, NULL, &nearest) == COPSE_OK);
    copse_results pairs = {ids, NULL, N * N, 0, 0};
    CHECK(copse_agenttree_pairs(tree, 2, NULL, NULL, &pairs) == COPSE_OK);
    CHECK(within_count(tree, 50, 50, 200) > 0);
  }
  CHECK(book.callsLeft == 0);
  copse_agenttree_destroy(tree);
}

static void test_a_failing_reserve_keeps_the_tree(void) {
  ledger book = {-1, 0};
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = 4;
  def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
  copse_agenttree *tree = make_tree(def);
  copse_agenttree_set_count(tree, 4);
  copse_agenttree_build(tree, NULL);
  book.callsLeft = 0;
  CHECK(copse_agenttree_reserve(tree, 100) == COPSE_OUT_OF_MEMORY);
  CHECK(copse_agenttree_capacity(tree) == 4 && within_count(tree, 0, 0, 0) == 4);
  CHECK(copse_agenttree_validate(tree));
  CHECK(copse_agenttree_reserve(tree, COPSE_MAX_CAPACITY + 1) == COPSE_INVALID_ARGUMENT);
  copse_agenttree_destroy(tree);
  CHECK(book.bytesHeld == 0);
}

static void test_reserve_keeps_buffers_and_the_built_tree(void) {
  for (int layout = 0; layout < 2; layout++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = 50;
    def.dimensions = 3;
    def.leafSize = 3;
    def.layout = (copse_layout)layout;
    copse_agenttree *tree = make_tree(def);
    copse_agenttree_set_count(tree, 50);
    copse_positions positions = copse_agenttree_positions(tree);
    for (uint32_t id = 0; id < 50; id++)
      for (int axis = 0; axis < 3; axis++)
        positions.axes[axis][id * positions.stride] = (float)(id * (uint32_t)(axis + 1));
    copse_agenttree_groups(tree)[7] = 6;
    copse_agenttree_build(tree, NULL);
    CHECK(copse_agenttree_reserve(tree, 20) == COPSE_OK && copse_agenttree_capacity(tree) == 50);
    CHECK(copse_agenttree_reserve(tree, 500) == COPSE_OK && copse_agenttree_capacity(tree) == 500);
    positions = copse_agenttree_positions(tree);
    for (uint32_t id = 0; id < 50; id++)
      for (int axis = 0; axis < 3; axis++)
        CHECK(positions.axes[axis][id * positions.stride] == (float)(id * (uint32_t)(axis + 1)));
    CHECK(copse_agenttree_groups(tree)[7] == 6 && copse_agenttree_groups(tree)[499] == 1);
    CHECK(within_count(tree, 0, 0, INFINITY) == 50 && copse_agenttree_validate(tree));
    CHECK(copse_agenttree_set_count(tree, 500) == COPSE_OK);
    CHECK(copse_agenttree_build(tree, NULL) == COPSE_OK && copse_agenttree_validate(tree));
    copse_agenttree_destroy(tree);
  }
}

static void test_a_count_above_the_capacity_is_full(void) {
  copse_agenttree *tree = make_tree(copse_agenttree_default());
  CHECK(copse_agenttree_set_count(tree, 1000) == COPSE_OK);
  CHECK(copse_agenttree_set_count(tree, 1001) == COPSE_FULL);
  CHECK(copse_agenttree_count(tree) == 1000);
  float xs[2] = {0}, ys[2] = {0};
  copse_positions positions = {{xs, ys, NULL}, 1};
  CHECK(copse_agenttree_build_from(tree, &positions, NULL, 1001, NULL) == COPSE_FULL);
  positions.axes[1] = NULL;
  CHECK(copse_agenttree_build_from(tree, &positions, NULL, 2, NULL) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_agenttree_count(tree) == 1000);
  copse_agenttree_destroy(tree);
  copse_agenttree_destroy(NULL);
}

/* ---- Build ---- */

static void test_before_the_first_build_every_query_is_empty(void) {
  copse_agenttree *tree = make_tree(copse_agenttree_default());
  copse_agenttree_set_count(tree, 10);
  CHECK(within_count(tree, 0, 0, INFINITY) == 0);
  uint32_t id = 5;
  CHECK(copse_agenttree_nearest(tree, (float[]){0, 0}, NULL, &id, NULL, NULL) == COPSE_OK);
  CHECK(id == COPSE_NONE && copse_agenttree_validate(tree));
  CHECK(copse_agenttree_cells(tree, NULL, 0) == 0);
  copse_agenttree_destroy(tree);
}

static void test_no_agents_and_one_agent(void) {
  const float point[2] = {3, 4};
  copse_agenttree *none = tree_of(point, 0, 4), *one = tree_of(point, 1, 4);
  CHECK(within_count(none, 0, 0, INFINITY) == 0 && copse_agenttree_stats(none).nodes == 0);
  CHECK(within_count(one, 0, 0, 5) == 1 && copse_agenttree_stats(one).nodes == 1);
  copse_agenttree_destroy(none);
  copse_agenttree_destroy(one);
}

static void test_coincident_agents_make_one_leaf(void) {
  enum { N = 10000 };
  static float points[2 * N];
  for (int i = 0; i < 2 * N; i++) points[i] = 7;
  copse_agenttree *tree = tree_of(points, N, 1);
  CHECK(copse_agenttree_stats(tree).nodes == 1);
  CHECK(within_count(tree, 7, 7, 0) == N);
  copse_agenttree_destroy(tree);
}

static void test_exponential_spacing_keeps_the_depth_bounded(void) {
  enum { N = 10000 };
  static float points[2 * N];
  for (int i = 0; i < N; i++) {
    points[2 * i] = ldexpf(1 + (float)(i % 64) / 64, i % 240 - 190);
    points[2 * i + 1] = ldexpf(1 + (float)(i % 37) / 37, i % 167 - 120);
  }
  copse_agenttree *tree = tree_of(points, N, 1);
  CHECK(copse_agenttree_stats(tree).depth < COPSE_MAX_DEPTH);
  CHECK(within_count(tree, 0, 0, INFINITY) == N);
  copse_agenttree_destroy(tree);
}

static void test_adjacent_floats_are_told_apart(void) {
  float points[64], x = 1;
  for (int i = 0; i < 32; i++, x = nextafterf(x, 2)) points[2 * i] = points[2 * i + 1] = x;
  copse_agenttree *tree = tree_of(points, 32, 1);
  CHECK(copse_agenttree_stats(tree).leaves == 32);
  CHECK(within_count(tree, points[0], points[1], 0) == 1);
  copse_agenttree_destroy(tree);
}

static void test_huge_and_tiny_coordinates(void) {
  const float huge = COPSE_MAX_COORDINATE, tiny = 1e-45f;
  const float points[] = {huge, huge, -huge, -huge, tiny, -tiny, 0, 0, -0.0f, 0};
  copse_agenttree *tree = tree_of(points, 5, 1);
  CHECK(within_count(tree, 0, 0, 0) == 3); /* the difference squared underflows to 0 */
  CHECK(within_count(tree, 0, 0, INFINITY) == 5);
  CHECK(within_count(tree, huge, huge, 1e18f) == 1);
  copse_agenttree_destroy(tree);
}

static void test_a_position_that_is_not_finite_is_named_and_the_old_tree_stays(void) {
  const float bad[] = {NAN, INFINITY, -INFINITY, 2e18f, -2e18f};
  for (int i = 0; i < 5; i++) {
    float points[] = {0, 0, 1, 1, 2, 2};
    copse_agenttree *tree = tree_of(points, 3, 1);
    copse_positions positions = copse_agenttree_positions(tree);
    positions.axes[0][0] = 50;
    positions.axes[1][2 * positions.stride] = bad[i];
    uint32_t firstBad = 0;
    CHECK(copse_agenttree_build(tree, &firstBad) == COPSE_NOT_FINITE && firstBad == 2);
    CHECK(within_count(tree, 0, 0, 0) == 1 && within_count(tree, 0, 0, INFINITY) == 3);
    size_t total;
    firstBad = 0;
    CHECK(copse_agenttree_save(tree, NULL, 0, &total, &firstBad) == COPSE_NOT_FINITE);
    CHECK(firstBad == 2);
    copse_agenttree_groups(tree)[2] = 0; /* what has no group is not looked at */
    CHECK(copse_agenttree_build(tree, &firstBad) == COPSE_OK && firstBad == COPSE_NONE);
    CHECK(within_count(tree, 0, 0, INFINITY) == 2);
    copse_agenttree_destroy(tree);
  }
}

static void test_skip_leaves_out_and_counts_what_is_not_finite(void) {
  copse_agenttree_def def = copse_agenttree_default();
  def.onNonFinite = COPSE_NON_FINITE_SKIP;
  copse_agenttree *tree = make_tree(def);
  copse_agenttree_set_count(tree, 100);
  copse_positions positions = copse_agenttree_positions(tree);
  for (uint32_t id = 0; id < 100; id += 3) positions.axes[id % 2][id * positions.stride] = NAN;
  CHECK(copse_agenttree_build(tree, NULL) == COPSE_OK && copse_agenttree_validate(tree));
  CHECK(copse_agenttree_stats(tree).skipped == 34 && copse_agenttree_stats(tree).agents == 66);
  CHECK(within_count(tree, 0, 0, INFINITY) == 66);
  copse_agenttree_destroy(tree);
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
    copse_agenttree *tree = make_tree(def);
    const copse_positions given = {{points, points + 1, NULL}, 2};
    CHECK(copse_agenttree_build_from(tree, &given, NULL, N, NULL) == COPSE_OK);
    CHECK(copse_agenttree_validate(tree) && copse_agenttree_stats(tree).depth == 12);
    copse_agenttree_destroy(tree);
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
    copse_agenttree *tree = tree_of(points, N, leafSize);
    CHECK(within_count(tree, 0, 0, INFINITY) == N);
    copse_agenttree_destroy(tree);
  }
}

static void test_cells_and_stats_agree(void) {
  enum { N = 200 };
  float points[2 * N];
  uint32_t seed = 1;
  for (int i = 0; i < 2 * N; i++) points[i] = (float)(random_word(&seed) % 1000);
  copse_agenttree *tree = tree_of(points, N, 8);
  copse_agenttree_statistics stats = copse_agenttree_stats(tree);
  static float cells[2 * N * 6];
  size_t floats = copse_agenttree_cells(tree, cells, sizeof cells / sizeof *cells);
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
  CHECK(copse_agenttree_cells(tree, one, 11) == floats && one[6] == 42 && one[5] == N);
  copse_agenttree_destroy(tree);
}

/* ---- Queries ---- */

static void test_bad_arguments_are_refused(void) {
  const float points[] = {0, 0, 1, 1};
  copse_agenttree *tree = tree_of(points, 2, 1);
  uint32_t ids[4], total;
  float distances2[4], origin[2] = {0, 0}, nan2[2] = {0, NAN}, far2[2] = {2e18f, 0};
  bool any;
  copse_results out = {ids, distances2, 4, 0, 0};
  copse_query query = copse_query_default();
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  CHECK(copse_agenttree_within(tree, origin, -1, NULL, &out) == refused);
  CHECK(copse_agenttree_within(tree, origin, NAN, NULL, &out) == refused);
  CHECK(copse_agenttree_within(tree, nan2, 1, NULL, &out) == refused);
  CHECK(copse_agenttree_within(tree, far2, 1, NULL, &out) == refused);
  CHECK(copse_agenttree_count_within(tree, origin, -1, NULL, &total, NULL) == refused);
  CHECK(copse_agenttree_any_within(tree, nan2, 1, NULL, &any, NULL) == refused && !any);
  CHECK(copse_agenttree_range(tree, points + 2, points, NULL, &out) == refused);
  CHECK(copse_agenttree_range(tree, nan2, points + 2, NULL, &out) == refused);
  CHECK(copse_agenttree_cone(tree, origin, origin, 1, 1, NULL, &out) == refused);
  CHECK(copse_agenttree_cone(tree, origin, nan2, 1, 1, NULL, &out) == refused);
  CHECK(copse_agenttree_cone(tree, origin, points + 2, 4, 1, NULL, &out) == refused);
  CHECK(copse_agenttree_cone(tree, origin, points + 2, -1, 1, NULL, &out) == refused);
  out.distances2 = NULL;
  CHECK(copse_agenttree_neighbors(tree, origin, 1, NULL, &out) == refused);
  query.sort = COPSE_SORT_DISTANCE;
  CHECK(copse_agenttree_within(tree, origin, 1, &query, &out) == refused);
  CHECK(copse_agenttree_range(tree, origin, points + 2, &query, &out) == refused);
  query = copse_query_default();
  query.maxDistance = -1;
  CHECK(copse_agenttree_nearest(tree, origin, &query, ids, NULL, NULL) == refused);
  out = (copse_results){ids, distances2, 1, 0, 0};
  CHECK(copse_agenttree_neighbors(tree, origin, 2, NULL, &out) == refused);
  out = (copse_results){NULL, NULL, 4, 0, 0};
  CHECK(copse_agenttree_within(tree, origin, 1, NULL, &out) == refused);
  copse_agenttree_destroy(tree);
}

static void test_a_truncated_result_stops_at_its_capacity_and_tells_the_total(void) {
  enum { N = 37 };
  float points[2 * N] = {0};
  copse_agenttree *tree = tree_of(points, N, 4);
  for (uint32_t capacity = 0; capacity <= N; capacity++) {
    uint32_t ids[N + 1];
    float distances2[N + 1];
    for (int i = 0; i <= N; i++) ids[i] = 99, distances2[i] = 99;
    copse_results out = {ids, distances2, capacity, 0, 0};
    CHECK(copse_agenttree_within(tree, points, 1, NULL, &out) == COPSE_OK && out.total == N);
    CHECK(ids[capacity] == 99 && distances2[capacity] == 99);
    for (uint32_t i = 0; i < capacity; i++) CHECK(ids[i] == i && distances2[i] == 0);
  }
  copse_results nowhere = {NULL, NULL, 0, 0, 0};
  CHECK(copse_agenttree_within(tree, points, 1, NULL, &nowhere) == COPSE_OK && nowhere.total == N);
  copse_agenttree_destroy(tree);
}

static void test_ties_go_to_the_lower_id(void) {
  const float points[] = {1, 0, -1, 0, 0, 1, 0, -1, 1, 0};
  copse_agenttree *tree = tree_of(points, 5, 1);
  uint32_t ids[5];
  float distances2[5], origin[2] = {0, 0};
  copse_results out = {ids, distances2, 5, 0, 0};
  for (uint32_t k = 0; k <= 6; k++) {
    CHECK(copse_agenttree_neighbors(tree, origin, k, NULL, &out) == COPSE_OK);
    CHECK(out.total == (k < 5 ? k : 5));
    for (uint32_t i = 0; i < out.total; i++) CHECK(ids[i] == i && distances2[i] == 1);
  }
  copse_query query = copse_query_default();
  query.exclude = 0;
  uint32_t nearest;
  float distance2;
  CHECK(copse_agenttree_nearest(tree, origin, &query, &nearest, &distance2, NULL) == COPSE_OK);
  CHECK(nearest == 1 && distance2 == 1);
  query.maxDistance = 0.99f;
  CHECK(copse_agenttree_nearest(tree, origin, &query, &nearest, NULL, NULL) == COPSE_OK);
  CHECK(nearest == COPSE_NONE);
  copse_agenttree_destroy(tree);
}

static void test_queries_equal_brute_force(void) {
  enum { MOST = 300 };
  uint32_t seed = 2026;
  for (int round = 0; round < 3000; round++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = MOST;
    def.dimensions = 2 + random_word(&seed) % 2;
    def.leafSize = 1 + random_word(&seed) % 20;
    def.axis = (copse_axis)(random_word(&seed) % 2);
    def.split = (copse_split)(random_word(&seed) % 2);
    def.layout = (copse_layout)(random_word(&seed) % 2);
    copse_agenttree *tree = make_tree(def);
    copse_positions positions = copse_agenttree_positions(tree);
    /* Few distinct coordinates make many ties and borders. */
    const uint32_t distinct = random_word(&seed) % 2 ? 8 : 1u << 20;
    for (int frame = 0; frame < 3; frame++) {
      const uint32_t n = random_word(&seed) % (round % 10 ? 40 : MOST);
      copse_agenttree_set_count(tree, n);
      for (uint32_t id = 0; id < n; id++) {
        for (uint32_t axis = 0; axis < def.dimensions; axis++)
          positions.axes[axis][id * positions.stride] =
              (float)(random_word(&seed) % distinct) * 8 / (float)distinct - 4;
        copse_agenttree_groups(tree)[id] = random_word(&seed) % 5;
      }
      CHECK(copse_agenttree_build(tree, NULL) == COPSE_OK && copse_agenttree_validate(tree));
      const copse_brute brute = {positions, copse_agenttree_groups(tree), n, def.dimensions};
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
      CHECK(compare_queries(tree, &brute, &ask) == NULL);
      uint32_t masks[MOST];
      float radii[MOST];
      for (uint32_t id = 0; id < n; id++) {
        masks[id] = random_word(&seed) % 8;
        radii[id] = (float)(random_word(&seed) % 16) / 8;
      }
      CHECK(compare_batches(tree, &brute, &ask, NULL, NULL) == NULL);
      CHECK(compare_batches(tree, &brute, &ask, masks, radii) == NULL);
      CHECK(compare_rays(tree, &brute, &ask, NULL) == NULL);
      CHECK(compare_rays(tree, &brute, &ask, radii) == NULL);
    }
    copse_agenttree_destroy(tree);
  }
}

static void test_batches_refuse_bad_arguments(void) {
  const float points[] = {0, 0, 1, 1}, bad[] = {0, NAN}, negative[] = {1, -1};
  copse_agenttree *tree = tree_of(points, 2, 1);
  uint32_t offsets[2], counts[2], ids[8];
  float distances2[8];
  copse_rows rows = {offsets, counts, ids, 8, 0, false};
  copse_neighbor_rows near = {counts, ids, distances2};
  copse_results out = {ids, NULL, 8, 0, 0};
  copse_query far = copse_query_default(), sorted = copse_query_default();
  far.maxDistance = NAN;
  sorted.sort = COPSE_SORT_ID;
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  CHECK(copse_agenttree_all_within(tree, -1, NULL, NULL, &rows) == refused);
  CHECK(copse_agenttree_all_within(tree, 1, &sorted, NULL, &rows) == refused);
  CHECK(copse_agenttree_all_neighbors(tree, 1, &far, NULL, &near) == refused);
  CHECK(copse_agenttree_within_many(tree, bad, 1, 1, NULL, &rows) == refused);
  CHECK(copse_agenttree_within_many(tree, points, 2, NAN, NULL, &rows) == refused);
  CHECK(copse_agenttree_nearest_many(tree, bad, 1, 1, NULL, &near) == refused);
  CHECK(copse_agenttree_nearest_many(tree, points, 2, 1, &far, &near) == refused);
  CHECK(copse_agenttree_pairs(tree, -1, NULL, NULL, &out) == refused);
  CHECK(copse_agenttree_pairs(tree, 0, negative, NULL, &out) == refused);
  CHECK(copse_agenttree_pairs(tree, 0, bad, NULL, &out) == refused);
  copse_agenttree_destroy(tree);
}

/* With any room, whole rows are written while they fit, and the total is told. */
static void test_truncated_rows_are_whole(void) {
  enum { N = 60, ALL = N * (N - 1) };
  float points[2 * N] = {0};
  for (int i = 0; i < N; i++) points[2 * i] = (float)(i / 8);
  copse_agenttree *tree = tree_of(points, N, 8);
  static uint32_t ids[ALL + 16], full[ALL + 16];
  uint32_t offsets[N], counts[N], fullOffsets[N], fullCounts[N];
  copse_rows all = {fullOffsets, fullCounts, full, ALL + 16, 0, false};
  CHECK(copse_agenttree_all_within(tree, 1, NULL, NULL, &all) == COPSE_OK && !all.truncated);
  for (uint32_t capacity = 0; capacity < all.total + 8; capacity += 7) {
    memset(ids, 0xee, sizeof ids);
    copse_rows rows = {offsets, counts, ids, capacity, 0, false};
    CHECK(copse_agenttree_all_within(tree, 1, NULL, NULL, &rows) == COPSE_OK);
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
    CHECK(copse_agenttree_pairs(tree, 1, NULL, NULL, &out) == COPSE_OK);
    CHECK(out.total == all.total && ids[capacity & ~1u] == 0xeeeeeeee);
  }
  copse_agenttree_destroy(tree);
}

/* More near a leaf than a gathering can hold. */
static void test_batches_of_crowded_agents(void) {
  enum { N = 3000 };
  static float points[2 * N];
  for (int i = 0; i < N; i++) points[2 * i] = (float)(i % 5);
  copse_agenttree *tree = tree_of(points, N, 16);
  static uint32_t offsets[N], counts[N], ids[N * 8];
  static float distances2[N * 8];
  copse_neighbor_rows near = {counts, ids, distances2};
  CHECK(copse_agenttree_all_neighbors(tree, 8, NULL, NULL, &near) == COPSE_OK);
  for (uint32_t slot = 0; slot < N; slot++) {
    /* The eight lowest of its own place, without itself. */
    CHECK(counts[slot] == 8 && distances2[slot * 8 + 7] == 0);
    for (uint32_t i = 0; i < 8; i++)
      CHECK(ids[slot * 8 + i] == slot % 5 + 5 * (i + (slot / 5 <= i)));
  }
  copse_rows rows = {offsets, counts, ids, 0, 0, false};
  CHECK(copse_agenttree_all_within(tree, 0, NULL, NULL, &rows) == COPSE_OK);
  CHECK(rows.total == N * (N / 5 - 1) && rows.truncated);
  copse_results out = {NULL, NULL, 0, 0, 0};
  CHECK(copse_agenttree_pairs(tree, 0, NULL, NULL, &out) == COPSE_OK && out.total == rows.total);
  copse_agenttree_destroy(tree);
}

/* The neighbors of all agents, counted one pair at a time. */
static void check_counts(const copse_agenttree *tree, const float *points, uint32_t n, uint32_t dim,
                         float radius) {
  static uint32_t offsets[768], counts[768], ids[768 * 768];
  copse_rows rows = {offsets, counts, ids, 768 * 768, 0, false};
  CHECK(copse_agenttree_all_within(tree, radius, NULL, NULL, &rows) == COPSE_OK);
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
    copse_agenttree *tree = make_tree(def);
    copse_agenttree_set_count(tree, N);
    memcpy(copse_agenttree_positions(tree).axes[0], points, N * dim * sizeof(float));
    CHECK(copse_agenttree_build(tree, NULL) == COPSE_OK);
    check_counts(tree, points, N, dim, 0.9f);
    copse_agenttree_destroy(tree);
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
  copse_agenttree *tree = tree_of(points, N, 8);
  copse_rows rows = {offsets, counts, ids, M * N, 0, false};
  CHECK(copse_agenttree_within_many(tree, centers, M, 10, NULL, &rows) == COPSE_OK);
  for (int i = 0; i < M; i++) {
    copse_results out = {single, single2, N, 0, 0};
    copse_agenttree_within(tree, centers + 2 * i, 10, NULL, &out);
    CHECK(counts[i] == out.total);
    CHECK(memcmp(ids + offsets[i], single, out.total * sizeof *ids) == 0);
  }
  for (uint32_t k = 0; k < 30; k += 7) {
    copse_neighbor_rows near = {counts, ids, distances2};
    CHECK(copse_agenttree_nearest_many(tree, centers, M, k, NULL, &near) == COPSE_OK);
    for (uint32_t i = 0; i < M; i++) {
      copse_results out = {single, single2, N, 0, 0};
      copse_agenttree_neighbors(tree, centers + 2 * i, k, NULL, &out);
      CHECK(counts[i] == k && memcmp(ids + i * k, single, k * sizeof *ids) == 0);
      CHECK(memcmp(distances2 + i * k, single2, k * sizeof *single2) == 0);
    }
  }
  copse_agenttree_destroy(tree);
}

static copse_hit hit_of(const copse_agenttree *tree, float x0, float y0, float x1, float y1,
                        float radius) {
  copse_hit hit;
  CHECK(copse_agenttree_raycast(tree, (float[]){x0, y0}, (float[]){x1, y1}, radius, NULL, NULL,
                                &hit, NULL) == COPSE_OK);
  return hit;
}

static bool is_hit(copse_hit hit, uint32_t id, float fraction) {
  return hit.id == id && hit.fraction == fraction;
}

static void test_rays_hit_the_first_and_touch(void) {
  const float points[] = {4, 0, 8, 0, 8, 0, 3, 4, -5, 0};
  copse_agenttree *tree = tree_of(points, 5, 1);
  CHECK(is_hit(hit_of(tree, 0, 0, 16, 0, 1), 0, 3.0f / 16));
  CHECK(is_hit(hit_of(tree, 16, 0, 0, 0, 1), 1, 7.0f / 16)); /* of two, the lower id */
  CHECK(is_hit(hit_of(tree, 0, 0, 3, 0, 1), 0, 1));          /* touched by the end */
  CHECK(is_hit(hit_of(tree, 0, 0, 2.9999f, 0, 1), COPSE_NONE, 1));
  CHECK(is_hit(hit_of(tree, 5, 0, 5.5f, 0, 1), 0, 0)); /* touched by the begin, looking away */
  CHECK(is_hit(hit_of(tree, 0, 9, 16, 9, 5), 3, 3.0f / 16)); /* grazed */
  CHECK(is_hit(hit_of(tree, 0, 9.0001f, 16, 9.0001f, 5), COPSE_NONE, 1));
  CHECK(is_hit(hit_of(tree, 0, 0, 0, 0, 5), 0, 0)); /* a point */
  CHECK(is_hit(hit_of(tree, 0, 0, 0, 0, 3.9999f), COPSE_NONE, 1));
  CHECK(is_hit(hit_of(tree, 6, 8, 0, 0, 0), 3, 0.5f)); /* exactly on the segment */
  CHECK(is_hit(hit_of(tree, -9, 1, -8, 1, INFINITY), 0, 0));
  copse_agenttree_destroy(tree);
}

static void test_rays_of_any_size(void) {
  const float huge = COPSE_MAX_COORDINATE, tiny = 1e-45f, far = 16777216;
  const float points[] = {huge, huge, -huge, -huge, 0, 0, far, far};
  copse_agenttree *tree = tree_of(points, 4, 1);
  CHECK(is_hit(hit_of(tree, -huge, huge, huge, -huge, 0), 2, 0.5f));
  CHECK(is_hit(hit_of(tree, -huge, -huge, huge, huge, tiny), 1, 0));
  CHECK(is_hit(hit_of(tree, 0, huge, huge, huge, 0), 0, 1));
  CHECK(is_hit(hit_of(tree, tiny, tiny, -tiny, -tiny, 0), 2, 0.5f));
  CHECK(is_hit(hit_of(tree, 2 * tiny, 0, tiny, 0, tiny), 2, 1));
  CHECK(is_hit(hit_of(tree, 2 * tiny, tiny, 2 * tiny, -tiny, tiny), COPSE_NONE, 1));
  /* A small agent at a great distance, and one float beside it. */
  CHECK(is_hit(hit_of(tree, -far, -far, far, far, 1e-6f), 2, 0.5f));
  CHECK(is_hit(hit_of(tree, 0, 2, far, far + 2, 1), COPSE_NONE, 1));
  CHECK(hit_of(tree, 0, 2, far, far + 2, 1.5f).id == 3);
  CHECK(is_hit(hit_of(tree, 1, 0, 2, 0, 3e38f), 0, 0));
  copse_agenttree_destroy(tree);
}

static void test_rays_with_radii_and_filters(void) {
  const float points[] = {2, 0, 4, 0, 6, 0, 8, 0, 10, 0}, radii[] = {NAN, -1, 0, 9, 1};
  const float from[] = {0, 0.5f}, to[] = {16, 0.5f}, on[] = {16, 0}, origin[] = {0, 0};
  copse_agenttree *tree = tree_of(points, 5, 2);
  copse_query query = copse_query_default();
  copse_hit hit;
  uint32_t visits = 0;
  CHECK(copse_agenttree_raycast(tree, from, to, 1, radii, NULL, &hit, &visits) == COPSE_OK);
  CHECK(hit.id == 3 && visits > 0); /* of radius 1, the greatest */
  CHECK(copse_agenttree_raycast(tree, from, to, 9, radii, NULL, &hit, NULL) == COPSE_OK);
  CHECK(hit.id == 3 && hit.fraction == 0);
  query.exclude = 3;
  CHECK(copse_agenttree_raycast(tree, from, to, 9, radii, &query, &hit, NULL) == COPSE_OK);
  CHECK(hit.id == 4);
  CHECK(copse_agenttree_raycast(tree, origin, on, 1, radii, &query, &hit, NULL) == COPSE_OK);
  CHECK(is_hit(hit, 0, 0.125f)); /* NaN counts as 0 */
  query.mask = 2;
  CHECK(copse_agenttree_raycast(tree, from, to, 9, radii, &query, &hit, NULL) == COPSE_OK);
  CHECK(is_hit(hit, COPSE_NONE, 1));
  copse_agenttree_destroy(tree);
}

static void test_rays_refuse_bad_arguments(void) {
  const float points[] = {0, 0}, good[] = {1, 1, 2, 2}, bad[] = {1, 1, NAN, 0, 2e18f, 0};
  copse_agenttree *tree = tree_of(points, 1, 1);
  copse_agenttree *unbuilt = make_tree(copse_agenttree_default());
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  uint32_t id = 7;
  float fraction = 7;
  copse_hit hit = {7, 7};
  CHECK(copse_agenttree_raycast(tree, bad, bad + 2, 1, NULL, NULL, &hit, NULL) == refused);
  CHECK(is_hit(hit, COPSE_NONE, 1));
  CHECK(copse_agenttree_raycast(tree, bad + 4, bad, 1, NULL, NULL, &hit, NULL) == refused);
  CHECK(copse_agenttree_raycast(tree, good, good, NAN, NULL, NULL, &hit, NULL) == refused);
  CHECK(copse_agenttree_raycast(tree, good, good, -1, points, NULL, &hit, NULL) == refused);
  CHECK(copse_agenttree_raycast_many(tree, bad, 1, 1, NULL, NULL, &id, &fraction) == refused);
  CHECK(copse_agenttree_raycast_many(tree, good, 1, -1, NULL, NULL, &id, &fraction) == refused);
  CHECK(id == 7 && fraction == 7);
  CHECK(copse_agenttree_raycast_many(tree, NULL, 0, 1, NULL, NULL, NULL, NULL) == COPSE_OK);
  CHECK(is_hit(hit_of(unbuilt, 0, 0, 1, 1, INFINITY), COPSE_NONE, 1));
  copse_agenttree_destroy(tree);
  copse_agenttree_destroy(unbuilt);
}

/* Rays along rows of equal, of neighboring, and of touching agents, of radii that just reach and
 * just do not. */
static void test_rays_on_the_border(void) {
  enum { N = 64 };
  uint32_t seed = 12;
  for (int round = 0; round < 2000; round++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = N;
    def.leafSize = 1 + random_word(&seed) % 8;
    def.dimensions = 2 + random_word(&seed) % 2;
    copse_agenttree *tree = make_tree(def);
    copse_agenttree_set_count(tree, N);
    copse_positions positions = copse_agenttree_positions(tree);
    const float scale = ldexpf(1, (int)(random_word(&seed) % 170) - 130);
    const float offset = random_word(&seed) % 2 ? 0 : scale * (float)(random_word(&seed) % 65536);
    for (uint32_t id = 0; id < N; id++)
      for (uint32_t axis = 0; axis < def.dimensions; axis++)
        positions.axes[axis][id * positions.stride] =
            offset + scale * (float)(random_word(&seed) % 9);
    CHECK(copse_agenttree_build(tree, NULL) == COPSE_OK);
    const copse_brute brute = {positions, NULL, N, def.dimensions};
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
    CHECK(compare_rays(tree, &brute, &ask, NULL) == NULL);
    CHECK(compare_rays(tree, &brute, &ask, radii) == NULL);
    copse_agenttree_destroy(tree);
  }
}

/* Tree order must not remember how the tree was built before. */
static void test_order_is_a_function_of_the_state(void) {
  enum { N = 500 };
  static float points[2 * N];
  uint32_t seed = 3, kept[N], fresh[N];
  copse_agenttree_def def = copse_agenttree_default();
  for (int combination = 0; combination < 4; combination++) {
    def.axis = (copse_axis)(combination % 2);
    def.split = (copse_split)(combination / 2);
    copse_agenttree *veteran = make_tree(def);
    for (int frame = 0; frame < 20; frame++) {
      const uint32_t n = 1 + random_word(&seed) % N;
      for (uint32_t i = 0; i < 2 * n; i++) points[i] = (float)(random_word(&seed) % 64);
      const copse_positions given = {{points, points + 1, NULL}, 2};
      copse_agenttree *novice = make_tree(def);
      CHECK(copse_agenttree_build_from(veteran, &given, NULL, n, NULL) == COPSE_OK);
      CHECK(copse_agenttree_build_from(novice, &given, NULL, n, NULL) == COPSE_OK);
      copse_results a = {kept, NULL, N, 0, 0}, b = {fresh, NULL, N, 0, 0};
      copse_agenttree_within(veteran, points, INFINITY, NULL, &a);
      copse_agenttree_within(novice, points, INFINITY, NULL, &b);
      CHECK(a.total == n && same_results(&a, &b, false));
      copse_agenttree_destroy(novice);
    }
    copse_agenttree_destroy(veteran);
  }
}

/* ---- Snapshots ---- */

static void test_restore_answers_as_what_was_saved(void) {
  for (int layout = 0; layout < 2; layout++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = 64;
    def.leafSize = 2;
    copse_agenttree *tree = make_tree(def);
    copse_agenttree_set_count(tree, 40);
    uint32_t seed = 9;
    copse_positions positions = copse_agenttree_positions(tree);
    for (uint32_t i = 0; i < 40; i++)
      for (int axis = 0; axis < 2; axis++)
        positions.axes[axis][i * positions.stride] = (float)(random_word(&seed) % 100);
    copse_agenttree_groups(tree)[5] = 2;
    copse_agenttree_groups(tree)[6] = 0;
    copse_agenttree_build(tree, NULL);
    positions.axes[0][0] = 1234; /* moved, but not built yet */
    copse_agenttree_groups(tree)[7] = 0;
    copse_agenttree_set_count(tree, 30);

    size_t total, again;
    CHECK(copse_agenttree_save(tree, NULL, 0, &total, NULL) == COPSE_FULL && total % 4 == 0);
    uint32_t *bytes = malloc(total);
    CHECK(copse_agenttree_save(tree, bytes, total - 1, &again, NULL) == COPSE_FULL &&
          again == total);
    CHECK(copse_agenttree_save(tree, bytes, total, &again, NULL) == COPSE_OK);

    def.capacity = 50;
    def.layout = (copse_layout)layout;
    copse_agenttree *other = make_tree(def);
    CHECK(copse_agenttree_restore(other, bytes, total) == COPSE_OK);
    CHECK(copse_agenttree_validate(other) && copse_agenttree_count(other) == 30);
    CHECK(copse_agenttree_positions(other).axes[0][0] == 1234);
    for (int built = 0; built < 2; built++) {
      uint32_t ours[64], theirs[64];
      copse_results a = {ours, NULL, 64, 0, 0}, b = {theirs, NULL, 64, 0, 0};
      copse_agenttree_within(tree, (float[]){50, 50}, INFINITY, NULL, &a);
      copse_agenttree_within(other, (float[]){50, 50}, INFINITY, NULL, &b);
      CHECK(a.total == (built ? 28 : 39) && same_results(&a, &b, false));
      copse_agenttree_build(tree, NULL);
      copse_agenttree_build(other, NULL);
    }
    free(bytes);
    copse_agenttree_destroy(tree);
    copse_agenttree_destroy(other);
  }
}

static void test_damaged_snapshots_change_nothing(void) {
  const float points[] = {1, 2, 3, 4, 5, 6};
  copse_agenttree *tree = tree_of(points, 3, 1);
  uint32_t bytes[128], damaged[128];
  size_t total;
  CHECK(copse_agenttree_save(tree, bytes, sizeof bytes, &total, NULL) == COPSE_OK);
  for (size_t bit = 0; bit < total * 8; bit++) {
    memcpy(damaged, bytes, total);
    damaged[bit / 32] ^= 1u << bit % 32;
    CHECK(copse_agenttree_restore(tree, damaged, total) == COPSE_BAD_SNAPSHOT);
  }
  for (size_t size = 0; size < total; size++)
    CHECK(copse_agenttree_restore(tree, bytes, size) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_agenttree_restore(tree, (char *)bytes + 1, total - 4) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_agenttree_validate(tree) && within_count(tree, 3, 4, 0) == 1);

  copse_agenttree *smaller = tree_of(points, 2, 1);
  CHECK(copse_agenttree_restore(smaller, bytes, total) == COPSE_FULL);
  copse_agenttree *other = tree_of(points, 3, 2);
  CHECK(copse_agenttree_restore(other, bytes, total) == COPSE_BAD_SNAPSHOT);
  CHECK(within_count(smaller, 3, 4, 0) == 1 && within_count(other, 3, 4, 0) == 1);
  copse_agenttree_destroy(tree);
  copse_agenttree_destroy(smaller);
  copse_agenttree_destroy(other);
}

/* ---- */

#define TEST(name)                                                                                 \
  { #name, name }
static const struct {
  const char *name;
  void (*run)(void);
} TESTS[] = {
    TEST(test_every_status_has_a_text),
    TEST(test_slots_are_reused_with_a_new_generation),
    TEST(test_slots_keep_their_state_when_they_grow),
    TEST(test_arena_aligns_every_array),
    TEST(test_bad_definitions_are_refused),
    TEST(test_bytes_says_what_creation_takes),
    TEST(test_a_tree_of_default_leaf_size_takes_at_most_64_bytes_an_agent),
    TEST(test_every_failing_allocation_is_reported_and_leaks_nothing),
    TEST(test_no_frame_allocates),
    TEST(test_a_failing_reserve_keeps_the_tree),
    TEST(test_reserve_keeps_buffers_and_the_built_tree),
    TEST(test_a_count_above_the_capacity_is_full),
    TEST(test_before_the_first_build_every_query_is_empty),
    TEST(test_no_agents_and_one_agent),
    TEST(test_coincident_agents_make_one_leaf),
    TEST(test_exponential_spacing_keeps_the_depth_bounded),
    TEST(test_adjacent_floats_are_told_apart),
    TEST(test_huge_and_tiny_coordinates),
    TEST(test_a_position_that_is_not_finite_is_named_and_the_old_tree_stays),
    TEST(test_skip_leaves_out_and_counts_what_is_not_finite),
    TEST(test_median_splits_are_balanced),
    TEST(test_the_node_pool_suffices_for_lopsided_sets),
    TEST(test_cells_and_stats_agree),
    TEST(test_bad_arguments_are_refused),
    TEST(test_a_truncated_result_stops_at_its_capacity_and_tells_the_total),
    TEST(test_ties_go_to_the_lower_id),
    TEST(test_queries_equal_brute_force),
    TEST(test_batches_refuse_bad_arguments),
    TEST(test_truncated_rows_are_whole),
    TEST(test_batches_of_crowded_agents),
    TEST(test_agents_where_cells_are_rounded),
    TEST(test_many_points_equal_single_queries),
    TEST(test_rays_hit_the_first_and_touch),
    TEST(test_rays_of_any_size),
    TEST(test_rays_with_radii_and_filters),
    TEST(test_rays_refuse_bad_arguments),
    TEST(test_rays_on_the_border),
    TEST(test_order_is_a_function_of_the_state),
    TEST(test_restore_answers_as_what_was_saved),
    TEST(test_damaged_snapshots_change_nothing),
};

int main(void) {
  int passed = 0, failed = 0;
  for (size_t i = 0; i < sizeof TESTS / sizeof *TESTS; i++) {
    failure = NULL;
    TESTS[i].run();
    if (failure) printf("FAIL %s: line %d: %s\n", TESTS[i].name, failureLine, failure);
    if (failure)
      failed++;
    else
      passed++;
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}
