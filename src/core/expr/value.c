// Values: their truth, conversion, printing as Python prints them, reading of literals, and copies
// into an arena.
#include "expr/expr.h"

#include "base/emit.h"
#include "expr/lex.h"
#include "expr/syntax_node.h"

#include <math.h>
#include <string.h>

struct value value_int(int64_t i)
{
    return (struct value){.kind = VALUE_INT, .i = i};
}

struct value value_uint(uint64_t u)
{
    return u > INT64_MAX ? (struct value){.kind = VALUE_UINT, .u = u} : value_int((int64_t)u);
}

struct value value_float(double f)
{
    return (struct value){.kind = VALUE_FLOAT, .f = f};
}

struct value value_bool(bool b)
{
    return (struct value){.kind = VALUE_BOOL, .i = b};
}

struct value value_string(const char *s)
{
    return (struct value){.kind = VALUE_STRING, .s = s};
}

struct value value_list(const struct value *items, uint32_t count)
{
    return (struct value){.kind = VALUE_LIST, .count = count, .items = items};
}

bool value_copy(struct arena *a, const struct value *from, struct value *to)
{
    if (from->kind == VALUE_LIST) {
        struct value *items = arena_array(a, from->count ? from->count : 1, sizeof *items);
        if (!items)
            return false;
        for (uint32_t i = 0; i < from->count; i++)
            if (!value_copy(a, &from->items[i], &items[i]))
                return false;
        *to = value_list(items, from->count);
        return true;
    }
    *to = *from;
    if (from->kind == VALUE_STRING)
        to->s = arena_strdup(a, from->s);
    return from->kind != VALUE_STRING || to->s;
}

bool value_fits(const struct value *v, uint64_t *left)
{
    uint64_t own = v->kind == VALUE_STRING ? 1 + strlen(v->s) : 1;
    if (own > *left)
        return false;
    *left -= own;
    for (uint32_t i = 0; v->kind == VALUE_LIST && i < v->count; i++)
        if (!value_fits(&v->items[i], left))
            return false;
    return true;
}

bool value_equal(const struct value *a, const struct value *b)
{
    struct frame f = {.work = UINT64_MAX, .steps = UINT64_MAX};
    bool equal = false;
    return equal_values(&f, a, b, &equal) == EXPR_FAULT_NONE && equal;
}

bool value_truth(const struct value *v)
{
    switch (v->kind) {
    case VALUE_NONE:
        return false;
    case VALUE_BOOL:
    case VALUE_INT:
        return v->i != 0;
    case VALUE_UINT:
        return true;
    case VALUE_FLOAT:
        return v->f != 0;
    case VALUE_STRING:
        return v->s[0] != 0;
    case VALUE_LIST:
        break;
    }
    return v->count > 0;
}

bool value_to_f64(const struct value *v, double *out)
{
    if (!is_number(v))
        return false;
    *out = as_double(v);
    return true;
}

bool value_to_i64(const struct value *v, int64_t *out)
{
    struct value whole = *v;
    if (v->kind == VALUE_FLOAT &&
        (v->f != trunc(v->f) || integral_value(v->f, &whole) != EXPR_FAULT_NONE))
        return false;
    if (!is_integer(&whole))
        return false;
    *out = whole.i;
    return true;
}

bool value_to_bits(const struct value *v, uint64_t *out)
{
    int64_t i;
    if (v->kind == VALUE_UINT) {
        *out = v->u;
        return true;
    }
    if (!value_to_i64(v, &i))
        return false;
    *out = (uint64_t)i;
    return true;
}

const char *value_kind_name(enum value_kind k)
{
    static const char *const names[] = {
        [VALUE_NONE] = "None",   [VALUE_BOOL] = "bool",     [VALUE_INT] = "int",
        [VALUE_FLOAT] = "float", [VALUE_STRING] = "string", [VALUE_LIST] = "list",
        [VALUE_UINT] = "int",
    };
    return names[k];
}

