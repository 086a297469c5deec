// A recorded space as something to search: the rows that are valid by the spec and the options make
// a listed space, and each of its indices has its row.
#include "workflows/tune/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// "gemm" of "data/gemm.json.gz".
static void name_of_file(const char *path, char out[256])
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t length = strcspn(base + (*base == '.'), ".") + (*base == '.');
    str_format(out, 256, "%.*s", (int)(length < 255 ? length : 255), base);
}

// Turns the recorded measurements other than the time into metrics of their names.
static bool add_metrics(struct spec *s, const struct recorded *r)
{
    struct formula *metrics = arena_array(&s->arena, r->measurement_count + 1, sizeof *metrics);
    for (uint32_t i = 0; metrics && i < r->measurement_count; i++) {
        const char *name = arena_strdup(&s->arena, r->measurements[i]);
        metrics[i] = (struct formula){.name = name, .path = name, .text = ""};
        if (!name)
            return false;
    }
    s->metrics = metrics;
    s->metric_count = metrics ? r->measurement_count : 0;
    return metrics != NULL;
}

struct spec *replay_spec(const struct recorded *r, struct error *e)
{
    char name[256];
    name_of_file(r->path, name);
    struct spec *s = spec_bare(r->name[0] ? r->name : name, r->parameters, r->parameter_count, e);
    if (s && !add_metrics(s, r)) {
        spec_free(s);
        return error_no_memory(e);
    }
    return s;
}

// ---- the space ---------------------------------------------------------------------------------

// Is there more to a configuration's being valid than its being recorded?
static bool is_restricted(const struct replay_options *o)
{
    bool was_file = o->spec->text_length > 0; // else it has the recorded values alone
    return was_file || o->space.configuration_count > 0 || o->space.where_count > 0 ||
           o->space.share.parts > 1;
}

// The space of the spec and the options, whatever is recorded.
static struct space *whole_space(const struct replay_options *o, struct error *e)
{
    struct space *whole = space_new(o->spec, &o->space, e);
    if (whole && space_reads_device(whole))
        log_add(o->log, LOG_WARNING,
                "%s: restrictions read facts of the device, which are 0 or \"\" in a replay",
                o->spec->path);
    return whole;
}

// The rows that are valid, as space_listed() takes them; `whole` NULL: all are.
static uint32_t *valid_choices(struct replay *r, const struct space *whole, uint64_t *count)
{
    const struct recorded *recorded = r->o.recorded;
    size_t columns = recorded->parameter_count;
    uint32_t *choices = calloc(recorded->count * columns + 1, sizeof *choices);
    *count = 0;
    for (uint64_t i = 0; choices && i < recorded->count; i++) {
        uint64_t index;
        const uint32_t *choice = recorded->rows[i].choice;
        if (whole && !space_find(whole, choice, &index))
            continue;
        memcpy(choices + (size_t)(*count)++ * columns, choice, columns * sizeof *choices);
    }
    return choices;
}

static bool refuse_empty(const struct replay *r, const struct space *whole, struct error *e)
{
    const struct recorded *recorded = r->o.recorded;
    struct text why = TEXT_INIT;
    if (space_count(whole) == 0) {
        space_explain_empty(whole, &why);
        error_set(e, ERROR_INPUT, "%s: no configuration is valid: %s", r->o.spec->path,
                  text_cstr(&why));
    } else {
        struct space_reason reason;
        space_why(whole, recorded->rows[0].choice, &reason);
        space_reason_text(whole, recorded->rows[0].choice, &reason, &why);
        error_set(
            e, ERROR_INPUT, "%s: none of its %llu configurations is valid by %s; the first: %s",
            recorded->path, (unsigned long long)recorded->count, r->o.spec->path, text_cstr(&why));
    }
    text_release(&why);
    return false;
}

static bool make_recorded_space(struct replay *r, struct error *e)
{
    uint64_t count;
    struct space *whole = NULL;
    if (is_restricted(&r->o) && !(whole = whole_space(&r->o, e)))
        return false;
    uint32_t *choices = valid_choices(r, whole, &count);
    bool ok = choices || error_memory(e);
    if (ok && count == 0)
        ok = refuse_empty(r, whole, e);
    if (ok) {
        r->space = space_listed(r->o.spec, choices, count, e);
        r->excluded = r->o.recorded->count - count;
        r->unrecorded = whole ? space_count(whole) - count : 0;
    }
    free(choices);
    space_free(whole);
    return r->space != NULL;
}

// ---- what was recorded -------------------------------------------------------------------------

// Far beyond any time: what is below adds up to something finite.
#define COST_MOST 1e25

// A part that is negative or beyond that is not known.
static double cost_of(const struct recorded_row *row)
{
    const struct recorded_costs *c = &row->costs;
    const double parts[] = {c->compile_ns, c->run_ns, c->verify_ns, c->framework_ns};
    double sum = NAN;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i] >= 0 && parts[i] < COST_MOST)
            sum = isnan(sum) ? parts[i] : sum + parts[i];
    }
    return sum;
}

static bool index_rows(struct replay *r, struct error *e)
{
    const struct recorded *recorded = r->o.recorded;
    double sum = 0;
    uint64_t costs = 0;
    r->rows = calloc(space_count(r->space), sizeof *r->rows);
    if (!r->rows)
        return error_memory(e);
    for (uint64_t i = 0; i < recorded->count; i++) {
        uint64_t index;
        const struct recorded_row *row = &recorded->rows[i];
        if (!space_find(r->space, row->choice, &index))
            continue;
        r->rows[index] = row;
        r->correct += row->status == STATUS_CORRECT;
        double cost = cost_of(row);
        sum += isnan(cost) ? 0 : cost;
        costs += !isnan(cost);
    }
    r->mean_cost_ns = sum > 0 ? sum / (double)costs : NAN;
    return true;
}

bool replay_init(struct replay *r, const struct replay_options *o, struct error *e)
{
    *r = (struct replay){.o = *o};
    return make_recorded_space(r, e) && index_rows(r, e);
}

void replay_release(struct replay *r)
{
    space_free(r->space);
    free(r->rows);
    memset(r, 0, sizeof *r);
}

bool replay_has_objective(const struct replay *r, const struct objectives *g, struct error *e)
{
    return !r->o.recorded->is_untimed || !objective_is_time(g, r->o.spec, NULL) ||
           error_set(e, ERROR_USAGE,
                     "%s: no times are recorded, so that the shortest cannot be found; name "
                     "what was measured by --objective min:NAME or max:NAME",
                     r->o.recorded->path);
}

const double *replay_measurements(const struct replay *r, uint64_t index)
{
    return r->o.spec->text_length > 0 ? NULL : replay_row(r, index)->measurements;
}

const struct recorded_row *replay_row(const struct replay *r, uint64_t index)
{
    return r->rows[index];
}

double replay_cost_ns(const struct replay *r, uint64_t index)
{
    double cost = cost_of(r->rows[index]);
    return isnan(cost) ? r->mean_cost_ns : cost;
}
