// A restriction's automaton, made stage by stage without the table of all assignments.
//
// A stage is the choice of one parameter's value. After a stage, all that matters of the choices so
// far are the values of the *parts* of the expression (nodes of its graph) that are known by now
// and are used by what is not. The tuple of these values is a word; assignments with equal words
// are the same state. `a*b*c <= 4096` with 20 values each has 8,000 assignments, and after two
// stages as many states as there are different products a*b.
//
// Forwards: from every state before a stage, the parts that become known are computed for all
// values of its parameter at once (graph_run.c), each value gives a word, each new word a state.
// Ranges (graph_range.c) decide what can no longer change: a word from which only "true" can follow
// is not a state but an outcome.
//
// Backwards: rows of transitions that are equal make their states one (fold_stage()), as in the
// minimisation of an automaton, from the last stage to the first.
//
// The last stage needs no states after it: for each state before it a row says which values hold.
//
// How many assignments lead to each state is counted on the way, so that faults are counted as if
// each assignment had been evaluated. The second half, `lazy`, evaluates the same stages along a
// search instead of beforehand.
#include "space/automaton.h"

#include "base/array.h"
#include "expr/graph.h"

#include <stdlib.h>
#include <string.h>

// Transitions of all stages together while it is made, and when it is done.
#define CELLS_MOST (UINT64_C(1) << 25)
// Costs in steps (see solve.c): of evaluating a part for a value, in a loop over integers, value by
// value or as a whole tree; of finding a state; and, for each node, of finding out whether a new
// state is decided.
#define PART_COST    2
#define CELL_COST    24
#define OPAQUE_COST  256
#define LOOK_UP_COST 64
#define DECIDE_COST  12
// And to go from stage to stage along a search.
#define STEP_COST 64

// The outcome of a value: the restriction is decided, or the number of a state follows.
enum { OUTCOME_FALSE, OUTCOME_TRUE, OUTCOME_FAULT, OUTCOME_FIRST };

// A word of a state has three numbers a part: what it is, then its value or its place in a list.
enum { PART_NUMBERS = 3 };
enum { PART_FAULT, PART_PLACE, PART_VALUE };

struct stage {
    uint32_t width; // values of its parameter
    const struct value *values;
    uint32_t *parts; // nodes whose values make the states after it
    uint32_t part_count;
    struct intern states; // after it
    uint32_t state_count; // kept when they are released
    uint64_t *paths;      // one a state: assignments that lead there; UINT64_MAX: that or more
    uint32_t *outcomes;   // of the states before it, `width` each; not of the last stage
    size_t outcome_count, outcome_capacity;
};

struct staged {
    struct automaton *automaton; // that is being made
    const uint32_t *parameters;
    const struct restriction *restriction;
    const struct domain *domains;
    const struct spec *spec;
    struct arena arena; // goes with it
    struct arena *result;
    struct graph graph;
    struct graph_run run;
    struct stage *stages; // [0]: before the first
    uint32_t count;
    struct graph_range *ranges; // scratch, one a node
    uint32_t *word;             // scratch
    uint64_t *effort, *faults;
    uint32_t words_most;
    size_t bytes_most;
    uint64_t cells;     // transitions kept so far
    struct intern rows; // of the last stage: see encode()
    uint32_t *last;     // states before the last stage -> STATE_
    enum staging outcome;
};

static bool stop_staging(struct staged *s, enum staging outcome)
{
    if (s->outcome == STAGING_DONE)
        s->outcome = outcome;
    return false;
}

// If the run cannot go on, neither can this.
static bool stop_as_run(struct staged *s)
{
    static const enum staging outcomes[] = {[RUN_ON] = STAGING_MEMORY, // before it began
                                            [RUN_EFFORT] = STAGING_EFFORT,
                                            [RUN_LARGE] = STAGING_LARGE,
                                            [RUN_MEMORY] = STAGING_MEMORY};
    return stop_staging(s, outcomes[s->run.end]);
}

static bool step_graph(struct staged *s)
{
    return graph_run_step(&s->run) || stop_as_run(s);
}

// ---- the question ------------------------------------------------------------------------------

static bool set_stage_values(struct staged *s, uint32_t stage)
{
    uint32_t parameter = s->parameters[stage - 1];
    const struct domain *d = &s->domains[parameter];
    struct value *values = arena_array(&s->arena, d->count, sizeof *values);
    if (!values)
        return stop_staging(s, STAGING_MEMORY);
    for (uint32_t i = 0; i < d->count; i++)
        values[i] = s->spec->parameters[parameter].values[d->values[i]];
    s->stages[stage].values = values;
    s->stages[stage].width = d->count;
    return true;
}

