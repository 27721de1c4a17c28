/* Quadtree and octree. */

#include "../boxes.h"
#include "../inputs.h"
#include "unit.h"

#include "../../../c/base/snapshot.h"
#include "../../../c/boxes/octree.h"

static copse_octree *octree_of(copse_octree_def def) {
  copse_octree *tree;
  CHECK(copse_octree_create(&def, &tree) == COPSE_OK);
  return tree;
}

/* Returns a definition whose world is 0 … 16 on each axis. */
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
  CHECK(copse_octree_add(tree, (float[]){minX, minY, maxX, maxY}, &slot) == COPSE_OK);
  CHECK(copse_octree_validate(tree));
  return slot;
}

static uint64_t changes_of(const copse_octree *tree) { return copse_octree_stats(tree).changes; }

static void test_boxes_agree_with_a_list(void) {
  enum { SEQUENCES = 12000, MOST = 6000 };
  uint32_t state = 7;
  for (uint32_t sequence = 0; sequence < repeats(SEQUENCES); sequence++) {
    uint8_t bytes[MOST];
    const uint32_t size = sequence % 16 ? 1000 : MOST;
    for (uint32_t i = 0; i < size; i++) bytes[i] = (uint8_t)(random_word(&state) >> 8);
    const char *wrong = play_boxes(bytes, size);
    if (wrong) printf("sequence %u: %s\n", sequence, wrong);
    CHECK(!wrong);
  }
}

