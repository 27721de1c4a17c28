/* Failing memory: in every call on an object of any kind, each allocation fails once. */

#include "unit.h"

#include "../any.h"

#include "../../../c/base/snapshot.h"

enum { ITEMS = 60, MEMORY_WORDS = 4096, LARGER = 500 };

/* The kind of an object, and the options that matter here. */
typedef struct form {
  snapshot_kind kind;
  uint32_t dimensions;
  copse_builder builder;
  bool wraps; /* a grid in the world WRAP */
} form;

static const form FORMS[] = {
    {SNAPSHOT_AGENTTREE, 2, 0, false},
    {SNAPSHOT_AGENTTREE, 3, 0, false},
    {SNAPSHOT_GRID, 2, 0, false},
    {SNAPSHOT_GRID, 3, 0, false},
    {SNAPSHOT_GRID, 2, 0, true},
    {SNAPSHOT_KDTREE, 2, COPSE_BUILDER_QUICKSELECT, false},
    {SNAPSHOT_KDTREE, 3, COPSE_BUILDER_MEDIAN_OF_MEDIANS, false},
    {SNAPSHOT_KDTREE, 2, COPSE_BUILDER_PRESORT, false},
    {SNAPSHOT_KDTREE, 3, COPSE_BUILDER_PRESORT, false},
    {SNAPSHOT_OCTREE, 2, 0, false},
    {SNAPSHOT_OCTREE, 3, 0, false},
    {SNAPSHOT_OBSTACLE, 2, 0, false},
    {SNAPSHOT_CROWD, 2, 0, false},
    {SNAPSHOT_CROWD, 3, 0, false},
};
static const float WRAP[] = {0, 0, 60, 50};

typedef struct state {
  uint32_t saved[MEMORY_WORDS], ids[ITEMS];
  float distances2[ITEMS], given[6 * ITEMS]; /* given: the array that the caller writes */
  size_t savedBytes;
  uint32_t capacity, total;
} state;

typedef struct tested_object {
  form like;
  ledger book;
  any core;
  state before, now;
} tested_object;

/* ---- An object of any kind ---- */

static copse_status create(tested_object *object) {
  const copse_allocator allocator = ledger_allocator(&object->book);
  copse_agenttree_def points = copse_agenttree_default();
  copse_octree_def boxes = copse_octree_default();
  copse_obstacle_def walls = copse_obstacle_default();
  copse_crowd_def crowd = copse_crowd_default();
  const kind like = {.noun = object->like.kind == SNAPSHOT_GRID     ? GRID
                             : object->like.kind == SNAPSHOT_KDTREE ? KDTREE
                                                                    : AGENTTREE,
                     .cellSize = 3,
                     .builder = object->like.builder,
                     .wrap = object->like.wraps ? WRAP : NULL};
  points.dimensions = boxes.dimensions = crowd.dimensions = object->like.dimensions;
  points.capacity = boxes.capacity = walls.capacity = crowd.capacity = ITEMS;
  points.allocator = boxes.allocator = walls.allocator = crowd.allocator = allocator;
  for (int i = 0; i < 6; i++) boxes.bounds[i] = (uint32_t)i < boxes.dimensions ? 0 : 64;
  points.leafSize = boxes.leafSize = 3;
  object->core = (any){0};
  switch (object->like.kind) {
  case SNAPSHOT_OCTREE:
    return copse_octree_create(&boxes, &object->core.octree);
  case SNAPSHOT_OBSTACLE:
    return copse_obstacle_create(&walls, &object->core.obstacle);
  case SNAPSHOT_CROWD:
    return copse_crowd_create(&crowd, &object->core.crowd);
  default:
    return create_points(&points, like, &object->core.points);
  }
}

