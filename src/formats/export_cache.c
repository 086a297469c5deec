// A Kernel Tuner cache file, closed: what its simulation mode reads, and what it can append to.
#include "exchange/export_inside.h"

#include "spec/facts.h"

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
        emit_key(j, "problem_size");
        emit_array(j);
        for (uint32_t i = 0; i < size->count; i++)
            export_value(&size->items[i], j);
        emit_array_end(j);
    }
    free(slots);
}

// The first one's: what a spec with several is called there is the user's to say.
static void emit_kernel(const char *kernels, struct emit *j)
{
    struct text first = TEXT_INIT;
    text_addn(&first, kernels, strcspn(kernels, "\n"));
    emit_text_at(j, "kernel_name", text_cstr(&first));
    text_release(&first);
}

static void emit_spec(const struct spec *s, struct emit *j)
{
    emit_key(j, "tune_params_keys");
    emit_array(j);
    for (uint32_t i = 0; i < s->parameter_count; i++)
        emit_text(j, s->parameters[i].name);
    emit_array_end(j);
    emit_key(j, "tune_params");
    emit_object(j);
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        emit_key(j, s->parameters[i].name);
        emit_array(j);
        for (uint32_t k = 0; k < s->parameters[i].count; k++)
            export_value(&s->parameters[i].values[k], j);
        emit_array_end(j);
    }
    emit_object_end(j);
}

static void head(const struct export_options *o, struct text *out)
{
    struct emit j;
    emit_start(&j, out);
    emit_object(&j);
    emit_text_at(&j, "device_name", o->space->device);
    emit_kernel(o->space->kernels, &j);
    emit_problem_size(o->spec, &j);
    emit_spec(o->spec, &j);
    emit_text_at(&j, "objective", "time");
    emit_text_at(&j, "name", o->space->spec);
    emit_text_at(&j, "constants", o->space->constants);
    emit_text_at(&j, "statistic", o->space->statistic);
    emit_key(&j, "cache");
    emit_object(&j);
    text_add(out, "\n");
}

// ---- an entry ----------------------------------------------------------------------------------

static const char *failure_of(enum status status)
{
    return status == STATUS_COMPILE       ? "CompilationFailedConfig"
           : status == STATUS_CONSTRAINTS ? "InvalidConfig"
                                          : "RuntimeFailedConfig";
}

// "16,4,1"
static void emit_entry_key(const struct exported *x, struct emit *j)
{
    struct text key = TEXT_INIT;
    const struct spec *s = x->o->spec;
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        text_add(&key, i ? "," : "");
        export_value_text(&s->parameters[i].values[x->choice[i]], &key);
    }
    j->out->failed |= key.failed;
    emit_key(j, text_cstr(&key));
    text_release(&key);
}

static void emit_times(const struct exported *x, struct emit *j)
{
    const struct result *r = x->row->result;
    emit_f64_at(j, "time", x->stats.median / 1e6);
    if (r->stop != STOP_IMPORTED) {
        emit_key(j, "times");
        emit_array(j);
        for (size_t i = 0; i < x->stats.count; i++)
            emit_f64(j, (double)x->samples[i] / 1e6);
        emit_array_end(j);
    }
    for (uint32_t i = 0; i < x->o->spec->metric_count; i++) {
        if (!isnan(x->metrics[i]))
            emit_f64_at(j, x->o->spec->metrics[i].name, x->metrics[i]);
    }
}

// Its time budgets read the three costs of every configuration.
static void emit_costs(const struct result *r, struct emit *j)
{
    emit_f64_at(j, "compile_time", (double)r->build_ns / 1e6);
    emit_f64_at(j, "verification_time", (double)(r->verify_ns + r->reference_ns) / 1e6);
    emit_f64_at(j, "benchmark_time", (double)r->measure_ns / 1e6);
    emit_f64_at(j, "strategy_time", 0);
    emit_f64_at(j, "framework_time", (double)(r->load_ns + r->inputs_ns) / 1e6);
}

static void row(const struct exported *x, struct text *out)
{
    struct emit j;
    const struct result *r = x->row->result;
    emit_start(&j, out);
    emit_entry_key(x, &j);
    emit_object(&j);
    export_parameters(x, &j);
    if (x->samples) {
        emit_times(x, &j);
    } else {
        emit_text_at(&j, "time", failure_of(r->status));
        emit_text_at(&j, "invalidity", status_text(r->status));
    }
    emit_costs(r, &j);
    emit_text_at(&j, "timestamp", x->row->date);
    emit_object_end(&j);
}

const struct export_writer export_cache = {head, row, ",\n", "}\n}\n"};
