// Strategies that share a search: each is asked in turn, an index that another one asked for
// already is not evaluated again (a hash table of questions knows which strategies asked), and each
// receives the outcome under its own weighting.
#include "workflows/scalarization.h"

#include "search/threaded.h"

#include <stdlib.h>

#define DIRECTIONS_MOST (OBJECTIVES_MOST + 1)

// The weight of an objective that does not have most of it.
#define LITTLE 0.1

// With fewer configurations than this for each direction all are sought evenly. Volume that the set
// dominates beyond the medians of three recorded spaces (gemm, dedispersion, convolution; time, and
// a second objective made up of parameters), as a share of what the whole space's does, mean of 8
// seeds: of 60 configurations 0.80 0.96 0.70 by directions and 0.82 0.89 0.78 evenly, of 120 0.90
// 0.99 0.90 and 0.91 0.97 0.93, of 200 0.96 1.00 0.97 and 0.92 0.98 0.94, of 500 0.99 1.00 0.99 and
// 0.94 0.99 0.95 (surrogate).
#define WORTHWHILE 50

// A question, with a mask of the directions that asked it.
struct question {
    uint64_t index;
    uint32_t mask; // 1 << direction; 0: the slot is empty
    bool done;
    enum status status;
    const double *values; // (or NULL) in the arena
};

struct scalarization {
    const struct objectives *objectives;
    struct strategy *strategies[DIRECTIONS_MOST];
    double weights[DIRECTIONS_MOST][OBJECTIVES_MOST];
    uint32_t count, next;    // whose turn it is
    const double *reference; // (or NULL) the first values received
    struct question *slots;  // open addressing; a power of two, at most half full
    size_t capacity, used;
    struct arena arena;
};

// ---- what was asked ----------------------------------------------------------------------------

