#pragma once

// The offline scorer's model, as train-scorer wrote it.
const void *scorer_model_bytes(void);
unsigned long scorer_model_size(void);
