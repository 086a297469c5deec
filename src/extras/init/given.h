// A user's additions to a kernel's text: arrays in files, values, the right contents of an output.
#pragma once

#include "extras/init/infer.h"

// Each array argument is filled with NAME.npy of the folder, and each output is to hold what NAME.expect.npy has; sizes
// that follow from these are set. `as`: the folder as the spec names it. False where the folder has no such file.
bool given_arrays(struct inferred *f, const char *folder, const char *as, struct arena *a,
                  struct error *e);
// "TILE=8,16,32", "n=4096", "a=2.5", "y=a*x[i] + y[i]": the values of a parameter, a constant or a scalar, or what each
// element of an output is to be.
bool given_value(struct inferred *f, const char *setting, struct arena *a, struct error *e);
// "16, 32" and "[16, 32]" are lists; "range(1, 9)" is an expression that gives one.
bool given_values(struct inferred_name *n, const char *values, struct arena *a, struct error *e);
