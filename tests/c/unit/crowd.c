/* Crowds. */

#include "../crowd.h"
#include "../program.h"
#include "../scenes.h"
#include "unit.h"

#include "../../../c/crowd/orca.h"

#include <float.h>

static void test_programs_agree_with_the_oracle(void) {
  uint32_t state = 1;
  for (int dimensions = 2; dimensions <= 3; dimensions++)
    for (uint32_t i = 0; i < repeats(dimensions == 2 ? 6000 : 900); i++) {
      const char *wrong = compare_program(&state, dimensions, (int)(i % PROGRAM_SLANTS));
      if (wrong) printf("program %u in %dD: %s\n", i, dimensions, wrong);
      CHECK(!wrong);
    }
}

/* The planes differ by so little that they count as one, or by just more. */
static void test_programs_with_almost_equal_planes_are_solved(void) {
  uint32_t state = 3, solved = 0;
  for (uint32_t round = 0; round < repeats(20000); round++) {
    orca3 planes = {.count = 3 + round % 4};
    const double least = (const double[]){3e-3, 3e-5, 1e-5, 1e-6}[round / 4 % 4];
    double normals[8][3], offsets[8];
    for (uint32_t plane = 0; plane < planes.count; plane++) {
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
        planes.normal[axis][plane] = (float)normals[plane][axis];
        planes.point[axis][plane] = (float)(normals[plane][axis] * offsets[plane]);
      }
    }
    float preferred[3], velocity[3];
    double speed2 = 0;
    for (int axis = 0; axis < 3; axis++) preferred[axis] = (float)random_number(&state, -1, 1);
    const bool holds = orca3_solve(&planes, preferred, 1, velocity);
    for (int axis = 0; axis < 3; axis++) speed2 += (double)velocity[axis] * (double)velocity[axis];
    CHECK(speed2 <= 1.00002);
    for (uint32_t plane = 0; plane < planes.count && holds; plane++) {
      double along = 0;
      for (int axis = 0; axis < 3; axis++) along += normals[plane][axis] * (double)velocity[axis];
      CHECK(offsets[plane] - along <= 1e-5);
    }
    solved += holds;
  }
  CHECK(solved > repeats(10000));
}

/* Three lines along an axis, two of them with the same direction: y <= -1, y >= 1 and y >= 2. The
 * worst violation is smallest at y = 0.5. Then the same, turned by 90 degrees. */
static void test_programs_with_parallel_lines_are_solved(void) {
  static const float OFFSETS[] = {-1, 1, 2}, SIDES[] = {-1, 1, 1};
  for (int isTurned = 0; isTurned < 2; isTurned++) {
    orca2 lines = {.count = 3};
    for (int i = 0; i < 3; i++) {
      (isTurned ? lines.x : lines.y)[i] = isTurned ? -OFFSETS[i] : OFFSETS[i];
      (isTurned ? lines.directionY : lines.directionX)[i] = SIDES[i];
    }
    float velocity[2];
    CHECK(!orca2_solve(&lines, (float[]){0, 0}, (float[]){0, 0}, 10, velocity));
    CHECK(fabsf(velocity[isTurned ? 0 : 1] - (isTurned ? -0.5f : 0.5f)) < 1e-5f);
    CHECK(fabsf(velocity[isTurned ? 1 : 0]) <= 10);
  }
}

/* Infeasible programs with almost parallel planes, whose bisectors are far away. */
static void test_programs_with_distant_bisectors_are_solved(void) {
  static const uint32_t STATES[] = {1663992755, 2988747535, 680474515, 2001592104,
                                    3611215345, 723238394,  2931483537};
  for (size_t i = 0; i < sizeof STATES / sizeof *STATES; i++) {
    uint32_t state = STATES[i];
    CHECK(!compare_program(&state, 3, 1));
  }
}

/* Lines of intersection that run along other planes, or far out. The search along such a line must
 * not stop where only its beginning is forbidden, nor the search outward where the way is short. */
