// A sweep, point by point: each line's spec is read with the point's constants; its configuration
// comes from the store or a tune, or is not needed (a routine). The lines that have one are then
// interleaved in one paired run, unless the store has that already. A failure at one point is
// reported in its record; a failure that would affect every point ends the sweep.
#include "workflows/sweep/sweep.h"

#include "workflows/best.h"
#include "campaign/subject.h"

#include <string.h>

#define PAIRED_RUN_MOST 64 // of a side, that are looked at: the newest

struct sweep {
    struct workflow w; // the inner one: a line's tune, or a comparison
    struct sweep_options o;
    struct arena arena;
    struct sweep_record *records; // room for every point
    struct spec **specs;          // of all points: one a line each
    struct result **results;      // likewise
    struct spec_digests digests;  // of data files, which are hashed once
    uint32_t count;               // records that are whole; the next one is under way
    enum sweep_phase phase;
    uint32_t line;                          // that has its turn
    struct compare_side sides[SWEEP_LINES]; // of the paired run
    const char *choices[SWEEP_LINES];
    uint32_t lines[SWEEP_LINES]; // of each side
    uint32_t side_count;
    const char *about[SWEEP_LINES]; // of routines: what their libraries are; NULL: not known
    bool was_asked;                 // for that
    uint64_t launches;
};

static const struct workflow_operations sweep_operations;

// ---- making ------------------------------------------------------------------------------------

struct sweep *sweep_new(const struct sweep_options *o, struct error *e)
{
    struct sweep *s = workflow_new(sizeof *s, &sweep_operations, e);
    if (!s)
        return NULL;
    size_t points = o->plan->point_count, all = points * o->line_count;
    arena_init(&s->arena);
    s->o = *o;
    s->records = arena_array(&s->arena, points, sizeof *s->records);
    s->specs = arena_array(&s->arena, all, sizeof(*s->specs));
    s->results = arena_array(&s->arena, all, sizeof(*s->results));
    bool ok = s->records && s->specs && s->results;
    for (uint32_t i = 0; ok && i < points; i++) {
        s->records[i].point = i;
        s->records[i].entries = arena_array(&s->arena, o->line_count, sizeof(struct sweep_entry));
        ok = s->records[i].entries != NULL;
    }
    if (ok)
        return s;
    error_memory(e);
    sweep_free(s);
    return NULL;
}

static void release_sweep(void *workflow)
{
    struct sweep *s = workflow;
    size_t all = s->specs && s->results ? (size_t)s->o.plan->point_count * s->o.line_count : 0;
    for (size_t i = 0; i < all; i++) {
        spec_free(s->specs[i]);
        result_free(s->results[i]);
    }
    spec_digests_release(&s->digests);
    arena_release(&s->arena);
}

static void end_inner(struct sweep *s)
{
    workflow_end_inner(&s->w);
    s->phase = SWEEP_OPENING;
}

// ---- entries -----------------------------------------------------------------------------------

static struct sweep_entry *entry_at(const struct sweep *s, uint32_t line)
{
    return &s->records[s->count].entries[line];
}

// Errors of the point are reported in its record; everything else ends the sweep.
static bool is_of_point(const struct error *why)
{
    return why->code == ERROR_INPUT || why->code == ERROR_USAGE;
}

// False without memory, or where the fault is not the point's.
static bool note_point_failure(struct sweep *s, uint32_t line, const struct error *why,
                               struct error *e)
{
    struct sweep_entry *n = entry_at(s, line);
    if (!is_of_point(why)) {
        *e = *why;
        return false;
    }
    n->timed = false;
    n->why = arena_strdup(&s->arena, why->text);
    return n->why || error_memory(e);
}

// The entry's own copy of a result.
static bool take_result(struct sweep *s, uint32_t line, const struct result *r)
{
    struct result **own = &s->results[(size_t)s->count * s->o.line_count + line];
    struct result *copy = result_clone(r);
    if (!copy)
        return false;
    result_free(*own);
    *own = copy;
    entry_at(s, line)->result = copy;
    return true;
}

static bool take_choice(struct sweep *s, uint32_t line, const uint32_t *choice)
{
    struct sweep_entry *n = entry_at(s, line);
    n->choice = arena_copy(&s->arena, choice, n->spec->parameter_count * sizeof *choice);
    return n->choice &&
           subject_texts(n->spec, n->choice, &s->arena, &n->configuration, &n->configuration_json);
}

