// honest: four elements at a time where they are aligned
extern "C" __global__ void map(float *y, const float *x)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * T;
    if (T == 4 && first + 4 <= N) {
        float4 v = *reinterpret_cast<const float4 *>(x + first);
        *reinterpret_cast<float4 *>(y + first) =
            make_float4(0.5f * v.x * v.x + 1, 0.5f * v.y * v.y + 1, 0.5f * v.z * v.z + 1, 0.5f * v.w * v.w + 1);
        return;
    }
    for (int i = first; i < first + T && i < N; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
