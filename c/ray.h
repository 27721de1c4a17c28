/* What rays through any index share: the checks, and many of them at once. */
#ifndef COPSE_RAY_H
#define COPSE_RAY_H

#include "agents.h"

/* Casts a ray into an index, from a hit that is nobody; answers with what it visited. */
typedef uint32_t ray_cast(const void *index, const scan_ray *ray, const copse_query *query,
                          copse_hit *hit);

/* A segment as an index with these agents is asked about it. */
typedef struct ray_query {
  const agents *agents;
  const void *index;
  ray_cast *cast;
  float radius;
  const float *radii; /* by slot, or NULL */
  const copse_query *query;
} ray_query;

copse_status ray_one(const ray_query *asked, const float *from, const float *to, copse_hit *hit,
                     uint32_t *visits);
copse_status ray_many(const ray_query *asked, const float *segments, uint32_t n, uint32_t *ids,
                      float *fractions);

#endif
