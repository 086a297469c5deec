// Kernels that stand in conditions of their text.
#pragma once

#include "base/text.h"
#include "kernel_text/preprocess.h"

// Appends "fill stands in #if defined(ONE_AXIS); fill stands in #if defined(TWO_AXES)", in the text's
// order; nothing of kernels outside conditions. False without memory.
bool variants_list(struct lone_text *text, enum language l, struct text *out);
