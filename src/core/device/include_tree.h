// The files that a program includes, laid out on disk for the compiler.
#pragma once

#include "base/text.h"
#include "model/job.h"

// Lays the program's files out below `scratch`, once for each set of files, and writes the folder
// into `out`; nothing is written when there are none.
bool include_tree(const struct job_program *p, const char *scratch, struct text *out,
                  struct error *e);
