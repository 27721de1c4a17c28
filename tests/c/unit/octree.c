/* Quadtree and octree. */

#include "../boxes.h"
#include "unit.h"

#include "../../../c/snapshot.h"

static copse_octree *octree_of(copse_octree_def def) {
  copse_octree *tree;
  CHECK(copse_octree_create(&def, &tree) == COPSE_OK);
  return tree;
}

/* The world is 0 … 16 on each side. */
static copse_octree_def sixteen(uint32_t dimensions, uint32_t leafSize, uint32_t maxDepth) {
  copse_octree_def def = copse_octree_default();
  def.dimensions = dimensions;
  def.leafSize = leafSize;
  def.maxDepth = maxDepth;
  for (uint32_t axis = 0; axis < dimensions; axis++) {
    def.bounds[axis] = 0;
    def.bounds[dimensions + axis] = 16;
  }
  return def;
}

static uint32_t add_box(copse_octree *tree, float minX, float minY, float maxX, float maxY) {
  uint32_t slot;
  CHECK(copse_octree_insert(tree, (float[]){minX, minY, maxX, maxY}, &slot) == COPSE_OK);
  CHECK(copse_octree_validate(tree));
  return slot;
}

static uint64_t changes_of(const copse_octree *tree) { return copse_octree_stats(tree).changes; }

static void test_boxes_agree_with_a_list(void) {
  enum { SEQUENCES = 12000, MOST = 6000 };
  uint32_t state = 7;
  for (uint32_t sequence = 0; sequence < SEQUENCES; sequence++) {
    uint8_t bytes[MOST];
    const uint32_t size = sequence % 16 ? 1000 : MOST;
    for (uint32_t i = 0; i < size; i++) bytes[i] = (uint8_t)(random_word(&state) >> 8);
    const char *wrong = play_boxes(bytes, size);
    if (wrong) printf("sequence %u: %s\n", sequence, wrong);
    CHECK(!wrong);
  }
}

static void test_a_move_within_a_cell_changes_no_structure(void) {
  copse_octree *tree = octree_of(sixteen(2, 1, 4));
  const uint32_t slot = add_box(tree, 1, 1, 2, 2);
  add_box(tree, 9, 9, 10, 10);
  add_box(tree, 13, 13, 14, 14);
  const uint64_t before = changes_of(tree);
  copse_octree_move(tree, slot, (float[]){3, 5, 4, 6});
  copse_octree_boxes(tree)[0] = 2;
  CHECK(copse_octree_move_all(tree, NULL) == COPSE_OK);
  CHECK(changes_of(tree) == before);
  copse_octree_move(tree, slot, (float[]){3, 9, 4, 10});
  CHECK(changes_of(tree) > before);
  copse_octree_destroy(tree);
}

