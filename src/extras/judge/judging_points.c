// The points of a judge: those that the caller times, then sizes and inputs that are hidden. A size is drawn constant by
// constant, for those whole numbers of the spec that change how much data there is: near its own value, odd, small, or a
// multiple of a power of two, whichever the restrictions allow. The baseline is tried at every point before any candidate.
#include "extras/judge/judging_inside.h"

#include "base/random.h"

#include <string.h>

#define DRAWS       64   // of one size, before there is none
#define LEAST_SIZE  8    // of a constant that is drawn
#define MOST_MEMORY 1.25 // times that of the first point
// Values of candidates that are looked at, and sizes that are drawn because one of them holds at no other.
#define VALUES_LOOKED_AT 256
#define SIZES_FOR_VALUES 8

// ---- how much data -----------------------------------------------------------------------------

static double bytes_of_job(const struct job *job)
{
    double sum = 0;
    for (uint32_t i = 0; job && i < job->buffer_count; i++)
        sum += (double)job->buffers[i].count * element_bytes(&job->buffers[i].element);
    return sum;
}

static bool open_point(struct judging *j, struct point *p, struct error *e)
{
    p->used = attempt_open(j, text_cstr(&j->spec_text), j->spec_text.length, j->o.setup.spec->path,
                           p, NULL, &p->attempt, e) &&
              attempt_job(j, p, &p->attempt, &p->model, e);
    return p->used;
}

static void close_point(struct point *p)
{
    attempt_release(&p->attempt);
    job_free(p->model);
    p->model = NULL;
}

// The constants of the first point, some of them replaced. False without memory.
static bool set_constants(struct judging *j, const char *const *names, const int64_t *values,
                          uint32_t count, struct point *p)
{
    const struct judge_point *own = &j->o.points[0];
    const char **set = arena_array(&j->arena, own->set_count + count + 1, sizeof *set);
    struct text label = TEXT_INIT;
    if (!set)
        return false;
    for (uint32_t i = 0; i < own->set_count; i++) {
        size_t length = strcspn(own->set[i], "=");
        bool replaced = false;
        for (uint32_t k = 0; k < count; k++)
            replaced = replaced ||
                       (strlen(names[k]) == length && strncmp(names[k], own->set[i], length) == 0);
        if (!replaced)
            set[p->set_count++] = own->set[i];
    }
    bool ok = true;
    for (uint32_t k = 0; ok && k < count; k++) {
        const char *word = arena_printf(&j->arena, "%s=%lld", names[k], (long long)values[k]);
        ok = word != NULL;
        set[p->set_count++] = word;
        text_addf(&label, "%s%s", k ? ", " : "", ok ? word : "");
    }
    p->set = set;
    p->label = text_to_arena(&label, &j->arena);
    return ok && p->label;
}

// ---- hidden sizes ------------------------------------------------------------------------------

// Does the constant change how much data there is, or how many work-items?
static bool is_size(struct judging *j, const struct constant *c, int64_t value)
{
    struct error ignored = ERROR_INIT;
    for (unsigned factor = 2; factor <= 8; factor *= 2) {
        struct point p = {.timed = false};
        const int64_t half = value / factor;
        bool found =
            half >= 1 && set_constants(j, &c->name, &half, 1, &p) && open_point(j, &p, &ignored);
        bool differs = found && bytes_of_job(p.model) != bytes_of_job(j->points[0].model);
        close_point(&p);
        error_clear(&ignored);
        if (found)
            return differs;
    }
    return false;
}

// Odd and prime sizes first, then multiples of ever larger powers of two.
static int64_t draw_size(struct rng *r, int64_t value, uint32_t draw)
{
    int64_t step = (int64_t)1 << rng_below(r, 1 + draw / 6);
    if (step > value / 2)
        step = 1;
    const int64_t least = value / 4 / step > 0 ? value / 4 / step : 1;
    const int64_t most = (value + value / 16) / step;
    int64_t count = least + (int64_t)rng_below(r, (uint64_t)(most > least ? most - least + 1 : 1));
    return step == 1 ? count | 1 : count * step;
}

