// A program's definitions as defaults: which lines are guarded, and which are left alone.
#include "extras/capture/capture_guard.h"

#include "../base/suite.h"

#include <stdlib.h>

static void check_guarded(const char *text, const char *expected)
{
    char *guarded = capture_guard_text(text), *again = capture_guard_text(guarded);
    ck_assert_str_eq(guarded, expected);
    ck_assert_str_eq(again, guarded);
    free(guarded);
    free(again);
}

START_TEST(numbers_are_guarded)
{
    check_guarded("#define WGS 64\nint x;", "#ifndef WGS\n#define WGS 64\n#endif\nint x;");
    check_guarded("  # define\tWGS 64 // items\n",
                  "#ifndef WGS\n  # define\tWGS 64 // items\n#endif\n");
    check_guarded("#define A 1\n#define AB 2",
                  "#ifndef A\n#define A 1\n#endif\n#ifndef AB\n#define AB 2\n#endif\n");
}
END_TEST

START_TEST(others_are_left_alone)
{
    static const char *const texts[] = {
        "",
        "#define F(x) 1\n",
        "#define A 1.0f\n#define B float\n#define C\n#define D 4 + 4\n",
        "#ifndef A\n#define A 4\n#endif\n",
        "#if X\n#define A 4\n#endif\n",
        "#define A 4\n#undef A\n",
        "#ifdef A\n#endif\n#define A 4\n",
        "/*\n#define A 4\n*/\n",
        "#define X \\\n#define A 4\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_guarded(texts[i], texts[i]);
    check_guarded("#define A 4\n#if A > 2 || AB\n#endif\n#define AB 2\n",
                  "#ifndef A\n#define A 4\n#endif\n#if A > 2 || AB\n#endif\n#define AB 2\n");
    check_guarded("#define A 4\n#define A 5\n", "#ifndef A\n#define A 4\n#endif\n#define A 5\n");
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, numbers_are_guarded);
    tcase_add_test(tests, others_are_left_alone);
}

int main(void)
{
    return suite_run("guard", add);
}
