// Reads a command line by tables of options. A row says how its value is read and where in the
// struct of its group it goes; the group says where that struct stands in the settings.
#include "cli/option.h"

#include "cli/option_rules.h"
#include "model/result.h"

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

bool option_once(void *field, const char *value, struct error *e)
{
    const char *given = *(const char **)field;
    if (given)
        return error_set(e, ERROR_USAGE, "given twice ('%s', '%s'); one is meant here", given,
                         value);
    return option_text(field, value, e);
}

bool option_list(void *field, const char *value, struct error *e)
{
    struct list *l = field;
    const char **items = realloc(l->items, (l->count + 2) * sizeof *items);
    if (!items)
        return error_memory(e);
    l->items = items;
    l->items[l->count++] = value;
    l->items[l->count] = NULL;
    return true;
}

bool option_number(uint32_t *number, const char *value, uint32_t least, uint32_t most,
                   struct error *e)
{
    uint64_t count;
    if (!str_to_u64(value, &count) || count < least || count > most)
        return error_set(e, ERROR_USAGE, "'%s' is not a whole number from %u to %u", value, least,
                         most);
    *number = (uint32_t)count;
    return true;
}

bool option_count(void *field, const char *value, struct error *e)
{
    return option_number(field, value, 1, UINT32_MAX, e);
}

