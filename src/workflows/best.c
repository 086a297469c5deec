#include "best.h"

#include "part.h"
#include "settle.h"
#include "space/space.h"

#include <stdlib.h>
#include <string.h>

// The store is read twice: first what decides, then the one result that was chosen; a store may
// hold many results with long build logs.

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
};

// Results that compare: one device with its driver, constants, source.
struct group {
    struct group *next;
    const char *device, *platform, *driver, *identity, *constants, *newest;
    enum language language;
    struct digest source;
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
    const char *constants; // only these; NULL: all
    char identity[65];     // of the device that is here
    struct digest source;
    struct space *space; // (or NULL) what --config and --where leave
    const char *part;    // the same in words
    struct group *groups;
    struct seen *buckets[BUCKETS];
    uint64_t rows;
    bool by_time; // the goal is the time or the like
    bool failed;  // no memory
};

// ---- collecting --------------------------------------------------------------------------------

static void identify(const struct device_info *device, char out[65])
{
    struct digest digest;
    device_info_digest(device, &digest);
    digest_hex(&digest, out);
}

static const uint32_t *read_choice(struct search *s, const char *configuration)
{
    struct error ignored = ERROR_INIT;
    const struct spec *spec = s->o->spec;
    uint32_t *choice = arena_array(s->a, spec->parameter_count + 1, sizeof *choice);
    s->failed |= !choice;
    if (!choice)
        return NULL;
    spec_default(spec, choice);
    bool ok = spec_parse_configuration(spec, configuration, choice, &ignored);
    s->failed |= ignored.code == ERROR_MEMORY;
    return ok ? choice : NULL;
}

// A language that this hone does not know is none.
static enum language language_of(const struct store_row *row)
{
    enum language l;
    return language_parse(row->language, &l) ? l : LANGUAGE_COUNT;
}

static bool is_wanted(struct search *s, const struct store_row *row)
{
    uint64_t index;
    const struct best_options *o = s->o;
    const char *name = o->device ? o->device->name : o->name;
    const char *platform = o->device ? o->device->platform : o->platform;
    if (name && !str_equal(row->device, name))
        return false;
    if (platform && !str_equal(row->platform, platform))
        return false;
    if (o->languages && !(o->languages & 1u << language_of(row)))
        return false;
    if (!s->space)
        return true;
    const uint32_t *choice = read_choice(s, row->configuration);
    return choice && space_find(s->space, choice, &index);
}

// What the newest row says of the job; NULL without memory. Noted when it is this one.
static struct seen *newest(struct search *s, const struct digest *key, bool cold, bool failed,
                           bool *is_this)
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

static bool belongs(const struct group *g, const struct store_row *row)
{
    return str_equal(g->identity, row->device_identity) && g->cold == row->cold &&
           str_equal(g->constants, row->constants) && digest_equal(&g->source, &row->source);
}

static const char *copy(struct search *s, const char *text)
{
    const char *own = arena_strdup(s->a, text ? text : "");
    s->failed |= !own;
    return own;
}

static struct group *group_of(struct search *s, const struct store_row *row)
{
    struct group **last = &s->groups;
    for (; *last; last = &(*last)->next) {
        if (belongs(*last, row))
            return *last;
    }
    struct group *g = arena_alloc(s->a, sizeof *g);
    s->failed |= !g;
    if (!g)
        return NULL;
    *g =
        (struct group){.device = copy(s, row->device),
                       .platform = copy(s, row->platform),
                       .driver = copy(s, row->driver),
                       .identity = copy(s, row->device_identity),
                       .constants = copy(s, row->constants),
                       .newest = copy(s, row->date),
                       .language = language_of(row),
                       .source = row->source,
                       .cold = row->cold,
                       .same_driver = !s->o->device || str_equal(s->identity, row->device_identity),
                       .same_source = row->result->stop == STOP_IMPORTED ||
                                      digest_equal(&s->source, &row->source)};
    *last = g;
    return g;
}

static bool is_ranked(const struct result *r)
{
    static const uint8_t none[sizeof r->ranking];
    return r->stop == STOP_RANKED && memcmp(r->ranking, none, sizeof none) != 0;
}