/* A box that ends on a line is below it, one that begins there above, and so is a point. */
static void test_items_on_a_line_have_one_side(void) {
  static const struct {
    float box[4], cell; /* where its cell begins along x; -1: it straddles */
  } CASES[] = {{{7, 1, 8, 2}, 0},  {{8, 1, 9, 2}, 8},   {{8, 1, 8, 1}, 8},
               {{7, 1, 9, 2}, -1}, {{8, 1, 8, 2}, 8},   {{-9, 1, 8, 2}, 0},
               {{0, 1, 0, 1}, 0},  {{16, 1, 16, 1}, 8}, {{20, 1, 90, 2}, 8}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    for (int moved = 0; moved < 2; moved++) {
      copse_octree *tree = octree_of(sixteen(2, 0, 1));
      float cells[5 * 6], found = -1;
      uint32_t slot;
      const float *first = moved ? (float[]){12, 12, 13, 13} : CASES[i].box;
      CHECK(copse_octree_insert(tree, first, &slot) == COPSE_OK);
      if (moved) CHECK(copse_octree_move(tree, slot, CASES[i].box) == COPSE_OK);
      CHECK(copse_octree_validate(tree) && copse_octree_cells(tree, cells, 30) == 30);
      for (int cell = 1; cell < 5; cell++)
        if (cells[6 * cell + 5] == 1) found = cells[6 * cell];
      CHECK(found == CASES[i].cell);
      CHECK(copse_octree_stats(tree).straddlers == (found < 0));
      copse_octree_destroy(tree);
    }
}

static void test_items_outside_the_world_are_kept_found_and_counted(void) {
  copse_octree *tree = octree_of(sixteen(2, 1, 8));
  for (uint32_t i = 0; i < 20; i++)
    add_box(tree, 100 + (float)i, -1e18f, 100.5f + (float)i, -1e17f);
  add_box(tree, 1, 1, 2, 2);
  add_box(tree, 15, 15, 17, 16);
  uint32_t ids[32];
  copse_results results = {ids, NULL, 32, 0, 0};
  copse_octree_range(tree, (float[]){103, -1e18f}, (float[]){104, 0}, NULL, &results);
  CHECK(results.total == 2 && copse_octree_stats(tree).outside == 21);
  copse_octree_destroy(tree);
}

static void test_all_removed_is_the_start(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (uint32_t leafSize = 0; leafSize < 4; leafSize++) {
      copse_octree *tree = octree_of(sixteen(dimensions, leafSize, 6));
      uint32_t state = 1, slot;
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 300; i++) {
          float box[6];
          for (uint32_t axis = 0; axis < dimensions; axis++) {
            box[axis] = (float)(random_word(&state) % 64) / 4;
            box[dimensions + axis] = box[axis] + (float)(random_word(&state) % 8) / 8;
          }
          CHECK(copse_octree_insert(tree, box, &slot) == COPSE_OK && slot == (uint32_t)i);
        }
        CHECK(copse_octree_stats(tree).nodes > 1 && copse_octree_stats(tree).unsplit == 0);
        uint32_t ids[300], total;
        copse_results all = {ids, NULL, 300, 0, 0};
        const float lo[3] = {0}, hi[3] = {17, 17, 17};
        CHECK(copse_octree_range(tree, lo, hi, NULL, &all) == COPSE_OK && all.total == 300);
        copse_octree_count_within(tree, lo, INFINITY, NULL, &total, NULL);
        CHECK(total == 300);
        for (uint32_t i = 0; i < 300; i++)
          CHECK(copse_octree_remove(tree, (i * 7 + (uint32_t)round) % 300) == COPSE_OK);
        const copse_octree_statistics stats = copse_octree_stats(tree);
        CHECK(copse_octree_validate(tree) && stats.items == 0 && stats.nodes == 1);
      }
      copse_octree_destroy(tree);
    }
}

static void test_a_pool_without_nodes_leaves_cells_whole(void) {
  copse_octree_def def = sixteen(3, 1, 24);
  def.capacity = 100;
  copse_octree *tree = octree_of(def);
  uint32_t slot;
  for (int i = 0; i < 100; i++) { /* pairs that only the deepest cells would part */
    const float x = (float)(i / 2) / 4, y = x + (i % 2 ? 1e-6f : 0);
    CHECK(copse_octree_insert(tree, (float[]){x, y, x, x, y, x}, &slot) == COPSE_OK);
    CHECK(copse_octree_validate(tree));
  }
  CHECK(copse_octree_stats(tree).unsplit > 0);
  uint32_t ids[100], total;
  copse_results results = {ids, NULL, 100, 0, 0};
  copse_octree_range(tree, (float[]){2, 2, 2}, (float[]){4, 4, 4}, NULL, &results);
  total = results.total;
  CHECK(total == 17 || total == 18);
  for (uint32_t i = 0; i < 100; i++) copse_octree_remove(tree, i);
  CHECK(copse_octree_validate(tree) && copse_octree_stats(tree).nodes == 1);
  copse_octree_destroy(tree);
}

