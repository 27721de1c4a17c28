/* The k-d tree, by each builder: see fuzz.h. All builders must give the same tree. */

#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  input from = {bytes, size};
  const copse_agenttree_def def = fuzz_def(next_byte(&from));
  for (int builder = COPSE_BUILDER_QUICKSELECT; builder <= COPSE_BUILDER_PRESORT; builder++) {
    const kind like = {.noun = KDTREE, .builder = (copse_builder)builder};
    index at;
    must(index_create(&def, like, &at) == COPSE_OK, "create");
    fuzz(at, from, bytes, size);
  }
  return 0;
}
