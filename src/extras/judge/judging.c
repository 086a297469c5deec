// The order of a judge: two sessions (screening, final), each with workers of its own: the baseline is verified at every
// point, then candidate after candidate, of which later ones are built while an earlier one is launched. One whose worker or
// device is lost by it is a verdict, and the session is opened again for the rest.
#include "extras/judge/judging_inside.h"

#include "extras/judge/judging_guard.h"
#include "stats/differ.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define AHEAD_MOST   (2 * GROUP_MOST)   // candidates that are built before their turn
#define REPEATS_MOST 3                  // rounds that fail by their times are run again so often
#define SPENT        1.6449340668482264 // pi^2 / 6
#define REOPEN_MOST  5                  // sessions in a row that end before a verdict
// The screening only says which are measured again: launches so long are not warmed up there.
#define SCREENING_COLD_NS (UINT64_C(2) * 1000000)
#define WARM_JOBS         64 // for so many there are build workers, if a stream of them comes

static const struct workflow_operations judging_operations;

// ---- identical code ----------------------------------------------------------------------------

// A line without what the compiler does not see: blanks at its ends. Comments stand in the way of no cheat, and are left.
static void add_code_line(struct digest_state *s, const char *line, size_t length)
{
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        length--;
    while (length > 0 && (*line == ' ' || *line == '\t')) {
        line++;
        length--;
    }
    bool is_comment = length >= 2 && line[0] == '/' && line[1] == '/' && line[length - 1] != '\\';
    if (length == 0 || is_comment)
        return;
    digest_add(s, line, length);
    digest_add(s, "\n", 1);
}

// Digest of the text without comment lines, and of the values.
static void code_digest(const struct candidate *c, struct digest *out)
{
    struct digest_state s;
    const char *end = c->text + c->length;
    bool plain = !strstr(c->text, "/*") && !strstr(c->text, "\\\n");
    digest_start(&s);
    for (const char *line = c->text; plain && line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        add_code_line(&s, line, (size_t)((next ? next : end) - line));
        line = next ? next + 1 : end;
    }
    if (!plain)
        digest_add(&s, c->text, c->length);
    digest_add(&s, c->values, strlen(c->values) + 1);
    digest_finish(&s, out);
}

static struct contestant *find_same(struct judging *j, const struct contestant *c)
{
    for (struct contestant *other = j->contestants; other < c; other++) {
        if (!other->primary && other == other->leader && other->record.candidate->text &&
            digest_equal(&other->code, &c->code))
            return other;
    }
    return NULL;
}

// ---- making ------------------------------------------------------------------------------------

static bool make_contestant(struct judging *j, struct contestant *c, const struct candidate *of,
                            struct error *e)
{
    struct judge_record *r = &c->record;
    *r = (struct judge_record){.candidate = of,
                               .variants = 1,
                               .evidence = "",
                               .log = "",
                               .time_count = j->timed_count,
                               .error = NAN,
                               .baseline_error = NAN};
    c->leader = c->chosen = c;
    r->times = arena_array(&j->arena, j->timed_count, sizeof *r->times);
    c->attempts = arena_array(&j->arena, j->point_count, sizeof *c->attempts);
    if (!r->times || !c->attempts)
        return error_memory(e);
    for (uint32_t i = 0; i < j->timed_count; i++)
        r->times[i].label = j->points[i].label;
    if (!of->text)
        contestant_fail(j, c, JUDGE_INVALID, NULL, "%s", of->why);
    return true;
}

// The variants of a candidate, of which c is the first. A text that was there already has none.
static bool make_variants(struct judging *j, struct contestant *c, uint32_t count, struct error *e)
{
    const struct candidate *all = c->record.candidate;
    for (uint32_t i = 0; count > 1 && i < count; i++) {
        struct candidate *own = arena_copy(&j->arena, all, sizeof *all);
        if (!own || !(own->values = candidate_values(all, i, count, &j->arena)))
            return error_memory(e);
        if (i > 0 && !make_contestant(j, c + i, own, e))
            return false;
        c[i].record.candidate = own;
        c[i].record.variants = count;
        c[i].index = c->index;
        c[i].leader = c;
    }
    c->unscreened = count;
    c->chosen = count > 1 ? NULL : c;
    for (uint32_t i = 0; i < count; i++)
        j->queue[j->queued++] = c + i;
    return true;
}

