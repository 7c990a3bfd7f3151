#include "CScorerModel.h"

// #embed is a C23 extension that the compiler has and warns about.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char model[] __attribute__((aligned(64))) = {
#embed "scorer.model"
};

const void *scorer_model_bytes(void) { return model; }
unsigned long scorer_model_size(void) { return sizeof(model); }
