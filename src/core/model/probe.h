// A small job that any device can run, to see whether one does: no inputs, a few bytes of output,
// and what it must leave there is known exactly.
#pragma once

#include "model/job.h"

// NULL without memory.
struct job *job_probe(enum language language);
