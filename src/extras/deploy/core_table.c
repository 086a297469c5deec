// From a dispatch table to the rows that are looked up at run time. For each configuration the restrictions, launches,
// macros and sizes of buffers are compiled with its parameters put in; equal programs are kept once.
#include "extras/deploy/core_table.h"

#include "model/languages.h"
#include "problem/facts.h"
#include "problem/option_words.h"
#include "problem/sources.h"

#include <stdlib.h>
#include <string.h>

// One core_table_init().
struct maker_of_core {
    struct core_table *out;
    const struct deploy_table *table;
    const struct spec *spec;
    const struct kernel_spec *kernel;
    const struct language_spec *language;
    const struct language_traits *traits;
    const struct program_sources *sources; // (optional)
    struct deploy_compiler compiler;       // of the configuration at hand
    struct value *slots;
    uint32_t *varying;
    struct deploy_program *programs;
    size_t program_room;
    struct deploy_text_fact text_facts[DEPLOY_TEXT_FACTS_MOST];
    uint32_t number_facts; // facts that are numbers
    uint32_t kernel_count; // core_table_kernels()
    uint32_t *groups;      // [configuration * kernels + kernel]: expressions; HONE_CORE_NONE
    const char **facts;
    struct arena *arena;
    struct error *e;
};

static hone_core_value evaluate_program(const void *context, uint32_t expression,
                                        const hone_core_value *slots)
{
    const struct core_table *c = context;
    return known_program_run(c->programs[expression].steps, c->programs[expression].count, slots);
}

static bool refuse_table(struct maker_of_core *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool refuse_table(struct maker_of_core *m, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    str_vformat(message, sizeof message, format, args);
    va_end(args);
    return error_set(m->e, ERROR_INPUT, "%s cannot be deployed: %s", m->spec->path, message);
}

// ---- programs ----------------------------------------------------------------------------------

// The same bits: 0 and -0 are two.
static bool is_same_number(double a, double b)
{
    uint64_t left, right;
    memcpy(&left, &a, sizeof left);
    memcpy(&right, &b, sizeof right);
    return left == right;
}

static bool same_steps(const struct known_step *a, const struct known_step *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i].code != b[i].code || a[i].i != b[i].i || !is_same_number(a[i].f, b[i].f))
            return false;
    }
    return true;
}

// Ends the program that the compiler holds; *out is its number.
static bool end_program(struct maker_of_core *m, const char *text, uint32_t *out)
{
    struct deploy_compiler *c = &m->compiler;
    uint32_t slots = m->table->column_count + m->number_facts + c->text_fact_count;
    uint32_t depth = known_program_check(c->steps, (uint32_t)c->count, slots);
    if (depth == 0)
        return refuse_table(m, "'%s' nests deeper than a program's stack", text);
    for (uint32_t i = 0; i < m->out->program_count; i++) {
        const struct deploy_program *p = &m->programs[i];
        if (p->count == c->count && same_steps(p->steps, c->steps, c->count)) {
            *out = i;
            c->count = 0;
            return true;
        }
    }
    const struct known_step *steps = arena_copy(m->arena, c->steps, c->count * sizeof *steps);
    if (!steps ||
        !ARENA_ROOM(m->arena, m->programs, m->program_room, m->out->program_count + (size_t)1))
        return error_memory(m->e);
    *out = m->out->program_count++;
    m->programs[*out] = (struct deploy_program){steps, (uint32_t)c->count, depth, text};
    m->out->programs = m->programs;
    c->count = 0;
    return true;
}

static bool size_program(struct maker_of_core *m, const struct formula *f, int64_t least,
                         int64_t fallback, uint32_t *out)
{
    return deploy_put_size(&m->compiler, f, least, fallback) &&
           end_program(m, f->text ? f->text : "1", out);
}

// ---- names -------------------------------------------------------------------------------------

static bool uses_varying(const struct maker_of_core *m, const struct expr *x)
{
    return deploy_varies(&m->compiler, x);
}

// The columns, then the facts that are numbers, are read at run time.
static bool number_names(struct maker_of_core *m)
{
    const struct spec *s = m->spec;
    const struct deploy_table *t = m->table;
    hone_core_table *core = &m->out->core;
    m->facts =
        arena_array(m->arena, fact_count() + (size_t)DEPLOY_TEXT_FACTS_MOST, sizeof *m->facts);
    if (!m->facts)
        return error_memory(m->e);
    for (uint32_t i = 0; i < t->column_count; i++) {
        uint32_t k = 0;
        while (k < s->constant_count && !str_equal(s->constants[k].name, t->columns[i]))
            k++;
        if (k == s->constant_count)
            return refuse_table(m, "it has no constant %s", t->columns[i]);
        m->varying[s->slots.constants + k] = i;
    }
    for (uint32_t i = 0; i < fact_count(); i++) {
        bool is_number = fact_value(i, NULL).kind == VALUE_INT;
        m->varying[s->slots.facts + i] =
            is_number ? t->column_count + m->number_facts : DEPLOY_WITHOUT;
        if (is_number)
            m->facts[m->number_facts++] = fact_name(i);
    }
    m->varying[s->slots.facts + FACT_LANGUAGE_INDEX] = DEPLOY_FIXED;
    for (uint32_t i = 0; i < SPECIAL_COUNT; i++)
        m->varying[s->slots.special + i] =
            i == SPECIAL_PASS || i == SPECIAL_STEP ? DEPLOY_FIXED : DEPLOY_WITHOUT;
    for (uint32_t i = 0; i < s->derived_count; i++)
        m->varying[s->slots.derived + i] =
            uses_varying(m, s->derived[i].expr) ? DEPLOY_DERIVED : DEPLOY_FIXED;
    m->compiler.text_facts = m->text_facts;
    m->compiler.text_fact_first = t->column_count + m->number_facts;
    core->facts = m->facts;
    return true;
}

