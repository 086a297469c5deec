// Binding: gives the names of a parsed tree their slots and locals, and folds what no slot can
// change into constants. One walk from the leaves up; each node learns which slots and locals it
// depends on, so that a part which depends on none is evaluated at once. Unknown names are refused
// here, with the nearest known name.
#include "expr/syntax_node.h"

#include <stdio.h>
#include <stdlib.h>

// A loop variable in scope; the latest of a name hides earlier ones and slots.
struct scope {
    const char *names[LOCALS_LIMIT];
    uint32_t count;
};

struct binder {
    struct arena *arena;
    const char *text;
    const struct expr_symbols *symbols;
    bool *used;
    struct scope scope;
    uint64_t work; // left for constant parts, in sum
    struct error *error;
};

// The variables that a part of the tree reads: a part that reads none can be computed now.
struct dependence {
    bool slots;
    uint32_t least_local; // the outermost loop variable it reads; LOCALS_LIMIT: none
};

static const struct dependence independent = {.least_local = LOCALS_LIMIT};

static bool bind(struct binder *b, struct node *n, struct dependence *d);

static unsigned column_of_node(const struct binder *b, const struct node *n)
{
    unsigned column = 1;
    for (const char *p = b->text; p < n->place; p++)
        column += ((unsigned char)*p & 0xC0) != 0x80;
    return column;
}

// ---- names ----

// The nearest name that would have been known, or NULL without one (or without memory to look).
static const char *nearest_name(struct binder *b, const char *name)
{
    static const char *const words[] = {"True", "False", "None"};
    size_t count = 0, words_count = sizeof words / sizeof *words;
    const char **names =
        arena_array(b->arena, b->symbols->count + b->scope.count + words_count, sizeof *names);
    if (!names)
        return NULL;
    for (size_t i = 0; i < b->symbols->count; i++)
        names[count++] = b->symbols->items[i].name;
    for (size_t i = 0; i < b->scope.count; i++)
        names[count++] = b->scope.names[i];
    for (size_t i = 0; i < words_count; i++)
        names[count++] = words[i];
    return str_nearest(name, names, count);
}

// "the names are a, b, c", cut after a few: those of the spec first, then hone's own, which are many. Empty names are those that
// others hide.
static void list_known_names(const struct binder *b, char *out, size_t size)
{
    enum { SHOWN_MOST = 12 };
    size_t length = 0, shown = 0, more = 0, count = b->symbols->count;
    snprintf(out, size, "no names are known here");
    for (size_t i = 0; i < 2 * count; i++) {
        const char *name = b->symbols->items[i % count].name;
        if (!name[0] || b->symbols->items[i % count].is_builtin != (i >= count))
            continue;
        more += shown == SHOWN_MOST;
        if (shown == SHOWN_MOST || length >= size)
            continue;
        length += (size_t)snprintf(out + length, size - length, "%s%s",
                                   shown ? ", " : "the names are ", name);
        shown++;
    }
    if (more > 0 && length < size)
        snprintf(out + length, size - length, " and %zu more", more);
}

static bool unknown_name(struct binder *b, const struct node *n)
{
    const struct function *function = function_find(n->name);
    if (function)
        return error_set(b->error, ERROR_INPUT, "column %u: '%s' is a function; call it: %s",
                         column_of_node(b, n), n->name, function->usage);
    const char *near = nearest_name(b, n->name);
    if (near)
        return error_set(b->error, ERROR_INPUT, "column %u: unknown name '%s'; did you mean '%s'?",
                         column_of_node(b, n), n->name, near);
    char known[512];
    list_known_names(b, known, sizeof known);
    return error_set(b->error, ERROR_INPUT, "column %u: unknown name '%s'; %s",
                     column_of_node(b, n), n->name, known);
}

static bool find_local(const struct scope *s, const char *name, uint32_t *out)
{
    for (uint32_t i = s->count; i > 0; i--)
        if (str_equal(s->names[i - 1], name)) {
            *out = i - 1;
            return true;
        }
    return false;
}

static bool find_symbol(const struct expr_symbols *s, const char *name, uint32_t *out)
{
    for (size_t i = 0; i < s->count; i++)
        if (str_equal(s->items[i].name, name)) {
            *out = (uint32_t)i;
            return true;
        }
    return false;
}

static void become(struct node *n, enum node_kind kind)
{
    n->kind = kind;
    n->eval = node_evals[kind];
    n->weight = 1;
}

static bool bind_name(struct binder *b, struct node *n, struct dependence *d)
{
    uint32_t index;
    if (find_local(&b->scope, n->name, &index)) {
        become(n, NODE_LOCAL);
        d->least_local = index;
    } else if (find_symbol(b->symbols, n->name, &index)) {
        become(n, NODE_SLOT);
        b->used[index] = true;
        d->slots = true;
    } else {
        return unknown_name(b, n);
    }
    n->slot = index;
    return true;
}

// max(NAME) and min(NAME) of a parameter mean its list of values: the argument becomes that list.
static bool bind_domain(struct binder *b, struct node *call)
{
    uint32_t index;
    bool extreme = str_equal(call->function->name, "max") || str_equal(call->function->name, "min");
    if (!extreme || call->count != 1 || call->items[0]->kind != NODE_NAME)
        return true;
    struct node *name = call->items[0];
    if (find_local(&b->scope, name->name, &index) || !find_symbol(b->symbols, name->name, &index) ||
        !b->symbols->items[index].domain)
        return true;
    become(name, NODE_CONSTANT);
    return value_copy(b->arena, b->symbols->items[index].domain, &name->value) ||
           error_memory(b->error);
}

