/* An object of any kind, and the calls that all kinds have. */
#ifndef COPSE_INDEX_H
#define COPSE_INDEX_H

#include "../c/copse.h"

/* What JavaScript's Stats tell, from each kind's own. */
typedef struct index_statistics {
  uint32_t agents, skipped, nodes, leaves, depth;
  size_t bytes;
} index_statistics;

static inline index_statistics copse_agenttree_index_stats(const copse_agenttree *tree) {
  const copse_agenttree_statistics stats = copse_agenttree_stats(tree);
  return (index_statistics){stats.agents, stats.skipped, stats.nodes,
                            stats.leaves, stats.depth,   stats.bytes};
}
static inline index_statistics copse_grid_index_stats(const copse_grid *grid) {
  const copse_grid_statistics stats = copse_grid_stats(grid);
  return (index_statistics){stats.agents, stats.skipped, stats.entries, stats.used, 0, stats.bytes};
}

/* The leaves of a k-d tree are nodes. */
static inline index_statistics copse_kdtree_index_stats(const copse_kdtree *tree) {
  const copse_kdtree_statistics stats = copse_kdtree_stats(tree);
  return (index_statistics){stats.points, stats.skipped, stats.points,
                            stats.leaves, stats.depth,   stats.bytes};
}

/* Boxes can't be refused: they are checked when they come. */
#define copse_agenttree_index_save copse_agenttree_save
#define copse_grid_index_save      copse_grid_save
#define copse_kdtree_index_save    copse_kdtree_save
#define copse_obstacle_index_save  copse_obstacle_save
static inline copse_status copse_octree_index_save(const copse_octree *tree, void *bytes,
                                                   size_t capacity, size_t *total,
                                                   uint32_t *firstBad) {
  (void)firstBad;
  return copse_octree_save(tree, bytes, capacity, total);
}

#define copse_crowd_index_save copse_crowd_save

/* The kinds, as bits. A core compiled with -DCOPSE_ONLY=<noun> holds what an entry for that noun
 * needs, any other holds all. Of what can't be in a core the compiler makes nothing. */
#define KIND_agenttree 1
#define KIND_grid      2
#define KIND_kdtree    4
#define KIND_octree    8
#define KIND_obstacle  16
#define KIND_crowd     32

#define CORE_agenttree KIND_agenttree
#define CORE_grid      KIND_grid
#define CORE_kdtree    KIND_kdtree
#define CORE_octree    KIND_octree
#define CORE_obstacle  KIND_obstacle
#define CORE_crowd     (KIND_crowd | KIND_obstacle)

#ifdef COPSE_ONLY /* in two steps, or ## would paste its name */
#define CORE_OF(noun)   CORE_##noun
#define CORE_ONLY(noun) CORE_OF(noun)
#define CORE_KINDS      CORE_ONLY(COPSE_ONLY)
#else
#define CORE_KINDS 63
#endif

/* There are four families: agents, boxes, walls, and crowds; the items that queries find are agents
 * or boxes. */
#define WITH_AGENTS (CORE_KINDS & (KIND_agenttree | KIND_grid | KIND_kdtree))
#define WITH_BOXES  (CORE_KINDS & KIND_octree)
#define WITH_WALLS  (CORE_KINDS & KIND_obstacle)
#define WITH_CROWDS (CORE_KINDS & KIND_crowd)
#define WITH_ITEMS  (WITH_AGENTS || WITH_BOXES)

