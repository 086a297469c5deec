// Whole tunes on a fake driver, each in a folder of its own, and what they leave in their store.
// Where this is compiled FAKE_PREFIX says how the driver's variables begin, and FAKE_SPEC is the
// spec: forty configurations ID = 0 .. 39.
#ifndef HONE_TESTS_FAKE_TUNES_H
#define HONE_TESTS_FAKE_TUNES_H

#include "base/text.h"
#include "store/store.h"

#include <sys/types.h>

#define SECONDS 1000000000ull

enum { CONFIGURATIONS = 40, DEADLY = 20 };

// Store, caches, output, and the name its workers go by.
struct tune {
    char folder[64];
    const char *command; // "tune"
    const char *spec;    // FAKE_SPEC
    pid_t hone;
    uint64_t start_ns;
};

void tune_prepare(struct tune *t);
// Starts hone with `more` arguments, up to a NULL, behind those that all tunes have.
void tune_start(struct tune *t, const char *const *more);
// Its exit status; it is killed, and the status is -SIGALRM, when it takes longer than it may on an idle machine, times
// patience().
int tune_end(struct tune *t, uint64_t most_ns);
void tune_output(const struct tune *t, struct text *out);
// A worker ends at once when its tuner does; init may need a moment to see it off.
bool tune_leaves_no_worker(const struct tune *t);
// The device is well again.
void tune_revive(const struct tune *t);
void tune_path(const struct tune *t, const char *name, char out[128]);

// Sets a variable of the driver ("DIE" is FAKE_..._DIE), for all tunes that are started; NULL: not.
void tune_order(const char *variable, const char *value);

struct stored {
    unsigned rows, correct;
    unsigned of[CONFIGURATIONS]; // rows of each
    unsigned correct_of[CONFIGURATIONS];
    enum status last[CONFIGURATIONS];
    enum fault fault[CONFIGURATIONS];
    char message[CONFIGURATIONS][256];
};
void tune_stored(const struct tune *t, struct stored *out);

// A device died for good at DEADLY: that one alone is blamed, nothing behind it was stored, and it
// is said.
void tune_check_death(const struct tune *t, int code, const char *output);
// A tune of at least three configurations in which the call hung: it says what was waited for, or
// that nothing was wrong with it (a call that is not made).
void tune_check_hang(const struct tune *t, const char *call, int code);

#endif