/* Boxes and points whose corners are the points of a spread, in a world between two of them. */
static void test_boxes_agree_with_a_list_on_every_spread(void) {
  enum { CORNERS = 4 * BOXES, QUESTIONS = 6 };
  static float points[3 * CORNERS];
  static box_list list;
  uint32_t state = 11;
  for (int spread = 0; spread < 2 * INPUTS; spread++)
    for (uint32_t dim = 2; dim <= 3; dim++) {
      const size_t bytes = dim * sizeof(float);
      copse_octree_def def = sixteen(dim, 1 + random_word(&state) % 6, random_word(&state) % 25);
      def.capacity = BOXES;
      def.looseness = random_word(&state) % 2 ? 1 : 1.5f;
      fill_input(points, spread / 2, CORNERS, dim, spread % 2);
      for (uint32_t axis = 0; axis < dim; axis++) {
        const float a = points[axis], b = points[CORNERS / 2 * dim + axis];
        def.bounds[axis] = fminf(a, b);
        def.bounds[dim + axis] = a != b ? fmaxf(a, b) : a + 1;
      }
      copse_octree *tree = octree_of(def);
      list = (box_list){.dimensions = dim, .groups = copse_octree_groups(tree)};
      for (uint32_t id = 0; id < BOXES; id++) {
        const float *corner = points + (size_t)id * dim;
        const float *other = corner + (id % 3 ? (size_t)BOXES * dim : 0);
        for (uint32_t axis = 0; axis < dim; axis++) {
          list.boxes[id][axis] = fminf(corner[axis], other[axis]);
          list.boxes[id][dim + axis] = fmaxf(corner[axis], other[axis]);
        }
        memcpy(copse_octree_boxes(tree) + 2 * dim * id, list.boxes[id], 2 * bytes);
        list.used[id] = true;
      }
      CHECK(copse_octree_load(tree, BOXES, NULL) == COPSE_OK && copse_octree_validate(tree));
      for (uint32_t id = 0; id < BOXES; id++) {
        copse_octree_groups(tree)[id] = random_word(&state) % 5;
        if (id % 7 != 6) continue;
        CHECK(copse_octree_remove(tree, id) == COPSE_OK);
        list.used[id] = false;
      }
      for (int i = 0; i < QUESTIONS; i++) {
        box_question question = {.query = copse_query_default(), .k = random_word(&state) % 20};
        const float *one = list.boxes[random_word(&state) % BOXES];
        memcpy(question.center, points + random_word(&state) % CORNERS * dim, bytes);
        memcpy(question.to, points + random_word(&state) % CORNERS * dim, bytes);
        memcpy(question.lo, one, bytes);
        memcpy(question.hi, one + dim, bytes);
        question.radius = sqrtf(box_distance2(&list, one, question.center));
        if (random_word(&state) % 3 == 0) question.radius = nextafterf(question.radius, 0);
        if (random_word(&state) % 2) question.query.mask = random_word(&state) % 8;
        if (random_word(&state) % 2) question.query.exclude = random_word(&state) % BOXES;
        if (random_word(&state) % 2) question.query.maxDistance = question.radius;
        if (random_word(&state) % 2) question.query.inflate = question.radius / 3;
        const char *wrong = compare_boxes(tree, &list, &question);
        if (!wrong) wrong = compare_box_batches(tree, &list, &question);
        if (wrong) printf("spread %d in %uD: %s\n", spread, dim, wrong);
        CHECK(!wrong);
      }
      copse_octree_destroy(tree);
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

/* A box that ends on a dividing line is below it. A box or point that begins there is above. */
static void test_items_on_a_dividing_line_belong_to_one_side(void) {
  static const struct {
    float box[4], cell; /* the minimum x of its cell; -1: it straddles */
  } CASES[] = {{{7, 1, 8, 2}, 0},  {{8, 1, 9, 2}, 8},   {{8, 1, 8, 1}, 8},
               {{7, 1, 9, 2}, -1}, {{8, 1, 8, 2}, 8},   {{-9, 1, 8, 2}, 0},
               {{0, 1, 0, 1}, 0},  {{16, 1, 16, 1}, 8}, {{20, 1, 90, 2}, 8}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    for (int moved = 0; moved < 2; moved++) {
      copse_octree *tree = octree_of(sixteen(2, 0, 1));
      float cells[5 * 6], begin = -1;
      uint32_t slot;
      const float *first = moved ? (float[]){12, 12, 13, 13} : CASES[i].box;
      CHECK(copse_octree_add(tree, first, &slot) == COPSE_OK);
      if (moved) CHECK(copse_octree_move(tree, slot, CASES[i].box) == COPSE_OK);
      CHECK(copse_octree_validate(tree) && copse_octree_cells(tree, 0, cells, 30) == 30);
      for (int cell = 1; cell < 5; cell++)
        if (cells[6 * cell + 5] == 1) begin = cells[6 * cell];
      CHECK(begin == CASES[i].cell);
      CHECK(copse_octree_stats(tree).straddlers == (begin < 0));
      CHECK(copse_octree_remove(tree, slot) == COPSE_OK && copse_octree_validate(tree));
      CHECK(copse_octree_stats(tree).nodes == 1); /* it was removed from its cell */
      copse_octree_destroy(tree);
    }
}

static void test_cells_are_written_whole_while_they_fit(void) {
  copse_octree *tree = octree_of(sixteen(2, 0, 1));
  add_box(tree, 1, 1, 2, 2);
  float whole[30], cells[31];
  CHECK(copse_octree_cells(tree, 0, whole, 30) == 30);
  for (size_t capacity = 0; capacity <= 30; capacity++) {
    const size_t written = capacity / 6 * 6;
    cells[written] = 42;
    CHECK(copse_octree_cells(tree, 0, cells, capacity) == 30 && cells[written] == 42);
    CHECK(memcmp(cells, whole, written * sizeof *cells) == 0);
  }
  for (size_t skipped = 0; skipped < 30; skipped += 6) {
    CHECK(copse_octree_cells(tree, skipped, cells, 11) == 30);
    CHECK(memcmp(cells, whole + skipped, 6 * sizeof *cells) == 0);
  }
  copse_octree_destroy(tree);
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

static uint32_t found_within(const copse_octree *tree, float x, float y, float radius) {
  uint32_t total = COPSE_NONE;
  copse_octree_count_within(tree, (float[]){x, y, 0}, radius, NULL, &total, NULL);
  return total;
}

static void test_boxes_at_the_coordinate_limits_work(void) {
  const float huge = COPSE_MAX_COORDINATE, beyond = nextafterf(huge, INFINITY);
  copse_octree_def def = sixteen(2, 1, COPSE_OCTREE_MAX_DEPTH);
  for (int side = 0; side < 4; side++) def.bounds[side] = side < 2 ? -huge : huge;
  copse_octree *tree = octree_of(def);
  for (int corner = 0; corner < 4; corner++) {
    const float x = corner % 2 ? huge : -huge, y = corner / 2 ? huge : -huge;
    add_box(tree, x, y, x, y);
    add_box(tree, nextafterf(x, 0), nextafterf(y, 0), nextafterf(x, 0), nextafterf(y, 0));
  }
  const uint32_t world = add_box(tree, -huge, -huge, huge, huge);
  CHECK(copse_octree_stats(tree).outside == 0 && copse_octree_stats(tree).unsplit == 0);
  CHECK(found_within(tree, huge, -huge, 0) == 2 && found_within(tree, 0, 0, 0) == 1);
  CHECK(found_within(tree, -huge, -huge, INFINITY) == 9);
  CHECK(found_within(tree, -huge, -huge, 2e18f) == 7); /* the opposite corner is farther */
  uint32_t slot;
  float distance2;
  copse_query others = copse_query_default();
  others.exclude = world;
  CHECK(copse_octree_nearest(tree, (float[]){0, -huge}, &others, &slot, &distance2, NULL) ==
        COPSE_OK);
  CHECK(slot == 1 && distance2 < INFINITY);
  for (int side = 0; side < 4; side++) {
    float box[] = {-huge, -huge, huge, huge};
    box[side] = side < 2 ? -beyond : beyond;
    CHECK(copse_octree_add(tree, box, &slot) == COPSE_NOT_FINITE);
    memcpy(def.bounds, box, sizeof box);
    copse_octree *none;
    CHECK(copse_octree_create(&def, &none) == COPSE_INVALID_ARGUMENT);
  }
  copse_octree_destroy(tree);
}

static void test_denormal_boxes_and_signed_zeros_work(void) {
  const float least = 1e-45f, small = 1e-20f;
  copse_octree_def def = sixteen(2, 1, COPSE_OCTREE_MAX_DEPTH);
  for (int side = 0; side < 4; side++) def.bounds[side] = side < 2 ? -8 * least : 8 * least;
  for (int world = 0; world < 2; world++) {
    copse_octree *tree = octree_of(world ? sixteen(2, 1, 4) : def);
    add_box(tree, 0, 0, -0.0f, -0.0f);
    add_box(tree, -0.0f, -0.0f, 0, 0);
    add_box(tree, least, 0, least, least);
    add_box(tree, -least, -least, -least, least);
    add_box(tree, small, small, small, small);
    for (int sign = 0; sign < 2; sign++) {
      const float zero = sign ? -0.0f : 0;
      uint32_t ids[5];
      copse_results out = {ids, NULL, 5, 0, 0};
      copse_query byId = copse_query_default();
      byId.sort = COPSE_SORT_ID;
      CHECK(copse_octree_range(tree, (float[]){zero, zero}, (float[]){-zero, zero}, &byId, &out) ==
            COPSE_OK);
      CHECK(out.total == 2 && ids[0] == 0 && ids[1] == 1);
      CHECK(found_within(tree, zero, zero, zero) == 4); /* the squares underflow */
    }
    CHECK(found_within(tree, 0, small, 0) == 0 && found_within(tree, 0, small, small) == 5);
    CHECK(found_within(tree, 0, small, 0.9f * small) == 0);
    copse_octree_destroy(tree);
  }
}

static void test_octrees_of_no_box_and_of_one_work(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
    copse_octree *tree = octree_of(sixteen(dimensions, 0, 6));
    for (uint32_t items = 0; items < 2; items++) {
      const float lo[3] = {0}, hi[3] = {16, 16, 16}, point[6] = {5, 5, 5, 5, 5, 5};
      uint32_t id;
      float distance2;
      copse_results out = {&id, &distance2, 1, 0, 0};
      CHECK(copse_octree_range(tree, lo, hi, NULL, &out) == COPSE_OK && out.total == items);
      CHECK(copse_octree_neighbors(tree, lo, 7, NULL, &out) == COPSE_OK && out.total == items);
      CHECK(copse_octree_pairs(tree, NULL, &out) == COPSE_OK && out.total == 0);
      CHECK(copse_octree_nearest(tree, lo, NULL, &id, NULL, NULL) == COPSE_OK);
      CHECK(id == (items ? 0 : COPSE_NONE) && found_within(tree, 5, 5, INFINITY) == items);
      const copse_octree_statistics stats = copse_octree_stats(tree);
      CHECK(stats.items == items && stats.straddlers == 0 && copse_octree_validate(tree));
      CHECK(stats.depth == (items ? 6 : 0) && copse_octree_move_all(tree, NULL) == COPSE_OK);
      CHECK(copse_octree_load(tree, items, NULL) == COPSE_OK);
      if (!items) CHECK(copse_octree_add(tree, point, &id) == COPSE_OK);
    }
    copse_octree_destroy(tree);
  }
}

/* Wherever the items are, none is deeper than maxDepth, and none is lost. */
static void test_no_input_makes_an_octree_deeper_than_max_depth(void) {
  enum { N = 3000 };
  static float points[3 * N];
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (int input = 0; input < INPUTS; input++)
      for (int loaded = 0; loaded < 2; loaded++) {
        copse_octree_def def = sixteen(dimensions, 2, input % 2 ? COPSE_OCTREE_MAX_DEPTH : 8);
        def.capacity = N;
        copse_octree *tree = octree_of(def);
        fill_input(points, input, N, dimensions, true);
        float *boxes = copse_octree_boxes(tree);
        for (uint32_t i = 0; i < N; i++) {
          float box[6];
          memcpy(box, points + i * dimensions, dimensions * sizeof *box);
          memcpy(box + dimensions, box, dimensions * sizeof *box);
          uint32_t slot;
          if (loaded)
            memcpy(boxes + (size_t)i * 2 * dimensions, box, 2 * dimensions * sizeof *box);
          else
            CHECK(copse_octree_add(tree, box, &slot) == COPSE_OK && slot == i);
        }
        if (loaded) CHECK(copse_octree_load(tree, N, NULL) == COPSE_OK);
        const copse_octree_statistics stats = copse_octree_stats(tree);
        uint32_t total;
        CHECK(stats.depth <= def.maxDepth && copse_octree_validate(tree));
        CHECK(stats.items == N && stats.nodes <= tree->nodeCapacity);
        copse_octree_count_within(tree, points, INFINITY, NULL, &total, NULL);
        CHECK(total == N);
        for (uint32_t i = 0; i < N; i += 97) {
          copse_octree_count_within(tree, points + i * dimensions, 0, NULL, &total, NULL);
          CHECK(total >= 1);
        }
        copse_octree_destroy(tree);
      }
}

static void test_invalid_queries_of_boxes_are_refused(void) {
  copse_octree *tree = octree_of(sixteen(2, 4, 4));
  add_box(tree, 1, 1, 2, 2);
  uint32_t ids[4] = {99, 99, 99, 99}, total;
  float distances2[4];
  bool any;
  copse_results out = {ids, distances2, 4, 0, 0};
  copse_box_hit hit;
  copse_query query = copse_query_default();
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  const float fine[2] = {3, 3}, less[2] = {3, 2};
  static const float WRONG[] = {NAN, INFINITY, -INFINITY, 1.01e18f};
  static const float RADII[] = {-1, NAN, -INFINITY, -1e-45f};
  for (int i = 0; i < 4; i++) {
    for (int axis = 0; axis < 2; axis++) {
      float p[2] = {3, 3};
      p[axis] = WRONG[i];
      CHECK(copse_octree_within(tree, p, 1, NULL, &out) == refused);
      CHECK(copse_octree_nearest(tree, p, NULL, ids, NULL, NULL) == refused);
      CHECK(copse_octree_neighbors(tree, p, 1, NULL, &out) == refused);
      CHECK(copse_octree_count_within(tree, p, 1, NULL, &total, NULL) == refused);
      CHECK(copse_octree_any_within(tree, p, 1, NULL, &any, NULL) == refused);
      CHECK(copse_octree_raycast(tree, p, fine, NULL, &hit, NULL) == refused);
      CHECK(copse_octree_raycast(tree, fine, p, NULL, &hit, NULL) == refused);
    }
    CHECK(copse_octree_within(tree, fine, RADII[i], NULL, &out) == refused);
    CHECK(copse_octree_count_within(tree, fine, RADII[i], NULL, &total, NULL) == refused);
    CHECK(copse_octree_any_within(tree, fine, RADII[i], NULL, &any, NULL) == refused);
    query.maxDistance = RADII[i];
    CHECK(copse_octree_nearest(tree, fine, &query, ids, NULL, NULL) == refused);
    CHECK(copse_octree_neighbors(tree, fine, 1, &query, &out) == refused);
    const copse_segment_filters filters = {.inflates = RADII + i};
    float fraction;
    copse_query thick = copse_query_default();
    CHECK(copse_octree_raycast_many(tree, (float[4]){0}, 1, NULL, &filters, ids, &fraction) ==
          refused);
    thick.inflate = RADII[i];
    CHECK(copse_octree_raycast(tree, fine, fine, &thick, &hit, NULL) == refused);
    CHECK(copse_octree_raycast_many(tree, fine, 0, &thick, NULL, ids, &fraction) == refused);
  }
  CHECK(copse_octree_range(tree, fine, less, NULL, &out) == refused);
  CHECK(copse_octree_range(tree, (float[]){NAN, 0}, fine, NULL, &out) == refused);
  query = copse_query_default();
  query.sort = COPSE_SORT_DISTANCE;
  CHECK(copse_octree_range(tree, fine, fine, &query, &out) == refused);
  out.capacity = 0;
  CHECK(copse_octree_neighbors(tree, fine, 1, NULL, &out) == refused);
  CHECK(copse_octree_count(tree) == 1 && copse_octree_validate(tree));
  copse_octree_destroy(tree);
}

/* Twelve points at the same distance from the center of the world, and a box that begins there. */
static void test_ties_between_boxes_go_to_the_lower_id(void) {
  copse_octree *tree = octree_of(sixteen(2, 1, 6));
  for (int i = 0; i < 12; i++) {
    const float x = i & 1 ? 7 : 9, y = i & 2 ? 9 : 7;
    add_box(tree, x, y, x, y);
  }
  const float center[2] = {8, 8};
  uint32_t ids[14], nearest;
  float distances2[14];
  for (uint32_t k = 0; k < 15; k++) {
    copse_results out = {ids, distances2, 12, 0, 0};
    CHECK(copse_octree_neighbors(tree, center, k, NULL, &out) == COPSE_OK);
    CHECK(out.total == (k < 12 ? k : 12));
    for (uint32_t i = 0; i < out.total; i++) CHECK(ids[i] == i && distances2[i] == 2);
  }
  copse_query query = copse_query_default();
  query.exclude = 0;
  CHECK(copse_octree_nearest(tree, center, &query, &nearest, NULL, NULL) == COPSE_OK);
  CHECK(nearest == 1 && found_within(tree, 8, 8, 0) == 0);
  /* Radius 0: finds what is exactly there, a side, a corner, or a point. */
  const uint32_t box = add_box(tree, 8, 8, 10, 10);
  CHECK(found_within(tree, 8, 8, 0) == 1 && found_within(tree, 9, 9, 0) == 4);
  CHECK(found_within(tree, 10, 8.5f, 0) == 1 && found_within(tree, 10.001f, 8.5f, 0) == 0);
  CHECK(copse_octree_nearest(tree, center, NULL, &nearest, NULL, NULL) == COPSE_OK);
  CHECK(nearest == box);
  for (uint32_t room = 0; room < 14; room++)
    for (int sorted = 0; sorted < 2; sorted++) {
      for (int i = 0; i < 14; i++) ids[i] = 99, distances2[i] = 99;
      copse_results out = {ids, distances2, room, 0, 0};
      query = copse_query_default();
      query.sort = sorted ? COPSE_SORT_DISTANCE : COPSE_SORT_NONE;
      CHECK(copse_octree_within(tree, center, INFINITY, &query, &out) == COPSE_OK);
      CHECK(out.total == 13 && ids[room] == 99 && distances2[room] == 99);
      for (uint32_t i = 0; i < room; i++) CHECK(ids[i] <= 12 && distances2[i] <= 2);
    }
  float cells[64];
  const size_t floats = copse_octree_cells(tree, 0, NULL, 0);
  for (size_t room = 0; room < 64; room++) {
    for (int i = 0; i < 64; i++) cells[i] = -77;
    CHECK(copse_octree_cells(tree, 0, cells, room) == floats);
    for (size_t i = room - room % 6; i < 64; i++) CHECK(cells[i] == -77 || i < floats);
    if (room < floats) CHECK(cells[room - room % 6] == -77); /* only whole cells */
  }
  copse_octree_destroy(tree);
}

static void test_an_octree_emptied_by_removals_is_as_new(void) {
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (uint32_t leafSize = 0; leafSize < 4; leafSize++) {
      copse_octree *tree = octree_of(sixteen(dimensions, leafSize, 6));
      static float cells[1 << 18], first[1 << 18];
      for (int round = 0; round < 3; round++) {
        uint32_t state = 1, slot;
        for (int i = 0; i < 300; i++) {
          float box[6];
          for (uint32_t axis = 0; axis < dimensions; axis++) {
            box[axis] = (float)(random_word(&state) % 64) / 4;
            box[dimensions + axis] = box[axis] + (float)(random_word(&state) % 8) / 8;
          }
          CHECK(copse_octree_add(tree, box, &slot) == COPSE_OK && slot == (uint32_t)i);
        }
        CHECK(copse_octree_stats(tree).nodes > 1 && copse_octree_stats(tree).unsplit == 0);
        const size_t floats = copse_octree_cells(tree, 0, round ? cells : first, 1 << 18);
        CHECK(floats <= 1 << 18); /* the same cells in every round */
        if (round) CHECK(memcmp(cells, first, floats * sizeof *cells) == 0);
        uint32_t ids[300], total;
        copse_results results = {ids, NULL, 300, 0, 0};
        const float lo[3] = {0}, hi[3] = {17, 17, 17};
        CHECK(copse_octree_range(tree, lo, hi, NULL, &results) == COPSE_OK && results.total == 300);
        copse_octree_count_within(tree, lo, INFINITY, NULL, &total, NULL);
        CHECK(total == 300);
        for (uint32_t i = 0; i < 300; i++)
          CHECK(copse_octree_remove(tree, (i * 7 + (uint32_t)round) % 300) == COPSE_OK);
        const copse_octree_statistics stats = copse_octree_stats(tree);
        CHECK(copse_octree_validate(tree) && stats.items == 0 && stats.nodes == 1);
        CHECK(tree->nodesUsed == 1 && tree->blocksUsed == 0); /* all back in the pools */
      }
      copse_octree_destroy(tree);
    }
}

static void test_cells_stay_undivided_when_the_pool_has_no_nodes(void) {
  copse_octree_def def = sixteen(3, 1, 24);
  def.capacity = 100;
  copse_octree *tree = octree_of(def);
  uint32_t slot;
  for (int i = 0; i < 100; i++) { /* pairs that only the deepest cells would separate */
    const float x = (float)(i / 2) / 4, y = x + (i % 2 ? 1e-6f : 0);
    CHECK(copse_octree_add(tree, (float[]){x, y, x, x, y, x}, &slot) == COPSE_OK);
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

static void test_invalid_boxes_and_definitions_are_refused(void) {
  copse_octree *tree = octree_of(sixteen(2, 4, 4));
  uint32_t slot = add_box(tree, 1, 1, 2, 2), given, bad = 0;
  const float wrong[][4] = {{NAN, 0, 1, 1}, {0, 0, INFINITY, 1}, {0, 0, 1, 2e18f}, {1, 0, 0, 1}};
  for (int i = 0; i < 4; i++) {
    const copse_status status = i < 3 ? COPSE_NOT_FINITE : COPSE_INVALID_ARGUMENT;
    CHECK(copse_octree_add(tree, wrong[i], &given) == status && given == COPSE_NONE);
    CHECK(copse_octree_add_at(tree, 5, wrong[i]) == status && !copse_octree_has(tree, 5));
    CHECK(copse_octree_move(tree, slot, wrong[i]) == status);
    memcpy(copse_octree_boxes(tree), wrong[i], sizeof wrong[i]);
    CHECK(copse_octree_move_all(tree, &bad) == status && bad == slot);
    CHECK(copse_octree_move_all(tree, NULL) == status);
  }
  const float fine[4] = {0, 0, 1, 1};
  float *boxes = copse_octree_boxes(tree);
  for (size_t i = 0; i < 5; i++) memcpy(boxes + 4 * i, fine, sizeof fine);
  boxes[4 * 3 + 2] = NAN;
  boxes[4 * 4] = -INFINITY;
  CHECK(copse_octree_load(tree, 5, &bad) == COPSE_NOT_FINITE && bad == 3); /* the first */
  boxes[4 * 3 + 2] = -1;
  CHECK(copse_octree_load(tree, 5, &bad) == COPSE_INVALID_ARGUMENT && bad == 3);
  CHECK(copse_octree_load(tree, 1001, &bad) == COPSE_FULL);
  CHECK(copse_octree_count(tree) == 1 && found_within(tree, 1.5f, 1.5f, 0) == 1);
  CHECK(copse_octree_add_at(tree, slot, fine) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_octree_add_at(tree, 1000, fine) == COPSE_FULL);
  CHECK(copse_octree_move(tree, 7, fine) == COPSE_STALE_SLOT);
  CHECK(copse_octree_remove(tree, 7) == COPSE_STALE_SLOT);
  CHECK(copse_octree_remove(tree, 1u << 31) == COPSE_STALE_SLOT);
  CHECK(copse_octree_dimensions(tree) == 2);
  CHECK(copse_octree_generations(tree)[slot] == 1 && copse_octree_generations(tree)[5] == 0);
  CHECK(copse_octree_count(tree) == 1 && copse_octree_validate(tree));
  copse_octree_destroy(tree);

  copse_octree_def def = sixteen(2, 4, 4), good = def;
  CHECK(copse_octree_bytes(&def) != 0);
  def.looseness = 0.5f;
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT && !tree);
  def.looseness = NAN;
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_octree_bytes(&def) == 0);
  def = good;
  def.looseness = nextafterf(COPSE_OCTREE_MAX_LOOSENESS, INFINITY);
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT);
  def = good;
  def.bounds[2] = 0;
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT);
  for (uint32_t dim = 0; dim < 5; dim++) {
    def = sixteen(dim == 3 ? 3 : 2, 4, 4);
    def.dimensions = dim;
    CHECK((copse_octree_bytes(&def) == 0) == (dim != 2 && dim != 3));
  }
  def = good;
  def.maxDepth = COPSE_OCTREE_MAX_DEPTH + 1;
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT);
  def = good;
  def.capacity = 0;
  CHECK(copse_octree_create(&def, &tree) == COPSE_INVALID_ARGUMENT);
  def = sixteen(3, 0, COPSE_OCTREE_MAX_DEPTH); /* the largest definition */
  def.capacity = COPSE_MAX_CAPACITY;
  CHECK(copse_octree_bytes(&def) > UINT32_MAX && copse_octree_bytes(&def) < SIZE_MAX);
  def.capacity++;
  CHECK(copse_octree_bytes(&def) == 0);
  def = good;
  def.leafSize = UINT32_MAX;
  CHECK(copse_octree_create(&def, &tree) == COPSE_OK);
  copse_octree_destroy(tree);
  copse_octree_destroy(NULL);
}

