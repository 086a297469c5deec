// NVIDIA's tools as child processes, where they are installed: ptxas makes a cubin of PTX, nvdisasm
// (or cuobjdump, which needs it) the text of a cubin. They are looked for in PATH, then in a folder
// of the toolkit.
#pragma once

#include "base/text.h"

struct code_tools {
    const char *scratch; // an existing folder for temporary files, which are removed again
    const char *folder;  // (optional) where tools are that PATH does not have; default CODE_FOLDER
    int limit_ms;        // for each call; 0: CODE_LIMIT_MS
};

#define CODE_FOLDER   "/usr/local/cuda/bin"
#define CODE_LIMIT_MS 60000

// The cubin of a PTX text for a target ("sm_90a"), as ptxas makes it without further options. The
// error of a missing tool names it.
bool code_assemble(const struct code_tools *t, const char *ptx, size_t length, const char *target,
                   struct text *cubin, struct error *e);
// The SASS of a cubin.
bool code_disassemble(const struct code_tools *t, const void *cubin, size_t length,
                      struct text *sass, struct error *e);
