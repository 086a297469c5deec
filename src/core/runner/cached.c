// Measures nothing twice: wraps the live evaluator with the store and the device's lock.
//
// A job that is submitted becomes a record. Its key is asked for in the store first; what answers
// waits to be taken, everything else goes on to the live evaluator. Before such a job is launched it
// enters (the admission): the device's lock is taken and the store is asked once more, since another
// hone may have measured it meanwhile. A result is stored before the lock is given up. While another
// process has the store locked nothing waits in here: records and outcomes are kept, and the store
// is asked again with the next step.
#include "runner/cached.h"

#include "os/process.h"
#include "runner/place.h"
#include "worker/device_lock.h"

#include <stdio.h>
#include <stdlib.h>

// One job on its way. The job belongs to `live` once it was submitted there.
struct record {
    struct record *next;
    uint64_t ticket;
    struct job *job; // borrowed from live when `submitted`
    bool submitted;
    bool again; // in turns: nothing stored answers, and nothing is stored but by keep()
    bool stored;
    bool unasked; // the store was locked by another process when it was to be asked
    bool locks;   // likewise when the result was to be stored: the device's lock is kept until then
    struct digest key;
    struct result *answer; // from the store, waiting to be taken
    struct result *known;  // the samples it has already, of more that are asked for
};

// How soon the store is asked again that was locked.
#define STORE_RETRY_MS 20

#define WAIT_WORTH_TELLING 3000000000ull // ns

struct cached {
    struct evaluator base;
    struct cached_options o;
    struct device_info device;
    struct policy policy; // what a stored result must satisfy
    struct terms terms;
    uint64_t best_ns;
    struct device_lock lock;
    bool locking;
    unsigned locks; // who needs it: the job at the bench, the turns of a round
    struct record *records;
    struct record **last;
    // Do results answer under keys that hold the whole contents of data files? Asked of the first
    // job alone: such a key takes reading the files again.
    enum { OLD_KEYS_MAYBE, OLD_KEYS_NONE, OLD_KEYS_SOME } old_keys;
    uint32_t unasked;     // records that are
    struct outcome held;  // an outcome that is to be stored before it is told
    bool store_is_locked; // at the last try
    char waiting[600];
    const struct log *log;
    bool told_waiting; // once is enough: who takes turns waits often
    bool warned;       // of results that let NaN pass
    bool warned_check; // of a check that lets wrong outputs pass
};

static struct cached *cached_of(struct evaluator *ev)
{
    return (struct cached *)ev;
}

static struct record *find_record(struct cached *m, uint64_t ticket)
{
    for (struct record *r = m->records; r; r = r->next) {
        if (r->ticket == ticket)
            return r;
    }
    return NULL;
}

static void cached_unlock(void *context);

static void record_free(struct cached *m, struct record *r)
{
    if (r->locks)
        cached_unlock(m);
    m->unasked -= r->unasked;
    if (!r->submitted)
        job_free(r->job);
    result_free(r->answer);
    result_free(r->known);
    free(r);
}

// ---- the store ---------------------------------------------------------------------------------

// Is that failure only that another process has the store for the moment? Then the call is repeated
// in the next step, or a moment later: nobody waits for it in here.
static bool is_locked(struct cached *m, struct error *e)
{
    m->store_is_locked = m->o.store && store_try_again(m->o.store, e);
    return m->store_is_locked;
}

// Energy and counters are counted beside samples that belong together: without them they are taken again.
static bool lacks_counts(const struct cached *m, const struct result *r)
{
    bool lacks_energy =
        m->terms.energy && r->energy.microjoules == 0 && r->energy.refused[0] == '\0';
    bool lacks_counters = m->terms.counters && m->terms.rules.unranked && !r->counters;
    return r->status == STATUS_CORRECT && (lacks_energy || lacks_counters);
}

// Elements that the default configuration left unwritten are an error of this spec, though not of
// the spec that the result was measured for.
static bool is_partial(const struct record *r, const struct result *found)
{
    return r->job->reference.agreement && !r->job->partial && result_left(found);
}

