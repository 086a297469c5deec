// Running a graph, a stage at a time: all nodes of the stage are computed for all values of its
// parameter at once. A column of integers is a plain array, and most restrictions stay in such
// columns, so that the inner loops are vectorised by the compiler; whatever leaves the integers (a
// fault, a float, a text) is computed cell by cell.
#include "expr/graph.h"
#include "expr/integer.h"

#include <stdlib.h>

// Lists and texts of evaluations stay in the scratch arena until it holds this much.
#define SCRATCH_KEPT (64 * 1024)
// And those of one stage take no more than this.
#define SCRATCH_MOST ((size_t)64 << 20)

// ---- operands ----------------------------------------------------------------------------------

// Integers, one for all values (step 0) or one for each (step 1).
struct integers {
    const int64_t *first;
    size_t step;
    bool truth; // they are bools
};

static bool integers_of(const struct graph_run *r, uint32_t node, struct integers *out)
{
    const struct graph_column *c = &r->columns[node];
    const struct graph_cell *cell = &r->known[node];
    if (r->graph->nodes[node].stage == r->stage) {
        *out = (struct integers){c->integers, 1, c->form == COLUMN_BOOL};
        return c->form == COLUMN_INT || c->form == COLUMN_BOOL;
    }
    *out = (struct integers){&cell->value.i, 0, cell->value.kind == VALUE_BOOL};
    return cell->fault == EXPR_FAULT_NONE && is_integer(&cell->value);
}

struct graph_cell graph_run_cell(const struct graph_run *r, uint32_t node, uint32_t at)
{
    const struct graph_column *c = &r->columns[node];
    if (r->graph->nodes[node].stage != r->stage)
        return r->known[node];
    if (c->form == COLUMN_CELLS)
        return c->cells[at];
    int64_t i = c->integers[at];
    return (struct graph_cell){c->form == COLUMN_BOOL ? value_bool(i != 0) : value_int(i),
                               EXPR_FAULT_NONE};
}

// ---- plain integers ----------------------------------------------------------------------------

// A fault anywhere leaves the node to be done value by value.
#define LOOP(f)                                                                                    \
    for (uint32_t k = 0; k < width; k++)                                                           \
        fault |= (unsigned)f(a.first[k * a.step], b.first[k * b.step], &out[k]);                   \
    break

static bool arithmetic(enum operator_code op, struct integers a, struct integers b, int64_t *out,
                       uint32_t width)
{
    unsigned fault = EXPR_FAULT_NONE;
    switch (op) {
    case OPERATOR_ADD:
        LOOP(integer_add);
    case OPERATOR_SUB:
        LOOP(integer_sub);
    case OPERATOR_MUL:
        LOOP(integer_mul);
    case OPERATOR_FLOORDIV:
        LOOP(integer_floordiv);
    case OPERATOR_MOD:
        LOOP(integer_mod);
    case OPERATOR_SHL:
        LOOP(integer_shl);
    case OPERATOR_SHR:
        LOOP(integer_shr);
    case OPERATOR_AND:
        LOOP(integer_and);
    case OPERATOR_OR:
        LOOP(integer_or);
    case OPERATOR_XOR:
        LOOP(integer_xor);
    case OPERATOR_DIV:
    case OPERATOR_POW:
    default:
        return false;
    }
    return fault == EXPR_FAULT_NONE;
}

static bool plain_binary(const struct graph_node *n, struct integers a, struct integers b,
                         struct graph_column *c, uint32_t width)
{
    bool keeps = n->op == OPERATOR_AND || n->op == OPERATOR_OR || n->op == OPERATOR_XOR;
    if (!arithmetic(n->op, a, b, c->integers, width))
        return false;
    c->form = keeps && a.truth && b.truth ? COLUMN_BOOL : COLUMN_INT;
    return true;
}

#define COMPARE(comparison)                                                                        \
    for (uint32_t k = 0; k < width; k++)                                                           \
        out[k] = a.first[k * a.step] comparison b.first[k * b.step];                               \
    break

