// How many work-groups a configuration launches at a shape, by the expressions that are compiled for the table: the same
// that an application evaluates when it asks.
#include "extras/deploy/deploy_inside.h"

// The device once for each kernel, with a model that counts its work-groups.
static bool add_counting_devices(struct deploy *d, const struct device_info *facts,
                                 struct deploy_table *t)
{
    const uint32_t kernels = core_table_kernels(t);
    struct deploy_device *devices = arena_array(&d->arena, kernels + (size_t)1, sizeof *devices);
    hone_core_model *models = arena_array(&d->arena, kernels + (size_t)1, sizeof *models);
    if (!devices || !models)
        return false;
    for (uint32_t k = 0; k < kernels; k++) {
        models[k] = (hone_core_model){.launch = k};
        devices[k] = (struct deploy_device){.name = facts->name,
                                            .identity = "",
                                            .vendor = "",
                                            .architecture = "",
                                            .compute_units = facts->compute_units,
                                            .facts = facts,
                                            .model = &models[k]};
    }
    t->devices = devices;
    t->device_count = kernels;
    return true;
}

// A table of the configurations that the texts name, and of the device.
static bool make_counted_table(struct deploy *d, const struct device_info *facts,
                               const char *const *texts, uint32_t count, struct deploy_counter *out)
{
    struct deploy_table *t = &out->table;
    struct arena *a = &d->arena;
    uint32_t *choice = arena_array(a, d->spec->parameter_count + (size_t)1, sizeof *choice);
    *t = d->table;
    t->configurations = arena_array(a, count + (size_t)1, sizeof *t->configurations);
    t->configuration_count = 0;
    t->default_configuration = 0;
    t->language = d->o.tune.setup.at.device->language;
    t->sources = d->sources;
    out->of = arena_array(a, count + (size_t)1, sizeof *out->of);
    if (!choice || !t->configurations || !out->of)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        out->of[i] = DEPLOY_NONE;
        if (!deploy_read_choice(d->spec, texts[i], choice))
            continue;
        out->of[i] = t->configuration_count;
        if (!deploy_configuration_make(t, choice, a, &t->configurations[t->configuration_count++]))
            return false;
    }
    return add_counting_devices(d, facts, t);
}

bool counter_init(struct deploy *d, const struct device_info *facts, const char *const *texts,
                  uint32_t count, struct deploy_counter *out)
{
    struct error why = ERROR_INIT;
    out->is_made = false;
    out->launch_count = 0;
    if (!make_counted_table(d, facts, texts, count, out))
        return false;
    if (out->table.configuration_count == 0)
        return true;
    // The formats that need the compiled table report it if it cannot be compiled.
    out->is_made = core_table_init(&out->core, &out->table, &why);
    if (out->is_made) {
        out->launch_count = out->table.device_count;
        out->handle = hone_core_device_of(&out->core.core, facts->name, NULL, NULL,
                                          (int64_t)facts->compute_units);
    } else {
        core_table_release(&out->core);
    }
    return out->is_made || why.code == ERROR_INPUT;
}

void counter_release(struct deploy_counter *c)
{
    if (c->is_made)
        core_table_release(&c->core);
}

int64_t counter_groups(const struct deploy_counter *c, uint32_t text, uint32_t launch,
                       const int64_t *shape)
{
    hone_core_value slots[HONE_CORE_SLOTS];
    if (!c->is_made || c->of[text] == DEPLOY_NONE)
        return 0;
    const uint32_t expression = c->core.core.devices[launch].model->groups[c->of[text]];
    size_t groups;
    hone_core_bind(&c->handle, shape, slots);
    return hone_core_number(&c->handle, expression, slots, 0, &groups) && groups <= INT64_MAX
               ? (int64_t)groups
               : 0;
}
