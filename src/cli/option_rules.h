// The rules of options: rows say what an option excludes and needs, this module refuses it, and help shows it.
#pragma once

#include "cli/option.h"

// An option as it was typed; `value` NULL: a flag.
struct typed_option {
    const struct option *row;
    const char *value;
};

// Refuses the first that excludes another one, or lacks what it needs.
bool option_rules_check(const struct typed_option *typed, size_t count, struct error *e);

// "Not with --a, --b. Needs --c or --d.", of those that `groups` have; nothing for a row without rules.
void option_rules_text(const struct option_group *groups, const struct option *o, struct text *out);