// Results of an earlier hone let NaN pass where the reference had it. They answer, and it is said.
static void warn_of_nans(struct cached *m, const struct record *r, const struct result *found)
{
    bool may = r->job->reference.kind == REFERENCE_JOB || r->job->reference.kind == REFERENCE_DATA;
    if (m->warned || !may || found->status != STATUS_CORRECT)
        return;
    for (uint32_t i = 0; i < r->job->buffer_count; i++) {
        const struct job_buffer *b = &r->job->buffers[i];
        m->warned = m->warned || (b->output && scalar_is_float(b->element.scalar));
    }
    m->warned = m->warned && found->deviation_count > 0 && found->deviations[0].components == 0;
    if (m->warned)
        log_add(m->log, LOG_WARNING,
                "results of an earlier hone answer, which let NaN pass where the reference had it "
                "too; --fresh measures and verifies anew");
}

// The answer, or NULL: then r->known is what there is of it.
static struct result *look_record_up(struct cached *m, struct record *r, struct error *e)
{
    uint32_t missing = 0;
    result_free(r->known);
    r->known = NULL;
    if (!m->o.store || m->o.fresh || r->again)
        return NULL;
    // A launch that was ended as hopeless need not be tried again while it still is.
    m->policy.launch_limit_ns = terms_launch_limit(&m->terms, m->best_ns);
    struct store_question question = {
        .key = r->key, .policy = m->policy, .retry = m->o.retry, .alone = m->o.alone};
    struct result *found = store_find(m->o.store, &question, &missing, e);
    m->store_is_locked = false;
    if (found && ((!missing && lacks_counts(m, found)) || is_partial(r, found))) {
        result_free(found);
        found = NULL;
        missing = 0;
    }
    if (found)
        warn_of_nans(m, r, found);
    if (!missing)
        return found;
    r->known = found;
    return NULL;
}

// Looks up the result that an earlier hone stored for a job with large data files.
static struct result *look_record_up_old(struct cached *m, struct record *r, struct error *e)
{
    struct digest key = r->key;
    if (!m->o.store || m->o.fresh || m->old_keys == OLD_KEYS_NONE || !job_has_large_data(r->job))
        return NULL;
    if (m->old_keys == OLD_KEYS_MAYBE &&
        !store_has_configuration(m->o.store, r->job->configuration_json, &m->o.as.source))
        return NULL;
    if (!job_key_by_contents(r->job, &m->device, &r->key)) {
        r->key = key;
        return NULL;
    }
    struct result *found = look_record_up(m, r, e);
    bool knows = found || r->known;
    r->key = key;
    m->old_keys = m->old_keys == OLD_KEYS_SOME || knows ? OLD_KEYS_SOME : OLD_KEYS_NONE;
    return found;
}

// A configuration with which the device was lost is not tried again by itself. Other faults beyond
// a configuration say nothing of it.
static bool worth_keeping(const struct result *result)
{
    return result->fault == FAULT_NONE || result->fault == FAULT_CONFIGURATION ||
           result->fault == FAULT_LOST;
}

static bool write_result(struct cached *m, struct record *r, const struct policy *policy,
                         const struct result *result, struct error *e)
{
    struct store_job job = {.job = r->job, .key = r->key, .as = m->o.as};
    if (r->job->constants)
        job.as.constants = r->job->constants;
    return store_put(m->o.store, &job, policy, result, e);
}

// Stores what was measured, once.
static bool put_result(struct cached *m, struct record *r, const struct result *result,
                       struct error *e)
{
    if (!m->o.store || r->again || r->stored || result->reused || !worth_keeping(result))
        return true;
    r->stored = write_result(m, r, &m->policy, result, e);
    m->store_is_locked = false;
    return r->stored;
}

// Samples that were known before go in front, where they are of one kind. A failure has none.
static bool add_known(struct record *r, struct result *result, struct error *e)
{
    bool adds = r->known && result->status == STATUS_CORRECT && !result->reused && !r->again &&
                result_samples_alike(r->known, result);
    bool ok = !adds || result_samples_before(result, r->known) || error_memory(e);
    result_free(r->known);
    r->known = NULL;
    return ok;
}

// ---- the admission
// ----------------------------------------------------------------------------------

// Warns once, naming the holder, when the lock has been busy for WAIT_WORTH_TELLING.
static void tell_waiting(struct cached *m)
{
    if (m->told_waiting || !m->lock.waiting || clock_ns() - m->lock.waits_ns < WAIT_WORTH_TELLING)
        return;
    m->told_waiting = true;
    log_add(m->log, LOG_WARNING, "the device is in use by %s; waiting until it is free",
            m->lock.holder);
}

