/* The fuzz target that all indexes share. The bytes become options, then agents and queries for
 * some frames. Every result must equal that of brute force, and the index must be valid. Some
 * positions are raw floats, which may be NaN, infinite or denormal. */
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

/* Returns the definition that one byte encodes, including the options that only a tree has. */
static inline copse_agenttree_def fuzz_def(uint8_t options) {
  copse_agenttree_def def = copse_agenttree_default();
  def.dimensions = options & 1 ? 3 : 2;
  def.axis = options & 2 ? COPSE_AXIS_CYCLE : COPSE_AXIS_LONGEST;
  def.split = options & 4 ? COPSE_SPLIT_MEDIAN : COPSE_SPLIT_MIDPOINT;
  def.layout = options & 8 ? COPSE_LAYOUT_SEPARATE : COPSE_LAYOUT_INTERLEAVED;
  def.onNonFinite = options & 16 ? COPSE_NON_FINITE_SKIP : COPSE_NON_FINITE_ERROR;
  def.capacity = FUZZ_CAPACITY / 2; /* reserve doubles it */
  return def;
}

/* Draws the arguments of a query, and compares all kinds of queries of the last build, whose agents
 * are those of `brute`. */
static inline void fuzz_ask(copse_points *index, const brute_points *brute, input *in) {
  uint32_t masks[FUZZ_CAPACITY];
  float radii[FUZZ_CAPACITY];
  point_question question = {.query = copse_query_default()};
  next_place(in, question.center);
  next_place(in, question.direction);
  next_place(in, question.lo);
  next_place(in, question.hi);
  question.radius = next_side(in);
  question.halfAngle = (float)next_byte(in) / 64;
  question.k = next_byte(in) % 20;
  if (next_byte(in) % 2) question.query.mask = next_byte(in) % 8;
  if (next_byte(in) % 2) question.query.exclude = next_byte(in);
  if (question.query.mask % 3 == 0) question.query.inflate = question.radius / 2;
  if (next_byte(in) % 2) question.query.maxDistance = next_side(in);
  for (uint32_t id = 0; id < brute->count; id++) {
    masks[id] = next_byte(in) % 8;
    radii[id] = (float)next_byte(in) / 16;
  }
  const char *wrong = compare_queries(index, brute, &question);
  must(!wrong, wrong);
  if (!(question.radius >= 0)) return;
  for (int own = 0; own < 2 && !wrong; own++)
    wrong = compare_rays(index, brute, &question, own ? radii : NULL);
  must(!wrong, wrong);
  if (!(question.query.maxDistance >= 0)) return;
  for (int own = 0; own < 2 && !wrong; own++)
    wrong = compare_batches(index, brute, &question, own ? masks : NULL, own ? radii : NULL);
  if (!wrong) wrong = compare_many(index, brute, &question);
  must(!wrong, wrong);
}

/* Returns a hash of the last build: the order of its agents, and its cells. */
static inline uint32_t fuzz_build_hash(copse_points *index) {
  enum { ROOM = 4096 };
  static uint32_t words[ROOM];
  static float cells[ROOM];
  uint32_t hash;
  const uint32_t *order = copse_points_order(index, &hash);
  const size_t floats = copse_points_cells(index, 0, cells, ROOM);
  for (uint32_t i = hash; i > 0; i--) hash = hash_word(hash, order[i - 1]);
  memcpy(words, cells, sizeof cells);
  for (size_t i = 0; i < floats && i < ROOM; i++) hash = hash_word(hash, words[i]);
  return hash;
}

/* Creates an index, plays the rest of the bytes on it, and destroys it. Returns a hash of all
 * builds. */
