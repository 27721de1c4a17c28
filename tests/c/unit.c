/* Unit tests of the C API, run under sanitizers. Prints `N passed, N failed`. */

#include "boxes.h"
#include "compare.h"
#include "crowd.h"
#include "program.h"
#include "scenes.h"
#include "walls.h"

#include "../../c/kdtree.h"
#include "../../c/obstacle.h"
#include "../../c/select.h"
#include "../../c/snapshot.h"

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

static kind tested; /* by tests that are for every kind */

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

/* ---- Core ---- */

static void test_every_status_has_a_text(void) {
  for (int status = COPSE_OK; status <= COPSE_BAD_SNAPSHOT; status++) {
    CHECK(strlen(copse_status_text((copse_status)status)) > 0);
    CHECK(strcmp(copse_status_text((copse_status)status), "unknown status") != 0);
  }
  CHECK(strcmp(copse_status_text((copse_status)999), "unknown status") == 0);
}

static void test_slots_are_reused_with_a_new_generation(void) {
  uint32_t generations[70], free[3];
  slots all = {0};
  slots_grow(&all, generations, free, 70);
  for (uint32_t slot = 0; slot < 70; slot++) CHECK(slots_take(&all) == slot);
  CHECK(slots_take(&all) == COPSE_NONE);
  uint32_t before = generations[65];
  CHECK(slots_free(&all, 65) == COPSE_OK && !slots_in_use(&all, 65));
  CHECK(slots_free(&all, 65) == COPSE_STALE_HANDLE && slots_free(&all, 70) == COPSE_STALE_HANDLE);
  CHECK(slots_free(&all, 69) == COPSE_OK && slots_free(&all, 3) == COPSE_OK && all.used == 67);
  CHECK(slots_take(&all) == 3); /* the lowest, whichever was freed last */
  slots_take_at(&all, 69);
  CHECK(slots_take(&all) == 65 && generations[65] == before + 2 && all.used == 70);
}

static void test_slots_keep_their_state_when_they_grow(void) {
  uint32_t generations[2], free[1], moreGenerations[4], moreFree[1];
  slots all = {0};
  slots_grow(&all, generations, free, 2);
  slots_take(&all);
  slots_take(&all);
  slots_free(&all, 0);
  slots_grow(&all, moreGenerations, moreFree, 4);
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

/* ---- What only a grid has ---- */

static copse_positions interleaved(const float *points, uint32_t dim) {
  float *x = (float *)points; /* only read */
  return (copse_positions){{x, x + 1, x + 2}, dim};
}

static copse_grid *grid_of(const float *points, uint32_t n, uint32_t dim, float size) {
  copse_grid_def def = copse_grid_default();
  def.dimensions = dim;
  def.capacity = n;
  def.cellSize = size;
  copse_grid *grid = NULL;
  CHECK(copse_grid_create(&def, &grid) == COPSE_OK);
  const copse_positions given = interleaved(points, dim);
  CHECK(copse_grid_build_from(grid, &given, NULL, n, NULL) == COPSE_OK);
  CHECK(copse_grid_validate(grid));
  return grid;
}

/* Everything asked of a grid over these points is what brute force answers. */
static void check_grid(const float *points, uint32_t n, uint32_t dim, float size, float radius,
                       const float *center) {
  copse_grid *grid = grid_of(points, n, dim, size);
  const copse_brute brute = {interleaved(points, dim), NULL, n, dim};
  asked ask = {.query = copse_query_default(), .radius = radius, .halfAngle = 1, .k = 7};
  for (uint32_t axis = 0; axis < dim; axis++) {
    ask.center[axis] = center[axis];
    ask.direction[axis] = 1;
    ask.lo[axis] = center[axis] - radius;
    ask.hi[axis] = center[axis] + radius;
  }
  CHECK(compare_queries((index){.grid = grid}, &brute, &ask) == NULL);
  ask.query.maxDistance = radius;
  CHECK(compare_queries((index){.grid = grid}, &brute, &ask) == NULL);
  CHECK(compare_batches((index){.grid = grid}, &brute, &ask, NULL, NULL) == NULL);
  copse_grid_destroy(grid);
}

/* Far cells share entries, and the rows of a window go on at the begin of the table. */
static void test_windows_wrap_past_the_end_of_the_table(void) {
  enum { N = 60, MOST_ENTRIES = 4 * N + 64 };
  uint32_t seed = 11;
  for (uint32_t dim = 2; dim <= 3; dim++) {
    for (uint32_t shift = 0; shift < MOST_ENTRIES; shift++) {
      float points[3 * N];
      for (uint32_t i = 0; i < N * dim; i++)
        points[i] = (float)(i % dim ? 0 : shift) + (float)(random_word(&seed) % 256) / 16;
      for (uint32_t axis = 0; axis < dim; axis++) {
        points[axis] = 0;
        points[dim + axis] = 1e5f;
      }
      copse_grid *grid = grid_of(points, N, dim, 1);
      CHECK(copse_grid_stats(grid).shared);
      copse_grid_destroy(grid);
      const float inside[3] = {(float)shift + 8, 8, 8};
      check_grid(points, N, dim, 1, 1.5f, inside);
      check_grid(points, N, dim, 1, 3, points + dim * (2 + shift % (N - 2)));
    }
  }
}

static void test_windows_wider_than_the_table(void) {
  enum { N = 40 };
  uint32_t seed = 12;
  for (uint32_t dim = 2; dim <= 3; dim++) {
    for (float radius = 1; radius < 1e6f; radius *= 1.37f) {
      float points[3 * N];
      for (uint32_t i = 0; i < N * dim; i++) points[i] = (float)(random_word(&seed) % 1000000);
      check_grid(points, N, dim, 1, radius, points);
      check_grid(points, N, dim, 1e-20f, radius, points);
    }
  }
}

static void test_queries_beyond_all_agents(void) {
  const float points[] = {0, 0, 0, 10, 0, 0, 0, 10, 0, 10, 10, 10};
  const float far[][3] = {
      {-1e18f, 0, 0}, {1e18f, 1e18f, 1e18f}, {0, 1e9f, 0}, {20, 20, 20}, {-5, 5, 25}};
  for (int i = 0; i < 5; i++) {
    for (float size = 1e-3f; size < 1e4f; size *= 10) {
      check_grid(points, 4, 3, size, 0, far[i]);
      check_grid(points, 4, 3, size, 16, far[i]);
      check_grid(points, 4, 3, size, 1e18f, far[i]);
      check_grid(points, 4, 3, size, INFINITY, far[i]);
    }
  }
}

/* Two agents exactly a radius apart, with cells whose borders are between them, or rounded to be on
 * one of them. */
static void test_exactly_the_radius_across_cells(void) {
  uint32_t seed = 13;
  for (int round = 0; round < 20000; round++) {
    float points[9] = {0};
    const uint32_t dim = 2 + (uint32_t)round % 2, axis = random_word(&seed) % dim;
    const float size = (float)(1 + random_word(&seed) % 1000) / 64;
    for (uint32_t i = 0; i < 2 * dim; i++)
      points[dim + i] = (float)(random_word(&seed) >> 8) / 65536;
    for (uint32_t other = 0; other < dim; other++)
      if (other != axis) points[2 * dim + other] = points[dim + other];
    const float radius = fabsf(points[2 * dim + axis] - points[dim + axis]);
    copse_grid *grid = grid_of(points, 3, dim, random_word(&seed) % 2 ? size : radius);
    copse_query others = copse_query_default();
    uint32_t total, nearest;
    others.exclude = 1;
    CHECK(copse_grid_count_within(grid, points + dim, radius, &others, &total, NULL) == COPSE_OK);
    CHECK(total >= 1);
    others.maxDistance = radius;
    CHECK(copse_grid_nearest(grid, points + dim, &others, &nearest, NULL, NULL) == COPSE_OK);
    CHECK(nearest != COPSE_NONE);
    uint32_t offsets[3], counts[3], ids[8];
    copse_rows rows = {offsets, counts, ids, 8, 0, false};
    CHECK(copse_grid_all_within(grid, radius, NULL, NULL, &rows) == COPSE_OK);
    CHECK(counts[1] >= 1 && counts[2] >= 1);
    copse_results pairs = {ids, NULL, 8, 0, 0};
    CHECK(copse_grid_pairs(grid, radius, NULL, NULL, &pairs) == COPSE_OK && pairs.total >= 2);
    copse_grid_destroy(grid);
  }
}

static void test_the_table_is_shared_where_there_are_too_many_cells(void) {
  const float points[] = {0, 0, 1000, 0, 0, 1000, 1000, 1000};
  const struct {
    float size;
    bool shared;
    uint32_t entries;
  } cases[] = {{1000, false, 17 * 2}, {250, false, 5 * 5}, {1, true, 64}, {1e-20f, true, 64}};
  for (int i = 0; i < 4; i++) {
    copse_grid *grid = grid_of(points, 4, 2, cases[i].size);
    const copse_grid_statistics stats = copse_grid_stats(grid);
    CHECK(stats.shared == cases[i].shared && stats.entries == cases[i].entries);
    copse_grid_destroy(grid);
  }
}

/* Cells whose area underflows: a search must not begin with no reach at all. */
static void test_searches_among_the_smallest_cells(void) {
  const float points[] = {0, 0, 1, 1, 1, 1, -3, 2}, sizes[] = {1e-20f, 1e-30f, 1e-38f, 1e-45f};
  for (int i = 0; i < 4; i++) {
    copse_grid *grid = grid_of(points, 4, 2, sizes[i]);
    uint32_t ids[4], nearest;
    float distances2[4];
    copse_results results = {ids, distances2, 4, 0, 0};
    copse_query query = copse_query_default();
    query.exclude = 0;
    CHECK(copse_grid_neighbors(grid, points, 4, NULL, &results) == COPSE_OK);
    CHECK(results.total == 4 && ids[0] == 0 && ids[1] == 1 && ids[2] == 2 && ids[3] == 3);
    CHECK(copse_grid_nearest(grid, points, &query, &nearest, NULL, NULL) == COPSE_OK);
    CHECK(nearest == 1);
    copse_grid_destroy(grid);
  }
}

static void test_a_snapshot_is_for_one_size_of_cells(void) {
  const float points[] = {1, 2, 3, 4};
  copse_grid *grid = grid_of(points, 2, 2, 1), *other = grid_of(points, 2, 2, 1.0000001f);
  copse_agenttree_def def = copse_agenttree_default();
  copse_agenttree *tree;
  CHECK(copse_agenttree_create(&def, &tree) == COPSE_OK);
  uint32_t bytes[64];
  size_t total;
  CHECK(copse_grid_save(grid, bytes, sizeof bytes, &total, NULL) == COPSE_OK);
  CHECK(copse_grid_restore(other, bytes, total) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_agenttree_restore(tree, bytes, total) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_grid_restore(grid, bytes, total) == COPSE_OK);
  copse_agenttree_destroy(tree);
  copse_grid_destroy(grid);
  copse_grid_destroy(other);
}

/* ---- What only a k-d tree has ---- */

static copse_kdtree *kdtree_of(const float *points, uint32_t n, uint32_t dim,
                               copse_builder builder) {
  copse_kdtree_def def = copse_kdtree_default();
  def.dimensions = dim;
  def.capacity = n ? n : 1;
  def.builder = builder;
  copse_kdtree *tree = NULL;
  CHECK(copse_kdtree_create(&def, &tree) == COPSE_OK);
  const copse_positions given = interleaved(points, dim);
  CHECK(copse_kdtree_build_from(tree, &given, NULL, n, NULL) == COPSE_OK);
  return tree;
}

enum { INPUTS = 9 };

/* Sequences that are hard for one way or another to find a median; the same on all axes, or on the
 * first. */
static float input_at(int input, uint32_t i, uint32_t n, uint32_t *seed) {
  const uint32_t half = n / 2;
  switch (input) {
  case 0: /* sorted */
    return (float)i;
  case 1: /* reversed */
    return (float)(n - i);
  case 2: /* organ pipe */
    return (float)(i < half ? i : n - i);
  case 3: /* all equal */
    return 7;
  case 4: /* bad for the median of three: D. R. Musser, "Introspective sorting" (1997) */
    return (float)(i < half ? (i % 2 ? half + i - 1 : i) : 2 * (i - half) + 1);
  case 5: /* bad for evenly spread samples: these, of 2^10, 2^13 and 2^16, are the least of all */
    return (float)(i % 32 == 16 || i % 64 == 32 || i % 256 == 128 ? i : n + i);
  case 6: /* few values */
    return (float)(random_word(seed) % 3);
  case 7: /* half of them equal */
    return i % 2 ? 500 : (float)(random_word(seed) % 1000);
  default:
    return (float)(random_word(seed) >> 8);
  }
}

static void fill_input(float *points, int input, uint32_t n, uint32_t dim, bool onAllAxes) {
  uint32_t seed = 1;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t axis = 0; axis < dim; axis++)
      points[i * dim + axis] =
          axis && !onAllAxes ? (float)(random_word(&seed) % 4096) : input_at(input, i, n, &seed);
}

static void test_builders_give_the_same_tree(void) {
  enum { N = 2600 };
  static float points[3 * N];
  static uint32_t order[N], other[N];
  const uint32_t sizes[] = {N, 512, 37};
  for (int trial = 0; trial < 3 * INPUTS * 2 * 2; trial++) {
    const uint32_t n = sizes[trial % 3], dim = trial / 3 % 2 ? 3 : 2;
    fill_input(points, trial / 6 % INPUTS, n, dim, trial / 6 / INPUTS);
    for (int builder = 0; builder < 3; builder++) {
      copse_kdtree *tree = kdtree_of(points, n, dim, (copse_builder)builder);
      CHECK(copse_kdtree_validate(tree));
      CHECK(copse_kdtree_order(tree, builder ? other : order, n) == n);
      if (builder) CHECK(memcmp(order, other, n * sizeof *order) == 0);
      copse_kdtree_destroy(tree);
    }
  }
  for (uint32_t n = 0; n < 70; n++) { /* every length of a run, and of what is left of four */
    fill_input(points, 8, 70, 2, true);
    for (int builder = 0; builder < 3; builder++) {
      copse_kdtree *tree = kdtree_of(points, n, 2, (copse_builder)builder);
      CHECK(copse_kdtree_validate(tree));
      copse_kdtree_destroy(tree);
    }
  }
}

static void test_comparisons_are_bounded_for_any_input(void) {
  enum { MOST = 1 << 16 };
  static float points[3 * MOST];
  static const double BOUNDS[] = {24, 16, 3};
  for (uint32_t n = 1 << 10, levels = 10; n <= MOST; n *= 8, levels += 3)
    for (int trial = 0; trial < INPUTS * 2 * 2; trial++) {
      const uint32_t dim = trial % 2 ? 3 : 2;
      fill_input(points, trial / 2 % INPUTS, n, dim, trial / 2 / INPUTS);
      for (int builder = 0; builder < 3; builder++) {
        copse_comparisons = 0;
        copse_kdtree_destroy(kdtree_of(points, n, dim, (copse_builder)builder));
        const double ratio = (double)copse_comparisons / ((double)n * levels);
        CHECK(ratio > 0.5 && ratio <= BOUNDS[builder]);
      }
    }
}