static void test_programs_with_lines_along_planes_are_solved(void) {
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

static void test_crowds_survive_arbitrary_calls(void) {
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

/* Does one of the things that a game may do between two steps. */
static void change_crowd(copse_crowd *crowd, uint32_t dimensions, uint32_t *state,
                         const uint8_t *early, size_t earlyBytes) {
  const copse_crowd_arrays arrays = copse_crowd_get(crowd);
  const uint32_t n = copse_crowd_slots(crowd);
  const uint32_t slot = random_word(state) % n, value = random_word(state) % 4;
  switch (random_word(state) % 10) {
  case 0: /* teleport */
    for (uint32_t axis = 0; axis < dimensions; axis++)
      arrays.positions[slot * dimensions + axis] = (float)(random_word(state) % 64);
    break;
  case 1:
    copse_crowd_remove(crowd, slot);
    break;
  case 2:
    add_agent(crowd, (float)(random_word(state) % 64), (float)value, 0.5f);
    break;
  case 3:
    arrays.enabled[slot] = value & 1;
    break;
  case 4:
    arrays.groups[slot] = value;
    break;
  case 5:
    arrays.neighborDistances[slot] = 3 + (float)value;
    break;
  case 6:
    arrays.maxNeighbors[slot] = 3 * value;
    break;
  case 7:
    arrays.masks[slot] = value ? COPSE_ALL_GROUPS : 2;
    break;
  case 8:
    CHECK(copse_crowd_reserve(crowd, n + 40 + value) == COPSE_OK);
    break;
  default:
    CHECK(copse_crowd_restore(crowd, early, earlyBytes, NULL) == COPSE_OK);
    break;
  }
}

/* A crowd chooses neighbors from the lists of earlier steps. It must have the same states as a new
 * crowd that is restored before each step, and so has no lists. */
static void test_lists_change_nothing(void) {
  static uint8_t bytes[1 << 16], early[1 << 16];
  uint32_t state = 1, listed = 0, steps = 0;
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (uint32_t world = 0; world < repeats(20); world++) {
      copse_crowd *crowd = crowd_of(dimensions, 100);
      const uint32_t side = world % 2 ? 24 : 64; /* dense in the plane, or sparse */
      size_t earlyBytes = 0, size;
      for (uint32_t i = 0; i < 40; i++) {
        const uint32_t slot = add_agent(crowd, (float)(random_word(&state) % side),
                                        (float)(random_word(&state) % side), 0.5f);
        const copse_crowd_arrays arrays = copse_crowd_get(crowd);
        arrays.neighborDistances[slot] = 6;
        for (uint32_t axis = 0; axis < dimensions; axis++)
          arrays.goals[slot * dimensions + axis] = (float)(random_word(&state) % side);
      }
      for (uint32_t step = 0; step < 150; step++) {
        copse_crowd *fresh = crowd_of(dimensions, 200);
        CHECK(copse_crowd_save(crowd, bytes, sizeof bytes, &size, NULL) == COPSE_OK);
        CHECK(copse_crowd_restore(fresh, bytes, size, NULL) == COPSE_OK);
        if (step == 20) {
          memcpy(early, bytes, size);
          earlyBytes = size;
        }
        copse_work = 0;
        CHECK(copse_crowd_step(fresh, NULL, 0.125f, NULL) == COPSE_OK);
        const uint64_t work = copse_work;
        copse_work = 0;
        CHECK(copse_crowd_step(crowd, NULL, 0.125f, NULL) == COPSE_OK);
        steps++;
        listed += copse_work < work * 2 / 3;
        CHECK(copse_crowd_hash(crowd) == copse_crowd_hash(fresh));
        copse_crowd_destroy(fresh);
        if (step > 20 && random_word(&state) % 8 == 0)
          change_crowd(crowd, dimensions, &state, early, earlyBytes);
      }
      copse_crowd_destroy(crowd);
    }
  CHECK(listed > steps / 10);
}

static void test_coincident_agents_separate(void) {
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
          agent.velocity[1] = agent.preferredVelocity[1] = 1; /* all the same */
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

/* Agents with equal velocities, at zeros of either sign and the smallest distances that floats
 * have: they count as coincident. */
static void test_agents_a_denormal_distance_apart_separate(void) {
  static const float XS[] = {0, -0.0f, 1e-45f, -1e-45f, 3e-39f, 1e-24f};
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    uint32_t hashes[2];
    for (int again = 0; again < 2; again++) {
      copse_crowd *crowd = crowd_of(dimensions, 6);
      const copse_crowd_arrays arrays = copse_crowd_get(crowd);
      for (uint32_t slot = 0; slot < 6; slot++) {
        add_agent(crowd, XS[slot], XS[5 - slot], 0.5f);
        arrays.velocities[slot * dimensions] = arrays.preferredVelocities[slot * dimensions] = 1;
      }
      steps_of(crowd, NULL, 1);
      CHECK(copse_crowd_stats(crowd).overlaps == 6);
      steps_of(crowd, NULL, 100);
      for (uint32_t a = 0; a < 6; a++)
        for (uint32_t b = 0; b < a; b++) {
          double distance2 = 0;
          for (uint32_t axis = 0; axis < dimensions; axis++)
            distance2 += pow((double)arrays.positions[a * dimensions + axis] -
                                 (double)arrays.positions[b * dimensions + axis],
                             2);
          CHECK(distance2 > 0.999 * 0.999);
        }
      hashes[again] = copse_crowd_hash(crowd);
      copse_crowd_destroy(crowd);
    }
    CHECK(hashes[0] == hashes[1]);
  }
}

static void test_a_crowd_treats_minus_zero_as_zero(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowds[2];
    for (int sign = 0; sign < 2; sign++) {
      const float zero = sign ? -0.0f : 0;
      copse_crowd *crowd = crowds[sign] = crowd_of(dimensions, 6);
      const copse_crowd_arrays arrays = copse_crowd_get(crowd);
      for (uint32_t slot = 0; slot < 6; slot++) {
        add_agent(crowd, slot % 3 ? (float)(slot % 3) / 2 : zero, slot / 3 ? 0.5f : zero, 0.5f);
        for (uint32_t axis = 1; axis < dimensions; axis++)
          arrays.velocities[slot * dimensions + axis] =
              arrays.preferredVelocities[slot * dimensions + axis] = zero;
        arrays.preferredVelocities[slot * dimensions] = slot % 2 ? 1 : -1;
        if (slot < 3) arrays.goals[slot * dimensions] = arrays.goals[slot * dimensions + 1] = zero;
        if (slot < 3) arrays.goals[slot * dimensions + dimensions - 1] = zero;
        arrays.priorities[slot] = zero;
      }
    }
    for (int step = 0; step < 50; step++) {
      CHECK(copse_crowd_hash(crowds[0]) == copse_crowd_hash(crowds[1]));
      for (int sign = 0; sign < 2; sign++) steps_of(crowds[sign], NULL, 1);
    }
    for (int sign = 0; sign < 2; sign++) copse_crowd_destroy(crowds[sign]);
  }
}

static void test_agents_at_the_coordinate_limits_work(void) {
  const float huge = COPSE_MAX_COORDINATE, beyond = nextafterf(huge, INFINITY);
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, 16);
    const copse_crowd_arrays arrays = copse_crowd_get(crowd);
    for (int i = 0; i < 12; i++) { /* three per corner */
      const uint32_t slot = add_agent(crowd, i & 1 ? huge : -huge, i & 2 ? huge : -huge, 0.5f);
      arrays.positions[slot * dimensions + dimensions - 1] = i & 2 ? huge : -huge;
      arrays.preferredVelocities[slot * dimensions] = 1;
      arrays.neighborDistances[slot] = INFINITY;
      if (i % 3 == 0) arrays.goals[slot * dimensions] = arrays.goals[slot * dimensions + 1] = -huge;
      if (i % 3 == 0) arrays.goals[slot * dimensions + dimensions - 1] = huge;
    }
    float before[3 * 12];
    memcpy(before, arrays.positions, 12 * dimensions * sizeof *before);
    steps_of(crowd, NULL, 20);
    /* A step is shorter than the distance of neighboring floats there. */
    CHECK(memcmp(before, arrays.positions, 12 * dimensions * sizeof *before) == 0);
    for (uint32_t i = 0; i < 12 * dimensions; i++) CHECK(fabsf(arrays.velocities[i]) <= 2.0001f);
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

static void test_crowds_of_no_agent_and_of_one_work(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, 1);
    copse_crowd_view view;
    uint32_t words[96];
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
    CHECK(copse_crowd_restore(crowd, words, total, NULL) == COPSE_OK &&
          copse_crowd_count(crowd) == 0);
    steps_of(crowd, NULL, 1);
    copse_crowd_destroy(crowd);
  }
}

