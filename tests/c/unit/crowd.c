/* The crowd. */

#include "../crowd.h"
#include "../program.h"
#include "../scenes.h"
#include "unit.h"

#include "../../../c/crowd/orca.h"

#include <float.h>

static void test_programs_equal_the_slow_way(void) {
  uint32_t state = 1;
  for (int dimensions = 2; dimensions <= 3; dimensions++)
    for (uint32_t i = 0; i < repeats(dimensions == 2 ? 6000 : 900); i++) {
      const char *wrong = compare_program(&state, dimensions, (int)(i % PROGRAM_SLANTS));
      if (wrong) printf("program %u in %dD: %s\n", i, dimensions, wrong);
      CHECK(!wrong);
    }
}

/* Planes tilted so little against each other that they count as one, or by just more than that. */
static void test_planes_that_are_almost_one(void) {
  uint32_t state = 3, solved = 0;
  for (uint32_t round = 0; round < repeats(20000); round++) {
    orca3 all = {.count = 3 + round % 4};
    const double least = (const double[]){3e-3, 3e-5, 1e-5, 1e-6}[round / 4 % 4];
    double normals[8][3], offsets[8];
    for (uint32_t plane = 0; plane < all.count; plane++) {
      const bool isAlike = plane && random_word(&state) % 2;
      double length2 = 0;
      for (int axis = 0; axis < 3; axis++) {
        const double tilt = random_number(&state, -1, 1);
        normals[plane][axis] = isAlike ? normals[0][axis] + least * tilt : tilt;
        length2 += normals[plane][axis] * normals[plane][axis];
      }
      offsets[plane] = isAlike ? offsets[0] + random_number(&state, -2e-3, 2e-3)
                               : random_number(&state, -1, 0.7);
      for (int axis = 0; axis < 3; axis++) {
        normals[plane][axis] /= sqrt(length2);
        all.normal[axis][plane] = (float)normals[plane][axis];
        all.point[axis][plane] = (float)(normals[plane][axis] * offsets[plane]);
      }
    }
    float preferred[3], velocity[3];
    double speed2 = 0;
    for (int axis = 0; axis < 3; axis++) preferred[axis] = (float)random_number(&state, -1, 1);
    const bool holds = orca3_solve(&all, preferred, 1, velocity);
    for (int axis = 0; axis < 3; axis++) speed2 += (double)velocity[axis] * (double)velocity[axis];
    CHECK(speed2 <= 1.00002);
    for (uint32_t plane = 0; plane < all.count && holds; plane++) {
      double along = 0;
      for (int axis = 0; axis < 3; axis++) along += normals[plane][axis] * (double)velocity[axis];
      CHECK(offsets[plane] - along <= 1e-5);
    }
    solved += holds;
  }
  CHECK(solved > repeats(10000));
}

/* Lines along an axis, two of them alike: of y <= -1, y >= 1 and y >= 2 the worst violation is
 * least in the middle; and the same turned by a quarter. */
static void test_lines_along_an_axis_that_are_alike(void) {
  static const float OFFSETS[] = {-1, 1, 2}, SIDES[] = {-1, 1, 1};
  for (int isTurned = 0; isTurned < 2; isTurned++) {
    orca2 all = {.count = 3};
    for (int i = 0; i < 3; i++) {
      (isTurned ? all.x : all.y)[i] = isTurned ? -OFFSETS[i] : OFFSETS[i];
      (isTurned ? all.directionY : all.directionX)[i] = SIDES[i];
    }
    float velocity[2];
    CHECK(!orca2_solve(&all, (float[]){0, 0}, 10, velocity));
    CHECK(fabsf(velocity[isTurned ? 0 : 1] - (isTurned ? -0.5f : 0.5f)) < 1e-5f);
    CHECK(fabsf(velocity[isTurned ? 1 : 0]) <= 10);
  }
}

/* Planes that are just more than parallel, which nobody can keep: their bisectors pass far away. */
static void test_bisectors_that_pass_far_away(void) {
  static const uint32_t STATES[] = {1663992755, 2988747535, 680474515, 2001592104,
                                    3611215345, 723238394,  2931483537};
  for (size_t i = 0; i < sizeof STATES / sizeof *STATES; i++) {
    uint32_t state = STATES[i];
    CHECK(!compare_program(&state, 3, 1));
  }
}

/* Planes whose lines run along others, or far out: the way along them must not be given up where
 * only its beginning is forbidden, nor the way out where it is short. */
static void test_lines_that_run_along_planes(void) {
  static const struct {
    uint32_t state;
    int slant;
  } DRAWN[] = {{2753918010, 0}, {2142406516, 0}, {458281620, 0},  {2847087514, 0}, {2534336598, 0},
               {1268823954, 1}, {1182254681, 1}, {3325864795, 1}, {229168600, 1},  {120404830, 1},
               {2591573441, 1}, {812651089, 1},  {721741606, 1},  {2720489457, 1}, {2966960894, 1}};
  for (size_t i = 0; i < sizeof DRAWN / sizeof *DRAWN; i++) {
    uint32_t state = DRAWN[i].state;
    CHECK(!compare_program(&state, 3, DRAWN[i].slant));
  }
}

static void test_crowds_hold_under_any_calls(void) {
  static uint8_t bytes[1500];
  uint32_t state = 1;
  for (uint32_t sequence = 0; sequence < repeats(300); sequence++) {
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(random_word(&state) >> 8);
    const char *wrong = play_crowd(bytes, sizeof bytes);
    if (wrong) printf("sequence %u: %s\n", sequence, wrong);
    CHECK(!wrong);
  }
}

static copse_crowd *crowd_of(uint32_t dimensions, uint32_t capacity) {
  copse_crowd_def def = copse_crowd_default();
  def.dimensions = dimensions;
  def.capacity = capacity;
  copse_crowd *crowd;
  CHECK(copse_crowd_create(&def, &crowd) == COPSE_OK);
  return crowd;
}

static uint32_t add_agent(copse_crowd *crowd, float x, float y, float radius) {
  copse_crowd_agent agent = copse_crowd_agent_default();
  uint32_t slot;
  agent.position[0] = x;
  agent.position[1] = y;
  agent.radius = radius;
  CHECK(copse_crowd_add(crowd, &agent, &slot) == COPSE_OK);
  return slot;
}

static void steps_of(copse_crowd *crowd, const copse_obstacle *walls, int steps) {
  for (int i = 0; i < steps; i++) CHECK(copse_crowd_step(crowd, walls, 0.125f, NULL) == COPSE_OK);
}

static void test_coincident_agents_part(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (int exact = 0; exact < 2; exact++)
      for (uint32_t n = 2; n <= 10; n += n == 3 ? 7 : 1) {
        uint32_t hashes[2];
        for (int again = 0; again < 2; again++) {
          copse_crowd_def def = copse_crowd_default();
          def.dimensions = dimensions;
          def.exact = exact;
          copse_crowd *crowd;
          CHECK(copse_crowd_create(&def, &crowd) == COPSE_OK);
          copse_crowd_agent agent = copse_crowd_agent_default();
          agent.position[0] = 3;
          agent.velocity[1] = agent.preferredVelocity[1] = 1; /* all alike */
          uint32_t slot;
          for (uint32_t i = 0; i < n; i++) copse_crowd_add(crowd, &agent, &slot);
          CHECK(copse_crowd_step(crowd, NULL, 0.125f, NULL) == COPSE_OK);
          CHECK(copse_crowd_stats(crowd).overlaps == n);
          steps_of(crowd, NULL, 100);
          CHECK(copse_crowd_stats(crowd).infeasible == 0);
          const float *positions = copse_crowd_get(crowd).positions;
          for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < a; b++) {
              double distance2 = 0;
              for (uint32_t axis = 0; axis < dimensions; axis++)
                distance2 += pow((double)positions[a * dimensions + axis] -
                                     (double)positions[b * dimensions + axis],
                                 2);
              CHECK(distance2 > 0.999 * 0.999);
            }
          hashes[again] = copse_crowd_hash(crowd);
          copse_crowd_destroy(crowd);
        }
        CHECK(hashes[0] == hashes[1]);
      }
}

/* As near to each other as floats can be, of either zero, with equal velocities: coincident. */
static void test_agents_denormally_apart_part(void) {
  static const float XS[] = {0, -0.0f, 1e-45f, -1e-45f, 3e-39f, 1e-24f};
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    uint32_t hashes[2];
    for (int again = 0; again < 2; again++) {
      copse_crowd *crowd = crowd_of(dimensions, 6);
      const copse_crowd_arrays all = copse_crowd_get(crowd);
      for (uint32_t slot = 0; slot < 6; slot++) {
        add_agent(crowd, XS[slot], XS[5 - slot], 0.5f);
        all.velocities[slot * dimensions] = all.preferredVelocities[slot * dimensions] = 1;
      }
      steps_of(crowd, NULL, 1);
      CHECK(copse_crowd_stats(crowd).overlaps == 6);
      steps_of(crowd, NULL, 100);
      for (uint32_t a = 0; a < 6; a++)
        for (uint32_t b = 0; b < a; b++) {
          double distance2 = 0;
          for (uint32_t axis = 0; axis < dimensions; axis++)
            distance2 += pow((double)all.positions[a * dimensions + axis] -
                                 (double)all.positions[b * dimensions + axis],
                             2);
          CHECK(distance2 > 0.999 * 0.999);
        }
      hashes[again] = copse_crowd_hash(crowd);
      copse_crowd_destroy(crowd);
    }
    CHECK(hashes[0] == hashes[1]);
  }
}

