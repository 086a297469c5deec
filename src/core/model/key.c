// Digests of a job and of parts of it. Hashing changes nothing, so constness is cast away if a
// codec, which also reads, wants it writable.
#include "model/codec.h"

#include "model/image.h"

#include <string.h>

static bool key_with(const struct job *j, const struct device_info *d, uint64_t contents_most,
                     struct digest *out)
{
    struct digest_state state;
    struct wire w;
    uint32_t version = HONE_MEASURING_VERSION;
    digest_start(&state);
    wire_hasher(&w, &state);
    w.contents_most = contents_most;
    wire_u32(&w, &version);
    device_info_identity(&w, (struct device_info *)d);
    job_codec(&w, (struct job *)j);
    digest_finish(&state, out);
    return !w.failed;
}

void job_key(const struct job *j, const struct device_info *d, struct digest *out)
{
    key_with(j, d, BLOB_SMALL, out);
}

static bool is_small(void *context, struct job_blob *b)
{
    (void)context;
    return b->length <= BLOB_SMALL;
}

bool job_has_large_data(const struct job *j)
{
    return !job_each_blob((struct job *)j, is_small, NULL);
}

bool job_key_by_contents(const struct job *j, const struct device_info *d, struct digest *out)
{
    return job_has_large_data(j) && key_with(j, d, UINT64_MAX, out);
}

bool job_has_key(const struct job *j, const struct device_info *d, const struct digest *key)
{
    struct digest is;
    job_key(j, d, &is);
    return digest_equal(&is, key) || (job_key_by_contents(j, d, &is) && digest_equal(&is, key));
}

// Skips macros: their effect is in the code. Other options may be meant for the driver.
static void add_plain_options(const struct job_program *p, struct digest_state *state)
{
    for (uint32_t i = 0; i < p->option_count; i++) {
        if (!str_starts(p->options[i], "-D"))
            digest_add(state, p->options[i], strlen(p->options[i]) + 1);
    }
    if (p->retarget)
        digest_add(state, p->retarget, strlen(p->retarget));
    digest_add(state, "", 1);
}

bool job_built_key(const struct job *j, const struct image *m, struct digest *out)
{
    struct digest_state state;
    struct wire w;
    struct job rest = *j;
    if (m->length == 0 || j->routine != ROUTINE_NONE)
        return false;
    rest.program_count = 0;
    digest_start(&state);
    digest_add(&state, m->digest.bytes, sizeof m->digest.bytes);
    for (uint32_t i = 0; i < j->program_count; i++)
        add_plain_options(&j->programs[i], &state);
    wire_hasher(&w, &state);
    job_codec(&w, &rest);
    digest_finish(&state, out);
    return !w.failed;
}

static void recipe_codec(struct wire *w, struct job_buffer *b)
{
    element_codec(w, &b->element);
    wire_u64(w, &b->count);
    fill_codec(w, &b->fill);
}

void job_buffer_digest(const struct job_buffer *b, struct digest *out)
{
    struct digest_state state;
    struct wire w;
    digest_start(&state);
    wire_hasher(&w, &state);
    recipe_codec(&w, (struct job_buffer *)b);
    if (b->image.dimensions)
        job_image_codec(&w, &((struct job_buffer *)b)->image);
    digest_finish(&state, out);
}

// Outputs are identified by name and kept by flag. A temporary buffer takes no part: its size may
// differ from one configuration to the next while the expected outputs stay the same.
static void role_codec(struct wire *w, struct job_buffer *b)
{
    wire_str(w, &b->name);
    wire_bool(w, &b->output);
    recipe_codec(w, b);
}

bool job_is_unseen(const struct job *j)
{
    const struct job *reference = j->reference.kind == REFERENCE_JOB ? j->reference.job : NULL;
    for (uint32_t i = 0; i < j->program_count; i++)
        if (j->programs[i].run)
            return true;
    return reference && job_is_unseen(reference);
}

void job_reference_digest(const struct job *j, struct digest *out)
{
    struct digest_state state;
    struct wire w;
    digest_start(&state);
    wire_hasher(&w, &state);
    reference_codec(&w, (struct job_reference *)&j->reference, 0);
    // The outputs of a reference kernel are cached in files; if its source was not fully seen, the
    // run's number makes them valid for this run only.
    const struct job *reference = j->reference.kind == REFERENCE_JOB ? j->reference.job : NULL;
    for (uint32_t i = 0; reference && i < reference->program_count; i++)
        if (reference->programs[i].run)
            wire_u64(&w, &reference->programs[i].run);
    for (uint32_t i = 0; i < j->buffer_count; i++)
        if (!j->buffers[i].temporary)
            role_codec(&w, &j->buffers[i]);
    digest_finish(&state, out);
}
