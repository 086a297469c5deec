// For each point the nearest of some centres, in a space of many dimensions: two loops over sizes in each item.
typedef struct {
    int index;
    float distance;
} choice;
kernel void nearest(global const float *points, global const float *centres, global int *chosen, const int count,
                    const int choices, const int dimensions)
{
    const int i = get_global_id(0);
    if (i >= count)
        return;
    choice best;
    best.index = 0;
    best.distance = FLT_MAX;
    for (int c = 0; c < choices; c++) {
        float sum = 0;
        for (int d = 0; d < dimensions; d++) {
            float by = points[d * count + i] - centres[c * dimensions + d];
            sum += by * by;
        }
        if (sum < best.distance) {
            best.distance = sum;
            best.index = c;
        }
    }
    chosen[i] = best.index;
}
