#include "snapshot.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "snapshots are written as they lie in memory, which must be little-endian"
#endif

enum { SNAPSHOT_MAGIC = 0x73706f63 /* "cops" */, SNAPSHOT_VERSION = 1 };

static uint32_t checksum(const uint32_t *words, uint64_t count) {
  uint32_t hash = 0;
  for (uint64_t i = 0; i < count; i++) {
    if (i == offsetof(snapshot_header, checksum) / 4) continue;
    hash = hash_word(hash, words[i]);
  }
  return hash;
}

void snapshot_seal(void *bytes, uint64_t size, snapshot_kind kind) {
  snapshot_header *header = bytes;
  *header = (snapshot_header){SNAPSHOT_MAGIC, SNAPSHOT_VERSION,      (uint32_t)kind, 0,
                              (uint32_t)size, (uint32_t)(size >> 32)};
  header->checksum = checksum(bytes, size / 4);
}

bool snapshot_opens(const void *bytes, uint64_t size, snapshot_kind kind) {
  const snapshot_header *header = bytes;
  return size >= sizeof *header && size % 4 == 0 && header->magic == SNAPSHOT_MAGIC &&
         header->version == SNAPSHOT_VERSION && header->kind == (uint32_t)kind &&
         header->bytesLow == (uint32_t)size && header->bytesHigh == (uint32_t)(size >> 32) &&
         header->checksum == checksum(bytes, size / 4);
}