static void test_minus_zero_is_zero_to_a_crowd(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowds[2];
    for (int sign = 0; sign < 2; sign++) {
      const float zero = sign ? -0.0f : 0;
      copse_crowd *crowd = crowds[sign] = crowd_of(dimensions, 6);
      const copse_crowd_arrays all = copse_crowd_get(crowd);
      for (uint32_t slot = 0; slot < 6; slot++) {
        add_agent(crowd, slot % 3 ? (float)(slot % 3) / 2 : zero, slot / 3 ? 0.5f : zero, 0.5f);
        for (uint32_t axis = 1; axis < dimensions; axis++)
          all.velocities[slot * dimensions + axis] =
              all.preferredVelocities[slot * dimensions + axis] = zero;
        all.preferredVelocities[slot * dimensions] = slot % 2 ? 1 : -1;
        if (slot < 3) all.goals[slot * dimensions] = all.goals[slot * dimensions + 1] = zero;
        if (slot < 3) all.goals[slot * dimensions + dimensions - 1] = zero;
        all.priorities[slot] = zero;
      }
    }
    for (int step = 0; step < 50; step++) {
      CHECK(copse_crowd_hash(crowds[0]) == copse_crowd_hash(crowds[1]));
      for (int sign = 0; sign < 2; sign++) steps_of(crowds[sign], NULL, 1);
    }
    for (int sign = 0; sign < 2; sign++) copse_crowd_destroy(crowds[sign]);
  }
}

static void test_agents_at_the_ends_of_what_is_accepted(void) {
  const float huge = COPSE_MAX_COORDINATE, beyond = nextafterf(huge, INFINITY);
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, 16);
    const copse_crowd_arrays all = copse_crowd_get(crowd);
    for (int i = 0; i < 12; i++) { /* three in each corner */
      const uint32_t slot = add_agent(crowd, i & 1 ? huge : -huge, i & 2 ? huge : -huge, 0.5f);
      all.positions[slot * dimensions + dimensions - 1] = i & 2 ? huge : -huge;
      all.preferredVelocities[slot * dimensions] = 1;
      all.neighborDistances[slot] = INFINITY;
      if (i % 3 == 0) all.goals[slot * dimensions] = all.goals[slot * dimensions + 1] = -huge;
      if (i % 3 == 0) all.goals[slot * dimensions + dimensions - 1] = huge;
    }
    float before[3 * 12];
    memcpy(before, all.positions, 12 * dimensions * sizeof *before);
    steps_of(crowd, NULL, 20);
    /* A step is less than what tells two floats from each other there. */
    CHECK(memcmp(before, all.positions, 12 * dimensions * sizeof *before) == 0);
    for (uint32_t i = 0; i < 12 * dimensions; i++) CHECK(fabsf(all.velocities[i]) <= 2.0001f);
    for (int field = 0; field < 3; field++)
      for (int sign = -1; sign <= 1; sign += 2) {
        copse_crowd_agent agent = copse_crowd_agent_default();
        float *vectors[] = {agent.position, agent.velocity, agent.preferredVelocity};
        uint32_t slot;
        const uint32_t hash = copse_crowd_hash(crowd);
        vectors[field][dimensions - 1] = (float)sign * beyond;
        CHECK(copse_crowd_add(crowd, &agent, &slot) == COPSE_NOT_FINITE && slot == COPSE_NONE);
        CHECK(copse_crowd_hash(crowd) == hash && copse_crowd_count(crowd) == 12);
        vectors[field][dimensions - 1] = (float)sign * huge;
        CHECK(copse_crowd_add(crowd, &agent, &slot) == COPSE_OK);
        CHECK(copse_crowd_remove(crowd, slot) == COPSE_OK);
      }
    copse_crowd_destroy(crowd);
  }
}

static void test_nobody_and_one(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, 1);
    copse_crowd_view view;
    uint32_t words[64];
    size_t total;
    steps_of(crowd, NULL, 2);
    CHECK(copse_crowd_stats(crowd).agents == 0 && copse_crowd_stats(crowd).neighbors == 0);
    CHECK(copse_crowd_inspect(crowd, NULL, 1, 0, &view) == COPSE_STALE_SLOT);
    CHECK(copse_crowd_arrived(crowd) == 0 && copse_crowd_stuck(crowd) == 0);
    CHECK(copse_crowd_save(crowd, words, sizeof words, &total, NULL) == COPSE_OK);
    CHECK(add_agent(crowd, 3, 4, 1) == 0);
    copse_crowd_get(crowd).preferredVelocities[0] = 1;
    steps_of(crowd, NULL, 8);
    CHECK(copse_crowd_get(crowd).positions[0] == 4 && copse_crowd_get(crowd).positions[1] == 4);
    CHECK(copse_crowd_stats(crowd).agents == 1 && copse_crowd_stats(crowd).neighbors == 0);
    CHECK(copse_crowd_inspect(crowd, NULL, 1, 0, &view) == COPSE_OK && view.neighborCount == 0);
    CHECK(copse_crowd_restore(crowd, words, total) == COPSE_OK && copse_crowd_count(crowd) == 0);
    steps_of(crowd, NULL, 1);
    copse_crowd_destroy(crowd);
  }
}

/* Eight are as far from the last, who heeds some: those of the lowest ids, to look at and in a
 * step, so that the others might as well not be there. */
static void test_of_neighbors_as_far_the_lower_ids_are_heeded(void) {
  enum { RING = 8 };
  static const float RING_AT[RING][2] = {{-3, 4}, {3, 4},  {4, -3}, {5, 0},
                                         {0, -5}, {-5, 0}, {0, 5},  {-4, 3}};
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (uint32_t most = 0; most <= RING + 1; most++) {
      float velocities[2][3];
      for (int few = 0; few < 2; few++) {
        copse_crowd *crowd = crowd_of(dimensions, RING + 1);
        const copse_crowd_arrays all = copse_crowd_get(crowd);
        const uint32_t heeded = most < RING ? most : RING;
        for (uint32_t i = 0; i < RING; i++) add_agent(crowd, RING_AT[i][0], RING_AT[i][1], 2);
        const uint32_t last = add_agent(crowd, 0, 0, 2);
        for (uint32_t i = heeded; few && i < RING; i++)
          CHECK(copse_crowd_remove(crowd, i) == COPSE_OK);
        all.preferredVelocities[last * dimensions] = 1.5f;
        all.maxNeighbors[last] = most;
        all.neighborDistances[last] = 5; /* inclusive */
        copse_crowd_view view;
        CHECK(copse_crowd_inspect(crowd, NULL, 0.125f, last, &view) == COPSE_OK);
        CHECK(view.neighborCount == heeded);
        for (uint32_t i = 0; i < heeded; i++) CHECK(view.neighbors[i] == i);
        steps_of(crowd, NULL, 1);
        memcpy(velocities[few], all.velocities + last * dimensions, dimensions * sizeof(float));
        copse_crowd_destroy(crowd);
      }
      CHECK(memcmp(velocities[0], velocities[1], dimensions * sizeof(float)) == 0);
    }
}

/* Steps that are no time at all, and ones that are for ever. */
static void test_steps_of_any_size_stay_finite(void) {
  static const float STEPS[] = {1e-45f, 1e-38f, 1e-30f, 1e-10f, 1e3f, 1e10f, 1e17f};
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++)
      for (int horizon = 0; horizon < 3; horizon++) {
        copse_crowd *crowd = crowd_of(dimensions, 30);
        const copse_crowd_arrays all = copse_crowd_get(crowd);
        uint32_t state = 1;
        for (uint32_t slot = 0; slot < 30; slot++) {
          const float x = (float)(random_word(&state) % 8) / 2;
          add_agent(crowd, x, (float)(random_word(&state) % 8) / 2, 0.5f);
          all.timeHorizons[slot] = horizon == 0 ? 0 : horizon == 1 ? 2 : 1e18f;
          all.preferredVelocities[slot * dimensions] = slot % 2 ? 1 : -1;
          if (slot % 3 == 0) memset(all.goals + slot * dimensions, 0, dimensions * sizeof(float));
        }
        for (int step = 0; step < 3; step++) {
          CHECK(copse_crowd_step(crowd, NULL, STEPS[i], NULL) == COPSE_OK);
          for (uint32_t slot = 0; slot < 30; slot++) {
            double speed2 = 0;
            for (uint32_t axis = 0; axis < dimensions; axis++) {
              speed2 += pow((double)all.velocities[slot * dimensions + axis], 2);
              CHECK(fabsf(all.positions[slot * dimensions + axis]) <= COPSE_MAX_COORDINATE);
            }
            CHECK(sqrt(speed2) <= 2 * (1 + 1e-5));
          }
        }
        copse_crowd_destroy(crowd);
      }
}

