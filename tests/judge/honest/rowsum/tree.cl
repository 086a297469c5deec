// honest: all of a work-group sum each of its rows, by a tree in local memory
kernel void rowsum(global float *out, global const float *x, global float *t)
{
    local float part[B];
    const int l = get_local_id(0);
    for (int r = 0; r < B; r++) {
        const int row = get_group_id(0) * B + r;
        float sum = 0;
        for (int k = l; row < H && k < W; k += B)
            sum += x[row * W + k];
        part[l] = sum;
        for (int n = B / 2; n > 0; n /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l < n)
                part[l] += part[l + n];
        }
        if (l == 0 && row < H)
            out[row] = part[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