static void test_queries_of_boxes_refuse_only_invalid_arguments(void) {
  copse_octree *tree = octree_of(sixteen(2, 4, 4));
  add_box(tree, 1, 1, 2, 2);
  add_box(tree, 3, 3, 4, 4);
  const float good[] = {0, 0}, nan2[] = {0, NAN}, one[] = {1, 1};
  uint32_t ids[4], id = 7, total, visits;
  float distances2[4], distance2;
  bool any;
  copse_query query = copse_query_default(), near = query, sorted = query;
  near.maxDistance = -1;
  sorted.sort = COPSE_SORT_DISTANCE;
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  copse_results out = {ids, distances2, 4, 7, 7}, idsOnly = {ids, NULL, 4, 7, 7};
  copse_results nowhere = {NULL, distances2, 4, 7, 7}, few = {ids, distances2, 1, 7, 7};
  CHECK(copse_octree_within(tree, nan2, 1, NULL, &out) == refused && out.total == 0);
  CHECK(copse_octree_within(tree, good, -1, NULL, &out) == refused);
  CHECK(copse_octree_within(tree, good, 1, NULL, &nowhere) == refused && nowhere.total == 0);
  CHECK(copse_octree_within(tree, good, 1, &sorted, &idsOnly) == refused && idsOnly.total == 0);
  CHECK(copse_octree_range(tree, one, good, NULL, &out) == refused);
  CHECK(copse_octree_range(tree, good, one, &sorted, &out) == refused);
  CHECK(copse_octree_range(tree, good, one, NULL, &nowhere) == refused);
  CHECK(copse_octree_count_within(tree, nan2, 1, NULL, &total, NULL) == refused);
  CHECK(copse_octree_any_within(tree, good, NAN, NULL, &any, NULL) == refused && !any);
  CHECK(copse_octree_pairs(tree, &sorted, &out) == refused);
  CHECK(copse_octree_pairs(tree, NULL, &nowhere) == refused);
  CHECK(copse_octree_nearest(tree, nan2, NULL, &id, NULL, NULL) == refused && id == COPSE_NONE);
  CHECK(copse_octree_nearest(tree, good, &near, &id, NULL, NULL) == refused);
  CHECK(copse_octree_neighbors(tree, nan2, 1, NULL, &out) == refused);
  CHECK(copse_octree_neighbors(tree, good, 1, &near, &out) == refused);
  CHECK(copse_octree_neighbors(tree, good, 2, NULL, &few) == refused);
  CHECK(copse_octree_neighbors(tree, good, 1, NULL, &idsOnly) == refused);
  CHECK(copse_octree_neighbors(tree, good, 1, NULL, &nowhere) == refused);
  CHECK(copse_octree_neighbors(tree, good, 0, NULL, &idsOnly) == COPSE_OK && idsOnly.total == 0);
  uint32_t offsets[2], counts[2];
  const float turned[4] = {1, 1, 2, 0}, without[4] = {0, 0, 1, NAN};
  copse_rows rows = {offsets, counts, ids, 4, 0, false};
  copse_neighbor_rows nears = {counts, ids, distances2};
  CHECK(copse_octree_within_many(tree, nan2, 1, 1, NULL, &rows) == refused);
  CHECK(copse_octree_within_many(tree, good, 1, NAN, NULL, &rows) == refused);
  CHECK(copse_octree_within_many(tree, good, 0, -1, NULL, &rows) == refused);
  CHECK(copse_octree_within_many(tree, good, 1, 1, &sorted, &rows) == refused);
  CHECK(copse_octree_range_many(tree, turned, 1, NULL, &rows) == refused);
  CHECK(copse_octree_range_many(tree, without, 1, NULL, &rows) == refused);
  CHECK(copse_octree_range_many(tree, turned, 0, &sorted, &rows) == refused);
  CHECK(copse_octree_neighbors_many(tree, nan2, 1, 1, NULL, &nears) == refused);
  CHECK(copse_octree_neighbors_many(tree, good, 1, 1, &near, &nears) == refused);
  CHECK(copse_octree_neighbors_many(tree, good, 1, 1, &sorted, &nears) == refused);
  CHECK(copse_octree_raycast_many(tree, without, 1, NULL, NULL, ids, distances2) == refused);
  copse_box_hit hit;
  CHECK(copse_octree_raycast(tree, nan2, good, NULL, &hit, NULL) == refused);
  CHECK(copse_octree_raycast(tree, good, nan2, NULL, &hit, NULL) == refused);
  CHECK(hit.id == COPSE_NONE && hit.fraction == 1);
  CHECK(copse_octree_raycast(tree, good, one, NULL, &hit, NULL) == COPSE_OK);
  CHECK(hit.id == 0 && hit.fraction == 1);

  /* Optional outputs may be NULL. */
  CHECK(copse_octree_nearest(tree, good, NULL, &id, NULL, NULL) == COPSE_OK && id == 0);
  CHECK(copse_octree_nearest(tree, good, NULL, &id, &distance2, &visits) == COPSE_OK);
  CHECK(id == 0 && distance2 == 2 && visits > 0);
  near.maxDistance = 1;
  CHECK(copse_octree_nearest(tree, good, &near, &id, &distance2, NULL) == COPSE_OK);
  CHECK(id == COPSE_NONE && distance2 == INFINITY);
  copse_octree_destroy(tree);
}

