// Builds the diagram by a depth-first search with memory, a layer for each parameter in the given
// order.
//
// A node of the diagram stands for everything that is valid from a layer on. What that is depends
// on the choices made before only through a few numbers: the states of the automata that have begun
// to read and not finished, and the values that restrictions without an automaton have yet to see.
// These make the *key* of the layer. Two ways to a layer with the same key lead to the same node,
// which is expanded once; the second time it is found by its key. That is why millions of
// configurations take thousands of steps.
//
// - Every restriction is compiled first: into a table if it is small, else stage by stage
//   (stage.c), else it is evaluated along the search: all at once when its last parameter is chosen
//   (a check), or stage by stage (a lazy one).
// - A value is tried by moving every automaton that reads the parameter by one transition; none for
//   it means excluded. The automaton with the fewest transitions proposes the values, the others
//   only confirm.
// - *Closers*: several automata may constrain the same last parameter. Apart from that parameter,
//   all that they leave is the intersection of the sets of values that they allow. The key then
//   holds that set instead of their states: all-different tests over n parameters have 2^n sets but
//   n! states. A set that is empty ends the branch before its layer is reached.
// - Effort is counted in steps, never in seconds, so that the outcome is the same on every machine.
#include "space/build.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

const struct build_limits build_limits_usual = {.table_few = UINT64_C(1) << 12,
                                                .table_most = UINT64_C(1) << 20,
                                                .tables_most = UINT64_C(1) << 22,
                                                .words = UINT32_C(1) << 22,
                                                .bytes = (size_t)256 << 20,
                                                .effort = UINT64_C(1) << 25};

// A restriction whose automaton reads a layer's parameter.
struct reader {
    uint32_t *state; // its state now
    uint32_t before; // its state while this layer's values are tried
    const struct transitions *next;
    const struct transition *at, *end; // those left to try; NULL: all values do
};

// An automaton that has read all but its last parameter only leaves a set of values of that one.
struct closer {
    const uint32_t *state;
    uint32_t layer;       // of its last parameter but one
    const uint32_t *rows; // the set that each state leaves, from STATE_FIRST on, a bit a value
};

// A parameter whose closers stand in a layer's key by the intersection of their sets: equal
// intersections leave the same work, however they came about. (So parameters that must all differ
// are remembered by the set of values in use, and parameters that must be near each other by the
// least and the greatest value.)
struct meeting {
    const struct layer *layer; // of the parameter
    uint32_t closers;          // the first so many of the layer's
};

// A restriction that is evaluated along the search, and reads a layer's parameter.
struct follower {
    struct lazy *lazy;
    uint32_t restriction;
    uint32_t stage;       // of the parameter
    const uint8_t *holds; // of its last stage: while this layer's values are tried; else NULL
};

struct layer {
    uint32_t parameter;
    const struct domain *domain;
    uint32_t value; // the one being tried, as a place in the domain
    struct reader *readers;
    uint32_t reader_count;
    struct follower *followers;
    uint32_t follower_count;
    uint32_t *checks; // restrictions to evaluate as a whole once this parameter is bound
    uint32_t check_count;
    bool evaluated;         // a check, here or further on, reads this parameter
    struct closer *closers; // ascending by their layer
    uint32_t closer_count;
    uint32_t words;           // of a set of its values
    struct meeting *meetings; // of parameters from here on
    uint32_t meeting_count;
    uint64_t meeting_cost; // steps
    uint32_t **key;        // what the work from here on depends on, besides
    uint32_t key_length;
    bool remembers; // two ways to here may leave the same work
};

struct builder {
    const struct problem *problem;
    const struct filtered *filtered;
    const struct build_options *options;
    struct evaluator *evaluator;
    struct arena arena;
    struct automaton *automata; // one a restriction; no `next`: it is evaluated
    struct lazy **lazies;       // one a restriction; NULL: it has an automaton, or is a check
    uint32_t *states;           // one a restriction
    uint32_t *layer_of;         // parameter -> layer
    struct layer *layers;
    uint32_t layer_count;
    uint32_t *closed; // layers that have closers
    uint32_t closed_count;

