// The line by which a deployed file says what it was made from: `hone deploy --check` finds it in any format.
//
//   hone-deploy 1 version=0.2.0 language=opencl source=<SHA-256> spec-digest=<SHA-256> spec=<path>
//
// In the path everything but letters, digits and ./_+- is written as %XX.
#pragma once

#include "extras/deploy/dispatch.h"

struct deploy_stamp {
    const char *version, *spec_path;
    enum language language;
    char source[65], spec_digest[65];
};

void deploy_stamp_add(const struct deploy_table *t, struct text *out);
// The first in the text, in the arena. The error says that there is none, or what of it cannot be read.
bool deploy_stamp_find(const char *text, const char *name, struct arena *a,
                       struct deploy_stamp *out, struct error *e);

// Has the spec, or a text of its kernel, changed since? *what says which, "" where nothing did.
bool deploy_stamp_check(const struct deploy_stamp *stamp, const struct spec *now, const char **what,
                        struct error *e);
