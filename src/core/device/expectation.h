// The expected outputs that a spec gives as an expression over the index: computed on all cores of
// the host, in double precision and in whole numbers.
#pragma once

#include "base/error.h"
#include "model/job.h"

// Bytes of the expected contents; *doubles: they are doubles, one for each component (of a total: of one element), else
// they are the buffer's own bytes.
uint64_t expectation_bytes(const struct job *j, const struct job_expression *x, bool *doubles);
// Fails with the index that has no value, or none of the output's type.
bool expectation_make(const struct job *j, const struct job_expression *x, void *out,
                      struct error *e);
