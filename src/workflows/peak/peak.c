// Measuring a device's limits. Every shape of a kernel (peak_kernels.c) is a candidate: where its
// rounds can be chosen a short launch first tells how many fill the time of a launch; then it is
// tried a few times, and of each limit the fastest keeps its job. That one is launched as often as
// its interval needs, since the best of many tries alone would be too fast, and stored.
#include "workflows/peak/peak.h"

#include "runner/cached.h"
#include "stats/stats.h"
#include "workflows/peak/peak_kernels.h"

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
    struct machine_snapshot machine; // after the first of them
    bool over, handed_out;
    struct peak_record record;
};

struct peak_run {
    struct workflow w;
    struct peak_options o;
    struct arena arena;
    struct candidate candidates[PEAK_SHAPES_MOST];
    struct limit limits[PEAK_COUNT];
    uint32_t count, started, done;
    uint64_t tickets;
    struct peak found;
};

static const struct workflow_operations peak_operations;

// The rate of a result whose launches do so much work each. False where nothing was timed; texts
// are left NULL.
static bool peak_rate_of(const struct result *r, uint64_t work, uint64_t timer_ns,
                         struct peak_rate *out)
{
    struct stats_summary s;
    const uint64_t *samples;
    uint32_t count;
    if (!result_samples(r, &samples, &count) || count == 0)
        return false;
    stats_summarise(samples, count, timer_ns / (r->batch ? r->batch : 1), &s);
    if (!(s.low > 0))
        return false;
    *out = (struct peak_rate){.known = true,
                              .median = (double)work * 1e9 / s.median,
                              .low = (double)work * 1e9 / s.high,
                              .high = (double)work * 1e9 / s.low,
                              .interval = s.interval,
                              .rounds = count};
    return true;
}

// ---- making ------------------------------------------------------------------------------------

static bool make_peak_evaluator(struct peak_run *p, struct error *e)
{
    struct setup tries = p->o.setup;
    tries.store = NULL; // tries are not stored
    tries.terms.rules = measure_rules_default();
    tries.terms.rules.fixed = TRIES;
    tries.terms.rules.unranked = true;
    tries.terms.cold = tries.terms.energy = false;
    p->w.evaluator =
        setup_evaluator(&tries, (struct live_options){.own_reference = true},
                        (struct cached_options){.as.spec_name = PEAK_SPEC}, UINT32_MAX, NULL, e);
    return p->w.evaluator != NULL;
}

struct peak_run *peak_new(const struct peak_options *o, struct error *e)
{
    struct peak_shape shapes[PEAK_SHAPES_MOST];
    const struct store_session session = {.command = o->setup.command,
                                          .hone_version = HONE_VERSION,
                                          .spec_name = PEAK_SPEC,
                                          .host = o->setup.host,
                                          .device = o->setup.at.device,
                                          .surroundings = o->setup.at.device->surroundings};
    struct peak_run *p = workflow_new(sizeof *p, &peak_operations, e);
    if (!p)
        return NULL;
    arena_init(&p->arena);
    p->o = *o;
    p->count = peak_shapes(o->setup.at.device, shapes, PEAK_SHAPES_MOST);
    for (uint32_t i = 0; i < p->count; i++) {
        p->candidates[i].shape = shapes[i];
        p->limits[shapes[i].limit].pending++;
    }
    if ((!o->setup.store || store_begin(o->setup.store, &session, e)) && make_peak_evaluator(p, e))
        return p;
    peak_free(p);
    return NULL;
}

// ---- candidates --------------------------------------------------------------------------------

static bool submit_candidate(struct peak_run *p, struct candidate *c, uint32_t rounds,
                             struct error *e)
{
    c->job = peak_job(&c->shape, p->o.setup.at.device, rounds, &c->work);
    c->ticket = ++p->tickets;
    return c->job ? evaluator_submit(p->w.evaluator, c->ticket, c->job, e) : error_memory(e);
}

