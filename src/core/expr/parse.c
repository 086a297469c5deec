// Tokens to a tree, by recursive descent; binary operators by their precedence. Names stay names:
// a comprehension's element stands before the `for` that declares its variables, so bind.c looks
// them up when the whole tree is known.
#include "expr/lex.h"
#include "expr/syntax_node.h"

struct parser {
    struct lexer lexer;
    struct arena *arena;
    const struct expr_symbols *symbols;
    unsigned depth; // of brackets, signs and powers open
};

static struct node *parse_test(struct parser *p);
static struct node *parse_unary_node(struct parser *p);

// ---- nodes ----

static struct node *fail_parse(struct parser *p, const char *place, const char *message)
{
    lexer_error(&p->lexer, place, "%s", message);
    return NULL;
}

static struct node *fail_memory(struct parser *p)
{
    return error_no_memory(p->lexer.error);
}

static const char *here(const struct parser *p)
{
    return p->lexer.token.start;
}

// A node over `count` items, some of which may be NULL (absent parts of a slice).
static struct node *node_new(struct parser *p, enum node_kind kind, const char *place,
                             struct node *const *items, size_t count)
{
    struct node *n = arena_alloc(p->arena, sizeof *n);
    if (!n)
        return fail_memory(p);
    *n = (struct node){.kind = kind, .eval = node_evals[kind], .count = (uint32_t)count};
    n->place = place;
    if (count && !(n->items = arena_copy(p->arena, items, count * sizeof *items)))
        return fail_memory(p);
    for (size_t i = 0; i < count; i++)
        if (items[i] && items[i]->height > n->height)
            n->height = items[i]->height;
    if (++n->height > HEIGHT_LIMIT)
        return fail_parse(p, place,
                          "the expression has too many terms in a row; use sum() or brackets");
    return n;
}

// Growing lists of nodes.
struct nodes {
    struct node **items;
    size_t count, capacity;
};

static bool push(struct parser *p, struct nodes *list, struct node *n)
{
    if (!n)
        return false;
    if (!ARENA_ROOM(p->arena, list->items, list->capacity, list->count + 1))
        return fail_memory(p) != NULL;
    list->items[list->count++] = n;
    return true;
}

// ---- tokens ----

static bool at(const struct parser *p, const char *text)
{
    return lexer_is(&p->lexer, text);
}

// Goes past the token if it is `text`. A lexical error behind it surfaces at the next expectation.
static bool accept_token(struct parser *p, const char *text)
{
    if (!at(p, text))
        return false;
    lexer_next(&p->lexer);
    return true;
}

static bool parse_failed(const struct parser *p)
{
    return p->lexer.error && p->lexer.error->code != ERROR_NONE;
}

// "found 'x'", "found the end": what stands where something else was expected.
static bool unexpected(struct parser *p, const char *expected)
{
    const struct token *t = &p->lexer.token;
    if (t->kind == TOKEN_END)
        return lexer_error(&p->lexer, t->start, "expected %s, but the expression ends here",
                           expected);
    return lexer_error(&p->lexer, t->start, "expected %s, found '%.*s'", expected,
                       t->length > 40 ? 40 : (int)t->length, t->start);
}

static struct node *refuse_at(struct parser *p, const char *expected)
{
    unexpected(p, expected);
    return NULL;
}

static bool expect(struct parser *p, const char *text, const char *expected)
{
    return accept_token(p, text) || unexpected(p, expected);
}

static const struct {
    const char *word;
    const char *remedy; // NULL: a keyword of the language
} keywords[] = {
    {"and", NULL},
    {"or", NULL},
    {"not", NULL},
    {"in", NULL},
    {"is", NULL},
    {"if", NULL},
    {"else", NULL},
    {"for", NULL},
    {"lambda", "write the expression alone, such as A * B <= 4"},
    {"elif", "write 'a if condition else b'"},
    {"as", "an expression names nothing"},
    {"assert", "write the condition itself"},
    {"async", "write a single expression"},
    {"await", "write a single expression"},
    {"break", "write a single expression"},
    {"class", "write a single expression"},
    {"continue", "write a single expression"},
    {"def", "write a single expression"},
    {"del", "write a single expression"},
    {"except", "write a single expression"},
    {"finally", "write a single expression"},
    {"from", "the functions of math are there without it"},
    {"global", "write a single expression"},
    {"import", "the functions of math are there without it"},
    {"nonlocal", "write a single expression"},
    {"pass", "write a single expression"},
    {"raise", "write a single expression"},
    {"return", "write the value itself"},
    {"try", "write a single expression"},
    {"while", "write a single expression"},
    {"with", "write a single expression"},
    {"yield", "write a comprehension"},
};

