/* Fuzzes the obstacle tree, and compares it with a plain list: see walls.h. */

#include "../walls.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const char *wrong = play_walls(bytes, size);
  if (!wrong) return 0;
  fprintf(stderr, "wrong: %s\n", wrong);
  abort();
}
