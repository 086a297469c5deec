// Kernels whose text is another one for each configuration: printed by a command (`"kernel": {"exec": ["./gen.py", "{TILE}"]}`)
// or in a file each (`"kernel": "cache/mm_{BM}_{BN}.cl"`). The spec's sources have the default configuration's text, by which
// arguments and types are known; a job has its own, so that its key does.
#pragma once

#include "problem/job_formulas.h"
#include "problem/read_kernels.h"

// Reads the words of a command, or the one name of a file, into p->variant.
bool read_variant(const struct reader *r, const char *path, const char *const *words,
                  uint32_t count, bool is_command, struct program_spec *p);
// The program's sources for the configuration that is made; kept, so that a text is made once.
const struct program_sources *make_variant(struct maker *m, uint32_t program);
