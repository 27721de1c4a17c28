/* What every structure stands on: memory from the allocator hook, an arena that carves one block
 * into arrays, and slots with generations. */
#ifndef COPSE_CORE_H
#define COPSE_CORE_H

#include "../copse.h"

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

/* Where inlining only makes code larger, and where time is spent: an engine optimises a function
 * when it has been entered often, so what runs long must be entered often. */
#if defined(__GNUC__)
#define OUT_OF_LINE static __attribute__((noinline))
#else
#define OUT_OF_LINE static
#endif

/* For what is called too seldom to be worth large code. */
#if defined(__clang__)
#define SMALL_CODE __attribute__((minsize))
#else
#define SMALL_CODE
#endif

/* Before a loop of constant length: unrolled even where code is compiled for size, so that what it
 * indexes stays in registers. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL
#endif
/* A loop over the axes of a constant `dim`. */
#define EACH_AXIS(axis, dim) UNROLL for (int axis = 0; axis < (dim); axis++)

/* In a test build, counts work: comparisons of coordinates or ids, alone or four at a time. */
#ifdef COPSE_COUNT_WORK
extern uint64_t copse_work;
#define WORKED(n) (copse_work += (n))
#else
#define WORKED(n) ((void)0)
#endif

/* ---- Memory ---- */

/* A number of bytes, SIZE_MAX where a size_t has no room for it. */
ALWAYS_INLINE size_t size_of(uint64_t bytes) { return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes; }

/* `bytes` is 64 bits wide so that a size no machine can hold is refused instead of wrapping. */
void *memory_take(const copse_allocator *allocator, uint64_t bytes);
void memory_give(const copse_allocator *allocator, void *memory, uint64_t bytes);

/* Carves arrays out of one block. With base NULL it only measures: the same carving function
 * serves for both, so that size and layout can't disagree. */
typedef struct arena {
  char *base;
  uint64_t used;
} arena;

enum { ARENA_ALIGNMENT = 16 };

/* Returns NULL while measuring. */
void *arena_carve(arena *block, uint64_t count, size_t itemBytes);

/* A block with room for `bytes` carved bytes at any alignment of the allocator. */
ALWAYS_INLINE uint64_t arena_block_bytes(uint64_t bytes) { return bytes + ARENA_ALIGNMENT; }
ALWAYS_INLINE arena arena_over(void *block) {
  uintptr_t start = (uintptr_t)block;
  uintptr_t skip = (ARENA_ALIGNMENT - start % ARENA_ALIGNMENT) % ARENA_ALIGNMENT;
  return (arena){block ? (char *)block + skip : NULL, 0};
}

/* ---- Rows to draw ---- */

/* Rows of `width` floats, one after the other, of which the caller wants those behind the first
 * `skipped` floats, as far as they fit. */
typedef struct drawing {
  float *out;
  size_t skipped, capacity, width;
  size_t floats; /* of all rows so far */
} drawing;

/* Returns where the next row belongs, or NULL if the caller does not want it. */
static inline float *drawing_next(drawing *rows) {
  const size_t begin = rows->floats, end = begin + rows->width;
  rows->floats = end;
  if (begin < rows->skipped || end - rows->skipped > rows->capacity) return NULL;
  return rows->out + (begin - rows->skipped);
}

/* ---- Slots with generations ----
 *
 * Hands out the lowest free slot: a function of what is in use alone, so that a restored object
 * goes on as the saved one would have. A slot's generation is odd while it is in use and grows by
 * one at every take and free, so a stale holder can tell. */
typedef struct slots {
  uint32_t *generations; /* capacity */
  uint32_t *free;        /* slots_words(capacity); a bit for each slot that is free */
  uint32_t capacity;
  uint32_t used;      /* how many are in use */
  uint32_t firstWord; /* of `free`: those before it are 0 */
} slots;

ALWAYS_INLINE uint32_t slots_words(uint32_t capacity) { return (capacity + 31) / 32; }
/* Moves to larger arrays; the old ones can be freed. Also the way to begin, from zeros. */
void slots_grow(slots *table, uint32_t *generations, uint32_t *free, uint32_t capacity);
/* COPSE_NONE when all are in use. */
uint32_t slots_take(slots *table);
/* A free slot of the caller's choice. */
void slots_take_at(slots *table, uint32_t slot);
copse_status slots_free(slots *table, uint32_t slot);
/* After generations were written: which slots are free follows from them. */
void slots_recount(slots *table);
ALWAYS_INLINE bool slots_in_use(const slots *table, uint32_t slot) {
  return slot < table->capacity && (table->generations[slot] & 1u);
}

#endif
