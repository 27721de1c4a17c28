/* Collision avoidance in 3D: the half-spaces of neighbors, and the linear program. */

#include "orca.h"

#include <math.h>

/* ---- Vectors ---- */

typedef struct vec3 {
  float x, y, z;
} vec3;

ALWAYS_INLINE vec3 vec3_of(const float *v) { return (vec3){v[0], v[1], v[2]}; }
ALWAYS_INLINE vec3 vec3_sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
ALWAYS_INLINE vec3 vec3_mul(vec3 a, float by) { return (vec3){a.x * by, a.y * by, a.z * by}; }
/* Returns a + b * by. */
ALWAYS_INLINE vec3 vec3_along(vec3 a, vec3 b, float by) {
  return (vec3){a.x + b.x * by, a.y + b.y * by, a.z + b.z * by};
}
ALWAYS_INLINE float vec3_dot(vec3 a, vec3 b) { return (a.x * b.x + a.y * b.y) + a.z * b.z; }
ALWAYS_INLINE float vec3_length2(vec3 a) { return vec3_dot(a, a); }
ALWAYS_INLINE vec3 vec3_cross(vec3 a, vec3 b) {
  return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static vec3 vec3_unit(vec3 a) {
  const float length2 = vec3_length2(a);
  return length2 > 0 ? vec3_mul(a, 1 / sqrtf(length2)) : (vec3){1, 0, 0};
}

static vec3 point_of(const orca3 *planes, uint32_t i) {
  return (vec3){planes->point[0][i], planes->point[1][i], planes->point[2][i]};
}
static vec3 normal_of(const orca3 *planes, uint32_t i) {
  return (vec3){planes->normal[0][i], planes->normal[1][i], planes->normal[2][i]};
}
ALWAYS_INLINE void end_planes(orca3 *planes, uint32_t end) {
  for (int axis = 0; axis < 3; axis++) {
    float4_past_end(planes->point[axis] + end);
    float4_past_end(planes->normal[axis] + end);
  }
}
static void set_plane(orca3 *planes, uint32_t i, vec3 point, vec3 normal) {
  planes->point[0][i] = point.x;
  planes->point[1][i] = point.y;
  planes->point[2][i] = point.z;
  planes->normal[0][i] = normal.x;
  planes->normal[1][i] = normal.y;
  planes->normal[2][i] = normal.z;
  end_planes(planes, i + 1);
}

/* ---- Neighbors ---- */

typedef struct vec3x4 {
  float4 x, y, z;
} vec3x4;

ALWAYS_INLINE float4 vec3x4_dot(vec3x4 a, vec3x4 b) {
  return float4_add(float4_add(float4_mul(a.x, b.x), float4_mul(a.y, b.y)), float4_mul(a.z, b.z));
}
ALWAYS_INLINE vec3x4 vec3x4_mul(vec3x4 a, float4 by) {
  return (vec3x4){float4_mul(a.x, by), float4_mul(a.y, by), float4_mul(a.z, by)};
}
/* Returns a - b * by. */
ALWAYS_INLINE vec3x4 vec3x4_less(vec3x4 a, vec3x4 b, float4 by) {
  return (vec3x4){float4_sub(a.x, float4_mul(b.x, by)), float4_sub(a.y, float4_mul(b.y, by)),
                  float4_sub(a.z, float4_mul(b.z, by))};
}
ALWAYS_INLINE vec3x4 vec3x4_select(word4 mask, vec3x4 a, vec3x4 b) {
  return (vec3x4){float4_select(mask, a.x, b.x), float4_select(mask, a.y, b.y),
                  float4_select(mask, a.z, b.z)};
}
ALWAYS_INLINE float4 vec3x4_cross_length2(vec3x4 a, vec3x4 b) {
  const vec3x4 cross = {float4_sub(float4_mul(a.y, b.z), float4_mul(a.z, b.y)),
                        float4_sub(float4_mul(a.z, b.x), float4_mul(a.x, b.z)),
                        float4_sub(float4_mul(a.x, b.y), float4_mul(a.y, b.x))};
  return vec3x4_dot(cross, cross);
}

/* A vector with a squared length below this is too short to have a direction. */
#define NO_LENGTH2 1e-37f

/* Replaces each of four unit vectors whose bit is set in `parting`: another vector was too short to
 * compute that unit vector. The new one is a direction away from the neighbor, from
 * orca_parting. */
static void part(const orca_agent *agent, const uint32_t *ids, uint32_t parting, vec3x4 *unit) {
  float x[4], y[4], z[4];
  float4_store(x, unit->x);
  float4_store(y, unit->y);
  float4_store(z, unit->z);
  for (int lane = 0; lane < 4; lane++) {
    if (!(parting >> lane & 1)) continue;
    float direction[2];
    orca_parting(agent->slot, ids[lane], direction);
    x[lane] = direction[0];
    y[lane] = direction[1];
    z[lane] = 0;
  }
  *unit = (vec3x4){float4_load(x), float4_load(y), float4_load(z)};
}

typedef struct neighbors4 {
  vec3x4 toward;   /* vectors from the agent to the neighbors */
  vec3x4 relative; /* the agent's velocity minus the velocities of the neighbors */
  float4 radius;   /* the agent's radius plus the radii of the neighbors */
} neighbors4;

ALWAYS_INLINE neighbors4 neighbors4_of(const orca_agent *agent, const orca_body *bodies,
                                       const uint32_t *ids) {
  const orca_body *body[4] = {&bodies[ids[0]], &bodies[ids[1]], &bodies[ids[2]], &bodies[ids[3]]};
  const float radii[4] = {body[0]->radius, body[1]->radius, body[2]->radius, body[3]->radius};
  const float z[4] = {body[0]->z, body[1]->z, body[2]->z, body[3]->z};
  const float w[4] = {body[0]->velocityZ, body[1]->velocityZ, body[2]->velocityZ,
                      body[3]->velocityZ};
  const orca_body *own = &agent->body;
  /* Each load reads x and y of a position, then x and y of the velocity that is stored after it,
   * here called u and v. */
  const float4 a = float4_load(body[0]->position), b = float4_load(body[1]->position);
  const float4 c = float4_load(body[2]->position), d = float4_load(body[3]->position);
  /* Lanes of xyEven: x0, x2, y0, y2; xyOdd: x1, x3, y1, y3. */
  const float4 xyEven = float4_zip_low(a, c), xyOdd = float4_zip_low(b, d);
  const float4 uvEven = float4_zip_high(a, c), uvOdd = float4_zip_high(b, d);
  neighbors4 neighbors;
  neighbors.toward.x = float4_sub(float4_zip_low(xyEven, xyOdd), float4_all(own->position[0]));
  neighbors.toward.y = float4_sub(float4_zip_high(xyEven, xyOdd), float4_all(own->position[1]));
  neighbors.toward.z = float4_sub(float4_load(z), float4_all(own->z));
  neighbors.relative.x = float4_sub(float4_all(own->velocity[0]), float4_zip_low(uvEven, uvOdd));
  neighbors.relative.y = float4_sub(float4_all(own->velocity[1]), float4_zip_high(uvEven, uvOdd));
  neighbors.relative.z = float4_sub(float4_all(own->velocityZ), float4_load(w));
  neighbors.radius = float4_add(float4_all(own->radius), float4_load(radii));
  return neighbors;
}

/* Writes the half-spaces of four neighbors. Returns a mask: which neighbors touch the agent. */
ALWAYS_INLINE word4 add_four(orca3 *planes, uint32_t index, const orca_agent *agent,
                             const orca_body *bodies, const uint32_t *ids,
                             const orca_terms4 terms) {
  const neighbors4 neighbors = neighbors4_of(agent, bodies, ids);
  const vec3x4 toward = neighbors.toward, relative = neighbors.relative;
  const float4 zero = float4_all(0), one = float4_all(1), radius = neighbors.radius;
  const float4 distance2 = vec3x4_dot(toward, toward), radius2 = float4_mul(radius, radius);

  /* The velocity obstacle of a neighbor is a cone whose tip is cut off: it begins with a round end.
   * The longer the time horizon, the nearer the round end is to the tip. For neighbors that touch
   * the agent, the horizon is one time step. */
  const word4 touching = float4_le(distance2, radius2);
  const float4 inverse =
      float4_select(touching, float4_all(agent->inverseStep), terms.inverseHorizon);
  const vec3x4 away = vec3x4_less(relative, toward, inverse);
  const float4 away2 = vec3x4_dot(away, away), ahead = vec3x4_dot(away, toward);
  const word4 inFront = word4_and(float4_lt(ahead, zero),
                                  float4_lt(float4_mul(radius2, away2), float4_mul(ahead, ahead)));
  const word4 round = word4_or(touching, inFront);

  /* The velocity obstacle is a union of spheres: one for each s >= `inverse`, with the center
   * `toward` * s and the radius `radius` * s. The point of its border nearest to the relative
   * velocity is on one of these spheres: `time` is the s of this sphere. On the round end, s is
   * `inverse`. On the cone's side, s is `when`. */
  const float4 along = vec3x4_dot(toward, relative);
  const float4 across2 = vec3x4_cross_length2(toward, relative);
  const float4 rest = float4_sub(vec3x4_dot(relative, relative),
                                 float4_div(across2, float4_sub(distance2, radius2)));
  const float4 root2 = float4_sub(float4_mul(along, along), float4_mul(distance2, rest));
  const float4 when =
      float4_div(float4_add(along, float4_sqrt(float4_max(root2, zero))), distance2);
  const float4 time = float4_select(round, inverse, when);

  const vec3x4 out = vec3x4_select(round, away, vec3x4_less(relative, toward, when));
  const float4 out2 = vec3x4_dot(out, out), length = float4_sqrt(out2);
  vec3x4 unit = vec3x4_mul(out, float4_div(one, length));
  const uint32_t parting = word4_bits(float4_lt(out2, float4_all(NO_LENGTH2)));
  if (parting) part(agent, ids, parting, &unit);
  const float4 whole = float4_sub(float4_mul(radius, time), length);
  const float4 share = float4_select(float4_lt(zero, whole), terms.avoiding, terms.room);
  const float4 change = float4_mul(share, whole);
  const orca_body *own = &agent->body;
  float4_store(planes->point[0] + index,
               float4_add(float4_all(own->velocity[0]), float4_mul(unit.x, change)));
  float4_store(planes->point[1] + index,
               float4_add(float4_all(own->velocity[1]), float4_mul(unit.y, change)));
  float4_store(planes->point[2] + index,
               float4_add(float4_all(own->velocityZ), float4_mul(unit.z, change)));
  float4_store(planes->normal[0] + index, unit.x);
  float4_store(planes->normal[1] + index, unit.y);
  float4_store(planes->normal[2] + index, unit.z);
  return touching;
}

bool orca3_add_neighbors(orca3 *planes, const orca_agent *agent, const orca_body *bodies,
                         const uint32_t *ids, const orca_terms *terms, uint32_t count) {
  word4 touching = word4_all(0);
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4)
    touching = word4_or(touching, add_four(planes, planes->count + i, agent, bodies, ids + i,
                                           orca_terms4_of(terms, agent, i)));
  if (i < count) {
    uint32_t last[4];
    for (uint32_t lane = 0; lane < 4; lane++)
      last[lane] = ids[i + lane < count ? i + lane : count - 1];
    touching = word4_or(touching, add_four(planes, planes->count + i, agent, bodies, last,
                                           orca_terms4_of(terms, agent, i)));
  }
  planes->count += count;
  end_planes(planes, planes->count);
  return word4_bits(touching);
}

