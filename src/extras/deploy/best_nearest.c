// `hone best --nearest`: makes the dispatch table that `hone deploy --known` makes of all sizes that a store knows, and asks it
// as an application does: by the core that generated headers and libhone-known share. So the answer is the one that a deployed
// table would give, and its reason has the same words.
#include "cli/best_nearest.h"

#include "base/fields.h"
#include "cli/respec.h"
#include "cli/run_workflow.h"
#include "extras/deploy/deploy.h"
#include "extras/deploy/formats.h"
#include "extras/deploy/core_table.h"
#include "lib/choose_device.h"
#include "report/units.h"
#include "problem/sweep_plan.h"

#include <math.h>
#include <string.h>

enum { OPTIONS_MOST = 1 << 16, WHY_MOST = 1024 };

// ---- the sizes that are known ------------------------------------------------------------------

// Sizes of the same spec: whole numbers of 1 and more. Constants whose sizes differ are the
// columns.
struct known_sizes {
    const struct spec *spec; // as it is asked for
    struct arena *arena;
    bool *is_column; // one a constant of the spec
    int64_t *values; // one a constant, size after size; 0: not a whole number
    size_t count;
};

static bool is_size(const struct value *v)
{
    return v->kind == VALUE_INT && v->i >= 1;
}

// Constants that a result was measured with count where they differ from those asked for in sizes alone.
static void take_size(struct known_sizes *k, const struct spec *with)
{
    const struct spec *spec = k->spec;
    int64_t *values = &k->values[k->count * spec->constant_count];
    for (uint32_t i = 0; i < spec->constant_count; i++) {
        const struct value *asked = &spec->constants[i].value, *v = &with->constants[i].value;
        if (!value_equal(asked, v) && !(is_size(asked) && is_size(v)))
            return;
        values[i] = is_size(v) ? v->i : 0;
    }
    for (size_t i = 0; i < k->count; i++) {
        if (memcmp(&k->values[i * spec->constant_count], values,
                   spec->constant_count * sizeof *values) == 0)
            return; // of another device
    }
    for (uint32_t i = 0; i < spec->constant_count; i++)
        k->is_column[i] |= values[i] > 0 && values[i] != spec->constants[i].value.i;
    k->count++;
}

static bool read_sizes_known(const struct best_nearest *n, struct store *store, enum language l,
                             struct known_sizes *out, struct error *e)
{
    const struct work *w = n->work;
    struct best_options o = {.spec = w->spec, .store = store, .languages = 1u << l};
    struct best_answer *answers;
    size_t count;
    struct spec_sources *sources = spec_sources_read(w->spec, l, n->device, NULL, e);
    o.sources = sources;
    bool ok = sources && best_all(&o, out->arena, &answers, &count, e);
    spec_sources_free(sources);
    if (!ok)
        return false;
    out->values =
        arena_array(out->arena, (count + 1) * (w->spec->constant_count + 1), sizeof *out->values);
    out->is_column =
        arena_array(out->arena, w->spec->constant_count + (size_t)1, sizeof *out->is_column);
    if (!out->values || !out->is_column) {
        best_release_all(answers, count);
        return error_memory(e);
    }
    memset(out->is_column, 0, w->spec->constant_count * sizeof *out->is_column);
    for (size_t i = 0; ok && i < count; i++) {
        struct error ignored = ERROR_INIT;
        struct spec *with = respec(w->call->arguments[0], answers[i].constants, NULL, &ignored);
        if (with)
            take_size(out, with);
        spec_free(with);
    }
    best_release_all(answers, count);
    return ok;
}

// "M=64,128,256" for each column; what else --set says.
static bool plan_known_sizes(const struct best_nearest *n, const struct known_sizes *k,
                             struct sweep_plan *out, struct error *e)
{
    const struct spec *spec = k->spec;
    const struct list *set = &n->work->given->set;
    const char **words =
        arena_array(k->arena, spec->constant_count + set->count + (size_t)1, sizeof *words);
    uint32_t count = 0;
    bool any = false, ok = words != NULL;
    for (uint32_t i = 0; i < spec->constant_count; i++)
        any = any || k->is_column[i];
    for (uint32_t i = 0; ok && i < spec->constant_count; i++) {
        struct text word = TEXT_INIT;
        // Where all are alike the size that is known is that which is asked for.
        if (any ? !k->is_column[i] : !is_size(&spec->constants[i].value))
            continue;
        for (size_t s = 0; s < k->count; s++)
            text_addf(&word, "%s%lld", s ? "," : "",
                      (long long)k->values[s * spec->constant_count + i]);
        words[count] = arena_printf(k->arena, "%s=%s", spec->constants[i].name, text_cstr(&word));
        ok = !word.failed && words[count++];
        text_release(&word);
    }
    const uint32_t columns = count;
    for (uint32_t i = 0; ok && i < set->count; i++) {
        size_t length = strcspn(set->items[i], "=");
        bool is_there = false;
        for (uint32_t c = 0; c < columns; c++)
            is_there |= strncmp(words[c], set->items[i], length + 1) == 0;
        if (!is_there)
            words[count++] = set->items[i];
    }
    if (!(ok || error_memory(e)) || !sweep_plan_make(spec, words, count, false, k->arena, out, e))
        return false;
    // A column is one that is asked for, whether what is known of it differs or not.
    struct sweep_name *names = arena_copy(k->arena, out->names, out->name_count * sizeof *names);
    if (!names)
        return error_memory(e);
    for (uint32_t i = 0; i < columns; i++) // they are named first
        names[i].varies = true;
    out->names = names;
    return true;
}

