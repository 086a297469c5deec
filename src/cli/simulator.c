// check --races: starts the worker inside the simulator, with the limits of the device that is
// meant, and takes the simulated device.
#include "cli/simulator.h"

#include "cli/assume.h"

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

int simulator_open(struct work *w, const struct list *assumed, const char **log)
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
                                    .log = *log};
    struct device_info *simulated = arena_alloc(&w->arena, sizeof *simulated);
    const char *const *inside = NULL;
    if (simulated)
        inside = engine_simulator(&o, (const char *const *)v->worker_with, &target, &w->arena,
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