// The index of a keyword, or -1.
static int keyword_index(const struct parser *p)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (at(p, keywords[i].word))
            return (int)i;
    return -1;
}

// A keyword where a value must stand is a name, if there is such a symbol: arguments of kernels are called `in`.
static bool at_symbol(const struct parser *p)
{
    for (size_t i = 0; p->symbols && i < p->symbols->count; i++)
        if (at(p, p->symbols->items[i].name))
            return true;
    return false;
}

static bool enter_level(struct parser *p)
{
    if (++p->depth <= 3 * NEST_LIMIT) // a bracket passes here three times
        return true;
    return lexer_error(&p->lexer, here(p), "nested deeper than %d levels; split the expression",
                       NEST_LIMIT);
}

// ---- comprehensions ----

static bool parse_targets(struct parser *p, struct clause *c)
{
    bool bracket = accept_token(p, "(");
    do {
        if (p->lexer.token.kind != TOKEN_NAME || keyword_index(p) >= 0)
            return unexpected(p, "a loop variable");
        if (c->target_count == TARGETS_LIMIT)
            return lexer_error(&p->lexer, here(p), "at most %d loop variables for one 'for'",
                               TARGETS_LIMIT);
        const char *name = arena_strndup(p->arena, here(p), p->lexer.token.length);
        if (!name)
            return error_memory(p->lexer.error);
        c->targets[c->target_count++] = name;
        lexer_next(&p->lexer);
    } while (accept_token(p, ","));
    return !bracket || expect(p, ")", "')'");
}

static struct node *parse_or(struct parser *p);

// Behind the element, at the first `for`.
static struct node *parse_comprehension(struct parser *p, struct node *element, const char *place,
                                        bool lazy)
{
    struct clause clauses[CLAUSES_LIMIT] = {{0}};
    struct node *parts[CLAUSES_LIMIT + 1] = {element};
    size_t count = 0;
    while (at(p, "for") || at(p, "if")) {
        if (count == CLAUSES_LIMIT)
            return fail_parse(p, here(p), "too many 'for' and 'if' in one comprehension");
        struct clause *c = &clauses[count];
        c->loops = accept_token(p, "for");
        if (!c->loops)
            accept_token(p, "if");
        else if (!parse_targets(p, c) || !expect(p, "in", "'in' behind the loop variable"))
            return NULL;
        c->source = parse_or(p);
        if (c->source == NULL)
            return NULL;
        parts[count + 1] = clauses[count].source;
        count++;
    }
    struct node *n = node_new(p, NODE_COMPREHENSION, place, parts, count + 1);
    if (!n)
        return NULL;
    n->height += (uint32_t)count; // each clause is a level of the evaluation
    n->count = 1;                 // the element; the clauses hold the rest
    n->lazy = lazy;
    n->clause_count = (uint32_t)count;
    n->clauses = arena_copy(p->arena, clauses, count * sizeof *clauses);
    return n->clauses ? n : fail_memory(p);
}

// ---- brackets ----

// Values between commas up to the closing bracket, which is taken. `list` may hold the first.
static bool parse_items(struct parser *p, struct nodes *list, const char *close)
{
    while (!at(p, close)) {
        if (list->count && !expect(p, ",", "',' or a closing bracket"))
            return false;
        if (at(p, close))
            break;
        if (at(p, "*") || at(p, "**"))
            return lexer_error(&p->lexer, here(p),
                               "unpacking is not part of the language; join lists with '+'");
        if (!push(p, list, parse_test(p)))
            return false;
    }
    return expect(p, close, "a closing bracket");
}

static struct node *parse_list(struct parser *p, const char *place)
{
    struct nodes list = {0};
    if (!at(p, "]") && !at(p, "*")) {
        if (!push(p, &list, parse_test(p)))
            return NULL;
        if (at(p, "for")) {
            struct node *n = parse_comprehension(p, list.items[0], place, false);
            return n && expect(p, "]", "']'") ? n : NULL;
        }
    }
    return parse_items(p, &list, "]") ? node_new(p, NODE_LIST, place, list.items, list.count)
                                      : NULL;
}

