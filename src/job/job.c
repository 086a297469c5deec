#include "job/job.h"

#include "base/text.h"

#include <stdlib.h>

struct job *job_new(void)
{
    struct job *j = calloc(1, sizeof *j);
    if (j == NULL)
        return NULL;
    arena_init(&j->arena);
    j->configuration = "";
    return j;
}

void job_free(struct job *j)
{
    if (j == NULL)
        return;
    arena_release(&j->arena);
    free(j);
}

struct job *job_decode(const void *data, size_t length, struct error *e)
{
    char what[64];
    struct wire w;
    struct job *j = job_new();
    if (j == NULL) {
        error_memory(e);
        return NULL;
    }
    wire_reader(&w, data, length, &j->arena);
    job_codec(&w, j);
    str_format(what, sizeof what, "these %zu bytes are no job", length);
    if (wire_finish(&w, ERROR_INPUT, what, e))
        return j;
    job_free(j);
    return NULL;
}
