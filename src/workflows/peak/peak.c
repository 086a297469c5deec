#include "peak.h"

#include "eval/remember.h"
#include "measure/stats.h"
#include "peak_inside.h"
#include "peak_kernels.h"

#include <stdlib.h>
#include <string.h>

#define TRIES  3  // samples of each shape: which is the fastest
#define ROUNDS 16 // of the fastest: its median and interval

// A shape, from its short launch on.
struct candidate {
    struct peak_shape shape;
    uint64_t ticket; // of the job it has with the evaluator
    uint64_t work;   // of that job's launches
    struct job *job; // the evaluator's
    bool is_short;   // that job is the one that tells how many rounds are needed
    struct result *result;
    double rate;
};

// A limit, whose candidates follow each other.
struct limit {
    uint32_t pending;       // candidates that are not done
    struct candidate *best; // so far; its job is kept
    unsigned turns;         // that are on their way: it is launched as often as its interval needs
    struct machine_look look; // after the first of them
    bool over;
};

struct peaking {
    struct peak_options o;
    struct arena arena;
    struct evaluator *evaluator;
    struct candidate candidates[PEAK_SHAPES_MOST];
    struct limit limits[PEAK_COUNT];
    uint32_t count, started, done;
    uint64_t tickets;
    struct peak found;
    bool cancelled;
};

// ---- making ------------------------------------------------------------------------------------

static bool make_evaluator(struct peaking *p, struct error *e)
{
    const struct peak_options *o = &p->o;
    struct live_options live = {.worker = o->worker,
                                .environment = o->environment,
                                .device = o->device,
                                .jobs = o->jobs,
                                .terms = o->terms,
                                .own_reference = true,
                                .leaving = o->leaving,
                                .spare = o->spare,
                                .log = o->log};
    // The lock alone: what is stored are not the tries.
    const struct remember_options remember = {.lock_folder = o->lock_folder,
                                              .spec_name = PEAK_SPEC};
    live.terms.rules = measure_rules_default();
    live.terms.rules.fixed = TRIES;
    live.terms.rules.unranked = true;
    live.terms.cold = live.terms.energy = false;
    p->evaluator = remember_new(&remember, &live, e);
    return p->evaluator != NULL;
}

static bool begin_session(struct peaking *p, struct error *e)
{
    const struct peak_options *o = &p->o;
    const struct store_session session = {.command = o->command,
                                          .hone_version = HONE_VERSION,
                                          .spec_name = PEAK_SPEC,
                                          .host = o->host,
                                          .device = o->device,
                                          .surroundings = o->device->surroundings};
    return !o->store || store_begin(o->store, &session, e);
}

struct peaking *peaking_new(const struct peak_options *o, struct error *e)
{
    struct peak_shape shapes[PEAK_SHAPES_MOST];
    struct peaking *p = calloc(1, sizeof *p);
    if (!p) {
        error_memory(e);
        return NULL;
    }
    arena_init(&p->arena);
    p->o = *o;
    p->count = peak_shapes(o->device, shapes, PEAK_SHAPES_MOST);
    for (uint32_t i = 0; i < p->count; i++) {
        p->candidates[i].shape = shapes[i];
        p->limits[shapes[i].limit].pending++;
    }
    if (begin_session(p, e) && make_evaluator(p, e))
        return p;
    peaking_free(p);
    return NULL;
}

void peaking_free(struct peaking *p)
{
    if (!p)
        return;
    evaluator_free(p->evaluator);
    for (uint32_t i = 0; i < p->count; i++)
        result_free(p->candidates[i].result);
    arena_release(&p->arena);
    free(p);
}

// ---- candidates --------------------------------------------------------------------------------

static bool submit(struct peaking *p, struct candidate *c, uint32_t rounds, struct error *e)
{
    c->job = peak_job(&c->shape, p->o.device, rounds, &c->work);
    c->ticket = ++p->tickets;
    return c->job ? evaluator_submit(p->evaluator, c->ticket, c->job, e) : error_memory(e);
}

