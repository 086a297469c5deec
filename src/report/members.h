// Equal devices that shared the work -> text, JSON.
#pragma once

#include "base/text.h"
#include "runner/farm.h"

// Lists each device's share of the work; in short form only what is unusual. Prints nothing without
// members.
void report_members(const struct farm_member *members, uint32_t count, bool in_short,
                    struct text *out);
