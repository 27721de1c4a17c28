/* No agent passes through walls, or comes nearer than its radius, however many edges they have. */

#include "unit.h"

#include "../../../c/base/core.h"

#include <math.h>

static const float RADIUS = 0.5f;
static const double LEAST = 0.5 - 3e-5; /* less rounding and the program's tolerance */

typedef struct hall {
  copse_obstacle *walls;
  copse_crowd *crowd;
} hall;

static hall hall_of(uint32_t edges, bool isExact) {
  hall made;
  copse_obstacle_def walls = copse_obstacle_default();
  copse_crowd_def crowd = copse_crowd_default();
  walls.capacity = 2 * edges;
  crowd.capacity = 4;
  crowd.exact = isExact;
  CHECK(copse_obstacle_create(&walls, &made.walls) == COPSE_OK);
  CHECK(copse_crowd_create(&crowd, &made.crowd) == COPSE_OK);
  return made;
}

static void add_segment(const hall *made, float x0, float y0, float x1, float y1) {
  const float points[] = {x0, y0, x1, y1};
  uint32_t slot;
  CHECK(copse_obstacle_add(made->walls, points, 2, COPSE_SOLID_NOWHERE, &slot) == COPSE_OK);
}

/* Adds a disc, or the inside of a ring, with the given number of edges. */
static void add_circle(const hall *made, uint32_t edges, double radius, bool isRing) {
  float *points = malloc(2 * edges * sizeof *points);
  const double pi = acos(-1);
  uint32_t slot;
  for (uint32_t i = 0; i < edges; i++) {
    const double angle = 2 * pi * (isRing ? edges - i : i) / edges;
    points[2 * i] = (float)(radius * cos(angle));
    points[2 * i + 1] = (float)(radius * sin(angle));
  }
  CHECK(copse_obstacle_add(made->walls, points, edges, COPSE_SOLID_WINDING, &slot) == COPSE_OK);
  free(points);
}

static void add_agent(const hall *made, float x, float y, float goalX, float goalY) {
  copse_crowd_agent agent = copse_crowd_agent_default();
  uint32_t slot;
  agent.position[0] = x;
  agent.position[1] = y;
  agent.goal[0] = goalX;
  agent.goal[1] = goalY;
  agent.radius = RADIUS;
  agent.maxSpeed = 2;
  agent.preferredSpeed = 1.5f;
  CHECK(copse_crowd_add(made->crowd, &agent, &slot) == COPSE_OK);
}

/* Steps a crowd of one agent for some seconds, then destroys the hall. Returns the smallest
 * distance from a wall, and writes the agent's last position. */
static double least_distance(hall *made, float timeStep, float seconds, float *end) {
  const float *position = copse_crowd_get(made->crowd).positions;
  double least = INFINITY;
  CHECK(copse_obstacle_build(made->walls, NULL) == COPSE_OK);
  for (float time = 0; time < seconds; time += timeStep) {
    copse_obstacle_point wall;
    CHECK(copse_crowd_step(made->crowd, made->walls, timeStep, NULL) == COPSE_OK);
    CHECK(!copse_obstacle_nearest(made->walls, position, INFINITY, COPSE_SIDE_BOTH, &wall, NULL));
    least = fmin(least, sqrt((double)wall.distance2));
  }
  memcpy(end, position, 2 * sizeof *end);
  copse_crowd_destroy(made->crowd);
  copse_obstacle_destroy(made->walls);
  return least;
}

/* Runs a scene with different numbers of edges, with long and short time steps, exact and not. */
static void for_each_step(void (*run)(uint32_t edges, float timeStep, bool isExact)) {
  const uint32_t edges[] = {129, 200, 2000, 20000};
  for (int i = 0; i < 4; i++)
    for (int isExact = 0; isExact < 2; isExact++) {
      run(edges[i], 0.25f, isExact);
      if (i < 3) run(edges[i], 1.0f / 60, isExact);
    }
}