#define IS_OF(at, noun)                                                                            \
  (CORE_KINDS == KIND_##noun || ((CORE_KINDS & KIND_##noun) != 0 && (at).noun != NULL))
#define IS_OF_BOXES(at)  IS_OF(at, octree)
#define IS_OF_WALLS(at)  IS_OF(at, obstacle)
#define IS_OF_CROWDS(at) IS_OF(at, crowd)
#define IS_OF_AGENTS(at)                                                                           \
  (WITH_AGENTS != 0 && !IS_OF_BOXES(at) && !IS_OF_WALLS(at) && !IS_OF_CROWDS(at))

/* <families>_CALL(at, verb, ...) is copse_<noun>_<verb>(...) for the kind that `at` is of: any, or
 * one of those that answer queries, that have items, that are of agents; CHANGED_CALL for those
 * that things are added to and removed from. */
#define CALL(at, noun, verb, ...) copse_##noun##_##verb((at).noun, ##__VA_ARGS__)
#define INDEX_CALL(at, ...)                                                                        \
  (IS_OF_CROWDS(at) ? CALL(at, crowd, __VA_ARGS__) : QUERY_CALL(at, __VA_ARGS__))
#define QUERY_CALL(at, ...)                                                                        \
  (IS_OF_WALLS(at) ? CALL(at, obstacle, __VA_ARGS__) : ITEMS_CALL(at, __VA_ARGS__))
#define ITEMS_CALL(at, ...)                                                                        \
  (IS_OF_BOXES(at) ? CALL(at, octree, __VA_ARGS__) : AGENTS_CALL(at, __VA_ARGS__))
#define AGENTS_CALL(at, ...)                                                                       \
  (IS_OF(at, grid)     ? CALL(at, grid, __VA_ARGS__)                                               \
   : IS_OF(at, kdtree) ? CALL(at, kdtree, __VA_ARGS__)                                             \
                       : CALL(at, agenttree, __VA_ARGS__))
#define CHANGED_CALL(at, ...)                                                                      \
  (IS_OF_CROWDS(at)  ? CALL(at, crowd, __VA_ARGS__)                                                \
   : IS_OF_WALLS(at) ? CALL(at, obstacle, __VA_ARGS__)                                             \
                     : CALL(at, octree, __VA_ARGS__))

/* One of them is not NULL. */
#if CORE_KINDS & (CORE_KINDS - 1)
typedef struct index {
#else
typedef union index {
#endif
  copse_agenttree *agenttree;
  copse_grid *grid;
  copse_kdtree *kdtree;
  copse_octree *octree;
  copse_obstacle *obstacle;
  copse_crowd *crowd;
} index;

/* The arguments are those of copse.h, after the index, which may be evaluated twice. */
#define index_reserve(at, ...)       INDEX_CALL(at, reserve, __VA_ARGS__)
#define index_capacity(at)           INDEX_CALL(at, capacity)
#define index_dimensions(at)         ITEMS_CALL(at, dimensions)
#define index_count(at)              INDEX_CALL(at, count)
#define index_set_count(at, ...)     AGENTS_CALL(at, set_count, __VA_ARGS__)
#define index_positions(at)          AGENTS_CALL(at, positions)
#define index_groups(at)             ITEMS_CALL(at, groups)
#define index_build(at, ...)         AGENTS_CALL(at, build, __VA_ARGS__)
#define index_build_from(at, ...)    AGENTS_CALL(at, build_from, __VA_ARGS__)
#define index_within(at, ...)        ITEMS_CALL(at, within, __VA_ARGS__)
#define index_range(at, ...)         ITEMS_CALL(at, range, __VA_ARGS__)
#define index_cone(at, ...)          AGENTS_CALL(at, cone, __VA_ARGS__)
#define index_neighbors(at, ...)     ITEMS_CALL(at, neighbors, __VA_ARGS__)
#define index_count_within(at, ...)  ITEMS_CALL(at, count_within, __VA_ARGS__)
#define index_any_within(at, ...)    ITEMS_CALL(at, any_within, __VA_ARGS__)
#define index_all_within(at, ...)    AGENTS_CALL(at, all_within, __VA_ARGS__)
#define index_within_many(at, ...)   AGENTS_CALL(at, within_many, __VA_ARGS__)
#define index_all_neighbors(at, ...) AGENTS_CALL(at, all_neighbors, __VA_ARGS__)
#define index_nearest_many(at, ...)  AGENTS_CALL(at, nearest_many, __VA_ARGS__)
#define index_pairs(at, ...)         AGENTS_CALL(at, pairs, __VA_ARGS__)
#define index_raycast(at, ...)       AGENTS_CALL(at, raycast, __VA_ARGS__)
#define index_raycast_many(at, ...)  AGENTS_CALL(at, raycast_many, __VA_ARGS__)
#define index_built(at)              AGENTS_CALL(at, built)
#define index_order(at, ...)         AGENTS_CALL(at, order, __VA_ARGS__)
#define index_validate(at)           QUERY_CALL(at, validate)
#define index_cells(at, ...)         QUERY_CALL(at, cells, __VA_ARGS__)
#define index_save(at, ...)          INDEX_CALL(at, index_save, __VA_ARGS__)
#define index_restore(at, ...)       INDEX_CALL(at, restore, __VA_ARGS__)
#define index_restorable(at, ...)    INDEX_CALL(at, restorable, __VA_ARGS__)
#define index_stats(at)              AGENTS_CALL(at, index_stats)
#define index_remove(at, ...)        CHANGED_CALL(at, remove, __VA_ARGS__)

static inline void index_destroy(index at) { INDEX_CALL(at, destroy); }
static inline void index_clear(index at) { CHANGED_CALL(at, clear); }

#if WITH_ITEMS
/* Without the distance, which nobody here asks for. */
static inline copse_status index_nearest(index at, const float *center, const copse_query *query,
                                         uint32_t *id, uint32_t *visits) {
  return ITEMS_CALL(at, nearest, center, query, id, NULL, visits);
}
#endif

#endif
