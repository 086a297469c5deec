// Which of the recorded spaces of a store a user means, and how they are listed.

#include "recorded/stored_space.h"
#include "model/device_info.h"

#include <string.h>

#define SPACES_NAMED 20

static bool is_named(const struct stored_space *s, const char *wanted, bool exactly)
{
    if (exactly)
        return str_equal_nocase(s->device, wanted) || card_is_named(s->uuid, wanted) ||
               card_is_named(s->pci, wanted);
    return str_contains_nocase(s->device, wanted) || str_contains_nocase(s->platform, wanted);
}

size_t stored_spaces_keep(struct stored_space *spaces, size_t count, const char *wanted)
{
    bool exactly = false;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        exactly |= is_named(&spaces[i], wanted, true);
    for (size_t i = 0; i < count; i++) {
        if (is_named(&spaces[i], wanted, exactly))
            spaces[kept++] = spaces[i];
    }
    return kept;
}

static bool is_kept_beside(const struct stored_space *s, const struct stored_space *spaces,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_starts(s->spec, spaces[i].spec) &&
            str_starts(s->spec + strlen(spaces[i].spec), " ("))
            return true;
    }
    return false;
}

size_t stored_spaces_own(struct stored_space *spaces, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_kept_beside(&spaces[i], spaces, count))
            spaces[kept++] = spaces[i];
    }
    return kept;
}

void stored_spaces_list(const struct stored_space *spaces, size_t count, struct text *out)
{
    for (size_t i = 0; i < count && i < SPACES_NAMED; i++) {
        const struct stored_space *s = &spaces[i];
        bool has_constants = s->constants[0] != 0;
        text_addf(out, "\n  %s%s%s%s on %s, %s, %s: %llu result%s", s->spec,
                  has_constants ? " (" : "", s->constants, has_constants ? ")" : "", s->device,
                  s->platform, s->language, (unsigned long long)s->results,
                  s->results == 1 ? "" : "s");
    }
    if (count > SPACES_NAMED)
        text_addf(out, "\n  and %zu more", count - SPACES_NAMED);
}
