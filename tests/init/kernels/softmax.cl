__kernel void softmax(__global const float *x, __global float *y, const int rows, const int cols)
{
    const int r = get_global_id(0);
    if (r >= rows) return;
    __global const float *in = x + r * cols;
    __global float *out = y + r * cols;
    float m = -INFINITY, s = 0;
    for (int i = 0; i < cols; i++) m = fmax(m, in[i]);
    for (int i = 0; i < cols; i++) s += exp(in[i] - m);
    for (int i = 0; i < cols; i++) out[i] = exp(in[i] - m) / s;
}
