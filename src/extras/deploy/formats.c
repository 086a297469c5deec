// The formats by their names, and by the endings of files.
#include "extras/deploy/formats.h"

#include <string.h>

#define X(format) &deploy_format_##format,
static const struct deploy_format *const all[] = {DEPLOY_FORMATS(X)};
#undef X
#define FORMATS (sizeof all / sizeof *all)

const struct deploy_format *deploy_format_find(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (str_equal(all[i]->name, name))
            return all[i];
    }
    return NULL;
}

const struct deploy_format *deploy_format_of_file(const char *path)
{
    size_t length = strlen(path), longest = 0;
    const struct deploy_format *found = NULL;
    for (size_t i = 0; i < FORMATS; i++) {
        size_t own = strlen(all[i]->ending);
        if (length > own && own > longest && str_equal(path + length - own, all[i]->ending)) {
            found = all[i];
            longest = own;
        }
    }
    return found;
}

void deploy_format_names(struct text *out)
{
    for (size_t i = 0; i < FORMATS; i++)
        text_addf(out, "%s%s", i ? ", " : "", all[i]->name);
}
