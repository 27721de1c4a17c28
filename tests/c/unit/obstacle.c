/* Walls: the obstacle tree. */

#include "../walls.h"
#include "unit.h"

#include "../../../c/base/snapshot.h"
#include "../../../c/walls/obstacle.h"

static copse_obstacle *walls_of(uint32_t capacity, uint32_t pieces, uint32_t leafSize) {
  copse_obstacle_def def = copse_obstacle_default();
  def.capacity = capacity;
  def.pieces = pieces;
  def.leafSize = leafSize;
  copse_obstacle *tree;
  CHECK(copse_obstacle_create(&def, &tree) == COPSE_OK);
  return tree;
}

static uint32_t add_wall(copse_obstacle *tree, float x0, float y0, float x1, float y1) {
  uint32_t slot;
  CHECK(copse_obstacle_add(tree, (float[]){x0, y0, x1, y1}, 2, COPSE_SOLID_WINDING, &slot) ==
        COPSE_OK);
  return slot;
}

static uint32_t add_loop(copse_obstacle *tree, const float *points, uint32_t count) {
  uint32_t slot;
  CHECK(copse_obstacle_add(tree, points, count, COPSE_SOLID_WINDING, &slot) == COPSE_OK);
  return slot;
}

static void build_walls(copse_obstacle *tree) {
  CHECK(copse_obstacle_build(tree, NULL) == COPSE_OK && copse_obstacle_validate(tree));
}

static bool sees(const copse_obstacle *tree, float x0, float y0, float x1, float y1, float radius) {
  bool visible;
  CHECK(copse_obstacle_visible(tree, (float[]){x0, y0}, (float[]){x1, y1}, radius, &visible,
                               NULL) == COPSE_OK);
  return visible;
}

static bool inside_walls(const copse_obstacle *tree, float x, float y) {
  bool inside;
  CHECK(copse_obstacle_contains(tree, (float[]){x, y}, &inside, NULL) == COPSE_OK);
  return inside;
}

static copse_obstacle_hit shot(const copse_obstacle *tree, float x0, float y0, float x1, float y1,
                               copse_side side) {
  copse_obstacle_hit hit;
  CHECK(copse_obstacle_raycast(tree, (float[]){x0, y0}, (float[]){x1, y1}, side, &hit, NULL) ==
        COPSE_OK);
  return hit;
}

static uint32_t nearest_wall(const copse_obstacle *tree, float x, float y, copse_side side) {
  copse_obstacle_point wall;
  CHECK(copse_obstacle_nearest(tree, (float[]){x, y}, INFINITY, side, &wall, NULL) == COPSE_OK);
  return wall.edge;
}

static const float SQUARE[] = {2, 2, 6, 2, 6, 6, 2, 6}, CLOCKWISE[] = {0, 0, 0, 8, 8, 8, 8, 0};

static void test_walls_agree_with_a_list(void) {
  enum { SEQUENCES = 8000, MOST = 6000 };
  uint32_t state = 11;
  for (uint32_t sequence = 0; sequence < repeats(SEQUENCES); sequence++) {
    uint8_t bytes[MOST];
    const uint32_t size = sequence % 16 ? 1000 : MOST;
    for (uint32_t i = 0; i < size; i++) bytes[i] = (uint8_t)(random_word(&state) >> 8);
    const char *wrong = play_walls(bytes, size);
    if (wrong) printf("sequence %u: %s\n", sequence, wrong);
    CHECK(!wrong);
  }
}

static void test_edges_without_length_are_dropped_and_counted(void) {
  copse_obstacle *tree = walls_of(40, 0, 1);
  add_loop(tree, (float[]){3, 3, 3, 3, 3, 3}, 3);
  add_wall(tree, 0.0f, 1, -0.0f, 1);
  build_walls(tree);
  CHECK(copse_obstacle_stats(tree).edges == 0 && copse_obstacle_stats(tree).dropped == 5);
  CHECK(sees(tree, 3, 3, 0, 1, 0) && nearest_wall(tree, 3, 3, COPSE_SIDE_BOTH) == COPSE_NONE);
  copse_obstacle_clear(tree);
  add_loop(tree, (float[]){0, 0, 4, 0, 4, 0, 4, 4}, 4);
  build_walls(tree);
  CHECK(copse_obstacle_stats(tree).edges == 3 && copse_obstacle_stats(tree).dropped == 1);
  CHECK(inside_walls(tree, 3, 1) && !inside_walls(tree, 1, 3));
  copse_obstacle_clear(tree);
  /* A boundary with a repeated first vertex is still a boundary. */
  add_loop(tree, (float[]){0, 0, 0, 0, 0, 4, 4, 4, 4, 0}, 5);
  build_walls(tree);
  CHECK(copse_obstacle_stats(tree).dropped == 1);
  CHECK(inside_walls(tree, 9, 9) && !inside_walls(tree, 1, 3));
  copse_obstacle_destroy(tree);
}

static void test_invalid_polygons_are_refused(void) {
  copse_obstacle *tree = walls_of(8, 0, 4);
  const uint32_t square = add_loop(tree, SQUARE, 4);
  build_walls(tree);
  float points[8];
  uint32_t slot = 0, bad = 0;
  for (uint32_t few = 0; few < 2; few++)
    CHECK(copse_obstacle_add(tree, SQUARE, few, few ? COPSE_SOLID_NOWHERE : COPSE_SOLID_WINDING,
                             &slot) == COPSE_INVALID_ARGUMENT &&
          slot == COPSE_NONE);
  static const float WRONG[] = {NAN, INFINITY, -INFINITY, 1.0000001e18f, -3e38f};
  for (int i = 0; i < 5; i++)
    for (int coordinate = 0; coordinate < 8; coordinate++) {
      memcpy(points, SQUARE, sizeof points);
      points[coordinate] = WRONG[i];
      CHECK(copse_obstacle_add(tree, points, 4, COPSE_SOLID_NOWHERE, &slot) == COPSE_NOT_FINITE);
      CHECK(slot == COPSE_NONE && !copse_obstacle_changed(tree));
      CHECK(copse_obstacle_move(tree, square, points, 4) == COPSE_NOT_FINITE);
      CHECK(!copse_obstacle_changed(tree));
      /* A bad vertex in the array: the last build stays in use. */
      float *vertices = copse_obstacle_vertices(tree);
      const float last = vertices[7];
      vertices[coordinate] = vertices[7] = WRONG[i];
      CHECK(copse_obstacle_build(tree, &bad) == COPSE_NOT_FINITE &&
            bad == (uint32_t)coordinate / 2);
      if (coordinate < 7) vertices[7] = last; /* the first of the bad vertices was named */
      CHECK(copse_obstacle_build(tree, NULL) == COPSE_NOT_FINITE);
      size_t total;
      bad = 77;
      CHECK(copse_obstacle_save(tree, NULL, 0, &total, &bad) == COPSE_NOT_FINITE);
      CHECK(bad == (uint32_t)coordinate / 2 && copse_obstacle_validate(tree));
      CHECK(copse_obstacle_save(tree, NULL, 0, &total, NULL) == COPSE_NOT_FINITE);
      CHECK(!sees(tree, 4, 4, 9, 9, 0) && inside_walls(tree, 3, 3));
      vertices[coordinate] = SQUARE[coordinate];
    }
  CHECK(copse_obstacle_size(tree, square) == 4 && copse_obstacle_size(tree, square + 1) == 0);
  CHECK(copse_obstacle_move(tree, square, SQUARE, 3) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_obstacle_move(tree, square, SQUARE, 5) == COPSE_INVALID_ARGUMENT);
  for (uint32_t wrong = 1; wrong < 9; wrong++) {
    CHECK(copse_obstacle_move(tree, wrong, SQUARE, 4) == COPSE_STALE_SLOT);
    CHECK(copse_obstacle_remove(tree, wrong) == COPSE_STALE_SLOT);
    CHECK(copse_obstacle_winding(tree, wrong) == 0 && !copse_obstacle_has(tree, wrong));
  }
  CHECK(copse_obstacle_remove(tree, square) == COPSE_OK);
  CHECK(copse_obstacle_remove(tree, square) == COPSE_STALE_SLOT);
  CHECK(copse_obstacle_generations(tree)[3] == 2 && copse_obstacle_changed(tree));
  CHECK(inside_walls(tree, 3, 3)); /* until the next build */
  build_walls(tree);
  CHECK(!inside_walls(tree, 3, 3) && !copse_obstacle_changed(tree));
  copse_obstacle_destroy(tree);

  static const copse_obstacle_def BAD[] = {{.capacity = 0, .leafSize = 1},
                                           {.capacity = COPSE_MAX_CAPACITY + 1, .leafSize = 1},
                                           {.capacity = UINT32_MAX, .leafSize = 1},
                                           {.capacity = 5, .leafSize = 0},
                                           {.capacity = 5, .leafSize = 1, .pieces = 4},
                                           {.capacity = 5, .leafSize = 1, .pieces = UINT32_MAX}};
  for (int i = 0; i < 6; i++) {
    CHECK(copse_obstacle_create(&BAD[i], &tree) == COPSE_INVALID_ARGUMENT && !tree);
    CHECK(copse_obstacle_bytes(&BAD[i]) == 0);
  }
  copse_obstacle_destroy(NULL);
  tree = walls_of(5, 5, UINT32_MAX);
  add_loop(tree, SQUARE, 4);
  build_walls(tree);
  CHECK(copse_obstacle_stats(tree).leaves == 1 && copse_obstacle_stats(tree).unsplit == 0);
  copse_obstacle_destroy(tree);
}

