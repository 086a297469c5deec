__kernel void hone_hold(uint steps)
{
    __local volatile uint kept[1];
    uint x = steps | 1;
    for (uint i = 0; i < steps; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    kept[0] = x;
}
