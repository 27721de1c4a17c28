/* An index of any kind, and the calls that all kinds have. */
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

/* There are three families: agents, boxes, and walls; the items that queries find are agents or
 * boxes. INDEX_CALL(at, verb, ...) is copse_<noun>_<verb>(...) for the kind that `at` is of,
 * ITEMS_CALL for those of items, and AGENTS_CALL for those of agents: a line for each. Compiled
 * with -DCOPSE_ONLY=<noun> it is of that kind, and the linker drops the others. */
#define CALL_agenttree(at, verb, ...) copse_agenttree_##verb((at).tree, ##__VA_ARGS__)
#define CALL_grid(at, verb, ...)      copse_grid_##verb((at).grid, ##__VA_ARGS__)
#define CALL_kdtree(at, verb, ...)    copse_kdtree_##verb((at).kdtree, ##__VA_ARGS__)
#define CALL_octree(at, verb, ...)    copse_octree_##verb((at).octree, ##__VA_ARGS__)
#define CALL_obstacle(at, verb, ...)  copse_obstacle_##verb((at).obstacle, ##__VA_ARGS__)

#ifdef COPSE_ONLY /* in two steps, or ## would paste its name */
#define CALL_OF(noun, ...)   CALL_##noun(__VA_ARGS__)
#define CALL_ONLY(noun, ...) CALL_OF(noun, __VA_ARGS__)
#define INDEX_CALL(...)      CALL_ONLY(COPSE_ONLY, __VA_ARGS__)
#define ITEMS_CALL           INDEX_CALL
#define AGENTS_CALL          INDEX_CALL
#define BOXES                1
#define WALLS                2
#define FAMILY_agenttree     0
#define FAMILY_grid          0
#define FAMILY_kdtree        0
#define FAMILY_octree        BOXES
#define FAMILY_obstacle      WALLS
#define FAMILY_OF(noun)      FAMILY_##noun
#define FAMILY_ONLY(noun)    FAMILY_OF(noun)
#define WITH_BOXES           (FAMILY_ONLY(COPSE_ONLY) == BOXES)
#define WITH_WALLS           (FAMILY_ONLY(COPSE_ONLY) == WALLS)
#define WITH_AGENTS          (!WITH_BOXES && !WITH_WALLS)
#define IS_OF_BOXES(at)      WITH_BOXES
#define IS_OF_WALLS(at)      WITH_WALLS
#else
#define WITH_BOXES      1
#define WITH_WALLS      1
#define WITH_AGENTS     1
#define IS_OF_BOXES(at) ((at).octree != NULL)
#define IS_OF_WALLS(at) ((at).obstacle != NULL)
#define INDEX_CALL(at, ...)                                                                        \
  ((at).obstacle ? CALL_obstacle(at, __VA_ARGS__) : ITEMS_CALL(at, __VA_ARGS__))
#define ITEMS_CALL(at, ...)                                                                        \
  ((at).octree ? CALL_octree(at, __VA_ARGS__) : AGENTS_CALL(at, __VA_ARGS__))
#define AGENTS_CALL(at, ...)                                                                       \
  ((at).grid     ? CALL_grid(at, __VA_ARGS__)                                                      \
   : (at).kdtree ? CALL_kdtree(at, __VA_ARGS__)                                                    \
                 : CALL_agenttree(at, __VA_ARGS__))
#endif
#define WITH_ITEMS       (WITH_AGENTS || WITH_BOXES)
#define IS_OF_AGENTS(at) (!IS_OF_BOXES(at) && !IS_OF_WALLS(at))

/* One of them is not NULL. */
typedef struct index {
#if WITH_AGENTS
  copse_agenttree *tree;
  copse_grid *grid;
  copse_kdtree *kdtree;
#endif
#if WITH_BOXES
  copse_octree *octree;
#endif
#if WITH_WALLS
  copse_obstacle *obstacle;
#endif
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
#define index_order(at, ...)         AGENTS_CALL(at, order, __VA_ARGS__)
#define index_validate(at)           INDEX_CALL(at, validate)
#define index_cells(at, ...)         INDEX_CALL(at, cells, __VA_ARGS__)
#define index_save(at, ...)          INDEX_CALL(at, index_save, __VA_ARGS__)
#define index_restore(at, ...)       INDEX_CALL(at, restore, __VA_ARGS__)
#define index_stats(at)              AGENTS_CALL(at, index_stats)

static inline void index_destroy(index at) { INDEX_CALL(at, destroy); }

#if WITH_ITEMS
/* Without the distance, which nobody here asks for. */
static inline copse_status index_nearest(index at, const float *center, const copse_query *query,
                                         uint32_t *id, uint32_t *visits) {
  return ITEMS_CALL(at, nearest, center, query, id, NULL, visits);
}
#endif

#endif
