/* What the whole library uses: attributes for the compiler, memory from the allocator that the
 * caller supplied, an arena that carves one block into arrays, and slots with generations. */
#ifndef COPSE_CORE_H
#define COPSE_CORE_H

#include "../copse.h"

/* Attributes that decide how code is compiled for WebAssembly. A file is compiled for size, unless
 * it is in the list FAST of the Makefile. In a file that is compiled for speed, SMALL_CODE marks
 * functions that run too rarely to be worth large code. OUT_OF_LINE marks functions that inlining
 * would not make faster. It also marks hot loops: a JavaScript engine optimizes a function only
 * after many calls, so a hot loop must be in a function that is called often. */
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

/* Unrolls the loop that follows, even in code compiled for size. The length of the loop must be a
 * constant. Arrays that the loop indexes can then stay in registers. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL
#endif
/* The head of a loop over axis = 0 … dim - 1. `dim` must be a constant, so that the loop is
 * unrolled. */
#define EACH_AXIS(axis, dim) UNROLL for (int axis = 0; axis < (dim); axis++)

/* In test builds, WORKED(n) adds n to copse_work, a count of the work that this thread has done:
 * four-lane loads, single comparisons, loop iterations. Tests compare copse_work with expected
 * counts, so that no operation gets slower unnoticed. In other builds, WORKED does nothing. */
#ifdef COPSE_COUNT_WORK
extern _Thread_local uint64_t copse_work;
#define WORKED(n) (copse_work += (n))
#else
#define WORKED(n) ((void)0)
#endif

/* ---- Memory ---- */

/* Converts a number of bytes to size_t. Returns SIZE_MAX if the number does not fit. */
ALWAYS_INLINE size_t size_of(uint64_t bytes) { return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes; }

/* Allocates memory with the caller's allocator or malloc. Returns NULL if that fails. `bytes` has
 * 64 bits, so that a size beyond the address space is refused instead of wrapping around. */
void *memory_take(const copse_allocator *allocator, uint64_t bytes);
void memory_give(const copse_allocator *allocator, void *memory, uint64_t bytes);

/* A block of memory that arrays are carved from, one after another. If `base` is NULL, carving only
 * adds up the size of the arrays. So one function both measures a block and lays it out, and the
 * measured size always fits the arrays. */
typedef struct arena {
  char *base;
  uint64_t used;
} arena;

enum { ARENA_ALIGNMENT = 16 };

/* Carves an array of `count` items. Returns it, or NULL if the arena only measures. */
void *arena_carve(arena *block, uint64_t count, size_t itemBytes);

/* Returns the size to allocate for `bytes` bytes of arrays: a little more, so that the arrays can
 * be aligned to ARENA_ALIGNMENT whatever address the allocator returns. */
ALWAYS_INLINE uint64_t arena_block_bytes(uint64_t bytes) { return bytes + ARENA_ALIGNMENT; }
ALWAYS_INLINE arena arena_over(void *block) {
  uintptr_t start = (uintptr_t)block;
  uintptr_t skip = (ARENA_ALIGNMENT - start % ARENA_ALIGNMENT) % ARENA_ALIGNMENT;
  return (arena){block ? (char *)block + skip : NULL, 0};
}

/* ---- Shapes to draw, for debugging ---- */

/* The output of the functions that write shapes to draw, such as copse_points_cells. A shape is
 * `width` floats. The first `skipped` floats, which are whole shapes, are left out. As many of the
 * shapes after them as fit into `capacity` floats are written to `out`. */
typedef struct drawing {
  float *out;
  size_t skipped, capacity, width;
  size_t floats; /* number of floats in all shapes so far, including those not written to `out` */
} drawing;

/* Counts one more shape. Returns where to write its floats, or NULL if it is skipped or does not
 * fit. */
static inline float *drawing_next(drawing *rows) {
  const size_t begin = rows->floats, end = begin + rows->width;
  rows->floats = end;
  if (begin < rows->skipped || end - rows->skipped > rows->capacity) return NULL;
  return rows->out + (begin - rows->skipped);
}

/* ---- Slots with generations ----
 *
 * A slot is an index into arrays with an entry per item. The lowest free slot is taken first. Which
 * slot that is depends only on the slots in use, so an object that is restored from a snapshot
 * gives out the same slots as the saved one would have. The generation of a slot is odd while the
 * slot is in use, and grows by one each time the slot is taken or freed. A caller that keeps a slot
 * and its generation can therefore detect that the slot was freed or reused. */
typedef struct slots {
  uint32_t *generations; /* one per slot */
  uint32_t *free;        /* a bit per slot, set if the slot is free: slots_words(capacity) words */
  uint32_t capacity;
  uint32_t used;
  uint32_t ever;      /* 1 + the highest slot that was ever in use; 0: none was */
  uint32_t firstWord; /* index of a word in `free`: no word before it has a free slot */
} slots;

ALWAYS_INLINE uint32_t slots_words(uint32_t capacity) { return (capacity + 31) / 32; }
/* Moves the table to larger arrays; the caller then frees the old ones. Also sets up a new table: a
 * table that is all zeros has no old arrays, and gets the new ones with all slots free. */
void slots_grow(slots *table, uint32_t *generations, uint32_t *free, uint32_t capacity);
/* Takes the lowest free slot. Returns COPSE_NONE if all are in use. */
uint32_t slots_take(slots *table);
/* Takes a given slot, which must be free. */
void slots_take_at(slots *table, uint32_t slot);
copse_status slots_free(slots *table, uint32_t slot);
/* Recomputes `free`, `used`, `ever` and `firstWord` from `generations` and `capacity`. */
void slots_recount(slots *table);
ALWAYS_INLINE bool slots_in_use(const slots *table, uint32_t slot) {
  return slot < table->capacity && (table->generations[slot] & 1u);
}

#endif
