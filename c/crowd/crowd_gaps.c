/* The neighbors of all agents, for a step of a crowd whose agents differ in radius.
 *
 * What an agent must avoid first is not whose center is nearest, but whose border is: the gap
 * between two agents is the distance of their centers less both radii. So in such a crowd, an
 * agent's neighbors are those with the smallest gaps. They are found in the tree of centers: each
 * node also knows the radius of its widest agent, and can be skipped if even that would be too far
 * away. So a few large agents slow down only searches near them.
 *
 * Agents are searched for in units of a few that follow each other in the tree, and so are near
 * each other. All agents that may be within the expected gap of an agent of the unit are copied to
 * one array, which each of its agents scans. If an agent turns out to need a larger gap, it
 * searches the tree by itself. */

#include "../base/geom.h"
#include "../base/scan.h"
#include "../points/agenttree.h"
#include "crowd.h"

/* The tests before crowd_gap_of are a little wider than exact, by this fraction of the numbers that
 * are added up, because they round. */
static const float SLACK = 1e-5f;

/* Writes to crowd->widest, for each node, the radius of its widest agent. Children come after their
 * parents. */
static void put_widest(copse_crowd *crowd, const struct agenttree *tree) {
  for (uint32_t index = tree->nodeCount; index-- > 0;) {
    const agenttree_node *node = &tree->nodes[index];
    float widest = 0;
    if (node->right)
      widest = fmaxf(crowd->widest[index + 1], crowd->widest[node->right]);
    else
      for (uint32_t place = node->begin; place < node->end; place++)
        widest = fmaxf(widest, crowd->radii[place]);
    crowd->widest[index] = widest;
  }
}

/* ---- Searches for one agent ---- */

/* An agent that searches. Its `nearest` holds gaps in place of squared distances. */
typedef struct gap_search {
  const copse_crowd *crowd;
  const orca_body *own;
  float center[3];
  float distance; /* the agent's neighborDistance */
  scan_nearest nearest;
} gap_search;

/* Returns a distance beyond which no center of an agent of at most this radius can count. Negative:
 * not even one at the same point. */
ALWAYS_INLINE float reach_of_gaps(const gap_search *search, float radius) {
  const float limit = search->nearest.limit2, radii = search->own->radius + radius;
  return limit + radii + SLACK * ((limit < 0 ? -limit : limit) + radii) + 1e-17f;
}

/* Offers the agents of a leaf. */
ALWAYS_INLINE void scan_gaps(gap_search *search, const struct agenttree *tree,
                             const agenttree_node *leaf, const scan_filter *filter, float reach,
                             const int dim) {
  const scan_points *points = &tree->points.ordered;
  const float *radii = search->crowd->radii;
  const scan_center center = scan_center_at(search->center, dim);
  const float4 reach2 = float4_all(reach * reach);
  for (uint32_t i = leaf->begin; i < leaf->end; i += 4) {
    const float4 distances2 = scan_distance2(points, i, &center, dim);
    uint32_t bits = scan_filter4(points, i, leaf->end, filter, float4_le(distances2, reach2));
    if (!bits) continue;
    float lanes[4];
    float4_store(lanes, distances2);
    for (uint32_t lane = 0; lane < 4; lane++) {
      if (!(bits >> lane & 1)) continue;
      const float radius = radii[i + lane];
      if (!crowd_is_in_range(lanes[lane], search->distance, search->own->radius, radius)) continue;
      const float gap = crowd_gap_of(lanes[lane], search->own->radius, radius);
      if (gap <= search->nearest.limit2) scan_offer(&search->nearest, gap, points->ids[i + lane]);
    }
  }
}

