/* When agents of a crowd have arrived, set out again, and rest. */

#include "crowds.h"

#include "../../../c/crowd/crowd.h"

#include <math.h>

static copse_obstacle *no_walls(void) {
  const copse_obstacle_def def = copse_obstacle_default();
  copse_obstacle *walls;
  CHECK(copse_obstacle_create(&def, &walls) == COPSE_OK);
  return walls;
}

/* Adds a wall along y, from -9 to `end`. */
static void add_wall(copse_obstacle *walls, float x, float end) {
  const float segment[] = {x, -9, x, end};
  uint32_t slot;
  CHECK(copse_obstacle_add(walls, segment, 2, COPSE_SOLID_WINDING, &slot) == COPSE_OK);
  CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
}

static uint32_t step(copse_crowd *crowd, const copse_obstacle *walls, float timeStep) {
  CHECK(copse_crowd_step(crowd, walls, timeStep, NULL) == COPSE_OK);
  return copse_crowd_arrived(crowd);
}

/* A goal that differs in any bit starts an agent at once, however near it is, and the agent arrives
 * there again; also after its goal was taken away for a step. */
static void test_a_new_goal_starts_an_agent_at_once(void) {
  static const float MOVES[] = {0x1p-20f, 0.01f, 0.1f, 0.5f, 0.9f, 3};
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (int isExact = 0; isExact < 2; isExact++)
      for (int i = 0; i < 7; i++) {
        copse_crowd *crowd = crowd_of(dimensions, 1, 10, isExact);
        const copse_crowd_arrays arrays = copse_crowd_get(crowd);
        add_with_goal(crowd, 1, 0, 1, 0);
        CHECK(step(crowd, NULL, 0.1f) == 1 && step(crowd, NULL, 0.1f) == 0);
        if (i < 6)
          arrays.goals[0] += MOVES[i];
        else {
          arrays.goals[0] = NAN;
          CHECK(step(crowd, NULL, 0.1f) == 0);
          arrays.goals[0] = 1;
        }
        uint32_t arrivals = step(crowd, NULL, 0.1f);
        if (i < 6) CHECK(arrays.positions[0] > 1);
        for (int more = 0; more < 40; more++) arrivals += step(crowd, NULL, 0.1f);
        CHECK(arrivals == 1 && fabsf(arrays.positions[0] - arrays.goals[0]) < 0.01f);
        copse_crowd_destroy(crowd);
      }
}

/* Waypoints, each set when the agent has arrived at the one before: the agent makes no stop, and
 * takes little longer than along a straight line. */
static void test_waypoints_take_no_longer_than_a_straight_line(void) {
  static const float GAPS[] = {0.25f, 0.5f, 1, 2};
  for (int i = 0; i < 4; i++)
    for (int isWide = 0; isWide < 2; isWide++) {
      copse_crowd *crowd = crowd_of(2, 1, 10, false);
      const copse_crowd_arrays arrays = copse_crowd_get(crowd);
      add_with_goal(crowd, 0, 0, GAPS[i], 0);
      if (isWide) arrays.arrivalRadii[0] = GAPS[i] / 2;
      float slowest = INFINITY;
      uint32_t reached = 0;
      for (int frame = 0; frame < 600; frame++) { /* 10 s at 1 unit a second */
        if (step(crowd, NULL, 1 / 60.0f)) arrays.goals[0] = GAPS[i] * (float)(++reached + 1);
        if (arrays.velocities[0] < slowest) slowest = arrays.velocities[0];
      }
      CHECK(arrays.positions[0] >= (isWide ? 9.9f : 8));
      CHECK(slowest >= (isWide ? 0.999f : 0.3f));
      copse_crowd_destroy(crowd);
    }
}

/* An agent arrives as soon as its distance is at most its arrivalRadius. There it stops,
 * even if another agent stands at the goal, and stays when it is pushed about inside. */
