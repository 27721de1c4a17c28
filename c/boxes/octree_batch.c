/* Many queries in one call.
 *
 * In copse_octree_range_many, query boxes near each other share a search. Each query box descends
 * to the leaf that contains its middle. The query boxes of a leaf form a group. One search for the
 * group gathers the blocks with items that pass the filter and intersect a box around the group.
 * Each query box then tests only these blocks. Blocks are gathered in the order in which a single
 * query visits them, so results have the same order as those of a single query. */

#include "octree_scan.h"

/* The query boxes of a batch are sorted into groups, CHUNK boxes at a time. A group gathers up to
 * GATHERED blocks of items. If there are more, each query box of the group gets its own search,
 * which is usually faster. */
enum { CHUNK = 2048, GATHERED = 64 };

typedef struct range_batch {
  const float *boxes;
  copse_query query;
  copse_rows *rows;
} range_batch;

/* The blocks of items that a group's search found. */
typedef struct gathered {
  uint32_t size;
  const octree_block *blocks[GATHERED];
  uint8_t wanted[GATHERED]; /* for each block, a bit per item: set if the item can be a result */
} gathered;

ALWAYS_INLINE const float *box_at(const range_batch *batch, uint32_t i, const int dim) {
  return batch->boxes + 2 * (size_t)dim * i;
}

/* Gathers the blocks with items that pass the filter and intersect a box around a group of query
 * boxes. False if there are more than GATHERED such blocks. */
SMALL_CODE static bool gather(const copse_octree *tree, const range_batch *batch,
                              const uint32_t *group, uint32_t size, gathered *near) {
  const int dim = (int)tree->def.dimensions;
  const float *first = box_at(batch, group[0], dim);
  region around;
  copy_point(around.box.lo, first, (uint32_t)dim);
  copy_point(around.box.hi, first + dim, (uint32_t)dim);
  for (uint32_t i = 1; i < size; i++) {
    const float *box = box_at(batch, group[i], dim);
    for (int axis = 0; axis < dim; axis++) {
      if (box[axis] < around.box.lo[axis]) around.box.lo[axis] = box[axis];
      if (box[dim + axis] > around.box.hi[axis]) around.box.hi[axis] = box[dim + axis];
    }
  }
  float4 lo, hi;
  region_bounds(&around, &lo, &hi, SHAPE_BOX, 3);
  uint32_t stack[OCTREE_STACK], waiting = tree->nodes[0].total > 0;
  stack[0] = 0;
  near->size = 0;
  while (waiting) {
    const octree_node *node = &tree->nodes[stack[--waiting]];
    for (uint32_t blockIndex = node->block; blockIndex != COPSE_NONE;) {
      const octree_block *block = octree_block_at(tree, blockIndex, dim);
      uint32_t bits = octree_block_near(block, around.box.lo, around.box.hi, dim);
      for (uint32_t left = bits; left; left &= left - 1) {
        const uint32_t lane = bits_lowest(left);
        if (!octree_wants(tree, &batch->query, block->ids[lane])) bits &= ~(1u << lane);
      }
      blockIndex = block->next;
      if (!bits) continue;
      if (near->size == GATHERED) return false;
      near->blocks[near->size] = block;
      near->wanted[near->size++] = (uint8_t)bits;
    }
    if (!node->children) continue;
    const uint32_t children = OCTREE_INLINE(children_near, tree, node, lo, hi);
    waiting = push_children(tree, node, children, stack, waiting, dim);
  }
  return true;
}

/* Writes the ids of the gathered items that intersect query box i. There must be room for all items
 * of the gathered blocks and four more. Returns the number of ids. */
ALWAYS_INLINE uint32_t row_in(const range_batch *batch, uint32_t i, const gathered *near,
                              uint32_t *row, const int dim) {
  const float *box = box_at(batch, i, dim);
  region where;
  copy_point(where.box.lo, box, (uint32_t)dim);
  copy_point(where.box.hi, box + dim, (uint32_t)dim);
  const probe target = probe_of(&where, SHAPE_BOX, dim);
  uint32_t total = 0;
  for (uint32_t b = 0; b < near->size; b++) {
    const octree_block *block = near->blocks[b];
    const uint32_t wanted = near->wanted[b];
    UNROLL for (uint32_t lane = 0; lane < BLOCK_ITEMS; lane += 4) {
      float4 unused;
      const uint32_t hits = word4_bits(block_hits(block, lane, &target, &unused, SHAPE_BOX, dim));
      const uint32_t bits = hits & wanted >> lane;
      word4_store_packed(row + total, word4_load(block->ids + lane), bits);
      total += bits_count(bits);
    }
  }
  return total;
}

