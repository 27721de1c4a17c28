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
    copse_points_nearest_many(points, places, ASKED, 1, NULL, &neighbors);
    break;
  case 13:
    copse_points_nearest_many(points, places, ASKED, K, NULL, &neighbors);
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
    {{7978,  2359, 1526, 4414,   9994,   1634,  2259, 15417, 7851,  49812, 13350,
      18380, 1378, 4414, 183083, 196136, 16268, 8353, 96233, 75936, 3545},
     {10085, 2365, 2401, 9250,   9117,   1809,  4159,  22810,  19598,  103001, 14079,
      19423, 2081, 9250, 337265, 277459, 38379, 10780, 104454, 101342, 726}},
    {{2832,  1832, 1632, 4963,   5975,   699,   1412, 25387, 17812, 59847, 10628,
      14863, 1469, 4963, 177020, 203399, 25598, 6026, 0,     87255, 3432},
     {7548,  5495,  15693, 49179,   30239,   1617,   8718,  62218, 74267,  663289, 22149,
      27348, 12280, 49179, 1005403, 1016622, 321988, 11333, 0,     171952, 428}},
    {{4040,   26360, 48154, 57006,   26360,   21160,  21066, 361908, 347868, 735176, 210333,
      244562, 38838, 57006, 1179788, 1207191, 444433, 6603,  0,      405926, 5693},
     {7548,   31600, 59388, 66070,   31600,   26400,  26252, 432090, 418050, 843492, 279390,
      313921, 50329, 66070, 1257369, 1281832, 651199, 11333, 0,      630264, 768}},
    {{1957,   26400, 21400, 28713,  26400,  21200,  21397, 340210, 222436, 413719, 130720,
      164949, 16200, 28713, 715013, 487634, 365825, 5545,  0,      575372, 19602},
     {5467,   31640, 26640, 33677,  31640,  26440,  26604, 425100, 307328, 603944, 172560,
      207091, 21440, 33677, 988303, 647207, 476868, 10277, 0,      881209, 21400}},
    {{13688, 4443, 2630, 6846,   10656,  2679,  3845,  47474, 29753,  93859, 22995,
      32788, 2268, 7126, 229368, 216422, 46576, 13122, 0,     149796, 4368},
     {15514, 3753, 3297,  11089,  10218,  3974,   7037,  67220, 46654,  219015, 32483,
      44137, 2778, 11369, 535318, 369200, 109915, 15488, 0,     230697, 1220}},
    {{25768, 4443, 2630, 6846,   10656,  2679,  3845,  47474, 29753,  93859, 22995,
      32788, 2268, 7126, 229368, 216422, 46576, 21695, 0,     160638, 4368},
     {27643, 3753, 3297,  11089,  10218,  3974,   7037,  67220, 46654,  219015, 32483,
      44137, 2778, 11369, 535318, 369200, 109915, 24122, 0,     242185, 1220}},
    {{26007, 4443, 2630, 6846,   10656,  2679,  3845,  47474, 29753,  93859, 22995,
      32788, 2268, 7126, 229368, 216422, 46576, 21421, 0,     159674, 4368},
     {39612, 3753, 3297,  11089,  10218,  3974,   7037,  67220, 46654,  219015, 32483,
      44137, 2778, 11369, 535318, 369200, 109915, 32439, 0,     250265, 1220}},
    {{3795,  2974, 1715, 6074,   15184,  1277,  160,  37183, 22034,  80397, 20628,
      26839, 1560, 6074, 273916, 293900, 27562, 8123, 0,     167839, 160},
     {6467,  3398, 5580,  31886,  23564,  1510,  240,   52638, 37789,  338948, 30935,
      37201, 4552, 31886, 821996, 842346, 75081, 11091, 0,     450158, 240}}};

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
                                       {1128, 262584, 70303992232}, {2328, 274504, 73182218104}};
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
