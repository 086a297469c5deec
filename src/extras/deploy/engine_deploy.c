// Sets up what the workflow of a dispatch table borrows (workers, terms, texts, log) as for a tune.
#include "extras/deploy/engine_deploy.h"

#include "lib/handle.h"

struct hone_tune *engine_deploy_new(const struct deploy_options *o,
                                    const struct hone_tune_options *tune, struct error *e)
{
    struct hone_tune *t = handle_new(NULL, e);
    if (!t)
        return NULL;
    struct deploy_options options = *o;
    bool ok = o->is_known_only ? setup_init(&t->setup, tune, e) : setup_tune(&t->setup, tune, e);
    options.tune = t->setup.options;
    options.tune.setup.device = o->tune.setup.device;
    return handle_started(t, ok ? deploy_new(&options, e) : NULL);
}

void engine_deployed(const struct hone_tune *t, struct engine_deployed *out)
{
    struct deploy *d = t->workflow;
    deploy_progress(d, &out->progress);
    out->records = deploy_records(d, &out->count);
    deploy_found(d, &out->found);
    out->spec = deploy_spec(d);
}
