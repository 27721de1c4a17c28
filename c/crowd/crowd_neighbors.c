/* The neighbors of all agents, for a step.
 *
 * In a sparse crowd, agents have few neighbors, and a search for them costs more than all else. So
 * it looks a little farther than needed, and the next steps choose from its lists, until an agent
 * has moved so far that a list may lack a neighbor. This needs lists that are not full: they hold
 * all agents within the distance of the search. In dense crowds, where lists are full, each step
 * has a search of its own.
 *
 * Lists change no result and are not part of the state. They depend on positions only, so a game
 * may write or restore positions between steps.
 *
 * After L. Verlet, "Computer 'experiments' on classical fluids" (1967).
 *
 * Compiled for speed. */

#include "../base/geom.h"
#include "../points/agenttree.h"
#include "../points/batch.h"
#include "crowd.h"

/* A search for lists looks this many times as far as needed. If lists turn out to be of no use, the
 * next PAUSE searches look no farther than needed. */
static const float MARGIN = 1.3f;
enum { PAUSE = 32 };

/* Bounds of the rounding errors of a distance, and of one whose square underflows. */
static const float ROUNDED_UP = 1.00001f, UNDERFLOW = 1e-17f;

/* Sets how many of an agent's neighbors, which are sorted by distance, it avoids: up to its own
 * maxNeighbors and neighborDistance. */
static void count_in_range(copse_crowd *crowd, uint32_t slot, const float *distances2,
                           uint32_t count) {
  const uint32_t limit = crowd_neighbor_limit(crowd, slot);
  const float distance = crowd_number(crowd, FIELD_NEIGHBOR_DISTANCE, slot);
  if (count > limit) count = limit;
  for (; count && distances2[count - 1] > distance * distance; count--) WORKED(1);
  crowd->counts[slot] = count;
}

/* Finds the k nearest neighbors of all agents, within a distance. True if no list is full. */
SMALL_CODE static bool search(copse_crowd *crowd, const crowd_overview *overview, float distance) {
  const uint32_t dim = crowd->def.dimensions, k = overview->maxNeighbors;
  const uint32_t *masks = overview->hasMasks ? crowd_whole(crowd, FIELD_MASK) : NULL;
  float *positions = crowd->fields[FIELD_POSITION];
  const copse_const_positions input = {{positions, positions + 1, positions + dim - 1}, dim};
  copse_query query = copse_query_default();
  bool isFull = false;
  query.maxDistance = distance;
  copse_points_build_from(crowd->tree, &input, crowd->present, overview->end, NULL);
  batch_all_neighbors(crowd->tree, agenttree_all_neighbors, k, &query, masks, &crowd->lists);
  crowd->stride = k;
  for (uint32_t slot = 0; slot < overview->end; slot++) {
    const uint32_t size = crowd->lists.counts[slot];
    isFull |= size == k;
    count_in_range(crowd, slot, crowd->lists.distances2 + (size_t)slot * k, size);
  }
  return !isFull;
}

/* Returns how far the agents have moved since the last search, at most; INFINITY if others are
 * present. */
SMALL_CODE static float farthest_move(const copse_crowd *crowd, const crowd_overview *overview) {
  const copse_points *tree = crowd->tree;
  float farthest2 = tree->present == overview->present ? 0 : INFINITY;
  for (uint32_t place = 0; place < tree->present; place++) {
    const uint32_t slot = tree->ordered.ids[place];
    const orca_body *body = &crowd->bodies[slot];
    float from[3];
    WORKED(1);
    if (slot >= overview->end || !crowd->present[slot]) return INFINITY;
    points_center(tree, place, from);
    const float move[3] = {body->position[0] - from[0], body->position[1] - from[1],
                           body->z - from[2]};
    const float move2 = sum_of_squares(move, 3);
    if (move2 > farthest2) farthest2 = move2;
  }
  return sqrtf(farthest2);
}

/* Sorts the list of an agent by the present distances, and counts its neighbors. */
OUT_OF_LINE void choose(copse_crowd *crowd, uint32_t slot) {
  uint32_t *ids = crowd->lists.ids + (size_t)slot * crowd->stride;
  const uint32_t size = crowd->present[slot] ? crowd->lists.counts[slot] : 0;
  const orca_body *own = &crowd->bodies[slot];
  float distances2[COPSE_CROWD_MAX_NEIGHBORS];
  for (uint32_t i = 0; i < size; i++) {
    const orca_body *other = &crowd->bodies[ids[i]];
    const float d[3] = {other->position[0] - own->position[0],
                        other->position[1] - own->position[1], other->z - own->z};
    WORKED(1);
    distances2[i] = sum_of_squares(d, 3);
  }
  pairs_sort((pairs){distances2, ids}, size, BY_DISTANCE);
  count_in_range(crowd, slot, distances2, size);
}

SMALL_CODE void crowd_find_neighbors(copse_crowd *crowd, const crowd_overview *overview) {
  const float needed = overview->neighborDistance;
  if (crowd->listDistance > 0 && !overview->hasMasks) {
    const float moved = farthest_move(crowd, overview);
    if (ROUNDED_UP * (needed + 2 * moved) + UNDERFLOW < crowd->listDistance) {
      for (uint32_t slot = 0; slot < overview->end; slot++) choose(crowd, slot);
      crowd->pause = 0;
      return;
    }
  }
  const bool wantsLists = !overview->hasMasks && !crowd->pause;
  crowd->pause = wantsLists ? PAUSE : crowd->pause ? crowd->pause - 1 : 0;
  const float distance = wantsLists ? MARGIN * needed : needed;
  const bool isUsable = search(crowd, overview, distance) && wantsLists;
  crowd->listDistance = isUsable ? distance : 0;
}
