// What was inferred of a kernel as a line of text.
#ifndef HONE_TESTS_INFER_DESCRIBE_H
#define HONE_TESTS_INFER_DESCRIBE_H

#include "extras/init/infer.h"

#include "base/text.h"

static inline void add_names_of(const struct inferred *f, struct text *out)
{
    for (uint32_t i = 0; i < f->name_count; i++) {
        const struct inferred_name *n = &f->names[i];
        text_addf(out, "%s", n->name);
        if (n->role == NAME_PARAMETER)
            text_addf(out, "=%lld of %s", (long long)n->value, n->values);
        text_add(out, n->role == NAME_TYPE && n->is_integer ? " (integer); " : "; ");
    }
}

static inline void add_arguments_of(const struct inferred *f, struct text *out)
{
    static const char *const uses[] = {
        [INFERRED_READ] = "r", [INFERRED_WRITE] = "w", [INFERRED_BOTH] = "rw"};
    for (uint32_t i = 0; i < f->argument_count; i++) {
        const struct inferred_argument *a = &f->arguments[i];
        if (a->kind == INFERRED_MEMBER)
            text_addf(out, "%s.%s ", a->owner, a->member);
        else
            text_addf(out, "%s ", a->name);
        if (a->kind == INFERRED_SCALAR || a->kind == INFERRED_MEMBER)
            text_addf(out, "= %s", a->value);
        else if (a->kind == INFERRED_STRUCT)
            text_add(out, "struct");
        else if (a->kind == INFERRED_SAMPLER)
            text_add(out, "sampler");
        else if (a->kind == INFERRED_IMAGE)
            text_addf(out, "%s image %s x %s%s%s", uses[a->access], a->image[0], a->image[1],
                      a->image[2] ? " x " : "", a->image[2] ? a->image[2] : "");
        else if (a->kind == INFERRED_LOCAL)
            text_addf(out, "local %s", a->size);
        else
            text_addf(out, "%s %s%s", uses[a->access], a->size, a->is_guess ? "?" : "");
        if (a->generator)
            text_addf(out, " {%s}", a->generator);
        text_add(out, "; ");
    }
}

// "n; | n / block_size_x | x r n; y rw n; "
static inline void describe_inferred(const struct inferred *f, struct text *out)
{
    add_names_of(f, out);
    text_add(out, "| ");
    for (uint32_t i = 0; i < f->axes; i++)
        text_addf(out, "%s / %s; ", f->global[i], f->local[i]);
    text_add(out, "| ");
    add_arguments_of(f, out);
    for (uint32_t i = 0; i < f->restriction_count; i++)
        text_addf(out, "| %s", f->restrictions[i]);
}

#endif
