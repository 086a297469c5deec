// The queue of a judge: who is judged again, alone, at its end, and who is not. Arrays have no place to spare, for the sanitizers.
#include "extras/judge/judging_inside.h"

#include <check.h>
#include <stdlib.h>

enum { MOST = 6 };

struct fixture {
    struct judging j;
    struct device_info device;
    struct point point;
    struct contestant *all;
};

static void start(struct fixture *f, size_t count)
{
    static const char *const names[MOST] = {"a", "b", "c", "d", "e", "f"};
    *f = (struct fixture){.device = {.type = DEVICE_CPU, .language = LANGUAGE_OPENCL}};
    struct judging *j = &f->j;
    arena_init(&j->arena);
    j->o.setup.at.device = &f->device;
    j->points = &f->point;
    j->point_count = 1;
    j->queued = count;
    f->all = calloc(count, sizeof *f->all);
    j->queue = calloc(count, sizeof(struct contestant *));
    j->ready = calloc(count, sizeof(struct contestant *));
    ck_assert(f->all && j->queue && j->ready);
    for (size_t i = 0; i < count; i++) {
        struct contestant *c = j->queue[i] = &f->all[i];
        c->leader = c->chosen = c;
        c->record.variants = 1;
        c->record.at = names[i];
        c->attempts = calloc(1, sizeof *c->attempts);
        ck_assert_ptr_nonnull(c->attempts);
    }
}

static void finish(struct fixture *f)
{
    for (size_t i = 0; i < f->j.queued; i++)
        free(f->all[i].attempts);
    free(f->all);
    free(f->j.queue);
    free(f->j.ready);
    arena_release(&f->j.arena);
}

static void begin(struct fixture *f, size_t group)
{
    struct judging *j = &f->j;
    for (const size_t end = judging_end_of_shared(j, MOST); j->ahead < end;) {
        j->queue[j->ahead]->begun = true;
        judging_note_begun(j);
    }
    j->group_end = judging_end_of_shared(j, group);
}

// As when a session is closed, and opened again.
static void reopen(struct fixture *f)
{
    f->j.ahead = f->j.group_end = f->j.current;
    f->j.hosted = 0;
    f->j.guest = NULL;
}

static void go_wrong(struct fixture *f, size_t which, enum status status, const char *message)
{
    struct result r = {.status = status};
    r.log = "";
    r.message = message;
    contestant_fail_in_rounds(&f->j, &f->all[which], &f->point, &r);
}

static void end_all(struct fixture *f)
{
    while (f->j.current < f->j.group_end)
        judging_end_first(&f->j);
}

START_TEST(test_order)
{
    struct fixture f;
    struct judging *j = &f.j;
    start(&f, 6);
    begin(&f, 4);
    ck_assert(j->ahead == 6 && j->group_end == 4 && j->hosted == 6);
    go_wrong(&f, 1, STATUS_CORRECTNESS, "wrong");
    go_wrong(&f, 3, STATUS_CORRECTNESS, "wrong");
    f.all[0].over = f.all[2].over = true;
    end_all(&f);
    ck_assert(j->current == 2 && j->ahead == 4 && j->doubted == 2 && j->ready_count == 2);
    static const size_t order[] = {0, 2, 4, 5, 1, 3};
    for (size_t i = 0; i < 6; i++)
        ck_assert_ptr_eq(j->queue[i], &f.all[order[i]]);
    ck_assert(!f.all[1].over && !f.all[1].begun && f.all[1].was_doubted && !f.all[4].was_doubted);
    ck_assert(!judging_is_repeat(j) && judging_end_of_shared(j, MOST) == 4);
    begin(&f, 4);
    f.all[4].over = f.all[5].over = true;
    end_all(&f);
    for (size_t i = 1; i <= 3; i += 2) {
        ck_assert(judging_is_repeat(j) && judging_is_alone(j));
        reopen(&f);
        begin(&f, 4);
        ck_assert(j->group_end == j->current + 1 && j->hosted == 1);
        go_wrong(&f, i, STATUS_CORRECTNESS, "wrong");
        end_all(&f);
        j->doubted--;
        ck_assert(f.all[i].over && f.all[i].record.verdict == JUDGE_CHEATS);
    }
    ck_assert(j->current == 6 && j->ready_count == 6 && j->doubted == 0);
    finish(&f);
}
END_TEST

START_TEST(test_all)
{
    struct fixture f;
    start(&f, 3);
    begin(&f, 6);
    for (size_t i = 0; i < 3; i++)
        go_wrong(&f, i, STATUS_CORRECTNESS, "wrong");
    end_all(&f);
    ck_assert(f.j.current == 0 && f.j.ahead == 0 && f.j.doubted == 3 && f.j.ready_count == 0);
    ck_assert(judging_is_repeat(&f.j) && judging_end_of_shared(&f.j, MOST) == 1);
    for (size_t i = 0; i < 3; i++)
        ck_assert_ptr_eq(f.j.queue[i], &f.all[i]);
    finish(&f);
}
END_TEST

// The second of two; is it judged again?
static bool is_put_off(struct fixture *f, enum status status, const char *message)
{
    begin(f, 6);
    go_wrong(f, 1, status, message);
    f->all[0].over = true;
    end_all(f);
    const bool is = f->j.doubted == 1;
    ck_assert(is == !f->all[1].over && f->j.current == (is ? 1 : 2));
    return is;
}

START_TEST(test_own_fault)
{
    static const struct {
        enum status status;
        const char *message;
        enum device_type type;
        bool again, expected;
    } cases[] = {
        {STATUS_CORRECTNESS, "wrong", DEVICE_CPU, false, true},
        {STATUS_CORRECTNESS, "wrong", DEVICE_GPU, false, false},
        {STATUS_CORRECTNESS, "wrong", DEVICE_CPU, true, false}, // in the final, after the screening
        {STATUS_CORRECTNESS, "it keeps results", DEVICE_CPU, false, false},
        {STATUS_RUNTIME, "changed read-only x", DEVICE_CPU, false, false},
        {STATUS_TIMEOUT, "too long", DEVICE_CPU, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        start(&f, 2);
        f.device.type = cases[i].type;
        f.all[1].was_put_off = cases[i].again;
        ck_assert(is_put_off(&f, cases[i].status, cases[i].message) == cases[i].expected);
        finish(&f);
    }
}
END_TEST

// Its own variants are no others, and of all of them one is judged again.
START_TEST(test_variants)
{
    for (size_t others = 0; others < 2; others++) {
        struct fixture f;
        start(&f, 3);
        f.all[2].leader = &f.all[1];
        f.all[1].record.variants = f.all[2].record.variants = 2;
        f.all[1].unscreened = 2;
        f.j.current = f.j.ahead = 1 - others;
        begin(&f, 6);
        ck_assert(f.j.hosted == 1 + others);
        f.all[0].over = true;
        go_wrong(&f, 1, STATUS_CORRECTNESS, "wrong");
        go_wrong(&f, 2, STATUS_CORRECTNESS, "wrong");
        end_all(&f);
        ck_assert(f.j.doubted == others && f.all[1].was_doubted == (others == 1));
        ck_assert(!f.all[2].was_doubted && f.all[1].unscreened == others);
        finish(&f);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("judge");
    TCase *t = tcase_create("queue");
    tcase_add_test(t, test_order);
    tcase_add_test(t, test_all);
    tcase_add_test(t, test_own_fault);
    tcase_add_test(t, test_variants);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
