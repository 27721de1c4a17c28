/* What every index of moving points is built over: the caller's buffers, and the agents of the last
 * build in the index's own order. */
#ifndef COPSE_AGENTS_H
#define COPSE_AGENTS_H

#include "scan.h"
#include "snapshot.h"

typedef struct agents {
  uint32_t dimensions, capacity;
  copse_layout layout;
  copse_on_non_finite onNonFinite;

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

/* What a query must test of each agent. */
ALWAYS_INLINE scan_filter agents_filter(const agents *all, const copse_query *query) {
  const bool testGroups = query->mask != COPSE_ALL_GROUPS && !(all->allGroups & query->mask) &&
                          all->anyGroups != all->allGroups;
  return (scan_filter){query->mask, query->exclude, testGroups};
}

/* ---- Life ---- */

/* Whether a definition asks for what there is. */
bool agents_ok(const agents *all);
/* Points the arrays into a block, or measures it; fill them by `agents_begin` or `agents_move`. */
void agents_carve(agents *all, arena *block);
void agents_begin(agents *all);
void agents_move(agents *to, const agents *from);

copse_status agents_set_count(agents *all, uint32_t count);
copse_positions agents_positions(const agents *all);
uint32_t agents_order(const agents *all, uint32_t *order, uint32_t capacity);

/* ---- Build ---- */

source agents_buffers(const agents *all);
bool source_accepts_slot(const source *from, uint32_t slot, uint32_t dimensions);
survey agents_survey(const source *from, uint32_t dimensions);
/* Looks at a source; COPSE_NOT_FINITE when a build must refuse it. firstBad may be NULL. */
copse_status agents_check(const agents *all, const source *from, survey *found, uint32_t *firstBad);
/* The caller's arrays as a source; COPSE_FULL, COPSE_INVALID_ARGUMENT. */
copse_status agents_foreign(const agents *all, const copse_positions *positions,
                            const uint32_t *groups, uint32_t count, source *from);
/* Whether ids are a permutation and nothing is counted wrongly; for tests. */
bool agents_valid(const agents *all);

/* ---- Snapshots ---- */

/* What else must agree, by place and meaning of the index. */
enum { AGENTS_OPTIONS = 3 };
typedef struct agents_options {
  snapshot_kind kind;
  uint32_t words[AGENTS_OPTIONS];
} agents_options;

/* A snapshot as it was found good: what to build from. */
typedef struct agents_state {
  source buffers, built;
  survey found; /* of `built` */
  uint32_t skipped;
} agents_state;

copse_status agents_save(const agents *all, const agents_options *options, void *bytes,
                         size_t capacity, size_t *total, uint32_t *firstBad);
/* Checks untrusted bytes, and then takes their buffers; the caller builds from state->built. */
copse_status agents_restore(agents *all, const agents_options *options, const void *bytes,
                            size_t size, agents_state *state);

#endif
