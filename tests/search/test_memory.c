// Every allocation of every strategy fails once: it is not made and the error says memory, or it
// asks for less, and nothing is left.
#include "../support/failing.h"
#include "search/search.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGE HONE_SOURCE_DIR "/tests/search/data/large.json"
#define ASKS  300

static const struct space *space;

// Asks and tells; false when the strategy was not made.
static bool search(const char *name, size_t *asked, struct error *e)
{
    struct strategy_setup setup = {.space = space, .budget = 20, .seed = 1};
    struct strategy *s = strategy_new(name, &setup, e);
    uint64_t index;
    *asked = 0;
    while (s && *asked < ASKS && strategy_ask(s, &index, 1) == 1) {
        strategy_tell(s, index, index % 5 ? STATUS_CORRECT : STATUS_RUNTIME, 1 + (double)index);
        ++*asked;
    }
    strategy_free(s);
    return s != NULL;
}

START_TEST(every_allocation)
{
    const char *name = strategies()[_i]->name;
    struct error e = ERROR_INIT;
    size_t asked;
    bool reached = true;
    long n = 0;
    for (; reached; n++) {
        e = (struct error)ERROR_INIT;
        failing_start(n);
        bool made = search(name, &asked, &e);
        reached = failing_end();
        ck_assert_msg(made ? e.code == ERROR_NONE : e.code == ERROR_MEMORY, "%s: allocation %ld",
                      name, n);
        ck_assert_msg(made || reached, "%s: allocation %ld: %s", name, n, e.text);
        ck_assert_msg(failing_left() == 0, "%s: allocation %ld: %ld blocks are left", name, n,
                      failing_left());
    }
    ck_assert_uint_eq(asked, ASKS);
    ck_assert_int_ge(n, 3);
}
END_TEST

int main(void)
{
    struct error e = ERROR_INIT;
    struct spec *spec = spec_load(LARGE, NULL, &e);
    struct space *made = spec ? space_new(spec, NULL, &e) : NULL;
    int count = 0;
    if (!made) {
        fprintf(stderr, "%s\n", e.text);
        return EXIT_FAILURE;
    }
    space = made;
    while (strategies()[count] && !strategies()[count]->argument) // what runs a program
        count++;
    Suite *suite = suite_create("memory");
    TCase *tests = tcase_create("memory");
    tcase_set_timeout(tests, 180);
    tcase_add_loop_test(tests, every_allocation, 0, count);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    space_free(made);
    spec_free(spec);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