static uint32_t variants_of(const struct judging *j, size_t candidate)
{
    const struct candidate *c = j->o.candidates[candidate];
    return c->text ? candidate_variants(c, j->o.variants ? j->o.variants : JUDGE_VARIANTS) : 1;
}

static bool make_contestants(struct judging *j, struct error *e)
{
    size_t count = 0, next = 0;
    bool ok = true;
    for (size_t i = 0; i < j->o.candidate_count; i++)
        count += variants_of(j, i);
    j->contestants = arena_array(&j->arena, count, sizeof *j->contestants);
    j->records = arena_array(&j->arena, j->o.candidate_count, sizeof *j->records);
    j->queue = arena_array(&j->arena, count, sizeof *j->queue);
    j->ready = arena_array(&j->arena, count, sizeof *j->ready);
    if (!j->contestants || !j->records || !j->queue || !j->ready)
        return error_memory(e);
    for (size_t i = 0; ok && i < j->o.candidate_count; i++) {
        struct contestant *c = &j->contestants[next++];
        const struct candidate *of = j->o.candidates[i];
        ok = make_contestant(j, c, of, e);
        c->index = i;
        if (ok && c->over) {
            j->ready[j->ready_count++] = c;
            continue;
        }
        code_digest(of, &c->code);
        c->primary = ok ? find_same(j, c) : NULL;
        if (c->primary) {
            c->record.same_as = &c->primary->record;
        } else if (ok) {
            ok = make_variants(j, c, variants_of(j, i), e);
            next += variants_of(j, i) - 1;
        }
        j->contestant_count = next;
    }
    j->contestant_count = next;
    return ok;
}

static bool describe_baseline(struct judging *j)
{
    struct text words = TEXT_INIT;
    const struct attempt *a = &j->points[0].attempt;
    spec_configuration_text(a->spec, a->choice, false, &words);
    j->baseline = text_to_arena(&words, &j->arena);
    return j->baseline != NULL;
}

struct judging *judging_new(const struct judging_options *o, struct error *e)
{
    struct judging *j = workflow_new(sizeof *j, &judging_operations, e);
    if (!j)
        return NULL;
    arena_init(&j->arena);
    j->o = *o;
    j->o.setup.store = NULL;
    j->o.setup.terms.audit = true;
    j->o.setup.place_count = 0;
    j->o.setup.at.spare = NULL; // each session has workers of its own
    j->o.setup.endings = NULL;
    j->o.setup.leaving = false;
    j->tickets = o->warm ? o->warm->tickets : 0;
    j->rules = o->setup.terms.rules;
    j->seed = o->setup.seed;
    if (j->seed == 0 && getrandom(&j->seed, sizeof j->seed, 0) != (ssize_t)sizeof j->seed)
        error_set(e, ERROR_IO, "no random number for the hidden inputs");
    else if (spec_to_t1(o->setup.spec, NULL, &j->spec_text, e) && points_make(j, e) &&
             (describe_baseline(j) || error_memory(e)) && make_contestants(j, e))
        return j;
    judging_free(j);
    return NULL;
}

static void end_rounds(struct judging *j)
{
    if (j->final_ranking)
        finalists_release(j->finalists, 1 + j->racing_count);
    final_ranking_free(j->final_ranking);
    j->final_ranking = NULL;
    clock_free(j);
}

static void stop_judging(void *workflow)
{
    end_rounds(workflow);
}

static void release_judging(void *workflow)
{
    struct judging *j = workflow;
    for (size_t i = 0; j->contestants && i < j->contestant_count; i++)
        contestant_release(j, &j->contestants[i]);
    points_release(j);
    if (j->o.warm)
        j->o.warm->tickets = j->tickets;
    text_release(&j->spec_text);
    arena_release(&j->arena);
}

// ---- sessions ----------------------------------------------------------------------------------

