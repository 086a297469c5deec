// Restrictions that a kernel's source says: a static_assert or an #error over names that are tuned; and
// divisions of one tuned number by another, as in the length of an array, which are meant to come out
// even. A text that takes the remainder as well (TILE % BLOCK) looks after the rest itself.
#include "extras/init/restrict.h"

#include "base/text.h"

#include <string.h>

#define SLOTS_MOST   512
#define VISITS_MOST  200000u // nodes
#define DEMAND_MOST  1000u   // nodes of one demand: constants that double each other end here
#define NESTING_MOST 60

struct seeker {
    struct study *study;
    const struct function *function;       // that is looked at; NULL: none
    const struct node *values[SLOTS_MOST]; // by slot: what a constant of the function's own is
    struct restrictions *out;
    struct restrictions remainders; // that the text itself takes, or tests
    uint32_t visits, nesting;
};

// ---- numbers of the text -----------------------------------------------------------------------

static const struct atom *find_atom(const struct study *s, const char *name)
{
    for (uint32_t i = 0; i < s->atom_count; i++) {
        const struct atom *a = &s->atoms[i];
        if (strcmp(a->name, name) == 0)
            return a->is_argument || (a->is_own && a->kind != ATOM_GROUP) ? NULL : a;
    }
    return NULL;
}

static bool is_tuned(const struct atom *a)
{
    return a && (a->kind == ATOM_PARAMETER || a->kind == ATOM_GROUP || a->kind == ATOM_COUNT);
}

// The initial value of a name that the source declares as a constant.
static const struct node *constant_of(const struct seeker *k, const struct node *n)
{
    const struct syntax *syntax = &k->study->syntax;
    if (n->slot & SLOT_SHARED) {
        const struct variable *v = &syntax->shared[n->slot & ~SLOT_SHARED];
        return v->type->is_const && !v->type->dimension_count ? v->initial : NULL;
    }
    return k->function && n->slot < SLOTS_MOST ? k->values[n->slot] : NULL;
}

// 1 && x is x, 0 && x is 0, and so on; !0 is 1.
static const struct node *folded(struct node *n)
{
    bool is_and = n->sign == SIGN('&', '&', 0), is_or = n->sign == SIGN('|', '|', 0);
    if (n->kind == NODE_UNARY && n->sign == SIGN('!', 0, 0) && n->a->kind == NODE_NUMBER) {
        n->kind = NODE_NUMBER;
        n->integer = n->a->integer == 0;
        n->a = NULL;
        return n;
    }
    if (n->kind != NODE_BINARY || !(is_and || is_or))
        return n;
    if (n->a->kind == NODE_NUMBER)
        return (n->a->integer != 0) == is_and ? n->b : n->a;
    if (n->b->kind == NODE_NUMBER)
        return (n->b->integer != 0) == is_and ? n->a : n->b;
    return n;
}

// A copy over names of the spec and numbers only; NULL if that is not possible.
static const struct node *plain_node(struct seeker *k, const struct node *n)
{
    const struct node *out = NULL;
    struct node *copy;
    if (!n || k->nesting > NESTING_MOST || k->visits++ > VISITS_MOST)
        return NULL;
    k->nesting++;
    switch (n->kind) {
    case NODE_NUMBER:
        out = n;
        break;
    case NODE_NAME:
        if (n->slot != SLOT_NONE)
            out = plain_node(k, constant_of(k, n));
        else if (find_atom(k->study, n->name))
            out = n;
        break;
    case NODE_CAST:
        if (n->type && n->type->base == TYPE_INTEGER && !n->type->stars)
            out = plain_node(k, n->a ? n->a : n->count == 1 ? n->list[0] : NULL);
        break;
    case NODE_SIZEOF:
        copy = n->type && !n->type->stars && n->type->component
                   ? arena_copy(k->study->arena, n, sizeof *n)
                   : NULL;
        if (copy) {
            copy->kind = NODE_NUMBER;
            copy->integer = (int64_t)n->type->component * (n->type->lanes ? n->type->lanes : 1);
        }
        out = copy;
        break;
    case NODE_UNARY:
    case NODE_BINARY:
        copy = arena_copy(k->study->arena, n, sizeof *n);
        if (copy) {
            copy->a = (struct node *)plain_node(k, n->a);
            copy->b = n->b ? (struct node *)plain_node(k, n->b) : NULL;
            out = copy->a && (copy->b || !n->b) ? folded(copy) : NULL;
        }
        break;
    default:
        break;
    }
    k->nesting--;
    return out;
}

static bool has_tuned(const struct study *s, const struct node *n)
{
    if (!n)
        return false;
    return (n->kind == NODE_NAME && is_tuned(find_atom(s, n->name))) || has_tuned(s, n->a) ||
           has_tuned(s, n->b);
}

