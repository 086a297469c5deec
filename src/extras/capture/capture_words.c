// Options, split as a compiler's driver does it, and joined.
#include "extras/capture/capture_words.h"

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

char *capture_words_join(const char *const *words, size_t count)
{
    size_t length = 1;
    for (size_t i = 0; i < count; i++)
        length += 2 * strlen(words[i]) + 3;
    char *text = malloc(length), *to = text;
    for (size_t i = 0; text && i < count; i++) {
        if (i)
            *to++ = ' ';
        if (!*words[i])
            *to++ = '"', *to++ = '"';
        for (const char *c = words[i]; *c; c++) {
            if (strchr(BLANKS "\\\"'", *c))
                *to++ = '\\';
            *to++ = *c;
        }
    }
    if (text)
        *to = 0;
    return text;
}
