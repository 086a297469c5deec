// A compiler's options as one text: words at blanks, which quotes and backslashes keep together.
#pragma once

#include <stddef.h>

// The next word, on the heap; `at` is moved behind it. NULL: there is none, or no memory.
char *capture_words_next(const char **at);
// The words as a text that gives them again; on the heap.
char *capture_words_join(const char *const *words, size_t count);
