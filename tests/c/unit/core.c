/* What all structures share: status texts, slots, memory, snapshot headers, defaults. */

#include "unit.h"

#include "../../../c/base/core.h"
#include "../../../c/base/snapshot.h"

static void test_every_status_has_a_text(void) {
  for (int status = COPSE_OK; status <= COPSE_BAD_SNAPSHOT; status++) {
    CHECK(strlen(copse_status_text((copse_status)status)) > 0);
    CHECK(strcmp(copse_status_text((copse_status)status), "unknown status") != 0);
  }
  CHECK(strcmp(copse_status_text((copse_status)999), "unknown status") == 0);
}

static void test_slots_are_reused_with_a_new_generation(void) {
  uint32_t generations[70], free[3];
  slots table = {0};
  slots_grow(&table, generations, free, 70);
  for (uint32_t slot = 0; slot < 70; slot++) CHECK(slots_take(&table) == slot);
  CHECK(slots_take(&table) == COPSE_NONE);
  uint32_t before = generations[65];
  CHECK(slots_free(&table, 65) == COPSE_OK && !slots_in_use(&table, 65));
  CHECK(slots_free(&table, 65) == COPSE_STALE_SLOT && slots_free(&table, 70) == COPSE_STALE_SLOT);
  CHECK(slots_free(&table, 69) == COPSE_OK && slots_free(&table, 3) == COPSE_OK &&
        table.used == 67);
  CHECK(slots_take(&table) == 3); /* the lowest free slot, not the last one freed */
  slots_take_at(&table, 69);
  CHECK(slots_take(&table) == 65 && generations[65] == before + 2 && table.used == 70);
}

static void test_slots_keep_their_state_when_they_grow(void) {
  uint32_t generations[2], free[1], moreGenerations[4], moreFree[1];
  slots table = {0};
  slots_grow(&table, generations, free, 2);
  slots_take(&table);
  slots_take(&table);
  slots_free(&table, 0);
  slots_grow(&table, moreGenerations, moreFree, 4);
  CHECK(!slots_in_use(&table, 0) && slots_in_use(&table, 1));
  CHECK(slots_take(&table) == 0 && slots_take(&table) == 2 && slots_take(&table) == 3);
  CHECK(slots_take(&table) == COPSE_NONE);
}

static void test_arena_aligns_every_array(void) {
  char block[256];
  for (int shift = 0; shift < 16; shift++) {
    arena block_arena = arena_over(block + shift);
    for (int i = 0; i < 3; i++)
      CHECK((uintptr_t)arena_carve(&block_arena, 5, 1) % ARENA_ALIGNMENT == 0);
    CHECK(arena_block_bytes(block_arena.used) >= 48 &&
          block_arena.base + block_arena.used <= block + shift + 64 + 16);
  }
}

static void test_impossible_sizes_do_not_reach_the_allocator(void) {
  ledger book = {-1, 0};
  const copse_allocator allocator = {ledger_allocate, ledger_release, &book};
  CHECK(!memory_take(&allocator, (uint64_t)PTRDIFF_MAX + 1) && book.callsLeft == -1);
  CHECK(!memory_take(&allocator, UINT64_MAX) && book.callsLeft == -1);
  memory_give(&allocator, NULL, 7);
  CHECK(book.bytesHeld == 0);
}

static void test_a_snapshot_opens_only_as_its_own_kind_and_size(void) {
  uint32_t words[sizeof(snapshot_header) / 4 + 1] = {0};
  snapshot_header header;
  snapshot_seal(words, sizeof words, SNAPSHOT_GRID);
#define OPEN(size, kind) snapshot_open(words, size, kind, &header, sizeof header)
  CHECK(OPEN(sizeof words, SNAPSHOT_GRID) == COPSE_OK);
  CHECK(!memcmp(&header, words, sizeof header));
  CHECK(OPEN(sizeof words, SNAPSHOT_KDTREE) == COPSE_BAD_SNAPSHOT);
  for (size_t size = 0; size < sizeof words; size++)
    CHECK(OPEN(size, SNAPSHOT_GRID) == COPSE_BAD_SNAPSHOT);
  CHECK(snapshot_open((char *)words + 2, sizeof header, SNAPSHOT_GRID, &header, sizeof header) ==
        COPSE_INVALID_ARGUMENT);
  for (size_t i = 0; i < sizeof words / 4; i++) { /* every word counts */
    words[i] ^= 1;
    CHECK(OPEN(sizeof words, SNAPSHOT_GRID) == COPSE_BAD_SNAPSHOT);
    words[i] ^= 1;
  }
  CHECK(OPEN(sizeof words, SNAPSHOT_GRID) == COPSE_OK);
#undef OPEN
}

static void test_defaults_are_as_documented(void) {
  const copse_query query = copse_query_default();
  CHECK(query.mask == COPSE_ALL_GROUPS && query.exclude == COPSE_NONE);
  CHECK(query.maxDistance == INFINITY && query.sort == COPSE_SORT_NONE);
  const copse_agenttree_def agents = copse_agenttree_default();
  CHECK(agents.dimensions == 2 && agents.capacity == 1000 && agents.leafSize >= 1);
  CHECK(agents.axis == COPSE_AXIS_LONGEST && agents.split == COPSE_SPLIT_MIDPOINT);
  const copse_grid_def grid = copse_grid_default();
  CHECK(grid.dimensions == 2 && grid.capacity == 1000 && grid.cellSize == 1);
  const copse_kdtree_def still = copse_kdtree_default();
  CHECK(still.dimensions == 2 && still.capacity == 1000);
  CHECK(still.builder == COPSE_BUILDER_QUICKSELECT);
  const copse_octree_def boxes = copse_octree_default();
  CHECK(boxes.dimensions == 2 && boxes.capacity == 1000 && boxes.leafSize >= 1);
  CHECK(boxes.maxDepth == 8 && boxes.looseness == 1);
  for (int i = 0; i < 4; i++) CHECK(boxes.bounds[i] == (i < 2 ? 0 : 1000));
  const copse_obstacle_def walls = copse_obstacle_default();
  CHECK(walls.capacity == 1000 && walls.leafSize >= 1);
  const copse_crowd_def crowd = copse_crowd_default();
  CHECK(crowd.dimensions == 2 && crowd.capacity == 1000 && crowd.maxNeighbors == 10);
  const copse_crowd_agent one = copse_crowd_agent_default();
  for (int axis = 0; axis < 3; axis++)
    CHECK(one.position[axis] == 0 && one.velocity[axis] == 0 && isnan(one.goal[axis]));
  CHECK(one.preferredSpeed == 1 && one.radius == 0.5f && one.maxSpeed == 2 && one.priority == 0);
  CHECK(one.neighborDistance == 10 && one.maxNeighbors == 10);
  CHECK(one.timeHorizon == 2 && one.obstacleTimeHorizon == 2 && one.maxAcceleration == INFINITY);
  CHECK(one.groups == 1 && one.mask == COPSE_ALL_GROUPS && one.enabled && !one.locked);
}

const unit_test CORE_TESTS[] = {
    TEST(test_every_status_has_a_text),
    TEST(test_slots_are_reused_with_a_new_generation),
    TEST(test_slots_keep_their_state_when_they_grow),
    TEST(test_arena_aligns_every_array),
    TEST(test_impossible_sizes_do_not_reach_the_allocator),
    TEST(test_a_snapshot_opens_only_as_its_own_kind_and_size),
    TEST(test_defaults_are_as_documented),
    {NULL, NULL, false},
};
