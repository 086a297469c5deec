// Strategies decide which configuration to try next. Pure ask/tell: no clock, device, file or
// print; same seed and results, same questions. Indices are those of the space.
#ifndef HONE_SEARCH_SEARCH_H
#define HONE_SEARCH_SEARCH_H

#include "base/error.h"
#include "job/result.h"
#include "space/space.h"

struct strategy;

struct strategy_operations {
    const char *name;
    const char *summary; // one line for --help
    struct strategy *(*create)(const struct space *sp, uint64_t seed, struct error *e);
    // Writes at most `capacity` indices never asked before; returns how many. 0 with nothing
    // outstanding means the strategy is at its end.
    size_t (*ask)(struct strategy *s, uint64_t *out, size_t capacity);
    // (optional: ignored) The outcome; in any order. value: the objective, smaller is better, only
    // read when status is STATUS_CORRECT.
    void (*tell)(struct strategy *s, uint64_t index, enum status status, double value);
    void (*destroy)(struct strategy *s);
};

// The base every strategy's own struct starts with.
struct strategy {
    const struct strategy_operations *ops;
};

// NULL-terminated table: exhaustive, random.
const struct strategy_operations *const *strategies(void);
// NULL name: exhaustive when the budget (configurations; 0: no limit) covers the space, else
// random. Unknown: near match named. Both ask for the spec's default configuration first.
struct strategy *strategy_new(const char *name, const struct space *sp, uint64_t budget,
                              uint64_t seed, struct error *e);
size_t strategy_ask(struct strategy *s, uint64_t *out, size_t capacity);
void strategy_tell(struct strategy *s, uint64_t index, enum status status, double value);
void strategy_free(struct strategy *s);
const char *strategy_name(const struct strategy *s);

// A budget: whichever ends first. 0: no limit of that kind.
struct budget {
    uint64_t configurations;
    uint64_t nanoseconds;
    double fraction; // of the valid configurations
};
// "60s", "1.5m", "200", "10%", and several kinds separated by commas. `out` is unchanged on
// failure.
bool budget_parse(const char *text, struct budget *out, struct error *e);
// The configurations this allows in a space of `valid` (rounded up; never 0).
uint64_t budget_configurations(const struct budget *b, uint64_t valid);

#endif
