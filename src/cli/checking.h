// A check as the command line makes it: settings -> options of the workflow, records -> a report.
#pragma once

#include "cli/work.h"
#include "report/check_report.h"

// The settings of `hone check`.
struct check_settings {
    struct spec_settings given;
    struct measure_settings measure; // some rows of it
    uint32_t sample;
    struct list smallest, assume;
    bool build_only, audit;
    struct given_races {
        bool is_given, of_reference; // of_reference: the reference itself is checked
    } races;
    bool known; // what the store says is best
    bool verbose;
    const char *arch;      // "sm_90": the target if there is no device
    struct allow {         // statuses that are not failures
        unsigned statuses; // 1 << status
        bool unverified;
    } allow;
    const char *junit;
};

struct checking {
    struct work work;
    const struct check_settings *settings;
    struct spec_settings given; // with `known`: the settings', and the configuration
    struct check_options options;
    struct check *check;
    struct run_head run;   // of the last report
    const char *races_log; // (or NULL) that a simulator writes
};

void checking_init(struct checking *c, const struct invocation *call,
                   const struct check_settings *settings);
void checking_release(struct checking *c);
// Spec, device, store and the check itself. An exit status, as below.
int checking_start(struct checking *c);

// Fills in the results so far; valid until the next step.
void checking_report(struct checking *c, struct check_report *out);
