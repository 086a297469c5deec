// A tune as the command line makes it: opens spec, device and store, makes the options of the
// workflow, and reports of what it found.
#include "cli/run_workflow.h"
#include "cli/tuning.h"

#include "cli/crash.h"
#include "workflows/peak/peak.h"
#include "cli/nodes.h"
#include "cli/replaying.h"
#include "os/process.h"
#include "report/advice.h"

#include <stdlib.h>
#include <string.h>

void tuning_init(struct tuning *t, const struct invocation *call, const struct spec_settings *given,
                 const struct measure_settings *measure, const struct search_settings *search)
{
    static const struct search_settings nothing_said;
    memset(t, 0, sizeof *t);
    t->search = search ? search : &nothing_said;
    work_init(&t->work, call, given, measure);
}

void tuning_release(struct tuning *t)
{
    free(t->ranking);
    hone_tune_free(t->handle);
    hone_store_close(t->known);
    recorded_free(t->recorded);
    work_release(&t->work);
}

// ---- options -----------------------------------------------------------------------------------

bool goal_of(const struct list *given, const struct spec *spec, struct objectives *out,
             struct error *e)
{
    struct text all = TEXT_INIT;
    for (uint32_t i = 0; i < given->count; i++)
        text_addf(&all, "%s%s", i ? "," : "", given->items[i]);
    bool ok = !all.failed || error_memory(e);
    ok = ok && objective_parse(given->count ? text_cstr(&all) : NULL, spec, out, e);
    text_release(&all);
    if (!ok && e->code == ERROR_USAGE)
        error_context(e, "--objective");
    return ok;
}

int tuning_goal(struct tuning *t)
{
    struct error e = ERROR_INIT;
    struct text all = TEXT_INIT;
    const struct list *given = &t->search->objective;
    for (uint32_t i = 0; i < given->count; i++)
        text_addf(&all, "%s%s", i ? "," : "", given->items[i]);
    t->options.objective = given->count ? arena_strdup(&t->work.arena, text_cstr(&all)) : NULL;
    bool ok = (!all.failed && (!given->count || t->options.objective)) || error_memory(&e);
    text_release(&all);
    ok = ok && goal_of(given, t->work.spec, &t->goal, &e);
    return ok ? EXIT_DONE : work_failed(&e);
}

int tuning_open(struct tuning *t)
{
    int status = t->replayed ? replaying_open(t) : work_spec(&t->work);
    if (status == EXIT_DONE && !t->replayed)
        status = work_device(&t->work);
    if (status == EXIT_DONE && !t->replayed)
        status = work_places(&t->work);
    if (status == EXIT_DONE)
        status = work_reference_by(&t->work);
    t->options = work_options(&t->work);
    t->options.strategy = t->search->strategy;
    t->options.budget = t->search->budget;
    t->options.no_transfer = t->search->no_transfer;
    t->options.start_with = t->search->start_with.items;
    t->options.objective = "time";
    return status;
}

int open_kept(struct work *w)
{
    return w->measure->no_store ? EXIT_DONE : work_store(w, HONE_STORE_WRITE);
}

int tuning_start(struct tuning *t, const uint32_t *choice)
{
    struct error e = ERROR_INIT;
    struct hone_error why = HONE_ERROR_INIT;
    bool storing = !t->options.build_only && !t->recorded;
    int status = storing ? open_kept(&t->work) : EXIT_DONE;
    if (status != EXIT_DONE)
        return status;
    t->options.store = t->work.opened;
    if (storing && !choice && !t->work.measure->no_store && !t->options.no_transfer)
        status = work_known(&t->work, &t->known);
    if (status != EXIT_DONE)
        return status;
    t->options.known = t->known;
    t->started_ns = clock_ns();
    t->handle = choice        ? hone_run_new(&t->options, choice, &why)
                : t->recorded ? handle_replay_new(&t->options, t->recorded, &why)
                              : hone_tune_new(&t->options, &why);
    if (t->handle)
        return EXIT_DONE;
    take_error(&why, &e);
    return workflow_failed(&e);
}

// ---- peak and failures -------------------------------------------------------------------------

bool tuning_wants_peak(const struct tuning *t)
{
    const struct work *w = &t->work;
    bool wants = false;
    for (uint32_t i = 0; i < w->spec->metric_count; i++)
        wants |= peak_has_unit(w->spec->metrics[i].name);
    return wants && w->device && w->store;
}

// A store that cannot be read any more costs this line, not the results.
const struct peak *tuning_peak(struct tuning *t)
{
    struct work *w = &t->work;
    struct error e = ERROR_INIT;
    if (!tuning_wants_peak(t))
        return NULL;
    if (!peak_find(w->store, w->device, &w->arena, &t->peak, &e)) {
        complain("what hone peak measured cannot be read: %s", e.text);
        return NULL;
    }
    return peak_is_known(&t->peak) ? &t->peak : NULL;
}

