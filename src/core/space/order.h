// The order in which parameters are enumerated.
#pragma once

#include "space/filter.h"

// The spec's order.
void order_of_spec(const struct problem *p, uint32_t *order);
// An order in which parameters that restrict each other stand together, so that at every place few
// earlier values matter to what follows: groups without a common restriction one after the other,
// each arranged greedily. Depends on the problem alone. False without memory.
bool order_by_groups(const struct problem *p, const struct filtered *f, uint32_t *order);
