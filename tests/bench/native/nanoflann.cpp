// nanoflann, a header-only k-d tree in C++. See common.h.

#include "common.h"
#include <cmath>
#include <memory>
#include <nanoflann.hpp>
#include <utility>
#include <vector>

static bench b;

enum { LEAF_SIZE = 16 }; // measured best; its own default is 10

// The points of an index. The stride is a constant.
template <int D> struct cloud {
  const float *coordinates;
  size_t n;
  size_t kdtree_get_point_count() const { return n; }
  float kdtree_get_pt(size_t i, size_t axis) const { return coordinates[i * D + axis]; }
  template <class Box> bool kdtree_get_bbox(Box &) const { return false; }
};

// nanoflann finds points below a limit, copse up to and including a radius.
static float limit_of(float radius) { return std::nextafter(radius * radius, INFINITY); }

template <int D> struct work {
  using points = cloud<D>;
  using tree =
      nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, points, float>,
                                          points, D, uint32_t>;
  static inline points agents;
  static inline std::unique_ptr<tree> index;
  static inline std::vector<std::pair<uint32_t, float>> results;
  static inline std::vector<uint32_t> ids;
  static inline std::vector<float> distances2;
  static inline uint32_t hash;
  static inline uint64_t total;

  static void build() { index->buildIndex(); }

  template <bool hashed> static void every_within() {
    const nanoflann::SearchParams unsorted(32, 0, false);
    const float limit = limit_of(b.radius);
    for (uint32_t i = 0; i < b.n; i++) {
      total += index->radiusSearch(b.positions + i * D, limit, results, unsorted);
      if (!hashed) continue;
      for (const auto &[id, distance2] : results)
        if (id != i) hash += bench_mix(i, id);
    }
  }

  // One more than k: an agent finds itself. The last distance starts as the limit.
  template <bool hashed> static void every_neighbors() {
    const float limit = limit_of(b.maxDistance);
    for (uint32_t i = 0; i < b.n; i++) {
      nanoflann::KNNResultSet<float, uint32_t> nearest(b.k + 1);
      nearest.init(ids.data(), distances2.data());
      if (std::isfinite(limit)) distances2[b.k] = limit;
      index->findNeighbors(nearest, b.positions + i * D, nanoflann::SearchParams());
      total += nearest.size();
      if (!hashed) continue;
      for (uint32_t rank = 1; rank < nearest.size(); rank++)
        hash += bench_mix_distance(i, distances2[rank], rank - 1);
    }
  }

  // Queries from points that are not agents.
  template <bool hashed> static void ask() {
    for (uint32_t i = 0; i < b.pointFloats / D; i++) {
      nanoflann::KNNResultSet<float, uint32_t> nearest(b.k);
      nearest.init(ids.data(), distances2.data());
      index->findNeighbors(nearest, b.points + (size_t)i * D, nanoflann::SearchParams());
      total += nearest.size();
      if (!hashed) continue;
      for (uint32_t rank = 0; rank < nearest.size(); rank++)
        hash += bench_mix_distance(i, distances2[rank], rank);
    }
  }

  static void frame() {
    build();
    every_within<false>();
  }
  static void neighbors() {
    build();
    every_neighbors<false>();
  }

  static void run() {
    const bool builds = !strncmp(b.work, "build", 5), single = !strncmp(b.work, "nearest", 7);
    const bool neighborsOfAll = !strncmp(b.work, "neighbors", 9);
    b.still = single;
    ids.resize(b.k + 1);
    distances2.resize(b.k + 1);
    bench_place(&b, 0);
    agents = {b.positions, b.n};
    index = std::make_unique<tree>(D, agents, nanoflann::KDTreeSingleIndexAdaptorParams(LEAF_SIZE));
    build();
    if (single || !strcmp(b.work, "buildStill"))
      ask<true>();
    else if (neighborsOfAll)
      every_neighbors<true>();
    else
      every_within<true>();
    printf("{\"hash\": %u}\n", hash);
    bench_take_turns(&b, nullptr,
                     builds           ? build
                     : single         ? ask<false>
                     : neighborsOfAll ? neighbors
                                      : frame);
    fprintf(stderr, total ? "" : "nothing was found\n"); /* so that no search is optimized away */
  }
};

int main(int argc, char **argv) {
  b = bench_read(argc, argv);
  if (b.dimensions == 2)
    work<2>::run();
  else
    work<3>::run();
}
