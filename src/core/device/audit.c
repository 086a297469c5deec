// The audit of a check: a correct output is replaced by mutants, the results of typical wrong kernels and of cheats, and
// the comparison, as it stands after its own proof, must reject each. A spec whose check lets one pass
// shows nothing of a kernel that makes such a result. Done once for each output, reference and tolerance.
#include "device/open_device.h"

#include "base/text.h"
#include "device/compare_pass.h"
#include "device/fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HALF_ROUNDING 0x1p-11
#define TILES         64 // an output has so many: one may be missing

struct auditing {
    struct device *device;
    struct loaded *loaded;
    struct reference *reference;
    uint32_t index;
    const struct job_buffer *buffer;
    struct proof *proof;
    const uint8_t *right; // the output
    uint8_t *mutant;
    uint64_t length;
    uint64_t first, count; // components of the region
    unsigned bytes;        // of one
    bool whole;            // a region is held against another as a whole
    struct text passing;
};

// ---- components --------------------------------------------------------------------------------

static double component_of(const struct auditing *a, uint64_t at)
{
    const struct element one = {a->buffer->element.scalar, 1, a->buffer->element.custom_bytes,
                                true};
    double v;
    compare_load(&one, a->right, at, 1, &v);
    return v;
}

static void put_component(const struct auditing *a, uint64_t at, double v)
{
    if (scalar_is_float(a->buffer->element.scalar))
        float_store(a->buffer->element.scalar, v, a->mutant + at * a->bytes);
}

static void clear_components(const struct auditing *a, uint64_t from, uint64_t count)
{
    memset(a->mutant + (a->first + from) * a->bytes, 0, count * a->bytes);
}

// ---- mutants: false where there is none of this output ------------------------------------------

static bool mutate_zeros(struct auditing *a)
{
    clear_components(a, 0, a->count);
    return true;
}

// The one that counts most, so that the mutant is no matter of rounding.
static bool mutate_one(struct auditing *a)
{
    bool is_float = scalar_is_float(a->buffer->element.scalar);
    uint64_t most = 0;
    for (uint64_t i = 1; is_float && i < a->count; i++) {
        if (fabs(component_of(a, a->first + i)) > fabs(component_of(a, a->first + most)))
            most = i;
    }
    for (uint64_t i = a->count; !is_float && i-- > 0;) {
        const uint8_t *at = a->right + (a->first + i) * a->bytes;
        most = i;
        if (at[0])
            break;
    }
    // One of many that are added up may be a matter of rounding.
    if (a->whole && a->count > TILES)
        return false;
    clear_components(a, most, 1);
    return true;
}

static bool mutate_last(struct auditing *a)
{
    uint64_t row = a->count / TILES ? a->count / TILES : 1;
    clear_components(a, a->count - row, row);
    return true;
}

static bool mutate_tile(struct auditing *a)
{
    uint64_t tile = a->count / TILES ? a->count / TILES : 1;
    clear_components(a, a->count / 2,
                     tile < a->count - a->count / 2 ? tile : a->count - a->count / 2);
    return true;
}

static bool mutate_halved(struct auditing *a)
{
    enum scalar s = a->buffer->element.scalar;
    uint8_t *at = a->mutant + a->first * a->bytes;
    if (s == SCALAR_CUSTOM)
        return false;
    for (uint64_t i = 0; i < a->count && scalar_is_float(s); i++)
        put_component(a, a->first + i, component_of(a, a->first + i) / 2);
    for (uint64_t i = 0; i < a->count && !scalar_is_float(s); i++, at += a->bytes) {
        uint64_t v = 0; // little-endian, as every device that hone runs on
        memcpy(&v, at, a->bytes);
        v >>= 1;
        memcpy(at, &v, a->bytes);
    }
    return true;
}

// A spec that gives a tolerance as wide as half precision says that such a result is right.
static bool mutate_rounded(struct auditing *a)
{
    enum scalar s = a->buffer->element.scalar;
    const struct job_compare *k = &a->buffer->compare;
    if ((k->given && k->rtol >= HALF_ROUNDING) || (s != SCALAR_FLOAT && s != SCALAR_DOUBLE) ||
        a->whole)
        return false;
    for (uint64_t i = 0; i < a->count; i++) {
        double v = component_of(a, a->first + i);
        put_component(a, a->first + i, half_to_f64(half_from_f64(v)));
    }
    return true;
}

static bool mutate_stale(struct auditing *a)
{
    struct buffer *b = a->loaded->buffers[a->index];
    struct error ignored = ERROR_INIT;
    if (b->use != USE_RESTORED)
        return false;
    return memory_read(a->device, &b->initial, 0, a->mutant, a->length, &ignored);
}

static bool mutate_unwritten(struct auditing *a)
{
    if (a->loaded->buffers[a->index]->use != USE_POISONED)
        return false;
    memset(a->mutant + a->first * a->bytes, POISON_BYTE, a->count * a->bytes);
    return true;
}

