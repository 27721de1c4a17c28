/* The flow field. Drawn levels are played in flowfield.h, as in the fuzz target; here are single
 * promises of copse.h, degenerate input, and a comparison with an exact visibility graph. */

#include "unit.h"

#include "../flowfield.h"

#include "../../../c/base/snapshot.h"

enum { NODES = 1200, STARTS = 40, MOST_WAYS = 500 * STARTS };

/* ---- Making fields ---- */

static copse_obstacle *walls_of(uint32_t capacity) {
  copse_obstacle_def def = copse_obstacle_default();
  def.capacity = capacity;
  copse_obstacle *walls;
  CHECK(copse_obstacle_create(&def, &walls) == COPSE_OK);
  return walls;
}

static uint32_t add_wall(copse_obstacle *walls, const float *points, uint32_t count) {
  uint32_t slot;
  CHECK(copse_obstacle_add(walls, points, count, COPSE_SOLID_WINDING, &slot) == COPSE_OK);
  CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
  return slot;
}

static uint32_t add_box(copse_obstacle *walls, float left, float low, float right, float high) {
  return add_wall(walls, (float[]){left, low, right, low, right, high, left, high}, 4);
}

/* Returns a field of 20 x 20 cells of size 1, with radius 0.5. */
static copse_flowfield *field_with(const copse_obstacle *walls) {
  copse_flowfield_def def = copse_flowfield_default();
  copse_flowfield *field;
  def.bounds[2] = def.bounds[3] = 20;
  CHECK(copse_flowfield_create(&def, &field) == COPSE_OK);
  copse_flowfield_set_obstacles(field, walls);
  return field;
}

static void set_goal(copse_flowfield *field, float x, float y) {
  const copse_flowfield_goal goal = {{x, y}, {x, y}, 0};
  CHECK(copse_flowfield_set_goals(field, &goal, 1) == COPSE_OK);
}

static float distance_from(const copse_flowfield *field, float x, float y) {
  float distance = -1;
  CHECK(copse_flowfield_distance(field, (float[]){x, y}, &distance) == COPSE_OK);
  return distance;
}

static bool is_near(double a, double b) { return fabs(a - b) < 1e-4; }

/* True if the direction from a point is (right, up). */
static bool heads(const copse_flowfield *field, float x, float y, double right, double up) {
  float direction[2];
  CHECK(copse_flowfield_direction(field, (float[]){x, y}, direction, NULL) == COPSE_OK);
  return is_near((double)direction[0], right) && is_near((double)direction[1], up);
}

static void build(copse_flowfield *field) {
  CHECK(copse_flowfield_build(field, NULL) == COPSE_OK);
  CHECK(copse_flowfield_validate(field));
}

/* ---- Definitions and arguments ---- */

static bool is_refused(copse_flowfield_def def) {
  copse_flowfield *field = (copse_flowfield *)&def;
  return copse_flowfield_create(&def, &field) == COPSE_INVALID_ARGUMENT && !field &&
         copse_flowfield_bytes(&def) == 0;
}

static void test_definitions_outside_their_range_are_refused(void) {
  static const float CELLS[] = {0, -1, NAN, INFINITY, 1e-5f};
  static const float EDGES[] = {NAN, INFINITY, -1, 0, 2e18f};
  const copse_flowfield_def good = copse_flowfield_default();
  copse_flowfield_def def;
  for (int i = 0; i < 5; i++) {
    def = good;
    def.cell = CELLS[i];
    def.radius = 1;
    CHECK(is_refused(def));
    def = good;
    def.bounds[2] = EDGES[i];
    CHECK(is_refused(def));
  }
  static const float RADII[] = {0, -1, NAN, INFINITY, 0.4999f};
  for (int i = 0; i < 5; i++) {
    def = good;
    def.radius = RADII[i];
    CHECK(is_refused(def));
  }
  static const uint32_t COUNTS[] = {0, COPSE_FLOWFIELD_MAX_CAPACITY + 1, UINT32_MAX};
  for (int i = 0; i < 3; i++) {
    def = good;
    def.capacity = COUNTS[i];
    CHECK(is_refused(def));
    def = good;
    def.goals = COUNTS[i];
    CHECK(is_refused(def));
  }
  def = good;
  def.bounds[0] = 1e6f; /* too far from 0 to tell parts of a cell */
  def.bounds[2] = 1e6f + 100;
  CHECK(is_refused(def));
  def = good;
  def.bounds[2] = COPSE_FLOWFIELD_MAX_SIDE + 1;
  CHECK(is_refused(def));
}

static void test_cells_cover_the_bounds(void) {
  static const struct {
    float cell, width, height;
    uint32_t columns, rows;
  } CASES[] = {{1, 20, 10, 20, 10},
               {1, 20.5f, 0.25f, 21, 1},
               {0.1f, 1, 2, 10, 20},
               {0.3f, 0.9f, 0.6f, 3, 2},
               {200.0f / 256, 200, 100, 256, 128}};
  for (int i = 0; i < 5; i++) {
    copse_flowfield_def def = copse_flowfield_default();
    copse_flowfield *field;
    def.cell = CASES[i].cell;
    def.bounds[2] = CASES[i].width;
    def.bounds[3] = CASES[i].height;
    CHECK(copse_flowfield_create(&def, &field) == COPSE_OK);
    CHECK(copse_flowfield_columns(field) == CASES[i].columns);
    CHECK(copse_flowfield_rows(field) == CASES[i].rows);
    CHECK(copse_flowfield_stats(field).bytes == copse_flowfield_bytes(&def));
    copse_flowfield_destroy(field);
  }
  copse_flowfield_destroy(NULL);
}

static void test_arguments_are_checked(void) {
  copse_flowfield *field = field_with(NULL);
  float direction[2] = {5, 5}, distance = 5, corners[2];
  copse_path path = {.corners = corners, .capacity = 1};
  copse_flowfield_aim aim = {.anchor = 5, .direction = {5, 5}};
  const float good[2] = {1, 1};
  CHECK(copse_flowfield_direction(field, good, direction, NULL) == COPSE_NOT_BUILT);
  CHECK(copse_flowfield_direction_many(field, good, 1, direction, NULL) == COPSE_NOT_BUILT);
  CHECK(copse_flowfield_path(field, good, &path) == COPSE_NOT_BUILT && path.total == 0);
  CHECK(copse_flowfield_lead(field, good, 0.5f, &aim) == COPSE_NOT_BUILT);
  CHECK(aim.anchor == COPSE_NONE && aim.direction[0] == 0 && aim.distance == INFINITY);
  CHECK(!copse_flowfield_is_built(field));
  CHECK(copse_flowfield_cells(field, 0, NULL, 0) == 0);
  CHECK(copse_flowfield_lines(field, 0, NULL, 0) == 0);
  build(field);
  static const float BAD[] = {NAN, INFINITY, -INFINITY, 2e18f};
  for (int i = 0; i < 8; i++) {
    float bad[4] = {1, 1, 1, 1};
    bad[2 + i % 2] = BAD[i / 2];
    distance = direction[0] = 5;
    CHECK(copse_flowfield_distance(field, bad + 2, &distance) == COPSE_INVALID_ARGUMENT);
    CHECK(distance == INFINITY);
    CHECK(copse_flowfield_direction(field, bad + 2, direction, NULL) == COPSE_INVALID_ARGUMENT);
    CHECK(direction[0] == 0 && direction[1] == 0);
    float both[4] = {5, 5, 5, 5};
    CHECK(copse_flowfield_direction_many(field, bad, 2, both, NULL) == COPSE_INVALID_ARGUMENT);
    CHECK(both[0] == 5); /* nothing is written */
    CHECK(copse_flowfield_path(field, bad + 2, &path) == COPSE_INVALID_ARGUMENT);
  }
  CHECK(copse_flowfield_lead(field, good, -1, &aim) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_flowfield_lead(field, good, NAN, &aim) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_flowfield_set_radius(field, 0.4999f) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_flowfield_set_radius(field, NAN) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_flowfield_radius(field) == 0.5f);
  copse_flowfield_destroy(field);
}

