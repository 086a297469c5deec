// Outputs of timed launches are compared with the reference, because a kernel may be honest while it is
// verified and not later. A checksum, taken where the data is, shows that most of them are what was
// compared before; if it differs, as it may with atomics, the values are compared.
//
// A kernel that keeps the result of a launch in memory of its own, and copies that as long as it
// sees the same inputs, leaves the right outputs. Its first launch on other inputs is wrong, or
// takes as long as the work does: longer than the next one on the same.
#include "device/open_device.h"

#include "base/text.h"

#include <stdlib.h>

// ---- outputs

static bool is_compared(const struct reference *f, uint32_t index)
{
    return f->outputs[index].length > 0;
}

// The sum of each output that is compared, all with one wait.
static bool sum_outputs(struct device *d, const struct loaded *l, const struct reference *f,
                        uint64_t *sums, struct error *e)
{
    struct region *regions = calloc(f->count + 1, sizeof *regions);
    bool ok = regions || error_memory(e), any = false;
    for (uint32_t i = 0; ok && i < f->count; i++) {
        struct memory *m = loaded_memory(l, i);
        if (!is_compared(f, i))
            continue;
        if (m->host || m->exact || !checksum_offered(d)) {
            ok = memory_checksum(d, m, &sums[i], e);
            continue;
        }
        regions[i] = (struct region){.memory = m, .bytes = m->bytes};
        any = true;
    }
    ok = ok && (!any || checksums_on_device(d, regions, f->count, e));
    for (uint32_t i = 0; ok && i < f->count; i++)
        sums[i] = regions[i].bytes ? regions[i].sum : sums[i];
    free(regions);
    return ok;
}

static bool are_known(const struct loaded *l, const struct reference *f, const uint64_t *sums)
{
    bool known = l->summed;
    for (uint32_t i = 0; known && i < f->count; i++)
        known = !is_compared(f, i) || sums[i] == l->sums[i];
    return known;
}

// The first launch that is compared is the one by which others are known.
static void keep_sums(struct loaded *l, const struct reference *f, const uint64_t *sums)
{
    for (uint32_t i = 0; !l->summed && i < f->count; i++)
        l->sums[i] = sums[i];
    l->summed = true;
}

// The values, with the launch named where they are wrong.
bool outputs_compare_launch(struct device *d, struct loaded *l, struct reference *f,
                            uint64_t number, struct result *r)
{
    struct result *seen = result_new();
    bool ok = seen && outputs_compare(d, l, f, seen);
    if (ok)
        r->verification = seen->verification;
    else if (!seen)
        result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    else if (seen->status == STATUS_CORRECTNESS)
        result_fail(r, seen->status, seen->fault, "%sthe output of timed launch %llu differs: %s",
                    d->inputs ? "on other inputs " : "", (unsigned long long)number, seen->message);
    else
        result_fail(r, seen->status, seen->fault, "%s", seen->message);
    r->deviation_count = 0; // of launches before
    if (seen && !result_merge(r, seen))
        ok = result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    result_free(seen);
    return ok;
}

bool outputs_check(struct device *d, struct loaded *l, struct reference *f, uint32_t slot,
                   uint64_t number, struct result *r)
{
    struct error e = ERROR_INIT;
    uint64_t *sums = calloc(f->count + 1, sizeof *sums);
    bool ok = sums || error_memory(&e);
    l->slot = slot;
    ok = ok && sum_outputs(d, l, f, sums, &e);
    if (!ok)
        run_lost(d, &e, r);
    else if (!are_known(l, f, sums) && (ok = outputs_compare_launch(d, l, f, number, r)))
        keep_sums(l, f, sums);
    l->slot = 0;
    free(sums);
    return ok;
}

// ---- inputs

bool inputs_change(struct device *d, struct loaded *l, uint64_t inputs, struct reference **out,
                   struct result *r)
{
    struct arena arena = {.blocks = NULL};
    struct digest recipe;
    struct job other;
    d->inputs = 0; // those of the other job are its own
    if (!job_on_other_inputs(l->job, inputs, &arena, &other)) {
        result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
        *out = NULL;
    } else {
        reference_recipe(d, &other, &recipe);
        *out = reference_of(d, &other, &recipe, r);
    }
    arena_release(&arena);
    d->inputs = inputs;
    l->summed = false;
    return *out != NULL;
}

// One launch on inputs that were written just now: what is in the caches is then the same for all.
static bool launch_on(struct device *d, struct loaded *l, uint64_t inputs, uint64_t *ns,
                      struct result *r)
{
    struct error e = ERROR_INIT;
    d->inputs = inputs;
    device_phase_begin(d, PHASE_INPUTS, 0, false);
    buffers_forget(l);
    if (!buffers_make(d, l, &e) || !buffers_restore(d, l, false, &e) ||
        !buffers_freshen(d, l, 1, &e))
        return run_unstarted(d, &e, r);
    device_phase_begin(d, PHASE_LAUNCHING, 1, false);
    return run_job(d, l, 1, ns, NULL, r);
}

#define TIMES 2 // so much slower at the first sight of inputs than at the second
// Pairs of launches, of which the shortest count: a busy machine makes some of any kind longer. So
// many tell that all is well, and so many that it is not: of a kernel of a few microseconds on a CPU device
// most launches wait for a thread that has to be woken.
#define PAIRS_WELL 3
#define PAIRS      24

bool inputs_are_looked_at(struct device *d, struct loaded *l, uint64_t first_ns, struct result *r)
{
    uint64_t first = UINT64_MAX, again = UINT64_MAX, one = 0, two = 0, own = d->inputs;
    char took[32], then[32];
    bool kept = !l->usual_ns || first_ns > TIMES * l->usual_ns, ok = true;
    for (uint64_t i = 1; kept && ok && i <= PAIRS; i++) {
        ok = launch_on(d, l, own + i, &one, r) && launch_on(d, l, own + i, &two, r);
        first = ok && one < first ? one : first;
        again = ok && two < again ? two : again;
        kept = i < PAIRS_WELL || first > TIMES * again;
    }
    // Another process still looks at what a launch on the first ones left.
    if (ok && !kept && first != UINT64_MAX)
        ok = launch_on(d, l, own, &one, r);
    d->inputs = own;
    if (!ok || !kept)
        return ok;
    duration_to_str((double)first, took);
    duration_to_str((double)again, then);
    return result_fail(r, STATUS_CORRECTNESS, FAULT_CONFIGURATION,
                       "it keeps results from launch to launch: on inputs that it has not seen one "
                       "takes %s, on the same inputs again %s",
                       took, then);
}
