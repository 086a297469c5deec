// Expressions over arrays. Beyond not crashing: what they give is what the tree gives, index by index, and where they give
// nothing the tree has a fault, too, but for what elementwise_tree.h names.
#include "../expr/elementwise_tree.h"
#include "fuzz.h"

#include <string.h>

enum { DEAR = 100000 }; // operations an index, beyond which the tree would take too long

// Integers that no double holds are rounded where a float stands beside them in a condition; any() and all() see turns
// that the tree leaves out.
static bool is_exempt(const char *text, const char *fault)
{
    return strstr(text, "any") || strstr(text, "all") || strstr(fault, "[-") ||
           strstr(fault, "overflow");
}

static void compare_with_tree(struct arena *a, const char *text, const struct elementwise *p,
                              const struct expr *x)
{
    struct error e = ERROR_INIT;
    struct arena scratch;
    uint64_t at = 0;
    struct elementwise_run *r = elementwise_begin(p);
    REQUIRE(r);
    const union elementwise_value *found = elementwise_values(r, 0, 32, &at, &e);
    (void)a;
    REQUIRE((found != NULL) == (e.code == ERROR_NONE));
    arena_init(&scratch);
    for (uint64_t i = 0; i < 32 && (found || i <= at); i++) {
        struct value v;
        enum expr_fault fault = tree_value(x, i, &scratch, &v);
        if (found && !fault)
            REQUIRE(tree_agrees(&v, &found[i], elementwise_is_float(p)) || strstr(text, "**") ||
                    strlen(text) > 200);
        if (!found && i == at)
            REQUIRE(fault || is_exempt(text, e.text));
    }
    arena_release(&scratch);
    elementwise_end(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct error e = ERROR_INIT;
    arena_init(&arena);
    char *text = arena_strndup(&arena, (const char *)data, size);
    REQUIRE(text);
    struct elementwise *p = tree_compile(&arena, text, &e);
    REQUIRE((p != NULL) == (e.code == ERROR_NONE));
    struct expr *x = p ? tree_parse(&arena, text) : NULL;
    REQUIRE(!p || x);
    if (p && elementwise_cost(p) < DEAR)
        compare_with_tree(&arena, text, p, x);
    arena_release(&arena);
    return 0;
}