static void test_goals_are_checked(void) {
  copse_flowfield *field = field_with(NULL);
  static const copse_flowfield_goal BAD[] = {
      {{NAN, 0}, {0, 0}, 0},       {{0, 0}, {0, INFINITY}, 0}, {{1, 0}, {0, 0}, 0},
      {{0, 0}, {1, 1}, -1},        {{0, 0}, {1, 1}, NAN},      {{0, 0}, {1, 1}, INFINITY},
      {{-2e18f, 0}, {2e18f, 0}, 0}};
  set_goal(field, 3, 3);
  for (int i = 0; i < 7; i++)
    CHECK(copse_flowfield_set_goals(field, &BAD[i], 1) == COPSE_INVALID_ARGUMENT);
  static const copse_flowfield_goal MANY[65];
  CHECK(copse_flowfield_goal_capacity(field) == 64);
  CHECK(copse_flowfield_set_goals(field, MANY, 65) == COPSE_FULL);
  CHECK(copse_flowfield_goal_count(field) == 1);
  build(field);
  CHECK(is_near((double)distance_from(field, 3, 7), 4));
  CHECK(copse_flowfield_set_goals(field, NULL, 0) == COPSE_OK);
  build(field);
  CHECK(distance_from(field, 3, 7) == INFINITY && heads(field, 3, 7, 0, 0));
  copse_flowfield_destroy(field);
}

/* ---- Paths ---- */

static void test_without_walls_paths_are_straight(void) {
  copse_flowfield *field = field_with(NULL);
  set_goal(field, 12.25f, 7);
  build(field);
  for (float x = -3; x < 24; x += 1.7f)
    for (float y = -3; y < 24; y += 1.3f) {
      const double dx = 12.25 - (double)x, dy = 7 - (double)y, away = hypot(dx, dy);
      CHECK(is_near((double)distance_from(field, x, y), away));
      CHECK(heads(field, x, y, dx / away, dy / away));
    }
  CHECK(heads(field, 12.25f, 7, 0, 0) && distance_from(field, 12.25f, 7) == 0);
  float corners[2];
  copse_path path = {.corners = corners, .capacity = 1};
  CHECK(copse_flowfield_path(field, (float[]){12.25f, 7}, &path) == COPSE_OK);
  CHECK(path.total == 1 && corners[0] == 12.25f && corners[1] == 7);
  copse_flowfield_destroy(field);
}

static void test_a_path_goes_around_a_wall(void) {
  copse_obstacle *walls = walls_of(100);
  add_wall(walls, (float[]){10, 0, 10, 15}, 2);
  copse_flowfield *field = field_with(walls);
  set_goal(field, 15, 5);
  build(field);
  float corners[2 * 8];
  copse_path path = {.corners = corners, .capacity = 8};
  CHECK(copse_flowfield_path(field, (float[]){5, 5}, &path) == COPSE_OK);
  CHECK(path.total >= 3 && corners[2 * path.total - 2] == 15 && corners[2 * path.total - 1] == 5);
  /* Two tangents to a circle of radius 0.5 around the wall's end, and the arc between them. */
  const double far = hypot(5, 10), tangent = sqrt(far * far - 0.25);
  const double arc = acos(-1) - atan2(5, 10) - acos(0.5 / far);
  const double shortest = 2 * tangent + arc, told = (double)distance_from(field, 5, 5);
  CHECK(told >= shortest && told <= shortest * 1.01);
  CHECK(path.reached && is_near((double)path.length, told));
  /* Less room: the first corners, and the total. */
  float first[3] = {0, 0, 77};
  copse_path shorter = {.corners = first, .capacity = 1};
  CHECK(copse_flowfield_path(field, (float[]){5, 5}, &shorter) == COPSE_OK);
  CHECK(shorter.total == path.total && shorter.length == path.length);
  CHECK(first[0] == corners[0] && first[1] == corners[1] && first[2] == 77);
  copse_flowfield_destroy(field);
  copse_obstacle_destroy(walls);
}

static void test_corners_have_their_number_of_turning_points(void) {
  static const struct {
    uint32_t corners, turns;
    copse_solid solid;
    float points[16];
  } CASES[] = {
      {4, 8, COPSE_SOLID_WINDING, {10, 7, 14, 10, 11, 14, 7, 11}}, /* right angles, nearly */
      {8, 8, COPSE_SOLID_WINDING, {12, 7, 14, 9, 14, 12, 12, 14, 9, 14, 7, 12, 7, 9, 9, 7}},
      {3, 12, COPSE_SOLID_WINDING, {8, 8, 14, 8, 11, 13}},
      {2, 8, COPSE_SOLID_WINDING, {8, 8, 14, 9}},
      {6, 10, COPSE_SOLID_WINDING, {5, 5, 15, 5, 15, 15, 11, 15, 11, 11, 5, 11}}, /* one inward */
      {4, 1, COPSE_SOLID_OUTSIDE, {2, 2, 18, 2, 18, 18, 10, 6}}, /* one into the room */
      {4,
       8,
       COPSE_SOLID_NOWHERE,
       {8, 8, 12, 8, 12, 12, 8, 12}}, /* its inner side is a corner too */
  };
  for (int i = 0; i < 7; i++) {
    copse_obstacle *walls = walls_of(16);
    uint32_t slot, needed;
    CHECK(copse_obstacle_add(walls, CASES[i].points, CASES[i].corners, CASES[i].solid, &slot) ==
          COPSE_OK);
    CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
    copse_flowfield *field = field_with(walls);
    CHECK(copse_flowfield_build(field, &needed) == COPSE_OK);
    if (needed != CASES[i].turns) printf("case %d: %u turning points\n", i, needed);
    CHECK(needed == CASES[i].turns);
    copse_flowfield_destroy(field);
    copse_obstacle_destroy(walls);
  }
}

static void test_unreachable_regions_have_no_path(void) {
  copse_obstacle *walls = walls_of(100);
  add_wall(walls, (float[]){5, 5, 10, 5}, 2);
  add_wall(walls, (float[]){10, 5, 10, 10}, 2);
  add_wall(walls, (float[]){10, 10, 5, 10}, 2);
  add_wall(walls, (float[]){5, 10, 5, 5}, 2);
  copse_flowfield *field = field_with(walls);
  set_goal(field, 15, 15);
  build(field);
  copse_path path = {.capacity = 0};
  CHECK(distance_from(field, 7.5f, 7.5f) == INFINITY && heads(field, 7.5f, 7.5f, 0, 0));
  CHECK(copse_flowfield_path(field, (float[]){7.5f, 7.5f}, &path) == COPSE_OK);
  CHECK(path.total == 0 && path.length == INFINITY && !path.reached);
  CHECK(distance_from(field, 2, 2) < INFINITY);
  set_goal(field, 7.5f, 7.5f); /* and the other way round */
  build(field);
  CHECK(distance_from(field, 2, 2) == INFINITY && distance_from(field, 6, 6) < 3);
  copse_flowfield_destroy(field);
  copse_obstacle_destroy(walls);
}

