KERNEL void hone_plain(GLOBAL const uint *in, GLOBAL uint *out)
{
    for (uint k = 0; k < PER_ITEM * WIDTH; k++) {
        const ulong at = (GROUP * PER_ITEM * WIDTH + k) * SIZE + LANE;
        out[at] = in[at];
    }
}
