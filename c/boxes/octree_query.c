/* Queries of the quadtree and the octree, four items at a time. */

#include "octree_scan.h"

#include <math.h>

/* ---- Items in a region -------------------------------------------------------------------- */

/* What an item must satisfy besides intersecting the region. */
typedef struct filter {
  uint32_t mask, exclude;
  uint32_t least;   /* items with lower ids do not pass */
  bool stopAtFirst; /* true: the query stops after the first node in which it finds an item */
} filter;

static filter filter_of(const copse_query *query) {
  return (filter){query->mask, query->exclude, 0, false};
}

/* The ids of items that intersect the region (hits) go to a buffer first: four ids can be written
 * at once, and hits_append applies the filter later without branches. The buffer is emptied when it
 * has more than HITS ids. */
enum { HITS = 64 };

typedef struct hits {
  uint32_t ids[HITS + BLOCK_ITEMS];
  float distances2[HITS + BLOCK_ITEMS];
} hits;

/* Appends ids from a buffer of hits to the results: those of items that pass the filter. */
OUT_OF_LINE void hits_append(const hits *buffer, uint32_t size, const copse_octree *tree,
                             const filter *wanted, copse_results *results) {
  uint32_t total = results->total;
  for (uint32_t i = 0; i < size; i++) {
    const uint32_t id = buffer->ids[i];
    if (total < results->capacity) {
      results->ids[total] = id;
      if (results->distances2) results->distances2[total] = buffer->distances2[i];
    }
    total +=
        ((tree->groups[id] & wanted->mask) != 0) & (id != wanted->exclude) & (id >= wanted->least);
  }
  results->total = total;
}

SMALL_CODE uint32_t octree_block_near(const octree_block *block, const float *lo, const float *hi,
                                      int dim) {
  uint32_t near = 0;
  WORKED(1);
  for (int i = 4; i >= 0; i -= 4) {
    word4 hit = word4_all(UINT32_MAX);
    for (int axis = 0; axis < dim; axis++) {
      hit = word4_and(hit, float4_le(float4_load(block->sides[axis] + i), float4_all(hi[axis])));
      hit = word4_and(hit,
                      float4_le(float4_all(lo[axis]), float4_load(block->sides[dim + axis] + i)));
    }
    near = near << 4 | word4_bits(hit);
  }
  return near;
}

ALWAYS_INLINE void collect_in(const copse_octree *tree, const region *where, const filter *wanted,
                              copse_results *results, const shape kind, const int dim) {
  const probe target = probe_of(where, kind, dim);
  float4 lo, hi;
  region_bounds(where, &lo, &hi, kind, dim);
  hits buffer;
  uint32_t stack[OCTREE_STACK], waiting = tree->nodes[0].total > 0, visits = 0, size = 0;
  stack[0] = 0;
  while (waiting) {
    const octree_node *node = &tree->nodes[stack[--waiting]];
    WORKED(1);
    visits++;
    for (uint32_t blockIndex = node->block; blockIndex != COPSE_NONE;) {
      const octree_block *block = octree_block_at(tree, blockIndex, dim);
      blockIndex = block->next;
      for (uint32_t i = 0; i < BLOCK_ITEMS; i += 4) {
        float4 distances2;
        const uint32_t bits = word4_bits(block_hits(block, i, &target, &distances2, kind, dim));
        word4_store_packed(buffer.ids + size, word4_load(block->ids + i), bits);
        if (kind == SHAPE_CIRCLE) float4_store_packed(buffer.distances2 + size, distances2, bits);
        size += bits_count(bits);
      }
      if (size > HITS) {
        hits_append(&buffer, size, tree, wanted, results);
        size = 0;
      }
    }
    if (wanted->stopAtFirst) {
      hits_append(&buffer, size, tree, wanted, results);
      size = 0;
      if (results->total) break;
    }
    if (node->children)
      waiting =
          push_children(tree, node, children_near(tree, node, lo, hi, dim), stack, waiting, dim);
  }
  hits_append(&buffer, size, tree, wanted, results);
  results->visits = visits;
}

