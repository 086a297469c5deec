// The simulator of `check --races`: starts a worker inside it with the limits of the device that is meant, and finds
// the device that it then offers.
#include "lib/engine.h"

const char *const *engine_simulator(const struct races_options *o, const char *const *environment,
                                    const struct device_info *target, struct arena *a,
                                    struct device_info *out, struct error *e)
{
    struct device_report report;
    uint32_t languages = 0;
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++)
        languages |= (uint32_t)language_traits((enum language)l)->is_simulated << l;
    const char *const *inside = races_command(o, a, e);
    if (!inside || !live_devices(NULL, inside, environment, languages, a, &report, NULL, e))
        return NULL;
    uint32_t i = 0;
    while (i < report.device_count && !str_equal(report.devices[i].platform, RACES_PLATFORM))
        i++;
    if (i == report.device_count) {
        error_set(e, ERROR_DEVICE,
                  "the worker sees no simulated device inside " RACES_PACKAGE
                  "; it is put there by LD_PRELOAD, which the worker must be able to inherit");
        return NULL;
    }
    *out = report.devices[i];
    if (*target->id) {
        out->type = target->type;
        out->vendor = target->vendor;
        out->compute_units = target->compute_units;
        out->subgroup_size = target->subgroup_size;
        out->capability = target->capability;
        out->extensions = target->extensions;
    }
    return inside;
}