// ---- the table ---------------------------------------------------------------------------------

// The device of the table that is asked first: the one here or that fits the name, else any that the store knows. NULL:
// it knows none in this language.
static bool choose_first(const struct best_nearest *n, struct store *store, enum language l,
                         const struct device_info **out, bool *is_named, struct error *e)
{
    const struct best_options o = {.spec = n->work->spec, .store = store, .languages = 1u << l};
    struct device_info *known;
    size_t count;
    if (!best_devices(&o, &n->work->arena, &known, &count, e))
        return false;
    *is_named = n->device || !n->name;
    *out = n->device;
    for (size_t i = 0; !*out && n->name && i < count; i++) {
        if (known[i].language == l && count_fitting_devices(&known[i], 1, n->name) > 0) {
            *out = &known[i];
            *is_named = true;
        }
    }
    for (size_t i = 0; !*out && i < count; i++) {
        if (known[i].language == l)
            *out = &known[i];
    }
    return true;
}

// NULL without an error: this store knows nothing that is of use.
static struct deploy *make_known_table(const struct best_nearest *n, struct store *store,
                                       const struct device_info *first, struct sweep_plan *plan,
                                       struct error *e)
{
    struct work *w = n->work;
    struct known_sizes sizes = {.spec = w->spec, .arena = &w->arena};
    if (!read_sizes_known(n, store, first->language, &sizes, e) || sizes.count == 0 ||
        !plan_known_sizes(n, &sizes, plan, e))
        return NULL;
    struct hone_tune_options tune = HONE_TUNE_OPTIONS_INIT;
    tune.log = &w->notices;
    if (!setup_init(&w->setup, &tune, e))
        return NULL;
    struct deploy_options o = {.path = w->call->arguments[0],
                               .strict = w->given->strict,
                               .plan = plan,
                               .tune = w->setup.options,
                               .is_known_only = true,
                               .all_others = true};
    o.tune.setup.at.device = first;
    o.tune.setup.store = store;
    struct deploy *table = deploy_new(&o, e);
    struct running running = {
        .workflow = deploy_workflow(table), .work = w, .broken = e, .silent = true};
    if (!table)
        return NULL;
    workflow_run(&running);
    if (e->code == ERROR_NONE)
        return table;
    deploy_free(table);
    return NULL;
}

// ---- the answer --------------------------------------------------------------------------------

struct nearest_answer {
    const char *name; // of the device that asks
    const struct deploy_table *table;
    const struct deploy_found *found;
    struct core_table core;
    hone_core_handle who;
    int64_t *shape;
    uint32_t configuration;
    char why[WHY_MOST];
    char *options;                    // of the compiler, at the shape
    const struct deploy_point *point; // (or NULL) that it is of
    const char *part;                 // (or NULL) of deploy_found.parts, there
};

static const struct constant *find_constant(const struct spec *spec, const char *name)
{
    const struct constant *c = spec->constants;
    while (!str_equal(c->name, name))
        c++; // a column is one of them
    return c;
}

