/* An object of any family: exactly one of the pointers is not NULL. */
#ifndef ANY_H
#define ANY_H

#include "../../c/copse.h"

typedef struct any {
  copse_points *points;
  copse_octree *octree;
  copse_obstacle *obstacle;
  copse_crowd *crowd;
} any;

/* Calls copse_<family>_<verb> for the family of the object. */
#define ANY_CALL(object, verb, ...)                                                                \
  ((object).octree     ? copse_octree_##verb((object).octree, ##__VA_ARGS__)                       \
   : (object).obstacle ? copse_obstacle_##verb((object).obstacle, ##__VA_ARGS__)                   \
   : (object).crowd    ? copse_crowd_##verb((object).crowd, ##__VA_ARGS__)                         \
                       : copse_points_##verb((object).points, ##__VA_ARGS__))
/* The same for the two families that hold items: points and boxes. */
#define ITEMS_CALL(object, verb, ...)                                                              \
  ((object).octree ? copse_octree_##verb((object).octree, ##__VA_ARGS__)                           \
                   : copse_points_##verb((object).points, ##__VA_ARGS__))

static inline void any_destroy(any object) { ANY_CALL(object, destroy); }
static inline uint32_t any_capacity(any object) { return ANY_CALL(object, capacity); }
static inline copse_status any_reserve(any object, uint32_t capacity) {
  return ANY_CALL(object, reserve, capacity);
}
static inline size_t any_bytes(any object) {
  return object.octree     ? copse_octree_stats(object.octree).bytes
         : object.obstacle ? copse_obstacle_stats(object.obstacle).bytes
         : object.crowd    ? copse_crowd_stats(object.crowd).bytes
                           : copse_points_stats(object.points).bytes;
}
/* Saving boxes has no firstBad: every box was checked when it was added. */
static inline copse_status any_save(any object, void *bytes, size_t capacity, size_t *total) {
  return object.octree     ? copse_octree_save(object.octree, bytes, capacity, total)
         : object.obstacle ? copse_obstacle_save(object.obstacle, bytes, capacity, total, NULL)
         : object.crowd    ? copse_crowd_save(object.crowd, bytes, capacity, total, NULL)
                           : copse_points_save(object.points, bytes, capacity, total, NULL);
}
static inline copse_status any_restore(any object, const void *bytes, size_t size,
                                       uint32_t *needed) {
  return ANY_CALL(object, restore, bytes, size, needed);
}
/* A crowd has no validate and no cells: true, and 0. */
static inline bool any_validate(any object) {
  return object.octree     ? copse_octree_validate(object.octree)
         : object.obstacle ? copse_obstacle_validate(object.obstacle)
                           : object.crowd || copse_points_validate(object.points);
}
static inline size_t any_cells(any object, float *out, size_t capacity) {
  return object.octree     ? copse_octree_cells(object.octree, 0, out, capacity)
         : object.obstacle ? copse_obstacle_cells(object.obstacle, 0, out, capacity)
         : object.crowd    ? 0
                           : copse_points_cells(object.points, 0, out, capacity);
}

#endif
