#include "snapshot.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "snapshots are written as they lie in memory, which must be little-endian"
#endif

enum { SNAPSHOT_MAGIC = 0x73706f63 /* the bytes "cops" */, SNAPSHOT_VERSION = 2 };

/* Returns a hash of all words of a snapshot, except of the one that stores it. */
static uint32_t checksum(const uint32_t *words, uint64_t count) {
  uint32_t hash = 0;
  for (uint64_t i = 0; i < count; i++)
    if (i != offsetof(snapshot_header, checksum) / 4) hash = hash_word(hash, words[i]);
  return hash;
}

void snapshot_put_head(void *bytes, size_t capacity, const void *head, size_t headBytes) {
  if (capacity) memcpy(bytes, head, capacity < headBytes ? capacity : headBytes);
}

void snapshot_seal(void *bytes, uint64_t size, snapshot_kind kind) {
  snapshot_header *header = bytes;
  *header = (snapshot_header){SNAPSHOT_MAGIC, SNAPSHOT_VERSION,      (uint32_t)kind, 0,
                              (uint32_t)size, (uint32_t)(size >> 32)};
  header->checksum = checksum(bytes, size / 4);
}

copse_status snapshot_open(const void *bytes, size_t size, snapshot_kind kind, void *head,
                           size_t headBytes) {
  if ((uintptr_t)bytes % 4) return COPSE_INVALID_ARGUMENT;
  if (size < headBytes) return COPSE_BAD_SNAPSHOT;
  snapshot_header header;
  memcpy(&header, bytes, sizeof header);
  memcpy(head, bytes, headBytes);
  const bool ok = header.magic == SNAPSHOT_MAGIC && header.version == SNAPSHOT_VERSION &&
                  header.kind == (uint32_t)kind && header.bytesLow == (uint32_t)size &&
                  header.bytesHigh == (uint32_t)((uint64_t)size >> 32) &&
                  header.checksum == checksum(bytes, size / 4);
  return ok ? COPSE_OK : COPSE_BAD_SNAPSHOT;
}
