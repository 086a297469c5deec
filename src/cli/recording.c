// Reads recorded spaces as the command line names them, and refuses a choice where a file has one.
#include "cli/recording.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// "A=1, B=2", sorted by name, as a store keeps constants; NULL: none are given.
static const char *constants_given(struct work *w)
{
    const struct list *set = &w->given->set;
    struct text text = TEXT_INIT;
    if (w->spec || set->count == 0)
        return w->spec ? w->constants : NULL;
    const char **sorted = arena_copy(&w->arena, set->items, set->count * sizeof *sorted);
    if (!sorted)
        return NULL;
    qsort(sorted, set->count, sizeof *sorted, by_name);
    for (uint32_t i = 0; i < set->count; i++)
        text_addf(&text, "%s%s", i ? ", " : "", sorted[i]);
    return text_to_arena(&text, &w->arena);
}

int recording_refuse_choice(const struct work *w, const char *name, const struct recorded *r)
{
    const struct spec_settings *s = w->given;
    const char *other = s->device                  ? "--device"
                        : name                     ? "--spec"
                        : !w->spec && s->set.count ? "--set"
                                                   : NULL;
    if (r->format == RECORDED_STORE || !other)
        return EXIT_DONE;
    return refuse(EXIT_USAGE, "%s chooses among what a store has; %s (%s) has one recorded space",
                  other, r->path, recorded_format_text(r->format));
}

int recording_read(struct work *w, const char *path, const char *name, struct recorded **out)
{
    struct error e = ERROR_INIT;
    struct recorded_options o = {.spec = w->spec,
                                 .log = &w->log,
                                 .name = name,
                                 .device = w->given->device,
                                 .constants = constants_given(w)};
    *out = recorded_read(path, &o, &e);
    if (*out)
        return EXIT_DONE;
    // A file that cannot be read is the caller's to mend, as a spec is.
    work_failed(&e);
    return e.code == ERROR_MEMORY ? EXIT_NOTHING : EXIT_USAGE;
}
