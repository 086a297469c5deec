// Text to tokens, one at a time.
#pragma once

#include "expr/expr.h"

enum token_kind {
    TOKEN_END,
    TOKEN_LITERAL, // a number or string; `value`
    TOKEN_NAME,    // a name or a keyword
    TOKEN_SYMBOL
};

struct token {
    enum token_kind kind;
    const char *start;
    size_t length;
    struct value value;
};

struct lexer {
    const char *text;
    const char *at;
    struct arena *arena;
    struct error *error;
    struct token token; // the one looked at
};

// Reads the first token; an error leaves TOKEN_END and the error set.
void lexer_init(struct lexer *l, struct arena *a, const char *text, struct error *e);
bool lexer_next(struct lexer *l);
// The token is this symbol or word.
bool lexer_is(const struct lexer *l, const char *text);
// The column of a place in the text, in characters from 1.
uint32_t lexer_column(const struct lexer *l, const char *place);
// "column 7: " and the message; returns false.
bool lexer_error(struct lexer *l, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
