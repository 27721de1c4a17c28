/* Bytes as a source of numbers, for fuzzers and for tests that draw their bytes. */
#ifndef BYTES_H
#define BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct input {
  const uint8_t *bytes;
  size_t left;
} input;

static inline uint8_t next_byte(input *from) {
  return from->left ? (from->left--, *from->bytes++) : 0;
}

/* Returns a number of `count` bytes, the highest first. One statement a byte: compilers evaluate
 * the sides of a sum in any order, and every compiler is to play the same cases. */
static inline uint32_t next_bytes(input *from, int count) {
  uint32_t word = 0;
  for (int i = 0; i < count; i++) word = word << 8 | next_byte(from);
  return word;
}

/* One in four is a small integer, so that agents coincide and lie on borders. */
static inline float next_float(input *from) {
  float x;
  if (next_byte(from) % 4 == 0) return (float)((int)next_byte(from) % 16 - 8);
  uint8_t raw[4];
  for (int i = 0; i < 4; i++) raw[i] = next_byte(from);
  memcpy(&x, raw, sizeof x);
  return x;
}

static inline void next_point(input *from, float *point) {
  for (int axis = 0; axis < 3; axis++) point[axis] = next_float(from);
}

/* Mostly quarters of a small world, so that boxes meet each other and lines. */
static inline float next_side(input *from) {
  const uint8_t byte = next_byte(from);
  return byte % 8 == 0 ? next_float(from) : (float)((int)byte / 8 * 3 - 48 + byte % 8) / 4;
}

static inline void next_place(input *from, float *point) {
  for (int axis = 0; axis < 3; axis++) point[axis] = next_side(from);
}

#endif
