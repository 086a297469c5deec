// check --races: starts the worker inside the simulator, with the limits of the device that is
// meant, and takes the simulated device.
#include "cli/simulator.h"

#include "cli/assume.h"
#include "workflows/check/races.h"

// The device that is meant: one that is here, and what is assumed of it.
static int find_target(struct work *w, const struct list *assumed, struct device_info *target)
{
    struct error e = ERROR_INIT;
    int status = w->given->device || w->environment.device ? work_device(w) : EXIT_DONE;
    if (status != EXIT_DONE)
        return status;
    *target = w->device ? *w->device : (struct device_info){.id = ""};
    for (uint32_t i = 0; i < assumed->count; i++) {
        if (!assume(target, assumed->items[i], &e))
            return work_failed(&e);
    }
    return EXIT_DONE;
}

// The command of a worker inside the simulator of data races, in the arena, with the device that it simulates: its limits
// are those of the options, what else restrictions see of it that of the target, where that is a device ("" has no id).
// NULL if it is not installed, or offers none.
static const char *const *find_simulated(const struct races_options *o,
                                         const char *const *environment,
                                         const struct device_info *target, struct arena *a,
                                         struct device_info *out, struct error *e)
{
    struct device_report report;
    uint32_t languages = 0;
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++)
        languages |= (uint32_t)language_traits((enum language)l)->is_simulated << l;
    const char *const *inside = races_command(o, a, e);
    const struct place place = {.worker = inside, .environment = environment};
    if (!inside || !live_devices(&place, languages, a, &report, NULL, 0, e))
        return NULL;
    uint32_t i = 0;
    while (i < report.device_count && !str_equal(report.devices[i].platform, RACES_PLATFORM))
        i++;
    if (i == report.device_count) {
        error_set(e, ERROR_DEVICE,
                  "the worker sees no simulated device inside " RACES_PACKAGE
                  "; it is put there by LD_PRELOAD, which the worker must be able to inherit");
        return NULL;
    }
    *out = report.devices[i];
    if (*target->id) {
        out->type = target->type;
        out->vendor = target->vendor;
        out->compute_units = target->compute_units;
        out->subgroup_size = target->subgroup_size;
        out->capability = target->capability;
        out->extensions = target->extensions;
    }
    return inside;
}

int simulator_open(struct work *w, const struct list *assumed, enum simulate what, const char **log)
{
    struct error e = ERROR_INIT;
    struct device_info target;
    int status = work_environment(w);
    if (status == EXIT_DONE)
        status = find_target(w, assumed, &target);
    if (status != EXIT_DONE)
        return status;
    *log = arena_printf(&w->arena, "%s/races.log", w->environment.scratch.path);
    if (!*log) {
        error_memory(&e);
        return work_failed(&e);
    }
    struct environment *v = &w->environment;
    const struct races_options o = {.worker = v->worker,
                                    .path = v->path,
                                    .local_memory = target.local_bytes,
                                    .max_group_size = target.max_group_size,
                                    .log = *log,
                                    .counts = what == SIMULATE_COUNTS};
    struct device_info *simulated = arena_alloc(&w->arena, sizeof *simulated);
    const char *const *inside = NULL;
    if (simulated)
        inside = find_simulated(&o, (const char *const *)v->worker_with, &target, &w->arena,
                                simulated, &e);
    else
        error_memory(&e);
    if (!inside)
        return work_failed(&e);
    for (uint32_t i = 0; i < assumed->count; i++) {
        if (!assume(simulated, assumed->items[i], &e))
            return work_failed(&e);
    }
    v->worker = inside;
    w->device = simulated;
    return EXIT_DONE;
}