static void test_walls_fill_their_capacity(void) {
  copse_obstacle *tree = walls_of(9, 0, 1);
  uint32_t slot;
  CHECK(add_loop(tree, SQUARE, 4) == 0 && add_wall(tree, 0, 0, 1, 1) == 4);
  build_walls(tree);
  for (uint32_t many = 4; many < 40; many += 12)
    CHECK(copse_obstacle_add(tree, (float[80]){0}, many, COPSE_SOLID_WINDING, &slot) ==
              COPSE_FULL &&
          slot == COPSE_NONE);
  CHECK(copse_obstacle_used(tree) == 6 && !copse_obstacle_changed(tree));
  CHECK(add_loop(tree, CLOCKWISE, 3) == 6 && copse_obstacle_used(tree) == 9);
  CHECK(copse_obstacle_add(tree, SQUARE, 2, COPSE_SOLID_WINDING, &slot) == COPSE_FULL);
  CHECK(copse_obstacle_reserve(tree, 3) == COPSE_OK && copse_obstacle_capacity(tree) == 9);
  CHECK(copse_obstacle_reserve(tree, UINT32_MAX) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_obstacle_reserve(tree, 20) == COPSE_OK && copse_obstacle_capacity(tree) == 20);
  CHECK(copse_obstacle_changed(tree) && inside_walls(tree, 3, 3)); /* the last build stays */
  CHECK(add_wall(tree, 1, 1, 2, 0) == 9);
  build_walls(tree);
  CHECK(copse_obstacle_stats(tree).edges == 11 && copse_obstacle_stats(tree).polygons == 4);
  copse_obstacle_remove(tree, 4);
  CHECK(add_loop(tree, SQUARE, 3) == 4); /* the lowest free ids, which are not consecutive */
  const uint32_t *next = copse_obstacle_next(tree);
  CHECK(next[4] == 5 && next[5] == 11 && next[11] == 4 && copse_obstacle_polygons(tree)[11] == 4);
  CHECK(copse_obstacle_move(tree, 4, CLOCKWISE, 3) == COPSE_OK);
  CHECK(copse_obstacle_winding(tree, 4) == 1 && copse_obstacle_vertices(tree)[23] == 8);
  build_walls(tree);
  copse_obstacle_destroy(tree);
}

/* Many long segments that cross each other: there is never room for all their pieces. Some cells
 * stay undivided, and all queries find the same as in a list. */
static void test_queries_stay_exact_when_room_for_pieces_runs_out(void) {
  enum { LINES = 200 };
  copse_obstacle *tight = walls_of(2 * LINES, 2 * LINES, 2), *some = walls_of(2 * LINES, 0, 2);
  copse_obstacle *roomy = walls_of(2 * LINES, 80 * LINES, 2), *list = walls_of(2 * LINES, 0, 4000);
  copse_obstacle *trees[] = {tight, some, roomy, list};
  uint32_t state = 5;
  for (int i = 0; i < LINES; i++) {
    float ends[4];
    for (int axis = 0; axis < 2; axis++) {
      ends[axis] = (float)(random_word(&state) % 4096);
      ends[2 + axis] = ends[axis] + (float)(random_word(&state) % 2048) - 1024;
    }
    for (int k = 0; k < 4; k++) add_wall(trees[k], ends[0], ends[1], ends[2], ends[3]);
  }
  for (int k = 0; k < 4; k++) build_walls(trees[k]);
  copse_obstacle_statistics stats[4];
  for (int k = 0; k < 4; k++) stats[k] = copse_obstacle_stats(trees[k]);
  CHECK(stats[0].pieces == 2 * LINES && stats[0].unsplit > 0);
  CHECK(stats[1].pieces <= 4 * LINES && stats[1].unsplit > 0);
  CHECK(stats[1].nodes > stats[0].nodes && stats[2].nodes > stats[1].nodes);
  CHECK(stats[2].pieces <= 80 * LINES && stats[3].nodes == 1);
  for (int i = 0; i < 200; i++) {
    float p[2], q[2], radius = (float)(random_word(&state) % 300);
    for (int axis = 0; axis < 2; axis++) {
      p[axis] = (float)(random_word(&state) % 4096);
      q[axis] = p[axis] + (float)(random_word(&state) % 256) - 128;
    }
    copse_obstacle_point walls[4];
    copse_obstacle_hit hits[4];
    bool visible[4];
    uint32_t ids[4][2 * LINES];
    float distances2[4][2 * LINES];
    copse_results results[4];
    for (int k = 0; k < 4; k++) {
      results[k] = (copse_results){ids[k], distances2[k], 2 * LINES, 0, 0};
      copse_obstacle_nearest(trees[k], p, INFINITY, COPSE_SIDE_BOTH, &walls[k], NULL);
      copse_obstacle_raycast(trees[k], p, q, COPSE_SIDE_VISIBLE, &hits[k], NULL);
      copse_obstacle_visible(trees[k], p, q, 1, &visible[k], NULL);
      copse_obstacle_within(trees[k], p, radius, COPSE_SIDE_VISIBLE, &results[k]);
    }
    for (int k = 0; k < 3; k++) {
      CHECK(!memcmp(&walls[k], &walls[3], sizeof *walls) && visible[k] == visible[3]);
      CHECK(!memcmp(&hits[k], &hits[3], sizeof *hits) && results[k].total == results[3].total);
      CHECK(!memcmp(ids[k], ids[3], results[3].total * sizeof **ids));
    }
  }
  for (int k = 0; k < 4; k++) copse_obstacle_destroy(trees[k]);
}

/* Where edges overlap, queries find the lower id, and a line through them splits none. */
static void test_ties_between_walls_on_a_line_go_to_the_lower_id(void) {
  copse_obstacle *tree = walls_of(64, 0, 1);
  for (int i = 0; i < 8; i++) add_wall(tree, (float)i, 0, (float)i + 2, 0); /* overlapping */
  for (int i = 0; i < 8; i++) add_wall(tree, (float)i + 1, 0, (float)i, 0); /* reversed */
  build_walls(tree);
  CHECK(copse_obstacle_stats(tree).edges == 32);
  CHECK(nearest_wall(tree, 1.5f, 1, COPSE_SIDE_BOTH) == 0);
  CHECK(nearest_wall(tree, 1.5f, -1, COPSE_SIDE_VISIBLE) == 0);
  CHECK(nearest_wall(tree, 1.5f, 1, COPSE_SIDE_VISIBLE) == 1);
  CHECK(nearest_wall(tree, 9, 0, COPSE_SIDE_BOTH) == 14);
  CHECK(nearest_wall(tree, 9, 0, COPSE_SIDE_VISIBLE) == COPSE_NONE);
  CHECK(shot(tree, 4.5f, 3, 4.5f, -3, COPSE_SIDE_BOTH).edge == 6);
  CHECK(shot(tree, 4.5f, 3, 4.5f, -3, COPSE_SIDE_VISIBLE).edge == 7);
  const copse_obstacle_hit along = shot(tree, -2, 0, 6, 0, COPSE_SIDE_BOTH);
  CHECK(along.edge == 0 && along.fraction == 0.25f && along.point[0] == 0);
  CHECK(shot(tree, 11, 0, 7, 0, COPSE_SIDE_BOTH).fraction == 0.5f);
  CHECK(shot(tree, 3, 0, 3, 0, COPSE_SIDE_BOTH).edge == 2);
  CHECK(!sees(tree, -2, 0, 0, 0, 0) && sees(tree, -2, 0, -1, 0, 0.5f));
  CHECK(!sees(tree, -2, 0, -1, 0, 1) && !sees(tree, 4, 1, 4, 1, 1) && sees(tree, 4, 1, 4, 1, 0.9f));
  copse_obstacle_destroy(tree);

  tree = walls_of(64, 0, 1); /* end to end */
  for (int i = 0; i < 16; i++) add_wall(tree, (float)i, (float)i, (float)i + 1, (float)i + 1);
  build_walls(tree);
  CHECK(copse_obstacle_stats(tree).pieces == 32 && copse_obstacle_stats(tree).leaves == 16);
  CHECK(!sees(tree, 0, 5, 5, 0, 0) && !sees(tree, 5, 5, 5, 0, 0) && sees(tree, 0, 1, 15, 16, 0));
  copse_obstacle_destroy(tree);
}

static void test_polygons_that_cross_themselves_work_edge_by_edge(void) {
  copse_obstacle *tree = walls_of(32, 0, 1);
  const uint32_t eight = add_loop(tree, (float[]){0, 0, 4, 4, 4, 0, 0, 4}, 4);
  CHECK(copse_obstacle_winding(tree, eight) == 0);
  build_walls(tree);
  CHECK(!inside_walls(tree, 3.5f, 2) && inside_walls(tree, 0.5f, 2) && inside_walls(tree, 2, 2));
  CHECK(shot(tree, -1, 2, 9, 2, COPSE_SIDE_BOTH).edge == 3);
  copse_obstacle_remove(tree, eight);
  /* Twice around a square, and once the other way in it. */
  const float twice[] = {2, 2, 6, 2, 6, 6, 2, 6, 2, 2, 6, 2, 6, 6, 2, 6};
  CHECK(copse_obstacle_winding(tree, add_loop(tree, twice, 8)) == 1);
  CHECK(copse_obstacle_winding(tree, add_loop(tree, CLOCKWISE, 4)) == -1);
  build_walls(tree);
  CHECK(inside_walls(tree, 4, 4) && !inside_walls(tree, 1, 1) && inside_walls(tree, 9, 1));
  CHECK(inside_walls(tree, 8, 1) && inside_walls(tree, 2, 2));
  copse_obstacle_clear(tree);
  uint32_t slot;
  CHECK(copse_obstacle_add(tree, CLOCKWISE, 4, COPSE_SOLID_NOWHERE, &slot) == COPSE_OK);
  add_wall(tree, 1, 1, 3, 3);
  build_walls(tree);
  CHECK(!inside_walls(tree, 4, 4) && !inside_walls(tree, 9, 9) && !inside_walls(tree, 2, 2));
  CHECK(nearest_wall(tree, 4, 7, COPSE_SIDE_VISIBLE) == 1); /* visible from both sides */
  CHECK(nearest_wall(tree, 4, 9, COPSE_SIDE_VISIBLE) == 1);
  copse_obstacle_destroy(tree);
}

