// What the test programs of this folder share: one suite, one test case, one way to run it.
#ifndef HONE_TESTS_BASE_SUITE_H
#define HONE_TESTS_BASE_SUITE_H

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

// A sanitizer looks at memory and threads: arithmetic that is proved without one, and only repeats under it what other
// tests do, is left out or done in part.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SUITE_SANITIZED true
#else
#define SUITE_SANITIZED false
#endif

// What the suite leaves to a stage of its own (cmake/test.sh --kernels), and nothing else, is wanted: the rest of a loop whose
// kernels a driver compiles for long.
static inline bool suite_rest(void)
{
    return getenv("HONE_TEST_REST") != NULL;
}

// Runs what `add` adds to a test case and returns the exit status of the program.
static inline int suite_run(const char *name, void (*add)(TCase *tests))
{
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, 60);
    add(tests);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
