// The spec's own reader leaves digraphs to the compiler, so that the spec says the types.
%:define TWICE(x) ((x) + (x))
__kernel void twice(__global float *y, const uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        y[i] += y[i];
}
