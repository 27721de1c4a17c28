/* Brute force: every query as a loop over all agents, in the plainest code. Indexes are tested
 * against it, so it shares only the checks of arguments with them. */

#include "brute.h"

#include "../../c/base/geom.h"
#include "../../c/base/query.h"

#include <math.h>
#include <stdlib.h>

/* Writes the agent's coordinates. False if the query must not find it. */
static bool visible(const brute_points *agents, uint32_t id, const copse_query *query,
                    float *position) {
  uint32_t groups = agents->groups ? agents->groups[id] : 1;
  if (!(groups & query->mask) || id == query->exclude) return false;
  for (uint32_t axis = 0; axis < agents->dimensions; axis++)
    position[axis] = agents->positions.axes[axis][(size_t)id * agents->positions.stride];
  return query_point_ok(position, (int)agents->dimensions);
}

/* Returns x moved into the world by the rule in copse.h. */
static float wrapped(float x, float min, float size) {
  const float turns = floorf((x - min) / size), moved = x - turns * size;
  if (moved < min || moved - min >= size) return min;
  return isnan(moved) ? min : moved;
}

float brute_distance2(const brute_points *agents, const float *a, const float *b) {
  float d[3] = {0};
  for (uint32_t axis = 0; axis < agents->dimensions; axis++) {
    d[axis] = a[axis] - b[axis];
    if (!agents->wrap) continue;
    const float min = agents->wrap[axis], size = agents->wrap[agents->dimensions + axis] - min;
    d[axis] = wrapped(a[axis], min, size) - wrapped(b[axis], min, size);
    if (d[axis] > size / 2)
      d[axis] = d[axis] - size;
    else if (d[axis] < -size / 2)
      d[axis] = d[axis] + size;
  }
  float sum = d[0] * d[0] + d[1] * d[1];
  return agents->dimensions == 2 ? sum : sum + d[2] * d[2];
}

static void append(copse_results *results, uint32_t id, float distance2) {
  if (results->total < results->capacity) {
    results->ids[results->total] = id;
    if (results->distances2) results->distances2[results->total] = distance2;
  }
  results->total++;
}

copse_status brute_within(const brute_points *agents, const float *center, float radius,
                          const copse_query *query, copse_results *results) {
  const copse_query resolved = query_or_default(query);
  if (!query_results_ok(&resolved, results, true) ||
      !query_point_ok(center, (int)agents->dimensions) || !query_radius_ok(radius))
    return COPSE_INVALID_ARGUMENT;
  for (uint32_t id = 0; id < agents->count; id++) {
    float position[3] = {0};
    if (!visible(agents, id, &resolved, position)) continue;
    float distance2 = brute_distance2(agents, position, center);
    if (distance2 <= radius * radius) append(results, id, distance2);
  }
  query_sort(&resolved, results);
  return COPSE_OK;
}

copse_status brute_range(const brute_points *agents, const float *lo, const float *hi,
                         const copse_query *query, copse_results *results) {
  const copse_query resolved = query_or_default(query);
  if (agents->wrap || !query_results_ok(&resolved, results, false) ||
      !query_box_ok(lo, hi, (int)agents->dimensions))
    return COPSE_INVALID_ARGUMENT;
  copse_results idsOnly = *results;
  idsOnly.distances2 = NULL;
  for (uint32_t id = 0; id < agents->count; id++) {
    float position[3] = {0};
    bool inside = visible(agents, id, &resolved, position);
    for (uint32_t axis = 0; inside && axis < agents->dimensions; axis++)
      inside = position[axis] >= lo[axis] && position[axis] <= hi[axis];
    if (inside) append(&idsOnly, id, 0);
  }
  results->total = idsOnly.total;
  query_sort(&resolved, &idsOnly);
  return COPSE_OK;
}

copse_status brute_frustum(const brute_points *agents, const float *planes, uint32_t count,
                           const copse_query *query, copse_results *results) {
  const copse_query resolved = query_or_default(query);
  if (agents->wrap || !query_results_ok(&resolved, results, false) || agents->dimensions != 3 ||
      !count)
    return COPSE_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < 4 * count; i++)
    if (!(fabsf(planes[i]) <= COPSE_MAX_COORDINATE)) return COPSE_INVALID_ARGUMENT;
  copse_results idsOnly = *results;
  idsOnly.distances2 = NULL;
  for (uint32_t id = 0; id < agents->count; id++) {
    float p[3] = {0};
    bool inside = visible(agents, id, &resolved, p);
    for (uint32_t i = 0; inside && i < count; i++) {
      const float *plane = planes + (size_t)i * 4;
      inside = p[0] * plane[0] + p[1] * plane[1] + p[2] * plane[2] + plane[3] >= 0;
    }
    if (inside) append(&idsOnly, id, 0);
  }
  results->total = idsOnly.total;
  query_sort(&resolved, &idsOnly);
  return COPSE_OK;
}