static void test_steps_refuse_what_is_no_time(void) {
  static const float BAD[] = {0, -0.0f, -1, NAN, INFINITY, -INFINITY, 1.1e18f};
  copse_crowd *crowd = crowd_of(2, 4), *space = crowd_of(3, 4);
  copse_obstacle_def def = copse_obstacle_default();
  copse_obstacle *walls;
  CHECK(copse_obstacle_create(&def, &walls) == COPSE_OK);
  copse_crowd_view view;
  add_agent(crowd, 0, 0, 1);
  add_agent(space, 0, 0, 1);
  const uint32_t before = copse_crowd_hash(crowd);
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
    CHECK(copse_crowd_step(crowd, NULL, BAD[i], NULL) == COPSE_INVALID_ARGUMENT);
    CHECK(copse_crowd_inspect(crowd, NULL, BAD[i], 0, &view) == COPSE_INVALID_ARGUMENT);
  }
  CHECK(copse_crowd_inspect(crowd, NULL, 1, 0, &view) == COPSE_OK && view.wallCount == 0);
  CHECK(copse_crowd_hash(crowd) == before && copse_crowd_stats(crowd).steps == 0);
  CHECK(copse_crowd_step(space, walls, 1, NULL) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_crowd_step(space, NULL, COPSE_MAX_COORDINATE, NULL) == COPSE_OK);
  CHECK(copse_crowd_inspect(space, walls, 1, 0, &view) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_crowd_inspect(space, NULL, 1, 1, &view) == COPSE_STALE_SLOT);
  copse_crowd_destroy(crowd);
  copse_crowd_destroy(space);
  copse_obstacle_destroy(walls);
}

static void test_what_is_not_finite_is_named_and_changes_nothing(void) {
  static const float BAD[] = {NAN, INFINITY, -INFINITY, 1.1e18f};
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (int field = 0; field < 4; field++)
      for (int i = 0; i < 4; i++) {
        copse_crowd *crowd = crowd_of(dimensions, 8);
        for (int agent = 0; agent < 6; agent++) add_agent(crowd, (float)agent / 2, 0, 1);
        copse_crowd_remove(crowd, 2);
        copse_crowd_arrays all = copse_crowd_get(crowd);
        float *fields[] = {all.positions, all.velocities, all.preferredVelocities, all.goals};
        fields[field][2 * dimensions] = NAN; /* of nobody */
        for (uint32_t slot = 3; slot < 5; slot++)
          fields[field][slot * dimensions + dimensions - 1] = BAD[i];
        const uint32_t before = copse_crowd_hash(crowd);
        uint32_t firstBad = 99;
        size_t total;
        const copse_status expected = field < 3 ? COPSE_NOT_FINITE : COPSE_OK; /* no goal */
        CHECK(copse_crowd_step(crowd, NULL, 0.5f, &firstBad) == expected);
        CHECK(firstBad == (field < 3 ? 3 : 99));
        if (field < 3) CHECK(copse_crowd_step(crowd, NULL, 0.5f, NULL) == COPSE_NOT_FINITE);
        CHECK((copse_crowd_hash(crowd) == before) == (field < 3));
        CHECK(copse_crowd_save(crowd, NULL, 0, &total, NULL) ==
              (field < 3 ? COPSE_NOT_FINITE : COPSE_FULL));
        copse_crowd_agent agent = copse_crowd_agent_default();
        float *vectors[] = {agent.position, agent.velocity, agent.preferredVelocity, agent.goal};
        uint32_t slot;
        vectors[field][dimensions - 1] = BAD[i];
        CHECK(copse_crowd_add(crowd, &agent, &slot) == expected);
        CHECK(slot == (field < 3 ? COPSE_NONE : 2));
        copse_crowd_destroy(crowd);
      }
}

/* Two agents that meet head-on and a wall beside them, with one word changed for both. */
static uint32_t hash_with(int field, float value) {
  copse_crowd *crowd = crowd_of(2, 4);
  for (int agent = 0; agent < 2; agent++) {
    const uint32_t slot = add_agent(crowd, agent ? 1.5f : -1.5f, 0.01f * (float)agent, 0.5f);
    copse_crowd_get(crowd).preferredVelocities[2 * slot] = agent ? -1 : 1;
    crowd->fields[field][slot] = value;
  }
  copse_obstacle_def def = copse_obstacle_default();
  copse_obstacle *walls;
  uint32_t polygon;
  CHECK(copse_obstacle_create(&def, &walls) == COPSE_OK);
  CHECK(copse_obstacle_add(walls, (float[]){-9, 1, 9, 1}, 2, COPSE_SOLID_WINDING, &polygon) ==
        COPSE_OK);
  CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
  steps_of(crowd, walls, 16);
  CHECK(crowd_bad_slot(&(crowd_game){.crowd = crowd, .used = {true, true}}, true) == COPSE_NONE);
  for (uint32_t slot = 0; slot < 2; slot++) crowd->fields[field][slot] = 0; /* not in the hash */
  const uint32_t hash = copse_crowd_hash(crowd);
  copse_crowd_destroy(crowd);
  copse_obstacle_destroy(walls);
  return hash;
}

static void test_numbers_out_of_range_count_as_the_nearest(void) {
  /* A horizon is at least a step. */
  const int HORIZONS[] = {FIELD_TIME_HORIZON, FIELD_TIME_HORIZON_OBSTACLES};
  const float SHORT[] = {0, -1, NAN, 0.1f, 1e-45f, -INFINITY};
  for (int field = 0; field < 2; field++)
    for (int i = 0; i < 6; i++)
      CHECK(hash_with(HORIZONS[field], SHORT[i]) == hash_with(HORIZONS[field], 0.125f));
  CHECK(hash_with(FIELD_TIME_HORIZON, 1) != hash_with(FIELD_TIME_HORIZON, 0.125f));
  const int NUMBERS[] = {FIELD_RADIUS, FIELD_MAX_SPEED, FIELD_NEIGHBOR_DISTANCE};
  for (int i = 0; i < 3; i++) {
    CHECK(hash_with(NUMBERS[i], -1) == hash_with(NUMBERS[i], 0));
    CHECK(hash_with(NUMBERS[i], NAN) == hash_with(NUMBERS[i], 0));
    CHECK(hash_with(NUMBERS[i], INFINITY) == hash_with(NUMBERS[i], 1e18f));
    CHECK(hash_with(NUMBERS[i], 0) != hash_with(NUMBERS[i], 1));
  }
}

static void test_agents_without_size_neighbors_or_speed(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, 8);
    const copse_crowd_arrays all = copse_crowd_get(crowd);
    for (int i = 0; i < 6; i++) add_agent(crowd, (float)(i % 3) / 4, (float)(i / 3) / 4, 0.5f);
    for (uint32_t slot = 0; slot < 6; slot++)
      all.preferredVelocities[slot * dimensions] = slot % 2 ? 1 : -1;
    all.maxSpeeds[0] = 0;
    all.radii[1] = all.radii[2] = 0;
    all.maxNeighbors[3] = 0;
    all.neighborDistances[4] = 0;
    const float before = all.positions[0];
    steps_of(crowd, NULL, 1);
    CHECK(all.positions[0] == before && all.velocities[0] == 0);
    CHECK(all.velocities[3 * dimensions] == 1 && all.velocities[3 * dimensions + 1] == 0);
    CHECK(all.velocities[4 * dimensions] == -1);
    steps_of(crowd, NULL, 50);
    CHECK(all.positions[0] == before);
    copse_crowd_destroy(crowd);

    copse_crowd_def def = copse_crowd_default();
    def.dimensions = dimensions;
    def.maxNeighbors = 0; /* of all */
    CHECK(copse_crowd_create(&def, &crowd) == COPSE_OK);
    add_agent(crowd, 0, 0, 1);
    add_agent(crowd, 0, 0, 1);
    steps_of(crowd, NULL, 3);
    CHECK(copse_crowd_get(crowd).velocities[0] == 0 && copse_crowd_stats(crowd).neighbors == 0);
    copse_crowd_destroy(crowd);
  }
}

static void test_a_crush_stays_finite_and_within_its_speed(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, 200);
    const copse_crowd_arrays all = copse_crowd_get(crowd);
    uint32_t state = 1, infeasible = 0;
    for (int i = 0; i < 200; i++)
      add_agent(crowd, (float)random_number(&state, -1, 1), (float)random_number(&state, -1, 1), 1);
    for (int step = 0; step < 40; step++) {
      steps_of(crowd, NULL, 1);
      infeasible += copse_crowd_stats(crowd).infeasible;
      for (uint32_t slot = 0; slot < 200; slot++) {
        double speed2 = 0;
        for (uint32_t axis = 0; axis < dimensions; axis++)
          speed2 += pow((double)all.velocities[slot * dimensions + axis], 2);
        CHECK(sqrt(speed2) <= 2 * (1 + 1e-5));
      }
    }
    CHECK(infeasible > 200);
    copse_crowd_destroy(crowd);
  }
}

/* With terms of its own for each of them. */
static void test_as_many_neighbors_as_there_is_room_for(void) {
  enum { AGENTS = COPSE_CROWD_MAX_NEIGHBORS + 20 };
  copse_crowd_def def = copse_crowd_default();
  def.maxNeighbors = COPSE_CROWD_MAX_NEIGHBORS;
  def.capacity = AGENTS;
  for (def.dimensions = 2; def.dimensions <= 3; def.dimensions++) {
    static copse_crowd_view view;
    copse_crowd *crowd;
    CHECK(copse_crowd_create(&def, &crowd) == COPSE_OK);
    for (uint32_t i = 0; i < AGENTS; i++) {
      const uint32_t slot = add_agent(crowd, (float)(i % 9), (float)(i / 9), 1);
      const copse_crowd_arrays all = copse_crowd_get(crowd);
      all.priorities[slot] = (float)(i % 3);
      all.neighborDistances[slot] = 100;
      all.maxNeighbors[slot] = COPSE_CROWD_MAX_NEIGHBORS;
    }
    steps_of(crowd, NULL, 2);
    CHECK(copse_crowd_stats(crowd).neighbors == COPSE_CROWD_MAX_NEIGHBORS);
    CHECK(copse_crowd_inspect(crowd, NULL, 0.125f, 0, &view) == COPSE_OK);
    CHECK(view.neighborCount == COPSE_CROWD_MAX_NEIGHBORS);
    copse_crowd_destroy(crowd);
  }
}

