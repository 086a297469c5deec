extern "C" __global__ void relu_bias(float *__restrict__ act, const float *__restrict__ bias, int B, int C, int HW)
{
    int hw = blockIdx.x * blockDim.x + threadIdx.x;
    int c = blockIdx.y, b = blockIdx.z;
    if (hw < HW) {
        float v = act[((size_t)b * C + c) * HW + hw] + bias[c];
        act[((size_t)b * C + c) * HW + hw] = v > 0 ? v : 0;
    }
}
