/* Crowds whose agents differ in radius: their neighbors are those with the smallest gaps. */

#include "../crowd.h"
#include "../program.h"
#include "crowds.h"

#include <math.h>
#include <string.h>

enum { MOST = 300 };

/* Agents of two or of many radii, some far larger than the others; some with masks, some absent. */
static void fill(copse_crowd *crowd, uint32_t *state, float side, float most) {
  const float far = (const float[]){0, 0, 3e4f, 1e6f}[random_word(state) % 4];
  const uint32_t count = 2 + random_word(state) % (MOST - 2), sameGroups = random_word(state) % 2;
  for (uint32_t i = 0; i < count; i++) {
    copse_crowd_agent agent = copse_crowd_agent_default();
    uint32_t slot;
    for (int axis = 0; axis < 3; axis++)
      agent.position[axis] = (float)random_number(state, 0, side);
    if (random_word(state) % 4 == 0) /* on a lattice, so that gaps are equal */
      for (int axis = 0; axis < 3; axis++) agent.position[axis] = floorf(agent.position[axis]);
    for (int axis = 0; axis < 3; axis++) agent.position[axis] += axis == 1 ? -far : far;
    agent.radius = random_word(state) % 10 == 0 ? most : 0.5f;
    if (random_word(state) % 5 == 0) agent.radius = (float)random_number(state, 0, most);
    agent.neighborDistance =
        random_word(state) % 8 ? (float)random_number(state, 0, side / 2) : INFINITY;
    agent.maxNeighbors = random_word(state) % 12;
    agent.groups = sameGroups ? 1 : random_word(state) % 9;
    if (random_word(state) % 8 == 0) agent.mask = random_word(state) % 8;
    agent.enabled = random_word(state) % 10 != 0;
    CHECK(copse_crowd_add(crowd, &agent, &slot) == COPSE_OK);
  }
}

/* The neighbors that a step uses, and those that inspect returns, are those that a loop lists. */
static void test_neighbors_are_those_with_the_smallest_gaps(void) {
  uint32_t state = 7, compared = 0;
  for (uint32_t world = 0; world < repeats(600); world++) {
    copse_crowd *crowd = crowd_of(2 + world % 2, MOST, world % 3 ? 10 : 3, false);
    fill(crowd, &state, (const float[]){4, 20, 100, 0.001f}[world % 4],
         (const float[]){1, 6, 40}[world / 3 % 3]);
    const copse_crowd_arrays arrays = copse_crowd_get(crowd);
    const uint32_t end = copse_crowd_slots(crowd);
    static uint32_t expected[MOST][MOST], counts[MOST];
    static bool takesPart[MOST];
    for (uint32_t slot = 0; slot < end; slot++) takesPart[slot] = arrays.enabled[slot];
    for (uint32_t slot = 0; slot < end; slot++) {
      copse_crowd_view view;
      counts[slot] = crowd_list_neighbors(crowd, takesPart, end, slot, expected[slot]);
      CHECK(copse_crowd_inspect(crowd, NULL, 0.1f, slot, &view) == COPSE_OK);
      CHECK(view.neighborCount == counts[slot]);
      CHECK(!memcmp(view.neighbors, expected[slot], counts[slot] * sizeof **expected));
    }
    const bool isByGap = crowd_is_by_gap(crowd, takesPart, end);
    CHECK(copse_crowd_step(crowd, NULL, 0.1f, NULL) == COPSE_OK);
    for (uint32_t slot = 0; slot < end && isByGap; slot++) {
      if (!takesPart[slot] || !arrays.groups[slot]) continue;
      CHECK(crowd->counts[slot] == counts[slot]);
      CHECK(!memcmp(crowd->lists.ids + (size_t)slot * crowd->stride, expected[slot],
                    counts[slot] * sizeof **expected));
      compared++;
    }
    copse_crowd_destroy(crowd);
  }
  CHECK(compared > repeats(600) * 20);
}

static uint32_t add(copse_crowd *crowd, float x, float y, float radius, float goalX) {
  const uint32_t slot = add_with_goal(crowd, x, y, goalX, y);
  copse_crowd_get(crowd).radii[slot] = radius;
  return slot;
}

/* The published algorithm ranks by the distance of centers: an agent with enough small ones around
 * it knows nothing of a large one, however near. */
static void test_a_large_agent_behind_small_ones_counts_unless_exact(void) {
  for (int isExact = 0; isExact < 2; isExact++) {
    copse_crowd *crowd = crowd_of(2, MOST, 3, isExact);
    const uint32_t own = add(crowd, 0, 0, 0.25f, 9), large = add(crowd, 7, 0, 5, -9);
    for (int i = 0; i < 3; i++) add(crowd, -3, (float)(i - 1) * 0.6f, 0.25f, 9);
    copse_crowd_view view;
    CHECK(copse_crowd_inspect(crowd, NULL, 0.1f, own, &view) == COPSE_OK);
    CHECK(view.neighborCount == 3);
    bool isKnown = false;
    for (uint32_t i = 0; i < 3; i++) isKnown |= view.neighbors[i] == large;
    CHECK(isKnown == !isExact && (isExact || view.neighbors[0] == large));
    copse_crowd_destroy(crowd);
  }
}

/* Small agents on their way around a large one that stands: in the plane and in space, for ratios
 * from 2 to 80. None gets deeper into it than a twentieth of its own radius. */
static void test_small_agents_do_not_walk_through_large_ones(void) {
  static const float RATIOS[] = {2, 6, 20, 80};
  for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
    for (int i = 0; i < 4; i++) {
      copse_crowd *crowd = crowd_of(dimensions, MOST, 10, false);
      const copse_crowd_arrays arrays = copse_crowd_get(crowd);
      const float radius = 0.3f * RATIOS[i];
      arrays.locked[add(crowd, 0, 0, radius, NAN)] = 1;
      for (int agent = 0; agent < 60; agent++) {
        const uint32_t slot = add(crowd, radius + 3 + (float)(agent / 10),
                                  (float)(agent % 10) - 4.6f, 0.3f, -3 * radius);
        if (dimensions == 3) arrays.positions[3 * slot + 2] = (float)(agent % 3) - 1;
      }
      double deepest = 0;
      for (uint32_t step = 0; step < repeats(1200); step++) {
        CHECK(copse_crowd_step(crowd, NULL, 1 / 60.0f, NULL) == COPSE_OK);
        for (uint32_t slot = 1; slot <= 60; slot++) {
          double away2 = 0;
          for (uint32_t axis = 0; axis < dimensions; axis++)
            away2 += pow((double)arrays.positions[slot * dimensions + axis], 2);
          deepest = fmax(deepest, (double)radius + 0.3 - sqrt(away2));
        }
      }
      CHECK(deepest <= 0.05 * 0.3);
      copse_crowd_destroy(crowd);
    }
}

const unit_test CROWD_GAPS_TESTS[] = {
    TEST(test_neighbors_are_those_with_the_smallest_gaps),
    TEST(test_a_large_agent_behind_small_ones_counts_unless_exact),
    TEST(test_small_agents_do_not_walk_through_large_ones),
    {NULL, NULL, false},
};
