// Paths by container and place in it. Values of JSON that are true, false or null are one object each in memory, so
// that a value itself cannot say where it stands.
#include "problem/origin.h"

#include "base/text.h"

#include <stdint.h>

#define BUCKETS 512

struct origin {
    const json_t *container;
    const char *key; // NULL: the item
    size_t index;
    const char *path; // NULL: verbatim
    struct origin *next;
};

struct origins {
    struct arena *arena;
    struct origin *buckets[BUCKETS];
};

struct origins *origins_new(struct arena *a)
{
    struct origins *o = arena_alloc(a, sizeof *o);
    if (o)
        o->arena = a;
    return o;
}

static size_t bucket_of(const json_t *container, const char *key, size_t index)
{
    uint64_t hash = (uint64_t)(uintptr_t)container / 16 + index * 31;
    for (; key && *key; key++)
        hash = hash * 33 + (unsigned char)*key;
    return hash * UINT64_C(0x9e3779b97f4a7c15) >> 55;
}

static const struct origin *look_up(const struct origins *o, const json_t *container,
                                    const char *key, size_t index)
{
    const struct origin *n = o->buckets[bucket_of(container, key, index)];
    while (n && (n->container != container || n->index != index || !str_equal(n->key, key)))
        n = n->next;
    return n;
}

static bool add_origin(struct origins *o, const json_t *container, const char *key, size_t index,
                       const char *path)
{
    struct origin **bucket = &o->buckets[bucket_of(container, key, index)];
    struct origin *n = arena_alloc(o->arena, sizeof *n);
    const char *copy = key ? arena_strdup(o->arena, key) : NULL;
    if (!n || (key && !copy))
        return false;
    *n = (struct origin){container, copy, index, path, *bucket};
    *bucket = n;
    return true;
}

bool origin_note(struct origins *o, const json_t *container, const char *key, size_t index,
                 const char *path)
{
    const char *copy = arena_strdup(o->arena, path);
    return copy && add_origin(o, container, key, index, copy);
}

const char *origin_find(const struct origins *o, const json_t *container, const char *key,
                        size_t index)
{
    const struct origin *n = look_up(o, container, key, index);
    return n ? n->path : NULL;
}

bool origin_note_verbatim(struct origins *o, const json_t *container)
{
    return add_origin(o, container, NULL, SIZE_MAX, NULL);
}

bool origin_is_verbatim(const struct origins *o, const json_t *container)
{
    return look_up(o, container, NULL, SIZE_MAX) != NULL;
}
