/* Fuzzes sensors over an index of each kind, and compares them with sets: see sensors.h. */

#include "../sensors.h"
#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  input in = {bytes, size};
  const uint8_t which = next_byte(&in);
  const kind like = {.noun = which % 3,
                     .cellSize = which & 4 ? 0.01f : 2,
                     .builder = (copse_builder)(which / 8 % 3),
                     .wrap = which % 3 == GRID && which & 64 ? SENSED_WORLD : NULL};
  const char *wrong = play_sensors(like, in);
  must(!wrong, wrong);
  return 0;
}
