// Collects the parts of outputs; a job says how long each has to be.
#include "worker/outputs.h"

#include <stdlib.h>

#define BUFFERS_MOST 1024 // of a job; a number beyond it is no buffer's

static bool make_output(struct outputs *o, uint32_t buffer)
{
    if (buffer < o->count)
        return true;
    struct text *grown = realloc(o->buffers, (buffer + 1) * sizeof *grown);
    if (!grown)
        return false;
    o->buffers = grown;
    while (o->count <= buffer)
        o->buffers[o->count++] = (struct text)TEXT_INIT;
    return true;
}

bool outputs_take(struct outputs *o, const struct output_part *p)
{
    if (p->buffer >= BUFFERS_MOST || !make_output(o, p->buffer))
        return false;
    struct text *t = &o->buffers[p->buffer];
    if (p->offset == 0)
        text_clear(t); // what had come before belongs to a worker that was lost
    if (t->length != p->offset || t->length + p->size > PROTOCOL_MAX_FRAME)
        return false;
    text_addn(t, p->data, (size_t)p->size);
    return !t->failed;
}

const void **outputs_of(const struct outputs *o, const struct job *j, struct error *e)
{
    const void **contents = calloc((size_t)j->buffer_count + 1, sizeof *contents);
    if (!contents)
        return error_no_memory(e);
    for (uint32_t i = 0; i < j->buffer_count; i++) {
        const struct job_buffer *b = &j->buffers[i];
        uint64_t wanted = b->count * element_bytes(&b->element);
        if (!b->output)
            continue;
        if (i >= o->count || o->buffers[i].length != wanted) {
            error_set(e, ERROR_WORKER, "%s has %llu bytes, and %llu have come", b->name,
                      (unsigned long long)wanted,
                      (unsigned long long)(i < o->count ? o->buffers[i].length : 0));
            free(contents);
            return NULL;
        }
        contents[i] = o->buffers[i].data;
    }
    return contents;
}

void outputs_free(struct outputs *o)
{
    for (uint32_t i = 0; i < o->count; i++)
        text_release(&o->buffers[i]);
    free(o->buffers);
    *o = (struct outputs){.buffers = NULL};
}
