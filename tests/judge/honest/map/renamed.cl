// style: a kernel and types by macros, arguments of other names, attributes in front
#define ENTRY map
#define REAL  float
typedef REAL real;
typedef __global real *restrict real_out;
__attribute__((work_group_size_hint(B, 1, 1))) __kernel void ENTRY(real_out const result, __global const real *const restrict values)
{
    for (uint k = 0u; k < (uint)T; ++k) {
        const size_t at = get_global_id(0) * (size_t)T + k;
        if (at < (size_t)N)
            result[at] = (real)1 + values[at] * values[at] * (real)0.5;
    }
}
