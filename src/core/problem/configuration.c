// Configurations as text: "a=1, b=2" in tables, keys of the store and on the command line, or JSON.
// Reading accepts any order and names the nearest parameter or value where one is unknown.
#include "problem/spec.h"

#include "base/text.h"

#include <jansson.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_VALUES 12

// ---- writing -----------------------------------------------------------------------------------

// Among values of several kinds: a text that would be read as a number.
static bool value_looks_like_another(const struct value *v)
{
    struct arena scratch = {NULL, 0};
    struct value read;
    bool is_another = v->kind == VALUE_STRING && value_parse_literal(v->s, &scratch, &read) &&
                      read.kind != VALUE_STRING;
    arena_release(&scratch);
    return is_another;
}

// A value as the command line reads it back: texts bare, unless that would be ambiguous.
static void put_value(const struct value *v, bool is_mixed, struct text *out)
{
    bool bare = !(is_mixed && value_looks_like_another(v)) && v->kind == VALUE_STRING && v->s[0] &&
                !strpbrk(v->s, ",='\"\\") && !isspace((unsigned char)v->s[0]) &&
                !isspace((unsigned char)v->s[strlen(v->s) - 1]);
    if (bare)
        text_add(out, v->s);
    else
        value_print(v, out);
}

void spec_configuration_text(const struct spec *s, const uint32_t *choice, bool all,
                             struct text *out)
{
    const char *separator = "";
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        const struct parameter *p = &s->parameters[i];
        if (!all && p->count == 1)
            continue;
        text_add(out, separator);
        text_add(out, p->name);
        text_addc(out, '=');
        put_value(&p->values[choice[i]], p->type == PARAMETER_MIXED, out);
        separator = ", ";
    }
}

void spec_configuration_json(const struct spec *s, const uint32_t *choice, struct text *out)
{
    text_addc(out, '{');
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        const struct parameter *p = &s->parameters[i];
        text_add(out, i > 0 ? ", \"" : "\"");
        text_add(out, p->name);
        text_add(out, "\": ");
        const struct value *v = &p->values[choice[i]];
        if (v->kind == VALUE_STRING) {
            json_t *json = json_string(v->s);
            char *encoded = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;
            if (encoded)
                text_add(out, encoded);
            else
                out->failed = true;
            free(encoded);
            json_decref(json);
        } else if (v->kind == VALUE_BOOL)
            text_add(out, v->i ? "true" : "false");
        else
            value_print(v, out);
    }
    text_addc(out, '}');
}

