/* The base of every structure: memory from the allocator hook, an arena that carves one block into
 * arrays, and slots with generations. */
#ifndef COPSE_CORE_H
#define COPSE_CORE_H

#include "../copse.h"

/* How code is compiled for WebAssembly. A file is compiled for size, unless its first comment says
 * "Compiled for speed": the Makefile searches for these words. In a file that is compiled for
 * speed, SMALL_CODE marks functions that run too rarely to be worth large code. OUT_OF_LINE marks
 * functions that are no faster inlined, and hot loops: an engine optimizes a function only after
 * many calls, so a hot loop belongs in a function that is called often. */
#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define OUT_OF_LINE   static __attribute__((noinline))
#else
#define ALWAYS_INLINE static inline
#define OUT_OF_LINE   static
#endif
#if defined(__clang__)
#define SMALL_CODE __attribute__((minsize))
#else
#define SMALL_CODE
#endif

/* Written before a loop of constant length: unrolls the loop even in code compiled for size, so
 * that arrays that it indexes stay in registers. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL
#endif
/* A loop over the axes of a constant `dim`. */
#define EACH_AXIS(axis, dim) UNROLL for (int axis = 0; axis < (dim); axis++)

/* Counts work in test builds, which check the cost of operations: loads of four lanes, single
 * comparisons, iterations of loops. */
#ifdef COPSE_COUNT_WORK
extern uint64_t copse_work;
#define WORKED(n) (copse_work += (n))
#else
#define WORKED(n) ((void)0)
#endif

/* ---- Memory ---- */

/* Returns a number of bytes, or SIZE_MAX if it does not fit a size_t. */
ALWAYS_INLINE size_t size_of(uint64_t bytes) { return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes; }

/* Allocates memory, or returns NULL. `bytes` has 64 bits, so that a size beyond the address space
 * is refused instead of wrapping around. */
void *memory_take(const copse_allocator *allocator, uint64_t bytes);
void memory_give(const copse_allocator *allocator, void *memory, uint64_t bytes);

/* Carves arrays out of one block of memory. If `base` is NULL, it only measures the block's size:
 * the same function does both, so that size and layout can't disagree. */
typedef struct arena {
  char *base;
  uint64_t used;
} arena;

enum { ARENA_ALIGNMENT = 16 };

/* Returns the next array, or NULL while measuring. */
void *arena_carve(arena *block, uint64_t count, size_t itemBytes);

/* Returns the size of a block with room for `bytes` carved bytes, whatever the allocator's
 * alignment. */
ALWAYS_INLINE uint64_t arena_block_bytes(uint64_t bytes) { return bytes + ARENA_ALIGNMENT; }
ALWAYS_INLINE arena arena_over(void *block) {
  uintptr_t start = (uintptr_t)block;
  uintptr_t skip = (ARENA_ALIGNMENT - start % ARENA_ALIGNMENT) % ARENA_ALIGNMENT;
  return (arena){block ? (char *)block + skip : NULL, 0};
}

/* ---- Rows to draw ---- */

/* Writes shapes to draw, as rows of `width` floats. Leaves out the first `skipped` floats, then
 * writes rows to `out` while they fit into `capacity` floats. */
typedef struct drawing {
  float *out;
  size_t skipped, capacity, width;
  size_t floats; /* of all rows so far */
} drawing;

/* Returns where to write the next row, or NULL if it is skipped or does not fit. */
static inline float *drawing_next(drawing *rows) {
  const size_t begin = rows->floats, end = begin + rows->width;
  rows->floats = end;
  if (begin < rows->skipped || end - rows->skipped > rows->capacity) return NULL;
  return rows->out + (begin - rows->skipped);
}

/* ---- Slots with generations ----
 *
 * The lowest free slot is taken first. It depends only on the slots in use, so a restored object
 * continues as the saved one would have. A slot's generation is odd while it is in use and grows by
 * one at every take and free, so that stale slots are detected. */
typedef struct slots {
  uint32_t *generations; /* one per slot */
  uint32_t *free;        /* slots_words(capacity) words; a bit for each slot, set if it is free */
  uint32_t capacity;
  uint32_t used;      /* number of slots in use */
  uint32_t ever;      /* the end of the slots that were ever in use */
  uint32_t firstWord; /* an index into `free`: all words before it are 0 */
} slots;

ALWAYS_INLINE uint32_t slots_words(uint32_t capacity) { return (capacity + 31) / 32; }
/* Moves the table to larger arrays; the caller then frees the old ones. A zeroed table becomes a
 * table of free slots. */
void slots_grow(slots *table, uint32_t *generations, uint32_t *free, uint32_t capacity);
/* Takes the lowest free slot. Returns COPSE_NONE if all are in use. */
uint32_t slots_take(slots *table);
/* Takes a given slot, which must be free. */
void slots_take_at(slots *table, uint32_t slot);
copse_status slots_free(slots *table, uint32_t slot);
/* Recomputes all other members from the generations. */
void slots_recount(slots *table);
ALWAYS_INLINE bool slots_in_use(const slots *table, uint32_t slot) {
  return slot < table->capacity && (table->generations[slot] & 1u);
}

#endif
