#include "settle.h"

#include "base/process.h"
#include "base/text.h"
#include "measure/speedup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A share of the cores' time is counted in ticks of 10 ms: a shorter span tells nothing.
#define LOAD_SPAN_NS 100000000ull
// Rounds that follow each other within this are one span.
#define LOAD_GAP_NS 50000000ull

enum phase { PHASE_READY, PHASE_ROUNDS, PHASE_LATE, PHASE_CHECK, PHASE_OVER };

// One turn that was asked for.
struct asked {
    size_t contender;
    struct result *result; // NULL: not yet
};

struct settle {
    struct settle_options o;
    struct measure_rules rules; // in force: o.rules
    struct rounds *rounds;
    enum phase phase;
    struct asked *asked; // of the present round, in order; one more than there are contenders
    size_t asked_count, answered;
    uint64_t *times;                  // of the round
    struct machine_look anchor, last; // of the span whose load is counted
    bool by_host;                     // the host's clock times the launches
    double load;                      // of the last such span; -1: not known
    struct settle_status status;
    uint64_t started_ns, round_started_ns, round_ns;
    size_t partner;       // of the late one: the winner before it was launched
    uint32_t late_rounds; // how many it has
};

// ---- making ------------------------------------------------------------------------------------

static uint32_t batch_of(const struct settle_options *o)
{
    uint64_t fastest = o->contenders[0].estimate_ns;
    for (size_t i = 1; i < o->count; i++)
        fastest = o->contenders[i].estimate_ns < fastest ? o->contenders[i].estimate_ns : fastest;
    return measure_batch(o->rules, fastest, o->device->timer_ns);
}

struct measure_rules settle_rules(const struct measure_rules *rules, bool is_short)
{
    struct measure_rules r = *rules;
    if (is_short) {
        r.rounds = rounds_at_look(rules, 1);
        r.looks = 1;
    }
    return r;
}

static struct rounds *rounds_of(const struct settle_contender *c, size_t count,
                                const struct measure_rules *rules, struct rounds_seeds seeds,
                                uint64_t resolution_ns)
{
    uint64_t *screening = calloc(count + 1, sizeof *screening);
    for (size_t i = 0; screening && i < count; i++)
        screening[i] = c[i].estimate_ns;
    struct rounds *r = screening ? rounds_new(rules, screening, count, seeds, resolution_ns) : NULL;
    free(screening);
    return r;
}

struct settle *settle_new(const struct settle_options *o, struct error *e)
{
    struct settle *s = calloc(1, sizeof *s);
    if (!s) {
        error_memory(e);
        return NULL;
    }
    s->o = *o;
    s->rules = settle_rules(o->rules, o->is_short);
    s->o.rules = &s->rules;
    s->load = -1;
    s->started_ns = clock_ns();
    s->status = (struct settle_status){.contenders = (uint32_t)o->count,
                                       .in = (uint32_t)o->count,
                                       .batch = batch_of(o),
                                       .warmups = 1};
    s->rounds = rounds_of(o->contenders, o->count, &s->rules, o->seeds,
                          o->device->timer_ns / s->status.batch);
    s->asked = calloc(o->count + 2, sizeof *s->asked);
    s->times = calloc(o->count + 1, sizeof *s->times);
    for (size_t i = 0; i < o->count + o->has_late; i++) {
        o->contenders[i].batch = s->status.batch;
        o->contenders[i].warmups = s->status.warmups;
    }
    if (s->rounds && s->asked && s->times)
        return s;
    settle_free(s);
    error_memory(e);
    return NULL;
}

static void forget_turns(struct settle *s)
{
    for (size_t i = 0; s->asked && i < s->asked_count; i++) {
        result_free(s->asked[i].result);
        s->asked[i].result = NULL;
    }
    s->asked_count = s->answered = 0;
}

void settle_free(struct settle *s)
{
    if (!s)
        return;
    if (s->phase == PHASE_ROUNDS || s->phase == PHASE_LATE)
        evaluator_hold(s->o.evaluator, false);
    forget_turns(s);
    rounds_free(s->rounds);
    free(s->asked);
    free(s->times);
    free(s);
}

