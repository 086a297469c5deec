#ifndef WIDTH
#define WIDTH 4096
#endif
#if !defined(tile)
# define tile 2
#endif
#ifndef HONE
#define block 3
#endif
/*
#define block 4
*/
kernel void scale(global float *out, global const float *in)
{
    for (int i = 0; i < tile; i++)
        out[get_global_id(0) * tile + i] = 2 * in[get_global_id(0) * tile + i] * block;
}