static bool is_seen(copse_octree *tree, void *word, uint32_t value) {
  uint32_t before;
  memcpy(&before, word, sizeof before);
  memcpy(word, &value, sizeof value);
  const bool isValid = copse_octree_validate(tree);
  memcpy(word, &before, sizeof before);
  return !isValid && copse_octree_validate(tree);
}

static void test_a_frustum_holds_boxes_that_no_plane_excludes(void) {
  enum { ITEMS = 16 };
  copse_octree_def def = sixteen(3, 2, 4);
  def.capacity = ITEMS;
  copse_octree *tree = octree_of(def);
  uint32_t ids[ITEMS], slot;
  for (uint32_t i = 0; i < ITEMS; i++) { /* a row; the last ones lie outside the world's bounds */
    const float x = (float)(2 * i);
    CHECK(copse_octree_add(tree, (float[]){x, 3, 3, x + 1, 4, 4}, &slot) == COPSE_OK);
  }
  const struct {
    float planes[8];
    uint32_t count, first, total;
  } cases[] = {
      {{1, 0, 0, -7}, 1, 3, 13},                     /* the box from 6 to 7 touches the plane */
      {{-1, 0, 0, 8}, 1, 0, 5},                      /* the box from 8 to 9 touches the plane */
      {{1, 0, 0, -7.25f}, 1, 4, 12},                 /* */
      {{1, 0, 0, -7.25f, -1, 0, 0, 7.75f}, 2, 0, 0}, /* between two boxes */
      {{1, 0, 0, -6.25f, -1, 0, 0, 6.75f}, 2, 3, 1}, /* within one box */
      {{0, 1, 0, -4, 0, 0, -1, 3}, 2, 0, ITEMS},     /* all boxes touch both */
      {{1, 1, 1, -38}, 1, 15, 1},                    /* the farthest corner is 31, 4, 4 */
      {{0, 0, 0, 0}, 1, 0, ITEMS},                   /* no normal: w decides */
      {{0, 0, 0, -1e-45f}, 1, 0, 0},                 /* */
      {{-1e18f, 1e18f, 1e18f, 1e18f}, 1, 0, 5},      /* -x + y + z + 1 >= 0 up to x = 9 */
      {{-1e18f, 0, 0, -1e18f}, 1, 0, 0},             /* */
  };
  copse_query byId = copse_query_default();
  byId.sort = COPSE_SORT_ID;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    copse_results out = {ids, NULL, ITEMS, 0, 0};
    CHECK(copse_octree_frustum(tree, cases[i].planes, cases[i].count, &byId, &out) == COPSE_OK);
    CHECK(out.total == cases[i].total);
    for (uint32_t place = 0; place < out.total; place++)
      CHECK(ids[place] == cases[i].first + place);
  }
  const uint32_t everything = copse_octree_stats(tree).nodes;
  copse_results out = {ids, NULL, ITEMS, 0, 0};
  CHECK(copse_octree_frustum(tree, cases[4].planes, 2, NULL, &out) == COPSE_OK);
  CHECK(0 < out.visits && out.visits < everything);
  copse_octree_destroy(tree);
}