/* Eight agents are at the same distance from a last one, which avoids only some: those with the
 * lowest ids, both in its view and in a step. Without the others the step must be the same. */
static void test_ties_between_neighbors_go_to_the_lower_ids(void) {
  enum { RING = 8 };
  static const float RING_AT[RING][2] = {{-3, 4}, {3, 4},  {4, -3}, {5, 0},
                                         {0, -5}, {-5, 0}, {0, 5},  {-4, 3}};
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (uint32_t most = 0; most <= RING + 1; most++) {
      float velocities[2][3];
      for (int few = 0; few < 2; few++) {
        copse_crowd *crowd = crowd_of(dimensions, RING + 1);
        const copse_crowd_arrays arrays = copse_crowd_get(crowd);
        const uint32_t avoided = most < RING ? most : RING;
        for (uint32_t i = 0; i < RING; i++) add_agent(crowd, RING_AT[i][0], RING_AT[i][1], 2);
        const uint32_t last = add_agent(crowd, 0, 0, 2);
        for (uint32_t i = avoided; few && i < RING; i++)
          CHECK(copse_crowd_remove(crowd, i) == COPSE_OK);
        arrays.preferredVelocities[last * dimensions] = 1.5f;
        arrays.maxNeighbors[last] = most;
        arrays.neighborDistances[last] = 5; /* inclusive */
        copse_crowd_view view;
        CHECK(copse_crowd_inspect(crowd, NULL, 0.125f, last, &view) == COPSE_OK);
        CHECK(view.neighborCount == avoided);
        for (uint32_t i = 0; i < avoided; i++) CHECK(view.neighbors[i] == i);
        steps_of(crowd, NULL, 1);
        memcpy(velocities[few], arrays.velocities + last * dimensions, dimensions * sizeof(float));
        copse_crowd_destroy(crowd);
      }
      CHECK(memcmp(velocities[0], velocities[1], dimensions * sizeof(float)) == 0);
    }
}

/* Extremely short and extremely long time steps. */
static void test_steps_of_any_size_stay_finite(void) {
  static const float STEPS[] = {1e-45f, 1e-38f, 1e-30f, 1e-10f, 1e3f, 1e10f, 1e17f};
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++)
      for (int horizon = 0; horizon < 3; horizon++) {
        copse_crowd *crowd = crowd_of(dimensions, 30);
        const copse_crowd_arrays arrays = copse_crowd_get(crowd);
        uint32_t state = 1;
        for (uint32_t slot = 0; slot < 30; slot++) {
          const float x = (float)(random_word(&state) % 8) / 2;
          add_agent(crowd, x, (float)(random_word(&state) % 8) / 2, 0.5f);
          arrays.timeHorizons[slot] = horizon == 0 ? 0 : horizon == 1 ? 2 : 1e18f;
          arrays.preferredVelocities[slot * dimensions] = slot % 2 ? 1 : -1;
          if (slot % 3 == 0)
            memset(arrays.goals + slot * dimensions, 0, dimensions * sizeof(float));
        }
        for (int step = 0; step < 3; step++) {
          CHECK(copse_crowd_step(crowd, NULL, STEPS[i], NULL) == COPSE_OK);
          for (uint32_t slot = 0; slot < 30; slot++) {
            double speed2 = 0;
            for (uint32_t axis = 0; axis < dimensions; axis++) {
              speed2 += pow((double)arrays.velocities[slot * dimensions + axis], 2);
              CHECK(fabsf(arrays.positions[slot * dimensions + axis]) <= COPSE_MAX_COORDINATE);
            }
            CHECK(sqrt(speed2) <= 2 * (1 + 1e-5));
          }
        }
        copse_crowd_destroy(crowd);
      }
}

static void test_invalid_time_steps_are_refused(void) {
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
  CHECK(copse_crowd_inspect(crowd, NULL, 1, 0, &view) == COPSE_OK && view.obstacleCount == 0);
  CHECK(copse_crowd_hash(crowd) == before && copse_crowd_stats(crowd).steps == 0);
  CHECK(copse_crowd_step(space, walls, 1, NULL) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_crowd_step(space, NULL, COPSE_MAX_COORDINATE, NULL) == COPSE_OK);
  CHECK(copse_crowd_inspect(space, walls, 1, 0, &view) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_crowd_inspect(space, NULL, 1, 1, &view) == COPSE_STALE_SLOT);
  copse_crowd_destroy(crowd);
  copse_crowd_destroy(space);
  copse_obstacle_destroy(walls);
}