// ---- comprehensions ----

static bool open_targets(struct binder *b, struct clause *c, const struct node *n)
{
    c->first_local = b->scope.count;
    for (uint32_t i = 0; i < c->target_count; i++) {
        if (b->scope.count == LOCALS_LIMIT)
            return error_set(b->error, ERROR_INPUT,
                             "column %u: more than %d loop variables at once; split the expression",
                             column_of_node(b, n), LOCALS_LIMIT);
        b->scope.names[b->scope.count++] = c->targets[i];
    }
    return true;
}

// An iterable sees the variables of the clauses before it, the element those of all.
static bool bind_comprehension(struct binder *b, struct node *n, struct dependence *d)
{
    const uint32_t outside = b->scope.count;
    bool bound = true;
    for (uint32_t i = 0; i < n->clause_count && bound; i++)
        bound = bind(b, n->clauses[i].source, d) && open_targets(b, &n->clauses[i], n);
    bound = bound && bind(b, n->items[0], d);
    b->scope.count = outside;
    if (d->least_local >= outside)
        d->least_local = LOCALS_LIMIT; // only its own variables: closed
    return bound;
}

static bool bind_items(struct binder *b, struct node *n, struct dependence *d)
{
    for (uint32_t i = 0; i < n->count; i++)
        if (n->items[i] && !bind(b, n->items[i], d))
            return false;
    return true;
}

// ---- constant parts ----

// Charges the work of folding a part to the whole expression, so that an expression of many costly
// parts takes no longer to parse than one of few.
static bool fold_value(struct binder *b, const struct node *n, struct frame *f, struct value *out)
{
    uint64_t most = FOLD_ITEMS_LIMIT;
    f->budget = b->work < FOLD_ITEMS_LIMIT ? b->work : FOLD_ITEMS_LIMIT;
    f->work = b->work;
    uint64_t before = f->budget;
    enum expr_fault fault = n->eval(n, f, out);
    uint64_t spent = before - f->budget;
    b->work = f->work > spent ? f->work - spent : 0;
    return !fault && value_fits(out, &most);
}

// Replaces a part by its value. One that faults, or is large, stays as it is: it has its fault when
// (and if) it is evaluated.
static bool fold_constant(struct binder *b, struct node *n)
{
    struct arena scratch;
    struct value locals[LOCALS_LIMIT], result;
    bool copied = true;
    arena_init(&scratch);
    struct frame f = {.scratch = &scratch, .locals = locals, .steps = UINT64_MAX};
    if (fold_value(b, n, &f, &result)) {
        copied = value_copy(b->arena, &result, &result);
        n->value = result;
        become(n, NODE_CONSTANT);
    }
    arena_release(&scratch);
    return copied || error_memory(b->error);
}

static int compare_members(const void *a, const void *b)
{
    return search_order(a, b);
}

// The list behind the last `in` of a comparison has no other reader: if it is constant it is
// sorted, so that membership takes a binary search and not a walk.
static void sort_members(struct node *n)
{
    struct node *list = n->items[n->count - 1];
    enum compare_code last = n->chain[n->count - 2];
    if ((last != COMPARE_IN && last != COMPARE_NOT_IN) || list->kind != NODE_CONSTANT ||
        list->value.kind != VALUE_LIST)
        return;
    struct value *items = (struct value *)list->value.items;
    qsort(items, list->value.count, sizeof *items, compare_members);
    list->ascending = true;
}

static bool all_constant(const struct node *n)
{
    for (uint32_t i = 0; i < n->count; i++)
        if (n->items[i]->kind != NODE_CONSTANT)
            return false;
    return true;
}

// Binds a part and adds what it depends on to *d.
static bool bind(struct binder *b, struct node *n, struct dependence *d)
{
    struct dependence own = independent;
    bool bound;
    if (n->kind == NODE_CALL && !bind_domain(b, n))
        return false;
    if (n->kind == NODE_NAME)
        bound = bind_name(b, n, &own);
    else if (n->kind == NODE_COMPREHENSION)
        bound = bind_comprehension(b, n, &own);
    else
        bound = bind_items(b, n, &own);
    if (!bound)
        return false;
    if (n->kind == NODE_COMPARE)
        sort_members(n);
    uint32_t weight = 1;
    for (uint32_t i = 0; i < n->count; i++)
        weight += n->items[i] ? n->items[i]->weight : 0;
    for (uint32_t i = 0; n->kind == NODE_COMPREHENSION && i < n->clause_count; i++)
        weight += n->clauses[i].source->weight;
    n->weight = weight;
    d->slots |= own.slots;
    if (own.least_local < d->least_local)
        d->least_local = own.least_local;
    if (n->kind == NODE_CONSTANT || own.slots || own.least_local < LOCALS_LIMIT)
        return true;
    // A list of constants becomes one, however long: its items are there already.
    if (n->kind != NODE_LIST || !all_constant(n))
        return fold_constant(b, n);
    struct value *items = arena_array(b->arena, (size_t)n->count + 1, sizeof *items);
    if (!items)
        return error_memory(b->error);
    for (uint32_t i = 0; i < n->count; i++)
        items[i] = n->items[i]->value;
    n->value = value_list(items, n->count);
    become(n, NODE_CONSTANT);
    return true;
}

bool bind_names(struct arena *a, struct node *root, const char *text,
                const struct expr_symbols *symbols, bool *used, struct error *e)
{
    struct binder b = {.arena = a, .text = text, .symbols = symbols, .error = e};
    b.work = FOLD_WORK_LIMIT;
    struct dependence d = independent;
    b.used = used;
    return bind(&b, root, &d);
}
