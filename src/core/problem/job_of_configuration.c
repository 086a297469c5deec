// From a configuration to a job: names are bound, buffers and geometry evaluated, each program gets
// its -D options, and the reference is made. A job is self-contained: nothing in it points into the
// spec's files.
#include "problem/job_formulas.h"

#include "base/text.h"
#include "problem/commands.h"
#include "problem/option_words.h"
#include "problem/variant_texts.h"

// ---- -D words ----------------------------------------------------------------------------------

void define_text(const struct value *v, struct text *out)
{
    char number[32];
    if (v->kind == VALUE_BOOL || v->kind == VALUE_INT)
        text_addf(out, "%lld", (long long)v->i);
    else if (v->kind == VALUE_UINT)
        text_addf(out, "%lluu", (unsigned long long)v->u); // without the u compilers warn
    else if (v->kind == VALUE_STRING)
        text_add(out, v->s);
    else if (v->kind == VALUE_FLOAT) {
        f64_to_str(v->f, number);
        text_add(out, number);
    }
}

// One word, unquoted; a backend quotes as its compiler needs. A list is nothing for a compiler.
static bool add_define(struct maker *m, struct job_program *p, const char *name,
                       const struct value *v)
{
    struct text text = TEXT_INIT;
    if (v->kind == VALUE_LIST || v->kind == VALUE_NONE)
        return true;
    text_addf(&text, "-D%s=", name);
    define_text(v, &text);
    const char *word = text_to_arena(&text, m->arena);
    if (!word)
        return error_memory(m->e);
    p->options[p->option_count++] = word;
    return true;
}

// Kernel Tuner's macros, where the source mentions them.
static bool add_tuner_defines(struct maker *m, const struct program_sources *sources,
                              const struct job_launch *launch, struct job_program *p)
{
    struct value one = value_int(1);
    const struct scan_names *names = &m->src->names;
    uint32_t tuner = m->src->first_extra + EXTRA_KERNEL_TUNER;
    if (program_mentions(sources, tuner) && !add_define(m, p, names->items[tuner], &one))
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t name = m->src->first_extra + EXTRA_GRID_X + i;
        uint64_t local = launch->local[i] ? launch->local[i] : 1;
        struct value groups = value_int((int64_t)(launch->global[i] / local));
        if (program_mentions(sources, name) && !add_define(m, p, names->items[name], &groups))
            return false;
    }
    return true;
}

// Constants, parameters, derived parameters. A reference sees those alone that it mentions, so that
// it stays the same where the others vary.
static bool add_spec_defines(struct maker *m, const struct program_sources *sources,
                             bool mentioned_only, struct job_program *p)
{
    const struct spec *s = m->spec;
    const struct {
        uint32_t first, count;
    } groups[] = {
        {s->slots.constants, s->constant_count},
        {s->slots.parameters, s->parameter_count},
        {s->slots.derived, s->derived_count},
    };
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        for (uint32_t i = groups[g].first; i < groups[g].first + groups[g].count; i++) {
            bool wanted = !sources->named[i] && (!mentioned_only || program_mentions(sources, i));
            if (wanted && !add_define(m, p, s->symbols.items[i].name, &m->slots[i]))
                return false;
        }
    }
    return true;
}

// ---- programs ----------------------------------------------------------------------------------

// The target that the driver's PTX is rewritten for, where that is to be done.
static bool make_retarget(struct maker *m, const struct program_spec *spec, struct job_program *p)
{
    bool wanted = false;
    if (!spec->target)
        return true;
    if (!make_truth(m, &spec->retarget_when, &wanted))
        return false;
    p->retarget = wanted ? spec->target : NULL;
    return true;
}

// The spec's options; one of which a configuration leaves nothing is none.
static bool make_options(struct maker *m, const struct program_sources *sources,
                         const struct program_spec *spec, struct job_program *p)
{
    for (uint32_t i = 0; i < sources->option_count; i++) {
        const struct option_word *w = &spec->words[sources->option_places[i]];
        const char *text =
            option_word_text(sources->options[i], w, m->src->language, m->slots, m->arena, m->e);
        if (!text)
            return false;
        if (*text || w->count == 0)
            p->options[p->option_count++] = text;
    }
    return true;
}

