// The pool of buffers that loaded jobs share.
#include "device/open_device.h"

#include "base/digest.h"
#include "device/fill.h"

#include <stdlib.h>

// Buffers of no loaded job may keep 1 / IDLE_SHARE of the device's memory: inputs are expensive to
// make, and the next configuration of a tune needs the same.
#define IDLE_SHARE 4

static enum use use_of(const struct job_buffer *b)
{
    if (b->temporary)
        return b->fill.kind == FILL_NONE ? USE_POISONED : USE_RESTORED;
    if (b->access == ACCESS_READ)
        return USE_INPUT;
    return b->access == ACCESS_BOTH ? USE_RESTORED : USE_POISONED;
}

bool buffer_restores(const struct job_buffer *b, bool timed)
{
    return use_of(b) == USE_RESTORED && !(timed && b->keep);
}

bool loaded_restores(const struct loaded *l)
{
    for (uint32_t i = 0; i < l->job->buffer_count; i++) {
        if (buffer_restores(&l->job->buffers[i], true))
            return true;
    }
    return false;
}

bool loaded_counts_launches(const struct loaded *l)
{
    for (uint32_t i = 0; i < l->job->buffer_count; i++) {
        const struct job_buffer *b = &l->job->buffers[i];
        if (b->keep || buffer_restores(b, true))
            return true;
    }
    return false;
}

bool buffer_begins_made(const struct job_buffer *b)
{
    return use_of(b) != USE_POISONED;
}

struct memory *loaded_memory(const struct loaded *l, uint32_t buffer)
{
    return l->memory[(size_t)l->slot * l->job->buffer_count + buffer];
}

// ---- keys

// Poisoned buffers are alike when they are of one size, the others when they are of one recipe. An
// image is made for its access, too.
static void kind_digest(const struct job_buffer *b, struct digest *out)
{
    bool is_image = b->image.dimensions > 0;
    uint64_t facts[2] = {use_of(b) + (is_image ? USE_COUNT * (1 + (uint64_t)b->access) : 0),
                         fill_bytes(b)};
    struct digest_state s;
    digest_start(&s);
    digest_add(&s, facts, sizeof facts);
    if (use_of(b) != USE_POISONED || is_image) {
        job_buffer_digest(b, out);
        digest_add(&s, out, sizeof *out);
    }
    digest_finish(&s, out);
}

// Two buffers of one job are never the same memory, however alike: the kernel would touch less
// memory than the spec says. A buffer that keeps what a launch left in it belongs to one job.
static void key_of(const struct loaded *l, uint32_t index, struct digest *out)
{
    struct digest mine, other;
    struct digest_state s;
    uint64_t alike = 0;
    uintptr_t owner = l->job->buffers[index].keep ? (uintptr_t)l : 0;
    kind_digest(&l->job->buffers[index], &mine);
    for (uint32_t i = 0; i < index; i++) {
        kind_digest(&l->job->buffers[i], &other);
        alike += digest_equal(&mine, &other);
    }
    digest_start(&s);
    digest_add(&s, &mine, sizeof mine);
    digest_add(&s, &alike, sizeof alike);
    digest_add(&s, &owner, sizeof owner);
    digest_finish(&s, out);
}

// ---- giving up

static uint64_t bytes_of(const struct buffer *b)
{
    return b->memory.bytes * (1 + b->copy_count) + b->initial.bytes;
}

static void remove_buffer(struct device *d, struct buffer *b)
{
    struct buffer **at = &d->pool.buffers;
    while (*at != b)
        at = &(*at)->next;
    *at = b->next;
    d->pool.bytes -= bytes_of(b);
    memory_free(d, &b->memory);
    memory_free(d, &b->initial);
    for (uint32_t i = 0; i < b->copy_count; i++) {
        memory_free(d, b->copies[i]);
        free(b->copies[i]);
    }
    free(b->copies);
    free(b);
}

static struct buffer *oldest_idle(const struct device *d)
{
    struct buffer *oldest = NULL;
    for (struct buffer *b = d->pool.buffers; b; b = b->next) {
        if (b->users == 0 && (!oldest || b->stamp < oldest->stamp))
            oldest = b;
    }
    return oldest;
}

static uint64_t idle_bytes(const struct device *d)
{
    uint64_t sum = 0;
    for (const struct buffer *b = d->pool.buffers; b; b = b->next)
        sum += b->users == 0 ? bytes_of(b) : 0;
    return sum;
}

static void trim(struct device *d, uint64_t most)
{
    struct buffer *b;
    while (idle_bytes(d) > most && (b = oldest_idle(d)))
        remove_buffer(d, b);
}

void buffers_free(struct device *d)
{
    while (d->pool.buffers)
        remove_buffer(d, d->pool.buffers);
}

// ---- acquiring

static struct buffer *find_buffer(struct device *d, const struct digest *key)
{
    for (struct buffer *b = d->pool.buffers; b; b = b->next) {
        if (digest_equal(&b->key, key))
            return b;
    }
    return NULL;
}

