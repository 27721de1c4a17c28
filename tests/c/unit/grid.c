/* What only grids have. */

#include "unit.h"

#include "../../../c/points/grid.h"

static copse_points *wrapped_grid(const float *points, uint32_t n, uint32_t dim, float size,
                                  const float *wrap) {
  copse_grid_def def = copse_grid_default();
  def.dimensions = dim;
  def.capacity = n;
  def.cellSize = size;
  def.wrap = wrap;
  copse_points *grid = NULL;
  CHECK(copse_grid_create(&def, &grid) == COPSE_OK);
  const copse_const_positions given = interleaved(points, dim);
  CHECK(copse_points_build_from(grid, &given, NULL, NULL, n, NULL) == COPSE_OK);
  CHECK(copse_points_validate(grid));
  return grid;
}

static copse_points *grid_of(const float *points, uint32_t n, uint32_t dim, float size) {
  return wrapped_grid(points, n, dim, size, NULL);
}

/* Compares all queries of a grid over these points with brute force. */
static void check_wrapped(const float *points, uint32_t n, uint32_t dim, float size, float radius,
                          const float *center, const float *wrap) {
  copse_points *grid = wrapped_grid(points, n, dim, size, wrap);
  const brute_points brute = {interleaved(points, dim), NULL, n, dim, wrap};
  point_question question = {
      .query = copse_query_default(), .radius = radius, .halfAngle = 1, .k = 7};
  for (uint32_t axis = 0; axis < dim; axis++) {
    question.center[axis] = center[axis];
    question.direction[axis] = 1;
    question.lo[axis] = center[axis] - radius;
    question.hi[axis] = center[axis] + radius;
  }
  CHECK(compare_queries(grid, &brute, &question) == NULL);
  question.query.maxDistance = radius;
  CHECK(compare_queries(grid, &brute, &question) == NULL);
  CHECK(compare_batches(grid, &brute, &question, NULL, NULL) == NULL);
  CHECK(compare_many(grid, &brute, &question) == NULL);
  copse_points_destroy(grid);
}
static void check_grid(const float *points, uint32_t n, uint32_t dim, float size, float radius,
                       const float *center) {
  check_wrapped(points, n, dim, size, radius, center, NULL);
}

/* Distant cells share entries, and the rows of a window continue at the start of the table. */
static void test_queries_are_exact_where_windows_wrap_around_the_table(void) {
  enum { N = 60, MOST_ENTRIES = 4 * N + 64 };
  uint32_t seed = 11;
  for (uint32_t dim = 2; dim <= 3; dim++) {
    for (uint32_t shift = 0; shift < MOST_ENTRIES; shift++) {
      float points[3 * N];
      for (uint32_t i = 0; i < N * dim; i++)
        points[i] = (float)(i % dim ? 0 : shift) + (float)(random_word(&seed) % 256) / 16;
      for (uint32_t axis = 0; axis < dim; axis++) {
        points[axis] = 0;
        points[dim + axis] = 1e5f;
      }
      copse_points *grid = grid_of(points, N, dim, 1);
      CHECK(copse_points_stats(grid).isShared);
      copse_points_destroy(grid);
      const float inside[3] = {(float)shift + 8, 8, 8};
      check_grid(points, N, dim, 1, 1.5f, inside);
      check_grid(points, N, dim, 1, 3, points + dim * (2 + shift % (N - 2)));
    }
  }
}

static void test_queries_are_exact_with_windows_wider_than_the_table(void) {
  enum { N = 40 };
  uint32_t seed = 12;
  for (uint32_t dim = 2; dim <= 3; dim++) {
    for (float radius = 1; radius < 1e6f; radius *= 1.37f) {
      float points[3 * N];
      for (uint32_t i = 0; i < N * dim; i++) points[i] = (float)(random_word(&seed) % 1000000);
      check_grid(points, N, dim, 1, radius, points);
      check_grid(points, N, dim, 1e-20f, radius, points);
    }
  }
}

