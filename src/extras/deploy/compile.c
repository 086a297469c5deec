// From the tree of an expression to a postfix program. A part that does not depend on a column or a
// fact is evaluated now; `and`, `or` and conditions whose decision is known now leave only the part
// that they select. Comparisons in a chain and members of a list are compared pair by pair:
// expressions have no side effects, so an operand of two pairs may be computed twice.
#include "extras/deploy/compile.h"

#include "expr/syntax_node.h"

#include <math.h>

// The kinds of number that a part may give.
enum { GIVES_INT = 1, GIVES_FLOAT = 2 };
enum { DERIVED_DEPTH = 32 };

static unsigned compile_node(struct deploy_compiler *c, const struct node *n);

// 0, with the error.
static unsigned refuse_part(struct deploy_compiler *c, const char *what)
{
    error_set(c->error, ERROR_INPUT, "%s: '%s' cannot be deployed: %s", c->path, c->text, what);
    return 0;
}

static unsigned refuse_named(struct deploy_compiler *c, const char *before, const char *name,
                             const char *after)
{
    struct text text = TEXT_INIT;
    text_addf(&text, "%s%s%s", before, name, after);
    refuse_part(c, text_cstr(&text));
    text_release(&text);
    return 0;
}

// ---- steps -------------------------------------------------------------------------------------

static bool put_step(struct deploy_compiler *c, int code, int64_t i, double f)
{
    if (c->count == KNOWN_STEPS_MOST)
        return refuse_part(c, "it is too long; split it, or use fewer values");
    if (!ARENA_ROOM(c->arena, c->steps, c->capacity, c->count + 1))
        return error_memory(c->error);
    c->landed = c->count ? c->landed : 0;
    c->steps[c->count++] = (struct known_step){.code = code, .i = i, .f = f};
    return true;
}

bool deploy_put_int(struct deploy_compiler *c, int64_t i)
{
    return put_step(c, KNOWN_STEP_PUSH, i, 0);
}

bool deploy_put_slot(struct deploy_compiler *c, uint32_t variable)
{
    return put_step(c, KNOWN_STEP_SLOT, variable, 0);
}

// A jump whose target is set by land_jump().
static bool put_jump(struct deploy_compiler *c, int code, size_t *at)
{
    *at = c->count;
    return put_step(c, code, 0, 0);
}

static void land_jump(struct deploy_compiler *c, size_t at)
{
    c->steps[at].i = (int64_t)c->count;
    c->landed = c->count;
}

static bool is_number_step(const struct known_step *s)
{
    return s->code == KNOWN_STEP_PUSH || s->code == KNOWN_STEP_REAL;
}

// An operator of numbers that are known now becomes its result, unless that is a fault; *did.
static void fold_numbers(struct deploy_compiler *c, enum hone_core_operator op, bool *did)
{
    const uint32_t operands = (uint32_t)known_step_operands((int)op);
    hone_core_value v[2];
    if (c->count < c->landed + operands)
        return;
    for (uint32_t i = 0; i < operands; i++) {
        const struct known_step *s = &c->steps[c->count - operands + i];
        if (!is_number_step(s))
            return;
        v[i] = s->code == KNOWN_STEP_PUSH ? hone_core_int(s->i) : hone_core_float(s->f);
    }
    v[0] = operands == 2 ? hone_core_binary(op, v[0], v[1]) : hone_core_unary(op, v[0]);
    if (v[0].kind == HONE_CORE_FAULT || (v[0].kind == HONE_CORE_FLOAT && !isfinite(v[0].f)))
        return;
    c->count -= operands;
    c->steps[c->count++] = v[0].kind == HONE_CORE_INT
                               ? (struct known_step){.code = KNOWN_STEP_PUSH, .i = v[0].i}
                               : (struct known_step){.code = KNOWN_STEP_REAL, .f = v[0].f};
    *did = true;
}

