// The fast path of restrictions: a program over integers, in threaded code.
//
// A restriction over integer parameters compiles into a line of steps, each a small function that
// ends by calling the next (the compiler makes that a jump). Operands are 64-bit integers in slots,
// constants or temporaries. Python's floats take part if they are whole: `/` that leaves no rest
// is an integer again, and as long as such a value and what it meets stay within 2^53, integer
// arithmetic gives what float arithmetic gives, for the truth of the result at least (-0.0 is as
// false as 0). Whatever does not fit (a rest, an overflow, a division by zero, a slot that holds no
// integer) makes the run PROGRAM_UNSURE, and the tree is asked: it has the whole meaning.
#include "expr/integer.h"
#include "expr/syntax_node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEMPORARIES_LIMIT = 32, STEPS_LIMIT = 1024, LABELS_LIMIT = 256 };

enum base { BASE_SLOTS, BASE_CONSTANTS, BASE_TEMPORARIES, BASE_COUNT };

// Where an integer lies: a byte offset from one of three bases.
struct place {
    uint32_t base, offset;
};

struct machine {
    const char *bases[BASE_COUNT];
    int64_t *temporaries;
};

struct step;
typedef int (*step_fn)(const struct step *s, const struct machine *m);

struct step {
    step_fn run;
    struct place a, b;
    uint32_t out;  // the temporary that receives the result; of op_in: the count of candidates
    uint32_t jump; // steps ahead
};

struct program {
    const struct step *steps;
    const int64_t *constants;
    const uint32_t *slots; // all that are read: each must hold an int or a bool
    size_t slot_count;
};

// ---- steps ----

static inline int64_t load_place(const struct machine *m, struct place p)
{
    return *(const int64_t *)(const void *)(m->bases[p.base] + p.offset);
}

#define NEXT(steps_ahead) return s[steps_ahead].run(s + (steps_ahead), m)

static inline bool is_exact_in_double(int64_t i)
{
    return i >= -EXACT_IN_DOUBLE && i <= EXACT_IN_DOUBLE;
}