// Intervals of the final hold together, at all sizes of all finalists.
static void set_judging_rules(struct judging *j)
{
    const struct measure_rules *given = &j->o.setup.terms.rules;
    const double batch = j->o.batch ? (double)j->o.batch : 0;
    const double share =
        batch > 0 ? batch * batch * SPENT : 1; // 1 / n^2, which sums up to pi^2 / 6
    const double tests = j->is_final ? ceil(share * (double)j->queued * j->timed_count) : 1;
    j->level = 1 - (1 - given->level) / (tests > 0 ? tests : 1);
    uint32_t rounds = differ_rounds((uint64_t)(tests > 0 ? tests : 1), given->level) + 2;
    const uint32_t least = j->is_final || judging_is_repeat(j) ? JUDGE_FINAL_ROUNDS : JUDGE_ROUNDS;
    rounds = rounds < least ? least : rounds > JUDGE_ROUNDS_MOST ? JUDGE_ROUNDS_MOST : rounds;
    j->rules = *given;
    j->rules.fixed = 0;
    j->rules.rounds = j->o.rounds ? j->o.rounds : rounds;
    j->rules.looks = 1;
    j->rules.early = 1e4;
    j->rules.precision = 0;
}

struct evaluator *judging_evaluator(const struct judging *j, uint64_t planned, bool clean,
                                    struct error *e)
{
    struct setup setup = j->o.setup;
    const struct live_options live = {
        .no_timing = true, .own_reference = true, .apart = j->o.apart};
    const struct cached_options cached = {.as.constants = ""};
    setup.at.environment = clean ? j->o.clean : setup.at.environment;
    return setup_evaluator(&setup, live, cached, planned, NULL, e);
}

static bool open_session(struct judging *j, struct error *e)
{
    struct judging_warm *warm = j->is_final ? NULL : j->o.warm;
    set_judging_rules(j);
    j->w.evaluator = warm ? warm->evaluator : NULL;
    j->is_warm = j->w.evaluator != NULL;
    if (j->is_warm)
        warm->evaluator = NULL;
    else
        j->w.evaluator = judging_evaluator(j, warm ? WARM_JOBS : j->queued + 1, false, e);
    j->is_open = false;
    j->hosted = j->is_warm ? warm->hosted : 0;
    j->guest = NULL;
    for (uint32_t i = 0; j->w.evaluator && i < j->point_count; i++) {
        struct point *p = &j->points[i];
        if (p->used && (p->timed || !j->was_open) && !baseline_submit(j, p, e))
            return false;
    }
    return j->w.evaluator != NULL;
}

static void close_session(struct judging *j)
{
    end_rounds(j);
    evaluator_free(j->w.evaluator);
    j->w.evaluator = NULL;
    for (uint32_t p = 0; p < j->point_count; p++)
        j->points[p].attempt.submitted = false;
    for (size_t i = j->current; i < j->ahead; i++) {
        struct contestant *c = j->queue[i];
        for (uint32_t p = 0; p < j->point_count; p++)
            attempt_release(&c->attempts[p]);
        c->begun = false;
    }
    j->ahead = j->group_end = j->current;
    j->racing_count = j->repeats = 0;
    j->is_stretched = false;
}

// The screening is over: its workers are left for the next batch, without a job.
static void leave_session(struct judging *j)
{
    struct judging_warm *warm = j->o.warm;
    if (!warm || !j->w.evaluator || j->is_final)
        return;
    end_rounds(j);
    for (uint32_t i = 0; i < j->point_count; i++) {
        if (j->points[i].attempt.submitted)
            evaluator_drop(j->w.evaluator, j->points[i].attempt.ticket);
    }
    warm->evaluator = j->w.evaluator;
    warm->hosted = j->hosted;
    j->w.evaluator = NULL;
}

// In a sandbox alone: there the caches are the judge's own, elsewhere those of the user.
static void empty_caches(const struct judging *j)
{
    if (j->o.sandbox)
        guard_empty_caches(j->o.setup.at.environment);
}

// Measures again what is faster so far, in workers that have seen none of it. False: there is none.
static bool start_final(struct judging *j)
{
    size_t count = 0;
    for (size_t i = 0; i < j->queued; i++) {
        if (j->queue[i]->is_finalist)
            j->queue[count++] = j->queue[i];
    }
    leave_session(j);
    close_session(j);
    j->queued = count;
    j->current = j->ahead = j->group_end = j->alone_until = j->doubted = 0;
    j->is_final = true;
    if (count > 0)
        empty_caches(j);
    return count > 0;
}