static void test_invalid_frustums_of_boxes_are_refused(void) {
  const float good[8] = {0, 0, 0, 0, 1, 1, 1, 1};
  const float wrong[] = {NAN, INFINITY, -INFINITY, 1.1e18f};
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  copse_octree *flat = octree_of(sixteen(2, 4, 4)), *tree = octree_of(sixteen(3, 4, 4));
  uint32_t ids[4];
  float distances2[4];
  copse_results out = {ids, distances2, 4, 7, 7}, nowhere = {NULL, NULL, 4, 7, 7};
  CHECK(copse_octree_frustum(flat, good, 1, NULL, &out) == refused && out.total == 0);
  CHECK(copse_octree_frustum(tree, good, 0, NULL, &out) == refused);
  CHECK(copse_octree_frustum(tree, good, 2, NULL, &nowhere) == refused);
  for (uint32_t place = 0; place < 8; place++)
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
      float planes[8];
      memcpy(planes, good, sizeof planes);
      planes[place] = wrong[i];
      CHECK(copse_octree_frustum(tree, planes, 2, NULL, &out) == refused);
    }
  copse_query byDistance = copse_query_default();
  byDistance.sort = COPSE_SORT_DISTANCE;
  CHECK(copse_octree_frustum(tree, good, 2, &byDistance, &out) == refused);
  CHECK(copse_octree_frustum(tree, good, 2, NULL, &out) == COPSE_OK && out.total == 0);
  copse_octree_destroy(flat);
  copse_octree_destroy(tree);
}

static void test_validate_detects_damage_in_an_octree(void) {
  for (uint32_t dim = 2; dim <= 3; dim++) {
    copse_octree_def def = sixteen(dim, 1, 4);
    def.capacity = 8;
    copse_octree *tree = octree_of(def);
    const float boxes[][3] = {{1, 1, 1}, {13, 13, 13}, {7.5f, 1, 1}, {5, 5, 5}};
    uint32_t slot;
    for (int i = 0; i < 4; i++) {
      float box[6];
      for (uint32_t axis = 0; axis < dim; axis++) {
        box[axis] = boxes[i][axis];
        box[dim + axis] = box[axis] + 1;
      }
      CHECK(copse_octree_add(tree, box, &slot) == COPSE_OK);
    }
    octree_node *root = tree->nodes, *child = root + root->children;
    octree_block *straddlers = octree_block_at(tree, root->block, (int)dim);
    const uint32_t right = 0x41000000; /* 8, as a float */
    CHECK(copse_octree_validate(tree) && root->own == 1 && child->children);
    CHECK(is_seen(tree, &child->parent, 9));
    CHECK(is_seen(tree, &child->depth, 0));
    CHECK(is_seen(tree, &root->total, 9));
    CHECK(is_seen(tree, &root->own, 0));
    CHECK(is_seen(tree, &tree->def.leafSize, 2));
    CHECK(is_seen(tree, &tree->def.maxDepth, 0));
    CHECK(is_seen(tree, &straddlers->owner, 1));
    CHECK(is_seen(tree, &straddlers->ids[0], 1));
    CHECK(is_seen(tree, &straddlers->ids[0], 7)); /* a free slot */
    CHECK(is_seen(tree, &straddlers->sides[0][1], 0));
    CHECK(is_seen(tree, &straddlers->sides[0][0], right)); /* it would fit a child */
    CHECK(is_seen(tree, &tree->places[2], 5));
    const uint32_t leaf = tree->places[1] / BLOCK_ITEMS;
    CHECK(is_seen(tree, &octree_block_at(tree, leaf, (int)dim)->sides[0][0], 0));
    CHECK(is_seen(tree, &tree->slots.used, 5));
    CHECK(is_seen(tree, &tree->slots.generations[6], 1));
    CHECK(is_seen(tree, &tree->nodesUsed, 1));
    CHECK(is_seen(tree, &tree->nodesEver, 1));
    CHECK(is_seen(tree, &tree->nodeCapacity, 1));
    CHECK(is_seen(tree, &tree->blocksUsed, 1));
    CHECK(is_seen(tree, &tree->blocksEver, 1));
    CHECK(is_seen(tree, &tree->blockCapacity, 1));
    CHECK(!is_seen(tree, &tree->nodeCapacity, tree->nodesEver)); /* just full */
    CHECK(!is_seen(tree, &tree->blockCapacity, tree->blocksEver));
    copse_octree_destroy(tree);
  }
}