bool settle_give(const struct settle_contender *c, enum stop_reason stop, struct result *r)
{
    size_t rows = c->count, parts = rows * c->columns;
    r->samples_ns = arena_copy(&r->arena, c->samples, rows * sizeof *c->samples);
    r->sample_count = c->count;
    r->part_columns = c->columns;
    r->part_count = (uint32_t)parts;
    r->parts_ns = parts ? arena_copy(&r->arena, c->parts, parts * sizeof *c->parts) : NULL;
    r->warm = c->warm;
    r->look = c->look;
    r->gpu = c->gpu;
    r->stop = stop;
    r->first_round = c->first_round;
    r->timer_fault = arena_strdup(&r->arena, c->timer_fault);
    r->batch = c->batch ? c->batch : r->batch;
    return r->timer_fault && r->samples_ns && (r->parts_ns || !parts);
}

void settle_contenders_release(struct settle_contender *c, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(c[i].samples);
        free(c[i].parts);
        result_free(c[i].failure);
        result_free(c[i].checked);
        c[i].samples = c[i].parts = NULL;
        c[i].failure = c[i].checked = NULL;
    }
}

// ---- turns -------------------------------------------------------------------------------------

static bool ask(struct settle *s, size_t contender, const struct turn *turn, struct error *e)
{
    s->asked[s->asked_count++].contender = contender;
    return evaluator_again(s->o.evaluator, s->o.contenders[contender].ticket, turn, e);
}

// A contender that failed has no more turns.
static void give_up(struct settle *s, size_t contender, struct result **failure)
{
    struct settle_contender *c = &s->o.contenders[contender];
    if (c->failure)
        return;
    c->failure = *failure;
    *failure = NULL;
    if (contender < s->o.count)
        rounds_drop(s->rounds, contender);
}

// The turn that an outcome answers: those of one contender are answered in order.
static struct asked *asked_of(struct settle *s, uint64_t ticket)
{
    for (size_t i = 0; i < s->asked_count; i++) {
        struct asked *a = &s->asked[i];
        if (!a->result && s->o.contenders[a->contender].ticket == ticket)
            return a;
    }
    return NULL;
}

static void count_launches(struct settle *s, size_t contender, const struct result *r)
{
    bool in_turn = s->phase == PHASE_ROUNDS || s->phase == PHASE_LATE;
    const struct settle_contender *c = &s->o.contenders[contender];
    uint64_t each = in_turn ? c->warmups + c->batch : 1;
    s->status.launches += (r->verify_launch_ns > 0) + each * r->sample_count + r->energy.launches;
    s->status.kernel_ns += r->verify_launch_ns + r->energy.span_ns;
    for (uint32_t i = 0; i < r->sample_count; i++)
        s->status.kernel_ns += each * r->samples_ns[i];
}

// Of the search, or of what comes after this.
static void give_late(struct settle *s, struct outcome *out)
{
    if (s->o.late)
        s->o.late(s->o.context, out);
    else
        result_free(out->result);
}

// 1 when all are answered, 0 when the time was up before, -1 when nothing can go on.
static int wait_for_turns(struct settle *s, uint64_t until, struct error *e)
{
    while (s->answered < s->asked_count) {
        uint64_t now = clock_ns();
        struct outcome out;
        int timeout = now < until ? (int)((until - now) / 1000000) + 1 : 0;
        int got = evaluator_take(s->o.evaluator, timeout, &out, e);
        if (got <= 0)
            return got;
        struct asked *a = asked_of(s, out.ticket);
        if (!a) {
            give_late(s, &out);
            continue;
        }
        a->result = out.result;
        s->answered++;
        count_launches(s, a->contender, out.result);
    }
    return 1;
}

// ---- getting ready, and the last check ---------------------------------------------------------

// All but the late one, of which a launch is long: where it is not loaded its first turn sees to
// that, and to its being verified.
static bool ask_all(struct settle *s, const struct turn *turn, struct error *e)
{
    bool ok = true;
    forget_turns(s);
    for (size_t i = 0; ok && i < s->o.count; i++)
        ok = s->o.contenders[i].failure || ask(s, i, turn, e);
    return ok;
}

