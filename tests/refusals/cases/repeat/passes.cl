#ifndef GROUP
#define GROUP 8
#endif

kernel void reduce(global const int *from, global int *to, int count)
{
    local int sums[GROUP];
    int i = get_global_id(0), lane = get_local_id(0);
    sums[lane] = i < count ? from[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_of = GROUP / 2; half_of > 0; half_of /= 2) {
        if (lane < half_of)
            sums[lane] += sums[lane + half_of];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0)
        to[get_group_id(0)] = sums[0];
}

kernel void bitonic(global int *data, int size, int stride)
{
    int i = get_global_id(0), other = i ^ stride;
    if (other <= i)
        return;
    bool up = (i & size) == 0;
    int a = data[i], b = data[other];
    if ((a > b) == up) {
        data[i] = b;
        data[other] = a;
    }
}
