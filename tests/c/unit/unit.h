/* What the unit tests share. Each noun has a file, which ends with the table of its tests. */
#ifndef UNIT_H
#define UNIT_H

#include "../compare.h"
#include "../ledger.h"

#include <stdio.h>

typedef struct unit_test {
  const char *name;
  void (*run)(void);
  bool isForEvery; /* run once for each kind of index; `tested` is the current one */
} unit_test;

#define TEST(name)                                                                                 \
  { #name, name, false }
#define EVERY(name)                                                                                \
  { #name, name, true }

extern const unit_test CORE_TESTS[], MEMORY_TESTS[], POINTS_TESTS[], GRID_TESTS[], KDTREE_TESTS[],
    OCTREE_TESTS[], OBSTACLE_TESTS[], OBSTACLE_SIGHT_TESTS[], WORK_TESTS[], CROWD_TESTS[],
    CROWD_GAPS_TESTS[], CROWD_GOALS_TESTS[], CROWD_WALLS_TESTS[], SENSORS_TESTS[],
    FLOWFIELD_TESTS[], CROWD_FOLLOW_TESTS[], TASKS_TESTS[];

extern kind tested;

/* Returns how often a long test repeats its work: `count` times, divided by the environment
 * variable COPSE_UNIT_PART if that is set. */
uint32_t repeats(uint32_t count);

/* Reports a failed check; of each test only the first one. */
void fail(const char *condition, int line);

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) fail(#condition, __LINE__);                                                  \
  } while (0)

/* Returns interleaved coordinates as read-only positions. */
static inline copse_const_positions interleaved(const float *points, uint32_t dim) {
  float *x = (float *)points;
  return (copse_const_positions){{x, x + 1, x + 2}, dim};
}

#endif
