/* The work of queries, batches and builds of points, counted by WORKED in c/base/core.h, where the
 * scenes of determinism.c, whose work is recorded as well, don't reach. Results don't depend on it:
 * more work means slower, less means a bound that happens to be tighter for these inputs. Also the
 * memory that objects take. */

#include "../inputs.h"
#include "unit.h"

#include "../../../c/base/core.h"

enum { N = 520, K = 8, ASKED = 40, WORKS = 21 };

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
  CHECK(copse_points_set_slots(points, N) == COPSE_OK);
  for (uint32_t slot = 0; slot < N; slot++) {
    copse_points_groups(points)[slot] = slot % 7 == 3 ? 2 : 1;
    masks[slot] = slot % 5 ? COPSE_ALL_GROUPS : 2;
    radii[slot] = (float)(slot % 4) / 4;
  }
  return points;
}

static void ask(const copse_points *points, int work, const float *places, uint32_t dimensions) {
  copse_query query = copse_query_default();
  copse_results results = {ids, distances2, N, 0, 0};
  copse_hits hits = {ids, distances2, N, 0, 0};
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
    case 20:
      copse_points_raycast_all(points, center, places, 1, NULL, NULL, &hits);
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
    copse_points_neighbors_many(points, places, ASKED, 1, NULL, &neighbors);
    break;
  case 13:
    copse_points_neighbors_many(points, places, ASKED, K, NULL, &neighbors);
    break;
  case 14: /* the largest k that uses ranking, and one more */
  case 15:
    copse_points_all_neighbors(points, (uint32_t)work + 10, NULL, NULL, &neighbors);
    break;
  case 16: /* the nearest only */
    copse_points_all_neighbors(points, 1, NULL, NULL, &neighbors);
    break;
  case 17: /* a build after some agents moved and others lost their groups */
    for (uint32_t slot = 0; slot < N; slot += 5) copse_points_groups(points)[slot] = 0;
    for (uint32_t slot = 0; slot < N; slot += 3) copse_points_positions(points).axes[0][slot] += 1;
    copse_points_build(points, NULL);
    break;
  default:
    break;
  }
}

/* Builds with median splits: with leaves of one agent, and too large ones for insertion sort. */
static void build_otherwise(copse_points *points, uint32_t dimensions) {
  for (uint32_t leafSize = 1; leafSize < 300; leafSize += 149) {
    copse_agenttree_def def = copse_agenttree_default();
    copse_points *tree;
    def.dimensions = dimensions;
    def.capacity = N;
    def.leafSize = leafSize;
    def.axis = COPSE_AXIS_CYCLE;
    def.split = COPSE_SPLIT_MEDIAN;
    const copse_positions from = copse_points_positions(points);
    const copse_const_positions given = {{from.axes[0], from.axes[1], from.axes[2]}, from.stride};
    CHECK(copse_agenttree_create(&def, &tree) == COPSE_OK);
    CHECK(copse_points_build_from(tree, &given, NULL, NULL, N, NULL) == COPSE_OK);
    CHECK(copse_points_build_from(tree, &given, NULL, NULL, N / 2, NULL) == COPSE_OK);
    copse_points_destroy(tree);
  }
}

/* Queries with all agents on a line, where no area or volume hints at the distance of neighbors.
 * Then finds coincident agents, with radius 0. */
static void ask_on_a_line(copse_points *points, const float *places) {
  const copse_positions positions = copse_points_positions(points);
  for (uint32_t slot = 0; slot < N; slot++)
    for (uint32_t axis = 1; axis < copse_points_dimensions(points); axis++)
      positions.axes[axis][slot * positions.stride] = 3;
  CHECK(copse_points_build(points, NULL) == COPSE_OK);
  for (int work = 1; work <= 6; work++) ask(points, work, places, copse_points_dimensions(points));
  ask_all(points, 9, places);
  copse_rows rows = {offsets, counts, ids, N * N, 0, false};
  CHECK(copse_points_all_within(points, 0, NULL, NULL, &rows) == COPSE_OK);
}