// ---- as expressions of a spec ------------------------------------------------------------------

// The next weaker operators stand in brackets within stronger ones; comparisons are not chained.
enum level {
    LEVEL_OR = 1,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_BITS,
    LEVEL_SHIFT,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_SIGN
};

static const struct {
    uint32_t sign;
    enum level level;
    const char *word, *opposite; // opposite: (or NULL) of a comparison
} operators[] = {
    {SIGN('|', '|', 0), LEVEL_OR, "or", NULL},      {SIGN('&', '&', 0), LEVEL_AND, "and", NULL},
    {SIGN('=', '=', 0), LEVEL_COMPARE, "==", "!="}, {SIGN('!', '=', 0), LEVEL_COMPARE, "!=", "=="},
    {SIGN('<', 0, 0), LEVEL_COMPARE, "<", ">="},    {SIGN('>', 0, 0), LEVEL_COMPARE, ">", "<="},
    {SIGN('<', '=', 0), LEVEL_COMPARE, "<=", ">"},  {SIGN('>', '=', 0), LEVEL_COMPARE, ">=", "<"},
    {SIGN('&', 0, 0), LEVEL_BITS, "&", NULL},       {SIGN('<', '<', 0), LEVEL_SHIFT, "<<", NULL},
    {SIGN('>', '>', 0), LEVEL_SHIFT, ">>", NULL},   {SIGN('+', 0, 0), LEVEL_SUM, "+", NULL},
    {SIGN('-', 0, 0), LEVEL_SUM, "-", NULL},        {SIGN('*', 0, 0), LEVEL_PRODUCT, "*", NULL},
    {SIGN('/', 0, 0), LEVEL_PRODUCT, "//", NULL},   {SIGN('%', 0, 0), LEVEL_PRODUCT, "%", NULL},
};
#define OPERATORS (sizeof operators / sizeof *operators)

static bool write_node(const struct study *s, const struct node *n, enum level least,
                       struct text *out);

static bool write_binary(const struct study *s, const struct node *n, enum level least,
                         struct text *out)
{
    size_t i = 0;
    while (i < OPERATORS && operators[i].sign != n->sign)
        i++;
    if (i == OPERATORS)
        return false;
    enum level mine = operators[i].level, left = mine, right = mine + 1;
    if (mine == LEVEL_COMPARE || n->sign == SIGN('%', 0, 0))
        left = mine + 1;
    else if (mine == LEVEL_BITS || mine == LEVEL_SHIFT) // whose order few know
        left = right = LEVEL_SIGN;
    text_add(out, mine < least ? "(" : "");
    bool ok = write_node(s, n->a, left, out);
    text_addf(out, " %s ", operators[i].word);
    ok = ok && write_node(s, n->b, right, out);
    text_add(out, mine < least ? ")" : "");
    return ok;
}

static bool write_node(const struct study *s, const struct node *n, enum level least,
                       struct text *out)
{
    if (n->kind == NODE_NUMBER) {
        text_addf(out, "%lld", (long long)n->integer);
        return true;
    }
    if (n->kind == NODE_NAME) {
        text_add(out, find_atom(s, n->name)->text);
        return true;
    }
    if (n->kind == NODE_BINARY)
        return write_binary(s, n, least, out);
    if (n->kind != NODE_UNARY)
        return false;
    bool is_not = n->sign == SIGN('!', 0, 0);
    if (!is_not && n->sign != SIGN('-', 0, 0))
        return false;
    enum level mine = is_not ? LEVEL_NOT : LEVEL_SIGN;
    text_addf(out, "%s%s", mine < least ? "(" : "", is_not ? "not " : "-");
    bool ok = write_node(s, n->a, mine, out);
    text_add(out, mine < least ? ")" : "");
    return ok;
}

static bool write_opposite(const struct study *s, const struct node *n, enum level least,
                           struct text *out)
{
    struct node turned = *n;
    bool is_and = n->sign == SIGN('&', '&', 0), is_or = n->sign == SIGN('|', '|', 0);
    if (n->kind == NODE_UNARY && n->sign == SIGN('!', 0, 0))
        return write_node(s, n->a, least, out);
    if (n->kind == NODE_BINARY && (is_and || is_or)) { // of each, joined by the other word
        enum level mine = is_and ? LEVEL_OR : LEVEL_AND;
        text_add(out, mine < least ? "(" : "");
        bool ok = write_opposite(s, n->a, mine, out);
        text_add(out, is_and ? " or " : " and ");
        ok = ok && write_opposite(s, n->b, mine + 1, out);
        text_add(out, mine < least ? ")" : "");
        return ok;
    }
    for (size_t i = 0; n->kind == NODE_BINARY && i < OPERATORS; i++) {
        if (operators[i].sign != n->sign || !operators[i].opposite)
            continue;
        for (size_t k = 0; k < OPERATORS; k++) {
            if (strcmp(operators[k].word, operators[i].opposite) == 0)
                turned.sign = operators[k].sign;
        }
        return write_node(s, &turned, least, out);
    }
    text_add(out, LEVEL_COMPARE < least ? "(" : ""); // a number
    bool ok = write_node(s, n, LEVEL_COMPARE + 1, out);
    text_addf(out, " == 0%s", LEVEL_COMPARE < least ? ")" : "");
    return ok;
}

