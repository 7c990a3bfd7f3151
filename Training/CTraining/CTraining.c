#include "CTraining.h"

#pragma STDC FP_CONTRACT OFF
#define LANES 24
#if defined(__x86_64__)
#define FAST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FAST
#endif

FAST void rows_sum(const float *restrict weights, const int32_t *restrict rows, long count,
                   float *restrict sum) {
  for (long i = 0; i < count; i++) {
    const float *row = weights + (long)rows[i] * LANES;
    for (int lane = 0; lane < LANES; lane++) sum[lane] += row[lane];
  }
}

FAST void rows_step(float *restrict weights, float *restrict squares, const int32_t *restrict rows,
                    long count, const float *restrict error, float rate, float decay) {
  for (long i = 0; i < count; i++) {
    float *row = weights + (long)rows[i] * LANES, *square = squares + (long)rows[i] * LANES;
    for (int lane = 0; lane < LANES; lane++) {
      float gradient = error[lane] + row[lane] * decay;
      square[lane] += error[lane] * error[lane];
      row[lane] -= gradient * rate / __builtin_elementwise_sqrt(square[lane]);
    }
  }
}