static void test_validate_detects_superfluous_blocks(void) {
  copse_octree *tree = octree_of(sixteen(2, 1, 0)); /* one list */
  for (uint32_t i = 0; i <= 2 * BLOCK_ITEMS; i++) add_box(tree, 1, 1, 2, 2);
  tree->nodes[0].own = tree->nodes[0].total = BLOCK_ITEMS; /* the first of its blocks is full */
  octree_block *first = octree_block_at(tree, tree->nodes[0].block, 2);
  for (uint32_t lane = 1; lane < BLOCK_ITEMS; lane++) {
    const uint32_t slot = lane; /* items of other blocks; their places now point here */
    first->ids[lane] = slot;
    tree->places[slot] = tree->nodes[0].block * BLOCK_ITEMS + lane;
    for (int side = 0; side < 4; side++) first->sides[side][lane] = side < 2 ? 1 : 2;
  }
  CHECK(!copse_octree_validate(tree));
  copse_octree_destroy(tree);
}

static void test_boxes_fill_their_capacity(void) {
  copse_octree_def def = sixteen(2, 2, 6);
  def.capacity = 3;
  copse_octree *tree = octree_of(def);
  uint32_t slot;
  for (int i = 0; i < 3; i++) add_box(tree, 1, 1, 2, 2);
  CHECK(copse_octree_add(tree, (float[]){0, 0, 1, 1}, &slot) == COPSE_FULL);
  CHECK(copse_octree_reserve(tree, 2) == COPSE_OK && copse_octree_capacity(tree) == 3);
  CHECK(copse_octree_reserve(tree, 40) == COPSE_OK && copse_octree_capacity(tree) == 40);
  CHECK(copse_octree_reserve(tree, UINT32_MAX) == COPSE_INVALID_ARGUMENT);
  for (int i = 3; i < 40; i++) CHECK(add_box(tree, 1, 1, 2, 2) == (uint32_t)i);
  CHECK(copse_octree_add(tree, (float[]){0, 0, 1, 1}, &slot) == COPSE_FULL);
  uint32_t ids[10] = {0};
  copse_results results = {ids, NULL, 9, 0, 0};
  CHECK(copse_octree_range(tree, (float[]){0, 0}, (float[]){9, 9}, NULL, &results) == COPSE_OK);
  CHECK(results.total == 40 && ids[9] == 0);
  ids[8] = 77;
  CHECK(copse_octree_pairs(tree, NULL, &results) == COPSE_OK);
  CHECK(results.total == 40 * 39 && ids[8] == 77); /* only whole pairs */
  copse_octree_destroy(tree);
}

static void test_pairs_are_written_whole_while_they_fit(void) {
  copse_octree *tree = octree_of(sixteen(2, 2, 6));
  for (int i = 0; i < 6; i++) add_box(tree, 1, 1, 2, 2);
  for (uint32_t capacity = 0; capacity < 32; capacity++) {
    uint32_t *ids =
        malloc(capacity ? capacity * sizeof *ids : 1); /* sanitizers catch a write past it */
    copse_results results = {ids, NULL, capacity, 0, 0};
    CHECK(copse_octree_pairs(tree, NULL, &results) == COPSE_OK && results.total == 30);
    for (uint32_t i = 0; i + 2 <= capacity && i < 30; i += 2) CHECK(ids[i] < ids[i + 1]);
    for (uint32_t i = 2; i + 2 <= capacity && i < 30; i += 2) CHECK(ids[i] >= ids[i - 2]);
    free(ids);
  }
  copse_octree_destroy(tree);
}

static void test_an_octree_allocates_only_in_create_and_reserve(void) {
  for (int failing = 0; failing < 3; failing++) {
    ledger book = {failing, 0};
    copse_octree_def def = sixteen(3, 2, 6);
    def.allocator = ledger_allocator(&book);
    copse_octree *tree;
    const copse_status status = copse_octree_create(&def, &tree);
    CHECK(status == (failing < 2 ? COPSE_OUT_OF_MEMORY : COPSE_OK));
    if (status == COPSE_OK) {
      CHECK(book.bytesHeld == copse_octree_bytes(&def));
      CHECK(copse_octree_stats(tree).bytes == book.bytesHeld);
      uint32_t slot;
      for (int i = 0; i < 500; i++) {
        const float x = (float)(i % 25) / 2, y = (float)(i / 25) / 2;
        CHECK(copse_octree_add(tree, (float[]){x, y, x, x + 1, y, y}, &slot) ==
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
        book.callsLeft = 0; /* save and restore don't allocate */
        CHECK(copse_octree_save(tree, words, sizeof words, &total) == COPSE_OK);
        CHECK(copse_octree_restore(tree, words, total, NULL) == COPSE_OK);
        CHECK(copse_octree_count(tree) == count && copse_octree_validate(tree));
      }
      copse_octree_destroy(tree);
    }
    CHECK(book.bytesHeld == 0);
  }
}

/* Every kind of search. Results don't depend on it; more visits mean slower queries. */
static void test_searches_of_boxes_visit_the_recorded_number_of_nodes(void) {
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
      CHECK(copse_octree_add(tree, box, &slot) == COPSE_OK);
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
    CHECK(visited == MEASURED[round]);
    copse_octree_destroy(tree);
  }
}

static void test_no_frame_of_boxes_allocates(void) {
  enum { N = 100, FRAMES = 10000 };
  for (uint32_t dim = 2; dim <= 3; dim++) {
    ledger book = {-1, 0};
    copse_octree_def def = sixteen(dim, 2, 6);
    def.capacity = N;
    def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
    copse_octree *tree = octree_of(def);
    float *boxes = copse_octree_boxes(tree);
    static uint32_t ids[N * N], words[16 * N];
    static float distances2[N];
    const copse_query query = copse_query_default();
    book.callsLeft = 0; /* the next allocation fails, and is counted */
    for (uint32_t frame = 0; frame < repeats(FRAMES); frame++) {
      for (uint32_t i = 0; i < N * dim; i++) {
        float *lo = &boxes[i / dim * 2 * dim + i % dim];
        lo[0] = (float)((i * 37 + (uint32_t)(frame % 8 ? frame / 8 : frame)) % 61) / 4;
        lo[dim] = lo[0] + (float)(i % 4) / 2;
      }
      if (frame % 64 == 0) copse_octree_clear(tree);
      CHECK((frame % 64 ? copse_octree_move_all(tree, NULL) : copse_octree_load(tree, N, NULL)) ==
            COPSE_OK);
      const uint32_t slot = (uint32_t)frame % N;
      static const float box[] = {3, 4, 5, 6, 7, 8}, *from = box, *to = box + 3;
      uint32_t added;
      CHECK(copse_octree_remove(tree, slot) == COPSE_OK);
      CHECK(copse_octree_add(tree, box, &added) == COPSE_OK && added == slot);
      CHECK(copse_octree_move(tree, slot, box) == COPSE_OK);
      CHECK(copse_octree_remove(tree, slot) == COPSE_OK);
      CHECK(copse_octree_add_at(tree, slot, box) == COPSE_OK);
      copse_results results = {ids, distances2, N, 0, 0}, pairs = {ids, NULL, N * N, 0, 0};
      copse_box_hit hit;
      uint32_t one;
      bool any;
      size_t total;
      CHECK(copse_octree_range(tree, from, to, &query, &results) == COPSE_OK);
      CHECK(copse_octree_within(tree, from, 5, &query, &results) == COPSE_OK);
      CHECK(copse_octree_neighbors(tree, from, 5, &query, &results) == COPSE_OK);
      CHECK(copse_octree_nearest(tree, from, &query, &one, NULL, NULL) == COPSE_OK);
      CHECK(copse_octree_count_within(tree, from, 5, &query, &one, NULL) == COPSE_OK);
      CHECK(copse_octree_any_within(tree, from, 5, &query, &any, NULL) == COPSE_OK);
      CHECK(copse_octree_raycast(tree, from, to, &query, &hit, NULL) == COPSE_OK);
      CHECK(copse_octree_pairs(tree, &query, &pairs) == COPSE_OK && pairs.total > 0);
      CHECK(copse_octree_save(tree, words, sizeof words, &total) == COPSE_OK);
      if (frame % 16 == 0) CHECK(copse_octree_restore(tree, words, total, NULL) == COPSE_OK);
    }
    CHECK(book.callsLeft == 0);
    copse_octree_destroy(tree);
  }
}

