// The fastest that the store knows of the space: they are in the ranking of a tune, asked for or
// not.
#include "measure/stats.h"
#include "space/space.h"
#include "tune_inside.h"

struct knowing {
    struct tune *t;
    uint32_t *choice;
    double *times; // of t->known, the least first
    size_t most;
    struct error e; // memory alone: what cannot be read is of another spec
};

static bool is_ours(const struct tune *t, const struct store_row *row)
{
    enum language language;
    return language_parse(row->language, &language) && language == t->o.device->language &&
           str_equal(row->device, t->o.device->name) &&
           str_equal(row->platform, t->o.device->platform);
}

static void insert(struct knowing *k, uint64_t index, double time)
{
    struct tune *t = k->t;
    size_t at = 0;
    for (size_t i = 0; i < t->known_count; i++) {
        if (t->known[i] == index)
            return; // rows come newest first
    }
    while (at < t->known_count && k->times[at] <= time)
        at++;
    if (at == k->most)
        return;
    t->known_count += t->known_count < k->most;
    for (size_t i = t->known_count - 1; i > at; i--) {
        t->known[i] = t->known[i - 1];
        k->times[i] = k->times[i - 1];
    }
    t->known[at] = index;
    k->times[at] = time;
}

static bool note(void *context, const struct store_row *row)
{
    struct knowing *k = context;
    const struct spec *spec = k->t->o.spec;
    struct error unreadable = ERROR_INIT;
    const uint64_t *samples;
    uint32_t count;
    uint64_t index;
    if (!is_ours(k->t, row) || !result_samples(row->result, &samples, &count) || count == 0)
        return true;
    spec_default(spec, k->choice);
    if (!spec_parse_configuration(spec, row->configuration, k->choice, &unreadable)) {
        if (unreadable.code == ERROR_MEMORY)
            k->e = unreadable;
        return !k->e.code;
    }
    if (space_find(k->t->stages.space, k->choice, &index))
        insert(k, index, stats_median(samples, count));
    return true;
}

// Those that no ranking would take leave.
static void leave_near(struct knowing *k)
{
    struct tune *t = k->t;
    while (t->known_count > 0 && k->times[t->known_count - 1] > t->o.terms.rules.near * k->times[0])
        t->known_count--;
}

static bool is_of_use(const struct tune *t)
{
    const struct tune_options *o = &t->o;
    const struct measure_rules *rules = &o->terms.rules;
    bool covers = t->planned >= space_count(t->stages.space) && o->budget.nanoseconds == 0;
    return o->store && !o->fresh && !o->replay && !o->build_only && !o->no_timing && !o->keep &&
           t->by_time && !rules->fixed && !rules->unranked && !covers;
}

bool tune_known_find(struct tune *t, struct error *e)
{
    if (!is_of_use(t))
        return true;
    struct knowing k = {.t = t, .most = (size_t)t->o.terms.rules.contenders, .e = ERROR_INIT};
    t->known = arena_array(&t->arena, k.most, sizeof *t->known);
    t->known_items = arena_array(&t->arena, k.most, sizeof(struct item *));
    k.times = arena_array(&t->arena, k.most, sizeof *k.times);
    k.choice = arena_array(&t->arena, t->o.spec->parameter_count + 1, sizeof *k.choice);
    if (!t->known || !t->known_items || !k.times || !k.choice)
        return error_memory(e);
    const struct store_query query = {.spec_name = t->o.spec->name,
                                      .constants = t->stages.constants,
                                      .device = t->o.device->name,
                                      .source = &t->stages.source,
                                      .correct_only = true};
    if (!store_each(t->o.store, &query, note, &k, e))
        return false;
    if (k.e.code) {
        *e = k.e;
        return false;
    }
    leave_near(&k);
    return true;
}

bool tune_known_start(struct tune *t, size_t room, struct error *e)
{
    for (; room > 0 && t->known_next < t->known_count; room--) {
        uint64_t ticket = t->item_count;
        if (!tune_start_item(t, t->known[t->known_next], e))
            return false;
        struct item *n = t->items[ticket];
        n->unasked = true;
        t->unasked++;
        t->known_items[t->known_next++] = n;
    }
    return true;
}

bool tune_known_ask(struct tune *t, uint64_t index)
{
    for (size_t i = 0; i < t->known_next; i++) {
        struct item *n = t->known_items[i];
        if (t->known[i] != index)
            continue;
        n->unasked = false;
        t->unasked--;
        if (n->record.result)
            tune_goal_tell(t, &n->record);
        return true;
    }
    return false;
}
