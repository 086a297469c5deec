__kernel void hone_fill(__global float *out, ulong count, uint kind, uint seed_0, uint seed_1,
                        double low, double span)
{
    for (ulong block = get_global_id(0); block * 4 < count; block += get_global_size(0)) {
        uint x[4], k0 = seed_0, k1 = seed_1;
        x[0] = (uint)block;
        x[1] = (uint)(block >> 32);
        x[2] = kind;
        x[3] = 0;
        for (int round = 0; round < 10; round++) {
            ulong p0 = (ulong)0xd2511f53u * x[0], p1 = (ulong)0xcd9e8d57u * x[2];
            x[0] = (uint)(p1 >> 32) ^ x[1] ^ k0;
            x[1] = (uint)p1;
            x[2] = (uint)(p0 >> 32) ^ x[3] ^ k1;
            x[3] = (uint)p0;
            k0 += 0x9e3779b9u;
            k1 += 0xbb67ae85u;
        }
        for (int i = 0; i < 4; i++) {
            double unit = (double)(x[i] >> 8) / 16777216.0;
            if (block * 4 + i < count)
                out[block * 4 + i] = (float)(low + span * unit);
        }
    }
}