OCTREE_PROCEDURE(collect_box,
                 (const copse_octree *tree, const region *where, const filter *wanted,
                  copse_results *results),
                 (tree, where, wanted, results),
                 collect_in(tree, where, wanted, results, SHAPE_BOX, dim))
OCTREE_PROCEDURE(collect_circle,
                 (const copse_octree *tree, const region *where, const filter *wanted,
                  copse_results *results),
                 (tree, where, wanted, results),
                 collect_in(tree, where, wanted, results, SHAPE_CIRCLE, dim))

static copse_status collect_within(const copse_octree *tree, const float *center, float radius,
                                   const filter *wanted, copse_results *results) {
  region where;
  if (!query_point_ok(center, (int)tree->def.dimensions) || !query_radius_ok(radius))
    return COPSE_INVALID_ARGUMENT;
  region_set_circle(&where, center, radius * radius, tree->def.dimensions);
  collect_circle(tree, &where, wanted, results);
  return COPSE_OK;
}

copse_status copse_octree_within(const copse_octree *tree, const float *center, float radius,
                                 const copse_query *query, copse_results *results) {
  const copse_query settings = query_or_default(query);
  const filter wanted = filter_of(&settings);
  if (!query_results_ok(&settings, results, true)) return COPSE_INVALID_ARGUMENT;
  const copse_status status = collect_within(tree, center, radius, &wanted, results);
  if (status == COPSE_OK) query_sort(&settings, results);
  return status;
}

copse_status copse_octree_range(const copse_octree *tree, const float *lo, const float *hi,
                                const copse_query *query, copse_results *results) {
  const copse_query settings = query_or_default(query);
  const filter wanted = filter_of(&settings);
  region where;
  if (!query_results_ok(&settings, results, false) ||
      !region_set_box(&where, lo, hi, tree->def.dimensions))
    return COPSE_INVALID_ARGUMENT;
  /* Writes no distances, even if the caller passed an array for them. */
  copse_results ids = *results;
  ids.distances2 = NULL;
  collect_box(tree, &where, &wanted, &ids);
  query_sort(&settings, &ids);
  results->total = ids.total;
  results->visits = ids.visits;
  return COPSE_OK;
}

/* Collects the items that are not wholly outside any plane, in the same order as collect_in. */
SMALL_CODE static void collect_planes(const copse_octree *tree, const float *planes, uint32_t count,
                                      const filter *wanted, copse_results *results) {
  hits buffer;
  uint32_t stack[OCTREE_STACK], waiting = tree->nodes[0].total > 0;
  stack[0] = 0;
  while (waiting) {
    const octree_node *node = &tree->nodes[stack[--waiting]];
    results->visits++;
    for (uint32_t blockIndex = node->block; blockIndex != COPSE_NONE;) {
      const octree_block *block = octree_block_at(tree, blockIndex, 3);
      const float *sides[6];
      uint32_t size = 0;
      for (int side = 0; side < 6; side++) sides[side] = block->sides[side];
      for (uint32_t i = 0; i < BLOCK_ITEMS; i += 4) {
        const float4 x = float4_load(sides[0] + i); /* NaN in lanes without an item */
        const word4 hit = word4_and(float4_le(x, x), scan_in_planes4(sides, i, planes, count));
        const uint32_t bits = word4_bits(hit);
        word4_store_packed(buffer.ids + size, word4_load(block->ids + i), bits);
        size += bits_count(bits);
      }
      hits_append(&buffer, size, tree, wanted, results);
      blockIndex = block->next;
    }
    for (uint32_t i = node->children ? 8 : 0; i-- > 0;) {
      const octree_node *child = &tree->nodes[node->children + i];
      const box4 cell = octree_cell(tree, child);
      float box[7]; /* the last float is padding for float4_store */
      float4_store(box, cell.lo);
      float4_store(box + 3, cell.hi);
      stack[waiting] = node->children + i;
      waiting += child->total && box_in_planes(box, planes, count);
    }
  }
}