// Applies the operator to the steps before it if fewer steps give the same value and the same
// faults.
static bool shorten(struct deploy_compiler *c, enum hone_core_operator op)
{
    bool did = false;
    struct known_step *last = c->count > c->landed ? &c->steps[c->count - 1] : NULL;
    fold_numbers(c, op, &did);
    if (did || !last)
        return did;
    if ((op == HONE_CORE_MUL || op == HONE_CORE_FLOORDIV) && last->code == KNOWN_STEP_PUSH &&
        last->i == 1) {
        c->count--;
        return true;
    }
    if (op == HONE_CORE_CEIL && last->code == HONE_CORE_DIV) {
        last->code = HONE_CORE_CEILDIV;
        return true;
    }
    // A size is not negative, so that the first of two changes of its sign has no fault.
    if (op == HONE_CORE_NEG && last->code == HONE_CORE_NEG && c->count >= c->landed + 2 &&
        last[-1].code == HONE_CORE_SIZE) {
        c->count--;
        return true;
    }
    return false;
}

bool deploy_put_operator(struct deploy_compiler *c, enum hone_core_operator op)
{
    return shorten(c, op) || put_step(c, (int)op, 0, 0);
}

// The kinds, where the operator could be put.
static unsigned put_operator(struct deploy_compiler *c, enum hone_core_operator op, unsigned kinds)
{
    return deploy_put_operator(c, op) ? kinds : 0;
}

// ---- what is known now -------------------------------------------------------------------------

static bool node_varies(const struct deploy_compiler *c, const struct node *n)
{
    if (!n)
        return false;
    if (n->kind == NODE_SLOT)
        return c->varying[n->slot] != DEPLOY_FIXED;
    for (uint32_t i = 0; i < n->count; i++) {
        if (node_varies(c, n->items[i]))
            return true;
    }
    for (uint32_t i = 0; n->kind == NODE_COMPREHENSION && i < n->clause_count; i++) {
        if (node_varies(c, n->clauses[i].source))
            return true;
    }
    return false;
}

bool deploy_varies(const struct deploy_compiler *c, const struct expr *x)
{
    return node_varies(c, x->root);
}

static enum expr_fault evaluate_now(const struct deploy_compiler *c, const struct node *n,
                                    struct value *out)
{
    struct value locals[LOCALS_LIMIT];
    struct frame f = {c->slots, c->arena, locals, ITEMS_LIMIT, WORK_LIMIT, UINT64_MAX};
    return n->eval(n, &f, out);
}

bool deploy_value(struct deploy_compiler *c, const struct formula *f, struct value *out)
{
    enum expr_fault fault = expr_eval(f->expr, c->slots, c->arena, out);
    return !fault || error_set(c->error, ERROR_INPUT, "%s: '%s' has no value: %s", f->path, f->text,
                               expr_fault_text(fault));
}

static unsigned put_constant(struct deploy_compiler *c, const struct value *v)
{
    switch (v->kind) {
    case VALUE_BOOL:
    case VALUE_INT:
        return deploy_put_int(c, v->i) ? GIVES_INT : 0;
    case VALUE_FLOAT:
        if (!isfinite(v->f))
            return refuse_part(c, "it uses an infinite number, or none");
        return put_step(c, KNOWN_STEP_REAL, 0, v->f) ? GIVES_FLOAT : 0;
    default:
        return refuse_named(c, "what depends on a size is compared or computed with a ",
                            value_kind_name(v->kind), "");
    }
}

// A part that has no value now has none then.
static unsigned put_without_value(struct deploy_compiler *c)
{
    bool put = deploy_put_int(c, 1) && deploy_put_int(c, 0);
    return put ? put_operator(c, HONE_CORE_FLOORDIV, GIVES_INT) : 0;
}

// ---- operators ---------------------------------------------------------------------------------

static unsigned compile_slot(struct deploy_compiler *c, const struct node *n)
{
    uint32_t variable = c->varying[n->slot];
    const char *name = c->spec->symbols.items[n->slot].name;
    if (variable == DEPLOY_WITHOUT)
        return refuse_named(c, "it reads ", name, ", which a deployed table does not have");
    if (variable != DEPLOY_DERIVED)
        return deploy_put_slot(c, variable) ? GIVES_INT : 0;
    if (c->depth == DERIVED_DEPTH)
        return refuse_named(c, "too many derived parameters stand within each other at ", name, "");
    c->depth++;
    const struct formula *f = &c->spec->derived[n->slot - c->spec->slots.derived];
    unsigned kinds = compile_node(c, f->expr->root);
    c->depth--;
    return kinds;
}

