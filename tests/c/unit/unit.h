/* What the unit tests share: a file for each noun, a table of its tests at the end of the file. */
#ifndef UNIT_H
#define UNIT_H

#include "../compare.h"
#include "../ledger.h"

#include <stdio.h>

typedef struct unit_test {
  const char *name;
  void (*run)(void);
  bool isForEvery; /* kind of index of points; `tested` says which */
} unit_test;

#define TEST(name)                                                                                 \
  { #name, name, false }
#define EVERY(name)                                                                                \
  { #name, name, true }

extern const unit_test CORE_TESTS[], MEMORY_TESTS[], POINTS_TESTS[], GRID_TESTS[], KDTREE_TESTS[],
    OCTREE_TESTS[], OBSTACLE_TESTS[], OBSTACLE_SIGHT_TESTS[], WORK_TESTS[], CROWD_TESTS[],
    CROWD_WALLS_TESTS[];

extern kind tested;

/* How often a long test does what it does with other numbers each time: as often as this, or the
 * part of it that COPSE_UNIT_PART, an environment variable, divides by. */
uint32_t repeats(uint32_t all);

/* Only the first failure of a test is told. */
void fail(const char *condition, int line);

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) fail(#condition, __LINE__);                                                  \
  } while (0)

/* Points that are only read. */
static inline copse_const_positions interleaved(const float *points, uint32_t dim) {
  float *x = (float *)points;
  return (copse_const_positions){{x, x + 1, x + 2}, dim};
}

#endif
