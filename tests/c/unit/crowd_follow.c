/* Crowds that follow flow fields: agents arrive, and stay clear of walls. */

#include "unit.h"

#include "../../../c/base/core.h"

#include <math.h>

static const float TIME_STEP = 0.1f;

typedef struct town {
  copse_obstacle *walls;
  copse_flowfield *field;
  copse_crowd *crowd;
  copse_crowd_arrays arrays;
} town;

static copse_flowfield *field_of(const town *made, float width, float height, float radius) {
  copse_flowfield_def def = copse_flowfield_default();
  copse_flowfield *field = NULL;
  def.bounds[2] = width;
  def.bounds[3] = height;
  def.cell = 0.5f;
  def.radius = radius;
  CHECK(copse_flowfield_create(&def, &field) == COPSE_OK);
  copse_flowfield_set_obstacles(field, made->walls);
  return field;
}

static town town_of(float width, float height, uint32_t agents) {
  town made;
  const copse_obstacle_def walls = copse_obstacle_default();
  copse_crowd_def crowd = copse_crowd_default();
  crowd.capacity = agents;
  CHECK(copse_obstacle_create(&walls, &made.walls) == COPSE_OK);
  CHECK(copse_crowd_create(&crowd, &made.crowd) == COPSE_OK);
  made.field = field_of(&made, width, height, 0.51f);
  made.arrays = copse_crowd_get(made.crowd);
  return made;
}

static void leave(const town *made) {
  copse_crowd_destroy(made->crowd);
  copse_flowfield_destroy(made->field);
  copse_obstacle_destroy(made->walls);
}

static uint32_t add_box(const town *made, float x, float y, float width, float height) {
  const float points[] = {x, y, x + width, y, x + width, y + height, x, y + height};
  uint32_t slot;
  CHECK(copse_obstacle_add(made->walls, points, 4, COPSE_SOLID_INSIDE, &slot) == COPSE_OK);
  return slot;
}

static void set_goal(copse_flowfield *field, float x0, float y0, float x1, float y1, float cost) {
  const copse_flowfield_goal goal = {{x0, y0}, {x1, y1}, cost};
  CHECK(copse_flowfield_set_goals(field, &goal, 1) == COPSE_OK);
}

static uint32_t add_agent(const town *made, float x, float y, float radius, uint32_t groups) {
  copse_crowd_agent agent = copse_crowd_agent_default();
  uint32_t slot;
  agent.position[0] = x;
  agent.position[1] = y;
  agent.radius = radius;
  agent.preferredSpeed = 1.5f;
  agent.groups = groups;
  CHECK(copse_crowd_add(made->crowd, &agent, &slot) == COPSE_OK);
  return slot;
}

/* Steps, and writes the time at which each agent arrived first. Checks that no agent is inside a
 * wall, or nearer to one than its radius, less rounding and the program's tolerance. Returns how
 * many agents have arrived so far. */
static uint32_t step(const town *made, uint32_t steps, float *times) {
  const uint32_t slots = copse_crowd_slots(made->crowd);
  uint32_t arrived = 0;
  for (uint32_t i = 0; i < steps; i++) {
    const float now = (float)copse_crowd_stats(made->crowd).time + TIME_STEP;
    CHECK(copse_crowd_step(made->crowd, made->walls, TIME_STEP, NULL) == COPSE_OK);
    for (uint32_t event = 0; event < copse_crowd_arrived(made->crowd); event++)
      if (times[made->arrays.arrived[event]] == 0) times[made->arrays.arrived[event]] = now;
    for (uint32_t slot = 0; slot < slots; slot++) {
      copse_obstacle_point wall;
      bool isInside;
      const float *position = made->arrays.positions + 2 * (size_t)slot;
      copse_obstacle_contains(made->walls, position, &isInside, NULL);
      copse_obstacle_nearest(made->walls, position, made->arrays.radii[slot], COPSE_SIDE_BOTH,
                             &wall, NULL);
      CHECK(!isInside);
      CHECK(wall.edge == COPSE_NONE ||
            sqrtf(wall.distance2) >= made->arrays.radii[slot] * 0.999f - 3e-5f);
    }
  }
  for (uint32_t slot = 0; slot < slots; slot++) arrived += times[slot] > 0;
  return arrived;
}

static int by_value(const void *a, const void *b) {
  const float left = *(const float *)a, right = *(const float *)b;
  return left < right ? -1 : left > right;
}

/* Agents of two radii go from one side to the other, around 40 boxes with gaps of at least three
 * diameters. */