static bool make_graph(struct staged *s, const struct evaluator *v)
{
    const struct restriction *r = s->restriction;
    uint32_t *needed = arena_array(&s->arena, (size_t)r->derived_count + 1, sizeof *needed);
    // Each parameter becomes known at its stage, a derived one with what defines it, and everything
    // else is known from the start.
    const struct spec *spec = s->spec;
    struct graph_slot *slots = arena_array(&s->arena, spec->slots.count, sizeof *slots);
    for (uint32_t i = 0; slots && i < spec->slots.count; i++)
        slots[i] = (struct graph_slot){.values = &v->slots[i], .count = 1};
    for (uint32_t i = 0; slots && i < spec->derived_count; i++)
        slots[spec->slots.derived + i].definition = spec->derived[i].expr;
    for (uint32_t i = 1; slots && i <= s->count; i++) {
        uint32_t slot = spec->slots.parameters + s->parameters[i - 1];
        slots[slot] = (struct graph_slot){
            .stage = i, .values = s->stages[i].values, .count = s->stages[i].width};
    }
    if (!needed || !slots)
        return stop_staging(s, STAGING_MEMORY);
    for (uint32_t i = 0; i < r->derived_count; i++)
        needed[i] = s->spec->slots.derived + r->derived[i];
    bool formula = r->kind == RESTRICTION_FORMULA;
    struct graph_question q = {.slots = slots,
                               .slot_count = s->spec->slots.count,
                               .stages = s->count,
                               .condition = formula ? r->formula->expr : NULL,
                               .needed = needed,
                               .needed_count = r->derived_count,
                               .reports = !formula};
    enum graph_outcome outcome = graph_build(&s->graph, &s->arena, &q);
    if (outcome != GRAPH_DONE)
        return stop_staging(s, outcome == GRAPH_MEMORY ? STAGING_MEMORY : STAGING_LARGE);
    return true;
}

// The parts that matter after each stage: known by then, and used by a node that is not. The tuple
// of their values is the word of a state.
static bool find_state_parts(struct staged *s)
{
    const struct graph *g = &s->graph;
    uint32_t *used_until = arena_array(&s->arena, (size_t)g->count + 1, sizeof *used_until);
    if (!used_until)
        return stop_staging(s, STAGING_MEMORY);
    used_until[g->root] = s->count + 1;
    for (uint32_t i = 0; i < g->count; i++) {
        for (uint32_t k = 0; k < g->nodes[i].count; k++) {
            uint32_t *until = &used_until[graph_items(g, i)[k]];
            *until = g->nodes[i].stage > *until ? g->nodes[i].stage : *until;
        }
    }
    for (uint32_t stage = 0; stage <= s->count; stage++) {
        struct stage *at = &s->stages[stage];
        at->parts = arena_array(&s->arena, (size_t)g->count + 1, sizeof *at->parts);
        if (!at->parts)
            return stop_staging(s, STAGING_MEMORY);
        for (uint32_t i = 0; i < g->count; i++) {
            uint32_t own = g->nodes[i].stage;
            if (own > 0 && own <= stage && used_until[i] > stage)
                at->parts[at->part_count++] = i;
        }
    }
    return true;
}

// ---- states ------------------------------------------------------------------------------------

// Packs a value as numbers; false if a state cannot hold it.
static bool pack(const struct staged *s, uint32_t node, const struct graph_cell *cell, uint32_t at,
                 uint32_t *numbers)
{
    bool slot = s->graph.nodes[node].kind == GRAPH_SLOT;
    enum value_kind kind = cell->value.kind;
    if (cell->fault || slot) {
        numbers[0] = cell->fault ? PART_FAULT : PART_PLACE;
        numbers[1] = cell->fault ? 0 : at;
        numbers[2] = 0;
        return true;
    }
    numbers[0] = PART_VALUE + (uint32_t)kind;
    numbers[1] = numbers[2] = 0;
    if (kind != VALUE_NONE)
        memcpy(&numbers[1], &cell->value.i, sizeof cell->value.i);
    return kind != VALUE_STRING && kind != VALUE_LIST;
}

