// What is left of a text behind its directives.
#include "kernel_text/preprocess.h"

#include "base/text.h"

#include "../base/suite.h"

#include <string.h>

static bool run(const char *text, const struct given_names *given, enum language l, struct arena *a,
                struct preprocessed *out)
{
    struct lone_text lone;
    return lone_text_read(text, strlen(text), a, &lone) && lone_text_run(&lone, given, l, a, out);
}

// The words of what is left, a blank between two.
static void expect_words_in(enum language l, const char *text, struct given_names given,
                            const char *expected)
{
    struct arena arena;
    struct preprocessed out;
    struct text words = TEXT_INIT;
    arena_init(&arena);
    ck_assert(run(text, &given, l, &arena, &out));
    for (size_t i = 0; i < out.count; i++)
        text_addf(&words, "%s%s", i ? " " : "", out.tokens[i].text);
    ck_assert_str_eq(text_cstr(&words), expected);
    text_release(&words);
    arena_release(&arena);
}

static void expect_words(const char *text, struct given_names given, const char *expected)
{
    expect_words_in(LANGUAGE_OPENCL, text, given, expected);
}

#define NONE ((struct given_names){NULL, 0})

START_TEST(macros_are_replaced)
{
    expect_words("#define A 1 + B\n#define B A\nA B", NONE, "1 + A 1 + B");
    expect_words("#define F(x, y) x * (y)\nF(a, F(b, c)) F", NONE, "a * ( b * ( c ) ) F");
    expect_words("#define J(a, b) a##b\n#define X 4\nJ(float, X) J(f, loat4)", NONE,
                 "floatX float4");
    expect_words("#define E\n#define G(x) [x E]\nG(E 1) #undef\n#undef E\nE", NONE,
                 "[ 1 ] # undef E");
    expect_words("a <<= 1e-5f + .5 ; b ::c", NONE, "a <<= 1e-5f + .5 ; b :: c");
    expect_words("#define TWICE TWICE2 TWICE2\n#define TWICE2 x x\nTWICE", NONE, "x x x x");
    expect_words("#define F(x) x\nF (1) F(\n2)", NONE, "1 2");
}
END_TEST

START_TEST(conditions_are_evaluated)
{
    static const struct given_name list[] = {{"V", 4}, {"Z", 0}};
    const struct given_names given = {list, 2};
    expect_words("#if V == 1\none\n#elif V == 4\nfour\n#else\nmore\n#endif", given, "four");
    expect_words("#if Z\na\n#else\nb\n#if V > 2 && !Z\nc\n#endif\n#endif", given, "b c");
    expect_words(
        "#ifdef V\na\n#endif\n#ifndef W\nb\n#endif\n#if defined(W) || defined V\nc\n#endif", given,
        "a b c");
    expect_words("#define S (V * 2)\n#if S % 3 == 2 && (S << 1) == 16\nyes\n#endif", given, "yes");
    // A name that is given is never defined anew, and stays a name.
    expect_words("#ifndef V\n#define V 8\n#endif\n#define V 9\nV", given, "V");
    expect_words("#if 1 ? 0 : 1\na\n#else\nb\n#endif", given, "b");
}
END_TEST

// A toolkit's header explains CUDA's words to compilers; readers know them.
START_TEST(words_of_cuda_stay)
{
    static const char text[] =
        "#define __global__ __location__(global)\n"
        "#define __launch_bounds__(...) __annotate__(launch_bounds(__VA_ARGS__))\n"
        "#define __twice__(x) x x\n#define GLOBAL __global__\n"
        "GLOBAL __launch_bounds__(1) __twice__(a) void k();";
    expect_words_in(LANGUAGE_CUDA, text, NONE,
                    "__global__ __launch_bounds__ ( 1 ) a a void k ( ) ;");
    expect_words("#define __global__ __attribute__((x))\n__global__", NONE,
                 "__attribute__ ( ( x ) )");
}
END_TEST

START_TEST(nonsense_ends)
{
    struct arena arena;
    struct preprocessed out;
    static const char *const texts[] = {
        "#if (\n#endif",     "#if 1 / 0\n#endif", "#endif\n#else\n",    "#if 1\nx",
        "#define\n#undef\n", "#define F(x\nF(1)", "#define F(x) x\nF(", "#if defined\n#endif"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct given_names none = NONE;
        arena_init(&arena);
        ck_assert(run(texts[i], &none, LANGUAGE_OPENCL, &arena, &out));
        arena_release(&arena);
    }
    arena_init(&arena);
    // Macros that double themselves do not fill the memory, and what stands behind them is read.
    struct text many = TEXT_INIT;
    for (int i = 0; i < 40; i++)
        text_addf(&many, "#define M%d M%d M%d\n", i, i + 1, i + 1);
    text_add(&many, "M0\nbehind\n");
    struct given_names none = NONE;
    ck_assert(run(text_cstr(&many), &none, LANGUAGE_OPENCL, &arena, &out));
    ck_assert(!out.failed && out.count < 1u << 20 && out.count > 1000);
    ck_assert_str_eq(out.tokens[out.count - 1].text, "behind");
    text_release(&many);
    arena_release(&arena);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, macros_are_replaced);
    tcase_add_test(tests, conditions_are_evaluated);
    tcase_add_test(tests, words_of_cuda_stay);
    tcase_add_test(tests, nonsense_ends);
}

int main(void)
{
    return suite_run("preprocess", add);
}
