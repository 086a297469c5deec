// The verified launch: run once, everything around the outputs intact, outputs as they should be.
#include "device/open_device.h"

#include "base/process.h"

#include <stdlib.h>

static bool compare_buffer(struct device *d, struct loaded *l, uint32_t index,
                           const struct expected *x, struct result *r)
{
    const struct job_buffer *b = &l->job->buffers[index];
    struct error e = ERROR_INIT;
    struct deviation *out = &r->deviations[r->deviation_count];
    void *copy = NULL;
    char message[512];
    const void *got = memory_look(d, &l->buffers[index]->memory, &copy, &e);
    if (!got)
        return run_lost(d, &e, r);
    bool ok = compare_output(b, got, x, out);
    free(copy);
    out->name = arena_strdup(&r->arena, b->name);
    r->deviation_count++;
    if (ok)
        return true;
    compare_message(b, out, message, sizeof message);
    return result_fail(r, STATUS_CORRECTNESS, FAULT_CONFIGURATION, "%s", message);
}

// All outputs are compared, also after the first that is wrong.
bool outputs_compare(struct device *d, struct loaded *l, const struct reference *f,
                     struct result *r)
{
    bool ok = true;
    r->deviation_count = 0;
    r->deviations = arena_array(&r->arena, f->count + 1, sizeof *r->deviations);
    if (!r->deviations)
        return result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->outputs[i].data)
            ok = compare_buffer(d, l, i, &f->outputs[i], r) && ok;
    }
    if (ok && r->deviation_count)
        r->verification =
            l->job->reference.agreement ? VERIFICATION_AGREES : VERIFICATION_REFERENCE;
    return ok;
}

static bool verify(struct device *d, struct loaded *l, struct result *r)
{
    const struct reference *f = NULL;
    uint64_t start = clock_ns();
    if (l->job->reference.kind != REFERENCE_NONE && !(f = reference_of(d, l->job, r)))
        return false;
    r->reference_ns = clock_ns() - start;
    return run_checked(d, l, r) && (!f || outputs_compare(d, l, f, r));
}

bool device_verify(struct device *d, struct loaded *l, const struct policy *p, struct result *r)
{
    (void)p; // limits are the tuner's business
    uint64_t start = clock_ns();
    r->reference_ns = 0;
    bool ok = device_usable(d, r) && verify(d, l, r);
    r->verify_ns = clock_ns() - start - r->reference_ns;
    device_phase_begin(d, DEVICE_IDLE, 0, false);
    return ok;
}
