// Outputs that another worker compares (live_options.apart). The bench's worker is told of no reference; after launches that count
// it is asked for what they left, which passes through here, part by part, to the verifier, and the verifier's answer is taken as
// if the bench had given it. Which launch of a block is looked at is drawn once they are over, and inputs of a last launch are
// drawn for it alone.
#include "runner/live.h"

#include <sys/random.h>

bool live_apart_open(struct live *v, const struct worker_setup *own, struct error *e)
{
    struct worker_setup setup = *own;
    uint64_t seed = 0;
    if (!v->o.apart)
        return true;
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        return error_set(e, ERROR_IO, "no random number for inputs that no kernel knows");
    rng_init(&v->apart.rng, seed, 1);
    setup.at.environment = v->o.apart;
    v->apart.verifier = verifier_new(&setup, &v->endings);
    return v->apart.verifier || error_memory(e);
}

bool live_is_apart(const struct live *v, const struct job *j)
{
    return v->apart.verifier && j->reference.kind != REFERENCE_NONE;
}

// A buffer that keeps what launches leave in it holds no launch's own result.
static bool has_kept(const struct job *j)
{
    bool any = false;
    for (uint32_t i = 0; i < j->buffer_count; i++)
        any = any || j->buffers[i].keep;
    return any;
}

void live_apart_policy(struct live *v, const struct job *j, struct policy *p)
{
    if (!live_is_apart(v, j))
        return;
    p->inputs = p->inputs && !job_inputs_stay(j) ? rng_u64(&v->apart.rng) | 1 : 0;
    p->check = POLICY_CHECK_APART;
    p->chosen = 0;
    v->apart.inputs = p->inputs;
    v->apart.is_wanted = p->launches > 0 && !has_kept(j);
}

bool live_hand_out(struct live *v, struct entry *n, enum bench_state of)
{
    if (!live_is_apart(v, n->job) || (of == BENCH_MEASURING && !v->apart.is_wanted))
        return false;
    v->apart.of = of;
    v->apart.left = 0;
    for (uint32_t i = 0; i < n->job->buffer_count; i++) {
        const struct job_buffer *b = &n->job->buffers[i];
        v->apart.left += b->output ? b->count * element_bytes(&b->element) : 0;
    }
    return bench_hand_out(v->bench, &n->bench, rng_u64(&v->apart.rng), &v->broken);
}

void live_take_part(struct live *v, const struct frame *f)
{
    struct arena a = {0};
    struct output_part part = {.size = 0};
    struct wire w;
    wire_reader(&w, f->payload, f->length, &a);
    output_part_codec(&w, &part);
    const bool fits = wire_done(&w) && part.size <= v->apart.left;
    arena_release(&a);
    if (!fits) {
        remote_breaks(bench_worker(v->bench), "sent a part of outputs that makes no sense");
        return;
    }
    v->apart.left -= part.size;
    verifier_part(v->apart.verifier, f, &v->broken);
}

void live_handed(struct live *v, struct entry *n)
{
    const bool timed = v->apart.of == BENCH_MEASURING;
    const struct check_apart c = {.inputs = timed ? v->apart.inputs : 0,
                                  .launch = timed ? n->result->sample_count : 0,
                                  .audit = !timed && v->o.terms.audit};
    if (v->apart.is_torn) {
        v->apart.is_torn = false;
        live_hand_out(v, n, v->apart.of);
        return;
    }
    if (v->apart.left > 0) {
        result_fail(n->result, STATUS_RUNTIME, FAULT_CONFIGURATION,
                    "its worker did not hand out all of its output");
        live_bench_finish(v, n, STOP_NONE);
        return;
    }
    n->result->request_ns = clock_ns() - v->requested_ns;
    v->apart.awaits = verifier_compare(v->apart.verifier, n->job, &c, &v->broken);
    live_settle_pool(v); // comparing need not be alone
}

void live_apart_forget(struct live *v)
{
    if (v->apart.awaits)
        verifier_forget(v->apart.verifier);
    v->apart.awaits = false;
}

void live_serve_verifier(struct live *v)
{
    struct remote *r = verifier_worker(v->apart.verifier);
    struct result *answer;
    struct frame f;
    enum news news;
    if (!r->running || r->dying_ns || !remote_listen(r, &v->broken))
        return;
    while (!v->broken.code && (news = remote_next(r, &f, &v->broken)) != NEWS_NONE) {
        if (!verifier_news(v->apart.verifier, news, &f, &answer, &v->broken) || !answer)
            continue;
        v->apart.awaits = false;
        v->apart.deaths = 0;
        live_compared(v, v->apart.of, answer);
    }
}

// Nothing but time is lost with it: the bench still has the outputs.
void live_verifier_died(struct live *v, const char *how)
{
    const bool awaits = v->apart.awaits;
    v->apart.awaits = false;
    v->apart.is_torn = bench_state(v->bench) == BENCH_HANDING;
    verifier_end(v->apart.verifier);
    if (++v->apart.deaths >= LIVE_START_TRIES)
        live_break(v, ERROR_WORKER, "the worker that compares outputs %s, %u times in a row", how,
                   v->apart.deaths);
    else if (awaits && v->current)
        live_hand_out(v, v->current, v->apart.of);
}
