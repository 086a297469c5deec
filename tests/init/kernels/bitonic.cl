__kernel void bitonic_step(__global uint *data, const uint stage, const uint pass)
{
    uint t = get_global_id(0);
    uint d = 1u << (stage - pass);
    uint left = (t % d) + (t / d) * 2 * d, right = left + d;
    uint a = data[left], b = data[right];
    bool up = (t >> stage) % 2 == 0;
    if ((a > b) == up) { data[left] = b; data[right] = a; }
}
