/* What every index of points is built over: its memory, the caller's buffers, and the agents of the
 * last build in the index's own order. */
#ifndef COPSE_AGENTS_H
#define COPSE_AGENTS_H

#include "region.h"
#include "snapshot.h"

typedef struct index_type index_type;

/* The struct of every index begins with this. */
typedef struct agents {
  const index_type *type;
  uint32_t dimensions, capacity;
  copse_layout layout;
  copse_on_non_finite onNonFinite;
  copse_allocator allocator;
  void *block; /* holds all arrays, those of the index too */
  uint64_t blockBytes;

  /* The caller's side: slots 0 … count - 1. */
  float *positions;
  uint32_t *groups;
  uint32_t count;

  /* The last build. points.ids is a permutation of 0 … builtCount - 1: first those that are
   * present, in the order of the index, then the slots that are absent. Where all are in the same
   * groups, points.groups is not filled. */
  scan_points points;
  uint32_t present;
  uint32_t builtCount;
  uint32_t skipped;
  uint32_t anyGroups, allGroups; /* bits that some, and that all of the present have */
} agents;

/* Where a build reads from: the buffers, the caller's own arrays, or a snapshot. */
typedef struct source {
  copse_positions positions;
  uint32_t *groups; /* NULL: all 1; a build only reads */
  uint32_t count;
} source;

typedef struct survey {
  uint32_t present;              /* slots with a group and an accepted position */
  uint32_t bad;                  /* slots with a group and a position that is not accepted */
  uint32_t firstBad;             /* COPSE_NONE: none */
  uint32_t anyGroups, allGroups; /* of the present */
} survey;

/* So many words must agree between a snapshot and the index that takes it; which, the index says.
 */
enum { INDEX_OPTIONS = 3 };

/* What a kind of index adds to its agents. */
struct index_type {
  snapshot_kind kind;
  size_t bytes;                             /* of its struct, at most INDEX_BYTES */
  void (*carve)(void *index, arena *block); /* points its arrays into a block, or measures it */
  void (*keep)(void *larger, const void *index); /* copies what these hold after the last build */
  /* Builds from a source whose survey found nothing that forbids it. */
  void (*build)(void *index, const source *from, const survey *found);
  void (*options)(const void *index, uint32_t words[INDEX_OPTIONS]);

  /* Queries whose arguments were checked. Unless it says otherwise, each answers with the number of
   * nodes, or runs, that it visited. */
  uint32_t (*collect)(const void *index, const region *where, shape kind, const copse_query *query,
                      copse_results *results); /* appends what lies there */
  uint32_t (*nearest)(const void *index, const float *center, const copse_query *query,
                      pair *nearest); /* brings it up to date */
  uint32_t (*neighbors)(const void *index, const float *center, const copse_query *query,
                        scan_nearest *nearest); /* likewise; k > 0 */
  /* About how far, squared, the k-th neighbor of a point is; 0: no idea. NULL: always that. */
  float (*reach2)(const void *index, const float *center, uint32_t k);
};

/* Likewise, but told by who asks: a program that never does so need not contain them. */
typedef uint32_t index_counter(const void *index, const region *circle, const copse_query *query,
                               bool stopAtFirst, uint32_t *visits); /* answers with the agents */
typedef uint32_t index_cast(const void *index, const scan_ray *ray, const copse_query *query,
                            copse_hit *hit); /* from a hit that is nobody */

enum { INDEX_BYTES = 512 };

ALWAYS_INLINE float source_coordinate(const source *from, uint32_t slot, int axis) {
  return from->positions.axes[axis][(size_t)slot * from->positions.stride];
}
ALWAYS_INLINE uint32_t source_group(const source *from, uint32_t slot) {
  return from->groups ? from->groups[slot] : 1;
}

static inline bool ids_ascend(const uint32_t *ids, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin + 1; i < end; i++)
    if (ids[i] < ids[i - 1]) return false;
  return true;
}

/* Whether any agent matches a mask. Every search must begin with this: only then may groups be
 * tested, and only where they differ. */
ALWAYS_INLINE bool agents_have(const agents *all, uint32_t mask) {
  return all->present && (all->anyGroups & mask);
}

/* Where the agent at a place of the index is; in 2D z is 0. */
static inline void agents_center(const agents *all, uint32_t place, float *center) {
  center[2] = 0;
  for (uint32_t axis = 0; axis < all->dimensions; axis++)
    center[axis] = all->points.axes[axis][place];
}

/* What a query must test of each agent. */
ALWAYS_INLINE scan_filter agents_filter(const agents *all, const copse_query *query) {
  const bool testGroups = query->mask != COPSE_ALL_GROUPS && !(all->allGroups & query->mask) &&
                          all->anyGroups != all->allGroups;
  return (scan_filter){query->mask, query->exclude, testGroups};
}

