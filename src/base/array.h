// Arrays that grow as they are filled.
#ifndef HONE_BASE_ARRAY_H
#define HONE_BASE_ARRAY_H

#include <stddef.h>

// The array, grown by at least doubling it where it does not hold `needed` > 0 items of `size`
// bytes; NULL without memory, and the array is as it was.
void *array_grow(void *items, size_t *capacity, size_t needed, size_t size);

#endif
