// Scoring: each file becomes a space to search with the value of every configuration and a baseline
// (score_curve.h); each strategy on each file is an entry with one search a seed and axis. Threads take
// searches from the entries in order and a step hands an entry out once all of its searches are
// done, so that records come in order whatever the threads do.
#include "workflows/score/score.h"

#include "os/file_replace.h"
#include "os/process.h"
#include "search/objective.h"
#include "stats/stats.h"
#include "workflows/tune/replay.h"
#include "workflows/score/score_curve.h"
#include "workflows/elsewhere.h"
#include "workflows/starts.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

// A recorded space, ready to be searched; read by all threads.
struct field {
    struct recorded *mirrored; // (or NULL) what it is of, if that is its own
    struct spec *spec;
    struct replay replay;
    struct objectives objectives; // one objective
    double *values;               // by index, smaller is better; NaN: failed, or has none
    struct baseline baseline;
    struct sources sources;
    const char *own_source; // (or NULL) left out of these: the file itself
    const uint64_t *starts;
    uint32_t start_count;
};

// One strategy on one field: a search for each axis and seed.
struct entry {
    const struct field *field, *mirror; // mirror NULL: not asked for
    struct score_record record;
    double *found[SCORE_AXES];     // scores by seed
    double *fractions[SCORE_AXES]; // of the optimum
    double *leads[SCORE_AXES];     // CURVE_SHARES for each seed
    double *near[SCORE_AXES];      // evaluations; INFINITY: never
    double *along[SCORE_AXES];     // likewise
    uint64_t searches, begun, done;
};

struct score {
    struct workflow w;
    struct score_options o;
    struct arena arena;
    struct field *fields; // of the files, then of these mirrored
    struct entry *entries;
    uint32_t entry_count, handed_out;
    struct score_mean *means;

    pthread_t *threads;
    uint32_t thread_count;
    pthread_mutex_t lock; // of what follows, and of begun and done of the entries
    pthread_cond_t news;  // an entry is done, or something is wrong
    bool has_lock, has_news;
    uint32_t current; // entry that searches are taken from
    uint64_t done, planned;
    uint32_t working; // threads
    bool stopped;     // no further search is begun
    struct error why;
};

static const struct workflow_operations score_operations;

// ---- one search --------------------------------------------------------------------------------

struct search {
    const struct entry *entry;
    const struct field *field;
    enum score_axis axis;
    struct strategy *strategy;
    struct curve curve;
    uint64_t *outstanding; // a ring
    uint32_t capacity, first, count;
    uint64_t asked, answered;
    double near, along; // answered until so near, so far; INFINITY: not yet
};

static bool ask_until_full(struct search *s)
{
    uint64_t most = s->axis != SCORE_TIME ? s->field->baseline.draws : UINT64_MAX;
    while (s->count < s->capacity && s->asked < most) {
        uint64_t *next = &s->outstanding[(s->first + s->count) % s->capacity];
        size_t got = strategy_ask(s->strategy, next, 1);
        while (got == 0 && strategy_wait(s->strategy, 1000))
            got = strategy_ask(s->strategy, next, 1);
        if (got == 0)
            break;
        s->asked++;
        s->count++;
    }
    return s->count > 0;
}

// By evaluations it is the questions that end: the last one counts for what was reached, also where
// the baseline is sure of the optimum by then.
static bool is_search_done(const struct search *s)
{
    return s->axis == SCORE_TIME && curve_is_over(&s->curve);
}

// The oldest question is answered.
static void answer_oldest(struct search *s)
{
    const struct field *f = s->field;
    uint64_t index = s->outstanding[s->first];
    const struct recorded_row *row = replay_row(&f->replay, index);
    double value = f->values[index];
    // As in a tune: a correct result without a value is useless to the search.
    bool is_nothing = row->status == STATUS_CORRECT && isnan(value);
    s->first = (s->first + 1) % s->capacity;
    s->count--;
    if (s->axis == SCORE_TIME)
        strategy_cost(s->strategy, index, replay_cost_ns(&f->replay, index));
    strategy_tell(s->strategy, index, is_nothing ? STATUS_RUNTIME : row->status, value);
    s->answered++;
    if (s->axis == SCORE_TIME)
        curve_pass(&s->curve, replay_cost_ns(&f->replay, index) / f->replay.mean_cost_ns);
    if (s->axis != SCORE_TIME || !curve_is_over(&s->curve)) // else it came too late
        curve_found(&s->curve, value);
    if (s->axis != SCORE_TIME)
        curve_pass(&s->curve, 1);
    if (isinf(s->near) && curve_is_near(&s->curve))
        s->near = (double)s->answered;
    if (isinf(s->along) && curve_is_along(&s->curve))
        s->along = (double)s->answered;
}

