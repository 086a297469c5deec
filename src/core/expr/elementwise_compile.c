// Compiles an expression over arrays into cells: the tree is parsed and bound as any other's, then every node gets a
// type (integer or float), the range of the integers that may come out of it, and what it depends on. From the ranges
// follows which sums need no look at overflow and which indices no look at bounds.
#include "expr/elementwise_cell.h"
#include "expr/iterate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct compiler {
    struct arena *arena;
    const struct elementwise_question *question;
    const char *text; // of the line
    uint32_t line;    // its number; 0: there is one
    struct error *error;
    struct elementwise *out;
    const struct cell *named[LINE_NAMES_LIMIT]; // by the slots of lines
    const struct cell *fold;                    // the loop of lines around, or NULL
    bool *reads;                                // of it
    const struct cell *locals[LOCALS_LIMIT];    // loop variables in scope
    uint16_t space, depth;                      // of lanes; of loops around
    uint32_t conditions; // levels that decide for which lanes a part is evaluated
};

// Slots of the symbols: `i`, `size`, then constants, then arrays.
enum { SLOT_INDEX, SLOT_SIZE, SLOTS_OWN };

static struct cell *compile_node(struct compiler *c, const struct node *n);

static struct cell *refuse_node(struct compiler *c, const struct node *n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static struct cell *refuse_node(struct compiler *c, const struct node *n, const char *format, ...)
{
    char what[512];
    unsigned column = 1;
    va_list arguments;
    for (const char *p = c->text; n->place && p < n->place; p++)
        column += ((unsigned char)*p & 0xC0) != 0x80;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (c->line)
        error_set(c->error, ERROR_INPUT, "line %u: column %u: %s", c->line, column, what);
    else
        error_set(c->error, ERROR_INPUT, "column %u: %s", column, what);
    return NULL;
}

// ---- cells --------------------------------------------------------------------------------------

static uint16_t highest_level(uint32_t depends)
{
    return depends ? (uint16_t)(31 - __builtin_clz(depends)) : 0;
}

static struct cell *new_cell(struct compiler *c, enum cell_op op)
{
    struct cell *cell =
        c->out->cell_count < CELLS_LIMIT ? arena_alloc(c->arena, sizeof *cell) : NULL;
    if (!cell) {
        if (c->out->cell_count < CELLS_LIMIT)
            error_memory(c->error);
        else
            error_set(c->error, ERROR_INPUT,
                      "the expression is too large; give a reference kernel or a file");
        return NULL;
    }
    *cell = (struct cell){.op = op,
                          .space = UNIFORM,
                          .id = c->out->cell_count++,
                          .low = INT64_MIN,
                          .high = INT64_MAX,
                          .cost = 1};
    return cell;
}

// A cell over up to three others, of the space and the levels that follow from them.
static struct cell *new_cell_over(struct compiler *c, enum cell_op op, const struct cell *a,
                                  const struct cell *b, const struct cell *third)
{
    const struct cell *items[] = {a, b, third};
    struct cell *cell = new_cell(c, op);
    for (int i = 0; cell && i < 3 && items[i]; i++) {
        cell->items[i] = items[i];
        cell->depends |= items[i]->depends;
        cell->cost += items[i]->cost;
        if (!is_uniform(items[i]))
            cell->space = items[i]->space;
    }
    if (cell && !is_uniform(cell))
        cell->depends |= c->conditions;
    if (cell)
        cell->level = highest_level(cell->depends);
    return cell;
}

// Signed, or unsigned where nothing is negative and something may be above 2^63 - 1.
static void set_range(struct cell *cell, wide_integer low, wide_integer high)
{
    wide_integer least = low < 0 || high <= INT64_MAX ? INT64_MIN : 0,
                 most = least == 0 ? (wide_integer)UINT64_MAX : INT64_MAX;
    cell->checks = low < least || high > most;
    cell->low = low < least ? least : low > most ? most : low;
    cell->high = high > most ? most : high < least ? least : high;
}

static struct cell *integer_cell(struct compiler *c, wide_integer i)
{
    struct cell *cell = new_cell(c, CELL_CONSTANT);
    if (cell) {
        cell->integer = (int64_t)(uint64_t)i;
        cell->low = cell->high = i;
    }
    return cell;
}

static struct cell *float_cell(struct compiler *c, double f)
{
    struct cell *cell = new_cell(c, CELL_CONSTANT);
    if (cell) {
        cell->is_float = true;
        cell->number = f;
    }
    return cell;
}

static struct cell *constant_cell(struct compiler *c, const struct node *n, const struct value *v)
{
    if (v->kind == VALUE_FLOAT)
        return float_cell(c, v->f);
    if (v->kind == VALUE_INT || v->kind == VALUE_BOOL)
        return integer_cell(c, v->i);
    if (v->kind == VALUE_UINT)
        return integer_cell(c, v->u);
    return refuse_node(c, n, "a number is expected here, not a value of type %s",
                       value_kind_name(v->kind));
}

static const struct cell *as_float(struct compiler *c, const struct cell *x)
{
    if (!x || x->is_float)
        return x;
    if (x->op == CELL_CONSTANT)
        return float_cell(c, (double)x->low);
    struct cell *cell = new_cell_over(c, CELL_TO_FLOAT, x, NULL, NULL);
    if (cell)
        cell->is_float = true;
    return cell;
}

// An index, a bound or an operand of a function: below 2^63.
static const struct cell *as_signed(struct compiler *c, const struct cell *x)
{
    if (!x || !is_unsigned(x))
        return x;
    struct cell *cell = new_cell_over(c, CELL_TO_SIGNED, x, NULL, NULL);
    if (cell) {
        cell->low = x->low < INT64_MAX ? x->low : INT64_MAX;
        cell->high = INT64_MAX;
        cell->checks = true;
    }
    return cell;
}

// Lets both be signed, unless neither is negative.
static bool agree_in_sign(struct compiler *c, const struct cell **a, const struct cell **b)
{
    if (!(*a)->is_float && ((*a)->low < 0 || (*b)->low < 0)) {
        *a = as_signed(c, *a);
        *b = as_signed(c, *b);
    }
    return *a && *b;
}

// 0 or 1.
static const struct cell *as_truth(struct compiler *c, const struct cell *x)
{
    if (!x || (!x->is_float && x->low >= 0 && x->high <= 1))
        return x;
    struct cell *cell = new_cell_over(c, CELL_TRUTH, x, NULL, NULL);
    if (cell)
        set_range(cell, 0, 1);
    return cell;
}

// Both of one type.
static bool agree(struct compiler *c, const struct cell **a, const struct cell **b)
{
    if ((*a)->is_float != (*b)->is_float) {
        *a = as_float(c, *a);
        *b = as_float(c, *b);
    }
    return *a && *b;
}

// ---- names --------------------------------------------------------------------------------------

// The slots that lines assign stand behind all others.
static uint32_t first_name(const struct compiler *c)
{
    return SLOTS_OWN + c->question->constant_count + c->question->array_count;
}

static const struct elementwise_array *array_of_node(const struct compiler *c, const struct node *n)
{
    uint32_t first = SLOTS_OWN + c->question->constant_count;
    bool is_array = n->kind == NODE_SLOT && n->slot >= first && n->slot < first_name(c);
    return is_array ? &c->question->arrays[n->slot - first] : NULL;
}

static struct cell *compile_slot(struct compiler *c, const struct node *n)
{
    const struct elementwise_array *array = array_of_node(c, n);
    if (array)
        return refuse_node(c, n, "'%s' is an array; give an index, as in %s[i]", array->name,
                           array->name);
    if (n->slot == SLOT_INDEX)
        return (struct cell *)c->out->index;
    if (n->slot >= first_name(c))
        return (struct cell *)c->named[n->slot - first_name(c)];
    if (n->slot == SLOT_SIZE)
        return integer_cell(c, (int64_t)c->question->size);
    return constant_cell(c, n, &c->question->constants[n->slot - SLOTS_OWN].value);
}

// Does the part depend on the lanes of the space around it?
static bool varies(const struct compiler *c, const struct node *n)
{
    if (!n)
        return false;
    if (n->kind == NODE_SLOT && n->slot >= first_name(c))
        return !is_uniform(c->named[n->slot - first_name(c)]);
    if (n->kind == NODE_SLOT)
        return n->slot == SLOT_INDEX;
    if (n->kind == NODE_LOCAL)
        return c->locals[n->slot] && !is_uniform(c->locals[n->slot]);
    for (uint32_t i = 0; i < n->count; i++)
        if (varies(c, n->items[i]))
            return true;
    for (uint32_t i = 0; n->kind == NODE_COMPREHENSION && i < n->clause_count; i++)
        if (varies(c, n->clauses[i].source))
            return true;
    return false;
}

// ---- operators ----------------------------------------------------------------------------------

static wide_integer least_of(const wide_integer *v, int count)
{
    wide_integer least = v[0];
    for (int i = 1; i < count; i++)
        least = v[i] < least ? v[i] : least;
    return least;
}

static wide_integer largest_of(const wide_integer *v, int count)
{
    wide_integer largest = v[0];
    for (int i = 1; i < count; i++)
        largest = v[i] > largest ? v[i] : largest;
    return largest;
}

static wide_integer floor_quotient(wide_integer a, wide_integer b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

#define WIDE_LIMIT ((wide_integer)1 << 126)

// Saturates: it bounds a range, and beyond 64 bits all is one.
static wide_integer wide_product(wide_integer a, wide_integer b)
{
    wide_integer out;
    if (__builtin_mul_overflow(a, b, &out))
        return (a < 0) != (b < 0) ? -WIDE_LIMIT : WIDE_LIMIT;
    return out;
}

// The range of `a OP b`, and whether a lane may have no value.
static void range_of_integers(enum operator_code op, const struct cell *a, const struct cell *b,
                              struct cell *out)
{
    wide_integer al = a->low, ah = a->high, bl = b->low, bh = b->high;
    switch (op) {
    case OPERATOR_ADD:
        set_range(out, al + bl, ah + bh);
        return;
    case OPERATOR_SUB:
        set_range(out, al - bh, ah - bl);
        return;
    case OPERATOR_MUL: {
        const wide_integer corners[] = {wide_product(al, bl), wide_product(al, bh),
                                        wide_product(ah, bl), wide_product(ah, bh)};
        set_range(out, least_of(corners, 4), largest_of(corners, 4));
        return;
    }
    case OPERATOR_FLOORDIV:
        if (bl > 0) {
            const wide_integer corners[] = {floor_quotient(al, bl), floor_quotient(al, bh),
                                            floor_quotient(ah, bl), floor_quotient(ah, bh)};
            set_range(out, least_of(corners, 4), largest_of(corners, 4));
            return;
        }
        out->checks = true;
        return;
    case OPERATOR_MOD:
        if (bl > 0)
            set_range(out, 0, al >= 0 && ah < bh - 1 ? ah : bh - 1);
        else
            out->checks = true;
        return;
    case OPERATOR_AND:
        if (al >= 0 || bl >= 0) { // bits of the one that is not negative
            wide_integer most = al < 0 ? bh : bl < 0 ? ah : ah < bh ? ah : bh;
            set_range(out, 0, most);
        }
        return;
    case OPERATOR_OR:
    case OPERATOR_XOR:
        if (al >= 0 && bl >= 0) {
            wide_integer most = 1;
            while (most <= ah || most <= bh)
                most *= 2;
            set_range(out, 0, most - 1);
        }
        return;
    case OPERATOR_SHL:
        if (al >= 0)
            set_range(out, 0, bl < 0 || bh > 62 ? WIDE_LIMIT : ah << (int)bh);
        out->checks = out->checks || al < 0 || bl < 0 || bh > 62;
        return;
    case OPERATOR_SHR:
        if (al >= 0)
            set_range(out, 0, bl > 0 ? ah >> (int)(bl > 127 ? 127 : bl) : ah);
        out->checks = al < 0 || bl < 0;
        return;
    default:
        out->checks = true;
        return;
    }
}

static struct cell *arithmetic_cell(struct compiler *c, const struct node *n, enum operator_code op,
                                    const struct cell *a, const struct cell *b)
{
    bool floats =
        a->is_float || b->is_float || op == OPERATOR_DIV || (op == OPERATOR_POW && b->low < 0);
    if (floats && (op <= OPERATOR_SHR))
        return refuse_node(c, n, "'%s' is for integers; a float stands beside it",
                           operators[op].text);
    if (floats) {
        a = as_float(c, a);
        b = as_float(c, b);
    }
    struct cell *cell = a && b ? new_cell_over(c, CELL_ARITHMETIC, a, b, NULL) : NULL;
    if (!cell)
        return NULL;
    cell->code = op;
    cell->is_float = floats;
    if (!floats)
        range_of_integers(op, a, b, cell);
    return cell;
}

static struct cell *root_cell(struct compiler *c, const struct cell *x)
{
    const struct cell *number = as_float(c, x);
    struct cell *cell = number ? new_cell_over(c, CELL_ROOT, number, NULL, NULL) : NULL;
    if (cell)
        cell->is_float = true;
    return cell;
}

static double constant_of(const struct cell *x)
{
    return x->op != CELL_CONSTANT ? (double)NAN : x->is_float ? x->number : (double)x->low;
}

// A power of a float; x ** 2, x ** 0.5 and x ** 1.5 cost less as products and roots.
static struct cell *power_cell(struct compiler *c, const struct node *n, const struct cell *a,
                               const struct cell *b)
{
    double power = constant_of(b);
    if (power == 2)
        return arithmetic_cell(c, n, OPERATOR_MUL, a, a);
    if (power != 0.5 && power != 1.5)
        return arithmetic_cell(c, n, OPERATOR_POW, a, b);
    struct cell *root = root_cell(c, a);
    return root && power == 1.5 ? arithmetic_cell(c, n, OPERATOR_MUL, a, root) : root;
}

// ---- integers modulo a power of two ---------------------------------------------------------------

// Is the part in the condition, too? So it is in `a and b`, whose value is a if that is false.
static bool reads_part(const struct cell *condition, const struct cell *part)
{
    if (part->op == CELL_TO_SIGNED)
        part = part->items[0];
    return part == condition || part == condition->items[0];
}

// The low bits of a sum, a product or a mask follow from those of its parts: nothing down from here need be exact.
static void let_wrap(const struct cell *x)
{
    struct cell *cell = (struct cell *)x; // of this expression, and not in use yet
    const struct cell *condition = x->items[0];
    switch (x->is_float ? CELL_CONSTANT : x->op) {
    case CELL_ARITHMETIC:
        if (x->code != OPERATOR_ADD && x->code != OPERATOR_SUB && x->code != OPERATOR_MUL &&
            x->code != OPERATOR_AND && x->code != OPERATOR_OR && x->code != OPERATOR_XOR &&
            (x->code != OPERATOR_SHL || x->items[1]->low < 0))
            return;
        let_wrap(x->items[0]);
        if (x->code != OPERATOR_SHL)
            let_wrap(x->items[1]);
        break;
    case CELL_INVERT:
    case CELL_TO_SIGNED:
        let_wrap(x->items[0]);
        break;
    case CELL_SELECT:
        for (int i = 1; i < 3; i++)
            if (!reads_part(condition, x->items[i]))
                let_wrap(x->items[i]);
        break;
    case CELL_REDUCE:
        if (x->reduce.kind != REDUCE_SUM && x->reduce.kind != REDUCE_PRODUCT)
            return;
        let_wrap(x->reduce.body);
        break;
    default:
        return;
    }
    cell->checks = false;
    cell->wraps = true;
}

static struct cell *mask_cell(struct compiler *c, const struct cell *x, wide_integer mask)
{
    let_wrap(x);
    struct cell *most = integer_cell(c, mask);
    struct cell *cell = most ? new_cell_over(c, CELL_ARITHMETIC, x, most, NULL) : NULL;
    if (cell) {
        cell->code = OPERATOR_AND;
        cell->low = 0;
        cell->high = mask;
    }
    return cell;
}

// x % 2**bits.
static struct cell *wrap_cell(struct compiler *c, const struct cell *x, uint32_t bits)
{
    wide_integer mask = ((wide_integer)1 << bits) - 1;
    bool fits =
        bits < 64 && !x->checks && x->low >= 0 && x->high <= mask; // exact down to its parts
    return fits ? (struct cell *)x : mask_cell(c, x, mask);
}

// Constants whose value has more than 64 bits, as 2**64, or 2**64 - 1.
static bool wide_constant(const struct node *n, wide_integer *out)
{
    wide_integer a, b;
    if (n->kind == NODE_CONSTANT && (is_integer(&n->value) || n->value.kind == VALUE_UINT)) {
        *out = n->value.kind == VALUE_UINT ? (wide_integer)n->value.u : n->value.i;
        return true;
    }
    return n->kind == NODE_BINARY && wide_constant(n->items[0], &a) &&
           wide_constant(n->items[1], &b) && a < WIDE_LIMIT && a > -WIDE_LIMIT && b < WIDE_LIMIT &&
           b > -WIDE_LIMIT && integer_wide(n->op, a, b, out) == EXPR_FAULT_NONE;
}

static uint32_t exponent_of(wide_integer power)
{
    uint32_t k = 0;
    while (power >> k != 1)
        k++;
    return k;
}

// `x % 2**k` and `x & mask`. False: it is neither.
static bool compile_wrapped(struct compiler *c, const struct node *n, struct cell **out)
{
    wide_integer w;
    bool is_mask = n->op == OPERATOR_AND, is_second = wide_constant(n->items[1], &w);
    *out = NULL;
    if ((n->op != OPERATOR_MOD && !is_mask) ||
        (!is_second && !(is_mask && wide_constant(n->items[0], &w))))
        return false;
    if (w <= 0 || w > (wide_integer)UINT64_MAX + !is_mask || (!is_mask && (w & (w - 1)) != 0))
        return false;
    const struct cell *x = compile_node(c, n->items[!is_second]);
    if (!x || x->is_float) {
        struct cell *most = x ? float_cell(c, (double)w) : NULL;
        *out = !most ? NULL : arithmetic_cell(c, n, n->op, x, most);
    } else {
        *out = is_mask ? mask_cell(c, x, w) : wrap_cell(c, x, exponent_of(w));
    }
    return true;
}

// (a OP b) % c, // c and >> c, where a OP b needs more than 64 bits.
static struct cell *fused_cell(struct compiler *c, enum operator_code op, const struct cell *a,
                               const struct cell *b)
{
    struct cell *cell = new_cell_over(c, CELL_FUSED, a->items[0], a->items[1], b);
    if (!cell)
        return NULL;
    cell->code = op;
    cell->inner = a->code;
    if (op == OPERATOR_MOD && b->low > 0)
        set_range(cell, 0, b->high - 1);
    else if (a->low >= 0 && b->low >= 0)
        cell->low = 0, cell->high = UINT64_MAX;
    cell->checks = true;
    return cell;
}

static bool fuses(enum operator_code op, const struct cell *a, const struct cell *b)
{
    return (op == OPERATOR_MOD || op == OPERATOR_FLOORDIV || op == OPERATOR_SHR) &&
           a->op == CELL_ARITHMETIC && a->checks && !a->is_float && !b->is_float &&
           (a->code == OPERATOR_ADD || a->code == OPERATOR_SUB || a->code == OPERATOR_MUL ||
            a->code == OPERATOR_SHL);
}

static struct cell *compile_binary_node(struct compiler *c, const struct node *n)
{
    struct cell *wrapped;
    wide_integer w;
    if (compile_wrapped(c, n, &wrapped))
        return wrapped;
    if (wide_constant(n, &w) && w <= UINT64_MAX && w >= INT64_MIN)
        return integer_cell(c, w);
    const struct cell *a = compile_node(c, n->items[0]);
    const struct cell *b = a ? compile_node(c, n->items[1]) : NULL;
    if (!b)
        return NULL;
    if (n->op == OPERATOR_POW && a->is_float)
        return power_cell(c, n, a, b);
    return fuses(n->op, a, b) ? fused_cell(c, n->op, a, b) : arithmetic_cell(c, n, n->op, a, b);
}

static struct cell *compile_unary_node(struct compiler *c, const struct node *n)
{
    struct cell *x = compile_node(c, n->items[0]);
    if (!x || n->unary == UNARY_PLUS)
        return x;
    if (n->unary == UNARY_INVERT) {
        if (x->is_float)
            return refuse_node(c, n, "'~' is for integers");
        struct cell *cell = new_cell_over(c, CELL_INVERT, x, NULL, NULL);
        if (cell)
            set_range(cell, -x->high - 1, -x->low - 1);
        return cell;
    }
    // -0.0 - x is -x for all floats, 0.0 too.
    struct cell *zero = x->is_float ? float_cell(c, -0.0) : integer_cell(c, 0);
    return zero ? arithmetic_cell(c, n, OPERATOR_SUB, zero, x) : NULL;
}

// ---- conditions ---------------------------------------------------------------------------------

static struct cell *select_cell(struct compiler *c, const struct cell *condition,
                                const struct cell *a, const struct cell *b)
{
    if (!agree(c, &a, &b) || !agree_in_sign(c, &a, &b))
        return NULL;
    struct cell *cell = new_cell_over(c, CELL_SELECT, condition, a, b);
    if (!cell)
        return NULL;
    cell->is_float = a->is_float;
    cell->low = a->low < b->low ? a->low : b->low;
    cell->high = a->high > b->high ? a->high : b->high;
    return cell;
}

// Compiles a part that is evaluated only in lanes that `condition` selects.
static struct cell *compile_under(struct compiler *c, const struct cell *condition,
                                  const struct node *n)
{
    uint32_t before = c->conditions;
    if (!is_uniform(condition))
        c->conditions |= condition->depends;
    struct cell *cell = compile_node(c, n);
    c->conditions = before;
    return cell;
}

static struct cell *compile_condition_node(struct compiler *c, const struct node *n)
{
    const struct cell *condition = as_truth(c, compile_node(c, n->items[0]));
    const struct cell *a = condition ? compile_under(c, condition, n->items[1]) : NULL;
    const struct cell *b = a ? compile_under(c, condition, n->items[2]) : NULL;
    return b ? select_cell(c, condition, a, b) : NULL;
}

// `a and b` is b if a is true, else a; `or` the other way.
static struct cell *compile_logic(struct compiler *c, const struct node *n)
{
    struct cell *left = compile_node(c, n->items[0]);
    for (uint32_t i = 1; left && i < n->count; i++) {
        const struct cell *condition = as_truth(c, left);
        const struct cell *right = condition ? compile_under(c, condition, n->items[i]) : NULL;
        if (!right)
            return NULL;
        left = n->kind == NODE_AND ? select_cell(c, condition, right, left)
                                   : select_cell(c, condition, left, right);
    }
    return left;
}

static struct cell *compile_not_node(struct compiler *c, const struct node *n)
{
    const struct cell *x = as_truth(c, compile_node(c, n->items[0]));
    struct cell *one = x ? integer_cell(c, 1) : NULL;
    return one ? arithmetic_cell(c, n, OPERATOR_XOR, x, one) : NULL;
}

static struct cell *compare_cell(struct compiler *c, enum compare_code code, const struct cell *a,
                                 const struct cell *b)
{
    if (code == COMPARE_GT || code == COMPARE_GE) {
        const struct cell *swapped = a;
        a = b;
        b = swapped;
        code = code == COMPARE_GT ? COMPARE_LT : COMPARE_LE;
    }
    if (!agree(c, &a, &b))
        return NULL;
    struct cell *cell = new_cell_over(c, CELL_COMPARE, a, b, NULL);
    if (cell) {
        cell->compare = code;
        set_range(cell, 0, 1);
    }
    return cell;
}

// Among the constants of a list: is it equal to one of them?
static struct cell *compile_member(struct compiler *c, const struct node *n,
                                   const struct cell *item, bool sense)
{
    struct cell *found = NULL;
    if (n->kind != NODE_CONSTANT || n->value.kind != VALUE_LIST || n->value.count == 0 ||
        n->value.count > 64)
        return refuse_node(c, n, "'in' takes a list of at most 64 constants here");
    for (uint32_t i = 0; i < n->value.count; i++) {
        struct cell *one = constant_cell(c, n, &n->value.items[i]);
        struct cell *same = one ? compare_cell(c, COMPARE_EQ, item, one) : NULL;
        found = !same ? NULL : i == 0 ? same : arithmetic_cell(c, n, OPERATOR_OR, found, same);
        if (!found)
            return NULL;
    }
    struct cell *one = sense ? found : integer_cell(c, 1);
    return sense || !one ? one : arithmetic_cell(c, n, OPERATOR_XOR, found, one);
}

static struct cell *compile_compare(struct compiler *c, const struct node *n)
{
    struct cell *left = compile_node(c, n->items[0]), *all = NULL;
    uint32_t before = c->conditions;
    for (uint32_t i = 0; left && i + 1 < n->count; i++) {
        enum compare_code code = n->chain[i];
        bool member = code == COMPARE_IN || code == COMPARE_NOT_IN;
        struct cell *right = NULL, *link;
        if (code == COMPARE_IS || code == COMPARE_IS_NOT)
            return refuse_node(c, n, "compare numbers with == and !=");
        if (member) {
            link = compile_member(c, n->items[i + 1], left, code == COMPARE_IN);
        } else {
            right = compile_node(c, n->items[i + 1]);
            link = right ? compare_cell(c, code, left, right) : NULL;
        }
        struct cell *none = link && all ? integer_cell(c, 0) : NULL;
        all = !link ? NULL : !all ? link : none ? select_cell(c, all, link, none) : NULL;
        if (!all || (member && i + 2 < n->count))
            return all ? refuse_node(c, n, "put brackets around 'in'") : NULL;
        if (!is_uniform(all))
            c->conditions |= all->depends;
        left = right;
    }
    c->conditions = before;
    return all;
}

// ---- arrays -------------------------------------------------------------------------------------

static void read_integers(const void *data, const int64_t *at, size_t count, void *out)
{
    const int64_t *from = data;
    int64_t *to = out;
    for (size_t i = 0; i < count; i++)
        to[i] = from[at[i]];
}

// A list of constant numbers as an array.
static const struct elementwise_array *list_array(struct compiler *c, const struct node *n)
{
    const struct value *list = &n->value;
    struct elementwise_array *array = arena_alloc(c->arena, sizeof *array);
    double *numbers = arena_array(c->arena, (size_t)list->count + 1, sizeof *numbers);
    int64_t *integers = (int64_t *)(void *)numbers;
    if (!array || !numbers)
        return error_no_memory(c->error);
    *array = (struct elementwise_array){
        .name = "the list", .count = list->count, .data = numbers, .read = read_integers};
    for (uint32_t i = 0; i < list->count; i++) {
        array->is_float = array->is_float || list->items[i].kind == VALUE_FLOAT;
        array->is_unsigned = array->is_unsigned || list->items[i].kind == VALUE_UINT;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const struct value *v = &list->items[i];
        uint64_t bits = 0;
        if (!(array->is_float ? value_to_f64(v, &numbers[i]) : value_to_bits(v, &bits))) {
            refuse_node(c, n, "item %u of the list is not a number", (unsigned)i);
            return NULL;
        }
        if (array->is_unsigned && v->kind == VALUE_INT && v->i < 0) {
            refuse_node(c, n, "the list has both negative integers and such from 2**63 on");
            return NULL;
        }
        if (!array->is_float)
            integers[i] = (int64_t)bits;
        array->low =
            !array->is_float && (i == 0 || integers[i] < array->low) ? integers[i] : array->low;
        array->high =
            !array->is_float && (i == 0 || integers[i] > array->high) ? integers[i] : array->high;
    }
    return array;
}

static struct cell *load_cell(struct compiler *c, const struct elementwise_array *array,
                              const struct cell *index)
{
    struct cell *cell = new_cell_over(c, CELL_LOAD, index, NULL, NULL);
    if (!cell)
        return NULL;
    const struct elementwise_question *q = c->question;
    for (uint32_t i = 0; i < q->array_count; i++)
        c->reads[i] = c->reads[i] || array == &q->arrays[i];
    cell->array = array;
    cell->is_float = array->is_float;
    cell->cost += 3;
    cell->checks =
        index->low < 0 || array->count > INT64_MAX || index->high >= (int64_t)array->count;
    if (!array->is_float) {
        cell->low = array->is_unsigned ? 0 : array->low;
        cell->high = array->is_unsigned ? (wide_integer)UINT64_MAX : array->high;
    }
    return cell;
}

static struct cell *compile_index_node(struct compiler *c, const struct node *n)
{
    const struct node *what = n->items[0];
    const struct elementwise_array *array = array_of_node(c, what);
    if (!array && what->kind == NODE_CONSTANT && what->value.kind == VALUE_LIST) {
        array = list_array(c, what);
        if (!array)
            return NULL;
    }
    if (!array)
        return refuse_node(c, n, "only an array or a list of constants takes an index");
    const struct cell *index = as_signed(c, compile_node(c, n->items[1]));
    if (index && index->is_float)
        return refuse_node(c, n->items[1],
                           "an index must be an integer; use // for a division, or int()");
    return index ? load_cell(c, array, index) : NULL;
}

// ---- loops --------------------------------------------------------------------------------------

// The values of one `for`: range(start, stop, step), or the indices of an array or list.
struct counted {
    const struct cell *bounds[3];
    const struct elementwise_array *array; // (or NULL) whose items the variable stands for
};

static bool count_array(struct compiler *c, const struct elementwise_array *array,
                        struct counted *out)
{
    out->array = array;
    out->bounds[0] = integer_cell(c, 0);
    out->bounds[1] = array ? integer_cell(c, (int64_t)array->count) : NULL;
    out->bounds[2] = integer_cell(c, 1);
    return out->bounds[0] && out->bounds[1] && out->bounds[2];
}

static bool count_range(struct compiler *c, const struct node *n, struct counted *out)
{
    const struct node *start = n->count > 1 ? n->items[0] : NULL,
                      *step = n->count > 2 ? n->items[2] : NULL;
    out->bounds[0] = start ? compile_node(c, start) : integer_cell(c, 0);
    out->bounds[1] = out->bounds[0] ? compile_node(c, n->items[n->count > 1]) : NULL;
    out->bounds[2] = out->bounds[1] ? step ? compile_node(c, step) : integer_cell(c, 1) : NULL;
    for (int i = 0; out->bounds[2] && i < 3; i++) {
        if (out->bounds[i]->is_float)
            return refuse_node(c, n, "range() takes integers; use // for a division, or int()") !=
                   NULL;
        if (!(out->bounds[i] = as_signed(c, out->bounds[i])))
            return false;
    }
    return out->bounds[2] != NULL;
}

static bool compile_counted(struct compiler *c, const struct node *n, struct counted *out)
{
    const struct elementwise_array *array = array_of_node(c, n);
    *out = (struct counted){.array = NULL};
    if (array)
        return count_array(c, array, out);
    if (is_range(n))
        return count_range(c, n, out);
    if (n->kind == NODE_CONSTANT && n->value.kind == VALUE_LIST)
        return count_array(c, list_array(c, n), out);
    return refuse_node(c, n, "a loop takes range(), an array, or a list of constants") != NULL;
}

static double most_turns(const struct counted *k)
{
    const struct cell *start = k->bounds[0], *stop = k->bounds[1], *step = k->bounds[2];
    double stride = step->low > 0 ? (double)step->low : step->high < 0 ? -(double)step->high : 1;
    double up = ((double)stop->high - (double)start->low) / stride;
    double down = ((double)start->high - (double)stop->low) / stride;
    double turns = step->low > 0 ? up : step->high < 0 ? down : up > down ? up : down;
    return turns < 0 ? 0 : ceil(turns);
}

static struct cell *variable_cell(struct compiler *c, const struct counted *k, uint16_t space,
                                  uint16_t level)
{
    const struct cell *start = k->bounds[0], *stop = k->bounds[1], *step = k->bounds[2];
    struct cell *v = new_cell(c, CELL_VARIABLE);
    if (!v)
        return NULL;
    v->space = space;
    v->level = level;
    v->depends = UINT32_C(1) << level;
    wide_integer low = step->low > 0 ? start->low : (wide_integer)stop->low + 1;
    wide_integer high = step->high < 0 ? start->high : (wide_integer)stop->high - 1;
    set_range(v, low < start->low ? low : start->low, high > start->high ? high : start->high);
    return v;
}

static const struct {
    const char *name;
    enum reduction_kind kind;
} reductions[] = {{"sum", REDUCE_SUM},     {"prod", REDUCE_PRODUCT}, {"min", REDUCE_LEAST},
                  {"max", REDUCE_LARGEST}, {"any", REDUCE_ANY},      {"all", REDUCE_ALL}};

// The clauses of a comprehension from one `for` on.
struct loop {
    enum reduction_kind kind;
    const struct node *node;      // for messages
    const struct clause *clauses; // the first is the `for`; NULL: an array or a range alone
    uint32_t clause_count;
    const struct node *source, *element; // (element or NULL) without clauses: the items themselves
};

static struct cell *compile_loop(struct compiler *c, const struct loop *l);

// Compiles the body of a loop: the element, or the loop of the next `for`.
static const struct cell *compile_turn(struct compiler *c, const struct loop *l, uint32_t next,
                                       const struct cell *variable)
{
    struct loop inner = *l;
    if (!l->element)
        return variable;
    if (next >= l->clause_count)
        return compile_node(c, l->element);
    if (l->kind == REDUCE_LEAST || l->kind == REDUCE_LARGEST)
        return refuse_node(
            c, l->node,
            "min() and max() take one 'for'; put a second one inside of another min() or max()");
    inner.clauses += next;
    inner.clause_count -= next;
    inner.source = inner.clauses->source;
    return compile_loop(c, &inner);
}

static const struct cell *compile_filter(struct compiler *c, const struct loop *l, uint32_t *next)
{
    const struct cell *filter = NULL;
    for (*next = 1; l->clauses && *next < l->clause_count && !l->clauses[*next].loops; ++*next) {
        const struct node *n = l->clauses[*next].source;
        const struct cell *one =
            as_truth(c, filter ? compile_under(c, filter, n) : compile_node(c, n));
        struct cell *none = one && filter ? integer_cell(c, 0) : NULL;
        filter = !one ? NULL : !filter ? one : none ? select_cell(c, filter, one, none) : NULL;
        if (!filter)
            return NULL;
    }
    return filter;
}

static bool loop_varies(const struct compiler *c, const struct loop *l)
{
    for (uint32_t i = 1; l->clauses && i < l->clause_count; i++) {
        if (varies(c, l->clauses[i].source))
            return true;
    }
    return l->element && varies(c, l->element);
}

static void range_of_reduction(struct cell *cell, const struct cell *body, double turns)
{
    switch (cell->reduce.kind) {
    case REDUCE_SUM:
        if (turns < 0x1p62) {
            wide_integer low = wide_product((wide_integer)turns, body->low),
                         high = wide_product((wide_integer)turns, body->high);
            set_range(cell, low < 0 ? low : 0, high > 0 ? high : 0);
        } else {
            cell->checks = true;
        }
        return;
    case REDUCE_PRODUCT:
        cell->checks = true;
        return;
    case REDUCE_ANY:
    case REDUCE_ALL:
        set_range(cell, 0, 1);
        return;
    default:
        cell->low = body->low;
        cell->high = body->high;
        return;
    }
}

static void finish_reduction(const struct compiler *c, struct cell *cell, const struct counted *k,
                             uint16_t level)
{
    const struct cell *body = cell->reduce.body, *filter = cell->reduce.filter;
    uint32_t inside = (body->depends | (filter ? filter->depends : 0)) & ~(UINT32_C(1) << level);
    double turns = most_turns(k), each = body->cost + (filter ? filter->cost : 0) + 1;
    cell->is_float = body->is_float;
    cell->reduce.memo_level = highest_level(inside);
    if (!cell->reduce.apart && is_uniform(cell))
        cell->space = c->space;
    cell->depends |= inside;
    if (!is_uniform(cell))
        cell->depends |= c->conditions;
    cell->level = highest_level(cell->depends);
    // Turns apart run once, or if they begin alike as often in all as the longest loop.
    double size = (double)c->question->size + 1;
    cell->cost += cell->reduce.apart ? turns * each / size : turns * each;
    if (!cell->is_float)
        range_of_reduction(cell, body, turns);
}

// The parts of a loop, whose variable is in scope for them.
static bool compile_inside(struct compiler *c, const struct loop *l, const struct counted *k,
                           struct cell *cell)
{
    const struct cell *variable = cell->reduce.variable, *item = variable;
    uint32_t next = 1, local = l->clauses ? l->clauses->first_local : 0;
    if (k->array && !(item = load_cell(c, k->array, variable)))
        return false;
    if (l->clauses)
        c->locals[local] = item;
    const struct cell *filter = compile_filter(c, l, &next);
    bool ok = filter || l->clause_count < 2 || (l->clauses && l->clauses[1].loops);
    uint32_t before = c->conditions;
    if (filter && !is_uniform(filter))
        c->conditions |= filter->depends;
    const struct cell *body = ok ? compile_turn(c, l, next, item) : NULL;
    if (cell->reduce.kind == REDUCE_ANY || cell->reduce.kind == REDUCE_ALL)
        body = as_truth(c, body);
    c->conditions = before;
    if (l->clauses)
        c->locals[local] = NULL;
    cell->reduce.filter = filter;
    cell->reduce.body = body;
    return body != NULL;
}

static struct cell *compile_loop(struct compiler *c, const struct loop *l)
{
    struct counted k;
    if (l->clauses && l->clauses->target_count != 1)
        return refuse_node(c, l->node, "a loop here has one variable");
    if (!compile_counted(c, l->source, &k))
        return NULL;
    if (c->depth + 2 >= LEVELS_LIMIT)
        return refuse_node(c, l->node, "loops stand within each other more than %d deep",
                           LEVELS_LIMIT - 2);
    struct cell *cell = new_cell_over(c, CELL_REDUCE, k.bounds[0], k.bounds[1], k.bounds[2]);
    if (!cell || !k.bounds[0] || !k.bounds[1] || !k.bounds[2])
        return NULL;
    bool bounded_alike = is_uniform(cell);
    struct compiler outside = *c;
    uint16_t level = ++c->depth;
    cell->reduce.kind = l->kind;
    cell->reduce.level_inside = level;
    // If lanes begin at different numbers nothing goes on from the lane before.
    cell->reduce.apart = !loop_varies(c, l) && is_uniform(k.bounds[0]) && is_uniform(k.bounds[2]);
    cell->reduce.turns = cell->reduce.apart ? c->out->space_count++ : c->space;
    uint16_t own = cell->reduce.apart || !bounded_alike ? cell->reduce.turns : (uint16_t)UNIFORM;
    if (cell->reduce.apart) {
        c->space = cell->reduce.turns;
        c->conditions = 0;
    } else if (!bounded_alike) {
        c->conditions |= UINT32_C(1)
                         << level; // which lanes still take part is another matter in each turn
    }
    cell->reduce.variable = variable_cell(c, &k, own, level);
    bool ok = cell->reduce.variable && compile_inside(c, l, &k, cell);
    c->depth = outside.depth;
    c->space = outside.space;
    c->conditions = outside.conditions;
    if (!ok)
        return NULL;
    finish_reduction(c, cell, &k, level);
    return cell;
}

static struct cell *compile_reduction(struct compiler *c, const struct node *n,
                                      enum reduction_kind kind)
{
    const struct node *over = n->items[0];
    struct loop l = {.kind = kind, .node = n, .source = over};
    if (over->kind == NODE_COMPREHENSION) {
        l.clauses = over->clauses;
        l.clause_count = over->clause_count;
        l.source = over->clauses->source;
        l.element = over->items[0];
    }
    struct cell *cell = compile_loop(c, &l);
    if (!cell || n->count < 2)
        return cell;
    const struct cell *start = compile_node(c, n->items[1]); // sum(list, start)
    return start ? arithmetic_cell(c, n, OPERATOR_ADD, start, cell) : NULL;
}

// ---- functions ----------------------------------------------------------------------------------

static struct cell *compile_extreme(struct compiler *c, const struct node *n, enum cell_op op)
{
    const struct cell *left = compile_node(c, n->items[0]);
    for (uint32_t i = 1; left && i < n->count; i++) {
        const struct cell *right = compile_node(c, n->items[i]);
        if (!right || !agree(c, &left, &right))
            return NULL;
        struct cell *cell = new_cell_over(c, op, left, right, NULL);
        if (!cell)
            return NULL;
        cell->is_float = left->is_float;
        const bool least = op == CELL_LEAST;
        cell->low = (left->low < right->low) == least ? left->low : right->low;
        cell->high = (left->high < right->high) == least ? left->high : right->high;
        left = cell;
    }
    return (struct cell *)left;
}

// Functions of numbers, by what they give: a float, an integer, or what they are given.
enum gives { GIVES_FLOAT, GIVES_INTEGER, GIVES_SAME };

static const struct {
    const char *name;
    enum gives gives;
} calls[] = {{"abs", GIVES_SAME},      {"acos", GIVES_FLOAT},    {"asin", GIVES_FLOAT},
             {"atan", GIVES_FLOAT},    {"atan2", GIVES_FLOAT},   {"ceil", GIVES_INTEGER},
             {"cos", GIVES_FLOAT},     {"erf", GIVES_FLOAT},     {"exp", GIVES_FLOAT},
             {"fabs", GIVES_FLOAT},    {"floor", GIVES_INTEGER}, {"gcd", GIVES_INTEGER},
             {"int", GIVES_INTEGER},   {"lcm", GIVES_INTEGER},   {"log", GIVES_FLOAT},
             {"log10", GIVES_FLOAT},   {"log2", GIVES_FLOAT},    {"math.pow", GIVES_FLOAT},
             {"round", GIVES_INTEGER}, {"sin", GIVES_FLOAT},     {"tan", GIVES_FLOAT},
             {"tanh", GIVES_FLOAT},    {"trunc", GIVES_INTEGER}};

static struct cell *compile_number_call(struct compiler *c, const struct node *n, enum gives gives)
{
    const struct cell *a = as_signed(c, compile_node(c, n->items[0]));
    const struct cell *b = a && n->count > 1 ? as_signed(c, compile_node(c, n->items[1])) : NULL;
    bool round = str_equal(n->function->name, "round"),
         integers = str_equal(n->function->name, "gcd") || str_equal(n->function->name, "lcm");
    if (!a || (n->count > 1 && !b))
        return NULL;
    if (n->count > 2 || (round && n->count > 1))
        return refuse_node(c, n, "%s() takes %d argument%s here", n->function->name, round ? 1 : 2,
                           round ? "" : "s");
    if (integers && (a->is_float || (b && b->is_float)))
        return refuse_node(c, n, "%s() takes integers", n->function->name);
    if (gives == GIVES_INTEGER && !integers && !a->is_float)
        return (struct cell *)a; // it is one
    struct cell *cell = new_cell_over(c, CELL_CALL, a, b, NULL);
    if (!cell)
        return NULL;
    cell->function = n->function;
    cell->is_float = gives == GIVES_FLOAT || (gives == GIVES_SAME && a->is_float);
    cell->cost += 10;
    if (!cell->is_float && gives == GIVES_SAME)
        set_range(cell, 0, a->low < 0 && -a->low > a->high ? -a->low : a->high);
    cell->checks = true;
    return cell;
}

static struct cell *compile_length(struct compiler *c, const struct node *n)
{
    const struct elementwise_array *array = array_of_node(c, n->items[0]);
    return array ? integer_cell(c, (int64_t)array->count)
                 : refuse_node(c, n, "len() takes an array here");
}

static struct cell *compile_call_node(struct compiler *c, const struct node *n)
{
    const char *name = n->function->name;
    bool many = n->count > 1 && (str_equal(name, "min") || str_equal(name, "max"));
    if (many)
        return compile_extreme(c, n, str_equal(name, "min") ? CELL_LEAST : CELL_LARGEST);
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        if (str_equal(name, reductions[i].name))
            return compile_reduction(c, n, reductions[i].kind);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (str_equal(name, calls[i].name) && n->count > 0)
            return compile_number_call(c, n, calls[i].gives);
    if (str_equal(name, "float"))
        return (struct cell *)as_float(c, compile_node(c, n->items[0]));
    if (str_equal(name, "bool"))
        return (struct cell *)as_truth(c, compile_node(c, n->items[0]));
    if (str_equal(name, "len"))
        return compile_length(c, n);
    if (str_equal(name, "sqrt")) {
        const struct cell *x = compile_node(c, n->items[0]);
        return x ? root_cell(c, x) : NULL;
    }
    if (str_equal(name, "pow")) {
        const struct cell *a = compile_node(c, n->items[0]),
                          *b = a ? compile_node(c, n->items[1]) : NULL;
        return b ? arithmetic_cell(c, n, OPERATOR_POW, a, b) : NULL;
    }
    return refuse_node(c, n, "%s() gives no number for each index", name);
}

// ---- the whole ----------------------------------------------------------------------------------

static struct cell *compile_node(struct compiler *c, const struct node *n)
{
    switch (n->kind) {
    case NODE_CONSTANT:
        return constant_cell(c, n, &n->value);
    case NODE_SLOT:
        return compile_slot(c, n);
    case NODE_LOCAL:
        return (struct cell *)c->locals[n->slot];
    case NODE_UNARY:
        return compile_unary_node(c, n);
    case NODE_BINARY:
        return compile_binary_node(c, n);
    case NODE_AND:
    case NODE_OR:
        return compile_logic(c, n);
    case NODE_NOT:
        return compile_not_node(c, n);
    case NODE_COMPARE:
        return compile_compare(c, n);
    case NODE_CONDITION:
        return compile_condition_node(c, n);
    case NODE_INDEX:
        return compile_index_node(c, n);
    case NODE_CALL:
        return compile_call_node(c, n);
    case NODE_LIST:
    case NODE_COMPREHENSION:
    case NODE_SLICE:
        return refuse_node(c, n,
                           "a list is not a number; sum(), min() and the like make one of it");
    default:
        return refuse_node(c, n, "this has no place here");
    }
}

// ---- lines --------------------------------------------------------------------------------------

// A line is evaluated in its turn, whether or not something reads it.
static bool keep_part(struct compiler *c, const struct cell *cell)
{
    struct line_parts *to = c->fold ? &c->fold->fold->parts : &c->out->parts;
    if (!ARENA_ROOM(c->arena, to->cells, to->room, to->count + 1))
        return error_memory(c->error);
    to->cells[to->count++] = cell;
    return true;
}

static const struct cell *named_cell(struct compiler *c, const struct cell *x)
{
    struct cell *cell = x ? new_cell_over(c, CELL_NAMED, x, NULL, NULL) : NULL;
    if (!cell)
        return NULL;
    cell->is_float = x->is_float;
    cell->low = x->low;
    cell->high = x->high;
    cell->cost = 0; // once for all that read it
    cell->inside = c->fold;
    return keep_part(c, cell) ? cell : NULL;
}

// From here on messages are about this line.
static void enter_line(struct compiler *c, const struct elementwise_text *t, const char *place,
                       const struct expr *x)
{
    c->text = expr_text(x);
    c->line = t->line_count > 0;
    for (const char *p = t->text; c->line && p < place; p++)
        c->line += *p == '\n';
}

// `targets = value`: all values are read before any name changes.
static bool compile_assignment(struct compiler *c, const struct elementwise_text *t,
                               const struct text_line *line)
{
    const struct node *n = line->value->root, *items[LINE_TARGETS_LIMIT] = {n};
    const struct cell *cells[LINE_TARGETS_LIMIT];
    enter_line(c, t, line->place, line->value);
    if (line->target_count > 1 && (n->kind != NODE_LIST || n->count != line->target_count) &&
        (n->kind != NODE_CONSTANT || n->value.kind != VALUE_LIST ||
         n->value.count != line->target_count))
        return refuse_node(c, n, "%u values are wanted, one for each name",
                           (unsigned)line->target_count) != NULL;
    for (uint32_t i = 0; i < line->target_count; i++) {
        bool constants = line->target_count > 1 && n->kind == NODE_CONSTANT;
        items[i] = line->target_count > 1 && !constants ? n->items[i] : n;
        cells[i] = named_cell(c, constants ? constant_cell(c, n, &n->value.items[i])
                                           : compile_node(c, items[i]));
        if (!cells[i])
            return false;
    }
    for (uint32_t i = 0; i < line->target_count; i++)
        c->named[line->targets[i] - first_name(c)] = cells[i];
    return true;
}

// Ranges of a name that a loop carries; the first that holds its start is tried first.
static const struct {
    wide_integer low, high;
} carried_ranges[] = {
    {0, UINT32_MAX}, {INT32_MIN, INT32_MAX}, {0, UINT64_MAX}, {INT64_MIN, INT64_MAX}};

enum { CARRIED_RANGES = sizeof carried_ranges / sizeof *carried_ranges };

struct carried {
    uint32_t slot;
    uint32_t range;
    bool is_float;
};

static bool range_holds(uint32_t range, const struct cell *x)
{
    return x->low >= carried_ranges[range].low && x->high <= carried_ranges[range].high;
}

static void widen_carried(struct carried *k, const struct cell *x)
{
    k->is_float = k->is_float || x->is_float;
    while (!x->is_float && k->range + 1 < CARRIED_RANGES && !range_holds(k->range, x))
        k->range++;
}

// The names that the body assigns and that have a value before it.
static uint32_t find_carried(const struct compiler *c, const struct text_line *loop,
                             struct carried *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < loop->body_count; i++) {
        for (uint32_t k = 0; k < loop->body[i].target_count; k++) {
            uint32_t slot = loop->body[i].targets[k], at = 0;
            const struct cell *before = c->named[slot - first_name(c)];
            while (at < count && out[at].slot != slot)
                at++;
            if (at < count || !before)
                continue;
            if (count == LINE_TARGETS_LIMIT)
                return UINT32_MAX;
            out[count] = (struct carried){.slot = slot};
            widen_carried(&out[count++], before);
        }
    }
    return count;
}

static const struct cell *state_cell(struct compiler *c, const struct carried *k, uint16_t level)
{
    struct cell *v = new_cell(c, CELL_VARIABLE);
    if (!v)
        return NULL;
    v->space = c->space;
    v->level = level;
    v->depends = UINT32_C(1) << level | 1u << 1;
    v->is_float = k->is_float;
    v->low = carried_ranges[k->range].low;
    v->high = carried_ranges[k->range].high;
    return v;
}

// In the type of the state.
static const struct cell *fit_carried(struct compiler *c, const struct carried *k,
                                      const struct cell *x)
{
    if (!x || k->is_float)
        return as_float(c, x);
    return carried_ranges[k->range].low < 0 ? as_signed(c, x) : x;
}

// Compiles the body once, with the types that are supposed; *again: they did not hold.
static bool compile_fold_body(struct compiler *c, const struct elementwise_text *t,
                              const struct text_line *loop, struct carried *carried,
                              const struct counted *k, struct cell *cell, bool *again)
{
    struct fold *f = cell->fold;
    const struct cell *item;
    uint32_t base = first_name(c);
    f->variable = variable_cell(c, k, f->alike ? (uint16_t)UNIFORM : c->space, f->level_inside);
    item = k->array && f->variable ? load_cell(c, k->array, f->variable) : f->variable;
    if (!item)
        return false;
    c->named[loop->targets[0] - base] = item;
    for (uint32_t i = 0; i < f->count; i++) {
        f->starts[i] = fit_carried(c, &carried[i], c->named[carried[i].slot - base]);
        f->states[i] = f->starts[i] ? state_cell(c, &carried[i], f->level_inside) : NULL;
        if (!f->states[i])
            return false;
    }
    for (uint32_t i = 0; i < f->count; i++)
        c->named[carried[i].slot - base] = f->states[i];
    for (uint32_t i = 0; i < loop->body_count; i++)
        if (!compile_assignment(c, t, &loop->body[i]))
            return false;
    *again = false;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct cell *next = c->named[carried[i].slot - base];
        struct carried before = carried[i];
        widen_carried(&carried[i], next);
        *again |= before.range != carried[i].range || before.is_float != carried[i].is_float;
        f->nexts[i] = fit_carried(c, &carried[i], next);
        if (!f->nexts[i])
            return false;
    }
    return true;
}

