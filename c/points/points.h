/* The common part of agent tree, grid and k-d tree: memory, the buffers that the caller writes, and
 * the agents of the last build, in the order in which the structure stores them. Each structure
 * adds a table of functions, points_type. */
#ifndef COPSE_POINTS_H
#define COPSE_POINTS_H

#include "../base/region.h"
#include "../base/snapshot.h"
#include "../base/tasks.h"

/* ---- Dimensions ----
 *
 * Loops over the axes are fast if `dim` is a constant. So a function that is called often is
 * written once, as an inline function with `dim` as its last parameter, and compiled twice, for 2D
 * and 3D. */

/* Calls an inline function with the constant 2 or 3 as its last argument, `dim`. */
#define WITH_DIM(dimensions, function, ...)                                                        \
  ((dimensions) == 3 ? function(__VA_ARGS__, 3) : function(__VA_ARGS__, 2))

/* Defines two functions that are not inlined: name_2d returns name_in(…, 2), name_3d returns
 * name_in(…, 3). `parameters` is the parameter list of both, in parentheses. The arguments after
 * that are passed to name_in, before `dim`. DEFINE_PAIR_VOID is for functions that return
 * nothing. */
#define DEFINE_PAIR(result, name, parameters, ...)                                                 \
  OUT_OF_LINE result name##_2d parameters { return name##_in(__VA_ARGS__, 2); }                    \
  OUT_OF_LINE result name##_3d parameters { return name##_in(__VA_ARGS__, 3); }
#define DEFINE_PAIR_VOID(result, name, parameters, ...)                                            \
  OUT_OF_LINE result name##_2d parameters { name##_in(__VA_ARGS__, 2); }                           \
  OUT_OF_LINE result name##_3d parameters { name##_in(__VA_ARGS__, 3); }

