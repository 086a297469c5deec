// A dispatch table as JSON: one object with all of it, for programs that choose at run time.
#include "base/emit.h"
#include "extras/deploy/formats.h"
#include "extras/deploy/stamp.h"
#include "known/known_core.h"

static void emit_configuration(struct emit *j, const struct deploy_table *t,
                               const struct deploy_configuration *c)
{
    emit_object(j);
    emit_object_at(j, "parameters");
    for (uint32_t i = 0; i < t->spec->parameter_count; i++) {
        emit_key(j, t->spec->parameters[i].name);
        value_emit(&c->values[i], j);
    }
    emit_object_end(j);
    emit_text_at(j, "configuration", c->text);
    emit_text_at(j, "options", c->options);
    emit_object_end(j);
}

// "in_turn": of interleaved rounds; else of screening, without an interval.
static void emit_gain(struct emit *j, const struct deploy_gain *g)
{
    emit_key(j, "over_default");
    if (!(g->ratio > 0)) {
        emit_null(j);
        return;
    }
    emit_object(j);
    emit_f64_at(j, "ratio", g->ratio);
    emit_bool_at(j, "in_turn", g->is_in_turn);
    if (g->is_in_turn) {
        emit_f64_at(j, "low", g->low);
        emit_f64_at(j, "high", g->high);
        emit_bool_at(j, "interval", g->is_interval);
    }
    emit_bool_at(j, "is_default", g->is_default);
    emit_object_end(j);
}

// As known_core.h has it: logarithms to base 2 in units of 2^-16.
static void emit_waves(struct emit *j, const struct deploy_table *t, const struct deploy_device *d)
{
    emit_object_at(j, "waves");
    emit_u64_at(j, "launch", d->model->launch);
    emit_array_at(j, "slopes");
    for (uint32_t i = 0; i < t->column_count; i++)
        emit_i64(j, d->model->slopes[i]);
    emit_array_end(j);
    emit_array_at(j, "resident");
    for (uint32_t i = 0; i < t->configuration_count; i++)
        emit_u64(j, d->model->resident[i]);
    emit_array_end(j);
    emit_array_at(j, "costs");
    for (size_t i = 0; i < (size_t)d->point_count * t->configuration_count; i++) {
        if (d->model->costs[i] == HONE_CORE_UNTIMED)
            emit_null(j);
        else
            emit_i64(j, d->model->costs[i]);
    }
    emit_array_end(j);
    emit_object_end(j);
}

static void emit_deploy_device(struct emit *j, const struct deploy_table *t,
                               const struct deploy_device *d)
{
    emit_object(j);
    emit_text_at(j, "name", d->name);
    emit_text_at(j, "platform", d->platform);
    emit_text_at(j, "uuid", d->identity);
    emit_text_at(j, "vendor", d->vendor);
    emit_text_at(j, "architecture", d->architecture);
    emit_text_at(j, "driver", d->driver);
    emit_u64_at(j, "compute_units", d->compute_units);
    emit_u64_at(j, "fallback", d->fallback_configuration);
    emit_array_at(j, "points");
    for (uint32_t i = 0; i < d->point_count; i++) {
        const struct deploy_point *p = &d->points[i];
        emit_object(j);
        emit_array_at(j, "shape");
        for (uint32_t k = 0; k < t->column_count; k++)
            emit_i64(j, p->shape[k]);
        emit_array_end(j);
        emit_u64_at(j, "configuration", p->configuration);
        emit_f64_at(j, "weight", p->weight);
        emit_f64_at(j, "median_ns", p->median_ns);
        emit_f64_at(j, "above_best", p->above_best);
        emit_f64_at(j, "above_default", p->above_default);
        emit_gain(j, &p->gain);
        emit_bool_at(j, "refined", p->is_refined);
        emit_object_end(j);
    }
    emit_array_end(j);
    if (d->model)
        emit_waves(j, t, d);
    emit_object_end(j);
}

static bool write_json(const struct deploy_table *t, const struct deploy_writing *w,
                       struct text *out, struct error *e)
{
    struct emit j;
    struct text stamp = TEXT_INIT;
    deploy_stamp_add(t, &stamp);
    emit_start(&j, out);
    emit_object(&j);
    emit_text_at(&j, "stamp", text_cstr(&stamp));
    emit_text_at(&j, "hone", t->hone_version);
    emit_text_at(&j, "name", w->prefix ? w->prefix : t->name);
    emit_text_at(&j, "spec", t->spec_path);
    emit_text_at(&j, "language", language_text(t->language));
    emit_f64_at(&j, "within", t->within);
    emit_array_at(&j, "columns");
    for (uint32_t i = 0; i < t->column_count; i++)
        emit_text(&j, t->columns[i]);
    emit_array_end(&j);
    emit_u64_at(&j, "default", t->default_configuration);
    emit_array_at(&j, "configurations");
    for (uint32_t i = 0; i < t->configuration_count; i++)
        emit_configuration(&j, t, &t->configurations[i]);
    emit_array_end(&j);
    emit_array_at(&j, "devices");
    for (uint32_t i = 0; i < t->device_count; i++)
        emit_deploy_device(&j, t, &t->devices[i]);
    emit_array_end(&j);
    emit_object_end(&j);
    text_add(out, "\n");
    out->failed |= stamp.failed;
    text_release(&stamp);
    return !out->failed || error_memory(e);
}

const struct deploy_format deploy_format_json = {
    .name = "json",
    .ending = ".json",
    .help = "the whole table as one object, for a program that looks up itself",
    .write = write_json,
};
