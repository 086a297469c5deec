// Arrays that grow as they are filled.
#pragma once

#include <stddef.h>

// Makes room for `needed` > 0 items in an array, which at least doubles where it grows; false without memory, and the
// array is as it was. `items`, a pointer to the items' type, and `capacity`, a size_t, are its members.
#define ARRAY_ROOM(items, capacity, needed)                                                        \
    ((items) = array_make_room(items, &(capacity), needed, sizeof *(items)), (capacity) >= (needed))

// For that: the array, as it was where there is no memory.
void *array_make_room(void *items, size_t *capacity, size_t needed, size_t size);