static void make_room(struct device *d)
{
    trim(d, 0);
    references_leave_device(d);
}

// Idle buffers make room for new ones before the device is asked for more than it has.
static bool allocate(struct device *d, struct buffer *b, const struct job_buffer *job,
                     struct error *e)
{
    uint64_t bytes = fill_bytes(job);
    bool restored = b->use == USE_RESTORED;
    if (d->info.global_bytes && d->pool.bytes + 2 * bytes > d->info.global_bytes)
        make_room(d);
    bool ok = memory_new_buffer(d, &b->memory, job, NULL);
    if (!ok) {
        make_room(d);
        ok = memory_new_buffer(d, &b->memory, job, e);
    }
    if (!ok || !restored || memory_new(d, &b->initial, bytes, ACCESS_BOTH, NULL))
        return ok;
    make_room(d);
    return memory_new(d, &b->initial, bytes, ACCESS_BOTH, e);
}

static struct buffer *new_buffer(struct device *d, const struct job_buffer *job,
                                 const struct digest *key, struct error *e)
{
    struct buffer *b = alloc_zeroed(sizeof *b, e);
    if (!b)
        return NULL;
    b->key = *key;
    b->use = use_of(job);
    if (!allocate(d, b, job, e)) {
        error_context(e, "buffer %s of %llu bytes", job->name, (unsigned long long)fill_bytes(job));
        memory_free(d, &b->memory);
        free(b);
        return NULL;
    }
    d->pool.bytes += bytes_of(b);
    b->next = d->pool.buffers;
    d->pool.buffers = b;
    return b;
}

bool buffers_acquire(struct device *d, struct loaded *l, struct error *e)
{
    for (uint32_t i = 0; i < l->job->buffer_count; i++) {
        struct digest key;
        key_of(l, i, &key);
        struct buffer *b = find_buffer(d, &key);
        if (!b)
            b = new_buffer(d, &l->job->buffers[i], &key, e);
        if (!b)
            return false;
        b->users++;
        b->stamp = ++d->pool.clock;
        l->buffers[i] = b;
        l->memory[i] = &b->memory;
    }
    l->slots = 1;
    return true;
}

void buffers_release(struct device *d, struct loaded *l)
{
    for (uint32_t i = 0; l->buffers && i < l->job->buffer_count; i++) {
        struct buffer *b = l->buffers[i];
        if (!b)
            continue;
        b->users--;
        b->writer = b->writer == l ? NULL : b->writer;
        l->buffers[i] = NULL;
        if (l->job->buffers[i].keep) // nobody else will ever ask for it
            remove_buffer(d, b);
    }
    l->slots = 0;
    trim(d, d->info.global_bytes / IDLE_SHARE);
}

// ---- slots

// The copies of one job take at most this fraction (1/16) of the device's memory and this many bytes, and
// are for at most this many slots.
#define COPIES_SHARE 16
#define COPIES_BYTES (UINT64_C(256) << 20)
#define SLOTS_MOST   128

static bool is_fresh(const struct loaded *l, uint32_t index)
{
    return l->buffers[index]->use == USE_POISONED || buffer_restores(&l->job->buffers[index], true);
}

static bool loaded_writes(const struct loaded *l)
{
    bool any = false;
    for (uint32_t i = 0; i < l->job->buffer_count; i++)
        any = any || is_fresh(l, i);
    return any;
}

static uint32_t slots_that_fit(const struct device *d, const struct loaded *l, uint32_t wanted)
{
    uint64_t each = 0, room = COPIES_BYTES;
    if (d->info.global_bytes && d->info.global_bytes / COPIES_SHARE < room)
        room = d->info.global_bytes / COPIES_SHARE;
    for (uint32_t i = 0; i < l->job->buffer_count; i++)
        each += is_fresh(l, i) ? l->buffers[i]->memory.bytes : 0;
    uint64_t fit = each ? 1 + room / each : 1;
    uint32_t most = fit < SLOTS_MOST ? (uint32_t)fit : SLOTS_MOST;
    return wanted > most ? most : wanted;
}

static bool add_copy(struct device *d, struct buffer *b, const struct job_buffer *job)
{
    struct memory *m = calloc(1, sizeof *m);
    struct memory **grown = m ? realloc(b->copies, (b->copy_count + 1) * sizeof(*grown)) : NULL;
    b->copies = grown ? grown : b->copies;
    if (!grown || !memory_new_buffer(d, m, job, NULL)) {
        free(m);
        return false;
    }
    if (!guards_set(d, m, NULL)) {
        memory_free(d, m);
        free(m);
        return false;
    }
    b->copies[b->copy_count++] = m;
    d->pool.bytes += m->bytes;
    return true;
}

