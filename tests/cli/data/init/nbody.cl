__kernel void nbody(__global const float4 *pos, __global float4 *acc, const int bodies,
                    const float eps2)
{
    int i = get_global_id(0);
    float4 p = pos[i < bodies ? i : 0];
    float3 a = (float3)(0.0f, 0.0f, 0.0f);
    for (int j = 0; j < bodies; j++) {
        float3 d = pos[j].xyz - p.xyz;
        float inv = rsqrt(dot(d, d) + eps2);
        a += d * (pos[j].w * inv * inv * inv);
    }
    if (i < bodies)
        acc[i] = (float4)(a, 0.0f);
}
