/* Snapshots: the header that snapshots of all kinds share, and the checks that every restore starts
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
  SNAPSHOT_SENSORS = 7,
  SNAPSHOT_FLOWFIELD = 8,
} snapshot_kind;

/* The first words of every snapshot. A snapshot consists of 32-bit words, little-endian. */
typedef struct snapshot_header {
  uint32_t magic;
  uint32_t version;
  uint32_t kind;
  uint32_t checksum; /* a hash of all other words of the snapshot */
  uint32_t bytesLow, bytesHigh;
} snapshot_header;

/* Adds a word to a hash, with Murmur3's constants. The hash detects damage, but not changes that
 * were made on purpose. */
ALWAYS_INLINE uint32_t hash_word(uint32_t hash, uint32_t word) {
  hash = (hash ^ (word * 0xcc9e2d51u)) * 0x85ebca6bu;
  return hash ^ hash >> 15;
}

enum { SNAPSHOT_HEAD = 128 }; /* the maximum size of the head of a snapshot, in bytes */

/* Writes the header of a snapshot. Must be called last, because the checksum in the header covers
 * all other bytes of the snapshot. */
void snapshot_seal(void *bytes, uint64_t size, snapshot_kind kind);

/* Copies `head` to the start of a snapshot. `head` is a struct such as octree_snapshot, whose first
 * member is the header. If `capacity` is less than `headBytes`, copies only the bytes that fit. */
void snapshot_put_head(void *bytes, size_t capacity, const void *head, size_t headBytes);

/* Begins to restore a snapshot: copies its head. Returns COPSE_BAD_SNAPSHOT if the snapshot is not
 * of this kind, has another size, or is damaged. */
copse_status snapshot_open(const void *bytes, size_t size, snapshot_kind kind, void *head,
                           size_t headBytes);

#endif
