// Another job of the same kernels, on other random numbers. Only what is filled with them changes.
#include "model/job.h"

#include "base/random.h"

static bool is_random(const struct job_buffer *b)
{
    return b->fill.kind == FILL_UNIFORM || b->fill.kind == FILL_NORMAL;
}

// Buffers that share a seed, as views of one sequence do, share the other one, too.
uint64_t job_other_seed(const struct job_buffer *b, uint64_t other)
{
    uint64_t seed = b->fill.seed;
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t counter[4] = {(uint32_t)other, (uint32_t)(other >> 32), 0x6f746872, 0}, words[4];
    if (other == 0 || !is_random(b))
        return seed;
    philox4x32(counter, key, words);
    return (uint64_t)words[1] << 32 | words[0];
}

const char *job_inputs_stay(const struct job *j)
{
    bool any = false;
    for (uint32_t i = 0; i < j->buffer_count; i++)
        any = any || is_random(&j->buffers[i]);
    if (j->reference.kind == REFERENCE_NONE)
        return "there is no reference that could follow";
    if (j->reference.kind == REFERENCE_DATA || j->reference.data_count > 0)
        return "a reference that is read from a file holds for its own inputs alone";
    return any ? NULL : "no argument is filled with random numbers";
}

static bool vary_buffers(struct job *j, uint64_t other, struct arena *a)
{
    j->buffers = arena_copy(a, j->buffers, j->buffer_count * sizeof *j->buffers);
    for (uint32_t i = 0; j->buffers && i < j->buffer_count; i++)
        j->buffers[i].fill.seed = job_other_seed(&j->buffers[i], other);
    return j->buffers != NULL;
}

bool job_on_other_inputs(const struct job *j, uint64_t other, struct arena *a, struct job *out)
{
    *out = *j;
    if (!vary_buffers(out, other, a))
        return false;
    if (j->reference.kind != REFERENCE_JOB)
        return true;
    out->reference.job = arena_copy(a, j->reference.job, sizeof *j);
    return out->reference.job && vary_buffers(out->reference.job, other, a);
}
