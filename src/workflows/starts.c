// Configurations as texts become indices of a space, or an error that says what excludes one.
#include "workflows/starts.h"

// A configuration of another part of the space (--part) is left to the tune of that part; any other
// invalid one is refused.
static bool is_of_another_part(const struct space *space, const uint32_t *choice, struct error *e)
{
    struct space_reason reason;
    struct text why = TEXT_INIT;
    space_why(space, choice, &reason);
    if (!reason.restriction && !reason.fault)
        return true;
    space_reason_text(space, choice, &reason, &why);
    error_set(e, ERROR_USAGE, "it is excluded: %s", text_cstr(&why));
    text_release(&why);
    return false;
}

bool starts_find(const struct space *space, const char *const *texts, uint32_t count,
                 struct arena *a, const struct log *log, const uint64_t **out, uint32_t *found,
                 struct error *e)
{
    const struct spec *spec = space_spec(space);
    uint32_t *choice = arena_array(a, spec->parameter_count + 1, sizeof *choice);
    uint64_t *list = arena_array(a, count + 1, sizeof *list);
    *found = 0;
    *out = list;
    if (!choice || !list)
        return error_memory(e);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = 0;
        spec_default(spec, choice);
        bool ok = spec_parse_configuration(spec, texts[i], choice, e);
        bool is_here = ok && space_find(space, choice, &list[*found]);
        if (!ok || (!is_here && !is_of_another_part(space, choice, e)))
            return error_context(e, "to start with '%s'", texts[i]);
        if (!is_here) {
            log_add(log, LOG_NOTE, "to start with '%s' is left to another part of the space",
                    texts[i]);
            continue;
        }
        while (list[before] != list[*found])
            before++;
        *found += before == *found;
    }
    return true;
}
