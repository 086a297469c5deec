#include "fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const worker[] = {FAKE_WORKER, NULL};
char folder[64];
char folder_variable[96];
const char *environment[8];
static char events_file[80], events_variable[96], scratch_variable[96];
static size_t events_read;

void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/hone-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(folder_variable, sizeof folder_variable, "FAKE_FOLDER=%s", folder);
    snprintf(events_file, sizeof events_file, "%s/events", folder);
    snprintf(events_variable, sizeof events_variable, "FAKE_EVENTS=%s", events_file);
    memset((void *)environment, 0, sizeof environment);
    add_environment(folder_variable);
    add_environment(events_variable);
    // What a worker that is killed leaves goes with the folder.
    snprintf(scratch_variable, sizeof scratch_variable, "HONE_WORKER_SCRATCH=%s", folder);
    add_environment(scratch_variable);
    events_read = 0;
}

void teardown(void)
{
    folder_remove(folder);
}

static Suite *suite;

TCase *make_cases(const char *name, void (*begin)(void), unsigned seconds)
{
    TCase *cases = tcase_create(name);
    suite = suite_create(name);
    tcase_add_checked_fixture(cases, begin, teardown);
    tcase_set_timeout(cases, seconds);
    return cases;
}

int run_cases(TCase *cases)
{
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}

void add_environment(const char *variable)
{
    size_t n = 0;
    while (environment[n])
        n++;
    ck_assert_uint_lt(n + 1, sizeof environment / sizeof *environment);
    environment[n] = variable;
}

struct device_info device(bool shares_host)
{
    return (struct device_info){.type = DEVICE_CPU,
                                .id = "fake/0",
                                .name = "fake",
                                .vendor = "",
                                .platform = "",
                                .platform_version = "",
                                .driver = "",
                                .compiler = "",
                                .language_version = "",
                                .extensions = "",
                                .uuid = "",
                                .pci = "",
                                .surroundings = "",
                                .timer_ns = 1,
                                .shares_host = shares_host};
}

struct live_options options(const struct device_info *d)
{
    struct measure_rules rules = measure_rules_default();
    rules.first = 2; // what is expected here does not change with the defaults
    rules.most = 5;
    rules.settled = 0.01;
    rules.near = 1.25;
    return (struct live_options){
        .at = {.worker = worker, .environment = environment, .device = d, .jobs = 2},
        .terms = {.rules = rules, .build_limit_ns = 1000000000, .launch_limit_ns = 300000000}};
}

struct job *make_noisy_job(const char *behaviour, uint64_t ns, uint64_t spread, unsigned id)
{
    struct job *j = job_new();
    struct arena *a = &j->arena;
    j->programs = arena_alloc(a, sizeof *j->programs);
    j->program_count = 1;
    j->programs[0].name = "fake.cl";
    j->programs[0].source = arena_strdup(a, "kernel");
    j->programs[0].length = 6;
    const char **words = arena_array(a, 5, sizeof(*words));
    words[0] = arena_printf(a, "-DFAKE=%s", behaviour);
    words[1] = arena_printf(a, "-DNS=%llu", (unsigned long long)ns);
    words[2] = arena_printf(a, "-DONCE=%u", id);
    words[3] = arena_printf(a, "-DID=%u", id);
    words[4] = arena_printf(a, "-DSPREAD=%llu", (unsigned long long)spread);
    j->programs[0].options = words;
    j->programs[0].option_count = 5;
    j->launches = arena_alloc(a, sizeof *j->launches);
    j->launch_count = 1;
    j->launches[0].name = j->launches[0].kernel = "k";
    j->launches[0].dimensions = 1;
    j->launches[0].global[0] = j->launches[0].global[1] = j->launches[0].global[2] = 1;
    j->launches[0].local[0] = j->launches[0].local[1] = j->launches[0].local[2] = 1;
    j->configuration = arena_printf(a, "ID=%u", id);
    j->configuration_json = arena_printf(a, "{\"ID\": %u}", id);
    return j;
}

struct job *make_job(const char *behaviour, uint64_t ns, unsigned id)
{
    return make_noisy_job(behaviour, ns, 1, id);
}

struct evaluator *make_live(const struct live_options *o)
{
    struct error e = ERROR_INIT;
    struct evaluator *ev = live_new(o, &e);
    ck_assert_msg(ev != NULL, "%s", e.text);
    return ev;
}

void submit(struct evaluator *ev, unsigned id, const char *behaviour, uint64_t ns)
{
    struct error e = ERROR_INIT;
    ck_assert_msg(evaluator_submit(ev, id, make_job(behaviour, ns, id), &e), "%s", e.text);
}

struct result *take(struct evaluator *ev, uint64_t *ticket)
{
    struct error e = ERROR_INIT;
    struct outcome out = {0};
    int got = evaluator_take(ev, 60000, &out, &e);
    ck_assert_msg(got == 1, "no outcome: %s", e.text);
    *ticket = out.ticket;
    return out.result;
}

void take_correct(struct evaluator *ev, uint64_t ticket)
{
    uint64_t got;
    struct result *r = take(ev, &got);
    ck_assert_uint_eq(got, ticket);
    ck_assert_msg(r->status == STATUS_CORRECT, "%s", r->message);
    result_free(r);
}

const char *events(void)
{
    static char all[1 << 16];
    FILE *f = fopen(events_file, "r");
    all[0] = 0;
    if (!f)
        return all;
    ck_assert_int_eq(fseek(f, (long)events_read, SEEK_SET), 0);
    size_t got = fread(all, 1, sizeof all - 1, f);
    all[got] = 0;
    events_read += got;
    fclose(f);
    return all;
}

unsigned count_events(const char *all, const char *begin)
{
    unsigned count = 0;
    for (const char *line = all; line && *line; line = strchr(line, '\n') + 1)
        count += strncmp(line, begin, strlen(begin)) == 0;
    return count;
}
