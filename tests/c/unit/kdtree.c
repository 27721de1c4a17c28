/* What only k-d trees have. */

#include "../inputs.h"
#include "unit.h"

#include "../../../c/base/select.h"
#include "../../../c/points/kdtree.h"

static copse_points *kdtree_of(const float *points, uint32_t n, uint32_t dim,
                               copse_builder builder) {
  copse_kdtree_def def = copse_kdtree_default();
  def.dimensions = dim;
  def.capacity = n ? n : 1;
  def.builder = builder;
  copse_points *tree = NULL;
  CHECK(copse_kdtree_create(&def, &tree) == COPSE_OK);
  const copse_const_positions given = interleaved(points, dim);
  CHECK(copse_points_build_from(tree, &given, NULL, NULL, n, NULL) == COPSE_OK);
  return tree;
}

static void test_all_builders_build_the_same_tree(void) {
  enum { N = 2600 };
  static float points[3 * N];
  static uint32_t first[N];
  const uint32_t sizes[] = {N, 512, 37};
  for (int trial = 0; trial < 3 * SELECTION_INPUTS * 2 * 2; trial++) {
    const uint32_t n = sizes[trial % 3], dim = trial / 3 % 2 ? 3 : 2;
    fill_input(points, trial / 6 % SELECTION_INPUTS, n, dim, trial / 6 / SELECTION_INPUTS);
    for (int builder = 0; builder < 3; builder++) {
      copse_points *tree = kdtree_of(points, n, dim, (copse_builder)builder);
      CHECK(copse_points_validate(tree));
      uint32_t count;
      const uint32_t *order = copse_points_order(tree, &count);
      CHECK(count == n);
      if (!builder) memcpy(first, order, n * sizeof *order);
      CHECK(memcmp(order, first, n * sizeof *order) == 0);
      copse_points_destroy(tree);
    }
  }
  for (uint32_t n = 0; n < 70; n++) { /* every length of a run, modulo the SIMD width too */
    fill_input(points, INPUT_UNIFORM, 70, 2, true);
    for (int builder = 0; builder < 3; builder++) {
      copse_points *tree = kdtree_of(points, n, 2, (copse_builder)builder);
      CHECK(copse_points_validate(tree));
      copse_points_destroy(tree);
    }
  }
}

static void test_the_work_of_builds_is_bounded_for_any_input(void) {
  enum { MOST = 1 << 16 };
  static float points[3 * MOST];
  static const double BOUNDS[] = {7, 10, 15};
  uint32_t hash = 0;
  for (uint32_t n = 1 << 10, levels = 10; n <= MOST; n *= 8, levels += 3)
    for (int trial = 0; trial < SELECTION_INPUTS * 2 * 2; trial++) {
      const uint32_t dim = trial % 2 ? 3 : 2;
      fill_input(points, trial / 2 % SELECTION_INPUTS, n, dim, trial / 2 / SELECTION_INPUTS);
      for (int builder = 0; builder < 3; builder++) {
        copse_work = 0;
        copse_points_destroy(kdtree_of(points, n, dim, (copse_builder)builder));
        const double ratio = (double)copse_work / ((double)n * levels);
        CHECK(ratio > 0.5 && ratio <= BOUNDS[builder]);
        hash = hash * 31 + (uint32_t)copse_work;
      }
    }
  /* Recorded, to notice when a change of a builder changes its work. */
  CHECK(hash == 0x45d33192);
}

static void test_lines_divide_the_points_below_them(void) {
  /* The median on x is 2. On y it is 8 on the left of that, and 5 on the right. */
  const float points[] = {2, 1, 0, 8, 1, 3, 9, 5, 4, 2};
  copse_points *tree = kdtree_of(points, 5, 2, COPSE_BUILDER_QUICKSELECT);
  const float lines[] = {2, 1, 2, 8, 0, 5,  /* x = 2, across all points */
                         0, 8, 2, 8, 1, 2,  /* y = 8, left of it */
                         1, 1, 1, 8, 2, 1,  /* x = 1, below y = 8 */
                         2, 5, 9, 5, 1, 2,  /* y = 5, right of x = 2 */
                         4, 1, 4, 5, 2, 1}; /* x = 4, below y = 5 */
  float cells[31] = {0};
  cells[30] = 42;
  CHECK(copse_points_cells(tree, 0, cells, 30) == 30 && memcmp(cells, lines, sizeof lines) == 0);
  memset(cells, 0, sizeof lines);
  CHECK(copse_points_cells(tree, 0, cells, 11) == 30); /* only whole lines */
  CHECK(memcmp(cells, lines, 6 * sizeof *lines) == 0 && cells[6] == 0 && cells[30] == 42);
  CHECK(copse_points_cells(tree, 18, cells, 11) == 30);
  CHECK(memcmp(cells, lines + 18, 6 * sizeof *lines) == 0 && cells[6] == 0);
  copse_points_destroy(tree);
}