static void test_an_agent_arrives_within_its_arrival_radius(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (int isExact = 0; isExact < 2; isExact++) {
      copse_crowd *crowd = crowd_of(dimensions, 2, 10, isExact);
      const copse_crowd_arrays arrays = copse_crowd_get(crowd);
      const uint32_t own = add_with_goal(crowd, 0, 0, 10, 0);
      arrays.locked[add_with_goal(crowd, 10, 0, NAN, NAN)] = 1; /* stands at the goal */
      arrays.arrivalRadii[own] = 1.5f;
      uint32_t arrivals = 0;
      for (int frame = 0; frame < 200; frame++) arrivals += step(crowd, NULL, 0.1f);
      const float away = hypotf(arrays.positions[0] - 10, arrays.positions[1]);
      CHECK(arrivals == 1 && away <= 1.5f && away >= 1.2f);
      CHECK(fabsf(arrays.velocities[0]) < 1e-6f);
      arrays.positions[0] = 8.6f;
      CHECK(step(crowd, NULL, 0.1f) == 0 && fabsf(arrays.positions[0] - 8.6f) < 1e-6f);
      arrays.positions[0] = 2; /* pushed away */
      for (int frame = 0; frame < 200; frame++) arrivals += step(crowd, NULL, 0.1f);
      CHECK(arrivals == 2);
      copse_crowd_destroy(crowd);
    }
}

/* A goal that moves steadily, written less often than the crowd steps: the agent follows it without
 * a stop. */
static void test_a_follower_moves_evenly(void) {
  for (int every = 1; every <= 6; every++) {
    copse_crowd *crowd = crowd_of(2, 1, 10, false);
    const copse_crowd_arrays arrays = copse_crowd_get(crowd);
    add_with_goal(crowd, 0, 0, 1, 0);
    arrays.preferredSpeeds[0] = 1.5f;
    int still = 0;
    for (int frame = 0; frame < 600; frame++) {
      if (frame % every == 0) arrays.goals[0] = 1 + (float)frame / 60;
      step(crowd, NULL, 1 / 60.0f);
      still += frame > 60 && arrays.velocities[0] < 0.4f;
    }
    CHECK(still <= 10);
    copse_crowd_destroy(crowd);
  }
}

/* Agents that share a goal come to rest around it, but not on the other side of a wall. */
static void test_nobody_arrives_beside_somebody_beyond_a_wall(void) {
  for (int isWall = 0; isWall < 2; isWall++) {
    copse_crowd *crowd = crowd_of(2, 2, 10, false);
    copse_obstacle *walls = no_walls();
    add_wall(walls, 1, isWall ? 9 : -8);
    add_with_goal(crowd, 1.55f, 0, 1.55f, 0);
    add_with_goal(crowd, -4, 0, 1.55f, 0);
    const copse_crowd_arrays arrays = copse_crowd_get(crowd);
    uint32_t arrivals[2] = {0};
    for (int frame = 0; frame < 300; frame++) {
      const uint32_t count = step(crowd, walls, 0.1f);
      for (uint32_t i = 0; i < count; i++) arrivals[arrays.arrived[i]]++;
    }
    CHECK(arrivals[0] >= 1 && (arrivals[1] == 0) == (isWall == 1));
    CHECK(arrays.positions[2] < 1);
    copse_crowd_destroy(crowd);
    copse_obstacle_destroy(walls);
  }
}

static void run(copse_crowd *crowd, int frames) {
  while (frames-- > 0) step(crowd, NULL, 1 / 60.0f);
}

/* An idle agent lets another pass and goes back to where it became idle or was put since, unless
 * its priority is higher. An agent that walked by its preferred velocity stays where it stops. */
static void test_an_idle_agent_makes_way_and_goes_back(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (int isFirm = 0; isFirm < 2; isFirm++) {
      copse_crowd *crowd = crowd_of(dimensions, 2, 10, false);
      const copse_crowd_arrays arrays = copse_crowd_get(crowd);
      add_with_goal(crowd, 9, 9, NAN, NAN);
      add_with_goal(crowd, 0, 0, 10, 0);
      arrays.goals[dimensions] = NAN; /* not yet */
      run(crowd, 30);
      arrays.preferredVelocities[0] = -2;
      run(crowd, 120);
      CHECK(fabsf(arrays.positions[0] - 5) < 0.01f);
      arrays.preferredVelocities[0] = 0;
      run(crowd, 120);
      CHECK(fabsf(arrays.positions[0] - 5) < 0.01f);
      arrays.positions[1] = 0.2f; /* the game puts it in the way */
      arrays.priorities[0] = isFirm ? 1 : 0;
      arrays.goals[dimensions] = 10;
      float pushed = 0;
      for (int frame = 0; frame < 1200; frame++) {
        run(crowd, 1);
        pushed = fmaxf(pushed, hypotf(arrays.positions[0] - 5, arrays.positions[1] - 0.2f));
      }
      CHECK(fabsf(arrays.positions[dimensions] - 10) < 0.1f);
      CHECK(isFirm ? pushed < 0.01f : pushed > 0.1f);
      CHECK(hypotf(arrays.positions[0] - 5, arrays.positions[1] - 0.2f) < 0.02f);
      copse_crowd_destroy(crowd);
    }
}

