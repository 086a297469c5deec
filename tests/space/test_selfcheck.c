// The check that every space of these tests passes finds a space that does not agree with its restrictions: faults are
// planted in its diagram as it is made (the linker hands every call of diagram_init() to this
// file).
#include "../base/suite.h"
#include "make.h"
#include "space/inside.h"

#include <string.h>

// ---- planting ----------------------------------------------------------------------------------

enum planted {
    PLANTED_NOTHING,
    PLANTED_VALUE, // an edge has another value
    PLANTED_CHILD, // an edge leads to another node of the layer
    PLANTED_LOSS,  // half of the first edges are lost
    PLANTED_EMPTY  // everything is lost
};
static enum planted planted;

bool __real_diagram_init(struct diagram *d, const uint32_t *order, uint32_t layers,
                         const struct intern *nodes, uint32_t root, bool *overflow);
bool __wrap_diagram_init(struct diagram *d, const uint32_t *order, uint32_t layers,
                         const struct intern *nodes, uint32_t root, bool *overflow);

static void plant(struct diagram *d)
{
    struct diagram_node *root = &d->nodes[d->root];
    struct diagram_edge *first = &d->edges[root->first];
    if (planted == PLANTED_VALUE)
        d->edges[d->nodes[first->child].first].value ^= 1;
    if (planted == PLANTED_CHILD)
        first[0].child = first[1].child;
    if (planted == PLANTED_LOSS) {
        root->edges /= 2;
        root->count = first[root->edges].before;
    }
    if (planted == PLANTED_EMPTY)
        d->root = DIAGRAM_NONE;
}

bool __wrap_diagram_init(struct diagram *d, const uint32_t *order, uint32_t layers,
                         const struct intern *nodes, uint32_t root, bool *overflow)
{
    bool ok = __real_diagram_init(d, order, layers, nodes, root, overflow);
    if (ok && d->root != DIAGRAM_NONE)
        plant(d);
    return ok;
}

// ---- what is said ------------------------------------------------------------------------------

// The space of 1 to 32 in a..f has chains of equalities, that of tiles divisions and a product.
static const struct {
    const char *parameters, *restrictions;
} specs[] = {
    {"a [1, 2, 3, 4]; b [1, 2, 3, 4]", "b >= a"},
    {"a list(range(1, 33)); b list(range(1, 33)); c list(range(1, 33)); d list(range(1, 33)); "
     "e list(range(1, 33)); f list(range(1, 33))",
     "b == a; d == c; f == e; (a*b + c*d*e) % (f + 3) != 0"},
    {"m [16, 32, 64, 128]; n [16, 32, 64, 128]; k [8, 16, 32]; w [1, 2, 4, 8]; v [1, 2, 4, 8]; "
     "s list(range(1, 9))",
     "m % (8 * w) == 0; n % (8 * v) == 0; w * v <= 16; s * k * (m + n) * 4 <= 49152"},
};

static const char *const said[] = {[PLANTED_NOTHING] = NULL,
                                   [PLANTED_VALUE] = "configurations ",
                                   [PLANTED_CHILD] = "configurations ",
                                   [PLANTED_LOSS] = "lacks",
                                   [PLANTED_EMPTY] = "the space of 0 configurations lacks"};

static void make_with(enum planted fault, size_t which)
{
    struct spec *s = make_spec(specs[which].parameters, specs[which].restrictions, "");
    struct error e = ERROR_INIT;
    planted = fault;
    struct space *sp = space_new(s, NULL, &e);
    planted = PLANTED_NOTHING;
    ck_assert_msg(sp != NULL, "%s", e.text);
    if (!said[fault]) {
        ck_assert_msg(space_self_check(sp, &e), "%s", e.text);
    } else {
        ck_assert_msg(!space_self_check(sp, &e), "fault %d of spec %zu is not found", (int)fault,
                      which);
        ck_assert_int_eq(e.code, ERROR_INTERNAL);
        ck_assert_msg(strstr(e.text, "internal error: ") == e.text, "%s", e.text);
        ck_assert_msg(strstr(e.text, said[fault]) != NULL, "%s", e.text);
        ck_assert_ptr_nonnull(strstr(e.text, "; please report this with the spec"));
    }
    space_free(sp);
    spec_free(s);
}

START_TEST(planted_faults)
{
    for (int fault = PLANTED_NOTHING; fault <= PLANTED_EMPTY; fault++)
        make_with((enum planted)fault, (size_t)_i);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, planted_faults, 0, sizeof specs / sizeof *specs);
}

int main(void)
{
    return suite_run("space_selfcheck", add);
}
