/* What holds for every index of points. */

#include "unit.h"

static index make(copse_agenttree_def def) {
  index made;
  CHECK(index_create(&def, tested, &made) == COPSE_OK);
  return made;
}

/* A 2D index over n given points, built. */
static index built(const float *points, uint32_t n, uint32_t leafSize) {
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = n ? n : 1;
  def.leafSize = leafSize;
  index at = make(def);
  index_set_count(at, n);
  memcpy(index_positions(at).axes[0], points, n * 2 * sizeof *points);
  CHECK(index_build(at, NULL) == COPSE_OK);
  CHECK(index_validate(at));
  return at;
}

static uint32_t within_count(index at, float x, float y, float radius) {
  uint32_t total = COPSE_NONE;
  index_count_within(at, (float[]){x, y, 0}, radius, NULL, &total, NULL);
  return total;
}

/* ---- Definitions and memory ---- */

static bool is_nothing(index at) { return !at.agenttree && !at.grid && !at.kdtree; }

static void check_refused(const copse_agenttree_def *bad, kind like) {
  index made = {.agenttree = (copse_agenttree *)&made};
  CHECK(index_create(bad, like, &made) == COPSE_INVALID_ARGUMENT);
  CHECK(is_nothing(made) && index_bytes(bad, like) == 0);
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
    def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
    index at = make(def);
    CHECK(book.bytesHeld == index_bytes(&def, tested));
    CHECK(book.bytesHeld == index_stats(at).bytes);
    index_destroy(at);
    CHECK(book.bytesHeld == 0);
  }
}

static void test_at_most_64_bytes_an_agent(void) {
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = 100000;
  CHECK(index_bytes(&def, tested) <= 64 * (size_t)def.capacity);
}

static void test_every_failing_allocation_is_reported_and_leaks_nothing(void) {
  for (int failing = 0; failing < 2; failing++) {
    ledger book = {failing, 0};
    copse_agenttree_def def = copse_agenttree_default();
    def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
    index made;
    CHECK(index_create(&def, tested, &made) == COPSE_OUT_OF_MEMORY);
    CHECK(is_nothing(made) && book.bytesHeld == 0);
  }
}

static void test_no_frame_allocates(void) {
  enum { N = 200, FRAMES = 10000, K = 4 };
  ledger book = {-1, 0};
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = N;
  def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
  index at = make(def);
  float *positions = index_positions(at).axes[0];
  for (int i = 0; i < 2 * N; i++) positions[i] = (float)(i * 37 % 101);
  static uint32_t offsets[N], counts[N], ids[N * N];
  static float distances2[N * K];
  static uint32_t words[8 * N];
  static const float SEGMENTS[] = {1, 2, 90, 80, 50, 9, 50, 99};
  const copse_query query = copse_query_default();
  const float *from = SEGMENTS, *to = SEGMENTS + 2;
  book.callsLeft = 0; /* the next would be counted */
  for (int frame = 0; frame < FRAMES; frame++) {
    positions[frame % (2 * N)] += (float)(frame % 7) - 3;
    index_set_count(at, N - (uint32_t)frame % 5);
    CHECK(index_build(at, NULL) == COPSE_OK);
    copse_rows rows = {offsets, counts, ids, N * N, 0, false};
    CHECK(index_all_within(at, 8, NULL, NULL, &rows) == COPSE_OK);
    copse_neighbor_rows nearest = {counts, ids, distances2};
    CHECK(index_all_neighbors(at, K, NULL, NULL, &nearest) == COPSE_OK);
    copse_results pairs = {ids, NULL, N * N, 0, 0};
    CHECK(index_pairs(at, 2, NULL, NULL, &pairs) == COPSE_OK);
    CHECK(within_count(at, 50, 50, 200) > 0);
    CHECK(index_within_many(at, SEGMENTS, 4, 9, NULL, &rows) == COPSE_OK);
    CHECK(index_nearest_many(at, SEGMENTS, 4, K, NULL, &nearest) == COPSE_OK);
    CHECK(index_raycast_many(at, SEGMENTS, 2, 1, NULL, &query, ids, distances2) == COPSE_OK);
    copse_results found = {ids, distances2, N, 0, 0};
    copse_hit hit;
    uint32_t one;
    bool any;
    CHECK(index_within(at, from, 20, &query, &found) == COPSE_OK);
    CHECK(index_range(at, from, to, &query, &found) == COPSE_OK);
    CHECK(index_neighbors(at, from, K, &query, &found) == COPSE_OK);
    CHECK(index_cone(at, from, to, 0.5f, 60, &query, &found) == COPSE_OK);
    CHECK(index_nearest(at, from, &query, &one, NULL) == COPSE_OK);
    CHECK(index_count_within(at, from, 20, &query, &one, NULL) == COPSE_OK);
    CHECK(index_any_within(at, from, 20, &query, &any, NULL) == COPSE_OK);
    CHECK(index_raycast(at, from, to, 1, NULL, &query, &hit, NULL) == COPSE_OK);
    CHECK(index_order(at, ids, N) == index_count(at));
    size_t total;
    CHECK(index_save(at, words, sizeof words, &total, NULL) == COPSE_OK);
    if (frame % 16 == 0) CHECK(index_restore(at, words, total) == COPSE_OK);
  }
  CHECK(book.callsLeft == 0);
  index_destroy(at);
}