static inline uint32_t fuzz(const copse_agenttree_def *options, kind like, input in,
                            const uint8_t *bytes, size_t size) {
  static float own[3][FUZZ_CAPACITY];
  static uint32_t ownGroups[FUZZ_CAPACITY], ownGenerations[FUZZ_CAPACITY];
  copse_agenttree_def def = *options;
  ledger book = {-1, 0};
  copse_points *index;
  uint32_t hash = 0;
  def.allocator = ledger_allocator(&book);
  must(create_points(&def, like, &index) == COPSE_OK, "create");
  must(book.bytesHeld == bytes_of_points(&def, like), "bytes");
  while (in.left) {
    const uint32_t count = next_byte(&in) % (FUZZ_CAPACITY + 1);
    const uint8_t ways = next_byte(&in);
    if (count > copse_points_capacity(index)) {
      must(copse_points_set_slots(index, count) == COPSE_FULL, "set_slots above the capacity");
      book.callsLeft = ways % 4 ? -1 : 0;
      must(copse_points_reserve(index, FUZZ_CAPACITY) ==
               (ways % 4 ? COPSE_OK : COPSE_OUT_OF_MEMORY),
           "reserve");
      book.callsLeft = -1;
      must(copse_points_validate(index), "validate after reserve");
      if (ways % 4 == 0) continue;
    }
    const bool isOwn = ways & 64; /* build from the caller's arrays */
    must(copse_points_set_slots(index, isOwn ? 0 : count) == COPSE_OK, "set_slots");
    copse_positions positions = copse_points_positions(index);
    if (isOwn) positions = (copse_positions){{own[0], own[1], own[2]}, 1};
    uint32_t *groups = isOwn ? ownGroups : copse_points_groups(index);
    for (uint32_t id = 0; id < count && in.left; id++) {
      groups[id] = next_byte(&in) % 5;
      for (uint32_t axis = 0; axis < def.dimensions; axis++)
        positions.axes[axis][id * positions.stride] = next_side(&in);
    }
    uint32_t removed = 0, *generations = ways & 32 ? ownGenerations : NULL;
    for (uint32_t id = 0; id < count && isOwn && generations; id++) {
      generations[id] = groups[id] ? 1 + 2 * next_byte(&in) : next_byte(&in);
      removed += !(generations[id] & 1);
    }
    /* a removed slot has no group, whatever is written there */
    for (uint32_t id = 0; id < count && !isOwn && ways % 16 == 5; id += 1 + next_byte(&in) % 8) {
      must(copse_points_remove(index, id) == COPSE_OK, "remove");
      groups[id] = removed++ % 2;
    }
    const copse_const_positions given = readable(positions);
    const copse_status built =
        isOwn ? copse_points_build_from(index, &given, groups, generations, count, NULL)
              : copse_points_build(index, NULL);
    if (built != COPSE_OK) {
      must(built == COPSE_NOT_FINITE, "build: status");
      continue;
    }
    must(copse_points_validate(index), "validate");
    must(copse_points_count(index) == count - removed, "count");
    hash = hash_word(hash, fuzz_build_hash(index));
    const brute_points brute = {given, groups, count, def.dimensions, like.wrap};
    fuzz_ask(index, &brute, &in);
  }

  /* Restores the same bytes as an untrusted snapshot, then a real one with one wrong bit. */
  uint32_t words[2048];
  size_t total;
  memcpy(words, bytes, size < sizeof words ? size : sizeof words);
  copse_points_restore(index, words, size < sizeof words ? size / 4 * 4 : sizeof words, NULL);
  if (copse_points_save(index, words, sizeof words, &total, NULL) == COPSE_OK && total) {
    must(copse_points_restore(index, words, total, NULL) == COPSE_OK, "restore");
    if (size >= 2) ((uint8_t *)words)[(bytes[0] * 256u + bytes[1]) % total] ^= 1u << bytes[0] % 8;
    copse_status status = copse_points_restore(index, words, total, NULL);
    must(status == (size >= 2 ? COPSE_BAD_SNAPSHOT : COPSE_OK), "restore of a damaged snapshot");
    must(copse_points_validate(index), "validate after restore");
  }
  copse_points_destroy(index);
  must(book.bytesHeld == 0, "memory is not given back");
  return hash;
}

#endif