static void test_a_slot_that_is_not_finite_is_named_and_nothing_changes(void) {
  static const float BAD[] = {NAN, INFINITY, -INFINITY, 1.1e18f};
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (int field = 0; field < 4; field++)
      for (int i = 0; i < 4; i++) {
        copse_crowd *crowd = crowd_of(dimensions, 8);
        for (int agent = 0; agent < 6; agent++) add_agent(crowd, (float)agent / 2, 0, 1);
        copse_crowd_remove(crowd, 2);
        copse_crowd_arrays arrays = copse_crowd_get(crowd);
        float *fields[] = {arrays.positions, arrays.velocities, arrays.preferredVelocities,
                           arrays.goals};
        fields[field][2 * dimensions] = NAN; /* a free slot */
        for (uint32_t slot = 3; slot < 5; slot++)
          fields[field][slot * dimensions + dimensions - 1] = BAD[i];
        const uint32_t before = copse_crowd_hash(crowd);
        uint32_t firstBad = 99;
        size_t total;
        const copse_status expected =
            field < 3 ? COPSE_NOT_FINITE : COPSE_OK; /* a goal may be NaN */
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

/* Steps two agents that meet head-on beside a wall, with one field set to `value` for both. Returns
 * the crowd's hash without that field. */
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
  for (uint32_t slot = 0; slot < 2; slot++)
    crowd->fields[field][slot] = 0; /* the same in every hash */
  const uint32_t hash = copse_crowd_hash(crowd);
  copse_crowd_destroy(crowd);
  copse_obstacle_destroy(walls);
  return hash;
}

static void test_numbers_out_of_range_are_clamped(void) {
  /* A time horizon is at least a time step. */
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

static void test_agents_without_size_neighbors_or_speed_work(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, 8);
    const copse_crowd_arrays arrays = copse_crowd_get(crowd);
    for (int i = 0; i < 6; i++) add_agent(crowd, (float)(i % 3) / 4, (float)(i / 3) / 4, 0.5f);
    for (uint32_t slot = 0; slot < 6; slot++)
      arrays.preferredVelocities[slot * dimensions] = slot % 2 ? 1 : -1;
    arrays.maxSpeeds[0] = 0;
    arrays.maxNeighbors[3] = 0;
    arrays.neighborDistances[4] = 0;
    const float before = arrays.positions[0];
    steps_of(crowd, NULL, 1);
    CHECK(arrays.positions[0] == before && arrays.velocities[0] == 0);
    CHECK(arrays.velocities[3 * dimensions] == 1 && arrays.velocities[3 * dimensions + 1] == 0);
    CHECK(arrays.velocities[4 * dimensions] == -1);
    arrays.radii[1] = arrays.radii[2] = 0;
    steps_of(crowd, NULL, 50);
    CHECK(arrays.positions[0] == before);
    copse_crowd_destroy(crowd);

    copse_crowd_def def = copse_crowd_default();
    def.dimensions = dimensions;
    def.maxNeighbors = 0; /* for all agents */
    CHECK(copse_crowd_create(&def, &crowd) == COPSE_OK);
    add_agent(crowd, 0, 0, 1);
    add_agent(crowd, 0, 0, 1);
    steps_of(crowd, NULL, 3);
    CHECK(copse_crowd_get(crowd).velocities[0] == 0 && copse_crowd_stats(crowd).neighbors == 0);
    copse_crowd_destroy(crowd);
  }
}

static void test_agents_in_a_crush_stay_within_their_maximum_speed(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, 200);
    const copse_crowd_arrays arrays = copse_crowd_get(crowd);
    uint32_t state = 1, infeasible = 0;
    for (int i = 0; i < 200; i++)
      add_agent(crowd, (float)random_number(&state, -1, 1), (float)random_number(&state, -1, 1), 1);
    for (int step = 0; step < 40; step++) {
      steps_of(crowd, NULL, 1);
      infeasible += copse_crowd_stats(crowd).infeasible;
      for (uint32_t slot = 0; slot < 200; slot++) {
        double speed2 = 0;
        for (uint32_t axis = 0; axis < dimensions; axis++)
          speed2 += pow((double)arrays.velocities[slot * dimensions + axis], 2);
        CHECK(sqrt(speed2) <= 2 * (1 + 1e-5));
      }
    }
    CHECK(infeasible > 200);
    copse_crowd_destroy(crowd);
  }
}

/* Priorities differ, so that neighbors differ in their terms. */
static void test_an_agent_can_have_the_maximum_number_of_neighbors(void) {
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
      const copse_crowd_arrays arrays = copse_crowd_get(crowd);
      arrays.priorities[slot] = (float)(i % 3);
      arrays.neighborDistances[slot] = 100;
      arrays.maxNeighbors[slot] = COPSE_CROWD_MAX_NEIGHBORS;
    }
    steps_of(crowd, NULL, 2);
    CHECK(copse_crowd_stats(crowd).neighbors == COPSE_CROWD_MAX_NEIGHBORS);
    CHECK(copse_crowd_inspect(crowd, NULL, 0.125f, 0, &view) == COPSE_OK);
    CHECK(view.neighborCount == COPSE_CROWD_MAX_NEIGHBORS);
    copse_crowd_destroy(crowd);
  }
}