// The known values of a state.
static void load_state(struct staged *s, uint32_t stage, const uint32_t *word)
{
    const struct stage *at = &s->stages[stage];
    for (uint32_t i = 0; i < at->part_count; i++) {
        uint32_t node = at->parts[i];
        const uint32_t *numbers = word + (size_t)PART_NUMBERS * i;
        struct graph_cell *cell = &s->run.known[node];
        *cell = (struct graph_cell){.fault = EXPR_FAULT_NONE};
        if (numbers[0] == PART_FAULT) {
            cell->fault = EXPR_FAULT_TYPE; // whichever: it is counted, not told
        } else if (numbers[0] == PART_PLACE) {
            cell->value = s->stages[s->graph.nodes[node].stage].values[numbers[1]];
        } else {
            cell->value.kind = (enum value_kind)(numbers[0] - PART_VALUE);
            memcpy(&cell->value.i, &numbers[1], sizeof cell->value.i);
        }
    }
}

// The word after a stage at one value of its parameter: what was known before, and what is now.
static bool compose(struct staged *s, uint32_t stage, const uint32_t *before, uint32_t value)
{
    const struct stage *at = &s->stages[stage], *last = &s->stages[stage - 1];
    uint32_t old = 0;
    for (uint32_t i = 0; i < at->part_count; i++) {
        uint32_t node = at->parts[i], *numbers = s->word + (size_t)PART_NUMBERS * i;
        if (s->graph.nodes[node].stage == stage) {
            struct graph_cell cell = graph_run_cell(&s->run, node, value);
            if (!pack(s, node, &cell, value, numbers))
                return stop_staging(s, STAGING_LARGE);
            continue;
        }
        while (last->parts[old] != node)
            old++;
        memcpy(numbers, before + (size_t)PART_NUMBERS * old, PART_NUMBERS * sizeof *numbers);
    }
    return true;
}

// ---- what is decided already -------------------------------------------------------------------

static struct graph_range range_of_cell(const struct graph_cell *cell)
{
    return cell->fault ? graph_fault_range : graph_range_of_value(&cell->value);
}

// Finds the possible outcomes of the restriction in the state loaded: ranges are propagated from
// the known parts through the nodes of later stages to the root. A single outcome decides it.
static uint32_t decide_state(struct staged *s, uint32_t stage)
{
    const struct graph *g = &s->graph;
    const struct stage *at = &s->stages[stage];
    for (uint32_t i = 0; i < at->part_count; i++)
        s->ranges[at->parts[i]] = range_of_cell(&s->run.known[at->parts[i]]);
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->nodes[i].stage > stage)
            s->ranges[i] = g->nodes[i].count > 0 ? graph_range_of(g, i, s->ranges) : g->ranges[i];
    }
    const struct graph_range *root = &s->ranges[g->root];
    if (root->yes + root->no + root->fault != 1)
        return OUTCOME_FIRST;
    return root->yes ? OUTCOME_TRUE : root->no ? OUTCOME_FALSE : OUTCOME_FAULT;
}

// ---- forwards ----------------------------------------------------------------------------------

// The words seen in a stage, and the outcome of each.
struct seen {
    struct intern words;
    uint32_t *outcomes;
    size_t capacity;
};

// Turns the composed word into an outcome: what it decides, or the number of its state.
static bool settle_state(struct staged *s, uint32_t stage, uint32_t *outcome)
{
    struct stage *at = &s->stages[stage];
    load_state(s, stage, s->word);
    *outcome = decide_state(s, stage);
    if (*outcome != OUTCOME_FIRST)
        return true;
    uint32_t state = intern_add(&at->states, s->word, at->part_count * PART_NUMBERS);
    if (state == INTERN_NONE)
        return stop_staging(s, STAGING_MEMORY);
    *outcome = OUTCOME_FIRST + state;
    return true;
}

// Memory taken so far; what is released is not counted.
static size_t staged_bytes(const struct staged *s, const struct seen *seen, uint32_t stage)
{
    size_t bytes = s->result->bytes + s->arena.bytes + s->cells * sizeof(uint32_t) +
                   intern_bytes(&s->rows) + intern_bytes(&s->stages[stage].states) +
                   intern_bytes(&s->stages[stage - 1].states);
    return bytes + intern_bytes(&seen->words) + seen->capacity * sizeof *seen->outcomes;
}

static bool spend_staging(struct staged *s, uint64_t steps)
{
    if (*s->effort < steps)
        return stop_staging(s, STAGING_EFFORT);
    *s->effort -= steps;
    return true;
}

