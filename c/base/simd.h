/* SIMD vectors of four lanes: float4 holds floats, word4 holds 32-bit words. Operations on them
 * give the same results, bit for bit, in WebAssembly, with SSE, and in plain C, which COPSE_SCALAR
 * selects. All intrinsics and builtins of the library are here.
 *
 * float4_min and float4_max return their first argument if the second is NaN. A mask is a word4
 * whose lanes are all ones or all zeros. */
#ifndef COPSE_SIMD_H
#define COPSE_SIMD_H

#include "core.h"

#include <string.h>

/* ---- Bits ---- */

/* Returns the index (0 … 31) of the lowest bit that is set. At least one must be set. */
ALWAYS_INLINE uint32_t bits_lowest(uint32_t bits) {
#ifdef __GNUC__
  return (uint32_t)__builtin_ctz(bits);
#else
  uint32_t place = 0;
  for (; !(bits & 1); bits >>= 1) place++;
  return place;
#endif
}

/* Returns the index (0 … 31) of the highest bit that is set. At least one must be set. */
ALWAYS_INLINE uint32_t bits_highest(uint32_t bits) {
#ifdef __GNUC__
  return 31 - (uint32_t)__builtin_clz(bits);
#else
  uint32_t place = 0;
  while (bits >>= 1) place++;
  return place;
#endif
}