/* Time steps down to the shortest, where 1 / timeStep overflows. */
static void test_speeds_stay_limited_in_denormal_time_steps(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, 8);
    for (int i = 0; i < 8; i++) add_agent(crowd, (float)(i % 3) / 4, (float)(i / 3) / 4, 1);
    copse_crowd_arrays arrays = copse_crowd_get(crowd);
    for (uint32_t slot = 1; slot < 8; slot++) {
      arrays.goals[slot * dimensions] = 5;
      arrays.goals[slot * dimensions + 1] = arrays.goals[(slot + 1) * dimensions - 1] = (float)slot;
      arrays.maxSpeeds[slot] = slot % 2 ? 3 : COPSE_MAX_COORDINATE;
      arrays.preferredSpeeds[slot] = arrays.maxSpeeds[slot];
    }
    for (float timeStep = 1e-45f; timeStep < 1e-30f; timeStep *= 32) {
      CHECK(copse_crowd_step(crowd, NULL, timeStep, NULL) == COPSE_OK);
      for (uint32_t slot = 0; slot < 8; slot++) {
        double length2 = 0;
        for (uint32_t axis = 0; axis < dimensions; axis++) {
          const double speed = (double)arrays.velocities[slot * dimensions + axis];
          length2 += speed * speed;
        }
        CHECK(sqrt(length2) <= (double)arrays.maxSpeeds[slot] * 1.00001);
      }
    }
    copse_crowd_destroy(crowd);
  }
}

/* A view holds the nearest walls: all others are at least as far away. */
static void test_the_nearest_walls_count_if_there_are_too_many(void) {
  enum { WALLS = 400 };
  static const uint64_t WORK[] = {4010, 12276002};
  copse_obstacle_def def = copse_obstacle_default();
  def.capacity = 2 * WALLS;
  for (int through = 0; through < 2; through++) { /* beside an agent, then all through it */
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
    CHECK(view.obstacleCount == COPSE_CROWD_OBSTACLES || (!through && view.obstacleCount > 0));
    CHECK(view.obstacleConstraintCount <= view.obstacleCount && view.neighborCount == 0);
    static uint32_t edges[WALLS];
    static float distances2[WALLS];
    copse_results results = {edges, distances2, WALLS, 0, 0};
    const float origin[] = {0, 0};
    CHECK(copse_obstacle_within(walls, origin, INFINITY, COPSE_SIDE_VISIBLE, &results) == COPSE_OK);
    CHECK(memcmp(view.obstacles, edges, view.obstacleCount * sizeof *edges) == 0);
    copse_work = 0;
    steps_of(crowd, walls, 4);
    CHECK(copse_work == WORK[through]);
    const float *velocity = copse_crowd_get(crowd).velocities;
    CHECK(hypotf(velocity[0], velocity[1]) <= 2.0001f);
    copse_crowd_destroy(crowd);
    copse_obstacle_destroy(walls);
  }
}

/* An agent behind the second of two walls, outside their corner. If the corner is not convex, seen
 * from the front of the first wall, only the second wall makes a constraint. */
static void test_a_wall_end_that_is_not_convex_makes_no_constraint(void) {
  const orca_agent agent = {.body.radius = 1, .maxSpeed = 1, .inverseHorizonOfWalls = 1};
  for (int isConvex = 0; isConvex < 2; isConvex++) {
    orca2 lines = {.count = 0};
    const orca_wall wall = {.begin = {-2, 0.125f},
                            .end = {-0.5f, 0.125f},
                            .direction = {1, 0},
                            .before = {1, 0},
                            .after = {0.6f, -0.8f},
                            .isEndConvex = isConvex};
    orca2_add_wall(&lines, &agent, &wall);
    CHECK(lines.walls == (uint32_t)isConvex);
  }
}

/* From exactly on a wall, the only way off is to its right: its left is solid. */
static void test_an_agent_exactly_on_a_wall_gets_off_it(void) {
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
    const float *position = copse_crowd_get(crowd).positions;
    bool isInside;
    CHECK(copse_obstacle_contains(walls, position, &isInside, NULL) == COPSE_OK && !isInside);
    CHECK(fabsf(fabsf(position[0] - 4) - 0.5f) < 1e-3f && fabsf(position[1] - 2) < 1e-3f);
    copse_crowd_destroy(crowd);
    copse_obstacle_destroy(walls);
  }
}

/* An agent behind a wall is stuck, although no agent is in its way. One whose preferred speed is 0
 * never is. */
static void test_an_agent_without_progress_is_stuck(void) {
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
  /* After a move it has 2 seconds again. */
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
    const copse_crowd_arrays arrays = copse_crowd_get(crowd);
    steps_of(crowd, NULL, 1);
    CHECK(fabsf(arrays.velocities[0] - 0.9f) < 1e-6f && fabsf(arrays.velocities[1] - 1.2f) < 1e-6f);
    steps_of(crowd, NULL, 30); /* 5 / 1.5 = 26.7 steps of 1/8 */
    CHECK(fabsf(arrays.positions[0] - 3) < 1e-5f && fabsf(arrays.positions[1] - 4) < 1e-5f);
    CHECK(fabsf(arrays.velocities[0]) < 1e-5f && fabsf(arrays.velocities[1]) < 1e-5f);
    CHECK(fabs(copse_crowd_stats(crowd).time - 31 * 0.125) < 1e-12);
    copse_crowd_destroy(crowd);
  }
}

/* True if two agents that meet exactly head-on along an axis both reach their goals in time. */
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
  for (int step = 0; step < 100; step++) { /* a single agent needs 80 */
    steps_of(crowd, NULL, 1);
    arrived += copse_crowd_arrived(crowd);
  }
  copse_crowd_destroy(crowd);
  return arrived == 2;
}