/* Edges so short that their squares underflow in float are still edges. */
static void test_denormal_walls_and_signed_zeros_work(void) {
  const float least = 1e-45f;
  copse_obstacle *tree = walls_of(20, 0, 1);
  const uint32_t wall = add_wall(tree, least, 0, 2 * least, -0.0f);
  add_wall(tree, -0.0f, 3, 0.0f, 3); /* no length */
  const uint32_t box = add_loop(tree, (float[]){0, 0, 4 * least, 0, 4 * least, 4 * least}, 3);
  build_walls(tree);
  CHECK(copse_obstacle_stats(tree).dropped == 2 && copse_obstacle_stats(tree).edges == 5);
  CHECK(copse_obstacle_winding(tree, box) == 1 && copse_obstacle_winding(tree, wall) == 0);
  CHECK(inside_walls(tree, 3 * least, least) && !inside_walls(tree, least, 2 * least));
  CHECK(!sees(tree, 2 * least, -least, 2 * least, least, 0));
  CHECK(sees(tree, -least, -least, 5 * least, -least, 0));
  copse_obstacle_point results;
  for (int sign = 0; sign < 2; sign++) {
    const float p[2] = {sign ? -0.0f : 0, sign ? 0 : -0.0f};
    CHECK(copse_obstacle_nearest(tree, p, 0, COPSE_SIDE_BOTH, &results, NULL) == COPSE_OK);
    CHECK(results.edge == wall && results.distance2 == 0); /* a tie: the lower id */
    CHECK(inside_walls(tree, p[0], p[1]));
  }
  copse_obstacle_destroy(tree);
}