/* So short a time that one over it is no float. */
static void test_steps_of_no_duration_to_speak_of(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, 8);
    for (int i = 0; i < 8; i++) add_agent(crowd, (float)(i % 3) / 4, (float)(i / 3) / 4, 1);
    copse_crowd_arrays all = copse_crowd_get(crowd);
    for (uint32_t slot = 1; slot < 8; slot++) {
      all.goals[slot * dimensions] = 5;
      all.goals[slot * dimensions + 1] = all.goals[(slot + 1) * dimensions - 1] = (float)slot;
      all.maxSpeeds[slot] = slot % 2 ? 3 : COPSE_MAX_COORDINATE;
      all.preferredSpeeds[slot] = all.maxSpeeds[slot];
    }
    for (float timeStep = 1e-45f; timeStep < 1e-30f; timeStep *= 32) {
      CHECK(copse_crowd_step(crowd, NULL, timeStep, NULL) == COPSE_OK);
      for (uint32_t slot = 0; slot < 8; slot++) {
        double length2 = 0;
        for (uint32_t axis = 0; axis < dimensions; axis++) {
          const double speed = (double)all.velocities[slot * dimensions + axis];
          length2 += speed * speed;
        }
        CHECK(sqrt(length2) <= (double)all.maxSpeeds[slot] * 1.00001);
      }
    }
    copse_crowd_destroy(crowd);
  }
}

/* All of these walls but those that are heeded are farther away, or as far. */
static void test_more_walls_than_are_heeded(void) {
  enum { WALLS = 400 };
  static const uint64_t WORK[] = {4389, 12462209};
  copse_obstacle_def def = copse_obstacle_default();
  def.capacity = 2 * WALLS;
  for (int through = 0; through < 2; through++) { /* around an agent, and all through it */
    copse_obstacle *walls;
    uint32_t id;
    CHECK(copse_obstacle_create(&def, &walls) == COPSE_OK);
    for (int i = 0; i < WALLS; i++) {
      const float x = 1 + (float)(i % 20) / 10, y = (float)(i / 20) / 8 - 1;
      const float around[] = {x, y, x + 0.01f, y + 0.02f}, across[] = {-x, -y, x, y};
      CHECK(copse_obstacle_add(walls, through ? across : around, 2, COPSE_SOLID_NOWHERE, &id) ==
            COPSE_OK);
    }
    CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
    copse_crowd *crowd = crowd_of(2, 2);
    add_agent(crowd, 0, 0, 0.25f);
    copse_crowd_view view;
    CHECK(copse_crowd_inspect(crowd, walls, 0.125f, 0, &view) == COPSE_OK);
    CHECK(view.wallCount == COPSE_CROWD_WALLS || (!through && view.wallCount > 0));
    CHECK(view.wallConstraintCount <= view.wallCount && view.neighborCount == 0);
    static uint32_t edges[WALLS];
    static float distances2[WALLS];
    copse_results all = {edges, distances2, WALLS, 0, 0};
    const float origin[] = {0, 0};
    CHECK(copse_obstacle_within(walls, origin, INFINITY, COPSE_SIDE_VISIBLE, &all) == COPSE_OK);
    CHECK(memcmp(view.walls, edges, view.wallCount * sizeof *edges) == 0);
    copse_work = 0;
    steps_of(crowd, walls, 4);
    CHECK(copse_work == WORK[through]);
    const float *velocity = copse_crowd_get(crowd).velocities;
    CHECK(hypotf(velocity[0], velocity[1]) <= 2.0001f);
    copse_crowd_destroy(crowd);
    copse_obstacle_destroy(walls);
  }
}

/* Of two walls, seen by an agent outside of their corner, behind the second: where the corner is
 * not convex from the first one's front, the second alone says what is forbidden. */
static void test_an_end_that_is_not_convex_forbids_nothing(void) {
  const orca_agent agent = {.body.radius = 1, .maxSpeed = 1, .inverseHorizonOfWalls = 1};
  for (int isConvex = 0; isConvex < 2; isConvex++) {
    orca2 all = {.count = 0};
    const orca_wall wall = {.begin = {-2, 0.125f},
                            .end = {-0.5f, 0.125f},
                            .direction = {1, 0},
                            .before = {1, 0},
                            .after = {0.6f, -0.8f},
                            .isEndConvex = isConvex};
    orca2_add_wall(&all, &agent, &wall);
    CHECK(all.walls == (uint32_t)isConvex);
  }
}

/* Exactly on a wall there is no way from it but to its right, where it is solid from the left. */
static void test_who_is_exactly_on_a_wall_comes_off_it(void) {
  const float square[] = {0, 0, 4, 0, 4, 4, 0, 4};
  for (int turned = 0; turned < 2; turned++) {
    const copse_obstacle_def def = copse_obstacle_default();
    copse_obstacle *walls;
    uint32_t id;
    float points[8];
    for (int i = 0; i < 4; i++) {
      const int from = turned ? 3 - i : i;
      points[2 * i] = square[2 * from];
      points[2 * i + 1] = square[2 * from + 1];
    }
    CHECK(copse_obstacle_create(&def, &walls) == COPSE_OK);
    CHECK(copse_obstacle_add(walls, points, 4, COPSE_SOLID_WINDING, &id) == COPSE_OK);
    CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
    copse_crowd *crowd = crowd_of(2, 2);
    add_agent(crowd, 4, 2, 0.5f);
    steps_of(crowd, walls, 40);
    const float *at = copse_crowd_get(crowd).positions;
    bool isInside;
    CHECK(copse_obstacle_contains(walls, at, &isInside, NULL) == COPSE_OK && !isInside);
    CHECK(fabsf(fabsf(at[0] - 4) - 0.5f) < 1e-3f && fabsf(at[1] - 2) < 1e-3f);
    copse_crowd_destroy(crowd);
    copse_obstacle_destroy(walls);
  }
}

/* Behind a wall: stuck, though nobody is in the way; who wants no speed is not. */
static void test_who_makes_no_progress_is_stuck(void) {
  const copse_obstacle_def def = copse_obstacle_default();
  copse_obstacle *walls;
  uint32_t id;
  CHECK(copse_obstacle_create(&def, &walls) == COPSE_OK);
  CHECK(copse_obstacle_add(walls, (float[]){2, -9, 2, 9}, 2, COPSE_SOLID_NOWHERE, &id) == COPSE_OK);
  CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
  copse_crowd *crowd = crowd_of(2, 3);
  for (uint32_t slot = 0; slot < 2; slot++) {
    add_agent(crowd, 0, slot ? 6 : 0, 0.5f);
    copse_crowd_get(crowd).goals[2 * slot] = 4;
    copse_crowd_get(crowd).goals[2 * slot + 1] = slot ? 6 : 0;
  }
  copse_crowd_get(crowd).preferredSpeeds[1] = 0;
  uint32_t stuck = 0;
  for (int i = 0; i < 80; i++) {
    steps_of(crowd, walls, 1);
    CHECK(copse_crowd_arrived(crowd) == 0);
    if (copse_crowd_stuck(crowd)) CHECK(copse_crowd_get(crowd).stuck[0] == 0);
    stuck += copse_crowd_stuck(crowd);
  }
  CHECK(stuck == 1 && copse_crowd_get(crowd).positions[0] < 2);
  CHECK(copse_crowd_get(crowd).positions[2] == 0);
  /* Put elsewhere, it has 2 seconds again. */
  CHECK(copse_crowd_move(crowd, 0, (float[]){-9, 0}) == COPSE_OK);
  CHECK(copse_crowd_get(crowd).positions[0] == -9 && copse_crowd_slots(crowd) == 2);
  CHECK(copse_crowd_move(crowd, 0, (float[]){NAN, 0}) == COPSE_NOT_FINITE);
  for (int i = 0; i < 200; i++) {
    steps_of(crowd, walls, 1);
    stuck += copse_crowd_stuck(crowd);
  }
  CHECK(stuck == 2 && copse_crowd_get(crowd).positions[0] > 0);
  copse_crowd_destroy(crowd);
  copse_obstacle_destroy(walls);
}

static void test_agents_go_to_their_goals_and_stop(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, 2);
    copse_crowd_agent agent = copse_crowd_agent_default();
    agent.preferredSpeed = 1.5f;
    for (int axis = 0; axis < 3; axis++) agent.goal[axis] = axis == 0 ? 3 : axis == 1 ? 4 : 0;
    uint32_t slot;
    CHECK(copse_crowd_add(crowd, &agent, &slot) == COPSE_OK);
    const copse_crowd_arrays all = copse_crowd_get(crowd);
    steps_of(crowd, NULL, 1);
    CHECK(fabsf(all.velocities[0] - 0.9f) < 1e-6f && fabsf(all.velocities[1] - 1.2f) < 1e-6f);
    steps_of(crowd, NULL, 30); /* 5 / 1.5 = 26.7 steps of 1/8 */
    CHECK(fabsf(all.positions[0] - 3) < 1e-5f && fabsf(all.positions[1] - 4) < 1e-5f);
    CHECK(fabsf(all.velocities[0]) < 1e-5f && fabsf(all.velocities[1]) < 1e-5f);
    CHECK(fabs(copse_crowd_stats(crowd).time - 31 * 0.125) < 1e-12);
    copse_crowd_destroy(crowd);
  }
}