static void drop_failed(struct settle *s)
{
    for (size_t i = 0; i < s->asked_count; i++) {
        struct asked *a = &s->asked[i];
        if (a->result->status != STATUS_CORRECT)
            give_up(s, a->contender, &a->result);
    }
}

// ---- a round -----------------------------------------------------------------------------------

static bool start_round(struct settle *s, struct error *e)
{
    size_t count;
    const size_t *order = rounds_next(s->rounds, &count);
    struct turn turn = {
        .warmups = s->status.warmups, .launches = 1, .batch = s->status.batch, .compare = false};
    bool ok = true;
    forget_turns(s);
    s->round_started_ns = clock_ns();
    s->status.round = s->status.rounds + 1;
    s->status.in = count ? (uint32_t)count - 1 : 0;
    evaluator_hold(s->o.evaluator, true);
    for (size_t i = 0; ok && i < count; i++)
        ok = ask(s, order[i], &turn, e);
    return ok;
}

static void see_clock(struct settle *s, const struct machine_look *look)
{
    struct settle_status *st = &s->status;
    if (!look->mhz)
        return;
    st->mhz_least = st->mhz_least && st->mhz_least < look->mhz ? st->mhz_least : look->mhz;
    st->mhz_most = st->mhz_most > look->mhz ? st->mhz_most : look->mhz;
}

static bool shares_cores(const struct device_info *d)
{
    return d->type == DEVICE_CPU || d->shares_host;
}

// The share of the cores that others used: in the span that ends with this round or, while that is
// too short to tell, in the span before. -1: not known, or it does not matter.
static double load_of_round(struct settle *s)
{
    const struct machine_look *first = NULL, *last = NULL;
    for (size_t i = 0; i < s->asked_count; i++) {
        const struct machine_look *look = &s->asked[i].result->look;
        see_clock(s, look);
        if (!look->cores)
            continue;
        first = first ? first : look;
        last = look;
    }
    if (!last || !shares_cores(s->o.device))
        return -1;
    if (!s->anchor.cores || first->at_ns > s->last.at_ns + LOAD_GAP_NS) {
        s->anchor = *first;
        s->load = -1;
    }
    s->last = *last;
    if (last->at_ns < s->anchor.at_ns + LOAD_SPAN_NS)
        return s->load;
    double span = (double)(last->at_ns - s->anchor.at_ns) * last->cores;
    s->load = (double)(last->other_cpu_ns - s->anchor.other_cpu_ns) / span;
    s->anchor = *last;
    return s->load;
}

static bool append(uint64_t **list, size_t count, const uint64_t *more, size_t more_count)
{
    uint64_t *grown = realloc(*list, (count + more_count) * sizeof *grown);
    if (!grown)
        return false;
    memcpy(grown + count, more, more_count * sizeof *grown);
    *list = grown;
    return true;
}

// What a turn found is the contender's.
static bool keep_turn(struct settle_contender *c, const struct result *r)
{
    if (c->failure || r->sample_count != 1)
        return true;
    if (!append(&c->samples, c->count, r->samples_ns, 1))
        return false;
    if (r->batch > 0)
        c->batch = r->batch;
    if (c->count == 0) {
        c->columns = r->part_columns;
        c->warm = r->warm;
    }
    if (c->columns != r->part_columns)
        c->columns = 0; // parts are there for all samples or for none
    if (c->columns && !append(&c->parts, (size_t)c->count * c->columns, r->parts_ns, c->columns))
        return false;
    c->warm = c->warm && r->warm;
    str_format(c->timer_fault, sizeof c->timer_fault, "%s",
               result_by_host(r) ? r->timer_fault : "");
    c->look = r->look;
    gpu_look_join(&c->gpu, &r->gpu);
    c->count++;
    return true;
}

static void count_verdict(struct settle_status *st, enum rounds_verdict verdict, bool is_load)
{
    if (verdict == ROUNDS_KEPT || verdict == ROUNDS_BROKEN)
        return;
    st->repeated += verdict == ROUNDS_REPEATED;
    st->marked += verdict == ROUNDS_MARKED;
    st->by_load += is_load;
    st->by_clock += !is_load;
}