static bool start_more(struct peaking *p, struct error *e)
{
    bool ok = true;
    while (ok && !p->cancelled && p->started < p->count && evaluator_room(p->evaluator) > 0) {
        struct candidate *c = &p->candidates[p->started++];
        c->is_short = peak_has_rounds(c->shape.limit);
        uint32_t rounds = c->is_short ? peak_first_rounds(p->o.device, c->shape.limit) : 0;
        ok = submit(p, c, rounds, e);
    }
    return ok;
}

static void drop(struct peaking *p, struct candidate *c)
{
    evaluator_drop(p->evaluator, c->ticket);
    c->job = NULL;
    result_free(c->result);
    c->result = NULL;
}

// One of the shapes not working is no matter while another does, but not to be passed over.
static bool note_failure(struct peaking *p, const struct candidate *c, const struct result *r)
{
    struct peak_rate *rate = &p->found.rates[c->shape.limit];
    log_add(p->o.log, LOG_WARNING, "%s: %s is left out: %s: %s", peak_limit_title(c->shape.limit),
            c->job->configuration, status_text(r->status), r->message);
    if (!rate->why)
        rate->why = arena_printf(&p->arena, "%s: %s", status_text(r->status), r->message);
    return rate->why != NULL;
}

// A candidate is through. Of those of a limit the fastest keeps its job.
static bool finish(struct peaking *p, struct candidate *c, struct error *e)
{
    struct limit *l = &p->limits[c->shape.limit];
    struct peak_rate rate;
    bool ok = true;
    p->done++;
    l->pending--;
    if (c->result->status != STATUS_CORRECT) {
        ok = note_failure(p, c, c->result) || error_memory(e);
    } else if (peak_rate_of(c->result, c->work, p->o.device->timer_ns, &rate)) {
        c->rate = rate.median;
    }
    struct candidate *worse = c->rate > 0 && (!l->best || c->rate > l->best->rate) ? l->best : c;
    if (worse != c)
        l->best = c;
    if (worse)
        drop(p, worse);
    return ok;
}

// The short launch told how many rounds are needed.
static bool lengthen(struct peaking *p, struct candidate *c, struct error *e)
{
    const uint64_t *samples;
    uint32_t count;
    c->is_short = false;
    if (!result_samples(c->result, &samples, &count) || count == 0)
        return finish(p, c, e);
    uint32_t rounds = peak_rounds(p->o.device, c->shape.limit, stats_median(samples, count));
    drop(p, c);
    return submit(p, c, rounds, e);
}

// ---- limits ------------------------------------------------------------------------------------

static bool settle_limits(struct peaking *p, struct error *e)
{
    const struct turn warming = {.launches = 1};
    const struct turn turn = {.launches = ROUNDS, .compare = true};
    bool ok = true;
    for (unsigned i = 0; i < PEAK_COUNT && ok; i++) {
        struct limit *l = &p->limits[i];
        if (l->pending > 0 || l->turns > 0 || l->over)
            continue;
        l->over = !l->best;
        if (l->over)
            continue;
        l->turns = 2;
        ok = evaluator_again(p->evaluator, l->best->ticket, &warming, e) &&
             evaluator_again(p->evaluator, l->best->ticket, &turn, e);
    }
    return ok;
}

static bool keep(struct peaking *p, const struct candidate *c, const struct result *r,
                 struct error *e)
{
    struct text constants = TEXT_INIT, geometry = TEXT_INIT;
    const struct policy policy = {
        .launches = r->sample_count, .batch = r->batch ? r->batch : 1, .fixed = true};
    struct store_job job = {.job = c->job,
                            .configuration = c->job->configuration,
                            .configuration_json = c->job->configuration_json,
                            .spec_name = PEAK_SPEC};
    if (!p->o.store)
        return true;
    text_addf(&constants, "limit=%s, work=%llu", peak_limit_text(c->shape.limit),
              (unsigned long long)c->work);
    job_geometry_text(c->job, &geometry);
    digest_of(c->job->programs[0].source, c->job->programs[0].length, &job.source);
    job_key(c->job, p->o.device, &job.key);
    job.constants = text_cstr(&constants);
    job.geometry = text_cstr(&geometry);
    bool ok = constants.failed || geometry.failed ? error_memory(e)
                                                  : store_put(p->o.store, &job, &policy, r, e);
    text_release(&constants);
    text_release(&geometry);
    return ok;
}

