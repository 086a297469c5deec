// Growth by doubling: adding an item costs a constant time on average.
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>

void *array_make_room(void *items, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return items;
    size_t wanted = *capacity * 2 > needed ? *capacity * 2 : needed;
    if (wanted < 64)
        wanted = 64;
    void *grown = wanted <= SIZE_MAX / size ? realloc(items, wanted * size) : NULL;
    if (!grown)
        return items;
    *capacity = wanted;
    return grown;
}