    struct intern sets; // of more than one number
    struct intern keys; // (layer, key) seen, and the node it led to
    uint32_t *key_nodes;
    size_t key_capacity;
    struct intern nodes; // see diagram_init()
    uint32_t *pairs;     // edges of the nodes on the way, a stack
    size_t pair_count, pair_capacity;
    uint32_t *scratch; // one key
    uint32_t *set;     // one set
    bool empty;
    enum build_outcome outcome;
};

// ---- preparing ---------------------------------------------------------------------------------

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// The layers of the open parameters a restriction reads, ascending, then as parameters.
static bool set_parameters(struct builder *b, const struct restriction *r, struct automaton *a)
{
    uint32_t *list = arena_array(&b->arena, (size_t)r->parameter_count + 1, sizeof *list);
    if (!list)
        return false;
    for (uint32_t i = 0; i < r->parameter_count; i++) {
        if (b->filtered->domains[r->parameters[i]].count > 1)
            list[a->length++] = b->layer_of[r->parameters[i]];
    }
    qsort(list, a->length, sizeof *list, compare_u32);
    for (uint32_t i = 0; i < a->length; i++)
        list[i] = b->layers[list[i]].parameter;
    a->parameters = list;
    return true;
}

// Costs in steps (see solve.c): of trying a value, of each automaton that reads it, of looking up a
// layer's key.
#define TRY_COST    16
#define READER_COST 6
#define KEY_COST    64

static bool spend_on_restriction(struct builder *b, uint32_t restriction, uint64_t steps)
{
    uint64_t *left = b->options->effort;
    uint64_t spent = *left < steps ? *left : steps;
    b->filtered->spent[restriction] += spent;
    *left -= spent;
    return spent == steps;
}

// Makes the automaton from the table of all assignments.
static bool tabulate(struct builder *b, uint32_t restriction, uint64_t cells)
{
    struct automaton *a = &b->automata[restriction];
    uint32_t cost = restriction_cost(&b->problem->restrictions[restriction]);
    if (!spend_on_restriction(b, restriction, cells * cost)) {
        b->outcome = BUILD_EFFORT;
        return false;
    }
    uint64_t before = *b->options->effort;
    bool made =
        automaton_tabulate(a, &b->arena, &b->problem->restrictions[restriction],
                           b->filtered->domains, b->evaluator, &b->filtered->faults[restriction]);
    b->filtered->spent[restriction] += before - *b->options->effort;
    if (!made && b->evaluator->exhausted)
        b->outcome = BUILD_EFFORT;
    return made;
}

// Makes the automaton stage by stage, unless an earlier attempt found that this cannot be done.
static enum staging make_staged(struct builder *b, uint32_t restriction)
{
    enum stageable *known = &b->options->stageable[restriction];
    if (b->options->limits->words == 0 || *known == STAGEABLE_NOT)
        return STAGING_LARGE;
    if (*known == STAGEABLE_EFFORT && b->options->checks)
        return STAGING_EFFORT;
    // Where it may be evaluated instead, with half of the effort at most.
    uint64_t given = *b->options->effort / (b->options->checks ? 2 : 1), left = given;
    const struct build_limits *most = b->options->limits;
    struct stage_limits limits = {&left, most->words, most->bytes};
    enum staging outcome = automaton_stage(
        &b->automata[restriction], &b->arena, &b->problem->restrictions[restriction],
        b->filtered->domains, b->evaluator, &limits, &b->filtered->faults[restriction]);
    spend_on_restriction(b, restriction, given - left);
    if (outcome == STAGING_LARGE || outcome == STAGING_EFFORT)
        *known = outcome == STAGING_LARGE ? STAGEABLE_NOT : STAGEABLE_EFFORT;
    return outcome;
}

// Makes the automaton of a formula or derived parameter, unless it is too large.
static bool compile_formula(struct builder *b, uint32_t restriction, uint64_t *room)
{
    struct automaton *a = &b->automata[restriction];
    const struct build_limits *limits = b->options->limits;
    uint64_t cells = automaton_cells(a, b->filtered->domains);
    a->start = STATE_FIRST;
    if (cells > limits->table_few) {
        enum staging outcome = make_staged(b, restriction);
        if (outcome == STAGING_DONE || outcome == STAGING_MEMORY)
            return outcome == STAGING_DONE;
        a->start = STATE_FIRST;
        if (cells > limits->table_most || cells > *room) {
            if (b->options->checks)
                return b->options->limits->words == 0 ||
                       lazy_new(&b->arena, &b->automata[restriction],
                                &b->problem->restrictions[restriction], b->filtered->domains,
                                b->evaluator, &b->lazies[restriction]);
            b->outcome = outcome == STAGING_LARGE ? BUILD_LARGE : BUILD_EFFORT;
            return false;
        }
        *room -= cells;
    }
    return tabulate(b, restriction, cells);
}