static bool add_slot(struct device *d, struct loaded *l)
{
    uint32_t count = l->job->buffer_count;
    struct memory **rows = realloc(l->memory, ((size_t)l->slots + 1) * (count + 1) * sizeof(*rows));
    if (!rows)
        return false;
    l->memory = rows;
    for (uint32_t i = 0; i < count; i++) {
        struct buffer *b = l->buffers[i];
        bool fresh = is_fresh(l, i);
        if (fresh && b->copy_count < l->slots && !add_copy(d, b, &l->job->buffers[i]))
            return false;
        rows[(size_t)l->slots * count + i] = fresh ? b->copies[l->slots - 1] : &b->memory;
    }
    l->slots++;
    return true;
}

uint32_t buffers_slots(struct device *d, struct loaded *l, uint32_t wanted)
{
    uint32_t fit = slots_that_fit(d, l, wanted);
    if (!loaded_writes(l)) // nothing that a launch could find
        return wanted;
    while (l->slots < fit && add_slot(d, l)) {
    }
    return l->slots < fit ? l->slots : fit;
}

// ---- contents

void buffers_distrust(struct device *d)
{
    for (struct buffer *b = d->pool.buffers; b; b = b->next) {
        b->made = b->guarded = false;
        for (uint32_t i = 0; i < b->copy_count; i++)
            guards_set(d, b->copies[i], NULL);
    }
}

void buffers_forget(struct loaded *l)
{
    for (uint32_t i = 0; i < l->job->buffer_count; i++)
        l->buffers[i]->made = false;
}

struct job_buffer buffer_contents(const struct device *d, const struct job_buffer *b)
{
    struct job_buffer contents = *b;
    contents.fill.seed = job_other_seed(b, d->inputs);
    return contents;
}

static bool make_buffer_contents(struct device *d, const struct job_buffer *job, struct memory *m,
                                 struct error *e)
{
    const struct job_blob *given = &job->fill.blob;
    if (job->fill.kind == FILL_DATA && given->data && given->length == m->bytes)
        return memory_write(d, m, given->data, e);
    if (fill_is_zero(job))
        return memory_fill(d, m, 0, e);
    if (fill_on_device(d, job, m))
        return true;
    void *data = malloc(m->bytes);
    bool ok = data || error_memory(e);
    ok = ok && fill_make(job, data, e) && memory_write(d, m, data, e);
    free(data);
    return ok;
}

static bool make_buffer(struct device *d, const struct job_buffer *job, struct buffer *b,
                        struct error *e)
{
    bool input = b->use == USE_INPUT;
    struct job_buffer contents = buffer_contents(d, job);
    uint64_t inputs = contents.fill.seed == job->fill.seed ? 0 : d->inputs;
    if (!b->guarded && !guards_set(d, &b->memory, e))
        return false;
    b->guarded = true;
    if ((b->made && b->inputs == inputs) || b->use == USE_POISONED)
        return true;
    b->made = false;
    b->inputs = inputs;
    if (!make_buffer_contents(d, &contents, input ? &b->memory : &b->initial, e))
        return false;
    return b->made = !input || memory_checksum(d, &b->memory, &b->checksum, e);
}

bool buffers_make(struct device *d, struct loaded *l, struct error *e)
{
    for (uint32_t i = 0; i < l->job->buffer_count; i++) {
        if (!make_buffer(d, &l->job->buffers[i], l->buffers[i], e))
            return error_context(e, "contents of %s", l->job->buffers[i].name);
    }
    return true;
}

bool buffers_restore(struct device *d, struct loaded *l, bool timed, struct error *e)
{
    for (uint32_t i = 0; i < l->job->buffer_count; i++) {
        struct buffer *b = l->buffers[i];
        if (buffer_restores(&l->job->buffers[i], timed) &&
            !memory_copy(d, &b->memory, &b->initial, e))
            return error_context(e, "restoring %s", l->job->buffers[i].name);
    }
    return true;
}

bool buffers_poison(struct device *d, struct loaded *l, struct error *e)
{
    for (uint32_t i = 0; i < l->job->buffer_count; i++) {
        struct buffer *b = l->buffers[i];
        if (b->use == USE_POISONED && !memory_fill(d, &b->memory, d->poison, e))
            return error_context(e, "poisoning %s", l->job->buffers[i].name);
    }
    return true;
}

bool buffers_freshen(struct device *d, struct loaded *l, uint32_t slots, struct error *e)
{
    uint32_t count = l->job->buffer_count;
    for (uint32_t i = 0; i < count; i++) {
        struct buffer *b = l->buffers[i];
        bool restores = buffer_restores(&l->job->buffers[i], true);
        for (uint32_t slot = 0; is_fresh(l, i) && slot < slots; slot++) {
            struct memory *m = l->memory[(size_t)slot * count + i];
            if (restores ? !memory_copy(d, m, &b->initial, e) : !memory_fill(d, m, d->poison, e))
                return error_context(e, "%s %s", restores ? "restoring" : "poisoning",
                                     l->job->buffers[i].name);
        }
    }
    return true;
}
