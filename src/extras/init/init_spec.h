// The spec that `hone init` writes, in the short form, as a person would lay it out.
#pragma once

#include "base/text.h"
#include "extras/init/infer.h"

struct init_file {
    const char *path;     // of the kernel, as the spec names it
    const char *ahead;    // (or NULL) of a file that is joined in front of it
    const char *language; // of both
    bool has_several;     // kernels
    char *const *folders; // of its includes, likewise
    uint32_t folder_count;
    const char *const *defines; // "NAME=VALUE", which its options are to have
    uint32_t define_count;
};

void init_spec_write(const struct inferred *f, const struct init_file *file, struct text *out);
