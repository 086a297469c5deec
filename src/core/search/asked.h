// The configurations asked so far, in that order, and what came of them; found by index. It grows
// with the asks, never with the space.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum asked_state { ASKED_PENDING, ASKED_FAILED, ASKED_CORRECT };

struct asked_entry {
    uint64_t index;
    double value; // CORRECT: finite
    double cost;  // ns; 0: not known
    enum asked_state state;
    bool by_source; // asked on the word of a source (transfer.h)
};

struct asked {
    struct asked_entry *entries;
    uint32_t count;
    uint32_t *slots;   // hash table of places in `entries`, plus one; 0: free
    size_t slot_count; // a power of two, at most half in use
};

// Room for `expected` entries at once. False without memory; asked_release() may follow in any
// case.
bool asked_init(struct asked *a, size_t expected);
void asked_release(struct asked *a);
// Makes sure that `more` entries fit without memory being taken.
bool asked_reserve(struct asked *a, size_t more);
// An index that is not there yet, now pending; there must be room.
void asked_add(struct asked *a, uint64_t index);
// NULL when it was never asked.
struct asked_entry *asked_find(const struct asked *a, uint64_t index);
