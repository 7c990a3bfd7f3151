#include "CScorerModel.h"

// In C for two things that Swift has no words for: one source compiled for several processors,
// and prefetching. The sums are whole numbers: every processor gets the same.
#if defined(__x86_64__)
#define FAST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FAST
#endif

typedef int8_t row_bytes __attribute__((vector_size(32), aligned(32)));
typedef int16_t row_words __attribute__((vector_size(64), aligned(2)));

enum { AT_ONCE = 256, AHEAD = 8 };

// The other half of Hash.feature, in a loop of its own so that the compiler does several at once.
static inline uint64_t mix(uint64_t key) {
  key = (key ^ (key >> 29)) * 0xbf58476d1ce4e5b9;
  return (key ^ (key >> 32)) * 0x94d049bb133111eb;
}

static inline const uint8_t *bucket_of(const scorer_table *table, uint64_t key) {
  return table->buckets + ((key >> 16 & table->bucket_mask) << 6);
}

FAST void scorer_add(const scorer_table *table, const uint64_t *features, long count,
                     int16_t *sums) {
  row_words sum = *(row_words *)sums;
  uint64_t keys[AT_ONCE + AHEAD];
  const uint8_t *buckets = table->buckets;
  const uint64_t mask = table->bucket_mask << 6;
  while (count > 0) {
    long batch = count < AT_ONCE ? count : AT_ONCE;
    for (long i = 0; i < batch; i++) keys[i] = mix(features[i]);
    for (long i = 0; i < AHEAD; i++) keys[batch + i] = 0;
    // Which of two rows it is, if any, is nothing that a processor could guess: no branches here.
    for (long i = 0; i < batch; i++) {
      __builtin_prefetch(buckets + (keys[i + AHEAD] >> 10 & mask));
      uint32_t tag = keys[i] >> 32;
      const uint8_t *row = buckets + (keys[i] >> 10 & mask);
      row += *(const uint32_t *)row == tag ? 0 : 32;
      int16_t there = *(const uint32_t *)row == tag ? -1 : 0;
      sum += __builtin_convertvector(*(const row_bytes *)row, row_words) & there;
    }
    features += batch;
    count -= batch;
  }
  *(row_words *)sums = sum;
}

enum { LANES = 32 };

FAST void scorer_rank(const int16_t *restrict asked, const int16_t *restrict mask,
                      int16_t *restrict score, int16_t *restrict best) {
  for (int lane = 0; lane < LANES; lane++) {
    int16_t sum = (int16_t)(score[lane] + (asked[lane] & mask[lane]));
    score[lane] = sum;
    best[lane] = sum > best[lane] ? sum : best[lane];
  }
}

FAST void scorer_above(const int16_t *restrict sums, const int16_t *restrict thresholds,
                       int16_t *restrict mask) {
  for (int lane = 0; lane < LANES; lane++) mask[lane] = sums[lane] > thresholds[lane] ? -1 : 0;
}

FAST uint32_t scorer_positive(const int16_t *numbers) {
  uint32_t bits = 0;
  for (int lane = 0; lane < LANES; lane++) bits |= (uint32_t)(numbers[lane] > 0) << lane;
  return bits;
}
