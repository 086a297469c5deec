// Finds results for the space elsewhere in stores: each recorded space of the spec's name, except
// the tune's own, becomes a source of the search, the nearest first.
#include "workflows/elsewhere.h"
#include "recorded/read_store.h"
#include "workflows/tune/tune_inside.h"

#include <math.h>
#include <stdlib.h>

#define SOURCES_MOST  8      // more are not read
#define READ_MOST     16     // with those that say nothing
#define ROWS_MOST     100000 // of each but the nearest, or it is not read
#define RESULTS_LEAST 3
#define FAILED_MOST   8 // spaces without a correct result that are reported

// A stored space that may be read.
struct near_space {
    struct store *store;
    const struct stored_space *space;
    unsigned nearness;
    size_t order; // newest first, the user's own store before what ships with the spec
};

static int compare_nearness(const void *a, const void *b)
{
    const struct near_space *x = a, *y = b;
    if (x->nearness != y->nearness)
        return x->nearness > y->nearness ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

// In its own store: what the tune finds by itself, its results of today.
static bool is_here(const struct tune *t, const struct stored_space *s)
{
    struct digest identity;
    device_info_digest(t->o.setup.at.device, &identity);
    return str_equal(s->constants, t->subject.as.constants) &&
           str_equal(s->language, language_text(t->o.setup.at.device->language)) &&
           digest_equal(&s->identity, &identity) && digest_equal(&s->source, &t->subject.as.source);
}

// The same device at another size says most, then the same size elsewhere.
static unsigned nearness_of(const struct tune *t, const struct stored_space *s)
{
    const struct device_info *d = t->o.setup.at.device;
    return 4u * str_equal(s->device, d->name) + 2u * str_equal(s->platform, d->platform) +
           2u * str_equal(s->constants, t->subject.as.constants) +
           str_equal(s->language, language_text(d->language));
}

// False: an error. The list is in the arena.
static bool list_near(struct tune *t, struct store *store, struct arena *a, struct near_space **all,
                      size_t *count, struct error *e)
{
    struct stored_space *spaces;
    size_t found;
    if (!store)
        return true;
    if (!stored_spaces(store, t->o.setup.spec->name, NULL, STORED_NEWEST, a, &spaces, &found, e))
        return false;
    struct near_space *longer = arena_array(a, *count + found + 1, sizeof *longer);
    if (!longer)
        return error_memory(e);
    for (size_t i = 0; i < *count; i++)
        longer[i] = (*all)[i];
    *all = longer;
    for (size_t i = 0; i < found; i++) {
        bool is_own = store == t->o.setup.store && is_here(t, &spaces[i]);
        if (spaces[i].results < RESULTS_LEAST || is_own)
            continue;
        longer[*count] = (struct near_space){store, &spaces[i], nearness_of(t, &spaces[i]), *count};
        ++*count;
    }
    return true;
}

// The results that ship with a spec were not asked for: failing to read them does not end a tune.
static bool list_known(struct tune *t, struct arena *a, struct near_space **all, size_t *count,
                       struct error *e)
{
    struct error broken = ERROR_INIT;
    if (list_near(t, t->o.setup.known, a, all, count, &broken))
        return true;
    if (broken.code == ERROR_MEMORY)
        return error_memory(e);
    log_add(t->o.setup.log, LOG_WARNING, "what is known is not an input of the search: %s",
            broken.text);
    return true;
}

static const char *name_of_space(struct tune *t, const struct stored_space *s)
{
    return arena_printf(&t->arena, "%s (%s)%s%s", s->device, s->language,
                        s->constants[0] ? ", " : "", s->constants);
}

// Leaves out a space that cannot be read or has no results of this space, with a note in the log.
// There is no note if it ships with the spec: that has only the best of some devices, and was not
// asked for.
static bool add_source(struct tune *t, const struct near_space *n, struct error *e)
{
    struct error unreadable = ERROR_INIT;
    struct text why = TEXT_INIT;
    const char *name = name_of_space(t, n->space);
    if (!name)
        return error_memory(e);
    struct recorded *from = read_stored_space(n->store, n->space, t->o.setup.log, &unreadable);
    bool ok = unreadable.code != ERROR_MEMORY || error_memory(e);
    if (from)
        ok = sources_add(&t->elsewhere, t->subject.space, from, NULL, name, &why, e);
    if ((unreadable.code || why.length > 0) && n->store != t->o.setup.known)
        log_add(t->o.setup.log, LOG_NOTE, "results of %s are not used by the search: %s", name,
                unreadable.code ? unreadable.text : text_cstr(&why));
    text_release(&why);
    recorded_free(from);
    return ok;
}

// Where all is tried there is nothing to choose.
static bool is_of_use(const struct tune *t, const struct strategy_setup *setup)
{
    const struct tune_options *o = &t->o;
    bool covers = setup->budget > 0 && setup->budget >= space_count(setup->space);
    return !o->no_transfer && !o->replay && !o->setup.build_only && !o->setup.fresh && t->by_time &&
           !covers && strategy_hears(o->strategy, setup);
}

static bool count_one(void *context, const struct store_row *row)
{
    (void)row;
    ++*(uint64_t *)context;
    return true;
}

// A space without a correct result cannot be a source, but it is reported.
static bool note_failed(struct tune *t, const struct near_space *n, struct tune_source *failed,
                        uint32_t *count, struct error *e)
{
    if (*count == FAILED_MOST)
        return true;
    struct tune_source *f = &failed[(*count)++];
    struct error broken = ERROR_INIT;
    *f = (struct tune_source){.name = name_of_space(t, n->space), .is_failed = true};
    if (!stored_space_each(n->store, n->space, count_one, &f->results, &broken))
        f->results = n->space->results; // with those of configurations that were tried again
    return (f->name && broken.code != ERROR_MEMORY) || error_memory(e);
}

// For reports: the sources, filled in later, and those where all failed.
static bool list_sources(struct tune *t, const struct tune_source *failed, uint32_t failed_count,
                         struct error *e)
{
    uint32_t count = t->elsewhere.count;
    t->source_count = count + failed_count;
    if (t->source_count == 0)
        return true;
    t->sources = arena_array(&t->arena, t->source_count, sizeof *t->sources);
    t->heard = arena_array(&t->arena, count + 1, sizeof *t->heard);
    t->recommended = arena_array(&t->arena, count + 1, sizeof *t->recommended);
    if (!t->sources || !t->heard || !t->recommended)
        return error_memory(e);
    for (uint32_t i = 0; i < failed_count; i++)
        t->sources[count + i] = failed[i];
    return true;
}

bool tune_sources_find(struct tune *t, const struct strategy_setup *setup, struct error *e)
{
    struct arena arena;
    struct near_space *near = NULL;
    struct tune_source failed[FAILED_MOST];
    uint32_t failed_count = 0;
    size_t count = 0, timed = 0;
    if (!is_of_use(t, setup))
        return true;
    arena_init(&arena);
    bool ok = list_near(t, t->o.setup.store, &arena, &near, &count, e) &&
              list_known(t, &arena, &near, &count, e);
    if (ok && count > 0)
        qsort(near, count, sizeof *near, compare_nearness);
    for (size_t i = 0; ok && i < count; i++) {
        const struct stored_space *s = near[i].space;
        size_t place = timed;
        timed += s->is_timed;
        if (!s->is_timed)
            ok = note_failed(t, &near[i], failed, &failed_count, e);
        else if (place < READ_MOST && t->elsewhere.count < SOURCES_MOST &&
                 (place == 0 || s->results <= ROWS_MOST))
            ok = add_source(t, &near[i], e);
    }
    arena_release(&arena);
    return ok && list_sources(t, failed, failed_count, e);
}

// ---- what they were worth ----------------------------------------------------------------------

// Looks at the records that are new since the last call.
static void note_recommended(struct tune *t)
{
    for (; t->recommended_seen < t->items.record_count; t->recommended_seen++) {
        const struct tune_record *r = record_at(t, t->recommended_seen);
        for (uint32_t i = 0; i < t->elsewhere.count; i++) {
            uint32_t count;
            const uint64_t *indices = source_best(t->elsewhere.items[i], &count);
            for (uint32_t k = 0; k < count && k < SOURCE_BEST_SHOWN; k++) {
                if (indices[k] == r->index)
                    t->recommended[i][k] = r;
            }
        }
    }
}

// A ranked time does not compare with a screened one: tune_compare() compares like with like.
static bool is_faster(const struct tune *t, const struct tune_record *a,
                      const struct tune_record *b)
{
    struct tune_speedup s;
    tune_compare(t, b, a, &s);
    return s.known ? s.ratio.ratio > 1 : tune_record_ns(a) < tune_record_ns(b);
}

static const struct tune_record *best_of_source(const struct tune *t, uint32_t source)
{
    const struct tune_record *best = NULL;
    for (uint32_t k = 0; k < SOURCE_BEST_SHOWN; k++) {
        const struct tune_record *r = t->recommended[source][k];
        if (r && r == t->progress.best)
            return r;
        if (r && r->timed && (!best || is_faster(t, r, best)))
            best = r;
    }
    return best;
}

void tune_sources_progress(struct tune *t, struct tune_progress *out)
{
    uint32_t count = t->elsewhere.count;
    if (t->source_count == 0)
        return;
    if (count > 0)
        strategy_heard(scalarization_strategy(t->strategy), t->heard);
    note_recommended(t);
    for (uint32_t i = 0; i < count; i++) {
        const struct source *s = t->elsewhere.items[i];
        t->sources[i] = (struct tune_source){.name = source_name(s),
                                             .results = source_results(s),
                                             .shared = source_shared(s),
                                             .heard = t->heard[i],
                                             .best = best_of_source(t, i)};
        if (tune_is_over(t))
            tune_compare(t, t->sources[i].best, t->progress.best, &t->sources[i].behind);
    }
    out->sources = t->sources;
    out->source_count = t->source_count;
}