// ---- candidates --------------------------------------------------------------------------------

// The spec of the candidate, and its jobs.
static bool begin_contestant(struct judging *j, struct contestant *c, struct error *e)
{
    struct error why = ERROR_INIT;
    struct text text = TEXT_INIT;
    if (!c->spec_text) {
        bool ok = candidate_spec(c->record.candidate, text_cstr(&j->spec_text), j->spec_text.length,
                                 j->o.setup.at.device->language, &text, &why);
        c->spec_length = text.length;
        c->spec_text = ok ? text_steal(&text) : NULL;
        text_release(&text);
        if (!ok && why.code == ERROR_MEMORY)
            return error_memory(e);
        if (!ok)
            contestant_fail(j, c, JUDGE_INVALID, NULL, "%s", why.text);
    }
    return c->over || contestant_begin(j, c, e);
}

static bool begin_ahead(struct judging *j, struct error *e)
{
    const size_t end = judging_end_of_shared(j, AHEAD_MOST);
    while (j->ahead < end && (j->ahead < j->group_end || evaluator_room(j->w.evaluator) > 0)) {
        if (!begin_contestant(j, j->queue[j->ahead], e))
            return false;
        judging_note_begun(j);
    }
    return true;
}

static void end_group(struct judging *j)
{
    const bool was_repeat = judging_is_repeat(j);
    while (j->current < j->group_end)
        judging_end_first(j);
    j->doubted -= was_repeat;
    j->timing = j->clocked = j->reopened = 0;
    j->killed = NULL;
    if (j->current < j->queued && judging_is_alone(j)) {
        close_session(j);
        empty_caches(j);
    }
}

// ---- rounds ------------------------------------------------------------------------------------

// The candidates that come next. In the screening several share a baseline: it costs a launch less each. In the final each is alone.
static void form_group(struct judging *j)
{
    if (j->group_end == j->current)
        j->group_end = judging_end_of_shared(j, j->is_final ? 1 : GROUP_MOST);
}

// All of the group that are right so far race at the next point, or those of them that are to race once more at this one.
static void line_up(struct judging *j)
{
    uint32_t left = 0;
    for (uint32_t i = 0; j->repeats > 0 && i < j->racing_count; i++) {
        if (!j->racing[i]->over)
            j->racing[left++] = j->racing[i];
    }
    for (size_t i = j->current; j->repeats == 0 && i < j->group_end; i++) {
        if (!j->queue[i]->over)
            j->racing[left++] = j->queue[i];
    }
    j->racing_count = left;
}

static void next_point(struct judging *j)
{
    j->timing++;
    j->repeats = 0;
    j->is_stretched = false;
}

static void enter(struct finalist *f, const struct attempt *a)
{
    const uint64_t estimate = a->result->verify_launch_ns;
    *f = (struct finalist){.ticket = a->ticket, .estimate_ns = estimate ? estimate : 1};
}

static bool start_rounds(struct judging *j, struct error *e)
{
    enter(&j->finalists[0], &j->points[j->timing].attempt);
    for (uint32_t i = 0; i < j->racing_count; i++)
        enter(&j->finalists[1 + i], &j->racing[i]->attempts[j->timing]);
    struct measure_rules rules = j->rules;
    if (j->is_stretched)
        rules.rounds = fmin(JUDGE_STRETCH * rules.rounds, JUDGE_ROUNDS_MOST);
    const struct final_ranking_options o = {
        .evaluator = j->w.evaluator,
        .rules = &rules,
        .device = j->o.setup.at.device,
        .seeds = {.order = j->seed + j->tickets, .decision = j->seed},
        .finalists = j->finalists,
        .count = 1 + j->racing_count,
        .cold_ns = j->is_final || judging_is_repeat(j) ? 0 : SCREENING_COLD_NS,
        .late = judging_answer,
        .context = j};
    j->final_ranking = final_ranking_new(&o, e);
    return j->final_ranking != NULL;
}