static bool plain_compare(enum compare_code code, struct integers a, struct integers b,
                          struct graph_column *c, uint32_t width)
{
    int64_t *out = c->integers;
    switch (code) {
    case COMPARE_LT:
        COMPARE(<);
    case COMPARE_LE:
        COMPARE(<=);
    case COMPARE_GT:
        COMPARE(>);
    case COMPARE_GE:
        COMPARE(>=);
    case COMPARE_EQ:
        COMPARE(==);
    case COMPARE_NE:
        COMPARE(!=);
    case COMPARE_IN:
    case COMPARE_NOT_IN:
    case COMPARE_IS:
    case COMPARE_IS_NOT:
    default:
        return false;
    }
    c->form = COLUMN_BOOL;
    return true;
}

static bool plain_extreme(bool least, struct integers a, struct integers b, struct graph_column *c,
                          uint32_t width)
{
    if (a.truth != b.truth)
        return false;
    for (uint32_t k = 0; k < width; k++) {
        int64_t x = a.first[k * a.step], y = b.first[k * b.step];
        c->integers[k] = (x < y) == least ? x : y;
    }
    c->form = a.truth ? COLUMN_BOOL : COLUMN_INT;
    return true;
}

// `and` and `or` whose truth alone is asked for.
static bool plain_logic(const struct graph_run *r, uint32_t node, struct graph_column *c)
{
    const struct graph_node *n = &r->graph->nodes[node];
    const uint32_t *items = graph_items(r->graph, node);
    bool is_or = n->kind == GRAPH_OR;
    for (uint32_t i = 0; i < n->count; i++) {
        struct integers a;
        if (!n->truth || !integers_of(r, items[i], &a))
            return false;
    }
    for (uint32_t k = 0; k < r->width; k++)
        c->integers[k] = !is_or;
    for (uint32_t i = 0; i < n->count; i++) {
        struct integers a;
        integers_of(r, items[i], &a);
        for (uint32_t k = 0; k < r->width; k++) {
            int64_t truth = a.first[k * a.step] != 0;
            c->integers[k] = is_or ? c->integers[k] | truth : c->integers[k] & truth;
        }
    }
    c->form = COLUMN_BOOL;
    return true;
}

static bool plain_condition(const struct graph_run *r, uint32_t node, struct graph_column *c)
{
    const uint32_t *items = graph_items(r->graph, node);
    struct integers p, a, b;
    if (!integers_of(r, items[0], &p) || !integers_of(r, items[1], &a) ||
        !integers_of(r, items[2], &b) || a.truth != b.truth)
        return false;
    for (uint32_t k = 0; k < r->width; k++)
        c->integers[k] = p.first[k * p.step] ? a.first[k * a.step] : b.first[k * b.step];
    c->form = a.truth ? COLUMN_BOOL : COLUMN_INT;
    return true;
}

static void fill_truths(const struct graph_run *r, struct graph_column *c, struct integers a,
                        bool sense)
{
    for (uint32_t k = 0; k < r->width; k++)
        c->integers[k] = (a.first[k * a.step] != 0) == sense;
    c->form = COLUMN_BOOL;
}

static bool plain(const struct graph_run *r, uint32_t node, struct graph_column *c)
{
    static const int64_t one = 1;
    const struct graph_node *n = &r->graph->nodes[node];
    const uint32_t *items = graph_items(r->graph, node);
    struct integers a, b;
    if (n->kind == GRAPH_AND || n->kind == GRAPH_OR)
        return plain_logic(r, node, c);
    if (n->kind == GRAPH_OPAQUE || n->count == 0 || !integers_of(r, items[0], &a) ||
        !integers_of(r, items[n->count > 1], &b)) // of one item: that twice
        return false;
    switch (n->kind) {
    case GRAPH_BINARY:
        return plain_binary(n, a, b, c, r->width);
    case GRAPH_COMPARE:
        return plain_compare(n->compare, a, b, c, r->width);
    case GRAPH_LEAST:
    case GRAPH_LARGEST:
        return plain_extreme(n->kind == GRAPH_LEAST, a, b, c, r->width);
    case GRAPH_CONDITION:
        return plain_condition(r, node, c);
    case GRAPH_NOT:
        fill_truths(r, c, a, false);
        return true;
    case GRAPH_HAS_VALUE:
    case GRAPH_MUST_HAVE:
        fill_truths(r, c, (struct integers){.first = &one}, true);
        return true;
    default:
        return false;
    }
}

