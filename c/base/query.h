/* What all queries share: defaults, checks of their arguments, and the order of their results. */
#ifndef COPSE_QUERY_H
#define COPSE_QUERY_H

#include "geom.h"

/* The caller's query, or the defaults. */
ALWAYS_INLINE copse_query query_or_default(const copse_query *query) {
  return query ? *query : copse_query_default();
}

ALWAYS_INLINE bool query_point_ok(const float *point, int dim) {
  bool ok = is_coordinate(point[0]) && is_coordinate(point[1]);
  return dim == 3 ? ok && is_coordinate(point[2]) : ok;
}
bool query_box_ok(const float *lo, const float *hi, int dim);
/* False for NaN and negative numbers. */
ALWAYS_INLINE bool query_radius_ok(float radius) { return radius >= 0; }

/* Writes the unit vector of a direction; false when it has none. */
bool query_direction(const float *direction, int dim, float *unit);
/* Writes the cosine of a cone's half angle, the same bits everywhere, unlike cosf; below -1 for pi
 * (rounded to float), so that no rounding leaves anyone out. False outside 0 … pi. */
bool query_half_angle(float halfAngle, float *cosine);

/* Whether the results have room for what the query's order needs; sets total and visits to 0. */
ALWAYS_INLINE bool query_results_ok(const copse_query *query, copse_results *results,
                                    bool hasDistances) {
  results->total = results->visits = 0;
  if (query->sort == COPSE_SORT_DISTANCE && !(hasDistances && results->distances2)) return false;
  return results->ids || results->capacity == 0;
}
/* Puts what was written into the query's order. */
void query_sort(const copse_query *query, copse_results *results);

#endif
