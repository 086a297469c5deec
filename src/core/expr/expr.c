// The public face of the language: an expression is parsed, its names are bound, and where it is
// integers only it is compiled, too. Evaluation takes the compiled program first and asks the tree
// where that is unsure.
#include "expr/expr.h"

#include "expr/syntax_node.h"

#include <stdlib.h>

const char *expr_fault_text(enum expr_fault fault)
{
    static const char *const texts[] = {EXPR_FAULTS(LIST_TEXT)};
    return texts[fault];
}

static bool collect_slots(struct arena *a, struct expr *x, const bool *used, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x->slot_count += used[i];
    x->slots = arena_array(a, x->slot_count ? x->slot_count : 1, sizeof *x->slots);
    if (!x->slots)
        return false;
    for (size_t i = 0, k = 0; i < count; i++)
        if (used[i])
            x->slots[k++] = (uint32_t)i;
    return true;
}

static struct expr *build_expr(struct arena *a, const char *text,
                               const struct expr_symbols *symbols, struct error *e)
{
    struct expr *x = arena_alloc(a, sizeof *x);
    bool *used = arena_array(a, symbols->count + 1, sizeof *used);
    if (!x || !used || !(x->text = arena_strdup(a, text)))
        return error_no_memory(e);
    struct node *root = parse_text(a, x->text, symbols, e);
    if (!root || !bind_names(a, root, x->text, symbols, used, e))
        return NULL;
    x->root = root;
    if (!collect_slots(a, x, used, symbols->count))
        return error_no_memory(e);
    return x;
}

struct expr *expr_parse(struct arena *a, const char *text, const struct expr_symbols *symbols,
                        struct error *e)
{
    static const struct expr_symbols none = {0};
    struct error cause = ERROR_INIT; // the caller's record may be NULL or hold an older cause
    struct expr *x = build_expr(a, text, symbols ? symbols : &none, &cause);
    if (!x)
        error_set(e, cause.code, "%s", cause.text);
    return x;
}

enum expr_fault expr_eval_within(const struct expr *x, const struct value *slots,
                                 struct arena *scratch, uint64_t *steps, struct value *out)
{
    struct value locals[LOCALS_LIMIT];
    struct frame f = {slots, scratch, locals, ITEMS_LIMIT, WORK_LIMIT, *steps};
    uint64_t most = ITEMS_LIMIT;
    enum expr_fault fault = x->root->eval(x->root, &f, out);
    if (!fault && out->kind == VALUE_LIST && !value_fits(out, &most))
        fault = EXPR_FAULT_LIMIT;
    *steps = f.steps;
    return fault;
}

enum expr_fault expr_eval(const struct expr *x, const struct value *slots, struct arena *scratch,
                          struct value *out)
{
    uint64_t steps = UINT64_MAX;
    return expr_eval_within(x, slots, scratch, &steps, out);
}

enum expr_fault expr_test_within(const struct expr *x, const struct value *slots,
                                 struct arena *scratch, uint64_t *steps, bool *out)
{
    struct value locals[LOCALS_LIMIT];
    struct frame f = {slots, scratch, locals, ITEMS_LIMIT, WORK_LIMIT, *steps};
    enum expr_fault fault = eval_truth(x->root, &f, out);
    *steps = f.steps;
    return fault;
}

enum expr_fault expr_test(const struct expr *x, const struct value *slots, struct arena *scratch,
                          bool *out)
{
    uint64_t steps = UINT64_MAX;
    return expr_test_within(x, slots, scratch, &steps, out);
}

bool expr_is_list(const struct expr *x)
{
    const struct node *n = x->root;
    return n->kind == NODE_LIST || n->kind == NODE_COMPREHENSION ||
           (n->kind == NODE_CONSTANT && n->value.kind == VALUE_LIST);
}

uint32_t expr_weight(const struct expr *x)
{
    return x->root->weight;
}

bool expr_uses(const struct expr *x, size_t slot)
{
    for (size_t i = 0; i < x->slot_count; i++)
        if (x->slots[i] == slot)
            return true;
    return false;
}

size_t expr_slots(const struct expr *x, const uint32_t **slots)
{
    *slots = x->slots;
    return x->slot_count;
}

static void add_slots(const struct node *n, uint32_t *out, size_t *count)
{
    if (!n)
        return;
    size_t at = 0;
    while (n->kind == NODE_SLOT && at < *count && out[at] != n->slot)
        at++;
    if (n->kind == NODE_SLOT && at == *count)
        out[(*count)++] = n->slot;
    for (uint32_t i = 0; i < n->count; i++)
        add_slots(n->items[i], out, count);
    for (uint32_t i = 0; n->kind == NODE_COMPREHENSION && i < n->clause_count; i++)
        add_slots(n->clauses[i].source, out, count);
}

void expr_slots_as_read(const struct expr *x, uint32_t *out)
{
    size_t count = 0;
    add_slots(x->root, out, &count);
}

static int compare_slots(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

struct expr *expr_of_part(struct arena *a, const struct expr *whole, const struct node *part)
{
    struct expr *x = arena_alloc(a, sizeof *x);
    uint32_t *slots = arena_array(a, whole->slot_count + 1, sizeof *slots);
    if (!x || !slots)
        return NULL;
    *x = (struct expr){.root = part, .text = whole->text, .slots = slots};
    add_slots(part, slots, &x->slot_count);
    qsort(slots, x->slot_count, sizeof *slots, compare_slots);
    return x;
}

const char *expr_text(const struct expr *x)
{
    return x->text;
}
