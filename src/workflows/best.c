// The best that a store knows of a spec. Rows that count are collected into groups that compare (one
// device with its driver, one source of the kernel, cold inputs or warm ones). The nearest group to
// what was asked for answers: its rankings are decided again from their stored samples, as they were
// decided when they were made, and the newest that covers what was asked for chooses; where nothing
// was ranked, or the objective is not the time, the newest result of each job counts. Only the one
// that was chosen is then read with its build log.

#include "workflows/best.h"

#include "search/subspace.h"
#include "stats/speedup.h"
#include "campaign/final_ranking.h"
#include "space/space.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *next;
    const char *id;
    const char *configuration;
    struct digest key;
    struct stats_summary stats;
    struct result *brief; // resources and, of a ranking or a fixed count, samples; in the arena
    uint64_t group_size;
    uint64_t age;    // 0: the newest row
    bool is_ranked;  // in a ranking with others
    bool is_newest;  // of its job
    bool is_counted; // its samples are a fixed count, with those of older results
    uint32_t
        wanted; // that count: where the newest result was taken anew (--fresh) it has all of it
};

// Results that compare: one device with its driver, constants, source.
struct group {
    struct group *next;
    const char *device, *platform, *driver, *constants;
    enum language language;
    struct digest identity, source;
    bool same_driver, same_source;
    bool cold; // its inputs were
    struct entry *entries;
    size_t count;
};

#define BUCKETS 4096

// The newest row of a job, with cold inputs or with warm ones.
struct seen {
    struct seen *next;
    struct digest key;
    bool cold, failed;
    struct entry *counted; // (or NULL) its samples are a fixed count, and older ones are added
};

struct search {
    const struct best_options *o;
    struct arena *a;
    const char *constants;  // only these; NULL: all
    struct digest identity; // of the device that is here
    struct digest source;
    struct space *space; // (or NULL) what --config and --where leave
    const char *part;    // the same in words
    struct group *groups;
    size_t group_count;
    struct seen *buckets[BUCKETS];
    uint64_t rows;
    bool by_time; // the objective is the time or an equivalent
    bool failed;  // no memory
};

// ---- collecting --------------------------------------------------------------------------------

static const uint32_t *read_entry_choice(struct search *s, const char *configuration)
{
    struct error ignored = ERROR_INIT;
    const uint32_t *choice = spec_choice(s->o->spec, configuration, s->a, &ignored);
    s->failed |= ignored.code == ERROR_MEMORY;
    return choice;
}

// A language that this hone does not know counts as none.
static enum language language_of_row(const struct store_row *row)
{
    enum language l;
    return language_parse(row->language, &l) ? l : LANGUAGE_COUNT;
}

static bool is_wanted_row(struct search *s, const struct store_row *row)
{
    uint64_t index;
    const struct best_options *o = s->o;
    const char *name = o->device ? o->device->name : o->name;
    const char *platform = o->device ? o->device->platform : o->platform;
    if (name && !str_equal(row->device, name))
        return false;
    if (platform && !str_equal(row->platform, platform))
        return false;
    if (o->languages && !(o->languages & 1u << language_of_row(row)))
        return false;
    if (!s->space)
        return true;
    const uint32_t *choice = read_entry_choice(s, row->configuration);
    return choice && space_find(s->space, choice, &index);
}

// The entry of the job's newest row; NULL without memory. Adds it if this row is the newest.
static struct seen *newest_of_job(struct search *s, const struct digest *key, bool cold,
                                  bool failed, bool *is_this)
{
    struct seen **bucket = &s->buckets[(key->bytes[0] | key->bytes[1] << 8) % BUCKETS];
    *is_this = false;
    for (struct seen *known = *bucket; known; known = known->next) {
        if (known->cold == cold && digest_equal(&known->key, key))
            return known;
    }
    struct seen *fresh = arena_alloc(s->a, sizeof *fresh);
    s->failed |= !fresh;
    if (fresh) {
        *fresh = (struct seen){*bucket, *key, cold, failed, NULL};
        *bucket = fresh;
    }
    *is_this = true;
    return fresh;
}

static const char *copy_best_text(struct search *s, const char *text)
{
    const char *own = arena_strdup(s->a, text ? text : "");
    s->failed |= !own;
    return own;
}

static struct group *best_group_of(struct search *s, const struct store_row *row)
{
    struct group **last = &s->groups;
    for (; *last; last = &(*last)->next) {
        const struct group *known = *last;
        if (digest_equal(&known->identity, &row->identity) && known->cold == row->cold &&
            str_equal(known->constants, row->constants) &&
            digest_equal(&known->source, &row->source))
            return *last;
    }
    struct group *g = arena_alloc(s->a, sizeof *g);
    s->failed |= !g;
    if (!g)
        return NULL;
    *g = (struct group){.device = copy_best_text(s, row->device),
                        .platform = copy_best_text(s, row->platform),
                        .driver = copy_best_text(s, row->driver),
                        .identity = row->identity,
                        .constants = copy_best_text(s, row->constants),
                        .language = language_of_row(row),
                        .source = row->source,
                        .cold = row->cold,
                        .same_driver = !s->o->device || digest_equal(&s->identity, &row->identity),
                        .same_source = row->result->stop == STOP_IMPORTED ||
                                       digest_equal(&s->source, &row->source)};
    *last = g;
    s->group_count++;
    return g;
}

static bool is_ranked(const struct result *r)
{
    static const uint8_t none[sizeof r->ranking];
    return r->stop == STOP_RANKED && memcmp(r->ranking, none, sizeof none) != 0;
}