static void test_lines_divide_what_is_below_them(void) {
  /* On x the median is 2; on the left, on y, 8; on the right 5. */
  const float points[] = {2, 1, 0, 8, 1, 3, 9, 5, 4, 2};
  copse_kdtree *tree = kdtree_of(points, 5, 2, COPSE_BUILDER_QUICKSELECT);
  const float lines[] = {2, 1, 2, 8, 0, 5,  /* x = 2, as high as all points */
                         0, 8, 2, 8, 1, 2,  /* y = 8, on the left of it */
                         1, 1, 1, 8, 2, 1,  /* x = 1, below that */
                         2, 5, 9, 5, 1, 2,  /* y = 5, on the right */
                         4, 1, 4, 5, 2, 1}; /* x = 4, below */
  float cells[31] = {0};
  cells[30] = 42;
  CHECK(copse_kdtree_cells(tree, cells, 30) == 30 && memcmp(cells, lines, sizeof lines) == 0);
  memset(cells, 0, sizeof lines);
  CHECK(copse_kdtree_cells(tree, cells, 11) == 30); /* whole ones */
  CHECK(memcmp(cells, lines, 6 * sizeof *lines) == 0 && cells[6] == 0 && cells[30] == 42);
  copse_kdtree_destroy(tree);
}

static void test_validate_sees_what_is_wrong(void) {
  enum { N = 100 };
  static float points[2 * N];
  fill_input(points, 8, N, 2, true);
  copse_kdtree *tree = kdtree_of(points, N, 2, COPSE_BUILDER_QUICKSELECT);
  scan_points *all = &tree->agents.points;
  CHECK(copse_kdtree_validate(tree));
  for (uint32_t i = 0; i < N; i++) { /* each point too far left, and too far right, for its place */
    for (uint32_t axis = 0; axis < 2; axis++) {
      const float x = all->axes[axis][i];
      all->axes[axis][i] = -1;
      CHECK(!copse_kdtree_validate(tree));
      all->axes[axis][i] = 1e9f;
      CHECK(!copse_kdtree_validate(tree));
      all->axes[axis][i] = x;
    }
    const uint32_t id = all->ids[i];
    all->ids[i] = all->ids[(i + 1) % N]; /* no permutation */
    CHECK(!copse_kdtree_validate(tree));
    all->ids[i] = id;
  }
  CHECK(copse_kdtree_validate(tree));
  const uint32_t middle = N / 2; /* within the bounds, but on the wrong side */
  const float x = all->axes[0][0];
  all->axes[0][0] = all->axes[0][middle] + 1;
  CHECK(!copse_kdtree_validate(tree));
  all->axes[0][0] = x;
  all->axes[0][N - 1] = all->axes[0][middle] - 1;
  CHECK(!copse_kdtree_validate(tree));
  copse_kdtree_destroy(tree);
}

static void test_statistics_of_every_size(void) {
  enum { MOST = 300 };
  static float points[2 * MOST], cells[6 * MOST];
  fill_input(points, 8, MOST, 2, true);
  for (uint32_t n = 0; n <= MOST; n++) {
    copse_kdtree *tree = kdtree_of(points, n, 2, COPSE_BUILDER_PRESORT);
    CHECK(copse_kdtree_cells(tree, cells, 6 * MOST) == 6 * (size_t)n);
    uint32_t depth = 0, leaves = 0;
    for (uint32_t i = 0; i < n; i++) {
      if ((uint32_t)cells[6 * i + 4] > depth) depth = (uint32_t)cells[6 * i + 4];
      leaves += cells[6 * i + 5] == 1;
    }
    const copse_kdtree_statistics stats = copse_kdtree_stats(tree);
    CHECK(stats.points == n && stats.depth == depth && stats.leaves == leaves);
    copse_kdtree_destroy(tree);
  }
}

static void test_a_snapshot_is_for_all_builders(void) {
  float points[2 * 100];
  static uint32_t bytes[1024], order[100], other[100];
  size_t total;
  fill_input(points, 8, 100, 2, true);
  copse_kdtree *tree = kdtree_of(points, 100, 2, COPSE_BUILDER_QUICKSELECT);
  copse_kdtree *taker = kdtree_of(points, 100, 2, COPSE_BUILDER_PRESORT);
  copse_kdtree_set_count(taker, 0);
  CHECK(copse_kdtree_build(taker, NULL) == COPSE_OK);
  CHECK(copse_kdtree_save(tree, bytes, sizeof bytes, &total, NULL) == COPSE_OK);
  CHECK(copse_kdtree_restore(taker, bytes, total) == COPSE_OK && copse_kdtree_validate(taker));
  CHECK(copse_kdtree_order(tree, order, 100) == 100 &&
        copse_kdtree_order(taker, other, 100) == 100);
  CHECK(memcmp(order, other, sizeof order) == 0);
  copse_kdtree_destroy(tree);
  copse_kdtree_destroy(taker);
}

/* ---- */

/* ---- Quadtree and octree ---- */

static copse_octree *octree_of(copse_octree_def def) {
  copse_octree *tree;
  CHECK(copse_octree_create(&def, &tree) == COPSE_OK);
  return tree;
}

/* The world is 0 … 16 on each side. */
static copse_octree_def sixteen(uint32_t dimensions, uint32_t leafSize, uint32_t maxDepth) {
  copse_octree_def def = copse_octree_default();
  def.dimensions = dimensions;
  def.leafSize = leafSize;
  def.maxDepth = maxDepth;
  for (uint32_t axis = 0; axis < dimensions; axis++) {
    def.bounds[axis] = 0;
    def.bounds[dimensions + axis] = 16;
  }
  return def;
}

static uint32_t add_box(copse_octree *tree, float minX, float minY, float maxX, float maxY) {
  uint32_t slot;
  CHECK(copse_octree_insert(tree, (float[]){minX, minY, maxX, maxY}, &slot) == COPSE_OK);
  CHECK(copse_octree_validate(tree));
  return slot;
}

static uint64_t changes_of(const copse_octree *tree) { return copse_octree_stats(tree).changes; }

static void test_boxes_agree_with_a_list(void) {
  enum { SEQUENCES = 12000, MOST = 6000 };
  uint32_t state = 7;
  for (uint32_t sequence = 0; sequence < SEQUENCES; sequence++) {
    uint8_t bytes[MOST];
    const uint32_t size = sequence % 16 ? 1000 : MOST;
    for (uint32_t i = 0; i < size; i++) bytes[i] = (uint8_t)(random_word(&state) >> 8);
    const char *wrong = play_boxes(bytes, size);
    if (wrong) printf("sequence %u: %s\n", sequence, wrong);
    CHECK(!wrong);
  }
}

static void test_a_move_within_a_cell_changes_no_structure(void) {
  copse_octree *tree = octree_of(sixteen(2, 1, 4));
  const uint32_t slot = add_box(tree, 1, 1, 2, 2);
  add_box(tree, 9, 9, 10, 10);
  add_box(tree, 13, 13, 14, 14);
  const uint64_t before = changes_of(tree);
  copse_octree_move(tree, slot, (float[]){3, 5, 4, 6});
  copse_octree_boxes(tree)[0] = 2;
  CHECK(copse_octree_move_all(tree, NULL) == COPSE_OK);
  CHECK(changes_of(tree) == before);
  copse_octree_move(tree, slot, (float[]){3, 9, 4, 10});
  CHECK(changes_of(tree) > before);
  copse_octree_destroy(tree);
}

/* A box that ends on a line is below it, one that begins there above, and so is a point. */
static void test_items_on_a_line_have_one_side(void) {
  static const struct {
    float box[4], cell; /* where its cell begins along x; -1: it straddles */
  } CASES[] = {{{7, 1, 8, 2}, 0},  {{8, 1, 9, 2}, 8},   {{8, 1, 8, 1}, 8},
               {{7, 1, 9, 2}, -1}, {{8, 1, 8, 2}, 8},   {{-9, 1, 8, 2}, 0},
               {{0, 1, 0, 1}, 0},  {{16, 1, 16, 1}, 8}, {{20, 1, 90, 2}, 8}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    for (int moved = 0; moved < 2; moved++) {
      copse_octree *tree = octree_of(sixteen(2, 0, 1));
      float cells[5 * 6], found = -1;
      uint32_t slot;
      const float *first = moved ? (float[]){12, 12, 13, 13} : CASES[i].box;
      CHECK(copse_octree_insert(tree, first, &slot) == COPSE_OK);
      if (moved) CHECK(copse_octree_move(tree, slot, CASES[i].box) == COPSE_OK);
      CHECK(copse_octree_validate(tree) && copse_octree_cells(tree, cells, 30) == 30);
      for (int cell = 1; cell < 5; cell++)
        if (cells[6 * cell + 5] == 1) found = cells[6 * cell];
      CHECK(found == CASES[i].cell);
      CHECK(copse_octree_stats(tree).straddlers == (found < 0));
      copse_octree_destroy(tree);
    }
}

static void test_items_outside_the_world_are_kept_found_and_counted(void) {
  copse_octree *tree = octree_of(sixteen(2, 1, 8));
  for (uint32_t i = 0; i < 20; i++)
    add_box(tree, 100 + (float)i, -1e18f, 100.5f + (float)i, -1e17f);
  add_box(tree, 1, 1, 2, 2);
  add_box(tree, 15, 15, 17, 16);
  uint32_t ids[32];
  copse_results results = {ids, NULL, 32, 0, 0};
  copse_octree_range(tree, (float[]){103, -1e18f}, (float[]){104, 0}, NULL, &results);
  CHECK(results.total == 2 && copse_octree_stats(tree).outside == 21);
  copse_octree_destroy(tree);
}

static void test_all_removed_is_the_start(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (uint32_t leafSize = 0; leafSize < 4; leafSize++) {
      copse_octree *tree = octree_of(sixteen(dimensions, leafSize, 6));
      uint32_t state = 1, slot;
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 300; i++) {
          float box[6];
          for (uint32_t axis = 0; axis < dimensions; axis++) {
            box[axis] = (float)(random_word(&state) % 64) / 4;
            box[dimensions + axis] = box[axis] + (float)(random_word(&state) % 8) / 8;
          }
          CHECK(copse_octree_insert(tree, box, &slot) == COPSE_OK && slot == (uint32_t)i);
        }
        CHECK(copse_octree_stats(tree).nodes > 1 && copse_octree_stats(tree).unsplit == 0);
        uint32_t ids[300], total;
        copse_results all = {ids, NULL, 300, 0, 0};
        const float lo[3] = {0}, hi[3] = {17, 17, 17};
        CHECK(copse_octree_range(tree, lo, hi, NULL, &all) == COPSE_OK && all.total == 300);
        copse_octree_count_within(tree, lo, INFINITY, NULL, &total, NULL);
        CHECK(total == 300);
        for (uint32_t i = 0; i < 300; i++)
          CHECK(copse_octree_remove(tree, (i * 7 + (uint32_t)round) % 300) == COPSE_OK);
        const copse_octree_statistics stats = copse_octree_stats(tree);
        CHECK(copse_octree_validate(tree) && stats.items == 0 && stats.nodes == 1);
      }
      copse_octree_destroy(tree);
    }
}

static void test_a_pool_without_nodes_leaves_cells_whole(void) {
  copse_octree_def def = sixteen(3, 1, 24);
  def.capacity = 100;
  copse_octree *tree = octree_of(def);
  uint32_t slot;
  for (int i = 0; i < 100; i++) { /* pairs that only the deepest cells would part */
    const float x = (float)(i / 2) / 4, y = x + (i % 2 ? 1e-6f : 0);
    CHECK(copse_octree_insert(tree, (float[]){x, y, x, x, y, x}, &slot) == COPSE_OK);
    CHECK(copse_octree_validate(tree));
  }
  CHECK(copse_octree_stats(tree).unsplit > 0);
  uint32_t ids[100], total;
  copse_results results = {ids, NULL, 100, 0, 0};
  copse_octree_range(tree, (float[]){2, 2, 2}, (float[]){4, 4, 4}, NULL, &results);
  total = results.total;
  CHECK(total == 17 || total == 18);
  for (uint32_t i = 0; i < 100; i++) copse_octree_remove(tree, i);
  CHECK(copse_octree_validate(tree) && copse_octree_stats(tree).nodes == 1);
  copse_octree_destroy(tree);
}

static void test_wrong_boxes_are_refused(void) {
  copse_octree *tree = octree_of(sixteen(2, 4, 4));
  uint32_t slot = add_box(tree, 1, 1, 2, 2), given, bad = 0;
  const float wrong[][4] = {{NAN, 0, 1, 1}, {0, 0, INFINITY, 1}, {0, 0, 1, 2e18f}, {1, 0, 0, 1}};
  for (int i = 0; i < 4; i++) {
    const copse_status status = i < 3 ? COPSE_NOT_FINITE : COPSE_INVALID_ARGUMENT;
    CHECK(copse_octree_insert(tree, wrong[i], &given) == status && given == COPSE_NONE);
    CHECK(copse_octree_insert_at(tree, 5, wrong[i]) == status && !copse_octree_has(tree, 5));
    CHECK(copse_octree_move(tree, slot, wrong[i]) == status);
    memcpy(copse_octree_boxes(tree), wrong[i], sizeof wrong[i]);
    CHECK(copse_octree_move_all(tree, &bad) == status && bad == slot);
    CHECK(copse_octree_move_all(tree, NULL) == status);
  }
  const float fine[4] = {0, 0, 1, 1};
  CHECK(copse_octree_insert_at(tree, slot, fine) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_octree_insert_at(tree, 1000, fine) == COPSE_FULL);
  CHECK(copse_octree_move(tree, 7, fine) == COPSE_STALE_HANDLE);
  CHECK(copse_octree_remove(tree, 7) == COPSE_STALE_HANDLE);
  CHECK(copse_octree_remove(tree, 1u << 31) == COPSE_STALE_HANDLE);
  CHECK(copse_octree_count(tree) == 1 && copse_octree_validate(tree));
  copse_octree_destroy(tree);

  copse_octree_def def = sixteen(2, 4, 4), good = def;
  CHECK(copse_octree_bytes(&def) != SIZE_MAX);
  def.looseness = 0.5f;
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT && !tree);
  def.looseness = NAN;
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_octree_bytes(&def) == SIZE_MAX);
  def = good;
  def.bounds[2] = 0;
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT);
  def = good;
  def.maxDepth = COPSE_OCTREE_MAX_DEPTH + 1;
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT);
  def = good;
  def.capacity = 0;
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT);
  def = good;
  def.leafSize = UINT32_MAX;
  CHECK(copse_octree_create(&def, &tree) == COPSE_OK);
  copse_octree_destroy(tree);
  copse_octree_destroy(NULL);
}

