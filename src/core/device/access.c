// One way to reach memory, whether it is a mapping of ours or the device's own.
#include "device/open_device.h"

#include "device/checksum.h"
#include "device/parallel.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_BYTES (1u << 20) // worth a thread

bool memory_new(struct device *d, struct memory *m, uint64_t bytes, enum access access,
                struct error *e)
{
    *m = (struct memory){.bytes = bytes ? bytes : 1, .guard = guard_byte(d->memories++)};
    m->exact = d->options.simulated;
    return d->backend->memory_new(d->own, m, access, e);
}

bool memory_new_buffer(struct device *d, struct memory *m, const struct job_buffer *b,
                       struct error *e)
{
    if (!memory_new(d, m, b->count * element_bytes(&b->element), b->access, e))
        return false;
    if (b->image.dimensions == 0)
        return true;
    m->newer = true;
    if (d->backend->image_new
            ? d->backend->image_new(d->own, m, b, e)
            : error_set(e, ERROR_INPUT, "%s has no images", language_title(d->backend->language)))
        return true;
    memory_free(d, m);
    return false;
}

void memory_free(struct device *d, struct memory *m)
{
    if (!m->view)
        return;
    memory_yield(d, m, NULL);
    d->backend->memory_free(d->own, m);
    *m = (struct memory){.bytes = 0};
}

static bool claim(struct device *d, struct memory *m, struct error *e)
{
    if (m->claimed || !d->backend->claim)
        return true;
    return m->claimed = d->backend->claim(d->own, m, e);
}

bool memory_yield(struct device *d, struct memory *m, struct error *e)
{
    if (!m->host || !m->claimed || !d->backend->yield)
        return true;
    m->claimed = false;
    return d->backend->yield(d->own, m, e);
}

bool memory_put(struct device *d, struct memory *m, struct error *e)
{
    if (!m->image || !m->newer)
        return true;
    m->newer = false;
    return memory_yield(d, m, e) && d->backend->image_put(d->own, m, e);
}

bool memory_take(struct device *d, struct memory *m, struct error *e)
{
    return !m->image || (memory_yield(d, m, e) && d->backend->image_take(d->own, m, e));
}

struct transfer {
    uint8_t *to;
    const uint8_t *from; // NULL: `byte`
    uint8_t byte;
};

static void transfer_range(void *context, struct range r)
{
    struct transfer *t = context;
    if (t->from)
        memcpy(t->to + r.first, t->from + r.first, r.end - r.first);
    else
        memset(t->to + r.first, t->byte, r.end - r.first);
}

static void transfer_all(struct transfer t, uint64_t bytes)
{
    parallel_run(bytes, parallel_parts(bytes, LEAST_BYTES), 4096, transfer_range, &t);
}

bool memory_read(struct device *d, struct memory *m, int64_t at, void *to, uint64_t bytes,
                 struct error *e)
{
    if (!m->host)
        return d->backend->read(d->own, m, at, to, bytes, e);
    if (!claim(d, m, e))
        return false;
    memcpy(to, m->map.data + at, bytes);
    return true;
}

bool memory_write(struct device *d, struct memory *m, const void *from, struct error *e)
{
    m->newer = true;
    if (!m->host)
        return d->backend->write(d->own, m, 0, from, m->bytes, e);
    if (!claim(d, m, e))
        return false;
    transfer_all((struct transfer){m->map.data, from, 0}, m->bytes);
    return true;
}

bool memory_fill(struct device *d, struct memory *m, uint8_t byte, struct error *e)
{
    m->newer = true;
    if (!m->host)
        return d->backend->fill(d->own, m, 0, byte, m->bytes, e);
    if (!claim(d, m, e))
        return false;
    transfer_all((struct transfer){m->map.data, NULL, byte}, m->bytes);
    return true;
}

bool memory_copy(struct device *d, struct memory *to, struct memory *from, struct error *e)
{
    to->newer = true;
    if (!to->host)
        return d->backend->copy(d->own, to, from, e);
    if (!claim(d, to, e) || !claim(d, from, e))
        return false;
    transfer_all((struct transfer){to->map.data, from->map.data, 0}, to->bytes);
    return true;
}

const void *memory_look(struct device *d, struct memory *m, void **copy, struct error *e)
{
    *copy = NULL;
    if (m->host)
        return claim(d, m, e) ? m->map.data : NULL;
    *copy = calloc(1, m->bytes); // what a driver says that it read must not be what was there
    if (!*copy)
        return error_no_memory(e);
    if (memory_read(d, m, 0, *copy, m->bytes, e))
        return *copy;
    free(*copy);
    return *copy = NULL;
}

bool memory_checksum(struct device *d, struct memory *m, uint64_t *out, struct error *e)
{
    void *copy = NULL;
    // A simulator that watches every access of a kernel is slower at summing than this process.
    if (!m->host && !m->exact && checksum_offered(d)) {
        struct region all = {.memory = m, .bytes = m->bytes};
        bool ok = checksums_on_device(d, &all, 1, e);
        *out = all.sum;
        return ok;
    }
    const void *data = memory_look(d, m, &copy, e);
    if (data)
        *out = checksum_of(data, m->bytes);
    free(copy);
    return data != NULL;
}

// ---- guard zones; those of a mapping lie outside what the driver knows of

bool guards_set(struct device *d, struct memory *m, struct error *e)
{
    if (m->exact)
        return true;
    if (m->host) {
        memset(m->map.data - GUARD_BYTES, m->guard, GUARD_BYTES);
        memset(m->map.data + m->bytes, m->guard, m->map.tail);
        return true;
    }
    uint64_t word = UINT64_C(0x0101010101010101) * m->guard, sum = 0;
    for (uint64_t i = 0; i < GUARD_BYTES / 8; i++)
        sum += checksum_word(&word, 8, i);
    m->guard_sum = sum;
    return d->backend->fill(d->own, m, -GUARD_BYTES, m->guard, GUARD_BYTES, e) &&
           d->backend->fill(d->own, m, (int64_t)m->bytes, m->guard, GUARD_BYTES, e);
}

bool guards_look(struct device *d, struct memory *m, struct trespass *before,
                 struct trespass *behind, struct error *e)
{
    if (m->exact)
        return true;
    if (m->host) {
        *before = guard_look_before(m->map.data - GUARD_BYTES, GUARD_BYTES, m->guard);
        *behind = guard_look_behind(m->map.data + m->bytes, m->map.tail, m->guard);
        return true;
    }
    uint8_t *zone = calloc(1, GUARD_BYTES); // as above
    bool ok = zone || error_memory(e);
    ok = ok && d->backend->read(d->own, m, -GUARD_BYTES, zone, GUARD_BYTES, e);
    if (ok)
        *before = guard_look_before(zone, GUARD_BYTES, m->guard);
    ok = ok && d->backend->read(d->own, m, (int64_t)m->bytes, zone, GUARD_BYTES, e);
    if (ok)
        *behind = guard_look_behind(zone, GUARD_BYTES, m->guard);
    free(zone);
    return ok;
}
