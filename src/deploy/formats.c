// The formats by their names.
#include "deploy/formats.h"

const struct deploy_format *deploy_format_find(const char *name)
{
#define X(format) &deploy_format_##format,
    static const struct deploy_format *const all[] = {DEPLOY_FORMATS(X)};
#undef X
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (str_equal(all[i]->name, name))
            return all[i];
    }
    return NULL;
}
