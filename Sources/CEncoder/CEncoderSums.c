#include <string.h>
#include "model.h"
#ifdef __x86_64__
#include <immintrin.h>
#endif

// All of these give the same whole numbers. Weights are unsigned (128 more than they are), because
// the processors multiply unsigned by signed bytes; the caller takes the surplus away.

typedef uint8_t weights16 __attribute__((vector_size(16), aligned(1)));
typedef int16_t products16 __attribute__((vector_size(32)));
typedef int32_t sums16 __attribute__((vector_size(64)));

static void portable(const uint8_t *weights, const int8_t *rows, long count, long inputs,
                     int32_t *sums) {
  for (long row = 0; row < count; row++) {
    const int8_t *x = rows + row * inputs;
    sums16 sum[4] = {{0}};
    for (long i = 0; i < inputs; i += 4) {
      int16_t a = x[i], b = x[i + 1], c = x[i + 2], d = x[i + 3];
      products16 four = {a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d};
      for (int part = 0; part < 4; part++) {
        weights16 w = *(const weights16 *)(weights + i * OUTPUTS + 16 * part);
        // 255 times 128 still fits 16 bits.
        sum[part] += __builtin_convertvector(__builtin_convertvector(w, products16) * four, sums16);
      }
    }
    for (int output = 0; output < OUTPUTS; output++) {
      sums16 own = sum[output / 4];
      int first = output % 4 * 4;
      sums[row * OUTPUTS + output] = own[first] + own[first + 1] + own[first + 2] + own[first + 3];
    }
  }
}

#ifdef __x86_64__

static inline int32_t four_at(const int8_t *place) {
  int32_t four;
  memcpy(&four, place, 4);
  return four;
}

#define ALWAYS static inline __attribute__((always_inline))
#define BY_COUNT(NAME)                                                                 \
  switch (count) {                                                                     \
    case 8: NAME(weights, rows, 8, inputs, sums); break;                               \
    case 7: NAME(weights, rows, 7, inputs, sums); break;                               \
    case 6: NAME(weights, rows, 6, inputs, sums); break;                               \
    case 5: NAME(weights, rows, 5, inputs, sums); break;                               \
    case 4: NAME(weights, rows, 4, inputs, sums); break;                               \
    case 3: NAME(weights, rows, 3, inputs, sums); break;                               \
    case 2: NAME(weights, rows, 2, inputs, sums); break;                               \
    case 1: NAME(weights, rows, 1, inputs, sums); break;                               \
  }

// Weights come from farther away than the sums take; a prefetch beyond the array does nothing.
enum { AHEAD = 2048 };

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

ALWAYS AVX512 void wide(const uint8_t *weights, const int8_t *rows, const int count, long inputs,
                        int32_t *sums) {
  __m512i sum[ROWS][2];
#pragma clang loop unroll(full)
  for (int row = 0; row < count; row++) sum[row][0] = sum[row][1] = _mm512_setzero_si512();
  // Two sums for each row keep the multipliers busy in spite of how long each takes.
  for (long i = 0; i < inputs; i += 8) {
    __m512i w0 = _mm512_load_si512(weights + i * OUTPUTS);
    __m512i w1 = _mm512_load_si512(weights + i * OUTPUTS + 64);
    _mm_prefetch((const char *)(weights + i * OUTPUTS + AHEAD), _MM_HINT_T0);
    _mm_prefetch((const char *)(weights + i * OUTPUTS + AHEAD + 64), _MM_HINT_T0);
#pragma clang loop unroll(full)
    for (int row = 0; row < count; row++) {
      const int8_t *x = rows + row * inputs + i;
      sum[row][0] = _mm512_dpbusd_epi32(sum[row][0], w0, _mm512_set1_epi32(four_at(x)));
      sum[row][1] = _mm512_dpbusd_epi32(sum[row][1], w1, _mm512_set1_epi32(four_at(x + 4)));
    }
  }
#pragma clang loop unroll(full)
  for (int row = 0; row < count; row++)
    _mm512_storeu_si512(sums + row * OUTPUTS, _mm512_add_epi32(sum[row][0], sum[row][1]));
}

AVX512 static void avx512_vnni(const uint8_t *weights, const int8_t *rows, long count, long inputs,
                               int32_t *sums) {
  BY_COUNT(wide)
}

#define AVX_VNNI __attribute__((target("avx2,avxvnni")))

