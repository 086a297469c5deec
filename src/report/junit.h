// Parts of a JUnit file. Whatever the texts have in them, the file is well-formed.
#pragma once

#include "base/text.h"

void junit_attribute(const char *name, const char *value, struct text *out);
void junit_case(const char *suite, const char *name, struct text *out); // <testcase ...>
void junit_failure(const char *type, const char *message, const char *details, struct text *out);
void junit_skipped(const char *why, struct text *out);
// A case of its own for a command that did not come to its end.
void junit_incomplete(const char *suite, const char *why, struct text *out);
