/* Fuzzes the agent tree, with all options: see fuzz.h. */

#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  input in = {bytes, size};
  copse_agenttree_def def = fuzz_def(next_byte(&in));
  def.leafSize = 1 + next_byte(&in) % 16;
  fuzz(&def, (kind){.noun = AGENTTREE}, in, bytes, size);
  return 0;
}
