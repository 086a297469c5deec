// Counts instructions in Oclgrind: a check of the one configuration, whose worker runs inside the simulator.
#include "cli/simulated_counters.h"

#include "cli/run_workflow.h"
#include "cli/simulator.h"
#include "workflows/check/checks.h"
#include "workflows/check/instructions.h"

#include <math.h>

// A simulator is ten thousand times slower than a device: larger sizes are refused and not waited for.
#define SIMULATED_LIMIT_NS (60ull * 1000000000)

struct simulated {
    struct work work;
    struct check *check;
    struct arena *arena;
    struct counters *out;
    struct error refused;
};

static bool take_simulated(void *context, const void *found)
{
    struct simulated *s = context;
    const struct result *r = ((const struct check_record *)found)->result;
    if (r->status == STATUS_TIMEOUT)
        error_set(&s->refused, ERROR_DEVICE,
                  "in the simulator the launch takes more than %.0f s: a smaller size (--set) can "
                  "be counted",
                  (double)SIMULATED_LIMIT_NS / 1e9);
    else if (r->status == STATUS_CORRECT || r->status == STATUS_CORRECTNESS)
        instructions_read(r->output, s->out, &s->refused);
    else
        error_set(&s->refused, ERROR_DEVICE, "in the simulator: %s: %s", result_word(r),
                  r->message);
    return true;
}

static bool begin_simulated(struct simulated *s, const char *configuration, const char *log,
                            struct error *e)
{
    struct work *w = &s->work;
    const char *const list[] = {configuration, NULL};
    w->chosen = device_assumed(w->device, &w->arena);
    if (!w->chosen)
        return error_memory(e);
    struct hone_tune_options options = work_options(w);
    options.configurations = list;
    options.launch_limit_ns = SIMULATED_LIMIT_NS;
    options.counters = false;
    if (!setup_init(&w->setup, &options, e))
        return false;
    struct check_options o = {.setup = w->setup.options.setup,
                              .spec_options = work_spec_options(w),
                              .allow_unverified = true,
                              .races_log = log};
    o.setup.at.worker = w->environment.worker;
    o.setup.at.environment = (const char *const *)w->environment.worker_with;
    o.setup.place_count = o.setup.builder_count = 0;
    o.setup.fresh = true;
    s->check = check_new(&o, e);
    return s->check != NULL;
}

int simulated_counters(const struct invocation *call, const struct spec_settings *given,
                       const struct measure_settings *measure, const char *configuration,
                       struct arena *a, struct counters *out)
{
    const char *log;
    struct error e = ERROR_INIT;
    struct simulated s = {.arena = a, .out = out, .refused = ERROR_INIT};
    work_init(&s.work, call, given, measure);
    int status = work_spec(&s.work);
    bool is_open = status == EXIT_DONE &&
                   simulator_open(&s.work, &(struct list){0}, SIMULATE_COUNTS, &log) == EXIT_DONE;
    if (status == EXIT_DONE && !is_open) { // it has said why
        work_release(&s.work);
        return EXIT_DONE;
    }
    if (status == EXIT_DONE && begin_simulated(&s, configuration, log, &e)) {
        struct running running = {.workflow = check_workflow(s.check),
                                  .work = &s.work,
                                  .context = &s,
                                  .record = take_simulated,
                                  .silent = true};
        workflow_run(&running);
        status = workflow_status(&s.work.broken, workflow_failed, true);
    } else if (status == EXIT_DONE) {
        status = work_failed(&e);
    }
    const char *refused = arena_strdup(a, s.refused.text);
    out->source = status == EXIT_DONE && !s.refused.code ? "Oclgrind" : "";
    out->refused = refused && s.refused.code ? refused : "";
    check_free(s.check);
    work_release(&s.work);
    return status;
}