// Takes the times of those that raced; of one whose failure is doubtful, and of all if the baseline's is, once more. *again: so
// many are left, which race once more.
static void take_times(struct judging *j, bool is_baseline_doubtful, uint32_t *again)
{
    const bool may_repeat = j->repeats < REPEATS_MOST;
    *again = 0;
    for (uint32_t i = 0; i < j->racing_count; i++) {
        struct contestant *c = j->racing[i];
        const struct finalist *own = &j->finalists[1 + i];
        if (is_baseline_doubtful || (may_repeat && finalist_is_doubtful(own)))
            j->racing[(*again)++] = c;
        else
            contestant_time(j, c, own);
    }
}

// Do the final's rounds say too little, as on a busy machine? Whether they do is told by how wide the interval is, not by where it lies:
// so longer rounds, of which alone the times then count, are no second chance for a kernel that is not faster.
static bool are_rounds_short(const struct judging *j)
{
    const struct finalist *own = &j->finalists[1];
    return j->is_final && !j->is_stretched && j->o.rounds == 0 && !own->failure &&
           finalist_width(j, own) > JUDGE_WIDE;
}

// The baseline was right when the session began: one of those that share its worker, or the caches, has spoilt it. With new workers
// and empty caches each is tried alone; beside whom it fails again is to blame.
static bool baseline_lost(struct judging *j, struct error *e)
{
    struct contestant *c = j->racing[0];
    const char *why = j->finalists[0].failure->message;
    const bool is_alone = j->group_end == j->current + 1;
    if (is_alone && c->losses++ > 0)
        contestant_fail(j, c, JUDGE_RUNTIME, j->points[j->timing].label,
                        "the baseline fails in the worker in which it has run: %s", why);
    else if (j->reopened >= REOPEN_MOST)
        return error_set(e, ERROR_DEVICE, "%s: the baseline failed while it was timed: %s",
                         j->o.setup.spec->path, why);
    j->reopened++;
    j->alone_until = j->group_end > j->alone_until ? j->group_end : j->alone_until;
    j->timing = j->clocked = 0;
    close_session(j);
    empty_caches(j);
    return true;
}

static enum workflow_answer step_rounds(struct judging *j, int timeout_ms, struct error *e)
{
    struct final_ranking_status status;
    uint32_t again;
    enum workflow_answer answer = final_ranking_step(j->final_ranking, timeout_ms, e);
    if (answer != WORKFLOW_END)
        return answer == WORKFLOW_BROKEN ? answer : WORKFLOW_NOTHING;
    final_ranking_status(j->final_ranking, &status);
    j->launches += status.launches;
    const bool is_doubtful = j->repeats < REPEATS_MOST && finalist_is_doubtful(&j->finalists[0]);
    if (j->finalists[0].failure && !is_doubtful)
        return baseline_lost(j, e) ? WORKFLOW_NOTHING : WORKFLOW_BROKEN;
    if (!is_doubtful && are_rounds_short(j)) {
        end_rounds(j);
        j->is_stretched = true;
        return WORKFLOW_NOTHING;
    }
    take_times(j, is_doubtful, &again);
    end_rounds(j);
    j->racing_count = again;
    bool ok = !again || baseline_again(j, j->timing, e);
    for (uint32_t i = 0; ok && i < again; i++)
        ok = contestant_again(j, j->racing[i], j->timing, e);
    j->repeats++;
    if (!again)
        next_point(j);
    return ok ? WORKFLOW_NOTHING : WORKFLOW_BROKEN;
}

// A candidate that is faster by its worker's clock, at the next point.
static enum workflow_answer step_clock(struct judging *j, struct contestant *c, int timeout_ms,
                                       struct error *e)
{
    if (!j->clock)
        return clock_start(j, c, j->clocked, e) ? WORKFLOW_NOTHING : WORKFLOW_BROKEN;
    enum workflow_answer answer = clock_step(j, c, j->clocked, timeout_ms, e);
    if (answer == WORKFLOW_END) {
        clock_free(j);
        j->clocked++;
        answer = WORKFLOW_NOTHING;
    }
    return answer;
}

