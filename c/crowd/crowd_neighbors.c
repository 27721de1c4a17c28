/* The neighbors of all agents, for a step.
 *
 * In a sparse crowd, agents have few neighbors, and searching for them costs more than all else. So
 * a search looks a little farther than needed, and lists the agents that it finds. The next steps
 * reuse these lists, until an agent has moved so far that a list may lack a neighbor. Lists can be
 * reused only if none is full: a list that is not full holds all agents within the distance of the
 * search. If a list is full, as in dense crowds, or if an agent has a mask, each step searches.
 *
 * Reusing lists changes no result, so snapshots do not contain them. Lists depend only on which
 * agents are present and where, and each step compares both with the last search. So a game may
 * move, add, remove or restore agents between steps.
 *
 * After L. Verlet, "Computer 'experiments' on classical fluids" (1967). */

#include "../base/geom.h"
#include "../points/agenttree.h"
#include "../points/batch.h"
#include "crowd.h"

#include <string.h>

/* If no agent has a mask, a search looks MARGIN times as far as needed, so that later steps can
 * reuse its lists. If the next step can't reuse them, the next PAUSE searches look only as far as
 * needed, and their lists are not reused. With a larger MARGIN, more steps can reuse a list, but
 * the list holds more agents. */
static const float MARGIN = 1.3f;
enum { PAUSE = 32 };

/* Rounding makes a distance wrong by less than the factor ROUNDED_UP or, if the square of the
 * distance underflows, by less than UNDERFLOW. About twenty operations round, each by less than
 * 1e-7 of its result: differences, squares, sums and roots, and the comparison of distances. */
static const float ROUNDED_UP = 1.00001f, UNDERFLOW = 1e-17f;

/* Sets how many of its neighbors an agent avoids: at most its maxNeighbors, and only those within
 * its neighborDistance. `distances2` are the neighbors' squared distances, ascending. They are
 * not read if the agent avoids neighbors as far away as the last search reached. */
OUT_OF_LINE void count_in_range(copse_crowd *crowd, uint32_t slot, const float *distances2,
                                uint32_t count) {
  const uint32_t limit = crowd_neighbor_limit(crowd, slot);
  const float distance = crowd_number(crowd, FIELD_NEIGHBOR_DISTANCE, slot);
  if (count > limit) count = limit;
  if (distance < crowd->listDistance)
    while (count && distances2[count - 1] > distance * distance) count--;
  crowd->counts[slot] = count;
}

/* For each agent of a range of slots, writes the number of neighbors that it avoids to
 * crowd->counts. Returns true if at least one agent has a full list. */
static bool count_neighbors(copse_crowd *crowd, task_range range) {
  bool isFull = false;
  for (uint32_t slot = range.begin; slot < range.end; slot++) {
    const uint32_t size = crowd->lists.counts[slot];
    isFull |= size == crowd->stride;
    count_in_range(crowd, slot, crowd->lists.distances2 + (size_t)slot * crowd->stride, size);
  }
  return isFull;
}

/* Returns how far the agent that moved farthest is from its position at the last search. The tree
 * still holds the positions of that search, because only searches build the tree. Returns INFINITY
 * if an agent that was present then is not present any more. Looks at a range of the tree's
 * agents. */
static float farthest_move(const copse_crowd *crowd, uint32_t end, task_range range) {
  const copse_points *tree = crowd->tree;
  float farthest2 = 0;
  for (uint32_t place = range.begin; place < range.end; place++) {
    const uint32_t slot = tree->ordered.ids[place];
    const orca_body *body = &crowd->bodies[slot];
    float from[3] = {0};
    if (slot >= end || !crowd->present[slot]) return INFINITY;
    points_center(tree, place, from);
    const float move[3] = {body->position[0] - from[0], body->position[1] - from[1],
                           body->z - from[2]};
    const float move2 = sum_of_squares(move, 3);
    if (move2 > farthest2) farthest2 = move2;
  }
  return sqrtf(farthest2);
}

/* Sorts an agent's list by the current distances, ties by lower id as in a search, and counts the
 * neighbors that the agent avoids. Computes the same distances as a search would, to the last
 * bit. The agent's maxNeighbors may have grown since the search: the list still suffices, because
 * it was not full. */
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

static void choose_range(copse_crowd *crowd, task_range range) {
  for (uint32_t slot = range.begin; slot < range.end; slot++) choose(crowd, slot);
}

/* ---- The same, divided into tasks ---- */

/* The argument of a task: `end` is one past the last slot in use. */
typedef struct list_job {
  copse_crowd *crowd;
  uint32_t end;
} list_job;

static void count_task(void *argument, uint32_t index) {
  const list_job *job = argument;
  job->crowd->parts[index].isFull =
      count_neighbors(job->crowd, task_range_of(index, CROWD_RANGE, job->end));
}

static void move_task(void *argument, uint32_t index) {
  const list_job *job = argument;
  const task_range range = task_range_of(index, CROWD_RANGE, job->crowd->tree->present);
  job->crowd->parts[index].farthest = farthest_move(job->crowd, job->end, range);
}

