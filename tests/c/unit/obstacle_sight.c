/* Compares the visibility polygon with an exact method: walls at integer multiples of some unit,
 * and rays cast in integer arithmetic. */

#include "unit.h"

#include <math.h>

typedef __int128 whole;

enum { MOST_WALLS = 12, RAYS = 24, CORNERS = 200, FAR_BITS = 50 };

typedef struct place {
  int64_t x, y;
} place;

typedef struct level {
  int exponent; /* of the unit, a power of 2 */
  place eye;
  uint32_t count;
  place ends[MOST_WALLS][2];
  float lo[2], hi[2];
  copse_obstacle *tree;
} level;

static float scaled(const level *made, int64_t units) {
  return (float)ldexp((double)units, made->exponent);
}

/* Returns a coordinate in units: mostly small, sometimes up to the coordinate limits. */
static int64_t draw_side(uint32_t *state, const level *made) {
  const int64_t near = (int64_t)(random_word(state) >> 8) % 65 - 32;
  const int most = 59 - made->exponent < FAR_BITS ? 59 - made->exponent : FAR_BITS;
  if (random_word(state) >> 8 & 3 || most < 12) return near;
  return near * ((int64_t)1 << (random_word(state) >> 8) % (uint32_t)(most - 5));
}

static whole cross(place u, place v) { return (whole)u.x * v.y - (whole)u.y * v.x; }
static place from_eye(const level *made, place point) {
  return (place){point.x - made->eye.x, point.y - made->eye.y};
}

static level draw_level(uint32_t *state) {
  static const int EXPONENTS[] = {-100, -40, -10, 0, 8, 30, 50};
  level made = {.exponent = EXPONENTS[(random_word(state) >> 8) % 7]};
  made.eye.x = (int64_t)(random_word(state) >> 8) % 17 - 8;
  made.eye.y = (int64_t)(random_word(state) >> 8) % 17 - 8;
  made.count = 1 + (random_word(state) >> 8) % MOST_WALLS;
  copse_obstacle_def def = copse_obstacle_default();
  def.capacity = 2 * MOST_WALLS;
  def.leafSize = 1 + (random_word(state) >> 8) % 4;
  CHECK(copse_obstacle_create(&def, &made.tree) == COPSE_OK);
  for (uint32_t i = 0; i < made.count; i++) {
    float ends[4];
    uint32_t slot;
    for (int end = 0; end < 2; end++) {
      place *point = &made.ends[i][end];
      point->x = draw_side(state, &made);
      point->y = draw_side(state, &made);
      ends[2 * end] = scaled(&made, point->x);
      ends[2 * end + 1] = scaled(&made, point->y);
    }
    CHECK(copse_obstacle_add(made.tree, ends, 2, COPSE_SOLID_NOWHERE, &slot) == COPSE_OK &&
          slot == 2 * i);
  }
  CHECK(copse_obstacle_build(made.tree, NULL) == COPSE_OK);
  for (int axis = 0; axis < 2; axis++) {
    const int64_t eye = axis ? made.eye.y : made.eye.x;
    const bool isFar[2] = {random_word(state) >> 8 & 1, random_word(state) >> 8 & 1};
    made.lo[axis] = isFar[0] ? -1e18f : scaled(&made, eye - 41);
    made.hi[axis] = isFar[1] ? 1e18f : scaled(&made, eye + 37);
  }
  return made;
}

static bool is_on_a_wall(const level *made) {
  for (uint32_t i = 0; i < made->count; i++) {
    const place a = from_eye(made, made->ends[i][0]), b = from_eye(made, made->ends[i][1]);
    if ((a.x != b.x || a.y != b.y) && cross(a, b) == 0 && (whole)a.x * b.x + (whole)a.y * b.y <= 0)
      return true;
  }
  return false;
}

/* What a ray meets first: its distance, in lengths of the ray, and its slot; the distance of what
 * it meets next; and the sine of the angle between the ray and what it meets first. */
typedef struct met {
  double far, next, sine;
  uint32_t slot;
} met;

static void meet(met *first, double far, double sine, uint32_t slot) {
  if (far < first->far)
    *first = (met){far, first->far, sine, slot};
  else if (far < first->next)
    first->next = far;
}

