/* Work that is divided into tasks gives the same results, to the last bit, as without tasks:
 * whatever the number of threads, and in whatever order tasks are run. */

#include "unit.h"

#include "../inputs.h"
#include "../threads.h"

#include "../../../c/points/points.h"

#include <math.h>

enum { AGENTS = 4500, ROOM = 200 * AGENTS, MOST_K = 30, MOST_BUILT = 33000 };

/* ---- Runners ---- */

/* Runs all tasks on the calling thread, the last one first. */
static void run_backward(void *context, pool_task *task, void *argument, uint32_t count) {
  (void)context;
  while (count) task(argument, --count);
}

static thread_pool threads;

/* Returns runner `which` of several: pools of 2, 3 and 8 threads, and one without threads. */
static copse_tasks runner_start(uint32_t which) {
  const uint32_t counts[] = {2, 3, 8};
  if (which % 4 == 3) return (copse_tasks){run_backward, NULL, 4};
  return pool_start(&threads, counts[which % 4]);
}

static void runner_end(const copse_tasks *runner) {
  if (runner->context) pool_end(&threads);
}

/* ---- Points ---- */

typedef struct rows {
  copse_rows lists;
  uint32_t offsets[AGENTS], counts[AGENTS], ids[ROOM];
} rows;

typedef struct neighbors {
  uint32_t counts[AGENTS], ids[AGENTS * MOST_K];
  float distances2[AGENTS * MOST_K];
} neighbors;

static bool same(const void *a, const void *b, uint64_t words) {
  return memcmp(a, b, (size_t)words * 4) == 0;
}

/* Compares the rows of both indexes within a radius, if there is room for `room` ids. */
static void check_within(copse_points *const *indexes, float radius, uint32_t mask,
                         const uint32_t *masks, uint32_t room) {
  static rows both[2];
  copse_query query = copse_query_default();
  query.mask = mask;
  for (int i = 0; i < 2; i++) {
    rows *own = &both[i];
    own->lists = (copse_rows){
        .offsets = own->offsets, .counts = own->counts, .ids = own->ids, .capacity = room};
    CHECK(copse_points_all_within(indexes[i], radius, &query, masks, &own->lists) == COPSE_OK);
  }
  const rows *one = &both[0], *other = &both[1];
  CHECK(one->lists.total == other->lists.total && one->lists.truncated == other->lists.truncated);
  CHECK(same(one->offsets, other->offsets, AGENTS) && same(one->counts, other->counts, AGENTS));
  for (uint32_t i = 0; i < AGENTS; i++)
    CHECK(same(one->ids + one->offsets[i], other->ids + other->offsets[i], one->counts[i]));
}

static void check_neighbors(copse_points *const *indexes, uint32_t k, float maxDistance,
                            const uint32_t *masks) {
  static neighbors both[2];
  copse_query query = copse_query_default();
  query.maxDistance = maxDistance;
  for (int i = 0; i < 2; i++) {
    copse_neighbor_rows found = {both[i].counts, both[i].ids, both[i].distances2};
    CHECK(copse_points_all_neighbors(indexes[i], k, &query, masks, &found) == COPSE_OK);
  }
  CHECK(same(both[0].counts, both[1].counts, AGENTS));
  for (uint32_t i = 0; i < AGENTS; i++)
    CHECK(same(both[0].ids + i * k, both[1].ids + i * k, both[0].counts[i]) &&
          same(both[0].distances2 + i * k, both[1].distances2 + i * k, both[0].counts[i]));
}

/* Returns a radius within which agents have about `wanted` neighbors on average. */
static float radius_for(const copse_points *index, uint32_t wanted) {
  float radius = 1e-3f;
  for (; radius < 1e18f; radius *= 1.5f) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < 16; i++) {
      float center[3] = {0};
      uint32_t count;
      points_center(index, i * (AGENTS / 16), center);
      CHECK(copse_points_count_within(index, center, radius, NULL, &count, NULL) == COPSE_OK);
      total += count;
    }
    if (total >= (uint64_t)16 * wanted) break;
  }
  return radius;
}