/* Two agents exactly head-on along an axis: whether both get to their goals in time. */
static bool head_on_pass(uint32_t dimensions, int axis, bool isExact) {
  copse_crowd_def def = copse_crowd_default();
  def.dimensions = dimensions;
  def.exact = isExact;
  copse_crowd *crowd;
  CHECK(copse_crowd_create(&def, &crowd) == COPSE_OK);
  uint32_t arrived = 0, slot;
  for (int i = 0; i < 2; i++) {
    copse_crowd_agent agent = copse_crowd_agent_default();
    for (int other = 0; other < 3; other++) agent.goal[other] = 0;
    agent.position[axis] = i ? 5 : -5;
    agent.goal[axis] = i ? -5 : 5;
    CHECK(copse_crowd_add(crowd, &agent, &slot) == COPSE_OK);
  }
  for (int step = 0; step < 100; step++) { /* alone 80 */
    steps_of(crowd, NULL, 1);
    arrived += copse_crowd_arrived(crowd);
  }
  copse_crowd_destroy(crowd);
  return arrived == 2;
}

static void test_who_meets_exactly_head_on_passes(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (int axis = 0; axis < (int)dimensions; axis++) {
      CHECK(head_on_pass(dimensions, axis, false));
      CHECK(!head_on_pass(dimensions, axis, true));
    }
}

/* In a dense crowd, every fourth locked, disabled, slow to change, or as any other. */
static void test_a_step_moves_neither_locked_nor_disabled(void) {
  enum { N = 80 };
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, N);
    const copse_crowd_arrays all = copse_crowd_get(crowd);
    uint32_t state = 1;
    for (uint32_t i = 0; i < N; i++) {
      const float x = (float)random_number(&state, -3, 3), y = (float)random_number(&state, -3, 3);
      add_agent(crowd, x, y, 0.5f);
      all.preferredVelocities[i * dimensions] = x > 0 ? -1 : 1;
      all.velocities[i * dimensions] = 0.25f;
      if (i % 4 == 0) all.locked[i] = 1;
      if (i % 4 == 1) all.enabled[i] = 0;
      if (i % 4 == 2) all.maxAccelerations[i] = 0.5f;
    }
    all.positions[dimensions] = NAN; /* disabled: of no account */
    for (int step = 0; step < 40; step++) {
      float before[2][3 * N];
      memcpy(before[0], all.positions, N * dimensions * sizeof(float));
      memcpy(before[1], all.velocities, N * dimensions * sizeof(float));
      steps_of(crowd, NULL, 1);
      for (uint32_t i = 0; i < N; i++) {
        const size_t at = (size_t)i * dimensions, size = dimensions * sizeof(float);
        const bool isSame = memcmp(before[0] + at, all.positions + at, size) == 0 &&
                            memcmp(before[1] + at, all.velocities + at, size) == 0;
        if (i % 4 < 2) CHECK(isSame);
        double change2 = 0;
        for (uint32_t axis = 0; axis < dimensions; axis++)
          change2 += pow((double)all.velocities[at + axis] - (double)before[1][at + axis], 2);
        if (i % 4 == 2) CHECK(sqrt(change2) <= 0.5 * 0.125 * (1 + 1e-5));
      }
    }
    copse_crowd_destroy(crowd);
  }
}

static void test_a_crowd_that_grows_still_tells_who_arrived(void) {
  copse_crowd *crowd = crowd_of(2, 3);
  for (uint32_t slot = 0; slot < 3; slot++) {
    add_agent(crowd, (float)slot * 3, 0, 0.5f);
    if (slot)
      memcpy(copse_crowd_get(crowd).goals + 2 * slot, copse_crowd_get(crowd).positions + 2 * slot,
             2 * sizeof(float));
  }
  steps_of(crowd, NULL, 1);
  CHECK(copse_crowd_reserve(crowd, 500) == COPSE_OK);
  CHECK(copse_crowd_arrived(crowd) == 2 && copse_crowd_stuck(crowd) == 0);
  CHECK(copse_crowd_get(crowd).arrived[0] == 1 && copse_crowd_get(crowd).arrived[1] == 2);
  steps_of(crowd, NULL, 1);
  CHECK(copse_crowd_arrived(crowd) == 0);
  copse_crowd_destroy(crowd);
}

static void test_numbers_of_extras_out_of_range_count_as_the_nearest(void) {
  const int FIELDS_OF[] = {FIELD_MAX_ACCELERATION, FIELD_PRIORITY};
  for (int i = 0; i < 2; i++) {
    CHECK(hash_with(FIELDS_OF[i], -1) == hash_with(FIELDS_OF[i], 0));
    CHECK(hash_with(FIELDS_OF[i], NAN) == hash_with(FIELDS_OF[i], 0));
    CHECK(hash_with(FIELDS_OF[i], INFINITY) == hash_with(FIELDS_OF[i], 1e18f));
  }
  CHECK(hash_with(FIELD_MAX_ACCELERATION, 0) != hash_with(FIELD_MAX_ACCELERATION, 1));
}

static void test_slots_of_a_crowd(void) {
  copse_crowd *crowd = crowd_of(2, 4);
  copse_crowd_agent agent = copse_crowd_agent_default();
  uint32_t slot;
  for (uint32_t i = 0; i < 4; i++) CHECK(add_agent(crowd, (float)i, 0, 1) == i);
  const uint32_t full = copse_crowd_hash(crowd);
  CHECK(copse_crowd_add(crowd, &agent, &slot) == COPSE_FULL && slot == COPSE_NONE);
  CHECK(copse_crowd_hash(crowd) == full && copse_crowd_count(crowd) == 4);
  CHECK(copse_crowd_get(crowd).generations[1] == 1 && copse_crowd_has(crowd, 1));
  CHECK(copse_crowd_remove(crowd, 1) == COPSE_OK && !copse_crowd_has(crowd, 1));
  CHECK(copse_crowd_remove(crowd, 1) == COPSE_STALE_SLOT);
  CHECK(copse_crowd_move(crowd, 1, (float[]){0, 0, 0}) == COPSE_STALE_SLOT);
  CHECK(copse_crowd_move(crowd, COPSE_NONE, (float[]){0, 0, 0}) == COPSE_STALE_SLOT);
  CHECK(copse_crowd_remove(crowd, 4) == COPSE_STALE_SLOT);
  CHECK(copse_crowd_remove(crowd, COPSE_NONE) == COPSE_STALE_SLOT);
  CHECK(copse_crowd_get(crowd).generations[1] == 2 && copse_crowd_count(crowd) == 3);
  CHECK(copse_crowd_reserve(crowd, 3) == COPSE_OK && copse_crowd_capacity(crowd) == 4);
  CHECK(copse_crowd_reserve(crowd, COPSE_MAX_CAPACITY + 1) == COPSE_INVALID_ARGUMENT);
  steps_of(crowd, NULL, 2);
  const uint32_t before = copse_crowd_hash(crowd);
  CHECK(copse_crowd_reserve(crowd, 1000) == COPSE_OK && copse_crowd_capacity(crowd) == 1000);
  CHECK(copse_crowd_hash(crowd) == before && copse_crowd_count(crowd) == 3);
  CHECK(add_agent(crowd, 1, 0, 1) == 1 && add_agent(crowd, 5, 0, 1) == 4);
  CHECK(copse_crowd_get(crowd).generations[1] == 3);
  steps_of(crowd, NULL, 2);
  copse_crowd_clear(crowd);
  CHECK(copse_crowd_count(crowd) == 0 && !copse_crowd_has(crowd, 0));
  CHECK(copse_crowd_get(crowd).generations[0] == 2);
  steps_of(crowd, NULL, 1);
  CHECK(add_agent(crowd, 0, 0, 1) == 0);
  copse_crowd_destroy(crowd);
}

