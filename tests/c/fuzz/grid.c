/* The grid, with cells of any size that a float can have: see fuzz.h. */

#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  input from = {bytes, size};
  const copse_agenttree_def def = fuzz_def(next_byte(&from));
  const float cellSize = next_float(&from);
  const bool valid = cellSize > 0 && cellSize < INFINITY;
  index at;
  const kind like = {.noun = GRID, .cellSize = cellSize};
  must(index_create(&def, like, &at) == (valid ? COPSE_OK : COPSE_INVALID_ARGUMENT), "create");
  if (valid) fuzz(at, from, bytes, size);
  return 0;
}