/* If the window of a piece of the ray is wider than the table, all agents are scanned. A hit that
 * an earlier piece found behind its own end is then not necessarily the first. With agents on a
 * diagonal and a table with too few entries for all cells, that happens once in about 600 rays. */
static void test_rays_are_exact_with_pieces_wider_than_the_table(void) {
  enum { MOST = 64 };
  uint32_t seed = 15;
  for (uint32_t round = 0; round < repeats(20000); round++) {
    float points[3 * MOST];
    const uint32_t n = 20 + random_word(&seed) % (MOST - 20);
    const float extent = (float)n;
    for (uint32_t i = 0; i < 3 * n; i++) points[i] = (float)(i / 3);
    copse_points *grid = grid_of(points, n, 3, extent / (float)(5 + random_word(&seed) % 4));
    const brute_points brute = {interleaved(points, 3), NULL, n, 3, NULL};
    point_question question = {.query = copse_query_default()};
    question.radius = extent * (0.2f + (float)(random_word(&seed) % 600) / 1000);
    for (uint32_t axis = 0; axis < 3; axis++) {
      question.center[axis] = (float)(random_word(&seed) % (3 * n)) - extent;
      question.lo[axis] = (float)(random_word(&seed) % n);
    }
    question.center[random_word(&seed) % 3] = random_word(&seed) % 2 ? -5 * extent : 5 * extent;
    CHECK(compare_rays(grid, &brute, &question, NULL) == NULL);
    copse_points_destroy(grid);
  }
}

static void test_queries_far_from_all_agents_are_exact(void) {
  const float points[] = {0, 0, 0, 10, 0, 0, 0, 10, 0, 10, 10, 10};
  const float far[][3] = {
      {-1e18f, 0, 0}, {1e18f, 1e18f, 1e18f}, {0, 1e9f, 0}, {20, 20, 20}, {-5, 5, 25}};
  for (int i = 0; i < 5; i++) {
    for (float size = 1e-3f; size < 1e4f; size *= 10) {
      check_grid(points, 4, 3, size, 0, far[i]);
      check_grid(points, 4, 3, size, 16, far[i]);
      check_grid(points, 4, 3, size, 1e18f, far[i]);
      check_grid(points, 4, 3, size, INFINITY, far[i]);
    }
  }
}

/* Two agents exactly a radius apart, in cells with borders between them, or rounded onto one of
 * them. */
static void test_agents_exactly_a_radius_apart_are_found_across_cells(void) {
  uint32_t seed = 13;
  for (uint32_t round = 0; round < repeats(20000); round++) {
    float points[9] = {0};
    const uint32_t dim = 2 + (uint32_t)round % 2, axis = random_word(&seed) % dim;
    const float size = (float)(1 + random_word(&seed) % 1000) / 64;
    for (uint32_t i = 0; i < 2 * dim; i++)
      points[dim + i] = (float)(random_word(&seed) >> 8) / 65536;
    for (uint32_t other = 0; other < dim; other++)
      if (other != axis) points[2 * dim + other] = points[dim + other];
    const float radius = fabsf(points[2 * dim + axis] - points[dim + axis]);
    copse_points *grid = grid_of(points, 3, dim, random_word(&seed) % 2 ? size : radius);
    copse_query others = copse_query_default();
    uint32_t total, nearest;
    others.exclude = 1;
    CHECK(copse_points_count_within(grid, points + dim, radius, &others, &total, NULL) == COPSE_OK);
    CHECK(total >= 1);
    others.maxDistance = radius;
    CHECK(copse_points_nearest(grid, points + dim, &others, &nearest, NULL, NULL) == COPSE_OK);
    CHECK(nearest != COPSE_NONE);
    uint32_t offsets[3], counts[3], ids[8];
    copse_rows rows = {offsets, counts, ids, 8, 0, false};
    CHECK(copse_points_all_within(grid, radius, NULL, NULL, &rows) == COPSE_OK);
    CHECK(counts[1] >= 1 && counts[2] >= 1);
    copse_results pairs = {ids, NULL, 8, 0, 0};
    CHECK(copse_points_pairs(grid, radius, NULL, NULL, &pairs) == COPSE_OK && pairs.total >= 2);
    copse_points_destroy(grid);
  }
}

