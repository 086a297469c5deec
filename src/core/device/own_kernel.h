// Kernels of hone's own: what verification computes where the data is. Above the backend table, so
// that one text serves every language.
//
// The texts are OpenCL C that is also C++ once CUDA's prologue has given it OpenCL's words:
// __kernel, __global, __local (without underscores NVRTC uses these itself), get_local_id() and its
// like (along 0 and 1, as uint), barrier(), uchar, ushort, uint, ulong, as_float() and its like.
// `long` has 64 bits, `function` stands before each function that is no kernel, and doubles are
// there where the device has float64. Pointers name their address space.
#pragma once

#include "device/backend.h"

struct device;

struct own_text {
    const char *name;          // of the kernel; in static storage
    const char *defines;       // lines in front of the text: what makes one text several kernels
    const char *const *pieces; // of the text, NULL-terminated; in static storage
};

// A piece of texts: narrow_value() of the bits of a float of 16 or 8 bits, as narrow_to_f64() has it. It
// is empty but for those types, which these lines tell it of.
extern const char own_narrow[]; // kernels/own_narrow.cl
void own_narrow_defines(enum scalar s, struct text *out);

// Work-items in a group of each of these kernels, at most.
#define OWN_GROUP 256

// Can the backend build any, and the device run them?
bool own_kernels_offered(const struct device *d);
// Built when first asked for and kept; NULL when it cannot be built, then and ever after, and the
// error says why each time.
void *own_kernel_get(struct device *d, const struct own_text *t, struct error *e);
// Is it built, or was it asked for in a collection and is built by now? Does not wait; of a collection it is asked for.
bool own_kernel_ready(struct device *d, const struct own_text *t);
// Kernels requested in between are not built at once (own_kernel_get() is NULL) but, from
// own_kernels_start() on at the latest, in that order and by a thread, while the caller does
// something else. A later request waits for its kernel. Kernels that an earlier collection
// requested, and that were not begun, are not built unless they are requested again.
void own_kernels_collect(struct device *d);
void own_kernels_start(struct device *d);
// Puts the launch into the queue and does not wait; memory_read() of what it writes does.
bool own_kernel_run(struct device *d, void *kernel, const struct own_launch *l, struct error *e);
void own_kernels_free(struct device *d);

// The memory of partial results, at least `bytes` long and kept: what is in it lasts until the next
// one asks.
struct memory *own_scratch(struct device *d, uint64_t bytes, struct error *e);

#define OWN_MEMORY(m)                                                                              \
    {                                                                                              \
        .memory = (m)                                                                              \
    }
#define OWN_WHOLE(m)                                                                               \
    {                                                                                              \
        .memory = (m), .whole = true                                                               \
    }
#define OWN_VALUE(v)                                                                               \
    {                                                                                              \
        .value = &(v), .size = sizeof(v)                                                           \
    }
