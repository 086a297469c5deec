// Strategies decide which configuration to try next. Pure ask/tell: no clock, device, file or
// print; same seed and results, same questions. Indices are those of the space. The exception is
// `exec`, a program of the user's own (exec_search.c): it may think for a while, and die.
#pragma once

#include "base/error.h"
#include "model/result.h"
#include "space/space.h"

struct source;
struct strategy;

// A number that the user may set: "name:key=value".
struct strategy_option {
    const char *name;
    const char *summary; // for --help, without the default and the range
    double fallback, least, most;
    bool whole;
};

#define STRATEGY_OPTIONS_MOST 8

// The input of a strategy. The space outlives the strategy; the rest is only read by create().
struct strategy_setup {
    const struct space *space;
    uint64_t
        budget; // configurations that will be asked at most; 0: not known, as a time ends the search
    uint64_t seed;
    uint32_t in_flight;    // how many are usually outstanding at once; 0: 1
    const double *options; // one for each strategy_option; filled in by strategy_new()
    const char *argument;  // what stands behind "name:"; filled in by strategy_new()
    bool value_is_time;    // the values it gets are nanoseconds of a launch
    uint32_t patience_ms;  // how long a program may think; 0: a minute
    // Earlier results for this space from elsewhere, the nearest first (source.h); they outlive the
    // strategy. A strategy that cannot learn from them ignores them.
    const struct source *const *sources;
    uint32_t source_count;
    // (optional) First questions, before the default, each asked once; they outlive the strategy.
    const uint64_t *starts;
    uint32_t start_count;
};

// A search's verdict on a source.
struct strategy_heard {
    enum { HEARD_NOT, HEARD_REFUSED, HEARD_TRUSTED } outcome; // NOT: it has not come to that
    double agrees; // share of pairs of answers that it orders as they are here; NaN: not known
};

struct strategy_operations {
    const char *name;
    const char *summary;                   // one line for --help
    const struct strategy_option *options; // (optional: none) ended by a NULL name
    // (optional: it has options) What stands behind "name:" is the command of a program: named by the
    // user alone, never by a file that is read.
    const char *argument;
    struct strategy *(*create)(const struct strategy_setup *setup, struct error *e);
    // Writes at most `capacity` indices never asked before; returns how many. 0 with nothing
    // outstanding means the strategy is at its end.
    size_t (*ask)(struct strategy *s, uint64_t *out, size_t capacity);
    // (optional: ignored) The outcome of an index that was asked, in any order; an outcome of any
    // other index, or a second one, is ignored. value: the objective, of either sign, smaller is
    // better, only read when status is STATUS_CORRECT.
    void (*tell)(struct strategy *s, uint64_t index, enum status status, double value);
    // (optional: ignored) The time that an index took, building included: reported before its
    // outcome.
    void (*cost)(struct strategy *s, uint64_t index, double ns);
    // (optional: never) After ask() had nothing: may it have a question yet? Waits for it, at most
    // timeout_ms.
    bool (*wait)(struct strategy *s, int timeout_ms);
    // (optional; NULL: the strategy ignores sources) Writes the outcome of each source of the setup.
    void (*heard)(const struct strategy *s, struct strategy_heard *out);
    void (*destroy)(struct strategy *s);
};

// The base every strategy's own struct starts with.
struct strategy {
    const struct strategy_operations *ops;
    char *description;
    struct error why; // why it ended before its time; ERROR_NONE: it did not
};

// NULL-terminated table, the order of --help.
const struct strategy_operations *const *strategies(void);
// The name of the one used if none is named and the budget does not cover the space.
const char *strategy_default(void);
// `text`: "name" or "name:key=value,key=value"; NULL: exhaustive when the budget is known and
// covers the space, else surrogate. Refused: an unknown strategy or option (the near match is
// named), a value out of range. Each asks for the starts first, then for the
// spec's default configuration.
struct strategy *strategy_new(const char *text, const struct strategy_setup *setup,
                              struct error *e);
// Would strategy_new() take the text? Needs no space. NULL is fine.
bool strategy_check(const char *text, struct error *e);
// Does the text name a strategy that runs a program?
bool strategy_runs_program(const char *text);
size_t strategy_ask(struct strategy *s, uint64_t *out, size_t capacity);
void strategy_tell(struct strategy *s, uint64_t index, enum status status, double value);
// See strategy_operations.
void strategy_cost(struct strategy *s, uint64_t index, double ns);
bool strategy_wait(struct strategy *s, int timeout_ms);
// Does the strategy of this text (NULL: the default) use sources?
bool strategy_hears(const char *text, const struct strategy_setup *setup);
// One outcome for each source of the setup.
void strategy_heard(const struct strategy *s, struct strategy_heard *out);
void strategy_free(struct strategy *s);
const char *strategy_name(const struct strategy *s);
// The name with all options, those not given included: what repeats the run, as strategy_new()
// reads it.
const char *strategy_description(const struct strategy *s);

// A budget: whichever ends first. 0: no limit of that kind.
struct budget {
    uint64_t configurations;
    uint64_t nanoseconds;
    double fraction;   // of the valid configurations
    bool ranks_on_top; // the time is the search's alone
};
// "60s", "1.5m", "200", "10%", and several kinds separated by commas; "60s+": ranks_on_top. `out` is unchanged on
// failure.
bool budget_parse(const char *text, struct budget *out, struct error *e);
// The configurations this allows in a space of `valid` (rounded up; never 0).
uint64_t budget_configurations(const struct budget *b, uint64_t valid);
