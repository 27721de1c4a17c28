/* One hot loop of copse on seeded data, for callgrind, which counts only what `measured` runs: see
 * instructions.js. Prints the number of agents, queries or cells that the loop passed. Uses only
 * copse.h, so that it can be compiled with the library of another commit. */

#include "../../../c/copse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 10000, QUERIES = 2000, K = 8, ROOM = 64 * N, WARM_UP = 40, STEPS = 4, SIDE = 256 };

static uint32_t state = 1;

/* Returns a number from 0 to 1. */
static float drawn(void) {
  state = state * 1664525u + 1013904223u;
  return (float)(state >> 8) / 16777216.0f;
}

static void check(copse_status status) {
  if (status == COPSE_OK) return;
  fprintf(stderr, "%s\n", copse_status_text(status));
  exit(2);
}

/* callgrind counts from here: see --toggle-collect. */
__attribute__((noinline)) static void measured(void (*work)(void)) {
  work();
  __asm__ volatile("" ::: "memory");
}

/* ---- Points: about one per unit of area, and ten neighbors each ---- */

static const float RADIUS = 1.78125f;
static copse_points *points;
static float centers[2 * QUERIES];
static uint32_t offsets[N], counts[N], ids[ROOM];
static float distances2[ROOM];

static void create_points(bool isGrid) {
  if (isGrid) {
    copse_grid_def def = copse_grid_default();
    def.capacity = N;
    def.cellSize = RADIUS;
    check(copse_grid_create(&def, &points));
  } else {
    copse_agenttree_def def = copse_agenttree_default();
    def.capacity = N;
    check(copse_agenttree_create(&def, &points));
  }
  check(copse_points_set_slots(points, N));
  float *positions = copse_points_positions(points).axes[0];
  for (int i = 0; i < 2 * N; i++) positions[i] = drawn() * 100;
  for (int i = 0; i < 2 * QUERIES; i++) centers[i] = drawn() * 100;
  check(copse_points_build(points, NULL));
}

static void build(void) { check(copse_points_build(points, NULL)); }

static void all_within(void) {
  copse_rows rows = {offsets, counts, ids, ROOM, 0, false};
  check(copse_points_all_within(points, RADIUS, NULL, NULL, &rows));
}

static void all_neighbors(void) {
  copse_neighbor_rows rows = {counts, ids, distances2};
  check(copse_points_all_neighbors(points, K, NULL, NULL, &rows));
}

static void within(void) {
  for (int i = 0; i < QUERIES; i++) {
    copse_results results = {ids, NULL, ROOM, 0, 0};
    check(copse_points_within(points, centers + 2 * i, RADIUS, NULL, &results));
  }
}

static void range(void) {
  for (int i = 0; i < QUERIES; i++) {
    const float *center = centers + 2 * i;
    const float lo[] = {center[0] - 1.5f, center[1] - 1.5f};
    const float hi[] = {center[0] + 1.5f, center[1] + 1.5f};
    copse_results results = {ids, NULL, ROOM, 0, 0};
    check(copse_points_range(points, lo, hi, NULL, &results));
  }
}

static void nearest(void) {
  for (int i = 0; i < QUERIES; i++)
    check(copse_points_nearest(points, centers + 2 * i, NULL, ids, NULL, NULL));
}

static void neighbors(void) {
  for (int i = 0; i < QUERIES; i++) {
    copse_results results = {ids, distances2, ROOM, 0, 0};
    check(copse_points_neighbors(points, centers + 2 * i, K, NULL, &results));
  }
}

/* ---- Crowds, with sizes, horizons and places as in crowds.js ---- */

static copse_crowd *crowd;
static copse_obstacle *walls;

static void add_agent(float x, float y) {
  copse_crowd_agent agent = copse_crowd_agent_default();
  agent.position[0] = x;
  agent.position[1] = y;
  agent.goal[0] = -x;
  agent.goal[1] = -y;
  agent.radius = 1.5f;
  agent.neighborDistance = 15;
  agent.timeHorizon = 10;
  uint32_t slot;
  check(copse_crowd_add(crowd, &agent, &slot));
}

static void steps(int count) {
  for (int i = 0; i < count; i++) check(copse_crowd_step(crowd, walls, 0.25f, NULL));
}

static void crowd_steps(void) { steps(STEPS); }

static void create_crowd(bool isExact) {
  copse_crowd_def def = copse_crowd_default();
  def.capacity = N;
  def.exact = isExact;
  check(copse_crowd_create(&def, &crowd));
}

/* Agents in a square, which all head for the opposite place. */
static void fill_crush(void) {
  for (int i = 0; i < N; i++)
    add_agent((float)(i % 100 - 50) * 4 + 0.5f * drawn(),
              (float)(i / 100 - 50) * 4 + 0.5f * drawn());
  steps(WARM_UP);
}

/* The same, with a giant, 12 times as large, for every 500 agents. */
static void fill_sizes(void) {
  fill_crush();
  for (uint32_t slot = 0; slot < N; slot += 500) copse_crowd_get(crowd).radii[slot] *= 12;
  steps(WARM_UP);
}