bool option_seed(void *field, const char *value, struct error *e)
{
    return str_to_u64(value, field) ||
           error_set(e, ERROR_USAGE, "'%s' is not a whole number from 0 to %llu", value,
                     (unsigned long long)UINT64_MAX);
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
        error_set(e, ERROR_USAGE, "'%s' is not a status of a failure; did you mean '%s'?", word,
                  near);
    else
        error_set(e, ERROR_USAGE, "'%s' is not a status of a failure; there are %s", word,
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

const struct option help_options[] = {
    {OPTION("help", NULL, option_flag, 0), .letter = 'h',
     .brief = "print this text; with --all everything",
     .help = "Print a screen of help and exit; with --all everything."},
    {0},
};

// *at, if wanted: where the struct of its group stands.
static const struct option *find_option(const struct option_group *groups, const char *name,
                                        char letter, size_t *at)
{
    for (; groups->title; groups++) {
        for (const struct option *o = groups->options; o->name; o++) {
            if (name ? !str_equal(o->name, name) : o->letter != letter)
                continue;
            if (at)
                *at = groups->at;
            return o;
        }
    }
    return NULL;
}

const struct option *option_find(const struct option_group *groups, const char *name)
{
    return find_option(groups, name, 0, NULL);
}

bool option_group_begins(const struct option_group *groups, const struct option_group *g)
{
    return g == groups || !str_equal(g->title, g[-1].title);
}

// Options of earlier versions, and what is said now. Those with an `option` are still understood: it is given
// `value`, or what the old one was given.
static const struct former {
    const char *name, *now, *option, *value;
} former_options[] = {
    {"again", "--fresh=ranking", NULL, NULL},
    {"clear", "`hone cache clear`", NULL, NULL},
    {"color", "CLICOLOR_FORCE=1 or NO_COLOR=1 in the environment", NULL, NULL},
    {"compare", "--repeats N", "repeats", NULL},
    {"completion", "--print SHELL", NULL, NULL},
    {"counters", "--with counters", "with", "counters"},
    {"csv", "--format csv --views VIEW", NULL, NULL},
    {"fail-if", "--within SHARE", "within", NULL},
    {"hold-out", "--sample N", "sample", NULL},
    {"junit", "--output FILE", NULL, NULL},
    {"launches", "--sample N", "sample", NULL},
    {"list", "--verbose", NULL, NULL},
    {"lock-wait", "--timeout lock=TIME", NULL, NULL},
    {"man", "--print man", NULL, NULL},
    {"markdown", "--format markdown", NULL, NULL},
    {"no-store", "--store none", "store", "none"},
    {"no-transfer", "--fresh=transfer", "fresh", "transfer"},
    {"other-driver", "--allow driver", NULL, NULL},
    {"outlier", "--rule outlier=NUMBER", NULL, NULL},
    {"passes", "--repeats", NULL, NULL},
    {"prune", "`hone store prune`", NULL, NULL},
    {"reference", "--races=reference", NULL, NULL},
    {"retry", "--fresh=failures, or --fresh=STATUS", NULL, NULL},
    {"reuse-unseen", "--also unseen", "also", "unseen"},
    {"save-baseline", "--output FILE", NULL, NULL},
    {"schema", "--print schema", NULL, NULL},
    {"stats", "--details", NULL, NULL},
    {"stored", "`hone best --config ... --details`", NULL, NULL},
    {"strict-nodes", "--strict", NULL, NULL},
    {"svg", "--output FILE.svg (of hone report with --views VIEW)", NULL, NULL},
    {"timing", "--details", NULL, NULL},
    {"top", "--sample top=N", NULL, NULL},
    {"transfer", "--also", NULL, NULL},
    {"unranked", "--rule rounds=0", "rule", "rounds=0"},
    {"until-eof", "--watch=stdin", NULL, NULL},
    {"verify", "`hone store verify`", NULL, NULL},
    {"with-binaries", "--with binaries", NULL, NULL},
    {"with-source", "--with source", NULL, NULL},
};

static const struct former *find_former(const char *name)
{
    for (size_t i = 0; i < sizeof former_options / sizeof *former_options; i++) {
        if (str_equal(former_options[i].name, name))
            return &former_options[i];
    }
    return NULL;
}

static bool unknown(const struct option_group *groups, const char *name, struct error *e)
{
    const struct former *former = find_former(name);
    if (former && !former->option) // else the command has not what it is now
        return error_set(e, ERROR_USAGE, "there is no --%s any more: it is %s now", name,
                         former->now);
    if (str_equal(name, "store") || (former && str_equal(former->option, "store")))
        return error_set(e, ERROR_USAGE,
                         "unknown option --%s: this command neither reads nor writes a store, "
                         "leave it out",
                         name);
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
    bool *help;
    struct typed_option *typed;
    size_t typed_count, typed_room;
};

static bool note_typed(struct parse *p, const struct option *o, const char *value, struct error *e)
{
    if (p->typed_count == p->typed_room) {
        size_t room = 2 * p->typed_room + 16;
        struct typed_option *more = realloc(p->typed, room * sizeof *more);
        if (!more)
            return error_memory(e);
        p->typed = more;
        p->typed_room = room;
    }
    p->typed[p->typed_count++] = (struct typed_option){o, value};
    return true;
}

// "--retry compile": the word would be taken for the spec, and the spec for one too many.
static bool is_left_behind(const struct parse *p, const struct option *o, const char *value)
{
    return o->optional && !value && o->is_meant && p->at < p->argc && o->is_meant(p->argv[p->at]);
}

// `value` NULL: the next word is the value, for an option that takes one.
static bool apply_option(struct parse *p, const struct option *o, size_t at, const char *value,
                         struct error *e)
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
    void *field = o == help_options ? (void *)p->help : (char *)p->settings + at + o->offset;
    if (o->apply(field, value, e))
        return note_typed(p, o, value, e);
    return error_context(e, "--%s", o->name);
}

static bool take_long(struct parse *p, const char *word, struct error *e)
{
    char name[64];
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    str_format(name, sizeof name, "%.*s", (int)(length < 64 ? length : 64), word);
    size_t at;
    const char *value = equals ? equals + 1 : NULL;
    const struct option *o = find_option(p->groups, name, 0, &at);
    const struct former *former = o ? NULL : find_former(name);
    if (former && former->option && (o = find_option(p->groups, former->option, 0, &at)) &&
        former->value) {
        if (value)
            return error_set(e, ERROR_USAGE, "--%s takes no value", name);
        value = former->value;
    }
    if (!o)
        return unknown(p->groups, name, e);
    return apply_option(p, o, at, value, e);
}

// "-v", "-b 60s", "-b60s", "-b=60s", and flags in one word: "-vh". A long name with one dash is not
// a list of short options.
static bool take_short(struct parse *p, const char *word, struct error *e)
{
    char name[64];
    str_format(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    if (word[1] && find_option(p->groups, name, 0, NULL))
        return error_set(e, ERROR_USAGE, "-%s has two dashes: --%s", name, name);
    for (; *word; word++) {
        size_t at;
        const struct option *o = find_option(p->groups, NULL, *word, &at);
        if (!o)
            return error_set(e, ERROR_USAGE, "unknown option -%s; long options are written --name",
                             word);
        bool has_value = o->argument && word[1];
        if (!apply_option(p, o, at, has_value ? word + 1 + (word[1] == '=') : NULL, e))
            return false;
        if (has_value)
            break;
    }
    return true;
}

static bool parse_words(struct parse *p, const char **rest, uint32_t *rest_count, struct error *e)
{
    bool ended = false;
    while (p->at < p->argc) {
        const char *word = p->argv[p->at++];
        bool is_option = !ended && word[0] == '-' && word[1];
        if (is_option && str_equal(word, "--")) {
            ended = true;
            continue;
        }
        if (!is_option)
            rest[(*rest_count)++] = word;
        else if (word[1] == '-' ? !take_long(p, word + 2, e) : !take_short(p, word + 1, e))
            return false;
    }
    return true;
}

bool options_parse(const struct option_group *groups, int argc, char *const *argv, void *settings,
                   bool *help, const char **rest, uint32_t *rest_count, struct error *e)
{
    struct parse p = {groups, argc, 0, argv, settings, help, NULL, 0, 0};
    *rest_count = 0;
    *help = false;
    bool ok = parse_words(&p, rest, rest_count, e) &&
              (*help || option_rules_check(p.typed, p.typed_count, e));
    free(p.typed);
    return ok;
}

void options_release(const struct option_group *groups, void *settings)
{
    for (; groups->title; groups++) {
        for (const struct option *o = groups->options; o->name; o++) {
            if (o->is_list)
                list_release((struct list *)(void *)((char *)settings + groups->at + o->offset));
        }
    }
}

void *option_field(const struct option_group *groups, void *settings, const struct option *row)
{
    for (; groups->title; groups++) {
        for (const struct option *o = groups->options; o->name; o++) {
            if (o == row)
                return (char *)settings + groups->at + o->offset;
        }
    }
    return NULL;
}