static bool start_more(struct peak_run *p, struct error *e)
{
    bool ok = true;
    while (ok && !p->w.cancelled && p->started < p->count && evaluator_room(p->w.evaluator) > 0) {
        struct candidate *c = &p->candidates[p->started++];
        c->is_short = peak_has_rounds(c->shape.limit);
        uint32_t rounds = c->is_short ? peak_first_rounds(p->o.setup.at.device, c->shape.limit) : 0;
        ok = submit_candidate(p, c, rounds, e);
    }
    return ok;
}

static void drop_candidate(struct peak_run *p, struct candidate *c)
{
    evaluator_drop(p->w.evaluator, c->ticket);
    c->job = NULL;
    result_free(c->result);
    c->result = NULL;
}

// A shape that does not work is no problem while another one does, but it is reported.
static bool note_shape_failure(struct peak_run *p, const struct candidate *c,
                               const struct result *r)
{
    struct peak_rate *rate = &p->found.rates[c->shape.limit];
    log_add(p->o.setup.log, LOG_WARNING, "%s: %s is left out: %s: %s",
            peak_limit_title(c->shape.limit), c->job->configuration, status_text(r->status),
            r->message);
    if (!rate->why)
        rate->why = arena_printf(&p->arena, "%s: %s", status_text(r->status), r->message);
    return rate->why != NULL;
}

// A candidate is through. Of those of a limit the fastest keeps its job.
static bool finish_candidate(struct peak_run *p, struct candidate *c, struct error *e)
{
    struct limit *l = &p->limits[c->shape.limit];
    struct peak_rate rate;
    bool ok = true;
    p->done++;
    l->pending--;
    if (c->result->status != STATUS_CORRECT) {
        ok = note_shape_failure(p, c, c->result) || error_memory(e);
    } else if (peak_rate_of(c->result, c->work, p->o.setup.at.device->timer_ns, &rate)) {
        c->rate = rate.median;
    }
    struct candidate *worse = c->rate > 0 && (!l->best || c->rate > l->best->rate) ? l->best : c;
    if (worse != c)
        l->best = c;
    if (worse)
        drop_candidate(p, worse);
    return ok;
}

// The short launch shows how many rounds are needed.
static bool lengthen(struct peak_run *p, struct candidate *c, struct error *e)
{
    const uint64_t *samples;
    uint32_t count;
    c->is_short = false;
    if (!result_samples(c->result, &samples, &count) || count == 0)
        return finish_candidate(p, c, e);
    uint32_t rounds =
        peak_rounds(p->o.setup.at.device, c->shape.limit, stats_median(samples, count));
    drop_candidate(p, c);
    return submit_candidate(p, c, rounds, e);
}

// ---- limits ------------------------------------------------------------------------------------

static bool measure_best(struct peak_run *p, struct error *e)
{
    const struct turn warming = {.launches = 1};
    const struct turn turn = {.launches = ROUNDS};
    bool ok = true;
    for (unsigned i = 0; i < PEAK_COUNT && ok; i++) {
        struct limit *l = &p->limits[i];
        if (l->pending > 0 || l->turns > 0 || l->over)
            continue;
        l->over = !l->best;
        if (l->over)
            continue;
        l->turns = 2;
        ok = evaluator_again(p->w.evaluator, l->best->ticket, &warming, e) &&
             evaluator_again(p->w.evaluator, l->best->ticket, &turn, e);
    }
    return ok;
}

static bool store_rate(struct peak_run *p, const struct candidate *c, const struct result *r,
                       struct error *e)
{
    struct text constants = TEXT_INIT;
    const struct policy policy = {
        .launches = r->sample_count, .batch = r->batch ? r->batch : 1, .fixed = true};
    struct store_job job = {.job = c->job, .as.spec_name = PEAK_SPEC};
    if (!p->o.setup.store)
        return true;
    text_addf(&constants, "limit=%s, work=%llu", peak_limit_text(c->shape.limit),
              (unsigned long long)c->work);
    digest_of(c->job->programs[0].source, c->job->programs[0].length, &job.as.source);
    job_key(c->job, p->o.setup.at.device, &job.key);
    job.as.constants = text_cstr(&constants);
    bool ok = constants.failed ? error_memory(e) : store_put(p->o.setup.store, &job, &policy, r, e);
    text_release(&constants);
    return ok;
}