static bool compile_restriction(struct builder *b, uint32_t restriction, uint64_t *room)
{
    const struct restriction *r = &b->problem->restrictions[restriction];
    struct automaton *a = &b->automata[restriction];
    bool ok = set_parameters(b, r, a);
    if (ok && r->kind == RESTRICTION_CHOICES)
        ok = automaton_choices(a, &b->arena, b->problem, b->filtered->domains);
    else
        ok = ok && compile_formula(b, restriction, room);
    b->states[restriction] = a->start;
    b->empty |= ok && a->start == STATE_DEAD;
    return ok;
}

static bool is_open_restriction(const struct builder *b, uint32_t restriction)
{
    return !b->filtered->done[restriction] && b->automata[restriction].start >= STATE_FIRST;
}

static uint32_t last_layer(const struct builder *b, const struct automaton *a)
{
    return b->layer_of[a->parameters[a->length - 1]];
}

// ---- closers -----------------------------------------------------------------------------------

// Sets take no more than this, in numbers, for one automaton; else its states stay distinct.
#define SETS_MOST (UINT64_C(1) << 20)

static uint32_t closing_layer(const struct builder *b, const struct automaton *a)
{
    return b->layer_of[a->parameters[a->length - 2]];
}

static bool can_close(const struct builder *b, uint32_t restriction)
{
    const struct automaton *a = &b->automata[restriction];
    if (!is_open_restriction(b, restriction) || !a->next || a->length < 2)
        return false;
    uint64_t states = a->next[a->length - 1].states;
    return states * b->layers[last_layer(b, a)].words <= SETS_MOST;
}

// The sets of an automaton's last parameter, one a state; NULL without memory.
static const uint32_t *make_sets(struct builder *b, const struct automaton *a, uint32_t words)
{
    const struct transitions *t = &a->next[a->length - 1];
    uint32_t *rows = arena_array(&b->arena, (size_t)t->states * words + 1, sizeof *rows);
    for (uint32_t s = 0; rows && s < t->states; s++) {
        uint32_t *row = rows + (size_t)s * words;
        for (uint32_t i = t->starts[s]; i < t->starts[s + 1]; i++)
            row[t->items[i].value / 32] |= UINT32_C(1) << t->items[i].value % 32;
    }
    return rows;
}

// The closers of all layers. If a single automaton closes a layer, its states stand for
// different sets already: a closer would gain nothing.
static bool add_closers(struct builder *b)
{
    uint32_t *counts = arena_array(&b->arena, (size_t)b->layer_count + 1, sizeof *counts);
    if (!counts)
        return false;
    for (uint32_t r = 0; r < b->problem->restriction_count; r++) {
        if (can_close(b, r))
            counts[last_layer(b, &b->automata[r])]++;
    }
    for (uint32_t r = 0; r < b->problem->restriction_count; r++) {
        // The closers of a layer are ordered by the layer at which their set is known.
        if (can_close(b, r) && counts[last_layer(b, &b->automata[r])] > 1) {
            const struct automaton *a = &b->automata[r];
            struct layer *l = &b->layers[last_layer(b, a)];
            uint32_t layer = closing_layer(b, a), at = l->closer_count++;
            if (at == 0)
                b->closed[b->closed_count++] = last_layer(b, a);
            const uint32_t *rows = make_sets(b, a, l->words);
            for (; at > 0 && l->closers[at - 1].layer > layer; at--)
                l->closers[at] = l->closers[at - 1];
            l->closers[at] = (struct closer){&b->states[r], layer, rows};
            if (rows == NULL)
                return false;
        }
    }
    return true;
}