static void check_points(kind like, const float *points, uint32_t dim, const copse_tasks *runner,
                         bool hasGroups) {
  static uint32_t groups[AGENTS], masks[AGENTS];
  copse_agenttree_def def = copse_agenttree_default();
  copse_points *indexes[2];
  uint32_t seed = 5;
  def.dimensions = dim;
  def.capacity = AGENTS;
  for (uint32_t i = 0; i < AGENTS; i++) {
    groups[i] = 1u << random_word(&seed) % 3;
    masks[i] = random_word(&seed) % 8;
  }
  if (hasGroups) groups[77] = 0; /* absent */
  const copse_const_positions given = interleaved(points, dim);
  for (int i = 0; i < 2; i++) {
    if (i) def.tasks = *runner;
    CHECK(create_points(&def, like, &indexes[i]) == COPSE_OK);
    CHECK(copse_points_build_from(indexes[i], &given, hasGroups ? groups : NULL, NULL, AGENTS,
                                  NULL) == COPSE_OK);
    CHECK(copse_points_validate(indexes[i]));
  }
  uint32_t counts[2];
  const uint32_t *orders[2];
  for (int i = 0; i < 2; i++) orders[i] = copse_points_order(indexes[i], &counts[i]);
  CHECK(counts[0] == counts[1] && same(orders[0], orders[1], counts[0]));
  copse_points_statistics stats[2];
  for (int i = 0; i < 2; i++) stats[i] = copse_points_stats(indexes[i]);
  CHECK(stats[0].nodes == stats[1].nodes && stats[0].leaves == stats[1].leaves &&
        stats[0].depth == stats[1].depth);

  const float radius = radius_for(indexes[0], 12);
  const uint32_t mask = hasGroups ? 5 : COPSE_ALL_GROUPS;
  const uint32_t *own = hasGroups ? masks : NULL;
  check_within(indexes, radius, mask, own, ROOM);
  check_within(indexes, radius, mask, own, 20000);
  check_within(indexes, radius, mask, own, 0);
  check_within(indexes, radius / 3, mask, NULL, ROOM);
  if (like.noun == AGENTTREE) /* more ids than a thread stores */
    check_within(indexes, radius_for(indexes[0], 150), mask, NULL, ROOM);
  check_neighbors(indexes, 1, INFINITY, NULL);
  check_neighbors(indexes, 7, radius, own);
  check_neighbors(indexes, MOST_K, INFINITY, own);
  for (int i = 0; i < 2; i++) copse_points_destroy(indexes[i]);
}

/* A world that wraps around: its lower corner, and then its upper one. */
typedef struct world_box {
  float wrap[6];
  bool isValid;
} world_box;

/* Returns a cell size for a grid of n points, and writes a world that they fit in. */
static float fit_grid(const float *points, uint32_t n, uint32_t dim, world_box *box) {
  float least = INFINITY, most = -INFINITY;
  for (uint32_t i = 0; i < n * dim; i++) {
    least = fminf(least, points[i]);
    most = fmaxf(most, points[i]);
  }
  const float size = most > least ? (most - least) / (dim == 2 ? 40 : 12) : 1;
  for (uint32_t axis = 0; axis < dim; axis++) {
    box->wrap[axis] = least;
    box->wrap[dim + axis] = most + size;
  }
  box->isValid = most + size <= COPSE_MAX_COORDINATE;
  return size;
}

static void test_points_are_the_same(void) {
  static float points[3 * AGENTS];
  const int usual[] = {INPUT_UNIFORM, 9}; /* in all runs: evenly spread, and two clumps */
  const bool isLong = repeats(10) == 10;
  for (uint32_t i = 0; i < (isLong ? INPUTS : 2); i++) {
    const copse_tasks runner = runner_start(i);
    for (uint32_t dim = 2; dim <= 3; dim++) {
      fill_input(points, isLong ? (int)i : usual[i], AGENTS, dim, true);
      world_box box;
      kind kinds[] = {
          {.noun = AGENTTREE},
          {.noun = KDTREE, .builder = COPSE_BUILDER_QUICKSELECT},
          {.noun = GRID},
          {.noun = GRID, .wrap = box.wrap},
      };
      kinds[2].cellSize = kinds[3].cellSize = fit_grid(points, AGENTS, dim, &box);
      for (uint32_t j = 0; j < sizeof kinds / sizeof *kinds; j++)
        for (uint32_t hasGroups = 0; hasGroups < 2; hasGroups++)
          if ((isLong || hasGroups == (dim + j) % 2) && (!kinds[j].wrap || box.isValid))
            check_points(kinds[j], points, dim, &runner, hasGroups);
    }
    runner_end(&runner);
  }
}

/* Builds an index of `agents` agents without and with tasks, and compares all that a build
 * decides. Every third agent is absent if `hasAbsent`. */