static bool ask_known(const struct best_nearest *n, struct nearest_answer *a, struct error *e)
{
    struct arena *arena = &n->work->arena;
    const struct device_info *d = n->device;
    const uint32_t columns = a->table->column_count;
    const char *architecture = d ? deploy_architecture(d, arena) : NULL;
    a->shape = arena_array(arena, columns, sizeof *a->shape);
    a->options = arena_array(arena, OPTIONS_MOST, 1);
    if (!a->shape || !a->options || (d && !architecture))
        return error_memory(e);
    for (uint32_t i = 0; i < columns; i++)
        a->shape[i] = find_constant(n->work->spec, a->table->columns[i])->value.i;
    if (!core_table_init(&a->core, a->table, e))
        return false;
    a->name = d ? d->name : a->name;
    a->who = hone_core_device_of(&a->core.core, a->name, d ? d->vendor : NULL, architecture,
                                 d ? d->compute_units : 0);
    const hone_core_answer answer = hone_core_find(&a->who, a->shape);
    a->configuration = answer.configuration;
    hone_core_why(&a->who, a->shape, a->why, sizeof a->why);
    if (a->configuration == DEPLOY_NONE)
        return true;
    if (answer.point != HONE_CORE_NONE) {
        const uint32_t device = a->who.device,
                       point = answer.point - a->core.core.devices[device].first;
        const char *const *parts = a->found->parts ? a->found->parts[device] : NULL;
        a->point = &a->table->devices[device].points[point];
        a->part = parts ? parts[a->found->chosen[device].rows[point]] : NULL;
    }
    size_t length =
        hone_core_options(&a->who, a->configuration, a->shape, a->options, OPTIONS_MOST);
    return (length > 0 && length < OPTIONS_MOST) ||
           error_set(e, ERROR_INPUT, "the options of %s have no value at these sizes",
                     a->table->configurations[a->configuration].text);
}

static void put_shape_of(const struct deploy_table *t, const int64_t *shape, struct text *out)
{
    for (uint32_t i = 0; i < t->column_count; i++)
        text_addf(out, "%s%s=%lld", i ? ", " : "", t->columns[i], (long long)shape[i]);
}

static void put_extent(const size_t *extent, uint32_t dimensions, struct text *out)
{
    for (uint32_t i = 0; i < dimensions; i++)
        text_addf(out, "%s%zu", i ? " x " : "", extent[i]);
}

static void put_nearest(const struct nearest_answer *a, const struct work *w, struct text *out)
{
    hone_deployed_launch l;
    char time[UNITS_SIZE];
    text_addf(out, "%s\n%s\n", a->table->configurations[a->configuration].text, a->why);
    if (a->point) {
        duration_to_str(a->point->median_ns, time);
        text_addf(out, "  %s at ", time);
        put_shape_of(a->table, a->point->shape, out);
        text_add(out, "\n");
    }
    if (a->part && a->part[0])
        text_addf(out, "  Ranked there within a part of the space only: %s\n", a->part);
    else if (a->part)
        text_add(out,
                 "  Not ranked there: the least median of what was measured one after the other\n");
    for (uint32_t i = 0; i < a->core.core.configurations[a->configuration].launch_count; i++) {
        if (hone_core_launch_at(&a->who, a->configuration, i, a->shape, &l) != 1)
            continue;
        text_addf(out, "  %s: ", l.kernel);
        put_extent(l.global, l.dimensions, out);
        text_add(out, " work-items");
        if (l.has_local) {
            text_add(out, " in work-groups of ");
            put_extent(l.local, l.dimensions, out);
        }
        text_add(out, "\n");
    }
    text_addf(out, "  %s\nNothing is measured at ", a->options);
    put_shape_of(a->table, a->shape, out);
    text_add(out, ":  hone tune ");
    work_same(w, out);
    text_add(out, "\n");
}

static const uint64_t *extent_of(const size_t *extent, struct arena *a)
{
    uint64_t *sizes = arena_array(a, 3, sizeof *sizes);
    for (uint32_t i = 0; sizes && i < 3; i++)
        sizes[i] = extent[i];
    return sizes;
}

#define NEAREST_LAUNCH(X)                                                                          \
    X(TEXT, kernel, (v->kernel), "", "")                                                           \
    X(U64S, global_size, (true, extent_of(v->global, a), v->dimensions), "", "")                   \
    X(U64S, local_size, (true, extent_of(v->local, a), v->has_local ? v->dimensions : 0), "", "")  \
    X(U64, local_memory, (v->local_memory), "bytes", "")
FIELDS(nearest_launch_fields, hone_deployed_launch, void, NEAREST_LAUNCH)

static void emit_launches(const void *record, const void *context, struct emit *j)
{
    const struct nearest_answer *v = record;
    hone_deployed_launch l;
    for (uint32_t i = 0; i < v->core.core.configurations[v->configuration].launch_count; i++) {
        if (hone_core_launch_at(&v->who, v->configuration, i, v->shape, &l) == 1)
            emit_record(j, &nearest_launch_fields, &l, context);
    }
}

static void emit_shape(const void *shape, const void *context, struct emit *j)
{
    const struct deploy_table *t = ((const struct nearest_answer *)context)->table;
    if (!shape) {
        emit_null(j);
        return;
    }
    emit_object(j);
    for (uint32_t i = 0; i < t->column_count; i++)
        emit_u64_at(j, t->columns[i], (uint64_t)((const int64_t *)shape)[i]);
    emit_object_end(j);
}

