/* What the fuzzers of indexes share: bytes become options, agents over some frames, and queries;
 * every answer must be brute force's, and the index valid. The positions are raw floats, so that
 * NaN, infinities and denormals come. */
#ifndef FUZZ_H
#define FUZZ_H

#include "bytes.h"
#include "compare.h"

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
  def.capacity = FUZZ_CAPACITY;
  return def;
}

/* Plays what is left of the bytes in an index of FUZZ_CAPACITY, and destroys it. */
static inline void fuzz(index at, input from, const uint8_t *bytes, size_t size) {
  const uint32_t dimensions = index_dimensions(at);
  while (from.left) {
    uint32_t count = next_byte(&from) % (FUZZ_CAPACITY + 1);
    index_set_count(at, count);
    copse_positions positions = index_positions(at);
    uint32_t *groups = index_groups(at);
    for (uint32_t id = 0; id < count && from.left; id++) {
      groups[id] = next_byte(&from) % 5;
      for (uint32_t axis = 0; axis < dimensions; axis++)
        positions.axes[axis][id * positions.stride] = next_float(&from);
    }
    if (index_build(at, NULL) != COPSE_OK) continue;
    must(index_validate(at), "validate");

    copse_brute brute = {positions, groups, count, dimensions};
    asked ask = {.query = copse_query_default()};
    next_point(&from, ask.center);
    next_point(&from, ask.direction);
    next_point(&from, ask.lo);
    next_point(&from, ask.hi);
    ask.radius = next_float(&from);
    ask.halfAngle = (float)next_byte(&from) / 64;
    ask.k = next_byte(&from) % 20;
    if (next_byte(&from) % 2) ask.query.mask = next_byte(&from) % 8;
    if (next_byte(&from) % 2) ask.query.exclude = next_byte(&from);
    if (next_byte(&from) % 2) ask.query.maxDistance = next_float(&from);
    const char *wrong = compare_queries(at, &brute, &ask);
    must(!wrong, wrong);

    uint32_t masks[FUZZ_CAPACITY];
    float radii[FUZZ_CAPACITY];
    bool valid = ask.radius >= 0 && ask.query.maxDistance >= 0;
    for (uint32_t id = 0; id < count; id++) {
      masks[id] = next_byte(&from) % 8;
      radii[id] = (float)next_byte(&from) / 16;
    }
    if (valid) wrong = compare_batches(at, &brute, &ask, NULL, NULL);
    must(!wrong, wrong);
    if (valid) wrong = compare_batches(at, &brute, &ask, masks, radii);
    must(!wrong, wrong);
    if (ask.radius >= 0) wrong = compare_rays(at, &brute, &ask, NULL);
    must(!wrong, wrong);
    if (ask.radius >= 0) wrong = compare_rays(at, &brute, &ask, radii);
    must(!wrong, wrong);
  }

  /* The same bytes as an untrusted snapshot, and a true one damaged in one place. */
  uint32_t words[2048];
  size_t total;
  memcpy(words, bytes, size < sizeof words ? size : sizeof words);
  index_restore(at, words, size < sizeof words ? size / 4 * 4 : sizeof words);
  if (index_save(at, words, sizeof words, &total, NULL) == COPSE_OK && total) {
    must(index_restore(at, words, total) == COPSE_OK, "restore of a save");
    if (size >= 2) ((uint8_t *)words)[(bytes[0] * 256u + bytes[1]) % total] ^= 1u << bytes[0] % 8;
    copse_status status = index_restore(at, words, total);
    must(status == (size >= 2 ? COPSE_BAD_SNAPSHOT : COPSE_OK), "restore of a damaged save");
    must(index_validate(at), "validate after restore");
  }
  index_destroy(at);
}

#endif