// The meetings of a layer: what was read before it closes parameters from it on.
static bool add_meetings(struct builder *b, uint32_t layer)
{
    struct layer *l = &b->layers[layer];
    l->meetings = arena_array(&b->arena, (size_t)b->closed_count + 1, sizeof *l->meetings);
    for (uint32_t i = 0; l->meetings && i < b->closed_count; i++) {
        const struct layer *at = &b->layers[b->closed[i]];
        uint32_t met = 0;
        if (b->closed[i] < layer)
            continue;
        while (met < at->closer_count && at->closers[met].layer < layer)
            met++;
        if (met == 0)
            continue;
        l->meetings[l->meeting_count++] = (struct meeting){at, met};
        l->meeting_cost += (uint64_t)met * at->words;
    }
    return l->meetings != NULL;
}

static bool is_closer(const struct builder *b, uint32_t restriction)
{
    const struct layer *l = &b->layers[last_layer(b, &b->automata[restriction])];
    for (uint32_t i = 0; i < l->closer_count; i++) {
        if (l->closers[i].state == &b->states[restriction])
            return true;
    }
    return false;
}

// ---- keys --------------------------------------------------------------------------------------

// For each layer the last one at which a restriction without an automaton needs its value; 0: none.
static void set_ends(const struct builder *b, uint32_t *ends)
{
    for (uint32_t r = 0; r < b->problem->restriction_count; r++) {
        const struct automaton *a = &b->automata[r];
        if (!is_open_restriction(b, r) || a->next)
            continue;
        for (uint32_t i = 0; i < a->length; i++) {
            uint32_t *end = &ends[b->layer_of[a->parameters[i]]];
            *end = last_layer(b, a) > *end ? last_layer(b, a) : *end;
        }
    }
}

// Adds the item to the keys of the layers behind the first up to the last, or only counts it.
static void add_to_keys(struct builder *b, uint32_t *item, uint32_t first, uint32_t last)
{
    for (uint32_t i = first + 1; i <= last; i++) {
        struct layer *l = &b->layers[i];
        if (l->key)
            l->key[l->key_length] = item;
        l->key_length++;
    }
}

// Adds the state that each layer's work depends on: automata that have read something and want
// more, and values that a later evaluation needs.
static void add_items(struct builder *b, const uint32_t *ends)
{
    for (uint32_t r = 0; r < b->problem->restriction_count; r++) {
        const struct automaton *a = &b->automata[r];
        if (is_open_restriction(b, r) && a->next)
            add_to_keys(b, &b->states[r], b->layer_of[a->parameters[0]],
                        is_closer(b, r) ? closing_layer(b, a) : last_layer(b, a));
    }
    for (uint32_t l = 0; l < b->layer_count; l++)
        add_to_keys(b, &b->layers[l].value, l, ends[l]);
}

// If the key holds every value chosen before, no two ways to the layer have equal keys: looking
// for one would cost time and memory, and find nothing.
static void set_remembers(struct builder *b, const uint32_t *ends, uint32_t *gone)
{
    uint32_t choices = 0, values = 0; // of the layers before: with a choice, and in the key
    for (uint32_t l = 0; l < b->layer_count; l++) {
        values -= gone[l];
        b->layers[l].remembers = choices == 0 || values < choices;
        b->layers[l].evaluated = ends[l] > 0;
        choices += b->layers[l].domain->count > 1;
        values += ends[l] > l;
        if (ends[l] > l && ends[l] + 1 < b->layer_count)
            gone[ends[l] + 1]++;
    }
}

// The keys of all layers. Items are added twice: the first pass counts, the second writes.
static bool set_keys(struct builder *b)
{
    uint32_t longest = 0;
    uint32_t *ends = arena_array(&b->arena, (size_t)b->layer_count + 1, sizeof *ends);
    uint32_t *gone = arena_array(&b->arena, (size_t)b->layer_count + 1, sizeof *gone);
    if (!ends || !gone || !add_closers(b))
        return false;
    set_ends(b, ends);
    set_remembers(b, ends, gone);
    add_items(b, ends);
    for (uint32_t i = 0; i < b->layer_count; i++) {
        struct layer *l = &b->layers[i];
        if (!add_meetings(b, i))
            return false;
        longest = l->key_length > longest ? l->key_length : longest;
        l->key = arena_array(&b->arena, (size_t)l->key_length + 1, sizeof *l->key);
        l->key_length = 0;
        if (!l->key)
            return false;
    }
    add_items(b, ends);
    size_t most = (size_t)longest + b->closed_count + 2;
    b->scratch = arena_array(&b->arena, most, sizeof *b->scratch);
    return b->scratch != NULL;
}

