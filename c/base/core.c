#include "core.h"

#include "simd.h"

#include <stdlib.h>
#include <string.h>

#ifdef COPSE_COUNT_WORK
_Thread_local uint64_t copse_work;
#endif

const char *copse_status_text(copse_status status) {
  switch (status) {
  case COPSE_OK:
    return "ok";
  case COPSE_INVALID_ARGUMENT:
    return "an argument is out of range";
  case COPSE_FULL:
    return "more items than the capacity";
  case COPSE_OUT_OF_MEMORY:
    return "out of memory";
  case COPSE_NOT_FINITE:
    return "a coordinate is not finite or beyond 1e18";
  case COPSE_NOT_BUILT:
    return "not built yet: build first";
  case COPSE_STALE_SLOT:
    return "the slot is not in use";
  case COPSE_BAD_SNAPSHOT:
    return "not a snapshot of this kind of object";
  }
  return "unknown status";
}

void *memory_take(const copse_allocator *allocator, uint64_t bytes) {
  /* No object in C is larger than PTRDIFF_MAX bytes. This limit also keeps the sum of two sizes
   * from overflowing. */
  if (bytes > PTRDIFF_MAX) return NULL;
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

void slots_grow(slots *table, uint32_t *generations, uint32_t *free, uint32_t capacity) {
  memset(generations, 0, capacity * sizeof *generations);
  if (table->capacity)
    memcpy(generations, table->generations, table->capacity * sizeof *generations);
  *table = (slots){generations, free, capacity, 0, 0, 0};
  slots_recount(table);
}

void slots_recount(slots *table) {
  table->used = table->ever = table->firstWord = 0;
  for (uint32_t slot = 0; slot < table->capacity; slot++) {
    const uint32_t inUse = table->generations[slot] & 1;
    table->used += inUse;
    if (table->generations[slot]) table->ever = slot + 1;
    if (slot % 32 == 0) table->free[slot / 32] = 0;
    table->free[slot / 32] |= (inUse ^ 1) << slot % 32;
  }
}

uint32_t slots_take(slots *table) {
  if (table->used == table->capacity) return COPSE_NONE;
  while (!table->free[table->firstWord]) table->firstWord++;
  const uint32_t bits = table->free[table->firstWord];
  const uint32_t slot = table->firstWord * 32 + bits_lowest(bits);
  slots_take_at(table, slot);
  return slot;
}

void slots_take_at(slots *table, uint32_t slot) {
  table->free[slot / 32] &= ~(1u << slot % 32);
  table->generations[slot]++;
  table->used++;
  if (slot >= table->ever) table->ever = slot + 1;
}

copse_status slots_free(slots *table, uint32_t slot) {
  if (!slots_in_use(table, slot)) return COPSE_STALE_SLOT;
  table->free[slot / 32] |= 1u << slot % 32;
  if (slot / 32 < table->firstWord) table->firstWord = slot / 32;
  table->generations[slot]++;
  table->used--;
  return COPSE_OK;
}