// ---- a line's configuration --------------------------------------------------------------------

// The spec of an earlier point of the same file, or NULL: its text is what all points are read from.
static const struct spec *find_read(const struct sweep *s, uint32_t line)
{
    size_t end = (size_t)s->count * s->o.line_count + line;
    for (size_t i = 0; i < end; i++)
        if (s->specs[i] && str_equal(s->o.lines[i % s->o.line_count].path, s->o.lines[line].path))
            return s->specs[i];
    return NULL;
}

// The line's spec with the point's constants.
static bool load_line_spec(struct sweep *s, uint32_t line, struct error *e)
{
    struct error why = ERROR_INIT;
    const struct sweep_line *l = &s->o.lines[line];
    const struct sweep_point *point = &s->o.plan->points[s->count];
    // Warnings were issued when the spec was read for the plan.
    struct spec_options so = {.set = point->set,
                              .set_count = s->o.plan->name_count,
                              .strict = l->strict,
                              .digests = &s->digests};
    const struct spec *read = l->side.spec ? l->side.spec : find_read(s, line);
    struct spec *spec = read ? spec_read_again(read, &so, &why) : spec_load(l->path, &so, &why);
    s->specs[(size_t)s->count * s->o.line_count + line] = spec;
    entry_at(s, line)->spec = spec;
    return spec || note_point_failure(s, line, &why, e);
}

static bool ask_store_for_line(struct sweep *s, uint32_t line, struct best_answer *out, bool *found,
                               struct error *e)
{
    const struct tune_options *t = &s->o.lines[line].tune;
    struct setup setup = t->setup;
    struct error why = ERROR_INIT;
    setup.spec = entry_at(s, line)->spec;
    setup.log = NULL; // what is to be said of its sources was said
    return best_in_place_of(&setup, &t->objectives, &s->arena, out, found, &why) ||
           note_point_failure(s, line, &why, e);
}

// Takes the store's answer if it is of a ranking of the whole swept space, unless any result will do.
static bool take_known(struct sweep *s, uint32_t line, struct error *e)
{
    struct sweep_entry *n = entry_at(s, line);
    struct best_answer answer;
    bool found = false, ok = true, is_known = s->o.lines[line].means == SWEEP_KNOWN;
    if (!is_known && s->o.again)
        return true;
    if (!ask_store_for_line(s, line, &answer, &found, e))
        return false;
    if (!found)
        return true;
    if (is_known || (answer.place.ranked && !answer.place.part)) {
        ok = take_choice(s, line, answer.choice) && take_result(s, line, answer.result);
        n->subspace = answer.place.part;
        n->stats = answer.stats;
        n->timed = n->known = ok;
    }
    result_free(answer.result);
    return ok || error_memory(e);
}

// A line's configuration at this point: from the store, or by a tune, which is then begun.
static bool begin_line(struct sweep *s, uint32_t line, struct error *e)
{
    struct error why = ERROR_INIT;
    const struct sweep_line *l = &s->o.lines[line];
    struct sweep_entry *n = entry_at(s, line);
    if (!load_line_spec(s, line, e))
        return false;
    if (!n->spec)
        return true;
    if (l->side.routine != ROUTINE_NONE) {
        // It has no parameters; its work is that of the spec's default configuration.
        n->choice = spec_choice(n->spec, "", &s->arena, e);
        n->configuration = "";
        n->configuration_json = "{}";
        return n->choice;
    }
    if (!take_known(s, line, e))
        return false;
    if (n->timed || n->why)
        return true;
    if (l->means == SWEEP_TUNE) {
        struct tune_options o = l->tune;
        o.setup.spec = n->spec;
        o.setup.at.spare = s->o.spare; // taken once, by the first
        o.setup.leaving = o.keep = false;
        s->w.inner = tune_new(&o, &why);
        s->phase = s->w.inner ? SWEEP_TUNING : s->phase;
        return s->w.inner || note_point_failure(s, line, &why, e);
    }
    n->why = "the store knows no configuration for these constants, this device and driver, and "
             "the kernel as it is now";
    return true;
}

