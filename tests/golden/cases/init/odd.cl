// What a reader of sources has to get right: guards, macros, types of its own, comments.
#ifndef TILE
#define TILE 16
#endif
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define AREA (TILE * side)
typedef struct { float x, y; } point;
struct helper { int q; };
__constant float weights[] = {1, 2};
float square(REAL v) { return v * v; }
/* a comment with OPEN_NAME */
__kernel __attribute__((vec_type_hint(float)))
void first(__global REAL *restrict out, __global const float4 *in, __constant point *p,
           __local float *scratch, const unsigned int n, float alpha)
{
    size_t i = get_global_id(0), k2;
    struct helper h;
    int a[4] = {1, 2, 3, 4}, b;
    h.q = LIMIT;
#if USE_FAST && defined(OTHER)
    a[0] = MIN(a[1], AREA);
#endif
    for (uint z = 0; z < UNROLL; ++z)
        out[i] += in[i].x * alpha * (float)(n) * MODE;
#pragma unroll PRAGMATIC
    barrier(CLK_LOCAL_MEM_FENCE);
    printf("text NOT_A_NAME %d", b);
}
kernel void second(global int *x, global int *y)
{
    x[get_local_id(1)] = y[0];
    y[1] = 2;
}
