// Blocks that double in size, the newest first; what is larger than a block gets one of its own.
#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT   ((size_t)16)
#define BLOCK_FIRST ((size_t)1024)
#define BLOCK_MOST  ((size_t)64 * 1024)

// Blocks form a list with the one being filled in front. The storage follows the header, whose size
// is a multiple of the alignment.
struct arena_block {
    struct arena_block *next;
    size_t capacity;
    size_t used;
    _Alignas(16) unsigned char bytes[];
};

void arena_init(struct arena *a)
{
    *a = (struct arena){.blocks = NULL};
}

void arena_release(struct arena *a)
{
    struct arena_block *block = a->blocks;
    while (block) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
    arena_init(a);
}

void arena_empty(struct arena *a)
{
    struct arena_block *first = a->blocks;
    if (!first)
        return;
    struct arena others = {.blocks = first->next};
    arena_release(&others);
    memset(first->bytes, 0, first->used);
    first->next = NULL;
    first->used = 0;
    a->bytes = 0;
}

// calloc: large blocks come from the kernel already zeroed, and arena memory is promised zeroed.
static struct arena_block *block_new(size_t capacity)
{
    if (capacity > SIZE_MAX - sizeof(struct arena_block))
        return NULL;
    struct arena_block *block = calloc(1, sizeof *block + capacity);
    if (block)
        block->capacity = capacity;
    return block;
}

// Each block is twice the one before, up to a limit: the many small arenas (every result has one)
// take little, and large ones few blocks.
static size_t next_capacity(const struct arena *a, size_t bytes)
{
    const struct arena_block *first = a->blocks;
    size_t capacity = BLOCK_FIRST;
    if (first)
        capacity = first->capacity < BLOCK_MOST / 2 ? 2 * first->capacity : BLOCK_MOST;
    while (capacity < BLOCK_MOST && bytes > capacity / 4)
        capacity *= 2;
    return capacity < BLOCK_MOST ? capacity : BLOCK_MOST;
}

// A block with room for `bytes`. A large request gets a block of its own *behind* the one being
// filled, so that the room left there is not lost.
static struct arena_block *block_with_room(struct arena *a, size_t bytes)
{
    struct arena_block *first = a->blocks;
    if (first && first->capacity - first->used >= bytes)
        return first;

    bool large = bytes > BLOCK_MOST / 4;
    struct arena_block *block = block_new(large ? bytes : next_capacity(a, bytes));
    if (!block)
        return NULL;
    struct arena_block **place = large && first ? &first->next : &a->blocks;
    block->next = *place;
    *place = block;
    return block;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX - ALIGNMENT)
        return NULL;
    // Nothing still gets an address of its own: NULL means "no memory" and nothing else.
    size_t rounded = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    struct arena_block *block = block_with_room(a, rounded);
    if (!block)
        return NULL;
    void *result = block->bytes + block->used;
    block->used += rounded;
    a->bytes += bytes;
    return result;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    return arena_alloc(a, count * size);
}

void *arena_make_room(struct arena *a, void *items, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return items;
    size_t wanted = *capacity * 2 > needed ? *capacity * 2 : needed + 3;
    char *grown = arena_array(a, wanted, size);
    if (!grown)
        return items;
    if (*capacity > 0)
        memcpy(grown, items, *capacity * size);
    *capacity = wanted;
    return grown;
}

void *arena_copy(struct arena *a, const void *data, size_t bytes)
{
    void *copy = arena_alloc(a, bytes);
    if (copy && bytes)
        memcpy(copy, data, bytes);
    return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return s ? arena_copy(a, s, strlen(s) + 1) : NULL;
}

char *arena_bytes(struct arena *a, const void *bytes, size_t length)
{
    char *copy = length == SIZE_MAX ? NULL : arena_alloc(a, length + 1);
    if (copy && length)
        memcpy(copy, bytes, length);
    return copy;
}

char *arena_strndup(struct arena *a, const char *s, size_t length)
{
    if (!s || length == SIZE_MAX)
        return NULL;
    size_t present = strnlen(s, length);
    char *copy = arena_alloc(a, present + 1); // zeroed: terminated already
    if (copy && present)
        memcpy(copy, s, present);
    return copy;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    char *result = NULL;
    int length = vsnprintf(NULL, 0, format, args);
    if (length >= 0)
        result = arena_alloc(a, (size_t)length + 1);
    if (result)
        vsnprintf(result, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return result;
}
