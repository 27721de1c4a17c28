/* Snapshots: one header for all structures, and the checks that every load begins with. */
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

/* The first words of every snapshot. All of a snapshot is 32-bit words, little-endian. */
typedef struct snapshot_header {
  uint32_t magic;
  uint32_t version;
  uint32_t kind;
  uint32_t checksum; /* of all words but this one */
  uint32_t bytesLow, bytesHigh;
} snapshot_header;

/* A mix per word (Murmur3's constants): catches damage, not malice. */
ALWAYS_INLINE uint32_t hash_word(uint32_t hash, uint32_t word) {
  hash = (hash ^ (word * 0xcc9e2d51u)) * 0x85ebca6bu;
  return hash ^ hash >> 15;
}

/* Fills the header of a snapshot whose other bytes are written; last, for the checksum. */
void snapshot_seal(void *bytes, uint64_t size, snapshot_kind kind);

/* True if a header belongs to so many bytes of this kind: magic, version, kind, length. */
bool snapshot_fits(const snapshot_header *header, uint64_t size, snapshot_kind kind);

/* Returns the checksum of `count` words of a snapshot from the word `first` on, after those before
 * them gave `hash`: 0 for the first. */
uint32_t snapshot_checksum(uint32_t hash, const uint32_t *words, uint64_t first, uint64_t count);

/* True if the checksum in the header is that of the bytes. */
bool snapshot_is_intact(const void *bytes, uint64_t size);

#endif
