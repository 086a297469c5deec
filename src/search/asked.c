#include "search/asked.h"

#include <stdlib.h>

#define LEAST_CAPACITY 64

// Indices of one run are close together: the multiplier spreads them (the golden ratio, Knuth).
static size_t slot_of(const struct asked *a, uint64_t index)
{
    uint64_t mixed = (index ^ index >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed >> 20) & (a->capacity - 1);
}

static struct asked_entry *probe(const struct asked *a, uint64_t index)
{
    size_t at = slot_of(a, index);
    while (a->entries[at].state != ASKED_NEVER && a->entries[at].index != index)
        at = (at + 1) & (a->capacity - 1);
    return &a->entries[at];
}

static bool resize(struct asked *a, size_t capacity)
{
    struct asked old = *a;
    struct asked_entry *entries = calloc(capacity, sizeof *entries);
    if (!entries)
        return false;
    a->entries = entries;
    a->capacity = capacity;
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.entries[i].state != ASKED_NEVER)
            *probe(a, old.entries[i].index) = old.entries[i];
    }
    free(old.entries);
    return true;
}

bool asked_init(struct asked *a, size_t expected)
{
    *a = (struct asked){0};
    return resize(a, LEAST_CAPACITY) && asked_reserve(a, expected);
}

void asked_release(struct asked *a)
{
    free(a->entries);
}

bool asked_reserve(struct asked *a, size_t more)
{
    size_t capacity = a->capacity;
    while (a->count + more > capacity / 4 * 3)
        capacity *= 2;
    return capacity == a->capacity || resize(a, capacity);
}

void asked_add(struct asked *a, uint64_t index)
{
    *probe(a, index) = (struct asked_entry){.index = index, .state = ASKED_PENDING};
    a->count++;
}

struct asked_entry *asked_find(const struct asked *a, uint64_t index)
{
    struct asked_entry *entry = probe(a, index);
    return entry->state == ASKED_NEVER ? NULL : entry;
}

enum asked_state asked_state(const struct asked *a, uint64_t index)
{
    return probe(a, index)->state;
}