// Counts what enter_all() adds to each layer, and takes the memory for it.
static bool make_layer_room(struct builder *b)
{
    for (uint32_t r = 0; r < b->problem->restriction_count; r++) {
        const struct automaton *a = &b->automata[r];
        for (uint32_t i = 0; is_open_restriction(b, r) && i < a->length; i++)
            b->layers[b->layer_of[a->parameters[i]]].reader_count++;
    }
    for (uint32_t i = 0; i < b->layer_count; i++) {
        struct layer *l = &b->layers[i];
        size_t most = (size_t)l->reader_count + 1;
        l->readers = arena_array(&b->arena, most, sizeof *l->readers);
        l->followers = arena_array(&b->arena, most, sizeof *l->followers);
        l->checks = arena_array(&b->arena, most, sizeof *l->checks);
        l->closers = arena_array(&b->arena, most, sizeof *l->closers);
        l->reader_count = 0;
        if (!l->readers || !l->followers || !l->checks || !l->closers)
            return false;
    }
    return true;
}

// Enters every open restriction into the layers whose parameters it reads: as a reader of each
// if it has an automaton, as a follower of each if it is lazy, else as a check in the last.
static bool enter_all(struct builder *b)
{
    if (!make_layer_room(b))
        return false;
    for (uint32_t r = 0; r < b->problem->restriction_count; r++) {
        if (is_open_restriction(b, r)) {
            const struct automaton *a = &b->automata[r];
            for (uint32_t i = 0; a->next && i < a->length; i++) {
                struct layer *l = &b->layers[b->layer_of[a->parameters[i]]];
                l->readers[l->reader_count++] =
                    (struct reader){.state = &b->states[r], .next = &a->next[i]};
            }
            struct lazy *lazy = b->lazies[r];
            for (uint32_t i = 0; lazy && i < a->length; i++) {
                struct layer *l = &b->layers[b->layer_of[a->parameters[i]]];
                l->followers[l->follower_count++] = (struct follower){lazy, r, i, NULL};
            }
            if (!a->next && !lazy) {
                struct layer *l = &b->layers[b->layer_of[a->parameters[a->length - 1]]];
                l->checks[l->check_count++] = r;
            }
        }
    }
    return set_keys(b);
}

static bool prepare_builder(struct builder *b)
{
    uint32_t restrictions = b->problem->restriction_count;
    uint64_t room = b->options->limits->tables_most;
    b->layer_count = b->problem->spec->parameter_count;
    b->layers = arena_array(&b->arena, (size_t)b->layer_count + 1, sizeof *b->layers);
    b->layer_of = arena_array(&b->arena, (size_t)b->layer_count + 1, sizeof *b->layer_of);
    b->automata = arena_array(&b->arena, (size_t)restrictions + 1, sizeof *b->automata);
    b->states = arena_array(&b->arena, (size_t)restrictions + 1, sizeof *b->states);
    b->lazies = arena_array(&b->arena, (size_t)restrictions + 1, sizeof *b->lazies);
    if (!b->layers || !b->layer_of || !b->automata || !b->states || !b->lazies)
        return false;
    uint32_t widest = 0;
    for (uint32_t l = 0; l < b->layer_count; l++) {
        uint32_t parameter = b->options->order[l];
        b->layers[l].parameter = parameter;
        b->layers[l].domain = &b->filtered->domains[parameter];
        b->layers[l].words = b->layers[l].domain->count / 32 + 1;
        b->layer_of[parameter] = l;
        widest = b->layers[l].words > widest ? b->layers[l].words : widest;
    }
    b->closed = arena_array(&b->arena, b->layer_count + (size_t)1, sizeof *b->closed);
    b->set = arena_array(&b->arena, (size_t)widest + 1, sizeof *b->set);
    if (!b->closed || !b->set)
        return false;
    for (uint32_t r = 0; r < restrictions && !b->empty; r++) {
        if (!b->filtered->done[r] && !compile_restriction(b, r, &room))
            return false;
        if (b->arena.bytes > b->options->limits->bytes) {
            b->outcome = BUILD_LARGE;
            return false;
        }
    }
    return b->empty || enter_all(b);
}

