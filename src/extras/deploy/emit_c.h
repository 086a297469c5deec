// Pieces of C text: C99 and C++11 without a warning.
#pragma once

#include "extras/deploy/core_table.h"

// A string literal; NULL: the null pointer.
void emit_c_string(const char *s, struct text *out);
// The bytes as such a literal, without its quotes.
void emit_c_bytes(const char *bytes, size_t length, struct text *out);
void emit_c_int(int64_t i, struct text *out);
// Within a comment.
void emit_c_comment(const char *s, struct text *out);
// A name that is a keyword of C or C++ gets a '_' behind it.
void emit_c_name(const char *name, struct text *out);
// `static inline hone_core_value PREFIX_xNUMBER(const hone_core_value *x)`.
void emit_c_program(const struct deploy_program *p, const char *prefix, uint32_t number,
                    struct text *out);
