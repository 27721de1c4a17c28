/* Handles, the staging buffer, and the functions that every object has. JavaScript passes handles
 * and numbers, never pointers. Memory safety does not depend on correct JavaScript: handles are
 * checked here, all other arguments in the C library. */

#include "objects.h"

#include "../c/base/geom.h"
#include "../c/base/snapshot.h"

#include <stdlib.h>
#include <string.h>

/* ---- Memory ---------------------------------------------------------------------------------- */

/* After COPSE_OUT_OF_MEMORY, the bytes that could not be allocated, for the error message: more
 * than there can be, if allocate() was not even asked. */
static double refusedBytes = 0x1p31;
EXPORT("refused_bytes") double refused_bytes(void) {
  const double bytes = refusedBytes;
  refusedBytes = 0x1p31;
  return bytes;
}

static void *allocate(size_t bytes, void *context) {
  (void)context;
  void *taken = malloc(bytes);
  if (!taken) refusedBytes = (double)bytes;
  return taken;
}
static void release(void *taken, size_t bytes, void *context) {
  (void)bytes;
  (void)context;
  free(taken);
}
const copse_allocator objectMemory = {allocate, release, NULL};

/* ---- Status codes and their names ----------------------------------------------------------- */

#define STATUSES(STATUS)                                                                           \
  STATUS(OK)                                                                                       \
  STATUS(INVALID_ARGUMENT)                                                                         \
  STATUS(FULL)                                                                                     \
  STATUS(OUT_OF_MEMORY)                                                                            \
  STATUS(NOT_FINITE) STATUS(NOT_BUILT) STATUS(STALE_SLOT) STATUS(BAD_SNAPSHOT)

#define STATUS_TEXT(name)  #name " "
#define STATUS_PLACE(name) STATUS_##name,
#define STATUS_CHECK(name) _Static_assert(STATUS_##name == COPSE_##name, #name);
enum { STATUSES(STATUS_PLACE) };
STATUSES(STATUS_CHECK)

EXPORT("status_names") uintptr_t status_names(void) { return (uintptr_t)STATUSES(STATUS_TEXT); }

EXPORT("status_text") uintptr_t status_text(uint32_t status) {
  return (uintptr_t)copse_status_text((copse_status)status);
}

/* ---- Handles: an object's slot, and the low bits of the slot's generation -------------------- */

static slots handles;
static object **objects;

enum { SLOT_BITS = 20, GENERATION_MASK = 0x7ff };

static int32_t handle_of(uint32_t slot) {
  return (int32_t)((handles.generations[slot] & GENERATION_MASK) << SLOT_BITS | slot);
}

/* Returns the object of a handle, whatever the object's family; NULL if the handle is stale. */
static object *any_of(int32_t handle) {
  const uint32_t slot = (uint32_t)handle & ((1u << SLOT_BITS) - 1);
  return slots_in_use(&handles, slot) && handle_of(slot) == handle ? objects[slot] : NULL;
}

object *object_of(int32_t handle, const family *family) {
  object *self = any_of(handle);
  return self && (!family || self->family == family) ? self : NULL;
}

static copse_status grow_table(void) {
  const uint64_t old = handles.capacity, capacity = old ? 2 * old : 16;
  /* Bytes per slot of the table of objects: for a pointer, a generation, and the bit that is set if
   * the slot is free. For the bit, one word is more than enough. */
  const uint64_t itemBytes = sizeof(void *) + 2 * sizeof(uint32_t);
  if (capacity > 1u << SLOT_BITS) return COPSE_FULL;
  object **larger = memory_take(&objectMemory, capacity * itemBytes);
  if (!larger) return COPSE_OUT_OF_MEMORY;
  if (old) memcpy(larger, objects, (size_t)old * sizeof(void *));
  uint32_t *generations = (uint32_t *)(void *)(larger + capacity);
  slots_grow(&handles, generations, generations + capacity, (uint32_t)capacity);
  memory_give(&objectMemory, objects, old * itemBytes);
  objects = larger;
  return COPSE_OK;
}

/* ---- Creation and memory -------------------------------------------------------------------- */

/* Room for a copy of any object: large enough for the struct of any family. */
typedef union any_object {
  object object;
  char bytes[OBJECT_BYTES];
} any_object;

static any_object copy_of(const object *self) {
  any_object copy;
  memcpy(&copy, self, self->family->bytes);
  return copy;
}