// "256x256 / 16x16; ...": the work-items of the first launch's work-group, 0 where it is not known.
static uint64_t group_size_of(const char *geometry)
{
    const char *at = strstr(geometry, " / ");
    uint64_t size = at ? 1 : 0;
    for (at = at ? at + 3 : NULL; at;) {
        char *end;
        size *= strtoull(at, &end, 10);
        at = *end == 'x' ? end + 1 : NULL;
    }
    return size;
}

// The little of a result that decides; build logs may be long.
static struct result *brief_of(struct search *s, const struct store_row *row)
{
    const struct result *r = row->result;
    size_t samples = is_ranked(r) || row->fixed ? r->sample_count : 0;
    struct result *brief = arena_alloc(s->a, sizeof *brief);
    s->failed |= !brief;
    if (!brief)
        return NULL;
    *brief = (struct result){.batch = r->batch,
                             .warmups = r->warmups,
                             .warm = r->warm,
                             .stop = r->stop,
                             .sample_count = (uint32_t)samples,
                             .origin = r->origin ? copy_best_text(s, r->origin) : NULL};
    brief->terms = r->terms;
    brief->first_round = r->first_round;
    brief->part = is_ranked(r) ? copy_best_text(s, r->part) : "";
    brief->energy = r->energy;
    brief->energy.refused = "";
    memcpy(brief->ranking, r->ranking, sizeof brief->ranking);
    if (samples > 0)
        brief->samples_ns = arena_copy(s->a, r->samples_ns, samples * sizeof *r->samples_ns);
    if (r->resource_count > 0)
        brief->resources = arena_copy(s->a, r->resources, r->resource_count * sizeof *r->resources);
    brief->resource_count = brief->resources ? r->resource_count : 0;
    s->failed |= (samples > 0 && !brief->samples_ns) || (r->resource_count && !brief->resources);
    return brief;
}

static struct entry *add_group_entry(struct search *s, const struct store_row *row, bool is_newest)
{
    const uint64_t *samples;
    uint32_t count;
    struct group *g = best_group_of(s, row);
    struct entry *n = g ? arena_alloc(s->a, sizeof *n) : NULL;
    s->failed |= !n;
    if (!n || !result_samples(row->result, &samples, &count))
        return NULL;
    *n = (struct entry){.next = g->entries,
                        .id = copy_best_text(s, row->id),
                        .configuration = copy_best_text(s, row->configuration),
                        .key = row->key,
                        .brief = brief_of(s, row),
                        .group_size = group_size_of(row->geometry),
                        .age = s->rows,
                        .is_ranked = is_ranked(row->result),
                        .is_newest = is_newest,
                        .is_counted = is_newest && row->fixed,
                        .wanted = row->launches};
    stats_summarise(samples, count, row->result->terms.resolution_ns, &n->stats);
    g->entries = n;
    g->count++;
    return n;
}

// Fixed counts add up within a store: see store_find().
static bool adds_up(const struct result *newer, const struct store_row *row)
{
    const struct result *r = row->result;
    bool same_store = r->origin && newer->origin ? str_equal(r->origin, newer->origin)
                                                 : r->origin == newer->origin;
    return row->fixed && r->status == STATUS_CORRECT && same_store &&
           result_samples_alike(newer, r);
}

static void add_samples(struct search *s, struct entry *n, const struct result *older)
{
    size_t count = older->sample_count, more = n->brief->sample_count;
    uint64_t *all = arena_array(s->a, count + more, sizeof *all);
    s->failed |= !all;
    if (!all)
        return;
    memcpy(all, older->samples_ns, count * sizeof *all);
    memcpy(all + count, n->brief->samples_ns, more * sizeof *all);
    n->brief->samples_ns = all;
    n->brief->sample_count = (uint32_t)(count + more);
    stats_summarise(all, count + more, n->brief->terms.resolution_ns, &n->stats);
}

// Rows come newest first, each timed or a failure. An older result of a job counts only in the
// ranking that it was part of, or where its samples add up with newer ones, and not at all once the
// job has failed: that counts for cold inputs and for warm ones.
static bool collect_best_row(void *context, const struct store_row *row)
{
    struct search *s = context;
    bool is_newest, failed = row->status != STATUS_CORRECT;
    s->rows++;
    if (!is_wanted_row(s, row))
        return !s->failed;
    if (failed)
        newest_of_job(s, &row->key, !row->cold, true, &is_newest);
    struct seen *since = newest_of_job(s, &row->key, row->cold, failed, &is_newest);
    struct entry *added = NULL;
    if (since && !failed && (is_newest || (!since->failed && is_ranked(row->result))))
        added = add_group_entry(s, row, is_newest);
    if (added && added->is_counted)
        since->counted = added;
    else if (since && !failed && since->counted &&
             since->counted->brief->sample_count < since->counted->wanted &&
             adds_up(since->counted->brief, row))
        add_samples(s, since->counted, row->result);
    return !s->failed;
}