// ---- value by value ----------------------------------------------------------------------------

static void end_run(struct graph_run *r, int why)
{
    if (r->end == RUN_ON)
        r->end = why;
}

static struct frame frame_of(struct graph_run *r, struct arena *scratch, struct value *locals)
{
    return (struct frame){r->slots, scratch, locals, ITEMS_LIMIT, WORK_LIMIT, *r->steps};
}

// Takes the steps that are left over from the frame; ends the run where there are none, or where the
// frame made too much.
static void close_frame(struct graph_run *r, const struct frame *f)
{
    *r->steps = f->steps;
    if (f->steps == 0)
        end_run(r, RUN_EFFORT);
    if (r->scratch.bytes > SCRATCH_MOST)
        end_run(r, RUN_LARGE);
}

static struct graph_cell opaque_cell(struct graph_run *r, uint32_t node, uint32_t at)
{
    const struct graph_node *n = &r->graph->nodes[node];
    struct value locals[LOCALS_LIMIT];
    struct graph_cell out = {.fault = EXPR_FAULT_NONE};
    struct frame f = frame_of(r, &r->inner, locals);
    for (uint32_t i = 0; i < n->count; i++) {
        struct graph_cell item = graph_run_cell(r, graph_items(r->graph, node)[i], at);
        if (item.fault)
            return item;
        r->slots[n->opaque.slots[i]] = item.value;
    }
    out.fault = n->opaque.tree->eval(n->opaque.tree, &f, &out.value);
    if (!out.fault) {
        // Carries the value of an opaque node over from what it made on the way, which goes.
        uint64_t most = ITEMS_LIMIT;
        if (n->truth)
            out.value = value_bool(value_truth(&out.value));
        else if (!value_fits(&out.value, &most))
            end_run(r, RUN_LARGE);
        else if (!value_copy(&r->scratch, &out.value, &out.value))
            end_run(r, RUN_MEMORY);
    }
    if (r->inner.bytes > SCRATCH_KEPT)
        arena_release(&r->inner);
    close_frame(r, &f);
    return out;
}

static struct graph_cell logic_cell(struct graph_run *r, uint32_t node, uint32_t at)
{
    const struct graph_node *n = &r->graph->nodes[node];
    struct graph_cell item = {.fault = EXPR_FAULT_NONE};
    for (uint32_t i = 0; i < n->count; i++) {
        item = graph_run_cell(r, graph_items(r->graph, node)[i], at);
        if (item.fault || value_truth(&item.value) == (n->kind == GRAPH_OR))
            break;
    }
    return item;
}

static struct graph_cell condition_cell(struct graph_run *r, uint32_t node, uint32_t at)
{
    const uint32_t *items = graph_items(r->graph, node);
    struct graph_cell c = graph_run_cell(r, items[0], at);
    return c.fault ? c : graph_run_cell(r, items[value_truth(&c.value) ? 1 : 2], at);
}

static struct graph_cell has_value_cell(struct graph_run *r, uint32_t node, uint32_t at)
{
    struct graph_cell item = graph_run_cell(r, graph_items(r->graph, node)[0], at);
    bool passes_on = r->graph->nodes[node].kind == GRAPH_MUST_HAVE && item.fault;
    if (!passes_on)
        item = (struct graph_cell){value_bool(!item.fault), EXPR_FAULT_NONE};
    return item;
}

static enum expr_fault apply_in(struct frame *f, const struct graph_node *n, struct value *v,
                                struct value *out)
{
    bool truth = false;
    int order = 0;
    enum expr_fault fault;
    switch (n->kind) {
    case GRAPH_UNARY:
        return unary_apply(n->unary, v, out);
    case GRAPH_BINARY:
        return operators[n->op].apply(f, &v[0], &v[1], out);
    case GRAPH_COMPARE:
        if (n->ascending) {
            fault = sorted_contains(f, &v[1], &v[0], &truth);
            truth = truth == (n->compare == COMPARE_IN);
        } else {
            fault = compare_values(f, n->compare, &v[0], &v[1], &truth);
        }
        *out = value_bool(truth);
        return fault;
    case GRAPH_NOT:
        *out = value_bool(!value_truth(v));
        return EXPR_FAULT_NONE;
    case GRAPH_LEAST:
    case GRAPH_LARGEST:
        fault = order_values(f, &v[1], &v[0], &order);
        *out = v[order == (n->kind == GRAPH_LEAST ? -1 : 1)];
        return fault;
    default:
        return n->function->call(f, v, n->count, out);
    }
}

