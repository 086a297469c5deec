// a comment
#if defined(cl_khr_fp64)
#define BUILT
#endif
#ifndef BUILT
#define WIDTH 4096
#endif
kernel void scale(global float *out, global const float *in)
{
    for (int i = 0; i < tile; i++)
        out[get_global_id(0) * tile + i] = 2 * in[get_global_id(0) * tile + i] * block;
}
