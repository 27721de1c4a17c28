/* Fuzzes the grid, with any float as cell size: see fuzz.h. */

#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  input in = {bytes, size};
  const copse_agenttree_def def = fuzz_def(next_byte(&in));
  const kind like = {.noun = GRID, .cellSize = next_float(&in)};
  copse_points *index;
  if (like.cellSize > 0 && like.cellSize < INFINITY)
    fuzz(&def, like, in, bytes, size);
  else
    must(create_points(&def, like, &index) == COPSE_INVALID_ARGUMENT, "an invalid cell size");
  return 0;
}
