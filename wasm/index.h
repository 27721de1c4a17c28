/* An index of any kind, and the calls that all kinds have. */
#ifndef COPSE_INDEX_H
#define COPSE_INDEX_H

#include "../c/copse.h"

/* One of them is not NULL. */
typedef struct index {
  copse_agenttree *tree;
  copse_grid *grid;
} index;

static inline void index_destroy(index at) {
  copse_agenttree_destroy(at.tree);
  copse_grid_destroy(at.grid);
}
static inline copse_status index_reserve(index at, uint32_t capacity) {
  return at.grid ? copse_grid_reserve(at.grid, capacity)
                 : copse_agenttree_reserve(at.tree, capacity);
}
static inline uint32_t index_dimensions(index at) {
  return at.grid ? copse_grid_dimensions(at.grid) : copse_agenttree_dimensions(at.tree);
}
static inline uint32_t index_count(index at) {
  return at.grid ? copse_grid_count(at.grid) : copse_agenttree_count(at.tree);
}
static inline copse_status index_set_count(index at, uint32_t count) {
  return at.grid ? copse_grid_set_count(at.grid, count) : copse_agenttree_set_count(at.tree, count);
}
static inline copse_positions index_positions(index at) {
  return at.grid ? copse_grid_positions(at.grid) : copse_agenttree_positions(at.tree);
}
static inline uint32_t *index_groups(index at) {
  return at.grid ? copse_grid_groups(at.grid) : copse_agenttree_groups(at.tree);
}
static inline copse_status index_build(index at, uint32_t *firstBad) {
  return at.grid ? copse_grid_build(at.grid, firstBad) : copse_agenttree_build(at.tree, firstBad);
}
static inline copse_status index_within(index at, const float *center, float radius,
                                        const copse_query *query, copse_results *results) {
  return at.grid ? copse_grid_within(at.grid, center, radius, query, results)
                 : copse_agenttree_within(at.tree, center, radius, query, results);
}
static inline copse_status index_range(index at, const float *lo, const float *hi,
                                       const copse_query *query, copse_results *results) {
  return at.grid ? copse_grid_range(at.grid, lo, hi, query, results)
                 : copse_agenttree_range(at.tree, lo, hi, query, results);
}
static inline copse_status index_cone(index at, const float *center, const float *direction,
                                      float halfAngle, float radius, const copse_query *query,
                                      copse_results *results) {
  return at.grid
             ? copse_grid_cone(at.grid, center, direction, halfAngle, radius, query, results)
             : copse_agenttree_cone(at.tree, center, direction, halfAngle, radius, query, results);
}
static inline copse_status index_neighbors(index at, const float *center, uint32_t k,
                                           const copse_query *query, copse_results *results) {
  return at.grid ? copse_grid_neighbors(at.grid, center, k, query, results)
                 : copse_agenttree_neighbors(at.tree, center, k, query, results);
}
static inline copse_status index_nearest(index at, const float *center, const copse_query *query,
                                         uint32_t *id, uint32_t *visits) {
  return at.grid ? copse_grid_nearest(at.grid, center, query, id, NULL, visits)
                 : copse_agenttree_nearest(at.tree, center, query, id, NULL, visits);
}
static inline copse_status index_count_within(index at, const float *center, float radius,
                                              const copse_query *query, uint32_t *total,
                                              uint32_t *visits) {
  return at.grid ? copse_grid_count_within(at.grid, center, radius, query, total, visits)
                 : copse_agenttree_count_within(at.tree, center, radius, query, total, visits);
}
static inline copse_status index_any_within(index at, const float *center, float radius,
                                            const copse_query *query, bool *any, uint32_t *visits) {
  return at.grid ? copse_grid_any_within(at.grid, center, radius, query, any, visits)
                 : copse_agenttree_any_within(at.tree, center, radius, query, any, visits);
}
static inline copse_status index_all_within(index at, float radius, const copse_query *query,
                                            const uint32_t *masks, copse_rows *rows) {
  return at.grid ? copse_grid_all_within(at.grid, radius, query, masks, rows)
                 : copse_agenttree_all_within(at.tree, radius, query, masks, rows);
}
static inline copse_status index_within_many(index at, const float *points, uint32_t n,
                                             float radius, const copse_query *query,
                                             copse_rows *rows) {
  return at.grid ? copse_grid_within_many(at.grid, points, n, radius, query, rows)
                 : copse_agenttree_within_many(at.tree, points, n, radius, query, rows);
}
static inline copse_status index_all_neighbors(index at, uint32_t k, const copse_query *query,
                                               const uint32_t *masks, copse_neighbor_rows *rows) {
  return at.grid ? copse_grid_all_neighbors(at.grid, k, query, masks, rows)
                 : copse_agenttree_all_neighbors(at.tree, k, query, masks, rows);
}
static inline copse_status index_nearest_many(index at, const float *points, uint32_t n, uint32_t k,
                                              const copse_query *query, copse_neighbor_rows *rows) {
  return at.grid ? copse_grid_nearest_many(at.grid, points, n, k, query, rows)
                 : copse_agenttree_nearest_many(at.tree, points, n, k, query, rows);
}
static inline copse_status index_pairs(index at, float distance, const float *radii,
                                       const copse_query *query, copse_results *results) {
  return at.grid ? copse_grid_pairs(at.grid, distance, radii, query, results)
                 : copse_agenttree_pairs(at.tree, distance, radii, query, results);
}
static inline copse_status index_raycast(index at, const float *from, const float *to, float radius,
                                         const float *radii, const copse_query *query,
                                         copse_hit *hit, uint32_t *visits) {
  return at.grid ? copse_grid_raycast(at.grid, from, to, radius, radii, query, hit, visits)
                 : copse_agenttree_raycast(at.tree, from, to, radius, radii, query, hit, visits);
}
static inline copse_status index_raycast_many(index at, const float *segments, uint32_t n,
                                              float radius, const float *radii,
                                              const copse_query *query, uint32_t *ids,
                                              float *fractions) {
  return at.grid
             ? copse_grid_raycast_many(at.grid, segments, n, radius, radii, query, ids, fractions)
             : copse_agenttree_raycast_many(at.tree, segments, n, radius, radii, query, ids,
                                            fractions);
}
static inline uint32_t index_order(index at, uint32_t *order, uint32_t capacity) {
  return at.grid ? copse_grid_order(at.grid, order, capacity)
                 : copse_agenttree_order(at.tree, order, capacity);
}
static inline bool index_validate(index at) {
  return at.grid ? copse_grid_validate(at.grid) : copse_agenttree_validate(at.tree);
}
static inline size_t index_cells(index at, float *out, size_t capacity) {
  return at.grid ? copse_grid_cells(at.grid, out, capacity)
                 : copse_agenttree_cells(at.tree, out, capacity);
}
static inline copse_status index_save(index at, void *bytes, size_t capacity, size_t *total,
                                      uint32_t *firstBad) {
  return at.grid ? copse_grid_save(at.grid, bytes, capacity, total, firstBad)
                 : copse_agenttree_save(at.tree, bytes, capacity, total, firstBad);
}
static inline copse_status index_restore(index at, const void *bytes, size_t size) {
  return at.grid ? copse_grid_restore(at.grid, bytes, size)
                 : copse_agenttree_restore(at.tree, bytes, size);
}

/* What JavaScript's Stats tell. */
typedef struct index_statistics {
  uint32_t agents, skipped, nodes, leaves, depth;
  size_t bytes;
} index_statistics;

static inline index_statistics index_stats(index at) {
  if (at.grid) {
    const copse_grid_statistics stats = copse_grid_stats(at.grid);
    return (index_statistics){stats.agents, stats.skipped, stats.entries, stats.used, 0,
                              stats.bytes};
  }
  const copse_agenttree_statistics stats = copse_agenttree_stats(at.tree);
  return (index_statistics){stats.agents, stats.skipped, stats.nodes,
                            stats.leaves, stats.depth,   stats.bytes};
}

#endif
