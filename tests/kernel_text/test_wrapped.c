// Texts that a C++ file includes: what they are wrapped in becomes blanks, and nothing else changes.
#include "kernel_text/wrapped.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text, *opened; // NULL: as it is
} known[] = {
    {"R\"(\nkernel void k() {}\n)\"", "   \nkernel void k() {}\n  "},
    {"// c \"\n/* d\n*/ R\"x(a)\" b)x\";\n", "// c \"\n/* d\n*/     a)\" b    \n"},
    {"R\"(a)\"\n// between\nR\"(b)\"\n", "   a  \n// between\n   b  \n"},
    {"R\"(a", NULL},
    {"R\"(a)\" + x", NULL},
    {"R\"x(a)\"", NULL},
    {"int a; R\"(a)\"", NULL},
    {"R\"seventeen_letters(a)seventeen_letters\"", NULL},
    // a macro
    {"S(\n\\n#define A 1\nkernel void k(int a) { f(\"\\n)\", ')'); } // )\n)\n",
     "  \n  #define A 1\nkernel void k(int a) { f(\"\\n)\", ')'); } // )\n \n"},
    {"STR ({a;}) ;", "     {a;}   "},
    // a declaration, behind a guard
    {"#ifndef A\n#define A\nstatic const char *const a = S(\n{a;}\n);\n#endif",
     "#ifndef A\n#define A\n                               \n{a;}\n  \n#endif"},
    {"const char a[] = R\"(b)\";\nstd::string c =\nR\"(d)\";",
     "                    b   \n               \n   d   "},
    {"const int a = S({b;});", NULL},
    {"const char *a = 0;", NULL},
    {"const char *a", NULL},
    {"DEFINE_KERNEL(float, 4)\n", NULL},
    {"S(a) b", NULL},
    {"S(a", NULL},
    {"S", NULL},
    {"(a)", NULL},
    {"1S(a)", NULL},
    {"kernel void k() {}\n", NULL},
    {"", NULL},
    {"R\"", NULL},
    {"S(\"a", NULL},
    {"S('\\", NULL},
    {"/*", NULL},
};

START_TEST(texts)
{
    // Exactly as long as it is: a sanitizer sees what is read behind it.
    const size_t length = strlen(known[_i].text);
    char *text = malloc(length ? length : 1);
    ck_assert_ptr_nonnull(text);
    memcpy(text, known[_i].text, length);
    wrapped_open(text, length);
    const char *right = known[_i].opened ? known[_i].opened : known[_i].text;
    ck_assert_msg(strlen(right) == length && memcmp(text, right, length) == 0, "%s: %.*s",
                  known[_i].text, (int)length, text);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("wrapped");
    TCase *tests = tcase_create("texts");
    tcase_add_loop_test(tests, texts, 0, sizeof known / sizeof *known);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