static void test_a_crowd_allocates_only_when_it_is_made_or_grows(void) {
  copse_crowd_def bad[5];
  for (int i = 0; i < 5; i++) bad[i] = copse_crowd_default();
  bad[0].dimensions = 1;
  bad[1].dimensions = 4;
  bad[2].capacity = 0;
  bad[3].capacity = COPSE_MAX_CAPACITY + 1;
  bad[4].maxNeighbors = COPSE_CROWD_MAX_NEIGHBORS + 1;
  copse_crowd *crowd;
  for (int i = 0; i < 5; i++) {
    CHECK(copse_crowd_create(&bad[i], &crowd) == COPSE_INVALID_ARGUMENT && !crowd);
    CHECK(copse_crowd_bytes(&bad[i]) == 0);
  }
  copse_crowd_destroy(NULL);
  int failing = 0;
  for (copse_status status = COPSE_OUT_OF_MEMORY; status != COPSE_OK; failing++) {
    ledger book = {failing, 0};
    copse_crowd_def def = copse_crowd_default();
    def.allocator = ledger_allocator(&book);
    status = copse_crowd_create(&def, &crowd);
    CHECK(status == COPSE_OK ? book.callsLeft == 0 : !crowd && book.bytesHeld == 0);
    if (status == COPSE_OK) {
      CHECK(book.bytesHeld == copse_crowd_bytes(&def));
      CHECK(book.bytesHeld == copse_crowd_stats(crowd).bytes);
      for (int i = 0; i < 300; i++) add_agent(crowd, (float)(i % 20), (float)(i / 20), 0.4f);
      steps_of(crowd, NULL, 20); /* the next call would fail */
    }
    const uint32_t before = status == COPSE_OK ? copse_crowd_hash(crowd) : 0;
    for (int calls = 0; status == COPSE_OK && copse_crowd_capacity(crowd) == 1000; calls++) {
      book.callsLeft = calls;
      CHECK(copse_crowd_reserve(crowd, 5000) ==
            (copse_crowd_capacity(crowd) == 1000 ? COPSE_OUT_OF_MEMORY : COPSE_OK));
      CHECK(copse_crowd_hash(crowd) == before && copse_crowd_count(crowd) == 300);
      CHECK(book.bytesHeld == copse_crowd_stats(crowd).bytes);
      steps_of(crowd, NULL, 0);
    }
    if (status == COPSE_OK) steps_of(crowd, NULL, 2);
    copse_crowd_destroy(crowd);
    CHECK(book.bytesHeld == 0);
  }
  CHECK(failing > 3);
}

static void test_no_frame_of_a_crowd_allocates(void) {
  enum { N = 30, FRAMES = 10000 };
  const copse_obstacle_def wallsDef = copse_obstacle_default();
  copse_obstacle *walls;
  uint32_t slot;
  CHECK(copse_obstacle_create(&wallsDef, &walls) == COPSE_OK);
  CHECK(copse_obstacle_add(walls, (float[]){2, 2, 4, 2, 3, 4}, 3, COPSE_SOLID_WINDING, &slot) ==
        COPSE_OK);
  CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
  for (uint32_t dim = 2; dim <= 3; dim++) {
    ledger book = {-1, 0};
    copse_crowd_def def = copse_crowd_default();
    def.dimensions = dim;
    def.capacity = N;
    def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
    copse_crowd *crowd;
    CHECK(copse_crowd_create(&def, &crowd) == COPSE_OK);
    static copse_crowd_view view;
    static uint32_t words[40 * N];
    uint32_t state = 1;
    book.callsLeft = 0; /* the next would be counted */
    for (uint32_t frame = 0; frame < repeats(FRAMES); frame++) {
      if (frame % 1000 == 0) copse_crowd_clear(crowd);
      if (copse_crowd_count(crowd) == N) copse_crowd_remove(crowd, (uint32_t)frame % N);
      copse_crowd_agent agent = copse_crowd_agent_default();
      for (int axis = 0; axis < 3; axis++) {
        agent.position[axis] = (float)random_number(&state, -6, 6);
        agent.goal[axis] = (float)random_number(&state, -6, 6);
      }
      CHECK(copse_crowd_add(crowd, &agent, &slot) == COPSE_OK);
      const copse_obstacle *seen = dim == 2 ? walls : NULL;
      CHECK(copse_crowd_step(crowd, seen, 0.125f, NULL) == COPSE_OK);
      CHECK(copse_crowd_inspect(crowd, seen, 0.125f, slot, &view) == COPSE_OK);
      CHECK(copse_crowd_arrived(crowd) + copse_crowd_stuck(crowd) <= 2 * N);
      size_t total;
      const uint32_t hash = copse_crowd_hash(crowd);
      CHECK(copse_crowd_save(crowd, words, sizeof words, &total, NULL) == COPSE_OK);
      if (frame % 16 == 0) CHECK(copse_crowd_restore(crowd, words, total) == COPSE_OK);
      CHECK(copse_crowd_hash(crowd) == hash);
    }
    CHECK(book.callsLeft == 0);
    copse_crowd_destroy(crowd);
  }
  copse_obstacle_destroy(walls);
}

/* 200 agents among boxes, some of whom leave and come. */
typedef struct walkers {
  copse_crowd *crowd;
  copse_obstacle *walls;
} walkers;

static walkers walkers_of(void) {
  walkers all = {crowd_of(2, 200), NULL};
  const copse_obstacle_def def = copse_obstacle_default();
  CHECK(copse_obstacle_create(&def, &all.walls) == COPSE_OK);
  for (int i = 0; i < 9; i++) {
    const float x = (float)(i % 3) * 12, y = (float)(i / 3) * 12;
    const float corners[] = {x, y, x + 4, y, x + 5, y + 5, x, y + 4};
    uint32_t slot;
    CHECK(copse_obstacle_add(all.walls, corners, i % 4 ? 4 : 2,
                             (i % 2) ? COPSE_SOLID_NOWHERE : COPSE_SOLID_WINDING,
                             &slot) == COPSE_OK);
  }
  CHECK(copse_obstacle_build(all.walls, NULL) == COPSE_OK);
  return all;
}

static void walk(const walkers *all, uint32_t *state) {
  for (int i = 0; i < 4; i++) {
    const uint32_t slot = random_word(state) % 200;
    copse_crowd_agent agent = copse_crowd_agent_default();
    for (int axis = 0; axis < 2; axis++) {
      agent.position[axis] = (float)random_number(state, -5, 33);
      if (i < 2) agent.goal[axis] = (float)random_number(state, -5, 33);
      agent.preferredVelocity[axis] = (float)random_number(state, -1, 1);
    }
    agent.radius = (float)random_number(state, 0, 1);
    const uint32_t extras = random_word(state);
    if (i == 0) agent.goal[0] = agent.goal[1] = 14; /* of many, who come to rest there */
    agent.priority = (float)(extras >> 8 & 3);
    if (extras >> 10 & 1) agent.mask = 1 + (extras >> 11 & 3);
    agent.groups = extras >> 13 & 3;
    agent.locked = (extras >> 16 & 15) == 0;
    agent.enabled = (extras >> 16 & 15) != 1;
    if (extras >> 20 & 1) agent.maxAcceleration = (float)random_number(state, 0, 10);
    uint32_t added;
    if (random_word(state) % 8 == 0) copse_crowd_remove(all->crowd, slot);
    copse_crowd_add(all->crowd, &agent, &added);
  }
  CHECK(copse_crowd_step(all->crowd, all->walls, 0.125f, NULL) == COPSE_OK);
}

static void test_a_restored_crowd_goes_on_as_the_saved(void) {
  static uint32_t words[200 * 32], again[200 * 32];
  const walkers all = walkers_of();
  walkers other = all;
  other.crowd = crowd_of(2, 200);
  uint32_t state = 1;
  for (int i = 0; i < 60; i++) walk(&all, &state);
  for (int moment = 0; moment < 100; moment++) {
    for (uint32_t i = random_word(&state) % 4; i > 0; i--) walk(&all, &state);
    size_t total, same;
    CHECK(copse_crowd_save(all.crowd, words, sizeof words, &total, NULL) == COPSE_OK);
    CHECK(copse_crowd_restore(other.crowd, words, total) == COPSE_OK);
    uint32_t states[] = {state, state};
    for (int i = 0; i < 3; i++) {
      walk(&all, &states[0]);
      walk(&other, &states[1]);
      CHECK(copse_crowd_hash(all.crowd) == copse_crowd_hash(other.crowd));
    }
    CHECK(copse_crowd_save(all.crowd, words, sizeof words, &total, NULL) == COPSE_OK);
    CHECK(copse_crowd_save(other.crowd, again, sizeof again, &same, NULL) == COPSE_OK);
    CHECK(total == same && memcmp(words, again, total) == 0);
    state = states[0];
  }
  CHECK(copse_crowd_count(all.crowd) > 150 && copse_crowd_stats(all.crowd).overlaps > 0);
  copse_crowd_destroy(all.crowd);
  copse_crowd_destroy(other.crowd);
  copse_obstacle_destroy(all.walls);
}