static void test_cells_share_entries_if_there_are_too_many(void) {
  const float points[] = {0, 0, 1000, 0, 0, 1000, 1000, 1000};
  const struct {
    float size;
    bool shared;
    uint32_t entries;
  } cases[] = {{1000, false, 17 * 2}, {250, false, 5 * 5}, {1, true, 64}, {1e-20f, true, 64}};
  for (int i = 0; i < 4; i++) {
    copse_points *grid = grid_of(points, 4, 2, cases[i].size);
    const copse_points_statistics stats = copse_points_stats(grid);
    CHECK(stats.isShared == cases[i].shared && stats.nodes == cases[i].entries);
    copse_points_destroy(grid);
  }
}

/* Each cell is written once for each of its runs of agents, and contains them. */
static void test_cells_hold_their_agents(void) {
  enum { N = 50 };
  uint32_t seed = 14;
  for (uint32_t dim = 2; dim <= 3; dim++) {
    for (float size = 0.5f; size < 40; size *= 3) {
      float points[3 * N], cells[8 * N + 1], whole[8 * N];
      for (uint32_t i = 0; i < N * dim; i++) points[i] = (float)(random_word(&seed) % 1024) / 16;
      copse_points *grid = grid_of(points, N, dim, size);
      const size_t width = 2 * dim + 2, floats = copse_points_cells(grid, 0, whole, 8 * N);
      uint32_t count, place = 0;
      const uint32_t *order = copse_points_order(grid, &count);
      CHECK(floats % width == 0 && count == N);
      for (size_t i = 0; i < floats; i += width) {
        const float *cell = whole + i, agents = cell[width - 1];
        CHECK(cell[width - 2] == 0 && agents >= 1);
        for (float left = agents; left > 0; left--, place++)
          for (uint32_t axis = 0; axis < dim; axis++) {
            const float x = points[order[place] * dim + axis], slack = 1e-4f;
            CHECK(x >= cell[axis] - slack && x <= cell[dim + axis] + slack);
            CHECK(fabsf(cell[dim + axis] - cell[axis] - size) < slack);
          }
      }
      CHECK(place == N);
      for (size_t capacity = 0; capacity <= floats; capacity += 5) { /* only whole cells */
        const size_t written = capacity / width * width;
        cells[written] = 42;
        CHECK(copse_points_cells(grid, 0, cells, capacity) == floats);
        CHECK(memcmp(cells, whole, written * sizeof *cells) == 0 && cells[written] == 42);
      }
      for (size_t skipped = 0; skipped < floats; skipped += width) {
        CHECK(copse_points_cells(grid, skipped, cells, width) == floats);
        CHECK(memcmp(cells, whole + skipped, width * sizeof *cells) == 0);
      }
      copse_points_destroy(grid);
    }
  }
}

/* ---- Worlds that wrap around ---- */

/* Worlds with 0 inside, on the edge, and far away: there, rounding is coarse. */
static const float WORLDS[][6] = {{0, 0, 0, 64, 64, 64},
                                  {-32, -8, -16, 32, 8, 48},
                                  {-1, -100, -7, 1, 100, 0.5f},
                                  {1e6f, 1e6f, -1e6f, 1000064, 1000300, -999000},
                                  {-3, 5, -1e5f, 0.001f, 5.125f, 1e5f},
                                  {0, 0, 0, 1e6f, 8, 1000},
                                  {0, 0, 0, 1000, 2e-39f, 1000}};
enum { WORLD_COUNT = sizeof WORLDS / sizeof *WORLDS };

/* Writes a world of `dim` dimensions. */
static void world_of(uint32_t i, uint32_t dim, float *wrap) {
  for (uint32_t axis = 0; axis < dim; axis++) {
    wrap[axis] = WORLDS[i][axis];
    wrap[dim + axis] = WORLDS[i][3 + axis];
  }
}

/* Draws positions: in the world, at its edges, one float beside them, on a lattice, or many turns
 * outside. */
