// Interning: all words lie one after the other in one array; an open hash table with linear probing
// finds them. A word's hash is kept, so that doubling the table compares nothing.
#include "space/intern.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void intern_release(struct intern *t)
{
    free(t->numbers);
    free(t->words);
    free(t->slots);
    *t = (struct intern)INTERN_INIT;
}

// Multiplicative mixing, two numbers at a time; the length is in the start value.
static uint32_t hash_of_numbers(const uint32_t *numbers, uint32_t length)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ length;
    for (uint32_t i = 0; i < length; i++) {
        h = (h ^ numbers[i]) * UINT64_C(0xd6e8feb86659fd93);
        h ^= h >> 32;
    }
    return (uint32_t)(h ^ h >> 29);
}

// The slot of the word, or the free one where it belongs.
static size_t probe_slot(const struct intern *t, const uint32_t *numbers, uint32_t length,
                         uint32_t hash)
{
    size_t mask = t->slot_count - 1, slot = hash & mask;
    for (; t->slots[slot] != 0; slot = (slot + 1) & mask) {
        const struct intern_word *w = &t->words[t->slots[slot] - 1];
        if (w->hash == hash && w->length == length &&
            (length == 0 || memcmp(&t->numbers[w->first], numbers, length * sizeof *numbers) == 0))
            break;
    }
    return slot;
}

// Room for one more word.
static bool reserve_word(struct intern *t, uint32_t length)
{
    if (t->count >= INTERN_NONE - 1)
        return false;
    // Twice the slots; every word finds its place again by its kept hash.
    if ((size_t)t->count * 2 >= t->slot_count) {
        size_t count = t->slot_count > 0 ? t->slot_count * 2 : 64;
        uint32_t *slots = calloc(count, sizeof *slots);
        if (!slots)
            return false;
        for (uint32_t w = 0; w < t->count; w++) {
            size_t slot = t->words[w].hash & (count - 1);
            while (slots[slot] != 0)
                slot = (slot + 1) & (count - 1);
            slots[slot] = w + 1;
        }
        free(t->slots);
        t->slots = slots;
        t->slot_count = count;
    }
    if (!ARRAY_ROOM(t->words, t->capacity, (size_t)t->count + 1))
        return false;
    if (!ARRAY_ROOM(t->numbers, t->number_capacity, t->number_count + length + 1))
        return false;
    return true;
}

uint32_t intern_add(struct intern *t, const uint32_t *numbers, uint32_t length)
{
    uint32_t hash = hash_of_numbers(numbers, length);
    if (!reserve_word(t, length))
        return INTERN_NONE;
    size_t slot = probe_slot(t, numbers, length, hash);
    if (t->slots[slot] > 0)
        return t->slots[slot] - 1;
    t->words[t->count] = (struct intern_word){t->number_count, length, hash};
    if (length > 0)
        memcpy(&t->numbers[t->number_count], numbers, length * sizeof *numbers);
    t->number_count += length;
    t->slots[slot] = t->count + 1;
    return t->count++;
}

size_t intern_bytes(const struct intern *t)
{
    return t->number_count * sizeof *t->numbers + t->count * sizeof *t->words +
           t->slot_count * sizeof *t->slots;
}

const uint32_t *intern_at(const struct intern *t, uint32_t word, uint32_t *length)
{
    if (length)
        *length = t->words[word].length;
    return &t->numbers[t->words[word].first];
}