static void test_a_failing_reserve_keeps_the_index(void) {
  ledger book = {-1, 0};
  copse_agenttree_def def = copse_agenttree_default();
  def.capacity = 4;
  def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
  index at = make(def);
  index_set_count(at, 4);
  index_build(at, NULL);
  uint32_t words[64];
  size_t total;
  int failing = 0;
  for (copse_status status = COPSE_OUT_OF_MEMORY; status != COPSE_OK; failing++) {
    book.callsLeft = failing;
    status = index_reserve(at, 100);
    CHECK(status == COPSE_OK || status == COPSE_OUT_OF_MEMORY);
    CHECK(index_capacity(at) == (status == COPSE_OK ? 100 : 4) && within_count(at, 0, 0, 0) == 4);
    CHECK(index_validate(at));
    book.callsLeft = 0; /* neither of these takes memory */
    CHECK(index_save(at, words, sizeof words, &total, NULL) == COPSE_OK);
    CHECK(index_restore(at, words, total) == COPSE_OK && within_count(at, 0, 0, 0) == 4);
  }
  CHECK(failing > 1);
  CHECK(index_reserve(at, COPSE_MAX_CAPACITY + 1) == COPSE_INVALID_ARGUMENT);
  index_destroy(at);
  CHECK(book.bytesHeld == 0);
}

static void test_reserve_keeps_buffers_and_the_last_build(void) {
  for (int layout = 0; layout < 2; layout++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = 50;
    def.dimensions = 3;
    def.leafSize = 3;
    def.layout = (copse_layout)layout;
    index at = make(def);
    index_set_count(at, 50);
    copse_positions positions = index_positions(at);
    for (uint32_t id = 0; id < 50; id++)
      for (int axis = 0; axis < 3; axis++)
        positions.axes[axis][id * positions.stride] = (float)(id * (uint32_t)(axis + 1));
    index_groups(at)[7] = 6;
    index_build(at, NULL);
    CHECK(index_reserve(at, 20) == COPSE_OK && index_capacity(at) == 50);
    CHECK(index_reserve(at, 500) == COPSE_OK && index_capacity(at) == 500);
    positions = index_positions(at);
    for (uint32_t id = 0; id < 50; id++)
      for (int axis = 0; axis < 3; axis++)
        CHECK(positions.axes[axis][id * positions.stride] == (float)(id * (uint32_t)(axis + 1)));
    CHECK(index_groups(at)[7] == 6 && index_groups(at)[499] == 1);
    CHECK(within_count(at, 0, 0, INFINITY) == 50 && index_validate(at));
    CHECK(index_set_count(at, 500) == COPSE_OK);
    CHECK(index_build(at, NULL) == COPSE_OK && index_validate(at));
    index_destroy(at);
  }
}

static void test_a_count_above_the_capacity_is_full(void) {
  index at = make(copse_agenttree_default());
  CHECK(index_set_count(at, 1000) == COPSE_OK);
  CHECK(index_set_count(at, 1001) == COPSE_FULL);
  CHECK(index_count(at) == 1000);
  float xs[2] = {0}, ys[2] = {0};
  copse_positions positions = {{xs, ys, NULL}, 1};
  CHECK(index_build_from(at, &positions, NULL, 1001, NULL) == COPSE_FULL);
  positions.axes[1] = NULL;
  CHECK(index_build_from(at, &positions, NULL, 2, NULL) == COPSE_INVALID_ARGUMENT);
  CHECK(index_count(at) == 1000);
  index_destroy(at);
  index_destroy((index){0});
}

/* ---- Build ---- */

static void test_before_the_first_build_every_query_is_empty(void) {
  index at = make(copse_agenttree_default());
  index_set_count(at, 10);
  CHECK(within_count(at, 0, 0, INFINITY) == 0);
  uint32_t id = 5;
  CHECK(index_nearest(at, (float[]){0, 0}, NULL, &id, NULL) == COPSE_OK);
  CHECK(id == COPSE_NONE && index_validate(at));
  CHECK(index_cells(at, NULL, 0) == 0);
  index_destroy(at);
}

