// Tries what was inferred on the device that is here, and mends what the text could not tell: buffers
// that the kernel writes past, data that make NaN of everything, parameters that change the result.
#pragma once

#include "extras/init/infer.h"

struct trial {
    struct inferred *found;
    struct arena *arena;
    const char *program, *spec, *language; // hone, the file it checks, --language
    // Writes `found` to the file `spec`.
    bool (*write)(void *owner, struct error *e);
    bool is_long;             // `spec` is known to take too long: the first remedy is smaller sizes
    int (*interrupted)(void); // whether the user wants it to end: not 0
    void *owner;
};

// The kinds of what one check says.
enum trial_kind {
    TRIAL_PASSED,
    TRIAL_PAST,      // wrote past the end of `argument`
    TRIAL_UNWRITTEN, // the default configuration leaves elements of `argument` unwritten
    TRIAL_NAN,       // NaN in what the default configuration gives
    TRIAL_RACE,      // which differs from launch to launch
    TRIAL_IDLE,      // no launch changed anything
    TRIAL_BLIND,     // agrees with zeros, which shows nothing
    TRIAL_CRASH,     // which ended the worker
    TRIAL_LONG,      // which took too long
    TRIAL_WRONG,     // a configuration fails where the default works: `rows`
    TRIAL_OTHER
};

struct trial_outcome {
    enum trial_kind kind;
    char argument[128];
    int64_t left, of; // TRIAL_UNWRITTEN: elements
};

// Reads the lines of JSON and the messages of a check into `out`. Rows are the failed and the passed
// configurations, for trial_mend(). NULL: no check's lines.
struct trial_rows;
struct trial_rows *trial_read(const char *lines, const char *messages, struct trial_outcome *out);
void trial_rows_free(struct trial_rows *rows);

// Counts how often which remedy was taken.
struct trial_state {
    unsigned rounds, nan, filled, idle, crash, slow, grown;
    unsigned past;          // rounds in which something was written past its end
    enum trial_kind tried;  // TRIAL_PASSED: nothing, else what was to end by the last remedy
    struct inferred before; // of it
    const char *few; // (or NULL) of an output of which the first round found few elements wrong
};

// Notes, for the spec's reader, an output of which a configuration gives next to nothing another value.
void trial_note_few(const struct trial_rows *rows, struct trial_state *state, struct arena *a);

// Changes `f` so that the next check may pass, and says what it did. False: it knows no remedy (or has
// no memory).
bool trial_mend(struct inferred *f, const struct trial_outcome *o, const struct trial_rows *rows,
                struct trial_state *state, struct arena *a);

// Is there a parameter with several values?
bool trial_has_parameters(const struct inferred *f);

// Where nothing is left to tune and data are floating-point numbers, the compiler's quick arithmetic becomes a parameter.
// False: it does not.
bool trial_add_option(struct inferred *f, const char *language, struct arena *a);

// Checks and mends until a check passes; else `found` is what it was (*is_changed: it is not). False without
// memory, or where the file cannot be written.
bool trial_run(const struct trial *t, bool *is_changed, struct error *e);
