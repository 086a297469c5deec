// Tunes of the public interface, and runs of one configuration, which are tunes too: the caller's
// options in the words of the workflow, its defaults, and what the workflow borrows.
#include "lib/handle.h"

#include "model/policy.h"
#include "os/process.h"
#include "search/defaults.h"

#include <stdlib.h>

_Static_assert((int)HONE_BROKEN == (int)WORKFLOW_BROKEN && (int)HONE_END == (int)WORKFLOW_END,
               "answers");
_Static_assert((int)HONE_FETCH_PTX == (int)FETCH_PTX, "what is fetched");
_Static_assert(HONE_RETRY_ALL == STORE_RETRY_ALL, "what is tried again");

#define RUN_LAUNCHES 7 // of one configuration alone, the default

// ---- options ------------------------------------------------------------------------------------

static bool read_terms(const struct hone_tune_options *o, struct terms *out, struct error *e)
{
    bool ok = true;
    *out = (struct terms){
        .rules = measure_rules_default(),
        .build_limit_ns = o->build_limit_ns ? o->build_limit_ns : POLICY_BUILD_LIMIT_NS,
        .launch_limit_ns = o->launch_limit_ns ? o->launch_limit_ns : POLICY_LAUNCH_LIMIT_NS,
        .is_launch_given = o->launch_limit_ns != 0,
        .driver_limit_ns = o->driver_limit_ns,
        .lock_wait_ns = o->lock_wait_ns,
        .seed = o->seed,
        .cold = o->cold,
        .counters = o->counters};
    for (size_t i = 0; ok && o->rules && o->rules[i]; i++)
        ok = measure_rules_set(&out->rules, o->rules[i], e);
    out->rules.fixed = o->iterations ? o->iterations : o->spec ? spec_of(o->spec)->iterations : 0;
    out->rules.unranked |= o->unranked;
    return ok;
}

// Copies what the options point to, since the caller may free it.
static bool keep_options(struct tune_setup *s, const struct hone_tune_options *o, struct error *e)
{
    struct arena *a = &s->arena;
    struct tune_options *out = &s->options;
    const struct spec *spec = spec_of(o->spec);
    bool failed = false;
    *out = (struct tune_options){
        .setup.spec = spec,
        .setup.at.device = info_of(o->device),
        .setup.store = store_of(o->store),
        .setup.known = store_of(o->known),
        .no_transfer = o->no_transfer,
        .setup.lock_folder = copy_text(a, o->lock_folder ? o->lock_folder : "/tmp", &failed),
        .setup.log = log_bridge_init(&s->log, o->log),
        .setup.space.configurations = copy_list(a, o->configurations, &failed),
        .setup.space.configuration_count = list_length(o->configurations),
        .setup.space.where = copy_list(a, o->where, &failed),
        .setup.space.where_count = list_length(o->where),
        .setup.space.share = {o->part, o->parts},
        .start_with = copy_list(a, o->start_with, &failed),
        .start_count = list_length(o->start_with),
        .strategy = copy_text(a, o->strategy, &failed),
        .setup.seed = o->seed,
        .setup.at.jobs = o->jobs,
        .setup.fresh = o->fresh,
        .setup.retry = o->retry,
        .setup.build_only = o->build_only,
        .setup.leaving = o->leaving,
        .setup.command = copy_text(a, o->command, &failed),
        .setup.host = copy_text(a, o->host, &failed)};
    if (failed)
        return error_memory(e);
    if (!o->budget && spec)
        out->budget = defaults_budget(spec);
    return read_terms(o, &out->setup.terms, e) &&
           (!o->budget || budget_parse(o->budget, &out->budget, e));
}

// Chooses the workers; the first may be the one that listed the devices.
static bool choose_workplace(struct tune_setup *s, const struct hone_tune_options *o,
                             struct error *e)
{
    const struct hone_devices *list = ((const struct device_entry *)o->device)->list;
    if (!list) // it is assumed: where something runs, the caller has a worker
        return true;
    bool shares = list->keeps_worker && !o->worker;
    if (!shares && !workplace_init(&s->workplace, o->worker, &s->arena, e))
        return false;
    struct place *at = &s->options.setup.at;
    *at = shares ? list->workplace.at : s->workplace.at;
    at->device = info_of(o->device);
    at->jobs = o->jobs;
    s->options.setup.endings = shares && o->unawaited ? spare_endings(at->spare) : NULL;
    return true;
}