static void test_goals_in_walls_are_moved(void) {
  copse_obstacle *walls = walls_of(100);
  add_box(walls, 5, 5, 10, 11);
  copse_flowfield *field = field_with(walls);
  static const float PLACES[][4] = {
      {7.5f, 5.5f, 7.5f, 4.5f}, /* inside: the nearest free center, of two the first, is below */
      {4.75f, 8, 4.5f, 7.5f},   /* too near */
      {3, -100, 2.5f, 0.5f},    /* outside: of two equally near, the lower index */
      {1000, 1000, 19.5f, 19.5f}};
  for (int i = 0; i < 4; i++) {
    float corners[2 * 8];
    copse_path path = {.corners = corners, .capacity = 8};
    set_goal(field, PLACES[i][0], PLACES[i][1]);
    build(field);
    CHECK(copse_flowfield_stats(field).moved == 1);
    CHECK(copse_flowfield_path(field, (float[]){1, 19}, &path) == COPSE_OK);
    CHECK(path.total && path.total <= 8);
    const float *end = corners + 2 * (size_t)(path.total - 1);
    const float x = end[0] - PLACES[i][2], y = end[1] - PLACES[i][3];
    CHECK(i == 0 ? end[1] == 4.5f || end[1] == 3.5f : fabsf(x) <= 1 && fabsf(y) <= 1);
  }
  memset(copse_flowfield_closed(field), 1, 400);
  build(field);
  CHECK(copse_flowfield_stats(field).moved == 1 && copse_flowfield_stats(field).anchors == 0);
  CHECK(copse_flowfield_stats(field).blocked == 400);
  CHECK(distance_from(field, 1, 1) == INFINITY);
  copse_flowfield_destroy(field);
  copse_obstacle_destroy(walls);
}

static void test_areas_and_costs(void) {
  copse_flowfield *field = field_with(NULL);
  const copse_flowfield_goal goals[] = {{{10, 5}, {14, 9}, 3}, {{2, 2}, {2, 2}, 0}};
  CHECK(copse_flowfield_set_goals(field, goals, 1) == COPSE_OK);
  build(field);
  CHECK(distance_from(field, 12, 7) == 3 && heads(field, 12, 7, 0, 0)); /* inside */
  CHECK(distance_from(field, 10, 5) == 3 && distance_from(field, 14, 9) == 3);
  CHECK(is_near((double)distance_from(field, 12, 1), 4 + 3) && heads(field, 12, 1, 0, 1));
  CHECK(is_near((double)distance_from(field, 19, 5), 5 + 3) && heads(field, 19, 5, -1, 0));
  float corner[2];
  copse_path path = {.corners = corner, .capacity = 1};
  CHECK(copse_flowfield_path(field, (float[]){12, 7}, &path) == COPSE_OK);
  CHECK(path.total == 1 && corner[0] == 12 && corner[1] == 7);
  CHECK(path.length == 0 && path.reached); /* without the goal's cost */
  CHECK(copse_flowfield_set_goals(field, goals, 2) == COPSE_OK);
  build(field);
  CHECK(is_near((double)distance_from(field, 6, 5), 5)); /* not 4 + 3 */
  CHECK(is_near((double)distance_from(field, 9, 7), 1 + 3));
  CHECK(distance_from(field, 12, 7) == 3);
  /* In an area that costs more than the path to another goal, an agent goes there. */
  const copse_flowfield_goal dear[] = {{{0, 0}, {20, 20}, 50}, {{2, 2}, {2, 2}, 0}};
  CHECK(copse_flowfield_set_goals(field, dear, 2) == COPSE_OK);
  build(field);
  CHECK(is_near((double)distance_from(field, 12, 2), 10) && heads(field, 12, 2, -1, 0));
  copse_flowfield_destroy(field);
}

static void test_closed_cells(void) {
  copse_flowfield *field = field_with(NULL);
  uint8_t *closed = copse_flowfield_closed(field);
  for (uint32_t row = 0; row < 15; row++) closed[row * 20 + 10] = 255; /* x 10 … 11, y 0 … 15 */
  set_goal(field, 15, 5);
  build(field);
  const double shortest = hypot(5, 10) + 1 + hypot(4, 10);
  const double told = (double)distance_from(field, 5, 5);
  CHECK(told >= shortest - 1e-4 && told <= shortest + 0.1);
  CHECK(copse_flowfield_stats(field).blocked == 15);
  CHECK(distance_from(field, 10.5f, 5) < 7); /* an agent leaves a closed cell */
  for (uint32_t row = 15; row < 20; row++) closed[row * 20 + 10] = 1;
  build(field);
  CHECK(distance_from(field, 5, 5) == INFINITY);
  closed[19 * 20 + 10] = 0; /* a gap of one cell */
  build(field);
  CHECK(distance_from(field, 5, 5) < 35);
  copse_flowfield_destroy(field);
}

static void test_a_field_of_one_cell(void) {
  copse_flowfield_def def = copse_flowfield_default();
  copse_flowfield *field;
  def.bounds[2] = def.bounds[3] = 1;
  CHECK(copse_flowfield_create(&def, &field) == COPSE_OK);
  CHECK(copse_flowfield_columns(field) == 1 && copse_flowfield_rows(field) == 1);
  set_goal(field, 0.25f, 0.5f);
  build(field);
  CHECK(distance_from(field, 0.75f, 0.5f) == 0.5f && heads(field, 0.75f, 0.5f, -1, 0));
  copse_obstacle *walls = walls_of(10);
  add_box(walls, 0.25f, 0.25f, 0.75f, 0.75f);
  copse_flowfield_set_obstacles(field, walls);
  build(field);
  CHECK(distance_from(field, 0.05f, 0.5f) == INFINITY);
  CHECK(copse_flowfield_stats(field).blocked == 1 && copse_flowfield_stats(field).anchors == 0);
  copse_flowfield_destroy(field);
  copse_obstacle_destroy(walls);
}

static void test_degenerate_walls(void) {
  copse_obstacle *walls = walls_of(100);
  add_wall(walls, (float[]){5, 5, 5, 5}, 2);             /* a point: no edge */
  add_wall(walls, (float[]){5, 5, 8, 5, 8, 5, 5, 5}, 4); /* flat, with repeated vertices */
  add_wall(walls, (float[]){-1e6f, 10, 1e6f, 10}, 2);    /* across the field and beyond */
  add_wall(walls, (float[]){15, 15, 15.0001f, 15, 15, 15.0001f}, 3); /* tiny */
  copse_flowfield *field = field_with(walls);
  set_goal(field, 2, 2);
  build(field);
  CHECK(distance_from(field, 10, 2) == 8 && distance_from(field, 10, 15) == INFINITY);
  copse_flowfield_destroy(field);
  copse_obstacle_destroy(walls);
}

static void test_a_boundary_keeps_paths_inside(void) {
  copse_obstacle *walls = walls_of(100);
  add_wall(walls, (float[]){2, 2, 2, 18, 18, 18, 18, 2}, 4); /* clockwise: solid outside */
  add_box(walls, 8, 2, 12, 14);
  copse_flowfield *field = field_with(walls);
  set_goal(field, 15, 5);
  build(field);
  const float *distances = copse_flowfield_distances(field);
  CHECK(distances[0] == INFINITY && distances[10 * 20 + 1] == INFINITY);
  CHECK(distances[5 * 20 + 5] > 20 && distances[5 * 20 + 5] < 25);
  CHECK(distances[8 * 20 + 10] == INFINITY);
  copse_flowfield_destroy(field);
  copse_obstacle_destroy(walls);
}