// The rounds so far were timed by a clock that was then found wrong: what they told is forgotten.
static bool start_over(struct settle *s)
{
    for (size_t i = 0; i < s->o.count; i++)
        s->o.contenders[i].count = 0;
    struct rounds *fresh = rounds_of(s->o.contenders, s->o.count, s->o.rules, s->o.seeds,
                                     s->o.device->timer_ns / s->status.batch);
    if (!fresh)
        return false;
    rounds_free(s->rounds);
    s->rounds = fresh;
    s->status.rounds = s->status.repeated = s->status.marked = 0;
    return true;
}

// Of this round; a first one that is the host's from its start counts.
static bool clock_changed(struct settle *s)
{
    size_t by_host = 0;
    for (size_t i = 0; i < s->asked_count; i++)
        by_host += result_by_host(s->asked[i].result);
    bool changed = by_host > 0 && !s->by_host && (s->status.rounds > 0 || by_host < s->asked_count);
    s->by_host = s->by_host || by_host > 0;
    return changed;
}

// All turns are answered: does the round count? The first turn is the reference's extra one.
static bool end_round(struct settle *s)
{
    double load = load_of_round(s);
    bool ok = true;
    evaluator_hold(s->o.evaluator, false);
    s->round_ns = clock_ns() - s->round_started_ns;
    for (size_t i = 0; i < s->asked_count; i++) {
        const struct result *r = s->asked[i].result;
        s->times[i] = r->status == STATUS_CORRECT && r->sample_count ? r->samples_ns[0] : 0;
    }
    bool anew = clock_changed(s);
    drop_failed(s);
    if (anew)
        return start_over(s);
    enum rounds_verdict verdict = rounds_tell(s->rounds, s->times, load);
    count_verdict(&s->status, verdict, load > s->o.rules->load);
    if (verdict == ROUNDS_REPEATED)
        return true;
    for (size_t i = 1; ok && i < s->asked_count; i++) {
        const struct asked *a = &s->asked[i];
        ok = !a->result || keep_turn(&s->o.contenders[a->contender], a->result);
    }
    s->status.rounds = rounds_account(s->rounds).kept;
    return ok && verdict != ROUNDS_BROKEN;
}

// ---- the whole ---------------------------------------------------------------------------------

// How many rounds there may be.
static uint32_t rounds_limit(const struct measure_rules *rules, size_t contenders, bool is_short)
{
    uint32_t limit = is_short ? rounds_at_look(rules, 1) : (uint32_t)rules->rounds;
    if (contenders == 1 && limit > SETTLE_ROUNDS_ALONE)
        limit = SETTLE_ROUNDS_ALONE;
    return limit < 1 ? 1 : limit;
}

static uint32_t most_rounds(const struct settle *s)
{
    return rounds_limit(s->o.rules, s->o.count, s->o.is_short);
}

static bool rounds_over(const struct settle *s)
{
    return s->status.rounds >= most_rounds(s) || rounds_done(s->rounds);
}

// ---- the late one ------------------------------------------------------------------------------

// As many rounds of the late one as the ranking's time allows; 0: too few for an interval.
static uint32_t late_rounds(const struct settle *s)
{
    const struct settle_contender *late = &s->o.contenders[s->o.count];
    double share = (double)s->status.kernel_ns * SETTLE_LATE_SHARE / (1 - SETTLE_LATE_SHARE);
    double each = (double)late->estimate_ns * (late->warmups + late->batch);
    double rounds = fmin(fmax(share, SETTLE_LATE_NS) / fmax(each, 1), SETTLE_LATE_ROUNDS);
    return rounds < SPEEDUP_ROUNDS ? 0 : (uint32_t)rounds;
}

// Who would be the winner now is its partner.
static bool plan_late(struct settle *s)
{
    struct ranking_entry *entries = calloc(s->o.count, sizeof *entries);
    struct settle_contender *late = &s->o.contenders[s->o.count];
    late->batch = measure_batch(s->o.rules, late->estimate_ns, s->o.device->timer_ns);
    late->warmups = late->estimate_ns < SETTLE_LATE_COLD_NS ? s->status.warmups : 0;
    s->late_rounds = late_rounds(s);
    bool ok = entries && rounds_rank(s->rounds, entries, &s->partner);
    if (ok)
        late->first_round = s->o.contenders[s->partner].count;
    free(entries);
    return ok;
}

