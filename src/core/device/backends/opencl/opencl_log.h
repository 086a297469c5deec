// The assembler's part of NVIDIA's build logs, kept.
//
// The driver reports registers and spills only when it really assembles: a program that its disk
// cache knows has an empty log. So the log is kept in hone's own cache, by the PTX it belongs to.
#pragma once

#include "base/text.h"

// Keeps the log of this PTX when it has an assembler's part, else adds the one kept before.
// `folder` may be NULL: nothing is kept. Failures cost information, nothing else.
void opencl_log_complete(const char *folder, const void *ptx, size_t length, struct text *log);