ALWAYS_INLINE void search_gaps_in(gap_search *search, const struct agenttree *tree,
                                  const copse_query *query, const int dim) {
  uint32_t stack[COPSE_MAX_DEPTH + 1], waiting = 1;
  stack[0] = 0;
  while (waiting) {
    const uint32_t index = stack[--waiting];
    WORKED(1);
    const agenttree_node *node = &tree->nodes[index];
    const float reach = reach_of_gaps(search, search->crowd->widest[index]);
    if (reach < 0 || !(node->anyGroups & query->mask)) continue;
    if (!(box_gap2(agenttree_box(tree, index, dim), search->center, dim) <= reach * reach))
      continue;
    if (node->right) {
      const child_gaps gaps = child_gaps_at(node, search->center);
      const bool leftFirst = gaps.left2 <= gaps.right2;
      stack[waiting++] = leftFirst ? node->right : index + 1;
      stack[waiting++] = leftFirst ? index + 1 : node->right;
    } else {
      const scan_filter filter = agenttree_filter(node, query);
      scan_gaps(search, tree, node, &filter, reach, dim);
    }
  }
}

DEFINE_PAIR_VOID(void, search_gaps,
                 (gap_search *const search, const struct agenttree *tree, const copse_query *query),
                 search, tree, query)

/* Writes the list of an agent, nearest first. */
static void list_alone(copse_crowd *crowd, const struct agenttree *tree, uint32_t slot) {
  const uint32_t dim = crowd->def.dimensions;
  const size_t row = (size_t)slot * crowd->stride;
  const orca_body *own = &crowd->bodies[slot];
  const float distance = crowd_number(crowd, FIELD_NEIGHBOR_DISTANCE, slot);
  gap_search search = {.crowd = crowd,
                       .own = own,
                       .center = {own->position[0], own->position[1], dim == 3 ? own->z : 0},
                       .distance = distance,
                       .nearest = {.heap = {crowd->lists.distances2 + row, crowd->lists.ids + row},
                                   .k = crowd_neighbor_limit(crowd, slot),
                                   .limit2 = distance}};
  copse_query query = copse_query_default();
  query.mask = crowd_whole(crowd, FIELD_MASK)[slot];
  query.exclude = slot;
  CALL_PAIR(dim, search_gaps, &search, tree, &query);
  heap_sort(search.nearest.heap, search.nearest.size, BY_DISTANCE);
  crowd->counts[slot] = search.nearest.size;
}

/* ---- Units ---- */

enum {
  UNIT = 64,
  GATHER_LIMIT = 2048,
  PADDING = 8,
  ROWS = 16,
  COLUMNS = 32,
  CELLS = ROWS * COLUMNS
};

/* Copies of the agents near a unit: first `wide` ones that are much larger than those of the unit,
 * then the others by cells: those of a row are next to each other, along x. Cell c ends at ends[c].
 */
typedef struct gathered {
  float axes[3][GATHER_LIMIT + PADDING], radii[GATHER_LIMIT + PADDING];
  uint32_t ids[GATHER_LIMIT + PADDING], groups[GATHER_LIMIT + PADDING], size;
  uint32_t wide, ends[CELLS];
  float lo[2], scale[2]; /* of x and y: see cell_along */
  float widest;          /* the largest radius of the others */
} gathered;

/* Returns the column of a coordinate x, or the row of a y. */
ALWAYS_INLINE uint32_t cell_along(const gathered *near, float x, int axis) {
  const float cell = (x - near->lo[axis]) * near->scale[axis];
  const uint32_t cells = axis ? ROWS : COLUMNS;
  return cell > 0 ? (cell < (float)cells ? (uint32_t)cell : cells - 1) : 0;
}

