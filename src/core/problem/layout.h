// The members of a struct that a kernel takes by value, read from a type in C: "struct {int rows, cols; float gain[4];}".
// Where they lie is a language's matter: CUDA packs vectors of three, and aligns none to more than 16 bytes.
#pragma once

#include "base/arena.h"
#include "model/declared.h"

struct layout;

struct layout_member {
    const char *name;
    const char *type;           // in C's words; NULL: `inner`
    const struct layout *inner; // a struct in it
    uint32_t count;             // of an array; 0: it is none
};

struct layout {
    struct layout_member *members;
    uint32_t count;
};

// Begins the text with "struct {"?
bool layout_is_struct(const char *text);
// NULL with what is wrong in the text, or without memory.
const struct layout *layout_parse(struct arena *a, const char *text, struct error *e);
// The member's type, bytes of one of it, and to what it is aligned.
void layout_of_member(const struct layout_member *m, enum language l, struct element *element,
                      uint32_t *bytes, uint32_t *alignment);
// Components of a member that is a vector; else 1.
uint32_t layout_lanes(const struct layout_member *m);
// The whole struct, with what lies between members and behind the last one. False if it is larger than a kernel takes.
bool layout_measure(const struct layout *s, enum language l, uint32_t *bytes, uint32_t *alignment);
// A character a byte of what was measured: PADDING (job.h) where no member lies; "": nowhere. NULL without memory.
const char *layout_padding(struct arena *a, const struct layout *s, enum language l);
