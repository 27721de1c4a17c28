/* Reads numbers from bytes, for fuzzers and for tests that draw random bytes. Past the end every
 * byte is 0. */
#ifndef BYTES_H
#define BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct input {
  const uint8_t *bytes;
  size_t left;
} input;

static inline uint8_t next_byte(input *in) { return in->left ? (in->left--, *in->bytes++) : 0; }

/* Returns a number of `count` bytes, the highest first. One statement per byte, because compilers
 * may evaluate the sides of a sum in any order, and all of them must play the same cases. */
static inline uint32_t next_bytes(input *in, int count) {
  uint32_t word = 0;
  for (int i = 0; i < count; i++) word = word << 8 | next_byte(in);
  return word;
}

/* Returns any float; one in four is a small integer, so that agents coincide and lie on borders. */
static inline float next_float(input *in) {
  float x;
  if (next_byte(in) % 4 == 0) return (float)((int)next_byte(in) % 16 - 8);
  uint8_t raw[4];
  for (int i = 0; i < 4; i++) raw[i] = next_byte(in);
  memcpy(&x, raw, sizeof x);
  return x;
}

static inline void next_point(input *in, float *point) {
  for (int axis = 0; axis < 3; axis++) point[axis] = next_float(in);
}

/* Returns mostly multiples of 1/4 in a small world, so that boxes touch each other and dividing
 * lines. */
static inline float next_side(input *in) {
  const uint8_t byte = next_byte(in);
  return byte % 8 == 0 ? next_float(in) : (float)((int)byte / 8 * 3 - 48 + byte % 8) / 4;
}

static inline void next_place(input *in, float *point) {
  for (int axis = 0; axis < 3; axis++) point[axis] = next_side(in);
}

#endif
