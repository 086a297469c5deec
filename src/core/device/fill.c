// Random contents are a pure function of seed and component index (Philox, base/random.h), so that
// threads can share the work and a single component can be made again.
#include "device/fill.h"

#include "base/random.h"
#include "device/parallel.h"
#include "expr/expr.h"

#include <math.h>
#include <string.h>

#define LEAST_COMPONENTS 32768

struct filler {
    uint64_t first, stride; // of the random numbers, which may be a view of others
    const struct job_buffer *buffer;
    uint8_t *out;
    uint32_t width, space;         // components of an element, and components it takes the place of
    uint32_t bytes;                // of a component
    bool floats;                   // components are
    const struct expr *expression; // GENERATOR
    int64_t size;                  // GENERATOR: its `size`
    uint64_t low, span;            // UNIFORM integers, modulo 2^64
    uint64_t faulty[PARALLEL_MOST];   // GENERATOR: first component without a value
    const char *fault[PARALLEL_MOST]; // why, or NULL
};

uint64_t fill_components(const struct job_buffer *b)
{
    if (b->element.scalar == SCALAR_CUSTOM)
        return b->count * b->element.custom_bytes;
    return b->count * b->element.width;
}

uint64_t fill_bytes(const struct job_buffer *b)
{
    return b->count * element_bytes(&b->element);
}

// ---- storing a number as a component: out of range values are clamped, floats rounded to nearest

// The low bytes of a two's complement number are the narrower number: hone runs on little-endian
// machines, as OpenCL devices do.
static void store_integer(const struct filler *f, void *at, uint64_t value)
{
    if (f->buffer->element.scalar == SCALAR_BOOL)
        value = value != 0;
    memcpy(at, &value, f->bytes);
}

static void *component(const struct filler *f, uint64_t i)
{
    if (f->width == f->space)
        return f->out + i * f->bytes;
    return f->out + (i / f->width * f->space + i % f->width) * f->bytes;
}

// ---- random numbers

// Philox words of this job buffer's own: block `block`, distinguished by the kind of fill.
static void draw(const struct filler *f, uint64_t block, uint32_t out[4])
{
    uint64_t seed = f->buffer->fill.seed;
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)f->buffer->fill.kind,
                           0};
    philox4x32(counter, key, out);
}

// The words of one block serve several components.
struct stream {
    const struct filler *filler;
    uint64_t block;
    uint32_t words[4];
};

#define STREAM_OF(f)                                                                               \
    {                                                                                              \
        .filler = (f), .block = UINT64_MAX                                                         \
    }

static const uint32_t *words_of(struct stream *s, uint64_t block)
{
    if (s->block != block)
        draw(s->filler, block, s->words);
    s->block = block;
    return s->words;
}

static uint32_t draw_u32(struct stream *s, uint64_t i)
{
    return words_of(s, i / 4)[i % 4];
}

static uint64_t draw_u64(struct stream *s, uint64_t i)
{
    const uint32_t *words = words_of(s, i / 2);
    return words[i % 2 * 2] | (uint64_t)words[i % 2 * 2 + 1] << 32;
}

// In [0, 1) with as many bits as the type's significand has, so that the step is exact.
static double unit(struct stream *s, uint64_t i)
{
    switch (s->filler->buffer->element.scalar) {
    case SCALAR_E5M2:
        return (double)(draw_u32(s, i) >> 29) * 0x1p-3;
    case SCALAR_E4M3:
        return (double)(draw_u32(s, i) >> 28) * 0x1p-4;
    case SCALAR_BFLOAT16:
        return (double)(draw_u32(s, i) >> 24) * 0x1p-8;
    case SCALAR_HALF:
        return (double)(draw_u32(s, i) >> 21) * 0x1p-11;
    case SCALAR_FLOAT:
        return (double)(draw_u32(s, i) >> 8) * 0x1p-24;
    default:
        return (double)(draw_u64(s, i) >> 11) * 0x1p-53;
    }
}

static uint64_t drawn(const struct filler *f, uint64_t i)
{
    return f->first + i * f->stride;
}

static void uniform_float(struct filler *f, struct range r)
{
    const struct job_fill *fill = &f->buffer->fill;
    struct stream s = STREAM_OF(f);
    for (uint64_t i = r.first; i < r.end; i++)
        float_store(f->buffer->element.scalar,
                    fill->low + (fill->high - fill->low) * unit(&s, drawn(f, i)), component(f, i));
}

static void uniform_integer(struct filler *f, struct range r)
{
    struct stream s = STREAM_OF(f);
    for (uint64_t i = r.first; i < r.end; i++) {
        unsigned __int128 product = (unsigned __int128)draw_u64(&s, drawn(f, i)) * f->span;
        store_integer(f, component(f, i), f->low + (uint64_t)(product >> 64));
    }
}

