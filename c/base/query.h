/* Defaults of queries, checks of their arguments, and the order of their results. */
#ifndef COPSE_QUERY_H
#define COPSE_QUERY_H

#include "geom.h"

ALWAYS_INLINE copse_query query_or_default(const copse_query *query) {
  return query ? *query : copse_query_default();
}

ALWAYS_INLINE bool query_point_ok(const float *point, int dim) {
  bool ok = is_coordinate(point[0]) && is_coordinate(point[1]);
  return dim == 3 ? ok && is_coordinate(point[2]) : ok;
}
bool query_box_ok(const float *lo, const float *hi, int dim);
/* True if there is at least one plane, and all coefficients (four for each plane) are valid
 * coordinates: then plane_distance cannot overflow. */
bool query_planes_ok(const float *planes, uint32_t count);
ALWAYS_INLINE bool query_radius_ok(float radius) { return radius >= 0; }

/* Returns the query for segment i of a batch of rays. `filters` may be NULL. */
static inline copse_query query_of_segment(const copse_query *query,
                                           const copse_segment_filters *filters, uint32_t i) {
  copse_query one = *query;
  if (filters && filters->masks) one.mask &= filters->masks[i];
  if (filters && filters->excludes) one.exclude = filters->excludes[i];
  if (filters && filters->inflates) one.inflate = filters->inflates[i];
  return one;
}

/* Writes the unit vector of a direction. False if the direction's length is 0 or not finite. */
bool query_direction(const float *direction, int dim, float *unit);
/* Writes the cosine of a cone's half angle (in radians), with the same bits on every machine,
 * unlike cosf. If the angle is the float nearest to pi, writes a number less than -1 instead: every
 * direction then passes the cone test, in spite of rounding errors. False if the angle is outside
 * 0 … pi. */
bool query_half_angle(float halfAngle, float *cosine);

/* True if the caller supplied the arrays that the query needs: `ids` unless the capacity is 0, and
 * `distances2` if results are sorted by distance. `hasDistances` is true if the query computes
 * distances: if not, sorting by distance is refused. Sets results->total and results->visits to
 * 0. */
ALWAYS_INLINE bool query_results_ok(const copse_query *query, copse_results *results,
                                    bool hasDistances) {
  results->total = results->visits = 0;
  if (query->sort == COPSE_SORT_DISTANCE && !(hasDistances && results->distances2)) return false;
  return results->ids || results->capacity == 0;
}
/* Sorts the results that were written, in the order that the query asks for. */
void query_sort(const copse_query *query, copse_results *results);

/* Returns the results struct for a batch's next row. Its `ids` and `capacity` are the room that
 * earlier rows left in rows->ids. Before the first row, rows->total must be 0 and rows->truncated
 * false. */
copse_results query_row_begin(const copse_rows *rows);
/* Ends row i of a batch: the query found `count` ids. If they did not fit, this row and all later
 * ones are empty. */
void query_row_end(copse_rows *rows, uint32_t i, uint32_t count);

#endif
