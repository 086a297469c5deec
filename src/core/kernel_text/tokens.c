// A lexer for C-family sources, a logical line after the other. Of each token it notes the
// directive it stands in and whether anything stood before it. Token texts are copies in the arena.
#include "kernel_text/tokens.h"

#include "kernel_text/logical_lines.h"

#include <ctype.h>
#include <string.h>

struct token_reader {
    struct arena *arena;
    struct token *tokens;
    size_t count;
    bool failed;
};

static bool is_token_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t token_name_length(const char *at)
{
    size_t length = 0;
    while (is_token_name(at[length]))
        length++;
    return length;
}

// The length of the token that begins here, and what it is.
static size_t token_length(const char *at, enum token_kind *kind)
{
    static const char *const two[] = {
        "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "->", "&&", "||", "++", "--", "##"};
    size_t length = 1;
    if (isdigit((unsigned char)*at)) {
        *kind = TOKEN_NUMBER;
        while (is_token_name(at[length]) || at[length] == '.' ||
               (at[length] == '\'' && is_token_name(at[length + 1])))
            length++;
        return length;
    }
    if (is_token_name(*at)) {
        *kind = TOKEN_NAME;
        return token_name_length(at);
    }
    if (*at == '"' || *at == '\'') {
        *kind = TOKEN_TEXT;
        while (at[length] && at[length] != *at)
            length += at[length] == '\\' && at[length + 1] ? 2 : 1;
        return at[length] ? length + 1 : length;
    }
    *kind = TOKEN_SIGN;
    for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
        if (strncmp(at, two[i], 2) == 0)
            return 2;
    }
    return 1;
}

static const char *copy_token(struct token_reader *r, const char *at, size_t length)
{
    const char *text = arena_strndup(r->arena, at, length);
    r->failed |= !text;
    return text ? text : "";
}

static void read_token_line(struct token_reader *r, const char *at, uint32_t line)
{
    const char *directive = NULL;
    at += strspn(at, " \t\r\v\f");
    if (*at == '#') {
        at += 1 + strspn(at + 1, " \t\r\v\f");
        size_t length = token_name_length(at);
        directive = copy_token(r, at, length);
        at += length;
    }
    bool starts = directive != NULL;
    for (size_t blanks, length; blanks = strspn(at, " \t\r\v\f"), at[blanks]; at += length) {
        at += blanks;
        struct token *t = &r->tokens[r->count++];
        *t = (struct token){.directive = directive,
                            .starts_directive = starts,
                            .is_glued = blanks == 0,
                            .line = line};
        length = token_length(at, &t->kind);
        t->text = copy_token(r, at, length);
        starts = false;
    }
}

struct token *tokens_read(const char *text, size_t length, struct arena *a, size_t *count)
{
    struct token_reader r = {.arena = a};
    struct logical_lines lines;
    // No token is shorter than a character; a look ahead finds TOKEN_END.
    r.tokens = arena_array(a, length + TOKENS_AHEAD, sizeof *r.tokens);
    *count = 0;
    if (!r.tokens)
        return NULL;
    logical_lines_init(&lines, text, length);
    while (!r.failed && logical_lines_next(&lines)) {
        r.failed |= lines.text.failed;
        read_token_line(&r, text_cstr(&lines.text), lines.code);
    }
    logical_lines_release(&lines);
    for (size_t i = 0; i < TOKENS_AHEAD; i++)
        r.tokens[r.count + i] = (struct token){.kind = TOKEN_END, .text = ""};
    *count = r.count;
    return r.failed ? NULL : r.tokens;
}