// Where others used the cores meanwhile the device can do more.
static void note_load(const struct peak_run *p, const struct candidate *c,
                      const struct machine_snapshot *from, const struct machine_snapshot *to)
{
    const struct device_info *d = p->o.setup.at.device;
    bool shares_cores = d->type == DEVICE_CPU || d->shares_host;
    if (!shares_cores || from->cores == 0 || to->cores == 0 || to->at_ns <= from->at_ns)
        return;
    double span = (double)(to->at_ns - from->at_ns) * to->cores;
    double load = (double)(to->other_cpu_ns - from->other_cpu_ns) / span;
    if (load > measure_rules_default().load)
        log_add(p->o.setup.log, LOG_WARNING,
                "%s: others used %.0f %% of the cores while it was measured: it is more than this",
                peak_limit_title(c->shape.limit), 100 * load);
}

static bool end_limit(struct peak_run *p, struct candidate *c, const struct result *turns,
                      struct error *e)
{
    struct limit *l = &p->limits[c->shape.limit];
    struct peak_rate rate = {.known = false};
    if (--l->turns > 0) {
        l->machine = turns->machine;
        return true;
    }
    c->result->sample_count = c->result->part_count = 0; // the turns in place of the tries
    bool ok = result_merge(c->result, turns) || error_memory(e);
    c->result->warmups = turns->warmups;
    c->result->stop = STOP_FIXED;
    l->over = true;
    note_load(p, c, &l->machine, &turns->machine);
    if (ok && c->result->status != STATUS_CORRECT) {
        ok = note_shape_failure(p, c, c->result) || error_memory(e);
    } else if (ok && peak_rate_of(c->result, c->work, p->o.setup.at.device->timer_ns, &rate)) {
        rate.configuration = arena_strdup(&p->arena, c->job->configuration);
        p->found.rates[c->shape.limit] = rate;
        ok = rate.configuration ? store_rate(p, c, c->result, e) : error_memory(e);
    }
    drop_candidate(p, c);
    l->best = NULL;
    return ok;
}

// ---- steps -------------------------------------------------------------------------------------

// A device that writes nothing agrees with itself: what the reference left unwritten proves nothing.
static void doubt_unverified(struct result *r)
{
    const char *note = r->deviation_count && r->deviations[0].note ? r->deviations[0].note : "";
    if (r->status == STATUS_CORRECT && !result_is_verified(r))
        result_fail(r, STATUS_CORRECTNESS, FAULT_CONFIGURATION, "its output proves nothing%s%s",
                    *note ? ": " : "", note);
}

static bool take_peak_outcome(struct peak_run *p, struct outcome *out, struct error *e)
{
    struct candidate *c = p->candidates;
    bool ok;
    while (c < p->candidates + p->count && c->ticket != out->ticket)
        c++;
    if (p->w.cancelled || c == p->candidates + p->count) {
        result_free(out->result);
        return true;
    }
    if (p->limits[c->shape.limit].best == c) {
        ok = end_limit(p, c, out->result, e);
        result_free(out->result);
        return ok;
    }
    c->result = out->result;
    doubt_unverified(c->result);
    return c->is_short ? lengthen(p, c, e) : finish_candidate(p, c, e);
}

static const struct peak_record *next_record(struct peak_run *p)
{
    for (unsigned i = 0; i < PEAK_COUNT; i++) {
        struct limit *l = &p->limits[i];
        if (!l->over || l->handed_out)
            continue;
        l->handed_out = true;
        l->record = (struct peak_record){i, &p->found.rates[i]};
        return &l->record;
    }
    return NULL;
}

