/* The part of the interface to JavaScript that all objects share. An object is a tree, a grid, a
 * crowd, a flow field or a set of sensors. Its family is points (AgentTree, Grid, KdTree), boxes
 * (Quadtree, Octree), walls (ObstacleTree), crowd (Crowd), paths (FlowField) or sensors (Sensors);
 * each family has a file here.
 *
 * JavaScript refers to an object by its handle, an integer. Snapshots, polygons and shapes to draw
 * pass through the staging buffer.
 *
 * A core is a .wasm file for some or all classes. It is linked from objects.c and the files of
 * their families; the linker drops the functions that these classes don't need. */
#ifndef COPSE_OBJECTS_H
#define COPSE_OBJECTS_H

#include "../c/base/core.h"

#define EXPORT(name) __attribute__((export_name(name), visibility("default")))

/* Most exported functions return a result >= 0, -1 for "no item", or FAILED(status). */
#define FAILED(status) (INT32_MIN + (int32_t)(status))

typedef struct family family;

/* Rooms are an object's buffers for the arguments and results of batches. A room is allocated when
 * it is first needed, and never shrinks. JavaScript uses the same indices, see wasm/object.js. */
typedef enum room {
  ROOM_GIVEN,           /* input: floats of points, segments, boxes or planes */
  ROOM_ROWS,            /* rows of ids: where each row starts in ROOM_IDS, then how many ids it
                         * has */
  ROOM_IDS,             /* the ids of all rows, or of pairs */
  ROOM_NEIGHBOR_COUNTS, /* rows of nearest neighbors: how many neighbors each row has */
  ROOM_NEIGHBORS,       /* rows of nearest neighbors: all ids, then all squared distances */
  ROOM_HITS,            /* hits of rays: all ids, then all fractions */
  ROOMS
} room;

/* The first member of the struct of every object, such as a tree or crowd. That struct and its
 * arrays, which hold arguments and results of single queries, share one block. */
typedef struct object {
  const family *family;
  void *block;    /* the struct, then its arrays */
  uint64_t bytes; /* size of the block */
  float *rooms[ROOMS];
  /* JavaScript reads the members from here on. */
  uint32_t capacity;
  uint32_t moves;       /* counts reallocations of the object's arrays, after which views are
                         * invalid */
  uint32_t room[ROOMS]; /* the capacity of each buffer in `rooms`, in items of ROOM_BYTES */
} object;

enum { OBJECT_BYTES = 384, MAX_FIGURES = 16 };

/* The agents of a crowd or of an index of points, in arrays by slot. */
typedef struct agents {
  uint32_t dimensions, slots;
  copse_const_positions positions;
  /* The groups of a slot are 0 if it is free or its agent is disabled: so no index finds it. */
  const uint32_t *groups, *generations, *masks;
  const float *radii;
} agents;

/* The functions of a family of objects, such as points or walls, and the names of its views and
 * figures. A view is an array that JavaScript accesses in linear memory; a figure is a number that
 * stats() returns. The text `views` has "name:type " for each view, `figures` has "name " for each
 * figure. Each family lists its views in one macro and its figures in another. A macro expands to
 * both the text and the values (see VIEW_TEXT below), so they always agree. */
struct family {
  size_t bytes; /* size of the family's struct: at most OBJECT_BYTES */
  const char *views, *figures;
  uintptr_t (*view)(object *self, uint32_t which); /* address of a view, by index; 0: none */
  /* Writes the numbers that stats() returns, at most MAX_FIGURES, in the order of `figures`. */
  void (*read_figures)(object *self, double *numbers);
  /* Lays out the struct's arrays in a block, and sets the pointers to them. If the arena has no
   * memory, only measures the block. */
  void (*carve)(object *self, arena *block);
  /* Initializes the arrays of `larger`, which is a new object if `old` is NULL. Else `larger`
   * replaces `old`, and those arrays of `old` that hold state are copied. */
  void (*fill)(object *larger, const object *old);

