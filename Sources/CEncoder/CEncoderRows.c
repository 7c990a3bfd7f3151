#include <math.h>
#include <string.h>
#include "working.h"

// Every processor must come to the same numbers: no product is fused with a sum, and sums of
// fractions go over the same 16 lanes in the same order.
#pragma STDC FP_CONTRACT OFF
// Vectors are passed only between functions that become one.
#pragma clang diagnostic ignored "-Wpsabi"

#define ALWAYS static inline __attribute__((always_inline))
#define JOINED(a, b) a##_##b
#define NAMED(a, b) JOINED(a, b)
#define RENAMED(name) NAMED(name, KIND)

typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int8_t small __attribute__((vector_size(LANES), aligned(1)));
typedef int32_t whole __attribute__((vector_size(4 * LANES), aligned(4)));

#define KIND portable
#include "rows.h"
#undef KIND

#ifdef __x86_64__

#define KIND v3
#pragma clang attribute push(__attribute__((target("arch=x86-64-v3"))), apply_to = function)
#include "rows.h"
#pragma clang attribute pop
#undef KIND

#define KIND v4
#pragma clang attribute push(__attribute__((target("arch=x86-64-v4"))), apply_to = function)
#include "rows.h"
#pragma clang attribute pop
#undef KIND

const encoder_rows *encoder_rows_for(encoder_kind kind) {
  switch (kind) {
    case ENCODER_AVX512_VNNI: return &rows_v4;
    case ENCODER_AVX_VNNI:
    case ENCODER_AVX2: return &rows_v3;
    default: return &rows_portable;
  }
}

#else

const encoder_rows *encoder_rows_for(encoder_kind kind) {
  (void)kind;
  return &rows_portable;
}

#endif