// What the turns found, in place of the tries.
static bool take_turns(struct result *into, const struct result *turns)
{
    into->sample_count = into->part_count = 0;
    bool ok = result_merge(into, turns);
    into->warmups = turns->warmups;
    into->stop = STOP_FIXED;
    return ok;
}

// Where others used the cores meanwhile the device can do more.
static void note_load(const struct peaking *p, const struct candidate *c,
                      const struct machine_look *from, const struct machine_look *to)
{
    const struct device_info *d = p->o.device;
    bool shares_cores = d->type == DEVICE_CPU || d->shares_host;
    if (!shares_cores || from->cores == 0 || to->cores == 0 || to->at_ns <= from->at_ns)
        return;
    double span = (double)(to->at_ns - from->at_ns) * to->cores;
    double load = (double)(to->other_cpu_ns - from->other_cpu_ns) / span;
    if (load > measure_rules_default().load)
        log_add(p->o.log, LOG_WARNING,
                "%s: others used %.0f %% of the cores while it was measured: it is more than this",
                peak_limit_title(c->shape.limit), 100 * load);
}

static bool end_limit(struct peaking *p, struct candidate *c, const struct result *turns,
                      struct error *e)
{
    struct limit *l = &p->limits[c->shape.limit];
    struct peak_rate rate = {.known = false};
    if (--l->turns > 0) {
        l->look = turns->look;
        return true;
    }
    bool ok = take_turns(c->result, turns) || error_memory(e);
    l->over = true;
    note_load(p, c, &l->look, &turns->look);
    if (ok && c->result->status != STATUS_CORRECT) {
        ok = note_failure(p, c, c->result) || error_memory(e);
    } else if (ok && peak_rate_of(c->result, c->work, p->o.device->timer_ns, &rate)) {
        rate.configuration = arena_strdup(&p->arena, c->job->configuration);
        p->found.rates[c->shape.limit] = rate;
        ok = rate.configuration ? keep(p, c, c->result, e) : error_memory(e);
    }
    drop(p, c);
    l->best = NULL;
    return ok;
}

// ---- steps -------------------------------------------------------------------------------------

static bool take(struct peaking *p, struct outcome *out, struct error *e)
{
    struct candidate *c = p->candidates;
    bool ok;
    while (c < p->candidates + p->count && c->ticket != out->ticket)
        c++;
    if (p->cancelled || c == p->candidates + p->count) {
        result_free(out->result);
        return true;
    }
    if (p->limits[c->shape.limit].best == c) {
        ok = end_limit(p, c, out->result, e);
        result_free(out->result);
        return ok;
    }
    c->result = out->result;
    return c->is_short ? lengthen(p, c, e) : finish(p, c, e);
}

static bool is_over(const struct peaking *p)
{
    for (unsigned i = 0; i < PEAK_COUNT; i++) {
        if (!p->limits[i].over)
            return false;
    }
    return true;
}

enum peak_answer peaking_step(struct peaking *p, int timeout_ms, struct error *e)
{
    struct outcome out;
    if (!p->cancelled && (!start_more(p, e) || !settle_limits(p, e)))
        return PEAK_BROKEN;
    if (p->cancelled ? evaluator_idle(p->evaluator) : is_over(p))
        return PEAK_END;
    int got = evaluator_take(p->evaluator, timeout_ms, &out, e);
    if (got < 0 || (got > 0 && !take(p, &out, e)))
        return PEAK_BROKEN;
    return PEAK_NOTHING;
}

void peaking_cancel(struct peaking *p)
{
    p->cancelled = true;
    evaluator_cancel(p->evaluator);
}

void peaking_progress(struct peaking *p, struct peaking_progress *out)
{
    *out = (struct peaking_progress){.planned = p->count, .done = p->done};
    evaluator_status(p->evaluator, &out->evaluator);
}

const struct peak *peaking_found(const struct peaking *p)
{
    return &p->found;
}
