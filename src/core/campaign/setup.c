// The one maker of evaluators: what a setup says of workers, device, store and lock, in the words of the runner.
#include "campaign/setup.h"

#include "runner/farm.h"

void setup_live(const struct setup *s, struct live_options *live)
{
    live->worker = s->worker;
    live->environment = s->environment;
    live->device = s->device;
    live->jobs = s->jobs;
    live->builders = s->builders;
    live->builder_count = s->builder_count;
    live->terms = s->terms;
    live->build_only = s->build_only;
    live->leaving = s->leaving;
    live->spare = s->spare;
    live->endings = s->endings;
    live->log = s->log;
}

struct setup setup_for_paired(const struct setup *s)
{
    struct setup own = *s;
    own.space = (struct space_options){NULL};
    own.place_count = 0;
    own.leaving = false;
    return own;
}

struct evaluator *setup_evaluator(const struct setup *s, struct live_options live,
                                  struct cached_options cached, uint64_t planned,
                                  uint32_t *builders, struct error *e)
{
    uint32_t unused = 0;
    builders = builders ? builders : &unused;
    setup_live(s, &live);
    cached.store = s->build_only ? NULL : s->store;
    cached.fresh = s->fresh;
    cached.retry = s->retry;
    cached.lock_folder = s->build_only ? NULL : s->lock_folder;
    if (!cached.spec_name)
        cached.spec_name = s->spec->name;
    if (s->place_count > 1) {
        const struct farm_options farm = {.places = s->places,
                                          .count = s->place_count,
                                          .live = live,
                                          .cached = cached,
                                          .outlier = s->terms.rules.outlier};
        struct evaluator *ev = farm_new(&farm, e);
        *builders = ev ? farm_builders(ev) : 0;
        return ev;
    }
    if (s->place_count == 1)
        place_use(s->places, &live);
    // More workers than jobs would only open devices.
    if (!live.jobs)
        live.jobs = live_default_jobs(live.node, s->device);
    if (live.jobs > planned)
        live.jobs = (uint32_t)planned;
    *builders = live_pool_workers(&live);
    return cached_new(&cached, &live, e);
}