/* ---- Capacity and memory ---- */

static void test_a_full_field_says_how_much_it_needs(void) {
  copse_obstacle *walls = walls_of(200);
  for (int i = 0; i < 9; i++)
    add_box(walls, (float)(2 + 6 * (i % 3)), (float)(2 + 6 * (i / 3)), (float)(4 + 6 * (i % 3)),
            (float)(4 + 6 * (i / 3)));
  copse_flowfield_def def = copse_flowfield_default();
  copse_flowfield *field;
  ledger book = {-1, 0};
  def.bounds[2] = def.bounds[3] = 20;
  def.capacity = 5;
  def.allocator = ledger_allocator(&book);
  CHECK(copse_flowfield_create(&def, &field) == COPSE_OK);
  set_goal(field, 1, 1);
  build(field); /* there are no walls */
  copse_flowfield_set_obstacles(field, walls);
  uint32_t needed = 0;
  bool done = true;
  CHECK(copse_flowfield_build(field, &needed) == COPSE_FULL && needed == 9 * 8 + 1);
  CHECK(!copse_flowfield_stats(field).isUnderWay);
  CHECK(is_near((double)distance_from(field, 1, 19), 18)); /* the previous build */
  copse_status status = COPSE_OK;
  while (status == COPSE_OK) {
    status = copse_flowfield_build_part(field, 100, &done, &needed);
    CHECK(!done);
  }
  CHECK(status == COPSE_FULL && needed == 9 * 8 + 1);
  book.callsLeft = 0;
  CHECK(copse_flowfield_reserve(field, needed, 100) == COPSE_OUT_OF_MEMORY);
  book.callsLeft = -1;
  CHECK(copse_flowfield_capacity(field) == 5 && copse_flowfield_goal_capacity(field) == 64);
  CHECK(copse_flowfield_reserve(field, COPSE_FLOWFIELD_MAX_CAPACITY + 1, 0) ==
        COPSE_INVALID_ARGUMENT);
  CHECK(copse_flowfield_reserve(field, needed, 100) == COPSE_OK);
  CHECK(copse_flowfield_capacity(field) == needed);
  CHECK(copse_flowfield_stats(field).bytes == book.bytesHeld &&
        copse_flowfield_goal_capacity(field) == 100);
  CHECK(is_near((double)distance_from(field, 1, 19), 18)); /* it is kept */
  book.callsLeft = 0;                                      /* builds allocate nothing */
  build(field);
  CHECK(copse_flowfield_stats(field).anchors == needed);
  copse_flowfield_destroy(field);
  CHECK(book.bytesHeld == 0);
  for (int calls = 0; calls < 2; calls++) {
    book.callsLeft = calls;
    CHECK(copse_flowfield_create(&def, &field) == COPSE_OUT_OF_MEMORY && !field);
    CHECK(book.bytesHeld == 0);
  }
  copse_obstacle_destroy(walls);
}

static void test_reserve_keeps_the_build_under_way(void) {
  copse_obstacle *walls = walls_of(100);
  add_box(walls, 5, 5, 10, 11);
  static uint32_t expected[1 << 14], words[1 << 14];
  size_t size, bytes;
  copse_flowfield *field = field_with(walls), *other = field_with(walls);
  set_goal(field, 12, 7);
  set_goal(other, 12, 7);
  build(other);
  CHECK(copse_flowfield_save(other, expected, sizeof expected, &size) == COPSE_OK);
  bool done = false;
  for (uint32_t i = 1; !done; i++) {
    CHECK(copse_flowfield_build_part(field, 1, &done, NULL) == COPSE_OK);
    CHECK(copse_flowfield_reserve(field, 4096 + i, 64 + i) == COPSE_OK);
  }
  CHECK(copse_flowfield_save(field, words, sizeof words, &bytes) == COPSE_OK);
  CHECK(bytes == size && !memcmp(words, expected, size));
  copse_flowfield_destroy(field);
  copse_flowfield_destroy(other);
  copse_obstacle_destroy(walls);
}

/* ---- Walls that change ---- */

static void test_a_door_closes(void) {
  copse_obstacle *walls = walls_of(100);
  add_wall(walls, (float[]){10, 2, 10, 8}, 2);
  add_wall(walls, (float[]){10, 12, 10, 20}, 2);
  const uint32_t door = add_wall(walls, (float[]){0, 0, 1, 0}, 2);
  copse_flowfield *field = field_with(walls);
  set_goal(field, 15, 10);
  build(field);
  CHECK(is_near((double)distance_from(field, 5, 10), 10));
  CHECK(copse_obstacle_move(walls, door, (float[]){10, 8, 10, 12}, 2) == COPSE_OK);
  CHECK(copse_flowfield_is_current(field));
  CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
  CHECK(!copse_flowfield_is_current(field));
  CHECK(!heads(field, 5, 10, 1, 0)); /* not through the door */
  bool done = false;
  while (!done) {
    CHECK(copse_flowfield_build_part(field, 50, &done, NULL) == COPSE_OK);
    CHECK(done || !heads(field, 5, 10, 1, 0));
  }
  CHECK(copse_flowfield_is_current(field));
  const float around = distance_from(field, 5, 10);
  CHECK(around > 19 && around < 20); /* below the wall */
  /* Walls that are built during an update restart it. */
  CHECK(copse_flowfield_build_part(field, 50, &done, NULL) == COPSE_OK && !done);
  CHECK(copse_obstacle_move(walls, door, (float[]){10, 0, 10, 2}, 2) == COPSE_OK);
  CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
  while (!done) CHECK(copse_flowfield_build_part(field, 50, &done, NULL) == COPSE_OK);
  CHECK(copse_flowfield_stats(field).restarts == 1);
  CHECK(is_near((double)distance_from(field, 5, 10), 10));
  CHECK(copse_flowfield_validate(field));
  copse_flowfield_destroy(field);
  copse_obstacle_destroy(walls);
}

static void test_an_update_takes_settings_when_it_begins(void) {
  copse_flowfield *field = field_with(NULL);
  bool done = false;
  set_goal(field, 3, 3);
  CHECK(copse_flowfield_build_part(field, 1, &done, NULL) == COPSE_OK && !done);
  set_goal(field, 10, 3);
  CHECK(copse_flowfield_set_radius(field, 2) == COPSE_OK);
  memset(copse_flowfield_closed(field), 1, 400);
  while (!done) CHECK(copse_flowfield_build_part(field, 1, &done, NULL) == COPSE_OK);
  CHECK(is_near((double)distance_from(field, 3, 7), 4));
  CHECK(!copse_flowfield_stats(field).isUnderWay);
  memset(copse_flowfield_closed(field), 0, 400);
  CHECK(copse_flowfield_build_part(field, UINT32_MAX, &done, NULL) == COPSE_OK && done);
  CHECK(is_near((double)distance_from(field, 10, 7), 4));
  /* A build drops the update under way. */
  CHECK(copse_flowfield_build_part(field, 1, &done, NULL) == COPSE_OK && !done);
  set_goal(field, 1, 7);
  build(field);
  CHECK(!copse_flowfield_stats(field).isUnderWay && is_near((double)distance_from(field, 2, 7), 1));
  copse_flowfield_destroy(field);
}

/* ---- Agents ---- */

