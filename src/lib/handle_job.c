// Jobs of the public interface: what the compiler gets, and what is launched on which buffers.
#include "lib/handle.h"

#include "device/fill.h"

#include <stdlib.h>

struct hone_job {
    struct arena arena;
    struct spec_sources *sources; // (or NULL) the job points into them; else into those of its tune
    struct job *job;
    const char *const **options; // of each program, ended by NULL
    char (*types)[24];           // of each buffer's components
};

// Converts those members of the job that the public structs have in another form.
static bool describe_job(struct hone_job *j, struct error *e)
{
    const struct job *job = j->job;
    bool ok = true;
    j->options = arena_array(&j->arena, job->program_count + 1, sizeof(*j->options));
    j->types = arena_array(&j->arena, job->buffer_count + 1, sizeof *j->types);
    for (uint32_t i = 0; j->options && i < job->program_count; i++) {
        const struct job_program *p = &job->programs[i];
        const char **list = arena_array(&j->arena, p->option_count + 1, sizeof(*list));
        for (uint32_t k = 0; list && k < p->option_count; k++)
            list[k] = p->options[k];
        j->options[i] = list;
        ok = ok && list;
    }
    for (uint32_t i = 0; j->types && i < job->buffer_count; i++)
        element_name(&job->buffers[i].element, j->types[i]);
    return (ok && j->options && j->types) || error_memory(e);
}

struct hone_job *hone_job_new(const struct hone_spec *s, const struct hone_device *device,
                              const uint32_t *configuration, const struct hone_log *log,
                              struct hone_error *e)
{
    struct log_bridge bridge;
    struct error why = ERROR_INIT;
    const struct device_info *d = info_of(device);
    struct hone_job *j = calloc(1, sizeof *j);
    bool ok = j || error_memory(&why);
    if (ok)
        j->sources =
            spec_sources_read(spec_of(s), d->language, d, log_bridge_init(&bridge, log), &why);
    ok = ok && j->sources && spec_job(spec_of(s), j->sources, d, configuration, &j->job, &why) &&
         describe_job(j, &why);
    if (!ok) {
        hone_job_free(j);
        j = NULL;
    }
    hand_over(&why, e);
    return j;
}

struct hone_job *hone_job_of_record_new(const struct hone_tune *t, const struct hone_record *r,
                                        struct hone_error *e)
{
    struct error why = ERROR_INIT;
    struct hone_job *j = calloc(1, sizeof *j);
    bool ok = j ? tune_job(t->tune, record_of(r), &j->job, &why) : error_memory(&why);
    if (!ok || !describe_job(j, &why)) {
        hone_job_free(j);
        j = NULL;
    }
    hand_over(&why, e);
    return j;
}

void hone_job_free(struct hone_job *j)
{
    if (!j)
        return;
    job_free(j->job);
    spec_sources_free(j->sources);
    arena_release(&j->arena);
    free(j);
}

size_t hone_job_programs(const struct hone_job *j)
{
    return j->job->program_count;
}

bool hone_job_program(const struct hone_job *j, size_t index, struct hone_program *out)
{
    if (index >= j->job->program_count)
        return false;
    const struct job_program *p = &j->job->programs[index];
    const struct hone_program full = {.name = p->name,
                                      .source = p->source,
                                      .source_bytes = p->length,
                                      .options = j->options[index]};
    give_sized(&full, sizeof full, out);
    return true;
}

bool hone_job_file(const struct hone_job *j, size_t program, size_t index, struct hone_file *out)
{
    if (program >= j->job->program_count || index >= j->job->programs[program].file_count)
        return false;
    const struct job_file *f = &j->job->programs[program].files[index];
    const struct hone_file full = {.path = f->path, .text = f->text, .text_bytes = f->length};
    give_sized(&full, sizeof full, out);
    return true;
}

size_t hone_job_launches(const struct hone_job *j)
{
    return j->job->launch_count;
}

bool hone_job_launch(const struct hone_job *j, size_t index, struct hone_launch *out)
{
    if (index >= j->job->launch_count)
        return false;
    const struct job_launch *l = &j->job->launches[index];
    const struct hone_launch full = {.name = l->name,
                                     .kernel = l->kernel,
                                     .program = l->program,
                                     .dimensions = l->dimensions,
                                     .global = {l->global[0], l->global[1], l->global[2]},
                                     .local = {l->local[0], l->local[1], l->local[2]}};
    give_sized(&full, sizeof full, out);
    return true;
}

static bool has_contents(const struct job_buffer *b)
{
    return !b->temporary && b->fill.kind != FILL_NONE;
}

size_t hone_job_buffers(const struct hone_job *j)
{
    return j->job->buffer_count;
}

bool hone_job_buffer(const struct hone_job *j, size_t index, struct hone_buffer *out)
{
    if (index >= j->job->buffer_count)
        return false;
    const struct job_buffer *b = &j->job->buffers[index];
    const struct hone_buffer full = {.name = b->name,
                                     .type = j->types[index],
                                     .count = b->count,
                                     .total_bytes = b->count * element_bytes(&b->element),
                                     .is_output = b->output,
                                     .has_contents = has_contents(b)};
    give_sized(&full, sizeof full, out);
    return true;
}

bool hone_job_contents(const struct hone_job *j, size_t buffer, void *out, size_t size,
                       struct hone_error *e)
{
    struct error why = ERROR_INIT;
    const struct job_buffer *b = buffer < j->job->buffer_count ? &j->job->buffers[buffer] : NULL;
    if (!b)
        error_set(&why, ERROR_USAGE, "the job has %u buffers, and none at %zu",
                  j->job->buffer_count, buffer);
    else if (!has_contents(b))
        error_set(&why, ERROR_USAGE, "%s holds nothing before the launch", b->name);
    else if (size != fill_bytes(b))
        error_set(&why, ERROR_USAGE, "%s has %llu bytes, not %zu", b->name,
                  (unsigned long long)fill_bytes(b), size);
    else
        fill_make(b, out, &why);
    return hand_over(&why, e);
}
