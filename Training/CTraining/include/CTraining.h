#pragma once
#include <stdint.h>

// Rows of 24 floats. Adds up rows, and steps them by AdaGrad; the same bits on every machine.
void rows_sum(const float *weights, const int32_t *rows, long count, float *sum);
void rows_step(float *weights, float *squares, const int32_t *rows, long count, const float *error,
               float rate, float decay);