/* Fills an object up to its capacity, with items at random places in 0 … 64. */
static void fill(tested_object *object) {
  const any core = object->core;
  uint32_t seed = 5, slot;
  if (core.points) copse_points_set_slots(core.points, ITEMS);
  for (uint32_t i = 0; i < ITEMS; i++) {
    float place[6];
    for (int axis = 0; axis < 3; axis++)
      place[axis] = place[3 + axis] = (float)(random_word(&seed) % 64);
    copse_crowd_agent agent = copse_crowd_agent_default();
    memcpy(agent.position, place, sizeof agent.position);
    agent.neighborDistance = 40;
    if (core.octree) {
      place[object->like.dimensions] = place[0]; /* flat on every axis but y */
      place[object->like.dimensions + 1] = place[1] + 2;
      CHECK(copse_octree_add(core.octree, place, &slot) == COPSE_OK);
    } else if (core.obstacle) {
      const float points[] = {place[0], place[1], place[2], place[1] + 1};
      if (i % 2 == 0)
        CHECK(copse_obstacle_add(core.obstacle, points, 2,
                                 (i % 4) ? COPSE_SOLID_NOWHERE : COPSE_SOLID_WINDING,
                                 &slot) == COPSE_OK);
    } else if (core.crowd)
      CHECK(copse_crowd_add(core.crowd, &agent, &slot) == COPSE_OK);
    else
      for (uint32_t axis = 0; axis < object->like.dimensions; axis++)
        copse_points_positions(core.points)
            .axes[axis][i * copse_points_positions(core.points).stride] = place[axis];
  }
  if (core.points) CHECK(copse_points_build(core.points, NULL) == COPSE_OK);
  if (core.obstacle) CHECK(copse_obstacle_build(core.obstacle, NULL) == COPSE_OK);
  if (core.crowd) CHECK(copse_crowd_step(core.crowd, NULL, 0.125f, NULL) == COPSE_OK);
}

/* Records the state of an object and the results of a query; compares agents with brute force. */
static void note(const tested_object *object, state *out) {
  const any core = object->core;
  const float center[3] = {32, 32, 32};
  copse_results results = {out->ids, out->distances2, ITEMS, 0, 0};
  memset(out, 0, sizeof *out);
  out->capacity = any_capacity(core);
  if (core.octree)
    memcpy(out->given, copse_octree_boxes(core.octree),
           (size_t)2 * object->like.dimensions * ITEMS * sizeof(float));
  if (core.obstacle)
    memcpy(out->given, copse_obstacle_vertices(core.obstacle), (size_t)2 * ITEMS * sizeof(float));
  CHECK(any_save(core, out->saved, sizeof out->saved, &out->savedBytes) == COPSE_OK);
  if (core.obstacle)
    copse_obstacle_within(core.obstacle, center, 40, COPSE_SIDE_BOTH, &results);
  else if (core.crowd) {
    static copse_crowd_view view;
    CHECK(copse_crowd_inspect(core.crowd, NULL, 0.125f, 0, &view) == COPSE_OK);
    for (uint32_t i = 0; i < view.neighborCount; i++) out->ids[i] = view.neighbors[i];
    results.total = view.neighborCount;
  } else
    ITEMS_CALL(core, within, center, 20, NULL, &results);
  out->total = results.total;
  CHECK(results.total > 2 && results.total <= ITEMS);
  for (uint32_t i = results.total; i < ITEMS; i++) { /* clear what lies behind the results */
    out->ids[i] = 0;
    out->distances2[i] = 0;
  }
  if (!core.crowd) CHECK(any_validate(core));
  if (!core.points) return;
  const brute_points brute = {readable(copse_points_positions(core.points)), NULL, ITEMS,
                              object->like.dimensions, object->like.wraps ? WRAP : NULL};
  const point_question question = {.center = {32, 32, 32},
                                   .direction = {1, 1, 1},
                                   .hi = {50, 50, 50},
                                   .radius = 20,
                                   .query = copse_query_default(),
                                   .k = 5};
  CHECK(!compare_queries(core.points, &brute, &question));
}

/* True if the state is the recorded one, except for the capacity. */
static bool is_as_before(tested_object *object) {
  note(object, &object->now);
  object->now.capacity = object->before.capacity;
  return memcmp(&object->now, &object->before, sizeof object->now) == 0;
}

/* ---- Calls ---- */

typedef copse_status call(tested_object *object);

static copse_status call_reserve(tested_object *object) {
  return any_reserve(object->core, LARGER);
}

static copse_status call_save(tested_object *object) {
  return any_save(object->core, object->now.saved, sizeof object->now.saved,
                  &object->now.savedBytes);
}

static copse_status call_restore(tested_object *object) {
  return any_restore(object->core, object->before.saved, object->before.savedBytes, NULL);
}