/* Returns how many bits are set. Only the lowest four may be set. */
ALWAYS_INLINE uint32_t bits_count(uint32_t bits) {
#if defined(__GNUC__) && defined(__wasm__)
  /* One instruction in WebAssembly. On other targets, it is often a function call. */
  return (uint32_t)__builtin_popcount(bits);
#else
  static const uint8_t counts[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return counts[bits];
#endif
}

/* Maps floats to integers in the same order: the integers of two floats compare as the floats do.
 * The exception is -0, whose integer is less than that of 0. */
ALWAYS_INLINE uint32_t ordered_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* The inverse of ordered_bits: returns the float that ordered_bits maps to `bits`. */
ALWAYS_INLINE float from_ordered_bits(uint32_t bits) {
  bits = bits & 0x80000000u ? bits & 0x7fffffffu : ~bits;
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

#if defined(__wasm_simd128__) && !defined(COPSE_SCALAR)
#include <wasm_simd128.h>

typedef v128_t float4;
typedef v128_t word4;

ALWAYS_INLINE float4 float4_load(const float *p) { return wasm_v128_load(p); }
ALWAYS_INLINE void float4_store(float *p, float4 a) { wasm_v128_store(p, a); }
ALWAYS_INLINE float4 float4_all(float a) { return wasm_f32x4_splat(a); }
ALWAYS_INLINE float4 float4_add(float4 a, float4 b) { return wasm_f32x4_add(a, b); }
ALWAYS_INLINE float4 float4_sub(float4 a, float4 b) { return wasm_f32x4_sub(a, b); }
ALWAYS_INLINE float4 float4_mul(float4 a, float4 b) { return wasm_f32x4_mul(a, b); }
ALWAYS_INLINE float4 float4_div(float4 a, float4 b) { return wasm_f32x4_div(a, b); }
ALWAYS_INLINE float4 float4_sqrt(float4 a) { return wasm_f32x4_sqrt(a); }
ALWAYS_INLINE float4 float4_min(float4 a, float4 b) { return wasm_f32x4_pmin(a, b); }
ALWAYS_INLINE float4 float4_max(float4 a, float4 b) { return wasm_f32x4_pmax(a, b); }
ALWAYS_INLINE word4 float4_le(float4 a, float4 b) { return wasm_f32x4_le(a, b); }
ALWAYS_INLINE word4 float4_lt(float4 a, float4 b) { return wasm_f32x4_lt(a, b); }

/* Returns the lanes a0, b0, a1, b1. */
ALWAYS_INLINE float4 float4_zip_low(float4 a, float4 b) {
  return wasm_i32x4_shuffle(a, b, 0, 4, 1, 5);
}
/* Returns the lanes a2, b2, a3, b3. */
ALWAYS_INLINE float4 float4_zip_high(float4 a, float4 b) {
  return wasm_i32x4_shuffle(a, b, 2, 6, 3, 7);
}
/* Returns the lanes a2, a3, a0, a1. */
ALWAYS_INLINE float4 float4_swap_halves(float4 a) { return wasm_i32x4_shuffle(a, a, 2, 3, 0, 1); }
/* Returns the lanes a1, a0, a3, a2. */
ALWAYS_INLINE float4 float4_swap_pairs(float4 a) { return wasm_i32x4_shuffle(a, a, 1, 0, 3, 2); }
/* Returns the lanes a0, a2, b0, b2. */
ALWAYS_INLINE float4 float4_evens(float4 a, float4 b) {
  return wasm_i32x4_shuffle(a, b, 0, 2, 4, 6);
}
/* Returns the lanes a1, a3, b1, b3. */
ALWAYS_INLINE float4 float4_odds(float4 a, float4 b) {
  return wasm_i32x4_shuffle(a, b, 1, 3, 5, 7);
}

ALWAYS_INLINE word4 word4_load(const uint32_t *p) { return wasm_v128_load(p); }
ALWAYS_INLINE void word4_store(uint32_t *p, word4 a) { wasm_v128_store(p, a); }
ALWAYS_INLINE word4 word4_all(uint32_t a) { return wasm_i32x4_splat((int32_t)a); }
ALWAYS_INLINE word4 word4_add(word4 a, word4 b) { return wasm_i32x4_add(a, b); }
ALWAYS_INLINE word4 word4_sub(word4 a, word4 b) { return wasm_i32x4_sub(a, b); }
ALWAYS_INLINE word4 word4_mul(word4 a, word4 b) { return wasm_i32x4_mul(a, b); }
ALWAYS_INLINE word4 word4_and(word4 a, word4 b) { return wasm_v128_and(a, b); }
ALWAYS_INLINE word4 word4_without(word4 a, word4 b) { return wasm_v128_andnot(a, b); }
ALWAYS_INLINE word4 word4_or(word4 a, word4 b) { return wasm_v128_or(a, b); }
ALWAYS_INLINE word4 word4_equal(word4 a, word4 b) { return wasm_i32x4_eq(a, b); }
/* Returns a mask of the lanes in which a > b, as signed numbers. */
ALWAYS_INLINE word4 word4_greater(word4 a, word4 b) { return wasm_i32x4_gt(a, b); }
/* Returns one bit per lane of a mask; the lowest bit is lane 0. */
ALWAYS_INLINE uint32_t word4_bits(word4 mask) { return (uint32_t)wasm_i32x4_bitmask(mask); }
/* Returns the lanes a0, a0 + a1, a0 + a1 + a2, a0 + a1 + a2 + a3. */
ALWAYS_INLINE word4 word4_sums(word4 a) {
  a = wasm_i32x4_add(a, wasm_i32x4_shuffle(wasm_i32x4_splat(0), a, 0, 4, 5, 6));
  return wasm_i32x4_add(a, wasm_i32x4_shuffle(wasm_i32x4_splat(0), a, 0, 1, 4, 5));
}
/* Returns a3 in every lane. */
ALWAYS_INLINE word4 word4_last(word4 a) { return wasm_i32x4_shuffle(a, a, 3, 3, 3, 3); }
ALWAYS_INLINE word4 float4_as_words(float4 a) { return a; }
ALWAYS_INLINE float4 word4_as_floats(word4 a) { return a; }

#elif defined(__SSE2__) && !defined(COPSE_SCALAR)
#include <emmintrin.h>
#ifdef __SSSE3__
#include <tmmintrin.h>
#endif

typedef __m128 float4;
typedef __m128i word4;

ALWAYS_INLINE float4 float4_load(const float *p) {
  WORKED(1);
  return _mm_loadu_ps(p);
}
ALWAYS_INLINE void float4_store(float *p, float4 a) { _mm_storeu_ps(p, a); }
ALWAYS_INLINE float4 float4_all(float a) { return _mm_set1_ps(a); }
ALWAYS_INLINE float4 float4_add(float4 a, float4 b) { return _mm_add_ps(a, b); }
ALWAYS_INLINE float4 float4_sub(float4 a, float4 b) { return _mm_sub_ps(a, b); }
ALWAYS_INLINE float4 float4_mul(float4 a, float4 b) { return _mm_mul_ps(a, b); }
ALWAYS_INLINE float4 float4_div(float4 a, float4 b) { return _mm_div_ps(a, b); }
ALWAYS_INLINE float4 float4_sqrt(float4 a) { return _mm_sqrt_ps(a); }
ALWAYS_INLINE float4 float4_min(float4 a, float4 b) { return _mm_min_ps(b, a); }
ALWAYS_INLINE float4 float4_max(float4 a, float4 b) { return _mm_max_ps(b, a); }
ALWAYS_INLINE word4 float4_le(float4 a, float4 b) { return _mm_castps_si128(_mm_cmple_ps(a, b)); }
ALWAYS_INLINE word4 float4_lt(float4 a, float4 b) { return _mm_castps_si128(_mm_cmplt_ps(a, b)); }

ALWAYS_INLINE float4 float4_zip_low(float4 a, float4 b) { return _mm_unpacklo_ps(a, b); }
ALWAYS_INLINE float4 float4_zip_high(float4 a, float4 b) { return _mm_unpackhi_ps(a, b); }
ALWAYS_INLINE float4 float4_swap_halves(float4 a) {
  return _mm_shuffle_ps(a, a, _MM_SHUFFLE(1, 0, 3, 2));
}
ALWAYS_INLINE float4 float4_swap_pairs(float4 a) {
  return _mm_shuffle_ps(a, a, _MM_SHUFFLE(2, 3, 0, 1));
}
ALWAYS_INLINE float4 float4_evens(float4 a, float4 b) {
  return _mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0));
}
ALWAYS_INLINE float4 float4_odds(float4 a, float4 b) {
  return _mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1));
}