static struct graph_cell evaluate_cell(struct graph_run *r, uint32_t node, uint32_t at)
{
    const struct graph_node *n = &r->graph->nodes[node];
    struct value operands[ARGUMENTS_LIMIT];
    struct graph_cell out = {.fault = EXPR_FAULT_NONE};
    switch (n->kind) {
    case GRAPH_OPAQUE:
        return opaque_cell(r, node, at);
    case GRAPH_AND:
    case GRAPH_OR:
        return logic_cell(r, node, at);
    case GRAPH_CONDITION:
        return condition_cell(r, node, at);
    case GRAPH_HAS_VALUE:
    case GRAPH_MUST_HAVE:
        return has_value_cell(r, node, at);
    default:
        break;
    }
    for (uint32_t i = 0; i < n->count; i++) {
        struct graph_cell item = graph_run_cell(r, graph_items(r->graph, node)[i], at);
        if (item.fault)
            return item;
        operands[i] = item.value;
    }
    struct value locals[LOCALS_LIMIT];
    struct frame f = frame_of(r, &r->scratch, locals);
    enum expr_fault fault = apply_in(&f, n, operands, &out.value);
    close_frame(r, &f);
    out.fault = fault;
    return out;
}

static bool reserve_cells(const struct graph_run *r, struct graph_column *c)
{
    if (!c->cells)
        c->cells = calloc(r->width_most, sizeof *c->cells);
    return c->cells != NULL;
}

static bool reserve_integers(const struct graph_run *r, struct graph_column *c)
{
    if (!c->integers)
        c->integers = calloc(r->width_most, sizeof *c->integers);
    return c->integers != NULL;
}

static void cells(struct graph_run *r, uint32_t node, struct graph_column *c)
{
    const struct graph_node *n = &r->graph->nodes[node];
    if (!reserve_cells(r, c)) {
        end_run(r, RUN_MEMORY);
        return;
    }
    c->passing = false;
    for (uint32_t k = 0; k < r->width && r->end == RUN_ON; k++) {
        struct graph_cell cell = evaluate_cell(r, node, k);
        enum value_kind kind = cell.value.kind;
        if (cell.fault == EXPR_FAULT_MEMORY)
            end_run(r, RUN_MEMORY);
        if (n->truth && !cell.fault)
            cell.value = value_bool(value_truth(&cell.value));
        else
            c->passing |= !cell.fault && (kind == VALUE_STRING || kind == VALUE_LIST);
        c->cells[k] = cell;
    }
    c->form = COLUMN_CELLS;
}

// Cells that are all plain integers of one kind become such.
static void simplify(const struct graph_run *r, struct graph_column *c)
{
    enum value_kind kind = c->cells[0].value.kind;
    bool same = kind == VALUE_INT || kind == VALUE_BOOL;
    for (uint32_t k = 0; k < r->width && same; k++)
        same = !c->cells[k].fault && c->cells[k].value.kind == kind;
    for (uint32_t k = 0; k < r->width && same; k++)
        c->integers[k] = c->cells[k].value.i;
    if (same)
        c->form = kind == VALUE_BOOL ? COLUMN_BOOL : COLUMN_INT;
}

// ---- stages ------------------------------------------------------------------------------------

static void evaluate(struct graph_run *r, uint32_t node)
{
    struct graph_column *c = &r->columns[node];
    if (!reserve_integers(r, c)) {
        end_run(r, RUN_MEMORY);
    } else if (!plain(r, node, c)) {
        cells(r, node, c);
        if (r->end == RUN_ON)
            simplify(r, c);
    }
}