static bool make_program(struct maker *m, uint32_t index, struct job_launch *launch, bool reference,
                         struct job_program *p)
{
    const struct program_spec *spec = &m->language->programs[index];
    const struct program_sources *sources =
        spec->variant_count > 0 ? make_variant(m, index) : &m->src->programs[index];
    if (!sources)
        return false;
    size_t most = (size_t)sources->option_count + m->spec->slots.facts + EXTRA_COUNT;
    *p = (struct job_program){
        .name = sources->name,
        .source = sources->text,
        .length = sources->length,
        .files = sources->files,
        .file_count = sources->file_count,
        .folders = sources->folders,
        .folder_count = sources->folder_count,
        .outside = sources->outside || sources->unseen.file,
        .run = sources->unseen.file ? m->src->run : 0,
        .options = arena_array(m->arena, most, sizeof *p->options),
    };
    if (!p->options)
        return error_memory(m->e);
    if (language_traits(m->src->language)->is_command)
        return make_command(m, sources, spec, launch, p);
    enum code_form form = code_form_of(sources->text, sources->length);
    if (form != FORM_SOURCE && form != FORM_SPIRV)
        return true; // no compiler looks at options any more
    if (!make_options(m, sources, spec, p))
        return false;
    if (form == FORM_SPIRV)
        return add_spec_defines(m, sources, reference, p);
    // -DHONE and -DHONE_SOURCE: the digest of the sources, so that a driver's cache, which does not
    // look into includes, sees when they change.
    if (!make_retarget(m, spec, p))
        return false;
    char hex[65];
    digest_hex(&m->src->digest, hex);
    p->options[p->option_count++] = "-DHONE=1";
    const char *word = arena_printf(m->arena, "-DHONE_SOURCE=0x%.16s", hex);
    if (!word)
        return error_memory(m->e);
    p->options[p->option_count++] = word;
    return add_spec_defines(m, sources, reference, p) && add_tuner_defines(m, sources, launch, p) &&
           make_unrolled(m, p);
}

// ---- launches ----------------------------------------------------------------------------------

// True with *taken false when the language has no such argument; `symbols`: those of symbols too.
static bool make_argument(struct maker *m, uint32_t index, bool symbols, struct job_launch *launch,
                          struct job_argument *out, bool *taken)
{
    const struct argument_spec *a = &m->kernel->arguments[index];
    const struct language_traits *traits = language_traits(m->src->language);
    *out = (struct job_argument){.name = a->name};
    *taken = memory_is_passed(a->memory, traits, symbols);
    if (!make_element(m, a, &out->element))
        return false;
    if (a->memory == MEMORY_NOTHING || a->memory == MEMORY_SAMPLER) {
        out->kind = a->memory == MEMORY_NOTHING ? ARGUMENT_NULL : ARGUMENT_SAMPLER;
        out->sampler = a->image.sampler;
        return true;
    }
    if (a->memory == MEMORY_LOCAL) {
        // Local memory: an argument, or part of the launch's dynamic memory.
        uint64_t count;
        if (!make_size(m, &a->size, 1, 1, &count))
            return false;
        uint64_t bytes = count * element_bytes(&out->element);
        if (language_traits(m->src->language)->sizes_local)
            launch->dynamic_local_bytes += bytes;
        out->kind = ARGUMENT_LOCAL;
        out->local_bytes = bytes;
        return true;
    }
    if (a->memory == MEMORY_SCALAR) {
        out->kind = ARGUMENT_SCALAR;
        return make_contents(m, a, &a->fill, 1, &out->value, &out->length);
    }
    out->kind = ARGUMENT_BUFFER;
    out->buffer = m->bound[index];
    return true;
}

static bool make_arguments(struct maker *m, const struct launch_spec *l, struct job_launch *out)
{
    bool symbols;
    out->arguments = arena_array(m->arena, l->argument_count + 1, sizeof *out->arguments);
    if (!out->arguments)
        return error_memory(m->e);
    if (!make_takes_symbols(m, l, out, &symbols))
        return false;
    for (uint32_t i = 0; i < l->argument_count; i++) {
        bool taken;
        if (!make_argument(m, l->arguments[i], symbols, out, &out->arguments[out->argument_count],
                           &taken))
            return false;
        out->argument_count += taken;
    }
    return true;
}

bool make_launch(struct maker *m, const struct launch_spec *l, bool first, struct job_launch *out)
{
    uint64_t shared;
    struct value v;
    out->kernel = l->kernel;
    if (!out->kernel) {
        if (!make_eval(m, &l->kernel_expression, &v))
            return false;
        if (v.kind != VALUE_STRING || !v.s[0])
            return make_error(m, l->kernel_expression.path, "'%s' gives no name",
                              l->kernel_expression.text);
        out->kernel = v.s;
    }
    out->name = l->name ? l->name : out->kernel;
    if (!make_geometry(m, l, out) || !make_size(m, &l->shared, 0, 0, &shared))
        return false;
    out->dynamic_local_bytes = language_traits(m->src->language)->sizes_local ? shared : 0;
    // The job's program for one of the language's; made when first used.
    uint32_t *index = &m->programs[l->program];
    if (*index == UINT32_MAX) {
        *index = m->job->program_count++;
        if (!make_program(m, l->program, out, l == m->language->reference,
                          &m->job->programs[*index]))
            return false;
    }
    out->program = *index;
    return make_arguments(m, l, out) && (!first || make_types_check(m, l, out));
}

// ---- the whole ---------------------------------------------------------------------------------

static bool bind_problem_size(struct maker *m)
{
    const struct kernel_spec *k = m->kernel;
    struct value *axes = arena_copy(m->arena, k->problem_size, sizeof k->problem_size);
    if (!axes)
        return error_memory(m->e);
    for (uint32_t i = 0; i < k->problem_axes; i++) {
        if (k->problem[i].expr && !make_eval(m, &k->problem[i], &axes[i]))
            return false;
    }
    m->slots[m->spec->slots.special + SPECIAL_PROBLEM_SIZE] = value_list(axes, k->problem_axes);
    return true;
}