static void test_wrong_boxes_are_refused(void) {
  copse_octree *tree = octree_of(sixteen(2, 4, 4));
  uint32_t slot = add_box(tree, 1, 1, 2, 2), given, bad = 0;
  const float wrong[][4] = {{NAN, 0, 1, 1}, {0, 0, INFINITY, 1}, {0, 0, 1, 2e18f}, {1, 0, 0, 1}};
  for (int i = 0; i < 4; i++) {
    const copse_status status = i < 3 ? COPSE_NOT_FINITE : COPSE_INVALID_ARGUMENT;
    CHECK(copse_octree_insert(tree, wrong[i], &given) == status && given == COPSE_NONE);
    CHECK(copse_octree_insert_at(tree, 5, wrong[i]) == status && !copse_octree_has(tree, 5));
    CHECK(copse_octree_move(tree, slot, wrong[i]) == status);
    memcpy(copse_octree_boxes(tree), wrong[i], sizeof wrong[i]);
    CHECK(copse_octree_move_all(tree, &bad) == status && bad == slot);
    CHECK(copse_octree_move_all(tree, NULL) == status);
  }
  const float fine[4] = {0, 0, 1, 1};
  CHECK(copse_octree_insert_at(tree, slot, fine) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_octree_insert_at(tree, 1000, fine) == COPSE_FULL);
  CHECK(copse_octree_move(tree, 7, fine) == COPSE_STALE_HANDLE);
  CHECK(copse_octree_remove(tree, 7) == COPSE_STALE_HANDLE);
  CHECK(copse_octree_remove(tree, 1u << 31) == COPSE_STALE_HANDLE);
  CHECK(copse_octree_count(tree) == 1 && copse_octree_validate(tree));
  copse_octree_destroy(tree);

  copse_octree_def def = sixteen(2, 4, 4), good = def;
  CHECK(copse_octree_bytes(&def) != SIZE_MAX);
  def.looseness = 0.5f;
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT && !tree);
  def.looseness = NAN;
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_octree_bytes(&def) == SIZE_MAX);
  def = good;
  def.bounds[2] = 0;
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT);
  def = good;
  def.maxDepth = COPSE_OCTREE_MAX_DEPTH + 1;
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT);
  def = good;
  def.capacity = 0;
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT);
  def = good;
  def.leafSize = UINT32_MAX;
  CHECK(copse_octree_create(&def, &tree) == COPSE_OK);
  copse_octree_destroy(tree);
  copse_octree_destroy(NULL);
}

static void test_boxes_fill_their_capacity(void) {
  copse_octree_def def = sixteen(2, 2, 6);
  def.capacity = 3;
  copse_octree *tree = octree_of(def);
  uint32_t slot;
  for (int i = 0; i < 3; i++) add_box(tree, 1, 1, 2, 2);
  CHECK(copse_octree_insert(tree, (float[]){0, 0, 1, 1}, &slot) == COPSE_FULL);
  CHECK(copse_octree_reserve(tree, 2) == COPSE_OK && copse_octree_capacity(tree) == 3);
  CHECK(copse_octree_reserve(tree, 40) == COPSE_OK && copse_octree_capacity(tree) == 40);
  CHECK(copse_octree_reserve(tree, UINT32_MAX) == COPSE_INVALID_ARGUMENT);
  for (int i = 3; i < 40; i++) CHECK(add_box(tree, 1, 1, 2, 2) == (uint32_t)i);
  CHECK(copse_octree_insert(tree, (float[]){0, 0, 1, 1}, &slot) == COPSE_FULL);
  uint32_t ids[10] = {0};
  copse_results results = {ids, NULL, 9, 0, 0};
  CHECK(copse_octree_range(tree, (float[]){0, 0}, (float[]){9, 9}, NULL, &results) == COPSE_OK);
  CHECK(results.total == 40 && ids[9] == 0);
  ids[8] = 77;
  CHECK(copse_octree_pairs(tree, NULL, &results) == COPSE_OK);
  CHECK(results.total == 40 * 39 && ids[8] == 77); /* whole pairs only */
  copse_octree_destroy(tree);
}

static void test_pairs_are_written_whole_while_they_fit(void) {
  copse_octree *tree = octree_of(sixteen(2, 2, 6));
  for (int i = 0; i < 6; i++) add_box(tree, 1, 1, 2, 2);
  for (uint32_t capacity = 0; capacity < 32; capacity++) {
    uint32_t *ids = malloc(capacity ? capacity * sizeof *ids : 1); /* a write behind it is found */
    copse_results results = {ids, NULL, capacity, 0, 0};
    CHECK(copse_octree_pairs(tree, NULL, &results) == COPSE_OK && results.total == 30);
    for (uint32_t i = 0; i + 2 <= capacity && i < 30; i += 2) CHECK(ids[i] < ids[i + 1]);
    for (uint32_t i = 2; i + 2 <= capacity && i < 30; i += 2) CHECK(ids[i] >= ids[i - 2]);
    free(ids);
  }
  copse_octree_destroy(tree);
}