// Behind the configurations, which are what meets them.
static bool name_text_facts(struct maker_of_core *m)
{
    for (uint32_t i = 0; i < m->compiler.text_fact_count; i++) {
        const struct deploy_text_fact *f = &m->text_facts[i];
        const char *name =
            arena_printf(m->arena, "%s == '%s'", m->spec->symbols.items[f->slot].name, f->text);
        if (!name)
            return error_memory(m->e);
        m->facts[m->number_facts + i] = name;
    }
    m->out->core.fact_count = m->number_facts + m->compiler.text_fact_count;
    return true;
}

static bool bind_configuration(struct maker_of_core *m, const struct deploy_configuration *from)
{
    const struct spec *s = m->spec;
    spec_bind_fixed(s, NULL, m->slots);
    m->slots[s->slots.facts + FACT_LANGUAGE_INDEX] =
        value_string(language_title(m->table->language));
    m->slots[s->slots.special + SPECIAL_PASS] = m->slots[s->slots.special + SPECIAL_STEP] =
        value_int(0);
    for (uint32_t i = 0; i < s->parameter_count; i++)
        m->slots[s->slots.parameters + i] = from->values[i];
    for (uint32_t i = 0; i < s->derived_count; i++) {
        bool is_fixed = m->varying[s->slots.derived + i] == DEPLOY_FIXED;
        if (is_fixed &&
            !deploy_value(&m->compiler, &s->derived[i], &m->slots[s->slots.derived + i]))
            return false;
    }
    return true;
}

// ---- restrictions ------------------------------------------------------------------------------

static bool is_always_true(const struct maker_of_core *m)
{
    const struct deploy_compiler *c = &m->compiler;
    return c->count == 1 && ((c->steps[0].code == KNOWN_STEP_PUSH && c->steps[0].i != 0) ||
                             (c->steps[0].code == KNOWN_STEP_REAL && c->steps[0].f != 0));
}

// *out stays where the type is no formula.
static bool find_argument_type(struct maker_of_core *m, const struct argument_spec *a,
                               struct element *out)
{
    struct value v;
    if (!a->type.expr)
        return true;
    if (uses_varying(m, a->type.expr))
        return refuse_table(m, "the type of argument '%s' depends on a size", a->name);
    if (!deploy_value(&m->compiler, &a->type, &v))
        return false;
    return (v.kind == VALUE_STRING && element_parse(v.s, out)) ||
           refuse_table(m, "'%s' gives no name of a type", a->type.text);
}

static bool put_limits(struct deploy_compiler *c, const struct formula *f, int64_t low,
                       int64_t high)
{
    bool ok = deploy_put_formula(c, f);
    bool is_column = c->count == 1 && c->steps->code == KNOWN_STEP_SLOT;
    ok = ok && deploy_put_int(c, high) && deploy_put_operator(c, HONE_CORE_LE);
    if (!ok || is_column)
        return ok;
    return deploy_put_formula(c, f) && deploy_put_int(c, low) &&
           deploy_put_operator(c, HONE_CORE_GE) && deploy_put_operator(c, HONE_CORE_AND);
}

// The value of an integer argument must be one that its type holds: hone refuses others. A column is never below 1. Where
// the formula is none that is looked up, as log2() of a size, that stays unchecked: the host program computes it anyway.
static bool add_limits(struct maker_of_core *m, const struct argument_spec *a,
                       hone_core_configuration *out, hone_core_named *list)
{
    struct deploy_compiler *c = &m->compiler;
    struct element el = a->element;
    int64_t low, high;
    if (a->memory != MEMORY_SCALAR || a->fill.kind != FILL_CONSTANT || !a->fill.value.expr ||
        a->layout || !uses_varying(m, a->fill.value.expr))
        return true;
    if (!find_argument_type(m, a, &el))
        return false;
    scalar_limits(el.scalar, &low, &high);
    if (scalar_is_float(el.scalar) || el.width != 1 || (low == INT64_MIN && high == INT64_MAX))
        return true;
    struct error why = ERROR_INIT;
    c->error = &why;
    bool ok = put_limits(c, &a->fill.value, low, high);
    c->error = m->e;
    if (!ok) {
        c->count = 0;
        return why.code != ERROR_MEMORY || error_memory(m->e);
    }
    hone_core_named *r = &list[out->restriction_count];
    if (!end_program(m, a->fill.value.text, &r->expression))
        return false;
    r->text = "an argument's value does not fit its type";
    out->restriction_count++;
    return true;
}

