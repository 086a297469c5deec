// Buffers and scalar values of a job: element type, count, fill and comparison, each formula
// evaluated for the configuration. Values are stored little-endian, as every device that hone knows
// reads them.
#include "problem/job_formulas.h"

#include "base/text.h"
#include "problem/layout.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static bool find_element(struct maker *m, const struct argument_spec *a, struct element *out)
{
    struct value v;
    *out = a->element;
    if (!a->type.expr)
        return true;
    if (!make_eval(m, &a->type, &v))
        return false;
    if (v.kind == VALUE_STRING && element_parse(v.s, out) && out->scalar != SCALAR_CUSTOM)
        return true;
    return make_error(m, a->type.path, "'%s' gives no name of a type, such as 'float' or 'half4'",
                      a->type.text);
}

bool make_element(struct maker *m, const struct argument_spec *a, struct element *out)
{
    if (!find_element(m, a, out))
        return false;
    uint32_t alignment;
    out->packed = language_traits(m->src->language)->packs_three && out->width == 3;
    return !a->layout ||
           layout_measure(a->layout, m->src->language, &out->custom_bytes, &alignment) ||
           make_error(m, a->path, "a struct has at most 4096 bytes");
}

// ---- values as bytes ---------------------------------------------------------------------------

static bool fits_integer(enum scalar s, int64_t i)
{
    unsigned bits = 8 * scalar_bytes(s);
    if (s == SCALAR_BOOL)
        return i == 0 || i == 1;
    if (!scalar_is_signed(s))
        return i >= 0 && (bits == 64 || i < INT64_C(1) << bits);
    return bits == 64 || (i >= -(INT64_C(1) << (bits - 1)) && i < INT64_C(1) << (bits - 1));
}

static bool wrong_value(struct maker *m, const char *path, const struct value *v,
                        const struct element *el)
{
    char name[24];
    struct text shown = TEXT_INIT;
    element_name(el, name);
    value_print(v, &shown);
    make_error(m, path, "%s is not a value of type %s", text_cstr(&shown), name);
    text_release(&shown);
    return false;
}

// One component, little-endian as every device hone knows.
static bool store(struct maker *m, const char *path, const struct element *el,
                  const struct value *v, void *to)
{
    double f;
    int64_t i;
    if (scalar_is_float(el->scalar)) {
        if (!value_to_f64(v, &f))
            return wrong_value(m, path, v, el);
        float_store(el->scalar, f, to);
        return true;
    }
    if (v->kind == VALUE_UINT && el->scalar == SCALAR_U64) {
        memcpy(to, &v->u, sizeof v->u);
        return true;
    }
    if (el->scalar == SCALAR_CUSTOM || !value_to_i64(v, &i) || !fits_integer(el->scalar, i))
        return wrong_value(m, path, v, el);
    memcpy(to, &i, scalar_bytes(el->scalar));
    return true;
}

static bool generator_value(struct maker *m, const struct fill_spec *fill, struct value *slots,
                            uint64_t i, uint64_t size, struct arena *scratch, struct value *out)
{
    slots[m->spec->slots.count] = value_int((int64_t)i);
    slots[m->spec->slots.count + 1] = value_int((int64_t)size);
    enum expr_fault fault = expr_eval(fill->generator.expr, slots, scratch, out);
    if (fault == EXPR_FAULT_NONE)
        return true;
    return make_error(m, fill->generator.path, "'%s' has no value for i = %llu: %s",
                      fill->generator.text, (unsigned long long)i, expr_fault_text(fault));
}

// `i` counts the components that carry data, as in a buffer's fill: what fills a 3-vector up to
// four stays zero.
static bool generate(struct maker *m, const struct fill_spec *fill, const struct element *el,
                     uint64_t count, unsigned char *to)
{
    bool ok = true;
    uint32_t bytes = scalar_bytes(el->scalar), space = element_bytes(el) / bytes;
    uint64_t components = count * el->width;
    struct arena scratch;
    struct value v, *slots = arena_array(m->arena, m->spec->slots.count + 2, sizeof *slots);
    if (!slots)
        return error_memory(m->e);
    memcpy(slots, m->slots, m->spec->slots.count * sizeof *slots);
    arena_init(&scratch);
    for (uint64_t i = 0; ok && i < components; i++) {
        ok = generator_value(m, fill, slots, i, components, &scratch, &v) &&
             store(m, fill->path, el, &v, to + (i / el->width * space + i % el->width) * bytes);
        if (scratch.bytes > 1 << 20)
            arena_release(&scratch);
    }
    arena_release(&scratch);
    return ok;
}

