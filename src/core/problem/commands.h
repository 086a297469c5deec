// Kernels that are commands: `"kernel": {"build": [...], "run": [...]}` of the short form. The source of such a kernel is that
// object, as JSON; a job's has the words with a configuration's values, and the digests of the files that the program is made
// of, so that its key sees when these change.
#pragma once

#include "problem/job_formulas.h"
#include "problem/read_kernels.h"

// Is it an object that says how a program is run?
bool is_command_object(const json_t *kernel);
// Reads p->text, the object, into the program's words.
bool read_command(const struct reader *r, const struct kernel_spec *k, struct program_spec *p);
// Fills the program, and what the launch runs, for the configuration.
bool make_command(struct maker *m, const struct program_sources *sources,
                  const struct program_spec *spec, struct job_launch *launch,
                  struct job_program *p);
