// Holding the sources against the spec: a name that hone passes with -D must not be defined by the
// source as well, and should be used by somebody.
#include "problem/sources.h"

#include "base/text.h"

#include <string.h>

// ---- names that the source defines itself ------------------------------------------------------

struct finder {
    const struct spec_sources *src;
    const struct program_sources *program;
    const struct scan_item *found;
    uint32_t file;
};

// Does the line say what hone passes in every configuration? Compilers take the same twice.
static bool is_same_definition(const struct spec *s, uint32_t name, const struct scan_item *item)
{
    bool is_only = name < s->parameter_count && s->parameters[name].count == 1;
    if (!is_only || item->kind != SCAN_DEFINE || !item->value)
        return false;
    struct text shown = TEXT_INIT;
    define_text(&s->parameters[name].values[0], &shown);
    bool same = str_equal(text_cstr(&shown), item->value);
    text_release(&shown);
    return same;
}

static void look_for_definition(void *context, struct macros *m, uint32_t file,
                                const struct scan_item *item, bool sure)
{
    struct finder *f = context;
    (void)m;
    (void)sure;
    if (f->found || (item->kind != SCAN_DEFINE && item->kind != SCAN_UNDEF))
        return;
    uint32_t name = scan_name_index(&f->src->names, item->text, strlen(item->text));
    if (name == UINT32_MAX)
        return;
    if (is_same_definition(f->src->spec, name, item))
        return;
    bool own = name < f->src->first_extra;
    bool hone =
        name == f->src->first_extra + EXTRA_HONE || name == f->src->first_extra + EXTRA_HONE_SOURCE;
    if (!own && !hone)
        return;
    f->found = item;
    f->file = file;
}

static const char *role_of(const struct spec *s, const char *name)
{
    uint32_t slot = 0;
    while (slot < s->slots.facts && strcmp(s->symbols.items[slot].name, name) != 0)
        slot++;
    if (slot >= s->slots.facts)
        return "a macro that hone passes";
    return slot >= s->slots.derived     ? "a derived parameter of the spec"
           : slot >= s->slots.constants ? "a constant of the spec"
                                        : "a parameter of the spec";
}

static bool check_definitions(const struct spec_sources *src, const struct program_sources *p,
                              struct arena *scratch, struct error *e)
{
    struct finder finder = {.src = src, .program = p};
    struct follow_macro *macros = arena_array(scratch, src->names.count + 1, sizeof *macros);
    bool *seen = arena_array(scratch, src->names.count + 1, sizeof *seen);
    if (!macros || !seen)
        return error_memory(e);
    // All of them are given; no value is known, because it differs from job to job.
    for (uint32_t i = 0; i < src->names.count; i++)
        macros[i].given = true;
    macros[src->first_extra + EXTRA_HONE].value = "1";
    struct follow f = p->follow;
    f.terms.given = macros;
    f.regardless = true;
    f.live = look_for_definition;
    f.context = &finder;
    f.seen = seen;
    if (!follow_run(&f, scratch))
        return error_memory(e);
    if (!finder.found)
        return true;
    const struct source_file *file = &finder.program->list[finder.file];
    const char *name = finder.found->text;
    return error_set(e, ERROR_INPUT,
                     "%s, line %u: '#%s %s' hides %s: the value that hone passes would not count. "
                     "Remove it, or put #ifndef %s and #endif around it",
                     file->name, finder.found->first,
                     finder.found->kind == SCAN_DEFINE ? "define" : "undef", name,
                     role_of(finder.src->spec, name), name);
}

// The compiler would get two values: of the option, and of the configuration.
static bool check_option_names(const struct spec_sources *src, const struct program_sources *p,
                               struct error *e)
{
    for (uint32_t i = 0; i < p->option_count; i++) {
        size_t length;
        const char *value, *name = option_macro(p->options[i], &length, &value);
        uint32_t index = name ? scan_name_index(&src->names, name, length) : UINT32_MAX;
        if (index < src->spec->slots.constants)
            return error_set(
                e, ERROR_INPUT,
                "the options define %.*s (%s), which is a parameter of the spec: leave "
                "one of them out",
                (int)length, name, p->options[i]);
    }
    return true;
}