/* Makes all calls of a frame of a game. */
static copse_status call_frame(tested_object *object) {
  static uint32_t counts[ITEMS], offsets[ITEMS], ids[ITEMS * ITEMS];
  static float distances2[ITEMS * ITEMS], points[3 * ITEMS];
  static copse_corner corners[4 * ITEMS + 20];
  const any core = object->core;
  const float lo[3] = {-9, -9, -9}, hi[3] = {99, 99, 99};
  uint32_t total;
  copse_results results = {ids, distances2, ITEMS * ITEMS, 0, 0};
  copse_rows rows = {offsets, counts, ids, ITEMS * ITEMS, 0, false};
  copse_neighbor_rows near = {counts, ids, distances2};
  if (core.obstacle) {
    CHECK(copse_obstacle_build(core.obstacle, NULL) == COPSE_OK);
    CHECK(copse_obstacle_raycast_many(core.obstacle, points, 9, COPSE_SIDE_BOTH, ids, distances2) ==
          COPSE_OK);
    return copse_obstacle_visibility(core.obstacle, (float[]){0.5f, 0.25f}, lo, hi, corners,
                                     4 * ITEMS + 20, &total, NULL);
  }
  if (core.crowd) return copse_crowd_step(core.crowd, NULL, 0.125f, NULL);
  CHECK(ITEMS_CALL(core, within, lo, INFINITY, NULL, &results) == COPSE_OK &&
        results.total == ITEMS);
  const copse_status ofBoxes = object->like.wraps ? COPSE_INVALID_ARGUMENT : COPSE_OK;
  CHECK(ITEMS_CALL(core, range, lo, hi, NULL, &results) == ofBoxes &&
        results.total == (object->like.wraps ? 0 : ITEMS));
  CHECK(ITEMS_CALL(core, neighbors, hi, ITEMS, NULL, &results) == COPSE_OK &&
        results.total == ITEMS);
  if (object->like.dimensions == 3)
    CHECK(ITEMS_CALL(core, frustum, points, 1, NULL, &results) == COPSE_OK);
  if (core.octree) {
    CHECK(copse_octree_pairs(core.octree, NULL, &results) == COPSE_OK);
    CHECK(copse_octree_within_many(core.octree, points, ITEMS, 9, NULL, &rows) == COPSE_OK);
    CHECK(copse_octree_range_many(core.octree, points, 9, NULL, &rows) == COPSE_OK);
    CHECK(copse_octree_neighbors_many(core.octree, points, ITEMS, 8, NULL, &near) == COPSE_OK);
    CHECK(copse_octree_raycast_many(core.octree, points, 9, NULL, NULL, ids, distances2) ==
          COPSE_OK);
    CHECK(copse_octree_remove(core.octree, 7) == COPSE_OK);
    const float *second = copse_octree_boxes(core.octree) + 2 * object->like.dimensions;
    CHECK(copse_octree_add(core.octree, second, &total) == COPSE_OK && total == 7);
    CHECK(copse_octree_move_all(core.octree, NULL) == COPSE_OK);
    return copse_octree_load(core.octree, ITEMS, NULL);
  }
  CHECK(copse_points_build(core.points, NULL) == COPSE_OK);
  CHECK(copse_points_all_within(core.points, 9, NULL, NULL, &rows) == COPSE_OK);
  CHECK(copse_points_within_many(core.points, points, ITEMS, 9, NULL, &rows) == COPSE_OK);
  CHECK(copse_points_range_many(core.points, points, 9, NULL, &rows) == ofBoxes);
  CHECK(copse_points_all_neighbors(core.points, 8, NULL, NULL, &near) == COPSE_OK);
  CHECK(copse_points_neighbors_many(core.points, points, ITEMS, 8, NULL, &near) == COPSE_OK);
  CHECK(copse_points_pairs(core.points, 4, NULL, NULL, &results) == COPSE_OK);
  CHECK(copse_points_raycast_many(core.points, points, 9, 1, NULL, NULL, NULL, ids, distances2) ==
        ofBoxes);
  return COPSE_OK;
}

/* Repeats a call, with its first allocation failing, then its second and so on, until it succeeds.
 * Returns its number of allocations. A failed call must return COPSE_OUT_OF_MEMORY, hold no memory
 * and change nothing. */
