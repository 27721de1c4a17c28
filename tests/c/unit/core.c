/* What every noun is made of: status texts, slots, memory. */

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
  slots all = {0};
  slots_grow(&all, generations, free, 70);
  for (uint32_t slot = 0; slot < 70; slot++) CHECK(slots_take(&all) == slot);
  CHECK(slots_take(&all) == COPSE_NONE);
  uint32_t before = generations[65];
  CHECK(slots_free(&all, 65) == COPSE_OK && !slots_in_use(&all, 65));
  CHECK(slots_free(&all, 65) == COPSE_STALE_SLOT && slots_free(&all, 70) == COPSE_STALE_SLOT);
  CHECK(slots_free(&all, 69) == COPSE_OK && slots_free(&all, 3) == COPSE_OK && all.used == 67);
  CHECK(slots_take(&all) == 3); /* the lowest, whichever was freed last */
  slots_take_at(&all, 69);
  CHECK(slots_take(&all) == 65 && generations[65] == before + 2 && all.used == 70);
}

static void test_slots_keep_their_state_when_they_grow(void) {
  uint32_t generations[2], free[1], moreGenerations[4], moreFree[1];
  slots all = {0};
  slots_grow(&all, generations, free, 2);
  slots_take(&all);
  slots_take(&all);
  slots_free(&all, 0);
  slots_grow(&all, moreGenerations, moreFree, 4);
  CHECK(!slots_in_use(&all, 0) && slots_in_use(&all, 1));
  CHECK(slots_take(&all) == 0 && slots_take(&all) == 2 && slots_take(&all) == 3);
  CHECK(slots_take(&all) == COPSE_NONE);
}

static void test_arena_aligns_every_array(void) {
  char block[256];
  for (int shift = 0; shift < 16; shift++) {
    arena all = arena_over(block + shift);
    for (int i = 0; i < 3; i++) CHECK((uintptr_t)arena_carve(&all, 5, 1) % ARENA_ALIGNMENT == 0);
    CHECK(arena_block_bytes(all.used) >= 48 && all.base + all.used <= block + shift + 64 + 16);
  }
}

static void test_memory_that_no_object_can_have_is_not_asked_for(void) {
  ledger book = {-1, 0};
  const copse_allocator allocator = {ledger_allocate, ledger_release, &book};
  CHECK(!memory_take(&allocator, (uint64_t)PTRDIFF_MAX + 1) && book.callsLeft == -1);
  CHECK(!memory_take(&allocator, UINT64_MAX) && book.callsLeft == -1);
  memory_give(&allocator, NULL, 7);
  CHECK(book.bytesHeld == 0);
}

static void test_a_header_belongs_to_its_bytes(void) {
  uint32_t words[sizeof(snapshot_header) / 4 + 1] = {0};
  snapshot_seal(words, sizeof words, SNAPSHOT_GRID);
  snapshot_header header;
  memcpy(&header, words, sizeof header);
  CHECK(snapshot_fits(&header, sizeof words, SNAPSHOT_GRID));
  CHECK(snapshot_is_intact(words, sizeof words));
  CHECK(!snapshot_fits(&header, sizeof words, SNAPSHOT_KDTREE));
  for (uint64_t size = 0; size < sizeof words; size++)
    CHECK(!snapshot_fits(&header, size, SNAPSHOT_GRID));
  CHECK(!snapshot_fits(&header, sizeof words + ((uint64_t)1 << 32), SNAPSHOT_GRID));
  words[sizeof header / 4]++;
  CHECK(!snapshot_is_intact(words, sizeof words));
}

static void test_a_checksum_may_be_taken_in_pieces(void) {
  enum { WORDS = 11 };
  uint32_t words[WORDS];
  for (uint32_t i = 0; i < WORDS; i++) words[i] = 77 * i + 1;
  snapshot_seal(words, sizeof words, SNAPSHOT_GRID);
  for (uint32_t cut = 0; cut <= WORDS; cut++) {
    const uint32_t hash = snapshot_checksum(0, words, 0, cut);
    CHECK(snapshot_checksum(hash, words + cut, cut, WORDS - cut) == words[3]);
  }
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
  CHECK(one.timeHorizon == 2 && one.timeHorizonObstacles == 2 && one.maxAcceleration == INFINITY);
  CHECK(one.groups == 1 && one.mask == COPSE_ALL_GROUPS && one.enabled && !one.locked);
}

const unit_test CORE_TESTS[] = {
    TEST(test_every_status_has_a_text),
    TEST(test_slots_are_reused_with_a_new_generation),
    TEST(test_slots_keep_their_state_when_they_grow),
    TEST(test_arena_aligns_every_array),
    TEST(test_memory_that_no_object_can_have_is_not_asked_for),
    TEST(test_a_header_belongs_to_its_bytes),
    TEST(test_a_checksum_may_be_taken_in_pieces),
    TEST(test_defaults_are_as_documented),
    {NULL, NULL, false},
};
