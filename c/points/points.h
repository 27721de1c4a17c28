/* The base of all structures of points: memory, the caller's buffers, and the agents of the last
 * build in the order of the structure. A structure adds a table of functions: points_type. */
#ifndef COPSE_POINTS_H
#define COPSE_POINTS_H

#include "../base/region.h"
#include "../base/snapshot.h"

/* ---- Dimensions ----
 *
 * Loops over the axes are fast if `dim` is a constant. A function that is called often is written
 * once, as an inline function with `dim` as its last parameter, and compiled twice. */

/* Calls an inline function with `dim` as a constant. */
#define WITH_DIM(dimensions, function, ...)                                                        \
  ((dimensions) == 3 ? function(__VA_ARGS__, 3) : function(__VA_ARGS__, 2))

/* Defines name_2d and name_3d, out of line, which return name_in(…, dim). The last arguments are
 * those of name_in without `dim`. DEFINE_PAIR_VOID is for functions that return nothing. */
#define DEFINE_PAIR(result, name, parameters, ...)                                                 \
  OUT_OF_LINE result name##_2d parameters { return name##_in(__VA_ARGS__, 2); }                    \
  OUT_OF_LINE result name##_3d parameters { return name##_in(__VA_ARGS__, 3); }
#define DEFINE_PAIR_VOID(result, name, parameters, ...)                                            \
  OUT_OF_LINE result name##_2d parameters { name##_in(__VA_ARGS__, 2); }                           \
  OUT_OF_LINE result name##_3d parameters { name##_in(__VA_ARGS__, 3); }

/* Calls name_2d or name_3d. */
#define CALL_PAIR(dimensions, name, ...)                                                           \
  ((dimensions) == 3 ? name##_3d(__VA_ARGS__) : name##_2d(__VA_ARGS__))

typedef struct points_type points_type;

/* The part that all structures have in common: the first field of each. */
struct copse_points {
  const points_type *type;
  uint32_t dimensions, capacity;
  copse_layout layout;
  copse_on_non_finite onNonFinite;
  copse_allocator allocator;
  void *block; /* holds all arrays, also those of the structure */
  uint64_t blockBytes;

  /* The caller's buffers: agents in some of the slots 0 … slots - 1. Free slots have no group. */
  float *positions;
  uint32_t *groups;
  uint32_t slots;
  struct slots agents; /* the slots in use */

  /* The last build, if there was one. ordered.ids is a permutation of 0 … builtCount - 1: first the
   * present slots, in the order of the structure, then the absent ones. If all agents have the same
   * groups, ordered.groups is not filled. */
  scan_points ordered;
  uint32_t present;
  uint32_t builtCount; /* slots */
  uint32_t skipped;
  bool isBuilt;
  uint32_t anyGroups, allGroups; /* bits that some agents have, bits that all have */
};

/* The input of a build: the buffers, the caller's own arrays, or a snapshot. */
typedef struct points_source {
  copse_const_positions positions;
  const uint32_t *groups; /* NULL: all 1 */
  uint32_t count;
} points_source;

typedef struct points_survey {
  uint32_t present;              /* slots with a group and an accepted position */
  uint32_t bad;                  /* slots with a group and a position that is not accepted */
  uint32_t firstBad;             /* COPSE_NONE: none */
  uint32_t anyGroups, allGroups; /* of the present slots */
} points_survey;

/* The number of words of options that must agree between a snapshot and the structure that takes
 * it. */
enum { POINTS_OPTIONS = 3 };

typedef struct batch_query batch_query;
typedef struct row_writer row_writer;
typedef struct neighbor_search neighbor_search;
typedef struct pair_search pair_search;

/* The functions of a structure. Their callers have checked all arguments. A query returns the
 * number of nodes, or runs, that it visited, unless its comment says otherwise. A table for a
 * single purpose, like the crowd's, has NULL for functions that are never called, so that they are
 * not linked. */
struct points_type {
  snapshot_kind kind;
  size_t bytes; /* of its struct, at most POINTS_BYTES */

  /* Points its arrays into a block, or measures it. */
  void (*carve)(void *index, arena *block);
  /* Copies the contents of these arrays to a larger index; NULL if there are none. */
  void (*keep)(void *larger, const void *index);
  /* Builds from a source that passed its survey. */
  void (*build)(void *index, const points_source *source, const points_survey *survey);
  /* Writes the options that a snapshot must have; NULL if there are none. */
  void (*options)(const void *index, uint32_t words[POINTS_OPTIONS]);

  /* Appends the agents in a region. */
  uint32_t (*collect)(const void *index, const region *where, shape kind, const copse_query *query,
                      copse_results *results);
  /* Updates the nearest agent so far. */
  uint32_t (*nearest)(const void *index, const float *center, const copse_query *query,
                      pair *nearest);
  /* Updates the k > 0 nearest agents so far. */
  uint32_t (*neighbors)(const void *index, const float *center, const copse_query *query,
                        scan_nearest *nearest);
  /* Returns the estimated squared distance of the k-th neighbor of a point, or 0 if there is no
   * estimate; NULL if there never is one. */
  float (*reach2)(const void *index, const float *center, uint32_t k);
  /* Returns the number of agents in a circle; with stopAtFirst, 0 if there are none, else any
   * number above 0. */
  uint32_t (*count)(const void *index, const region *circle, const copse_query *query,
                    bool stopAtFirst, uint32_t *visits);
  /* Updates the first hit so far. */
  uint32_t (*cast)(const void *index, const scan_ray *ray, const copse_query *query,
                   copse_hit *hit);

  /* Batches, see batch.h: write the rows of all agents, or the pairs. */
  void (*allWithin)(const void *index, const batch_query *batch, float radius, row_writer *writer);
  void (*allNeighbors)(const void *index, neighbor_search *search);
  void (*pairs)(const void *index, const batch_query *batch, pair_search *result);
  /* Writes the rows of the k > 0 nearest agents of n > 0 points; NULL: the caller queries each
   * point by itself. */
  void (*nearestMany)(const void *index, neighbor_search *search, const float *points, uint32_t n);

  void (*cells)(const void *index, drawing *drawn);
  /* Fills in nodes, leaves, depth and isShared, where they are not 0. */
  void (*stats)(const void *index, copse_points_statistics *stats);
  bool (*validate)(const void *index);
};

enum { POINTS_BYTES = 512 };

ALWAYS_INLINE float source_coordinate(const points_source *source, uint32_t slot, int axis) {
  return source->positions.axes[axis][(size_t)slot * source->positions.stride];
}
ALWAYS_INLINE uint32_t source_group(const points_source *source, uint32_t slot) {
  return source->groups ? source->groups[slot] : 1;
}

static inline bool ids_ascend(const uint32_t *ids, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin + 1; i < end; i++) {
    WORKED(1);
    if (ids[i] < ids[i - 1]) return false;
  }
  return true;
}

