// The words of a C-family source: comments and line continuations are gone, directives are marked.
#pragma once

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind { TOKEN_NAME, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_SIGN, TOKEN_END };

// A name that a macro of unknown text may replace: by one word at most, or by anything.
enum token_open { TOKEN_IS_KNOWN, TOKEN_IS_ONE, TOKEN_IS_ANY };

struct token {
    enum token_kind kind;
    const char *text;      // "" at the end
    const char *directive; // of the line it stands on: "define", "if", ...; NULL in code. The "#"
                           // and the word itself are no tokens
    bool starts_directive; // the first token of a directive's line
    bool is_glued;         // nothing stands between it and the token before
    uint32_t line;         // of the text, from 1

    // Members that preprocess.h sets, which replaces macros.
    bool is_sure;               // the compiler surely sees it
    enum token_open open;       // what a macro makes of it is not known
    uint32_t file;              // of the program's, where it comes from
    const struct token *origin; // the word of that file
};

// How far behind the last token one may look.
#define TOKENS_AHEAD 4

// The tokens, TOKENS_AHEAD of kind TOKEN_END behind them; NULL without memory.
struct token *tokens_read(const char *text, size_t length, struct arena *a, size_t *count);
