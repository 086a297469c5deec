// Restrictions are evaluated with the shape in place of its columns.
#include "lookup_by_spec.h"

#include "extras/deploy/core_table.h"

// ---- the device --------------------------------------------------------------------------------

static bool is_same_text(const char *a, const char *b)
{
    return a && a[0] && str_equal(a, b);
}

static bool device_fits(const struct deploy_device *d, const struct deploy_asker *who,
                        enum deploy_reach reach)
{
    switch (reach) {
    case DEPLOY_MEASURED:
        return is_same_text(who->identity, d->identity) || is_same_text(who->name, d->name);
    case DEPLOY_ARCHITECTURE:
        return is_same_text(who->architecture, d->architecture);
    case DEPLOY_VENDOR:
        return is_same_text(who->vendor, d->vendor);
    default:
        return false;
    }
}

static uint32_t units_between(const struct deploy_device *d, const struct deploy_asker *who)
{
    return d->compute_units > who->compute_units ? d->compute_units - who->compute_units
                                                 : who->compute_units - d->compute_units;
}

uint32_t deploy_find_device(const struct deploy_table *t, const struct deploy_asker *who,
                            enum deploy_reach *reach)
{
    for (*reach = DEPLOY_MEASURED; *reach < DEPLOY_ANY; ++*reach) {
        uint32_t found = DEPLOY_NONE;
        for (uint32_t i = 0; i < t->device_count; i++) {
            if (device_fits(&t->devices[i], who, *reach) &&
                (found == DEPLOY_NONE ||
                 (*reach != DEPLOY_MEASURED &&
                  units_between(&t->devices[i], who) < units_between(&t->devices[found], who))))
                found = i;
        }
        if (found != DEPLOY_NONE)
            return found;
    }
    return DEPLOY_NONE;
}

// ---- the point ---------------------------------------------------------------------------------

// Which configurations are valid at the shape; NULL without memory.
static const bool *find_valid(const struct deploy_table *t, const int64_t *shape,
                              const struct device_info *facts, struct arena *scratch)
{
    bool *valid = arena_array(scratch, t->configuration_count, sizeof *valid);
    for (uint32_t i = 0; valid && i < t->configuration_count; i++)
        valid[i] =
            deploy_excluded(t, t->configurations[i].choice, shape, facts, scratch) == DEPLOY_NONE;
    return valid;
}

// Among the points nearest by their logarithms, the nearest valid one by the distance with
// hone_core_unlike() added; DEPLOY_NONE: none is valid. As hone_core_find().
static uint32_t alike_point(const struct deploy_point *points, uint32_t count, uint32_t columns,
                            const int64_t *shape, const bool *valid)
{
    uint64_t near[HONE_CORE_NEAR], alike[HONE_CORE_NEAR];
    for (uint32_t i = 0; i < HONE_CORE_NEAR; i++)
        near[i] = alike[i] = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++)
        hone_core_insert(near, HONE_CORE_NEAR,
                         deploy_distance(points[i].shape, shape, columns) << 16 | i);
    for (uint32_t i = 0; i < HONE_CORE_NEAR && near[i] != UINT64_MAX; i++) {
        const struct deploy_point *p = &points[near[i] & 0xffff];
        uint64_t apart = hone_core_unlike(shape, p->shape, columns);
        if (apart == 0 && near[i] >> 16 == 0)
            apart = memcmp(shape, p->shape, columns * sizeof *shape) != 0;
        hone_core_insert(alike, HONE_CORE_NEAR, near[i] + (apart << 16));
    }
    for (uint32_t i = 0; i < HONE_CORE_NEAR && alike[i] != UINT64_MAX; i++) {
        uint32_t point = (uint32_t)(alike[i] & 0xffff);
        if (valid[points[point].configuration])
            return point;
    }
    return DEPLOY_NONE;
}

// If none of these is valid: the nearest of all valid points.
static uint32_t nearest_point(const struct deploy_point *points, uint32_t count, uint32_t columns,
                              const int64_t *shape, const bool *valid)
{
    uint32_t found = DEPLOY_NONE;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t apart = deploy_distance(points[i].shape, shape, columns);
        if (!valid[points[i].configuration] || apart >= least)
            continue;
        least = apart;
        found = i;
    }
    return found;
}