static void test_no_agents_and_one_agent(void) {
  const float point[2] = {3, 4};
  index none = built(point, 0, 4), one = built(point, 1, 4);
  CHECK(within_count(none, 0, 0, INFINITY) == 0 && index_stats(none).leaves == 0);
  CHECK(within_count(one, 0, 0, 5) == 1 && index_stats(one).leaves == 1);
  index_destroy(none);
  index_destroy(one);
}

static void test_coincident_agents_make_one_leaf(void) {
  enum { N = 10000 };
  static float points[2 * N];
  for (int i = 0; i < 2 * N; i++) points[i] = 7;
  index at = built(points, N, 1);
  CHECK(at.kdtree || index_stats(at).leaves == 1);
  CHECK(within_count(at, 7, 7, 0) == N);
  index_destroy(at);
}

static void test_exponential_spacing_keeps_the_depth_bounded(void) {
  enum { N = 10000 };
  static float points[2 * N];
  for (int i = 0; i < N; i++) {
    points[2 * i] = ldexpf(1 + (float)(i % 64) / 64, i % 240 - 190);
    points[2 * i + 1] = ldexpf(1 + (float)(i % 37) / 37, i % 167 - 120);
  }
  index at = built(points, N, 1);
  CHECK(index_stats(at).depth < COPSE_MAX_DEPTH);
  CHECK(within_count(at, 0, 0, INFINITY) == N);
  index_destroy(at);
}

static void test_adjacent_floats_are_told_apart(void) {
  float points[64], x = 1;
  for (int i = 0; i < 32; i++, x = nextafterf(x, 2)) points[2 * i] = points[2 * i + 1] = x;
  index at = built(points, 32, 1);
  CHECK(!at.agenttree || index_stats(at).leaves == 32);
  CHECK(within_count(at, points[0], points[1], 0) == 1);
  index_destroy(at);
}

static void test_huge_and_tiny_coordinates(void) {
  const float huge = COPSE_MAX_COORDINATE, tiny = 1e-45f;
  const float points[] = {huge, huge, -huge, -huge, tiny, -tiny, 0, 0, -0.0f, 0};
  index at = built(points, 5, 1);
  CHECK(within_count(at, 0, 0, 0) == 3); /* the difference squared underflows to 0 */
  CHECK(within_count(at, 0, 0, INFINITY) == 5);
  CHECK(within_count(at, huge, huge, 1e18f) == 1);
  index_destroy(at);
}

static void test_a_position_that_is_not_finite_is_named_and_the_last_build_stays(void) {
  const float bad[] = {NAN, INFINITY, -INFINITY, 2e18f, -2e18f};
  for (int i = 0; i < 5; i++) {
    float points[] = {0, 0, 1, 1, 2, 2};
    index at = built(points, 3, 1);
    copse_positions positions = index_positions(at);
    positions.axes[0][0] = 50;
    positions.axes[1][2 * positions.stride] = bad[i];
    uint32_t firstBad = 0;
    CHECK(index_build(at, &firstBad) == COPSE_NOT_FINITE && firstBad == 2);
    CHECK(within_count(at, 0, 0, 0) == 1 && within_count(at, 0, 0, INFINITY) == 3);
    size_t total;
    firstBad = 0;
    CHECK(index_save(at, NULL, 0, &total, &firstBad) == COPSE_NOT_FINITE);
    CHECK(firstBad == 2);
    index_groups(at)[2] = 0; /* what has no group is not looked at */
    CHECK(index_build(at, &firstBad) == COPSE_OK && firstBad == COPSE_NONE);
    CHECK(within_count(at, 0, 0, INFINITY) == 2);
    index_destroy(at);
  }
}

static void test_skip_leaves_out_and_counts_what_is_not_finite(void) {
  copse_agenttree_def def = copse_agenttree_default();
  def.onNonFinite = COPSE_NON_FINITE_SKIP;
  index at = make(def);
  index_set_count(at, 100);
  copse_positions positions = index_positions(at);
  for (uint32_t id = 0; id < 100; id += 3) positions.axes[id % 2][id * positions.stride] = NAN;
  CHECK(index_build(at, NULL) == COPSE_OK && index_validate(at));
  CHECK(index_stats(at).skipped == 34 && index_stats(at).agents == 66);
  CHECK(within_count(at, 0, 0, INFINITY) == 66);
  index_destroy(at);
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
    index at = make(def);
    const copse_positions given = {{points, points + 1, NULL}, 2};
    CHECK(index_build_from(at, &given, NULL, N, NULL) == COPSE_OK);
    CHECK(index_validate(at) && index_stats(at).depth == 12);
    index_destroy(at);
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
    index at = built(points, N, leafSize);
    CHECK(within_count(at, 0, 0, INFINITY) == N);
    index_destroy(at);
  }
}

