// A check as the command line makes it: its device is a real one, an architecture or a simulator;
// its report has what the workflow found, and the command that shows a failure again.
#include "cli/run_workflow.h"
#include "cli/checking.h"

#include "cli/architecture.h"
#include "cli/checking_known.h"
#include "cli/crash.h"
#include "cli/simulator.h"
#include "cli/tuning.h"

#include <string.h>

void checking_init(struct checking *c, const struct invocation *call,
                   const struct check_settings *settings)
{
    memset(c, 0, sizeof *c);
    c->settings = settings;
    work_init(&c->work, call, &settings->given, &settings->measure);
}

void checking_release(struct checking *c)
{
    check_free(c->check);
    work_release(&c->work);
}

// ---- options -----------------------------------------------------------------------------------

// "M,N=16": the names that have one value, and the smallest to try.
static bool read_smallest(struct arena *a, const char *word, struct check_smallest *out,
                          struct error *e)
{
    char *copy = arena_strdup(a, word), *rest = NULL;
    const char **names = arena_array(a, strlen(word) + 1, sizeof *names);
    if (!copy || !names)
        return error_memory(e);
    char *equals = strchr(copy, '=');
    out->least = 1;
    if (equals) {
        *equals = '\0';
        if (!str_to_i64(equals + 1, &out->least) || out->least < 1)
            return error_set(e, ERROR_USAGE,
                             "--smallest %s: '%s' is not a whole number above 0; write NAME=LEAST",
                             word, equals + 1);
    }
    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        names[out->count++] = name;
    out->names = names;
    return out->count > 0 ||
           error_set(e, ERROR_USAGE, "--smallest %s: write NAME or NAME,NAME", word);
}

static bool fill_options(struct checking *c, struct error *e)
{
    struct work *w = &c->work;
    const struct check_settings *s = c->settings;
    bool is_assumed = s->races.is_given || s->arch;
    c->options = (struct check_options){
        .spec_options = work_spec_options(w),
        .sample = s->sample,
        .allowed = s->allow.statuses,
        .allow_unverified = s->allow.unverified || s->races.of_reference,
        .of_reference = s->races.of_reference,
        .races_log = c->races_log,
    };
    if (is_assumed && !(w->chosen = device_assumed(w->device, &w->arena)))
        return error_memory(e);
    const struct list *given = &c->settings->smallest;
    struct arena *a = &c->work.arena;
    struct check_smallest *list = arena_array(a, given->count + 1, sizeof *list);
    if (!list)
        return error_memory(e);
    for (uint32_t i = 0; i < given->count; i++) {
        if (!read_smallest(a, given->items[i], &list[i], e))
            return false;
    }
    c->options.smallest = list;
    c->options.smallest_count = given->count;
    return true;
}

// Without anything to compare with, results are neither correct nor wrong.
static int refuse_unverified(const struct checking *c)
{
    struct check_view checked;
    const struct check_settings *s = c->settings;
    check_view(c->check, &checked);
    if (checked.subject->verification != VERIFICATION_NONE || s->allow.unverified ||
        s->build_only || s->races.of_reference)
        return EXIT_DONE;
    complain("%s: NOT VERIFIED: the spec has nothing to compare results with. Give it a Reference "
             "(or mark an Output), or use --allow unverified to find only crashes and writes out "
             "of bounds, or --build-only",
             c->work.spec->path);
    return EXIT_NOTHING;
}

static int open_store(struct checking *c)
{
    const struct check_settings *s = c->settings;
    if (s->build_only || s->races.is_given) // tell nothing of what the store keeps
        return EXIT_DONE;
    return open_kept(&c->work);
}

// ---- starting ----------------------------------------------------------------------------------

static int open_device(struct checking *c)
{
    const struct check_settings *s = c->settings;
    if (s->races.is_given)
        return simulator_open(&c->work, &s->assume, SIMULATE_RACES, &c->races_log);
    if (s->arch)
        return architecture_open(&c->work, s);
    int status = work_device(&c->work);
    return status == EXIT_DONE ? work_places(&c->work) : status;
}

int checking_start(struct checking *c)
{
    struct error e = ERROR_INIT;
    struct work *w = &c->work;
    int status = work_spec(w);
    if (status == EXIT_DONE)
        status = open_device(c);
    if (status != EXIT_DONE)
        return status;
    if (!fill_options(c, &e))
        return workflow_failed(&e);
    status = work_reference_by(w);
    if (status == EXIT_DONE)
        status = open_store(c);
    if (status == EXIT_DONE && c->settings->known)
        status = checking_take_known(c);
    if (status != EXIT_DONE)
        return status;
    struct hone_tune_options options = work_options(w);
    options.store = w->opened;
    options.build_only = c->settings->build_only;
    if (c->races_log && !options.launch_limit_ns)
        options.launch_limit_ns = RACES_LAUNCH_LIMIT_NS;
    if (!setup_init(&w->setup, &options, &e))
        return workflow_failed(&e);
    struct setup *setup = &c->options.setup;
    *setup = w->setup.options.setup;
    setup->terms.audit = c->settings->audit;
    setup->fresh = setup->fresh || c->settings->audit;      // what the store knows was not audited
    if (c->settings->races.is_given || c->settings->arch) { // a device that is assumed
        setup->at.worker = w->environment.worker;
        setup->at.environment = (const char *const *)w->environment.worker_with;
        setup->place_count = setup->builder_count = 0;
    }
    c->check = check_new(&c->options, &e);
    return c->check ? refuse_unverified(c) : workflow_failed(&e);
}

// ---- reports -----------------------------------------------------------------------------------

// The command line that shows one configuration again.
static void add_command(const void *context, const struct check_record *r, struct text *out)
{
    const struct checking *c = context;
    const struct work *w = &c->work;
    const struct check_settings *s = c->settings;
    struct text configuration = TEXT_INIT;
    bool crashed = result_crashed(r->result) && crash_is_simulated(w);
    bool again = s->races.is_given || s->build_only || crashed;
    text_add(out, again ? "hone check " : "hone run ");
    work_same(w, out);
    for (const char *size = r->sizes; *size;) {
        size_t length = strcspn(size, ",");
        text_addf(out, " --set %.*s", (int)length, size);
        size += length + strspn(size + length, ", ");
    }
    work_configuration(w->spec, r->choice, &configuration);
    if (configuration.length) { // parameters of one value need not be named
        text_add(out, " --config ");
        text_add_shell(out, text_cstr(&configuration));
    }
    if (s->arch)
        text_addf(out, " --arch %s", s->arch);
    text_add(out, s->races.of_reference          ? " --races=reference"
                  : s->races.is_given || crashed ? " --races"
                  : s->build_only                ? " --build-only"
                                                 : "");
    text_add(out, crashed && s->allow.unverified ? " --allow unverified" : "");
    out->failed |= configuration.failed;
    text_release(&configuration);
}

void checking_report(struct checking *c, struct check_report *out)
{
    *out = (struct check_report){.run = &c->run,
                                 .simulated = c->races_log != NULL,
                                 .verbose = c->settings->verbose,
                                 .command = add_command,
                                 .context = c};
    check_view(c->check, &out->found);
    if (!c->run.spec) { // once: the date is that of the beginning
        const struct check_progress *p = &out->found.progress;
        work_run_head(&c->work, out->found.subject, &c->run);
        c->run.strategy = p->common.planned < p->valid ? "random" : "exhaustive";
        c->run.valid = p->valid;
        c->run.planned = p->common.planned;
        c->run.build_only = c->settings->build_only;
    }
    c->work.about.broken = c->work.broken.code ? c->work.broken.text : NULL;
}
