#include "job/probe.h"

#include <string.h>

enum { PROBE_COUNT = 64 };

// Multiplied and shifted, so that neither zeros nor the index alone pass for the answer.
#define PROBE_FACTOR 2654435761u
#define PROBE_OFFSET 12345u

static const char *const sources[LANGUAGE_COUNT] = {
    [LANGUAGE_OPENCL] = "kernel void hone_probe(global uint *out)\n"
                        "{\n"
                        "    uint i = get_global_id(0);\n"
                        "    out[i] = i * 2654435761u + 12345u;\n"
                        "}\n",
    [LANGUAGE_CUDA] = "extern \"C\" __global__ void hone_probe(unsigned *out)\n"
                      "{\n"
                      "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                      "    out[i] = i * 2654435761u + 12345u;\n"
                      "}\n"};

static void describe_program(struct job_program *p, enum language language)
{
    p->name = "hone's probe";
    p->source = sources[language];
    p->length = strlen(sources[language]);
}

static void describe_buffer(struct job_buffer *b)
{
    b->name = "out";
    b->element = (struct element){.scalar = SCALAR_U32, .width = 1};
    b->count = PROBE_COUNT;
    b->access = ACCESS_WRITE;
    b->output = true;
    b->compare.kind = COMPARE_EXACT;
}

// Work-groups of one item are within every device's limits.
static void describe_launch(struct job_launch *l, struct job_argument *argument)
{
    argument->name = "out";
    argument->kind = ARGUMENT_BUFFER;
    l->name = l->kernel = "hone_probe";
    l->dimensions = 1;
    for (int axis = 0; axis < 3; axis++)
        l->global[axis] = l->local[axis] = 1;
    l->global[0] = PROBE_COUNT;
    l->arguments = argument;
    l->argument_count = 1;
}

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
    describe_program(j->programs, language);
    describe_buffer(j->buffers);
    describe_launch(j->launches, argument);
    describe_reference(&j->reference, data, expected);
    return j;
}