  void (*destroy)(object *self);
  copse_status (*reserve)(object *self, uint32_t capacity);
  /* Called before `cells` and before `save`: builds the index if it is outdated. NULL: nothing to
   * do. */
  copse_status (*prepare)(object *self);
  copse_status (*save)(object *self, void *bytes, size_t capacity, size_t *total);
  copse_status (*restore)(object *self, const void *bytes, size_t size, uint32_t *needed);
  /* Writes cells to draw, like copse_octree_cells. NULL: objects of this family, such as crowds,
   * have no cells. */
  size_t (*cells)(object *self, size_t skipped, float *out, size_t capacity);
  bool (*validate)(object *self); /* NULL: nothing to check */
  /* Returns the agents that an index can be built from. NULL: objects of this family have none. */
  agents (*agents)(object *self);
};

/* Each kind of object lists its arrays as VIEW(name, type, address), and its statistics as
 * FIGURE(name, value). These macros turn such a list into text or into values. Types of views: f
 * float, u uint32_t, i int32_t. */
#define VIEW_TEXT(name, type, place)  #name ":" #type " "
#define VIEW_PLACE(name, type, place) (uintptr_t)(place),
#define FIGURE_TEXT(name, value)      #name " "
#define FIGURE_VALUE(name, value)     (double)(value),

/* Returns the memory of an object in bytes: its block and its buffers for batches. */
uint64_t object_bytes(const object *self);
/* Enlarges one of an object's buffers for batches to at least `count` items; its contents are lost
 * if it moves. Returns false, and changes nothing, if there is no memory. */
bool room_take(object *self, room which, uint64_t count);
ALWAYS_INLINE uint32_t *room_words(const object *self, room which) {
  return (uint32_t *)self->rooms[which];
}
/* Returns the second array of a room (a buffer of two arrays); NULL if the room is empty. */
ALWAYS_INLINE uint32_t *room_second(const object *self, room which) {
  return self->room[which] ? room_words(self, which) + self->room[which] : NULL;
}

/* True if the buffer for arguments, ROOM_GIVEN, has at least this many floats. */
ALWAYS_INLINE bool is_given(const object *self, uint64_t floats) {
  return floats <= self->room[ROOM_GIVEN];
}

/* What JavaScript writes to the buffer ROOM_GIVEN for each row of a batch. */
typedef enum given { GIVEN_NOTHING, GIVEN_POINT, GIVEN_SEGMENT, GIVEN_BOX } given;
/* Begins a batch of `rows` rows: enlarges the buffer `which` to that many items. Swaps the lo and
 * hi of each given box on the axes where lo > hi. Fails if ROOM_GIVEN is too small. */
copse_status batch_begin(object *self, room which, uint32_t rows, given given, uint32_t dimensions);
/* Writes the filters of a batch of n segments. If `lists` is not 0, three arrays follow the
 * segments in the buffer for arguments (ROOM_GIVEN), each with an entry per segment: masks, slots
 * to exclude, and values of `inflate`. Bits 0, 1 and 2 of `lists` say which of them are in use.
 * False if the buffer is too small. */
bool filters_given(const object *self, uint32_t n, uint32_t dimensions, uint32_t lists,
                   copse_segment_filters *filters);
/* Enlarges the buffer for nearest neighbors to `rows` rows of k, and sets *out to the arrays for
 * these rows. Returns false if there is no memory. */
bool neighbors_room(object *self, uint32_t rows, uint32_t k, copse_neighbor_rows *out);

ALWAYS_INLINE copse_rows rows_room(const object *self) {
  return (copse_rows){.offsets = room_words(self, ROOM_ROWS),
                      .counts = room_second(self, ROOM_ROWS),
                      .ids = room_words(self, ROOM_IDS),
                      .capacity = self->room[ROOM_IDS]};
}