// Is the configuration known not to work? A time limit is the run's, and a lost device or worker
// says nothing.
static bool is_refuted(const struct result *r)
{
    bool own = r->fault == FAULT_NONE || r->fault == FAULT_CONFIGURATION;
    return r->status != STATUS_CORRECT && r->status != STATUS_TIMEOUT && own;
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
                             .sample_count = (uint32_t)samples,
                             .origin = r->origin ? copy(s, r->origin) : NULL};
    brief->terms = r->terms;
    brief->first_round = r->first_round;
    brief->part = is_ranked(r) ? copy(s, r->part) : "";
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

static uint64_t timer_of(const struct search *s)
{
    return s->o->device ? s->o->device->timer_ns : 0;
}

static struct entry *add_entry(struct search *s, const struct store_row *row, bool is_newest)
{
    const uint64_t *samples;
    uint32_t count;
    struct group *g = group_of(s, row);
    struct entry *n = g ? arena_alloc(s->a, sizeof *n) : NULL;
    s->failed |= !n;
    if (!n || !result_samples(row->result, &samples, &count))
        return NULL;
    *n = (struct entry){.next = g->entries,
                        .id = copy(s, row->id),
                        .configuration = copy(s, row->configuration),
                        .key = row->key,
                        .brief = brief_of(s, row),
                        .group_size = group_size_of(row->geometry),
                        .age = s->rows,
                        .is_ranked = is_ranked(row->result),
                        .is_newest = is_newest,
                        .is_counted = is_newest && row->fixed};
    stats_summarise(samples, count, timer_of(s), &n->stats);
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
    stats_summarise(all, count + more, timer_of(s), &n->stats);
}

// Rows come newest first. An older result of a job counts only in the ranking that it was part of,
// or where its samples add up with newer ones, and not at all once the job has failed: that counts
// for cold inputs and for warm ones.
static bool collect(void *context, const struct store_row *row)
{
    struct search *s = context;
    const uint64_t *samples;
    uint32_t count;
    bool times = result_samples(row->result, &samples, &count) && count > 0;
    bool refutes = is_refuted(row->result);
    const struct store_counting counting = {.imported = true};
    s->rows++;
    if (!store_row_counts(row, &counting) || (!times && !refutes) || !is_wanted(s, row))
        return !s->failed;
    bool is_newest;
    if (refutes)
        newest(s, &row->key, !row->cold, true, &is_newest);
    struct seen *since = newest(s, &row->key, row->cold, refutes, &is_newest);
    struct entry *added = NULL;
    if (since && times && (is_newest || (!since->failed && is_ranked(row->result))))
        added = add_entry(s, row, is_newest);
    if (added && added->is_counted)
        since->counted = added;
    else if (since && times && since->counted && adds_up(since->counted->brief, row))
        add_samples(s, since->counted, row->result);
    return !s->failed;
}

static bool read_store(struct search *s, struct error *e)
{
    struct store_query query = {
        .spec_name = s->o->spec->name, .constants = s->constants, .correct_only = false};
    return store_each(s->o->store, &query, collect, s, e) && (!s->failed || error_memory(e));
}

static bool make_space(struct search *s, struct error *e)
{
    const struct best_options *o = s->o;
    struct space_options options = {.device = o->device,
                                    .configurations = o->configurations,
                                    .configuration_count = o->configuration_count,
                                    .where = o->where,
                                    .where_count = o->where_count};
    if (o->configuration_count == 0 && o->where_count == 0)
        return true;
    s->space = space_new(o->spec, &options, e);
    return s->space != NULL;
}

// Fills `s`, whose space is the caller's to free.
static bool start(struct search *s, const struct best_options *o, struct arena *a, bool all,
                  struct error *e)
{
    struct text constants = TEXT_INIT, part = TEXT_INIT;
    *s = (struct search){.o = o, .a = a};
    s->by_time = all || o->goal.count == 0 || goal_is_time(&o->goal, o->spec, o->device);
    if (o->device)
        identify(o->device, s->identity);
    if (o->sources)
        spec_sources_digest(o->sources, &s->source);
    spec_constants_text(o->spec, &constants);
    s->constants = all ? NULL : copy(s, text_cstr(&constants));
    s->failed |= constants.failed || !part_text(o->configurations, o->configuration_count, o->where,
                                                o->where_count, &part);
    s->part = copy(s, text_cstr(&part));
    text_release(&part);
    text_release(&constants);
    return (!s->failed || error_memory(e)) && make_space(s, e) && read_store(s, e);
}