static void test_cells_and_stats_agree(void) {
  enum { N = 200 };
  float points[2 * N];
  uint32_t seed = 1;
  for (int i = 0; i < 2 * N; i++) points[i] = (float)(random_word(&seed) % 1000);
  index at = built(points, N, 8);
  const index_statistics stats = index_stats(at);
  static float cells[2 * N * 6];
  size_t floats = index_cells(at, cells, sizeof cells / sizeof *cells);
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
  CHECK(index_cells(at, one, 11) == floats && one[6] == 42 && one[5] == N);
  index_destroy(at);
}

/* ---- Queries ---- */

static void test_bad_arguments_are_refused(void) {
  const float points[] = {0, 0, 1, 1};
  index at = built(points, 2, 1);
  uint32_t ids[4], total;
  float distances2[4], origin[2] = {0, 0}, nan2[2] = {0, NAN}, far2[2] = {2e18f, 0};
  bool any;
  copse_results out = {ids, distances2, 4, 0, 0};
  copse_query query = copse_query_default();
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  CHECK(index_within(at, origin, -1, NULL, &out) == refused);
  CHECK(index_within(at, origin, NAN, NULL, &out) == refused);
  CHECK(index_within(at, nan2, 1, NULL, &out) == refused);
  CHECK(index_within(at, far2, 1, NULL, &out) == refused);
  CHECK(index_count_within(at, origin, -1, NULL, &total, NULL) == refused);
  CHECK(index_any_within(at, nan2, 1, NULL, &any, NULL) == refused && !any);
  CHECK(index_range(at, points + 2, points, NULL, &out) == refused);
  CHECK(index_range(at, nan2, points + 2, NULL, &out) == refused);
  CHECK(index_cone(at, origin, origin, 1, 1, NULL, &out) == refused);
  CHECK(index_cone(at, origin, nan2, 1, 1, NULL, &out) == refused);
  CHECK(index_cone(at, origin, points + 2, 4, 1, NULL, &out) == refused);
  CHECK(index_cone(at, origin, points + 2, -1, 1, NULL, &out) == refused);
  out.distances2 = NULL;
  CHECK(index_neighbors(at, origin, 1, NULL, &out) == refused);
  query.sort = COPSE_SORT_DISTANCE;
  CHECK(index_within(at, origin, 1, &query, &out) == refused);
  CHECK(index_range(at, origin, points + 2, &query, &out) == refused);
  query = copse_query_default();
  query.maxDistance = -1;
  CHECK(index_nearest(at, origin, &query, ids, NULL) == refused);
  out = (copse_results){ids, distances2, 1, 0, 0};
  CHECK(index_neighbors(at, origin, 2, NULL, &out) == refused);
  out = (copse_results){NULL, NULL, 4, 0, 0};
  CHECK(index_within(at, origin, 1, NULL, &out) == refused);
  index_destroy(at);
}

static void test_a_truncated_result_stops_at_its_capacity_and_tells_the_total(void) {
  enum { N = 37 };
  float points[2 * N] = {0};
  index at = built(points, N, 4);
  for (uint32_t capacity = 0; capacity <= N; capacity++) {
    uint32_t ids[N + 1];
    float distances2[N + 1];
    for (int i = 0; i <= N; i++) ids[i] = 99, distances2[i] = 99;
    copse_results out = {ids, distances2, capacity, 0, 0};
    CHECK(index_within(at, points, 1, NULL, &out) == COPSE_OK && out.total == N);
    CHECK(ids[capacity] == 99 && distances2[capacity] == 99);
    for (uint32_t i = 0; i < capacity; i++) CHECK(ids[i] == i && distances2[i] == 0);
  }
  copse_results nowhere = {NULL, NULL, 0, 0, 0};
  CHECK(index_within(at, points, 1, NULL, &nowhere) == COPSE_OK && nowhere.total == N);
  index_destroy(at);
}

