// A node on this machine with the real worker and the driver for tests.
#include "../runner/fixture.h"

#include "extras/nodes/node.h"
#include "model/probe.h"

#include <check.h>

#define PROGRAM HONE_BINARY_DIR "/hone-worker"

enum { JOBS = 3 };

static struct job *numbered(unsigned id)
{
    struct job *j = job_probe(LANGUAGE_OPENCL);
    const char **words = arena_alloc(&j->arena, sizeof(*words));
    words[0] = arena_printf(&j->arena, "-DID=%u", id);
    j->programs[0].options = words;
    j->programs[0].option_count = 1;
    j->configuration = arena_printf(&j->arena, "ID=%u", id);
    return j;
}

// The whole way with the real worker: its own program is what an agent starts.
START_TEST(a_node_measures_what_it_lists)
{
    static const char *const launcher[] = {PROGRAM, "--node", "--locks", folder, NULL};
    struct device_report report = {0};
    struct error e = ERROR_INIT;
    struct arena a;
    arena_init(&a);
    struct node *n =
        node_new(&(struct node_options){.name = "n1", .worker = PROGRAM, .launcher = launcher}, &e);
    ck_assert_msg(n && node_wait(&n, 1, 60000), "%s", e.text);
    ck_assert_msg(node_state(n) == NODE_UP, "%s", node_reason(n));
    ck_assert_msg(live_devices(&(struct place){.node = n, .environment = environment},
                               languages_unnamed(), &a, &report, NULL, 0, &e),
                  "%s", e.text);
    ck_assert_uint_eq(report.device_count, 1);
    struct live_options o = options(&report.devices[0]);
    o.at.node = n;
    o.at.jobs = 1;
    o.terms.build_limit_ns = o.terms.launch_limit_ns = o.terms.driver_limit_ns = 60000000000u;
    struct evaluator *ev = make_live(&o);
    for (unsigned i = 0; i < JOBS; i++)
        ck_assert(evaluator_submit(ev, i, numbered(i), &e));
    for (unsigned i = 0; i < JOBS; i++) {
        uint64_t ticket;
        struct result *r = take(ev, &ticket);
        ck_assert_msg(r->status == STATUS_CORRECT, "%s", r->message);
        result_free(r);
    }
    evaluator_free(ev);
    node_free(n);
    arena_release(&a);
}
END_TEST

int main(void)
{
    TCase *cases = make_cases("node_driver", setup, 120);
    tcase_add_test(cases, a_node_measures_what_it_lists);
    return run_cases(cases);
}