// Behind `(`: a bracketed value, a tuple (a list to us), or a generator.
static struct node *parse_bracket(struct parser *p, const char *place)
{
    struct nodes list = {0};
    if (at(p, ")")) {
        accept_token(p, ")");
        return node_new(p, NODE_LIST, place, NULL, 0);
    }
    if (!push(p, &list, parse_test(p)))
        return NULL;
    struct node *first = list.items[0];
    if (at(p, "for"))
        first = parse_comprehension(p, first, place, true);
    if (!first)
        return NULL;
    if (!at(p, ","))
        return expect(p, ")", "')'") ? first : NULL;
    return parse_items(p, &list, ")") ? node_new(p, NODE_LIST, place, list.items, list.count)
                                      : NULL;
}

static struct node *make_call_node(struct parser *p, const char *name, const char *place,
                                   struct nodes *arguments)
{
    struct node *n = node_new(p, NODE_CALL, place, arguments->items, arguments->count);
    if (n)
        n->function = function_find(name);
    return n;
}

// Behind `{`: a set, which is a list without duplicates.
static struct node *parse_set(struct parser *p, const char *place)
{
    struct nodes list = {0}, argument = {0};
    if (at(p, "}"))
        return fail_parse(p, place,
                          "dictionaries are not part of the language; an empty list is []");
    if (!push(p, &list, parse_test(p)))
        return NULL;
    if (at(p, ":"))
        return fail_parse(p, place,
                          "dictionaries are not part of the language; "
                          "write 'a if condition else b'");
    struct node *items;
    if (at(p, "for")) {
        items = parse_comprehension(p, list.items[0], place, true);
        if (items && !expect(p, "}", "'}'"))
            return NULL;
    } else {
        items = parse_items(p, &list, "}") ? node_new(p, NODE_LIST, place, list.items, list.count)
                                           : NULL;
    }
    return push(p, &argument, items) ? make_call_node(p, "set", place, &argument) : NULL;
}

// ---- calls ----

static struct node *unknown_function(struct parser *p, const char *name, const char *place)
{
    const char *names[128];
    size_t count = function_names(names, sizeof names / sizeof *names);
    const char *near = str_nearest(name, names, count);
    bool value = false;
    for (size_t i = 0; i < p->symbols->count; i++)
        value |= str_equal(p->symbols->items[i].name, name);
    if (value)
        lexer_error(&p->lexer, place,
                    "'%s' is a value, not a function; multiply with '*', index with '[]'", name);
    else if (near)
        lexer_error(&p->lexer, place, "unknown function '%s'; did you mean '%s'?", name, near);
    else
        lexer_error(&p->lexer, place,
                    "unknown function '%s'; the language has min, max, abs, ceil, round, log2 and "
                    "others, and calls nothing else",
                    name);
    return NULL;
}

static bool check_call_arguments(struct parser *p, const struct function *f, size_t count,
                                 const char *place)
{
    if (count >= f->least && count <= f->most)
        return true;
    return lexer_error(&p->lexer, place, "%s takes %s%u argument%s, not %zu: %s", f->name,
                       f->most > f->least ? count < f->least ? "at least " : "at most " : "",
                       (unsigned)(count < f->least ? f->least : f->most),
                       (count < f->least ? f->least : f->most) == 1 ? "" : "s", count, f->usage);
}

// A bare comprehension must be the only argument.
static bool parse_argument(struct parser *p, struct nodes *list, const char *place)
{
    if (at(p, "*") || at(p, "**"))
        return lexer_error(&p->lexer, here(p),
                           "unpacking is not part of the language; pass the list itself");
    if (!push(p, list, parse_test(p)))
        return false;
    if (!at(p, "for"))
        return true;
    const char *clause = here(p);
    struct node **last = &list->items[list->count - 1];
    *last = parse_comprehension(p, *last, place, true);
    if (*last && (list->count > 1 || at(p, ",")))
        return lexer_error(&p->lexer, clause, "put brackets around the comprehension");
    return *last != NULL;
}