static void test_ties_go_to_the_lower_id(void) {
  const float points[] = {1, 0, -1, 0, 0, 1, 0, -1, 1, 0};
  index at = built(points, 5, 1);
  uint32_t ids[5];
  float distances2[5], origin[2] = {0, 0};
  copse_results out = {ids, distances2, 5, 0, 0};
  for (uint32_t k = 0; k <= 6; k++) {
    CHECK(index_neighbors(at, origin, k, NULL, &out) == COPSE_OK);
    CHECK(out.total == (k < 5 ? k : 5));
    for (uint32_t i = 0; i < out.total; i++) CHECK(ids[i] == i && distances2[i] == 1);
  }
  copse_query query = copse_query_default();
  query.exclude = 0;
  uint32_t nearest;
  float distance2;
  const copse_status status = ITEMS_CALL(at, nearest, origin, &query, &nearest, &distance2, NULL);
  CHECK(status == COPSE_OK && nearest == 1 && distance2 == 1);
  query.maxDistance = 0.99f;
  CHECK(index_nearest(at, origin, &query, &nearest, NULL) == COPSE_OK);
  CHECK(nearest == COPSE_NONE);
  index_destroy(at);
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
    index at = make(def);
    copse_positions positions = index_positions(at);
    /* Few distinct coordinates make many ties and borders. */
    const uint32_t distinct = random_word(&seed) % 2 ? 8 : 1u << 20;
    for (int frame = 0; frame < 3; frame++) {
      const uint32_t n = random_word(&seed) % (round % 10 ? 40 : MOST);
      index_set_count(at, n);
      for (uint32_t id = 0; id < n; id++) {
        for (uint32_t axis = 0; axis < def.dimensions; axis++)
          positions.axes[axis][id * positions.stride] =
              (float)(random_word(&seed) % distinct) * 8 / (float)distinct - 4;
        index_groups(at)[id] = random_word(&seed) % 5;
      }
      CHECK(index_build(at, NULL) == COPSE_OK && index_validate(at));
      const copse_brute brute = {positions, index_groups(at), n, def.dimensions};
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
    index_destroy(at);
  }
}

static void test_batches_refuse_bad_arguments(void) {
  const float points[] = {0, 0, 1, 1}, bad[] = {0, NAN}, negative[] = {1, -1};
  index at = built(points, 2, 1);
  uint32_t offsets[2], counts[2], ids[8];
  float distances2[8];
  copse_rows rows = {offsets, counts, ids, 8, 0, false};
  copse_neighbor_rows near = {counts, ids, distances2};
  copse_results out = {ids, NULL, 8, 0, 0};
  copse_query far = copse_query_default(), sorted = copse_query_default();
  far.maxDistance = NAN;
  sorted.sort = COPSE_SORT_ID;
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  CHECK(index_all_within(at, -1, NULL, NULL, &rows) == refused);
  CHECK(index_all_within(at, 1, &sorted, NULL, &rows) == refused);
  CHECK(index_all_neighbors(at, 1, &far, NULL, &near) == refused);
  CHECK(index_within_many(at, bad, 1, 1, NULL, &rows) == refused);
  CHECK(index_within_many(at, points, 2, NAN, NULL, &rows) == refused);
  CHECK(index_nearest_many(at, bad, 1, 1, NULL, &near) == refused);
  CHECK(index_nearest_many(at, points, 2, 1, &far, &near) == refused);
  CHECK(index_pairs(at, -1, NULL, NULL, &out) == refused);
  CHECK(index_pairs(at, 0, negative, NULL, &out) == refused);
  CHECK(index_pairs(at, 0, bad, NULL, &out) == refused);
  index_destroy(at);
}

/* With any room, whole rows are written while they fit, and the total is told. */
static void test_truncated_rows_are_whole(void) {
  enum { N = 60, ALL = N * (N - 1) };
  float points[2 * N] = {0};
  for (int i = 0; i < N; i++) points[2 * i] = (float)(i / 8);
  index at = built(points, N, 8);
  static uint32_t ids[ALL + 16], full[ALL + 16];
  uint32_t offsets[N], counts[N], fullOffsets[N], fullCounts[N];
  copse_rows all = {fullOffsets, fullCounts, full, ALL + 16, 0, false};
  CHECK(index_all_within(at, 1, NULL, NULL, &all) == COPSE_OK && !all.truncated);
  for (uint32_t capacity = 0; capacity < all.total + 8; capacity += 7) {
    memset(ids, 0xee, sizeof ids);
    copse_rows rows = {offsets, counts, ids, capacity, 0, false};
    CHECK(index_all_within(at, 1, NULL, NULL, &rows) == COPSE_OK);
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
    CHECK(index_pairs(at, 1, NULL, NULL, &out) == COPSE_OK);
    CHECK(out.total == all.total && ids[capacity & ~1u] == 0xeeeeeeee);
  }
  index_destroy(at);
}

