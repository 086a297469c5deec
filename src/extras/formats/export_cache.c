// A Kernel Tuner cache file, closed: what its simulation mode reads, and what it can append to.
#include "extras/formats/export_inside.h"

#include "problem/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the head ----------------------------------------------------------------------------------

// Kernel Tuner compares it with the size that it is given, where it is there.
static void emit_problem_size(const struct spec *s, struct emit *j)
{
    struct value *slots = calloc(s->slots.count + (size_t)1, sizeof *slots);
    if (!slots) {
        j->out->failed = true;
        return;
    }
    spec_bind_fixed(s, NULL, slots);
    const struct value *size = &slots[s->slots.special + SPECIAL_PROBLEM_SIZE];
    if (size->kind == VALUE_LIST && size->count > 0) {
        emit_array_at(j, "problem_size");
        for (uint32_t i = 0; i < size->count; i++)
            value_emit(&size->items[i], j);
        emit_array_end(j);
    }
    free(slots);
}

static void put_cache_head(const struct export_options *o, struct text *out)
{
    struct emit j;
    emit_start(&j, out);
    emit_object(&j);
    emit_text_at(&j, "device_name", o->space->device);
    // The first one's: what a spec with several is called there is the user's to say.
    struct text first = TEXT_INIT;
    text_addn(&first, o->space->kernels, strcspn(o->space->kernels, "\n"));
    emit_text_at(&j, "kernel_name", text_cstr(&first));
    text_release(&first);
    emit_problem_size(o->spec, &j);
    const struct spec *s = o->spec;
    emit_array_at(&j, "tune_params_keys");
    for (uint32_t i = 0; i < s->parameter_count; i++)
        emit_text(&j, s->parameters[i].name);
    emit_array_end(&j);
    emit_object_at(&j, "tune_params");
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        emit_array_at(&j, s->parameters[i].name);
        for (uint32_t k = 0; k < s->parameters[i].count; k++)
            value_emit(&s->parameters[i].values[k], &j);
        emit_array_end(&j);
    }
    emit_object_end(&j);
    emit_text_at(&j, "objective", "time");
    emit_text_at(&j, "name", o->space->spec);
    emit_text_at(&j, "constants", o->space->constants);
    emit_text_at(&j, "statistic", o->space->statistic);
    emit_object_at(&j, "cache");
    text_add(out, "\n");
}

// ---- an entry ----------------------------------------------------------------------------------

static void emit_cache_times(const struct exported *x, struct emit *j)
{
    const struct result *r = x->row->result;
    emit_f64_at(j, "time", x->stats.median / 1e6);
    if (r->stop != STOP_IMPORTED) {
        emit_array_at(j, "times");
        for (size_t i = 0; i < x->stats.count; i++)
            emit_f64(j, (double)x->samples[i] / 1e6);
        emit_array_end(j);
    }
    for (uint32_t i = 0; i < x->o->spec->metric_count; i++) {
        if (!isnan(x->metrics[i]))
            emit_f64_at(j, x->o->spec->metrics[i].name, x->metrics[i]);
    }
}

static void put_cache_row(const struct exported *x, struct text *out)
{
    struct emit j;
    const struct result *r = x->row->result;
    emit_start(&j, out);
    // "16,4,1"
    struct text key = TEXT_INIT;
    const struct spec *s = x->o->spec;
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        text_add(&key, i ? "," : "");
        export_value_text(&s->parameters[i].values[x->choice[i]], &key);
    }
    j.out->failed |= key.failed;
    emit_key(&j, text_cstr(&key));
    text_release(&key);
    emit_object(&j);
    export_parameters(x, &j);
    if (x->samples) {
        emit_cache_times(x, &j);
    } else {
        emit_text_at(&j, "time",
                     r->status == STATUS_COMPILE       ? "CompilationFailedConfig"
                     : r->status == STATUS_CONSTRAINTS ? "InvalidConfig"
                                                       : "RuntimeFailedConfig");
        emit_text_at(&j, "invalidity", status_text(r->status));
    }
    // Its time budgets read the three costs of every configuration.
    emit_f64_at(&j, "compile_time", (double)r->build_ns / 1e6);
    emit_f64_at(&j, "verification_time", (double)(r->verify_ns + r->reference_ns) / 1e6);
    emit_f64_at(&j, "benchmark_time", (double)r->measure_ns / 1e6);
    emit_f64_at(&j, "strategy_time", 0);
    emit_f64_at(&j, "framework_time", (double)(r->load_ns + r->inputs_ns) / 1e6);
    emit_text_at(&j, "timestamp", x->row->date);
    emit_object_end(&j);
}

const struct export_writer export_cache = {put_cache_head, put_cache_row, ",\n", "}\n}\n"};
