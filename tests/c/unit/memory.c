/* Memory that fails: every allocation in turn, in all that an object of any kind does. */

#include "unit.h"

#include "../any.h"

#include "../../../c/base/snapshot.h"

enum { ITEMS = 60, MEMORY_WORDS = 4096, LARGER = 500 };

/* What an object is made of. */
typedef struct form {
  snapshot_kind kind;
  uint32_t dimensions;
  copse_builder builder;
} form;

static const form FORMS[] = {
    {SNAPSHOT_AGENTTREE, 2, 0},
    {SNAPSHOT_AGENTTREE, 3, 0},
    {SNAPSHOT_GRID, 2, 0},
    {SNAPSHOT_GRID, 3, 0},
    {SNAPSHOT_KDTREE, 2, COPSE_BUILDER_QUICKSELECT},
    {SNAPSHOT_KDTREE, 3, COPSE_BUILDER_MEDIAN_OF_MEDIANS},
    {SNAPSHOT_KDTREE, 2, COPSE_BUILDER_PRESORT},
    {SNAPSHOT_KDTREE, 3, COPSE_BUILDER_PRESORT},
    {SNAPSHOT_OCTREE, 2, 0},
    {SNAPSHOT_OCTREE, 3, 0},
    {SNAPSHOT_OBSTACLE, 2, 0},
    {SNAPSHOT_CROWD, 2, 0},
    {SNAPSHOT_CROWD, 3, 0},
};

typedef struct state {
  uint32_t saved[MEMORY_WORDS], ids[ITEMS];
  float distances2[ITEMS], given[6 * ITEMS]; /* given: where the caller writes */
  size_t savedBytes;
  uint32_t capacity, total;
} state;

typedef struct object {
  form of;
  ledger book;
  any at;
  state before, now;
} object;

/* ---- An object of any kind ---- */

static copse_status create(object *it) {
  const copse_allocator allocator = ledger_allocator(&it->book);
  copse_agenttree_def points = copse_agenttree_default();
  copse_octree_def boxes = copse_octree_default();
  copse_obstacle_def walls = copse_obstacle_default();
  copse_crowd_def crowd = copse_crowd_default();
  const kind like = {.noun = it->of.kind == SNAPSHOT_GRID     ? GRID
                             : it->of.kind == SNAPSHOT_KDTREE ? KDTREE
                                                              : AGENTTREE,
                     .cellSize = 3,
                     .builder = it->of.builder};
  points.dimensions = boxes.dimensions = crowd.dimensions = it->of.dimensions;
  points.capacity = boxes.capacity = walls.capacity = crowd.capacity = ITEMS;
  points.allocator = boxes.allocator = walls.allocator = crowd.allocator = allocator;
  for (int i = 0; i < 6; i++) boxes.bounds[i] = (uint32_t)i < boxes.dimensions ? 0 : 64;
  points.leafSize = boxes.leafSize = 3;
  it->at = (any){0};
  switch (it->of.kind) {
  case SNAPSHOT_OCTREE:
    return copse_octree_create(&boxes, &it->at.octree);
  case SNAPSHOT_OBSTACLE:
    return copse_obstacle_create(&walls, &it->at.obstacle);
  case SNAPSHOT_CROWD:
    return copse_crowd_create(&crowd, &it->at.crowd);
  default:
    return create_points(&points, like, &it->at.points);
  }
}

/* Puts as many items into it as it has room for, somewhere in 0 … 64. */
static void fill(object *it) {
  const any at = it->at;
  uint32_t seed = 5, slot;
  if (at.points) copse_points_set_slots(at.points, ITEMS);
  for (uint32_t i = 0; i < ITEMS; i++) {
    float place[6];
    for (int axis = 0; axis < 3; axis++)
      place[axis] = place[3 + axis] = (float)(random_word(&seed) % 64);
    copse_crowd_agent agent = copse_crowd_agent_default();
    memcpy(agent.position, place, sizeof agent.position);
    agent.neighborDistance = 40;
    if (at.octree) {
      place[it->of.dimensions] = place[0]; /* a point, or what has no width on most axes */
      place[it->of.dimensions + 1] = place[1] + 2;
      CHECK(copse_octree_add(at.octree, place, &slot) == COPSE_OK);
    } else if (at.obstacle) {
      const float points[] = {place[0], place[1], place[2], place[1] + 1};
      if (i % 2 == 0)
        CHECK(copse_obstacle_add(at.obstacle, points, 2,
                                 (i % 4) ? COPSE_SOLID_NOWHERE : COPSE_SOLID_WINDING,
                                 &slot) == COPSE_OK);
    } else if (at.crowd)
      CHECK(copse_crowd_add(at.crowd, &agent, &slot) == COPSE_OK);
    else
      for (uint32_t axis = 0; axis < it->of.dimensions; axis++)
        copse_points_positions(at.points).axes[axis][i * copse_points_positions(at.points).stride] =
            place[axis];
  }
  if (at.points) CHECK(copse_points_build(at.points, NULL) == COPSE_OK);
  if (at.obstacle) CHECK(copse_obstacle_build(at.obstacle, NULL) == COPSE_OK);
  if (at.crowd) CHECK(copse_crowd_step(at.crowd, NULL, 0.125f, NULL) == COPSE_OK);
}

