#pragma once
#include <stdint.h>
#include "CEncoder.h"

enum { WIDTH = 384, HEADS = 12, HEAD = WIDTH / HEADS, INNER = 1536, FOLDED = 0x3000 };

// The file: this header, then the arrays, each at a multiple of 64 bytes from the beginning.
typedef struct {
  char magic[8];
  uint32_t version, width, layers, heads, inner, facets, pieces, positions, slots;
  uint32_t first, separator, unknown, box, longest;
  // How many pieces of the turn before, and of the coach's words, are read.
  uint32_t arrays, before, coach, reserved;
} model_header;

// The order of the arrays in the file.
enum array {
  PIECE_STARTS,  // u32, pieces + 1: where each piece's spelling begins
  PIECE_BYTES,   // the spellings, without "##"
  PIECE_SLOTS,   // u16, slots: piece + 1, or 0; by the spelling's hash
  FOLDS,         // u32, FOLDED: start << 8 | count
  FOLD_PARTS,    // u32: character, or PART_ALONE | character, or PART_SPACE
  WORDS,         // i8, pieces x width
  WORD_SCALES,   // f32, pieces
  PLACES,        // i8, positions x width
  PLACE_SCALES,  // f32, positions
  PARTS,         // f32, 2 x width
  KNOWN,         // f32, facets x width
  NORM,          // f32, 2 x width: factor, then summand
  HEAD_WEIGHTS,  // f32, 2 x facets x width: told, withdrawn
  HEAD_BIASES,   // f32, 2 x facets
  THRESHOLDS,    // f32, 2 x facets + 1: see encoder_thresholds
  LAYERS,        // from here on, for every layer:
};

enum layer_array {
  QKV, QKV_SCALES, QKV_BIASES,
  OUT, OUT_SCALES, OUT_BIASES,
  UP, UP_SCALES, UP_BIASES,
  DOWN, DOWN_SCALES, DOWN_BIASES,
  NORM_1, NORM_2,
  LAYER_ARRAYS,
};

#define PART_ALONE 0x80000000u
#define PART_SPACE 0x40000000u
#define PART_CHARACTER 0x1fffffu

static inline const model_header *header_of(const encoder_model *model) {
  return (const model_header *)model->bytes;
}

static inline const void *array_of(const encoder_model *model, int index) {
  const uint32_t *starts = (const uint32_t *)(model->bytes + sizeof(model_header));
  return model->bytes + (uint64_t)starts[index] * 64;
}

static inline const void *layer_array(const encoder_model *model, int layer, int index) {
  return array_of(model, LAYERS + layer * LAYER_ARRAYS + index);
}

// The file of the acts: this header, then arrays of fractions, one after another.
typedef struct {
  char magic[8];
  uint32_t version, width, layers, inner, acts, moments, reserved[8];
} acts_header;

// How many fractions are in each array, in the order of the file.
enum acts_size {
  ACTS_PARTS_SIZE = 2 * WIDTH,
  ACTS_MOMENTS_SIZE = ENCODER_MOMENTS * WIDTH,
  ACTS_NORM_SIZE = 2 * WIDTH,                       // factor, then summand
  ACTS_EACH_SIZE = ENCODER_ACTS * WIDTH,            // of each piece of the turn
  ACTS_FIRST_SIZE = ENCODER_ACTS * WIDTH,           // of the first piece
  ACTS_BIASES_SIZE = ENCODER_MOMENTS * ENCODER_ACTS,
  ACTS_THRESHOLDS_SIZE = ENCODER_MOMENTS * 2 * ENCODER_ACTS,  // see encoder_acts_thresholds
};

// Where each begins. The layers' arrays follow, then a scale and the words' table.
enum acts_array {
  ACTS_PARTS = 0,
  ACTS_MOMENTS = ACTS_PARTS + ACTS_PARTS_SIZE,
  ACTS_NORM = ACTS_MOMENTS + ACTS_MOMENTS_SIZE,
  ACTS_EACH = ACTS_NORM + ACTS_NORM_SIZE,
  ACTS_FIRST = ACTS_EACH + ACTS_EACH_SIZE,
  ACTS_BIASES = ACTS_FIRST + ACTS_FIRST_SIZE,
  ACTS_THRESHOLDS = ACTS_BIASES + ACTS_BIASES_SIZE,
  ACTS_LAYERS = ACTS_THRESHOLDS + ACTS_THRESHOLDS_SIZE,
};

// A layer's scales, biases and norms, in the order of `layer_array` without the weights.
enum { ACTS_LAYER = 2 * (3 * WIDTH + WIDTH + INNER + WIDTH) + 4 * WIDTH };

static inline unsigned long acts_floats(int layers) {
  return ACTS_LAYERS + (unsigned long)layers * ACTS_LAYER + 1;
}

// The table's rows for words wherever they stand, then for words at a moment: a number for each act.
enum {
  WORD_ROWS_ANYWHERE = 4096,
  WORD_ROWS_AT_MOMENT = 8192,
  WORD_TABLE = (WORD_ROWS_ANYWHERE + WORD_ROWS_AT_MOMENT) * ENCODER_ACTS,
  // Then a bit for each word that was learned from, by its hash.
  KNOWN_WORDS = 1 << 17,
};

static inline const float *acts_array(const float *floats, enum acts_array array) {
  return floats + array;
}

static inline const float *acts_layer(const float *floats, int layer, int array) {
  static const int starts[LAYER_ARRAYS] = {
    [QKV_SCALES] = 0,
    [QKV_BIASES] = 3 * WIDTH,
    [OUT_SCALES] = 6 * WIDTH,
    [OUT_BIASES] = 7 * WIDTH,
    [UP_SCALES] = 8 * WIDTH,
    [UP_BIASES] = 8 * WIDTH + INNER,
    [DOWN_SCALES] = 8 * WIDTH + 2 * INNER,
    [DOWN_BIASES] = 9 * WIDTH + 2 * INNER,
    [NORM_1] = 10 * WIDTH + 2 * INNER,
    [NORM_2] = 12 * WIDTH + 2 * INNER,
  };
  return floats + ACTS_LAYERS + layer * ACTS_LAYER + starts[array];
}

// Sums of products of whole numbers: sums[row][output] for `rows` rows of activations and 16
// outputs. The weights are those of the outputs, plus 128, four for each output in turn.
typedef void (*encoder_sums)(const uint8_t *weights, const int8_t *rows, long count, long inputs,
                             int32_t *sums);

// How many rows of activations are taken at once.
enum { ROWS = 8, OUTPUTS = 16 };

encoder_sums encoder_sums_for(encoder_kind kind);