/* More near a leaf than a gathering can hold. */
static void test_batches_of_crowded_agents(void) {
  enum { N = 3000 };
  static float points[2 * N];
  for (int i = 0; i < N; i++) points[2 * i] = (float)(i % 5);
  index at = built(points, N, 16);
  static uint32_t offsets[N], counts[N], ids[N * 8];
  static float distances2[N * 8];
  copse_neighbor_rows near = {counts, ids, distances2};
  CHECK(index_all_neighbors(at, 8, NULL, NULL, &near) == COPSE_OK);
  for (uint32_t slot = 0; slot < N; slot++) {
    /* The eight lowest of its own place, without itself. */
    CHECK(counts[slot] == 8 && distances2[slot * 8 + 7] == 0);
    for (uint32_t i = 0; i < 8; i++)
      CHECK(ids[slot * 8 + i] == slot % 5 + 5 * (i + (slot / 5 <= i)));
  }
  copse_rows rows = {offsets, counts, ids, 0, 0, false};
  CHECK(index_all_within(at, 0, NULL, NULL, &rows) == COPSE_OK);
  CHECK(rows.total == N * (N / 5 - 1) && rows.truncated);
  copse_results out = {NULL, NULL, 0, 0, 0};
  CHECK(index_pairs(at, 0, NULL, NULL, &out) == COPSE_OK && out.total == rows.total);
  index_destroy(at);
}

/* The neighbors of all agents, counted one pair at a time. */
static void check_counts(index at, const float *points, uint32_t n, uint32_t dim, float radius) {
  static uint32_t offsets[768], counts[768], ids[768 * 768];
  copse_rows rows = {offsets, counts, ids, 768 * 768, 0, false};
  CHECK(index_all_within(at, radius, NULL, NULL, &rows) == COPSE_OK);
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
    index at = make(def);
    index_set_count(at, N);
    memcpy(index_positions(at).axes[0], points, N * dim * sizeof(float));
    CHECK(index_build(at, NULL) == COPSE_OK);
    check_counts(at, points, N, dim, 0.9f);
    index_destroy(at);
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
  index at = built(points, N, 8);
  copse_rows rows = {offsets, counts, ids, M * N, 0, false};
  CHECK(index_within_many(at, centers, M, 10, NULL, &rows) == COPSE_OK);
  for (int i = 0; i < M; i++) {
    copse_results out = {single, single2, N, 0, 0};
    index_within(at, centers + 2 * i, 10, NULL, &out);
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
    CHECK(index_nearest_many(at, centers, M, k, NULL, &near) == COPSE_OK);
    for (uint32_t i = 0; i < M; i++) {
      copse_results out = {single, single2, N, 0, 0};
      index_neighbors(at, centers + 2 * i, k, NULL, &out);
      CHECK(counts[i] == k && memcmp(ids + i * k, single, k * sizeof *ids) == 0);
      CHECK(memcmp(distances2 + i * k, single2, k * sizeof *single2) == 0);
    }
  }
  index_destroy(at);
}

static copse_hit hit_of(index at, float x0, float y0, float x1, float y1, float radius) {
  copse_hit hit;
  CHECK(index_raycast(at, (float[]){x0, y0}, (float[]){x1, y1}, radius, NULL, NULL, &hit, NULL) ==
        COPSE_OK);
  return hit;
}

static bool is_hit(copse_hit hit, uint32_t id, float fraction) {
  return hit.id == id && hit.fraction == fraction;
}

static void test_rays_hit_the_first_and_touch(void) {
  const float points[] = {4, 0, 8, 0, 8, 0, 3, 4, -5, 0};
  index at = built(points, 5, 1);
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
  index_destroy(at);
}

static void test_rays_of_any_size(void) {
  const float huge = COPSE_MAX_COORDINATE, tiny = 1e-45f, far = 16777216;
  const float points[] = {huge, huge, -huge, -huge, 0, 0, far, far};
  index at = built(points, 4, 1);
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
  index_destroy(at);
}

static void test_rays_with_radii_and_filters(void) {
  const float points[] = {2, 0, 4, 0, 6, 0, 8, 0, 10, 0}, radii[] = {NAN, -1, 0, 9, 1};
  const float from[] = {0, 0.5f}, to[] = {16, 0.5f}, on[] = {16, 0}, origin[] = {0, 0};
  index at = built(points, 5, 2);
  copse_query query = copse_query_default();
  copse_hit hit;
  uint32_t visits = 0;
  CHECK(index_raycast(at, from, to, 1, radii, NULL, &hit, &visits) == COPSE_OK);
  CHECK(hit.id == 3 && visits > 0); /* of radius 1, the greatest */
  CHECK(index_raycast(at, from, to, 9, radii, NULL, &hit, NULL) == COPSE_OK);
  CHECK(hit.id == 3 && hit.fraction == 0);
  query.exclude = 3;
  CHECK(index_raycast(at, from, to, 9, radii, &query, &hit, NULL) == COPSE_OK);
  CHECK(hit.id == 4);
  CHECK(index_raycast(at, origin, on, 1, radii, &query, &hit, NULL) == COPSE_OK);
  CHECK(is_hit(hit, 0, 0.125f)); /* NaN counts as 0 */
  query.mask = 2;
  CHECK(index_raycast(at, from, to, 9, radii, &query, &hit, NULL) == COPSE_OK);
  CHECK(is_hit(hit, COPSE_NONE, 1));
  index_destroy(at);
}

