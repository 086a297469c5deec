#ifndef BLOCK
#error "define BLOCK"
#endif
#if BLOCK % 64 != 0 || BLOCK > 512
#error "BLOCK must be a multiple of 64"
#endif
#if MODE == 1
# if BLOCK * PER > 1024
#  error too many
# endif
#endif
#if MODE == 1
#define OP +
#else
#define OP -
#endif
__kernel void f(__global float *y, __global const float *x, int n)
{
  int i = (get_group_id(0) * BLOCK + get_local_id(0)) * PER;
  for (int k = 0; k < PER; k++) if (i + k < n) y[i + k] = 1.0f OP x[i + k];
}