static void check_build(copse_agenttree_def def, kind like, const float *points, uint32_t agents,
                        bool hasGroups, bool hasAbsent, const copse_tasks *runner) {
  enum { CELLS = 8 * 6 * MOST_BUILT };
  static float cells[2][CELLS];
  static uint32_t groups[MOST_BUILT];
  copse_points *indexes[2];
  uint32_t counts[2], seed = 9;
  const uint32_t *orders[2];
  size_t sizes[2];
  def.capacity = agents;
  for (uint32_t i = 0; i < agents; i++) {
    groups[i] = hasGroups ? 1 + random_word(&seed) % 3 : 1;
    if (hasAbsent && i % 3 == 1) groups[i] = 0;
  }
  const copse_const_positions given = interleaved(points, def.dimensions);
  for (int i = 0; i < 2; i++) {
    if (i) def.tasks = *runner;
    CHECK(create_points(&def, like, &indexes[i]) == COPSE_OK);
    CHECK(copse_points_build_from(indexes[i], &given, groups, NULL, agents, NULL) == COPSE_OK);
    CHECK(copse_points_validate(indexes[i]));
    orders[i] = copse_points_order(indexes[i], &counts[i]);
    sizes[i] = copse_points_cells(indexes[i], 0, cells[i], CELLS);
  }
  CHECK(counts[0] == counts[1] && same(orders[0], orders[1], counts[0]));
  CHECK(sizes[0] == sizes[1] && sizes[0] <= CELLS && same(cells[0], cells[1], sizes[0]));
  copse_query query = copse_query_default();
  query.mask = 2;
  for (uint32_t place = 0; place < counts[0]; place += 997) { /* groups are stored with agents */
    float center[3] = {0};
    uint32_t totals[2];
    points_center(indexes[0], place, center);
    for (int i = 0; i < 2; i++)
      CHECK(copse_points_count_within(indexes[i], center, 1, &query, &totals[i], NULL) == COPSE_OK);
    CHECK(totals[0] == totals[1]);
  }
  for (int i = 0; i < 2; i++) copse_points_destroy(indexes[i]);
}

/* Larger indexes than above, since small ones are built without tasks. */
static void test_builds_are_the_same(void) {
  enum { TREE = 9000, GRID_SLOTS = MOST_BUILT };
  static float points[3 * MOST_BUILT];
  for (int input = 0; input < 2 + (int)repeats(INPUTS - 2); input++) {
    const copse_tasks runner = runner_start((uint32_t)input);
    const bool hasGroups = input % 2 == 0, hasAbsent = input % 3 == 0;
    for (uint32_t dim = 2; dim <= 3; dim++) {
      copse_agenttree_def def = copse_agenttree_default();
      def.dimensions = dim;
      fill_input(points, input, TREE, dim, true);
      for (def.leafSize = 1; def.leafSize <= 4096; def.leafSize *= 16)
        check_build(def, (kind){.noun = AGENTTREE}, points, TREE, hasGroups, false, &runner);
      if (input < INPUT_UNIFORM && input != 3) continue; /* like others for a grid */
      def.leafSize = copse_agenttree_default().leafSize;
      fill_input(points, input, GRID_SLOTS, dim, true);
      world_box box;
      kind grid = {.noun = GRID, .cellSize = fit_grid(points, GRID_SLOTS, dim, &box)};
      check_build(def, grid, points, GRID_SLOTS, hasGroups, hasAbsent, &runner);
      grid.cellSize = fmaxf(grid.cellSize / 1000, 1e-37f); /* cells share entries of the table */
      check_build(def, grid, points, GRID_SLOTS, hasGroups, hasAbsent, &runner);
      grid.wrap = box.wrap;
      if (box.isValid) check_build(def, grid, points, GRID_SLOTS, hasGroups, hasAbsent, &runner);
    }
    runner_end(&runner);
  }
}

/* ---- Crowds ---- */

typedef struct world {
  copse_obstacle *walls;
  copse_flowfield *field;
  copse_crowd *crowds[2];
} world;

static world world_of(uint32_t dim, bool hasWalls, const copse_tasks *runner) {
  world made = {0};
  copse_crowd_def def = copse_crowd_default();
  def.dimensions = dim;
  def.capacity = AGENTS;
  for (int i = 0; i < 2; i++) {
    if (i) def.tasks = *runner;
    CHECK(copse_crowd_create(&def, &made.crowds[i]) == COPSE_OK);
  }
  if (!hasWalls) return made;
  const copse_obstacle_def wallsDef = copse_obstacle_default();
  CHECK(copse_obstacle_create(&wallsDef, &made.walls) == COPSE_OK);
  for (uint32_t i = 0; i < 9; i++) {
    const float x = 20 + 25 * (float)(i % 3), y = 20 + 25 * (float)(i / 3);
    const float box[] = {x, y, x + 9, y, x + 9, y + 9, x, y + 9};
    uint32_t slot;
    CHECK(copse_obstacle_add(made.walls, box, 4, COPSE_SOLID_INSIDE, &slot) == COPSE_OK);
  }
  copse_flowfield_def fieldDef = copse_flowfield_default();
  fieldDef.bounds[2] = fieldDef.bounds[3] = 100;
  fieldDef.cell = 1;
  fieldDef.radius = 0.5f;
  CHECK(copse_flowfield_create(&fieldDef, &made.field) == COPSE_OK);
  copse_flowfield_set_obstacles(made.field, made.walls);
  const copse_flowfield_goal goal = {{95, 95}, {99, 99}, 0};
  CHECK(copse_flowfield_set_goals(made.field, &goal, 1) == COPSE_OK);
  CHECK(copse_flowfield_build(made.field, NULL) == COPSE_OK);
  for (int i = 0; i < 2; i++) CHECK(copse_crowd_follow(made.crowds[i], made.field, 2) == COPSE_OK);
  return made;
}

