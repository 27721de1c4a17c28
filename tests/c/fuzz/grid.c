/* Fuzzes the grid, with any float as cell size, and worlds that wrap around: see fuzz.h. */

#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  input in = {bytes, size};
  const uint8_t options = next_byte(&in);
  const copse_agenttree_def def = fuzz_def(options);
  kind like = {.noun = GRID, .cellSize = next_float(&in)};
  float wrap[6];
  bool valid = like.cellSize > 0 && like.cellSize < INFINITY;
  copse_points *index;
  if (options & 32) {
    like.wrap = wrap;
    for (uint32_t i = 0; i < 2 * def.dimensions; i++) {
      wrap[i] = next_side(&in);
      valid = valid && fabsf(wrap[i]) <= COPSE_MAX_COORDINATE;
      if (i >= def.dimensions) valid = valid && wrap[i - def.dimensions] < wrap[i];
    }
  }
  if (valid)
    fuzz(&def, like, in, bytes, size);
  else
    must(create_points(&def, like, &index) == COPSE_INVALID_ARGUMENT, "an invalid option");
  return 0;
}
