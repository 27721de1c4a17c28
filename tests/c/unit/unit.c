/* Unit tests of the C API, run under sanitizers. Prints `N passed, N failed`. With nouns as
 * arguments, only theirs. */

#include "unit.h"

kind tested;

uint32_t repeats(uint32_t all) {
  const char *part = getenv("COPSE_UNIT_PART");
  return part ? all / (uint32_t)atoi(part) : all;
}

static const char *failure; /* of the current test */
static int failureLine;

void fail(const char *condition, int line) {
  if (failure) return;
  failure = condition;
  failureLine = line;
}

static const struct {
  const char *noun;
  const unit_test *tests;
} NOUNS[] = {
    {"core", CORE_TESTS},         {"memory", MEMORY_TESTS}, {"points", POINTS_TESTS},
    {"grid", GRID_TESTS},         {"kdtree", KDTREE_TESTS}, {"octree", OCTREE_TESTS},
    {"obstacle", OBSTACLE_TESTS}, {"crowd", CROWD_TESTS},
};

/* Grids with tables that are whole, shared, and of one entry. */
static const kind KINDS[] = {
    {.noun = AGENTTREE},
    {.noun = GRID, .cellSize = 1},
    {.noun = GRID, .cellSize = 0.01f},
    {.noun = GRID, .cellSize = 1e20f},
    {.noun = KDTREE, .builder = COPSE_BUILDER_QUICKSELECT},
    {.noun = KDTREE, .builder = COPSE_BUILDER_MEDIAN_OF_MEDIANS},
    {.noun = KDTREE, .builder = COPSE_BUILDER_PRESORT},
};

static bool is_wanted(const char *noun, int count, char **wanted) {
  for (int i = 1; i < count; i++)
    if (!strcmp(noun, wanted[i])) return true;
  return count == 1;
}

int main(int count, char **wanted) {
  int passed = 0, failed = 0;
  for (size_t i = 0; i < sizeof NOUNS / sizeof *NOUNS; i++) {
    if (!is_wanted(NOUNS[i].noun, count, wanted)) continue;
    for (const unit_test *test = NOUNS[i].tests; test->name; test++) {
      const size_t kinds = test->isForEvery ? sizeof KINDS / sizeof *KINDS : 1;
      for (size_t each = 0; each < kinds; each++) {
        failure = NULL;
        tested = KINDS[each];
        test->run();
        if (failure)
          printf("FAIL %s.c:%d: %s: %s (kind %d, cellSize %g, builder %d)\n", NOUNS[i].noun,
                 failureLine, test->name, failure, (int)tested.noun, (double)tested.cellSize,
                 (int)tested.builder);
        if (failure)
          failed++;
        else
          passed++;
      }
    }
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}