// The reason why nothing worked: the first failure of the commonest kind.
static bool say_none(struct sweep *s, const struct tune_progress *p)
{
    struct text text = TEXT_INIT;
    enum status most = STATUS_CORRECT;
    for (unsigned i = 0; i < STATUS_COUNT; i++) {
        if (p->examples[i] && i != STATUS_CORRECT &&
            (most == STATUS_CORRECT || p->by_status[i] > p->by_status[most]))
            most = (enum status)i;
    }
    text_add(&text, "no configuration gave a correct result");
    if (most != STATUS_CORRECT)
        text_addf(&text, " (%llu %s, e.g. %s: %s)", (unsigned long long)p->by_status[most],
                  result_word(p->examples[most]->result), p->examples[most]->configuration,
                  p->examples[most]->result->message);
    entry_at(s, s->line)->why = text_to_arena(&text, &s->arena);
    return entry_at(s, s->line)->why != NULL;
}

// An earlier result from a part of the space that the strategy did not ask for may be clearly
// faster: then `hone best` answers with it, and so must the sweep.
static bool prefer_earlier_best(struct sweep *s, const struct tune_progress *p, struct error *e)
{
    struct sweep_entry *n = entry_at(s, s->line);
    struct best_answer answer;
    bool found = false, ok = true;
    if (!p->ranked.decided || !n->timed)
        return true;
    if (!ask_store_for_line(s, s->line, &answer, &found, e))
        return false;
    if (!found)
        return true;
    if (answer.place.ranked && answer.stats.high < n->stats.low) {
        ok = take_choice(s, s->line, answer.choice) && take_result(s, s->line, answer.result);
        n->stats = answer.stats;
    }
    result_free(answer.result);
    return ok || error_memory(e);
}

static bool end_tune(struct sweep *s, struct error *e)
{
    struct tune_progress p;
    struct sweep_entry *n = entry_at(s, s->line);
    tune_progress(s->w.inner, &p);
    const struct tune_record *best = p.ranked.decided ? p.ranked.chosen : p.best;
    bool ok = true;
    s->launches += p.launches;
    if (!s->w.cancelled)
        ok = best ? take_choice(s, s->line, best->choice) && take_result(s, s->line, best->result)
                  : say_none(s, &p);
    if (ok && best && !s->w.cancelled) {
        n->timed = best->timed;
        n->known = p.launches == 0;
        n->stats = best->stats;
    }
    end_inner(s);
    if (!ok)
        return error_memory(e);
    return s->w.cancelled || prefer_earlier_best(s, &p, e);
}

static bool step_line_tune(struct sweep *s, int timeout_ms, struct error *e)
{
    struct error why = ERROR_INIT;
    const struct tune_record *record;
    bool ok = true;
    enum workflow_answer answer = tune_step(s->w.inner, timeout_ms, &record, &why);
    if (answer == WORKFLOW_END) {
        ok = end_tune(s, e);
        s->line += ok;
    } else if (answer == WORKFLOW_BROKEN) {
        end_inner(s);
        ok = note_point_failure(s, s->line++, &why, e);
    }
    return ok;
}

// ---- rounds -------------------------------------------------------------------------------------

// Once a sweep, before the store is asked for launches of today's libraries. Where one cannot be
// opened the launches will say so.
static bool ask_libraries(struct sweep *s, struct error *e)
{
    for (uint32_t i = 0; i < s->o.line_count && !s->was_asked; i++) {
        const struct sweep_line *l = &s->o.lines[i];
        struct error why = ERROR_INIT;
        if (l->side.routine == ROUTINE_NONE || !l->tune.setup.store || l->tune.setup.fresh)
            continue;
        const struct setup *o = &l->tune.setup;
        live_routine(o->place_count ? o->places : &o->at, l->side.routine, l->side.routine_library,
                     &s->arena, &s->about[i], &why);
        if (why.code == ERROR_MEMORY)
            return error_memory(e);
    }
    s->was_asked = true;
    return true;
}

// Lines keep the times that they have; the others get the reason.
static bool note_paired_failure(struct sweep *s, const struct error *why, struct error *e)
{
    bool told = false;
    for (uint32_t i = 0; i < s->side_count; i++) {
        bool lacks = !entry_at(s, s->lines[i])->timed;
        if (lacks && !note_point_failure(s, s->lines[i], why, e))
            return false;
        told = told || lacks;
    }
    if (told)
        return true;
    if (!is_of_point(why)) {
        *e = *why;
        return false;
    }
    log_add(s->o.lines[0].tune.setup.log, LOG_WARNING, "not launched interleaved: %s", why->text);
    return true;
}

