/* The grid, with cells of any size that a float can have: see fuzz.h. */

#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  input from = {bytes, size};
  const copse_agenttree_def def = fuzz_def(next_byte(&from));
  const kind like = {.noun = GRID, .cellSize = next_float(&from)};
  copse_points *at;
  if (like.cellSize > 0 && like.cellSize < INFINITY)
    fuzz(&def, like, from, bytes, size);
  else
    must(create_points(&def, like, &at) == COPSE_INVALID_ARGUMENT, "a size that is none");
  return 0;
}
