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

enum { AT_ONCE = 256 };

FAST void scorer_add(const scorer_table *table, const uint64_t *keys, long count, int16_t *sums) {
  row_words sum = *(row_words *)sums;
  uint64_t found[AT_ONCE];
  while (count > 0) {
    long batch = count < AT_ONCE ? count : AT_ONCE, hits = 0;
    for (long i = 0; i < batch; i++) {
      uint64_t bit = keys[i] & table->filter_mask;
      found[hits] = keys[i];
      hits += (table->filter[bit >> 6] >> (bit & 63)) & 1;
    }
    for (long i = 0; i < hits; i++) {
      if (i + 6 < hits)
        __builtin_prefetch(table->buckets + ((found[i + 6] >> 16 & table->bucket_mask) << 6));
      const uint8_t *bucket = table->buckets + ((found[i] >> 16 & table->bucket_mask) << 6);
      uint32_t tag = found[i] >> 32;
      const uint8_t *row = bucket;
      if (*(const uint32_t *)row != tag) {
        row += 32;
        if (*(const uint32_t *)row != tag) continue;
      }
      sum += __builtin_convertvector(*(const row_bytes *)row, row_words);
    }
    keys += batch;
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
