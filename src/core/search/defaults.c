// The spec's own Budget and Search, for a tune that is given neither. Attributes that hone's
// strategy of that name does not have, or not with that value, are left out with a note.
#include "search/defaults.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

// A whole number that a double holds without loss, and that no budget reaches.
#define MOST 0x1p62

static uint64_t whole(double value)
{
    return value < MOST ? (uint64_t)ceil(value) : (uint64_t)MOST;
}

struct budget defaults_budget(const struct spec *s)
{
    return (struct budget){.configurations = whole(s->budget_count),
                           .nanoseconds = whole(s->budget_seconds * 1e9),
                           .fraction = s->budget_fraction};
}

// Does the strategy have this option, with this value?
static bool is_option(const char *strategy, const char *attribute, const struct spec *s,
                      const struct log *log)
{
    struct error why = ERROR_INIT;
    struct text one = TEXT_INIT;
    text_addf(&one, "%s%s%s", strategy, strchr(strategy, ':') ? "," : ":", attribute);
    bool ok = !one.failed && strategy_check(text_cstr(&one), &why);
    if (why.code)
        spec_warn(s, log, LOG_NOTE, "Search.Attributes: %s: ignored", why.text);
    text_release(&one);
    return ok;
}

bool defaults_strategy(const struct spec *s, const struct log *log, struct arena *a,
                       const char **out)
{
    struct error why = ERROR_INIT;
    struct text text = TEXT_INIT;
    *out = NULL;
    if (!s->strategy)
        return true;
    if (strategy_runs_program(s->strategy)) {
        spec_warn(s, log, LOG_WARNING,
                  "Search.Name: the default strategy is taken: a spec names no program to run; "
                  "--strategy on the command line does");
        return true;
    }
    if (!strategy_check(s->strategy, &why)) {
        spec_warn(s, log, LOG_NOTE, "Search.Name: the default strategy is taken: %s", why.text);
        return why.code != ERROR_MEMORY;
    }
    text_add(&text, s->strategy);
    const char *separator = strchr(s->strategy, ':') ? "," : ":";
    for (uint32_t i = 0; i < s->strategy_attribute_count; i++) {
        const char *attribute = s->strategy_attributes[i];
        if (!is_option(s->strategy, attribute, s, log))
            continue;
        text_addf(&text, "%s%s", separator, attribute);
        separator = ",";
    }
    *out = text_to_arena(&text, a);
    return *out != NULL;
}