// Fills `s`, whose space is the caller's to free.
static bool start_search(struct search *s, const struct best_options *o, struct arena *a, bool all,
                         struct error *e)
{
    struct text constants = TEXT_INIT, part = TEXT_INIT;
    struct space_options asked = o->space;
    asked.device = o->device;
    asked.share = (struct space_share){0};
    *s = (struct search){.o = o, .a = a};
    s->by_time =
        all || o->objectives.count == 0 || objective_is_time(&o->objectives, o->spec, o->device);
    if (o->device)
        device_info_digest(o->device, &s->identity);
    if (o->sources)
        spec_sources_digest(o->sources, &s->source);
    spec_constants_text(o->spec, &constants);
    s->constants = all ? NULL : copy_best_text(s, text_cstr(&constants));
    s->failed |= constants.failed || !subspace_text(&asked, &part);
    s->part = copy_best_text(s, text_cstr(&part));
    text_release(&part);
    text_release(&constants);
    if (s->failed)
        return error_memory(e);
    bool is_part = asked.configuration_count > 0 || asked.where_count > 0;
    if (is_part && !(s->space = space_new(o->spec, &asked, e)))
        return false;
    struct store_query query = o->among;
    query.spec_name = o->stored_as ? o->stored_as : o->spec->name;
    query.constants = s->constants;
    query.device = o->device ? o->device->name : o->name;
    query.today = query.imported = query.telling = true;
    bool ok = store_each(o->store, &query, collect_best_row, s, e);
    query.today = false;
    if (ok && s->rows == 0 && o->older_rule)
        ok = store_each(o->store, &query, collect_best_row, s, e);
    return ok && (!s->failed || error_memory(e));
}

// ---- choosing ----------------------------------------------------------------------------------

static int by_entry_median(const void *a, const void *b)
{
    const struct entry *x = *(const struct entry *const *)a, *y = *(const struct entry *const *)b;
    if (x->stats.median != y->stats.median)
        return x->stats.median < y->stats.median ? -1 : 1;
    return strcmp(x->configuration, y->configuration);
}

// The entries that are the newest of their job, fastest first.
static struct entry **sorted_entries(struct search *s, const struct group *g, size_t *count)
{
    struct entry **list = arena_array(s->a, g->count + 1, sizeof(struct entry *));
    *count = 0;
    s->failed |= !list;
    for (struct entry *n = list ? g->entries : NULL; n; n = n->next) {
        if (n->is_newest)
            list[(*count)++] = n;
    }
    if (list)
        qsort(list, *count, sizeof *list, by_entry_median);
    return list;
}

// Would the configuration be the same job today? Without the device that cannot be told: then yes. What was imported has a
// key of its own, which tells nothing.
static bool is_same_job(struct search *s, const struct entry *n)
{
    const struct best_options *o = s->o;
    struct error ignored = ERROR_INIT;
    struct job *job = NULL;
    const uint32_t *choice =
        o->device && o->sources ? read_entry_choice(s, n->configuration) : NULL;
    if (!o->device || !o->sources)
        return true;
    if (n->brief->stop == STOP_IMPORTED)
        return choice;
    bool ok = choice && spec_job(o->spec, o->sources, o->device, choice, &job, &ignored);
    s->failed |= ignored.code == ERROR_MEMORY;
    if (!ok)
        return false;
    bool same = job_has_key(job, o->device, &n->key);
    job_free(job);
    return same;
}

static int group_rank(const struct group *g)
{
    return 2 * !g->same_source + !g->same_driver;
}

static bool is_of(const struct entry *n, const struct entry *of)
{
    return n->is_ranked && memcmp(n->brief->ranking, of->brief->ranking, 16) == 0;
}

// The newest entry of a ranking that is older than `age`; NULL: there is none.
static const struct entry *newest_ranked(const struct group *g, const struct entry *after)
{
    const struct entry *newest = NULL;
    for (const struct entry *n = g->entries; n; n = n->next) {
        bool later = !after || (n->age > after->age && !is_of(n, after));
        if (n->is_ranked && later && (!newest || n->age < newest->age))
            newest = n;
    }
    return newest;
}

// The fastest entry that is the same job; else the fastest.
static const struct entry *fastest_entry(struct search *s, const struct group *g, bool *other_job)
{
    size_t count;
    struct entry **list = sorted_entries(s, g, &count);
    *other_job = false;
    bool comparable = g->same_driver && g->same_source;
    for (size_t i = 0; list && i < count; i++) {
        if (!comparable || is_same_job(s, list[i]))
            return list[i];
    }
    *other_job = true;
    return list && count > 0 ? list[0] : NULL;
}

// ---- rankings ----------------------------------------------------------------------------------

// One ranking, decided again.
struct ranking {
    const struct entry **members; // by configuration, as they were ranked
    struct finalist *finalists;
    size_t count, winner;
    bool whole;  // it ends as these rules would end it: those that are left out do not matter
    bool covers; // there is one of all that was asked for, this or another
};

static int by_configuration(const void *a, const void *b)
{
    const struct entry *x = *(const struct entry *const *)a, *y = *(const struct entry *const *)b;
    return strcmp(x->configuration, y->configuration);
}

static bool has_member(const struct ranking *r, const struct entry *n)
{
    for (size_t i = 0; i < r->count; i++) {
        if (digest_equal(&r->members[i]->key, &n->key))
            return true;
    }
    return false;
}

// The members of the ranking that `of` is one of, as far as they are the same job today.
static bool gather_members(struct search *s, const struct group *g, const struct entry *of,
                           struct ranking *out)
{
    bool comparable = g->same_driver && g->same_source;
    *out = (struct ranking){.members = arena_array(s->a, g->count, sizeof(struct entry *)),
                            .finalists = arena_array(s->a, g->count, sizeof *out->finalists)};
    s->failed |= !out->members || !out->finalists;
    for (const struct entry *n = s->failed ? NULL : g->entries; n; n = n->next) {
        if (is_of(n, of) && !has_member(out, n) && (!comparable || is_same_job(s, n)))
            out->members[out->count++] = n;
    }
    if (out->count > 0)
        qsort(out->members, out->count, sizeof *out->members, by_configuration);
    return !s->failed && out->count > 0;
}

