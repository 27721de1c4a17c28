/* Queries of the quadtree and the octree: four items at a time. */

#include "../base/region.h"
#include "octree.h"

#include <math.h>

/* ---- Which children ----------------------------------------------------------------------- */

/* Of a split node those children, a bit each, whose cells meet a box. */
ALWAYS_INLINE uint32_t children_near(const copse_octree *tree, const octree_node *node, float4 lo,
                                     float4 hi, const int dim) {
  static const uint8_t lows[3] = {0x55, 0x33, 0x0f};
  const float4 center = float4_load(node->center);
  const float4 margin = float4_load(tree->margins[node->depth + 1]);
  const float4 outerLo = float4_sub(float4_load(node->lo), margin);
  const float4 outerHi = float4_add(float4_load(node->hi), margin);
  const uint32_t low =
      word4_bits(word4_and(float4_le(lo, float4_add(center, margin)), float4_le(outerLo, hi)));
  const uint32_t high =
      word4_bits(word4_and(float4_le(float4_sub(center, margin), hi), float4_le(lo, outerHi)));
  uint32_t near = (1u << octree_children(dim)) - 1;
  EACH_AXIS (axis, dim) {
    const uint32_t side = lows[axis];
    near &= (low >> axis & 1 ? side : 0) | (high >> axis & 1 ? ~side : 0);
  }
  return near;
}

/* ---- Four items --------------------------------------------------------------------------- */

/* A center or box in registers. */
typedef struct probe {
  float4 lo[3], hi[3];
  float4 radius2;
} probe;

ALWAYS_INLINE probe probe_of(const region *where, const shape kind, const int dim) {
  probe made;
  EACH_AXIS (axis, dim) {
    const bool circle = kind == SHAPE_CIRCLE;
    made.lo[axis] = float4_all(circle ? where->circle.center[axis] : where->box.lo[axis]);
    made.hi[axis] = float4_all(circle ? where->circle.center[axis] : where->box.hi[axis]);
  }
  made.radius2 = float4_all(kind == SHAPE_CIRCLE ? where->circle.radius2 : 0);
  return made;
}

/* The squared distances from a point to a block's boxes; NaN for lanes without one. */
ALWAYS_INLINE float4 block_distance2(const octree_block *block, uint32_t i, const float4 *center,
                                     const int dim) {
  float4 d[3];
  EACH_AXIS (axis, dim) {
    const float4 below = float4_sub(float4_load(block->sides[axis] + i), center[axis]);
    const float4 above = float4_sub(center[axis], float4_load(block->sides[dim + axis] + i));
    d[axis] = float4_max(float4_max(below, above), float4_all(0));
  }
  return scan_sum_of_squares4(d, dim);
}

ALWAYS_INLINE word4 block_hits(const octree_block *block, uint32_t i, const probe *where,
                               float4 *distances2, const shape kind, const int dim) {
  if (kind == SHAPE_CIRCLE) {
    *distances2 = block_distance2(block, i, where->lo, dim);
    return float4_le(*distances2, where->radius2);
  }
  *distances2 = float4_all(0);
  word4 hit = word4_all(UINT32_MAX);
  EACH_AXIS (axis, dim) {
    hit = word4_and(hit, float4_le(float4_load(block->sides[axis] + i), where->hi[axis]));
    hit = word4_and(hit, float4_le(where->lo[axis], float4_load(block->sides[dim + axis] + i)));
  }
  return hit;
}

/* ---- What lies in a region ---------------------------------------------------------------- */

/* What a query looks for besides its region. */
typedef struct filter {
  uint32_t mask, exclude;
  uint32_t least;   /* ids below are left out */
  bool stopAtFirst; /* one hit is enough */
} filter;

static filter filter_of(const copse_query *query) {
  return (filter){query->mask, query->exclude, 0, false};
}

/* Hits on their way into results: written four at a time, and then without a branch for each. */
enum { HITS = 64 };

typedef struct hits {
  uint32_t ids[HITS + BLOCK_ITEMS];
  float distances2[HITS + BLOCK_ITEMS];
} hits;

/* Appends those that are looked for. */
OUT_OF_LINE void hits_append(const hits *from, uint32_t size, const copse_octree *tree,
                             const filter *query, copse_results *results) {
  uint32_t total = results->total;
  for (uint32_t i = 0; i < size; i++) {
    const uint32_t id = from->ids[i];
    if (total < results->capacity) {
      results->ids[total] = id;
      if (results->distances2) results->distances2[total] = from->distances2[i];
    }
    total +=
        ((tree->groups[id] & query->mask) != 0) & (id != query->exclude) & (id >= query->least);
  }
  results->total = total;
}