static void test_boxes_fill_their_capacity(void) {
  copse_octree_def def = sixteen(2, 2, 6);
  def.capacity = 3;
  copse_octree *tree = octree_of(def);
  uint32_t slot;
  for (int i = 0; i < 3; i++) add_box(tree, 1, 1, 2, 2);
  CHECK(copse_octree_insert(tree, (float[]){0, 0, 1, 1}, &slot) == COPSE_FULL);
  CHECK(copse_octree_reserve(tree, 2) == COPSE_OK && copse_octree_capacity(tree) == 3);
  CHECK(copse_octree_reserve(tree, 40) == COPSE_OK && copse_octree_capacity(tree) == 40);
  CHECK(copse_octree_reserve(tree, UINT32_MAX) == COPSE_INVALID_ARGUMENT);
  for (int i = 3; i < 40; i++) CHECK(add_box(tree, 1, 1, 2, 2) == (uint32_t)i);
  CHECK(copse_octree_insert(tree, (float[]){0, 0, 1, 1}, &slot) == COPSE_FULL);
  uint32_t ids[10] = {0};
  copse_results results = {ids, NULL, 9, 0, 0};
  CHECK(copse_octree_range(tree, (float[]){0, 0}, (float[]){9, 9}, NULL, &results) == COPSE_OK);
  CHECK(results.total == 40 && ids[9] == 0);
  ids[8] = 77;
  CHECK(copse_octree_pairs(tree, NULL, &results) == COPSE_OK);
  CHECK(results.total == 40 * 39 && ids[8] == 77); /* whole pairs only */
  copse_octree_destroy(tree);
}

static void test_pairs_are_written_whole_while_they_fit(void) {
  copse_octree *tree = octree_of(sixteen(2, 2, 6));
  for (int i = 0; i < 6; i++) add_box(tree, 1, 1, 2, 2);
  for (uint32_t capacity = 0; capacity < 32; capacity++) {
    uint32_t *ids = malloc(capacity ? capacity * sizeof *ids : 1); /* a write behind it is found */
    copse_results results = {ids, NULL, capacity, 0, 0};
    CHECK(copse_octree_pairs(tree, NULL, &results) == COPSE_OK && results.total == 30);
    for (uint32_t i = 0; i + 2 <= capacity && i < 30; i += 2) CHECK(ids[i] < ids[i + 1]);
    for (uint32_t i = 2; i + 2 <= capacity && i < 30; i += 2) CHECK(ids[i] >= ids[i - 2]);
    free(ids);
  }
  copse_octree_destroy(tree);
}

static void test_an_octree_allocates_only_when_it_is_created(void) {
  for (int failing = 0; failing < 3; failing++) {
    ledger book = {failing, 0};
    copse_octree_def def = sixteen(3, 2, 6);
    def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
    copse_octree *tree;
    const copse_status status = copse_octree_create(&def, &tree);
    CHECK(status == (failing < 2 ? COPSE_OUT_OF_MEMORY : COPSE_OK));
    if (status == COPSE_OK) {
      CHECK(book.bytesHeld == copse_octree_bytes(&def));
      CHECK(copse_octree_stats(tree).bytes == book.bytesHeld);
      uint32_t slot;
      for (int i = 0; i < 500; i++) {
        const float x = (float)(i % 25) / 2, y = (float)(i / 25) / 2;
        CHECK(copse_octree_insert(tree, (float[]){x, y, x, x + 1, y, y}, &slot) ==
              (y < x ? COPSE_INVALID_ARGUMENT : COPSE_OK));
      }
      const uint32_t count = copse_octree_count(tree);
      for (int calls = 0; copse_octree_capacity(tree) == 1000; calls++) {
        book.callsLeft = calls;
        const bool grows = copse_octree_reserve(tree, 5000) == COPSE_OK;
        CHECK(grows == (copse_octree_capacity(tree) == 5000) && (calls || !grows));
        CHECK(copse_octree_count(tree) == count && copse_octree_validate(tree));
        static uint32_t words[8192];
        size_t total;
        book.callsLeft = 0; /* neither of these takes memory */
        CHECK(copse_octree_save(tree, words, sizeof words, &total) == COPSE_OK);
        CHECK(copse_octree_restore(tree, words, total) == COPSE_OK);
        CHECK(copse_octree_count(tree) == count && copse_octree_validate(tree));
      }
      copse_octree_destroy(tree);
    }
    CHECK(book.bytesHeld == 0);
  }
}

static void test_looseness_frees_small_items_at_the_center(void) {
  copse_octree_def def = sixteen(2, 1, 4);
  uint32_t straddlers[2];
  for (int loose = 0; loose < 2; loose++) {
    def.looseness = loose ? 2 : 1;
    copse_octree *tree = octree_of(def);
    for (int i = 0; i < 16; i++) {
      const float x = (float)i;
      add_box(tree, x + 0.4f, 7.9f, x + 0.6f, 8.1f);
    }
    straddlers[loose] = copse_octree_stats(tree).straddlers;
    copse_octree_destroy(tree);
  }
  CHECK(straddlers[0] == 16 && straddlers[1] == 0);
}

static void test_a_snapshot_of_boxes_checks_what_it_takes(void) {
  copse_octree *tree = octree_of(sixteen(2, 1, 4));
  for (int i = 0; i < 9; i++) add_box(tree, (float)i, 1, (float)i + 1, 2);
  copse_octree_remove(tree, 4);
  static uint32_t words[500], forged[500];
  size_t total, same;
  CHECK(copse_octree_save(tree, words, 10, &total) == COPSE_FULL);
  CHECK(copse_octree_save(tree, words, sizeof words, &total) == COPSE_OK);
  const size_t head = total / 4 - 8 * 5 - 9 * 2; /* in words: 9 slots and 8 items follow */
  const size_t order = head + 18, boxes = order + 8;
  const struct {
    size_t word;
    uint32_t value;
  } wrong[] = {{head, 2},           {head + 4, 1},       {order, words[order + 1]},
               {order, 4},          {order, 9},          {order, UINT32_MAX},
               {boxes, 0x7fc00000}, {boxes, 0x7f800000}, {boxes, 0x42c80000},
               {head - 1, 9},       {head - 2, 1000},    {head - 1, 0x40000000}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    memcpy(forged, words, total);
    forged[wrong[i].word] = wrong[i].value;
    snapshot_seal(forged, total, SNAPSHOT_OCTREE);
    CHECK(copse_octree_restore(tree, forged, total) == COPSE_BAD_SNAPSHOT);
    CHECK(copse_octree_save(tree, forged, sizeof forged, &same) == COPSE_OK && same == total);
    CHECK(memcmp(words, forged, total) == 0);
  }
  copse_octree_def def = sixteen(2, 1, 4);
  def.capacity = 8;
  copse_octree *small = octree_of(def);
  CHECK(copse_octree_restore(small, words, total) == COPSE_FULL);
  copse_octree_destroy(small);
  def = sixteen(2, 2, 4);
  copse_octree *other = octree_of(def);
  CHECK(copse_octree_restore(other, words, total) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_octree_restore(other, (char *)words + 1, total - 4) == COPSE_INVALID_ARGUMENT);
  copse_octree_destroy(other);
  copse_octree_destroy(tree);
}

/* ---- Walls ---- */

static copse_obstacle *walls_of(uint32_t capacity, uint32_t pieces, uint32_t leafSize) {
  copse_obstacle_def def = copse_obstacle_default();
  def.capacity = capacity;
  def.pieces = pieces;
  def.leafSize = leafSize;
  copse_obstacle *tree;
  CHECK(copse_obstacle_create(&def, &tree) == COPSE_OK);
  return tree;
}

static uint32_t add_wall(copse_obstacle *tree, float x0, float y0, float x1, float y1) {
  uint32_t slot;
  CHECK(copse_obstacle_add(tree, (float[]){x0, y0, x1, y1}, 2, false, &slot) == COPSE_OK);
  return slot;
}

static uint32_t add_loop(copse_obstacle *tree, const float *points, uint32_t count) {
  uint32_t slot;
  CHECK(copse_obstacle_add(tree, points, count, false, &slot) == COPSE_OK);
  return slot;
}

static void build_walls(copse_obstacle *tree) {
  CHECK(copse_obstacle_build(tree, NULL) == COPSE_OK && copse_obstacle_validate(tree));
}

static bool sees(const copse_obstacle *tree, float x0, float y0, float x1, float y1, float radius) {
  bool visible;
  CHECK(copse_obstacle_visible(tree, (float[]){x0, y0}, (float[]){x1, y1}, radius, &visible,
                               NULL) == COPSE_OK);
  return visible;
}

static bool inside_walls(const copse_obstacle *tree, float x, float y) {
  bool inside;
  CHECK(copse_obstacle_contains(tree, (float[]){x, y}, &inside, NULL) == COPSE_OK);
  return inside;
}

static copse_wall_hit shot(const copse_obstacle *tree, float x0, float y0, float x1, float y1,
                           copse_side side) {
  copse_wall_hit hit;
  CHECK(copse_obstacle_raycast(tree, (float[]){x0, y0}, (float[]){x1, y1}, side, &hit, NULL) ==
        COPSE_OK);
  return hit;
}

static uint32_t nearest_wall(const copse_obstacle *tree, float x, float y, copse_side side) {
  copse_wall wall;
  CHECK(copse_obstacle_nearest(tree, (float[]){x, y}, INFINITY, side, &wall, NULL) == COPSE_OK);
  return wall.edge;
}

static const float SQUARE[] = {2, 2, 6, 2, 6, 6, 2, 6}, CLOCKWISE[] = {0, 0, 0, 8, 8, 8, 8, 0};

static void test_walls_agree_with_a_list(void) {
  enum { SEQUENCES = 8000, MOST = 6000 };
  uint32_t state = 11;
  for (uint32_t sequence = 0; sequence < SEQUENCES; sequence++) {
    uint8_t bytes[MOST];
    const uint32_t size = sequence % 16 ? 1000 : MOST;
    for (uint32_t i = 0; i < size; i++) bytes[i] = (uint8_t)(random_word(&state) >> 8);
    const char *wrong = play_walls(bytes, size);
    if (wrong) printf("sequence %u: %s\n", sequence, wrong);
    CHECK(!wrong);
  }
}

static void test_edges_of_no_length_are_dropped_and_counted(void) {
  copse_obstacle *tree = walls_of(40, 0, 1);
  add_loop(tree, (float[]){3, 3, 3, 3, 3, 3}, 3);
  add_wall(tree, 0.0f, 1, -0.0f, 1);
  build_walls(tree);
  CHECK(copse_obstacle_stats(tree).edges == 0 && copse_obstacle_stats(tree).dropped == 5);
  CHECK(sees(tree, 3, 3, 0, 1, 0) && nearest_wall(tree, 3, 3, COPSE_SIDE_BOTH) == COPSE_NONE);
  copse_obstacle_clear(tree);
  add_loop(tree, (float[]){0, 0, 4, 0, 4, 0, 4, 4}, 4);
  build_walls(tree);
  CHECK(copse_obstacle_stats(tree).edges == 3 && copse_obstacle_stats(tree).dropped == 1);
  CHECK(inside_walls(tree, 3, 1) && !inside_walls(tree, 1, 3));
  copse_obstacle_clear(tree);
  /* A boundary whose first vertex is repeated is one, too. */
  add_loop(tree, (float[]){0, 0, 0, 0, 0, 4, 4, 4, 4, 0}, 5);
  build_walls(tree);
  CHECK(copse_obstacle_stats(tree).dropped == 1);
  CHECK(inside_walls(tree, 9, 9) && !inside_walls(tree, 1, 3));
  copse_obstacle_destroy(tree);
}

static void test_wrong_polygons_are_refused(void) {
  copse_obstacle *tree = walls_of(8, 0, 4);
  const uint32_t square = add_loop(tree, SQUARE, 4);
  build_walls(tree);
  float points[8];
  uint32_t slot = 0, bad = 0;
  for (uint32_t few = 0; few < 2; few++)
    CHECK(copse_obstacle_add(tree, SQUARE, few, few, &slot) == COPSE_INVALID_ARGUMENT &&
          slot == COPSE_NONE);
  static const float WRONG[] = {NAN, INFINITY, -INFINITY, 1.01e18f, -3e38f};
  for (int i = 0; i < 5; i++)
    for (int at = 0; at < 8; at++) {
      memcpy(points, SQUARE, sizeof points);
      points[at] = WRONG[i];
      CHECK(copse_obstacle_add(tree, points, 4, true, &slot) == COPSE_NOT_FINITE);
      CHECK(slot == COPSE_NONE && !copse_obstacle_changed(tree));
      CHECK(copse_obstacle_move(tree, square, points, 4) == COPSE_NOT_FINITE);
      CHECK(!copse_obstacle_changed(tree));
      /* Written by the caller: the last build stays in use. */
      float *vertices = copse_obstacle_vertices(tree);
      vertices[at] = WRONG[i];
      CHECK(copse_obstacle_build(tree, &bad) == COPSE_NOT_FINITE && bad == (uint32_t)at / 2);
      CHECK(copse_obstacle_build(tree, NULL) == COPSE_NOT_FINITE);
      size_t total;
      bad = 77;
      CHECK(copse_obstacle_save(tree, NULL, 0, &total, &bad) == COPSE_NOT_FINITE);
      CHECK(bad == (uint32_t)at / 2 && copse_obstacle_validate(tree));
      CHECK(!sees(tree, 4, 4, 9, 9, 0) && inside_walls(tree, 3, 3));
      vertices[at] = SQUARE[at];
    }
  CHECK(copse_obstacle_move(tree, square, SQUARE, 3) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_obstacle_move(tree, square, SQUARE, 5) == COPSE_INVALID_ARGUMENT);
  for (uint32_t wrong = 1; wrong < 9; wrong++) {
    CHECK(copse_obstacle_move(tree, wrong, SQUARE, 4) == COPSE_STALE_HANDLE);
    CHECK(copse_obstacle_remove(tree, wrong) == COPSE_STALE_HANDLE);
    CHECK(copse_obstacle_winding(tree, wrong) == 0 && !copse_obstacle_has(tree, wrong));
  }
  CHECK(copse_obstacle_remove(tree, square) == COPSE_OK);
  CHECK(copse_obstacle_remove(tree, square) == COPSE_STALE_HANDLE);
  CHECK(copse_obstacle_generations(tree)[3] == 2 && copse_obstacle_changed(tree));
  CHECK(inside_walls(tree, 3, 3)); /* until it is built */
  build_walls(tree);
  CHECK(!inside_walls(tree, 3, 3) && !copse_obstacle_changed(tree));
  copse_obstacle_destroy(tree);

  static const copse_obstacle_def BAD[] = {{.capacity = 0, .leafSize = 1},
                                           {.capacity = COPSE_MAX_CAPACITY + 1, .leafSize = 1},
                                           {.capacity = UINT32_MAX, .leafSize = 1},
                                           {.capacity = 5, .leafSize = 0},
                                           {.capacity = 5, .leafSize = 1, .pieces = 4},
                                           {.capacity = 5, .leafSize = 1, .pieces = UINT32_MAX}};
  for (int i = 0; i < 6; i++) {
    CHECK(copse_obstacle_create(&BAD[i], &tree) == COPSE_INVALID_ARGUMENT && !tree);
    CHECK(copse_obstacle_bytes(&BAD[i]) == SIZE_MAX);
  }
  copse_obstacle_destroy(NULL);
  tree = walls_of(5, 5, UINT32_MAX);
  add_loop(tree, SQUARE, 4);
  build_walls(tree);
  CHECK(copse_obstacle_stats(tree).leaves == 1 && copse_obstacle_stats(tree).unsplit == 0);
  copse_obstacle_destroy(tree);
}