static const uint64_t MEASURED[8][2][WORKS] = {
    {{5553,  1918, 1195, 2839,   6650,   676,   1936, 13693, 7029,  31449, 11525,
      16386, 1051, 2839, 135123, 194799, 11934, 4151, 66723, 56461, 3079},
     {7624,  1934, 2004, 7095,   6336,   900,   3773, 18644, 16664, 77771, 13379,
      18252, 1691, 7095, 290458, 275157, 31545, 5708, 72622, 81808, 476}},
    {{1966,  1752, 1552, 4883,   5895,   619,   1197, 24867, 17812, 47636, 8803,
      12869, 1389, 4883, 132591, 203276, 22632, 1710, 0,     76086, 2796},
     {2360,  5375,  15573, 49059,  30119,   1497,   8473, 61698, 74267,  650508, 21449,
      26177, 12160, 49059, 999108, 1016160, 316819, 1970, 0,     157239, 188}},
    {{1970,   26280, 48074, 56926,   26280,   21080,  20816, 359828, 346308, 734656, 208508,
      242568, 38758, 56926, 1179268, 1206671, 443913, 1710,  0,      400023, 5258},
     {2360,   31480, 59268, 65950,   31480,   26280,  26008, 429490, 415970, 842972, 278690,
      312750, 50209, 65950, 1256849, 1281312, 650679, 1970,  0,      619493, 528}},
    {{1954,   26320, 21320, 28633,  26320,  21120,  21160, 339690, 222436, 395475, 128895,
      162955, 16120, 28633, 671564, 487533, 362280, 1694,  0,      558842, 19167},
     {2344,   31520, 26520, 33557,  31520,  26320,  26360, 424580, 307328, 586371, 171860,
      205920, 21320, 33557, 952562, 647074, 471835, 1954,  0,      860078, 21160}},
    {{9568,  4363, 2375, 5206,   9928,   2110,  3320, 46923, 29722,  77534, 21139,
      30763, 1973, 5446, 184518, 215226, 43187, 7573, 0,     134667, 3809},
     {11458, 3633, 2992, 9309,   9504,   3248,   6456, 66669, 46623,  200838, 31752,
      42935, 2435, 9549, 497855, 367497, 105649, 9123, 0,     211978, 916}},
    {{17762, 4363, 2375, 5206,   9928,   2110,  3320,  46923, 29722,  77534, 21139,
      30763, 1973, 5446, 184518, 215226, 43187, 13607, 0,     142052, 3809},
     {19642, 3633, 2992, 9309,   9504,   3248,   6456,  66669, 46623,  200838, 31752,
      42935, 2435, 9549, 497855, 367497, 105649, 15160, 0,     220660, 916}},
    {{11050, 4363, 2375, 5206,   9928,   2110,  3320, 46923, 29722,  77534, 21139,
      30763, 1973, 5446, 184518, 215226, 43187, 8086, 0,     137194, 3809},
     {16510, 3633, 2992, 9309,   9504,   3248,   6456,  66669, 46623,  200838, 31752,
      42935, 2435, 9549, 497855, 367497, 105649, 12064, 0,     220084, 916}},
    {{1950,  2814, 1555, 5914,   13652,  1072,  0,    36663, 22034,  74864, 18143,
      22521, 1400, 5914, 259984, 292634, 25331, 2158, 0,     152824, 0},
     {2340,  3158, 5340,  31646,  21482,  1220,  0,    52118, 37789,  336652, 29633,
      33219, 4312, 31646, 819916, 840266, 72949, 2652, 0,     433142, 0}}};

static void do_recorded_work(int row) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    static const float PLANE[] = {0, 0, 20, 20}, SPACE[] = {0, 0, 0, 20, 20, 20};
    tested.wrap = row < 7 ? NULL : dimensions == 3 ? SPACE : PLANE;
    copse_points *points = index_of(dimensions);
    tested.wrap = NULL;
    float places[3 * ASKED];
    uint32_t state = 9;
    for (int i = 0; i < 3 * ASKED; i++)
      places[i] = 20 * (float)(random_word(&state) >> 8) / 16777216;
    for (int work = 0; work < WORKS; work++) {
      copse_work = 0;
      if (work == 0) CHECK(copse_points_build(points, NULL) == COPSE_OK);
      ask(points, work, places, dimensions);
      ask_all(points, work, places);
      if (work == 18 && row == 0) build_otherwise(points, dimensions);
      if (work == 19) ask_on_a_line(points, places);
      const uint64_t measured = MEASURED[row][dimensions - 2][work];
      if (copse_work != measured)
        printf("work %d of row %d in %uD: %llu, not %llu\n", work, row, dimensions,
               (unsigned long long)copse_work, (unsigned long long)measured);
      CHECK(copse_work == measured);
    }
    copse_points_destroy(points);
  }
}

static void test_queries_and_batches_do_the_recorded_work(void) {
  const bool isUsual = tested.noun == GRID && tested.cellSize == 1;
  do_recorded_work(tested.noun == AGENTTREE ? 0
                   : tested.noun == KDTREE  ? 4 + (int)tested.builder
                   : isUsual                ? 1
                                            : 2 + (tested.cellSize > 1));
  if (isUsual) do_recorded_work(7); /* in a world that wraps around, which has no rays */
}

static void test_objects_take_the_recorded_memory(void) {
  static const uint32_t CAPACITIES[] = {1, 1000, COPSE_MAX_CAPACITY};
  static const uint64_t BYTES[8][3] = {{816, 45200, 11978932832},   {944, 164768, 44056969856},
                                       {1024, 53008, 13992199024},  {608, 32608, 8623489504},
                                       {656, 56608, 15065940448},   {17744, 197616, 15623783328},
                                       {1128, 262584, 70303992232}, {2528, 303056, 80799074336}};
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

static void test_flow_fields_take_the_recorded_memory(void) {
  static const uint64_t BYTES[3] = {217768, 389704, 5697912};
  copse_flowfield_def def = copse_flowfield_default();
  for (int i = 0; i < 3 && sizeof(void *) == 8; i++) {
    def.bounds[2] = def.bounds[3] = (float)(i == 2 ? 512 : 100);
    def.capacity = i ? 4096 : 1;
    const size_t bytes = copse_flowfield_bytes(&def);
    if (bytes != BYTES[i]) printf("flow field %d: %zu bytes\n", i, bytes);
    CHECK(bytes == BYTES[i]);
  }
}

const unit_test WORK_TESTS[] = {
    EVERY(test_queries_and_batches_do_the_recorded_work),
    TEST(test_objects_take_the_recorded_memory),
    TEST(test_flow_fields_take_the_recorded_memory),
    {NULL, NULL, false},
};