void orca3_relate(orca3 *planes, const float *velocity) {
  for (uint32_t i = 0; i < planes->count; i++)
    EACH_AXIS (axis, 3) planes->point[axis][i] -= velocity[axis];
}

/* ---- The linear program ------------------------------------------------------------------- */

typedef struct line3 {
  vec3 point, direction;
} line3;

/* Says which velocity is best, of those up to maxSpeed: the one nearest to `sought` or, if
 * isDirection, the one farthest in the direction `sought`. */
typedef struct orca3_aim {
  vec3 sought;
  float maxSpeed;
  bool isDirection;
} orca3_aim;

/* Two directions count as parallel if the squared sine of their angle is at most this. */
static const float PARALLEL2 = ORCA_EPSILON * ORCA_EPSILON;

/* True if two unit normals have the same direction, so that their planes are parallel. The solvers
 * then ignore the earlier plane. The later one is stricter: it forbids a velocity that all earlier
 * planes permit. */
static bool is_alike(vec3 normal, vec3 other) {
  return vec3_length2(vec3_cross(normal, other)) <= PARALLEL2 && vec3_dot(normal, other) > 0;
}

/* Returns the projection of vector a onto the plane through 0 that has a given normal. */
static vec3 part_within(vec3 a, vec3 normal) { return vec3_along(a, normal, -vec3_dot(a, normal)); }