static int allocations_of(tested_object *object, call *called,
                          bool (*isAsBefore)(tested_object *object)) {
  const size_t held = object->book.bytesHeld;
  for (int failing = 0; failing < 100; failing++) {
    object->book.callsLeft = failing;
    const copse_status status = called(object);
    const bool hasFailed = object->book.callsLeft < 0;
    object->book.callsLeft = -1;
    CHECK(status == (hasFailed ? COPSE_OUT_OF_MEMORY : COPSE_OK));
    if (!hasFailed) return failing;
    CHECK(object->book.bytesHeld == held && isAsBefore(object));
  }
  return -1;
}

static bool is_nothing(tested_object *object) {
  const any none = {0};
  return memcmp(&object->core, &none, sizeof none) == 0;
}

static void test_a_failed_allocation_is_reported_and_changes_nothing(void) {
  static tested_object object;
  for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
    object = (tested_object){.like = FORMS[i], .book = {-1, 0}};
    const bool isCrowd = object.like.kind == SNAPSHOT_CROWD; /* contains an agent tree */
    CHECK(allocations_of(&object, create, is_nothing) == (isCrowd ? 4 : 2));
    fill(&object);
    note(&object, &object.before);
    CHECK(allocations_of(&object, call_save, is_as_before) == 0);
    CHECK(allocations_of(&object, call_restore, is_as_before) == 0 && is_as_before(&object));
    CHECK(any_capacity(object.core) == ITEMS);
    CHECK(allocations_of(&object, call_reserve, is_as_before) == (isCrowd ? 2 : 1));
    CHECK(any_capacity(object.core) == LARGER && is_as_before(&object));
    CHECK(any_reserve(object.core, COPSE_MAX_CAPACITY + 1) == COPSE_INVALID_ARGUMENT);
    CHECK(allocations_of(&object, call_restore, is_as_before) == 0 && is_as_before(&object));
    CHECK(allocations_of(&object, call_frame, is_as_before) == 0);
    any_destroy(object.core);
    CHECK(object.book.bytesHeld == 0);
  }
}

static void test_a_smaller_reserve_succeeds_after_a_failed_one(void) {
  static tested_object object;
  for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
    object = (tested_object){.like = FORMS[i], .book = {-1, 0}};
    CHECK(create(&object) == COPSE_OK);
    fill(&object);
    note(&object, &object.before);
    object.book.callsLeft = 0;
    CHECK(any_reserve(object.core, COPSE_MAX_CAPACITY) == COPSE_OUT_OF_MEMORY);
    CHECK(is_as_before(&object) && any_capacity(object.core) == ITEMS);
    CHECK(any_reserve(object.core, 2 * ITEMS) == COPSE_OK &&
          any_capacity(object.core) == 2 * ITEMS);
    CHECK(is_as_before(&object));
    CHECK(call_frame(&object) == COPSE_OK);
    any_destroy(object.core);
    CHECK(object.book.bytesHeld == 0);
  }
}

static void test_a_reserve_takes_the_bytes_of_a_larger_object(void) {
  static tested_object object;
  for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
    object = (tested_object){.like = FORMS[i], .book = {-1, 0}};
    CHECK(create(&object) == COPSE_OK);
    const size_t small = object.book.bytesHeld;
    for (uint32_t capacity = 0; capacity <= ITEMS; capacity++)
      CHECK(any_reserve(object.core, capacity) == COPSE_OK && object.book.bytesHeld == small);
    CHECK(any_reserve(object.core, COPSE_MAX_CAPACITY + 1) == COPSE_INVALID_ARGUMENT);
    CHECK(any_bytes(object.core) == small);
    CHECK(any_reserve(object.core, LARGER) == COPSE_OK && object.book.bytesHeld > small);
    CHECK(any_bytes(object.core) == object.book.bytesHeld);
    any_destroy(object.core);
    CHECK(object.book.bytesHeld == 0);
  }
}

const unit_test MEMORY_TESTS[] = {
    TEST(test_a_reserve_takes_the_bytes_of_a_larger_object),
    TEST(test_a_failed_allocation_is_reported_and_changes_nothing),
    TEST(test_a_smaller_reserve_succeeds_after_a_failed_one),
    {NULL, NULL, false},
};
