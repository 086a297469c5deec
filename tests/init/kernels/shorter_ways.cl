// In place, and only where a way through node `pass` is shorter: what is written depends on what is read.
__kernel void shorten(__global int *length, __global int *through, int nodes, int pass)
{
    int from = get_global_id(1), to = get_global_id(0);
    int way = length[from * nodes + pass] + length[pass * nodes + to];
    if (way < length[from * nodes + to]) {
        length[from * nodes + to] = way;
        through[from * nodes + to] = pass;
    }
}

// Either way something is written.
__kernel void clamp_all(__global const float *in, __global float *out, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    if (in[i] > 1.0f)
        out[i] = 1.0f;
    else if (in[i] < 0.0f)
        out[i] = 0.0f;
    else
        out[i] = in[i];
}

// Behind a return that what is read decides.
__kernel void keep_positive(__global const float *in, __global float *out, int n)
{
    int i = get_global_id(0);
    if (i >= n || in[i] < 0.0f)
        return;
    out[i] = in[i];
}