static bool is_late_over(const struct settle *s)
{
    const struct settle_contender *c = s->o.contenders;
    return c[s->o.count].count >= s->late_rounds || c[s->o.count].failure || c[s->partner].failure;
}

// Both in turn, the first one second in the next round.
static bool start_late_round(struct settle *s, struct error *e)
{
    size_t late = s->o.count, first = s->o.contenders[late].count % 2 ? late : s->partner;
    bool ok = true;
    forget_turns(s);
    evaluator_hold(s->o.evaluator, true);
    for (int i = 0; ok && i < 2; i++) {
        size_t contender = i == 0 ? first : late + s->partner - first;
        struct turn turn = {.warmups = s->o.contenders[contender].warmups,
                            .launches = 1,
                            .batch = s->o.contenders[contender].batch,
                            .compare = false};
        ok = ask(s, contender, &turn, e);
    }
    return ok;
}

// A round counts where both have a sample.
static bool end_late_round(struct settle *s)
{
    bool ok = true, is_whole = true;
    evaluator_hold(s->o.evaluator, false);
    for (size_t i = 0; i < s->asked_count; i++) {
        const struct result *r = s->asked[i].result;
        is_whole = is_whole && r->status == STATUS_CORRECT && r->sample_count == 1;
    }
    drop_failed(s);
    for (size_t i = 0; ok && is_whole && i < s->asked_count; i++)
        ok = keep_turn(&s->o.contenders[s->asked[i].contender], s->asked[i].result);
    s->late_rounds = is_whole ? s->late_rounds : s->o.contenders[s->o.count].count;
    return ok;
}

// The place of the late one, from its rounds with a contender that has a place. `behind`: how many
// stand before it.
static void place_late(struct settle_contender *late, const struct settle_contender *partner,
                       size_t behind, const struct measure_rules *rules, uint64_t resolution_ns)
{
    struct stats_ratio pair;
    struct stats_summary own;
    late->placed = late->count > 0 && !late->failure && partner->placed &&
                   partner->count >= late->first_round + late->count;
    if (!late->placed)
        return;
    speedup_paired(late->samples, partner->samples + late->first_round, late->count, rules->level,
                   resolution_ns, &pair);
    stats_summarise(late->samples, late->count, resolution_ns, &own);
    double ratio = partner->entry.ratio;
    late->entry = (struct ranking_entry){.median = own.median,
                                         .low = own.low,
                                         .high = own.high,
                                         .interval = own.interval,
                                         .ratio = pair.ratio * ratio,
                                         .ratio_low = pair.low * ratio,
                                         .ratio_high = pair.high * ratio,
                                         .ratio_interval = pair.interval,
                                         .place = behind,
                                         .tied = pair.low * ratio <= rules->alike};
}

static bool decide(struct settle *s, struct error *e)
{
    size_t left = 0;
    struct settle_contender *c = s->o.contenders;
    struct ranking_entry *entries = calloc(s->o.count, sizeof *entries);
    for (size_t i = 0; i < s->o.count; i++)
        left += !c[i].failure;
    if (entries && left > 0)
        s->status.decided = rounds_rank(s->rounds, entries, &s->status.winner);
    for (size_t i = 0; entries && s->status.decided && i < s->o.count; i++) {
        c[i].placed = !c[i].failure;
        c[i].entry = entries[i];
    }
    if (s->status.decided && s->o.has_late)
        place_late(&c[s->o.count], &c[s->partner], left, s->o.rules,
                   s->o.device->timer_ns / s->status.batch);
    bool ok = entries && (left == 0 || s->status.decided);
    free(entries);
    return ok || error_memory(e);
}

static bool start_check(struct settle *s, struct error *e)
{
    struct turn turn = {
        .warmups = 0, .launches = 1, .batch = 1, .compare = true, .energy = s->o.energy};
    s->phase = PHASE_CHECK;
    s->status.checking = true;
    return ask_all(s, &turn, e);
}

// What the last launches of those that are left told beside "right".
static void keep_checked(struct settle *s)
{
    for (size_t i = 0; i < s->asked_count; i++) {
        struct asked *a = &s->asked[i];
        if (!a->result || a->result->status != STATUS_CORRECT)
            continue;
        s->o.contenders[a->contender].checked = a->result;
        a->result = NULL;
    }
}