static void test_queries_of_one_wall_are_exact_and_stay_within_their_room(void) {
  copse_obstacle *tree = walls_of(8, 0, 2);
  const uint32_t wall = add_wall(tree, 2, 0, 2, 4);
  build_walls(tree);
  const copse_obstacle_statistics stats = copse_obstacle_stats(tree);
  CHECK(stats.leaves == 1 && stats.depth == 0 && stats.edges == 2 && stats.unsplit == 0);
  static const struct {
    float x, y, radius;
    uint32_t total;
  } CASES[] = {
      {2, 1, 0, 2},      {2, 4, 0, 2},          {2.001f, 1, 0, 0},          {2, 4.001f, 0, 0},
      {0, 0, 2, 2},      {0, 0, 1.999f, 0},     {0, 0, INFINITY, 2},        {5, 8, 5, 2},
      {5, 8, 4.999f, 0}, {-1e18f, 1e18f, 0, 0}, {1e18f, 1e18f, INFINITY, 2}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    for (uint32_t room = 0; room < 4; room++) {
      uint32_t ids[4] = {99, 99, 99, 99};
      float distances2[4] = {99, 99, 99, 99};
      copse_results results = {ids, distances2, room, 0, 0};
      CHECK(copse_obstacle_within(tree, (float[]){CASES[i].x, CASES[i].y}, CASES[i].radius,
                                  COPSE_SIDE_BOTH, &results) == COPSE_OK);
      CHECK(results.total == CASES[i].total);
      for (uint32_t place = 0; place < 4; place++) {
        const bool isWritten = place < room && place < results.total;
        CHECK(ids[place] == (isWritten ? wall + place : 99) &&
              (distances2[place] == 99) == !isWritten);
      }
    }
  CHECK(!sees(tree, 0, 0, 1, 0, INFINITY) && sees(tree, 0, 0, 1, 0, 0));
  for (int i = 1; i < 4; i++) add_wall(tree, (float)i * 9, 0, (float)i * 9, (float)i);
  build_walls(tree);
  float floats[64];
  size_t (*const DRAWN[])(const copse_obstacle *, size_t, float *, size_t) = {copse_obstacle_cells,
                                                                              copse_obstacle_lines};
  for (int which = 0; which < 2; which++) {
    const size_t total = DRAWN[which](tree, 0, NULL, 0), width = which ? 5 : 6;
    CHECK(total > width && total % width == 0 && total < 64);
    for (size_t room = 0; room < 64; room++) {
      for (int i = 0; i < 64; i++) floats[i] = -77;
      const size_t skipped = room % 3 * width, left = total - skipped;
      CHECK(DRAWN[which](tree, skipped, floats, room) == total);
      const size_t written = room < left ? room - room % width : left;
      for (size_t i = 0; i < 64; i++)
        CHECK((floats[i] == -77) == (i >= written)); /* only whole shapes */
    }
  }
  copse_obstacle_destroy(tree);
}

static void check_nothing_is_found(const copse_obstacle *tree) {
  uint32_t ids[1], total = 7;
  float distances2[1], bounds[4];
  copse_corner corners[20];
  copse_results results = {ids, distances2, 1, 7, 7};
  CHECK(copse_obstacle_within(tree, (float[]){0, 0}, INFINITY, COPSE_SIDE_BOTH, &results) ==
        COPSE_OK);
  CHECK(results.total == 0 && nearest_wall(tree, 0, 0, COPSE_SIDE_BOTH) == COPSE_NONE);
  CHECK(sees(tree, -9, -9, 9, 9, 100) && !inside_walls(tree, 0, 0));
  const copse_obstacle_hit hit = shot(tree, 1, 2, 3, 4, COPSE_SIDE_BOTH);
  CHECK(hit.edge == COPSE_NONE && hit.fraction == 1 && hit.point[1] == 4 && hit.normal[0] == 0);
  CHECK(copse_obstacle_visibility(tree, (float[]){0, 0}, (float[]){-1, -1}, (float[]){1, 2},
                                  corners, 20, &total, NULL) == COPSE_OK);
  CHECK(total == 4);
  for (uint32_t i = 0; i < total; i++)
    CHECK(corners[i].edge == COPSE_NONE && fabs(corners[i].x) == 1 &&
          (corners[i].y == -1 || corners[i].y == 2));
  copse_obstacle_bounds(tree, bounds);
  for (int i = 0; i < 4; i++) CHECK(bounds[i] == 0);
  CHECK(copse_obstacle_cells(tree, 0, NULL, 0) == 0 && copse_obstacle_lines(tree, 0, NULL, 0) == 0);
  const copse_obstacle_statistics stats = copse_obstacle_stats(tree);
  CHECK(stats.edges == 0 && stats.nodes == 1 && stats.leaves == 1 && stats.pieces == 0);
  CHECK(copse_obstacle_validate(tree));
}

static void test_without_walls_everything_is_seen(void) {
  copse_obstacle *tree = walls_of(8, 0, 1);
  check_nothing_is_found(tree);
  build_walls(tree);
  check_nothing_is_found(tree);
  const uint32_t slot = add_wall(tree, 1, 1, 2, 2);
  check_nothing_is_found(tree); /* not until the build */
  build_walls(tree);
  CHECK(!sees(tree, 1, 2, 2, 1, 0));
  copse_obstacle_remove(tree, slot);
  build_walls(tree);
  check_nothing_is_found(tree);
  add_loop(tree, SQUARE, 4);
  build_walls(tree);
  copse_obstacle_clear(tree);
  CHECK(copse_obstacle_used(tree) == 0 && !sees(tree, 4, 4, 9, 9, 0));
  build_walls(tree);
  check_nothing_is_found(tree);
  copse_obstacle_destroy(tree);
}

static void test_invalid_queries_of_walls_are_refused(void) {
  copse_obstacle *tree = walls_of(8, 0, 1);
  add_loop(tree, SQUARE, 4);
  build_walls(tree);
  uint32_t ids[8], total;
  float distances2[8], fraction;
  copse_results results = {ids, distances2, 8, 0, 0};
  copse_obstacle_point wall;
  copse_obstacle_hit hit;
  copse_corner corners[64];
  bool result = true;
  const float fine[2] = {4, 4}, lo[2] = {0, 0}, hi[2] = {9, 9};
  static const float WRONG[] = {NAN, INFINITY, -INFINITY, 1.01e18f};
  static const float RADII[] = {-1, NAN, -INFINITY, -1e-45f};
  const copse_status refused = COPSE_INVALID_ARGUMENT;
  for (int i = 0; i < 4; i++) {
    for (int axis = 0; axis < 2; axis++) {
      float p[2] = {4, 4}, segment[8] = {4, 4, 4, 4, 4, 4, 4, 4};
      p[axis] = WRONG[i];
      segment[(i + axis * 5) % 8] = WRONG[i];
      CHECK(copse_obstacle_within(tree, p, 1, COPSE_SIDE_BOTH, &results) == refused);
      CHECK(copse_obstacle_nearest(tree, p, 1, COPSE_SIDE_BOTH, &wall, NULL) == refused);
      CHECK(copse_obstacle_visible(tree, p, fine, 0, &result, NULL) == refused && !result);
      CHECK(copse_obstacle_visible(tree, fine, p, 0, &result, NULL) == refused && !result);
      CHECK(copse_obstacle_raycast(tree, p, fine, COPSE_SIDE_BOTH, &hit, NULL) == refused);
      CHECK(copse_obstacle_raycast(tree, fine, p, COPSE_SIDE_BOTH, &hit, NULL) == refused);
      CHECK(copse_obstacle_raycast_many(tree, segment, 2, COPSE_SIDE_BOTH, ids, &fraction) ==
            refused);
      CHECK(copse_obstacle_contains(tree, p, &result, NULL) == refused && !result);
      CHECK(copse_obstacle_visibility(tree, p, lo, hi, corners, 64, &total, NULL) == refused);
      CHECK(copse_obstacle_visibility(tree, fine, p, hi, corners, 64, &total, NULL) == refused);
      CHECK(copse_obstacle_visibility(tree, fine, lo, p, corners, 64, &total, NULL) == refused);
      float edge[2] = {4, 4}; /* on the border of the box: it is not around the point */
      edge[axis] = i % 2 ? 9 : 0;
      CHECK(copse_obstacle_visibility(tree, edge, lo, hi, corners, 64, &total, NULL) == refused);
    }
    CHECK(copse_obstacle_within(tree, fine, RADII[i], COPSE_SIDE_BOTH, &results) == refused);
    CHECK(copse_obstacle_nearest(tree, fine, RADII[i], COPSE_SIDE_BOTH, &wall, NULL) == refused);
    CHECK(copse_obstacle_visible(tree, fine, hi, RADII[i], &result, NULL) == refused);
  }
  const copse_side strange = (copse_side)2;
  CHECK(copse_obstacle_within(tree, fine, 1, strange, &results) == refused);
  CHECK(copse_obstacle_nearest(tree, fine, 1, strange, &wall, NULL) == refused);
  CHECK(copse_obstacle_raycast(tree, fine, hi, strange, &hit, NULL) == refused);
  CHECK(copse_obstacle_raycast_many(tree, fine, 0, strange, ids, &fraction) == refused);
  CHECK(copse_obstacle_raycast_many(tree, fine, 0, COPSE_SIDE_BOTH, ids, &fraction) == COPSE_OK);
  results.distances2 = NULL;
  CHECK(copse_obstacle_within(tree, fine, 1, COPSE_SIDE_BOTH, &results) == refused);
  copse_obstacle_destroy(tree);
}

static void test_an_obstacle_tree_allocates_only_in_create_and_reserve(void) {
  for (int failing = 0; failing < 3; failing++) {
    ledger book = {failing, 0};
    copse_obstacle_def def = copse_obstacle_default();
    def.allocator = ledger_allocator(&book);
    copse_obstacle *tree;
    const copse_status status = copse_obstacle_create(&def, &tree);
    CHECK(status == (failing < 2 ? COPSE_OUT_OF_MEMORY : COPSE_OK));
    if (status == COPSE_OK) {
      CHECK(book.bytesHeld == copse_obstacle_bytes(&def));
      CHECK(copse_obstacle_stats(tree).bytes == book.bytesHeld);
      book.callsLeft = 0;
      for (int i = 0; i < 400; i++)
        add_wall(tree, (float)(i % 20), (float)(i / 20), (float)(i % 20 + i % 3), (float)i / 18);
      build_walls(tree);
      static copse_corner corners[8000];
      uint32_t total;
      copse_obstacle_visibility(tree, (float[]){0.5f, 0.25f}, (float[]){-9, -9}, (float[]){99, 99},
                                corners, 8000, &total, NULL);
      const uint32_t nearest = nearest_wall(tree, 3.5f, 7.3f, COPSE_SIDE_BOTH);
      CHECK(copse_obstacle_reserve(tree, 5000) == COPSE_OUT_OF_MEMORY);
      CHECK(copse_obstacle_used(tree) == 800 && copse_obstacle_capacity(tree) == 1000);
      CHECK(copse_obstacle_validate(tree) && copse_obstacle_stats(tree).bytes == book.bytesHeld);
      CHECK(nearest_wall(tree, 3.5f, 7.3f, COPSE_SIDE_BOTH) == nearest);
      book.callsLeft = -1;
      CHECK(copse_obstacle_reserve(tree, 5000) == COPSE_OK);
      CHECK(copse_obstacle_stats(tree).bytes == book.bytesHeld);
      CHECK(nearest_wall(tree, 3.5f, 7.3f, COPSE_SIDE_BOTH) == nearest);
      CHECK(copse_obstacle_validate(tree));
      copse_obstacle_destroy(tree);
    }
    CHECK(book.bytesHeld == 0);
  }
}

/* reserve scales the room for pieces, up to the maximum. */
static void test_reserving_the_maximum_capacity_runs_out_of_memory(void) {
  ledger book = {-1, 0};
  copse_obstacle_def def = copse_obstacle_default();
  def.capacity = 2;
  def.pieces = 100;
  def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
  copse_obstacle *tree;
  CHECK(copse_obstacle_create(&def, &tree) == COPSE_OK);
  add_wall(tree, 0, 0, 1, 0);
  build_walls(tree);
  book.callsLeft = 0;
  CHECK(copse_obstacle_reserve(tree, COPSE_MAX_CAPACITY) == COPSE_OUT_OF_MEMORY);
  CHECK(copse_obstacle_reserve(tree, COPSE_MAX_CAPACITY + 1) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_obstacle_capacity(tree) == 2 && copse_obstacle_validate(tree));
  copse_obstacle_destroy(tree);
  CHECK(book.bytesHeld == 0);
}

static void test_no_frame_of_walls_allocates(void) {
  enum { N = 60, FRAMES = 10000 };
  ledger book = {-1, 0};
  copse_obstacle_def def = copse_obstacle_default();
  def.capacity = N;
  def.allocator = (copse_allocator){ledger_allocate, ledger_release, &book};
  copse_obstacle *tree;
  CHECK(copse_obstacle_create(&def, &tree) == COPSE_OK);
  add_loop(tree, (float[]){-1, -1, -1, 17, 17, 17, 17, -1}, 4);
  for (int i = 0; i < 20; i++)
    add_wall(tree, (float)(i % 5 * 3), (float)(i / 5 * 3), (float)(i % 5 * 3 + 2),
             (float)(i / 5 * 3 + i % 3));
  static copse_corner corners[8 * N];
  static uint32_t ids[N], words[16 * N];
  static float distances2[N];
  book.callsLeft = 0; /* the next allocation fails, and is counted */
  for (uint32_t frame = 0; frame < repeats(FRAMES); frame++) {
    const float x = (float)(frame % 61) / 4 + 0.125f, y = (float)(frame % 53) / 4 + 0.0625f;
    const float from[] = {x, y}, to[] = {y, 15 - x}, segments[] = {x, y, 1, 2, y, x, 14, 3};
    const uint32_t door = add_loop(tree, SQUARE, 4);
    CHECK(copse_obstacle_build(tree, NULL) == COPSE_OK);
    CHECK(copse_obstacle_move(tree, door, CLOCKWISE, 4) == COPSE_OK);
    CHECK(copse_obstacle_remove(tree, door) == COPSE_OK);
    copse_obstacle_vertices(tree)[8] = x;
    CHECK(copse_obstacle_build(tree, NULL) == COPSE_OK);
    copse_results results = {ids, distances2, N, 0, 0};
    copse_obstacle_point wall;
    copse_obstacle_hit hit;
    bool is;
    uint32_t count;
    size_t total;
    CHECK(copse_obstacle_visible(tree, from, to, 0, &is, NULL) == COPSE_OK);
    CHECK(copse_obstacle_visible(tree, from, to, 0.5f, &is, NULL) == COPSE_OK);
    CHECK(copse_obstacle_contains(tree, from, &is, NULL) == COPSE_OK);
    CHECK(copse_obstacle_raycast(tree, from, to, COPSE_SIDE_BOTH, &hit, NULL) == COPSE_OK);
    CHECK(copse_obstacle_raycast_many(tree, segments, 2, COPSE_SIDE_BOTH, ids, distances2) ==
          COPSE_OK);
    CHECK(copse_obstacle_nearest(tree, from, INFINITY, COPSE_SIDE_BOTH, &wall, NULL) == COPSE_OK);
    CHECK(copse_obstacle_within(tree, from, 5, COPSE_SIDE_BOTH, &results) == COPSE_OK);
    const uint32_t agents[] = {0, 1, 2, 3};
    const copse_const_positions positions = interleaved(segments, 2);
    CHECK(copse_obstacle_keep_visible(tree, from, &positions, agents, 4, ids) <= 4);
    CHECK(copse_obstacle_visibility(tree, from, (float[]){-9, -9}, (float[]){99, 99}, corners,
                                    8 * N, &count, NULL) == COPSE_OK);
    CHECK(copse_obstacle_save(tree, words, sizeof words, &total, NULL) == COPSE_OK);
    if (frame % 16 == 0) CHECK(copse_obstacle_restore(tree, words, total, NULL) == COPSE_OK);
  }
  CHECK(book.callsLeft == 0);
  copse_obstacle_destroy(tree);
}

static void test_walls_do_not_depend_on_their_history(void) {
  enum { MAZE = 12 };
  copse_obstacle *one = walls_of(800, 0, 3), *other = walls_of(800, 0, 3);
  for (int turn = 0; turn < 2; turn++) {
    copse_obstacle *tree = turn ? other : one;
    if (turn) {
      add_loop(tree, (float[]){900, 900, 0, -900, 5, 5, 7, 1}, 4);
      add_wall(tree, 1e18f, 1, -1e18f, 1e17f);
    } else {
      add_loop(tree, SQUARE, 4);
      add_wall(tree, 1, 0, 1, 9);
    }
    for (int i = 0; i < MAZE * MAZE; i++)
      add_wall(tree, (float)(i % MAZE), (float)(i / MAZE), (float)(i % MAZE + i * 7 % 3 % 2),
               (float)(i / MAZE + i * 5 % 7 % 2));
    if (!turn) continue;
    build_walls(tree);
    copse_obstacle_remove(tree, 4);
    copse_obstacle_remove(tree, 0);
    add_loop(tree, (float[]){9, 9, 9, 8, 8, 9, 7, 7}, 4);
    CHECK(add_wall(tree, 1, 0, 1, 9) == 4);
    copse_obstacle_move(tree, 0, SQUARE, 4);
  }
  build_walls(one);
  build_walls(other);
  CHECK(built_alike(one, other) && copse_obstacle_stats(one).nodes > 9);
  for (int i = 0; i < 400; i++) {
    const float p[2] = {(float)(i % 20) / 2, (float)(i / 20) / 2}, q[2] = {p[1] + 1, p[0] - 2};
    copse_obstacle_point a, b;
    copse_obstacle_hit c, d;
    uint32_t visits[4];
    copse_obstacle_nearest(one, p, 3, COPSE_SIDE_VISIBLE, &a, &visits[0]);
    copse_obstacle_nearest(other, p, 3, COPSE_SIDE_VISIBLE, &b, &visits[1]);
    copse_obstacle_raycast(one, p, q, COPSE_SIDE_BOTH, &c, &visits[2]);
    copse_obstacle_raycast(other, p, q, COPSE_SIDE_BOTH, &d, &visits[3]);
    CHECK(!memcmp(&a, &b, sizeof a) && !memcmp(&c, &d, sizeof c));
    CHECK(visits[0] == visits[1] && visits[2] == visits[3]);
  }
  copse_obstacle_destroy(one);
  copse_obstacle_destroy(other);
}

static void test_walls_at_ever_smaller_distances_make_no_deep_tree(void) {
  for (uint32_t leafSize = 1; leafSize < 9; leafSize += 7) {
    copse_obstacle *tree = walls_of(400, 0, leafSize);
    float size = 1e18f;
    for (int i = 0; i < 200; i++, size /= 2) add_wall(tree, size, -size, size, size);
    build_walls(tree);
    CHECK(copse_obstacle_stats(tree).depth <= COPSE_MAX_DEPTH);
    CHECK(copse_obstacle_stats(tree).edges == 400);
    /* Fractions up to half of 2^-149 round to 0: a tie, which the lowest id wins. */
    const copse_obstacle_hit hit = shot(tree, 0, 0, 1e18f, 0, COPSE_SIDE_BOTH);
    CHECK(hit.fraction == 0 && hit.edge == 2 * 150);
    CHECK(shot(tree, 1e18f, 1e-30f, 0, 1e-30f, COPSE_SIDE_BOTH).edge == 0);
    CHECK(nearest_wall(tree, 7e17f, 0, COPSE_SIDE_BOTH) == 2);
    CHECK(nearest_wall(tree, 0, 0, COPSE_SIDE_BOTH) <= 398); /* the squares underflow: many ties */
    copse_obstacle_destroy(tree);
  }
}

/* A line of a round wall has all others on one side. The tree must not get too deep to search. */
static void test_a_round_wall_makes_no_deep_tree(void) {
  enum { SIDES = 240 };
  float points[2 * SIDES];
  for (int i = 0; i < SIDES; i++) { /* on a parabola, and back: convex, without rounding */
    const float x = (float)(i < SIDES / 2 ? i : SIDES - 1 - i);
    points[2 * i] = x;
    points[2 * i + 1] = i < SIDES / 2 ? x * x : 20000 + 100 * x - x * x / 2;
  }
  copse_obstacle *tree = walls_of(SIDES, 0, 1);
  add_loop(tree, points, SIDES);
  build_walls(tree);
  const copse_obstacle_statistics stats = copse_obstacle_stats(tree);
  CHECK(stats.edges == SIDES && stats.depth <= COPSE_MAX_DEPTH);
  CHECK(inside_walls(tree, 60, 10000) != inside_walls(tree, 60, 3000));
  for (int i = 0; i < SIDES; i++) {
    const float *a = points + 2 * i, *b = points + 2 * ((i + 1) % SIDES);
    CHECK(nearest_wall(tree, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, COPSE_SIDE_BOTH) == (uint32_t)i);
  }
  copse_obstacle_destroy(tree);
}

static void test_the_visibility_polygon_of_a_room_is_exact(void) {
  copse_obstacle *tree = walls_of(64, 0, 1);
  add_loop(tree, CLOCKWISE, 4);
  add_wall(tree, 6, 3, 6, 5);
  build_walls(tree);
  const float p[2] = {4, 4}, lo[2] = {-10, -10}, hi[2] = {20, 20};
  copse_corner corners[64];
  uint32_t total;
  CHECK(copse_obstacle_visibility(tree, p, lo, hi, corners, 64, &total, NULL) == COPSE_OK);
  static const double EXPECTED[][2] = {{6, 3}, {6, 5}, {8, 6}, {8, 8},
                                       {0, 8}, {0, 0}, {8, 0}, {8, 2}};
  CHECK(total == 8);
  uint32_t first = 0;
  while (first < 7 && (corners[first].x != 6 || corners[first].y != 3)) first++;
  for (uint32_t i = 0; i < 8; i++) {
    const copse_corner *corner = &corners[(first + i) % 8];
    CHECK(corner->x == EXPECTED[i][0] && corner->y == EXPECTED[i][1]);
  }
  CHECK(corners[first].edge == 4 || corners[first].edge == 5);
  CHECK(corners[(first + 1) % 8].edge == COPSE_NONE && corners[(first + 2) % 8].edge == 2);
  /* With growing room: COPSE_FULL, and from some size on the same polygon. */
  bool suffices = false;
  for (uint32_t room = 0; room < 64; room++) {
    copse_corner *few =
        malloc(room ? room * sizeof *few : 1); /* sanitizers catch a write past it */
    uint32_t written = 99;
    const copse_status status =
        copse_obstacle_visibility(tree, p, lo, hi, few, room, &written, NULL);
    CHECK(status == (suffices || written == 8 ? COPSE_OK : COPSE_FULL) &&
          (written == 8 || written == 0));
    suffices |= status == COPSE_OK;
    if (status == COPSE_OK) CHECK(!memcmp(few, corners, 8 * sizeof *few));
    free(few);
  }
  CHECK(suffices);
  static const float ON_WALLS[][2] = {{0, 0}, {8, 3}, {6, 4}, {6, 5}, {0, 8}};
  for (int i = 0; i < 5; i++) {
    total = 7;
    CHECK(copse_obstacle_visibility(tree, ON_WALLS[i], lo, hi, corners, 64, &total, NULL) ==
              COPSE_OK &&
          total == 0);
  }
  copse_obstacle_destroy(tree);
}

/* An L that starts at each of its corners in turn, in either direction. */
static void test_corners_know_which_way_they_turn(void) {
  enum { N = 6, NOTCH = 3 };
  static const float L[2 * N] = {0, 0, 4, 0, 4, 2, 2, 2, 2, 4, 0, 4};
  for (int first = 0; first < N; first++)
    for (int isBack = 0; isBack < 2; isBack++) {
      float points[2 * N];
      for (int i = 0; i < N; i++)
        for (int axis = 0; axis < 2; axis++)
          points[2 * i + axis] = L[2 * ((first + (isBack ? N - i : i)) % N) + axis];
      copse_obstacle *tree = walls_of(N, 4 * N, 2);
      CHECK(add_loop(tree, points, N) == 0);
      build_walls(tree);
      for (int i = 0; i < N; i++) {
        const bool isNotch = (first + (isBack ? N - i : i)) % N == NOTCH;
        CHECK(tree->corners[i].turn == (isNotch == isBack ? 1 : -1));
        CHECK(tree->corners[i].before == (uint32_t)(i + N - 1) % N);
        CHECK(tree->corners[i].after == (uint32_t)(i + 1) % N);
      }
      copse_obstacle_destroy(tree);
    }
}

/* A solid square in a boundary. Both are mirrored at x = 4, so that their vertices go the other way
 * round. */
static void test_the_solid_side_stays_when_a_polygon_is_mirrored(void) {
  static const float MIRRORED[] = {6, 2, 2, 2, 2, 6, 6, 6}, OUTSIDE[] = {8, 0, 8, 8, 0, 8, 0, 0};
  static uint32_t words[100];
  size_t total;
  for (int way = 0; way < 4; way++) {
    copse_obstacle *tree = walls_of(10, 0, 1);
    const uint32_t square = add_loop(tree, SQUARE, 4), border = add_loop(tree, CLOCKWISE, 4);
    if (way == 2) { /* restored, then moved */
      CHECK(copse_obstacle_save(tree, words, sizeof words, &total, NULL) == COPSE_OK);
      copse_obstacle_clear(tree);
      CHECK(copse_obstacle_restore(tree, words, total, NULL) == COPSE_OK);
    }
    if (way == 1) {
      memcpy(copse_obstacle_vertices(tree), MIRRORED, sizeof MIRRORED);
      memcpy(copse_obstacle_vertices(tree) + 8, OUTSIDE, sizeof OUTSIDE);
    } else {
      CHECK(copse_obstacle_move(tree, square, MIRRORED, 4) == COPSE_OK);
      CHECK(copse_obstacle_move(tree, border, OUTSIDE, 4) == COPSE_OK);
    }
    if (way == 3) { /* moved, then restored */
      CHECK(copse_obstacle_save(tree, words, sizeof words, &total, NULL) == COPSE_OK);
      copse_obstacle_clear(tree);
      CHECK(copse_obstacle_restore(tree, words, total, NULL) == COPSE_OK);
    }
    CHECK(copse_obstacle_reserve(tree, 20 + (uint32_t)way) == COPSE_OK);
    build_walls(tree);
    CHECK(copse_obstacle_winding(tree, square) == 1 && copse_obstacle_winding(tree, border) == -1);
    CHECK(inside_walls(tree, 4, 4) && !inside_walls(tree, 1, 1) && inside_walls(tree, 9, 1));
    const copse_obstacle_hit hit = shot(tree, 1, 4, 9, 4, COPSE_SIDE_VISIBLE);
    CHECK(hit.edge == square + 1 && hit.normal[0] == -1 && hit.normal[1] == 0);
    CHECK(shot(tree, 1, 4, -9, 4, COPSE_SIDE_VISIBLE).edge == border + 2);
    CHECK(shot(tree, 4, 4, 9, 4, COPSE_SIDE_VISIBLE).edge ==
          border); /* from inside the solid square */
    CHECK(nearest_wall(tree, 4, 5, COPSE_SIDE_VISIBLE) == border + 1);
    CHECK(nearest_wall(tree, 4, 9, COPSE_SIDE_VISIBLE) == square + 2);
    /* Without area it has no winding; then it is solid inside again. */
    CHECK(copse_obstacle_move(tree, square, (float[]){2, 2, 6, 6, 2, 2, 6, 6}, 4) == COPSE_OK);
    CHECK(copse_obstacle_winding(tree, square) == 0);
    CHECK(copse_obstacle_move(tree, square, MIRRORED, 4) == COPSE_OK);
    CHECK(copse_obstacle_winding(tree, square) == 1);
    copse_obstacle_destroy(tree);
  }
}

/* The choice counts, whichever way the vertices go. */
static void test_polygons_are_solid_on_the_chosen_side(void) {
  static const copse_solid CHOICES[] = {COPSE_SOLID_WINDING, COPSE_SOLID_INSIDE,
                                        COPSE_SOLID_OUTSIDE, COPSE_SOLID_NOWHERE};
  static const float FLAT[] = {1, 1, 3, 3, 5, 5};
  uint32_t slot, words[64];
  size_t total;
  for (int way = 0; way < 2; way++)
    for (int i = 0; i < 4; i++) {
      copse_obstacle *tree = walls_of(8, 0, 1), *other = walls_of(8, 0, 1);
      const int turn = way ? -1 : 1, solid = i == 1 ? 1 : i == 2 ? -1 : turn;
      CHECK(copse_obstacle_add(tree, way ? CLOCKWISE : SQUARE, 4, CHOICES[i], &slot) == COPSE_OK);
      CHECK(slot == 0 && copse_obstacle_winding(tree, slot) == solid);
      build_walls(tree);
      CHECK(inside_walls(tree, 4, 4) == (solid > 0 && i < 3));
      CHECK(inside_walls(tree, 9, 9) == (solid < 0 && i < 3));
      CHECK(nearest_wall(tree, 4, 4, COPSE_SIDE_VISIBLE) !=
            (solid > 0 && i < 3 ? 0 : COPSE_NONE)); /* a wall is seen only from its free side */
      CHECK(copse_obstacle_move(tree, slot, way ? SQUARE : CLOCKWISE, 4) == COPSE_OK);
      CHECK(copse_obstacle_winding(tree, slot) == (i < 3 ? solid : -turn));
      CHECK(copse_obstacle_save(tree, words, sizeof words, &total, NULL) == COPSE_OK);
      CHECK(copse_obstacle_restore(other, words, total, NULL) == COPSE_OK);
      CHECK(copse_obstacle_winding(other, slot) == (i < 3 ? solid : -turn));
      CHECK(inside_walls(other, 4, 4) == (solid > 0 && i < 3));
      const bool needsArea = i == 1 || i == 2;
      CHECK(copse_obstacle_add(tree, FLAT, 3, CHOICES[i], &slot) ==
                (needsArea ? COPSE_INVALID_ARGUMENT : COPSE_OK) &&
            slot == (needsArea ? COPSE_NONE : 4));
      CHECK(copse_obstacle_used(tree) == (needsArea ? 4 : 7));
      CHECK(copse_obstacle_count(tree) == (needsArea ? 1 : 2) && copse_obstacle_slots(other) == 4);
      copse_obstacle_destroy(tree);
      copse_obstacle_destroy(other);
    }
  copse_obstacle *tree = walls_of(8, 0, 1);
  CHECK(copse_obstacle_add(tree, SQUARE, 4, (copse_solid)4, &slot) == COPSE_INVALID_ARGUMENT);
  CHECK(copse_obstacle_count(tree) == 0 && copse_obstacle_slots(tree) == 0);
  copse_obstacle_destroy(tree);
}

/* A polygon that was added without area has no solid side yet: its vertices decide. */
static void test_polygons_added_without_area_follow_their_vertices(void) {
  static const float FLAT[] = {1, 1, 3, 3, 5, 5, 2, 2};
  copse_obstacle *tree = walls_of(8, 0, 1);
  CHECK(add_loop(tree, FLAT, 4) == 0 && copse_obstacle_winding(tree, 0) == 0);
  for (int turn = 0; turn < 4; turn++) {
    CHECK(copse_obstacle_move(tree, 0, turn % 2 ? CLOCKWISE : SQUARE, 4) == COPSE_OK);
    CHECK(copse_obstacle_winding(tree, 0) == (turn % 2 ? -1 : 1));
    build_walls(tree);
    CHECK(inside_walls(tree, 4, 4) == (turn % 2 == 0) && inside_walls(tree, 9, 9) == turn % 2);
  }
  copse_obstacle_remove(tree, 0); /* a new polygon in the same slot does not inherit it */
  CHECK(add_loop(tree, CLOCKWISE, 4) == 0);
  CHECK(copse_obstacle_move(tree, 0, SQUARE, 4) == COPSE_OK);
  CHECK(copse_obstacle_winding(tree, 0) == -1);
  uint32_t slot;
  CHECK(copse_obstacle_add(tree, SQUARE, 4, COPSE_SOLID_NOWHERE, &slot) == COPSE_OK && slot == 4);
  for (int turn = 0; turn < 2; turn++) { /* two-sided */
    CHECK(copse_obstacle_winding(tree, slot) == (turn ? -1 : 1));
    CHECK(copse_obstacle_move(tree, slot, CLOCKWISE, 4) == COPSE_OK);
  }
  copse_obstacle_destroy(tree);
}

/* One loop is moved so that its vertices go the other way round; another one is added the right way
 * round. They must have the same edges with the same links: edge i of one is edge n - 1 - i of the
 * other. */
static void test_mirrored_polygons_equal_those_added_the_other_way_round(void) {
  enum { MOST = 9 };
  uint32_t state = 1, reversed = 0;
  for (int run = 0; run < 300; run++) {
    const uint32_t n = 3 + random_word(&state) % (MOST - 2);
    float points[2 * MOST], mirrored[2 * MOST], backward[2 * MOST];
    for (uint32_t i = 0; i < 2 * n; i++) points[i] = (float)(random_word(&state) % 64) / 8;
    if (run % 2) memcpy(points + 2, points, 2 * sizeof *points); /* an edge without length */
    for (uint32_t i = 0; i < 2 * n; i++) {
      mirrored[i] = i % 2 ? points[i] : -points[i];
      backward[i] = points[i < 2 ? i : 2 * (n - i / 2) + i % 2];
    }
    copse_obstacle *moved = walls_of(n, 0, 2), *added = walls_of(n, 0, 2);
    add_loop(moved, mirrored, n);
    CHECK(copse_obstacle_move(moved, 0, points, n) == COPSE_OK);
    add_loop(added, backward, n);
    build_walls(moved);
    build_walls(added);
    reversed += copse_obstacle_winding(moved, 0) != 0;
    CHECK(copse_obstacle_winding(moved, 0) == copse_obstacle_winding(added, 0));
    for (uint32_t i = 0; i < n && copse_obstacle_winding(moved, 0); i++) {
      const uint32_t other = n - 1 - i;
      const obstacle_corner *a = &moved->corners[i], *b = &added->corners[other];
      CHECK(!moved->kinds[i] == !added->kinds[other]);
      if (!moved->kinds[i]) continue;
      CHECK(!memcmp(&moved->edges[i], &added->edges[other], sizeof *moved->edges));
      CHECK(a->before == n - 1 - b->before && a->after == n - 1 - b->after && a->turn == b->turn);
      CHECK(!memcmp(a->direction, b->direction, sizeof a->direction));
    }
    for (int i = 0; i < 20; i++) {
      const float x = (float)(random_word(&state) % 80) / 8 - 1;
      const float y = (float)(random_word(&state) % 80) / 8 - 1;
      CHECK(inside_walls(moved, x, y) == inside_walls(added, x, y));
    }
    copse_obstacle_destroy(moved);
    copse_obstacle_destroy(added);
  }
  CHECK(reversed > 200);
}

/* Every kind of search. Results don't depend on it; more visits mean slower queries. */
static void test_searches_of_walls_visit_the_recorded_number_of_nodes(void) {
  enum { SIZE = 20, SEARCHES = 200 };
  static copse_corner corners[8 * SIZE * SIZE + 20];
  static uint32_t ids[4 * SIZE * SIZE];
  static float distances2[4 * SIZE * SIZE];
  copse_obstacle *tree = walls_of(4 * SIZE * SIZE, 0, 4);
  uint32_t state = 8;
  for (int i = 0; i < SIZE * SIZE; i++) {
    const float x = (float)(i % SIZE), y = (float)(i / SIZE);
    const bool isUpright = random_word(&state) & 1;
    if (random_word(&state) % 3) add_wall(tree, x, y, x + !isUpright, y + isUpright);
  }
  add_loop(tree, (float[]){-1, -1, SIZE + 1, -1, SIZE + 1, SIZE + 1, -1, SIZE + 1}, 4);
  build_walls(tree);
  uint64_t visited[8] = {0}; /* by kind of search; the last is all work */
  copse_work = 0;
  static const uint64_t MEASURED[8] = {9903, 1889, 2541, 2355, 2835, 3941, 14822, 227364};
  for (int search = 0; search < SEARCHES; search++) {
    float from[2], to[2];
    for (int axis = 0; axis < 2; axis++) {
      from[axis] = (float)(random_word(&state) >> 8) * SIZE / 16777216;
      to[axis] = (float)(random_word(&state) >> 8) * SIZE / 16777216;
    }
    const float lo[2] = {from[0] - 4, from[1] - 4}, hi[2] = {from[0] + 4, from[1] + 4};
    copse_obstacle_point wall;
    copse_obstacle_hit hit;
    bool result;
    uint32_t visits[7], total;
    copse_results results = {ids, distances2, 4 * SIZE * SIZE, 0, 0};
    copse_obstacle_nearest(tree, from, INFINITY, COPSE_SIDE_BOTH, &wall, &visits[0]);
    copse_obstacle_nearest(tree, from, 0.125f, COPSE_SIDE_VISIBLE, &wall, &visits[1]);
    copse_obstacle_visible(tree, from, to, 0, &result, &visits[2]);
    copse_obstacle_visible(tree, from, to, 0.125f, &result, &visits[3]);
    copse_obstacle_raycast(tree, from, to, COPSE_SIDE_BOTH, &hit, &visits[4]);
    copse_obstacle_contains(tree, from, &result, &visits[5]);
    CHECK(copse_obstacle_visibility(tree, from, lo, hi, corners, sizeof corners / sizeof *corners,
                                    &total, &visits[6]) == COPSE_OK);
    for (int i = 0; i < 7; i++) visited[i] += visits[i];
    copse_obstacle_within(tree, from, 2, COPSE_SIDE_BOTH, &results);
    visited[0] += results.visits;
  }
  visited[7] = copse_work;
  for (int i = 0; i < 8; i++) CHECK(visited[i] == MEASURED[i]);
  copse_obstacle_destroy(tree);
}

/* Walls on a lattice touch but never cross: the room that copse.h gives suffices. */
static void test_the_documented_room_suffices_for_visibility_in_mazes(void) {
  enum { SIZE = 8, MOST = 2 * SIZE * SIZE };
  static copse_corner corners[8 * MOST + 20];
  uint32_t state = 3;
  for (int round = 0; round < 300; round++) {
    copse_obstacle *tree = walls_of(2 * MOST, 0, 4);
    const uint32_t density = random_word(&state) % 5 + 2;
    for (int i = 0; i < MOST; i++) {
      if (random_word(&state) % density) continue;
      const float x = (float)(i / 2 % SIZE), y = (float)(i / 2 / SIZE);
      add_wall(tree, x, y, x + (float)(i % 2), y + (float)(1 - i % 2));
    }
    build_walls(tree);
    for (int i = 0; i < 20; i++) {
      const float p[2] = {(float)(random_word(&state) % 65) / 8,
                          (float)(random_word(&state) % 65) / 8};
      const float lo[2] = {-1, -1}, hi[2] = {9, 9};
      uint32_t total, room = 4 * copse_obstacle_stats(tree).edges + 20;
      CHECK(copse_obstacle_visibility(tree, p, lo, hi, corners, room, &total, NULL) == COPSE_OK);
      CHECK((total == 0) == !sees(tree, p[0], p[1], p[0], p[1], 0));
    }
    copse_obstacle_destroy(tree);
  }
}

static void test_the_best_line_divides_a_cell_and_is_cut_to_it(void) {
  copse_obstacle *tree = walls_of(20, 0, 2);
  for (int i = 0; i < 5; i++) add_wall(tree, (float)i, 0, (float)i + 8, 8);
  build_walls(tree);
  float lines[20];
  const size_t total = copse_obstacle_lines(tree, 0, lines, 20);
  CHECK(total >= 5 && lines[4] == 0);
  /* A line of the second or third wall: all others, and lines along an axis, divide less evenly. */
  CHECK(lines[0] == lines[1] + 1 && lines[2] == lines[3] + 1);
  copse_obstacle_destroy(tree);

  tree = walls_of(20, 0, 2); /* the second line ends at the first */
  add_wall(tree, 0, 4, 8, 4);
  add_wall(tree, 1, 6, 1, 7);
  add_wall(tree, 7, 6, 7, 7);
  add_wall(tree, 1, 0, 1, 1);
  add_wall(tree, 7, 0, 7, 1);
  build_walls(tree);
  const size_t floats = copse_obstacle_lines(tree, 0, lines, 20);
  CHECK(floats >= 10 && floats <= 20 && lines[1] == 4 && lines[3] == 4 && lines[4] == 0);
  CHECK(fabsf(lines[2] - lines[0]) == 8);
  for (size_t i = 5; i < floats; i += 5) {
    const float lo = fminf(lines[i + 1], lines[i + 3]), hi = fmaxf(lines[i + 1], lines[i + 3]);
    const bool isOfTheFirst = lo == 4 && hi == 4 && fabsf(lines[i] - lines[i + 2]) == 8;
    CHECK((lo == 0 && hi == 4) || (lo == 4 && hi == 7) || isOfTheFirst);
  }
  copse_obstacle_destroy(tree);
}

static void test_a_restored_wall_has_no_minus_zero(void) {
  copse_obstacle *tree = walls_of(2, 0, 2);
  add_wall(tree, 3, 4, 5, 6);
  float *vertices = copse_obstacle_vertices(tree);
  vertices[0] = vertices[1] = -0.0f;
  static uint32_t words[100];
  size_t total;
  CHECK(copse_obstacle_save(tree, words, sizeof words, &total, NULL) == COPSE_OK);
  CHECK(copse_obstacle_restore(tree, words, total, NULL) == COPSE_OK);
  CHECK(vertices[0] == 0 && !signbit(vertices[0]) && vertices[1] == 0 && !signbit(vertices[1]));
  copse_obstacle_destroy(tree);
}

static void test_forged_snapshots_of_walls_are_refused(void) {
  copse_obstacle *tree = walls_of(20, 0, 2);
  add_loop(tree, SQUARE, 4);
  add_wall(tree, 9, 1, 9, 5);
  add_loop(tree, CLOCKWISE, 4);
  copse_obstacle_remove(tree, 4);
  build_walls(tree);
  static uint32_t words[200], forged[200];
  size_t total, same;
  CHECK(copse_obstacle_save(tree, words, 10, &total, NULL) == COPSE_FULL);
  CHECK(copse_obstacle_save(tree, words, sizeof words, &total, NULL) == COPSE_OK);
  const size_t head = total / 4 - (size_t)6 * 10; /* in words; then 6 for each of 10 slots */
  CHECK(words[head - 1] == 10 && words[head - 2] == 2);
  const struct {
    size_t word;
    uint32_t value;
  } wrong[] = {
      {head - 1, 9},
      {head - 1, 11},
      {head - 1, UINT32_MAX},
      {head - 2, 3},
      {head, 2},
      {head + 1, 0},
      {head + 1, 4},
      {head + 1, 6},
      {head + 1, 10},
      {head + 1, UINT32_MAX},
      {head + 2, 1},
      {head + 2, 10},
      {head + 2, UINT32_MAX},
      {head + 6 + 1, 0},
      {head + 6 + 2, 1},
      {head + 3, 3},
      {head + 3, UINT32_MAX - 1},
      {head + 6 + 3, 1}, /* the slot is not a polygon's */
      {head + 6 * 4 + 3, 1},
      {head + 4, 0x7fc00000},
      {head + 4, 0x7f800000},
      {head + 5, 0x7f7fffff},
      {head + 6 * 4, 1},
      {head + 6 * 9 + 1, 9},
      {head + 6 * 9 + 1, 0},
      {head + 6 * 9, 0},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    memcpy(forged, words, total);
    forged[wrong[i].word] = wrong[i].value;
    snapshot_seal(forged, total, SNAPSHOT_OBSTACLE);
    CHECK(copse_obstacle_restore(tree, forged, total, NULL) == COPSE_BAD_SNAPSHOT);
    CHECK(copse_obstacle_save(tree, forged, sizeof forged, &same, NULL) == COPSE_OK);
    CHECK(same == total && memcmp(words, forged, total) == 0 && copse_obstacle_validate(tree));
  }
  memcpy(forged, words, total); /* a loop of one vertex */
  forged[head + (size_t)6 * 4] = 3;
  forged[head + (size_t)6 * 4 + 1] = forged[head + (size_t)6 * 4 + 2] = 4;
  snapshot_seal(forged, total, SNAPSHOT_OBSTACLE);
  CHECK(copse_obstacle_restore(tree, forged, total, NULL) == COPSE_BAD_SNAPSHOT);
  for (size_t bit = 0; bit < total * 8; bit++) {
    memcpy(forged, words, total);
    forged[bit / 32] ^= 1u << bit % 32;
    CHECK(copse_obstacle_restore(tree, forged, total, NULL) == COPSE_BAD_SNAPSHOT);
  }
  for (size_t size = 0; size < total + 16; size++)
    if (size != total) CHECK(copse_obstacle_restore(tree, words, size, NULL) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_obstacle_restore(tree, (char *)words + 1, total, NULL) == COPSE_INVALID_ARGUMENT);
  copse_obstacle *small = walls_of(9, 0, 2), *exact = walls_of(10, 0, 2),
                 *leaf = walls_of(20, 0, 3);
  CHECK(copse_obstacle_restore(small, words, total, NULL) == COPSE_FULL);
  CHECK(copse_obstacle_size(small, 0) == 0);
  CHECK(copse_obstacle_restore(leaf, words, total, NULL) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_obstacle_restore(exact, words, total, NULL) == COPSE_OK && built_alike(tree, exact));
  CHECK(copse_obstacle_stats(exact).polygons == 2 && copse_obstacle_used(exact) == 8);
  CHECK(add_wall(exact, 0, 0, 1, 1) == 4 && copse_obstacle_generations(exact)[4] == 3);
  copse_obstacle_destroy(small);
  copse_obstacle_destroy(exact);
  copse_obstacle_destroy(leaf);
  copse_obstacle_destroy(tree);
}

static void test_validate_detects_damaged_walls(void) {
  copse_obstacle *tree = walls_of(100, 0, 1);
  add_loop(tree, SQUARE, 4);
  for (int i = 0; i < 40; i++)
    add_wall(tree, (float)(i % 8), (float)(i / 8), (float)(i % 8 + i * 5 % 3),
             (float)(i / 8 + i * 3 % 4));
  build_walls(tree);
  CHECK(tree->pieceCount > tree->edgeCount && tree->nodes[0].left);
  uint32_t *const words[] = {
      &tree->pieceCount,           &tree->nodeCount,      &tree->edgeCount,
      &tree->nodes[0].left,        &tree->nodes[0].begin, &tree->nodes[0].end,
      &tree->pieces[0].edge,       &tree->next[1],        &tree->polygons[2],
      &tree->slots.generations[3], &tree->kinds[5]};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const uint32_t kept = *words[i];
    *words[i] = kept ? kept - 1 : 1;
    CHECK(!copse_obstacle_validate(tree));
    *words[i] = kept;
    CHECK(copse_obstacle_validate(tree));
  }
  for (uint32_t i = 0; i < tree->nodeCount; i++) {
    obstacle_node *node = &tree->nodes[i], kept = *node;
    if (node->left || node->begin == node->end) continue;
    node->end = node->begin - 1;
    CHECK(!copse_obstacle_validate(tree));
    node->end = tree->pieceCount + 1;
    CHECK(!copse_obstacle_validate(tree));
    *node = kept;
  }
  const uint32_t used = 4 + 2 * 40; /* the first free id; ids from 100 on don't exist */
  const uint32_t edges[] = {used, 100, UINT32_MAX}, edge = tree->pieces[0].edge;
  for (int i = 0; i < 3; i++) {
    tree->pieces[0].edge = edges[i];
    CHECK(!copse_obstacle_validate(tree));
  }
  tree->pieces[0].edge = edge;
  const obstacle_piece whole = tree->pieces[0];
  const float wrong[][2] = {{-0.5f, 0.5f}, {0.5f, 0.5f}, {0.75f, 0.25f}, {0.5f, 1.5f}, {NAN, 1}};
  for (int i = 0; i < 5; i++) {
    tree->pieces[0].from = wrong[i][0];
    tree->pieces[0].to = wrong[i][1];
    CHECK(!copse_obstacle_validate(tree));
  }
  tree->pieces[0] = whole;
  const uint32_t pool = tree->def.pieces;
  tree->def.pieces = tree->pieceCount - 1;
  CHECK(!copse_obstacle_validate(tree));
  tree->def.pieces = pool;
  tree->nodes[0].offset += 1;
  CHECK(!copse_obstacle_validate(tree));
  tree->nodes[0].offset -= 1;
  for (uint32_t i = 0; i < tree->pieceCount; i++) {
    float *const ends[] = {&tree->pieces[i].from, &tree->pieces[i].to};
    for (int end = 0; end < 2; end++) {
      const float kept = *ends[end];
      *ends[end] = kept * 0.875f + 0.03f;
      CHECK(!copse_obstacle_validate(tree));
      *ends[end] = kept;
    }
  }
  CHECK(copse_obstacle_validate(tree));
  copse_obstacle_destroy(tree);
}