static bool search_begin(struct search *s, uint64_t seed, struct error *e)
{
    const struct field *f = s->field;
    struct strategy_setup setup = {.space = f->replay.space,
                                   .seed = seed,
                                   .in_flight = s->capacity,
                                   .sources = sources_list(&f->sources),
                                   .source_count = f->sources.count,
                                   .starts = f->starts,
                                   .start_count = f->start_count,
                                   .value_is_time = s->entry->record.is_time};
    if (s->axis != SCORE_TIME)
        setup.budget = f->baseline.draws;
    s->outstanding = calloc(s->capacity, sizeof *s->outstanding);
    if (!s->outstanding)
        return error_memory(e);
    s->strategy = strategy_new(s->entry->record.description, &setup, e);
    (s->axis == SCORE_TIME ? curve_by_time : curve_by_evaluations)(&s->curve, &f->baseline);
    return s->strategy != NULL;
}

static bool search_run(const struct score *all, struct entry *n, enum score_axis axis,
                       uint32_t repeat, struct error *e)
{
    struct search s = {.entry = n,
                       .field = axis == SCORE_MIRROR ? n->mirror : n->field,
                       .axis = axis,
                       .capacity = axis == SCORE_MANY ? all->o.many : all->o.in_flight,
                       .near = INFINITY,
                       .along = INFINITY};
    bool ok = search_begin(&s, all->o.seed + repeat, e);
    while (ok && !is_search_done(&s) && ask_until_full(&s))
        answer_oldest(&s);
    if (ok && s.strategy->why.code) {
        *e = s.strategy->why;
        ok = false;
    }
    if (ok) {
        // The best as a share of the optimum: half the time is twice the throughput.
        double optimum = n->field->baseline.optimum, best = s.curve.best;
        bool maximise = n->field->objectives.terms[0].maximise;
        n->found[axis][repeat] = curve_score(&s.curve);
        n->fractions[axis][repeat] = !s.curve.found ? 0
                                     : maximise     ? best / optimum
                                                    : optimum / best;
        n->near[axis][repeat] = s.near;
        n->along[axis][repeat] = s.along;
        for (unsigned i = 0; i < CURVE_SHARES; i++)
            n->leads[axis][repeat * CURVE_SHARES + i] = curve_lead(&s.curve, i);
    }
    strategy_free(s.strategy);
    free(s.outstanding);
    return ok;
}

// ---- the threads -------------------------------------------------------------------------------

// The next search; false when there is none to begin.
static bool take_search(struct score *s, struct entry **entry, uint64_t *which)
{
    while (s->current < s->entry_count &&
           s->entries[s->current].begun == s->entries[s->current].searches)
        s->current++;
    if (s->stopped || s->why.code || s->current == s->entry_count)
        return false;
    *entry = &s->entries[s->current];
    *which = (*entry)->begun++;
    return true;
}

// The n-th axis that is known.
static enum score_axis axis_of(const struct entry *n, uint64_t nth)
{
    unsigned axis = SCORE_EVALUATIONS;
    while (!n->record.axes[axis].known || nth-- > 0)
        axis++;
    return axis;
}

