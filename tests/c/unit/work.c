/* How much queries, batches and builds of points do, by WORKED in c/base/core.h: for all that the
 * scenes of determinism.c, which are measured as well, do not do. More would be slower, and less
 * would be a bound that is lucky here; the answers are right either way. And how much memory
 * objects take. */

#include "../inputs.h"
#include "unit.h"

#include "../../../c/base/core.h"

enum { N = 700, K = 8, ASKED = 40, WORKS = 17 };

static uint32_t ids[N * N], counts[N], offsets[N], masks[N];
static float distances2[N * N], radii[N];

static copse_points *index_of(uint32_t dimensions) {
  copse_agenttree_def def = copse_agenttree_default();
  def.dimensions = dimensions;
  def.capacity = N;
  def.leafSize = 16;
  copse_points *points;
  CHECK(create_points(&def, tested, &points) == COPSE_OK);
  uint32_t state = 5;
  float *positions = copse_points_positions(points).axes[0];
  for (uint32_t i = 0; i < N * dimensions; i++) {
    const float side = (float)(random_word(&state) >> 8) / 16777216;
    positions[i] = i % 3 ? 20 * side : 20 * side * side * side; /* denser on one side */
  }
  for (uint32_t slot = 0; slot < N; slot++) {
    copse_points_groups(points)[slot] = slot % 7 == 3 ? 2 : 1;
    masks[slot] = slot % 5 ? COPSE_ALL_GROUPS : 2;
    radii[slot] = (float)(slot % 4) / 4;
  }
  CHECK(copse_points_set_count(points, N) == COPSE_OK);
  return points;
}

static void ask(const copse_points *points, int work, const float *places, uint32_t dimensions) {
  copse_query query = copse_query_default();
  copse_results results = {ids, distances2, N, 0, 0};
  copse_hit hit;
  bool any;
  uint32_t id;
  query.mask = 1;
  for (uint32_t i = 0; i < ASKED; i++) {
    const float *center = places + (size_t)i * dimensions;
    switch (work) {
    case 1:
      copse_points_within(points, center, 2, NULL, &results);
      break;
    case 2:
      copse_points_nearest(points, center, &query, &id, NULL, NULL);
      break;
    case 3:
      copse_points_neighbors(points, center, K, NULL, &results);
      break;
    case 4:
      copse_points_count_within(points, center, 5, &query, &id, NULL);
      break;
    case 5:
      copse_points_any_within(points, center, 1, NULL, &any, NULL);
      break;
    case 6:
      copse_points_raycast(points, center, places, 0.25f, NULL, NULL, &hit, NULL);
      break;
    default:
      break;
    }
  }
}

static void ask_all(copse_points *points, int work, const float *places) {
  copse_rows rows = {offsets, counts, ids, N * N, 0, false};
  copse_neighbor_rows neighbors = {counts, ids, distances2};
  copse_results pairs = {ids, NULL, N * N, 0, 0};
  switch (work) {
  case 7:
    copse_points_all_within(points, 1.5f, NULL, masks, &rows);
    break;
  case 8:
    copse_points_all_within(points, 1, NULL, NULL, &rows);
    break;
  case 9:
    copse_points_all_neighbors(points, K, NULL, NULL, &neighbors);
    break;
  case 10:
    copse_points_pairs(points, 1, NULL, NULL, &pairs);
    break;
  case 11:
    copse_points_pairs(points, 0, radii, NULL, &pairs);
    break;
  case 12:
    copse_points_nearest_many(points, places, ASKED, 1, NULL, &neighbors);
    break;
  case 13:
    copse_points_nearest_many(points, places, ASKED, K, NULL, &neighbors);
    break;
  case 14: /* as many as are ranked, and one more */
  case 15:
    copse_points_all_neighbors(points, (uint32_t)work + 10, NULL, NULL, &neighbors);
    break;
  case 16: /* a build after some moved and others are absent */
    for (uint32_t slot = 0; slot < N; slot += 5) copse_points_groups(points)[slot] = 0;
    for (uint32_t slot = 0; slot < N; slot += 3) copse_points_positions(points).axes[0][slot] += 1;
    copse_points_build(points, NULL);
    break;
  default:
    break;
  }
}

