#ifndef BRUTE_H
#define BRUTE_H

#include "../../c/copse.h"

/* Every query as a loop over all agents: indexes must find the same. `groups` may be NULL (all 1).
 * Agents that are not finite or have no group are skipped. Unsorted results come in slot order. */
typedef struct brute_points {
  copse_const_positions positions;
  const uint32_t *groups;
  uint32_t count;
  uint32_t dimensions;
  const float *wrap; /* see copse_grid_def; NULL: the world does not wrap */
} brute_points;

/* Returns the same arrays, read-only. */
static inline copse_const_positions readable(copse_positions positions) {
  return (copse_const_positions){{positions.axes[0], positions.axes[1], positions.axes[2]},
                                 positions.stride};
}

/* Returns the squared distance between two positions, both as given by the caller. */
float brute_distance2(const brute_points *agents, const float *a, const float *b);

copse_status brute_within(const brute_points *agents, const float *center, float radius,
                          const copse_query *query, copse_results *results);
copse_status brute_range(const brute_points *agents, const float *lo, const float *hi,
                         const copse_query *query, copse_results *results);
copse_status brute_frustum(const brute_points *agents, const float *planes, uint32_t count,
                           const copse_query *query, copse_results *results);
copse_status brute_neighbors(const brute_points *agents, const float *center, uint32_t k,
                             const copse_query *query, copse_results *results);
copse_status brute_cone(const brute_points *agents, const float *center, const float *direction,
                        float halfAngle, float radius, const copse_query *query,
                        copse_results *results);
/* Writes all hits, sorted; there must be room for all agents. */
copse_status brute_raycast_all(const brute_points *agents, const float *from, const float *to,
                               float radius, const float *radii, const copse_query *query,
                               copse_hits *hits);
copse_status brute_raycast(const brute_points *agents, const float *from, const float *to,
                           float radius, const float *radii, const copse_query *query,
                           copse_hit *hit);

#endif
