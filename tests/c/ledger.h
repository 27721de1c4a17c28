/* An allocator that fails at a chosen call, and counts the bytes that were not released. */
#ifndef LEDGER_H
#define LEDGER_H

#include "../../c/copse.h"

#include <stdlib.h>

typedef struct ledger {
  int callsLeft; /* calls before the one that fails; negative: none fails */
  size_t bytesHeld;
} ledger;

static inline void *ledger_allocate(size_t bytes, void *context) {
  ledger *book = context;
  if (book->callsLeft-- == 0) return NULL;
  book->bytesHeld += bytes;
  return malloc(bytes);
}

static inline void ledger_release(void *memory, size_t bytes, void *context) {
  ((ledger *)context)->bytesHeld -= bytes;
  free(memory);
}

static inline copse_allocator ledger_allocator(ledger *book) {
  return (copse_allocator){ledger_allocate, ledger_release, book};
}

#endif
