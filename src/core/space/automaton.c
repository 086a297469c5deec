// Automata of restrictions that are small enough to write down: a table of all assignments is
// filled and folded from the last parameter forwards, equal rows becoming one state (the minimal
// automaton, as a decision diagram is reduced). The rows of --config are an automaton too, its
// states the sets of rows that are still possible.
#include "space/automaton.h"

#include <stdlib.h>
#include <string.h>

uint64_t automaton_cells(const struct automaton *a, const struct domain *domains)
{
    uint64_t cells = 1;
    for (uint32_t i = 0; i < a->length; i++) {
        if (__builtin_mul_overflow(cells, domains[a->parameters[i]].count, &cells))
            return UINT64_MAX;
    }
    return cells;
}

bool transitions_of_rows(struct transitions *t, struct arena *arena, const struct intern *rows,
                         uint32_t width)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->number_count; i++)
        count += rows->numbers[i] != STATE_DEAD;
    uint32_t *starts = arena_array(arena, (size_t)rows->count + 1, sizeof *starts);
    struct transition *items = arena_array(arena, count + 1, sizeof *items);
    if (!starts || !items)
        return false;
    count = 0;
    for (uint32_t row = 0; row < rows->count; row++) {
        const uint32_t *states = intern_at(rows, row, NULL);
        starts[row] = (uint32_t)count;
        for (uint32_t v = 0; v < width; v++) {
            if (states[v] != STATE_DEAD)
                items[count++] = (struct transition){v, states[v]};
        }
    }
    starts[rows->count] = (uint32_t)count;
    *t = (struct transitions){starts, items, rows->count};
    return true;
}

// ---- from a formula ----------------------------------------------------------------------------

// The next assignment, the last parameter first; slots follow.
static void advance_row(const struct automaton *a, const struct domain *domains, uint32_t *digits,
                        struct evaluator *v)
{
    for (uint32_t i = a->length; i-- > 0;) {
        const struct domain *d = &domains[a->parameters[i]];
        digits[i] = digits[i] + 1 < d->count ? digits[i] + 1 : 0;
        evaluator_set(v, a->parameters[i], d->values[digits[i]]);
        if (digits[i] > 0)
            return;
    }
}

// Fills the table: a cell for each assignment in lexicographic order, HOLDS or DEAD.
static bool fill_cells(const struct automaton *a, const struct restriction *r,
                       const struct domain *domains, struct evaluator *v, uint32_t *cells,
                       uint64_t count, uint64_t *faults)
{
    uint32_t *digits = calloc((size_t)a->length + 1, sizeof *digits);
    if (!digits)
        return false;
    for (uint32_t i = 0; i < a->length; i++)
        evaluator_set(v, a->parameters[i], domains[a->parameters[i]].values[0]);
    for (uint64_t c = 0; c < count && !v->failed && !v->exhausted; c++) {
        enum expr_fault fault;
        cells[c] = evaluator_test(v, r, &fault) ? STATE_HOLDS : STATE_DEAD;
        *faults += fault != EXPR_FAULT_NONE;
        advance_row(a, domains, digits, v);
    }
    free(digits);
    return !v->failed && !v->exhausted;
}

// Replaces each row of `width` cells by one cell, its state; equal rows have equal states, and a
// row of HOLDS or DEAD alone stays that. Done once for each parameter, the last first, it leaves
// one cell: the start.
static bool fold_cells(uint32_t *cells, uint64_t count, uint32_t width, struct intern *rows)
{
    for (uint64_t row = 0; row < count / width; row++) {
        const uint32_t *first = cells + row * width;
        uint32_t same = 1;
        while (same < width && first[same] == first[0])
            same++;
        if (same == width && first[0] < STATE_FIRST) {
            cells[row] = first[0];
            continue;
        }
        uint32_t state = intern_add(rows, first, width);
        if (state == INTERN_NONE)
            return false;
        cells[row] = state + STATE_FIRST;
    }
    return true;
}

bool automaton_tabulate(struct automaton *a, struct arena *arena, const struct restriction *r,
                        const struct domain *domains, struct evaluator *v, uint64_t *faults)
{
    uint64_t count = automaton_cells(a, domains);
    uint32_t *cells = calloc(count, sizeof *cells);
    struct transitions *next = arena_array(arena, (size_t)a->length + 1, sizeof *next);
    a->next = next;
    bool ok = cells && next && fill_cells(a, r, domains, v, cells, count, faults);
    for (uint32_t i = a->length; ok && i-- > 0;) {
        struct intern rows = INTERN_INIT;
        uint32_t width = domains[a->parameters[i]].count;
        ok = fold_cells(cells, count, width, &rows) &&
             transitions_of_rows(&next[i], arena, &rows, width);
        count /= width;
        intern_release(&rows);
    }
    a->start = ok ? cells[0] : STATE_DEAD;
    free(cells);
    return ok;
}

