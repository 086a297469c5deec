// `--assume device_capability=90`: a device that is not here, as far as expressions can see it.
#pragma once

#include "base/error.h"
#include "model/device_info.h"

// Changes one fact of the device; `fact` is "NAME=VALUE". Texts are not copied.
bool assume(struct device_info *device, const char *fact, struct error *e);
