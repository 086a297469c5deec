// A part of a space as text: its --config, --where and --part, each kind sorted and without repetitions,
// quoted for a shell. Equal parts have equal texts, by which stored rankings are found again.
#include "search/subspace.h"

#include <stdlib.h>
#include <string.h>

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool add_all(const char *option, const char *const *given, uint32_t count, struct text *out)
{
    const char **sorted = calloc(count + 1, sizeof *sorted);
    if (!sorted)
        return false;
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = given[i];
    qsort(sorted, count, sizeof *sorted, compare_texts);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && str_equal(sorted[i], sorted[i - 1]))
            continue;
        text_addf(out, "%s--%s ", out->length ? " " : "", option);
        text_add_shell(out, sorted[i]);
    }
    free(sorted);
    return true;
}

bool subspace_text(const struct space_options *o, struct text *out)
{
    if (!add_all("config", o->configurations, o->configuration_count, out) ||
        !add_all("where", o->where, o->where_count, out))
        return false;
    if (o->share.parts > 1)
        text_addf(out, "%s--part %lu/%lu", out->length ? " " : "", (unsigned long)o->share.part + 1,
                  (unsigned long)o->share.parts);
    return !out->failed;
}
