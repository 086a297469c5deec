// y = a * x + y, for tests/bench/tuners.sh: the space of CLBlast's tuner of axpy. WPT vectors of VW floats a work-item.
#ifndef FAULT
#define FAULT 0
#endif
#if VW == 1
typedef float vector;
#elif VW == 2
typedef float2 vector;
#elif VW == 4
typedef float4 vector;
#else
typedef float8 vector;
#endif

__kernel __attribute__((reqd_work_group_size(WGS, 1, 1))) void axpy(__global vector *y, __global const vector *x, float a)
{
    size_t first = get_group_id(0) * (size_t)(WGS * WPT) + get_local_id(0);
    for (int k = 0; k < WPT; k++) {
        size_t i = first + k * WGS;
#if FAULT == 1
        if (i == 0)
            continue;
#elif FAULT == 2
        *(__global volatile float *)(i * 4) = a;
#endif
        y[i] = a * x[i] + y[i];
    }
}