static void cross_town(uint32_t agents, uint32_t seed, bool isArea) {
  enum { BOXES = 40 };
  const float GAP = 3.2f;
  float boxes[BOXES][4], *times = calloc(agents, sizeof *times);
  float *delays = calloc(agents, sizeof *delays);
  const town made = town_of(170, 100, agents);
  for (uint32_t count = 0; count < BOXES;) {
    float *box = boxes[count];
    bool isFree = true;
    const float ranges[4][2] = {{25, 110}, {2, 80}, {2, 8}, {2, 12}};
    for (int i = 0; i < 4; i++)
      box[i] = ranges[i][0] + ranges[i][1] * (float)(random_word(&seed) >> 8) / 16777216;
    for (uint32_t i = 0; i < count; i++)
      isFree &= box[0] > boxes[i][0] + boxes[i][2] + GAP || boxes[i][0] > box[0] + box[2] + GAP ||
                box[1] > boxes[i][1] + boxes[i][3] + GAP || boxes[i][1] > box[1] + box[3] + GAP;
    if (!isFree) continue;
    add_box(&made, box[0], box[1], box[2], box[3]);
    count++;
  }
  CHECK(copse_obstacle_build(made.walls, NULL) == COPSE_OK);
  set_goal(made.field, isArea ? 145 : 160, isArea ? 5 : 50, isArea ? 168 : 160, isArea ? 95 : 50,
           0);
  CHECK(copse_flowfield_build(made.field, NULL) == COPSE_OK);
  for (uint32_t i = 0; i < agents; i++)
    add_agent(&made, 2 + (float)(i % 18) * 1.15f, 3 + (float)(i / 18) * 1.6f, i % 2 ? 0.5f : 0.3f,
              1);
  for (uint32_t i = 0; i < agents; i++)
    CHECK(copse_flowfield_distance(made.field, made.arrays.positions + 2 * (size_t)i, &delays[i]) ==
          COPSE_OK);
  CHECK(copse_crowd_follow(made.crowd, made.field, 1) == COPSE_OK);
  for (uint32_t i = 0; i < 40 && step(&made, 100, times) < agents;) i++;
  for (uint32_t i = 0; i < agents; i++) {
    CHECK(times[i] > 0);
    delays[i] = times[i] / (delays[i] / 1.5f);
  }
  qsort(delays, agents, sizeof *delays, by_value);
  CHECK(delays[agents / 2] <= 1.5f);
  free(times);
  free(delays);
  leave(&made);
}

static void test_many_arrive(void) {
  for (uint32_t seed = 1; seed <= 1 + repeats(20) / 5; seed++)
    cross_town(50 + repeats(950), seed, seed % 2 == 0);
}

/* Two rooms in a border, with doors at both ends of the wall between them. */
static uint32_t add_rooms(const town *made) {
  add_box(made, 19, 4, 2, 12);
  const uint32_t door = add_box(made, 2, 17, 2, 2); /* out of the way */
  const float border[] = {-1, -1, 41, -1, 41, 21, -1, 21};
  uint32_t slot;
  CHECK(copse_obstacle_add(made->walls, border, 4, COPSE_SOLID_OUTSIDE, &slot) == COPSE_OK);
  CHECK(copse_obstacle_build(made->walls, NULL) == COPSE_OK);
  return door;
}

/* While agents are on their way to a door, it closes. The field is built again, in slices. */
static void test_door_closes(void) {
  enum { AGENTS = 60 };
  float times[AGENTS] = {0};
  const town made = town_of(40, 20, AGENTS);
  const uint32_t door = add_rooms(&made);
  set_goal(made.field, 36, 3, 36, 3, 0);
  CHECK(copse_flowfield_build(made.field, NULL) == COPSE_OK);
  for (uint32_t i = 0; i < AGENTS; i++)
    add_agent(&made, 1 + (float)(i % 10) * 1.2f, 1 + (float)(i / 10) * 1.2f, 0.4f, 1);
  CHECK(copse_crowd_follow(made.crowd, made.field, 1) == COPSE_OK);
  const uint32_t early = step(&made, 150, times);
  CHECK(early < AGENTS);
  const float closed[] = {19, -0.5f, 21, -0.5f, 21, 4, 19, 4};
  for (uint32_t slot = 0; slot < AGENTS; slot++) /* no agent is in the door when it closes */
    if (fabsf(made.arrays.positions[2 * slot] - 20) < 1.5f) {
      const float aside[] = {30, 10 + 0.1f * (float)slot};
      CHECK(copse_crowd_move(made.crowd, slot, aside) == COPSE_OK);
    }
  CHECK(copse_obstacle_move(made.walls, door, closed, 4) == COPSE_OK);
  CHECK(copse_obstacle_build(made.walls, NULL) == COPSE_OK);
  for (bool isDone = false; !isDone;) {
    CHECK(copse_flowfield_build_part(made.field, 300, &isDone, NULL) == COPSE_OK);
    step(&made, 1, times);
  }
  CHECK(step(&made, 800, times) == AGENTS);
  leave(&made);
}

