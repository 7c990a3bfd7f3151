#pragma once
#include "model.h"

enum { LANES = 16, LONGEST = ENCODER_LONGEST };

// One thread's working memory.
typedef struct {
  float x[LONGEST * WIDTH];
  float wide[LONGEST * INNER];
  float seen[LONGEST * WIDTH];
  float keys[WIDTH * LONGEST];
  int8_t bytes[LONGEST * INNER];
  float scales[LONGEST];
  int32_t totals[LONGEST];
  int32_t sums[ROWS * OUTPUTS];
  float weights[LONGEST];
} working;

// What `unquantize` does with a sum.
enum after { PLAIN, GELU, ADDED };

// The calculations with fractions, for one kind of processor.
typedef struct {
  void (*embed)(const encoder_model *model, const int32_t *ids, long count, long spoken,
                const float *common, float *out);
  void (*normalize)(float *rows, long count, const float *norm);
  void (*quantize)(const float *rows, long count, long width, working *w);
  void (*unquantize)(const int32_t *sums, long rows, const float *scales, const int32_t *totals,
                     const float *factors, const float *biases, float *out, long width,
                     enum after after);
  void (*attend)(working *w, long count);
  void (*judge)(const encoder_model *model, const float *x, long count, long spoken,
                const uint32_t *refused, encoder_reading *reading);
  void (*weigh)(const float *x, long count, long spoken, const float *each, const float *first,
                const float *biases, float *odds);
} encoder_rows;

const encoder_rows *encoder_rows_for(encoder_kind kind);
