/* Collision avoidance in the plane: the half-planes of walls and of neighbors, and the linear
 * program. */

#include "../base/scan.h"
#include "orca.h"

#include <math.h>

/* ---- Vectors ---- */

typedef struct vec2 {
  float x, y;
} vec2;

ALWAYS_INLINE vec2 vec2_of(const float *v) { return (vec2){v[0], v[1]}; }
ALWAYS_INLINE vec2 vec2_sub(vec2 a, vec2 b) { return (vec2){a.x - b.x, a.y - b.y}; }
ALWAYS_INLINE vec2 vec2_mul(vec2 a, float by) { return (vec2){a.x * by, a.y * by}; }
/* Returns a + b * by. */
ALWAYS_INLINE vec2 vec2_along(vec2 a, vec2 b, float by) {
  return (vec2){a.x + b.x * by, a.y + b.y * by};
}
ALWAYS_INLINE float vec2_dot(vec2 a, vec2 b) { return a.x * b.x + a.y * b.y; }
ALWAYS_INLINE float vec2_cross(vec2 a, vec2 b) { return a.x * b.y - a.y * b.x; }
ALWAYS_INLINE float vec2_length2(vec2 a) { return vec2_dot(a, a); }
ALWAYS_INLINE vec2 vec2_left(vec2 a) { return (vec2){-a.y, a.x}; }
/* Returns a vector scaled to length 1; (1, 0) if its length is 0. */
static vec2 vec2_unit(vec2 a) {
  float length2 = vec2_length2(a);
  if (length2 == INFINITY) { /* the squared length overflows: only with extreme values */
    a = vec2_mul(a, 0x1p-66f);
    length2 = vec2_length2(a);
  }
  return length2 > 0 ? vec2_mul(a, 1 / sqrtf(length2)) : (vec2){1, 0};
}

void orca_parting(uint32_t slot, uint32_t other, float *direction) {
  const uint32_t lower = slot < other ? slot : other, upper = slot < other ? other : slot;
  const uint32_t mixed = (lower * 0x9e3779b1u ^ upper * 0x85ebca6bu) * 0xc2b2ae35u;
  /* The direction is a point on the unit circle, computed without trigonometry from t, a hash of
   * the two slots in the range -1 to 1. For the higher of the two slots, the point is negated: so
   * the two agents get opposite directions. */
  const float t = (float)(mixed >> 22) * (1.0f / 512) - 1, scale = 1 / (1 + t * t);
  const float sign = slot == lower ? 1 : -1;
  direction[0] = sign * ((1 - t * t) * scale);
  direction[1] = sign * (2 * t * scale);
}

static vec2 point_of(const orca2 *lines, uint32_t i) { return (vec2){lines->x[i], lines->y[i]}; }
static vec2 direction_of(const orca2 *lines, uint32_t i) {
  return (vec2){lines->directionX[i], lines->directionY[i]};
}
ALWAYS_INLINE void end_lines(orca2 *lines, uint32_t end) {
  float4_past_end(lines->x + end);
  float4_past_end(lines->y + end);
  float4_past_end(lines->directionX + end);
  float4_past_end(lines->directionY + end);
}
static void set_line(orca2 *lines, uint32_t i, vec2 point, vec2 direction) {
  lines->x[i] = point.x;
  lines->y[i] = point.y;
  lines->directionX[i] = direction.x;
  lines->directionY[i] = direction.y;
  end_lines(lines, i + 1);
}

/* ---- Four vectors ---- */

typedef struct vec2x4 {
  float4 x, y;
} vec2x4;

ALWAYS_INLINE float4 vec2x4_dot(vec2x4 a, vec2x4 b) {
  return float4_add(float4_mul(a.x, b.x), float4_mul(a.y, b.y));
}
ALWAYS_INLINE float4 vec2x4_cross(vec2x4 a, vec2x4 b) {
  return float4_sub(float4_mul(a.x, b.y), float4_mul(a.y, b.x));
}
ALWAYS_INLINE vec2x4 vec2x4_mul(vec2x4 a, float4 by) {
  return (vec2x4){float4_mul(a.x, by), float4_mul(a.y, by)};
}
ALWAYS_INLINE vec2x4 vec2x4_select(word4 mask, vec2x4 a, vec2x4 b) {
  return (vec2x4){float4_select(mask, a.x, b.x), float4_select(mask, a.y, b.y)};
}

/* ---- Walls ---- */