static void test_fields_by_groups(void) {
  float times[4] = {0};
  const town made = town_of(40, 20, 4);
  copse_flowfield *other = field_of(&made, 40, 20, 0.51f);
  add_rooms(&made);
  set_goal(made.field, 36, 3, 36, 3, 100);
  set_goal(other, 36, 17, 36, 17, 0);
  CHECK(copse_flowfield_build(made.field, NULL) == COPSE_OK);
  CHECK(copse_flowfield_build(other, NULL) == COPSE_OK);
  for (uint32_t i = 0; i < 4; i++) add_agent(&made, 3, 3 + 2 * (float)i, 0.4f, 1u << i);
  CHECK(copse_crowd_follow(made.crowd, made.field, 1 | 4) == COPSE_OK);
  CHECK(copse_crowd_follow(made.crowd, other, 2 | 4) == COPSE_OK);
  CHECK(step(&made, 400, times) == 3);
  const float ends[4] = {3, 17, 3, 9};
  for (uint32_t i = 0; i < 4; i++) { /* the last one has no goal */
    CHECK(fabsf(made.arrays.positions[2 * i + 1] - ends[i]) < 1);
    CHECK(i == 3 ? isnan(made.arrays.goals[2 * i]) : made.arrays.goals[2 * i] == 36);
  }
  /* The third agent follows the other field if the first one does not lead it. */
  CHECK(copse_crowd_follow(made.crowd, made.field, 1) == COPSE_OK);
  step(&made, 300, times);
  CHECK(fabsf(made.arrays.positions[5] - 17) < 1.5f);
  /* No agent follows a field: they go straight to the goals that they had. */
  CHECK(copse_crowd_follow(made.crowd, made.field, 0) == COPSE_OK);
  CHECK(copse_crowd_follow(made.crowd, other, 0) == COPSE_OK);
  CHECK(copse_crowd_follow(made.crowd, other, 0) == COPSE_OK);
  made.arrays.goals[0] = 30;
  made.arrays.goals[1] = 10;
  step(&made, 100, times);
  CHECK(fabsf(made.arrays.positions[0] - 30) < 0.2f && fabsf(made.arrays.positions[1] - 10) < 0.2f);
  copse_flowfield_destroy(other);
  leave(&made);
}

/* Returns how often an agent was reported as stuck. */
static uint32_t stuck_events(const town *made, uint32_t slot, uint32_t steps) {
  uint32_t events = 0;
  for (uint32_t i = 0; i < steps; i++) {
    CHECK(copse_crowd_step(made->crowd, made->walls, TIME_STEP, NULL) == COPSE_OK);
    for (uint32_t event = 0; event < copse_crowd_stuck(made->crowd); event++)
      events += made->arrays.stuck[event] == slot;
  }
  return events;
}

static void test_no_path_is_stuck(void) {
  float times[2] = {0};
  const town made = town_of(40, 20, 2);
  const uint32_t gate = add_box(&made, 19, -1, 2, 22); /* from end to end */
  CHECK(copse_obstacle_build(made.walls, NULL) == COPSE_OK);
  add_agent(&made, 10, 10, 0.4f, 1);
  const uint32_t large = add_agent(&made, 30, 10, 0.6f, 1);
  CHECK(copse_crowd_follow(made.crowd, made.field, 1) == COPSE_OK);
  CHECK(stuck_events(&made, 0, 30) == 1); /* the field is not built */
  set_goal(made.field, 36, 3, 36, 3, 0);
  CHECK(copse_flowfield_build(made.field, NULL) == COPSE_OK);
  CHECK(stuck_events(&made, large, 60) == 0); /* it is stuck since the first steps */
  CHECK(made.arrays.positions[0] == 10 && made.arrays.positions[2] == 30);
  CHECK(isnan(made.arrays.goals[0]) && isnan(made.arrays.goals[2]));
  CHECK(copse_obstacle_remove(made.walls, gate) == COPSE_OK);
  CHECK(copse_obstacle_build(made.walls, NULL) == COPSE_OK);
  CHECK(copse_flowfield_build(made.field, NULL) == COPSE_OK);
  CHECK(step(&made, 400, times) == 1 && times[0] > 0);
  CHECK(made.arrays.positions[2] == 30);
  leave(&made);
}

