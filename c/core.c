#include "core.h"

#include <stdlib.h>

const char *copse_status_text(copse_status status) {
  switch (status) {
  case COPSE_OK:
    return "ok";
  case COPSE_INVALID_ARGUMENT:
    return "an argument is outside its range";
  case COPSE_FULL:
    return "more items than the capacity";
  case COPSE_OUT_OF_MEMORY:
    return "out of memory";
  case COPSE_NOT_FINITE:
    return "a coordinate is not finite, or larger than 1e18";
  case COPSE_STALE_HANDLE:
    return "the slot or handle is not in use";
  case COPSE_BAD_SNAPSHOT:
    return "the bytes are no snapshot of such an object";
  }
  return "unknown status";
}

void *memory_take(const copse_allocator *allocator, uint64_t bytes) {
  if (bytes > PTRDIFF_MAX) return NULL; /* no object is larger, and sums of sizes can't wrap */
  if (allocator->allocate) return allocator->allocate((size_t)bytes, allocator->context);
  return malloc((size_t)bytes);
}

void memory_give(const copse_allocator *allocator, void *memory, uint64_t bytes) {
  if (!memory) return;
  if (allocator->allocate)
    allocator->release(memory, (size_t)bytes, allocator->context);
  else
    free(memory);
}

void *arena_carve(arena *block, uint64_t count, size_t itemBytes) {
  uint64_t bytes = count * itemBytes;
  void *array = block->base ? block->base + block->used : NULL;
  block->used += (bytes + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
  return array;
}

void slots_grow(slots *all, uint32_t *generations, uint32_t *nextFree, uint32_t capacity) {
  for (uint32_t slot = 0; slot < all->used; slot++) {
    generations[slot] = all->generations[slot];
    nextFree[slot] = all->nextFree[slot];
  }
  *all = (slots){generations, nextFree, capacity, all->used, all->firstFree};
}

uint32_t slots_take(slots *all) {
  uint32_t slot = all->firstFree;
  if (slot != COPSE_NONE) {
    all->firstFree = all->nextFree[slot];
    all->generations[slot]++;
  } else {
    if (all->used == all->capacity) return COPSE_NONE;
    slot = all->used++;
    all->generations[slot] = 1;
  }
  return slot;
}

copse_status slots_free(slots *all, uint32_t slot) {
  if (!slots_in_use(all, slot)) return COPSE_STALE_HANDLE;
  all->generations[slot]++;
  all->nextFree[slot] = all->firstFree;
  all->firstFree = slot;
  return COPSE_OK;
}
