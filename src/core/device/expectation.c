// The arrays that an expression reads are made again on the host, as fills are; its indices are shared out over the cores.
#include "device/expectation.h"

#include "device/fill.h"
#include "device/parallel.h"
#include "expr/elementwise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_WORK 200000 // operations on a number that are worth a thread

// ---- reading components -------------------------------------------------------------------------

#define READER(name, type, result)                                                                 \
    static void read_##name(const void *data, const int64_t *at, size_t count, void *out)          \
    {                                                                                              \
        const type *from = data;                                                                   \
        result *to = out;                                                                          \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = (result)from[at[i]];                                                           \
    }
READER(i8, int8_t, int64_t)
READER(u8, uint8_t, int64_t)
READER(i16, int16_t, int64_t)
READER(u16, uint16_t, int64_t)
READER(i32, int32_t, int64_t)
READER(u32, uint32_t, int64_t)
READER(i64, int64_t, int64_t)
READER(u64, uint64_t, uint64_t)
READER(float, float, double)
READER(double, double, double)

#define NARROW_READER(name, type, scalar)                                                          \
    static void read_##name(const void *data, const int64_t *at, size_t count, void *out)          \
    {                                                                                              \
        const type *from = data;                                                                   \
        double *to = out;                                                                          \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = narrow_to_f64(scalar_narrow(scalar), from[at[i]]);                             \
    }
NARROW_READER(half, uint16_t, SCALAR_HALF)
NARROW_READER(bfloat16, uint16_t, SCALAR_BFLOAT16)
NARROW_READER(e4m3, uint8_t, SCALAR_E4M3)
NARROW_READER(e5m2, uint8_t, SCALAR_E5M2)

static void (*const readers[SCALAR_COUNT])(const void *data, const int64_t *at, size_t count,
                                           void *out) = {
    [SCALAR_BOOL] = read_u8,           [SCALAR_I8] = read_i8,       [SCALAR_U8] = read_u8,
    [SCALAR_I16] = read_i16,           [SCALAR_U16] = read_u16,     [SCALAR_I32] = read_i32,
    [SCALAR_U32] = read_u32,           [SCALAR_I64] = read_i64,     [SCALAR_U64] = read_u64,
    [SCALAR_HALF] = read_half,         [SCALAR_FLOAT] = read_float, [SCALAR_DOUBLE] = read_double,
    [SCALAR_BFLOAT16] = read_bfloat16, [SCALAR_E4M3] = read_e4m3,   [SCALAR_E5M2] = read_e5m2,
};

// ---- arrays -------------------------------------------------------------------------------------

static void *make_contents_of(const struct job_buffer *b, struct error *e)
{
    uint8_t *data = malloc((size_t)fill_bytes(b) + 1);
    if (!data)
        return error_no_memory(e);
    if (!fill_make(b, data, e)) {
        free(data);
        return NULL;
    }
    // 3-vectors in the room of four move together.
    uint32_t bytes = scalar_bytes(b->element.scalar) * b->element.width,
             space = element_bytes(&b->element);
    for (uint64_t i = 0; bytes != space && i < b->count; i++)
        memmove(data + i * bytes, data + i * space, bytes);
    return data;
}

struct expectation {
    const struct job *job;
    const struct job_buffer *target;
    struct arena arena;
    struct elementwise_array *arrays; // one for each buffer
    struct elementwise *compiled;
    bool doubles, total; // total: of 64-bit integers
    uint8_t *out;
    // For each thread: the first index without a value, and why.
    struct error errors[PARALLEL_MOST];
    uint64_t faulty[PARALLEL_MOST];
};

// Unsigned types wrap, and so does what is expected of them.
static uint32_t wraps_of(const struct job_buffer *b)
{
    enum scalar s = b->element.scalar;
    bool is_signed =
        s == SCALAR_BOOL || s == SCALAR_CUSTOM || scalar_is_float(s) || scalar_is_signed(s);
    return is_signed ? 0 : 8 * scalar_bytes(s);
}