// The outcome of the composed word: found among the words seen in this stage, else decided once and
// kept.
static bool look_up_word(struct staged *s, struct seen *seen, uint32_t stage, uint32_t *outcome)
{
    uint32_t length = s->stages[stage].part_count * PART_NUMBERS, before = seen->words.count;
    uint32_t word = intern_add(&seen->words, s->word, length);
    if (word == INTERN_NONE)
        return stop_staging(s, STAGING_MEMORY);
    if (word == before) {
        if (word >= s->words_most || staged_bytes(s, seen, stage) > s->bytes_most)
            return stop_staging(s, STAGING_LARGE);
        if (!spend_staging(s, (uint64_t)DECIDE_COST * s->graph.count))
            return false;
        if (!ARRAY_ROOM(seen->outcomes, seen->capacity, (size_t)word + 1))
            return stop_staging(s, STAGING_MEMORY);
        if (!settle_state(s, stage, &seen->outcomes[word]))
            return false;
    }
    *outcome = seen->outcomes[word];
    return true;
}

static uint64_t part_cost(const struct graph_node *n)
{
    bool by_value = n->kind == GRAPH_UNARY || n->kind == GRAPH_CALL ||
                    (n->kind == GRAPH_BINARY && (n->op == OPERATOR_DIV || n->op == OPERATOR_POW));
    return n->kind == GRAPH_OPAQUE ? OPAQUE_COST : by_value ? CELL_COST : PART_COST;
}

// The cost of a stage for each value, the look-up of the state after it included.
static uint64_t cost_of_stage(const struct staged *s, uint32_t stage)
{
    uint64_t cost = stage < s->count ? LOOK_UP_COST : 1;
    for (uint32_t i = 0; i < s->graph.count; i++) {
        const struct graph_node *n = &s->graph.nodes[i];
        if (n->stage == stage)
            cost += part_cost(n);
    }
    return cost;
}

