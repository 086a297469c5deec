// The fastest that the store knows of the space: they are in the ranking of a tune, asked for or
// not. The store answers with the newest result of each job, the fastest first; of these the tune
// takes those that are the same jobs today and near the fastest.
#include "space/space.h"
#include "store/query/query.h"
#include "workflows/tune/tune_inside.h"

#include <math.h>

// Is it of the space, and the same job today: the same options, sizes, arguments?
// *failed: no memory.
static bool is_known_today(struct tune *t, const struct store_fastest *row, uint32_t *choice,
                           uint64_t *index, bool *failed)
{
    struct error unreadable = ERROR_INIT;
    struct job *job = NULL;
    struct digest key;
    spec_default(t->o.setup.spec, choice);
    bool ok = spec_parse_configuration(t->o.setup.spec, row->configuration, choice, &unreadable) &&
              space_find(t->subject.space, choice, index) &&
              spec_job(t->o.setup.spec, t->subject.sources, t->o.setup.at.device, choice, &job,
                       &unreadable);
    *failed |= unreadable.code == ERROR_MEMORY;
    if (!ok)
        return false;
    job_key(job, t->o.setup.at.device, &key);
    job_free(job);
    return digest_equal(&key, &row->key);
}

static bool is_of_use(const struct tune *t)
{
    const struct tune_options *o = &t->o;
    bool covers = t->planned >= space_count(t->subject.space) && o->budget.nanoseconds == 0;
    return o->setup.store && !o->setup.fresh && !o->replay && t->by_time &&
           tune_rank_is_wanted(o) && !covers;
}

// As finalists.h would choose among them. False without memory.
static bool take_fastest(struct tune *t, const struct store_fastest *rows, size_t count)
{
    const struct measure_rules *rules = &t->o.setup.terms.rules;
    size_t most = count < (size_t)rules->contenders ? count : (size_t)rules->contenders;
    double fastest = INFINITY;
    uint32_t *choice = arena_array(&t->arena, t->o.setup.spec->parameter_count + 1, sizeof *choice);
    t->known = arena_array(&t->arena, most + 1, sizeof *t->known);
    t->known_items = arena_array(&t->arena, most + 1, sizeof(struct tune_item *));
    bool failed = !choice || !t->known || !t->known_items;
    for (size_t i = 0; !failed && i < count && t->known_count < most; i++) {
        if (rows[i].median > rules->near * fastest)
            break;
        if (!is_known_today(t, &rows[i], choice, &t->known[t->known_count], &failed))
            continue;
        fastest = fmin(fastest, rows[i].median);
        t->known_count++;
    }
    return !failed;
}

bool tune_known_find(struct tune *t, struct error *e)
{
    struct arena arena;
    struct digest identity;
    struct store_fastest *rows;
    size_t count;
    if (!is_of_use(t))
        return true;
    device_info_digest(t->o.setup.at.device, &identity);
    const struct store_query query = {.spec_name = t->o.setup.spec->name,
                                      .constants = t->subject.as.constants,
                                      .device_identity = &identity,
                                      .source = &t->subject.as.source,
                                      .today = true,
                                      .inputs = t->o.setup.terms.cold ? STORE_INPUTS_COLD
                                                                      : STORE_INPUTS_WARM,
                                      .telling = true,
                                      .lost = true,
                                      .newest = STORE_NEWEST_OF_JOB};
    arena_init(&arena);
    bool ok = store_fastest(t->o.setup.store, &query, &arena, &rows, &count, e) &&
              (take_fastest(t, rows, count) || error_memory(e));
    arena_release(&arena);
    return ok;
}

bool tune_known_start(struct tune *t, size_t room, struct error *e)
{
    for (; room > 0 && t->known_next < t->known_count; room--) {
        uint64_t ticket = t->items.count;
        if (!tune_start_item(t, t->known[t->known_next], e))
            return false;
        struct tune_item *n = item_at(t, ticket);
        n->unasked = true;
        t->unasked++;
        t->known_items[t->known_next++] = n;
    }
    return true;
}

bool tune_known_ask(struct tune *t, uint64_t index)
{
    for (size_t i = 0; i < t->known_next; i++) {
        struct tune_item *n = t->known_items[i];
        if (t->known[i] != index)
            continue;
        n->unasked = false;
        t->unasked--;
        if (n->record.result)
            tune_objective_tell(t, &n->record);
        return true;
    }
    return false;
}
