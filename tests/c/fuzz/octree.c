/* Fuzzes the quadtree and the octree, and compares them with a plain list: see boxes.h. */

#include "../boxes.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const char *wrong = play_boxes(bytes, size);
  if (!wrong) return 0;
  fprintf(stderr, "wrong: %s\n", wrong);
  abort();
}