ALWAYS_INLINE word4 word4_load(const uint32_t *p) {
  WORKED(1);
  return _mm_loadu_si128((const __m128i *)p);
}
ALWAYS_INLINE void word4_store(uint32_t *p, word4 a) { _mm_storeu_si128((__m128i *)p, a); }
ALWAYS_INLINE word4 word4_all(uint32_t a) { return _mm_set1_epi32((int)a); }
ALWAYS_INLINE word4 word4_add(word4 a, word4 b) { return _mm_add_epi32(a, b); }
ALWAYS_INLINE word4 word4_sub(word4 a, word4 b) { return _mm_sub_epi32(a, b); }
ALWAYS_INLINE word4 word4_mul(word4 a, word4 b) {
  const __m128i even = _mm_mul_epu32(a, b);
  const __m128i odd = _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32));
  return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, _MM_SHUFFLE(0, 0, 2, 0)),
                            _mm_shuffle_epi32(odd, _MM_SHUFFLE(0, 0, 2, 0)));
}
ALWAYS_INLINE word4 word4_and(word4 a, word4 b) { return _mm_and_si128(a, b); }
ALWAYS_INLINE word4 word4_without(word4 a, word4 b) { return _mm_andnot_si128(b, a); }
ALWAYS_INLINE word4 word4_or(word4 a, word4 b) { return _mm_or_si128(a, b); }
ALWAYS_INLINE word4 word4_equal(word4 a, word4 b) { return _mm_cmpeq_epi32(a, b); }
ALWAYS_INLINE word4 word4_greater(word4 a, word4 b) { return _mm_cmpgt_epi32(a, b); }
ALWAYS_INLINE uint32_t word4_bits(word4 mask) {
  return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(mask));
}
ALWAYS_INLINE word4 word4_sums(word4 a) {
  a = _mm_add_epi32(a, _mm_slli_si128(a, 4));
  return _mm_add_epi32(a, _mm_slli_si128(a, 8));
}
ALWAYS_INLINE word4 word4_last(word4 a) { return _mm_shuffle_epi32(a, _MM_SHUFFLE(3, 3, 3, 3)); }
ALWAYS_INLINE word4 float4_as_words(float4 a) { return _mm_castps_si128(a); }
ALWAYS_INLINE float4 word4_as_floats(word4 a) { return _mm_castsi128_ps(a); }

