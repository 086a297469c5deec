// The acceleration of N bodies by each other; a body is its place and its mass. The work-group reads GROUP bodies at a time
// into local memory (TILED) or lets the cache do it; a work-item has ITEMS bodies of its own.
__kernel void nbody(__global float4 *acceleration, __global const float4 *body)
{
    const uint l = get_local_id(0), first = get_group_id(0) * (GROUP * ITEMS) + l;
    float4 own[ITEMS];
    float3 sum[ITEMS];
#if TILED
    __local float4 tile[GROUP];
#endif
    for (int k = 0; k < ITEMS; k++) {
        own[k] = body[first + k * GROUP];
        sum[k] = (float3)(0);
    }
    for (uint begin = 0; begin < N; begin += GROUP) {
#if TILED
        tile[l] = body[begin + l];
        barrier(CLK_LOCAL_MEM_FENCE);
#else
        __global const float4 *tile = body + begin;
#endif
#pragma unroll UNROLL
        for (uint j = 0; j < GROUP; j++) {
            float4 other = tile[j];
#pragma unroll
            for (int k = 0; k < ITEMS; k++) {
                float3 d = other.xyz - own[k].xyz;
                float square = fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, (float)SOFTENING)));
                float inverse = native_rsqrt(square);
                sum[k] += other.w * inverse * inverse * inverse * d;
            }
        }
#if TILED
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    for (int k = 0; k < ITEMS; k++)
        acceleration[first + k * GROUP] = (float4)(sum[k], 0);
}