// Something else is at the device: works until it is done, or for the time.
static enum workflow_answer step_answers(struct judging *j, int timeout_ms, struct error *e)
{
    struct outcome out;
    int got = evaluator_take(j->w.evaluator, timeout_ms, &out, e);
    if (got > 0)
        judging_answer(j, &out);
    return got < 0 ? WORKFLOW_BROKEN : WORKFLOW_NOTHING;
}

// All of the group are timed.
static enum workflow_answer step_decided(struct judging *j, int timeout_ms, struct error *e)
{
    struct contestant *c = j->queue[j->current];
    if (j->is_final && !c->over && !contestant_note_policies(j, c, j->timed_count - 1))
        return step_answers(j, timeout_ms, e);
    for (size_t i = j->current; i < j->group_end && j->clocked == 0 && !j->clock; i++) {
        if (!j->queue[i]->over)
            contestant_decide(j, j->queue[i]);
    }
    if (j->clocked < j->timed_count && clock_is_wanted(j, c)) { // in the final, where each is alone
        c->over = false;
        return step_clock(j, c, timeout_ms, e);
    }
    c->over = c->over || !c->is_finalist;
    end_group(j);
    return WORKFLOW_NOTHING;
}

// Are all answered, or over?
static bool is_group_answered(const struct judging *j)
{
    for (size_t i = j->current; i < j->group_end; i++) {
        if (!j->queue[i]->over && !contestant_is_answered(j, j->queue[i]))
            return false;
    }
    return true;
}

static enum workflow_answer step_group(struct judging *j, int timeout_ms, struct error *e)
{
    if (j->final_ranking)
        return step_rounds(j, timeout_ms, e);
    if (is_group_answered(j)) {
        for (size_t i = j->current; i < j->group_end && j->timing == 0; i++)
            contestant_fails(j, j->queue[i]);
        if (j->timing == j->timed_count)
            return step_decided(j, timeout_ms, e);
        line_up(j);
        if (j->racing_count > 0)
            return start_rounds(j, e) ? WORKFLOW_NOTHING : WORKFLOW_BROKEN;
        next_point(j);
        return WORKFLOW_NOTHING;
    }
    return step_answers(j, timeout_ms, e);
}

// ---- steps -------------------------------------------------------------------------------------

static bool is_baseline_answered(const struct judging *j)
{
    for (uint32_t i = 0; i < j->point_count; i++) {
        if (j->points[i].used && !j->points[i].attempt.result)
            return false;
    }
    return true;
}

// As it was when the first session began, before any candidate could spoil a cache.
static bool is_baseline_right(const struct judging *j)
{
    for (uint32_t i = 0; i < j->point_count; i++) {
        if (j->points[i].used && j->points[i].attempt.result->status != STATUS_CORRECT)
            return false;
    }
    return true;
}

static enum workflow_answer open_by_baseline(struct judging *j, int timeout_ms, struct error *e)
{
    if (is_baseline_answered(j)) {
        if (j->was_open && !is_baseline_right(j) && j->reopened < REOPEN_MOST) {
            j->reopened++;
            close_session(j);
            empty_caches(j);
            return WORKFLOW_NOTHING;
        }
        j->is_open = j->was_open = points_settle(j, e);
        return j->is_open ? WORKFLOW_NOTHING : WORKFLOW_BROKEN;
    }
    return step_answers(j, timeout_ms, e);
}

static bool is_suspect(struct judging *j, const struct contestant *c)
{
    for (uint32_t i = 0; i < j->point_count; i++) {
        const struct attempt *a = &c->attempts[i];
        if (a->submitted && !a->dropped && evaluator_suspects(j->w.evaluator, a->ticket))
            return true;
    }
    return false;
}

// The evaluator cannot go on: whoever is suspected is judged, and the others get another one.
static bool open_again(struct judging *j, struct error *e)
{
    bool found = false;
    if (!j->is_open && j->is_warm && e->code != ERROR_MEMORY && !j->w.cancelled) {
        error_clear(e); // what an earlier batch left behind
        close_session(j);
        return true;
    }
    if (!j->is_open || j->reopened >= REOPEN_MOST || e->code == ERROR_MEMORY || j->w.cancelled)
        return false;
    end_rounds(j);
    for (size_t i = j->current; i < j->ahead; i++) {
        struct contestant *c = j->queue[i];
        if (c->over || !is_suspect(j, c))
            continue;
        found = true;
        contestant_fail(j, c, JUDGE_RUNTIME, NULL, "it takes its worker or the device down: %s",
                        e->text);
    }
    if (!found)
        return false;
    error_clear(e);
    j->reopened++;
    j->timing = j->clocked = 0;
    close_session(j);
    empty_caches(j);
    return true;
}

