// What `hone space` says of a space.
#ifndef HONE_CLI_SPACE_REPORT_H
#define HONE_CLI_SPACE_REPORT_H

#include "base/emit.h"
#include "space/space.h"

void space_text(const struct space *sp, struct text *out);
// {"spec", "name", "cartesian", "valid", "constants", "parameters": [{"name", "type", "values",
// "default"}], "restrictions": [{"expression", "path", "excludes_alone", "faults"}], "faults",
// "default"}, and with `list` "configurations". `choice` has room for a configuration.
void space_json(const struct space *sp, bool list, uint32_t *choice, struct emit *j);
// Why a configuration is valid or not: {"configuration", "valid", "restriction", "path",
// "message"}; the last three null where it is.
void space_why_json(const struct space *sp, const uint32_t *choice,
                    const struct space_reason *reason, struct emit *j);

#endif