/* ---- Life ---- */

/* Whether a definition asks for what there is. */
bool agents_ok(const agents *asked);
/* The bytes of such an index, SIZE_MAX when no memory can hold it. */
size_t agents_bytes(const agents *asked);
/* Makes an index as asked for, which has no memory yet; NULL with another status than OK. */
void *agents_create(const agents *asked, copse_status *status);
void agents_destroy(agents *all);
copse_status agents_reserve(agents *all, uint32_t capacity);

copse_status agents_set_count(agents *all, uint32_t count);
copse_positions agents_positions(const agents *all);
const uint32_t *agents_order(const agents *all, uint32_t *count);

/* ---- Build ---- */

bool source_accepts(const source *from, uint32_t slot, uint32_t dimensions);
/* From the buffers. */
copse_status agents_build(agents *all, uint32_t *firstBad);
/* From the caller's arrays. */
copse_status agents_build_from(agents *all, const copse_positions *positions,
                               const uint32_t *groups, uint32_t count, uint32_t *firstBad);
/* Takes what was found, first of all. */
void agents_take(agents *all, const source *from, const survey *found);
/* Fetches the coordinates of the agents begin … end, by their ids. Adding 0 turns -0 into 0. */
void agents_fetch(const agents *all, const source *from, uint32_t begin, uint32_t end);
/* The tight bounds of the agents begin … end, which are not none. */
void agents_bounds(const agents *all, uint32_t begin, uint32_t end, float *box);
/* Fetches the groups of all, by their ids, where these differ. */
void agents_fetch_groups(const agents *all, const source *from);
/* True if ids are a permutation and nothing is counted wrongly; for tests. Marks the ids meanwhile.
 */
bool agents_valid(const agents *all);

/* ---- Queries ---- */

copse_status agents_within(const agents *all, const float *center, float radius,
                           const copse_query *query, copse_results *results);
copse_status agents_range(const agents *all, const float *lo, const float *hi,
                          const copse_query *query, copse_results *results);
copse_status agents_cone(const agents *all, const float *center, const float *direction,
                         float halfAngle, float radius, const copse_query *query,
                         copse_results *results);
copse_status agents_count_within(const agents *all, index_counter *count, const float *center,
                                 float radius, const copse_query *query, uint32_t *total,
                                 uint32_t *visits);
copse_status agents_any_within(const agents *all, index_counter *count, const float *center,
                               float radius, const copse_query *query, bool *any, uint32_t *visits);
copse_status agents_nearest(const agents *all, const float *center, const copse_query *query,
                            uint32_t *id, float *distance2, uint32_t *visits);
copse_status agents_neighbors(const agents *all, const float *center, uint32_t k,
                              const copse_query *query, copse_results *results);
copse_status agents_raycast(const agents *all, index_cast *cast, const float *from, const float *to,
                            float radius, const float *radii, const copse_query *query,
                            copse_hit *hit, uint32_t *visits);
copse_status agents_raycast_many(const agents *all, index_cast *cast, const float *segments,
                                 uint32_t n, float radius, const float *radii,
                                 const copse_query *query, uint32_t *ids, float *fractions);

/* How many agents a guess of `reach2` aims at: a few more than k, for what is uneven. */
ALWAYS_INLINE uint32_t agents_aim(uint32_t k) { return k + 6; }
/* About how far, squared, the k-th neighbor of a point is, if agents were spread as the `size` of
 * them in a box; 0: they lie on a line or plane. */
float agents_reach2(const float *box, uint32_t size, const float *center, uint32_t k, int dim);

/* ---- Scans that are there once, where one in each index would gain nothing ---- */

/* Appends those of a run that lie in a box or cone. */
void agents_scan(const agents *all, uint32_t begin, uint32_t end, const region *where, shape kind,
                 const scan_filter *filter, copse_results *results);
uint32_t agents_scan_count(const agents *all, uint32_t begin, uint32_t end, const region *circle,
                           const scan_filter *filter);
void agents_scan_nearest(const agents *all, uint32_t begin, uint32_t end, const float *center,
                         const scan_filter *filter, pair *nearest);
void agents_scan_neighbors(const agents *all, uint32_t begin, uint32_t end, const float *center,
                           const scan_filter *filter, scan_nearest *nearest);
void agents_scan_ray(const agents *all, uint32_t begin, uint32_t end, const scan_ray *ray,
                     const scan_filter *filter, copse_hit *hit);

/* ---- Snapshots ---- */

copse_status agents_save(const agents *all, void *bytes, size_t capacity, size_t *total,
                         uint32_t *firstBad);
copse_status agents_restorable(const agents *all, const void *bytes, size_t size);
/* Checks untrusted bytes, takes their buffers and builds. */
copse_status agents_restore(agents *all, const void *bytes, size_t size);

#endif
