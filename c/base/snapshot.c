#include "snapshot.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "snapshots are written as they lie in memory, which must be little-endian"
#endif

enum { SNAPSHOT_MAGIC = 0x73706f63 /* the bytes "cops" */, SNAPSHOT_VERSION = 2 };

uint32_t snapshot_checksum(uint32_t hash, const uint32_t *words, uint64_t first, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    if (first + i == offsetof(snapshot_header, checksum) / 4) continue;
    hash = hash_word(hash, words[i]);
  }
  return hash;
}

void snapshot_put_head(void *bytes, size_t capacity, const void *head, size_t headBytes) {
  if (capacity) memcpy(bytes, head, capacity < headBytes ? capacity : headBytes);
}

void snapshot_seal(void *bytes, uint64_t size, snapshot_kind kind) {
  snapshot_header *header = bytes;
  *header = (snapshot_header){SNAPSHOT_MAGIC, SNAPSHOT_VERSION,      (uint32_t)kind, 0,
                              (uint32_t)size, (uint32_t)(size >> 32)};
  header->checksum = snapshot_checksum(0, bytes, 0, size / 4);
}

bool snapshot_fits(const snapshot_header *header, uint64_t size, snapshot_kind kind) {
  return header->magic == SNAPSHOT_MAGIC && header->version == SNAPSHOT_VERSION &&
         header->kind == (uint32_t)kind && header->bytesLow == (uint32_t)size &&
         header->bytesHigh == (uint32_t)(size >> 32);
}

bool snapshot_is_intact(const void *bytes, uint64_t size) {
  return ((const snapshot_header *)bytes)->checksum == snapshot_checksum(0, bytes, 0, size / 4);
}