static void test_agents_that_meet_exactly_head_on_pass(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (int axis = 0; axis < (int)dimensions; axis++) {
      CHECK(head_on_pass(dimensions, axis, false));
      CHECK(!head_on_pass(dimensions, axis, true));
    }
}

/* A dense crowd, a quarter each locked, disabled, of small acceleration, and ordinary. */
static void test_a_step_moves_no_locked_or_disabled_agent(void) {
  enum { N = 80 };
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_crowd *crowd = crowd_of(dimensions, N);
    const copse_crowd_arrays arrays = copse_crowd_get(crowd);
    uint32_t state = 1;
    for (uint32_t i = 0; i < N; i++) {
      const float x = (float)random_number(&state, -3, 3), y = (float)random_number(&state, -3, 3);
      add_agent(crowd, x, y, 0.5f);
      arrays.preferredVelocities[i * dimensions] = x > 0 ? -1 : 1;
      arrays.velocities[i * dimensions] = 0.25f;
      if (i % 4 == 0) arrays.locked[i] = 1;
      if (i % 4 == 1) arrays.enabled[i] = 0;
      if (i % 4 == 2) arrays.maxAccelerations[i] = 0.5f;
    }
    arrays.positions[dimensions] = NAN; /* ignored: the agent is disabled */
    for (int step = 0; step < 40; step++) {
      float before[2][3 * N];
      memcpy(before[0], arrays.positions, N * dimensions * sizeof(float));
      memcpy(before[1], arrays.velocities, N * dimensions * sizeof(float));
      steps_of(crowd, NULL, 1);
      for (uint32_t i = 0; i < N; i++) {
        const size_t offset = (size_t)i * dimensions, size = dimensions * sizeof(float);
        const bool isSame = memcmp(before[0] + offset, arrays.positions + offset, size) == 0 &&
                            memcmp(before[1] + offset, arrays.velocities + offset, size) == 0;
        if (i % 4 < 2) CHECK(isSame);
        double change2 = 0;
        for (uint32_t axis = 0; axis < dimensions; axis++)
          change2 +=
              pow((double)arrays.velocities[offset + axis] - (double)before[1][offset + axis], 2);
        if (i % 4 == 2) CHECK(sqrt(change2) <= 0.5 * 0.125 * (1 + 1e-5));
      }
    }
    copse_crowd_destroy(crowd);
  }
}

static void test_reserve_keeps_the_list_of_arrived_agents(void) {
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

static void test_accelerations_and_priorities_out_of_range_are_clamped(void) {
  const int FIELDS_OF[] = {FIELD_MAX_ACCELERATION, FIELD_PRIORITY};
  for (int i = 0; i < 2; i++) {
    CHECK(hash_with(FIELDS_OF[i], -1) == hash_with(FIELDS_OF[i], 0));
    CHECK(hash_with(FIELDS_OF[i], NAN) == hash_with(FIELDS_OF[i], 0));
    CHECK(hash_with(FIELDS_OF[i], INFINITY) == hash_with(FIELDS_OF[i], 1e18f));
  }
  CHECK(hash_with(FIELD_MAX_ACCELERATION, 0) != hash_with(FIELD_MAX_ACCELERATION, 1));
}

static void test_slots_of_a_crowd_are_reused(void) {
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

static void test_a_crowd_allocates_only_in_create_and_reserve(void) {
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
      steps_of(crowd, NULL, 20); /* an allocation would fail */
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
    static uint32_t words[64 * N];
    uint32_t state = 1;
    book.callsLeft = 0; /* the next allocation fails, and is counted */
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
      if (frame % 16 == 0) CHECK(copse_crowd_restore(crowd, words, total, NULL) == COPSE_OK);
      CHECK(copse_crowd_hash(crowd) == hash);
    }
    CHECK(book.callsLeft == 0);
    copse_crowd_destroy(crowd);
  }
  copse_obstacle_destroy(walls);
}

/* Up to 200 agents among boxes; some come and go. */
typedef struct walkers {
  copse_crowd *crowd;
  copse_obstacle *walls;
} walkers;

static walkers walkers_of(void) {
  walkers group = {crowd_of(2, 200), NULL};
  const copse_obstacle_def def = copse_obstacle_default();
  CHECK(copse_obstacle_create(&def, &group.walls) == COPSE_OK);
  for (int i = 0; i < 9; i++) {
    const float x = (float)(i % 3) * 12, y = (float)(i / 3) * 12;
    const float corners[] = {x, y, x + 4, y, x + 5, y + 5, x, y + 4};
    uint32_t slot;
    CHECK(copse_obstacle_add(group.walls, corners, i % 4 ? 4 : 2,
                             (i % 2) ? COPSE_SOLID_NOWHERE : COPSE_SOLID_WINDING,
                             &slot) == COPSE_OK);
  }
  CHECK(copse_obstacle_build(group.walls, NULL) == COPSE_OK);
  return group;
}

/* Adds and removes some agents, then takes a step. */
static void walk(const walkers *group, uint32_t *state) {
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
    if (i == 0) agent.goal[0] = agent.goal[1] = 14; /* shared by many, which come to rest there */
    agent.priority = (float)(extras >> 8 & 3);
    if (extras >> 10 & 1) agent.mask = 1 + (extras >> 11 & 3);
    agent.groups = extras >> 13 & 3;
    agent.locked = (extras >> 16 & 15) == 0;
    agent.enabled = (extras >> 16 & 15) != 1;
    if (extras >> 20 & 1) agent.maxAcceleration = (float)random_number(state, 0, 10);
    uint32_t added;
    if (random_word(state) % 8 == 0) copse_crowd_remove(group->crowd, slot);
    copse_crowd_add(group->crowd, &agent, &added);
  }
  CHECK(copse_crowd_step(group->crowd, group->walls, 0.125f, NULL) == COPSE_OK);
}

