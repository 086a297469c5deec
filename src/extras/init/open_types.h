// Types that nothing in the text defines, and whose uses say what they are: INDEX_TYPE in a[i], bits and remainders.
#pragma once

#include "kernel_text/syntax.h"

// Makes integers of those that the text uses as such; false without memory.
bool open_types_settle(struct syntax *s, struct arena *a);