static bool is_new_size(const struct judging *j, const char *label)
{
    for (uint32_t i = 0; i < j->point_count; i++) {
        if (str_equal(j->points[i].label, label))
            return false;
    }
    return true;
}

// Constants that change how much data there is, and the numbers that they are drawn with.
struct drawing {
    struct rng r;
    const char *names[16];
    int64_t own[16];
    uint32_t count;
};

// Do the candidate's own values hold at the point?
static bool do_values_hold(struct judging *j, const struct candidate *c, const struct point *p)
{
    struct error ignored = ERROR_INIT;
    struct text spec = TEXT_INIT;
    struct attempt a = {NULL};
    bool hold =
        candidate_spec(c, text_cstr(&j->spec_text), j->spec_text.length,
                       j->o.setup.at.device->language, &spec, &ignored) &&
        attempt_open(j, text_cstr(&spec), spec.length, c->name, p, &p->attempt, &a, &ignored);
    attempt_release(&a);
    text_release(&spec);
    return hold;
}

// One more hidden size, at which the values of the candidate (optional) hold, too; nothing where the restrictions allow none. False
// without memory.
static bool draw_point(struct judging *j, struct drawing *d, const struct candidate *c)
{
    int64_t values[16];
    for (uint32_t draw = 0; draw < DRAWS; draw++) {
        struct error ignored = ERROR_INIT;
        struct point p = {.timed = false};
        for (uint32_t i = 0; i < d->count; i++)
            values[i] = draw_size(&d->r, d->own[i], draw);
        if (!set_constants(j, d->names, values, d->count, &p))
            return false;
        if (is_new_size(j, p.label) && open_point(j, &p, &ignored) &&
            bytes_of_job(p.model) <= MOST_MEMORY * bytes_of_job(j->points[0].model) &&
            (!c || do_values_hold(j, c, &p))) {
            j->points[j->point_count++] = p;
            return true;
        }
        close_point(&p);
    }
    return true;
}

// Do values that hold at the first size hold at no hidden one?
static bool are_values_unseen(struct judging *j, const struct candidate *c)
{
    for (uint32_t i = j->o.point_count; i < j->point_count; i++) {
        if (do_values_hold(j, c, &j->points[i]))
            return false;
    }
    return do_values_hold(j, c, &j->points[0]);
}

// A size more for each set of values that holds at none so far.
static bool draw_for_values(struct judging *j, struct drawing *d)
{
    const char *seen[VALUES_LOOKED_AT + 1] = {NULL};
    uint32_t count = 0;
    const uint32_t most = j->point_count + SIZES_FOR_VALUES;
    for (size_t i = 0; i < j->o.candidate_count; i++) {
        struct candidate own = *j->o.candidates[i];
        const uint32_t variants = own.text && own.values[0] ? judging_variants(j, i) : 0;
        for (uint32_t v = 0; v < variants && count < VALUES_LOOKED_AT && j->point_count < most;
             v++) {
            if (!(own.values = candidate_values(j->o.candidates[i], v, variants, &j->arena)))
                return false;
            if (str_listed(seen, own.values))
                continue;
            seen[count++] = own.values;
            if (are_values_unseen(j, &own) && !draw_point(j, d, &own))
                return false;
        }
    }
    return true;
}

static bool draw_sizes(struct judging *j)
{
    const struct spec *s = j->points[0].attempt.spec;
    struct drawing d = {.count = 0};
    int64_t value;
    bool ok = true;
    rng_init(&d.r, j->seed, 1);
    for (uint32_t i = 0; i < s->constant_count && d.count < 16; i++) {
        const struct constant *c = &s->constants[i];
        if (c->value.kind != VALUE_INT || !value_to_i64(&c->value, &value) || value < LEAST_SIZE ||
            !is_size(j, c, value))
            continue;
        d.names[d.count] = c->name;
        d.own[d.count++] = value;
    }
    for (uint32_t i = 0; ok && d.count > 0 && i < j->o.hidden; i++)
        ok = draw_point(j, &d, NULL);
    return ok && (d.count == 0 || draw_for_values(j, &d));
}

// ---- hidden inputs -----------------------------------------------------------------------------