bool orca2_covers(const orca2 *lines, const orca_agent *agent, const float *points,
                  uint32_t count) {
  const float inverse = agent->inverseHorizonOfWalls;
  const float4 reach = float4_all(inverse * agent->body.radius - ORCA_EPSILON);
  for (uint32_t i = 0; i < lines->walls; i += 4) {
    const vec2x4 direction = {float4_load(lines->directionX + i),
                              float4_load(lines->directionY + i)};
    const float4 x = float4_load(lines->x + i), y = float4_load(lines->y + i);
    uint32_t covering = scan_in_run(i, lines->walls);
    for (uint32_t j = 0; j < count && covering; j++) {
      const float *position = agent->body.position, *point = points + 2 * (size_t)j;
      const vec2x4 relative = {float4_sub(float4_all((point[0] - position[0]) * inverse), x),
                               float4_sub(float4_all((point[1] - position[1]) * inverse), y)};
      covering &= word4_bits(float4_le(reach, vec2x4_cross(relative, direction)));
    }
    if (covering) return true;
  }
  return false;
}

/* The tangents from the origin to a circle, as unit vectors. The origin must be outside it. */
typedef struct tangents {
  vec2 left, right;
} tangents;

static tangents tangents_to(vec2 center, float distance2, float radius) {
  const float leg = sqrtf(distance2 - radius * radius), inverse = 1 / distance2;
  const vec2 along = vec2_mul(center, leg), across = vec2_mul(vec2_left(center), radius);
  return (tangents){vec2_mul((vec2){along.x + across.x, along.y + across.y}, inverse),
                    vec2_mul(vec2_sub(along, across), inverse)};
}

static void add_wall_line(orca2 *lines, vec2 point, vec2 direction) {
  set_line(lines, lines->walls++, point, direction);
}

/* Appends the half-plane that touches a circle around `center` at the point nearest to
 * `velocity`. */
static void add_round(orca2 *lines, vec2 center, float radius, vec2 velocity) {
  const vec2 out = vec2_unit(vec2_sub(velocity, center));
  add_wall_line(lines, vec2_along(center, out, radius), (vec2){out.y, -out.x});
}

/* Appends the half-plane of a straight part of the border of a velocity obstacle. The part runs
 * along `direction`, at a distance of `radius` to the left of the line through `start`. */
static void add_straight(orca2 *lines, vec2 start, float radius, vec2 direction) {
  add_wall_line(lines, vec2_along(start, vec2_left(direction), radius), direction);
}

/* A wall relative to an agent. */
typedef struct seen_wall {
  vec2 begin, end;           /* ends of the wall, relative to the agent */
  vec2 direction, back;      /* unit vectors along the wall: from begin to end; from end to begin */
  float begin2, end2, line2; /* squared distances from the agent: of both ends, and of the line
                              * through them */
  bool isBefore;             /* the wall's point nearest to the agent is `begin` */
  bool isBehind;             /* the wall's point nearest to the agent is `end` */
  float radius, radius2;     /* the agent's radius, and its square */
} seen_wall;

ALWAYS_INLINE seen_wall seen_wall_of(const orca_agent *agent, const orca_wall *wall) {
  const vec2 position = vec2_of(agent->body.position);
  seen_wall seen;
  seen.begin = vec2_sub(vec2_of(wall->begin), position);
  seen.end = vec2_sub(vec2_of(wall->end), position);
  seen.direction = vec2_of(wall->direction);
  seen.back = vec2_mul(seen.direction, -1);
  const vec2 way = vec2_sub(seen.end, seen.begin);
  const float fraction = -vec2_dot(seen.begin, way) / vec2_length2(way);
  seen.begin2 = vec2_length2(seen.begin);
  seen.end2 = vec2_length2(seen.end);
  seen.line2 = vec2_length2(vec2_along(seen.begin, way, fraction));
  seen.isBefore = fraction < 0;
  seen.isBehind = fraction > 1;
  seen.radius = agent->body.radius;
  seen.radius2 = seen.radius * seen.radius;
  return seen;
}

/* If the agent touches the wall, appends the half-plane of velocities that lead away from the
 * wall's nearest point, and returns true. If that point is a corner that is not convex, appends
 * nothing: the adjacent walls suffice. In a convex corner, one wall ends and the next begins. The
 * next wall appends the half-plane; the ending wall does so only if the agent is not in front of
 * the next wall. */
ALWAYS_INLINE bool add_touching(orca2 *lines, const orca_wall *wall, const seen_wall *seen) {
  const vec2 rest = {0, 0};
  if (seen->isBefore && seen->begin2 <= seen->radius2) {
    if (wall->isBeginConvex) add_wall_line(lines, rest, vec2_unit(vec2_left(seen->begin)));
    return true;
  }
  if (seen->isBehind && seen->end2 <= seen->radius2) {
    if (wall->isEndConvex && vec2_cross(seen->end, vec2_of(wall->after)) >= 0)
      add_wall_line(lines, rest, vec2_unit(vec2_left(seen->end)));
    return true;
  }
  if (seen->isBefore || seen->isBehind || !(seen->line2 <= seen->radius2)) return false;
  add_wall_line(lines, rest, seen->back);
  return true;
}

