// Recorded spaces as sources of a search (search/source.h).
#pragma once

#include "recorded/recorded.h"
#include "search/source.h"

struct sources {
    struct source **items;
    uint32_t count;
    size_t room;
};

// Adds recorded results, by `objective` (as objective_parse() reads it; NULL: the shortest time),
// as a source called `name` of a search of `space`. If they have nothing of the space or of that
// objective, nothing is added and *why has the reason. False: an error.
bool sources_add(struct sources *s, const struct space *space, const struct recorded *from,
                 const char *objective, const char *name, struct text *why, struct error *e);
// The list as strategies take it.
const struct source *const *sources_list(const struct sources *s);
void sources_release(struct sources *s);