static enum admission_answer cached_lock(void *context, struct error *e)
{
    struct cached *m = context;
    int got = m->locking && m->locks == 0 ? device_lock_try(&m->lock, e) : 1;
    if (got == 0)
        tell_waiting(m);
    m->locks += got > 0;
    return got > 0 ? ADMISSION_OPEN : got < 0 ? ADMISSION_BROKEN : ADMISSION_BUSY;
}

static void cached_unlock(void *context)
{
    struct cached *m = context;
    if (--m->locks == 0 && m->locking)
        device_lock_release(&m->lock);
}

static enum admission_answer cached_enter(void *context, uint64_t ticket,
                                          struct admission_known *known, struct result **out,
                                          struct error *e)
{
    struct cached *m = context;
    struct record *r = find_record(m, ticket);
    if (m->o.may_measure && !m->o.may_measure(m->o.context, ticket))
        return ADMISSION_BUSY;
    enum admission_answer got = cached_lock(m, e);
    if (got != ADMISSION_OPEN)
        return got;
    // Another hone may have measured it while this one built it or waited.
    struct error failed = ERROR_INIT;
    *known = (struct admission_known){0, 0};
    *out = r ? look_record_up(m, r, &failed) : NULL;
    if (*out || failed.code)
        cached_unlock(m);
    if (failed.code && is_locked(m, &failed))
        return ADMISSION_BUSY;
    if (r && r->known)
        *known = (struct admission_known){r->known->sample_count, r->known->batch};
    if (failed.code && e)
        *e = failed;
    return failed.code ? ADMISSION_BROKEN : *out ? ADMISSION_ANSWERED : ADMISSION_OPEN;
}

// Stored before the lock is given up: whoever has it next sees the result. While turns are held the
// lock stays, and so it does until a result is stored for which the store was locked.
static bool cached_leave(void *context, uint64_t ticket, const struct result *result,
                         struct error *e)
{
    struct cached *m = context;
    struct record *r = find_record(m, ticket);
    struct error failed = ERROR_INIT;
    bool ok = !r || !result || put_result(m, r, result, &failed);
    if (!ok && is_locked(m, &failed)) {
        r->locks = true;
        return true;
    }
    if (!ok && e)
        *e = failed;
    cached_unlock(m);
    return ok;
}

static const char *cached_waiting(void *context)
{
    struct cached *m = context;
    if (m->store_is_locked)
        return "another process has the store locked";
    if (!m->locking || !m->lock.waiting)
        return NULL;
    snprintf(m->waiting, sizeof m->waiting, "the device is in use by %s", m->lock.holder);
    return m->waiting;
}

// ---- operations --------------------------------------------------------------------------------

static bool hand_on(struct cached *m, struct record *r, struct error *e)
{
    r->submitted = true;
    return evaluator_submit(m->base.inner, r->ticket, r->job, e);
}

// Answers the record from the store, or passes it on to the workers. While the store is locked the
// record waits, and later records need not try.
static bool ask_store_first(struct cached *m, struct record *r, struct error *e)
{
    struct error failed = ERROR_INIT;
    bool waits = m->unasked > r->unasked && !r->unasked;
    if (!waits) {
        r->answer = look_record_up(m, r, &failed);
        if (!r->answer && !r->known && !failed.code)
            r->answer = look_record_up_old(m, r, &failed);
        waits = failed.code && is_locked(m, &failed);
    }
    m->unasked += waits - r->unasked;
    r->unasked = waits;
    if (failed.code && e)
        *e = failed;
    return !failed.code && (waits || r->answer || hand_on(m, r, e));
}

static bool cached_submit(struct evaluator *ev, uint64_t ticket, struct job *job, struct error *e)
{
    struct cached *m = cached_of(ev);
    struct record *r = calloc(1, sizeof *r);
    if (!r) {
        job_free(job);
        return error_memory(e);
    }
    r->ticket = ticket;
    r->job = job;
    job_key(job, &m->device, &r->key);
    *m->last = r;
    m->last = &r->next;
    return ask_store_first(m, r, e);
}

// Once, of fresh results and of those that the store has.
static void warn_of_check(struct cached *m, const struct result *r)
{
    for (uint32_t i = 0; !m->warned_check && i < r->deviation_count; i++) {
        const struct deviation *d = &r->deviations[i];
        if (!d->note || !d->note[0] || (d->narrowed < 1 && !d->blind))
            continue;
        m->warned_check = true;
        log_add(m->log, LOG_WARNING, "the check of %s: %s%s", d->name, d->note,
                d->blind ? "; nothing is shown by it" : "");
    }
}

