// Lists of devices: joining what the backends found.
#include "device/open_device.h"

static bool join_devices(struct arena *a, struct device_report *into,
                         const struct device_report *from)
{
    uint32_t count = into->device_count + from->device_count;
    struct device_info *all = arena_array(a, count + 1, sizeof *all);
    if (!all)
        return false;
    for (uint32_t i = 0; i < count; i++)
        all[i] = i < into->device_count ? into->devices[i] : from->devices[i - into->device_count];
    into->devices = all;
    into->device_count = count;
    return true;
}

static bool join_missing(struct arena *a, struct device_report *into,
                         const struct device_report *from)
{
    uint32_t count = into->note_count + from->note_count;
    struct device_note *all = arena_array(a, count + 1, sizeof *all);
    if (!all)
        return false;
    for (uint32_t i = 0; i < count; i++)
        all[i] = i < into->note_count ? into->notes[i] : from->notes[i - into->note_count];
    into->notes = all;
    into->note_count = count;
    return true;
}

bool device_list_join(struct arena *a, struct device_report *into, const struct device_report *from)
{
    if (*from->problem)
        into->problem = *into->problem ? arena_printf(a, "%s; %s", into->problem, from->problem)
                                       : from->problem;
    return into->problem && join_devices(a, into, from) && join_missing(a, into, from);
}