// Behind `name(`.
static struct node *parse_call(struct parser *p, const char *name, const char *place)
{
    const struct function *function = function_find(name);
    if (!function)
        return unknown_function(p, name, place);
    struct nodes list = {0};
    while (!at(p, ")")) {
        if (list.count && !expect(p, ",", "',' or ')'"))
            return NULL;
        if (at(p, ")"))
            break;
        if (!parse_argument(p, &list, place))
            return NULL;
    }
    if (!expect(p, ")", "')'") || !check_call_arguments(p, function, list.count, place))
        return NULL;
    return make_call_node(p, name, place, &list);
}

// ---- atoms ----

static struct node *make_constant_node(struct parser *p, struct value v, const char *place)
{
    struct node *n = node_new(p, NODE_CONSTANT, place, NULL, 0);
    if (n)
        n->value = v;
    return n;
}

static bool at_string(const struct parser *p)
{
    return p->lexer.token.kind == TOKEN_LITERAL && p->lexer.token.value.kind == VALUE_STRING;
}

static struct node *parse_literal(struct parser *p)
{
    const char *place = here(p);
    struct value v = p->lexer.token.value;
    lexer_next(&p->lexer);
    // Strings side by side are one string.
    if (v.kind == VALUE_STRING && at_string(p)) {
        struct text text = TEXT_INIT;
        text_add(&text, v.s);
        while (at_string(p)) {
            text_add(&text, p->lexer.token.value.s);
            lexer_next(&p->lexer);
        }
        v.s = text_to_arena(&text, p->arena);
        if (v.s == NULL)
            return fail_memory(p);
    }
    return make_constant_node(p, v, place);
}

// Behind `name.`: the only prefix is math, as the module is spelled.
static struct node *parse_member(struct parser *p, const char *prefix, const char *place)
{
    struct token member = p->lexer.token;
    if (member.kind != TOKEN_NAME)
        return refuse_at(p, "a name behind '.'");
    const char *name = arena_printf(p->arena, "math.%.*s", (int)member.length, member.start);
    if (!name)
        return fail_memory(p);
    if (!str_equal(prefix, "math")) {
        lexer_error(&p->lexer, place,
                    "'%s.%s' is an attribute, and values have none; functions are called as "
                    "ceil(x) or math.ceil(x)",
                    prefix, name + 5);
        return NULL;
    }
    lexer_next(&p->lexer);
    double value;
    if (accept_token(p, "("))
        return parse_call(p, name, place);
    if (math_constant(name + 5, &value))
        return make_constant_node(p, value_float(value), place);
    lexer_error(&p->lexer, place, "'%s' is not a constant; math has pi, e, tau, inf and nan", name);
    return NULL;
}