static float coordinate_of(uint32_t *seed, float lo, float hi) {
  const float size = hi - lo, part = (float)(random_word(seed) >> 8) / 16777216;
  switch (random_word(seed) % 8) {
  case 0:
    return lo;
  case 1:
    return hi;
  case 2:
    return nextafterf(random_word(seed) % 2 ? lo : hi, random_word(seed) % 2 ? -1e18f : 1e18f);
  case 3:
    return lo + (part - 0.5f) * 10 * size;
  case 4:
    return lo + (float)(random_word(seed) % 9) * size / 8;
  default:
    return lo + part * size;
  }
}

static void test_queries_are_exact_in_a_world_that_wraps(void) {
  enum { MOST = 90 };
  static const float RADII[] = {0, 0.03f, 0.1f, 0.25f, 0.5f, 0.6f, 1, 3, INFINITY};
  static const float CELLS[] = {0.02f, 0.1f, 0.3f, 0.5f, 1, 7, 1e-20f, 1e20f};
  uint32_t seed = 16;
  for (uint32_t round = 0; round < repeats(6000); round++) {
    const uint32_t dim = 2 + round % 2, n = 1 + random_word(&seed) % MOST;
    float wrap[6], points[3 * MOST], center[3];
    world_of(random_word(&seed) % WORLD_COUNT, dim, wrap);
    for (uint32_t i = 0; i < n * dim; i++)
      points[i] = coordinate_of(&seed, wrap[i % dim], wrap[dim + i % dim]);
    for (uint32_t axis = 0; axis < dim; axis++)
      center[axis] = coordinate_of(&seed, wrap[axis], wrap[dim + axis]);
    const uint32_t axis = random_word(&seed) % dim;
    const float size = wrap[dim + axis] - wrap[axis];
    check_wrapped(points, n, dim, fmaxf(size * CELLS[random_word(&seed) % 8], 1e-38f),
                  size * RADII[random_word(&seed) % 9], center, wrap);
  }
}

/* Masks, own masks, and own radii. */
static void test_filters_work_in_a_world_that_wraps(void) {
  enum { N = 80 };
  uint32_t seed = 17;
  for (uint32_t round = 0; round < repeats(600); round++) {
    const uint32_t dim = 2 + round % 2;
    float wrap[6], points[3 * N], radii[N];
    uint32_t groups[N], masks[N];
    world_of(round % WORLD_COUNT, dim, wrap);
    for (uint32_t i = 0; i < N * dim; i++)
      points[i] = coordinate_of(&seed, wrap[i % dim], wrap[dim + i % dim]);
    const float size = wrap[dim] - wrap[0];
    for (uint32_t i = 0; i < N; i++) {
      groups[i] = random_word(&seed) % 4;
      masks[i] = random_word(&seed) % 8;
      radii[i] = size * (float)(random_word(&seed) % 20) / 100;
    }
    copse_grid_def def = copse_grid_default();
    def.dimensions = dim;
    def.capacity = N;
    def.wrap = wrap;
    def.cellSize = size / 10;
    copse_points *grid = NULL;
    CHECK(copse_grid_create(&def, &grid) == COPSE_OK);
    const copse_const_positions given = interleaved(points, dim);
    CHECK(copse_points_build_from(grid, &given, groups, NULL, N, NULL) == COPSE_OK);
    CHECK(copse_points_validate(grid));
    const brute_points brute = {given, groups, N, dim, wrap};
    point_question question = {.query = copse_query_default(), .radius = size / 7, .k = 5};
    question.query.mask = 1 + round % 3;
    question.query.exclude = round % N;
    CHECK(compare_queries(grid, &brute, &question) == NULL);
    CHECK(compare_many(grid, &brute, &question) == NULL);
    CHECK(compare_batches(grid, &brute, &question, masks, radii) == NULL);
    CHECK(compare_rays(grid, &brute, &question, radii) == NULL);
    copse_points_destroy(grid);
  }
}