/* Calls name_2d or name_3d, depending on the dimensions. */
#define CALL_PAIR(dimensions, name, ...)                                                           \
  ((dimensions) == 3 ? name##_3d(__VA_ARGS__) : name##_2d(__VA_ARGS__))

typedef struct points_type points_type;

/* The first field of each structure, so that a pointer to a structure is also a pointer to this
 * struct. */
struct copse_points {
  const points_type *type;
  uint32_t dimensions, capacity;
  copse_layout layout;
  copse_on_non_finite onNonFinite;
  copse_allocator allocator;
  copse_tasks tasks;
  void *block; /* holds all arrays: those in this struct, and those of the tree or grid */
  uint64_t blockBytes;

  /* The buffers that the caller writes, with an entry per slot. A slot below `slots` holds an agent
   * or is free. The groups of free slots are 0. */
  float *positions;
  uint32_t *groups;
  uint32_t slots;
  /* The slots in use. agents.capacity is the number of slots in `positions` and `groups`. */
  struct slots agents;

  /* The last build. A slot was present in it if it had a group and valid coordinates (see
   * points_survey), else absent. ordered.ids holds all slots 0 … builtCount - 1: first the present
   * ones, in the order in which the structure stores them, then the absent ones. If all agents have
   * the same groups, ordered.groups is not filled. */
  scan_points ordered;
  uint32_t present;
  uint32_t builtCount;
  uint32_t skipped;
  bool isBuilt;
  uint32_t anyGroups, allGroups; /* bits that some agents have, and bits that all agents have */
};

/* The input of a build: the buffers of an index, arrays of the caller, or a snapshot. */
typedef struct points_source {
  copse_const_positions positions;
  const uint32_t *groups; /* NULL: all slots have group 1 */
  uint32_t count;
} points_source;

/* What a build must know about its input. */
typedef struct points_survey {
  uint32_t present;  /* number of slots that have a group and valid coordinates: neither NaN nor too
                      * large */
  uint32_t bad;      /* number of slots that have a group, but an invalid coordinate */
  uint32_t firstBad; /* the lowest of the slots that `bad` counts, or COPSE_NONE */
  uint32_t anyGroups, allGroups; /* bits that some present slots have, and that all have */
} points_survey;

/* The number of 32-bit words that a snapshot has for a structure's options, such as the leaf size.
 * An index restores a snapshot only if these words equal its own. */
enum { POINTS_OPTIONS = 3 };

typedef struct batch_query batch_query;
typedef struct row_writer row_writer;
typedef struct neighbor_search neighbor_search;
typedef struct pair_search pair_search;

/* The functions of one structure of points, such as the grid. Their callers have checked all
 * arguments. A query returns the number of nodes (in the grid: of runs of agents) that it visited,
 * unless its comment says otherwise. A table for a single purpose, like the crowd's, has NULL for
 * functions that are never called, so that they are not linked. */
struct points_type {
  snapshot_kind kind;
  size_t bytes; /* the size of the structure's struct in bytes, at most POINTS_BYTES */
  /* True: an index without buffers for agents, which only points_build_source builds. The capacity
   * of `agents` is 0. */
  bool hasNoAgents;

  /* Carves this structure's own arrays out of a block of memory. If the block has no memory yet
   * (its `base` is NULL), only adds up their size. */
  void (*carve)(void *index, arena *block);
  /* Copies this structure's own arrays into an index with a larger capacity. NULL if none of them
   * must be kept. */
  void (*keep)(void *larger, const void *index);
  /* Builds the structure from a source that was checked before. `survey` holds the results of the
   * check. */
  void (*build)(void *index, const points_source *source, const points_survey *survey);
  /* Writes the options in which a snapshot must agree with the index to be restored. The function
   * is NULL if there are none. */
  void (*options)(const void *index, uint32_t words[POINTS_OPTIONS]);

  /* Appends the agents in a region to the results. */
  uint32_t (*collect)(const void *index, const region *where, shape kind, const copse_query *query,
                      copse_results *results);
  /* Writes the nearest agent to *nearest. Before the call, *nearest must hold the maximum squared
   * distance, and COPSE_NONE as the id. If no agent is that near, *nearest stays as it is. */
  uint32_t (*nearest)(const void *index, const float *center, const copse_query *query,
                      pair *nearest);
  /* Adds the nearest agents to a heap, which keeps at most nearest->k > 0 of them. */
  uint32_t (*neighbors)(const void *index, const float *center, const copse_query *query,
                        scan_nearest *nearest);
  /* Returns an estimate of the squared distance from a point to its k-th nearest agent; 0 if no
   * estimate is possible. NULL if the structure has no estimates. */
  float (*reach2)(const void *index, const float *center, uint32_t k);
  /* Returns the number of agents in a circle. With stopAtFirst: 0 if there are none, else any
   * number above 0. */
  uint32_t (*count)(const void *index, const region *circle, const copse_query *query,
                    bool stopAtFirst, uint32_t *visits);
  /* Casts a ray: if it hits an agent earlier than *hit, replaces *hit. NULL if the world wraps
   * around: queries with rays, boxes, cones and planes are then refused. */
  uint32_t (*cast)(const void *index, const scan_ray *ray, const copse_query *query,
                   copse_hit *hit);

  /* Batch queries, see batch.h: these functions write a row of results for each agent, or all
   * pairs. */
  /* These two write the rows of a range of agents, in the order of the structure (NULL: of all). */
  void (*allWithin)(const void *index, const batch_query *batch, float radius,
                    const task_range *places, row_writer *writer);
  void (*allNeighbors)(const void *index, neighbor_search *search, const task_range *places);
  void (*pairs)(const void *index, const batch_query *batch, pair_search *result);
  /* Writes a row of results for each of the caller's n > 0 points: the k > 0 agents nearest to it.
   * NULL if the structure has no fast way: a single query is then made for each point. */
  void (*nearestMany)(const void *index, neighbor_search *search, const float *points, uint32_t n);

  void (*cells)(const void *index, drawing *drawn);
  /* Sets the statistics nodes, leaves, depth and isShared. They are 0 before, so a structure may
   * leave some out. */
  void (*stats)(const void *index, copse_points_statistics *stats);
  bool (*validate)(const void *index);
};

/* The maximum size of a structure's struct in bytes. */
enum { POINTS_BYTES = 512 };

ALWAYS_INLINE float source_coordinate(const points_source *source, uint32_t slot, int axis) {
  return source->positions.axes[axis][(size_t)slot * source->positions.stride];
}
ALWAYS_INLINE uint32_t source_group(const points_source *source, uint32_t slot) {
  return source->groups ? source->groups[slot] : 1;
}

static inline bool ids_ascend(const uint32_t *ids, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin + 1; i < end; i++)
    if (ids[i] < ids[i - 1]) return false;
  return true;
}

/* True if any agent matches a mask. Every search must start with this test: if all agents have the
 * same groups, it is the only test of groups. */
ALWAYS_INLINE bool points_have(const copse_points *points, uint32_t mask) {
  return points->present && (points->anyGroups & mask);
}

/* Writes the position of an agent. `place` is its index in the order of the structure. In 2D z is
 * 0. */
static inline void points_center(const copse_points *points, uint32_t place, float *center) {
  center[2] = 0;
  for (uint32_t axis = 0; axis < points->dimensions; axis++)
    center[axis] = points->ordered.axes[axis][place];
}

/* True if the world does not wrap around. Only then are there queries with rays, boxes, cones and
 * planes. */
ALWAYS_INLINE bool points_are_flat(const copse_points *points) {
  return points->type->cast != NULL;
}

/* Returns the filter that a query needs for each agent. The filter does not test groups if all
 * agents are known to match the mask. Nor does it if all agents have the same groups: the test in
 * points_have then suffices. */
ALWAYS_INLINE scan_filter points_filter(const copse_points *points, const copse_query *query) {
  const bool testGroups = query->mask != COPSE_ALL_GROUPS && !(points->allGroups & query->mask) &&
                          points->anyGroups != points->allGroups;
  return (scan_filter){query->mask, query->exclude, testGroups};
}

/* ---- Creation ---- */

/* A copse_points with the options that copse_agenttree_def, copse_grid_def and copse_kdtree_def
 * have in common. Its arrays have no memory yet. */