static uint64_t multiply_paths(uint64_t a, uint64_t b)
{
    return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

static void add_to(uint64_t *sum, uint64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        *sum = UINT64_MAX;
}

// Assignments of the parameters behind a stage.
static uint64_t rest_of(const struct staged *s, uint32_t stage)
{
    uint64_t rest = 1;
    for (uint32_t i = stage + 1; i <= s->count; i++)
        rest = multiply_paths(rest, s->stages[i].width);
    return rest;
}

// Room for the outcomes of a state at every value of the stage; NULL if there is none.
static uint32_t *add_outcome_row(struct staged *s, struct stage *at)
{
    if (!ARRAY_ROOM(at->outcomes, at->outcome_capacity, at->outcome_count + at->width)) {
        stop_staging(s, STAGING_MEMORY);
        return NULL;
    }
    uint32_t *outcomes = &at->outcomes[at->outcome_count];
    at->outcome_count += at->width;
    s->cells += at->width;
    if (s->cells > CELLS_MOST)
        stop_staging(s, STAGING_LARGE);
    return s->outcome == STAGING_DONE ? outcomes : NULL;
}

// Computes what a state leads to at every value of the stage.
static bool advance_state(struct staged *s, struct seen *seen, uint32_t stage, uint32_t state)
{
    struct stage *at = &s->stages[stage];
    const struct stage *before = &s->stages[stage - 1];
    uint32_t *outcomes = add_outcome_row(s, at);
    if (!outcomes)
        return false;
    load_state(s, stage - 1, intern_at(&before->states, state, NULL));
    if (!step_graph(s))
        return false;
    for (uint32_t v = 0; v < at->width; v++) {
        if (!compose(s, stage, intern_at(&before->states, state, NULL), v) ||
            !look_up_word(s, seen, stage, &outcomes[v]))
            return false;
    }
    return true;
}

// How many assignments lead to each state, and how many to a fault.
static bool count_paths(struct staged *s, uint32_t stage)
{
    struct stage *at = &s->stages[stage];
    const struct stage *before = &s->stages[stage - 1];
    uint64_t rest = rest_of(s, stage);
    at->paths = arena_array(&s->arena, (size_t)at->states.count + 1, sizeof *at->paths);
    if (!at->paths)
        return stop_staging(s, STAGING_MEMORY);
    for (size_t i = 0; i < at->outcome_count; i++) {
        uint32_t outcome = at->outcomes[i];
        uint64_t paths = before->paths[i / at->width];
        if (outcome >= OUTCOME_FIRST)
            add_to(&at->paths[outcome - OUTCOME_FIRST], paths);
        else if (outcome == OUTCOME_FAULT)
            add_to(s->faults, multiply_paths(paths, rest));
    }
    return true;
}

// ---- the last stage ----------------------------------------------------------------------------

// Its states only differ in which values hold. A row is encoded as the runs of those that do, or as
// one bit a value, whichever is shorter; the first number says which.
enum { ROW_RUNS, ROW_BITS };

struct row {
    const uint8_t *holds;
    uint32_t width;
    uint32_t *numbers; // room for either
};

static uint32_t encode_bits(const struct row *r)
{
    uint32_t words = r->width / 32 + 1;
    memset(r->numbers, 0, ((size_t)words + 1) * sizeof *r->numbers);
    r->numbers[0] = ROW_BITS;
    for (uint32_t v = 0; v < r->width; v++)
        r->numbers[1 + v / 32] |= (uint32_t)(r->holds[v] != 0) << v % 32;
    return words + 1;
}

static uint32_t encode(const struct row *r)
{
    uint32_t length = 1, most = r->width / 32 + 2;
    r->numbers[0] = ROW_RUNS;
    for (uint32_t v = 0; v < r->width;) {
        const uint8_t *next = memchr(r->holds + v, 1, r->width - v);
        if (!next)
            break;
        if (length + 2 > most)
            return encode_bits(r);
        const uint8_t *end = memchr(next, 0, (size_t)(r->holds + r->width - next));
        r->numbers[length++] = (uint32_t)(next - r->holds);
        v = end ? (uint32_t)(end - r->holds) : r->width;
        r->numbers[length++] = v;
    }
    return length;
}

// Which values hold in the state loaded; faults are counted.
static uint64_t judge_values(struct staged *s, uint32_t width, uint8_t *holds)
{
    const struct graph_column *c = &s->run.columns[s->graph.root];
    uint64_t faults = 0;
    if (s->graph.nodes[s->graph.root].stage == s->count && c->form != COLUMN_CELLS) {
        for (uint32_t v = 0; v < width; v++)
            holds[v] = c->integers[v] != 0;
        return 0;
    }
    for (uint32_t v = 0; v < width; v++) {
        struct graph_cell cell = graph_run_cell(&s->run, s->graph.root, v);
        holds[v] = !cell.fault && value_truth(&cell.value);
        faults += cell.fault != EXPR_FAULT_NONE;
    }
    return faults;
}

static bool enter_row(struct staged *s, const struct row *r, uint32_t *state)
{
    uint32_t length = encode(r);
    bool all = !memchr(r->holds, 0, r->width);
    *state = all ? STATE_HOLDS : STATE_DEAD;
    if (all || (length == 1 && r->numbers[0] == ROW_RUNS))
        return true;
    uint32_t word = intern_add(&s->rows, r->numbers, length);
    *state = STATE_FIRST + word;
    if (s->result->bytes + s->arena.bytes + s->cells * sizeof *state + intern_bytes(&s->rows) >
        s->bytes_most)
        return stop_staging(s, STAGING_LARGE);
    return word != INTERN_NONE || stop_staging(s, STAGING_MEMORY);
}

// ---- stage by stage ----------------------------------------------------------------------------

// The states after a stage from those before it.
static bool advance_stage(struct staged *s, uint32_t stage)
{
    struct stage *at = &s->stages[stage];
    uint32_t states = s->stages[stage - 1].states.count;
    uint64_t cost = cost_of_stage(s, stage) * at->width;
    struct seen seen = {.words = INTERN_INIT};
    graph_run_enter(&s->run, stage, at->values, at->width);
    bool ok = spend_staging(s, multiply_paths(cost, states));
    for (uint32_t state = 0; ok && state < states; state++)
        ok = advance_state(s, &seen, stage, state);
    intern_release(&seen.words);
    free(seen.outcomes);
    ok = ok && count_paths(s, stage);
    s->stages[stage - 1].state_count = states;
    intern_release(&s->stages[stage - 1].states);
    return ok;
}

// Judges the last stage: for every state before it the row of values that hold.
static bool finish_forwards(struct staged *s)
{
    uint32_t width = s->stages[s->count].width;
    uint8_t *holds = arena_array(&s->arena, (size_t)width + 1, 1);
    uint32_t *numbers = arena_array(&s->arena, (size_t)width / 32 + 4, sizeof *numbers);
    s->last =
        arena_array(&s->arena, (size_t)s->stages[s->count - 1].states.count + 1, sizeof *s->last);
    if (!holds || !numbers || !s->last)
        return stop_staging(s, STAGING_MEMORY);
    const struct row r = {holds, width, numbers};
    const struct stage *before = &s->stages[s->count - 1];
    uint64_t cost = cost_of_stage(s, s->count) * width + (uint64_t)DECIDE_COST * s->graph.count;
    graph_run_enter(&s->run, s->count, s->stages[s->count].values, width);
    if (!spend_staging(s, multiply_paths(cost, before->states.count)))
        return false;
    for (uint32_t state = 0; state < before->states.count; state++) {
        load_state(s, s->count - 1, intern_at(&before->states, state, NULL));
        if (!step_graph(s))
            return false;
        add_to(s->faults, multiply_paths(before->paths[state], judge_values(s, width, holds)));
        if (!enter_row(s, &r, &s->last[state]))
            return false;
    }
    return true;
}

// ---- backwards ---------------------------------------------------------------------------------

// Writes the values of an encoded row, or only counts them.
static uint32_t decode_row(const uint32_t *numbers, uint32_t length, struct transition *out)
{
    uint32_t count = 0;
    for (uint32_t i = 1; numbers[0] == ROW_RUNS && i < length; i += 2) {
        for (uint32_t v = numbers[i]; out && v < numbers[i + 1]; v++)
            out[count + v - numbers[i]] = (struct transition){v, STATE_HOLDS};
        count += numbers[i + 1] - numbers[i];
    }
    for (uint32_t i = 1; numbers[0] == ROW_BITS && i < length; i++) {
        for (uint32_t left = numbers[i]; left != 0; left &= left - 1, count++) {
            uint32_t v = (i - 1) * 32 + (uint32_t)__builtin_ctz(left);
            if (out)
                out[count] = (struct transition){v, STATE_HOLDS};
        }
    }
    return count;
}

static bool decode_rows(struct staged *s, struct transitions *t)
{
    uint64_t total = 0;
    uint32_t length;
    for (uint32_t i = 0; i < s->rows.count; i++) {
        const uint32_t *numbers = intern_at(&s->rows, i, &length);
        total += decode_row(numbers, length, NULL);
    }
    if (total > CELLS_MOST / 2)
        return stop_staging(s, STAGING_LARGE);
    uint32_t *starts = arena_array(s->result, (size_t)s->rows.count + 1, sizeof *starts), at = 0;
    struct transition *items = arena_array(s->result, (size_t)total + 1, sizeof *items);
    if (!starts || !items)
        return stop_staging(s, STAGING_MEMORY);
    for (uint32_t i = 0; i < s->rows.count; i++) {
        const uint32_t *numbers = intern_at(&s->rows, i, &length);
        starts[i] = at;
        at += decode_row(numbers, length, items + at);
    }
    starts[s->rows.count] = at;
    *t = (struct transitions){starts, items, s->rows.count};
    return true;
}

// Replaces the outcomes of a stage by states; each row by the state before it, in `states`.
static bool fold_stage(struct staged *s, uint32_t stage, const uint32_t *after, uint32_t *states,
                       struct transitions *t)
{
    struct stage *at = &s->stages[stage];
    struct intern rows = INTERN_INIT;
    bool ok = true;
    for (size_t first = 0; ok && first < at->outcome_count; first += at->width) {
        uint32_t *row = at->outcomes + first, same = 1, *state = &states[first / at->width];
        for (uint32_t v = 0; v < at->width; v++) {
            bool open = row[v] >= OUTCOME_FIRST;
            row[v] = open                     ? after[row[v] - OUTCOME_FIRST]
                     : row[v] == OUTCOME_TRUE ? STATE_HOLDS
                                              : STATE_DEAD;
        }
        while (same < at->width && row[same] == row[0])
            same++;
        *state = row[0];
        if (same == at->width && row[0] < STATE_FIRST)
            continue;
        uint32_t word = intern_add(&rows, row, at->width);
        ok = word != INTERN_NONE;
        *state = STATE_FIRST + word;
        if (s->result->bytes + 3 * rows.number_count * sizeof *row > s->bytes_most)
            ok = stop_staging(s, STAGING_LARGE);
    }
    ok = ok && transitions_of_rows(t, s->result, &rows, at->width);
    intern_release(&rows);
    return ok || stop_staging(s, STAGING_MEMORY); // unless it was stopped already
}

// Backwards through the stages: the outcomes of each become transitions between the automaton's
// states, equal rows one state.
static bool go_back(struct staged *s)
{
    struct transitions *next = arena_array(s->result, (size_t)s->count + 1, sizeof *next);
    uint32_t *after = s->last;
    s->automaton->next = next;
    if (!next)
        return stop_staging(s, STAGING_MEMORY);
    if (!decode_rows(s, &next[s->count - 1]))
        return false;
    for (uint32_t stage = s->count - 1; stage > 0; stage--) {
        const struct stage *from = &s->stages[stage - 1];
        size_t states = from->state_count + (size_t)from->states.count; // one of them is 0
        uint32_t *before = arena_array(&s->arena, states + 1, sizeof *before);
        if (!before)
            return stop_staging(s, STAGING_MEMORY);
        if (!fold_stage(s, stage, after, before, &next[stage - 1]))
            return false;
        after = before;
    }
    s->automaton->start = after[0];
    return true;
}

// ---- all of it ---------------------------------------------------------------------------------

static bool prepare_stages(struct staged *s, const struct evaluator *v)
{
    uint32_t widest = 1;
    s->stages = arena_array(&s->arena, (size_t)s->count + 1, sizeof *s->stages);
    if (!s->stages)
        return stop_staging(s, STAGING_MEMORY);
    for (uint32_t i = 1; i <= s->count; i++) {
        if (!set_stage_values(s, i))
            return false;
        widest = s->stages[i].width > widest ? s->stages[i].width : widest;
    }
    if (!make_graph(s, v) || !find_state_parts(s))
        return false;
    size_t nodes = (size_t)s->graph.count + 1;
    s->ranges = arena_array(&s->arena, nodes, sizeof *s->ranges);
    s->word = arena_array(&s->arena, nodes * PART_NUMBERS, sizeof *s->word);
    s->stages[0].paths = arena_array(&s->arena, 1, sizeof *s->stages[0].paths);
    if (!s->ranges || !s->word || !s->stages[0].paths)
        return stop_staging(s, STAGING_MEMORY);
    if (!graph_run_init(&s->run, &s->graph, widest, s->effort))
        return stop_as_run(s);
    s->stages[0].paths[0] = 1;
    for (uint32_t i = 0; i < s->graph.count; i++) {
        if (s->graph.nodes[i].stage == 0)
            s->ranges[i] = range_of_cell(&s->run.known[i]);
    }
    return true;
}

static bool make_automaton(struct staged *s, const struct evaluator *v)
{
    uint32_t outcome;
    // Constants alone may decide it.
    if (!prepare_stages(s, v) || !settle_state(s, 0, &outcome))
        return false;
    bool done = outcome < OUTCOME_FIRST;
    s->automaton->start = outcome == OUTCOME_TRUE ? STATE_HOLDS : STATE_DEAD;
    if (outcome == OUTCOME_FAULT)
        add_to(s->faults, rest_of(s, 0));
    for (uint32_t stage = 1; !done && stage < s->count; stage++) {
        if (!advance_stage(s, stage))
            return false;
    }
    return done || (finish_forwards(s) && go_back(s));
}

static void release_staged(struct staged *s)
{
    for (uint32_t i = 0; s->stages && i <= s->count; i++) {
        intern_release(&s->stages[i].states);
        free(s->stages[i].outcomes);
    }
    intern_release(&s->rows);
    if (s->run.graph)
        graph_run_release(&s->run);
    arena_release(&s->arena);
}

static void start_staged(struct staged *s, const struct automaton *a, const struct restriction *r,
                         const struct domain *domains, const struct evaluator *v)
{
    *s = (struct staged){.restriction = r, .domains = domains, .spec = v->problem->spec};
    s->parameters = a->parameters;
    s->count = a->length;
    arena_init(&s->arena);
}

enum staging automaton_stage(struct automaton *a, struct arena *arena, const struct restriction *r,
                             const struct domain *domains, struct evaluator *v,
                             const struct stage_limits *limits, uint64_t *faults)
{
    uint64_t found = 0;
    struct staged s;
    start_staged(&s, a, r, domains, v);
    s.automaton = a;
    s.result = arena;
    s.effort = limits->effort;
    s.words_most = limits->words;
    s.bytes_most = limits->bytes;
    s.faults = &found;
    if (make_automaton(&s, v))
        add_to(faults, found);
    else
        a->next = NULL;
    release_staged(&s);
    return s.outcome;
}

// ---- along a search ----------------------------------------------------------------------------

struct lazy {
    struct staged staged;
    uint32_t *outcomes; // one a stage, [0] being before the first: what was decided by then
    uint8_t *holds;     // of the last stage
    uint64_t *costs;    // one a stage, from 0
};

// Texts and lists do not outlive the step that made them, so that none may be known by a later one.
static bool parts_last(const struct staged *s)
{
    for (uint32_t stage = 1; stage < s->count; stage++) {
        for (uint32_t i = 0; i < s->stages[stage].part_count; i++) {
            uint32_t node = s->stages[stage].parts[i];
            if (s->graph.nodes[node].kind != GRAPH_SLOT && s->graph.ranges[node].kind == RANGE_ANY)
                return false;
        }
    }
    return true;
}

static bool set_lazy(struct lazy *z)
{
    struct staged *s = &z->staged;
    z->outcomes = arena_array(&s->arena, (size_t)s->count + 1, sizeof *z->outcomes);
    z->holds = arena_array(&s->arena, (size_t)s->stages[s->count].width + 1, 1);
    z->costs = arena_array(&s->arena, (size_t)s->count + 1, sizeof *z->costs);
    if (!z->outcomes || !z->holds || !z->costs)
        return false;
    z->outcomes[0] = OUTCOME_FIRST;
    for (uint32_t i = 0; i < s->count; i++) {
        // Parts are evaluated for all values in one loop each, so that one of integers costs next
        // to nothing; what is still to come is asked what it may be.
        uint32_t stage = i + 1;
        uint64_t parts = 1, later = 0, values = stage == s->count ? s->stages[stage].width : 1;
        for (uint32_t k = 0; k < s->graph.count; k++) {
            const struct graph_node *n = &s->graph.nodes[k];
            later += n->stage > stage;
            if (n->stage == stage)
                parts += part_cost(n) * values / 2 + CELL_COST;
        }
        z->costs[i] = STEP_COST + 2 * DECIDE_COST * later + parts;
    }
    return true;
}

uint64_t lazy_cost(const struct lazy *z, uint32_t stage)
{
    return z->costs[stage];
}

bool lazy_new(struct arena *arena, const struct automaton *a, const struct restriction *r,
              const struct domain *domains, const struct evaluator *v, struct lazy **out)
{
    struct lazy *z = arena_alloc(arena, sizeof *z);
    *out = NULL;
    if (!z)
        return false;
    memset(z, 0, sizeof *z);
    struct staged *s = &z->staged;
    start_staged(s, a, r, domains, v);
    s->effort = v->steps;
    bool made = prepare_stages(s, v) && set_lazy(z);
    bool large = s->outcome == STAGING_LARGE || (made && !parts_last(s));
    bool memory = !made && (s->outcome == STAGING_MEMORY || s->outcome == STAGING_DONE);
    if (made && !large)
        *out = z;
    else
        release_staged(s);
    return !memory;
}

void lazy_release(struct lazy *z)
{
    if (z)
        release_staged(&z->staged);
}

bool lazy_try(struct lazy *z, uint32_t stage, uint32_t value, uint64_t *faults)
{
    struct staged *s = &z->staged;
    uint32_t after = stage + 1, *outcome = &z->outcomes[after];
    *outcome = z->outcomes[stage];
    if (*outcome != OUTCOME_FIRST)
        return true;
    graph_run_enter(&s->run, after, &s->stages[after].values[value], 1);
    if (!step_graph(s))
        return false;
    for (uint32_t i = 0; i < s->run.stage_counts[after]; i++) {
        uint32_t node = s->run.of_stage[after][i];
        s->run.known[node] = graph_run_cell(&s->run, node, 0);
    }
    *outcome = decide_state(s, after);
    if (*outcome == OUTCOME_FAULT)
        add_to(faults, rest_of(s, after));
    return *outcome == OUTCOME_FIRST || *outcome == OUTCOME_TRUE;
}

const uint8_t *lazy_judge(struct lazy *z, uint64_t *faults)
{
    struct staged *s = &z->staged;
    const struct stage *last = &s->stages[s->count];
    memset(z->holds, 1, last->width);
    if (z->outcomes[s->count - 1] == OUTCOME_TRUE)
        return z->holds;
    graph_run_enter(&s->run, s->count, last->values, last->width);
    if (step_graph(s))
        add_to(faults, judge_values(s, last->width, z->holds));
    return z->holds;
}

enum staging lazy_outcome(const struct lazy *z)
{
    return z->staged.outcome;
}
