// T1 as other tuners' users write it, in the shapes that T1 has. Private to src/core/problem.
#pragma once

#include <jansson.h>
#include <stdbool.h>

// ProblemSize as an object or a text "(W, H)" becomes a list; GlobalSize and LocalSize as a list, an object;
// CompilerOptions as a text, a list of its words; KernelFile as a list, Sources. False without memory.
bool respell_t1(json_t *root);
