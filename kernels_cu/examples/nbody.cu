// The acceleration of N bodies by each other; a body is its place and its mass. The block reads GROUP bodies at a time into
// shared memory (TILED) or lets the cache do it; a thread has ITEMS bodies of its own.
#define TEXT_(text)   #text
#define PRAGMA(text)  _Pragma(TEXT_(text))
#define UNROLLED(n)   PRAGMA(unroll n)

extern "C" __global__ void __launch_bounds__(GROUP) nbody(float4 *acceleration, const float4 *body)
{
    const unsigned l = threadIdx.x, first = blockIdx.x * (GROUP * ITEMS) + l;
    float4 own[ITEMS], sum[ITEMS];
#if TILED
    __shared__ float4 tile[GROUP];
#endif
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        own[k] = body[first + k * GROUP];
        sum[k] = make_float4(0, 0, 0, 0);
    }
    for (unsigned begin = 0; begin < N; begin += GROUP) {
#if TILED
        tile[l] = body[begin + l];
        __syncthreads();
#else
        const float4 *tile = body + begin;
#endif
        UNROLLED(UNROLL)
        for (unsigned j = 0; j < GROUP; j++) {
            float4 other = tile[j];
#pragma unroll
            for (int k = 0; k < ITEMS; k++) {
                float x = other.x - own[k].x, y = other.y - own[k].y, z = other.z - own[k].z;
                float square = fmaf(x, x, fmaf(y, y, fmaf(z, z, (float)SOFTENING)));
                float inverse = rsqrtf(square), factor = other.w * inverse * inverse * inverse;
                sum[k].x = fmaf(factor, x, sum[k].x);
                sum[k].y = fmaf(factor, y, sum[k].y);
                sum[k].z = fmaf(factor, z, sum[k].z);
            }
        }
#if TILED
        __syncthreads();
#endif
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        acceleration[first + k * GROUP] = sum[k];
}