static void test_a_restored_crowd_continues_exactly(void) {
  static uint32_t words[200 * 64], again[200 * 64];
  const walkers group = walkers_of();
  walkers other = group;
  other.crowd = crowd_of(2, 200);
  uint32_t state = 1;
  for (int i = 0; i < 60; i++) walk(&group, &state);
  for (int moment = 0; moment < 100; moment++) {
    for (uint32_t i = random_word(&state) % 4; i > 0; i--) walk(&group, &state);
    size_t total, same;
    CHECK(copse_crowd_save(group.crowd, words, sizeof words, &total, NULL) == COPSE_OK);
    CHECK(copse_crowd_restore(other.crowd, words, total, NULL) == COPSE_OK);
    uint32_t states[] = {state, state};
    for (int i = 0; i < 3; i++) {
      walk(&group, &states[0]);
      walk(&other, &states[1]);
      CHECK(copse_crowd_hash(group.crowd) == copse_crowd_hash(other.crowd));
    }
    CHECK(copse_crowd_save(group.crowd, words, sizeof words, &total, NULL) == COPSE_OK);
    CHECK(copse_crowd_save(other.crowd, again, sizeof again, &same, NULL) == COPSE_OK);
    CHECK(total == same && memcmp(words, again, total) == 0);
    state = states[0];
  }
  CHECK(copse_crowd_count(group.crowd) > 150 && copse_crowd_stats(group.crowd).overlaps > 0);
  copse_crowd_destroy(group.crowd);
  copse_crowd_destroy(other.crowd);
  copse_obstacle_destroy(group.walls);
}

static void test_forged_snapshots_of_a_crowd_are_refused(void) {
  static uint32_t words[500], forged[500];
  copse_crowd *crowd = crowd_of(2, 9);
  for (int i = 0; i < 9; i++) add_agent(crowd, (float)i, 0, 1);
  copse_crowd_remove(crowd, 4);
  steps_of(crowd, NULL, 3);
  size_t total, same;
  CHECK(copse_crowd_save(crowd, words, 10, &total, NULL) == COPSE_FULL);
  CHECK(copse_crowd_save(crowd, words, sizeof words, &total, NULL) == COPSE_OK);
  const uint32_t before = copse_crowd_hash(crowd);
  /* After the header: dimensions, maxNeighbors, exact, slots, time (two words), steps; then
   * generations and positions. */
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
    CHECK(copse_crowd_restore(crowd, forged, total, NULL) == COPSE_BAD_SNAPSHOT);
    CHECK(copse_crowd_hash(crowd) == before);
  }
  for (size_t size = 0; size < total + 16; size++)
    if (size != total) CHECK(copse_crowd_restore(crowd, words, size, NULL) == COPSE_BAD_SNAPSHOT);
  for (size_t i = 0; i < 8 * total; i++) {
    memcpy(forged, words, total);
    ((uint8_t *)forged)[i / 8] ^= (uint8_t)(1 << i % 8);
    CHECK(copse_crowd_restore(crowd, forged, total, NULL) == COPSE_BAD_SNAPSHOT);
  }
  CHECK(copse_crowd_restore(crowd, (char *)words + 1, total, NULL) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_crowd_save(crowd, forged, sizeof forged, &same, NULL) == COPSE_OK && same == total);
  CHECK(memcmp(words, forged, total) == 0);
  copse_crowd *small = crowd_of(2, 8), *large = crowd_of(2, 40);
  add_agent(small, 1, 2, 3);
  const uint32_t smallBefore = copse_crowd_hash(small);
  CHECK(copse_crowd_restore(small, words, total, NULL) == COPSE_FULL);
  CHECK(copse_crowd_hash(small) == smallBefore);
  for (int i = 0; i < 30; i++) add_agent(large, (float)i, 0, 1);
  CHECK(copse_crowd_restore(large, words, total, NULL) == COPSE_OK &&
        copse_crowd_count(large) == 8);
  CHECK(copse_crowd_hash(large) == before && add_agent(large, 0, 0, 1) == 4);
  copse_crowd_destroy(small);
  copse_crowd_destroy(large);
  copse_crowd_destroy(crowd);
}

/* True if two floats are the same to a crowd: equal (0 and -0 are), or both NaN. */
static bool is_same_float(uint32_t a, uint32_t b) {
  float x, y;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  return x == y || (isnan(x) && isnan(y));
}

/* A snapshot with one bit changed, but with a right checksum, is refused or has another hash. */
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
    const size_t count = total / 4, floats = HEAD + slots * (1 + 6 * dim + 12);
    uint32_t taken = 0;
    CHECK(slots == 6 && count == floats + (size_t)slots * 6);
    for (size_t i = 0; i < 32 * count; i++) {
      const size_t word = i / 32;
      memcpy(forged, words, total);
      forged[word] ^= 1u << i % 32;
      CHECK(copse_crowd_restore(other, forged, total, NULL) == COPSE_BAD_SNAPSHOT);
      if (word == CHECKSUM) continue;
      uint32_t sum = 0;
      for (size_t j = 0; j < count; j++)
        if (j != CHECKSUM) sum = hash_word(sum, forged[j]);
      forged[CHECKSUM] = sum;
      if (copse_crowd_restore(other, forged, total, NULL) != COPSE_OK) continue;
      taken++;
      const bool isFloat = word >= HEAD + slots && word < floats;
      const bool isSame = isFloat && is_same_float(words[word], forged[word]);
      CHECK((copse_crowd_hash(other) == before) == isSame);
    }
    CHECK(taken > 32 * count / 2);
    copse_crowd_destroy(crowd);
    copse_crowd_destroy(other);
  }
}

