// The input of every run: where jobs run, what is known already, which part of the space counts,
// and under which terms. Filled once (lib/handle_tune.c, from the caller's options) and passed by
// pointer; a workflow adds a plan and a verdict of its own. Everything that a setup points to
// outlives the run.
#pragma once

#include "base/log.h"
#include "problem/spec.h"
#include "runner/cached.h"
#include "runner/place.h"
#include "space/space.h"
#include "store/store.h"

struct setup {
    const struct spec *spec; // NULL: the run has none, or each of its points its own

    // Where jobs run, on this machine. `places` (optional): equal devices that share the work instead, the first with the device
    // of `at`, whose `jobs` they share.
    struct place at;
    const struct place *places;
    uint32_t place_count;
    const struct place *builders; // (optional) as in live_options
    uint32_t builder_count;
    const char *lock_folder; // (optional) where the device's lock stands, e.g. "/tmp"
    struct endings *endings; // (optional) as in live_options
    bool leaving;            // the process ends right after the run: workers are not waited for

    // Results that are known already.
    struct store *store; // (optional)
    struct store
        *known; // (optional) asked after `store` for results on other devices and of other sizes
    bool fresh; // earlier results do not answer
    uint32_t retry; // earlier failures with these statuses do not answer: 1 << status

    struct space_options space; // the part of the space; its device does not count

    struct terms terms;
    uint64_t seed;
    bool build_only; // nothing runs; nothing is stored

    const char *command, *host; // for the session in the store
    const struct log *log;
};

// Makes the evaluator of a run: of `device`, or of `places`. `live` and `cached` hold what the workflow decides itself (such
// as no_timing); the rest is filled in from the setup, `cached` without a store if nothing is to be stored. `planned`: jobs
// that will come, for fewer builders. *builders (optional): build workers of all places together.
struct evaluator *setup_evaluator(const struct setup *s, struct live_options live,
                                  struct cached_options cached, uint64_t planned,
                                  uint32_t *builders, struct error *e);

// Fills in what every evaluator of the setup has.
void setup_live(const struct setup *s, struct live_options *live);

// The setup of a paired run of named configurations within a run: the same workers and terms. It is not the last thing that
// runs.
struct setup setup_for_paired(const struct setup *s);