static void test_validate_detects_damaged_nodes_and_pieces(void) {
  copse_obstacle *tree = walls_of(20, 0, 1);
  for (int i = 0; i < 8; i++) add_wall(tree, (float)i, 0, (float)i, 1);
  build_walls(tree);
  obstacle_node *root = tree->nodes;
  CHECK(tree->nodes[root->left].left);
  const uint32_t left = root->left;
  root->left = tree->nodes[left].left; /* skips a child, to one with the same end */
  CHECK(!copse_obstacle_validate(tree));
  root->left = left;
  tree->pieceCount++; /* a piece in no leaf */
  CHECK(!copse_obstacle_validate(tree));
  tree->pieceCount--;
  CHECK(copse_obstacle_validate(tree));
  copse_obstacle_destroy(tree);

  tree = walls_of(20, 0, 8); /* two opposite edges in one leaf */
  add_wall(tree, 0, 0, 1, 0);
  build_walls(tree);
  CHECK(tree->pieceCount == 2 && tree->nodeCount == 1);
  const uint32_t edge = tree->pieces[0].edge;
  tree->pieceCount = tree->nodes[0].end = 4;
  tree->pieces[2] = (obstacle_piece){edge, 0.25f, 1};
  tree->pieces[3] = (obstacle_piece){edge, 0.25f, 0.5f};
  tree->pieces[0].to = 0.5f; /* starts and ends match up, but the lengths add up to more than 1 */
  CHECK(!copse_obstacle_validate(tree));
  /* Pieces with gaps and overlaps, although the bits of all ends cancel and the lengths add up
   * to 1. */
  static const float PARTS[][2] = {
      {0, 0.25f}, {0.3125f, 0.375f}, {0.4375f, 1}, {0.5f, 0.5625f}, {0.5f, 0.5625f}};
  tree->pieceCount = tree->nodes[0].end = 6;
  for (uint32_t i = 0; i < 5; i++)
    tree->pieces[i ? i + 1 : 0] = (obstacle_piece){edge, PARTS[i][0], PARTS[i][1]};
  CHECK(!copse_obstacle_validate(tree));
  tree->pieceCount = tree->nodes[0].end = 3; /* the order of pieces does not matter */
  tree->pieces[0] = (obstacle_piece){edge, 0.25f, 1};
  tree->pieces[2] = (obstacle_piece){edge, 0, 0.25f};
  CHECK(copse_obstacle_validate(tree));
  copse_obstacle_destroy(tree);
}

