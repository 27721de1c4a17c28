/* Statistics, hash and snapshots of the crowd. */

#include "crowd.h"

#include "../points/points.h"

#include <string.h>

copse_crowd_statistics copse_crowd_stats(const copse_crowd *crowd) {
  const uint32_t agents = crowd->slots.used;
  return (copse_crowd_statistics){
      .agents = agents,
      .infeasible = crowd->outcome.infeasible,
      .overlaps = crowd->outcome.overlaps,
      .neighbors = agents ? (double)crowd->outcome.neighbors / agents : 0,
      .time = crowd->time,
      .steps = crowd->steps,
      .bytes = (size_t)(sizeof *crowd + crowd->memoryBytes) + points_memory(crowd->tree),
  };
}

/* ---- Snapshots ---------------------------------------------------------------------------- */

/* The head of a snapshot. It is followed by the generations of all slots, then by the crowd's
 * `fields`, one array after the other: the values of slots in use, and zeros for free slots. */
typedef struct crowd_snapshot {
  snapshot_header header;
  uint32_t dimensions, maxNeighbors, exact;
  uint32_t slots; /* the number of slots up to the last one that was ever used */
  double time;
  uint64_t steps;
} crowd_snapshot;
_Static_assert(sizeof(crowd_snapshot) <= SNAPSHOT_HEAD, "the head of a snapshot");

static crowd_snapshot snapshot_head(const copse_crowd *crowd) {
  crowd_snapshot head = {.dimensions = crowd->def.dimensions,
                         .maxNeighbors = crowd->def.maxNeighbors,
                         .exact = crowd->def.exact,
                         .slots = crowd->slots.ever,
                         .time = crowd->time,
                         .steps = crowd->steps};
  return head;
}

static uint64_t words_of(const copse_crowd *crowd) {
  uint64_t words = 1;
  for (int field = 0; field < FIELDS; field++) words += crowd_words(crowd, field);
  return words;
}

/* Returns a word of a field for the hash. In a float, turns -0 into 0, because the two are equal,
 * and any NaN into the same NaN, because its bits differ from machine to machine. */
static uint32_t word_of(const copse_crowd *crowd, int field, uint64_t index) {
  uint32_t word;
  float value = crowd->fields[field][index];
  if (field < FIELD_FLOATS) value = value == value ? value + 0.0f : NAN;
  memcpy(&word, &value, sizeof word);
  return word;
}

uint32_t copse_crowd_hash(const copse_crowd *crowd) {
  const crowd_snapshot head = snapshot_head(crowd);
  uint32_t headWords[sizeof head / 4], hash = 0;
  memcpy(headWords, &head, sizeof head);
  for (size_t i = sizeof head.header / 4; i < sizeof head / 4; i++)
    hash = hash_word(hash, headWords[i]);
  for (uint32_t slot = 0; slot < head.slots; slot++) {
    hash = hash_word(hash, crowd->slots.generations[slot]);
    if (!slots_in_use(&crowd->slots, slot)) continue;
    for (int field = 0; field < FIELDS; field++) {
      const uint32_t words = crowd_words(crowd, field);
      for (uint32_t i = 0; i < words; i++)
        hash = hash_word(hash, word_of(crowd, field, (uint64_t)slot * words + i));
    }
  }
  return hash;
}

copse_status copse_crowd_save(const copse_crowd *crowd, void *bytes, size_t capacity, size_t *total,
                              uint32_t *firstBad) {
  const crowd_snapshot head = snapshot_head(crowd);
  const uint64_t size = sizeof head + 4 * words_of(crowd) * head.slots;
  snapshot_put_head(bytes, capacity, &head, sizeof head);
  *total = size_of(size);
  for (uint32_t slot = 0; slot < head.slots; slot++)
    if (slots_in_use(&crowd->slots, slot) && !crowd_is_finite(crowd, slot)) {
      if (firstBad) *firstBad = slot;
      return COPSE_NOT_FINITE;
    }
  if (size > capacity) return COPSE_FULL;
  uint32_t *words = (uint32_t *)((char *)bytes + sizeof head);
  memcpy(words, crowd->slots.generations, head.slots * sizeof *words);
  words += head.slots;
  for (int field = 0; field < FIELDS; field++) {
    const size_t slotBytes = crowd_words(crowd, field) * sizeof *words;
    for (uint32_t slot = 0; slot < head.slots; slot++) {
      if (slots_in_use(&crowd->slots, slot))
        memcpy(words, (const char *)crowd->fields[field] + slot * slotBytes, slotBytes);
      else
        memset(words, 0, slotBytes);
      words += crowd_words(crowd, field);
    }
  }
  snapshot_seal(bytes, size, SNAPSHOT_CROWD);
  return COPSE_OK;
}

/* True if all of `count` words are finite floats, as the positions, velocities and preferred
 * velocities of a snapshot must be. */
static bool vectors_ok(const uint32_t *words, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    float value;
    memcpy(&value, words + i, sizeof value);
    if (!is_coordinate(value)) return false;
  }
  return true;
}

/* True if a snapshot has zeros in all fields of free slots. In the snapshot, the arrays of fields
 * come right after `generations`, which has `end` entries. */
static bool free_ok(const copse_crowd *crowd, const uint32_t *generations, uint32_t end) {
  for (uint32_t slot = 0; slot < end; slot++) {
    const uint32_t *words = generations + end;
    for (int field = 0; field < FIELDS && !(generations[slot] & 1); field++) {
      const uint32_t slotWords = crowd_words(crowd, field);
      for (uint32_t i = 0; i < slotWords; i++)
        if (words[(size_t)slot * slotWords + i]) return false;
      words += (size_t)end * slotWords;
    }
  }
  return true;
}

copse_status copse_crowd_restore(copse_crowd *crowd, const void *bytes, size_t size,
                                 uint32_t *needed) {
  crowd_snapshot head;
  const copse_status status = snapshot_open(bytes, size, SNAPSHOT_CROWD, &head, sizeof head);
  if (status != COPSE_OK) return status;
  if (head.dimensions != crowd->def.dimensions || head.maxNeighbors != crowd->def.maxNeighbors ||
      head.exact != crowd->def.exact || size != sizeof head + 4 * words_of(crowd) * head.slots ||
      !(head.time >= 0 && head.time < (double)INFINITY))
    return COPSE_BAD_SNAPSHOT;
  if (needed) *needed = head.slots;
  if (head.slots > crowd->def.capacity) return COPSE_FULL;
  const uint32_t *words = (const uint32_t *)((const char *)bytes + sizeof head);
  if (!vectors_ok(words + head.slots, (uint64_t)FIELD_GOAL * head.dimensions * head.slots) ||
      !free_ok(crowd, words, head.slots))
    return COPSE_BAD_SNAPSHOT;
  memset(crowd->slots.generations, 0, crowd->def.capacity * sizeof *words);
  memcpy(crowd->slots.generations, words, head.slots * sizeof *words);
  words += head.slots;
  for (int field = 0; field < FIELDS; field++) {
    const size_t fieldWords = (size_t)head.slots * crowd_words(crowd, field);
    memcpy(crowd->fields[field], words, fieldWords * sizeof *words);
    words += fieldWords;
  }
  slots_recount(&crowd->slots);
  crowd->time = head.time + 0.0; /* -0 becomes 0 */
  crowd->steps = head.steps;
  crowd->outcome.infeasible = crowd->outcome.overlaps = 0;
  crowd->outcome.arrived.count = crowd->outcome.stuck.count = 0;
  crowd->outcome.neighbors = 0;
  return COPSE_OK;
}