static bool take_side(struct sweep *s, uint32_t line, const struct compare_entry *from)
{
    struct sweep_entry *n = entry_at(s, line);
    const struct result *r = from->result;
    bool ok = true;
    if (r)
        ok = take_result(s, line, r);
    if (from->timed) {
        n->timed = n->in_turn = true;
        n->stats = from->stats;
    } else if (r) { // what worked alone does no more, or a routine is not to be had
        struct text text = TEXT_INIT;
        text_addf(&text, "%s: %s", result_word(r), r->message);
        n->timed = false;
        n->why = text_to_arena(&text, &s->arena);
        ok = ok && n->why;
    }
    return ok;
}

static bool take_paired_run(struct sweep *s, const struct compare_record *r)
{
    for (uint32_t i = 0; i < s->side_count; i++) {
        if (!take_side(s, s->lines[i], &r->entries[i]))
            return false;
    }
    const struct sweep_entry *first = entry_at(s, 0);
    const struct tune_options *t = &s->o.lines[0].tune;
    uint64_t resolution = t->setup.at.device->timer_ns / (r->batch ? r->batch : 1);
    for (uint32_t i = 1; i < s->o.line_count; i++) {
        struct sweep_entry *n = entry_at(s, i);
        if (!first->in_turn || !n->in_turn ||
            n->result->sample_count != first->result->sample_count)
            continue;
        n->compared = true;
        stats_paired_ratio(n->result->samples_ns, first->result->samples_ns,
                           first->result->sample_count, t->setup.terms.rules.level, resolution,
                           &n->ratio);
    }
    return true;
}

// ---- the paired run in the store ----------------------------------------------------------------

// Each side is searched for interleaved launches of the job that its choice makes today; the sides
// share the random id of their run.

// The stored results of a side.
struct heard {
    struct digest key;
    struct result *results[PAIRED_RUN_MOST]; // newest first
    size_t count;
    bool cold, failed;
};

static bool make_side_key(const struct compare_side *s, const char *choice, struct digest *key,
                          struct error *e)
{
    struct job *job = NULL;
    struct arena a;
    arena_init(&a);
    bool has_language = spec_has_language(s->spec, s->device->language);
    enum language language = s->device->language;
    struct spec_languages languages;
    bool ok = has_language || spec_languages(s->spec, &languages, e);
    if (ok && !has_language) // a routine's device need not speak the spec's
        language = languages.list[0];
    struct spec_sources *sources =
        ok ? spec_sources_read(s->spec, language, s->device, NULL, e) : NULL;
    const uint32_t *values = sources ? spec_choice(s->spec, choice, &a, e) : NULL;
    ok = values;
    if (ok)
        ok = s->routine == ROUTINE_NONE ? spec_job(s->spec, sources, s->device, values, &job, e)
                                        : spec_routine_job(s->spec, sources, s->device, values,
                                                           s->routine, s->routine_library, &job, e);
    if (ok && s->routine != ROUTINE_NONE)
        job->routine_about = s->routine_about;
    if (ok)
        job_key(job, s->device, key);
    job_free(job);
    spec_sources_free(sources);
    arena_release(&a);
    return ok;
}

static bool hear(void *context, const struct store_row *row)
{
    struct heard *h = context;
    static const uint8_t none[sizeof row->result->ranking];
    const struct result *r = row->result;
    if (r->stop != STOP_COMPARED || memcmp(r->ranking, none, sizeof none) == 0)
        return true;
    struct result *copy = result_clone(r);
    h->failed = !copy;
    if (copy)
        h->results[h->count++] = copy;
    return copy && h->count < PAIRED_RUN_MOST;
}

static bool ask_store_for_runs(const struct compare_side *s, struct heard *h, struct error *e)
{
    struct text constants = TEXT_INIT;
    spec_constants_text(s->spec, &constants);
    const struct store_query query = {.spec_name = s->name,
                                      .constants = text_cstr(&constants),
                                      .key = &h->key,
                                      .correct_only = true,
                                      .logs = true, // of a routine: what its library says of itself
                                      .today = true,
                                      .inputs = h->cold ? STORE_INPUTS_COLD : STORE_INPUTS_WARM,
                                      .telling = true};
    bool ok = constants.failed ? error_memory(e) : store_each(s->store, &query, hear, h, e);
    text_release(&constants);
    return ok && (!h->failed || error_memory(e));
}