static bool refuse_count(struct maker *m, const char *path, const char *of, uint64_t wanted,
                         const struct value *v)
{
    struct text shown = TEXT_INIT;
    value_print(v, &shown);
    make_error(m, path, "%s is not a value of %s: a list of %llu is wanted", text_cstr(&shown), of,
               (unsigned long long)wanted);
    text_release(&shown);
    return false;
}

// The components of a vector, from a list.
static bool store_components(struct maker *m, const char *path, const struct element *el,
                             const struct value *v, unsigned char *to)
{
    char name[24];
    element_name(el, name);
    if (v->count != el->width)
        return refuse_count(m, path, name, el->width, v);
    for (uint32_t i = 0; i < v->count; i++)
        if (!store(m, path, el, &v->items[i], to + i * scalar_bytes(el->scalar)))
            return false;
    return true;
}

static bool store_struct(struct maker *m, const char *path, const struct layout *s,
                         const struct value *v, unsigned char *to);

static bool store_member(struct maker *m, const char *path, const struct layout_member *member,
                         const struct element *el, const struct value *v, unsigned char *to)
{
    if (member->inner)
        return store_struct(m, path, member->inner, v, to);
    if (v->kind == VALUE_LIST)
        return store_components(m, path, el, v, to);
    for (uint32_t i = 0; i < el->width; i++)
        if (!store(m, path, el, v, to + i * scalar_bytes(el->scalar)))
            return false;
    return true;
}

static bool store_struct(struct maker *m, const char *path, const struct layout *s,
                         const struct value *v, unsigned char *to)
{
    uint64_t at = 0;
    if (v->kind != VALUE_LIST || v->count != s->count)
        return refuse_count(m, path, "the struct", s->count, v);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct layout_member *member = &s->members[i];
        const struct value *own = &v->items[i];
        struct element el;
        uint32_t bytes, alignment;
        layout_of_member(member, m->src->language, &el, &bytes, &alignment);
        at = (at + alignment - 1) / alignment * alignment;
        if (member->count && (own->kind != VALUE_LIST || own->count != member->count))
            return refuse_count(m, path, member->name, member->count, own);
        for (uint32_t k = 0; k < (member->count ? member->count : 1); k++, at += bytes)
            if (!store_member(m, path, member, &el, member->count ? &own->items[k] : own, to + at))
                return false;
    }
    return true;
}

static bool repeat_contents(struct maker *m, const struct fill_spec *fill, const struct element *el,
                            uint64_t components, unsigned char *to)
{
    struct value v = value_int(0);
    uint32_t bytes = scalar_bytes(el->scalar);
    if (fill->value.expr && !make_eval(m, &fill->value, &v))
        return false;
    for (uint64_t i = 0; i < components; i++) {
        if (i > 0)
            memcpy(to + i * bytes, to, bytes);
        else if (!store(m, fill->value.path ? fill->value.path : fill->path, el, &v, to))
            return false;
    }
    return true;
}

// One vector or struct; what lies between its members is 0.
static bool make_listed(struct maker *m, const struct argument_spec *a, const struct element *el,
                        const struct value *v, const void **data, uint64_t *length)
{
    const char *path = a->fill.value.path ? a->fill.value.path : a->path;
    *length = element_bytes(el);
    unsigned char *bytes = arena_alloc(m->arena, (size_t)*length + 1);
    if (!bytes)
        return error_memory(m->e);
    memset(bytes, 0, (size_t)*length);
    *data = bytes;
    return a->layout ? store_struct(m, path, a->layout, v, bytes)
                     : store_components(m, path, el, v, bytes);
}