// A derived parameter that varies must have a value, too. What is true at every shape is left out.
static bool make_restrictions(struct maker_of_core *m, hone_core_configuration *out)
{
    const struct spec *s = m->spec;
    struct deploy_compiler *c = &m->compiler;
    hone_core_named *list = arena_array(
        m->arena, (size_t)s->derived_count + s->restriction_count + m->kernel->argument_count + 1,
        sizeof *list);
    out->restrictions = list;
    if (!list)
        return error_memory(m->e);
    for (uint32_t i = 0; i < s->derived_count; i++) {
        hone_core_named *r = &list[out->restriction_count];
        if (m->varying[s->slots.derived + i] == DEPLOY_FIXED)
            continue;
        if (!deploy_put_formula(c, &s->derived[i]) || !deploy_put_operator(c, HONE_CORE_BOOL) ||
            !deploy_put_int(c, 1) || !deploy_put_operator(c, HONE_CORE_OR) ||
            !end_program(m, s->derived[i].text, &r->expression))
            return false;
        r->text = "a derived parameter has no value";
        out->restriction_count++;
    }
    for (uint32_t i = 0; i < s->restriction_count; i++) {
        hone_core_named *r = &list[out->restriction_count];
        if (!deploy_put_formula(c, &s->restrictions[i]))
            return false;
        if (is_always_true(m)) {
            c->count = 0;
            continue;
        }
        if (!end_program(m, s->restrictions[i].text, &r->expression))
            return false;
        r->text = s->restrictions[i].text;
        out->restriction_count++;
    }
    for (uint32_t i = 0; i < m->kernel->argument_count; i++) {
        if (!add_limits(m, &m->kernel->arguments[i], out, list))
            return false;
    }
    return true;
}

// ---- launches ----------------------------------------------------------------------------------

// The number on top, divided by the one that the program `divisor` pushes, rounded up; times the work-group. Both are
// positive: -(-a // b).
static bool put_groups(struct deploy_compiler *c)
{
    return deploy_put_operator(c, HONE_CORE_FLOORDIV) && deploy_put_operator(c, HONE_CORE_NEG);
}

static bool put_divisor(struct maker_of_core *m, const struct launch_spec *l, uint32_t axis)
{
    struct deploy_compiler *c = &m->compiler;
    const struct divisor_spec *d = &l->divisors[axis];
    bool ok = d->given ? deploy_put_int(c, 1) : deploy_put_size(c, &l->local.axis[axis], 1, 1);
    for (uint32_t k = 0; ok && k < d->count; k++)
        ok = deploy_put_size(c, &d->items[k], 1, 1) && deploy_put_operator(c, HONE_CORE_MUL);
    return ok;
}

// Work-groups along the axis, as problem/job_geometry.c computes them; work-items where the driver chooses the work-group.
static bool put_grid(struct maker_of_core *m, const struct launch_spec *l, uint32_t axis)
{
    struct deploy_compiler *c = &m->compiler;
    if (l->global.axes > 0 && (l->groups || !l->local.axis[axis].expr)) {
        return deploy_put_size(c, &l->global.axis[axis], 1, 1);
    } else if (l->global.axes > 0) {
        return deploy_put_size(c, &l->global.axis[axis], 1, 1) &&
               deploy_put_operator(c, HONE_CORE_NEG) &&
               deploy_put_size(c, &l->local.axis[axis], 1, 1) && put_groups(c);
    }
    return deploy_put_size(c, &l->problem.axis[axis], 1, 1) &&
           deploy_put_operator(c, HONE_CORE_NEG) && put_divisor(m, l, axis) && put_groups(c);
}

// In work-items.
static bool put_global(struct maker_of_core *m, const struct launch_spec *l, uint32_t axis)
{
    struct deploy_compiler *c = &m->compiler;
    return put_grid(m, l, axis) &&
           (!l->local.axis[axis].expr || (deploy_put_size(c, &l->local.axis[axis], 1, 1) &&
                                          deploy_put_operator(c, HONE_CORE_MUL)));
}

// -(-(x * 128) // 128) is x, and needs no check that it is a size: only where the launch has too large a value is this one.
static void shorten_grid(struct deploy_compiler *c)
{
    const struct known_step *end = c->steps + c->count;
    if (c->count < 8 || c->landed + 8 > c->count || end[-1].code != HONE_CORE_NEG ||
        end[-2].code != HONE_CORE_FLOORDIV || end[-3].code != KNOWN_STEP_PUSH ||
        end[-4].code != HONE_CORE_NEG || end[-5].code != HONE_CORE_SIZE ||
        end[-6].code != KNOWN_STEP_PUSH || end[-7].code != HONE_CORE_MUL ||
        end[-8].code != KNOWN_STEP_PUSH || end[-8].i != end[-3].i)
        return;
    c->count -= 8;
}

// All work-groups of a launch: what a model of waves counts. 0 where the launch is left out.
static bool put_group_count(struct maker_of_core *m, const struct launch_spec *l)
{
    struct deploy_compiler *c = &m->compiler;
    bool ok = l->when.expr
                  ? deploy_put_formula(c, &l->when) && deploy_put_operator(c, HONE_CORE_BOOL)
                  : deploy_put_int(c, 1);
    for (uint32_t axis = 0; ok && axis < 3 && !m->traits->is_plain_call; axis++) {
        bool is_one = c->count == 1 && c->steps->code == KNOWN_STEP_PUSH && c->steps->i == 1;
        c->count = is_one ? 0 : c->count;
        ok = put_grid(m, l, axis);
        if (ok)
            shorten_grid(c);
        ok = ok && (is_one || deploy_put_operator(c, HONE_CORE_MUL));
    }
    for (size_t i = 0; ok && i < c->count; i++) {
        int code = c->steps[i].code;
        if (code == HONE_CORE_DIV || code == HONE_CORE_REAL || code == KNOWN_STEP_REAL) // a float?
            return deploy_put_int(c, 0) && deploy_put_operator(c, HONE_CORE_SIZE);
    }
    return ok;
}

