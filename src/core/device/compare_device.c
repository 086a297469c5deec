// The comparison where the output is: a kernel that finds what compare_host.c finds, and a few
// kilobytes that are read back.
#include "device/compare_pass.h"

#include "base/text.h"
#include "device/fill.h"
#include "device/open_device.h"
#include "device/own_kernel.h"

#include <stdlib.h>

#define LOCAL       128
#define BATCH       4 // components a work-item loads before it looks at them
#define GROUPS_MOST 1024

// ---- the kernel, in pieces

// The nearest float of 16 or 8 bits of a double, ties to even. A double is scaled to a multiple of its
// last place by a power of two, which is exact, and rounded to an integer there.
extern const char compare_rounding[]; // kernels/compare_rounding.cl

// The members of the host's `struct part`, and how two are put together.
extern const char compare_parts[]; // kernels/compare_parts.cl

// One component, as compare_host.c takes those of an unusual block. What the type and the kind of
// comparison decide are words that defines_of() defines.
extern const char compare_component[]; // kernels/compare_component.cl

// Neighbouring work-items take neighbouring components; each work-group leaves one part. Indices
// grow within a work-item, so that the first it meets is its first.
extern const char compare_body[]; // kernels/compare_body.cl

// ---- what decides it

// A component's type in the kernel, and the poison as it reads it.
static const struct {
    const char *name, *poison;
} types[SCALAR_COUNT] = {
    [SCALAR_BOOL] = {"uchar", "0x7b"},
    [SCALAR_I8] = {"signed char", "0x7b"},
    [SCALAR_U8] = {"uchar", "0x7b"},
    [SCALAR_I16] = {"short", "0x7b7b"},
    [SCALAR_U16] = {"ushort", "0x7b7b"},
    [SCALAR_I32] = {"int", "0x7b7b7b7b"},
    [SCALAR_U32] = {"uint", "0x7b7b7b7bu"},
    [SCALAR_I64] = {"long", "0x7b7b7b7b7b7b7b7bL"},
    [SCALAR_U64] = {"ulong", "0x7b7b7b7b7b7b7b7bUL"},
    [SCALAR_HALF] = {"ushort", "0x7b7b"},
    [SCALAR_FLOAT] = {"float", "as_float(0x7b7b7b7bu)"},
    [SCALAR_DOUBLE] = {"double", "as_double(0x7b7b7b7b7b7b7b7bUL)"},
    [SCALAR_CUSTOM] = {"uchar", "0x7b"},
    [SCALAR_BFLOAT16] = {"ushort", "0x7b7b"},
    [SCALAR_E4M3] = {"uchar", "0x7b"},
    [SCALAR_E5M2] = {"uchar", "0x7b"},
};
_Static_assert(POISON_BYTE == 0x7b, "the kernel's poison");

static const char *rounding_to(enum scalar s)
{
    return scalar_narrow(s)    ? "narrow_round(v)"
           : s == SCALAR_FLOAT ? "((double)(float)(v))"
                               : "(v)";
}

static void defines_of(const struct job_buffer *b, bool doubles, struct text *out)
{
    struct comparison c = {.buffer = b};
    enum scalar s = b->element.scalar;
    enum compare_kind kind = b->compare.kind;
    const char *value = scalar_narrow(s) ? "narrow_value(v)" : "((double)(v))";
    compare_layout(&c);
    text_addf(out, "#define LOCAL %d\n#define BATCH %d\n", LOCAL, BATCH);
    own_narrow_defines(s, out);
    text_addf(out, "#define TYPE %s\n#define REFERENCE %s\n", types[s].name,
              doubles ? "double" : types[s].name);
    text_addf(out, "#define VALUE(v) %s\n#define ROUND(v) %s\n#define POISON %s\n", value,
              rounding_to(s), types[s].poison);
    text_addf(out, "#define REFERENCE_VALUE(v) %s\n",
              !doubles                ? "VALUE(v)"
              : kind == COMPARE_EXACT ? "ROUND(v)"
                                      : "(v)");
    text_addf(out, "#define WIDE %d\n", !doubles && (s == SCALAR_I64 || s == SCALAR_U64));
    text_addf(out, "#define SUMS %d\n#define POISONS %d\n", kind == COMPARE_SUM,
              b->access != ACCESS_BOTH);
    if (c.space == c.width)
        text_add(out, "#define PLACE(i) (i)\n");
    else
        text_addf(out, "#define PLACE(i) ((i) / %u * %u + (i) %% %u)\n", c.width, c.space, c.width);
    text_addf(out, "#define REFERENCE_PLACE(i) %s\n", doubles ? "(i)" : "PLACE(i)");
}