copse_status copse_octree_frustum(const copse_octree *tree, const float *planes, uint32_t count,
                                  const copse_query *query, copse_results *results) {
  const copse_query settings = query_or_default(query);
  const filter wanted = filter_of(&settings);
  if (!query_results_ok(&settings, results, false) || tree->def.dimensions != 3 ||
      !query_planes_ok(planes, count))
    return COPSE_INVALID_ARGUMENT;
  /* Writes no distances, even if the caller passed an array for them. */
  copse_results ids = *results;
  ids.distances2 = NULL;
  collect_planes(tree, planes, count, &wanted, &ids);
  query_sort(&settings, &ids);
  results->total = ids.total;
  results->visits = ids.visits;
  return COPSE_OK;
}

static copse_status count_within(const copse_octree *tree, const float *center, float radius,
                                 const copse_query *query, bool stopAtFirst, uint32_t *total,
                                 uint32_t *visits) {
  const copse_query settings = query_or_default(query);
  filter wanted = filter_of(&settings);
  wanted.stopAtFirst = stopAtFirst;
  copse_results none = {0};
  const copse_status status = collect_within(tree, center, radius, &wanted, &none);
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

copse_status copse_octree_count_range(const copse_octree *tree, const float *lo, const float *hi,
                                      const copse_query *query, uint32_t *total, uint32_t *visits) {
  copse_results counted = {0}; /* no room for ids: the query only counts */
  copse_query unsorted = query_or_default(query);
  unsorted.sort = COPSE_SORT_NONE;
  const copse_status status = copse_octree_range(tree, lo, hi, &unsorted, &counted);
  *total = counted.total;
  if (visits) *visits = counted.visits;
  return status;
}

/* ---- Pairs -------------------------------------------------------------------------------- */

/* Appends the pairs of an item with the items that intersect it and have a greater id. First
 * collects the ids of these items at the end of the results. Then spreads them out to pairs, from
 * the last id to the first, because a pair takes twice the room of an id. */
static void pairs_of(const copse_octree *tree, uint32_t id, filter *wanted, copse_results *results,
                     uint64_t *total) {
  const uint32_t used = *total < results->capacity ? (uint32_t)*total : results->capacity;
  const uint32_t room = (results->capacity - used) & ~1u;
  copse_results partners = {.ids = room ? results->ids + used : NULL, .capacity = room};
  const uint32_t dim = tree->def.dimensions;
  region where;
  float box[6];
  OCTREE_INLINE(octree_box, tree, id, box);
  copy_point(where.box.lo, box, dim);
  copy_point(where.box.hi, box + dim, dim);
  wanted->least = id + 1;
  collect_box(tree, &where, wanted, &partners);
  for (size_t i = partners.total < room / 2 ? partners.total : room / 2; i-- > 0;) {
    partners.ids[2 * i + 1] = partners.ids[i];
    partners.ids[2 * i] = id;
  }
  *total += 2 * (uint64_t)partners.total;
}

copse_status copse_octree_pairs(const copse_octree *tree, const copse_query *query,
                                copse_results *results) {
  const copse_query settings = query_or_default(query);
  filter wanted = filter_of(&settings);
  wanted.exclude = COPSE_NONE;
  uint64_t total = 0;
  if (settings.sort != COPSE_SORT_NONE || !query_results_ok(&settings, results, false))
    return COPSE_INVALID_ARGUMENT;
  for (uint32_t id = 0; id < tree->def.capacity; id++)
    if (slots_in_use(&tree->slots, id) && tree->groups[id] & settings.mask)
      pairs_of(tree, id, &wanted, results, &total);
  /* The total counts both ids of each pair, so its maximum is even. */
  results->total = total < UINT32_MAX ? (uint32_t)total : UINT32_MAX - 1;
  return COPSE_OK;
}

/* ---- The nearest items -------------------------------------------------------------------- */

/* A node, and a lower bound of the squared distance to its items. */
typedef struct branch {
  float gap2;
  uint32_t node;
} branch;

/* Pushes the children that are not empty and not farther away than limit2, a squared distance; the
 * nearest child ends up on top. Returns the stack's size. */
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
    const branch candidate = {box_gap2(cell, center, dim), node->children + i};
    if (!(candidate.gap2 <= limit2)) continue;
    uint32_t place = waiting++;
    for (; place > begin && stack[place - 1].gap2 < candidate.gap2; place--)
      stack[place] = stack[place - 1];
    stack[place] = candidate;
  }
  return waiting;
}