/* The number behind a point is not part of it: reading it would be wrong. */
static void test_queries_of_walls_read_only_two_numbers_of_a_point(void) {
  copse_obstacle *tree = walls_of(64, 0, 1);
  add_loop(tree, CLOCKWISE, 4);
  build_walls(tree);
  const float p[3] = {4, 4, NAN}, q[3] = {5, 4, NAN}, lo[3] = {-10, -10, NAN},
              hi[3] = {20, 20, NAN};
  uint32_t ids[64], total;
  copse_obstacle_point wall;
  float distances2[64];
  bool result;
  copse_obstacle_hit hit;
  copse_corner corners[64];
  copse_results results = {ids, distances2, 64, 0, 0};
  CHECK(copse_obstacle_within(tree, p, 1, COPSE_SIDE_BOTH, &results) == COPSE_OK);
  CHECK(copse_obstacle_nearest(tree, p, 9, COPSE_SIDE_BOTH, &wall, NULL) == COPSE_OK);
  CHECK(copse_obstacle_visible(tree, p, q, 0, &result, NULL) == COPSE_OK && result);
  CHECK(copse_obstacle_raycast(tree, p, q, COPSE_SIDE_BOTH, &hit, NULL) == COPSE_OK);
  CHECK(copse_obstacle_contains(tree, p, &result, NULL) == COPSE_OK);
  CHECK(copse_obstacle_visibility(tree, p, lo, hi, corners, 64, &total, NULL) == COPSE_OK);
  copse_obstacle_destroy(tree);
}

