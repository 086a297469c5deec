// A spec that was never a file: parameters alone, for spaces that are made from recorded results.
#include "problem/spec_kernels.h"
#include "problem/read_spec.h"

#include <stdlib.h>

static bool copy_parameter_values(struct arena *a, const struct parameter *from,
                                  struct parameter *to)
{
    struct value *values = arena_array(a, from->count, sizeof *values);
    bool ok = values != NULL;
    for (uint32_t i = 0; ok && i < from->count; i++)
        ok = value_copy(a, &from->values[i], &values[i]);
    to->values = values;
    return ok;
}

static bool copy_parameters(struct spec *s, const struct parameter *parameters, uint32_t count)
{
    struct parameter *copies = arena_array(&s->arena, (size_t)count + 1, sizeof *copies);
    bool ok = copies != NULL;
    for (uint32_t i = 0; ok && i < count; i++) {
        const char *path = parameters[i].path;
        copies[i] = parameters[i];
        copies[i].name = arena_strdup(&s->arena, parameters[i].name);
        copies[i].path = arena_strdup(&s->arena, path ? path : parameters[i].name);
        ok = copies[i].name && copies[i].path &&
             copy_parameter_values(&s->arena, &parameters[i], &copies[i]);
    }
    s->parameters = copies;
    s->parameter_count = ok ? count : 0;
    return ok;
}

struct spec *spec_bare(const char *name, const struct parameter *parameters, uint32_t count,
                       struct error *e)
{
    struct spec *s = alloc_zeroed(sizeof *s, e);
    if (!s)
        return NULL;
    arena_init(&s->arena);
    s->name = arena_strdup(&s->arena, name);
    s->path = s->name;
    s->directory = ".";
    s->text = "";
    digest_of("", 0, &s->digest);
    s->kernel = arena_alloc(&s->arena, sizeof *s->kernel);
    struct faults none = {.count = 0};
    struct reader r = {.spec = s, .arena = &s->arena, .error = e, .faults = &none};
    if (s->name && s->kernel && copy_parameters(s, parameters, count) && make_symbols(&r))
        return s;
    error_memory(e);
    spec_free(s);
    return NULL;
}