/* Returns the distance of a point on a segment from a box. */
static double distance_along(const float *box, const float *from, const float *to, double fraction,
                             uint32_t dim) {
  double sum = 0;
  for (uint32_t axis = 0; axis < dim; axis++) {
    const double x = (double)from[axis] + fraction * ((double)to[axis] - (double)from[axis]);
    const double outside = fmax(fmax((double)box[axis] - x, x - (double)box[dim + axis]), 0);
    sum += outside * outside;
  }
  return sqrt(sum);
}

/* A thick ray hits a box where its distance from the box falls to the radius, and not before. Its
 * normal points from the nearest point of the box. */
static void test_thick_rays_touch_rounded_boxes(void) {
  uint32_t state = 5, hits = 0;
  for (uint32_t i = 0; i < repeats(20000); i++) {
    const uint32_t dim = 2 + i % 2;
    copse_octree_def def = sixteen(dim, 4, 8);
    float box[6], ends[2][3] = {{0}};
    uint32_t slot;
    copse_box_hit hit;
    copse_query query = copse_query_default();
    for (uint32_t axis = 0; axis < dim; axis++) {
      box[axis] = (float)(random_word(&state) % 64) / 4;
      box[dim + axis] = box[axis] + (float)(random_word(&state) % 9);
      for (int end = 0; end < 2; end++)
        ends[end][axis] = (float)(random_word(&state) % 128) / 4 - 8;
      if (random_word(&state) % 4 == 0) ends[1][axis] = ends[0][axis];
    }
    query.inflate = (float)(1 + random_word(&state) % 40) / 8;
    def.capacity = 1;
    copse_octree *tree = octree_of(def);
    CHECK(copse_octree_add(tree, box, &slot) == COPSE_OK);
    CHECK(copse_octree_raycast(tree, ends[0], ends[1], &query, &hit, NULL) == COPSE_OK);
    const double radius = (double)query.inflate, near = 1e-5;
    double least = INFINITY;
    for (int step = 0; step <= 64; step++) {
      const double fraction = (double)step / 64;
      const double distance = distance_along(box, ends[0], ends[1], fraction, dim);
      if (hit.id == COPSE_NONE || fraction < (double)hit.fraction) least = fmin(least, distance);
    }
    CHECK(least >= radius - near);
    if (hit.id == 0) {
      hits++;
      const double fraction = (double)hit.fraction;
      const double distance = distance_along(box, ends[0], ends[1], fraction, dim);
      CHECK(fraction > 0 ? fabs(distance - radius) < near : distance <= radius);
      double length2 = 0, apart = 0;
      for (uint32_t axis = 0; axis < dim; axis++) {
        const double x =
            (double)ends[0][axis] + fraction * ((double)ends[1][axis] - (double)ends[0][axis]);
        const double inside = fmin(fmax(x, (double)box[axis]), (double)box[dim + axis]);
        const double normal = (double)hit.normal[axis];
        length2 += normal * normal;
        apart = fmax(apart, fabs(x - inside - radius * normal));
      }
      CHECK(fraction > 0 ? fabs(length2 - 1) < near && apart < near : length2 == 0);
    }
    copse_octree_destroy(tree);
  }
  CHECK(hits > repeats(20000) / 10);
}

/* At the scale of the world, at tiny radii and at an infinite one. */
static void test_thick_rays_at_extremes(void) {
  copse_octree *tree = octree_of(sixteen(2, 4, 8));
  copse_query query = copse_query_default();
  copse_box_hit hit;
  uint32_t slot;
  CHECK(copse_octree_add(tree, (float[]){2, 2, 4, 4}, &slot) == COPSE_OK);
  const float from[] = {-1e18f, 3}, to[] = {1e18f, 3}, above[] = {8, 9};
  for (float radius = 1e-40f; radius < 1; radius *= 1e5f) {
    query.inflate = radius;
    CHECK(copse_octree_raycast(tree, (float[]){-7, 3}, (float[]){9, 3}, &query, &hit, NULL) ==
          COPSE_OK);
    CHECK(hit.id == 0 && hit.fraction <= 0.5625f && hit.normal[0] == -1 && hit.normal[1] == 0);
    CHECK(copse_octree_raycast(tree, from, to, &query, &hit, NULL) == COPSE_OK);
    CHECK(hit.id == 0 && hit.fraction == 0.5f && hit.normal[0] == -1 && hit.normal[1] == 0);
  }
  query.inflate = 5; /* touches the top */
  CHECK(copse_octree_raycast(tree, (float[]){-9, 9}, (float[]){9, 9}, &query, &hit, NULL) ==
        COPSE_OK);
  CHECK(hit.id == 0 && hit.normal[0] == 0 && hit.normal[1] == 1);
  query.inflate = 4.999f;
  CHECK(copse_octree_raycast(tree, (float[]){-9, 9}, (float[]){9, 9}, &query, &hit, NULL) ==
        COPSE_OK);
  CHECK(hit.id == COPSE_NONE && hit.fraction == 1);
  query.inflate = INFINITY;
  for (int i = 0; i < 2; i++) {
    CHECK(copse_octree_raycast(tree, above, i ? above : from, &query, &hit, NULL) == COPSE_OK);
    CHECK(hit.id == 0 && hit.fraction == 0 && hit.normal[0] == 0 && hit.normal[1] == 0);
  }
  copse_octree_destroy(tree);
}

/* -0 and 0 are the same coordinate: a segment between them does not move on that axis. */
static void test_thick_rays_between_zeros(void) {
  copse_octree *tree = octree_of(sixteen(2, 4, 8));
  copse_query query = copse_query_default();
  copse_box_hit hit;
  uint32_t slot;
  CHECK(copse_octree_add(tree, (float[]){2, 1, 4, 5}, &slot) == COPSE_OK);
  query.inflate = 2;
  for (int signs = 0; signs < 4; signs++) {
    const float from[] = {1, signs & 1 ? -0.0f : 0}, to[] = {9, signs & 2 ? -0.0f : 0};
    CHECK(copse_octree_raycast(tree, from, to, &query, &hit, NULL) == COPSE_OK);
    CHECK(hit.id == 0 && hit.fraction < 0.125f);
  }
  copse_octree_destroy(tree);
}

