#include "make.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PART_MOST (1 << 18)

// ---- JSON from short texts ---------------------------------------------------------------------

// The next part before a semicolon, trimmed, in `part`; false at the end.
static bool next_part(const char **rest, char *part, size_t size)
{
    while (isspace((unsigned char)**rest))
        (*rest)++;
    size_t length = strcspn(*rest, ";");
    if (length == 0)
        return false;
    ck_assert_uint_lt(length, size);
    memcpy(part, *rest, length);
    part[length] = '\0';
    *rest += length + ((*rest)[length] == ';');
    while (length > 0 && isspace((unsigned char)part[length - 1]))
        part[--length] = '\0';
    return true;
}

static void add_parameters(struct text *json, const char *parameters)
{
    char part[PART_MOST];
    const char *separator = "";
    while (next_part(&parameters, part, sizeof part)) {
        char *values = strchr(part, ' '), *initial = strstr(part, "] =");
        ck_assert_ptr_nonnull(values);
        *values++ = '\0';
        text_addf(json, "%s{\"Name\": \"%s\", \"Type\": \"int\"", separator, part);
        if (initial) {
            initial[1] = '\0';
            text_addf(json, ", \"Default\": %s", initial + 3);
        }
        text_addf(json, ", \"Values\": \"%s\"}", values);
        separator = ",\n";
    }
}

static void add_derived(struct text *json, const char *derived)
{
    char part[PART_MOST];
    const char *separator = "";
    while (next_part(&derived, part, sizeof part)) {
        char *expression = strchr(part, '=');
        ck_assert_ptr_nonnull(expression);
        text_addf(json, "%s{\"Name\": \"%.*s\", \"Expression\": \"%s\"}", separator,
                  (int)(expression - part - 1), part, expression + 2);
        separator = ",\n";
    }
}

static void add_restrictions(struct text *json, const char *restrictions)
{
    char part[PART_MOST];
    const char *separator = "";
    while (next_part(&restrictions, part, sizeof part)) {
        text_addf(json, "%s{\"Expression\": \"%s\"}", separator, part);
        separator = ",\n";
    }
}

// The text as a spec, through a file that is gone afterwards.
static struct spec *load_text(const struct text *json)
{
    char path[] = "/tmp/hone-space-XXXXXX";
    struct error e = ERROR_INIT;
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, json->data, json->length), (ssize_t)json->length);
    close(file);
    struct spec *s = spec_load(path, NULL, &e);
    unlink(path);
    ck_assert_msg(s != NULL, "%.2000s\n%.2000s", e.text, json->data);
    return s;
}

struct spec *make_spec_derived(const char *parameters, const char *restrictions,
                               const char *derived, const char *more)
{
    struct text json = TEXT_INIT;
    text_addf(&json, "{%s\"ConfigurationSpace\": {\"TuningParameters\": [", more);
    add_parameters(&json, parameters);
    text_add(&json, "],\n\"Derived\": [");
    add_derived(&json, derived);
    text_add(&json, "],\n\"Conditions\": [");
    add_restrictions(&json, restrictions);
    text_add(&json, "]},\n\"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": "
                    "\"none\", \"KernelFile\": \"none.cl\", \"GlobalSize\": {\"X\": \"1\"}, "
                    "\"LocalSize\": {\"X\": \"1\"}}}");
    struct spec *s = load_text(&json);
    text_release(&json);
    return s;
}

struct spec *make_spec(const char *parameters, const char *restrictions, const char *more)
{
    return make_spec_derived(parameters, restrictions, "", more);
}

struct spec *load_spec(const char *path, const char *set)
{
    struct error e = ERROR_INIT;
    struct spec_options options = {.set = &set, .set_count = set != NULL};
    struct spec *s = spec_load(path, &options, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    return s;
}

// ---- spaces ------------------------------------------------------------------------------------

struct space *make_space(const struct spec *s, const struct space_options *o)
{
    struct error e = ERROR_INIT;
    struct space *sp = space_new(s, o, &e);
    // A part of a space lacks what the other parts hold.
    bool is_right = sp && ((o && o->share.parts > 1) || space_self_check(sp, &e));
    ck_assert_msg(is_right, "%s", e.text);
    return sp;
}

void make_choice(const struct spec *s, const char *configuration, uint32_t *choice)
{
    struct error e = ERROR_INIT;
    for (uint32_t i = 0; i < s->parameter_count; i++)
        choice[i] = 0;
    ck_assert_msg(spec_parse_configuration(s, configuration, choice, &e), "%s", e.text);
}

bool is_valid(const struct spec *s, const uint32_t *choice)
{
    struct arena scratch;
    uint32_t derived;
    enum expr_fault fault;
    bool valid, holds;
    arena_init(&scratch);
    struct value *slots = arena_array(&scratch, s->slots.count, sizeof *slots);
    ck_assert_ptr_nonnull(slots);
    spec_bind_fixed(s, NULL, slots);
    valid = spec_bind(s, choice, slots, &scratch, &derived, &fault);
    for (uint32_t i = 0; valid && i < s->restriction_count; i++) {
        fault = expr_test(s->restrictions[i].expr, slots, &scratch, &holds);
        valid = fault == EXPR_FAULT_NONE && holds;
    }
    arena_release(&scratch);
    return valid;
}

bool next_choice(const struct spec *s, uint32_t *choice)
{
    for (uint32_t i = s->parameter_count; i-- > 0;) {
        if (++choice[i] < s->parameters[i].count)
            return true;
        choice[i] = 0;
    }
    return false;
}
