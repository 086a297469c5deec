#include "spec/kernel_tokens.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

struct reader {
    const char *at, *end;
    const char *counted; // up to here line ends are counted
    uint32_t line;
    struct arena *arena;
    const char *directive;
    bool starts_directive;
    bool line_start, is_glued;
    struct token *tokens;
    size_t count;
    bool failed;
};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void skip_comment(struct reader *r)
{
    const char *stop = r->at[1] == '/' ? "\n" : "*/";
    size_t length = strlen(stop);
    r->at += 2;
    while (r->at + length <= r->end && memcmp(r->at, stop, length) != 0)
        r->at++;
    // The end of the line is left: it may end a directive.
    bool is_found = r->at + length <= r->end;
    r->at = is_found ? r->at + (length == 2 ? 2 : 0) : r->end;
}

static void end_line(struct reader *r)
{
    r->at++;
    r->directive = NULL;
    r->line_start = true;
}

// Blanks, comments, line ends.
static void skip(struct reader *r)
{
    while (r->at < r->end) {
        bool has_next = r->at + 1 < r->end;
        if (*r->at == '\n')
            end_line(r);
        else if (isspace((unsigned char)*r->at))
            r->at++;
        else if (*r->at == '\\' && has_next && r->at[1] == '\n')
            r->at += 2;
        else if (*r->at == '/' && has_next && (r->at[1] == '/' || r->at[1] == '*'))
            skip_comment(r);
        else
            return;
    }
}

static const char *take(struct reader *r, size_t length)
{
    const char *text = arena_strndup(r->arena, r->at, length);
    r->failed |= !text;
    r->at += length;
    return text ? text : "";
}

static size_t name_length(const struct reader *r)
{
    size_t length = 0;
    while (r->at + length < r->end && is_name(r->at[length]))
        length++;
    return length;
}

static size_t text_length(const struct reader *r)
{
    size_t length = 1;
    while (r->at + length < r->end && r->at[length] != r->at[0] && r->at[length] != '\n')
        length += r->at[length] == '\\' && r->at + length + 1 < r->end ? 2 : 1;
    return r->at + length < r->end ? length + 1 : length;
}

static size_t number_length(const struct reader *r)
{
    size_t length = 1;
    while (r->at + length < r->end && (is_name(r->at[length]) || r->at[length] == '.'))
        length++;
    return length;
}

static size_t sign_length(const struct reader *r)
{
    static const char *const two[] = {
        "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "->", "&&", "||", "++", "--", "##"};
    for (size_t i = 0; r->at + 1 < r->end && i < sizeof two / sizeof *two; i++) {
        if (memcmp(r->at, two[i], 2) == 0)
            return 2;
    }
    return 1;
}

static void begin_directive(struct reader *r)
{
    r->at++;
    skip(r);
    r->directive = take(r, name_length(r));
    r->starts_directive = true;
    r->line_start = false;
}

static void add(struct reader *r, enum token_kind kind, size_t length)
{
    for (; r->counted < r->at; r->counted++)
        r->line += *r->counted == '\n';
    r->tokens[r->count++] = (struct token){.kind = kind,
                                           .text = take(r, length),
                                           .directive = r->directive,
                                           .starts_directive = r->starts_directive,
                                           .is_glued = r->is_glued,
                                           .line = r->line};
    r->starts_directive = false;
    r->line_start = false;
}

static void read_token(struct reader *r)
{
    char c = *r->at;
    if (c == '#' && r->line_start)
        begin_directive(r);
    else if (isdigit((unsigned char)c))
        add(r, TOKEN_NUMBER, number_length(r));
    else if (is_name(c))
        add(r, TOKEN_NAME, name_length(r));
    else if (c == '"' || c == '\'')
        add(r, TOKEN_TEXT, text_length(r));
    else
        add(r, TOKEN_SIGN, sign_length(r));
}

struct token *tokens_read(const char *text, size_t length, struct arena *a, size_t *count)
{
    struct reader r = {.at = text,
                       .end = text + length,
                       .counted = text,
                       .line = 1,
                       .arena = a,
                       .line_start = true};
    // No token is shorter than a character; a look ahead finds TOKEN_END.
    r.tokens = arena_array(a, length + TOKENS_AHEAD, sizeof *r.tokens);
    *count = 0;
    if (!r.tokens)
        return NULL;
    while (r.at < r.end && !r.failed) {
        const char *before = r.at;
        skip(&r);
        r.is_glued = r.at == before;
        if (r.at < r.end)
            read_token(&r);
    }
    for (size_t i = 0; i < TOKENS_AHEAD; i++)
        r.tokens[r.count + i] = (struct token){.kind = TOKEN_END, .text = ""};
    *count = r.count;
    return r.failed ? NULL : r.tokens;
}
