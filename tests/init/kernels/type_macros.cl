#ifndef REAL
#error "REAL is missing"
#endif
#ifndef INDEX
#error "INDEX is missing"
#endif
#ifndef LANES
#error "LANES is missing"
#endif
// The host says all types, and one number that another kernel has.
__kernel void pick(__global const REAL *x, const INDEX first, __global const INDEX *rows, __global REAL *y, const INDEX n)
{
    const INDEX i = get_global_id(0);
    if (i < n) y[i] = x[rows[first + i]];
}
__kernel void wide(__global REAL *y) { y[get_global_id(0) / LANES] = 1; }