static const char *const looks[STATUS_COUNT] = {
    [STATUS_COMPILE] = "Look at KernelFile, CompilerOptions and the constants; the whole log:",
    [STATUS_RUNTIME] = "Look at the sizes of launches and buffers; more about one:",
    [STATUS_TIMEOUT] = "Look at the sizes, or give another --timeout; more about one:",
    [STATUS_CORRECTNESS] =
        ("Is the reference right? Look at the order, types, sizes and fills of the "
         "Arguments, at Verification, and where one deviates:"),
    [STATUS_CONSTRAINTS] = "Look at LocalSize and local memory; more about one:"};

void tuning_alike(const struct tuning *t, const struct tune_progress *p, struct text *out)
{
    const struct tune_record *r = p->alike_example;
    if (!r)
        return;
    bool is_spec = fault_is_spec(r->result->fault);
    struct text configuration = TEXT_INIT;
    work_configuration(t->work.spec, r->choice, &configuration);
    text_addf(out,
              "None of the first %d configurations is correct: all ended with %s, e.g. %s: %s\n",
              ALIKE_COUNT, is_spec ? "a spec error" : status_text(r->result->status),
              r->configuration, r->result->message);
    text_addf(out, "%s\n  hone run ",
              is_spec ? "Mend the spec there; more about one:" : looks[r->result->status]);
    work_same(&t->work, out);
    text_add(out, " --config ");
    text_add_shell(out, text_cstr(&configuration));
    text_release(&configuration);
}

void tuning_tell_crash(const struct tuning *t, const struct tune_record *r)
{
    struct tune_view tuned;
    if (!r || !crash_has_line(r->result))
        return;
    tune_view(tune_of(t->handle), &tuned);
    crash_tell(&t->work, r->choice, r->result, tuned.subject->verification == VERIFICATION_NONE);
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

void work_run_head(struct work *w, const struct error *broken, struct report_about *about,
                   struct run_head *out)
{
    const struct space_share *share = &w->given->share;
    work_about(w, broken, about);
    *out = (struct run_head){.about = about,
                             .spec = w->spec,
                             .constants = w->constants,
                             .constants_json = w->constants_json,
                             .device = w->device,
                             .part = share->part + 1,
                             .parts = share->parts,
                             .cache = w->environment.cache};
}

void tuning_frame(const struct tuning *t, struct record_frame *out)
{
    struct tune_view tuned;
    tune_view(tune_of(t->handle), &tuned);
    *out = (struct record_frame){
        .spec = t->work.spec, .device = t->work.device, .chosen = tuned.progress.ranked.chosen};
}

static void fill_head(struct tuning *t, const struct tune_view *tuned, struct run_head *head)
{
    const struct tune_progress *p = &tuned->progress;
    const struct objectives *o = &tuned->options->objectives;
    work_run_head(&t->work, &t->broken, &t->about, head);
    head->source = tuned->subject->source;
    head->strategy = p->strategy;
    head->strategy_description = p->strategy_description;
    head->objectives = o;
    head->by_time = objective_is_time(o, t->work.spec, t->work.device);
    head->cartesian = space_cartesian_text(tuned->subject->space);
    head->valid = p->valid;
    head->planned = p->common.planned;
    head->check =
        (struct verified_by){tuned->subject->verification, tuned->subject->against, NULL, false};
    head->build_only = t->options.build_only;
    head->recorded = t->recorded;
    head->replay = tuned->options->replay;
    head->of_spec = t->work.call->argument_count > 0;
    head->cost_ns = p->replayed_ns;
}

void tuning_report(struct tuning *t, bool ended, struct tune_report *out)
{
    struct tune_view tuned;
    tune_view(tune_of(t->handle), &tuned);
    *out = (struct tune_report){.progress = tuned.progress,
                                .records = tuned.records,
                                .record_count = tuned.count,
                                .level = tuned.options->setup.terms.rules.level,
                                .cold = t->options.cold,
                                .listing_ns = t->started_ns - t->work.call->started_ns};
    fill_head(t, &tuned, &out->head);
    tuning_frame(t, &out->frame);
    if (!ended)
        return;
    free(t->ranking);
    t->ranking = tune_ranking(tune_of(t->handle), &out->ranking_count);
    out->ranking = t->ranking;
    if (!t->ranking)
        out->ranking_count = 0;
    out->frame.peak = tuning_peak(t);
    tune_speedup(tune_of(t->handle), &out->speedup);
    if (!advice_of_tune(out, &t->work.arena)) // it can be done without
        out->advice.count = 0;
    out->wall_ns = clock_ns() - t->work.call->started_ns;
}

void tuning_options_of_best(const struct tuning *t, struct text *out)
{
    struct hone_progress p = HONE_PROGRESS_INIT;
    struct hone_program program = HONE_PROGRAM_INIT;
    hone_tune_progress(t->handle, &p);
    struct hone_job *job =
        p.best && !t->recorded ? hone_job_of_record_new(t->handle, p.best, NULL) : NULL;
    if (job && hone_job_program(job, 0, &program)) {
        size_t count = 0;
        while (program.options[count])
            count++;
        job_options_text(program.options, count, out);
    }
    hone_job_free(job);
}
