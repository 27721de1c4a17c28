/* copse's crowd compiled for this machine, to see what WebAssembly costs. See common.h and
 * crowds.js. The file of positions is a snapshot. The file of points holds walls: for each the
 * number of coordinates, then the coordinates. */

#define _POSIX_C_SOURCE 199309L
#include "../../../c/copse.h"
#include "common.h"

static const float TIME_STEP = 0.25f;
enum { STEPS = 16, WORDS_OF_AGENT_2D = 16, WORDS_OF_AGENT_3D = 20 };

static bench b;
static size_t snapshotBytes;
static copse_crowd *crowd;
static copse_obstacle *walls;
static copse_points *tree;
static copse_neighbor_rows rows;

static void check(copse_status status) {
  if (status == COPSE_OK) return;
  fprintf(stderr, "%s\n", copse_status_text(status));
  exit(2);
}

static void restore(void) { check(copse_crowd_restore(crowd, b.base, snapshotBytes, NULL)); }

static void step(void) { check(copse_crowd_step(crowd, walls, TIME_STEP, NULL)); }

static void neighbors(void) {
  copse_query query = copse_query_default();
  query.maxDistance = b.maxDistance;
  const size_t bytes = (size_t)b.n * b.dimensions * sizeof(float);
  memcpy(copse_points_positions(tree).axes[0], copse_crowd_get(crowd).positions, bytes);
  check(copse_points_build(tree, NULL));
  check(copse_points_all_neighbors(tree, b.k, &query, NULL, &rows));
}

static void restore_if_due(void) {
  static uint32_t taken = STEPS - 1;
  if (++taken != STEPS) return;
  restore();
  taken = 0;
}

static void restore_and_step(void) {
  restore_if_due();
  step();
}

static uint32_t hash_rows(void) {
  uint32_t hash = 0;
  for (uint32_t row = 0; row < b.n; row++)
    for (uint32_t i = 0; i < rows.counts[row]; i++)
      hash += (row + 1) * (rows.ids[(size_t)row * b.k + i] + 1);
  return hash;
}

static void create(void) {
  copse_crowd_def def = copse_crowd_default();
  def.dimensions = b.dimensions;
  def.capacity = (uint32_t)(snapshotBytes / sizeof(float)) /
                 (b.dimensions == 2 ? WORDS_OF_AGENT_2D : WORDS_OF_AGENT_3D);
  check(copse_crowd_create(&def, &crowd));
  restore();
  b.n = copse_crowd_count(crowd);

  if (b.pointFloats) {
    copse_obstacle_def obstacles = copse_obstacle_default();
    obstacles.capacity = (uint32_t)b.pointFloats;
    check(copse_obstacle_create(&obstacles, &walls));
    uint32_t slot;
    for (size_t i = 0, count; i < b.pointFloats; i += 1 + count) {
      count = (size_t)b.points[i];
      check(copse_obstacle_add(walls, b.points + i + 1, (uint32_t)count / 2, COPSE_SOLID_WINDING,
                               &slot));
    }
    check(copse_obstacle_build(walls, NULL));
  }

  copse_agenttree_def agents = copse_agenttree_default();
  agents.dimensions = b.dimensions;
  agents.capacity = b.n;
  check(copse_agenttree_create(&agents, &tree));
  check(copse_points_set_slots(tree, b.n));
  const size_t bytes = (size_t)b.n * b.k * sizeof(uint32_t);
  rows.counts = allocate(b.n * sizeof(uint32_t));
  rows.ids = allocate(bytes);
  rows.distances2 = allocate(bytes);
}

int main(int argc, char **argv) {
  b = bench_read(argc, argv);
  b.still = true;
  snapshotBytes = b.baseFloats * sizeof(float);
  create();
  const bool asks = !strcmp(b.work, "crowdNeighbors");
  for (int i = 0; i < (asks ? 1 : STEPS); i++) step();
  if (asks) neighbors();
  printf("{\"hash\": %u}\n", asks ? hash_rows() : copse_crowd_hash(crowd));
  bench_take_turns(&b, asks ? restore_and_step : restore_if_due, asks ? neighbors : step);
  return 0;
}
