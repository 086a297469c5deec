// Jobs that are built to the same code and launched alike: one of them is measured, the others get
// its result under its name. Whatever may decide a time or an output beside the code tells them
// apart.
#include "fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

// One more word for the compiler.
static void add_option(struct job *j, const char *option)
{
    struct job_program *p = j->programs;
    const char **words = arena_array(&j->arena, p->option_count + (size_t)1, sizeof(*words));
    for (uint32_t i = 0; i < p->option_count; i++)
        words[i] = p->options[i];
    words[p->option_count++] = option;
    p->options = words;
}

static struct job *make_coded(const char *behaviour, uint64_t ns, unsigned id, const char *image)
{
    struct job *j = make_job(behaviour, ns, id);
    struct job_launch *l = j->launches;
    add_option(j, image);
    l->arguments = arena_alloc(&j->arena, sizeof *l->arguments);
    l->argument_count = 1;
    l->arguments[0] = (struct job_argument){.name = "n",
                                            .kind = ARGUMENT_SCALAR,
                                            .element = {.scalar = SCALAR_I32, .width = 1},
                                            .value = "4444",
                                            .length = 4};
    return j;
}

static void hand_in(struct evaluator *ev, struct job *j, uint64_t ticket)
{
    struct error e = ERROR_INIT;
    ck_assert_msg(evaluator_submit(ev, ticket, j, &e), "%s", e.text);
}

// One builder, so that jobs come to the bench in their order.
static struct evaluator *make_comparing(struct device_info *d, enum device_type type)
{
    *d = device(type == DEVICE_CPU);
    d->type = type;
    struct live_options o = options(d);
    o.at.jobs = 1;
    o.by_image = true;
    return make_live(&o);
}

static unsigned asked(const char *all, const char *what, unsigned id)
{
    char line[40];
    str_format(line, sizeof line, "%s %u", what, id);
    return count_events(all, line);
}

// On a GPU what comes next is loaded beside the launch, unless it need not be loaded at all.
START_TEST(the_same_code_is_launched_once)
{
    struct device_info d;
    struct evaluator *ev = make_comparing(&d, _i ? DEVICE_GPU : DEVICE_CPU);
    struct result *results[5] = {NULL};
    uint64_t ticket;
    for (unsigned i = 0; i < 5; i++)
        hand_in(ev, make_coded("good", 1000 * (i + 1), i, i == 3 ? "-DIMAGE=b" : "-DIMAGE=a"), i);
    for (unsigned i = 0; i < 5; i++) {
        struct result *r = take(ev, &ticket);
        results[ticket] = r;
    }
    const char *all = events();
    for (unsigned i = 0; i < 5; i++) {
        const struct result *r = results[i];
        bool is_same = i != 0 && i != 3;
        ck_assert_msg(r->status == STATUS_CORRECT, "%s", r->message);
        ck_assert_str_eq(r->same_as, is_same ? "ID=0" : "");
        ck_assert_msg(asked(all, "load", i) == !is_same, "%u in: %s", i, all);
        ck_assert_msg(asked(all, "verify", i) == !is_same, "%u in: %s", i, all);
        ck_assert_str_eq(r->log, "as it was built");
        if (!is_same)
            continue;
        ck_assert_uint_eq(r->sample_count, results[0]->sample_count);
        ck_assert_mem_eq(r->samples_ns, results[0]->samples_ns,
                         r->sample_count * sizeof *r->samples_ns);
        ck_assert(r->verification == results[0]->verification && r->stop == results[0]->stop);
    }
    for (unsigned i = 0; i < 5; i++)
        result_free(results[i]);
    // One that was not launched can be, in turns.
    struct error e = ERROR_INIT;
    const struct turn turn = {.launches = 3, .batch = 1};
    ck_assert_msg(evaluator_again(ev, 4, &turn, &e), "%s", e.text);
    struct result *again = take(ev, &ticket);
    ck_assert_uint_eq(ticket, 4);
    ck_assert_uint_eq(again->sample_count, 3);
    ck_assert_str_eq(again->same_as, "");
    ck_assert_uint_eq(asked(events(), "load", 4), 1);
    result_free(again);
    evaluator_free(ev);
}
END_TEST

static void change_nothing(struct job *j)
{
    add_option(j, "-DTEXT=other");
}

static void change_global(struct job *j)
{
    j->launches[0].global[0] = 2;
}