/* The velocity obstacle of a wall: the velocities that lead to a collision within the time horizon.
 * It extends from a front to infinity, between two legs. The front is the wall relative to the
 * agent, divided by the time horizon. The legs start at the ends of the front; they are given as
 * unit vectors. */
typedef struct wall_legs {
  vec2 leftEnd, rightEnd; /* the ends of the wall, relative to the agent */
  vec2 left, right;
  vec2 before, after;               /* directions of the walls adjacent to the left and right end */
  bool isLeftConvex, isRightConvex; /* true if the wall's left or right end is convex */
  bool isPoint;                     /* true if the agent sees the wall so obliquely that one end
                                     * hides the rest */
} wall_legs;

/* Finds the two legs of the wall's velocity obstacle: tangents to circles around the wall's ends,
 * or the wall's own direction where an end is not convex. False if the agent sees only one end of
 * the wall (see isPoint) and that end is not convex: then the adjacent wall suffices. */
ALWAYS_INLINE bool find_legs(const orca_wall *wall, const seen_wall *seen, wall_legs *legs) {
  legs->leftEnd = seen->begin;
  legs->rightEnd = seen->end;
  legs->before = vec2_of(wall->before);
  legs->after = vec2_of(wall->after);
  legs->isLeftConvex = wall->isBeginConvex;
  legs->isRightConvex = wall->isEndConvex;
  legs->isPoint = (seen->isBefore || seen->isBehind) && seen->line2 <= seen->radius2;
  if (!legs->isPoint) {
    legs->left = wall->isBeginConvex ? tangents_to(seen->begin, seen->begin2, seen->radius).left
                                     : seen->back;
    legs->right = wall->isEndConvex ? tangents_to(seen->end, seen->end2, seen->radius).right
                                    : seen->direction;
    return true;
  }
  const bool isBegin = seen->isBefore;
  if (!(isBegin ? wall->isBeginConvex : wall->isEndConvex)) return false;
  const tangents both = isBegin ? tangents_to(seen->begin, seen->begin2, seen->radius)
                                : tangents_to(seen->end, seen->end2, seen->radius);
  legs->left = both.left;
  legs->right = both.right;
  if (isBegin) {
    legs->rightEnd = seen->begin;
    legs->isRightConvex = true;
    legs->after = seen->direction;
  } else {
    legs->leftEnd = seen->end;
    legs->isLeftConvex = true;
    legs->before = seen->direction;
  }
  return true;
}

/* The legs are the two straight sides of a wall's velocity obstacle. If a leg points into the
 * adjacent wall, turns the leg to run along that wall. Does so only if the agent is in front of the
 * adjacent wall. If it is behind that wall, the wall adds no half-plane, and the leg must stay: at
 * the free end of a thin wall, for example, the adjacent wall is the other side of the same wall.
 *
 * RVO2 adds no half-plane for a turned leg, because the adjacent wall adds one. Here the adjacent
 * wall may add none, because other half-planes cover it. So a turned leg adds one, as if the
 * adjacent wall were endless. If that wall is short, this is stricter than necessary, but safe. */
ALWAYS_INLINE void turn_legs(wall_legs *legs) {
  const vec2 beforeLeft = vec2_mul(legs->before, -1);
  if (legs->isLeftConvex && vec2_cross(legs->left, beforeLeft) >= 0 &&
      vec2_cross(legs->before, legs->leftEnd) > 0)
    legs->left = beforeLeft;
  if (legs->isRightConvex && vec2_cross(legs->right, legs->after) <= 0 &&
      vec2_cross(legs->after, legs->rightEnd) > 0)
    legs->right = legs->after;
}

/* Appends a half-plane along the border of the wall's velocity obstacle, where the border is
 * nearest to the agent's velocity: at the front (the wall, scaled by 1 / time horizon), at a round
 * end of the front, or at one of the two legs, which extend from there to infinity. */