static unsigned compile_unary(struct deploy_compiler *c, const struct node *n)
{
    unsigned kinds = compile_node(c, n->items[0]);
    if (!kinds || n->unary == UNARY_PLUS)
        return kinds;
    if (n->unary == UNARY_MINUS)
        return put_operator(c, HONE_CORE_NEG, kinds);
    return kinds == GIVES_INT ? put_operator(c, HONE_CORE_INVERT, kinds)
                              : refuse_part(c, "~ of a number that may be a float");
}

// The kinds of value that arithmetic gives, from those of its operands.
static unsigned kinds_of_two(unsigned a, unsigned b)
{
    unsigned kinds = (a & b & GIVES_INT) ? GIVES_INT : 0;
    return ((a | b) & GIVES_FLOAT) ? kinds | GIVES_FLOAT : kinds;
}

// Whole x * 32 * 2 is x * 64: where one of them has too large a value, so has the other.
static bool join_factors(struct deploy_compiler *c)
{
    struct known_step *last = c->count >= c->landed + 3 ? &c->steps[c->count - 1] : NULL;
    if (!last || last->code != KNOWN_STEP_PUSH || last[-1].code != HONE_CORE_MUL ||
        last[-2].code != KNOWN_STEP_PUSH || last->i < 1 || last[-2].i < 1 ||
        !hone_core_product_fits(last->i, last[-2].i))
        return false;
    last[-2].i *= last->i;
    c->count--;
    return true;
}

static unsigned compile_binary(struct deploy_compiler *c, const struct node *n)
{
    static const struct {
        enum hone_core_operator op;
        bool takes_floats;
    } table[OPERATOR_COUNT] = {
        [OPERATOR_OR] = {HONE_CORE_OR, false},   [OPERATOR_XOR] = {HONE_CORE_XOR, false},
        [OPERATOR_AND] = {HONE_CORE_AND, false}, [OPERATOR_SHL] = {HONE_CORE_SHL, false},
        [OPERATOR_SHR] = {HONE_CORE_SHR, false}, [OPERATOR_ADD] = {HONE_CORE_ADD, true},
        [OPERATOR_SUB] = {HONE_CORE_SUB, true},  [OPERATOR_MUL] = {HONE_CORE_MUL, true},
        [OPERATOR_DIV] = {HONE_CORE_DIV, true},  [OPERATOR_FLOORDIV] = {HONE_CORE_FLOORDIV, false},
        [OPERATOR_MOD] = {HONE_CORE_MOD, false}, [OPERATOR_POW] = {HONE_CORE_POW, false},
    };
    unsigned left = compile_node(c, n->items[0]);
    unsigned right = left ? compile_node(c, n->items[1]) : 0;
    if (!left || !right)
        return 0;
    if (!table[n->op].takes_floats && (left | right) != GIVES_INT)
        return refuse_named(c, "'", operators[n->op].text, "' of a number that may be a float");
    const struct known_step *last = &c->steps[c->count - 1];
    if (n->op == OPERATOR_POW && last->code == KNOWN_STEP_PUSH && last->i < 0)
        return refuse_part(c, "a negative power is a float");
    if (n->op == OPERATOR_MUL && (left | right) == GIVES_INT && join_factors(c))
        return GIVES_INT;
    unsigned kinds = n->op == OPERATOR_DIV ? GIVES_FLOAT : kinds_of_two(left, right);
    return put_operator(c, table[n->op].op, kinds);
}

// ---- decisions ---------------------------------------------------------------------------------

// The truth of a part that came out as one number, which is then taken back; -1 of any other.
static int take_back_truth(struct deploy_compiler *c, size_t start)
{
    const struct known_step *s = &c->steps[start];
    if (c->count != start + 1 || (s->code != KNOWN_STEP_PUSH && s->code != KNOWN_STEP_REAL))
        return -1;
    c->count = start;
    return s->code == KNOWN_STEP_PUSH ? s->i != 0 : s->f != 0;
}