static void change_local(struct job *j)
{
    j->launches[0].local[0] = 2;
    j->launches[0].global[0] = 2;
}

static void change_dynamic(struct job *j)
{
    j->launches[0].dynamic_local_bytes = 1024;
}

static void change_scalar(struct job *j)
{
    j->launches[0].arguments[0].value = "4445";
}

static void change_option(struct job *j)
{
    add_option(j, "-cl-nv-maxrregcount=32");
}

static void change_kernel(struct job *j)
{
    j->launches[0].kernel = "other";
}

START_TEST(what_else_decides_tells_them_apart)
{
    static void (*const changes[])(struct job *) = {change_nothing, change_global, change_local,
                                                    change_dynamic, change_scalar, change_option,
                                                    change_kernel};
    struct device_info d;
    struct evaluator *ev = make_comparing(&d, DEVICE_CPU);
    uint64_t ticket;
    hand_in(ev, make_coded("good", 1000, 9, "-DIMAGE=a"), 9);
    result_free(take(ev, &ticket));
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct job *j = make_coded("good", 1000, i, "-DIMAGE=a");
        changes[i](j);
        hand_in(ev, j, i);
        struct result *r = take(ev, &ticket);
        ck_assert_msg((r->same_as[0] != '\0') == (i == 0), "change %u", i);
        result_free(r);
    }
    const char *all = events();
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++)
        ck_assert_msg(asked(all, "verify", i) == (i > 0), "change %u in: %s", i, all);
    evaluator_free(ev);
}
END_TEST

// A wrong result is the code's; what ends a launch or a worker is seen for itself.
START_TEST(failures)
{
    static const struct {
        const char *behaviour;
        bool is_shared;
    } cases[] = {{"wrong", true}, {"out_of_bounds", false}, {"die_running", false}};
    struct device_info d;
    struct evaluator *ev = make_comparing(&d, DEVICE_CPU);
    uint64_t ticket;
    struct result *results[2];
    for (unsigned i = 0; i < 2; i++)
        hand_in(ev, make_coded(cases[_i].behaviour, 1000, i, "-DIMAGE=a"), i);
    for (unsigned i = 0; i < 2; i++) {
        struct result *r = take(ev, &ticket);
        results[ticket] = r;
    }
    ck_assert_int_ne(results[0]->status, STATUS_CORRECT);
    ck_assert_int_eq(results[1]->status, results[0]->status);
    ck_assert_str_eq(results[1]->same_as, cases[_i].is_shared ? "ID=0" : "");
    ck_assert_str_eq(results[1]->message, results[0]->message);
    ck_assert_uint_eq(asked(events(), "verify", 1) > 0, !cases[_i].is_shared);
    result_free(results[0]);
    result_free(results[1]);
    evaluator_free(ev);
}
END_TEST

// No code was handed over, nobody asked for it, or somebody else judges each output.
static bool judge_all(void *context, const struct job *job, const void *const *data,
                      const size_t *lengths, char *why, size_t size)
{
    (void)context, (void)job, (void)data, (void)lengths, (void)why, (void)size;
    return true;
}

START_TEST(nothing_is_the_same_where_nothing_compares)
{
    static const struct judge judge = {.is_right = judge_all};
    struct device_info d = device(true);
    struct live_options o = options(&d);
    uint64_t ticket;
    o.at.jobs = 1;
    o.by_image = _i != 0;
    o.judge = _i == 1 ? &judge : NULL;
    struct evaluator *ev = make_live(&o);
    for (unsigned i = 0; i < 2; i++)
        hand_in(ev, make_coded("good", 1000, i, _i == 2 ? "-DTEXT=a" : "-DIMAGE=a"), i);
    for (unsigned i = 0; i < 2; i++) {
        struct result *r = take(ev, &ticket);
        ck_assert_str_eq(r->same_as, "");
        result_free(r);
    }
    evaluator_free(ev);
}
END_TEST

int main(void)
{
    TCase *cases = make_cases("images", setup, 60);
    tcase_add_loop_test(cases, the_same_code_is_launched_once, 0, 2);
    tcase_add_test(cases, what_else_decides_tells_them_apart);
    tcase_add_loop_test(cases, failures, 0, 3);
    tcase_add_loop_test(cases, nothing_is_the_same_where_nothing_compares, 0, 3);
    return run_cases(cases);
}
