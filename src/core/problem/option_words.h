// Words of CompilerOptions that hang on the configuration: "--maxrregcount={REGISTERS}", "-O{LEVEL}",
// "{'-cl-fast-relaxed-math' if FAST else ''}". An expression in braces is replaced by its value; a word of which nothing is
// left is no option. In -D words braces are C's: a macro's value that is computed is a derived parameter.
#pragma once

#include "problem/read_kernels.h"

// Reads the holes of a program's options, which are there.
bool read_option_words(const struct reader *r, const char *path, struct program_spec *p);
// Reads the holes of one word, of whatever; `is_kept` (optional): does this brace open no expression?
bool read_word_holes(const struct reader *r, const char *path, const char *word,
                     bool (*is_kept)(const char *word, const char *open), struct option_word *out);
// The word with its values, whatever it is; NULL with what is wrong.
const char *fill_word(const char *word, const struct option_word *w, const struct value *slots,
                      struct arena *a, struct error *e);
// The word with its values, by these slots; NULL with what is wrong, or without memory. Blank: no option.
const char *option_word_text(const char *word, const struct option_word *w, enum language l,
                             const struct value *slots, struct arena *a, struct error *e);