static struct node *parse_name(struct parser *p)
{
    static const struct {
        const char *word;
        struct value value;
    } words[] = {{"True", {.kind = VALUE_BOOL, .i = 1}},
                 {"False", {.kind = VALUE_BOOL}},
                 {"None", {.kind = VALUE_NONE}}};
    const char *place = here(p);
    int keyword = keyword_index(p);
    if (keyword >= 0 && !at_symbol(p)) {
        if (!keywords[keyword].remedy)
            return refuse_at(p, at(p, "not") ? "a value (put 'not ...' in brackets)" : "a value");
        lexer_error(&p->lexer, here(p), "'%s' is not part of the language; %s",
                    keywords[keyword].word, keywords[keyword].remedy);
        return NULL;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (accept_token(p, words[i].word))
            return make_constant_node(p, words[i].value, place);
    const char *name = arena_strndup(p->arena, place, p->lexer.token.length);
    if (!name)
        return fail_memory(p);
    lexer_next(&p->lexer);
    if (accept_token(p, "("))
        return parse_call(p, name, place);
    if (accept_token(p, "."))
        return parse_member(p, name, place);
    struct node *n = node_new(p, NODE_NAME, place, NULL, 0);
    if (n)
        n->name = name;
    return n;
}

static struct node *parse_atom(struct parser *p)
{
    static const struct {
        const char *open;
        struct node *(*parse)(struct parser *p, const char *place);
    } brackets[] = {{"(", parse_bracket}, {"[", parse_list}, {"{", parse_set}};
    const char *place = here(p);
    if (p->lexer.token.kind == TOKEN_LITERAL)
        return parse_literal(p);
    if (p->lexer.token.kind == TOKEN_NAME)
        return parse_name(p);
    for (size_t i = 0; i < sizeof brackets / sizeof *brackets; i++)
        if (accept_token(p, brackets[i].open))
            return brackets[i].parse(p, place);
    return refuse_at(p, "a value");
}

// ---- operators ----

static bool parse_bound(struct parser *p, struct node **out)
{
    *out = NULL;
    if (at(p, ":") || at(p, "]"))
        return true;
    *out = parse_test(p);
    return *out != NULL;
}

// Behind `[`: an index, or a slice with absent parts NULL.
static struct node *parse_subscript(struct parser *p, struct node *what, const char *place)
{
    struct node *items[4] = {what};
    size_t count = 2;
    if (at(p, "]"))
        return refuse_at(p, "an index");
    if (!parse_bound(p, &items[1]))
        return NULL;
    for (; count < 4 && accept_token(p, ":"); count++)
        if (!parse_bound(p, &items[count]))
            return NULL;
    if (!expect(p, "]", "']'"))
        return NULL;
    bool index = count == 2;
    return node_new(p, index ? NODE_INDEX : NODE_SLICE, place, items, index ? 2 : 4);
}

static struct node *parse_postfix(struct parser *p)
{
    struct node *n = parse_atom(p);
    while (n) {
        const char *place = here(p);
        if (accept_token(p, "["))
            n = parse_subscript(p, n, place);
        else if (at(p, "."))
            n = fail_parse(p, place, "values have no attributes; call a function, as in len(x)");
        else if (at(p, "("))
            n = fail_parse(p, place, "only a function's name can be called; multiply with '*'");
        else
            break;
    }
    return n;
}

static struct node *make_binary_node(struct parser *p, enum operator_code code, const char *place,
                                     struct node *left, struct node *right)
{
    struct node *items[] = {left, right};
    struct node *n = left && right ? node_new(p, NODE_BINARY, place, items, 2) : NULL;
    if (n)
        n->op = code;
    return n;
}

// Binds tighter than a sign on its left, looser than one on its right.
static struct node *parse_power(struct parser *p)
{
    struct node *base = parse_postfix(p);
    const char *place = here(p);
    if (!base || !accept_token(p, "**"))
        return base;
    return make_binary_node(p, OPERATOR_POW, place, base, parse_unary_node(p));
}

static struct node *parse_sign(struct parser *p, enum unary_code code, const char *place)
{
    struct node *operand = parse_unary_node(p);
    struct node *n = operand ? node_new(p, NODE_UNARY, place, &operand, 1) : NULL;
    if (n)
        n->unary = code;
    return n;
}

static struct node *parse_unary_node(struct parser *p)
{
    static const struct {
        const char *text;
        enum unary_code code;
    } signs[] = {{"-", UNARY_MINUS}, {"+", UNARY_PLUS}, {"~", UNARY_INVERT}};
    struct node *n = NULL;
    if (!enter_level(p))
        return NULL;
    const char *place = here(p);
    size_t i = 0;
    while (i < sizeof signs / sizeof *signs && !accept_token(p, signs[i].text))
        i++;
    if (i < sizeof signs / sizeof *signs)
        n = parse_sign(p, signs[i].code, place);
    else
        n = parse_power(p);
    p->depth--;
    return n;
}

// The operator at hand that binds at least as tightly as `level`, or OPERATOR_COUNT. (`**` is
// parse_power()'s.)
static enum operator_code operator_at(const struct parser *p, int level)
{
    enum operator_code code = 0;
    while (code < OPERATOR_POW && !(operators[code].level >= level && at(p, operators[code].text)))
        code++;
    return code < OPERATOR_POW ? code : OPERATOR_COUNT;
}

static struct node *parse_binary_level(struct parser *p, int level)
{
    struct node *left = parse_unary_node(p);
    enum operator_code code;
    while (left && (code = operator_at(p, level)) != OPERATOR_COUNT) {
        const char *place = here(p);
        lexer_next(&p->lexer);
        left = make_binary_node(p, code, place, left,
                                parse_binary_level(p, operators[code].level + 1));
    }
    return left;
}

static bool accept_comparison(struct parser *p, enum compare_code *code)
{
    static const struct {
        const char *text;
        enum compare_code code;
    } comparisons[] = {{"<", COMPARE_LT},  {"<=", COMPARE_LE}, {"==", COMPARE_EQ},
                       {"!=", COMPARE_NE}, {">", COMPARE_GT},  {">=", COMPARE_GE},
                       {"in", COMPARE_IN}, {"is", COMPARE_IS}, {"not", COMPARE_NOT_IN}};
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        if (!accept_token(p, comparisons[i].text))
            continue;
        *code = comparisons[i].code;
        if (*code == COMPARE_IS && accept_token(p, "not"))
            *code = COMPARE_IS_NOT;
        return *code != COMPARE_NOT_IN || expect(p, "in", "'in' behind 'not'");
    }
    return false;
}

