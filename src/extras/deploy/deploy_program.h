// A table for a whole program: what `hone capture` wrote of each kernel (KERNEL.bind), and behind it the table that
// libhone-known reads. `hone with` reads it (extras/capture/layer/layer_replace.c).
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <stdint.h>

// The kernels of a capture that have a spec, by their titles, sorted: DIR/TITLE.json, .csv, .bind.
bool deploy_program_list(const char *folder, struct arena *a, const char ***titles, uint32_t *count,
                         struct error *e);
// "n=5" for each column of a shapes file, of its first line.
bool deploy_program_first_shape(const char *csv, struct arena *a, const char ***words,
                                uint32_t *count, struct error *e);
void deploy_program_start(struct text *out);
bool deploy_program_add(struct text *out, const char *folder, const char *title,
                        const struct text *known, struct error *e);
void deploy_program_finish(struct text *out);