static bool name_folded(struct compiler *c, const struct carried *carried, const struct cell *fold)
{
    for (uint32_t i = 0; i < fold->fold->count; i++) {
        struct cell *cell = new_cell_over(c, CELL_FOLDED, fold, NULL, NULL);
        const struct cell *state = fold->fold->states[i];
        if (!cell)
            return false;
        cell->is_float = state->is_float;
        cell->low = state->low;
        cell->high = state->high;
        cell->from = fold;
        cell->state = i;
        cell->cost = i == 0 ? fold->cost : 0;
        c->named[carried[i].slot - first_name(c)] = cell;
    }
    return true;
}

static double cost_of_fold(const struct fold *f, const struct counted *k)
{
    double cost = 1;
    for (uint32_t i = 0; i < f->count; i++)
        cost += f->nexts[i]->cost + 4; // a named part counts nothing: it is a few operations
    return cost * most_turns(k);
}

static bool compile_fold(struct compiler *c, const struct elementwise_text *t,
                         const struct text_line *loop)
{
    struct counted k;
    struct carried carried[LINE_TARGETS_LIMIT];
    struct fold *f = arena_alloc(c->arena, sizeof *f);
    const struct node *n = loop->value->root;
    enter_line(c, t, loop->place, loop->value);
    if (!f)
        return error_memory(c->error);
    if (!compile_counted(c, n, &k) || !k.bounds[0] || !k.bounds[1] || !k.bounds[2])
        return false;
    struct cell *cell = new_cell_over(c, CELL_FOLD, k.bounds[0], k.bounds[1], k.bounds[2]);
    if (!cell)
        return false;
    uint32_t count = find_carried(c, loop, carried);
    if (count == UINT32_MAX || count == 0)
        return refuse_node(c, n,
                           count ? "the loop carries too many names"
                                 : "the loop changes no name that has a value before it") != NULL;
    *f = (struct fold){.level_inside = ++c->depth, .alike = is_uniform(cell), .count = count};
    cell->fold = f;
    cell->space = c->space;
    cell->depends |= 1u << 1;
    cell->level = highest_level(cell->depends);
    const struct compiler outside = *c;
    const uint32_t cells = c->out->cell_count;
    const uint16_t spaces = c->out->space_count;
    bool again = true, ok = true;
    while (ok && again) {
        memcpy(c->named, outside.named, sizeof c->named);
        c->out->cell_count = cells;
        c->out->space_count = spaces;
        c->fold = cell;
        f->parts.count = 0;
        c->conditions = outside.conditions | (f->alike ? 0 : UINT32_C(1) << f->level_inside);
        ok = compile_fold_body(c, t, loop, carried, &k, cell, &again);
    }
    memcpy(c->named, outside.named, sizeof c->named);
    c->fold = NULL;
    c->conditions = outside.conditions;
    c->depth--;
    if (!ok)
        return false;
    cell->cost += cost_of_fold(f, &k);
    return keep_part(c, cell) && name_folded(c, carried, cell);
}