// ---- choosing ----------------------------------------------------------------------------------

static int by_median(const void *a, const void *b)
{
    const struct entry *x = *(const struct entry *const *)a, *y = *(const struct entry *const *)b;
    if (x->stats.median != y->stats.median)
        return x->stats.median < y->stats.median ? -1 : 1;
    return strcmp(x->configuration, y->configuration);
}

// Those that are the newest of their job, fastest first.
static struct entry **sorted(struct search *s, const struct group *g, size_t *count)
{
    struct entry **list = arena_array(s->a, g->count + 1, sizeof(struct entry *));
    *count = 0;
    s->failed |= !list;
    for (struct entry *n = list ? g->entries : NULL; n; n = n->next) {
        if (n->is_newest)
            list[(*count)++] = n;
    }
    if (list)
        qsort(list, *count, sizeof *list, by_median);
    return list;
}

// Would the configuration be the same job today? Without the device that cannot be told: then yes.
static bool is_same_job(struct search *s, const struct entry *n)
{
    const struct best_options *o = s->o;
    struct error ignored = ERROR_INIT;
    struct job *job = NULL;
    const uint32_t *choice = o->device && o->sources ? read_choice(s, n->configuration) : NULL;
    if (!o->device || !o->sources)
        return true;
    bool ok = choice && spec_job(o->spec, o->sources, o->device, choice, &job, &ignored);
    s->failed |= ignored.code == ERROR_MEMORY;
    if (!ok)
        return false;
    bool same = job_has_key(job, o->device, &n->key);
    job_free(job);
    return same;
}

static int rank(const struct group *g)
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

// The group of the same device, source and constants with the other inputs, cold or warm; or NULL.
static const struct group *counterpart(const struct search *s, const struct group *of)
{
    for (const struct group *g = s->groups; g; g = g->next) {
        if (g->cold != of->cold && str_equal(g->identity, of->identity) &&
            str_equal(g->constants, of->constants) && digest_equal(&g->source, &of->source))
            return g;
    }
    return NULL;
}

// Of times with cold inputs and with warm ones, which do not compare, those of the newest ranking;
// where nothing was ranked the warm ones.
static const struct group *choose_inputs(const struct search *s, const struct group *g)
{
    const struct group *other = counterpart(s, g);
    if (!other)
        return g;
    const struct entry *own = newest_ranked(g, NULL), *its = newest_ranked(other, NULL);
    if (own && its)
        return own->age < its->age ? g : other;
    return own || (!its && !g->cold) ? g : other;
}

static const struct group *nearest(const struct search *s)
{
    const struct group *best = NULL;
    for (const struct group *g = s->groups; g; g = g->next) {
        if (!best || rank(g) < rank(best)) // groups come newest first
            best = g;
    }
    return best ? choose_inputs(s, best) : NULL;
}