// The expression of that. A kernel that launches no more work-groups than the device holds, and lets each work through its
// share, has as many waves as one that launches them all: so they are counted as on a device without end. What cannot be
// compiled so is not known.
static bool make_group_count(struct maker_of_core *m, const struct launch_spec *l, uint32_t *out)
{
    enum { WITHOUT_END = 1 << 30 };
    struct deploy_compiler *c = &m->compiler;
    struct error why = ERROR_INIT;
    uint32_t slot = m->spec->slots.facts;
    while (!str_equal(fact_name(slot - m->spec->slots.facts), "device_compute_units"))
        slot++;
    const uint32_t variable = m->varying[slot];
    const struct value value = m->slots[slot];
    m->varying[slot] = DEPLOY_FIXED;
    m->slots[slot] = value_int(WITHOUT_END);
    c->error = &why;
    bool is_known = put_group_count(m, l);
    c->error = m->e;
    m->varying[slot] = variable;
    m->slots[slot] = value;
    if (is_known)
        return end_program(m, "work-groups", out);
    c->count = 0;
    return why.code != ERROR_MEMORY || error_memory(m->e);
}

static bool make_core_geometry(struct maker_of_core *m, const struct launch_spec *l,
                               hone_core_launch *out)
{
    const char *text = l->global.axes > 0 ? "GlobalSize" : "ProblemSize over the grid's divisors";
    uint32_t axes = l->global.axes > 0 ? l->global.axes : l->problem.axes;
    out->dimensions = axes > l->local.axes ? axes : l->local.axes;
    if (l->local.axes == 0 && (m->traits->needs_local_size || (l->groups && l->global.axes > 0)))
        return refuse_table(m, "%s: it needs a LocalSize", l->path);
    for (uint32_t i = 0; i < 3; i++) {
        out->local[i] = HONE_CORE_NONE;
        if (m->traits->is_plain_call) {
            out->dimensions = 1;
            out->global[i] = HONE_CORE_NONE;
            if (!deploy_put_int(&m->compiler, 1) || !end_program(m, "1", &out->local[i]))
                return false;
            continue;
        }
        const struct formula *global =
            l->global.axes > 0 ? &l->global.axis[i] : &l->problem.axis[i];
        if (!put_global(m, l, i) ||
            !end_program(m, global->text ? global->text : text, &out->global[i]) ||
            (l->local.axes > 0 && !size_program(m, &l->local.axis[i], 1, 1, &out->local[i])))
            return false;
    }
    return true;
}

static bool argument_element_bytes(struct maker_of_core *m, const struct argument_spec *a,
                                   int64_t *out)
{
    struct element el = a->element;
    if (!find_argument_type(m, a, &el))
        return false;
    el.packed = m->traits->packs_three && el.width == 3;
    *out = element_bytes(&el);
    return true;
}

static bool put_argument_count(struct deploy_compiler *c, const struct argument_spec *a)
{
    if (a->image.axes == 0)
        return deploy_put_size(c, &a->size, 1, 1);
    for (uint32_t i = 0; i < a->image.axes; i++) {
        if (!deploy_put_size(c, &a->image.size[i], 1, 1) ||
            (i > 0 && !deploy_put_operator(c, HONE_CORE_MUL)))
            return false;
    }
    return true;
}

static bool put_argument_bytes(struct maker_of_core *m, const struct argument_spec *a)
{
    int64_t bytes = 0;
    struct deploy_compiler *c = &m->compiler;
    return argument_element_bytes(m, a, &bytes) && put_argument_count(c, a) &&
           deploy_put_int(c, bytes) && deploy_put_operator(c, HONE_CORE_MUL);
}

// The local memory that a launch requests in CUDA: its SharedMemory and its local arguments.
static bool make_local_memory(struct maker_of_core *m, const struct launch_spec *l, uint32_t *out)
{
    struct deploy_compiler *c = &m->compiler;
    *out = HONE_CORE_NONE;
    if (!m->traits->sizes_local)
        return true;
    bool ok = deploy_put_size(c, &l->shared, 0, 0), is_any = l->shared.expr != NULL;
    for (uint32_t i = 0; ok && i < l->argument_count; i++) {
        const struct argument_spec *a = &m->kernel->arguments[l->arguments[i]];
        if (a->memory != MEMORY_LOCAL)
            continue;
        is_any = true;
        ok = put_argument_bytes(m, a) && deploy_put_operator(c, HONE_CORE_ADD);
    }
    if (ok && is_any)
        return end_program(m, l->shared.text ? l->shared.text : "local arguments", out);
    c->count = 0;
    return ok;
}

static bool make_launch_arguments(struct maker_of_core *m, const struct launch_spec *l,
                                  hone_core_launch *out)
{
    uint32_t *list = arena_array(m->arena, l->argument_count + (size_t)1, sizeof *list);
    if (!list)
        return error_memory(m->e);
    for (uint32_t i = 0; i < l->argument_count; i++) {
        if (memory_is_passed(m->kernel->arguments[l->arguments[i]].memory, m->traits, false))
            list[out->argument_count++] = l->arguments[i];
    }
    out->arguments = list;
    return true;
}

