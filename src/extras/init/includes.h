// Reads a kernel's file together with the files that it includes.
#pragma once

#include "base/error.h"
#include "base/text.h"

// The text of `path`, with #line after each file that was put in. Those are looked for beside the file that includes
// them, then in `folders` (ends with NULL; or NULL: none). `missing`: (or NULL) those that are nowhere, with
// commas; in front of those in angle brackets stands <. False: it cannot be read, or without memory.
bool infer_read(const char *path, const char *const *folders, struct text *out,
                struct text *missing, struct error *e);
