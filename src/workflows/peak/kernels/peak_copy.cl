KERNEL void hone_peak(GLOBAL const words *in, GLOBAL words *out)
{
    const ulong first = GROUP * PER_ITEM * SIZE + LANE;
    GLOBAL const words *from = in + first;
    GLOBAL words *to = out + first;
    for (uint k = 0; k < PER_ITEM; k += DEPTH) {
        words moved[DEPTH];
        #pragma unroll
        for (int i = 0; i < DEPTH; i++)
            moved[i] = from[i * SIZE];
        #pragma unroll
        for (int i = 0; i < DEPTH; i++)
            STORE(moved[i], to + i * SIZE);
        from += DEPTH * SIZE;
        to += DEPTH * SIZE;
    }
}