#define POINTS_OF(def, functions)                                                                  \
  {                                                                                                \
    .type = (functions), .dimensions = (def)->dimensions, .capacity = (def)->capacity,             \
    .layout = (def)->layout, .onNonFinite = (def)->onNonFinite, .allocator = (def)->allocator,     \
    .tasks = TASKS_OF(def)                                                                         \
  }
/* True if the options common to all structures are in their ranges. */
bool points_ok(const copse_points *definition);
/* Returns the bytes that a structure with this definition needs; SIZE_MAX if they exceed the
 * address space. */
size_t points_bytes(const copse_points *definition);
/* Creates an index. `definition` is the first field of a structure, such as a struct grid, in which
 * the options are set, but the arrays have no memory yet. The structure is copied. */
copse_status points_create(const copse_points *definition, copse_points **points);
ALWAYS_INLINE size_t points_memory(const copse_points *points) {
  return points->type->bytes + (size_t)points->blockBytes;
}

/* ---- Snapshots ---- */

/* Arrays with an entry per slot that belong to the owner of an index, such as a crowd, and are
 * saved in the same snapshot. An array may be NULL if all its entries are the default. */
typedef struct points_extras {
  const uint32_t *masks;
  const float *radii, *builtRadii; /* either both are NULL or neither is */
} points_extras;

/* Does the same as copse_points_save, and also saves `extras`, the arrays of the index's owner. */
copse_status points_save_extras(const copse_points *points, const points_extras *extras,
                                void *bytes, size_t capacity, size_t *total, uint32_t *firstBad);
/* Returns the owner's arrays (see points_extras) in a snapshot, and sets *count to their length.
 * Does not check the snapshot: an index must have restored it before. */
points_extras points_saved_extras(const void *bytes, size_t size, uint32_t *count);

/* ---- Build ---- */

/* Clears the groups of free slots, in case the caller wrote there: builds must ignore free
 * slots. */
void points_hide_free(const copse_points *points);
/* Builds an index from a source, and leaves its agents as they are. */
copse_status points_build_source(copse_points *points, const points_source *source,
                                 uint32_t *firstBad);
/* True if a slot has a group, and valid coordinates. */
bool source_has(const points_source *source, uint32_t slot, uint32_t dimensions);
/* Makes ordered.ids a permutation of the slots of a source: first the present agents, then the
 * other slots, both in ascending order. Call points_take first. */
void points_order_slots(const copse_points *points, const points_source *source);
/* Copies the results of a survey to the index: the first step of a build. */
void points_take(copse_points *points, const points_source *source, const points_survey *survey);
/* Copies coordinates from the source to the entries begin … end - 1 of points->ordered. Their ids
 * must be set before. -0 becomes 0. */
void points_fetch(const copse_points *points, const points_source *source, uint32_t begin,
                  uint32_t end);
/* Writes the tight bounds of the agents in the entries begin … end - 1 of points->ordered. There
 * must be at least one. */
void points_bounds(const copse_points *points, uint32_t begin, uint32_t end, float *box);
/* Copies groups from the source to the entries begin … end - 1 of points->ordered, unless all
 * agents have the same groups. */
void points_fetch_groups(const copse_points *points, const points_source *source, uint32_t begin,
                         uint32_t end);

/* ---- Queries ---- */

/* Returns how many agents an estimated search radius should contain to find k of them: a few more,
 * because agents are not spread evenly. */
ALWAYS_INLINE uint32_t points_aim(uint32_t k) { return k + 5; }
/* Returns an estimate of the squared distance from a point to its k-th nearest agent, from the
 * density of the `size` agents in a box; 0 if the box has no area (in 3D no volume). */
float points_reach2(const float *box, uint32_t size, const float *center, uint32_t k, int dim);

/* Finds the k nearest agents, k > 0, as copse_points_neighbors does, but checks no arguments. Looks
 * first within an estimated distance: its square is at least `reach2`. results->visits must be 0.
 */
void points_find_neighbors(const copse_points *points, const float *center, uint32_t k,
                           const copse_query *query, float reach2, copse_results *results);

/* ---- Scans that are compiled once for all structures: more copies would not be faster ---- */

/* Appends the agents that lie in a box or cone to the results. Tests the agents begin … end - 1. */
void points_scan(const copse_points *points, uint32_t begin, uint32_t end, const region *where,
                 shape kind, const scan_filter *filter, copse_results *results);
uint32_t points_scan_count(const copse_points *points, uint32_t begin, uint32_t end,
                           const region *circle, const scan_filter *filter);
void points_scan_nearest(const copse_points *points, uint32_t begin, uint32_t end,
                         const float *center, const scan_filter *filter, pair *nearest);
void points_scan_neighbors(const copse_points *points, uint32_t begin, uint32_t end,
                           const float *center, const scan_filter *filter, scan_nearest *nearest);
void points_scan_ray(const copse_points *points, uint32_t begin, uint32_t end, const scan_ray *ray,
                     const scan_filter *filter, copse_hit *hit);

#endif
