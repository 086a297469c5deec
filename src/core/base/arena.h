// One arena per lifetime: everything allocated from it is freed together. Memory is zeroed and
// aligned to 16 bytes. Allocation returns NULL when there is no memory.
#pragma once

#include <stddef.h>

struct arena_block;
struct arena {
    struct arena_block *blocks;
    size_t bytes; // handed out so far
};

void arena_init(struct arena *a);
// Frees everything; the arena is empty and usable again. A zeroed arena may be released.
void arena_release(struct arena *a);

// Frees everything but a block to begin again with, which saves the system's calls where many arenas follow each other.
void arena_empty(struct arena *a);

void *arena_alloc(struct arena *a, size_t bytes);
// count * size bytes; NULL when the product overflows.
void *arena_array(struct arena *a, size_t count, size_t size);
// As ARRAY_ROOM() (base/array.h), for an array that lies in an arena.
#define ARENA_ROOM(a, items, capacity, needed)                                                     \
    ((items) = arena_make_room(a, items, &(capacity), needed, sizeof *(items)),                    \
     (capacity) >= (needed))
// For that: the array, as it was where there is no memory.
void *arena_make_room(struct arena *a, void *items, size_t *capacity, size_t needed, size_t size);
void *arena_copy(struct arena *a, const void *data, size_t bytes);
// NULL stays NULL.
char *arena_strdup(struct arena *a, const char *s);
char *arena_bytes(struct arena *a, const void *bytes, size_t length); // with a NUL behind them
char *arena_strndup(struct arena *a, const char *s, size_t length);
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