static const uint64_t MEASURED[7][2][WORKS] = {
    {{13412, 3602, 1298, 5925, 11160, 1404, 2286, 35763, 18284, 81073, 19464, 27177, 1237, 6005,
      293086, 258002, 13555},
     {14368, 3252, 2330, 10620, 9996, 1818, 5330, 76953, 47624, 254111, 21331, 30254, 2095, 10740,
      778089, 569458, 15520}},
    {{3507, 2272, 1630, 4565, 7735, 730, 1404, 40953, 23509, 82328, 15281, 22720, 1541, 4645,
      271703, 258357, 8400},
     {9438, 6377, 14886, 48951, 40085, 1797, 9374, 99487, 106371, 1016713, 32701, 40561, 11792,
      49071, 1425225, 1441442, 15913}},
    {{4715, 35360, 58065, 69242, 35360, 28360, 28274, 650994, 625794, 1200077, 378117, 439815,
      46288, 69322, 1868433, 1910019, 9545},
     {9438, 42400, 72130, 79428, 42400, 35400, 35252, 776985, 751785, 1368550, 502204, 564429,
      60633, 79548, 2002729, 2042912, 15913}},
    {{2632, 35400, 28600, 36435, 35400, 28400, 28608, 618275, 401806, 726376, 235498, 297196, 21680,
      36515, 1239265, 797715, 7462},
     {7357, 42440, 35640, 43175, 42440, 35440, 35604, 772625, 555458, 1094190, 311119, 373344,
      28760, 43295, 1817312, 1093985, 13832}},
    {{19646, 4908, 2716, 7963, 13284, 2540, 4082, 95710, 60310, 142015, 46760, 66031, 2307, 8323,
      386516, 322924, 18794},
     {22183, 4068, 3267, 11917, 12008, 3645, 8102, 121977, 84164, 321844, 57410, 77488, 3046, 12317,
      883434, 553690, 21904}},
    {{37124, 4908, 2716, 7963, 13284, 2540, 4082, 95710, 60310, 142015, 46760, 66031, 2307, 8323,
      386516, 322924, 31618},
     {40265, 4068, 3267, 11917, 12008, 3645, 8102, 121977, 84164, 321844, 57410, 77488, 3046, 12317,
      883434, 553690, 33839}},
    {{34453, 4908, 2716, 7963, 13284, 2540, 4082, 95710, 60310, 142015, 46760, 66031, 2307, 8323,
      386516, 322924, 30434},
     {53338, 4068, 3267, 11917, 12008, 3645, 8102, 121977, 84164, 321844, 57410, 77488, 3046, 12317,
      883434, 553690, 46456}}};

static void test_queries_and_batches_do_as_much_as_measured(void) {
  const int row = tested.noun == AGENTTREE ? 0
                  : tested.noun == KDTREE  ? 4 + (int)tested.builder
                  : tested.cellSize == 1   ? 1
                                           : 2 + (tested.cellSize > 1);
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_points *points = index_of(dimensions);
    float places[3 * ASKED];
    uint32_t state = 9;
    for (int i = 0; i < 3 * ASKED; i++)
      places[i] = 20 * (float)(random_word(&state) >> 8) / 16777216;
    for (int work = 0; work < WORKS; work++) {
      copse_work = 0;
      if (work == 0) CHECK(copse_points_build(points, NULL) == COPSE_OK);
      ask(points, work, places, dimensions);
      ask_all(points, work, places);
      const uint64_t measured = MEASURED[row][dimensions - 2][work];
      if (copse_work != measured)
        printf("work %d of row %d in %uD: %llu, not %llu\n", work, row, dimensions,
               (unsigned long long)copse_work, (unsigned long long)measured);
      CHECK(copse_work == measured);
    }
    copse_points_destroy(points);
  }
}

static void test_objects_take_as_much_memory_as_measured(void) {
  static const uint32_t CAPACITIES[] = {1, 1000, COPSE_MAX_CAPACITY};
  static const uint64_t BYTES[8][3] = {{560, 32880, 8724152736},    {624, 148400, 39728447888},
                                       {856, 48744, 12884902632},   {520, 28424, 7516193192},
                                       {568, 52424, 13958644136},   {17744, 197616, 15623783328},
                                       {1128, 262584, 70303992232}, {1512, 269720, 72108475496}};
  copse_agenttree_def tree = copse_agenttree_default(), small = copse_agenttree_default();
  copse_grid_def grid = copse_grid_default();
  copse_kdtree_def kdtree = copse_kdtree_default(), presort = copse_kdtree_default();
  copse_octree_def octree = copse_octree_default();
  copse_obstacle_def obstacle = copse_obstacle_default();
  copse_crowd_def crowd = copse_crowd_default();
  small.leafSize = 1;
  small.dimensions = 3;
  presort.builder = COPSE_BUILDER_PRESORT;
  for (int i = 0; i < 3 && sizeof(void *) == 8; i++) {
    tree.capacity = small.capacity = grid.capacity = kdtree.capacity = presort.capacity =
        octree.capacity = obstacle.capacity = crowd.capacity = CAPACITIES[i];
    const uint64_t bytes[] = {copse_agenttree_bytes(&tree),    copse_agenttree_bytes(&small),
                              copse_grid_bytes(&grid),         copse_kdtree_bytes(&kdtree),
                              copse_kdtree_bytes(&presort),    copse_octree_bytes(&octree),
                              copse_obstacle_bytes(&obstacle), copse_crowd_bytes(&crowd)};
    for (int kind = 0; kind < 8; kind++) {
      if (bytes[kind] != BYTES[kind][i])
        printf("bytes of kind %d at %u: %llu\n", kind, CAPACITIES[i],
               (unsigned long long)bytes[kind]);
      CHECK(bytes[kind] == BYTES[kind][i]);
    }
  }
}

const unit_test WORK_TESTS[] = {
    EVERY(test_queries_and_batches_do_as_much_as_measured),
    TEST(test_objects_take_as_much_memory_as_measured),
    {NULL, NULL, false},
};