// Operands that are known and do not decide are left out; behind one that decides nothing is looked at.
static unsigned compile_until(struct deploy_compiler *c, const struct node *n, bool stop)
{
    size_t jumps[ARGUMENTS_LIMIT * 4], count = 0;
    unsigned kinds = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        struct value v;
        bool is_last = i + 1 == n->count, is_known = !node_varies(c, n->items[i]);
        bool has_value = is_known && evaluate_now(c, n->items[i], &v) == EXPR_FAULT_NONE;
        if (has_value && !is_last && value_truth(&v) != stop)
            continue; // whatever it is: a text may stand there, too
        size_t start = c->count;
        unsigned kind = compile_node(c, n->items[i]);
        if (!kind)
            return 0;
        int truth = is_last ? -1 : take_back_truth(c, start);
        if (truth == !stop)
            continue;
        c->count += truth == stop; // it stays, and is the value
        kinds |= kind;
        if (is_last || truth == stop || (is_known && !has_value))
            break;
        if (count == sizeof jumps / sizeof *jumps)
            return refuse_part(c, "more operands than can be compiled");
        if (!put_jump(c, stop ? KNOWN_STEP_OR : KNOWN_STEP_AND, &jumps[count++]))
            return 0;
    }
    for (size_t i = 0; i < count; i++)
        land_jump(c, jumps[i]);
    return kinds;
}

static unsigned compile_condition(struct deploy_compiler *c, const struct node *n)
{
    struct value v;
    size_t otherwise, end;
    if (!node_varies(c, n->items[0])) {
        if (evaluate_now(c, n->items[0], &v) != EXPR_FAULT_NONE)
            return put_without_value(c);
        return compile_node(c, n->items[value_truth(&v) ? 1 : 2]);
    }
    size_t start = c->count;
    if (!compile_node(c, n->items[0]))
        return 0;
    int truth = take_back_truth(c, start);
    if (truth >= 0)
        return compile_node(c, n->items[truth ? 1 : 2]);
    if (!put_jump(c, KNOWN_STEP_UNLESS, &otherwise))
        return 0;
    unsigned first = compile_node(c, n->items[1]);
    if (!first || !put_jump(c, KNOWN_STEP_JUMP, &end))
        return 0;
    land_jump(c, otherwise);
    unsigned second = compile_node(c, n->items[2]);
    land_jump(c, end);
    return second ? first | second : 0;
}

// ---- comparisons -------------------------------------------------------------------------------

static unsigned compile_not(struct deploy_compiler *c, const struct node *n)
{
    return compile_node(c, n->items[0]) ? put_operator(c, HONE_CORE_NOT, GIVES_INT) : 0;
}

static unsigned compile_member(struct deploy_compiler *c, const struct node *item,
                               const struct node *in)
{
    struct value list;
    if (!node_varies(c, in)) {
        if (evaluate_now(c, in, &list) != EXPR_FAULT_NONE || list.kind != VALUE_LIST)
            return put_without_value(c);
        // Is the part equal to a number of the list? No number equals a text or a list.
        if (!compile_node(c, item) || !deploy_put_int(c, 0) ||
            !deploy_put_operator(c, HONE_CORE_MIN) || !deploy_put_int(c, 0) ||
            !deploy_put_operator(c, HONE_CORE_GT))
            return 0; // a false that has the part's fault
        for (uint32_t i = 0; i < list.count; i++) {
            const struct value *v = &list.items[i];
            if (v->kind != VALUE_INT && v->kind != VALUE_BOOL && v->kind != VALUE_FLOAT)
                continue;
            if (!compile_node(c, item) || !put_constant(c, v) ||
                !deploy_put_operator(c, HONE_CORE_EQ) || !deploy_put_operator(c, HONE_CORE_OR))
                return 0;
        }
        return GIVES_INT;
    }
    if (in->kind != NODE_LIST || in->count == 0)
        return refuse_part(c, "'in' needs a list that is written out or does not depend on a size");
    for (uint32_t i = 0; i < in->count; i++) {
        if (!compile_node(c, item) || !compile_node(c, in->items[i]) ||
            !deploy_put_operator(c, HONE_CORE_EQ) || (i && !deploy_put_operator(c, HONE_CORE_OR)))
            return 0;
    }
    return GIVES_INT;
}

// ---- texts of the device -----------------------------------------------------------------------

static bool is_device_text(const struct deploy_compiler *c, const struct node *n)
{
    const struct spec_slots *slots = &c->spec->slots;
    return c->text_facts && n->kind == NODE_SLOT && c->varying[n->slot] == DEPLOY_WITHOUT &&
           n->slot >= slots->facts && n->slot < slots->special;
}