static void uniform_bytes(struct filler *f, struct range r)
{
    struct stream s = STREAM_OF(f);
    for (uint64_t i = r.first; i < r.end; i++)
        f->out[i] = (uint8_t)draw_u32(&s, drawn(f, i));
}

// A standard normal number as the sum of twelve uniform ones less six: its mean is 0, its deviation
// 1, its tails end at 6. Box and Muller's way needs a logarithm and a cosine, which differ in the
// last bit from one C library to the next; this sum is exact in integers.
static double normal(const struct filler *f, uint64_t i)
{
    int64_t sum = -(INT64_C(6) << 32);
    for (int block = 0; block < 3; block++) {
        uint32_t words[4];
        draw(f, 3 * i + (uint64_t)block, words);
        sum += (int64_t)words[0] + words[1] + words[2] + words[3];
    }
    return (double)sum * 0x1p-32;
}

// ---- integers from doubles

struct limits {
    double low, high; // inclusive
};

static struct limits integer_limits(enum scalar s)
{
    int bits = (int)scalar_bytes(s) * 8;
    if (s == SCALAR_BOOL)
        return (struct limits){0, 1};
    if (scalar_is_signed(s))
        return (struct limits){-ldexp(1, bits - 1), ldexp(1, bits - 1) - 1};
    return (struct limits){0, ldexp(1, bits) - 1};
}

// Rounded to nearest and clamped to the type. 2^63 and 2^64 - 1 are rounded up in a double, hence
// the comparisons with what no longer fits.
static uint64_t integer_from(enum scalar s, double value)
{
    struct limits l = integer_limits(s);
    double v = nearbyint(value);
    if (!(v > l.low))
        return (uint64_t)(int64_t)l.low;
    if (v >= 0x1p63 && scalar_is_signed(s))
        return INT64_MAX;
    if (v >= 0x1p64)
        return UINT64_MAX;
    if (v > l.high)
        v = l.high;
    return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
}

static void store_number(const struct filler *f, void *at, double value)
{
    enum scalar s = f->buffer->element.scalar;
    if (f->floats)
        float_store(s, value, at);
    else
        store_integer(f, at, integer_from(s, value));
}

static void normal_numbers(struct filler *f, struct range r)
{
    const struct job_fill *fill = &f->buffer->fill;
    for (uint64_t i = r.first; i < r.end; i++)
        store_number(f, component(f, i), fill->low + fill->high * normal(f, drawn(f, i)));
}

static void constant_numbers(struct filler *f, struct range r)
{
    const struct job_fill *fill = &f->buffer->fill;
    for (uint64_t i = r.first; i < r.end; i++) {
        if (f->floats)
            store_number(f, component(f, i), fill->value);
        else
            store_integer(f, component(f, i), (uint64_t)fill->integer);
    }
}

static void constant_bytes(struct filler *f, struct range r)
{
    memset(f->out + r.first, (int)(uint8_t)f->buffer->fill.integer, r.end - r.first);
}

// ---- generator

static const char *generate_one(const struct filler *f, uint64_t i, struct arena *scratch)
{
    struct value slots[2] = {value_int((int64_t)i), value_int(f->size)};
    struct value v;
    enum expr_fault fault = expr_eval(f->expression, slots, scratch, &v);
    if (fault != EXPR_FAULT_NONE)
        return expr_fault_text(fault);
    uint64_t bits;
    double number;
    if (!f->floats && value_to_bits(&v, &bits)) {
        store_integer(f, component(f, i), bits);
        return NULL;
    }
    if (!value_to_f64(&v, &number))
        return "the value is not a number";
    store_number(f, component(f, i), number);
    return NULL;
}

static void generate_numbers(struct filler *f, struct range r)
{
    struct arena scratch;
    arena_init(&scratch);
    for (uint64_t i = r.first; i < r.end && !f->fault[r.part]; i++) {
        f->fault[r.part] = generate_one(f, i, &scratch);
        f->faulty[r.part] = i;
        if (scratch.bytes > 1u << 20)
            arena_release(&scratch);
    }
    arena_release(&scratch);
}

// ---- one kind of fill for numbers and one for raw bytes (NULL: makes no sense)

struct kind {
    void (*numbers)(struct filler *f, struct range r);
    void (*bytes)(struct filler *f, struct range r);
};

static const struct kind kinds[FILL_COUNT] = {
    [FILL_CONSTANT] = {constant_numbers, constant_bytes},
    [FILL_UNIFORM] = {uniform_integer, uniform_bytes},
    [FILL_NORMAL] = {normal_numbers, NULL},
    [FILL_GENERATOR] = {generate_numbers, NULL},
};

struct work {
    struct filler *filler;
    void (*body)(struct filler *f, struct range r);
};

