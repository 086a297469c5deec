#ifndef P
#define P 64
#endif
__kernel void nbody(__global const float4 *pos, __global float4 *acc, int n, float eps2)
{
    __local float4 sh[P];
    int i = get_global_id(0);
    float4 me = pos[i];
    float3 a = (float3)(0.0f);
    for (int t = 0; t < n; t += P) {
        sh[get_local_id(0)] = pos[t + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < P; j++) {
            float3 r = sh[j].xyz - me.xyz;
            float d = rsqrt(dot(r, r) + eps2);
            a += r * (sh[j].w * d * d * d);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc[i] = (float4)(a, 0.0f);
}
