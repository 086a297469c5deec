// A job, a device and a result in which every field holds something of its own.
#ifndef HONE_TESTS_JOB_SAMPLE_H
#define HONE_TESTS_JOB_SAMPLE_H

#include "model/job.h"
#include "model/result.h"

// Two launches, five buffers, every kind of fill and argument; held against another job, with the
// gemm and data fields filled too. The caller frees it.
struct job *sample_job(void);
// The least job: one empty kernel without arguments.
struct job *sample_least_job(void);
// A vendor's routine: 8x4 = 8x2 times 2x4.
struct job *sample_routine_job(void);
struct device_info sample_device(void);
// A correct result with samples, parts, resources and deviations.
struct result *sample_result(void);

// Appends the bytes of the codec.
void job_bytes(struct job *j, struct text *out);
void result_bytes(struct result *r, struct text *out);

#endif