// Its result in the paired run of `first`; NULL: it was not in it.
static struct result **part_of(struct heard *h, const struct result *first)
{
    for (size_t i = 0; i < h->count; i++) {
        struct result *r = h->results[i];
        if (r && memcmp(r->ranking, first->ranking, sizeof r->ranking) == 0 &&
            r->sample_count == first->sample_count)
            return &h->results[i];
    }
    return NULL;
}

static bool choose_paired_run(struct heard *all, uint32_t count, uint32_t rounds,
                              struct result **results)
{
    for (size_t i = 0; i < all[0].count; i++) {
        const struct result *first = all[0].results[i];
        bool whole = first->sample_count >= rounds;
        for (uint32_t k = 0; whole && k < count; k++)
            whole = part_of(&all[k], first) != NULL;
        for (uint32_t k = count; whole && k-- > 0;) { // the first one last: it says which
            struct result **part = part_of(&all[k], first);
            results[k] = *part;
            *part = NULL;
        }
        if (whole)
            return true;
    }
    return false;
}

// The newest paired run in which every side took part, with the jobs that its choice makes today,
// on today's device and driver, and with as many rounds as are wanted (0: as compare.h says) or
// more. results: room for one a side, which are the caller's then; *found: is there such a run?
// There is none for a side without a store, nor for a routine whose library is not known.
static bool sweep_find_paired_run(const struct compare_options *o, struct result **results,
                                  bool *found, struct error *e)
{
    struct heard all[COMPARE_SIDES];
    bool ok = true, kept = true;
    memset(all, 0, sizeof all);
    *found = false;
    for (uint32_t i = 0; i < o->side_count; i++) {
        const struct compare_side *s = &o->sides[i];
        kept = kept && s->store && (s->routine == ROUTINE_NONE || s->routine_about);
    }
    for (uint32_t i = 0; ok && kept && i < o->side_count; i++) {
        all[i].cold = o->setup.terms.cold;
        ok = make_side_key(&o->sides[i], o->choices[i], &all[i].key, e) &&
             ask_store_for_runs(&o->sides[i], &all[i], e);
    }
    if (ok && kept)
        *found =
            choose_paired_run(all, o->side_count, o->rounds ? o->rounds : COMPARE_BESTS, results);
    for (uint32_t i = 0; i < o->side_count; i++) {
        for (size_t k = 0; k < all[i].count; k++)
            result_free(all[i].results[k]);
    }
    return ok;
}

// Takes such a paired run from the store.
static bool take_known_run(struct sweep *s, const struct compare_options *o, bool *is_known,
                           struct error *e)
{
    struct result *results[SWEEP_LINES] = {NULL};
    struct compare_entry *entries = arena_array(&s->arena, s->side_count, sizeof *entries);
    if (!entries)
        return error_memory(e);
    if (!sweep_find_paired_run(o, results, is_known, e))
        return false;
    if (!*is_known)
        return true;
    uint64_t timer_ns = 0;
    for (uint32_t i = 0; i < s->side_count; i++)
        timer_ns =
            o->sides[i].device->timer_ns > timer_ns ? o->sides[i].device->timer_ns : timer_ns;
    for (uint32_t i = 0; i < s->side_count; i++) {
        struct compare_entry *n = &entries[i];
        *n = (struct compare_entry){.result = results[i], .timed = true};
        stats_summarise(results[i]->samples_ns, results[i]->sample_count, timer_ns, &n->stats);
    }
    const struct compare_record record = {.entries = entries, .batch = results[0]->batch};
    bool ok = take_paired_run(s, &record) || error_memory(e);
    for (uint32_t i = 0; i < s->side_count; i++)
        result_free(results[i]);
    return ok;
}

