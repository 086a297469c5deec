// A small job that any device can run, to see whether one does: no inputs, a few bytes of output,
// and what it must leave there is known exactly.
#ifndef HONE_JOB_PROBE_H
#define HONE_JOB_PROBE_H

#include "job/job.h"

// NULL without memory.
struct job *job_probe(enum language language);

#endif
