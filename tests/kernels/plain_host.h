// A job run with plain OpenCL calls: buffers of exactly their size, no guard zones around them.
// That is what a simulator needs to see an access one element past the end, and it is independent
// of src/core/device, whose fills, reference and comparison alone it shares. For jobs of matrix
// multiplications: one launch, a gemm reference, options without blanks.
#ifndef HONE_TESTS_KERNELS_PLAIN_HOST_H
#define HONE_TESTS_KERNELS_PLAIN_HOST_H

#include "base/error.h"
#include "model/job.h"
#include "model/result.h"

struct plain_host;

// The first device whose name contains `part` (NULL: any). NULL with an empty error: there is none.
struct plain_host *plain_open(const char *part, struct error *e);
void plain_close(struct plain_host *h); // NULL is fine
// Builds, launches once and compares. False: r->status says why.
bool plain_run(struct plain_host *h, const struct job *j, struct result *r);

#endif
