// Initial contents of buffers: bit for bit the same on every machine and backend, because they are
// made here, in integers and exactly rounded operations, and copied to the device.
#pragma once

#include "base/error.h"
#include "model/job.h"

// The contents of a write-only output or a temporary before the verified launch: one byte,
// repeated. As half, float and double it is a large finite number (61280, 1.3e36, 1.2e286), so that
// an element left unwritten is far from any likely result, and not a NaN that might be mistaken for
// the kernel's.
#define POISON_BYTE 0x7b

// Components that carry data, all elements together.
uint64_t fill_components(const struct job_buffer *b);
uint64_t fill_bytes(const struct job_buffer *b);
// Is each bit of the contents 0?
bool fill_is_zero(const struct job_buffer *b);
// Writes fill_bytes(b) bytes. A buffer without a fill is poisoned.
bool fill_make(const struct job_buffer *b, void *out, struct error *e);