/* What it holds, and what a query of it answers: agents as brute force. */
static void note(const object *it, state *to) {
  const any at = it->at;
  const float center[3] = {32, 32, 32};
  copse_results found = {to->ids, to->distances2, ITEMS, 0, 0};
  memset(to, 0, sizeof *to);
  to->capacity = any_capacity(at);
  if (at.octree)
    memcpy(to->given, copse_octree_boxes(at.octree),
           (size_t)2 * it->of.dimensions * ITEMS * sizeof(float));
  if (at.obstacle)
    memcpy(to->given, copse_obstacle_vertices(at.obstacle), (size_t)2 * ITEMS * sizeof(float));
  CHECK(any_save(at, to->saved, sizeof to->saved, &to->savedBytes) == COPSE_OK);
  if (at.obstacle)
    copse_obstacle_within(at.obstacle, center, 40, COPSE_SIDE_BOTH, &found);
  else if (at.crowd) {
    static copse_crowd_view view;
    CHECK(copse_crowd_inspect(at.crowd, NULL, 0.125f, 0, &view) == COPSE_OK);
    for (uint32_t i = 0; i < view.neighborCount; i++) to->ids[i] = view.neighbors[i];
    found.total = view.neighborCount;
  } else
    ITEMS_CALL(at, within, center, 20, NULL, &found);
  to->total = found.total;
  CHECK(found.total > 2 && found.total <= ITEMS);
  for (uint32_t i = found.total; i < ITEMS; i++) { /* what is behind them is nothing */
    to->ids[i] = 0;
    to->distances2[i] = 0;
  }
  if (!at.crowd) CHECK(any_validate(at));
  if (!at.points) return;
  const brute_points brute = {readable(copse_points_positions(at.points)), NULL, ITEMS,
                              it->of.dimensions};
  const asked ask = {.center = {32, 32, 32},
                     .direction = {1, 1, 1},
                     .hi = {50, 50, 50},
                     .radius = 20,
                     .query = copse_query_default(),
                     .k = 5};
  CHECK(!compare_queries(at.points, &brute, &ask));
}

/* Whether it is as it was, but for its capacity. */
static bool is_as_before(object *it) {
  note(it, &it->now);
  it->now.capacity = it->before.capacity;
  return memcmp(&it->now, &it->before, sizeof it->now) == 0;
}

/* ---- Calls ---- */

typedef copse_status call(object *it);

static copse_status call_reserve(object *it) { return any_reserve(it->at, LARGER); }

static copse_status call_save(object *it) {
  return any_save(it->at, it->now.saved, sizeof it->now.saved, &it->now.savedBytes);
}

static copse_status call_restore(object *it) {
  return any_restore(it->at, it->before.saved, it->before.savedBytes);
}

/* A frame: what a game calls again and again. */
static copse_status call_frame(object *it) {
  static uint32_t counts[ITEMS], offsets[ITEMS], ids[ITEMS * ITEMS];
  static float distances2[ITEMS * ITEMS], points[3 * ITEMS];
  static copse_corner corners[4 * ITEMS + 20];
  const any at = it->at;
  const float lo[3] = {-9, -9, -9}, hi[3] = {99, 99, 99};
  uint32_t total;
  copse_results all = {ids, distances2, ITEMS * ITEMS, 0, 0};
  copse_rows rows = {offsets, counts, ids, ITEMS * ITEMS, 0, false};
  copse_neighbor_rows near = {counts, ids, distances2};
  if (at.obstacle) {
    CHECK(copse_obstacle_build(at.obstacle, NULL) == COPSE_OK);
    CHECK(copse_obstacle_raycast_many(at.obstacle, points, 9, COPSE_SIDE_BOTH, ids, distances2) ==
          COPSE_OK);
    return copse_obstacle_visibility(at.obstacle, (float[]){0.5f, 0.25f}, lo, hi, corners,
                                     4 * ITEMS + 20, &total, NULL);
  }
  if (at.crowd) return copse_crowd_step(at.crowd, NULL, 0.125f, NULL);
  CHECK(ITEMS_CALL(at, within, lo, INFINITY, NULL, &all) == COPSE_OK && all.total == ITEMS);
  CHECK(ITEMS_CALL(at, range, lo, hi, NULL, &all) == COPSE_OK && all.total == ITEMS);
  CHECK(ITEMS_CALL(at, neighbors, hi, ITEMS, NULL, &all) == COPSE_OK && all.total == ITEMS);
  if (at.octree) {
    CHECK(copse_octree_pairs(at.octree, NULL, &all) == COPSE_OK);
    CHECK(copse_octree_remove(at.octree, 7) == COPSE_OK);
    const float *second = copse_octree_boxes(at.octree) + 2 * it->of.dimensions;
    CHECK(copse_octree_add(at.octree, second, &total) == COPSE_OK && total == 7);
    CHECK(copse_octree_move_all(at.octree, NULL) == COPSE_OK);
    return copse_octree_load(at.octree, ITEMS, NULL);
  }
  CHECK(copse_points_build(at.points, NULL) == COPSE_OK);
  CHECK(copse_points_all_within(at.points, 9, NULL, NULL, &rows) == COPSE_OK);
  CHECK(copse_points_within_many(at.points, points, ITEMS, 9, NULL, &rows) == COPSE_OK);
  CHECK(copse_points_all_neighbors(at.points, 8, NULL, NULL, &near) == COPSE_OK);
  CHECK(copse_points_nearest_many(at.points, points, ITEMS, 8, NULL, &near) == COPSE_OK);
  CHECK(copse_points_pairs(at.points, 4, NULL, NULL, &all) == COPSE_OK);
  return copse_points_raycast_many(at.points, points, 9, 1, NULL, NULL, ids, distances2);
}