struct chain {
    enum compare_code *codes;
    size_t count, capacity;
};

static bool push_code(struct parser *p, struct chain *chain, enum compare_code code)
{
    if (!ARENA_ROOM(p->arena, chain->codes, chain->capacity, chain->count + 1))
        return fail_memory(p) != NULL;
    chain->codes[chain->count++] = code;
    return true;
}

// a < b < c is one node of three items: each is evaluated at most once.
static struct node *parse_comparison(struct parser *p)
{
    const char *place = here(p);
    struct nodes list = {0};
    struct chain chain = {0};
    enum compare_code code;
    if (!push(p, &list, parse_binary_level(p, 0)))
        return NULL;
    while (accept_comparison(p, &code)) {
        if (!push_code(p, &chain, code) || !push(p, &list, parse_binary_level(p, 0)))
            return NULL;
    }
    if (list.count == 1)
        return parse_failed(p) ? NULL : list.items[0];
    struct node *n = node_new(p, NODE_COMPARE, place, list.items, list.count);
    if (n)
        n->chain = chain.codes;
    return n;
}

static struct node *parse_not(struct parser *p)
{
    const char *place = here(p);
    struct node *n = NULL;
    if (!enter_level(p))
        return NULL;
    if (!accept_token(p, "not")) {
        n = parse_comparison(p);
    } else {
        struct node *operand = parse_not(p);
        n = operand ? node_new(p, NODE_NOT, place, &operand, 1) : NULL;
    }
    p->depth--;
    return n;
}

// Operands of `and` (or of `or`) stand side by side in one node.
static struct node *parse_chain(struct parser *p, const char *word, enum node_kind kind,
                                struct node *(*operand)(struct parser *p))
{
    const char *place = here(p);
    struct nodes list = {0};
    do {
        if (!push(p, &list, operand(p)))
            return NULL;
    } while (accept_token(p, word));
    return list.count == 1 ? list.items[0] : node_new(p, kind, place, list.items, list.count);
}

static struct node *parse_and(struct parser *p)
{
    return parse_chain(p, "and", NODE_AND, parse_not);
}

static struct node *parse_or(struct parser *p)
{
    return parse_chain(p, "or", NODE_OR, parse_and);
}

// A value, or `value if condition else value`.
static struct node *parse_test(struct parser *p)
{
    struct node *n = NULL;
    const char *place = here(p);
    if (!enter_level(p))
        return NULL;
    struct node *value = parse_or(p);
    if (!value || !accept_token(p, "if")) {
        n = value;
    } else {
        struct node *condition = parse_or(p);
        bool complete = condition && expect(p, "else", "'else' behind 'value if condition'");
        struct node *other = complete ? parse_test(p) : NULL;
        struct node *items[] = {condition, value, other};
        n = other ? node_new(p, NODE_CONDITION, place, items, 3) : NULL;
    }
    p->depth--;
    return n;
}

struct node *parse_text(struct arena *a, const char *text, const struct expr_symbols *symbols,
                        struct error *e)
{
    struct parser p = {.arena = a, .symbols = symbols};
    lexer_init(&p.lexer, a, text, e);
    if (parse_failed(&p))
        return NULL;
    if (p.lexer.token.kind == TOKEN_END) {
        lexer_error(&p.lexer, text, "the expression is empty");
        return NULL;
    }
    struct node *first = parse_test(&p);
    if (!first || parse_failed(&p))
        return NULL;
    // A bare comma makes a tuple, as in Python.
    if (at(&p, ",")) {
        struct nodes list = {0};
        if (!push(&p, &list, first))
            return NULL;
        while (accept_token(&p, ",") && p.lexer.token.kind != TOKEN_END)
            if (!push(&p, &list, parse_test(&p)))
                return NULL;
        first = node_new(&p, NODE_LIST, text, list.items, list.count);
    }
    if (first && p.lexer.token.kind != TOKEN_END)
        unexpected(&p, "an operator or the end");
    return parse_failed(&p) ? NULL : first;
}
