/* Fuzzes the flow field: plays levels, and sweeps its paths against all walls: see flowfield.h. */

#include "../flowfield.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const char *wrong = play_flowfield(bytes, size);
  if (!wrong) return 0;
  fprintf(stderr, "wrong: %s\n", wrong);
  abort();
}
