// Contents that the tuner has sent, in parts, or has named a file of, by their digest. They stay for the life of the
// worker: inputs are made again from them after a kernel has touched what it should not.
#include "worker/blobs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct blob {
    struct blob *next;
    struct digest digest;
    uint64_t length, received, capacity;
    uint8_t *data;
    struct digest_state state; // of what was received
    const char *wrong;         // (or NULL) why it cannot be used
    struct blob_file file;     // its path is its own, or NULL: it is sent
    struct error failed;       // of reading it: what `wrong` says
    pthread_t reader;          // has all but `next` until it is joined
    bool is_read_beside;       // there is a reader
};

static struct blob *blobs_find(const struct blobs *all, const struct digest *digest)
{
    struct blob *b = all->first;
    while (b && !digest_equal(&b->digest, digest))
        b = b->next;
    return b;
}

static struct blob *blobs_begin(struct blobs *all, const struct digest *digest, uint64_t length)
{
    struct blob *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->digest = *digest;
    b->length = length;
    digest_start(&b->state);
    b->wrong = length == 0 ? "it has no length" : NULL;
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

// So many bytes more have come into `data`.
static void blob_add(struct blob *b, size_t size)
{
    digest_add(&b->state, b->data + b->received, size);
    b->received += size;
    if (b->received == b->length) {
        struct digest got;
        digest_finish(&b->state, &got);
        if (!digest_equal(&got, &b->digest))
            blob_fail(b, "what arrived has another digest");
    }
}

bool blobs_take(struct blobs *all, const struct blob_part *p)
{
    struct blob *b = blobs_find(all, &p->digest);
    if (!b && !(b = blobs_begin(all, &p->digest, p->length)))
        return false;
    if (b->file.path || b->wrong || b->received == b->length) // jobs may point to what is whole
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
    blob_add(b, (size_t)p->size);
    return true;
}

// ---- files -------------------------------------------------------------------------------------

// A part at a time, whose digest is made while it is in the processor's cache.
static void *read_file(void *context)
{
    struct blob *b = context;
    // Nothing is asked of the system for a length that the file has not.
    bool ok = blob_file_read(&b->file, b->file.offset, NULL, 0, &b->failed);
    ok = ok && (blob_grow(b, b->length) || error_memory(&b->failed));
    while (ok && !b->wrong && b->received < b->length) {
        uint64_t left = b->length - b->received;
        size_t size = left < BLOB_PART ? (size_t)left : BLOB_PART;
        ok = blob_file_read(&b->file, b->file.offset + b->received, b->data + b->received, size,
                            &b->failed);
        if (ok)
            blob_add(b, size);
    }
    if (!ok)
        blob_fail(b, b->failed.text);
    return NULL;
}

bool blobs_read(struct blobs *all, const struct blob_name *n)
{
    struct blob *b = blobs_find(all, &n->digest);
    if (b)
        return true;
    char *path = n->file.path ? strdup(n->file.path) : NULL;
    if (!path || !(b = blobs_begin(all, &n->digest, n->file.size - n->file.offset))) {
        free(path);
        return false;
    }
    b->file = n->file;
    b->file.path = path;
    b->is_read_beside = pthread_create(&b->reader, NULL, read_file, b) == 0;
    if (!b->is_read_beside)
        read_file(b);
    return true;
}

// Nothing is read, or its digest made, while a job runs.
void blobs_settle(const struct blobs *all)
{
    for (struct blob *b = all->first; b; b = b->next) {
        if (b->is_read_beside)
            pthread_join(b->reader, NULL);
        b->is_read_beside = false;
    }
}

// ---- jobs --------------------------------------------------------------------------------------

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
    blobs_settle(all);
    return job_each_blob(j, find_contents, &s);
}

void blobs_free(struct blobs *all)
{
    blobs_settle(all);
    while (all->first) {
        struct blob *b = all->first;
        all->first = b->next;
        free(b->data);
        free((void *)(uintptr_t)b->file.path);
        free(b);
    }
}