ALWAYS AVX_VNNI void narrow(const uint8_t *weights, const int8_t *rows, const int count,
                            long inputs, int32_t *sums) {
  __m256i sum[ROWS][2];
#pragma clang loop unroll(full)
  for (int row = 0; row < count; row++) sum[row][0] = sum[row][1] = _mm256_setzero_si256();
  for (long i = 0; i < inputs; i += 4) {
    __m256i w0 = _mm256_load_si256((const __m256i *)(weights + i * OUTPUTS));
    __m256i w1 = _mm256_load_si256((const __m256i *)(weights + i * OUTPUTS + 32));
#pragma clang loop unroll(full)
    for (int row = 0; row < count; row++) {
      __m256i x = _mm256_set1_epi32(four_at(rows + row * inputs + i));
      sum[row][0] = _mm256_dpbusd_avx_epi32(sum[row][0], w0, x);
      sum[row][1] = _mm256_dpbusd_avx_epi32(sum[row][1], w1, x);
    }
  }
#pragma clang loop unroll(full)
  for (int row = 0; row < count; row++) {
    _mm256_storeu_si256((__m256i *)(sums + row * OUTPUTS), sum[row][0]);
    _mm256_storeu_si256((__m256i *)(sums + row * OUTPUTS + 8), sum[row][1]);
  }
}

AVX_VNNI static void avx_vnni(const uint8_t *weights, const int8_t *rows, long count, long inputs,
                              int32_t *sums) {
  for (; count > 4; count -= 4, rows += 4 * inputs, sums += 4 * OUTPUTS)
    narrow(weights, rows, 4, inputs, sums);
  BY_COUNT(narrow)
}

#define AVX2 __attribute__((target("avx2")))

// Multiplies 16-bit numbers: the 8-bit multiplication of AVX2 would overflow.
ALWAYS AVX2 void pairs(const uint8_t *weights, const int8_t *rows, const int count, long inputs,
                       int32_t *sums) {
  __m256i sum[2][4];
#pragma clang loop unroll(full)
  for (int row = 0; row < count; row++)
    for (int part = 0; part < 4; part++) sum[row][part] = _mm256_setzero_si256();
  for (long i = 0; i < inputs; i += 4) {
    __m256i x[2];
#pragma clang loop unroll(full)
    for (int row = 0; row < count; row++)
      x[row] = _mm256_cvtepi8_epi16(_mm_set1_epi32(four_at(rows + row * inputs + i)));
#pragma clang loop unroll(full)
    for (int part = 0; part < 4; part++) {
      const __m128i *place = (const __m128i *)(weights + i * OUTPUTS + 16 * part);
      __m256i w = _mm256_cvtepu8_epi16(_mm_load_si128(place));
#pragma clang loop unroll(full)
      for (int row = 0; row < count; row++)
        sum[row][part] = _mm256_add_epi32(sum[row][part], _mm256_madd_epi16(w, x[row]));
    }
  }
#pragma clang loop unroll(full)
  for (int row = 0; row < count; row++) {
    for (int half = 0; half < 2; half++) {
      __m256i both = _mm256_hadd_epi32(sum[row][2 * half], sum[row][2 * half + 1]);
      both = _mm256_permute4x64_epi64(both, 0xd8);
      _mm256_storeu_si256((__m256i *)(sums + row * OUTPUTS + 8 * half), both);
    }
  }
}

AVX2 static void avx2(const uint8_t *weights, const int8_t *rows, long count, long inputs,
                      int32_t *sums) {
  for (; count > 1; count -= 2, rows += 2 * inputs, sums += 2 * OUTPUTS)
    pairs(weights, rows, 2, inputs, sums);
  if (count == 1) pairs(weights, rows, 1, inputs, sums);
}

int encoder_has(encoder_kind kind) {
  __builtin_cpu_init();
  switch (kind) {
    case ENCODER_AVX512_VNNI:
      return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512vl");
    case ENCODER_AVX_VNNI: return __builtin_cpu_supports("avxvnni") != 0;
    case ENCODER_AVX2: return __builtin_cpu_supports("avx2") != 0;
    default: return 1;
  }
}

encoder_sums encoder_sums_for(encoder_kind kind) {
  switch (kind) {
    case ENCODER_AVX512_VNNI: return avx512_vnni;
    case ENCODER_AVX_VNNI: return avx_vnni;
    case ENCODER_AVX2: return avx2;
    default: return portable;
  }
}

#else

int encoder_has(encoder_kind kind) { return kind == ENCODER_PORTABLE; }
encoder_sums encoder_sums_for(encoder_kind kind) {
  (void)kind;
  return portable;
}

#endif

encoder_kind encoder_best_kind(void) {
  encoder_kind kind = ENCODER_AVX512_VNNI;
  while (!encoder_has(kind)) kind--;
  return kind;
}
