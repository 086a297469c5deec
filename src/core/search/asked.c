// The questions asked, in an array in their order, and an open hash table from index to place in
// it.
#include "search/asked.h"

#include <stdlib.h>

#define LEAST_SLOTS 128
#define MOST_SLOTS  (UINT64_C(1) << 32)

// Indices of one run are close together: the multiplier spreads them (the golden ratio, Knuth).
static uint32_t *probe_table(const struct asked *a, uint64_t index)
{
    uint64_t mixed = (index ^ index >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    size_t mask = a->slot_count - 1, at = (size_t)(mixed >> 20) & mask;
    while (a->slots[at] != 0 && a->entries[a->slots[at] - 1].index != index)
        at = (at + 1) & mask;
    return &a->slots[at];
}

static bool resize(struct asked *a, size_t slot_count)
{
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    struct asked_entry *entries =
        slots ? realloc(a->entries, slot_count / 2 * sizeof *entries) : NULL;
    if (!entries) {
        free(slots);
        return false;
    }
    free(a->slots);
    a->entries = entries;
    a->slots = slots;
    a->slot_count = slot_count;
    for (uint32_t i = 0; i < a->count; i++)
        *probe_table(a, entries[i].index) = i + 1;
    return true;
}

bool asked_init(struct asked *a, size_t expected)
{
    *a = (struct asked){.entries = NULL};
    return resize(a, LEAST_SLOTS) && asked_reserve(a, expected);
}

void asked_release(struct asked *a)
{
    free(a->entries);
    free(a->slots);
}

bool asked_reserve(struct asked *a, size_t more)
{
    size_t slot_count = a->slot_count;
    while (a->count + more > slot_count / 2 && slot_count < MOST_SLOTS)
        slot_count *= 2;
    if (a->count + more > slot_count / 2)
        return false;
    return slot_count == a->slot_count || resize(a, slot_count);
}

void asked_add(struct asked *a, uint64_t index)
{
    *probe_table(a, index) = a->count + 1;
    a->entries[a->count++] = (struct asked_entry){.index = index, .state = ASKED_PENDING};
}

struct asked_entry *asked_find(const struct asked *a, uint64_t index)
{
    uint32_t slot = *probe_table(a, index);
    return slot == 0 ? NULL : &a->entries[slot - 1];
}