void *compare_kernel(struct device *d, const struct job_buffer *b, bool doubles)
{
    static const char *const pieces[] = {own_narrow,        compare_rounding, compare_parts,
                                         compare_component, compare_body,     NULL};
    struct text defines = TEXT_INIT;
    void *kernel = NULL;
    if (!own_kernels_offered(d) || !d->info.float64 || b->compare.kind == COMPARE_SET ||
        (b->padding && *b->padding) || compare_sums_integers(b, doubles))
        return NULL;
    defines_of(b, doubles, &defines);
    const struct own_text t = {"hone_compare", text_cstr(&defines), pieces};
    if (!defines.failed)
        kernel = own_kernel_get(d, &t, NULL);
    text_release(&defines);
    return kernel;
}

// ---- a pass

struct here {
    struct device *device;
    const struct compare_request *request;
};

static uint32_t groups_for(uint64_t count)
{
    uint64_t groups = (count + LOCAL * BATCH - 1) / (LOCAL * BATCH);
    return groups == 0 ? 1 : groups < GROUPS_MOST ? (uint32_t)groups : GROUPS_MOST;
}

static bool launch(const struct here *h, const struct comparison *c, uint32_t groups,
                   uint64_t stamp, struct memory *found, struct error *e)
{
    uint32_t judge_poison = c->judge_poison, allow_nan = c->buffer->compare.allow_nan;
    const struct own_argument arguments[] = {
        OWN_MEMORY(h->request->got), OWN_MEMORY(h->request->expected),
        OWN_VALUE(c->first),         OWN_VALUE(c->count),
        OWN_VALUE(c->scale),         OWN_VALUE(c->atol),
        OWN_VALUE(c->rtol),          OWN_VALUE(c->poison_atol),
        OWN_VALUE(c->poison_rtol),   OWN_VALUE(judge_poison),
        OWN_VALUE(allow_nan),        OWN_VALUE(stamp),
        OWN_MEMORY(found),
    };
    struct own_launch l = {{groups, 1}, {LOCAL, 1}, arguments, 13};
    return own_kernel_run(h->device, h->request->kernel, &l, e);
}

// A driver that ran or read nothing must not pass for one that found nothing: the parts bear this
// launch's stamp, and every component was seen.
static bool merge(const struct comparison *c, const struct part *all, uint32_t groups,
                  uint64_t stamp, struct part *out, struct error *e)
{
    bool stamped = true;
    *out = (struct part)PART_NONE(c->first);
    for (uint32_t i = 0; i < groups; i++) {
        part_merge(out, &all[i]);
        stamped = stamped && all[i].stamp == stamp;
    }
    return (stamped && out->seen == c->count) ||
           error_set(e, ERROR_DEVICE, "hone's own kernel did not run, or was not read back");
}

static bool run_pass(void *context, const struct comparison *c, struct part *out, struct error *e)
{
    const struct here *h = context;
    uint32_t groups = groups_for(c->count);
    uint64_t bytes = groups * sizeof *out, stamp = ++h->device->stamps;
    struct part *all = calloc(groups, sizeof *all);
    struct memory *found = own_scratch(h->device, bytes, e);
    bool ok = found && (all || error_memory(e)) && launch(h, c, groups, stamp, found, e) &&
              memory_read(h->device, found, 0, all, bytes, e) &&
              merge(c, all, groups, stamp, out, e);
    free(all);
    return ok;
}

static bool look(void *context, const struct comparison *c, uint64_t index, double *got,
                 double *expected, struct error *e)
{
    const struct here *h = context;
    uint8_t g[8] = {0}, r[8] = {0};
    enum scalar s = c->buffer->element.scalar, reference = c->doubles ? SCALAR_DOUBLE : s;
    uint64_t at = compare_place(c, index) * c->bytes;
    uint64_t reference_at = c->doubles ? 8 * index : at;
    if (!memory_read(h->device, h->request->got, (int64_t)at, g, c->bytes, e) ||
        !memory_read(h->device, h->request->expected, (int64_t)reference_at, r,
                     c->doubles ? 8 : c->bytes, e))
        return false;
    *got = component_value(s, g);
    *expected = component_value(reference, r);
    return true;
}

bool compare_on_device(struct device *d, const struct compare_request *q, struct deviation *out,
                       struct error *e)
{
    struct here h = {d, q};
    const struct pass pass = {run_pass, look, &h};
    const struct expected x = {.doubles = q->doubles, .scale = q->scale};
    return compare_by(q->buffer, &x, &pass, out, e) ||
           error_context(e, "comparing %s", q->buffer->name);
}

bool poison_on_device(struct device *d, const struct compare_request *q, uint64_t *out,
                      struct error *e)
{
    struct here h = {d, q};
    const struct pass pass = {run_pass, look, &h};
    return compare_count_poison(q->buffer, &pass, out, e) ||
           error_context(e, "looking at %s", q->buffer->name);
}