static void test_validate_detects_damage_in_a_kdtree(void) {
  enum { N = 100 };
  static float points[2 * N];
  fill_input(points, INPUT_UNIFORM, N, 2, true);
  copse_points *tree = kdtree_of(points, N, 2, COPSE_BUILDER_QUICKSELECT);
  scan_points *ordered = &tree->ordered;
  float *bounds = ((struct kdtree *)tree)->bounds;
  CHECK(copse_points_validate(tree));
  for (uint32_t i = 0; i < N; i++) { /* move each point too far to the left, and to the right */
    for (uint32_t axis = 0; axis < 2; axis++) {
      const float x = ordered->axes[axis][i];
      ordered->axes[axis][i] = -1;
      CHECK(!copse_points_validate(tree));
      ordered->axes[axis][i] = 1e9f;
      CHECK(!copse_points_validate(tree));
      ordered->axes[axis][i] = x;
    }
    const uint32_t id = ordered->ids[i];
    ordered->ids[i] = ordered->ids[(i + 1) % N]; /* no permutation */
    CHECK(!copse_points_validate(tree));
    ordered->ids[i] = id;
  }
  CHECK(copse_points_validate(tree));
  for (int side = 0; side < 4; side++) { /* bounds that are too wide */
    bounds[side] += side < 2 ? -1 : 1;
    CHECK(!copse_points_validate(tree));
    bounds[side] -= side < 2 ? -1 : 1;
  }
  const uint32_t middle = N / 2; /* within the bounds, but on the wrong side */
  const float x = ordered->axes[0][0];
  CHECK(x > bounds[0] && ordered->axes[0][N - 1] < bounds[2]);
  ordered->axes[0][0] = ordered->axes[0][middle] + 1;
  CHECK(!copse_points_validate(tree));
  ordered->axes[0][0] = x;
  ordered->axes[0][N - 1] = ordered->axes[0][middle] - 1;
  CHECK(!copse_points_validate(tree));
  copse_points_destroy(tree);
}

static void test_statistics_are_right_for_every_size(void) {
  enum { MOST = 300 };
  static float points[2 * MOST], cells[6 * MOST];
  fill_input(points, INPUT_UNIFORM, MOST, 2, true);
  for (uint32_t n = 0; n <= MOST; n++) {
    copse_points *tree = kdtree_of(points, n, 2, COPSE_BUILDER_PRESORT);
    CHECK(copse_points_cells(tree, 0, cells, 6 * MOST) == 6 * (size_t)n);
    uint32_t depth = 0, leaves = 0;
    for (uint32_t i = 0; i < n; i++) {
      if ((uint32_t)cells[6 * i + 4] > depth) depth = (uint32_t)cells[6 * i + 4];
      leaves += cells[6 * i + 5] == 1;
    }
    const copse_points_statistics stats = copse_points_stats(tree);
    CHECK(stats.agents == n && stats.depth == depth && stats.leaves == leaves);
    copse_points_destroy(tree);
  }
}

static void test_a_snapshot_fits_all_builders(void) {
  float points[2 * 100];
  static uint32_t bytes[1024];
  uint32_t count, other;
  size_t total;
  fill_input(points, INPUT_UNIFORM, 100, 2, true);
  copse_points *tree = kdtree_of(points, 100, 2, COPSE_BUILDER_QUICKSELECT);
  copse_points *taker = kdtree_of(points, 100, 2, COPSE_BUILDER_PRESORT);
  copse_points_set_slots(taker, 0);
  CHECK(copse_points_build(taker, NULL) == COPSE_OK);
  CHECK(copse_points_save(tree, bytes, sizeof bytes, &total, NULL) == COPSE_OK);
  CHECK(copse_points_restore(taker, bytes, total, NULL) == COPSE_OK &&
        copse_points_validate(taker));
  CHECK(memcmp(copse_points_order(tree, &count), copse_points_order(taker, &other), 400) == 0);
  CHECK(count == 100 && other == 100);
  copse_points_destroy(tree);
  copse_points_destroy(taker);
}

/* A bound on the work is worth nothing if some work is not counted. Coincident points are detected
 * and sorted by id: that work is counted too. */
static void test_all_work_on_coincident_points_is_counted(void) {
  enum { N = 64 };
  static const float POINTS[2 * N] = {0};
  static const uint64_t COUNTED[] = {1085, 1243, 1600};
  for (int builder = 0; builder < 3; builder++) {
    copse_work = 0;
    copse_points_destroy(kdtree_of(POINTS, N, 2, (copse_builder)builder));
    CHECK(copse_work == COUNTED[builder]);
  }
}

/* The distance of neighbors is estimated from the smallest subtree around the center that has
 * enough points. In a clump that is a subtree of the clump: the search visits neither the points
 * far above nor the many beside it. */
static void test_neighbors_in_a_clump_are_searched_only_there(void) {
  enum { K = 8, ENOUGH = 2 * (K + 5), N = 4 * ENOUGH, SEARCHES = 100 };
  float points[2 * N];
  uint32_t seed = 3;
  CHECK(ENOUGH == 2 * points_aim(K));
  for (int search = 0; search < SEARCHES; search++) {
    for (uint32_t i = 0; i < 2 * N; i++) points[i] = (float)(random_word(&seed) >> 8) / 16777216;
    for (uint32_t i = ENOUGH + 1; i < 2 * ENOUGH; i++)
      points[2 * i + 1] = 1e3f + 1e6f * points[2 * i + 1];
    for (uint32_t i = 2 * ENOUGH; i < N; i++) points[2 * i] += 2;
    copse_points *tree = kdtree_of(points, N, 2, COPSE_BUILDER_QUICKSELECT);
    float distances2[K];
    uint32_t ids[K];
    copse_results results = {ids, distances2, K, 0, 0};
    CHECK(copse_points_neighbors(tree, (float[]){0.5f, 0.5f}, K, NULL, &results) == COPSE_OK);
    CHECK(results.total == K && results.visits == 1);
    copse_points_destroy(tree);
  }
}

const unit_test KDTREE_TESTS[] = {
    TEST(test_all_builders_build_the_same_tree),
    TEST(test_the_work_of_builds_is_bounded_for_any_input),
    TEST(test_lines_divide_the_points_below_them),
    TEST(test_validate_detects_damage_in_a_kdtree),
    TEST(test_statistics_are_right_for_every_size),
    TEST(test_a_snapshot_fits_all_builders),
    TEST(test_all_work_on_coincident_points_is_counted),
    TEST(test_neighbors_in_a_clump_are_searched_only_there),
    {NULL, NULL, false},
};
