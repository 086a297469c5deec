// The workflow of a dispatch table under the handle of a tune: hone_tune_step(), hone_tune_cancel() and hone_tune_free().
#ifndef HONE_DEPLOY_ENGINE_DEPLOY_H
#define HONE_DEPLOY_ENGINE_DEPLOY_H

#include "hone/hone.h"

#include "extras/deploy/deploy.h"

// Makes the handle. `tune` says how each point is tuned; of `o->tune` only the device counts. If nothing is measured
// (is_known_only), `tune` may have no device.
struct hone_tune *engine_deploy_new(const struct deploy_options *o,
                                    const struct hone_tune_options *tune, struct error *e);
struct engine_deployed {
    struct deploy_progress progress;
    const struct deploy_record *records;
    uint32_t count;
    struct deploy_found found;
    const struct spec *spec; // of the table
};
void engine_deployed(const struct hone_tune *t, struct engine_deployed *out);

#endif
