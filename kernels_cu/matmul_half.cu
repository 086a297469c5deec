// Matrix multiplication by tensor cores, floats of 16 or 8 bits in, of 16 out. What it does and how
// is said in kernels_cl/matmul_half.h, which matmul_half.cl includes too; here are CUDA's words.

#include "words.h"

#include "../kernels_cl/matmul_half.h"
