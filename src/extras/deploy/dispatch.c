// Makes and checks a dispatch table's parts: its columns by the spec's constants, a configuration's texts.
#include "extras/deploy/dispatch.h"

#include "known/known_core.h"
#include "problem/option_words.h"
#include "problem/facts.h"
#include "problem/sources.h"

#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_identifier(const char *s)
{
    if (!s || !is_letter(*s))
        return false;
    while (is_letter(*s) || is_digit(*s))
        s++;
    return !*s;
}

bool deploy_identifier(const char *text, struct arena *a, const char **name)
{
    char *out = arena_printf(a, "%s%s", is_letter(text[0]) ? "" : "_", text);
    for (char *c = out; c && *c; c++)
        *c = is_letter(*c) || is_digit(*c) ? *c : '_';
    *name = out;
    return out != NULL;
}

const char *deploy_architecture(const struct device_info *d, struct arena *a)
{
    const char *prefix = "pthread-", *end;
    if (d->capability > 0)
        return arena_printf(a, "sm_%u", d->capability);
    if (str_starts(d->name, "gfx"))
        return arena_strndup(a, d->name, strcspn(d->name, ":"));
    prefix = str_starts(d->name, "cpu-") ? "cpu-" : prefix;
    end = strrchr(d->name, '-');
    if (str_starts(d->name, prefix) && end && end > d->name + strlen(prefix))
        return arena_strndup(a, d->name + strlen(prefix), (size_t)(end - d->name) - strlen(prefix));
    return "";
}

// ---- columns -----------------------------------------------------------------------------------

static bool find_column(const struct spec *s, const char *name, uint32_t *out, struct error *e)
{
    const char *names[SPEC_NAMES_LIMIT];
    for (uint32_t i = 0; i < s->constant_count; i++) {
        names[i] = s->constants[i].name;
        if (!str_equal(names[i], name))
            continue;
        *out = i;
        return s->constants[i].value.kind == VALUE_INT ||
               error_set(e, ERROR_INPUT,
                         "%s: '%s' is a %s; shapes consist of constants that are whole numbers",
                         s->path, name, value_kind_name(s->constants[i].value.kind));
    }
    const char *near = str_nearest(name, names, s->constant_count);
    struct text known = TEXT_INIT;
    for (uint32_t i = 0; i < s->constant_count; i++)
        text_addf(&known, "%s%s", i ? ", " : "", names[i]);
    error_set(e, ERROR_INPUT, "%s: there is no constant '%s'%s%s%s; there are: %s", s->path, name,
              near ? "; did you mean '" : "", near ? near : "", near ? "'" : "", text_cstr(&known));
    text_release(&known);
    return false;
}

bool deploy_table_init(struct deploy_table *t, const struct spec *spec, const char *const *columns,
                       uint32_t count, struct arena *a, struct error *e)
{
    memset(t, 0, sizeof *t);
    t->spec = spec;
    t->spec_path = spec->path;
    t->hone_version = HONE_VERSION;
    t->column_count = count;
    const char **names = arena_array(a, count + 1, sizeof *names);
    uint32_t *constants = arena_array(a, count + 1, sizeof *constants);
    char hex[65];
    digest_hex(&spec->digest, hex);
    t->spec_digest = arena_strdup(a, hex);
    if (!names || !constants || !t->spec_digest || !deploy_identifier(spec->name, a, &t->name))
        return error_memory(e);
    for (uint32_t i = 0; i < count; i++) {
        if (!find_column(spec, columns[i], &constants[i], e))
            return false;
        names[i] = spec->constants[constants[i]].name;
        for (uint32_t k = 0; k < i; k++) {
            if (constants[k] == constants[i])
                return error_set(e, ERROR_INPUT, "the column '%s' is there twice", columns[i]);
        }
    }
    t->columns = names;
    t->column_constants = constants;
    return count > 0 || error_set(e, ERROR_USAGE, "a shape has no columns");
}

// ---- configurations ----------------------------------------------------------------------------

bool deploy_is_column(const struct deploy_table *t, uint32_t constant)
{
    for (uint32_t i = 0; i < t->column_count; i++) {
        if (t->column_constants[i] == constant)
            return true;
    }
    return false;
}

// The first program of the table's language; NULL: the table has no texts.
static const struct program_sources *first_program(const struct deploy_table *t)
{
    if (!t->sources)
        return NULL;
    const struct language_spec *l = &t->sources->spec->kernel->languages[t->language];
    return l->launch_count > 0 ? &t->sources->programs[l->launches[0].program] : NULL;
}

static void add_word(const char *word, struct text *out)
{
    text_add(out, out->length ? " " : "");
    text_add_shell(out, word);
}