// As it was decided when it was made: by the same rules; the seed is in the ranking's id.
static bool decide(struct search *s, struct ranking *r)
{
    const struct result *first = r->members[0]->brief;
    struct measure_rules rules = measure_rules_default();
#define X(type, codec, name) rules.name = first->terms.name;
    RANKED_RULES(X)
#undef X
    for (size_t i = 0; i < r->count; i++)
        r->finalists[i] = (struct finalist){.estimate_ns = (uint64_t)r->members[i]->stats.median,
                                            .samples = r->members[i]->brief->samples_ns,
                                            .count = r->members[i]->brief->sample_count,
                                            .first_round = r->members[i]->brief->first_round};
    bool ok =
        final_ranking_again(r->finalists, r->count, &rules, final_ranking_seed(first->ranking),
                            first->terms.resolution_ns, false, &r->winner, &r->whole);
    s->failed |= !ok;
    return ok;
}

static bool is_below(const struct stats_summary *a, const struct stats_summary *b)
{
    return a->high < b->low;
}

// Does another ranking contain a configuration that did not compete here, and whose interval lies
// wholly below the winner's?
static bool may_beat(const struct group *g, const struct entry *of, const struct ranking *than)
{
    const struct stats_summary *winner = &than->members[than->winner]->stats;
    for (const struct entry *n = g->entries; n; n = n->next) {
        if (is_of(n, of) && !has_member(than, n) && is_below(&n->stats, winner))
            return true;
    }
    return false;
}

// One member of each ranking, the newest ranking first.
static const struct entry **rankings_of(struct search *s, const struct group *g, size_t *count)
{
    const struct entry **list = arena_array(s->a, g->count + 1, sizeof(struct entry *));
    *count = 0;
    s->failed |= !list;
    if (!list)
        return NULL;
    for (const struct entry *of = newest_ranked(g, NULL); of; of = newest_ranked(g, of)) {
        bool is_new = true; // one that was written down again has rows of several times
        for (size_t i = 0; is_new && i < *count; i++)
            is_new = !is_of(of, list[i]);
        if (is_new)
            list[(*count)++] = of;
    }
    return list;
}

// Is it one of all that was asked for? *by_whole: it is of the whole space, of which a part was
// asked for.
static bool covers(const struct search *s, const struct group *g, const struct entry *of,
                   bool *by_whole)
{
    bool is_whole = false, is_asked = false;
    for (const struct entry *n = g->entries; n; n = n->next) {
        if (!is_of(n, of))
            continue;
        is_whole |= !n->brief->part[0];
        is_asked |= str_equal(n->brief->part, s->part);
    }
    *by_whole = !is_asked;
    return is_whole || is_asked;
}

// The newest ranking of all that was asked for, else the newest. Returns its place among `heads`,
// `count` if there is none.
static size_t find_base(struct search *s, const struct group *g, const struct entry *const *heads,
                        size_t count, struct ranking *out)
{
    for (int any = 0; any <= 1; any++) {
        for (size_t i = 0; i < count && !s->failed; i++) {
            bool by_whole = false;
            if (!any && !covers(s, g, heads[i], &by_whole))
                continue;
            if (!gather_members(s, g, heads[i], out) || !decide(s, out) ||
                (by_whole && !out->whole))
                continue;
            out->covers = !any;
            return i;
        }
    }
    return count;
}

// Digests what a configuration really runs on the present device: identical configurations have one
// digest.
static bool effective(struct search *s, const uint32_t *choice, struct digest *out)
{
    const struct best_options *o = s->o;
    struct error ignored = ERROR_INIT;
    struct job *job = NULL;
    bool ok = o->device && o->sources &&
              spec_job(o->spec, o->sources, o->device, choice, &job, &ignored) &&
              spec_effective_digest(o->spec, o->sources, job, out);
    s->failed |= ignored.code == ERROR_MEMORY;
    job_free(job);
    return ok;
}

// Is it the default configuration, or what that is identical to?
static bool is_default_choice(struct search *s, const uint32_t *choice)
{
    const struct spec *spec = s->o->spec;
    struct digest own, its;
    uint32_t *usual = spec_choice(spec, "", s->a, NULL);
    s->failed |= !usual;
    if (!usual || !choice)
        return false;
    if (s->o->device && s->o->sources && !spec_baseline(s->o->sources, s->o->device, usual))
        return false;
    return memcmp(usual, choice, spec->parameter_count * sizeof *usual) == 0 ||
           (effective(s, usual, &own) && effective(s, choice, &its) && digest_equal(&own, &its));
}

// Which member is the answer: of those tied with the winner. The ranking's count without memory.
static size_t pick_member(struct search *s, const struct ranking *r, size_t *tied,
                          char why[TIE_BREAK_WHY])
{
    struct tie_candidate *c = arena_array(s->a, r->count, sizeof *c);
    size_t *at = arena_array(s->a, r->count, sizeof *at);
    s->failed |= !c || !at;
    *tied = 0;
    for (size_t i = 0; !s->failed && i < r->count; i++) {
        const struct entry *n = r->members[i];
        if (!r->finalists[i].placed || !r->finalists[i].entry.tied)
            continue;
        at[*tied] = i;
        const uint32_t *choice = read_entry_choice(s, n->configuration);
        c[(*tied)++] = (struct tie_candidate){.result = n->brief,
                                              .group_size = n->group_size,
                                              .choice = choice,
                                              .ratio = r->finalists[i].entry.ratio,
                                              .is_default = is_default_choice(s, choice)};
    }
    if (s->failed || *tied == 0)
        return r->count;
    double alike = r->members[0]->brief->terms.alike;
    return at[tie_break(c, *tied, alike, s->o->spec->parameter_count, why)];
}