ALWAYS_INLINE void add_nearest_border(orca2 *lines, const orca_agent *agent, const seen_wall *seen,
                                      const wall_legs *legs) {
  const vec2 velocity = vec2_of(agent->body.velocity), left = legs->left, right = legs->right;
  const float inverse = agent->inverseHorizonOfWalls, reach = seen->radius * inverse;
  const bool isPoint = legs->isPoint;
  const vec2 leftFront = vec2_mul(legs->leftEnd, inverse);
  const vec2 rightFront = vec2_mul(legs->rightEnd, inverse);
  const vec2 front = vec2_sub(rightFront, leftFront);
  const vec2 fromLeft = vec2_sub(velocity, leftFront), fromRight = vec2_sub(velocity, rightFront);
  const float across = isPoint ? 0.5f : vec2_dot(fromLeft, front) / vec2_length2(front);
  const float alongLeft = vec2_dot(fromLeft, left), alongRight = vec2_dot(fromRight, right);
  if ((across < 0 && alongLeft < 0) || (isPoint && alongLeft < 0 && alongRight < 0)) {
    add_round(lines, leftFront, reach, velocity);
    return;
  }
  if (across > 1 && alongRight < 0) {
    add_round(lines, rightFront, reach, velocity);
    return;
  }

  const float toFront2 = across < 0 || across > 1 || isPoint
                             ? INFINITY
                             : vec2_length2(vec2_sub(fromLeft, vec2_mul(front, across)));
  const float toLeft2 =
      alongLeft < 0 ? INFINITY : vec2_length2(vec2_sub(fromLeft, vec2_mul(left, alongLeft)));
  const float toRight2 =
      alongRight < 0 ? INFINITY : vec2_length2(vec2_sub(fromRight, vec2_mul(right, alongRight)));
  if (toFront2 <= toLeft2 && toFront2 <= toRight2)
    add_straight(lines, leftFront, reach, seen->back);
  else if (toLeft2 <= toRight2)
    add_straight(lines, leftFront, reach, left);
  else
    add_straight(lines, rightFront, reach, vec2_mul(right, -1));
}

void orca2_add_wall(orca2 *lines, const orca_agent *agent, const orca_wall *wall) {
  const seen_wall seen = seen_wall_of(agent, wall);
  wall_legs legs;
  if (add_touching(lines, wall, &seen) || !find_legs(wall, &seen, &legs)) return;
  turn_legs(&legs);
  add_nearest_border(lines, agent, &seen, &legs);
}

bool orca2_add_long_wall(orca2 *lines, const orca_agent *agent, const orca_wall *wall) {
  /* Only this share of the gap between agent and wall may be used. The rest is kept for adjacent
   * walls that bend a little toward the agent: so the half-plane keeps the agent away from them
   * too. */
  const float KEPT = 0.75f;
  const vec2 position = vec2_of(agent->body.position), direction = vec2_of(wall->direction);
  const vec2 toBegin = vec2_sub(vec2_of(wall->begin), position), across = vec2_left(direction);
  const float gap = vec2_dot(toBegin, across) - agent->body.radius;
  if (!(gap >= 0)) return false;
  const float farthest = gap * KEPT * agent->inverseHorizonOfWalls;
  add_wall_line(lines, vec2_mul(across, farthest), vec2_mul(direction, -1));
  return true;
}

/* ---- Neighbors ---- */

/* A vector with a squared length below this is too short to have a direction. */
#define NO_LENGTH2 1e-37f

/* Replaces the direction of each half-plane whose bit is set in `parting`: a vector was too short
 * to compute that direction. The half-plane's normal becomes the unit vector that orca_parting
 * writes. So the agent and its neighbor move apart. */
static void part(const orca_agent *agent, const uint32_t *ids, uint32_t parting,
                 vec2x4 *direction) {
  float x[4], y[4];
  float4_store(x, direction->x);
  float4_store(y, direction->y);
  for (int lane = 0; lane < 4; lane++) {
    if (!(parting >> lane & 1)) continue;
    float apart[2];
    orca_parting(agent->slot, ids[lane], apart);
    x[lane] = apart[1];
    y[lane] = -apart[0];
  }
  direction->x = float4_load(x);
  direction->y = float4_load(y);
}

typedef struct neighbors4 {
  vec2x4 toward;   /* vectors from the agent to the neighbors */
  vec2x4 relative; /* the agent's velocity minus the velocities of the neighbors */
  float4 radius;   /* for each neighbor: the agent's radius plus that neighbor's radius */
} neighbors4;