bool deploy_is_macro(const struct deploy_table *t, uint32_t slot, const struct value *v)
{
    const struct program_sources *p = first_program(t);
    return v->kind != VALUE_LIST && v->kind != VALUE_NONE && !(p && p->named[slot]);
}

static void add_define_word(const struct deploy_table *t, uint32_t slot, const struct value *v,
                            struct text *out)
{
    struct text word = TEXT_INIT;
    if (!deploy_is_macro(t, slot, v))
        return;
    text_addf(&word, "-D%s=", t->spec->symbols.items[slot].name);
    define_text(v, &word);
    add_word(text_cstr(&word), out);
    out->failed |= word.failed;
    text_release(&word);
}

// Does it depend on the shape or the device? `varies` says so of the derived parameters before it.
static bool expression_varies(const struct deploy_table *t, const struct expr *x,
                              const bool *varies)
{
    const struct spec *s = t->spec;
    bool any = false;
    for (uint32_t i = 0; i < t->column_count; i++)
        any = any || expr_uses(x, s->slots.constants + t->column_constants[i]);
    for (uint32_t i = 0; i < s->derived_count; i++)
        any = any || (varies[i] && expr_uses(x, s->slots.derived + i));
    for (uint32_t i = s->slots.facts; i < s->slots.count; i++)
        any = any || (i != s->slots.facts + FACT_LANGUAGE_INDEX && expr_uses(x, i));
    return any;
}

// A configuration's names with the values that are the same everywhere.
struct bound_names {
    struct value *slots;
    bool *varies; // by derived parameter: it hangs on the shape or the device
};

// False without memory.
static bool bind_configuration(const struct deploy_table *t, const struct value *values,
                               struct arena *a, struct bound_names *out)
{
    const struct spec *s = t->spec;
    struct value *slots = arena_array(a, s->slots.count + (size_t)1, sizeof *slots);
    bool *varies = arena_array(a, s->derived_count + (size_t)1, sizeof *varies);
    *out = (struct bound_names){slots, varies};
    if (!slots || !varies)
        return false;
    memset(varies, 0, s->derived_count * sizeof *varies);
    spec_bind_fixed(s, NULL, slots);
    slots[s->slots.facts + FACT_LANGUAGE_INDEX] = value_string(language_title(t->language));
    for (uint32_t i = 0; i < s->parameter_count; i++)
        slots[s->slots.parameters + i] = values[i];
    for (uint32_t i = 0; i < s->derived_count; i++)
        varies[i] = expression_varies(t, s->derived[i].expr, varies) ||
                    expr_eval(s->derived[i].expr, slots, a, &slots[s->slots.derived + i]) !=
                        EXPR_FAULT_NONE;
    return true;
}

// The spec's own options. One that hangs on the shape is left out: core_table.c refuses such a table.
static void add_spec_words(const struct deploy_table *t, const struct bound_names *b,
                           struct arena *a, struct text *out)
{
    const struct program_sources *p = first_program(t);
    const struct language_spec *l = &t->spec->kernel->languages[t->language];
    const struct option_word *words = p ? l->programs[l->launches[0].program].words : NULL;
    for (uint32_t i = 0; p && i < p->option_count; i++) {
        const struct option_word *w = &words[p->option_places[i]];
        struct error none = ERROR_INIT;
        bool varies = false;
        for (uint32_t h = 0; h < w->count; h++)
            varies = varies || expression_varies(t, w->holes[h].value.expr, b->varies);
        const char *word =
            varies ? "" : option_word_text(p->options[i], w, t->language, b->slots, a, &none);
        out->failed |= !word && none.code == ERROR_MEMORY;
        if (word && *word)
            add_word(word, out);
    }
}

bool deploy_configuration_make(const struct deploy_table *t, const uint32_t *choice,
                               struct arena *a, struct deploy_configuration *out)
{
    const struct spec *s = t->spec;
    const struct program_sources *p = first_program(t);
    struct text text = TEXT_INIT, options = TEXT_INIT;
    struct value *values = arena_array(a, s->parameter_count + 1, sizeof *values);
    uint32_t *indices = arena_array(a, s->parameter_count + (size_t)1, sizeof *indices);
    struct bound_names bound = {NULL, NULL};
    for (uint32_t i = 0; values && i < s->parameter_count; i++)
        values[i] = s->parameters[i].values[choice[i]];
    const bool ok = values && indices && bind_configuration(t, values, a, &bound);
    if (ok)
        add_spec_words(t, &bound, a, &options);
    add_word("-DHONE=1", &options);
    if (p && program_mentions(p, t->sources->first_extra + EXTRA_KERNEL_TUNER))
        add_word("-Dkernel_tuner=1", &options);
    for (uint32_t i = 0; i < s->constant_count; i++) {
        if (!deploy_is_column(t, i))
            add_define_word(t, s->slots.constants + i, &s->constants[i].value, &options);
    }
    for (uint32_t i = 0; values && indices && i < s->parameter_count; i++) {
        indices[i] = choice[i];
        add_define_word(t, s->slots.parameters + i, &values[i], &options);
    }
    for (uint32_t i = 0; ok && i < s->derived_count; i++)
        if (!bound.varies[i])
            add_define_word(t, s->slots.derived + i, &bound.slots[s->slots.derived + i], &options);
    spec_configuration_text(s, choice, true, &text);
    out->values = values;
    out->choice = indices;
    out->text = text_to_arena(&text, a);
    out->options = text_to_arena(&options, a);
    return ok && out->text && out->options;
}