static bool give_answer(struct cached *m, struct outcome *out)
{
    for (struct record *r = m->records; r; r = r->next) {
        if (!r->answer)
            continue;
        *out = (struct outcome){.ticket = r->ticket, .result = r->answer};
        r->answer = NULL;
        warn_of_check(m, out->result);
        return true;
    }
    return false;
}

// Stores the result of a job that never reached the admission (a failed build).
static bool keep_unadmitted(struct cached *m, const struct outcome *out, struct error *e)
{
    struct record *r = find_record(m, out->ticket);
    struct error failed = ERROR_INIT;
    if (!r || r->again || r->stored || out->result->reused)
        return true;
    struct result *known = look_record_up(m, r, &failed);
    bool is_known = known != NULL;
    result_free(known);
    if (failed.code && e)
        *e = failed;
    return !failed.code && (is_known || put_result(m, r, out->result, e));
}

static bool complete_outcome(struct cached *m, struct outcome *out, struct error *e)
{
    struct record *r = find_record(m, out->ticket);
    bool stored = r && r->stored;
    if (r && !stored && !keep_unadmitted(m, out, e))
        return false;
    if (r && r->locks)
        cached_unlock(m);
    if (r)
        r->locks = false;
    return !r || add_known(r, out->result, e);
}

// 1: told; 0: held, until the store can be written; -1.
static int tell_outcome(struct cached *m, struct outcome *out, struct error *e)
{
    struct error failed = ERROR_INIT;
    if (complete_outcome(m, out, &failed)) {
        warn_of_check(m, out->result);
        return 1;
    }
    if (is_locked(m, &failed)) {
        m->held = *out;
        *out = (struct outcome){.ticket = 0};
        return 0;
    }
    if (e)
        *e = failed;
    result_free(out->result);
    return -1;
}

static int cached_take(struct evaluator *ev, int timeout_ms, struct outcome *out, struct error *e)
{
    struct cached *m = cached_of(ev);
    // Retry the waiting records, in their order, until the store is locked again.
    bool locked = false;
    for (struct record *r = m->records; r && m->unasked > 0 && !locked; r = r->next) {
        if (r->unasked && !ask_store_first(m, r, e))
            return -1;
        locked = r->unasked;
    }
    if (give_answer(m, out))
        return 1;
    if (m->held.result) {
        *out = m->held;
        m->held = (struct outcome){.ticket = 0};
        return tell_outcome(m, out, e);
    }
    // Records that wait for the store need a timeout: no event of a worker wakes them.
    if (m->unasked > 0 && (timeout_ms < 0 || timeout_ms > STORE_RETRY_MS))
        timeout_ms = STORE_RETRY_MS;
    struct evaluator *inner = m->base.inner;
    int got = inner->ops->take(inner, timeout_ms, out, e);
    return got == 1 ? tell_outcome(m, out, e) : got;
}

static bool cached_again(struct evaluator *ev, uint64_t ticket, const struct turn *turn,
                         struct error *e)
{
    struct cached *m = cached_of(ev);
    struct record *r = find_record(m, ticket);
    if (!r)
        return error_set(e, ERROR_USAGE, "only a job that was taken can be measured again");
    r->again = true;
    result_free(r->answer); // turns are all that comes of it now
    r->answer = NULL;
    m->unasked -= r->unasked;
    r->unasked = false;
    return (r->submitted || hand_on(m, r, e)) && evaluator_again(m->base.inner, ticket, turn, e);
}

// Its samples were not taken under the terms of the search, and count as little as those of a
// ranking where a fixed number is asked for.
static bool cached_keep(struct evaluator *ev, uint64_t ticket, const struct result *result,
                        struct error *e)
{
    struct cached *m = cached_of(ev);
    struct record *r = find_record(m, ticket);
    if (!r)
        return error_set(e, ERROR_USAGE, "only the result of a job that was taken can be kept");
    struct policy policy = m->policy;
    policy.launches = result->sample_count;
    policy.batch = result->batch ? result->batch : 1;
    policy.warmups = result->warmups;
    policy.fixed = result->stop == STOP_FIXED;
    return !m->o.store || !worth_keeping(result) || write_result(m, r, &policy, result, e);
}