static void test_leading_an_agent(void) {
  copse_obstacle *walls = walls_of(100);
  add_wall(walls, (float[]){10, 0, 10, 15}, 2);
  copse_flowfield *field = field_with(walls);
  CHECK(copse_flowfield_set_radius(field, 0.51f) == COPSE_OK);
  set_goal(field, 15, 5);
  build(field);
  const float start[2] = {5, 5};
  copse_flowfield_aim aim = {.anchor = COPSE_NONE};
  CHECK(copse_flowfield_lead(field, start, 0.511f, &aim) == COPSE_OK); /* it is too large */
  CHECK(aim.anchor == COPSE_NONE && aim.distance == INFINITY && aim.direction[0] == 0);
  CHECK(aim.point[0] == 5 && aim.point[1] == 5);
  aim.anchor = 12345; /* not an anchor of the field */
  CHECK(copse_flowfield_lead(field, start, 0.5f, &aim) == COPSE_OK);
  CHECK(aim.distance == distance_from(field, 5, 5) && aim.anchor < 4 && aim.direction[1] > 0.8f);
  float corner[2];
  copse_path path = {.corners = corner, .capacity = 1};
  CHECK(copse_flowfield_path(field, start, &path) == COPSE_OK);
  CHECK(corner[0] == aim.point[0] && corner[1] == aim.point[1]);
  /* Exactly at the anchor, the agent heads for the next one. */
  const uint32_t first = aim.anchor;
  CHECK(copse_flowfield_lead(field, corner, 0.5f, &aim) == COPSE_OK);
  CHECK(aim.anchor != first && aim.direction[0] > 0);
  copse_flowfield_destroy(field);
  copse_obstacle_destroy(walls);
}

static void test_many_directions_are_single_ones(void) {
  copse_obstacle *walls = walls_of(100);
  add_box(walls, 5, 5, 10, 11);
  copse_flowfield *field = field_with(walls);
  set_goal(field, 12, 7);
  build(field);
  float points[2 * 100], directions[2 * 100], distances[100];
  for (int i = 0; i < 100; i++) {
    points[2 * i] = (float)(i % 10) * 2.3f - 1;
    points[2 * i + 1] = (float)(i / 10) * 2.1f;
  }
  CHECK(copse_flowfield_direction_many(field, points, 100, directions, distances) == COPSE_OK);
  for (int i = 0; i < 100; i++) {
    float direction[2], distance;
    CHECK(copse_flowfield_direction(field, points + 2 * (size_t)i, direction, &distance) ==
          COPSE_OK);
    CHECK(direction[0] == directions[2 * i] && direction[1] == directions[2 * i + 1]);
    CHECK(distance == distances[i]);
  }
  CHECK(copse_flowfield_direction_many(field, points, 100, directions, NULL) == COPSE_OK);
  copse_flowfield_destroy(field);
  copse_obstacle_destroy(walls);
}

static void test_shapes_to_draw(void) {
  copse_obstacle *walls = walls_of(100);
  add_box(walls, 5, 5, 10, 11);
  copse_flowfield *field = field_with(walls);
  set_goal(field, 12, 7);
  build(field);
  static float all[7 * 400], part[14];
  CHECK(copse_flowfield_cells(field, 0, all, 7 * 400) == 7 * 400);
  CHECK(copse_flowfield_cells(field, 70, part, 15) == 7 * 400);
  CHECK(!memcmp(part, all + 70, sizeof part));
  CHECK(all[0] == 0 && all[1] == 0 && all[2] == 1 && all[3] == 1 && all[6] == 0);
  const size_t inside = 7 * (8 * 20 + 7);
  CHECK(all[inside + 4] == INFINITY && all[inside + 5] == -1 && all[inside + 6] == 1);
  CHECK(copse_flowfield_lines(field, 0, all, 7 * 400) == 5 * 9); /* 8 turning points, a goal */
  const float *goal = all + 5 * (size_t)8;
  CHECK(goal[0] == 12 && goal[1] == 7 && goal[2] == 12 && goal[3] == 7 && goal[4] == 0);
  copse_flowfield_destroy(field);
  copse_obstacle_destroy(walls);
}

/* ---- Snapshots ---- */

/* Gives changed words a right checksum, and restores them. */
static copse_status restore_forged(copse_flowfield *field, uint32_t *words, size_t size) {
  snapshot_seal(words, size, SNAPSHOT_FLOWFIELD);
  return copse_flowfield_restore(field, words, size, NULL);
}

static void test_snapshots_are_checked(void) {
  copse_obstacle *walls = walls_of(100);
  add_box(walls, 5, 5, 10, 11);
  copse_flowfield *field = field_with(walls);
  set_goal(field, 12, 7);
  build(field);
  static uint32_t saved[1 << 14], words[1 << 14], again[1 << 14];
  size_t size, bytes;
  CHECK(copse_flowfield_save(field, saved, 10, &size) == COPSE_FULL);
  CHECK(copse_flowfield_save(field, saved, sizeof saved, &bytes) == COPSE_OK && bytes == size);
  CHECK(copse_flowfield_restore(field, (char *)saved + 1, size, NULL) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_flowfield_restore(field, saved, size - 4, NULL) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_flowfield_restore(field, saved, 16, NULL) == COPSE_BAD_SNAPSHOT);
  /* Every word, changed to something else, is refused or gives a valid field. */
  for (size_t i = 0; i < size / 4; i++) {
    static const uint32_t BITS[] = {UINT32_MAX, 0x7fc00000, 1, 0x80000000};
    for (int change = 0; change < 4; change++) {
      memcpy(words, saved, size);
      words[i] ^= BITS[change];
      CHECK(copse_flowfield_restore(field, words, size, NULL) == COPSE_BAD_SNAPSHOT);
      if (i % 7 != 0 && i > 60) continue;
      const copse_status status = restore_forged(field, words, size);
      CHECK(status == COPSE_OK || status == COPSE_BAD_SNAPSHOT || status == COPSE_FULL);
      if (status != COPSE_OK) continue;
      float corners[2 * 32];
      copse_path path = {.corners = corners, .capacity = 32};
      for (int at = 0; at < 9; at++) /* must come to an end */
        copse_flowfield_path(field, (float[]){(float)(at % 3) * 6, (float)(at / 3) * 6}, &path);
      CHECK(copse_flowfield_restore(field, saved, size, NULL) == COPSE_OK);
    }
  }
  CHECK(copse_flowfield_save(field, again, sizeof again, &bytes) == COPSE_OK);
  CHECK(bytes == size && !memcmp(again, saved, size));
  copse_flowfield_destroy(field);
  copse_obstacle_destroy(walls);
}

static void test_snapshots_of_other_fields_are_refused(void) {
  copse_flowfield *field = field_with(NULL), *other;
  static const copse_flowfield_goal GOALS[3];
  static uint32_t saved[1 << 14];
  size_t size;
  CHECK(copse_flowfield_set_goals(field, GOALS, 3) == COPSE_OK);
  build(field);
  CHECK(copse_flowfield_save(field, saved, sizeof saved, &size) == COPSE_OK);
  for (int i = 0; i < 4; i++) {
    copse_flowfield_def def = copse_flowfield_default();
    def.bounds[2] = i == 0 ? 21 : 20;
    def.bounds[3] = 20;
    if (i == 1) def.cell = 0.75f;
    if (i == 2) def.goals = 2;
    if (i == 3) def.capacity = 2;
    CHECK(copse_flowfield_create(&def, &other) == COPSE_OK);
    const copse_status expected = i < 2 ? COPSE_BAD_SNAPSHOT : COPSE_FULL;
    CHECK(copse_flowfield_restore(other, saved, size, &def) == expected);
    CHECK(!copse_flowfield_is_built(other));
    if (expected == COPSE_FULL) {
      CHECK(copse_flowfield_reserve(other, def.capacity, def.goals) == COPSE_OK);
      CHECK(copse_flowfield_restore(other, saved, size, &def) == COPSE_OK);
      CHECK(copse_flowfield_is_built(other) && copse_flowfield_validate(other));
    }
    copse_flowfield_destroy(other);
  }
  copse_flowfield_destroy(field);
}