static void go_through_one_wall_many_times(uint32_t edges, float timeStep, bool isExact) {
  hall made = hall_of(edges, isExact);
  float end[2];
  for (uint32_t i = 0; i < edges; i++) add_segment(&made, 3, -5, 3, 5);
  add_agent(&made, 1, 0, 8, 0);
  CHECK(least_distance(&made, timeStep, 4, end) >= LEAST);
  CHECK(end[0] < 2.5f + 1e-3f && end[0] > 2.25f);
}

static void go_around_a_disc(uint32_t edges, float timeStep, bool isExact) {
  hall made = hall_of(edges, isExact);
  float end[2];
  add_circle(&made, edges, 2, false);
  add_agent(&made, -3, 0.5f, 3, 0);
  CHECK(least_distance(&made, timeStep, 12, end) >= LEAST);
  CHECK(hypotf(end[0] - 3, end[1]) < 0.1f);
}

static void go_out_of_a_ring(uint32_t edges, float timeStep, bool isExact) {
  hall made = hall_of(edges, isExact);
  float end[2];
  add_circle(&made, edges, 3, true);
  add_agent(&made, 1.5f, 0.1f, 8, 1);
  CHECK(least_distance(&made, timeStep, 4, end) >= LEAST);
  CHECK(hypotf(end[0], end[1]) > 2.2f);
}

static void go_out_of_a_corridor(uint32_t edges, float timeStep, bool isExact) {
  hall made = hall_of(2 * edges, isExact);
  float end[2];
  const float side = 40 / (float)edges;
  for (uint32_t i = 0; i < 2 * edges; i++) {
    const float x = (float)(i / 2) * side - 20, y = i % 2 ? 0.7f : -0.7f;
    add_segment(&made, x, y, x + side, y);
  }
  add_agent(&made, -3, 0, 3, 4);
  CHECK(least_distance(&made, timeStep, 6, end) >= LEAST);
  CHECK(end[0] > 0 && end[1] > 0.1f);
}

/* Teeth that point at the agent. None covers another, and there are more than
 * COPSE_CROWD_OBSTACLES. */
static void go_out_of_teeth(uint32_t edges, float timeStep, bool isExact) {
  hall made = hall_of(edges, isExact);
  float end[2];
  for (uint32_t i = 0; i < edges; i++) {
    const double angle = 2 * acos(-1) * i / edges;
    const float x = (float)cos(angle), y = (float)sin(angle);
    add_segment(&made, x, y, 1.125f * x, 1.125f * y);
  }
  add_agent(&made, 0, 0, 8, 1);
  CHECK(least_distance(&made, timeStep, 3, end) >= LEAST);
  CHECK(end[0] > 0.3f);
}

static void test_no_agent_passes_through_walls_of_many_edges(void) {
  for_each_step(go_through_one_wall_many_times);
  for_each_step(go_around_a_disc);
  for_each_step(go_out_of_a_ring);
  copse_work = 0;
  for_each_step(go_out_of_a_corridor);
  CHECK(copse_work == 56320207); /* recorded: more work would find the same, slower */
  for_each_step(go_out_of_teeth);
}

/* Returns a random number from lo to hi. */
static float drawn(uint32_t *state, float lo, float hi) {
  return lo + (hi - lo) * (float)(random_word(state) >> 8) / 16777216;
}

/* Adds random segments, segments that meet in a point, or discs and stars, and builds. */
static void add_drawn_walls(const hall *made, uint32_t *state) {
  const uint32_t shape = (random_word(state) >> 8) % 3, count = 1 + (random_word(state) >> 8) % 8;
  uint32_t slot;
  for (uint32_t i = 0; i < count; i++) {
    float points[2 * 40], x = drawn(state, -6, 6), y = drawn(state, -6, 6);
    const uint32_t edges = shape == 2 ? 3 + (random_word(state) >> 8) % 38 : 2;
    const float size = drawn(state, 0.3f, 3), least = random_word(state) >> 31 ? 1 : 0.3f;
    for (uint32_t k = 0; k < edges; k++) {
      const double angle = shape == 2 ? 2 * acos(-1) * k / edges : (double)drawn(state, 0, 6.28f);
      const double far = (double)(shape == 2 ? size * drawn(state, least, 1) : (float)k * size);
      points[2 * k] = (shape == 1 ? 1 : x) + (float)(far * cos(angle));
      points[2 * k + 1] = (shape == 1 ? 1 : y) + (float)(far * sin(angle));
    }
    const bool isTwoSided = edges == 2 && random_word(state) >> 31;
    CHECK(copse_obstacle_add(made->walls, points, edges,
                             isTwoSided ? COPSE_SOLID_NOWHERE : COPSE_SOLID_WINDING,
                             &slot) == COPSE_OK);
  }
  CHECK(copse_obstacle_build(made->walls, NULL) == COPSE_OK);
}

