// A check as the command line makes it: settings -> options of the conveyor, records -> views.
#ifndef HONE_CLI_CHECKING_H
#define HONE_CLI_CHECKING_H

#include "checks.h"
#include "cli/work.h"
#include "report/check.h"

struct checking {
    struct work work;
    struct check_options options;
    struct check *check;
    const char *races_log; // (or NULL) that a simulator writes
    struct error broken;   // why it could not go on; code NONE: it did
};

void checking_init(struct checking *c, const struct invocation *call);
void checking_release(struct checking *c);
// Spec, device, store and the check itself. An exit status, as below.
int checking_start(struct checking *c);
// The exit status of a check that could not be made or went to no end: why is said.
int checking_failed(const struct error *e);

// Views, in the arena of the work. False without memory.
bool checking_view(struct checking *c, const struct check_record *record, struct view_checked *out);
void checking_run_view(struct checking *c, struct view_run *out);
bool checking_end_view(struct checking *c, struct view_check_end *out);

#endif