static void meet_box(const level *made, place ray, met *first) {
  const double x = (double)scaled(made, made->eye.x), y = (double)scaled(made, made->eye.y);
  const double wayX = ldexp((double)ray.x, made->exponent);
  const double wayY = ldexp((double)ray.y, made->exponent), length = hypot(wayX, wayY);
  if (wayX != 0)
    meet(first, ((double)(wayX > 0 ? made->hi[0] : made->lo[0]) - x) / wayX, fabs(wayX) / length,
         COPSE_NONE);
  if (wayY != 0)
    meet(first, ((double)(wayY > 0 ? made->hi[1] : made->lo[1]) - y) / wayY, fabs(wayY) / length,
         COPSE_NONE);
}

/* Casts a ray. False if it passes an end too narrowly for doubles to tell. */
static bool cast(const level *made, place ray, met *first) {
  const double length = hypot((double)ray.x, (double)ray.y);
  *first = (met){INFINITY, INFINITY, 1, COPSE_NONE};
  meet_box(made, ray, first);
  if (first->next < first->far * (1 + 1e-9)) return false; /* at a corner of the box */
  for (uint32_t i = 0; i < made->count; i++) {
    const place a = from_eye(made, made->ends[i][0]), b = from_eye(made, made->ends[i][1]);
    const place way = {b.x - a.x, b.y - a.y};
    const whole ofA = cross(ray, a), ofB = cross(ray, b), all = cross(a, b);
    for (int end = 0; end < 2; end++) {
      const place point = end ? b : a;
      const double far = hypot((double)point.x, (double)point.y);
      if (fabs((double)(end ? ofB : ofA)) <= 1e-9 * length * far) return false;
    }
    if ((ofA > 0) == (ofB > 0) || (all > 0) != (cross(ray, way) > 0)) continue;
    const double across = (double)cross(ray, way);
    meet(first, (double)all / across, fabs(across) / (length * hypot((double)way.x, (double)way.y)),
         2 * i);
  }
  return true;
}

/* Writes the distance at which a ray crosses a side of the polygon. False if it does not. */
static bool border(const level *made, const copse_corner *from, const copse_corner *to, place ray,
                   double *far, double *error) {
  const double x = (double)scaled(made, made->eye.x), y = (double)scaled(made, made->eye.y);
  const double ax = ldexp(from->x - x, -made->exponent), ay = ldexp(from->y - y, -made->exponent);
  const double bx = ldexp(to->x - x, -made->exponent), by = ldexp(to->y - y, -made->exponent);
  const long double ofA = (long double)ray.x * ay - (long double)ray.y * ax;
  const long double ofB = (long double)ray.x * by - (long double)ray.y * bx;
  if (!(ofA < 0 && ofB > 0)) return false;
  *far = (double)(((long double)ax * by - (long double)ay * bx) / (ofB - ofA));
  *error = 4e-16 * (hypot(ax, ay) + hypot(bx, by)) / hypot((double)ray.x, (double)ray.y);
  return *far > 0;
}

static void check_ray(const level *made, const copse_corner *corners, uint32_t total, place ray) {
  met first;
  if (!cast(made, ray, &first) || first.sine < 1e-6) return;
  bool isThere = false;
  for (uint32_t i = 0; i < total; i++) {
    double far, error;
    if (!border(made, &corners[i], &corners[(i + 1) % total], ray, &far, &error)) continue;
    isThere = true;
    CHECK(fabs(far - first.far) <= (1e-9 * first.far + error) / first.sine);
    if (first.next < first.far * (1 + 1e-6) + 2 * error / first.sine) continue;
    CHECK(first.slot == COPSE_NONE ? corners[i].edge == COPSE_NONE
                                   : corners[i].edge / 2 == first.slot / 2);
  }
  CHECK(isThere);
}

static void test_the_visibility_polygon_equals_exact_rays_at_any_scale(void) {
  uint32_t state = 28;
  for (uint32_t i = 0; i < repeats(30000); i++) {
    static copse_corner corners[CORNERS];
    const level made = draw_level(&state);
    const float eye[2] = {scaled(&made, made.eye.x), scaled(&made, made.eye.y)};
    uint32_t total;
    CHECK(copse_obstacle_visibility(made.tree, eye, made.lo, made.hi, corners, CORNERS, &total,
                                    NULL) == COPSE_OK);
    CHECK((total == 0) == is_on_a_wall(&made));
    for (uint32_t corner = 0; corner < total; corner++) {
      const double x = corners[corner].x, y = corners[corner].y;
      CHECK((double)made.lo[0] <= x && x <= (double)made.hi[0]);
      CHECK((double)made.lo[1] <= y && y <= (double)made.hi[1]);
    }
    for (int ray = 0; total && ray < RAYS; ray++) {
      const place way = {(int64_t)(random_word(&state) >> 8) % 8193 - 4096,
                         (int64_t)(random_word(&state) >> 8) % 8193 - 4096};
      if (way.x || way.y) check_ray(&made, corners, total, way);
    }
    copse_obstacle_destroy(made.tree);
  }
}

