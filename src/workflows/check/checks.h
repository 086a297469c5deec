// The workflow of `hone check`: every configuration is built, launched once and compared with the
// reference; nothing is timed. (Not check.h: that is the name of the tests' library.)
//
// Driven as workflow.h says; planned and done are configurations. They come in the order of the
// space; where sizes are chosen (`smallest`) those of one size together, small sizes first, so that
// inputs and reference are made once a size.
#pragma once

#include "base/log.h"
#include "runner/place.h"
#include "workflows/check/kernel_audit.h"
#include "workflows/check/races.h"
#include "campaign/workflow.h"
#include "campaign/subject.h"
#include "space/space.h"
#include "problem/spec.h"
#include "store/store.h"

// Constants that are chosen for each configuration: the smallest value from `least` up to the
// spec's own at which its restrictions hold and its job can be made; the spec's own where there is
// no smaller one. Several names of one choice have one value; several choices are made one after
// the other, with those not yet made at the spec's values.
struct check_smallest {
    const char *const *names;
    uint32_t count;
    int64_t least; // at least 1
};

// So many values are tried one by one, and so many of those that pass the restrictions are made
// into a job; after that the divisors of the spec's own value alone.
#define CHECK_TRIED_ONE_BY_ONE 65536
#define CHECK_TRIED_JOBS       512

struct check_options {
    struct setup setup;
    struct spec_options spec_options; // the spec was read with: read again with other constants
    const struct check_smallest *smallest;
    uint32_t smallest_count;
    uint64_t sample;       // so many, uniform without replacement; 0: all
    unsigned allowed;      // statuses that do not count as failures: 1u << enum status
    bool allow_unverified; // correct without a reference is not a failure

    // The reference itself is checked in place of each configuration, where it is a kernel or a
    // configuration: nothing holds it against anything, but what it does wrong shows.
    bool of_reference;

    // (optional) The worker runs inside a simulator that writes what it finds to this file: read
    // after each configuration, see check_record.races. There is then no store, lock, or second worker.
    const char *races_log;
};

// X(NAME, text)
#define CHECK_VERDICTS(X)                                                                          \
    X(PASSED, "passed")                                                                            \
    X(LIMITED, "device limit")    /* more than this device offers: no failure of the kernel */     \
    X(ALLOWED, "allowed")         /* failed, with a status that is excepted */                     \
    X(UNVERIFIED, "not verified") /* ran, but there is nothing to hold it against: a failure */    \
    X(FAILED, "failed")

enum check_verdict {
#define X(name, text) CHECK_##name,
    CHECK_VERDICTS(X)
#undef X
        CHECK_VERDICT_COUNT
};
const char *check_verdict_text(enum check_verdict v);

// One configuration that is done; everything lives until check_free().
struct check_record {
    uint64_t index;            // in the space
    const uint32_t *choice;    // value indices
    const char *configuration; // "block_size_x=16, ..."
    const char *configuration_json;
    const struct spec *spec; // with the constants it was checked at
    const char *sizes;       // those chosen for it, "WIDTH=48, N=16"; "" for none
    const struct result *result;
    const struct check_record *same_as; // identical, and checked instead
    enum check_verdict verdict;
    const struct races *races; // what the simulator found while it ran; NULL: not asked, nothing
    uint64_t ordinal;          // in the order in which records were handed out, from 0
};

// Over all configurations: one kernel line and kind.
struct check_finding {
    struct race race;                   // the counts added up
    uint64_t configurations;            // concerned, those identical to one counted too
    const struct check_record *example; // the first
};

struct check_progress {
    struct workflow_progress common;
    uint64_t valid;     // in the space
    uint64_t sized;     // of them have their sizes; nothing is checked before all have
    uint64_t reused;    // of them from the store
    uint64_t identical; // of them identical to another
    uint64_t by_status[STATUS_COUNT];
    uint64_t by_verdict[CHECK_VERDICT_COUNT];
    uint64_t failed_by_status[STATUS_COUNT];           // of verdict FAILED
    uint64_t spec_by_status[STATUS_COUNT];             // of these, errors of the spec
    const struct check_record *examples[STATUS_COUNT]; // the first that FAILED, by status
};

struct check;

// Reads the sources and makes the space; with `smallest` chooses the sizes of all configurations.
// Fails with the reason for an empty space.
struct check *check_new(const struct check_options *o, struct error *e);

WORKFLOW_FUNCTIONS(check, struct check, struct check_record);
// Everything that reports show of it.
struct check_view {
    struct check_progress progress;
    const struct subject *subject; // the space, the sources, and how results are verified
    const struct check_record *const *records; // in the order in which they were handed out
    size_t count;
    // The simulator's findings, in the order of kernel file and line; valid until the next step.
    const struct check_finding *findings;
    size_t finding_count;
    // Mutants of the kernel, where the check is audited and is over.
    const struct checked_mutant *mutants;
    size_t mutant_count;
};
void check_view(struct check *c, struct check_view *out);