static void cached_drop(struct evaluator *ev, uint64_t ticket)
{
    struct cached *m = cached_of(ev);
    struct record **link = &m->records;
    while (*link && (*link)->ticket != ticket)
        link = &(*link)->next;
    struct record *r = *link;
    if (!r)
        return;
    if (r->submitted)
        evaluator_drop(m->base.inner, ticket);
    *link = r->next;
    if (m->last == &r->next)
        m->last = link;
    if (m->held.result && m->held.ticket == ticket) {
        result_free(m->held.result);
        m->held = (struct outcome){.ticket = 0};
    }
    record_free(m, r);
}

static size_t cached_room(struct evaluator *ev)
{
    // An answer from the store occupies room until it is taken, as a job that is measured does: so a repeated search is told one
    // answer before its next question, as it was the first time.
    size_t waiting = cached_of(ev)->unasked > 0 ? SIZE_MAX / 2 : 0;
    for (const struct record *r = cached_of(ev)->records; r; r = r->next)
        waiting += r->answer != NULL;
    size_t room = evaluator_room(ev->inner);
    return room > waiting ? room - waiting : 0;
}

static void cached_cancel(struct evaluator *ev)
{
    struct cached *m = cached_of(ev);
    for (struct record *r = m->records; r; r = r->next)
        r->unasked = false;
    m->unasked = 0;
    evaluator_cancel(m->base.inner);
}

static bool cached_idle(struct evaluator *ev)
{
    const struct cached *m = cached_of(ev);
    for (const struct record *r = m->records; r; r = r->next) {
        if (r->answer)
            return false;
    }
    return m->unasked == 0 && !m->held.result && evaluator_idle(m->base.inner);
}

static void cached_best(struct evaluator *ev, uint64_t ns, uint64_t verify_ns)
{
    cached_of(ev)->best_ns = ns;
    evaluator_best(ev->inner, ns, verify_ns);
}

static size_t cached_watch(struct evaluator *ev, struct pollfd *fds, size_t most, uint64_t *until)
{
    const struct cached *m = cached_of(ev);
    uint64_t retry = clock_ns() + STORE_RETRY_MS * 1000000ull;
    if ((m->unasked > 0 || m->held.result) && retry < *until)
        *until = retry;
    return evaluator_watch(ev->inner, fds, most, until);
}

static void cached_destroy(struct evaluator *ev)
{
    struct cached *m = cached_of(ev);
    evaluator_free(m->base.inner);
    for (struct record *r = m->records, *next; r; r = next) {
        next = r->next;
        record_free(m, r);
    }
    result_free(m->held.result);
    if (m->locking)
        device_lock_close(&m->lock);
    free(m);
}

static const struct evaluator_operations cached_operations = {
    .submit = cached_submit,
    .take = cached_take,
    .again = cached_again,
    .keep = cached_keep,
    .drop = cached_drop,
    .room = cached_room,
    .cancel = cached_cancel,
    .idle = cached_idle,
    .best = cached_best,
    .watch = cached_watch,
    .destroy = cached_destroy,
};

struct evaluator *cached_new(const struct cached_options *o, struct live_options *live,
                             struct error *e)
{
    struct cached *m = alloc_zeroed(sizeof *m, e);
    if (!m)
        return NULL;
    const struct measure_rules *rules = &live->terms.rules;
    m->base.ops = &cached_operations;
    m->o = *o;
    m->device = *live->at.device;
    m->terms = live->terms;
    m->last = &m->records;
    m->log = live->log;
    uint32_t launches = rules->fixed ? rules->fixed : (uint32_t)rules->first;
    m->policy = (struct policy){.launches = live->no_timing ? 0 : launches,
                                .batch = 1,
                                .fixed = rules->fixed > 0 && !live->no_timing,
                                .cold = live->terms.cold,
                                .build_limit_ns = live->terms.build_limit_ns};
    live->admission = (struct admission){.enter = cached_enter,
                                         .leave = cached_leave,
                                         .lock = cached_lock,
                                         .unlock = cached_unlock,
                                         .waiting = cached_waiting,
                                         .context = m};
    m->locking =
        o->lock_folder && node_open_lock(live->at.node, &m->lock, o->lock_folder, &m->device, e);
    m->lock.limit_ns = live->terms.lock_wait_ns;
    if (!o->lock_folder || m->locking)
        m->base.inner = live_new(live, e);
    if (!m->base.inner) {
        if (m->locking)
            device_lock_close(&m->lock);
        free(m);
        return NULL;
    }
    return &m->base;
}
