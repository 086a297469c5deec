// Kernels of hone's own: found by their text, built when they are first asked for or by a thread ahead
// of time, loaded by whoever launches them. What the thread has in hand is under its mutex; what was
// queued and is no longer wanted is withdrawn.
#include "device/own_kernel.h"

#include "base/text.h"
#include "device/open_device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH_LEAST 65536

// Queued and being built it is the thread's below, and its state is under that one's mutex.
enum own_state { OWN_KNOWN, OWN_QUEUED, OWN_IN_WORK, OWN_BUILT };

struct own_kernel {
    struct own_kernel *next;
    struct own_kernel *behind; // in the queue
    const char *name;
    const char *const *pieces;
    char *defines; // a copy, behind the struct
    enum own_state state;
    void *kernel; // NULL: it does not build, or does not load
    bool loaded;
    struct error why;
};

void own_narrow_defines(enum scalar s, struct text *out)
{
    const struct narrow *n = scalar_narrow(s);
    text_addf(out, "#define FRACTION %d\n#define BIAS %d\n", n ? n->fraction : 0, n ? n->bias : 0);
    text_addf(out, "#define SIGN %d\n#define FINITE %d\n", n ? n->sign : 0, n ? n->finite : 0);
}

// A queue, and a thread that builds what is in it while the caller does something else.
struct own_ahead {
    struct device *device;
    pthread_t thread;
    bool started; // it is to be joined
    bool at_work; // it takes what is queued
    pthread_mutex_t mutex;
    pthread_cond_t built;
    struct own_kernel *first, *last;
};

bool own_kernels_offered(const struct device *d)
{
    uint64_t most = d->info.max_group_size; // 0: not known
    return d->backend->own_run && (most == 0 || most >= OWN_GROUP);
}

static bool make_source(const struct device *d, const struct own_text *t, struct text *out)
{
    text_add(out, d->backend->own_prologue);
    text_add(out, t->defines);
    for (const char *const *at = t->pieces; *at; at++)
        text_add(out, *at);
    return !out->failed;
}

static void build(struct device *d, struct own_kernel *k)
{
    const struct own_text t = {k->name, k->defines, k->pieces};
    struct text source = TEXT_INIT;
    if (!make_source(d, &t, &source))
        error_memory(&k->why);
    else
        k->kernel = d->backend->own_kernel(d->own, source.data, t.name, &k->why);
    if (!k->kernel)
        error_context(&k->why, "hone's own kernel %s", t.name);
    text_release(&source);
}

static void load_own_kernel(struct device *d, struct own_kernel *k)
{
    const struct backend *b = d->backend;
    k->loaded = true;
    if (!k->kernel || !b->own_load || b->own_load(d->own, k->kernel, k->name, &k->why))
        return;
    b->own_free(d->own, k->kernel);
    k->kernel = NULL;
    error_context(&k->why, "hone's own kernel %s", k->name);
}

static struct own_kernel *add(struct device *d, const struct own_text *t, struct error *e)
{
    size_t length = strlen(t->defines) + 1;
    struct own_kernel *k = malloc(sizeof *k + length);
    if (!k)
        return error_no_memory(e);
    *k = (struct own_kernel){.next = d->own_kernels, .name = t->name, .pieces = t->pieces};
    k->defines = memcpy(k + 1, t->defines, length);
    d->own_kernels = k;
    return k;
}

// ---- ahead of time

static struct own_kernel *take_own_kernel(struct own_ahead *a)
{
    struct own_kernel *k = a->first;
    if (k) {
        a->first = k->behind;
        k->state = OWN_IN_WORK;
    }
    return k;
}

static void *build_queue(void *argument)
{
    struct own_ahead *a = argument;
    struct own_kernel *k;
    pthread_mutex_lock(&a->mutex);
    while ((k = take_own_kernel(a))) {
        pthread_mutex_unlock(&a->mutex);
        build(a->device, k);
        pthread_mutex_lock(&a->mutex);
        k->state = OWN_BUILT;
        pthread_cond_signal(&a->built);
    }
    a->at_work = false;
    pthread_mutex_unlock(&a->mutex);
    return NULL;
}

static void clear_queue(struct own_ahead *a)
{
    pthread_mutex_lock(&a->mutex);
    for (; a->first; a->first = a->first->behind)
        a->first->state = OWN_KNOWN;
    pthread_mutex_unlock(&a->mutex);
}

static void enqueue(struct own_ahead *a, struct own_kernel *k)
{
    pthread_mutex_lock(&a->mutex);
    if (k->state == OWN_KNOWN) {
        k->state = OWN_QUEUED;
        k->behind = NULL;
        *(a->first ? &a->last->behind : &a->first) = k;
        a->last = k;
    }
    pthread_mutex_unlock(&a->mutex);
}

