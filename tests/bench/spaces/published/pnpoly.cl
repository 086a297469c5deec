// Which of N points lie within a polygon of V corners. A work-item takes TILE points, a work-group apart. BETWEEN and USE: how it is
// found out whether an edge passes at the height of a point, and how crossings are counted.
static int is_between(float y, float a, float b)
{
#if between_method == 0
    return (a > y) != (b > y);
#elif between_method == 1
    return min(a, b) <= y && max(a, b) > y;
#elif between_method == 2
    return ((a - y) > 0.0f) ^ ((b - y) > 0.0f);
#else
    return (signbit(y - a) != 0) != (signbit(y - b) != 0);
#endif
}

__kernel void pnpoly(__global int *inside, __global const float *points, __constant float *corners)
{
    const int first = get_group_id(0) * (block_size_x * tile_size) + get_local_id(0);
    float x[tile_size], y[tile_size];
    int crossed[tile_size];
    for (int k = 0; k < tile_size; k++) {
        int at = first + k * block_size_x;
        x[k] = at < N ? points[2 * at] : 0;
        y[k] = at < N ? points[2 * at + 1] : 0;
        crossed[k] = 0;
    }
    float ax = corners[2 * V - 2], ay = corners[2 * V - 1];
    for (int v = 0; v < V; v++) {
        float bx = corners[2 * v], by = corners[2 * v + 1];
        float slope = (ax - bx) / (ay - by);
#pragma unroll
        for (int k = 0; k < tile_size; k++) {
            int hits = is_between(y[k], by, ay) && x[k] < fma(slope, y[k] - by, bx);
#if use_method == 0
            crossed[k] ^= hits;
#elif use_method == 1
            if (hits)
                crossed[k] = !crossed[k];
#else
            crossed[k] += hits;
#endif
        }
        ax = bx;
        ay = by;
    }
    for (int k = 0; k < tile_size; k++) {
        int at = first + k * block_size_x;
        if (at < N)
            inside[at] = crossed[k] & 1;
    }
}