static void test_walls_fill_their_capacity(void) {
  copse_obstacle *tree = walls_of(9, 0, 1);
  uint32_t slot;
  CHECK(add_loop(tree, SQUARE, 4) == 0 && add_wall(tree, 0, 0, 1, 1) == 4);
  build_walls(tree);
  for (uint32_t many = 4; many < 40; many += 12)
    CHECK(copse_obstacle_add(tree, (float[80]){0}, many, false, &slot) == COPSE_FULL &&
          slot == COPSE_NONE);
  CHECK(copse_obstacle_count(tree) == 6 && !copse_obstacle_changed(tree));
  CHECK(add_loop(tree, CLOCKWISE, 3) == 6 && copse_obstacle_count(tree) == 9);
  CHECK(copse_obstacle_add(tree, SQUARE, 2, false, &slot) == COPSE_FULL);
  CHECK(copse_obstacle_reserve(tree, 3) == COPSE_OK && copse_obstacle_capacity(tree) == 9);
  CHECK(copse_obstacle_reserve(tree, UINT32_MAX) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_obstacle_reserve(tree, 20) == COPSE_OK && copse_obstacle_capacity(tree) == 20);
  CHECK(copse_obstacle_changed(tree) && inside_walls(tree, 3, 3)); /* the last build stays */
  CHECK(add_wall(tree, 1, 1, 2, 0) == 9);
  build_walls(tree);
  CHECK(copse_obstacle_stats(tree).edges == 11 && copse_obstacle_stats(tree).polygons == 4);
  copse_obstacle_remove(tree, 4);
  CHECK(add_loop(tree, SQUARE, 3) == 4); /* the lowest that are free, though apart */
  const uint32_t *next = copse_obstacle_next(tree);
  CHECK(next[4] == 5 && next[5] == 11 && next[11] == 4 && copse_obstacle_polygons(tree)[11] == 4);
  CHECK(copse_obstacle_move(tree, 4, CLOCKWISE, 3) == COPSE_OK);
  CHECK(copse_obstacle_winding(tree, 4) == -1 && copse_obstacle_vertices(tree)[23] == 8);
  build_walls(tree);
  copse_obstacle_destroy(tree);
}

/* Many long segments through each other: there is never room for all their pieces. */
static void test_crossing_walls_leave_cells_undivided_where_room_ends(void) {
  enum { LINES = 200 };
  copse_obstacle *tight = walls_of(2 * LINES, 2 * LINES, 2), *some = walls_of(2 * LINES, 0, 2);
  copse_obstacle *roomy = walls_of(2 * LINES, 80 * LINES, 2), *list = walls_of(2 * LINES, 0, 4000);
  copse_obstacle *all[] = {tight, some, roomy, list};
  uint32_t state = 5;
  for (int i = 0; i < LINES; i++) {
    float ends[4];
    for (int axis = 0; axis < 2; axis++) {
      ends[axis] = (float)(random_word(&state) % 4096);
      ends[2 + axis] = ends[axis] + (float)(random_word(&state) % 2048) - 1024;
    }
    for (int k = 0; k < 4; k++) add_wall(all[k], ends[0], ends[1], ends[2], ends[3]);
  }
  for (int k = 0; k < 4; k++) build_walls(all[k]);
  copse_obstacle_statistics stats[4];
  for (int k = 0; k < 4; k++) stats[k] = copse_obstacle_stats(all[k]);
  CHECK(stats[0].pieces == 2 * LINES && stats[0].unsplit > 0);
  CHECK(stats[1].pieces <= 4 * LINES && stats[1].unsplit > 0);
  CHECK(stats[1].nodes > stats[0].nodes && stats[2].nodes > stats[1].nodes);
  CHECK(stats[2].pieces <= 80 * LINES && stats[3].nodes == 1);
  for (int i = 0; i < 200; i++) {
    float p[2], q[2], radius = (float)(random_word(&state) % 300);
    for (int axis = 0; axis < 2; axis++) {
      p[axis] = (float)(random_word(&state) % 4096);
      q[axis] = p[axis] + (float)(random_word(&state) % 256) - 128;
    }
    copse_wall walls[4];
    copse_wall_hit hits[4];
    bool visible[4];
    uint32_t ids[4][2 * LINES];
    float distances2[4][2 * LINES];
    copse_results found[4];
    for (int k = 0; k < 4; k++) {
      found[k] = (copse_results){ids[k], distances2[k], 2 * LINES, 0, 0};
      copse_obstacle_nearest(all[k], p, INFINITY, COPSE_SIDE_BOTH, &walls[k], NULL);
      copse_obstacle_raycast(all[k], p, q, COPSE_SIDE_VISIBLE, &hits[k], NULL);
      copse_obstacle_visible(all[k], p, q, 1, &visible[k], NULL);
      copse_obstacle_within(all[k], p, radius, COPSE_SIDE_VISIBLE, &found[k]);
    }
    for (int k = 0; k < 3; k++) {
      CHECK(!memcmp(&walls[k], &walls[3], sizeof *walls) && visible[k] == visible[3]);
      CHECK(!memcmp(&hits[k], &hits[3], sizeof *hits) && found[k].total == found[3].total);
      CHECK(!memcmp(ids[k], ids[3], found[3].total * sizeof **ids));
    }
  }
  for (int k = 0; k < 4; k++) copse_obstacle_destroy(all[k]);
}

/* Where edges lie on each other, the lower id answers, and a line through them splits none. */
static void test_walls_on_a_line_follow_one_rule(void) {
  copse_obstacle *tree = walls_of(64, 0, 1);
  for (int i = 0; i < 8; i++) add_wall(tree, (float)i, 0, (float)i + 2, 0); /* overlapping */
  for (int i = 0; i < 8; i++) add_wall(tree, (float)i + 1, 0, (float)i, 0); /* reversed */
  build_walls(tree);
  CHECK(copse_obstacle_stats(tree).edges == 32);
  CHECK(nearest_wall(tree, 1.5f, 1, COPSE_SIDE_BOTH) == 0);
  CHECK(nearest_wall(tree, 1.5f, -1, COPSE_SIDE_VISIBLE) == 0);
  CHECK(nearest_wall(tree, 1.5f, 1, COPSE_SIDE_VISIBLE) == 1);
  CHECK(nearest_wall(tree, 9, 0, COPSE_SIDE_BOTH) == 14);
  CHECK(nearest_wall(tree, 9, 0, COPSE_SIDE_VISIBLE) == COPSE_NONE);
  CHECK(shot(tree, 4.5f, 3, 4.5f, -3, COPSE_SIDE_BOTH).edge == 6);
  CHECK(shot(tree, 4.5f, 3, 4.5f, -3, COPSE_SIDE_VISIBLE).edge == 7);
  const copse_wall_hit along = shot(tree, -2, 0, 6, 0, COPSE_SIDE_BOTH);
  CHECK(along.edge == 0 && along.fraction == 0.25f && along.point[0] == 0);
  CHECK(shot(tree, 11, 0, 7, 0, COPSE_SIDE_BOTH).fraction == 0.5f);
  CHECK(shot(tree, 3, 0, 3, 0, COPSE_SIDE_BOTH).edge == 2);
  CHECK(!sees(tree, -2, 0, 0, 0, 0) && sees(tree, -2, 0, -1, 0, 0.5f));
  CHECK(!sees(tree, -2, 0, -1, 0, 1) && !sees(tree, 4, 1, 4, 1, 1) && sees(tree, 4, 1, 4, 1, 0.9f));
  copse_obstacle_destroy(tree);

  tree = walls_of(64, 0, 1); /* end to end */
  for (int i = 0; i < 16; i++) add_wall(tree, (float)i, (float)i, (float)i + 1, (float)i + 1);
  build_walls(tree);
  CHECK(copse_obstacle_stats(tree).pieces == 32 && copse_obstacle_stats(tree).leaves == 16);
  CHECK(!sees(tree, 0, 5, 5, 0, 0) && !sees(tree, 5, 5, 5, 0, 0) && sees(tree, 0, 1, 15, 16, 0));
  copse_obstacle_destroy(tree);
}

static void test_polygons_that_cross_themselves_work_edge_by_edge(void) {
  copse_obstacle *tree = walls_of(32, 0, 1);
  const uint32_t eight = add_loop(tree, (float[]){0, 0, 4, 4, 4, 0, 0, 4}, 4);
  CHECK(copse_obstacle_winding(tree, eight) == 0);
  build_walls(tree);
  CHECK(!inside_walls(tree, 3.5f, 2) && inside_walls(tree, 0.5f, 2) && inside_walls(tree, 2, 2));
  CHECK(shot(tree, -1, 2, 9, 2, COPSE_SIDE_BOTH).edge == 3);
  copse_obstacle_remove(tree, eight);
  /* Twice around a square, and once the other way in it. */
  const float twice[] = {2, 2, 6, 2, 6, 6, 2, 6, 2, 2, 6, 2, 6, 6, 2, 6};
  CHECK(copse_obstacle_winding(tree, add_loop(tree, twice, 8)) == 1);
  CHECK(copse_obstacle_winding(tree, add_loop(tree, CLOCKWISE, 4)) == -1);
  build_walls(tree);
  CHECK(inside_walls(tree, 4, 4) && !inside_walls(tree, 1, 1) && inside_walls(tree, 9, 1));
  CHECK(inside_walls(tree, 8, 1) && inside_walls(tree, 2, 2));
  copse_obstacle_clear(tree);
  uint32_t slot;
  CHECK(copse_obstacle_add(tree, CLOCKWISE, 4, true, &slot) == COPSE_OK);
  add_wall(tree, 1, 1, 3, 3);
  build_walls(tree);
  CHECK(!inside_walls(tree, 4, 4) && !inside_walls(tree, 9, 9) && !inside_walls(tree, 2, 2));
  CHECK(nearest_wall(tree, 4, 7, COPSE_SIDE_VISIBLE) == 1); /* seen from both sides */
  CHECK(nearest_wall(tree, 4, 9, COPSE_SIDE_VISIBLE) == 1);
  copse_obstacle_destroy(tree);
}

static void check_nothing_is_found(const copse_obstacle *tree) {
  uint32_t ids[1], total = 7;
  float distances2[1], bounds[4];
  copse_corner corners[20];
  copse_results found = {ids, distances2, 1, 7, 7};
  CHECK(copse_obstacle_within(tree, (float[]){0, 0}, INFINITY, COPSE_SIDE_BOTH, &found) ==
        COPSE_OK);
  CHECK(found.total == 0 && nearest_wall(tree, 0, 0, COPSE_SIDE_BOTH) == COPSE_NONE);
  CHECK(sees(tree, -9, -9, 9, 9, 100) && !inside_walls(tree, 0, 0));
  const copse_wall_hit hit = shot(tree, 1, 2, 3, 4, COPSE_SIDE_BOTH);
  CHECK(hit.edge == COPSE_NONE && hit.fraction == 1 && hit.point[1] == 4 && hit.normal[0] == 0);
  CHECK(copse_obstacle_visibility(tree, (float[]){0, 0}, (float[]){-1, -1}, (float[]){1, 2},
                                  corners, 20, &total, NULL) == COPSE_OK);
  CHECK(total == 4);
  for (uint32_t i = 0; i < total; i++)
    CHECK(corners[i].edge == COPSE_NONE && fabs(corners[i].x) == 1 &&
          (corners[i].y == -1 || corners[i].y == 2));
  copse_obstacle_bounds(tree, bounds);
  for (int i = 0; i < 4; i++) CHECK(bounds[i] == 0);
  CHECK(copse_obstacle_cells(tree, NULL, 0) == 0 && copse_obstacle_lines(tree, NULL, 0) == 0);
  const copse_obstacle_statistics stats = copse_obstacle_stats(tree);
  CHECK(stats.edges == 0 && stats.nodes == 1 && stats.leaves == 1 && stats.pieces == 0);
  CHECK(copse_obstacle_validate(tree));
}

static void test_without_walls_everything_is_seen(void) {
  copse_obstacle *tree = walls_of(8, 0, 1);
  check_nothing_is_found(tree);
  build_walls(tree);
  check_nothing_is_found(tree);
  const uint32_t slot = add_wall(tree, 1, 1, 2, 2);
  check_nothing_is_found(tree); /* not before the build */
  build_walls(tree);
  CHECK(!sees(tree, 1, 2, 2, 1, 0));
  copse_obstacle_remove(tree, slot);
  build_walls(tree);
  check_nothing_is_found(tree);
  add_loop(tree, SQUARE, 4);
  build_walls(tree);
  copse_obstacle_clear(tree);
  CHECK(copse_obstacle_count(tree) == 0 && !sees(tree, 4, 4, 9, 9, 0));
  build_walls(tree);
  check_nothing_is_found(tree);
  copse_obstacle_destroy(tree);
}