// The lines that have a configuration. A single one is not interleaved with anything; a routine,
// which nothing else measures, then has no time.
static bool start_paired_run(struct sweep *s, struct error *e)
{
    struct error why = ERROR_INIT;
    const struct tune_options *t = &s->o.lines[0].tune;
    s->side_count = 0;
    if (!ask_libraries(s, e))
        return false;
    for (uint32_t i = 0; i < s->o.line_count; i++) {
        const struct sweep_line *l = &s->o.lines[i];
        struct sweep_entry *n = entry_at(s, i);
        if (!n->configuration)
            continue;
        struct compare_side *side = &s->sides[s->side_count];
        s->lines[s->side_count] = i;
        s->choices[s->side_count++] = n->configuration;
        *side = l->side;
        side->spec = n->spec;
        side->routine_about = s->about[i];
        side->name = side->name ? side->name : n->spec->name;
    }
    if (s->side_count < 2) {
        struct sweep_entry *n = s->side_count ? entry_at(s, s->lines[0]) : NULL;
        if (n && !n->timed)
            n->why = "not launched: no other line has a configuration that works at this point";
        return true;
    }
    struct compare_options o = {.setup = setup_for_paired(&t->setup),
                                .sides = s->sides,
                                .side_count = s->side_count,
                                .choices = s->choices,
                                .rounds = s->o.rounds};
    bool is_known = false;
    if (!t->setup.fresh && !take_known_run(s, &o, &is_known, &why))
        return note_paired_failure(s, &why, e);
    if (is_known)
        return true;
    s->w.inner = compare_new(&o, &why);
    s->phase = s->w.inner ? SWEEP_COMPARING : s->phase;
    return s->w.inner || note_paired_failure(s, &why, e);
}

// ---- steps -------------------------------------------------------------------------------------

static enum workflow_answer finish_point(struct sweep *s, const void **record)
{
    s->line = 0;
    *record = &s->records[s->count++];
    return WORKFLOW_RECORD;
}

static enum workflow_answer step_paired_run(struct sweep *s, int timeout_ms, const void **record,
                                            struct error *e)
{
    struct error why = ERROR_INIT;
    const struct compare_record *paired_run;
    struct compare_progress progress;
    enum workflow_answer answer = compare_step(s->w.inner, timeout_ms, &paired_run, &why);
    if (answer == WORKFLOW_RECORD && !take_paired_run(s, paired_run))
        return error_memory(e), WORKFLOW_BROKEN;
    if (answer == WORKFLOW_RECORD || answer == WORKFLOW_NOTHING)
        return WORKFLOW_NOTHING;
    compare_progress(s->w.inner, &progress);
    s->launches += progress.launches;
    end_inner(s);
    if (answer == WORKFLOW_BROKEN && !note_paired_failure(s, &why, e))
        return WORKFLOW_BROKEN;
    return s->w.cancelled ? WORKFLOW_NOTHING : finish_point(s, record);
}

static enum workflow_answer step_sweep(void *workflow, int timeout_ms, const void **record,
                                       struct error *e)
{
    struct sweep *s = workflow;
    if (s->phase == SWEEP_TUNING)
        return step_line_tune(s, timeout_ms, e) ? WORKFLOW_NOTHING : WORKFLOW_BROKEN;
    if (s->phase == SWEEP_COMPARING)
        return step_paired_run(s, timeout_ms, record, e);
    if (s->w.cancelled || s->count == s->o.plan->point_count)
        return WORKFLOW_END;
    if (s->line < s->o.line_count) {
        if (!begin_line(s, s->line, e))
            return WORKFLOW_BROKEN;
        s->line += s->phase == SWEEP_OPENING;
        return WORKFLOW_NOTHING;
    }
    if (s->o.line_count > 1 && !start_paired_run(s, e))
        return WORKFLOW_BROKEN;
    return s->phase == SWEEP_COMPARING ? WORKFLOW_NOTHING : finish_point(s, record);
}

static const struct workflow_operations sweep_operations = {.step = step_sweep,
                                                            .release = release_sweep};

// ---- views -------------------------------------------------------------------------------------

void sweep_progress(struct sweep *s, struct sweep_progress *out)
{
    memset(out, 0, sizeof *out);
    workflow_progress(&s->w, s->o.plan->point_count, s->count, &out->common);
    out->phase = s->phase;
    out->line = s->line;
    out->launches = s->launches;
    if (s->phase == SWEEP_TUNING)
        tune_progress(s->w.inner, &out->tune);
    if (s->phase == SWEEP_COMPARING)
        compare_progress(s->w.inner, &out->paired_run);
}

const struct sweep_record *sweep_records(const struct sweep *s, uint32_t *count)
{
    *count = s->count;
    return s->records;
}
