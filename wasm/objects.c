/* Handles and staging, and the calls that every object has: JavaScript passes handles and numbers,
 * no pointer. Memory safety does not rest on it: handles are checked here, arguments by the C API.
 */

#include "objects.h"

#include "../c/base/geom.h"
#include "../c/base/snapshot.h"

#include <string.h>

static const copse_allocator MALLOC = {0};

/* ---- Statuses, by name ---------------------------------------------------------------------- */

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

/* A call that no object of this family has. */
EXPORT("stale") int32_t stale(void) { return FAILED(COPSE_STALE_SLOT); }

/* ---- Handles: a slot and the low bits of its generation ------------------------------------- */

static slots handles;
static object **objects;

enum { SLOT_BITS = 20, GENERATION_MASK = 0x7ff };

static int32_t handle_of(uint32_t slot) {
  return (int32_t)((handles.generations[slot] & GENERATION_MASK) << SLOT_BITS | slot);
}

/* Returns the live object of a handle, or NULL. */
static object *any_of(int32_t handle) {
  const uint32_t slot = (uint32_t)handle & ((1u << SLOT_BITS) - 1);
  return slots_in_use(&handles, slot) && handle_of(slot) == handle ? objects[slot] : NULL;
}

object *object_of(int32_t handle, const family *family) {
  object *it = any_of(handle);
  return it && it->family == family ? it : NULL;
}

static copse_status grow_table(void) {
  const uint64_t old = handles.capacity, capacity = old ? 2 * old : 16;
  const uint64_t itemBytes = sizeof(void *) + 2 * sizeof(uint32_t); /* with its bits of slots */
  if (capacity > 1u << SLOT_BITS) return COPSE_FULL;
  object **larger = memory_take(&MALLOC, capacity * itemBytes);
  if (!larger) return COPSE_OUT_OF_MEMORY;
  if (old) memcpy(larger, objects, (size_t)old * sizeof(void *));
  uint32_t *generations = (uint32_t *)(void *)(larger + capacity);
  slots_grow(&handles, generations, generations + capacity, (uint32_t)capacity);
  memory_give(&MALLOC, objects, old * itemBytes);
  objects = larger;
  return COPSE_OK;
}

/* ---- Life ----------------------------------------------------------------------------------- */

/* A struct of any family. */
typedef union any_object {
  object object;
  char bytes[OBJECT_BYTES];
} any_object;

static any_object copy_of(const object *it) {
  any_object copy;
  memcpy(&copy, it, it->family->bytes);
  return copy;
}

/* Points the arrays of an object behind it, or measures the block of both. */
static uint64_t carve(object *it, void *block) {
  arena whole = arena_over(block);
  arena_carve(&whole, 1, it->family->bytes);
  it->family->carve(it, &whole);
  return arena_block_bytes(whole.used);
}

/* The bytes that there was no memory for last. */
static double refusedBytes;
EXPORT("refused_bytes") double refused_bytes(void) { return refusedBytes; }

/* True if there may be so much memory: in vain nothing is to grow it. */
static bool is_there(uint64_t bytes) {
  refusedBytes = (double)bytes;
  if (bytes > PTRDIFF_MAX) return false; /* linear memory ends there, see the Makefile */
  void *block = memory_take(&MALLOC, bytes);
  memory_give(&MALLOC, block, bytes);
  return block != NULL;
}

/* Bytes of an item of each room. */
static const uint8_t ROOM_BYTES[ROOMS] = {4, 8, 4, 4, 8, 8};

uint64_t object_bytes(const object *it) {
  uint64_t bytes = it->bytes;
  for (int which = 0; which < ROOMS; which++)
    bytes += (uint64_t)ROOM_BYTES[which] * it->room[which];
  return bytes;
}

object *object_take(const object *bare, size_t indexBytes, copse_status *status) {
  any_object made = copy_of(bare);
  *status = indexBytes ? COPSE_OUT_OF_MEMORY : COPSE_INVALID_ARGUMENT;
  if (!indexBytes) return NULL;
  const uint64_t bytes = carve(&made.object, NULL);
  void *block = is_there(bytes + indexBytes) ? memory_take(&MALLOC, bytes) : NULL;
  if (!block) return NULL;
  object *it = (object *)(void *)arena_over(block).base;
  made.object.bytes = bytes;
  made.object.block = block;
  carve(&made.object, block);
  memcpy(it, &made, bare->family->bytes);
  *status = COPSE_OK;
  return it;
}

/* Gives back the block of an object, but not its rooms. */
static void give(object *it) { memory_give(&MALLOC, it->block, it->bytes); }

/* ---- Rooms ---------------------------------------------------------------------------------- */

bool room_take(object *it, room which, uint64_t count) {
  const uint64_t each = ROOM_BYTES[which], old = it->room[which];
  if (count <= old) return true;
  const uint64_t usual = old + old / 2;
  const uint64_t larger = usual > count && is_there(each * usual) ? usual : count;
  void *room = is_there(each * larger) ? memory_take(&MALLOC, each * larger) : NULL;
  if (!room) return false;
  memory_give(&MALLOC, it->rooms[which], each * old);
  it->rooms[which] = room;
  it->room[which] = (uint32_t)larger;
  it->moves++;
  return true;
}