static void test_wrong_questions_to_walls_are_refused(void) {
  copse_obstacle *tree = walls_of(8, 0, 1);
  add_loop(tree, SQUARE, 4);
  build_walls(tree);
  uint32_t ids[8], total;
  float distances2[8], fraction;
  copse_results found = {ids, distances2, 8, 0, 0};
  copse_wall wall;
  copse_wall_hit hit;
  copse_corner corners[64];
  bool answer = true;
  const float fine[2] = {4, 4}, lo[2] = {0, 0}, hi[2] = {9, 9};
  static const float WRONG[] = {NAN, INFINITY, -INFINITY, 1.01e18f};
  static const float RADII[] = {-1, NAN, -INFINITY, -1e-45f};
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  for (int i = 0; i < 4; i++) {
    for (int axis = 0; axis < 2; axis++) {
      float p[2] = {4, 4}, segment[8] = {4, 4, 4, 4, 4, 4, 4, 4};
      p[axis] = WRONG[i];
      segment[(i + axis * 5) % 8] = WRONG[i];
      CHECK(copse_obstacle_within(tree, p, 1, COPSE_SIDE_BOTH, &found) == refused);
      CHECK(copse_obstacle_nearest(tree, p, 1, COPSE_SIDE_BOTH, &wall, NULL) == refused);
      CHECK(copse_obstacle_visible(tree, p, fine, 0, &answer, NULL) == refused && !answer);
      CHECK(copse_obstacle_visible(tree, fine, p, 0, &answer, NULL) == refused && !answer);
      CHECK(copse_obstacle_raycast(tree, p, fine, COPSE_SIDE_BOTH, &hit, NULL) == refused);
      CHECK(copse_obstacle_raycast(tree, fine, p, COPSE_SIDE_BOTH, &hit, NULL) == refused);
      CHECK(copse_obstacle_raycast_many(tree, segment, 2, COPSE_SIDE_BOTH, ids, &fraction) ==
            refused);
      CHECK(copse_obstacle_contains(tree, p, &answer, NULL) == refused && !answer);
      CHECK(copse_obstacle_visibility(tree, p, lo, hi, corners, 64, &total, NULL) == refused);
      CHECK(copse_obstacle_visibility(tree, fine, p, hi, corners, 64, &total, NULL) == refused);
      CHECK(copse_obstacle_visibility(tree, fine, lo, p, corners, 64, &total, NULL) == refused);
      float edge[2] = {4, 4}; /* of the box: not around the point */
      edge[axis] = i % 2 ? 9 : 0;
      CHECK(copse_obstacle_visibility(tree, edge, lo, hi, corners, 64, &total, NULL) == refused);
    }
    CHECK(copse_obstacle_within(tree, fine, RADII[i], COPSE_SIDE_BOTH, &found) == refused);
    CHECK(copse_obstacle_nearest(tree, fine, RADII[i], COPSE_SIDE_BOTH, &wall, NULL) == refused);
    CHECK(copse_obstacle_visible(tree, fine, hi, RADII[i], &answer, NULL) == refused);
  }
  const copse_side strange = (copse_side)2;
  CHECK(copse_obstacle_within(tree, fine, 1, strange, &found) == refused);
  CHECK(copse_obstacle_nearest(tree, fine, 1, strange, &wall, NULL) == refused);
  CHECK(copse_obstacle_raycast(tree, fine, hi, strange, &hit, NULL) == refused);
  CHECK(copse_obstacle_raycast_many(tree, fine, 0, strange, ids, &fraction) == refused);
  CHECK(copse_obstacle_raycast_many(tree, fine, 0, COPSE_SIDE_BOTH, ids, &fraction) == COPSE_OK);
  found.distances2 = NULL;
  CHECK(copse_obstacle_within(tree, fine, 1, COPSE_SIDE_BOTH, &found) == refused);
  copse_obstacle_destroy(tree);
}

static void test_an_obstacle_tree_allocates_only_when_it_is_created(void) {
  for (int failing = 0; failing < 3; failing++) {
    ledger book = {failing, 0};
    copse_obstacle_def def = copse_obstacle_default();
    def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
    copse_obstacle *tree;
    const copse_status status = copse_obstacle_create(&def, &tree);
    CHECK(status == (failing < 2 ? COPSE_OUT_OF_MEMORY : COPSE_OK));
    if (status == COPSE_OK) {
      CHECK(book.bytesHeld == copse_obstacle_bytes(&def));
      CHECK(copse_obstacle_stats(tree).bytes == book.bytesHeld);
      book.callsLeft = 0;
      for (int i = 0; i < 400; i++)
        add_wall(tree, (float)(i % 20), (float)(i / 20), (float)(i % 20 + i % 3), (float)i / 18);
      build_walls(tree);
      static copse_corner corners[8000];
      uint32_t total;
      copse_obstacle_visibility(tree, (float[]){0.5f, 0.25f}, (float[]){-9, -9}, (float[]){99, 99},
                                corners, 8000, &total, NULL);
      const uint32_t nearest = nearest_wall(tree, 3.5f, 7.3f, COPSE_SIDE_BOTH);
      CHECK(copse_obstacle_reserve(tree, 5000) == COPSE_OUT_OF_MEMORY);
      CHECK(copse_obstacle_count(tree) == 800 && copse_obstacle_capacity(tree) == 1000);
      CHECK(copse_obstacle_validate(tree) && copse_obstacle_stats(tree).bytes == book.bytesHeld);
      CHECK(nearest_wall(tree, 3.5f, 7.3f, COPSE_SIDE_BOTH) == nearest);
      book.callsLeft = -1;
      CHECK(copse_obstacle_reserve(tree, 5000) == COPSE_OK);
      CHECK(copse_obstacle_stats(tree).bytes == book.bytesHeld);
      CHECK(nearest_wall(tree, 3.5f, 7.3f, COPSE_SIDE_BOTH) == nearest);
      CHECK(copse_obstacle_validate(tree));
      copse_obstacle_destroy(tree);
    }
    CHECK(book.bytesHeld == 0);
  }
}

static void test_walls_do_not_remember(void) {
  enum { MAZE = 12 };
  copse_obstacle *one = walls_of(800, 0, 3), *other = walls_of(800, 0, 3);
  for (int turn = 0; turn < 2; turn++) {
    copse_obstacle *tree = turn ? other : one;
    if (turn) {
      add_loop(tree, (float[]){900, 900, 0, -900, 5, 5, 7, 1}, 4);
      add_wall(tree, 1e18f, 1, -1e18f, 1e17f);
    } else {
      add_loop(tree, SQUARE, 4);
      add_wall(tree, 1, 0, 1, 9);
    }
    for (int i = 0; i < MAZE * MAZE; i++)
      add_wall(tree, (float)(i % MAZE), (float)(i / MAZE), (float)(i % MAZE + i * 7 % 3 % 2),
               (float)(i / MAZE + i * 5 % 7 % 2));
    if (!turn) continue;
    build_walls(tree);
    copse_obstacle_remove(tree, 4);
    copse_obstacle_remove(tree, 0);
    add_loop(tree, (float[]){9, 9, 9, 8, 8, 9, 7, 7}, 4);
    CHECK(add_wall(tree, 1, 0, 1, 9) == 4);
    copse_obstacle_move(tree, 0, SQUARE, 4);
  }
  build_walls(one);
  build_walls(other);
  CHECK(built_alike(one, other) && copse_obstacle_stats(one).nodes > 9);
  for (int i = 0; i < 400; i++) {
    const float p[2] = {(float)(i % 20) / 2, (float)(i / 20) / 2}, q[2] = {p[1] + 1, p[0] - 2};
    copse_wall a, b;
    copse_wall_hit c, d;
    uint32_t visits[4];
    copse_obstacle_nearest(one, p, 3, COPSE_SIDE_VISIBLE, &a, &visits[0]);
    copse_obstacle_nearest(other, p, 3, COPSE_SIDE_VISIBLE, &b, &visits[1]);
    copse_obstacle_raycast(one, p, q, COPSE_SIDE_BOTH, &c, &visits[2]);
    copse_obstacle_raycast(other, p, q, COPSE_SIDE_BOTH, &d, &visits[3]);
    CHECK(!memcmp(&a, &b, sizeof a) && !memcmp(&c, &d, sizeof c));
    CHECK(visits[0] == visits[1] && visits[2] == visits[3]);
  }
  copse_obstacle_destroy(one);
  copse_obstacle_destroy(other);
}

static void test_walls_at_ever_smaller_distances_bound_the_depth(void) {
  for (uint32_t leafSize = 1; leafSize < 9; leafSize += 7) {
    copse_obstacle *tree = walls_of(400, 0, leafSize);
    float size = 1e18f;
    for (int i = 0; i < 200; i++, size /= 2) add_wall(tree, size, -size, size, size);
    build_walls(tree);
    CHECK(copse_obstacle_stats(tree).depth <= COPSE_MAX_DEPTH);
    CHECK(copse_obstacle_stats(tree).edges == 400);
    /* From half of 2^-149 on fractions round to 0, and the lowest id of those is given. */
    const copse_wall_hit hit = shot(tree, 0, 0, 1e18f, 0, COPSE_SIDE_BOTH);
    CHECK(hit.fraction == 0 && hit.edge == 2 * 150);
    CHECK(shot(tree, 1e18f, 1e-30f, 0, 1e-30f, COPSE_SIDE_BOTH).edge == 0);
    CHECK(nearest_wall(tree, 7e17f, 0, COPSE_SIDE_BOTH) == 2);
    CHECK(nearest_wall(tree, 0, 0, COPSE_SIDE_BOTH) <= 398); /* squares too small to tell */
    copse_obstacle_destroy(tree);
  }
}

static void test_what_is_seen_in_a_room(void) {
  copse_obstacle *tree = walls_of(64, 0, 1);
  add_loop(tree, CLOCKWISE, 4);
  add_wall(tree, 6, 3, 6, 5);
  build_walls(tree);
  const float p[2] = {4, 4}, lo[2] = {-10, -10}, hi[2] = {20, 20};
  copse_corner corners[64];
  uint32_t total;
  CHECK(copse_obstacle_visibility(tree, p, lo, hi, corners, 64, &total, NULL) == COPSE_OK);
  static const double EXPECTED[][2] = {{6, 3}, {6, 5}, {8, 6}, {8, 8},
                                       {0, 8}, {0, 0}, {8, 0}, {8, 2}};
  CHECK(total == 8);
  uint32_t first = 0;
  while (first < 7 && (corners[first].x != 6 || corners[first].y != 3)) first++;
  for (uint32_t i = 0; i < 8; i++) {
    const copse_corner *corner = &corners[(first + i) % 8];
    CHECK(corner->x == EXPECTED[i][0] && corner->y == EXPECTED[i][1]);
  }
  CHECK(corners[first].edge == 4 || corners[first].edge == 5);
  CHECK(corners[(first + 1) % 8].edge == COPSE_NONE && corners[(first + 2) % 8].edge == 2);
  /* With ever more room: too little, and from where it suffices on the same. */
  bool suffices = false;
  for (uint32_t room = 0; room < 64; room++) {
    copse_corner *few = malloc(room ? room * sizeof *few : 1); /* a write behind it is found */
    uint32_t some = 99;
    const copse_status status = copse_obstacle_visibility(tree, p, lo, hi, few, room, &some, NULL);
    CHECK(status == (suffices || some == 8 ? COPSE_OK : COPSE_FULL) && (some == 8 || some == 0));
    suffices |= status == COPSE_OK;
    if (status == COPSE_OK) CHECK(!memcmp(few, corners, 8 * sizeof *few));
    free(few);
  }
  CHECK(suffices);
  static const float ON_WALLS[][2] = {{0, 0}, {8, 3}, {6, 4}, {6, 5}, {0, 8}};
  for (int i = 0; i < 5; i++) {
    total = 7;
    CHECK(copse_obstacle_visibility(tree, ON_WALLS[i], lo, hi, corners, 64, &total, NULL) ==
              COPSE_OK &&
          total == 0);
  }
  copse_obstacle_destroy(tree);
}

/* Walls on a lattice, which touch and never cross: the room that is told suffices. */
static void test_room_for_what_is_seen_in_mazes(void) {
  enum { SIZE = 8, MOST = 2 * SIZE * SIZE };
  static copse_corner corners[8 * MOST + 20];
  uint32_t state = 3;
  for (int round = 0; round < 300; round++) {
    copse_obstacle *tree = walls_of(2 * MOST, 0, 4);
    const uint32_t density = random_word(&state) % 5 + 2;
    for (int i = 0; i < MOST; i++) {
      if (random_word(&state) % density) continue;
      const float x = (float)(i / 2 % SIZE), y = (float)(i / 2 / SIZE);
      add_wall(tree, x, y, x + (float)(i % 2), y + (float)(1 - i % 2));
    }
    build_walls(tree);
    for (int i = 0; i < 20; i++) {
      const float p[2] = {(float)(random_word(&state) % 65) / 8,
                          (float)(random_word(&state) % 65) / 8};
      const float lo[2] = {-1, -1}, hi[2] = {9, 9};
      uint32_t total, room = 4 * copse_obstacle_stats(tree).edges + 20;
      CHECK(copse_obstacle_visibility(tree, p, lo, hi, corners, room, &total, NULL) == COPSE_OK);
      CHECK((total == 0) == !sees(tree, p[0], p[1], p[0], p[1], 0));
    }
    copse_obstacle_destroy(tree);
  }
}

static void test_the_line_that_divides_best_is_taken_and_cut_to_its_cell(void) {
  copse_obstacle *tree = walls_of(20, 0, 2);
  for (int i = 0; i < 5; i++) add_wall(tree, (float)i, 0, (float)i + 8, 8);
  build_walls(tree);
  float lines[20];
  const size_t total = copse_obstacle_lines(tree, lines, 20);
  CHECK(total >= 5 && lines[4] == 0);
  /* The second or third wall's: the others, and lines along an axis, leave more on a side. */
  CHECK(lines[0] == lines[1] + 1 && lines[2] == lines[3] + 1);
  copse_obstacle_destroy(tree);

  tree = walls_of(20, 0, 2); /* a cross: the second line ends at the first */
  add_wall(tree, 0, 4, 8, 4);
  add_wall(tree, 1, 6, 1, 7);
  add_wall(tree, 7, 6, 7, 7);
  add_wall(tree, 1, 0, 1, 1);
  add_wall(tree, 7, 0, 7, 1);
  build_walls(tree);
  const size_t floats = copse_obstacle_lines(tree, lines, 20);
  CHECK(floats >= 10 && floats <= 20 && lines[1] == 4 && lines[3] == 4 && lines[4] == 0);
  CHECK(fabsf(lines[2] - lines[0]) == 8);
  for (size_t i = 5; i < floats; i += 5) {
    const float lo = fminf(lines[i + 1], lines[i + 3]), hi = fmaxf(lines[i + 1], lines[i + 3]);
    const bool isOfTheFirst = lo == 4 && hi == 4 && fabsf(lines[i] - lines[i + 2]) == 8;
    CHECK((lo == 0 && hi == 4) || (lo == 4 && hi == 7) || isOfTheFirst);
  }
  copse_obstacle_destroy(tree);
}

