// What a simulator found, as JSON.
#ifndef HONE_CLI_RACE_JSON_H
#define HONE_CLI_RACE_JSON_H

#include "races.h"
#include "base/emit.h"

// An object: kind, kernel, file, line, column, text, item, memory, bytes, other (file, line,
// column, text, item; or null), detail, count, more. What is unknown is null, or 0.
void race_emit(struct emit *j, const struct race *r);

#endif
