#define IN(type, name) __global const type *name

__kernel void scale(__global float *out, IN(int, in), const float factor)
{
    const size_t i = get_global_id(0);
    out[i] = factor * in[i];
}
