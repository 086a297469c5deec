// The table of strategies, and what is common to all: finding one by name, its options, and the
// forwarding of ask and tell.
#include "search/search.h"

#include "base/text.h"
#include "search/options.h"
#include "search/strategies.h"

#include <stdlib.h>
#include <string.h>

static const struct strategy_operations *const table[] = {
    &strategy_exhaustive,
    &strategy_random,
    &strategy_genetic,
    &strategy_anneal,
    &strategy_surrogate,
    &strategy_exec,
    NULL,
};

const struct strategy_operations *const *strategies(void)
{
    return table;
}

static const struct strategy_operations *find_strategy(const char *name, struct error *e)
{
    for (size_t i = 0; table[i]; i++) {
        if (str_equal_nocase(table[i]->name, name))
            return table[i];
    }
    // Unknown: says which there are and which was probably meant.
    const char *names[sizeof table / sizeof *table];
    struct text list = TEXT_INIT;
    size_t count = 0;
    for (; table[count]; count++) {
        names[count] = table[count]->name;
        text_addf(&list, "%s%s", count > 0 ? ", " : "", names[count]);
    }
    const char *near = str_nearest(name, names, count);
    if (near)
        error_set(e, ERROR_USAGE, "unknown strategy '%s'; did you mean '%s'?", name, near);
    else
        error_set(e, ERROR_USAGE, "unknown strategy '%s'; there are: %s", name, text_cstr(&list));
    text_release(&list);
    return NULL;
}

// Reads "name:options"; `values` has room for STRATEGY_OPTIONS_MOST. *argument: what stands behind the colon,
// where that is no options.
static const struct strategy_operations *read_strategy_text(const char *text, double *values,
                                                            const char **argument, struct error *e)
{
    char name[64];
    size_t length = strcspn(text, ":");
    str_format(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name), text);
    const struct strategy_operations *ops = find_strategy(name, e);
    const char *options = text[length] == ':' ? text + length + 1 : NULL;
    *argument = NULL;
    if (ops && ops->argument) {
        *argument = options;
        if (options && options[strspn(options, " ")])
            return ops;
        error_set(e, ERROR_USAGE, "strategy '%s': give what it runs: %s:%s", ops->name, ops->name,
                  ops->argument);
        return NULL;
    }
    return ops && options_read(ops, options, values, e) ? ops : NULL;
}

bool strategy_check(const char *text, struct error *e)
{
    double values[STRATEGY_OPTIONS_MOST];
    const char *argument;
    return !text || read_strategy_text(text, values, &argument, e) != NULL;
}

bool strategy_runs_program(const char *text)
{
    struct error none = ERROR_INIT;
    char name[64];
    str_format(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    const struct strategy_operations *ops = find_strategy(name, &none);
    return ops && ops->argument;
}

const char *strategy_default(void)
{
    return strategy_surrogate.name;
}

// The one to take when none is named.
static const char *choose_strategy(const struct strategy_setup *setup)
{
    bool covered = setup->budget > 0 && setup->budget >= space_count(setup->space);
    return covered ? strategy_exhaustive.name : strategy_default();
}

static char *describe_options(const struct strategy_operations *ops, const double *values,
                              const char *argument, struct error *e)
{
    struct text out = TEXT_INIT;
    options_print(ops, values, &out);
    if (argument)
        text_addf(&out, ":%s", argument);
    char *description = text_steal(&out);
    if (!description)
        error_memory(e);
    return description;
}

static struct strategy *create_strategy(const struct strategy_operations *ops,
                                        struct strategy_setup setup, const double *values,
                                        struct error *e)
{
    setup.options = values;
    if (setup.in_flight == 0)
        setup.in_flight = 1;
    // A strategy keeps nothing of the setup.
    // cppcheck-suppress returnDanglingLifetime
    return ops->create(&setup, e);
}

struct strategy *strategy_new(const char *text, const struct strategy_setup *setup, struct error *e)
{
    double values[STRATEGY_OPTIONS_MOST] = {0};
    struct strategy_setup own = *setup;
    const struct strategy_operations *ops =
        read_strategy_text(text ? text : choose_strategy(setup), values, &own.argument, e);
    char *description = ops ? describe_options(ops, values, own.argument, e) : NULL;
    struct strategy *s = description ? create_strategy(ops, own, values, e) : NULL;
    if (!s) {
        free(description);
        return NULL;
    }
    s->ops = ops;
    s->description = description;
    return s;
}

size_t strategy_ask(struct strategy *s, uint64_t *out, size_t capacity)
{
    return s->ops->ask(s, out, capacity);
}

void strategy_tell(struct strategy *s, uint64_t index, enum status status, double value)
{
    if (s->ops->tell)
        s->ops->tell(s, index, status, value);
}

void strategy_cost(struct strategy *s, uint64_t index, double ns)
{
    if (s->ops->cost)
        s->ops->cost(s, index, ns);
}

bool strategy_wait(struct strategy *s, int timeout_ms)
{
    return s->ops->wait && s->ops->wait(s, timeout_ms);
}

bool strategy_hears(const char *text, const struct strategy_setup *setup)
{
    struct error none = ERROR_INIT;
    char name[64];
    const char *of = text ? text : choose_strategy(setup);
    str_format(name, sizeof name, "%.*s", (int)strcspn(of, ":"), of);
    const struct strategy_operations *ops = find_strategy(name, &none);
    return ops && ops->heard;
}

void strategy_heard(const struct strategy *s, struct strategy_heard *out)
{
    s->ops->heard(s, out);
}

void strategy_free(struct strategy *s)
{
    if (!s)
        return;
    free(s->description);
    s->ops->destroy(s);
}

const char *strategy_name(const struct strategy *s)
{
    return s->ops->name;
}

const char *strategy_description(const struct strategy *s)
{
    return s->description;
}
