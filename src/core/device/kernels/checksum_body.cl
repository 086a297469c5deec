function ulong word_at(__global const uchar *bytes, ulong at, ulong length)
{
    ulong word = 0;
    for (uint i = 0; i < 8 && i < length; i++)
        word |= (ulong)bytes[at + i] << 8 * i;
    return word;
}
__kernel void hone_checksum(__global const uchar *bytes, ulong from, ulong length,
                          __global ulong *sums, uint first)
{
    __local ulong parts[LOCAL];
    __global const ulong *words = (__global const ulong *)(bytes + from);
    ulong whole = from % 8 ? 0 : length / 8, count = (length + 7) / 8, sum = 0;
    for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {
        ulong x = i < whole ? words[i] : word_at(bytes, from + 8 * i, length - 8 * i);
        x ^= (i + 1) * PLACE;
        x = (x ^ x >> 30) * MIX_1;
        x = (x ^ x >> 27) * MIX_2;
        sum += x ^ x >> 31;
    }
    parts[get_local_id(0)] = sum;
    for (uint step = LOCAL / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) < step)
            parts[get_local_id(0)] += parts[get_local_id(0) + step];
    }
    if (get_local_id(0) == 0)
        sums[first + get_group_id(0)] = parts[0];
}