// The fastest entry that is the same job; else the fastest.
static const struct entry *fastest(struct search *s, const struct group *g, bool *other_job)
{
    size_t count;
    struct entry **list = sorted(s, g, &count);
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
    struct settle_contender *contenders;
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
static bool gather(struct search *s, const struct group *g, const struct entry *of,
                   struct ranking *out)
{
    bool comparable = g->same_driver && g->same_source;
    *out = (struct ranking){.members = arena_array(s->a, g->count, sizeof(struct entry *)),
                            .contenders = arena_array(s->a, g->count, sizeof *out->contenders)};
    s->failed |= !out->members || !out->contenders;
    for (const struct entry *n = s->failed ? NULL : g->entries; n; n = n->next) {
        if (is_of(n, of) && !has_member(out, n) && (!comparable || is_same_job(s, n)))
            out->members[out->count++] = n;
    }
    if (out->count > 0)
        qsort(out->members, out->count, sizeof *out->members, by_configuration);
    return !s->failed && out->count > 0;
}

static struct measure_rules rules_of(const struct ranked_terms *terms)
{
    struct measure_rules rules = measure_rules_default();
    rules.level = terms->level;
    rules.behind = terms->behind;
    rules.alike = terms->alike;
    rules.rounds = terms->rounds;
    rules.looks = terms->looks;
    rules.early = terms->early;
    return rules;
}

// As it was decided when it was made: by the same rules; the seed is in the ranking's id.
static bool decide(struct search *s, struct ranking *r)
{
    const struct result *first = r->members[0]->brief;
    const struct measure_rules rules = rules_of(&first->terms);
    for (size_t i = 0; i < r->count; i++)
        r->contenders[i] =
            (struct settle_contender){.estimate_ns = (uint64_t)r->members[i]->stats.median,
                                      .samples = r->members[i]->brief->samples_ns,
                                      .count = r->members[i]->brief->sample_count,
                                      .first_round = r->members[i]->brief->first_round};
    bool ok = settle_again(r->contenders, r->count, &rules, settle_seed(first->ranking),
                           first->terms.resolution_ns, false, &r->winner, &r->whole);
    s->failed |= !ok;
    return ok;
}

static bool is_below(const struct stats_summary *a, const struct stats_summary *b)
{
    return a->high < b->low;
}

// Has one that is not in the ranking and clearly faster than its winner.
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
// `count` where there is none.
static size_t find_base(struct search *s, const struct group *g, const struct entry *const *heads,
                        size_t count, struct ranking *out)
{
    for (int any = 0; any <= 1; any++) {
        for (size_t i = 0; i < count && !s->failed; i++) {
            bool by_whole = false;
            if (!any && !covers(s, g, heads[i], &by_whole))
                continue;
            if (!gather(s, g, heads[i], out) || !decide(s, out) || (by_whole && !out->whole))
                continue;
            out->covers = !any;
            return i;
        }
    }
    return count;
}

// What a configuration comes to on the device that is here: the same of all that are identical.
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
static bool is_default(struct search *s, const uint32_t *choice)
{
    const struct spec *spec = s->o->spec;
    struct digest own, its;
    uint32_t *usual = arena_array(s->a, spec->parameter_count + 1, sizeof *usual);
    s->failed |= !usual;
    if (!usual || !choice)
        return false;
    spec_default(spec, usual);
    if (s->o->device && s->o->sources && !spec_baseline(s->o->sources, s->o->device, usual))
        return false;
    return memcmp(usual, choice, spec->parameter_count * sizeof *usual) == 0 ||
           (effective(s, usual, &own) && effective(s, choice, &its) && digest_equal(&own, &its));
}

// Which member is the answer: of those tied with the winner. The ranking's count without memory.
static size_t pick(struct search *s, const struct ranking *r, size_t *tied, char why[PICK_WHY])
{
    struct pick_candidate *c = arena_array(s->a, r->count, sizeof *c);
    size_t *at = arena_array(s->a, r->count, sizeof *at);
    s->failed |= !c || !at;
    *tied = 0;
    for (size_t i = 0; !s->failed && i < r->count; i++) {
        const struct entry *n = r->members[i];
        if (!r->contenders[i].placed || !r->contenders[i].entry.tied)
            continue;
        at[*tied] = i;
        const uint32_t *choice = read_choice(s, n->configuration);
        c[(*tied)++] = (struct pick_candidate){.result = n->brief,
                                               .group_size = n->group_size,
                                               .choice = choice,
                                               .ratio = r->contenders[i].entry.ratio,
                                               .is_default = is_default(s, choice)};
    }
    if (s->failed || *tied == 0)
        return r->count;
    double alike = r->members[0]->brief->terms.alike;
    return at[pick_fewest(c, *tied, alike, s->o->spec->parameter_count, why)];
}

// Did the answer of `of` take part in that ranking, too? Then it is the later word on the same.
static bool has_answer(struct search *s, const struct ranking *r, const struct ranking *of)
{
    size_t tied;
    char why[PICK_WHY];
    size_t chosen = pick(s, of, &tied, why);
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
    // Those that are newer in the order of time, then those that are older.
    for (size_t i = 1; i < count && !s->failed; i++) {
        struct ranking r;
        bool newer = i <= base;
        const struct entry *of = heads[newer ? base - i : i];
        if (!newer && !may_beat(g, of, out))
            continue;
        if (!gather(s, g, of, &r) || !decide(s, &r))
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

// The fastest that did not take part in the ranking and is clearly faster than its winner.
static void name_faster(struct search *s, const struct group *g, const struct ranking *r,
                        struct best_place *out)
{
    const struct stats_summary *winner = &r->members[r->winner]->stats;
    bool comparable = g->same_driver && g->same_source;
    for (const struct entry *n = g->entries; n; n = n->next) {
        bool clearly = n->is_newest && is_below(&n->stats, winner) && !has_member(r, n) &&
                       (!out->faster || n->stats.median < out->faster_median);
        if (!clearly || (comparable && !is_same_job(s, n)))
            continue;
        out->faster = n->configuration;
        out->faster_median = n->stats.median;
    }
}

static const struct entry *choose(struct search *s, const struct ranking *r, struct best_place *out)
{
    size_t chosen = pick(s, r, &out->tied, out->why);
    if (chosen == r->count)
        return NULL;
    const struct ranking_entry *entry = &r->contenders[chosen].entry;
    out->ranked = true;
    out->contenders = r->count;
    uint32_t rounds = settle_rounds(r->contenders, r->count), own = r->contenders[chosen].count;
    out->rounds = r->contenders[chosen].first_round > 0 || own < rounds ? own : rounds;
    out->winner = entry->place == 0;
    out->ratio = entry->ratio;
    out->low = entry->ratio_low;
    out->high = entry->ratio_high;
    out->interval = entry->ratio_interval;
    return r->members[chosen];
}

// ---- other goals -------------------------------------------------------------------------------

// One that has values.
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

static bool value_of(struct search *s, const struct entry *n, struct valued *out)
{
    const struct goal *g = &s->o->goal;
    const uint32_t *choice = read_choice(s, n->configuration);
    const struct spec_measured measured = {n->stats.median, result_joule(n->brief), NULL};
    double *values = arena_array(s->a, g->count, sizeof *values);
    s->failed |= !values;
    if (!choice || !values || !goal_values(g, s->o->spec, choice, s->o->device, &measured, values))
        return false;
    *out = (struct valued){
        .entry = n, .values = values, .order = g->terms[0].maximise ? -values[0] : values[0]};
    return true;
}

static int by_value(const void *a, const void *b)
{
    const struct valued *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

// Of those that are the same job today; where there is none, of all. By the first objective, then
// the time.
static struct valued_list values_of(struct search *s, const struct group *g, bool *other_job)
{
    size_t count;
    struct entry **list = sorted(s, g, &count);
    bool comparable = g->same_driver && g->same_source;
    struct valued_list v = {.items = arena_array(s->a, count + 1, sizeof *v.items)};
    s->failed |= !v.items;
    for (int all = 0; all <= 1 && v.count == 0; all++) {
        *other_job = all;
        for (size_t i = 0; !s->failed && i < count; i++) {
            if ((!all && comparable && !is_same_job(s, list[i])) ||
                !value_of(s, list[i], &v.items[v.count]))
                continue;
            v.items[v.count++].at = i;
        }
    }
    if (!s->failed)
        qsort(v.items, v.count, sizeof *v.items, by_value);
    return v;
}

// The entry that answers; NULL: nothing has a value of the goal.
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
        return s->failed ? NULL : fastest(s, g, &out->other_job);
    name_faster(s, g, &ranking, &out->place);
    bool is_one = s->space && space_count(s->space) == 1; // nobody else was asked for
    if (!ranking.covers && !is_one)
        out->place.part = ranking.members[ranking.winner]->brief->part;
    return choose(s, &ranking, &out->place);
}

// ---- the answer --------------------------------------------------------------------------------

struct fetch_row {
    struct search *search;
    const char *id;
    struct best_answer *out;
    bool done;
    bool counted; // older samples are added
};

static bool keep_row(void *context, const struct store_row *row)
{
    struct fetch_row *f = context;
    struct search *s = f->search;
    struct best_answer *out = f->out;
    if (f->done) {
        if (digest_equal(&row->key, &out->key) && adds_up(out->result, row))
            s->failed |= !result_samples_before(out->result, row->result);
        return !s->failed;
    }
    if (!str_equal(row->id, f->id))
        return true;
    out->configuration = copy(s, row->configuration);
    out->configuration_json = copy(s, row->configuration_json);
    out->device = copy(s, row->device);
    out->platform = copy(s, row->platform);
    out->driver = copy(s, row->driver);
    out->constants = copy(s, row->constants);
    out->date = copy(s, row->date);
    out->hone_version = copy(s, row->hone_version);
    out->language = language_of(row);
    out->geometry = copy(s, row->geometry);
    out->choice = read_choice(s, row->configuration);
    out->key = row->key;
    out->source = row->source;
    out->result = result_clone(row->result);
    s->failed |= !out->result;
    if (out->result)
        out->result->reused = true;
    f->done = true;
    return f->counted && !s->failed;
}

// Fills in the rest of the answer that the entry is.
static bool fetch(struct search *s, const struct group *g, const struct entry *n,
                  struct best_answer *out, struct error *e)
{
    struct fetch_row f = {.search = s, .id = n->id, .out = out, .counted = n->is_counted};
    struct store_query query = {.spec_name = s->o->spec->name,
                                .constants = g->constants,
                                .source = &g->source,
                                .correct_only = true};
    out->other_driver = !g->same_driver;
    out->other_source = !g->same_source;
    bool ok = store_each(s->o->store, &query, keep_row, &f, e);
    if (ok && f.done && !s->failed) {
        stats_summarise(out->result->samples_ns, out->result->sample_count, timer_of(s),
                        &out->stats);
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
    struct text goal = TEXT_INIT;
    goal_text(&s->o->goal, &goal);
    error_set(e, ERROR_DEVICE, "%s: no result has a value of %s", store_path(s->o->store),
              text_cstr(&goal));
    text_release(&goal);
    return false;
}

static bool answer(struct search *s, const struct group *g, struct best_answer *out,
                   struct error *e)
{
    memset(out, 0, sizeof *out);
    const struct entry *n = find_answer(s, g, out);
    if (s->failed || (!n && s->by_time))
        return error_memory(e);
    return n ? fetch(s, g, n, out, e) : refuse_unvalued(s, e);
}

bool best_find(const struct best_options *o, struct arena *a, struct best_answer *out, bool *found,
               struct error *e)
{
    struct search s;
    *found = false;
    bool ok = start(&s, o, a, false, e);
    const struct group *g = ok ? nearest(&s) : NULL;
    *found = g != NULL;
    if (g)
        ok = answer(&s, g, out, e);
    space_free(s.space);
    return ok;
}

// Which of the list are of the set; NULL without memory.
static const bool *members_of(struct search *s, const struct valued_list *v)
{
    size_t width = s->o->goal.count;
    double *values = arena_array(s->a, (v->count + 1) * width, sizeof *values);
    bool *member = arena_array(s->a, v->count + 1, sizeof *member);
    if (!values || !member)
        return NULL;
    for (size_t i = 0; i < v->count; i++)
        memcpy(values + i * width, v->items[i].values, width * sizeof *values);
    goal_pareto(&s->o->goal, values, v->count, member);
    return member;
}

static bool answer_pareto(struct search *s, const struct group *g, struct best_answer **out,
                          size_t *count, struct error *e)
{
    bool other_job;
    struct valued_list v = values_of(s, g, &other_job);
    const bool *member = s->failed ? NULL : members_of(s, &v);
    *out = arena_array(s->a, v.count + 1, sizeof **out);
    if (!member || !*out)
        return error_memory(e);
    for (size_t i = 0; i < v.count; i++) {
        struct best_answer *a = &(*out)[*count];
        if (!member[i])
            continue;
        *a = (struct best_answer){.known = v.count, .other_job = other_job};
        if (!fetch(s, g, v.items[i].entry, a, e))
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
    bool ok = start(&s, o, a, false, e);
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
    size_t groups = 0;
    *count = 0;
    bool ok = start(&s, o, a, true, e);
    for (const struct group *g = ok ? s.groups : NULL; g; g = g->next)
        groups++;
    *out = arena_array(a, groups + 1, sizeof **out);
    if (ok && !*out)
        ok = error_memory(e);
    for (const struct group *g = ok ? s.groups : NULL; g && ok; g = g->next) {
        if (!is_first(&s, g))
            continue;
        ok = answer(&s, choose_inputs(&s, g), &(*out)[*count], e);
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
    size_t groups = 0;
    *count = 0;
    bool ok = start(&s, o, a, true, e);
    for (const struct group *g = ok ? s.groups : NULL; g; g = g->next)
        groups++;
    *out = arena_array(a, groups + 1, sizeof **out);
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