bool is_given(const object *it, uint64_t floats) {
  if (floats > it->room[ROOM_GIVEN]) return false;
  bool ok = true;
  for (uint64_t i = 0; i < floats; i++) ok = ok && is_coordinate(it->rooms[ROOM_GIVEN][i]);
  return ok;
}

EXPORT("take_room") int32_t take_room(int32_t handle, uint32_t which, double count) {
  object *it = any_of(handle);
  if (!it) return FAILED(COPSE_STALE_SLOT);
  if (which >= ROOMS || !(count >= 0 && count <= 0x1p60)) return FAILED(COPSE_INVALID_ARGUMENT);
  return room_take(it, (room)which, (uint64_t)count) ? 0 : FAILED(COPSE_OUT_OF_MEMORY);
}

int32_t object_adopt(object *it, copse_status status) {
  if (status == COPSE_OK && handles.used == handles.capacity) {
    status = grow_table();
    if (status != COPSE_OK) it->family->destroy(it);
  }
  if (status != COPSE_OK) {
    give(it);
    return FAILED(status);
  }
  it->family->fill(it, NULL);
  const uint32_t slot = slots_take(&handles);
  objects[slot] = it;
  return handle_of(slot);
}

EXPORT("destroy") int32_t destroy(int32_t handle) {
  object *it = any_of(handle);
  if (!it) return FAILED(COPSE_STALE_SLOT);
  it->family->destroy(it);
  for (int which = 0; which < ROOMS; which++)
    memory_give(&MALLOC, it->rooms[which], (uint64_t)ROOM_BYTES[which] * it->room[which]);
  give(it);
  slots_free(&handles, (uint32_t)handle & ((1u << SLOT_BITS) - 1));
  return 0;
}

EXPORT("reserve") int32_t reserve(int32_t handle, uint32_t capacity) {
  object *it = any_of(handle);
  if (!it) return FAILED(COPSE_STALE_SLOT);
#ifdef COPSE_TEST_TRAP
  if (capacity == COPSE_TEST_TRAP) __builtin_trap();
#endif
  if (capacity <= it->capacity) return 0;
  any_object bare = copy_of(it);
  bare.object.capacity = capacity;
  copse_status status;
  object *larger = object_take(&bare.object, it->family->reserve_bytes(it, capacity), &status);
  if (!larger) return FAILED(status);
  status = it->family->reserve(it, capacity);
  if (status != COPSE_OK) {
    give(larger);
    return FAILED(status);
  }
  it->family->fill(larger, it);
  objects[(uint32_t)handle & ((1u << SLOT_BITS) - 1)] = larger;
  give(it);
  return 0;
}

/* ---- Views and figures ---------------------------------------------------------------------- */

EXPORT("view_names") uintptr_t view_names(int32_t handle) {
  const object *it = any_of(handle);
  return it ? (uintptr_t)it->family->views : 0;
}

EXPORT("figure_names") uintptr_t figure_names(int32_t handle) {
  const object *it = any_of(handle);
  return it ? (uintptr_t)it->family->figures : 0;
}

/* Returns where a view lies, in bytes; 0: nowhere. */
EXPORT("view_of") uintptr_t view_of(int32_t handle, uint32_t which) {
  object *it = any_of(handle);
  return it ? it->family->view(it, which) : 0;
}

/* Returns where the figures lie, as doubles. */
EXPORT("figures_of") uintptr_t figures_of(int32_t handle) {
  static double numbers[FIGURES_MOST];
  object *it = any_of(handle);
  if (!it) return 0;
  it->family->read_figures(it, numbers);
  return (uintptr_t)numbers;
}

EXPORT("limits_of") uintptr_t limits_of(int32_t handle) {
  const object *it = any_of(handle);
  return it ? (uintptr_t)&it->capacity : 0;
}

/* ---- Staging -------------------------------------------------------------------------------- */

/* What is small, and what goes through in pieces. */
static uint32_t piece[8192];
_Static_assert(DRAWN * sizeof(float) <= sizeof piece, "the floats that are drawn at once");

/* A larger buffer, for snapshots and long polygons, grows and is never given back. */
staging staged = {piece, sizeof piece};

uint32_t firstBad;

/* Makes room for so many staged bytes. Call it only for what will not be refused: it may grow the
 * memory. */
static bool stage(uint32_t size) {
  if (size <= staged.size) return true;
  void *larger = is_there(size) ? memory_take(&MALLOC, size) : NULL;
  if (!larger) return false;
  if (staged.bytes != piece) memory_give(&MALLOC, staged.bytes, staged.size);
  staged = (staging){larger, size};
  return true;
}