static const char *inputs_text(enum point_inputs inputs)
{
    static const char *const texts[] = {
#define X(name, text) [POINT_##name] = (text),
        POINT_INPUTS(X)
#undef X
    };
    return texts[inputs];
}

// At the first size. The reference of files holds for its own inputs alone.
static bool add_inputs(struct judging *j, enum point_inputs inputs, struct error *e)
{
    struct point *p = &j->points[j->point_count];
    const struct point *first = &j->points[0];
    if (job_inputs_stay(first->model))
        return true;
    *p = (struct point){.set = first->set, .set_count = first->set_count, .inputs = inputs};
    p->label = arena_printf(&j->arena, "%s%s%s", first->label, first->label[0] ? ", " : "",
                            inputs_text(inputs));
    j->point_count++;
    return (p->label || error_memory(e)) && open_point(j, p, e);
}

static enum point_inputs draw_inputs(const struct judging *j)
{
    struct rng r;
    rng_init(&r, j->seed, 2);
    return (enum point_inputs)(POINT_DRAWN + rng_below(&r, POINT_INPUTS_COUNT - POINT_DRAWN));
}

static void describe_checks(struct judging *j)
{
    for (uint32_t i = 0; i < j->point_count; i++) {
        const struct point *p = &j->points[i];
        j->checks[i] = (struct judge_check){p->label, p->timed, p->used, p->why};
    }
}

bool points_make(struct judging *j, struct error *e)
{
    const struct judging_options *o = &j->o;
    bool ok = true;
    const size_t most = (size_t)o->point_count + o->hidden + SIZES_FOR_VALUES + POINT_INPUTS_COUNT;
    j->points = arena_array(&j->arena, most, sizeof *j->points);
    j->checks = arena_array(&j->arena, most, sizeof *j->checks);
    if (!j->points || !j->checks)
        return error_memory(e);
    for (uint32_t i = 0; ok && i < o->point_count; i++) {
        struct point *p = &j->points[j->point_count++];
        *p = (struct point){.label = o->points[i].label,
                            .set = o->points[i].set,
                            .set_count = o->points[i].set_count,
                            .timed = true};
        ok = open_point(j, p, e);
        if (!ok && p->label[0])
            error_context(e, "%s", p->label);
    }
    j->timed_count = j->point_count;
    if (ok && o->hidden > 0)
        ok = (draw_sizes(j) || error_memory(e)) && add_inputs(j, POINT_NARROW, e) &&
             add_inputs(j, POINT_REPEATED, e) && add_inputs(j, draw_inputs(j), e) &&
             (!job_scalars_vary(j->points[0].model) || add_inputs(j, POINT_SCALARS, e));
    for (uint32_t i = 0; ok && i < j->point_count; i++)
        j->memory += 4 * (uint64_t)bytes_of_job(j->points[i].model);
    describe_checks(j);
    return ok;
}

void points_release(struct judging *j)
{
    for (uint32_t i = 0; j->points && i < j->point_count; i++)
        close_point(&j->points[i]);
}

// ---- the baseline at each ----------------------------------------------------------------------

bool points_settle(struct judging *j, struct error *e)
{
    for (uint32_t i = 0; i < j->point_count; i++) {
        struct point *p = &j->points[i];
        const struct result *r = p->attempt.result;
        if (!p->used)
            continue;
        bool verified = r->status == STATUS_CORRECT && r->verification != VERIFICATION_NONE;
        const char *why = r->status != STATUS_CORRECT ? r->message
                          : result_is_blind(r)        ? "its check lets wrong results pass"
                                                      : "there is nothing to hold results against";
        p->used = verified;
        p->why = verified
                     ? NULL
                     : arena_printf(&j->arena, "the baseline: %s: %s", status_text(r->status), why);
        if (!verified && p->timed)
            return error_set(e, ERROR_INPUT,
                             "%s%s%s: nothing can be judged by this spec: the baseline%s%s: %s: %s",
                             j->o.setup.spec->path, p->label[0] ? ", " : "", p->label,
                             j->baseline[0] ? ", " : "", j->baseline, status_text(r->status), why);
    }
    describe_checks(j);
    return true;
}
