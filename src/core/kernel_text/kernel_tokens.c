// A lexer for C-family sources, a logical line after the other. Of each token it notes the
// directive it stands in and whether anything stood before it. Token texts are copies in the arena.
#include "kernel_text/kernel_tokens.h"

#include "base/text.h"
#include "kernel_text/logical_lines.h"

#include <ctype.h>
#include <string.h>

struct token_reader {
    struct arena *arena;
    struct token *tokens;
    size_t count, room;
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

// Digits, letters, points, and the sign of an exponent: 1e-5f, 0x1p+3, 1'000.
static size_t number_length(const char *at)
{
    const bool is_hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    size_t length = 1;
    for (;; length++) {
        const char c = at[length], before = at[length - 1];
        const char *const exponents = is_hex ? "pP" : "eE";
        if (!is_token_name(c) && c != '.' && !(c == '\'' && is_token_name(at[length + 1])) &&
            !((c == '+' || c == '-') && strchr(exponents, before)))
            return length;
    }
}

// A sign of several characters; else 1.
static size_t sign_length(const char *at)
{
    static const char *const longer[] = {
        "<<=", ">>=", "...", "<<", ">>", "==", "!=", "<=", ">=", "+=", "-=", "*=",
        "/=",  "%=",  "&=",  "|=", "^=", "->", "&&", "||", "++", "--", "##", "::"};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        if (str_starts(at, longer[i]))
            return strlen(longer[i]);
    }
    return 1;
}

// The length of the token that begins here, and what it is.
static size_t token_length(const char *at, enum token_kind *kind)
{
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
        *kind = TOKEN_NUMBER;
        return number_length(at);
    }
    if (is_token_name(*at)) {
        *kind = TOKEN_NAME;
        return token_name_length(at);
    }
    if (*at == '"' || *at == '\'') {
        size_t length = 1;
        *kind = TOKEN_TEXT;
        while (at[length] && at[length] != *at)
            length += at[length] == '\\' && at[length + 1] ? 2 : 1;
        return at[length] ? length + 1 : length;
    }
    *kind = TOKEN_SIGN;
    return sign_length(at);
}

static const char *copy_token(struct token_reader *r, const char *at, size_t length)
{
    const char *text = arena_strndup(r->arena, at, length);
    r->failed |= !text;
    return text ? text : "";
}

// Room for one; looks ahead of it find the end.
static struct token *add_token(struct token_reader *r)
{
    if (ARENA_ROOM(r->arena, r->tokens, r->room, r->count + 1 + TOKENS_AHEAD))
        return &r->tokens[r->count++];
    r->failed = true;
    return NULL;
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
        struct token *t = add_token(r);
        if (!t)
            return;
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
    *count = 0;
    if (!ARENA_ROOM(a, r.tokens, r.room, TOKENS_AHEAD))
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
