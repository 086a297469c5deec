#include "cli/option.h"

#include "job/result.h"

#include <stdlib.h>
#include <string.h>

// ---- appliers ----------------------------------------------------------------------------------

void list_release(struct list *l)
{
    free(l->items);
    *l = (struct list){NULL, 0};
}

bool option_flag(void *field, const char *value, struct error *e)
{
    (void)value;
    (void)e;
    *(bool *)field = true;
    return true;
}

bool option_text(void *field, const char *value, struct error *e)
{
    (void)e;
    *(const char **)field = value;
    return true;
}

bool option_list(void *field, const char *value, struct error *e)
{
    struct list *l = field;
    const char **items = realloc(l->items, (l->count + 1) * sizeof *items);
    if (!items)
        return error_memory(e);
    l->items = items;
    l->items[l->count++] = value;
    return true;
}

bool option_count(void *field, const char *value, struct error *e)
{
    struct given *g = field;
    uint64_t count;
    if (!str_to_u64(value, &count) || count == 0 || count > UINT32_MAX)
        return error_set(e, ERROR_USAGE, "'%s' is no whole number from 1 to %u", value, UINT32_MAX);
    *g = (struct given){true, count};
    return true;
}

bool option_seed(void *field, const char *value, struct error *e)
{
    struct given *g = field;
    if (!str_to_u64(value, &g->value))
        return error_set(e, ERROR_USAGE, "'%s' is no whole number from 0 to %llu", value,
                         (unsigned long long)UINT64_MAX);
    g->is_given = true;
    return true;
}

// "compile, runtime, ...": what may be written.
static bool refuse_status(const char *word, struct error *e)
{
    const char *names[STATUS_COUNT];
    struct text known = TEXT_INIT;
    size_t count = 0;
    for (unsigned s = 0; s < STATUS_COUNT; s++) {
        if (s == STATUS_CORRECT)
            continue;
        names[count++] = status_text((enum status)s);
        text_addf(&known, "%s%s", known.length ? ", " : "", status_text((enum status)s));
    }
    const char *near = str_nearest(word, names, count);
    if (near)
        error_set(e, ERROR_USAGE, "'%s' is no status of a failure; did you mean '%s'?", word, near);
    else
        error_set(e, ERROR_USAGE, "'%s' is no status of a failure; there are %s", word,
                  text_cstr(&known));
    text_release(&known);
    return false;
}

bool option_statuses(void *field, const char *value, struct error *e)
{
    uint32_t *mask = field;
    enum status status;
    bool ok = true;
    if (!value) {
        *mask = UINT32_MAX;
        return true;
    }
    char *copy = strdup(value), *rest = copy, *word;
    if (!copy)
        return error_memory(e);
    while (ok && (word = strsep(&rest, ","))) {
        ok = (status_parse(word, &status) && status != STATUS_CORRECT) || refuse_status(word, e);
        if (ok)
            *mask |= 1u << status;
    }
    free(copy);
    return ok;
}

bool option_is_statuses(const char *word)
{
    struct error ignored = ERROR_INIT;
    uint32_t mask = 0;
    return option_statuses(&mask, word, &ignored);
}

// ---- finding -----------------------------------------------------------------------------------

static const struct option *find(const struct option_group *groups, const char *name, char letter)
{
    for (; groups->title; groups++) {
        for (const struct option *o = groups->options; o->name; o++) {
            if (name ? str_equal(o->name, name) : o->letter == letter)
                return o;
        }
    }
    return NULL;
}

const struct option *option_find(const struct option_group *groups, const char *name)
{
    return find(groups, name, 0);
}

bool option_group_begins(const struct option_group *groups, const struct option_group *g)
{
    return g == groups || !str_equal(g->title, g[-1].title);
}

static bool unknown(const struct option_group *groups, const char *name, struct error *e)
{
    const char *names[128];
    size_t count = 0;
    for (; groups->title; groups++) {
        for (const struct option *o = groups->options; o->name; o++) {
            if (count < sizeof names / sizeof *names)
                names[count++] = o->name;
        }
    }
    const char *near = str_nearest(name, names, count);
    if (near)
        return error_set(e, ERROR_USAGE, "unknown option --%s; did you mean --%s?", name, near);
    return error_set(e, ERROR_USAGE, "unknown option --%s", name);
}

// ---- parsing -----------------------------------------------------------------------------------

struct parse {
    const struct option_group *groups;
    int argc, at; // `at`: the next word
    char *const *argv;
    void *settings;
};

// "--retry compile": the word would be taken for the spec, and the spec for one too many.
static bool is_left_behind(const struct parse *p, const struct option *o, const char *value)
{
    return o->optional && !value && o->is_meant && p->at < p->argc && o->is_meant(p->argv[p->at]);
}

// `value` NULL: the next word is the value, for an option that takes one.
static bool apply(struct parse *p, const struct option *o, const char *value, struct error *e)
{
    if (is_left_behind(p, o, value))
        return error_set(e, ERROR_USAGE, "the value of --%s comes after '=': --%s=%s", o->name,
                         o->name, p->argv[p->at]);
    if (!o->argument && value)
        return error_set(e, ERROR_USAGE, "--%s takes no value", o->name);
    if (o->argument && !o->optional && !value) {
        if (p->at >= p->argc)
            return error_set(e, ERROR_USAGE, "--%s needs a value: --%s %s", o->name, o->name,
                             o->argument);
        value = p->argv[p->at++];
    }
    if (o->apply((char *)p->settings + o->offset, value, e))
        return true;
    return error_context(e, "--%s", o->name);
}

static bool take_long(struct parse *p, const char *word, struct error *e)
{
    char name[64];
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    str_format(name, sizeof name, "%.*s", (int)(length < 64 ? length : 64), word);
    const struct option *o = option_find(p->groups, name);
    if (!o)
        return unknown(p->groups, name, e);
    return apply(p, o, equals ? equals + 1 : NULL, e);
}

static bool take_short(struct parse *p, const char *word, struct error *e)
{
    const struct option *o = word[1] == '\0' ? find(p->groups, NULL, word[0]) : NULL;
    if (!o)
        return error_set(e, ERROR_USAGE, "unknown option -%s; options are written --name", word);
    return apply(p, o, NULL, e);
}

bool options_parse(const struct option_group *groups, int argc, char *const *argv, void *settings,
                   const char **rest, uint32_t *rest_count, struct error *e)
{
    struct parse p = {groups, argc, 0, argv, settings};
    bool ended = false;
    *rest_count = 0;
    while (p.at < argc) {
        const char *word = argv[p.at++];
        bool is_option = !ended && word[0] == '-' && word[1];
        if (is_option && str_equal(word, "--")) {
            ended = true;
            continue;
        }
        if (!is_option)
            rest[(*rest_count)++] = word;
        else if (word[1] == '-' ? !take_long(&p, word + 2, e) : !take_short(&p, word + 1, e))
            return false;
    }
    return true;
}
