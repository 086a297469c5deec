// Finds the components that a launch left unwritten. The poison alone does not tell, since a kernel
// may write that very value: a second launch, on other poison, does.
#include "device/open_device.h"

#include "device/compare_pass.h"
#include "device/fill.h"

#include <stdlib.h>

// No byte of it is the first poison's.
#define OTHER_POISON (POISON_BYTE ^ 0xff)

static bool is_poisoned(const struct job_buffer *b)
{
    return b->output && !buffer_begins_made(b);
}

bool unwritten_suspected(struct device *d, struct loaded *l, uint32_t index, uint64_t *out,
                         struct error *e)
{
    const struct job_buffer *b = &l->job->buffers[index];
    struct memory *m = &l->buffers[index]->memory;
    struct compare_request q = {.buffer = b, .got = m, .expected = m};
    void *copy = NULL;
    *out = 0;
    if (!is_poisoned(b))
        return true;
    if (!m->host && !m->exact && m->bytes >= d->worth_bytes &&
        (q.kernel = compare_kernel(d, b, false)))
        return poison_on_device(d, &q, out, e);
    const void *data = memory_look(d, m, &copy, e);
    if (data)
        *out = compare_poisoned(b, data);
    free(copy);
    return data != NULL;
}

// ---- for certain

static bool read_output(struct device *d, struct loaded *l, uint32_t index, uint8_t **out,
                        struct error *e)
{
    struct memory *m = &l->buffers[index]->memory;
    *out = malloc(m->bytes + 1);
    return (*out || error_memory(e)) && memory_read(d, m, 0, *out, m->bytes, e);
}

static bool read_outputs(struct device *d, struct loaded *l, uint8_t **out, struct result *r)
{
    struct error e = ERROR_INIT;
    bool ok = true;
    for (uint32_t i = 0; ok && i < l->job->buffer_count; i++)
        ok = !l->job->buffers[i].output || read_output(d, l, i, &out[i], &e);
    return ok || run_lost(d, &e, r);
}

static bool holds(const uint8_t *at, unsigned bytes, uint8_t byte)
{
    for (unsigned k = 0; k < bytes; k++) {
        if (at[k] != byte)
            return false;
    }
    return true;
}

// NULL where nothing was left.
static bool find_left(const struct job_buffer *b, const uint8_t *first, const uint8_t *second,
                      uint8_t **out)
{
    struct comparison c = {.buffer = b};
    uint64_t left = 0;
    compare_layout(&c);
    uint64_t components = b->count * c.width;
    uint8_t *mask = malloc(components + 1);
    for (uint64_t i = 0; mask && i < components; i++) {
        uint64_t at = compare_place(&c, i) * c.bytes;
        mask[i] = !compare_is_padding(&c, i) && holds(first + at, c.bytes, POISON_BYTE) &&
                  holds(second + at, c.bytes, OTHER_POISON);
        left += mask[i];
    }
    if (!mask)
        return false;
    if (!left) {
        free(mask);
        mask = NULL;
    }
    *out = mask;
    return true;
}

bool launch_on_other_poison(struct device *d, struct loaded *l, struct result *r)
{
    d->hushed++;
    d->poison = OTHER_POISON;
    bool ok = run_checked(d, l, r);
    d->poison = POISON_BYTE;
    d->hushed--;
    return ok;
}

bool unwritten_find(struct device *d, struct loaded *l, struct unwritten *u, struct result *r)
{
    uint32_t count = l->job->buffer_count;
    uint8_t **second = calloc(count + 1, sizeof *second);
    bool memory = true;
    u->count = count;
    u->data = calloc(count + 1, sizeof *u->data);
    u->left = calloc(count + 1, sizeof *u->left);
    bool ok = second && u->data && u->left;
    if (!ok)
        result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    ok = ok && read_outputs(d, l, u->data, r) && launch_on_other_poison(d, l, r) &&
         read_outputs(d, l, second, r);
    for (uint32_t i = 0; ok && memory && i < count; i++) {
        const struct job_buffer *b = &l->job->buffers[i];
        memory = !is_poisoned(b) || find_left(b, u->data[i], second[i], &u->left[i]);
    }
    for (uint32_t i = 0; second && i < count; i++)
        free(second[i]);
    free(second);
    if (!memory)
        ok = result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    return ok;
}

void unwritten_release(struct unwritten *u)
{
    for (uint32_t i = 0; i < u->count; i++) {
        if (u->data)
            free(u->data[i]);
        if (u->left)
            free(u->left[i]);
    }
    free(u->data);
    free(u->left);
}