/* As stage(); returns where the bytes lie. */
EXPORT("stage") int32_t stage_bytes(uint32_t size) {
  return stage(size) ? (int32_t)(uintptr_t)staged.bytes : FAILED(COPSE_OUT_OF_MEMORY);
}

/* Returns how many bytes can be staged without more memory. */
EXPORT("staging_room") uint32_t staging_room(void) { return staged.size; }

EXPORT("first_bad") uint32_t first_bad(void) { return firstBad; }

/* ---- What is drawn, checks and snapshots ----------------------------------------------------- */

static copse_status prepare(object *it) {
  if (!it) return COPSE_STALE_SLOT;
  return it->family->prepare ? it->family->prepare(it) : COPSE_OK;
}

int32_t drawn(size_t floats, uint32_t skipped) {
  const size_t left = floats > skipped ? floats - skipped : 0;
  return (int32_t)(left < DRAWN ? left : DRAWN);
}

/* Stages the next cells, and returns the number of their floats; 0: no more. */
EXPORT("cells") int32_t cells(int32_t handle, uint32_t skipped) {
  object *it = any_of(handle);
  if (it && !it->family->cells) it = NULL;
  const copse_status status = prepare(it);
  if (status != COPSE_OK) return FAILED(status);
  return drawn(it->family->cells(it, skipped, staged.bytes, DRAWN), skipped);
}

EXPORT("validate") int32_t validate(int32_t handle) {
  object *it = any_of(handle);
  return it && it->family->validate && it->family->validate(it);
}

/* Returns the size of a snapshot. */
EXPORT("saved_bytes") int32_t saved_bytes(int32_t handle) {
  object *it = any_of(handle);
  copse_status status = prepare(it);
  if (status != COPSE_OK) return FAILED(status);
  size_t size;
  status = it->family->save(it, NULL, 0, &size);
  if (status != COPSE_FULL) return FAILED(status);
  return size > INT32_MAX ? FAILED(COPSE_OUT_OF_MEMORY) : (int32_t)size;
}

/* Stages the first bytes of a snapshot. */
EXPORT("head") int32_t head(int32_t handle) {
  object *it = any_of(handle);
  if (!it) return FAILED(COPSE_STALE_SLOT);
  size_t size;
  it->family->save(it, staged.bytes, COPSE_SNAPSHOT_HEAD, &size);
  return 0;
}

/* Stages a snapshot, and returns its size. */
EXPORT("save") int32_t save(int32_t handle) {
  const int32_t bytes = saved_bytes(handle);
  if (bytes < 0) return bytes;
  size_t size = (size_t)bytes;
  if (!stage((uint32_t)size)) return FAILED(COPSE_OUT_OF_MEMORY);
  object *it = any_of(handle);
  const copse_status status = it->family->save(it, staged.bytes, size, &size);
  return result_or_failed((uint32_t)size, status);
}

/* Returns the names of the classes in the plane and in space, in the order of snapshot_kind. */
EXPORT("class_names") uintptr_t class_names(void) {
  return (uintptr_t) "AgentTree AgentTree3D Grid Grid3D KdTree KdTree3D Quadtree Octree "
                     "ObstacleTree ObstacleTree Crowd Crowd3D ";
}

/* Adds a staged piece of a snapshot of so many bytes, each in turn, to its checksum. Returns 0 as
 * long as nothing is wrong: that it is another one than in the head shows at the last piece. */
EXPORT("intact") int32_t intact(uint32_t total, uint32_t first, uint32_t size) {
  static uint32_t checksum, expected;
  const uint32_t least = first ? 0 : sizeof(snapshot_header);
  if (size > staged.size || size < least || total % 4 || first % 4)
    return FAILED(COPSE_BAD_SNAPSHOT);
  if (first == 0) {
    expected = ((const snapshot_header *)staged.bytes)->checksum;
    checksum = 0;
  }
  checksum = snapshot_checksum(checksum, staged.bytes, first / 4, size / 4);
  return first + size < total || checksum == expected ? 0 : FAILED(COPSE_BAD_SNAPSHOT);
}

/* Checks a snapshot before there is room for it, as intact(); of the first piece, its head or more,
 * also whether the object takes it. */
EXPORT("restorable")
int32_t restorable(int32_t handle, uint32_t total, uint32_t first, uint32_t size) {
  object *it = any_of(handle);
  if (!it) return FAILED(COPSE_STALE_SLOT);
  if (size > staged.size) return FAILED(COPSE_BAD_SNAPSHOT);
  if (first == 0) {
    const copse_status status = it->family->restorable(it, staged.bytes, total);
    if (status != COPSE_OK) return FAILED(status);
  }
  return intact(total, first, size);
}

/* Restores from `size` staged bytes. */
EXPORT("restore") int32_t restore(int32_t handle, uint32_t size) {
  object *it = any_of(handle);
  if (!it) return FAILED(COPSE_STALE_SLOT);
  if (size > staged.size) return FAILED(COPSE_BAD_SNAPSHOT);
  return zero_or_failed(it->family->restore(it, staged.bytes, size));
}
