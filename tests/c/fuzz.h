/* What the fuzzers of indexes share: bytes become options, agents over some frames, and queries;
 * every answer must be brute force's, and the index valid. Some positions are raw floats, so that
 * NaN, infinities and denormals come. */
#ifndef FUZZ_H
#define FUZZ_H

#include "../../c/base/snapshot.h"
#include "bytes.h"
#include "compare.h"
#include "ledger.h"

#include <stdio.h>

enum { FUZZ_CAPACITY = 128 };

static inline void must(bool condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "wrong: %s\n", what);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* One byte holds the options, those that only a tree has among them. */
static inline copse_agenttree_def fuzz_def(uint8_t options) {
  copse_agenttree_def def = copse_agenttree_default();
  def.dimensions = options & 1 ? 3 : 2;
  def.axis = options & 2 ? COPSE_AXIS_CYCLE : COPSE_AXIS_LONGEST;
  def.split = options & 4 ? COPSE_SPLIT_MEDIAN : COPSE_SPLIT_MIDPOINT;
  def.layout = options & 8 ? COPSE_LAYOUT_SEPARATE : COPSE_LAYOUT_INTERLEAVED;
  def.onNonFinite = options & 16 ? COPSE_NON_FINITE_SKIP : COPSE_NON_FINITE_ERROR;
  def.capacity = FUZZ_CAPACITY / 2; /* reserve makes it whole */
  return def;
}

/* Draws a question about the last build, agents of `brute`, and asks it in every way. */
static inline void fuzz_ask(copse_points *at, const brute_points *brute, input *from) {
  uint32_t masks[FUZZ_CAPACITY];
  float radii[FUZZ_CAPACITY];
  asked ask = {.query = copse_query_default()};
  next_place(from, ask.center);
  next_place(from, ask.direction);
  next_place(from, ask.lo);
  next_place(from, ask.hi);
  ask.radius = next_side(from);
  ask.halfAngle = (float)next_byte(from) / 64;
  ask.k = next_byte(from) % 20;
  if (next_byte(from) % 2) ask.query.mask = next_byte(from) % 8;
  if (next_byte(from) % 2) ask.query.exclude = next_byte(from);
  if (next_byte(from) % 2) ask.query.maxDistance = next_side(from);
  for (uint32_t id = 0; id < brute->count; id++) {
    masks[id] = next_byte(from) % 8;
    radii[id] = (float)next_byte(from) / 16;
  }
  const char *wrong = compare_queries(at, brute, &ask);
  must(!wrong, wrong);
  if (!(ask.radius >= 0)) return;
  for (int own = 0; own < 2 && !wrong; own++)
    wrong = compare_rays(at, brute, &ask, own ? radii : NULL);
  must(!wrong, wrong);
  if (!(ask.query.maxDistance >= 0)) return;
  for (int own = 0; own < 2 && !wrong; own++)
    wrong = compare_batches(at, brute, &ask, own ? masks : NULL, own ? radii : NULL);
  if (!wrong) wrong = compare_many(at, brute, &ask);
  must(!wrong, wrong);
}

/* What the last build can be told by: the order of its agents, and its cells. */
static inline uint32_t fuzz_build_hash(copse_points *at) {
  enum { ROOM = 4096 };
  static uint32_t words[ROOM];
  static float cells[ROOM];
  uint32_t hash;
  const uint32_t *order = copse_points_order(at, &hash);
  const size_t floats = copse_points_cells(at, 0, cells, ROOM);
  for (uint32_t i = hash; i > 0; i--) hash = hash_word(hash, order[i - 1]);
  memcpy(words, cells, sizeof cells);
  for (size_t i = 0; i < floats && i < ROOM; i++) hash = hash_word(hash, words[i]);
  return hash;
}

/* Plays what is left of the bytes in an copse_points *made of def, and destroys it; answers with a
 * hash of all builds. */
static inline uint32_t fuzz(const copse_agenttree_def *asked, kind like, input from,
                            const uint8_t *bytes, size_t size) {
  static float own[3][FUZZ_CAPACITY];
  static uint32_t ownGroups[FUZZ_CAPACITY];
  copse_agenttree_def def = *asked;
  ledger book = {-1, 0};
  copse_points *at;
  uint32_t hash = 0;
  def.allocator = ledger_allocator(&book);
  must(create_points(&def, like, &at) == COPSE_OK, "create");
  must(book.bytesHeld == bytes_of_points(&def, like), "bytes");
  while (from.left) {
    const uint32_t count = next_byte(&from) % (FUZZ_CAPACITY + 1);
    const uint8_t ways = next_byte(&from);
    if (count > copse_points_capacity(at)) {
      must(copse_points_set_slots(at, count) == COPSE_FULL, "a count above the capacity");
      book.callsLeft = ways % 4 ? -1 : 0;
      must(copse_points_reserve(at, FUZZ_CAPACITY) == (ways % 4 ? COPSE_OK : COPSE_OUT_OF_MEMORY),
           "reserve");
      book.callsLeft = -1;
      must(copse_points_validate(at), "validate after reserve");
      if (ways % 4 == 0) continue;
    }
    const bool isOwn = ways & 64; /* the caller's arrays, not the index's */
    must(copse_points_set_slots(at, isOwn ? 0 : count) == COPSE_OK, "count");
    copse_positions positions = copse_points_positions(at);
    if (isOwn) positions = (copse_positions){{own[0], own[1], own[2]}, 1};
    uint32_t *groups = isOwn ? ownGroups : copse_points_groups(at);
    for (uint32_t id = 0; id < count && from.left; id++) {
      groups[id] = next_byte(&from) % 5;
      for (uint32_t axis = 0; axis < def.dimensions; axis++)
        positions.axes[axis][id * positions.stride] = next_side(&from);
    }
    uint32_t removed = 0; /* before the build: then the slot has no group */
    for (uint32_t id = 0; id < count && !isOwn && ways % 16 == 5; id += 1 + next_byte(&from) % 8) {
      must(copse_points_remove(at, id) == COPSE_OK, "remove");
      groups[id] = removed++ % 2;
    }
    const copse_const_positions given = readable(positions);
    const copse_status built = isOwn ? copse_points_build_from(at, &given, groups, count, NULL)
                                     : copse_points_build(at, NULL);
    if (built != COPSE_OK) {
      must(built == COPSE_NOT_FINITE, "status of a build");
      continue;
    }
    must(copse_points_validate(at) && copse_points_count(at) == count - removed, "validate");
    hash = hash_word(hash, fuzz_build_hash(at));
    const brute_points brute = {given, groups, count, def.dimensions};
    fuzz_ask(at, &brute, &from);
  }

  /* The same bytes as an untrusted snapshot, and a true one damaged in one place. */
  uint32_t words[2048];
  size_t total;
  memcpy(words, bytes, size < sizeof words ? size : sizeof words);
  copse_points_restore(at, words, size < sizeof words ? size / 4 * 4 : sizeof words);
  if (copse_points_save(at, words, sizeof words, &total, NULL) == COPSE_OK && total) {
    must(copse_points_restore(at, words, total) == COPSE_OK, "restore of a save");
    if (size >= 2) ((uint8_t *)words)[(bytes[0] * 256u + bytes[1]) % total] ^= 1u << bytes[0] % 8;
    copse_status status = copse_points_restore(at, words, total);
    must(status == (size >= 2 ? COPSE_BAD_SNAPSHOT : COPSE_OK), "restore of a damaged save");
    must(copse_points_validate(at), "validate after restore");
  }
  copse_points_destroy(at);
  must(book.bytesHeld == 0, "memory is given back");
  return hash;
}

#endif