const unit_test OBSTACLE_TESTS[] = {
    TEST(test_walls_agree_with_a_list),
    TEST(test_edges_without_length_are_dropped_and_counted),
    TEST(test_invalid_polygons_are_refused),
    TEST(test_denormal_walls_and_signed_zeros_work),
    TEST(test_queries_of_one_wall_are_exact_and_stay_within_their_room),
    TEST(test_walls_fill_their_capacity),
    TEST(test_queries_stay_exact_when_room_for_pieces_runs_out),
    TEST(test_ties_between_walls_on_a_line_go_to_the_lower_id),
    TEST(test_polygons_that_cross_themselves_work_edge_by_edge),
    TEST(test_without_walls_everything_is_seen),
    TEST(test_invalid_queries_of_walls_are_refused),
    TEST(test_an_obstacle_tree_allocates_only_in_create_and_reserve),
    TEST(test_reserving_the_maximum_capacity_runs_out_of_memory),
    TEST(test_no_frame_of_walls_allocates),
    TEST(test_walls_do_not_depend_on_their_history),
    TEST(test_walls_at_ever_smaller_distances_make_no_deep_tree),
    TEST(test_a_round_wall_makes_no_deep_tree),
    TEST(test_the_visibility_polygon_of_a_room_is_exact),
    TEST(test_corners_know_which_way_they_turn),
    TEST(test_the_solid_side_stays_when_a_polygon_is_mirrored),
    TEST(test_polygons_are_solid_on_the_chosen_side),
    TEST(test_polygons_added_without_area_follow_their_vertices),
    TEST(test_mirrored_polygons_equal_those_added_the_other_way_round),
    TEST(test_searches_of_walls_visit_the_recorded_number_of_nodes),
    TEST(test_the_documented_room_suffices_for_visibility_in_mazes),
    TEST(test_the_best_line_divides_a_cell_and_is_cut_to_it),
    TEST(test_a_restored_wall_has_no_minus_zero),
    TEST(test_forged_snapshots_of_walls_are_refused),
    TEST(test_validate_detects_damaged_walls),
    TEST(test_validate_detects_damaged_nodes_and_pieces),
    TEST(test_queries_of_walls_read_only_two_numbers_of_a_point),
    {NULL, NULL, false},
};