/* Pushes those children that are not empty, the first on top. */
ALWAYS_INLINE uint32_t push_children(const copse_octree *tree, const octree_node *node,
                                     uint32_t near, uint32_t *stack, uint32_t waiting,
                                     const int dim) {
  for (uint32_t i = octree_children(dim); i-- > 0;) {
    stack[waiting] = node->children + i;
    waiting += near >> i & 1 && tree->nodes[node->children + i].total;
  }
  return waiting;
}

ALWAYS_INLINE void collect_in(const copse_octree *tree, const region *where, const filter *query,
                              copse_results *results, const shape kind, const int dim) {
  const probe sought = probe_of(where, kind, dim);
  float4 lo, hi;
  region_bounds(where, &lo, &hi, kind, dim);
  hits found;
  uint32_t stack[OCTREE_STACK], waiting = tree->nodes[0].total > 0, visits = 0, size = 0;
  stack[0] = 0;
  while (waiting) {
    const octree_node *node = &tree->nodes[stack[--waiting]];
    visits++;
    for (uint32_t at = node->block; at != COPSE_NONE;) {
      const octree_block *block = octree_block_at(tree, at, dim);
      at = block->next;
      for (uint32_t i = 0; i < BLOCK_ITEMS; i += 4) {
        float4 distances2;
        const uint32_t bits = word4_bits(block_hits(block, i, &sought, &distances2, kind, dim));
        word4_store_packed(found.ids + size, word4_load(block->ids + i), bits);
        if (kind == SHAPE_CIRCLE) float4_store_packed(found.distances2 + size, distances2, bits);
        size += bits_count(bits);
      }
      if (size > HITS) {
        hits_append(&found, size, tree, query, results);
        size = 0;
      }
    }
    if (query->stopAtFirst) {
      hits_append(&found, size, tree, query, results);
      size = 0;
      if (results->total) break;
    }
    if (node->children)
      waiting =
          push_children(tree, node, children_near(tree, node, lo, hi, dim), stack, waiting, dim);
  }
  hits_append(&found, size, tree, query, results);
  results->visits = visits;
}

OUT_OF_LINE void collect_box_2d(const copse_octree *tree, const region *where, const filter *query,
                                copse_results *results) {
  collect_in(tree, where, query, results, SHAPE_BOX, 2);
}
OUT_OF_LINE void collect_box_3d(const copse_octree *tree, const region *where, const filter *query,
                                copse_results *results) {
  collect_in(tree, where, query, results, SHAPE_BOX, 3);
}
OUT_OF_LINE void collect_circle_2d(const copse_octree *tree, const region *where,
                                   const filter *query, copse_results *results) {
  collect_in(tree, where, query, results, SHAPE_CIRCLE, 2);
}
OUT_OF_LINE void collect_circle_3d(const copse_octree *tree, const region *where,
                                   const filter *query, copse_results *results) {
  collect_in(tree, where, query, results, SHAPE_CIRCLE, 3);
}

static void collect_box(const copse_octree *tree, const region *where, const filter *query,
                        copse_results *results) {
  if (tree->def.dimensions == 3)
    collect_box_3d(tree, where, query, results);
  else
    collect_box_2d(tree, where, query, results);
}

static copse_status collect_circle(const copse_octree *tree, const float *center, float radius,
                                   const filter *query, copse_results *results) {
  region where;
  if (!query_point_ok(center, (int)tree->def.dimensions) || !query_radius_ok(radius))
    return COPSE_INVALID_ARGUMENT;
  region_set_circle(&where, center, radius * radius, tree->def.dimensions);
  if (tree->def.dimensions == 3)
    collect_circle_3d(tree, &where, query, results);
  else
    collect_circle_2d(tree, &where, query, results);
  return COPSE_OK;
}

copse_status copse_octree_within(const copse_octree *tree, const float *center, float radius,
                                 const copse_query *query, copse_results *results) {
  const copse_query asked = query_or_default(query);
  const filter wanted = filter_of(&asked);
  if (!query_results_ok(&asked, results, true)) return COPSE_INVALID_ARGUMENT;
  const copse_status status = collect_circle(tree, center, radius, &wanted, results);
  if (status == COPSE_OK) query_sort(&asked, results);
  return status;
}

