// A JSON document as a stream of tokens, of a file of any size. Takes what Python writes as JSON:
// NaN and Infinity are tokens of their own.
#pragma once

#include "base/text.h"
#include "recorded/bytes.h"
#include "expr/expr.h"

enum token {
    TOKEN_OBJECT,
    TOKEN_OBJECT_END,
    TOKEN_ARRAY,
    TOKEN_ARRAY_END,
    TOKEN_KEY,
    TOKEN_STRING,
    TOKEN_NUMBER,
    TOKEN_MISSING, // NaN, Infinity, -Infinity
    TOKEN_TRUE,
    TOKEN_FALSE,
    TOKEN_NULL,
    TOKEN_END,   // of the whole document
    TOKEN_TORN,  // the file ends before the document does
    TOKEN_BROKEN // an error was set
};

#define TOKENS_DEPTH 64

struct tokens {
    struct bytes *bytes;
    enum token kind;  // of the token that was read last
    struct text text; // of a key, string (UTF-8, terminated, without escapes) or number
    uint64_t line;    // where it begins
    bool is_cut;      // TORN: inside a token, not between two
    uint32_t depth;   // of what is open after it
    uint64_t objects; // bit i: what is open at depth i is an object
    enum { AT_START, AT_VALUE, AT_FIRST, AT_NEXT, AT_END } at; // what may come next
};

void tokens_init(struct tokens *t, struct bytes *bytes);
void tokens_release(struct tokens *t);

// Reads the next token. What is no JSON is an error with its line.
enum token tokens_next(struct tokens *t, struct error *e);
// Reads past the value whose first token was just read; false with an error, or where it is torn
// (then the kind is TOKEN_TORN, and no error).
bool tokens_skip(struct tokens *t, struct error *e);

// The token as a number, exact; false where it is none.
bool tokens_f64(const struct tokens *t, double *out);
// A NUMBER to some 1e-15 of it, several times faster.
double tokens_near(const struct tokens *t);
// The token as a value of a parameter; a string is the token's own, until the next one is read.
bool tokens_value(const struct tokens *t, struct value *out);

// "a list", "text": what the token is, for messages.
const char *token_text(enum token k);
