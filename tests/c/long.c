/* The crowd, drawn: `long SEED CASES` plays that many sequences of calls (crowd.h), and solves as
 * many programs (program.h). A sequence that fails is cut as short as it can be. */

#include "crowd.h"
#include "program.h"

#include <stdio.h>
#include <time.h>

enum { SEQUENCE_BYTES = 1500 };

/* Leaves out what the failure does not need: halves, quarters, … single bytes. */
static size_t shrink(uint8_t *bytes, size_t size) {
  static uint8_t shorter[SEQUENCE_BYTES];
  for (size_t part = size / 2; part > 0; part /= 2)
    for (size_t at = 0; at + part <= size;) {
      memcpy(shorter, bytes, at);
      memcpy(shorter + at, bytes + at + part, size - at - part);
      if (play_crowd(shorter, size - part)) {
        size -= part;
        memcpy(bytes, shorter, size);
      } else
        at += part;
    }
  return size;
}

static bool sequence_holds(uint32_t state) {
  static uint8_t bytes[SEQUENCE_BYTES];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(random_word(&state) >> 8);
  const char *wrong = play_crowd(bytes, sizeof bytes);
  if (!wrong) return true;
  const size_t size = shrink(bytes, sizeof bytes);
  printf("sequence: %s; by these bytes, too:", wrong);
  for (size_t i = 0; i < size; i++) printf(" %02x", bytes[i]);
  printf("\n");
  return false;
}

static bool program_holds(uint32_t state, int number) {
  const int dimensions = 2 + number % 2;
  const char *wrong = compare_program(&state, dimensions, number / 2 % PROGRAM_SLANTS);
  if (wrong) printf("program in %dD: %s\n", dimensions, wrong);
  return !wrong;
}

int main(int count, char **words) {
  if (count != 3) return 2;
  uint32_t seeds = (uint32_t)strtoul(words[1], NULL, 10);
  const int cases = atoi(words[2]);
  for (int number = 0; number < cases; number++) {
    const uint32_t seed = random_word(&seeds);
    if (sequence_holds(seed) && program_holds(seed, number)) continue;
    printf("case %d of %d, from seed %s\n", number, cases, words[1]);
    return 1;
  }
  const double seconds = (double)clock() / CLOCKS_PER_SEC;
  printf("%d drawn cases held, from seed %s, in %.1f s\n", cases, words[1], seconds);
  return cases > 0 ? 0 : 1;
}