OUT_OF_LINE uint32_t row_2d(const range_batch *batch, uint32_t i, const gathered *near,
                            uint32_t *row) {
  return row_in(batch, i, near, row, 2);
}
OUT_OF_LINE uint32_t row_3d(const range_batch *batch, uint32_t i, const gathered *near,
                            uint32_t *row) {
  return row_in(batch, i, near, row, 3);
}

SMALL_CODE static void rows_of_group(const copse_octree *tree, const range_batch *batch,
                                     const uint32_t *group, uint32_t size) {
  const int dim = (int)tree->def.dimensions;
  gathered near;
  const bool isGathered = size > 1 && gather(tree, batch, group, size, &near);
  for (uint32_t i = 0; i < size; i++) {
    copse_results row = query_row_begin(batch->rows);
    const float *box = box_at(batch, group[i], dim);
    if (!isGathered || row.capacity < near.size * BLOCK_ITEMS + 4)
      copse_octree_range(tree, box, box + dim, &batch->query, &row);
    else
      row.total = dim == 3 ? row_3d(batch, group[i], &near, row.ids)
                           : row_2d(batch, group[i], &near, row.ids);
    query_row_end(batch->rows, group[i], row.total);
  }
}

/* Returns on which side of a node's center the middle of a box is, see octree_side. */
ALWAYS_INLINE uint32_t side_of(const copse_octree *tree, const octree_node *node, const float *box,
                               const int dim) {
  (void)tree;
  return octree_side(node, (box4){point4(box, dim), point4(box + dim, dim)}, dim);
}

/* A node, and the query boxes that descended to the node. */
typedef struct part {
  uint32_t node, begin, end;
} part;

/* Sorts `count` query boxes, from number `first` on, into groups by the leaf that they descend to.
 * Writes a row of results for each query box. */
SMALL_CODE static void rows_of_chunk(const copse_octree *tree, const range_batch *batch,
                                     uint32_t first, uint32_t count) {
  uint32_t order[CHUNK], sorted[CHUNK];
  uint8_t sides[CHUNK];
  part stack[OCTREE_STACK] = {{0, 0, count}};
  for (uint32_t i = 0; i < count; i++) order[i] = first + i;
  for (uint32_t waiting = 1; waiting;) {
    const part top = stack[--waiting];
    const octree_node *node = &tree->nodes[top.node];
    if (!node->children || top.end - top.begin == 1) {
      rows_of_group(tree, batch, order + top.begin, top.end - top.begin);
      continue;
    }
    uint32_t ends[9] = {top.begin};
    for (uint32_t i = top.begin; i < top.end; i++) {
      const float *box = box_at(batch, order[i], (int)tree->def.dimensions);
      sides[i] = (uint8_t)OCTREE_INLINE(side_of, tree, node, box);
      ends[sides[i] + 1]++;
      sorted[i] = order[i];
    }
    for (uint32_t side = 0; side < 8; side++) {
      const uint32_t begin = ends[side], end = begin + ends[side + 1];
      ends[side + 1] = end;
      if (begin < end) stack[waiting++] = (part){node->children + side, begin, end};
    }
    for (uint32_t i = top.begin; i < top.end; i++) order[ends[sides[i]]++] = sorted[i];
  }
}

SMALL_CODE copse_status copse_octree_range_many(const copse_octree *tree, const float *boxes,
                                                uint32_t n, const copse_query *query,
                                                copse_rows *rows) {
  const int dim = (int)tree->def.dimensions;
  const range_batch batch = {boxes, query_or_default(query), rows};
  bool ok = batch.query.sort == COPSE_SORT_NONE;
  rows->total = 0;
  rows->truncated = false;
  for (uint32_t i = 0; ok && i < n; i++)
    ok = query_box_ok(box_at(&batch, i, dim), box_at(&batch, i, dim) + dim, dim);
  if (!ok) return COPSE_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < n; i += CHUNK)
    rows_of_chunk(tree, &batch, i, n - i < CHUNK ? n - i : CHUNK);
  return COPSE_OK;
}

SMALL_CODE copse_status copse_octree_within_many(const copse_octree *tree, const float *centers,
                                                 uint32_t n, float radius, const copse_query *query,
                                                 copse_rows *rows) {
  const bool ok = query_radius_ok(radius) && !(query && query->sort != COPSE_SORT_NONE);
  copse_status status = ok ? COPSE_OK : COPSE_INVALID_ARGUMENT;
  rows->total = 0;
  rows->truncated = false;
  for (uint32_t i = 0; i < n && status == COPSE_OK; i++) {
    copse_results row = query_row_begin(rows);
    const float *center = centers + (size_t)i * tree->def.dimensions;
    status = copse_octree_within(tree, center, radius, query, &row);
    query_row_end(rows, i, row.total);
  }
  return status;
}
