// A C-family source as its compiler's parser sees it: conditions evaluated, macros replaced. What
// only may be compiled is kept, and marked (struct token).
#pragma once

#include "kernel_text/follow.h"

// The words of an item, directives among them.
struct item_tokens {
    struct token *list;
    size_t count;
};

// The conditions around an #error, as one: with values that fulfil it the text does not compile.
struct refused {
    struct token *tokens; // TOKENS_AHEAD of kind TOKEN_END behind them
    size_t count;
};

// A name that stays a name, and what it is worth in conditions.
struct given_name {
    const char *name;
    int64_t value;
};

struct given_names {
    const struct given_name *list;
    size_t count;
};

struct preprocessed {
    struct token *tokens; // TOKENS_AHEAD of kind TOKEN_END behind them; no directives
    size_t count;
    struct refused *refused;
    size_t refused_count;
    bool failed;  // some text may be missing: too much of it, or conditions that are not balanced
    bool is_open; // it includes what is not here: a name may mean anything
    const struct given_names *given; // (or NULL) lone_text_run()'s
};

// Follows the program and reads the lines that are, or may be, compiled: sets `live`, `error` and
// `context`. False without memory.
bool preprocess_run(struct follow *f, struct arena *a, struct preprocessed *out);

// ---- a text alone ----

// One file, what it includes being put in before; it may be preprocessed with several values.
struct lone_text {
    struct scan scan;
    struct follow_file file;
};

// False without memory. What is read of it lies in the arena, too.
bool lone_text_read(const char *text, size_t length, struct arena *a, struct lone_text *out);
// The words of an item that is TEXT, as they stand there.
bool lone_text_words(struct lone_text *t, uint32_t item, struct item_tokens *out);
bool lone_text_run(struct lone_text *t, const struct given_names *given, enum language l,
                   struct arena *a, struct preprocessed *out);