static void test_a_restored_field_knows_its_walls(void) {
  copse_obstacle *walls = walls_of(100), *same = walls_of(100);
  add_box(walls, 5, 5, 10, 11);
  add_box(same, 5, 5, 10, 11);
  copse_flowfield *field = field_with(walls), *other = field_with(NULL);
  static uint32_t saved[1 << 14];
  size_t size;
  set_goal(field, 12, 7);
  build(field);
  CHECK(copse_flowfield_save(field, saved, sizeof saved, &size) == COPSE_OK);
  CHECK(copse_flowfield_restore(other, saved, size, NULL) == COPSE_OK);
  CHECK(!copse_flowfield_is_current(other));
  copse_flowfield_set_obstacles(other, same);
  CHECK(copse_flowfield_is_current(other) && copse_flowfield_validate(other));
  copse_flowfield_set_obstacles(other, NULL);
  CHECK(!copse_flowfield_is_current(other));
  add_box(same, 15, 15, 16, 16);
  copse_flowfield_set_obstacles(other, same);
  CHECK(!copse_flowfield_is_current(other));
  copse_flowfield_destroy(field);
  copse_flowfield_destroy(other);
  copse_obstacle_destroy(walls);
  copse_obstacle_destroy(same);
}

/* ---- Drawn levels ---- */

static void test_drawn_levels_keep_their_promises(void) {
  uint32_t state = 3;
  for (uint32_t i = 0; i < repeats(10000); i++) {
    uint8_t bytes[500];
    for (size_t j = 0; j < sizeof bytes; j++) bytes[j] = (uint8_t)(random_word(&state) >> 8);
    const char *wrong = play_flowfield(bytes, sizeof bytes);
    if (wrong) printf("level %u: %s\n", i, wrong);
    CHECK(!wrong);
  }
}

/* ---- The shortest paths, by a visibility graph ---- */

typedef struct graph {
  const copse_obstacle *walls;
  float radius;
  uint32_t count;
  float nodes[NODES][2];
  double distances[NODES]; /* from the goal; node 0 is the goal */
} graph;

static double draw(uint32_t *state) { return (double)(random_word(state) >> 8) / 16777216; }

static bool is_clear(const copse_obstacle *walls, const float *point, float radius) {
  copse_obstacle_point wall;
  bool isInside;
  copse_obstacle_nearest(walls, point, radius, COPSE_SIDE_BOTH, &wall, NULL);
  copse_obstacle_contains(walls, point, &isInside, NULL);
  return wall.edge == COPSE_NONE && !isInside;
}

static bool are_in_sight(const graph *paths, const float *a, const float *b) {
  bool isVisible;
  copse_obstacle_visible(paths->walls, a, b, paths->radius, &isVisible, NULL);
  return isVisible;
}

static double apart(const float *a, const float *b) {
  return hypot((double)a[0] - (double)b[0], (double)a[1] - (double)b[1]);
}

/* Adds turning points all around each vertex, 24 to a circle; those in the way of walls are left
 * out. */
static void add_nodes(graph *paths, const float (*vertices)[2], uint32_t count, float margin,
                      float size) {
  const double turn = 2 * 3.14159265358979323846 / 24;
  const double away = (double)paths->radius * 1.0001 / cos(turn / 2);
  for (uint32_t i = 0; i < count * 24; i++) {
    float *node = paths->nodes[paths->count];
    node[0] = (float)((double)vertices[i / 24][0] + away * cos(turn * (i % 24)));
    node[1] = (float)((double)vertices[i / 24][1] + away * sin(turn * (i % 24)));
    const bool isIn = node[0] >= margin && node[1] >= margin && node[0] <= size - margin &&
                      node[1] <= size - margin;
    if (isIn && is_clear(paths->walls, node, paths->radius) && paths->count < NODES - 1)
      paths->count++;
  }
}

static void solve(graph *paths) {
  static bool isDone[NODES];
  memset(isDone, 0, sizeof isDone);
  for (uint32_t i = 0; i < paths->count; i++) paths->distances[i] = i ? INFINITY : 0;
  for (uint32_t nearest = 0; nearest != COPSE_NONE;) {
    isDone[nearest] = true;
    const double own = paths->distances[nearest];
    for (uint32_t i = 0; i < paths->count; i++) {
      const double total = own + apart(paths->nodes[nearest], paths->nodes[i]);
      if (!isDone[i] && total < paths->distances[i] &&
          are_in_sight(paths, paths->nodes[nearest], paths->nodes[i]))
        paths->distances[i] = total;
    }
    nearest = COPSE_NONE;
    double least = INFINITY;
    for (uint32_t i = 0; i < paths->count; i++)
      if (!isDone[i] && paths->distances[i] < least) {
        least = paths->distances[i];
        nearest = i;
      }
  }
}

static double shortest_from(const graph *paths, const float *start) {
  double least = INFINITY;
  for (uint32_t i = 0; i < paths->count; i++) {
    const double total = paths->distances[i] + apart(paths->nodes[i], start);
    if (total < least && are_in_sight(paths, paths->nodes[i], start)) least = total;
  }
  return least;
}

/* Draws walls of a square world of `size`: if `gap` is not 0, all are at least that far from each
 * other. Writes their vertices. */
static uint32_t draw_walls(uint32_t *state, copse_obstacle *walls, uint32_t count, float size,
                           float gap, float (*vertices)[2]) {
  uint32_t total = 0, slot;
  for (uint32_t i = 0; i < count; i++) {
    float points[8];
    const bool isThin = random_word(state) & 256;
    const double angle = 6.283 * draw(state), length = 1 + 8 * draw(state),
                 wide = 0.5 + 3 * draw(state);
    const double x = (double)size * draw(state), y = (double)size * draw(state);
    bool isApart = true;
    for (int corner = 0; corner < 4; corner++) {
      const double along = corner == 1 || corner == 2 ? length : 0;
      const double across = corner / 2 && !isThin ? wide : 0;
      points[2 * corner] = (float)(x + cos(angle) * along - sin(angle) * across);
      points[2 * corner + 1] = (float)(y + sin(angle) * along + cos(angle) * across);
    }
    const uint32_t corners = isThin ? 2 : 4;
    for (uint32_t corner = 0; corner < corners && gap > 0; corner++) {
      bool isVisible;
      const float *from = points + 2 * (size_t)corner;
      copse_obstacle_visible(walls, from, points + 2 * (size_t)((corner + 1) % corners), gap,
                             &isVisible, NULL);
      isApart &= isVisible && is_clear(walls, from, gap);
    }
    if (!isApart) continue;
    CHECK(copse_obstacle_add(walls, points, corners, COPSE_SOLID_WINDING, &slot) == COPSE_OK);
    CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
    memcpy(vertices[total], points, corners * 2 * sizeof(float));
    total += corners;
  }
  return total;
}

/* True if a path keeps its radius and is as long as told: then it is not shorter than the shortest.
 */