static bool is_peak_over(const struct peak_run *p)
{
    for (unsigned i = 0; i < PEAK_COUNT; i++) {
        if (!p->limits[i].over)
            return false;
    }
    return true;
}

static enum workflow_answer step_peak(void *workflow, int timeout_ms, const void **record,
                                      struct error *e)
{
    struct peak_run *p = workflow;
    struct outcome out;
    if (!p->w.cancelled && (!start_more(p, e) || !measure_best(p, e)))
        return WORKFLOW_BROKEN;
    *record = next_record(p);
    if (*record)
        return WORKFLOW_RECORD;
    if (p->w.cancelled ? evaluator_idle(p->w.evaluator) : is_peak_over(p))
        return WORKFLOW_END;
    int got = evaluator_take(p->w.evaluator, timeout_ms, &out, e);
    if (got < 0 || (got > 0 && !take_peak_outcome(p, &out, e)))
        return WORKFLOW_BROKEN;
    return WORKFLOW_NOTHING;
}

static void release_peak(void *workflow)
{
    struct peak_run *p = workflow;
    for (uint32_t i = 0; i < p->count; i++)
        result_free(p->candidates[i].result);
    arena_release(&p->arena);
}

static const struct workflow_operations peak_operations = {.step = step_peak,
                                                           .release = release_peak};

void peak_progress(struct peak_run *p, struct workflow_progress *out)
{
    workflow_progress(&p->w, p->count, p->done, out);
}

const struct peak *peak_found(const struct peak_run *p)
{
    return &p->found;
}

// ---- what the store has ----------------------------------------------------------------------

struct finding {
    struct arena *arena;
    struct peak *out;
    uint32_t seen[PEAK_COUNT]; // measurements of each limit
    bool failed;
};

// "limit=fp32, work=123".
static bool read_peak_constants(const char *text, enum peak_limit *limit, uint64_t *work)
{
    static const char first[] = "limit=", second[] = ", work=";
    char name[32];
    const char *end = strstr(text, second);
    if (!str_starts(text, first) || !end)
        return false;
    str_format(name, sizeof name, "%.*s", (int)(end - text - (ptrdiff_t)strlen(first)),
               text + strlen(first));
    return peak_limit_parse(name, limit) && str_to_u64(end + strlen(second), work) && *work > 0;
}

static bool has_seen_enough(const struct finding *f)
{
    for (unsigned i = 0; i < PEAK_COUNT; i++) {
        if (f->seen[i] < PEAK_RECENT)
            return false;
    }
    return true;
}

// Rows come newest first; of equal rates the newest stays.
static bool take_peak_row(void *context, const struct store_row *row)
{
    struct finding *f = context;
    enum peak_limit limit;
    uint64_t work;
    struct peak_rate rate;
    if (!read_peak_constants(row->constants, &limit, &work) || f->seen[limit] >= PEAK_RECENT ||
        !peak_rate_of(row->result, work, 0, &rate))
        return true;
    f->seen[limit]++;
    if (f->out->rates[limit].known && rate.median <= f->out->rates[limit].median)
        return !has_seen_enough(f);
    rate.configuration = arena_strdup(f->arena, row->configuration);
    rate.date = arena_strdup(f->arena, row->date);
    f->failed |= !rate.configuration || !rate.date;
    f->out->rates[limit] = rate;
    return !f->failed && !has_seen_enough(f);
}

bool peak_find_of(struct store *s, const struct digest *identity, struct arena *a, struct peak *out,
                  struct error *e)
{
    struct finding f = {.arena = a, .out = out};
    const struct store_query query = {
        .spec_name = PEAK_SPEC, .device_identity = identity, .correct_only = true, .today = true};
    memset(out, 0, sizeof *out);
    return store_each(s, &query, take_peak_row, &f, e) && (!f.failed || error_memory(e));
}

bool peak_find(struct store *s, const struct device_info *d, struct arena *a, struct peak *out,
               struct error *e)
{
    struct digest identity;
    device_info_digest(d, &identity);
    return peak_find_of(s, &identity, a, out, e);
}