/* Finds the nearest items: visits nearer nodes first, skips nodes that are too far away, and offers
 * the items of the others to `nearest`. Returns the number of nodes visited. */
ALWAYS_INLINE uint32_t neighbors_in(const copse_octree *tree, const float *center,
                                    const copse_query *query, scan_nearest *nearest,
                                    const int dim) {
  const scan_center point = scan_center_at(center, dim);
  branch stack[OCTREE_STACK] = {{0, 0}};
  uint32_t waiting = tree->nodes[0].total > 0, visits = 0;
  while (waiting) {
    const branch top = stack[--waiting];
    if (!(top.gap2 <= nearest->limit2)) continue;
    const octree_node *node = &tree->nodes[top.node];
    visits++;
    for (uint32_t blockIndex = node->block; blockIndex != COPSE_NONE;) {
      const octree_block *block = octree_block_at(tree, blockIndex, dim);
      blockIndex = block->next;
      for (uint32_t i = 0; i < BLOCK_ITEMS; i += 4) {
        const float4 distances2 = block_distance2(block, i, point.axes, dim);
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

OCTREE_FUNCTION(uint32_t, neighbors,
                (const copse_octree *tree, const float *center, const copse_query *query,
                 scan_nearest *nearest),
                (tree, center, query, nearest), neighbors_in(tree, center, query, nearest, dim))

copse_status copse_octree_nearest(const copse_octree *tree, const float *center,
                                  const copse_query *query, uint32_t *id, float *distance2,
                                  uint32_t *visits) {
  const copse_query settings = query_or_default(query);
  *id = COPSE_NONE;
  if (!query_point_ok(center, (int)tree->def.dimensions) || !query_radius_ok(settings.maxDistance))
    return COPSE_INVALID_ARGUMENT;
  float nearest2 = INFINITY;
  scan_nearest nearest = {{&nearest2, id}, 1, 0, settings.maxDistance * settings.maxDistance};
  const uint32_t visited = neighbors(tree, center, &settings, &nearest);
  if (distance2) *distance2 = nearest2;
  if (visits) *visits = visited;
  return COPSE_OK;
}

copse_status copse_octree_neighbors(const copse_octree *tree, const float *center, uint32_t k,
                                    const copse_query *query, copse_results *results) {
  const copse_query settings = query_or_default(query);
  if (k > tree->slots.used) k = tree->slots.used;
  if (!query_results_ok(&settings, results, true) || (k && !results->distances2) ||
      k > results->capacity || !query_point_ok(center, (int)tree->def.dimensions) ||
      !query_radius_ok(settings.maxDistance))
    return COPSE_INVALID_ARGUMENT;
  if (!k) return COPSE_OK;
  scan_nearest nearest = {
      {results->distances2, results->ids}, k, 0, settings.maxDistance * settings.maxDistance};
  results->visits = neighbors(tree, center, &settings, &nearest);
  results->total = nearest.size;
  heap_sort(nearest.heap, nearest.size, BY_DISTANCE);
  return COPSE_OK;
}

copse_status copse_octree_neighbors_many(const copse_octree *tree, const float *centers, uint32_t n,
                                         uint32_t k, const copse_query *query,
                                         copse_neighbor_rows *rows) {
  const copse_query settings = query_or_default(query);
  const size_t dim = tree->def.dimensions;
  bool ok = settings.sort == COPSE_SORT_NONE && query_radius_ok(settings.maxDistance);
  for (size_t i = 0; ok && i < n; i++) ok = query_point_ok(centers + i * dim, (int)dim);
  if (!ok) return COPSE_INVALID_ARGUMENT;
  for (size_t i = 0; i < n; i++) {
    rows->counts[i] = 0;
    if (!k) continue;
    scan_nearest nearest = {{rows->distances2 + i * k, rows->ids + i * k},
                            k,
                            0,
                            settings.maxDistance * settings.maxDistance};
    neighbors(tree, centers + i * dim, &settings, &nearest);
    rows->counts[i] = nearest.size;
    heap_sort(nearest.heap, nearest.size, BY_DISTANCE);
  }
  return COPSE_OK;
}