// ---- searching ---------------------------------------------------------------------------------

static uint32_t stop_build(struct builder *b, enum build_outcome outcome)
{
    b->outcome = outcome;
    return DIAGRAM_NONE;
}

// Spends effort of the search itself.
static bool spend_steps(struct builder *b, uint64_t steps)
{
    uint64_t *left = b->options->effort;
    bool enough = *left >= steps;
    *left -= enough ? steps : *left;
    if (!enough)
        stop_build(b, BUILD_EFFORT);
    return enough;
}

// The diagram is made of the nodes while these are there, and takes twice as much.
static size_t builder_bytes(const struct builder *b)
{
    return b->arena.bytes + intern_bytes(&b->sets) + intern_bytes(&b->keys) +
           b->key_capacity * sizeof *b->key_nodes + 3 * intern_bytes(&b->nodes);
}

// Intersects the sets of a parameter's closers; false: no value is left.
static bool meet(struct builder *b, const struct meeting *m)
{
    uint32_t words = m->layer->words, any = 0;
    memset(b->set, 0xff, words * sizeof *b->set);
    for (uint32_t i = 0; i < m->closers; i++) {
        const struct closer *c = &m->layer->closers[i];
        const uint32_t *row = c->rows + (size_t)(*c->state - STATE_FIRST) * words;
        for (uint32_t w = 0; *c->state >= STATE_FIRST && w < words; w++)
            b->set[w] &= row[w];
    }
    for (uint32_t w = 0; w < words; w++)
        any |= b->set[w];
    return any != 0;
}

// The key of a layer in the scratch: its number, then what its work depends on. False if a
// parameter that is still to come has no value left, or without memory.
static bool gather_key(struct builder *b, uint32_t layer, uint32_t *length)
{
    const struct layer *l = &b->layers[layer];
    uint32_t at = 0;
    b->scratch[at++] = layer;
    for (uint32_t i = 0; i < l->meeting_count; i++) {
        if (!meet(b, &l->meetings[i]))
            return false;
        uint32_t words = l->meetings[i].layer->words;
        uint32_t set = words == 1 ? b->set[0] : intern_add(&b->sets, b->set, words);
        if (words > 1 && set == INTERN_NONE) {
            stop_build(b, BUILD_MEMORY);
            return false;
        }
        b->scratch[at++] = set;
    }
    for (uint32_t i = 0; i < l->key_length; i++)
        b->scratch[at++] = *l->key[i];
    *length = at;
    return true;
}

// A key whose node is being made.
#define NODE_PENDING (UINT32_MAX - 1)

// The place of a layer's key, and the node that it led to before, or NODE_PENDING. False if
// there is nothing to be found, or no memory.
static bool look_up_key(struct builder *b, uint32_t layer, uint32_t *word, uint32_t *node)
{
    uint32_t length, seen = b->keys.count;
    const struct layer *l = &b->layers[layer];
    if (!spend_steps(b, KEY_COST + l->key_length + 2 * l->meeting_cost) ||
        !gather_key(b, layer, &length))
        return false;
    if (builder_bytes(b) > b->options->limits->bytes) {
        stop_build(b, BUILD_LARGE);
        return false;
    }
    *word = intern_add(&b->keys, b->scratch, length);
    if (*word == INTERN_NONE || !ARRAY_ROOM(b->key_nodes, b->key_capacity, (size_t)*word + 1)) {
        stop_build(b, BUILD_MEMORY);
        return false;
    }
    if (*word == seen)
        b->key_nodes[*word] = NODE_PENDING;
    *node = b->key_nodes[*word];
    return true;
}

// Evaluates what has its last parameter in this layer.
static bool checks_hold(struct builder *b, const struct layer *l)
{
    for (uint32_t i = 0; i < l->check_count; i++) {
        enum expr_fault fault;
        if (!spend_on_restriction(b, l->checks[i],
                                  restriction_cost(&b->problem->restrictions[l->checks[i]]))) {
            stop_build(b, BUILD_EFFORT);
            return false;
        }
        uint64_t before = *b->options->effort;
        bool holds = evaluator_test(b->evaluator, &b->problem->restrictions[l->checks[i]], &fault);
        b->filtered->spent[l->checks[i]] += before - *b->options->effort;
        b->filtered->faults[l->checks[i]] += fault != EXPR_FAULT_NONE;
        if (b->evaluator->exhausted)
            stop_build(b, BUILD_EFFORT);
        if (!holds || b->evaluator->exhausted)
            return false;
    }
    return true;
}

