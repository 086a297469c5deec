// Options as words: split as a compiler's driver does it, joined so that they give the same words again.
#include "extras/capture/capture_words.h"

#include "../base/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void splits(const char *text, const char *const *words)
{
    const char *at = text;
    for (size_t i = 0; words[i]; i++) {
        char *word = capture_words_next(&at);
        ck_assert_msg(word && strcmp(word, words[i]) == 0, "%s: %s instead of %s", text,
                      word ? word : "nothing", words[i]);
        free(word);
    }
    ck_assert_ptr_null(capture_words_next(&at));
}

START_TEST(words_are_split)
{
    splits("", (const char *const[]){NULL});
    splits("  -DA=1\t-O2 ", (const char *const[]){"-DA=1", "-O2", NULL});
    splits("-DA=\"x y\" '-I/a b'", (const char *const[]){"-DA=x y", "-I/a b", NULL});
    splits("-DT=a\\ b -DQ=\\\"c\\\"", (const char *const[]){"-DT=a b", "-DQ=\"c\"", NULL});
    splits("\"\" x", (const char *const[]){"", "x", NULL});
}
END_TEST

START_TEST(joined_words_are_the_same)
{
    static const char *const words[] = {"-DA=1",    "-DB=x y", "-I/a b", "-DC=\"s\"", "-DD=\\",
                                        "-DE=it's", "",        "=",      "-DF= ",     NULL};
    const size_t count = sizeof words / sizeof *words - 1;
    char *text = capture_words_join(words, count);
    splits(text, words);
    free(text);
    text = capture_words_join(words + 1, 1); // as compilers of OpenCL take it
    ck_assert_str_eq(text, "-DB=\"x y\"");
    free(text);
    text = capture_words_join(words, 0);
    ck_assert_str_eq(text, "");
    free(text);
}
END_TEST

// `names`: of each variable, a star before one that a kernel may change.
static void has_variables(const char *text, const char *names)
{
    char found[256] = "";
    for (struct capture_variables v = {.at = text}; capture_next_variable(&v);)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%.*s ",
                 v.is_constant ? "" : "*", (int)v.length, v.name);
    ck_assert_str_eq(found, names);
}

START_TEST(variables_are_found)
{
    has_variables("__device__ int a; __constant__ float b[4] = {1, 2};\n"
                  "__managed__ int c, d[2][3], e = f(1, 2);",
                  "*a b *c *d *e ");
    has_variables(
        "static const __device__ int a[] = {1};\nstatic __device__ int b{0};\n"
        "constexpr int n = 1;__device__ constexpr int c = 2; extern \"C\" __device__ T d;",
        "a *b c *d ");
    has_variables("__device__ const int *a; __device__ const int *const b = x;", "*a b ");
    has_variables("__device__ pair<int, 2> a; __device__ __align__(16) int b[2 < 3 ? 1 : 2], c;"
                  "__device__ /* of (each) */ int d // is\n = 3;",
                  "*a *b *c *d ");
    has_variables("", "");
    has_variables("__device__", "");
    has_variables("__device__ int a", "");
    has_variables("__device__ int f(int a);\n__device__ T operator+(T a) { return a; }\n"
                  "__device__ bool operator<(T a) { return 1; } // __device__ int a;\n"
                  "__device__ T &operator[](int i); /* __device__ int a; */ __device__ int b;"
                  "#define D __device__\n#include <x>\nint __device__x; x /",
                  "*b ");
}
END_TEST

static void is_called(const char *symbol, const char *expected)
{
    size_t length;
    const char *name = capture_symbol_name(symbol, &length);
    ck_assert_int_eq(length, strlen(expected));
    ck_assert(memcmp(name, expected, length) == 0);
}

START_TEST(symbols_have_names)
{
    is_called("a", "a");
    is_called("_ZN4wave7factorsE", "factors");
    is_called("_ZL1a", "a");
    is_called("_Z0", "_Z0");
    is_called("_Z9a", "_Z9a");
    is_called("", "");
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, variables_are_found);
    tcase_add_test(tests, symbols_have_names);
    tcase_add_test(tests, words_are_split);
    tcase_add_test(tests, joined_words_are_the_same);
}

int main(void)
{
    return suite_run("words", add);
}
