/* The agent tree, with any options: see fuzz.h. */

#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  input from = {bytes, size};
  copse_agenttree_def def = fuzz_def(next_byte(&from));
  def.leafSize = 1 + next_byte(&from) % 16;
  fuzz(&def, (kind){.noun = AGENTTREE}, from, bytes, size);
  return 0;
}