/* Adds agents to both crowds: some have a goal, some follow the field, some are locked, disabled,
 * or ignore others. */
static void add_agents(const world *made, uint32_t dim, uint32_t *seed) {
  for (uint32_t i = 0; i < AGENTS; i++) {
    copse_crowd_agent agent = copse_crowd_agent_default();
    uint32_t slots[2];
    for (uint32_t axis = 0; axis < dim; axis++) {
      agent.position[axis] = (float)(random_word(seed) % 100000) / 1000;
      agent.goal[axis] = i % 5 ? agent.position[axis] + (float)(random_word(seed) % 7) - 3 : NAN;
      agent.preferredVelocity[axis] = (float)(random_word(seed) % 3) - 1;
    }
    agent.radius = 0.2f;
    agent.neighborDistance = i % 3 ? 2 : 3;
    agent.groups = 1 + i % 2;
    agent.locked = i % 50 == 0;
    agent.enabled = i % 70 != 0;
    if (i % 90 == 0) agent.mask = 1;
    for (int side = 0; side < 2; side++)
      CHECK(copse_crowd_add(made->crowds[side], &agent, &slots[side]) == COPSE_OK);
  }
}

static void check_step(const world *made) {
  copse_crowd *const *crowds = made->crowds;
  copse_crowd_statistics stats[2];
  copse_crowd_arrays arrays[2];
  for (int i = 0; i < 2; i++) {
    CHECK(copse_crowd_step(crowds[i], made->walls, 0.1f, NULL) == COPSE_OK);
    stats[i] = copse_crowd_stats(crowds[i]);
    arrays[i] = copse_crowd_get(crowds[i]);
  }
  const uint32_t arrived = copse_crowd_arrived(crowds[0]), stuck = copse_crowd_stuck(crowds[0]);
  CHECK(copse_crowd_hash(crowds[0]) == copse_crowd_hash(crowds[1]));
  CHECK(stats[0].infeasible == stats[1].infeasible && stats[0].overlaps == stats[1].overlaps);
  CHECK(!(stats[0].neighbors < stats[1].neighbors || stats[0].neighbors > stats[1].neighbors));
  CHECK(arrived == copse_crowd_arrived(crowds[1]) && stuck == copse_crowd_stuck(crowds[1]));
  CHECK(same(arrays[0].arrived, arrays[1].arrived, arrived));
  CHECK(same(arrays[0].stuck, arrays[1].stuck, stuck));
}

static void test_crowds_are_the_same(void) {
  const uint32_t steps = 3 + repeats(30);
  for (uint32_t i = 0; i < 8; i++) {
    const uint32_t dim = i < 6 ? 2 : 3;
    const copse_tasks runner = runner_start(i);
    const world made = world_of(dim, i % 2 && dim == 2, &runner);
    uint32_t seed = 3 + i;
    add_agents(&made, dim, &seed);
    for (uint32_t frame = 0; frame < steps; frame++) check_step(&made);
    /* An agent that is not finite: the step fails, and names the first one. */
    for (int side = 0; side < 2; side++) {
      uint32_t bad = 0;
      float *positions = copse_crowd_get(made.crowds[side]).positions;
      positions[3333 * dim] = positions[2222 * dim] = NAN;
      CHECK(copse_crowd_step(made.crowds[side], made.walls, 0.1f, &bad) == COPSE_NOT_FINITE);
      CHECK(bad == 2222);
      copse_crowd_destroy(made.crowds[side]);
    }
    copse_flowfield_destroy(made.field);
    copse_obstacle_destroy(made.walls);
    runner_end(&runner);
  }
}

const unit_test TASKS_TESTS[] = {
    TEST(test_points_are_the_same),
    TEST(test_builds_are_the_same),
    TEST(test_crowds_are_the_same),
    {NULL, NULL, false},
};
