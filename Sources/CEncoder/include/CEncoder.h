#pragma once
#include <stdint.h>

// A small transformer that reads one user turn, after what was said before it, for 24 facets.
// Training/encoder/README.md describes the model file.

enum {
  ENCODER_FACETS = 24,
  // The most pieces that are read at once.
  ENCODER_LONGEST = 448,
};

// A model in memory, as the file has it: nothing is copied or parsed.
typedef struct {
  const uint8_t *bytes;
  int32_t layers, pieces, positions;
  int32_t first, separator, unknown;
  // How many pieces of the user's turn before, and of the coach's words, are read.
  int32_t before, coach;
} encoder_model;

// The model that the program holds. Returns 0 if `bytes` are no model that this code can run.
int encoder_open(const void *bytes, unsigned long size, encoder_model *model);
// 24 chances above which a facet counts as told, 24 above which it counts as taken back, and the
// chance that at least one facet of a turn must have, or the turn says nothing to the network alone.
const float *encoder_thresholds(const encoder_model *model);

const void *encoder_model_bytes(void);
unsigned long encoder_model_size(void);

// A word piece, and the bytes of the text that it covers.
typedef struct {
  int32_t id, start, end;
} encoder_piece;

// Splits UTF-8 text into pieces. Returns how many there are, and writes at most `capacity`.
long encoder_split(const encoder_model *model, const uint8_t *text, long count,
                   encoder_piece *pieces, long capacity);

// The processor instructions that the sums are made with. Every kind gives the same numbers.
typedef enum {
  ENCODER_PORTABLE,
  ENCODER_AVX2,
  ENCODER_AVX_VNNI,
  ENCODER_AVX512_VNNI,
} encoder_kind;

// Whether this processor has them. A newer kind doesn't imply the older ones.
int encoder_has(encoder_kind kind);
encoder_kind encoder_best_kind(void);

// Working memory for one thread, of this size; aligned to 64 bytes.
unsigned long encoder_memory_size(void);

// What the network says about a turn.
typedef struct {
  // Chances from 0 to 1 that the turn tells the facet, and that it takes it back.
  float told[ENCODER_FACETS], withdrawn[ENCODER_FACETS];
  // The turn's piece that says most about the facet; -1 if none may.
  int32_t best[ENCODER_FACETS];
} encoder_reading;

// Reads the pieces `ids`, of which those from `spoken` up to the last are the turn's and the last
// is a separator. `known` has a bit for each facet known before. `refused` has, for each piece of
// the turn, a bit for each facet that it can't be evidence for; null refuses nothing.
void encoder_read(const encoder_model *model, encoder_kind kind, void *memory, const int32_t *ids,
                  long count, long spoken, uint32_t known, const uint32_t *refused,
                  encoder_reading *reading);

// MARK: Acts

enum { ENCODER_ACTS = 20, ENCODER_MOMENTS = 5 };

// What a message does is read with the same weights, and with scales, biases, norms and outputs that
// were learned for it. In memory as the file has it.
typedef struct {
  const float *floats, *word_scale;
  const int8_t *words;
} encoder_acts;

// Returns 0 if `bytes` aren't made for this model.
int encoder_acts_open(const void *bytes, unsigned long size, const encoder_model *model,
                      encoder_acts *acts);
const void *encoder_acts_bytes(void);
unsigned long encoder_acts_size(void);

// Writes what the words of a text say of each act, in log odds. Returns whether more than a fifth of the
// words are new to it.
int encoder_words(const encoder_acts *acts, int moment, const uint8_t *text, long count,
                  float *logits);

// Writes the odds of each act, times what the words say; returns 0 if there is nothing to read. `ids`
// are as for encoder_read.
int encoder_act(const encoder_model *model, const encoder_acts *acts, encoder_kind kind,
                void *memory, const int32_t *ids, long count, long spoken, int moment,
                const float *words, float *odds);

// For each act the odds from which it may be meant, then for each those from which it surely is.
const float *encoder_acts_thresholds(const encoder_acts *acts, int moment);
