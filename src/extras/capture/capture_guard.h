// A program's text in which `#define NAME 16` can be replaced by an option: -DNAME=32 counts, and without it 16. What the spec
// builds, what a replay builds and what `hone with` builds in the program are this text.
#pragma once

// On the heap, or NULL without memory.
char *capture_guard_text(const char *text);