static void test_a_snapshot_of_walls_checks_what_it_takes(void) {
  copse_obstacle *tree = walls_of(20, 0, 2);
  add_loop(tree, SQUARE, 4);
  add_wall(tree, 9, 1, 9, 5);
  add_loop(tree, CLOCKWISE, 4);
  copse_obstacle_remove(tree, 4);
  build_walls(tree);
  static uint32_t words[200], forged[200];
  size_t total, same;
  CHECK(copse_obstacle_save(tree, words, 10, &total, NULL) == COPSE_FULL);
  CHECK(copse_obstacle_save(tree, words, sizeof words, &total, NULL) == COPSE_OK);
  const size_t head = total / 4 - (size_t)6 * 10; /* in words: 10 slots follow */
  CHECK(words[head - 1] == 10 && words[head - 2] == 2);
  const struct {
    size_t word;
    uint32_t value;
  } wrong[] = {
      {head - 1, 9},
      {head - 1, 11},
      {head - 1, UINT32_MAX},
      {head - 2, 3},
      {head, 2},
      {head + 1, 0},
      {head + 1, 4},
      {head + 1, 6},
      {head + 1, 10},
      {head + 1, UINT32_MAX},
      {head + 2, 1},
      {head + 2, 10},
      {head + 2, UINT32_MAX},
      {head + 6 + 1, 0},
      {head + 6 + 2, 1},
      {head + 3, 2},
      {head + 3, UINT32_MAX},
      {head + 4, 0x7fc00000},
      {head + 4, 0x7f800000},
      {head + 5, 0x7f7fffff},
      {head + 6 * 4, 1},
      {head + 6 * 9 + 1, 9},
      {head + 6 * 9 + 1, 0},
      {head + 6 * 9, 0},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    memcpy(forged, words, total);
    forged[wrong[i].word] = wrong[i].value;
    snapshot_seal(forged, total, SNAPSHOT_OBSTACLE);
    CHECK(copse_obstacle_restore(tree, forged, total) == COPSE_BAD_SNAPSHOT);
    CHECK(copse_obstacle_save(tree, forged, sizeof forged, &same, NULL) == COPSE_OK);
    CHECK(same == total && memcmp(words, forged, total) == 0 && copse_obstacle_validate(tree));
  }
  memcpy(forged, words, total); /* a loop of one vertex */
  forged[head + (size_t)6 * 4] = 3;
  forged[head + (size_t)6 * 4 + 1] = forged[head + (size_t)6 * 4 + 2] = 4;
  snapshot_seal(forged, total, SNAPSHOT_OBSTACLE);
  CHECK(copse_obstacle_restore(tree, forged, total) == COPSE_BAD_SNAPSHOT);
  for (size_t size = 0; size < total; size++)
    CHECK(copse_obstacle_restore(tree, words, size) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_obstacle_restore(tree, (char *)words + 1, total) == COPSE_INVALID_ARGUMENT);
  copse_obstacle *small = walls_of(9, 0, 2), *exact = walls_of(10, 0, 2),
                 *leaf = walls_of(20, 0, 3);
  CHECK(copse_obstacle_restore(small, words, total) == COPSE_FULL);
  CHECK(copse_obstacle_restore(leaf, words, total) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_obstacle_restore(exact, words, total) == COPSE_OK && built_alike(tree, exact));
  CHECK(copse_obstacle_stats(exact).polygons == 2 && copse_obstacle_count(exact) == 8);
  CHECK(add_wall(exact, 0, 0, 1, 1) == 4 && copse_obstacle_generations(exact)[4] == 3);
  copse_obstacle_destroy(small);
  copse_obstacle_destroy(exact);
  copse_obstacle_destroy(leaf);
  copse_obstacle_destroy(tree);
}

static void test_validate_sees_wrong_walls(void) {
  copse_obstacle *tree = walls_of(100, 0, 1);
  add_loop(tree, SQUARE, 4);
  for (int i = 0; i < 40; i++)
    add_wall(tree, (float)(i % 8), (float)(i / 8), (float)(i % 8 + i * 5 % 3),
             (float)(i / 8 + i * 3 % 4));
  build_walls(tree);
  CHECK(tree->pieceCount > tree->edgeCount && tree->nodes[0].left);
  uint32_t *const words[] = {
      &tree->pieceCount,           &tree->nodeCount,      &tree->edgeCount,
      &tree->nodes[0].left,        &tree->nodes[0].begin, &tree->nodes[0].end,
      &tree->pieces[0].edge,       &tree->next[1],        &tree->polygons[2],
      &tree->slots.generations[3], &tree->kinds[5]};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const uint32_t kept = *words[i];
    *words[i] = kept ? kept - 1 : 1;
    CHECK(!copse_obstacle_validate(tree));
    *words[i] = kept;
    CHECK(copse_obstacle_validate(tree));
  }
  tree->nodes[0].offset += 1;
  CHECK(!copse_obstacle_validate(tree));
  tree->nodes[0].offset -= 1;
  for (uint32_t i = 0; i < tree->pieceCount; i++) {
    float *const ends[] = {&tree->pieces[i].from, &tree->pieces[i].to};
    for (int end = 0; end < 2; end++) {
      const float kept = *ends[end];
      *ends[end] = kept * 0.875f + 0.03f;
      CHECK(!copse_obstacle_validate(tree));
      *ends[end] = kept;
    }
  }
  CHECK(copse_obstacle_validate(tree));
  copse_obstacle_destroy(tree);
}

/* ---- The crowd ---- */

static void test_programs_equal_the_slow_way(void) {
  /* In space what is within 0.003 of parallel counts as parallel: that much is lost. */
  static const program_bounds BOUNDS[] = {{1e-4, 1e-4, 1e-4}, {1e-4, 1e-4, 5e-3}};
  static const double SLANTS[] = {0.02, 1e-3, 1e-6};
  uint32_t state = 1;
  for (int dimensions = 2; dimensions <= 3; dimensions++)
    for (int i = 0; i < (dimensions == 2 ? 6000 : 900); i++) {
      const double slant = SLANTS[i % 3];
      const char *wrong = compare_program(&state, dimensions, slant, &BOUNDS[dimensions - 2]);
      if (wrong) printf("program %d in %dD: %s\n", i, dimensions, wrong);
      CHECK(!wrong);
    }
}

static void test_crowds_hold_under_any_calls(void) {
  static uint8_t bytes[1500];
  uint32_t state = 1;
  for (uint32_t sequence = 0; sequence < 300; sequence++) {
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(random_word(&state) >> 8);
    const char *wrong = play_crowd(bytes, sizeof bytes);
    if (wrong) printf("sequence %u: %s\n", sequence, wrong);
    CHECK(!wrong);
  }
}

static copse_crowd *crowd_of(uint32_t dimensions, uint32_t capacity) {
  copse_crowd_def def = copse_crowd_default();
  def.dimensions = dimensions;
  def.capacity = capacity;
  copse_crowd *crowd;
  CHECK(copse_crowd_create(&def, &crowd) == COPSE_OK);
  return crowd;
}

static uint32_t add_agent(copse_crowd *crowd, float x, float y, float radius) {
  copse_crowd_agent agent = copse_crowd_agent_default();
  uint32_t slot;
  agent.position[0] = x;
  agent.position[1] = y;
  agent.radius = radius;
  CHECK(copse_crowd_add(crowd, &agent, &slot) == COPSE_OK);
  return slot;
}

static void steps_of(copse_crowd *crowd, const copse_obstacle *walls, int steps) {
  for (int i = 0; i < steps; i++) CHECK(copse_crowd_step(crowd, walls, 0.125f, NULL) == COPSE_OK);
}

static void test_coincident_agents_part(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (int exact = 0; exact < 2; exact++)
      for (uint32_t n = 2; n <= 10; n += n == 3 ? 7 : 1) {
        uint32_t hashes[2];
        for (int again = 0; again < 2; again++) {
          copse_crowd_def def = copse_crowd_default();
          def.dimensions = dimensions;
          def.exact = exact;
          copse_crowd *crowd;
          CHECK(copse_crowd_create(&def, &crowd) == COPSE_OK);
          copse_crowd_agent agent = copse_crowd_agent_default();
          agent.position[0] = 3;
          agent.velocity[1] = agent.preferredVelocity[1] = 1; /* all alike */
          uint32_t slot;
          for (uint32_t i = 0; i < n; i++) copse_crowd_add(crowd, &agent, &slot);
          CHECK(copse_crowd_step(crowd, NULL, 0.125f, NULL) == COPSE_OK);
          CHECK(copse_crowd_stats(crowd).overlaps == n);
          steps_of(crowd, NULL, 100);
          CHECK(copse_crowd_stats(crowd).infeasible == 0);
          const float *positions = copse_crowd_get(crowd).positions;
          for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < a; b++) {
              double distance2 = 0;
              for (uint32_t axis = 0; axis < dimensions; axis++)
                distance2 += pow((double)positions[a * dimensions + axis] -
                                     (double)positions[b * dimensions + axis],
                                 2);
              CHECK(distance2 > 0.999 * 0.999);
            }
          hashes[again] = copse_crowd_hash(crowd);
          copse_crowd_destroy(crowd);
        }
        CHECK(hashes[0] == hashes[1]);
      }
}

static void test_steps_refuse_what_is_no_time(void) {
  static const float BAD[] = {0, -0.0f, -1, NAN, INFINITY, -INFINITY, 1.1e18f};
  copse_crowd *crowd = crowd_of(2, 4), *space = crowd_of(3, 4);
  copse_obstacle_def def = copse_obstacle_default();
  copse_obstacle *walls;
  CHECK(copse_obstacle_create(&def, &walls) == COPSE_OK);
  copse_crowd_view view;
  add_agent(crowd, 0, 0, 1);
  add_agent(space, 0, 0, 1);
  const uint32_t before = copse_crowd_hash(crowd);
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
    CHECK(copse_crowd_step(crowd, NULL, BAD[i], NULL) == COPSE_INVALID_ARGUMENT);
    CHECK(copse_crowd_look(crowd, NULL, BAD[i], 0, &view) == COPSE_INVALID_ARGUMENT);
  }
  CHECK(copse_crowd_hash(crowd) == before && copse_crowd_stats(crowd).steps == 0);
  CHECK(copse_crowd_step(space, walls, 1, NULL) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_crowd_look(space, walls, 1, 0, &view) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_crowd_look(space, NULL, 1, 1, &view) == COPSE_STALE_HANDLE);
  copse_crowd_destroy(crowd);
  copse_crowd_destroy(space);
  copse_obstacle_destroy(walls);
}

static void test_what_is_not_finite_is_named_and_changes_nothing(void) {
  static const float BAD[] = {NAN, INFINITY, -INFINITY, 1.1e18f};
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (int field = 0; field < 4; field++)
      for (int i = 0; i < 4; i++) {
        copse_crowd *crowd = crowd_of(dimensions, 8);
        for (int agent = 0; agent < 6; agent++) add_agent(crowd, (float)agent / 2, 0, 1);
        copse_crowd_remove(crowd, 2);
        copse_crowd_arrays all = copse_crowd_get(crowd);
        float *fields[] = {all.positions, all.velocities, all.preferredVelocities, all.goals};
        fields[field][2 * dimensions] = NAN; /* of nobody */
        for (uint32_t slot = 3; slot < 5; slot++)
          fields[field][slot * dimensions + dimensions - 1] = BAD[i];
        const uint32_t before = copse_crowd_hash(crowd);
        uint32_t firstBad = 99;
        size_t total;
        const copse_status expected = field < 3 ? COPSE_NOT_FINITE : COPSE_OK; /* no goal */
        CHECK(copse_crowd_step(crowd, NULL, 0.5f, &firstBad) == expected);
        CHECK(firstBad == (field < 3 ? 3 : 99));
        CHECK((copse_crowd_hash(crowd) == before) == (field < 3));
        CHECK(copse_crowd_save(crowd, NULL, 0, &total, NULL) ==
              (field < 3 ? COPSE_NOT_FINITE : COPSE_FULL));
        copse_crowd_agent agent = copse_crowd_agent_default();
        float *vectors[] = {agent.position, agent.velocity, agent.preferredVelocity, agent.goal};
        uint32_t slot;
        vectors[field][dimensions - 1] = BAD[i];
        CHECK(copse_crowd_add(crowd, &agent, &slot) == expected);
        CHECK(slot == (field < 3 ? COPSE_NONE : 2));
        copse_crowd_destroy(crowd);
      }
}

/* Two agents that meet head-on and a wall beside them, with one word changed for both. */
static uint32_t hash_with(int field, float value) {
  copse_crowd *crowd = crowd_of(2, 4);
  for (int agent = 0; agent < 2; agent++) {
    const uint32_t slot = add_agent(crowd, agent ? 1.5f : -1.5f, 0.01f * (float)agent, 0.5f);
    copse_crowd_get(crowd).preferredVelocities[2 * slot] = agent ? -1 : 1;
    crowd->fields[field][slot] = value;
  }
  copse_obstacle_def def = copse_obstacle_default();
  copse_obstacle *walls;
  uint32_t polygon;
  CHECK(copse_obstacle_create(&def, &walls) == COPSE_OK);
  CHECK(copse_obstacle_add(walls, (float[]){-9, 1, 9, 1}, 2, false, &polygon) == COPSE_OK);
  CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
  steps_of(crowd, walls, 16);
  CHECK(crowd_bad_slot(&(crowd_game){.crowd = crowd, .used = {true, true}}, true) == COPSE_NONE);
  for (uint32_t slot = 0; slot < 2; slot++) crowd->fields[field][slot] = 0; /* not in the hash */
  const uint32_t hash = copse_crowd_hash(crowd);
  copse_crowd_destroy(crowd);
  copse_obstacle_destroy(walls);
  return hash;
}

static void test_numbers_out_of_range_count_as_the_nearest(void) {
  /* A horizon is at least a step. */
  const int HORIZONS[] = {FIELD_TIME_HORIZON, FIELD_TIME_HORIZON_OBSTACLES};
  const float SHORT[] = {0, -1, NAN, 0.1f, 1e-45f, -INFINITY};
  for (int field = 0; field < 2; field++)
    for (int i = 0; i < 6; i++)
      CHECK(hash_with(HORIZONS[field], SHORT[i]) == hash_with(HORIZONS[field], 0.125f));
  CHECK(hash_with(FIELD_TIME_HORIZON, 1) != hash_with(FIELD_TIME_HORIZON, 0.125f));
  const int NUMBERS[] = {FIELD_RADIUS, FIELD_MAX_SPEED, FIELD_NEIGHBOR_DISTANCE};
  for (int i = 0; i < 3; i++) {
    CHECK(hash_with(NUMBERS[i], -1) == hash_with(NUMBERS[i], 0));
    CHECK(hash_with(NUMBERS[i], NAN) == hash_with(NUMBERS[i], 0));
    CHECK(hash_with(NUMBERS[i], INFINITY) == hash_with(NUMBERS[i], 1e18f));
    CHECK(hash_with(NUMBERS[i], 0) != hash_with(NUMBERS[i], 1));
  }
}