#else
#include <math.h>

typedef struct float4 {
  float lane[4];
} float4;
typedef struct word4 {
  uint32_t lane[4];
} word4;

#define EACH_LANE(type, expression)                                                                \
  type result;                                                                                     \
  UNROLL for (int i = 0; i < 4; i++) result.lane[i] = (expression);                                \
  return result

ALWAYS_INLINE float4 float4_load(const float *p) {
  WORKED(1);
  EACH_LANE(float4, p[i]);
}
ALWAYS_INLINE void float4_store(float *p, float4 a) { memcpy(p, a.lane, sizeof a); }
ALWAYS_INLINE float4 float4_all(float a) { EACH_LANE(float4, a); }
ALWAYS_INLINE float4 float4_add(float4 a, float4 b) { EACH_LANE(float4, a.lane[i] + b.lane[i]); }
ALWAYS_INLINE float4 float4_sub(float4 a, float4 b) { EACH_LANE(float4, a.lane[i] - b.lane[i]); }
ALWAYS_INLINE float4 float4_mul(float4 a, float4 b) { EACH_LANE(float4, a.lane[i] * b.lane[i]); }
ALWAYS_INLINE float4 float4_div(float4 a, float4 b) { EACH_LANE(float4, a.lane[i] / b.lane[i]); }
ALWAYS_INLINE float4 float4_sqrt(float4 a) { EACH_LANE(float4, sqrtf(a.lane[i])); }
ALWAYS_INLINE float4 float4_min(float4 a, float4 b) {
  EACH_LANE(float4, b.lane[i] < a.lane[i] ? b.lane[i] : a.lane[i]);
}
ALWAYS_INLINE float4 float4_max(float4 a, float4 b) {
  EACH_LANE(float4, a.lane[i] < b.lane[i] ? b.lane[i] : a.lane[i]);
}
ALWAYS_INLINE word4 float4_le(float4 a, float4 b) {
  EACH_LANE(word4, a.lane[i] <= b.lane[i] ? UINT32_MAX : 0);
}
ALWAYS_INLINE word4 float4_lt(float4 a, float4 b) {
  EACH_LANE(word4, a.lane[i] < b.lane[i] ? UINT32_MAX : 0);
}

ALWAYS_INLINE float4 float4_zip_low(float4 a, float4 b) {
  EACH_LANE(float4, i % 2 ? b.lane[i / 2] : a.lane[i / 2]);
}
ALWAYS_INLINE float4 float4_zip_high(float4 a, float4 b) {
  EACH_LANE(float4, i % 2 ? b.lane[2 + i / 2] : a.lane[2 + i / 2]);
}
ALWAYS_INLINE float4 float4_swap_halves(float4 a) { EACH_LANE(float4, a.lane[(i + 2) % 4]); }
ALWAYS_INLINE float4 float4_swap_pairs(float4 a) { EACH_LANE(float4, a.lane[i ^ 1]); }
ALWAYS_INLINE float4 float4_evens(float4 a, float4 b) {
  EACH_LANE(float4, i < 2 ? a.lane[2 * i] : b.lane[2 * i - 4]);
}
ALWAYS_INLINE float4 float4_odds(float4 a, float4 b) {
  EACH_LANE(float4, i < 2 ? a.lane[2 * i + 1] : b.lane[2 * i - 3]);
}

