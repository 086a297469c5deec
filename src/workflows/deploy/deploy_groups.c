// How many work-groups a configuration launches at a shape, by the expressions that are compiled for the table: the same
// that an application evaluates when it asks.
#include "workflows/deploy/deploy_inside.h"

// A table of the configurations that the texts name, and of the device.
static bool make_counted_table(struct deploy *d, const struct device_info *facts,
                               const char *const *texts, uint32_t count, struct deploy_counter *out)
{
    struct deploy_table *t = &out->table;
    struct arena *a = &d->arena;
    struct deploy_device *device = arena_alloc(a, sizeof *device);
    uint32_t *choice = arena_array(a, d->spec->parameter_count + (size_t)1, sizeof *choice);
    *t = d->table;
    t->configurations = arena_array(a, count + (size_t)1, sizeof *t->configurations);
    t->configuration_count = 0;
    t->default_configuration = 0;
    t->language = d->o.tune.device->language;
    t->sources = d->sources;
    out->of = arena_array(a, count + (size_t)1, sizeof *out->of);
    if (!device || !choice || !t->configurations || !out->of)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct error ignored = ERROR_INIT;
        out->of[i] = DEPLOY_NONE;
        spec_default(d->spec, choice);
        if (!spec_parse_configuration(d->spec, texts[i], choice, &ignored))
            continue;
        out->of[i] = t->configuration_count;
        if (!deploy_configuration_make(t, choice, a, &t->configurations[t->configuration_count++]))
            return false;
    }
    *device = (struct deploy_device){.name = facts->name,
                                     .identity = "",
                                     .vendor = "",
                                     .architecture = "",
                                     .compute_units = facts->compute_units,
                                     .facts = facts};
    t->devices = device;
    t->device_count = 1;
    return true;
}

// Work-groups of a launch of the configuration; 0: not known, or it is left out.
static int64_t count_groups(const hone_core_handle *h, uint32_t configuration, uint32_t launch,
                            const hone_core_value *slots)
{
    const hone_core_configuration *c = &h->table->configurations[configuration];
    const hone_core_launch *l = &c->launches[launch < c->launch_count ? launch : 0];
    size_t wanted, global, local;
    int64_t groups = 1;
    if (launch >= c->launch_count || !hone_core_number(h, l->when, slots, 1, &wanted) || !wanted)
        return 0;
    for (uint32_t axis = 0; axis < l->dimensions; axis++) {
        if (!hone_core_number(h, l->global[axis], slots, 1, &global) ||
            !hone_core_number(h, l->local[axis], slots, 1, &local) || local == 0 ||
            !hone_core_product_fits(groups, (int64_t)(global / local)))
            return 0;
        groups *= (int64_t)(global / local);
    }
    return groups;
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
    // What cannot be compiled is told by the formats that would have it.
    out->is_made = core_table_init(&out->core, &out->table, &why);
    for (uint32_t i = 0; out->is_made && i < out->core.core.configuration_count; i++) {
        uint32_t launches = out->core.core.configurations[i].launch_count;
        out->launch_count = launches > out->launch_count ? launches : out->launch_count;
    }
    if (out->is_made)
        out->handle = hone_core_device_of(&out->core.core, facts->name, NULL, NULL,
                                          (int64_t)facts->compute_units);
    else
        core_table_release(&out->core);
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
    hone_core_bind(&c->handle, shape, slots);
    return count_groups(&c->handle, c->of[text], launch, slots);
}