/* True if any agent matches a mask. Every search must start with this test: if all agents have the
 * same groups, it is the only test of groups. */
ALWAYS_INLINE bool points_have(const copse_points *points, uint32_t mask) {
  return points->present && (points->anyGroups & mask);
}

/* Writes the position of the agent at a place; in 2D z is 0. */
static inline void points_center(const copse_points *points, uint32_t place, float *center) {
  center[2] = 0;
  for (uint32_t axis = 0; axis < points->dimensions; axis++)
    center[axis] = points->ordered.axes[axis][place];
}

/* Returns the filter that a query needs for each agent. */
ALWAYS_INLINE scan_filter points_filter(const copse_points *points, const copse_query *query) {
  const bool testGroups = query->mask != COPSE_ALL_GROUPS && !(points->allGroups & query->mask) &&
                          points->anyGroups != points->allGroups;
  return (scan_filter){query->mask, query->exclude, testGroups};
}

/* ---- Life ---- */

/* True if the options common to all structures are in their ranges. */
bool points_ok(const copse_points *definition);
/* Returns the bytes that a structure with this definition needs; SIZE_MAX if they exceed the
 * address space. */
size_t points_bytes(const copse_points *definition);
/* Makes a structure from its definition: a struct whose arrays have no memory yet. */
copse_status points_create(const copse_points *definition, copse_points **points);
/* Returns the bytes that the whole structure takes. */
ALWAYS_INLINE size_t points_memory(const copse_points *points) {
  return points->type->bytes + (size_t)points->blockBytes;
}

/* ---- Snapshots ---- */

/* Arrays by slot that a host keeps beside an index and wants to save with it. An array that holds
 * only defaults may be NULL. */
typedef struct points_extras {
  const uint32_t *masks;
  const float *radii, *builtRadii; /* both or none */
} points_extras;

/* Does the same as copse_points_save, and saves the extras too. */
copse_status points_save_extras(const copse_points *points, const points_extras *extras,
                                void *bytes, size_t capacity, size_t *total, uint32_t *firstBad);
/* Returns the extras in a snapshot, for slots 0 … count - 1. An index must have accepted the
 * snapshot. */
points_extras points_saved_extras(const void *bytes, size_t size, uint32_t *count);

/* ---- Build ---- */

bool source_accepts(const points_source *source, uint32_t slot, uint32_t dimensions);
/* Copies the counts of a survey to the index: the first step of a build. */
void points_take(copse_points *points, const points_source *source, const points_survey *survey);
/* Copies the coordinates of the agents at places begin … end - 1, whose ids must be set, from the
 * source to points->ordered. -0 becomes 0. */
void points_fetch(const copse_points *points, const points_source *source, uint32_t begin,
                  uint32_t end);
/* Writes the tight bounds of the agents begin … end, which must be at least one. */
void points_bounds(const copse_points *points, uint32_t begin, uint32_t end, float *box);
/* Fetches the groups of all agents, by their ids, if they differ. */
void points_fetch_groups(const copse_points *points, const points_source *source);

/* ---- Queries ---- */

/* Returns the number of agents that an estimate of `reach2` aims at: a few more than k, for uneven
 * densities. */
ALWAYS_INLINE uint32_t points_aim(uint32_t k) { return k + 6; }
/* Estimates the squared distance of the k-th neighbor of a point, as if agents were spread evenly
 * like the `size` agents in a box. Returns 0 if these lie on a line or plane. */
float points_reach2(const float *box, uint32_t size, const float *center, uint32_t k, int dim);

/* ---- Scans that all structures share: copies of their own would not be faster ---- */

/* Appends the agents of a run that lie in a box or cone. */
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
