// A share of a space: one of N parts of about one size, which together are the whole and have nothing in common.
#pragma once

#include "space/diagram.h"

// Replaces the diagram by its part in this share. False with the error set.
bool share_take(struct diagram *d, const struct spec *s, struct space_share share, struct error *e);
