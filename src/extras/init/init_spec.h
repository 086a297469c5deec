// The spec that `hone init` writes, in the short form, as a person would lay it out.
#ifndef HONE_INIT_INIT_SPEC_H
#define HONE_INIT_INIT_SPEC_H

#include "base/text.h"
#include "extras/init/infer.h"

// `kernel_file` and the folders of its includes as the spec names them; `function`: the file has several kernels.
void init_spec_write(const struct inferred *f, const char *kernel_file, bool function,
                     char *const *folders, uint32_t folder_count, struct text *out);

#endif