bool make_contents(struct maker *m, const struct argument_spec *a, const struct fill_spec *fill,
                   uint64_t count, const void **data, uint64_t *length)
{
    struct element el;
    if (!make_element(m, a, &el))
        return false;
    if (el.scalar == SCALAR_CUSTOM && !a->layout)
        return make_error(m, fill->path,
                          "a custom type has no value; write it to a file and use BinaryRaw");
    struct value v = value_int(0);
    bool may_list = a->memory == MEMORY_SCALAR && (a->layout || el.width > 1) && fill->value.expr;
    if (may_list && !make_eval(m, &fill->value, &v))
        return false;
    if (a->layout || v.kind == VALUE_LIST)
        return make_listed(m, a, &el, &v, data, length);
    // A 3-vector may have the size of four; the fourth is written too, and never read.
    uint64_t components = count * (element_bytes(&el) / scalar_bytes(el.scalar));
    *length = count * element_bytes(&el);
    unsigned char *bytes = arena_alloc(m->arena, (size_t)*length + 1);
    if (!bytes)
        return error_memory(m->e);
    *data = bytes;
    return fill->kind == FILL_GENERATOR ? generate(m, fill, &el, count, bytes)
                                        : repeat_contents(m, fill, &el, components, bytes);
}

// ---- fills -------------------------------------------------------------------------------------

static bool make_constant_fill(struct maker *m, const struct fill_spec *fill,
                               const struct element *el, struct job_fill *out)
{
    struct value v = value_int(0);
    if (fill->value.expr && !make_eval(m, &fill->value, &v))
        return false;
    bool floating = scalar_is_float(el->scalar);
    bool whole = value_to_i64(&v, &out->integer);
    bool number = value_to_f64(&v, &out->value);
    if (v.kind == VALUE_UINT && el->scalar == SCALAR_U64) {
        out->integer = (int64_t)v.u; // its bits
        return true;
    }
    if (floating ? number
                 : whole && (el->scalar == SCALAR_CUSTOM ? out->integer >= 0 && out->integer < 256
                                                         : fits_integer(el->scalar, out->integer)))
        return true;
    return wrong_value(m, fill->value.path ? fill->value.path : fill->path, &v, el);
}

// The ends if the spec gives no range: from 0 to FillValue, else from -1 (unsigned: 0) to 1.
static bool usual_range(struct maker *m, const struct fill_spec *fill, const struct element *el,
                        double *low, double *high)
{
    double value;
    bool negative = scalar_is_float(el->scalar) || scalar_is_signed(el->scalar);
    *low = negative ? -1 : 0;
    *high = 1;
    if (!fill->value.expr)
        return true;
    if (!make_f64(m, &fill->value, 0, &value))
        return false;
    *low = fmin(value, 0);
    *high = fmax(value, 0);
    return true;
}

// Integers include both ends, whereas the job excludes the upper one.
static bool make_uniform(struct maker *m, const struct fill_spec *fill, const struct element *el,
                         struct job_fill *out)
{
    double low, high;
    if (!usual_range(m, fill, el, &low, &high) || !make_f64(m, &fill->low, low, &out->low) ||
        !make_f64(m, &fill->high, high, &out->high))
        return false;
    if (out->low > out->high)
        return make_error(m, fill->path, "the range is empty: low is above high");
    if (!scalar_is_float(el->scalar)) {
        out->low = ceil(out->low);
        out->high = floor(out->high) + 1;
    }
    return true;
}

static bool make_normal(struct maker *m, const struct fill_spec *fill, struct job_fill *out)
{
    double deviation;
    return make_f64(m, &fill->value, 1, &deviation) && make_f64(m, &fill->low, 0, &out->low) &&
           make_f64(m, &fill->high, deviation, &out->high);
}

static bool make_data_fill(struct maker *m, uint32_t argument, const struct job_buffer *b,
                           struct job_fill *out)
{
    const struct data_file *d = &m->src->arguments[argument];
    if (!data_fits(d, &b->element, b->count, m->e))
        return error_context(m->e, "%s", m->kernel->arguments[argument].path);
    out->blob = d->blob;
    return true;
}

static bool make_fill(struct maker *m, uint32_t argument, struct job_buffer *b)
{
    const struct fill_spec *fill = &m->kernel->arguments[argument].fill;
    b->fill.kind = fill->kind;
    b->fill.seed = fill->kind == FILL_UNIFORM || fill->kind == FILL_NORMAL ? fill->seed : 0;
    switch (fill->kind) {
    case FILL_CONSTANT:
        return make_constant_fill(m, fill, &b->element, &b->fill);
    case FILL_UNIFORM:
        return make_uniform(m, fill, &b->element, &b->fill);
    case FILL_NORMAL:
        return make_normal(m, fill, &b->fill);
    case FILL_GENERATOR:
        return make_generator(m, &fill->generator, &b->fill.expression);
    case FILL_DATA:
        return make_data_fill(m, argument, b, &b->fill);
    default:
        return true;
    }
}

