/* copse compiled for this machine, to see what WebAssembly costs. See common.h. */

#define _POSIX_C_SOURCE 199309L
#include "../../../c/copse.h"
#include "common.h"

static bench b;
static copse_points *tree;
static copse_rows rows;
static copse_neighbor_rows neighbors;

static void check(copse_status status) {
  if (status == COPSE_OK) return;
  fprintf(stderr, "%s\n", copse_status_text(status));
  exit(2);
}

static void renew(void) {
  copse_agenttree_def def = copse_agenttree_default();
  def.dimensions = b.dimensions;
  def.capacity = b.n;
  copse_points_destroy(tree);
  check(copse_agenttree_create(&def, &tree));
  check(copse_points_set_slots(tree, b.n));
}

static void build(void) {
  const size_t bytes = (size_t)b.n * b.dimensions * sizeof(float);
  memcpy(copse_points_positions(tree).axes[0], b.positions, bytes);
  check(copse_points_build(tree, NULL));
}

static void frame(void) {
  build();
  check(copse_points_all_within(tree, b.radius, NULL, NULL, &rows));
}

static void nearest(void) {
  copse_query query = copse_query_default();
  query.maxDistance = b.maxDistance;
  build();
  check(copse_points_all_neighbors(tree, b.k, &query, NULL, &neighbors));
}

static uint32_t hash_rows(void) {
  uint32_t hash = 0;
  for (uint32_t row = 0; row < b.n; row++)
    for (uint32_t i = 0; i < rows.counts[row]; i++)
      hash += bench_mix(row, rows.ids[rows.offsets[row] + i]);
  return hash;
}

static uint32_t hash_neighbors(void) {
  uint32_t hash = 0;
  for (uint32_t row = 0; row < b.n; row++)
    for (uint32_t i = 0; i < neighbors.counts[row]; i++)
      hash += bench_mix_distance(row, neighbors.distances2[(size_t)row * b.k + i], i);
  return hash;
}

int main(int argc, char **argv) {
  b = bench_read(argc, argv);
  const size_t n = b.n;
  rows.offsets = allocate(n * 4);
  rows.counts = allocate(n * 4);
  rows.capacity = 16 * b.n;
  rows.ids = allocate(n * 16 * 4);
  neighbors.counts = allocate(n * 4);
  neighbors.ids = allocate(n * b.k * 4);
  neighbors.distances2 = allocate(n * b.k * 4);
  renew();

  /* The hash is of the first frame or, for `move`, of the second. */
  const bool moves = !strcmp(b.work, "move"), builds = !strcmp(b.work, "build");
  const bool asks = !strncmp(b.work, "neighbors", 9);
  bench_place(&b, moves ? 1 : 0);
  (asks ? nearest : frame)();
  printf("{\"hash\": %u}\n", asks ? hash_neighbors() : hash_rows());
  bench_take_turns(&b, builds ? renew : NULL, moves || builds ? build : asks ? nearest : frame);
  return 0;
}
