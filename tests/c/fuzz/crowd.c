/* Fuzzes the crowd, with arbitrary calls, parameters and bits of floats: see crowd.h. The bytes
 * also seed a random program, whose solution is compared with the oracle's: see program.h. */

#include "../crowd.h"
#include "../program.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  uint32_t state = (uint32_t)size;
  for (size_t i = 0; i < size && i < 8; i++) state = hash_word(state, bytes[i]);
  const char *wrong = play_crowd(bytes, size);
  if (!wrong) wrong = compare_program(&state, 2 + size % 2, (int)(size / 2 % PROGRAM_SLANTS));
  if (!wrong) return 0;
  fprintf(stderr, "wrong: %s\n", wrong);
  abort();
}
