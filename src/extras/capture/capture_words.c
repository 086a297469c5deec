// Options, split as a compiler's driver does it, and joined.
#include "extras/capture/capture_words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"

char *capture_words_next(const char **at)
{
    const char *from = *at + strspn(*at, BLANKS);
    char *word = *from ? malloc(strlen(from) + 1) : NULL, *to = word, quote = 0;
    if (!word)
        return NULL;
    for (; *from && (quote || !strchr(BLANKS, *from)); from++) {
        if (*from == '\\' && from[1])
            *to++ = *++from;
        else if (*from == quote)
            quote = 0;
        else if (!quote && (*from == '"' || *from == '\''))
            quote = *from;
        else
            *to++ = *from;
    }
    *to = 0;
    *at = from;
    return word;
}

// A value with blanks stands in quotes, which every compiler's driver takes; what has quotes itself is written with backslashes.
static char *write_word(char *to, const char *word)
{
    const char *value = strchr(word, '=');
    const bool is_quoted = !*word || (strpbrk(word, BLANKS) && !strpbrk(word, "\\\"'"));
    const char *from = value && is_quoted ? value + 1 : word;
    memcpy(to, word, (size_t)(from - word));
    to += from - word;
    if (is_quoted)
        *to++ = '"';
    for (; *from; from++) {
        if (!is_quoted && strchr(BLANKS "\\\"'", *from))
            *to++ = '\\';
        *to++ = *from;
    }
    if (is_quoted)
        *to++ = '"';
    return to;
}

char *capture_words_join(const char *const *words, size_t count)
{
    size_t length = 1;
    for (size_t i = 0; i < count; i++)
        length += 2 * strlen(words[i]) + 3;
    char *text = malloc(length), *to = text;
    for (size_t i = 0; text && i < count; i++) {
        if (i)
            *to++ = ' ';
        to = write_word(to, words[i]);
    }
    if (text)
        *to = 0;
    return text;
}