/* Wherever the world is, children reach over its center by a share of their own size. */
static void test_looseness_is_relative_to_the_cell_size(void) {
  copse_octree_def def = copse_octree_default();
  def.capacity = 8;
  def.leafSize = 1;
  def.looseness = 1.5f;
  for (int axis = 0; axis < 2; axis++) {
    def.bounds[axis] = 8;
    def.bounds[2 + axis] = 24;
  }
  for (int over = 0; over < 2;
       over++) { /* over the center by 2, as far as a child reaches, or by more */
    copse_octree *tree = octree_of(def);
    const float boxes[2][4] = {{14 - (float)over, 17, 20, 18}, {9, 9, 10, 10}};
    uint32_t slot;
    for (int i = 0; i < 2; i++) CHECK(copse_octree_add(tree, boxes[i], &slot) == COPSE_OK);
    CHECK(copse_octree_stats(tree).straddlers == (uint32_t)over && copse_octree_validate(tree));
    copse_octree_destroy(tree);
  }
}

static void test_looseness_lets_small_items_at_the_center_into_children(void) {
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
    CHECK(found_within(tree, 8, 8, 0.65f) == 2 && found_within(tree, 8, 8, INFINITY) == 16);
    copse_octree_destroy(tree);
  }
  CHECK(straddlers[0] == 16 && straddlers[1] == 0);
}

static void test_forged_snapshots_of_boxes_are_refused(void) {
  copse_octree *tree = octree_of(sixteen(2, 1, 4));
  for (int i = 0; i < 9; i++) add_box(tree, (float)i, 1, (float)i + 1, 2);
  copse_octree_remove(tree, 4);
  static uint32_t words[500], forged[500];
  size_t total, same;
  CHECK(copse_octree_save(tree, words, 10, &total) == COPSE_FULL);
  CHECK(copse_octree_save(tree, words, sizeof words, &total) == COPSE_OK);
  const size_t head = total / 4 - 8 * 5 - 9 * 2; /* in words; then 9 slots and 8 items */
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
    CHECK(copse_octree_restore(tree, forged, total, NULL) == COPSE_BAD_SNAPSHOT);
    CHECK(copse_octree_save(tree, forged, sizeof forged, &same) == COPSE_OK && same == total);
    CHECK(memcmp(words, forged, total) == 0);
  }
  for (size_t bit = 0; bit < total * 8; bit++) {
    memcpy(forged, words, total);
    forged[bit / 32] ^= 1u << bit % 32;
    CHECK(copse_octree_restore(tree, forged, total, NULL) == COPSE_BAD_SNAPSHOT);
  }
  for (size_t size = 0; size < total + 16; size++)
    if (size != total) CHECK(copse_octree_restore(tree, words, size, NULL) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_octree_save(tree, forged, sizeof forged, &same) == COPSE_OK && same == total);
  CHECK(memcmp(words, forged, total) == 0 && copse_octree_validate(tree));
  copse_octree_def def = sixteen(2, 1, 4);
  def.capacity = 8;
  copse_octree *small = octree_of(def);
  CHECK(copse_octree_restore(small, words, total, NULL) == COPSE_FULL);
  copse_octree_destroy(small);
  def = sixteen(2, 2, 4);
  copse_octree *other = octree_of(def);
  CHECK(copse_octree_restore(other, words, total, NULL) == COPSE_BAD_SNAPSHOT);
  for (size_t size = 0; size < total; size += 3)
    CHECK(copse_octree_restore(tree, words, size, NULL) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_octree_restore(other, (char *)words + 1, total - 4, NULL) == COPSE_INVALID_ARGUMENT);
  copse_octree_destroy(other);
  copse_octree_destroy(tree);
}

/* More areas than are sorted at a time, and more items near each other than are gathered. */
static void test_rows_of_many_areas_are_those_of_single_queries(void) {
  enum { ITEMS = 3000, AREAS = 5000, ROOM = 2000000 };
  static float areas[6 * AREAS];
  static uint32_t offsets[AREAS], counts[AREAS], ids[ROOM], single[ITEMS];
  for (uint32_t dim = 2; dim <= 3; dim++) {
    copse_octree_def def = copse_octree_default();
    def.dimensions = dim;
    def.capacity = ITEMS;
    for (uint32_t axis = 0; axis < dim; axis++) {
      def.bounds[axis] = 0;
      def.bounds[dim + axis] = 100;
    }
    copse_octree *tree;
    CHECK(copse_octree_create(&def, &tree) == COPSE_OK);
    uint32_t state = 5;
    for (uint32_t i = 0; i < ITEMS + AREAS; i++) {
      const bool isItem = i < ITEMS;
      float *box = isItem ? copse_octree_boxes(tree) + 2 * dim * i : areas + 2 * dim * (i - ITEMS);
      const float crowd = i % 3 ? 1 : 0.125f, size = i % 500 == 7 ? 90 : isItem ? 2 : 6;
      for (uint32_t axis = 0; axis < dim; axis++) {
        box[axis] = crowd * (float)(random_word(&state) % 100);
        box[dim + axis] = box[axis] + size;
      }
    }
    CHECK(copse_octree_load(tree, ITEMS, NULL) == COPSE_OK);
    for (uint32_t id = 0; id < ITEMS; id++) copse_octree_groups(tree)[id] = 1u << id % 3;
    copse_query query = copse_query_default();
    query.mask = 3;
    query.exclude = 5;
    copse_rows rows = {offsets, counts, ids, ROOM, 0, false};
    CHECK(copse_octree_range_many(tree, areas, AREAS, &query, &rows) == COPSE_OK);
    uint64_t total = 0;
    for (uint32_t i = 0; i < AREAS; i++) {
      const float *area = areas + 2 * dim * i;
      copse_results results = {single, NULL, ITEMS, 0, 0};
      CHECK(copse_octree_range(tree, area, area + dim, &query, &results) == COPSE_OK);
      CHECK(results.total == counts[i]);
      CHECK(memcmp(single, ids + offsets[i], counts[i] * sizeof *ids) == 0);
      total += counts[i];
    }
    CHECK(rows.total == total && !rows.truncated && total > 10 * AREAS);
    copse_octree_destroy(tree);
  }
}

const unit_test OCTREE_TESTS[] = {
    TEST(test_boxes_agree_with_a_list),
    TEST(test_boxes_agree_with_a_list_on_every_spread),
    TEST(test_a_move_within_a_cell_changes_no_structure),
    TEST(test_items_on_a_dividing_line_belong_to_one_side),
    TEST(test_cells_are_written_whole_while_they_fit),
    TEST(test_items_outside_the_world_are_kept_found_and_counted),
    TEST(test_boxes_at_the_coordinate_limits_work),
    TEST(test_denormal_boxes_and_signed_zeros_work),
    TEST(test_octrees_of_no_box_and_of_one_work),
    TEST(test_no_input_makes_an_octree_deeper_than_max_depth),
    TEST(test_invalid_queries_of_boxes_are_refused),
    TEST(test_ties_between_boxes_go_to_the_lower_id),
    TEST(test_an_octree_emptied_by_removals_is_as_new),
    TEST(test_cells_stay_undivided_when_the_pool_has_no_nodes),
    TEST(test_invalid_boxes_and_definitions_are_refused),
    TEST(test_queries_of_boxes_refuse_only_invalid_arguments),
    TEST(test_a_frustum_holds_boxes_that_no_plane_excludes),
    TEST(test_invalid_frustums_of_boxes_are_refused),
    TEST(test_validate_detects_damage_in_an_octree),
    TEST(test_validate_detects_superfluous_blocks),
    TEST(test_boxes_fill_their_capacity),
    TEST(test_pairs_are_written_whole_while_they_fit),
    TEST(test_an_octree_allocates_only_in_create_and_reserve),
    TEST(test_searches_of_boxes_visit_the_recorded_number_of_nodes),
    TEST(test_no_frame_of_boxes_allocates),
    TEST(test_thick_rays_touch_rounded_boxes),
    TEST(test_thick_rays_at_extremes),
    TEST(test_thick_rays_between_zeros),
    TEST(test_looseness_is_relative_to_the_cell_size),
    TEST(test_looseness_lets_small_items_at_the_center_into_children),
    TEST(test_forged_snapshots_of_boxes_are_refused),
    TEST(test_rows_of_many_areas_are_those_of_single_queries),
    {NULL, NULL, false},
};
