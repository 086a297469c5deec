// Kernels' texts: any bytes are read, each kernel in them is run on numbers, and what is said of it
// holds together. The first byte chooses the language; behind SPEC_PART_END stand the files that it includes.
#include "fuzz.h"
#include "extras/init/includes.h"
#include "extras/init/infer.h"
#include "spec_files.h"

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
    struct text source = TEXT_INIT, missing = TEXT_INIT;
    arena_init(&arena);
    spec_files_begin(data + 1, size - 1);
    if (infer_read(SPEC_FILE, NULL, &source, &missing, &e) &&
        infer_kernels(text_cstr(&source), source.length, l, &arena, &kernels, &e)) {
        for (uint32_t i = 0; i < kernels.count && i < KERNELS; i++) {
            struct inferred f;
            if (infer_kernel(text_cstr(&source), source.length, l, kernels.names[i], &arena, &f,
                             &e))
                look_at(&f);
        }
    }
    spec_files_end();
    text_release(&source);
    text_release(&missing);
    arena_release(&arena);
    return 0;
}