bool make_names(struct maker *m)
{
    uint32_t derived = 0;
    enum expr_fault fault = EXPR_FAULT_NONE;
    const struct spec *s = m->spec;
    m->slots = arena_array(m->arena, s->slots.count, sizeof *m->slots);
    if (!m->slots)
        return error_memory(m->e);
    spec_bind_fixed(s, m->device, m->slots);
    make_pass(m, SPECIAL_PASS, 0);
    make_pass(m, SPECIAL_STEP, 0);
    m->slots[s->slots.facts + FACT_LANGUAGE_INDEX] = value_string(language_title(m->src->language));
    if (spec_bind(s, m->choice, m->slots, m->arena, &derived, &fault))
        return bind_problem_size(m);
    return make_error(m, s->derived[derived].path, "'%s' has no value: %s",
                      s->derived[derived].text, expr_fault_text(fault));
}

static bool name_configuration(struct maker *m)
{
    struct text text = TEXT_INIT;
    spec_configuration_text(m->spec, m->choice, false, &text);
    m->job->configuration = text_to_arena(&text, m->arena);
    return m->job->configuration || error_memory(m->e);
}

static bool check_language(struct maker *m)
{
    bool usable;
    const struct formula *when = &m->language->when;
    if (!make_truth(m, when, &usable))
        return false;
    // The spec is right: it does not mean this device, or not with these values.
    return usable || error_set(m->e, ERROR_USAGE, "%s: '%s' is false for this device", when->path,
                               when->text);
}

void make_start(struct maker *m, const struct spec_sources *src, const struct device_info *device,
                struct error *e)
{
    *m = (struct maker){.spec = src->spec,
                        .kernel = src->spec->kernel,
                        .language = &src->spec->kernel->languages[src->language],
                        .src = src,
                        .device = device,
                        .e = e};
}

bool make_plain(struct maker *m, bool reference_kernel)
{
    const struct language_spec *l = m->language;
    m->job->language = m->src->language;
    return name_configuration(m) && make_names(m) && check_language(m) && make_buffers(m) &&
           (reference_kernel ? make_launches(m, l->reference, 1, &l->reference->repeat)
                             : make_launches(m, l->launches, l->launch_count, &m->kernel->repeat));
}

static bool check_job(struct maker *m)
{
    const char *wrong = job_wrong(m->job);
    return !wrong || make_error(m, m->kernel->reference.path, "%s", wrong);
}

// A type that a formula gives is known once a job is made, and the routine, too (job_wrong()).
static bool may_be_multiplied(const struct kernel_spec *k, uint32_t argument)
{
    const struct argument_spec *a = &k->arguments[argument];
    return a->type.expr || scalar_is_float(a->element.scalar);
}

const char *spec_no_routine(const struct spec *s)
{
    const struct reference_spec *r = &s->kernel->reference;
    const struct gemm_spec *g = &r->gemm;
    if (r->source == REFERENCE_BY_GEMM) {
        bool all = may_be_multiplied(s->kernel, g->a) && may_be_multiplied(s->kernel, g->b) &&
                   may_be_multiplied(s->kernel, g->c);
        return all ? NULL
                   : "a vendor's routine multiplies matrices of floats, and A, B or C of the "
                     "spec's Reference is of another type";
    }
    return "a vendor's routine computes a matrix product, and the spec does not say that its "
           "kernel does: give KernelSpecification.Reference the Kind gemm with M, N and K";
}

static bool make_routine(struct maker *m, enum routine routine, const char *library)
{
    const char *no = spec_no_routine(m->spec);
    if (no)
        return error_set(m->e, ERROR_INPUT, "%s", no);
    m->job->language = m->device->language;
    m->job->routine = routine;
    if (library && !(m->job->routine_library = arena_strdup(m->arena, library)))
        return error_memory(m->e);
    return make_names(m) && make_buffers(m);
}

bool spec_routine_job(const struct spec *s, const struct spec_sources *src,
                      const struct device_info *device, const uint32_t *choice,
                      enum routine routine, const char *library, struct job **out, struct error *e)
{
    struct maker m;
    bool is_routine = routine != ROUTINE_NONE;
    make_start(&m, src, device, e);
    m.choice = choice;
    *out = m.job = job_new();
    if (!m.job)
        return error_memory(e);
    m.arena = &m.job->arena;
    m.job->partial = !is_routine && s->partial;
    if ((is_routine ? make_routine(&m, routine, library) : make_plain(&m, false)) &&
        make_reference(&m) && check_job(&m))
        return true;
    job_free(m.job);
    *out = NULL;
    return spec_error(s, e);
}

bool spec_job(const struct spec *s, const struct spec_sources *src,
              const struct device_info *device, const uint32_t *choice, struct job **out,
              struct error *e)
{
    return spec_routine_job(s, src, device, choice, ROUTINE_NONE, NULL, out, e);
}
