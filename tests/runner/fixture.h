// What the tests of the live evaluator share: the worker that behaves as it is told, jobs that tell
// it, and what it notes of them.
#ifndef HONE_TESTS_RUNNER_FIXTURE_H
#define HONE_TESTS_RUNNER_FIXTURE_H

#include "runner/evaluator.h"
#include "runner/live.h"

#include <check.h>

extern const char *const worker[];
extern char folder[64]; // of this test alone
extern char folder_variable[96];
extern const char *environment[8];

void setup(void);
void teardown(void);
// A program's tests, each between begin(), which calls setup(), and teardown(); and main()'s
// status.
TCase *make_cases(const char *name, void (*begin)(void), unsigned seconds);
int run_cases(TCase *cases);
void add_environment(const char *variable); // NAME=VALUE, lives as long as the test

struct device_info device(bool shares_host);
struct live_options options(const struct device_info *d);
struct job *make_job(const char *behaviour, uint64_t ns, unsigned id);
struct job *make_noisy_job(const char *behaviour, uint64_t ns, uint64_t spread, unsigned id);
struct evaluator *make_live(const struct live_options *o);
void submit(struct evaluator *ev, unsigned id, const char *behaviour, uint64_t ns);
struct result *take(struct evaluator *ev, uint64_t *ticket);
// Takes the outcome of this ticket, correct, and forgets it.
void take_correct(struct evaluator *ev, uint64_t ticket);

// What the bench workers were asked since the last call, a line each ("measure 3 2x1 after 0").
const char *events(void);
unsigned count_events(const char *all, const char *begin);

#endif