static void test_an_octree_allocates_only_when_it_is_created(void) {
  for (int failing = 0; failing < 3; failing++) {
    ledger book = {failing, 0};
    copse_octree_def def = sixteen(3, 2, 6);
    def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
    copse_octree *tree;
    const copse_status status = copse_octree_create(&def, &tree);
    CHECK(status == (failing < 2 ? COPSE_OUT_OF_MEMORY : COPSE_OK));
    if (status == COPSE_OK) {
      CHECK(book.bytesHeld == copse_octree_bytes(&def));
      CHECK(copse_octree_stats(tree).bytes == book.bytesHeld);
      uint32_t slot;
      for (int i = 0; i < 500; i++) {
        const float x = (float)(i % 25) / 2, y = (float)(i / 25) / 2;
        CHECK(copse_octree_insert(tree, (float[]){x, y, x, x + 1, y, y}, &slot) ==
              (y < x ? COPSE_INVALID_ARGUMENT : COPSE_OK));
      }
      const uint32_t count = copse_octree_count(tree);
      for (int calls = 0; copse_octree_capacity(tree) == 1000; calls++) {
        book.callsLeft = calls;
        const bool grows = copse_octree_reserve(tree, 5000) == COPSE_OK;
        CHECK(grows == (copse_octree_capacity(tree) == 5000) && (calls || !grows));
        CHECK(copse_octree_count(tree) == count && copse_octree_validate(tree));
        static uint32_t words[8192];
        size_t total;
        book.callsLeft = 0; /* neither of these takes memory */
        CHECK(copse_octree_save(tree, words, sizeof words, &total) == COPSE_OK);
        CHECK(copse_octree_restore(tree, words, total) == COPSE_OK);
        CHECK(copse_octree_count(tree) == count && copse_octree_validate(tree));
      }
      copse_octree_destroy(tree);
    }
    CHECK(book.bytesHeld == 0);
  }
}

/* By every kind of search: more would be slower, though the answers are right. */
static void test_searches_of_boxes_visit_no_more_than_they_must(void) {
  enum { N = 1000, SEARCHES = 200 };
  static uint32_t ids[N];
  static float distances2[N];
  static const uint64_t MEASURED[] = {17633, 16010, 43651, 58289};
  for (uint32_t round = 0; round < 4; round++) {
    const uint32_t dim = 2 + round % 2;
    copse_octree_def def = sixteen(dim, 4, 8);
    def.looseness = round < 2 ? 1 : 2;
    copse_octree *tree = octree_of(def);
    uint32_t state = 5, slot;
    uint64_t visited = 0;
    for (int i = 0; i < N; i++) {
      float box[6];
      for (uint32_t axis = 0; axis < dim; axis++) {
        box[axis] = (float)(random_word(&state) % 1024) / 64;
        box[dim + axis] = box[axis] + (float)(random_word(&state) % 8) / 32;
      }
      CHECK(copse_octree_insert(tree, box, &slot) == COPSE_OK);
    }
    for (int search = 0; search < SEARCHES; search++) {
      float center[3], to[3], hi[3];
      for (uint32_t axis = 0; axis < dim; axis++) {
        center[axis] = (float)(random_word(&state) % 1024) / 64;
        to[axis] = (float)(random_word(&state) % 1024) / 64;
        hi[axis] = center[axis] + 1;
      }
      const copse_query query = copse_query_default();
      copse_results results = {ids, distances2, N, 0, 0};
      copse_box_hit hit;
      uint32_t visits[4], total;
      bool any;
      copse_octree_count_within(tree, center, 1, &query, &total, &visits[0]);
      copse_octree_any_within(tree, center, 0.25f, &query, &any, &visits[1]);
      copse_octree_nearest(tree, center, &query, &total, NULL, &visits[2]);
      copse_octree_raycast(tree, center, to, &query, &hit, &visits[3]);
      for (int i = 0; i < 4; i++) visited += visits[i];
      copse_octree_within(tree, center, 1, &query, &results);
      visited += results.visits;
      copse_octree_range(tree, center, hi, &query, &results);
      visited += results.visits;
      copse_octree_neighbors(tree, center, 8, &query, &results);
      visited += results.visits;
    }
    copse_results pairs = {ids, NULL, 0, 0, 0};
    CHECK(copse_octree_pairs(tree, NULL, &pairs) == COPSE_OK);
    visited += pairs.visits;
    CHECK(visited > 0 && visited <= MEASURED[round]);
    copse_octree_destroy(tree);
  }
}

