/* Snapshots: the header that all structures share, and the checks that every restore starts
 * with. */
#ifndef COPSE_SNAPSHOT_H
#define COPSE_SNAPSHOT_H

#include "core.h"

typedef enum snapshot_kind {
  SNAPSHOT_AGENTTREE = 1,
  SNAPSHOT_GRID = 2,
  SNAPSHOT_KDTREE = 3,
  SNAPSHOT_OCTREE = 4,
  SNAPSHOT_OBSTACLE = 5,
  SNAPSHOT_CROWD = 6,
} snapshot_kind;

/* The first words of every snapshot. A snapshot consists of 32-bit words, little-endian. */
typedef struct snapshot_header {
  uint32_t magic;
  uint32_t version;
  uint32_t kind;
  uint32_t checksum; /* of all other words */
  uint32_t bytesLow, bytesHigh;
} snapshot_header;

/* Mixes a word into a hash, with Murmur3's constants. It detects damage, not malice. */
ALWAYS_INLINE uint32_t hash_word(uint32_t hash, uint32_t word) {
  hash = (hash ^ (word * 0xcc9e2d51u)) * 0x85ebca6bu;
  return hash ^ hash >> 15;
}

/* Writes the header of a snapshot. All other bytes must be written before, because of the
 * checksum. */
void snapshot_seal(void *bytes, uint64_t size, snapshot_kind kind);

/* Writes the head of a snapshot, or as many of its bytes as fit into `capacity`. */
void snapshot_put_head(void *bytes, size_t capacity, const void *head, size_t headBytes);

/* True if magic, version, kind and size of a header are right. */
bool snapshot_fits(const snapshot_header *header, uint64_t size, snapshot_kind kind);

/* Returns the checksum of a snapshot up to word first + count. `words` are the words from `first`
 * on, `hash` is the checksum of the words before them, 0 if there are none. */
uint32_t snapshot_checksum(uint32_t hash, const uint32_t *words, uint64_t first, uint64_t count);

/* True if the checksum in the header is that of the bytes. */
bool snapshot_is_intact(const void *bytes, uint64_t size);

#endif