static bool is_shape(const struct deploy_table *t, const int64_t *a, const int64_t *b)
{
    for (uint32_t i = 0; i < t->column_count; i++) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

// The answer of the device's model, where it is that of another point.
static void find_by_waves(const struct deploy_table *t, const struct deploy_asker *who,
                          const int64_t *shape, struct deploy_answer *out)
{
    struct error ignored = ERROR_INIT;
    struct core_table c;
    const char *name = who->identity && who->identity[0] ? who->identity : who->name;
    if (core_table_init(&c, t, &ignored)) {
        const hone_core_handle h =
            hone_core_device_of(&c.core, name, who->vendor, who->architecture, who->compute_units);
        const hone_core_answer found = hone_core_find(&h, shape);
        if (found.is_predicted) {
            out->point = found.point - c.core.devices[h.device].first;
            out->configuration = found.configuration;
            out->is_predicted = true;
        }
    }
    core_table_release(&c);
}

void deploy_find(const struct deploy_table *t, const struct deploy_asker *who, const int64_t *shape,
                 struct arena *scratch, struct deploy_answer *out)
{
    *out = (struct deploy_answer){.configuration = DEPLOY_NONE, .point = DEPLOY_NONE};
    out->device = deploy_find_device(t, who, &out->reach);
    const struct device_info *facts =
        who->facts || out->device == DEPLOY_NONE ? who->facts : t->devices[out->device].facts;
    const bool *valid = find_valid(t, shape, facts, scratch);
    if (valid && out->device != DEPLOY_NONE) {
        const struct deploy_device *d = &t->devices[out->device];
        out->point = alike_point(d->points, d->point_count, t->column_count, shape, valid);
        if (out->point == DEPLOY_NONE)
            out->point = nearest_point(d->points, d->point_count, t->column_count, shape, valid);
        if (out->point != DEPLOY_NONE) {
            out->configuration = d->points[out->point].configuration;
            out->is_exact = is_shape(t, d->points[out->point].shape, shape);
            if (d->model && !out->is_exact)
                find_by_waves(t, who, shape, out);
            return;
        }
    }
    const uint32_t *choice = t->configurations[t->default_configuration].choice;
    out->restriction = deploy_excluded(t, choice, shape, facts, scratch);
    if (out->restriction == DEPLOY_NONE)
        out->configuration = t->default_configuration;
}

// ---- the reason --------------------------------------------------------------------------------

static const char *asker_name(const struct deploy_asker *who)
{
    return who->name && who->name[0] ? who->name : "(unnamed)";
}

void deploy_why(const struct deploy_table *t, const struct deploy_asker *who,
                const struct deploy_answer *answer, struct text *out)
{
    if (answer->configuration == DEPLOY_NONE) {
        bool is_named = answer->restriction < t->spec->restriction_count;
        text_addf(out, "no configuration is valid: %s",
                  is_named ? t->spec->restrictions[answer->restriction].text
                           : "a derived parameter has no value");
        return;
    }
    if (answer->device == DEPLOY_NONE) {
        text_addf(out, "default: device %s not measured", asker_name(who));
        return;
    }
    const struct deploy_device *d = &t->devices[answer->device];
    if (answer->reach != DEPLOY_MEASURED)
        text_addf(out, "device %s not measured; took %s (same %s); ", asker_name(who), d->name,
                  answer->reach == DEPLOY_ARCHITECTURE ? "architecture" : "vendor");
    if (answer->point == DEPLOY_NONE) {
        text_add(out, "default: no measured configuration is valid here");
    } else if (answer->is_exact) {
        text_add(out, "measured here");
    } else {
        text_addf(out,
                  answer->is_predicted ? "by waves of work-groups, from %u measured shapes: as at "
                                       : "nearest of %u measured shapes: ",
                  d->point_count);
        for (uint32_t i = 0; i < t->column_count; i++)
            text_addf(out, "%s%s=%lld", i ? "," : "", t->columns[i],
                      (long long)d->points[answer->point].shape[i]);
    }
}