/* Four groups that cross between four boxes. */
static void fill_blocks(void) {
  static const float LANE = 60, FAR = 120;
  const copse_obstacle_def def = copse_obstacle_default();
  check(copse_obstacle_create(&def, &walls));
  for (int i = 0; i < 4; i++) {
    const float x = i & 1 ? -FAR : LANE, y = i & 2 ? -FAR : LANE, size = FAR - LANE;
    const float box[] = {x, y, x + size, y, x + size, y + size, x, y + size};
    uint32_t slot;
    check(copse_obstacle_add(walls, box, 4, COPSE_SOLID_INSIDE, &slot));
  }
  check(copse_obstacle_build(walls, NULL));
  for (int i = 0; i < N; i++) {
    const float x = 10 + (float)(i / 4 % 50) * 4 + 0.5f * drawn();
    const float y = (float)(i / 200) * 2 - 50 + 0.5f * drawn();
    const float along = i % 2 ? x : -x;
    add_agent(i & 2 ? along : y, i & 2 ? y : along);
  }
  steps(WARM_UP);
}

/* Agents in a row around a circle, with few neighbors. */
static void fill_ring(void) {
  float x = 8000, y = 0;
  const float cosine = 0.99999980260792f, sine = 0.000628318489377f; /* of a turn in N parts */
  for (int i = 0; i < N; i++) {
    add_agent(x, y);
    const float next = x * cosine - y * sine;
    y = x * sine + y * cosine;
    x = next;
  }
  steps(WARM_UP);
}

/* ---- A flow field ---- */

static copse_flowfield *field;

static void create_field(void) {
  const copse_obstacle_def def = copse_obstacle_default();
  check(copse_obstacle_create(&def, &walls));
  for (int i = 0; i < 200; i++) {
    const float x = drawn() * 190, y = drawn() * 190, w = 2 + 6 * drawn(), h = 2 + 6 * drawn();
    const float box[] = {x, y, x + w, y, x + w, y + h, x, y + h};
    uint32_t slot;
    check(copse_obstacle_add(walls, box, 4, COPSE_SOLID_INSIDE, &slot));
  }
  check(copse_obstacle_build(walls, NULL));
  copse_flowfield_def level = copse_flowfield_default();
  const float bounds[] = {0, 0, 200, 200};
  memcpy(level.bounds, bounds, sizeof bounds);
  level.cell = 200.0f / SIDE;
  check(copse_flowfield_create(&level, &field));
  copse_flowfield_set_obstacles(field, walls);
  copse_flowfield_goal goal;
  memset(&goal, 0, sizeof goal);
  for (int axis = 0; axis < 2; axis++) goal.lo[axis] = goal.hi[axis] = 195;
  check(copse_flowfield_set_goals(field, &goal, 1));
}

static void field_build(void) { check(copse_flowfield_build(field, NULL)); }

/* ---- The loops ---- */

static void tree(void) { create_points(false); }
static void grid(void) { create_points(true); }
static void exact_crush(void) { create_crowd(true), fill_crush(); }
static void exact_blocks(void) { create_crowd(true), fill_blocks(); }
static void exact_ring(void) { create_crowd(true), fill_ring(); }
static void usual_crush(void) { create_crowd(false), fill_crush(); }
static void usual_sizes(void) { create_crowd(false), fill_sizes(); }

static const struct {
  const char *name;
  void (*prepare)(void), (*work)(void);
  int items;
} LOOPS[] = {
    {"tree, build", tree, build, N},
    {"tree, allWithin", tree, all_within, N},
    {"tree, allNeighbors", tree, all_neighbors, N},
    {"tree, within", tree, within, QUERIES},
    {"tree, range", tree, range, QUERIES},
    {"tree, nearest", tree, nearest, QUERIES},
    {"tree, neighbors", tree, neighbors, QUERIES},
    {"grid, build", grid, build, N},
    {"grid, allWithin", grid, all_within, N},
    {"grid, allNeighbors", grid, all_neighbors, N},
    {"grid, within", grid, within, QUERIES},
    {"crowd, exact, crush", exact_crush, crowd_steps, N *STEPS},
    {"crowd, exact, blocks", exact_blocks, crowd_steps, N *STEPS},
    {"crowd, exact, ring", exact_ring, crowd_steps, N *STEPS},
    {"crowd, crush", usual_crush, crowd_steps, N *STEPS},
    {"crowd, sizes", usual_sizes, crowd_steps, N *STEPS},
    {"field, build", create_field, field_build, SIDE *SIDE},
};

/* Prints the names of all loops, or plays the loop of a name. */
int main(int count, char **words) {
  for (size_t i = 0; i < sizeof LOOPS / sizeof *LOOPS; i++) {
    if (count < 2)
      printf("%s\n", LOOPS[i].name);
    else if (!strcmp(words[1], LOOPS[i].name)) {
      LOOPS[i].prepare();
      measured(LOOPS[i].work);
      printf("%d\n", LOOPS[i].items);
    }
  }
  return 0;
}
