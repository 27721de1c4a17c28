/* What the native programs share. They read a work, a file of positions (float32), numbers and a
 * file of points for queries from the command line, do that work once, and print what they found
 * as a line of JSON. Then, for each line of input, they do the work for a turn, frame after frame,
 * as the benchmark in JavaScript does, and print the times in milliseconds. C and C++. */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The least runs and milliseconds of a turn: see measure.js. */
enum { TURN_RUNS = 3, TURN_MS = 3 };

typedef struct bench {
  const char *work;
  uint32_t dimensions, n, k;
  float radius, maxDistance; /* maxDistance: of neighbors */
  float *base, *positions, *steps;
  size_t baseFloats;
  float *points; /* coordinates of points for queries */
  size_t pointFloats;
  int still; /* agents don't move between runs */
} bench;

static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static inline void *allocate(size_t bytes) {
  void *memory = malloc(bytes ? bytes : 1);
  if (!memory) exit(2);
  return memory;
}

static inline float *read_floats(const char *path, size_t *floats) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) exit(2);
  *floats = (size_t)ftell(file) / sizeof(float);
  rewind(file);
  float *numbers = (float *)allocate(*floats * sizeof(float));
  if (fread(numbers, sizeof(float), *floats, file) != *floats) exit(2);
  fclose(file);
  return numbers;
}

/* Reads the arguments: work file dimensions radius k maxDistance points. */
static inline bench bench_read(int argc, char **argv) {
  bench b;
  memset(&b, 0, sizeof b);
  if (argc != 8) {
    fprintf(stderr, "usage: work file dimensions radius k maxDistance points\n");
    exit(2);
  }
  b.work = argv[1];
  b.dimensions = (uint32_t)atoi(argv[3]);
  b.radius = (float)atof(argv[4]);
  b.k = (uint32_t)atoi(argv[5]);
  b.maxDistance = (float)atof(argv[6]);

  size_t floats;
  b.base = read_floats(argv[2], &floats);
  b.points = read_floats(argv[7], &b.pointFloats);
  b.baseFloats = floats;
  b.n = (uint32_t)(floats / b.dimensions);
  b.positions = (float *)allocate(floats * sizeof(float));
  b.steps = (float *)allocate(floats * sizeof(float));
  for (size_t i = 0; i < floats; i++) {
    const uint32_t h = ((uint32_t)i + 1) * 0x9e3779b1u >> 16;
    b.steps[i] = (float)((int32_t)(h % 9) - 4) / 64;
  }
  return b;
}

/* Moves the agents to where they are in a frame: see createAgents in workloads.js. */
static inline void bench_place(const bench *b, uint32_t frame) {
  const uint32_t phase = frame & 31;
  const float walked = (float)(phase < 16 ? phase : 32 - phase);
  for (size_t i = 0; i < (size_t)b->n * b->dimensions; i++)
    b->positions[i] = b->base[i] + b->steps[i] * walked;
}

/* Returns the hash of a number in a row, for a sum: see web/peers/loops.js. */
static inline uint32_t bench_mix(uint32_t row, uint32_t number) {
  uint32_t h = (row + 1) * 0x9e3779b1u ^ (number + 1) * 0x85ebca6bu;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  return h ^ h >> 12;
}

/* Returns the hash of the squared distance at a rank of a row. */
static inline uint32_t bench_mix_distance(uint32_t row, float distance2, uint32_t rank) {
  return bench_mix(row, (uint32_t)(distance2 * 4096) * 16 + rank);
}

/* For each line of input, runs `prepare` (may be NULL; not timed) and `run` for a turn, and prints
 * the times of the runs. Returns at the end of input. */
static inline void bench_take_turns(const bench *b, void (*prepare)(void), void (*run)(void)) {
  uint32_t frame = 0;
  fflush(stdout);
  for (int c; (c = getchar()) != EOF;) {
    if (c != '\n') continue;
    double spent = 0;
    printf("[");
    for (uint32_t runs = 0; runs < TURN_RUNS || spent < TURN_MS; runs++) {
      if (!b->still) bench_place(b, frame++);
      if (prepare) prepare();
      const double start = now();
      run();
      const double time = now() - start;
      spent += time;
      printf("%s%.6f", runs ? ", " : "", time);
    }
    printf("]\n");
    fflush(stdout);
  }
}

#endif
