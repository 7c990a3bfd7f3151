#pragma once
#include <stdint.h>
#include "CScorerSpelling.h"

// The offline scorer's model, as train-scorer wrote it.
const void *scorer_model_bytes(void);
unsigned long scorer_model_size(void);

// Weights by feature. A bucket of 64 bytes holds two rows: a tag of four bytes, four unused, 24
// weights.
typedef struct {
  const uint8_t *buckets;
  uint64_t bucket_mask;
} scorer_table;

// Adds the weights of features, as Hash.unmixed names them, to 32 sums, the first eight of which
// mean nothing.
void scorer_add(const scorer_table *table, const uint64_t *features, long count, int16_t *sums);

// score += asked where the mask is set; best = the larger of best and score.
void scorer_rank(const int16_t *asked, const int16_t *mask, int16_t *score, int16_t *best);

// mask = all bits where sums are above the thresholds.
void scorer_above(const int16_t *sums, const int16_t *thresholds, int16_t *mask);

// One bit for each of 32 numbers: set where it is above 0.
uint32_t scorer_positive(const int16_t *numbers);

// For each byte what it can begin or belong to, and the letter or digit that it counts as in words.
const uint8_t *scorer_byte_kinds(void);
const uint8_t *scorer_word_bytes(void);