// Did the answer of `of` take part in that ranking, too? Then it is the later word on the same.
static bool has_answer(struct search *s, const struct ranking *r, const struct ranking *of)
{
    size_t tied;
    char why[TIE_BREAK_WHY];
    size_t chosen = pick_member(s, of, &tied, why);
    return chosen < of->count && has_member(r, of->members[chosen]);
}

// The ranking that decides: see best_find().
static bool deciding(struct search *s, const struct group *g, struct ranking *out)
{
    size_t count;
    const struct entry **heads = rankings_of(s, g, &count);
    size_t base = heads ? find_base(s, g, heads, count, out) : 0;
    if (!heads || base == count)
        return false;
    // Rankings newer than the base in the order of time, then older ones.
    for (size_t i = 1; i < count && !s->failed; i++) {
        struct ranking r;
        bool newer = i <= base;
        const struct entry *of = heads[newer ? base - i : i];
        if (!newer && !may_beat(g, of, out))
            continue;
        if (!gather_members(s, g, of, &r) || !decide(s, &r))
            continue;
        const struct entry *winner = r.members[r.winner];
        bool beats =
            !has_member(out, winner) && is_below(&winner->stats, &out->members[out->winner]->stats);
        if (!beats && !(newer && has_answer(s, &r, out)))
            continue;
        r.covers = out->covers;
        *out = r;
    }
    return !s->failed;
}

// How much of the request its rankings cover: 0 all of it, 1 a part, 2 there is none.
static int distance_of_ranking(struct search *s, const struct group *g)
{
    struct ranking r;
    return !deciding(s, g, &r) ? 2 : !r.covers;
}

// Times with cold inputs and with warm ones do not compare. Of two groups that differ only in this,
// choose the one whose rankings cover more of the requested space, and the warm one if they are
// equal.
static const struct group *choose_inputs(struct search *s, const struct group *g)
{
    const struct group *other = s->groups;
    while (other &&
           !(other->cold != g->cold && digest_equal(&other->identity, &g->identity) &&
             str_equal(other->constants, g->constants) && digest_equal(&other->source, &g->source)))
        other = other->next;
    if (!other)
        return g;
    int own = distance_of_ranking(s, g), its = distance_of_ranking(s, other);
    bool is_own = own != its ? own < its : !g->cold;
    return is_own ? g : other;
}

static const struct group *nearest(struct search *s)
{
    const struct group *best = NULL;
    for (const struct group *g = s->groups; g; g = g->next) {
        if (!best || group_rank(g) < group_rank(best)) // groups come newest first
            best = g;
    }
    return best ? choose_inputs(s, best) : NULL;
}

// The fastest but the answer that was measured alone since, also one of the ranking, and is clearly faster than its winner.
static void name_faster(struct search *s, const struct group *g, const struct ranking *r,
                        const struct entry *answer, struct best_place *out)
{
    const struct stats_summary *winner = &r->members[r->winner]->stats;
    bool comparable = g->same_driver && g->same_source;
    for (const struct entry *n = g->entries; n; n = n->next) {
        bool clearly = n->is_newest && is_below(&n->stats, winner) &&
                       !digest_equal(&n->key, &answer->key) &&
                       !(n->is_ranked && has_member(r, n)) &&
                       (!out->faster || n->stats.median < out->faster_median);
        if (!clearly || (comparable && !is_same_job(s, n)))
            continue;
        out->faster = n->configuration;
        out->faster_median = n->stats.median;
    }
}

static const struct entry *choose_member(struct search *s, const struct ranking *r,
                                         struct best_place *out)
{
    size_t chosen = pick_member(s, r, &out->tied, out->why);
    if (chosen == r->count)
        return NULL;
    out->ranked = true;
    out->rank = r->finalists[chosen].entry;
    out->finalists = r->count;
    uint32_t rounds = final_ranking_rounds(r->finalists, r->count),
             own = r->finalists[chosen].count;
    out->rounds = r->finalists[chosen].first_round > 0 || own < rounds ? own : rounds;
    return r->members[chosen];
}

// ---- other objectives
// -------------------------------------------------------------------------------

// An entry that has values of the objectives.
struct valued {
    const struct entry *entry;
    double *values;
    double order; // by the first objective, less first
    size_t at;    // in the order of medians
};

struct valued_list {
    struct valued *items;
    size_t count;
};

static bool read_entry_values(struct search *s, const struct entry *n, struct valued *out)
{
    const struct objectives *g = &s->o->objectives;
    const uint32_t *choice = read_entry_choice(s, n->configuration);
    const struct spec_measured measured = {n->stats.median, result_joule(n->brief), NULL};
    double *values = arena_array(s->a, g->count, sizeof *values);
    s->failed |= !values;
    if (!choice || !values ||
        !objective_values(g, s->o->spec, choice, s->o->device, &measured, values))
        return false;
    *out = (struct valued){
        .entry = n, .values = values, .order = g->terms[0].maximise ? -values[0] : values[0]};
    return true;
}