static void test_rays_refuse_bad_arguments(void) {
  const float points[] = {0, 0}, good[] = {1, 1, 2, 2}, bad[] = {1, 1, NAN, 0, 2e18f, 0};
  index at = built(points, 1, 1);
  index unbuilt = make(copse_agenttree_default());
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  uint32_t id = 7;
  float fraction = 7;
  copse_hit hit = {7, 7};
  CHECK(index_raycast(at, bad, bad + 2, 1, NULL, NULL, &hit, NULL) == refused);
  CHECK(is_hit(hit, COPSE_NONE, 1));
  CHECK(index_raycast(at, bad + 4, bad, 1, NULL, NULL, &hit, NULL) == refused);
  CHECK(index_raycast(at, good, good, NAN, NULL, NULL, &hit, NULL) == refused);
  CHECK(index_raycast(at, good, good, -1, points, NULL, &hit, NULL) == refused);
  CHECK(index_raycast_many(at, bad, 1, 1, NULL, NULL, &id, &fraction) == refused);
  CHECK(index_raycast_many(at, good, 1, -1, NULL, NULL, &id, &fraction) == refused);
  CHECK(id == 7 && fraction == 7);
  CHECK(index_raycast_many(at, NULL, 0, 1, NULL, NULL, NULL, NULL) == COPSE_OK);
  CHECK(is_hit(hit_of(unbuilt, 0, 0, 1, 1, INFINITY), COPSE_NONE, 1));
  index_destroy(at);
  index_destroy(unbuilt);
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
    index at = make(def);
    index_set_count(at, N);
    copse_positions positions = index_positions(at);
    const float scale = ldexpf(1, (int)(random_word(&seed) % 170) - 130);
    const float offset = random_word(&seed) % 2 ? 0 : scale * (float)(random_word(&seed) % 65536);
    for (uint32_t id = 0; id < N; id++)
      for (uint32_t axis = 0; axis < def.dimensions; axis++)
        positions.axes[axis][id * positions.stride] =
            offset + scale * (float)(random_word(&seed) % 9);
    CHECK(index_build(at, NULL) == COPSE_OK);
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
    CHECK(compare_rays(at, &brute, &ask, NULL) == NULL);
    CHECK(compare_rays(at, &brute, &ask, radii) == NULL);
    index_destroy(at);
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
    index veteran = make(def);
    for (int frame = 0; frame < 20; frame++) {
      const uint32_t n = 1 + random_word(&seed) % N;
      for (uint32_t i = 0; i < 2 * n; i++) points[i] = (float)(random_word(&seed) % 64);
      const copse_positions given = {{points, points + 1, NULL}, 2};
      index novice = make(def);
      CHECK(index_build_from(veteran, &given, NULL, n, NULL) == COPSE_OK);
      CHECK(index_build_from(novice, &given, NULL, n, NULL) == COPSE_OK);
      copse_results a = {kept, NULL, N, 0, 0}, b = {fresh, NULL, N, 0, 0};
      index_within(veteran, points, INFINITY, NULL, &a);
      index_within(novice, points, INFINITY, NULL, &b);
      CHECK(a.total == n && same_results(&a, &b, false));
      index_destroy(novice);
    }
    index_destroy(veteran);
  }
}

/* ---- Snapshots ---- */

static void test_restore_answers_as_what_was_saved(void) {
  for (int layout = 0; layout < 2; layout++) {
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = 64;
    def.leafSize = 2;
    index at = make(def);
    index_set_count(at, 40);
    uint32_t seed = 9;
    copse_positions positions = index_positions(at);
    for (uint32_t i = 0; i < 40; i++)
      for (int axis = 0; axis < 2; axis++)
        positions.axes[axis][i * positions.stride] = (float)(random_word(&seed) % 100);
    index_groups(at)[5] = 2;
    index_groups(at)[6] = 0;
    index_build(at, NULL);
    positions.axes[0][0] = 1234; /* moved, but not built yet */
    index_groups(at)[7] = 0;
    index_set_count(at, 30);

    size_t total, again;
    CHECK(index_save(at, NULL, 0, &total, NULL) == COPSE_FULL && total % 4 == 0);
    uint32_t *bytes = malloc(total);
    CHECK(index_save(at, bytes, total - 1, &again, NULL) == COPSE_FULL && again == total);
    CHECK(index_save(at, bytes, total, &again, NULL) == COPSE_OK);

    def.capacity = 50;
    def.layout = (copse_layout)layout;
    index other = make(def);
    CHECK(index_restore(other, bytes, total) == COPSE_OK);
    CHECK(index_validate(other) && index_count(other) == 30);
    CHECK(index_positions(other).axes[0][0] == 1234);
    for (int isBuilt = 0; isBuilt < 2; isBuilt++) {
      uint32_t ours[64], theirs[64];
      copse_results a = {ours, NULL, 64, 0, 0}, b = {theirs, NULL, 64, 0, 0};
      index_within(at, (float[]){50, 50}, INFINITY, NULL, &a);
      index_within(other, (float[]){50, 50}, INFINITY, NULL, &b);
      CHECK(a.total == (isBuilt ? 28 : 39) && same_results(&a, &b, false));
      index_build(at, NULL);
      index_build(other, NULL);
    }
    free(bytes);
    index_destroy(at);
    index_destroy(other);
  }
}

