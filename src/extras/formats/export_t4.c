// T4 results and metadata in one document.
#include "extras/formats/export_inside.h"

#include <math.h>

#define T4_VERSION "1.0.0"

// ---- metadata ----------------------------------------------------------------------------------

static void emit_environment(const struct stored_space *s, struct emit *j)
{
    struct text hone = TEXT_INIT;
    text_addf(&hone, "hone %s", s->hone_version);
    emit_object_at(j, "environment");
    emit_object_at(j, "device_query");
    emit_text_at(j, "name", s->device);
    emit_text_at(j, "platform", s->platform);
    emit_text_at(j, "driver", s->driver);
    emit_object_end(j);
    emit_array_at(j, "requirements");
    emit_text(j, text_cstr(&hone));
    emit_array_end(j);
    emit_object_end(j);
    text_release(&hone);
}

static void put_t4_head(const struct export_options *o, struct text *out)
{
    struct emit j;
    const struct stored_space *s = o->space;
    emit_start(&j, out);
    emit_object(&j);
    emit_text_at(&j, "schema_version", T4_VERSION);
    emit_object_at(&j, "metadata");
    emit_text_at(&j, "timeunit", "milliseconds");
    emit_text_at(&j, "name", s->spec);
    emit_text_at(&j, "constants", s->constants);
    emit_text_at(&j, "kernels", s->kernels);
    emit_text_at(&j, "language", s->language);
    emit_text_at(&j, "device", s->device);
    emit_text_at(&j, "statistic", s->statistic);
    emit_bool_at(&j, "imported", s->is_imported);
    emit_object_at(&j, "hardware");
    emit_array_at(&j, "hardware_description");
    emit_object(&j);
    emit_text_at(&j, "name", s->device);
    emit_object_end(&j);
    emit_array_end(&j);
    emit_object_end(&j);
    emit_environment(s, &j);
    emit_object_end(&j);
    emit_array_at(&j, "results");
    text_add(out, "\n");
}

// ---- a result ----------------------------------------------------------------------------------

static void emit_measurement(const char *name, double value, const char *unit,
                             const char *statistic, struct emit *j)
{
    emit_object(j);
    emit_text_at(j, "name", name);
    emit_f64_at(j, "value", value);
    emit_text_at(j, "unit", unit);
    if (statistic)
        emit_text_at(j, "statistic", statistic);
    emit_object_end(j);
}

static void emit_measurements(const struct exported *x, struct emit *j)
{
    const struct spec *s = x->o->spec;
    const struct result *r = x->row->result;
    emit_array_at(j, "measurements");
    if (x->samples)
        emit_measurement("time", x->stats.median / 1e6, "ms", x->statistic, j);
    if (x->samples && r->stop != STOP_IMPORTED) {
        emit_measurement("time_mean", x->stats.mean / 1e6, "ms", "mean", j);
        emit_measurement("time_minimum", x->stats.least / 1e6, "ms", "minimum", j);
    }
    if (x->samples && !isnan(result_joule(r)))
        emit_measurement("energy", result_joule(r), "J", NULL, j);
    for (uint32_t i = 0; i < s->metric_count; i++) {
        if (!isnan(x->metrics[i]))
            emit_measurement(s->metrics[i].name, x->metrics[i], "", NULL, j);
    }
    emit_array_end(j);
}

static void put_t4_row(const struct exported *x, struct text *out)
{
    struct emit j;
    const struct result *r = x->row->result;
    emit_start(&j, out);
    emit_object(&j);
    emit_text_at(&j, "timestamp", x->row->date);
    emit_object_at(&j, "configuration");
    export_parameters(x, &j);
    emit_object_end(&j);
    emit_object_at(&j, "times");
    export_ms_at(&j, "compilation_time", (double)r->build_ns);
    export_ms_at(&j, "benchmark", (double)r->measure_ns);
    export_ms_at(&j, "validation", (double)(r->verify_ns + r->reference_ns));
    export_ms_at(&j, "framework", (double)(r->load_ns + r->inputs_ns));
    // The one sample of an imported result is not a single run.
    emit_array_at(&j, "runtimes");
    for (size_t i = 0; x->samples && r->stop != STOP_IMPORTED && i < x->stats.count; i++)
        emit_f64(&j, (double)x->samples[i] / 1e6);
    emit_array_end(&j);
    emit_object_end(&j);
    emit_text_at(&j, "invalidity", status_text(r->status));
    emit_u64_at(&j, "correctness", r->status == STATUS_CORRECT);
    emit_bool_at(&j, "verified",
                 r->status == STATUS_CORRECT && r->verification == VERIFICATION_REFERENCE);
    if (r->message && r->message[0])
        emit_text_at(&j, "message", r->message);
    if (result_is_shared(r))
        emit_text_at(&j, "same_code_as", r->same_as);
    emit_measurements(x, &j);
    emit_array_at(&j, "objectives");
    emit_text(&j, "time");
    emit_array_end(&j);
    emit_object_end(&j);
}

const struct export_writer export_t4 = {put_t4_head, put_t4_row, ",\n", "\n]}\n"};
