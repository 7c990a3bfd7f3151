#include <string.h>
#include "working.h"

unsigned long encoder_memory_size(void) { return (sizeof(working) + 63) & ~63ul; }

int encoder_open(const void *bytes, unsigned long size, encoder_model *model) {
  const model_header *header = bytes;
  if (size < sizeof *header || memcmp(header->magic, "ENCODER", 8) != 0 || header->version != 1)
    return 0;
  if (header->width != WIDTH || header->heads != HEADS || header->inner != INNER
      || header->facets != ENCODER_FACETS || header->positions < LONGEST
      || header->arrays != LAYERS + header->layers * LAYER_ARRAYS + 1
      || (header->slots & (header->slots - 1)) != 0 || header->slots <= header->pieces)
    return 0;
  const uint32_t *starts = (const uint32_t *)(header + 1);
  if (sizeof *header + 4ul * header->arrays > size) return 0;
  for (uint32_t i = 1; i < header->arrays; i++)
    if (starts[i] < starts[i - 1]) return 0;
  // The last of the arrays is the end of the file.
  if (64ul * starts[header->arrays - 1] != size) return 0;
  model->bytes = bytes;
  model->layers = (int32_t)header->layers;
  model->pieces = (int32_t)header->pieces;
  model->positions = (int32_t)header->positions;
  model->first = (int32_t)header->first;
  model->separator = (int32_t)header->separator;
  model->unknown = (int32_t)header->unknown;
  model->before = (int32_t)header->before;
  model->coach = (int32_t)header->coach;
  return 1;
}

const float *encoder_thresholds(const encoder_model *model) {
  return array_of(model, THRESHOLDS);
}

// out = quantized rows x weights + biases, and then as `after` says.
static void linear(const encoder_model *model, const encoder_rows *each, encoder_sums sums,
                   int layer, int array, long rows, long inputs, long outputs, working *w,
                   float *out, enum after after) {
  const uint8_t *weights = layer_array(model, layer, array);
  const float *scales = layer_array(model, layer, array + 1);
  const float *biases = layer_array(model, layer, array + 2);
  for (long o = 0; o < outputs; o += OUTPUTS) {
    for (long row = 0; row < rows; row += ROWS) {
      long count = rows - row < ROWS ? rows - row : ROWS;
      sums(weights + o * inputs, w->bytes + row * inputs, count, inputs, w->sums);
      each->unquantize(w->sums, count, w->scales + row, w->totals + row, scales + o, biases + o,
                       out + row * outputs + o, outputs, after);
    }
  }
}

void encoder_read(const encoder_model *model, encoder_kind kind, void *memory, const int32_t *ids,
                  long count, long spoken, uint32_t known, const uint32_t *refused,
                  encoder_reading *reading) {
  working *w = memory;
  const encoder_rows *each = encoder_rows_for(kind);
  encoder_sums sums = encoder_sums_for(kind);
  memset(reading, 0, sizeof *reading);
  if (count > LONGEST || count < 2 || spoken < 1 || spoken >= count) return;
  each->embed(model, ids, count, spoken, known, w->x);
  each->normalize(w->x, count, array_of(model, NORM));
  for (int layer = 0; layer < model->layers; layer++) {
    each->quantize(w->x, count, WIDTH, w);
    linear(model, each, sums, layer, QKV, count, WIDTH, 3 * WIDTH, w, w->wide, PLAIN);
    each->attend(w, count);
    each->quantize(w->seen, count, WIDTH, w);
    linear(model, each, sums, layer, OUT, count, WIDTH, WIDTH, w, w->x, ADDED);
    each->normalize(w->x, count, layer_array(model, layer, NORM_1));
    each->quantize(w->x, count, WIDTH, w);
    linear(model, each, sums, layer, UP, count, WIDTH, INNER, w, w->wide, GELU);
    each->quantize(w->wide, count, INNER, w);
    linear(model, each, sums, layer, DOWN, count, INNER, WIDTH, w, w->x, ADDED);
    each->normalize(w->x, count, layer_array(model, layer, NORM_2));
  }
  each->judge(model, w->x, count, spoken, refused, reading);
}