bool graph_run_step(struct graph_run *r)
{
    const struct graph *g = r->graph;
    if (r->scratch.bytes > SCRATCH_KEPT)
        arena_release(&r->scratch);
    for (uint32_t i = 0; i < r->stage_counts[r->stage] && r->end == RUN_ON; i++) {
        uint32_t node = r->of_stage[r->stage][i];
        bool given = g->nodes[node].kind == GRAPH_SLOT || g->nodes[node].kind == GRAPH_CONSTANT;
        if (!given && (r->fresh || r->columns[node].passing || !g->nodes[node].alone))
            evaluate(r, node);
    }
    r->fresh = false;
    return r->end == RUN_ON;
}

static void set_slot_column(struct graph_run *r, uint32_t node, const struct value *values)
{
    struct graph_column *c = &r->columns[node];
    if (!reserve_integers(r, c) || !reserve_cells(r, c)) {
        end_run(r, RUN_MEMORY);
        return;
    }
    for (uint32_t k = 0; k < r->width; k++)
        c->cells[k] = (struct graph_cell){values[k], EXPR_FAULT_NONE};
    c->form = COLUMN_CELLS;
    simplify(r, c);
}

void graph_run_enter(struct graph_run *r, uint32_t stage, const struct value *values,
                     uint32_t width)
{
    r->stage = stage;
    r->width = width;
    r->fresh = true;
    for (uint32_t i = 0; i < r->stage_counts[stage]; i++) {
        uint32_t node = r->of_stage[stage][i];
        if (values && r->graph->nodes[node].kind == GRAPH_SLOT)
            set_slot_column(r, node, values);
    }
}

// Evaluates the nodes that depend on no slot.
static bool run_constants(struct graph_run *r)
{
    const struct graph *g = r->graph;
    graph_run_enter(r, 0, NULL, 1);
    for (uint32_t i = 0; i < r->stage_counts[0] && r->end == RUN_ON; i++) {
        uint32_t node = r->of_stage[0][i];
        if (g->nodes[node].kind == GRAPH_CONSTANT) {
            set_slot_column(r, node, &g->nodes[node].value);
        } else {
            evaluate(r, node);
        }
        if (r->end == RUN_ON)
            r->known[node] = graph_run_cell(r, node, 0);
    }
    r->kept = r->scratch;
    arena_init(&r->scratch);
    return r->end == RUN_ON;
}

static bool sort_by_stage(struct graph_run *r)
{
    const struct graph *g = r->graph;
    r->of_stage = calloc((size_t)g->stages + 1, sizeof *r->of_stage);
    r->stage_counts = calloc((size_t)g->stages + 1, sizeof *r->stage_counts);
    if (!r->of_stage || !r->stage_counts)
        return false;
    for (uint32_t i = 0; i < g->count; i++)
        r->stage_counts[g->nodes[i].stage]++;
    for (uint32_t s = 0; s <= g->stages; s++) {
        r->of_stage[s] = malloc(((size_t)r->stage_counts[s] + 1) * sizeof **r->of_stage);
        if (!r->of_stage[s])
            return false;
        r->stage_counts[s] = 0;
    }
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t stage = g->nodes[i].stage;
        r->of_stage[stage][r->stage_counts[stage]++] = i;
    }
    return true;
}

bool graph_run_init(struct graph_run *r, const struct graph *g, uint32_t width_most,
                    uint64_t *steps)
{
    *r = (struct graph_run){
        .graph = g, .width_most = width_most > 0 ? width_most : 1, .steps = steps};
    arena_init(&r->scratch);
    r->known = calloc((size_t)g->count + 1, sizeof *r->known);
    r->columns = calloc((size_t)g->count + 1, sizeof *r->columns);
    r->slots = calloc((size_t)g->slot_count + 1, sizeof *r->slots);
    if (!r->known || !r->columns || !r->slots || !sort_by_stage(r))
        end_run(r, RUN_MEMORY);
    return r->end == RUN_ON && run_constants(r);
}

void graph_run_release(struct graph_run *r)
{
    for (uint32_t i = 0; r->columns && i < r->graph->count; i++) {
        free(r->columns[i].integers);
        free(r->columns[i].cells);
    }
    for (uint32_t s = 0; r->of_stage && s <= r->graph->stages; s++)
        free(r->of_stage[s]);
    free(r->known);
    free(r->columns);
    free(r->slots);
    free(r->of_stage);
    free(r->stage_counts);
    arena_release(&r->scratch);
    arena_release(&r->inner);
    arena_release(&r->kept);
}
