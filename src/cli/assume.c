// --assume FACT=VALUE: sets one fact of a device, as expressions name it.
#include "cli/assume.h"

#include "base/text.h"

#include <stddef.h>
#include <string.h>

static bool read_assumed_text(void *field, const char *value)
{
    *(const char **)field = value;
    return true;
}

static bool read_u64(void *field, const char *value)
{
    return str_to_u64(value, field);
}

static bool read_u32(void *field, const char *value)
{
    uint64_t number;
    if (!str_to_u64(value, &number) || number > UINT32_MAX)
        return false;
    *(uint32_t *)field = (uint32_t)number;
    return true;
}

static bool read_language(void *field, const char *value)
{
    return language_parse(value, field);
}

static bool read_type(void *field, const char *value)
{
    for (unsigned t = 0; t < DEVICE_TYPE_COUNT; t++) {
        if (!str_equal(value, device_type_text((enum device_type)t)))
            continue;
        *(enum device_type *)field = (enum device_type)t;
        return true;
    }
    return false;
}

// The names are those that expressions know.
static const struct fact {
    const char *name;
    bool (*read)(void *field, const char *value);
    size_t offset;
    const char *kind;
} facts[] = {
    {"language", read_language, offsetof(struct device_info, language), LANGUAGES_TEXTS},
    {"device_name", read_assumed_text, offsetof(struct device_info, name), "a text"},
    {"device_vendor", read_assumed_text, offsetof(struct device_info, vendor), "a text"},
    {"device_type", read_type, offsetof(struct device_info, type),
     "gpu, integrated, cpu or accelerator"},
    {"device_compute_units", read_u32, offsetof(struct device_info, compute_units), "a number"},
    {"device_max_work_group_size", read_u64, offsetof(struct device_info, max_group_size),
     "a number"},
    {"device_local_memory", read_u64, offsetof(struct device_info, local_bytes), "bytes"},
    {"device_global_memory", read_u64, offsetof(struct device_info, global_bytes), "bytes"},
    {"device_subgroup_size", read_u32, offsetof(struct device_info, subgroup_size), "a number"},
    {"device_capability", read_u32, offsetof(struct device_info, capability),
     "a number such as 90"},
    {"device_extensions", read_assumed_text, offsetof(struct device_info, extensions), "a text"},
};

#define FACTS (sizeof facts / sizeof *facts)

static bool unknown(const char *name, struct error *e)
{
    const char *names[FACTS];
    for (size_t i = 0; i < FACTS; i++)
        names[i] = facts[i].name;
    const char *near = str_nearest(name, names, FACTS);
    if (near)
        return error_set(e, ERROR_USAGE, "--assume: unknown fact '%s'; did you mean '%s'?", name,
                         near);
    return error_set(e, ERROR_USAGE, "--assume: unknown fact '%s'; such as device_capability=90",
                     name);
}

bool assume(struct device_info *device, const char *fact, struct error *e)
{
    char name[64];
    const char *equals = strchr(fact, '=');
    if (!equals)
        return error_set(e, ERROR_USAGE, "--assume: '%s': write NAME=VALUE", fact);
    str_format(name, sizeof name, "%.*s", (int)(equals - fact), fact);
    for (size_t i = 0; i < FACTS; i++) {
        if (!str_equal(name, facts[i].name))
            continue;
        if (facts[i].read((char *)device + facts[i].offset, equals + 1))
            return true;
        return error_set(e, ERROR_USAGE, "--assume: '%s' is not a valid value of %s, which is %s",
                         equals + 1, name, facts[i].kind);
    }
    return unknown(name, e);
}