static void test_damaged_snapshots_change_nothing(void) {
  const float points[] = {1, 2, 3, 4, 5, 6};
  index at = built(points, 3, 1);
  uint32_t bytes[128], damaged[128];
  size_t total;
  CHECK(index_save(at, bytes, sizeof bytes, &total, NULL) == COPSE_OK);
  for (size_t bit = 0; bit < total * 8; bit++) {
    memcpy(damaged, bytes, total);
    damaged[bit / 32] ^= 1u << bit % 32;
    CHECK(index_restore(at, damaged, total) == COPSE_BAD_SNAPSHOT);
  }
  for (size_t size = 0; size < total; size++)
    CHECK(index_restore(at, bytes, size) == COPSE_BAD_SNAPSHOT);
  CHECK(index_restore(at, (char *)bytes + 1, total - 4) == COPSE_INVALID_ARGUMENT);
  CHECK(index_validate(at) && within_count(at, 3, 4, 0) == 1);

  index smaller = built(points, 2, 1);
  CHECK(index_restore(smaller, bytes, total) == COPSE_FULL);
  const kind same = tested;
  tested = (kind){.noun = AGENTTREE};
  index other = built(points, 3, 2); /* of other leaves */
  tested = same;
  CHECK(index_restore(other, bytes, total) == COPSE_BAD_SNAPSHOT);
  CHECK(within_count(smaller, 3, 4, 0) == 1 && within_count(other, 3, 4, 0) == 1);
  index_destroy(at);
  index_destroy(smaller);
  index_destroy(other);
}

const unit_test POINTS_TESTS[] = {
    EVERY(test_bad_definitions_are_refused),
    TEST(test_bad_definitions_of_a_tree_are_refused),
    TEST(test_bad_cell_sizes_are_refused),
    TEST(test_unknown_builders_are_refused),
    EVERY(test_bytes_says_what_creation_takes),
    EVERY(test_at_most_64_bytes_an_agent),
    EVERY(test_every_failing_allocation_is_reported_and_leaks_nothing),
    EVERY(test_no_frame_allocates),
    EVERY(test_a_failing_reserve_keeps_the_index),
    EVERY(test_reserve_keeps_buffers_and_the_last_build),
    EVERY(test_a_count_above_the_capacity_is_full),
    EVERY(test_before_the_first_build_every_query_is_empty),
    EVERY(test_no_agents_and_one_agent),
    EVERY(test_coincident_agents_make_one_leaf),
    EVERY(test_exponential_spacing_keeps_the_depth_bounded),
    EVERY(test_adjacent_floats_are_told_apart),
    EVERY(test_huge_and_tiny_coordinates),
    EVERY(test_a_position_that_is_not_finite_is_named_and_the_last_build_stays),
    EVERY(test_skip_leaves_out_and_counts_what_is_not_finite),
    TEST(test_median_splits_are_balanced),
    TEST(test_the_node_pool_suffices_for_lopsided_sets),
    TEST(test_cells_and_stats_agree),
    EVERY(test_bad_arguments_are_refused),
    EVERY(test_a_truncated_result_stops_at_its_capacity_and_tells_the_total),
    EVERY(test_ties_go_to_the_lower_id),
    EVERY(test_queries_equal_brute_force),
    EVERY(test_batches_refuse_bad_arguments),
    EVERY(test_truncated_rows_are_whole),
    EVERY(test_batches_of_crowded_agents),
    EVERY(test_agents_where_cells_are_rounded),
    EVERY(test_many_points_equal_single_queries),
    EVERY(test_rays_hit_the_first_and_touch),
    EVERY(test_rays_of_any_size),
    EVERY(test_rays_with_radii_and_filters),
    EVERY(test_rays_refuse_bad_arguments),
    EVERY(test_rays_on_the_border),
    EVERY(test_order_is_a_function_of_the_state),
    EVERY(test_restore_answers_as_what_was_saved),
    EVERY(test_damaged_snapshots_change_nothing),
    {NULL, NULL, false},
};
