// The questions that workflows, reports and exports ask of a store, each answered by one walk over
// the rows that count for it (store_each(): see store_query). What is made of an answer is the
// caller's.
#pragma once

#include "base/arena.h"
#include "store/store.h"

// ---- the fastest -------------------------------------------------------------------------------

struct store_fastest {
    struct digest key;
    const char *configuration;
    double median; // ns
    size_t age;    // 0: of the newest of these rows
};

// The newest result of each job, or of each configuration, as q->newest says, if it has a time: the
// fastest first, the newer first among equals. In the arena.
bool store_fastest(struct store *s, const struct store_query *q, struct arena *a,
                   struct store_fastest **out, size_t *count, struct error *e);

// ---- runs --------------------------------------------------------------------------------------

// The runs that have results of the spec, by the newest row of each, newest first. In the arena.
bool store_runs(struct store *s, const char *spec_name, struct arena *a, struct store_row **out,
                size_t *count, struct error *e);

// Where timed results are of, those that were imported from others apart: the newest row of each file
// of a spec with its constants, device and language, the newest first. In the arena.
bool store_places(struct store *s, struct arena *a, struct store_row **out, size_t *count,
                  struct error *e);

// ---- recorded spaces ---------------------------------------------------------------------------

// The criterion that separates spaces besides the spec, its constants, the device and the language.
enum stored_apart {
    STORED_DRIVERS, // the driver; all with the text, and the inputs, of the newest
    STORED_RUNS,    // the run of hone; each with its own newest text
    STORED_NEWEST // nothing: those under the newest driver count, with the newest source of the kernel
};

// The results of one spec with one set of constants on one device in one language, as a recorded
// space. Results under several drivers, of several texts of the kernel, with cold inputs and with
// warm ones do not compare: a space has those of one kind.
struct stored_space {
    const char *spec, *constants, *device, *platform, *language;
    const char *driver; // of the newest result, as the rest
    const char *kernels, *hone_version;
    const char *uuid, *pci; // of the card that the newest result is from, or ""
    struct digest identity; // of the device with that driver
    struct digest source;
    const uint8_t *session; // (or NULL) of one run; STORE_ID_BYTES
    uint32_t run;           // the same as a number: 1 is the oldest of the place; 0: of all runs
    uint64_t results;       // that count
    uint64_t left_out;      // of the place, older than the newest of it, that are of no space
    bool cold;     // its inputs were, of the newest that is correct: the others are left out
    bool is_timed; // one is correct
    bool is_imported;
    const char *statistic; // what a time of it is: "median", or as it was imported
};

// The statistic of a result's time: "median", or as recorded for an imported one.
const char *result_statistic(const struct result *r);

// The spaces of a spec (NULL: of all) with these constants (NULL: any), that with the newest result
// first. In the arena.
bool stored_spaces(struct store *s, const char *spec_name, const char *constants,
                   enum stored_apart apart, struct arena *a, struct stored_space **out,
                   size_t *count, struct error *e);

// The newest result of each configuration, newest first, until `each` returns false. Results that
// were only checked, without a time, and samples of comparisons are left out.
bool stored_space_each(struct store *s, const struct stored_space *space,
                       bool (*each)(void *context, const struct store_row *row), void *context,
                       struct error *e);
// The same with the older results of each; build logs too.
bool stored_space_each_result(struct store *s, const struct stored_space *space,
                              bool (*each)(void *context, const struct store_row *row),
                              void *context, struct error *e);
