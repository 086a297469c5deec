// Options as words: split as a compiler's driver does it, joined so that they give the same words again.
#include "extras/capture/capture_words.h"

#include "../base/suite.h"

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

static void add(TCase *tests)
{
    tcase_add_test(tests, words_are_split);
    tcase_add_test(tests, joined_words_are_the_same);
}

int main(void)
{
    return suite_run("words", add);
}
