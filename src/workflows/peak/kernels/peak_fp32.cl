KERNEL void hone_peak(GLOBAL uint *out, float a, float b, uint rounds)
{
    reals x[DEPTH];
    const reals factor = (reals)(a), summand = (reals)(b);
    uint hash = 0;
    #pragma unroll
    for (int c = 0; c < DEPTH; c++) {
        float *lanes = (float *)&x[c];
        #pragma unroll
        for (int i = 0; i < WIDTH; i++)
            lanes[i] = 1.0f + (float)((ITEM + 5 * c + i) & (STARTS - 1)) / STARTS;
    }
    for (uint r = 0; r < rounds; r++) {
        #pragma unroll
        for (int step = 0; step < STEPS; step++) {
            #pragma unroll
            for (int c = 0; c < DEPTH; c++)
                x[c] = MULTIPLY_ADD(x[c], factor, summand);
        }
    }
    #pragma unroll
    for (int c = 0; c < DEPTH; c++) {
        const float *lanes = (const float *)&x[c];
        #pragma unroll
        for (int i = 0; i < WIDTH; i++)
            hash = hash * HASH + BITS(lanes[i]);
    }
    out[ITEM] = hash;
}