static void test_looseness_frees_small_items_at_the_center(void) {
  copse_octree_def def = sixteen(2, 1, 4);
  uint32_t straddlers[2];
  for (int loose = 0; loose < 2; loose++) {
    def.looseness = loose ? 2 : 1;
    copse_octree *tree = octree_of(def);
    for (int i = 0; i < 16; i++) {
      const float x = (float)i;
      add_box(tree, x + 0.4f, 7.9f, x + 0.6f, 8.1f);
    }
    straddlers[loose] = copse_octree_stats(tree).straddlers;
    copse_octree_destroy(tree);
  }
  CHECK(straddlers[0] == 16 && straddlers[1] == 0);
}

static void test_a_snapshot_of_boxes_checks_what_it_takes(void) {
  copse_octree *tree = octree_of(sixteen(2, 1, 4));
  for (int i = 0; i < 9; i++) add_box(tree, (float)i, 1, (float)i + 1, 2);
  copse_octree_remove(tree, 4);
  static uint32_t words[500], forged[500];
  size_t total, same;
  CHECK(copse_octree_save(tree, words, 10, &total) == COPSE_FULL);
  CHECK(copse_octree_save(tree, words, sizeof words, &total) == COPSE_OK);
  const size_t head = total / 4 - 8 * 5 - 9 * 2; /* in words: 9 slots and 8 items follow */
  const size_t order = head + 18, boxes = order + 8;
  const struct {
    size_t word;
    uint32_t value;
  } wrong[] = {{head, 2},           {head + 4, 1},       {order, words[order + 1]},
               {order, 4},          {order, 9},          {order, UINT32_MAX},
               {boxes, 0x7fc00000}, {boxes, 0x7f800000}, {boxes, 0x42c80000},
               {head - 1, 9},       {head - 2, 1000},    {head - 1, 0x40000000}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    memcpy(forged, words, total);
    forged[wrong[i].word] = wrong[i].value;
    snapshot_seal(forged, total, SNAPSHOT_OCTREE);
    CHECK(copse_octree_restore(tree, forged, total) == COPSE_BAD_SNAPSHOT);
    CHECK(copse_octree_save(tree, forged, sizeof forged, &same) == COPSE_OK && same == total);
    CHECK(memcmp(words, forged, total) == 0);
  }
  copse_octree_def def = sixteen(2, 1, 4);
  def.capacity = 8;
  copse_octree *small = octree_of(def);
  CHECK(copse_octree_restore(small, words, total) == COPSE_FULL);
  copse_octree_destroy(small);
  def = sixteen(2, 2, 4);
  copse_octree *other = octree_of(def);
  CHECK(copse_octree_restore(other, words, total) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_octree_restore(other, (char *)words + 1, total - 4) == COPSE_INVALID_ARGUMENT);
  copse_octree_destroy(other);
  copse_octree_destroy(tree);
}

const unit_test OCTREE_TESTS[] = {
    TEST(test_boxes_agree_with_a_list),
    TEST(test_a_move_within_a_cell_changes_no_structure),
    TEST(test_items_on_a_line_have_one_side),
    TEST(test_items_outside_the_world_are_kept_found_and_counted),
    TEST(test_all_removed_is_the_start),
    TEST(test_a_pool_without_nodes_leaves_cells_whole),
    TEST(test_wrong_boxes_are_refused),
    TEST(test_boxes_fill_their_capacity),
    TEST(test_pairs_are_written_whole_while_they_fit),
    TEST(test_an_octree_allocates_only_when_it_is_created),
    TEST(test_searches_of_boxes_visit_no_more_than_they_must),
    TEST(test_looseness_frees_small_items_at_the_center),
    TEST(test_a_snapshot_of_boxes_checks_what_it_takes),
    {NULL, NULL, false},
};