static const struct mutant {
    const char *name;
    bool (*make)(struct auditing *a);
} mutants[] = {{"zeros", mutate_zeros},
               {"one element that is 0", mutate_one},
               {"the last row missing", mutate_last},
               {"one tile missing", mutate_tile},
               {"values halved", mutate_halved},
               {"values rounded to half precision", mutate_rounded},
               {"what it held before", mutate_stale},
               {"an output that is not written", mutate_unwritten}};

// ---- putting them to the check -----------------------------------------------------------------

// A mutant that is the right result, but for what is nobody's, is none.
static bool try_mutant(struct auditing *a, const char *name, struct error *e)
{
    struct comparison c = {.buffer = a->buffer};
    struct deviation d;
    compare_layout(&c);
    for (uint64_t i = 0; a->buffer->padding && i < a->length; i++)
        a->mutant[i] = compare_is_padding(&c, i) ? a->right[i] : a->mutant[i];
    struct memory *m = loaded_memory(a->loaded, a->index);
    if (memcmp(a->mutant, a->right, a->length) == 0)
        return true;
    if (!memory_write(a->device, m, a->mutant, e) ||
        !outputs_hold(a->device, a->loaded, a->reference, a->index, a->buffer, &a->proof->scale, &d,
                      e))
        return false;
    if (d.ok)
        text_addf(&a->passing, "%s%s", a->passing.length ? ", " : "", name);
    return true;
}

// A copy of an argument of the same type and size.
static bool try_copies(struct auditing *a, struct error *e)
{
    const struct loaded *l = a->loaded;
    bool ok = true;
    for (uint32_t i = 0; ok && i < l->job->buffer_count; i++) {
        const struct job_buffer *b = &l->job->buffers[i];
        struct buffer *own = l->buffers[i];
        struct memory *m = own->use == USE_INPUT ? &own->memory : &own->initial;
        char name[80];
        if (i == a->index || own->use == USE_POISONED || b->constant || b->temporary ||
            b->element.scalar != a->buffer->element.scalar || m->bytes != a->length)
            continue;
        str_format(name, sizeof name, "a copy of %s", b->name);
        ok = memory_read(a->device, m, 0, a->mutant, a->length, e) && try_mutant(a, name, e);
    }
    return ok;
}

static bool try_mutants(struct auditing *a, struct error *e)
{
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof mutants / sizeof *mutants; i++) {
        memcpy(a->mutant, a->right, a->length);
        if (mutants[i].make(a))
            ok = try_mutant(a, mutants[i].name, e);
    }
    return ok && try_copies(a, e);
}

static bool audit_output(struct auditing *a, struct error *e)
{
    struct memory *m = loaded_memory(a->loaded, a->index);
    const struct element *el = &a->buffer->element;
    const struct job_region region = buffer_region(a->buffer);
    unsigned space = el->scalar == SCALAR_CUSTOM ? 1 : element_bytes(el) / scalar_bytes(el->scalar);
    uint8_t *right = malloc(m->bytes + 1);
    a->mutant = malloc(m->bytes + 1);
    a->right = right;
    a->length = m->bytes;
    a->bytes = element_bytes(el) / space;
    a->first = region.first * space;
    a->count = region.count * space;
    a->whole = compare_is_whole(a->buffer->compare.kind);
    bool ok =
        right && a->mutant ? memory_read(a->device, m, 0, right, m->bytes, e) : error_memory(e);
    ok = ok && (a->count == 0 || try_mutants(a, e)) && memory_write(a->device, m, right, e);
    free(a->mutant);
    free(right);
    return ok && (!a->passing.failed || error_memory(e));
}

static struct proof *find_proof(struct reference *f, uint32_t index, const struct job_buffer *b)
{
    const struct proof *found = proof_of(f, index, b);
    return found ? &f->outputs[index].proofs[found - f->outputs[index].proofs] : NULL;
}

bool outputs_audit(struct device *d, struct loaded *l, struct reference *f, struct result *r)
{
    struct error e = ERROR_INIT;
    bool ok = true;
    for (uint32_t i = 0; ok && i < f->count; i++) {
        const struct job_buffer *b = &l->job->buffers[i];
        struct proof *p = f->outputs[i].length ? find_proof(f, i, b) : NULL;
        struct auditing a = {
            .device = d, .loaded = l, .reference = f, .index = i, .buffer = b, .proof = p};
        if (p && !p->audited) {
            ok = audit_output(&a, &e);
            p->audited = ok;
            str_format(p->passing, sizeof p->passing, "%s", text_cstr(&a.passing));
        }
        text_release(&a.passing);
        if (ok && p && p->passing[0])
            return result_fail(r, STATUS_CORRECTNESS, FAULT_SPEC,
                               "the check of %s cannot tell a right result from: %s", b->name,
                               p->passing);
    }
    return ok || run_lost(d, &e, r);
}