// Where the index is, or would be.
static struct question *slot_of(struct question *slots, size_t capacity, uint64_t index)
{
    size_t at = (size_t)(index * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (capacity - 1);
    while (slots[at].mask && slots[at].index != index)
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static bool make_room_for_question(struct scalarization *d)
{
    if (2 * (d->used + 1) <= d->capacity)
        return true;
    size_t capacity = d->capacity ? 2 * d->capacity : 256;
    struct question *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < d->capacity; i++) {
        if (d->slots[i].mask)
            *slot_of(slots, capacity, d->slots[i].index) = d->slots[i];
    }
    free(d->slots);
    d->slots = slots;
    d->capacity = capacity;
    return true;
}

// ---- making ------------------------------------------------------------------------------------

static void set_weights(struct scalarization *d)
{
    for (uint32_t k = 0; k < d->count; k++) {
        for (uint32_t i = 0; i < d->objectives->count; i++)
            d->weights[k][i] = k == 0 || k == i + 1 ? 1 : LITTLE;
    }
}

// The first direction is even, and the only one if the strategy does not receive results.
static uint32_t directions_wanted(const struct strategy *first, const struct strategy_setup *setup,
                                  const struct objectives *g)
{
    uint32_t wanted = g->count + 1;
    bool enough = setup->budget == 0 || setup->budget / wanted >= WORTHWHILE;
    return g->count > 1 && first->ops->tell && enough ? wanted : 1;
}

// One direction's share of the whole.
static struct strategy_setup share_of_setup(const struct strategy_setup *setup, uint32_t direction,
                                            uint32_t count)
{
    struct strategy_setup share = *setup;
    share.budget = setup->budget ? (setup->budget + count - 1) / count : 0;
    share.in_flight = (setup->in_flight + count - 1) / count;
    share.seed = setup->seed + direction * UINT64_C(0x9e3779b97f4a7c15);
    return share;
}

static bool make_strategies(struct scalarization *d, const char *strategy,
                            const struct strategy_setup *setup, struct error *e)
{
    // The whole budget selects the strategy; a direction's share would be too small to cover a
    // space.
    d->strategies[0] = strategy_new(strategy, setup, e);
    d->count = d->strategies[0] != NULL;
    uint32_t wanted = d->count ? directions_wanted(d->strategies[0], setup, d->objectives) : 0;
    const char *same = d->count ? strategy_description(d->strategies[0]) : NULL;
    if (wanted < 2)
        return d->count > 0;
    for (uint32_t k = 1; k < wanted; k++) {
        struct strategy_setup share = share_of_setup(setup, k, wanted);
        d->strategies[k] = strategy_new(same, &share, e);
        if (!d->strategies[k])
            return false;
        d->count++;
    }
    struct strategy_setup share = share_of_setup(setup, 0, wanted);
    struct strategy *even = strategy_new(same, &share, e);
    if (!even)
        return false;
    strategy_free(d->strategies[0]);
    d->strategies[0] = even;
    return true;
}

struct scalarization *scalarization_new(const char *strategy, const struct strategy_setup *setup,
                                        const struct objectives *objectives, struct error *e)
{
    struct scalarization *d = alloc_zeroed(sizeof *d, e);
    if (!d)
        return NULL;
    arena_init(&d->arena);
    d->objectives = objectives;
    if (make_strategies(d, strategy, setup, e)) {
        set_weights(d);
        return d;
    }
    scalarization_free(d);
    return NULL;
}

void scalarization_free(struct scalarization *d)
{
    if (!d)
        return;
    for (uint32_t k = 0; k < DIRECTIONS_MOST; k++)
        strategy_free(d->strategies[k]);
    free(d->slots);
    arena_release(&d->arena);
    free(d);
}

void scalarization_thread(struct scalarization *d, uint32_t sources)
{
    if (d->count == 1)
        d->strategies[0] = threaded_new(d->strategies[0], sources);
}

// ---- asking and telling ------------------------------------------------------------------------

static void tell_one(struct scalarization *d, uint32_t k, const struct question *a)
{
    double value = 0;
    if (a->values && a->status == STATUS_CORRECT)
        value = d->objectives->count == 1
                    ? objective_value(d->objectives, a->values, NULL)
                    : objective_weighted(d->objectives, a->values, d->reference, d->weights[k]);
    strategy_tell(d->strategies[k], a->index, a->status, value);
}

// Asks for a new index. Indices that other directions asked for are reported to this one when
// known.
static bool ask_one(struct scalarization *d, uint32_t k, uint64_t *out, bool *failed)
{
    while (make_room_for_question(d)) {
        uint64_t index;
        if (strategy_ask(d->strategies[k], &index, 1) == 0)
            return false;
        struct question *a = slot_of(d->slots, d->capacity, index);
        bool is_new = a->mask == 0;
        if (is_new)
            *a = (struct question){.index = index};
        a->mask |= 1u << k;
        d->used += is_new;
        *out = index;
        if (is_new)
            return true;
        if (a->done)
            tell_one(d, k, a);
    }
    *failed = true;
    return false;
}

size_t scalarization_ask(struct scalarization *d, uint64_t *out, size_t capacity, bool *failed)
{
    size_t count = 0;
    uint32_t idle = 0; // directions in a row without a question
    *failed = false;
    if (d->count == 1)
        return strategy_ask(d->strategies[0], out, capacity);
    while (count < capacity && idle < d->count && !*failed) {
        bool got = ask_one(d, d->next, &out[count], failed);
        d->next = (d->next + 1) % d->count;
        count += got;
        idle = got ? 0 : idle + 1;
    }
    return count;
}

bool scalarization_wait(struct scalarization *d, int timeout_ms)
{
    bool thinking = false;
    for (uint32_t k = 0; k < d->count; k++)
        thinking |= strategy_wait(d->strategies[k], thinking ? 0 : timeout_ms);
    return thinking;
}

const struct error *scalarization_why(const struct scalarization *d)
{
    for (uint32_t k = 0; k < d->count; k++) {
        if (d->strategies[k]->why.code)
            return &d->strategies[k]->why;
    }
    return NULL;
}

static const double *keep_values(struct scalarization *d, const double *values)
{
    return values ? arena_copy(&d->arena, values, d->objectives->count * sizeof *values) : NULL;
}

void scalarization_cost(struct scalarization *d, uint64_t index, double ns)
{
    uint32_t mask = d->count > 1 ? slot_of(d->slots, d->capacity, index)->mask : 1;
    for (uint32_t k = 0; k < d->count; k++) {
        if (mask >> k & 1)
            strategy_cost(d->strategies[k], index, ns);
    }
}

// Without memory a result says nothing.
void scalarization_tell(struct scalarization *d, uint64_t index, enum status status,
                        const double *values)
{
    struct question alone = {.index = index, .mask = 1}, *a = &alone;
    if (d->count > 1)
        a = slot_of(d->slots, d->capacity, index);
    if (!d->reference && d->objectives->count > 1)
        d->reference = keep_values(d, values);
    a->done = true;
    a->values = d->count > 1 ? keep_values(d, values) : values;
    bool lost = values && (!a->values || (!d->reference && d->objectives->count > 1));
    a->status = lost ? STATUS_RUNTIME : status;
    for (uint32_t k = 0; k < d->count; k++) {
        if (a->mask >> k & 1)
            tell_one(d, k, a);
    }
}

uint32_t scalarization_count(const struct scalarization *d)
{
    return d->count;
}

const struct strategy *scalarization_strategy(const struct scalarization *d)
{
    return d->strategies[0];
}