/* Calls with the first allocation failing, then with the second, until there are no more, and it
 * succeeds: answers with how many there are. Each that fails is told of, nothing of that call is
 * kept, and nothing of before is lost. */
static int allocations_of(object *it, call *called, bool (*isAsBefore)(object *it)) {
  const size_t held = it->book.bytesHeld;
  for (int failing = 0; failing < 100; failing++) {
    it->book.callsLeft = failing;
    const copse_status status = called(it);
    const bool hasFailed = it->book.callsLeft < 0;
    it->book.callsLeft = -1;
    CHECK(status == (hasFailed ? COPSE_OUT_OF_MEMORY : COPSE_OK));
    if (!hasFailed) return failing;
    CHECK(it->book.bytesHeld == held && isAsBefore(it));
  }
  return -1;
}

static bool is_nothing(object *it) {
  const any none = {0};
  return memcmp(&it->at, &none, sizeof none) == 0;
}

static void test_every_failing_allocation_is_told_and_changes_nothing(void) {
  static object it;
  for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
    it = (object){.of = FORMS[i], .book = {-1, 0}};
    const bool isCrowd = it.of.kind == SNAPSHOT_CROWD; /* has an agent tree of its own */
    CHECK(allocations_of(&it, create, is_nothing) == (isCrowd ? 4 : 2));
    fill(&it);
    note(&it, &it.before);
    CHECK(allocations_of(&it, call_save, is_as_before) == 0);
    CHECK(allocations_of(&it, call_restore, is_as_before) == 0 && is_as_before(&it));
    CHECK(any_capacity(it.at) == ITEMS);
    CHECK(allocations_of(&it, call_reserve, is_as_before) == (isCrowd ? 2 : 1));
    CHECK(any_capacity(it.at) == LARGER && is_as_before(&it));
    CHECK(any_reserve(it.at, COPSE_MAX_CAPACITY + 1) == COPSE_INVALID_ARGUMENT);
    CHECK(allocations_of(&it, call_restore, is_as_before) == 0 && is_as_before(&it));
    CHECK(allocations_of(&it, call_frame, is_as_before) == 0);
    any_destroy(it.at);
    CHECK(it.book.bytesHeld == 0);
  }
}

/* A reserve that fails for what it asks for, and one that succeeds after it. */
static void test_after_a_failing_reserve_a_smaller_one_succeeds(void) {
  static object it;
  for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
    it = (object){.of = FORMS[i], .book = {-1, 0}};
    CHECK(create(&it) == COPSE_OK);
    fill(&it);
    note(&it, &it.before);
    it.book.callsLeft = 0;
    CHECK(any_reserve(it.at, COPSE_MAX_CAPACITY) == COPSE_OUT_OF_MEMORY);
    CHECK(is_as_before(&it) && any_capacity(it.at) == ITEMS);
    CHECK(any_reserve(it.at, 2 * ITEMS) == COPSE_OK && any_capacity(it.at) == 2 * ITEMS);
    CHECK(is_as_before(&it));
    CHECK(call_frame(&it) == COPSE_OK);
    any_destroy(it.at);
    CHECK(it.book.bytesHeld == 0);
  }
}

static void test_the_bytes_of_a_reserve_are_told_before_it(void) {
  static object it;
  for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
    it = (object){.of = FORMS[i], .book = {-1, 0}};
    CHECK(create(&it) == COPSE_OK);
    const size_t small = it.book.bytesHeld, larger = any_reserve_bytes(it.at, LARGER);
    for (uint32_t capacity = 0; capacity <= ITEMS; capacity++)
      CHECK(any_reserve_bytes(it.at, capacity) == small && any_bytes(it.at) == small);
    CHECK(any_reserve_bytes(it.at, COPSE_MAX_CAPACITY + 1) == 0);
    CHECK(any_reserve(it.at, LARGER) == COPSE_OK && it.book.bytesHeld == larger);
    CHECK(any_bytes(it.at) == larger && larger > small);
    any_destroy(it.at);
    CHECK(it.book.bytesHeld == 0);
  }
}

const unit_test MEMORY_TESTS[] = {
    TEST(test_the_bytes_of_a_reserve_are_told_before_it),
    TEST(test_every_failing_allocation_is_told_and_changes_nothing),
    TEST(test_after_a_failing_reserve_a_smaller_one_succeeds),
    {NULL, NULL, false},
};