static void choose_task(void *argument, uint32_t index) {
  const list_job *job = argument;
  choose_range(job->crowd, task_range_of(index, CROWD_RANGE, job->end));
}

static void gaps_task(void *argument, uint32_t index) {
  const list_job *job = argument;
  crowd_list_gaps(job->crowd, task_range_of(index, CROWD_RANGE, job->crowd->tree->present));
}

static bool is_divided(const copse_crowd *crowd, uint32_t end) {
  return tasks_divide(&crowd->def.tasks, end, CROWD_DIVIDED);
}

/* Runs a task for each range of the first `items` slots or agents. Returns the number of ranges. */
static uint32_t each_range(copse_crowd *crowd, uint32_t end, task_function *task, uint32_t items) {
  list_job job = {crowd, end};
  const uint32_t ranges = task_ranges(CROWD_RANGE, items);
  tasks_run(&crowd->def.tasks, task, &job, ranges);
  return ranges;
}

/* ---- All agents ---- */

/* Builds the tree of all agents that are present. */
static void build_tree(copse_crowd *crowd, const crowd_overview *overview) {
  const uint32_t dim = crowd->def.dimensions;
  float *positions = crowd->fields[FIELD_POSITION];
  const points_source source = {
      {{positions, positions + 1, positions + dim - 1}, dim}, crowd->present, overview->end};
  crowd->stride = overview->maxNeighbors;
  points_build_source(crowd->tree, &source, NULL);
}

/* Finds the neighbors of each agent by gap. Later steps do not reuse these lists. */
SMALL_CODE static void search_by_gap(copse_crowd *crowd, const crowd_overview *overview) {
  const uint32_t end = overview->end;
  crowd->listDistance = 0;
  build_tree(crowd, overview);
  crowd_read_radii(crowd);
  if (end) memset(crowd->counts, 0, end * sizeof *crowd->counts);
  if (is_divided(crowd, end))
    each_range(crowd, end, gaps_task, crowd->tree->present);
  else
    crowd_list_gaps(crowd, (task_range){0, crowd->tree->present});
}

/* Fills the list of each agent with its nearest neighbors up to a distance, at most
 * overview->maxNeighbors. Sets crowd->listDistance to this distance. True if no list is full. */
SMALL_CODE static bool search(copse_crowd *crowd, const crowd_overview *overview, float distance) {
  const uint32_t end = overview->end;
  const uint32_t *masks = overview->hasMasks ? crowd_whole(crowd, FIELD_MASK) : NULL;
  copse_query query = copse_query_default();
  query.maxDistance = distance;
  crowd->listDistance = distance;
  build_tree(crowd, overview);
  batch_all_neighbors(crowd->tree, agenttree_all_neighbors, crowd->stride, &query, masks,
                      &crowd->lists, overview->leastDistance < distance);
  if (!is_divided(crowd, end)) return !count_neighbors(crowd, (task_range){0, end});
  bool isFull = false;
  for (uint32_t i = each_range(crowd, end, count_task, end); i-- > 0;)
    isFull |= crowd->parts[i].isFull;
  return !isFull;
}

/* Returns how far any agent moved since the last search; INFINITY if the agents that are present
 * are not the same ones as then. */
SMALL_CODE static float farthest(copse_crowd *crowd, const crowd_overview *overview) {
  const uint32_t present = crowd->tree->present, end = overview->end;
  float most = 0;
  if (present != overview->present) return INFINITY;
  if (!is_divided(crowd, end)) return farthest_move(crowd, end, (task_range){0, present});
  for (uint32_t i = each_range(crowd, end, move_task, present); i-- > 0;)
    if (crowd->parts[i].farthest > most) most = crowd->parts[i].farthest;
  return most;
}

SMALL_CODE void crowd_find_neighbors(copse_crowd *crowd, const crowd_overview *overview) {
  const float needed = overview->neighborDistance;
  if (crowd_ranks_by_gap(crowd, overview)) {
    search_by_gap(crowd, overview);
    return;
  }
  if (crowd->listDistance > 0 && !overview->hasMasks) {
    /* Agents that are not in each other's lists were farther apart than listDistance. Since then,
     * both may have moved toward each other: hence 2 * moved. */
    const float moved = farthest(crowd, overview);
    if (ROUNDED_UP * (needed + 2 * moved) + UNDERFLOW < crowd->listDistance) {
      if (is_divided(crowd, overview->end))
        each_range(crowd, overview->end, choose_task, overview->end);
      else
        choose_range(crowd, (task_range){0, overview->end});
      crowd->pause = 0;
      return;
    }
  }
  /* Looking farther than needed, by the factor MARGIN, pays only if later steps reuse the lists. So
   * one search looks farther, and the next PAUSE searches do not. A step that reuses lists (above)
   * ends this pause. */
  const bool wantsLists = !overview->hasMasks && !crowd->pause;
  crowd->pause = wantsLists ? PAUSE : crowd->pause ? crowd->pause - 1 : 0;
  const float distance = wantsLists ? MARGIN * needed : needed;
  if (!search(crowd, overview, distance) || !wantsLists) crowd->listDistance = 0;
}