// ---- from --config -----------------------------------------------------------------------------

// States are sets of rows that are still possible, as bits.
struct choices {
    const struct problem *problem;
    const struct automaton *automaton;
    const struct domain *domains;
    uint32_t words; // of a set
    uint32_t *last; // row -> how many parameters are read when all that it names are
    uint32_t *set;  // the one being made
};

static bool in_domain(const struct domain *d, uint32_t value)
{
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->values[i] == value)
            return true;
    }
    return false;
}

// Can the row be met with the values that are left?
static bool possible(const struct choices *c, uint32_t row)
{
    const uint32_t *values = problem_choice(c->problem, row);
    for (uint32_t p = 0; p < c->problem->spec->parameter_count; p++) {
        if (values[p] != CHOICE_ANY && !in_domain(&c->domains[p], values[p]))
            return false;
    }
    return true;
}

// The state of the set made, `read` parameters being read.
static bool state_of(const struct choices *c, uint32_t read, struct intern *sets, uint32_t *state)
{
    bool any = false;
    for (uint32_t row = 0; row < c->problem->choice_count; row++) {
        if (!(c->set[row / 32] >> row % 32 & 1))
            continue;
        any = true;
        if (c->last[row] <= read) {
            *state = STATE_HOLDS;
            return true;
        }
    }
    uint32_t word = any ? intern_add(sets, c->set, c->words) : 0;
    *state = any ? word + STATE_FIRST : STATE_DEAD;
    return !any || word != INTERN_NONE;
}

static bool start_state(struct choices *c, struct intern *sets, uint32_t *state)
{
    const struct automaton *a = c->automaton;
    for (uint32_t row = 0; row < c->problem->choice_count; row++) {
        const uint32_t *values = problem_choice(c->problem, row);
        for (uint32_t i = 0; i < a->length; i++) {
            if (values[a->parameters[i]] != CHOICE_ANY)
                c->last[row] = i + 1;
        }
        if (possible(c, row))
            c->set[row / 32] |= UINT32_C(1) << row % 32;
    }
    return state_of(c, 0, sets, state);
}

// The transitions of parameter i from every state in `sets`; the states after it go to `after`.
static bool step_sets(const struct choices *c, struct arena *arena, uint32_t i,
                      const struct intern *sets, struct intern *after, struct transitions *out)
{
    uint32_t parameter = c->automaton->parameters[i], count = 0;
    const struct domain *d = &c->domains[parameter];
    struct transition *items =
        arena_array(arena, (size_t)sets->count * d->count + 1, sizeof *items);
    uint32_t *starts = arena_array(arena, (size_t)sets->count + 1, sizeof *starts);
    for (uint32_t s = 0; items && starts && s < sets->count; s++) {
        starts[s] = count;
        for (uint32_t v = 0; v < d->count; v++) {
            uint32_t state;
            // Keeps the rows that allow this value, of those that are possible so far.
            const uint32_t *from = intern_at(sets, s, NULL);
            memcpy(c->set, from, c->words * sizeof *from);
            for (uint32_t row = 0; row < c->problem->choice_count; row++) {
                uint32_t wanted = problem_choice(c->problem, row)[parameter];
                if (wanted != CHOICE_ANY && wanted != d->values[v])
                    c->set[row / 32] &= ~(UINT32_C(1) << row % 32);
            }
            if (!state_of(c, i + 1, after, &state))
                return false;
            if (state != STATE_DEAD)
                items[count++] = (struct transition){v, state};
        }
        starts[s + 1] = count;
    }
    *out = (struct transitions){starts, items, sets->count};
    return items && starts;
}

bool automaton_choices(struct automaton *a, struct arena *arena, const struct problem *p,
                       const struct domain *domains)
{
    struct choices c = {p, a, domains, p->choice_count / 32 + 1, NULL, NULL};
    struct intern sets = INTERN_INIT;
    struct transitions *next = arena_array(arena, (size_t)a->length + 1, sizeof *next);
    c.last = calloc((size_t)p->choice_count + 1, sizeof *c.last);
    c.set = calloc(c.words, sizeof *c.set);
    a->next = next;
    bool ok = c.last && c.set && next && start_state(&c, &sets, &a->start);
    for (uint32_t i = 0; ok && i < a->length; i++) {
        struct intern after = INTERN_INIT;
        ok = step_sets(&c, arena, i, &sets, &after, &next[i]);
        intern_release(&sets);
        sets = after;
    }
    intern_release(&sets);
    free(c.last);
    free(c.set);
    return ok;
}