static bool is_path(const copse_flowfield *field, const graph *paths, const float *start,
                    double told) {
  float corners[2 * 256];
  copse_path path = {.corners = corners, .capacity = 256};
  double length = 0;
  CHECK(copse_flowfield_path(field, start, &path) == COPSE_OK && path.total <= 256);
  for (uint32_t i = 0; i < path.total; i++) {
    const float *to = corners + 2 * (size_t)i;
    if (!are_in_sight(paths, start, to)) return false;
    length += apart(start, to);
    start = to;
  }
  return fabs(length - told) <= 1e-5 * (told + 10);
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A level of the two tests below: a field, its graph with a given radius, and one goal. */
typedef struct contest {
  copse_obstacle *walls;
  copse_flowfield *field;
  float size, margin;
} contest;

static contest draw_contest(uint32_t *state, graph *paths, uint32_t count, float gap, float more) {
  static float vertices[200][2];
  contest drawn = {walls_of(200), NULL, 32, 0.5f};
  const uint32_t corners = draw_walls(state, drawn.walls, count, drawn.size, gap, vertices);
  copse_flowfield_def def = copse_flowfield_default();
  def.bounds[2] = def.bounds[3] = drawn.size;
  def.radius = 0.5f + (float)(random_word(state) >> 8 & 3) / 16;
  CHECK(copse_flowfield_create(&def, &drawn.field) == COPSE_OK);
  copse_flowfield_set_obstacles(drawn.field, drawn.walls);
  *paths = (graph){.walls = drawn.walls, .radius = def.radius + more, .count = 1};
  do {
    for (int axis = 0; axis < 2; axis++)
      paths->nodes[0][axis] = drawn.margin + (drawn.size - 2 * drawn.margin) * (float)draw(state);
  } while (!is_clear(drawn.walls, paths->nodes[0], paths->radius));
  add_nodes(paths, vertices, corners, drawn.margin, drawn.size);
  solve(paths);
  set_goal(drawn.field, paths->nodes[0][0], paths->nodes[0][1]);
  CHECK(copse_flowfield_build(drawn.field, NULL) == COPSE_OK);
  return drawn;
}

static void draw_start(uint32_t *state, const contest *drawn, const graph *paths, float *start) {
  do {
    for (int axis = 0; axis < 2; axis++)
      start[axis] = drawn->margin + (drawn->size - 2 * drawn->margin) * (float)draw(state);
  } while (!is_clear(drawn->walls, start, paths->radius));
}

static void end_contest(const contest *drawn) {
  copse_flowfield_destroy(drawn->field);
  copse_obstacle_destroy(drawn->walls);
}

static void test_paths_are_nearly_shortest(void) {
  static graph paths;
  static double ratios[MOST_WAYS];
  uint32_t state = 11, count = 0;
  double sum = 0;
  for (uint32_t level = 0; level < repeats(500); level++) {
    const contest drawn = draw_contest(&state, &paths, 25, 3, 0);
    for (int i = 0; i < STARTS; i++) {
      float start[2];
      draw_start(&state, &drawn, &paths, start);
      const double shortest = shortest_from(&paths, start);
      const double told = (double)distance_from(drawn.field, start[0], start[1]);
      CHECK(shortest == INFINITY || told < INFINITY);
      if (shortest == INFINITY) continue;
      CHECK(is_path(drawn.field, &paths, start, told));
      ratios[count] = shortest > 0 ? told / shortest : 1;
      sum += ratios[count++];
    }
    end_contest(&drawn);
  }
  qsort(ratios, count, sizeof *ratios, by_size);
  CHECK(count > repeats(500) * STARTS * 9 / 10);
  if (getenv("COPSE_UNIT_FIGURES"))
    printf("%u paths: mean %.5f, 95%% %.5f, 99%% %.5f, longest %.5f times the shortest\n", count,
           sum / count, ratios[count * 95 / 100], ratios[count * 99 / 100], ratios[count - 1]);
  CHECK(sum / count <= 1.002);
  CHECK(ratios[count * 99 / 100] <= 1.02);
}

static void test_wide_paths_are_found(void) {
  static graph paths;
  uint32_t state = 12, count = 0;
  for (uint32_t level = 0; level < repeats(500); level++) {
    const contest drawn =
        draw_contest(&state, &paths, 30, 0, 0.5f); /* half of a cell on each side */
    for (int i = 0; i < STARTS; i++) {
      float start[2];
      draw_start(&state, &drawn, &paths, start);
      if (shortest_from(&paths, start) == INFINITY) continue;
      CHECK(distance_from(drawn.field, start[0], start[1]) < INFINITY);
      count++;
    }
    end_contest(&drawn);
  }
  CHECK(count > repeats(500) * STARTS / 2);
}

/* Walks from a start along the field's directions, in small steps, not past an anchor. Returns the
 * length of the walk; INFINITY if it does not arrive, or comes nearer to a wall than the radius. */
static double walk(const copse_flowfield *field, const graph *paths, const float *start,
                   float radius) {
  float point[2] = {start[0], start[1]};
  copse_flowfield_aim aim = {.anchor = COPSE_NONE};
  double length = 0;
  for (int i = 0; i < 1000; i++) {
    CHECK(copse_flowfield_lead(field, point, radius, &aim) == COPSE_OK);
    const float step = fminf(0.2f, flow_length(point, aim.point));
    if (aim.distance <= step) return length + (double)aim.distance;
    const float next[2] = {point[0] + aim.direction[0] * step, point[1] + aim.direction[1] * step};
    bool isClear;
    copse_obstacle_visible(paths->walls, point, next, radius * 0.9999f, &isClear, NULL);
    if (!isClear) return INFINITY;
    length += (double)step;
    memcpy(point, next, sizeof point);
  }
  return INFINITY;
}

/* With room to turn (a field's radius of 1.02 times the agent's), all agents arrive, and walk
 * hardly farther than was promised, in narrow gaps too. */
static void test_agents_walk_to_their_goals(void) {
  static graph paths;
  uint32_t state = 13, walks = 0;
  double worst = 0;
  for (uint32_t level = 0; level < repeats(300); level++) {
    const contest drawn = draw_contest(&state, &paths, 30, level % 2 ? 0 : 1.5f, 0);
    for (int i = 0; i < STARTS; i++) {
      float start[2];
      draw_start(&state, &drawn, &paths, start);
      const double told = (double)distance_from(drawn.field, start[0], start[1]);
      if (told == INFINITY) continue;
      const double walked = walk(drawn.field, &paths, start, paths.radius / 1.02f);
      CHECK(walked <= told * 1.05 + 0.5);
      worst = fmax(worst, (walked - 0.5) / told);
      walks++;
    }
    end_contest(&drawn);
  }
  if (getenv("COPSE_UNIT_FIGURES")) printf("%u walks: at most %.4f times as told\n", walks, worst);
  CHECK(walks > repeats(300) * STARTS / 2);
}

/* Small agents beside walls find their paths in a field whose radius is many cells, also in a
 * corner; up to a limit. */
static void test_a_radius_may_be_many_cells(void) {
  static graph paths;
  copse_obstacle *walls = walls_of(100);
  add_wall(walls, (float[]){8, 13, 8, 8}, 2);
  add_wall(walls, (float[]){8, 8, 13, 8}, 2);
  paths.walls = walls;
  for (int i = 1; i <= 10; i++) { /* the radius, in cells */
    copse_flowfield_def def = copse_flowfield_default();
    def.bounds[2] = def.bounds[3] = 20;
    def.radius = 2.5f;
    def.cell = def.radius / (float)i;
    copse_flowfield *field;
    CHECK(copse_flowfield_create(&def, &field) == COPSE_OK);
    copse_flowfield_set_obstacles(field, walls);
    set_goal(field, 17, 17);
    build(field);
    uint32_t walks = 0;
    for (float x = 7; x < 14; x += 0.37f)
      for (float y = 7; y < 14; y += 0.37f) {
        if (!is_clear(walls, (float[]){x, y}, 0.3f)) continue;
        const double told = (double)distance_from(field, x, y);
        CHECK(told < INFINITY);
        CHECK(walk(field, &paths, (float[]){x, y}, 0.3f) <= told * 1.2 + 0.5);
        walks++;
      }
    CHECK(walks > 250);
    copse_flowfield_destroy(field);
  }
  copse_obstacle_destroy(walls);
}

/* A slice of work is bounded: the last step of a call may exceed it, by what one anchor takes. */
static void test_an_update_does_a_bounded_amount_of_work(void) {
  static graph paths;
  uint32_t state = 14;
  for (uint32_t level = 0; level < repeats(50); level++) {
    const contest drawn = draw_contest(&state, &paths, 30, 0, 0);
    const uint64_t cells = copse_flowfield_stats(drawn.field).cells;
    const flow_map *map = &drawn.field->maps[!drawn.field->shown];
    bool done = false;
    for (uint64_t before = 0; !done; before = map->work) {
      CHECK(copse_flowfield_build_part(drawn.field, 1000, &done, NULL) == COPSE_OK);
      CHECK(map->work > before && map->work - before < 1000 + 4 * cells);
    }
    end_contest(&drawn);
  }
}

/* True if a field with other bytes at a place is invalid, and valid again with its own. */
static bool is_seen(copse_flowfield *field, void *place, const void *wrong, size_t size) {
  uint8_t before[8];
  memcpy(before, place, size);
  memcpy(place, wrong, size);
  const bool isValid = copse_flowfield_validate(field);
  memcpy(place, before, size);
  return !isValid && copse_flowfield_validate(field);
}

static bool is_word_seen(copse_flowfield *field, uint32_t *place, uint32_t wrong) {
  return is_seen(field, place, &wrong, sizeof wrong);
}

static bool is_short_seen(copse_flowfield *field, uint16_t *place, uint16_t wrong) {
  return is_seen(field, place, &wrong, sizeof wrong);
}

static bool is_float_seen(copse_flowfield *field, float *place, float wrong) {
  return is_seen(field, place, &wrong, sizeof wrong);
}

/* Paths from the left lead around the ends of a wall at x = 10. */
static void test_validate_detects_damage_in_a_field(void) {
  copse_obstacle *walls = walls_of(64);
  add_wall(walls, (float[]){10, 4, 10, 16}, 2);
  copse_flowfield *field = field_with(walls);
  set_goal(field, 15.5f, 10.5f);
  build(field);
  flow_map *map = &field->maps[field->shown], *next = &field->maps[!field->shown];
  const uint32_t goal = map->turns, open = 0, behind = 10 * field->columns + 7;
  const uint32_t blocked = 10 * field->columns + 9;
  CHECK(map->anchors[goal].parent == NO_ANCHOR && map->anchors[0].parent != NO_ANCHOR);
  CHECK(map->cells[blocked] & CELL_BLOCKED && map->aims[behind] != goal);

  CHECK(is_word_seen(field, &field->goalCount, field->def.goals + 1));
  CHECK(is_float_seen(field, &field->goals[0].cost, -1));
  CHECK(is_float_seen(field, &map->radius, 0.1f));
  CHECK(is_float_seen(field, &map->radius, 2 * COPSE_MAX_COORDINATE));
  CHECK(is_word_seen(field, &map->goalCount, field->def.goals + 1));
  CHECK(is_word_seen(field, &map->anchorCount, field->def.capacity + 1));
  CHECK(is_word_seen(field, &map->turns, map->anchorCount + 1));
  CHECK(is_float_seen(field, &map->anchors[0].point[1], NAN));
  CHECK(is_float_seen(field, &map->anchors[0].distance, -1));
  CHECK(is_short_seen(field, &map->anchors[0].isWaiting, 2));
  CHECK(is_short_seen(field, &map->anchors[0].parent, (uint16_t)map->anchorCount));
  CHECK(is_float_seen(field, &map->anchors[0].distance, 0)); /* less than its parent's */
  CHECK(is_short_seen(field, &map->anchors[goal].parent, (uint16_t)goal)); /* a circle */
  CHECK(is_seen(field, &map->cells[open], &(uint8_t){CELL_BITS + 1}, 1));
  CHECK(is_float_seen(field, &map->distances[open], NAN));
  CHECK(is_float_seen(field, &map->distances[open], INFINITY)); /* but with an aim */
  CHECK(is_float_seen(field, &map->distances[open], 0));        /* less than its aim's */
  CHECK(is_float_seen(field, &map->distances[blocked], 99));    /* without an aim */
  CHECK(is_short_seen(field, &map->aims[open], (uint16_t)map->anchorCount));
  CHECK(is_short_seen(field, &map->aims[behind], (uint16_t)goal)); /* out of sight */
  CHECK(is_seen(field, &map->cells[blocked], &(uint8_t){0}, 1));
  const flow_anchor turn = {{9, 10.5f}, map->anchors[0].distance, (uint16_t)goal, 0};
  const flow_anchor before = map->anchors[0];
  map->anchors[0] = turn; /* its parent is out of sight */
  CHECK(!copse_flowfield_validate(field));
  map->anchors[0] = before;

  bool done;
  CHECK(copse_flowfield_build_part(field, 1, &done, NULL) == COPSE_OK && !done);
  CHECK(copse_flowfield_validate(field));
  CHECK(is_float_seen(field, &next->radius, 0));
  copse_flowfield_destroy(field);
  copse_obstacle_destroy(walls);
}

const unit_test FLOWFIELD_TESTS[] = {
    TEST(test_validate_detects_damage_in_a_field),
    TEST(test_definitions_outside_their_range_are_refused),
    TEST(test_cells_cover_the_bounds),
    TEST(test_arguments_are_checked),
    TEST(test_goals_are_checked),
    TEST(test_without_walls_paths_are_straight),
    TEST(test_a_path_goes_around_a_wall),
    TEST(test_corners_have_their_number_of_turning_points),
    TEST(test_unreachable_regions_have_no_path),
    TEST(test_goals_in_walls_are_moved),
    TEST(test_areas_and_costs),
    TEST(test_closed_cells),
    TEST(test_a_field_of_one_cell),
    TEST(test_degenerate_walls),
    TEST(test_a_boundary_keeps_paths_inside),
    TEST(test_a_full_field_says_how_much_it_needs),
    TEST(test_reserve_keeps_the_build_under_way),
    TEST(test_a_door_closes),
    TEST(test_an_update_takes_settings_when_it_begins),
    TEST(test_leading_an_agent),
    TEST(test_a_radius_may_be_many_cells),
    TEST(test_many_directions_are_single_ones),
    TEST(test_shapes_to_draw),
    TEST(test_snapshots_are_checked),
    TEST(test_snapshots_of_other_fields_are_refused),
    TEST(test_a_restored_field_knows_its_walls),
    TEST(test_drawn_levels_keep_their_promises),
    TEST(test_paths_are_nearly_shortest),
    TEST(test_wide_paths_are_found),
    TEST(test_agents_walk_to_their_goals),
    TEST(test_an_update_does_a_bounded_amount_of_work),
    {NULL, NULL, false},
};
