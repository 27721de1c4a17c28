/* Fuzzes the k-d tree, with each builder: see fuzz.h. All builders must build the same tree. */

#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  input in = {bytes, size};
  const copse_agenttree_def def = fuzz_def(next_byte(&in));
  uint32_t first = 0;
  for (int builder = COPSE_BUILDER_QUICKSELECT; builder <= COPSE_BUILDER_PRESORT; builder++) {
    const kind like = {.noun = KDTREE, .builder = (copse_builder)builder};
    const uint32_t hash = fuzz(&def, like, in, bytes, size);
    if (builder == COPSE_BUILDER_QUICKSELECT) first = hash;
    must(hash == first, "builders build different trees");
  }
  return 0;
}