static void fill_range(void *context, struct range r)
{
    struct work *w = context;
    w->body(w->filler, r);
}

static bool parse_expression(struct filler *f, struct arena *a, struct error *e)
{
    const struct expr_symbol items[] = {{.name = "i"}, {.name = "size"}};
    const struct expr_symbols symbols = {items, 2};
    f->size = (int64_t)fill_components(f->buffer);
    f->expression = expr_parse(a, f->buffer->fill.expression, &symbols, e);
    return f->expression || error_context(e, "fill of %s", f->buffer->name);
}

static bool check_faults(const struct filler *f, unsigned parts, struct error *e)
{
    for (unsigned i = 0; i < parts; i++) {
        if (f->fault[i])
            return error_set(e, ERROR_INPUT, "fill of %s: '%s' at i = %llu: %s", f->buffer->name,
                             f->buffer->fill.expression, (unsigned long long)f->faulty[i],
                             f->fault[i]);
    }
    return true;
}

static bool fill_by_kind(struct filler *f, struct error *e)
{
    const struct job_buffer *b = f->buffer;
    bool raw = b->element.scalar == SCALAR_CUSTOM;
    struct work work = {f, raw ? kinds[b->fill.kind].bytes : kinds[b->fill.kind].numbers};
    struct arena arena;
    if (!work.body)
        return error_set(e, ERROR_INPUT,
                         "fill of %s: a struct cannot be filled this way; use a "
                         "constant byte, random bytes or data",
                         b->name);
    if (b->fill.kind == FILL_UNIFORM && f->floats)
        work.body = uniform_float;
    arena_init(&arena);
    bool ok = b->fill.kind != FILL_GENERATOR || parse_expression(f, &arena, e);
    if (ok) {
        unsigned parts = parallel_parts(fill_components(b), LEAST_COMPONENTS);
        parallel_run(fill_components(b), parts, 1, fill_range, &work);
        ok = check_faults(f, parts, e);
    }
    arena_release(&arena);
    return ok;
}

bool fill_is_zero(const struct job_buffer *b)
{
    const struct job_fill *f = &b->fill;
    bool is_float = b->element.scalar != SCALAR_CUSTOM && scalar_is_float(b->element.scalar);
    return f->kind == FILL_CONSTANT &&
           (is_float ? f->value == 0 && !signbit(f->value) : f->integer == 0);
}

bool fill_make(const struct job_buffer *b, void *out, struct error *e)
{
    struct filler f = {.buffer = b, .out = out, .stride = 1};
    bool is_random = b->fill.kind == FILL_UNIFORM || b->fill.kind == FILL_NORMAL;
    if (is_random && b->fill.integer > 0) {
        bool is_far = b->fill.value > 0 && b->fill.value < 0x1p32;
        f.first = (uint64_t)b->fill.integer & UINT32_MAX;
        f.first |= is_far ? (uint64_t)b->fill.value << 32 : 0;
        f.stride = (uint64_t)b->fill.integer >> 32;
    }
    f.bytes = b->element.scalar == SCALAR_CUSTOM ? 1 : scalar_bytes(b->element.scalar);
    f.width = b->element.scalar == SCALAR_CUSTOM ? 1 : b->element.width;
    f.space = f.buffer->element.scalar == SCALAR_CUSTOM ? 1 : element_bytes(&b->element) / f.bytes;
    f.floats = scalar_is_float(b->element.scalar);
    if (b->fill.kind == FILL_NONE) {
        memset(out, POISON_BYTE, fill_bytes(b));
        return true;
    }
    if (b->fill.kind == FILL_DATA) {
        if (b->fill.blob.length != fill_bytes(b))
            return error_set(e, ERROR_INPUT, "data of %s: %llu bytes, but the buffer has %llu",
                             b->name, (unsigned long long)b->fill.blob.length,
                             (unsigned long long)fill_bytes(b));
        return blob_read(&b->fill.blob, 0, out, (size_t)fill_bytes(b), e) ||
               error_context(e, "data of %s", b->name);
    }
    if (f.space != f.width) // the fourth place of a 3-vector
        memset(out, 0, fill_bytes(b));
    if (b->fill.kind == FILL_UNIFORM && !f.floats && b->element.scalar != SCALAR_CUSTOM) {
        // [low, high) as a first integer and a count of them; an empty range yields `low` only.
        enum scalar s = f.buffer->element.scalar;
        double low = ceil(f.buffer->fill.low), high = ceil(f.buffer->fill.high);
        f.low = integer_from(s, low);
        f.span = high > low ? integer_from(s, high - 1) - f.low + 1 : 1;
        if (f.span == 0)
            f.span = UINT64_MAX;
    }
    return fill_by_kind(&f, e);
}
