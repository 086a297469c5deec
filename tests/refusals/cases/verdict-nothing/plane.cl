__kernel void plane(__global float *u, int first, int n)
{
    int i = get_global_id(0);
    if (first > 0 && first < n - 1 && i > 0 && i < n - 1)
        u[first * n + i] = 0.5f * (u[(first - 1) * n + i] + u[(first + 1) * n + i]);
}