static bool next_late_round(struct settle *s, struct error *e)
{
    return is_late_over(s) ? start_check(s, e) : start_late_round(s, e);
}

static bool start_late(struct settle *s, struct error *e)
{
    size_t left = 0;
    for (size_t i = 0; i < s->o.count; i++)
        left += !s->o.contenders[i].failure;
    if (!s->o.has_late || s->o.contenders[s->o.count].failure || left == 0)
        return start_check(s, e);
    s->phase = PHASE_LATE;
    return plan_late(s) ? next_late_round(s, e) : error_memory(e);
}

static bool next_round(struct settle *s, struct error *e)
{
    s->phase = PHASE_ROUNDS;
    return rounds_over(s) ? start_late(s, e) : start_round(s, e);
}

// What follows when all turns that were asked for are answered.
static bool advance(struct settle *s, struct error *e)
{
    static const struct turn ready = {.warmups = 0, .launches = 0, .batch = 1, .compare = false};
    if (s->phase == PHASE_READY && s->asked_count == 0)
        return ask_all(s, &ready, e);
    if (s->phase == PHASE_READY) {
        drop_failed(s);
        return next_round(s, e);
    }
    if (s->phase == PHASE_ROUNDS)
        return end_round(s) ? next_round(s, e) : error_memory(e);
    if (s->phase == PHASE_LATE)
        return end_late_round(s) ? next_late_round(s, e) : error_memory(e);
    drop_failed(s);
    keep_checked(s);
    s->phase = PHASE_OVER;
    return decide(s, e);
}

enum settle_answer settle_step(struct settle *s, int timeout_ms, struct error *e)
{
    uint64_t until = clock_ns() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * 1000000;
    do {
        int got = wait_for_turns(s, until, e);
        if (got < 0)
            return SETTLE_BROKEN;
        if (got == 0)
            return SETTLE_NOTHING;
        if (!advance(s, e))
            return SETTLE_BROKEN;
    } while (s->phase != PHASE_OVER && clock_ns() < until);
    return s->phase == PHASE_OVER ? SETTLE_END : SETTLE_NOTHING;
}

void settle_status(const struct settle *s, struct settle_status *out)
{
    *out = s->status;
    out->most = most_rounds(s);
    out->elapsed_ns = clock_ns() - s->started_ns;
    out->left_ns = s->round_ns * (out->most > out->rounds ? out->most - out->rounds : 0);
}

// ---- once more ---------------------------------------------------------------------------------

uint64_t settle_seed(const uint8_t id[16])
{
    uint64_t seed = 0;
    for (int i = 7; i >= 0; i--)
        seed = seed << 8 | id[i];
    return seed;
}

// The round's samples in the order that is asked for; false where one has none. The reference's
// extra turn comes first: it may have left as a contender.
static bool times_of_round(const struct settle_contender *c, const size_t *order, size_t count,
                           uint32_t round, uint64_t *times)
{
    if (count == 0)
        return false;
    times[0] = c[order[0]].estimate_ns;
    for (size_t i = 1; i < count; i++) {
        if (c[order[i]].count <= round)
            return false;
        times[i] = c[order[i]].samples[round];
    }
    return true;
}

// Plays the rounds through the same machine. The reference's extra launches were not kept; they
// only tell disturbed rounds, and those that count are kept whatever they were.
static bool replay(struct rounds *r, const struct settle_contender *c, size_t count,
                   uint32_t rounds, uint64_t *times)
{
    for (uint32_t round = 0; round < rounds; round++) {
        size_t turns;
        const size_t *order = rounds_next(r, &turns);
        if (turns > count + 1 || !times_of_round(c, order, turns, round, times))
            return false;
        enum rounds_verdict verdict = rounds_tell(r, times, -1);
        if (verdict != ROUNDS_KEPT && verdict != ROUNDS_MARKED)
            return false;
    }
    return true;
}

