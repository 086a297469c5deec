// An Expect in a job: the text, and the numbers that its names stand for. It is compiled here once,
// without data, so that its mistakes are reported before a device is used.
#include "problem/job_formulas.h"

#include "expr/elementwise.h"

static bool number_of_value(struct maker *m, const struct expected_spec *x, const char *name,
                            const struct value *v, struct job_number *out)
{
    *out = (struct job_number){.name = name, .is_float = v->kind == VALUE_FLOAT};
    if (v->kind == VALUE_FLOAT)
        out->number = v->f;
    else if (v->kind == VALUE_INT || v->kind == VALUE_BOOL)
        out->integer = v->i;
    else if (v->kind == VALUE_UINT)
        *out = (struct job_number){.name = name, .is_unsigned = true, .integer = (int64_t)v->u};
    else
        return make_error(m, x->text_path, "'%s' is of type %s, and numbers are wanted", name,
                          value_kind_name(v->kind));
    return true;
}

// The scalar in the kernel's type: 0.1 as a float is not 0.1.
static bool number_of_scalar(struct maker *m, const struct expected_spec *x,
                             const struct argument_spec *a, struct job_number *out)
{
    struct element el;
    const void *data;
    uint64_t length;
    *out = (struct job_number){.name = a->name};
    if (!make_element(m, a, &el))
        return false;
    if (el.width != 1 || el.scalar == SCALAR_CUSTOM)
        return make_error(m, x->text_path,
                          "argument '%s' is a vector or struct, and numbers are wanted", a->name);
    if (!make_contents(m, a, &a->fill, 1, &data, &length))
        return false;
    job_number_read(el.scalar, data, out);
    return true;
}

// Constants, facts and scalars that the text reads; arrays are the job's buffers.
static bool make_numbers(struct maker *m, const struct expected_spec *x, struct job_expression *out)
{
    const uint32_t *slots = x->slots;
    size_t count = x->slot_count, own = m->spec->symbols.count;
    out->numbers = arena_array(m->arena, count + 1, sizeof *out->numbers);
    if (!out->numbers)
        return error_memory(m->e);
    for (size_t i = 0; i < count; i++) {
        const char *name = m->kernel->expect_symbols.items[slots[i]].name;
        struct job_number *number = &out->numbers[out->number_count];
        if (slots[i] < own) {
            if (!number_of_value(m, x, name, &m->slots[slots[i]], number))
                return false;
            out->number_count++;
        } else if (slots[i] > own && slots[i] - own - 1 < m->kernel->argument_count) {
            const struct argument_spec *a = &m->kernel->arguments[slots[i] - own - 1];
            if (a->memory == MEMORY_SCALAR && !number_of_scalar(m, x, a, number))
                return false;
            out->number_count += a->memory == MEMORY_SCALAR;
        }
    }
    return true;
}

static bool compile_expectation(struct maker *m, const struct job_expression *x, struct arena *a,
                                struct elementwise **out, struct error *e)
{
    const struct job *j = m->job;
    const struct job_buffer *target = &j->buffers[x->buffer];
    struct elementwise_constant *constants = arena_array(a, x->number_count + 1, sizeof *constants);
    struct elementwise_array *arrays = arena_array(a, j->buffer_count + 1, sizeof *arrays);
    if (!constants || !arrays)
        return error_memory(e);
    for (uint32_t i = 0; i < x->number_count; i++) {
        const struct job_number *n = &x->numbers[i];
        constants[i].name = n->name;
        constants[i].value = n->is_float      ? value_float(n->number)
                             : n->is_unsigned ? value_uint((uint64_t)n->integer)
                                              : value_int(n->integer);
    }
    for (uint32_t i = 0; i < j->buffer_count; i++) {
        const struct job_buffer *b = &j->buffers[i];
        arrays[i] = (struct elementwise_array){.name = b->name,
                                               .count = b->count * b->element.width,
                                               .is_float = scalar_is_float(b->element.scalar),
                                               .is_unsigned = b->element.scalar == SCALAR_U64};
        scalar_limits(b->element.scalar, &arrays[i].low, &arrays[i].high);
    }
    const struct elementwise_question q = {x->text,   target->count * target->element.width,
                                           constants, x->number_count,
                                           arrays,    j->buffer_count,
                                           0};
    *out = elementwise_compile(a, &q, e);
    return *out != NULL;
}

bool make_expectation(struct maker *m, const struct expected_spec *x, struct job_expression *out)
{
    const char *name = m->kernel->arguments[x->argument].name;
    struct arena scratch;
    struct elementwise *compiled = NULL;
    struct error why = ERROR_INIT;
    *out = (struct job_expression){.buffer = m->buffers[x->argument], .text = x->text};
    const struct job_buffer *b = &m->job->buffers[out->buffer];
    if (b->element.scalar == SCALAR_CUSTOM)
        return make_error(m, x->text_path,
                          "'%s' holds structs, which no expression gives; use a file", name);
    if (!make_numbers(m, x, out))
        return false;
    arena_init(&scratch);
    bool ok = compile_expectation(m, out, &scratch, &compiled, &why);
    bool floats = ok && elementwise_is_float(compiled);
    out->total = ok && b->compare.kind == COMPARE_SUM && !elementwise_uses_index(compiled);
    arena_release(&scratch);
    if (!ok)
        return make_error(m, x->text_path, "'%s': %s", out->text, why.text);
    if (floats && !scalar_is_float(b->element.scalar) && !out->total)
        return make_error(m, x->text_path,
                          "'%s' gives floats, and '%s' holds integers: use // for a division, "
                          "int(), floor() or round()",
                          out->text, name);
    return true;
}
