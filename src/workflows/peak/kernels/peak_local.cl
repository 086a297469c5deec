KERNEL void hone_peak(GLOBAL uint *out, uint seed, uint shift, uint rounds)
{
    LOCAL words tile[SIZE + SHIFTS * DEPTH];
    words sum[DEPTH];
    uint total = 0, shifted = 0;
    for (uint i = LANE; i < SIZE + SHIFTS * DEPTH; i += SIZE) {
        words value;
        uint *lanes = (uint *)&value;
        #pragma unroll
        for (int c = 0; c < WIDTH; c++)
            lanes[c] = (i * WIDTH + c) * seed;
        tile[i] = value;
    }
    #pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        uint *lanes = (uint *)&sum[k];
        #pragma unroll
        for (int c = 0; c < WIDTH; c++)
            lanes[c] = 0;
    }
    WAIT;
    for (uint r = 0; r < rounds; r++) {
        LOCAL_AT const words *at = tile + LANE + shifted;
        #pragma unroll
        for (int k = 0; k < DEPTH; k++)
            sum[k] += at[SHIFTS * k];
        shifted = (shifted + shift) & (SHIFTS - 1);
    }
    #pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        const uint *lanes = (const uint *)&sum[k];
        #pragma unroll
        for (int c = 0; c < WIDTH; c++)
            total += lanes[c];
    }
    out[ITEM] = total;
}