/* Sorts agents by cells. Agents with a radius above `most` are wide. */
static void sort_cells(gathered *near, const gathered *from, float most, const int dim) {
  uint32_t counts[CELLS + 1] = {0}, keys[GATHER_LIMIT];
  near->widest = 0;
  for (uint32_t i = 0; i < from->size; i++) {
    const bool isWide = from->radii[i] > most;
    const uint32_t row = cell_along(near, from->axes[1][i], 1);
    keys[i] = isWide ? 0 : 1 + row * COLUMNS + cell_along(near, from->axes[0][i], 0);
    counts[keys[i]]++;
    if (!isWide && from->radii[i] > near->widest) near->widest = from->radii[i];
  }
  near->wide = counts[0];
  uint32_t next = counts[0];
  counts[0] = 0;
  for (uint32_t cell = 0; cell < CELLS; cell++) {
    const uint32_t begin = next;
    next += counts[cell + 1];
    counts[cell + 1] = begin;
    near->ends[cell] = next;
  }
  for (uint32_t i = 0; i < from->size; i++) {
    const uint32_t to = counts[keys[i]]++;
    EACH_AXIS (axis, dim) near->axes[axis][to] = from->axes[axis][i];
    near->radii[to] = from->radii[i];
    near->ids[to] = from->ids[i];
    near->groups[to] = from->groups[i];
  }
  near->size = from->size;
}

/* Copies all agents that may be within a gap of `limit` of the unit's agents. False if they are too
 * many. */
ALWAYS_INLINE bool gather_in(gathered *near, const copse_crowd *crowd, const struct agenttree *tree,
                             task_range unit, float limit, const int dim) {
  const scan_points *points = &tree->points.ordered;
  gathered found;
  float middle[3] = {0}, widest = 0, sum = 0, size2 = 0, farthest = 0;
  EACH_AXIS (axis, dim) {
    float lo = INFINITY, hi = -INFINITY;
    for (uint32_t place = unit.begin; place < unit.end; place++) {
      const float x = points->axes[axis][place];
      lo = x < lo ? x : lo;
      hi = x > hi ? x : hi;
    }
    middle[axis] = lo / 2 + hi / 2;
    farthest += fabsf(middle[axis]);
    size2 += (hi - lo) * (hi - lo);
  }
  for (uint32_t place = unit.begin; place < unit.end; place++) {
    widest = fmaxf(widest, crowd->radii[place]);
    sum += crowd->radii[place];
  }
  /* From the middle of the unit to an agent: half of its diagonal, rounded up. Far from 0, the
   * middle itself is rounded. */
  const float reach = limit + widest + 0.5001f * sqrtf(size2) + 1e-6f * farthest + 1e-17f;
  const float4 reach4 = float4_all(reach);
  const scan_center center = scan_center_at(middle, dim);
  uint32_t stack[COPSE_MAX_DEPTH + 1], waiting = 1;
  stack[0] = found.size = 0;
  while (waiting) {
    const uint32_t index = stack[--waiting];
    WORKED(1);
    const agenttree_node *node = &tree->nodes[index];
    const float most = (reach + crowd->widest[index]) * (1 + SLACK);
    if (!(box_gap2(agenttree_box(tree, index, dim), middle, dim) <= most * most)) continue;
    if (node->right) {
      stack[waiting++] = node->right;
      stack[waiting++] = index + 1;
      continue;
    }
    if (found.size + (node->end - node->begin) > GATHER_LIMIT) return false;
    const bool sameGroups = node->anyGroups == node->allGroups;
    for (uint32_t i = node->begin; i < node->end; i += 4) {
      const float4 radii = float4_load(crowd->radii + i);
      const float4 within = float4_mul(float4_add(reach4, radii), float4_all(1 + SLACK));
      const word4 hit =
          float4_le(scan_distance2(points, i, &center, dim), float4_mul(within, within));
      const uint32_t bits = word4_bits(hit) & scan_in_run(i, node->end);
      EACH_AXIS (axis, dim)
        float4_store_packed(found.axes[axis] + found.size, float4_load(points->axes[axis] + i),
                            bits);
      float4_store_packed(found.radii + found.size, radii, bits);
      word4_store_packed(found.ids + found.size, word4_load(points->ids + i), bits);
      const word4 groups = sameGroups ? word4_all(node->anyGroups) : word4_load(points->groups + i);
      word4_store_packed(found.groups + found.size, groups, bits);
      found.size += bits_count(bits);
    }
  }
  const float most = 2 * sum / (float)(unit.end - unit.begin), side = reach + most;
  for (int axis = 0; axis < 2; axis++) {
    near->lo[axis] = middle[axis] - side;
    near->scale[axis] =
        side > 1e-30f && side < 1e30f ? (float)(axis ? ROWS : COLUMNS) / (2 * side) : 0;
  }
  sort_cells(near, &found, most, dim);
  return true;
}

