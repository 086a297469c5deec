// A strategy in a thread of its own asks what it asks without, and may be left at any time.
#include "grid.h"
#include "search/threaded.h"

#include <string.h>

// With `flight` questions open, the oldest answered first: the questions in their order.
static size_t ask_in_flight(const struct fixture *f, bool beside, const char *name, size_t flight,
                            uint64_t *asked)
{
    struct strategy *s = start(f, name, 60, 3);
    size_t told = 0, count = 0, got = 1;
    if (beside) {
        const char *before = strategy_description(s);
        s = threaded_new(s, 0);
        ck_assert_str_eq(strategy_description(s), before);
        ck_assert(strncmp(name, strategy_name(s), strlen(strategy_name(s))) == 0);
    }
    while (told < count || got > 0) {
        size_t want = flight - (count - told);
        got = want ? strategy_ask(s, asked + count, want) : 0;
        while (got < want && strategy_wait(s, 1000)) {
            count += got;
            want -= got;
            got = strategy_ask(s, asked + count, want);
        }
        count += got;
        ck_assert_uint_le(count, GRID);
        if (told == count)
            break;
        strategy_cost(s, asked[told], 1e6);
        strategy_tell(s, asked[told], asked[told] % 7 ? STATUS_CORRECT : STATUS_COMPILE,
                      1.0 + (double)(asked[told] * 37 % 91));
        told++;
    }
    ck_assert_uint_eq(strategy_ask(s, asked + count, 1), 0);
    strategy_free(s);
    return count;
}

// A thread of its own changes nothing but who waits.
START_TEST(threaded_asks_the_same)
{
    static const char *const names[] = {"surrogate", "genetic", "anneal", "random"};
    struct fixture f = open_space(DATA "grid.json");
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        for (size_t flight = 1; flight <= 17; flight += 8) {
            uint64_t alone[GRID + 1], beside[GRID + 1];
            ck_assert_uint_eq(ask_in_flight(&f, false, names[n], flight, alone), GRID);
            ck_assert_uint_eq(ask_in_flight(&f, true, names[n], flight, beside), GRID);
            ck_assert_mem_eq(alone, beside, GRID * sizeof *alone);
        }
    }
    close_space(&f);
}
END_TEST

// Its end does not wait for what nobody asks for any more.
START_TEST(threaded_may_be_left)
{
    struct fixture f = open_space(DATA "grid.json");
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct strategy *s = threaded_new(start(&f, "surrogate", 60, seed), 0);
        uint64_t asked[4];
        if (seed % 2)
            strategy_ask(s, asked, 4);
        if (seed % 4 == 1)
            ck_assert(strategy_wait(s, 10000));
        strategy_free(s);
    }
    close_space(&f);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("threaded");
    TCase *tests = tcase_create("threaded");
    tcase_set_timeout(tests, 100);
    tcase_add_test(tests, threaded_asks_the_same);
    tcase_add_test(tests, threaded_may_be_left);
    suite_add_tcase(s, tests);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
