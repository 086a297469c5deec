// The conveyor of `hone peak`: what the device can do at most, measured by small kernels of hone's
// own (peak_kernels.h): fp32 arithmetic, memory read and copied, local memory read. Each limit has
// a few configurations, since no one width or number of chains is the best on every device: each is
// verified and launched a few times, the fastest then as often as its interval needs.
//
// Ordinary jobs through the live evaluator, under the device's lock. What was found is stored as a
// result of the spec PEAK_SPEC, one for each limit, with "limit=fp32, work=123" (flop or bytes of a
// launch) as its constants.
//
// Stepped as tune.h is: peak_step() returns within the timeout; Ctrl-C, progress and printing are
// the caller's.
#ifndef HONE_PEAK_H
#define HONE_PEAK_H

#include "eval/evaluator.h"
#include "job/peak.h"
#include "store/store.h"

#define PEAK_SPEC "hone peak"

// So many measurements of a limit count, the newest.
#define PEAK_RECENT 5

// Of each limit the highest of the newest that the store has of this device, its driver and
// compiler: what uses the device meanwhile only makes it slower, and a card that was given other
// clocks for good is known as such after PEAK_RECENT. Those that the store has not are left
// unknown. Texts are kept in the arena. False on failure.
bool peak_find(struct store *s, const struct device_info *d, struct arena *a, struct peak *out,
               struct error *e);

struct peak_options {
    const struct device_info *device;
    const char *const *worker;      // argv, NULL-terminated
    const char *const *environment; // (optional) of workers
    const char *lock_folder;        // (optional)
    struct store *store;            // (optional)
    struct terms terms;             // of its rules none counts
    uint32_t jobs;                  // build workers at most; 0: as many as are useful
    bool leaving;                   // as in live_options
    struct spare *spare;            // likewise
    const char *command, *host;     // for the store's session
    const struct log *log;
};

// Everything that the options point to outlives it.
struct peaking *peaking_new(const struct peak_options *o, struct error *e);
void peaking_free(struct peaking *p); // NULL is fine

enum peak_answer {
    PEAK_BROKEN = -1, // the evaluator cannot go on, or the store cannot be written
    PEAK_NOTHING,     // nothing within the timeout
    PEAK_END
};
enum peak_answer peaking_step(struct peaking *p, int timeout_ms, struct error *e);
// What runs comes to an end, the next step says END; a limit that is not settled is not known.
void peaking_cancel(struct peaking *p);

struct peaking_progress {
    uint32_t planned, done; // configurations
    struct evaluator_status evaluator;
};
void peaking_progress(struct peaking *p, struct peaking_progress *out);
// What is known by now; its texts live as long as `p`.
const struct peak *peaking_found(const struct peaking *p);

#endif
