// A C-family source as its compiler's parser sees it: conditions evaluated, macros replaced. Names
// that are passed as -D have a value here and stay in the text as names, so that dependencies on
// them can be found.
#ifndef HONE_KERNEL_TEXT_PREPROCESS_H
#define HONE_KERNEL_TEXT_PREPROCESS_H

#include "base/arena.h"
#include "kernel_text/tokens.h"

// A name that stays a name, and what it is worth in conditions.
struct given_name {
    const char *name;
    int64_t value;
};

struct given_names {
    const struct given_name *list;
    size_t count;
};

#define COMPARED_MOST 16

// A name as the directives of the whole text use it, in branches taken or not.
struct surveyed_name {
    const char *name;
    const char *initial; // (or NULL) of `#ifndef NAME #define NAME value #endif`
    const char *defined; // (or NULL) of a plain #define of the text's own
    bool is_defined;     // by any #define of its own
    bool in_condition;   // #if has it
    bool has_chain_end;  // of a #if that compares it there is an #else
    bool compared_order; // by < and the like: its values are not those it is compared with
    bool is_bare;        // `#if NAME`: a switch
    bool is_unroll;      // `#pragma unroll NAME`
    int64_t compared[COMPARED_MOST];
    uint32_t compared_count;
};

struct survey_of_names {
    struct surveyed_name *list;
    size_t count;
};

// The conditions around an #error, as one: with values that fulfil it the text does not compile.
struct refused {
    struct token *tokens; // TOKENS_AHEAD of kind TOKEN_END behind them
    size_t count;
};

struct preprocessed {
    struct token *tokens; // TOKENS_AHEAD of kind TOKEN_END behind them; no directives
    size_t count;
    struct refused *refused;
    size_t refused_count;
    bool failed; // a condition or macro that is not understood: some text may be missing
};

// False without memory.
bool preprocess_survey(const char *text, size_t length, struct arena *a,
                       struct survey_of_names *out);
bool preprocess_run(const char *text, size_t length, const struct given_names *given,
                    struct arena *a, struct preprocessed *out);

const struct surveyed_name *survey_find(const struct survey_of_names *s, const char *name);

#endif
