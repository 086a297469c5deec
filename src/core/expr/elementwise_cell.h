// The cells that an expression over arrays is compiled into. Private to src/core/expr.
#ifndef HONE_EXPR_ELEMENTWISE_CELL_H
#define HONE_EXPR_ELEMENTWISE_CELL_H

#include "expr/elementwise.h"
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
struct cell {
    enum cell_op op;
    bool is_float;
    bool checks;    // integer arithmetic may overflow, a load's index be outside
    uint16_t space; // or UNIFORM
    uint16_t level; // of the innermost variable that it depends on: when it must be evaluated again
    uint32_t depends; // a bit for each level
    uint32_t id;
    int64_t low, high; // of integers: what may come out
    double cost;       // for one lane
    const struct cell *items[3];
    union {
        int64_t integer;
        double number;
        enum operator_code code;
        enum compare_code compare;
        const struct elementwise_array *array;
        const struct function *function;
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
    const bool *reads; // by array of the question
};

static inline bool is_uniform(const struct cell *c)
{
    return c->space == UNIFORM;
}

#endif
