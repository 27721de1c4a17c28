/* What all families of objects share at the boundary to JavaScript: handles, staging, and the calls
 * that every object has. A core is linked from objects.c and the files of its families; the linker
 * drops what they don't call. */
#ifndef COPSE_OBJECTS_H
#define COPSE_OBJECTS_H

#include "../c/base/core.h"

#define EXPORT(name) __attribute__((export_name(name), visibility("default")))

/* An exported function returns a result >= 0, -1 for "no item", or FAILED(status). */
#define FAILED(status) (INT32_MIN + (int32_t)(status))

typedef struct family family;

/* Rooms: an object's buffers for the arguments and results of batches. A room is allocated when it
 * is first needed, then only grows. JavaScript knows rooms by these numbers, see wasm/object.js. */
typedef enum room {
  ROOM_GIVEN,           /* input: floats of points or segments */
  ROOM_ROWS,            /* rows: offsets, then counts */
  ROOM_IDS,             /* ids of rows and pairs */
  ROOM_NEIGHBOR_COUNTS, /* counts of rows of neighbors */
  ROOM_NEIGHBORS,       /* their ids, then their squared distances */
  ROOM_HITS,            /* ids, then fractions */
  ROOMS
} room;

/* The first member of every family's struct. The struct and its arrays, which hold arguments and
 * results of single queries, share one block. */
typedef struct object {
  const family *family;
  void *block;    /* the struct, then its arrays */
  uint64_t bytes; /* size of the block */
  float *rooms[ROOMS];
  /* JavaScript reads the rest. */
  uint32_t capacity;
  uint32_t moves;       /* how often a room was reallocated: views taken before are void */
  uint32_t room[ROOMS]; /* capacity of each room, in items */
} object;

enum { OBJECT_BYTES = 384, MAX_FIGURES = 16 };

/* The functions of a family. JavaScript reads the names of views and figures as text, "name:type "
 * or "name " each; the same lists (VIEW and FIGURE below) make the text and the values. */
struct family {
  size_t bytes; /* size of its struct: at most OBJECT_BYTES */
  const char *views, *figures;
  uintptr_t (*view)(object *self, uint32_t which);     /* address of a view; 0: none */
  void (*read_figures)(object *self, double *numbers); /* writes at most MAX_FIGURES */
  /* Points the arrays into a block, or only measures them. */
  void (*carve)(object *self, arena *block);
  /* Fills the arrays of a new object, or of one that replaces the smaller `old` (else NULL). */
  void (*fill)(object *larger, const object *old);

  void (*destroy)(object *self);
  size_t (*reserve_bytes)(const object *self, uint32_t capacity);
  copse_status (*reserve)(object *self, uint32_t capacity);
  /* Brings the index up to date before cells and snapshots. NULL: nothing to do. */
  copse_status (*prepare)(object *self);
  copse_status (*save)(object *self, void *bytes, size_t capacity, size_t *total);
  copse_status (*restorable)(object *self, const void *bytes, size_t size);
  copse_status (*restore)(object *self, const void *bytes, size_t size);
  /* NULL: the family has no cells. */
  size_t (*cells)(object *self, size_t skipped, float *out, size_t capacity);
  bool (*validate)(object *self); /* NULL: nothing to check */
};

/* For a family's lists VIEW(name, type, place) and FIGURE(name, value). Types of views: f float,
 * u uint32_t, i int32_t. */
#define VIEW_TEXT(name, type, place)  #name ":" #type " "
#define VIEW_PLACE(name, type, place) (uintptr_t)(place),
#define FIGURE_TEXT(name, value)      #name " "
#define FIGURE_VALUE(name, value)     (double)(value),

/* Returns the bytes of an object's block and rooms. */
uint64_t object_bytes(const object *self);
/* Grows a room to at least `count` items; its contents are lost if it moves. Returns false, and
 * changes nothing, if there is no memory. */
bool room_take(object *self, room which, uint64_t count);
ALWAYS_INLINE uint32_t *room_words(const object *self, room which) {
  return (uint32_t *)self->rooms[which];
}
/* Returns the second array of a room that has two; NULL for an empty room. */
ALWAYS_INLINE uint32_t *room_second(const object *self, room which) {
  return self->room[which] ? room_words(self, which) + self->room[which] : NULL;
}

/* True if ROOM_GIVEN holds `floats` floats, all valid coordinates. Check this before a batch takes
 * room for results. */
bool is_given(const object *self, uint64_t floats);

/* Returns results that use ROOM_IDS, for ids alone. */
ALWAYS_INLINE copse_results ids_room(const object *self) {
  return (copse_results){.ids = room_words(self, ROOM_IDS), .capacity = self->room[ROOM_IDS]};
}

/* For a batch that found `total` ids but writes only what fits: true if ROOM_IDS was too small and
 * has now grown, so that the caller runs the batch again. Sets COPSE_OUT_OF_MEMORY if it can't. */
ALWAYS_INLINE bool room_for_all(object *self, uint32_t total, copse_status *status) {
  if (*status != COPSE_OK || total <= self->room[ROOM_IDS]) return false;
  if (room_take(self, ROOM_IDS, total)) return true;
  *status = COPSE_OUT_OF_MEMORY;
  return false;
}

/* Returns the live object of a handle if it is of this family, else NULL. */
object *object_of(int32_t handle, const family *family);

/* Allocates an object like `prototype`, with its arrays. The caller creates its index next, in
 * `indexBytes` bytes. Returns NULL and a status if that is 0 (bad arguments), or if there is no
 * memory for both. */
object *object_take(const object *prototype, size_t indexBytes, copse_status *status);

/* Returns a handle for an object whose index was created with `status`. On failure frees the object
 * and returns FAILED. */
int32_t object_adopt(object *self, copse_status status);

/* ---- Staging: bytes on their way in or out ---- */

typedef struct staging {
  void *bytes;
  uint32_t size;
} staging;
extern staging staged;

/* The most floats that one call draws: a multiple of 5 (a line), 6 and 8 (a cell). */
enum { MAX_DRAWN = 8160 };
/* Returns how many of all `floats` to draw were staged after skipping the first `skipped`. */
int32_t staged_floats(size_t floats, uint32_t skipped);

/* The first slot that the last failed build or snapshot refused. */
extern uint32_t firstBad;

/* Sets *walls to the obstacles of a handle, built if they changed; NULL for a negative handle. */
copse_status obstacles_of(int32_t handle, const copse_obstacle **walls);

/* JavaScript passes a copse_sort, plus WITH_DISTANCES if it needs the distances. */
enum { SORT_BITS = 3, WITH_DISTANCES = 4 };

ALWAYS_INLINE copse_query query_of(uint32_t mask, uint32_t exclude, uint32_t sort) {
  copse_query query = copse_query_default();
  query.mask = mask;
  query.exclude = exclude;
  query.sort = (copse_sort)(sort & SORT_BITS);
  return query;
}

ALWAYS_INLINE int32_t zero_or_failed(copse_status status) {
  return status == COPSE_OK ? 0 : FAILED(status);
}
ALWAYS_INLINE int32_t result_or_failed(uint32_t result, copse_status status) {
  return status == COPSE_OK ? (int32_t)result : FAILED(status);
}
/* The result of a batch: a number of ids, which may exceed int32_t. */
ALWAYS_INLINE double total_or_failed(uint32_t total, copse_status status) {
  return status == COPSE_OK ? (double)total : (double)FAILED(status);
}

#endif