copse_status copse_octree_range(const copse_octree *tree, const float *lo, const float *hi,
                                const copse_query *query, copse_results *results) {
  const copse_query asked = query_or_default(query);
  const filter wanted = filter_of(&asked);
  region where;
  if (!query_results_ok(&asked, results, false) ||
      !region_set_box(&where, lo, hi, tree->def.dimensions))
    return COPSE_INVALID_ARGUMENT;
  copse_results ids = *results;
  ids.distances2 = NULL;
  collect_box(tree, &where, &wanted, &ids);
  query_sort(&asked, &ids);
  results->total = ids.total;
  results->visits = ids.visits;
  return COPSE_OK;
}

static copse_status count_within(const copse_octree *tree, const float *center, float radius,
                                 const copse_query *query, bool stopAtFirst, uint32_t *total,
                                 uint32_t *visits) {
  const copse_query asked = query_or_default(query);
  filter wanted = filter_of(&asked);
  wanted.stopAtFirst = stopAtFirst;
  copse_results none = {0};
  const copse_status status = collect_circle(tree, center, radius, &wanted, &none);
  *total = none.total;
  if (visits) *visits = none.visits;
  return status;
}

copse_status copse_octree_count_within(const copse_octree *tree, const float *center, float radius,
                                       const copse_query *query, uint32_t *total,
                                       uint32_t *visits) {
  return count_within(tree, center, radius, query, false, total, visits);
}

copse_status copse_octree_any_within(const copse_octree *tree, const float *center, float radius,
                                     const copse_query *query, bool *any, uint32_t *visits) {
  uint32_t total;
  const copse_status status = count_within(tree, center, radius, query, true, &total, visits);
  *any = total > 0;
  return status;
}

/* ---- Pairs -------------------------------------------------------------------------------- */

/* Those that meet an item and have a greater id: found where the pairs will be, then paired from
 * the last on, since they take twice the room. */
static void pairs_of(const copse_octree *tree, uint32_t id, filter *wanted, copse_results *results,
                     uint64_t *total) {
  const uint32_t used = *total < results->capacity ? (uint32_t)*total : results->capacity;
  const uint32_t room = (results->capacity - used) & ~1u;
  copse_results found = {.ids = results->ids + used, .capacity = room};
  const uint32_t dim = tree->def.dimensions;
  region where;
  float box[6];
  if (dim == 3)
    octree_box(tree, id, box, 3);
  else
    octree_box(tree, id, box, 2);
  copy_point(where.box.lo, box, dim);
  copy_point(where.box.hi, box + dim, dim);
  wanted->least = id + 1;
  collect_box(tree, &where, wanted, &found);
  for (size_t i = found.total < room / 2 ? found.total : room / 2; i-- > 0;) {
    found.ids[2 * i + 1] = found.ids[i];
    found.ids[2 * i] = id;
  }
  *total += 2 * (uint64_t)found.total;
}

copse_status copse_octree_pairs(const copse_octree *tree, const copse_query *query,
                                copse_results *results) {
  const copse_query asked = query_or_default(query);
  filter wanted = filter_of(&asked);
  wanted.exclude = COPSE_NONE;
  uint64_t total = 0;
  if (asked.sort != COPSE_SORT_NONE || !query_results_ok(&asked, results, false))
    return COPSE_INVALID_ARGUMENT;
  for (uint32_t id = 0; id < tree->def.capacity; id++)
    if (slots_in_use(&tree->slots, id) && tree->groups[id] & asked.mask)
      pairs_of(tree, id, &wanted, results, &total);
  results->total = total < UINT32_MAX ? (uint32_t)total : UINT32_MAX - 1; /* whole pairs */
  return COPSE_OK;
}

/* ---- Who is nearest ----------------------------------------------------------------------- */

/* A node, and the least squared distance to anything in it. */
typedef struct branch {
  float gap2;
  uint32_t node;
} branch;

/* Pushes the children that are not empty and may hold something within limit2, the nearest on top.
 */
ALWAYS_INLINE uint32_t push_by_distance(const copse_octree *tree, const octree_node *node,
                                        const float *center, float limit2, branch *stack,
                                        uint32_t waiting, const int dim) {
  const uint32_t begin = waiting;
  for (uint32_t i = 0; i < octree_children(dim); i++) {
    const octree_node *child = &tree->nodes[node->children + i];
    if (!child->total) continue;
    float cell[6 + BOX_PADDING];
    const box4 sides = octree_cell(tree, child);
    float lo[4], hi[4];
    float4_store(lo, sides.lo);
    float4_store(hi, sides.hi);
    EACH_AXIS (axis, dim) {
      cell[axis] = lo[axis];
      cell[dim + axis] = hi[axis];
    }
    const branch next = {box_gap2(cell, center, dim), node->children + i};
    if (!(next.gap2 <= limit2)) continue;
    uint32_t at = waiting++;
    for (; at > begin && stack[at - 1].gap2 < next.gap2; at--) stack[at] = stack[at - 1];
    stack[at] = next;
  }
  return waiting;
}

