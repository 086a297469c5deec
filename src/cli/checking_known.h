// hone check --known: what a store says is best is verified again, by the rule of today.
#pragma once

#include "cli/checking.h"

// Once the store is open: the best that it knows becomes the one configuration that is checked. An
// exit status, with what is wrong said.
int checking_take_known(struct checking *c);
// `check` for each place of the store, or of those of the spec that is named. The worst exit status.
int checking_known(struct invocation *i, const struct check_settings *settings,
                   int (*check)(struct invocation *i, const struct check_settings *settings));