ALWAYS_INLINE neighbors4 neighbors4_of(const orca_agent *agent, const orca_body *bodies,
                                       const uint32_t *ids) {
  const orca_body *body[4] = {&bodies[ids[0]], &bodies[ids[1]], &bodies[ids[2]], &bodies[ids[3]]};
  const float *position = agent->body.position, *velocity = agent->body.velocity;
  /* Each load reads a position and the velocity that is stored after it: x, y, u, v. */
  const float4 a = float4_load(body[0]->position), b = float4_load(body[1]->position);
  const float4 c = float4_load(body[2]->position), d = float4_load(body[3]->position);
  /* Lanes of xyEven: x0, x2, y0, y2; xyOdd: x1, x3, y1, y3. */
  const float4 xyEven = float4_zip_low(a, c), xyOdd = float4_zip_low(b, d);
  const float4 uvEven = float4_zip_high(a, c), uvOdd = float4_zip_high(b, d);
  neighbors4 neighbors;
  neighbors.toward.x = float4_sub(float4_zip_low(xyEven, xyOdd), float4_all(position[0]));
  neighbors.toward.y = float4_sub(float4_zip_high(xyEven, xyOdd), float4_all(position[1]));
  neighbors.relative.x = float4_sub(float4_all(velocity[0]), float4_zip_low(uvEven, uvOdd));
  neighbors.relative.y = float4_sub(float4_all(velocity[1]), float4_zip_high(uvEven, uvOdd));
  const float4 radii =
      float4_zip_low(float4_zip_low(float4_load(&body[0]->radius), float4_load(&body[2]->radius)),
                     float4_zip_low(float4_load(&body[1]->radius), float4_load(&body[3]->radius)));
  neighbors.radius = float4_add(float4_all(agent->body.radius), radii);
  return neighbors;
}

/* Writes the half-planes of four neighbors. Returns a mask of the neighbors that touch the agent.
 *
 * The velocity obstacle of a neighbor is a cone with a round end. The longer the time horizon, the
 * nearer the round end is to the cone's tip. The border of the half-plane is parallel to the border
 * of the obstacle at the point nearest to the relative velocity: on the round end or on one of the
 * two sides. Every lane computes both cases, but one square root and one division serve both. */
ALWAYS_INLINE word4 add_four(orca2 *lines, uint32_t index, const orca_agent *agent,
                             const orca_body *bodies, const uint32_t *ids,
                             const orca_terms4 terms) {
  const neighbors4 neighbors = neighbors4_of(agent, bodies, ids);
  const vec2x4 toward = neighbors.toward, relative = neighbors.relative;
  const float4 zero = float4_all(0), radius = neighbors.radius;
  const float4 distance2 = vec2x4_dot(toward, toward), radius2 = float4_mul(radius, radius);

  /* For neighbors that touch the agent, the time horizon is one time step. */
  const word4 touching = float4_le(distance2, radius2);
  const float4 inverse =
      float4_select(touching, float4_all(agent->inverseStep), terms.inverseHorizon);
  const vec2x4 away = {float4_sub(relative.x, float4_mul(inverse, toward.x)),
                       float4_sub(relative.y, float4_mul(inverse, toward.y))};
  const float4 away2 = vec2x4_dot(away, away), ahead = vec2x4_dot(away, toward);
  const word4 inFront = word4_and(float4_lt(ahead, zero),
                                  float4_lt(float4_mul(radius2, away2), float4_mul(ahead, ahead)));
  const word4 round = word4_or(touching, inFront);

  /* On the round end: the length of `away`, the vector from the center of the round end to the
   * relative velocity. On a side: the length of the tangent from the cone's tip, the agent, to the
   * circle of `radius` around the neighbor. */
  const float4 length = float4_sqrt(float4_select(round, away2, float4_sub(distance2, radius2)));
  const float4 scale = float4_div(float4_all(1), float4_select(round, length, distance2));
  /* The sign of `leg` selects the side of the cone: positive for the left side, negative for the
   * right. */
  const word4 isLeft = float4_lt(zero, vec2x4_cross(toward, away));
  const word4 sign = word4_without(word4_all(1u << 31), isLeft);
  const float4 leg = word4_as_floats(word4_or(float4_as_words(length), sign));
  const vec2x4 tangent = {away.y, float4_sub(zero, away.x)};
  const vec2x4 side = {float4_sub(float4_mul(toward.x, leg), float4_mul(toward.y, radius)),
                       float4_add(float4_mul(toward.x, radius), float4_mul(toward.y, leg))};
  vec2x4 direction = vec2x4_mul(vec2x4_select(round, tangent, side), scale);
  const uint32_t parting = word4_bits(word4_and(round, float4_lt(away2, float4_all(NO_LENGTH2))));
  if (parting) part(agent, ids, parting, &direction);

  /* `inside`: how far inside the velocity obstacle the relative velocity is; negative outside. */
  const vec2x4 normal = {float4_sub(zero, direction.y), direction.x};
  const float4 inside = float4_select(round, float4_sub(float4_mul(radius, inverse), length),
                                      float4_sub(zero, vec2x4_dot(relative, normal)));
  const float4 share = float4_select(float4_lt(zero, inside), terms.avoiding, terms.room);
  const float4 change = float4_mul(share, inside);
  const float *velocity = agent->body.velocity;
  float4_store(lines->x + index, float4_add(float4_all(velocity[0]), float4_mul(change, normal.x)));
  float4_store(lines->y + index, float4_add(float4_all(velocity[1]), float4_mul(change, normal.y)));
  float4_store(lines->directionX + index, direction.x);
  float4_store(lines->directionY + index, direction.y);
  return touching;
}

