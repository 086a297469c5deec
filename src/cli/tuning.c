// A tune as the command line makes it: opens spec, device and store, makes the options of the
// workflow, and reports of what it found.
#include "cli/run_workflow.h"
#include "cli/tuning.h"

#include "cli/crash.h"
#include "workflows/peak/peak.h"
#include "cli/recording.h"
#include "os/process.h"
#include "report/advice.h"

#include <stdlib.h>

// ---- options -----------------------------------------------------------------------------------

int tuning_goal(struct work *w)
{
    struct error e = ERROR_INIT;
    struct text all = TEXT_INIT;
    const struct list *given = &w->search->objective;
    for (uint32_t i = 0; i < given->count; i++)
        text_addf(&all, "%s%s", i ? "," : "", given->items[i]);
    const char *words = text_to_arena(&all, &w->arena);
    w->options.objective = given->count ? words : NULL;
    if (words ? objective_parse(w->options.objective, w->spec, &w->goal, &e) : error_memory(&e))
        return EXIT_DONE;
    if (e.code == ERROR_USAGE)
        error_context(&e, "--objective");
    return work_failed(&e);
}

// The recorded parameters alone: no constants.
static int open_bare(struct work *w)
{
    struct error e = ERROR_INIT;
    w->loaded = handle_of_spec(replay_spec(w->recorded, &e));
    w->spec = spec_of(w->loaded);
    w->constants = "";
    w->constants_json = "{}";
    return w->spec ? EXIT_DONE : work_failed(&e);
}

// Does tuning_open()'s work with a recording as the device and, if no spec is named, with the
// recording's parameters as the spec.
static int replaying_open(struct work *w)
{
    bool has_spec = w->call->argument_count > 0;
    int status = work_environment(w);
    if (status == EXIT_DONE && has_spec)
        status = work_spec(w);
    if (status == EXIT_DONE)
        status = recording_read(w, w->replayed, NULL, &w->recorded);
    if (status == EXIT_DONE)
        status = recording_refuse_choice(w, NULL, w->recorded);
    if (status == EXIT_DONE && !has_spec)
        status = open_bare(w);
    return status;
}

int tuning_open(struct work *w)
{
    int status = w->replayed ? replaying_open(w) : work_spec(w);
    if (status == EXIT_DONE && !w->replayed)
        status = work_device(w);
    if (status == EXIT_DONE && !w->replayed)
        status = work_places(w);
    if (status == EXIT_DONE)
        status = work_reference_by(w);
    w->options = work_options(w);
    w->options.strategy = w->search->strategy;
    w->options.budget = w->search->budget;
    w->options.start_with = w->search->start_with.items;
    w->options.objective = "time";
    return status;
}

int open_kept(struct work *w)
{
    return stores_nothing(w->given) ? EXIT_DONE : work_store(w, HONE_STORE_WRITE);
}

int tuning_start(struct work *w, const uint32_t *choice)
{
    struct error e = ERROR_INIT;
    struct hone_error why = HONE_ERROR_INIT;
    bool storing = !w->options.build_only && !w->recorded;
    int status = storing ? open_kept(w) : EXIT_DONE;
    if (status != EXIT_DONE)
        return status;
    w->options.store = w->opened;
    if (storing && !choice && !stores_nothing(w->given) && !w->options.no_transfer)
        status = work_known(w, &w->known);
    if (status != EXIT_DONE)
        return status;
    w->options.known = w->known;
    w->started_ns = clock_ns();
    w->handle = choice        ? hone_run_new(&w->options, choice, &why)
                : w->recorded ? handle_replay_new(&w->options, w->recorded, &why)
                              : hone_tune_new(&w->options, &why);
    if (w->handle)
        return EXIT_DONE;
    take_error(&why, &e);
    return workflow_failed(&e);
}

// ---- peak and failures -------------------------------------------------------------------------

bool tuning_wants_peak(const struct work *w)
{
    bool wants = false;
    for (uint32_t i = 0; i < w->spec->metric_count; i++)
        wants |= peak_has_unit(w->spec->metrics[i].name);
    return wants && w->device && w->store;
}

// A store that cannot be read any more costs this line, not the results.
const struct peak *tuning_peak(struct work *w)
{
    struct error e = ERROR_INIT;
    if (!tuning_wants_peak(w))
        return NULL;
    if (!peak_find(w->store, w->device, &w->arena, &w->peak, &e)) {
        complain("what hone peak measured cannot be read: %s", e.text);
        return NULL;
    }
    return peak_is_known(&w->peak) ? &w->peak : NULL;
}

static const char *const looks[STATUS_COUNT] = {
    [STATUS_COMPILE] = "Look at KernelFile, CompilerOptions and the constants; the whole log:",
    [STATUS_RUNTIME] = "Look at the sizes of launches and buffers; more about one:",
    [STATUS_TIMEOUT] = "Look at the sizes, or give another --timeout; more about one:",
    [STATUS_CORRECTNESS] =
        ("Is the reference right? Look at the order, types, sizes and fills of the "
         "Arguments, at Verification, and where one deviates:"),
    [STATUS_CONSTRAINTS] = "Look at LocalSize and local memory; more about one:"};

