#include <near.h>
__kernel void add_one(HEAD) { uint i = get_global_id(0); if (i < n) x[i] += 1; }
