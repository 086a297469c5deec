// The kernel's source in one piece.
#pragma once

#include "extras/deploy/dispatch.h"

// Appends the source of the kernel's program with every `#include "FILE"` of a file that is beside it put in its place. A
// file with `#pragma once` gets guards. The error says what cannot be pasted: there are no sources, a file includes
// itself without end, one is outside the kernel's folders, or one that may be read is not known (`#include MACRO`, `#import`).
bool paste_source(const struct deploy_table *t, struct text *out, struct error *e);
