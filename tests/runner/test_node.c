// A node on this machine: hone-worker --link and --node between the evaluator and workers that
// behave as they are told.
#include "fixture.h"

#include "os/process.h"
#include "runner/node.h"
#include "worker/device_lock.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM  HONE_BINARY_DIR "/hone-worker"
#define PATIENCE 60000
#define BEAT_NS  100000000ull
#define LEASE_NS 3000000000ull

static const char *const agent[] = {PROGRAM,   "--node", "--worker", FAKE_WORKER,
                                    "--locks", folder,   NULL};

static struct node *start_node(const char *const *launcher)
{
    struct error e = ERROR_INIT;
    struct node *n = node_new(&(struct node_options){.name = "n1",
                                                     .worker = PROGRAM,
                                                     .launcher = launcher,
                                                     .beat_ns = BEAT_NS,
                                                     .lease_ns = LEASE_NS},
                              &e);
    ck_assert_msg(n != NULL, "%s", e.text);
    return n;
}

static struct node *start_up(void)
{
    struct node *n = start_node(agent);
    ck_assert(node_wait(&n, 1, PATIENCE));
    ck_assert_msg(node_state(n) == NODE_UP, "%s", node_reason(n));
    return n;
}

static struct live_options options_on(struct node *n, const struct device_info *d)
{
    struct live_options o = options(d);
    o.node = n;
    o.terms.build_limit_ns = o.terms.launch_limit_ns = 5000000000u;
    return o;
}

START_TEST(it_says_what_it_is)
{
    struct node *n = start_up();
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    ck_assert_str_eq(node_about(n)->host, host);
    ck_assert_str_eq(node_about(n)->version, HONE_VERSION);
    ck_assert_uint_ge(node_about(n)->cores, 1);
    ck_assert_str_eq(node_name(n), "n1");
    ck_assert_str_eq(node_reason(n), "");
    node_free(n);
}
END_TEST

START_TEST(it_lists_devices)
{
    struct node *n = start_up();
    struct arena a;
    struct device_report report;
    struct error e = ERROR_INIT;
    arena_init(&a);
    ck_assert_msg(live_devices(n, NULL, environment, LANGUAGES_ALL, &a, &report, NULL, &e), "%s",
                  e.text);
    ck_assert_uint_eq(report.device_count, 1);
    ck_assert_str_eq(report.devices[0].name, "fake device");
    arena_release(&a);
    node_free(n);
}
END_TEST

START_TEST(jobs_come_back)
{
    struct node *n = start_up();
    struct device_info d = device(false);
    struct live_options o = options_on(n, &d);
    struct evaluator *ev = make_live(&o);
    bool seen[64] = {false};
    for (unsigned i = 0; i < 40; i++)
        submit(ev, i, "good", 1000 + i);
    for (unsigned i = 0; i < 40; i++) {
        uint64_t ticket;
        struct result *r = take(ev, &ticket);
        ck_assert_msg(r->status == STATUS_CORRECT, "%s", r->message);
        ck_assert(ticket < 40 && !seen[ticket]);
        seen[ticket] = true;
        result_free(r);
    }
    evaluator_free(ev);
    node_free(n);
}
END_TEST

START_TEST(crashes_are_blamed)
{
    struct node *n = start_up();
    struct device_info d = device(false);
    struct live_options o = options_on(n, &d);
    o.terms.launch_limit_ns = 300000000u;
    struct evaluator *ev = make_live(&o);
    static const struct {
        const char *behaviour, *message;
        enum status status;
    } cases[] = {{"die_building",
                  "was killed by SIGABRT (aborted); the last it printed: fake worker: last words",
                  STATUS_COMPILE},
                 {"die_running", "SIGABRT", STATUS_RUNTIME},
                 {"hang_running", "still running after", STATUS_TIMEOUT},
                 {"exit_running", "exited with status", STATUS_RUNTIME},
                 {"die_running_once", "", STATUS_CORRECT}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t ticket;
        submit(ev, i, cases[i].behaviour, 1000);
        struct result *r = take(ev, &ticket);
        ck_assert_msg(r->status == cases[i].status, "%s: %s", cases[i].behaviour, r->message);
        ck_assert_msg(strstr(r->message, cases[i].message) != NULL, "%s: %s", cases[i].behaviour,
                      r->message);
        result_free(r);
    }
    evaluator_free(ev);
    node_free(n);
}
END_TEST

int main(void)
{
    TCase *cases = make_cases("node", setup, 120);
    tcase_add_test(cases, it_says_what_it_is);
    tcase_add_test(cases, it_lists_devices);
    tcase_add_test(cases, jobs_come_back);
    tcase_add_test(cases, crashes_are_blamed);
    return run_cases(cases);
}