// Places on this machine use the same worker settings as the rest of the tune.
static bool borrow_places(struct tune_setup *s, const struct hone_places *from, struct error *e)
{
    struct tune_options *out = &s->options;
    struct place *places = from ? arena_array(&s->arena, from->count, sizeof *places) : NULL;
    if (from) {
        out->setup.builders = from->builders;
        out->setup.builder_count = from->builder_count;
    }
    if (!from || from->count == 0)
        return true;
    if (!places)
        return error_memory(e);
    for (uint32_t i = 0; i < from->count; i++) {
        places[i] = from->list[i];
        if (places[i].node || places[i].worker)
            continue;
        places[i].worker = out->setup.at.worker;
        places[i].environment = out->setup.at.environment;
        places[i].spare = out->setup.at.spare;
    }
    out->setup.places = places;
    out->setup.place_count = from->count;
    return true;
}

bool setup_init(struct tune_setup *s, const struct hone_tune_options *given, struct error *e)
{
    setup_release(s);
    if (given->store && given->reuse_unseen)
        store_reuse_unseen(store_of(given->store));
    return keep_options(s, given, e) && (!given->device || choose_workplace(s, given, e)) &&
           borrow_places(s, given->places, e);
}

// Chooses the strategy and the objectives.
static bool choose_search(struct tune_setup *s, const struct hone_tune_options *o, struct error *e)
{
    struct tune_options *out = &s->options;
    if (!o->strategy &&
        !defaults_strategy(out->setup.spec, out->setup.log, &s->arena, &out->strategy))
        return error_memory(e);
    return objective_parse(o->objective, out->setup.spec, &out->objectives, e);
}

// One configuration, as text in the arena of the tune; refused where it is not valid.
static bool choose_one(struct tune_setup *s, const struct hone_tune_options *o,
                       const uint32_t *configuration, struct error *e)
{
    struct tune_options *out = &s->options;
    const struct spec *spec = out->setup.spec;
    struct text text = TEXT_INIT, why = TEXT_INIT;
    const char **list = arena_array(&s->arena, 2, sizeof(*list));
    spec_configuration_text(spec, configuration, true, &text);
    if (list && !text.failed)
        list[0] = arena_strdup(&s->arena, text_cstr(&text));
    text_release(&text);
    if (!list || !list[0])
        return error_memory(e);
    struct space_options so = {.device = out->setup.at.device,
                               .configurations = list,
                               .configuration_count = 1,
                               .where = out->setup.space.where,
                               .where_count = out->setup.space.where_count};
    struct space *space = space_new(spec, &so, e);
    bool ok = space && space_count(space) == 1;
    if (space && !ok) {
        struct space_reason reason;
        space_why(space, configuration, &reason);
        space_reason_text(space, configuration, &reason, &why);
        error_set(e, ERROR_USAGE, "%s: %s is excluded: %s", spec->path, list[0], text_cstr(&why));
    }
    text_release(&why);
    space_free(space);
    out->setup.space.configurations = list;
    out->setup.space.configuration_count = 1;
    out->keep = true;
    out->setup.terms.energy = spec->uses_energy;
    out->setup.terms.rules.unranked = true; // one alone is compared with nothing
    if (!out->setup.terms.rules.fixed && o->fresh)
        out->setup.terms.rules.fixed = RUN_LAUNCHES;
    return ok;
}

// ---- tunes --------------------------------------------------------------------------------------

// The caller's judge under the internal interface.
static bool pass_judgement(void *context, const struct job *job, const void *const *data,
                           const size_t *lengths, char *why, size_t size)
{
    const struct tune_setup *s = context;
    return s->theirs(s->judge_context, job->configuration_json, data, lengths, job->buffer_count,
                     why, size);
}

static bool choose_judge(struct tune_setup *s, const struct hone_tune_options *o, struct error *e)
{
    if (!o->judge)
        return true;
    if (o->store)
        return error_set(e, ERROR_USAGE,
                         "a tune with a judge has no store: what it says is not part of what the "
                         "store knows a job by");
    s->theirs = o->judge;
    s->judge_context = o->judge_context;
    s->judge = (struct judge){pass_judgement, s};
    s->options.judge = &s->judge;
    return true;
}

static bool make_setup(struct tune_setup *s, const struct hone_tune_options *o,
                       const struct recorded *recorded, const uint32_t *one, struct error *e)
{
    struct hone_tune_options given;
    if (!take_sized(o, &given, sizeof given, "HONE_TUNE_OPTIONS_INIT", e))
        return false;
    if (!given.spec || (!given.device && !recorded))
        return error_set(e, ERROR_USAGE, "a tune needs a spec and a device");
    if (!setup_init(s, &given, e) || !choose_judge(s, &given, e))
        return false;
    if (one)
        return choose_one(s, &given, one, e);
    struct replay_options ro = {.recorded = recorded,
                                .spec = s->options.setup.spec,
                                .log = s->options.setup.log,
                                .space = s->options.setup.space};
    if (recorded && !replay_init(&s->replay, &ro, e))
        return false;
    s->options.replay = recorded ? &s->replay : NULL;
    return choose_search(s, &given, e);
}

