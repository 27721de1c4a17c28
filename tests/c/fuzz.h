/* Bytes become options, agents over some frames, and queries; every answer must be brute force's,
 * and the tree valid. The positions are raw floats, so that NaN, infinities and denormals come. */

#include "../compare.h"

#include <stdio.h>

typedef struct input {
  const uint8_t *bytes;
  size_t left;
} input;

static uint8_t next_byte(input *from) { return from->left ? (from->left--, *from->bytes++) : 0; }

/* One in four is a small integer, so that agents coincide and lie on borders. */
static float next_float(input *from) {
  float x;
  if (next_byte(from) % 4 == 0) return (float)((int)next_byte(from) % 16 - 8);
  uint8_t raw[4];
  for (int i = 0; i < 4; i++) raw[i] = next_byte(from);
  memcpy(&x, raw, sizeof x);
  return x;
}

static void next_point(input *from, float *point) {
  for (int axis = 0; axis < 3; axis++) point[axis] = next_float(from);
}

static void must(bool condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "wrong: %s\n", what);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  input from = {bytes, size};
  uint8_t options = next_byte(&from);
  copse_agenttree_def def = copse_agenttree_default();
  def.dimensions = options & 1 ? 3 : 2;
  def.axis = options & 2 ? COPSE_AXIS_CYCLE : COPSE_AXIS_LONGEST;
  def.split = options & 4 ? COPSE_SPLIT_MEDIAN : COPSE_SPLIT_MIDPOINT;
  def.layout = options & 8 ? COPSE_LAYOUT_SEPARATE : COPSE_LAYOUT_INTERLEAVED;
  def.onNonFinite = options & 16 ? COPSE_NON_FINITE_SKIP : COPSE_NON_FINITE_ERROR;
  def.leafSize = 1 + next_byte(&from) % 16;
  def.capacity = 128;
  copse_agenttree *tree;
  must(copse_agenttree_create(&def, &tree) == COPSE_OK, "create");

  while (from.left) {
    uint32_t count = next_byte(&from) % (def.capacity + 1);
    copse_agenttree_set_count(tree, count);
    copse_positions positions = copse_agenttree_positions(tree);
    uint32_t *groups = copse_agenttree_groups(tree);
    for (uint32_t id = 0; id < count && from.left; id++) {
      groups[id] = next_byte(&from) % 5;
      for (uint32_t axis = 0; axis < def.dimensions; axis++)
        positions.axes[axis][id * positions.stride] = next_float(&from);
    }
    if (copse_agenttree_build(tree, NULL) != COPSE_OK) continue;
    must(copse_agenttree_validate(tree), "validate");

    copse_brute brute = {positions, groups, count, def.dimensions};
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
    const char *wrong = compare_queries(tree, &brute, &ask);
    must(!wrong, wrong);

    uint32_t masks[128];
    float radii[128];
    bool valid = ask.radius >= 0 && ask.query.maxDistance >= 0;
    for (uint32_t id = 0; id < count; id++) {
      masks[id] = next_byte(&from) % 8;
      radii[id] = (float)next_byte(&from) / 16;
    }
    if (valid) wrong = compare_batches(tree, &brute, &ask, NULL, NULL);
    must(!wrong, wrong);
    if (valid) wrong = compare_batches(tree, &brute, &ask, masks, radii);
    must(!wrong, wrong);
  }

  /* The same bytes as an untrusted snapshot, and a true one damaged in one place. */
  uint32_t words[2048];
  size_t total;
  memcpy(words, bytes, size < sizeof words ? size : sizeof words);
  copse_agenttree_restore(tree, words, size < sizeof words ? size / 4 * 4 : sizeof words);
  if (copse_agenttree_save(tree, words, sizeof words, &total, NULL) == COPSE_OK && total) {
    must(copse_agenttree_restore(tree, words, total) == COPSE_OK, "restore of a save");
    if (size >= 2) ((uint8_t *)words)[(bytes[0] * 256u + bytes[1]) % total] ^= 1u << bytes[0] % 8;
    copse_status status = copse_agenttree_restore(tree, words, total);
    must(status == (size >= 2 ? COPSE_BAD_SNAPSHOT : COPSE_OK), "restore of a damaged save");
    must(copse_agenttree_validate(tree), "validate after restore");
  }
  copse_agenttree_destroy(tree);
  return 0;
}