static bool name_core_kernel(struct maker_of_core *m, const struct launch_spec *l, const char **out)
{
    struct value v;
    *out = l->kernel;
    if (*out)
        return true;
    if (uses_varying(m, l->kernel_expression.expr))
        return refuse_table(m, "%s: the kernel's name depends on a size", l->path);
    if (!deploy_value(&m->compiler, &l->kernel_expression, &v))
        return false;
    *out = v.kind == VALUE_STRING ? v.s : NULL;
    return *out || refuse_table(m, "'%s' gives no name", l->kernel_expression.text);
}

// *is_made: it is launched at some shape.
static bool make_core_launch(struct maker_of_core *m, const struct launch_spec *l,
                             hone_core_launch *out, bool *is_made)
{
    struct deploy_compiler *c = &m->compiler;
    *out = (hone_core_launch){.when = HONE_CORE_NONE};
    *is_made = true;
    if (l->repeat.count.expr || m->kernel->repeat.count.expr)
        return refuse_table(m, "%s: it is launched several times over (Repeat)", l->path);
    if (l->program != m->language->launches[0].program)
        return refuse_table(m, "%s: its launches come from several programs", l->path);
    if (l->when.expr) {
        if (!deploy_put_formula(c, &l->when) || !deploy_put_operator(c, HONE_CORE_BOOL))
            return false;
        bool is_fixed = c->count == 1 && c->steps[0].code == KNOWN_STEP_PUSH;
        *is_made = !is_fixed || c->steps[0].i != 0;
        if (!is_fixed && !end_program(m, l->when.text, &out->when))
            return false;
        c->count = 0;
    }
    return !*is_made ||
           (name_core_kernel(m, l, &out->kernel) && make_core_geometry(m, l, out) &&
            make_local_memory(m, l, &out->local_memory) && make_launch_arguments(m, l, out));
}

static bool have_one_kernel(const struct launch_spec *a, const struct launch_spec *b)
{
    return a->kernel && b->kernel
               ? str_equal(a->kernel, b->kernel)
               : !a->kernel && !b->kernel &&
                     str_equal(a->kernel_expression.text, b->kernel_expression.text);
}

// The number of the launch's kernel among those of the language.
static uint32_t kernel_of_launch(const struct language_spec *l, uint32_t launch)
{
    uint32_t kernel = 0, same;
    for (uint32_t i = 0; i < launch; i++) {
        for (same = 0; !have_one_kernel(&l->launches[same], &l->launches[i]); same++)
            continue;
        if (have_one_kernel(&l->launches[i], &l->launches[launch]))
            return kernel;
        kernel += same == i;
    }
    return kernel;
}

uint32_t core_table_kernels(const struct deploy_table *t)
{
    const struct spec *spec = t->sources ? t->sources->spec : t->spec;
    const struct language_spec *l = &spec->kernel->languages[t->language];
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->launch_count; i++) {
        uint32_t kernel = kernel_of_launch(l, i);
        count = kernel >= count ? kernel + 1 : count;
    }
    return count;
}

// Does a device's model count the kernel's work-groups?
static bool is_modelled(const struct maker_of_core *m, uint32_t kernel)
{
    for (uint32_t i = 0; i < m->table->device_count; i++) {
        if (m->table->devices[i].model && m->table->devices[i].model->launch == kernel)
            return true;
    }
    return false;
}

static bool make_core_launches(struct maker_of_core *m, hone_core_configuration *out,
                               uint32_t *groups)
{
    const size_t room = m->language->launch_count + (size_t)1;
    hone_core_launch *list = arena_array(m->arena, room, sizeof *list);
    uint32_t *made = arena_array(m->arena, room, sizeof *made);
    if (!list || !made)
        return error_memory(m->e);
    for (uint32_t i = 0; i < m->language->launch_count; i++) {
        bool is_made;
        if (!make_core_launch(m, &m->language->launches[i], &list[out->launch_count], &is_made))
            return false;
        made[out->launch_count] = i;
        out->launch_count += is_made;
    }
    out->launches = list;
    // Counts the groups of each modelled kernel; for one that the configuration lacks, of its last
    // launch. `made`: the launches that it has.
    for (uint32_t k = 0; out->launch_count > 0 && k < m->kernel_count; k++) {
        uint32_t i = 0;
        while (i + 1 < out->launch_count && kernel_of_launch(m->language, made[i]) != k)
            i++;
        if (is_modelled(m, k) && !make_group_count(m, &m->language->launches[made[i]], &groups[k]))
            return false;
    }
    return true;
}

static bool make_bytes(struct maker_of_core *m, hone_core_configuration *out)
{
    uint32_t *list = arena_array(m->arena, m->kernel->argument_count + (size_t)1, sizeof *list);
    if (!list)
        return error_memory(m->e);
    for (uint32_t i = 0; i < m->kernel->argument_count; i++) {
        const struct argument_spec *a = &m->kernel->arguments[i];
        list[i] = HONE_CORE_NONE;
        if (a->memory != MEMORY_SCALAR &&
            !(put_argument_bytes(m, a) &&
              end_program(m, a->size.text ? a->size.text : "1", &list[i])))
            return false;
    }
    out->bytes = list;
    return true;
}

// ---- options -----------------------------------------------------------------------------------

// Options are one text, which programs take apart at its blanks.
static bool add_option_word(struct maker_of_core *m, const char *word, struct text *out)
{
    if (word[strcspn(word, " \t\r\n\"'\\")])
        return refuse_table(m,
                            "the option '%s' holds a blank, a quote or a backslash; an "
                            "application has all options as one text",
                            word);
    text_add(out, out->length ? " " : "");
    text_add(out, word);
    return true;
}

