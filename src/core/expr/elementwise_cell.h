// The cells that an expression over arrays is compiled into. Private to src/core/expr.
#pragma once

#include "expr/elementwise.h"
#include "expr/elementwise_text.h"
#include "expr/integer.h"
#include "expr/syntax_node.h"

enum {
    LEVELS_LIMIT = 32,   // of loops within each other
    CELLS_LIMIT = 4096,  // of one expression
    UNIFORM = UINT16_MAX // the space of a cell that has one value for all lanes
};

enum cell_op {
    CELL_CONSTANT,
    CELL_VARIABLE, // the index, or a loop's: set by whoever counts it
    CELL_LOAD,     // items: index
    CELL_TO_FLOAT,
    CELL_TO_SIGNED,  // an integer that may be above 2^63 - 1, which is a fault
    CELL_FUSED,      // (a INNER b) CODE c of integers, of which a INNER b has up to 128 bits
    CELL_ARITHMETIC, // of two, by `code`: of integers or of floats
    CELL_COMPARE,    // LT, LE, EQ or NE of two of one type
    CELL_LEAST,      // of two
    CELL_LARGEST,
    CELL_TRUTH,  // is it other than 0?
    CELL_ROOT,   // the square root of a float
    CELL_INVERT, // ~x
    CELL_CALL,   // a function of the language, of one or two
    CELL_SELECT, // items: condition, then, else; the latter two are evaluated for the lanes that ask
    CELL_REDUCE, // items: start, stop, step of a loop
    CELL_NAMED,  // items: what a line assigned: evaluated for all lanes, whoever asks
    CELL_FOLD,   // items: start, stop, step of a loop of lines; it has no value itself
    CELL_FOLDED, // a name's value behind a loop: `state` of `fold`
};

enum reduction_kind {
    REDUCE_SUM,
    REDUCE_PRODUCT,
    REDUCE_LEAST,
    REDUCE_LARGEST,
    REDUCE_ANY,
    REDUCE_ALL
};

// A cell's values are one for each lane of its space: space 0 has a block of indices as lanes; a loop whose body does
// not depend on the lanes around it has a space of its own, in which its turns are the lanes.
struct line_parts {
    const struct cell **cells;
    size_t count, room;
};

// A loop of lines: the names that it carries from turn to turn.
struct fold {
    uint16_t level_inside;
    bool alike; // all lanes take the same turns
    const struct cell *variable;
    struct line_parts parts; // of the body
    uint32_t count;
    const struct cell *states[LINE_TARGETS_LIMIT]; // variables
    const struct cell *starts[LINE_TARGETS_LIMIT]; // before the first turn
    const struct cell *nexts[LINE_TARGETS_LIMIT];  // after a turn
};

struct cell {
    enum cell_op op;
    bool is_float;
    bool checks;    // integer arithmetic may overflow, a load's index be outside
    bool wraps;     // its low 64 bits are wanted alone
    uint16_t space; // or UNIFORM
    uint16_t level; // of the innermost variable that it depends on: when it must be evaluated again
    uint32_t depends; // a bit for each level
    uint32_t id;
    wide_integer low, high; // of integers: what may come out
    double cost;            // for one lane
    const struct cell *items[3];
    union {
        int64_t integer;
        double number;
        struct {
            enum operator_code code, inner;
        };
        enum compare_code compare;
        const struct elementwise_array *array;
        const struct function *function;
        struct fold *fold;         // FOLD
        const struct cell *inside; // NAMED: the loop whose body it stands in, or NULL
        struct {                   // FOLDED
            const struct cell *from;
            uint32_t state;
        };
        struct {
            enum reduction_kind kind;
            bool apart; // its turns are lanes of a space of their own
            uint16_t turns, level_inside;
            uint16_t memo_level; // of what the body depends on besides its own variable
            const struct cell *variable, *filter, *body; // filter: (or NULL) which turns take part
        } reduce;
    };
};

struct elementwise {
    const struct cell *root;
    const struct cell *index;
    uint32_t cell_count;
    uint16_t space_count;
    const bool *reads;       // by array of the question
    struct line_parts parts; // of the lines, in their order
};

// Its integers lie in [0, 2^64), and their bits in an int64_t.
static inline bool is_unsigned(const struct cell *c)
{
    return !c->is_float && c->high > INT64_MAX;
}

static inline wide_integer widen_integer(const struct cell *c, int64_t bits)
{
    return is_unsigned(c) ? (wide_integer)(uint64_t)bits : (wide_integer)bits;
}

// The bits of a result; a fault if the cell does not hold it.
static inline enum expr_fault narrow_integer(const struct cell *c, wide_integer w, int64_t *out)
{
    *out = (int64_t)(uint64_t)w;
    return w < (is_unsigned(c) ? 0 : INT64_MIN) || w > (is_unsigned(c) ? UINT64_MAX : INT64_MAX)
               ? EXPR_FAULT_OVERFLOW
               : EXPR_FAULT_NONE;
}

static inline bool is_uniform(const struct cell *c)
{
    return c->space == UNIFORM;
}
