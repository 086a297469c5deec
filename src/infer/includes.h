// What a kernel's file says together with the files beside it that it includes.
#ifndef HONE_INFER_INCLUDES_H
#define HONE_INFER_INCLUDES_H

#include "base/error.h"
#include "base/text.h"

// The text of `path`, with #line after each file that was put in. False: it cannot be read, or without memory.
bool infer_read(const char *path, struct text *out, struct error *e);

#endif