ALWAYS_INLINE word4 word4_load(const uint32_t *p) {
  WORKED(1);
  EACH_LANE(word4, p[i]);
}
ALWAYS_INLINE void word4_store(uint32_t *p, word4 a) { memcpy(p, a.lane, sizeof a); }
ALWAYS_INLINE word4 word4_all(uint32_t a) { EACH_LANE(word4, a); }
ALWAYS_INLINE word4 word4_add(word4 a, word4 b) { EACH_LANE(word4, a.lane[i] + b.lane[i]); }
ALWAYS_INLINE word4 word4_mul(word4 a, word4 b) { EACH_LANE(word4, a.lane[i] * b.lane[i]); }
ALWAYS_INLINE word4 word4_sub(word4 a, word4 b) { EACH_LANE(word4, a.lane[i] - b.lane[i]); }
ALWAYS_INLINE word4 word4_and(word4 a, word4 b) { EACH_LANE(word4, a.lane[i] & b.lane[i]); }
ALWAYS_INLINE word4 word4_without(word4 a, word4 b) { EACH_LANE(word4, a.lane[i] & ~b.lane[i]); }
ALWAYS_INLINE word4 word4_or(word4 a, word4 b) { EACH_LANE(word4, a.lane[i] | b.lane[i]); }
ALWAYS_INLINE word4 word4_greater(word4 a, word4 b) {
  EACH_LANE(word4, (int32_t)a.lane[i] > (int32_t)b.lane[i] ? UINT32_MAX : 0);
}
ALWAYS_INLINE word4 word4_equal(word4 a, word4 b) {
  EACH_LANE(word4, a.lane[i] == b.lane[i] ? UINT32_MAX : 0);
}
ALWAYS_INLINE uint32_t word4_bits(word4 mask) {
  uint32_t bits = 0;
  UNROLL for (int i = 0; i < 4; i++) bits |= (mask.lane[i] & 1u) << i;
  return bits;
}
ALWAYS_INLINE word4 word4_sums(word4 a) {
  UNROLL for (int i = 1; i < 4; i++) a.lane[i] += a.lane[i - 1];
  return a;
}
ALWAYS_INLINE word4 word4_last(word4 a) { EACH_LANE(word4, a.lane[3]); }
ALWAYS_INLINE word4 float4_as_words(float4 a) {
  word4 words;
  memcpy(&words, &a, sizeof words);
  return words;
}
ALWAYS_INLINE float4 word4_as_floats(word4 a) {
  float4 floats;
  memcpy(&floats, &a, sizeof floats);
  return floats;
}
#undef EACH_LANE
#endif

/* Returns the lanes of `a` where the mask is set, the lanes of `b` elsewhere. */
ALWAYS_INLINE word4 word4_select(word4 mask, word4 a, word4 b) {
#if defined(__wasm_simd128__) && !defined(COPSE_SCALAR)
  return wasm_v128_bitselect(a, b, mask);
#else
  return word4_or(word4_and(mask, a), word4_without(b, mask));
#endif
}

ALWAYS_INLINE float4 float4_select(word4 mask, float4 a, float4 b) {
  return word4_as_floats(word4_select(mask, float4_as_words(a), float4_as_words(b)));
}

ALWAYS_INLINE float float4_first(float4 a) {
  float lanes[4];
  float4_store(lanes, a);
  return lanes[0];
}

ALWAYS_INLINE uint32_t word4_first(word4 a) {
  uint32_t lanes[4];
  word4_store(lanes, a);
  return lanes[0];
}

ALWAYS_INLINE uint32_t word4_sum(word4 a) { return word4_first(word4_last(word4_sums(a))); }

/* float4_least returns the least of the four lanes, in every lane; float4_greatest the greatest. */
ALWAYS_INLINE float4 float4_least(float4 a) {
  a = float4_min(a, float4_swap_halves(a));
  return float4_min(a, float4_swap_pairs(a));
}
ALWAYS_INLINE float4 float4_greatest(float4 a) {
  a = float4_max(a, float4_swap_halves(a));
  return float4_max(a, float4_swap_pairs(a));
}

/* In a test build with COPSE_WATCHED, writes zeros to the four floats past the end of an array. In
 * other builds, does nothing. Loads of four lanes read these floats, but no result depends on them.
 * Without the zeros, valgrind and MemorySanitizer would report reads of memory that was never
 * written. */
ALWAYS_INLINE void float4_past_end(float *end) {
#ifdef COPSE_WATCHED
  float4_store(end, float4_all(0));
#else
  (void)end;
#endif
}

/* Returns first, first + 1, first + 2, first + 3. */
ALWAYS_INLINE word4 word4_count_from(uint32_t first) {
  static const uint32_t lanes[4] = {0, 1, 2, 3};
  return word4_sub(word4_all(first), word4_sub(word4_all(0), word4_load(lanes)));
}

/* ---- Rounding ---- */