static void await(struct own_ahead *a, const struct own_kernel *k)
{
    pthread_mutex_lock(&a->mutex);
    while (k->state == OWN_QUEUED || k->state == OWN_IN_WORK)
        pthread_cond_wait(&a->built, &a->mutex);
    pthread_mutex_unlock(&a->mutex);
}

static struct own_ahead *ahead_new(struct device *d)
{
    struct own_ahead *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->device = d;
    pthread_mutex_init(&a->mutex, NULL);
    pthread_cond_init(&a->built, NULL);
    return a;
}

static void ahead_free(struct own_ahead *a)
{
    if (!a)
        return;
    clear_queue(a);
    if (a->started)
        pthread_join(a->thread, NULL);
    pthread_cond_destroy(&a->built);
    pthread_mutex_destroy(&a->mutex);
    free(a);
}

void own_kernels_collect(struct device *d)
{
    if (d->own_ahead)
        clear_queue(d->own_ahead);
    else
        d->own_ahead = ahead_new(d);
    d->own_collecting = d->own_ahead != NULL; // else they are built when they are asked for
}

void own_kernels_start(struct device *d)
{
    struct own_ahead *a = d->own_ahead;
    d->own_collecting = false;
    if (!a)
        return;
    pthread_mutex_lock(&a->mutex);
    bool idle = a->first && !a->at_work;
    a->at_work = a->at_work || idle;
    pthread_mutex_unlock(&a->mutex);
    if (!idle)
        return;
    if (a->started)
        pthread_join(a->thread, NULL);
    a->started = pthread_create(&a->thread, NULL, build_queue, a) == 0;
    if (!a->started) // a thread that could not be had is done without
        build_queue(a);
}

// ----

static struct own_kernel *find_own_kernel(const struct device *d, const struct own_text *t)
{
    struct own_kernel *k = d->own_kernels;
    while (k && (k->pieces != t->pieces || strcmp(k->name, t->name) != 0 ||
                 strcmp(k->defines, t->defines) != 0))
        k = k->next;
    return k;
}

bool own_kernel_ready(struct device *d, const struct own_text *t)
{
    struct own_kernel *k = find_own_kernel(d, t);
    if (d->own_collecting && (k || (k = add(d, t, NULL))))
        enqueue(d->own_ahead, k);
    if (!k || !d->own_ahead)
        return k && k->state == OWN_BUILT && k->kernel;
    pthread_mutex_lock(&d->own_ahead->mutex);
    bool is_ready = k->state == OWN_BUILT && k->kernel;
    pthread_mutex_unlock(&d->own_ahead->mutex);
    return is_ready;
}

void *own_kernel_get(struct device *d, const struct own_text *t, struct error *e)
{
    struct own_kernel *k = find_own_kernel(d, t);
    if (!k)
        k = add(d, t, e);
    if (!k)
        return NULL;
    if (d->own_collecting) {
        enqueue(d->own_ahead, k);
        return NULL;
    }
    if (d->own_ahead)
        await(d->own_ahead, k);
    if (k->state == OWN_KNOWN)
        build(d, k);
    k->state = OWN_BUILT;
    if (!k->loaded)
        load_own_kernel(d, k);
    if (!k->kernel)
        error_set_driver(e, k->why.code, k->why.driver, "%s", k->why.text);
    return k->kernel;
}

bool own_kernel_run(struct device *d, void *kernel, const struct own_launch *l, struct error *e)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < l->count; i++)
        ok = !l->arguments[i].memory || memory_yield(d, l->arguments[i].memory, e);
    return ok && d->backend->own_run(d->own, kernel, l, e);
}

struct memory *own_scratch(struct device *d, uint64_t bytes, struct error *e)
{
    struct memory *m = &d->scratch;
    if (m->view && m->bytes >= bytes)
        return m;
    memory_free(d, m);
    *m = (struct memory){.bytes = bytes > SCRATCH_LEAST ? bytes : SCRATCH_LEAST, .exact = true};
    if (d->backend->memory_new(d->own, m, ACCESS_BOTH, e))
        return m;
    *m = (struct memory){.bytes = 0};
    error_context(e, "room for partial results");
    return NULL;
}

void own_kernels_free(struct device *d)
{
    ahead_free(d->own_ahead);
    d->own_ahead = NULL;
    while (d->own_kernels) {
        struct own_kernel *k = d->own_kernels;
        d->own_kernels = k->next;
        if (k->kernel)
            d->backend->own_free(d->own, k->kernel);
        free(k);
    }
    memory_free(d, &d->scratch);
}