static const char *node_text(struct study *s, const struct node *n, bool is_refused)
{
    struct text t = TEXT_INIT;
    bool ok = is_refused ? write_opposite(s, n, LEVEL_OR, &t) : write_node(s, n, LEVEL_OR, &t);
    const char *copy = ok && !t.failed ? arena_strdup(s->arena, text_cstr(&t)) : NULL;
    s->run.failed |= ok && !copy;
    text_release(&t);
    return copy;
}

static void add_text_once(struct study *s, struct restrictions *list, const char *text)
{
    for (uint32_t i = 0; text && i < list->count; i++) {
        if (strcmp(list->list[i], text) == 0)
            return;
    }
    if (text && ARENA_ROOM(s->arena, list->list, list->room, list->count + (size_t)1))
        list->list[list->count++] = text;
    else
        s->run.failed |= text != NULL;
}

// ---- what the text demands ---------------------------------------------------------------------

static const struct node *demand_node(struct seeker *k, const struct demand *d)
{
    const struct study *s = k->study;
    if (d->function && !(k->function && str_equal(d->function, k->function->name)))
        return NULL;
    const uint32_t before = k->visits;
    k->visits = VISITS_MOST - DEMAND_MOST;
    const struct node *n = plain_node(k, d->condition);
    k->visits = before;
    return n && has_tuned(s, n) ? n : NULL;
}

// From *at on, the next demand on this function's tuned names; NULL: there is none.
static const struct node *next_demand(struct seeker *k, uint32_t *at, const struct demand **demand)
{
    const struct node *n = NULL;
    while (!n && *at < k->study->syntax.demand_count) {
        *demand = &k->study->syntax.demands[(*at)++];
        n = demand_node(k, *demand);
    }
    return n;
}

// Does it hold with the values as they are?
static bool is_fulfilled(const struct study *s, const struct node *n, bool is_refused)
{
    int64_t value;
    return !run_constant(&s->run, n, &value) || (value != 0) != is_refused;
}

// Names that the text gives no value get one with which it compiles.
static void settle_demand(struct study *s, const struct node *whole, const struct node *n,
                          bool is_refused)
{
    static const int64_t values[] = {32, 64, 16, 128, 8, 4, 2, 1, 256};
    if (!n || is_fulfilled(s, whole, is_refused))
        return;
    struct atom *a = n->kind == NODE_NAME ? (struct atom *)find_atom(s, n->name) : NULL;
    int64_t before = a ? a->value : 0;
    for (size_t i = 0; a && is_tuned(a) && !a->has_initial && i < sizeof values / sizeof *values;
         i++) {
        a->value = a->initial = values[i];
        study_bind(s);
        if (is_fulfilled(s, whole, is_refused))
            return;
        a->value = a->initial = before;
        study_bind(s);
    }
    settle_demand(s, whole, n->a, is_refused);
    settle_demand(s, whole, n->b, is_refused);
}

// ---- what divisions say ------------------------------------------------------------------------

// Names that are tuned and numbers, multiplied and divided.
static bool is_quotient(const struct study *s, const struct node *n)
{
    if (n->kind == NODE_NAME)
        return is_tuned(find_atom(s, n->name));
    return n->kind == NODE_NUMBER ||
           (n->kind == NODE_BINARY && (n->sign == SIGN('*', 0, 0) || n->sign == SIGN('/', 0, 0)) &&
            is_quotient(s, n->a) && is_quotient(s, n->b));
}

static const char *remainder_text(struct seeker *k, const struct node *n)
{
    struct study *s = k->study;
    const struct node *a = plain_node(k, n->a), *b = plain_node(k, n->b);
    if (!a || !b || !is_quotient(s, a) || !is_quotient(s, b) || !has_tuned(s, b))
        return NULL;
    struct node whole = {.kind = NODE_BINARY, .sign = SIGN('%', 0, 0)};
    int64_t value;
    whole.a = (struct node *)a;
    whole.b = (struct node *)b;
    const char *text = node_text(s, &whole, false);
    if (n->sign == SIGN('%', 0, 0)) {
        add_text_once(s, &k->remainders, text);
        return NULL;
    }
    return run_constant(&s->run, &whole, &value) && value == 0 ? text : NULL;
}