// Its value is one of the configuration; one that hangs on a size would need the option to be made at run time.
static bool add_spec_option(struct maker_of_core *m, const struct program_spec *p, uint32_t place,
                            struct text *out)
{
    const struct option_word *w = &p->words[place];
    for (uint32_t i = 0; i < w->count; i++)
        if (uses_varying(m, w->holes[i].value.expr))
            return refuse_table(m, "the option '%s' hangs on the size", p->options[place]);
    const char *text =
        option_word_text(p->options[place], w, m->table->language, m->slots, m->arena, m->e);
    return text && (!*text || add_option_word(m, text, out));
}

static bool add_name_option(struct maker_of_core *m, uint32_t slot, struct text *out)
{
    struct text word = TEXT_INIT;
    const struct value *v = &m->slots[slot];
    if (v->kind == VALUE_LIST || v->kind == VALUE_NONE)
        return true;
    text_addf(&word, "-D%s=", m->spec->symbols.items[slot].name);
    define_text(v, &word);
    bool ok = word.failed ? error_memory(m->e) : add_option_word(m, text_cstr(&word), out);
    text_release(&word);
    return ok;
}

static bool make_varying_define(struct maker_of_core *m, uint32_t slot, hone_core_named *out)
{
    const struct spec *s = m->spec;
    struct deploy_compiler *c = &m->compiler;
    out->text = s->symbols.items[slot].name;
    unsigned kinds = m->varying[slot] == DEPLOY_DERIVED
                         ? deploy_put_formula(c, &s->derived[slot - s->slots.derived])
                         : deploy_put_slot(c, m->varying[slot]);
    if (kinds & GIVES_FLOAT)
        return refuse_table(m,
                            "the macro %s, '%s', may be a float, of which an application makes no "
                            "text; a whole number is right: int(), round() or //",
                            out->text, c->text);
    for (size_t i = 0; kinds && i < c->count; i++) {
        if (c->steps[i].code == KNOWN_STEP_SLOT && c->steps[i].i >= m->table->column_count)
            m->out->device_macro = out->text;
    }
    return kinds && end_program(m, out->text, &out->expression);
}

// Macros of constants, parameters and derived parameters; those that vary are added to the text at run time.
static bool add_names(struct maker_of_core *m, hone_core_configuration *out, struct text *options)
{
    const struct spec *s = m->spec;
    const uint32_t groups[][2] = {{s->slots.constants, s->constant_count},
                                  {s->slots.parameters, s->parameter_count},
                                  {s->slots.derived, s->derived_count}};
    hone_core_named *defines = arena_array(m->arena, s->slots.facts + (size_t)1, sizeof *defines);
    out->defines = defines;
    if (!defines)
        return error_memory(m->e);
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        for (uint32_t i = groups[g][0]; i < groups[g][0] + groups[g][1]; i++) {
            if (m->sources && m->sources->named[i])
                continue;
            bool varies = m->varying[i] != DEPLOY_FIXED;
            if (varies ? !make_varying_define(m, i, &defines[out->define_count])
                       : !add_name_option(m, i, options))
                return false;
            out->define_count += varies;
        }
    }
    return true;
}

// Macros that hone makes for sources of Kernel Tuner depend on the launch, and a factor of 0 changes the text.
static bool check_tuner_sources(struct maker_of_core *m)
{
    const struct spec_sources *src = m->table->sources;
    for (uint32_t i = EXTRA_GRID_X; m->sources && i <= EXTRA_GRID_Z; i++) {
        if (program_mentions(m->sources, src->first_extra + i))
            return refuse_table(m, "%s reads %s", m->sources->name,
                                src->names.items[src->first_extra + i]);
    }
    for (uint32_t i = 0; i < m->spec->parameter_count; i++) {
        const struct value *v = &m->slots[m->spec->slots.parameters + i];
        if (str_starts(m->spec->parameters[i].name, "loop_unroll_factor") && v->kind == VALUE_INT &&
            v->i == 0)
            return refuse_table(m, "%s is 0, for which hone changes the kernel's source",
                                m->spec->parameters[i].name);
    }
    return true;
}

static bool make_core_options(struct maker_of_core *m, hone_core_configuration *out)
{
    struct text options = TEXT_INIT;
    const struct spec_sources *src = m->table->sources;
    const struct program_spec *p = &m->language->programs[m->language->launches[0].program];
    uint32_t count = m->sources ? m->sources->option_count : p->option_count;
    bool ok = check_tuner_sources(m);
    for (uint32_t i = 0; ok && i < count; i++)
        ok = add_spec_option(m, p, m->sources ? m->sources->option_places[i] : i, &options);
    ok = ok && add_option_word(m, "-DHONE=1", &options);
    if (ok && m->sources && program_mentions(m->sources, src->first_extra + EXTRA_KERNEL_TUNER))
        ok = add_option_word(m, "-Dkernel_tuner=1", &options);
    ok = ok && add_names(m, out, &options);
    out->options = text_to_arena(&options, m->arena);
    ok = ok && (out->options || error_memory(m->e));
    out->retarget = HONE_CORE_NONE;
    if (!ok || !p->target || !m->traits->retargets)
        return ok;
    if (!p->retarget_when.expr) {
        out->target = p->target;
        return true;
    }
    if (!deploy_put_formula(&m->compiler, &p->retarget_when) ||
        !deploy_put_operator(&m->compiler, HONE_CORE_BOOL))
        return false;
    const struct known_step *first = m->compiler.steps;
    bool is_never = m->compiler.count == 1 && first->code == KNOWN_STEP_PUSH && first->i == 0;
    out->target = is_never ? NULL : p->target;
    m->compiler.count = is_never ? 0 : m->compiler.count;
    return is_never || end_program(m, p->retarget_when.text, &out->retarget);
}