static bool compile_expression(struct expectation *x, const struct job_expression *of,
                               struct error *e)
{
    const struct job *j = x->job;
    struct elementwise_constant *constants =
        arena_array(&x->arena, of->number_count + 1, sizeof *constants);
    x->arrays = arena_array(&x->arena, j->buffer_count + 1, sizeof *x->arrays);
    if (!constants || !x->arrays)
        return error_memory(e);
    for (uint32_t i = 0; i < of->number_count; i++) {
        const struct job_number *n = &of->numbers[i];
        constants[i].name = n->name;
        constants[i].value = n->is_float      ? value_float(n->number)
                             : n->is_unsigned ? value_uint((uint64_t)n->integer)
                                              : value_int(n->integer);
    }
    for (uint32_t i = 0; i < j->buffer_count; i++) {
        const struct job_buffer *b = &j->buffers[i];
        bool known = b->element.scalar != SCALAR_CUSTOM && b->fill.kind != FILL_NONE;
        x->arrays[i] = (struct elementwise_array){.name = known ? b->name : "",
                                                  .count = known ? fill_components(b) : 0,
                                                  .is_float = scalar_is_float(b->element.scalar),
                                                  .is_unsigned = b->element.scalar == SCALAR_U64,
                                                  .read = readers[b->element.scalar]};
        scalar_limits(b->element.scalar, &x->arrays[i].low, &x->arrays[i].high);
    }
    const struct elementwise_question q = {of->text,
                                           fill_components(x->target),
                                           constants,
                                           of->number_count,
                                           x->arrays,
                                           j->buffer_count,
                                           x->doubles || x->total ? 0 : wraps_of(x->target)};
    x->compiled = elementwise_compile(&x->arena, &q, e);
    for (uint32_t i = 0; x->compiled && i < j->buffer_count; i++) {
        if (elementwise_reads(x->compiled, i) &&
            !(x->arrays[i].data = make_contents_of(&j->buffers[i], e)))
            return false;
    }
    return x->compiled != NULL;
}

// ---- values -------------------------------------------------------------------------------------

// Integers of the buffer's own type; false at one that it does not hold.
static bool store_integers(struct expectation *x, uint64_t first, size_t count,
                           const union elementwise_value *v, struct range r)
{
    const struct element *el = &x->target->element;
    uint32_t bytes = scalar_bytes(el->scalar), space = element_bytes(el) / bytes;
    bool wraps = wraps_of(x->target) > 0;
    int64_t low, high;
    char name[24];
    scalar_limits(el->scalar, &low, &high);
    for (size_t l = 0; l < count; l++) {
        uint64_t i = first + l, at = (i / el->width * space + i % el->width) * bytes;
        bool is_large = v[l].i < 0 && elementwise_is_unsigned(x->compiled);
        if (!wraps && (v[l].i < low || v[l].i > high || is_large)) {
            element_name(el, name);
            x->faulty[r.part] = i;
            return error_set(&x->errors[r.part], ERROR_INPUT,
                             is_large ? "at i = %llu: %llu is not a value of type %s"
                                      : "at i = %llu: %lld is not a value of type %s",
                             (unsigned long long)i, (unsigned long long)v[l].i, name);
        }
        memcpy(x->out + at, &v[l].i, bytes); // little-endian, as devices are
    }
    return true;
}

// Totals of 64 bits, which a double does not hold.
static bool is_wide_total(const struct job_buffer *b, const struct job_expression *x)
{
    return x->total && (b->element.scalar == SCALAR_I64 || b->element.scalar == SCALAR_U64);
}