/* Returns the unit vector of `part`, a projection onto a plane. Projects `part` again, because if
 * it is short, rounding may have left it pointing slightly out of the plane. Rounding may also have
 * rotated it within the plane, which does no harm. */
static vec3 direction_within(vec3 part, vec3 normal) {
  return vec3_unit(part_within(part, normal));
}

/* Finds the best velocity on `line`, in which the planes `index` and `count` intersect. Considers
 * only velocities that planes 0 … count - 1 permit. False if there are none. */
static bool solve_on_line(const orca3 *planes, uint32_t index, uint32_t count, line3 line,
                          const orca3_aim *aim, vec3 *result) {
  const float middle = vec3_dot(line.point, line.direction);
  const float reach2 = middle * middle + aim->maxSpeed * aim->maxSpeed - vec3_length2(line.point);
  if (reach2 < 0) return false;
  const float reach = sqrtf(reach2);
  const float rounding = ORCA_EPSILON * aim->maxSpeed;
  float low = -middle - reach, high = -middle + reach;
  for (uint32_t i = 0; i < count; i++) {
    const vec3 normal = normal_of(planes, i);
    WORKED(1);
    const float toward = vec3_dot(vec3_sub(point_of(planes, i), line.point), normal);
    const float across = vec3_dot(line.direction, normal);
    if (across * across <= PARALLEL2) {
      if (toward > rounding && !is_alike(normal, normal_of(planes, index)) &&
          !is_alike(normal, normal_of(planes, count)))
        return false;
      continue;
    }
    const float meeting = toward / across;
    if (across >= 0)
      low = meeting > low ? meeting : low;
    else
      high = meeting < high ? meeting : high;
    /* If `low` exceeds `high` only by rounding, a single point is permitted. */
    if (low > high + rounding) return false;
  }
  float best;
  if (aim->isDirection)
    best = vec3_dot(aim->sought, line.direction) > 0 ? high : low;
  else {
    const float nearest = vec3_dot(line.direction, vec3_sub(aim->sought, line.point));
    best = nearest < low ? low : nearest > high ? high : nearest;
  }
  *result = vec3_along(line.point, line.direction, best);
  return true;
}

