#include "ray.h"

#include "query.h"

static const copse_hit NOBODY = {COPSE_NONE, 1};

static uint32_t cast(const ray_query *asked, const float *from, const float *to, copse_hit *hit) {
  const copse_query query = query_or_default(asked->query);
  const scan_ray ray = asked->agents->dimensions == 3
                           ? scan_ray_from(from, to, asked->radius, asked->radii, 3)
                           : scan_ray_from(from, to, asked->radius, asked->radii, 2);
  *hit = NOBODY;
  return asked->cast(asked->index, &ray, &query, hit);
}

copse_status ray_one(const ray_query *asked, const float *from, const float *to, copse_hit *hit,
                     uint32_t *visits) {
  const int dim = (int)asked->agents->dimensions;
  *hit = NOBODY;
  if (!query_point_ok(from, dim) || !query_point_ok(to, dim) || !query_radius_ok(asked->radius))
    return COPSE_INVALID_ARGUMENT;
  const uint32_t visited = cast(asked, from, to, hit);
  if (visits) *visits = visited;
  return COPSE_OK;
}

copse_status ray_many(const ray_query *asked, const float *segments, uint32_t n, uint32_t *ids,
                      float *fractions) {
  const size_t dim = asked->agents->dimensions;
  if (!query_radius_ok(asked->radius)) return COPSE_INVALID_ARGUMENT;
  for (size_t end = 0; end < 2 * (size_t)n; end++)
    if (!query_point_ok(segments + end * dim, (int)dim)) return COPSE_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < n; i++) {
    const float *from = segments + 2 * dim * i;
    copse_hit hit;
    cast(asked, from, from + dim, &hit);
    ids[i] = hit.id;
    fractions[i] = hit.fraction;
  }
  return COPSE_OK;
}