static bool store_total(struct expectation *x, union elementwise_value v, struct range r)
{
    bool is_float = elementwise_is_float(x->compiled);
    bool large = !is_float && elementwise_is_unsigned(x->compiled);
    const struct job_compare *k = &x->target->compare;
    const double f = is_float ? v.f : 0, whole = rint(f);
    if ((f != whole && k->rtol <= 0 && k->atol <= 0) || !(fabs(whole) < 0x1p63))
        return error_set(&x->errors[r.part], ERROR_INPUT, "%.17g is no sum of integers", f);
    const int64_t i = is_float ? (int64_t)whole : v.i;
    if (i < 0 && large == scalar_is_signed(x->target->element.scalar))
        return error_set(&x->errors[r.part], ERROR_INPUT,
                         large ? "%llu is not a sum of type int64"
                               : "%lld is not a sum of type uint64",
                         (unsigned long long)i);
    memcpy(x->out, &i, sizeof i);
    return true;
}

static void store_doubles(struct expectation *x, uint64_t first, size_t count,
                          const union elementwise_value *v)
{
    bool floats = elementwise_is_float(x->compiled), large = elementwise_is_unsigned(x->compiled);
    for (size_t l = 0; l < count; l++) {
        double value = floats ? v[l].f : large ? (double)(uint64_t)v[l].i : (double)v[l].i;
        memcpy(x->out + 8 * (first + l), &value, sizeof value);
    }
}

static void expect_range(void *context, struct range r)
{
    struct expectation *x = context;
    struct error *e = &x->errors[r.part];
    struct elementwise_run *run = elementwise_begin(x->compiled);
    if (!run)
        error_memory(e);
    for (uint64_t i = r.first; run && i < r.end; i += ELEMENTWISE_BLOCK) {
        size_t count = r.end - i < ELEMENTWISE_BLOCK ? (size_t)(r.end - i) : ELEMENTWISE_BLOCK;
        const union elementwise_value *v = elementwise_values(run, i, count, &x->faulty[r.part], e);
        if (v && x->doubles)
            store_doubles(x, i, count, v);
        bool stored = v && (x->doubles ||
                            (x->total ? store_total(x, *v, r) : store_integers(x, i, count, v, r)));
        if (!stored)
            break;
    }
    elementwise_end(run);
}

// The fault of the least index, whatever the number of threads.
static bool find_fault(const struct expectation *x, unsigned parts, struct error *e)
{
    for (unsigned i = 0; i < parts; i++) {
        if (x->errors[i].code != ERROR_NONE) {
            *e = x->errors[i];
            return false;
        }
    }
    return true;
}

uint64_t expectation_bytes(const struct job *j, const struct job_expression *x, bool *doubles)
{
    const struct job_buffer *b = &j->buffers[x->buffer];
    bool is_wide = is_wide_total(b, x);
    *doubles = (x->total && !is_wide) || scalar_is_float(b->element.scalar);
    uint64_t components = x->total ? b->element.width : fill_components(b);
    return *doubles || is_wide ? components * sizeof(double) : fill_bytes(b);
}

bool expectation_make(const struct job *j, const struct job_expression *of, void *out,
                      struct error *e)
{
    struct expectation *x = calloc(1, sizeof *x);
    unsigned parts = 1;
    if (!x)
        return error_memory(e);
    x->job = j;
    x->target = &j->buffers[of->buffer];
    x->out = out;
    x->total = is_wide_total(x->target, of);
    arena_init(&x->arena);
    memset(out, 0, (size_t)expectation_bytes(j, of, &x->doubles));
    bool ok = compile_expression(x, of, e);
    if (ok && !x->doubles && !x->total && elementwise_is_float(x->compiled))
        ok = error_set(e, ERROR_INPUT, "it gives floats, and %s holds integers", x->target->name);
    if (ok) {
        uint64_t count = of->total ? 1 : fill_components(x->target),
                 least = LEAST_WORK / elementwise_cost(x->compiled);
        parts = parallel_parts(count, least ? least : 1);
        parallel_run(count, parts, 1, expect_range, x);
        ok = find_fault(x, parts, e);
    }
    for (uint32_t i = 0; x->arrays && i < j->buffer_count; i++)
        free((void *)x->arrays[i].data);
    arena_release(&x->arena);
    free(x);
    return ok || error_context(e, "%s: '%s'", j->buffers[of->buffer].name, of->text);
}
