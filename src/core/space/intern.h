// A set of words (runs of 32-bit numbers), each kept once and numbered in the order of arrival.
// States of automata, keys of the search and nodes of the diagram are all such words.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERN_NONE UINT32_MAX

struct intern_word {
    size_t first; // in numbers
    uint32_t length;
    uint32_t hash;
};

struct intern {
    uint32_t *numbers; // of all words, one after the other
    size_t number_count, number_capacity;
    struct intern_word *words;
    uint32_t count;
    size_t capacity;
    uint32_t *slots; // open addressing: word + 1, 0 is free; a power of two
    size_t slot_count;
};

#define INTERN_INIT                                                                                \
    {                                                                                              \
        .count = 0                                                                                 \
    }

void intern_release(struct intern *t);
// The word's number, adding it where it is missing; INTERN_NONE without memory.
uint32_t intern_add(struct intern *t, const uint32_t *numbers, uint32_t length);
// Memory that it takes.
size_t intern_bytes(const struct intern *t);
const uint32_t *intern_at(const struct intern *t, uint32_t word, uint32_t *length);
