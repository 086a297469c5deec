// Writes a recorded space of a store. Each row is checked against the spec as it is now and written
// into a text of its own by the writer of the format; rows come newest first and are put into the
// file in reverse.

#include "extras/formats/export.h"

#include "base/array.h"
#include "extras/formats/export_inside.h"
#include "recorded/tokens.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *ending;
    const struct export_writer *writer;
} formats[EXPORT_FORMAT_COUNT] = {
    [EXPORT_T4] = {"t4", ".json", &export_t4},
    [EXPORT_CACHE] = {"cache", ".json", &export_cache},
    [EXPORT_CSV] = {"csv", ".csv", &export_csv},
};

const char *export_format_text(enum export_format f)
{
    return formats[f].name;
}

const char *export_format_ending(enum export_format f)
{
    return formats[f].ending;
}

bool export_format_parse(const char *text, enum export_format *out)
{
    for (int i = 0; i < EXPORT_FORMAT_COUNT; i++) {
        if (str_equal_nocase(text, formats[i].name)) {
            *out = (enum export_format)i;
            return true;
        }
    }
    return false;
}

// ---- what the writers share --------------------------------------------------------------------

void export_value_text(const struct value *v, struct text *out)
{
    if (v->kind == VALUE_STRING)
        text_add(out, v->s);
    else
        value_print(v, out);
}

void export_parameters(const struct exported *x, struct emit *j)
{
    const struct spec *s = x->o->spec;
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        emit_key(j, s->parameters[i].name);
        value_emit(&s->parameters[i].values[x->choice[i]], j);
    }
}

void export_ms_at(struct emit *j, const char *key, double ns)
{
    if (ns > 0)
        emit_f64_at(j, key, ns / 1e6);
}

// ---- the configuration of a row ----------------------------------------------------------------

#define NONE UINT32_MAX

// Names that are not parameters of the spec are ignored.
static bool choose_parameter_value(const struct spec *s, const char *name, const struct value *v,
                                   uint32_t *choice)
{
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        const struct parameter *p = &s->parameters[i];
        if (!str_equal(p->name, name))
            continue;
        uint32_t k = 0;
        while (k < p->count && !value_equal(&p->values[k], v))
            k++;
        choice[i] = k;
        return k < p->count;
    }
    return true;
}

static bool choose_values(const struct spec *s, struct tokens *t, uint32_t *choice, struct error *e)
{
    struct text name = TEXT_INIT;
    struct value v;
    bool ok = tokens_next(t, e) == TOKEN_OBJECT;
    while (ok && tokens_next(t, e) == TOKEN_KEY) {
        text_clear(&name);
        text_add(&name, text_cstr(&t->text));
        ok = !name.failed || error_memory(e);
        ok = ok && tokens_next(t, e) < TOKEN_TORN && tokens_value(t, &v) &&
             choose_parameter_value(s, text_cstr(&name), &v, choice);
    }
    text_release(&name);
    return ok && t->kind == TOKEN_OBJECT_END;
}

// As the spec is now; false where it has no such configuration. The text says whether all that had
// several values is still there; what had one value then, which the text leaves out, is in the
// JSON.
static bool read_exported_choice(const struct spec *s, const struct store_row *row,
                                 uint32_t *choice, struct error *e)
{
    spec_default(s, choice);
    if (!spec_parse_configuration(s, row->configuration, choice, e))
        return false;
    for (uint32_t i = 0; i < s->parameter_count; i++)
        choice[i] = s->parameters[i].count == 1 ? 0 : NONE;
    struct bytes b;
    struct tokens t;
    tokens_init(&t, &b);
    bool ok = bytes_open_memory(&b, "configuration", row->configuration_json,
                                strlen(row->configuration_json), e) &&
              choose_values(s, &t, choice, e);
    tokens_release(&t);
    bytes_close(&b);
    for (uint32_t i = 0; i < s->parameter_count; i++)
        ok = ok && choice[i] != NONE;
    return ok;
}

// ---- rows --------------------------------------------------------------------------------------

struct exporting {
    const struct export_options *o;
    const struct export_writer *writer;
    char **rows; // the newest first
    size_t count, room;
    uint32_t *choice;
    double *metrics;
    uint64_t left_out;
    bool failed; // no memory
};

static bool keep_exported(struct exporting *x, struct text *row)
{
    if (!ARRAY_ROOM(x->rows, x->room, x->count + 1))
        return false;
    char *text = text_steal(row);
    if (text)
        x->rows[x->count++] = text;
    return text != NULL;
}

static bool take_exported_row(void *context, const struct store_row *row)
{
    struct exporting *x = context;
    uint32_t count;
    uint64_t index;
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    struct exported one = {.o = x->o,
                           .row = row,
                           .choice = x->choice,
                           .statistic = result_statistic(row->result),
                           .metrics = x->metrics};
    if (!read_exported_choice(x->o->spec, row, x->choice, &e)) {
        x->failed |= e.code == ERROR_MEMORY;
        x->left_out++;
        return !x->failed;
    }
    if (x->o->only && !space_find(x->o->only, x->choice, &index))
        return true;
    if (result_samples(row->result, &one.samples, &count) && count > 0)
        stats_summarise(one.samples, count, 0, &one.stats);
    else
        one.samples = NULL;
    if (row->result->exact_ns > 0) // then it is one
        one.stats.median = row->result->exact_ns;
    const struct spec *s = x->o->spec;
    const struct spec_measured measured = {one.stats.median, result_joule(one.row->result), NULL};
    for (uint32_t i = 0; i < s->metric_count; i++) {
        double value;
        bool has = one.samples && spec_metric(s, i, x->choice, NULL, &measured, &value);
        x->metrics[i] = has ? value : NAN;
    }
    x->writer->row(&one, &text);
    x->failed |= !keep_exported(x, &text);
    text_release(&text);
    return !x->failed;
}

static bool put_export_file(struct exporting *x, struct text *out, struct error *e)
{
    x->writer->head(x->o, out);
    for (size_t i = x->count; i-- > 0;) {
        text_add(out, x->rows[i]);
        text_add(out, i > 0 ? x->writer->between : "");
    }
    text_add(out, x->writer->end);
    return !out->failed || error_memory(e);
}

static bool collect_exported(struct exporting *x, struct error *e)
{
    const struct export_options *o = x->o;
    x->choice = calloc(o->spec->parameter_count + (size_t)1, sizeof *x->choice);
    x->metrics = calloc(o->spec->metric_count + (size_t)1, sizeof *x->metrics);
    if (!x->choice || !x->metrics)
        return error_memory(e);
    if (!stored_space_each(o->store, o->space, take_exported_row, x, e))
        return false;
    if (x->failed)
        return error_memory(e);
    if (x->left_out > 0)
        log_add(o->log, LOG_WARNING,
                "%llu result%s left out: %s does not have the configuration any more",
                (unsigned long long)x->left_out, x->left_out == 1 ? " is" : "s are", o->spec->path);
    return x->count > 0 ||
           error_set(e, ERROR_INPUT,
                     "%s: none of the stored results has a configuration that is wanted",
                     o->spec->path);
}

bool export_space(const struct export_options *o, struct text *out, uint64_t *results,
                  struct error *e)
{
    struct exporting x = {.o = o, .writer = formats[o->format].writer};
    bool ok = collect_exported(&x, e) && put_export_file(&x, out, e);
    *results = x.count;
    for (size_t i = 0; i < x.count; i++)
        free(x.rows[i]);
    free(x.rows);
    free(x.choice);
    free(x.metrics);
    return ok;
}
