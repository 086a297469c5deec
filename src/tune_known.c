// The fastest that the store knows of the space: they are in the ranking of a tune, asked for or
// not.
#include "measure/stats.h"
#include "space/space.h"
#include "tune_inside.h"

struct knowing {
    struct tune *t;
    uint32_t *choice;
    struct contenders best; // indices of the space for tickets
    struct error e;         // memory alone: what cannot be read is of another spec
};

static bool is_ours(const struct tune *t, const struct store_row *row)
{
    enum language language;
    return language_parse(row->language, &language) && language == t->o.device->language &&
           str_equal(row->device, t->o.device->name) &&
           str_equal(row->platform, t->o.device->platform);
}

// Rows come newest first: of a configuration that is there already an older one says nothing.
static bool is_there(const struct contenders *c, uint64_t index)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->list[i].ticket == index)
            return true;
    }
    return false;
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
    if (space_find(k->t->stages.space, k->choice, &index) && !is_there(&k->best, index))
        contenders_consider(&k->best, index, stats_median(samples, count));
    return true;
}

static void forget(void *context, uint64_t index)
{
    (void)context;
    (void)index;
}

static bool is_of_use(const struct tune *t)
{
    const struct tune_options *o = &t->o;
    bool covers = t->planned >= space_count(t->stages.space) && o->budget.nanoseconds == 0;
    return o->store && !o->fresh && !o->replay && t->by_time && tune_rank_is_wanted(o) && !covers;
}

static bool read_store(struct knowing *k, struct error *e)
{
    const struct tune *t = k->t;
    const struct store_query query = {.spec_name = t->o.spec->name,
                                      .constants = t->stages.constants,
                                      .device = t->o.device->name,
                                      .source = &t->stages.source,
                                      .correct_only = true};
    if (!store_each(t->o.store, &query, note, k, e))
        return false;
    if (k->e.code)
        *e = k->e;
    return !k->e.code;
}

static bool take_over(struct tune *t, const struct contenders *best)
{
    t->known = arena_array(&t->arena, best->count + 1, sizeof *t->known);
    t->known_items = arena_array(&t->arena, best->count + 1, sizeof(struct item *));
    if (!t->known || !t->known_items)
        return false;
    for (; t->known_count < best->count; t->known_count++)
        t->known[t->known_count] = best->list[t->known_count].ticket;
    return true;
}

bool tune_known_find(struct tune *t, struct error *e)
{
    if (!is_of_use(t))
        return true;
    const struct measure_rules *rules = &t->o.terms.rules;
    struct knowing k = {.t = t, .e = ERROR_INIT};
    k.choice = arena_array(&t->arena, t->o.spec->parameter_count + 1, sizeof *k.choice);
    bool ok = (k.choice &&
               contenders_init(&k.best, (size_t)rules->contenders, rules->near, forget, NULL)) ||
              error_memory(e);
    ok = ok && read_store(&k, e) && (take_over(t, &k.best) || error_memory(e));
    contenders_release(&k.best);
    return ok;
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