static void test_a_snapshot_of_a_crowd_checks_what_it_takes(void) {
  static uint32_t words[500], forged[500];
  copse_crowd *crowd = crowd_of(2, 9);
  for (int i = 0; i < 9; i++) add_agent(crowd, (float)i, 0, 1);
  copse_crowd_remove(crowd, 4);
  steps_of(crowd, NULL, 3);
  size_t total, same;
  CHECK(copse_crowd_save(crowd, words, 10, &total, NULL) == COPSE_FULL);
  CHECK(copse_crowd_save(crowd, words, sizeof words, &total, NULL) == COPSE_OK);
  const uint32_t before = copse_crowd_hash(crowd);
  /* Behind the header dimensions, maxNeighbors, exact, slots, time (two words), steps; then
   * generations, positions. */
  const struct {
    size_t word;
    uint32_t value;
  } wrong[] = {{0, 0},           {1, 99},          {2, 5},           {6, 3},
               {7, 11},          {8, 1},           {9, 8},           {9, 10},
               {9, 0},           {9, UINT32_MAX},  {11, 0x7ff80000}, {11, 0x7ff00000},
               {11, 0xbff00000}, {23, 0x7fc00000}, {23, 0x7f800000}, {24, 0xff800000},
               {23, 0x5e5e0b6c}, {41, 0x7fc00000}, {59, 0x7f800000}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    memcpy(forged, words, total);
    forged[wrong[i].word] = wrong[i].value;
    if (wrong[i].word > 2) snapshot_seal(forged, total, SNAPSHOT_CROWD);
    CHECK(copse_crowd_restore(crowd, forged, total) == COPSE_BAD_SNAPSHOT);
    CHECK(copse_crowd_hash(crowd) == before);
  }
  for (size_t size = 0; size < total + 16; size++)
    if (size != total) CHECK(copse_crowd_restore(crowd, words, size) == COPSE_BAD_SNAPSHOT);
  for (size_t i = 0; i < 8 * total; i++) {
    memcpy(forged, words, total);
    ((uint8_t *)forged)[i / 8] ^= (uint8_t)(1 << i % 8);
    CHECK(copse_crowd_restore(crowd, forged, total) == COPSE_BAD_SNAPSHOT);
  }
  CHECK(copse_crowd_restore(crowd, (char *)words + 1, total) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_crowd_save(crowd, forged, sizeof forged, &same, NULL) == COPSE_OK && same == total);
  CHECK(memcmp(words, forged, total) == 0);
  copse_crowd *small = crowd_of(2, 8), *large = crowd_of(2, 40);
  add_agent(small, 1, 2, 3);
  const uint32_t smallBefore = copse_crowd_hash(small);
  CHECK(copse_crowd_restore(small, words, total) == COPSE_FULL);
  CHECK(copse_crowd_hash(small) == smallBefore);
  for (int i = 0; i < 30; i++) add_agent(large, (float)i, 0, 1);
  CHECK(copse_crowd_restore(large, words, total) == COPSE_OK && copse_crowd_count(large) == 8);
  CHECK(copse_crowd_hash(large) == before && add_agent(large, 0, 0, 1) == 4);
  copse_crowd_destroy(small);
  copse_crowd_destroy(large);
  copse_crowd_destroy(crowd);
}

/* The same number, as far as a crowd can tell: 0 and -0, or NaNs. */
static bool is_same_float(uint32_t a, uint32_t b) {
  float x, y;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  return x == y || (isnan(x) && isnan(y));
}

/* Sealed by one who knows how, a snapshot with one bit changed is refused, or has another hash. */
static void test_every_word_of_a_snapshot_counts(void) {
  enum { HEAD = 14, CHECKSUM = 3 };
  static uint32_t words[500], forged[500];
  for (uint32_t dim = 2; dim <= 3; dim++) {
    copse_crowd *crowd = crowd_of(dim, 9), *other = crowd_of(dim, 9);
    for (int i = 0; i < 6; i++) add_agent(crowd, (float)i + 0.5f, -1, 1);
    for (uint32_t i = 0; i < dim; i++) copse_crowd_get(crowd).goals[i] = 3;
    copse_crowd_remove(crowd, 2);
    copse_crowd_remove(crowd, 5);
    steps_of(crowd, NULL, 3);
    size_t total;
    CHECK(copse_crowd_save(crowd, words, sizeof words, &total, NULL) == COPSE_OK);
    const uint32_t before = copse_crowd_hash(crowd), slots = words[9];
    const size_t count = total / 4, floats = HEAD + slots * (1 + 4 * dim + 10);
    uint32_t taken = 0;
    CHECK(slots == 6 && count == floats + (size_t)slots * 6);
    for (size_t i = 0; i < 32 * count; i++) {
      const size_t at = i / 32;
      memcpy(forged, words, total);
      forged[at] ^= 1u << i % 32;
      CHECK(copse_crowd_restore(other, forged, total) == COPSE_BAD_SNAPSHOT);
      if (at == CHECKSUM) continue;
      uint32_t sum = 0;
      for (size_t j = 0; j < count; j++)
        if (j != CHECKSUM) sum = hash_word(sum, forged[j]);
      forged[CHECKSUM] = sum;
      if (copse_crowd_restore(other, forged, total) != COPSE_OK) continue;
      taken++;
      const bool isFloat = at >= HEAD + slots && at < floats;
      const bool isSame = isFloat && is_same_float(words[at], forged[at]);
      CHECK((copse_crowd_hash(other) == before) == isSame);
    }
    CHECK(taken > 32 * count / 2);
    copse_crowd_destroy(crowd);
    copse_crowd_destroy(other);
  }
}

/* Two steps of half a second or one of a second: what follows differs, since once in 32 steps an
 * agent looks whether it is inside something solid. */
static void test_the_number_of_steps_is_part_of_the_hash(void) {
  static const float SQUARE[] = {-5, -5, 5, -5, 5, 5, -5, 5};
  const copse_obstacle_def def = copse_obstacle_default();
  copse_obstacle *walls;
  copse_crowd *crowds[2];
  uint32_t square;
  CHECK(copse_obstacle_create(&def, &walls) == COPSE_OK);
  CHECK(copse_obstacle_add(walls, SQUARE, 4, COPSE_SOLID_WINDING, &square) == COPSE_OK);
  CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
  bool havePartedLate = false;
  for (int i = 0; i < 2; i++) {
    crowds[i] = crowd_of(2, 4);
    for (int step = 0; step <= i; step++)
      CHECK(copse_crowd_step(crowds[i], walls, i ? 0.5f : 1, NULL) == COPSE_OK);
    add_agent(crowds[i], 20, 0, 0.5f);
  }
  for (int step = 0; step < 40; step++) {
    CHECK(copse_crowd_hash(crowds[0]) != copse_crowd_hash(crowds[1]));
    for (int i = 0; i < 2; i++) {
      float *position = copse_crowd_get(crowds[i]).positions;
      if (step == 2) position[0] = 0; /* into the square */
      CHECK(copse_crowd_step(crowds[i], walls, 0.125f, NULL) == COPSE_OK);
    }
    const float *positions[] = {copse_crowd_get(crowds[0]).positions,
                                copse_crowd_get(crowds[1]).positions};
    havePartedLate |= memcmp(positions[0], positions[1], 2 * sizeof(float)) != 0;
    CHECK(step > 20 || !havePartedLate);
  }
  CHECK(havePartedLate);
  for (int i = 0; i < 2; i++) copse_crowd_destroy(crowds[i]);
  copse_obstacle_destroy(walls);
}

/* What decides the future but can't change is part of the hash, too; the capacity is not. */
static void test_the_options_of_a_crowd_are_part_of_its_hash(void) {
  uint32_t hashes[5];
  for (int i = 0; i < 5; i++) {
    copse_crowd_def def = copse_crowd_default();
    copse_crowd *crowd;
    if (i == 1) def.dimensions = 3;
    if (i == 2) def.maxNeighbors++;
    if (i == 3) def.exact = true;
    if (i == 4) def.capacity++;
    CHECK(copse_crowd_create(&def, &crowd) == COPSE_OK);
    hashes[i] = copse_crowd_hash(crowd);
    copse_crowd_destroy(crowd);
  }
  for (int i = 1; i < 4; i++) CHECK(hashes[i] != hashes[0]);
  CHECK(hashes[4] == hashes[0]);
}

/* To come apart in so short a time they would need a speed that no float can have. */
static void test_overlaps_in_the_least_of_time_steps_give_finite_velocities(void) {
  copse_crowd *crowd = crowd_of(2, 4);
  copse_crowd_agent agent = copse_crowd_agent_default();
  uint32_t slot;
  agent.position[0] = agent.position[1] = -0x1.050504p-122f;
  for (int i = 0; i < 3; i++) {
    agent.radius = i < 2 ? 2.03125f : 0.875f;
    agent.priority = i < 2 ? 8 : 0;
    CHECK(copse_crowd_add(crowd, &agent, &slot) == COPSE_OK);
  }
  CHECK(copse_crowd_step(crowd, NULL, 3.31046e-39f, NULL) == COPSE_OK);
  for (int i = 0; i < 6; i++) CHECK(isfinite(copse_crowd_get(crowd).velocities[i]));
  copse_crowd_destroy(crowd);
}

static void test_nothing_but_the_state_decides(void) {
  enum { N = 60 };
  static float positions[2][3 * N];
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    for (int history = 0; history < 2; history++) {
      copse_crowd *crowd = crowd_of(dimensions, history ? 100 : N);
      uint32_t state = 1;
      for (int i = 0; i < (history ? 90 : 0); i++) add_agent(crowd, (float)(i % 9), 1, 0.7f);
      if (history) steps_of(crowd, NULL, 30);
      for (uint32_t slot = 90; history && slot > 0; slot--)
        CHECK(copse_crowd_remove(crowd, (slot * 7) % 90) == COPSE_OK);
      for (int i = 0; i < N; i++) {
        const float x = (float)random_number(&state, -4, 4);
        const uint32_t slot = add_agent(crowd, x, (float)random_number(&state, -4, 4), 0.4f);
        copse_crowd_get(crowd).preferredVelocities[slot * dimensions] = x > 0 ? -1 : 1;
      }
      steps_of(crowd, NULL, 50);
      memcpy(positions[history], copse_crowd_get(crowd).positions, N * dimensions * sizeof(float));
      copse_crowd_destroy(crowd);
    }
    CHECK(memcmp(positions[0], positions[1], N * dimensions * sizeof(float)) == 0);
  }
}

/* Agents beside a two-sided wall along y that end at x0 … x1: mirrored at the wall they move as in
 * a mirror. */
