/* The agent tree, with any options: see fuzz.h. */

#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  input from = {bytes, size};
  copse_agenttree_def def = fuzz_def(next_byte(&from));
  def.leafSize = 1 + next_byte(&from) % 16;
  index at;
  must(index_create(&def, (kind){.noun = AGENTTREE}, &at) == COPSE_OK, "create");
  fuzz(at, from, bytes, size);
  return 0;
}
