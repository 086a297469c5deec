// Facts about the device that expressions may use: a table of their names and where struct
// device_info has them. Which facts an expression used is part of the key.
#include "problem/facts.h"

#include <stddef.h>

enum fact_kind { FACT_TEXT, FACT_U32, FACT_U64, FACT_LANGUAGE, FACT_TYPE };

struct fact {
    const char *name;
    enum fact_kind kind;
    size_t offset; // in struct device_info
};

#define OFFSET(member) offsetof(struct device_info, member)

static const struct fact facts[] = {
    [FACT_LANGUAGE_INDEX] = {"language", FACT_LANGUAGE, OFFSET(language)},
    {"device_name", FACT_TEXT, OFFSET(name)},
    {"device_vendor", FACT_TEXT, OFFSET(vendor)},
    {"device_type", FACT_TYPE, OFFSET(type)},
    {"device_compute_units", FACT_U32, OFFSET(compute_units)},
    {"device_max_work_group_size", FACT_U64, OFFSET(max_group_size)},
    {"device_local_memory", FACT_U64, OFFSET(local_bytes)},
    {"device_global_memory", FACT_U64, OFFSET(global_bytes)},
    {"device_subgroup_size", FACT_U32, OFFSET(subgroup_size)},
    {"device_capability", FACT_U32, OFFSET(capability)},
    {"device_extensions", FACT_TEXT, OFFSET(extensions)},
};

uint32_t fact_count(void)
{
    return sizeof facts / sizeof facts[0];
}

const char *fact_name(uint32_t index)
{
    return facts[index].name;
}

static struct value fact_number(uint64_t v)
{
    return value_int(v > INT64_MAX ? INT64_MAX : (int64_t)v);
}

struct value fact_value(uint32_t index, const struct device_info *device)
{
    const struct fact *f = &facts[index];
    bool text = f->kind == FACT_TEXT || f->kind == FACT_LANGUAGE || f->kind == FACT_TYPE;
    if (!device)
        return text ? value_string("") : value_int(0);

    const void *member = (const char *)device + f->offset;
    switch (f->kind) {
    case FACT_LANGUAGE:
        return value_string(language_title(device->language));
    case FACT_TYPE:
        return value_string(device_type_text(device->type));
    case FACT_U32:
        return fact_number(*(const uint32_t *)member);
    case FACT_U64:
        return fact_number(*(const uint64_t *)member);
    default:
        return value_string(*(const char *const *)member ? *(const char *const *)member : "");
    }
}

const char *special_name(enum special s)
{
    static const char *const names[] = {SPECIALS(LIST_TEXT)};
    return names[s];
}