// Integer arithmetic, and the same on numbers of which one is a float.
#define ARITHMETIC(name)                                                                           \
    static int step_##name(const struct step *s, const struct machine *m)                          \
    {                                                                                              \
        if (integer_##name(load_place(m, s->a), load_place(m, s->b), &m->temporaries[s->out]))     \
            return PROGRAM_UNSURE;                                                                 \
        NEXT(1);                                                                                   \
    }
#define ARITHMETIC_AND_FLOAT(name)                                                                 \
    ARITHMETIC(name)                                                                               \
    static int step_##name##_float(const struct step *s, const struct machine *m)                  \
    {                                                                                              \
        int64_t a = load_place(m, s->a), b = load_place(m, s->b), result;                          \
        if (!is_exact_in_double(a) || !is_exact_in_double(b) || integer_##name(a, b, &result) ||   \
            !is_exact_in_double(result))                                                           \
            return PROGRAM_UNSURE;                                                                 \
        m->temporaries[s->out] = result;                                                           \
        NEXT(1);                                                                                   \
    }
ARITHMETIC_AND_FLOAT(add)
ARITHMETIC_AND_FLOAT(sub)
ARITHMETIC_AND_FLOAT(mul)
ARITHMETIC_AND_FLOAT(floordiv)
ARITHMETIC_AND_FLOAT(mod)
ARITHMETIC(shl)
ARITHMETIC(shr)
ARITHMETIC(and)
ARITHMETIC(or)
ARITHMETIC(xor)
ARITHMETIC(min)
ARITHMETIC(max)

// True division if it leaves no rest.
static int step_div_float(const struct step *s, const struct machine *m)
{
    int64_t a = load_place(m, s->a), b = load_place(m, s->b), quotient, rest;
    if (!is_exact_in_double(a) || !is_exact_in_double(b) || b == 0)
        return PROGRAM_UNSURE;
    if (integer_small(a, b)) {
        quotient = (uint32_t)a / (uint32_t)b;
        rest = (uint32_t)a % (uint32_t)b;
    } else {
        quotient = a / b;
        rest = a % b;
    }
    if (rest)
        return PROGRAM_UNSURE;
    m->temporaries[s->out] = quotient;
    NEXT(1);
}

static int step_pow(const struct step *s, const struct machine *m)
{
    int64_t exponent = load_place(m, s->b);
    if (exponent < 0 || integer_pow(load_place(m, s->a), exponent, &m->temporaries[s->out]))
        return PROGRAM_UNSURE;
    NEXT(1);
}

static int step_abs(const struct step *s, const struct machine *m)
{
    int64_t a = load_place(m, s->a);
    if (a == INT64_MIN)
        return PROGRAM_UNSURE;
    m->temporaries[s->out] = a < 0 ? -a : a;
    NEXT(1);
}

static int step_move(const struct step *s, const struct machine *m)
{
    m->temporaries[s->out] = load_place(m, s->a);
    NEXT(1);
}

static int step_jump(const struct step *s, const struct machine *m)
{
    NEXT(s->jump);
}

// A comparison that jumps when it holds, and one that is the answer.
#define COMPARISON(name, comparison)                                                               \
    static int step_jump_##name(const struct step *s, const struct machine *m)                     \
    {                                                                                              \
        if (load_place(m, s->a) comparison load_place(m, s->b))                                    \
            NEXT(s->jump);                                                                         \
        NEXT(1);                                                                                   \
    }                                                                                              \
    static int step_return_##name(const struct step *s, const struct machine *m)                   \
    {                                                                                              \
        return load_place(m, s->a) comparison load_place(m, s->b);                                 \
    }
COMPARISON(lt, <)
COMPARISON(le, <=)
COMPARISON(eq, ==)
COMPARISON(ne, !=)

// Candidates are ascending.
static bool is_listed_candidate(const struct step *s, const struct machine *m)
{
    int64_t a = load_place(m, s->a);
    const int64_t *candidates = (const int64_t *)(const void *)(m->bases[s->b.base] + s->b.offset);
    uint32_t first = 0, count = s->out;
    for (; count > 8; count -= count / 2)
        first += candidates[first + count / 2] <= a ? count / 2 : 0;
    for (uint32_t i = 0; i < count; i++)
        if (candidates[first + i] == a)
            return true;
    return false;
}

static int step_jump_in(const struct step *s, const struct machine *m)
{
    if (is_listed_candidate(s, m))
        NEXT(s->jump);
    NEXT(1);
}

static int step_jump_not_in(const struct step *s, const struct machine *m)
{
    if (!is_listed_candidate(s, m))
        NEXT(s->jump);
    NEXT(1);
}

static int step_return_true(const struct step *s, const struct machine *m)
{
    (void)s, (void)m;
    return 1;
}

static int step_return_false(const struct step *s, const struct machine *m)
{
    (void)s, (void)m;
    return 0;
}

int program_run(const struct program *p, const struct value *slots)
{
    unsigned strange = 0;
    for (size_t i = 0; i < p->slot_count; i++) // BOOL and INT are neighbours
        strange |= (unsigned)slots[p->slots[i]].kind - VALUE_BOOL > VALUE_INT - VALUE_BOOL;
    if (strange)
        return PROGRAM_UNSURE;
    int64_t temporaries[TEMPORARIES_LIMIT];
    const struct machine m = {
        .bases = {(const char *)slots, (const char *)p->constants, (const char *)temporaries},
        .temporaries = temporaries,
    };
    return p->steps[0].run(p->steps, &m);
}

// ---- compiling ----

// An operand while compiling: whether it may stand for a float, which is then a whole one.
struct operand {
    struct place place;
    bool is_float;
};

struct compiler {
    struct step steps[STEPS_LIMIT];
    uint32_t count;
    int64_t constants[STEPS_LIMIT];
    uint32_t constant_count;
    uint32_t labels[LABELS_LIMIT]; // the step each stands for
    uint32_t label_count;
    uint32_t temporary; // the first free one
};

static bool compile_value(struct compiler *c, const struct node *n, struct operand *out);
static bool compile_jump(struct compiler *c, const struct node *n, bool sense, uint32_t label);

// Every function here is false when the expression does not fit a program.
static bool emit(struct compiler *c, struct step step)
{
    if (c->count == STEPS_LIMIT)
        return false;
    c->steps[c->count++] = step;
    return true;
}

static bool new_label(struct compiler *c, uint32_t *label)
{
    *label = c->label_count;
    return c->label_count++ < LABELS_LIMIT;
}

static bool place_label(struct compiler *c, uint32_t label)
{
    c->labels[label] = c->count;
    return true;
}

static bool new_constant(struct compiler *c, int64_t value, struct place *out)
{
    if (c->constant_count == STEPS_LIMIT)
        return false;
    *out = (struct place){BASE_CONSTANTS, c->constant_count * (uint32_t)sizeof(int64_t)};
    c->constants[c->constant_count++] = value;
    return true;
}

static bool new_temporary(struct compiler *c, uint32_t *index)
{
    *index = c->temporary;
    return c->temporary++ < TEMPORARIES_LIMIT;
}

static struct place temporary_place(uint32_t index)
{
    return (struct place){BASE_TEMPORARIES, index * (uint32_t)sizeof(int64_t)};
}

// A step whose result goes into a new temporary.
static bool emit_result(struct compiler *c, step_fn run, struct place a, struct place b,
                        struct operand *out)
{
    uint32_t index;
    if (!new_temporary(c, &index))
        return false;
    out->place = temporary_place(index);
    return emit(c, (struct step){.run = run, .a = a, .b = b, .out = index});
}

static bool compile_binary(struct compiler *c, const struct node *n, struct operand *out)
{
    static const struct {
        step_fn integer, floating; // NULL: not in programs
    } steps[OPERATOR_COUNT] = {
        [OPERATOR_OR] = {step_or, NULL},
        [OPERATOR_XOR] = {step_xor, NULL},
        [OPERATOR_AND] = {step_and, NULL},
        [OPERATOR_SHL] = {step_shl, NULL},
        [OPERATOR_SHR] = {step_shr, NULL},
        [OPERATOR_ADD] = {step_add, step_add_float},
        [OPERATOR_SUB] = {step_sub, step_sub_float},
        [OPERATOR_MUL] = {step_mul, step_mul_float},
        [OPERATOR_DIV] = {step_div_float, step_div_float},
        [OPERATOR_FLOORDIV] = {step_floordiv, step_floordiv_float},
        [OPERATOR_MOD] = {step_mod, step_mod_float},
        [OPERATOR_POW] = {step_pow, NULL},
    };
    struct operand a = {0}, b = {0};
    if (!compile_value(c, n->items[0], &a) || !compile_value(c, n->items[1], &b))
        return false;
    bool is_float = a.is_float || b.is_float;
    step_fn run = is_float ? steps[n->op].floating : steps[n->op].integer;
    out->is_float = is_float || n->op == OPERATOR_DIV;
    return run && emit_result(c, run, a.place, b.place, out);
}

// A float's sign and value need nothing that an integer's do not: |x| <= 2^53 holds already.
static bool compile_unary(struct compiler *c, const struct node *n, struct operand *out)
{
    struct operand a = {0};
    struct place constant;
    if (!compile_value(c, n->items[0], &a))
        return false;
    *out = a;
    if (n->unary == UNARY_PLUS)
        return true;
    if (n->unary == UNARY_MINUS)
        return new_constant(c, 0, &constant) && emit_result(c, step_sub, constant, a.place, out);
    return !a.is_float && new_constant(c, -1, &constant) &&
           emit_result(c, step_xor, a.place, constant, out);
}

// min and max of several, abs, and the conversions that change nothing of a whole number.
static bool compile_call(struct compiler *c, const struct node *n, struct operand *out)
{
    static const struct {
        const char *name;
        step_fn run;      // NULL: the argument itself
        bool folds;       // of two arguments or more
        bool makes_whole; // an int, whatever the argument
    } calls[] = {
        {"min", step_min, true, false},  {"max", step_max, true, false},
        {"abs", step_abs, false, false}, {"int", NULL, false, true},
        {"ceil", NULL, false, true},     {"floor", NULL, false, true},
        {"trunc", NULL, false, true},    {"round", NULL, false, true},
    };
    size_t i = 0;
    while (i < sizeof calls / sizeof *calls && !str_equal(calls[i].name, n->function->name))
        i++;
    if (i == sizeof calls / sizeof *calls || (n->count > 1) != calls[i].folds ||
        !compile_value(c, n->items[0], out))
        return false;
    if (!calls[i].folds && calls[i].run &&
        !emit_result(c, calls[i].run, out->place, out->place, out))
        return false;
    for (uint32_t k = 1; k < n->count; k++) {
        struct operand next = {0};
        if (!compile_value(c, n->items[k], &next) ||
            !emit_result(c, calls[i].run, out->place, next.place, out))
            return false;
        out->is_float |= next.is_float;
    }
    out->is_float &= !calls[i].makes_whole;
    return true;
}

static bool emit_move(struct compiler *c, struct place from, uint32_t to)
{
    return emit(c, (struct step){.run = step_move, .a = from, .out = to});
}

static bool emit_jump(struct compiler *c, uint32_t label)
{
    return emit(c, (struct step){.run = step_jump, .jump = label});
}

static bool compile_condition(struct compiler *c, const struct node *n, struct operand *out)
{
    uint32_t result, otherwise, end;
    struct operand a = {0}, b = {0};
    if (!new_temporary(c, &result) || !new_label(c, &otherwise) || !new_label(c, &end))
        return false;
    bool fits =
        compile_jump(c, n->items[0], false, otherwise) && compile_value(c, n->items[1], &a) &&
        emit_move(c, a.place, result) && emit_jump(c, end) && place_label(c, otherwise) &&
        compile_value(c, n->items[2], &b) && emit_move(c, b.place, result) && place_label(c, end);
    *out = (struct operand){temporary_place(result), a.is_float || b.is_float};
    return fits;
}

// A truth as a number: 0 or 1.
static bool compile_truth(struct compiler *c, const struct node *n, struct operand *out)
{
    uint32_t result, end;
    struct place zero, one;
    if (!new_temporary(c, &result) || !new_label(c, &end) || !new_constant(c, 0, &zero) ||
        !new_constant(c, 1, &one))
        return false;
    *out = (struct operand){temporary_place(result), false};
    return emit_move(c, zero, result) && compile_jump(c, n, false, end) &&
           emit_move(c, one, result) && place_label(c, end);
}

static bool jump_if_nonzero(struct compiler *c, struct place p, bool sense, uint32_t label)
{
    struct place zero;
    return new_constant(c, 0, &zero) &&
           emit(c,
                (struct step){
                    .run = sense ? step_jump_ne : step_jump_eq, .a = p, .b = zero, .jump = label});
}

// `and` and `or` as a value: the operand that decides.
static bool compile_chain(struct compiler *c, const struct node *n, struct operand *out)
{
    uint32_t result, end;
    if (!new_temporary(c, &result) || !new_label(c, &end))
        return false;
    *out = (struct operand){temporary_place(result), false};
    for (uint32_t i = 0; i < n->count; i++) {
        struct operand a = {0};
        if (!compile_value(c, n->items[i], &a) || !emit_move(c, a.place, result))
            return false;
        if (i + 1 < n->count && !jump_if_nonzero(c, out->place, n->kind == NODE_OR, end))
            return false;
        out->is_float |= a.is_float;
    }
    return place_label(c, end);
}

static bool compile_slot(struct compiler *c, const struct node *n, struct operand *out)
{
    (void)c;
    const size_t offset = n->slot * sizeof(struct value) + offsetof(struct value, i);
    out->place = (struct place){BASE_SLOTS, (uint32_t)offset};
    return offset <= UINT32_MAX;
}

static bool compile_value_constant(struct compiler *c, const struct node *n, struct operand *out)
{
    if (is_integer(&n->value))
        return new_constant(c, n->value.i, &out->place);
    out->is_float = true;
    if (n->value.kind != VALUE_FLOAT || n->value.f != trunc(n->value.f) ||
        fabs(n->value.f) > (double)EXACT_IN_DOUBLE)
        return false;
    return new_constant(c, (int64_t)n->value.f, &out->place);
}

static bool compile_value(struct compiler *c, const struct node *n, struct operand *out)
{
    static bool (*const compile[NODE_KINDS])(struct compiler *, const struct node *,
                                             struct operand *) = {
        [NODE_CONSTANT] = compile_value_constant,
        [NODE_SLOT] = compile_slot,
        [NODE_UNARY] = compile_unary,
        [NODE_BINARY] = compile_binary,
        [NODE_AND] = compile_chain,
        [NODE_OR] = compile_chain,
        [NODE_NOT] = compile_truth,
        [NODE_COMPARE] = compile_truth,
        [NODE_CONDITION] = compile_condition,
        [NODE_CALL] = compile_call,
    };
    return compile[n->kind] && compile[n->kind](c, n, out);
}

// ---- compiling truths ----

// The steps for a comparison that jumps or returns when its truth is `sense`; `swap` exchanges the
// operands, so that four comparisons make six.
struct comparison_steps {
    step_fn jump, back;
    bool swap;
};

static const struct comparison_steps *steps_of(enum compare_code code, bool sense)
{
    static const struct comparison_steps steps[][2] = {
        [COMPARE_LT] = {{step_jump_le, step_return_le, true},
                        {step_jump_lt, step_return_lt, false}},
        [COMPARE_LE] = {{step_jump_lt, step_return_lt, true},
                        {step_jump_le, step_return_le, false}},
        [COMPARE_EQ] = {{step_jump_ne, step_return_ne, false},
                        {step_jump_eq, step_return_eq, false}},
        [COMPARE_NE] = {{step_jump_eq, step_return_eq, false},
                        {step_jump_ne, step_return_ne, false}},
        [COMPARE_GT] = {{step_jump_le, step_return_le, false},
                        {step_jump_lt, step_return_lt, true}},
        [COMPARE_GE] = {{step_jump_lt, step_return_lt, false},
                        {step_jump_le, step_return_le, true}},
    };
    return code <= COMPARE_GE ? &steps[code][sense] : NULL;
}

// A step of a comparison; `label` matters to the jumping ones.
static bool emit_comparison(struct compiler *c, enum compare_code code, bool sense, bool jumps,
                            struct place a, struct place b, uint32_t label)
{
    const struct comparison_steps *steps = steps_of(code, sense);
    struct step step = {.run = jumps ? steps->jump : steps->back, .a = a, .b = b, .jump = label};
    if (steps->swap) {
        step.a = b;
        step.b = a;
    }
    return emit(c, step);
}

// a in (b, c): a jump for each.
static bool jump_in_display(struct compiler *c, struct place a, const struct node *list, bool sense,
                            uint32_t label)
{
    uint32_t found;
    if (!new_label(c, &found))
        return false;
    // Python evaluates every item before it compares, so a fault in any comes first.
    struct operand items[16];
    if (list->count > sizeof items / sizeof *items)
        return false;
    memset(items, 0, sizeof items);
    for (uint32_t i = 0; i < list->count; i++)
        if (!compile_value(c, list->items[i], &items[i]))
            return false;
    for (uint32_t i = 0; i < list->count; i++)
        if (!emit_comparison(c, COMPARE_EQ, true, true, a, items[i].place, sense ? label : found))
            return false;
    return sense ? place_label(c, found) : emit_jump(c, label) && place_label(c, found);
}

static bool jump_if_member(struct compiler *c, struct place a, const struct node *list, bool sense,
                           uint32_t label)
{
    if (list->kind == NODE_LIST)
        return jump_in_display(c, a, list, sense, label);
    if (!list->ascending)
        return false;
    struct step step = {.run = sense ? step_jump_in : step_jump_not_in, .a = a, .jump = label};
    // The constants of a list that a whole number can equal, side by side; it is ascending.
    struct place last;
    step.b = (struct place){BASE_CONSTANTS, c->constant_count * (uint32_t)sizeof(int64_t)};
    for (uint32_t i = 0; i < list->value.count; i++) {
        int64_t candidate;
        if (!value_to_i64(&list->value.items[i], &candidate))
            continue;
        if (!new_constant(c, candidate, &last))
            return false;
        step.out++;
    }
    return emit(c, step);
}

// One link of a chain; *a moves on to the operand on its right.
static bool jump_if_link(struct compiler *c, const struct node *n, uint32_t i, struct operand *a,
                         bool sense, uint32_t label)
{
    enum compare_code code = n->chain[i];
    if (code == COMPARE_IN || code == COMPARE_NOT_IN)
        return i + 2 == n->count &&
               jump_if_member(c, a->place, n->items[i + 1], sense == (code == COMPARE_IN), label);
    struct operand b = {0};
    if (!steps_of(code, sense) || !compile_value(c, n->items[i + 1], &b) ||
        !emit_comparison(c, code, sense, true, a->place, b.place, label))
        return false;
    *a = b;
    return true;
}

static bool jump_if_compare(struct compiler *c, const struct node *n, bool sense, uint32_t label)
{
    uint32_t end;
    struct operand a = {0};
    if (!new_label(c, &end) || !compile_value(c, n->items[0], &a))
        return false;
    for (uint32_t i = 0; i + 2 < n->count; i++)
        if (!jump_if_link(c, n, i, &a, false, sense ? end : label))
            return false;
    return jump_if_link(c, n, n->count - 2, &a, sense, label) && place_label(c, end);
}

// A false operand decides `and`, a true one decides `or`.
static bool jump_if_chain(struct compiler *c, const struct node *n, bool sense, uint32_t label)
{
    const bool decides = n->kind == NODE_OR;
    uint32_t end;
    if (!new_label(c, &end))
        return false;
    for (uint32_t i = 0; i + 1 < n->count; i++)
        if (!compile_jump(c, n->items[i], decides, sense == decides ? label : end))
            return false;
    return compile_jump(c, n->items[n->count - 1], sense, label) && place_label(c, end);
}

// Jumps to the label when the truth of `n` is `sense`.
static bool compile_jump(struct compiler *c, const struct node *n, bool sense, uint32_t label)
{
    const uint32_t before = c->temporary;
    struct operand a = {0};
    bool fits;
    if (n->kind == NODE_AND || n->kind == NODE_OR)
        fits = jump_if_chain(c, n, sense, label);
    else if (n->kind == NODE_NOT)
        fits = compile_jump(c, n->items[0], !sense, label);
    else if (n->kind == NODE_COMPARE)
        fits = jump_if_compare(c, n, sense, label);
    else
        fits = compile_value(c, n, &a) && jump_if_nonzero(c, a.place, sense, label);
    c->temporary = before; // what was computed on the way is read no more
    return fits;
}

// The last comparison of a restriction is the answer itself, without a jump.
static bool compile_answer(struct compiler *c, const struct node *n, uint32_t no)
{
    struct operand a = {0}, b = {0};
    if (n->kind == NODE_AND) {
        for (uint32_t i = 0; i + 1 < n->count; i++)
            if (!compile_jump(c, n->items[i], false, no))
                return false;
        return compile_answer(c, n->items[n->count - 1], no);
    }
    if (n->kind != NODE_COMPARE || !steps_of(n->chain[n->count - 2], true))
        return compile_jump(c, n, false, no) && emit(c, (struct step){.run = step_return_true});
    if (!compile_value(c, n->items[0], &a))
        return false;
    for (uint32_t i = 0; i + 2 < n->count; i++)
        if (!jump_if_link(c, n, i, &a, false, no))
            return false;
    return compile_value(c, n->items[n->count - 1], &b) &&
           emit_comparison(c, n->chain[n->count - 2], true, false, a.place, b.place, 0);
}

static bool compile_program(struct compiler *c, const struct node *root)
{
    uint32_t no;
    if (!new_label(c, &no) || !compile_answer(c, root, no) || !place_label(c, no) ||
        !emit(c, (struct step){.run = step_return_false}))
        return false;
    for (uint32_t i = 0; i < c->count; i++)
        c->steps[i].jump = c->labels[c->steps[i].jump] - i;
    return true;
}

const struct program *program_compile(struct arena *a, const struct expr *x)
{
    struct program *p = NULL;
    struct compiler *c = malloc(sizeof *c); // 50 KiB, most of which is never touched
    if (!c)
        return NULL;
    c->count = c->constant_count = c->label_count = c->temporary = 0;
    if (!compile_program(c, x->root))
        goto done;
    p = arena_alloc(a, sizeof *p);
    if (!p)
        goto done;
    p->slots = x->slots;
    p->slot_count = x->slot_count;
    p->steps = arena_copy(a, c->steps, c->count * sizeof *c->steps);
    p->constants = arena_copy(a, c->constants, (c->constant_count + 1) * sizeof *c->constants);
    if (!p->steps || !p->constants)
        p = NULL;
done:
    free(c);
    return p;
}
