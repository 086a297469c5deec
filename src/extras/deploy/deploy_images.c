// Programs for a table: each point of this device has the one of its configuration at its shape, since the shape's
// constants are compiled in. It is built, loaded and launched once as any configuration is, so that a program that computes
// something wrong is never handed out, and its bytes are those that ran.
#include "extras/deploy/deploy_inside.h"

#include <string.h>

uint32_t deploy_images_planned(const struct deploy *d)
{
    const struct deploy_device *own = d->table.devices;
    return d->is_whole && own->facts == &d->own.facts ? own->point_count : 0;
}

static const struct deploy_row *row_of(const struct deploy *d, const int64_t *shape)
{
    const struct deploy_row *row = d->rows;
    while (memcmp(row->shape, shape, d->column_count * sizeof *shape) != 0)
        row++; // a point is one of the rows
    return row;
}

static bool start_image(struct deploy *d, const struct deploy_point *point, struct error *e)
{
    const char *const *text = &d->table.configurations[point->configuration].text;
    struct tune_options o = deploy_tune_options(d, row_of(d, point->shape), text, 1);
    if (!d->images)
        d->images = arena_array(&d->arena, deploy_images_planned(d), sizeof *d->images);
    if (!d->images)
        return error_memory(e);
    o.setup.store = NULL; // nothing is measured, and what the store has is not loaded
    o.no_timing = o.keep = true;
    d->w.inner = tune_new(&o, e);
    return d->w.inner != NULL;
}

// The kind of a program that has the kernel under this name, so that an application finds it there:
// "ptx", "cubin"; NULL: it has no kernel of that name, because C++ changes names.
static const char *kind_of(const struct text *program, const char *kernel)
{
    struct text entry = TEXT_INIT;
    const char *kind = NULL;
    text_addf(&entry, ".entry %s(", kernel);
    if (!entry.failed && strstr(text_cstr(program), text_cstr(&entry)))
        kind = "ptx";
    text_clear(&entry);
    text_addc(&entry, '\0');
    text_add(&entry, kernel);
    text_addc(&entry, '\0');
    // A cubin is an ELF file: names stand in it one after the other.
    if (!kind && !entry.failed && memmem(program->data, program->length, entry.data, entry.length))
        kind = "cubin";
    text_release(&entry);
    return kind;
}

static bool take_image(struct deploy *d, const struct deploy_point *point, const struct job *job,
                       const struct text *program, struct error *e)
{
    const char *kind = NULL;
    for (uint32_t i = 0; i < job->launch_count; i++) {
        kind = kind_of(program, job->launches[i].kernel);
        if (!kind)
            return error_set(e, ERROR_USAGE,
                             "the compiled program has no kernel '%s': extern \"C\" in the "
                             "kernel's source keeps the name",
                             job->launches[i].kernel);
    }
    void *bytes = arena_copy(&d->arena, program->data, program->length);
    if (!bytes)
        return error_memory(e);
    d->images[d->image_count++] = (struct deploy_image){
        .architecture = d->table.devices->architecture,
        .configuration = point->configuration,
        .shape = point->shape,
        .bytes = bytes,
        .length = program->length,
        .kind = kind,
    };
    return true;
}

// Keeps the image of the tune that is over.
static bool fetch_image(struct deploy *d, const struct deploy_point *point, struct error *e)
{
    struct text program = TEXT_INIT;
    size_t count;
    const struct tune_record *const *records = tune_records(d->w.inner, &count);
    bool ok = count == 1 && records[0]->result->status == STATUS_CORRECT;
    if (!ok)
        error_set(e, ERROR_DEVICE, "%s, which was correct when it was measured: %s",
                  count ? status_text(records[0]->result->status) : "no result",
                  count ? records[0]->result->message : "");
    ok = ok &&
         tune_fetch(d->w.inner, records[0], FETCH_BINARY, records[0]->job->launches[0].program,
                    &program, e) &&
         (!program.failed || error_memory(e)) && take_image(d, point, records[0]->job, &program, e);
    text_release(&program);
    return ok ||
           error_context(e, "program of %s", d->table.configurations[point->configuration].text);
}

bool deploy_step_image(struct deploy *d, int timeout_ms, struct error *e)
{
    const struct tune_record *record;
    const struct deploy_point *point = &d->table.devices->points[d->image_count];
    if (!d->w.inner && !start_image(d, point, e))
        return false;
    enum workflow_answer answer = tune_step(d->w.inner, timeout_ms, &record, e);
    if (answer != WORKFLOW_END)
        return answer != WORKFLOW_BROKEN;
    bool ok = d->w.cancelled || fetch_image(d, point, e);
    workflow_end_inner(&d->w);
    return ok;
}