/* Lays out an object's struct and arrays in a block, and sets the pointers to the arrays. Returns
 * the size of the block in bytes. If `block` is NULL, only measures. */
static uint64_t carve(object *self, void *block) {
  arena whole = arena_over(block);
  arena_carve(&whole, 1, self->family->bytes);
  self->family->carve(self, &whole);
  return arena_block_bytes(whole.used);
}

/* The bytes per item of each room (a buffer for batches, see objects.h). */
static const uint8_t ROOM_BYTES[ROOMS] = {4, 8, 4, 4, 8, 8};

uint64_t object_bytes(const object *self) {
  uint64_t bytes = self->bytes;
  for (int which = 0; which < ROOMS; which++)
    bytes += (uint64_t)ROOM_BYTES[which] * self->room[which];
  return bytes;
}

/* Allocates a block for a copy of an object, and lays out its arrays. Returns NULL if there is no
 * memory. */
static object *take_block(const object *prototype) {
  any_object copy = copy_of(prototype);
  const uint64_t bytes = carve(&copy.object, NULL);
  void *block = memory_take(&objectMemory, bytes);
  if (!block) return NULL;
  object *self = (object *)(void *)arena_over(block).base;
  copy.object.bytes = bytes;
  copy.object.block = block;
  carve(&copy.object, block);
  memcpy(self, &copy, prototype->family->bytes);
  return self;
}

/* Frees the block of an object, but not the buffers for its batches. */
static void free_block(object *self) { memory_give(&objectMemory, self->block, self->bytes); }

/* ---- Rooms: the buffers of batches ----------------------------------------------------------- */

bool room_take(object *self, room which, uint64_t count) {
  const uint64_t itemBytes = ROOM_BYTES[which], old = self->room[which];
  if (count <= old) return true;
  const uint64_t usual = old + old / 2;
  uint64_t larger = usual > count ? usual : count;
  void *room = memory_take(&objectMemory, itemBytes * larger);
  if (!room && larger > count) {
    larger = count;
    room = memory_take(&objectMemory, itemBytes * larger);
  }
  if (!room) return false;
  memory_give(&objectMemory, self->rooms[which], itemBytes * old);
  self->rooms[which] = room;
  self->room[which] = (uint32_t)larger;
  self->moves++;
  return true;
}

/* On each axis of n boxes in the buffer ROOM_GIVEN, swaps lo and hi if lo > hi. */
static void sort_sides(object *self, uint32_t n, uint32_t dimensions) {
  float *lo = self->rooms[ROOM_GIVEN];
  for (uint32_t i = 0; i < n; i++, lo += dimensions)
    for (uint32_t axis = 0; axis < dimensions; axis++, lo++) {
      const float side = lo[0];
      if (!(side > lo[dimensions])) continue;
      lo[0] = lo[dimensions];
      lo[dimensions] = side;
    }
}

copse_status batch_begin(object *self, room which, uint32_t rows, given given,
                         uint32_t dimensions) {
  const uint64_t width = given == GIVEN_BOX ? 2 : (uint64_t)given;
  if (!is_given(self, rows * width * dimensions)) return COPSE_INVALID_ARGUMENT;
  if (given == GIVEN_BOX) sort_sides(self, rows, dimensions);
  return room_take(self, which, rows) ? COPSE_OK : COPSE_OUT_OF_MEMORY;
}

bool filters_given(const object *self, uint32_t n, uint32_t dimensions, uint32_t lists,
                   copse_segment_filters *filters) {
  const uint64_t floats = (uint64_t)n * 2 * dimensions;
  *filters = (copse_segment_filters){0};
  if (lists && floats + 3 * (uint64_t)n > self->room[ROOM_GIVEN]) return false;
  if (!n) return true; /* the array may be NULL */
  const uint32_t *words = (const uint32_t *)self->rooms[ROOM_GIVEN] + floats;
  if (lists & 1) filters->masks = words;
  if (lists & 2) filters->excludes = words + n;
  if (lists & 4) filters->inflates = (const float *)words + 2 * (size_t)n;
  return true;
}

bool neighbors_room(object *self, uint32_t rows, uint32_t k, copse_neighbor_rows *out) {
  if (!room_take(self, ROOM_NEIGHBORS, (uint64_t)rows * k)) return false;
  *out = (copse_neighbor_rows){room_words(self, ROOM_NEIGHBOR_COUNTS),
                               room_words(self, ROOM_NEIGHBORS),
                               (float *)room_second(self, ROOM_NEIGHBORS)};
  return true;
}

