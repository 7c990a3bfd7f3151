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

// Where a reading takes its scales, biases and norms from: the model's own arrays, or those of a head.
typedef struct {
  const void *(*array)(const void *file, int layer, int array);
  const void *file;
} tuning;

static const void *own_array(const void *model, int layer, int array) {
  return layer_array(model, layer, array);
}

// out = quantized rows x weights + biases, and then as `after` says.
static void linear(const encoder_model *model, tuning tuned, const encoder_rows *each,
                   encoder_sums sums, int layer, int array, long rows, long inputs, long outputs,
                   working *w, float *out, enum after after) {
  const uint8_t *weights = layer_array(model, layer, array);
  const float *scales = tuned.array(tuned.file, layer, array + 1);
  const float *biases = tuned.array(tuned.file, layer, array + 2);
  for (long o = 0; o < outputs; o += OUTPUTS) {
    for (long row = 0; row < rows; row += ROWS) {
      long count = rows - row < ROWS ? rows - row : ROWS;
      sums(weights + o * inputs, w->bytes + row * inputs, count, inputs, w->sums);
      each->unquantize(w->sums, count, w->scales + row, w->totals + row, scales + o, biases + o,
                       out + row * outputs + o, outputs, after);
    }
  }
}

// From the pieces' vectors to their states after the last layer.
static void run(const encoder_model *model, tuning tuned, const encoder_rows *each,
                encoder_sums sums, long count, working *w) {
  for (int layer = 0; layer < model->layers; layer++) {
    each->quantize(w->x, count, WIDTH, w);
    linear(model, tuned, each, sums, layer, QKV, count, WIDTH, 3 * WIDTH, w, w->wide, PLAIN);
    each->attend(w, count);
    each->quantize(w->seen, count, WIDTH, w);
    linear(model, tuned, each, sums, layer, OUT, count, WIDTH, WIDTH, w, w->x, ADDED);
    each->normalize(w->x, count, tuned.array(tuned.file, layer, NORM_1));
    each->quantize(w->x, count, WIDTH, w);
    linear(model, tuned, each, sums, layer, UP, count, WIDTH, INNER, w, w->wide, GELU);
    each->quantize(w->wide, count, INNER, w);
    linear(model, tuned, each, sums, layer, DOWN, count, INNER, WIDTH, w, w->x, ADDED);
    each->normalize(w->x, count, tuned.array(tuned.file, layer, NORM_2));
  }
}

void encoder_read(const encoder_model *model, encoder_kind kind, void *memory, const int32_t *ids,
                  long count, long spoken, uint32_t known, const uint32_t *refused,
                  encoder_reading *reading) {
  working *w = memory;
  const encoder_rows *each = encoder_rows_for(kind);
  memset(reading, 0, sizeof *reading);
  if (count > LONGEST || count < 2 || spoken < 1 || spoken >= count) return;
  const float *parts = array_of(model, PARTS), *facets = array_of(model, KNOWN);
  float common[2 * WIDTH];
  for (long i = 0; i < WIDTH; i++) {
    float sum = 0;
    for (int facet = 0; facet < ENCODER_FACETS; facet++)
      if (known >> facet & 1) sum += facets[facet * WIDTH + i];
    common[i] = sum + parts[i];
    common[WIDTH + i] = sum + parts[WIDTH + i];
  }
  each->embed(model, ids, count, spoken, common, w->x);
  each->normalize(w->x, count, array_of(model, NORM));
  run(model, (tuning){own_array, model}, each, encoder_sums_for(kind), count, w);
  each->judge(model, w->x, count, spoken, refused, reading);
}

// MARK: Acts

int encoder_acts_open(const void *bytes, unsigned long size, const encoder_model *model,
                      encoder_acts *acts) {
  const acts_header *header = bytes;
  if (size < sizeof *header || memcmp(header->magic, "ACTS\0\0\0", 8) != 0 || header->version != 1)
    return 0;
  if (header->width != WIDTH || header->inner != INNER || header->acts != ENCODER_ACTS
      || header->moments != ENCODER_MOMENTS || header->layers != (uint32_t)model->layers
      || size != sizeof *header + sizeof(float) * acts_floats(model->layers) + WORD_TABLE
             + KNOWN_WORDS / 8)
    return 0;
  acts->floats = (const float *)(header + 1);
  acts->word_scale = acts->floats + acts_floats(model->layers) - 1;
  acts->words = (const int8_t *)(acts->word_scale + 1);
  return 1;
}

static const void *tuned_array(const void *file, int layer, int array) {
  return acts_layer(((const encoder_acts *)file)->floats, layer, array);
}

int encoder_act(const encoder_model *model, const encoder_acts *acts, encoder_kind kind,
                void *memory, const int32_t *ids, long count, long spoken, int moment,
                const float *words, float *odds) {
  working *w = memory;
  const encoder_rows *each = encoder_rows_for(kind);
  if (count > LONGEST || spoken < 1 || spoken + 2 > count || moment < 0
      || moment >= ENCODER_MOMENTS)
    return 0;
  const float *parts = acts_array(acts->floats, ACTS_PARTS);
  const float *vector = acts_array(acts->floats, ACTS_MOMENTS) + moment * WIDTH;
  float common[2 * WIDTH];
  for (long i = 0; i < 2 * WIDTH; i++) common[i] = parts[i] + vector[i % WIDTH];
  each->embed(model, ids, count, spoken, common, w->x);
  each->normalize(w->x, count, acts_array(acts->floats, ACTS_NORM));
  run(model, (tuning){tuned_array, acts}, each, encoder_sums_for(kind), count, w);
  const float *biases = acts_array(acts->floats, ACTS_BIASES) + moment * ENCODER_ACTS;
  float sums[ENCODER_ACTS];
  for (int act = 0; act < ENCODER_ACTS; act++) sums[act] = biases[act] + words[act];
  each->weigh(w->x, count, spoken, acts_array(acts->floats, ACTS_EACH),
              acts_array(acts->floats, ACTS_FIRST), sums, odds);
  return 1;
}

const float *encoder_acts_thresholds(const encoder_acts *acts, int moment) {
  return acts_array(acts->floats, ACTS_THRESHOLDS) + moment * 2 * ENCODER_ACTS;
}