static const struct cell *compile_text(struct compiler *c, const struct elementwise_text *t)
{
    for (uint32_t i = 0; i < t->line_count; i++) {
        const struct text_line *line = &t->lines[i];
        if (!(line->loops ? compile_fold(c, t, line) : compile_assignment(c, t, line)))
            return NULL;
    }
    enter_line(c, t, t->text + (t->line_count ? strlen(t->text) : 0), t->value);
    return compile_node(c, t->value->root);
}

static struct elementwise_text *
parse_question(struct arena *a, const struct elementwise_question *q, struct error *e)
{
    size_t count = SLOTS_OWN + (size_t)q->constant_count + q->array_count;
    struct expr_symbol *items = arena_array(a, count, sizeof *items);
    if (!items)
        return error_no_memory(e);
    items[SLOT_INDEX].name = "i";
    items[SLOT_SIZE].name = "size";
    for (uint32_t i = 0; i < q->constant_count; i++)
        items[SLOTS_OWN + i].name = q->constants[i].name;
    for (uint32_t i = 0; i < q->array_count; i++)
        items[SLOTS_OWN + q->constant_count + i].name = q->arrays[i].name;
    const struct expr_symbols symbols = {items, count};
    return elementwise_parse(a, q->text, &symbols, e);
}

static bool make_index(struct compiler *c)
{
    struct cell *index = new_cell(c, CELL_VARIABLE);
    if (!index)
        return false;
    index->space = 0;
    index->level = 1;
    index->depends = 1u << 1;
    set_range(index, 0, c->question->size ? (wide_integer)c->question->size - 1 : 0);
    c->out->index = index;
    return true;
}