/* The sight past the lower end of a wall ends on a side of length 2e18. */
static void test_a_corner_on_a_very_long_side_is_exact(void) {
  const copse_obstacle_def def = copse_obstacle_default();
  copse_obstacle *tree;
  copse_corner corners[20];
  uint32_t slot, total, there = 0;
  CHECK(copse_obstacle_create(&def, &tree) == COPSE_OK);
  CHECK(copse_obstacle_add(tree, (float[]){12, -5, 12, -16}, 2, COPSE_SOLID_NOWHERE, &slot) ==
        COPSE_OK);
  CHECK(copse_obstacle_build(tree, NULL) == COPSE_OK);
  CHECK(copse_obstacle_visibility(tree, (float[]){8, -19}, (float[]){-1e18f, -1e18f},
                                  (float[]){1e18f, -10.5f}, corners, 20, &total, NULL) == COPSE_OK);
  for (uint32_t i = 0; i < total; i++)
    there += corners[i].y == -10.5 && fabs(corners[i].x - 58.0 / 3) < 1e-9;
  CHECK(there == 1);
  copse_obstacle_destroy(tree);
}

/* In a ring of segments, both ends of each are seen, with much room and with just enough. */
static void test_a_ring_of_many_walls_is_seen_completely(void) {
  enum { WALLS = 3000 };
  static copse_corner corners[8 * WALLS + 20];
  copse_obstacle_def def = copse_obstacle_default();
  def.capacity = 2 * WALLS;
  copse_obstacle *tree;
  uint32_t slot, total, again;
  CHECK(copse_obstacle_create(&def, &tree) == COPSE_OK);
  for (uint32_t i = 0; i < WALLS; i++) {
    const double begin = 2 * acos(-1) * i / WALLS, end = begin + 1.2 * acos(-1) / WALLS;
    const float ends[] = {(float)(100 * cos(begin)), (float)(100 * sin(begin)),
                          (float)(100 * cos(end)), (float)(100 * sin(end))};
    CHECK(copse_obstacle_add(tree, ends, 2, COPSE_SOLID_NOWHERE, &slot) == COPSE_OK);
  }
  CHECK(copse_obstacle_build(tree, NULL) == COPSE_OK);
  const float eye[] = {0.5f, 0.25f}, lo[] = {-200, -200}, hi[] = {200, 200};
  CHECK(copse_obstacle_visibility(tree, eye, lo, hi, corners, 8 * WALLS + 20, &total, NULL) ==
        COPSE_OK);
  /* For each wall its two ends and, behind each, a point of the box; and corners of the box. */
  uint32_t expected = 4 * WALLS;
  for (int corner = 0; corner < 4; corner++) {
    bool isSeen;
    const float point[] = {corner & 1 ? lo[0] : hi[0], corner & 2 ? lo[1] : hi[1]};
    CHECK(copse_obstacle_visible(tree, eye, point, 0, &isSeen, NULL) == COPSE_OK);
    expected += isSeen;
  }
  CHECK(total == expected);
  static copse_corner fewer[4 * WALLS + 20];
  CHECK(copse_obstacle_visibility(tree, eye, lo, hi, fewer, 4 * WALLS + 20, &again, NULL) ==
        COPSE_OK);
  CHECK(again == total && !memcmp(fewer, corners, total * sizeof *fewer));
  copse_obstacle_destroy(tree);
}

const unit_test OBSTACLE_SIGHT_TESTS[] = {
    TEST(test_the_visibility_polygon_equals_exact_rays_at_any_scale),
    TEST(test_a_corner_on_a_very_long_side_is_exact),
    TEST(test_a_ring_of_many_walls_is_seen_completely),
    {NULL, NULL, false},
};