static const void *hand_out(struct judging *j)
{
    struct contestant *c = j->ready[j->handed_out++];
    if (c->primary) {
        const struct judge_record *from = &c->primary->chosen->record;
        struct judge_record own = c->record;
        c->record = *from;
        struct candidate *its = arena_copy(&j->arena, own.candidate, sizeof *own.candidate);
        if (its)
            its->values = from->candidate->values;
        c->record.candidate = its ? its : own.candidate;
        c->record.same_as = from;
    }
    j->by_verdict[c->record.verdict]++;
    j->records[c->index] = &c->record;
    for (size_t i = 0; !c->primary && i < j->contestant_count; i++) {
        if (j->contestants[i].primary == c->leader)
            j->ready[j->ready_count++] = &j->contestants[i];
    }
    return &c->record;
}

static enum workflow_answer drain_judging(struct judging *j, int timeout_ms, struct error *e)
{
    struct outcome out;
    if (!j->w.evaluator || evaluator_idle(j->w.evaluator))
        return WORKFLOW_END;
    int got = evaluator_take(j->w.evaluator, timeout_ms, &out, e);
    if (got > 0)
        result_free(out.result);
    return got < 0 ? WORKFLOW_BROKEN : WORKFLOW_NOTHING;
}

static enum workflow_answer advance_judging(struct judging *j, int timeout_ms, struct error *e)
{
    if (j->current == j->queued && (!j->w.evaluator || j->is_open)) {
        j->over = j->is_final || !start_final(j);
        return WORKFLOW_NOTHING;
    }
    if (!j->w.evaluator)
        return open_session(j, e) ? WORKFLOW_NOTHING : WORKFLOW_BROKEN;
    if (!j->is_open)
        return open_by_baseline(j, timeout_ms, e);
    form_group(j);
    return begin_ahead(j, e) ? step_group(j, timeout_ms, e) : WORKFLOW_BROKEN;
}

static enum workflow_answer step_judging(void *workflow, int timeout_ms, const void **record,
                                         struct error *e)
{
    struct judging *j = workflow;
    const char *killed = j->o.sandbox ? guard_look(j->memory, &j->guarded_ns) : NULL;
    j->killed = killed ? killed : j->killed;
    if (j->handed_out < j->ready_count) {
        *record = hand_out(j);
        return WORKFLOW_RECORD;
    }
    if (j->w.cancelled)
        return drain_judging(j, timeout_ms, e);
    if (j->over)
        return WORKFLOW_END;
    enum workflow_answer answer = advance_judging(j, timeout_ms, e);
    return answer == WORKFLOW_BROKEN && open_again(j, e) ? WORKFLOW_NOTHING : answer;
}

static const struct workflow_operations judging_operations = {
    .step = step_judging, .stop = stop_judging, .release = release_judging};

// ---- views -------------------------------------------------------------------------------------

void judging_progress(struct judging *j, struct judging_progress *out)
{
    memset(out, 0, sizeof *out);
    workflow_progress(&j->w, j->o.candidate_count, j->handed_out, &out->common);
    out->is_final = j->is_final;
    out->finalists = j->is_final ? j->queued : 0;
    if (j->current < j->queued && j->is_open)
        out->candidate = j->queue[j->current]->record.candidate->name;
    memcpy(out->by_verdict, j->by_verdict, sizeof out->by_verdict);
    out->checks = j->checks;
    out->check_count = j->point_count;
    out->baseline = j->baseline;
    out->launches = j->launches;
    out->sandbox = j->o.sandbox ? j->o.sandbox : "";
    out->level = j->o.setup.terms.rules.level;
}

const struct judge_record *const *judging_records(const struct judging *j)
{
    return j->records;
}