ALWAYS_INLINE copse_results ids_room(const object *self) {
  return (copse_results){.ids = room_words(self, ROOM_IDS), .capacity = self->room[ROOM_IDS]};
}

/* Called after a batch, which found `total` ids but wrote only as many as ROOM_IDS holds. Returns
 * true if ROOM_IDS was too small and has now grown: the caller then runs the batch again. Sets
 * *status to COPSE_OUT_OF_MEMORY if it can't grow. */
ALWAYS_INLINE bool room_for_all(object *self, uint32_t total, copse_status *status) {
  if (*status != COPSE_OK || total <= self->room[ROOM_IDS]) return false;
  if (room_take(self, ROOM_IDS, total)) return true;
  *status = COPSE_OUT_OF_MEMORY;
  return false;
}

/* Returns the live object of a handle if it is of this family, else NULL. NULL: of any family. */
object *object_of(int32_t handle, const family *family);

/* The allocator of all objects: malloc. It remembers the size that it could not allocate. */
extern const copse_allocator objectMemory;

/* Enlarges an object. It moves: the pointer that the caller has is no longer valid. */
int32_t reserve(int32_t handle, uint32_t capacity);

/* Creates an object like `prototype`, which holds a new tree (or grid, crowd, …); `status` is the
 * result of creating that. Returns a handle, or FAILED: then the tree is destroyed. */
int32_t object_create(object *prototype, copse_status status);

/* ---- Staging: the buffer for snapshots, polygons and shapes to or from JavaScript ---- */

typedef struct staging {
  void *bytes;
  uint32_t size;
} staging;
extern staging staged;

/* A call that writes shapes to draw to the staging buffer writes at most this many floats. The
 * number is a multiple of the size of each shape, so that no shape is cut off: 5 floats for a line,
 * 6 for a cell in 2D, 8 in 3D, 7 for a cell of a flow field. See _drawn in object.js. */
enum { MAX_DRAWN = 7560 };

/* The lowest slot with an invalid coordinate or box, after a build, load, move, step or save that
 * failed because of it. */
extern uint32_t firstBad;

/* Sets *walls to the obstacle tree of a handle; to NULL if the handle is negative. First builds the
 * tree if polygons changed. */
copse_status obstacles_of(int32_t handle, const copse_obstacle **walls);

/* Returns the crowd of a handle; NULL if the handle is stale. */
copse_crowd *crowd_core_of(int32_t handle);
/* Does a step of a crowd; without walls if their handle is negative. */
int32_t crowd_step(int32_t handle, int32_t wallsHandle, float timeStep);
/* Returns the AgentTree, Grid or KdTree of a handle; NULL if the handle refers to none of these. */
const copse_points *index_of(int32_t handle);

/* JavaScript passes as `sort` a copse_sort, plus WITH_DISTANCES if it needs the distances. */
enum { SORT_BITS = 3, WITH_DISTANCES = 4 };

ALWAYS_INLINE copse_query query_of(uint32_t mask, uint32_t exclude, uint32_t sort) {
  copse_query query = copse_query_default();
  query.mask = mask;
  query.exclude = exclude;
  query.sort = (copse_sort)(sort & SORT_BITS);
  return query;
}

ALWAYS_INLINE copse_query ray_query_of(uint32_t mask, uint32_t exclude, float inflate) {
  copse_query query = query_of(mask, exclude, COPSE_SORT_NONE);
  query.inflate = inflate;
  return query;
}

ALWAYS_INLINE int32_t zero_or_failed(copse_status status) {
  return status == COPSE_OK ? 0 : FAILED(status);
}
ALWAYS_INLINE int32_t result_or_failed(uint32_t result, copse_status status) {
  return status == COPSE_OK ? (int32_t)result : FAILED(status);
}
/* Returns the result of a batch: a double, because the number of ids may be too great for
 * int32_t. */
ALWAYS_INLINE double total_or_failed(uint32_t total, copse_status status) {
  return status == COPSE_OK ? (double)total : (double)FAILED(status);
}

#endif
