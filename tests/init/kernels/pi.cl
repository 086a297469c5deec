uint xorshift(uint *s) { uint x = *s; x ^= x << 13; x ^= x >> 17; x ^= x << 5; return *s = x; }
__kernel void pi(__global uint *hits, uint seed, int iterations)
{
    uint s = seed ^ (get_global_id(0) * 747796405u + 1u);
    uint h = 0;
    for (int i = 0; i < iterations; i++) {
        float x = xorshift(&s) * 2.3283064e-10f, y = xorshift(&s) * 2.3283064e-10f;
        h += x * x + y * y < 1.0f;
    }
    hits[get_global_id(0)] = h;
}