EXPORT("take_room") int32_t take_room(int32_t handle, uint32_t which, double count) {
  object *self = any_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  if (which >= ROOMS || !(count >= 0 && count <= 0x1p60)) return FAILED(COPSE_INVALID_ARGUMENT);
  return room_take(self, (room)which, (uint64_t)count) ? 0 : FAILED(COPSE_OUT_OF_MEMORY);
}

int32_t object_create(object *prototype, copse_status status) {
  object *self = NULL;
  if (status == COPSE_OK) {
    if (handles.used == handles.capacity) status = grow_table();
    if (status == COPSE_OK && !(self = take_block(prototype))) status = COPSE_OUT_OF_MEMORY;
    if (status != COPSE_OK) prototype->family->destroy(prototype);
  } else if (status == COPSE_OUT_OF_MEMORY) {
    any_object copy = copy_of(prototype);
    refusedBytes += (double)carve(&copy.object, NULL); /* it needs the block, too */
  }
  if (!self) return FAILED(status);
  prototype->family->fill(self, NULL);
  const uint32_t slot = slots_take(&handles);
  objects[slot] = self;
  return handle_of(slot);
}

EXPORT("destroy") int32_t destroy(int32_t handle) {
  object *self = any_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  self->family->destroy(self);
  for (int which = 0; which < ROOMS; which++)
    memory_give(&objectMemory, self->rooms[which], (uint64_t)ROOM_BYTES[which] * self->room[which]);
  free_block(self);
  slots_free(&handles, (uint32_t)handle & ((1u << SLOT_BITS) - 1));
  return 0;
}

EXPORT("reserve") int32_t reserve(int32_t handle, uint32_t capacity) {
  object *self = any_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
#ifdef COPSE_TEST_TRAP
  if (capacity == COPSE_TEST_TRAP) __builtin_trap();
#endif
  if (capacity <= self->capacity) return 0;
  any_object prototype = copy_of(self);
  prototype.object.capacity = capacity;
  object *larger = take_block(&prototype.object);
  if (!larger) return FAILED(COPSE_OUT_OF_MEMORY);
  const copse_status status = self->family->reserve(self, capacity);
  if (status != COPSE_OK) {
    free_block(larger);
    return FAILED(status);
  }
  self->family->fill(larger, self);
  objects[(uint32_t)handle & ((1u << SLOT_BITS) - 1)] = larger;
  free_block(self);
  return 0;
}

/* ---- Views and statistics -------------------------------------------------------------------- */

EXPORT("view_names") uintptr_t view_names(int32_t handle) {
  const object *self = any_of(handle);
  return self ? (uintptr_t)self->family->views : 0;
}

EXPORT("figure_names") uintptr_t figure_names(int32_t handle) {
  const object *self = any_of(handle);
  return self ? (uintptr_t)self->family->figures : 0;
}

/* Returns the address of a view, an array that JavaScript accesses; 0 if there is none. `which` is
 * the view's index in the names that view_names returns. */
EXPORT("view_of") uintptr_t view_of(int32_t handle, uint32_t which) {
  object *self = any_of(handle);
  return self ? self->family->view(self, which) : 0;
}

/* Writes the figures of an object, which are the numbers that stats() returns, to an array of
 * doubles, in the order of figure_names. Returns the array's address. The next call overwrites the
 * array. */
EXPORT("figures_of") uintptr_t figures_of(int32_t handle) {
  static double numbers[MAX_FIGURES];
  object *self = any_of(handle);
  if (!self) return 0;
  self->family->read_figures(self, numbers);
  return (uintptr_t)numbers;
}

/* Returns the address of the member `capacity` of an object. JavaScript reads this member and those
 * that follow `capacity` in the struct `object`, see objects.h. */
EXPORT("limits_of") uintptr_t limits_of(int32_t handle) {
  const object *self = any_of(handle);
  return self ? (uintptr_t)&self->capacity : 0;
}

/* ---- Staging: the buffer that data passes through ------------------------------------------- */

/* The initial staging buffer. Larger data can pass through the buffer in several parts. */
static uint32_t initialBuffer[8192];
_Static_assert(MAX_DRAWN * sizeof(float) <= sizeof initialBuffer, "MAX_DRAWN floats");

/* The current staging buffer. A polygon, or a snapshot to save or restore, must fit as a whole: if
 * one does not, a larger buffer replaces this one, and is kept for later calls. */
