// Which part of a space was searched.
#pragma once

#include "base/text.h"
#include "space/space.h"

// As words of a command line, in an order of their own, each once: "--config a=1 --where 'b > 2'";
// nothing of the whole space. Two that are written differently are two parts. False without memory.
bool subspace_text(const struct space_options *o, struct text *out);
