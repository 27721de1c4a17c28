/* What the families of objects share at the boundary to JavaScript: handles, staging, and the calls
 * that every object has. A core is linked from objects.c and the families that it holds; the linker
 * keeps what these call. */
#ifndef COPSE_OBJECTS_H
#define COPSE_OBJECTS_H

#include "../c/base/core.h"

#define EXPORT(name) __attribute__((export_name(name), visibility("default")))

/* A function returns a result of 0 or more, -1 for no item, or an error far below. */
#define FAILED(status) (INT32_MIN + (int32_t)(status))

typedef struct family family;

/* Rooms for what batches take and return. An object has none until it needs one; then they grow,
 * and stay. JavaScript knows them by these places, see wasm/object.js. */
typedef enum room {
  ROOM_GIVEN,           /* floats of points or segments */
  ROOM_ROWS,            /* rows: offsets, then counts */
  ROOM_IDS,             /* ids of rows and pairs */
  ROOM_NEIGHBOR_COUNTS, /* rows of neighbors */
  ROOM_NEIGHBORS,       /* their ids, then squared distances */
  ROOM_HITS,            /* ids, then fractions */
  ROOMS
} room;

/* The struct of every family begins with this. Behind the struct, in the same block, lie its
 * arrays: room for arguments and results of single queries. */
typedef struct object {
  const family *family;
  void *block;    /* holds this and the arrays */
  uint64_t bytes; /* of the block */
  float *rooms[ROOMS];
  /* Read by JavaScript. */
  uint32_t capacity;
  uint32_t moves;       /* of rooms: then their views must be taken anew */
  uint32_t room[ROOMS]; /* items that each has room for */
} object;

enum { OBJECT_BYTES = 384, FIGURES_MOST = 16 };

/* What a family supplies. Names are told to JavaScript as text, "name:type " for each place: the
 * lists that they are made from also say what lies there. */
struct family {
  size_t bytes; /* of its struct, at most OBJECT_BYTES */
  const char *views, *figures;
  uintptr_t (*view)(object *it, uint32_t which);     /* where it lies; 0: nowhere */
  void (*read_figures)(object *it, double *numbers); /* at most FIGURES_MOST */
  /* Points the arrays into a block, or measures it. */
  void (*carve)(object *it, arena *block);
  /* Fills the arrays of a new or larger object; `old` is NULL, or what it was made from. */
  void (*fill)(object *larger, const object *old);

  void (*destroy)(object *it);
  size_t (*reserve_bytes)(const object *it, uint32_t capacity);
  copse_status (*reserve)(object *it, uint32_t capacity);
  /* Builds what has to be built before a question; NULL: nothing. */
  copse_status (*prepare)(object *it);
  copse_status (*save)(object *it, void *bytes, size_t capacity, size_t *total);
  copse_status (*restorable)(object *it, const void *bytes, size_t size);
  copse_status (*restore)(object *it, const void *bytes, size_t size);
  /* NULL: there are no cells. */
  size_t (*cells)(object *it, size_t skipped, float *out, size_t capacity);
  bool (*validate)(object *it); /* NULL: there is nothing to check */
};

/* For lists of views, VIEW(name, type, place), and of figures, FIGURE(name, value). Types of views:
 * f float, u uint32_t, i int32_t. */
#define VIEW_TEXT(name, type, place)  #name ":" #type " "
#define VIEW_PLACE(name, type, place) (uintptr_t)(place),
#define FIGURE_TEXT(name, value)      #name " "
#define FIGURE_VALUE(name, value)     (double)(value),

/* Returns the bytes of an object's block and rooms. */
uint64_t object_bytes(const object *it);
/* Makes room for so many items; what a room held is lost when it moves. False: there is no memory,
 * and everything is as it was. */
bool room_take(object *it, room which, uint64_t count);
ALWAYS_INLINE uint32_t *room_words(const object *it, room which) {
  return (uint32_t *)it->rooms[which];
}
/* The second array of a room that has two. */
ALWAYS_INLINE uint32_t *room_second(const object *it, room which) {
  return it->room[which] ? room_words(it, which) + it->room[which] : NULL;
}

/* True if so many floats were given, and all are coordinates: only then answers get their room. */
bool is_given(const object *it, uint64_t floats);

/* Room for ids alone. */
ALWAYS_INLINE copse_results ids_room(const object *it) {
  return (copse_results){.ids = room_words(it, ROOM_IDS), .capacity = it->room[ROOM_IDS]};
}

/* For a batch that writes as many ids as there is room for, and says how many there are: true if
 * that was not all, but is next time. Else *status says whether there is no memory. */
ALWAYS_INLINE bool room_for_all(object *it, uint32_t total, copse_status *status) {
  if (*status != COPSE_OK || total <= it->room[ROOM_IDS]) return false;
  if (room_take(it, ROOM_IDS, total)) return true;
  *status = COPSE_OUT_OF_MEMORY;
  return false;
}

/* Returns the live object of a handle if it is of this family, else NULL. */
object *object_of(int32_t handle, const family *family);

/* Makes an object like `bare`, with its arrays, for an index of `indexBytes` that the caller
 * creates next. NULL with a status: there can't be such an index, or there is no room for both. */
object *object_take(const object *bare, size_t indexBytes, copse_status *status);

/* Returns a handle for an object whose index was created; else frees the object, and fails. */
int32_t object_adopt(object *it, copse_status status);

/* ---- Staging: bytes on their way in or out ---- */

typedef struct staging {
  void *bytes;
  uint32_t size;
} staging;
extern staging staged;

/* The floats that are drawn at once: a multiple of the 5 of a line and of the 6 or 8 of a cell. */
enum { DRAWN = 8160 };
/* Returns how many of all floats were staged behind those that were skipped. */
int32_t drawn(size_t floats, uint32_t skipped);

/* The slot that the last build or snapshot refused. */
extern uint32_t firstBad;

/* The walls of a handle, as they are now: built if they changed. A negative handle: none. */
copse_status walls_around(int32_t handle, const copse_obstacle **walls);

ALWAYS_INLINE copse_query query_of(uint32_t mask, uint32_t exclude, uint32_t sort) {
  copse_query query = copse_query_default();
  query.mask = mask;
  query.exclude = exclude;
  query.sort = (copse_sort)sort;
  return query;
}

ALWAYS_INLINE int32_t zero_or_failed(copse_status status) {
  return status == COPSE_OK ? 0 : FAILED(status);
}
ALWAYS_INLINE int32_t result_or_failed(uint32_t result, copse_status status) {
  return status == COPSE_OK ? (int32_t)result : FAILED(status);
}
/* The answer of a batch: a number of ids, which may exceed an int32. */
ALWAYS_INLINE double total_or_failed(uint32_t total, copse_status status) {
  return status == COPSE_OK ? (double)total : (double)FAILED(status);
}

#endif