static void test_snapshots_hold_aims(void) {
  enum { AGENTS = 40 };
  float times[AGENTS] = {0};
  const town made = town_of(40, 20, AGENTS);
  add_rooms(&made);
  set_goal(made.field, 36, 3, 36, 3, 0);
  CHECK(copse_flowfield_build(made.field, NULL) == COPSE_OK);
  for (uint32_t i = 0; i < AGENTS; i++)
    add_agent(&made, 1 + (float)(i % 10) * 1.2f, 4 + (float)(i / 10) * 1.2f, 0.4f, 1);
  CHECK(copse_crowd_follow(made.crowd, made.field, 1) == COPSE_OK);
  step(&made, 80, times);
  size_t size;
  CHECK(copse_crowd_save(made.crowd, NULL, 0, &size, NULL) == COPSE_FULL);
  void *bytes = malloc(size);
  CHECK(copse_crowd_save(made.crowd, bytes, size, &size, NULL) == COPSE_OK);
  town other = made;
  copse_crowd_def def = copse_crowd_default();
  def.capacity = AGENTS + 3;
  CHECK(copse_crowd_create(&def, &other.crowd) == COPSE_OK);
  other.arrays = copse_crowd_get(other.crowd);
  CHECK(copse_crowd_restore(other.crowd, bytes, size, NULL) == COPSE_OK);
  CHECK(copse_crowd_hash(other.crowd) == copse_crowd_hash(made.crowd));
  CHECK(copse_crowd_follow(other.crowd, made.field, 1) == COPSE_OK);
  for (uint32_t i = 0; i < 100; i++) {
    step(&made, 1, times);
    step(&other, 1, times);
    CHECK(copse_crowd_hash(other.crowd) == copse_crowd_hash(made.crowd));
  }
  /* A crowd that does not know what its agents headed for has another state. */
  CHECK(copse_crowd_restore(other.crowd, bytes, size, NULL) == COPSE_OK);
  const uint32_t kept = copse_crowd_hash(other.crowd);
  for (uint32_t slot = 0; slot < AGENTS; slot++)
    CHECK(copse_crowd_move(other.crowd, slot, other.arrays.positions + 2 * (size_t)slot) ==
          COPSE_OK);
  CHECK(copse_crowd_hash(other.crowd) != kept);
  copse_crowd_destroy(other.crowd);
  free(bytes);
  leave(&made);
}

static void test_follow_is_refused(void) {
  const town made = town_of(10, 10, 1);
  copse_flowfield *fields[COPSE_CROWD_FIELDS];
  copse_crowd_def def = copse_crowd_default();
  copse_crowd *crowd;
  def.dimensions = 3;
  CHECK(copse_crowd_create(&def, &crowd) == COPSE_OK);
  CHECK(copse_crowd_follow(crowd, made.field, 1) == COPSE_INVALID_ARGUMENT);
  copse_crowd_destroy(crowd);
  for (uint32_t i = 0; i < COPSE_CROWD_FIELDS; i++) {
    fields[i] = field_of(&made, 10, 10, 0.5f);
    CHECK(copse_crowd_follow(made.crowd, fields[i], 1) == COPSE_OK);
  }
  CHECK(copse_crowd_follow(made.crowd, made.field, 1) == COPSE_FULL);
  CHECK(copse_crowd_follow(made.crowd, fields[5], 7) == COPSE_OK);
  CHECK(copse_crowd_follow(made.crowd, fields[3], 0) == COPSE_OK);
  CHECK(copse_crowd_follow(made.crowd, made.field, 1) == COPSE_OK);
  for (uint32_t i = 0; i < COPSE_CROWD_FIELDS; i++) copse_flowfield_destroy(fields[i]);
  leave(&made);
}

const unit_test CROWD_FOLLOW_TESTS[] = {
    TEST(test_many_arrive),      TEST(test_door_closes),         TEST(test_fields_by_groups),
    TEST(test_no_path_is_stuck), TEST(test_snapshots_hold_aims), TEST(test_follow_is_refused),
    {NULL, NULL, false},
};