/* Finds the best velocity on plane `index` that planes 0 … index - 1 permit. False if there is
 * none. */
static bool solve_on_plane(const orca3 *planes, uint32_t index, const orca3_aim *aim,
                           vec3 *result) {
  const vec3 point = point_of(planes, index), normal = normal_of(planes, index);
  const float distance = vec3_dot(point, normal), speed2 = aim->maxSpeed * aim->maxSpeed;
  if (distance * distance > speed2) return false;
  const float radius2 = speed2 - distance * distance;
  const vec3 center = vec3_mul(normal, distance);
  if (aim->isDirection) {
    const vec3 part = part_within(aim->sought, normal);
    *result = center;
    if (vec3_length2(part) > PARALLEL2)
      *result = vec3_along(center, direction_within(part, normal), sqrtf(radius2));
  } else {
    const float out = vec3_dot(vec3_sub(point, aim->sought), normal);
    *result = vec3_along(aim->sought, normal, out);
    if (vec3_length2(*result) > speed2) {
      const vec3 flat = vec3_sub(*result, center);
      *result = vec3_along(center, flat, sqrtf(radius2 / vec3_length2(flat)));
    }
  }
  for (uint32_t i = 0; i < index; i++) {
    const vec3 other = normal_of(planes, i), otherPoint = point_of(planes, i);
    if (!(vec3_dot(other, vec3_sub(otherPoint, *result)) > 0)) continue;
    if (is_alike(normal, other)) continue;
    const vec3 part = part_within(other, normal);
    /* If the two planes are parallel, no velocity satisfies both. */
    if (vec3_length2(part) <= PARALLEL2) return false;
    const vec3 toward = direction_within(part, normal);
    const float away = vec3_dot(vec3_sub(otherPoint, point), other) / vec3_dot(toward, other);
    const line3 line = {vec3_along(point, toward, away), vec3_cross(toward, normal)};
    if (!solve_on_line(planes, index, i, line, aim, result)) return false;
  }
  return true;
}