void setup_release(struct tune_setup *s)
{
    replay_release(&s->replay);
    workplace_release(&s->workplace);
    arena_release(&s->arena);
    *s = (struct tune_setup){.theirs = NULL};
}

bool setup_tune(struct tune_setup *s, const struct hone_tune_options *o, struct error *e)
{
    return make_setup(s, o, NULL, NULL, e);
}

static struct hone_tune *start_tune(const struct hone_tune_options *o,
                                    const struct recorded *recorded, const uint32_t *one,
                                    struct hone_error *e)
{
    struct error why = ERROR_INIT;
    struct hone_tune *t = alloc_zeroed(sizeof *t, &why);
    if (t && make_setup(&t->setup, o, recorded, one, &why))
        t->tune = tune_new(&t->setup.options, &why);
    if (hand_over(&why, e))
        return t;
    hone_tune_free(t);
    return NULL;
}

struct hone_tune *hone_tune_new(const struct hone_tune_options *o, struct hone_error *e)
{
    return start_tune(o, NULL, NULL, e);
}

struct hone_tune *hone_run_new(const struct hone_tune_options *o, const uint32_t *configuration,
                               struct hone_error *e)
{
    return start_tune(o, NULL, configuration, e);
}

struct hone_tune *handle_replay_new(const struct hone_tune_options *o,
                                    const struct recorded *recorded, struct hone_error *e)
{
    return start_tune(o, recorded, NULL, e);
}

enum hone_answer hone_tune_step(struct hone_tune *t, int timeout_ms,
                                const struct hone_record **record, struct hone_error *e)
{
    struct error why = ERROR_INIT;
    const struct tune_record *found;
    enum workflow_answer answer = tune_step(t->tune, timeout_ms, &found, &why);
    *record = (const struct hone_record *)found;
    if (answer == WORKFLOW_END && t->setup.options.setup.store &&
        !store_kept(t->setup.options.setup.store, &why))
        answer = WORKFLOW_BROKEN;
    hand_over(&why, e);
    return (enum hone_answer)answer;
}

enum hone_answer hone_tune_advance(struct hone_tune *t, int timeout_ms, struct hone_error *e)
{
    uint64_t left_ns = timeout_ms > 0 ? (uint64_t)timeout_ms * 1000000 : 0;
    uint64_t end = clock_ns() + left_ns, now = 0;
    const struct hone_record *record = NULL;
    enum hone_answer answer = HONE_NOTHING;
    do {
        answer = hone_tune_step(t, (int)(left_ns / 1000000), &record, e);
        now = clock_ns();
        left_ns = now < end ? end - now : 0;
    } while (answer == HONE_RECORD && left_ns > 0);
    return answer == HONE_RECORD ? HONE_NOTHING : answer;
}

void hone_tune_cancel(struct hone_tune *t)
{
    tune_cancel(t->tune);
}

void hone_tune_free(struct hone_tune *t)
{
    if (!t)
        return;
    tune_free(t->tune);
    setup_release(&t->setup);
    text_release(&t->fetched);
    free(t);
}

void hone_tune_progress(const struct hone_tune *t, struct hone_progress *out)
{
    struct tune_progress p;
    tune_progress(t->tune, &p);
    const struct hone_progress full = {.valid = p.valid,
                                       .planned = p.common.planned,
                                       .done = p.common.done,
                                       .correct = p.by_status[STATUS_CORRECT],
                                       .reused = p.reused,
                                       .elapsed_ns = p.common.elapsed_ns,
                                       .left_ns = p.common.left_ns,
                                       .best = (const struct hone_record *)p.best,
                                       .pareto = p.pareto,
                                       .building = p.common.evaluator.building,
                                       .measuring = p.common.evaluator.measuring,
                                       .waiting = p.common.evaluator.waiting};
    give_sized(&full, sizeof full, out);
}

const struct hone_record *const *hone_tune_records(const struct hone_tune *t, size_t *count)
{
    return (const struct hone_record *const *)tune_records(t->tune, count);
}

bool hone_tune_fetch(struct hone_tune *t, const struct hone_record *r, enum hone_fetched what,
                     uint32_t index, const void **bytes, size_t *length, struct hone_error *e)
{
    struct error why = ERROR_INIT;
    text_clear(&t->fetched);
    if (tune_fetch(t->tune, record_of(r), (enum fetch)what, index, &t->fetched, &why)) {
        *bytes = text_cstr(&t->fetched);
        *length = t->fetched.length;
    }
    return hand_over(&why, e);
}
