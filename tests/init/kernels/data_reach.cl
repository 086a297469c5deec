// Buffers whose size the data of others decides.
typedef struct List List_t;
struct List {
    int first;
    int count;
};

__kernel void sum_lists(__global const List_t *lists, __global const float *values,
                        __global float *out, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float sum = 0;
    for (int k = lists[i].first; k < lists[i].first + lists[i].count; k++)
        sum += values[k];
    out[i] = sum;
}

// Each element is written once, by whichever item its place names.
__kernel void reorder(__global const float *in, __global const int *place, __global float *out, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[place[i]] = in[i];
}
