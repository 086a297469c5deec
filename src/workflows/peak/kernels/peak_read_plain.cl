KERNEL void hone_plain(GLOBAL const uint *in, GLOBAL uint *out)
{
    uint total = 0;
    for (uint k = 0; k < PER_ITEM; k++)
        for (uint c = 0; c < WIDTH; c++)
            total += in[((GROUP * PER_ITEM + k) * SIZE + LANE) * WIDTH + c];
    out[ITEM] = total;
}
