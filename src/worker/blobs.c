// Contents that the tuner has sent, in parts, by their digest. They stay for the life of the
// worker: inputs are made again from them after a kernel has touched what it should not.
#include "worker/blobs.h"

#include <stdlib.h>
#include <string.h>

struct blob {
    struct blob *next;
    struct digest digest;
    uint64_t length, received, capacity;
    uint8_t *data;
    struct digest_state state; // of what was received
    const char *wrong;         // (or NULL) why it cannot be used
};

static struct blob *blobs_find(const struct blobs *all, const struct digest *digest)
{
    struct blob *b = all->first;
    while (b && !digest_equal(&b->digest, digest))
        b = b->next;
    return b;
}

static struct blob *blobs_begin(struct blobs *all, const struct blob_part *p)
{
    struct blob *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->digest = p->digest;
    b->length = p->length;
    digest_start(&b->state);
    b->wrong = p->length == 0 ? "it has no length" : NULL;
    b->next = all->first;
    all->first = b;
    return b;
}

// Grows with what arrives: a length that is only claimed costs nothing.
static bool blob_grow(struct blob *b, uint64_t least)
{
    uint64_t wanted = 2 * b->capacity > least ? 2 * b->capacity : least;
    if (least <= b->capacity)
        return true;
    if (wanted > b->length)
        wanted = b->length;
    uint8_t *data = wanted <= SIZE_MAX ? realloc(b->data, (size_t)wanted) : NULL;
    if (!data)
        return false;
    b->data = data;
    b->capacity = wanted;
    return true;
}

static void blob_fail(struct blob *b, const char *why)
{
    free(b->data);
    b->data = NULL;
    b->capacity = 0;
    b->wrong = why;
}

bool blobs_take(struct blobs *all, const struct blob_part *p)
{
    struct blob *b = blobs_find(all, &p->digest);
    if (!b && !(b = blobs_begin(all, p)))
        return false;
    if (b->wrong || b->received == b->length) // jobs may point to what is whole
        return true;
    if (p->length != b->length || p->offset != b->received || p->size == 0 ||
        p->size > b->length - b->received) {
        blob_fail(b, "its parts do not follow each other");
        return true;
    }
    if (!blob_grow(b, b->received + p->size)) {
        blob_fail(b, "the worker has no memory for it");
        return true;
    }
    memcpy(b->data + b->received, p->data, (size_t)p->size);
    digest_add(&b->state, p->data, (size_t)p->size);
    b->received += p->size;
    if (b->received == b->length) {
        struct digest got;
        digest_finish(&b->state, &got);
        if (!digest_equal(&got, &b->digest))
            blob_fail(b, "what arrived has another digest");
    }
    return true;
}

struct search {
    const struct blobs *all;
    struct error *e;
};

static bool find_contents(void *context, struct job_blob *wanted)
{
    struct search *s = context;
    const struct blob *b = blobs_find(s->all, &wanted->digest);
    const char *why = !b                              ? "it was not sent"
                      : b->wrong                      ? b->wrong
                      : b->length != wanted->length   ? "it was sent with another length"
                      : b->received != wanted->length ? "a part of it was not sent"
                                                      : NULL;
    if (why)
        return error_set(s->e, ERROR_WORKER, "data of %llu bytes that a job needs: %s",
                         (unsigned long long)wanted->length, why);
    wanted->data = b->data;
    return true;
}

bool blobs_resolve(const struct blobs *all, struct job *j, struct error *e)
{
    struct search s = {all, e};
    return job_each_blob(j, find_contents, &s);
}

void blobs_free(struct blobs *all)
{
    while (all->first) {
        struct blob *b = all->first;
        all->first = b->next;
        free(b->data);
        free(b);
    }
}
