// Every allocation of every strategy fails once: it is not made and the error says memory, or it
// asks for less, and nothing is left.
#include "../support/failing.h"
#include "search/search.h"
#include "search/source.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGE HONE_SOURCE_DIR "/tests/search/data/large.json"
#define ASKS  150

static const struct space *space;
static const struct source *sources[1];

// Asks and tells; false when the strategy was not made.
static bool search(const char *name, size_t *asked, struct error *e)
{
    struct strategy_setup setup = {
        .space = space, .budget = 20, .seed = 1, .sources = sources, .source_count = 1};
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

// Some of the space, as if it had been measured elsewhere.
static struct source *make_source(const char **why, struct error *e)
{
    static uint32_t choices[50][8];
    static struct source_row rows[50];
    const struct spec *spec = space_spec(space);
    for (uint64_t i = 0; i < 50; i++) {
        space_get(space, i * (space_count(space) / 50), choices[i]);
        rows[i] = (struct source_row){choices[i], 1 + (double)(i * 7 % 50)};
    }
    const struct source_setup setup = {.space = space,
                                       .name = "made",
                                       .parameters = spec->parameters,
                                       .parameter_count = spec->parameter_count,
                                       .rows = rows,
                                       .count = 50};
    return source_new(&setup, why, e);
}

START_TEST(every_allocation_of_a_source)
{
    bool reached = true;
    for (long n = 0; reached; n++) {
        struct error e = ERROR_INIT;
        const char *why;
        failing_start(n);
        struct source *s = make_source(&why, &e);
        source_free(s);
        reached = failing_end();
        ck_assert_msg(s ? e.code == ERROR_NONE : e.code == ERROR_MEMORY && !why, "allocation %ld",
                      n);
        ck_assert_msg(failing_left() == 0, "allocation %ld: %ld blocks are left", n,
                      failing_left());
    }
}
END_TEST

int main(void)
{
    const char *why;
    struct error e = ERROR_INIT;
    struct spec *spec = spec_load(LARGE, NULL, &e);
    struct space *made = spec ? space_new(spec, NULL, &e) : NULL;
    int count = 0;
    if (!made) {
        fprintf(stderr, "%s\n", e.text);
        return EXIT_FAILURE;
    }
    space = made;
    struct source *source = make_source(&why, &e);
    sources[0] = source;
    while (strategies()[count] && !strategies()[count]->argument) // what runs a program
        count++;
    Suite *suite = suite_create("memory");
    TCase *tests = tcase_create("memory");
    tcase_set_timeout(tests, 180);
    tcase_add_loop_test(tests, every_allocation, 0, count);
    tcase_add_test(tests, every_allocation_of_a_source);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    source_free(source);
    space_free(made);
    spec_free(spec);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