/* Brings the nearest so far up to date with all items; answers with the nodes visited. */
ALWAYS_INLINE uint32_t neighbors_in(const copse_octree *tree, const float *center,
                                    const copse_query *query, scan_nearest *nearest,
                                    const int dim) {
  const scan_center at = scan_center_at(center, dim);
  branch stack[OCTREE_STACK] = {{0, 0}};
  uint32_t waiting = tree->nodes[0].total > 0, visits = 0;
  while (waiting) {
    const branch nearer = stack[--waiting];
    if (!(nearer.gap2 <= nearest->limit2)) continue;
    const octree_node *node = &tree->nodes[nearer.node];
    visits++;
    for (uint32_t next = node->block; next != COPSE_NONE;) {
      const octree_block *block = octree_block_at(tree, next, dim);
      next = block->next;
      for (uint32_t i = 0; i < BLOCK_ITEMS; i += 4) {
        const float4 distances2 = block_distance2(block, i, at.axes, dim);
        uint32_t bits = word4_bits(float4_le(distances2, float4_all(nearest->limit2)));
        if (!bits) continue;
        float lanes2[4];
        float4_store(lanes2, distances2);
        for (uint32_t lane = 0; bits; lane++, bits >>= 1)
          if (bits & 1 && octree_wants(tree, query, block->ids[i + lane]))
            scan_offer(nearest, lanes2[lane], block->ids[i + lane]);
      }
    }
    if (node->children)
      waiting = push_by_distance(tree, node, center, nearest->limit2, stack, waiting, dim);
  }
  return visits;
}

OUT_OF_LINE uint32_t neighbors_2d(const copse_octree *tree, const float *center,
                                  const copse_query *query, scan_nearest *nearest) {
  return neighbors_in(tree, center, query, nearest, 2);
}
OUT_OF_LINE uint32_t neighbors_3d(const copse_octree *tree, const float *center,
                                  const copse_query *query, scan_nearest *nearest) {
  return neighbors_in(tree, center, query, nearest, 3);
}
static uint32_t search(const copse_octree *tree, const float *center, const copse_query *query,
                       scan_nearest *nearest) {
  return tree->def.dimensions == 3 ? neighbors_3d(tree, center, query, nearest)
                                   : neighbors_2d(tree, center, query, nearest);
}

copse_status copse_octree_nearest(const copse_octree *tree, const float *center,
                                  const copse_query *query, uint32_t *id, float *distance2,
                                  uint32_t *visits) {
  const copse_query asked = query_or_default(query);
  *id = COPSE_NONE;
  if (!query_point_ok(center, (int)tree->def.dimensions) || !query_radius_ok(asked.maxDistance))
    return COPSE_INVALID_ARGUMENT;
  float found2 = INFINITY;
  scan_nearest nearest = {{&found2, id}, 1, 0, asked.maxDistance * asked.maxDistance};
  const uint32_t visited = search(tree, center, &asked, &nearest);
  if (distance2) *distance2 = found2;
  if (visits) *visits = visited;
  return COPSE_OK;
}

copse_status copse_octree_neighbors(const copse_octree *tree, const float *center, uint32_t k,
                                    const copse_query *query, copse_results *results) {
  const copse_query asked = query_or_default(query);
  if (k > tree->slots.used) k = tree->slots.used;
  if (!query_results_ok(&asked, results, true) || (k && !results->distances2) ||
      k > results->capacity || !query_point_ok(center, (int)tree->def.dimensions) ||
      !query_radius_ok(asked.maxDistance))
    return COPSE_INVALID_ARGUMENT;
  if (!k) return COPSE_OK;
  scan_nearest nearest = {
      {results->distances2, results->ids}, k, 0, asked.maxDistance * asked.maxDistance};
  results->visits = search(tree, center, &asked, &nearest);
  results->total = nearest.size;
  heap_sort(nearest.heap, nearest.size, BY_DISTANCE);
  return COPSE_OK;
}
