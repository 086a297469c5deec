// The candidates of a judge: kernel texts that others wrote, read from files and folders, and the spec that each is
// judged under. That is the judge's own, in T1, with the candidate's file in the place of its kernel's; a candidate changes
// nothing else of it but the values of parameters, in one line of its text:
//
//   // hone: block_size_x=32, tile_size_x=2
//
// With several values of one, "block_size_x=16|32|64", it has variants, each a choice of one of each.
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "model/device_info.h"

#define CANDIDATES_MOST     100000
#define CANDIDATE_TEXT_MOST (1u << 20)

struct candidate {
    const char *name; // as given, or FOLDER/FILE
    const char *path; // absolute
    const char *text; // (or NULL: `why`)
    size_t length;
    struct digest digest; // of the text
    const char *values;   // "block_size_x=32, tile_size_x=2"; "": the baseline's
    const char *why;      // (or NULL) it cannot be read
};

struct candidates {
    struct arena arena;
    struct candidate **list;
    size_t count, capacity;
};

void candidates_init(struct candidates *c);
void candidates_release(struct candidates *c);
// Adds a file, or each file of a folder that has the ending of the language (".cl"), in the order of their names. What
// cannot be read is a candidate with a reason; false without memory, or if a folder has none.
bool candidates_add(struct candidates *c, const char *path, enum language l, struct error *e);

// How many variants its values make: 1 without lists, `most` at most, spread over all.
uint32_t candidate_variants(const struct candidate *c, uint32_t most);
// The values of the one that is `variant`, from 0, of so many; in the arena, NULL without memory.
const char *candidate_values(const struct candidate *c, uint32_t variant, uint32_t of,
                             struct arena *a);

// The T1 text of the candidate's spec from the judge's. False with what
// the candidate asks for and cannot have.
bool candidate_spec(const struct candidate *c, const char *spec, size_t length, enum language l,
                    struct text *out, struct error *e);