// ---- names that nobody uses --------------------------------------------------------------------

struct users {
    const struct spec *spec;
    bool *used; // by slot, up to the facts
};

static void use(struct users *u, const struct formula *f)
{
    for (uint32_t i = 0; f->expr && i < u->spec->slots.facts; i++)
        u->used[i] = u->used[i] || expr_uses(f->expr, i);
}

static void use_size(struct users *u, const struct size_spec *s)
{
    for (uint32_t i = 0; i < 3; i++)
        use(u, &s->axis[i]);
}

static void use_launch(struct users *u, const struct launch_spec *l)
{
    use(u, &l->kernel_expression);
    use(u, &l->shared);
    use(u, &l->when);
    use(u, &l->repeat.count);
    use_size(u, &l->global);
    use_size(u, &l->problem);
    use_size(u, &l->local);
    for (uint32_t axis = 0; axis < 3; axis++) {
        for (uint32_t i = 0; i < l->divisors[axis].count; i++)
            use(u, &l->divisors[axis].items[i]);
    }
}

// Restrictions and metrics say nothing of the work; for a constant they are use enough.
static void use_elsewhere(struct users *u)
{
    const struct spec *s = u->spec;
    bool *used = u->used;
    for (uint32_t i = s->slots.constants; i < s->slots.derived; i++) {
        for (uint32_t r = 0; r < s->restriction_count; r++)
            used[i] = used[i] || expr_uses(s->restrictions[r].expr, i);
        for (uint32_t m = 0; m < s->metric_count; m++)
            used[i] = used[i] || expr_uses(s->metrics[m].expr, i);
    }
}

static void find_users(const struct spec_sources *src, struct users *u)
{
    const struct kernel_spec *k = src->spec->kernel;
    const struct language_spec *l = &k->languages[src->language];
    for (uint32_t i = 0; i < src->spec->slots.facts; i++) {
        for (uint32_t p = 0; p < src->program_count; p++)
            u->used[i] = u->used[i] || program_mentions(&src->programs[p], i);
    }
    for (uint32_t i = 0; i < l->launch_count; i++)
        use_launch(u, &l->launches[i]);
    if (l->reference)
        use_launch(u, l->reference);
    use(u, &k->repeat.count);
    for (uint32_t i = 0; i < l->program_count; i++) {
        const struct program_spec *p = &l->programs[i];
        use(u, &p->retarget_when);
        for (uint32_t v = 0; v < p->variant_count; v++)
            for (uint32_t h = 0; h < p->variant[v].count; h++)
                use(u, &p->variant[v].holes[h].value);
        for (uint32_t o = 0; o < p->option_count; o++)
            for (uint32_t h = 0; h < p->words[o].count; h++)
                use(u, &p->words[o].holes[h].value);
    }
    for (uint32_t i = 0; i < k->argument_count; i++) {
        const struct argument_spec *a = &k->arguments[i];
        const struct formula *formulas[] = {&a->type,         &a->size,         &a->fill.value,
                                            &a->fill.low,     &a->fill.high,    &a->fill.generator,
                                            &a->compare.atol, &a->compare.rtol, &a->compare.first,
                                            &a->compare.count};
        for (size_t j = 0; j < sizeof formulas / sizeof formulas[0]; j++)
            use(u, formulas[j]);
    }
    const struct gemm_spec *g = &k->reference.gemm;
    const struct formula *formulas[] = {&g->m,    &g->n,     &g->k,     &g->alpha,
                                        &g->beta, &g->gamma, &g->batch, &g->activation};
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
        use(u, formulas[i]);
    for (uint32_t i = 0; i < k->reference.expected_count; i++) {
        use(u, &k->reference.expected[i].fill.value);
        use(u, &k->reference.expected[i].fill.generator);
        const struct expected_spec *x = &k->reference.expected[i];
        for (size_t s = 0; s < x->slot_count; s++)
            if (x->slots[s] < u->spec->slots.facts)
                u->used[x->slots[s]] = true;
    }
    use_elsewhere(u);
    // A derived parameter that is used hands its use on to what it is computed from.
    const struct spec *s = u->spec;
    for (uint32_t i = s->derived_count; i-- > 0;) {
        if (u->used[s->slots.derived + i])
            use(u, &s->derived[i]);
    }
}