static const char *configuration_of(const struct nearest_answer *v, struct arena *a)
{
    struct text words = TEXT_INIT;
    spec_configuration_json(v->table->spec, v->table->configurations[v->configuration].choice,
                            &words);
    return text_to_arena(&words, a);
}

#define NEAREST(X)                                                                                 \
    X(TEXT, type, ("nearest"), "", "")                                                             \
    X(JSON, configuration, (configuration_of(v, a)), "{}", "")                                     \
    X(TEXT, why, (v->why), "", "")                                                                 \
    X(TEXT, device, (v->name), "", "")                                                             \
    X(PUT, shape, (emit_shape, v->shape), "{}", "")                                                \
    X(PUT, measured, (emit_shape, v->point ? v->point->shape : NULL), "{}", "that answers")        \
    X(F64, median_ns, (v->point ? v->point->median_ns : (double)NAN), "ns", "there")               \
    X(TEXT, part, (v->part), "", "there")                                                          \
    X(TEXT, options, (v->options), "", "")                                                         \
    X(EACH, launches, (nearest_launch_fields, emit_launches, v), "", "")
FIELDS_SHARED(best_nearest_fields, struct nearest_answer, struct nearest_answer, NEAREST)

static int tell_nearest(const struct best_nearest *n, const struct deploy_found *found,
                        const char *name)
{
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT;
    struct nearest_answer a = {.name = name, .table = found->table, .found = found};
    bool ok = ask_known(n, &a, &e);
    int status = EXIT_DONE;
    if (!ok) {
        status = work_failed(&e);
    } else if (a.configuration == DEPLOY_NONE) {
        complain("%s: %s", n->work->spec->name, a.why);
        status = EXIT_NOTHING;
    } else if (n->options) {
        complain("%s", a.why);
        text_addf(&out, "%s\n", a.options);
        put_data(&out);
    } else {
        if (n->work->given->output.format == REPORT_JSON)
            fields_line(&best_nearest_fields, &a, &a, &out);
        else
            put_nearest(&a, n->work, &out);
        put(&out);
    }
    core_table_release(&a.core);
    text_release(&out);
    return status;
}

// -1: this store knows nothing that is of use in this language, or (is_named_only) nothing of the device that is named.
static int show_nearest_of(const struct best_nearest *n, struct store *store, enum language l,
                           bool is_named_only)
{
    struct error e = ERROR_INIT;
    const struct device_info *first = NULL;
    struct sweep_plan plan;
    struct deploy_view deployed;
    bool is_named = false;
    int status = -1;
    if (!choose_first(n, store, l, &first, &is_named, &e))
        return work_failed(&e);
    if (!first || (is_named_only && !is_named))
        return -1;
    struct deploy *table = make_known_table(n, store, first, &plan, &e);
    if (!table)
        return e.code == ERROR_NONE ? -1 : work_failed(&e);
    deploy_view(table, &deployed);
    if (deployed.found.table)
        status = tell_nearest(n, &deployed.found, is_named ? first->name : n->name);
    deploy_free(table);
    return status;
}

// The first item of --set that is not a size; NULL: all are.
static const char *find_no_size(const struct best_nearest *n)
{
    const struct spec *spec = n->work->spec;
    const struct list *set = &n->work->given->set;
    for (uint32_t i = 0; i < set->count; i++) {
        const size_t length = strcspn(set->items[i], "=");
        for (uint32_t c = 0; c < spec->constant_count; c++) {
            const struct constant *k = &spec->constants[c];
            if (k->value.kind == VALUE_INT && !is_size(&k->value) && strlen(k->name) == length &&
                strncmp(k->name, set->items[i], length) == 0)
                return set->items[i];
        }
    }
    return NULL;
}

int show_nearest(const struct best_nearest *n)
{
    const struct spec_languages *languages = &n->work->languages;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t l = 0; l < languages->count; l++) {
            for (size_t i = 0; n->stores[i]; i++) {
                int status = show_nearest_of(n, n->stores[i], languages->list[l], pass == 0);
                if (status >= 0)
                    return status;
            }
        }
    }
    const char *no_size = find_no_size(n);
    if (no_size)
        complain("nothing is known of %s with %s; sizes, of which the nearest is taken, are whole "
                 "numbers from 1 on",
                 n->work->spec->name, no_size);
    else
        complain("nothing is known of %s at any size, with its other constants as they are and "
                 "this source of the kernel: `hone tune` or `hone sweep` measures some",
                 n->work->spec->name);
    return EXIT_NOTHING;
}
