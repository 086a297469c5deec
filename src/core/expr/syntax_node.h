// The tree an expression is parsed into, and what its evaluation needs. Nodes know their own
// evaluation function, so that walking the tree asks nothing twice.
#pragma once

#include "expr/expr.h"
#include "expr/operate.h"

enum {
    NEST_LIMIT = 200,           // brackets and signs within each other, as deep as Python's
    HEIGHT_LIMIT = 1000,        // of the tree: a sum of a thousand terms
    LOCALS_LIMIT = 32,          // loop variables alive at once
    ARGUMENTS_LIMIT = 64,       // of one call
    CLAUSES_LIMIT = 16,         // for and if of one comprehension
    TARGETS_LIMIT = 8,          // names one `for` unpacks into
    ITEMS_LIMIT = 1 << 22,      // list items made and loop turns taken by one evaluation
    WORK_LIMIT = 1 << 24,       // items and characters that it compares, searches or counts
    FOLD_ITEMS_LIMIT = 1 << 16, // items made while one constant part is computed at parse time;
                                // a list of constants is one at any length
    FOLD_WORK_LIMIT = 1 << 20,  // the same as WORK_LIMIT, and of items, for all constant parts
};

struct node;

struct frame {
    const struct value *slots;
    struct arena *scratch; // NULL: no list and no string can be made
    struct value *locals;  // LOCALS_LIMIT loop variables
    uint64_t budget;       // items and turns left
    uint64_t work;         // items and characters left to look at
    uint64_t steps;        // of expr_test_within() left
};

typedef enum expr_fault (*eval_fn)(const struct node *n, struct frame *f, struct value *out);

enum node_kind {
    NODE_NAME, // until bind() has replaced it by one of the next three
    NODE_CONSTANT,
    NODE_SLOT,
    NODE_LOCAL,
    NODE_UNARY,
    NODE_BINARY,
    NODE_AND,
    NODE_OR,
    NODE_NOT,
    NODE_COMPARE,
    NODE_CONDITION, // items: condition, then, else
    NODE_LIST,
    NODE_COMPREHENSION,
    NODE_INDEX, // items: what, index
    NODE_SLICE, // items: what, start, stop, step; the last three may be NULL
    NODE_CALL,
    NODE_KINDS
};

// `for NAMES in ITERABLE` or `if CONDITION`.
struct clause {
    struct node *source; // iterable or condition
    bool loops;
    uint32_t target_count; // 1: the item itself, more: the item is unpacked
    uint32_t first_local;  // set by bind()
    const char *targets[TARGETS_LIMIT];
};

struct node {
    eval_fn eval;
    enum node_kind kind;
    bool ascending;    // CONSTANT: a list behind `in`, sorted by bind()
    const char *place; // in the text, for errors
    uint32_t height;
    uint32_t weight; // nodes of the tree, itself and its clauses included; set by bind()
    uint32_t count;  // of items
    struct node **items;
    union {
        struct value value;              // CONSTANT
        uint32_t slot;                   // SLOT, LOCAL
        const char *name;                // NAME
        enum unary_code unary;           // UNARY
        enum operator_code op;           // BINARY
        const enum compare_code *chain;  // COMPARE: count - 1 of them
        const struct function *function; // CALL
        struct {                         // COMPREHENSION: items[0] is the element
            struct clause *clauses;
            uint32_t clause_count;
            bool lazy; // a generator: its consumer may stop it
        };
    };
};

struct expr {
    const struct node *root;
    const char *text;
    uint32_t *slots; // those it reads, ascending
    size_t slot_count;
};

// A function of the language. Exactly one of `call` (over argument values) and `eval` (over the
// call's node: it iterates, or stops early) is set.
struct function {
    const char *name; // as written; "math.pow" differs from "pow"
    uint32_t least, most;
    const char *usage;
    enum expr_fault (*call)(struct frame *f, const struct value *args, uint32_t count,
                            struct value *out);
    eval_fn eval;
};
// NULL when there is none. A "math." prefix is accepted for every function that Python's math has.
const struct function *function_find(const char *name);
// A name of math that is a value: pi, e, inf, nan, tau.
bool math_constant(const char *name, double *out);
// All names, without prefix, for suggestions.
size_t function_names(const char **names, size_t capacity);

// Evaluation of each kind of node.
extern const eval_fn node_evals[NODE_KINDS];
enum expr_fault eval_truth(const struct node *n, struct frame *f, bool *out);

// Costs in steps: making an item, looking at one, and evaluating a node of a loop's body.
enum { ITEM_STEPS = 16, LOOK_STEPS = 2, NODE_STEPS = 8 };

static inline enum expr_fault frame_step(struct frame *f, uint64_t steps)
{
    bool enough = steps <= f->steps;
    f->steps = enough ? f->steps - steps : 0;
    return enough ? EXPR_FAULT_NONE : EXPR_FAULT_LIMIT;
}
// Takes `count` items from the budget.
static inline enum expr_fault frame_spend(struct frame *f, uint64_t count)
{
    if (count > f->budget)
        return EXPR_FAULT_LIMIT;
    f->budget -= count;
    return frame_step(f, ITEM_STEPS * count);
}
// Takes `count` steps from the work left: every loop over a value that exists already asks here,
// for values are made once and may be read in every turn of a loop.
static inline enum expr_fault frame_work(struct frame *f, uint64_t count)
{
    if (count > f->work)
        return EXPR_FAULT_LIMIT;
    f->work -= count;
    return frame_step(f, LOOK_STEPS * count);
}
// Items and characters of a value with everything in it, taken from *left; false when there are
// more. A list may hold another many times, so that a few items stand for millions.
bool value_fits(const struct value *v, uint64_t *left);
// Scratch memory; NULL without.
void *frame_alloc(struct frame *f, size_t bytes);

// Parses into a tree whose names are not looked up yet.
struct node *parse_text(struct arena *a, const char *text, const struct expr_symbols *symbols,
                        struct error *e);
// Looks up names, computes constant parts, and marks the slots read in used[0 .. symbols->count).
bool bind_names(struct arena *a, struct node *root, const char *text,
                const struct expr_symbols *symbols, bool *used, struct error *e);

// An expression of a part of another's tree, with that one's text; NULL without memory.
struct expr *expr_of_part(struct arena *a, const struct expr *whole, const struct node *part);
