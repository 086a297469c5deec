// Jobs of the baseline and of candidates at a point: the spec that a kernel has there, a job of it on the judge's inputs and
// with the judge's reference, its way to the evaluator and its answer.
#include "extras/judge/judging_inside.h"

#include "isa/code.h"
#include "space/space.h"

#include <stdlib.h>
#include <string.h>

#define LARGE_TIMES 1024
#define TINY_TIMES  0x1p-130 // of float: below what is normal

// ---- specs -------------------------------------------------------------------------------------

// The baseline's values, but for those that the candidate names itself, of which there is one.
static bool choose_values(const struct judging *j, const struct attempt *like, struct attempt *out,
                          struct error *e)
{
    const struct spec *s = out->spec;
    out->choice = calloc(s->parameter_count + 1, sizeof *out->choice);
    if (!out->choice)
        return error_memory(e);
    spec_default(s, out->choice);
    if (!like)
        return !j->o.configuration ||
               spec_parse_configuration(s, j->o.configuration, out->choice, e);
    for (uint32_t i = 0; i < s->parameter_count && i < like->spec->parameter_count; i++)
        out->choice[i] =
            s->parameters[i].count == like->spec->parameters[i].count ? like->choice[i] : 0;
    return true;
}

// The restrictions of the spec must hold.
static bool is_allowed(const struct judging *j, const struct attempt *a, struct error *e)
{
    struct text words = TEXT_INIT, why = TEXT_INIT;
    if (a->spec->parameter_count == 0)
        return true;
    spec_configuration_text(a->spec, a->choice, true, &words);
    const char *const list[] = {text_cstr(&words)};
    const struct space_options so = {
        .device = j->o.setup.at.device, .configurations = list, .configuration_count = 1};
    struct space *space = words.failed ? NULL : space_new(a->spec, &so, e);
    bool allowed = space && space_count(space) == 1;
    if (space && !allowed) {
        struct space_reason reason;
        space_why(space, a->choice, &reason);
        space_reason_text(space, a->choice, &reason, &why);
        error_set(e, ERROR_INPUT, "%s is excluded: %s", list[0], text_cstr(&why));
    }
    space_free(space);
    text_release(&words);
    text_release(&why);
    return allowed;
}

bool attempt_open(const struct judging *j, const char *text, size_t length, const char *name,
                  const struct point *p, const struct attempt *like, struct attempt *out,
                  struct error *e)
{
    const struct device_info *d = j->o.setup.at.device;
    const struct spec_options so = {.set = p->set, .set_count = p->set_count, .device = d};
    out->spec = spec_parse(text, length, j->o.setup.spec->directory, name, &so, e);
    if (!out->spec || !choose_values(j, like, out, e))
        return false;
    out->sources = spec_sources_read(out->spec, d->language, d, NULL, e);
    if (!out->sources)
        return false;
    if (!like && !j->o.configuration)
        spec_baseline(out->sources, d, out->choice);
    return is_allowed(j, out, e) &&
           (like || spec_stand_in(out->sources, out->choice) || error_memory(e));
}

void attempt_release(struct attempt *a)
{
    result_free(a->result);
    spec_sources_free(a->sources);
    spec_free(a->spec);
    free(a->choice);
    *a = (struct attempt){NULL};
}

// ---- jobs --------------------------------------------------------------------------------------

static void narrow_fill(struct job_fill *f, enum scalar s)
{
    double span = f->high - f->low;
    if (f->kind != FILL_UNIFORM || span <= 0 || (!scalar_is_float(s) && span < 8))
        return;
    f->low += span / 2;
    f->high = f->low + span / 4;
    if (scalar_is_float(s))
        return;
    f->low = (double)(int64_t)f->low;
    f->high = (double)(int64_t)f->high;
}

static void repeat_fill(struct job_fill *f, enum scalar s)
{
    double value = f->low + 5 * (f->high - f->low) / 8;
    if (f->kind != FILL_UNIFORM || s == SCALAR_CUSTOM || s == SCALAR_BOOL)
        return;
    *f = (struct job_fill){.kind = FILL_CONSTANT, .value = value, .integer = (int64_t)value};
}

static void sort_fill(struct job_fill *f, enum scalar s, struct arena *a)
{
    if (f->kind != FILL_UNIFORM || !scalar_is_float(s))
        return;
    const char *text = arena_printf(a, "%.17g + %.17g * i / size", f->low, f->high - f->low);
    if (text)
        *f = (struct job_fill){.kind = FILL_GENERATOR, .expression = text};
}

