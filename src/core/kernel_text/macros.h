// Macros: what is known of them at one place of a text, and the replacement of words by them.
#pragma once

#include "kernel_text/condition.h"
#include "kernel_text/scan.h"
#include "kernel_text/kernel_tokens.h"
#include "model/languages.h"

// A -D option: what is known of one watched name.
struct follow_macro {
    bool given;
    const char *value; // as text; NULL: not known
};

// One of the text's own.
struct macro {
    const char *name;
    const char *text; // behind the name, parameters included; NULL: it is not defined
    bool is_sure;     // it is so; else it is, or is not defined
    bool is_several;  // of several texts any may be in force
    bool is_plain;    // no text of it has commas or brackets: it stands for one word at most

    bool is_read, is_function, is_busy; // is_read: `body` and `parameters` are
    const struct token *body;
    size_t body_count;
    const char **parameters;
    uint32_t parameter_count;
    struct macro *next;
};

#define MACRO_CHAINS 256

// A program's macros, as far as they are known besides its text.
struct macro_terms {
    const struct scan_names *names;   // watched
    const struct follow_macro *given; // by watched name
    enum language language;
    // Names that only conditions have are not defined, and the compiler's own macros are those of
    // a usual one. Else both are unknown.
    bool assumes;
    bool keeps_given; // given names stay names, whatever the text says of them
};

struct macros {
    struct macro_terms terms;
    struct arena *arena;
    bool *touched; // by watched name: defined or undefined by the text, too

    struct macro *own[MACRO_CHAINS]; // by the name's hash
    size_t words;                    // that were put out
    bool is_strange;                 // too many of them: some are missing
    bool failed;                     // no memory
};

struct token_list {
    struct token *items;
    size_t count, room;
};

// False without memory; the other members stay as they are.
bool macros_init(struct macros *m, struct arena *a);
// `text`: behind the name; NULL: #undef. Not `sure`: the line may not be compiled.
void macros_define(struct macros *m, const char *name, const char *text, bool sure);
// A file that is not here may define and undefine anything.
void macros_forget(struct macros *m);
const struct macro *macros_find(const struct macros *m, const char *name, size_t length);
struct macro_fact macros_look_up(struct macros *m, const char *name, size_t length);
enum truth macros_test(struct macros *m, const char *condition);
// Appends what becomes of the word from[i], and of the arguments behind it; returns the place
// behind what was read.
size_t macros_replace(struct macros *m, const struct token *from, size_t count, size_t i,
                      struct token_list *out);
// A condition's words as it is tested: replaced, `defined X` a number where that is known.
struct token_list macros_condition(struct macros *m, const char *condition);
void macros_add_token(struct macros *m, struct token_list *list, const struct token *t);
// A macro as a compiler of the language defines it; `assumes` as above.
struct macro_fact compiler_macro(enum language l, bool assumes, const char *name, size_t length);