staging staged = {initialBuffer, sizeof initialBuffer};

uint32_t firstBad;

/* Replaces the staging buffer if it is smaller than `size` bytes. Returns false if there is no
 * memory. */
static bool stage(uint32_t size) {
  if (size <= staged.size) return true;
  void *larger = memory_take(&objectMemory, size);
  if (!larger) return false;
  if (staged.bytes != initialBuffer) memory_give(&objectMemory, staged.bytes, staged.size);
  staged = (staging){larger, size};
  return true;
}

/* Calls stage() for JavaScript. Returns the address of the staging buffer, or FAILED. */
EXPORT("stage") int32_t stage_bytes(uint32_t size) {
  return stage(size) ? (int32_t)(uintptr_t)staged.bytes : FAILED(COPSE_OUT_OF_MEMORY);
}

EXPORT("first_bad") uint32_t first_bad(void) { return firstBad; }

/* ---- Cells, validation and snapshots -------------------------------------------------------- */

static copse_status prepare(object *self) {
  if (!self) return COPSE_STALE_SLOT;
  return self->family->prepare ? self->family->prepare(self) : COPSE_OK;
}

/* Writes to the staging buffer the cells to draw: leaves out the first `skipped` floats, then
 * writes at most MAX_DRAWN. Returns how many floats there are in total. */
EXPORT("cells") int32_t cells(int32_t handle, uint32_t skipped) {
  object *self = any_of(handle);
  if (self && !self->family->cells) self = NULL;
  const copse_status status = prepare(self);
  if (status != COPSE_OK) return FAILED(status);
  return (int32_t)self->family->cells(self, skipped, staged.bytes, MAX_DRAWN);
}

EXPORT("validate") int32_t validate(int32_t handle) {
  object *self = any_of(handle);
  return self && self->family->validate && self->family->validate(self);
}

/* Returns the size in bytes of the snapshot that save() would write. */
EXPORT("saved_bytes") int32_t saved_bytes(int32_t handle) {
  object *self = any_of(handle);
  copse_status status = prepare(self);
  if (status != COPSE_OK) return FAILED(status);
  size_t size;
  status = self->family->save(self, NULL, 0, &size);
  if (status != COPSE_FULL) return FAILED(status);
  return size > INT32_MAX ? FAILED(COPSE_OUT_OF_MEMORY) : (int32_t)size;
}

/* Writes the head of the object's own snapshot to the staging buffer. JavaScript compares that head
 * with a snapshot that was refused, to say in the error what differs. */
EXPORT("head") int32_t head(int32_t handle) {
  object *self = any_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  size_t size;
  self->family->save(self, staged.bytes, SNAPSHOT_HEAD, &size);
  return 0;
}

/* Writes a snapshot to the staging buffer. Returns its size in bytes. */
EXPORT("save") int32_t save(int32_t handle) {
  const int32_t bytes = saved_bytes(handle);
  if (bytes < 0) return bytes;
  size_t size = (size_t)bytes;
  if (!stage((uint32_t)size)) return FAILED(COPSE_OUT_OF_MEMORY);
  object *self = any_of(handle);
  const copse_status status = self->family->save(self, staged.bytes, size, &size);
  return result_or_failed((uint32_t)size, status);
}

/* Returns the names of classes, in the order of the enum snapshot_kind. Each kind has two names:
 * the 2D class, then the 3D class. A kind with only one class has its name twice. */
EXPORT("class_names") uintptr_t class_names(void) {
  return (uintptr_t) "AgentTree AgentTree3D Grid Grid3D KdTree KdTree3D Quadtree Octree "
                     "ObstacleTree ObstacleTree Crowd Crowd3D Sensors Sensors FlowField FlowField ";
}

/* Restores the object from a snapshot: the first `size` bytes of the staging buffer. Reserves the
 * capacity that the snapshot needs. Returns the object's capacity. */
EXPORT("restore") int32_t restore(int32_t handle, uint32_t size) {
  object *self = any_of(handle);
  if (!self) return FAILED(COPSE_STALE_SLOT);
  if (size > staged.size) return FAILED(COPSE_BAD_SNAPSHOT);
  uint32_t needed;
  copse_status status;
  while ((status = self->family->restore(self, staged.bytes, size, &needed)) == COPSE_FULL) {
    const int32_t reserved = reserve(handle, needed);
    if (reserved < 0) return reserved;
    self = any_of(handle);
  }
  return result_or_failed(self->capacity, status);
}
