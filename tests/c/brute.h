#ifndef BRUTE_H
#define BRUTE_H

#include "../../c/copse.h"

/* Queries answered by a loop over all agents: what every index must agree with. groups may be NULL
 * (all 1). Agents without a group and those that are not finite are left out. Results come in slot
 * order unless sorted.
 */
typedef struct brute_points {
  copse_const_positions positions;
  const uint32_t *groups;
  uint32_t count;
  uint32_t dimensions;
} brute_points;

/* Buffers, as what is only read. */
static inline copse_const_positions readable(copse_positions of) {
  return (copse_const_positions){{of.axes[0], of.axes[1], of.axes[2]}, of.stride};
}

copse_status brute_within(const brute_points *agents, const float *center, float radius,
                          const copse_query *query, copse_results *results);
copse_status brute_range(const brute_points *agents, const float *lo, const float *hi,
                         const copse_query *query, copse_results *results);
copse_status brute_neighbors(const brute_points *agents, const float *center, uint32_t k,
                             const copse_query *query, copse_results *results);
copse_status brute_cone(const brute_points *agents, const float *center, const float *direction,
                        float halfAngle, float radius, const copse_query *query,
                        copse_results *results);
copse_status brute_raycast(const brute_points *agents, const float *from, const float *to,
                           float radius, const float *radii, const copse_query *query,
                           copse_hit *hit);

#endif