static bool decide_at_once(struct settle_contender *c, size_t count,
                           const struct measure_rules *rules, uint64_t seed, uint64_t resolution_ns,
                           struct ranking_entry *entries, size_t *winner)
{
    const uint64_t **times = calloc(count, sizeof(*times));
    uint32_t *counts = calloc(count, sizeof *counts);
    struct ranking_terms terms = {
        .level = rules->level, .looks = 1, .seed = seed, .resolution_ns = resolution_ns};
    struct ranking_times all = {times, counts, count};
    for (size_t i = 0; times && counts && i < count; i++) {
        times[i] = c[i].samples;
        counts[i] = c[i].count;
    }
    bool ok = times && counts && ranking_decide(&all, &terms, entries, winner);
    free(times);
    free(counts);
    return ok;
}

// Those that were launched in turn from the first round on.
static bool decide_regular(struct settle_contender *contenders, size_t count,
                           const struct measure_rules *rules, uint64_t seed, uint64_t resolution_ns,
                           bool is_short, size_t *winner, bool *whole)
{
    struct rounds *r =
        rounds_of(contenders, count, rules, (struct rounds_seeds){.decision = seed}, resolution_ns);
    struct ranking_entry *entries = calloc(count, sizeof *entries);
    uint64_t *times = calloc(count + 1, sizeof *times);
    uint32_t rounds = settle_rounds(contenders, count);
    bool ok = r && entries && times;
    bool fits = ok && replay(r, contenders, count, rounds, times);
    if (whole)
        *whole = fits && (rounds >= rounds_limit(rules, count, is_short) || rounds_done(r));
    if (ok && !(fits && rounds_rank(r, entries, winner)))
        ok = decide_at_once(contenders, count, rules, seed, resolution_ns, entries, winner);
    for (size_t i = 0; ok && i < count; i++) {
        contenders[i].placed = true;
        contenders[i].entry = entries[i];
    }
    rounds_free(r);
    free(entries);
    free(times);
    return ok;
}

uint32_t settle_rounds(const struct settle_contender *contenders, size_t count)
{
    uint32_t rounds = 0, most = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        if (contenders[i].first_round > 0)
            most = contenders[i].first_round;
        else if (contenders[i].count > rounds)
            rounds = contenders[i].count;
    }
    return rounds < most ? rounds : most;
}

// Copies of all but the late one, without the rounds that the winner had with that; `at` says where
// they stand. Returns how many they are; *late is where that stands, `count` without one.
static size_t take_regular(const struct settle_contender *contenders, size_t count,
                           struct settle_contender *out, size_t *at, size_t *late)
{
    uint32_t rounds = settle_rounds(contenders, count);
    size_t regular = 0;
    *late = count;
    for (size_t i = 0; i < count; i++) {
        if (contenders[i].first_round > 0) {
            *late = i;
            continue;
        }
        at[regular] = i;
        out[regular] = contenders[i];
        out[regular].count = out[regular].count < rounds ? out[regular].count : rounds;
        regular++;
    }
    return regular;
}

static void place_late_again(struct settle_contender *contenders, size_t count, size_t late,
                             size_t regular, const struct measure_rules *rules,
                             uint64_t resolution_ns)
{
    struct settle_contender *l = &contenders[late];
    l->placed = false;
    for (size_t i = 0; i < count; i++) {
        if (i != late && contenders[i].count > l->first_round)
            place_late(l, &contenders[i], regular, rules, resolution_ns);
    }
}

bool settle_again(struct settle_contender *contenders, size_t count,
                  const struct measure_rules *rules, uint64_t seed, uint64_t resolution_ns,
                  bool is_short, size_t *winner, bool *whole)
{
    size_t late, first = 0;
    struct settle_contender *regular = calloc(count + 1, sizeof *regular);
    size_t *at = calloc(count + 1, sizeof *at);
    size_t n = regular && at ? take_regular(contenders, count, regular, at, &late) : 0;
    bool ok =
        n > 0 && decide_regular(regular, n, rules, seed, resolution_ns, is_short, &first, whole);
    for (size_t i = 0; ok && i < n; i++) {
        contenders[at[i]].placed = regular[i].placed;
        contenders[at[i]].entry = regular[i].entry;
    }
    if (ok && late < count)
        place_late_again(contenders, count, late, n, rules, resolution_ns);
    if (ok)
        *winner = at[first];
    free(regular);
    free(at);
    return ok;
}
