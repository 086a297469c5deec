// One pass over the text by character: a backslash at a line's end joins it with the next, a
// comment becomes a blank, and within quotes nothing is a comment.
#include "kernel_text/logical_lines.h"

#include <ctype.h>

void logical_lines_init(struct logical_lines *l, const char *text, size_t length)
{
    *l = (struct logical_lines){
        .at = text + str_mark_length(text, length), .end = text + length, .line = 1};
}

void logical_lines_release(struct logical_lines *l)
{
    text_release(&l->text);
}

// At a backslash that joins two lines (blanks may stand between it and the line's end)? Then its
// length.
static size_t splice_length(const struct logical_lines *l)
{
    const char *c = l->at;
    if (c == l->end || *c != '\\')
        return 0;
    for (c++; c < l->end && (*c == ' ' || *c == '\t' || *c == '\r');)
        c++;
    return c < l->end && *c == '\n' ? (size_t)(c + 1 - l->at) : 0;
}

static void skip_splices(struct logical_lines *l)
{
    for (size_t length; (length = splice_length(l)) > 0; l->line++)
        l->at += length;
}

static bool looking_at(const struct logical_lines *l, const char *two)
{
    return l->end - l->at >= 2 && l->at[0] == two[0] && l->at[1] == two[1];
}

// A string or character constant up to its quote, or to the line's end where there is none (an
// apostrophe in #error).
static void copy_quoted(struct logical_lines *l)
{
    char quote = *l->at;
    text_addc(&l->text, *l->at++);
    while (l->at < l->end && *l->at != '\n') {
        skip_splices(l);
        if (l->at == l->end || *l->at == '\n')
            return;
        char c = *l->at++;
        text_addc(&l->text, c);
        if (c == '\\' && l->at < l->end && *l->at != '\n')
            text_addc(&l->text, *l->at++);
        else if (c == quote)
            return;
    }
}

// An apostrophe inside a number (1'000) is no quote.
static bool opens_quote(const struct logical_lines *l)
{
    if (*l->at == '"')
        return true;
    size_t length = l->text.length;
    return *l->at == '\'' && !(length > 0 && isdigit((unsigned char)l->text.data[length - 1]));
}

static bool opens_comment(const struct logical_lines *l)
{
    return looking_at(l, "/*") || looking_at(l, "//");
}

// A character, a comment or a quoted text.
static void copy_one(struct logical_lines *l)
{
    if (looking_at(l, "/*")) {
        for (l->at += 2; l->at < l->end && !looking_at(l, "*/"); l->at++)
            l->line += *l->at == '\n';
        l->at += l->at < l->end ? 2 : 0;
        text_addc(&l->text, ' ');
    } else if (looking_at(l, "//")) {
        while (l->at < l->end && *l->at != '\n') {
            skip_splices(l);
            if (l->at < l->end && *l->at != '\n')
                l->at++;
        }
    } else if (opens_quote(l))
        copy_quoted(l);
    else
        text_addc(&l->text, *l->at++);
}

bool logical_lines_next(struct logical_lines *l)
{
    if (l->at == l->end)
        return false;
    text_clear(&l->text);
    l->first = l->line;
    l->code = 0;
    for (skip_splices(l); l->at < l->end && *l->at != '\n'; skip_splices(l)) {
        if (l->code == 0 && !isspace((unsigned char)*l->at) && !opens_comment(l))
            l->code = l->line;
        copy_one(l);
    }
    if (l->text.length > 0 && l->text.data[l->text.length - 1] == '\r') // lines of Windows
        l->text.data[--l->text.length] = '\0';
    if (l->at < l->end) {
        l->at++;
        l->line++;
    }
    return true;
}
