// An expression as a graph that is evaluated in stages: its slots receive their values one after
// the other, and after each stage only the values of the largest parts known so far matter to what
// follows. Of `a*b*c <= 4096`, once a and b are known, only a*b does: assignments that agree in it
// are one. For spaces; expr_eval() and expr_test() say what an expression means, and this agrees.
//
// Equal parts are one node, sums and products of integers that cannot overflow are put in the order
// of the stages, and derived names stand for what defines them. A part that the graph has no node
// for (lists, comprehensions, indices) is one opaque node, evaluated when all it reads is known.
#pragma once

#include "expr/syntax_node.h"

enum graph_kind {
    GRAPH_CONSTANT,
    GRAPH_SLOT,
    GRAPH_UNARY,
    GRAPH_BINARY,
    GRAPH_COMPARE, // of two
    GRAPH_AND,     // the operand that decides, as in Python
    GRAPH_OR,
    GRAPH_NOT,
    GRAPH_CONDITION, // condition, then, else
    GRAPH_LEAST,     // of two
    GRAPH_LARGEST,
    GRAPH_CALL,
    GRAPH_OPAQUE,
    GRAPH_HAS_VALUE, // True if its item has a value, else False
    GRAPH_MUST_HAVE  // the same, but its item's fault is its own
};

// The possible results of a node over all assignments of the slots that are not known yet. A
// certain fault is neither yes nor no.
struct graph_range {
    enum { RANGE_INTEGER, RANGE_NUMBER, RANGE_ANY } kind; // an int or bool; also float; also others
    bool fault, yes, no;                                  // may it fault, be true, be false
    int64_t low, high;                                    // of INTEGER, both included
};

struct graph_node {
    enum graph_kind kind;
    uint32_t stage;        // in which it gets its value; 0: before the first
    uint32_t first, count; // of its items in graph.items; all are nodes before it
    bool truth;            // only its truth, or that it faults, is ever asked for
    bool alone;            // depends on nothing from stages before its own
    bool ascending;        // COMPARE by `in`: its list is node.ascending
    union {
        struct value value;
        uint32_t slot;
        enum unary_code unary;
        enum operator_code op;
        enum compare_code compare;
        const struct function *function;
        struct {
            const struct node *tree;
            const uint32_t *slots; // those that its items are the values of
        } opaque;
    };
};

struct graph {
    struct graph_node *nodes;
    struct graph_range *ranges; // one a node: before anything is known
    uint32_t count;
    size_t capacity;
    uint32_t *items;
    uint32_t item_count;
    size_t item_capacity;
    uint32_t root;
    uint32_t stages;
    uint32_t slot_count; // of the expression's symbols
    struct arena *arena;
};

// How a slot gets its value.
struct graph_slot {
    uint32_t stage;                // from 1, in which it gets its value; 0: it has it already
    const struct value *values;    // it may get: all of one kind; or, at stage 0, the one it has
    uint32_t count;                // of values
    const struct expr *definition; // of a derived name; else NULL
};

struct graph_question {
    const struct graph_slot *slots;
    uint32_t slot_count;
    uint32_t stages;
    const struct expr *condition; // (optional) what must hold, once what is needed has a value
    const uint32_t *needed;       // slots of derived names that must have a value, in order
    uint32_t needed_count;
    bool reports; // a fault of the last of the needed is the question's own, not just its end
};

enum graph_outcome { GRAPH_DONE, GRAPH_TOO_LARGE, GRAPH_MEMORY };
// A graph whose root is the answer, in memory of the arena.
enum graph_outcome graph_build(struct graph *g, struct arena *a, const struct graph_question *q);

static inline const uint32_t *graph_items(const struct graph *g, uint32_t node)
{
    return g->items + g->nodes[node].first;
}

// The parts of an `and` that must all hold, each an expression of its own, if no assignment makes
// one of them fault: then they may be evaluated in any order, and together with others.
// `len(set([a, b, c])) == 3` is `a != b and a != c and b != c`. *count is 0 if it is not such an
// `and`; false without memory.
bool graph_split(struct arena *a, const struct expr *x, const struct graph_slot *slots,
                 uint32_t slot_count, const struct expr ***parts, uint32_t *count);

// From the ranges of all nodes before it.
struct graph_range graph_range_of(const struct graph *g, uint32_t node,
                                  const struct graph_range *ranges);
struct graph_range graph_range_of_value(const struct value *v);
// Makes room in `r` for all that `other` may be.
void graph_range_join(struct graph_range *r, const struct graph_range *other);
extern const struct graph_range graph_fault_range; // it faults for certain

// ---- evaluation --------------------------------------------------------------------------------

struct graph_cell {
    struct value value;
    enum expr_fault fault; // NONE: the value is one
};

// The values of one node for each value of the stage's slot.
struct graph_column {
    enum { COLUMN_NONE, COLUMN_INT, COLUMN_BOOL, COLUMN_CELLS } form;
    bool passing; // cells that hold lists or texts, which last for one step
    int64_t *integers;
    struct graph_cell *cells;
};

struct graph_run {
    const struct graph *graph;
    struct graph_cell *known;     // one a node; of the stages before, where they matter
    struct graph_column *columns; // one a node; of the stage
    uint32_t **of_stage;          // the nodes of each stage, and how many
    uint32_t *stage_counts;
    uint32_t stage, width;
    uint32_t width_most;
    struct value *slots; // for opaque nodes
    struct arena scratch, kept;
    struct arena inner; // what opaque nodes make on the way
    bool fresh;         // nothing of the stage was evaluated yet
    uint64_t *steps;    // left for what is inside of nodes: see expr_test_within()
    enum { RUN_ON, RUN_EFFORT, RUN_LARGE, RUN_MEMORY } end; // why it cannot go on
};

// `width_most`: the most values a slot has. Stage 0 is evaluated. False: see r->end.
bool graph_run_init(struct graph_run *r, const struct graph *g, uint32_t width_most,
                    uint64_t *steps);
void graph_run_release(struct graph_run *r);
// Goes to a stage, whose slot (if it has a node) may have these values.
void graph_run_enter(struct graph_run *r, uint32_t stage, const struct value *values,
                     uint32_t width);
// Evaluates the stage for all values, with `known` as it is. False: see r->end.
bool graph_run_step(struct graph_run *r);
// A node of the stage at the value `at`.
struct graph_cell graph_run_cell(const struct graph_run *r, uint32_t node, uint32_t at);