copse_status brute_neighbors(const brute_points *agents, const float *center, uint32_t k,
                             const copse_query *query, copse_results *results) {
  const copse_query resolved = query_or_default(query);
  if (k > agents->count) k = agents->count;
  if (!query_results_ok(&resolved, results, true) || (k && !results->distances2) ||
      k > results->capacity || !query_point_ok(center, (int)agents->dimensions) ||
      !query_radius_ok(resolved.maxDistance))
    return COPSE_INVALID_ARGUMENT;
  for (uint32_t id = 0; id < agents->count && k; id++) {
    float position[3] = {0};
    if (!visible(agents, id, &resolved, position)) continue;
    float distance2 = brute_distance2(agents, position, center);
    if (!(distance2 <= resolved.maxDistance * resolved.maxDistance)) continue;
    /* Ids ascend, so an agent belongs behind those at the same distance. */
    uint32_t place = results->total < k ? results->total++ : k;
    if (place == k && !(distance2 < results->distances2[--place])) continue;
    for (; place > 0 && results->distances2[place - 1] > distance2; place--) {
      results->distances2[place] = results->distances2[place - 1];
      results->ids[place] = results->ids[place - 1];
    }
    results->distances2[place] = distance2;
    results->ids[place] = id;
  }
  return COPSE_OK;
}

copse_status brute_cone(const brute_points *agents, const float *center, const float *direction,
                        float halfAngle, float radius, const copse_query *query,
                        copse_results *results) {
  const copse_query resolved = query_or_default(query);
  const uint32_t dim = agents->dimensions;
  float unit[3], cosine;
  if (agents->wrap || !query_results_ok(&resolved, results, true) ||
      !query_point_ok(center, (int)dim) || !query_radius_ok(radius) ||
      !query_direction(direction, (int)dim, unit) || !query_half_angle(halfAngle, &cosine))
    return COPSE_INVALID_ARGUMENT;
  for (uint32_t id = 0; id < agents->count; id++) {
    float position[3] = {0};
    if (!visible(agents, id, &resolved, position)) continue;
    float distance2 = brute_distance2(agents, position, center);
    float dot = (position[0] - center[0]) * unit[0] + (position[1] - center[1]) * unit[1];
    if (dim == 3) dot += (position[2] - center[2]) * unit[2];
    if (distance2 <= radius * radius && cosine * sqrtf(distance2) <= dot)
      append(results, id, distance2);
  }
  query_sort(&resolved, results);
  return COPSE_OK;
}

/* Returns the fraction at which the segment meets a circle or sphere, by the definition in copse.h;
 * 2 if it does not. */
static float ray_fraction(const float *from, const float *to, const float *center, float radius,
                          uint32_t dim) {
  double m[3] = {0}, e[3] = {0}, d[3] = {0};
  for (uint32_t axis = 0; axis < dim; axis++) {
    m[axis] = (double)center[axis] - (double)from[axis];
    e[axis] = (double)center[axis] - (double)to[axis];
    d[axis] = (double)to[axis] - (double)from[axis];
  }
#define DOT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + (a)[2] * (b)[2])
  const double c[3] = {m[1] * d[2] - m[2] * d[1], m[2] * d[0] - m[0] * d[2],
                       m[0] * d[1] - m[1] * d[0]};
  const double r2 = (double)radius * (double)radius, md = DOT(m, d), dd = DOT(d, d);
  if (DOT(m, m) <= r2) return 0;
  if (md <= 0) return 2;
  if (md < dd ? DOT(c, c) > dd * r2 : DOT(e, e) > r2) return 2;
  const double under = dd * r2 - DOT(c, c);
#undef DOT
  const double fraction = (md - sqrt(under < 0 ? 0 : under)) / dd;
  if (fraction < 0) return 0;
  return fraction > 1 ? 1 : (float)fraction;
}

copse_status brute_raycast_all(const brute_points *agents, const float *from, const float *to,
                               float radius, const float *radii, const copse_query *query,
                               copse_hits *hits) {
  const copse_query resolved = query_or_default(query);
  const int dim = (int)agents->dimensions;
  hits->total = 0;
  if (agents->wrap || !query_point_ok(from, dim) || !query_point_ok(to, dim) ||
      !query_radius_ok(radius) || !query_radius_ok(resolved.inflate))
    return COPSE_INVALID_ARGUMENT;
  for (uint32_t id = 0; id < agents->count; id++) {
    float position[3] = {0}, own = radii ? radii[id] : radius;
    if (!visible(agents, id, &resolved, position)) continue;
    if (!(own >= 0)) own = 0;
    if (own > radius) own = radius;
    own += resolved.inflate;
    const float fraction = ray_fraction(from, to, position, own, agents->dimensions);
    if (fraction > 1) continue;
    uint32_t place = hits->total++; /* ids ascend: behind all that are not later */
    for (; place && hits->fractions[place - 1] > fraction; place--) {
      hits->ids[place] = hits->ids[place - 1];
      hits->fractions[place] = hits->fractions[place - 1];
    }
    hits->ids[place] = id;
    hits->fractions[place] = fraction;
  }
  return COPSE_OK;
}

copse_status brute_raycast(const brute_points *agents, const float *from, const float *to,
                           float radius, const float *radii, const copse_query *query,
                           copse_hit *hit) {
  copse_hits all = {malloc((agents->count + 1) * sizeof *all.ids),
                    malloc((agents->count + 1) * sizeof *all.fractions), agents->count, 0, 0};
  const copse_status status = brute_raycast_all(agents, from, to, radius, radii, query, &all);
  *hit = all.total ? (copse_hit){all.ids[0], all.fractions[0]} : (copse_hit){COPSE_NONE, 1};
  free(all.ids);
  free(all.fractions);
  return status;
}
