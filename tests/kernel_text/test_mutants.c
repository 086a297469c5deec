// Mutants of kernels' texts.
#include "kernel_text/kernel_mutants.h"

#include "../base/suite.h"
#include "base/text.h"

#include <string.h>

static struct kernel_mutant *mutants;
static size_t count;
static struct arena arena;

static void make(const char *text, size_t most)
{
    arena_init(&arena);
    ck_assert(kernel_mutants_make(text, strlen(text), most, &arena, &mutants, &count));
}

// Every mutant as its change and its text.
static void expect(const char *text, const char *expected)
{
    struct text all = TEXT_INIT;
    make(text, 100);
    for (size_t i = 0; i < count; i++) {
        text_addf(&all, "%s: %s\n", mutants[i].change, mutants[i].text);
        ck_assert_uint_eq(strlen(mutants[i].text), mutants[i].length);
    }
    ck_assert_str_eq(text_cstr(&all), expected);
    text_release(&all);
    arena_release(&arena);
}

START_TEST(barriers)
{
    expect("a(); barrier(CLK_LOCAL_MEM_FENCE); b();",
           "without barrier(CLK_LOCAL_MEM_FENCE): a(); (void)0; b();\n");
    expect("__syncthreads ( );x", "without __syncthreads ( ): (void)0;x\n");
    expect("if (x) barrier(f(1));", "without barrier(f(1)): if (x) (void)0;\n");
    expect("#define SYNC barrier(1)\nint barrier; // barrier(2)\n/* */ barrier(3);", "");
}
END_TEST

START_TEST(bounds)
{
    expect("if (i < N) a<b;",
           "<= for <: if (i <= N) a<b;\none less behind <: if (i < -1 + N) a<b;\n");
    expect("while(f(i)<=N)g(x<y);", "< for <=: while(f(i)<N)g(x<y);\n");
    expect("if (i >= N ||\n j > M) x();", "> for >=: if (i > N ||\n j > M) x();\n"
                                          ">= for >: if (i >= N ||\n j >= M) x();\n");
    expect("vector<int> v; x = i < N; p->x >>= 1; if (p->x << 1) y();", "");
    expect("if (/* all */ i < N) x();\nif (i < \\\nN) x();",
           "<= for <: if (/* all */ i < N) x();\nif (i <= \\\nN) x();\n"
           "one less behind <: if (/* all */ i < N) x();\nif (i < -1 + \\\nN) x();\n");
    expect("#if A < 3\n#endif\n", "");
    expect("", "");
    expect(")) if (", "");
}
END_TEST

START_TEST(some)
{
    make("\tif (a < b) x(); // why\nif (c < d) y();\nif (e < f) z();\n", 3);
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(mutants[0].line, "if (a < b) x();");
    ck_assert_str_eq(mutants[1].line, "if (c < d) y();");
    ck_assert_str_eq(mutants[2].line, "if (e < f) z();");
    arena_release(&arena);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, barriers);
    tcase_add_test(tests, bounds);
    tcase_add_test(tests, some);
}

int main(void)
{
    return suite_run("text_mutants", add);
}
