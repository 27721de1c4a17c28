/* Plays a fuzz target without a fuzzer: `cases SEED CASES FILE…` runs every file, then CASES inputs
 * drawn from SEED. With files, every other input is a file with some bytes changed, the others are
 * random bytes. An input that fails is written to build/failed-input; to shorten it, run
 * `build/fuzz/TARGET -minimize_crash=1 build/failed-input`. */

#include "compare.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>

enum { MOST_BYTES = 4096, DRAWN_BYTES = 1500 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static uint8_t input[MOST_BYTES];
static size_t size;
static const char *origin = "";
static unsigned number;

static void keep_failed_input(int signal_number) {
  (void)signal_number;
  FILE *file = fopen("build/failed-input", "wb");
  if (file) {
    fwrite(input, 1, size, file);
    fclose(file);
  }
  fprintf(stderr, "failed: %s, case %u; the input is in build/failed-input\n", origin, number);
  _Exit(1);
}

static void read_input(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(2);
  }
  size = fread(input, 1, sizeof input, file);
  fclose(file);
}

static void draw_bytes(uint32_t *state) {
  size = random_word(state) % DRAWN_BYTES;
  for (size_t i = 0; i < size; i++) input[i] = (uint8_t)(random_word(state) >> 8);
}

static void change_bytes(uint32_t *state) {
  for (uint32_t changes = 1 + random_word(state) % 16; size && changes > 0; changes--)
    input[random_word(state) % size] = (uint8_t)(random_word(state) >> 8);
}

/* Runs the target on a copy of exactly that size, so that sanitizers catch reads past its end. */
static void play(void) {
  uint8_t *bytes = malloc(size ? size : 1);
  if (size) memcpy(bytes, input, size);
  LLVMFuzzerTestOneInput(bytes, size);
  free(bytes);
}

int main(int count, char **words) {
  if (count < 3) return 2;
  uint32_t state = (uint32_t)strtoul(words[1], NULL, 10);
  const unsigned cases = (unsigned)strtoul(words[2], NULL, 10);
  const uint32_t files = (uint32_t)count - 3;
  signal(SIGABRT, keep_failed_input);
  for (uint32_t i = 0; i < files; i++) {
    origin = words[3 + i];
    read_input(origin);
    play();
  }
  origin = "drawn";
  for (number = 0; number < cases; number++) {
    if (files && number % 2) {
      read_input(words[3 + random_word(&state) % files]);
      change_bytes(&state);
    } else
      draw_bytes(&state);
    play();
  }
  printf("%u drawn cases held, from seed %s and %u files, in %.1f s\n", cases, words[1], files,
         (double)clock() / CLOCKS_PER_SEC);
  return 0;
}