static void print_character(unsigned char c, char quote, struct text *out)
{
    static const char named[] = "\nn\tt\rr\\\\";
    for (const char *p = named; *p; p += 2)
        if ((unsigned char)*p == c) {
            text_addf(out, "\\%c", p[1]);
            return;
        }
    if (c == (unsigned char)quote)
        text_addf(out, "\\%c", c);
    else if (c < 32 || c == 127)
        text_addf(out, "\\x%02x", c);
    else
        text_addc(out, (char)c);
}

// Single quotes unless that costs an escape that double quotes spare.
static void print_string(const char *s, struct text *out)
{
    char quote = strchr(s, '\'') && !strchr(s, '"') ? '"' : '\'';
    text_addc(out, quote);
    for (; *s; s++)
        print_character((unsigned char)*s, quote, out);
    text_addc(out, quote);
}

static void emit_values(const struct value *list, struct emit *j)
{
    emit_array(j);
    for (uint32_t i = 0; i < list->count; i++)
        value_emit(&list->items[i], j);
    emit_array_end(j);
}

void value_emit(const struct value *v, struct emit *j)
{
    if (v->kind == VALUE_BOOL)
        emit_bool(j, v->i != 0);
    else if (v->kind == VALUE_INT)
        emit_i64(j, v->i);
    else if (v->kind == VALUE_UINT)
        emit_u64(j, v->u);
    else if (v->kind == VALUE_FLOAT)
        emit_f64(j, v->f);
    else if (v->kind == VALUE_STRING)
        emit_text(j, v->s);
    else if (v->kind == VALUE_LIST)
        emit_values(v, j);
    else
        emit_null(j);
}

void value_print(const struct value *v, struct text *out)
{
    switch (v->kind) {
    case VALUE_NONE:
        text_add(out, "None");
        break;
    case VALUE_BOOL:
        text_add(out, v->i ? "True" : "False");
        break;
    case VALUE_INT:
        text_addf(out, "%lld", (long long)v->i);
        break;
    case VALUE_UINT:
        text_addf(out, "%llu", (unsigned long long)v->u);
        break;
    case VALUE_FLOAT: {
        // Python writes an exponent from 1e16 on; f64_to_str() leaves 17 digits without one.
        char digits[32];
        f64_to_str(v->f, digits);
        int lead = 1 + (*digits == '-');
        if (strcspn(digits, ".e") == (size_t)lead + 16)
            text_addf(out, "%.*s.%.16se+16", lead, digits, digits + lead);
        else
            text_add(out, digits);
        break;
    }
    case VALUE_STRING:
        print_string(v->s, out);
        break;
    case VALUE_LIST:
        text_addc(out, '[');
        for (uint32_t i = 0; i < v->count; i++) {
            if (i)
                text_add(out, ", ");
            value_print(&v->items[i], out);
        }
        text_addc(out, ']');
        break;
    }
}

static bool parse_literal_word(const char *text, struct value *out)
{
    static const struct {
        const char *word;
        struct value value;
    } words[] = {
        {"True", {.kind = VALUE_BOOL, .i = 1}},  {"true", {.kind = VALUE_BOOL, .i = 1}},
        {"False", {.kind = VALUE_BOOL, .i = 0}}, {"false", {.kind = VALUE_BOOL, .i = 0}},
        {"None", {.kind = VALUE_NONE}},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_equal(text, words[i].word)) {
            *out = words[i].value;
            return true;
        }
    return false;
}

// A number or quoted string that is the whole text, by the rules of the language.
static bool parse_token(const char *text, struct arena *a, struct value *out)
{
    struct error e = ERROR_INIT;
    bool negative = *text == '-';
    struct lexer lexer;
    lexer_init(&lexer, a, text + negative, &e);
    struct token first = lexer.token;
    if (first.kind != TOKEN_LITERAL || (size_t)(first.start - lexer.text) != 0)
        return false;
    if (!lexer_next(&lexer) || lexer.token.kind != TOKEN_END)
        return false;
    *out = first.value;
    return !negative || (first.value.kind != VALUE_STRING &&
                         unary_apply(UNARY_MINUS, &first.value, out) == EXPR_FAULT_NONE);
}

bool value_parse_literal(const char *text, struct arena *a, struct value *out)
{
    if (parse_literal_word(text, out) || parse_token(text, a, out))
        return true;
    *out = value_string(arena_strdup(a, text));
    return out->s != NULL;
}