/* More agents around an agent than are gathered at a time, across the edge. */
static void test_crowds_across_an_edge_are_exact(void) {
  enum { N = 3000, MOST = N * (N - 1) };
  const float wrap[] = {0, 0, 100, 100};
  static float points[2 * N];
  for (uint32_t i = 0; i < N; i++) points[2 * i] = i % 2 ? 0 : 100 - (float)(i % 50) / 128;
  copse_points *grid = wrapped_grid(points, N, 2, 1, wrap);
  uint32_t *words = malloc((2 * N + MOST) * sizeof *words), *ids = words + 2 * N;
  copse_rows rows = {words, words + N, ids, MOST, 0, false};
  CHECK(copse_points_all_within(grid, 1, NULL, NULL, &rows) == COPSE_OK);
  CHECK(rows.total == MOST && !rows.truncated);
  copse_results pairs = {ids, NULL, MOST, 0, 0};
  CHECK(copse_points_pairs(grid, 1, NULL, NULL, &pairs) == COPSE_OK && pairs.total == MOST);
  free(words);
  copse_points_destroy(grid);
}

/* Cells divide the world exactly. */
static void test_cells_of_a_world_that_wraps_fill_it(void) {
  enum { N = 400 };
  const float wrap[] = {-10, 0, 20, 7};
  float points[2 * N];
  uint32_t seed = 18;
  for (uint32_t i = 0; i < 2 * N; i++)
    points[i] = coordinate_of(&seed, wrap[i % 2], wrap[2 + i % 2]);
  const struct {
    float size, width, height;
  } cases[] = {{4, 30.0f / 7, 7}, {7, 7.5f, 7}, {100, 30, 7}, {3, 3, 3.5f}};
  for (int i = 0; i < 4; i++) {
    float cells[6 * N];
    copse_points *grid = wrapped_grid(points, N, 2, cases[i].size, wrap);
    const size_t floats = copse_points_cells(grid, 0, cells, 6 * N);
    CHECK(floats > 0);
    for (size_t cell = 0; cell < floats; cell += 6) {
      CHECK(fabsf(cells[cell + 2] - cells[cell] - cases[i].width) < 1e-4f);
      CHECK(fabsf(cells[cell + 3] - cells[cell + 1] - cases[i].height) < 1e-4f);
      const float across = (cells[cell] - wrap[0]) / cases[i].width;
      CHECK(fabsf(across - roundf(across)) < 1e-4f);
    }
    copse_points_destroy(grid);
  }
  for (float size = 1e-30f; size < 1; size *= 10) { /* cells are widened: none share an entry */
    copse_points *grid = wrapped_grid(points, N, 2, size, wrap);
    const copse_points_statistics stats = copse_points_stats(grid);
    CHECK(!stats.isShared && stats.nodes > N && stats.nodes <= 4 * N + 64);
    copse_points_destroy(grid);
  }
}

static void test_invalid_worlds_are_refused(void) {
  const float bad[][6] = {{0, 0, 0, 1},        {0, 1, 1, 0},   {5, 0, 4, 1},      {NAN, 0, 1, 1},
                          {0, 0, INFINITY, 1}, {0, 0, 1, NAN}, {-2e18f, 0, 1, 1}, {0, 0, 1, 2e18f}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    copse_grid_def def = copse_grid_default();
    def.wrap = bad[i];
    copse_points *grid;
    CHECK(copse_grid_create(&def, &grid) == COPSE_INVALID_ARGUMENT && !grid);
    CHECK(copse_grid_bytes(&def) == 0);
  }
  copse_grid_def def = copse_grid_default();
  const size_t bytes = copse_grid_bytes(&def);
  def.wrap = WORLDS[0];
  def.dimensions = 3;
  CHECK(copse_grid_bytes(&def) > bytes);
  def.dimensions = 4;
  CHECK(copse_grid_bytes(&def) == 0);
}