/* Adds an agent at a random place, at rest. False if the place is not clear of all walls. */
static bool place_agent(const hall *made, uint32_t *state, float radius, bool isLimited) {
  copse_crowd_agent agent = copse_crowd_agent_default();
  copse_obstacle_point wall;
  uint32_t slot;
  bool isInside;
  for (int axis = 0; axis < 2; axis++) {
    agent.position[axis] = drawn(state, -8, 8);
    agent.goal[axis] = drawn(state, -8, 8);
  }
  agent.radius = radius;
  agent.maxSpeed = random_word(state) >> 30 ? 2 : 10;
  agent.preferredSpeed = agent.maxSpeed * drawn(state, 0.3f, 1);
  agent.obstacleTimeHorizon = random_word(state) >> 31 ? 2 : 0.1f;
  if (isLimited) agent.maxAcceleration = drawn(state, 0.05f, 2) * agent.maxSpeed;
  copse_obstacle_contains(made->walls, agent.position, &isInside, NULL);
  copse_obstacle_nearest(made->walls, agent.position, INFINITY, COPSE_SIDE_BOTH, &wall, NULL);
  if (isInside || wall.distance2 < 1.1f * radius * radius) return false;
  return copse_crowd_add(made->crowd, &agent, &slot) == COPSE_OK;
}

/* Walks one agent at a time. If its acceleration is limited, it may touch a wall a little: measured
 * in 60,000 walks, 3 of them came nearer than the tolerance of other agents, by 1.3% at most. */
static void walk_among_drawn_walls(bool isLimited) {
  const double tolerance = isLimited ? 0.02 : 1e-3;
  uint32_t state = 12, walked = 0;
  for (uint32_t i = 0; i < repeats(6000); i++) {
    hall made = hall_of(400, random_word(&state) >> 31);
    const float radius = drawn(&state, 0.1f, 0.7f);
    const float timeStep = random_word(&state) >> 31 ? 0.25f : 1.0f / 60;
    add_drawn_walls(&made, &state);
    const bool isPlaced = place_agent(&made, &state, radius, isLimited);
    const float *position = copse_crowd_get(made.crowd).positions;
    for (float time = 0; isPlaced && time < 6; time += timeStep) {
      const float before[2] = {position[0], position[1]};
      copse_obstacle_point wall;
      bool isClear = true;
      CHECK(copse_crowd_step(made.crowd, made.walls, timeStep, NULL) == COPSE_OK);
      copse_obstacle_nearest(made.walls, position, INFINITY, COPSE_SIDE_BOTH, &wall, NULL);
      if (position[0] != before[0] || position[1] != before[1])
        copse_obstacle_visible(made.walls, before, position, 0, &isClear, NULL);
      CHECK(isClear && sqrt((double)wall.distance2) >= (double)radius * (1 - tolerance) - 1e-5);
    }
    walked += isPlaced;
    copse_crowd_destroy(made.crowd);
    copse_obstacle_destroy(made.walls);
  }
  CHECK(walked > repeats(6000) / 2);
}

static void test_an_agent_stays_clear_of_any_walls(void) { walk_among_drawn_walls(false); }

static void test_an_agent_of_limited_acceleration_stays_clear_of_any_walls(void) {
  walk_among_drawn_walls(true);
}

const unit_test CROWD_WALLS_TESTS[] = {
    TEST(test_no_agent_passes_through_walls_of_many_edges),
    TEST(test_an_agent_stays_clear_of_any_walls),
    TEST(test_an_agent_of_limited_acceleration_stays_clear_of_any_walls),
    {NULL, NULL, false},
};