/* Lists the gathered agents that count as neighbors of an agent and whose gap is at most `limit`.
 * Returns their number. */
ALWAYS_INLINE uint32_t collect_gaps_in(const gathered *near, const copse_crowd *crowd,
                                       uint32_t slot, float limit, float *gaps, uint32_t *ids,
                                       const int dim) {
  const orca_body *own = &crowd->bodies[slot];
  const float position[3] = {own->position[0], own->position[1], own->z};
  const scan_center center = scan_center_at(position, dim);
  const float4 radius = float4_all(own->radius), limit4 = float4_all(limit);
  const float4 distance = float4_all(crowd_number(crowd, FIELD_NEIGHBOR_DISTANCE, slot));
  const word4 mask = word4_all(crowd_whole(crowd, FIELD_MASK)[slot]), self = word4_all(slot);
  /* No agent that is not wide is farther away along an axis. */
  const float radii = own->radius + near->widest;
  const float size1 = fabsf(limit) + radii + fabsf(position[0]) + fabsf(position[1]);
  const float reach = limit + radii + SLACK * size1 + 1e-17f;
  const uint32_t first = cell_along(near, position[0] - reach, 0);
  const uint32_t last = cell_along(near, position[0] + reach, 0);
  const uint32_t lastRow = cell_along(near, position[1] + reach, 1);
  uint32_t size = 0;
  task_range run = {0, near->wide};
  for (uint32_t row = cell_along(near, position[1] - reach, 1);; row++) {
    for (uint32_t i = run.begin; i < run.end; i += 4) {
      float4 d[3];
      EACH_AXIS (axis, dim)
        d[axis] = float4_sub(float4_load(near->axes[axis] + i), center.axes[axis]);
      const float4 distances2 = scan_sum_of_squares4(d, dim);
      const float4 others = float4_load(near->radii + i), larger = float4_sub(radius, others);
      /* The same as crowd_is_in_range and crowd_gap_of, to the last bit. */
      const float4 most = float4_add(distance, float4_max(larger, float4_sub(others, radius)));
      const float4 gap = float4_sub(float4_sqrt(distances2), float4_add(radius, others));
      const word4 id = word4_load(near->ids + i);
      word4 hit = word4_and(float4_le(distances2, float4_mul(most, most)), float4_le(gap, limit4));
      hit = word4_without(hit, word4_equal(id, self));
      const word4 common = word4_and(word4_load(near->groups + i), mask);
      const uint32_t bits = word4_bits(word4_without(hit, word4_equal(common, word4_all(0)))) &
                            scan_in_run(i, run.end);
      float4_store_packed(gaps + size, gap, bits);
      word4_store_packed(ids + size, id, bits);
      size += bits_count(bits);
    }
    if (row > lastRow) return size;
    const uint32_t cell = row * COLUMNS;
    run.begin = cell + first ? near->ends[cell + first - 1] : near->wide;
    run.end = near->ends[cell + last];
  }
}

DEFINE_PAIR(bool, gather,
            (gathered *const near, const copse_crowd *crowd, const struct agenttree *tree,
             task_range unit, float limit),
            near, crowd, tree, unit, limit)
DEFINE_PAIR(uint32_t, collect_gaps,
            (const gathered *near, const copse_crowd *crowd, uint32_t slot, float limit,
             float *gaps, uint32_t *ids),
            near, crowd, slot, limit, gaps, ids)

