// Rows have a border; the launch ends a row further.

__kernel void weigh(__global float *weights, __global const float *in, int columns, int rows)
{
    int x = get_global_id(0), y = get_global_id(1);
    weights[(columns + 1) * (y + 1) + x + 1] *= in[y];
}

// Nothing would be left to do in the last step.
__kernel void eliminate(__global float *factors, __global const float *a, int size, int t)
{
    int i = get_global_id(0);
    if (i < size - 1 - t)
        factors[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] / a[size * t + t];
}

__kernel void count_up(__global uint *out, uint4 shape)
{
    uint i = get_global_id(0);
    if (i < shape.x)
        out[i] = 7 * i + shape.y;
}

// Rows of a matrix, each by one item, which is too long to be run to its end.
__kernel void rows(int n, __global const float *a, __global const float *b, __global float *c)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    for (int j = 0; j < n; j++) {
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
    }
}

__kernel void other(__global float *y)
{
    y[get_global_id(0)] = ONLY_HERE;
}