static bool spend_on(struct builder *b, const struct follower *f)
{
    return spend_on_restriction(b, f->restriction, lazy_cost(f->lazy, f->stage)) ||
           stop_build(b, BUILD_EFFORT) != DIAGRAM_NONE; // false
}

static bool is_last(const struct builder *b, const struct follower *f)
{
    return f->stage + 1 == b->automata[f->restriction].length;
}

// Did its last evaluation come to an end?
static bool follower_goes_on(struct builder *b, const struct follower *f)
{
    static const enum build_outcome outcomes[] = {[STAGING_LARGE] = BUILD_LARGE,
                                                  [STAGING_EFFORT] = BUILD_EFFORT,
                                                  [STAGING_MEMORY] = BUILD_MEMORY};
    enum staging outcome = lazy_outcome(f->lazy);
    if (outcome != STAGING_DONE)
        stop_build(b, outcomes[outcome]);
    return outcome == STAGING_DONE;
}

// Evaluates what reads this layer's parameter last, for all of its values.
static bool judge_followers(struct builder *b, struct layer *l)
{
    for (uint32_t i = 0; i < l->follower_count; i++) {
        struct follower *f = &l->followers[i];
        if (!is_last(b, f))
            continue;
        if (!spend_on(b, f))
            return false;
        f->holds = lazy_judge(f->lazy, &b->filtered->faults[f->restriction]);
        if (!follower_goes_on(b, f))
            return false;
    }
    return true;
}

// Does the value leave anything of the restrictions that are evaluated along the search?
static bool followers_hold(struct builder *b, const struct layer *l)
{
    for (uint32_t i = 0; i < l->follower_count; i++) {
        const struct follower *f = &l->followers[i];
        if (is_last(b, f) ? !f->holds[l->value]
                          : !spend_on(b, f) || !lazy_try(f->lazy, f->stage, l->value,
                                                         &b->filtered->faults[f->restriction])) {
            follower_goes_on(b, f);
            return false;
        }
    }
    return true;
}

// Moves every automaton that reads this parameter on by the value being tried; false: excluded.
// Values come in order, so that each looks for its transition from where it stands.
static bool try_value(struct builder *b, const struct layer *l)
{
    for (uint32_t i = 0; i < l->reader_count; i++) {
        struct reader *r = &l->readers[i];
        if (!r->at)
            continue;
        while (r->at < r->end && r->at->value < l->value)
            r->at++;
        if (r->at == r->end || r->at->value != l->value)
            return false;
        *r->state = r->at->state;
    }
    if (l->follower_count > 0 && !followers_hold(b, l))
        return false;
    if (l->evaluated)
        evaluator_set(b->evaluator, l->parameter, l->domain->values[l->value]);
    return l->check_count == 0 || checks_hold(b, l);
}

static bool push_edge(struct builder *b, uint32_t value, uint32_t child)
{
    if (!ARRAY_ROOM(b->pairs, b->pair_capacity, b->pair_count + 2))
        return false;
    b->pairs[b->pair_count++] = value;
    b->pairs[b->pair_count++] = child;
    return true;
}

static uint32_t expand_layer(struct builder *b, uint32_t layer);

// Places every reader at the transitions of the state that its automaton has before the layer.
// Returns the one with the fewest: only its values need be tried. NULL: no reader excludes any
// value.
static const struct reader *set_out(struct layer *l)
{
    const struct reader *driver = NULL;
    for (uint32_t i = 0; i < l->reader_count; i++) {
        struct reader *r = &l->readers[i];
        r->before = *r->state;
        r->at = r->end = NULL;
        if (r->before < STATE_FIRST)
            continue;
        const uint32_t *starts = r->next->starts + (r->before - STATE_FIRST);
        r->at = r->next->items + starts[0];
        r->end = r->next->items + starts[1];
        if (!driver || r->end - r->at < driver->end - driver->at)
            driver = r;
    }
    return driver;
}