static void test_agents_without_size_neighbors_or_speed(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, 8);
    const copse_crowd_arrays all = copse_crowd_get(crowd);
    for (int i = 0; i < 6; i++) add_agent(crowd, (float)(i % 3) / 4, (float)(i / 3) / 4, 0.5f);
    for (uint32_t slot = 0; slot < 6; slot++)
      all.preferredVelocities[slot * dimensions] = slot % 2 ? 1 : -1;
    all.maxSpeeds[0] = 0;
    all.radii[1] = all.radii[2] = 0;
    all.maxNeighbors[3] = 0;
    all.neighborDistances[4] = 0;
    const float before = all.positions[0];
    steps_of(crowd, NULL, 1);
    CHECK(all.positions[0] == before && all.velocities[0] == 0);
    CHECK(all.velocities[3 * dimensions] == 1 && all.velocities[3 * dimensions + 1] == 0);
    CHECK(all.velocities[4 * dimensions] == -1);
    steps_of(crowd, NULL, 50);
    CHECK(all.positions[0] == before);
    copse_crowd_destroy(crowd);

    copse_crowd_def def = copse_crowd_default();
    def.dimensions = dimensions;
    def.maxNeighbors = 0; /* of all */
    CHECK(copse_crowd_create(&def, &crowd) == COPSE_OK);
    add_agent(crowd, 0, 0, 1);
    add_agent(crowd, 0, 0, 1);
    steps_of(crowd, NULL, 3);
    CHECK(copse_crowd_get(crowd).velocities[0] == 0 && copse_crowd_stats(crowd).neighbors == 0);
    copse_crowd_destroy(crowd);
  }
}

static void test_a_crush_stays_finite_and_within_its_speed(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, 200);
    const copse_crowd_arrays all = copse_crowd_get(crowd);
    uint32_t state = 1, infeasible = 0;
    for (int i = 0; i < 200; i++)
      add_agent(crowd, (float)random_number(&state, -1, 1), (float)random_number(&state, -1, 1), 1);
    for (int step = 0; step < 40; step++) {
      steps_of(crowd, NULL, 1);
      infeasible += copse_crowd_stats(crowd).infeasible;
      for (uint32_t slot = 0; slot < 200; slot++) {
        double speed2 = 0;
        for (uint32_t axis = 0; axis < dimensions; axis++)
          speed2 += pow((double)all.velocities[slot * dimensions + axis], 2);
        CHECK(sqrt(speed2) <= 2 * (1 + 1e-5));
      }
    }
    CHECK(infeasible > 200);
    copse_crowd_destroy(crowd);
  }
}

static void test_agents_go_to_their_goals_and_stop(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, 2);
    copse_crowd_agent agent = copse_crowd_agent_default();
    agent.preferredSpeed = 1.5f;
    for (int axis = 0; axis < 3; axis++) agent.goal[axis] = axis == 0 ? 3 : axis == 1 ? 4 : 0;
    uint32_t slot;
    CHECK(copse_crowd_add(crowd, &agent, &slot) == COPSE_OK);
    const copse_crowd_arrays all = copse_crowd_get(crowd);
    steps_of(crowd, NULL, 1);
    CHECK(fabsf(all.velocities[0] - 0.9f) < 1e-6f && fabsf(all.velocities[1] - 1.2f) < 1e-6f);
    steps_of(crowd, NULL, 30); /* 5 / 1.5 = 26.7 steps of 1/8 */
    CHECK(fabsf(all.positions[0] - 3) < 1e-5f && fabsf(all.positions[1] - 4) < 1e-5f);
    CHECK(fabsf(all.velocities[0]) < 1e-5f && fabsf(all.velocities[1]) < 1e-5f);
    CHECK(fabs(copse_crowd_stats(crowd).time - 31 * 0.125) < 1e-12);
    copse_crowd_destroy(crowd);
  }
}

/* Two agents exactly head-on along an axis: whether both get to their goals in time. */
static bool head_on_pass(uint32_t dimensions, int axis, bool isExact) {
  copse_crowd_def def = copse_crowd_default();
  def.dimensions = dimensions;
  def.exact = isExact;
  copse_crowd *crowd;
  CHECK(copse_crowd_create(&def, &crowd) == COPSE_OK);
  uint32_t arrived = 0, slot;
  for (int i = 0; i < 2; i++) {
    copse_crowd_agent agent = copse_crowd_agent_default();
    for (int other = 0; other < 3; other++) agent.goal[other] = 0;
    agent.position[axis] = i ? 5 : -5;
    agent.goal[axis] = i ? -5 : 5;
    CHECK(copse_crowd_add(crowd, &agent, &slot) == COPSE_OK);
  }
  for (int step = 0; step < 100; step++) { /* alone 80 */
    steps_of(crowd, NULL, 1);
    arrived += copse_crowd_arrived(crowd);
  }
  copse_crowd_destroy(crowd);
  return arrived == 2;
}

static void test_who_meets_exactly_head_on_passes(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (int axis = 0; axis < (int)dimensions; axis++) {
      CHECK(head_on_pass(dimensions, axis, false));
      CHECK(!head_on_pass(dimensions, axis, true));
    }
}

/* In a dense crowd, every fourth locked, disabled, slow to change, or as any other. */
static void test_a_step_moves_neither_locked_nor_disabled(void) {
  enum { N = 80 };
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, N);
    const copse_crowd_arrays all = copse_crowd_get(crowd);
    uint32_t state = 1;
    for (uint32_t i = 0; i < N; i++) {
      const float x = (float)random_number(&state, -3, 3), y = (float)random_number(&state, -3, 3);
      add_agent(crowd, x, y, 0.5f);
      all.preferredVelocities[i * dimensions] = x > 0 ? -1 : 1;
      all.velocities[i * dimensions] = 0.25f;
      if (i % 4 == 0) all.locked[i] = 1;
      if (i % 4 == 1) all.enabled[i] = 0;
      if (i % 4 == 2) all.maxAccelerations[i] = 0.5f;
    }
    all.positions[dimensions] = NAN; /* disabled: of no account */
    for (int step = 0; step < 40; step++) {
      float before[2][3 * N];
      memcpy(before[0], all.positions, N * dimensions * sizeof(float));
      memcpy(before[1], all.velocities, N * dimensions * sizeof(float));
      steps_of(crowd, NULL, 1);
      for (uint32_t i = 0; i < N; i++) {
        const size_t at = (size_t)i * dimensions, size = dimensions * sizeof(float);
        const bool isSame = memcmp(before[0] + at, all.positions + at, size) == 0 &&
                            memcmp(before[1] + at, all.velocities + at, size) == 0;
        if (i % 4 < 2) CHECK(isSame);
        double change2 = 0;
        for (uint32_t axis = 0; axis < dimensions; axis++)
          change2 += pow((double)all.velocities[at + axis] - (double)before[1][at + axis], 2);
        if (i % 4 == 2) CHECK(sqrt(change2) <= 0.5 * 0.125 * (1 + 1e-5));
      }
    }
    copse_crowd_destroy(crowd);
  }
}

static void test_a_crowd_that_grows_still_tells_who_arrived(void) {
  copse_crowd *crowd = crowd_of(2, 3);
  for (uint32_t slot = 0; slot < 3; slot++) {
    add_agent(crowd, (float)slot * 3, 0, 0.5f);
    if (slot)
      memcpy(copse_crowd_get(crowd).goals + 2 * slot, copse_crowd_get(crowd).positions + 2 * slot,
             2 * sizeof(float));
  }
  steps_of(crowd, NULL, 1);
  CHECK(copse_crowd_reserve(crowd, 500) == COPSE_OK);
  CHECK(copse_crowd_arrived(crowd) == 2 && copse_crowd_stuck(crowd) == 0);
  CHECK(copse_crowd_get(crowd).arrived[0] == 1 && copse_crowd_get(crowd).arrived[1] == 2);
  steps_of(crowd, NULL, 1);
  CHECK(copse_crowd_arrived(crowd) == 0);
  copse_crowd_destroy(crowd);
}

static void test_numbers_of_extras_out_of_range_count_as_the_nearest(void) {
  const int FIELDS_OF[] = {FIELD_MAX_ACCELERATION, FIELD_PRIORITY};
  for (int i = 0; i < 2; i++) {
    CHECK(hash_with(FIELDS_OF[i], -1) == hash_with(FIELDS_OF[i], 0));
    CHECK(hash_with(FIELDS_OF[i], NAN) == hash_with(FIELDS_OF[i], 0));
    CHECK(hash_with(FIELDS_OF[i], INFINITY) == hash_with(FIELDS_OF[i], 1e18f));
  }
  CHECK(hash_with(FIELD_MAX_ACCELERATION, 0) != hash_with(FIELD_MAX_ACCELERATION, 1));
}

static void test_slots_of_a_crowd(void) {
  copse_crowd *crowd = crowd_of(2, 4);
  copse_crowd_agent agent = copse_crowd_agent_default();
  uint32_t slot;
  for (uint32_t i = 0; i < 4; i++) CHECK(add_agent(crowd, (float)i, 0, 1) == i);
  CHECK(copse_crowd_add(crowd, &agent, &slot) == COPSE_FULL && slot == COPSE_NONE);
  CHECK(copse_crowd_get(crowd).generations[1] == 1 && copse_crowd_has(crowd, 1));
  CHECK(copse_crowd_remove(crowd, 1) == COPSE_OK && !copse_crowd_has(crowd, 1));
  CHECK(copse_crowd_remove(crowd, 1) == COPSE_STALE_HANDLE);
  CHECK(copse_crowd_remove(crowd, 4) == COPSE_STALE_HANDLE);
  CHECK(copse_crowd_remove(crowd, COPSE_NONE) == COPSE_STALE_HANDLE);
  CHECK(copse_crowd_get(crowd).generations[1] == 2 && copse_crowd_count(crowd) == 3);
  CHECK(copse_crowd_reserve(crowd, 3) == COPSE_OK && copse_crowd_capacity(crowd) == 4);
  CHECK(copse_crowd_reserve(crowd, COPSE_MAX_CAPACITY + 1) == COPSE_INVALID_ARGUMENT);
  steps_of(crowd, NULL, 2);
  const uint32_t before = copse_crowd_hash(crowd);
  CHECK(copse_crowd_reserve(crowd, 1000) == COPSE_OK && copse_crowd_capacity(crowd) == 1000);
  CHECK(copse_crowd_hash(crowd) == before && copse_crowd_count(crowd) == 3);
  CHECK(add_agent(crowd, 1, 0, 1) == 1 && add_agent(crowd, 5, 0, 1) == 4);
  CHECK(copse_crowd_get(crowd).generations[1] == 3);
  steps_of(crowd, NULL, 2);
  copse_crowd_clear(crowd);
  CHECK(copse_crowd_count(crowd) == 0 && !copse_crowd_has(crowd, 0));
  CHECK(copse_crowd_get(crowd).generations[0] == 2);
  steps_of(crowd, NULL, 1);
  CHECK(add_agent(crowd, 0, 0, 1) == 0);
  copse_crowd_destroy(crowd);
}

static void test_a_crowd_allocates_only_when_it_is_made_or_grows(void) {
  copse_crowd_def bad[5];
  for (int i = 0; i < 5; i++) bad[i] = copse_crowd_default();
  bad[0].dimensions = 1;
  bad[1].dimensions = 4;
  bad[2].capacity = 0;
  bad[3].capacity = COPSE_MAX_CAPACITY + 1;
  bad[4].maxNeighbors = COPSE_CROWD_MAX_NEIGHBORS + 1;
  copse_crowd *crowd;
  for (int i = 0; i < 5; i++) {
    CHECK(copse_crowd_create(&bad[i], &crowd) == COPSE_INVALID_ARGUMENT && !crowd);
    CHECK(copse_crowd_bytes(&bad[i]) == SIZE_MAX);
  }
  copse_crowd_destroy(NULL);
  int failing = 0;
  for (copse_status status = COPSE_OUT_OF_MEMORY; status != COPSE_OK; failing++) {
    ledger book = {failing, 0};
    copse_crowd_def def = copse_crowd_default();
    def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
    status = copse_crowd_create(&def, &crowd);
    CHECK(status == COPSE_OK ? book.callsLeft == 0 : !crowd && book.bytesHeld == 0);
    if (status == COPSE_OK) {
      CHECK(book.bytesHeld == copse_crowd_bytes(&def));
      CHECK(book.bytesHeld == copse_crowd_stats(crowd).bytes);
      for (int i = 0; i < 300; i++) add_agent(crowd, (float)(i % 20), (float)(i / 20), 0.4f);
      steps_of(crowd, NULL, 20); /* the next call would fail */
    }
    const uint32_t before = status == COPSE_OK ? copse_crowd_hash(crowd) : 0;
    for (int calls = 0; status == COPSE_OK && copse_crowd_capacity(crowd) == 1000; calls++) {
      book.callsLeft = calls;
      CHECK(copse_crowd_reserve(crowd, 5000) ==
            (copse_crowd_capacity(crowd) == 1000 ? COPSE_OUT_OF_MEMORY : COPSE_OK));
      CHECK(copse_crowd_hash(crowd) == before && copse_crowd_count(crowd) == 300);
      CHECK(book.bytesHeld == copse_crowd_stats(crowd).bytes);
      steps_of(crowd, NULL, 0);
    }
    if (status == COPSE_OK) steps_of(crowd, NULL, 2);
    copse_crowd_destroy(crowd);
    CHECK(book.bytesHeld == 0);
  }
  CHECK(failing > 3);
}

/* 200 agents among boxes, some of whom leave and come. */
typedef struct walkers {
  copse_crowd *crowd;
  copse_obstacle *walls;
} walkers;

static walkers walkers_of(void) {
  walkers all = {crowd_of(2, 200), NULL};
  const copse_obstacle_def def = copse_obstacle_default();
  CHECK(copse_obstacle_create(&def, &all.walls) == COPSE_OK);
  for (int i = 0; i < 9; i++) {
    const float x = (float)(i % 3) * 12, y = (float)(i / 3) * 12;
    const float corners[] = {x, y, x + 4, y, x + 5, y + 5, x, y + 4};
    uint32_t slot;
    CHECK(copse_obstacle_add(all.walls, corners, i % 4 ? 4 : 2, i % 2, &slot) == COPSE_OK);
  }
  CHECK(copse_obstacle_build(all.walls, NULL) == COPSE_OK);
  return all;
}

static void walk(const walkers *all, uint32_t *state) {
  for (int i = 0; i < 4; i++) {
    const uint32_t slot = random_word(state) % 200;
    copse_crowd_agent agent = copse_crowd_agent_default();
    for (int axis = 0; axis < 2; axis++) {
      agent.position[axis] = (float)random_number(state, -5, 33);
      if (i < 2) agent.goal[axis] = (float)random_number(state, -5, 33);
      agent.preferredVelocity[axis] = (float)random_number(state, -1, 1);
    }
    agent.radius = (float)random_number(state, 0, 1);
    const uint32_t extras = random_word(state);
    if (i == 0) agent.goal[0] = agent.goal[1] = 14; /* of many, who come to rest there */
    agent.priority = (float)(extras >> 8 & 3);
    if (extras >> 10 & 1) agent.mask = 1 + (extras >> 11 & 3);
    agent.groups = extras >> 13 & 3;
    agent.locked = (extras >> 16 & 15) == 0;
    agent.enabled = (extras >> 16 & 15) != 1;
    if (extras >> 20 & 1) agent.maxAcceleration = (float)random_number(state, 0, 10);
    uint32_t added;
    if (random_word(state) % 8 == 0) copse_crowd_remove(all->crowd, slot);
    copse_crowd_add(all->crowd, &agent, &added);
  }
  CHECK(copse_crowd_step(all->crowd, all->walls, 0.125f, NULL) == COPSE_OK);
}

