#include "cli/simulator.h"

#include "cli/assume.h"
#include "races.h"

#include <string.h>

// The device that is meant: one that is here, and what is assumed of it.
static int find_target(struct work *w, struct device_info *target)
{
    struct error e = ERROR_INIT;
    const struct settings *s = &w->call->settings;
    int status = s->device || w->environment.device ? work_device(w) : EXIT_DONE;
    if (status != EXIT_DONE)
        return status;
    *target = w->device ? *w->device : (struct device_info){.id = ""};
    for (uint32_t i = 0; i < s->assume.count; i++) {
        if (!assume(target, s->assume.items[i], &e))
            return work_failed(&e);
    }
    return EXIT_DONE;
}

static bool start_worker_inside(struct work *w, const struct device_info *target, const char *log,
                                struct error *e)
{
    struct environment *v = &w->environment;
    struct races_options o = {.worker = v->worker,
                              .path = v->path,
                              .local_memory = target->local_bytes,
                              .max_group_size = target->max_group_size,
                              .log = log};
    const char *const *inside = races_command(&o, &w->arena, e);
    if (!inside)
        return false;
    v->worker = inside;
    uint32_t languages = 1u << LANGUAGE_OPENCL;
    return live_devices(v->worker, v->worker_with, languages, &w->arena, &w->devices, NULL, e);
}

static struct device_info *find_simulator(const struct work *w)
{
    for (uint32_t i = 0; i < w->devices.device_count; i++) {
        if (str_equal(w->devices.devices[i].platform, RACES_PLATFORM))
            return &w->devices.devices[i];
    }
    return NULL;
}

// Restrictions shall hold as on the target.
static int take_facts(struct work *w, struct device_info *simulator,
                      const struct device_info *target)
{
    struct error e = ERROR_INIT;
    const struct list *assumed = &w->call->settings.assume;
    if (*target->id) {
        simulator->type = target->type;
        simulator->vendor = target->vendor;
        simulator->compute_units = target->compute_units;
        simulator->subgroup_size = target->subgroup_size;
        simulator->capability = target->capability;
        simulator->extensions = target->extensions;
    }
    for (uint32_t i = 0; i < assumed->count; i++) {
        if (!assume(simulator, assumed->items[i], &e))
            return work_failed(&e);
    }
    return EXIT_DONE;
}

int simulator_open(struct work *w, const char **log)
{
    struct error e = ERROR_INIT;
    struct device_info target;
    int status = work_environment(w);
    if (status == EXIT_DONE)
        status = find_target(w, &target);
    if (status != EXIT_DONE)
        return status;
    *log = arena_printf(&w->arena, "%s/races.log", w->environment.scratch.path);
    if (!*log) {
        error_memory(&e);
        return work_failed(&e);
    }
    if (!start_worker_inside(w, &target, *log, &e))
        return work_failed(&e);
    struct device_info *simulator = find_simulator(w);
    if (!simulator) {
        complain("the worker sees no simulated device inside " RACES_PACKAGE
                 "; it is put there by LD_PRELOAD, which the worker must be able to inherit");
        return EXIT_NOTHING;
    }
    w->device = simulator;
    return take_facts(w, simulator, &target);
}