static void test_a_snapshot_is_refused_by_another_world(void) {
  const float points[] = {1, 2, 3, 95}, wrap[] = {0, 0, 100, 100};
  const float others[][4] = {
      {0, 0, 100, 101}, {0, 0, 101, 100}, {1, 0, 101, 100}, {0, -1, 100, 99}};
  copse_points *grid = wrapped_grid(points, 2, 2, 1, wrap), *same, *flat = grid_of(points, 2, 2, 1);
  uint32_t bytes[64], again[64];
  size_t total;
  CHECK(copse_points_save(grid, bytes, sizeof bytes, &total, NULL) == COPSE_OK);
  CHECK(copse_points_restore(flat, bytes, total, NULL) == COPSE_BAD_SNAPSHOT);
  for (int i = 0; i < 4; i++) {
    copse_points *other = wrapped_grid(points, 2, 2, 1, others[i]);
    CHECK(copse_points_restore(other, bytes, total, NULL) == COPSE_BAD_SNAPSHOT);
    copse_points_destroy(other);
  }
  same = wrapped_grid(points, 1, 2, 1, wrap);
  CHECK(copse_points_reserve(same, 2) == COPSE_OK);
  CHECK(copse_points_restore(same, bytes, total, NULL) == COPSE_OK);
  CHECK(copse_points_save(same, again, sizeof again, &total, NULL) == COPSE_OK);
  CHECK(memcmp(bytes, again, total) == 0);
  uint32_t count;
  CHECK(copse_points_count_within(same, points, 10, NULL, &count, NULL) == COPSE_OK && count == 2);
  copse_points_destroy(grid);
  copse_points_destroy(same);
  copse_points_destroy(flat);
}

static struct grid *inside(copse_points *points) { return (struct grid *)points; }

static void test_validate_detects_damage_in_a_grid(void) {
  const float points[] = {0, 0, 1, 0, 9, 0, 9, 9};
  copse_points *grid = grid_of(points, 4, 2, 100); /* in one cell */
  const uint32_t entries = inside(grid)->entries, present = 4;
  uint32_t *starts = inside(grid)->starts, *ids = grid->ordered.ids;
  uint32_t first = 0; /* the entry of the last agents */
  while (starts[first + 1] < present) first++;
  const struct {
    uint32_t *word, value;
  } wrong[] = {{&inside(grid)->entries, 1u << 20},
               {&inside(grid)->entries, 0},
               {&starts[0], 1},
               {&starts[entries], 3},
               {&starts[first], present + 1},
               {&starts[1], present + 1},
               {&starts[first], 0}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const uint32_t before = *wrong[i].word;
    *wrong[i].word = wrong[i].value;
    CHECK(!copse_points_validate(grid));
    *wrong[i].word = before;
    CHECK(copse_points_validate(grid));
  }
  copse_points_destroy(grid);

  const float twins[] = {5, 5, 5, 5};
  grid = grid_of(twins, 2, 2, 1);
  ids = grid->ordered.ids;
  CHECK(ids[0] == 0 && ids[1] == 1);
  CHECK(inside(grid)->entries == 1);
  ids[0] = 1; /* ids must ascend within an entry */
  ids[1] = 0;
  CHECK(!copse_points_validate(grid));
  copse_points_destroy(grid);

  const float apart[] = {0, 0, 0, 0, 9, 9};
  grid = grid_of(apart, 3, 2, 1);
  CHECK(inside(grid)->entries > 3 && inside(grid)->starts[1] == 2 && inside(grid)->starts[2] == 2);
  inside(grid)->starts[2] = 1; /* an entry that ends before it begins */
  CHECK(!copse_points_validate(grid));
  copse_points_destroy(grid);
}

/* The area of these cells underflows: a search must not start with a radius of 0. */
static void test_searches_work_with_the_smallest_cells(void) {
  const float points[] = {0, 0, 1, 1, 1, 1, -3, 2}, sizes[] = {1e-20f, 1e-30f, 1e-38f, 1e-45f};
  for (int i = 0; i < 4; i++) {
    copse_points *grid = grid_of(points, 4, 2, sizes[i]);
    uint32_t ids[4], nearest;
    float distances2[4];
    copse_results results = {ids, distances2, 4, 0, 0};
    copse_query query = copse_query_default();
    query.exclude = 0;
    CHECK(copse_points_neighbors(grid, points, 4, NULL, &results) == COPSE_OK);
    CHECK(results.total == 4 && ids[0] == 0 && ids[1] == 1 && ids[2] == 2 && ids[3] == 3);
    CHECK(copse_points_nearest(grid, points, &query, &nearest, NULL, NULL) == COPSE_OK);
    CHECK(nearest == 1);
    copse_points_destroy(grid);
  }
}

