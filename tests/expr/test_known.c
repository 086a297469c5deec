// Known answers: what Python says, the expression language says.
#include "environment.h"
#include "known_answers.h"

#include <check.h>
#include <stdlib.h>

START_TEST(answers_as_python)
{
    struct arena arena;
    struct text printed = TEXT_INIT;
    struct error e = ERROR_INIT;
    struct value v;
    const char *text = known_answers[_i].text;
    arena_init(&arena);
    struct expr *x = expr_parse(&arena, text, &environment, &e);
    ck_assert_msg(x != NULL, "%s: %s", text, e.text);
    enum expr_fault fault = expr_eval(x, environment_slots, &arena, &v);
    ck_assert_msg(fault == EXPR_FAULT_NONE, "%s: %s", text, expr_fault_text(fault));
    value_print(&v, &printed);
    ck_assert_msg(str_equal(text_cstr(&printed), known_answers[_i].answer), "%s: %s, not %s", text,
                  text_cstr(&printed), known_answers[_i].answer);
    text_release(&printed);
    arena_release(&arena);
}
END_TEST

// The compiled restriction and the tree agree on the truth.
START_TEST(tests_as_it_answers)
{
    struct arena arena;
    struct error e = ERROR_INIT;
    struct value v;
    bool truth;
    const char *text = known_answers[_i].text;
    arena_init(&arena);
    struct expr *x = expr_parse(&arena, text, &environment, &e);
    ck_assert_msg(x != NULL, "%s: %s", text, e.text);
    ck_assert_int_eq(expr_eval(x, environment_slots, &arena, &v), EXPR_FAULT_NONE);
    ck_assert_int_eq(expr_test(x, environment_slots, &arena, &truth), EXPR_FAULT_NONE);
    ck_assert_msg(truth == value_truth(&v), "%s: %s", text, truth ? "true" : "false");
    arena_release(&arena);
}
END_TEST

// A space that others counted: GEMM of CLTune with its seven restrictions.
static unsigned long count_gemm(struct expr *const *restrictions, size_t restriction_count,
                                struct arena *scratch)
{
    static const int sizes[] = {16, 32, 64, 128}, dims[] = {8, 16, 32}, vectors[] = {1, 2, 4, 8};
    unsigned long valid = 0;
    // MWG NWG KWG MDIMC NDIMC MDIMA NDIMB KWI VWM VWN
    for (unsigned long i = 0; i < 4UL * 4 * 2 * 3 * 3 * 3 * 3 * 2 * 4 * 4; i++) {
        unsigned long rest = i;
        struct value slots[10];
        for (int k = 0; k < 10; k++) {
            static const unsigned counts[] = {4, 4, 2, 3, 3, 3, 3, 2, 4, 4};
            unsigned digit = (unsigned)(rest % counts[k]);
            rest /= counts[k];
            slots[k] = value_int(k < 3    ? sizes[digit]
                                 : k < 7  ? dims[digit]
                                 : k == 7 ? (digit ? 8 : 2)
                                          : vectors[digit]);
        }
        bool truth = true;
        for (size_t r = 0; r < restriction_count && truth; r++)
            if (expr_test(restrictions[r], slots, scratch, &truth))
                truth = false;
        valid += truth;
    }
    return valid;
}

START_TEST(counts_a_space)
{
    static const char *const names[] = {"MWG",   "NWG",   "KWG", "MDIMC", "NDIMC",
                                        "MDIMA", "NDIMB", "KWI", "VWM",   "VWN"};
    static const char *const texts[] = {
        "KWG % KWI == 0",
        "MWG % (MDIMC * VWM) == 0",
        "NWG % (NDIMC * VWN) == 0",
        "MWG % (MDIMA * VWM) == 0",
        "NWG % (NDIMB * VWN) == 0",
        "KWG % ((MDIMC * NDIMC)/MDIMA) == 0",
        "KWG % ((MDIMC * NDIMC)/NDIMB) == 0",
    };
    struct expr_symbol items[10];
    struct expr *restrictions[7];
    struct arena arena;
    struct error e = ERROR_INIT;
    for (size_t i = 0; i < 10; i++)
        items[i] = (struct expr_symbol){.name = names[i]};
    const struct expr_symbols symbols = {items, 10};
    arena_init(&arena);
    for (size_t i = 0; i < 7; i++) {
        restrictions[i] = expr_parse(&arena, texts[i], &symbols, &e);
        ck_assert_msg(restrictions[i] != NULL, "%s", e.text);
    }
    ck_assert_uint_eq(count_gemm(restrictions, 7, &arena), 15100);
    arena_release(&arena);
}
END_TEST

// A restriction that lists what is allowed is tested as fast with fifty thousand items as with
// five: a walk through this list would look at 10^10 items.
START_TEST(membership_does_not_walk)
{
    enum { ITEMS = 50000, TESTS = 200000 };
    const struct expr_symbol name = {.name = "a"};
    const struct expr_symbols symbols = {&name, 1};
    struct text list = TEXT_INIT;
    struct arena arena;
    struct error e = ERROR_INIT;
    arena_init(&arena);
    text_add(&list, "a in [-1");
    for (int i = 1; i < ITEMS; i++)
        text_addf(&list, ", %d", 2 * (ITEMS - i));
    text_add(&list, "] or a < 0");
    struct expr *x = expr_parse(&arena, text_cstr(&list), &symbols, &e);
    ck_assert_msg(x != NULL, "%s", e.text);
    uint32_t held = 0;
    for (int i = 0; i < TESTS; i++) {
        struct value a = value_int(i);
        bool truth = false;
        ck_assert_int_eq(expr_test(x, &a, &arena, &truth), EXPR_FAULT_NONE);
        held += truth;
    }
    ck_assert_uint_eq(held, ITEMS - 1);
    text_release(&list);
    arena_release(&arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("known");
    TCase *tc = tcase_create("python");
    tcase_add_loop_test(tc, answers_as_python, 0, KNOWN_COUNT);
    tcase_add_loop_test(tc, tests_as_it_answers, 0, KNOWN_COUNT);
    tcase_add_test(tc, counts_a_space);
    tcase_add_test(tc, membership_does_not_walk);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