bool orca2_add_neighbors(orca2 *lines, const orca_agent *agent, const orca_body *bodies,
                         const uint32_t *ids, const orca_terms *terms, uint32_t count) {
  word4 touching = word4_all(0);
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4)
    touching = word4_or(touching, add_four(lines, lines->count + i, agent, bodies, ids + i,
                                           orca_terms4_of(terms, agent, i)));
  if (i < count) {
    uint32_t last[4]; /* unused lanes repeat the last neighbor */
    for (uint32_t lane = 0; lane < 4; lane++)
      last[lane] = ids[i + lane < count ? i + lane : count - 1];
    touching = word4_or(touching, add_four(lines, lines->count + i, agent, bodies, last,
                                           orca_terms4_of(terms, agent, i)));
  }
  lines->count += count;
  end_lines(lines, lines->count);
  return word4_bits(touching);
}

void orca2_relate(orca2 *lines, const float *velocity) {
  for (uint32_t i = 0; i < lines->count; i++) {
    lines->x[i] -= velocity[0];
    lines->y[i] -= velocity[1];
  }
}

/* ---- The linear program ------------------------------------------------------------------- */

/* Finds the velocity on line i that is nearest to `preferred`, and that all lines before i permit.
 * False if these lines permit no velocity on line i. */
static bool solve_on_line(const orca2 *lines, uint32_t i, float maxSpeed, vec2 preferred,
                          vec2 *result) {
  WORKED(1);
  const vec2 point = point_of(lines, i), direction = direction_of(lines, i);
  const float middle = vec2_dot(point, direction);
  const float reach2 = middle * middle + maxSpeed * maxSpeed - vec2_length2(point);
  if (reach2 < 0) return false;
  const float reach = sqrtf(reach2), rounding = ORCA_EPSILON * maxSpeed;
  /* Offsets from the line's point: where the line enters and leaves the circle of maxSpeed. */
  float4 low = float4_all(-middle - reach), high = float4_all(-middle + reach);
  const vec2x4 own = {float4_all(direction.x), float4_all(direction.y)};
  for (uint32_t j = 0; j < i; j += 4) {
    const vec2x4 other = {float4_load(lines->directionX + j), float4_load(lines->directionY + j)};
    const vec2x4 between = {float4_sub(float4_all(point.x), float4_load(lines->x + j)),
                            float4_sub(float4_all(point.y), float4_load(lines->y + j))};
    const float4 across = vec2x4_cross(own, other), toward = vec2x4_cross(other, between);
    const word4 before = word4_greater(word4_all(i), word4_count_from(j));
    /* Line j permits line i only on one side of the point where they meet. `falling`: j's violation
     * shrinks along line i, so this point limits `low`. `rising`: it grows, so this point limits
     * `high`. */
    const word4 falling = float4_lt(across, float4_all(-ORCA_EPSILON));
    const word4 rising = float4_lt(float4_all(ORCA_EPSILON), across);
    /* Lines parallel to line i, with the opposite direction. A line j parallel to line i with the
     * same direction needs no test: the velocity found so far is in j's half-plane, but not in i's.
     * So i's half-plane is inside j's. */
    const word4 opposite =
        word4_without(float4_lt(vec2x4_dot(own, other), float4_all(0)), word4_or(falling, rising));
    const word4 beyond = float4_lt(toward, float4_all(-rounding));
    if (word4_bits(word4_and(word4_and(before, opposite), beyond))) return false;
    const float4 meeting = float4_div(toward, across);
    low = float4_max(low, float4_select(word4_and(before, falling), meeting, low));
    high = float4_min(high, float4_select(word4_and(before, rising), meeting, high));
  }
  const float least = float4_first(float4_greatest(low)), most = float4_first(float4_least(high));
  /* If `least` exceeds `most` only by rounding, a single point is permitted. */
  if (least > most + rounding) return false;
  const float nearest = vec2_dot(direction, vec2_sub(preferred, point));
  const float best = nearest < least ? least : nearest > most ? most : nearest;
  *result = vec2_along(point, direction, best);
  return true;
}

