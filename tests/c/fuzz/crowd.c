/* The crowd under arbitrary calls, parameters and bits of floats: see crowd.h. */

#include "../crowd.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const char *wrong = play_crowd(bytes, size);
  if (!wrong) return 0;
  fprintf(stderr, "wrong: %s\n", wrong);
  abort();
}
