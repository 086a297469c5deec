// The layer's tables of objects: from the driver's handle to what is known of it. Chained buckets that double, one lock for each
// table. An entry goes with the program's last reference; a handle that the driver uses again replaces an entry that stayed.
#include "extras/capture/layer/layer.h"

#include <stdlib.h>

void layer_release_program(struct layer_object *o)
{
    struct layer_program *p = (struct layer_program *)o;
    for (uint32_t i = 0; i < p->part_count; i++) {
        free(p->parts[i].text);
        free(p->parts[i].options);
        for (uint32_t k = 0; k < p->parts[i].header_count; k++) {
            free(p->parts[i].headers[k].name);
            free(p->parts[i].headers[k].text);
        }
        free(p->parts[i].headers);
    }
    free(p->parts);
    free(p->options);
}

static void release_kernel(struct layer_object *o)
{
    struct layer_kernel *k = (struct layer_kernel *)o;
    for (cl_uint i = 0; k->arguments && i < k->argument_count; i++)
        free(k->arguments[i].large);
    free(k->arguments);
    layer_replace_release(k->replacement);
}

#define TABLE(of)                                                                                  \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .release = of                                           \
    }
struct layer_objects layer_objects = {TABLE(layer_release_program), TABLE(release_kernel),
                                      TABLE(NULL), TABLE(NULL), TABLE(NULL)};

atomic_bool layer_has_parts;

static size_t bucket_of(const struct layer_table *t, const void *handle)
{
    return layer_mix(0, (uint64_t)(uintptr_t)handle) & (t->bucket_count - 1);
}

static struct layer_object **find_object(struct layer_table *t, const void *handle)
{
    struct layer_object **at = &t->buckets[bucket_of(t, handle)];
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    return at;
}

void *layer_lock(struct layer_table *t, const void *handle)
{
    pthread_mutex_lock(&t->lock);
    struct layer_object *o = t->bucket_count ? *find_object(t, handle) : NULL;
    if (!o)
        pthread_mutex_unlock(&t->lock);
    return o;
}

void layer_unlock(struct layer_table *t)
{
    pthread_mutex_unlock(&t->lock);
}

static void grow_table(struct layer_table *t)
{
    const size_t room = t->bucket_count ? t->bucket_count * 2 : 64;
    struct layer_object **buckets = calloc(room, sizeof *buckets), **old = t->buckets;
    const size_t old_count = t->bucket_count;
    if (!buckets)
        return; // longer chains
    t->buckets = buckets;
    t->bucket_count = room;
    for (size_t i = 0; i < old_count; i++) {
        for (struct layer_object *o = old[i], *next; o; o = next) {
            struct layer_object **to = &buckets[bucket_of(t, o->handle)];
            next = o->next;
            o->next = *to;
            *to = o;
        }
    }
    free(old);
}

static void free_object(const struct layer_table *t, struct layer_object *o)
{
    if (t->release)
        t->release(o);
    free(o);
}

static void remove_object(struct layer_table *t, struct layer_object **at)
{
    struct layer_object *o = *at;
    if (!o)
        return;
    *at = o->next;
    t->count--;
    o->is_gone = o->users > 0;
    if (!o->is_gone)
        free_object(t, o);
}

void layer_let_go(struct layer_table *t, void *object)
{
    struct layer_object *o = object;
    pthread_mutex_lock(&t->lock);
    if (--o->users == 0 && o->is_gone)
        free_object(t, o);
    pthread_mutex_unlock(&t->lock);
}

void *layer_add(struct layer_table *t, const void *handle, size_t size)
{
    struct layer_object *o = calloc(1, size);
    pthread_mutex_lock(&t->lock);
    if (t->count >= t->bucket_count)
        grow_table(t);
    if (!o || !t->bucket_count) {
        pthread_mutex_unlock(&t->lock);
        free(o);
        return NULL;
    }
    struct layer_object **at = find_object(t, handle);
    if (*at)
        remove_object(t, at);
    at = &t->buckets[bucket_of(t, handle)];
    o->handle = handle;
    o->count = 1;
    o->next = *at;
    *at = o;
    t->count++;
    return o;
}

void layer_retain(struct layer_table *t, const void *handle)
{
    struct layer_object *o = layer_lock(t, handle);
    if (!o)
        return;
    o->count++;
    layer_unlock(t);
}

void layer_drop(struct layer_table *t, const void *handle)
{
    struct layer_object *o = layer_lock(t, handle);
    if (!o)
        return;
    if (--o->count == 0)
        remove_object(t, find_object(t, handle));
    layer_unlock(t);
}

bool layer_svm_find(const void *at, const void **base, size_t *size)
{
    struct layer_table *t = &layer_objects.svm;
    bool found = false;
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; !found && i < t->bucket_count; i++) {
        for (struct layer_object *o = t->buckets[i]; o && !found; o = o->next) {
            const uintptr_t offset = (uintptr_t)at - (uintptr_t)o->handle;
            found = offset < ((struct layer_svm *)o)->size;
            *base = o->handle;
            *size = ((struct layer_svm *)o)->size;
        }
    }
    pthread_mutex_unlock(&t->lock);
    return found;
}

uint32_t layer_queues_of(cl_context context, cl_command_queue *out, uint32_t most)
{
    struct layer_table *t = &layer_objects.queues;
    uint32_t count = 0;
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < t->bucket_count; i++) {
        for (struct layer_object *o = t->buckets[i]; o && count < most; o = o->next) {
            cl_command_queue queue = (cl_command_queue)(uintptr_t)o->handle;
            if (((struct layer_queue *)o)->context == context &&
                layer_next.clRetainCommandQueue(queue) == CL_SUCCESS)
                out[count++] = queue;
        }
    }
    pthread_mutex_unlock(&t->lock);
    return count;
}

const unsigned char *layer_bytes(const struct layer_argument *a)
{
    return a->large ? a->large : a->bytes;
}

// Another thread of the parent may have held a lock when it forked.
void layer_objects_after_fork(void)
{
    struct layer_table *const tables[] = {&layer_objects.programs, &layer_objects.kernels,
                                          &layer_objects.memories, &layer_objects.svm,
                                          &layer_objects.queues};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        pthread_mutex_init(&tables[i]->lock, NULL);
}