static void test_a_snapshot_is_refused_by_another_cell_size(void) {
  const float points[] = {1, 2, 3, 4};
  copse_points *grid = grid_of(points, 2, 2, 1), *other = grid_of(points, 2, 2, 1.0000001f);
  copse_agenttree_def def = copse_agenttree_default();
  copse_points *tree;
  CHECK(copse_agenttree_create(&def, &tree) == COPSE_OK);
  uint32_t bytes[64];
  size_t total;
  CHECK(copse_points_save(grid, bytes, sizeof bytes, &total, NULL) == COPSE_OK);
  CHECK(copse_points_restore(other, bytes, total, NULL) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_points_restore(tree, bytes, total, NULL) == COPSE_BAD_SNAPSHOT);
  CHECK(copse_points_restore(grid, bytes, total, NULL) == COPSE_OK);
  copse_points_destroy(tree);
  copse_points_destroy(grid);
  copse_points_destroy(other);
}

/* A search starts with about the distance of the k-th neighbor, whatever the cell size. */
static void test_neighbors_in_large_cells_visit_the_recorded_number(void) {
  enum { N = 2000, SEARCHES = 500, SIDE = 50, K = 8 };
  static float points[3 * N];
  static const float CELLS[] = {2.5f, 8};
  uint64_t visited[2][2] = {{0}}; /* by dimensions, then by cell size */
  for (uint32_t dim = 2; dim <= 3; dim++)
    for (int i = 0; i < 2; i++) {
      uint32_t seed = 5;
      for (uint32_t coordinate = 0; coordinate < N * dim; coordinate++)
        points[coordinate] = (float)(random_word(&seed) >> 8) * SIDE / 16777216;
      copse_points *grid = grid_of(points, N, dim, CELLS[i]);
      for (int search = 0; search < SEARCHES; search++) {
        float center[3], distances2[K];
        for (uint32_t axis = 0; axis < dim; axis++)
          center[axis] = (float)(random_word(&seed) >> 8) * SIDE / 16777216;
        uint32_t ids[K];
        copse_results results = {ids, distances2, K, 0, 0};
        CHECK(copse_points_neighbors(grid, center, K, NULL, &results) == COPSE_OK);
        visited[dim - 2][i] += results.visits;
      }
      copse_points_destroy(grid);
    }
  static const uint64_t MEASURED[2][2] = {{2103, 1123}, {43140, 3971}};
  for (int i = 0; i < 4; i++) {
    const uint64_t sum = visited[i / 2][i % 2];
    CHECK(sum == MEASURED[i / 2][i % 2]);
  }
}

const unit_test GRID_TESTS[] = {
    TEST(test_queries_are_exact_where_windows_wrap_around_the_table),
    TEST(test_queries_are_exact_with_windows_wider_than_the_table),
    TEST(test_rays_are_exact_with_pieces_wider_than_the_table),
    TEST(test_queries_far_from_all_agents_are_exact),
    TEST(test_agents_exactly_a_radius_apart_are_found_across_cells),
    TEST(test_cells_share_entries_if_there_are_too_many),
    TEST(test_cells_hold_their_agents),
    TEST(test_queries_are_exact_in_a_world_that_wraps),
    TEST(test_filters_work_in_a_world_that_wraps),
    TEST(test_crowds_across_an_edge_are_exact),
    TEST(test_cells_of_a_world_that_wraps_fill_it),
    TEST(test_invalid_worlds_are_refused),
    TEST(test_a_snapshot_is_refused_by_another_world),
    TEST(test_validate_detects_damage_in_a_grid),
    TEST(test_searches_work_with_the_smallest_cells),
    TEST(test_a_snapshot_is_refused_by_another_cell_size),
    TEST(test_neighbors_in_large_cells_visit_the_recorded_number),
    {NULL, NULL, false},
};