/* Two agents share a goal: one is there, the other rests behind it, until a wall comes between. */
static void test_a_wall_that_comes_between_ends_the_rest(void) {
  copse_crowd *crowd = crowd_of(2, 2, 10, false);
  const copse_crowd_arrays arrays = copse_crowd_get(crowd);
  copse_obstacle *walls = no_walls();
  uint32_t stuck = 0;
  add_with_goal(crowd, 0, 0, 0, 0);
  add_with_goal(crowd, -3, 0, 0, 0);
  uint32_t arrivals = 0;
  for (int frame = 0; frame < 600; frame++) arrivals += step(crowd, walls, 1 / 60.0f);
  CHECK(arrivals == 2 && fabsf(arrays.positions[2] + 1) < 0.1f);
  for (int frame = 0; frame < 300; frame++) {
    step(crowd, walls, 1 / 60.0f);
    stuck += copse_crowd_stuck(crowd);
  }
  CHECK(stuck == 0);
  add_wall(walls, -0.5f, 9);
  for (int frame = 0; frame < 300; frame++) {
    step(crowd, walls, 1 / 60.0f);
    stuck += copse_crowd_stuck(crowd);
  }
  CHECK(stuck == 1);
  copse_crowd_destroy(crowd);
  copse_obstacle_destroy(walls);
}

/* An agent that waited for its goal, and then is given a velocity instead, forgets the waiting: it
 * does not turn aside by the angle that it had reached. */
static void test_a_given_velocity_ends_the_waiting(void) {
  for (int isExact = 0; isExact < 2; isExact++) {
    copse_crowd *crowd = crowd_of(2, 1, 10, isExact);
    const copse_crowd_arrays arrays = copse_crowd_get(crowd);
    add_with_goal(crowd, 0, 0, 9, 0);
    arrays.maxSpeeds[0] = 0;
    uint32_t stuck = 0;
    for (int frame = 0; frame < 180; frame++) {
      step(crowd, NULL, 1 / 60.0f);
      stuck += copse_crowd_stuck(crowd);
    }
    CHECK(stuck == 1 && crowd->fields[FIELD_WAITED][0] > 2);
    arrays.goals[0] = NAN;
    arrays.preferredVelocities[0] = 1;
    step(crowd, NULL, 1 / 60.0f);
    CHECK(crowd->fields[FIELD_WAITED][0] == 0);
    CHECK(!(crowd_whole(crowd, FIELD_STATE)[0] & CROWD_STUCK));
    copse_crowd_destroy(crowd);
  }
}

/* An idle agent that was pushed aside goes back to its very home: its arrivalRadius is for goals.
 */
static void test_an_idle_agent_ignores_its_arrival_radius(void) {
  copse_crowd *crowd = crowd_of(2, 2, 10, false);
  const copse_crowd_arrays arrays = copse_crowd_get(crowd);
  add_with_goal(crowd, 5, 0.2f, NAN, NAN);
  add_with_goal(crowd, 0, 0, 10, 0);
  arrays.arrivalRadii[0] = 2;
  float pushed = 0;
  for (int frame = 0; frame < 1200; frame++) {
    run(crowd, 1);
    pushed = fmaxf(pushed, hypotf(arrays.positions[0] - 5, arrays.positions[1] - 0.2f));
  }
  CHECK(pushed > 0.1f && hypotf(arrays.positions[0] - 5, arrays.positions[1] - 0.2f) < 0.02f);
  copse_crowd_destroy(crowd);
}

const unit_test CROWD_GOALS_TESTS[] = {
    TEST(test_a_new_goal_starts_an_agent_at_once),
    TEST(test_waypoints_take_no_longer_than_a_straight_line),
    TEST(test_an_agent_arrives_within_its_arrival_radius),
    TEST(test_a_follower_moves_evenly),
    TEST(test_nobody_arrives_beside_somebody_beyond_a_wall),
    TEST(test_an_idle_agent_makes_way_and_goes_back),
    TEST(test_a_wall_that_comes_between_ends_the_rest),
    TEST(test_a_given_velocity_ends_the_waiting),
    TEST(test_an_idle_agent_ignores_its_arrival_radius),
    {NULL, NULL, false},
};
