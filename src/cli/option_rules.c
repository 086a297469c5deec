// A rule is a text of lines, "all, config: why": names of other options, then the reason. A name may have a value,
// "device=all", the beginning of one, "left=run=*", or one that is not meant, "store!=none"; without it any is meant.
#include "cli/option_rules.h"

#include <string.h>

struct rule_line {
    const char *names, *why;
    int names_length, why_length;
};

static bool next_line(const char **at, struct rule_line *out)
{
    if (!*at || !**at)
        return false;
    out->names = *at;
    out->names_length = (int)strcspn(*at, ":");
    out->why = *at + out->names_length + 2;
    out->why_length = (int)strcspn(out->why, "\n");
    *at = out->why + out->why_length;
    *at += **at == '\n';
    return true;
}

static bool next_name(struct rule_line *line, char *name, size_t size)
{
    if (line->names_length <= 0)
        return false;
    int length = (int)strcspn(line->names, ",:");
    str_format(name, size, "%.*s", length, line->names);
    line->names += length + 2; // behind ", "
    line->names_length -= length + 2;
    return true;
}

static bool is_meant(const struct typed_option *t, const char *name)
{
    const char *value = strchr(name, '=');
    size_t length = strcspn(name, "!=");
    if (strncmp(t->row->name, name, length) != 0 || t->row->name[length])
        return false;
    if (name[length] == '!')
        return !t->value || !str_equal(t->value, value + 1);
    size_t begins = value ? strcspn(++value, "*") : 0;
    if (!value || !t->value)
        return !value;
    return value[begins] ? strncmp(t->value, value, begins) == 0 : str_equal(t->value, value);
}

static const struct typed_option *find_typed(const struct typed_option *typed, size_t count,
                                             const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (is_meant(&typed[i], name))
            return &typed[i];
    }
    return NULL;
}

// "--device all" for "device=all".
static void put_typed(const char *name, const struct typed_option *t, struct text *out)
{
    text_addf(out, "--%s", t->row->name);
    if (strchr(name, '=') && !strchr(name, '!'))
        text_addf(out, " %s", t->value);
}

static bool check_excluded(const struct typed_option *one, const struct typed_option *typed,
                           size_t count, struct error *e)
{
    struct rule_line line;
    char name[64];
    for (const char *at = one->row->excludes; next_line(&at, &line);) {
        while (next_name(&line, name, sizeof name)) {
            struct text other = TEXT_INIT;
            const struct typed_option *found = find_typed(typed, count, name);
            if (!found)
                continue;
            put_typed(name, found, &other);
            error_set(e, ERROR_USAGE, "--%s and %s exclude each other: %.*s; leave one of them out",
                      one->row->name, text_cstr(&other), line.why_length, line.why);
            text_release(&other);
            return false;
        }
    }
    return true;
}

// "--a, --b or --c"
static void put_names(const struct option_group *groups, struct rule_line line, const char *last,
                      struct text *out)
{
    char name[64], following[64];
    bool is_first = true, is_more = next_name(&line, following, sizeof following);
    while (is_more) {
        str_format(name, sizeof name, "%s", following);
        is_more = next_name(&line, following, sizeof following);
        char *value = strchr(name, '=');
        if (strchr(name, '!'))
            value = NULL;
        name[strcspn(name, "!=")] = '\0';
        if (groups && !option_find(groups, name))
            continue;
        text_addf(out, "%s--%s", is_first ? "" : is_more ? ", " : last, name);
        if (value)
            text_addf(out, " %s", value + 1);
        is_first = false;
    }
}

static bool check_needed(const struct typed_option *one, const struct typed_option *typed,
                         size_t count, struct error *e)
{
    struct rule_line line;
    char name[64];
    for (const char *at = one->row->needs; next_line(&at, &line);) {
        struct rule_line names = line;
        struct text needed = TEXT_INIT;
        bool has_one = false;
        while (next_name(&names, name, sizeof name))
            has_one = has_one || find_typed(typed, count, name);
        if (has_one)
            continue;
        put_names(NULL, line, " or ", &needed);
        error_set(e, ERROR_USAGE, "--%s needs %s: %.*s", one->row->name, text_cstr(&needed),
                  line.why_length, line.why);
        text_release(&needed);
        return false;
    }
    return true;
}

bool option_rules_check(const struct typed_option *typed, size_t count, struct error *e)
{
    for (size_t i = 0; i < count; i++) {
        if (!check_excluded(&typed[i], typed, count, e) ||
            !check_needed(&typed[i], typed, count, e))
            return false;
    }
    return true;
}

void option_rules_text(const struct option_group *groups, const struct option *o, struct text *out)
{
    struct rule_line line;
    struct text names = TEXT_INIT;
    const char *before = " Not with ";
    for (const char *at = o->excludes; next_line(&at, &line); text_clear(&names)) {
        put_names(groups, line, ", ", &names);
        if (names.length)
            text_addf(out, "%s%s", before, text_cstr(&names));
        before = names.length ? ", " : before;
    }
    text_add(out, str_equal(before, ", ") ? "." : "");
    before = " Needs ";
    for (const char *at = o->needs; next_line(&at, &line); text_clear(&names)) {
        put_names(groups, line, " or ", &names);
        text_addf(out, "%s%s", before, text_cstr(&names));
        before = ", and ";
    }
    text_add(out, o->needs ? "." : "");
    out->failed |= names.failed;
    text_release(&names);
}