// 1 where the device's text is this one. No text is equal to "": without a device facts of it are 0.
static unsigned put_text_fact(struct deploy_compiler *c, uint32_t slot, const struct value *v)
{
    uint32_t i = 0;
    if (v->kind != VALUE_STRING)
        return deploy_put_int(c, 0) ? GIVES_INT : 0;
    if (!v->s[0])
        return refuse_part(c, "it compares a text of the device with an empty one");
    while (i < c->text_fact_count &&
           !(c->text_facts[i].slot == slot && str_equal(c->text_facts[i].text, v->s)))
        i++;
    if (i == DEPLOY_TEXT_FACTS_MOST)
        return refuse_part(c, "the spec compares texts of the device with too many others");
    if (i == c->text_fact_count)
        c->text_facts[c->text_fact_count++] = (struct deploy_text_fact){slot, v->s};
    return deploy_put_slot(c, c->text_fact_first + i) ? GIVES_INT : 0;
}

static unsigned put_text_member(struct deploy_compiler *c, uint32_t slot, const struct value *list)
{
    if (list->kind != VALUE_LIST)
        return refuse_part(c, "it looks for a text of the device within another");
    if (!deploy_put_int(c, 0))
        return 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!put_text_fact(c, slot, &list->items[i]) || !deploy_put_operator(c, HONE_CORE_OR))
            return 0;
    }
    return GIVES_INT;
}

// A comparison of a text of the device (`text`) with what is known; *is_one: it is such a comparison.
static unsigned compile_device_text(struct deploy_compiler *c, enum compare_code code,
                                    const struct node *left, const struct node *right, bool *is_one)
{
    struct value v;
    bool is_left = is_device_text(c, left),
         is_member = code == COMPARE_IN || code == COMPARE_NOT_IN;
    const struct node *known = is_left ? right : left;
    *is_one = (is_left || (is_device_text(c, right) && !is_member)) && !node_varies(c, known) &&
              (is_member || code == COMPARE_EQ || code == COMPARE_NE) &&
              evaluate_now(c, known, &v) == EXPR_FAULT_NONE;
    if (!*is_one)
        return 0;
    uint32_t slot = is_left ? left->slot : right->slot;
    unsigned kinds = is_member ? put_text_member(c, slot, &v) : put_text_fact(c, slot, &v);
    bool is_negated = code == COMPARE_NOT_IN || code == COMPARE_NE;
    return kinds && is_negated ? put_operator(c, HONE_CORE_NOT, kinds) : kinds;
}

static unsigned compile_link(struct deploy_compiler *c, const struct node *n, uint32_t i)
{
    static const enum hone_core_operator table[] = {
        [COMPARE_LT] = HONE_CORE_LT, [COMPARE_LE] = HONE_CORE_LE, [COMPARE_EQ] = HONE_CORE_EQ,
        [COMPARE_NE] = HONE_CORE_NE, [COMPARE_GT] = HONE_CORE_GT, [COMPARE_GE] = HONE_CORE_GE,
    };
    enum compare_code code = n->chain[i];
    bool is_text;
    unsigned text = compile_device_text(c, code, n->items[i], n->items[i + 1], &is_text);
    if (is_text)
        return text;
    if (code == COMPARE_IS || code == COMPARE_IS_NOT)
        return refuse_part(c, "'is' asks for the kind of a number; write == or !=");
    if (code == COMPARE_IN || code == COMPARE_NOT_IN) {
        unsigned kinds = compile_member(c, n->items[i], n->items[i + 1]);
        return kinds && code == COMPARE_NOT_IN ? put_operator(c, HONE_CORE_NOT, kinds) : kinds;
    }
    bool both = compile_node(c, n->items[i]) && compile_node(c, n->items[i + 1]);
    return both ? put_operator(c, table[code], GIVES_INT) : 0;
}

static unsigned compile_compare(struct deploy_compiler *c, const struct node *n)
{
    size_t jumps[ARGUMENTS_LIMIT], count = 0;
    for (uint32_t i = 0; i + 1 < n->count; i++) {
        if (!compile_link(c, n, i))
            return 0;
        if (i + 2 == n->count)
            break;
        if (count == ARGUMENTS_LIMIT)
            return refuse_part(c, "a longer chain of comparisons than can be compiled");
        if (!put_jump(c, KNOWN_STEP_AND, &jumps[count++]))
            return 0;
    }
    for (size_t i = 0; i < count; i++)
        land_jump(c, jumps[i]);
    return GIVES_INT;
}