// ---- the rows ----------------------------------------------------------------------------------

static bool make_core_configurations(struct maker_of_core *m)
{
    const struct deploy_table *t = m->table;
    m->kernel_count = core_table_kernels(t);
    const size_t cells = (size_t)t->configuration_count * m->kernel_count;
    hone_core_configuration *list = arena_array(m->arena, t->configuration_count, sizeof *list);
    m->groups = arena_array(m->arena, cells + 1, sizeof *m->groups);
    if (!list || !m->groups)
        return error_memory(m->e);
    memset(m->groups, 0xff, cells * sizeof *m->groups); // HONE_CORE_NONE
    for (uint32_t i = 0; i < t->configuration_count; i++) {
        list[i].text = t->configurations[i].text;
        if (!bind_configuration(m, &t->configurations[i]) || !make_restrictions(m, &list[i]) ||
            !make_core_launches(m, &list[i], m->groups + (size_t)i * m->kernel_count) ||
            !make_bytes(m, &list[i]) || !make_core_options(m, &list[i]))
            return false;
    }
    m->out->core.configurations = list;
    m->out->core.configuration_count = t->configuration_count;
    m->out->core.fallback = t->default_configuration;
    return true;
}

struct placed_point {
    const struct deploy_point *point;
    int64_t logarithm; // of the column that splits
    uint32_t place;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed_point *x = a, *y = b;
    if (x->logarithm != y->logarithm)
        return x->logarithm < y->logarithm ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

// Orders points as the tree of hone_core_nearest(), by the middle of every range.
static void order_points(struct placed_point *points, uint32_t count, uint32_t column,
                         uint32_t columns)
{
    if (count < 2)
        return;
    for (uint32_t i = 0; i < count; i++)
        points[i].logarithm = hone_core_log2(points[i].point->shape[column]);
    qsort(points, count, sizeof *points, compare_placed);
    uint32_t middle = count / 2, next = column + 1 == columns ? 0 : column + 1;
    order_points(points, middle, next, columns);
    order_points(points + middle + 1, count - middle - 1, next, columns);
}

// Arrays of all devices' points, filled one device after the other.
struct point_arrays {
    int64_t *shapes;
    int32_t *logarithms;
    uint32_t *configurations, *tree, *places;
    uint32_t count;
};

static bool add_points(struct maker_of_core *m, const struct deploy_device *d,
                       struct point_arrays *to)
{
    uint32_t columns = m->table->column_count;
    struct placed_point *sorted = arena_array(m->arena, d->point_count + (size_t)1, sizeof *sorted);
    if (!sorted)
        return error_memory(m->e);
    if (d->point_count > HONE_CORE_POINTS)
        return refuse_table(m, "%s has %u shapes; at most %d can be looked up", d->name,
                            d->point_count, HONE_CORE_POINTS);
    for (uint32_t i = 0; i < d->point_count; i++)
        sorted[i] = (struct placed_point){&d->points[i], 0, i};
    order_points(sorted, d->point_count, 0, columns);
    for (uint32_t i = 0; i < d->point_count; i++, to->count++) {
        const struct deploy_point *p = &d->points[i];
        for (uint32_t k = 0; k < columns; k++) {
            const size_t at = (size_t)to->count * columns + k;
            to->shapes[at] = p->shape[k];
            to->logarithms[at] = (int32_t)hone_core_log2(sorted[i].point->shape[k]);
        }
        to->configurations[to->count] = p->configuration;
        to->tree[to->count] = sorted[i].place;
        to->places[to->count - i + sorted[i].place] = i;
    }
    return true;
}

// Counts that no driver gives are not known.
static const int64_t *device_facts(struct maker_of_core *m, const struct deploy_device *d)
{
    int64_t *facts = arena_array(m->arena, m->out->core.fact_count + (size_t)1, sizeof *facts);
    uint32_t count = 0;
    for (uint32_t i = 0; facts && i < fact_count(); i++) {
        struct value v = fact_value(i, d->facts);
        if (fact_value(i, NULL).kind != VALUE_INT)
            continue;
        bool may_be_none = str_equal(fact_name(i), "device_capability") ||
                           str_equal(fact_name(i), "device_subgroup_size");
        facts[count++] = d->facts && (v.i > 0 || may_be_none) ? v.i : -1;
    }
    for (uint32_t i = 0; facts && i < m->compiler.text_fact_count; i++) {
        const struct deploy_text_fact *f = &m->text_facts[i];
        struct value v = fact_value(f->slot - m->spec->slots.facts, d->facts);
        facts[count++] = d->facts ? str_equal(v.s, f->text) : -1;
    }
    return facts;
}

// The model with its expressions. NULL without memory.
static const hone_core_model *make_core_model(struct maker_of_core *m,
                                              const struct deploy_device *d)
{
    const uint32_t configurations = m->table->configuration_count;
    hone_core_model *out = arena_alloc(m->arena, sizeof *out);
    uint32_t *groups = arena_array(m->arena, configurations + (size_t)1, sizeof *groups);
    if (!out || !groups)
        return NULL;
    for (uint32_t i = 0; i < configurations; i++)
        groups[i] = m->groups[(size_t)i * m->kernel_count + d->model->launch];
    *out = *d->model;
    out->groups = groups;
    return out;
}

static bool make_core_devices(struct maker_of_core *m)
{
    const struct deploy_table *t = m->table;
    hone_core_table *core = &m->out->core;
    size_t total = 0;
    for (uint32_t i = 0; i < t->device_count; i++)
        total += t->devices[i].point_count;
    struct point_arrays to = {
        .shapes = arena_array(m->arena, (total + 1) * t->column_count, sizeof *to.shapes),
        .logarithms = arena_array(m->arena, (total + 1) * t->column_count, sizeof *to.logarithms),
        .configurations = arena_array(m->arena, total + 1, sizeof *to.configurations),
        .tree = arena_array(m->arena, total + 1, sizeof *to.tree),
        .places = arena_array(m->arena, total + 1, sizeof *to.places),
    };
    hone_core_device *devices = arena_array(m->arena, t->device_count + (size_t)1, sizeof *devices);
    if (!to.shapes || !to.logarithms || !to.configurations || !to.tree || !to.places || !devices)
        return error_memory(m->e);
    for (uint32_t i = 0; i < t->device_count; i++) {
        const struct deploy_device *d = &t->devices[i];
        devices[i] = (hone_core_device){d->name,
                                        d->identity,
                                        d->vendor,
                                        d->architecture,
                                        d->compute_units,
                                        to.count,
                                        d->point_count,
                                        d->fallback_configuration,
                                        device_facts(m, d),
                                        NULL};
        if (!devices[i].facts)
            return error_memory(m->e);
        if (!add_points(m, d, &to))
            return false;
        if (!d->model)
            continue;
        devices[i].model = make_core_model(m, d);
        if (!devices[i].model)
            return error_memory(m->e);
    }
    core->devices = devices;
    core->device_count = t->device_count;
    core->shapes = to.shapes;
    core->logarithms = to.logarithms;
    core->point_configurations = to.configurations;
    core->tree = to.tree;
    core->places = to.places;
    return true;
}

static bool name_arguments(struct maker_of_core *m)
{
    const char **names =
        arena_array(m->arena, m->kernel->argument_count + (size_t)1, sizeof *names);
    const char **identifiers =
        arena_array(m->arena, m->kernel->argument_count + (size_t)1, sizeof *identifiers);
    if (!names || !identifiers)
        return error_memory(m->e);
    for (uint32_t i = 0; i < m->kernel->argument_count; i++) {
        names[i] = m->kernel->arguments[i].name;
        if (!deploy_identifier(names[i], m->arena, &identifiers[i]))
            return error_memory(m->e);
    }
    m->out->identifiers = identifiers;
    m->out->core.arguments = names;
    m->out->core.argument_count = m->kernel->argument_count;
    return true;
}

static bool start_core(struct maker_of_core *m)
{
    const struct deploy_table *t = m->table;
    const struct spec *s = m->spec;
    if (t->column_count > HONE_CORE_COLUMNS)
        return refuse_table(m, "a shape has %u columns; at most %d can be looked up",
                            t->column_count, HONE_CORE_COLUMNS);
    if (t->configuration_count > HONE_CORE_CONFIGURATIONS)
        return refuse_table(m, "%u configurations; at most %d can be looked up",
                            t->configuration_count, HONE_CORE_CONFIGURATIONS);
    if (s->is_short)
        return refuse_table(m, "a spec in the short form needs its kernel's source");
    if (!m->language->offered || m->language->launch_count == 0)
        return refuse_table(m, "it has no kernel in %s", language_title(t->language));
    if (t->sources)
        m->sources = &t->sources->programs[m->language->launches[0].program];
    m->slots = arena_array(m->arena, s->slots.count + (size_t)1, sizeof *m->slots);
    m->varying = arena_array(m->arena, s->slots.count + (size_t)1, sizeof *m->varying);
    if (!m->slots || !m->varying)
        return error_memory(m->e);
    memset(m->varying, 0xff, (s->slots.count + (size_t)1) * sizeof *m->varying); // DEPLOY_FIXED
    m->compiler = (struct deploy_compiler){
        .arena = m->arena, .spec = s, .slots = m->slots, .varying = m->varying, .error = m->e};
    m->out->core.columns = t->columns;
    m->out->core.column_count = t->column_count;
    return true;
}

bool core_table_init(struct core_table *c, const struct deploy_table *t, struct error *e)
{
    memset(c, 0, sizeof *c);
    arena_init(&c->arena);
    struct maker_of_core m = {.out = c,
                              .table = t,
                              .spec = t->sources ? t->sources->spec : t->spec,
                              .arena = &c->arena,
                              .e = e};
    c->from = t;
    c->spec = m.spec;
    m.kernel = m.spec->kernel;
    m.language = &m.kernel->languages[t->language];
    m.traits = language_traits(t->language);
    c->core.evaluate = evaluate_program;
    c->core.context = c;
    return start_core(&m) && number_names(&m) && name_arguments(&m) &&
           make_core_configurations(&m) && name_text_facts(&m) && make_core_devices(&m);
}

void core_table_release(struct core_table *c)
{
    arena_release(&c->arena);
}
