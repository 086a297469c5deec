// The kernel itself goes first, so that mutants which are built to its code are known; then its mutants, as many at once as there is
// room for.
#include "workflows/check/kernel_audit.h"

#include "kernel_text/kernel_mutants.h"
#include "runner/cached.h"
#include "runner/farm.h"

#define OWN "the kernel" // in the place of a configuration

struct kernel_audit {
    struct setup setup;
    struct kernel_audit_job job;
    struct arena *arena;
    struct kernel_mutant *mutants;
    struct checked_mutant *verdicts;
    size_t count, submitted, answered; // the last two with the kernel itself, which is the first
    bool is_own_right;
};

struct kernel_audit *kernel_audit_new(const struct setup *s, const struct kernel_audit_job *job,
                                      struct arena *a, struct error *e)
{
    struct kernel_audit *k = arena_alloc(a, sizeof *k);
    struct job *own = NULL;
    if (!k)
        return error_memory(e), NULL;
    if (!job->make(job->context, &own, e))
        return NULL;
    *k = (struct kernel_audit){.setup = *s, .job = *job, .arena = a};
    k->setup.store = k->setup.known = NULL;
    k->setup.at.spare = NULL;
    if (k->setup.place_count > 1) // the same code is known by one device's images alone
        k->setup.place_count = 1;
    k->setup.terms.audit = false;
    if (!k->setup.terms.launch_limit_ns || k->setup.terms.launch_limit_ns > MUTANT_LAUNCH_NS)
        k->setup.terms.launch_limit_ns = MUTANT_LAUNCH_NS;
    const struct job_program *p = own->program_count ? &own->programs[0] : NULL;
    bool ok = !p || p->place ||
              kernel_mutants_make(p->source, (size_t)p->length, KERNEL_MUTANTS, a, &k->mutants,
                                  &k->count);
    k->verdicts = arena_array(a, k->count + 1, sizeof *k->verdicts);
    job_free(own);
    if (ok && k->verdicts)
        return k;
    return error_no_memory(e);
}

// The kernel's job, or that of the mutant `at` - 1.
static bool submit_mutant(struct kernel_audit *k, struct evaluator *ev, size_t at, struct error *e)
{
    struct job *job = NULL;
    if (!k->job.make(k->job.context, &job, e))
        return false;
    job->configuration = at ? k->mutants[at - 1].change : OWN;
    if (at) {
        job->programs[0].source = k->mutants[at - 1].text;
        job->programs[0].length = k->mutants[at - 1].length;
    }
    return evaluator_submit(ev, at, job, e);
}

static void take_mutant(struct kernel_audit *k, const struct outcome *out)
{
    const struct result *r = out->result;
    const bool passes = r->status == STATUS_CORRECT && r->verification != VERIFICATION_NONE;
    k->answered++;
    if (out->ticket == 0) {
        k->is_own_right = passes;
        return;
    }
    const struct kernel_mutant *m = &k->mutants[out->ticket - 1];
    k->verdicts[out->ticket - 1] = (struct checked_mutant){.line = m->line,
                                                           .change = m->change,
                                                           .status = r->status,
                                                           .is_same = str_equal(r->same_as, OWN),
                                                           .passes = passes};
}

// All that come of it are answered; without a right kernel nothing does.
static bool is_audit_over(const struct kernel_audit *k)
{
    return k->count == 0 || k->answered == k->count + 1 || (k->answered == 1 && !k->is_own_right);
}

enum workflow_answer kernel_audit_step(struct kernel_audit *k, struct workflow *w, int timeout_ms,
                                       struct error *e)
{
    const struct live_options live = {.no_timing = true, .by_image = true, .own_reference = true};
    const struct cached_options cached = {.as.constants = ""};
    struct outcome out;
    if (w->cancelled || is_audit_over(k))
        return WORKFLOW_END;
    if (!w->evaluator)
        w->evaluator = setup_evaluator(&k->setup, live, cached, k->count + 1, NULL, e);
    if (!w->evaluator)
        return WORKFLOW_BROKEN;
    const size_t ready = k->answered ? k->count + 1 : 1;
    while (k->submitted < ready && evaluator_room(w->evaluator) > 0) {
        if (!submit_mutant(k, w->evaluator, k->submitted, e))
            return WORKFLOW_BROKEN;
        k->submitted++;
    }
    int got = evaluator_take(w->evaluator, timeout_ms, &out, e);
    if (got > 0) {
        take_mutant(k, &out);
        evaluator_drop(w->evaluator, out.ticket);
        result_free(out.result);
    }
    return got < 0 ? WORKFLOW_BROKEN : WORKFLOW_NOTHING;
}

const struct checked_mutant *kernel_audit_mutants(const struct kernel_audit *k, size_t *count)
{
    *count = k && k->is_own_right && k->answered == k->count + 1 ? k->count : 0;
    return k ? k->verdicts : NULL;
}