// ---- calls -------------------------------------------------------------------------------------

// Folds the arguments, or the items of one list that is written out, from the left.
static unsigned compile_fold(struct deploy_compiler *c, const struct node *n,
                             enum hone_core_operator op)
{
    bool is_list = n->count == 1 && n->items[0]->kind == NODE_LIST;
    const struct node *from = is_list ? n->items[0] : n;
    unsigned kinds = 0;
    if (n->count == 1 && !is_list && op != HONE_CORE_GCD)
        return refuse_part(c, "min and max of a list that is made at run time");
    for (uint32_t i = 0; i < from->count; i++) {
        unsigned kind = compile_node(c, from->items[i]);
        if (!kind)
            return 0;
        if (op == HONE_CORE_GCD && kind != GIVES_INT)
            return refuse_part(c, "gcd() of a number that may be a float");
        kinds |= kind;
        if (i && !deploy_put_operator(c, op))
            return 0;
    }
    if (kinds == GIVES_INT && op == HONE_CORE_GCD && from->count == 1)
        return put_operator(c, HONE_CORE_ABS, kinds);
    return kinds ? kinds : refuse_part(c, "an empty list");
}

static unsigned compile_call(struct deploy_compiler *c, const struct node *n)
{
    static const struct {
        const char *name;
        enum hone_core_operator op;
        unsigned kinds; // 0: as the argument
    } of_one[] = {
        {"ceil", HONE_CORE_CEIL, GIVES_INT},    {"floor", HONE_CORE_FLOOR, GIVES_INT},
        {"trunc", HONE_CORE_TRUNC, GIVES_INT},  {"int", HONE_CORE_TRUNC, GIVES_INT},
        {"round", HONE_CORE_ROUND, GIVES_INT},  {"bool", HONE_CORE_BOOL, GIVES_INT},
        {"float", HONE_CORE_REAL, GIVES_FLOAT}, {"abs", HONE_CORE_ABS, 0},
    };
    const char *name = n->function->name;
    if (str_equal(name, "min") || str_equal(name, "max"))
        return compile_fold(c, n, str_equal(name, "min") ? HONE_CORE_MIN : HONE_CORE_MAX);
    if (str_equal(name, "gcd"))
        return compile_fold(c, n, HONE_CORE_GCD);
    for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++) {
        if (n->count != 1 || !str_equal(of_one[i].name, name))
            continue;
        unsigned kinds = compile_node(c, n->items[0]);
        return kinds ? put_operator(c, of_one[i].op, of_one[i].kinds ? of_one[i].kinds : kinds) : 0;
    }
    return refuse_named(c, "", name, "() of what depends on a size or on the device");
}

static unsigned compile_node(struct deploy_compiler *c, const struct node *n)
{
    struct value v;
    if (!node_varies(c, n))
        return evaluate_now(c, n, &v) == EXPR_FAULT_NONE ? put_constant(c, &v)
                                                         : put_without_value(c);
    switch (n->kind) {
    case NODE_SLOT:
        return compile_slot(c, n);
    case NODE_UNARY:
        return compile_unary(c, n);
    case NODE_BINARY:
        return compile_binary(c, n);
    case NODE_AND:
        return compile_until(c, n, false);
    case NODE_OR:
        return compile_until(c, n, true);
    case NODE_NOT:
        return compile_not(c, n);
    case NODE_COMPARE:
        return compile_compare(c, n);
    case NODE_CONDITION:
        return compile_condition(c, n);
    case NODE_CALL:
        return compile_call(c, n);
    default:
        return refuse_part(c,
                           "a list or a text is made of what depends on a size or on the device");
    }
}

bool deploy_put_formula(struct deploy_compiler *c, const struct formula *f)
{
    c->path = f->path;
    c->text = f->text;
    return compile_node(c, f->expr->root) != 0;
}

bool deploy_put_size(struct deploy_compiler *c, const struct formula *f, int64_t least,
                     int64_t fallback)
{
    if (!f->expr)
        return deploy_put_int(c, fallback);
    return deploy_put_formula(c, f) && deploy_put_int(c, least) &&
           deploy_put_operator(c, HONE_CORE_SIZE);
}
