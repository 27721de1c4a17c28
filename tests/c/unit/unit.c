/* Unit tests of the C API, run under sanitizers. Prints `N passed, N failed`. Arguments are nouns,
 * to run only their tests; `points/grid` runs the tests of all indexes for grids alone. */

#include "unit.h"

kind tested;

uint32_t repeats(uint32_t count) {
  const char *part = getenv("COPSE_UNIT_PART");
  return part ? count / (uint32_t)atoi(part) : count;
}

static const char *noun, *test; /* the current ones */
static bool hasFailed;

void fail(const char *condition, int line) {
  if (hasFailed) return;
  hasFailed = true;
  printf("FAIL %s.c:%d: %s: %s (kind %d, cellSize %g, builder %d)\n", noun, line, test, condition,
         (int)tested.noun, (double)tested.cellSize, (int)tested.builder);
}

static const struct {
  const char *noun;
  const unit_test *tests;
} NOUNS[] = {
    {"core", CORE_TESTS},
    {"work", WORK_TESTS},
    {"memory", MEMORY_TESTS},
    {"points", POINTS_TESTS},
    {"grid", GRID_TESTS},
    {"kdtree", KDTREE_TESTS},
    {"sensors", SENSORS_TESTS},
    {"octree", OCTREE_TESTS},
    {"obstacle", OBSTACLE_TESTS},
    {"obstacle_sight", OBSTACLE_SIGHT_TESTS},
    {"crowd", CROWD_TESTS},
    {"crowd_goals", CROWD_GOALS_TESTS},
    {"crowd_gaps", CROWD_GAPS_TESTS},
    {"crowd_walls", CROWD_WALLS_TESTS},
    {"flowfield", FLOWFIELD_TESTS},
    {"crowd_follow", CROWD_FOLLOW_TESTS},
    {"tasks", TASKS_TESTS},
};

/* The kinds of indexes that are tested. The grids have an entry for each cell, cells that share
 * entries, and one entry only. */
static const kind KINDS[] = {
    {.noun = AGENTTREE},
    {.noun = GRID, .cellSize = 1},
    {.noun = GRID, .cellSize = 0.01f},
    {.noun = GRID, .cellSize = 1e20f},
    {.noun = KDTREE, .builder = COPSE_BUILDER_QUICKSELECT},
    {.noun = KDTREE, .builder = COPSE_BUILDER_MEDIAN_OF_MEDIANS},
    {.noun = KDTREE, .builder = COPSE_BUILDER_PRESORT},
};

static const char *const KIND_NAMES[] = {"agenttree", "grid", "kdtree"};

static bool is_wanted(const char *kindName, int count, char **wanted) {
  char withKind[32];
  snprintf(withKind, sizeof withKind, "%s/%s", noun, kindName);
  for (int i = 1; i < count; i++)
    if (!strcmp(noun, wanted[i]) || !strcmp(withKind, wanted[i])) return true;
  return count == 1;
}

int main(int count, char **wanted) {
  int passed = 0, failed = 0;
  setvbuf(stdout, NULL, _IOLBF, 0); /* failures are printed even if a crash follows */
  for (size_t i = 0; i < sizeof NOUNS / sizeof *NOUNS; i++) {
    noun = NOUNS[i].noun;
    for (const unit_test *each = NOUNS[i].tests; each->name; each++) {
      const size_t kinds = each->isForEvery ? sizeof KINDS / sizeof *KINDS : 1;
      for (size_t like = 0; like < kinds; like++) {
        tested = KINDS[like];
        if (!is_wanted(KIND_NAMES[tested.noun], count, wanted)) continue;
        test = each->name;
        hasFailed = false;
        each->run();
        if (hasFailed)
          failed++;
        else
          passed++;
      }
    }
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}