static void test_a_restored_crowd_goes_on_as_the_saved(void) {
  static uint32_t words[200 * 32], again[200 * 32];
  const walkers all = walkers_of();
  walkers other = all;
  other.crowd = crowd_of(2, 200);
  uint32_t state = 1;
  for (int i = 0; i < 60; i++) walk(&all, &state);
  for (int moment = 0; moment < 100; moment++) {
    for (uint32_t i = random_word(&state) % 4; i > 0; i--) walk(&all, &state);
    size_t total, same;
    CHECK(copse_crowd_save(all.crowd, words, sizeof words, &total, NULL) == COPSE_OK);
    CHECK(copse_crowd_restore(other.crowd, words, total) == COPSE_OK);
    uint32_t states[] = {state, state};
    for (int i = 0; i < 3; i++) {
      walk(&all, &states[0]);
      walk(&other, &states[1]);
      CHECK(copse_crowd_hash(all.crowd) == copse_crowd_hash(other.crowd));
    }
    CHECK(copse_crowd_save(all.crowd, words, sizeof words, &total, NULL) == COPSE_OK);
    CHECK(copse_crowd_save(other.crowd, again, sizeof again, &same, NULL) == COPSE_OK);
    CHECK(total == same && memcmp(words, again, total) == 0);
    state = states[0];
  }
  CHECK(copse_crowd_count(all.crowd) > 150 && copse_crowd_stats(all.crowd).overlaps > 0);
  copse_crowd_destroy(all.crowd);
  copse_crowd_destroy(other.crowd);
  copse_obstacle_destroy(all.walls);
}

static void test_a_snapshot_of_a_crowd_checks_what_it_takes(void) {
  static uint32_t words[500], forged[500];
  copse_crowd *crowd = crowd_of(2, 9);
  for (int i = 0; i < 9; i++) add_agent(crowd, (float)i, 0, 1);
  copse_crowd_remove(crowd, 4);
  steps_of(crowd, NULL, 3);
  size_t total, same;
  CHECK(copse_crowd_save(crowd, words, 10, &total, NULL) == COPSE_FULL);
  CHECK(copse_crowd_save(crowd, words, sizeof words, &total, NULL) == COPSE_OK);
  const uint32_t before = copse_crowd_hash(crowd);
  /* Behind the header dimensions, maxNeighbors, exact, slots, time (two words), steps; then
   * generations, positions. */
  const struct {
    size_t word;
    uint32_t value;
  } wrong[] = {{0, 0},           {1, 99},          {2, 5},           {6, 3},
               {7, 11},          {8, 1},           {9, 8},           {9, 10},
               {9, 0},           {9, UINT32_MAX},  {11, 0x7ff80000}, {11, 0x7ff00000},
               {11, 0xbff00000}, {23, 0x7fc00000}, {23, 0x7f800000}, {24, 0xff800000},
               {23, 0x5e5e0b6c}, {41, 0x7fc00000}, {59, 0x7f800000}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    memcpy(forged, words, total);
    forged[wrong[i].word] = wrong[i].value;
    if (wrong[i].word > 2) snapshot_seal(forged, total, SNAPSHOT_CROWD);
    CHECK(copse_crowd_restore(crowd, forged, total) == COPSE_BAD_SNAPSHOT);
    CHECK(copse_crowd_hash(crowd) == before);
  }
  for (size_t size = 0; size < total; size++)
    CHECK(copse_crowd_restore(crowd, words, size) == COPSE_BAD_SNAPSHOT);
  for (size_t i = 0; i < 8 * total; i++) {
    memcpy(forged, words, total);
    ((uint8_t *)forged)[i / 8] ^= (uint8_t)(1 << i % 8);
    CHECK(copse_crowd_restore(crowd, forged, total) == COPSE_BAD_SNAPSHOT);
  }
  CHECK(copse_crowd_restore(crowd, (char *)words + 1, total) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_crowd_save(crowd, forged, sizeof forged, &same, NULL) == COPSE_OK && same == total);
  CHECK(memcmp(words, forged, total) == 0);
  copse_crowd *small = crowd_of(2, 8), *large = crowd_of(2, 40);
  add_agent(small, 1, 2, 3);
  const uint32_t smallBefore = copse_crowd_hash(small);
  CHECK(copse_crowd_restore(small, words, total) == COPSE_FULL);
  CHECK(copse_crowd_hash(small) == smallBefore);
  for (int i = 0; i < 30; i++) add_agent(large, (float)i, 0, 1);
  CHECK(copse_crowd_restore(large, words, total) == COPSE_OK && copse_crowd_count(large) == 8);
  CHECK(copse_crowd_hash(large) == before && add_agent(large, 0, 0, 1) == 4);
  copse_crowd_destroy(small);
  copse_crowd_destroy(large);
  copse_crowd_destroy(crowd);
}

static void test_nothing_but_the_state_decides(void) {
  enum { N = 60 };
  static float positions[2][3 * N];
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    for (int history = 0; history < 2; history++) {
      copse_crowd *crowd = crowd_of(dimensions, history ? 100 : N);
      uint32_t state = 1;
      for (int i = 0; i < (history ? 90 : 0); i++) add_agent(crowd, (float)(i % 9), 1, 0.7f);
      if (history) steps_of(crowd, NULL, 30);
      for (uint32_t slot = 90; history && slot > 0; slot--)
        CHECK(copse_crowd_remove(crowd, (slot * 7) % 90) == COPSE_OK);
      for (int i = 0; i < N; i++) {
        const float x = (float)random_number(&state, -4, 4);
        const uint32_t slot = add_agent(crowd, x, (float)random_number(&state, -4, 4), 0.4f);
        copse_crowd_get(crowd).preferredVelocities[slot * dimensions] = x > 0 ? -1 : 1;
      }
      steps_of(crowd, NULL, 50);
      memcpy(positions[history], copse_crowd_get(crowd).positions, N * dimensions * sizeof(float));
      copse_crowd_destroy(crowd);
    }
    CHECK(memcmp(positions[0], positions[1], N * dimensions * sizeof(float)) == 0);
  }
}

/* Agents beside a two-sided wall along y that end at x0 … x1: mirrored at the wall they move as in
 * a mirror. */
static void test_a_wall_of_two_sides_has_no_better_side(void) {
  for (int turned = 0; turned < 2; turned++)
    for (int i = 0; i < 40; i++) {
      const copse_obstacle_def def = copse_obstacle_default();
      copse_obstacle *walls;
      uint32_t slot, state = (uint32_t)i;
      CHECK(copse_obstacle_create(&def, &walls) == COPSE_OK);
      const float ends[] = {0, turned ? 2 : -2, 0, turned ? -2 : 2};
      CHECK(copse_obstacle_add(walls, ends, 2, true, &slot) == COPSE_OK);
      CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
      const float x = (float)random_number(&state, 0.1, 2), y = (float)random_number(&state, -3, 3);
      const float away = (float)random_number(&state, -1, 1);
      float positions[2][2];
      for (int side = 0; side < 2; side++) {
        copse_crowd *crowd = crowd_of(2, 1);
        const float sign = side ? -1 : 1;
        add_agent(crowd, sign * x, y, 0.3f);
        float *preferred = copse_crowd_get(crowd).preferredVelocities;
        preferred[0] = -sign;
        preferred[1] = away;
        for (int step = 0; step < 40; step++) {
          float *at = copse_crowd_get(crowd).positions, before[2] = {at[0], at[1]};
          bool isClear;
          steps_of(crowd, walls, 1);
          copse_obstacle_visible(walls, before, at, 0, &isClear, NULL);
          CHECK(isClear);
        }
        memcpy(positions[side], copse_crowd_get(crowd).positions, sizeof positions[side]);
        copse_crowd_destroy(crowd);
      }
      CHECK(fabsf(positions[0][0] + positions[1][0]) <= 1e-5f);
      CHECK(fabsf(positions[0][1] - positions[1][1]) <= 1e-5f);
      copse_obstacle_destroy(walls);
    }
}

static void check_scene(void (*begin)(scene *), uint32_t steps, double overlap) {
  static scene played;
  begin(&played);
  const scene_report report = scene_play(&played, steps);
  CHECK(report.steps > 0); /* all are there */
  CHECK(report.overlap <= overlap);
  CHECK(report.speed <= 1 + 1e-5);
  CHECK(report.crossed == 0 && report.isFinite);
}

/* Measured: 2,320 steps and 0.181 of the radii; 4,085 and 0.027; 2,042 and 0.063. */
static void test_scenes_end_at_their_goals(void) {
  check_scene(scene_circle, 2900, 0.23);
  check_scene(scene_blocks, 4800, 0.035);
  check_scene(scene_sphere, 2600, 0.08);
}

/* Run once, or for every kind of index. */
#define TEST(name)                                                                                 \
  { #name, name, false }
#define EVERY(name)                                                                                \
  { #name, name, true }
static const struct {
  const char *name;
  void (*run)(void);
  bool isForEvery;
} TESTS[] = {
    TEST(test_every_status_has_a_text),
    TEST(test_slots_are_reused_with_a_new_generation),
    TEST(test_slots_keep_their_state_when_they_grow),
    TEST(test_arena_aligns_every_array),
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
    TEST(test_windows_wrap_past_the_end_of_the_table),
    TEST(test_windows_wider_than_the_table),
    TEST(test_queries_beyond_all_agents),
    TEST(test_exactly_the_radius_across_cells),
    TEST(test_the_table_is_shared_where_there_are_too_many_cells),
    TEST(test_searches_among_the_smallest_cells),
    TEST(test_a_snapshot_is_for_one_size_of_cells),
    TEST(test_builders_give_the_same_tree),
    TEST(test_comparisons_are_bounded_for_any_input),
    TEST(test_lines_divide_what_is_below_them),
    TEST(test_validate_sees_what_is_wrong),
    TEST(test_statistics_of_every_size),
    TEST(test_a_snapshot_is_for_all_builders),
    TEST(test_boxes_agree_with_a_list),
    TEST(test_a_move_within_a_cell_changes_no_structure),
    TEST(test_items_on_a_line_have_one_side),
    TEST(test_items_outside_the_world_are_kept_found_and_counted),
    TEST(test_all_removed_is_the_start),
    TEST(test_a_pool_without_nodes_leaves_cells_whole),
    TEST(test_wrong_boxes_are_refused),
    TEST(test_boxes_fill_their_capacity),
    TEST(test_pairs_are_written_whole_while_they_fit),
    TEST(test_an_octree_allocates_only_when_it_is_created),
    TEST(test_looseness_frees_small_items_at_the_center),
    TEST(test_a_snapshot_of_boxes_checks_what_it_takes),
    TEST(test_walls_agree_with_a_list),
    TEST(test_edges_of_no_length_are_dropped_and_counted),
    TEST(test_wrong_polygons_are_refused),
    TEST(test_walls_fill_their_capacity),
    TEST(test_crossing_walls_leave_cells_undivided_where_room_ends),
    TEST(test_walls_on_a_line_follow_one_rule),
    TEST(test_polygons_that_cross_themselves_work_edge_by_edge),
    TEST(test_without_walls_everything_is_seen),
    TEST(test_wrong_questions_to_walls_are_refused),
    TEST(test_an_obstacle_tree_allocates_only_when_it_is_created),
    TEST(test_walls_do_not_remember),
    TEST(test_walls_at_ever_smaller_distances_bound_the_depth),
    TEST(test_what_is_seen_in_a_room),
    TEST(test_room_for_what_is_seen_in_mazes),
    TEST(test_the_line_that_divides_best_is_taken_and_cut_to_its_cell),
    TEST(test_a_snapshot_of_walls_checks_what_it_takes),
    TEST(test_validate_sees_wrong_walls),
    TEST(test_programs_equal_the_slow_way),
    TEST(test_crowds_hold_under_any_calls),
    TEST(test_coincident_agents_part),
    TEST(test_steps_refuse_what_is_no_time),
    TEST(test_what_is_not_finite_is_named_and_changes_nothing),
    TEST(test_numbers_out_of_range_count_as_the_nearest),
    TEST(test_agents_without_size_neighbors_or_speed),
    TEST(test_a_crush_stays_finite_and_within_its_speed),
    TEST(test_agents_go_to_their_goals_and_stop),
    TEST(test_who_meets_exactly_head_on_passes),
    TEST(test_a_step_moves_neither_locked_nor_disabled),
    TEST(test_a_crowd_that_grows_still_tells_who_arrived),
    TEST(test_numbers_of_extras_out_of_range_count_as_the_nearest),
    TEST(test_slots_of_a_crowd),
    TEST(test_a_crowd_allocates_only_when_it_is_made_or_grows),
    TEST(test_a_restored_crowd_goes_on_as_the_saved),
    TEST(test_a_snapshot_of_a_crowd_checks_what_it_takes),
    TEST(test_nothing_but_the_state_decides),
    TEST(test_a_wall_of_two_sides_has_no_better_side),
    TEST(test_scenes_end_at_their_goals),
};

int main(void) {
  /* Grids with tables that are whole, shared, and of one entry. */
  static const kind INDEXES[] = {
      {.noun = AGENTTREE},
      {.noun = GRID, .cellSize = 1},
      {.noun = GRID, .cellSize = 0.01f},
      {.noun = GRID, .cellSize = 1e20f},
      {.noun = KDTREE, .builder = COPSE_BUILDER_QUICKSELECT},
      {.noun = KDTREE, .builder = COPSE_BUILDER_MEDIAN_OF_MEDIANS},
      {.noun = KDTREE, .builder = COPSE_BUILDER_PRESORT},
  };
  const size_t kinds = sizeof INDEXES / sizeof *INDEXES;
  int passed = 0, failed = 0;
  for (size_t i = 0; i < sizeof TESTS / sizeof *TESTS; i++) {
    for (size_t each = 0; each < (TESTS[i].isForEvery ? kinds : 1); each++) {
      failure = NULL;
      tested = INDEXES[each];
      TESTS[i].run();
      if (failure)
        printf("FAIL %s: line %d: %s (kind %d, cellSize %g, builder %d)\n", TESTS[i].name,
               failureLine, failure, (int)tested.noun, (double)tested.cellSize,
               (int)tested.builder);
      if (failure)
        failed++;
      else
        passed++;
    }
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}