/* Writes the list of an agent from the agents gathered within `limit`. False if it may lack one.
 * `guess` is the gap within which it probably has enough neighbors, but not too many. */
static bool list_gathered(copse_crowd *crowd, const gathered *near, uint32_t slot, float limit,
                          float guess) {
  float gaps[GATHER_LIMIT + PADDING];
  uint32_t ids[GATHER_LIMIT + PADDING];
  const uint32_t dim = crowd->def.dimensions, most = crowd_neighbor_limit(crowd, slot);
  const float distance = crowd_number(crowd, FIELD_NEIGHBOR_DISTANCE, slot);
  float *rowGaps = crowd->lists.distances2 + (size_t)slot * crowd->stride;
  uint32_t *rowIds = crowd->lists.ids + (size_t)slot * crowd->stride;
  const float first = guess < limit ? guess : limit;
  uint32_t size = CALL_PAIR(dim, collect_gaps, near, crowd, slot, first, gaps, ids);
  bool isAll = first >= distance;
  if (size < most && !isAll && first < limit) {
    size = CALL_PAIR(dim, collect_gaps, near, crowd, slot, limit, gaps, ids);
    isAll = limit >= distance;
  }
  if (size < most && !isAll) return false;
  if (size <= RANK_LIMIT && most <= RANK_K)
    pairs_rank(gaps, ids, size, most, rowGaps, rowIds);
  else
    scan_nearest_of((pairs){gaps, ids}, size, most, (pairs){rowGaps, rowIds});
  crowd->counts[slot] = size < most ? size : most;
  return true;
}

void crowd_read_radii(copse_crowd *crowd) {
  const struct agenttree *tree = (const struct agenttree *)crowd->tree;
  for (uint32_t place = 0; place < crowd->tree->present; place++)
    crowd->radii[place] = crowd->bodies[crowd->tree->ordered.ids[place]].radius;
  put_widest(crowd, tree);
}

/* Returns a distance that is `share` larger, measured from center to center. */
static float enlarged(float gap, float radius, float share) {
  return gap + share * (fabsf(gap) + 2 * radius);
}

void crowd_list_gaps(copse_crowd *crowd, task_range places) {
  const struct agenttree *tree = (const struct agenttree *)crowd->tree;
  const uint32_t *ids = crowd->tree->ordered.ids;
  gathered near;
  float limit = 0, guess = INFINITY; /* 0: nothing is expected yet */
  for (task_range unit = {places.begin, 0}; unit.begin < places.end; unit.begin = unit.end) {
    const uint32_t left = places.end - unit.begin, most = limit > 0 ? UNIT : 1;
    unit.end = unit.begin + (left < most ? left : most);
    const bool isGathered =
        limit > 0 && CALL_PAIR(crowd->def.dimensions, gather, &near, crowd, tree, unit, limit);
    float needed = 0, radii = 0, count = 0;
    for (uint32_t place = unit.begin; place < unit.end; place++) {
      const uint32_t slot = ids[place], wanted = crowd_neighbor_limit(crowd, slot);
      const float radius = crowd->bodies[slot].radius;
      if (!wanted) continue;
      if (!isGathered || !list_gathered(crowd, &near, slot, limit, guess))
        list_alone(crowd, tree, slot);
      const bool isFull = crowd->counts[slot] == wanted;
      const float last = isFull ? crowd->lists.distances2[(size_t)slot * crowd->stride + wanted - 1]
                                : crowd_number(crowd, FIELD_NEIGHBOR_DISTANCE, slot);
      guess = enlarged(last, radius, 0.15f);
      needed += last;
      radii += radius;
      count++;
    }
    /* In a random crowd, this is enough for 99% of the agents: as for `expectation` in batch.h. */
    if (count > 0) limit = enlarged(needed / count, radii / count, 0.4f);
  }
}
