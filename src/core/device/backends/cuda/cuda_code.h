// A compiled program: code, names, log. As bytes it is a build worker's image and a file of hone's
// cache; both are checked by a digest, so that a damaged one is as good as none.
#pragma once

#include "base/digest.h"
#include "base/text.h"

struct cuda_code {
    struct text code;  // a cubin, or PTX
    struct text names; // of its kernels: as they were asked for and as they are in the code, by
                       // turns, each terminated
    struct text log;   // what the compiler said, without what differs from run to run
};

#define CUDA_CODE_INIT                                                                             \
    {                                                                                              \
        .code = TEXT_INIT                                                                          \
    }

void cuda_code_release(struct cuda_code *c);
void cuda_code_add_name(struct cuda_code *c, const char *asked, const char *lowered);
// The kernel's name in the code; `asked` itself where it is not among the names.
const char *cuda_code_name(const struct cuda_code *c, const char *asked);

bool cuda_code_write(const struct cuda_code *c, struct text *out, struct error *e);
// False, `out` empty, when the bytes are not what cuda_code_write() wrote.
bool cuda_code_read(const void *bytes, size_t length, struct cuda_code *out);

// A folder may be NULL: nothing is kept. Failures to keep it cost time, nothing else.
bool cuda_cache_find(const char *folder, const struct digest *key, struct cuda_code *out);
void cuda_cache_keep(const char *folder, const struct digest *key, const struct cuda_code *c);
