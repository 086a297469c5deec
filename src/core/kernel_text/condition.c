// Preprocessor conditions by recursive descent, with three-valued operands: a number, or unknown
// where a macro is. An operator gives a known value wherever one operand decides it (`0 && X`);
// what the parser does not understand makes the whole condition unknown, never wrong.
#include "kernel_text/condition.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_LIMIT 64

// An integer, or something of which nothing is known.
struct operand {
    bool known;
    int64_t v;
};

struct parser {
    const char *at;
    macro_lookup lookup;
    void *context;
    unsigned depth;
    bool bad; // not understood: the whole condition is unknown
};

static const struct operand unknown = {.known = false};

static struct operand known_value(int64_t v)
{
    return (struct operand){true, v};
}

static void skip_condition_blanks(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool accept_sign(struct parser *p, const char *token)
{
    skip_condition_blanks(p);
    size_t length = strlen(token);
    if (strncmp(p->at, token, length) != 0)
        return false;
    p->at += length;
    return true;
}

static struct operand give_up_condition(struct parser *p)
{
    p->bad = true;
    return unknown;
}

// ---- operands ----------------------------------------------------------------------------------

static struct operand parse_ternary(struct parser *p);

static const char *take_condition_name(struct parser *p, size_t *length)
{
    skip_condition_blanks(p);
    const char *name = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    *length = (size_t)(p->at - name);
    return name;
}

static struct operand parse_defined(struct parser *p)
{
    size_t length;
    bool paren = accept_sign(p, "(");
    const char *name = take_condition_name(p, &length);
    if (length == 0 || (paren && !accept_sign(p, ")")))
        return give_up_condition(p);
    struct macro_fact fact = p->lookup(p->context, name, length);
    return fact.defined || fact.absent ? known_value(fact.defined) : unknown;
}

static struct operand parse_primary(struct parser *p)
{
    skip_condition_blanks(p);
    if (accept_sign(p, "(")) {
        struct operand v = parse_ternary(p);
        return accept_sign(p, ")") ? v : give_up_condition(p);
    }
    if (isdigit((unsigned char)*p->at)) {
        // Decimal, octal or hexadecimal, with L suffixes. An unsigned one would change the
        // arithmetic.
        char *end;
        unsigned long long v = strtoull(p->at, &end, 0);
        bool plain = end != p->at && v <= INT64_MAX;
        while (*end == 'l' || *end == 'L')
            end++;
        plain =
            plain && !isalnum((unsigned char)*end) && *end != '_' && *end != '.' && *end != '\'';
        p->at = end;
        return plain ? known_value((int64_t)v) : give_up_condition(p);
    }
    if (isalpha((unsigned char)*p->at) || *p->at == '_') {
        size_t length;
        const char *name = take_condition_name(p, &length);
        if (length == 7 && strncmp(name, "defined", 7) == 0)
            return parse_defined(p);
        skip_condition_blanks(p);
        if (*p->at == '(')
            return give_up_condition(p); // a function-like macro
        struct macro_fact fact = p->lookup(p->context, name, length);
        if (fact.defined && !fact.has_value && !fact.is_own)
            return give_up_condition(
                p); // its text may be no expression, an error even where nobody evaluates it
        return fact.has_value || fact.absent ? known_value(fact.value) : unknown;
    }
    return give_up_condition(p);
}

static struct operand parse_condition_unary(struct parser *p)
{
    skip_condition_blanks(p);
    char op = *p->at;
    if (op == '\0' || !strchr("!~-+", op))
        return parse_primary(p);
    if (++p->depth > DEPTH_LIMIT)
        return give_up_condition(p);
    p->at++;
    struct operand v = parse_condition_unary(p);
    p->depth--;
    if (!v.known || (op == '-' && v.v == INT64_MIN))
        return unknown;
    return known_value(op == '!' ? !v.v : op == '~' ? ~v.v : op == '-' ? -v.v : v.v);
}

// ---- binary operators --------------------------------------------------------------------------

static bool divide(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
    *out = a / b;
    return true;
}

static bool remainder_of(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
    *out = a % b;
    return true;
}

static bool multiply_integers(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

static bool add_integers(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static bool subtract(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_sub_overflow(a, b, out);
}

static bool shift_left(int64_t a, int64_t b, int64_t *out)
{
    if (a < 0 || b < 0 || b > 62 || a > INT64_MAX >> b)
        return false;
    *out = a << b;
    return true;
}

static bool shift_right(int64_t a, int64_t b, int64_t *out)
{
    if (a < 0 || b < 0 || b > 62)
        return false;
    *out = a >> b;
    return true;
}

#define SIMPLE(name, op)                                                                           \
    static bool name(int64_t a, int64_t b, int64_t *out)                                           \
    {                                                                                              \
        *out = a op b;                                                                             \
        return true;                                                                               \
    }

SIMPLE(less, <)
SIMPLE(greater, >)
SIMPLE(at_most, <=)
SIMPLE(at_least, >=)
SIMPLE(equal, ==)
SIMPLE(unequal, !=)
SIMPLE(bits_and, &)
SIMPLE(bits_xor, ^)
SIMPLE(bits_or, |)

struct operator_row {
    const char *token;
    unsigned level;                                    // binds tighter when higher
    bool (*apply)(int64_t a, int64_t b, int64_t *out); // NULL: && or ||
};

// Longer tokens first where one begins another.
static const struct operator_row operators[] = {
    {"||", 1, NULL},       {"&&", 2, NULL},
    {"<<", 8, shift_left}, {">>", 8, shift_right},
    {"==", 6, equal},      {"!=", 6, unequal},
    {"<=", 7, at_most},    {">=", 7, at_least},
    {"<", 7, less},        {">", 7, greater},
    {"|", 3, bits_or},     {"^", 4, bits_xor},
    {"&", 5, bits_and},    {"+", 9, add_integers},
    {"-", 9, subtract},    {"*", 10, multiply_integers},
    {"/", 10, divide},     {"%", 10, remainder_of},
};

static const struct operator_row *peek_operator(struct parser *p)
{
    skip_condition_blanks(p);
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (strncmp(p->at, operators[i].token, strlen(operators[i].token)) == 0)
            return &operators[i];
    }
    return NULL;
}

static struct operand combine(const struct operator_row *op, struct operand a, struct operand b)
{
    int64_t result;
    if (!op->apply) {
        // && and ||: one known operand may decide.
        bool conjunction = op->token[0] == '&';
        bool decisive = !conjunction;
        if ((a.known && (a.v != 0) == decisive) || (b.known && (b.v != 0) == decisive))
            return known_value(decisive);
        return a.known && b.known ? known_value(conjunction) : unknown;
    }
    return a.known && b.known && op->apply(a.v, b.v, &result) ? known_value(result) : unknown;
}

static struct operand parse_condition_binary(struct parser *p, unsigned level)
{
    struct operand left = parse_condition_unary(p);
    for (;;) {
        const struct operator_row *op = peek_operator(p);
        if (!op || op->level < level || p->bad)
            return left;
        p->at += strlen(op->token);
        left = combine(op, left, parse_condition_binary(p, op->level + 1));
    }
}

static struct operand parse_ternary(struct parser *p)
{
    if (++p->depth > DEPTH_LIMIT)
        return give_up_condition(p);
    struct operand test = parse_condition_binary(p, 1), yes, no;
    if (accept_sign(p, "?")) {
        yes = parse_ternary(p);
        no = accept_sign(p, ":") ? parse_ternary(p) : give_up_condition(p);
        bool same = yes.known && no.known && yes.v == no.v;
        test = test.known ? (test.v ? yes : no) : same ? yes : unknown;
    }
    p->depth--;
    return test;
}

enum truth condition_test(const char *text, macro_lookup lookup, void *context)
{
    struct parser p = {.at = text, .lookup = lookup, .context = context};
    struct operand v = parse_ternary(&p);
    skip_condition_blanks(&p);
    if (p.bad || *p.at != '\0' || !v.known)
        return TRUTH_UNKNOWN;
    return v.v != 0 ? TRUTH_YES : TRUTH_NO;
}
