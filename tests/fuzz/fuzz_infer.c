// Kernels' texts: any bytes are read, each kernel in them is run on numbers, and what is said of it
// holds together. The first byte chooses the language.
#include "fuzz.h"
#include "extras/init/infer.h"

#include <string.h>

enum { KERNELS = 3 };

static void look_at(const struct inferred *f)
{
    REQUIRE(f->axes <= 3);
    for (uint32_t i = 0; i < f->axes; i++)
        REQUIRE(f->global[i] && f->local[i]);
    for (uint32_t i = 0; i < f->name_count; i++)
        REQUIRE(f->names[i].name && (f->names[i].role != NAME_PARAMETER || f->names[i].values));
    for (uint32_t i = 0; i < f->argument_count; i++) {
        const struct inferred_argument *a = &f->arguments[i];
        REQUIRE(a->name && a->type && (a->kind == INFERRED_SCALAR ? a->value : a->size));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct error e = ERROR_INIT;
    struct inferred_kernels kernels;
    if (size < 1 || size > 4096)
        return 0;
    enum language l = (enum language)(data[0] % LANGUAGE_COUNT);
    const char *text = (const char *)data + 1;
    arena_init(&arena);
    if (infer_kernels(text, size - 1, l, &arena, &kernels, &e)) {
        for (uint32_t i = 0; i < kernels.count && i < KERNELS; i++) {
            struct inferred f;
            if (infer_kernel(text, size - 1, l, kernels.names[i], &arena, &f, &e))
                look_at(&f);
        }
    }
    arena_release(&arena);
    return 0;
}