// ---- views -------------------------------------------------------------------------------------

// The components of the data, as the other argument's bytes have them.
static bool make_linked_data(struct maker *m, const struct job_buffer *of, uint64_t first,
                             uint64_t stride, const struct job_buffer *b, struct job_fill *out)
{
    uint64_t components = b->count * b->element.width, bytes = scalar_bytes(b->element.scalar);
    unsigned char *to = arena_alloc(m->arena, (size_t)(components * bytes) + 1);
    if (!to)
        return error_memory(m->e);
    for (uint64_t i = 0; i < components; i++) {
        if (!blob_read(&of->fill.blob, (first + i * stride) * bytes, to + i * bytes, (size_t)bytes,
                       m->e))
            return false;
    }
    out->blob = blob_of(to, components * bytes);
    return true;
}

static bool make_linked_generator(struct maker *m, const struct job_buffer *of, uint64_t first,
                                  uint64_t stride, struct job_fill *out)
{
    out->expression =
        arena_printf(m->arena, "[[%s for size in [%llu]][0] for i in [%llu + i * %llu]][0]",
                     of->fill.expression, (unsigned long long)of->count * of->element.width,
                     (unsigned long long)first, (unsigned long long)stride);
    return out->expression || error_memory(m->e);
}

// The buffer's elements, and its image if it is one. job_wrong() checks that the type fits the format.
static bool make_count(struct maker *m, const struct argument_spec *a, struct job_buffer *b)
{
    static const enum image_order usual[] = {IMAGE_R, IMAGE_R, IMAGE_RG, IMAGE_R, IMAGE_RGBA};
    const struct image_spec *s = &a->image;
    uint32_t width = b->element.width < 5 ? b->element.width : 0;
    if (s->axes == 0)
        return make_size(m, &a->size, 1, 1, &b->count);
    if (!language_traits(m->src->language)->has_images)
        return make_error(m, a->path, "%s has no images", language_title(m->src->language));
    b->image = (struct job_image){.dimensions = s->axes,
                                  .order = s->order < IMAGE_ORDER_COUNT ? s->order : usual[width],
                                  .normalized = s->normalized,
                                  .sampler = s->sampler};
    b->count = 1;
    for (uint32_t i = 0; i < 3; i++) {
        if (!make_size(m, &s->size[i], 1, 1, &b->image.size[i]))
            return false;
        if (__builtin_mul_overflow(b->count, b->image.size[i], &b->count))
            return make_error(m, a->path, "the image's size does not fit 64 bits");
    }
    return true;
}

// The buffer that a linked argument is a view of, with its own fill.
static bool make_source(struct maker *m, uint32_t argument, struct job_buffer *out)
{
    const struct argument_spec *a = &m->kernel->arguments[argument];
    *out = (struct job_buffer){.name = a->name};
    return make_element(m, a, &out->element) && make_count(m, a, out) &&
           make_fill(m, argument, out);
}

static bool make_link(struct maker *m, const struct argument_spec *a, struct job_buffer *b)
{
    const struct link_spec *l = &a->link;
    struct job_buffer of;
    uint64_t first, stride;
    if (!make_source(m, l->argument, &of) || !make_size(m, &l->first, 0, 0, &first) ||
        !make_size(m, &l->stride, 1, 1, &stride))
        return false;
    uint64_t components = b->count * b->element.width, there = of.count * of.element.width;
    if (of.element.scalar != b->element.scalar || of.element.scalar == SCALAR_CUSTOM ||
        element_bytes(&of.element) != of.element.width * scalar_bytes(of.element.scalar) ||
        element_bytes(&b->element) != b->element.width * scalar_bytes(b->element.scalar))
        return make_error(m, l->path,
                          "'%s' and '%s' must be made of the same type, in vectors without gaps or "
                          "none",
                          a->name, of.name);
    if (first >= there || stride > INT32_MAX || (components - 1) > (there - 1 - first) / stride)
        return make_error(m, l->path, "'%s' has %llu components, and the view reaches beyond them",
                          of.name, (unsigned long long)there);
    b->fill = of.fill;
    if (of.fill.kind == FILL_DATA)
        return make_linked_data(m, &of, first, stride, b, &b->fill);
    if (of.fill.kind == FILL_GENERATOR)
        return make_linked_generator(m, &of, first, stride, &b->fill);
    if (of.fill.kind == FILL_UNIFORM || of.fill.kind == FILL_NORMAL)
        fill_view(&b->fill, first, stride);
    return true;
}

