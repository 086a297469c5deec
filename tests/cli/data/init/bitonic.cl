__kernel void bitonic_step(__global int *data, const uint n, const uint j, const uint k)
{
    uint i = get_global_id(0);
    uint partner = i ^ j;
    if (i < n && partner > i && partner < n) {
        int a = data[i], b = data[partner];
        if (((i & k) == 0) == (a > b)) {
            data[i] = b;
            data[partner] = a;
        }
    }
}