static int compare_parameter_names(const void *a, const void *b)
{
    const struct constant *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

void spec_constants_text(const struct spec *s, struct text *out)
{
    const struct constant **sorted = calloc(s->constant_count + 1, sizeof(struct constant *));
    if (!sorted) {
        out->failed = true;
        return;
    }
    for (uint32_t i = 0; i < s->constant_count; i++)
        sorted[i] = &s->constants[i];
    qsort(sorted, s->constant_count, sizeof *sorted, compare_parameter_names);
    for (uint32_t i = 0; i < s->constant_count; i++) {
        text_addf(out, "%s%s=", i > 0 ? ", " : "", sorted[i]->name);
        put_value(&sorted[i]->value, false, out);
    }
    free(sorted);
}

// ---- reading -----------------------------------------------------------------------------------

// The end of a value: the next comma outside quotes, or the end of the text.
static const char *value_end(const char *at)
{
    char quote = 0;
    for (; *at; at++) {
        if (quote && *at == '\\' && at[1])
            at++;
        else if (quote && *at == quote)
            quote = 0;
        else if (!quote && (*at == '\'' || *at == '"'))
            quote = *at;
        else if (!quote && *at == ',')
            break;
    }
    return at;
}

static char *trimmed_part(struct arena *a, const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    return arena_strndup(a, from, (size_t)(to - from));
}

static bool is_constant(const struct spec *s, const char *name)
{
    for (uint32_t i = 0; i < s->constant_count; i++) {
        if (strcmp(s->constants[i].name, name) == 0)
            return true;
    }
    return false;
}

static bool unknown_parameter(const struct spec *s, const char *name, struct arena *a,
                              struct error *e)
{
    const char **names = arena_array(a, s->parameter_count + 1, sizeof *names);
    if (!names)
        return error_memory(e);
    if (is_constant(s, name))
        return error_set(e, ERROR_USAGE, "'%s' is a constant, not a parameter: --set %s=VALUE",
                         name, name);
    struct text known = TEXT_INIT;
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        names[i] = s->parameters[i].name;
        text_addf(&known, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char *near = str_nearest(name, names, s->parameter_count);
    if (near)
        error_set(e, ERROR_USAGE, "unknown parameter '%s'; did you mean '%s'?", name, near);
    else
        error_set(e, ERROR_USAGE, "unknown parameter '%s'; the spec has %s", name,
                  s->parameter_count > 0 ? text_cstr(&known) : "none");
    text_release(&known);
    return false;
}

static bool choose_value(const struct parameter *p, const char *text, struct arena *a,
                         uint32_t *choice, struct error *e)
{
    struct value v, bare = value_string(text);
    if (!value_parse_literal(text, a, &v))
        return error_memory(e);
    for (int pass = 0; pass < 2; pass++) { // as a literal before as a text
        for (uint32_t i = 0; i < p->count; i++) {
            if (!value_equal(&p->values[i], pass == 0 ? &v : &bare))
                continue;
            *choice = i;
            return true;
        }
    }
    struct text list = TEXT_INIT;
    for (uint32_t i = 0; i < p->count && i < SHOWN_VALUES; i++) {
        text_add(&list, i > 0 ? ", " : "");
        put_value(&p->values[i], p->type == PARAMETER_MIXED, &list);
    }
    error_set(e, ERROR_USAGE, "%s is not a value of %s, which has %s%s", text[0] ? text : "''",
              p->name, text_cstr(&list), p->count > SHOWN_VALUES ? ", ..." : "");
    text_release(&list);
    return false;
}

static bool read_assignment(const struct spec *s, const char *from, const char *to, struct arena *a,
                            bool *given, uint32_t *choice, struct error *e)
{
    const char *equals = memchr(from, '=', (size_t)(to - from));
    if (!equals)
        return error_set(e, ERROR_USAGE, "'%.*s': write NAME=VALUE, several separated by commas",
                         (int)(to - from), from);
    const char *name = trimmed_part(a, from, equals), *value = trimmed_part(a, equals + 1, to);
    if (!name || !value)
        return error_memory(e);
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        if (strcmp(s->parameters[i].name, name) != 0)
            continue;
        if (given[i])
            return error_set(e, ERROR_USAGE, "%s is given twice", name);
        given[i] = true;
        return choose_value(&s->parameters[i], value, a, &choice[i], e);
    }
    return unknown_parameter(s, name, a, e);
}

static bool is_blank_part(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    return from == to;
}

bool spec_parse_configuration(const struct spec *s, const char *text, uint32_t *choice,
                              struct error *e)
{
    bool ok;
    struct arena scratch;
    arena_init(&scratch);
    bool *given = arena_array(&scratch, s->parameter_count + 1, sizeof *given);
    ok = given || error_memory(e);
    for (const char *at = text; ok && *at;) {
        const char *end = value_end(at);
        ok = is_blank_part(at, end) || read_assignment(s, at, end, &scratch, given, choice, e);
        at = *end ? end + 1 : end;
    }
    arena_release(&scratch);
    return ok;
}

void spec_default(const struct spec *s, uint32_t *choice)
{
    for (uint32_t i = 0; i < s->parameter_count; i++)
        choice[i] = s->parameters[i].initial;
}

uint32_t *spec_choice(const struct spec *s, const char *values, struct arena *a, struct error *e)
{
    uint32_t *choice = arena_array(a, s->parameter_count + 1, sizeof *choice);
    if (!choice)
        return error_no_memory(e);
    spec_default(s, choice);
    return spec_parse_configuration(s, values, choice, e) ? choice : NULL;
}