/* Adding ROUNDER to a float of 0 … 2^22 - 1 rounds the float to an integer, ties to even. The
 * integer is then in the low bits of the sum, those of ROUNDED_BITS. */
#define ROUNDER      8388608.0f
#define ROUNDED_BITS 0x3fffffu

ALWAYS_INLINE word4 float4_round(float4 a) {
  return word4_and(float4_as_words(float4_add(a, float4_all(ROUNDER))), word4_all(ROUNDED_BITS));
}

/* ---- Left-packing: moves the lanes whose bit is set to the front, the others behind them ---- */

#if !defined(COPSE_SCALAR) && (defined(__wasm_simd128__) || defined(__SSSE3__))
/* The byte shuffles for left-packing: a row for each combination of the four bits. */
static const uint8_t SIMD_PACK[16][16] = {
#define LANE(i) 4 * (i), 4 * (i) + 1, 4 * (i) + 2, 4 * (i) + 3
#define ROW(a, b, c, d)                                                                            \
  { LANE(a), LANE(b), LANE(c), LANE(d) }
    ROW(0, 1, 2, 3), ROW(0, 1, 2, 3), ROW(1, 0, 2, 3), ROW(0, 1, 2, 3),
    ROW(2, 0, 1, 3), ROW(0, 2, 1, 3), ROW(1, 2, 0, 3), ROW(0, 1, 2, 3),
    ROW(3, 0, 1, 2), ROW(0, 3, 1, 2), ROW(1, 3, 0, 2), ROW(0, 1, 3, 2),
    ROW(2, 3, 0, 1), ROW(0, 2, 3, 1), ROW(1, 2, 3, 0), ROW(0, 1, 2, 3),
#undef ROW
#undef LANE
};
#endif

ALWAYS_INLINE word4 word4_pack(word4 a, uint32_t bits) {
#if defined(__wasm_simd128__) && !defined(COPSE_SCALAR)
  return wasm_i8x16_swizzle(a, wasm_v128_load(SIMD_PACK[bits]));
#elif defined(__SSSE3__) && !defined(COPSE_SCALAR)
  return _mm_shuffle_epi8(a, _mm_loadu_si128((const __m128i *)SIMD_PACK[bits]));
#else
  uint32_t lanes[4], packed[4], front = 0, back = bits_count(bits);
  word4_store(lanes, a);
  UNROLL for (int i = 0; i < 4; i++, bits >>= 1) packed[bits & 1 ? front++ : back++] = lanes[i];
  return word4_load(packed);
#endif
}
ALWAYS_INLINE float4 float4_pack(float4 a, uint32_t bits) {
  return word4_as_floats(word4_pack(float4_as_words(a), bits));
}

/* Stores four lanes from p on. A lane whose bit is not set is overwritten by the next lane. Packing
 * into a local array first would be slower, because compilers keep such an array in memory. */
#define STORE_PACKED(p, lanes, bits)                                                               \
  do {                                                                                             \
    const uint32_t second = bits & 1, third = second + (bits >> 1 & 1);                            \
    p[0] = lanes[0];                                                                               \
    p[second] = lanes[1];                                                                          \
    p[third] = lanes[2];                                                                           \
    p[third + (bits >> 2 & 1)] = lanes[3];                                                         \
  } while (0)

/* Stores the lanes whose bit is set, one after another from p on. May write up to four words: those
 * after the stored lanes are undefined. */
ALWAYS_INLINE void word4_store_packed(uint32_t *p, word4 a, uint32_t bits) {
#if !defined(COPSE_SCALAR) && (defined(__wasm_simd128__) || defined(__SSSE3__))
  word4_store(p, word4_pack(a, bits));
#else
  uint32_t lanes[4];
  word4_store(lanes, a);
  STORE_PACKED(p, lanes, bits);
#endif
}
ALWAYS_INLINE void float4_store_packed(float *p, float4 a, uint32_t bits) {
#if !defined(COPSE_SCALAR) && (defined(__wasm_simd128__) || defined(__SSSE3__))
  float4_store(p, float4_pack(a, bits));
#else
  float lanes[4];
  float4_store(lanes, a);
  STORE_PACKED(p, lanes, bits);
#endif
}

#undef STORE_PACKED

#endif