// ---- comparison --------------------------------------------------------------------------------

static bool make_buffer_compare(struct maker *m, const struct argument_spec *a,
                                struct job_buffer *b)
{
    const struct compare_spec *c = &a->compare;
    double usual = scalar_narrow(b->element.scalar)
                       ? (scalar_bytes(b->element.scalar) == 1 ? 1e-1 : 1e-2)
                   : b->element.scalar == SCALAR_FLOAT  ? 1e-4
                   : b->element.scalar == SCALAR_DOUBLE ? 1e-9
                                                        : 0;
    // The usual absolute part is a share of the reference's size; one that is given is what it says.
    b->compare.allow_nan = c->allow_nan;
    b->compare.scaled = c->usual || !c->atol.expr;
    b->compare.given = !c->usual && (c->atol.expr || c->rtol.expr);
    b->compare.kind = c->chosen ? c->kind
                      : scalar_is_float(b->element.scalar) || c->atol.expr || c->rtol.expr
                          ? COMPARE_CLOSE
                          : COMPARE_EXACT;
    if (!make_f64(m, &c->atol, usual, &b->compare.atol) ||
        !make_f64(m, &c->rtol, usual, &b->compare.rtol) ||
        !make_size(m, &c->first, 0, 0, &b->compare.first) ||
        !make_size(m, &c->count, 1, 0, &b->compare.count))
        return false;
    if (b->compare.atol < 0 || b->compare.rtol < 0)
        return make_error(m, a->path, "a tolerance is negative");
    if (b->compare.first > b->count || b->compare.count > b->count - b->compare.first)
        return make_error(m, c->first.path, "the region lies outside the %llu elements of '%s'",
                          (unsigned long long)b->count, a->name);
    return true;
}

// ---- buffers -----------------------------------------------------------------------------------

static size_t extra_buffers(const struct maker *m)
{
    size_t sum = m->kernel->repeat.swap_count;
    const struct language_spec *l = m->language;
    for (uint32_t i = 0; i < l->launch_count; i++)
        sum += l->launches[i].repeat.swap_count;
    return sum + (l->reference ? l->reference->repeat.swap_count : 0);
}

bool make_buffers(struct maker *m)
{
    uint32_t count = m->kernel->argument_count;
    m->buffers = arena_array(m->arena, count + 1, sizeof *m->buffers);
    // With room for those that change roles between passes (job_launches.c).
    m->job->buffers = arena_array(m->arena, count + extra_buffers(m) + 1, sizeof *m->job->buffers);
    if (!m->buffers || !m->job->buffers)
        return error_memory(m->e);
    for (uint32_t i = 0; i < count; i++) {
        enum memory memory = m->kernel->arguments[i].memory;
        m->buffers[i] = UINT32_MAX;
        if (memory != MEMORY_VECTOR && memory != MEMORY_SYMBOL)
            continue;
        m->buffers[i] = m->job->buffer_count;
        struct job_buffer *b = &m->job->buffers[m->job->buffer_count++];
        const struct argument_spec *a = &m->kernel->arguments[i];
        *b = (struct job_buffer){
            .name = a->name,
            .access = a->access,
            .output = a->output,
            .temporary = a->temporary,
            .constant = a->memory == MEMORY_SYMBOL,
            .keep = a->keep,
        };
        if (!make_element(m, a, &b->element) || !make_count(m, a, b) ||
            !(a->link.path ? make_link(m, a, b) : make_fill(m, i, b)) ||
            (a->output && !make_buffer_compare(m, a, b)))
            return false;
        if (a->layout && !(b->padding = layout_padding(m->arena, a->layout, m->src->language)))
            return error_memory(m->e);
    }
    return true;
}
