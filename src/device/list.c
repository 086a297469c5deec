// Lists of devices: joining what the backends found.
#include "device/open_device.h"

static bool join_devices(struct arena *a, struct device_list *into, const struct device_list *from)
{
    uint32_t count = into->count + from->count;
    struct device_info *all = arena_array(a, count + 1, sizeof *all);
    if (!all)
        return false;
    for (uint32_t i = 0; i < count; i++)
        all[i] = i < into->count ? into->devices[i] : from->devices[i - into->count];
    into->devices = all;
    into->count = count;
    return true;
}

static bool join_missing(struct arena *a, struct device_list *into, const struct device_list *from)
{
    uint32_t count = into->missing_count + from->missing_count;
    struct device_missing *all = arena_array(a, count + 1, sizeof *all);
    if (!all)
        return false;
    for (uint32_t i = 0; i < count; i++)
        all[i] =
            i < into->missing_count ? into->missing[i] : from->missing[i - into->missing_count];
    into->missing = all;
    into->missing_count = count;
    return true;
}

bool device_list_join(struct arena *a, struct device_list *into, const struct device_list *from)
{
    if (*from->problem)
        into->problem = *into->problem ? arena_printf(a, "%s; %s", into->problem, from->problem)
                                       : from->problem;
    return into->problem && join_devices(a, into, from) && join_missing(a, into, from);
}
