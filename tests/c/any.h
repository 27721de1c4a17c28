/* An object of any family: one of its pointers is not NULL. */
#ifndef ANY_H
#define ANY_H

#include "../../c/copse.h"

typedef struct any {
  copse_points *points;
  copse_octree *octree;
  copse_obstacle *obstacle;
  copse_crowd *crowd;
} any;

/* copse_<family>_<verb> of the family that it is of. */
#define ANY_CALL(it, verb, ...)                                                                    \
  ((it).octree     ? copse_octree_##verb((it).octree, ##__VA_ARGS__)                               \
   : (it).obstacle ? copse_obstacle_##verb((it).obstacle, ##__VA_ARGS__)                           \
   : (it).crowd    ? copse_crowd_##verb((it).crowd, ##__VA_ARGS__)                                 \
                   : copse_points_##verb((it).points, ##__VA_ARGS__))
/* Of those that have items: points or boxes. */
#define ITEMS_CALL(it, verb, ...)                                                                  \
  ((it).octree ? copse_octree_##verb((it).octree, ##__VA_ARGS__)                                   \
               : copse_points_##verb((it).points, ##__VA_ARGS__))

static inline void any_destroy(any it) { ANY_CALL(it, destroy); }
static inline uint32_t any_capacity(any it) { return ANY_CALL(it, capacity); }
static inline copse_status any_reserve(any it, uint32_t capacity) {
  return ANY_CALL(it, reserve, capacity);
}
static inline size_t any_reserve_bytes(any it, uint32_t capacity) {
  return ANY_CALL(it, reserve_bytes, capacity);
}
static inline size_t any_bytes(any it) {
  return it.octree     ? copse_octree_stats(it.octree).bytes
         : it.obstacle ? copse_obstacle_stats(it.obstacle).bytes
         : it.crowd    ? copse_crowd_stats(it.crowd).bytes
                       : copse_points_stats(it.points).bytes;
}
/* Boxes can't be refused: they are checked when they come. */
static inline copse_status any_save(any it, void *bytes, size_t capacity, size_t *total) {
  return it.octree     ? copse_octree_save(it.octree, bytes, capacity, total)
         : it.obstacle ? copse_obstacle_save(it.obstacle, bytes, capacity, total, NULL)
         : it.crowd    ? copse_crowd_save(it.crowd, bytes, capacity, total, NULL)
                       : copse_points_save(it.points, bytes, capacity, total, NULL);
}
static inline copse_status any_restore(any it, const void *bytes, size_t size) {
  return ANY_CALL(it, restore, bytes, size);
}
static inline copse_status any_restorable(any it, const void *bytes, size_t size) {
  return ANY_CALL(it, restorable, bytes, size);
}
/* A crowd has nothing to validate or to draw. */
static inline bool any_validate(any it) {
  return it.octree     ? copse_octree_validate(it.octree)
         : it.obstacle ? copse_obstacle_validate(it.obstacle)
                       : it.crowd || copse_points_validate(it.points);
}
static inline size_t any_cells(any it, float *out, size_t capacity) {
  return it.octree     ? copse_octree_cells(it.octree, 0, out, capacity)
         : it.obstacle ? copse_obstacle_cells(it.obstacle, 0, out, capacity)
         : it.crowd    ? 0
                       : copse_points_cells(it.points, 0, out, capacity);
}

#endif