void tuning_alike(const struct work *w, const struct tune_progress *p, struct text *out)
{
    const struct tune_record *r = p->alike_example;
    if (!r)
        return;
    bool is_spec = fault_is_spec(r->result->fault);
    struct text configuration = TEXT_INIT;
    work_configuration(w->spec, r->choice, &configuration);
    text_addf(out,
              "None of the first %d configurations is correct: all ended with %s, e.g. %s: %s\n",
              ALIKE_COUNT, is_spec ? "a spec error" : status_text(r->result->status),
              r->configuration, r->result->message);
    text_addf(out, "%s\n  hone run ",
              is_spec ? "Mend the spec there; more about one:" : looks[r->result->status]);
    work_same(w, out);
    text_add(out, " --config ");
    text_add_shell(out, text_cstr(&configuration));
    text_release(&configuration);
}

void tuning_tell_crash(const struct work *w, const struct tune_record *r)
{
    struct tune_view tuned;
    if (!r || !crash_has_line(r->result))
        return;
    tune_view(tune_of(w->handle), &tuned);
    crash_tell(w, r->choice, r->result, tuned.subject->verification == VERIFICATION_NONE);
}

int tuning_spec_errors(const struct tune_progress *p, const char *spec_path)
{
    if (2 * p->spec_errors <= p->common.done)
        return EXIT_DONE;
    const struct tune_record *r = p->spec_example;
    complain("%s: %llu of %llu configurations are lost to errors of the spec%s%s: %s", spec_path,
             (unsigned long long)p->spec_errors, (unsigned long long)p->common.done,
             r->configuration[0] ? ", e.g. " : "", r->configuration, r->result->message);
    return EXIT_NOTHING;
}

// ---- reports -----------------------------------------------------------------------------------

void work_run_head(struct work *w, const struct subject *subject, struct run_head *out)
{
    const struct space_share *share = &w->given->share;
    work_about(w, &w->broken, &w->about);
    *out = (struct run_head){.about = &w->about,
                             .spec = w->spec,
                             .constants = w->constants,
                             .constants_json = w->constants_json,
                             .source = subject->as.source,
                             .cartesian = space_cartesian_text(subject->space),
                             .check = {subject->verification, subject->against, NULL, false},
                             .device = w->device,
                             .part = share->part + 1,
                             .parts = share->parts,
                             .cache = w->environment.cache};
}

void tuning_frame(const struct work *w, struct record_frame *out)
{
    struct tune_view tuned;
    tune_view(tune_of(w->handle), &tuned);
    *out = (struct record_frame){
        .spec = w->spec, .device = w->device, .chosen = tuned.progress.ranked.chosen};
}

static void fill_head(struct work *w, const struct tune_view *tuned, struct run_head *head)
{
    const struct tune_progress *p = &tuned->progress;
    const struct objectives *o = &tuned->options->objectives;
    work_run_head(w, tuned->subject, head);
    head->strategy = p->strategy;
    head->strategy_description = p->strategy_description;
    head->objectives = o;
    head->by_time = objective_is_time(o, w->spec, w->device);
    head->valid = p->valid;
    head->planned = p->common.planned;
    head->build_only = w->options.build_only;
    head->recorded = w->recorded;
    head->replay = tuned->options->replay;
    head->of_spec = w->call->argument_count > 0;
    head->cost_ns = p->replayed_ns;
}

void tuning_report(struct work *w, bool ended, struct tune_report *out)
{
    struct tune_view tuned;
    tune_view(tune_of(w->handle), &tuned);
    *out = (struct tune_report){.progress = tuned.progress,
                                .records = tuned.records,
                                .record_count = tuned.count,
                                .level = tuned.options->setup.terms.rules.level,
                                .cold = w->options.cold,
                                .listing_ns = w->started_ns - w->call->started_ns};
    fill_head(w, &tuned, &out->head);
    tuning_frame(w, &out->frame);
    if (!ended)
        return;
    free(w->ranking);
    w->ranking = tune_ranking(tune_of(w->handle), &out->ranking_count);
    out->ranking = w->ranking;
    if (!w->ranking)
        out->ranking_count = 0;
    out->frame.peak = tuning_peak(w);
    tune_speedup(tune_of(w->handle), &out->speedup);
    if (!advice_of_tune(out, &w->arena)) // it can be done without
        out->advice.count = 0;
    out->wall_ns = clock_ns() - w->call->started_ns;
}

void tuning_options_of_best(const struct work *w, struct text *out)
{
    struct hone_progress p = HONE_PROGRESS_INIT;
    struct hone_program program = HONE_PROGRAM_INIT;
    hone_tune_progress(w->handle, &p);
    struct hone_job *job =
        p.best && !w->recorded ? hone_job_of_record_new(w->handle, p.best, NULL) : NULL;
    if (job && hone_job_program(job, 0, &program)) {
        size_t count = 0;
        while (program.options[count])
            count++;
        job_options_text(program.options, count, out);
    }
    hone_job_free(job);
}
