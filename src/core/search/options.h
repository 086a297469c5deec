// "name:key=value,key=value": which strategy with which options.
#pragma once

#include "base/text.h"
#include "search/search.h"

// `text`: what stands behind the colon; NULL: every option has its fallback. `values` has room for
// STRATEGY_OPTIONS_MOST.
bool options_read(const struct strategy_operations *ops, const char *text, double *values,
                  struct error *e);
// "name:key=value,...", every option.
void options_print(const struct strategy_operations *ops, const double *values, struct text *out);