static void scale_fill(struct job_fill *f, enum scalar s, double times)
{
    if (f->kind != FILL_UNIFORM || !scalar_is_float(s))
        return;
    f->low *= times;
    f->high *= times;
}

static void zero_fill(struct job_fill *f, enum scalar s)
{
    if (f->kind == FILL_UNIFORM && scalar_is_float(s))
        *f = (struct job_fill){.kind = FILL_CONSTANT, .value = -0.0};
}

static void change_fills(struct job *job, enum point_inputs inputs, struct arena *a)
{
    for (uint32_t i = 0; i < job->buffer_count; i++) {
        struct job_buffer *b = &job->buffers[i];
        const enum scalar s = b->element.scalar;
        if (inputs == POINT_NARROW)
            narrow_fill(&b->fill, s);
        else if (inputs == POINT_REPEATED)
            repeat_fill(&b->fill, s);
        else if (inputs == POINT_SORTED)
            sort_fill(&b->fill, s, a);
        else if (inputs == POINT_LARGE)
            scale_fill(&b->fill, s, LARGE_TIMES);
        else if (inputs == POINT_TINY)
            scale_fill(&b->fill, s, TINY_TIMES);
        else if (inputs == POINT_ZEROS)
            zero_fill(&b->fill, s);
    }
}

// The job and its reference on the inputs of the point.
static bool use_inputs(const struct judging *j, const struct point *p, struct job *job)
{
    struct job other;
    if (!job_on_other_inputs(job, j->seed, &job->arena, &other))
        return false;
    other.arena = job->arena;
    *job = other;
    change_fills(job, p->inputs, &job->arena);
    if (job->reference.kind == REFERENCE_JOB)
        change_fills(job->reference.job, p->inputs, &job->arena);
    return true;
}

static bool name_job(struct job *job, const struct attempt *a, const char *constants)
{
    struct text words = TEXT_INIT, json = TEXT_INIT;
    spec_configuration_text(a->spec, a->choice, true, &words);
    spec_configuration_json(a->spec, a->choice, &json);
    job->configuration = text_to_arena(&words, &job->arena);
    job->configuration_json = text_to_arena(&json, &job->arena);
    job->constants = constants;
    return job->configuration && job->configuration_json;
}

bool attempt_job(const struct judging *j, const struct point *p, const struct attempt *a,
                 struct job **out, struct error *e)
{
    if (!spec_job(a->spec, a->sources, j->o.setup.at.device, a->choice, out, e))
        return false;
    if (use_inputs(j, p, *out) && name_job(*out, a, p->label))
        return true;
    job_free(*out);
    return error_memory(e);
}

// A candidate's: all but program, launch and what its text does to the arguments is the baseline's.
static bool make_contestant_job(const struct judging *j, const struct point *p,
                                const struct attempt *a, struct job **out, struct error *e)
{
    const struct job *model = p->model;
    if (!attempt_job(j, p, a, out, e))
        return false;
    bool same = (*out)->buffer_count == model->buffer_count;
    for (uint32_t i = 0; same && i < model->buffer_count; i++) {
        const struct job_buffer *own = &(*out)->buffers[i], *its = &model->buffers[i];
        same = own->count == its->count || own->temporary;
    }
    if (!same) {
        job_free(*out);
        return error_set(e, ERROR_INPUT, "its values change the size of an argument");
    }
    (*out)->reference = model->reference;
    (*out)->partial = model->partial;
    return true;
}

static bool submit_attempt(struct judging *j, struct attempt *a, struct job *job, struct error *e)
{
    a->ticket = j->tickets++;
    a->submitted = true;
    a->dropped = false;
    return evaluator_submit(j->w.evaluator, a->ticket, job, e);
}

bool baseline_submit(struct judging *j, struct point *p, struct error *e)
{
    struct job *job;
    result_free(p->attempt.result);
    p->attempt.result = NULL;
    return attempt_job(j, p, &p->attempt, &job, e) && submit_attempt(j, &p->attempt, job, e);
}

// ---- candidates --------------------------------------------------------------------------------

