// The lookup in a dispatch table, by the rule on top of dispatch.h, written a second time with the spec's own expressions: what
// the formats and libhone-known answer is compared with it. A model of the device alone needs the compiled table.
#pragma once

#include "extras/deploy/dispatch.h"

// The device that asks. Texts may be NULL or "": not known.
struct deploy_asker {
    const char *name, *identity, *vendor, *architecture;
    uint32_t compute_units;
    // (optional) for restrictions; NULL: those of the device that answers.
    const struct device_info *facts;
};

enum deploy_reach { DEPLOY_MEASURED, DEPLOY_ARCHITECTURE, DEPLOY_VENDOR, DEPLOY_ANY };

struct deploy_answer {
    uint32_t configuration;  // DEPLOY_NONE: no configuration is valid
    uint32_t device, point;  // of the table; DEPLOY_NONE: the default answers
    enum deploy_reach reach; // how the device was found; ANY: it was not
    bool is_exact;           // the shape is that point
    bool is_predicted;       // by the device's model: another point is nearer
    uint32_t restriction; // of the spec, that excludes the default; with configuration DEPLOY_NONE
};

// The device of the table that answers for the asker; DEPLOY_NONE: none.
uint32_t deploy_find_device(const struct deploy_table *t, const struct deploy_asker *who,
                            enum deploy_reach *reach);

void deploy_find(const struct deploy_table *t, const struct deploy_asker *who, const int64_t *shape,
                 struct arena *scratch, struct deploy_answer *out);
// Its reason.
void deploy_why(const struct deploy_table *t, const struct deploy_asker *who,
                const struct deploy_answer *answer, struct text *out);