/* Returns a velocity, shortened to the maximum speed if it is longer. */
static vec2 limited(vec2 velocity, float maxSpeed) {
  const float speed2 = vec2_length2(velocity);
  return speed2 > maxSpeed * maxSpeed ? vec2_mul(velocity, maxSpeed / sqrtf(speed2)) : velocity;
}

/* Finds the velocity nearest to `preferred` that all lines permit, and returns the number of lines.
 * If they permit none, returns the index of the first line that can't be satisfied together with
 * those before it: the result is then the best velocity for the lines before it. Takes the lines in
 * their order: walls, then neighbors, both nearest first. A random order would be faster only for
 * many lines. */
static uint32_t solve_lines(const orca2 *lines, float maxSpeed, vec2 preferred, vec2 *result) {
  *result = limited(preferred, maxSpeed);
  for (uint32_t i = 0; (i = orca2_violated(lines, i, result->x, result->y, 0)) < lines->count; i++)
    if (!solve_on_line(lines, i, maxSpeed, preferred, result)) return i;
  return lines->count;
}

/* For each of four lines, the part of it that all other lines permit: from `low` to `high`, as
 * offsets from the line's point along its direction. */
typedef struct permitted4 {
  float4 low, high;
  uint32_t isAny; /* a bit per line: set if some part of it is permitted */
} permitted4;

/* Returns the permitted parts of lines first … first + 3. Works like solve_on_line, but on four
 * lines at a time. All lines restrict these four, not only earlier ones. */
static permitted4 permitted_on(const orca2 *lines, uint32_t first, float maxSpeed) {
  const float4 zero = float4_all(0), rounding = float4_all(ORCA_EPSILON * maxSpeed);
  const vec2x4 point = {float4_load(lines->x + first), float4_load(lines->y + first)};
  const vec2x4 own = {float4_load(lines->directionX + first),
                      float4_load(lines->directionY + first)};
  const float4 middle = vec2x4_dot(point, own), back = float4_sub(zero, middle);
  const float4 reach2 =
      float4_sub(float4_add(float4_mul(middle, middle), float4_all(maxSpeed * maxSpeed)),
                 vec2x4_dot(point, point));
  const float4 reach = float4_sqrt(float4_max(zero, reach2));
  word4 none = float4_lt(reach2, zero);
  float4 low = float4_sub(back, reach), high = float4_add(back, reach);
  for (uint32_t j = 0; j < lines->count; j++) {
    const vec2x4 other = {float4_all(lines->directionX[j]), float4_all(lines->directionY[j])};
    const vec2x4 between = {float4_sub(point.x, float4_all(lines->x[j])),
                            float4_sub(point.y, float4_all(lines->y[j]))};
    const float4 across = vec2x4_cross(own, other), toward = vec2x4_cross(other, between);
    const word4 falling = float4_lt(across, float4_all(-ORCA_EPSILON));
    const word4 rising = float4_lt(float4_all(ORCA_EPSILON), across);
    const word4 beyond = float4_lt(toward, float4_sub(zero, rounding));
    none = word4_or(none, word4_without(beyond, word4_or(falling, rising)));
    const float4 meeting = float4_div(toward, across);
    low = float4_max(low, float4_select(falling, meeting, low));
    high = float4_min(high, float4_select(rising, meeting, high));
  }
  /* Rounding may make `low` greater than `high`. A single point of the line is then permitted. */
  none = word4_or(none, float4_lt(float4_add(high, rounding), low));
  return (permitted4){low, high, scan_in_run(first, lines->count) & ~word4_bits(none)};
}

/* Finds the permitted velocity that is farthest in a direction. False if all lines together permit
 * none. The result is at the maximum speed or, if a line forbids that, at one end of the permitted
 * part of some line. For few lines, testing all of them is faster than solving line after line. */
static bool solve_direction(const orca2 *lines, float maxSpeed, vec2 direction, vec2 *result) {
  *result = vec2_mul(direction, maxSpeed);
  if (orca2_violated(lines, 0, result->x, result->y, 0) == lines->count) return true;
  const vec2x4 sought = {float4_all(direction.x), float4_all(direction.y)};
  float farthest = -INFINITY;
  for (uint32_t i = 0; i < lines->count; i += 4) {
    const permitted4 permitted = permitted_on(lines, i, maxSpeed);
    const vec2x4 own = {float4_load(lines->directionX + i), float4_load(lines->directionY + i)};
    const float4 best = float4_select(float4_lt(float4_all(0), vec2x4_dot(sought, own)),
                                      permitted.high, permitted.low);
    const vec2x4 end = {float4_add(float4_load(lines->x + i), float4_mul(own.x, best)),
                        float4_add(float4_load(lines->y + i), float4_mul(own.y, best))};
    float far[4], x[4], y[4];
    float4_store(far, vec2x4_dot(sought, end));
    float4_store(x, end.x);
    float4_store(y, end.y);
    for (uint32_t lane = 0; lane < 4; lane++)
      if (permitted.isAny >> lane & 1 && far[lane] > farthest) {
        farthest = far[lane];
        *result = (vec2){x[lane], y[lane]};
      }
  }
  return farthest > -INFINITY;
}