/* Returns the index of the first plane, from `first` on, that a velocity violates by more than
 * `threshold`; the count if there is none. */
ALWAYS_INLINE uint32_t first_violated(const orca3 *planes, uint32_t first, vec3 velocity,
                                      float threshold) {
  for (uint32_t i = first & ~3u; i < planes->count; i += 4) {
    const vec3x4 between = {float4_sub(float4_load(planes->point[0] + i), float4_all(velocity.x)),
                            float4_sub(float4_load(planes->point[1] + i), float4_all(velocity.y)),
                            float4_sub(float4_load(planes->point[2] + i), float4_all(velocity.z))};
    const vec3x4 normal = {float4_load(planes->normal[0] + i), float4_load(planes->normal[1] + i),
                           float4_load(planes->normal[2] + i)};
    uint32_t bits = word4_bits(float4_lt(float4_all(threshold), vec3x4_dot(normal, between)));
    if (i < first) bits &= 15u << (first - i);
    if (!bits) continue;
    const uint32_t violated = i + bits_lowest(bits);
    return violated < planes->count ? violated : planes->count;
  }
  return planes->count;
}

uint32_t orca3_violated(const orca3 *planes, const float *velocity) {
  return first_violated(planes, 0, vec3_of(velocity), 0);
}

/* Finds the best velocity that all planes permit, and returns the number of planes. If they permit
 * none, returns the index of the first plane that can't be satisfied together with all planes
 * before it. The result is then the best velocity for these earlier planes. */
static uint32_t solve_planes(const orca3 *planes, const orca3_aim *aim, vec3 *result) {
  const float speed2 = vec3_length2(aim->sought);
  if (aim->isDirection)
    *result = vec3_mul(aim->sought, aim->maxSpeed);
  else if (speed2 > aim->maxSpeed * aim->maxSpeed)
    *result = vec3_mul(aim->sought, aim->maxSpeed / sqrtf(speed2));
  else
    *result = aim->sought;
  for (uint32_t i = 0; (i = first_violated(planes, i, *result, 0)) < planes->count; i++) {
    const vec3 before = *result;
    if (solve_on_plane(planes, i, aim, result)) continue;
    *result = before;
    return i;
  }
  return planes->count;
}

/* Finds the velocity whose worst violation of a plane is least. Called if all planes together
 * permit no velocity. `first` is the plane at which solve_planes failed. */
OUT_OF_LINE void solve_violated(const orca3 *planes, uint32_t first, float maxSpeed, vec3 *result) {
  orca3 bisectors;
  float worst = 0;
  for (uint32_t i = first; (i = first_violated(planes, i, *result, worst)) < planes->count; i++) {
    const vec3 point = point_of(planes, i), normal = normal_of(planes, i);
    bisectors.count = 0;
    for (uint32_t j = 0; j < i; j++) {
      const vec3 otherNormal = normal_of(planes, j);
      const vec3 between = vec3_sub(otherNormal, normal);
      const float length2 = vec3_length2(between);
      if (length2 <= PARALLEL2) continue; /* parallel with the same direction: no bisector */
      /* Stores the bisector's point nearest to 0: a distant point would lose precision in every
       * later step. */
      const float apart = vec3_dot(otherNormal, point_of(planes, j)) - vec3_dot(normal, point);
      set_plane(&bisectors, bisectors.count++, vec3_mul(between, apart / length2),
                vec3_unit(between));
    }
    const vec3 before = *result;
    const orca3_aim out = {normal, maxSpeed, true};
    if (solve_planes(&bisectors, &out, result) < bisectors.count)
      *result = before; /* solve_planes failed only by rounding: `before` satisfies all bisectors */
    worst = vec3_dot(normal, vec3_sub(point, *result));
  }
}

bool orca3_solve(const orca3 *planes, const float *preferred, float maxSpeed, float *velocity) {
  vec3 best;
  const orca3_aim aim = {vec3_of(preferred), maxSpeed, false};
  const uint32_t failed = solve_planes(planes, &aim, &best);
  if (failed < planes->count) solve_violated(planes, failed, maxSpeed, &best);
  velocity[0] = best.x;
  velocity[1] = best.y;
  velocity[2] = best.z;
  return failed == planes->count;
}
