#include "CEncoder.h"

// #embed is a C23 extension that the compiler has and warns about.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char model[] __attribute__((aligned(64))) = {
#embed "encoder.model"
};

static const unsigned char acts[] __attribute__((aligned(64))) = {
#embed "acts.model"
};

const void *encoder_model_bytes(void) { return model; }
unsigned long encoder_model_size(void) { return sizeof(model); }

const void *encoder_acts_bytes(void) { return acts; }
unsigned long encoder_acts_size(void) { return sizeof(acts); }
