// The kernels that measure a device's limits, as jobs: each has an output whose values are known
// exactly, so that a compiler that left work out, or a device that computes wrongly, is found.
//
//   fp32    independent chains of multiply-adds in registers, x = x * a + b. The end of each chain
//           depends on how often that was done; the host computes the few different ones.
//   read    all of a buffer is summed, a part by each work-item
//   copy    a buffer is copied to another one
//   local   each work-item sums what it reads from local memory; neighbours read neighbours
//
// Buffers are several times larger than the last-level cache.
#pragma once

#include "model/job.h"
#include "model/device_peak.h"

// One way to reach a limit.
struct peak_shape {
    enum peak_limit limit;
    uint32_t width;    // components of the vectors
    uint32_t depth;    // FP32: chains; else loads that do not wait for each other
    uint32_t per_item; // READ, COPY: vectors of each work-item; 0: a part of the buffer for each of
                       // a few work-items on each core
    bool fused;        // FP32: fma(); else a product and a sum, for CPUs without it
    bool past_cache;   // COPY: stores go past the cache
};

// The shapes that are worth a try on this device, at most `most`; by limit. Returns how many.
#define PEAK_SHAPES_MOST 32
uint32_t peak_shapes(const struct device_info *d, struct peak_shape *out, uint32_t most);

// Does the length of a launch follow from `rounds`? Else from the buffers.
bool peak_has_rounds(enum peak_limit limit);
// So many that the first launch is short, and long enough to tell how many are needed.
uint32_t peak_first_rounds(const struct device_info *d, enum peak_limit limit);
// So many that a launch takes about as long as it should, when the first one took `ns`.
uint32_t peak_rounds(const struct device_info *d, enum peak_limit limit, double ns);

// The job of a shape. *work: flop or bytes of a launch. NULL without memory.
struct job *peak_job(const struct peak_shape *s, const struct device_info *d, uint32_t rounds,
                     uint64_t *work);