/* Two steps of half a second against one of a second. What follows may differ, because an agent
 * checks only every 32 steps whether it is inside something solid. */
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

/* The options decide the future, so they are part of the hash; the capacity is not. */
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

/* Separating in so short a time would need a speed that no float can hold. */
static void test_overlaps_in_a_denormal_time_step_give_finite_velocities(void) {
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

static void test_a_crowd_does_not_depend_on_its_history(void) {
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

/* Mirrored agents beside a two-sided wall along y move along mirrored paths. */
static void test_both_sides_of_a_two_sided_wall_behave_the_same(void) {
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
          float *position = copse_crowd_get(crowd).positions,
                before[2] = {position[0], position[1]};
          bool isClear;
          steps_of(crowd, walls, 1);
          copse_obstacle_visible(walls, before, position, 0, &isClear, NULL);
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

/* A disabled agent can be inspected, whatever velocity the game wrote. */
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
    CHECK(view.obstacleConstraintCount == 1);
    const float *direction = view.constraints + 2;
    CHECK(fabsf(hypotf(direction[0], direction[1]) - 1) < 1e-5f);
    copse_crowd_destroy(crowd);
  }
  copse_obstacle_destroy(walls);
}

/* A solid square in a room, both moved so that they are mirrored. Agents that push against them
 * stay in between, just as with walls that were added there. */
static void test_walls_hold_after_a_move_that_mirrors_them(void) {
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
      if (x == y || x + y == 8) continue; /* these would head exactly for a corner */
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
        const float *position = copse_crowd_get(crowd).positions + 2 * slot;
        bool isInside, isClear;
        copse_obstacle_contains(walls, position, &isInside, NULL);
        copse_obstacle_visible(walls, before + 2 * slot, position, 0, &isClear, NULL);
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
  CHECK(report.steps > 0); /* all agents arrived */
  CHECK(report.overlap <= overlap);
  CHECK(report.speed <= 1 + 1e-5);
  CHECK(report.crossed == 0 && report.isFinite);
}

/* Measured steps and overlap: 2,320 and 0.181; 4,085 and 0.027; 2,042 and 0.063. */
static void test_scenes_end_at_their_goals(void) {
  check_scene(scene_circle, 2900, 0.23);
  check_scene(scene_blocks, 4800, 0.035);
  check_scene(scene_sphere, 2600, 0.08);
}

const unit_test CROWD_TESTS[] = {
    TEST(test_programs_agree_with_the_oracle),
    TEST(test_programs_with_almost_equal_planes_are_solved),
    TEST(test_programs_with_parallel_lines_are_solved),
    TEST(test_programs_with_distant_bisectors_are_solved),
    TEST(test_programs_with_lines_along_planes_are_solved),
    TEST(test_crowds_survive_arbitrary_calls),
    TEST(test_lists_change_nothing),
    TEST(test_coincident_agents_separate),
    TEST(test_agents_a_denormal_distance_apart_separate),
    TEST(test_a_crowd_treats_minus_zero_as_zero),
    TEST(test_agents_at_the_coordinate_limits_work),
    TEST(test_crowds_of_no_agent_and_of_one_work),
    TEST(test_ties_between_neighbors_go_to_the_lower_ids),
    TEST(test_steps_of_any_size_stay_finite),
    TEST(test_invalid_time_steps_are_refused),
    TEST(test_a_slot_that_is_not_finite_is_named_and_nothing_changes),
    TEST(test_numbers_out_of_range_are_clamped),
    TEST(test_agents_without_size_neighbors_or_speed_work),
    TEST(test_agents_in_a_crush_stay_within_their_maximum_speed),
    TEST(test_an_agent_can_have_the_maximum_number_of_neighbors),
    TEST(test_speeds_stay_limited_in_denormal_time_steps),
    TEST(test_the_nearest_walls_count_if_there_are_too_many),
    TEST(test_a_wall_end_that_is_not_convex_makes_no_constraint),
    TEST(test_an_agent_exactly_on_a_wall_gets_off_it),
    TEST(test_an_agent_without_progress_is_stuck),
    TEST(test_agents_go_to_their_goals_and_stop),
    TEST(test_agents_that_meet_exactly_head_on_pass),
    TEST(test_a_step_moves_no_locked_or_disabled_agent),
    TEST(test_reserve_keeps_the_list_of_arrived_agents),
    TEST(test_accelerations_and_priorities_out_of_range_are_clamped),
    TEST(test_slots_of_a_crowd_are_reused),
    TEST(test_a_crowd_allocates_only_in_create_and_reserve),
    TEST(test_no_frame_of_a_crowd_allocates),
    TEST(test_a_restored_crowd_continues_exactly),
    TEST(test_forged_snapshots_of_a_crowd_are_refused),
    TEST(test_every_word_of_a_snapshot_counts),
    TEST(test_the_number_of_steps_is_part_of_the_hash),
    TEST(test_the_options_of_a_crowd_are_part_of_its_hash),
    TEST(test_overlaps_in_a_denormal_time_step_give_finite_velocities),
    TEST(test_a_crowd_does_not_depend_on_its_history),
    TEST(test_both_sides_of_a_two_sided_wall_behave_the_same),
    TEST(test_constraints_have_a_direction_at_any_velocity),
    TEST(test_walls_hold_after_a_move_that_mirrors_them),
    TEST(test_scenes_end_at_their_goals),
    {NULL, NULL, false},
};
