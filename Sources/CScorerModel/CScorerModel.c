#include "CScorerModel.h"

// #embed is a C23 extension that the compiler has and warns about.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char model[] __attribute__((aligned(64))) = {
#embed "scorer.model"
};

static const unsigned char second[] __attribute__((aligned(64))) = {
#embed "second.model"
};

const void *scorer_model_bytes(void) { return model; }
unsigned long scorer_model_size(void) { return sizeof(model); }
const void *scorer_second_bytes(void) { return second; }
unsigned long scorer_second_size(void) { return sizeof(second); }