struct elementwise *elementwise_compile(struct arena *a, const struct elementwise_question *q,
                                        struct error *e)
{
    struct elementwise *out = arena_alloc(a, sizeof *out);
    struct compiler c = {
        .arena = a, .question = q, .text = q->text, .error = e, .out = out, .depth = 1};
    const struct elementwise_text *t = out ? parse_question(a, q, e) : NULL;
    if (!t) {
        if (!out)
            error_memory(e);
        return NULL;
    }
    c.reads = arena_array(a, (size_t)q->array_count + 1, sizeof *c.reads);
    if (!c.reads)
        return error_no_memory(e);
    *out = (struct elementwise){.space_count = 1, .reads = c.reads};
    const struct cell *root = make_index(&c) ? compile_text(&c, t) : NULL;
    out->root = root && q->wraps && !root->is_float ? wrap_cell(&c, root, q->wraps) : root;
    return out->root ? out : NULL;
}

bool elementwise_is_float(const struct elementwise *p)
{
    return p->root->is_float;
}

bool elementwise_is_unsigned(const struct elementwise *p)
{
    return is_unsigned(p->root);
}

bool elementwise_uses_index(const struct elementwise *p)
{
    return !is_uniform(p->root);
}

bool elementwise_reads(const struct elementwise *p, uint32_t array)
{
    return p->reads[array];
}

uint64_t elementwise_cost(const struct elementwise *p)
{
    return p->root->cost < 1 ? 1 : p->root->cost > 1e15 ? (uint64_t)1e15 : (uint64_t)p->root->cost;
}