static void visit_node(struct seeker *k, const struct node *n, bool divisions)
{
    if (!n || k->nesting > 4 * NESTING_MOST || k->visits++ > VISITS_MOST)
        return;
    k->nesting++;
    if (n->kind == NODE_DECLARE && n->type) {
        bool is_constant = n->type->is_const && n->type->base == TYPE_INTEGER && !n->type->stars &&
                           !n->type->dimension_count && n->type->lanes == 1;
        if (is_constant && n->slot < SLOTS_MOST)
            k->values[n->slot] = n->a;
        for (uint32_t i = 0; i < n->type->dimension_count; i++)
            visit_node(k, n->type->dimensions[i], divisions);
    }
    for (uint32_t i = 0; i < node_parts(n); i++)
        visit_node(k, node_part(n, i), divisions);
    bool is_division = n->kind == NODE_BINARY && n->sign == SIGN('/', 0, 0);
    bool is_remainder = n->kind == NODE_BINARY && n->sign == SIGN('%', 0, 0);
    if (divisions ? is_division : is_remainder) {
        const char *text = remainder_text(k, n);
        bool is_taken = false;
        for (uint32_t i = 0; text && i < k->remainders.count; i++)
            is_taken |= strcmp(k->remainders.list[i], text) == 0;
        if (text && !is_taken)
            add_text_once(k->study, k->out, arena_printf(k->study->arena, "%s == 0", text));
    }
    k->nesting--;
}

static void visit_shared(struct seeker *k)
{
    const struct syntax *syntax = &k->study->syntax;
    for (uint32_t i = 0; i < syntax->shared_count; i++) {
        const struct variable *v = &syntax->shared[i];
        for (uint32_t d = 0; d < v->type->dimension_count; d++)
            visit_node(k, v->type->dimensions[d], true);
    }
}

// ---- both --------------------------------------------------------------------------------------

// Each function in turn: a constant of its own has a value there alone.
static struct seeker *seeker_new(struct study *s, struct restrictions *out)
{
    struct seeker *k = arena_alloc(s->arena, sizeof *k);
    if (k)
        *k = (struct seeker){.study = s, .out = out};
    s->run.failed |= !k;
    return k;
}

static void enter_function(struct seeker *k, const struct function *f)
{
    memset(k->values, 0, sizeof k->values);
    k->function = f;
    k->visits = k->nesting = 0;
    visit_node(k, f->body, false);
}

bool study_fulfils(const struct study *s)
{
    for (uint32_t i = 0; i < s->demand_count; i++) {
        if (!is_fulfilled(s, s->demands[i], s->refuses[i]))
            return false;
    }
    return true;
}

void study_settle_demands(struct study *s, const struct function *const *functions, uint32_t count)
{
    struct seeker *k = seeker_new(s, NULL);
    study_bind(s);
    for (uint32_t i = 0; k && i < count; i++) {
        enter_function(k, functions[i]);
        const struct demand *demand;
        const struct node *n;
        for (uint32_t at = 0; (n = next_demand(k, &at, &demand)) != NULL;) {
            bool is_counted = (demand->function || i == 0) && s->demand_count < DEMANDS_MOST;
            settle_demand(s, n, n, demand->is_refused);
            if (is_counted) {
                s->refuses[s->demand_count] = demand->is_refused;
                s->demands[s->demand_count++] = n;
            }
        }
    }
}

// Each of what is demanded together by itself.
static void add_demanded(struct seeker *k, const struct node *n, bool is_refused)
{
    uint32_t joined = is_refused ? SIGN('|', '|', 0) : SIGN('&', '&', 0);
    if (n->kind == NODE_BINARY && n->sign == joined) {
        add_demanded(k, n->a, is_refused);
        add_demanded(k, n->b, is_refused);
    } else if (has_tuned(k->study, n)) {
        add_text_once(k->study, k->out, node_text(k->study, n, is_refused));
    }
}

void study_restrictions(struct study *s, const struct function *const *functions, uint32_t count,
                        struct restrictions *out)
{
    struct seeker *k = seeker_new(s, out);
    study_bind(s);
    for (uint32_t i = 0; k && i < count; i++) {
        enter_function(k, functions[i]);
        const struct demand *demand;
        const struct node *n;
        for (uint32_t at = 0; (n = next_demand(k, &at, &demand)) != NULL;)
            add_demanded(k, n, demand->is_refused);
        visit_node(k, functions[i]->body, true);
    }
    if (k)
        visit_shared(k);
}