// Where names may be pasted together, or a file is not here, nobody knows what is used.
static bool all_known(const struct spec_sources *src)
{
    for (uint32_t p = 0; p < src->program_count; p++) {
        for (uint32_t i = 0; i < src->programs[p].count; i++) {
            if (src->programs[p].list[i].scan.opaque)
                return false;
        }
    }
    return true;
}

static void warn_unused(const struct spec_sources *src, const struct users *u,
                        const struct log *log)
{
    const struct spec *s = src->spec;
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        const struct parameter *p = &s->parameters[i];
        if (!u->used[s->slots.parameters + i])
            spec_warn(s, log, LOG_WARNING,
                      "%s: parameter '%s' is used by no source, size or argument: its values "
                      "make no difference",
                      p->path, p->name);
    }
    for (uint32_t i = 0; i < s->constant_count; i++) {
        const struct constant *c = &s->constants[i];
        if (!u->used[s->slots.constants + i])
            spec_warn(s, log, LOG_WARNING,
                      "%s: constant '%s' is used by no source, size, argument, restriction or "
                      "metric",
                      c->path, c->name);
    }
}

// ---- what is done otherwise than it is written -------------------------------------------------

static void tell_options(const struct spec_sources *src, const struct log *log)
{
    bool next;
    for (uint32_t p = 0; p < src->program_count; p++) {
        for (uint32_t i = 0; i < src->programs[p].ignored_count; i++) {
            const char *option = src->programs[p].ignored[i];
            log_add(log, LOG_WARNING, "%s: CompilerOptions: '%s' is left out for %s: it is %s",
                    src->spec->path, option, language_title(src->language),
                    language_ignores(src->language, option, &next));
        }
    }
}

static void tell_yielded(const struct spec_sources *src, const struct log *log)
{
    for (uint32_t p = 0; p < src->program_count; p++) {
        for (uint32_t i = 0; i < src->programs[p].count; i++) {
            const struct source_file *f = &src->programs[p].list[i];
            for (size_t k = 0; k < f->yielded_count; k++)
                log_add(log, LOG_WARNING,
                        "%s, line %u: '#define %s %s' gives way to the spec's value. To use "
                        "another value in your program, change it there, or put #ifndef %s and "
                        "#endif around it and pass -D%s",
                        f->name, f->yielded[k].line, f->yielded[k].name, f->yielded[k].value,
                        f->yielded[k].name, f->yielded[k].name);
        }
    }
}

static void tell_header_words(const struct spec_sources *src, const struct log *log)
{
    const struct spec *s = src->spec;
    for (uint32_t i = 0; i < s->slots.facts; i++) {
        const char *name = s->symbols.items[i].name;
        if (language_has_header_word(src->language, name, strlen(name)))
            log_add(log, LOG_NOTE,
                    "%s: '%s' is a word of %s: it is given as a #define in front of the source, "
                    "since -D would break the compiler's headers",
                    s->path, name, language_title(src->language));
    }
}

bool sources_check(struct spec_sources *src, const struct log *log, struct error *e)
{
    bool ok = true;
    struct arena scratch;
    arena_init(&scratch);
    struct users users = {.spec = src->spec};
    for (uint32_t i = 0; ok && i < src->program_count; i++)
        ok = faults_keep(&src->faults, &src->arena,
                         check_option_names(src, &src->programs[i], e) &&
                             check_definitions(src, &src->programs[i], &scratch, e),
                         e);
    if (!ok || src->faults.count > 0)
        goto end;
    tell_options(src, log);
    tell_header_words(src, log);
    tell_yielded(src, log);

    users.used = arena_array(&scratch, src->spec->slots.facts + 1, sizeof *users.used);
    if (!users.used) {
        ok = error_memory(e);
        goto end;
    }
    find_users(src, &users);
    if (all_known(src))
        warn_unused(src, &users, log);
end:
    arena_release(&scratch);
    return ok;
}
