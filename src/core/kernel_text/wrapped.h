// Kernels that a C++ file includes as a text: R"( ... )", or NAME( ... ) of a macro that makes a string of it.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Blanks what the text is wrapped in, so that lines and columns stay. A text that is not wrapped is left as it is.
void wrapped_open(char *text, size_t length);
