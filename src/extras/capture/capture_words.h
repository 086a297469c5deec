// A compiler's options as one text: words at blanks, which quotes and backslashes keep together. And names in a kernel's text.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// The next word, on the heap; `at` is moved behind it. NULL: there is none, or no memory.
char *capture_words_next(const char **at);
// The words as a text that gives them again; on the heap.
char *capture_words_join(const char *const *words, size_t count);

// The variables of the device in a text of CUDA, one after the other.
struct capture_variables {
    const char *at;   // begins at the text
    const char *name; // the variable's
    size_t length;
    bool is_constant; // in constant memory, or const: no kernel changes it
    bool is_inside;   // a declaration
};
// Moves on; false: there is no further one. What is no variable may be taken for one, in a comment.
bool capture_next_variable(struct capture_variables *v);
// The last name of a mangled symbol: "factors" of "_ZN4wave7factorsE"; one that is not mangled itself.
const char *capture_symbol_name(const char *symbol, size_t *length);