static void *search_on_thread(void *context)
{
    struct score *s = context;
    struct entry *n;
    uint64_t which;
    pthread_mutex_lock(&s->lock);
    while (take_search(s, &n, &which)) {
        struct error e = ERROR_INIT;
        pthread_mutex_unlock(&s->lock);
        search_run(s, n, axis_of(n, which / s->o.repeats), (uint32_t)(which % s->o.repeats), &e);
        pthread_mutex_lock(&s->lock);
        s->done++;
        if (e.code && !s->why.code)
            s->why = e;
        if (++n->done == n->searches || e.code)
            pthread_cond_signal(&s->news);
    }
    s->working--;
    pthread_cond_signal(&s->news);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static bool start_threads(struct score *s, struct error *e)
{
    uint64_t jobs = s->o.jobs ? s->o.jobs : process_cores();
    if (jobs > s->planned)
        jobs = s->planned;
    s->threads = arena_array(&s->arena, jobs, sizeof *s->threads);
    if (!s->threads)
        return error_memory(e);
    s->w.started_ns = clock_ns();
    pthread_mutex_lock(&s->lock);
    for (uint64_t i = 0; i < jobs; i++) {
        if (pthread_create(&s->threads[i], NULL, search_on_thread, s) != 0)
            break;
        s->thread_count++;
        s->working++;
    }
    pthread_mutex_unlock(&s->lock);
    return s->thread_count > 0 || error_set(e, ERROR_IO, "no thread can be started");
}

// ---- making ------------------------------------------------------------------------------------

static double recorded_value(const struct field *f, uint64_t index)
{
    const struct recorded_row *row = replay_row(&f->replay, index);
    const struct spec_measured measured = {
        .time_ns = row->time_ns, .joule = NAN, .recorded = replay_measurements(&f->replay, index)};
    double value;
    if (row->status != STATUS_CORRECT ||
        !objective_values(&f->objectives, f->spec, row->choice, NULL, &measured, &value))
        return NAN;
    return objective_value(&f->objectives, &value, NULL);
}

static bool make_baseline(struct field *f, struct error *e)
{
    uint64_t correct = 0, count = space_count(f->replay.space);
    double *sorted = calloc(count, sizeof *sorted);
    f->values = calloc(count, sizeof *f->values);
    for (uint64_t i = 0; sorted && f->values && i < count; i++) {
        f->values[i] = recorded_value(f, i);
        if (!isnan(f->values[i]))
            sorted[correct++] = f->values[i];
    }
    bool ok = (sorted && f->values) || error_memory(e);
    ok = ok && baseline_init(&f->baseline, sorted, correct, count, e);
    free(sorted);
    return ok;
}

// A file is never a source of itself. A source without results of the space is the user's mistake.
static bool field_sources(struct field *f, const struct score_options *o, struct error *e)
{
    for (uint32_t i = 0; i < o->source_count; i++) {
        struct text why = TEXT_INIT;
        const struct recorded *from = o->sources[i];
        if (file_is_same(from->path, f->replay.o.recorded->path)) {
            f->own_source = from->path;
            continue;
        }
        bool ok =
            sources_add(&f->sources, f->replay.space, from, o->objective, from->path, &why, e);
        if (ok && why.length > 0)
            ok = error_set(e, ERROR_INPUT, "as a source of %s: %s", f->replay.o.recorded->path,
                           text_cstr(&why));
        text_release(&why);
        if (!ok)
            return error_context(e, "%s", from->path);
    }
    return true;
}

static bool field_init(struct field *f, const struct recorded *recorded, const char *objective,
                       struct error *e)
{
    if (!f)
        return error_memory(e);
    f->spec = replay_spec(recorded, e);
    struct replay_options o = {.recorded = recorded, .spec = f->spec};
    if (!f->spec || !replay_init(&f->replay, &o, e))
        return false;
    bool ok = objective_parse(objective, f->spec, &f->objectives, e);
    if (ok && f->objectives.count > 1)
        ok = error_set(e, ERROR_USAGE, "several objectives have no one best to score by: give one");
    if (ok && !replay_has_objective(&f->replay, &f->objectives, e))
        return false;
    if (!ok || !make_baseline(f, e))
        return error_context(e, "%s", recorded->path);
    return true;
}

static bool field_mirror(struct field *f, const struct recorded *of, const char *objective,
                         struct error *e)
{
    f->mirrored = recorded_mirror(of, true, e);
    return f->mirrored && field_init(f, f->mirrored, objective, e);
}

static bool field_starts(struct score *s, struct field *f, struct error *e)
{
    return starts_find(f->replay.space, s->o.start_with, s->o.start_count, &s->arena, NULL,
                       &f->starts, &f->start_count, e) ||
           error_context(e, "%s", f->replay.o.recorded->path);
}

static void field_release(struct field *f)
{
    sources_release(&f->sources);
    baseline_release(&f->baseline);
    free(f->values);
    replay_release(&f->replay);
    spec_free(f->spec);
    recorded_free(f->mirrored);
}

// With all its options, and which one the default is: known once it is made. One configuration
// never covers a space, so that the default is not the one for spaces that are tried as a whole.
static const char *describe_strategy(struct score *s, const struct field *f, const char *text,
                                     struct error *e)
{
    struct strategy_setup setup = {.space = f->replay.space, .budget = 1};
    struct strategy *strategy = strategy_new(text, &setup, e);
    if (!strategy)
        return NULL;
    const char *copy = arena_strdup(&s->arena, strategy_description(strategy));
    strategy_free(strategy);
    if (!copy)
        error_memory(e);
    return copy;
}

static const char *describe_objective(struct score *s, const struct objectives *g, struct error *e)
{
    struct text text = TEXT_INIT;
    objective_text(g, &text);
    const char *copy = text_to_arena(&text, &s->arena);
    if (!copy)
        error_memory(e);
    return copy;
}

static bool entry_init(struct score *s, struct entry *n, const struct field *f, struct error *e)
{
    if (!n || !f)
        return error_memory(e);
    const struct baseline *b = &f->baseline;
    const char *text = s->o.strategies[n->record.strategy];
    struct score_record *r = &n->record;
    n->field = f;
    const char **names = arena_array(&s->arena, f->sources.count + 1, sizeof *names);
    if (!names)
        return error_memory(e);
    for (uint32_t i = 0; i < f->sources.count; i++)
        names[i] = source_name(f->sources.items[i]);
    r->sources = names;
    r->source_count = f->sources.count;
    r->own_source = f->own_source;
    r->recorded = f->replay.o.recorded;
    r->count = b->count;
    r->correct = f->replay.correct;
    r->without_value = r->correct - b->correct;
    double sign = f->objectives.terms[0].maximise ? -1 : 1;
    r->optimum = sign * b->optimum;
    r->median = sign * b->median;
    r->is_time = f->objectives.terms[0].metric == OBJECTIVE_TIME && sign > 0;
    r->objective = describe_objective(s, &f->objectives, e);
    r->draws = b->draws;
    r->budget_ns = (double)b->draws * f->replay.mean_cost_ns;
    r->axes[SCORE_EVALUATIONS].known = true;
    r->axes[SCORE_TIME].known = !isnan(f->replay.mean_cost_ns);
    r->axes[SCORE_MANY].known = s->o.many > 0;
    r->axes[SCORE_MIRROR].known = n->mirror != NULL;
    r->description = describe_strategy(s, f, text, e);
    for (unsigned axis = 0; r->description && axis < SCORE_AXES; axis++) {
        if (!r->axes[axis].known)
            continue;
        n->found[axis] = arena_array(&s->arena, s->o.repeats, sizeof(double));
        n->fractions[axis] = arena_array(&s->arena, s->o.repeats, sizeof(double));
        n->near[axis] = arena_array(&s->arena, s->o.repeats, sizeof(double));
        n->along[axis] = arena_array(&s->arena, s->o.repeats, sizeof(double));
        n->leads[axis] =
            arena_array(&s->arena, (size_t)s->o.repeats * CURVE_SHARES, sizeof(double));
        r->axes[axis].scores = n->found[axis];
        r->axes[axis].along = n->along[axis];
        n->searches += s->o.repeats;
        if (!n->found[axis] || !n->fractions[axis] || !n->near[axis] || !n->along[axis] ||
            !n->leads[axis])
            return error_memory(e);
    }
    s->planned += n->searches;
    return r->description && r->objective;
}

static bool make_entries(struct score *s, struct error *e)
{
    uint32_t strategies = s->o.strategy_count;
    s->fields = arena_array(&s->arena, 2 * (size_t)s->o.file_count + 1, sizeof *s->fields);
    s->entries =
        arena_array(&s->arena, (size_t)s->o.file_count * strategies + 1, sizeof *s->entries);
    s->means = arena_array(&s->arena, strategies, sizeof *s->means);
    if (!s->fields || !s->entries || !s->means)
        return error_memory(e);
    for (uint32_t f = 0; f < s->o.file_count; f++) {
        if (!field_init(&s->fields[f], s->o.files[f], s->o.objective, e) ||
            !field_sources(&s->fields[f], &s->o, e) || !field_starts(s, &s->fields[f], e))
            return false;
        struct field *mirror = s->o.mirror ? &s->fields[s->o.file_count + f] : NULL;
        if (mirror && !field_mirror(mirror, s->o.files[f], s->o.objective, e))
            return false;
        for (uint32_t i = 0; i < strategies; i++) {
            struct entry *n = &s->entries[s->entry_count++];
            n->record.file = f;
            n->record.strategy = i;
            n->mirror = mirror;
            if (!entry_init(s, n, &s->fields[f], e))
                return false;
        }
    }
    return true;
}

static bool make_lock(struct score *s, struct error *e)
{
    pthread_condattr_t monotonic;
    s->has_lock = pthread_mutex_init(&s->lock, NULL) == 0;
    if (!s->has_lock || pthread_condattr_init(&monotonic) != 0)
        return error_memory(e);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    s->has_news = pthread_cond_init(&s->news, &monotonic) == 0;
    pthread_condattr_destroy(&monotonic);
    return s->has_news || error_memory(e);
}

struct score *score_new(const struct score_options *o, struct error *e)
{
    static const char *const the_default[] = {NULL};
    struct score *s = workflow_new(sizeof *s, &score_operations, e);
    if (!s)
        return NULL;
    arena_init(&s->arena);
    s->o = *o;
    if (o->strategy_count == 0) {
        s->o.strategies = the_default;
        s->o.strategy_count = 1;
    }
    s->o.repeats = o->repeats ? o->repeats : SCORE_REPEATS;
    s->o.in_flight = o->in_flight ? o->in_flight : 1;
    if (make_lock(s, e) && make_entries(s, e) && start_threads(s, e))
        return s;
    score_free(s);
    return NULL;
}

static void release_score(void *workflow)
{
    struct score *s = workflow;
    for (uint32_t i = 0; i < s->thread_count; i++)
        pthread_join(s->threads[i], NULL);
    for (uint32_t f = 0; s->fields && f < 2 * s->o.file_count; f++)
        field_release(&s->fields[f]);
    if (s->has_news)
        pthread_cond_destroy(&s->news);
    if (s->has_lock)
        pthread_mutex_destroy(&s->lock);
    arena_release(&s->arena);
}

// ---- what came of it ---------------------------------------------------------------------------

static double mean_of_seeds(const double *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

static struct score_interval interval_of(const double *values, uint32_t count)
{
    struct score_interval v = {.mean = mean_of_seeds(values, count), .low = NAN, .high = NAN};
    double squares = 0;
    for (uint32_t i = 0; i < count; i++)
        squares += (values[i] - v.mean) * (values[i] - v.mean);
    if (count < 2)
        return v;
    double error = sqrt(squares / (count - 1) / count);
    double wide = stats_student(count - 1, STATS_LEVEL) * error;
    v.low = v.mean - wide;
    v.high = v.mean + wide;
    return v;
}

// Sorts `near`. Of an even number of searches the median is the lower of the two in the middle, so that one which never
// comes so near makes none infinite that half of them reach.
static void look_along_the_budget(struct score_result *r, const double *leads, double *near,
                                  uint32_t repeats)
{
    uint32_t reached = 0;
    for (unsigned k = 0; k < CURVE_SHARES; k++) {
        r->lead[k] = 0;
        for (uint32_t i = 0; i < repeats; i++)
            r->lead[k] += leads[i * CURVE_SHARES + k] / repeats;
    }
    for (uint32_t i = 0; i < repeats; i++)
        reached += !isinf(near[i]);
    qsort(near, repeats, sizeof *near, stats_compare_double);
    r->near = near[(repeats - 1) / 2];
    r->nears = (double)reached / repeats;
}

// The mean of the files for each seed, and of those over the seeds: the files are what they are,
// the seeds are a sample.
static bool mean_over_files(struct score *s, uint32_t strategy, enum score_axis axis)
{
    struct score_mean *m = &s->means[strategy];
    double *sums = arena_array(&s->arena, s->o.repeats, sizeof *sums);
    double fraction = 0, leads[CURVE_SHARES] = {0}, known[CURVE_SHARES] = {0};
    for (uint32_t i = 0; sums && i < s->entry_count; i++) {
        const struct entry *n = &s->entries[i];
        if (n->record.strategy != strategy || !n->record.axes[axis].known)
            continue;
        m->description = n->record.description;
        m->files[axis]++;
        fraction += n->record.axes[axis].fraction;
        for (unsigned k = 0; k < CURVE_SHARES; k++) {
            double lead = n->record.axes[axis].lead[k];
            leads[k] += isnan(lead) ? 0 : lead;
            known[k] += !isnan(lead);
        }
        for (uint32_t seed = 0; seed < s->o.repeats; seed++)
            sums[seed] += n->found[axis][seed];
    }
    for (uint32_t seed = 0; sums && seed < s->o.repeats; seed++)
        sums[seed] /= m->files[axis];
    if (sums && m->files[axis] > 0)
        m->score[axis] = interval_of(sums, s->o.repeats);
    m->fraction[axis] = fraction / m->files[axis];
    for (unsigned k = 0; k < CURVE_SHARES; k++)
        m->lead[axis][k] = known[k] > 0 ? leads[k] / known[k] : NAN;
    return sums != NULL;
}

// Waits until the next entry is done, no thread is working any more, or the time is up. With the
// lock.
static void wait_for_news(struct score *s, const struct entry *next, int timeout_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += timeout_ms / 1000;
    until.tv_nsec += (timeout_ms % 1000) * 1000000l;
    until.tv_sec += until.tv_nsec / 1000000000l;
    until.tv_nsec %= 1000000000l;
    while (next->done < next->searches && s->working > 0 && !s->why.code) {
        if (pthread_cond_timedwait(&s->news, &s->lock, &until) == ETIMEDOUT)
            return;
    }
}

static enum workflow_answer step_score(void *workflow, int timeout_ms, const void **record,
                                       struct error *e)
{
    struct score *s = workflow;
    if (s->handed_out == s->entry_count) {
        bool ok = true;
        for (uint32_t i = 0; ok && i < s->o.strategy_count; i++) {
            for (unsigned axis = 0; ok && axis < SCORE_AXES; axis++)
                ok = mean_over_files(s, i, axis) || error_memory(e);
        }
        return ok ? WORKFLOW_END : WORKFLOW_BROKEN;
    }
    struct entry *next = &s->entries[s->handed_out];
    pthread_mutex_lock(&s->lock);
    wait_for_news(s, next, timeout_ms);
    bool is_done = next->done == next->searches, is_over = s->working == 0;
    struct error why = s->why;
    pthread_mutex_unlock(&s->lock);
    if (why.code) {
        *e = why;
        return WORKFLOW_BROKEN;
    }
    if (!is_done)
        return is_over ? WORKFLOW_END : WORKFLOW_NOTHING;
    s->handed_out++;
    for (unsigned axis = 0; axis < SCORE_AXES; axis++) {
        struct score_result *r = &next->record.axes[axis];
        if (!r->known)
            continue;
        r->score = interval_of(next->found[axis], s->o.repeats);
        r->fraction = mean_of_seeds(next->fractions[axis], s->o.repeats);
        look_along_the_budget(r, next->leads[axis], next->near[axis], s->o.repeats);
    }
    *record = &next->record;
    return WORKFLOW_RECORD;
}

static void stop_score(void *workflow)
{
    struct score *s = workflow;
    if (!s->has_lock)
        return;
    pthread_mutex_lock(&s->lock);
    s->stopped = true;
    pthread_mutex_unlock(&s->lock);
}

static const struct workflow_operations score_operations = {
    .step = step_score, .stop = stop_score, .release = release_score};

void score_progress(struct score *s, struct workflow_progress *out)
{
    pthread_mutex_lock(&s->lock);
    workflow_progress(&s->w, s->planned, s->done, out);
    pthread_mutex_unlock(&s->lock);
}

const struct score_mean *score_means(const struct score *s, uint32_t *count)
{
    *count = s->o.strategy_count;
    return s->means;
}
