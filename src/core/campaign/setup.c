// The one maker of evaluators: what a setup says of workers, device, store and lock, in the words of the runner.
#include "campaign/setup.h"

#include "runner/farm.h"

void setup_live(const struct setup *s, struct live_options *live)
{
    live->at = s->at;
    live->builders = s->builders;
    live->builder_count = s->builder_count;
    live->terms = s->terms;
    live->build_only = s->build_only;
    live->leaving = s->leaving;
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
    if (!cached.as.spec_name)
        cached.as.spec_name = s->spec->name;
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
        live.at = place_with_jobs(s->places, s->at.jobs);
    // More workers than jobs would only open devices.
    if (!live.at.jobs)
        live.at.jobs = live_default_jobs(live.at.node, s->at.device);
    if (live.at.jobs > planned)
        live.at.jobs = (uint32_t)planned;
    *builders = live_pool_workers(&live);
    return cached_new(&cached, &live, e);
}
