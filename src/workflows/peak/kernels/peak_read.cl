KERNEL void hone_peak(GLOBAL const words *in, GLOBAL uint *out)
{
    GLOBAL const words *at = in + GROUP * PER_ITEM * SIZE + LANE;
    words sum[DEPTH];
    uint total = 0;
    #pragma unroll
    for (int i = 0; i < DEPTH; i++)
        sum[i] = at[i * SIZE];
    for (uint k = DEPTH; k < PER_ITEM; k += DEPTH) {
        at += DEPTH * SIZE;
        #pragma unroll
        for (int i = 0; i < DEPTH; i++)
            sum[i] += at[i * SIZE];
    }
    #pragma unroll
    for (int i = 0; i < DEPTH; i++) {
        const uint *lanes = (const uint *)&sum[i];
        #pragma unroll
        for (int c = 0; c < WIDTH; c++)
            total += lanes[c];
    }
    out[ITEM] = total;
}