static void test_a_wall_of_two_sides_has_no_better_side(void) {
  for (int turned = 0; turned < 2; turned++)
    for (int i = 0; i < 40; i++) {
      const copse_obstacle_def def = copse_obstacle_default();
      copse_obstacle *walls;
      uint32_t slot, state = (uint32_t)i;
      CHECK(copse_obstacle_create(&def, &walls) == COPSE_OK);
      const float ends[] = {0, turned ? 2 : -2, 0, turned ? -2 : 2};
      CHECK(copse_obstacle_add(walls, ends, 2, COPSE_SOLID_NOWHERE, &slot) == COPSE_OK);
      CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
      const float x = (float)random_number(&state, 0.1, 2), y = (float)random_number(&state, -3, 3);
      const float away = (float)random_number(&state, -1, 1);
      float positions[2][2];
      for (int side = 0; side < 2; side++) {
        copse_crowd *crowd = crowd_of(2, 1);
        const float sign = side ? -1 : 1;
        add_agent(crowd, sign * x, y, 0.3f);
        float *preferred = copse_crowd_get(crowd).preferredVelocities;
        preferred[0] = -sign;
        preferred[1] = away;
        for (int step = 0; step < 40; step++) {
          float *at = copse_crowd_get(crowd).positions, before[2] = {at[0], at[1]};
          bool isClear;
          steps_of(crowd, walls, 1);
          copse_obstacle_visible(walls, before, at, 0, &isClear, NULL);
          CHECK(isClear);
        }
        memcpy(positions[side], copse_crowd_get(crowd).positions, sizeof positions[side]);
        copse_crowd_destroy(crowd);
      }
      CHECK(fabsf(positions[0][0] + positions[1][0]) <= 1e-5f);
      CHECK(fabsf(positions[0][1] - positions[1][1]) <= 1e-5f);
      copse_obstacle_destroy(walls);
    }
}

/* What is forbidden to an agent that rests may be looked at whatever velocity the game wrote. */
static void test_constraints_have_a_direction_at_any_velocity(void) {
  const float ends[] = {0, -2, 0, 2}, VELOCITIES[] = {1, 1e18f, 1e19f, 1e30f, FLT_MAX};
  const copse_obstacle_def def = copse_obstacle_default();
  copse_obstacle *walls;
  uint32_t slot;
  CHECK(copse_obstacle_create(&def, &walls) == COPSE_OK);
  CHECK(copse_obstacle_add(walls, ends, 2, COPSE_SOLID_NOWHERE, &slot) == COPSE_OK);
  CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
  for (size_t i = 0; i < sizeof VELOCITIES / sizeof *VELOCITIES; i++) {
    copse_crowd *crowd = crowd_of(2, 1);
    static copse_crowd_view view;
    add_agent(crowd, 1, 4, 0.5f);
    copse_crowd_get(crowd).enabled[0] = 0;
    copse_crowd_get(crowd).velocities[1] = VELOCITIES[i];
    CHECK(copse_crowd_inspect(crowd, walls, 0.125f, 0, &view) == COPSE_OK);
    CHECK(view.wallConstraintCount == 1);
    const float *direction = view.constraints + 2;
    CHECK(fabsf(hypotf(direction[0], direction[1]) - 1) < 1e-5f);
    copse_crowd_destroy(crowd);
  }
  copse_obstacle_destroy(walls);
}

/* A solid square in a room, moved to where they are mirrored: agents that push against both stay
 * between them, as beside walls that were added there. */
static void test_walls_hold_where_their_vertices_go_the_other_way(void) {
  static const float ROOM[] = {0, 0, 0, 8, 8, 8, 8, 0}, SQUARE[] = {3, 3, 5, 3, 5, 5, 3, 5};
  for (int isMoved = 0; isMoved < 2; isMoved++) {
    const copse_obstacle_def def = copse_obstacle_default();
    copse_obstacle *walls;
    uint32_t slots[2];
    CHECK(copse_obstacle_create(&def, &walls) == COPSE_OK);
    for (int i = 0; i < 2; i++) {
      float points[8];
      CHECK(copse_obstacle_add(walls, i ? ROOM : SQUARE, 4, COPSE_SOLID_WINDING, &slots[i]) ==
            COPSE_OK);
      for (int j = 0; j < 8; j++)
        points[j] = j % 2 ? (i ? ROOM : SQUARE)[j] : 8 - (i ? ROOM : SQUARE)[j];
      if (isMoved) CHECK(copse_obstacle_move(walls, slots[i], points, 4) == COPSE_OK);
    }
    CHECK(copse_obstacle_build(walls, NULL) == COPSE_OK);
    copse_crowd *crowd = crowd_of(2, 16);
    for (int i = 0; i < 16; i++) {
      const float x = 1 + 2 * (float)(i % 4), y = 1 + 2 * (float)(i / 4);
      if (x == y || x + y == 8) continue; /* on the way to no corner */
      const uint32_t slot = add_agent(crowd, x, y, 0.25f);
      float *preferred = copse_crowd_get(crowd).preferredVelocities + 2 * slot;
      preferred[0] = i % 3 ? 4 - x : x - 4;
      preferred[1] = i % 3 ? 4 - y : y - 4;
    }
    for (int step = 0; step < 100; step++) {
      float before[2 * 16];
      memcpy(before, copse_crowd_get(crowd).positions, sizeof before);
      steps_of(crowd, walls, 1);
      for (uint32_t slot = 0; slot < copse_crowd_count(crowd); slot++) {
        const float *at = copse_crowd_get(crowd).positions + 2 * slot;
        bool isInside, isClear;
        copse_obstacle_contains(walls, at, &isInside, NULL);
        copse_obstacle_visible(walls, before + 2 * slot, at, 0, &isClear, NULL);
        CHECK(!isInside && isClear);
      }
    }
    copse_crowd_destroy(crowd);
    copse_obstacle_destroy(walls);
  }
}

static void check_scene(void (*begin)(scene *), uint32_t steps, double overlap) {
  static scene played;
  begin(&played);
  const scene_report report = scene_play(&played, steps);
  CHECK(report.steps > 0); /* all are there */
  CHECK(report.overlap <= overlap);
  CHECK(report.speed <= 1 + 1e-5);
  CHECK(report.crossed == 0 && report.isFinite);
}

/* Measured: 2,320 steps and 0.181 of the radii; 4,085 and 0.027; 2,042 and 0.063. */
static void test_scenes_end_at_their_goals(void) {
  check_scene(scene_circle, 2900, 0.23);
  check_scene(scene_blocks, 4800, 0.035);
  check_scene(scene_sphere, 2600, 0.08);
}

/* Run once, or for every kind of index. */

const unit_test CROWD_TESTS[] = {
    TEST(test_programs_equal_the_slow_way),
    TEST(test_planes_that_are_almost_one),
    TEST(test_lines_along_an_axis_that_are_alike),
    TEST(test_bisectors_that_pass_far_away),
    TEST(test_lines_that_run_along_planes),
    TEST(test_crowds_hold_under_any_calls),
    TEST(test_coincident_agents_part),
    TEST(test_agents_denormally_apart_part),
    TEST(test_minus_zero_is_zero_to_a_crowd),
    TEST(test_agents_at_the_ends_of_what_is_accepted),
    TEST(test_nobody_and_one),
    TEST(test_of_neighbors_as_far_the_lower_ids_are_heeded),
    TEST(test_steps_of_any_size_stay_finite),
    TEST(test_steps_refuse_what_is_no_time),
    TEST(test_what_is_not_finite_is_named_and_changes_nothing),
    TEST(test_numbers_out_of_range_count_as_the_nearest),
    TEST(test_agents_without_size_neighbors_or_speed),
    TEST(test_a_crush_stays_finite_and_within_its_speed),
    TEST(test_as_many_neighbors_as_there_is_room_for),
    TEST(test_steps_of_no_duration_to_speak_of),
    TEST(test_more_walls_than_are_heeded),
    TEST(test_an_end_that_is_not_convex_forbids_nothing),
    TEST(test_who_is_exactly_on_a_wall_comes_off_it),
    TEST(test_who_makes_no_progress_is_stuck),
    TEST(test_agents_go_to_their_goals_and_stop),
    TEST(test_who_meets_exactly_head_on_passes),
    TEST(test_a_step_moves_neither_locked_nor_disabled),
    TEST(test_a_crowd_that_grows_still_tells_who_arrived),
    TEST(test_numbers_of_extras_out_of_range_count_as_the_nearest),
    TEST(test_slots_of_a_crowd),
    TEST(test_a_crowd_allocates_only_when_it_is_made_or_grows),
    TEST(test_no_frame_of_a_crowd_allocates),
    TEST(test_a_restored_crowd_goes_on_as_the_saved),
    TEST(test_a_snapshot_of_a_crowd_checks_what_it_takes),
    TEST(test_every_word_of_a_snapshot_counts),
    TEST(test_the_number_of_steps_is_part_of_the_hash),
    TEST(test_the_options_of_a_crowd_are_part_of_its_hash),
    TEST(test_overlaps_in_the_least_of_time_steps_give_finite_velocities),
    TEST(test_nothing_but_the_state_decides),
    TEST(test_a_wall_of_two_sides_has_no_better_side),
    TEST(test_constraints_have_a_direction_at_any_velocity),
    TEST(test_walls_hold_where_their_vertices_go_the_other_way),
    TEST(test_scenes_end_at_their_goals),
    {NULL, NULL, false},
};