static int by_objective_value(const void *a, const void *b)
{
    const struct valued *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

// The entries that are the same job today or, if there are none, all. Sorted by the first
// objective, then the time.
static struct valued_list values_of(struct search *s, const struct group *g, bool *other_job)
{
    size_t count;
    struct entry **list = sorted_entries(s, g, &count);
    bool comparable = g->same_driver && g->same_source;
    struct valued_list v = {.items = arena_array(s->a, count + 1, sizeof *v.items)};
    s->failed |= !v.items;
    for (int all = 0; all <= 1 && v.count == 0; all++) {
        *other_job = all;
        for (size_t i = 0; !s->failed && i < count; i++) {
            if ((!all && comparable && !is_same_job(s, list[i])) ||
                !read_entry_values(s, list[i], &v.items[v.count]))
                continue;
            v.items[v.count++].at = i;
        }
    }
    if (!s->failed)
        qsort(v.items, v.count, sizeof *v.items, by_objective_value);
    return v;
}

// The entry that answers; NULL: nothing has a value of the objective.
static const struct entry *find_answer(struct search *s, const struct group *g,
                                       struct best_answer *out)
{
    struct ranking ranking = {.members = NULL};
    if (!s->by_time) {
        struct valued_list v = values_of(s, g, &out->other_job);
        out->known = v.count;
        return v.count > 0 ? v.items[0].entry : NULL;
    }
    if (!deciding(s, g, &ranking))
        return s->failed ? NULL : fastest_entry(s, g, &out->other_job);
    bool is_one = s->space && space_count(s->space) == 1; // nothing else was requested
    if (!ranking.covers && !is_one)
        out->place.part = ranking.members[ranking.winner]->brief->part;
    const struct entry *answer = choose_member(s, &ranking, &out->place);
    if (answer)
        name_faster(s, g, &ranking, answer, &out->place);
    return answer;
}

// ---- the answer --------------------------------------------------------------------------------

struct fetch_row {
    struct search *search;
    const struct entry *entry;
    struct best_answer *out;
    bool done;
};

static bool keep_row(void *context, const struct store_row *row)
{
    struct fetch_row *f = context;
    struct search *s = f->search;
    struct best_answer *out = f->out;
    if (f->done) {
        if (digest_equal(&row->key, &out->key) && out->result->sample_count < f->entry->wanted &&
            adds_up(out->result, row))
            s->failed |= !result_samples_before(out->result, row->result);
        return !s->failed;
    }
    if (!str_equal(row->id, f->entry->id))
        return true;
    out->configuration = copy_best_text(s, row->configuration);
    out->configuration_json = copy_best_text(s, row->configuration_json);
    out->device = copy_best_text(s, row->device);
    out->platform = copy_best_text(s, row->platform);
    out->driver = copy_best_text(s, row->driver);
    out->constants = copy_best_text(s, row->constants);
    out->date = copy_best_text(s, row->date);
    out->hone_version = copy_best_text(s, row->hone_version);
    out->language = language_of_row(row);
    out->geometry = copy_best_text(s, row->geometry);
    out->choice = read_entry_choice(s, row->configuration);
    out->key = row->key;
    out->source = row->source;
    out->older_rule = row->measuring_version < HONE_MEASURING_VERSION;
    out->result = result_clone(row->result);
    s->failed |= !out->result;
    if (out->result)
        out->result->reused = true;
    f->done = true;
    return f->entry->is_counted && !s->failed; // older samples are added
}

// Was what an older rule verified verified again by the one of today? Nothing is known of times then.
static void take_verification(struct search *s, struct best_answer *out)
{
    const struct best_options *o = s->o;
    struct error ignored = ERROR_INIT;
    struct store_question q = {.alone = true};
    struct job *job = NULL;
    if (out->result->verification != VERIFICATION_OLDER || !o->device || !o->sources ||
        !out->choice || !spec_job(o->spec, o->sources, o->device, out->choice, &job, &ignored))
        return;
    job_key(job, o->device, &q.key);
    job_free(job);
    struct result *again = store_find(o->store, &q, NULL, &ignored);
    if (again && again->status == STATUS_CORRECT)
        out->result->verification = again->verification;
    result_free(again);
}

// Fills in the rest of the answer that the entry is.
static bool fetch_answer(struct search *s, const struct group *g, const struct entry *n,
                         struct best_answer *out, struct error *e)
{
    struct fetch_row f = {.search = s, .entry = n, .out = out};
    const struct store_query query = {.spec_name =
                                          s->o->stored_as ? s->o->stored_as : s->o->spec->name,
                                      .constants = g->constants,
                                      .key = &n->key,
                                      .correct_only = true,
                                      .logs = true};
    out->cold = g->cold;
    out->other_driver = !g->same_driver;
    out->other_source = !g->same_source;
    bool ok = store_each(s->o->store, &query, keep_row, &f, e);
    if (ok && f.done && !s->failed) {
        const struct result *r = out->result;
        stats_summarise(r->samples_ns, r->sample_count, r->terms.resolution_ns, &out->stats);
        take_verification(s, out);
        return true;
    }
    result_free(out->result);
    out->result = NULL;
    if (s->failed)
        return error_memory(e);
    return error_set(e, ERROR_STORE, "%s: a result is gone", store_path(s->o->store));
}

static bool refuse_unvalued(const struct search *s, struct error *e)
{
    struct text text = TEXT_INIT;
    objective_text(&s->o->objectives, &text);
    error_set(e, ERROR_DEVICE, "%s: no result has a value of %s", store_path(s->o->store),
              text_cstr(&text));
    text_release(&text);
    return false;
}

static bool answer_group(struct search *s, const struct group *g, struct best_answer *out,
                         struct error *e)
{
    memset(out, 0, sizeof *out);
    const struct entry *n = find_answer(s, g, out);
    if (s->failed || (!n && s->by_time))
        return error_memory(e);
    return n ? fetch_answer(s, g, n, out, e) : refuse_unvalued(s, e);
}

bool best_is_of_today(const struct best_answer *b)
{
    return b->choice && !b->other_driver && !b->other_source && !b->other_job && !b->older_rule;
}

bool best_find(const struct best_options *o, struct arena *a, struct best_answer *out, bool *found,
               struct error *e)
{
    struct search s;
    *found = false;
    bool ok = start_search(&s, o, a, false, e);
    const struct group *g = ok ? nearest(&s) : NULL;
    *found = g != NULL;
    if (g)
        ok = answer_group(&s, g, out, e);
    space_free(s.space);
    return ok;
}

// ---- the ranking as a whole --------------------------------------------------------------------

static int by_finalist_place(const void *a, const void *b)
{
    const struct best_finalist *x = a, *y = b;
    if (x->placed != y->placed)
        return x->placed ? -1 : 1;
    return x->placed ? (x->entry.place > y->entry.place) - (x->entry.place < y->entry.place)
                     : strcmp(x->configuration, y->configuration);
}

static void copy_finalist(struct search *s, const struct ranking *r, size_t i,
                          struct best_finalist *out)
{
    const struct entry *n = r->members[i];
    const struct result *brief = n->brief;
    uint32_t batch = brief->batch ? brief->batch : 1;
    *out = (struct best_finalist){.configuration = n->configuration,
                                  .samples = brief->samples_ns,
                                  .count = brief->sample_count,
                                  .first_round = brief->first_round,
                                  .batch = batch,
                                  .result = brief,
                                  .placed = r->finalists[i].placed,
                                  .entry = r->finalists[i].entry};
    stats_summarise(out->samples, out->count, brief->terms.resolution_ns, &out->stats);
    out->is_default = is_default_choice(s, read_entry_choice(s, n->configuration));
}

// As the tune that ranked them said it (tune_speedup()).
static void rank_speedup(const struct result *of, struct best_ranking *out)
{
    const struct best_finalist *base = NULL, *best = NULL;
    for (size_t i = 0; i < out->count; i++) {
        const struct best_finalist *f = &out->finalists[i];
        base = f->is_default && f->placed ? f : base;
        best = f->chosen ? f : best;
    }
    out->has_speedup = base && best;
    if (!out->has_speedup)
        return;
    if (base == best)
        out->speedup = (struct stats_ratio){1, 1, 1, true};
    else
        speedup_of_finalists(&(struct speedup_side){&base->entry, base->samples, base->count},
                             &(struct speedup_side){&best->entry, best->samples, best->count},
                             base->first_round > 0, of->terms.level, of->terms.resolution_ns,
                             &out->speedup);
}

static bool fill_ranking(struct search *s, const struct group *g, struct best_ranking *out)
{
    struct ranking r;
    if (!g || !s->by_time || !deciding(s, g, &r))
        return !s->failed;
    size_t chosen = pick_member(s, &r, &out->tied, out->why);
    out->finalists = arena_array(s->a, r.count, sizeof *out->finalists);
    s->failed |= !out->finalists;
    for (size_t i = 0; !s->failed && i < r.count; i++) {
        copy_finalist(s, &r, i, &out->finalists[i]);
        out->finalists[i].chosen = i == chosen;
    }
    if (s->failed)
        return false;
    const struct result *first = r.members[0]->brief;
    out->count = r.count;
    out->part = r.covers ? NULL : r.members[r.winner]->brief->part;
    out->rounds = final_ranking_rounds(r.finalists, r.count);
    out->level = first->terms.level;
    for (size_t i = 0; i < 16; i++)
        str_format(out->id + 2 * i, sizeof out->id - 2 * i, "%02x", first->ranking[i]);
    qsort(out->finalists, out->count, sizeof *out->finalists, by_finalist_place);
    rank_speedup(first, out);
    return true;
}

bool best_ranking(const struct best_options *o, struct arena *a, struct best_ranking *out,
                  struct error *e)
{
    struct search s;
    memset(out, 0, sizeof *out);
    bool ok = start_search(&s, o, a, false, e);
    if (ok && !fill_ranking(&s, nearest(&s), out))
        ok = error_memory(e);
    space_free(s.space);
    return ok;
}

static bool answer_pareto(struct search *s, const struct group *g, struct best_answer **out,
                          size_t *count, struct error *e)
{
    bool other_job;
    size_t width = s->o->objectives.count;
    struct valued_list v = values_of(s, g, &other_job);
    double *values = arena_array(s->a, (v.count + 1) * width, sizeof *values);
    bool *member = arena_array(s->a, v.count + 1, sizeof *member);
    *out = arena_array(s->a, v.count + 1, sizeof **out);
    if (s->failed || !values || !member || !*out)
        return error_memory(e);
    for (size_t i = 0; i < v.count; i++)
        memcpy(values + i * width, v.items[i].values, width * sizeof *values);
    objective_pareto(&s->o->objectives, values, v.count, member);
    for (size_t i = 0; i < v.count; i++) {
        struct best_answer *a = &(*out)[*count];
        if (!member[i])
            continue;
        *a = (struct best_answer){.known = v.count, .other_job = other_job};
        if (!fetch_answer(s, g, v.items[i].entry, a, e))
            return false;
        ++*count;
    }
    return v.count > 0 || refuse_unvalued(s, e);
}

bool best_pareto(const struct best_options *o, struct arena *a, struct best_answer **out,
                 size_t *count, struct error *e)
{
    struct search s;
    *out = NULL;
    *count = 0;
    bool ok = start_search(&s, o, a, false, e);
    const struct group *g = ok ? nearest(&s) : NULL;
    if (g && !answer_pareto(&s, g, out, count, e)) {
        best_release_all(*out, *count);
        *count = 0;
        ok = false;
    }
    space_free(s.space);
    return ok;
}

// ---- all ---------------------------------------------------------------------------------------

// The first group of its device and constants: the others are of older drivers or sources.
static bool is_first(const struct search *s, const struct group *g)
{
    for (const struct group *other = s->groups; other != g; other = other->next) {
        if (str_equal(other->device, g->device) && str_equal(other->platform, g->platform) &&
            str_equal(other->constants, g->constants))
            return false;
    }
    return true;
}

bool best_all(const struct best_options *o, struct arena *a, struct best_answer **out,
              size_t *count, struct error *e)
{
    struct search s;
    *count = 0;
    bool ok = start_search(&s, o, a, true, e);
    *out = arena_array(a, s.group_count + 1, sizeof **out);
    if (ok && !*out)
        ok = error_memory(e);
    for (const struct group *g = ok ? s.groups : NULL; g && ok; g = g->next) {
        if (!is_first(&s, g))
            continue;
        ok = answer_group(&s, choose_inputs(&s, g), &(*out)[*count], e);
        *count += ok;
    }
    space_free(s.space);
    return ok;
}

void best_release_all(struct best_answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        result_free(answers[i].result);
}

bool best_devices(const struct best_options *o, struct arena *a, struct device_info **out,
                  size_t *count, struct error *e)
{
    struct search s;
    *count = 0;
    bool ok = start_search(&s, o, a, true, e);
    *out = arena_array(a, s.group_count + 1, sizeof **out);
    if (ok && !*out)
        ok = error_memory(e);
    for (const struct group *g = ok ? s.groups : NULL; g; g = g->next) {
        bool known = false;
        for (size_t i = 0; i < *count; i++)
            known = known || (str_equal((*out)[i].name, g->device) &&
                              str_equal((*out)[i].platform, g->platform) &&
                              (*out)[i].language == g->language);
        if (!known)
            (*out)[(*count)++] = (struct device_info){.language = g->language,
                                                      .name = g->device,
                                                      .platform = g->platform,
                                                      .driver = g->driver,
                                                      .id = "",
                                                      .uuid = "",
                                                      .pci = ""};
    }
    space_free(s.space);
    return ok;
}

// ---- of several stores -------------------------------------------------------------------------

static int distance_of_best(const struct best_answer *b)
{
    return 8 * b->older_rule + 4 * b->other_source + 2 * b->other_driver + b->other_job;
}

bool best_find_in(const struct best_options *o, struct store *const *stores, struct arena *a,
                  struct best_answer *out, bool *found, struct error *e)
{
    struct best_options of = *o;
    *found = false;
    for (; *stores && (!*found || distance_of_best(out) > 0); stores++) {
        struct best_answer more = {.result = NULL};
        bool there;
        of.store = *stores;
        if (!best_find(&of, a, &more, &there, e)) {
            if (*found)
                result_free(out->result);
            return false;
        }
        if (there && *found && distance_of_best(&more) >= distance_of_best(out)) {
            result_free(more.result);
        } else if (there) {
            if (*found)
                result_free(out->result);
            *out = more;
            *found = true;
        }
    }
    return true;
}

bool best_find_today(const struct best_options *o, struct store *const *stores,
                     const struct log *log, struct arena *a, struct best_answer *out, bool *found,
                     struct error *e)
{
    struct best_options of = *o;
    struct spec_sources *sources =
        spec_sources_read(o->spec, o->device->language, o->device, log, e);
    of.sources = sources;
    bool ok = sources && best_find_in(&of, stores, a, out, found, e);
    spec_sources_free(sources);
    return ok;
}

bool best_in_place_of(const struct setup *s, const struct objectives *objectives, struct arena *a,
                      struct best_answer *out, bool *found, struct error *e)
{
    struct store *const stores[] = {s->store, NULL};
    struct best_options o = {.spec = s->spec,
                             .device = s->at.device,
                             .space = s->space,
                             .among.inputs = s->terms.cold ? STORE_INPUTS_COLD : STORE_INPUTS_WARM};
    *found = false;
    if (objectives)
        o.objectives = *objectives;
    if (s->fresh || !s->store)
        return true;
    if (!best_find_today(&o, stores, s->log, a, out, found, e)) {
        *found = false;
        return false;
    }
    if (*found && !best_is_of_today(out)) {
        result_free(out->result);
        *found = false;
    }
    return true;
}

bool best_pareto_in(const struct best_options *o, struct store *const *stores, struct arena *a,
                    struct best_answer **out, size_t *count, struct error *e)
{
    struct best_options of = *o;
    *count = 0;
    for (; *stores && (*count == 0 || distance_of_best(*out) > 0); stores++) {
        struct best_answer *more;
        size_t there;
        of.store = *stores;
        if (!best_pareto(&of, a, &more, &there, e)) {
            best_release_all(*out, *count);
            return false;
        }
        bool nearer = there > 0 && (*count == 0 || distance_of_best(more) < distance_of_best(*out));
        best_release_all(nearer ? *out : more, nearer ? *count : there);
        *out = nearer ? more : *out;
        *count = nearer ? there : *count;
    }
    return true;
}