// False with what is wrong with the candidate there; *broken: it is no fault of it.
static bool begin_at(struct judging *j, struct contestant *c, const struct point *p,
                     struct attempt *a, bool *broken, struct error *e)
{
    struct job *job;
    attempt_release(a);
    if (!attempt_open(j, c->spec_text, c->spec_length, c->record.candidate->name, p, &p->attempt, a,
                      e) ||
        !make_contestant_job(j, p, a, &job, e)) {
        *broken = e->code == ERROR_MEMORY;
        return false;
    }
    *broken = !submit_attempt(j, a, job, e);
    return !*broken;
}

// The document is the judge's: a place in it means nothing to who wrote the candidate.
static const char *without_place(const char *text, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(text, name, length) != 0 || text[length] != ':')
        return text;
    const char *at = text + length + 1;
    at += strspn(at, "0123456789:");
    return at + strspn(at, " ");
}

bool contestant_begin(struct judging *j, struct contestant *c, struct error *e)
{
    c->begun = true;
    for (uint32_t i = 0; i < j->point_count && !c->over; i++) {
        struct error why = ERROR_INIT;
        struct attempt *a = &c->attempts[i];
        bool broken = false;
        if (!j->points[i].used || begin_at(j, c, &j->points[i], a, &broken, &why))
            continue;
        if (broken) {
            *e = why;
            return false;
        }
        // Values of its own need not be allowed at a size that it cannot know.
        a->excused = !j->points[i].timed && c->record.candidate->values[0];
        if (!a->excused) {
            contestant_fail(j, c, JUDGE_INVALID, i > 0 ? j->points[i].label : NULL, "%s",
                            without_place(why.text, c->record.candidate->name));
            break;
        }
    }
    return true;
}

bool baseline_again(struct judging *j, uint32_t point, struct error *e)
{
    evaluator_drop(j->w.evaluator, j->points[point].attempt.ticket);
    return baseline_submit(j, &j->points[point], e);
}

bool contestant_again(struct judging *j, struct contestant *c, uint32_t point, struct error *e)
{
    bool broken = false;
    evaluator_drop(j->w.evaluator, c->attempts[point].ticket);
    return begin_at(j, c, &j->points[point], &c->attempts[point], &broken, e);
}

bool contestant_is_answered(const struct judging *j, const struct contestant *c)
{
    for (uint32_t i = 0; i < j->point_count; i++) {
        if (j->points[i].used && !j->points[i].attempt.result)
            return false;
    }
    for (uint32_t i = 0; i < j->point_count; i++) {
        if (c->attempts[i].submitted && !c->attempts[i].result)
            return false;
    }
    return true;
}

void contestant_drop(struct judging *j, struct contestant *c)
{
    for (uint32_t i = 0; i < j->point_count; i++) {
        struct attempt *a = &c->attempts[i];
        if (a->submitted && !a->dropped && j->w.evaluator)
            evaluator_drop(j->w.evaluator, a->ticket);
        a->dropped = true;
    }
}

void contestant_release(struct judging *j, struct contestant *c)
{
    for (uint32_t i = 0; c->attempts && i < j->point_count; i++)
        attempt_release(&c->attempts[i]);
    free(c->spec_text);
    c->spec_text = NULL;
}

bool contestant_note_policies(struct judging *j, struct contestant *c, uint32_t point)
{
    struct evaluator_status status;
    struct error e = ERROR_INIT;
    struct text ptx = TEXT_INIT, words = TEXT_INIT;
    if (c->noted || j->o.setup.at.device->type == DEVICE_CPU)
        return true;
    evaluator_status(j->w.evaluator, &status);
    if (status.measuring)
        return false;
    c->noted = true;
    if (!evaluator_fetch(j->w.evaluator, c->attempts[point].ticket, FETCH_PTX, 0, &ptx, &e))
        c->record.policies = arena_printf(&j->arena, "not known: %s", e.text);
    else if (code_cache_policies(text_cstr(&ptx), ptx.length, &words) > 0)
        c->record.policies = text_to_arena(&words, &j->arena);
    text_release(&ptx);
    text_release(&words);
    return true;
}

static bool take_answer(struct attempt *a, struct outcome *out)
{
    if (!a->submitted || a->ticket != out->ticket || a->result)
        return false;
    a->result = out->result;
    return true;
}

void judging_answer(void *judging, struct outcome *out)
{
    struct judging *j = judging;
    for (uint32_t p = 0; p < j->point_count; p++) {
        if (take_answer(&j->points[p].attempt, out))
            return;
        for (size_t i = j->current; i < j->ahead; i++) {
            if (take_answer(&j->queue[i]->attempts[p], out))
                return;
        }
    }
    result_free(out->result);
}