/* Appends a bisector for each pair of line i and an earlier line j of a neighbor. A velocity on the
 * bisector violates both lines equally. A velocity to its left violates j at most as much as i.
 * Lines that are parallel to i and have the same direction have no bisector and are skipped.
 *
 * Let n be the unit normal of a line and p its point. With dot products, the velocities v on the
 * bisector satisfy (n_j - n_i) (v - p_i) = n_j (p_j - p_i). The point stored for the bisector is
 * the one nearest to 0, not where i and j meet: almost parallel lines meet far away. */
static void add_bisectors(const orca2 *lines, uint32_t i, orca2 *bisectors) {
  const vec2x4 point = {float4_all(lines->x[i]), float4_all(lines->y[i])};
  const vec2x4 own = {float4_all(lines->directionX[i]), float4_all(lines->directionY[i])};
  const float4 zero = float4_all(0);
  for (uint32_t j = lines->walls; j < i; j += 4) {
    const vec2x4 other = {float4_load(lines->directionX + j), float4_load(lines->directionY + j)};
    const vec2x4 between = {float4_sub(float4_load(lines->x + j), point.x),
                            float4_sub(float4_load(lines->y + j), point.y)};
    const float4 across = vec2x4_cross(own, other);
    const word4 parallel =
        word4_and(float4_le(float4_mul(across, across), float4_all(ORCA_EPSILON * ORCA_EPSILON)),
                  float4_lt(zero, vec2x4_dot(own, other)));
    const vec2x4 along = {float4_sub(other.x, own.x), float4_sub(other.y, own.y)};
    const float4 scale = float4_div(float4_all(1), float4_sqrt(vec2x4_dot(along, along)));
    const vec2x4 direction = vec2x4_mul(along, scale);
    /* The distance of the bisector of i and j from velocity 0, along the bisector's normal. */
    const float4 far =
        float4_add(float4_mul(vec2x4_cross(other, between), scale), vec2x4_cross(direction, point));
    const uint32_t end = bisectors->count, bits = scan_in_run(j, i) & ~word4_bits(parallel);
    float4_store_packed(bisectors->x + end, float4_mul(far, float4_sub(zero, direction.y)), bits);
    float4_store_packed(bisectors->y + end, float4_mul(far, direction.x), bits);
    float4_store_packed(bisectors->directionX + end, direction.x, bits);
    float4_store_packed(bisectors->directionY + end, direction.y, bits);
    bisectors->count += bits_count(bits);
  }
  end_lines(bisectors, bisectors->count);
}

/* Finds the best velocity if no velocity satisfies all lines: one that satisfies the lines of
 * walls, and whose worst violation of a neighbor's line is as small as possible. `first` is the
 * line at which solve_lines failed: a neighbor's. */
OUT_OF_LINE void solve_violated(const orca2 *lines, uint32_t first, float maxSpeed, vec2 *result) {
  orca2 bisectors;
  float worst = 0;
  bisectors.walls = lines->walls;
  for (uint32_t i = 0; i < lines->walls; i++)
    set_line(&bisectors, i, point_of(lines, i), direction_of(lines, i));
  for (uint32_t i = first;
       (i = orca2_violated(lines, i, result->x, result->y, worst)) < lines->count; i++) {
    const vec2 point = point_of(lines, i), direction = direction_of(lines, i), before = *result;
    bisectors.count = lines->walls;
    add_bisectors(lines, i, &bisectors);
    if (!solve_direction(&bisectors, maxSpeed, vec2_left(direction), result))
      *result = before; /* only rounding makes solve_direction fail here: `before` is feasible */
    worst = vec2_cross(direction, vec2_sub(point, *result));
  }
}

bool orca2_solve(const orca2 *lines, const float *preferred, const float *rest, float maxSpeed,
                 float *velocity) {
  vec2 best;
  const uint32_t failed = solve_lines(lines, maxSpeed, vec2_of(preferred), &best);
  if (failed < lines->walls)
    best = limited(vec2_of(rest), maxSpeed);
  else if (failed < lines->count)
    solve_violated(lines, failed, maxSpeed, &best);
  velocity[0] = best.x;
  velocity[1] = best.y;
  return failed == lines->count;
}
