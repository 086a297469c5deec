// The probe: a job of one work-item each for 64 numbers, whose source is a trait of the language.
#include "model/probe.h"

#include <string.h>

enum { PROBE_COUNT = 64 };

// Multiplied and shifted, so that neither zeros nor the index alone pass for the answer.
#define PROBE_FACTOR 2654435761u
#define PROBE_OFFSET 12345u

static void describe_reference(struct job_reference *r, struct job_data *data, uint32_t *expected)
{
    for (uint32_t i = 0; i < PROBE_COUNT; i++)
        expected[i] = i * PROBE_FACTOR + PROBE_OFFSET;
    data->blob = blob_of(expected, PROBE_COUNT * sizeof *expected);
    r->kind = REFERENCE_DATA;
    r->name = "known values";
    r->data = data;
    r->data_count = 1;
}

struct job *job_probe(enum language language)
{
    struct job *j = job_new();
    if (!j)
        return NULL;
    struct arena *a = &j->arena;
    struct job_argument *argument = arena_alloc(a, sizeof *argument);
    struct job_data *data = arena_alloc(a, sizeof *data);
    uint32_t *expected = arena_array(a, PROBE_COUNT, sizeof *expected);
    j->programs = arena_alloc(a, sizeof *j->programs);
    j->buffers = arena_alloc(a, sizeof *j->buffers);
    j->launches = arena_alloc(a, sizeof *j->launches);
    if (!argument || !data || !expected || !j->programs || !j->buffers || !j->launches) {
        job_free(j);
        return NULL;
    }
    j->language = language;
    j->program_count = j->buffer_count = j->launch_count = 1;
    j->programs->name = "hone's probe";
    j->programs->source = language_traits(language)->probe;
    j->programs->length = strlen(language_traits(language)->probe);
    struct job_buffer *b = j->buffers;
    b->name = "out";
    b->element = (struct element){.scalar = SCALAR_U32, .width = 1};
    b->count = PROBE_COUNT;
    b->access = ACCESS_WRITE;
    b->output = true;
    b->compare.kind = COMPARE_EXACT;
    // Work-groups of one item are within every device's limits.
    struct job_launch *l = j->launches;
    argument->name = "out";
    argument->kind = ARGUMENT_BUFFER;
    l->name = l->kernel = "hone_probe";
    l->dimensions = 1;
    for (int axis = 0; axis < 3; axis++)
        l->global[axis] = l->local[axis] = 1;
    l->global[0] = PROBE_COUNT;
    l->arguments = argument;
    l->argument_count = 1;
    describe_reference(&j->reference, data, expected);
    return j;
}