// Tries the values of the layer in ascending order, expands what is behind each that is not
// excluded, and pushes an edge for each that leads somewhere.
static void try_values(struct builder *b, uint32_t layer)
{
    struct layer *l = &b->layers[layer];
    const struct reader *driver = set_out(l);
    if (l->follower_count > 0 && !judge_followers(b, l))
        return;
    const struct transition *given = driver ? driver->at : NULL;
    uint32_t count = driver ? (uint32_t)(driver->end - driver->at) : l->domain->count;
    size_t first = b->pair_count;
    for (uint32_t i = 0; i < count && b->outcome == BUILD_DONE; i++) {
        if (!spend_steps(b, TRY_COST + READER_COST * l->reader_count))
            return;
        l->value = given ? given[i].value : i;
        if (try_value(b, l)) {
            uint32_t child = expand_layer(b, layer + 1);
            if (child != DIAGRAM_NONE && !push_edge(b, l->domain->values[l->value], child))
                stop_build(b, BUILD_MEMORY);
        }
        if (b->options->any && b->pair_count > first)
            return;
    }
}

// The node for the pushed edges from `first` on.
static uint32_t make_node(struct builder *b, size_t first)
{
    if (b->pair_count == first)
        return DIAGRAM_NONE;
    if (b->options->any)
        return DIAGRAM_END;
    uint32_t word = intern_add(&b->nodes, b->pairs + first, (uint32_t)(b->pair_count - first));
    if (builder_bytes(b) > b->options->limits->bytes)
        return stop_build(b, BUILD_LARGE);
    return word == INTERN_NONE ? stop_build(b, BUILD_MEMORY) : word + 1;
}

// The node that stands for everything valid from this layer on; NONE if there is nothing. A key
// seen before gives its node at once; else the values are tried, the automata's states put back,
// and the edges, which lie on top of the stack, become a node.
static uint32_t expand_layer(struct builder *b, uint32_t layer)
{
    uint32_t node = NODE_PENDING, word = 0;
    if (layer == b->layer_count)
        return DIAGRAM_END;
    struct layer *l = &b->layers[layer];
    if (l->remembers && !look_up_key(b, layer, &word, &node))
        return DIAGRAM_NONE;
    if (node != NODE_PENDING)
        return node;

    size_t first = b->pair_count;
    try_values(b, layer);
    for (uint32_t i = 0; i < l->reader_count; i++)
        *l->readers[i].state = l->readers[i].before;
    if (b->evaluator->failed)
        stop_build(b, BUILD_MEMORY);
    if (b->outcome != BUILD_DONE)
        return DIAGRAM_NONE;
    node = make_node(b, first);
    b->pair_count = first;
    if (l->remembers)
        b->key_nodes[word] = node;
    return node;
}

static enum build_outcome finish_diagram(struct builder *b, uint32_t root, struct diagram *out)
{
    bool overflow;
    if (b->outcome != BUILD_DONE)
        return b->outcome;
    if (b->options->any) {
        out->root = root == DIAGRAM_NONE ? DIAGRAM_NONE : DIAGRAM_END;
        return BUILD_DONE;
    }
    if (diagram_init(out, b->options->order, b->layer_count, &b->nodes, root, &overflow))
        return BUILD_DONE;
    return overflow ? BUILD_OVERFLOW : BUILD_MEMORY;
}

enum build_outcome build_diagram(const struct filtered *f, const struct build_options *o,
                                 struct evaluator *v, struct diagram *out)
{
    struct builder b = {.problem = v->problem, .filtered = f, .options = o, .evaluator = v};
    *out = (struct diagram){.root = DIAGRAM_NONE};
    arena_init(&b.arena);
    if (!prepare_builder(&b) && b.outcome == BUILD_DONE)
        b.outcome = BUILD_MEMORY;
    uint32_t root = b.empty || b.outcome != BUILD_DONE ? DIAGRAM_NONE : expand_layer(&b, 0);
    enum build_outcome outcome = finish_diagram(&b, root, out);
    for (uint32_t r = 0; b.lazies && r < b.problem->restriction_count; r++)
        lazy_release(b.lazies[r]);
    intern_release(&b.sets);
    intern_release(&b.keys);
    intern_release(&b.nodes);
    free(b.key_nodes);
    free(b.pairs);
    arena_release(&b.arena);
    return outcome;
}