// ---- shapes ------------------------------------------------------------------------------------

uint32_t deploy_excluded(const struct deploy_table *t, const uint32_t *choice, const int64_t *shape,
                         const struct device_info *facts, struct arena *scratch)
{
    const struct spec *s = t->spec;
    uint32_t first = DEPLOY_NONE;
    struct value *slots = arena_array(scratch, s->slots.count + (size_t)1, sizeof *slots);
    if (!slots)
        return s->restriction_count;
    spec_bind_fixed(s, facts, slots);
    for (uint32_t i = 0; i < t->column_count; i++)
        slots[s->slots.constants + t->column_constants[i]] = value_int(shape[i]);
    if (!spec_bind(s, choice, slots, scratch, NULL, NULL))
        return s->restriction_count;
    for (uint32_t i = 0; i < s->restriction_count && first == DEPLOY_NONE; i++) {
        bool is_true = false;
        if (expr_test(s->restrictions[i].expr, slots, scratch, &is_true) != EXPR_FAULT_NONE ||
            !is_true)
            first = i;
    }
    return first;
}

uint64_t deploy_distance(const int64_t *a, const int64_t *b, uint32_t columns)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < columns; i++) {
        int64_t apart = hone_core_log2(a[i]) - hone_core_log2(b[i]);
        sum += (uint64_t)(apart * apart);
    }
    return sum;
}

// ---- what is whole -----------------------------------------------------------------------------

static bool check_device(const struct deploy_table *t, const struct deploy_device *d,
                         struct error *e)
{
    if (!d->name || !d->platform || !d->identity || !d->vendor || !d->architecture || !d->driver)
        return error_set(e, ERROR_INTERNAL,
                         "a device of the table has no name, vendor or the like");
    if (d->fallback_configuration >= t->configuration_count)
        return error_set(e, ERROR_INTERNAL, "%s: no such configuration", d->name);
    for (uint32_t i = 0; i < d->point_count; i++) {
        const struct deploy_point *p = &d->points[i];
        if (p->configuration >= t->configuration_count)
            return error_set(e, ERROR_INTERNAL, "%s, point %u: no such configuration", d->name, i);
        for (uint32_t c = 0; c < t->column_count; c++) {
            if (p->shape[c] < 1)
                return error_set(e, ERROR_INPUT, "%s=%lld: sizes of a shape are 1 or more",
                                 t->columns[c], (long long)p->shape[c]);
        }
    }
    return true;
}

// The problem's size is computed when a spec is read: with other constants it is not known.
static bool check_restrictions(const struct spec *s, struct error *e)
{
    for (uint32_t i = 0; i < s->restriction_count; i++) {
        const uint32_t *slots;
        size_t count = expr_slots(s->restrictions[i].expr, &slots);
        for (size_t k = 0; k < count; k++) {
            if (slots[k] >= s->slots.special)
                return error_set(e, ERROR_INPUT,
                                 "%s: %s: '%s' reads %s; a restriction that is to be evaluated at "
                                 "other sizes names the constants instead",
                                 s->path, s->restrictions[i].path, s->restrictions[i].text,
                                 s->symbols.items[slots[k]].name);
        }
    }
    return true;
}

bool deploy_table_check(const struct deploy_table *t, struct error *e)
{
    bool ok = is_identifier(t->name) ||
              error_set(e, ERROR_USAGE, "'%s' is not an identifier of C: letters, digits and _",
                        t->name ? t->name : "");
    if (ok && (!t->spec || !t->spec_path || !t->source_digest || !t->spec_digest ||
               !t->hone_version || t->column_count == 0 || t->configuration_count == 0 ||
               t->default_configuration >= t->configuration_count))
        ok = error_set(e, ERROR_INTERNAL, "the dispatch table lacks a part");
    for (uint32_t i = 0; ok && i < t->device_count; i++)
        ok = check_device(t, &t->devices[i], e);
    return ok && check_restrictions(t->spec, e);
}
